"""What stands between the layers of a network."""

from record_ops import case, of, weight

ROWS = [dict(b=1), dict(b=3)]
PLAIN = ["celu", "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid", "mish", "relu",
         "relu6", "rrelu", "selu", "silu", "softplus", "softshrink"]


def activation(label, name, arguments="", type="f32", **values):
    return case(label, f"y = aten.{name}(x{arguments})", x=of(f"{type}[b, 7]", **values), runs=ROWS)


CASES = [
    *[activation(f"{name}_of_{type}", f"{name}.default", type=type, low=-4, high=4) for name in PLAIN for type in ["f32", "f64", "f16"]],
    *[case(f"{name}_of_special", f"y = aten.{name}.default(x)", x=of("f32[b, 7]", special=True), runs=[dict(b=2)])
      for name in PLAIN if name not in ["hardswish", "hardsigmoid", "mish", "silu", "gelu", "log_sigmoid"]],
    *[case(f"{name}_in_place", f"y = aten.neg.default(x)\naten.{name}_.default(y)\nreturn y", x="f32[b, 5]", runs=ROWS)
      for name in ["relu", "silu", "hardswish", "hardtanh", "leaky_relu", "elu", "hardsigmoid", "mish", "relu6", "selu"]],
    case("relu_of_nothing", "y = aten.relu.default(x)", x="f32[b, 3]", runs=[dict(b=0)]),
    *[activation(f"relu_of_{type}", "relu.default", type=type) for type in ["i64", "i32", "i8"]],
    activation("relu6_of_i64", "relu6.default", type="i64", low=-9, high=9),
    activation("hardtanh_of_i64", "hardtanh.default", ", -2, 3", type="i64", low=-9, high=9),
    activation("hardtanh_limits", "hardtanh.default", ", -0.25, 0.5"),
    activation("leaky_relu_slope", "leaky_relu.default", ", 0.1"),
    activation("elu_alpha", "elu.default", ", 0.5"),
    activation("elu_scaled", "elu.default", ", 0.5, 1.5"),
    activation("elu_input_scale", "elu.default", ", 0.5, 1.5, 2.0"),
    activation("celu_alpha", "celu.default", ", 0.7"),
    activation("gelu_tanh", "gelu.default", ", approximate='tanh'"),
    activation("gelu_tanh_of_f64", "gelu.default", ", approximate='tanh'", type="f64"),
    activation("hardshrink_lambd", "hardshrink.default", ", 1.0"),
    activation("softshrink_lambd", "softshrink.default", ", 1.0"),
    activation("softplus_beta", "softplus.default", ", 2"),
    activation("softplus_threshold", "softplus.default", ", 2, 1", low=-2, high=2),
    activation("softplus_of_large", "softplus.default", low=-100, high=100),
    activation("threshold", "threshold.default", ", 0.5, -7"),
    activation("threshold_of_ints", "threshold.default", ", 1, 20", type="i64"),
    activation("rrelu_bounds", "rrelu.default", ", 0.1, 0.5"),
    case("rrelu_with_noise", "y = aten.rrelu_with_noise.default(x, z)", x="f32[b, 5]", z="f32[b, 5]", runs=ROWS),
    case("log_sigmoid_forward", "y, z = aten.log_sigmoid_forward.default(x)\nreturn y", x="f32[b, 5]", runs=ROWS),
    case("prelu", "y = aten.prelu.default(x, w)", x="f32[b, 3, t]", w=weight("f32[3]"), runs=[dict(b=1, t=1), dict(b=2, t=5)]),
    case("prelu_of_one_slope", "y = aten.prelu.default(x, w)", x="f32[b, 3, t]", w=weight("f32[1]"), runs=[dict(b=1, t=1), dict(b=2, t=5)]),
    case("prelu_of_a_matrix", "y = aten.prelu.default(x, w)", x="f32[b, 3]", w=weight("f32[3]"), runs=ROWS),
    case("prelu_of_a_vector", "y = aten.prelu.default(x, w)", x="f32[b]", w=weight("f32[1]"), runs=ROWS),
    case("prelu_of_images", "y = aten.prelu.default(x, w)", x="f32[b, 3, 2, 2]", w="f32[3]", runs=ROWS),
    case("prelu_of_f64", "y = aten.prelu.default(x, w)", x="f64[b, 3, 2]", w="f64[3]", runs=ROWS),
    case("prelu_kernel", "y = aten._prelu_kernel.default(x, w)", x="f32[b, 3, 2]", w="f32[1, 3, 1]", runs=ROWS),
    case("glu", "y = aten.glu.default(x)", x="f32[b, 6]", runs=ROWS + [dict(b=0)]),
    case("glu_of_an_axis", "y = aten.glu.default(x, 1)", x="f32[b, 4, t]", runs=[dict(b=1, t=1), dict(b=2, t=3)]),
    case("glu_of_a_free_axis", "y = aten.glu.default(x, -1)", x="f32[b, 2*t]", runs=[dict(b=1, t=1), dict(b=2, t=3)]),
    *[case(f"softmax_of_{type}", "y = aten.softmax.int(x, -1)", x=f"{type}[b, 3, t]", runs=[dict(b=1, t=1), dict(b=2, t=5)])
      for type in ["f32", "f64", "f16"]],
    case("softmax_of_the_first_axis", "y = aten.softmax.int(x, 0)", x="f32[b, 3]", runs=ROWS),
    case("softmax_of_a_middle_axis", "y = aten.softmax.int(x, 1)", x="f32[b, 3, 2]", runs=ROWS),
    case("softmax_of_a_scalar", "y = aten.softmax.int(x, 0)", x="f32[]"),
    case("softmax_of_ints_in_f32", "y = aten.softmax.int(x, 1, dtype=float32)", x="i64[b, 3]", runs=ROWS),
    case("softmax_of_f16_in_f32", "y = aten.softmax.int(x, 1, float32)", x="f16[b, 3]", runs=ROWS),
    case("softmax_of_masked", "y = aten.masked_fill.Scalar(x, mask, -inf)\nz = aten.softmax.int(y, -1)\nreturn z", x="f32[b, 3]",
         mask=of("bool[3]", values=[False, True, False]), runs=ROWS),
    case("softmax_without_overload", "y = aten.softmax(x, -1)", x="f32[b, 3]", runs=ROWS),
    case("softmax_kernel", "y = aten._softmax.default(x, 1, False)", x="f32[b, 3]", runs=ROWS),
    case("safe_softmax", "y = aten._safe_softmax.default(x, 1)",
         x=of("f32[3, 2]", values=[1, 2, -float("inf"), -float("inf"), -float("inf"), 3])),
    *[case(f"log_softmax_of_{type}", "y = aten.log_softmax.int(x, 1)", x=f"{type}[b, 3, t]", runs=[dict(b=1, t=1), dict(b=2, t=5)])
      for type in ["f32", "f64", "f16"]],
    case("log_softmax_in_f64", "y = aten.log_softmax.int(x, -1, dtype=float64)", x="f32[b, 3]", runs=ROWS),
    case("log_softmax_kernel", "y = aten._log_softmax.default(x, 1, False)", x="f32[b, 3]", runs=ROWS),
    case("special_log_softmax", "y = aten.special_log_softmax.default(x, 1)", x="f32[b, 3]", runs=ROWS),
    *[case(name, f"y = aten.{name}.default(x, 0.5, False)", x="f32[b, 3]", runs=ROWS)
      for name in ["dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"]],
    case("dropout_in_place", "y = aten.neg.default(x)\naten.dropout_.default(y, 0.5, False)\nreturn y", x="f32[b, 3]", runs=ROWS),
    case("dropout_of_nothing_while_training", "y = aten.dropout.default(x, 0.0, True)", x="f32[b, 3]", runs=ROWS),
    case("native_dropout", "y, z = aten.native_dropout.default(x, 0.5, False)\nreturn y, z", x="f32[b, 3]", runs=ROWS),
]
