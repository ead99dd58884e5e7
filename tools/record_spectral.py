#!/usr/bin/env python3
"""Records modules that compute on spectra, in the manner of vocos, DeepFilterNet, MB-iSTFT-VITS, zipformer and Kaldi's
features, and what PyTorch computes with them.

    record_spectral.py FOLDER      write FOLDER/NAME.ts113.pt and NAME.cases.safetensors, and name them in manifest.json

FOLDER is tests/data/programs; recorded with torch 1.13. Where FOLDER has a NAME.v214.pt2, which torch.export of torch 2.14
made of the same module, that is named, too.
"""

import json
import math
import pathlib
import struct
import sys

import manifest
import torch
from torch import Tensor, nn
from torch.nn import functional as F


class ISTFT(nn.Module):
    """vocos: overlaps frames by fold(), and divides by what the windows add up to."""

    def __init__(self, n_fft: int, hop_length: int, win_length: int, padding: str):
        super().__init__()
        self.padding = padding
        self.n_fft = n_fft
        self.hop_length = hop_length
        self.win_length = win_length
        self.register_buffer("window", torch.hann_window(win_length))

    def forward(self, spec: Tensor) -> Tensor:
        if self.padding == "center":
            return torch.istft(spec, self.n_fft, self.hop_length, self.win_length, self.window, center=True)
        pad = (self.win_length - self.hop_length) // 2
        assert spec.dim() == 3, "Expected a 3D tensor as input"
        B, N, T = spec.shape
        ifft = torch.fft.irfft(spec, self.n_fft, dim=1, norm="backward")
        ifft = ifft * self.window[None, :, None]
        output_size = (T - 1) * self.hop_length + self.win_length
        y = F.fold(ifft, output_size=(1, output_size), kernel_size=(1, self.win_length),
                   stride=(1, self.hop_length))[:, 0, 0, pad:-pad]
        window_sq = self.window.square().expand(1, T, -1).transpose(1, 2)
        window_envelope = F.fold(window_sq, output_size=(1, output_size), kernel_size=(1, self.win_length),
                                 stride=(1, self.hop_length)).squeeze()[pad:-pad]
        assert bool((window_envelope > 1e-11).all())
        return y / window_envelope


class ISTFTHead(nn.Module):
    """vocos: a magnitude and a phase for each bin, back to samples."""

    def __init__(self, dim: int, n_fft: int, hop_length: int, padding: str):
        super().__init__()
        self.out = nn.Linear(dim, n_fft + 2)
        self.istft = ISTFT(n_fft, hop_length, n_fft, padding)

    def forward(self, x: Tensor) -> Tensor:
        x = self.out(x).transpose(1, 2)
        mag, p = x.chunk(2, dim=1)
        mag = torch.clip(torch.exp(mag), max=1e2)
        S = mag * (torch.cos(p) + 1j * torch.sin(p))
        return self.istft(S)


