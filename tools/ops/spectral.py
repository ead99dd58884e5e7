"""Fourier transforms, and complex tensors. Results are seen as real: view_as_real of them is recorded."""

import math

from record_ops import case, of, weight

HANN = [0.5 - 0.5 * math.cos(2 * math.pi * i / 8) for i in range(8)]
SIGNAL = [dict(b=1, t=12), dict(b=2, t=21)]
PAIR = dict(x="f32[b, 3, 2]", z="f32[b, 3, 2]")
ROWS = [dict(b=1), dict(b=4)]


def stft(name, arguments, runs=SIGNAL, x="f32[b, t]", lines="y = aten.view_as_real.default(s)", overload="center", **inputs):
    return case(f"stft_{name}", f"s = aten.stft.{overload}(x, 8, {arguments})\n{lines}", x=x, **inputs, runs=runs)


def istft(name, arguments, runs=(dict(b=1, t=3), dict(b=2, t=7)), bins=5, x="f32[b, {}, t, 2]", **inputs):
    return case(f"istft_{name}", f"""
        s = aten.view_as_complex.default(x)
        y = aten.istft.default(s, 8, {arguments})""", x=x.format(bins), **inputs, runs=runs, tolerance=1e-4)


def fft(name, op, arguments="", x="f32[b, 8]", of_complex=False, to_complex=True, runs=ROWS):
    lines = f"c = aten.view_as_complex.default(x)\ns = aten.{op}(c{arguments})" if of_complex else f"s = aten.{op}(x{arguments})"
    seen = "r = aten.resolve_conj.default(s)\ny = aten.view_as_real.default(r)"
    return case(name, f"{lines}\n{seen}" if to_complex else lines, x=x, runs=runs)


def on_pairs(name, line, runs=ROWS, to_complex=True, **inputs):
    lines = f"a = aten.view_as_complex.default(x)\nb_ = aten.view_as_complex.default(z)\ns = {line}"
    return case(name, f"{lines}\ny = aten.view_as_real.default(s)" if to_complex else lines, **{**PAIR, **inputs}, runs=runs)


WINDOW = dict(w=weight("f32[8]", values=HANN))

