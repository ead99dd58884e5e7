// The state of a TorchScript module: attributes that its methods assign (`self.h = e`). Which they
// are is known only when all calls are written out, so a method is written out until a run finds no
// more: its first read of such an attribute is an input of the program.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "checkpoint/object.h"
#include "program/torchscript_syntax.h"

namespace voxport {

// An attribute of a pickled object.
struct StoredAttribute {
  const Object* object = nullptr;
  std::string path;  // of the object
  std::string_view name;

  bool operator<(const StoredAttribute& other) const {
    return std::tie(object, name) < std::tie(other.object, other.name);
  }
};

// A loop, and the object whose method it is in.
using LoopOfObject = std::pair<const Statement*, const Object*>;

// Each once, in the order in which they were found.
class StoredAttributes {
 public:
  bool contains(const StoredAttribute& attribute) const { return known_.contains(attribute); }
  // Whether it is new.
  bool add(const StoredAttribute& attribute) {
    if (!known_.insert(attribute).second) return false;
    in_order_.push_back(attribute);
    return true;
  }
  const std::vector<StoredAttribute>& in_order() const { return in_order_; }

 private:
  std::set<StoredAttribute> known_;
  std::vector<StoredAttribute> in_order_;
};

struct ModuleState {
  StoredAttributes stored;
  std::map<LoopOfObject, StoredAttributes> in_loops;  // those that its body assigns
};

}  // namespace voxport
