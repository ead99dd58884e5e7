#include "cli/families.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/join.h"
#include "base/printable.h"
#include "base/text.h"

namespace voxport {
namespace {

constexpr std::size_t kLongestName = 40;

std::string shortened(const std::string& name) { return printable(name, kLongestName); }

}  // namespace

std::optional<std::string> family_of(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size()) return std::nullopt;
  return std::string(name.substr(0, last + 1));
}

std::string places_text(const std::vector<std::pair<std::string, std::size_t>>& places) {
  using Key = std::pair<std::string, std::size_t>;
  std::map<Key, std::vector<std::string>> families;
  for (const auto& [name, axis] : places)
    if (const auto family = family_of(name)) families[{*family, axis}].push_back(name);
  std::vector<std::string> parts;
  for (const auto& [name, axis] : places) {
    const auto family = family_of(name);
    const auto found = family ? families.find(Key(*family, axis)) : families.end();
    const bool is_one_of_many = found != families.end() && found->second.size() >= kLeastFamily;
    if (is_one_of_many && found->second.front() != name) continue;
    parts.push_back(cat(shortened(name),
                        is_one_of_many ? cat(" to ", shortened(found->second.back())) : "", ":",
                        axis));
  }
  return join(parts, ", ");
}

std::string distinct_text(const std::vector<std::string>& texts) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> seen;
  for (const std::string& one : texts)
    if (std::ranges::find(seen, one) == seen.end()) seen.push_back(one);
  const auto shown = std::span(seen).first(std::min(seen.size(), kMost));
  return join(shown, ", ", shortened) + (seen.size() > kMost ? ", ..." : "");
}

}  // namespace voxport
