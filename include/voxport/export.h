// Export: a trained model becomes ONNX.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <voxport/stage.h>

namespace voxport {

// FastSpeech2: what becomes of durations that a control multiplies.
enum class DurationControl {
  kBest,       // kRounded in a folder that speaks (with a vocoder), else kTruncated
  kTruncated,  // rounded, multiplied and cut to whole frames, as in the reference implementation
  kRounded,    // multiplied, then rounded; a token that lasts keeps one frame at least
};

struct ExportOptions {
  // What network it is: "vits", "fastspeech2", "hifigan"; empty to tell by the tensors. What the
  // tensors are clearly not fails with kUsage.
  std::string architecture;
  // Configurations that belong to the checkpoint. For a VITS: Piper's voice config, in JSON.
  // Without one, NAME.json beside the checkpoint is taken if it exists. For a FastSpeech2:
  // model.yaml and preprocess.yaml, in any order. For a HiFi-GAN: its config.json. Without any,
  // files of these names beside the checkpoint, or NAME.model.yaml and so on; where there are both,
  // that is kUsage.
  std::vector<std::filesystem::path> configs;
  // Hyper-parameters by name, in place of the checkpoint's own or the configs', or where there are
  // none: {"upsample_rates", "(8, 8, 4)"}, {"transformer.encoder_head", "2"}. Numbers, text, tuples
  // and lists, as Python writes them.
  std::vector<std::pair<std::string, std::string>> hyper_parameters;

  int opset = 17;  // 13 to 21
  // No rewrites that only serve ONNX Runtime's CPU kernels.
  bool plain = false;
  // In a folder: weights that several graphs have, as a decoder and its stateful form, lie in one
  // file beside them, GRAPH-HASH.data. Such a graph is of use only beside it. Not for a target.
  bool share_weights = false;
  // What another program requires: "sherpa" (sherpa-onnx: metadata and a file beside one graph),
  // "web" (onnxruntime-web: a folder with a page and its module, without decoder.onnx; noise comes
  // in as inputs), or "triton" (Triton Inference Server: a model repository in a folder); or "".
  std::string target;

  // Whether the graphs are run at a few sizes before their files take their names. Where ONNX
  // Runtime is missing that cannot be done, and a note says so.
  bool check = true;

  // VITS
  bool noise_input = false;     // noise comes in as inputs, else the graph draws it
  bool cut_after_flow = false;  // the flow belongs to the encoder, else to the decoder
  bool batch_scales = false;    // scales are [batch_size, 3], else [3]
  // Of a voice whose speakers are vectors (Coqui's d-vectors): the vector is an input, d_vector,
  // also where a file beside the checkpoint has the speakers.
  bool d_vector_input = false;

  // FastSpeech2
  bool own_energy_control = false;  // energy has a control of its own, else that of pitch
  bool silent_padding = false;      // a row of a batch is the same row alone, else as trained
  DurationControl duration_control = DurationControl::kBest;
  std::filesystem::path vocoder;  // the HiFi-GAN behind it, for a folder that speaks; or empty
  std::vector<std::filesystem::path> vocoder_configs;  // its config.json; empty: as above

  // Programs: torch.export archives (.pt2) and TorchScript
  // What the inputs are, in order: "x:f32[batch_size,sequence_length,10]". Element types are f32
  // f16 bf16 f64 i64 i32 i16 i8 u8 bool; sizes are numbers, names, or expressions of names. A name
  // stands for the same size wherever it is. Where the program tells a size, a name may open it
  // again, if nothing in the program depends on the number.
  std::vector<std::string> inputs;
  // Names for single axes of inputs: "x:0=batch_size,1=sequence_length".
  std::vector<std::string> dynamic;
  std::vector<std::string> input_names;   // in order, in place of the program's
  std::vector<std::string> output_names;  // in order
  std::string model;                      // which of several in one .pt2
  // Where an operator fixes an axis that the caller named or the file declares dynamic: warn, and
  // write the number, also where only running the graph shows that it is fixed. Else that is
  // kNotDynamic.
  bool allow_fixed = false;
  std::string method;  // of a TorchScript module; empty for forward

  OnStage on_stage;
  OnProgress on_progress;
};

struct ExportedFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::size_t nodes = 0;  // of a graph; 0 for other files
};

// An axis of a program's inputs that has a name: given by the caller, or by the file.
struct ExportedAxis {
  std::string name;
  // Where the program fixes it: the number, and the operator with its place.
  std::optional<std::int64_t> fixed_at;
  std::string fixed_by;

  // What running the graph showed, see CheckAxis: empty where it was not run, or is fixed.
  std::string verdict = {};              // "dynamic", "dynamic, at least 17", "limited to 1..32"
  std::string needed_by = {};            // the node that needs a least size, or multiples
  std::vector<std::int64_t> sizes = {};  // at which the graph ran, and gave what it declares
  std::optional<std::int64_t> low = {}, high = {};
  std::int64_t multiple = 1;
  std::string file = {};  // of a checkpoint, which becomes several graphs: the name of the graph's
};

struct ExportReport {
  std::string architecture;  // "VITS (Piper)"
  std::string sizes;         // "256 symbols, 96 channels, ..."
  int opset = 0;             // 0 where no graph was written
  // Of a program: "x: float32[batch_size, 10]".
  std::vector<std::string> inputs, outputs;
  std::vector<ExportedAxis> axes;  // of inputs: those that stayed dynamic and those that did not
  std::vector<ExportedFile> files;
  std::vector<std::string> checks;    // what was proved before the files took their names
  std::vector<std::string> notes;     // what was decided for the caller
  std::vector<std::string> warnings;  // what may be wrong with the model itself
};

// The networks that are known by name, as ExportOptions::architecture takes them.
std::vector<std::string> architecture_names();

// Writes the model in `checkpoint` to `out`: to one graph when that ends in .onnx, else to a folder
// of graphs. A voice that was published as one ONNX graph is taken as the checkpoint that it was
// made of; its weights are written as they are where `out` ends in .safetensors. All files appear
// together when all of them are complete and checked, in place of those that were there. When
// anything fails, nothing is changed; nor when the process is killed, up to the instant in which
// the files get their names: SIGKILL in that instant may leave some of them in place, and hidden
// files beside them, while SIGINT, SIGTERM and SIGHUP wait until it is over. Files that would take
// the place of the checkpoint or its config fail with kUsage, and so does an empty `out`. The same
// checkpoint and options give the same bytes.
ExportReport export_model(const std::filesystem::path& checkpoint, const std::filesystem::path& out,
                          const ExportOptions& options = {});

std::string to_json(const ExportReport& report);

}  // namespace voxport
