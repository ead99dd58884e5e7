#include "checkpoint/torch_object.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/checked.h"
#include "base/fail.h"
#include "checkpoint/big_int.h"
#include "checkpoint/dequantized.h"
#include "checkpoint/sparse_indices.h"

namespace voxport {
namespace {

using P = PickleValue::Kind;
using K = Object::Kind;

// Shared parts are written out at each place that refers to them, so a few bytes can stand for a
// tree of any size; these bound it.
constexpr std::size_t kMaxObjectDepth = 200;
constexpr std::size_t kMaxValues = 1'000'000;
constexpr std::size_t kMaxSteps = 20'000'000;
constexpr std::size_t kMaxNameBytes = 10'000;
constexpr std::uint64_t kMaxObjectBytes = std::uint64_t{256} << 20;
// What one costs, about, beside its text.
constexpr std::uint64_t kBytesOfValue = 80;
constexpr std::uint64_t kBytesOfOpaque = 72;
constexpr std::uint64_t kBytesOfTensor = 180;
constexpr std::string_view kPackedLinear =
    "__torch__.torch.classes.quantized.LinearPackedParamsBase";
constexpr std::size_t kMaxRank = 64;  // as in PyTorch
constexpr std::size_t kMaxStorageKey = 1'000;

struct StorageClass {
  std::string_view name;
  DType dtype;
};

constexpr StorageClass kStorageClasses[] = {
    {"BFloat16Storage", DType::kBFloat16},
    {"BoolStorage", DType::kBool},
    {"ByteStorage", DType::kUInt8},
    {"CharStorage", DType::kInt8},
    {"ComplexDoubleStorage", DType::kComplex128},
    {"ComplexFloatStorage", DType::kComplex64},
    {"DoubleStorage", DType::kFloat64},
    {"FloatStorage", DType::kFloat32},
    {"HalfStorage", DType::kFloat16},
    {"IntStorage", DType::kInt32},
    {"LongStorage", DType::kInt64},
    {"QInt32Storage", DType::kQInt32},
    {"QInt8Storage", DType::kQInt8},
    {"QUInt2x4Storage", DType::kQUInt2x4},
    {"QUInt4x2Storage", DType::kQUInt4x2},
    {"QUInt8Storage", DType::kQUInt8},
    {"ShortStorage", DType::kInt16},
};

std::string qualified_name(const PickleNode& global) {
  return plain_global_name(cat(global.module(), ".", global.name()));
}

// As Python's repr: the shortest digits that read back the same.
std::string float_text(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  std::string text(buffer, end);
  if (std::isfinite(number) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// What a call calls; for the result of another call, what that one called.
std::string called_name(const PickleCall& call) {
  const PickleValue* callee = &call.callee;
  for (int depth = 0; callee->is(P::kCall) && depth < 8; ++depth) callee = &callee->call().callee;
  return callee->is(P::kGlobal) ? qualified_name(*callee->node) : "(an object)";
}

std::string key_text(const PickleValue& key, int depth = 0);

// The keys of a tuple or a set, joined by commas and cut where they become too many.
std::string keys_text(std::span<const PickleValue> keys, int depth) {
  std::string text;
  for (const PickleValue& key : keys) {
    if (depth >= 4 || text.size() > 200) return text + "...";
    text += cat(text.empty() ? "" : ", ", key_text(key, depth + 1));
  }
  return text;
}

std::string frozenset_text(std::span<const PickleValue> items, int depth) {
  return items.empty() ? "frozenset()" : cat("frozenset({", keys_text(items, depth), "})");
}

// A dict key as the last part of a name: strings as they are, the rest as Python's repr.
std::string key_text(const PickleValue& key, int depth) {
  switch (key.kind) {
    case P::kString: {
      if (depth == 0) return std::string(key.text());
      const char quote = key.text().find('\'') != std::string_view::npos &&
                                 key.text().find('"') == std::string_view::npos
                             ? '"'
                             : '\'';
      return cat(quote, key.text(), quote);
    }
    case P::kBytes: return cat("b'", printable(key.text()), "'");
    case P::kInt: return std::to_string(key.integer);
    case P::kBigInt: {
      constexpr std::size_t kShown = 32;  // longer ones take their time
      return key.text().size() <= kShown ? decimal_of(key.text())
                                         : cat("(", name_of(key.kind), ")");
    }
    case P::kFloat: return float_text(key.number);
    case P::kBool: return key.flag ? "True" : "False";
    case P::kNone: return "None";
    case P::kGlobal: return qualified_name(*key.node);
    case P::kTuple:
      return cat("(", keys_text(key.node->items(), depth),
                 key.node->items().size() == 1 ? ",)" : ")");
    case P::kSet: return frozenset_text(key.node->items(), depth);
    case P::kCall: {
      const std::string callee = called_name(key.call());
      std::span<const PickleValue> args = key.call().args.node->items();
      const bool is_bytes = callee == "_codecs.encode" && !args.empty() && args[0].is(P::kString);
      if (is_bytes) return cat("b'", printable(args[0].text()), "'");
      const bool is_set = callee == "builtins.frozenset" && !args.empty() && args[0].is(P::kList);
      return is_set ? frozenset_text(args[0].node->items(), depth) : callee;
    }
    default: return cat("(", name_of(key.kind), ")");
  }
}

std::optional<std::string_view> raw_bytes(const PickleValue& value) {
  if (value.is(P::kBytes) || value.is(P::kString)) return value.text();  // str in Python 2
  return std::nullopt;
}

// UTF-8 of code points below 256 -> their bytes: what _codecs.encode(text, 'latin1') makes.
std::optional<std::string> latin1(std::string_view utf8) {
  std::string bytes;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    const auto lead = static_cast<unsigned char>(utf8[at]);
    if (lead < 0x80) {
      bytes += utf8[at];
      continue;
    }
    if ((lead & 0xfe) != 0xc2 || at + 1 == utf8.size()) return std::nullopt;
    bytes += static_cast<char>((lead & 3) << 6 | (static_cast<unsigned char>(utf8[++at]) & 0x3f));
  }
  return bytes;
}

// Without empty parts and without '.', as pathlib prints it; two leading slashes mean something.
std::string normal_path(std::string_view text) {
  std::string normal;
  if (text.starts_with('/'))
    normal = text.starts_with("//") && !text.starts_with("///") ? "//" : "/";
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('/', start), text.size());
    const std::string_view part = text.substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") continue;
    if (!normal.empty() && !normal.ends_with('/')) normal += '/';
    normal += part;
  }
  return normal.empty() ? "." : normal;
}

// numpy's own description of an element: kind, size and byte order.
struct NumpyDType {
  std::string_view code;       // of strings: "U7", "S3"
  std::optional<DType> dtype;  // nothing for strings, objects, dates
  bool big_endian = false;
};

std::optional<DType> numpy_dtype_named(std::string_view code) {
  struct Row {
    std::string_view code, name;
  };
  static constexpr Row kRows[] = {
      {"b1", "bool"},    {"c16", "complex128"}, {"c8", "complex64"}, {"f2", "float16"},
      {"f4", "float32"}, {"f8", "float64"},     {"i1", "int8"},      {"i2", "int16"},
      {"i4", "int32"},   {"i8", "int64"},       {"u1", "uint8"},     {"u2", "uint16"},
      {"u4", "uint32"},  {"u8", "uint64"},
  };
  if (code.starts_with('<') || code.starts_with('|')) code.remove_prefix(1);
  for (const auto& [row_code, name] : kRows)
    if (row_code == code) return dtype_named(name);
  return std::nullopt;
}

void swap_bytes(std::string& bytes, std::size_t width) {
  for (std::size_t at = 0; at + width <= bytes.size(); at += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
}

// Complex numbers are pairs: each half is swapped by itself.
std::size_t swap_width(DType dtype) {
  const bool is_complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  return is_complex ? size_of(dtype) / 2 : size_of(dtype);
}

class Interpreter {
 public:
  explicit Interpreter(const FindPersistent& find_persistent) : find_(find_persistent) {}

  Object value(const PickleValue& pickled);

  // Fails where something does not fit that the pickle makes, whether the root holds it or not.
  void check(const PickleTree& tree);

  // The name of what is being read. After a failure: of what could not be.
  std::string where() const;

 private:
  using Handler = Object (Interpreter::*)(const PickleCall& call);
  static Handler find_handler(const std::string& name);
  Handler handler_of(const PickleValue& callee);
  static void check_items(Handler handler, const PickleCall& call);
  static bool makes_view(Handler handler);

  // These fail beyond a limit.
  void enter(const PickleNode* node);
  std::string copied(std::string_view text);
  void count_bytes(std::uint64_t size);
  void count_steps(std::size_t steps);
  const PickleValue* find_pair(const PickleNode* dict, std::string_view key);
  Object tensor_value(Tensor tensor);

  Object big_int(std::string_view little_endian);

  // Containers.
  Entry named(std::string key, const PickleValue& pickled);
  Object sequence(K kind, std::span<const PickleValue> items);
  Object dict(std::span<const PickleValue> pairs);
  Object object(const PickleCall& call, std::string name);
  Object module(const PickleNode& state);
  Object call_of(const PickleCall& call);

  // Calls we know.
  Object ordered_dict(const PickleCall& call);
  Object list(const PickleCall& call);
  Object set(const PickleCall& call);
  Object complex(const PickleCall& call);
  Object encode(const PickleCall& call);
  Object bytearray(const PickleCall& call);
  Object name_space(const PickleCall& call);
  Object attribute_dict(const PickleCall& call) { return dict(call.items()); }
  Object path(const PickleCall& call);
  Object reconstructor(const PickleCall& call);
  Object device(const PickleCall& call);
  Object first_argument(const PickleCall& call) { return value(arg(call, 0)); }
  Object rebuild_tensor(const PickleCall& call);
  Object rebuild_tensor_v3(const PickleCall& call);
  Object rebuild_from_type(const PickleCall& call);
  Object rebuild_from_numpy(const PickleCall& call);
  Object rebuild_qtensor(const PickleCall& call);
  Object packed_linear(const PickleCall& call, std::string name);
  Object unpacked(const PickleValue& pickled);
  std::optional<Quantizer> quantizer(const PickleValue& pickled);
  Object rebuild_sparse(const PickleCall& call);
  Object rebuild_nested(const PickleCall& call);
  Object rebuild_meta(const PickleCall& call);
  Object numpy_scalar(const PickleCall& call);
  Object numpy_array(const PickleCall& call);
  Object numpy_frombuffer(const PickleCall& call);

  // Parts of them.
  const PickleValue& arg(const PickleCall& call, std::size_t index) const;
  std::int64_t integer(const PickleValue& value, std::string_view what) const;
  std::vector<std::int64_t> integers(const PickleValue& value, std::string_view what) const;
  TypedStorage storage(const PickleValue& value) const;
  std::optional<DType> torch_dtype(const PickleValue& value) const;
  Object strided(const PickleCall& call, const TypedStorage& typed, DType dtype,
                 const PickleValue* metadata);
  void check_view(const PickleCall& call, const TypedStorage& typed, DType dtype);
  Tensor part_of_sparse(const PickleValue& pickled);
  void check_sparse(const PickleCall& call, const std::vector<Tensor>& parts,
                    const std::vector<std::int64_t>& shape);
  Object unreadable(DType dtype, std::vector<std::int64_t> shape, std::string why);
  NumpyDType numpy_dtype(const PickleValue& value) const;
  std::string bytes_of(const PickleValue& value);
  Object numpy_values(const NumpyDType& dtype, std::vector<std::int64_t> shape, bool fortran,
                      std::string bytes);

  const FindPersistent& find_;
  std::vector<const PickleNode*> path_;  // the containers we are inside of
  std::vector<std::string> keys_;        // their names; left as they are by a failure
  std::unordered_map<const PickleNode*, Handler> handlers_;
  std::size_t name_bytes_ = 0;  // the sum of their lengths
  std::size_t values_ = 0;
  std::size_t steps_ = 0;
  std::uint64_t bytes_ = 0;
  std::int64_t sparse_elements_ = 0;
};

Interpreter::Handler Interpreter::find_handler(const std::string& name) {
  using I = Interpreter;
  static const std::unordered_map<std::string_view, Handler> kHandlers = {
      {"_codecs.encode", &I::encode},
      {"argparse.Namespace", &I::name_space},
      {"builtins.bytearray", &I::bytearray},
      {"builtins.bytes", &I::bytearray},
      {"builtins.complex", &I::complex},
      {"builtins.dict", &I::ordered_dict},
      {"builtins.frozenset", &I::set},
      {"builtins.list", &I::list},
      {"builtins.set", &I::set},
      {"collections.Counter", &I::first_argument},
      {"collections.OrderedDict", &I::ordered_dict},
      {"collections.defaultdict", &I::attribute_dict},
      {"copyreg._reconstructor", &I::reconstructor},
      {"lightning.fabric.utilities.data.AttributeDict", &I::attribute_dict},
      {"lightning_fabric.utilities.data.AttributeDict", &I::attribute_dict},
      {"numpy.core.multiarray._reconstruct", &I::numpy_array},
      {"numpy.core.multiarray.scalar", &I::numpy_scalar},
      {"numpy.core.numeric._frombuffer", &I::numpy_frombuffer},
      {"pathlib.Path", &I::path},
      {"pathlib.PosixPath", &I::path},
      {"pathlib.PurePath", &I::path},
      {"pathlib.PurePosixPath", &I::path},
      {"pathlib.PureWindowsPath", &I::path},
      {"pathlib.WindowsPath", &I::path},
      {"pytorch_lightning.utilities.parsing.AttributeDict", &I::attribute_dict},
      {"torch.Size", &I::first_argument},
      {"torch._tensor._rebuild_from_type", &I::rebuild_from_type},
      {"torch._tensor._rebuild_from_type_v2", &I::rebuild_from_type},
      {"torch._utils._rebuild_device_tensor_from_cpu_tensor", &I::first_argument},
      {"torch._utils._rebuild_device_tensor_from_numpy", &I::rebuild_from_numpy},
      {"torch._utils._rebuild_meta_tensor_no_storage", &I::rebuild_meta},
      {"torch._utils._rebuild_nested_tensor", &I::rebuild_nested},
      {"torch._utils._rebuild_parameter", &I::first_argument},
      {"torch._utils._rebuild_parameter_with_state", &I::first_argument},
      {"torch._utils._rebuild_qtensor", &I::rebuild_qtensor},
      {"torch._utils._rebuild_sparse_csr_tensor", &I::rebuild_sparse},
      {"torch._utils._rebuild_sparse_tensor", &I::rebuild_sparse},
      {"torch._utils._rebuild_tensor", &I::rebuild_tensor},
      {"torch._utils._rebuild_tensor_v2", &I::rebuild_tensor},
      {"torch._utils._rebuild_tensor_v3", &I::rebuild_tensor_v3},
      {"torch._utils._rebuild_xla_tensor", &I::rebuild_from_numpy},
      {"torch.device", &I::device},
      {"torch.jit._pickle.build_boollist", &I::first_argument},
      {"torch.jit._pickle.build_doublelist", &I::first_argument},
      {"torch.jit._pickle.build_intlist", &I::first_argument},
      {"torch.jit._pickle.build_tensorlist", &I::first_argument},
      {"torch.jit._pickle.restore_type_tag", &I::first_argument},
  };
  const auto found = kHandlers.find(name);
  return found == kHandlers.end() ? nullptr : found->second;
}

Object Interpreter::value(const PickleValue& pickled) {
  if (++values_ > kMaxValues)
    fail(Error::kCorrupt, "the pickle holds more than ", kMaxValues, " values when written out");
  count_bytes(kBytesOfValue);
  switch (pickled.kind) {
    case P::kNone: return {};
    case P::kBool: return make_object(K::kBool, pickled.flag);
    case P::kInt: return make_object(K::kInt, pickled.integer);
    case P::kBigInt: return big_int(pickled.text());
    case P::kFloat: return make_object(K::kFloat, pickled.number);
    case P::kString: return make_object(K::kString, copied(pickled.text()));
    case P::kBytes: return make_object(K::kBytes, copied(pickled.text()));
    case P::kGlobal: {
      const auto dtype = torch_dtype(pickled);
      if (dtype) return make_object(K::kDType, std::string(name_of(*dtype)));
      count_bytes(kBytesOfOpaque);
      return make_opaque(copied(qualified_name(*pickled.node)));
    }
    case P::kPersistent: {
      Persistent found = find_(pickled.node->items()[0]);
      if (Tensor* tensor = std::get_if<Tensor>(&found)) return tensor_value(std::move(*tensor));
      const auto& [dtype, untyped, storage] = std::get<TypedStorage>(found);
      if (!storage) return unreadable(dtype, {0}, "a tensor on the meta device");
      const auto numel = static_cast<std::int64_t>(storage->size() / size_of(dtype));
      return tensor_value(make_tensor(dtype, {numel}, {}, 0, storage));
    }
    default: break;
  }

  const PickleNode* node = pickled.node;
  if (std::find(path_.begin(), path_.end(), node) != path_.end()) {
    return make_opaque("(a container that holds itself)");
  }
  enter(node);
  Object made = pickled.is(P::kDict)    ? dict(node->items())
                : pickled.is(P::kCall)  ? call_of(pickled.call())
                : pickled.is(P::kList)  ? sequence(K::kList, node->items())
                : pickled.is(P::kTuple) ? sequence(K::kTuple, node->items())
                                        : sequence(K::kSet, node->items());
  path_.pop_back();
  return made;
}

void Interpreter::enter(const PickleNode* node) {
  if (path_.size() >= kMaxObjectDepth)
    fail(Error::kCorrupt, "the pickle's values nest deeper than ", kMaxObjectDepth);
  path_.push_back(node);
}

void Interpreter::count_bytes(std::uint64_t size) {
  bytes_ += size;
  if (bytes_ > kMaxObjectBytes) {
    fail(Error::kCorrupt, "the pickle takes more than ", kMaxObjectBytes,
         " bytes when written out");
  }
}

// For work that a shared part can ask for again and again.
void Interpreter::count_steps(std::size_t steps) {
  steps_ += steps;
  if (steps_ > kMaxSteps)
    fail(Error::kCorrupt, "the pickle takes more than ", kMaxSteps, " steps to write out");
}

Object Interpreter::tensor_value(Tensor tensor) {
  count_bytes(kBytesOfTensor + tensor.unreadable.size() +
              sizeof(std::int64_t) * (tensor.shape.capacity() + tensor.strides.capacity()));
  return make_object(K::kTensor, std::make_shared<const Tensor>(std::move(tensor)));
}

Object Interpreter::big_int(std::string_view little_endian) {
  count_steps(little_endian.size() * little_endian.size());
  return make_object(K::kBigInt, copied(decimal_of(little_endian)));
}

std::string Interpreter::copied(std::string_view text) {
  count_bytes(text.size());
  return std::string(text);
}

Entry Interpreter::named(std::string key, const PickleValue& pickled) {
  const std::size_t length = key.size();
  count_bytes(length);
  name_bytes_ += length;
  keys_.push_back(std::move(key));
  if (name_bytes_ > kMaxNameBytes) {
    fail(Error::kCorrupt, "the pickle has a name of ", name_bytes_, " bytes, expected at most ",
         kMaxNameBytes);
  }
  Entry entry{"", value(pickled)};
  entry.key = std::move(keys_.back());
  keys_.pop_back();
  name_bytes_ -= length;
  return entry;
}

std::string Interpreter::where() const {
  std::string name;
  for (const std::string& key : keys_) name = joined(name, key);
  return name.empty() ? "the pickled object" : in_quotes(name);
}

Object Interpreter::sequence(K kind, std::span<const PickleValue> items) {
  std::vector<Entry> entries;
  entries.reserve(items.size());
  for (const PickleValue& item : items)
    entries.push_back(named(std::to_string(entries.size()), item));
  return make_object(kind, std::move(entries));
}

// Python would keep the last of two equal keys; a file that has them was not written by it.
void check_keys(std::span<const PickleValue> pairs) {
  std::vector<std::string_view> keys;
  keys.reserve(pairs.size() / 2);
  for (std::size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i].is(P::kString)) keys.push_back(pairs[i].text());
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end())
    fail(Error::kCorrupt, "a dict of the pickle has the key ", in_quotes(*twice), " twice");
}

