// A voice that was published as one graph streams within a sentence, once it was exported to the
// cache; one that cannot be exported speaks whole sentences, and says why.
#include <algorithm>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <voxport/export.h>
#include <voxport/speak.h>

#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/temporary_folder.h"

namespace voxport::speak_published_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIds = "1 5 9 12 30 44 7 18 2 25 33 60 14 21 8 40 3 11 2";

class SpeakPublished : public testing::Test {
 protected:
  void SetUp() override {
    NEEDS_RUNTIME();
    for (const char* end : {".onnx", ".onnx.json"})
      fs::copy_file(data_folder() / "families" / "piper" / (std::string("high") + end),
                    folder_ / (std::string("voice") + end));
  }

  Voice load(const fs::path& path, const fs::path& config = {}) const {
    VoiceOptions options;
    options.cache = folder_ / "cache";
    options.config = config;
    options.expects_text = false;
    return Voice(path, options);
  }

  static Spoken speak(const Voice& voice) {
    SpeakOptions options;
    options.input = SpeakOptions::kIds;
    options.noise_scale = 0;
    options.noise_w = 0;
    options.length_scale = 2;
    options.chunk_frames = 8;
    return all_of(voice.speak(std::string(kIds), options));
  }

  // The file with one slope that is no VITS's.
  void change_a_slope() const {
    onnx::ModelProto model;
    model.ParseFromString(contents(folder_ / "voice.onnx"));
    for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node())
      if (node.name() == "/dec/LeakyRelu_1") node.mutable_attribute(0)->set_f(0.2F);
    write_file(folder_ / "voice.onnx", model.SerializeAsString());
  }

  TemporaryFolder folder_;
};

TEST_F(SpeakPublished, StreamsWhatItsExportSays) {
  ExportOptions options;
  options.check = false;
  export_model(folder_ / "voice.onnx", folder_ / "exported", options);
  const Spoken expected = speak(load(folder_ / "exported"));
  for (int time = 0; time < 2; ++time) {  // the second from the cache
    const Voice voice = load(folder_ / "voice.onnx");
    EXPECT_TRUE(voice.info().streams);
    EXPECT_TRUE(voice.info().notes.empty());
    const Spoken spoken = speak(voice);
    EXPECT_GT(spoken.pieces, 1U);
    EXPECT_EQ(spoken.samples, expected.samples);
  }
}

TEST_F(SpeakPublished, StreamsFromTheFolderThatItWasDownloadedTo) {
  const Spoken expected = speak(load(folder_ / "voice.onnx"));
  const Voice voice = load(folder_.path());
  EXPECT_TRUE(voice.info().streams);
  EXPECT_EQ(speak(voice).samples, expected.samples);
}

TEST_F(SpeakPublished, MayHaveItsConfigElsewhere) {
  const Spoken expected = speak(load(folder_ / "voice.onnx"));
  fs::create_directory(folder_ / "elsewhere");
  fs::rename(folder_ / "voice.onnx.json", folder_ / "elsewhere/config.json");
  const fs::path config = folder_ / "elsewhere/config.json";
  const Voice voice = load(folder_ / "voice.onnx", config);
  EXPECT_TRUE(voice.info().streams);
  EXPECT_EQ(speak(voice).samples, expected.samples);

  // Another config is another voice, also where the one before is in the cache.
  std::string text = contents(config);
  const std::string rate = "\"sample_rate\": ";
  const std::size_t at = text.find(rate) + rate.size();
  text.replace(at, text.find_first_not_of("0123456789", at) - at, "16000");
  write_file(config, text);
  EXPECT_EQ(load(folder_ / "voice.onnx", config).info().sample_rate, 16000);

  change_a_slope();
  EXPECT_EQ(load(folder_ / "voice.onnx", config).info().sample_rate, 16000);
  EXPECT_EQ(message_of([&] { load(folder_ / "voice.onnx"); }).substr(0, 12), "there is no ");
}

TEST_F(SpeakPublished, HasItsConfigInTheFolderOnceItIsExported) {
  ExportOptions options;
  options.check = false;
  export_model(folder_ / "voice.onnx", folder_ / "exported", options);
  const std::string message =
      message_of([&] { load(folder_ / "exported", folder_ / "voice.onnx.json"); });
  EXPECT_NE(
      message.find("is an exported folder, which has its config in it; another one was given"),
      std::string::npos)
      << message;
}

TEST_F(SpeakPublished, SpeaksWholeSentencesWhereItCannotBeExported) {
  change_a_slope();
  const Voice voice = load(folder_ / "voice.onnx");
  EXPECT_FALSE(voice.info().streams);
  ASSERT_FALSE(voice.info().notes.empty());
  const std::string& note = voice.info().notes[0];
  EXPECT_NE(note.find("spoken in whole sentences"), std::string::npos) << note;
  EXPECT_NE(note.find("'/dec/LeakyRelu_1'"), std::string::npos) << note;
  EXPECT_EQ(speak(voice).pieces, 1U);
}

TEST_F(SpeakPublished, SpeaksWholeSentencesWhereNothingCanBeKept) {
  write_file(folder_ / "cache", "no folder");
  const Voice voice = load(folder_ / "voice.onnx");
  EXPECT_FALSE(voice.info().streams);
  ASSERT_FALSE(voice.info().notes.empty());
  EXPECT_NE(voice.info().notes[0].find("cache"), std::string::npos);
}

}  // namespace
}  // namespace voxport::speak_published_test
