// What went wrong, in the words of the person who ran the tool.
//
// Every function of the library that fails throws an Error, and only an Error (or std::bad_alloc).
// Nothing in the library prints or exits.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace voxport {

class Error : public std::exception {
 public:
  enum Kind {
    kMismatch,     // parts that do not fit together: shapes, or files of different models
    kUsage,        // the caller asked for something that makes no sense
    kUnreadable,   // the disk or the system would not give us the bytes
    kCorrupt,      // the file breaks the rules of its own format
    kUnsupported,  // a good file that is not in our power
    kNotDynamic,   // an axis that was declared dynamic is fixed
    kUnwritable,   // the disk or the system would not take our bytes
    kInternal,     // a bug in voxport
  };

  Error(Kind kind, std::string message) : kind_(kind), text_(std::move(message)) {}

  Kind kind() const { return kind_; }

  // One sentence, then one "  while ..." line for each thing that was being done, innermost first.
  const char* what() const noexcept override { return text_.c_str(); }

  // The member of the options that the message is about, by its name in these headers: "inputs",
  // "cache". Empty where it is about none, or about several. The command line adds what it calls
  // it.
  const std::string& option() const { return option_; }
  void set_option(std::string_view option) { option_ = option; }

  // Called on the way up, innermost first: "reading data.pkl", "inspecting voice.ckpt".
  void add_context(std::string_view doing) { text_.append("\n  while ").append(doing); }

 private:
  Kind kind_;
  std::string text_;
  std::string option_;
};

}  // namespace voxport
