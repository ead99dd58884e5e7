#include "lower/walk.h"

#include <algorithm>
#include <functional>

#include "base/fail.h"
#include "graph/ops.h"
#include "lower/apply.h"
#include "lower/resolve.h"
#include "lower/table.h"
#include "lower/unsupported.h"

namespace voxport {
namespace {

// What is in a list from `begin` on, which is taken out of it.
template <class Type>
std::vector<Type> taken_from(std::vector<Type>& list, std::size_t begin) {
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(begin);
  std::vector<Type> taken(first, list.end());
  list.erase(first, list.end());
  return taken;
}

template <class Type, class Same>
void append_common(const std::vector<Type>& a, const std::vector<Type>& b, std::vector<Type>& to,
                   const Same& are_same) {
  for (const Type& one : a)
    if (std::ranges::any_of(b, [&](const Type& other) { return are_same(one, other); }))
      to.push_back(one);
}

bool is_unknown(const Item& item) {
  const Container* container = item.container();
  if (!container) return item.is_unknown();
  return std::ranges::any_of(container->items, is_unknown);
}

bool has_unknown(const NamedItems& arguments) {
  return std::ranges::any_of(arguments,
                             [](const auto& argument) { return is_unknown(argument.second); });
}

// Whether an operator takes a list whose parts have been joined. The others see its parts.
bool takes_joined(std::string_view target) {
  const std::string_view name = split_target(target).first;
  constexpr std::string_view kTakers[] = {"aten.cat", "prim.Loop", "prim.annotate",
                                          "prim.ListConstruct", "prim.TupleConstruct"};
  return std::ranges::find(kTakers, name) != std::end(kTakers);
}

}  // namespace

Walk::Walk(const Program& program, Graph& main, LowerReport& report, const LowerOptions& options)
    : program_(program),
      report_(report),
      options_(options),
      scopes_(main),
      memory_(scopes_),
      variables_(program.names.size()) {}

bool Walk::keeps_empty_tensors() const {
  return std::ranges::any_of(program_.states, &ProgramState::is_empty);
}

void Walk::set(Variable variable, Item item) {
  memory_.own(item);
  if (item.is_list() && !item.container()->origin) note_origin(*item.container(), variable);
  variables_[variable.index] = std::move(item);
}

void Walk::note_origin(Container& list, Variable variable) {
  list.origin = variable;
  const auto joined = options_.joined_lists.find(variable.index);
  if (joined != options_.joined_lists.end()) list.joined_along = joined->second;
}

Item Walk::evaluate(const Argument& argument) const {
  struct Visitor {
    const Walk& self;
    Item operator()(std::monostate) const { return {}; }
    Item operator()(Variable variable) const { return self.variables_[variable.index]; }
    Item operator()(bool value) const { return Number::of_bool(value); }
    Item operator()(std::int64_t value) const { return Number::of_int(value); }
    Item operator()(double value) const { return Number::of_float(value); }
    Item operator()(std::complex<double> value) const { return value; }
    Item operator()(const std::string& text) const { return text; }
    Item operator()(const ArgumentList& list) const {
      std::vector<Item> items;
      for (const Argument& item : list.items) items.push_back(self.evaluate(item));
      return list.is_tuple ? Item::tuple(std::move(items)) : Item::list(std::move(items));
    }
  };
  return std::visit(Visitor{*this}, argument.data);
}

std::vector<Item> Walk::run(const Block& block) {
  for (const ProgramCall& call : block.calls) run_call(call);
  std::vector<Item> results;
  for (const Argument& result : block.results) results.push_back(evaluate(result));
  return results;
}

void Walk::run_call(const ProgramCall& call) {
  const CallSite outer = std::exchange(site_, {call.target, call.place});
  const std::size_t unsupported = count_unsupported();
  const int depth = scopes_.depth();
  const Place& place = program_.places[call.place];
  {
    Graph::Scope scope(scopes_.graph(), place.module);
    try {
      assign(call, lower_call(call));
    } catch (Error& error) {
      // Types and shapes that do not go together are the program's, or those of its inputs.
      if (error.kind() != Error::kUnsupported && error.kind() != Error::kMismatch) {
        error.add_context(cat("lowering ", printable(call.target), where(place)));
        throw;
      }
      leave_to(depth);
      refuse(call, error.what());
      assign(call, Item::unknown());
    }
    if (count_unsupported() > unsupported) forget_changed(call);
  }
  site_ = outer;
}

// Leaves the graphs that a call entered and, as it failed, did not finish. They are gone.
void Walk::leave_to(int depth) {
  while (scopes_.depth() > depth) {
    memory_.leave();
    scopes_.leave();
  }
}

Item Walk::lower_call(const ProgramCall& call) {
  const auto [name, overload] = split_target(call.target);
  const auto [plain, is_in_place] = operator_name(name);
  const ResolvedCall resolved = resolve(*this, call);
  const Operator* row = find_operator(
      plain, resolved.schema ? std::string_view(resolved.schema->overload) : overload.value_or(""));
  if (!row) {
    refuse(call, std::string(why_unsupported(name)));
    return Item::unknown();
  }
  if (has_unknown(resolved.arguments)) {
    forget_changed(call);
    return Item::unknown();
  }
  note_lists_read(call, resolved.arguments);
  Item result = apply(*this, *row, call, resolved);
  if (!is_in_place) return result;
  const Item self = resolved.arguments.empty() ? Item() : resolved.arguments.front().second;
  return write_in_place(self, result);
}

// The result of an operator that works in place: its first argument, with the new value.
Item Walk::write_in_place(const Item& self, const Item& result) {
  if (self.is_tensor() && result.cell() == self.cell()) return result;
  if (self.is_list() && result.container() == self.container()) return self;
  if (result.is_tensor() && self.is_tensor() && result.cell()->base.get() == self.cell())
    return become_view(self, result);
  if (!self.is_tensor() || !result.is_tensor())
    fail(Error::kUnsupported, "it writes to ", self.kind_name(), ", expected a tensor");
  if (self.is_complex() != result.is_complex())
    fail(Error::kUnsupported, "it writes ", result.is_complex() ? "complex" : "real",
         " numbers to a tensor of ", self.is_complex() ? "complex" : "real", " ones");
  const Value target = memory_.read(*self.cell());
  Value value = memory_.read(*result.cell());
  if (value.dtype() != target.dtype()) value = cast(value, target.dtype());
  if (value.rank() < target.rank())
    value = expand(value, Builder(scopes_.graph()).node("Shape", {target}));
  memory_.write(*self.cell(), value);
  return self;
}

// aten.squeeze_ and its like: from now on all who hold the tensor see it as this view.
Item Walk::become_view(const Item& self, const Item& view) {
  if (self.cell()->depth != scopes_.depth())
    fail(Error::kUnsupported,
         "it changes the shape of a tensor in a branch that is decided only at run time");
  for (Item& item : variables_)
    if (item.cell() == self.cell()) item = view;
  return view;
}

void Walk::assign(const ProgramCall& call, const Item& result) {
  const bool unpacks = call.unpacks || call.results.size() > 1;
  const Container* parts = result.container();
  if (unpacks && !result.is_unknown() && (!parts || parts->items.size() < call.results.size()))
    fail(Error::kUnsupported, "it gives ",
         parts ? cat(parts->items.size(), " results") : std::string(result.kind_name()),
         ", but the program takes ", call.results.size());
  for (std::size_t i = 0; i < call.results.size(); ++i)
    set(call.results[i], !unpacks || !parts ? result : parts->items[i]);
}

void Walk::refuse(const ProgramCall& call, std::string why) {
  const auto is_same = [&](const UnsupportedCall& seen) {
    return seen.target == call.target && seen.why == why;
  };
  auto found = std::ranges::find_if(unsupported_, is_same);
  if (found == unsupported_.end())
    found =
        unsupported_.insert(found, {call.target, std::move(why), 0, program_.places[call.place]});
  ++found->count;
}

std::size_t Walk::count_unsupported() const {
  std::size_t count = 0;
  for (const UnsupportedCall& call : unsupported_) count += call.count;
  return count;
}

// What a call that was not lowered would have changed, itself or in its blocks, is not known any
// more. Lists of graphs around this one are left to the call that makes this graph.
void Walk::forget_changed(const ProgramCall& call) {
  const auto forget = [&](const ProgramCall& one) {
    if (one.arguments.empty() || !changes_first(one.target)) return;
    const Item changed = evaluate(one.arguments.front().value);
    if (changed.container() && changed.container()->depth == scopes_.depth())
      changed.container()->items.push_back(Item::unknown());
  };
  forget(call);
  for (const Block& block : call.blocks) for_each_call(block, forget);
}

void Walk::note_lists_read(const ProgramCall& call, const NamedItems& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Item& item = arguments[i].second;
    const bool is_appended_to = i == 0 && appends_to_first(call.target);
    if (!item.is_list() || is_appended_to) continue;
    memory_.note_read(*item.container());
    if (item.container()->joined_along && item.container()->stacked && !takes_joined(call.target))
      fail(Error::kUnsupported,
           "it takes a list that grows in the run, of tensors that differ in shape");
  }
}

