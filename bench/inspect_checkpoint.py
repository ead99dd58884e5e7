#!/usr/bin/env python3
"""Times `voxport inspect` on a training checkpoint against torch.load of the same file.

    inspect_checkpoint.py path/to/voxport [--torch-python /usr/bin/python3] [--megabytes 1000] [--rounds 7]

The checkpoint is made by make_lightning_checkpoint.py in a temporary folder. After a warm-up, which leaves
the file in the page cache, the programs are run in turns, and each is measured twice over:

    process   from spawn to exit: what a person waits for. For PyTorch that includes Python's start and
              `import torch`, for voxport the output, read from a pipe
    call      the call alone: torch.load(FILE, map_location='cpu') by its own clock, and the library's
              inspect() by the times of its stages, which `voxport inspect --debug` tells

Medians are printed, with the peak memory of each process (wait4's rusage, by way of GNU time if there is one).
The ratios come last.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from processes import GNU_TIME, peak_memory, spawn

HERE = pathlib.Path(__file__).resolve().parent

TORCH_LOAD = """
import sys, time, torch
options = {} if torch.__version__.startswith("1.") else {"weights_only": False}
begin = time.perf_counter()
checkpoint = torch.load(sys.argv[1], map_location="cpu", **options)
print(time.perf_counter() - begin)
"""


def stage_seconds(debug_output):
    """The sum of the stages that `voxport inspect --debug` tells, each as "(1.23 ms)"."""
    return sum(float(found) for found in re.findall(r"\(([0-9.e+-]+) ms\)", debug_output.decode())) / 1e3


def measure(voxport, torch_python, path, rounds):
    """Program -> (seconds of the processes, seconds of the calls, peak megabytes). The runs for memory are
    the warm-up."""
    commands = {
        "inspect": [voxport, "inspect", path],
        "inspect --json --all": [voxport, "inspect", "--json", "--all", path],
        "torch.load": [torch_python, "-c", TORCH_LOAD, path],
    }
    memory = {name: peak_memory(command) for name, command in commands.items()}
    processes = {name: [] for name in commands}
    calls = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            output, seconds, _ = spawn(command)
            if not output:
                sys.exit("%s: no output" % " ".join(map(str, command)))
            processes[name].append(seconds)
            if name == "torch.load":
                calls[name].append(float(output))
            else:
                debug = subprocess.run(command + ["--debug", "--quiet"], stderr=subprocess.PIPE, check=True)
                calls[name].append(stage_seconds(debug.stderr))
    return {name: (processes[name], calls[name], memory[name]) for name in commands}


def report(results):
    print("%-22s %14s %14s %14s" % ("", "process", "call", "peak memory"))
    for name, (process, call, memory) in results.items():
        print("%-22s %11.1f ms %11.1f ms %11.1f MB"
              % (name, 1e3 * statistics.median(process), 1e3 * statistics.median(call), memory))
    if GNU_TIME is None:
        print("peak memory includes that of this script's Python; with GNU time installed it does not")
    torch_process, torch_call, torch_memory = results.pop("torch.load")
    print()
    for name, (process, call, memory) in results.items():
        print("torch.load / %-22s process %6.1f x   call %6.1f x   memory %6.1f x"
              % (name, statistics.median(torch_process) / statistics.median(process),
                 statistics.median(torch_call) / statistics.median(call), torch_memory / memory))


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
