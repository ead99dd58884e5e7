// A voice's folder of any bytes: what is read of it without ONNX Runtime. The first line of the
// input tells which files there are, one letter each (those that are named twice are folders); the
// rest is the content of voice.json. The same bytes are taken for a graph's metadata, for the
// encoder, and for phonemes that the voice is given.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "fuzz/folder.h"
#include "fuzz/target.h"
#include "graph/model_metadata.h"
#include "onnx/noise_copy.h"
#include "phonemes/arpabet.h"
#include "phonemes/phonemiser.h"
#include "phonemes/unicode.h"
#include "voice/config.h"
#include "voice/folder.h"
#include "voice/kind.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

// The folder is emptied first.
void fill(std::string_view letters, std::string_view content) {
  constexpr std::pair<char, const char*> kFiles[] = {
      {'e', "encoder.onnx"},   {'d', "decoder.onnx"}, {'s', "decoder_stream.onnx"},
      {'a', "acoustic.onnx"},  {'v', "vocoder.onnx"}, {'w', "vocoder_stream.onnx"},
      {'j', "voice.json"},     {'c', "config.json"},  {'g', "whole.onnx"},
      {'p', "whole.onnx.json"}};
  for (const auto& entry : fs::directory_iterator(folder())) fs::remove_all(entry.path());
  for (const auto& [letter, name] : kFiles) {
    const auto count = std::count(letters.begin(), letters.end(), letter);
    if (count > 1) fs::create_directory(folder() / name);
    if (count == 1) std::ofstream(folder() / name, std::ios::binary) << content;
  }
}

void read_voice(const VoiceFiles& files, std::string_view content) {
  const VoiceConfig config = read_voice_config(files.config, *files.kind);
  TextConfig text = config.text;
  const std::string_view said = content.substr(0, 400);
  try_to([&] { utterance_of_phonemes(text, said); });
  if (is_in_braces(text)) {
    if (!find_broken_utf8(said)) try_to([&] { arpabet_of(decompose(said)); });
    return;
  }
  text.phoneme_type = "text";  // needs no other program
  try_to([&] { Phonemiser{text}(said); });
}

void read_metadata(std::string_view content) {
  std::map<std::string, std::string> metadata;
  for (const char* key : {"axes", "receptive_field", "hop_length", "padding"})
    metadata[std::string("voxport.") + key] = content;
  ModelMetadata::read(metadata);
}

}  // namespace
}  // namespace voxport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    const std::string_view text = file.text();
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = text.substr(std::min(end + 1, text.size()));
    fill(text.substr(0, end), content);
    read_metadata(content);
    try_to([&] { noise_copy(as_bytes(content)); });
    try_to([&] { read_voice(files_of_graph(folder() / "whole.onnx", {}), content); });
    read_voice(files_in_folder(folder()), content);
  });
}
