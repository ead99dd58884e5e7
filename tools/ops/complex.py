"""Complex numbers, products and windows of complex tensors, and tensors by strides. Recorded with torch 1.13."""

import math

from record_ops import case, of, weight

HANN = [0.5 - 0.5 * math.cos(2 * math.pi * i / 8) for i in range(8)]
ROWS = [dict(b=1), dict(b=4)]
SIGNAL = [dict(b=1, t=17), dict(b=2, t=30)]
SPECTRUM = [dict(b=1, t=3), dict(b=2, t=7)]
WINDOW = dict(w=weight("f32[8]", values=HANN))
POSITIVE = dict(w=weight("f32[6]", low=0.5, high=1.0))


def of_real(name, line, x="f32[b, 3]", runs=ROWS, **inputs):
    return case(name, f"s = {line}\ny = aten.view_as_real.default(s)", x=x, runs=runs, **inputs)


def of_complex(name, line, x="f32[b, 3, 2]", runs=ROWS, before="", **inputs):
    return case(name, f"a = aten.view_as_complex.default(x)\n{before}\ns = {line}\ny = aten.view_as_real.default(s)".replace("\n\n", "\n"),
                x=x, runs=runs, **inputs)


def of_two(name, line, x, z, runs, **inputs):
    return of_complex(name, line, x, runs, before="c = aten.view_as_complex.default(z)", z=z, **inputs)


def stft(name, arguments, x="f32[b, t]", runs=SIGNAL, **inputs):
    return of_real(f"stft_{name}", f"aten.stft.center(x, 8, {arguments})", x=x, runs=runs, **inputs)


def istft(name, arguments, x="f32[b, 5, t, 2]", runs=SPECTRUM, **inputs):
    return case(f"istft_{name}", f"c = aten.view_as_complex.default(x)\ny = aten.istft.default(c, 8, {arguments})", x=x, runs=runs,
                tolerance=1e-4, **inputs)


