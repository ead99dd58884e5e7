"""Random numbers: what can be said of them whatever they are."""

from record_ops import case, of


def drawn(name, line, **inputs):
    """y is drawn; its type and shape, and its mean and its mean square as far as they can be told."""
    return case(name, f"""
        {line}
        e = aten.zeros_like.default(y)
        s = aten.slice.Tensor(e, -1, 0, 3)
        z = aten.mean.default(y, dtype=float64)
        q = aten.mul.Tensor(y, y)
        v = aten.mean.default(q, dtype=float64)
        return s, z, v""", tolerance=0.1, **inputs)


def within(name, line, low, high, **inputs):
    """All of y in [low, high), and the shape."""
    return case(name, f"""
        {line}
        s = aten.zeros_like.default(y)
        a = aten.ge.Scalar(y, {low})
        b = aten.lt.Scalar(y, {high})
        c = aten.all.default(a)
        d = aten.all.default(b)
        return s, c, d""", **inputs)


RUNS = [dict(b=1), dict(b=3)]
SIZE = "n = aten.sym_size.int(x, 0)\n        "

CASES = [
    drawn("rand", SIZE + "y = aten.rand.default([n, 4000])", x="f32[b, 1]", runs=RUNS),
    within("rand_is_below_one", SIZE + "y = aten.rand.default([n, 50], dtype=float64)", 0, 1, x="f32[b, 1]", runs=RUNS),
    drawn("randn", SIZE + "y = aten.randn.default([n, 4000])", x="f32[b, 1]", runs=RUNS),
    drawn("randn_of_f64", "y = aten.randn.default([3000], dtype=float64)"),
    case("randn_of_halves", """
         y = aten.randn.default([30], dtype=float16)
         z = aten.zeros_like.default(y)"""),
    drawn("randint", SIZE + "y = aten.randint.default(3, [n, 4000])", x="f32[b, 1]", runs=RUNS),
    within("randint_low", SIZE + "y = aten.randint.low(-2, 5, [n, 50])", -2, 5, x="f32[b, 1]", runs=RUNS),
    within("randint_as_floats", SIZE + "y = aten.randint.default(4, [n, 50], dtype=float32)", 0, 4, x="f32[b, 1]", runs=RUNS),
    within("randperm", "y = aten.randperm.default(n)", 0, 7, n="int", runs=[dict(n=7)]),
    case("randperm_has_all", """
         y = aten.randperm.default(n)
         a, b = aten.sort.default(y)
         return a""", n="int", runs=[dict(n=1), dict(n=9)]),
    drawn("normal_of_numbers", "y = aten.normal.float_float(2.0, 0.5, [4000])"),
    case("rand_like", """
         y = aten.rand_like.default(x)
         z = aten.zeros_like.default(y)""", x="f64[b, 2]", runs=RUNS),
    case("randn_like", """
         y = aten.randn_like.default(x)
         z = aten.mul.Scalar(y, 0.0)
         w = aten.add.Tensor(x, z)""", x="f32[b, 2]", runs=RUNS),
    case("randint_like", """
         y = aten.randint_like.low_dtype(x, 3, 4)
         z = aten.randint_like.default(x, 1, dtype=int64)
         return y, z""", x="f32[b, 2]", runs=RUNS),
    case("normal_without_deviation", """
         y = aten.normal.Tensor_Tensor(x, s)
         z = aten.normal.Tensor_float(x, 0.0)
         w = aten.normal.float_Tensor(1.5, s)
         return y, z, w""", x="f32[b, 2]", s=of("f32[b, 2]", low=0, high=1e-12), runs=RUNS),
    case("normal_in_place", """
         y = aten.mul.Scalar(x, 1)
         aten.normal_.default(y, 3.0, 0.0)
         return y""", x="f32[b, 2]", runs=RUNS),
    case("uniform_in_place", """
         y = aten.mul.Scalar(x, 1)
         aten.uniform_.default(y, 2.0, 2.0)
         return y""", x="f32[b, 2]", runs=RUNS),
    case("bernoulli", """
         y = aten.bernoulli.default(p)
         z = aten.bernoulli.p(x, 1.0)
         aten.bernoulli_.float(x, 0.0)
         return y, z, x""", p=of("f32[4]", values=[0, 1, 1, 0]), x="f32[b, 2]", runs=RUNS),
    case("multinomial", """
         y = aten.multinomial.default(p, 1)
         z = aten.multinomial.default(p, 5, True)
         return y, z""", p=of("f32[2, 4]", values=[0, 1, 0, 0, 0, 0, 0, 3])),
    case("multinomial_without_replacement", """
         y = aten.multinomial.default(p, 3)
         a, b = aten.sort.default(y)
         return a""", p=of("f32[5]", values=[0, 1, 2, 0, 5])),
    case("exponential_mean", """
         y = aten.zeros.default([4000])
         aten.exponential_.default(y, 2.0)
         z = aten.mean.default(y)""", tolerance=0.1),
    case("geometric_mean", """
         y = aten.zeros.default([9000])
         aten.geometric_.default(y, 0.5)
         z = aten.mean.default(y)""", tolerance=0.1),
    case("log_normal_without_deviation", """
         y = aten.zeros.default([3])
         aten.log_normal_.default(y, 1.0, 1e-9)
         return y"""),
    case("cauchy_without_width", """
         y = aten.zeros.default([3])
         aten.cauchy_.default(y, 1.0, 1e-12)
         return y"""),
]
