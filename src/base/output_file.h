// OutputFiles: files that appear all together and complete, or not at all.
//
//   OutputFiles files;
//   OutputFile& model = files.add("out/voice.onnx");
//   model.append(bytes);
//   files.commit();
//
// Until commit() nothing can be seen under any of the names. A file has no name at all while it is
// written, where the filesystem can do that, so that even a killed process leaves nothing behind.
// Elsewhere it is a hidden file, `.NAME.PID-NUMBER`, which is removed with the OutputFiles, or by
// remove_unfinished_files() when a signal ends the process.
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
  // exists. With `hidden`, a hidden one that has a name.
  OutputFile(const std::filesystem::path& path, bool hidden);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(Bytes bytes);
  // Bytes appended so far.
  std::uint64_t size() const { return size_; }

  // The name it will have: absolute, with links followed.
  const std::filesystem::path& path() const { return path_; }

  // On to the disk with it.
  void sync();
  // Gives it its name, in place of the file that has it now. Asks for the folder to exist. True
  // when there was no such file before.
  bool publish();

 private:
  void write_all(Bytes bytes);
  void flush();
  void open_hidden();
  void link_as(const std::filesystem::path& name);

  std::filesystem::path path_;
  std::filesystem::path folder_;  // the one it is written in
  std::string hidden_;            // its name until it has its own; empty when it has none
  std::string buffer_;
  std::uint64_t size_ = 0;
  int fd_ = -1;
};

class OutputFiles {
 public:
  // kHidden is for filesystems that cannot do without names, and for tests.
  enum class Way { kNamelessIfPossible, kHidden };

  explicit OutputFiles(Way way = Way::kNamelessIfPossible) : way_(way) {}

  // A new file of that name, good for as long as this lives. Fails with kUnwritable when the name
  // is that of a folder or a device, or cannot be written to, and with kUsage when it was added
  // before. Folders on the way to it need not exist.
  OutputFile& add(const std::filesystem::path& path);

  // Makes all of them appear, in the order in which they were added, each in place of the file of
  // that name if there is one; such a file's permissions are kept. Folders that do not exist are
  // made. When it fails, files and folders that were not there before are not there after.
  void commit();

 private:
  void make_folders(const std::filesystem::path& folder);
  void take_back();

  Way way_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<std::filesystem::path> new_files_, new_folders_;
};

// Removes hidden files that are being written. May be called from a signal handler, which must then
// end the process.
void remove_unfinished_files() noexcept;

}  // namespace voxport
