// Refusal: why a request is not done, in the form that all protocols tell their clients.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include <voxport/error.h>

#include "base/text.h"

namespace voxport {

class Refusal : public std::exception {
 public:
  // `code` is for programs, such as "unknown_voice"; `message` is a sentence.
  Refusal(int status, std::string code, std::string message)
      : status_(status), code_(std::move(code)), message_(std::move(message)) {}

  int status() const { return status_; }  // of HTTP
  const std::string& code() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int status_;
  std::string code_;
  std::string message_;
};

template <class... Parts>
[[noreturn]] void refuse(int status, const char* code, const Parts&... parts) {
  throw Refusal(status, code, cat(parts...));
}

// What a client is told of an error of the library. What is the server's own affair, such as the
// names of its files, is not told.
Refusal refusal_of(const Error& error);

// {"error": {"message": ..., "type": ..., "code": ...}}
std::string to_json(const Refusal& refusal);

}  // namespace voxport
