#include "program/torchscript_inline.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/fail.h"
#include "base/join.h"
#include "base/parse_number.h"
#include "program/torchscript_bindings.h"
#include "program/torchscript_inputs.h"
#include "program/torchscript_module.h"

namespace voxport {
namespace {

using E = Expr::Kind;
using S = Statement::Kind;

// A few lines can call each other for a tree of any size; these bound it.
constexpr std::size_t kMaxCalls = 500'000;
constexpr std::size_t kMaxSteps = 5'000'000;
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxCallDepth = 1'000;
constexpr std::size_t kMaxItems = 100'000;  // of one list or tuple, written out
constexpr std::size_t kMaxListDepth = 50;
constexpr std::size_t kStepsOfObject = 50;  // for its memory
// How often a method is written out to find what it assigns.
constexpr int kMaxRuns = 10;

// An attribute, as the keys of what it stands for.
struct AttributeOf {
  Instance* instance = nullptr;
  std::string_view name;
  // clang-tidy 14 takes the 0 that it is compared with for a pointer.
  auto operator<=>(const AttributeOf&) const = default;  // NOLINT(modernize-use-nullptr)
};

std::string_view text_of(std::string_view name) { return name; }
std::string_view text_of(const AttributeOf& attribute) { return attribute.name; }

struct HashOfAttribute {
  std::size_t operator()(const AttributeOf& attribute) const {
    return std::hash<Instance*>()(attribute.instance) * 31 +
           std::hash<std::string_view>()(attribute.name);
  }
};

using Names = Bindings<std::string_view>;
using Attributes = Bindings<AttributeOf, HashOfAttribute>;

// A function that is being written out.
struct Frame {
  const FunctionSource* function = nullptr;
  std::string_view module;     // the path of the object whose method this is
  Instance* object = nullptr;  // which it is; null for functions
  Names names;
  std::optional<ExprValue> result;
  Frame* caller = nullptr;
};

// The calls of a block, and what it has assigned.
struct Branch {
  Block block;
  Names::Assigned names;
  Attributes::Assigned attributes;
};

// A prim.If on its way: what one of its branches is to give, and the call's results.
struct IfParts {
  Branch& then_branch;
  Branch& else_branch;
  std::vector<Variable> results = {};
};

// A value that is handed on from round to round of a loop.
template <class Key>
struct Carried {
  Key key;
  Argument initial;
};

struct Operator {
  std::string_view mark;
  std::string_view target;
};

constexpr std::array<Operator, 20> kInfix = {{
    {"+", "aten.add"},
    {"-", "aten.sub"},
    {"*", "aten.mul"},
    {"/", "aten.div"},
    {"//", "aten.floordiv"},
    {"%", "aten.remainder"},
    {"**", "aten.pow"},
    {"@", "aten.matmul"},
    {"==", "aten.eq"},
    {"!=", "aten.ne"},
    {"<", "aten.lt"},
    {">", "aten.gt"},
    {"<=", "aten.le"},
    {">=", "aten.ge"},
    {"|", "aten.__or__"},
    {"&", "aten.__and__"},
    {"^", "aten.__xor__"},
    {"is", "aten.__is__"},
    {"is not", "aten.__isnot__"},
    {"in", "aten.__contains__"},
}};

constexpr std::array<Operator, 5> kConversions = {{
    {"int", "aten.Int"},
    {"float", "aten.Float"},
    {"bool", "aten.Bool"},
    {"str", "aten.str"},
    {"print", "prim.Print"},
}};

// "torch.add" -> aten.add, "ops.prim.dtype" -> prim.dtype; empty for what is no operator.
std::string operator_target(const Expr& callee) {
  if (!callee.is(E::kAttribute)) return "";
  const Expr& base = callee.parts[0];
  if (base.is_name("torch") && callee.text != "device") return cat("aten.", callee.text);
  const bool is_op = base.is(E::kAttribute) && base.parts[0].is_name("ops");
  return is_op ? cat(base.text, ".", callee.text) : "";
}

// "__torch__.net.helper" for names of classes and functions; empty for the others.
std::string qualified_name(const Expr& expr) {
  const Expr* base = &expr;
  while (base->is(E::kAttribute)) base = &base->parts[0];
  return base->is_name("__torch__") && expr.is(E::kAttribute) ? text_of(expr) : "";
}

// Equal, as far as can be told: numbers, strings, None and variables.
bool is_same(const Argument& a, const Argument& b) {
  if (a.data.index() != b.data.index() || std::holds_alternative<ArgumentList>(a.data))
    return false;
  return std::visit(
      [&](const auto& left) {
        using Left = std::decay_t<decltype(left)>;
        if constexpr (std::is_same_v<Left, ArgumentList>) {
          return false;
        } else {
          return left == std::get<Left>(b.data);
        }
      },
      a.data);
}

const ArgumentList* as_list(const Argument& argument) {
  return std::get_if<ArgumentList>(&argument.data);
}

const ArgumentList* as_tuple(const Argument& argument) {
  const ArgumentList* list = as_list(argument);
  return list && list->is_tuple ? list : nullptr;
}

// The names that statements assign, each once, in order.
void collect_assigned(const std::vector<Statement>& statements,
                      std::vector<std::string_view>& names) {
  for (const Statement& statement : statements) {
    for (const Expr& target : statement.targets) {
      if (target.is(E::kName)) names.push_back(target.text);
    }
    collect_assigned(statement.body, names);
    collect_assigned(statement.otherwise, names);
  }
}

std::vector<std::string_view> assigned_names(const std::vector<Statement>& statements) {
  std::vector<std::string_view> all;
  collect_assigned(statements, all);
  std::unordered_set<std::string_view> seen;
  std::erase_if(all, [&](std::string_view name) { return !seen.insert(name).second; });
  return all;
}

// 3 of CONSTANTS.c3.
std::optional<std::size_t> constant_index(const Expr& expr) {
  if (!expr.text.starts_with('c')) return std::nullopt;
  return parse_number<std::size_t>(expr.text.substr(1));
}

class Inliner {
 public:
  // `state` is what earlier runs have found.
  Inliner(TorchScriptArchive& archive, const ModuleState& state)
      : archive_(archive), state_(state), module_(archive, state_, program_), found_(state) {}

  Program method(const std::string& name);

  // What it knows of the state in the end, and whether that is more than it knew at the start: then
  // the program is not right yet.
  const ModuleState& found() const { return found_; }
  bool has_found_more() const { return has_found_more_; }

 private:
  // One level deeper for as long as it lives; every step of reading is counted here.
  class Deeper {
   public:
    Deeper(Inliner& inliner, std::uint32_t line) : inliner_(inliner) {
      if (++inliner_.depth_ > kMaxCallDepth)
        inliner_.fail_at(Error::kUnsupported, line, "calls nest deeper than ", kMaxCallDepth);
      inliner_.count_steps(1, line);
    }
    ~Deeper() { --inliner_.depth_; }
    Deeper(const Deeper&) = delete;

   private:
    Inliner& inliner_;
  };

