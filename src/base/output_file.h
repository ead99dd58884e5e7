// OutputFiles: files that appear all together and complete, or not at all.
//
//   OutputFiles files;
//   OutputFile& model = files.add("out/voice.onnx");
//   model.append(bytes);
//   files.commit();
//
// Until commit() nothing can be seen under any of the names. A file has no name at all while it is
// written, where the filesystem can do that, so that even a killed process leaves nothing behind.
// Elsewhere it is a hidden file, `.voxport.PID-NUMBER`, which is removed with the OutputFiles, or
// by remove_unfinished_files() when a signal ends the process.
//
// In commit() there is an instant in which the files get their names, one after the other. SIGINT,
// SIGTERM and SIGHUP wait until it is over. SIGKILL, or the end of power, in that instant may leave
// some of the new files in place and others not, and hidden files: new ones, and old ones that were
// replaced. In a process of several threads, the signals wait only if no other thread takes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/blob.h"

namespace voxport {

// One file of the set. All that goes wrong fails with kUnwritable and names the file.
class OutputFile {
 public:
  // Opens a file without a name in the folder of `path`, or in the nearest one above it that
  // exists. With `is_simple`, a hidden one that has a name.
  OutputFile(const std::filesystem::path& path, bool is_simple);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(Bytes bytes);
  // Puts bytes in the place of others that were appended: a header, once the rest is known.
  void overwrite(std::uint64_t offset, Bytes bytes);
  // Bytes appended so far.
  std::uint64_t size() const { return size_; }
  // Where what was appended so far can be read by this process, whether the file has a name or not.
  std::filesystem::path readable();

  // The name it will have: absolute, with links followed, also those to what does not exist yet.
  const std::filesystem::path& path() const { return path_; }

  // On to the disk with it.
  void sync();

  // The three steps of commit(). The folder must exist.
  // Gets ready to take the place of the file that has the name now, if there is one.
  void prepare();
  // Gives it its name. The file that had it is kept, hidden, until this is destroyed.
  void publish();
  // Undoes both. What someone else has put in its place by then stays.
  void take_back();

 private:
  void write_all(Bytes bytes);
  void flush();
  void open_hidden();
  int link_as(const std::filesystem::path& name) const;
  bool take_free_name();
  bool replace();
  bool replace_by_steps();
  bool give_back_name();
  bool is_named(const std::filesystem::path& name) const;
  void drop_hidden();

  std::filesystem::path path_;
  std::filesystem::path folder_;  // the one it is written in
  bool is_simple_;                // whether to do without what not all filesystems know
  // A name in use: until it has its own, that of the file itself; then that of the one it replaced.
  // Empty when there is none.
  std::string hidden_;
  bool is_published_ = false;
  std::string buffer_;
  std::uint64_t size_ = 0;
  int fd_ = -1;
};

class OutputFiles {
 public:
  // kHidden is for tests: it does what is done on filesystems that neither have files without names
  // nor can exchange two names.
  enum class Way { kNamelessIfPossible, kHidden };

  explicit OutputFiles(Way way = Way::kNamelessIfPossible) : way_(way) {}

  // A new file of that name, good for as long as this lives. Fails with kUnwritable when the name
  // is that of a folder or a device, or cannot be written to, and with kUsage when it was added
  // before. Folders on the way to it need not exist.
  OutputFile& add(const std::filesystem::path& path);

  // Drops all files that were added; their names may be added again. Requires that commit() was not
  // called.
  void clear() { files_.clear(); }

  // Makes all of them appear, in the order in which they were added, each in place of the file of
  // that name if there is one; such a file's permissions are kept. Folders that do not exist are
  // made. When it fails, everything is as it was: files that were replaced have their names again,
  // files and folders that were not there before are gone.
  //
  // A name that had a file has one at every moment, the old or the new; only on filesystems that
  // cannot exchange names (NFS, some of FUSE) it may have none for an instant.
  //
  // Two processes may commit to the same names at once. Each name then has the file of one of them,
  // and what one takes back is never the other's.
  void commit();

 private:
  void make_folders(const std::filesystem::path& folder);
  void take_back();

  Way way_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<std::filesystem::path> new_folders_;
};

// Removes hidden files that are being written. May be called from a signal handler, which must then
// end the process.
void remove_unfinished_files() noexcept;

}  // namespace voxport
