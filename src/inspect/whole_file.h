// What a file holds: inspect() of each kind of file.
#pragma once

#include <filesystem>

#include <voxport/inspect.h>

#include "base/blob.h"
#include "base/stage_clock.h"
#include "checkpoint/saved_file.h"

namespace voxport {

// Of an ONNX model; and of all else, a checkpoint or a program.
void inspect_onnx(const Blob& file, const std::filesystem::path& path,
                  const InspectOptions& options, Inspection& inspection, StageClock& clock);
void inspect_checkpoint(const SavedFile& file, const std::filesystem::path& path,
                        const InspectOptions& options, Inspection& inspection, StageClock& clock);

}  // namespace voxport
