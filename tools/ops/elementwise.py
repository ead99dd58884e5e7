"""Arithmetic on the elements of two and three tensors."""

from record_ops import case, of, weight

ROWS = [dict(b=1), dict(b=4)]
CROSSED = [dict(b=2, t=3, s=5), dict(b=4, t=2, s=1), dict(b=3, t=1, s=2)]
SPECIAL = of("f32[b, 14]", special=True)
DIVIDENDS = [7, -7, 7, -7, 1, 0, -9, 8]
DIVISORS = [2, 2, -3, -3, 5, -6, 3, -4]


def binary(name, *types, suffix=None, low=None, high=None):
    a, b = types
    return case(f"{name.replace('.', '_')}_of_{a}_and_{b}" if suffix is None else name.replace(".", "_") + suffix,
                f"y = aten.{name}(x, z)", x=of(f"{a}[b, 3]", low=low, high=high), z=of(f"{b}[1, 3]", low=low, high=high),
                runs=ROWS)


def division(name, type, arguments=""):
    return case(f"{name.replace('.', '_')}_of_{type}{arguments.partition('=')[2].strip(chr(39))}", f"y = aten.{name}(x, z{arguments})",
                x=of(f"{type}[8]", values=DIVIDENDS), z=of(f"{type}[8]", values=DIVISORS))


def crossed(name, type="f32", arguments="", low=None, high=None):
    """Each operand is dynamic along an axis that is fixed in the other, at 1, or that the other lacks."""
    return case(f"{name.partition('.')[0]}_crossed_of_{type}", f"y = aten.{name}(x, z{arguments})",
                x=of(f"{type}[b, 1, t]", low=low, high=high), z=of(f"{type}[s, 1]", low=low, high=high), runs=CROSSED)


TYPES = ["f32", "f64", "f16", "i64", "i32", "i8", "i16"]

