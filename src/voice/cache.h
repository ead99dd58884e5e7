// The cache of voices that were exported in order to speak: ~/.cache/voxport.
//
// An entry is a folder, named after the hashes of what it was made of and the version that made it,
// so that a checkpoint that changes is exported anew, and versions leave one another's alone:
//
//   encoder.onnx  decoder.onnx  decoder_stream.onnx  voice.json
//   SHA256SUMS                        their hashes, as sha256sum prints them; written last
//
// An entry counts when SHA256SUMS is what the files are, which is looked at whenever it is opened;
// else it is made anew. Several processes may do so at once: the same checkpoint gives the same
// bytes, and each name has a whole file at every moment. Nothing is taken from a folder that
// another user could have filled.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <voxport/speak.h>

#include "voice/folder.h"

namespace voxport {

// What makes a voice of a checkpoint. It is handed in, so that those who speak need not know how to
// export.
struct CheckpointExporter {
  // The checkpoint in a folder, if there is one.
  std::function<std::optional<std::filesystem::path>(const std::filesystem::path& folder)> find;
  // Files beside the checkpoint that may be part of the voice.
  std::function<std::vector<std::filesystem::path>(const std::filesystem::path& checkpoint)> beside;
  // Fails with kUnsupported when the checkpoint is half a voice. What is none at all, write()
  // refuses.
  std::function<void(const std::filesystem::path& checkpoint)> check;
  // Writes the voice's files to the folder; of the options, `config` and `on_stage` count.
  std::function<void(const std::filesystem::path& checkpoint, const std::filesystem::path& folder,
                     const VoiceOptions& options)>
      write;
  // Whether a graph is a published voice, which can be exported as its checkpoint can.
  std::function<bool(const std::filesystem::path& graph)> is_published;
};

// The files of a checkpoint's entry, which is made where there is none. Fails with kUnwritable when
// it can neither be used nor made, and when the cache cannot be trusted; with kUnsupported when the
// checkpoint is not a whole voice; and as the exporter does.
VoiceFiles files_of_checkpoint(const std::filesystem::path& checkpoint, const VoiceOptions& options,
                               const CheckpointExporter& exporter);

}  // namespace voxport
