#include <utility>

#include <voxport/speak.h>

#include "api/checkpoint_exporter.h"
#include "base/fail.h"
#include "voice/files.h"
#include "voice/ids.h"
#include "voice/loaded_voice.h"
#include "voice/speaking_task.h"

namespace voxport {

namespace fs = std::filesystem;

Voice::Voice(const fs::path& path, const VoiceOptions& options)
    : loaded_(in_context(cat("loading the voice ", in_quotes(path.native())), [&] {
        return std::make_shared<LoadedVoice>(find_voice(path, options, checkpoint_exporter()),
                                             options);
      })) {}

const VoiceInfo& Voice::info() const { return loaded_->info(); }

Stream::Stream(std::unique_ptr<SpeakingTask> task) : task_(std::move(task)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

std::optional<AudioPiece> Stream::next() {
  return in_context("speaking", [&] { return task_->next(); });
}
bool Stream::is_ready() { return task_->is_ready(); }
void Stream::cancel() { task_->cancel(); }
std::vector<std::string> Stream::notes() const { return task_->notes(); }
std::vector<std::string> Stream::unknown_symbols() const { return task_->unknown_symbols(); }

Stream Voice::speak(TextSource text, const SpeakOptions& options,
                    std::function<void()> on_ready) const {
  return Stream(
      std::make_unique<SpeakingTask>(loaded_, std::move(text), options, std::move(on_ready)));
}

Stream Voice::speak(std::string text, const SpeakOptions& options,
                    std::function<void()> on_ready) const {
  return speak([text = std::move(text)]() mutable { return std::exchange(text, {}); }, options,
               std::move(on_ready));
}

std::vector<std::string> read_ids(const fs::path& voice, const TextSource& text,
                                  const VoiceOptions& options, const SpeakOptions& speak,
                                  const OnUtterance& take) {
  const VoiceFiles files = in_context(cat("loading the voice ", in_quotes(voice.native())), [&] {
    return find_voice(voice, options, checkpoint_exporter());
  });
  return in_context("reading the text",
                    [&] { return read_ids(files, text, options, speak, take); });
}

}  // namespace voxport
