// The file of a model's weights, where someone names the folder that it lies in.
#pragma once

#include <filesystem>
#include <optional>

namespace voxport {

// The file in the folder that trainers and publishers keep weights in, by its name:
// model.safetensors or pytorch_model.bin (transformers), model_file.pth or best_model.pth (Coqui),
// the G_*.pth or checkpoint_*.pth of the highest number, else the only file of weights that there
// is, else the only published voice, NAME.onnx with NAME.onnx.json; nothing where there is none.
// Fails with kUsage, naming them, where there are several.
std::optional<std::filesystem::path> find_weights_file(const std::filesystem::path& folder);

// The source itself, or the file in it when it is a folder. Fails with kUnreadable where there is
// none.
std::filesystem::path weights_file(const std::filesystem::path& source);

}  // namespace voxport
