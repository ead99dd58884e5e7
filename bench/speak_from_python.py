#!/usr/bin/env python3
"""Measures what a sentence costs in Python beside the C interface.

    speak_from_python.py VOICE [--seconds 20]

Speaks a sentence of 100 ids again and again, and takes the time that is spent in the functions of the C interface out
of the whole. One thread. VOXPORT_LIBRARY may name the library.
"""

import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import voxport
from voxport import _library, _voice

MAX_SHARE = 1  # percent that Python may add


class Stopwatch:
    """Counts the time that is spent in C."""

    def __init__(self):
        self.seconds = 0

    def counted(self, function):
        def call(*arguments):
            begin = time.perf_counter()
            try:
                return function(*arguments)
            finally:
                self.seconds += time.perf_counter() - begin
        return call


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voice")
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    voice = voxport.Voice(arguments.voice, threads=1)
    ids = [1] + [10 + i % 20 if i % 2 else 0 for i in range(98)] + [2]
    watch = Stopwatch()
    _voice.call = watch.counted(_library.call)
    whole, shares, pieces = [], [], 0
    end = time.perf_counter() + arguments.seconds
    while time.perf_counter() < end or len(whole) < 5:
        watch.seconds = 0
        begin = time.perf_counter()
        stream = voice.say(ids=ids)
        pieces = sum(1 for _ in stream)
        watch.counted(stream.close)()  # waits for a thread of C
        seconds = time.perf_counter() - begin
        whole.append(1e3 * seconds)
        shares.append(100 * (seconds / watch.seconds - 1))
    share = statistics.median(shares)
    print("a sentence in %d pieces: %.2f ms, of which Python adds %.2f %% (<= %g %%: %s; %d rounds)" % (
        pieces, statistics.median(whole), share, MAX_SHARE, "met" if share <= MAX_SHARE else "MISSED", len(whole)))


if __name__ == "__main__":
    main()
