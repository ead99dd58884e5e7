"""Sorting, searching, and what a program asks about a tensor."""

from record_ops import case, of

X = of("f32[b, 3, t]", distinct=True)
ROWS = [dict(b=1, t=1), dict(b=2, t=5)]
EMPTY = [dict(b=2, t=0)]

CASES = [
    case("sort", "a, b = aten.sort.default(x)", x=X, runs=ROWS),
    case("sort_first_axis_down", "a, b = aten.sort.default(x, 0, True)", x=X, runs=ROWS),
    case("sort_stable", "a, b = aten.sort.stable(x, stable=True, dim=1)", x=of("i64[b, 9]", low=0, high=3), runs=[dict(b=3)]),
    case("sort_stable_down", "a, b = aten.sort.stable(x, stable=True, dim=1, descending=True)",
         x=of("i32[b, 9]", low=0, high=3), runs=[dict(b=3)]),
    case("sort_of_bools", "a, b = aten.sort.stable(x, stable=True, dim=0)", x="bool[t]", runs=ROWS),
    case("sort_of_f64", "a, b = aten.sort.default(x)", x=of("f64[t]", distinct=True), runs=ROWS),
    case("sort_of_halves", "a, b = aten.sort.default(x)", x=of("f16[t]", distinct=True), runs=ROWS),
    case("sort_of_a_scalar", "a, b = aten.sort.default(x)", x="f32[]"),
    case("sort_of_nothing", "a, b = aten.sort.default(x)", x="f32[b, t]", runs=EMPTY),
    case("sort_without_overload", "a, b = aten.sort(x, 1, True)", x=X, runs=ROWS),
    case("argsort", "y = aten.argsort.default(x, 1)", x=X, runs=ROWS),
    case("argsort_stable", "y = aten.argsort.stable(x, stable=True, dim=-1, descending=True)", x=of("u8[t]", low=0, high=3),
         runs=ROWS),
    case("msort", "y = aten.msort.default(x)", x=X, runs=ROWS),
    case("topk", "a, b = aten.topk.default(x, 2, 1)", x=X, runs=ROWS),
    case("topk_smallest", "a, b = aten.topk.default(x, 3, 1, False)", x=X, runs=ROWS),
    case("topk_of_a_number", "a, b = aten.topk.default(x, k)", x=of("i64[b, 6]", distinct=True), k="int",
         runs=[dict(b=1, k=1), dict(b=2, k=6), dict(b=2, k=3)]),
    case("kthvalue", "a, b = aten.kthvalue.default(x, 2, 1, True)", x=X, runs=ROWS),
    case("median", "y = aten.median.default(x)", x=X, runs=ROWS),
    case("median_of_even", "a, b = aten.median.dim(x, -1)", x=of("f32[2, t]", distinct=True),
         runs=[dict(t=1), dict(t=2), dict(t=4), dict(t=5)]),
    case("median_keepdim", "a, b = aten.median.dim(x, 0, True)", x=of("i32[t, 2]", distinct=True), runs=ROWS),
    *[case(f"quantile_{name}", f"y = aten.quantile.{line}", x="f32[b, 3, t]", q=of("f32[3]", values=[0, 0.3, 1]),
           runs=[dict(b=1, t=1), dict(b=2, t=6)])
      for name, line in {"all": "default(x, q)", "dim": "default(x, q, 1)", "last_keepdim": "default(x, q, -1, True)",
                         "all_keepdim": "default(x, q, None, True)", "of_a_number": "scalar(x, 0.25, 2)",
                         "of_a_number_keepdim": "scalar(x, 0.8, 0, True)"}.items()],
    *[case(f"quantile_{mode}", f'y = aten.quantile.scalar(x, 0.4, 0, interpolation="{mode}")', x="f64[t, 2]",
           runs=[dict(t=1), dict(t=7)]) for mode in ["lower", "higher", "nearest", "midpoint"]],
    # what is there
    case("unique", "a, b, c = aten._unique2.default(x, True, True, True)", x=of("i64[b, t]", low=0, high=4),
         runs=[dict(b=1, t=1), dict(b=2, t=7)]),
    case("unique_alone", "a, b, c = aten._unique2.default(x)", x=of("f32[t]", values=[2, 1, 2, -3, 1]), runs=[dict(t=5)]),
    case("unique_with_inverse", "a, b = aten._unique.default(x, True, True)", x=of("i32[b, t]", low=0, high=4), runs=ROWS),
    case("unique_dim", "a, b, c = aten.unique_dim.default(x, 0, True, True, True)", x=of("i64[t, 2]", low=0, high=2),
         runs=[dict(t=1), dict(t=9)]),
    case("unique_consecutive", "a, b, c = aten.unique_consecutive.default(x, True, True)", x=of("i64[t]", low=0, high=2),
         runs=[dict(t=1), dict(t=9)]),
    case("nonzero", "y = aten.nonzero.default(x)", x=of("f32[b, t]", low=-1, high=1), runs=ROWS + EMPTY),
    case("nonzero_of_bools", "y = aten.nonzero.default(x)", x="bool[t]", runs=ROWS),
    case("nonzero_of_int8", "y = aten.nonzero.default(x)", x=of("i8[b, t]", low=0, high=2), runs=ROWS),
    case("nonzero_static", "y = aten.nonzero_static.default(x, size=5, fill_value=-2)", x="bool[b, t]",
         runs=[dict(b=1, t=1), dict(b=2, t=3), dict(b=3, t=6)]),
    case("argwhere", "y = aten.argwhere.default(x)", x="bool[b, 3, t]", runs=ROWS),
    case("nonzero_numpy", """
         l = aten.nonzero_numpy.default(x)
         return l""", x="bool[b, 3, t]", runs=ROWS),
    case("where_of_a_condition", """
         l = aten.where.default(x)
         return l""", x=of("i64[b, t]", low=0, high=2), runs=ROWS),
    case("nonzero_counts", """
         l = aten.nonzero.default(x)
         n = aten.sym_size.int(l, 0)
         y = aten.arange.default(n)
         return y, n""", x="bool[t]", runs=[dict(t=1), dict(t=8)]),
    case("masked_select", "y = aten.masked_select.default(x, m)", x="f32[b, 3, t]", m="bool[b, 3, t]", runs=ROWS),
    case("masked_select_broadcasts", "y = aten.masked_select.default(x, m)", x="i64[3, 1]", m="bool[b, 1, t]", runs=ROWS),
    # places in a table
    *[case(f"bucketize_{side}", f"y = aten.bucketize.Tensor(x, e, right={side == 'right'})", x=of("f32[b, 8]", special=True),
           e=of("f32[4]", values=[-1, 0, 0.5, 2]), runs=[dict(b=1), dict(b=2)]) for side in ["left", "right"]],
    case("bucketize_of_ints", "y = aten.bucketize.Tensor(x, e, out_int32=True)", x="i64[b, t]",
         e=of("f32[5]", values=[-3, -1, 0, 0.5, 2]), runs=ROWS),
    case("bucketize_of_a_number", "y = aten.bucketize.Scalar(n, e)", n="float", e=of("f32[n_]", values=[-1, 0, 2]),
         runs=[dict(n=0.5, n_=3), dict(n=9.0, n_=3)]),
    case("searchsorted", "y = aten.searchsorted.Tensor(e, x)", e=of("f32[4]", values=[-1, 0, 0.5, 2]), x="f32[b, t]", runs=ROWS),
    case("searchsorted_batched", "y = aten.searchsorted.Tensor(e, x, right=True)", e=of("i64[2, 4]", values=[0, 1, 1, 3, 0, 0, 2, 5]),
         x="i64[2, t]", runs=[dict(t=1), dict(t=6)]),
    case("searchsorted_side", 'y = aten.searchsorted.Tensor(e, x, side="right", out_int32=True)',
         e=of("i64[4]", values=[-1, 0, 2, 2]), x="i64[t]", runs=ROWS),
    case("searchsorted_sorter", "y = aten.searchsorted.Tensor(e, x, sorter=s)", e=of("f32[3]", values=[2, -1, 0]),
         s=of("i64[3]", values=[1, 2, 0]), x="f32[t]", runs=ROWS),
    case("searchsorted_of_a_number", "y = aten.searchsorted.Scalar(e, 0.5)", e=of("f32[t]", low=0.5, high=0.6), runs=ROWS),
    case("isin", "y = aten.isin.Tensor_Tensor(x, z)", x="i64[b, t]", z="i64[3, 1]", runs=ROWS),
    case("isin_inverted", "y = aten.isin.Tensor_Scalar(x, 2, invert=True)", x="i64[b, t]", runs=ROWS),
    case("isin_of_a_number", "y = aten.isin.Scalar_Tensor(2, z)", z="i64[3, t]", runs=ROWS),
    case("bincount", "y = aten.bincount.default(x)", x=of("i64[t]", low=0, high=6), runs=ROWS + EMPTY),
    case("bincount_of_weights", "y = aten.bincount.default(x, w, 9)", x=of("i64[t]", low=0, high=6), w="f32[t]",
         runs=[dict(t=1), dict(t=8)]),
    case("histc", "y = aten.histc.default(x, 5, -1, 1)", x="f32[b, t]", runs=[dict(b=1, t=1), dict(b=3, t=7)]),
    case("histc_of_its_range", "y = aten.histc.default(x, 4)", x="f32[t]", runs=[dict(t=1), dict(t=9)]),
    # repeat_interleave
    case("repeat_interleave", "y = aten.repeat_interleave.self_int(x, 3, 1)", x=X, runs=ROWS),
    case("repeat_interleave_flat", "y = aten.repeat_interleave.self_int(x, 2)", x=X, runs=ROWS),
    case("repeat_interleave_by_a_number", "y = aten.repeat_interleave.self_int(x, n, -1)", x="i64[b, t]", n="int",
         runs=[dict(b=1, t=2, n=1), dict(b=2, t=3, n=4), dict(b=2, t=3, n=0)]),
    case("repeat_interleave_by_a_tensor", "y = aten.repeat_interleave.self_Tensor(x, r, 1)", x="f32[b, t, 2]",
         r=of("i64[t]", low=0, high=4), runs=[dict(b=1, t=1), dict(b=2, t=5)]),
    case("repeat_interleave_by_one_for_all", "y = aten.repeat_interleave.self_Tensor(x, r, 0)", x="f32[b, t]",
         r=of("i32[1]", low=2, high=4), runs=ROWS),
    case("repeat_interleave_to_a_size", "y = aten.repeat_interleave.self_Tensor(x, r, 0, output_size=6)", x="f32[3]",
         r=of("i64[3]", values=[1, 3, 2])),
    case("repeat_interleave_indices", "y = aten.repeat_interleave.Tensor(r)", r=of("i64[t]", low=0, high=4),
         runs=[dict(t=1), dict(t=6)]),
    case("repeat_interleave_without_overload", "y = aten.repeat_interleave(x, 2, 0)", x="f32[b, t]", runs=ROWS),
    # questions
    case("equal", """
         n = aten.equal.default(x, x)
         m = aten.equal.default(x, y)
         return n, m""", x="f32[b, t]", y="f32[b, t]", runs=[dict(b=2, t=3)]),
    case("numel", """
         n = aten.numel.default(x)
         y = aten.full.default([n], 1)
         return n, y""", x="f32[b, 3, t]", runs=ROWS + EMPTY),
    case("sizes", """
         n = aten.sym_size.default(x)
         y = aten.zeros.default(n)""", x="f32[b, 3, t]", runs=ROWS),
    case("strides", """
         n = aten.stride.default(x)
         return n""", x="f32[b, 3, t]", runs=[dict(b=2, t=4)]),
    case("stride_of_an_axis", """
         n = aten.stride.int(x, -2)
         return n""", x="f32[b, 3, t]", runs=[dict(b=2, t=4)]),
    case("types", """
         a = aten.is_floating_point.default(x)
         b = aten.is_complex.default(x)
         c = aten.is_signed.default(x)
         return a, b, c""", x="i64[2]"),
    *[case(f"is_signed_of_{type}", "y = aten.is_signed.default(x)\nreturn y", x=f"{type}[2]") for type in ["u8", "i8", "bool", "f32"]],
    case("is_same_size_of_other_ranks", """
         a = aten.is_same_size.default(x, y)
         return a""", x="i64[b, 2]", y="i64[2]", runs=[dict(b=1), dict(b=3)]),
    case("is_same_size", """
         a = aten.is_same_size.default(x, y)
         return a""", x="i64[b, 2]", y="i64[t, 2]", runs=[dict(b=1, t=1), dict(b=2, t=3)]),
    case("item", """
         n = aten.item.default(x)
         m = aten._local_scalar_dense.default(y)
         z = aten.full.default([m], n)
         return z""", x="f32[1]", y=of("i64[]", values=[3])),
]
