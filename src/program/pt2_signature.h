// What the inputs and outputs of a graph of torch.export are for: some inputs are weights, some
// outputs new values of buffers. Written as lists of names in PyTorch 2.1, as one entry for each
// since.
#pragma once

#include <string>
#include <vector>

#include "program/pt2_json.h"

namespace voxport {

struct Pt2Input {
  enum class Kind : std::uint8_t {
    kUser,      // the caller hands it over
    kTensor,    // comes with the program: a parameter or a constant
    kBuffer,    // a tensor that comes with the program, and that it may change
    kConstant,  // a number, text or None that was written down when the program was exported
    kRefused,   // an object of Python's; matters where it is used
  };
  Kind kind = Kind::kUser;
  std::string name;    // in the graph; may be empty for a constant
  std::string tensor;  // kTensor, kBuffer: its name in the archive
  Json value;          // kUser, kConstant: the Argument
};

struct Pt2Output {
  Json value;        // an Argument; null where it is no result
  std::string note;  // why it is none; may be empty
};

struct Pt2Signature {
  std::vector<Pt2Input> inputs;
  std::vector<Pt2Output> outputs;
};

// Fails with kCorrupt where the signature does not fit the graph, and with kUnsupported for
// gradients.
Pt2Signature read_signature(const Json& graph_module);

// The name of the value that an Argument refers to; empty for one that is a constant.
std::string name_in(const Json& argument);

}  // namespace voxport
