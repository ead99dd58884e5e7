"""Recurrent networks: layers, directions, biases, projections, packed sequences, single steps."""

from record_ops import case, of, weight

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
IN, HIDDEN = 3, 2


def weights_of(kind, layers, directions, has_biases, projection, make, dtype):
    """The parameters in PyTorch's order, by name."""
    rows, state, names = GATES[kind] * HIDDEN, projection or HIDDEN, {}
    for layer in range(layers):
        columns = IN if layer == 0 else state * directions
        for direction in range(directions):
            end = f"{layer}{'r' * direction}"
            names[f"w_ih{end}"] = make(f"{dtype}[{rows}, {columns}]")
            names[f"w_hh{end}"] = make(f"{dtype}[{rows}, {state}]")
            if has_biases:
                names[f"b_ih{end}"] = make(f"{dtype}[{rows}]")
                names[f"b_hh{end}"] = make(f"{dtype}[{rows}]")
            if projection:
                names[f"w_hr{end}"] = make(f"{dtype}[{projection}, {HIDDEN}]")
    return names


def network(name, kind, layers=1, directions=1, has_biases=True, batch_first=False, projection=0, make=weight, dtype="f32",
            runs=(dict(t=1, b=1), dict(t=5, b=3)), tolerance=None):
    weights = weights_of(kind, layers, directions, has_biases, projection, make, dtype)
    states = {"h": f"{dtype}[{layers * directions}, b, {projection or HIDDEN}]"}
    hx = "h"
    if kind == "lstm":
        states["c"] = f"{dtype}[{layers * directions}, b, {HIDDEN}]"
        hx = "[h, c]"
    results = "y, h_n, c_n" if kind == "lstm" else "y, h_n"
    x = f"{dtype}[b, t, {IN}]" if batch_first else f"{dtype}[t, b, {IN}]"
    return case(name, f"{results} = aten.{kind}.input(x, {hx}, [{', '.join(weights)}], {has_biases}, {layers}, 0.0, False, "
                      f"{directions == 2}, {batch_first})", x=x, **states, **weights, runs=runs, tolerance=tolerance)


def packed(name, kind, layers=1, directions=1, batch_first=False, projection=0, padding=0.0, total=-1, lengths=(4, 2, 1),
           changed=False, dtype="f32"):
    """Packed, run and padded again. Of `changed` data nobody knows any more what they were before they were packed."""
    weights = weights_of(kind, layers, directions, True, projection, weight, dtype)
    states = {"h": f"{dtype}[{layers * directions}, 3, {projection or HIDDEN}]"}
    if kind == "lstm":
        states["c"] = f"{dtype}[{layers * directions}, 3, {HIDDEN}]"
    hx, last = ("[h, c]", "h_n, c_n") if kind == "lstm" else ("h", "h_n")
    lines = f"""
        data, sizes = aten._pack_padded_sequence.default(x, n, {batch_first})
        used = aten.{"mul.Scalar(data, 2.0)" if changed else "detach.default(data)"}
        z, {last} = aten.{kind}.data(used, sizes, {hx}, [{", ".join(weights)}], True, {layers}, 0.0, False, {directions == 2})
        y, m = aten._pad_packed_sequence.default(z, sizes, {batch_first}, {padding}, {total})
        return y, m, {last}"""
    return case(name, lines, x=f"{dtype}[3, t, {IN}]" if batch_first else f"{dtype}[t, 3, {IN}]",
                n=of("i64[3]", values=list(lengths)), **states, **weights, runs=[dict(t=5)])


def padded_again(name, batch_first, padding, total=-1):
    """Packed, and padded again at once: of what lay beyond the lengths nothing is left."""
    shape = "f32[b, t, 2]" if batch_first else "f32[t, b, 2]"
    return case(name, f"""
        data, sizes = aten._pack_padded_sequence.default(x, n, {batch_first})
        y, m = aten._pad_packed_sequence.default(data, sizes, {batch_first}, {padding}, {total})
        return y, m""", x=shape, n=of("i64[b]", values=[4, 2, 1]), runs=[dict(b=3, t=5)])


