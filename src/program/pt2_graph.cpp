#include "program/pt2_graph.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/fail.h"
#include "program/pt2_archive.h"
#include "program/pt2_signature.h"

namespace voxport {

// Loops write their condition out twice, and constants are written out wherever they are used, so
// that a small file could become a large program.
struct Pt2GraphReader::Counter {
  static constexpr std::size_t kMaxParts = 8'000'000;
  std::size_t parts = 0;
};

namespace {

constexpr int kMaxGraphDepth = 30;
constexpr std::size_t kMaxPrefix = 100;
constexpr std::size_t kMaxPlace = 300;  // of the text that tells where a call comes from

struct Renamed {
  std::string_view from;
  std::string_view to;
};

// Arithmetic of sizes, and what TorchScript calls it. _operator.pos and torch.sym_ite have no call.
constexpr Renamed kPythonCalls[] = {
    {"_operator.abs", "prim.abs"},
    {"_operator.add", "aten.add"},
    {"_operator.and_", "aten.__and__"},
    {"_operator.eq", "aten.eq"},
    {"_operator.floordiv", "aten.floordiv"},
    {"_operator.ge", "aten.ge"},
    {"_operator.getitem", "aten.__getitem__"},
    {"_operator.gt", "aten.gt"},
    {"_operator.le", "aten.le"},
    {"_operator.lshift", "aten.__lshift__"},
    {"_operator.lt", "aten.lt"},
    {"_operator.mod", "aten.remainder"},
    {"_operator.mul", "aten.mul"},
    {"_operator.ne", "aten.ne"},
    {"_operator.neg", "aten.neg"},
    {"_operator.not_", "aten.__not__"},
    {"_operator.or_", "aten.__or__"},
    {"_operator.pow", "aten.pow"},
    {"_operator.rshift", "aten.__rshift__"},
    {"_operator.sub", "aten.sub"},
    {"_operator.truediv", "aten.div"},
    {"math.ceil", "aten.ceil"},
    {"math.floor", "aten.floor"},
    {"math.sqrt", "aten.sqrt"},
    {"math.trunc", "aten.Int"},
    {"torch._sym_sqrt", "aten.sqrt"},
    {"torch.sym_float", "aten.Float"},
    {"torch.sym_int", "aten.Int"},
    {"torch.sym_max", "prim.max"},
    {"torch.sym_min", "prim.min"},
    {"torch.sym_not", "aten.__not__"},
    {"torch.sym_sqrt", "aten.sqrt"},
    {"torch.sym_sum", "aten.sum"},
};

constexpr Pt2GraphReader::Wrapper kWrappers[] = {
    {"hints_wrapper", 0, 1, true},        {"invoke_subgraph", 0, 2},
    {"tag_activation_checkpoint", 0, 1},  {"wrap", 0, 1},
    {"wrap_activation_checkpoint", 0, 1}, {"wrap_with_autocast", 4, 5},
    {"wrap_with_set_grad_enabled", 1, 2},
};

// c10's numbers, by those of the schema: Unknown, ContiguousFormat, ChannelsLast, ChannelsLast3d,
// PreserveFormat.
constexpr std::array<std::int64_t, 5> kMemoryFormatNumbers = {-1, 0, 2, 3, 1};
// Unknown, SparseCoo, SparseCsr, SparseCsc, SparseBsr, SparseBsc, _mkldnn, Strided.
constexpr std::array<std::int64_t, 8> kLayouts = {-1, 1, 2, 4, 5, 6, 3, 0};

template <std::size_t count>
std::int64_t renumbered(const Json& value, const std::array<std::int64_t, count>& numbers,
                        std::string_view what) {
  const std::int64_t code = value.integer();
  if (code <= 0 || code >= static_cast<std::int64_t>(count))
    fail(Error::kUnsupported, "a ", what, " has the number ", code, ", which is not known here");
  return numbers[static_cast<std::size_t>(code)];
}

std::int64_t scalar_type(const Json& value) {
  const DType dtype = dtype_of_schema(value.integer());
  const auto code = scalar_type_code(dtype);
  if (!code) fail(Error::kUnsupported, "the element type ", name_of(dtype), " has no number");
  return *code;
}

std::string device_text(const Json& value) {
  const Json index = value["index"];
  const std::string type = value["type"].text();
  return index.is_null() ? type : cat(type, ":", index.integer());
}

Argument none() { return {}; }
Argument integer(const Json& value) { return {value.integer()}; }
Argument real(const Json& value) { return {value.number()}; }
Argument boolean(const Json& value) { return {value.boolean()}; }
Argument text(const Json& value) { return {value.text()}; }

Argument complex(const Json& value) {
  return {std::complex<double>(value["real"].number(), value["imag"].number())};
}

Argument listed(const Json& values, Argument (*item)(const Json&)) {
  ArgumentList list;
  for (const Json value : values.children()) list.items.push_back(item(value));
  return {std::move(list)};
}

Argument integers(const Json& values) { return listed(values, integer); }
Argument reals(const Json& values) { return listed(values, real); }

struct ConstantRow {
  std::string_view tag;
  Argument (*read)(const Json&);
};

// The Arguments that refer to nothing.
constexpr ConstantRow kConstants[] = {
    {"as_bool", boolean},
    {"as_bools", [](const Json& values) { return listed(values, boolean); }},
    {"as_complex", complex},
    {"as_device", [](const Json& value) -> Argument { return {device_text(value)}; }},
    {"as_float", real},
    {"as_float_lists", [](const Json& values) { return listed(values, reals); }},
    {"as_floats", reals},
    {"as_int", integer},
    {"as_int_lists", [](const Json& values) { return listed(values, integers); }},
    {"as_ints", integers},
    {"as_layout",
     [](const Json& value) -> Argument { return {renumbered(value, kLayouts, "layout")}; }},
    {"as_memory_format",
     [](const Json& value) -> Argument {
       return {renumbered(value, kMemoryFormatNumbers, "memory format")};
     }},
    {"as_none", [](const Json&) { return none(); }},
    {"as_operator", text},
    {"as_scalar_type", [](const Json& value) -> Argument { return {scalar_type(value)}; }},
    {"as_string", text},
    {"as_strings", [](const Json& values) { return listed(values, text); }},
};

bool is_list_tag(std::string_view tag) {
  return tag == "as_tensors" || tag == "as_optional_tensors" || tag == "as_sym_ints" ||
         tag == "as_sym_bools" || tag == "as_sym_floats";
}

// Of a part of a list: {"name": "x"}, {"as_name": "n"}, {"as_tensor": {"name": "x"}}; empty for a
// None.
std::string name_of_part(const Json& part) {
  const Json name = part["name"].is_null() ? part["as_name"] : part["name"];
  return name.is_null() ? name_in(part) : name.text();
}

std::vector<NamedArgument> unnamed(std::vector<Argument> values) {
  std::vector<NamedArgument> arguments;
  arguments.reserve(values.size());
  for (Argument& value : values) arguments.push_back({"", std::move(value)});
  return arguments;
}

// The arguments of a node, in order.
std::vector<Json> arguments_of(const Json& node) {
  std::vector<Json> arguments;
  for (const Json input : node["inputs"].children()) arguments.push_back(input["arg"]);
  return arguments;
}

// The names of a node's outputs, lists among them taken apart; empty for a None. There must be
// `count`.
std::vector<std::string> output_names(const Json& node, std::size_t count) {
  std::vector<std::string> names;
  for (const Json output : node["outputs"].children()) {
    const Json value = output.only_member();
    if (!is_list_tag(value.key())) {
      names.push_back(name_in(output));
      continue;
    }
    for (const Json part : value.children()) names.push_back(name_of_part(part));
  }
  if (names.size() != count)
    fail(Error::kCorrupt, "the node has ", names.size(), " outputs, but gives ", count);
  return names;
}

// A measure of the memory that a text takes, and an argument.
std::size_t parts_of(std::string_view text) { return text.size() / 16; }

std::size_t parts_of(const Argument& argument) {
  std::size_t parts = 1;
  if (const auto* const text = std::get_if<std::string>(&argument.data)) parts += parts_of(*text);
  if (const auto* const list = std::get_if<ArgumentList>(&argument.data))
    for (const Argument& item : list->items) parts += parts_of(item);
  return parts;
}

void append_flat(std::vector<Argument>& to, Argument value) {
  if (auto* const list = std::get_if<ArgumentList>(&value.data)) {
    for (Argument& item : list->items) append_flat(to, std::move(item));
  } else {
    to.push_back(std::move(value));
  }
}

// "L__self__,,net.Net;L__self___fc,fc,torch.nn.modules.linear.Linear": "fc".
std::string module_in(const Json& stack) {
  const std::string all = stack.text();
  const std::string_view last = std::string_view(all).substr(all.rfind(';') + 1);
  const std::size_t start = std::min(last.find(','), last.size());
  if (start == last.size()) return "";
  std::string_view path = last.substr(start + 1);
  path = path.substr(0, path.find(','));
  // Some versions write the path as Python would: L['self'].fc. Nodes that PyTorch put in belong
  // nowhere.
  if (path.starts_with("L['")) path.remove_prefix(std::min(path.find(']') + 1, path.size()));
  if (path.starts_with('.')) path.remove_prefix(1);
  return path.starts_with("_empty_nn_module_stack") ? "" : printable(path, kMaxPlace);
}

// `File "/home/me/net.py", line 40, in forward`: "net.py:40, in forward". Nothing for code that is
// in no file, <eval_with_key>.12.
std::string source_of_frame(std::string_view frame) {
  constexpr std::string_view kBeforePath = "File \"";
  constexpr std::string_view kBeforeNumber = "\", line ";
  const std::size_t quote = frame.rfind(kBeforeNumber);
  if (quote == frame.npos || quote < kBeforePath.size()) return "";
  const std::string_view path = frame.substr(kBeforePath.size(), quote - kBeforePath.size());
  if (path.starts_with('<')) return "";
  return printable(
      cat(path.substr(path.rfind('/') + 1), ":", frame.substr(quote + kBeforeNumber.size())),
      kMaxPlace);
}

// Of the last frame that has a file.
void set_source(const Json& stack_trace, Place& place) {
  std::string_view raw = stack_trace.raw_text();
  for (std::size_t start = raw.rfind("File \\\""); start != raw.npos;
       start = raw.rfind("File \\\"")) {
    const std::string frame = unescape(raw.substr(start, raw.find("\\n", start) - start));
    place.source = source_of_frame(frame);
    place.is_in_rnn = frame.find("torch/nn/modules/rnn.py") != std::string::npos;
    if (!place.source.empty()) return;
    raw = raw.substr(0, start);
  }
}

}  // namespace

bool is_python_call(std::string_view target) {
  return target == "_operator.pos" || target == "torch.sym_ite" ||
         std::ranges::find(kPythonCalls, target, &Renamed::from) != std::end(kPythonCalls);
}

Pt2GraphReader::Pt2GraphReader(Program& program)
    : program_(program), counter_(std::make_shared<Counter>()) {}

Pt2GraphReader::Pt2GraphReader(const Pt2GraphReader& outer, std::string_view name,
                               std::string module)
    : program_(outer.program_),
      counter_(outer.counter_),
      prefix_(outer.prefix_.size() > kMaxPrefix ? outer.prefix_
                                                : cat(outer.prefix_, printable(name, 60), ".")),
      module_(std::move(module)),
      depth_(outer.depth_ + 1) {}

void Pt2GraphReader::define(const std::string& name, Argument value) {
  if (refused_.contains(name) || !values_.emplace(name, std::move(value)).second)
    fail(Error::kCorrupt, "the value ", in_quotes(name), " is defined twice");
}

Variable Pt2GraphReader::define_variable(const std::string& name) {
  const Variable variable = program_.add_variable(prefix_ + name);
  define(name, {variable});
  return variable;
}

// What a node gives; nobody asks for one without a name.
Variable Pt2GraphReader::define_result(const std::string& name) {
  return name.empty() ? program_.add_variable(prefix_ + "none") : define_variable(name);
}

void Pt2GraphReader::refuse(const std::string& name, std::string reason) {
  refused_.emplace(name, std::move(reason));
}

Argument Pt2GraphReader::value_of(const std::string& name) const {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  if (const auto found = refused_.find(name); found != refused_.end())
    fail(Error::kUnsupported, "the value ", in_quotes(name), " is ", found->second);
  fail(Error::kCorrupt, "the value ", in_quotes(name), " is used, but nothing before defines it");
}

Argument Pt2GraphReader::list(const Json& values,
                              Argument (Pt2GraphReader::*item)(const Json&) const) const {
  ArgumentList list;
  for (const Json value : values.children()) list.items.push_back((this->*item)(value));
  return {std::move(list)};
}

Argument Pt2GraphReader::tensor(const Json& value) const { return value_of(value["name"].text()); }

Argument Pt2GraphReader::tensors(const Json& value) const {
  return list(value, &Pt2GraphReader::tensor);
}

// {"as_name": "sym_size_int"}, or a number.
Argument Pt2GraphReader::symbolic(const Json& value) const {
  const Json name = value["as_name"];
  return name.is_null() ? argument(value) : value_of(name.text());
}

Argument Pt2GraphReader::argument(const Json& argument) const {
  const Json value = argument.only_member();
  const std::string tag = value.key();
  const auto* const constant = std::ranges::find(kConstants, tag, &ConstantRow::tag);
  if (constant != std::end(kConstants)) return constant->read(value);
  if (tag == "as_tensor") return tensor(value);
  if (tag == "as_tensors") return tensors(value);
  if (tag == "as_nested_tensors") return list(value, &Pt2GraphReader::tensors);
  if (tag == "as_optional_tensor") return this->argument(value);
  if (tag == "as_optional_tensors") return list(value, &Pt2GraphReader::argument);
  if (tag == "as_sym_int" || tag == "as_sym_bool" || tag == "as_sym_float") return symbolic(value);
  if (is_list_tag(tag)) return list(value, &Pt2GraphReader::symbolic);
  if (tag == "as_custom_obj")
    fail(Error::kUnsupported, "an argument is an object of class ",
         in_quotes(value["class_fqn"].text()), ", which would need its code");
  fail(Error::kUnsupported, "an argument is of the kind ", in_quotes(tag),
       ", which has no place in a program");
}

void Pt2GraphReader::read_nodes(const Json& graph, Block& block) {
  std::size_t index = 0;
  for (const Json node : graph["nodes"].children()) {
    in_context(cat("reading node ", index, ", ", printable(node["target"].raw_text(), 100)),
               [&] { read_node(node, block); });
    ++index;
  }
}

std::uint32_t Pt2GraphReader::place_of(const Json& node) {
  const Json metadata = node["metadata"];
  const Json modules = metadata["nn_module_stack"];
  const Json stack_trace = metadata["stack_trace"];
  Place place;
  place.module = modules.is_null() ? module_ : module_in(modules);
  if (!stack_trace.is_null()) set_source(stack_trace, place);
  return program_.add_place(std::move(place));
}

void Pt2GraphReader::read_node(const Json& node, Block& block) {
  constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";
  constexpr std::string_view kOps = "torch.ops.";
  const std::string target = node["target"].text();
  const std::string_view name = target;
  const std::uint32_t place = place_of(node);
  if (name.starts_with(kHigherOrder)) {
    read_higher_order(node, name.substr(kHigherOrder.size()), place, block);
  } else if (name.starts_with(kOps)) {
    read_call(node, target.substr(kOps.size()), place, block);
  } else {
    read_python_call(node, name, place, block);
  }
}

void Pt2GraphReader::read_call(const Json& node, std::string target, std::uint32_t place,
                               Block& block) {
  ProgramCall call{.target = std::move(target), .arguments = {}, .results = {}, .place = place};
  for (const Json input : node["inputs"].children())
    call.arguments.push_back({input["name"].text(), argument(input["arg"])});
  add_call(std::move(call), node["outputs"], block);
}

void Pt2GraphReader::read_python_call(const Json& node, std::string_view target,
                                      std::uint32_t place, Block& block) {
  std::vector<Argument> values;
  for (const Json& value : arguments_of(node)) values.push_back(argument(value));
  if (target == "_operator.pos") return define_outputs(node, values);
  ProgramCall call{.target = std::string(target), .arguments = {}, .results = {}, .place = place};
  if (target == "torch.sym_ite" && values.size() == 3) {
    call.target = "prim.If";
    for (const std::size_t branch : {1U, 2U}) call.blocks.push_back({{}, {}, {values[branch]}});
    values.resize(1);
  }
  const auto* const row = std::ranges::find(kPythonCalls, target, &Renamed::from);
  if (row != std::end(kPythonCalls)) call.target = row->to;
  call.arguments = unnamed(std::move(values));
  add_call(std::move(call), node["outputs"], block);
}

void Pt2GraphReader::read_higher_order(const Json& node, std::string_view name, std::uint32_t place,
                                       Block& block) {
  if (name == "cond") return read_cond(node, place, block);
  if (name == "while_loop") return read_while_loop(node, place, block);
  const auto* const found = std::ranges::find(kWrappers, name, &Pt2GraphReader::Wrapper::name);
  if (found != std::end(kWrappers)) return read_wrapper(node, *found, place, block);
  // Not for us; the lowering tells all of these at once.
  ProgramCall call{
      .target = cat("higher_order.", name), .arguments = {}, .results = {}, .place = place};
  add_call(std::move(call), node["outputs"], block);
}

// cond(predicate, true_graph, false_graph, [operand, ...])
void Pt2GraphReader::read_cond(const Json& node, std::uint32_t place, Block& block) {
  const std::vector<Json> arguments = arguments_of(node);
  if (arguments.size() != 4)
    fail(Error::kCorrupt, "cond has ", arguments.size(), " arguments, expected 4");
  std::vector<Argument> operands;
  append_flat(operands, argument(arguments[3]));
  ProgramCall call{.target = "prim.If",
                   .arguments = unnamed({argument(arguments[0])}),
                   .results = {},
                   .place = place};
  for (const std::size_t branch : {1U, 2U}) {
    Block inner;
    inner.results = inlined(arguments[branch], operands, node, inner);
    call.blocks.push_back(std::move(inner));
  }
  call.results = define_results(node, call.blocks[0].results.size());
  if (call.blocks[1].results.size() != call.results.size())
    fail(Error::kCorrupt, "the branches of cond give ", call.results.size(), " and ",
         call.blocks[1].results.size(), " results");
  add_call(std::move(call), block);
}

// while_loop(cond_graph, body_graph, [carried, ...], [additional, ...]), where the graphs take the
// carried values and the additional ones.
void Pt2GraphReader::read_while_loop(const Json& node, std::uint32_t place, Block& block) {
  const std::vector<Json> arguments = arguments_of(node);
  if (arguments.size() != 4)
    fail(Error::kCorrupt, "while_loop has ", arguments.size(), " arguments, expected 4");
  std::vector<Argument> carried;
  std::vector<Argument> additional;
  append_flat(carried, argument(arguments[2]));
  append_flat(additional, argument(arguments[3]));
  const auto condition_of = [&](std::vector<Argument> operands, Block& into) {
    operands.insert(operands.end(), additional.begin(), additional.end());
    const std::vector<Argument> results = inlined(arguments[0], operands, node, into);
    if (results.size() != 1)
      fail(Error::kCorrupt, "the condition of while_loop gives ", results.size(),
           " results, expected 1");
    return results[0];
  };
  ProgramCall call{.target = "prim.Loop", .arguments = {}, .results = {}, .place = place};
  std::vector<Argument> initial = {{std::numeric_limits<std::int64_t>::max()},
                                   condition_of(carried, block)};
  initial.insert(initial.end(), carried.begin(), carried.end());
  call.arguments = unnamed(std::move(initial));

  Block body;
  body.inputs.push_back(program_.add_variable(prefix_ + "trip"));
  std::vector<Argument> operands;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Variable input = program_.add_variable(cat(prefix_, "carried_", i));
    body.inputs.push_back(input);
    operands.emplace_back().data = input;  // moved in, g++ 14 warns of members that it lacks
  }
  operands.insert(operands.end(), additional.begin(), additional.end());
  std::vector<Argument> next = inlined(arguments[1], operands, node, body);
  if (next.size() != carried.size())
    fail(Error::kCorrupt, "the body of while_loop gives ", next.size(), " results, expected ",
         carried.size());
  body.results.push_back(condition_of(next, body));
  body.results.insert(body.results.end(), next.begin(), next.end());
  call.blocks.push_back(std::move(body));
  call.results = define_results(node, carried.size());
  add_call(std::move(call), block);
}

