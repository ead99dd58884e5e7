"""Writes in place: what is a view of what is written must show it."""

from record_ops import case, of

BT = [dict(b=1, t=1), dict(b=2, t=5)]

CASES = [
    case("select", """
         y = aten.select.int(x, 1, 0)
         aten.add_.Tensor(y, z)
         return x, y""", x="f32[b, 3, t]", z="f32[t]", runs=BT),
    case("select_last_of_a_free_axis", """
         y = aten.select.int(x, -1, -1)
         aten.mul_.Scalar(y, 2)
         return x, y""", x="f32[b, 3, t]", runs=BT),
    case("select_before_the_last", """
         y = aten.select.int(x, 0, -2)
         aten.mul_.Scalar(y, 2)
         return x""", x="f32[t, 2]", runs=[dict(t=2), dict(t=4)]),
    case("select_by_a_number", """
         y = aten.select.int(x, 0, n)
         aten.mul_.Scalar(y, 2)
         return x""", x="f32[t, 2]", n="int", runs=[dict(t=3, n=1), dict(t=4, n=-2)]),
    case("slice", """
         y = aten.slice.Tensor(x, 1, 1, 3)
         aten.add_.Scalar(y, 1)
         return x, y""", x="f32[b, 4, t]", runs=BT),
    case("slice_from_the_end", """
         y = aten.slice.Tensor(x, 0, -2)
         aten.add_.Scalar(y, 1)
         return x""", x="f32[t]", runs=[dict(t=1), dict(t=5)]),
    case("slice_between", """
         y = aten.slice.Tensor(x, 0, 2, -1)
         aten.add_.Scalar(y, 1)
         return x""", x="f32[t]", runs=[dict(t=1), dict(t=6)]),
    case("slice_steps", """
         y = aten.slice.Tensor(x, -1, 1, 9, 2)
         aten.add_.Scalar(y, 1)
         return x, y""", x="i64[b, 5]", runs=[dict(b=2)]),
    case("slice_by_numbers", """
         y = aten.slice.Tensor(x, 0, n, m)
         aten.add_.Scalar(y, 1)
         return x""", x="f32[t, 2]", n="int", m="int", runs=[dict(t=5, n=1, m=3), dict(t=5, n=-3, m=9)]),
    case("transpose", """
         y = aten.transpose.int(x, 0, 1)
         aten.add_.Tensor(y, z)
         return x, y""", x="f32[b, t]", z="f32[b]", runs=BT),
    case("permute", """
         y = aten.permute.default(x, [2, 0, 1])
         w = aten.select.int(y, 0, 0)
         aten.add_.Scalar(w, 1)
         return x, y""", x="f32[b, 2, t]", runs=BT),
    case("view", """
         y = aten.view.default(x, [-1, 2])
         w = aten.select.int(y, 1, 1)
         aten.neg_.default(w)
         return x, y""", x="f32[b, 4, t]", runs=BT),
    case("reshape_of_what_lies_in_order", """
         y = aten.reshape.default(x, [-1])
         aten.add_.Scalar(y, 1)
         return x""", x="f32[b, t]", runs=BT),
    case("reshape_of_an_expanded_row", """
         y = aten.expand.default(x, [3, -1])
         z = aten.reshape.default(y, [-1])
         aten.add_.Scalar(z, 1)
         return z""", x="f32[1, t]", runs=[dict(t=4)]),
    case("by_strides", """
         y = aten.as_strided.default(x, [3, 4], [4, 1])
         aten.add_.Scalar(y, 1)
         return x, y""", x="f32[2, 6]"),
    case("reshape_of_a_row", """
         r = aten.select.int(x, 0, 1)
         y = aten.reshape.default(r, [-1])
         aten.add_.Scalar(y, 1)
         return x""", x="f32[3, 2, t]", runs=[dict(t=4)]),
    case("flatten", """
         y = aten.flatten.using_ints(x, 1)
         aten.add_.Scalar(y, 1)
         return x""", x="f32[b, 2, t]", runs=BT),
    case("unflatten", """
         y = aten.unflatten.int(x, 0, [2, 2])
         w = aten.select.int(y, 0, 1)
         aten.add_.Scalar(w, 1)
         return x""", x="f32[4, t]", runs=[dict(t=3)]),
    case("unsqueeze_and_squeeze", """
         y = aten.unsqueeze.default(x, 0)
         z = aten.squeeze.dim(y, 0)
         aten.add_.Scalar(z, 1)
         return x, y""", x="f32[b, t]", runs=BT),
    case("diagonal", """
         y = aten.diagonal.default(x)
         aten.mul_.Scalar(y, 3)
         return x, y""", x="f32[b, t]", runs=[dict(b=3, t=3), dict(b=2, t=5)]),
    case("diagonal_of_others", """
         y = aten.diagonal.default(x, -1, 2, 0)
         aten.add_.Scalar(y, 1)
         return x, y""", x="f32[3, 2, t]", runs=[dict(t=4)]),
    case("chunks", """
         p, q = aten.chunk.default(x, 2, 1)
         aten.add_.Tensor(p, q)
         aten.mul_.Tensor(q, p)
         return x, p, q""", x="f32[b, 6]", runs=[dict(b=2)]),
    case("chunks_of_a_free_axis", """
         p, q = aten.chunk.default(x, 2)
         aten.add_.Scalar(q, 1)
         return x, p""", x="f32[t]", runs=[dict(t=4), dict(t=5)]),
    case("unbound", """
         p, q = aten.unbind.int(x, 1)
         aten.add_.Tensor(p, q)
         return x, q""", x="f32[b, 2]", runs=[dict(b=3)]),
    case("split_of_a_split", """
         p, q = aten.split.Tensor(x, 2, 1)
         r, s = aten.split.Tensor(q, 1, 1)
         aten.add_.Scalar(s, 1)
         aten.mul_.Scalar(q, 2)
         return x, r, s""", x="f32[b, 4]", runs=[dict(b=2)]),
    case("siblings", """
         p = aten.slice.Tensor(x, 0, 0, 3)
         q = aten.slice.Tensor(x, 0, 1, 4)
         aten.add_.Scalar(p, 1)
         aten.mul_.Scalar(q, 2)
         y = aten.add.Tensor(p, q)
         return x, p, q, y""", x="f32[5, t]", runs=[dict(t=2)]),
    case("a_view_made_before_the_base_is_written", """
         y = aten.transpose.int(x, 0, 1)
         aten.add_.Scalar(x, 1)
         return y""", x="f32[b, t]", runs=BT),
    case("a_chain_of_four", """
         p = aten.view.default(x, [2, 3, -1])
         q = aten.transpose.int(p, 1, 2)
         r = aten.slice.Tensor(q, 1, 1)
         s = aten.select.int(r, 0, 1)
         aten.add_.Tensor(s, z)
         return x, p, q, r, s""", x="f32[6, t]", z="f32[3]", runs=[dict(t=2), dict(t=4)]),
    case("copy_to_a_slice", """
         y = aten.slice.Tensor(x, 1, 0, 2)
         aten.copy_.default(y, z)
         return x""", x="f32[b, 4]", z="f32[2]", runs=[dict(b=3)]),
    case("copy_casts", """
         aten.copy_.default(x, z)
         return x""", x="i64[b, 4]", z="f32[b, 1]", runs=[dict(b=2)]),
    case("fill_a_row", """
         y = aten.select.int(x, 0, 1)
         aten.fill_.Scalar(y, 2.5)
         return x""", x="f32[3, t]", runs=[dict(t=2)]),
    case("fill_by_a_tensor", """
         y = aten.select.int(x, 1, 0)
         aten.fill_.Tensor(y, z)
         return x""", x="f32[t, 2]", z="f32[]", runs=[dict(t=3)]),
    case("zero_a_column", """
         y = aten.select.int(x, 1, 0)
         aten.zero_.default(y)
         return x""", x="f32[t, 3]", runs=[dict(t=2)]),
    case("masked_fill_a_slice", """
         y = aten.slice.Tensor(x, 0, 1)
         aten.masked_fill_.Scalar(y, mask, -1.0)
         return x""", x="f32[4, t]", mask="bool[3, t]", runs=[dict(t=5)]),
    case("relu_of_a_slice", """
         y = aten.slice.Tensor(x, 1, 1)
         aten.relu_.default(y)
         return x""", x="f32[b, 4]", runs=[dict(b=2)]),
    case("index_put_to_a_slice", """
         y = aten.slice.Tensor(x, 0, 1)
         aten.index_put_.default(y, [i], z)
         return x""", x="f32[5, t]", i=of("i64[2]", values=[0, 3]), z="f32[2, t]", runs=[dict(t=3)]),
    case("index_put_by_mask_to_a_transpose", """
         y = aten.transpose.int(x, 0, 1)
         aten.index_put_.default(y, [mask], z)
         return x""", x="f32[3, t]", mask="bool[t, 3]", z="f32[]", runs=[dict(t=4)]),
    case("ints_keep_their_type", """
         y = aten.select.int(x, 0, 0)
         aten.add_.Tensor(y, z)
         return x""", x="i32[2, 3]", z="i64[3]"),
    case("bools", """
         y = aten.slice.Tensor(x, 0, 1)
         aten.logical_or_.default(y, z)
         return x""", x="bool[4]", z="bool[3]"),
    case("halves", """
         y = aten.slice.Tensor(x, 0, 1, 4, 2)
         aten.add_.Scalar(y, 1)
         return x""", x="f16[5]"),
]