  template <class... Parts>
  [[noreturn]] void fail_at(Error::Kind kind, std::uint32_t line, const Parts&... parts) const {
    assert(frame_);  // code is always that of a function
    const std::string_view module = frame_->module;
    fail(kind, parts..., ", at ", frame_->function->file->at(line),
         module.empty() ? "" : cat(" in ", in_quotes(module)));
  }
  void count_steps(std::size_t steps, std::uint32_t line);
  void check_size(const Argument& argument, std::uint32_t line);
  std::size_t size_of(const Argument& argument, std::size_t depth, std::uint32_t line);

  // Calls that are written.
  std::vector<Variable> emit(std::string target, std::vector<NamedArgument> arguments,
                             const std::vector<std::string_view>& results, std::uint32_t line,
                             bool unpacks = false, std::vector<Block> blocks = {});
  Argument emit_one(std::string target, std::vector<NamedArgument> arguments,
                    std::string_view result, std::uint32_t line);
  void check_version(const std::string& target, std::uint32_t line) const;
  std::vector<Variable> add_variables(const std::vector<std::string_view>& names);
  Argument held(Argument argument, std::string_view name, std::uint32_t line);
  ExprValue held(ExprValue value, std::string_view name, std::uint32_t line);

  // Expressions. `name` is what the result will be called.
  ExprValue evaluate(const Expr& expr, std::string_view name = "");
  Argument argument(const Expr& expr, std::string_view name = "");
  Argument as_argument(ExprValue value, std::uint32_t line) const;
  ExprValue name_value(const Expr& expr);
  ExprValue attribute(const Expr& expr);
  ExprValue attribute_of(const ExprValue& object, std::string_view name, std::uint32_t line);
  const ExprValue* find_attribute(const AttributeOf& attribute);
  Argument constant(const Expr& expr);
  std::optional<Argument> default_value(const Expr& expr);
  Argument list(const Expr& expr);
  Argument dict(const Expr& expr, std::string_view name);
  Argument subscript(const Expr& expr, std::string_view name);
  Argument slice_of_tuple(const ArgumentList& tuple, const Expr& slice);
  Argument unary(const Expr& expr, std::string_view name);
  Argument binary(const Expr& expr, std::string_view name);
  Argument choice(const Argument& condition, const Expr* then_value, const Expr* else_value,
                  std::uint32_t line, std::string_view name);

  // Calls that are read.
  ExprValue call(const Expr& expr, std::string_view name);
  std::optional<ExprValue> builtin(const Expr& expr, std::string_view name);
  ExprValue annotate(const Expr& expr, std::string_view name);
  Argument isinstance(const Expr& expr, std::string_view name);
  std::optional<Argument> constant_number(const Expr& call, std::size_t part);
  std::vector<NamedArgument> operator_arguments(const Expr& expr);
  ExprValue make_object(const Expr& expr);
  ExprValue call_definition(const Definition& definition, const Expr& expr, std::string_view name);
  Argument named_tuple(const ClassSource& source, const Expr& expr, std::string_view name);
  ExprValue call_function(const FunctionSource& function, Instance* self, const Expr& expr);
  void bind(Frame& frame, Instance* self, const Expr& expr);
  void check_arity(const Expr& expr, std::size_t at_least, std::size_t at_most) const;

  // Statements.
  void run(const std::vector<Statement>& statements);
  void run(const Statement& statement);
  void run_return(const Statement& statement);
  void assign(const Statement& statement);
  void assign_to(const Expr& target, ExprValue value);
  void store(const Expr& target, ExprValue value);
  void run_with(const Statement& statement);
  void check_autocast(Instance& manager, std::uint32_t line);
  ExprValue call_method(Instance& object, std::string_view name, std::size_t arguments,
                        std::uint32_t line);
  void unpack(const Statement& statement);
  std::vector<Argument> parts_of(const Expr& expr, const std::vector<std::string_view>& names);
  void run_if(const Statement& statement);
  void run_loop(const Statement& statement);

  // Blocks.
  template <class Body>
  Branch branch(Body&& body);
  ExprValue merge(std::string_view name, const ExprValue& a, const ExprValue& b, IfParts& parts,
                  std::uint32_t line);
  Argument merge_arguments(std::string_view name, const Argument& a, const Argument& b,
                           IfParts& parts);
  template <class Assigned, class Before>
  Assigned merge_assigned(const Assigned& of_then, const Assigned& of_else, const Before& before,
                          IfParts& parts, std::uint32_t line);
  void emit_if(Argument condition, IfParts parts, std::uint32_t line);
  template <class Key>
  void carry(const Key& key, const ExprValue* initial, std::uint32_t line,
             std::vector<Carried<Key>>& carried, std::vector<NamedArgument>& arguments);
  std::vector<Carried<std::string_view>> carried_names(const Statement& loop,
                                                       std::vector<NamedArgument>& arguments);
  std::vector<Carried<AttributeOf>> carried_attributes(const Statement& loop,
                                                       std::vector<NamedArgument>& arguments);
  template <class Key, class Kept>
  void set_carried(Kept& kept, const std::vector<Carried<Key>>& carried,
                   std::vector<Variable>& variables);
  template <class Key, class Kept>
  void collect_carried(const Kept& kept, const std::vector<Carried<Key>>& carried,
                       std::vector<Argument>& outputs, std::uint32_t line);
  LoopOfObject loop_of_object(const Statement& loop) const;
  void note_stored_in(const Statement& loop, const Attributes::Assigned& stored);
  void add_states(std::uint32_t line);
  Argument new_variables(std::string_view name, const Argument& like,
                         std::vector<Variable>& variables);
  void flatten(const Argument& value, std::vector<Argument>& leaves);
  void flatten_like(const Argument& like, const Argument& value, std::string_view name,
                    std::vector<Argument>& leaves, std::uint32_t line);

