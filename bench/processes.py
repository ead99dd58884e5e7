"""Programs, measured from outside."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

GNU_TIME = shutil.which("time")


def spawn(command):
    """Runs a command; returns its output, seconds from spawn to exit, and its rusage."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s: exit status %d" % (" ".join(map(str, command)), process.returncode))
    return output, seconds, usage


def peak_memory(command):
    """Megabytes. Linux carries the peak of whoever calls exec over to the new program, so a child of this
    Python never shows less than Python itself; a child of GNU time, which is tiny, does."""
    if GNU_TIME is None:
        return spawn(command)[2].ru_maxrss * 1024 / 1e6
    with tempfile.NamedTemporaryFile("r") as report:
        spawn([GNU_TIME, "-f", "%M", "-o", report.name] + command)
        return int(report.read()) * 1024 / 1e6
