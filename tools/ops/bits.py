"""The bits of two tensors of ints, and shifts by every number of bits."""

from record_ops import case, of

INT64 = 2**63
ROWS = [dict(b=1, t=3), dict(b=4, t=7), dict(b=0, t=2)]
LOGIC = ["and", "or", "xor"]
RANGES = dict(i8=(-128, 128), i16=(-2**15, 2**15), i32=(-2**31, 2**31), i64=(-2**63, 2**63 - 1), u8=(0, 256))
EDGES = [0, 1, -1, 2**62, -2**62, INT64 - 1, -INT64, 2**32, -2**32 - 1, 2**40 + 12345, -2**63 + 7, 0x5555555555555555]


def ints(type, shape):
    low, high = RANGES[type]
    return of(f"{type}[{shape}]", low=low, high=high)


CASES = [
    *[case(f"{name}_of_{type}", f"y = aten.bitwise_{name}.Tensor(x, z)", x=ints(type, "b, t"), z=ints(type, "b, 1"), runs=ROWS)
      for name in LOGIC for type in RANGES],
    *[case(f"{name}_of_edges", f"y = aten.bitwise_{name}.Tensor(x, z)", x=of("i64[12, 1]", values=EDGES), z=of("i64[12]", values=EDGES))
      for name in LOGIC],
    *[case(f"{name}_with_a_fixed_axis", f"y = aten.__{name}__.Tensor(x, z)", x=ints("i64", "b, 5"), z=ints("i64", "t, 1, 5"), runs=ROWS)
      for name in LOGIC],
    *[case(f"{name}_promotes", f"y = aten.bitwise_{name}.Tensor(x, z)", x=ints("i32", "b, t"), z="bool[t]", runs=ROWS) for name in LOGIC],
    *[case(f"{name}_with_a_large_mask", f"y = aten.bitwise_{name}.Scalar(x, {mask})", x=of("i64[b, 12]", values=EDGES),
           runs=[dict(b=1)]) for name in LOGIC for mask in [0x7ff0000000000000]],
    *[case(f"{name}_of_numbers", f"y = aten.__{name}__.int(n, m)\nz = aten.add(x, y)\nreturn z", x="i64[b]", n="int", m="int",
           runs=[dict(b=2, n=-77, m=1234567), dict(b=1, n=6, m=-3)]) for name in LOGIC],
    case("not_of_ints", "y = aten.bitwise_not.default(x)", x=ints("i64", "b, t"), runs=ROWS),
    case("not_of_i8", "y = aten.bitwise_not.default(x)", x=ints("i8", "b, t"), runs=ROWS),
    case("not_of_u8", "y = aten.bitwise_not.default(x)", x=ints("u8", "b, t"), runs=ROWS),
    *[case(f"{name}_of_{type}_by_any", f"y = aten.__{name}__.Tensor(x, z)", x=ints(type, "b, 1"),
           z=of(f"{type}[{bits}]", values=list(range(bits))), runs=[dict(b=3), dict(b=1)])
      for name in ["lshift", "rshift"] for type, bits in [("i8", 8), ("u8", 8), ("i16", 16), ("i32", 32), ("i64", 64)]],
    *[case(f"{name}_by_{by}", f"y = aten.__{name}__.Scalar(x, {by})", x=of("i64[b, 12]", values=EDGES), runs=[dict(b=1)])
      for name in ["lshift", "rshift"] for by in [0, 1, 31, 62, 63]],
    *[case(f"{name}_of_dynamic_axes", f"y = aten.bitwise_{name}.Tensor(x, z)", x=ints("i32", "b, t"), z=of("i32[b, 1]", low=0, high=31),
           runs=ROWS) for name in ["left_shift", "right_shift"]],
]
