// Each family's way from text to ids: its files are read, written down for voice.json, and that is
// read as the program reads it. tests/data/families has what the authors' own code made.
#include "arch/vits/families/text.h"

#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "arch/vits/families/symbol_table.h"
#include "base/fail.h"
#include "phonemes/phonemiser.h"
#include "tests/arch/made_up.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::vits::text_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Ids = std::vector<std::int64_t>;

// A family: what it calls the embedding, and who reads its text.
struct TextOfFamily {
  const char* embedding;
  Json (*read)(const FamilySource& source);
};
constexpr TextOfFamily kOriginal{"enc_p.emb.weight", original_text};
constexpr TextOfFamily kHuggingFace{"text_encoder.embed_tokens.weight", huggingface_text};
constexpr TextOfFamily kCoqui{"text_encoder.emb.weight", coqui_text};

// The voice's config of the files in a folder, whose network has so many ids.
Json text_of(const TextOfFamily& family, const fs::path& folder, std::int64_t rows) {
  NamedTensors::Map tensors;
  tensors.emplace(family.embedding, made_up_tensor({rows, 1}, 1));
  const NamedTensors named(std::move(tensors),
                           [](std::string_view name) { return std::string(name); });
  const fs::path config = folder / "config.json";
  return family.read(FamilySource(folder / "weights.pth", named, Object(),
                                  fs::exists(config) ? std::optional(config) : std::nullopt));
}

struct Recorded {
  const char* folder;
  const TextOfFamily& family;
  std::int64_t rows;
};
constexpr Recorded kRecorded[] = {
    {"coqui/d-vectors", kCoqui, 35},
    {"coqui/single", kCoqui, 101},
    {"coqui/speakers-languages", kCoqui, 47},
    {"hf/mms", kHuggingFace, 38},
    {"hf/mms-parametrized", kHuggingFace, 38},
    {"hf/plain-durations", kHuggingFace, 39},
    {"hf/vctk", kHuggingFace, 178},
    {"mb-istft/mb", kOriginal, 178},
    {"vits/inflect", kOriginal, 178},
    {"vits/mms", kOriginal, 39},
    {"vits/single", kOriginal, 178},
    {"vits/speakers", kOriginal, 43},
};

Json recorded_ids(const std::string& folder) {
  std::ifstream file(data_folder() / "families" / (folder + ".ids.json"));
  return Json::parse(file);
}

// As `voxport speak --print-ids --whole` has it.
Ids ids_of(const TextConfig& config, const Json& given) {
  std::vector<Utterance> utterances;
  if (given.contains("text")) {
    EXPECT_EQ(config.phoneme_type, "text");
    utterances = Phonemiser(config)(given["text"].get<std::string>());
  } else {
    std::vector<std::string> dropped;
    auto utterance = utterance_of_phonemes(config, given["phonemes"].get<std::string>(), &dropped);
    if (utterance) utterances.push_back(std::move(*utterance));
  }
  EXPECT_LE(utterances.size(), 1);
  return utterances.empty() ? ids_of_nothing(config) : utterances[0].ids;
}

TEST(FamilyText, GivesTheIdsOfTheAuthorsCode) {
  std::size_t count = 0;
  for (const auto& [folder, family, rows] : kRecorded) {
    const Json voice = text_of(family, data_folder() / "families" / folder, rows);
    const TextConfig config = read_text_config(nlohmann::json::parse(voice.dump()));
    const Json file = recorded_ids(folder);
    for (const Json& given : file.is_array() ? file : file["cases"]) {
      if (given.contains("error")) continue;
      ++count;
      EXPECT_EQ(ids_of(config, given), given["ids"].get<Ids>()) << folder << ": " << given;
    }
  }
  EXPECT_EQ(count, 105);
}

}  // namespace
}  // namespace voxport::vits::text_test
