#include "verify/model.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "verify/fill.h"
#include "verify/steering.h"

namespace voxport {
namespace {

// A name of the copy in a message: quotes and all.
struct Mention {
  std::size_t begin = 0, size = 0;
  NodePlace place;
};

// What came out of a function has its name before it: "_inlfunc_SplitHeads_n3.1".
std::string_view without_function(std::string_view name) {
  return name.starts_with("_inlfunc_") ? name.substr(name.rfind('_') + 1) : name;
}

// The nodes that a message names, in order: "Add 'n3': ", or "Name:'n3.1' " inside of others.
std::vector<Mention> nodes_in(const std::string& message) {
  std::vector<Mention> found;
  for (std::size_t at = message.find('\'', 1); at != std::string::npos;
       at = message.find('\'', at + 1)) {
    const std::size_t end = message.find('\'', at + 1);
    const bool is_name = message[at - 1] == ' ' || message[at - 1] == ':';
    if (!is_name || end == std::string::npos) continue;
    const auto name = std::string_view(message).substr(at + 1, end - at - 1);
    auto place = place_of(without_function(name));
    if (!place) continue;
    found.push_back({at, end + 1 - at, std::move(*place)});
    at = end;
  }
  return found;
}

std::vector<std::vector<std::int64_t>> shapes_in(const nlohmann::json& list) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const auto& entry : list) {
    if (!entry.is_object() || entry.empty()) continue;
    const auto& shape = entry.begin().value();
    shapes.push_back(shape.is_array() ? shape.get<std::vector<std::int64_t>>()
                                      : std::vector<std::int64_t>());
  }
  return shapes;
}

std::string name_inside(const NodePlace& place) { return cat("n", place.index, ".", place.inner); }

// What ONNX Runtime's profile tells of the nodes, by their names.
Trace read_profile(std::string_view text) {
  Trace trace;
  const nlohmann::json events = nlohmann::json::parse(text, nullptr, false);
  constexpr std::string_view kSuffix = "_kernel_time";
  for (const auto& event : events) {
    const std::string name = event.value("name", "");
    if (!name.ends_with(kSuffix) || !event.contains("args")) continue;
    const auto place = place_of(std::string_view(name).substr(0, name.size() - kSuffix.size()));
    const auto& args = event["args"];
    if (!place || !args.contains("input_type_shape") || !args.contains("output_type_shape"))
      continue;
    NodeTrace& traced =
        place->inner.empty() ? trace.nodes[place->index] : trace.inside[name_inside(*place)];
    traced = {shapes_in(args["input_type_shape"]), shapes_in(args["output_type_shape"])};
  }
  return trace;
}

// A folder of our own that is gone with everything in it when this is.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error)
      fail(Error::kUnwritable, "there is no folder for temporary files: ", error.message());
    std::string pattern = (folder / "voxport.XXXXXX").native();
    if (!mkdtemp(pattern.data()))
      fail(Error::kUnwritable, "cannot make a temporary folder in ", in_quotes(folder.native()),
           ": ", std::strerror(errno));
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <class Key>
const std::string* find(const std::map<Key, std::string>& names, const Key& key) {
  const auto found = names.find(key);
  return found == names.end() ? nullptr : &found->second;
}

}  // namespace

bool InputAxis::follows(const std::string& other) const {
  const std::vector<std::string> symbols = size.symbols();
  return std::find(symbols.begin(), symbols.end(), other) != symbols.end();
}

Subject::Subject(const std::filesystem::path& path, const std::map<std::string, Filling>& fillings,
                 double run_seconds, const std::set<std::pair<std::string, std::size_t>>& freed,
                 Look look, const std::string& name)
    : name_(name.empty() ? path.filename().string() : name),
      path_(path),
      run_seconds_(run_seconds),
      declared_(read_onnx(path, InnerTypes::kDeclared)) {
  SessionOptions options;
  if (look == Look::kClosely) {
    options.threads = 0;  // one for each core
    // In blocks of channels, nodes have other names, and an axis without elements ends the process.
    options.optimisation = Optimisation::kExtended;
    look_inside(freed);
  } else {
    options.optimisation = Optimisation::kNone;
    take_nodes_as_they_are();
  }
  find_meanings(fillings);
  if (look == Look::kClosely) find_steered();
  session_ = session(options);
  find_axes(freed);
}

