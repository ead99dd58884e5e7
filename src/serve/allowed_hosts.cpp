#include "serve/allowed_hosts.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "serve/http_message.h"
#include "serve/net/address.h"

namespace voxport {
namespace {

constexpr std::string_view kAny = "*";

void check_name(std::string_view name) {
  const auto may_be_in_name = [](char c) { return is_name_part(c) || c == '-' || c == '.'; };
  const bool is_name = !name.empty() && std::ranges::all_of(name, may_be_in_name);
  if (!is_name && name != kAny && kind_of_host(name) == HostKind::kName)
    fail_about("hosts", Error::kUsage, in_quotes(name),
               " is no name of a host, expected one such as voices.example.org");
}

}  // namespace

AllowedHosts::AllowedHosts(std::string_view listens_at, std::vector<std::string> names)
    : names_(std::move(names)),
      is_for_others_(kind_of_host(without_port(listens_at)) != HostKind::kLoopback),
      is_any_(std::ranges::find(names_, kAny) != names_.end() ||
              (is_for_others_ && names_.empty())) {
  std::ranges::for_each(names_, check_name);
}

bool AllowedHosts::allow(std::string_view host) const {
  if (is_any_ || host.empty()) return true;
  std::string_view name = without_port(host);
  if (name.ends_with('.')) name.remove_suffix(1);  // of the root, which is usually left out
  const HostKind kind = kind_of_host(name);
  if (kind == HostKind::kLoopback || (kind == HostKind::kAddress && is_for_others_)) return true;
  return std::ranges::any_of(
      names_, [&](const std::string& known) { return equals_ignoring_case(known, name); });
}

}  // namespace voxport
