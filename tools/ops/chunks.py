"""Parts of a dynamic axis, at sizes that have as many. Recorded with torch 1.13."""

from record_ops import case

CASES = [
    case("in_two", "p, q = aten.chunk.default(x, 2, -1)", x="f32[b, t]", runs=[dict(b=1, t=2), dict(b=3, t=7)]),
    case("in_three", "p, q, r = aten.chunk.default(x, 3)", x="f32[t, 2]", runs=[dict(t=3), dict(t=5), dict(t=7)]),
    case("in_four", "p, q, r, s = aten.chunk.default(x, 4)", x="f32[t, 2]", runs=[dict(t=4), dict(t=7), dict(t=10)]),
    case("in_four_as_a_list", """
         list = aten.chunk.default(x, 4)
         y = aten.cat.default(list)""", x="f32[t, 2]", runs=[dict(t=7), dict(t=13)]),
]
