// What the tensors of a published graph are called in the network's own names. Exporters keep most
// names; others follow from where a tensor is used.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"
#include "graph/graph.h"

namespace voxport::recover {

// Of a convolution, by the path of its weight ("dec.ups.0").
struct ConvSettings {
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
};

class Names {
 public:
  // Fails with kUnsupported where a name would have two tensors.
  explicit Names(const Graph& graph);

  // The name of a constant; nothing where it is no weight (a number that a node takes).
  std::optional<std::string> of(const Value& constant) const;
  // The tensor of that name, or null.
  const Value* find(std::string_view name) const;
  ConvSettings conv(const std::string& path) const;
  // How many of start0., start1., ... have a tensor below them.
  std::int64_t count(std::string_view start) const;
  bool has_any(std::string_view start) const;

  const std::map<std::string, Value, std::less<>>& all() const { return by_name_; }

 private:
  void keep(const std::string& name, const Value& constant);
  void name_by_itself(const Value& constant);
  void name_embedding(const Node& node);
  void name_by_bias(const Node& node);
  void name_scale(const Node& node);
  std::string own_name(const Value& constant) const;

  std::string prefix_;  // "model_g."
  std::map<std::string, Value, std::less<>> by_name_;
  std::map<std::string, std::string> names_;      // canonical, by the graph's
  std::map<std::string, ConvSettings> settings_;  // by path
};

// The affine flow of the stochastic duration predictor multiplies by exp(-logs), of which some
// exporters keep -logs or all of it. Such a tensor has one of these names.
inline constexpr const char* kLogs = "dp.flows.0.logs";
inline constexpr const char* kNegatedLogs = "-dp.flows.0.logs";
inline constexpr const char* kScale = "exp(-dp.flows.0.logs)";

// Whether a name is that of a tensor of the network.
bool is_name_of_weight(std::string_view name);

}  // namespace voxport::recover
