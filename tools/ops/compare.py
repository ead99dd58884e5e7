"""Comparisons, logic, and the bits of ints."""

from record_ops import case, of

ROWS = [dict(b=1), dict(b=4)]
CROSSED = [dict(b=2, t=3, s=5), dict(b=4, t=2, s=1), dict(b=3, t=1, s=2)]  # dynamic axes against each other
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
LOGIC = ["and", "or", "xor"]
WORDS = dict(x=of("i64[b, 8]", low=-300, high=300))

CASES = [
    *[case(f"{name}_tensor_of_{type}", f"y = aten.{name}.Tensor(x, z)", x=f"{type}[b, 5]", z=f"{type}[5]", runs=ROWS)
      for name in COMPARISONS for type in ["i64", "i32", "i8", "bool", "f64", "f16"]],
    *[case(f"{name}_tensor_of_special", f"y = aten.{name}.Tensor(x, z)", x=of("f32[b, 14]", special=True),
           z=of("f32[14]", special=True), runs=ROWS) for name in COMPARISONS],
    *[case(f"{name}_scalar", f"y = aten.{name}.Scalar(x, 0.5)", x=of("f32[b, 14]", special=True), runs=ROWS) for name in COMPARISONS],
    *[case(f"{name}_scalar_of_ints_by_a_float", f"y = aten.{name}.Scalar(x, 1.5)", x="i64[b, 5]", runs=ROWS) for name in COMPARISONS],
    *[case(f"{name}_crossed", f"y = aten.{name}.Tensor(x, z)", x="i64[b, 1, t]", z="i64[s, 1]", runs=CROSSED) for name in COMPARISONS],
    *[case(f"logical_{name}_crossed", f"y = aten.logical_{name}.default(x, z)", x="bool[b, 1, t]", z="bool[s, 1]", runs=CROSSED)
      for name in LOGIC],
    case("isclose_crossed", "y = aten.isclose.default(x, z, 0.5, 0.1)", x="f32[b, 1, t]", z="f32[s, 1]", runs=CROSSED),
    case("allclose_crossed", "y = aten.allclose.default(x, z, 0.0, 1.0)", x=of("f32[b, 1, t]", low=0, high=1.2),
         z=of("f32[s, 1]", low=0, high=1.2), runs=CROSSED + [dict(b=1, t=2, s=3)]),
    case("eq_promotes", "y = aten.eq.Tensor(x, z)", x="i64[b, 3]", z="f32[3]", runs=ROWS),
    case("eq_of_bools_with_an_int", "y = aten.eq.Scalar(x, 1)", x="bool[b, 3]", runs=ROWS),
    case("eq_without_overload", "y = aten.eq(x, 0)", x="i64[b, 3]", runs=ROWS),
    case("greater_equal", "y = aten.greater_equal.Tensor(x, z)", x="f32[b, 3]", z="f32[b, 1]", runs=ROWS + [dict(b=0)]),
    case("not_equal", "y = aten.not_equal.Scalar(x, 2)", x="i64[b, 9]", runs=ROWS),
    *[case(f"logical_{name}_of_{type}", f"y = aten.logical_{name}.default(x, z)", x=f"{type}[b, 9]", z="i64[9]", runs=ROWS)
      for name in LOGIC for type in ["bool", "f32", "i64"]],
    *[case(f"bitwise_{name}_of_bools", f"y = aten.bitwise_{name}.Tensor(x, z)", x="bool[b, 5]", z="bool[5]", runs=ROWS) for name in LOGIC],
    *[case(f"dunder_{name}_of_bools", f"y = aten.__{name}__.Tensor(x, z)", x="bool[b, 5]", z="bool[5]", runs=ROWS) for name in LOGIC],
    *[case(f"bitwise_{name}_with_{label}", f"y = aten.bitwise_{name}.Scalar(x, {mask})", **WORDS, runs=ROWS)
      for name in LOGIC for label, mask in [("0", 0), ("1", 1), ("a_low_mask", 15), ("a_gap", 0b1011001), ("minus_1", -1), ("minus_8", -8), ("2_to_40", 2**40)]],
    case("bitwise_and_of_i32", "y = aten.bitwise_and.Scalar(x, 6)", x="i32[b, 5]", runs=ROWS),
    case("bitwise_xor_of_u8", "y = aten.bitwise_xor.Scalar(x, 255)", x=of("u8[b, 5]", low=0, high=255), runs=ROWS),
    case("bitwise_or_of_i8", "y = aten.bitwise_or.Scalar(x, 5)", x="i8[b, 5]", runs=ROWS),
    *[case(f"{name}_shift", f"y = aten.bitwise_{name}_shift.Tensor_Scalar(x, 3)", **WORDS, runs=ROWS) for name in ["left", "right"]],
    *[case(f"{name}_shift_by_tensor", f"y = aten.bitwise_{name}_shift.Tensor(x, z)", **WORDS, z=of("i64[8]", low=0, high=9), runs=ROWS)
      for name in ["left", "right"]],
    case("lshift_of_i32", "y = aten.__lshift__.Scalar(x, 2)", x="i32[b, 5]", runs=ROWS),
    case("rshift_of_i8", "y = aten.__rshift__.Scalar(x, 1)", x="i8[b, 5]", runs=ROWS),
    *[case(f"i{name}_in_place", f"y = aten.logical_not.default(x)\naten.__i{name}__.Tensor(y, z)\nreturn y", x="bool[b, 5]", z="bool[5]",
           runs=ROWS) for name in LOGIC],
    case("ilshift_in_place", "y = aten.select.int(x, 1, 0)\naten.__ilshift__.Scalar(y, 2)\nreturn x", x="i64[b, 5]", runs=ROWS),
    case("irshift_in_place", "y = aten.select.int(x, 1, 0)\naten.__irshift__.Scalar(y, 2)\nreturn x", x=of("i64[b, 5]", low=-99, high=99), runs=ROWS),
    case("isclose", "y = aten.isclose.default(x, z)", x=of("f32[7]", values=[1, 1, 1, 100, float("inf"), float("nan"), 0]),
         z=of("f32[7]", values=[1, 1.000001, 1.1, 100.0005, float("inf"), float("nan"), 1e-9])),
    case("isclose_equal_nan", "y = aten.isclose.default(x, z, 0.1, 0.0, True)", x=of("f32[4]", values=[1, float("nan"), 3, -float("inf")]),
         z=of("f32[4]", values=[1.05, float("nan"), 4, float("inf")])),
    case("isclose_of_ints", "y = aten.isclose.default(x, z, 0.0, 1.0)", x="i64[b, 9]", z="i64[9]", runs=ROWS),
    case("allclose", "y = aten.allclose.default(x, z, 0.0, 0.5)", x="f32[2]", z=of("f32[2]", low=0, high=1),
         runs=[dict(), dict(), dict(), dict()]),
]
