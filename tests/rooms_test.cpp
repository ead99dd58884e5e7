// Keeps the drawing of docs/flow.md true: a room includes the rooms it is drawn from and no others,
// and each library outside is known to the rooms that need it alone.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"base", {"base", "voxport/error.h", "voxport/stage.h", "nettle"}},
    {"checkpoint", {"checkpoint", "base", "zlib.h", "nlohmann", "yaml-cpp"}},
    {"graph", {"graph", "base", "nlohmann"}},
    {"program", {"program", "base", "checkpoint", "graph", "nlohmann"}},
    {"lower", {"lower", "base", "program", "graph"}},
    {"arch", {"arch", "base", "checkpoint", "graph", "phonemes", "voxport/export.h", "nlohmann"}},
    {"passes", {"passes", "base", "graph", "voxport/error.h"}},
    {"onnx", {"onnx", "base", "graph", "onnxlib"}},
    {"onnxlib", {"onnxlib", "base", "onnx", "voxport/version.h"}},
    {"scan", {"scan", "base", "checkpoint", "program", "onnx", "zlib.h"}},
    {"runtime", {"runtime", "base", "onnxruntime_c_api.h"}},
    {"verify",
     {"verify", "base", "checkpoint", "graph", "onnx", "runtime", "voxport/check.h", "nlohmann"}},
    {"phonemes", {"phonemes", "base", "nlohmann", "utf8proc.h"}},
    {"report", {"report", "base", "checkpoint", "voxport", "nlohmann"}},
    {"voice", {"voice", "base", "graph", "onnx", "runtime", "phonemes", "voxport", "nlohmann"}},
    {"recover", {"recover", "base", "checkpoint", "graph", "onnx"}},
    {"export",
     {"export", "base", "checkpoint", "program", "lower", "arch", "graph", "passes", "onnx",
      "recover", "runtime", "verify", "web", "voxport"}},
    {"web", {}},
    {"inspect",
     {"inspect", "base", "checkpoint", "program", "lower", "arch", "graph", "onnx", "recover",
      "report", "voxport", "nlohmann"}},
    {"api",
     {"api", "base", "checkpoint", "arch", "export", "inspect", "report", "runtime", "scan",
      "verify", "voice", "voxport"}},
    {"serve", {"serve", "base", "web", "voxport", "nlohmann", "boost", "FLAC", "lame", "opus"}},
    {"c", {"c", "base", "report", "voxport"}},
    {"piper", {"piper", "voxport", "nlohmann"}},
    {"cli", {"cli", "base", "report", "voxport", "CLI"}},
};

// POSIX is for the rooms that touch the machine.
const std::set<std::string> kPosix = {"base", "onnxlib", "runtime", "verify", "serve", "cli"};

bool is_standard(const std::string& header) {
  return header.find('/') == std::string::npos && header.find('.') == std::string::npos;
}

bool is_posix(const std::string& header) {
  return header == "dlfcn.h" || header == "elf.h" || header == "fcntl.h" || header == "link.h" ||
         header == "malloc.h" || header == "poll.h" || header == "spawn.h" ||
         header == "unistd.h" || header.starts_with("sys/");
}

bool may_include(const std::string& room, const std::string& header) {
  if (is_standard(header)) return true;
  if (is_posix(header)) return kPosix.contains(room);
  const std::set<std::string>& allowed = kMayInclude.at(room);
  return allowed.contains(header) || allowed.contains(header.substr(0, header.find('/')));
}

TEST(Rooms, IncludeOnlyWhatTheyAreDrawnFrom) {
  const std::regex include(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(VOXPORT_SOURCES)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string room = fs::relative(entry.path(), VOXPORT_SOURCES).begin()->string();
    ASSERT_TRUE(kMayInclude.contains(room)) << room << " is not in the drawing";
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      EXPECT_TRUE(may_include(room, match[1])) << entry.path() << " includes " << match[1];
    }
  }
  EXPECT_GT(files, 10);
}

// What runs on another thread may outlive the function that started it, however that ends. So it
// owns what it uses, or is a member of what it uses ([this]), never refers to locals.
TEST(Rooms, ThreadsReferToNoLocals) {
  int starts = 0;
  for (const auto& entry : fs::recursive_directory_iterator(VOXPORT_SOURCES)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream stream;
    stream << std::ifstream(entry.path()).rdbuf();
    const std::string text = stream.str();
    const std::regex start(R"(std::(async|thread|jthread)\((std::launch::async,)?\s*\[([^\]]*)\])");
    for (std::sregex_iterator it(text.begin(), text.end(), start), end; it != end; ++it) {
      ++starts;
      EXPECT_EQ((*it)[3].str().find('&'), std::string::npos)
          << entry.path() << " starts a thread that refers to locals: " << it->str();
    }
  }
  EXPECT_GE(starts, 4);
}

}  // namespace