  TorchScriptArchive& archive_;
  const ModuleState& state_;
  Program program_;
  PickledModule module_;
  Attributes attributes_;  // those that were assigned
  ModuleState found_;
  bool has_found_more_ = false;
  Frame* frame_ = nullptr;
  Block* block_ = &program_.main;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  std::size_t calls_ = 0;
  std::size_t text_bytes_ = 0;
};

void Inliner::count_steps(std::size_t steps, std::uint32_t line) {
  steps_ += steps;
  if (steps_ > kMaxSteps)
    fail_at(Error::kUnsupported, line, "the program has more than ", kMaxSteps,
            " steps when its calls are written out");
}

std::size_t Inliner::size_of(const Argument& argument, std::size_t depth, std::uint32_t line) {
  const ArgumentList* list = as_list(argument);
  if (!list) return 1;
  if (depth > kMaxListDepth)
    fail_at(Error::kUnsupported, line, "lists nest deeper than ", kMaxListDepth);
  std::size_t size = 1;
  for (const Argument& item : list->items) size += size_of(item, depth + 1, line);
  return size;
}

// Tuples are written out wherever they are used.
void Inliner::check_size(const Argument& argument, std::uint32_t line) {
  const std::size_t size = size_of(argument, 0, line);
  count_steps(size, line);
  if (size > kMaxItems)
    fail_at(Error::kUnsupported, line, "a list has more than ", kMaxItems, " items");
}

// Before version 5, torch.full() of an int gave floats. (torch.div() of ints changed too, with
// version 4, but calls for tensors and for numbers look alike here.)
void Inliner::check_version(const std::string& target, std::uint32_t line) const {
  if (target == "aten.full" && archive_.version() < 5) {
    fail_at(Error::kUnsupported, line, "torch.full in archives of version ", archive_.version(),
            " means something else than today; load the file with PyTorch and save it again");
  }
}

std::vector<Variable> Inliner::add_variables(const std::vector<std::string_view>& names) {
  std::vector<Variable> variables;
  variables.reserve(names.size());
  for (const std::string_view name : names) {
    variables.push_back(program_.add_variable(name));
    text_bytes_ += sizeof(std::string) + name.size();
  }
  return variables;
}

std::vector<Variable> Inliner::emit(std::string target, std::vector<NamedArgument> arguments,
                                    const std::vector<std::string_view>& results,
                                    std::uint32_t line, bool unpacks, std::vector<Block> blocks) {
  check_version(target, line);
  ProgramCall call;
  call.target = std::move(target);
  call.arguments = std::move(arguments);
  call.results = add_variables(results);
  call.unpacks = unpacks;
  call.blocks = std::move(blocks);
  call.place = program_.add_place({std::string(frame_->module), frame_->function->file->at(line)});
  text_bytes_ += call.target.size() + frame_->module.size() + frame_->function->file->name.size();
  if (++calls_ > kMaxCalls || text_bytes_ > kMaxTextBytes)
    fail_at(Error::kUnsupported, line, "the program is larger than ", kMaxCalls,
            " calls when written out");
  block_->calls.push_back(std::move(call));
  return block_->calls.back().results;
}

Argument Inliner::emit_one(std::string target, std::vector<NamedArgument> arguments,
                           std::string_view result, std::uint32_t line) {
  const std::string otherwise = target.substr(target.rfind('.') + 1);
  return {emit(std::move(target), std::move(arguments), {result.empty() ? otherwise : result},
               line)[0]};
}

// As it is kept under a name: a list becomes a variable, since it may be appended to.
Argument Inliner::held(Argument argument, std::string_view name, std::uint32_t line) {
  auto* list = std::get_if<ArgumentList>(&argument.data);
  if (!list) return argument;
  for (Argument& item : list->items) item = held(std::move(item), name, line);
  if (list->is_tuple) return argument;
  std::vector<NamedArgument> items;
  items.reserve(list->items.size());
  for (Argument& item : list->items) items.push_back({"", std::move(item)});
  return emit_one("prim.ListConstruct", std::move(items), name, line);
}

ExprValue Inliner::held(ExprValue value, std::string_view name, std::uint32_t line) {
  if (auto* argument = std::get_if<Argument>(&value)) return held(std::move(*argument), name, line);
  return value;
}

Argument Inliner::as_argument(ExprValue value, std::uint32_t line) const {
  if (auto* argument = std::get_if<Argument>(&value)) return std::move(*argument);
  fail_at(Error::kUnsupported, line, "an object or a function is used as a value");
}

Argument Inliner::argument(const Expr& expr, std::string_view name) {
  return as_argument(evaluate(expr, name), expr.line);
}

ExprValue Inliner::evaluate(const Expr& expr, std::string_view name) {
  const Deeper deeper(*this, expr.line);
  switch (expr.kind) {
    case E::kName: return name_value(expr);
    case E::kInt:
    case E::kFloat:
    case E::kComplex:
    case E::kString: return *literal_value(expr);
    case E::kList:
    case E::kTuple: return list(expr);
    case E::kDict: return dict(expr, name);
    case E::kAttribute: return attribute(expr);
    case E::kSubscript: return subscript(expr, name);
    case E::kCall: return call(expr, name);
    case E::kUnary: return unary(expr, name);
    case E::kBinary:
      if (auto complex = literal_value(expr)) return std::move(*complex);
      return binary(expr, name);
    case E::kConditional:
      return choice(argument(expr.parts[1]), &expr.parts[0], &expr.parts[2], expr.line, name);
    case E::kSlice:
    case E::kKeyword: break;
  }
  fail_at(Error::kCorrupt, expr.line, "found ", in_quotes(text_of(expr), 60),
          ", expected an expression");
}

ExprValue Inliner::name_value(const Expr& expr) {
  if (const ExprValue* found = frame_->names.find(expr.text)) {
    if (const auto* value = std::get_if<Argument>(found)) check_size(*value, expr.line);
    return *found;
  }
  if (auto value = literal_value(expr)) return std::move(*value);
  fail_at(Error::kCorrupt, expr.line, in_quotes(expr.text), " has no value here");
}

ExprValue Inliner::attribute(const Expr& expr) {
  if (expr.parts[0].is_name("CONSTANTS")) return constant(expr);
  const std::string name = qualified_name(expr);
  if (name.empty()) return attribute_of(evaluate(expr.parts[0]), expr.text, expr.line);
  const Definition found = archive_.find(name);
  if (!found.class_source && !found.function)
    fail_at(Error::kCorrupt, expr.line, "the archive has no source of ", in_quotes(name));
  return found;
}

ExprValue Inliner::attribute_of(const ExprValue& object, std::string_view name,
                                std::uint32_t line) {
  Instance* const* instance = std::get_if<Instance*>(&object);
  if (!instance)
    fail_at(Error::kUnsupported, line, "the attribute ", in_quotes(name),
            " is asked of what is no module");
  const ExprValue* found = find_attribute({*instance, name});
  if (!found)
    fail_at(Error::kCorrupt, line,
            in_quotes((*instance)->path.empty() ? "the module" : (*instance)->path),
            " has no attribute ", in_quotes(name));
  return *found;
}

// What was assigned to it, or what it is at first; null where there is none.
const ExprValue* Inliner::find_attribute(const AttributeOf& attribute) {
  if (const ExprValue* assigned = attributes_.find(attribute)) return assigned;
  return module_.find_attribute(*attribute.instance, attribute.name);
}

// CONSTANTS.c3
Argument Inliner::constant(const Expr& expr) {
  const std::optional<std::size_t> index = constant_index(expr);
  std::optional<Argument> found;
  if (index) found = module_.constant(*index);
  if (!found)
    fail_at(Error::kCorrupt, expr.line, "the archive has no constant ", in_quotes(expr.text));
  return *found;
}

// The default of a parameter: a literal or CONSTANTS.c3; nothing for what is neither.
std::optional<Argument> Inliner::default_value(const Expr& expr) {
  if (auto value = literal_value(expr)) return value;
  if (!expr.is(E::kAttribute) || !expr.parts[0].is_name("CONSTANTS")) return std::nullopt;
  return constant(expr);
}

Argument Inliner::list(const Expr& expr) {
  ArgumentList made;
  made.is_tuple = expr.is(E::kTuple);
  made.items.reserve(expr.parts.size());
  for (const Expr& part : expr.parts) made.items.push_back(argument(part));
  Argument value{std::move(made)};
  check_size(value, expr.line);
  return value;
}

Argument Inliner::dict(const Expr& expr, std::string_view name) {
  std::vector<NamedArgument> arguments;
  for (const Expr& part : expr.parts)
    arguments.push_back({"", held(argument(part), "", part.line)});
  return emit_one("prim.DictConstruct", std::move(arguments), name, expr.line);
}

Argument Inliner::slice_of_tuple(const ArgumentList& tuple, const Expr& slice) {
  const auto size = static_cast<std::int64_t>(tuple.items.size());
  const auto end_of = [&](const Expr& expr, std::int64_t otherwise) {
    const Argument value = argument(expr);
    if (value.is_none()) return otherwise;
    const auto* index = std::get_if<std::int64_t>(&value.data);
    if (!index) fail_at(Error::kUnsupported, expr.line, "a tuple is sliced by what is no number");
    return std::clamp<std::int64_t>(*index < 0 ? *index + size : *index, 0, size);
  };
  const std::int64_t start = end_of(slice.parts[0], 0);
  const std::int64_t end = std::max(start, end_of(slice.parts[1], size));
  ArgumentList part;
  part.is_tuple = tuple.is_tuple;
  part.items.assign(tuple.items.begin() + start, tuple.items.begin() + end);
  return {std::move(part)};
}

Argument Inliner::subscript(const Expr& expr, std::string_view name) {
  if (expr.parts.size() != 2)
    fail_at(Error::kUnsupported, expr.line, "several indices at once are not converted");
  Argument base = argument(expr.parts[0]);
  const ArgumentList* items = as_list(base);
  if (expr.parts[1].is(E::kSlice)) {
    if (!items) fail_at(Error::kUnsupported, expr.line, "only tuples are sliced by ':'");
    return slice_of_tuple(*items, expr.parts[1]);
  }
  Argument index = argument(expr.parts[1]);
  const auto* number = std::get_if<std::int64_t>(&index.data);
  if (!items || !number)
    return emit_one("aten.__getitem__", {{"", std::move(base)}, {"", std::move(index)}}, name,
                    expr.line);
  const auto size = static_cast<std::int64_t>(items->items.size());
  if (*number < -size || *number >= size)
    fail_at(Error::kCorrupt, expr.line, "item ", *number, " is asked of ", size, " items");
  return items->items[static_cast<std::size_t>(*number < 0 ? *number + size : *number)];
}

Argument Inliner::unary(const Expr& expr, std::string_view name) {
  if (auto value = literal_value(expr)) return std::move(*value);
  const std::string target = expr.text == "not" ? "aten.__not__"
                             : expr.text == "-" ? "aten.neg"
                                                : "aten.bitwise_not";
  return emit_one(target, {{"", argument(expr.parts[0])}}, name, expr.line);
}

Argument Inliner::binary(const Expr& expr, std::string_view name) {
  Argument left = argument(expr.parts[0]);
  if (expr.text == "and") return choice(left, &expr.parts[1], nullptr, expr.line, name);
  if (expr.text == "or") return choice(left, nullptr, &expr.parts[1], expr.line, name);
  Argument right = argument(expr.parts[1]);
  if (expr.text == "in") std::swap(left, right);
  const auto* found = std::ranges::find(kInfix, expr.text, &Operator::mark);
  if (found == kInfix.end())
    fail_at(Error::kUnsupported, expr.line, "the operator ", in_quotes(expr.text),
            " is not converted");
  return emit_one(std::string(found->target), {{"", std::move(left)}, {"", std::move(right)}}, name,
                  expr.line);
}

// One of two expressions; where there is none, the condition itself.
Argument Inliner::choice(const Argument& condition, const Expr* then_value, const Expr* else_value,
                         std::uint32_t line, std::string_view name) {
  if (const bool* known = std::get_if<bool>(&condition.data)) {
    const Expr* taken = *known ? then_value : else_value;
    return taken ? argument(*taken, name) : condition;
  }
  Argument a = condition;
  Argument b = condition;
  Branch then_branch = branch([&] {
    if (then_value) a = held(argument(*then_value), name, line);
  });
  Branch else_branch = branch([&] {
    if (else_value) b = held(argument(*else_value), name, line);
  });
  IfParts parts{then_branch, else_branch};
  Argument merged = merge_arguments(name, a, b, parts);
  emit_if(condition, std::move(parts), line);
  return merged;
}

void Inliner::check_arity(const Expr& expr, std::size_t at_least, std::size_t at_most) const {
  const std::size_t count = expr.parts.size() - 1;
  if (count < at_least || count > at_most)
    fail_at(Error::kCorrupt, expr.line, in_quotes(text_of(expr.parts[0]), 60), " is called with ",
            count, " arguments, expected ", at_least, at_most > at_least ? " or more" : "");
}

// Tracing makes constants without axes of Python's numbers. PyTorch takes them for numbers again
// where they are the second operand of plain arithmetic: they do not decide the type of the result.
std::optional<Argument> Inliner::constant_number(const Expr& call, std::size_t part) {
  constexpr std::array<std::string_view, 4> kArithmetic = {"aten.add", "aten.div", "aten.mul",
                                                           "aten.sub"};
  const Expr& operand = call.parts[part];
  if (part != 2 || !operand.is(E::kAttribute) || !operand.parts[0].is_name("CONSTANTS"))
    return std::nullopt;
  const std::string target = operator_target(call.parts[0]);
  if (std::ranges::find(kArithmetic, target) == kArithmetic.end()) return std::nullopt;
  if (target == "aten.div" && call.parts.size() > 3) return std::nullopt;  // with a rounding_mode
  const std::optional<std::size_t> index = constant_index(operand);
  return index ? module_.constant_number(*index) : std::nullopt;
}

std::vector<NamedArgument> Inliner::operator_arguments(const Expr& expr) {
  std::vector<NamedArgument> arguments;
  arguments.reserve(expr.parts.size() - 1);
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    const Expr& part = expr.parts[i];
    if (std::optional<Argument> number = constant_number(expr, i)) {
      arguments.push_back({"", std::move(*number)});
      continue;
    }
    const bool is_named = part.is(E::kKeyword);
    arguments.push_back(
        {is_named ? std::string(part.text) : "", argument(is_named ? part.parts[0] : part)});
  }
  return arguments;
}

ExprValue Inliner::call(const Expr& expr, std::string_view name) {
  const Expr& callee = expr.parts[0];
  std::string target = operator_target(callee);
  if (!target.empty())
    return emit_one(std::move(target), operator_arguments(expr), name, expr.line);
  if (auto device = literal_value(expr)) return std::move(*device);
  if (text_of(callee) == "torch.device")
    return emit_one("aten.device", operator_arguments(expr), name, expr.line);
  if (callee.is(E::kName) && !frame_->names.find(callee.text)) {
    if (auto made = builtin(expr, name)) return std::move(*made);
    fail_at(Error::kUnsupported, expr.line, "calls of ", in_quotes(callee.text),
            " are not converted");
  }
  if (callee.is(E::kAttribute) && callee.text == "__new__") return make_object(expr);
  if (callee.is(E::kAttribute) && qualified_name(callee).empty()) {
    const ExprValue object = evaluate(callee.parts[0]);
    Instance* const* self = std::get_if<Instance*>(&object);
    if (!self)
      fail_at(Error::kUnsupported, expr.line, "the method ", in_quotes(callee.text),
              " of what is no module is not converted");
    const FunctionSource* method = (*self)->source->find_method(callee.text);
    if (!method)
      fail_at(Error::kCorrupt, expr.line, "the class ", in_quotes((*self)->source->name),
              " has no method ", in_quotes(callee.text));
    return call_function(*method, *self, expr);
  }
  const ExprValue found = evaluate(callee);
  if (const auto* definition = std::get_if<Definition>(&found))
    return call_definition(*definition, expr, name);
  fail_at(Error::kCorrupt, expr.line, in_quotes(text_of(callee), 60),
          " is called, but no function");
}

std::optional<ExprValue> Inliner::builtin(const Expr& expr, std::string_view name) {
  const std::string_view callee = expr.parts[0].text;
  const auto* conversion = std::ranges::find(kConversions, callee, &Operator::mark);
  if (conversion != kConversions.end())
    return emit_one(std::string(conversion->target), operator_arguments(expr), name, expr.line);
  if (callee == "annotate") return annotate(expr, name);
  if (callee == "isinstance") return isinstance(expr, name);
  if (callee == "unchecked_cast") {
    check_arity(expr, 2, 2);
    return evaluate(expr.parts[2], name);
  }
  if (callee == "uninitialized") return emit_one("prim.Uninitialized", {}, name, expr.line);
  if (callee == "getattr") {
    check_arity(expr, 2, 2);
    if (!expr.parts[2].is(E::kString))
      fail_at(Error::kCorrupt, expr.line, "getattr is called without the name of an attribute");
    return attribute_of(evaluate(expr.parts[1]), expr.parts[2].text, expr.line);
  }
  if (callee == "fork" || callee == "awaitable")
    fail_at(Error::kUnsupported, expr.line, "what runs aside ('", callee, "') is not converted");
  return std::nullopt;
}

// A tensor where a number is asked for is turned into one; other types say nothing new.
ExprValue Inliner::annotate(const Expr& expr, std::string_view name) {
  check_arity(expr, 2, 2);
  const Expr& type = expr.parts[1];
  const Expr& inner = expr.parts[2];
  const bool is_tolist = inner.is(E::kCall) && inner.parts[0].is(E::kAttribute) &&
                         inner.parts[0].text == "tolist" && inner.parts.size() == 1;
  if (is_tolist)
    return emit_one("prim.tolist", {{"", argument(inner.parts[0].parts[0])}, {"", {text_of(type)}}},
                    name, expr.line);
  ExprValue value = evaluate(inner, name);
  const auto* known = std::get_if<Argument>(&value);
  const bool is_number = type.is_name("number") || type.is_name("int") || type.is_name("float") ||
                         type.is_name("bool") || type.is_name("complex");
  if (!is_number || !known || !known->variable()) return value;
  return emit_one("prim.annotate", {{"", *known}, {"", {text_of(type)}}}, name, expr.line);
}

Argument Inliner::isinstance(const Expr& expr, std::string_view name) {
  check_arity(expr, 2, 2);
  std::vector<NamedArgument> arguments = {{"", argument(expr.parts[1])}};
  const Expr& types = expr.parts[2];
  const bool is_several = types.is(E::kList) || types.is(E::kTuple);
  if (!is_several) arguments.push_back({"", {text_of(types)}});
  for (const Expr& type : is_several ? types.parts : std::vector<Expr>())
    arguments.push_back({"", {text_of(type)}});
  return emit_one("prim.isinstance", std::move(arguments), name, expr.line);
}

// __torch__.Timer.__new__(__torch__.Timer)
ExprValue Inliner::make_object(const Expr& expr) {
  const ExprValue found = evaluate(expr.parts[0].parts[0]);
  const auto* definition = std::get_if<Definition>(&found);
  if (!definition || !definition->class_source)
    fail_at(Error::kCorrupt, expr.line, "an object is made of what is no class");
  count_steps(kStepsOfObject, expr.line);
  return &module_.make_instance(*definition->class_source);
}

ExprValue Inliner::call_definition(const Definition& definition, const Expr& expr,
                                   std::string_view name) {
  if (definition.function) return call_function(*definition.function, nullptr, expr);
  const ClassSource& source = *definition.class_source;
  if (source.base == "NamedTuple") return named_tuple(source, expr, name);
  fail_at(Error::kUnsupported, expr.line, "objects of the class ", in_quotes(source.name),
          " are made while the program runs");
}

Argument Inliner::named_tuple(const ClassSource& source, const Expr& expr, std::string_view name) {
  check_arity(expr, source.fields.size(), source.fields.size());
  std::vector<NamedArgument> arguments = operator_arguments(expr);
  ArgumentList names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view field = source.fields[i].name;
    if (!arguments[i].name.empty() && arguments[i].name != field)
      fail_at(Error::kUnsupported, expr.line, in_quotes(source.name),
              " is made with its parts in another order");
    arguments[i].name.clear();
    arguments[i].value = held(std::move(arguments[i].value), field, expr.line);
    names.items.push_back({std::string(field)});
  }
  arguments.push_back({"names", {std::move(names)}});
  return emit_one("prim.NamedTupleConstruct", std::move(arguments), name, expr.line);
}