void Pt2GraphReader::read_wrapper(const Json& node, const Wrapper& wrapper, std::uint32_t place,
                                  Block& block) {
  const std::vector<Json> arguments = arguments_of(node);
  if (arguments.size() <= wrapper.graph)
    fail(Error::kCorrupt, wrapper.name, " has ", arguments.size(), " arguments, expected a graph");
  const Json graph = arguments[wrapper.graph];
  const std::size_t wanted = graph["as_graph"]["graph"]["inputs"].size();
  std::vector<Argument> operands;
  for (std::size_t i = wrapper.operand; i < arguments.size(); ++i) {
    if (wrapper.has_more && operands.size() >= wanted) break;
    append_flat(operands, argument(arguments[i]));
  }
  std::vector<Argument> results = inlined(graph, operands, node, block);
  const bool casts = wrapper.name == "wrap_with_autocast" && arguments[2].only_member().boolean();
  if (casts) cast_results(graph["as_graph"]["graph"], results, place, block);
  define_outputs(node, results);
}

// Autocast computes with fewer bits inside of the graph, and says so nowhere. We compute with all
// of them, and give what has the type that was promised.
void Pt2GraphReader::cast_results(const Json& graph, std::vector<Argument>& results,
                                  std::uint32_t place, Block& block) {
  std::size_t index = 0;
  for (const Json output : graph["outputs"].children()) {
    const Json meta = graph["tensor_values"][name_in(output)];
    if (index < results.size() && !meta.is_null()) {
      const Variable cast = program_.add_variable(prefix_ + "autocast");
      add_call({.target = "aten.to.dtype",
                .arguments = {{"self", results[index]}, {"dtype", {scalar_type(meta["dtype"])}}},
                .results = {cast},
                .place = place},
               block);
      results[index] = {cast};
    }
    ++index;
  }
  constexpr std::string_view kNote =
      "autocast is left out: what it would round to fewer bits is computed with all of them";
  if (std::ranges::find(program_.notes, kNote) == program_.notes.end())
    program_.notes.emplace_back(kNote);
}

