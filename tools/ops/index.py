"""Elements taken and written by index or by mask."""

from record_ops import case, of, weight

BT = [dict(b=1, t=1), dict(b=2, t=5)]
B = [dict(b=1), dict(b=3)]
T = [dict(t=1), dict(t=4)]


def below(type, size):
    """Indices of an axis, from either end."""
    return of(type, low=-size, high=size)


def places(type, size):
    return of(type, low=0, high=size)


CASES = [
    case("index", "y = aten.index.Tensor(x, [i])", x="f32[4, t]", i=below("i64[b]", 4), runs=BT),
    case("index_of_two_axes", "y = aten.index.Tensor(x, [i])", x="f32[4, t]", i=below("i64[b, 2]", 4), runs=BT),
    case("index_second", "y = aten.index.Tensor(x, [None, i])", x="f32[b, 4, 2]", i=below("i32[3]", 4), runs=B),
    case("index_both", "y = aten.index.Tensor(x, [i, j])", x="f32[3, 4]", i=below("i64[b]", 3), j=below("i64[b]", 4), runs=B),
    case("index_broadcasts", "y = aten.index.Tensor(x, [i, j])", x="f32[3, 4, 2]", i=below("i64[b, 1]", 3), j=below("i64[t]", 4),
         runs=BT),
    case("index_neighbours", "y = aten.index.Tensor(x, [None, i, j])", x="f32[b, 3, 4, 2]", i=below("i64[2]", 3),
         j=below("i64[2]", 4), runs=B),
    case("index_apart", "y = aten.index.Tensor(x, [i, None, j])", x="f32[3, b, 4]", i=below("i64[2]", 3),
         j=below("i64[2]", 4), runs=B),
    case("index_apart_later", "y = aten.index.Tensor(x, [None, i, None, j])", x="f32[b, 3, 2, 4]", i=below("i64[2]", 3),
         j=below("i64[2]", 4), runs=B),
    case("index_by_a_scalar", "y = aten.index.Tensor(x, [i])", x="f32[3, b]", i=below("i64[]", 3), runs=B),
    case("index_by_mask", "y = aten.index.Tensor(x, [mask])", x="f32[t]", mask="bool[t]", runs=[dict(t=4), dict(t=9)]),
    case("index_by_mask_of_two_axes", "y = aten.index.Tensor(x, [mask])", x="f32[b, t, 2]", mask="bool[b, t]", runs=BT),
    case("index_by_mask_of_the_second", "y = aten.index.Tensor(x, [None, mask])", x="f32[b, 5]", mask="bool[5]", runs=B),
    case("index_by_mask_and_index", "y = aten.index.Tensor(x, [mask, i])", x="f32[4, 3]",
         mask=of("bool[4]", values=[1, 0, 1, 0]), i=below("i64[2]", 3)),
    case("index_by_mask_and_index_apart", "y = aten.index.Tensor(x, [mask, None, i])", x="f32[4, b, 3]",
         mask=of("bool[4]", values=[1, 0, 1, 0]), i=below("i64[2]", 3), runs=B),
    case("index_by_bytes", "y = aten.index.Tensor(x, [mask])", x="f32[4]", mask=of("u8[4]", values=[1, 0, 1, 1])),
    case("index_of_bools", "y = aten.index.Tensor(x, [i])", x="bool[4, t]", i=below("i64[b]", 4), runs=BT),
    case("index_as_torchscript", "y = aten.index(x, [i])", x="f32[4, t]", i=below("i64[b]", 4), runs=BT),
    case("unsafe_index", "y = aten._unsafe_index.Tensor(x, [None, None, i, j])", x="f32[b, 2, 3, 4]",
         i=places("i64[5, 1]", 3), j=places("i64[6]", 4), runs=B),
    case("index_select", "y = aten.index_select.default(x, -1, i)", x="f32[b, 4]", i=places("i64[t]", 4), runs=BT),
    case("index_select_by_a_scalar", "y = aten.index_select.default(x, 0, i)", x="f32[3, 2]", i=places("i32[]", 3)),
    case("index_select_of_a_scalar", "y = aten.index_select.default(x, 0, i)", x="f32[]", i=places("i64[1]", 1)),
    case("gather", "y = aten.gather.default(x, 1, i)", x="f32[b, 4]", i=places("i64[b, t]", 4), runs=BT),
    case("gather_smaller", "y = aten.gather.default(x, 0, i)", x="f32[4, 3]", i=places("i64[t, 2]", 4), runs=T),
    case("gather_of_a_scalar", "y = aten.gather.default(x, 0, i)", x="f32[]", i=places("i64[]", 1)),
    case("gather_of_bools", "y = aten.gather.default(x, -1, i)", x="bool[b, 4]", i=places("i64[b, 2]", 4), runs=B),
    case("take", "y = aten.take.default(x, i)", x="f32[3, 4]", i=below("i64[b, 2]", 12), runs=B),
    case("take_along_dim", "y = aten.take_along_dim.default(x, i, 1)", x="f32[b, 4]", i=places("i64[1, 3]", 4), runs=B),
    case("take_along_dim_of_the_index", "y = aten.take_along_dim.default(x, i, -1)", x="f32[1, 4]", i=places("i64[b, 3]", 4), runs=B),
    case("take_along_no_dim", "y = aten.take_along_dim.default(x, i)", x="f32[3, 4]", i=places("i64[b]", 12), runs=B),
    case("masked_select", "y = aten.masked_select.default(x, mask)", x="f32[b, 4]", mask="bool[4]", runs=B),
    case("masked_select_by_more", "y = aten.masked_select.default(x, mask)", x="f32[4]", mask="bool[b, 4]", runs=B),

    case("index_put", "y = aten.index_put.default(x, [i], z)", x="f32[4, t]", i=of("i64[2]", values=[3, -4]), z="f32[2, t]", runs=T),
    case("index_put_broadcasts", "y = aten.index_put.default(x, [i], z)", x="f32[4, t]", i=of("i64[2]", values=[3, 0]), z="f32[]", runs=T),
    case("index_put_both", "y = aten.index_put.default(x, [i, j], z)", x="f32[3, 4, t]", i=of("i64[2, 1]", values=[0, 2]),
         j=of("i64[3]", values=[0, 3, 1]), z="f32[3, t]", runs=T),
    case("index_put_second", "y = aten.index_put.default(x, [None, i], z)", x="f32[b, 4, 2]", i=of("i64[3]", values=[0, 3, 1]),
         z="f32[b, 3, 2]", runs=B),
    case("index_put_second_broadcasts", "y = aten.index_put.default(x, [None, i], z)", x="f32[b, 4, 2]",
         i=of("i64[3]", values=[0, 3, 1]), z="f32[3, 1]", runs=B),
    case("index_put_apart", "y = aten.index_put.default(x, [i, None, j], z)", x="f32[3, b, 4]", i=of("i64[2]", values=[0, 2]),
         j=of("i64[2]", values=[1, 3]), z="f32[2, b]", runs=B),
    case("index_put_by_a_scalar", "y = aten.index_put.default(x, [i], z)", x="f32[3, t]", i=of("i64[]", values=1), z="f32[t]", runs=T),
    case("index_put_adds", "y = aten.index_put.default(x, [i], z, True)", x="f32[4, t]", i=of("i64[3]", values=[1, 1, -1]),
         z="f32[3, t]", runs=T),
    case("index_put_adds_ints", "y = aten.index_put.default(x, [i], z, True)", x="i64[4]", i=of("i64[3]", values=[1, 1, -1]), z="i64[]"),
    case("index_put_adds_halves", "y = aten.index_put.default(x, [i], z, True)", x="f16[4]", i=of("i64[3]", values=[1, 1, -1]),
         z="f16[3]"),
    case("index_put_by_mask", "y = aten.index_put.default(x, [mask], z)", x="f32[b, t]", mask="bool[b, t]", z="f32[]", runs=BT),
    case("index_put_rows_by_mask", "y = aten.index_put.default(x, [mask], z)", x="f32[b, 3]", mask="bool[b]", z="f32[3]", runs=B),
    case("index_put_one_row_by_mask", "y = aten.index_put.default(x, [mask], z)", x="i64[b, 3]", mask="bool[b]", z="i64[1, 3]", runs=B),
    case("index_put_by_mask_of_the_second", "y = aten.index_put.default(x, [None, mask], z)", x="f32[b, 4]",
         mask=of("bool[4]", values=[1, 0, 1, 1]), z="f32[b, 3]", runs=B),
    case("index_put_adds_by_mask", "y = aten.index_put.default(x, [mask], z, True)", x="f32[b, t]", mask="bool[b, t]", z="f32[1]",
         runs=BT),
    case("index_put_bools_by_mask", "y = aten.index_put.default(x, [mask], z)", x="bool[t]", mask="bool[t]", z="bool[]", runs=T),
    case("index_put_adds_bools_by_mask", "y = aten.index_put.default(x, [mask], z, True)", x="bool[b, 4]", mask="bool[b]",
         z=of("bool[4]", values=[1, 0, 1, 0]), runs=B),
    case("index_put_what_the_mask_chose", """
         a = aten.index.Tensor(z, [mask])
         y = aten.index_put.default(x, [mask], a)""", x="f32[b, t]", z="f32[b, t]", mask="bool[b, t]", runs=BT),
    case("index_put_what_came_of_it", """
         a = aten.index.Tensor(z, [mask])
         c = aten.mul.Tensor(a, 2)
         y = aten.index_put.default(x, [mask], c)""", x="f32[b, t]", z="f32[b, t]", mask="bool[b, t]", runs=BT),
    case("index_put_what_another_mask_chose", """
         a = aten.index.Tensor(z, [other])
         y = aten.index_put.default(x, [mask], a)""", x="f32[4]", z="f32[4]", mask=of("bool[4]", values=[1, 0, 1, 0]),
         other=of("bool[4]", values=[0, 1, 1, 0])),
    case("index_put_in_place", """
         aten.index_put_.default(x, [i], z)
         return x""", x="f32[4, t]", i=of("i64[2]", values=[3, 0]), z="f32[t]", runs=T),
    case("unsafe_index_put", "y = aten._unsafe_index_put.default(x, [i], z)", x="f32[4]", i=of("i64[2]", values=[3, 0]), z="f32[2]"),

    case("index_add", "y = aten.index_add.default(x, 1, i, z, alpha=2)", x="f32[b, 4]", i=of("i64[3]", values=[0, 2, 0]),
         z="f32[b, 3]", runs=B),
    case("index_add_of_ints", "y = aten.index_add.default(x, 0, i, z)", x="i64[4]", i=of("i32[3]", values=[0, 2, 0]), z="i64[3]"),
    case("index_copy", "y = aten.index_copy.default(x, -1, i, z)", x="f32[b, 4]", i=of("i64[2]", values=[3, 1]), z="f32[b, 2]", runs=B),
    case("index_fill", "y = aten.index_fill.int_Scalar(x, 1, i, 2.5)", x="f32[b, 4]", i=of("i64[2]", values=[3, -4]), runs=B),
    case("index_fill_by_a_tensor", "y = aten.index_fill.int_Tensor(x, 0, i, v)", x="i64[4, b]", i=of("i64[2]", values=[3, 1]),
         v="i64[]", runs=B),
    case("index_reduce", "y = aten.index_reduce.default(x, 0, i, z, 'prod')", x="f32[4, b]", i=of("i64[3]", values=[0, 2, 0]),
         z="f32[3, b]", runs=B),
    case("index_reduce_mean", "y = aten.index_reduce.default(x, 0, i, z, 'mean', include_self=False)", x="f32[4, b]",
         i=of("i64[3]", values=[0, 2, 0]), z="f32[3, b]", runs=B),
    case("index_reduce_amax", "y = aten.index_reduce.default(x, 1, i, z, 'amax')", x="f32[b, 4]",
         i=of("i64[3]", values=[0, 2, 0]), z="f32[b, 3]", runs=B),

    case("scatter", "y = aten.scatter.src(x, 1, i, z)", x="f32[b, 4]", i=of("i64[1, 3]", values=[0, 2, 3]), z="f32[b, 3]", runs=[dict(b=1), dict(b=2)]),
    case("scatter_of_a_part", "y = aten.scatter.src(x, 0, i, z)", x="f32[4, 3]", i=of("i64[2, 2]", values=[0, 1, 3, 2]), z="f32[4, 3]"),
    case("scatter_value", "y = aten.scatter.value(x, -1, i, 1.5)", x="f32[b, 4]", i=places("i64[b, 2]", 4), runs=B),
    case("scatter_value_of_bools", "y = aten.scatter.value(x, 1, i, True)", x="bool[b, 4]", i=places("i64[b, 2]", 4), runs=B),
    case("scatter_adds", "y = aten.scatter.reduce(x, 1, i, z, reduce='add')", x="f32[b, 4]", i=places("i64[b, 6]", 4), z="f32[b, 6]",
         runs=B),
    case("scatter_multiplies", "y = aten.scatter.value_reduce(x, 1, i, 3, reduce='multiply')", x="i64[b, 4]",
         i=places("i64[b, 6]", 4), runs=B),
    case("scatter_add", "y = aten.scatter_add.default(x, 0, i, z)", x="f32[4, b]", i=places("i64[6, b]", 4), z="f32[6, b]", runs=B),
    case("scatter_add_in_place", """
         aten.scatter_add_.default(x, 0, i, z)
         return x""", x="f64[4]", i=places("i64[6]", 4), z="f64[6]"),
    case("scatter_reduce_sum", "y = aten.scatter_reduce.two(x, 1, i, z, 'sum', include_self=False)", x="f32[b, 4]",
         i=places("i64[b, 3]", 4), z="f32[b, 3]", runs=B),
    case("scatter_reduce_prod", "y = aten.scatter_reduce.two(x, 1, i, z, 'prod')", x="f32[b, 4]",
         i=places("i64[b, 3]", 4), z="f32[b, 3]", runs=B),
    case("scatter_reduce_mean", "y = aten.scatter_reduce.two(x, 0, i, z, 'mean')", x="f32[4, b]",
         i=places("i64[6, b]", 4), z="f32[6, b]", runs=B),
    case("scatter_reduce_mean_of_ints", "y = aten.scatter_reduce.two(x, 0, i, z, 'mean')", x="i64[4]",
         i=places("i64[6]", 4), z="i64[6]"),
    case("scatter_reduce_amax", "y = aten.scatter_reduce.two(x, 1, i, z, 'amax')", x="f32[b, 4]",
         i=places("i64[b, 3]", 4), z="f32[b, 3]", runs=B),
    case("scatter_reduce_amin_of_ints", "y = aten.scatter_reduce.two(x, 0, i, z, 'amin', include_self=False)", x="i64[4, b]",
         i=places("i64[6, b]", 4), z="i64[6, b]", runs=B),
    case("put", "y = aten.put.default(x, i, z)", x="f32[2, b]", i=of("i64[2]", values=[0, -1]), z="f32[2]", runs=B),
    case("put_adds", "y = aten.put.default(x, i, z, True)", x="f32[2, b]", i=of("i64[2]", values=[0, 0]), z="f32[2]", runs=B),
    case("masked_scatter", "y = aten.masked_scatter.default(x, mask, z)", x="f32[b, 4]", mask="bool[b, 4]", z="f32[4, 4]", runs=B),
    case("masked_scatter_broadcasts", "y = aten.masked_scatter.default(x, mask, z)", x="i64[b, 4]", mask="bool[b, 1]", z="i64[12]", runs=B),
    case("select_scatter", "y = aten.select_scatter.default(x, z, 1, -1)", x="f32[b, 3]", z="f32[b]", runs=B),
    case("slice_scatter", "y = aten.slice_scatter.default(x, z, 1, 1, 3)", x="f32[b, 4]", z="f32[b, 2]", runs=B),
    case("slice_scatter_steps", "y = aten.slice_scatter.default(x, z, 0, 0, 9, 2)", x="f32[5, b]", z="f32[3, b]", runs=B),
    case("diagonal_scatter", "y = aten.diagonal_scatter.default(x, z, 1)", x="f32[3, 3]", z="f32[2]"),

    case("embedding", "y = aten.embedding.default(w, i, 0)", w=weight("f32[5, 3]"), i=places("i64[b, t]", 5), runs=BT),
    case("embedding_by_int32", "y = aten.embedding.default(w, i)", w=weight("f32[5, 3]"), i=places("i32[b, t]", 5), runs=BT),
    case("embedding_bag", """
         y, p, q, r = aten.embedding_bag.default(w, i, o)
         return y""", w=weight("f32[5, 3]"), i=places("i64[t]", 5), o=of("i64[3]", values=[0, 2, 2]), runs=[dict(t=4), dict(t=7)]),
    case("embedding_bag_mean", """
         y, p, q, r = aten.embedding_bag.default(w, i, o, False, 1)
         return y""", w=weight("f32[5, 3]"), i=places("i64[t]", 5), o=of("i64[3]", values=[0, 2, 2]), runs=[dict(t=4), dict(t=7)]),
    case("embedding_bag_max", """
         y, p, q, r = aten.embedding_bag.default(w, i, o, False, 2)
         return y""", w=weight("f32[5, 3]"), i=places("i64[t]", 5), o=of("i64[3]", values=[0, 2, 2]), runs=[dict(t=4), dict(t=7)]),
    case("embedding_bag_with_weights", """
         y, p, q, r = aten.embedding_bag.default(w, i, o, False, 0, False, s, True)
         return y""", w=weight("f32[5, 3]"), i=places("i64[4]", 5), o=of("i64[3]", values=[0, 2, 4]), s="f32[4]"),
    case("embedding_bag_with_padding", """
         y, p, q, r = aten.embedding_bag.padding_idx(w, i, o, False, 1, False, None, False, 2)
         return y""", w=weight("f32[5, 3]"), i=of("i64[6]", values=[2, 1, 2, 4, 0, 2]), o=of("i64[2]", values=[0, 3])),
]
