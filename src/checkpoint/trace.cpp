#include "checkpoint/trace.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "checkpoint/harmless.h"
#include "checkpoint/numpy_state.h"
#include "checkpoint/pickle.h"
#include "checkpoint/tensor_names.h"

namespace voxport {
namespace {

using namespace type;
using P = PickleValue::Kind;
using Action = PickleAction::Kind;
using Way = PickleWatcher::Way;

using Items = std::span<const PickleValue>;

constexpr std::size_t kMaxActions = 100'000;
constexpr std::uint64_t kMaxLookedAt = 20'000'000;  // items of containers
constexpr std::size_t kMaxShort = 64;               // a tuple as long as shapes and keys are

bool is_string(const PickleValue& value, std::string_view text) {
  return value.is(P::kString) && value.text() == text;
}

bool equals_int(const PickleValue& value, std::int64_t number) {
  return (value.is(P::kInt) && value.integer == number) ||
         (value.is(P::kBool) && std::int64_t{value.flag} == number);
}

bool is_special_name(std::string_view name) { return name.starts_with("__"); }

bool hides_method(std::string_view name) { return is_special_name(name) || is_method_name(name); }

class Tracer : public PickleWatcher {
 public:
  Tracer(PickleTrace& trace, PickleLoader loader) : trace_(trace), loader_(loader) {}

  void on_protocol(int protocol) override { protocol_ = protocol; }
  void on_global(const PickleValue& global, std::uint64_t offset) override;
  void on_call(const PickleValue& call, Way way, std::uint64_t offset) override;
  void on_build(const PickleValue& object, const PickleValue& state, std::uint64_t offset) override;
  void on_items(const PickleValue& container, std::span<const PickleValue> items, bool in_pairs,
                std::uint64_t offset) override;
  void on_persistent_id(const PickleValue& persistent, bool is_text, std::uint64_t offset) override;
  void on_extension(std::uint64_t code, std::uint64_t offset) override;
  void on_result(const PickleValue& root, std::uint64_t offset);

 private:
  Items items_of(const PickleValue& container) const;

  // Types.
  Types types_of(const PickleValue& value) const;
  Types types_of_tuple(const PickleValue& tuple) const;
  bool is(const PickleValue& value, Types types) const;
  bool is_empty(const PickleValue& value) const;
  bool is_key(const PickleValue& value, int depth = 0) const;
  bool is_known_to_loader(std::string_view module) const;
  const HarmlessGlobal* entry_of(const PickleValue& global) const;

  // Calls.
  bool fits(const HarmlessGlobal& callee, Way way, const PickleValue& args) const;
  bool fits_parameters(const HarmlessGlobal& callee, Items args) const;
  bool meets(Condition condition, Items args) const;
  bool is_list_of_pairs(Items args) const;
  bool are_keys(const PickleValue& values) const;
  bool hold_simple_values(Items args) const;
  bool is_from_type(Items args) const;
  bool is_reconstructed(Items args) const;
  Types result_of(const HarmlessGlobal& callee, Items args) const;

  void freeze(const PickleValue& args);

  // States.
  bool fits_state(const PickleValue& object, const PickleValue& state) const;
  bool has_attributes(const PickleValue& state, bool (*is_forbidden)(std::string_view)) const;
  bool has_only(const PickleValue& state, std::initializer_list<std::string_view> keys,
                Types values) const;
  bool holds_simple_values(const PickleValue& dict) const;
  bool is_module_state(const PickleValue& state) const;
  bool is_optimizer_state(const PickleValue& state) const;
  bool is_config_state(const PickleValue& state) const;
  bool is_dtype_state(const PickleValue& dtype, const PickleValue& state) const;
  std::optional<std::int64_t> field_size(const PickleValue& dtype) const;
  bool is_array_state(const PickleValue& state) const;
  void freeze_dicts(const PickleValue& dtype_state);
  int depth_of_elements(const PickleValue& elements) const;
  bool are_elements(const PickleValue& list) const;
  bool is_tensor_state(const PickleValue& state) const;