CASES = [
    case("add_alpha", "y = aten.add.Tensor(x, z, alpha=2)", x="f32[b, 3]", z="f32[1, 3]", runs=ROWS),
    case("add_scalar_of_ints_by_a_float", "y = aten.add.Scalar(x, 1.5)", x="i64[b, 3]", runs=ROWS),
    case("add_without_overload", "y = aten.add(x, z)", x="f32[b, 3]", z="f32[b, 1]", runs=ROWS),
    case("add_in_place", """
         y = aten.relu.default(x)
         aten.add_.Tensor(y, z)
         return y""", x="f32[b, 3]", z="f32[3]", runs=ROWS),
    *[binary(name, type, type) for name in ["add.Tensor", "sub.Tensor", "mul.Tensor", "maximum.default", "minimum.default"]
      for type in TYPES],
    *[binary(name, "u8", "u8", low=0, high=9) for name in ["add.Tensor", "mul.Tensor", "maximum.default"]],
    *[binary(name, "bool", "bool") for name in ["add.Tensor", "mul.Tensor", "maximum.default", "minimum.default", "div.Tensor"]],
    *[binary("add.Tensor", a, b) for a, b in [("bool", "i64"), ("i32", "i64"), ("i64", "f32"), ("f16", "f32"), ("f32", "f64"),
                                               ("u8", "i8"), ("bool", "f32")]],
    case("add_of_a_tensor_without_axes", "y = aten.add.Tensor(x, z)", x="f32[b, 3]", z="f64[]", runs=ROWS),
    case("add_of_an_int_to_bools", "y = aten.add.Tensor(x, 2)", x="bool[b, 3]", runs=ROWS),
    case("add_alpha_of_ints", "y = aten.add.Tensor(x, z, alpha=-3)", x="i64[b, 3]", z="i64[3]", runs=ROWS),
    case("sub_alpha", "y = aten.sub.Tensor(x, z, alpha=0.5)", x="f32[b, 3]", z="f32[3]", runs=ROWS),
    case("rsub_scalar", "y = aten.rsub.Scalar(x, 1.5)", x="f32[b, 3]", runs=ROWS),
    case("rsub_scalar_of_ints", "y = aten.rsub.Scalar(x, 2, 3)", x="i64[b, 3]", runs=ROWS),
    case("rsub_without_overload", "y = aten.rsub(x, 1, 1)", x="f32[b, 3]", runs=ROWS),
    case("mul_by_weight", "y = aten.mul.Tensor(x, w)", x="f32[b, 3]", w=weight("f32[3]"), runs=ROWS + [dict(b=0)]),
    case("mul_promotes_ints_to_floats", "y = aten.mul.Tensor(x, z)", x="i32[b, 3]", z="f32[b, 3]", runs=ROWS),
    case("mul_by_a_number", "y = aten.mul.Scalar(x, n)\nreturn y", x="f32[b, 3]", n="int", runs=[dict(b=1, n=3), dict(b=2, n=-1)]),
    case("multiply", "y = aten.multiply.Tensor(x, x)", x="f32[b, 3]", runs=ROWS),
    case("div_of_ints", "y = aten.div.Tensor(x, z)", x="i64[b, 3]", z=of("i64[b, 3]", low=1, high=5), runs=ROWS),
    case("div_of_ints_by_a_number", "y = aten.div.Scalar(x, 4)", x="i64[b, 3]", runs=ROWS),
    case("true_divide", "y = aten.true_divide.Tensor(x, z)", x="i64[b, 3]", z=of("f32[b, 3]", low=1, high=5), runs=ROWS),
    *[division("div.Tensor_mode", type, f", rounding_mode='{mode}'") for mode in ["floor", "trunc"]
      for type in ["f32", "f64", "i64", "i32", "i8"]],
    *[division(name, type) for name in ["remainder.Tensor", "fmod.Tensor", "floor_divide.default"]
      for type in ["f32", "f64", "f16", "i64", "i32", "i8"]],
    case("div_floor_of_fractions", "y = aten.div.Tensor_mode(x, z, rounding_mode='floor')",
         x=of("f32[6]", values=[1.0, 0.6, -1.0, 2.5, 0.3, -0.7]), z=of("f32[6]", values=[0.1, 0.2, 0.1, 0, 0.1, -0.1])),
    case("div_trunc", "y = aten.div.Tensor_mode(x, z, rounding_mode='trunc')",
         x="f32[b, 6]", z=of("f32[6]", values=[1, -0.2, 0.3, -0.4, 5, -6]), runs=ROWS),
    case("div_mode_none", "y = aten.div.Tensor_mode(x, z, rounding_mode=None)", x="i64[b, 3]",
         z=of("i64[3]", values=[1, -2, 3]), runs=ROWS),
    case("floor_divide_by_a_number", "y = aten.floor_divide.Scalar(x, 3)", x=of("i64[b, 6]", low=-9, high=9), runs=ROWS),
    case("remainder_by_a_number", "y = aten.remainder.Scalar(x, -2.5)", x=of("f32[b, 6]", low=-9, high=9), runs=ROWS),
    case("remainder_of_a_number", "y = aten.remainder.Scalar_Tensor(7, x)", x=of("i64[b, 6]", low=1, high=9), runs=ROWS),
    case("fmod_by_a_number", "y = aten.fmod.Scalar(x, 2.5)", x=of("f32[b, 6]", low=-9, high=9), runs=ROWS),
    case("remainder_of_ints_by_a_float", "y = aten.remainder.Scalar(x, 2.5)", x=of("i64[b, 6]", low=-9, high=9), runs=ROWS),
    # Powers.
    *[case(f"pow_{type}_by_{name}", f"y = aten.pow.Tensor_Scalar(x, {exponent})", x=of(f"{type}[b, 3]", low=low, high=4), runs=ROWS)
      for type, name, exponent, low in [
          ("f32", "2", 2, -3), ("f32", "3", 3, -3), ("f32", "half", 0.5, 0), ("f32", "minus_1", -1, 1), ("f32", "minus_half", -0.5, 1),
          ("f32", "2_and_a_half", 2.5, 0), ("f32", "0", 0, -3), ("f64", "2", 2, -3), ("f16", "2", 2, -3), ("i64", "2", 2, -3),
          ("i64", "3", 3, -3), ("i32", "3", 3, -3), ("i64", "2_and_a_half", 2.5, 0), ("i8", "2", 2, -3), ("bool", "2", 2, 0)]],
    case("pow_of_tensors", "y = aten.pow.Tensor_Tensor(x, z)", x=of("f32[b, 3]", low=0.1, high=3), z="f32[3]", runs=ROWS),
    case("pow_of_ints", "y = aten.pow.Tensor_Tensor(x, z)", x="i64[b, 3]", z=of("i64[3]", low=0, high=5), runs=ROWS),
    case("pow_of_ints_by_floats", "y = aten.pow.Tensor_Tensor(x, z)", x=of("i64[b, 3]", low=1, high=5), z="f32[3]", runs=ROWS),
    case("pow_of_a_number", "y = aten.pow.Scalar(2, x)", x="f32[b, 3]", runs=ROWS),
    case("pow_of_a_float_by_ints", "y = aten.pow.Scalar(1.5, x)", x="i64[b, 3]", runs=ROWS),
    case("pow_without_overload", "y = aten.pow(x, 2)", x="f32[b, 3]", runs=ROWS),
    case("float_power", "y = aten.float_power.Tensor_Scalar(x, 2)", x="i64[b, 3]", runs=ROWS),
    # What is not a number stays so.
    *[case(f"{name}_of_special", f"y = aten.{name}.default(x, z)", x=SPECIAL, z="f32[14]", runs=ROWS)
      for name in ["maximum", "minimum", "fmax", "fmin"]],
    *[case(f"{name}_by_special", f"y = aten.{name}.default(z, x)", x=SPECIAL, z="f32[14]", runs=ROWS)
      for name in ["maximum", "minimum", "fmax", "fmin"]],
    *[case(f"{name}_other", f"y = aten.{name}.other(x, z)", x="f32[b, 3]", z="f32[3]", runs=ROWS) for name in ["max", "min"]],
    case("max_other_without_overload", "y = aten.max(x, z)", x="f32[b, 3]", z="f32[3]", runs=ROWS),
    case("clamp", "y = aten.clamp.default(x, -0.5, 0.75)", x=SPECIAL, runs=ROWS),
    case("clamp_min_only", "y = aten.clamp.default(x, 0.25)", x=SPECIAL, runs=ROWS),
    case("clamp_max_only", "y = aten.clamp.default(x, None, 0.25)", x=SPECIAL, runs=ROWS),
    case("clamp_max_below_min", "y = aten.clamp.default(x, 1, -1)", x=SPECIAL, runs=ROWS),
    case("clamp_of_ints_by_floats", "y = aten.clamp.default(x, -0.5, 2.5)", x="i64[b, 8]", runs=ROWS),
    case("clamp_of_f64", "y = aten.clamp.default(x, -0.5, 0.75)", x="f64[b, 8]", runs=ROWS),
    case("clamp_of_f16", "y = aten.clamp.default(x, -0.5, 0.75)", x="f16[b, 8]", runs=ROWS),
    *[case(f"clamp_of_{type}", "y = aten.clamp.default(x, -2, 3)", x=f"{type}[b, 8]", runs=ROWS) for type in ["i64", "i32", "i16", "i8"]],
    case("clamp_by_tensors", "y = aten.clamp.Tensor(x, low, high)", x=SPECIAL, low="f32[14]", high="f32[1]", runs=ROWS),
    case("clamp_by_one_tensor", "y = aten.clamp.Tensor(x, None, high)", x=SPECIAL, high="f32[14]", runs=ROWS),
    case("clamp_by_nan", "y = aten.clamp.default(x, nan, 1.0)", x="f32[3]"),
    case("clamp_min_of_ints", "y = aten.clamp_min.default(x, 0)", x="i64[b, 8]", runs=ROWS),
    case("clamp_min_by_a_tensor", "y = aten.clamp_min.Tensor(x, z)", x="f32[b, 3]", z="f32[3]", runs=ROWS),
    case("clamp_max", "y = aten.clamp_max.default(x, 0.5)", x=SPECIAL, runs=ROWS),
    case("clip", "y = aten.clip.default(x, 0.0, 0.5)", x=SPECIAL, runs=ROWS),
    case("clamp_in_place", "y = aten.relu.default(x)\naten.clamp_.default(y, 0.1, 0.5)\nreturn y", x="f32[b, 3]", runs=ROWS),
    # Functions of two.
    case("atan2", "y = aten.atan2.default(x, z)", x=of("f32[10]", values=[1, 1, -1, -1, 0, 0, -0.0, -0.0, 2, -2]),
         z=of("f32[10]", values=[1, -1, 1, -1, 1, -1, 1, -1, 0, 0])),
    case("atan2_of_ints", "y = aten.atan2.default(x, z)", x="i64[b, 3]", z="i64[3]", runs=ROWS),
    case("atan2_of_f64", "y = aten.atan2.default(x, z)", x="f64[b, 3]", z="f64[3]", runs=ROWS),
    case("atan2_of_origin", "y = aten.atan2.default(x, z)", x=of("f32[4]", values=[0.0, 0.0, -0.0, -0.0]),
         z=of("f32[4]", values=[0.0, -0.0, 0.0, -0.0])),
    *[binary(name + ".default", "f32", "f32", suffix="") for name in ["hypot", "logaddexp", "logaddexp2", "fmax", "fmin"]],
    binary("hypot.default", "f64", "f64"), binary("logaddexp.default", "f64", "f64"),
    case("logaddexp_of_special", "y = aten.logaddexp.default(x, x)", x=of("f32[6]", values=[-float("inf"), float("inf"), 0, 90, -90, 1])),
    case("xlogy", "y = aten.xlogy.Tensor(x, z)", x=of("f32[5]", values=[0, 0, 1, 2, 0]), z=of("f32[5]", values=[0, float("nan"), 2, 0.5, 3])),
    case("xlogy_of_a_number", "y = aten.xlogy.Scalar_Self(2, x)", x=of("f32[b, 3]", low=0.1, high=4), runs=ROWS),
    case("xlog1py", "y = aten.special_xlog1py.default(x, z)", x="f32[b, 3]", z=of("f32[3]", low=0.1, high=4), runs=ROWS),
    case("copysign", "y = aten.copysign.Tensor(x, z)", x="f32[6]", z=of("f32[6]", values=[1, -1, 0.0, -0.0, float("inf"), -float("inf")])),
    case("copysign_of_ints", "y = aten.copysign.Scalar(x, -2)", x="i64[b, 3]", runs=ROWS),
    case("heaviside", "y = aten.heaviside.default(x, z)", x=of("f32[5]", values=[-1, 0, 2, 0, float("nan")]), z="f32[5]"),
    case("heaviside_of_ints", "y = aten.heaviside.default(x, z)", x="i64[b, 5]", z="i64[1]", runs=ROWS),
    case("ldexp", "y = aten.ldexp.Tensor(x, z)", x="f32[b, 3]", z="i64[3]", runs=ROWS),
    # Dynamic axes of different sizes against each other.
    *[crossed(name) for name in [
        "add.Tensor", "sub.Tensor", "rsub.Tensor", "mul.Tensor", "div.Tensor", "remainder.Tensor", "fmod.Tensor", "maximum.default",
        "minimum.default", "fmax.default", "fmin.default", "atan2.default", "hypot.default", "logaddexp.default", "logaddexp2.default",
        "copysign.Tensor", "heaviside.default", "ldexp.Tensor"]],
    *[crossed(name, low=0.5, high=4) for name in ["pow.Tensor_Tensor", "floor_divide.default", "xlogy.Tensor", "special_xlog1py.default"]],
    crossed("true_divide.Tensor", "i64", low=1, high=9), crossed("div.Tensor_mode", "i64", ", rounding_mode='floor'", low=1, high=9),
    # Of three.
    case("where_crossed", "y = aten.where.self(mask, x, z)", mask="bool[b, 1, t]", x="f32[s, 1]", z="f32[t]", runs=CROSSED),
    case("lerp_crossed", "y = aten.lerp.Tensor(x, z, w)", x="f32[b, 1, t]", z="f32[s, 1]", w="f32[b, s, 1]", runs=CROSSED),
    case("addcmul_crossed", "y = aten.addcmul.default(x, z, w, value=0.5)", x="f32[t]", z="f32[b, 1, 1]", w="f32[s, 1]", runs=CROSSED),
    case("addcdiv_crossed", "y = aten.addcdiv.default(x, z, w, value=2)", x="f32[s, t]", z="f32[b, 1, t]", w=of("f32[s, 1]", low=1, high=2),
         runs=CROSSED),
    case("clamp_crossed", "y = aten.clamp.Tensor(x, low, high)", x="f32[b, s, t]", low="f32[s, 1]", high="f32[b, 1, 1]", runs=CROSSED),
    case("masked_fill_crossed", "y = aten.masked_fill.Scalar(x, mask, 7)", x="f32[b, s, t]", mask="bool[s, 1]", runs=CROSSED),
    case("where_broadcasts", "y = aten.where.self(mask, x, z)", mask="bool[b, 1]", x="f32[b, 3]", z="f32[]", runs=ROWS),
    *[case(f"where_of_{type}", "y = aten.where.self(mask, x, z)", mask="bool[b, 1]", x=f"{type}[b, 3]", z=f"{type}[3]", runs=ROWS)
      for type in ["f64", "f16", "i64", "i32", "i16", "i8", "bool"]],
    case("where_promotes", "y = aten.where.self(mask, x, z)", mask="bool[b, 1]", x="i64[b, 3]", z="f32[3]", runs=ROWS),
    case("where_scalar_other", "y = aten.where.ScalarOther(mask, x, 0.5)", mask="bool[b, 3]", x="i64[b, 3]", runs=ROWS),
    case("where_scalar_self", "y = aten.where.ScalarSelf(mask, -1, x)", mask="bool[b, 3]", x="f32[b, 3]", runs=ROWS),
    case("where_scalars", "y = aten.where.Scalar(mask, 1.0, 0.0)", mask="bool[b, 3]", runs=ROWS),
    case("where_int_scalars", "y = aten.where.Scalar(mask, 1, 0)", mask="bool[b, 3]", runs=ROWS),
    case("where_without_overload", "y = aten.where(mask, x, 2.0)", mask="bool[b, 3]", x="f32[b, 3]", runs=ROWS),
    case("masked_fill", "y = aten.masked_fill.Scalar(x, mask, -inf)", x="f32[b, 3]", mask="bool[b, 1]", runs=ROWS),
    case("masked_fill_of_ints", "y = aten.masked_fill.Scalar(x, mask, 7)", x="i64[b, 3]", mask="bool[3]", runs=ROWS),
    case("masked_fill_of_bools", "y = aten.masked_fill.Scalar(x, mask, True)", x="bool[b, 3]", mask="bool[3]", runs=ROWS),
    case("masked_fill_by_a_tensor", "y = aten.masked_fill.Tensor(x, mask, z)", x="f32[b, 3]", mask="bool[b, 3]", z="f32[]", runs=ROWS),
    case("masked_fill_in_place", "y = aten.relu.default(x)\naten.masked_fill_.Scalar(y, mask, 2)\nreturn y",
         x="f32[b, 3]", mask="bool[b, 1]", runs=ROWS),
    case("lerp", "y = aten.lerp.Scalar(x, z, 0.3)", x="f32[b, 3]", z="f32[3]", runs=ROWS),
    case("lerp_by_a_tensor", "y = aten.lerp.Tensor(x, z, w)", x="f32[b, 3]", z="f32[3]", w="f32[b, 1]", runs=ROWS),
    case("addcmul", "y = aten.addcmul.default(x, z, w, value=0.5)", x="f32[b, 3]", z="f32[3]", w="f32[b, 1]", runs=ROWS),
    case("addcmul_of_ints", "y = aten.addcmul.default(x, z, w, value=2)", x="i64[b, 3]", z="i64[3]", w="i64[b, 1]", runs=ROWS),
    case("addcdiv", "y = aten.addcdiv.default(x, z, w, value=0.5)", x="f32[b, 3]", z="f32[3]", w=of("f32[b, 1]", low=1, high=2), runs=ROWS),
]
