"""Functions of one element."""

from record_ops import case, of

ROWS = [dict(b=1), dict(b=3)]


def overload(name):
    return name if name.count(".") else name + ".default"


def unary(name, type="f32", tolerance=None, suffix="", arguments="", **values):
    label = name.replace(".", "_") + suffix + ("" if type == "f32" else "_of_" + type)
    return case(label, f"y = aten.{overload(name)}(x{arguments})", x=of(f"{type}[b, 5]", **values), runs=ROWS,
                tolerance=tolerance)


ANY = ["abs", "atan", "asinh", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "floor", "frac", "isfinite",
       "isinf", "isnan", "isneginf", "isposinf", "log", "log10", "log1p", "log2", "logical_not", "logit", "nan_to_num", "neg",
       "positive", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sgn", "signbit", "sin", "sinc", "sinh", "special_entr",
       "special_ndtr", "sqrt", "square", "tan", "tanh", "trunc", "angle", "deg2rad", "rad2deg", "acos", "asin", "atanh", "acosh"]
GIVES_FLOATS = ["acos", "atan", "cos", "erf", "exp", "expm1", "log", "log1p", "log2", "reciprocal", "rsqrt", "sigmoid", "sin",
                "sqrt", "tanh", "deg2rad", "asinh", "exp2", "erfc", "sinh"]
KEEPS_INTS = ["abs", "ceil", "floor", "isfinite", "isinf", "isnan", "logical_not", "nan_to_num", "neg", "positive", "round",
              "sign", "signbit", "square", "trunc", "bitwise_not"]

CASES = [
    *[case(name + "_of_special", f"y = aten.{name}.default(x)", x=of("f32[b, 8]", special=True), runs=[dict(b=2)])
      for name in ANY],
    *[unary(name, "f64", low=0.1, high=0.9) for name in ANY],
    *[unary(name, "f16", low=0.1, high=0.9, tolerance=1e-2) for name in ANY if name not in ["acosh"]],
    unary("acosh", low=1, high=9),
    unary("acosh", "f64", suffix="_above_1", low=1, high=9),
    *[unary(name, "i64", low=1, high=5) for name in GIVES_FLOATS],
    unary("sqrt", "bool"),
    unary("exp", "u8", low=0, high=5),
    *[unary(name, type) for name in KEEPS_INTS for type in ["i64", "i32", "i8"]],
    unary("abs", "i16"),
    unary("abs", "u8", low=0, high=9),
    unary("neg", "u8", low=0, high=9),
    unary("bitwise_not", "u8", low=0, high=9),
    unary("sign", "u8", low=0, high=9),
    *[unary(name, "bool") for name in ["bitwise_not", "logical_not", "isnan", "square", "sign"]],
    case("abs_without_overload", "y = aten.abs(x)", x="f32[b, 3]", runs=ROWS + [dict(b=0)]),
    case("absolute_of_a_scalar", "y = aten.absolute.default(x)", x="f32[]"),
    case("neg_in_place", "y = aten.relu.default(x)\naten.neg_.default(y)\nreturn y", x="f32[b, 3]", runs=ROWS),
    case("exp_in_a_view", "y = aten.select.int(x, 1, 0)\naten.exp_.default(y)\nreturn x", x="f32[b, 3]", runs=ROWS),
    case("expm1_near_0", "y = aten.mul.Scalar(x, 1e-6)\nz = aten.expm1.default(y)\nw = aten.mul.Scalar(z, 1e6)\nreturn w",
         x="f32[5]"),
    case("log1p_near_0", "y = aten.mul.Scalar(x, 1e-6)\nz = aten.log1p.default(y)\nw = aten.mul.Scalar(z, 1e6)\nreturn w",
         x="f32[5]"),
    case("log2_of_powers_is_exact", "y = aten.log2.default(x)\nz = aten.floor.default(y)\nreturn z",
         x=of("f32[6]", values=[1, 2, 4, 8, 64, 536870912])),
    case("log10_of_powers_is_exact", "y = aten.log10.default(x)\nz = aten.floor.default(y)\nreturn z",
         x=of("f32[5]", values=[1, 10, 100, 1000, 1e6])),
    case("erfinv", "y = aten.erfinv.default(x)",
         x=of("f32[12]", values=[-1, 1, 0, 0.5, -0.5, 0.9, -0.99, 0.999, -0.9999, 0.1, 1e-6, 2])),
    unary("special_ndtri", low=0.001, high=0.999),
    unary("i0", low=-9, high=9),
    unary("isreal", special=True),
    unary("isreal", "i64"),
    unary("erfinv", "f64", low=-0.99, high=0.99),
    *[case(name, f"y = aten.{name}.default(x)", x=of("f32[12]", values=[0.1, 0.5, 1, 1.5, 2, 3.25, 30, 1e6, -0.5, -1.75, -20.25, 1e-6]))
      for name in ["lgamma", "digamma"]],
    case("lgamma_of_special", "y = aten.lgamma.default(x)",
         x=of("f32[6]", values=[0, -1, -7, float("inf"), -float("inf"), float("nan")])),
    unary("lgamma", "f64", low=0.1, high=9),
    unary("lgamma", "i64", low=1, high=9),
    unary("digamma", "f64", low=0.1, high=9),
    *[case(f"{name}_to_many_digits", f"y = aten.{name}.default(x)", x=of("f64[b, 4]", low=-4, high=9), runs=[dict(b=3)], tolerance=1e-11)
      for name in ["lgamma", "digamma"]],
    unary("round.decimals", suffix="_2", arguments=", decimals=2"),
    unary("round.decimals", suffix="_minus_1", arguments=", decimals=-1", low=-99, high=99),
    unary("round.decimals", suffix="_0", arguments=", decimals=0"),
    unary("logit", suffix="_eps", arguments=", 0.1", low=-0.5, high=1.5),
    unary("nan_to_num", suffix="_numbers", arguments=", 1.5, 2.5, -3.5", special=True),
    unary("nan_to_num", suffix="_posinf_only", arguments=", posinf=7.0", special=True),
    unary("nan_to_num", "f64", suffix="_of_special", special=True),
    unary("nan_to_num", "f16", suffix="_of_special", special=True),
    unary("isinf", "f16", suffix="_of_special", special=True),
    unary("isnan", "f64", suffix="_of_special", special=True),
    case("cos_of_large_f64", "y = aten.cos.default(x)", x=of("f64[4]", values=[1000.25, -54321.125, 1e6, 3.5])),
    case("tanh_of_nothing", "y = aten.tanh.default(x)", x="f32[b, 0]", runs=[dict(b=2)]),
]
