#!/usr/bin/env python3
"""Records tiny FastSpeech2 and HiFi-GAN checkpoints in sizes that trained ones rarely have, and what PyTorch says.

    record_fastspeech2.py FASTSPEECH2 HIFIGAN FOLDER [NAME ...]     write those below (or those named) into FOLDER

FASTSPEECH2 is a checkout of github.com/ming024/FastSpeech2 (recorded with d4e79eb), HIFIGAN one of
github.com/jik876/hifi-gan (with 4769534), under torch 1.13 on Debian bookworm. Their own modules are run; what those
import for training alone (matplotlib, scipy, the cleaners of text) is replaced by nothing.

A FastSpeech2 is NAME.pth.tar, NAME.model.yaml, NAME.preprocess.yaml and NAME.cases.safetensors: tensors
`<case>/in/<input>` and `<case>/out/<output>`. `durations` are what the reference calls d_rounded, before it cuts them
to whole frames.

    c0 c1            one row of 1 and 6 tokens
    c2               one row whose frames are more than max_seq_len
    c3               one row of more tokens than max_seq_len
    c4               three rows of different lengths
    c5               three rows, one of them of length 0, in an axis that is longer than any
    c6               pitch and energy have controls that differ, which the reference does not heed
    own              the same with energy's own control, by putting right that one word of the reference

A HiFi-GAN is NAME.pth, NAME.config.json and NAME.cases.safetensors, with c0 to c3 of 1, 2, 9 and (two rows) 30 frames.

Of the trained pair in voices/ only cases are written, of one row each:

    c0 c1            the sentences of TRAINED: plain, with the audio that the generator makes of the mel; and higher
    c2               the first sentence with a control of durations of 0.8

Weights are random but sane: a token takes up to 12 frames; no duration is within MARGIN of a rounding edge, and
neither pitch nor energy within MARGIN of the bound of a bin.
"""

import argparse
import contextlib
import dataclasses
import importlib
import json
import pathlib
import sys
import tempfile
import types

import torch
import yaml

from record_voices import write_safetensors

MARGIN = 2e-3


@dataclasses.dataclass
class Acoustic:
    seed: int
    symbols: int = 20
    hidden: int = 12
    heads: tuple = (2, 2)                # of the encoder, of the decoder
    layers: tuple = (1, 1)
    filter_size: int = 16
    kernels: tuple = (9, 1)
    predictor: int = 8                   # filter_size
    levels: tuple = ("phoneme_level", "phoneme_level")       # of pitch, of energy
    quantization: tuple = ("linear", "linear")
    bins: int = 8
    speakers: int = 0
    max_seq_len: int = 30
    mel: int = 20
    postnet: tuple = (10, 5, 5)          # channels, kernel, convolutions
    dtype: torch.dtype = torch.float32   # of the file
    prefix: str = ""                     # of the names of tensors


ACOUSTIC = {
    "fastspeech2-log-mixed": Acoustic(1, heads=(3, 2), layers=(1, 3), kernels=(5, 3), quantization=("log", "linear"),
                                      levels=("phoneme_level", "frame_level"), postnet=(6, 3, 3)),
    "fastspeech2-module": Acoustic(2, hidden=16, heads=(1, 4), layers=(3, 1), kernels=(3, 1), speakers=4, bins=16,
                                   quantization=("linear", "log"), levels=("frame_level", "phoneme_level"),
                                   max_seq_len=50, prefix="module."),
    # In half precision the table is not the one that is computed beyond its end.
    "fastspeech2-half": Acoustic(3, hidden=8, mel=10, predictor=12, kernels=(1, 1), dtype=torch.float16, postnet=(4, 5, 2)),
}


@dataclasses.dataclass
class Generator:
    seed: int
    mel: int
    channels: int
    resblock: str
    rates: tuple
    kernels: tuple
    block_kernels: tuple
    dilations: tuple
    norm: str = "weight_g"               # or "folded"


