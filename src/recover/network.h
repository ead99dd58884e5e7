// The network that a published voice is: the forward pass of VITS as its exporters trace it, as
// terms. Kim, Kong and Son, "Conditional Variational Autoencoder with Adversarial Learning for
// End-to-End Text-to-Speech" (2021); models.py and infer() of the original and of Piper.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "recover/computed.h"
#include "recover/names.h"
#include "recover/terms.h"

namespace voxport::recover {

struct Expected {
  Term output;
  Term durations;                    // w_ceil, which some graphs give as well
  std::set<std::string> used;        // names of weights
  std::vector<std::string> missing;  // weights that the network has and the file has not
};

// Sizes are read off the tensors, and what no shape tells from the nodes that use them; everything
// else is what the network has. Where tensors are missing, the terms mean nothing, and it may fail.
void expect_network(const Graph& graph, const Names& names, const RunSizes& sizes, Terms& terms,
                    Expected& expected);

}  // namespace voxport::recover
