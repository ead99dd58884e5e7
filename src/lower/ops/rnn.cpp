// Recurrent networks: one LSTM, GRU or RNN of ONNX for each layer, which runs both directions. What
// ONNX lacks (projections) and what ONNX Runtime lacks (float64) is a Scan for each direction.
#include <array>
#include <optional>

#include "base/tensor_math.h"
#include "lower/ops/linear.h"
#include "lower/ops/ops.h"
#include "lower/ops/packed_sequence.h"

namespace voxport::ops {
namespace {

enum class RnnKind { kLstm, kGru, kRnnTanh, kRnnRelu };

RnnKind rnn_kind(const Call& call) {
  const std::string_view name = call.name();
  if (name.starts_with("aten.lstm")) return RnnKind::kLstm;
  if (name.starts_with("aten.gru")) return RnnKind::kGru;
  return name.starts_with("aten.rnn_tanh") ? RnnKind::kRnnTanh : RnnKind::kRnnRelu;
}

const char* onnx_name(RnnKind kind) {
  return kind == RnnKind::kLstm ? "LSTM" : kind == RnnKind::kGru ? "GRU" : "RNN";
}

// Where in PyTorch's weights ONNX's gates are: of i, f, g, o as i, o, f, c; of r, z, n as z, r, h.
std::vector<std::int64_t> gate_order(RnnKind kind) {
  if (kind == RnnKind::kLstm) return {0, 3, 1, 2};
  if (kind == RnnKind::kGru) return {1, 0, 2};
  return {0};
}

struct RnnState {
  Value h;
  Value c;  // of an LSTM
};

// The weights of one layer in one direction; biases and projection may be absent.
struct Weights {
  Value w_ih, w_hh, b_ih, b_hh, w_hr;
};

std::int64_t known_size(const Call& call, const Value& value, std::int64_t axis) {
  const auto size = value.dim(axis).constant();
  if (!size) call.refuse("the sizes of its weights must be known before the run");
  return *size;
}

std::vector<Value> gates_of(const Value& x, std::int64_t count) {
  const auto size = floor_div(x.dim(-1), count).constant();
  if (!size) fail(Error::kUnsupported, "the sizes of its weights must be known before the run");
  return split(x, std::vector<std::int64_t>(static_cast<std::size_t>(count), *size), -1);
}

RnnState lstm_step(const Value& from_x, const Value& from_h, const RnnState& before) {
  const std::vector<Value> gates = gates_of(from_x + from_h, 4);
  const Value c = sigmoid(gates[1]) * before.c + sigmoid(gates[0]) * tanh(gates[2]);
  return {sigmoid(gates[3]) * tanh(c), c};
}

RnnState gru_step(const Value& from_x, const Value& from_h, const RnnState& before) {
  const std::vector<Value> x = gates_of(from_x, 3);
  const std::vector<Value> h = gates_of(from_h, 3);
  const Value r = sigmoid(x[0] + h[0]);
  const Value z = sigmoid(x[1] + h[1]);
  const Value n = tanh(x[2] + r * h[2]);
  return {n + z * (before.h - n), {}};
}

// The next state. `from_x` and `from_h` are what the weights make of the input and of the state,
// biases included.
RnnState step(RnnKind kind, const Value& from_x, const Value& from_h, const RnnState& before) {
  if (kind == RnnKind::kLstm) return lstm_step(from_x, from_h, before);
  if (kind == RnnKind::kGru) return gru_step(from_x, from_h, before);
  const Value sum = from_x + from_h;
  return {kind == RnnKind::kRnnTanh ? tanh(sum) : relu(sum), {}};
}

// The whole network, and what flows through it.
struct Network {
  RnnKind kind = RnnKind::kLstm;
  std::vector<std::vector<Weights>> layers;  // of each layer its directions
  RnnState state;                            // [layers*dirs, b, h]
  Value x;                                   // [t, b, i]
  Value lengths;                             // int64 [b], or absent