GENERATORS = {
    "hifigan-resblock2": Generator(4, 20, 16, "2", (5, 3), (11, 7), (3, 5), ((1, 2), (2, 6))),
    "hifigan-odd": Generator(5, 10, 16, "1", (4, 3, 2), (7, 3, 6), (3,), ((1, 3, 5),), norm="folded"),
}


@dataclasses.dataclass
class Trained:
    generator: str
    sentences: tuple                     # in the symbols of NAME.phonemes.json


TRAINED = {
    "fastspeech2-slt": Trained("hifigan-slt", ("həlˈoʊ wˈɜːld, ðɪs ɪz ɐ tˈɛst.", "ʃiː sˈɛlz sˈiː ʃˈɛlz baɪ ðə sˈiː ʃˈoːɹ.")),
}


# The references ------------------------------------------------------------------------------------


def import_fastspeech2(folder, symbols):
    """The reference's modules, for an alphabet of so many symbols."""
    for name in list(sys.modules):
        if name.split(".")[0] in ("model", "transformer", "utils", "text"):
            del sys.modules[name]
    for name in ("matplotlib", "matplotlib.pyplot", "scipy", "scipy.io", "scipy.io.wavfile"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["matplotlib"].use = lambda _: None
    sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
    sys.modules["scipy.io"].wavfile = sys.modules["scipy.io.wavfile"]
    text = types.ModuleType("text")
    text.__path__ = []
    sys.modules["text"] = text
    sys.modules["text.symbols"] = types.ModuleType("text.symbols")
    sys.modules["text.symbols"].symbols = list(range(symbols - 1))
    sys.path.insert(0, str(folder))
    try:
        model = importlib.import_module("model.fastspeech2")
        postnet = importlib.import_module("transformer").PostNet
    finally:
        sys.path.pop(0)
    return model.FastSpeech2, postnet, importlib.import_module("model.modules")


def import_hifigan(folder):
    utils = types.ModuleType("utils")
    utils.init_weights = lambda module, mean=0.0, std=0.01: None
    utils.get_padding = lambda kernel, dilation=1: int((kernel * dilation - dilation) / 2)
    sys.modules["utils"] = utils
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("models").Generator
    finally:
        sys.path.pop(0)


# FastSpeech2 ---------------------------------------------------------------------------------------


def configs_of(voice):
    model = {
        "transformer": {
            "encoder_layer": voice.layers[0], "encoder_head": voice.heads[0], "encoder_hidden": voice.hidden,
            "decoder_layer": voice.layers[1], "decoder_head": voice.heads[1], "decoder_hidden": voice.hidden,
            "conv_filter_size": voice.filter_size, "conv_kernel_size": list(voice.kernels),
            "encoder_dropout": 0.2, "decoder_dropout": 0.2,
        },
        "variance_predictor": {"filter_size": voice.predictor, "kernel_size": 3, "dropout": 0.5},
        "variance_embedding": {"pitch_quantization": voice.quantization[0],
                               "energy_quantization": voice.quantization[1], "n_bins": voice.bins},
        "multi_speaker": voice.speakers > 0,
        "max_seq_len": voice.max_seq_len,
    }
    preprocess = {
        "preprocessing": {
            "audio": {"sampling_rate": 22050}, "stft": {"hop_length": 15}, "mel": {"n_mel_channels": voice.mel},
            "pitch": {"feature": voice.levels[0]}, "energy": {"feature": voice.levels[1]},
        }
    }
    return model, preprocess


def yaml_of(config, indent=""):
    lines = ""
    for key, value in config.items():
        if isinstance(value, dict):
            lines += f"{indent}{key}:\n{yaml_of(value, indent + '  ')}"
        else:
            lines += f"{indent}{key}: {json.dumps(value) if isinstance(value, (list, str)) else value}\n"
    return lines


def build(voice, reference):
    make, postnet, _ = reference
    model_config, preprocess_config = configs_of(voice)
    with tempfile.TemporaryDirectory() as folder:
        preprocess_config["path"] = {"preprocessed_path": folder}
        bounds = lambda quantization: [0.2, 3.0] if quantization == "log" else [-2.0, 3.0]
        stats = {"pitch": bounds(voice.quantization[0]), "energy": bounds(voice.quantization[1])}
        pathlib.Path(folder, "stats.json").write_text(json.dumps(stats))
        pathlib.Path(folder, "speakers.json").write_text(json.dumps({str(i): i for i in range(voice.speakers)}))
        model = make(preprocess_config, model_config)
    model.postnet = postnet(voice.mel, *voice.postnet)
    return model.eval()


@torch.no_grad()
def draw(model, random):
    """Weights that keep values near 1, and norms that are not the identity."""
    fixed = ("position_enc", "bins", "num_batches_tracked")
    for name, tensor in model.state_dict().items():
        if name.endswith(fixed):
            continue
        noise = torch.randn(tensor.shape, generator=random)
        if "running_var" in name or ("norm" in name or ".1." in name) and name.endswith("weight"):
            tensor.copy_(1 + 0.2 * noise.clamp(-3, 3))
        elif tensor.dim() == 1:
            tensor.copy_(0.2 * noise)
        else:
            tensor.copy_(noise / (tensor[0].numel() ** 0.5 if "emb" not in name else 1.5))
    model.variance_adaptor.duration_predictor.linear_layer.weight.mul_(0.5)
    model.variance_adaptor.duration_predictor.linear_layer.bias.fill_(1.3)
    for predictor in (model.variance_adaptor.pitch_predictor, model.variance_adaptor.energy_predictor):
        predictor.linear_layer.bias.fill_(1.0)


@contextlib.contextmanager
def own_energy_control(modules, control):
    """Within, energy heeds its own control: the reference hands it that of pitch."""
    original = modules.VarianceAdaptor.get_energy_embedding
    modules.VarianceAdaptor.get_energy_embedding = lambda self, x, target, mask, _: original(self, x, target, mask, control)
    try:
        yield
    finally:
        modules.VarianceAdaptor.get_energy_embedding = original


def edges(model, log_durations, pitch, energy):
    """How near anything is to where it would be taken for something else."""
    frames = torch.exp(log_durations) - 1
    nearest = [(frames - frames.floor() - 0.5).abs().min()]
    for values, bins in ((pitch, model.variance_adaptor.pitch_bins), (energy, model.variance_adaptor.energy_bins)):
        nearest.append((values[values != 0].unsqueeze(-1) - bins).abs().min() if (values != 0).any() else torch.tensor(1.0))
    return min(float(value) for value in nearest)


def record_case(model, voice, random, lengths, controls, width=0):
    width = max(width, max(lengths))
    while True:
        tokens = torch.randint(1, voice.symbols, (len(lengths), width), generator=random)
        for row, length in enumerate(lengths):
            tokens[row, length:] = 0
        speakers = torch.randint(0, max(1, voice.speakers), (len(lengths),), generator=random)
        sizes = torch.tensor(lengths)
        with torch.no_grad():
            _, mel, pitch, energy, log_durations, durations, *_, mel_lengths = model(
                speakers, tokens, sizes, width, p_control=controls[0], e_control=controls[1], d_control=controls[2])
        if edges(model, log_durations, pitch, energy) < MARGIN or mel_lengths.max() == 0:
            continue
        assert mel.isfinite().all() and durations.max() < 60, durations.max()
        case = {"in/input_tokens": tokens, "in/input_lengths": sizes, "in/controls": torch.tensor(controls),
                "out/output_mel": mel, "out/output_lengths": mel_lengths, "out/durations": durations}
        if voice.speakers:
            case["in/speaker"] = speakers
        return case


def record_acoustic(name, voice, source, folder):
    random = torch.Generator().manual_seed(voice.seed)
    reference = import_fastspeech2(source, voice.symbols)
    model = build(voice, reference)
    draw(model, random)
    weights = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    if voice.dtype != torch.float32:
        weights = {key: tensor.to(voice.dtype) if tensor.is_floating_point() else tensor for key, tensor in weights.items()}
        model.load_state_dict(weights)
    longest = voice.max_seq_len
    plain = [1.0, 1.0, 1.0]
    cases = {
        "c0": record_case(model, voice, random, [1], plain),
        "c1": record_case(model, voice, random, [6], [1.2, 1.2, 1.0]),
        "c2": record_case(model, voice, random, [longest - 3], [0.9, 0.9, 1.5]),
        "c3": record_case(model, voice, random, [longest + 5], plain),
        "c4": record_case(model, voice, random, [7, 2, 4], [1.0, 1.0, 0.8]),
        "c5": record_case(model, voice, random, [3, 0, 5], plain, width=8),
        "c6": record_case(model, voice, random, [5], [1.3, 0.4, 1.0]),
    }
    with own_energy_control(reference[2], 0.4):
        cases["own"] = record_case(model, voice, random, [5], [1.3, 0.4, 1.0])
    torch.save({"model": {voice.prefix + key: tensor for key, tensor in weights.items()}, "optimizer": {"state": {}}},
               folder / f"{name}.pth.tar")
    model_config, preprocess_config = configs_of(voice)
    (folder / f"{name}.model.yaml").write_text(yaml_of(model_config))
    (folder / f"{name}.preprocess.yaml").write_text(yaml_of(preprocess_config))
    return {f"{case}/{key}": tensor for case, tensors in cases.items() for key, tensor in tensors.items()}


# The trained pair ----------------------------------------------------------------------------------

VOICES = pathlib.Path(__file__).resolve().parent.parent / "voices"


def load_trained(name, source):
    """The reference's own model with the checkpoint's weights, every one of which it must know."""
    model_config, preprocess_config = (yaml.safe_load((VOICES / f"{name}.{part}.yaml").read_text())
                                       for part in ("model", "preprocess"))
    weights = torch.load(VOICES / f"{name}.pth.tar")["model"]
    make, postnet, _ = import_fastspeech2(source, len(weights["encoder.src_word_emb.weight"]))
    with tempfile.TemporaryDirectory() as folder:
        preprocess_config["path"] = {"preprocessed_path": folder}
        pathlib.Path(folder, "stats.json").write_text(json.dumps({"pitch": [0.0, 1.0], "energy": [0.0, 1.0]}))
        model = make(preprocess_config, model_config)
    layers = [weights[key] for key in weights if key.startswith("postnet.") and key.endswith(".0.conv.weight")]
    model.postnet = postnet(layers[-1].shape[0], layers[0].shape[0], layers[0].shape[2], len(layers))
    model.load_state_dict(weights)
    return model.eval()


def load_generator(name, source):
    config = json.loads((VOICES / f"{name}.config.json").read_text())
    model = import_hifigan(source)(types.SimpleNamespace(**config)).eval()
    model.load_state_dict(torch.load(VOICES / f"{name}.pth")["generator"])
    return model


def ids_of(table, phonemes):
    """Piper's way: a pad between any two symbols, and a frame."""
    ids = [*table["^"], *table["_"]]
    for symbol in phonemes:
        ids += [*table[symbol], *table["_"]]
    return ids + table["$"]


@torch.no_grad()
def record_trained(name, voice, sources, _):
    model = load_trained(name, sources[0])
    generator = load_generator(voice.generator, sources[1])
    table = json.loads((VOICES / f"{name}.phonemes.json").read_text())["phoneme_id_map"]
    rows = [ids_of(table, sentence) for sentence in voice.sentences]
    tensors = {}
    for case, row, controls in (("c0", 0, [1.0, 1.0, 1.0]), ("c1", 1, [1.15, 1.15, 1.0]), ("c2", 0, [1.0, 1.0, 0.8])):
        tokens, sizes = torch.tensor([rows[row]]), torch.tensor([len(rows[row])])
        _, mel, pitch, energy, log_durations, durations, *_, lengths = model(
            torch.zeros(1, dtype=torch.int64), tokens, sizes, len(rows[row]), p_control=controls[0],
            e_control=controls[1], d_control=controls[2])
        print(f"{name} {case}: {edges(model, log_durations, pitch, energy):.1e} from an edge")
        tensors.update({f"{case}/in/input_tokens": tokens, f"{case}/in/input_lengths": sizes,
                        f"{case}/in/controls": torch.tensor(controls), f"{case}/out/output_mel": mel,
                        f"{case}/out/output_lengths": lengths, f"{case}/out/durations": durations})
    tensors["c0/out/audio"] = generator(tensors["c0/out/output_mel"].transpose(1, 2))
    return tensors


# HiFi-GAN ------------------------------------------------------------------------------------------


def record_generator(name, voice, source, folder):
    random = torch.Generator().manual_seed(voice.seed)
    config = {
        "resblock": voice.resblock, "upsample_rates": voice.rates, "upsample_kernel_sizes": voice.kernels,
        "upsample_initial_channel": voice.channels, "resblock_kernel_sizes": voice.block_kernels,
        "resblock_dilation_sizes": voice.dilations, "num_mels": voice.mel,
        "hop_size": int(torch.tensor(voice.rates).prod()), "sampling_rate": 22050,
    }
    make = import_hifigan(source)
    with first_convolution_of(make, voice.mel):
        model = make(types.SimpleNamespace(**config)).eval()
    for key, tensor in model.state_dict().items():
        noise = torch.randn(tensor.shape, generator=random)
        if key.endswith("weight_g"):
            tensor.copy_(1 + 0.2 * noise.clamp(-3, 3))
        else:
            tensor.copy_(noise * (0.1 if key.endswith("bias") else 1))
    if voice.norm == "folded":
        model.remove_weight_norm()
    tensors = {}
    for case, (rows, frames) in {"c0": (1, 1), "c1": (1, 2), "c2": (1, 9), "c3": (2, 30)}.items():
        mel = torch.randn(rows, voice.mel, frames, generator=random)
        with torch.no_grad():
            audio = model(mel)
        tensors.update({f"{case}/in/mel": mel, f"{case}/out/audio": audio})
    print(f"{name}: rms {float(audio.pow(2).mean().sqrt()):.3f}, largest {float(audio.abs().max()):.3f}")
    torch.save({"generator": model.state_dict()}, folder / f"{name}.pth")
    (folder / f"{name}.config.json").write_text(json.dumps(config, indent=4) + "\n")
    return tensors


@contextlib.contextmanager
def first_convolution_of(make, mel):
    """Within, the reference's first convolution, which hears 80 bands, hears so many."""
    module = sys.modules[make.__module__]
    original = module.Conv1d
    module.Conv1d = lambda inputs, *args, **options: original(mel if inputs == 80 else inputs, *args, **options)
    try:
        yield
    finally:
        module.Conv1d = original


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fastspeech2", type=pathlib.Path)
    parser.add_argument("hifigan", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    both = (options.fastspeech2, options.hifigan)
    kinds = ((ACOUSTIC, record_acoustic, options.fastspeech2), (GENERATORS, record_generator, options.hifigan),
             (TRAINED, record_trained, both))
    for voices, record, source in kinds:
        for name, voice in voices.items():
            if options.names and name not in options.names:
                continue
            path = options.folder / f"{name}.cases.safetensors"
            write_safetensors(path, record(name, voice, source, options.folder))
            print(f"{name}: {path.stat().st_size} bytes of cases")


if __name__ == "__main__":
    main()
