#!/usr/bin/env python3
"""Makes a HiFi-GAN of full size with random weights, and what PyTorch exports of it, for measurements.

    make_vocoders.py HIFIGAN FOLDER

HIFIGAN is a checkout of github.com/jik876/hifi-gan; of it only `models.py` is used. FOLDER gets hifigan-v1.pth and
hifigan-v1.config.json (the reference's V1), hifigan-v1/decoder.onnx, which is what torch.onnx.export makes of it, and
hifigan-v1.pt, a TorchScript trace: the same network as a program. Where PyTorch has torch.export, hifigan-v1.pt2 is
written as well.

Speed does not depend on the weights.
"""

import argparse
import json
import pathlib
import types
import warnings

import torch

import record_fastspeech2 as recorder

OPSET = 15
MELS = 80
V1 = dict(
    resblock="1", upsample_rates=[8, 8, 2, 2], upsample_kernel_sizes=[16, 16, 4, 4], upsample_initial_channel=512,
    resblock_kernel_sizes=[3, 7, 11], resblock_dilation_sizes=[[1, 3, 5]] * 3, num_mels=MELS, n_fft=1024, hop_size=256,
    win_size=1024, sampling_rate=22050, fmin=0, fmax=8000, segment_size=8192,
)


class Vocoder(torch.nn.Module):
    """The generator with voxport's name for its input, which programs keep."""

    def __init__(self, generator):
        super().__init__()
        self.generator = generator

    def forward(self, mel):
        return self.generator(mel)


@torch.no_grad()
def build(make):
    model = make(types.SimpleNamespace(**V1)).eval()
    random = torch.Generator().manual_seed(1)
    for key, tensor in model.state_dict().items():
        noise = torch.randn(tensor.shape, generator=random)
        tensor.copy_(1 + 0.2 * noise.clamp(-3, 3) if key.endswith("weight_g") else noise * (0.1 if "bias" in key else 1))
    return model


@torch.no_grad()
def write(model, folder):
    name = "hifigan-v1"
    torch.save({"generator": model.state_dict()}, folder / f"{name}.pth")
    (folder / f"{name}.config.json").write_text(json.dumps(V1, indent=1) + "\n")
    model.remove_weight_norm()
    mel = torch.randn(1, MELS, 40)
    (folder / name).mkdir(exist_ok=True)
    torch.onnx.export(model, (mel,), str(folder / name / "decoder.onnx"), opset_version=OPSET, input_names=["mel"],
                      output_names=["audio"], dynamic_axes={"mel": {0: "batch_size", 2: "frames"}})
    model = Vocoder(model)
    torch.jit.trace(model, (mel,)).save(str(folder / f"{name}.pt"))
    if hasattr(torch, "export"):
        axes = {0: torch.export.Dim("batch_size"), 2: torch.export.Dim("frames")}
        torch.export.save(torch.export.export(model, (mel,), dynamic_shapes=(axes,)), folder / f"{name}.pt2")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hifigan", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write(build(recorder.import_hifigan(options.hifigan)), options.folder)


if __name__ == "__main__":
    main()
