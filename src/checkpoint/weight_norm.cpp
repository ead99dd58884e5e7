#include "checkpoint/weight_norm.h"

#include "base/text.h"

namespace voxport {
namespace {

constexpr std::string_view kParametrizations = "parametrizations.";

}  // namespace

WeightNormNames old_weight_norm(std::string_view name) {
  return {cat(name, "_g"), cat(name, "_v")};
}

WeightNormNames new_weight_norm(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t start = dot == std::string_view::npos ? 0 : dot + 1;
  const std::string base =
      cat(name.substr(0, start), kParametrizations, name.substr(start), ".original");
  return {base + "0", base + "1"};
}

std::optional<std::string> weight_of_direction(std::string_view part) {
  if (part.ends_with("_v")) return std::string(part.substr(0, part.size() - 2));
  constexpr std::string_view kSuffix = ".original1";
  if (!part.ends_with(kSuffix)) return std::nullopt;
  const std::size_t at = part.rfind(kParametrizations);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t start = at + kParametrizations.size();
  if (start > part.size() - kSuffix.size()) return std::nullopt;
  return cat(part.substr(0, at), part.substr(start, part.size() - kSuffix.size() - start));
}

}  // namespace voxport