// The graph's calls, for these operands; gives what the graph does.
std::vector<Argument> Pt2GraphReader::inlined(const Json& argument,
                                              const std::vector<Argument>& operands,
                                              const Json& node, Block& block) {
  const Json named = argument["as_graph"];
  if (named.is_null())
    fail(Error::kCorrupt, "the argument at byte ", argument.offset(), " is no graph");
  const std::string name = named["name"].text();
  if (depth_ >= kMaxGraphDepth)
    fail(Error::kUnsupported, "graphs are nested more than ", kMaxGraphDepth, " deep");
  return in_context(cat("reading the graph ", in_quotes(name)), [&] {
    const Json graph = named["graph"];
    const Json inputs = graph["inputs"];
    if (inputs.size() != operands.size())
      fail(Error::kCorrupt, "the graph has ", inputs.size(), " inputs, but is called with ",
           operands.size());
    const Json modules = node["metadata"]["nn_module_stack"];
    Pt2GraphReader inner(*this, name, modules.is_null() ? module_ : module_in(modules));
    auto operand = operands.begin();
    for (const Json input : inputs.children()) {
      const std::string input_name = name_in(input);
      if (!input_name.empty()) inner.define(input_name, *operand);
      ++operand;
    }
    inner.read_nodes(graph, block);
    std::vector<Argument> results;
    for (const Json output : graph["outputs"].children())
      append_flat(results, inner.argument(output));
    return results;
  });
}

