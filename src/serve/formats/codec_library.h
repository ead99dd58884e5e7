// CodecLibrary: a library that writes a format, loaded when it is first asked for, so that nothing
// that does not need it takes longer to start, and everything else works without it.
#pragma once

#include <string>

namespace voxport {

class CodecLibrary {
 public:
  // `file` as the linker names it: "libFLAC.so.12". `format` is for the message.
  CodecLibrary(const char* file, const char* format);

  // Gives `function` the address of the one of that name. Fails with a Refusal when there is no
  // such library, or no such function in it.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address_of(name));
  }

 private:
  void* address_of(const char* name) const;

  std::string file_, format_;
  void* library_;
};

}  // namespace voxport
