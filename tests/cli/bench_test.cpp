// voxport bench, as one types it: what it prints, what it draws, how it ends.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::bench_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class BenchCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    run("export -q --no-check " + data("voices/single.ckpt") + " " + voice());
    write_file(file("ids"), "1 5 9 2\n\n3 4\n");
  }
  static void TearDownTestSuite() { delete folder_; }

  void SetUp() override { NEEDS_RUNTIME(); }

  static std::string voice() { return (*folder_ / "voice").string(); }
  static fs::path file(const std::string& name) { return *folder_ / name; }

  static std::string few_ids() { return " --text " + file("ids").string(); }

  static std::string failure(int exit_code, const std::string& arguments) {
    const Result result = run("bench " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    return result.err;
  }

  static inline TemporaryFolder* folder_ = nullptr;
};

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

using Keys = std::set<std::string>;

// Whether & stands for nothing but itself, and < and > for nothing at all. (Not by std::regex,
// whose recursion is as deep as its text is long.)
bool is_plain_text(std::string_view text) {
  constexpr std::string_view kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const bool is_entity = std::ranges::any_of(
        kEntities, [&](std::string_view entity) { return rest.starts_with(entity); });
    if (rest[0] == '<' || rest[0] == '>' || (rest[0] == '&' && !is_entity)) return false;
  }
  return true;
}

// Whether every tag is closed, in its turn, and every value of an attribute ends.
bool is_well_formed(std::string_view xml) {
  std::vector<std::string_view> open;
  while (true) {
    const std::size_t start = xml.find('<');
    if (!is_plain_text(xml.substr(0, start))) return false;
    if (start == std::string_view::npos) return open.empty();
    const std::size_t end = xml.find('>', start);
    if (end == std::string_view::npos) return false;
    std::string_view tag = xml.substr(start + 1, end - start - 1);
    xml.remove_prefix(end + 1);
    if (!is_plain_text(tag) || std::ranges::count(tag, '"') % 2 != 0) return false;
    if (tag.starts_with('?') || tag.ends_with('/')) continue;
    const bool closes = tag.starts_with('/');
    const std::string_view name = closes ? tag.substr(1) : tag.substr(0, tag.find(' '));
    if (!closes) {
      open.push_back(name);
      continue;
    }
    if (open.empty() || open.back() != name) return false;
    open.pop_back();
  }
}

TEST_F(BenchCommand, TellsAllFiguresAsJson) {
  const Result result = run("bench --json --runs 2 --threads 1 --chunk 20 " + voice());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const Json report = Json::parse(result.out);
  EXPECT_EQ(keys_of(report), (Keys{"path", "sample_rate", "hop_length", "streams", "decoder",
                                   "threads", "runs", "chunk_frames", "first_load", "load",
                                   "streamed_peak_bytes", "peak_bytes", "texts"}));
  EXPECT_EQ(report["threads"], 1);
  EXPECT_EQ(report["runs"], 2);
  EXPECT_EQ(report["chunk_frames"], 20);
  EXPECT_EQ(report["decoder"], "decoder_stream.onnx");
  EXPECT_GT(report["load"], 0);
  EXPECT_GT(report["streamed_peak_bytes"], 1'000'000);
  EXPECT_GE(report["peak_bytes"], report["streamed_peak_bytes"]);
  ASSERT_EQ(report["texts"].size(), 3);
  EXPECT_EQ(report["texts"][0]["name"], "short");
  EXPECT_EQ(report["texts"][2]["name"], "long");
  for (const Json& text : report["texts"]) {
    EXPECT_EQ(keys_of(text), (Keys{"name", "sentences", "ids", "frames", "audio", "phonemes",
                                   "encoder", "decoder", "first", "streamed", "one_shot"}));
    EXPECT_EQ(keys_of(text["first"]), (Keys{"phonemes", "encoder", "chunk"}));
    for (const char* way : {"streamed", "one_shot"})
      EXPECT_EQ(keys_of(text[way]), (Keys{"first_audio", "total", "real_time_factor", "pieces",
                                          "gap", "gap_ratio", "least_left", "ran_dry", "points"}));
  }
}

// Times differ from run to run; that they belong together does not.
TEST_F(BenchCommand, GivesFiguresThatAgree) {
  const Json report = Json::parse(run("bench --json --runs 1 " + voice()).out);
  for (const Json& text : report["texts"]) {
    const double audio = text["audio"];
    EXPECT_NEAR(audio,
                text["frames"].get<double>() * report["hop_length"].get<double>() /
                    report["sample_rate"].get<double>(),
                1e-6);
    EXPECT_EQ(text["one_shot"]["pieces"], text["sentences"]);
    EXPECT_GT(text["streamed"]["pieces"], text["sentences"]);
    EXPECT_GT(text["encoder"], 0);
    EXPECT_GT(text["decoder"], 0);
    for (const auto& [stage, seconds] : text["first"].items()) EXPECT_GT(seconds, 0) << stage;
    for (const char* name : {"streamed", "one_shot"}) {
      const Json& way = text[name];
      EXPECT_EQ(way["points"].size(), way["pieces"]);
      EXPECT_EQ(way["points"].front()["seconds"], way["first_audio"]);
      EXPECT_EQ(way["points"].back()["seconds"], way["total"]);
      EXPECT_NEAR(way["points"].back()["audio"], audio, 1e-6);
      EXPECT_NEAR(way["real_time_factor"].get<double>() * audio, way["total"], 1e-6);
      EXPECT_LE(way["gap"]["median"], way["gap"]["p95"]);
      EXPECT_LE(way["gap"]["p95"], way["gap"]["worst"]);
    }
  }
}

