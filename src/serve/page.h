// The files of the page at "/", which are part of the program: src/serve/page.
#pragma once

#include <span>
#include <string_view>

namespace voxport {

struct PageFile {
  std::string_view name;  // "page.css"
  std::string_view bytes;
};

std::span<const PageFile> page_files();

}  // namespace voxport