CASES = [
    of_real("real_times_number", "aten.mul.Tensor(x, 0.5-2j)"),
    of_real("real_times_imaginary_number", "aten.mul.Tensor(x, 1j)"),
    of_real("f64_times_number", "aten.mul.Tensor(x, 0.1+0.7j)", x="f64[b, 3]"),
    of_real("int_times_number", "aten.mul.Tensor(x, 1.5+2j)", x="i64[b, 3]"),
    of_real("int_plus_number", "aten.add.Tensor(x, 1.5-2j)", x="i64[b, 3]"),
    of_real("bool_times_number", "aten.mul.Tensor(x, 1.5+2j)", x="bool[b, 3]"),
    of_real("real_plus_number", "aten.add.Tensor(x, -1.5+2j)"),
    of_real("real_plus_number_alpha", "aten.add.Tensor(x, 1+2j, alpha=3)"),
    of_real("real_minus_number", "aten.sub.Tensor(x, 1.5+2j)"),
    of_real("number_minus_real", "aten.rsub.Scalar(x, 1.5+2j)"),
    of_real("real_by_number", "aten.div.Tensor(x, 1.5-2j)"),
    of_real("number_with_scalar_tensor", "aten.mul.Tensor(x, 1e-2-2.5e1j)", x="f64[]", runs=[{}]),
    of_real("as_torchscript", "aten.mul(x, -1j)"),
    of_complex("times_number", "aten.mul.Tensor(a, 0.5-2j)"),
    of_complex("c128_times_number", "aten.mul.Tensor(a, 0.1-0.7j)", x="f64[b, 3, 2]"),
    of_complex("plus_number", "aten.add.Tensor(a, 0.5-2j)"),
    of_complex("minus_number", "aten.sub.Tensor(a, 2j)"),
    of_complex("number_minus", "aten.rsub.Scalar(a, 0.5-2j)"),
    of_complex("by_number", "aten.div.Tensor(a, 0.5-2j)"),
    of_complex("padded_with_number", "aten.constant_pad_nd.default(a, [1, 2], 0.5-2j)"),
    of_complex("filled_with_number", "aten.masked_fill.Scalar(a, m, 0.5-2j)", m=weight("bool[3]", values=[True, False, True])),
    of_two("matmul", "aten.matmul.default(a, c)", "f32[b, t, 3, 2]", "f32[b, 3, 4, 2]", [dict(b=1, t=1), dict(b=2, t=5)]),
    of_two("matmul_of_matrix", "aten.matmul.default(a, c)", "f32[b, t, 3, 2]", "f32[3, 4, 2]", [dict(b=1, t=1), dict(b=2, t=5)]),
    of_two("bmm", "aten.bmm.default(a, c)", "f64[b, t, 3, 2]", "f64[b, 3, t, 2]", [dict(b=1, t=1), dict(b=2, t=5)]),
    of_two("mm", "aten.mm.default(a, c)", "f32[t, 3, 2]", "f32[3, 4, 2]", [dict(t=1), dict(t=5)]),
    of_two("einsum", "aten.einsum.default('...tfn,...ntf->...tf', [a, c])", "f32[b, t, 4, 3, 2]", "f32[b, 3, t, 4, 2]",
           [dict(b=1, t=1), dict(b=2, t=5)]),
    of_complex("einsum_of_one", "aten.einsum.default('ij->ji', [a])"),
    of_complex("unfold", "aten.unfold.default(a, 1, 3, 1)", x="f32[b, t, 2]", runs=[dict(b=1, t=3), dict(b=2, t=8)]),
    of_complex("unfold_first_axis", "aten.unfold.default(a, 0, 2, 3)", x="f32[t, b, 2]", runs=[dict(b=1, t=2), dict(b=2, t=9)]),
    of_complex("unfold_copy", "aten.unfold_copy.default(a, -1, 2, 2)", x="f32[b, t, 2]", runs=[dict(b=1, t=3), dict(b=2, t=8)]),
    of_complex("unfold_by_number", "aten.unfold.default(a, 1, n, m)", x="f32[b, t, 2]", n="int", m="int",
               runs=[dict(b=1, t=3, n=3, m=1), dict(b=2, t=11, n=2, m=4)]),
    case("unfold_by_number_of_real", "y = aten.unfold.default(x, 1, n, m)", x="f32[b, t, 3]", n="int", m="int",
         runs=[dict(b=1, t=3, n=3, m=1), dict(b=2, t=11, n=2, m=4), dict(b=2, t=11, n=0, m=4)]),
    case("unfold_by_size", """
         n = aten.size.int(z, 0)
         y = aten.unfold.default(x, 0, n, n)""", x="f32[5*b]", z="f32[b]", runs=[dict(b=1), dict(b=3)]),
    case("strided_windows", """
         s = aten.size.int(x, 0)
         d = aten.sub.int(s, 5)
         q = aten.floordiv.int(d, 3)
         m = aten.add.int(q, 1)
         y = aten.as_strided.default(x, [m, 5], [3, 1])""", x="f32[t]", runs=[dict(t=5), dict(t=18)]),
    case("strided_windows_of_rows", """
         t = aten.size.int(x, 1)
         m = aten.sub.int(t, 3)
         y = aten.as_strided.default(x, [2, m, 4], [t, 1, 1])""", x="f32[2, t]", runs=[dict(t=4), dict(t=9)]),
    case("strided_windows_of_a_row", """
         r = aten.select.int(x, 0, 1)
         t = aten.size.int(r, 0)
         m = aten.sub.int(t, 3)
         y = aten.as_strided.default(r, [m, 4], [1, 1])""", x="f32[3, t]", runs=[dict(t=4), dict(t=9)]),
    case("strided_relative_shift", """
         s = aten.matmul.default(q, p)
         t = aten.size.int(s, 2)
         a = aten.stride.int(s, 0)
         b_ = aten.stride.int(s, 1)
         c = aten.stride.int(s, 2)
         d = aten.stride.int(s, 3)
         e = aten.sub.int(c, d)
         f = aten.sub.int(t, 1)
         g = aten.mul.int(d, f)
         b0 = aten.size.int(s, 0)
         y = aten.as_strided.default(s, [b0, 2, t, t], [a, b_, e, d], g)""",
         q="f32[b, 2, t, 3]", p="f32[b, 2, 3, 2*t - 1]", runs=[dict(b=1, t=1), dict(b=3, t=5)]),
    case("strided_transpose", """
         t = aten.size.int(x, 1)
         y = aten.as_strided.default(x, [t, 3], [1, t])""", x="f32[3, t]", runs=[dict(t=1), dict(t=5)]),
    case("strided_repeat", "y = aten.as_strided.default(x, [4, 3], [0, 2], 1)", x="f32[2, 3]"),
    case("strided_copy", "y = aten.as_strided_copy.default(x, [2, 2], [3, 1], 1)", x="f32[2, 3]"),
    case("strided_scalar", "y = aten.as_strided.default(x, [], [], 4)", x="f32[2, 3]"),
    case("strided_after_write", """
         y = aten.as_strided.default(x, [2, 2], [3, 1], 1)
         aten.mul_.Tensor(x, 3.0)
         return y""", x="f32[2, 3]"),
    stft("two_sided", "3, 8, w, True, 'reflect', True, False, True", **WINDOW),
    stft("short_window_not_centered", "4, 6, w, False, 'reflect', True, True, True", **POSITIVE),
    stft("short_window_given", "2, 6, w, True, 'constant', False, False, True", w="f32[6]"),
    stft("hop_beyond_frame", "11, 8, w, True, 'reflect', False, True, True", **WINDOW),
    stft("f64_short_window", "4, 5, w, True, 'reflect', True, False, True", x="f64[b, t]", w=weight("f64[5]")),
    case("stft_pairs_two_sided", "y = aten.stft.center(x, 8, 4, 6, w, False, 'reflect', True, False, False)", x="f32[b, t]",
         runs=SIGNAL, **POSITIVE),
    istft("two_sided_normalized_length", "2, 6, w, True, True, False, 13", x="f32[b, 8, t, 2]", runs=[dict(b=2, t=8)], **POSITIVE),
    istft("not_centered_length", "2, 8, w, False, True, True, n", n="int",
          runs=[dict(b=1, t=5, n=11), dict(b=2, t=9, n=20)], w=weight("f32[8]", low=0.5, high=1.0)),
    istft("length_of_signal", "4, 8, w, True, False, None, n", n="int",
          runs=[dict(b=1, t=3, n=8), dict(b=2, t=7, n=24), dict(b=2, t=7, n=21)], **WINDOW),
]