// Gives every parameter its value: by position, by name, by its default.
void Inliner::bind(Frame& frame, Instance* self, const Expr& expr) {
  const std::vector<Parameter>& parameters = frame.function->parameters;
  std::size_t position = 0;
  if (self && !parameters.empty()) frame.names.set(parameters[position++].name, self);
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    const bool is_named = expr.parts[i].is(E::kKeyword);
    const Expr& part = is_named ? expr.parts[i].parts[0] : expr.parts[i];
    const auto parameter =
        is_named ? std::ranges::find(parameters, expr.parts[i].text, &Parameter::name)
                 : parameters.begin() +
                       static_cast<std::ptrdiff_t>(std::min(position++, parameters.size()));
    if (parameter == parameters.end() || frame.names.find(parameter->name))
      fail_at(Error::kCorrupt, expr.line, in_quotes(frame.function->name), " takes ",
              parameters.size(), " arguments, and is called with others");
    frame.names.set(parameter->name,
                    held(evaluate(part, parameter->name), parameter->name, expr.line));
  }
  for (const Parameter& parameter : parameters) {
    if (frame.names.find(parameter.name)) continue;
    auto value = parameter.otherwise ? default_value(*parameter.otherwise) : std::nullopt;
    if (!value)
      fail_at(Error::kCorrupt, expr.line, in_quotes(frame.function->name),
              " is called without its argument ", in_quotes(parameter.name));
    frame.names.set(parameter.name, held(std::move(*value), parameter.name, expr.line));
  }
}

