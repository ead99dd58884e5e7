// The table of functions by which ONNX's library is called. No type of C++ goes through it, so that
// they may be in a library that is loaded when they are first needed, and share nothing with us.
#pragma once

#include <cstddef>

extern "C" {

struct VoxportOnnxFunctions {
  // Takes the answer, which is gone afterwards.
  using Take = void (*)(void* taker, const char* bytes, std::size_t size);
  enum Outcome { kDone, kComplaint, kNoMemory };  // a complaint is taken in place of the answer

  const char* version;  // voxport's

  int (*newest_version)(const char* domain);
  Outcome (*check)(const char* model, std::size_t size, void* taker, Take take);
  Outcome (*infer)(const char* model, std::size_t size, bool is_strict, void* taker, Take take);
};

// In voxport-onnx.so, and in the library for C++.
const VoxportOnnxFunctions* voxport_onnx_functions();
}

namespace voxport {

// Linked with ONNX's library (linked.cpp), or loads voxport-onnx.so when it is first called
// (loaded.cpp, in the program and in libvoxport.so.0); then fails with kUnsupported where there is
// none.
const VoxportOnnxFunctions& onnx_functions();

}  // namespace voxport
