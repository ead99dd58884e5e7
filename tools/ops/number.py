"""Numbers of the program: sizes, and what is computed from them."""

from record_ops import case, of

TWO = [dict(b=2, t=7), dict(b=5, t=3)]
NUMBERS = dict(n="int", m="int")
PAIRS = [dict(n=7, m=2), dict(n=-7, m=2), dict(n=9, m=3), dict(n=4, m=-3)]
FLOATS = [dict(a=2.5, b=1.5), dict(a=-2.5, b=0.5), dict(a=0.25, b=3.0)]


def of_ints(name, runs=PAIRS, target=None):
    return case(f"{name}_of_ints", f"r = {target or 'aten.' + name}(n, m)\ny = aten.mul.Tensor(x, r)\nreturn y, r", x="f32[2]", **NUMBERS, runs=runs)


def of_floats(name, target=None):
    return case(f"{name}_of_floats", f"r = {target or 'aten.' + name}(a, b)\nreturn r", a="float", b="float", runs=FLOATS)


CASES = [
    *[of_ints(name) for name in ["add.int", "sub.int", "mul.int", "div.int", "floordiv.int", "remainder.int"]],
    *[of_floats(name) for name in ["add.float", "sub.float", "mul.float", "div.float", "floordiv.float", "remainder.float"]],
    *[case(f"{name}_of_ints", f"r = aten.{name}.int(n, m)\nreturn r", **NUMBERS, runs=PAIRS) for name in ["eq", "ne", "lt", "le", "gt", "ge"]],
    *[case(f"{name}_of_floats", f"r = aten.{name}.float(a, b)\nreturn r", a="float", b="float", runs=FLOATS) for name in ["eq", "lt", "ge"]],
    *[case(f"{name}_of_a_float", f"r = aten.{name}.float(a)\nreturn r", a="float",
           runs=[dict(a=2.5), dict(a=0.5), dict(a=0.3)]) for name in
      ["floor", "ceil", "round", "sqrt", "exp", "log", "sin", "cos", "tanh", "log10", "log1p", "expm1", "erf", "degrees", "radians", "fabs", "neg"]],
    *[case(f"{name}_of_an_int", f"r = aten.{name}.int(n)\nreturn r", n="int", runs=[dict(n=3), dict(n=16)])
      for name in ["floor", "ceil", "round", "sqrt", "exp", "log", "neg", "fabs"]],
    case("sizes", """
         n = aten.sym_size.int(x, 0)
         t = aten.sym_size.int(x, 1)
         m = aten.mul.int(n, t)
         h = aten.floordiv.int(t, 2)
         r = aten.remainder.int(t, n)
         return m, h, r""", x="f32[b, t]", runs=TWO),
    case("floor_of_a_quotient_of_sizes", """
         t = aten.sym_size.int(x, 1)
         q = aten.div.int(t, 2)
         f = aten.floor.float(q)
         c = aten.ceil.float(q)
         y = aten.slice.Tensor(x, 1, 0, c)
         return f, c, y""", x="f32[b, t]", runs=TWO),
    case("int_of_a_product_with_a_float", """
         t = aten.sym_size.int(x, 1)
         a = aten.Float.int(t)
         m = aten.mul.float(a, 1.5)
         n = aten.Int.float(m)
         return n""", x="f32[b, t]", runs=TWO),
    case("sym_numel", "n = aten.sym_numel.default(x)\nm = aten.numel.default(x)\nreturn n, m", x="f32[b, t]", runs=TWO),
    case("round_to_zero_floordiv", "r = aten.__round_to_zero_floordiv(n, m)\nreturn r", **NUMBERS, runs=PAIRS),
    case("shifts_of_ints", "r = aten.__lshift__.int(n, 2)\ns = aten.__rshift__.int(n, 1)\nreturn r, s", n="int", runs=[dict(n=5), dict(n=-5)]),
    case("logic_of_bools", "r = aten.__and__.bool(p, q)\ns = aten.__or__.bool(p, q)\nt = aten.__xor__.bool(p, q)\nu = aten.__not__(p)\nreturn r, s, t, u",
         p="bool", q="bool", runs=[dict(p=True, q=True), dict(p=False, q=True), dict(p=False, q=False)]),
    case("bits_of_known_ints", "r = aten.__and__.int(12, 10)\ns = aten.__or__.int(12, 10)\nt = aten.__xor__.int(12, 10)\nreturn r, s, t"),
    case("eq_of_lists", "r = aten.eq.int_list([1, n], [1, 2])\ns = aten.ne.int_list([1, n], [1, 2, 3])\nreturn r, s", n="int", runs=[dict(n=2), dict(n=3)]),
    case("eq_of_texts", "r = aten.eq.str('cpu', 'cpu')\ns = aten.ne.str('a', 'b')\nreturn r, s"),
    case("contains", "r = aten.__contains__.int_list([1, 2, 3], n)\ns = aten.__contains__.str_list(['a', 'b'], 'c')\nreturn r, s", n="int",
         runs=[dict(n=2), dict(n=5)]),
    case("sum_of_a_list", "r = aten.sum.int([n, 2, m])\nreturn r", **NUMBERS, runs=PAIRS),
    case("gcd_of_known_ints", "r = aten.gcd.int(12, 18)\nreturn r"),
    case("isnan_of_a_float", "r = aten.isnan.float(a)\ns = aten.isinf.float(a)\nt = aten.isfinite.float(a)\nreturn r, s, t", a="float",
         runs=[dict(a=1.0), dict(a=float("nan")), dict(a=float("inf"))]),
    case("pow_of_floats", "r = aten.pow.float(a, 2.0)\nreturn r", a="float", runs=[dict(a=3.0), dict(a=-4.5)]),
    case("known_functions", """
         r = aten.atan2.float(1.0, -2.0)
         s = aten.fmod.float(7.5, -2.0)
         t = aten.copysign.float(3.0, -0.0)
         u = aten.log.float_float(8.0, 2.0)
         return r, s, t, u"""),
    *[case(f"{name}_of_known_numbers", f"""
         p = aten.{name}.int(2, 3)
         q = aten.{name}.int(3, 3)
         r = aten.{name}.float(2.5, -1.5)
         s = aten.{name}.float(inf, inf)
         n = aten.sym_size.int(x, 0)
         m = aten.add.int(n, 1)
         t = aten.{name}.int(n, m)
         return p, q, r, s, t""", x="f32[b]", runs=[dict(b=3)]) for name in ["eq", "ne", "lt", "le", "gt", "ge"]],
    case("known_floats_rounded", """
         r = aten.ceil.float(2.25)
         s = aten.floor.float(-2.25)
         t = aten.round.float(2.5)
         u = aten.floordiv.float(-7.5, 2.0)
         v = aten.remainder.float(-7.5, 2.0)
         return r, s, t, u, v"""),
    case("item", "n = aten.item.default(x)\ny = aten.mul.Tensor(z, n)\nreturn y", x=of("f32[1]", values=[0.5]), z="i64[3]"),
    case("assertions", """
         n = aten.item.default(x)
         aten.sym_constrain_range_for_size.default(n, min=0, max=9)
         aten._assert_scalar.default(True, 'never')
         aten._assert_tensor_metadata.default(z, None, None, float32)
         y = aten.mul.Tensor(z, n)
         return y""", x=of("i64[]", values=3), z="f32[3]"),
]
