// LoadedVoice: what a voice consists of, for its streams.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <voxport/speak.h>

#include "graph/model_metadata.h"
#include "phonemes/phonemiser.h"
#include "voice/files.h"
#include "voice/kind.h"
#include "voice/utterance_limit.h"

namespace voxport {

// The one of a pair's decoders that is used, and what it says of itself.
struct DecoderFile {
  std::filesystem::path path;
  bool is_cached = false;
  ModelMetadata metadata = {};
};

class LoadedVoice {
 public:
  // Fails as Voice does.
  LoadedVoice(const VoiceFiles& files, const VoiceOptions& options);

  const VoiceInfo& info() const { return config_.info; }
  const TextConfig& text() const { return config_.text; }
  const std::string& no_text() const { return config_.no_text; }
  std::int64_t symbols() const { return config_.text.num_symbols; }  // ids lie below; 0: not known
  const TextGraph& text_graph() const { return *text_graph_; }
  // None with a graph of all. Waits until it is loaded, and fails where it cannot be.
  const Decoder* decoder() const { return decoder_.valid() ? decoder_.get().get() : nullptr; }

  // How long an utterance may be.
  const UtteranceLimit& limit() const { return *limit_; }

  // To be held while the text graph is run: of utterances that take much memory, one at a time.
  std::unique_lock<std::mutex> turn_of(std::size_t ids, double lengthening) const;

  // The voice's own, with its first speaker and language.
  Manner manner() const;
  // The number of a speaker by name or number. Fails with kUsage, and tells who there is.
  std::int64_t speaker(const std::string& name) const;
  // The same of a language.
  std::int64_t language(const std::string& name) const;

  // A stream has a phonemiser to itself while it reads text, and gives it back.
  std::unique_ptr<Phonemiser> take_phonemiser() const;
  void give_back(std::unique_ptr<Phonemiser> phonemiser) const;

 private:
  void load_graphs(const VoiceFiles& files, const VoiceOptions& options);
  void add_decoder(const DecoderFile& file, const VoiceKind& kind,
                   std::shared_future<Session> loading, bool waits);
  void take_metadata();
  void take_decoder_metadata(const DecoderFile& file);

  VoiceConfig config_;
  std::unique_ptr<TextGraph> text_graph_;
  std::shared_future<std::unique_ptr<const Decoder>> decoder_;
  std::unique_ptr<UtteranceLimit> limit_;
  PhonemiserOptions phonemiser_options_;

  mutable std::mutex large_;  // is locked while a large utterance is run
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Phonemiser>> idle_;  // at most a few
};

}  // namespace voxport