  void store(const PickleValue& value, std::uint64_t offset);
  void store_key(const PickleValue& key, bool is_attribute, std::uint64_t offset);
  void record(Action kind, std::string what, std::uint64_t offset, Danger danger);
  void record_unexpected(Action kind, std::string what, std::uint64_t offset);

  struct Known {
    Types types = kUnknown;
    const HarmlessGlobal* entry = nullptr;
    std::string_view dtype{};  // kBareDtype: f8
    int depth = 0;             // kArray: how many object arrays hold one another, itself included
  };
  PickleTrace& trace_;
  PickleLoader loader_;
  int protocol_ = 0;
  mutable std::uint64_t looked_at_ = 0;
  std::unordered_map<const PickleNode*, Known> known_;  // globals, results of calls, storages
  std::unordered_set<const PickleNode*> frozen_;        // dicts that nothing may come into
  std::unordered_set<const PickleNode*> with_globals_;  // tuples with what may not be stored
};

// What a call would call: a global by its name, the result of another call by that one's.
std::string described(const PickleValue& callee) {
  PickleValue value = callee;
  std::string after;
  for (int depth = 0; value.is(P::kCall) && depth < 4; ++depth) {
    after += "(...)";
    value = value.call().callee;
  }
  if (!value.is(P::kGlobal)) return cat("(", name_of(value.kind), ")", after);
  return cat(value.node->module(), ".", value.node->name(), after);
}

Danger judged(const PickleValue& callee) {
  if (!callee.is(P::kGlobal)) return judge_global(described(callee));
  return judge_global(callee.node->module(), callee.node->name());
}

// Many places may refer to one container, and each of them looks through it.
Items Tracer::items_of(const PickleValue& container) const {
  looked_at_ += container.node->size;
  if (looked_at_ > kMaxLookedAt)
    fail(Error::kCorrupt, "the pickle refers to its containers too often to be followed");
  return container.node->items();
}

Types Tracer::types_of(const PickleValue& value) const {
  switch (value.kind) {
    case P::kNone: return kNone;
    case P::kBool: return kBool;
    case P::kInt:
    case P::kBigInt: return kInt;
    case P::kFloat: return kFloat;
    case P::kString: return kStr;
    case P::kBytes: return kBytes;
    case P::kList: return kList;
    case P::kTuple: return types_of_tuple(value);
    case P::kSet: return kSet;
    case P::kDict: return kDict;
    case P::kGlobal:
    case P::kCall:
    case P::kPersistent: break;
  }
  const auto found = known_.find(value.node);
  return found == known_.end() ? kUnknown : found->second.types;
}

bool Tracer::is(const PickleValue& value, Types types) const {
  const Types found = types_of(value);
  return (found & types) != 0 || ((types & kEmpty) != 0 && is_empty(value));
}

bool Tracer::is_empty(const PickleValue& value) const {
  const bool is_literal = value.is(P::kDict) || value.is(P::kList) || value.is(P::kSet);
  const bool is_made_empty =
      value.is(P::kCall) && types_of(value) == kOrderedDict && value.call().args.node->size == 0;
  return (is_literal || is_made_empty) && value.node->size == 0;
}

Types Tracer::types_of_tuple(const PickleValue& tuple) const {
  const Items items = tuple.node->items();
  if (with_globals_.contains(tuple.node)) return kUnknown;
  const bool are_ints =
      items.size() <= kMaxShort &&
      std::all_of(items.begin(), items.end(), [](const auto& item) { return item.is(P::kInt); });
  return are_ints ? kTuple | kInts : kTuple;
}

// Keys are hashed and compared: of these types, by code that does nothing else.
bool Tracer::is_key(const PickleValue& value, int depth) const {
  constexpr int kMaxDepth = 8;
  if (value.is(P::kTuple)) {
    const Items items = items_of(value);
    return depth < kMaxDepth && items.size() <= kMaxShort &&
           std::all_of(items.begin(), items.end(),
                       [&](const PickleValue& item) { return is_key(item, depth + 1); });
  }
  constexpr Types kKeys = kNone | kBool | kInt | kFloat | kStr | kBytes | kInts | kSet | kPlain |
                          kTimedelta | kTimezone | kDevice | kUuid | kTensor | kTorchDtype |
                          kQscheme | kBuiltinType | kStorageClass | kTensorClass | kNamed;
  return is(value, kKeys);
}

const HarmlessGlobal* Tracer::entry_of(const PickleValue& global) const {
  const auto found = known_.find(global.node);
  return found == known_.end() ? nullptr : found->second.entry;
}

void Tracer::record(Action kind, std::string what, std::uint64_t offset, Danger danger) {
  if (trace_.actions.size() >= kMaxActions) {
    fail(Error::kCorrupt, "the pickle does more than ", kMaxActions, " things, the last at byte ",
         offset);
  }
  trace_.actions.push_back({kind, std::move(what), offset, danger});
}

void Tracer::record_unexpected(Action kind, std::string what, std::uint64_t offset) {
  record(kind, std::move(what), offset, Danger::kUnknown);
  trace_.actions.back().is_unexpected = true;
}

// Whether the loader takes the module for the one of our lists, instead of importing whatever has
// this name.
bool Tracer::is_known_to_loader(std::string_view module) const {
  const bool is_of_python2 = module == "__builtin__" || module == "copy_reg";
  const bool is_of_script = module == "__torch__" || module.starts_with("__torch__.");
  // Of this module, Python 3 knows the exceptions alone, and none of them is on our lists.
  if (module == "exceptions") return false;
  return (!is_of_python2 || protocol_ < 3) &&
         (!is_of_script || loader_ == PickleLoader::kTorchScript);
}

void Tracer::on_global(const PickleValue& global, std::uint64_t offset) {
  const PickleNode& node = *global.node;
  const bool is_known = is_known_to_loader(node.module());
  record(Action::kImport, described(global), offset,
         std::max(judge_global(node.module(), node.name()),
                  is_known ? Danger::kHarmless : Danger::kUnknown));
  const HarmlessGlobal* entry = is_known ? find_harmless(node.module(), node.name()) : nullptr;
  known_[global.node] = {entry ? entry->type : kUnknown, entry};
}

// ('storage', torch.FloatStorage, '0', 'cpu', 12), in streams with the view of another storage; of
// modules ('module', class, file, source); in tar archives the number of a tensor.
Types types_of_id(const PickleValue& id, const auto& types_of) {
  if (id.is(P::kInt) || id.is(P::kString)) return kTensor;
  if (!id.is(P::kTuple)) return kUnknown;
  const std::span<const PickleValue> items = id.node->items();
  const auto is = [&](std::size_t i, Types types) { return (types_of(items[i]) & types) != 0; };
  if (items.size() == 4 && is_string(items[0], "module"))
    return is(2, kStr | kNone) && is(3, kStr | kNone) ? types_of(items[1]) : kUnknown;
  const bool is_storage = (items.size() == 5 || items.size() == 6) &&
                          is_string(items[0], "storage") && is(1, kStorageClass) &&
                          is(2, kStr | kInt) && is(3, kStr) && is(4, kInt) &&
                          (items.size() == 5 || is(5, kNone | kTuple));
  return is_storage ? kStorage : kUnknown;
}

// An id as text is written by torch.save with protocol 0, which no PyTorch can read back.
void Tracer::on_persistent_id(const PickleValue& persistent, bool is_text, std::uint64_t offset) {
  const PickleValue& id = persistent.node->items()[0];
  const Types types =
      is_text ? kUnknown : types_of_id(id, [&](const auto& item) { return types_of(item); });
  known_[persistent.node].types = types;
  if (types != kUnknown) return;
  const std::string what =
      is_text ? std::string(id.text()) : cat("an id that is ", name_of(id.kind));
  record(Action::kPersistent, what, offset, Danger::kUnknown);
}

void Tracer::on_extension(std::uint64_t code, std::uint64_t offset) {
  record(Action::kExtension, cat("extension registry code ", code), offset, Danger::kUnknown);
}

// Globals that are harmless where they are called, and nowhere else. What is not harmless at all
// has been recorded when it was imported or made.
constexpr Types kNoData = kFunction | kClass | kArrayClass;

// A global in a container is out of sight: whoever calls what the container holds calls it.
void Tracer::store(const PickleValue& value, std::uint64_t offset) {
  if (value.is(P::kTuple) && with_globals_.contains(value.node)) {
    record(Action::kStore, "a tuple with globals", offset, Danger::kUnknown);
  } else if (is(value, kNoData)) {
    record(Action::kStore, described(value), offset, Danger::kUnknown);
  }
}

void Tracer::on_items(const PickleValue& container, Items items, bool in_pairs,
                      std::uint64_t offset) {
  if (container.is(P::kTuple)) {
    // Perhaps the arguments of a call, which may be globals.
    const bool has_globals = std::any_of(items.begin(), items.end(), [&](const auto& item) {
      return is(item, kNoData) || (item.is(P::kTuple) && with_globals_.contains(item.node));
    });
    if (has_globals) with_globals_.insert(container.node);
    return;
  }
  const Types takes =
      in_pairs ? kDict | kOrderedDict | kDictLike | kAttributeDict : kList | kDeque | kSet;
  if (!is(container, takes) || frozen_.contains(container.node))
    record_unexpected(Action::kStore, described(container), offset);
  const bool has_attributes = is(container, kAttributeDict);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_hashed = (in_pairs && i % 2 == 0) || container.is(P::kSet);
    if (is_hashed) store_key(items[i], has_attributes, offset);
    store(items[i], offset);
  }
}

// `is_attribute`: the keys are looked up as names of attributes too.
void Tracer::store_key(const PickleValue& key, bool is_attribute, std::uint64_t offset) {
  if (!is_key(key)) return record_unexpected(Action::kStore, described(key), offset);
  if (is_attribute && key.is(P::kString) && is_special_name(key.text()))
    record_unexpected(Action::kStore, std::string(key.text()), offset);
}

void Tracer::on_result(const PickleValue& root, std::uint64_t offset) { store(root, offset); }

void Tracer::on_call(const PickleValue& value, Way way, std::uint64_t offset) {
  const PickleCall& call = value.call();
  const Danger danger = judged(call.callee);
  const HarmlessGlobal* callee = call.callee.is(P::kGlobal) ? entry_of(call.callee) : nullptr;
  if (!callee) {
    record(Action::kCall, described(call.callee), offset, std::max(danger, Danger::kUnknown));
  } else if (!fits(*callee, way, call.args)) {
    record_unexpected(Action::kCall, described(call.callee), offset);
  } else {
    record(Action::kCall, described(call.callee), offset, danger);
    Known& known = known_[value.node];
    known.types = result_of(*callee, call.args.node->items());
    if (known.types == kBareDtype) known.dtype = call.args.node->items()[0].text();
    if (known.types == kTensor) freeze(call.args);
  }
}

// Tensors keep the dicts they are given, of hooks and of attributes.
void Tracer::freeze(const PickleValue& args) {
  for (const PickleValue& arg : args.node->items()) {
    if (arg.is(P::kDict) || arg.is(P::kCall)) frozen_.insert(arg.node);
    if (!arg.is(P::kTuple)) continue;  // the arguments of _rebuild_from_type_v2's function
    for (const PickleValue& inner : items_of(arg))
      if (inner.is(P::kDict) || inner.is(P::kCall)) frozen_.insert(inner.node);
  }
}

bool Tracer::fits(const HarmlessGlobal& callee, Way way, const PickleValue& args) const {
  const Items items = args.node->items();
  const bool is_reduce = way == Way::kReduce;
  const bool is_newobj = way == Way::kNewObj;
  switch (callee.calls) {
    case Calls::kNever: return false;
    case Calls::kNewObj: return is_newobj && items.empty();
    case Calls::kNewObjWith: return is_newobj && fits_parameters(callee, items);
    case Calls::kReduce: return is_reduce && fits_parameters(callee, items);
    case Calls::kEither:
      return (is_newobj && items.empty()) || (is_reduce && fits_parameters(callee, items));
  }
  return false;
}

bool Tracer::fits_parameters(const HarmlessGlobal& callee, Items args) const {
  if (args.size() < callee.required || args.size() > callee.parameters.size()) return false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    // A tuple that holds globals is judged by the condition.
    const bool is_judged = callee.condition == Condition::kFromType && args[i].is(P::kTuple);
    if (!is_judged && !is(args[i], callee.parameters[i])) return false;
  }
  return meets(callee.condition, args);
}

