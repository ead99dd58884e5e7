#!/usr/bin/env python3
"""Records tiny Coqui VITS voices in sizes and layouts that trained voices rarely have, and what PyTorch says.

    record_coqui.py TTS FOLDER [NAME ...]     write the voices below (or those named) into FOLDER

TTS is the folder of that name of github.com/idiap/coqui-ai-TTS (recorded with 7cde79e, torch 1.13 on Debian
bookworm). Its layers and Vits.inference are used as they are; what its files import beside torch and numpy is
replaced by nothing, and torch's new weight norm, which 1.13 lacks, by the old one.

A voice is a folder NAME with model_file.pth and config.json, and NAME.cases.safetensors, whose tensors are called
`<case>/in/<input>` and `<case>/out/<output>`; c0 to c2 are single rows, c4 has three rows of different lengths. All
scales but the lengths' are 0. z is the flow's input, zero beyond a row's end.
"""

import argparse
import dataclasses
import importlib
import json
import pathlib
import sys
import types

import torch
from torch import nn

from record_voices import write_safetensors

MARGIN = 4e-3  # of a duration before it is rounded up, to the next whole number


@dataclasses.dataclass
class Voice:
    seed: int
    use_sdp: bool = False
    speakers: int = 0
    languages: int = 0
    condition_dp_on_speaker: bool = True
    sample_rate: int = 44100
    encoder_sample_rate: int = 22050
    interpolate_z: bool = True
    dilation: int = 1           # of the flow
    width: int = 24             # of the duration predictor, which Coqui fixes at 192 and 256
    hidden: int = 16
    rates: tuple = (4, 4)
    kernels: tuple = (8, 8)


VOICES = {
    "interpolate-2": Voice(seed=1),
    "interpolate-3": Voice(seed=2, use_sdp=True, speakers=1, languages=2, condition_dp_on_speaker=False,
                           encoder_sample_rate=14700, rates=(5, 2), kernels=(11, 4)),
    "upsampled": Voice(seed=3, interpolate_z=False, rates=(4, 4, 2), kernels=(8, 8, 4), speakers=3, dilation=2,
                       condition_dp_on_speaker=False),
}

CHARACTERS = {
    "characters_class": "TTS.tts.models.vits.VitsCharacters", "vocab_dict": None, "pad": "_", "eos": "", "bos": "",
    "blank": "", "characters": "abcdefghijklmnopqrstuvwxyz", "punctuations": "!,.? ", "phonemes": "",
    "is_unique": True, "is_sorted": True,
}
SYMBOLS = 1 + 5 + 26 + 1


class Nothing(types.ModuleType):
    """A module that has every name, each a class that does nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (nn.Module,), {"__class_getitem__": classmethod(lambda cls, _: cls)})


class Finder:
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("torch", "numpy") or name in sys.builtin_module_names:
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return Nothing(spec.name)

    def exec_module(self, module):
        pass


def import_vits(folder):
    import torch.nn.utils.parametrizations as parametrizations
    import torch.nn.utils.parametrize as parametrize
    parametrizations.weight_norm = nn.utils.weight_norm
    parametrize.remove_parametrizations = nn.utils.remove_weight_norm
    for package in ("", ".tts", ".tts.layers", ".tts.layers.vits", ".tts.layers.glow_tts", ".tts.layers.generic",
                    ".tts.models", ".tts.utils", ".vocoder", ".vocoder.models"):
        module = types.ModuleType("TTS" + package)
        module.__path__ = [str(folder.joinpath(*package.split(".")))]
        sys.modules["TTS" + package] = module
    sys.meta_path.append(Finder())
    for name in ("TTS.tts.models.base_tts", "TTS.tts.datasets.dataset", "TTS.tts.utils.languages",
                 "TTS.tts.utils.speakers", "TTS.tts.configs.shared_configs", "TTS.tts.utils.visual",
                 "TTS.tts.utils.text.characters", "TTS.tts.utils.text.tokenizer", "TTS.tts.utils.fairseq"):
        sys.modules[name] = Nothing(name)
    return importlib.import_module("TTS.tts.models.vits")


def build(vits, voice):
    """The generator's parts as Vits.__init__ makes them, with its own inference."""
    layers = importlib.import_module("TTS.tts.layers.vits.networks")
    gin, lang = (24 if voice.speakers else 0), (4 if voice.languages else 0)
    hidden = voice.hidden

    class Model(nn.Module):
        inference = vits.Vits.inference
        upsampling_z = vits.Vits.upsampling_z
        _set_cond_input = staticmethod(vits.Vits._set_cond_input)
        _set_x_lengths = staticmethod(vits.Vits._set_x_lengths)

    model = Model()
    model.args = types.SimpleNamespace(
        use_speaker_embedding=voice.speakers > 0, use_language_embedding=voice.languages > 0, use_sdp=voice.use_sdp,
        condition_dp_on_speaker=voice.condition_dp_on_speaker, encoder_sample_rate=voice.encoder_sample_rate,
        interpolate_z=voice.interpolate_z)
    model.interpolate_factor = voice.sample_rate / voice.encoder_sample_rate
    model.inference_noise_scale = model.inference_noise_scale_dp = 0.0
    model.length_scale, model.max_inference_len, model.spec_segment_size = 1.0, None, 32
    model.text_encoder = layers.TextEncoder(SYMBOLS, hidden, hidden, 2 * hidden, 2, 2, 3, 0.1, language_emb_dim=lang)
    model.flow = layers.ResidualCouplingBlocks(hidden, hidden, kernel_size=5, dilation_rate=voice.dilation,
                                               num_layers=2, cond_channels=gin)
    if voice.use_sdp:
        model.duration_predictor = vits.StochasticDurationPredictor(
            hidden, voice.width, 3, 0.5, 4, cond_channels=gin if voice.condition_dp_on_speaker else 0,
            language_emb_dim=lang)
    else:
        model.duration_predictor = vits.DurationPredictor(hidden, voice.width, 3, 0.5, cond_channels=gin,
                                                          language_emb_dim=lang)
    model.waveform_decoder = vits.HifiganGenerator(
        hidden, 1, "1", [[1, 3, 5], [1, 3, 5]], [3, 5], list(voice.kernels), 16, list(voice.rates),
        inference_padding=0, cond_channels=gin, conv_pre_weight_norm=False, conv_post_weight_norm=False,
        conv_post_bias=False)
    if voice.speakers:
        model.emb_g = nn.Embedding(voice.speakers, gin)
    if voice.languages:
        model.emb_l = nn.Embedding(voice.languages, lang)
    return model.eval()


