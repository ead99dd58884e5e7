"""Tensors out of nothing."""

from record_ops import case, of

X = "f32[b, 3, t]"
ROWS = [dict(b=1, t=1), dict(b=2, t=5)]
N = [dict(n=0), dict(n=1), dict(n=5)]


def sized(name, line, **inputs):
    """With the sizes of x as n and m."""
    return case(name, f"""
        n = aten.sym_size.int(x, 0)
        m = aten.sym_size.int(x, 2)
        y = aten.{line}""", x=X, runs=ROWS + [dict(b=3, t=0)], **inputs)


CASES = [
    sized("zeros", "zeros.default([n, 2, m])"),
    sized("zeros_of_ints", "zeros.default([m], dtype=int64)"),
    sized("zeros_of_bools", "zeros.default([n, m], dtype=bool)"),
    sized("zeros_of_halves", "zeros.default([n, m], dtype=float16)"),
    case("zeros_without_axes", """
         z = aten.zeros.default([])
         y = aten.add.Tensor(x, z)""", x="f32[b]", runs=[dict(b=2)]),
    case("zeros_of_a_known_shape", """
         z = aten.zeros.default([2, 3], dtype=float64, layout=None, device="cpu", pin_memory=False)
         y = aten.add.Tensor(x, z)""", x="f32[b, 3]", runs=[dict(b=2)]),
    sized("ones", "ones.default([m, n])"),
    sized("ones_of_int32", "ones.default([m, 1], dtype=int32)"),
    sized("full_of_an_int", "full.default([n, m], 7)"),
    sized("full_of_a_float", "full.default([n, m], 0.5)"),
    sized("full_of_minus_infinity", "full.default([n, m], -inf)"),
    sized("full_of_a_bool", "full.default([n, m], True)"),
    sized("full_of_a_size", "full.default([m], n)"),
    sized("full_of_a_size_as_floats", "full.default([m], n, dtype=float32)"),
    sized("new_zeros", "new_zeros.default(x, [m])"),
    sized("new_ones_of_ints", "new_ones.default(x, [m, 2], dtype=int64)"),
    sized("new_full", "new_full.default(x, [m], 3)"),
    sized("new_full_of_bools", "new_full.default(x, [m], 3, dtype=bool)"),
    case("zeros_like", "y = aten.zeros_like.default(x)", x="i64[b, t]", runs=ROWS),
    case("zeros_like_of_a_scalar", "y = aten.zeros_like.default(x)", x="bool[]"),
    case("ones_like_as_bools", "y = aten.ones_like.default(x, dtype=bool)", x=X, runs=ROWS),
    case("ones_like_keeps_the_type", "y = aten.ones_like.default(x, memory_format=preserve_format)", x="f16[b, t]",
         runs=ROWS),
    case("full_like", "y = aten.full_like.default(x, 2.5)", x=X, runs=ROWS),
    case("full_like_of_ints_by_a_float", "y = aten.full_like.default(x, 2.5)", x="i64[b, t]", runs=ROWS),
    case("empty_is_filled", """
         n = aten.sym_size.int(x, 0)
         y = aten.empty.memory_format([n, 4], dtype=float32)
         aten.fill_.Scalar(y, 2)
         return y""", x=X, runs=ROWS),
    case("empty_like_is_filled_by_a_tensor", """
         y = aten.empty_like.default(x)
         aten.fill_.Tensor(y, z)
         return y""", x=X, z="f32[]", runs=ROWS),
    case("part_is_zeroed", """
         y = aten.mul.Scalar(x, 2)
         z = aten.select.int(y, 1, 0)
         aten.zero_.default(z)
         return y""", x=X, runs=ROWS),
    case("fill", "y = aten.fill.Scalar(x, 1.5)", x=X, runs=ROWS),
    case("scalar_tensor", """
         z = aten.scalar_tensor.default(n)
         y = aten.add.Tensor(x, z)
         return y, z""", x="f64[b]", n="int", runs=[dict(b=2, n=3)]),
    case("scalar_tensor_of_ints", "y = aten.scalar_tensor.default(n, dtype=int32)", n="float", runs=[dict(n=2.75)]),
    # arange
    case("arange", "y = aten.arange.default(n)", n="int", runs=N),
    case("dim_arange", "y = aten._dim_arange.default(x, 1)", x="f32[b, t, 2]", runs=[dict(b=3, t=5), dict(b=4, t=1)]),
    sized("arange_of_a_size", "arange.default(m)"),
    sized("arange_as_floats", "arange.default(m, dtype=float32)"),
    sized("arange_as_int32", "arange.default(m, dtype=int32)"),
    sized("arange_start", "arange.start(-2, m)"),
    sized("arange_start_as_f64", "arange.start(1, 9, dtype=float64)"),
    case("arange_by_a_fraction_to_many_digits", """
         n = aten.sym_size.int(x, 0)
         y = aten.arange.start_step(0.1, n, 0.3, dtype=float64)""", x="f32[t]", runs=[dict(t=5), dict(t=31)], tolerance=1e-14),
    sized("arange_by_two", "arange.start_step(0, m, 2)"),
    sized("arange_down", "arange.start_step(m, -4, -3)"),
    sized("arange_down_to_minus_one", "arange.start_step(m, -1, -1, dtype=float32)"),
    case("arange_of_floats", "y = aten.arange.start_step(a, b, c)", a="float", b="float", c="float",
         runs=[dict(a=0.5, b=3.0, c=0.25), dict(a=2.0, b=-1.0, c=-0.7), dict(a=1.0, b=1.0, c=1.0)]),
    case("arange_of_a_known_float_step", "y = aten.arange.start_step(0, n, 0.5)", n="int", runs=N),
    case("arange_of_known_floats", """
         z = aten.arange.start_step(0.1, 0.95, 0.1)
         y = aten.mul.Tensor(x, z)""", x="f32[b, 1]", runs=[dict(b=1), dict(b=2)]),
    case("arange_of_a_tensor", """
         n = aten.item.default(x)
         y = aten.arange.default(n)""", x=of("i64[]", low=3, high=8)),
    case("arange_of_a_float_tensor", """
         n = aten.item.default(x)
         y = aten.arange.default(n)""", x=of("f32[]", low=3, high=8)),
    case("arange_without_overload", "y = aten.arange(1, n, dtype=int64)", n="int", runs=[dict(n=4)]),
    case("arange_with_floats_as_ints", "y = aten.arange.start_step(0, 5, 1, dtype=int64)"),
    case("range_has_its_end", """
         z = aten.range.step(1, 4)
         y = aten.add.Tensor(x, z)""", x="f32[b, 1]", runs=[dict(b=2)]),
    case("linspace", "y = aten.linspace.default(-1, 1, n)", n="int", runs=N + [dict(n=8)]),
    case("linspace_of_floats", "y = aten.linspace.default(a, b, 7)", a="float", b="float",
         runs=[dict(a=0.5, b=3.25), dict(a=4.0, b=-2.0)]),
    case("linspace_of_f64", "y = aten.linspace.default(0, 1, n, dtype=float64)", n="int", runs=N),
    case("linspace_of_known_numbers", "y = aten.linspace.default(-1, 2.5, 6)"),
    case("linspace_of_one", "y = aten.linspace.default(3, 9, 1)"),
    case("linspace_of_ints", "y = aten.linspace.default(0, 10, 4, dtype=int64)"),
    case("logspace_of_known_numbers", "y = aten.logspace.default(0, 3, 5, 2.0, dtype=float64)"),
    case("logspace", "y = aten.logspace.default(-1, 2, n)", n="int", runs=N),
    case("logspace_of_two", "y = aten.logspace.default(0, 4, n, 2.0)", n="int", runs=N),
    case("eye", "y = aten.eye.default(n)", n="int", runs=N),
    case("eye_of_ints", "y = aten.eye.m(n, 3, dtype=int64)", n="int", runs=N),
    case("eye_of_bools", "y = aten.eye.default(n, dtype=bool)", n="int", runs=N),
    # triangles
    *[case(f"{op}_of_{word}", f"y = aten.{op}.default(x, {at})", x=f"{word}[b, 3, t]", runs=ROWS)
      for word in ["f32", "f64", "f16", "i64", "i32", "u8", "bool"] for op, at in [("tril", -1), ("triu", 1)]],
    case("tril_diagonal", "y = aten.tril.default(x)", x="f32[b, t]", runs=ROWS),
    case("triu_of_a_number", "y = aten.triu.default(x, n)", x="f32[4, t]", n="int",
         runs=[dict(t=5, n=-2), dict(t=3, n=3), dict(t=1, n=-9)]),
    case("tril_indices", "y = aten.tril_indices.default(3, 4, 1)"),
    case("triu_indices", "y = aten.triu_indices.default(4, 3, -1, dtype=int32)"),
    case("one_hot", "y = aten.one_hot.default(x, 6)", x=of("i64[b, t]", low=0, high=6), runs=ROWS),
    case("one_hot_of_its_largest", "y = aten.one_hot.default(x)", x=of("i64[b, t]", low=0, high=6), runs=ROWS),
    *[case(f"fill_diagonal_of_{word}", """
           y = aten.mul.Scalar(x, 1)
           aten.fill_diagonal_.default(y, 3)
           return y""", x=f"{word}[b, t]", runs=ROWS) for word in ["f32", "i32"]],
    # windows
    *[case(f"{name}_window", f"y = aten.{name}_window.default(9)") for name in
      ["hann", "hamming", "blackman", "bartlett", "kaiser"]],
    *[case(f"{name}_window_symmetric", f"y = aten.{name}_window.periodic(8, False)") for name in
      ["hann", "hamming", "blackman", "bartlett", "kaiser"]],
    case("hann_window_of_one", "y = aten.hann_window.default(1)"),
    case("hann_window_of_f64", "y = aten.hann_window.periodic(7, True, dtype=float64)"),
    case("hamming_window_of_alpha", "y = aten.hamming_window.periodic_alpha_beta(7, True, 0.6, 0.3)"),
    case("kaiser_window_of_beta", "y = aten.kaiser_window.beta(7, False, 4.0)"),
]