Object Interpreter::dict(std::span<const PickleValue> pairs) {
  std::vector<Entry> entries;
  entries.reserve(pairs.size() / 2);
  check_keys(pairs);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const PickleValue& key = pairs[i];
    entries.push_back(named(key_text(key), pairs[i + 1]));
  }
  return make_object(K::kDict, std::move(entries));
}

// The same global is called for each tensor: its name is looked up once.
Interpreter::Handler Interpreter::handler_of(const PickleValue& callee) {
  if (!callee.is(P::kGlobal)) return nullptr;
  const auto [known, is_new] = handlers_.emplace(callee.node, nullptr);
  if (is_new) known->second = find_handler(qualified_name(*callee.node));
  return known->second;
}

Object Interpreter::call_of(const PickleCall& call) {
  if (!call.callee.is(P::kGlobal)) return object(call, copied(called_name(call)));
  count_steps(call.args.node->items().size());
  const Handler handler = handler_of(call.callee);
  if (!handler) return object(call, copied(qualified_name(*call.callee.node)));
  check_items(handler, call);
  return (this->*handler)(call);
}

// Whether a call makes a tensor out of a storage or of indices, not out of another tensor.
bool Interpreter::makes_view(Handler handler) {
  using I = Interpreter;
  return handler == &I::rebuild_tensor || handler == &I::rebuild_tensor_v3 ||
         handler == &I::rebuild_from_type || handler == &I::rebuild_qtensor ||
         handler == &I::rebuild_sparse || handler == &I::rebuild_nested;
}

