// The steps of TextRules, carried out.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "phonemes/text_config.h"
#include "phonemes/text_rules.h"

namespace voxport {

class Romaniser;

// The text after all steps. Letters and digits that are dropped because the voice has no symbol for
// them are appended to `unknown`; punctuation that is dropped is not. The romaniser is null where
// none was named. Fails with kUnsupported where one is needed then, and as Romaniser does.
std::u32string after_steps(const std::vector<TextStep>& steps, const TextConfig& config,
                           Romaniser* romaniser, std::u32string text,
                           std::vector<std::string>& unknown);

}  // namespace voxport