ExprValue Inliner::call_function(const FunctionSource& function, Instance* self, const Expr& expr) {
  if (function.trouble) throw *function.trouble;
  for (const Frame* caller = frame_; caller; caller = caller->caller) {
    if (caller->function == &function)
      fail_at(Error::kUnsupported, expr.line, "the function ", in_quotes(function.name),
              " calls itself");
  }
  assert(frame_);
  Frame frame;
  frame.function = &function;
  frame.module = self && self->object ? std::string_view(self->path) : frame_->module;
  frame.object = self;
  frame.caller = frame_;
  bind(frame, self, expr);
  frame_ = &frame;
  run(function.body);
  frame_ = frame.caller;
  return frame.result ? std::move(*frame.result) : ExprValue(Argument{});
}

void Inliner::run(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) run(statement);
}

void Inliner::run(const Statement& statement) {
  const Deeper deeper(*this, statement.line);
  if (frame_->result)
    fail_at(Error::kCorrupt, statement.line, "a statement comes after the function's return");
  switch (statement.kind) {
    case S::kPass: return;
    case S::kExpression: evaluate(statement.values[0]); return;
    case S::kAssign: return assign(statement);
    case S::kReturn: return run_return(statement);
    case S::kIf: return run_if(statement);
    case S::kWhile:
    case S::kFor: return run_loop(statement);
    case S::kWith: return run_with(statement);
  }
}

