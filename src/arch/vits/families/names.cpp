#include "arch/vits/families/names.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/fail.h"
#include "base/parse_number.h"
#include "base/tensor_math.h"

namespace voxport::vits {
namespace {

// A part of a name that is an index: factor * x + offset, such as {2n-1}.
struct Index {
  std::int64_t factor = 1, offset = 0;
  char variable = 0;
};

std::optional<Index> index_in(std::string_view part) {
  if (!part.starts_with('{')) return std::nullopt;
  part = part.substr(1, part.size() - 2);
  Index index;
  if (part[0] >= '0' && part[0] <= '9') {
    index.factor = part[0] - '0';
    part.remove_prefix(1);
  }
  index.variable = part[0];
  if (part.size() > 1) index.offset = *parse_number<std::int64_t>(part.substr(1));
  return index;
}

std::string_view take_part(std::string_view& name) {
  const std::string_view part = name.substr(0, name.find('.'));
  name.remove_prefix(std::min(part.size() + 1, name.size()));
  return part;
}

using Variables = std::map<char, std::int64_t>;

bool fits(std::string_view part, std::string_view pattern, Variables& variables) {
  const std::optional<Index> index = index_in(pattern);
  if (!index) return part == pattern;
  const auto number = parse_number<std::int64_t>(part);
  constexpr std::int64_t kMost = 1 << 20;  // layers of a network
  if (!number || *number < 0 || *number > kMost || std::to_string(*number) != part) return false;
  const std::int64_t value = *number - index->offset;
  if (value % index->factor != 0) return false;
  return variables.emplace(index->variable, value / index->factor).second;
}

// `name` with its beginning `from` replaced by `to`; nothing when it does not begin so.
std::optional<std::string> replaced(std::string_view name, std::string_view from,
                                    std::string_view to) {
  Variables variables;
  while (!from.empty()) {
    if (name.empty() || !fits(take_part(name), take_part(from), variables)) return std::nullopt;
  }
  std::string out;
  while (!to.empty()) {
    const std::string_view part = take_part(to);
    const std::optional<Index> index = index_in(part);
    const std::int64_t number =
        index ? index->factor * variables.at(index->variable) + index->offset : 0;
    if (number < 0) return std::nullopt;
    if (!out.empty()) out += '.';
    out += index ? std::to_string(number) : std::string(part);
  }
  return name.empty() ? out : cat(out, ".", name);
}

struct Match {
  std::string name;
  const Renaming* row;
};

std::optional<Match> match(std::string_view theirs, std::span<const Renaming> table) {
  for (const Renaming& row : table)
    if (auto name = replaced(theirs, row.theirs, row.ours)) return Match{std::move(*name), &row};
  return std::nullopt;
}

Tensor as_convolution(const Tensor& matrix) {
  std::vector<std::int64_t> shape = matrix.shape;
  shape.push_back(1);
  return reshaped(matrix, std::move(shape));
}

}  // namespace

std::optional<std::string> our_name(std::string_view theirs, std::span<const Renaming> table) {
  auto found = match(theirs, table);
  return found ? std::optional(std::move(found->name)) : std::nullopt;
}

std::optional<std::string> their_name(std::string_view ours, std::span<const Renaming> table) {
  for (const Renaming& row : table)
    if (auto name = replaced(ours, row.ours, row.theirs)) return name;
  return std::nullopt;
}

NamedTensors renamed(const NamedTensors& tensors, std::span<const Renaming> table) {
  NamedTensors::Map ours;
  std::map<std::string, std::string, std::less<>> theirs;  // by our names
  for (const auto& [name, tensor] : tensors) {
    const std::optional<Match> found = match(name, table);
    const bool is_matrix = found && found->row->is_matrix && tensor.shape.size() == 2;
    const std::string& our_name = found ? found->name : name;
    const auto [before, is_new] = theirs.emplace(our_name, name);
    if (!is_new)
      fail(Error::kUnsupported, "the tensors ", in_quotes(before->second), " and ", in_quotes(name),
           " are the same one, ", in_quotes(our_name), " of the network");
    ours.emplace(our_name, is_matrix ? as_convolution(tensor) : tensor);
  }
  return {std::move(ours), [theirs = std::move(theirs), table](std::string_view name) {
            const auto found = theirs.find(name);
            if (found != theirs.end()) return found->second;
            return their_name(name, table).value_or(std::string(name));
          }};
}

}  // namespace voxport::vits
