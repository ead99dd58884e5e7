"""Convolutions."""

from record_ops import case, weight

TIMES = [dict(b=1, t=5), dict(b=3, t=12)]

CASES = [
    case("conv1d", "y = aten.conv1d.default(x, w, z)", x="f32[b, 3, t]", w=weight("f32[4, 3, 5]"), z=weight("f32[4]"),
         runs=TIMES),
    case("conv1d_strided_padded_dilated", "y = aten.conv1d.default(x, w, None, [2], [3], [2])",
         x="f32[b, 3, t]", w=weight("f32[4, 3, 3]"), runs=TIMES + [dict(b=1, t=1)]),
    case("conv1d_same", "y = aten.conv1d.padding(x, w, None, [1], 'same', [1])",
         x="f32[b, 3, t]", w=weight("f32[2, 3, 4]"), runs=TIMES),
    case("conv1d_same_dilated", "y = aten.conv1d.padding(x, w, None, [1], 'same', [3])",
         x="f32[b, 3, t]", w=weight("f32[2, 3, 4]"), runs=TIMES),
    case("conv1d_valid", "y = aten.conv1d.padding(x, w, z, [2], 'valid', [1])",
         x="f32[b, 3, t]", w=weight("f32[2, 3, 4]"), z=weight("f32[2]"), runs=TIMES),
    case("conv1d_without_batch", "y = aten.conv1d.default(x, w, z)", x="f32[3, t]", w=weight("f32[4, 3, 3]"),
         z=weight("f32[4]"), runs=[dict(t=3), dict(t=9)]),
    case("conv1d_of_a_weight_that_is_computed", "y = aten.conv1d.default(x, w, z, [1], [1], [1], 3)",
         x="f32[b, 3, t]", w="f32[6, 1, 3]", z="f32[6]", runs=TIMES),
    case("conv1d_of_f64", "y = aten.conv1d.default(x, w, z)", x="f64[b, 3, t]", w=weight("f64[4, 3, 5]"),
         z=weight("f64[4]"), runs=TIMES),
    case("conv1d_of_f16", "y = aten.conv1d.default(x, w, z)", x="f16[b, 3, t]", w=weight("f16[4, 3, 5]"),
         z=weight("f16[4]"), runs=TIMES, tolerance=4e-3),
    case("conv1d_without_overload", "y = aten.conv1d(x, w, None, [1], 'same', [1], 1)",
         x="f32[b, 3, t]", w=weight("f32[2, 3, 3]"), runs=TIMES),
    case("conv1d_of_no_batch_at_all", "y = aten.conv1d.default(x, w, None)", x="f32[b, 3, t]", w=weight("f32[4, 3, 5]"),
         runs=[dict(b=0, t=7), dict(b=1, t=5)]),
    case("conv1d_of_dynamic_groups", """
         c = aten.sym_size.int(x, 1)
         k = aten.repeat.default(w, [c, 1, 1])
         y = aten.conv1d.default(x, k, None, [2], [1], [2], c)""",
         x="f32[b, c, t]", w=weight("f32[3]"), runs=[dict(b=1, c=4, t=6), dict(b=3, c=2, t=9), dict(b=2, c=1, t=3)]),
    case("conv2d_of_dynamic_groups", """
         c = aten.sym_size.int(x, 0)
         k = aten.expand.default(w, [c, 1, 2, 3])
         y = aten.conv2d.default(x, k, None, [1, 2], [1, 0], [1, 1], c)""",
         x="f32[c, h, w0]", w=weight("f32[1, 1, 2, 3]"), runs=[dict(c=4, h=2, w0=7), dict(c=2, h=5, w0=3)]),
    case("conv_transpose1d_of_dynamic_groups", """
         c = aten.sym_size.int(x, 1)
         k = aten.expand.default(w, [c, 1, 3])
         y = aten.conv_transpose1d.default(x, k, None, [2], [1], [1], c)""",
         x="f32[b, c, t]", w=weight("f32[1, 1, 3]"), runs=[dict(b=1, c=4, t=6), dict(b=3, c=2, t=5)]),
    case("conv2d", "y = aten.conv2d.default(x, w, z, [2, 1], [1, 2], [1, 2])",
         x="f32[b, 2, h, w0]", w=weight("f32[4, 2, 3, 2]"), z=weight("f32[4]"),
         runs=[dict(b=1, h=5, w0=7), dict(b=2, h=8, w0=6)]),
    case("conv2d_depthwise", "y = aten.conv2d.default(x, w, z, [1], [1], [1], 4)",
         x="f32[b, 4, h, w0]", w=weight("f32[4, 1, 3, 3]"), z=weight("f32[4]"),
         runs=[dict(b=1, h=5, w0=7), dict(b=2, h=1, w0=1)]),
    case("conv2d_without_batch", "y = aten.conv2d.default(x, w, None, [2, 2])",
         x="f32[2, h, w0]", w=weight("f32[4, 2, 3, 2]"), runs=[dict(h=5, w0=7)]),
    case("conv2d_same", "y = aten.conv2d.padding(x, w, None, [1, 1], 'same', [1, 2])",
         x="f32[b, 2, h, w0]", w=weight("f32[3, 2, 2, 4]"), runs=[dict(b=1, h=5, w0=7), dict(b=2, h=2, w0=3)]),
    case("convolution_mode", "y = aten._convolution_mode.default(x, w, None, [1, 1], 'same', [1, 1], 2)",
         x="f32[b, 2, h, w0]", w=weight("f32[4, 1, 3, 3]"), runs=[dict(b=1, h=5, w0=7), dict(b=3, h=6, w0=2)]),
    case("conv3d", "y = aten.conv3d.default(x, w, z, [1, 2, 1], [1, 0, 1], [1, 1, 2])",
         x="f32[b, 2, d, h, 5]", w=weight("f32[3, 2, 2, 3, 2]"), z=weight("f32[3]"),
         runs=[dict(b=1, d=3, h=4), dict(b=2, d=2, h=5)]),
    case("conv3d_same", "y = aten.conv3d.padding(x, w, None, [1, 1, 1], 'same')",
         x="f32[b, 2, d, 4, 3]", w=weight("f32[3, 2, 2, 3, 1]"), runs=[dict(b=1, d=3), dict(b=5, d=6)]),

    case("convolution", "y = aten.convolution.default(x, w, z, [2], [1], [2], False, [0], 1)",
         x="f32[b, 3, t]", w=weight("f32[4, 3, 3]"), z=weight("f32[4]"), runs=TIMES),
    case("convolution_with_one_number_for_all", "y = aten.convolution.default(x, w, z, [1], [1], [1], False, [0], 1)",
         x="f32[b, 2, h, w0]", w=weight("f32[4, 2, 3, 3]"), z=weight("f32[4]"), runs=[dict(b=1, h=5, w0=7)]),
    case("convolution_transposed", "y = aten.convolution.default(x, w, z, [3], [1], [2], True, [1], 1)",
         x="f32[b, 3, t]", w=weight("f32[3, 4, 3]"), z=weight("f32[4]"), runs=TIMES),
    case("convolution_of_torchscript",
         "y = aten._convolution(x, w, z, [1], [2], [1], False, [0], 1, False, False, True, True)",
         x="f32[b, 3, t]", w=weight("f32[4, 3, 5]"), z=weight("f32[4]"), runs=TIMES),
    case("convolution_of_older_torchscript",
         "y = aten._convolution(x, w, z, [2], [2], [1], True, [1], 1, False, False, True)",
         x="f32[b, 3, t]", w=weight("f32[3, 4, 5]"), z=weight("f32[4]"), runs=TIMES),

    case("conv_transpose1d", "y = aten.conv_transpose1d.default(x, w, z, [4], [2])",
         x="f32[b, 3, t]", w=weight("f32[3, 2, 8]"), z=weight("f32[2]"), runs=TIMES + [dict(b=1, t=1)]),
    case("conv_transpose1d_groups_and_dilation", "y = aten.conv_transpose1d.default(x, w, None, [3], [1], [2], 2, [2])",
         x="f32[b, 4, t]", w=weight("f32[4, 3, 3]"), runs=TIMES),
    case("conv_transpose1d_whose_output_padding_is_its_stride",
         "y = aten.conv_transpose1d.default(x, w, z, [1], [2], [2], 1, [3])",
         x="f32[b, 3, t]", w=weight("f32[3, 2, 3]"), z=weight("f32[2]"), runs=TIMES),
    case("conv_transpose1d_without_batch", "y = aten.conv_transpose1d.default(x, w, None, [2])",
         x="f32[3, t]", w=weight("f32[3, 2, 3]"), runs=[dict(t=4)]),
    case("conv_transpose1d_of_f64", "y = aten.conv_transpose1d.default(x, w, None, [2])",
         x="f64[b, 3, t]", w=weight("f64[3, 2, 3]"), runs=TIMES),
    case("conv_transpose2d", "y = aten.conv_transpose2d.input(x, w, z, [2, 3], [1, 0], [1, 2], 1, [1, 2])",
         x="f32[b, 2, h, w0]", w=weight("f32[2, 3, 3, 2]"), z=weight("f32[3]"),
         runs=[dict(b=1, h=3, w0=4), dict(b=2, h=1, w0=2)]),
    case("conv_transpose2d_depthwise", "y = aten.conv_transpose2d.input(x, w, None, [2, 2], [1, 1], [0, 0], 3)",
         x="f32[b, 3, h, w0]", w=weight("f32[3, 1, 4, 4]"), runs=[dict(b=1, h=3, w0=4), dict(b=2, h=5, w0=6)]),
    case("conv_transpose3d", "y = aten.conv_transpose3d.input(x, w, z, [2, 1, 2], [0, 1, 0], [1, 0, 0])",
         x="f32[b, 2, d, 3, 2]", w=weight("f32[2, 2, 2, 3, 2]"), z=weight("f32[2]"), runs=[dict(b=1, d=3), dict(b=4, d=5)]),
    case("conv_tbc", "y = aten.conv_tbc.default(x, w, z, 1)", x="f32[t, b, 3]", w=weight("f32[3, 3, 4]"),
         z=weight("f32[4]"), runs=TIMES),
]