// Bytes of protocol 2 are the result of _codecs.encode(text, 'latin1').
std::string_view text_of_bytes(const PickleValue& value) {
  if (!value.is(P::kCall)) return value.text();
  const Items args = value.call().args.node->items();
  return !args.empty() && args[0].is(P::kString) ? args[0].text() : "";
}

bool is_latin1(const PickleValue& value) {
  return value.is(P::kString) && is_one_of(value.text(), {"latin1", "latin-1", "iso8859-1"});
}

bool Tracer::meets(Condition condition, Items args) const {
  switch (condition) {
    case Condition::kNone:
    case Condition::kSameValue: return true;
    case Condition::kEncode:
      return args.empty() || (args.size() == 2 ? args[0].is(P::kString) && is_latin1(args[1])
                                               : is(args[0], kBytes));
    case Condition::kFraction:
      return args.size() == 2 ||
             (args[0].is(P::kString) &&
              args[0].text().find_first_not_of("-/0123456789") == std::string_view::npos);
    case Condition::kPairs: return is_list_of_pairs(args);
    case Condition::kKeys: return args.empty() || are_keys(args[0]);
    case Condition::kTensorData: return hold_simple_values(args);
    case Condition::kNumpyDtype:
      return numpy_item_size(args[0].text()) && equals_int(args[1], 0) && equals_int(args[2], 1);
    case Condition::kNumpyArray: {
      const bool is_empty =
          args[1].is(P::kTuple) && args[1].node->size == 1 && equals_int(args[1].node->data[0], 0);
      return is_empty && text_of_bytes(args[2]) == "b";
    }
    case Condition::kFromType: return is_from_type(args);
    case Condition::kTensorState: return is_tensor_state(args.back());
    case Condition::kReconstructor: return is_reconstructed(args);
  }
  return false;
}

