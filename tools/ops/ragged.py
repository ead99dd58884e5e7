"""Sequences of different lengths, and what one element of a row is found by: its rank, or how often it is there."""

import math

from record_ops import case, of

RUNS = [dict(a=3, b=5, c=1), dict(a=6, b=2, c=4), dict(a=1, b=1, c=0)]
SEQUENCES = dict(x="f32[a, 3]", y="f32[b, 3]", z="f32[c, 3]")
ROWS = [dict(b=3, t=6), dict(b=2, t=7), dict(b=1, t=1)]
SPECIAL = [1, math.nan, -2, 5, 3, math.inf, 2, -math.inf, 4, 0.5, math.nan, math.nan, math.nan, math.nan, math.nan, 7, 7, 7, -1, -1]
FLOATS = dict(x=of("f32[4, 5]", values=SPECIAL))
TIES = of("i64[b, t, 3]", low=-1, high=2)

CASES = [
    *[case(f"pad_sequence_{label}", f"y0 = aten.pad_sequence([x, y, z], {arguments})", **SEQUENCES, runs=RUNS)
      for label, arguments in [("batch_first", "True"), ("time_first", "False"), ("by_a_value", "True, -1.5"),
                               ("by_infinity", "False, -inf")]],
    case("pad_sequence_of_one", "y = aten.pad_sequence([x], True)", x="f32[a, 2, 3]", runs=[dict(a=2), dict(a=5)]),
    case("pad_sequence_of_a_fixed_one", "z = aten.pad_sequence([x, y], True, 2.0)", x="f32[4, 3]", y="f32[a, 3]",
         runs=[dict(a=2), dict(a=4), dict(a=7)]),
    case("pad_sequence_of_axes", "z = aten.pad_sequence([x, y], False)", x="f32[a, b]", y="f32[c, b]", runs=RUNS[:2]),
    *[case(f"pad_sequence_of_{type}", "z = aten.pad_sequence([x, y], True, 1.0)", x=f"{type}[a]", y=f"{type}[b]", runs=RUNS)
      for type in ["i64", "i32", "i16", "u8", "bool", "f16", "f64"]],
    case("pad_sequence_casts_to_the_first", "z = aten.pad_sequence([x, y])", x="f32[a]", y="i64[b]", runs=RUNS),
    *[case(f"{name}_of_nan", f"v, i = aten.{name}.dim(x, 1)\nreturn v", **FLOATS) for name in ["median", "nanmedian"]],
    case("nanmedian_behind_nan", "v, i = aten.nanmedian.dim(x, 1)", x=of("f32[b, 4]", values=[math.nan, 3, 1, 2, 5, math.nan, 7, 6]),
         runs=[dict(b=2)]),
    *[case(f"{name}_of_all_with_nan", f"v = aten.{name}.default(x)", **FLOATS) for name in ["median", "nanmedian"]],
    *[case(f"{name}_of_all_{type}", f"v = aten.{name}.default(x)", x=f"{type}[b, t]", runs=ROWS)
      for name in ["median", "nanmedian"] for type in ["i64", "f32", "f64", "u8"]],
    *[case(f"nanmedian_along_{dim}", f"v, i = aten.nanmedian.dim(x, {dim}, {keepdim})", x=of("f32[b, t]", distinct=True), runs=ROWS)
      for dim, keepdim in [(0, True), (1, False), (-1, True)]],
    *[case(f"{name}_of_ties_along_{dim}",
           f"v, i = aten.{name}(x, {dim}, True)\nw = aten.gather.default(x, {dim}, i)\nreturn v, w", x=TIES, runs=ROWS)
      for name in ["median.dim", "nanmedian.dim", "mode.default"] for dim in [0, 1, -1]],
    *[case(f"mode_of_{type}", "v, i = aten.mode.default(x, 1)\nreturn v", x=of(f"{type}[b, t]", low=0, high=3), runs=ROWS)
      for type in ["f32", "i32", "u8", "bool"]],
    case("mode_of_a_number", "v, i = aten.mode.default(x)", x="f32[]"),
    case("nanmedian_of_a_number", "v, i = aten.nanmedian.dim(x, 0)", x="f32[]"),
]
