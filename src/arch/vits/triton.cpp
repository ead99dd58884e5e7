#include "arch/vits/triton.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/fail.h"
#include "base/join.h"

namespace voxport::vits {
namespace {

constexpr int kMaxBatchSize = 8;
constexpr int kMaxSequences = 64;                          // that wait for a row, or have one
constexpr std::int64_t kMaxIdleMicroseconds = 60'000'000;  // of a sequence, between its pieces

struct Port {
  std::string name;
  Type type;
};

std::vector<Port> inputs_of(const Graph& graph) {
  std::vector<Port> ports;
  for (const Value& input : graph.inputs()) ports.push_back({input.name(), input.type()});
  return ports;
}

std::vector<Port> outputs_of(const Graph& graph) {
  std::vector<Port> ports;
  for (const auto& [name, value] : graph.outputs()) ports.push_back({name, value.type()});
  return ports;
}

// Without the named ones.
std::vector<Port> without(std::vector<Port> ports, std::span<const std::string_view> names) {
  std::erase_if(
      ports, [&](const Port& port) { return std::ranges::find(names, port.name) != names.end(); });
  return ports;
}

const Port& named(const std::vector<Port>& ports, std::string_view name) {
  const auto found = std::ranges::find(ports, name, &Port::name);
  if (found == ports.end()) fail(Error::kInternal, "a graph for Triton has no ", in_quotes(name));
  return *found;
}

std::string_view data_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return "TYPE_FP32";
    case DType::kInt64: return "TYPE_INT64";
    case DType::kBool: return "TYPE_BOOL";
    default: fail(Error::kInternal, "graphs of voices have no ", name_of(dtype));
  }
}

// The axes behind the batch; of those that are dynamic, -1. Triton knows no tensor without any.
std::string dims(const Port& port) {
  const std::span<const Dim> axes = std::span(*port.type.shape).subspan(1);
  if (axes.empty()) return "[ 1 ]";
  return cat("[ ",
             join(axes, ", ", [](const Dim& dim) { return cat(dim.constant().value_or(-1)); }),
             " ]");
}

std::string port_text(const Port& port) {
  const bool is_scalar = port.type.shape->size() == 1;
  return cat("  {\n    name: \"", port.name, "\"\n    data_type: ", data_type(port.type.dtype),
             "\n    dims: ", dims(port), "\n", is_scalar ? "    reshape: { shape: [ ] }\n" : "",
             "  }");
}

std::string list(const char* field, const std::vector<Port>& ports) {
  return cat(field, " [\n", join(ports, ",\n", port_text), "\n]\n");
}

std::string head(const std::string& name) {
  return cat("name: \"", name, "\"\nbackend: \"onnxruntime\"\nmax_batch_size: ", kMaxBatchSize,
             "\n");
}

std::string control(const Port& flag, const char* kind) {
  return cat("    {\n      name: \"", flag.name, "\"\n      control [\n        { kind: ", kind,
             " bool_false_true: [ false, true ] }\n      ]\n    }");
}

std::string state_text(const Port& state, const Port& next) {
  const std::string type = cat("data_type: ", data_type(state.type.dtype), "\n");
  return cat("    {\n      input_name: \"", state.name, "\"\n      output_name: \"", next.name,
             "\"\n      ", type, "      dims: ", dims(state),
             "\n      initial_state: {\n        name: \"zeros\"\n        ", type,
             "        dims: ", dims(state), "\n        zero_data: true\n      }\n    }");
}

// "| `z` | FP32 | [-1, 192, -1] |", as clients see it.
std::string row_of(const Port& port) {
  return cat("| `", port.name, "` | ", data_type(port.type.dtype).substr(5), " | [-1, ",
             dims(port).substr(2), " |\n");
}

std::string table(const std::vector<Port>& ports) {
  std::string text = "| name | type | shape |\n| --- | --- | --- |\n";
  for (const Port& port : ports) text += row_of(port);
  return text;
}

constexpr std::string_view kControls[] = {"first", "last", "state"};
constexpr std::string_view kNextState[] = {"next_state"};

constexpr std::string_view kIntroduction = R"(# A voice for Triton

This folder is a model repository of Triton Inference Server, written by voxport:

    tritonserver --model-repository=THIS_FOLDER

| model | what it does |
| --- | --- |
| `{name}_encoder` | phoneme ids to the latent sequence of an utterance; requests are batched |
| `{name}_decoder` | a piece of a latent sequence to its samples; a sequence of requests per utterance, whose state Triton keeps; pieces of different utterances are batched |

`voice.json` says how text becomes ids. Samples are float32, {rate} a second, {hop} for each frame of `z`.

)";

constexpr std::string_view kEncoder = R"(
- `scales`: noise, length and noise_w; the voice's own are under `inference` in `voice.json`.
- `input` may be padded with zeros behind its `input_lengths` ids, which changes nothing. Triton puts requests into a
  batch whose inputs have equal shapes: pad to a few lengths, such as multiples of 32.
- In a batch, `z` is as long as the longest row. The first `y_mask.sum()` frames of a row are its own.

)";

constexpr std::string_view kDecoder = R"(
Triton fills in `first`, `last` and `state`, and keeps `next_state`. A client gives each utterance a `sequence_id` of its
own, cuts the frames of `z` into pieces of any sizes, sends them in order, with `sequence_start` on the first and
`sequence_end` on the last one (both, if there is only one), and appends the first `lengths` samples of each answer: they
are what the utterance would have given at once.

- The network looks ahead, so that samples come up to {ahead} frames late: the first pieces give fewer, or none, and the
  last one gives the rest.
