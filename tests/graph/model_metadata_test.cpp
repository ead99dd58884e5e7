// The keys voxport.* of a model's metadata: what is written is read, and what makes no sense is
// not.
#include "graph/model_metadata.h"

#include <gtest/gtest.h>

namespace voxport::model_metadata_test {
namespace {

using Metadata = std::map<std::string, std::string>;

TEST(ModelMetadata, ReadsWhatItWrote) {
  ModelMetadata written;
  written.version = "1.2.3";
  written.architecture = "vits";
  written.graph = "decoder";
  written.axes = {{"frames", 1},
                  {.axis = "noise_frames", .not_below = "frames"},
                  {.axis = "samples", .equals = "256*frames"}};
  written.hop_length = 256;
  written.receptive_field = ReceptiveField{3, 0};
  written.sample_rate = 22050;
  written.mel_channels = 80;
  written.symbols = 130;
  written.speakers = 2;
  written.languages = 3;
  written.energy_control = "own";
  written.duration_control = "rounded";
  written.padding = "heard";
  written.source_sha256 = "abc";
  written.first_frames = 8;
  written.threads = 4;
  const ModelMetadata::Entries entries = written.entries();
  EXPECT_EQ(entries.size(), 17u);
  EXPECT_EQ(ModelMetadata::read(entries).entries(), entries);
}

TEST(ModelMetadata, IsWrittenAsItAlwaysWas) {
  ModelMetadata written;
  written.architecture = "hifigan";
  written.axes = {{"batch_size", 1},
                  {.axis = "width", .multiple = 8},
                  {.axis = "samples", .equals = "4*frames"}};
  written.receptive_field = ReceptiveField{3, 4};
  const ModelMetadata::Entries expected = {
      {"voxport.architecture", "hifigan"},
      {"voxport.axes",
       R"({"batch_size":{"min":1},"width":{"multiple":8},"samples":{"equals":"4*frames"}})"},
      {"voxport.receptive_field", R"({"left":3,"right":4})"}};
  EXPECT_EQ(written.entries(), expected);
  EXPECT_EQ(ModelMetadata::read(expected).axes.at(1).multiple, 8);
}

TEST(ModelMetadata, LeavesOutWhatMakesNoSense) {
  const Metadata broken = {{"voxport.hop_length", "256x"},
                           {"voxport.symbols", "-1"},
                           {"voxport.speakers", "0"},
                           {"voxport.sample_rate", "1e9"},
                           {"voxport.mel_channels", "99999999999999999999"},
                           {"voxport.receptive_field", R"({"left":3})"},
                           {"voxport.axes", "[1]"},
                           {"voxport.first_frames", "eight"},
                           {"hop_length", "256"}};
  const ModelMetadata read = ModelMetadata::read(broken);
  EXPECT_FALSE(read.hop_length || read.symbols || read.speakers || read.sample_rate ||
               read.mel_channels || read.receptive_field || read.first_frames);
  EXPECT_TRUE(read.axes.empty());
}

}  // namespace
}  // namespace voxport::model_metadata_test