void Inliner::run_return(const Statement& statement) {
  if (frame_->names.is_in_block())
    fail_at(Error::kUnsupported, statement.line, "a return inside of a branch is not converted");
  frame_->result = statement.values.empty() ? ExprValue(Argument{}) : evaluate(statement.values[0]);
}

void Inliner::assign(const Statement& statement) {
  const std::size_t count = statement.targets.size();
  if (statement.values.size() != count || statement.unpacks) return unpack(statement);
  std::vector<ExprValue> values;  // all of them before the first is assigned
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = statement.targets[i].text;
    values.push_back(held(evaluate(statement.values[i], name), name, statement.line));
  }
  for (std::size_t i = 0; i < count; ++i) assign_to(statement.targets[i], std::move(values[i]));
}

void Inliner::assign_to(const Expr& target, ExprValue value) {
  if (target.is(E::kName)) return frame_->names.set(target.text, std::move(value));
  store(target, std::move(value));
}

// self.x = v
void Inliner::store(const Expr& target, ExprValue value) {
  const ExprValue object = evaluate(target.parts[0]);
  Instance* const* instance = std::get_if<Instance*>(&object);
  if (!instance)
    fail_at(Error::kUnsupported, target.line, "the attribute ", in_quotes(target.text),
            " is written of what is no module");
  if ((*instance)->object &&
      found_.stored.add({(*instance)->object, (*instance)->path, target.text}))
    has_found_more_ = true;
  attributes_.set({*instance, target.text}, std::move(value));
}

// Calls a method with so many arguments, all of them None.
ExprValue Inliner::call_method(Instance& object, std::string_view name, std::size_t arguments,
                               std::uint32_t line) {
  const FunctionSource* method = object.source->find_method(name);
  if (!method)
    fail_at(Error::kCorrupt, line, "the class ", in_quotes(object.source->name), " has no method ",
            in_quotes(name));
  Expr none;
  none.text = "None";
  none.line = line;
  Expr call;
  call.kind = E::kCall;
  call.line = line;
  call.parts.assign(arguments + 1, none);
  return call_function(*method, &object, call);
}

// torch.autocast, which PyTorch knows by its class: its source does nothing. On a CPU, only that
// for the CPU casts what is computed inside of it.
void Inliner::check_autocast(Instance& manager, std::uint32_t line) {
  const bool is_autocast =
      manager.source->name == "autocast" &&
      manager.source->file->name.find("/amp/autocast_mode") != std::string::npos;
  if (!is_autocast) return;
  const auto known = [&](std::string_view name) {
    const ExprValue* value = find_attribute({&manager, name});
    const Argument* argument = value ? std::get_if<Argument>(value) : nullptr;
    return argument ? *argument : Argument();
  };
  const Argument enabled = known("_enabled");
  const Argument device = known("device");
  const bool* is_enabled = std::get_if<bool>(&enabled.data);
  const std::string* type = std::get_if<std::string>(&device.data);
  if ((is_enabled && !*is_enabled) || (type && *type == "cuda")) return;
  fail_at(Error::kUnsupported, line,
          "'with torch.autocast' computes what is inside of it in another type; script the network "
          "without it, with enabled=False, or trace it");
}

// with a as b:
void Inliner::run_with(const Statement& statement) {
  const ExprValue object = evaluate(statement.values[0]);
  Instance* const* manager = std::get_if<Instance*>(&object);
  if (!manager)
    fail_at(Error::kUnsupported, statement.line,
            "'with' enters what is no object of a class whose source is in the file");
  check_autocast(**manager, statement.line);
  ExprValue entered = call_method(**manager, "__enter__", 0, statement.line);
  if (!statement.targets.empty()) assign_to(statement.targets[0], std::move(entered));
  run(statement.body);
  call_method(**manager, "__exit__", 3, statement.line);
}

// `a, b = torch.max(x, 1)`, `a, b, = e`
void Inliner::unpack(const Statement& statement) {
  std::vector<std::string_view> names;
  for (const Expr& target : statement.targets) names.push_back(target.text);
  if (statement.values.size() != 1)
    fail_at(Error::kCorrupt, statement.line, "several values are unpacked at once");
  std::vector<Argument> parts = parts_of(statement.values[0], names);
  for (std::size_t i = 0; i < names.size(); ++i)
    assign_to(statement.targets[i], held(std::move(parts[i]), names[i], statement.line));
}

std::vector<Argument> Inliner::parts_of(const Expr& expr,
                                        const std::vector<std::string_view>& names) {
  std::string target = expr.is(E::kCall) ? operator_target(expr.parts[0]) : "";
  std::vector<NamedArgument> arguments;
  if (target.empty()) {
    Argument whole = argument(expr);
    if (const ArgumentList* list = as_list(whole)) {
      if (list->items.size() != names.size())
        fail_at(Error::kCorrupt, expr.line, list->items.size(), " values are unpacked to ",
                names.size(), " names");
      return list->items;
    }
    target = "prim.TupleUnpack";
    arguments.push_back({"", std::move(whole)});
  } else {
    arguments = operator_arguments(expr);
  }
  std::vector<Argument> parts;
  for (const Variable part : emit(std::move(target), std::move(arguments), names, expr.line, true))
    parts.push_back({part});
  return parts;
}

// Runs `body` with calls going to a block of its own. What it assigns is undone after it.
template <class Body>
Branch Inliner::branch(Body&& body) {
  Branch made;
  Block* const outer = std::exchange(block_, &made.block);
  frame_->names.enter_block();
  attributes_.enter_block();
  body();
  made.names = frame_->names.leave_block();
  made.attributes = attributes_.leave_block();
  block_ = outer;
  return made;
}

