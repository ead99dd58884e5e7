// Stages: how long work tells how far it is.
#pragma once

#include <functional>
#include <string>

namespace voxport {

struct Stage {
  std::string name;    // "read the checkpoint"
  std::string detail;  // "673 tensors, 28.3 MB"
  double seconds = 0;
};

// Called after each stage, on the thread that does the work.
using OnStage = std::function<void(const Stage&)>;

// Called now and then during long work, with the part of it that is done, from 0 to 1.
using OnProgress = std::function<void(double)>;

}  // namespace voxport
