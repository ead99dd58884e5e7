// What a host is, as options and headers name it. Boost.Asio is behind it, and not seen here.
#pragma once

#include <string_view>

namespace voxport {

enum class HostKind {
  kLoopback,  // "localhost", "127.0.0.1", "[::1]": nobody else is there
  kAddress,   // "192.168.0.2", "[fd00::2]", "0.0.0.0"
  kName,      // all else
};

HostKind kind_of_host(std::string_view host);

// "example.org:5000" as "example.org", and "[::1]:5000" as "[::1]".
std::string_view without_port(std::string_view host);

}  // namespace voxport