Argument Inliner::merge_arguments(std::string_view name, const Argument& a, const Argument& b,
                                  IfParts& parts) {
  if (is_same(a, b)) return a;
  const ArgumentList* left = as_tuple(a);
  const ArgumentList* right = as_tuple(b);
  if (left && right && left->items.size() == right->items.size()) {
    ArgumentList merged;
    merged.is_tuple = true;
    for (std::size_t i = 0; i < left->items.size(); ++i)
      merged.items.push_back(merge_arguments(name, left->items[i], right->items[i], parts));
    return {std::move(merged)};
  }
  parts.then_branch.block.results.push_back(a);
  parts.else_branch.block.results.push_back(b);
  parts.results.push_back(add_variables({name})[0]);
  return {parts.results.back()};
}

ExprValue Inliner::merge(std::string_view name, const ExprValue& a, const ExprValue& b,
                         IfParts& parts, std::uint32_t line) {
  const auto* left = std::get_if<Argument>(&a);
  const auto* right = std::get_if<Argument>(&b);
  if (left && right) return merge_arguments(name, *left, *right, parts);
  const bool is_same_object = std::holds_alternative<Instance*>(a) && a.index() == b.index() &&
                              std::get<Instance*>(a) == std::get<Instance*>(b);
  const bool is_same_definition = std::holds_alternative<Definition>(a) && a.index() == b.index() &&
                                  std::get<Definition>(a) == std::get<Definition>(b);
  if (is_same_object || is_same_definition) return a;
  fail_at(Error::kUnsupported, line, in_quotes(name),
          " is one of several objects, depending on a branch");
}

// What both branches assign, or one of them where there was a value before.
template <class Assigned, class Before>
Assigned Inliner::merge_assigned(const Assigned& of_then, const Assigned& of_else,
                                 const Before& before, IfParts& parts, std::uint32_t line) {
  Assigned merged;
  const auto merge_one = [&](const auto& key, const ExprValue* a, const ExprValue* b) {
    if (a && b) merged.emplace_back(key, merge(text_of(key), *a, *b, parts, line));
  };
  std::map<typename Assigned::value_type::first_type, const ExprValue*> others;
  for (const auto& [key, value] : of_else) others.emplace(key, &value);
  for (const auto& [key, value] : of_then) {
    const auto other = others.find(key);
    merge_one(key, &value, other != others.end() ? other->second : before(key));
    if (other != others.end()) other->second = nullptr;
  }
  for (const auto& [key, value] : of_else)
    if (others.at(key)) merge_one(key, before(key), &value);
  return merged;
}

// Attributes are as the branch that is taken leaves them.
void Inliner::emit_if(Argument condition, IfParts parts, std::uint32_t line) {
  Attributes::Assigned merged = merge_assigned(
      parts.then_branch.attributes, parts.else_branch.attributes,
      [&](const AttributeOf& attribute) { return find_attribute(attribute); }, parts, line);
  std::vector<Block> blocks;
  blocks.push_back(std::move(parts.then_branch.block));
  blocks.push_back(std::move(parts.else_branch.block));
  emit("prim.If", {{"", std::move(condition)}}, {}, line, false, std::move(blocks));
  block_->calls.back().results = std::move(parts.results);
  for (auto& [attribute, value] : merged) attributes_.set(attribute, std::move(value));
}

void Inliner::run_if(const Statement& statement) {
  const Argument condition = argument(statement.values[0]);
  if (const bool* known = std::get_if<bool>(&condition.data))
    return run(*known ? statement.body : statement.otherwise);
  Branch then_branch = branch([&] { run(statement.body); });
  Branch else_branch = branch([&] { run(statement.otherwise); });
  IfParts parts{then_branch, else_branch};
  Names::Assigned merged = merge_assigned(
      then_branch.names, else_branch.names,
      [&](std::string_view name) { return frame_->names.find(name); }, parts, statement.line);
  emit_if(condition, std::move(parts), statement.line);
  for (auto& [name, value] : merged) frame_->names.set(name, std::move(value));
}

// A value like the one given, with a new variable in each place.
Argument Inliner::new_variables(std::string_view name, const Argument& like,
                                std::vector<Variable>& variables) {
  const ArgumentList* tuple = as_tuple(like);
  if (!tuple) {
    variables.push_back(add_variables({name})[0]);
    return {variables.back()};
  }
  ArgumentList made;
  made.is_tuple = true;
  for (const Argument& item : tuple->items)
    made.items.push_back(new_variables(name, item, variables));
  return {std::move(made)};
}

// The places of a tuple, and of tuples inside of it.
void Inliner::flatten(const Argument& value, std::vector<Argument>& leaves) {
  const ArgumentList* tuple = as_tuple(value);
  if (!tuple) {
    leaves.push_back(value);
    return;
  }
  for (const Argument& item : tuple->items) flatten(item, leaves);
}

// The same of a value that is to have the places of another.
void Inliner::flatten_like(const Argument& like, const Argument& value, std::string_view name,
                           std::vector<Argument>& leaves, std::uint32_t line) {
  const ArgumentList* places = as_tuple(like);
  if (!places) {
    leaves.push_back(value);
    return;
  }
  const std::size_t count = places->items.size();
  std::vector<Argument> items;
  if (const ArgumentList* tuple = as_tuple(value)) {
    items = tuple->items;
  } else {
    const std::vector<std::string_view> names(count, name);
    for (const Variable part : emit("prim.TupleUnpack", {{"", value}}, names, line, true))
      items.push_back({part});
  }
  if (items.size() != count)
    fail_at(Error::kUnsupported, line, "the tuple ", in_quotes(name),
            " changes its size in a loop");
  for (std::size_t i = 0; i < count; ++i)
    flatten_like(places->items[i], items[i], name, leaves, line);
}

template <class Key>
void Inliner::carry(const Key& key, const ExprValue* initial, std::uint32_t line,
                    std::vector<Carried<Key>>& carried, std::vector<NamedArgument>& arguments) {
  if (!initial) return;
  const auto* value = std::get_if<Argument>(initial);
  if (!value)
    fail_at(Error::kUnsupported, line, "the object ", in_quotes(text_of(key)),
            " changes in a loop");
  carried.push_back({key, *value});
  std::vector<Argument> leaves;
  flatten(*value, leaves);
  for (Argument& leaf : leaves) arguments.push_back({"", std::move(leaf)});
}

std::vector<Carried<std::string_view>> Inliner::carried_names(
    const Statement& loop, std::vector<NamedArgument>& arguments) {
  std::vector<Carried<std::string_view>> carried;
  for (const std::string_view name : assigned_names(loop.body))
    carry(name, frame_->names.find(name), loop.line, carried, arguments);
  return carried;
}

std::vector<Carried<AttributeOf>> Inliner::carried_attributes(
    const Statement& loop, std::vector<NamedArgument>& arguments) {
  std::vector<Carried<AttributeOf>> carried;
  const auto stored = state_.in_loops.find(loop_of_object(loop));
  if (stored == state_.in_loops.end()) return carried;
  for (const StoredAttribute& each : stored->second.in_order()) {
    const AttributeOf attribute{&module_.instance_of(*each.object, each.path), each.name};
    carry(attribute, find_attribute(attribute), loop.line, carried, arguments);
  }
  return carried;
}

