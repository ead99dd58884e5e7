#!/usr/bin/env python3
"""Writes programs whose files declare the ranges of their axes.

    tools/make_axes_programs.py tests/data/axes

Asks for PyTorch 2.14. last_rows.pt2 takes the last rows of a table of 64, so that its input has at most 64.
"""

import pathlib
import sys

import torch
from torch import nn


class LastRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("t", torch.randn(64, 4))

    def forward(self, x):
        rows = self.t[-x.shape[1]:]
        return torch.arange(rows.shape[0]).float() + rows[:, 0]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    auto = torch.export.Dim.AUTO
    program = torch.export.export(LastRows().eval(), (torch.randn(2, 9, 5),), dynamic_shapes=({0: auto, 1: auto},))
    torch.export.save(program, folder / "last_rows.pt2")


if __name__ == "__main__":
    main()
