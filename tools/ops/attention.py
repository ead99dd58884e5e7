"""Attention, from scores to whole layers."""

from record_ops import case, of, weight

SIZES = [dict(b=1, t=1, s=1), dict(b=2, t=3, s=5)]
LONGER = [dict(b=2, t=5, s=3), dict(b=1, t=4, s=4)]
QKV = dict(q="f32[b, 2, t, 4]", k="f32[b, 2, s, 4]", v="f32[b, 2, s, 4]")
NOTHING_SEEN = [1, 0, 0, 0, 0, 0, 0, 1, 1]  # the second query sees no key
E = 4


def sdpa(name, arguments="", runs=SIZES, **inputs):
    return case(f"sdpa_{name}", f"y = aten.scaled_dot_product_attention.default(q, k, v{arguments})", runs=runs, **{**QKV, **inputs})


def layer(name, arguments="", gelu=False, norm_first=False, runs=(dict(b=1, t=1), dict(b=2, t=3)), **inputs):
    weights = dict(w=weight(f"f32[{3 * E}, {E}]"), c=weight(f"f32[{3 * E}]"), p=weight(f"f32[{E}, {E}]"), pc=weight(f"f32[{E}]"),
                   g1=weight(f"f32[{E}]"), c1=weight(f"f32[{E}]"), g2=weight(f"f32[{E}]"), c2=weight(f"f32[{E}]"),
                   w1=weight(f"f32[6, {E}]"), f1=weight("f32[6]"), w2=weight(f"f32[{E}, 6]"), f2=weight(f"f32[{E}]"))
    call = (f"y = aten._transformer_encoder_layer_fwd.default(x, {E}, 2, w, c, p, pc, {gelu}, {norm_first}, 1e-05, g1, c1, g2, c2, "
            f"w1, f1, w2, f2{arguments})")
    return case(f"encoder_layer_{name}", call, x=f"f32[b, t, {E}]", **inputs, **weights, runs=runs, tolerance=3e-5)


def multi_head(name, arguments="", query="x", key="x", value="x", runs=(dict(b=1, t=1), dict(b=2, t=3)), results="y, a", **inputs):
    call = f"y, a = aten._native_multi_head_attention.default({query}, {key}, {value}, {E}, 2, w, c, p, pc{arguments})"
    return case(f"multi_head_{name}", f"{call}\nreturn {results}", x=f"f32[b, t, {E}]", **inputs, w=weight(f"f32[{3 * E}, {E}]"),
                c=weight(f"f32[{3 * E}]"), p=weight(f"f32[{E}, {E}]"), pc=weight(f"f32[{E}]"), runs=runs, tolerance=3e-5)


