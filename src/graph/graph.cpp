#include "graph/graph.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/fail.h"

namespace voxport {

const std::string& Value::name() const { return graph_->values_[index_].name; }
const Type& Value::type() const { return graph_->values_[index_].type; }

const Shape& Value::shape() const {
  const std::optional<Shape>& shape = type().shape;
  if (!shape) fail(Error::kUnsupported, "the rank of ", in_quotes(name()), " is not known");
  return *shape;
}

const Tensor* Value::constant() const {
  const std::optional<Tensor>& constant = graph_->values_[index_].constant;
  return constant ? &*constant : nullptr;
}

const Tensor* Value::known() const {
  const std::optional<Tensor>& captured = graph_->values_[index_].captured_constant;
  return captured ? &*captured : constant();
}

bool Value::is_known_here_only() const {
  return constant() || (known() && graph_->values_[index_].is_captured_once);
}

std::optional<Node> Value::producer() const {
  const std::int64_t producer = graph_->values_[index_].producer;
  if (producer < 0) return std::nullopt;
  return Node(graph_, static_cast<std::uint32_t>(producer));
}

const std::string& Node::op() const { return graph_->nodes_[index_].op; }
const std::string& Node::domain() const { return graph_->nodes_[index_].domain; }
const std::string& Node::name() const { return graph_->nodes_[index_].name; }
std::span<const Value> Node::inputs() const { return graph_->nodes_[index_].inputs; }
std::span<const Value> Node::outputs() const { return graph_->nodes_[index_].outputs; }
std::span<const Value> Node::captured() const { return graph_->nodes_[index_].captured; }
const Attributes& Node::attributes() const { return graph_->nodes_[index_].attributes; }

std::vector<Graph*> Node::graphs() const {
  std::vector<Graph*> graphs;
  for (const auto& [key, attribute] : attributes())
    if (const auto* graph = std::get_if<std::shared_ptr<Graph>>(&attribute))
      graphs.push_back(graph->get());
  return graphs;
}

Value Node::input(std::size_t i) const { return i < inputs().size() ? inputs()[i] : Value(); }

const Attribute* Node::find(std::string_view name) const {
  for (const auto& [key, attribute] : attributes())
    if (key == name) return &attribute;
  return nullptr;
}

Graph::Scope::Scope(Graph& graph, std::string_view name)
    : graph_(graph), outer_(std::exchange(graph.scope_, std::string(name))) {}

Graph::Scope::~Scope() { graph_.scope_ = std::move(outer_); }

std::string Graph::scoped(std::string_view name) const {
  return scope_.empty() ? cat(prefix_, name) : cat(prefix_, scope_, ".", name);
}

// The first of a name keeps it; the next ones are numbered.
std::string Graph::unique(std::string name) {
  const auto [place, is_new] = used_names_.emplace(name, 0);
  if (is_new) return name;
  while (true) {
    std::string numbered = cat(name, "_", ++place->second);
    if (used_names_.emplace(numbered, 0).second) return numbered;
  }
}

Value Graph::add_value(std::string name, Type type) {
  ValueData& data = values_.emplace_back();
  data.name = unique(std::move(name));
  data.type = std::move(type);
  return {this, static_cast<std::uint32_t>(values_.size() - 1)};
}

Value Graph::add_input(std::string name, Type type) {
  inputs_.push_back(add_value(prefix_ + std::move(name), std::move(type)));
  return inputs_.back();
}

Value Graph::add_constant(std::string_view name, Tensor values, std::string foreign) {
  Type type;
  type.foreign = std::move(foreign);
  type.dtype = values.dtype;
  type.shape.emplace();
  for (const std::int64_t size : values.shape) type.shape->push_back(size);
  if (values.dtype == DType::kInt64 && values.shape.size() <= 1 &&
      values.numel() <= static_cast<std::int64_t>(Type::kMaxElements)) {
    type.elements.emplace();
    for_each_element(values, [&](const std::byte* element) {
      std::int64_t number;
      std::memcpy(&number, element, sizeof number);
      type.elements->push_back(number);
    });
  }
  const Value value = add_value(scoped(name), std::move(type));
  values_[value.index_].constant = std::move(values);
  return value;
}

Node Graph::make_node(std::string name, std::string op, std::vector<Value> inputs,
                      Attributes attributes, std::string domain) {
  NodeData& data = nodes_.emplace_back();
  data.name = std::move(name);
  data.op = std::move(op);
  data.domain = std::move(domain);
  data.inputs = std::move(inputs);
  for (const Value& input : data.inputs)
    if (input) ++values_[input.index_].uses;
  data.attributes = std::move(attributes);
  return {this, static_cast<std::uint32_t>(nodes_.size() - 1)};
}

void Graph::make_output(Node node, std::string name, Type type) {
  const Value output = add_value(std::move(name), std::move(type));
  values_[output.index_].producer = node.index_;
  nodes_[node.index_].outputs.push_back(output);
}

Node Graph::add_node(std::string name, std::string op, std::vector<Value> inputs,
                     Attributes attributes, std::span<const Type> output_types,
                     std::string domain) {
  const Node node = make_node(std::move(name), std::move(op), std::move(inputs),
                              std::move(attributes), std::move(domain));
  for (std::size_t i = 0; i < output_types.size(); ++i)
    make_output(node, cat(node.name(), ":", i), output_types[i]);
  return node;
}

Node Graph::add_node(std::string name, std::string op, std::vector<Value> inputs,
                     Attributes attributes,
                     const std::vector<std::pair<std::string, Type>>& outputs, std::string domain) {
  const Node node = make_node(std::move(name), std::move(op), std::move(inputs),
                              std::move(attributes), std::move(domain));
  for (const auto& [output, type] : outputs) make_output(node, output, type);
  return node;
}

Value Graph::add_captured(std::string name, Type type) {
  captured_.push_back(add_value(std::move(name), std::move(type)));
  return captured_.back();
}

void Graph::set_captured(Node node, std::vector<Value> values) {
  std::vector<Value>& captured = nodes_[node.index_].captured;
  for (const Value& value : captured) --values_[value.index_].uses;
  captured = std::move(values);
  for (const Value& value : captured) ++values_[value.index_].uses;
}

bool Graph::settle_captured(Node node) {
  std::vector<Value> left;
  const std::vector<Value> around(node.captured().begin(), node.captured().end());
  std::unordered_map<Graph*, std::vector<Value>> captured;  // one may be in two attributes
  for (Graph* inside : node.graphs()) captured.emplace(inside, inside->captured_);
  auto next = around.begin();
  for (Graph* inside : node.graphs()) {
    inside->captured_.clear();
    for (const Value& value : captured[inside]) {
      const Value outside = *next++;
      if (inside->count_uses(value) == 0) continue;
      inside->captured_.push_back(value);
      left.push_back(outside);
      ValueData& data = inside->values_[value.index_];
      if (outside.known()) data.captured_constant = *outside.known();
      data.is_captured_once = outside.is_known_here_only() && count_uses(outside) == 1;
    }
  }
  const bool changed = left.size() != around.size();
  if (changed) set_captured(node, std::move(left));
  return changed;
}

void Graph::add_output(std::string name, Value value) {
  outputs_.emplace_back(std::move(name), value);
  ++values_[value.index_].uses;
}

std::vector<Value> Graph::constants() const {
  std::vector<Value> used;
  std::vector<bool> seen(values_.size(), false);
  const auto visit = [&](Value value) {
    if (!value || !value.constant() || seen[value.index_]) return;
    seen[value.index_] = true;
    used.push_back(value);
  };
  for (const Node& node : nodes()) {
    for (const Value& input : node.inputs()) visit(input);
    for (const Value& value : node.captured()) visit(value);
  }
  for (const auto& [name, value] : outputs_) visit(value);
  return used;
}

// Depth first along the inputs, starting from each node in the order they were made: the order
// stays as it is where it is right already.
std::vector<Node> Graph::nodes() const {
  enum class Mark : char { kNew, kOpen, kDone };
  std::vector<Mark> marks(nodes_.size(), Mark::kNew);
  std::vector<Node> sorted;
  std::vector<std::uint32_t> stack;
  for (std::uint32_t start = 0; start < nodes_.size(); ++start) {
    if (nodes_[start].removed || marks[start] != Mark::kNew) continue;
    stack.push_back(start);
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      if (marks[at] == Mark::kDone) {
        stack.pop_back();
        continue;
      }
      if (marks[at] == Mark::kOpen) {  // all that it depends on is in place
        marks[at] = Mark::kDone;
        sorted.push_back(Node(const_cast<Graph*>(this), at));
        stack.pop_back();
        continue;
      }
      marks[at] = Mark::kOpen;
      const auto visit = [&](const Value& input) {
        const std::int64_t producer = input ? values_[input.index_].producer : -1;
        if (producer < 0) return;
        const auto before = static_cast<std::uint32_t>(producer);
        if (marks[before] == Mark::kOpen)
          fail(Error::kCorrupt, "node ", in_quotes(nodes_[before].name), " depends on itself");
        if (marks[before] == Mark::kNew) stack.push_back(before);
      };
      for (const Value& input : nodes_[at].inputs) visit(input);
      for (const Value& value : nodes_[at].captured) visit(value);
    }
  }
  return sorted;
}

