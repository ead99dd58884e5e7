#include "export/published_voice.h"

#include "base/fail.h"
#include "base/join.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/write_safetensors.h"
#include "export/checkpoint.h"
#include "onnx/read.h"
#include "recover/recover.h"

namespace voxport {
namespace {

void check_is_published(const OnnxModel& model) {
  if (is_by_voxport(model))
    fail(Error::kUnsupported,
         "voxport made this graph; export the file that it was made of, or use the graph as it "
         "is");
  if (!is_published_voice(model))
    fail(
        Error::kUnsupported,
        "this ONNX model is not a voice of Piper's exporter, expected the inputs input, "
        "input_lengths and scales and the weights of a VITS; no other ONNX model is exported anew");
}

// As Python writes it.
std::string literal_of(const Object& object) {
  const auto text_of = [](const Entry& entry) { return literal_of(entry.value); };
  switch (object.kind) {
    case Object::Kind::kBool: return *object.as_int() != 0 ? "True" : "False";
    case Object::Kind::kInt: return std::to_string(*object.as_int());
    case Object::Kind::kList: return cat("[", join(object.entries(), ", ", text_of), "]");
    case Object::Kind::kDict:
      return cat(
          "{",
          join(object.entries(), ", ",
               [&](const Entry& entry) { return cat("'", entry.key, "': ", text_of(entry)); }),
          "}");
    default: return cat("'", object.text(), "'");
  }
}

// Options say how a graph is to be.
void check_no_graph_options(const ExportOptions& options) {
  if (!options.target.empty() || options.noise_input || options.cut_after_flow ||
      options.batch_scales || options.plain)
    fail(Error::kUsage, "weights are written as they are, but options of graphs were given");
}

void write_weights(const RecoveredVoice& voice, ExportWork& work) {
  check_no_graph_options(work.options);
  const NamedTensors tensors(voice.weights);
  if (const auto recognised = recognise_architecture(tensors)) {
    work.report.architecture = recognised->title;
    work.report.sizes = recognised->sizes;
  }
  OutputFile& file = add_file(work.out, work);
  write_safetensors(tensors, {{kSettingsKey, literal_of(voice.hyper_parameters)}}, file);
  work.report.opset = 0;
  work.report.files.push_back({work.out, file.size(), 0});
  work.report.checks.emplace_back("comparison of the graph with the network, node by node");
  work.report.notes.emplace_back(
      "weights for inference: the posterior encoder, which only training uses, is in no published "
      "voice");
  work.clock.done("wrote the weights", "");
}

}  // namespace

bool is_onnx_file(const SavedFile& file) {
  const Bytes bytes = file.blob().bytes();
  // The length at the start of a safetensors file may look like anything.
  return recognise_onnx(bytes) && !recognise_safetensors(bytes);
}

bool is_published_file(const std::filesystem::path& path) {
  const SavedFile file = SavedFile::open(path);
  if (!is_onnx_file(file)) return false;
  const OnnxModel model = read_onnx(file.blob(), path.parent_path(), InnerTypes::kDeclared);
  return is_published_voice(model);
}

void export_published_voice(ExportWork& work) {
  const OnnxModel model = in_context(cat("opening ", in_quotes(work.source.native())), [&] {
    return read_onnx(work.file.blob(), work.source.parent_path(), InnerTypes::kDeclared);
  });
  check_is_published(model);
  work.clock.done("read the graph", cat(model.graph->nodes().size(), " nodes"));
  const RecoveredVoice voice = recover_voice(model);
  for (const std::string& note : voice.notes) work.report.notes.push_back(note);
  work.clock.done("recovered the weights", "the graph is explained, node by node");
  if (work.out.extension() == ".safetensors") return write_weights(voice, work);
  export_weights(work, "published voice", voice.checkpoint());
}

}  // namespace voxport
