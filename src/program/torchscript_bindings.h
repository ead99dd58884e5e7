// What names and attributes stand for while TorchScript's source is written out. What a block
// assigns is undone when the block is left, for whoever left it to put together.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "program/torchscript_module.h"

namespace voxport {

template <class Key, class Hash = std::hash<Key>>
class Bindings {
 public:
  // Each once, in the order in which they were first assigned.
  using Assigned = std::vector<std::pair<Key, ExprValue>>;

  // Null where there is no value; valid until the next set().
  const ExprValue* find(const Key& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }

  void set(const Key& key, ExprValue value) {
    const auto known = values_.find(key);
    if (!blocks_.empty() && blocks_.back().keys.insert(key).second) {
      std::optional<ExprValue> before;
      if (known != values_.end()) before = std::move(known->second);
      blocks_.back().changes.emplace_back(key, std::move(before));
    }
    values_.insert_or_assign(key, std::move(value));
  }

  bool is_in_block() const { return !blocks_.empty(); }
  void enter_block() { blocks_.emplace_back(); }

  // What the block has assigned, with its last values.
  Assigned leave_block() {
    const Block block = std::move(blocks_.back());
    blocks_.pop_back();
    Assigned assigned;
    for (const auto& [key, before] : block.changes) {
      assigned.emplace_back(key, std::move(values_.at(key)));
      if (before) {
        values_.insert_or_assign(key, *before);
      } else {
        values_.erase(key);
      }
    }
    return assigned;
  }

 private:
  struct Block {
    std::vector<std::pair<Key, std::optional<ExprValue>>> changes;  // what was there before
    std::unordered_set<Key, Hash> keys;
  };

  std::unordered_map<Key, ExprValue, Hash> values_;
  std::vector<Block> blocks_;
};

}  // namespace voxport
