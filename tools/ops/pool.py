"""Pools."""

from record_ops import case, of, weight

TIMES = [dict(b=1, t=4), dict(b=2, t=5), dict(b=1, t=6), dict(b=1, t=7), dict(b=1, t=12)]
PLANES = [dict(b=1, h=5, w=7), dict(b=2, h=6, w=4), dict(b=1, h=7, w=9)]


def x(type):
    return of(type, distinct=True)


CASES = [
    case("max_pool1d", "y = aten.max_pool1d.default(x, [3])", x="f32[b, 2, t]", runs=TIMES),
    case("max_pool1d_padded_strided_dilated", "y = aten.max_pool1d.default(x, [3], [2], [1], [2])", x="f32[b, 2, t]",
         runs=TIMES),
    case("max_pool1d_ceil", "y = aten.max_pool1d.default(x, [3], [2], [1], [1], True)", x="f32[b, 2, t]", runs=TIMES),
    case("max_pool1d_ceil_that_drops_a_window", "y = aten.max_pool1d.default(x, [2], [2], [1], [1], True)",
         x="f32[b, 2, t]", runs=TIMES),
    case("max_pool1d_ceil_of_stride_above_kernel", "y = aten.max_pool1d.default(x, [2], [3], [0], [1], True)",
         x="f32[b, 2, t]", runs=TIMES),
    case("max_pool1d_ceil_dilated", "y = aten.max_pool1d.default(x, [2], [4], [1], [3], True)", x="f32[b, 2, t]",
         runs=TIMES),
    case("max_pool1d_without_batch", "y = aten.max_pool1d.default(x, [2])", x="f32[2, t]", runs=[dict(t=5)]),
    case("max_pool1d_with_indices", "y, i = aten.max_pool1d_with_indices.default(x, [3], [2], [1])", x=x("f32[b, 2, t]"),
         runs=TIMES),
    case("max_pool2d", "y = aten.max_pool2d.default(x, [3, 2], [2, 1], [1, 0], [1, 2])", x="f32[b, 2, h, w]", runs=PLANES),
    case("max_pool2d_ceil", "y = aten.max_pool2d.default(x, [3, 3], [2, 2], [0, 1], [1, 1], True)", x="f32[b, 2, h, w]",
         runs=PLANES),
    case("max_pool2d_of_f64", "y = aten.max_pool2d.default(x, [3, 3], [2, 2], [1, 1])", x="f64[b, 2, h, w]", runs=PLANES[:1]),
    case("max_pool2d_of_f16", "y = aten.max_pool2d.default(x, [3, 3], [2, 2], [1, 1])", x="f16[b, 2, h, w]", runs=PLANES[:1]),
    case("max_pool2d_of_i64", "y = aten.max_pool2d.default(x, [3, 3], [2, 2], [1, 1])", x="i64[b, 2, h, w]", runs=PLANES[:1]),
    case("max_pool2d_of_one_number", "y = aten.max_pool2d.default(x, [2])", x="f32[2, h, w]", runs=[dict(h=4, w=5)]),
    case("max_pool2d_with_indices", "y, i = aten.max_pool2d_with_indices.default(x, [3, 2], [2, 2], [1, 0], [1, 2], True)",
         x=x("f32[b, 2, h, w]"), runs=PLANES),
    case("max_pool2d_with_indices_of_wide_holes",
         "y, i = aten.max_pool2d_with_indices.default(x, [2, 2], [5, 4], [1, 1], [4, 3], True)",
         x=x("f32[b, 2, h, w]"), runs=PLANES),
    case("max_pool2d_whose_indices_nobody_asks_for", """
         y, i = aten.max_pool2d_with_indices.default(x, [2, 2], [2, 2])
         return y""", x="f32[b, 2, h, w]", runs=PLANES),
    case("max_pool3d", "y = aten.max_pool3d.default(x, [2, 3, 2], [2, 1, 2], [1, 1, 0], [1, 1, 1], True)",
         x="f32[b, 2, 3, h, w]", runs=PLANES),
    case("max_pool3d_with_indices", "y, i = aten.max_pool3d_with_indices.default(x, [2, 3, 2], [1, 2, 2])",
         x=x("f32[b, 2, 3, h, w]"), runs=PLANES),

    case("avg_pool1d", "y = aten.avg_pool1d.default(x, [3], [2], [1])", x="f32[b, 2, t]", runs=TIMES),
    case("avg_pool1d_without_pads_counted", "y = aten.avg_pool1d.default(x, [3], [2], [1], False, False)",
         x="f32[b, 2, t]", runs=TIMES),
    case("avg_pool1d_ceil", "y = aten.avg_pool1d.default(x, [3], [2], [1], True)", x="f32[b, 2, t]", runs=TIMES),
    case("avg_pool1d_ceil_without_pads_counted", "y = aten.avg_pool1d.default(x, [4], [3], [2], True, False)",
         x="f32[b, 2, t]", runs=TIMES),
    case("avg_pool1d_ceil_of_no_pads", "y = aten.avg_pool1d.default(x, [3], [3], [0], True)", x="f32[b, 2, t]", runs=TIMES),
    case("avg_pool1d_ceil_that_drops_a_window", "y = aten.avg_pool1d.default(x, [2], [2], [1], True)",
         x="f32[b, 2, t]", runs=TIMES),
    case("avg_pool1d_ceil_of_stride_above_kernel", "y = aten.avg_pool1d.default(x, [2], [4], [1], True)",
         x="f32[b, 2, t]", runs=TIMES),
    case("avg_pool1d_without_batch", "y = aten.avg_pool1d.default(x, [2])", x="f32[2, t]", runs=[dict(t=5)]),
    case("avg_pool2d", "y = aten.avg_pool2d.default(x, [3, 2], [2, 1], [1, 0])", x="f32[b, 2, h, w]", runs=PLANES),
    case("avg_pool2d_ceil", "y = aten.avg_pool2d.default(x, [3, 2], [2, 2], [1, 1], True)", x="f32[b, 2, h, w]",
         runs=PLANES),
    case("avg_pool2d_divisor", "y = aten.avg_pool2d.default(x, [3, 2], [2, 2], [1, 1], True, False, 5)",
         x="f32[b, 2, h, w]", runs=PLANES),
    case("avg_pool2d_of_f64", "y = aten.avg_pool2d.default(x, [3, 2])", x="f64[b, 2, h, w]", runs=PLANES[:1]),
    case("avg_pool2d_of_f16", "y = aten.avg_pool2d.default(x, [3, 2])", x="f16[b, 2, h, w]", runs=PLANES[:1],
         tolerance=4e-3),
    case("avg_pool3d", "y = aten.avg_pool3d.default(x, [2, 3, 2], [2, 1, 2], [1, 1, 0], True)", x="f32[b, 1, 3, h, w]",
         runs=PLANES),
    case("avg_pool3d_without_batch", "y = aten.avg_pool3d.default(x, [2, 2, 2])", x="f32[1, 3, h, w]",
         runs=[dict(h=4, w=5)]),

    case("adaptive_avg_pool1d_to_one", "y = aten.adaptive_avg_pool1d.default(x, [1])", x="f32[b, 2, t]", runs=TIMES),
    case("adaptive_avg_pool1d_of_a_free_axis", "y = aten.adaptive_avg_pool1d.default(x, [4])", x="f32[b, 2, t]",
         runs=TIMES + [dict(b=1, t=1), dict(b=1, t=3)]),
    case("adaptive_avg_pool1d_of_sizes_that_divide", "y = aten.adaptive_avg_pool1d.default(x, [4])", x="f32[b, 2, 12]",
         runs=[dict(b=1), dict(b=2)]),
    case("adaptive_avg_pool1d_of_sizes_that_do_not", "y = aten.adaptive_avg_pool1d.default(x, [7])", x="f32[b, 2, 10]",
         runs=[dict(b=1), dict(b=2)]),
    case("adaptive_avg_pool1d_without_batch", "y = aten.adaptive_avg_pool1d.default(x, [2])", x="f32[2, t]",
         runs=[dict(t=5)]),
    case("adaptive_avg_pool2d_to_one", "y = aten.adaptive_avg_pool2d.default(x, [1, 1])", x="f32[b, 2, h, w]", runs=PLANES),
    case("adaptive_avg_pool2d_to_one_without_batch", "y = aten.adaptive_avg_pool2d.default(x, [1, 1])", x="f32[2, h, w]",
         runs=[dict(h=3, w=4)]),
    case("adaptive_avg_pool2d", "y = aten.adaptive_avg_pool2d.default(x, [3, 5])", x="f32[b, 2, h, w]", runs=PLANES),
    case("adaptive_avg_pool2d_without_specials_spread", "y = aten.adaptive_avg_pool2d.default(x, [3, 1])",
         x=of("f32[b, 2, h, w]", special=True), runs=PLANES),
    case("adaptive_avg_pool2d_that_keeps_an_axis", """
         n = aten.size.int(x, 2)
         y = aten.adaptive_avg_pool2d(x, [n, 3])""", x="f32[b, 2, h, w]", runs=PLANES),
    case("adaptive_avg_pool2d_to_a_size_of_the_program", "y = aten.adaptive_avg_pool2d(x, [n, 2])", x="f32[b, 2, h, w]",
         n="int", runs=[dict(b=1, h=5, w=7, n=2), dict(b=1, h=4, w=4, n=6)]),
    case("adaptive_avg_pool2d_of_aten", "y = aten._adaptive_avg_pool2d.default(x, [2, 2])", x="f32[b, 2, h, w]",
         runs=PLANES),
    case("adaptive_avg_pool3d", "y = aten.adaptive_avg_pool3d.default(x, [2, 3, 2])", x="f32[b, 1, 3, h, w]", runs=PLANES),
    case("adaptive_avg_pool3d_to_one", "y = aten.adaptive_avg_pool3d.default(x, [1, 1, 1])", x="f32[b, 2, 3, h, w]",
         runs=PLANES),
    case("adaptive_avg_pool2d_of_f64", "y = aten.adaptive_avg_pool2d.default(x, [3, 5])", x="f64[b, 2, h, w]",
         runs=PLANES[:1]),

    case("adaptive_max_pool1d", "y, i = aten.adaptive_max_pool1d.default(x, [4])", x=x("f32[b, 2, t]"), runs=TIMES),
    case("adaptive_max_pool1d_to_one", "y, i = aten.adaptive_max_pool1d.default(x, [1])", x=x("f32[b, 2, t]"), runs=TIMES),
    case("adaptive_max_pool2d", "y, i = aten.adaptive_max_pool2d.default(x, [3, 5])", x=x("f32[b, 2, h, w]"), runs=PLANES),
    case("adaptive_max_pool2d_of_equals", "y, i = aten.adaptive_max_pool2d.default(x, [2, 2])",
         x=of("f32[b, 2, h, w]", low=1, high=1.0000001), runs=PLANES),
    case("adaptive_max_pool3d", "y, i = aten.adaptive_max_pool3d.default(x, [2, 1, 3])", x=x("f32[1, 3, h, w]"),
         runs=[dict(h=4, w=5)]),
    case("max_unpool2d", "y = aten.max_unpool2d.default(x, i, [3, 4])", x="f32[2, 2, 2]",
         i=of("i64[2, 2, 2]", values=[0, 2, 9, 11, 1, 3, 6, 8]), runs=[dict()]),
    case("max_unpool2d_of_a_pool", """
         y, i = aten.max_pool2d_with_indices.default(x, [2, 2], [2, 2])
         z = aten.max_unpool2d.default(y, i, [6, 4])""", x=x("f32[b, 2, 6, 4]"), runs=[dict(b=1), dict(b=2)]),
]
