// The files that say how a family makes ids of text. The input is their contents, parted by lines
// of a single dash: config.json, tokenizer_config.json, added_tokens.json, symbols.json, vocab.json
// and vocab.txt. Whatever is made of them has to be read again, and framed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "arch/vits/families/text.h"
#include "base/fail.h"
#include "fuzz/folder.h"
#include "fuzz/target.h"
#include "phonemes/phonemiser.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRows = 40;

void fill(std::string_view text) {
  for (const char* name : {"config.json", "tokenizer_config.json", "added_tokens.json",
                           "symbols.json", "vocab.json", "vocab.txt"}) {
    const std::size_t end = std::min(text.find("\n-\n"), text.size());
    fs::remove(folder() / name);
    if (end > 0) std::ofstream(folder() / name, std::ios::binary) << text.substr(0, end);
    text.remove_prefix(std::min(end + 3, text.size()));
  }
}

NamedTensors tensors() {
  NamedTensors::Map map;
  for (const char* name :
       {"enc_p.emb.weight", "text_encoder.embed_tokens.weight", "text_encoder.emb.weight"}) {
    Tensor tensor;
    tensor.shape = {kRows, 1};
    map.emplace(name, tensor);
  }
  return {std::move(map), [](std::string_view name) { return std::string(name); }};
}

void make_ids(const nlohmann::ordered_json& made) {
  if (made.empty()) return;
  TextConfig config = read_text_config(nlohmann::json(made));
  config.phoneme_type = "text";  // needs no other program
  for (const char* text : {"", "Hello, Wörld! <unk> 3", "_ab_"}) {
    try_to([&] { utterance_of_phonemes(config, text); });
    try_to([&] { Phonemiser{config}(text); });
  }
}

}  // namespace
}  // namespace voxport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    fill(file.text());
    for (auto* const text_of : {vits::original_text, vits::huggingface_text, vits::coqui_text})
      try_to([&] {
        const vits::FamilySource source(folder() / "weights.pth", tensors(), Object(),
                                        folder() / "config.json");
        make_ids(text_of(source));
      });
  });
}
