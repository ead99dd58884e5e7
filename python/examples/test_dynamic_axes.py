"""A test that keeps the axes of a model dynamic: it fails on the change that fixes one, and names the operator.

Run it by `python -m unittest` or pytest, with voxport's library built or installed.
"""

import os
import tempfile
import unittest

import torch
import voxport


class Encoder(torch.nn.Module):
    """The model of this example; import your own in its place."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(100, 16)
        self.rnn = torch.nn.GRU(16, 8, batch_first=True)

    def forward(self, tokens):
        frames, _ = self.rnn(self.embedding(tokens))
        # frames.reshape(2, 7, 4, 2) would fix both axes at the sizes of the example.
        return frames.reshape(frames.shape[0], -1, 4, 2)


class Axes(unittest.TestCase):
    def test_batch_and_time_are_dynamic(self):
        model = Encoder().eval()
        tokens = torch.randint(100, (2, 7))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "encoder.onnx")
            # Fails here if an operator fixes an axis.
            voxport.export(model, path, (tokens,), dynamic={"tokens": {0: "batch", 1: "time"}}, output_names=["frames"])
            # Runs the graph at many sizes, and compares it with the model at sizes that differ from the example's.
            others = torch.randint(100, (3, 12))
            report = voxport.check(path, inputs={"tokens": "0..99"}, tolerance=1e-5,
                                   cases=[voxport.Case({"tokens": others}, {"frames": model(others)})])
        self.assertTrue(report.good, report.faults)
        self.assertTrue(report.axis("batch").dynamic)
        self.assertTrue(report.axis("time").dynamic)


if __name__ == "__main__":
    unittest.main()