Walk::Branch Walk::run_branch(const Block& block, Scopes::Kind kind,
                              const std::function<void()>& begin) {
  Branch branch;
  branch.graph = std::make_shared<Graph>();
  scopes_.enter(*branch.graph, kind);
  memory_.enter();
  if (begin) begin();
  branch.results = run(block);
  branch.outer = memory_.changes();
  return branch;
}

void Walk::finish_branch(Branch& branch, const std::vector<Value>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    branch.graph->add_output(branch.graph->take_name(cat("result_", i)), scopes_.here(values[i]));
  memory_.leave();
  branch.captured = scopes_.leave();
}

void Walk::note_fixed(const Dim& dim, std::int64_t size) {
  if (dim.is_constant()) return;
  const auto is_same = [&](const FixedAxis& seen) { return seen.dim == dim; };
  if (std::ranges::none_of(report_.fixed, is_same))
    report_.fixed.push_back({dim, size, site_.target, program_.places[site_.place]});
}

void Walk::note_least(const Dim& dim, std::int64_t least) {
  const bool is_always_run = scopes_.depth() == 1;
  if (is_always_run && !dim.is_constant())
    report_.least.push_back({dim, least, site_.target, program_.places[site_.place]});
}

void Walk::note_example_size(const std::string& symbol) {
  if (std::ranges::find(report_.of_example, symbol, &ExampleSize::symbol) ==
      report_.of_example.end())
    report_.of_example.push_back({symbol, site_.target, program_.places[site_.place]});
}