class MelFeatures(nn.Module):
    """vocos: a mel spectrogram of a signal that is padded by hand, without centered frames."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(12))
        self.register_buffer("mel", torch.rand(9, 5))

    def forward(self, audio: Tensor) -> Tensor:
        audio = F.pad(audio.unsqueeze(1), (6, 6), mode="reflect").squeeze(1)
        spec = torch.stft(audio, 16, 4, 12, self.window, center=False, normalized=True, onesided=True, return_complex=True)
        mel = torch.matmul(spec.abs().transpose(-1, -2), self.mel).transpose(-1, -2)
        return torch.log(torch.clip(mel, min=1e-7))


class DeepFilter(nn.Module):
    """DeepFilterNet: features of ERB bands, a mask for these, and a complex filter over frames for the lower bins."""

    def __init__(self, frame_size: int, lookahead: int, num_freqs: int):
        super().__init__()
        self.frame_size = frame_size
        self.num_freqs = num_freqs
        self.pad = nn.ConstantPad2d((0, 0, frame_size - 1 - lookahead, lookahead), 0.0)
        self.register_buffer("window", torch.hann_window(16) ** 0.5)
        self.register_buffer("erb_fb", torch.rand(9, 4))
        self.register_buffer("erb_inv", torch.rand(4, 9))
        self.gains = nn.GRU(4, 4, batch_first=True)
        self.coefs = nn.Linear(4, frame_size * num_freqs * 2)

    def forward(self, audio: Tensor) -> Tensor:
        spec = torch.stft(audio, 16, 8, 16, self.window, center=True, normalized=True, return_complex=True)
        spec = spec.transpose(1, 2).unsqueeze(1)  # [b, 1, t, f]
        power = torch.view_as_real(spec).pow(2).sum(-1)
        erb = 10.0 * torch.log10(torch.matmul(power, self.erb_fb) + 1e-10)
        h, _ = self.gains(erb.squeeze(1))
        mask = torch.matmul(torch.sigmoid(h), self.erb_inv).unsqueeze(1)
        masked = spec * mask
        b, t = h.size(0), h.size(1)
        coefs = self.coefs(h).view(b, t, self.frame_size, self.num_freqs, 2).permute(0, 2, 1, 3, 4)
        coefs = torch.view_as_complex(coefs.contiguous()).unsqueeze(1)  # [b, 1, n, t, f']
        unfolded = self.pad(spec).unfold(2, self.frame_size, 1).narrow(-2, 0, self.num_freqs)
        filtered = torch.einsum("...tfn,...ntf->...tf", unfolded, coefs)
        out = torch.cat([filtered, masked[..., self.num_freqs:]], -1).squeeze(1).transpose(1, 2)
        return torch.istft(out, 16, 8, 16, self.window, center=True, normalized=True, length=audio.size(-1))


class MultiBand(nn.Module):
    """MB-iSTFT-VITS: an inverse transform for each band, and a PQMF filter bank that joins them."""

    def __init__(self, subbands: int = 4, n_fft: int = 16, hop: int = 4, taps: int = 14):
        super().__init__()
        self.subbands = subbands
        self.n_fft = n_fft
        self.hop = hop
        self.conv = nn.Conv1d(3, subbands * (n_fft + 2), 3, padding=1)
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("synthesis_filter", torch.randn(1, subbands, taps + 1))
        updown = torch.zeros(subbands, subbands, subbands)
        for k in range(subbands):
            updown[k, k, 0] = 1.0
        self.register_buffer("updown_filter", updown)
        self.pad_fn = nn.ConstantPad1d(taps // 2, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        x = torch.reshape(x, (x.shape[0], self.subbands, x.shape[1] // self.subbands, x.shape[-1]))
        spec = torch.exp(x[:, :, : self.n_fft // 2 + 1, :])
        phase = math.pi * torch.sin(x[:, :, self.n_fft // 2 + 1:, :])
        bands = spec.shape[0] * self.subbands
        spec = torch.reshape(spec, (bands, self.n_fft // 2 + 1, spec.shape[-1]))
        phase = torch.reshape(phase, (bands, self.n_fft // 2 + 1, phase.shape[-1]))
        y = torch.istft(spec * torch.exp(phase * 1j), self.n_fft, self.hop, self.n_fft, self.window)
        y = torch.reshape(y.unsqueeze(-2), (x.shape[0], self.subbands, 1, y.shape[-1])).squeeze(-2)
        y = F.conv_transpose1d(y, self.updown_filter * self.subbands, stride=self.subbands)
        return F.conv1d(self.pad_fn(y), self.synthesis_filter)


class RelPosition(nn.Module):
    """zipformer: the relative shift of attention scores, by strides."""

    def __init__(self):
        super().__init__()
        self.linear_pos = nn.Linear(6, 8, bias=False)

    def rel_to_abs(self, x: Tensor) -> Tensor:
        (batch_size, num_heads, time1, n) = x.shape
        assert n == 2 * time1 - 1
        batch_stride = x.stride(0)
        head_stride = x.stride(1)
        time1_stride = x.stride(2)
        n_stride = x.stride(3)
        return x.as_strided((batch_size, num_heads, time1, time1),
                            (batch_stride, head_stride, time1_stride - n_stride, n_stride),
                            storage_offset=n_stride * (time1 - 1))

    def forward(self, q: Tensor, pos_emb: Tensor) -> Tensor:
        b, t = q.size(0), q.size(1)
        q = q.reshape(b, t, 2, 4).permute(0, 2, 1, 3)
        p = self.linear_pos(pos_emb).reshape(1, 2 * t - 1, 2, 4).permute(0, 2, 3, 1)
        return torch.softmax(self.rel_to_abs(torch.matmul(q, p)), -1)


class Fbank(nn.Module):
    """Kaldi, as torchaudio has it: frames by strides, a power spectrum, mel bands."""

    def __init__(self):
        super().__init__()
        self.window_shift = 5
        self.window_size = 13
        self.register_buffer("window", torch.hamming_window(13, periodic=False))
        self.register_buffer("mel", torch.rand(9, 6))

    def forward(self, waveform: Tensor) -> Tensor:
        wave = waveform[0]
        m = 1 + (wave.size(0) - self.window_size) // self.window_shift
        frames = wave.as_strided((m, self.window_size), (self.window_shift * wave.stride(0), wave.stride(0)))
        frames = frames - frames.mean(1, keepdim=True)
        offset = F.pad(frames.unsqueeze(0), (1, 0), mode="replicate").squeeze(0)
        frames = (frames - 0.97 * offset[:, :-1]) * self.window
        power = torch.fft.rfft(F.pad(frames, (0, 3))).abs().pow(2.0)
        return torch.mm(power, self.mel).clamp_min(1e-6).log()


class GriffinLim(nn.Module):
    """A phase that is found by going back and forth."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, mag: Tensor) -> Tensor:
        mag = mag.abs()
        angles = torch.full(mag.size(), 1, dtype=torch.complex64)
        for _ in range(3):
            inverse = torch.istft(mag * angles, 16, 4, 16, self.window)
            rebuilt = torch.stft(inverse, 16, 4, 16, self.window, return_complex=True)
            angles = rebuilt.div(rebuilt.abs().add(1e-16))
        return torch.istft(mag * angles, 16, 4, 16, self.window)


