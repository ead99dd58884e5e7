#include "serve/formats/codec_library.h"

#include <dlfcn.h>

#include "serve/refusal.h"

namespace voxport {

CodecLibrary::CodecLibrary(const char* file, const char* format)
    : file_(file), format_(format), library_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

void* CodecLibrary::address_of(const char* name) const {
  void* const address = library_ ? dlsym(library_, name) : nullptr;
  if (!address)
    refuse(501, "unsupported_format", format_, " needs the library ", file_,
           ", which is not installed here; wav and pcm need none");
  return address;
}

}  // namespace voxport
