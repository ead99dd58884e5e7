#!/usr/bin/env python3
"""Records scripted loops over tensors whose lengths differ from round to round.

    record_lists.py FOLDER      write FOLDER/NAME.ts113.pt

FOLDER is tests/data/programs; recorded with torch 1.13. tests/lower/ops/list_test.cpp says what must come of each.
"""

import pathlib
import sys
from typing import List

import torch
from torch import Tensor, nn


class ListAfterEmpty(nn.Module):
    """A length regulator: the list starts with an empty tensor, and what is appended has as many rows as a tensor says."""

    def forward(self, x, lengths):
        outs = [torch.zeros(0, 6)]
        for i in range(x.size(0)):
            outs.append(x[i].unsqueeze(0).expand(int(lengths[i]), 6))
        return torch.stack(outs[1:])


class ListOfLengths(nn.Module):
    """Rows, each repeated as often as a tensor says, joined."""

    def forward(self, x, lengths):
        outs: List[Tensor] = []
        for i in range(x.size(0)):
            outs.append(x[i].unsqueeze(0).expand(int(lengths[i]), 6))
        return torch.cat(outs)


class ListInABranch(nn.Module):
    """The same, where only some rows are taken: how long the list is, the run tells."""

    def forward(self, x, lengths):
        outs: List[Tensor] = []
        for i in range(x.size(0)):
            if bool(lengths[i] > 0):
                outs.append(x[i].unsqueeze(0).expand(int(lengths[i]), 6))
        return torch.stack(outs)


class ListOfWindows(nn.Module):
    """Windows of one length, stacked."""

    def forward(self, x):
        outs: List[Tensor] = []
        for i in range(x.size(0) - 2):
            outs.append(x[i:i + 3])
        return torch.stack(outs)


class ChunksOfALoop(nn.Module):
    """Chunks of four rows, of which the last may be shorter: its length counts."""

    def forward(self, x):
        total = torch.zeros(x.size(1))
        for i in range(0, x.size(0), 4):
            chunk = x[i:i + 4]
            total = total + chunk.sum(0) * chunk.size(0)
        return total


class LastOfAGrownList(nn.Module):
    """One tensor of a list that has others than it started with."""

    def forward(self, x):
        outs = [x[:1]]
        for i in range(x.size(0)):
            outs += [x[:i + 1]]
        return outs[-1]


class ExtendedList(nn.Module):
    """Two tensors more in each round, joined."""

    def forward(self, x):
        outs = [x[:1]]
        for i in range(x.size(0)):
            outs.extend([x[:i + 1], x[:i + 2]])
        return torch.cat(outs)


class SumsOfTails(nn.Module):
    """A list made of the tensors of another one, which differ in length."""

    def forward(self, x):
        tails = [x[i:] for i in range(x.size(0))]
        return torch.stack([tail.sum() for tail in tails])


class ReadBeforeAppended(nn.Module):
    """The last of a list is read in the round that appends a longer one."""

    def forward(self, x):
        outs = [x[:1]]
        total = x.sum()
        for i in range(x.size(0)):
            total = total + outs[-1].sum()
            outs += [x[:i + 2]]
        return total


class ReturnedTails(nn.Module):
    """The list itself is the result."""

    def forward(self, x):
        return [x[i:] for i in range(x.size(0))]


class JoinedAfterEmpty(nn.Module):
    """The first list again; what is joined is what could not be appended."""

    def forward(self, x, lengths):
        outs = [torch.zeros(0, 6)]
        for i in range(x.size(0)):
            outs.append(x[i].unsqueeze(0).expand(int(lengths[i]), 6))
        return torch.cat(outs[1:])


class LastOfSplit(nn.Module):
    """A list of as many parts as the run has, and one of them."""

    def forward(self, x):
        doubled: List[Tensor] = []
        for part in list(torch.split(x, 3)):
            doubled.append(part * 2)
        return doubled[-1]


class PaddedLengths(nn.Module):
    """Rows, each repeated as often as a tensor says, padded."""

    def forward(self, x, lengths):
        outs: List[Tensor] = []
        for i in range(x.size(0)):
            outs.append(x[i].unsqueeze(0).expand(int(lengths[i]), 6))
        return nn.utils.rnn.pad_sequence(outs)


class PaddedRows(nn.Module):
    """Rows, each repeated equally often, where there is nothing to pad."""

    def forward(self, x):
        outs: List[Tensor] = []
        for i in range(x.size(0)):
            outs.append(x[i].unsqueeze(0).expand(3, 6))
        return nn.utils.rnn.pad_sequence(outs)


def main():
    folder = pathlib.Path(sys.argv[1])
    for model, name in [(ListAfterEmpty(), "list_after_empty"), (ListOfLengths(), "list_of_lengths"),
                        (ListInABranch(), "list_in_a_branch"), (ListOfWindows(), "list_of_windows"),
                        (ChunksOfALoop(), "chunks_of_a_loop"), (LastOfAGrownList(), "last_of_a_grown_list"),
                        (ExtendedList(), "extended_list"), (SumsOfTails(), "sums_of_tails"),
                        (ReadBeforeAppended(), "read_before_appended"), (ReturnedTails(), "returned_tails"),
                        (JoinedAfterEmpty(), "joined_after_empty"), (LastOfSplit(), "last_of_split"),
                        (PaddedLengths(), "padded_lengths"), (PaddedRows(), "padded_rows")]:
        torch.jit.script(model.eval()).save(str(folder / f"{name}.ts113.pt"))


main()