TEST_F(BenchCommand, SpeaksWhatItIsGiven) {
  const Result result = run("bench --json --runs 1 " + voice() + few_ids());
  const Json report = Json::parse(result.out);
  ASSERT_EQ(report["texts"].size(), 1);
  EXPECT_EQ(report["texts"][0]["name"], "text");
  EXPECT_EQ(report["texts"][0]["sentences"], 2);
  EXPECT_EQ(report["texts"][0]["ids"], 6);
}

TEST_F(BenchCommand, TakesEitherDecoderAndAWholeVoice) {
  const Result context = run("bench --runs 1 --decoder context " + voice() + few_ids());
  EXPECT_TRUE(contains(context.out, ": decoder.onnx, ")) << context.out << context.err;
  EXPECT_TRUE(contains(context.out, "whole sentences"));
  const std::string graph = file("one.onnx").string();
  run("export -q --no-check " + data("voices/single.ckpt") + " " + graph);
  const Result whole = run("bench --json --runs 1 " + graph + few_ids());
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Json report = Json::parse(whole.out);
  EXPECT_EQ(report["streams"], false);
  EXPECT_EQ(report["texts"][0]["streamed"]["pieces"], 2);
  EXPECT_EQ(report["texts"][0]["decoder"], 0);
}

TEST_F(BenchCommand, MeasuresAFastSpeech2) {
  const std::string folder = file("fastspeech2").string();
  const std::string config = " --config " + data("voices/fastspeech2-log-mixed.");
  run("export -q --no-check " + data("voices/fastspeech2-log-mixed.pth.tar") + config +
      "model.yaml" + config + "preprocess.yaml --vocoder " + data("voices/hifigan-resblock2.pth") +
      " --vocoder-config " + data("voices/hifigan-resblock2.config.json") + " " + folder);
  const Result result = run("bench --json --runs 1 " + folder);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_EQ(report["decoder"], "vocoder_stream.onnx");
  EXPECT_EQ(report["hop_length"], 15);
  ASSERT_EQ(report["texts"].size(), 3);
  for (const Json& text : report["texts"]) {
    EXPECT_NEAR(text["audio"].get<double>(), text["frames"].get<double>() * 15 / 22050, 1e-6);
    EXPECT_GT(text["encoder"], 0);
    EXPECT_GT(text["decoder"], 0);
    EXPECT_GT(text["streamed"]["pieces"], text["sentences"]);
  }
  EXPECT_TRUE(contains(run("bench --runs 1 --decoder context " + folder + few_ids()).out,
                       ": vocoder.onnx, "));
}

TEST_F(BenchCommand, DrawsOneFileThatNeedsNoOther) {
  const fs::path odd = file("a <b> & c");
  fs::copy(voice(), odd);
  const std::string drawing = file("drawing.svg").string();
  const Result result = run("bench -q --runs 1 '" + odd.string() + "' --svg " + drawing);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  const std::string svg = contents(drawing);
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  for (const char* part : {"xmlns=\"http://www.w3.org/2000/svg\"", "short: ", "medium: ", "long: ",
                           "class=\"stair streamed\"", "class=\"stair whole\""})
    EXPECT_TRUE(contains(svg, part)) << part;
  for (const char* part : {"href", "url(", "nan", "inf\""})
    EXPECT_FALSE(contains(svg, part)) << part;
}

TEST_F(BenchCommand, FailsWithOneMessage) {
  EXPECT_EQ(failure(3, "/nonexistent"),
            "voxport: cannot open '/nonexistent': No such file or directory\n"
            "  while measuring '/nonexistent'\n");
  write_file(file("broken.ckpt"), "no checkpoint");
  EXPECT_TRUE(failure(3, file("broken.ckpt").string()).starts_with("voxport: "));
  write_file(file("empty"), "\n");
  EXPECT_EQ(failure(2, voice() + " --text " + file("empty").string()),
            "voxport: there is nothing to be spoken in the text '\\x0a'\n  while measuring '" +
                voice() + "'\n");
  write_file(file("words"), "Hello.\n");
  EXPECT_TRUE(contains(failure(2, voice() + " --text " + file("words").string()), "Hello."));
  EXPECT_TRUE(contains(failure(3, voice() + " --text /nonexistent"), "'/nonexistent'"));
  EXPECT_TRUE(contains(failure(6, voice() + " --svg " + voice()), "is a folder"));
  failure(2, voice() + " --runs 0");
  failure(2, voice() + " --decoder none");
}

}  // namespace
}  // namespace voxport::bench_test
