"""Operators that look at one element of each input at a time."""

from record_ops import case, of, weight

ROWS = [dict(b=1), dict(b=4)]

CASES = [
    case("add_alpha", "y = aten.add.Tensor(x, z, alpha=2)", x="f32[b, 3]", z="f32[1, 3]", runs=ROWS),
    case("add_scalar_of_ints_by_a_float", "y = aten.add.Scalar(x, 1.5)", x="i64[b, 3]", runs=ROWS),
    case("add_without_overload", "y = aten.add(x, z)", x="f32[b, 3]", z="f32[b, 1]", runs=ROWS),
    case("add_in_place", """
         y = aten.relu.default(x)
         aten.add_.Tensor(y, z)
         return y""", x="f32[b, 3]", z="f32[3]", runs=ROWS),
    case("mul_by_weight", "y = aten.mul.Tensor(x, w)", x="f32[b, 3]", w=weight("f32[3]"), runs=ROWS + [dict(b=0)]),
    case("mul_promotes_ints_to_floats", "y = aten.mul.Tensor(x, z)", x="i32[b, 3]", z="f32[b, 3]", runs=ROWS),
    case("div_of_ints", "y = aten.div.Tensor(x, z)", x="i64[b, 3]", z=of("i64[b, 3]", low=1, high=5), runs=ROWS),
    case("div_floor", 'y = aten.div.Tensor_mode(x, z, rounding_mode="floor")',
         x=of("i64[b, 6]", low=-9, high=9), z=of("i64[6]", values=[1, -2, 3, -4, 5, -6]), runs=ROWS),
    case("div_trunc", "y = aten.div.Tensor_mode(x, z, rounding_mode='trunc')",
         x="f32[b, 6]", z=of("f32[6]", values=[1, -0.2, 0.3, -0.4, 5, -6]), runs=ROWS),
    case("remainder_has_the_sign_of_the_divisor", "y = aten.remainder.Tensor(x, z)",
         x=of("i64[b, 6]", low=-9, high=9), z=of("i64[6]", values=[1, -2, 3, -4, 5, -6]), runs=ROWS),
    case("clamp", "y = aten.clamp.default(x, -0.5, 0.75)", x=of("f32[b, 8]", special=True), runs=ROWS),
    case("clamp_min_of_ints", "y = aten.clamp_min.default(x, 0)", x="i64[b, 8]", runs=ROWS),
    case("round_to_even", "y = aten.round.default(x)", x=of("f32[b, 16]", special=True), runs=ROWS),
    case("exp", "y = aten.exp.default(x)", x=of("f32[b, 16]", special=True), runs=ROWS),
    case("log_of_positive", "y = aten.log.default(x)", x=of("f32[b, 3]", low=0.01, high=10), runs=ROWS),
    case("pow_of_scalars_exponent", "y = aten.pow.Tensor_Scalar(x, 2.5)", x=of("f32[b, 3]", low=0, high=3), runs=ROWS),
    case("le_scalar", "y = aten.le.Scalar(x, 0.5)", x=of("f32[b, 16]", special=True), runs=ROWS),
    case("where_broadcasts", "y = aten.where.self(mask, x, z)", mask="bool[b, 1]", x="f32[b, 3]", z="f32[]", runs=ROWS),
    case("mul_by_a_number", """
         y = aten.mul.Scalar(x, n)
         return y""", x="f32[b, 3]", n="int", runs=[dict(b=1, n=3), dict(b=2, n=-1)]),
]