void Interpreter::check(const PickleTree& tree) {
  for (const PickleValue& id : tree.persistent_ids())
    if (!is_module_id(id)) find_(id);
  for (const PickleValue& call : tree.calls())
    if (makes_view(handler_of(call.call().callee))) value(call);
}

// What is put into the result of a call must be something that its kind can hold.
void Interpreter::check_items(Handler handler, const PickleCall& call) {
  using I = Interpreter;
  const bool is_dict = handler == &I::ordered_dict || handler == &I::attribute_dict;
  const bool takes_items = handler == &I::reconstructor || (is_dict && call.has_pairs) ||
                           (handler == &I::list && !call.has_pairs);
  if (!call.items().empty() && !takes_items) {
    fail(Error::kCorrupt, call.has_pairs ? "pairs" : "items", " are put into the result of ",
         qualified_name(*call.callee.node), ", which takes none");
  }
}

// The dict inside a pickled object's state: the state itself, or the first of (dict, slots).
const PickleNode* state_dict_of(const PickleValue& state) {
  if (state.is(P::kDict)) return state.node;
  const bool has_slots =
      state.is(P::kTuple) && state.node->items().size() == 2 && state.node->items()[0].is(P::kDict);
  return has_slots ? state.node->items()[0].node : nullptr;
}

