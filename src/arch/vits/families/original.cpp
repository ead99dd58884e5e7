#include "arch/vits/families/original.h"

#include <nlohmann/json.hpp>

#include "arch/vits/families/text.h"
#include "arch/vits/families/voice_json.h"
#include "base/fail.h"

namespace voxport::vits {
namespace {

// Names of the speakers: a list, or a dict of names and numbers.
Json speaker_ids(const Object& speakers) {
  Json ids = Json::object();
  std::int64_t number = 0;
  const bool is_list = speakers.is(Object::Kind::kList);
  for (const Entry& entry : speakers.entries()) {
    if (!is_list) {
      ids[entry.key] = json_of(entry.value);
    } else if (const auto name = entry.value.as_string()) {
      ids[std::string(*name)] = number++;
    } else {
      fail(Error::kUnsupported, "the config's 'speakers' has ", name_of(entry.value.kind),
           ", expected names");
    }
  }
  return ids;
}

}  // namespace

bool is_original(const NamedTensors& tensors) {
  return tensors.prefix_of("enc_p.emb.weight").has_value();
}

NamedTensors unchanged_names(const NamedTensors& tensors) { return tensors; }

Translation translate_original(const FamilySource& source) {
  if (!source.config_text()) return {};
  const Object config = source.config();
  const Object* const model = config.find("model");
  // Weights of Piper's trainer have these names, too, once they are out of their Lightning module.
  if (!model) return {{}, source.config_text(), {}};
  if (!model->is(Object::Kind::kDict))
    fail(Error::kUnsupported, "the config's 'model' is ", name_of(model->kind),
         ", expected a dict of sizes");
  Translation made;
  made.settings = model->entries();
  const Object* data = config.find("data");
  for (const auto& [theirs, ours] :
       {std::pair{"sampling_rate", "sample_rate"}, std::pair{"hop_length", "hop_length"},
        std::pair{"n_speakers", "num_speakers"}})
    if (const Object* value = data ? data->find(theirs) : nullptr)
      made.settings.push_back({ours, *value});

  Json voice = voice_json({.noise_scale = 0.667, .length_scale = 1, .noise_w = 0.8});
  voice.update(original_text(source));
  if (!voice.contains("phoneme_id_map"))
    made.notes.push_back(
        cat("the config has no 'symbols', and neither symbols.json nor vocab.txt is ",
            "beside the checkpoint"));
  if (const Object* speakers = config.find("speakers"))
    voice["speaker_id_map"] = speaker_ids(*speakers);
  made.voice = voice.dump();
  return made;
}

}  // namespace voxport::vits
