// AllowedHosts: the names by which browsers may call the server.
//
// A stranger's page can give its own name the address of its visitor's machine (DNS rebinding). To
// the browser the server is then a part of that page, which may use it. What the page cannot change
// is the header Host, which has the name that it was loaded by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace voxport {

class AllowedHosts {
 public:
  // `listens_at` is ADDRESS:PORT. Where that is an address that others reach, too, any name is
  // allowed unless there are `names`. Fails with kUsage where one of those cannot be a name.
  AllowedHosts(std::string_view listens_at, std::vector<std::string> names);

  // `host` is what the header has: with a port or without, or nothing, as of old clients, which are
  // no browsers. The machine itself may be called by any of its loopback addresses, and a server
  // that others reach by any address: such a name cannot be given to another machine.
  bool allow(std::string_view host) const;

 private:
  std::vector<std::string> names_;
  bool is_for_others_;  // others reach the address that is listened at
  bool is_any_;
};

}  // namespace voxport