// A large dict can be looked through again and again.
const PickleValue* Interpreter::find_pair(const PickleNode* dict, std::string_view key) {
  if (!dict) return nullptr;
  std::span<const PickleValue> pairs = dict->items();
  count_steps(pairs.size() / 2);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i].is(P::kString) && pairs[i].text() == key) return &pairs[i + 1];
  return nullptr;
}

// The pairs of a dict or an OrderedDict; empty for everything else.
std::span<const PickleValue> pairs_of(const PickleValue* value) {
  const bool has_pairs =
      value && (value->is(P::kDict) || (value->is(P::kCall) && value->call().has_pairs));
  return has_pairs ? std::span<const PickleValue>(value->node->items())
                   : std::span<const PickleValue>();
}

// An object of a class we do not know keeps what it is seen to hold. Two kinds mean something all
// the same: modules, which have their parameters in known places, and omegaconf's wrappers.
Object Interpreter::object(const PickleCall& call, std::string name) {
  const PickleNode* state = state_dict_of(call.state);
  if (find_pair(state, "_parameters") && find_pair(state, "_modules")) return module(*state);
  if (name.starts_with("omegaconf.")) {
    if (const PickleValue* content = find_pair(state, "_content")) return value(*content);
    if (const PickleValue* content = find_pair(state, "_val")) return value(*content);
  }
  if (name == kPackedLinear && call.state.is(P::kTuple) && call.state.node->items().size() == 2)
    return packed_linear(call, std::move(name));
  std::vector<Entry> entries;
  if (state) entries = std::get<std::vector<Entry>>(dict(state->items()).data);
  // What was put into it; or else what it was made of, as namedtuples and PackedSequence are.
  const bool is_made_of_arguments = call.items().empty() && call.args.is(P::kTuple);
  Object held = call.has_pairs ? dict(call.items())
                               : sequence(K::kList, is_made_of_arguments ? call.args.node->items()
                                                                         : call.items());
  for (Entry& entry : std::get<std::vector<Entry>>(held.data)) entries.push_back(std::move(entry));
  count_bytes(kBytesOfOpaque);
  return make_opaque(std::move(name), std::move(entries));
}

// A pickled torch.nn.Module, as its state_dict(): parameters, persistent buffers, submodules.
Object Interpreter::module(const PickleNode& state) {
  std::unordered_set<std::string> skipped;
  if (const PickleValue* names = find_pair(&state, "_non_persistent_buffers_set")) {
    const Object set = value(*names);
    for (const Entry& entry : set.entries())
      if (entry.value.is(K::kString)) skipped.insert(entry.value.text());
  }
  std::vector<Entry> entries;
  for (const std::string_view part : {"_parameters", "_buffers", "_modules"}) {
    std::span<const PickleValue> pairs = pairs_of(find_pair(&state, part));
    count_steps(pairs.size());
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      std::string key = key_text(pairs[i]);
      if (pairs[i + 1].is(P::kNone) || (part == "_buffers" && skipped.contains(key))) continue;
      Entry entry = named(std::move(key), pairs[i + 1]);
      const bool has_no_weights = part == "_modules" && entry.value.entries().empty();
      if (!has_no_weights) entries.push_back(std::move(entry));
    }
  }
  return make_object(K::kDict, std::move(entries));
}

bool is_torch_size(const PickleValue& value) {
  return value.is(P::kCall) && value.call().callee.is(P::kGlobal) &&
         qualified_name(*value.call().callee.node) == "torch.Size";
}

const PickleValue& Interpreter::arg(const PickleCall& call, std::size_t index) const {
  std::span<const PickleValue> args = call.args.node->items();
  if (index >= args.size()) {
    fail(Error::kCorrupt, qualified_name(*call.callee.node), " is called with ", args.size(),
         " arguments, expected at least ", index + 1);
  }
  return args[index];
}

std::int64_t Interpreter::integer(const PickleValue& value, std::string_view what) const {
  if (!value.is(P::kInt))
    fail(Error::kCorrupt, what, " is ", name_of(value.kind), ", expected an int of 64 bits");
  return value.integer;
}

std::vector<std::int64_t> Interpreter::integers(const PickleValue& value,
                                                std::string_view what) const {
  const PickleValue& tuple = is_torch_size(value) ? arg(value.call(), 0) : value;
  if (!tuple.is(P::kTuple) && !tuple.is(P::kList))
    fail(Error::kCorrupt, what, " is ", name_of(tuple.kind), ", expected a tuple of ints");
  std::span<const PickleValue> items = tuple.node->items();
  if (items.size() > kMaxRank)
    fail(Error::kCorrupt, what, " has ", items.size(), " dimensions, expected at most ", kMaxRank);
  std::vector<std::int64_t> numbers;
  numbers.reserve(items.size());
  for (const PickleValue& item : items) {
    if (!item.is(P::kInt))
      fail(Error::kCorrupt, what, " holds ", name_of(item.kind), ", expected ints of 64 bits");
    numbers.push_back(item.integer);
  }
  return numbers;
}