void Graph::replace(Value from, Value to) {
  assert(from.graph_ == this && to.graph_ == this);
  std::size_t left = std::exchange(values_[from.index_].uses, 0);
  values_[to.index_].uses += left;
  const auto replace_in = [&](Value& use) {
    if (use != from) return;
    use = to;
    --left;
  };
  for (auto& [name, value] : outputs_) replace_in(value);
  for (NodeData& node : nodes_) {
    if (left == 0) return;
    if (node.removed) continue;
    for (Value& input : node.inputs) replace_in(input);
    for (Value& value : node.captured) replace_in(value);
  }
}

void Graph::replace_input(Node node, Value from, Value to) {
  for (Value& input : nodes_[node.index_].inputs) {
    if (input != from) continue;
    input = to;
    --values_[from.index_].uses;
    ++values_[to.index_].uses;
  }
}

void Graph::declare_elements(Value value, std::vector<Dim> sizes) {
  Type& type = values_[value.index_].type;
  assert(type.dtype == DType::kInt64 && type.shape && type.shape->size() <= 1);
  type.elements = std::move(sizes);
}

void Graph::rename(Value value, std::string name) {
  values_[value.index_].name = unique(std::move(name));
}

void Graph::set_attributes(Node node, Attributes attributes) {
  nodes_[node.index_].attributes = std::move(attributes);
}

void Graph::remove(Node node) {
  assert(std::all_of(node.outputs().begin(), node.outputs().end(),
                     [&](const Value& output) { return count_uses(output) == 0; }));
  NodeData& data = nodes_[node.index_];
  data.removed = true;
  for (const Value& input : data.inputs)
    if (input) --values_[input.index_].uses;
  for (const Value& value : data.captured) --values_[value.index_].uses;
}

std::size_t Graph::count_uses(Value value) const { return values_[value.index_].uses; }

}  // namespace voxport
