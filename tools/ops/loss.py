"""Losses that networks give beside their result."""

from record_ops import case

BT = [dict(b=1, t=1), dict(b=2, t=5)]


def losses(name, more=""):
    return [
        case(name, f"y = aten.{name}.default(x, z)", x="f32[b, t]", z="f32[b, t]", runs=BT),
        case(f"{name}_none", f"y = aten.{name}.default(x, z, 0{more})", x="f32[b, t]", z="f32[b, t]", runs=BT),
        case(f"{name}_sum", f"y = aten.{name}.default(x, z, 2{more})", x="f32[b, t]", z="f32[t]", runs=BT),
        case(f"{name}_of_doubles", f"y = aten.{name}.default(x, z, 1{more})", x="f64[b, t]", z="f64[b, t]", runs=BT),
        case(f"{name}_of_halves", f"y = aten.{name}.default(x, z)", x="f16[t]", z="f16[t]", runs=BT[1:], tolerance=1e-2),
    ]


CASES = [
    *losses("huber_loss", ", 0.5"),
    *losses("l1_loss"),
    *losses("mse_loss"),
    *losses("smooth_l1_loss", ", 0.5"),
    case("smooth_l1_loss_without_bend", "y = aten.smooth_l1_loss.default(x, z, 1, 0.0)", x="f32[t]", z="f32[t]", runs=BT),
]