bool Tracer::is_list_of_pairs(Items args) const {
  if (args.empty()) return true;
  if (!args[0].is(P::kList)) return false;
  const Items pairs = items_of(args[0]);
  return std::all_of(pairs.begin(), pairs.end(), [&](const PickleValue& pair) {
    return (pair.is(P::kList) || pair.is(P::kTuple)) && pair.node->size == 2 && is(pair, kData) &&
           is_key(pair.node->data[0]);
  });
}

bool Tracer::are_keys(const PickleValue& values) const {
  if (!values.is(P::kList) && !values.is(P::kTuple)) return false;
  const Items items = items_of(values);
  return std::all_of(items.begin(), items.end(), [&](const auto& item) { return is_key(item); });
}

// Whether the tuples among the arguments hold nothing that has methods.
bool Tracer::hold_simple_values(Items args) const {
  return std::all_of(args.begin(), args.end(), [&](const PickleValue& arg) {
    if (!arg.is(P::kTuple)) return true;
    const Items items = items_of(arg);
    return std::all_of(items.begin(), items.end(),
                       [&](const PickleValue& item) { return is(item, kSimple); });
  });
}

// _rebuild_from_type_v2(func, type, args, state) calls func(*args), and sets attributes.
bool Tracer::is_from_type(Items args) const {
  if (!args[0].is(P::kGlobal) || !args[2].is(P::kTuple)) return false;
  const HarmlessGlobal* function = entry_of(args[0]);
  // One within the other would be judged as deep as a pickle makes it; no saved model has it.
  return function && function->result == kTensor && function->condition != Condition::kFromType &&
         fits(*function, Way::kReduce, args[2]) && is_tensor_state(args[3]);
}

