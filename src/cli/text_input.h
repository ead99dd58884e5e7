// TextInput: text from the command line, a file or standard input, as it arrives.
#pragma once

#include <atomic>
#include <string>

#include <voxport/speak.h>

namespace voxport {

class TextInput {
 public:
  // The text itself.
  static TextInput of_text(std::string text);
  // A file, or standard input for "-". Fails with kUnreadable when it cannot be opened.
  static TextInput of_file(const std::string& path);

  TextInput(TextInput&& other) noexcept;
  ~TextInput();

  // What there is, at most a few kilobytes; waits for it, until someone calls stop(). Empty at the
  // end. Fails with kUnreadable.
  std::string read();
  // From any thread: there is no more.
  void stop() { is_stopped_ = true; }

 private:
  TextInput() = default;

  std::string text_;
  std::string name_;      // for messages
  int fd_ = -1;           // none for a text
  bool is_ours_ = false;  // to be closed
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace voxport