  std::size_t directions() const { return layers.front().size(); }
  // Of one layer: [dirs, b, h].
  RnnState state_of(std::size_t layer) const {
    const auto from = static_cast<std::int64_t>(layer * directions());
    const auto to = static_cast<std::int64_t>((layer + 1) * directions());
    const auto part = [&](const Value& all) {
      return all && layers.size() > 1 ? voxport::slice(all, 0, from, to) : all;
    };
    return {part(state.h), part(state.c)};
  }
};

struct LayerResult {
  Value y;        // [t, b, dirs*h]
  RnnState last;  // [dirs, b, h]
};

// Of each direction the weights that follow each other: {w_ih}, or {b_ih, b_hh}.
using Directions = std::vector<std::vector<Value>>;

bool are_plain_constants(const Directions& directions) {
  return std::ranges::all_of(directions, [](const std::vector<Value>& parts) {
    return std::ranges::all_of(parts, [](const Value& part) {
      return part.constant() && part.dtype() == DType::kFloat32;
    });
  });
}

// Put in order when they are written, so that they are never in memory twice.
Value ordered_constants(const Directions& directions, const std::vector<std::int64_t>& order,
                        std::int64_t hidden, Builder& g) {
  std::vector<Tensor> gates;
  for (const auto& parts : directions)
    for (const Value& part : parts)
      for (const std::int64_t gate : order)
        gates.push_back(sliced(*part.constant(), 0, gate * hidden, (gate + 1) * hidden));
  const Value& first = directions[0][0];
  const auto count = static_cast<std::int64_t>(directions.size());
  std::vector<std::int64_t> shape = {count,
                                     static_cast<std::int64_t>(gates.size()) / count * hidden};
  if (first.rank() == 2) shape.push_back(*first.dim(1).constant());
  return g.constant(first.name(), reshaped(joined(std::move(gates), 0), shape));
}

Value ordered_values(const Directions& directions, const std::vector<std::int64_t>& order,
                     std::int64_t hidden) {
  std::vector<Value> all;
  for (const auto& parts : directions) {
    std::vector<Value> pieces;
    for (const Value& part : parts) {
      const std::vector<std::int64_t> sizes(order.size(), hidden);
      const std::vector<Value> gates = split(part, sizes, 0);
      for (const std::int64_t gate : order) pieces.push_back(gates[static_cast<std::size_t>(gate)]);
    }
    all.push_back(voxport::unsqueeze(concat(pieces, 0), {0}));
  }
  return all.size() == 1 ? all[0] : concat(all, 0);
}

// All weights of a layer that `pick` picks, with their gates in ONNX's order and the directions
// along a new first axis.
template <class Pick>
Value layer_weight(const std::vector<Weights>& layer, RnnKind kind, std::int64_t hidden, Builder& g,
                   Pick pick) {
  Directions directions;
  for (const Weights& weights : layer) directions.push_back(pick(weights));
  const std::vector<std::int64_t> order = gate_order(kind);
  return are_plain_constants(directions) ? ordered_constants(directions, order, hidden, g)
                                         : ordered_values(directions, order, hidden);
}

Attributes node_attributes(RnnKind kind, std::size_t directions, std::int64_t hidden) {
  Attributes attributes = {{"hidden_size", hidden}};
  if (directions == 2) attributes.emplace_back("direction", std::string("bidirectional"));
  if (kind == RnnKind::kGru) attributes.emplace_back("linear_before_reset", std::int64_t{1});
  if (kind == RnnKind::kRnnRelu)
    attributes.emplace_back("activations", std::vector<std::string>(directions, "Relu"));
  return attributes;
}

// y [t, dirs, b, h] as PyTorch has it: [t, b, dirs*h].
Value joined_directions(const Value& y, std::size_t directions, std::int64_t hidden) {
  if (directions == 1) return squeeze(y, {1});
  return reshape(voxport::transpose(y, {0, 2, 1, 3}),
                 {0, 0, static_cast<std::int64_t>(directions) * hidden});
}

LayerResult node_layer(const Call& call, const Network& network, std::size_t layer, Builder& g) {
  const std::vector<Weights>& weights = network.layers[layer];
  const std::int64_t hidden = known_size(call, weights[0].w_hh, 1);
  const auto weight = [&](const auto& pick) {
    return layer_weight(weights, network.kind, hidden, g, pick);
  };
  const RnnState state = network.state_of(layer);
  std::vector<Value> inputs = {network.x,
                               weight([](const Weights& w) { return std::vector<Value>{w.w_ih}; }),
                               weight([](const Weights& w) { return std::vector<Value>{w.w_hh}; }),
                               !weights[0].b_ih ? Value() : weight([](const Weights& w) {
                                 return std::vector<Value>{w.b_ih, w.b_hh};
                               }),
                               network.lengths ? cast(network.lengths, DType::kInt32) : Value(),
                               state.h};
  const bool is_lstm = network.kind == RnnKind::kLstm;
  if (is_lstm) inputs.push_back(state.c);
  const std::vector<Value> results =
      g.nodes(onnx_name(network.kind), std::move(inputs),
              node_attributes(network.kind, weights.size(), hidden), is_lstm ? 3 : 2);
  return {joined_directions(results[0], weights.size(), hidden),
          {results[1], is_lstm ? results[2] : Value()}};
}

// The graph inside of a Scan, and what it uses of the one around it. Its names start with the
// Scan's, since ONNX requires names to differ from those around it.
struct RnnBody {
  explicit RnnBody(std::string scan_name) : name(std::move(scan_name)), scope(*graph, name) {}