bool Tracer::is_reconstructed(Items args) const {
  if (!args[0].is(P::kGlobal) || !args[1].is(P::kGlobal)) return false;
  const HarmlessGlobal* made = entry_of(args[0]);
  const HarmlessGlobal* base = entry_of(args[1]);
  if (!made || !base || made->calls != Calls::kNewObj || made->result == kScript) return false;
  if (made->result == kAttributeDict)
    return base->name == "builtins.dict" && args[2].is(P::kDict) && args[2].node->items().empty();
  return base->name == "builtins.object" && args[2].is(P::kNone);
}

Types Tracer::result_of(const HarmlessGlobal& callee, Items args) const {
  if (callee.condition == Condition::kSameValue) return types_of(args[0]);
  const HarmlessGlobal* made =
      callee.condition == Condition::kReconstructor ? entry_of(args[0]) : nullptr;
  if (made) return made->result;
  return callee.result;
}

// A dict itself, whose keys are names of attributes that are not forbidden.
bool Tracer::has_attributes(const PickleValue& state,
                            bool (*is_forbidden)(std::string_view)) const {
  if (!state.is(P::kDict)) return false;
  const Items items = items_of(state);
  for (std::size_t i = 0; i < items.size(); i += 2)
    if (!items[i].is(P::kString) || is_forbidden(items[i].text())) return false;
  return true;
}

