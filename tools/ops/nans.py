"""NaN where the graph treats it as PyTorch does; docs/programs.md has the operators where it does not. Recorded with
torch 1.13."""

from record_ops import case, of

NAN, INF = float("nan"), float("inf")
# A NaN amid others, none, one beside infinities, and one in front.
VALUES = [2.0, NAN, -1.0, 0.5, 3.0,
          1.0, -2.0, 0.0, 4.0, 2.5,
          -INF, 7.0, INF, NAN, 1.5,
          NAN, 3.5, -0.5, 6.0, -4.0]
LINES = {
    "median": "y = aten.median.default(x)",
    "median_dim": "a, b = aten.median.dim(x, 1)",
    "nanmedian": "y = aten.nanmedian.default(x)",
    "nanmedian_dim": "a, b = aten.nanmedian.dim(x, 1)",
    "clamp": "y = aten.clamp.default(x, -1.5, 2.0)",
    "relu": "y = aten.relu.default(x)",
    "softmax": "y = aten.softmax.int(x, 1)",
    "logsumexp": "y = aten.logsumexp.default(x, [1])",
    "sum": "y = aten.sum.dim_IntList(x, [1])",
    "maximum": "y = aten.maximum.default(x, z)",
    "minimum": "y = aten.minimum.default(x, z)",
}

CASES = [
    *[case(name, line, x=of("f32[b, 5]", values=VALUES), **({"z": of("f32[5]", values=[1, 1, NAN, 1, NAN])} if "z" in line else {}),
           runs=[dict(b=4)]) for name, line in LINES.items()],
    case("median_of_f64", "a, b = aten.median.dim(x, 1)", x=of("f64[b, 5]", values=VALUES), runs=[dict(b=4)]),
]