  std::string name;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Graph::Scope scope;
  std::vector<Value> captured;

  Value input(const char* which, const Value& like, bool is_scanned) {
    Shape shape = like.shape();
    if (is_scanned) shape.erase(shape.begin());
    return graph->add_input(cat(name, "/", which), Type{like.dtype(), std::move(shape), {}});
  }
  void output(const char* which, const Value& value) {
    graph->add_output(cat(name, "/", which), value);
  }
  Value capture(const Value& outside) {
    captured.push_back(outside);
    return graph->add_captured(outside.name(), outside.type());
  }
};

// What a step leaves where the row has ended, or, backwards, not begun yet: the state as it was.
Value kept(const Value& inside, const Value& after, const Value& before) {
  return inside ? where(inside, after, before) : after;
}

// The Scan over `scanned`, all [t, ...]: the last states, and the last output of each step as one.
std::vector<Value> scan(Graph& graph, RnnBody& body, std::vector<Value> states,
                        const std::vector<Value>& scanned, bool is_backwards) {
  std::vector<Type> types;
  for (const auto& [name, value] : body.graph->outputs())
    types.push_back({value.dtype(), value.shape(), {}});
  types.back().shape->insert(types.back().shape->begin(), scanned[0].shape()[0]);
  Attributes attributes = {{"body", std::shared_ptr<Graph>(body.graph)},
                           {"num_scan_inputs", static_cast<std::int64_t>(scanned.size())}};
  if (is_backwards) {
    attributes.emplace_back("scan_input_directions", std::vector<std::int64_t>(scanned.size(), 1));
    attributes.emplace_back("scan_output_directions", std::vector<std::int64_t>{1});
  }
  states.insert(states.end(), scanned.begin(), scanned.end());
  body.graph->set_prefix(cat(body.name, "."));  // for what passes add
  const Node node =
      graph.add_node(body.name, "Scan", std::move(states), std::move(attributes), types);
  graph.set_captured(node, std::move(body.captured));
  return {node.outputs().begin(), node.outputs().end()};
}

// One direction of one layer: y [t, b, h] and the last state [b, h].
LayerResult scan_direction(const Network& network, const Weights& weights, const RnnState& state,
                           bool is_backwards) {
  const Value from_x = affine(network.x, weights.w_ih, weights.b_ih);
  Value inside;  // [t, b, 1]
  if (network.lengths)
    inside = voxport::unsqueeze(steps_inside(network.lengths, voxport::size(network.x, 0)), {2});
  const Value w_hh = turned(weights.w_hh);
  const Value w_hr = weights.w_hr ? turned(weights.w_hr) : Value();

  Graph& graph = network.x.graph();
  RnnBody body(graph.take_name("Scan"));
  RnnState before{body.input("h", state.h, false), {}};
  if (state.c) before.c = body.input("c", state.c, false);
  const Value x_t = body.input("x", from_x, true);
  const Value inside_t = inside ? body.input("inside", inside, true) : Value();
  Value from_h = voxport::matmul(before.h, body.capture(w_hh));
  if (weights.b_hh) from_h = from_h + body.capture(weights.b_hh);
  RnnState after = step(network.kind, x_t, from_h, before);
  if (w_hr) after.h = voxport::matmul(after.h, body.capture(w_hr));
  Builder inner(*body.graph);
  const Value y_t = inside ? where(inside_t, after.h, inner.scalar(0, after.h.dtype())) : after.h;
  body.output("next_h", kept(inside_t, after.h, before.h));
  if (state.c) body.output("next_c", kept(inside_t, after.c, before.c));
  body.output("y", y_t);

  std::vector<Value> states = {state.h};
  if (state.c) states.push_back(state.c);
  std::vector<Value> scanned = {from_x};
  if (inside) scanned.push_back(inside);
  const std::vector<Value> results = scan(graph, body, std::move(states), scanned, is_backwards);
  return {results.back(), {results[0], state.c ? results[1] : Value()}};
}

LayerResult scan_layer(const Network& network, std::size_t layer) {
  const std::vector<Weights>& weights = network.layers[layer];
  const RnnState state = network.state_of(layer);
  std::vector<Value> ys, hs, cs;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const auto part = [&](const Value& all) {
      return all ? squeeze(voxport::slice(all, 0, at, at + 1), {0}) : Value();
    };
    const auto [y, last] =
        scan_direction(network, weights[i], {part(state.h), part(state.c)}, i == 1);
    ys.push_back(y);
    hs.push_back(voxport::unsqueeze(last.h, {0}));
    if (last.c) cs.push_back(voxport::unsqueeze(last.c, {0}));
  }
  const auto joined = [](const std::vector<Value>& parts, std::int64_t axis) {
    return parts.size() == 1 ? parts[0] : concat(parts, axis);
  };
  return {joined(ys, 2), {joined(hs, 0), cs.empty() ? Value() : joined(cs, 0)}};
}

// The weights as PyTorch lists them: of each layer, of each direction w_ih, w_hh, then biases and
// the projection where there are any.
std::vector<std::vector<Weights>> layers_of(const Call& call) {
  const std::vector<Value> params = call.tensors("params");
  const auto layers = static_cast<std::size_t>(call.integer("num_layers"));
  const std::size_t directions = call.flag("bidirectional") ? 2 : 1;
  const bool has_biases = call.flag("has_biases");
  const std::size_t plain = has_biases ? 4 : 2;
  const bool is_projected = params.size() == layers * directions * (plain + 1);
  const std::size_t each = plain + (is_projected ? 1 : 0);
  const bool is_sane = layers > 0 && layers <= params.size();
  if (!is_sane || params.size() != layers * directions * each)
    call.refuse("it has ", params.size(), " weights for ", layers, " layers in ", directions,
                " directions, expected ", layers * directions * plain);
  std::vector<std::vector<Weights>> all(layers);
  for (std::size_t i = 0; i < params.size(); i += each) {
    Weights weights{params[i], params[i + 1], {}, {}, {}};
    if (has_biases) weights.b_ih = params[i + 2];
    if (has_biases) weights.b_hh = params[i + 3];
    if (is_projected) weights.w_hr = params[i + each - 1];
    all[i / each / directions].push_back(weights);
  }
  return all;
}

// The first state: a tensor, or of an LSTM two in a list.
RnnState first_state(const Call& call) {
  const std::vector<Value> states = call.tensors("hx");
  const std::size_t expected = rnn_kind(call) == RnnKind::kLstm ? 2 : 1;
  if (states.size() != expected)
    call.refuse("its state has ", states.size(), " parts, expected ", expected);
  return {states[0], expected == 2 ? states[1] : Value()};
}

// Whether a weight is `gates` times as long as the state is wide.
bool has_gates(const Value& weight, std::size_t rank, std::int64_t gates, std::int64_t hidden) {
  return !weight || (weight.rank() == rank && weight.dim(0) == Dim(gates * hidden));
}

// Fails with kUnsupported where the shapes of the weights do not go together.
void check_weights(const Call& call, const Network& network) {
  const auto gates = static_cast<std::int64_t>(gate_order(network.kind).size());
  for (const auto& layer : network.layers) {
    for (const Weights& weights : layer) {
      const Value& sized_as_hidden = weights.w_hr ? weights.w_hr : weights.w_hh;
      if (sized_as_hidden.rank() != 2) call.refuse("its weights must be matrices");
      const std::int64_t hidden = known_size(call, sized_as_hidden, 1);
      if (!has_gates(weights.w_ih, 2, gates, hidden) ||
          !has_gates(weights.w_hh, 2, gates, hidden) ||
          !has_gates(weights.b_ih, 1, gates, hidden) || !has_gates(weights.b_hh, 1, gates, hidden))
        call.refuse("its weights are not of ", gates, " gates of ", hidden);
    }
  }
  if (network.state.h.rank() != 3 || (network.state.c && network.state.c.rank() != 3))
    call.refuse("its state must have three axes");
}

// The sizes that input, states and weights have in common.
void note_sizes(const Call& call, const Network& network) {
  Walk& walk = call.walk();
  const Weights& weights = network.layers[0][0];
  walk.note_fixed({network.x.dim(2)}, {weights.w_ih.dim(1)});
  walk.note_fixed({network.x.dim(1)}, {network.state.h.dim(1)});
  walk.note_fixed({network.state.h.dim(2)}, {weights.w_hh.dim(1)});
  if (network.state.c) walk.note_fixed({network.x.dim(1)}, {network.state.c.dim(1)});
}

struct Result {
  Value y;        // [t, b, dirs*h]
  RnnState last;  // [layers*dirs, b, h]
};

bool is_zeros(const Value& value) {
  const auto node = value.producer();
  if (!node || node->op() != "ConstantOfShape") return false;
  const auto* element = node->find("value") ? std::get_if<Tensor>(node->find("value")) : nullptr;
  bool is_zero = true;
  if (element)
    for_each_element(
        *element, [&](const std::byte* at) { is_zero = element_value(element->dtype, at) == 0; });
  return is_zero;
}

// A trace of a packed sequence has the batch of its example in the zeros that it starts with. Zeros
// serve for any other batch.
Value for_any_batch(const Value& state, const Value& x) {
  const bool is_held = state && state.dim(1).is_constant() && !x.dim(1).is_constant();
  if (!is_held || !is_zeros(state)) return state;
  return zeros(concat({voxport::size(state, 0), voxport::size(x, 1), voxport::size(state, 2)}, 0),
               state.dtype());
}

Result run_network(const Call& call, Network network, Builder& g) {
  check_weights(call, network);
  network.state = {for_any_batch(network.state.h, network.x),
                   for_any_batch(network.state.c, network.x)};
  note_sizes(call, network);
  const bool is_scanned = network.layers[0][0].w_hr || network.x.dtype() == DType::kFloat64;
  std::vector<Value> hs, cs;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const auto [y, last] = is_scanned ? scan_layer(network, i) : node_layer(call, network, i, g);
    network.x = y;
    hs.push_back(last.h);
    if (last.c) cs.push_back(last.c);
  }
  const auto joined = [](const std::vector<Value>& parts) {
    return parts.size() == 1 ? parts[0] : concat(parts, 0);
  };
  return {network.x, {joined(hs), cs.empty() ? Value() : joined(cs)}};
}

