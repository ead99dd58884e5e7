"""Views: the same elements, looked at otherwise."""

from record_ops import case, of, weight

BT = [dict(b=1, t=1), dict(b=2, t=5)]
T = [dict(t=1), dict(t=4), dict(t=7)]

CASES = [
    case("view", "y = aten.view.default(x, [2, -1])", x="f32[b, 4, t]", runs=BT),
    case("view_by_sizes", """
         b = aten.sym_size.int(x, 0)
         t = aten.sym_size.int(x, 2)
         y = aten.view.default(x, [b, 2, 3, t])""", x="f32[b, 6, t]", runs=BT),
    case("view_as_the_same_type", "y = aten.view.dtype(x, float32)", x="f32[b, 6]", runs=[dict(b=2)]),
    case("view_to_no_axes", "y = aten.view.default(x, [])", x="f32[1, 1]"),
    case("reshape_of_a_transpose", """
         z = aten.transpose.int(x, 1, 2)
         b = aten.size.int(x, 0)
         y = aten.reshape.default(z, [b, -1])""", x="f32[b, 3, t]", runs=BT),
    case("reshape_of_a_transpose_is_written", """
         z = aten.transpose.int(x, 1, 2)
         y = aten.reshape.default(z, [-1, 3])
         aten.add_.Tensor(y, w)
         return y""", x="f32[b, 3, t]", w="f32[3]", runs=[dict(b=2, t=5)]),
    case("view_as", "y = aten.view_as.default(x, z)", x="f32[b, 6]", z="f32[b, 2, 3]", runs=[dict(b=1), dict(b=3)]),
    case("reshape_as", "y = aten.reshape_as.default(x, z)", x="f32[t, 6]", z="i64[2*t, 3]", runs=T),
    case("unsafe_view", "y = aten._unsafe_view.default(x, [-1, 2])", x="f32[t, 6]", runs=T),
    case("view_copy", """
         y = aten.view_copy.default(x, [-1, 2])
         aten.add_.Scalar(y, 1)
         return x, y""", x="f32[t, 6]", runs=T),
    case("view_of_a_dynamic_axis_by_numbers", "y = aten.view.default(x, [2, 4])", x="f32[t]", runs=[dict(t=8)]),
    case("as_strided_of_rows", "y = aten.as_strided.default(x, [3, 4], [4, 1])", x="f32[2, 6]"),
    case("flatten_all", "y = aten.flatten.using_ints(x)", x="f32[b, 3, t]", runs=BT + [dict(b=0, t=2)]),
    case("flatten_some", "y = aten.flatten.using_ints(x, 1, -2)", x="f32[b, 3, t, 2]", runs=BT),
    case("flatten_first", "y = aten.flatten.using_ints(x, 0, 1)", x="f32[b, 3, t, t]", runs=BT),
    case("flatten_of_a_scalar", "y = aten.flatten.using_ints(x)", x="f32[]"),
    case("ravel", "y = aten.ravel.default(x)", x="i32[b, 3]", runs=[dict(b=2)]),
    case("unflatten", "y = aten.unflatten.int(x, 1, [2, -1])", x="f32[b, 6, t]", runs=BT),
    case("unflatten_last_of_free", "y = aten.unflatten.int(x, -1, [-1, 2])", x="f32[b, 2*t]", runs=BT),
    case("squeeze", "y = aten.squeeze.default(x)", x="f32[1, 3, 1, t]", runs=[dict(t=4)]),
    case("squeeze_dim", "y = aten.squeeze.dim(x, -2)", x="f32[b, 1, t]", runs=BT),
    case("squeeze_dim_that_is_long", "y = aten.squeeze.dim(x, 1)", x="f32[b, 3]", runs=[dict(b=1)]),
    case("squeeze_dims", "y = aten.squeeze.dims(x, [0, -1, 1])", x="f32[1, 2, t, 1]", runs=T),
    case("squeeze_of_a_scalar", "y = aten.squeeze.dim(x, 0)", x="f32[]"),
    case("squeeze_in_place", """
         aten.squeeze_.dim(x, 1)
         y = aten.add.Tensor(x, 1)
         return x, y""", x="f32[b, 1, t]", runs=BT),
    case("unsqueeze_last", "y = aten.unsqueeze.default(x, -1)", x="f32[b, t]", runs=BT),
    case("unsqueeze_in_place_of_a_view", """
         y = aten.select.int(x, 1, 0)
         aten.unsqueeze_.default(y, 0)
         aten.add_.Scalar(y, 1)
         return x, y""", x="f32[b, 2, t]", runs=BT),
    case("atleast_1d", "y = aten.atleast_1d.default(x)", x="f32[]"),
    case("atleast_2d", "y = aten.atleast_2d.default(x)", x="f32[t]", runs=T),
    case("atleast_3d_of_one", "y = aten.atleast_3d.default(x)", x="f32[t]", runs=T),
    case("atleast_3d_of_two", "y = aten.atleast_3d.default(x)", x="f32[t, 2]", runs=T),
    case("atleast_3d_of_none", "y = aten.atleast_3d.default(x)", x="f32[]"),
    case("atleast_2d_of_list", "y = aten.atleast_2d.Sequence([x, z])", x="f32[t]", z="f32[]", runs=T),
    case("expand", "y = aten.expand.default(x, [2, -1, 3])", x="f32[t, 1]", runs=T),
    case("broadcast_tensors", "y = aten.broadcast_tensors.default([x, z, s])", x="f32[b, 1]", z="i64[2, 1, t]", s="f32[]", runs=BT),
    case("broadcast_tensors_alike", """
         a, b = aten.broadcast_tensors.default([x, z])
         aten.add_.Scalar(z, 1)
         return a, b""", x="f32[t]", z="f32[t]", runs=T),
    case("broadcast_tensors_see_writes", """
         a, b = aten.broadcast_tensors.default([x, z])
         aten.add_.Scalar(x, 1)
         return a, b""", x="f32[b, 1]", z="f32[b, 3]", runs=[dict(b=1), dict(b=2)]),
    case("expand_as", "y = aten.expand_as.default(x, z)", x="f32[b, 1]", z="f32[2, b, t]", runs=BT),
    case("expand_to_itself_is_written", """
         y = aten.expand.default(x, [-1, 3])
         aten.add_.Scalar(y, 1)
         return x""", x="f32[b, 3]", runs=[dict(b=2)]),
    case("broadcast_to", "y = aten.broadcast_to.default(x, [3, 2])", x="i64[2]"),
    case("permute", "y = aten.permute.default(x, [2, 0, -2])", x="f32[b, 3, t]", runs=BT),
    case("transpose", "y = aten.transpose.int(x, -1, 0)", x="bool[b, 3, t]", runs=BT),
    case("transpose_of_a_scalar", "y = aten.transpose.int(x, 0, -1)", x="f32[]"),
    case("swapaxes", "y = aten.swapaxes.default(x, 0, 1)", x="f64[b, 3, t]", runs=BT),
    case("movedim", "y = aten.movedim.int(x, 0, -1)", x="f32[b, 3, t]", runs=BT),
    case("movedim_lists", "y = aten.movedim.intlist(x, [0, -1], [1, 0])", x="f32[b, 3, t, 2]", runs=BT),
    case("moveaxis", "y = aten.moveaxis.int(x, -1, 1)", x="f32[b, 3, t]", runs=BT),
    case("t", "y = aten.t.default(x)", x="f32[b, t]", runs=BT),
    case("t_of_one_axis", "y = aten.t.default(x)", x="f32[t]", runs=T),
    case("numpy_T", "y = aten.numpy_T.default(x)", x="f32[b, 3, t]", runs=BT),
    case("mT", "y = aten.mT.default(x)", x="f32[b, 3, t]", runs=BT),
    case("mH", "y = aten.mH.default(x)", x="f32[b, 3, t]", runs=BT),
    case("adjoint", "y = aten.adjoint.default(x)", x="f32[b, 3, t]", runs=BT),
    case("select_of_a_weight", """
         a = aten.select.int(w, 0, 1)
         c = aten.select.int(w, 1, -1)
         d = aten.select.int(a, 0, 2)
         return a, c, d""", w=weight("f32[3, 4]"), x="f32[1]"),
    case("select_negative", "y = aten.select.int(x, -1, -2)", x="f32[b, 3]", runs=[dict(b=2)]),
    case("select_by_a_number", "y = aten.select.int(x, 0, n)", x="f32[t, 2]", n="int", runs=[dict(t=4, n=2), dict(t=5, n=-1)]),
    case("slice_steps", "y = aten.slice.Tensor(x, 1, 1, 100, 2)", x="f32[b, 7]", runs=[dict(b=2)]),
    case("slice_negative", "y = aten.slice.Tensor(x, 0, -3, -1)", x="f32[t]", runs=[dict(t=5), dict(t=9)]),
    case("slice_to_a_number", "y = aten.slice.Tensor(x, 0, 0, n)", x="f32[t]", n="int", runs=[dict(t=5, n=3), dict(t=4, n=-1)]),
    case("slice_to_the_size_of_another", """
         n = aten.sym_size.int(z, 0)
         y = aten.slice.Tensor(x, 1, 1, n)""", x="f32[b, t]", z="f32[s]", runs=[dict(b=2, t=5, s=3), dict(b=3, t=4, s=7)]),
    case("slice_from_the_size_of_another", """
         n = aten.sym_size.int(z, 0)
         y = aten.slice.Tensor(x, 1, n)""", x="f32[b, t]", z="f32[s]", runs=[dict(b=2, t=5, s=3), dict(b=3, t=7, s=4)]),
    case("slice_of_nothing", "y = aten.slice.Tensor(x, 0, 3, 2)", x="f32[5]"),
    case("slice_copy", """
         y = aten.slice_copy.Tensor(x, 1, 0, 2)
         aten.add_.Scalar(y, 1)
         return x, y""", x="f32[t, 4]", runs=T),
    case("narrow", "y = aten.narrow.default(x, 1, 1, 2)", x="f32[b, 4]", runs=[dict(b=2)]),
    case("narrow_from_the_end", "y = aten.narrow.default(x, 0, -2, 2)", x="f32[t]", runs=[dict(t=2), dict(t=5)]),
    case("narrow_at_a_tensor", "y = aten.narrow.Tensor(x, 0, n, 2)", x="f32[t]", n=of("i64[]", values=1), runs=[dict(t=5)]),
    case("narrow_at_a_number", "y = aten.narrow(x, 0, n, 2)", x="f32[t]", n="int",
         runs=[dict(t=5, n=0), dict(t=4, n=-3), dict(t=7, n=4)]),
    case("narrow_copy", "y = aten.narrow_copy.default(x, 0, 1, 2)", x="f32[t]", runs=[dict(t=5)]),
    case("split", "y = aten.split.Tensor(x, 3, 1)", x="f32[b, 7]", runs=[dict(b=2)]),
    case("split_of_a_free_axis", "p, q = aten.split.Tensor(x, 3)", x="f32[t, 2]", runs=[dict(t=4), dict(t=6)]),
    case("split_with_sizes", "y = aten.split_with_sizes.default(x, [1, 0, 4], -1)", x="f32[b, 5]", runs=[dict(b=2)]),
    case("split_by_sizes_of_the_run", """
         t = aten.sym_size.int(z, 0)
         u = aten.sub(9, t)
         y = aten.split_with_sizes.default(x, [t, u])""", x="f32[9]", z="f32[t]", runs=T),
    case("split_sizes", "y = aten.split.sizes(x, [2, 3], 0)", x="f32[5, 2]"),
    case("split_as_torchscript", """
         y = aten.split(x, 2, 1)
         p = aten.add.Tensor(x, 1)
         return y, p""", x="f32[b, 4]", runs=[dict(b=2)]),
    case("split_copy", "y = aten.split_copy.Tensor(x, 2)", x="f32[5]"),
    case("unsafe_split", "y = aten.unsafe_split.Tensor(x, 2)", x="f32[5]"),
    case("chunk", "y = aten.chunk.default(x, 2, 1)", x="f32[b, 6]", runs=[dict(b=2)]),
    case("chunk_gives_fewer", "y = aten.chunk.default(x, 4)", x="f32[5, 2]"),
    case("chunk_of_a_free_axis", "p, q = aten.chunk.default(x, 2)", x="f32[t]", runs=[dict(t=2), dict(t=5)]),
    case("chunk_of_an_even_axis", "p, q = aten.chunk.default(x, 2, -1)", x="f32[b, 2*t]", runs=BT),
    case("unsafe_chunk", "y = aten.unsafe_chunk.default(x, 2)", x="f32[5]"),
    case("tensor_split", "y = aten.tensor_split.sections(x, 3)", x="f32[t]", runs=[dict(t=2), dict(t=7), dict(t=9)]),
    case("tensor_split_at", "y = aten.tensor_split.indices(x, [1, 3, -1], 1)", x="f32[b, 6]", runs=[dict(b=2)]),
    case("tensor_split_by_tensor", "y = aten.tensor_split.tensor_indices_or_sections(x, n)", x="f32[6]",
         n=weight("i64[2]", values=[1, 4])),
    case("tensor_split_by_a_number_in_a_tensor", "y = aten.tensor_split.tensor_indices_or_sections(x, n, 1)", x="f32[b, t]",
         n=weight("i64[]", values=3), runs=[dict(b=2, t=7), dict(b=1, t=4)]),
    case("hsplit", "y = aten.hsplit.int(x, 2)", x="f32[b, 4]", runs=[dict(b=2)]),
    case("hsplit_of_one_axis", "y = aten.hsplit.array(x, [1, 3])", x="f32[4]"),
    case("vsplit", "y = aten.vsplit.int(x, 2)", x="f32[4, 3]"),
    case("dsplit", "y = aten.dsplit.array(x, [1])", x="f32[2, 2, 3]"),
    case("unbind", "y = aten.unbind.int(x, -1)", x="f32[b, 3]", runs=[dict(b=2)]),
    case("unbind_and_stack_of_a_free_axis", """
         l = aten.unbind.int(x, 1)
         y = aten.stack.default(l, -1)""", x="f32[b, t, 2]", runs=BT),
    case("unbind_copy", "y = aten.unbind_copy.int(x)", x="f32[3, 2]"),
    case("diagonal", "y = aten.diagonal.default(x)", x="f32[b, t]", runs=[dict(b=2, t=3), dict(b=4, t=2)]),
    case("diagonal_above", "y = aten.diagonal.default(x, 1, -1, 0)", x="f32[t, 2, 4]", runs=[dict(t=3), dict(t=6)]),
    case("diagonal_below", "y = aten.diagonal.default(x, -2, 1, 2)", x="f32[b, 4, 3]", runs=[dict(b=2)]),
    case("diagonal_copy", "y = aten.diagonal_copy.default(x)", x="f32[3, 3]"),
    case("unfold", "y = aten.unfold.default(x, 1, 3, 2)", x="f32[b, t, 2]", runs=[dict(b=1, t=3), dict(b=2, t=8)]),
    case("unfold_last", "y = aten.unfold.default(x, -1, 2, 1)", x="f32[b, 5]", runs=[dict(b=2)]),
    case("permute_copy", "y = aten.permute_copy.default(x, [1, 0])", x="f32[2, 3]"),
    case("transpose_copy", "y = aten.transpose_copy.int(x, 0, 1)", x="f32[2, 3]"),
    case("expand_copy", "y = aten.expand_copy.default(x, [2, 3])", x="f32[3]"),
    case("select_copy", "y = aten.select_copy.int(x, 0, 1)", x="f32[2, 3]"),
    case("squeeze_copy", "y = aten.squeeze_copy.dim(x, 0)", x="f32[1, 3]"),
    case("unsqueeze_copy", "y = aten.unsqueeze_copy.default(x, 0)", x="f32[3]"),
    case("alias", """
         y = aten.alias.default(x)
         aten.add_.Scalar(y, 1)
         return x""", x="f32[3]"),
]
