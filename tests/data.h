// Where the tests find their files, and what a failing call said.
#pragma once

#include <filesystem>
#include <string>

#include <voxport/error.h>

namespace voxport {

// tests/data, wherever the tests run from.
inline std::filesystem::path data_folder() { return VOXPORT_TEST_DATA; }

// The bundled voices.
inline std::filesystem::path voices_folder() { return VOXPORT_VOICES; }

// The whole message of the Error that `body` throws; "no error" when it throws none.
template <class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace voxport