Item results_of(Item y, const RnnState& last) {
  std::vector<Item> items = {std::move(y), last.h};
  if (last.c) items.emplace_back(last.c);
  return Item::tuple(std::move(items));
}

}  // namespace

// aten.lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers,
//   float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)
// aten.gru.input, aten.rnn_tanh.input and aten.rnn_relu.input: the same with Tensor hx, and no
// third
//   result.
// aten.lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases,
// int
//   num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)
Item rnn(const Call& call, Builder& g) {
  Network network;
  network.kind = rnn_kind(call);
  network.layers = layers_of(call);
  network.state = first_state(call);
  if (call.flag("train") && network.layers.size() > 1 && call.real("dropout") > 0)
    call.refuse("it drops values at random between its layers: call eval() before saving");
  if (call.has("batch_sizes")) {
    const PackedSequence sequence = padded_sequence(call);
    if (sequence.padded.rank() != 3) call.refuse("its data must have two axes");
    network.x = sequence.padded;
    network.lengths = sequence.lengths;
    const Result result = run_network(call, std::move(network), g);
    return results_of(packed_data({result.y, sequence.lengths, true}), result.last);
  }
  const bool batch_first = call.flag("batch_first");
  network.x = call.tensor("input");
  if (network.x.rank() != 3) call.refuse("its input has ", network.x.rank(), " axes, expected 3");
  if (batch_first) network.x = voxport::transpose(network.x, {1, 0, 2});
  const Result result = run_network(call, std::move(network), g);
  return results_of(batch_first ? voxport::transpose(result.y, {1, 0, 2}) : result.y, result.last);
}

// aten.lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor?
//   b_hh=None) -> (Tensor, Tensor)
// aten.gru_cell, aten.rnn_tanh_cell and aten.rnn_relu_cell: the same with Tensor hx, -> Tensor.
Item rnn_cell(const Call& call, Builder&) {
  const RnnState state = first_state(call);
  const Value from_x =
      affine(call.tensor("input"), call.tensor("w_ih"), call.tensor_or_none("b_ih"));
  const Value from_h = affine(state.h, call.tensor("w_hh"), call.tensor_or_none("b_hh"));
  const RnnState next = step(rnn_kind(call), from_x, from_h, state);
  if (next.c) return std::vector<Value>{next.h, next.c};
  return next.h;
}

}  // namespace voxport::ops
