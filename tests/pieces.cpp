#include "tests/pieces.h"

#include <algorithm>

#include "base/tensor_math.h"
#include "tests/cases.h"

namespace voxport {
namespace {

Tensor flag(bool is_set) {
  return make_tensor(DType::kBool, {1}, {}, 0,
                     storage_of(Blob::own(std::string(1, is_set ? '\1' : '\0'))));
}

// Zeros for the state, in as many rows as the sequence has.
Tensors first_states(const Session& graph, std::int64_t rows) {
  Tensors states;
  for (const PortInfo& input : graph.inputs()) {
    if (!input.name.starts_with("state")) continue;
    std::vector<std::int64_t> shape;
    std::int64_t count = 1;
    for (const AxisInfo& axis : input.axes) {
      shape.push_back(axis.size.value_or(rows));
      count *= shape.back();
    }
    states.emplace(input.name,
                   tensor_of(shape, std::vector<float>(static_cast<std::size_t>(count), 0.0F)));
  }
  return states;
}

// [b, c, t] each, of one channel or more.
Tensor joined(const std::vector<Tensor>& pieces) {
  std::vector<float> all;
  std::int64_t width = 0;
  for (const Tensor& piece : pieces) width += piece.shape[2];
  const std::int64_t channels = pieces[0].shape[1];
  for (std::int64_t row = 0; row < pieces[0].shape[0]; ++row) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (const Tensor& piece : pieces) {
        const std::vector<float> samples =
            to_float32(part_of(part_of(piece, 0, row, row + 1), 1, c, c + 1));
        all.insert(all.end(), samples.begin(), samples.end());
      }
    }
  }
  return tensor_of({pieces[0].shape[0], channels, width}, all);
}

}  // namespace

Tensor output_in_pieces(const Session& graph, const std::string& name, const Tensor& sequence,
                        const std::vector<std::int64_t>& widths, const Tensors& others) {
  Tensors inputs = first_states(graph, sequence.shape[0]);
  inputs.insert(others.begin(), others.end());
  const std::int64_t length = sequence.shape[2];
  const std::string& samples = graph.outputs()[0].name;
  std::vector<Tensor> pieces;
  std::int64_t at = 0;
  for (std::size_t i = 0; at < length; ++i) {
    const std::int64_t end = std::min(i < widths.size() ? at + widths[i] : length, length);
    inputs[name] = part_of(sequence, 2, at, end);
    inputs["first"] = flag(at == 0);
    inputs["last"] = flag(end == length);
    Tensors outputs = graph.run(inputs);
    pieces.push_back(outputs.at(samples));
    outputs.erase(samples);
    for (auto& [next, state] : outputs) inputs[next.substr(5)] = state;  // "next_"
    at = end;
  }
  return joined(pieces);
}

}  // namespace voxport