Object Interpreter::ordered_dict(const PickleCall& call) {
  if (call.args.node->items().empty() || call.has_pairs) return dict(call.items());
  const PickleValue& first = arg(call, 0);  // Python 2: a list of [key, value]
  if (first.is(P::kDict)) return value(first);
  std::vector<PickleValue> pairs;
  if (first.is(P::kList)) {
    for (const PickleValue& pair : first.node->items()) {
      const bool is_pair =
          (pair.is(P::kList) || pair.is(P::kTuple)) && pair.node->items().size() == 2;
      if (!is_pair)
        fail(Error::kCorrupt, "a dict is made of ", name_of(pair.kind), ", expected pairs");
      pairs.insert(pairs.end(), pair.node->items().begin(), pair.node->items().end());
    }
  }
  return dict(pairs);
}

Object Interpreter::list(const PickleCall& call) {
  if (!call.items().empty() || call.args.node->items().empty())
    return sequence(K::kList, call.items());
  return value(arg(call, 0));
}

Object Interpreter::set(const PickleCall& call) {
  if (call.args.node->items().empty()) return sequence(K::kSet, {});
  const PickleValue& items = arg(call, 0);
  if (!items.is(P::kList) && !items.is(P::kTuple))
    fail(Error::kCorrupt, "a set is made of ", name_of(items.kind), ", expected a list");
  return sequence(K::kSet, items.node->items());
}

Object Interpreter::complex(const PickleCall& call) {
  const auto part = [&](std::size_t index) {
    const PickleValue& value = arg(call, index);
    if (value.is(P::kInt)) return static_cast<double>(value.integer);
    if (!value.is(P::kFloat))
      fail(Error::kCorrupt, "a complex number has ", name_of(value.kind), ", expected a float");
    return value.number;
  };
  const double real = part(0);
  return make_object(K::kComplex, std::complex<double>(real, part(1)));
}

Object Interpreter::encode(const PickleCall& call) {
  const PickleValue& text = arg(call, 0);
  std::optional<std::string> bytes;
  if (text.is(P::kString)) bytes = latin1(copied(text.text()));
  if (!bytes) {
    fail(Error::kCorrupt, qualified_name(*call.callee.node), " is called with ",
         text.is(P::kString) ? in_quotes(text.text(), 40) : std::string(name_of(text.kind)),
         ", expected latin1 text");
  }
  return make_object(K::kBytes, std::move(*bytes));
}

std::string Interpreter::bytes_of(const PickleValue& pickled) {
  if (const auto raw = raw_bytes(pickled)) return copied(*raw);
  Object made = value(pickled);
  if (!made.is(K::kBytes))
    fail(Error::kCorrupt, "a numpy array is made of ", name_of(made.kind), ", expected bytes");
  return std::move(std::get<std::string>(made.data));
}

Object Interpreter::bytearray(const PickleCall& call) {
  if (call.args.node->items().empty()) return make_object(K::kBytes, std::string());
  return make_object(K::kBytes, call.args.node->items().size() == 2
                                    ? std::get<std::string>(encode(call).data)  // (text, 'latin-1')
                                    : bytes_of(arg(call, 0)));
}

Object Interpreter::name_space(const PickleCall& call) {
  const PickleNode* state = state_dict_of(call.state);
  return state ? dict(state->items()) : dict({});
}

// A path is pickled in pieces, by its parts or as it was given: joined they are read as pathlib
// does, a piece that is absolute starting anew. A Windows path is told with forward slashes too.
Object Interpreter::path(const PickleCall& call) {
  const bool is_windows = call.callee.node->name().find("Windows") != std::string_view::npos;
  std::string text;
  for (const PickleValue& part : call.args.node->items()) {
    if (!part.is(P::kString))
      fail(Error::kCorrupt, "a path has ", name_of(part.kind), " in it, expected strings");
    std::string piece = copied(part.text());
    if (is_windows) std::replace(piece.begin(), piece.end(), '\\', '/');
    const bool has_drive = is_windows && piece.size() >= 2 && piece[1] == ':';
    if (piece.starts_with('/') || has_drive) text.clear();
    const bool is_drive = is_windows && text.size() == 2 && text[1] == ':';  // C: and x are C:x
    if (!text.empty() && !text.ends_with('/') && !is_drive) text += '/';
    text += piece;
  }
  return make_object(K::kPath, normal_path(text));
}

// Protocols 0 and 1: copyreg._reconstructor(class, base, base's state), then BUILD.
Object Interpreter::reconstructor(const PickleCall& call) {
  const PickleValue& made_class = arg(call, 0);
  PickleCall as_class = call;
  as_class.callee = made_class;
  as_class.args = PickleValue();
  PickleNode no_arguments;
  as_class.args.kind = P::kTuple;
  as_class.args.node = &no_arguments;
  if (call.args.node->items().size() == 3 && call.args.node->items()[2].is(P::kDict)) {
    static_cast<PickleNode&>(as_class) = *call.args.node->items()[2].node;
    as_class.has_pairs = true;
  }
  if (made_class.is(P::kGlobal) && qualified_name(*made_class.node) == "copyreg._reconstructor")
    fail(Error::kCorrupt, "copyreg._reconstructor is asked to make itself");
  return call_of(as_class);
}

Object Interpreter::device(const PickleCall& call) {
  const PickleValue& type = arg(call, 0);
  if (!type.is(P::kString))
    fail(Error::kCorrupt, "torch.device is called with ", name_of(type.kind),
         ", expected a string");
  std::string text = copied(type.text());
  if (call.args.node->items().size() > 1) text += cat(":", integer(arg(call, 1), "a device index"));
  return make_object(K::kDevice, std::move(text));
}

std::optional<DType> Interpreter::torch_dtype(const PickleValue& value) const {
  if (!value.is(P::kGlobal) || value.node->module() != "torch") return std::nullopt;
  return dtype_named(value.node->name());
}

TypedStorage Interpreter::storage(const PickleValue& value) const {
  if (!value.is(P::kPersistent))
    fail(Error::kCorrupt, "a tensor is made of ", name_of(value.kind), ", expected a storage");
  Persistent found = find_(value.node->items()[0]);
  if (!std::holds_alternative<TypedStorage>(found))
    fail(Error::kCorrupt, "a tensor is made of a tensor, expected a storage");
  return std::get<TypedStorage>(std::move(found));
}

Object Interpreter::unreadable(DType dtype, std::vector<std::int64_t> shape, std::string why) {
  const auto numel = checked_numel(shape);
  if (!numel || !checked_mul(*numel, static_cast<std::int64_t>(size_of(dtype))))
    fail(Error::kCorrupt, "a tensor has the shape ", shape_text(shape),
         ", expected sizes from 0 on that multiply to less than 2^63");
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.unreadable = std::move(why);
  return tensor_value(std::move(tensor));
}

// Fails unless (storage, offset, size, stride, ...) lies inside of the storage.
void Interpreter::check_view(const PickleCall& call, const TypedStorage& typed, DType dtype) {
  if (!typed.storage) return;
  std::vector<std::int64_t> shape = integers(arg(call, 2), "a tensor's shape");
  std::vector<std::int64_t> strides = integers(arg(call, 3), "a tensor's stride");
  make_tensor(dtype, std::move(shape), std::move(strides),
              integer(arg(call, 1), "a tensor's offset"), typed.storage);
}