// Gives everything that is carried new variables, which are added to `variables`.
template <class Key, class Kept>
void Inliner::set_carried(Kept& kept, const std::vector<Carried<Key>>& carried,
                          std::vector<Variable>& variables) {
  for (const Carried<Key>& each : carried)
    kept.set(each.key, new_variables(text_of(each.key), each.initial, variables));
}

// Adds what is handed on to the next round.
template <class Key, class Kept>
void Inliner::collect_carried(const Kept& kept, const std::vector<Carried<Key>>& carried,
                              std::vector<Argument>& outputs, std::uint32_t line) {
  for (const Carried<Key>& each : carried)
    flatten_like(each.initial, as_argument(*kept.find(each.key), line), text_of(each.key), outputs,
                 line);
}

LoopOfObject Inliner::loop_of_object(const Statement& loop) const {
  return {&loop, frame_->object ? frame_->object->object : nullptr};
}

// Keeps in mind which attributes the body of a loop has assigned.
void Inliner::note_stored_in(const Statement& loop, const Attributes::Assigned& stored) {
  for (const auto& [attribute, value] : stored) {
    const Instance& instance = *attribute.instance;
    if (!instance.object && attributes_.find(attribute))
      fail_at(Error::kUnsupported, loop.line, "a loop assigns the attribute ",
              in_quotes(attribute.name), " of an object that is made outside of it");
    if (instance.object &&
        found_.in_loops[loop_of_object(loop)].add({instance.object, instance.path, attribute.name}))
      has_found_more_ = true;
  }
}

// What existed before the loop and is assigned in it is handed on from turn to turn.
void Inliner::run_loop(const Statement& statement) {
  const bool is_for = statement.kind == S::kFor;
  const Expr& head = statement.values[0];
  Argument turns{std::numeric_limits<std::int64_t>::max()};
  if (is_for) {
    const bool is_range = head.is(E::kCall) && head.parts[0].is_name("range");
    if (!is_range || head.parts.size() != 2)
      fail_at(Error::kUnsupported, statement.line, "only loops over range(n) are converted");
    turns = argument(head.parts[1]);
  }
  const Argument condition = is_for ? Argument{true} : argument(head);
  std::vector<NamedArgument> arguments = {{"", turns}, {"", condition}};
  const auto names = carried_names(statement, arguments);
  const auto attributes = carried_attributes(statement, arguments);

  std::vector<Variable> inputs = add_variables({is_for ? statement.targets[0].text : "trip"});
  std::vector<Argument> outputs;
  Branch body = branch([&] {
    if (is_for) frame_->names.set(statement.targets[0].text, Argument{inputs[0]});
    set_carried(frame_->names, names, inputs);
    set_carried(attributes_, attributes, inputs);
    run(statement.body);
    outputs.push_back(is_for ? Argument{true} : argument(head));
    collect_carried(frame_->names, names, outputs, statement.line);
    collect_carried(attributes_, attributes, outputs, statement.line);
  });
  note_stored_in(statement, body.attributes);
  body.block.inputs = std::move(inputs);
  body.block.results = std::move(outputs);
  std::vector<Block> blocks;
  blocks.push_back(std::move(body.block));
  emit("prim.Loop", std::move(arguments), {}, statement.line, false, std::move(blocks));
  std::vector<Variable> results;
  set_carried(frame_->names, names, results);
  set_carried(attributes_, attributes, results);
  block_->calls.back().results = std::move(results);
}

// What the state is at the end; what is assigned and never read before is none.
void Inliner::add_states(std::uint32_t line) {
  std::set<AttributeOf> kept;
  for (const StateInput& input : module_.state_inputs()) {
    const AttributeOf attribute{input.instance, input.name};
    kept.insert(attribute);
    std::vector<Argument> results;
    flatten_like(input.initial, as_argument(*find_attribute(attribute), line), input.name, results,
                 line);
    for (std::size_t i = 0; i < results.size(); ++i) {
      program_.states.push_back(input.states[i]);
      program_.states.back().result = std::move(results[i]);
    }
  }
  for (const StoredAttribute& each : found_.stored.in_order())
    if (!kept.contains({&module_.instance_of(*each.object, each.path), each.name}))
      program_.notes.push_back(cat("the new value of the attribute ",
                                   in_quotes(joined(each.path, each.name)), " is not an output"));
}

// "encode, forward", of those that may be asked for.
std::string method_names(const ClassSource& source) {
  std::vector<std::string_view> names;
  for (const auto& [name, method] : source.methods)
    if (!name.starts_with("__")) names.push_back(name);
  std::ranges::sort(names);
  return join(names, ", ", [](std::string_view name) { return in_quotes(name); });
}

Program Inliner::method(const std::string& name) {
  program_.writer = cat("TorchScript, version ", archive_.version());
  Instance& root = module_.root();
  const FunctionSource* method = root.source->find_method(name);
  if (!method) {
    const std::string others = method_names(*root.source);
    fail_about("method", name == "forward" ? Error::kUnsupported : Error::kUsage, "the class ",
               in_quotes(root.source->name), " of the module has no method ", in_quotes(name),
               others.empty() ? "" : cat("; it has ", others));
  }
  for (const std::string_view hooks : {"__forward_hooks__", "__forward_pre_hooks__"}) {
    const ClassField* field = root.source->find_field(hooks);
    if (name == "forward" && field && field->value && !field->value->parts.empty())
      fail(Error::kUnsupported, "the module has hooks (", hooks, "), which are not converted");
  }
  if (method->trouble) throw *method->trouble;
  Frame frame;
  frame.function = method;
  frame.object = &root;
  if (!method->parameters.empty()) frame.names.set(method->parameters[0].name, &root);
  frame_ = &frame;
  const auto default_of = [this](const Expr& expr) { return default_value(expr); };
  for (auto& [argument, value] :
       add_inputs(program_, *method, archive_.traced_inputs(), default_of))
    frame.names.set(argument, std::move(value));
  run(method->body);
  ExprValue result = frame.result ? std::move(*frame.result) : ExprValue(Argument{});
  program_.main.results = {as_argument(std::move(result), method->line)};
  add_states(method->line);
  std::vector<ProgramCall> calls = module_.take_prologue();
  std::ranges::move(program_.main.calls, std::back_inserter(calls));
  program_.main.calls = std::move(calls);
  return std::move(program_);
}

}  // namespace

Program inline_method(TorchScriptArchive& archive, const std::string& method) {
  ModuleState state;
  for (int run = 0; run < kMaxRuns; ++run) {
    Inliner inliner(archive, state);
    Program program = inliner.method(method);
    if (!inliner.has_found_more()) return program;
    state = inliner.found();
  }
  fail(Error::kUnsupported, "which attributes the module keeps from run to run does not settle");
}

}  // namespace voxport
