// What all exports have in common: graphs become checked files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <voxport/export.h>

#include "base/output_file.h"
#include "base/stage_clock.h"
#include "checkpoint/saved_file.h"
#include "export/final_check.h"
#include "graph/graph.h"
#include "onnx/options.h"

namespace voxport {

struct ExportWork {
  const std::filesystem::path& source;
  const SavedFile& file;  // which the source is
  const std::filesystem::path& out;
  const ExportOptions& options;

  StageClock& clock;
  OutputFiles& files;
  ExportReport& report;
  ExportCheck& check;
  std::vector<std::filesystem::path> configs = {};  // that were given or found

  // Tells how far the export is, from 0 to 1.
  void progress(double done) const {
    if (options.on_progress) options.on_progress(done);
  }
  // Drops all files, and what was reported since `before`.
  void start_over(const ExportReport& before) {
    files.clear();
    check.start_over();
    report = before;
  }
  bool is_single_file() const { return out.extension() == ".onnx"; }
  // A file's name in messages: as it is below OUT.
  std::string label(const std::filesystem::path& path) const {
    return path.lexically_relative(is_single_file() ? out.parent_path() : out).native();
  }
};

// A graph on its way to a file.
struct ModelFile {
  std::filesystem::path path;
  std::unique_ptr<Graph> graph;
  OnnxOptions options;
  std::string not_run = {};  // why it cannot be run at sizes of any choice; empty where it can
};

// Optimises the graphs, has ONNX check them, and adds them to the export's files. Like
// write_text(), fails with kUsage where a file would take the place of the checkpoint or its
// config.
void write_models(std::vector<ModelFile> models, ExportWork& work);
// Adds any other file: one to be filled, and one of text.
OutputFile& add_file(const std::filesystem::path& path, ExportWork& work);
void write_text(const std::filesystem::path& path, std::string_view text, ExportWork& work);

}  // namespace voxport
