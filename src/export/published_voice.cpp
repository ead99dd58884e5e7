#include "export/published_voice.h"

#include "base/fail.h"
#include "checkpoint/safetensors.h"
#include "export/checkpoint.h"
#include "graph/model_metadata.h"
#include "onnx/read.h"
#include "recover/recover.h"

namespace voxport {
namespace {

void check_is_published(const OnnxModel& model) {
  for (const auto& [key, text] : model.metadata)
    if (key == "voxport.version")
      fail(Error::kUnsupported,
           "voxport made this graph; export the file that it was made of, or use the graph as it "
           "is");
  if (!is_published_voice(model))
    fail(
        Error::kUnsupported,
        "this ONNX model is not a voice of Piper's exporter, expected the inputs input, "
        "input_lengths and scales and the weights of a VITS; no other ONNX model is exported anew");
}

}  // namespace

bool is_onnx_file(const SavedFile& file) {
  const Bytes bytes = file.blob().bytes();
  // The length at the start of a safetensors file may look like anything.
  return recognise_onnx(bytes) && !recognise_safetensors(bytes);
}

void export_published_voice(ExportWork& work) {
  const OnnxModel model = in_context(cat("opening ", in_quotes(work.source.native())), [&] {
    return read_onnx(work.file.blob(), work.source.parent_path(), InnerTypes::kDeclared);
  });
  check_is_published(model);
  work.clock.done("read the graph", "");
  const RecoveredVoice voice = recover_voice(model);
  for (const std::string& note : voice.notes) work.report.notes.push_back(note);
  work.clock.done("recovered the weights", "");
  export_weights(work, "published voice", voice.checkpoint);
}

}  // namespace voxport
