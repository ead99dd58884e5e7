// Families: the ways in which trainers save a VITS. The network is the same, but its tensors, its
// config and its text have other names. One row each in family.cpp, one file each in families/,
// which translates what it finds into the names of the original trainer and the config of Piper's
// voices.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "checkpoint/named_tensors.h"
#include "checkpoint/object.h"

namespace voxport::vits {

// What a trainer left of a voice: the checkpoint, its config, and whatever lies beside them.
class FamilySource {
 public:
  // `config` is the config file, where there is one.
  FamilySource(std::filesystem::path checkpoint, NamedTensors tensors, Object root,
               std::optional<std::filesystem::path> config, bool wants_d_vector = false);

  const NamedTensors& tensors() const { return tensors_; }  // under the family's names
  const Object& root() const { return root_; }              // of the whole checkpoint
  // Whether the speaker is to be a vector that is given, even where a file beside the checkpoint
  // has all speakers.
  bool wants_d_vector() const { return wants_d_vector_; }
  // The text of the config file; nothing where there is none.
  const std::optional<std::string>& config_text() const { return config_text_; }
  // What it holds, as read_config_file() does. Without one, the copy of it that some trainers keep
  // in the checkpoint as `config`; else an empty dict.
  Object config() const;

  // The file of that name beside the checkpoint, if there is one.
  std::optional<std::filesystem::path> find(std::string_view name) const;
  // The same, which counts it as read.
  std::optional<std::filesystem::path> take(std::string_view name) const;
  // What it holds, as read_config_file() does. Nothing where there is none.
  std::optional<Object> read_config(std::string_view name) const;
  // Its text.
  std::optional<std::string> read_text(std::string_view name) const;
  // The files that were read so far, the config first.
  const std::vector<std::filesystem::path>& files_read() const { return files_read_; }

 private:
  std::filesystem::path checkpoint_;
  NamedTensors tensors_;
  Object root_;
  std::optional<std::string> config_text_;
  bool wants_d_vector_;
  mutable std::vector<std::filesystem::path> files_read_;
};

// The same voice, as Piper's trainer would have saved it.
struct Translation {
  // By the names of hyper_parameter_names(); what is given by hand goes before them.
  std::vector<Entry> settings;
  // Piper's NAME.onnx.json, as far as it is known; nothing where nothing is.
  std::optional<std::string> voice;
  std::vector<std::string> notes;
  // Those that the checkpoint itself does not hold, under our names.
  NamedTensors::Map tensors = {};
};

struct Family {
  std::string_view title;  // "VITS (Hugging Face)"
  // What its config is called, unless it is named after the checkpoint; or empty.
  std::string_view config_name;
  // Whether tensors have the family's names.
  bool (*recognise)(const NamedTensors& tensors);
  // The tensors under the names of the original trainer's network.
  NamedTensors (*rename)(const NamedTensors& tensors);
  Translation (*translate)(const FamilySource& source);
};

// The family whose names the tensors have, or null.
const Family* find_family(const NamedTensors& tensors);
// The same; where there is none, the original's, whose names are then reported as missing.
const Family& family_of(const NamedTensors& tensors);

// The config that lies beside the checkpoint: NAME.json, NAME.pth.json, or as the family calls it.
std::optional<std::filesystem::path> config_beside(const std::filesystem::path& checkpoint,
                                                   const Family& family);

// All files beside the checkpoint that a family may read, whether it would or not.
std::vector<std::filesystem::path> files_beside(const std::filesystem::path& checkpoint);

}  // namespace voxport::vits