// (storage, offset, size, stride, ...), and in the last place what a view does to its values.
Object Interpreter::strided(const PickleCall& call, const TypedStorage& typed, DType dtype,
                            const PickleValue* metadata) {
  const std::int64_t offset = integer(arg(call, 1), "a tensor's offset");
  std::vector<std::int64_t> shape = integers(arg(call, 2), "a tensor's shape");
  std::vector<std::int64_t> strides = integers(arg(call, 3), "a tensor's stride");
  if (!typed.storage) return unreadable(dtype, std::move(shape), "a tensor on the meta device");
  for (const std::string_view change : {"conj", "neg"}) {
    const PickleValue* set = metadata ? find_pair(state_dict_of(*metadata), change) : nullptr;
    if (!set || !set->is(P::kBool) || !set->flag) continue;
    check_view(call, typed, dtype);
    return unreadable(dtype, std::move(shape), cat("a tensor with its ", change, " bit set"));
  }
  if (strides.empty() && !shape.empty())
    fail(Error::kCorrupt, "a tensor of shape ", shape_text(shape), " has no strides");
  Tensor tensor = make_tensor(dtype, std::move(shape), std::move(strides), offset, typed.storage);
  return tensor_value(std::move(tensor));
}

Object Interpreter::rebuild_tensor(const PickleCall& call) {
  const std::size_t count = call.args.node->items().size();
  const TypedStorage typed = storage(arg(call, 0));
  return strided(call, typed, typed.dtype, count > 6 ? &arg(call, 6) : nullptr);
}

Object Interpreter::rebuild_tensor_v3(const PickleCall& call) {
  const auto dtype = torch_dtype(arg(call, 6));
  if (!dtype) {
    return unreadable(DType::kUInt8, integers(arg(call, 2), "a tensor's shape"),
                      cat("a tensor of dtype ", printable(key_text(arg(call, 6)), 100)));
  }
  const std::size_t count = call.args.node->items().size();
  return strided(call, storage(arg(call, 0)), *dtype, count > 7 ? &arg(call, 7) : nullptr);
}

// (function, type, arguments of the function, state): tensors with attributes, nn.Buffer.
Object Interpreter::rebuild_from_type(const PickleCall& call) {
  PickleCall inner;
  inner.callee = arg(call, 0);
  inner.args = arg(call, 2);
  if (!inner.args.is(P::kTuple))
    fail(Error::kCorrupt, "a tensor is made of ", name_of(inner.args.kind), ", expected a tuple");
  enter(inner.args.node);
  Object made = call_of(inner);
  path_.pop_back();
  return made;
}

// float32 -> bfloat16, to the nearest, ties to even.
std::string to_bfloat16(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits = std::isnan(value) ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
    bytes += {static_cast<char>(bits >> 16 & 0xff), static_cast<char>(bits >> 24)};
  }
  return bytes;
}

// (array, dtype, device, requires_grad): devices that hand their tensors over as numpy arrays,
// which have no bfloat16.
Object Interpreter::rebuild_from_numpy(const PickleCall& call) {
  Object made = value(arg(call, 0));
  const auto dtype = torch_dtype(arg(call, 1));
  if (!made.is(K::kTensor) || !dtype || made.tensor().dtype == *dtype) return made;
  const Tensor& array = made.tensor();
  if (*dtype != DType::kBFloat16 || array.dtype != DType::kFloat32) {
    return unreadable(*dtype, array.shape,
                      cat("a tensor of ", name_of(*dtype), " kept as ", name_of(array.dtype)));
  }
  Tensor narrowed = make_tensor(*dtype, array.shape, {}, 0,
                                storage_of(Blob::own(to_bfloat16(to_float32(array)))));
  return tensor_value(std::move(narrowed));
}

// (storage, offset, size, stride, quantizer, ...)
Object Interpreter::rebuild_qtensor(const PickleCall& call) {
  const TypedStorage typed = storage(arg(call, 0));
  const bool shares_bytes = typed.dtype == DType::kQUInt4x2 || typed.dtype == DType::kQUInt2x4;
  if (!shares_bytes) check_view(call, typed, typed.dtype);
  return unreadable(typed.dtype, integers(arg(call, 2), "a tensor's shape"), "a quantized tensor");
}

// The weights of a quantized linear layer, which PyTorch packs when it loads them: (weight, bias).
Object Interpreter::packed_linear(const PickleCall& call, std::string name) {
  enter(call.state.node);
  std::vector<Entry> entries;
  entries.push_back({"weight", unpacked(call.state.node->items()[0])});
  entries.push_back(named("bias", call.state.node->items()[1]));
  path_.pop_back();
  count_bytes(kBytesOfOpaque);
  return make_opaque(std::move(name), std::move(entries));
}

// A quantized tensor as floats, where its quantizer is known.
Object Interpreter::unpacked(const PickleValue& pickled) {
  const bool is_quantized =
      pickled.is(P::kCall) && pickled.call().callee.is(P::kGlobal) &&
      qualified_name(*pickled.call().callee.node) == "torch._utils._rebuild_qtensor";
  if (!is_quantized) return value(pickled);
  const PickleCall& call = pickled.call();
  const TypedStorage typed = storage(arg(call, 0));
  std::optional<Quantizer> found = quantizer(arg(call, 4));
  if (typed.dtype != DType::kQInt8 || !typed.storage || !found) return value(pickled);
  return tensor_value(
      dequantized(make_tensor(DType::kInt8, integers(arg(call, 2), "a tensor's shape"),
                              integers(arg(call, 3), "a tensor's stride"),
                              integer(arg(call, 1), "a tensor's offset"), typed.storage),
                  std::move(*found)));
}

// (torch.per_tensor_affine, scale, zero_point) or (torch.per_channel_affine, scales, zero_points,
// axis); nothing for others.
std::optional<Quantizer> Interpreter::quantizer(const PickleValue& pickled) {
  const Object parts = value(pickled);
  const std::vector<Entry>& entries = parts.entries();
  const bool is_by_axis = entries.size() == 4;
  if (!parts.is(K::kTuple) || (entries.size() != 3 && !is_by_axis)) return std::nullopt;
  const Object& scales = entries[1].value;
  const Object& zero_points = entries[2].value;
  if (!is_by_axis) {
    const auto scale = scales.as_float();
    const auto zero_point = zero_points.as_int();
    if (!scale || !zero_point) return std::nullopt;
    return quantizer_of(*scale, *zero_point);
  }
  const auto axis = entries[3].value.as_int();
  if (!scales.is(K::kTensor) || !zero_points.is(K::kTensor) || !axis || *axis < 0)
    return std::nullopt;
  return Quantizer{scales.tensor(), zero_points.tensor(), static_cast<std::size_t>(*axis)};
}

