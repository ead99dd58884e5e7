// Sizes of axes as nodes read them: Shape(x) start=1 end=3.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "graph/graph.h"

namespace voxport {

// The sizes of the axes [start, end) of x.
struct SizeRange {
  Value x;
  std::size_t start = 0, end = 0;
};

// The range that a Shape reads to make `value`; nothing of any other value.
std::optional<SizeRange> range_read(const Value& value);

// A node that reads the range, an int64 tensor of rank 1.
Value read_range(const SizeRange& range);

// The ranges that nodes of a graph read.
class KnownRanges {
 public:
  explicit KnownRanges(const Graph& graph);
  // The value that has these sizes, absent when there is none.
  Value find(const SizeRange& range) const;

 private:
  std::map<std::string, Value> values_;
};

}  // namespace voxport
