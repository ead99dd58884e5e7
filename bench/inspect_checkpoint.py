#!/usr/bin/env python3
"""Times `voxport inspect` on a training checkpoint against torch.load of the same file.

    inspect_checkpoint.py path/to/voxport [--torch-python /usr/bin/python3] [--megabytes 1000] [--rounds 7]

The checkpoint is made by make_lightning_checkpoint.py in a temporary folder. After a warm-up, which leaves
the file in the page cache, the three are measured in turns:

    inspect              `voxport inspect FILE`, from spawn to exit, output read from a pipe
    inspect --json --all `voxport inspect --json --all FILE`, likewise
    torch.load           the call torch.load(FILE, map_location='cpu') in a fresh process; starting
                         Python and importing torch are not counted

and the medians printed, with the peak memory of each process (wait4's rusage, by way of GNU time if there is
one). The ratios come last.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GNU_TIME = shutil.which("time")
HERE = pathlib.Path(__file__).resolve().parent

TORCH_LOAD = """
import sys, time, torch
options = {} if torch.__version__.startswith("1.") else {"weights_only": False}
begin = time.perf_counter()
checkpoint = torch.load(sys.argv[1], map_location="cpu", **options)
print(time.perf_counter() - begin)
"""


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
    if not output:
        sys.exit("%s: no output" % " ".join(map(str, command)))
    return output, seconds, usage


def peak_memory(command):
    """Megabytes. Linux carries the peak of whoever calls exec over to the new program, so a child of this
    Python never shows less than Python itself; a child of GNU time, which is tiny, does."""
    if GNU_TIME is None:
        return spawn(command)[2].ru_maxrss * 1024 / 1e6
    with tempfile.NamedTemporaryFile("r") as report:
        spawn([GNU_TIME, "-f", "%M", "-o", report.name] + command)
        return int(report.read()) * 1024 / 1e6


def measure(voxport, torch_python, path, rounds):
    """Name -> (list of seconds, peak megabytes). The runs for memory are the warm-up."""
    commands = {
        "inspect": [voxport, "inspect", path],
        "inspect --json --all": [voxport, "inspect", "--json", "--all", path],
        "torch.load": [torch_python, "-c", TORCH_LOAD, path],
    }
    memory = {name: peak_memory(command) for name, command in commands.items()}
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            output, seconds, _ = spawn(command)
            times[name].append(float(output) if name == "torch.load" else seconds)
    return {name: (times[name], memory[name]) for name in commands}


def report(results):
    print("%-22s %12s %12s %12s %12s" % ("", "median", "fastest", "slowest", "peak memory"))
    for name, (seconds, memory) in results.items():
        print("%-22s %9.1f ms %9.1f ms %9.1f ms %9.1f MB"
              % (name, 1e3 * statistics.median(seconds), 1e3 * min(seconds), 1e3 * max(seconds), memory))
    if GNU_TIME is None:
        print("peak memory includes that of this script's Python; with GNU time installed it does not")
    torch_seconds, torch_memory = results.pop("torch.load")
    print()
    for name, (seconds, memory) in results.items():
        print("torch.load / %-22s %8.1f x time %8.1f x memory"
              % (name, statistics.median(torch_seconds) / statistics.median(seconds), torch_memory / memory))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voxport", type=pathlib.Path)
    parser.add_argument("--torch-python", default="/usr/bin/python3")
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()

    probe = subprocess.run([arguments.torch_python, "-c", "import torch; print(torch.__version__)"],
                           capture_output=True, text=True)
    if probe.returncode != 0:
        print("%s has no torch. On Debian: apt-get install --no-install-recommends python3-torch python3-numpy,"
              " or name another interpreter with --torch-python." % arguments.torch_python, file=sys.stderr)
        sys.exit(2)

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "voice.ckpt"
        maker = HERE / "make_lightning_checkpoint.py"
        subprocess.run([arguments.torch_python, maker, path, "--megabytes", str(arguments.megabytes)], check=True)
        print("%s: %.0f MB, torch %s, medians of %d rounds, file in the page cache\n"
              % (path.name, path.stat().st_size / 1e6, probe.stdout.strip(), arguments.rounds))
        report(measure(arguments.voxport.resolve(), arguments.torch_python, path, arguments.rounds))


if __name__ == "__main__":
    main()
