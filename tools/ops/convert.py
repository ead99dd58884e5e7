"""Other element types, copies, and values that are written over tensors."""

from record_ops import case, of, weight

ROWS = [dict(b=1), dict(b=3)]
WORDS = {"f32": "float32", "f64": "float64", "f16": "float16", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
         "u8": "uint8", "bool": "bool"}
FRACTIONS = [0, 0.5, -0.5, 1.9, -1.9, 2.5, -100.7, 100.7]
ALIASES = ["alias", "detach", "lift_fresh", "resolve_conj", "resolve_neg", "real", "conj", "positive"]
COPIES = ["clone", "lift_fresh_copy", "contiguous"]

CASES = [
    *[case(f"{a}_to_{b}", f"y = aten.to.dtype(x, {WORDS[b]})", x=of(f"{a}[8]", values=FRACTIONS))
      for a in ["f32", "f64", "f16"] for b in WORDS if b != "u8"],
    *[case(f"{a}_to_{b}", f"y = aten.to.dtype(x, {WORDS[b]})", x=of(f"{a}[b, 5]", low=0, high=9), runs=ROWS)
      for a in ["i64", "i32", "i8", "u8", "bool"] for b in WORDS],
    case("f32_to_u8", "y = aten.to.dtype(x, uint8)", x=of("f32[5]", values=[0, 1.9, 127.5, 255, 200.2])),
    case("negative_f32_to_u8", "y = aten.to.dtype(x, uint8)", x=of("f32[2]", values=[-1, -2.5])),
    case("large_i64_to_i8", "y = aten.to.dtype(x, int8)", x=of("i64[4]", values=[300, -300, 127, 128])),
    case("large_f32_to_i8", "y = aten.to.dtype(x, int8)", x=of("f32[4]", values=[300, -300, 127, 128])),
    case("nan_to_bool", "y = aten.to.dtype(x, bool)", x=of("f32[8]", special=True)),
    case("to_without_overload", "y = aten.to(x, int64)", x="f32[b, 3]", runs=ROWS),
    case("to_dtype_layout", "y = aten.to.dtype_layout(x, dtype=float64)", x="f32[b, 3]", runs=ROWS),
    case("to_dtype_layout_of_nothing", "y = aten.to.dtype_layout(x)", x="f32[b, 3]", runs=ROWS),
    case("to_device", "y = aten.to.device(x, 'cpu', float64)", x="f32[b, 3]", runs=ROWS),
    case("to_other", "y = aten.to.other(x, z)", x="f32[b, 3]", z="i64[2]", runs=ROWS),
    case("to_copy", "y = aten._to_copy.default(x, dtype=float16)", x="f32[b, 3]", runs=ROWS),
    case("type_as", "y = aten.type_as.default(x, z)", x="i64[b, 3]", z="f32[2]", runs=ROWS),
    case("cast_Float", "y = aten._cast_Float.default(x)", x="i64[b, 3]", runs=ROWS),
    case("cast_Long", "y = aten._cast_Long.default(x)", x="f32[b, 3]", runs=ROWS),
    case("to_of_the_same_type_is_the_tensor", "y = aten.neg.default(x)\nz = aten.to.dtype(y, float32)\naten.add_.Scalar(z, 1)\nreturn y, z",
         x="f32[b, 3]", runs=ROWS),
    case("cast_to_the_same_type_is_the_tensor", "y = aten.neg.default(x)\nz = aten._cast_Float.default(y)\naten.add_.Scalar(z, 1)\nreturn y, z",
         x="f32[b, 3]", runs=ROWS),
    case("to_other_with_copy_is_another", "y = aten.neg.default(x)\nz = aten.to.other(y, x, False, True)\naten.add_.Scalar(z, 1)\nreturn y, z",
         x="f32[b, 3]", runs=ROWS),
    case("type_as_of_the_same_type_is_the_tensor", "y = aten.neg.default(x)\nz = aten.type_as.default(y, x)\naten.add_.Scalar(z, 1)\nreturn y, z",
         x="f32[b, 3]", runs=ROWS),
    case("clone_in_order", """
         y = aten.transpose.int(x, 0, 1)
         z = aten.clone.default(y, memory_format=contiguous_format)
         n = aten.stride.int(z, 0)
         return z, n""", x="f32[b, t]", runs=[dict(b=2, t=5), dict(b=3, t=4)]),
    case("to_with_copy_is_another", "y = aten.neg.default(x)\nz = aten.to.dtype(y, float32, False, True)\naten.add_.Scalar(z, 1)\nreturn y, z",
         x="f32[b, 3]", runs=ROWS),
    case("to_copy_is_another", "y = aten.neg.default(x)\nz = aten._to_copy.default(y)\naten.add_.Scalar(z, 1)\nreturn y, z",
         x="f32[b, 3]", runs=ROWS),
    *[case(f"{name}_is_the_tensor", f"y = aten.neg.default(x)\nz = aten.{name}.default(y)\naten.add_.Scalar(z, 1)\nreturn y, z",
           x="f32[b, 3]", runs=ROWS) for name in ALIASES],
    *[case(f"{name}_of_a_transposed", f"y = aten.t.default(x)\nz = aten.{name}.default(y)\naten.add_.Scalar(z, 1)\nreturn x, z",
           x="f32[b, 3]", runs=[dict(b=2), dict(b=3)]) for name in COPIES],
    *[case(f"{name}_is_another", f"y = aten.neg.default(x)\nz = aten.{name}.default(y)\naten.add_.Scalar(z, 1)\nreturn y, z",
           x="f32[b, 3]", runs=ROWS) for name in COPIES if name != "contiguous"],
    case("clone_contiguous_format", "y = aten.t.default(x)\nz = aten.clone.default(y, memory_format=contiguous_format)\nreturn z",
         x="f32[b, 3]", runs=ROWS),
    case("detach_in_place", "y = aten.neg.default(x)\naten.detach_.default(y)\nreturn y", x="f32[b, 3]", runs=ROWS),
    case("fill_scalar", "y = aten.fill.Scalar(x, 2.5)", x="f32[b, 3]", runs=ROWS + [dict(b=0)]),
    case("fill_of_ints", "y = aten.fill.Scalar(x, 2.5)", x="i64[b, 3]", runs=ROWS),
    case("fill_of_bools", "y = aten.fill.Scalar(x, True)", x="bool[b, 3]", runs=ROWS),
    case("fill_by_a_tensor", "y = aten.fill.Tensor(x, z)", x="f32[b, 3]", z="i64[]", runs=ROWS),
    case("fill_a_view_in_place", "y = aten.neg.default(x)\nz = aten.select.int(y, 1, 1)\naten.fill_.Scalar(z, 9)\nreturn y", x="f32[b, 3]", runs=ROWS),
    case("fill_a_view_by_a_tensor", "y = aten.neg.default(x)\nz = aten.select.int(y, 1, 1)\naten.fill_.Tensor(z, v)\nreturn y",
         x="f32[b, 3]", v="f32[]", runs=ROWS),
    case("zero", "y = aten.zero.default(x)", x="f32[b, 3]", runs=ROWS),
    case("zero_a_slice_in_place", "y = aten.neg.default(x)\nz = aten.slice.Tensor(y, 1, 0, 2)\naten.zero_.default(z)\nreturn y", x="f32[b, 3]", runs=ROWS),
    case("copy", "y = aten.copy.default(x, z)", x="f32[b, 3]", z="i64[3]", runs=ROWS),
    case("copy_into_a_slice", "y = aten.neg.default(x)\nz = aten.slice.Tensor(y, 1, 1, 3)\naten.copy_.default(z, v)\nreturn y",
         x="f32[b, 3]", v="f32[b, 1]", runs=ROWS),
    case("copy_of_floats_into_ints", "y = aten.neg.default(x)\naten.copy_.default(y, v)\nreturn y", x="i64[b, 3]", v="f32[b, 3]", runs=ROWS),
    case("add_to_a_weight_as_another_type", "y = aten.to.dtype(w, float64)\nz = aten.add.Tensor(x, y)\nreturn z", x="f64[b, 3]",
         w=weight("f32[3]"), runs=ROWS),
    case("view_of_the_same_dtype", "y = aten.view.dtype(x, float32)", x="f32[b, 3]", runs=ROWS),
    case("reshape_alias", "y = aten._reshape_alias.default(x, [6], [1])", x="f32[2, 3]"),
]