// Gives the outputs of a node, taken apart, these values.
void Pt2GraphReader::define_outputs(const Json& node, const std::vector<Argument>& values) {
  const std::vector<std::string> names = output_names(node, values.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) define(names[i], values[i]);
}

// The same, with new variables.
std::vector<Variable> Pt2GraphReader::define_results(const Json& node, std::size_t count) {
  std::vector<Variable> results;
  for (const std::string& name : output_names(node, count)) results.push_back(define_result(name));
  return results;
}

// The parts of a list that a node gives.
std::vector<Variable> Pt2GraphReader::variables_of(const Json& parts) {
  std::vector<Variable> variables;
  for (const Json part : parts.children()) {
    const std::string name = name_of_part(part);
    variables.push_back(define_result(name));
  }
  return variables;
}

void Pt2GraphReader::add_call(ProgramCall call, Block& block) {
  std::size_t& parts = counter_->parts;
  parts += 4 + parts_of(call.target);
  for (const NamedArgument& argument : call.arguments)
    parts += 1 + parts_of(argument.name) + parts_of(argument.value);
  for (const Variable result : call.results) parts += 1 + parts_of(program_.name_of(result));
  for (const Block& inner : call.blocks)
    for (const Argument& result : inner.results) parts += parts_of(result);
  if (parts > Counter::kMaxParts)
    fail(Error::kUnsupported, "the program has more than ", Counter::kMaxParts,
         " parts when written out");
  block.calls.push_back(std::move(call));
}

void Pt2GraphReader::add_call(ProgramCall call, const Json& outputs, Block& block) {
  const std::size_t count = outputs.size();
  std::vector<ProgramCall> unpacks;  // of lists among several results
  for (const Json output : outputs.children()) {
    const Json value = output.only_member();
    const bool is_list = is_list_tag(value.key());
    if (is_list && count == 1) {
      call.results = variables_of(value);
      call.unpacks = true;
    } else if (is_list) {
      call.results.push_back(program_.add_variable(prefix_ + "list"));
      unpacks.push_back({.target = "prim.ListUnpack",
                         .arguments = unnamed({{call.results.back()}}),
                         .results = variables_of(value),
                         .unpacks = true,
                         .place = call.place});
    } else {
      call.results.push_back(define_result(name_in(output)));
    }
  }
  call.unpacks |= count > 1;
  add_call(std::move(call), block);
  for (ProgramCall& unpack : unpacks) add_call(std::move(unpack), block);
}

}  // namespace voxport