// (layout, (indices, values, size, ...)), with one more index tensor for compressed layouts.
Object Interpreter::rebuild_sparse(const PickleCall& call) {
  const PickleValue& parts = arg(call, 1);
  std::vector<std::int64_t> shape;
  DType dtype = DType::kFloat32;
  if (!parts.is(P::kTuple))
    fail(Error::kCorrupt, "a sparse tensor is made of ", name_of(parts.kind), ", expected a tuple");
  count_steps(parts.node->items().size());
  std::vector<Tensor> tensors;
  for (const PickleValue& part : parts.node->items()) {
    if (part.is(P::kTuple) || is_torch_size(part)) {
      shape = integers(part, "a tensor's shape");
      continue;
    }
    if (!part.is(P::kCall) && !part.is(P::kPersistent)) continue;
    tensors.push_back(part_of_sparse(part));
    dtype = tensors.back().dtype;  // the values come after the indices
  }
  check_sparse(call, tensors, shape);
  return unreadable(dtype, std::move(shape), "a sparse tensor");
}

Tensor Interpreter::part_of_sparse(const PickleValue& pickled) {
  const Object made = value(pickled);
  if (!made.is(K::kTensor))
    fail(Error::kCorrupt, "a part of a sparse tensor is no tensor that can be read");
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;
  if (made.tensor().numel() > kMaxElements - sparse_elements_) {
    fail(Error::kCorrupt, "the sparse tensors have more than ", kMaxElements,
         " indices and values");
  }
  sparse_elements_ += made.tensor().numel();
  return made.tensor();
}

void Interpreter::check_sparse(const PickleCall& call, const std::vector<Tensor>& parts,
                               const std::vector<std::int64_t>& shape) {
  const PickleValue& made = arg(call, 0);  // _get_layout('torch.sparse_coo')
  const bool is_layout = made.is(P::kCall) && !made.call().args.node->items().empty() &&
                         made.call().args.node->items()[0].is(P::kString);
  if (!is_layout) return;  // PyTorch makes no tensor of it
  const std::string_view layout = made.call().args.node->items()[0].text();
  static constexpr std::string_view kCompressed[] = {"torch.sparse_bsc", "torch.sparse_bsr",
                                                     "torch.sparse_csc", "torch.sparse_csr"};
  if (layout == "torch.sparse_coo" && parts.size() == 2)
    return check_coo(parts[0], parts[1], shape);
  const bool is_compressed =
      std::find(std::begin(kCompressed), std::end(kCompressed), layout) != std::end(kCompressed);
  if (is_compressed && parts.size() == 3)
    return check_compressed(layout, parts[0], parts[1], parts[2], shape);
  fail(Error::kCorrupt, "a sparse tensor of layout ", in_quotes(layout, 40), " has ", parts.size(),
       " parts, expected 2 for 'torch.sparse_coo' and 3 for the compressed ones");
}

// (buffer, sizes, strides, offsets)
Object Interpreter::rebuild_nested(const PickleCall& call) {
  const Tensor buffer = part_of_sparse(arg(call, 0));
  const Tensor sizes = part_of_sparse(arg(call, 1));
  const Tensor strides = part_of_sparse(arg(call, 2));
  const PickleValue& pickled = arg(call, 3);
  std::vector<std::int64_t> offsets;
  if (pickled.is(P::kTuple) || pickled.is(P::kList)) {
    count_steps(pickled.node->items().size());
    for (const PickleValue& item : pickled.node->items())
      offsets.push_back(integer(item, "a nested tensor's offset"));
  } else {
    offsets = index_values(part_of_sparse(pickled));
  }
  check_nested(buffer, sizes, strides, offsets);
  return object(call, "torch._utils._rebuild_nested_tensor");
}

// (dtype, size, stride, requires_grad)
Object Interpreter::rebuild_meta(const PickleCall& call) {
  return unreadable(torch_dtype(arg(call, 0)).value_or(DType::kFloat32),
                    integers(arg(call, 1), "a tensor's shape"), "a tensor on the meta device");
}

// dtype('f4', False, True), then BUILD (3, '<', ...).
NumpyDType Interpreter::numpy_dtype(const PickleValue& value) const {
  const bool is_dtype = value.is(P::kCall) && value.call().callee.is(P::kGlobal) &&
                        value.call().callee.node->module() == "numpy" &&
                        value.call().args.node->items().size() >= 1;
  if (!is_dtype) return {};
  const auto code = raw_bytes(arg(value.call(), 0));
  NumpyDType made;
  if (code) made.dtype = numpy_dtype_named(*code);
  if (code && !made.dtype && (code->starts_with('U') || code->starts_with('S'))) made.code = *code;
  const PickleValue& state = value.call().state;
  if (state.is(P::kTuple) && state.node->items().size() > 1) {
    const auto order = raw_bytes(state.node->items()[1]);
    made.big_endian = order && *order == ">";
  }
  return made;
}

Object Interpreter::numpy_values(const NumpyDType& dtype, std::vector<std::int64_t> shape,
                                 bool fortran, std::string bytes) {
  if (dtype.big_endian) swap_bytes(bytes, swap_width(*dtype.dtype));
  std::vector<std::int64_t> strides;
  const auto numel = checked_numel(shape);
  const auto size =
      numel ? checked_mul(*numel, static_cast<std::int64_t>(size_of(*dtype.dtype))) : std::nullopt;
  if (!size || static_cast<std::uint64_t>(*size) != bytes.size()) {
    fail(Error::kCorrupt, "a numpy array of ", name_of(*dtype.dtype), " and shape ",
         shape_text(shape), " has ", bytes.size(), " bytes",
         size ? cat(", expected ", *size) : std::string(", expected a possible shape"));
  }
  if (fortran && *numel > 0) {  // column-major: the strides of the shape turned around
    std::vector<std::int64_t> turned(shape.rbegin(), shape.rend());
    strides = row_major_strides(turned);
    std::reverse(strides.begin(), strides.end());
  }
  Tensor tensor = make_tensor(*dtype.dtype, std::move(shape), std::move(strides), 0,
                              storage_of(Blob::own(std::move(bytes))));
  return tensor_value(std::move(tensor));
}

// _reconstruct(ndarray, (0,), b'b'), then BUILD (version, shape, dtype, is_fortran, bytes).
Object Interpreter::numpy_array(const PickleCall& call) {
  const PickleValue& state = call.state;
  const bool has_state = state.is(P::kTuple) && state.node->items().size() == 5;
  const NumpyDType dtype = has_state ? numpy_dtype(state.node->items()[2]) : NumpyDType();
  if (!dtype.dtype) return object(call, "numpy.ndarray");
  const PickleValue& fortran = state.node->items()[3];
  return numpy_values(
      dtype, integers(state.node->items()[1], "a numpy array's shape"),
      (fortran.is(P::kBool) && fortran.flag) || (fortran.is(P::kInt) && fortran.integer != 0),
      bytes_of(state.node->items()[4]));
}

// Protocol 5: _frombuffer(bytes, dtype, shape, 'C' or 'F').
Object Interpreter::numpy_frombuffer(const PickleCall& call) {
  const NumpyDType dtype = numpy_dtype(arg(call, 1));
  if (!dtype.dtype) return object(call, "numpy.ndarray");
  const auto order = raw_bytes(arg(call, 3));
  return numpy_values(dtype, integers(arg(call, 2), "a numpy array's shape"),
                      order && *order == "F", bytes_of(arg(call, 0)));
}