void Subject::look_inside(const std::set<std::pair<std::string, std::size_t>>& freed) {
  const Blob file = Blob::map_file(path_);
  try {
    ProbeCopy copy = probe_copy(file.bytes(), freed);
    copy_ = Blob::own(std::move(copy.bytes));
    node_names_ = std::move(copy.node_names);
    inner_nodes_ = std::move(copy.inner_nodes);
    function_numbers_ = std::move(copy.function_numbers);
    inside_ = read_onnx(*copy_, path_.parent_path());
  } catch (const Error& error) {
    if (error.kind() != Error::kUnsupported) throw;
    inside_ = read_onnx(path_);
  }
  for (const Node& node : inside_.graph->nodes()) {
    const auto place = place_of(node.name());
    if (!place) continue;
    nodes_.emplace(place->index, node);
    take_nodes_inside(node, node.name());
  }
}

void Subject::take_nodes_inside(const Node& node, const std::string& name) {
  std::size_t graphs = 0;
  for (const auto& [attribute, value] : node.attributes()) {
    const auto* graph = std::get_if<std::shared_ptr<Graph>>(&value);
    if (!graph) continue;
    const std::string prefix = inner_prefix(name, graphs++);
    std::size_t count = 0;
    for (const Node& inner : (*graph)->nodes()) {
      const std::string inner_name = copy_ ? inner.name() : cat(prefix, count++);
      nodes_inside_.emplace(inner_name, inner);
      if (!copy_) inner_nodes_[inner_name] = {inner.op(), inner.name()};
      take_nodes_inside(inner, inner_name);
    }
  }
}

void Subject::take_nodes_as_they_are() {
  for (const Node& node : declared_.graph->nodes()) {
    take_nodes_inside(node, cat("n", node_names_.size()));
    nodes_.emplace(node_names_.size(), node);
    node_names_.push_back(node.name());
  }
}

std::optional<NodePlace> Subject::blamed_node(const std::string& message) const {
  if (copy_) {
    const std::vector<Mention> mentions = nodes_in(message);
    return mentions.empty() ? std::nullopt : std::optional(mentions.back().place);
  }
  // Of nodes inside of each other, the innermost comes last.
  std::optional<NodePlace> inner;
  std::size_t last = 0;
  for (const auto& [name, node] : nodes_inside_) {
    const std::size_t at = message.rfind(cat("Name:", in_quotes(node.name())));
    if (at == std::string::npos || at < last) continue;
    inner = place_of(name);
    last = at;
  }
  if (inner) return inner;
  for (const auto& [place, node] : nodes_)
    if (message.find(cat(node.op(), " ", in_quotes(node.name()), ": ")) != std::string::npos)
      return NodePlace{place, ""};
  return std::nullopt;
}

void Subject::find_meanings(const std::map<std::string, Filling>& fillings) {
  for (const Value& input : declared_.graph->inputs()) {
    Meaning meaning = meaning_of(input, *declared_.graph);
    if (const auto given = fillings.find(input.name()); given != fillings.end()) {
      meaning.kind = Meaning::kGiven;
      meaning.given = given->second;
      meaning.is_guess = false;
    }
    meanings_.emplace(input.name(), std::move(meaning));
  }
}

void Subject::find_axes(const std::set<std::pair<std::string, std::size_t>>& freed) {
  for (const Value& input : declared_.graph->inputs()) {
    for (std::size_t axis = 0; axis < (input.type().shape ? input.rank() : 0); ++axis) {
      const Dim& dim = input.dim(static_cast<std::int64_t>(axis));
      InputAxis found{input.name(), axis, dim, dim.text(), dim.constant()};
      if (found.fixed && !freed.contains({input.name(), axis})) {
        fixed_.push_back(std::move(found));
        continue;
      }
      if (found.fixed) {
        found.symbol = cat(input.name(), ".", axis);
        found.size = Dim::symbol(found.symbol);
      }
      axes_.push_back(std::move(found));
    }
  }
}

void Subject::find_steered() {
  for (const Value& input : inside_.graph->inputs()) {
    if (!meaning(input.name()).is_guess) continue;
    for (const Node& node : steered_by(input, inside_.graph->nodes()))
      if (const auto place = place_of(node.name())) steered_.emplace(place->index, input.name());
  }
  std::map<std::string, std::string> inputs;  // by the values they steer, at once or further on
  const auto input_behind = [&](const Node& node) -> const std::string* {
    for (const auto& values : {node.inputs(), node.captured()})
      for (const Value& value : values)
        if (const auto* input = value ? find(inputs, value.name()) : nullptr) return input;
    return nullptr;
  };
  for (const auto& [place, node] : nodes_) {
    const std::string* steered = find(steered_, place);
    const std::string* input = steered ? steered : input_behind(node);
    if (!input) continue;
    downstream_.emplace(place, *input);
    for (const Value& output : node.outputs())
      if (output) inputs.emplace(output.name(), *input);
  }
  for (const auto& [name, value] : inside_.graph->outputs())
    if (find(inputs, value.name())) steered_outputs_.insert(name);
}