CASES = [
    padded_again("packed_and_padded", False, 0.0),
    padded_again("packed_and_padded_batch_first", True, -1.5, 6),
    network("lstm", "lstm"),
    network("lstm_no_biases", "lstm", has_biases=False),
    network("lstm_batch_first", "lstm", batch_first=True),
    network("lstm_bidirectional", "lstm", directions=2),
    network("lstm_layers", "lstm", layers=3, directions=2, batch_first=True),
    network("lstm_computed_weights", "lstm", layers=2, directions=2, make=of),
    network("lstm_computed_weights_no_biases", "lstm", has_biases=False, make=of),
    network("lstm_f64", "lstm", layers=2, directions=2, batch_first=True, dtype="f64"),
    network("lstm_f16", "lstm", dtype="f16"),
    network("lstm_projection", "lstm", projection=1),
    network("lstm_projection_layers", "lstm", layers=2, directions=2, projection=1, batch_first=True),
    network("lstm_projection_no_biases", "lstm", has_biases=False, directions=2, projection=1),
    network("lstm_projection_computed", "lstm", projection=1, make=of),
    network("gru", "gru"),
    network("gru_no_biases", "gru", has_biases=False, batch_first=True),
    network("gru_layers", "gru", layers=2, directions=2),
    network("gru_computed_weights", "gru", directions=2, make=of),
    network("gru_f64", "gru", directions=2, dtype="f64"),
    network("rnn_tanh", "rnn_tanh"),
    network("rnn_tanh_layers", "rnn_tanh", layers=2, directions=2, batch_first=True),
    network("rnn_tanh_computed_weights", "rnn_tanh", make=of, has_biases=False),
    network("rnn_relu", "rnn_relu", directions=2),
    network("rnn_relu_f64", "rnn_relu", dtype="f64"),
    case("lstm_as_torchscript_calls_it", """
         zero = aten.mul.Scalar(h, 0.0)
         y, h_n, c_n = aten.lstm(x, [zero, zero], [w_ih, w_hh, b_ih, b_hh], True, 1, 0.0, False, False, True)""",
         x="f32[b, t, 3]", h="f32[1, b, 2]", w_ih=weight("f32[8, 3]"), w_hh=weight("f32[8, 2]"), b_ih=weight("f32[8]"),
         b_hh=weight("f32[8]"), runs=[dict(b=2, t=3), dict(b=1, t=7)]),
    case("pack_and_pad", """
         data, sizes = aten._pack_padded_sequence.default(x, n, True)
         y, m = aten._pad_packed_sequence.default(data, sizes, True, 0.0, -1)
         return data, sizes, y, m""", x="f32[3, t, 2]", n=of("i64[3]", values=[4, 2, 1]), runs=[dict(t=4), dict(t=6)]),
    case("pack_and_pad_with_a_number", """
         data, sizes = aten._pack_padded_sequence.default(x, n, False)
         y, m = aten._pad_packed_sequence.default(data, sizes, False, -1.5, 7)
         return data, sizes, y, m""", x="f32[t, 3]", n=of("i64[3]", values=[4, 4, 2]), runs=[dict(t=4), dict(t=6)]),
    case("pad_what_was_given", "y, n = aten._pad_packed_sequence.default(data, sizes, True, 2.0, -1)",
         data="f32[n, 2]", sizes=of("i64[t]", values=[3, 2, 2, 1]), runs=[dict(n=8, t=4)]),
    packed("packed_lstm", "lstm"),
    packed("packed_lstm_layers", "lstm", layers=2, directions=2, batch_first=True),
    packed("packed_lstm_full", "lstm", directions=2, lengths=(5, 5, 5)),
    packed("packed_lstm_padding", "lstm", directions=2, padding=-3.0, total=6),
    packed("packed_lstm_projection", "lstm", layers=2, directions=2, projection=1),
    packed("packed_lstm_changed", "lstm", directions=2, changed=True),
    packed("packed_lstm_f64", "lstm", directions=2, dtype="f64"),
    packed("packed_gru", "gru", directions=2, layers=2),
    packed("packed_rnn_tanh", "rnn_tanh", directions=2),
    packed("packed_rnn_relu", "rnn_relu", batch_first=True),
    case("lstm_cell", "h2, c2 = aten.lstm_cell.default(x, [h, c], w_ih, w_hh, b_ih, b_hh)", x="f32[b, 3]", h="f32[b, 2]",
         c="f32[b, 2]", w_ih=weight("f32[8, 3]"), w_hh=weight("f32[8, 2]"), b_ih=weight("f32[8]"), b_hh=weight("f32[8]"),
         runs=[dict(b=1), dict(b=3)]),
    case("lstm_cell_no_biases", "h2, c2 = aten.lstm_cell.default(x, [h, c], w_ih, w_hh)", x="f64[b, 3]", h="f64[b, 2]",
         c="f64[b, 2]", w_ih="f64[8, 3]", w_hh="f64[8, 2]", runs=[dict(b=4)]),
    case("gru_cell", "h2 = aten.gru_cell.default(x, h, w_ih, w_hh, b_ih, b_hh)", x="f32[b, 3]", h="f32[b, 2]",
         w_ih=weight("f32[6, 3]"), w_hh=weight("f32[6, 2]"), b_ih=weight("f32[6]"), b_hh=weight("f32[6]"),
         runs=[dict(b=1), dict(b=3)]),
    case("rnn_tanh_cell", "h2 = aten.rnn_tanh_cell.default(x, h, w_ih, w_hh, b_ih, b_hh)", x="f32[b, 3]", h="f32[b, 2]",
         w_ih=weight("f32[2, 3]"), w_hh=weight("f32[2, 2]"), b_ih=weight("f32[2]"), b_hh=weight("f32[2]"),
         runs=[dict(b=1), dict(b=3)]),
    case("rnn_relu_cell", "h2 = aten.rnn_relu_cell.default(x, h, w_ih, w_hh)", x="f32[b, 3]", h="f32[b, 2]",
         w_ih=weight("f32[2, 3]"), w_hh=weight("f32[2, 2]"), runs=[dict(b=4)]),
]