void Tracer::on_build(const PickleValue& object, const PickleValue& state, std::uint64_t offset) {
  const PickleValue& callee = object.call().callee;
  const Types types = types_of(object);
  if (types == kUnknown) {
    record(Action::kBuild, described(callee), offset, std::max(judged(callee), Danger::kUnknown));
  } else if (!fits_state(object, state)) {
    record_unexpected(Action::kBuild, described(callee), offset);
  } else {
    record(Action::kBuild, described(callee), offset, Danger::kHarmless);
    // A second state would change an array that has been made already.
    Known& known = known_[object.node];
    if (types == kBareDtype) {
      known.types = is_numpy_object(known.dtype) ? kObjectDtype : kDtype;
      freeze_dicts(state);
    }
    if (types == kBareArray) {
      known.depth = 1 + depth_of_elements(state.node->items().back());
      known.types = kArray;
    }
  }
}

// numpy keeps the dicts of a dtype's fields and metadata, and looks into them ever after.
void Tracer::freeze_dicts(const PickleValue& dtype_state) {
  for (const PickleValue& item : dtype_state.node->items()) {
    if (item.is(P::kDict)) frozen_.insert(item.node);
    if (!item.is(P::kTuple)) continue;
    for (const PickleValue& inner : items_of(item))
      if (inner.is(P::kDict)) frozen_.insert(inner.node);
  }
}

// How deep the object arrays among the elements nest; 0 for an array of numbers, whose elements are
// bytes.
int Tracer::depth_of_elements(const PickleValue& elements) const {
  if (!elements.is(P::kList)) return 0;
  int depth = 0;
  for (const PickleValue& element : items_of(elements)) {
    if (!element.is(P::kCall)) continue;
    const auto found = known_.find(element.node);
    if (found != known_.end()) depth = std::max(depth, found->second.depth);
  }
  return depth;
}

// numpy frees an array in an array by recursion. An array without its state may hold others later.
bool Tracer::are_elements(const PickleValue& list) const {
  constexpr int kMaxArrayDepth = 16;
  const Items items = items_of(list);
  return depth_of_elements(list) < kMaxArrayDepth &&
         std::none_of(items.begin(), items.end(),
                      [&](const PickleValue& item) { return is(item, kBareArray); });
}

