#include "checkpoint/weights_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "tests/temporary_folder.h"

namespace voxport::weights_file_test {
namespace {

namespace fs = std::filesystem;

// The name of what is found in a folder of these files.
std::string found_in(const std::vector<std::string>& names) {
  const TemporaryFolder folder;
  for (const std::string& name : names) std::ofstream(folder / name) << "x";
  return weights_file(folder.path()).filename();
}

std::string failure_in(const std::vector<std::string>& names) {
  try {
    return "found " + found_in(names);
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(text.find("contains"));
  }
}

TEST(WeightsFile, IsTheSourceItselfUnlessThatIsAFolder) {
  EXPECT_EQ(weights_file("no/such/file.pth"), "no/such/file.pth");
}

TEST(WeightsFile, IsFoundByTheNamesOfPublishers) {
  EXPECT_EQ(
      found_in({"config.json", "pytorch_model.bin", "model.safetensors", "training_args.bin"}),
      "model.safetensors");
  EXPECT_EQ(found_in({"pytorch_model.bin", "vocab.json"}), "pytorch_model.bin");
  EXPECT_EQ(found_in({"best_model.pth", "best_model_1000.pth", "checkpoint_900.pth"}),
            "best_model.pth");
}

TEST(WeightsFile, IsTheNewestOfATraining) {
  EXPECT_EQ(found_in({"G_900.pth", "G_1000.pth", "D_2000.pth", "G_latest.pth"}), "G_1000.pth");
  EXPECT_EQ(found_in({"checkpoint_9.pth", "checkpoint_80.pth", "speakers.pth"}),
            "checkpoint_80.pth");
}

TEST(WeightsFile, IsTheOnlyOneThereIs) {
  EXPECT_EQ(found_in({"voice.ckpt", "voice.json", "README.md"}), "voice.ckpt");
  EXPECT_EQ(found_in({"model.pth", "D_100.pth", "optimizer.pt", "speakers.pth"}), "model.pth");
}

TEST(WeightsFile, IsThePublishedVoiceWhereThereIsNothingElse) {
  EXPECT_EQ(found_in({"MODEL_CARD", "voice.onnx", "voice.onnx.json"}), "voice.onnx");
  EXPECT_EQ(found_in({"voice.ckpt", "voice.onnx", "voice.onnx.json"}), "voice.ckpt");
  EXPECT_EQ(failure_in({"a.onnx", "a.onnx.json", "b.onnx", "b.onnx.json"}),
            "contains 2 files of weights: a.onnx, b.onnx; specify one of them");
  // Any graph may lie in a folder, such as those that were exported to it.
  EXPECT_TRUE(failure_in({"encoder.onnx", "voice.json"}).starts_with("contains no weights"));
}

TEST(WeightsFile, IsNotGuessed) {
  EXPECT_EQ(failure_in({"a.pth", "b.ckpt"}),
            "contains 2 files of weights: a.pth, b.ckpt; specify one of them");
  EXPECT_EQ(failure_in({"config.json", "D_5.pth"}),
            "contains no weights, expected model.safetensors, pytorch_model.bin, model_file.pth, "
            "model_file.pth.tar, best_model.pth, best_model.pth.tar, G_*.pth or a single file that "
            "ends in .safetensors, .ckpt, .pth, .pth.tar, .pt, .pt2, .bin, or a published voice, "
            "NAME.onnx with NAME.onnx.json");
}

}  // namespace
}  // namespace voxport::weights_file_test
