"""Resizing of signals, images and volumes."""

from record_ops import case

TIMES = [dict(b=1, t=4), dict(b=2, t=7), dict(b=1, t=10), dict(b=1, t=1)]
PLANES = [dict(b=1, h=5, w=7), dict(b=2, h=4, w=3)]
VOLUMES = [dict(b=4, h=5, w=6)]
LARGE = [dict(b=1, h=9, w=11), dict(b=1, h=4, w=7)]
# 0.29 and 0.7 are no floats: a size of 100 by 0.29 is 28 in float64 and 29 in float32.
LONG = [dict(b=1, t=100), dict(b=2, t=99), dict(b=1, t=41)]


def along(name, mode, align):
    """Cases of one axis: by whole scales, by others, and by sizes."""
    flag = "" if align is None else f", {align}"
    ending = {None: "", True: "_aligned", False: ""}[align]
    return [
        case(f"{name}_by_2{ending}", f"y = aten.{mode}.vec(x, None{flag}, [2.0])", x="f32[b, 2, t]", runs=TIMES),
        case(f"{name}_by_3{ending}", f"y = aten.{mode}.vec(x, None{flag}, [3.0])", x="f32[b, 2, t]", runs=TIMES),
        case(f"{name}_by_1_5{ending}", f"y = aten.{mode}.vec(x, None{flag}, [1.5])", x="f32[b, 2, t]", runs=TIMES),
        case(f"{name}_by_0_7{ending}", f"y = aten.{mode}.vec(x, None{flag}, [0.7])", x="f32[b, 2, t]", runs=TIMES[:3]),
        case(f"{name}_by_0_29{ending}", f"y = aten.{mode}.vec(x, None{flag}, [0.29])", x="f32[b, 1, t]", runs=LONG),
        case(f"{name}_by_1_05{ending}", f"y = aten.{mode}.vec(x, None{flag}, [1.05])", x="f32[b, 2, t]", runs=TIMES),
        case(f"{name}_by_1_5_of_a_known_size{ending}", f"y = aten.{mode}.vec(x, None{flag}, [1.5])", x="f32[b, 2, 5]",
             runs=[dict(b=3)]),
        case(f"{name}_to_5{ending}", f"y = aten.{mode}.default(x, [5]{flag})", x="f32[b, 2, t]", runs=TIMES),
        case(f"{name}_to_1{ending}", f"y = aten.{mode}.default(x, [1]{flag})", x="f32[b, 2, t]", runs=TIMES),
        case(f"{name}_to_a_size_of_the_program{ending}", f"y = aten.{mode}(x, [n]{flag})", x="f32[b, 2, t]", n="int",
             runs=[dict(b=1, t=4, n=7), dict(b=1, t=7, n=7), dict(b=1, t=7, n=3), dict(b=1, t=29, n=58),
                   dict(b=1, t=49, n=147)]),
        case(f"{name}_to_a_size_with_a_scale{ending}", f"y = aten.{mode}.default(x, [9]{flag}, 1.3)", x="f32[b, 2, 7]",
             runs=[dict(b=1)]),
        case(f"{name}_of_f64{ending}", f"y = aten.{mode}.vec(x, None{flag}, [2.0])", x="f64[b, 2, t]", runs=TIMES),
        case(f"{name}_of_f64_by_1_7{ending}", f"y = aten.{mode}.vec(x, None{flag}, [1.7])", x="f64[b, 2, t]", runs=TIMES),
    ]


def planes(name, mode, align):
    flag = "" if align is None else f", {align}"
    ending = {None: "", True: "_aligned", False: ""}[align]
    return [
        case(f"{name}_by_2{ending}", f"y = aten.{mode}.vec(x, None{flag}, [2.0, 2.0])", x="f32[b, 2, h, w]", runs=PLANES),
        case(f"{name}_by_1_6{ending}", f"y = aten.{mode}.vec(x, None{flag}, [1.6, 0.7])", x="f32[b, 2, h, w]", runs=PLANES),
        case(f"{name}_to_sizes{ending}", f"y = aten.{mode}.vec(x, [9, 3]{flag}, None)", x="f32[b, 2, h, w]", runs=PLANES),
        case(f"{name}_to_the_size_of_another{ending}", f"""
             n = aten.size.int(z, 2)
             m = aten.size.int(z, 3)
             y = aten.{mode}.default(x, [n, m]{flag})""", x="f32[b, 2, h, w]", z="f32[1, 1, p, q]",
             runs=[dict(b=1, h=5, w=7, p=8, q=9), dict(b=2, h=6, w=4, p=3, q=4)]),
        case(f"{name}_with_scales{ending}", f"y = aten.{mode}.default(x, [8, 6]{flag}, 1.7, 0.9)", x="f32[b, 2, 5, 7]",
             runs=[dict(b=1)]),
        case(f"{name}_without_overload{ending}", f"y = aten.{mode}(x, [8, 6]{flag}, None, None)", x="f32[b, 2, h, w]",
             runs=PLANES),
    ]


