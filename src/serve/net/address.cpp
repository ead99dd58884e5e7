#include "serve/net/address.h"

#include <string>

#include <boost/asio/ip/address.hpp>

#include "serve/http_message.h"

namespace voxport {
namespace {

namespace ip = boost::asio::ip;

bool is_loopback(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

}  // namespace

HostKind kind_of_host(std::string_view host) {
  if (equals_ignoring_case(host, "localhost")) return HostKind::kLoopback;
  const bool has_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  boost::system::error_code error;
  const ip::address address =
      ip::make_address(std::string(has_brackets ? host.substr(1, host.size() - 2) : host), error);
  if (error) return HostKind::kName;
  return is_loopback(address) ? HostKind::kLoopback : HostKind::kAddress;
}

std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.find(']');  // within which colons are the address's own
  return host.substr(0, host.find(':', bracket == std::string_view::npos ? 0 : bracket));
}

}  // namespace voxport
