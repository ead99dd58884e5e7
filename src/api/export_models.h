// What all architectures have in common on the way out: graphs become checked files.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <voxport/export.h>

#include "api/export_check.h"
#include "api/stage_clock.h"
#include "base/output_file.h"
#include "checkpoint/checkpoint.h"
#include "graph/graph.h"
#include "onnx/options.h"

namespace voxport {

// What every export works towards, whatever it works on.
struct ExportWork {
  const std::filesystem::path& source;
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
  bool is_single_file() const { return out.extension() == ".onnx"; }
};

// The export of a checkpoint.
struct Export : ExportWork {
  const Checkpoint& checkpoint;
  const Object& state_dict;
  Object hyper_parameters;
};

// A graph on its way to a file.
struct ModelFile {
  std::filesystem::path path;
  std::unique_ptr<Graph> graph;
  OnnxOptions options;
};

// Optimises the graphs, has ONNX check them, and adds them to the export's files. Like
// write_text(), fails with kUsage where a file would take the place of the checkpoint or its
// config.
void write_models(std::vector<ModelFile> models, ExportWork& work);
// Adds any other file.
void write_text(const std::filesystem::path& path, std::string_view text, ExportWork& work);

// What all graphs of an export say of themselves; `role` is what the graph is in it.
OnnxOptions onnx_options(const ExportWork& work, std::string_view architecture,
                         std::string_view role);
// Adds voxport.KEY to the metadata.
void note(OnnxOptions& options, std::string_view key, std::string text);

// Fails with kUsage when a hyper-parameter was given that is none of these, which `network` has.
void check_settings(const Export& work, std::string_view network,
                    std::span<const std::string_view> known);
// The hyper-parameters that were given by hand, and below them what the config files hold. Fails
// with kUsage when two files have the same part of what is known by these names.
Object settings_from(const Export& work, const std::vector<std::filesystem::path>& configs,
                     std::span<const std::string_view> known);

// The exporters, one for each architecture.
void export_vits(Export& work);
void export_fastspeech2(Export& work);
void export_hifigan(Export& work);

// The export of a program: a torch.export or TorchScript archive.
void export_program(ExportWork& work, FileKind kind);

}  // namespace voxport
