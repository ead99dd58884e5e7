#!/usr/bin/env python3
"""bundle_fastspeech2.py FOLDER NAME VOCODER OUT: a FastSpeech2 and its HiFi-GAN in half precision, as voices/ has them.

Of FOLDER/NAME.pth.tar and FOLDER/VOCODER.pth what inference needs is kept: the state dicts under `model` and
`generator`, as ming024's and jik876's programs load them. Trained weights become float16; what was computed (positions,
the bounds of bins) or counted (statistics of norms) stays as it is. Configs are copied. Run once, with Debian's
python3-torch; the same files give the same bytes."""
import argparse
import shutil
from pathlib import Path

import torch

NOT_TRAINED = ("position_enc", "_bins", "running_mean", "running_var", "num_batches_tracked")


def in_half(state):
    return {name: tensor if name.endswith(NOT_TRAINED) else tensor.half() for name, tensor in state.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("vocoder")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    for file, part in ((f"{args.name}.pth.tar", "model"), (f"{args.vocoder}.pth", "generator")):
        checkpoint = torch.load(args.folder / file, map_location="cpu")
        torch.save({part: in_half(checkpoint[part])}, args.out / file)
    for file in (f"{args.name}.model.yaml", f"{args.name}.preprocess.yaml", f"{args.name}.phonemes.json",
                 f"{args.vocoder}.config.json"):
        shutil.copyfile(args.folder / file, args.out / file)


if __name__ == "__main__":
    main()
