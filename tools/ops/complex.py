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
    istft("two_sided_normalized_length", "2, 6, w, True, True, False, 13", x="f32[b, 8, t, 2]", runs=[dict(b=3, t=7)], **POSITIVE),
    istft("not_centered_length", "2, 8, w, False, True, True, n", n="int",
          runs=[dict(b=1, t=5, n=11), dict(b=2, t=9, n=20)], w=weight("f32[8]", low=0.5, high=1.0)),
    istft("length_of_signal", "4, 8, w, True, False, None, n", n="int",
          runs=[dict(b=1, t=3, n=8), dict(b=2, t=7, n=24), dict(b=2, t=7, n=21)], **WINDOW),
    case("rfft_of_given_size", "s = aten.fft_rfft.default(x, n)\ny = aten.view_as_real.default(s)", x="f32[b, t]", n="int",
         runs=[dict(b=1, t=3, n=7), dict(b=2, t=8, n=5), dict(b=2, t=8, n=8)]),
    case("irfft_of_given_size", "a = aten.view_as_complex.default(x)\ny = aten.fft_irfft.default(a, n, 0, 'ortho')", x="f32[t, b, 2]",
         n="int", runs=[dict(b=1, t=3, n=7), dict(b=2, t=8, n=5), dict(b=2, t=5, n=8), dict(b=2, t=5, n=9)]),
    of_complex("fft_of_given_size", "aten.fft_fft.default(a, n)", x="f32[b, t, 2]", n="int",
               runs=[dict(b=1, t=3, n=7), dict(b=2, t=8, n=5)]),
    case("c2r_of_given_size", "a = aten.view_as_complex.default(x)\ny = aten._fft_c2r.default(a, [1], 2, n)", x="f32[b, t, 2]",
         n="int", runs=[dict(b=1, t=4, n=7), dict(b=2, t=5, n=8)]),
    case("convolved_by_fft", """
         t = aten.size.int(x, 1)
         n = aten.mul.int(t, 2)
         s = aten.fft_rfft.default(x, n)
         k = aten.fft_rfft.default(w, n)
         p = aten.mul.Tensor(s, k)
         z = aten.fft_irfft.default(p, n)
         y = aten.slice.Tensor(z, 1, 0, t)""", x="f32[b, t]", w=weight("f32[5]"), runs=[dict(b=1, t=1), dict(b=2, t=9)]),
    of_real("real_to_c64", "aten.to.dtype(x, complex64)"),
    of_real("real_to_c128", "aten.to.dtype(x, complex128)"),
    of_real("int_to_c64", "aten.to.dtype(x, complex64)", x="i64[b, 3]"),
    of_complex("c64_to_c128", "aten.to.dtype(a, complex128)"),
    of_complex("c128_to_c64", "aten._to_copy.default(a, dtype=complex64)", x="f64[b, 3, 2]"),
    of_complex("type_as", "aten.type_as.default(x, a)"),
    case("c64_to_real", "a = aten.view_as_complex.default(x)\ny = aten.to.dtype(a, float64)", x="f32[b, 3, 2]", runs=ROWS),
    of_complex("zeros_like", "aten.zeros_like.default(a)"),
    of_complex("ones_like", "aten.ones_like.default(a)"),
    of_complex("full_like", "aten.full_like.default(a, 0.5-2j)"),
    of_complex("new_ones", "aten.new_ones.default(a, [2, 3])"),
    of_complex("full", "aten.full.default([n, 2], 0.5-2j)", x="f32[b, 3, 2]", n="int", runs=[dict(b=1, n=1), dict(b=2, n=4)]),
    of_real("full_of_real_number", "aten.full.default([n, 2], 1.5, dtype=complex64)", n="int", runs=[dict(b=1, n=1), dict(b=2, n=4)]),
    of_real("zeros", "aten.zeros.default([n, 2], dtype=complex128)", n="int", runs=[dict(b=1, n=1), dict(b=2, n=4)]),
    case("real_zeros_like", "a = aten.view_as_complex.default(x)\ny = aten.ones_like.default(a, dtype=float32)", x="f32[b, 3, 2]",
         runs=ROWS),
    case("written_parts", """
         a = aten.view_as_complex.default(x)
         c = aten.clone.default(a)
         d = aten.slice.Tensor(c, 1, 1)
         e = aten.slice.Tensor(a, 1, 0, 2)
         f = aten.mul.Tensor(e, 2j)
         aten.copy_.default(d, f)
         g = aten.select.int(c, 1, 0)
         aten.fill_.Scalar(g, 0.5-2j)
         h = aten.transpose.int(c, 0, 1)
         i = aten.select.int(h, 0, 1)
         aten.mul_.Tensor(i, 3.0)
         y = aten.view_as_real.default(c)
         z = aten.view_as_real.default(h)
         return y, z""", x="f32[b, 3, 2]", runs=ROWS),
    case("written_with_real", """
         a = aten.view_as_complex.default(x)
         d = aten.select.int(a, 1, 1)
         aten.copy_.default(d, z)
         e = aten.select.int(a, 1, 2)
         aten.fill_.Scalar(e, 2.5)
         g = aten.select.int(a, 1, 3)
         aten.zero_.default(g)
         return x""", x="f32[b, 4, 2]", z="f32[b]", runs=ROWS),
    of_complex("reciprocal", "aten.reciprocal.default(a)"),
    of_complex("square", "aten.square.default(a)"),
    of_complex("sqrt", "aten.sqrt.default(a)"),
    of_complex("log", "aten.log.default(a)"),
    of_complex("sgn", "aten.sgn.default(a)", x=of("f32[3, 2]", values=[1.0, -2.0, 0.0, 0.0, -3.0, 0.0]), runs=[{}]),
    of_complex("pow_2", "aten.pow.Tensor_Scalar(a, 2)"),
    of_complex("pow_minus_1", "aten.pow.Tensor_Scalar(a, -1)"),
    of_complex("pow_of_float", "aten.pow.Tensor_Scalar(a, 0.3)"),
    of_two("where", "aten.where.self(m, a, c)", "f32[b, 3, 2]", "f64[3, 2]", ROWS, m=weight("bool[3]", values=[True, False, True])),
    of_complex("where_of_real", "aten.where.self(m, z, a)", z="f32[b, 3]", m=weight("bool[3]", values=[True, False, True])),
    of_complex("index_fill", "aten.index_fill.int_Scalar(a, 1, i, 0.5)", i=weight("i64[2]", values=[0, 2])),
    of_complex("flatten", "aten.flatten.using_ints(a, 0, 1)", x="f32[b, t, 4, 2]", runs=[dict(b=1, t=3), dict(b=2, t=5)]),
    of_complex("flatten_of_scalar", "aten.flatten.using_ints(a)", x="f32[2]", runs=[{}]),
    of_complex("unflatten", "aten.unflatten.int(a, 1, [2, -1])", x="f32[b, 6, 2]"),
    of_complex("view", "aten.view.default(a, [-1, 2])", x="f32[b, 6, 2]"),
    of_complex("expand", "aten.expand.default(a, [4, -1, 3])", x="f32[b, 1, 2]"),
    of_complex("movedim", "aten.movedim.int(a, 0, -1)", x="f32[b, 3, 4, 2]"),
    of_complex("squeeze", "aten.squeeze.dim(a, 1)", x="f32[b, 1, 3, 2]"),
    of_complex("unsqueeze_last", "aten.unsqueeze.default(a, -1)"),
    of_complex("narrow", "aten.narrow.default(a, -1, 1, 2)"),
    case("split", """
         a = aten.view_as_complex.default(x)
         p, q = aten.split_with_sizes.default(a, [1, 2], -1)
         u, v = aten.chunk.default(a, 2, 1)
         [d, e, f] = aten.unbind.int(a, 1)
         y0 = aten.view_as_real.default(p)
         y1 = aten.view_as_real.default(q)
         y2 = aten.view_as_real.default(u)
         y3 = aten.view_as_real.default(v)
         y4 = aten.view_as_real.default(f)
         return y0, y1, y2, y3, y4""", x="f32[b, 3, 2]", runs=ROWS),
]