const std::string* Subject::steering_input(std::size_t place) const {
  return find(steered_, place);
}

const std::string* Subject::steering_input_upstream(std::size_t place) const {
  return find(downstream_, place);
}

Session Subject::session(SessionOptions options) const {
  options.run_seconds = run_seconds_;
  options.name = name_;
  if (!copy_) return Session(path_, options);
  try {
    return Session::from_bytes(*copy_, name_, options);
  } catch (const Error& error) {
    fail(error.kind(), with_own_names(error.what()));
  }
}

std::string Subject::node_name(std::size_t place) const {
  if (place < node_names_.size() && !node_names_[place].empty()) return node_names_[place];
  const auto node = nodes_.find(place);
  return node == nodes_.end() ? "" : cat("the maker of ", node->second.output().name());
}

std::vector<std::string> Subject::symbols() const {
  std::vector<std::string> symbols;
  std::set<std::string> known;
  for (const InputAxis& axis : axes_)
    for (const std::string& symbol : axis.size.symbols())
      if (known.insert(symbol).second) symbols.push_back(symbol);
  return symbols;
}

std::vector<std::int64_t> Subject::shape_of(const Value& input, const Sizes& sizes) const {
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 0; axis < (input.type().shape ? input.rank() : 0); ++axis) {
    std::int64_t size = input.dim(static_cast<std::int64_t>(axis)).constant().value_or(1);
    for (const InputAxis& open : axes_)
      if (open.input == input.name() && open.axis == axis) size = open.size_at(sizes).value_or(1);
    shape.push_back(size);
  }
  return shape;
}

Tensors Subject::inputs(const Sizes& sizes) const {
  Tensors tensors;
  for (const Value& input : declared_.graph->inputs())
    tensors.emplace(input.name(), fill(input.name(), input.dtype(), shape_of(input, sizes),
                                       meaning(input.name()), sizes));
  return tensors;
}

bool Subject::has_elements(const Sizes& sizes) const {
  return std::all_of(axes_.begin(), axes_.end(),
                     [&](const InputAxis& axis) { return axis.size_at(sizes).value_or(0) >= 1; });
}

double Subject::input_bytes(const Sizes& sizes) const {
  double total = 0;
  for (const Value& input : declared_.graph->inputs()) {
    double bytes = static_cast<double>(size_of(input.dtype()));
    for (const std::int64_t size : shape_of(input, sizes)) bytes *= static_cast<double>(size);
    total += bytes;
  }
  return total;
}

std::string Subject::with_own_names(const std::string& message) const {
  std::string text;
  std::size_t at = 0;
  for (const Mention& mention : nodes_in(message)) {
    const InnerNode* inner = inner_node(mention.place);
    text.append(message, at, mention.begin - at);
    text += in_quotes(inner ? inner->name : node_name(mention.place.index));
    at = mention.begin + mention.size;
  }
  return text.append(message, at);
}

const InnerNode* Subject::inner_node(const NodePlace& place) const {
  const auto found = inner_nodes_.find(name_inside(place));
  return found == inner_nodes_.end() ? nullptr : &found->second;
}

const Node* Subject::node_at(const NodePlace& place) const {
  if (!place.inner.empty()) {
    const auto inside = nodes_inside_.find(name_inside(place));
    return inside == nodes_inside_.end() ? nullptr : &inside->second;
  }
  const auto node = nodes_.find(place.index);
  return node == nodes_.end() ? nullptr : &node->second;
}

Outcome Subject::run(const Sizes& sizes) const {
  Outcome outcome;
  outcome.sizes = sizes;
  const auto start = std::chrono::steady_clock::now();
  try {
    for (const auto& [name, tensor] : session_->run(inputs(sizes)))
      outcome.outputs.emplace(name, tensor.shape);
    outcome.is_good = true;
  } catch (const Error& error) {
    outcome.is_exhausted = dynamic_cast<const Exhausted*>(&error) != nullptr;
    outcome.failed_node = blamed_node(error.what());
    outcome.error = with_own_names(error.what());
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

Trace Subject::trace(const Sizes& sizes) const {
  if (!copy_) return {};
  const ScratchFolder scratch;
  {
    SessionOptions options;
    options.optimisation = Optimisation::kNone;
    options.profile = scratch.path() / "profile";
    const Session slow = session(options);
    try {
      slow.run(inputs(sizes));
    } catch (const Error&) {  // as far as it got
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
    return read_profile(Blob::map_file(entry.path()).text());
  return {};
}

}  // namespace voxport