CASES = [
    stft("centered", "4, 8, w, True, 'reflect', False, True, True", **WINDOW),
    stft("as_pairs", "4, 8, w, True, 'reflect', False, True, False", lines="return s", **WINDOW),
    stft("constant_pad", "3, 8, w, True, 'constant', False, True, True", **WINDOW),
    stft("replicate_pad", "3, 8, w, True, 'replicate', False, True, True", **WINDOW),
    stft("not_centered", "4, 8, w, False, 'reflect', True, False, True", **WINDOW),
    stft("defaults", "return_complex=True"),
    stft("short_window", "4, 5, w, True, 'reflect', False, True, True", w=weight("f32[5]")),
    stft("short_window_of_ones", "4, 5, None, True, 'reflect', False, True, True"),
    stft("given_window", "4, 8, w, True, 'reflect', False, True, True", w="f32[8]"),
    stft("of_one_signal", "4, 8, w, True, 'reflect', True, True, True", x="f32[t]", runs=[dict(t=12), dict(t=21)], **WINDOW),
    stft("f64", "4, 8, w, True, 'reflect', True, True, True", x="f64[b, t]", w=weight("f64[8]", values=HANN)),
    stft("without_center", "4, 8, w, False, True, True", overload="default", **WINDOW),
    case("spectrogram", """
         s = aten.stft.center(x, 8, 2, 8, w, True, 'reflect', False, True, True)
         a = aten.abs.default(s)
         y = aten.mul.Tensor(a, a)""", x="f32[b, t]", **WINDOW, runs=SIGNAL),
    istft("centered", "4, 8, w", **WINDOW),
    istft("of_overlaps", "2, 8, w, True, False, True", **WINDOW),
    istft("normalized", "4, 8, None, True, True"),
    istft("not_centered", "4, 8, w, False", w=weight("f32[8]", low=0.5, high=1.0)),
    istft("length", "4, 8, w, True, False, None, 9", runs=[dict(b=3, t=4)], **WINDOW),
    istft("longer_length", "4, 8, None, True, False, None, 30", runs=[dict(b=3, t=4)]),
    istft("free_length", "4, 8, w, True, False, None, n", runs=[dict(b=2, t=4, n=7), dict(b=1, t=5, n=15)], n="int", **WINDOW),
    istft("two_sided", "4, 8, w, True, False, False", bins=8, **WINDOW),
    istft("short_window", "2, 6, w", w=weight("f32[6]", low=0.5, high=1.0)),
    istft("of_one_signal", "4, 8, w", x="f32[{}, t, 2]", runs=[dict(t=4)], **WINDOW),
    istft("given_window", "2, 8, w", w=of("f32[8]", low=0.5, high=1.0)),
    case("stft_and_back", """
         s = aten.stft.center(x, 8, 2, 8, w, True, 'reflect', False, True, True)
         m = aten.abs.default(s)
         p = aten.angle.default(s)
         c = aten.polar.default(m, p)
         y = aten.istft.default(c, 8, 2, 8, w, True, False, True, 20)""", x="f32[b, 20]", **WINDOW, runs=ROWS, tolerance=1e-4),
    fft("rfft", "fft_rfft.default"),
    fft("rfft_odd", "fft_rfft.default", x="f32[b, 7]"),
    fft("rfft_cut_and_ortho", "fft_rfft.default", ", 5, -1, 'ortho'"),
    fft("rfft_filled", "fft_rfft.default", ", 12, -1, 'forward'"),
    fft("rfft_of_first_axis", "fft_rfft.default", ", None, 0", x="f32[6, b, 2]"),
    fft("rfft_f64", "fft_rfft.default", x="f64[b, 6]"),
    fft("fft_of_real", "fft_fft.default"),
    fft("fft_of_complex", "fft_fft.default", x="f32[b, 6, 2]", of_complex=True),
    fft("fft_of_middle_axis", "fft_fft.default", ", None, 1, 'ortho'", x="f32[b, 5, 3, 2]", of_complex=True),
    fft("ifft_of_complex", "fft_ifft.default", x="f32[b, 6, 2]", of_complex=True),
    fft("ifft_filled", "fft_ifft.default", ", 9, -2", x="f32[b, 6, 2, 2]", of_complex=True),
    fft("irfft", "fft_irfft.default", x="f32[b, 5, 2]", of_complex=True, to_complex=False),
    fft("irfft_odd", "fft_irfft.default", ", 7", x="f32[b, 4, 2]", of_complex=True, to_complex=False),
    fft("irfft_cut", "fft_irfft.default", ", 6, 0, 'ortho'", x="f32[7, b, 2]", of_complex=True, to_complex=False),
    fft("r2c", "_fft_r2c.default", ", [1], 0, True"),
    fft("r2c_two_sided", "_fft_r2c.default", ", [0], 1, False", x="f32[6, b]"),
    fft("c2c", "_fft_c2c.default", ", [1], 0, True", x="f32[b, 6, 2]", of_complex=True),
    fft("c2c_back", "_fft_c2c.default", ", [1], 2, False", x="f32[b, 6, 2]", of_complex=True),
    fft("c2r", "_fft_c2r.default", ", [1], 2, 8", x="f32[b, 5, 2]", of_complex=True, to_complex=False),
    fft("rfft_of_free_size", "fft_rfft.default", x="f32[2, b]", runs=[dict(b=1), dict(b=7), dict(b=8)]),
    fft("rfft_of_free_size_cut_or_filled", "fft_rfft.default", ", 5", x="f32[2, b]", runs=[dict(b=1), dict(b=5), dict(b=8)]),
    fft("fft_of_free_size", "fft_fft.default", ", None, 0, 'ortho'", x="f32[b, 3, 2]", of_complex=True, runs=[dict(b=1), dict(b=6)]),
    fft("ifft_of_free_size", "fft_ifft.default", ", None, 0", x="f32[b, 3, 2]", of_complex=True, runs=[dict(b=6), dict(b=7)]),
    fft("ifft_of_real_of_free_size", "fft_ifft.default", x="f32[2, b]", runs=[dict(b=6), dict(b=7)]),
    fft("irfft_of_free_size", "fft_irfft.default", x="f32[3, b, 2]", of_complex=True, to_complex=False, runs=[dict(b=2), dict(b=5)]),
    fft("fft2", "fft_fft2.default", x="f32[b, 4, 3]"),
    fft("fft2_sizes", "fft_fft2.default", ", [3, 5], [0, 2], 'ortho'", x="f32[4, b, 3]"),
    fft("fftn", "fft_fftn.default", x="f32[2, 4, b]"),
    fft("ifft2", "fft_ifft2.default", x="f32[b, 4, 3, 2]", of_complex=True),
    fft("rfft2", "fft_rfft2.default", x="f32[b, 4, 6]"),
    fft("rfftn", "fft_rfftn.default", ", None, [2, 1], 'forward'", x="f32[b, 4, 6]"),
    fft("irfft2", "fft_irfft2.default", x="f32[b, 4, 4, 2]", of_complex=True, to_complex=False),
    fft("irfftn", "fft_irfftn.default", ", [4, 5]", x="f32[b, 4, 4, 2]", of_complex=True, to_complex=False),
    fft("r2c_of_two_axes", "_fft_r2c.default", ", [1, 2], 0, True", x="f32[b, 4, 6]"),
    fft("c2r_of_two_axes", "_fft_c2r.default", ", [1, 2], 2, 6", x="f32[b, 4, 4, 2]", of_complex=True, to_complex=False),
    fft("fftshift", "fft_fftshift.default", x="f32[b, 5]", to_complex=False),
    fft("ifftshift_of_complex", "fft_ifftshift.default", ", [1]", x="f32[b, 5, 2]", of_complex=True),
    case("fourier_mixing", """
         a = aten.fft_fft.default(x, None, -1)
         s = aten.fft_fft.default(a, None, -2)
         y = aten.real.default(s)""", x="f32[b, t, 4]", runs=[dict(b=1, t=1), dict(b=2, t=5)]),
    on_pairs("complex_mul", "aten.mul.Tensor(a, b_)"),
    on_pairs("complex_mul_broadcasts", "aten.mul.Tensor(a, b_)", z="f32[3, 2]"),
    on_pairs("complex_mul_of_types", "aten.mul.Tensor(a, b_)", z="f64[3, 2]"),
    on_pairs("complex_div", "aten.div.Tensor(a, b_)"),
    on_pairs("complex_add", "aten.add.Tensor(a, b_, alpha=2)"),
    on_pairs("complex_sub", "aten.sub.Tensor(a, b_)"),
    on_pairs("complex_times_number", "aten.mul.Tensor(a, 2.5)"),
    on_pairs("complex_by_number", "aten.div.Tensor(a, 2)"),
    on_pairs("complex_abs", "aten.abs.default(a)", to_complex=False),
    on_pairs("complex_angle", "aten.angle.default(a)", to_complex=False, x=of("f32[b, 4, 2]", low=-1, high=1),
             z=of("f32[b, 3, 2]", low=-1, high=1)),
    on_pairs("complex_exp", "aten.exp.default(a)"),
    on_pairs("complex_real", "aten.real.default(a)", to_complex=False),
    on_pairs("complex_imag", "aten.imag.default(a)", to_complex=False),
    on_pairs("complex_neg", "aten.neg.default(a)"),
    on_pairs("complex_transpose", "aten.transpose.int(a, 0, -1)"),
    on_pairs("complex_select", "aten.select.int(a, -1, 1)"),
    on_pairs("complex_padded", "aten.constant_pad_nd.default(a, [1, 2], 1.5)"),
    on_pairs("complex_joined", "aten.cat.default([a, b_], 1)"),
    case("complex_of_f64_by_real", """
         a = aten.view_as_complex.default(x)
         s = aten.mul.Tensor(a, r)
         y = aten.view_as_real.default(s)""", x="f64[b, 4, 2]", r="f32[t, 1, 4]", runs=[dict(b=2, t=3), dict(b=1, t=5)]),
    case("complex_joined_with_real", """
         a = aten.view_as_complex.default(x)
         s = aten.cat.default([a, r], 1)
         y = aten.view_as_real.default(s)""", x="f32[b, 4, 2]", r="f32[b, t]", runs=[dict(b=2, t=3), dict(b=1, t=5)]),
    on_pairs("complex_sum", "aten.sum.dim_IntList(a, [1])"),
    case("complex_conj", """
         a = aten.view_as_complex.default(x)
         s = aten._conj.default(a)
         r = aten.resolve_conj.default(s)
         y = aten.view_as_real.default(r)""", x="f32[b, 3, 2]", runs=ROWS),
    case("complex_with_real", """
         a = aten.view_as_complex.default(x)
         p = aten.mul.Tensor(a, z)
         q = aten.div.Tensor(p, z)
         r = aten.add.Tensor(q, z)
         s = aten.sub.Tensor(z, r)
         y = aten.view_as_real.default(s)""", x="f32[3, 2]", z=of("f32[b, 3]", low=0.5, high=2), runs=ROWS),
    case("complex_of_parts", """
         s = aten.complex.default(x, z)
         y = aten.view_as_real.default(s)""", x="f32[b, 3]", z="f32[3]", runs=ROWS),
    case("polar", """
         s = aten.polar.default(x, z)
         y = aten.view_as_real.default(s)""", x="f32[b, 3]", z="f32[b, 3]", runs=ROWS),
    case("polar_crossed", """
         s = aten.polar.default(x, z)
         y = aten.view_as_real.default(s)""", x="f32[b, 1, t]", z="f32[s0, 1]", runs=[dict(b=2, t=3, s0=5), dict(b=4, t=2, s0=1)]),
    case("angle_of_real", "y = aten.angle.default(x)", x=of("f32[b, 16]", special=True), runs=ROWS),
    case("is_complex", """
         a = aten.view_as_complex.default(x)
         y = aten.is_complex.default(a)
         z = aten.is_complex.default(x)
         n = aten.dim(a)
         return y, z, n""", x="f32[b, 3, 2]", runs=ROWS),
    case("written_through_real", """
         a = aten.view_as_complex.default(x)
         r = aten.real.default(a)
         aten.mul_.Tensor(r, 3.0)
         y = aten.view_as_real.default(a)
         return x, y""", x="f32[b, 3, 2]", runs=ROWS),
    case("rotary_embedding", """
         pairs = aten.reshape.default(x, [2, t, 3, 2, 2])
         a = aten.view_as_complex.default(pairs)
         c = aten.view_as_complex.default(f)
         d = aten.slice.Tensor(c, 0, 0, t)
         e = aten.view.default(d, [1, t, 1, 2])
         s = aten.mul.Tensor(a, e)
         p = aten.view_as_real.default(s)
         y = aten.flatten.using_ints(p, 3)""", x="f32[2, t, 3, 4]", f=weight("f32[9, 2, 2]"), t="int", runs=[dict(t=1), dict(t=5)]),
]