def draw(model, random):
    """Weights that keep values near 1, and none of which is what it was made as."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=random)
            if name.endswith("gamma"):
                parameter.copy_(1 + 0.2 * noise)
            elif name.endswith("weight_g"):
                parameter.mul_(1 + 0.2 * noise)
            elif parameter.dim() < 2 or name.endswith("beta"):
                parameter.copy_(0.1 * noise)
            else:
                fan = parameter[0].numel() if parameter.dim() == 3 else 1
                parameter.copy_(noise / fan ** 0.5)
        if hasattr(model.duration_predictor, "flows"):  # some three frames of a symbol
            model.duration_predictor.flows[0].log_scale.fill_(1.8)
            model.duration_predictor.flows[0].translation.fill_(-5.0)
        else:
            for conv in (model.duration_predictor.conv_1, model.duration_predictor.conv_2):
                conv.weight.mul_(0.02)  # so that the norm's epsilon, 1e-4, is heard
                conv.bias.mul_(0.02)
            model.duration_predictor.proj.weight.mul_(0.3)
            model.duration_predictor.proj.bias.fill_(1.1)
        model.waveform_decoder.conv_post.weight.mul_(4)


def config_of(voice, name):
    model_args = {
        "num_chars": SYMBOLS, "out_channels": 33, "hidden_channels": voice.hidden,
        "hidden_channels_ffn_text_encoder": 2 * voice.hidden, "num_heads_text_encoder": 2,
        "num_layers_text_encoder": 2, "kernel_size_text_encoder": 3, "kernel_size_flow": 5,
        "dilation_rate_flow": voice.dilation, "num_layers_flow": 2, "resblock_type_decoder": "1",
        "resblock_kernel_sizes_decoder": [3, 5], "resblock_dilation_sizes_decoder": [[1, 3, 5], [1, 3, 5]],
        "upsample_rates_decoder": list(voice.rates), "upsample_initial_channel_decoder": 16,
        "upsample_kernel_sizes_decoder": list(voice.kernels), "use_sdp": voice.use_sdp,
        "inference_noise_scale": 0.5, "length_scale": 1.2, "inference_noise_scale_dp": 0.9,
        "max_inference_len": 2000 if name == "upsampled" else None, "use_speaker_embedding": voice.speakers > 0,
        "num_speakers": voice.speakers, "speaker_embedding_channels": 24, "use_d_vector_file": False,
        "d_vector_dim": 0, "use_language_embedding": voice.languages > 0, "embedded_language_dim": 4,
        "num_languages": voice.languages, "condition_dp_on_speaker": voice.condition_dp_on_speaker,
        "encoder_sample_rate": voice.encoder_sample_rate, "interpolate_z": voice.interpolate_z,
    }
    hop = 1
    for rate in voice.rates:
        hop *= rate
    if not voice.interpolate_z:
        hop = hop * voice.encoder_sample_rate // voice.sample_rate
    return {
        "model": "vits", "audio": {"sample_rate": voice.sample_rate, "hop_length": hop}, "model_args": model_args,
        "use_phonemes": False, "phonemizer": None, "phoneme_language": None, "text_cleaner": "basic_cleaners",
        "enable_eos_bos_chars": False, "characters": CHARACTERS, "add_blank": True, "datasets": [],
    }


def infer(model, ids, lengths, length_scale, speaker, language):
    model.length_scale = length_scale
    seen = {}
    handles = [
        model.flow.register_forward_hook(lambda module, inputs, output: seen.update(y_mask=inputs[1])),
        model.waveform_decoder.register_forward_hook(lambda module, inputs, output: None),
    ]
    out = model.inference(ids, {"x_lengths": lengths, "d_vectors": None, "speaker_ids": speaker,
                                "language_ids": language, "durations": None})
    for handle in handles:
        handle.remove()
    result = {"z": out["z_p"] * seen["y_mask"], "y_mask": seen["y_mask"], "durations": out["durations"],
              "output": out["model_outputs"]}
    if speaker is not None:
        result["g"] = model.emb_g(speaker).unsqueeze(-1)
    return {name: value.detach().clone() for name, value in result.items()}


def is_sane(model, result, ids, lengths, length_scale, speaker, language):
    """Whether no duration is near a rounding edge: a little more and a little less give the same."""
    if result["durations"].max() > 12:
        return False
    for factor in (1 - MARGIN, 1 + MARGIN):
        other = infer(model, ids, lengths, length_scale * factor, speaker, language)
        if not torch.equal(other["durations"], result["durations"]):
            return False
    return True


def record(vits, name, voice, folder):
    random = torch.Generator().manual_seed(voice.seed)
    torch.manual_seed(voice.seed)
    model = build(vits, voice)
    draw(model, random)
    tensors = {}
    for case, rows, length_scale in (("c0", [1], 1.0), ("c1", [7], 1.0), ("c2", [23], 1.3), ("c4", [9, 4, 1], 0.8)):
        while True:
            ids = torch.randint(1, SYMBOLS, (len(rows), max(rows)), generator=random)
            lengths = torch.tensor(rows)
            for row, length in enumerate(rows):
                ids[row, length:] = 0
            speaker = torch.randint(0, voice.speakers, (len(rows),), generator=random) if voice.speakers else None
            language = torch.randint(0, voice.languages, (len(rows),), generator=random) if voice.languages else None
            try:
                result = infer(model, ids, lengths, length_scale, speaker, language)
            except IndexError:  # Vits.inference cannot make a single frame
                continue
            if is_sane(model, result, ids, lengths, length_scale, speaker, language):
                break
        inputs = {"input": ids, "input_lengths": lengths, "scales": torch.tensor([0.0, length_scale, 0.0])}
        if speaker is not None:
            inputs["sid"] = speaker
        if language is not None:
            inputs["langid"] = language
        for key, value in {**inputs, **{key: result[key] for key in ("z", "y_mask", "g") if key in result}}.items():
            tensors[f"{case}/in/{key}"] = value
        for key, value in result.items():
            tensors[f"{case}/out/{key}"] = value
    output = torch.cat([value.flatten() for key, value in tensors.items() if key.endswith("out/output")])
    print(name, "rms", float(output.std()), "largest", float(output.abs().max()),
          {key: list(value.shape) for key, value in tensors.items() if key.startswith("c4/out")})
    (folder / name).mkdir(parents=True, exist_ok=True)
    write_safetensors(folder / f"{name}.cases.safetensors", tensors)
    config = config_of(voice, name)
    weights = {key: value.clone() for key, value in model.state_dict().items()
               if not key.startswith("duration_predictor.post_")}
    if name != "interpolate-3":  # whose config is in the checkpoint alone
        (folder / name / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    torch.save({"config": config, "model": weights, "step": 1, "epoch": 0}, folder / name / "model_file.pth")
    if voice.speakers:
        torch.save({f"speaker {i}": i for i in range(voice.speakers)}, folder / name / "speakers.pth")
    if voice.languages:
        ids = {f"l{i}": i for i in range(voice.languages)}
        (folder / name / "language_ids.json").write_text(json.dumps(ids) + "\n")


def record_vectors(folder):
    """Vectors of two speakers, as lists, tensors and numpy's arrays."""
    torch.save({
        "b/0.wav": {"name": "ben", "embedding": [3.0, 0.0, 4]},
        "a/0.wav": {"name": "ann", "embedding": torch.tensor([0.0, 2.0, 0.0])},
        "b/1.wav": {"name": "ben", "embedding": torch.tensor([[3.0, 0.0, 0.0]]).numpy()},
    }, folder / "d_vectors.pth")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tts", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    vits = import_vits(options.tts)
    if not options.names:
        record_vectors(options.folder)
    for name in options.names or VOICES:
        record(vits, name, VOICES[name], options.folder)


if __name__ == "__main__":
    main()
