#include "verify/fill.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>

#include "base/fail.h"
#include "verify/steering.h"

namespace voxport {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool has_word(const std::string& name, std::initializer_list<std::string_view> words) {
  const std::string small = lower(name);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

// Operators that hand elements on as they are, whatever they do to the shape.
bool hands_on(const std::string& op) {
  for (const std::string_view one : {"Cast", "Concat", "Expand", "Flatten", "Identity", "Reshape",
                                     "Slice", "Squeeze", "Transpose", "Unsqueeze", "Split"})
    if (op == one) return true;
  return false;
}

// The rows of the table that the elements of `value` choose from; nothing when they choose from
// none, as far as one looks.
std::optional<std::int64_t> table_rows(const Value& value, const std::vector<Node>& nodes,
                                       int depth = 0) {
  constexpr int kMaxDepth = 8;
  if (depth > kMaxDepth) return std::nullopt;
  for (const Node& node : nodes) {
    const bool is_choice = node.op() == "Gather" && node.input(1) == value;
    if (is_choice && node.input(0) && node.input(0).type().shape) {
      const Attribute* axis = node.find("axis");
      const std::int64_t at = axis ? std::get<std::int64_t>(*axis) : 0;
      const auto rows = node.input(0).dim(at).constant();
      if (rows && *rows > 0) return rows;
    }
    const bool is_handed_on = hands_on(node.op()) && node.input(0) == value;
    if (!is_handed_on) continue;
    for (const Value& output : node.outputs())
      if (const auto rows = table_rows(output, nodes, depth + 1)) return rows;
  }
  return std::nullopt;
}

// The second axis of an input whose first axis is the one of these lengths.
std::optional<Dim> axis_of_lengths(const Value& lengths, const Graph& graph) {
  if (!lengths.type().shape || lengths.rank() != 1) return std::nullopt;
  for (const Value& other : graph.inputs()) {
    if (other == lengths || !other.type().shape || other.rank() < 2) continue;
    if (other.dim(0) != lengths.dim(0)) continue;
    // The first open axis after the batch: time, whatever its place.
    for (std::size_t axis = 1; axis < other.rank(); ++axis)
      if (!other.dim(static_cast<std::int64_t>(axis)).is_constant())
        return other.dim(static_cast<std::int64_t>(axis));
    return other.dim(1);
  }
  return std::nullopt;
}

template <class Number>
void put(std::string& bytes, std::size_t at, double value) {
  const auto number = static_cast<Number>(value);
  std::memcpy(bytes.data() + at * sizeof number, &number, sizeof number);
}

void put_element(std::string& bytes, std::size_t at, DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat32: return put<float>(bytes, at, value);
    case DType::kFloat64: return put<double>(bytes, at, value);
    case DType::kInt8: return put<std::int8_t>(bytes, at, value);
    case DType::kInt16: return put<std::int16_t>(bytes, at, value);
    case DType::kInt32: return put<std::int32_t>(bytes, at, value);
    case DType::kInt64: return put<std::int64_t>(bytes, at, value);
    case DType::kUInt8: return put<std::uint8_t>(bytes, at, value);
    case DType::kUInt16: return put<std::uint16_t>(bytes, at, value);
    case DType::kUInt32: return put<std::uint32_t>(bytes, at, value);
    case DType::kUInt64: return put<std::uint64_t>(bytes, at, value);
    case DType::kBool: return put<std::uint8_t>(bytes, at, value != 0 ? 1 : 0);
    case DType::kBFloat16: {  // the upper half of a float32
      float wide = static_cast<float>(value);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &wide, sizeof bits);
      return put<std::uint16_t>(bytes, at, bits >> 16);
    }
    // 0 or 1: what goes in is of no interest, as long as it is small.
    case DType::kFloat16: return put<std::uint16_t>(bytes, at, value > 0.5 ? 0x3c00 : 0);
    case DType::kFloat8E4M3FN: return put<std::uint8_t>(bytes, at, value > 0.5 ? 0x38 : 0);
    case DType::kFloat8E5M2: return put<std::uint8_t>(bytes, at, value > 0.5 ? 0x3c : 0);
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E5M2FNUZ: return put<std::uint8_t>(bytes, at, value > 0.5 ? 0x40 : 0);
    default: fail(Error::kUnsupported, "inputs of ", name_of(dtype), " cannot be filled");
  }
}

