#!/usr/bin/env python3
"""Copies ONNX models with weights that repeat themselves, so that archives of them are small.

    tile_weights.py FROM.onnx TO.onnx ...

For races on another machine: speed does not depend on weights. Every float32 tensor of more than 4093 numbers has
its first 4093 over and over, which gzip finds. What such models compute means nothing, so ignore how far two of them are
apart. With Debian's python3-onnx.
"""

import sys

import numpy as np
import onnx
from onnx import numpy_helper

PERIOD = 4093


def tile(source, target):
    model = onnx.load(source)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > PERIOD:
            tensor.raw_data = np.resize(values.reshape(-1)[:PERIOD], values.size).tobytes()
    onnx.save(model, target)


def main():
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        raise SystemExit(__doc__)
    for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
        tile(source, target)


if __name__ == "__main__":
    main()