// The text of numpy's fixed-width strings: UTF-32 for 'U', bytes for 'S', filled up with zeros.
std::optional<Object> numpy_string(std::string_view code, std::string bytes, bool big_endian) {
  if (code.starts_with('S')) {
    bytes.erase(bytes.find_last_not_of('\0') + 1);
    return make_object(K::kBytes, std::move(bytes));
  }
  if (!code.starts_with('U') || bytes.size() % 4 != 0) return std::nullopt;
  if (big_endian) swap_bytes(bytes, 4);
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t code_point;
    std::memcpy(&code_point, bytes.data() + at, sizeof code_point);
    if (code_point > 0x10ffff) return std::nullopt;
    append_utf8(text, code_point);
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return make_object(K::kString, std::move(text));
}

Object number_of(const Tensor& scalar) {
  const Blob whole = scalar.storage->blob();
  const std::byte* element = whole.bytes().data();
  switch (scalar.dtype) {
    case DType::kBool: return make_object(K::kBool, element_value(DType::kBool, element) != 0);
    case DType::kInt64:
    case DType::kUInt64: {
      std::int64_t integer;
      std::memcpy(&integer, element, sizeof integer);
      if (scalar.dtype == DType::kInt64 || integer >= 0) return make_object(K::kInt, integer);
      return make_object(K::kBigInt, std::to_string(static_cast<std::uint64_t>(integer)));
    }
    case DType::kComplex64:
    case DType::kComplex128: {
      const DType half = scalar.dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
      return make_object(K::kComplex,
                         std::complex<double>(element_value(half, element),
                                              element_value(half, element + size_of(half))));
    }
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64: return make_object(K::kFloat, element_value(scalar.dtype, element));
    default:
      return make_object(K::kInt, static_cast<std::int64_t>(element_value(scalar.dtype, element)));
  }
}

// scalar(dtype, bytes)
Object Interpreter::numpy_scalar(const PickleCall& call) {
  const NumpyDType dtype = numpy_dtype(arg(call, 0));
  if (dtype.dtype)
    return number_of(numpy_values(dtype, {}, false, bytes_of(arg(call, 1))).tensor());
  if (!dtype.code.empty() && call.args.node->items().size() == 2) {
    auto text = numpy_string(dtype.code, bytes_of(arg(call, 1)), dtype.big_endian);
    if (text) return std::move(*text);
  }
  return object(call, "numpy.generic");
}

}  // namespace

TypedStorage read_storage_class(const PickleValue& storage_class) {
  if (!storage_class.is(P::kGlobal))
    fail(Error::kCorrupt, "a storage's class is ", name_of(storage_class.kind),
         ", expected a global");
  const PickleNode& global = *storage_class.node;
  TypedStorage made;
  const bool from_torch = global.module() == "torch" || global.module().starts_with("torch.");
  if (from_torch && (global.name() == "UntypedStorage" || global.name() == "_UntypedStorage")) {
    made.untyped = true;
    return made;
  }
  for (const auto& [name, dtype] : kStorageClasses) {
    if (!from_torch || name != global.name()) continue;
    made.dtype = dtype;
    return made;
  }
  fail(Error::kCorrupt, "a storage's class is ", in_quotes(qualified_name(global)),
       ", expected a class such as torch.FloatStorage");
}

bool is_module_id(const PickleValue& id) {
  return id.is(P::kTuple) && !id.node->items().empty() && id.node->items()[0].is(P::kString) &&
         id.node->items()[0].text() == "module";
}

StorageId read_storage_id(const PickleValue& id) {
  if (!id.is(P::kTuple) || id.node->items().size() < 5 || id.node->items().size() > 6) {
    fail(Error::kCorrupt, "a persistent id is ", name_of(id.kind),
         id.is(P::kTuple) ? cat(" of ", id.node->items().size()) : std::string(),
         ", expected ('storage', class, key, location, size)");
  }
  std::span<const PickleValue> fields = id.node->items();
  if (!fields[0].is(P::kString) || fields[0].text() != "storage") {
    fail(Error::kCorrupt, "a persistent id starts with ",
         fields[0].is(P::kString) ? in_quotes(fields[0].text())
                                  : std::string(name_of(fields[0].kind)),
         ", expected 'storage'");
  }
  const TypedStorage typed = read_storage_class(fields[1]);
  if (!fields[2].is(P::kString) || !fields[3].is(P::kString) || !fields[4].is(P::kInt)) {
    fail(Error::kCorrupt, "a storage's key, location and size are ", name_of(fields[2].kind), ", ",
         name_of(fields[3].kind), " and ", name_of(fields[4].kind),
         ", expected two strings and an int");
  }
  if (fields[2].text().size() > kMaxStorageKey) {
    fail(Error::kCorrupt, "a storage's key has ", fields[2].text().size(),
         " bytes, expected at most ", kMaxStorageKey);
  }
  const auto bytes =
      fields[4].integer < 0
          ? std::nullopt
          : checked_mul(fields[4].integer, static_cast<std::int64_t>(size_of(typed.dtype)));
  if (!bytes)
    fail(Error::kCorrupt, "storage ", in_quotes(fields[2].text()), " has ", fields[4].integer,
         " elements of ", name_of(typed.dtype));
  StorageId read;
  read.dtype = typed.dtype;
  read.untyped = typed.untyped;
  read.key = fields[2].text();
  read.location = fields[3].text();
  read.size = static_cast<std::uint64_t>(*bytes);
  if (fields.size() == 6 && !fields[5].is(P::kNone)) read.view = &fields[5];
  return read;
}

std::shared_ptr<const Storage> part_of(const Storage& whole, DType dtype, std::int64_t offset,
                                       std::int64_t numel) {
  const auto item = static_cast<std::int64_t>(size_of(dtype));
  const auto end = offset < 0 || numel < 0 ? std::nullopt : checked_add(offset, numel);
  const auto end_byte = end ? checked_mul(*end, item) : std::nullopt;
  if (!end_byte || static_cast<std::uint64_t>(*end_byte) > whole.size()) {
    fail(Error::kCorrupt, "a view of ", numel, " elements from ", offset,
         " does not fit its storage of ", whole.size(), " bytes");
  }
  return storage_of(whole.blob().slice(static_cast<std::uint64_t>(offset * item),
                                       static_cast<std::uint64_t>(numel * item)));
}

Object interpret(const PickleValue& root, const FindPersistent& find_persistent) {
  Interpreter interpreter(find_persistent);
  try {
    return interpreter.value(root);
  } catch (Error& error) {
    error.add_context(cat("reading ", interpreter.where()));
    throw;
  }
}

Object interpret(const PickleTree& tree, const FindPersistent& find_persistent) {
  Object root = interpret(tree.root(), find_persistent);
  in_context("reading what the pickle makes besides its result",
             [&] { Interpreter(find_persistent).check(tree); });
  return root;
}

Persistent no_persistent(const PickleValue& id) {
  fail(Error::kCorrupt, "the pickle refers to ", name_of(id.kind),
       " outside of itself, but there is no such place in this format");
}

}  // namespace voxport