// What OmegaConf keeps about a value; types among it are hashed and looked into.
constexpr Types kMetadata =
    kNone | kBool | kInt | kFloat | kStr | kBytes | kAnyDict | kBuiltinType | kNamed;

bool Tracer::fits_state(const PickleValue& object, const PickleValue& state) const {
  switch (types_of(object)) {
    case kOrderedDict: return has_only(state, {"_metadata"}, kAnyDict);  // of a state_dict
    case kNamespace: return has_attributes(state, is_special_name);
    case kHolder: return has_attributes(state, hides_method);
    case kHook:
      return has_only(state, {"hook", "module", "with_module"}, kHolder | kModule | kBool | kNone);
    case kModule: return is_module_state(state);
    case kOptimizer: return is_optimizer_state(state);
    case kUuid: return has_only(state, {"int", "is_safe"}, kInt);
    case kConfig: return is_config_state(state);
    case kConfigMetadata:
      return has_only(state,
                      {"element_type", "flags", "flags_root", "key", "key_type", "object_type",
                       "optional", "ref_type", "resolver_cache"},
                      kMetadata);
    case kBareDtype: return is_dtype_state(object, state);
    case kBareArray: return is_array_state(state);
    case kScript: return is(state, kData);
    default: return false;
  }
}

bool Tracer::has_only(const PickleValue& state, std::initializer_list<std::string_view> keys,
                      Types values) const {
  if (!state.is(P::kDict)) return false;
  const Items items = items_of(state);
  for (std::size_t i = 0; i < items.size(); i += 2) {
    if (!items[i].is(P::kString) || !is_one_of(items[i].text(), keys)) return false;
    if (!is(items[i + 1], values)) return false;
  }
  return true;
}

// Modules look names up in the first three dicts, and go through lists of weights. Other modules
// are in _modules, not among the attributes.
bool Tracer::is_module_state(const PickleValue& state) const {
  if (!has_attributes(state, hides_method)) return false;
  const Items items = items_of(state);
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const std::string_view name = items[i].text();
    const bool is_looked_up = is_one_of(name, {"_parameters", "_buffers", "_modules"});
    const bool are_hooks = name.starts_with('_') && name.ends_with("_hooks");
    const Types values = is_looked_up || are_hooks ? kDict | kOrderedDict | kNone : kSimple;
    if (!is(items[i + 1], values)) return false;
  }
  return true;
}

// Whether all items of the container came by opcodes, none by the call that made it.
bool is_seen_through(const PickleValue& container) {
  if (!container.is(P::kCall)) return true;
  const Items args = container.call().args.node->items();
  return std::none_of(args.begin(), args.end(), [](const PickleValue& arg) {
    return !arg.is(P::kNone) && !arg.is(P::kGlobal);
  });
}

// What optimizers go through when they are loaded: a list of groups, and a dict for each parameter.
bool Tracer::is_optimizer_state(const PickleValue& state) const {
  if (!has_only(state, {"defaults", "param_groups", "state"}, kAnyDict | kList)) return false;
  const Items items = items_of(state);
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const PickleValue& value = items[i + 1];
    const bool is_list = items[i].text() == "param_groups";
    if (is_list != value.is(P::kList) || !is_seen_through(value)) return false;
    const Items inner = items_of(value);
    const std::size_t step = is_list ? 1 : 2;  // of a dict, the values
    if (items[i].text() == "defaults") continue;
    for (std::size_t k = step - 1; k < inner.size(); k += step)
      if (!inner[k].is(P::kDict) || !holds_simple_values(inner[k])) return false;
  }
  return true;
}