CASES = [
    sdpa("plain"),
    sdpa("of_three_axes", q="f32[b, t, 4]", k="f32[b, s, 4]", v="f32[b, s, 3]"),
    sdpa("f64", q="f64[b, 2, t, 4]", k="f64[b, 2, s, 4]", v="f64[b, 2, s, 4]"),
    sdpa("f16", q="f16[b, 2, t, 4]", k="f16[b, 2, s, 4]", v="f16[b, 2, s, 4]"),
    sdpa("scale", ", scale=0.3"),
    sdpa("free_channels", q="f32[2, 3, d]", k="f32[2, 4, d]", v="f32[2, 4, d]", runs=[dict(d=1), dict(d=5)]),
    sdpa("bool_mask", ", m", m="bool[t, s]", runs=SIZES + LONGER),
    sdpa("bool_mask_of_four_axes", ", m", m=of("bool[b, 1, t, s]", values=[1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0]),
         runs=[dict(b=2, t=2, s=3)]),
    sdpa("float_mask", ", m", m="f32[b, 1, 1, s]"),
    sdpa("float_mask_of_two_axes", ", m, 0.0, False", m="f32[t, s]"),
    sdpa("nothing_seen_gives_zero", ", m", m=of("bool[3, 3]", values=NOTHING_SEEN), runs=[dict(b=2, t=3, s=3)]),
    sdpa("minus_infinity_gives_zero", ", m",
         m=of("f32[3, 3]", values=[0.0 if seen else float("-inf") for seen in NOTHING_SEEN]), runs=[dict(b=2, t=3, s=3)]),
    sdpa("causal", ", None, 0.0, True", runs=SIZES + LONGER),
    sdpa("causal_scale", ", is_causal=True, scale=1.5", runs=LONGER),
    sdpa("grouped_heads", ", None, 0.0, True, enable_gqa=True", q="f32[b, 4, t, 4]"),
    sdpa("grouped_heads_of_three_axes", ", m, enable_gqa=True", q="f32[4, t, 4]", k="f32[2, s, 4]", v="f32[2, s, 4]", m="f32[t, s]"),
    case("sdpa_math", "y, w = aten._scaled_dot_product_attention_math.default(q, k, v, m)", m="f32[t, s]", **QKV, runs=SIZES),
    case("sdpa_math_adds_bools", "y, w = aten._scaled_dot_product_attention_math.default(q, k, v, m)", m="bool[t, s]", **QKV, runs=SIZES),
    case("sdpa_math_causal", "y, w = aten._scaled_dot_product_attention_math.default(q, k, v, None, 0.0, True, scale=0.5)", **QKV,
         runs=SIZES),
    case("sdpa_flash_for_cpu", "y, l = aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, True)", **QKV,
         runs=SIZES),
    case("sdpa_flash_for_cpu_mask", "y, l = aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, attn_mask=m, scale=0.4)",
         m="f32[b, 1, t, s]", **QKV, runs=SIZES),
    case("masked_softmax", "y = aten._masked_softmax.default(x, m, 1, 2)", x="f32[2, 3]", m=of("bool[2, 3]", values=[0, 1, 0, 1, 1, 1])),
    case("masked_softmax_of_first_axis", "y = aten._masked_softmax.default(x, m, 0)", x="f32[2, 3]",
         m=of("bool[2, 3]", values=[0, 1, 0, 1, 1, 0])),
    case("masked_softmax_of_keys", "y = aten._masked_softmax.default(x, m, 3, 1)", x="f32[2, 2, t, t]",
         m=of("bool[2, t]", values=[0, 0, 1, 0, 1, 1]), runs=[dict(t=3)]),
    case("masked_softmax_of_pairs", "y = aten._masked_softmax.default(x, m, 3, 0)", x="f32[b, 2, t, t]",
         m=of("bool[t, t]", values=[0, 1, 1, 0, 0, 1, 0, 0, 0]), runs=[dict(b=2, t=3)]),
    multi_head("plain"),
    multi_head("all_weights", ", None, True, False"),
    multi_head("no_weights", ", None, False, True", results="y"),
    multi_head("keys_hidden", ", m, True, True, 1", m=of("bool[b, t]", values=[0, 0, 1, 0, 1, 1]), runs=[dict(b=2, t=3)]),
    multi_head("pairs_hidden", ", m, True, True, 0", m=of("bool[t, t]", values=[0, 1, 1, 0, 0, 1, 0, 0, 0]), runs=[dict(b=2, t=3)]),
    multi_head("minus_infinity", ", m, True, False, 2",
               m=of("f32[b, 2, t, t]", values=[0.0, float("-inf"), *[0.0] * 23] * 4 + [0.0] * 50), runs=[dict(b=3, t=5)]),
    multi_head("of_two", ", None, True, False", key="z", value="z", z=f"f32[b, t, {E}]", runs=[dict(b=2, t=3)]),
    layer("relu"),
    layer("gelu", gelu=True),
    layer("norm_first", norm_first=True),
    layer("norm_first_gelu", gelu=True, norm_first=True),
    layer("keys_hidden", ", m, 1", m=of("bool[b, t]", values=[0, 0, 1, 0, 1, 1]), runs=[dict(b=2, t=3)]),
    layer("pairs_hidden", ", m, 0", m=of("bool[t, t]", values=[0, 1, 1, 0, 0, 1, 0, 0, 0]), runs=[dict(b=2, t=3)]),
    case("nested_encoder", """
         n = aten._nested_tensor_from_mask.default(x, m)
         z = aten._transformer_encoder_layer_fwd.default(n, 8, 2, w, c, p, pc, True, False, 1e-05, g, c1, g, c1, w1, f1, w2, c1, None, None)
         y = aten.to_padded_tensor.default(z, 0.0, [2, 3, 8])""", x="f32[b, t, 8]",
         m=of("bool[b, t]", values=[1, 1, 1, 1, 0, 0]), w=weight("f32[24, 8]", low=-0.2, high=0.2), c=weight("f32[24]"),
         p=weight("f32[8, 8]", low=-0.2, high=0.2), pc=weight("f32[8]"), g=weight("f32[8]"), c1=weight("f32[8]"),
         w1=weight("f32[6, 8]"), f1=weight("f32[6]"), w2=weight("f32[8, 6]"), runs=[dict(b=2, t=3)], tolerance=1e-4),
    case("nested_to_the_longest_row", """
         n = aten._nested_tensor_from_mask.default(x, m)
         y = aten.to_padded_tensor.default(n, -1.0)""", x="f32[2, t, 3]", m=of("bool[2, t]", values=[1, 1, 0, 0, 1, 0, 0, 0]),
         runs=[dict(t=4)]),
]
