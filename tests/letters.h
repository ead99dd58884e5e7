// The config of a small voice whose phonemes are letters, so that it needs no espeak-ng.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace voxport {

inline std::string config_of_letters() {
  nlohmann::json ids = {{"_", {0}}, {"^", {1}}, {"$", {2}}, {" ", {3}}, {".", {4}}};
  for (char letter = 'a'; letter <= 'z'; ++letter)
    ids[std::string(1, letter)] = {10 + letter - 'a'};
  return nlohmann::json{{"audio", {{"sample_rate", 22050}}},
                        {"language", {{"code", "en_US"}}},
                        {"phoneme_type", "text"},
                        {"phoneme_id_map", ids},
                        {"num_symbols", 48}}
      .dump();
}

}  // namespace voxport