void Walk::note_fixed(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const Dim& x = a[a.size() - i];
    const Dim& y = b[b.size() - i];
    if (x != y && x.symbol_name() && y.symbol_name())
      report_.equal.emplace_back(*x.symbol_name(), *y.symbol_name());
    else if (x != y && !x.is_constant() && !y.is_constant())
      report_.equal_sizes.push_back({x, y, site_.target, program_.places[site_.place]});
    if (x.is_constant() == y.is_constant()) continue;
    const std::int64_t size = *(x.is_constant() ? x : y).constant();
    if (size != 1) note_fixed(x.is_constant() ? y : x, size);
  }
}

void Walk::note_kept(std::string_view axis) {
  note(cat(printable(site_.target), where(place()), " keeps the axis ", in_quotes(axis),
           "; PyTorch removes it where its size is 1"));
}

void Walk::note_removed(const Dim& size) {
  note(cat(printable(site_.target), where(place()), " removes the axis ", in_quotes(size.text()),
           ", whose size is known at run time only; the run fails where it is not 1"));
}

void Walk::note(const std::string& text) {
  if (std::ranges::find(report_.notes, text) == report_.notes.end()) report_.notes.push_back(text);
}

Walk::SizeFindings Walk::take_size_findings(const Findings& before) {
  return {taken_from(report_.fixed, before.report.fixed.size()),
          taken_from(report_.equal, before.report.equal.size()),
          taken_from(report_.equal_sizes, before.report.equal_sizes.size())};
}

void Walk::note_common(const SizeFindings& a, const SizeFindings& b) {
  append_common(a.fixed, b.fixed, report_.fixed, [](const FixedAxis& x, const FixedAxis& y) {
    return x.dim == y.dim && x.size == y.size;
  });
  append_common(a.equal, b.equal, report_.equal, std::equal_to<>());
  append_common(a.equal_sizes, b.equal_sizes, report_.equal_sizes,
                [](const EqualSizes& x, const EqualSizes& y) { return x.a == y.a && x.b == y.b; });
}

void Walk::restore(const Findings& findings) {
  report_ = findings.report;
  unsupported_ = findings.unsupported;
}

}  // namespace voxport
