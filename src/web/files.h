// The files of our web pages, which are part of the program: src/web.
#pragma once

#include <span>
#include <string_view>

namespace voxport {

struct WebFile {
  std::string_view name;  // "page.css"
  std::string_view bytes;
};

// The page of `voxport serve` at "/", and what stands beside the graphs of a voice for the web.
std::span<const WebFile> files_of_server_page();
std::span<const WebFile> files_of_voice_page();

}  // namespace voxport
