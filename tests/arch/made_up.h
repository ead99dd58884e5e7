// Networks of made-up weights, and graphs that are run where they are written.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "checkpoint/weights.h"
#include "graph/graph.h"
#include "onnx/write.h"
#include "passes/pipeline.h"
#include "runtime/library.h"
#include "runtime/session.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"

namespace voxport {

// Numbers around 0, the same for the same seed. The standard fixes what the engine gives, and
// leaves the distributions to the libraries.
inline std::vector<float> made_up_numbers(std::size_t count, std::uint64_t seed, double size = 1) {
  std::mt19937_64 random(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(
        static_cast<float>((static_cast<double>(random() >> 11) * 0x1p-52 - 1) * size));
  return values;
}

inline Tensor made_up_tensor(std::vector<std::int64_t> shape, std::uint64_t seed, double size = 1) {
  std::int64_t count = 1;
  for (const std::int64_t length : shape) count *= length;
  return tensor_of(std::move(shape), made_up_numbers(static_cast<std::size_t>(count), seed, size));
}

// A state dict that grows tensor by tensor.
class MadeUpWeights {
 public:
  void add(const std::string& name, Tensor tensor) {
    entries_.push_back({name, make_object(Object::Kind::kTensor,
                                          std::make_shared<const Tensor>(std::move(tensor)))});
  }
  // Weights of a size that keeps values near 1: each output is a sum over all axes but the first.
  void add_random(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::int64_t fan = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) fan *= shape[i];
    const double size = shape.size() == 1 ? 0.1 : std::sqrt(3.0 / static_cast<double>(fan));
    add(name, made_up_tensor(shape, seed_++, size));
  }

  Object dict() const { return make_object(Object::Kind::kDict, entries_); }
  const Tensor& at(const std::string& name) const {
    for (const Entry& entry : entries_)
      if (entry.key == name) return entry.value.tensor();
    throw std::out_of_range(name);
  }

 private:
  std::vector<Entry> entries_;
  std::uint64_t seed_ = 1;
};

inline Type type_of(DType dtype, Shape shape) { return {dtype, std::move(shape), {}}; }

// Skipped where ONNX Runtime is not there.
class RunsGraphs : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

// The graph as ONNX Runtime has it, which does with it what it does for everyone.
inline Session session_of(Graph& graph) {
  optimise(graph);
  return Session::from_bytes(Blob::own(onnx_bytes(graph)), graph.graph_name);
}

// How often each operator is in the graph.
inline std::map<std::string, int> ops_of(const Graph& graph) {
  std::map<std::string, int> ops;
  for (const Node& node : graph.nodes()) ++ops[node.op()];
  return ops;
}

}  // namespace voxport
