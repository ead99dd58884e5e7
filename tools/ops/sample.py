"""What samples images by a grid, takes them apart into windows and puts them together."""

from record_ops import case, of, weight

PLANES = [dict(b=1, h=5, w=7, p=3, q=4), dict(b=2, h=4, w=3, p=2, q=5)]
GRID = of("f32[b, p, q, 2]", low=-1.4, high=1.4)
MODES = ["bilinear", "nearest", "bicubic"]
PADS = ["zeros", "border", "reflection"]

CASES = [
    *[case(f"grid_sampler_{mode}_{pad}{'_aligned' if align else ''}",
           f"y = aten.grid_sampler.default(x, z, {i}, {j}, {align})", x="f32[b, 2, h, w]", z=GRID, runs=PLANES,
           tolerance=2e-5)
      for i, mode in enumerate(MODES) for j, pad in enumerate(PADS) for align in [False, True]],
    case("grid_sampler_2d", "y = aten.grid_sampler_2d.default(x, z, 0, 0, False)", x="f32[b, 2, h, w]", z=GRID,
         runs=PLANES),
    case("grid_sampler_of_f64", "y = aten.grid_sampler.default(x, z, 0, 0, False)", x="f64[b, 2, h, w]",
         z=of("f64[b, p, q, 2]", low=-1.4, high=1.4), runs=PLANES),
    *[case(f"grid_sampler_of_volumes_{mode}_{pad}{'_aligned' if align else ''}",
           f"y = aten.grid_sampler.default(x, z, {i}, {j}, {align})", x="f32[b, 2, 3, h, w]",
           z=of("f32[b, p, q, 2, 3]", low=-2.4, high=2.4), runs=PLANES, tolerance=2e-5)
      for i, mode in enumerate(MODES[:2]) for j, pad in enumerate(PADS) for align in [False, True]],
    case("grid_sampler_3d", "y = aten.grid_sampler_3d.default(x, z, 0, 2, True)", x="f32[b, 2, 1, h, w]",
         z=of("f32[b, p, q, 2, 3]", low=-2.4, high=2.4), runs=PLANES, tolerance=2e-5),
    case("affine_grid", "y = aten.affine_grid_generator.default(x, [2, 3, 4, 5], False)", x="f32[2, 2, 3]", runs=[dict()]),
    case("affine_grid_aligned", "y = aten.affine_grid_generator.default(x, [2, 3, 4, 1], True)", x="f32[2, 2, 3]",
         runs=[dict()]),
    case("affine_grid_of_a_volume", "y = aten.affine_grid_generator.default(x, [2, 3, 2, 4, 3], False)", x="f32[2, 3, 4]",
         runs=[dict()]),
    case("affine_grid_of_sizes_of_the_program", """
         b = aten.size.int(z, 0)
         c = aten.size.int(z, 1)
         h = aten.size.int(z, 2)
         w = aten.size.int(z, 3)
         y = aten.affine_grid_generator(x, [b, c, h, w], False)
         r = aten.grid_sampler(z, y, 0, 0, False)""", x="f32[n, 2, 3]", z="f32[n, 2, p, q]",
         runs=[dict(n=1, p=3, q=4), dict(n=2, p=1, q=5)], tolerance=2e-5),
    case("im2col", "y = aten.im2col.default(x, [3, 2], [1, 1], [0, 0], [1, 1])", x="f32[b, 2, h, w]", runs=PLANES),
    case("im2col_padded_strided_dilated", "y = aten.im2col.default(x, [2, 3], [2, 1], [1, 2], [2, 3])",
         x="f32[b, 2, h, w]", runs=PLANES),
    case("im2col_without_batch", "y = aten.im2col.default(x, [2, 2], [1, 1], [1, 1], [2, 1])", x="f64[2, h, w]",
         runs=[dict(h=3, w=4)]),
    case("im2col_of_known_sizes", "y = aten.im2col.default(x, [3, 3], [1, 1], [1, 1], [2, 2])", x="f32[b, 2, 5, 4]",
         runs=[dict(b=1), dict(b=2)]),
    case("col2im", "y = aten.col2im.default(x, [5, 4], [3, 2], [1, 1], [0, 0], [1, 1])", x="f32[b, 12, 9]",
         runs=[dict(b=1), dict(b=2)]),
    case("col2im_padded_strided_dilated", "y = aten.col2im.default(x, [6, 7], [2, 3], [2, 1], [1, 2], [2, 3])",
         x="f32[b, 12, 9]", runs=[dict(b=1), dict(b=2)]),
    case("col2im_without_batch", "y = aten.col2im.default(x, [4, 4], [2, 2], [1, 1], [0, 0], [2, 2])", x="f64[8, 4]",
         runs=[dict()]),
    case("col2im_of_im2col", """
         h = aten.size.int(x, 2)
         w = aten.size.int(x, 3)
         c = aten.im2col(x, [3, 3], [1, 1], [1, 1], [2, 2])
         y = aten.col2im(c, [h, w], [3, 3], [1, 1], [1, 1], [2, 2])""", x="f32[b, 2, h, w]", runs=PLANES),
    case("bilinear", "y = aten.bilinear.default(x, z, w, v)", x="f32[b, t, 3]", z="f32[b, t, 4]", w=weight("f32[2, 3, 4]"),
         v=weight("f32[2]"), runs=[dict(b=1, t=1), dict(b=2, t=3)]),
    case("bilinear_of_rows", "y = aten.bilinear.default(x, z, w)", x="f32[b, 3]", z="f32[b, 4]", w=weight("f32[2, 3, 4]"),
         runs=[dict(b=1), dict(b=3)]),
]
