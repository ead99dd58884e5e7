// LoadedVoice: what a voice consists of, for its streams.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <voxport/speak.h>

#include "api/voice_files.h"
#include "phonemes/phonemiser.h"
#include "stream/decoding.h"
#include "stream/text_graph.h"

namespace voxport {

class LoadedVoice {
 public:
  // Fails as Voice does.
  LoadedVoice(const VoiceFiles& files, const VoiceOptions& options);

  const VoiceInfo& info() const { return info_; }
  const TextConfig& text() const { return text_; }
  std::int64_t symbols() const { return symbols_; }  // ids lie below; 0: not known
  const TextGraph& text_graph() const { return *text_graph_; }
  const Decoder* decoder() const { return decoder_.get(); }  // none with a graph of all

  // The voice's own, with its first speaker.
  Manner manner() const;
  // The number of a speaker by name or number. Fails with kUsage, and tells who there is.
  std::int64_t speaker(const std::string& name) const;

  // A stream has a phonemiser to itself while it reads text, and gives it back.
  std::unique_ptr<Phonemiser> take_phonemiser() const;
  void give_back(std::unique_ptr<Phonemiser> phonemiser) const;

 private:
  void read_config(const std::filesystem::path& path);
  void load_graphs(const VoiceFiles& files, const VoiceOptions& options);
  void add_decoder(Session decoder, bool is_cached);

  VoiceInfo info_;
  TextConfig text_;
  std::int64_t symbols_ = 0;
  std::optional<TextGraph> text_graph_;
  std::unique_ptr<Decoder> decoder_;
  PhonemiserOptions phonemiser_options_;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Phonemiser>> idle_;  // at most a few
};

}  // namespace voxport
