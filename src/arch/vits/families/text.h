// How each family makes ids of text, written down for voice.json: `phoneme_type`, `espeak`,
// `language`, `phoneme_id_map` and the rules "text", which docs/voices.md describes. What a
// family's code does is followed step by step, as far as strings go: numbers are not put into
// words.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "arch/vits/family.h"

namespace voxport::vits {

// The parts of the voice's config that are about text; empty where the files name no symbols, so
// that the voice takes ids alone. All fail with kUnsupported, telling all that is wrong with the
// symbols at once: ids that are missing, there twice or beyond the embedding, no symbols at all.

// The original trainer: `symbols` of the config, or beside it symbols.json or vocab.txt (MMS as
// fairseq published it), or the 178 symbols that are in its code; and what `text_cleaners` say.
nlohmann::ordered_json original_text(const FamilySource& source);

// transformers: vocab.json, tokenizer_config.json and added_tokens.json, as VitsTokenizer and the
// class below it read them.
nlohmann::ordered_json huggingface_text(const FamilySource& source);

// Coqui: `characters` of the config and its class, as TTSTokenizer reads them.
nlohmann::ordered_json coqui_text(const FamilySource& source);

}  // namespace voxport::vits