- Pieces of equally many frames are batched: cut all utterances alike. A batch in which a row ends takes as long as one
  of {ahead} frames more.
- A sequence that has no request for a minute is forgotten (`max_sequence_idle_microseconds`).

## A client

)";

constexpr std::string_view kClient = R"(```python
import itertools
import numpy as np
import tritonclient.grpc as grpc
from tritonclient.utils import np_to_triton_dtype

client = grpc.InferenceServerClient("localhost:8001")
sequence_ids = itertools.count(1)

def call(model, arrays, **sequence):
    inputs = []
    for name, array in arrays.items():
        tensor = grpc.InferInput(name, array.shape, np_to_triton_dtype(array.dtype))
        tensor.set_data_from_numpy(np.ascontiguousarray(array))
        inputs.append(tensor)
    return client.infer(model, inputs, **sequence)

def speak(ids{arguments}, frames_of_piece=45):
    """Yields the samples of an utterance, piece by piece."""
    padded = np.zeros((1, -len(ids) // 32 * -32), np.int64)
    padded[0, :len(ids)] = ids
    latent = call("{name}_encoder", {
        "input": padded,
        "input_lengths": np.array([[len(ids)]], np.int64),
        "scales": np.array([[0.667, 1.0, 0.8]], np.float32),
{encoder_inputs}    })
    z = latent.as_numpy("z")
    frames = int(latent.as_numpy("y_mask").sum())
    sequence_id = next(sequence_ids)
    for start in range(0, frames, frames_of_piece):
        end = min(start + frames_of_piece, frames)
        answer = call("{name}_decoder", {
            "z": z[:, :, start:end],
{decoder_inputs}        }, sequence_id=sequence_id, sequence_start=start == 0, sequence_end=end == frames)
        yield answer.as_numpy("output")[0, 0, :answer.as_numpy("lengths")[0, 0]]
```

The graphs are laid out for ONNX Runtime on a CPU; for GPUs export with `--plain`. `max_batch_size` and the settings of
the schedulers may be changed in the files `config.pbtxt`; names, types and sizes are those of the graphs.
)";

// Inputs that not all voices have, and how the client of the README makes them.
struct OptionalInput {
  std::string_view name;
  std::string_view argument;
  std::string_view value;
};
constexpr OptionalInput kOptionalInputs[] = {
    {"sid", "speaker", "np.array([[speaker]], np.int64)"},
    {"langid", "language", "np.array([[language]], np.int64)"},
    {"d_vector", "d_vector", "d_vector[None].astype(np.float32)"},
    {"noise_w", "noise_w", "noise_w"},
    {"noise", "noise", "noise"},
};

bool has_input(const Graph& graph, std::string_view name) {
  return std::ranges::any_of(graph.inputs(),
                             [&](const Value& input) { return input.name() == name; });
}

std::string filled_in(std::string_view text,
                      const std::vector<std::pair<std::string_view, std::string>>& words) {
  std::string filled(text);
  for (const auto& [word, value] : words)
    for (std::size_t at = 0; (at = filled.find(word, at)) != std::string::npos; at += value.size())
      filled.replace(at, word.size(), value);
  return filled;
}

}  // namespace

std::string triton_batching_config(const std::string& name, const Graph& graph) {
  return cat(head(name), list("input", inputs_of(graph)), list("output", outputs_of(graph)),
             "dynamic_batching { }\n");
}

std::string triton_sequence_config(const std::string& name, const Graph& graph) {
  const std::vector<Port> inputs = inputs_of(graph);
  const std::vector<Port> outputs = outputs_of(graph);
  return cat(head(name), list("input", without(inputs, kControls)),
             list("output", without(outputs, kNextState)),
             "sequence_batching {\n  max_sequence_idle_microseconds: ", kMaxIdleMicroseconds,
             "\n  control_input [\n", control(named(inputs, "first"), "CONTROL_SEQUENCE_START"),
             ",\n", control(named(inputs, "last"), "CONTROL_SEQUENCE_END"), "\n  ]\n  state [\n",
             state_text(named(inputs, "state"), named(outputs, "next_state")),
             "\n  ]\n  oldest { max_candidate_sequences: ", kMaxSequences, " }\n}\n");
}

std::string triton_readme(const TritonVoice& voice) {
  std::string arguments, encoder_inputs;
  for (const OptionalInput& input : kOptionalInputs) {
    if (!has_input(voice.encoder, input.name)) continue;
    arguments += cat(", ", input.argument);
    encoder_inputs += cat("        \"", input.name, "\": ", input.value, ",\n");
  }
  const std::string decoder_inputs =
      has_input(voice.decoder, "g") ? "            \"g\": latent.as_numpy(\"g\"),\n" : "";
  const std::string text =
      cat(kIntroduction, "## {name}_encoder\n\n", table(inputs_of(voice.encoder)), "\n",
          table(outputs_of(voice.encoder)), kEncoder, "## {name}_decoder\n\n",
          table(without(inputs_of(voice.decoder), kControls)), "\n",
          table(without(outputs_of(voice.decoder), kNextState)), kDecoder, kClient);
  return filled_in(text, {{"{name}", voice.name},
                          {"{rate}", cat(voice.sample_rate)},
                          {"{hop}", cat(voice.hop_length)},
                          {"{ahead}", cat(voice.frames_ahead)},
                          {"{arguments}", arguments},
                          {"{encoder_inputs}", encoder_inputs},
                          {"{decoder_inputs}", decoder_inputs}});
}

std::string triton_name(std::string_view name) {
  std::string allowed(name);
  for (char& c : allowed)
    if (!is_name_part(c) && c != '.' && c != '-') c = '_';
  return allowed;
}

}  // namespace voxport::vits