class ComplexScalars(nn.Module):
    """Complex numbers, written out, meet real and complex tensors."""

    def forward(self, x: Tensor) -> Tensor:
        a = torch.exp(x * (0.5 - 2j)) + (2 - 1.5j)
        b = (1j - a) / (1 + 2j) - x
        return torch.view_as_real(b * -1j)


class UnfoldBySize(nn.Module):
    """Windows as long as another axis is."""

    def forward(self, x: Tensor) -> Tensor:
        n = x.size(0)
        return x.reshape(1, -1).unfold(1, n, n).transpose(0, 2)


class Rotation(nn.Module):
    """The bins of a signal, turned by the signal."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.fft.irfft(torch.fft.rfft(x) * torch.exp(1j * x[:, :3]), n=4)


TRACED = ["vocos_same", "deep_filter", "multi_band", "fbank"]


def models():
    """Name, module, inputs by name: their axes, a letter for a dynamic one. Then the sizes of the cases."""
    frames = [dict(b=1, t=2), dict(b=2, t=5), dict(b=3, t=12)]
    samples = [dict(b=1, t=33), dict(b=2, t=64), dict(b=3, t=47)]
    yield "vocos_same", ISTFTHead(5, 16, 4, "same"), dict(x=["b", "t", 5]), frames
    yield "vocos_center", ISTFTHead(5, 16, 4, "center"), dict(x=["b", "t", 5]), frames
    yield "mel_features", MelFeatures(), dict(audio=["b", "t"]), samples
    yield "deep_filter", DeepFilter(3, 1, 4), dict(audio=["b", "t"]), samples
    yield "multi_band", MultiBand(), dict(x=["b", 3, "t"]), frames
    yield "rel_position", RelPosition(), dict(q=["b", "t", 8], pos_emb=[1, "2*t - 1", 6]), frames
    yield "fbank", Fbank(), dict(waveform=["b", "t"]), samples
    yield "griffin_lim", GriffinLim(), dict(mag=["b", 9, "t"]), [dict(b=1, t=6), dict(b=2, t=9), dict(b=3, t=14)]
    yield "complex_scalars", ComplexScalars(), dict(x=["b", 3]), frames
    yield "complex_rotation", Rotation(), dict(x=["b", 5]), frames
    yield "unfold_by_size", UnfoldBySize(), dict(x=["b", 5]), frames


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = tensor.contiguous().numpy().tobytes()
        header[name] = dict(dtype="F32", shape=list(tensor.shape), data_offsets=[len(data), len(data) + len(part)])
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def shape_of(axes, sizes):
    return [eval(axis, {}, sizes) if isinstance(axis, str) else axis for axis in axes]


def record(folder, name, kind, module, inputs, cases):
    example = [torch.randn(shape_of(axes, cases[1])) for axes in inputs.values()]
    saved = torch.jit.script(module) if kind == "script" else torch.jit.trace(module, example, check_trace=False)
    saved.save(str(folder / f"{name}.ts113.pt"))
    tensors = {}
    for i, sizes in enumerate(cases):
        given = {key: torch.randn(shape_of(axes, sizes)) for key, axes in inputs.items()}
        with torch.no_grad():
            y = module(*given.values())
        tensors.update({f"case{i}/in/{key}": value for key, value in given.items()})
        tensors[f"case{i}/out/y"] = y
    write_safetensors(folder / f"{name}.cases.safetensors", tensors)
    described = [dict(name=key, dtype="float32", rank=len(axes), example=shape_of(axes, cases[1]),
                      axes={str(i): axis for i, axis in enumerate(axes) if isinstance(axis, str)})
                 for key, axes in inputs.items()]
    files = dict(ts_torch113=f"{name}.ts113.pt")
    if (folder / f"{name}.v214.pt2").exists():
        files["pt2_torch214"] = f"{name}.v214.pt2"
    return dict(name=name, torchscript_kind=kind, note=module.__doc__,
                files=dict(files, cases=f"{name}.cases.safetensors"),
                valid_cases={file: list(range(len(cases))) for file in files}, inputs=described,
                outputs=[dict(name="y", dtype="float32", rank=y.dim(), example=list(y.shape), axes={})], rtol=1e-4)


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(1)
    recorded = []
    for name, module, inputs, cases in models():
        recorded.append(record(folder, name, "script", module.eval(), inputs, cases))
        if name in TRACED:
            recorded.append(record(folder, f"{name}_traced", "trace", module, inputs, cases))
    manifest.update(folder, recorded)


main()
