"""Padding."""

from record_ops import case, of

TIMES = [dict(b=1, t=4), dict(b=2, t=9)]
PLANES = [dict(b=1, h=5, w=7), dict(b=2, h=3, w=4)]

CASES = [
    case("pad", "y = aten.pad.default(x, [1, 2])", x="f32[b, 2, t]", runs=TIMES + [dict(b=1, t=0)]),
    case("pad_with_a_value", "y = aten.pad.default(x, [1, 2, 0, 1], 'constant', -1.5)", x="f32[b, 2, t]", runs=TIMES),
    case("pad_with_infinity", "y = aten.pad.default(x, [1, 2], 'constant', value=-inf)", x="f32[b, 2, t]", runs=TIMES),
    case("pad_of_all_axes", "y = aten.pad.default(x, [1, 2, 0, 1, 2, 0])", x="f32[b, 2, t]", runs=TIMES),
    case("pad_that_crops", "y = aten.pad.default(x, [-1, 2, 1, -1], 'constant', 3.0)", x="f32[b, 2, t]", runs=TIMES),
    case("pad_of_nothing", "y = aten.pad.default(x, [0, 0])", x="f32[b, 2, t]", runs=TIMES),
    case("pad_by_numbers_of_the_program", "y = aten.pad(x, [n, m], 'constant', 1.5)", x="f32[b, 2, t]", n="int", m="int",
         runs=[dict(b=1, t=4, n=1, m=2), dict(b=1, t=5, n=0, m=-2), dict(b=2, t=3, n=-1, m=1)]),
    case("pad_up_to_a_multiple", """
         n = aten.size.int(x, 2)
         r = aten.remainder.int(n, 4)
         m = aten.sub.int(4, r)
         y = aten.pad(x, [0, m])""", x="f32[b, 2, t]", runs=TIMES),
    case("pad_with_a_value_of_the_program", "y = aten.pad(x, [1, 0], 'constant', v)", x="f32[b, t]", v="float",
         runs=[dict(b=1, t=4, v=2.5)]),
    case("pad_of_i64", "y = aten.constant_pad_nd.default(x, [1, 2], 7)", x="i64[b, t]", runs=TIMES),
    case("pad_of_i32", "y = aten.constant_pad_nd.default(x, [1, 2], -7)", x="i32[b, t]", runs=TIMES),
    case("pad_of_i16", "y = aten.constant_pad_nd.default(x, [1, 2], -7)", x="i16[b, t]", runs=TIMES),
    case("pad_of_u8", "y = aten.constant_pad_nd.default(x, [1, 2], 200)", x="u8[b, t]", runs=TIMES),
    case("pad_of_bool", "y = aten.constant_pad_nd.default(x, [1, 2], True)", x="bool[b, t]", runs=TIMES),
    case("pad_of_bool_with_false", "y = aten.pad.default(x, [1, 2])", x="bool[b, t]", runs=TIMES),
    case("pad_of_f64", "y = aten.constant_pad_nd.default(x, [1, 2], 0.1)", x="f64[b, t]", runs=TIMES),
    case("pad_of_f16", "y = aten.constant_pad_nd.default(x, [1, 2], 0.1)", x="f16[b, t]", runs=TIMES),
    case("constant_pad_nd", "y = aten.constant_pad_nd.default(x, [1, 2, -1, 0])", x="f32[b, 2, t]", runs=TIMES),

    case("pad_reflect", "y = aten.pad.default(x, [3, 2], 'reflect')", x="f32[b, 2, t]", runs=TIMES),
    case("pad_reflect_that_crops", "y = aten.pad.default(x, [2, -1], 'reflect')", x="f32[b, 2, t]", runs=TIMES),
    case("pad_reflect_by_numbers_of_the_program", "y = aten.pad(x, [n, n], 'reflect')", x="f32[b, 2, t]", n="int",
         runs=[dict(b=1, t=4, n=3), dict(b=2, t=2, n=0)]),
    case("reflection_pad1d", "y = aten.reflection_pad1d.default(x, [0, 3])", x="f32[b, 2, t]", runs=TIMES),
    case("reflection_pad1d_without_batch", "y = aten.reflection_pad1d.default(x, [1, 3])", x="f64[2, t]", runs=[dict(t=5)]),
    case("reflection_pad2d", "y = aten.reflection_pad2d.default(x, [1, 3, 2, 0])", x="f32[b, 1, h, w]", runs=PLANES),
    case("reflection_pad3d", "y = aten.reflection_pad3d.default(x, [1, 2, 2, 0, 1, 1])", x="f32[b, 1, 2, h, w]",
         runs=PLANES),
    case("pad_replicate", "y = aten.pad.default(x, [5, 2], 'replicate')", x="f32[b, 2, t]", runs=TIMES + [dict(b=1, t=1)]),
    case("replication_pad1d", "y = aten.replication_pad1d.default(x, [2, 3])", x="f32[b, 2, t]", runs=TIMES),
    case("replication_pad2d", "y = aten.replication_pad2d.default(x, [1, 3, 2, 0])", x="f32[b, 1, h, w]", runs=PLANES),
    case("replication_pad2d_that_crops", "y = aten.replication_pad2d.default(x, [-1, 3, 2, -2])", x="f32[b, 1, h, w]",
         runs=PLANES),
    case("replication_pad3d", "y = aten.replication_pad3d.default(x, [1, 2, 2, 0, 1, 1])", x="f32[b, 1, 2, h, w]",
         runs=PLANES),
    case("pad_circular", "y = aten.pad.default(x, [3, 2], 'circular')", x="f32[b, 2, t]", runs=TIMES),
    case("pad_circular_of_planes", "y = aten._pad_circular.default(x, [1, 2, 3, 0])", x="f32[b, 1, h, w]", runs=PLANES),
    case("pad_circular_that_crops", "y = aten._pad_circular.default(x, [-1, 2])", x="f32[b, 2, t]", runs=TIMES),
    case("pad_circular_by_numbers_of_the_program", "y = aten._pad_circular(x, [n, 1])", x="f32[b, 2, t]", n="int",
         runs=[dict(b=1, t=4, n=3), dict(b=2, t=2, n=0)]),
    case("pad_enum_reflect", "y = aten._pad_enum.default(x, [1, 2], 0)", x="f32[b, 2, t]", runs=TIMES),
    case("pad_enum_replicate", "y = aten._pad_enum.default(x, [1, 2], 1)", x="f32[b, 2, t]", runs=TIMES),
    case("pad_enum_circular", "y = aten._pad_enum.default(x, [1, 2], 2)", x="f32[b, 2, t]", runs=TIMES),
    case("pad_enum_constant", "y = aten._pad_enum.default(x, [1, 2], 3, 4.0)", x="f32[b, 2, t]", runs=TIMES),
]