// Values that have no methods of their own, nor the items of lists among them.
bool Tracer::holds_simple_values(const PickleValue& dict) const {
  const Items items = items_of(dict);
  for (std::size_t i = 1; i < items.size(); i += 2) {
    if (!is(items[i], kSimple)) return false;
    if (!items[i].is(P::kList)) continue;
    const Items inner = items_of(items[i]);
    if (!std::all_of(inner.begin(), inner.end(),
                     [&](const auto& item) { return is(item, kSimple); }))
      return false;
  }
  return true;
}

// OmegaConf's containers read and set attributes of their metadata.
bool Tracer::is_config_state(const PickleValue& state) const {
  if (!has_only(state, {"_content", "_flags_cache", "_metadata", "_parent", "_val"}, kData))
    return false;
  const Items items = items_of(state);
  for (std::size_t i = 0; i < items.size(); i += 2)
    if (items[i].text() == "_metadata" && !is(items[i + 1], kConfigMetadata)) return false;
  return true;
}

bool Tracer::is_dtype_state(const PickleValue& dtype, const PickleValue& state) const {
  return is_numpy_dtype_state(known_.at(dtype.node).dtype, state,
                              [&](const PickleValue& field) { return field_size(field); });
}

// Bytes that a structured dtype of numpy has for a field of this dtype.
std::optional<std::int64_t> Tracer::field_size(const PickleValue& dtype) const {
  if (!is(dtype, kDtype)) return std::nullopt;
  return numpy_item_size(known_.at(dtype.node).dtype);
}

// (1, shape, dtype, is_fortran, bytes); older ones have no version. References to objects are given
// as a list of them.
bool Tracer::is_array_state(const PickleValue& state) const {
  if (!state.is(P::kTuple) || (state.node->size != 4 && state.node->size != 5)) return false;
  const Items items = state.node->items().last(4);
  const bool has_version = state.node->size == 4 || state.node->data[0].is(P::kInt);
  const std::optional<std::int64_t> count = numpy_element_count(items[0]);
  if (!has_version || !count || !is(items[2], kBool | kInt)) return false;
  if (is(items[1], kObjectDtype))
    return items[3].is(P::kList) && std::int64_t{items[3].node->size} == *count &&
           are_elements(items[3]);
  return is(items[1], kDtype) && is(items[3], kBytes | kStr);
}

bool is_tensor_attribute(std::string_view name) {
  return name.starts_with('_') || is_name_of_tensor(name);
}

// Attributes that a user gave to a tensor, each set by its name: not those that are PyTorch's own.
bool Tracer::is_tensor_state(const PickleValue& state) const {
  if (state.is(P::kNone)) return true;
  if (state.is(P::kTuple)) {
    const Items items = state.node->items();  // of __dict__ and __slots__
    return items.size() == 2 && items[1].is(P::kNone) && !items[0].is(P::kTuple) &&
           is_tensor_state(items[0]);
  }
  if (state.is(P::kCall)) return is(state, kOrderedDict) && state.node->items().empty();
  return has_attributes(state, is_tensor_attribute) && holds_simple_values(state);
}

}  // namespace

std::string_view name_of(const PickleAction& action) {
  const bool is_unexpected = action.is_unexpected;
  switch (action.kind) {
    case Action::kImport: return "imported";
    case Action::kCall: return is_unexpected ? "called with unexpected arguments" : "called";
    case Action::kBuild: return is_unexpected ? "given an unexpected state" : "given a state";
    case Action::kStore:
      return is_unexpected ? "used as a container or a key" : "stored as a value";
    case Action::kPersistent: return "asked for";
    case Action::kExtension: return "looked up";
  }
  return "";
}

PickleTrace trace_pickle(const Blob& source, std::uint64_t start, PickleLoader loader) {
  PickleTrace trace;
  Tracer tracer(trace, loader);
  try {
    const PickleTree tree = watch_pickle(source, start, tracer);
    tracer.on_result(tree.root(), start + tree.length() - 1);
    trace.length = tree.length();
  } catch (const Error& error) {
    trace.error = error.what();
  }
  return trace;
}

}  // namespace voxport