// Of an input of floats or booleans.
Meaning meaning_of_reals(const Value& input, bool is_steering) {
  Meaning meaning;
  const bool is_mask = input.dtype() == DType::kBool || has_word(input.name(), {"mask"});
  const bool is_scales = input.name() == "scales" && input.type().shape && input.rank() >= 1 &&
                         input.dim(-1) == Dim(3);
  meaning.is_guess = is_steering && !is_scales;
  meaning.kind = is_scales                ? Meaning::kScales
                 : is_mask || is_steering ? Meaning::kOnes
                                          : Meaning::kNormal;
  return meaning;
}

}  // namespace

std::optional<std::int64_t> size_at(const Dim& dim, const Sizes& sizes) {
  return dim.evaluate([&](std::string_view symbol) -> std::optional<std::int64_t> {
    const auto found = sizes.find(std::string(symbol));
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string Meaning::text() const {
  switch (kind) {
    case kNormal: return "normal noise";
    case kIndex: return cat("indices below ", limit);
    case kLengths:
      return length.is_constant() ? "lengths of " + length.text()
                                  : "lengths of " + in_quotes(length.text());
    case kOnes: return "ones";
    case kGiven:
      return given.low == given.high ? cat(given.low) : cat(given.low, " to ", given.high);
    case kScales: return "noise 0, length 1, noise_w 0";
  }
  return "";
}

Meaning meaning_of(const Value& input, const Graph& graph) {
  const bool is_steering = !steered_by(input, graph.nodes()).empty();
  if (!is_integer(input.dtype())) return meaning_of_reals(input, is_steering);
  Meaning meaning;
  if (const auto rows = table_rows(input, graph.nodes())) {
    meaning.kind = Meaning::kIndex;
    meaning.limit = *rows;
  } else if (const auto axis = axis_of_lengths(input, graph);
             axis && has_word(input.name(), {"len", "size"})) {
    meaning.kind = Meaning::kLengths;
    meaning.length = *axis;
  } else if (is_steering || is_divisor(input, graph.nodes()) || has_word(input.name(), {"mask"})) {
    meaning.kind = Meaning::kOnes;
    meaning.is_guess = is_steering;
  } else {
    meaning.kind = Meaning::kIndex;
    meaning.limit = 2;  // 0 and 1 are good for most that counts
  }
  return meaning;
}

Tensor fill(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape,
            const Meaning& meaning, const Sizes& sizes) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  std::seed_seq seed(name.begin(), name.end());
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  const auto below = [&](std::int64_t limit) {
    return static_cast<double>(random() %
                               static_cast<std::uint64_t>(std::max<std::int64_t>(1, limit)));
  };
  std::string bytes(count * size_of(dtype), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    constexpr double kScales[] = {0, 1, 0};  // no noise: every run is the same
    double value = 0;
    switch (meaning.kind) {
      case Meaning::kNormal: value = normal(random); break;
      case Meaning::kIndex: value = below(meaning.limit); break;
      case Meaning::kLengths:
        value = static_cast<double>(size_at(meaning.length, sizes).value_or(1));
        break;
      case Meaning::kOnes: value = 1; break;
      case Meaning::kGiven:
        value = meaning.given.low;
        if (meaning.given.high > meaning.given.low) {
          value +=
              is_integer(dtype)
                  ? below(static_cast<std::int64_t>(meaning.given.high - meaning.given.low) + 1)
                  : std::uniform_real_distribution<double>(
                        0, meaning.given.high - meaning.given.low)(random);
        }
        break;
      case Meaning::kScales: value = kScales[i % 3]; break;
    }
    put_element(bytes, i, dtype, value);
  }
  return make_tensor(dtype, shape, {}, 0, storage_of(Blob::own(std::move(bytes))));
}

}  // namespace voxport
