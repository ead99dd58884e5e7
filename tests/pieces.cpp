#include "tests/pieces.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "base/tensor_math.h"
#include "tests/cases.h"

namespace voxport {
namespace {

Tensor flag(bool is_set) {
  return make_tensor(DType::kBool, {1}, {}, 0,
                     storage_of(Blob::own(std::string(1, is_set ? '\1' : '\0'))));
}

// So much for the state, in as many rows as the sequence has.
Tensors first_states(const Session& graph, std::int64_t rows, float value) {
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
                   tensor_of(shape, std::vector<float>(static_cast<std::size_t>(count), value)));
  }
  return states;
}

// [b, 1]
Tensor flags(const std::vector<bool>& are_set) {
  std::string bytes;
  for (const bool is_set : are_set) bytes += is_set ? '\1' : '\0';
  const auto rows = static_cast<std::int64_t>(bytes.size());
  return make_tensor(DType::kBool, {rows, 1}, {}, 0, storage_of(Blob::own(std::move(bytes))));
}

// A sequence on its way.
struct RowStream {
  const RowSequence* row;
  std::int64_t width;
  Tensor state;
  std::vector<float>* samples;
  std::int64_t at = 0;

  std::int64_t length() const { return row->sequence.shape[2]; }
  std::int64_t end() const { return std::min(at + width, length()); }
};

// The next piece of each.
void run_batch(const Session& graph, const std::string& name,
               const std::vector<RowStream*>& streams) {
  std::map<std::string, std::vector<Tensor>> rows;
  std::vector<bool> first, last;
  for (const RowStream* stream : streams) {
    rows[name].push_back(part_of(stream->row->sequence, 2, stream->at, stream->end()));
    rows["state"].push_back(stream->state);
    for (const auto& [other, value] : stream->row->others) rows[other].push_back(value);
    first.push_back(stream->at == 0);
    last.push_back(stream->end() == stream->length());
  }
  Tensors inputs = {{"first", flags(first)}, {"last", flags(last)}};
  for (const auto& [input, values] : rows) inputs.emplace(input, joined(values, 0));
  const Tensors outputs = graph.run(inputs);
  const std::vector<std::int64_t> lengths = int64_values(outputs.at("lengths"));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const Tensor samples = part_of(outputs.at(graph.outputs()[0].name), 0, row, row + 1);
    const std::vector<float> valid = to_float32(part_of(samples, 2, 0, lengths.at(i)));
    streams[i]->samples->insert(streams[i]->samples->end(), valid.begin(), valid.end());
    streams[i]->state = part_of(outputs.at("next_state"), 0, row, row + 1);
    streams[i]->at = streams[i]->end();
  }
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
  Tensors inputs = first_states(graph, sequence.shape[0], 0);
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

std::vector<std::vector<float>> samples_of_rows(const Session& graph, const std::string& name,
                                                const std::vector<RowSequence>& sequences,
                                                std::int64_t width, std::size_t slots) {
  std::vector<std::vector<float>> samples(sequences.size());
  std::deque<RowStream> running;
  std::size_t next = 0;
  while (next < sequences.size() || !running.empty()) {
    for (; next < sequences.size() && running.size() < slots; ++next)
      running.push_back(
          {&sequences[next], width, first_states(graph, 1, NAN).at("state"), &samples[next]});
    const std::int64_t frames = running.front().end() - running.front().at;
    std::vector<RowStream*> batch;
    for (RowStream& stream : running)
      if (stream.end() - stream.at == frames) batch.push_back(&stream);
    run_batch(graph, name, batch);
    std::erase_if(running, [](const RowStream& stream) { return stream.at == stream.length(); });
  }
  return samples;
}

}  // namespace voxport
