"""Normalisations, of tensors and of weights."""

from record_ops import case, of, weight

TIMES = [dict(b=1, t=5), dict(b=3, t=12)]
STATS = dict(m=weight("f32[3]"), v=weight("f32[3]", low=0.2, high=2))
AFFINE = dict(w=weight("f32[3]"), z=weight("f32[3]"))

CASES = [
    case("batch_norm", "y = aten.batch_norm.default(x, w, z, m, v, False, 0.1, 1e-5, True)",
         x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),
    case("batch_norm_without_affine", "y = aten.batch_norm.default(x, None, None, m, v, False, 0.1, 1e-3, True)",
         x="f32[b, 3, t]", **STATS, runs=TIMES),
    case("batch_norm_of_free_channels", "y = aten.batch_norm.default(x, None, None, m, v, False, 0.1, 1e-3, True)",
         x="f32[b, c, t]", **STATS, runs=[dict(b=2, c=3, t=4)]),
    case("batch_norm_of_rank_2", "y = aten.batch_norm.default(x, w, z, m, v, False, 0.1, 1e-5, True)",
         x="f32[b, 3]", **AFFINE, **STATS, runs=[dict(b=1), dict(b=4)]),
    case("batch_norm_of_rank_4", "y = aten.batch_norm.default(x, w, None, m, v, False, 0.1, 1e-5, True)",
         x="f32[b, 3, h, 2]", w=weight("f32[3]"), **STATS, runs=[dict(b=1, h=2), dict(b=2, h=3)]),
    case("batch_norm_of_rank_5", "y = aten.batch_norm.default(x, w, z, m, v, False, 0.1, 1e-5, True)",
         x="f32[b, 3, h, 2, 2]", **AFFINE, **STATS, runs=[dict(b=2, h=3), dict(b=4, h=5)]),
    case("batch_norm_of_f64", "y = aten.batch_norm.default(x, w, z, m, v, False, 0.1, 1e-5, True)",
         x="f64[b, 3, t]", w=weight("f64[3]"), z=weight("f64[3]"), m=weight("f64[3]"),
         v=weight("f64[3]", low=0.2, high=2), runs=TIMES),
    case("batch_norm_of_f16", "y = aten.batch_norm.default(x, w, z, m, v, False, 0.1, 1e-5, True)",
         x="f16[b, 3, t]", w=weight("f16[3]"), z=weight("f16[3]"), m=weight("f16[3]"),
         v=weight("f16[3]", low=0.2, high=2), runs=TIMES, tolerance=4e-3),
    case("batch_norm_by_the_batch", "y = aten.batch_norm.default(x, w, z, None, None, True, 0.1, 1e-5, True)",
         x="f32[b, 3, t]", **AFFINE, runs=TIMES),
    case("batch_norm_by_the_batch_of_rank_2", "y = aten.batch_norm.default(x, None, None, None, None, True, 0.1, 1e-5, True)",
         x="f32[b, 3]", runs=[dict(b=2), dict(b=5)]),
    case("native_batch_norm", "y, m1, v1 = aten.native_batch_norm.default(x, w, z, m, v, False, 0.1, 1e-5)",
         x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),
    case("native_batch_norm_legit_no_training", """
         y, m1, v1 = aten._native_batch_norm_legit_no_training.default(x, w, z, m, v, 0.1, 1e-5)
         return y""", x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),
    case("native_batch_norm_legit", """
         y, m1, v1 = aten._native_batch_norm_legit.default(x, w, z, m, v, False, 0.1, 1e-5)
         return y""", x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),
    case("native_batch_norm_legit_no_stats",
         "y, m, v = aten._native_batch_norm_legit.no_stats(x, w, z, True, 0.1, 1e-5)",
         x="f32[b, 3, t]", **AFFINE, runs=TIMES),
    case("native_batch_norm_legit_functional", """
         y, m1, v1, m2, v2 = aten._native_batch_norm_legit_functional.default(x, w, z, m, v, False, 0.1, 1e-5)
         return y, m2, v2""", x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),
    case("batch_norm_no_update", """
         y, m1, v1, r = aten._batch_norm_no_update.default(x, w, z, m, v, 0.1, 1e-5)
         return y""", x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),
    case("batch_norm_impl_index", """
         y, m1, v1, r, i = aten._batch_norm_impl_index.default(x, w, z, m, v, False, 0.1, 1e-5, False)
         return y, i""", x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),

    case("instance_norm", "y = aten.instance_norm.default(x, w, z, None, None, True, 0.1, 1e-5, True)",
         x="f32[b, 3, t]", **AFFINE, runs=TIMES),
    case("instance_norm_without_affine", "y = aten.instance_norm.default(x, None, None, None, None, True, 0.1, 1e-5, True)",
         x="f32[b, c, h, 2]", runs=[dict(b=1, c=1, h=2), dict(b=2, c=3, h=4)]),
    case("instance_norm_by_running_stats", "y = aten.instance_norm.default(x, w, z, m, v, False, 0.1, 1e-5, True)",
         x="f32[b, 3, t]", **AFFINE, **STATS, runs=TIMES),
    case("instance_norm_of_f64", "y = aten.instance_norm.default(x, w, z, None, None, True, 0.1, 1e-5, True)",
         x="f64[b, 3, t]", w=weight("f64[3]"), z=weight("f64[3]"), runs=TIMES),

    case("group_norm", "y = aten.group_norm.default(x, 2, w, z, 1e-5)",
         x="f32[b, 6, t]", w=weight("f32[6]"), z=weight("f32[6]"), runs=TIMES),
    case("group_norm_of_all_channels", "y = aten.group_norm.default(x, 1)", x="f32[b, 6, h, 3]",
         runs=[dict(b=1, h=2), dict(b=2, h=5)]),
    case("group_norm_of_rank_2", "y = aten.group_norm.default(x, 3, w, None)", x="f32[b, 6]", w=weight("f32[6]"),
         runs=[dict(b=1), dict(b=2)]),
    case("group_norm_of_f64", "y = aten.group_norm.default(x, 3, w, z)", x="f64[b, 6, t]", w=weight("f64[6]"),
         z=weight("f64[6]"), runs=TIMES),
    case("native_group_norm", "y, m, v = aten.native_group_norm.default(x, w, z, 2, 6, 5, 3, 1e-4)",
         x="f32[2, 6, 5]", w=weight("f32[6]"), z=weight("f32[6]"), runs=[dict()]),

    case("layer_norm", "y = aten.layer_norm.default(x, [6], w, z)", x="f32[b, t, 6]", w=weight("f32[6]"),
         z=weight("f32[6]"), runs=TIMES + [dict(b=0, t=3)]),
    case("layer_norm_without_affine", "y = aten.layer_norm.default(x, [6])", x="f32[b, t, 6]", runs=TIMES),
    case("layer_norm_of_two_axes", "y = aten.layer_norm.default(x, [3, 4], w, None, 1e-3)", x="f32[b, 3, 4]",
         w=weight("f32[3, 4]"), runs=[dict(b=1), dict(b=3)]),
    case("layer_norm_of_a_free_axis", """
         n = aten.size(x, 1)
         y = aten.layer_norm(x, [n])""", x="f32[b, t]", runs=TIMES),
    case("layer_norm_of_f64", "y = aten.layer_norm.default(x, [6], w, z)", x="f64[b, 6]", w=weight("f64[6]"),
         z=weight("f64[6]"), runs=[dict(b=2)]),
    case("layer_norm_of_f16", "y = aten.layer_norm.default(x, [6], w, z)", x="f16[b, 6]", w=weight("f16[6]"),
         z=weight("f16[6]"), runs=[dict(b=2)], tolerance=4e-3),
    case("native_layer_norm", "y, m, v = aten.native_layer_norm.default(x, [6], w, z, 1e-5)", x="f32[b, t, 6]",
         w=weight("f32[6]"), z=weight("f32[6]"), runs=TIMES),
    case("native_layer_norm_of_f64", "y, m, v = aten.native_layer_norm.default(x, [3, 2], None, None, 1e-5)",
         x="f64[b, 3, 2]", runs=[dict(b=2), dict(b=4)]),
    case("rms_norm", "y = aten.rms_norm.default(x, [6], w, 1e-3)", x="f32[b, t, 6]", w=weight("f32[6]"), runs=TIMES),
    case("rms_norm_without_eps", "y = aten.rms_norm.default(x, [3, 6])", x="f32[b, 3, 6]", runs=[dict(b=1), dict(b=3)]),
    case("rms_norm_of_zeros", "y = aten.rms_norm.default(x, [3])", x=of("f64[3]", values=[0, 0, 0]), runs=[dict()]),

    case("weight_norm", "w = aten._weight_norm.default(v, g, 0)", x="f32[1]", v=weight("f32[4, 3, 5]"),
         g=weight("f32[4, 1, 1]"), runs=[dict()]),
    case("weight_norm_of_the_last_axis", "w = aten._weight_norm.default(v, g, 2)", x="f32[1]",
         v=weight("f32[4, 3, 5]"), g=weight("f32[1, 1, 5]"), runs=[dict()]),
    case("weight_norm_of_no_axis", "w = aten._weight_norm.default(v, g, -1)", x="f32[1]",
         v=weight("f32[4, 3]"), g=weight("f32[]"), runs=[dict()]),
    case("weight_norm_of_a_convolution", """
         w = aten._weight_norm.default(v, g, 0)
         y = aten.conv1d.default(x, w, None)""", x="f32[b, 3, t]", v=weight("f32[4, 3, 5]"),
         g=weight("f32[4, 1, 1]"), runs=TIMES),
    case("weight_norm_of_what_is_computed", "w = aten._weight_norm.default(v, g, 1)",
         v="f32[4, 3, 5]", g="f32[1, 3, 1]", runs=[dict()]),
    case("weight_norm_of_f64", "w = aten._weight_norm.default(v, g)", x="f32[1]", v=weight("f64[4, 3]"),
         g=weight("f64[4, 1]"), runs=[dict()]),
    case("weight_norm_of_f16", "w = aten._weight_norm.default(v, g)", x="f32[1]", v=weight("f16[4, 3]"),
         g=weight("f16[4, 1]"), runs=[dict()], tolerance=4e-3),
    case("weight_norm_interface", "w, n = aten._weight_norm_interface.default(v, g, 0)", x="f32[1]",
         v=weight("f32[4, 3, 5]"), g=weight("f32[4, 1, 1]"), runs=[dict()]),
    case("norm_except_dim", "n = aten.norm_except_dim.default(v, 2, 1)", v="f32[4, 3, 5]", runs=[dict()]),
    case("norm_except_no_dim", "n = aten.norm_except_dim.default(v, 3, -1)", v="f32[4, 3, 5]", runs=[dict()]),
    case("norm_except_dim_of_power_1", "n = aten.norm_except_dim.default(v, 1, 0)", v="f32[4, 3]", runs=[dict()]),
]