def volumes(name, mode, align):
    flag = "" if align is None else f", {align}"
    ending = {None: "", True: "_aligned", False: ""}[align]
    return [
        case(f"{name}_by_2{ending}", f"y = aten.{mode}.vec(x, None{flag}, [2.0, 1.0, 2.0])", x="f32[b, 1, 2, h, w]",
             runs=VOLUMES),
        case(f"{name}_by_1_5{ending}", f"y = aten.{mode}.vec(x, None{flag}, [1.5, 1.5, 0.6])", x="f32[b, 1, 3, h, w]",
             runs=VOLUMES),
        case(f"{name}_to_sizes{ending}", f"y = aten.{mode}.default(x, [3, 2, 5]{flag})", x="f32[b, 1, 2, h, w]",
             runs=VOLUMES),
    ]


CASES = [
    *along("nearest1d", "upsample_nearest1d", None),
    *along("nearest_exact1d", "_upsample_nearest_exact1d", None),
    *along("linear1d", "upsample_linear1d", False),
    *along("linear1d", "upsample_linear1d", True),
    *planes("nearest2d", "upsample_nearest2d", None),
    *planes("nearest_exact2d", "_upsample_nearest_exact2d", None),
    *planes("bilinear2d", "upsample_bilinear2d", False),
    *planes("bilinear2d", "upsample_bilinear2d", True),
    *planes("bicubic2d", "upsample_bicubic2d", False),
    *planes("bicubic2d", "upsample_bicubic2d", True),
    *volumes("nearest3d", "upsample_nearest3d", None),
    *volumes("nearest_exact3d", "_upsample_nearest_exact3d", None),
    *volumes("trilinear3d", "upsample_trilinear3d", False),
    *volumes("trilinear3d", "upsample_trilinear3d", True),
    case("nearest2d_of_u8", "y = aten.upsample_nearest2d.vec(x, None, [2.0, 2.0])", x="u8[b, 2, h, w]", runs=PLANES),
    case("nearest2d_of_f16", "y = aten.upsample_nearest2d.vec(x, None, [2.0, 1.5])", x="f16[b, 2, h, w]", runs=PLANES),
    case("bilinear2d_of_f16", "y = aten.upsample_bilinear2d.vec(x, None, False, [2.0, 2.0])", x="f16[b, 2, h, w]",
         runs=PLANES, tolerance=4e-3),
    case("nearest1d_by_large_scales", "y = aten.upsample_nearest1d.vec(x, None, [41.0])", x="f32[b, 1, t]", runs=LONG[1:2]),
    case("bilinear2d_of_scales_without_overload", "y = aten.upsample_bilinear2d(x, None, False, [2.0, 3.0])",
         x="f32[b, 2, h, w]", runs=PLANES),
    *[case(f"{mode}2d_aa_{name}", f"y = aten._upsample_{mode}2d_aa.default(x, {sizes})", x="f32[b, 2, h, w]", runs=LARGE)
      for mode in ["bilinear", "bicubic"] for name, sizes in [
          ("smaller", "[4, 3], False"), ("larger", "[13, 15], False"), ("aligned", "[4, 20], True"),
          ("with_scales", "[4, 15], False, 0.5, 1.7"), ("to_one", "[1, 1], False")]],
    case("bilinear2d_aa_by_scales", "y = aten._upsample_bilinear2d_aa.vec(x, None, False, [0.4, 1.2])", x="f32[b, 2, h, w]",
         runs=LARGE),
    case("interpolate", "y = aten.__interpolate(x, None, 1.5, 'bilinear', False, None)", x="f32[b, 2, h, w]", runs=PLANES),
    case("interpolate_of_signals", "y = aten.__interpolate(x, None, 1.5, 'linear', False, None)", x="f32[b, 2, t]", runs=TIMES[1:3]),
    case("interpolate_that_recomputes", "y = aten.__interpolate(x, None, [1.3, 0.7], 'bilinear', False, True)",
         x="f32[b, 2, h, w]", runs=PLANES),
    case("interpolate_by_its_scale", "y = aten.__interpolate(x, None, [1.3, 0.7], 'bilinear', False, False)",
         x="f32[b, 2, h, w]", runs=PLANES),
    case("interpolate_to_a_size", "y = aten.__interpolate(x, 6, None, 'nearest', None, None)", x="f32[b, 2, h, w]",
         runs=PLANES),
    case("upsample", "y = aten.__upsample(x, None, 2, 'nearest', None)", x="f32[b, 2, h, w]", runs=PLANES),
    case("upsample_nearest", "y = aten.__upsample_nearest(x, [7, 4], None)", x="f32[b, 2, h, w]", runs=PLANES),
    case("upsample_bilinear", "y = aten.__upsample_bilinear(x, None, 3)", x="f32[b, 2, h, w]", runs=PLANES),
]
