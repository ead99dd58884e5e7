#include "voice/cache.h"

#include <cstdlib>
#include <future>
#include <vector>

#include <voxport/version.h>

#include "base/blob.h"
#include "base/fail.h"
#include "base/is_file.h"
#include "base/output_file.h"
#include "base/private_folder.h"
#include "base/sha256.h"
#include "voice/kind.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSums = "SHA256SUMS";

fs::path cache_folder(const VoiceOptions& options) {
  if (!options.cache.empty()) return options.cache;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return fs::path(cache) / "voxport";
  const char* const home = std::getenv("HOME");
  if (home && *home) return fs::path(home) / ".cache" / "voxport";
  fail(Error::kUnwritable,
       "there is nowhere to export the checkpoint to: neither XDG_CACHE_HOME nor ",
       "HOME is set; export it first, with `voxport export`");
}

void check_trusted(const fs::path& path) {
  const std::string reason = reason_to_distrust(path);
  if (!reason.empty())
    fail_about("cache", Error::kUnwritable, "the cache is not used, because ",
               in_quotes(path.native()), " ", reason,
               "; choose another folder for the cache, or export the checkpoint first");
}

// What lies beside a checkpoint counts by its name, too, and a config that was chosen by having
// been chosen: several files have one hash together.
std::string name_of_entry(const fs::path& checkpoint, const VoiceOptions& options,
                          const CheckpointExporter& exporter) {
  std::string name = hash_in_background(checkpoint).get();
  std::string beside;
  for (const fs::path& file : exporter.beside(checkpoint))
    beside += cat(hash_in_background(file).get(), "  ", file.filename().native(), "\n");
  if (!options.config.empty()) beside += hash_in_background(options.config).get() + "  (chosen)\n";
  if (!beside.empty()) name += "-" + sha256_of(beside).substr(0, 16);
  return cat(name, "-", kVersion);
}

// One entry, whether it is there or not.
class CacheEntry {
 public:
  explicit CacheEntry(fs::path folder)
      : folder_(std::move(folder)),
        names_({vits_voice().folder().text_graph, vits_voice().folder().decoder,
                vits_voice().folder().stream_decoder, "voice.json"}) {}

  VoiceFiles files() const {
    return {&vits_voice(), folder_ / names_[0], folder_ / names_[1], folder_ / names_[2],
            folder_ / names_[3]};
  }

  // Whether there is anything. A process that exports makes the folder first, and fills it at once.
  bool exists() const {
    std::error_code error;
    return fs::exists(fs::symlink_status(folder_, error)) && !fs::is_empty(folder_, error);
  }

  // Whether all files are what they were when they were written, and nobody else may change them.
  bool is_whole() const {
    try {
      return Blob::map_file(part(kSums)).text() == sums();
    } catch (const Error& error) {
      if (error.kind() != Error::kUnreadable) throw;
      return false;
    }
  }

  void make(const fs::path& checkpoint, const CheckpointExporter& exporter,
            const VoiceOptions& options) const {
    remove_what_cannot_be_replaced();
    const PrivateFolder made(folder_);
    exporter.write(checkpoint, folder_, options);
    for (const char* name : names_) keep_from_others(folder_ / name);
    OutputFiles last;
    last.add(folder_ / kSums).append(as_bytes(sums()));
    last.commit();
    keep_from_others(folder_ / kSums);
  }

 private:
  // Whether it is a file of its own, and ours.
  static bool is_good(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(fs::symlink_status(path, ignored)) &&
           reason_to_distrust(path).empty();
  }

  static void keep_from_others(const fs::path& path) {
    std::error_code ignored;  // what others can change is not taken for good
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, ignored);
  }

  fs::path part(const char* name) const {
    fs::path path = folder_ / name;
    if (!is_good(path)) fail(Error::kUnreadable, "there is no file ", in_quotes(path.native()));
    return path;
  }

  // As sha256sum prints them. Fails with kUnreadable when one is not there or cannot be read.
  std::string sums() const {
    std::vector<std::future<std::string>> hashes;
    for (const char* name : names_) hashes.push_back(hash_in_background(part(name)));
    std::string text;
    for (std::size_t i = 0; i < names_.size(); ++i)
      text += cat(hashes[i].get(), "  ", names_[i], "\n");
    return text;
  }

  // Good files are replaced while others may read them; nobody reads the rest.
  void remove_what_cannot_be_replaced() const {
    std::error_code ignored;
    if (!fs::is_directory(folder_, ignored)) fs::remove(folder_, ignored);
    if (!is_good(folder_ / kSums)) fs::remove_all(folder_ / kSums, ignored);
    for (const char* name : names_)
      if (!is_good(folder_ / name)) fs::remove_all(folder_ / name, ignored);
  }

  fs::path folder_;
  std::vector<const char*> names_;
};

}  // namespace

VoiceFiles files_of_checkpoint(const fs::path& checkpoint, const VoiceOptions& options,
                               const CheckpointExporter& exporter) {
  const fs::path cache = cache_folder(options);
  check_trusted(cache);
  const fs::path folder = cache / name_of_entry(checkpoint, options, exporter);
  check_trusted(folder);
  const CacheEntry entry(folder);
  VoiceFiles files = entry.files();
  const bool was_there = entry.exists();
  if (was_there && entry.is_whole()) return files;
  exporter.check(checkpoint);
  in_context(was_there ? "replacing a damaged entry of the cache" : "filling the cache",
             [&] { entry.make(checkpoint, exporter, options); });
  if (was_there)
    files.notes.push_back(cat("the voice in the cache ", printable(cache.native(), 4096),
                              " was damaged or incomplete, and was exported again"));
  return files;
}

}  // namespace voxport
