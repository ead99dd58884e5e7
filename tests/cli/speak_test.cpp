// voxport speak, as one types it.
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/error.h>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::speak_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, size);
  return number;
}

// The samples of a WAV file, whose header must tell the truth.
std::string samples_in(const std::string& wav, std::uint32_t sample_rate) {
  EXPECT_EQ(wav.substr(0, 4) + wav.substr(8, 8) + wav.substr(36, 4), "RIFFWAVEfmt data");
  EXPECT_EQ(number_at(wav, 20, 2), 1U) << "PCM";
  EXPECT_EQ(number_at(wav, 22, 2), 1U) << "channels";
  EXPECT_EQ(number_at(wav, 24, 4), sample_rate);
  EXPECT_EQ(number_at(wav, 28, 4), 2 * sample_rate);
  EXPECT_EQ(number_at(wav, 34, 2), 16U);
  if (number_at(wav, 40, 4) != 0xFFFFFFFF) {
    EXPECT_EQ(number_at(wav, 4, 4), wav.size() - 8);
    EXPECT_EQ(number_at(wav, 40, 4), wav.size() - 44);
  }
  return wav.substr(44);
}

// The bundled voice, exported once for all tests.
class SpeakCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!runtime_trouble().empty()) return;
    exported_ = std::make_unique<TemporaryFolder>();
    run("export -q --no-check '" VOXPORT_VOICES "/slt-x_low.ckpt' '" + voice() + "'");
    run("export -q --no-check " + data("voices/speakers.ckpt") + " '" + speakers() + "'");
    const std::string config = " --config " + data("voices/fastspeech2-module.");
    run("export -q --no-check --duration-control truncated " +
        data("voices/fastspeech2-module.pth.tar") + config + "model.yaml" + config +
        "preprocess.yaml --vocoder " + data("voices/hifigan-resblock2.pth") + " --vocoder-config " +
        data("voices/hifigan-resblock2.config.json") + " '" + fastspeech2() + "'");
  }
  static void TearDownTestSuite() { exported_.reset(); }
  void SetUp() override { NEEDS_RUNTIME(); }

  static std::string voice() { return (*exported_ / "slt").string(); }
  static std::string speakers() { return (*exported_ / "speakers").string(); }
  static std::string fastspeech2() { return (*exported_ / "fastspeech2").string(); }
  static bool has_espeak() { return std::system("espeak-ng --version >/dev/null 2>&1") == 0; }
  std::string out(const std::string& name) const { return (folder_ / name).string(); }

  std::string failure(int exit_code, const std::string& arguments, const std::string& before = "") {
    const Result result = run("speak " + arguments, before);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(folder_.names(), std::vector<std::string>()) << arguments;
    return result.err;
  }

  // Ids of "Hello." and a file with them.
  std::string ids_file(const std::string& text = "1 0 20 0 59 0 24 0 120 0 27 0 100 0 10 0 2\n") {
    std::ofstream(ids_ / "ids.txt") << text;
    return (ids_ / "ids.txt").string();
  }

  // A voice of another family, in a folder.
  std::string exported_family(const std::string& name, const std::string& options = "") const {
    const std::string path = (ids_ / "voice").string();
    const Result result =
        run("export -q --no-check " + options + " " + data("families/" + name) + " " + path);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return path;
  }

  static std::unique_ptr<TemporaryFolder> exported_;
  TemporaryFolder folder_, ids_;
};
std::unique_ptr<TemporaryFolder> SpeakCommand::exported_;

TEST_F(SpeakCommand, WritesAWavFile) {
  const Result result = run("speak " + voice() + " --ids " + ids_file() + " -o " + out("a.wav"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with(out("a.wav") + ": ")) << result.out;
  EXPECT_TRUE(contains(result.out, " s of audio, the first after ")) << result.out;
  const std::string samples = samples_in(contents(folder_ / "a.wav"), 16000);
  EXPECT_EQ(samples.size() % (2 * 256), 0U);
  EXPECT_GT(samples.size(), 2U * 256 * 9);
}

TEST_F(SpeakCommand, GivesTheSameBytesHoweverItIsAsked) {
  const std::string ids = "speak -q " + voice() + " --seed 5 --ids " + ids_file() + " ";
  ASSERT_EQ(run(ids + "-o " + out("a.wav")).exit_code, 0);
  const std::string wav = contents(folder_ / "a.wav");
  const std::string samples = samples_in(wav, 16000);
  EXPECT_EQ(run(ids + "--raw").out, samples);
  EXPECT_EQ(samples_in(run(ids + "-o -").out, 16000), samples) << "through a pipe";
  ASSERT_EQ(run(ids + "--raw -o " + out("a.raw")).exit_code, 0);
  EXPECT_EQ(contents(folder_ / "a.raw"), samples);
  ASSERT_EQ(run(ids + "-o " + out("a.wav")).exit_code, 0) << "over what was there";
  EXPECT_EQ(contents(folder_ / "a.wav"), wav);
  EXPECT_EQ(run("speak -q " + voice() + " --seed 5 --ids - --raw < " + ids_file()).out, samples);
  EXPECT_NE(run("speak -q " + voice() + " --seed 6 --raw --ids " + ids_file()).out, samples);
}

// 16-bit samples, at most one step apart.
void expect_close(const std::string& a, const std::string& b) {
  ASSERT_EQ(a.size(), b.size());
  int largest = 0;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) {
    const auto x = static_cast<std::int16_t>(number_at(a, i, 2));
    const auto y = static_cast<std::int16_t>(number_at(b, i, 2));
    largest = std::max(largest, std::abs(x - y));
  }
  EXPECT_LE(largest, 1);
}

TEST_F(SpeakCommand, StreamsWhatItSaysAtOnce) {
  std::string many;
  for (int i = 0; i < 12; ++i) many += "20 0 59 0 24 0 120 0 27 0 100 0 ";
  const std::string ids = "speak -q " + voice() + " --raw --ids " + ids_file(many) + " ";
  const std::string whole = run(ids + "--one-shot").out;
  EXPECT_GT(whole.size(), 2U * 256 * 140);
  for (const char* way : {"", "--chunk 1", "--chunk 7", "--chunk 45", "--chunk 100000",
                          "--decoder context", "--decoder context --chunk 22", "--threads 1"})
    expect_close(run(ids + way).out, whole);
}

TEST_F(SpeakCommand, TellsWhenPhonemesAreSpoken) {
  ASSERT_EQ(run("speak -q " + voice() + " --sentence-silence 0.5 --ids " +
                ids_file("1 20 2\n\n 1 59 0 2\n") + " -o " + out("a.wav") + " --durations " +
                out("a.json"))
                .exit_code,
            0);
  const Json json = Json::parse(contents(folder_ / "a.json"));
  EXPECT_EQ(json["sample_rate"], 16000);
  EXPECT_EQ(json["hop_length"], 256);
  ASSERT_EQ(json["sentences"].size(), 2U);
  double end = 0;
  for (const Json& sentence : json["sentences"]) {
    EXPECT_NEAR(sentence["start"].get<double>(), end, 1e-9);
    double phoneme_end = end;
    for (const Json& phoneme : sentence["phonemes"]) {
      EXPECT_NEAR(phoneme["start"].get<double>(), phoneme_end, 1e-9);
      phoneme_end = phoneme["end"].get<double>();
    }
    EXPECT_NEAR(phoneme_end, sentence["end"].get<double>(), 1e-9);
    end = phoneme_end + 0.5;
  }
  EXPECT_EQ(json["sentences"][1]["phonemes"].size(), 4U);
  const std::string samples = samples_in(contents(folder_ / "a.wav"), 16000);
  EXPECT_NEAR(static_cast<double>(samples.size()) / 2 / 16000, end, 1e-9);
}

TEST_F(SpeakCommand, SpeaksTextPhonemesAndLines) {
  if (!has_espeak()) GTEST_SKIP() << "there is no espeak-ng";
  const std::string of_text = run("speak -q " + voice() + " Hello. --raw").out;
  EXPECT_GT(of_text.size(), 2U * 256 * 9);
  EXPECT_EQ(run("speak -q " + voice() + " --phonemes 'həlˈoʊ.' --raw").out, of_text);
  EXPECT_EQ(run("speak -q " + voice() + " --raw", "printf 'Hello.\\n' |").out, of_text);
  std::ofstream(folder_ / "text") << "Hello.";
  EXPECT_EQ(run("speak -q " + voice() + " --raw -f " + out("text")).out, of_text);
  // Each line is a sentence, and each sentence has noise of its own.
  const std::string twice = run("speak -q " + voice() + " --raw", "printf 'Hello.\\nHello.' |").out;
  EXPECT_EQ(twice.substr(0, of_text.size()), of_text);
  EXPECT_GT(twice.size(), of_text.size());
}

TEST_F(SpeakCommand, SpeaksWhatArrivesBeforeTheRest) {
  if (!has_espeak()) GTEST_SKIP() << "there is no espeak-ng";
  // The other end writes its second line when it has heard the first.
  ASSERT_EQ(mkfifo(out("text").c_str(), 0600), 0);
  const std::string command =
      cat("timeout 60 '" VOXPORT_PROGRAM "' speak -q ", voice(), " --raw < ", out("text"),
          " | (head -c 1000 >/dev/null; touch ", out("heard"), "; cat >/dev/null)");
  std::thread speaking([&] { EXPECT_EQ(std::system(command.c_str()), 0); });
  {
    std::ofstream text(out("text"));
    text << "Hello.\n" << std::flush;
    for (int i = 0; i < 600 && !fs::exists(out("heard")); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(fs::exists(out("heard")));
    text << "And more.\n";
  }
  speaking.join();
}

TEST_F(SpeakCommand, TellsOfSymbolsThatTheVoiceDoesNotKnowOnce) {
  if (!has_espeak()) GTEST_SKIP() << "there is no espeak-ng";
  TemporaryFolder other;
  fs::copy(voice(), other.path(), fs::copy_options::recursive);
  Json config = Json::parse(contents(other / "voice.json"));
  config["phoneme_id_map"].erase("ə");
  std::ofstream(other / "voice.json") << config;
  const Result result =
      run("speak -q " + other.path().string() + " 'Hello, hello. Hello.' -o " + out("a.wav"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "voxport: warning: the voice has no symbol 'ə', which is left out\n");
}

TEST_F(SpeakCommand, SpeaksOneGraphAsAWhole) {
  ASSERT_EQ(
      run("export -q --no-check " + data("voices/single.ckpt") + " " + out("v.onnx")).exit_code, 0);
  const std::string ids = "speak " + out("v.onnx") + " --raw --ids " + ids_file("1 5 7 2");
  const Result result = run(ids);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(
      result.err,
      "voxport: the voice is one graph: each sentence is computed as a whole, without streaming\n");
  EXPECT_EQ(run(ids).out, result.out) << "the same seed";
}

TEST_F(SpeakCommand, ExportsACheckpointOnTheWay) {
  const std::string ids = " --raw -q --cache " + out("cache") + " --ids " + ids_file("1 5 7 2");
  const Result result = run("speak " + data("voices/single.ckpt") + ids);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto names = folder_.names();
  EXPECT_EQ(names.size(), 2U + 5U);  // cache, one folder, four files and their hashes
  EXPECT_EQ(run("speak " + data("voices/single.ckpt") + ids).out, result.out);
  EXPECT_EQ(folder_.names(), names);
}

TEST_F(SpeakCommand, SpeaksAsAnyOfItsSpeakers) {
  const std::string ids = "speak -q " + speakers() + " --raw --ids " + ids_file("1 5 7 9 2 3 4 2");
  const std::string first = run(ids).out;
  EXPECT_GT(first.size(), 0U);
  EXPECT_EQ(run(ids + " --speaker 0").out, first);
  EXPECT_NE(run(ids + " --speaker 1").out, first);
  EXPECT_TRUE(failure(2, speakers() + " --speaker 99 --ids " + ids_file() + " -o " + out("a.wav"))
                  .starts_with("voxport: there is no speaker '99'; the voice has "));
}

TEST_F(SpeakCommand, SpeaksAnyOfItsLanguages) {
  const std::string voice = exported_family("coqui/interpolate-3");
  const std::string ids = "speak -q " + voice + " --raw --ids " + ids_file("1 5 7 9 2 3 4 2");
  const std::string first = run(ids).out;
  EXPECT_GT(first.size(), 0U);
  EXPECT_EQ(run(ids + " --language l0").out, first);
  const std::string second = run(ids + " --language l1").out;
  EXPECT_NE(second, first);
  EXPECT_EQ(run(ids + " --language 1 --decoder context --chunk 2").out, second);
  const std::string to_file = " --ids " + ids_file() + " -o " + out("a.wav");
  EXPECT_TRUE(failure(2, voice + " --language fr" + to_file)
                  .starts_with("voxport: there is no language 'fr'; the voice has 2, from 0 to 1: "
                               "l0, l1\n"));
  EXPECT_TRUE(failure(2, speakers() + " --language fr" + to_file)
                  .starts_with("voxport: there is no language 'fr'; the voice has one\n"));
}

TEST_F(SpeakCommand, SaysWhenTheSpeakerIsAVector) {
  const std::string voice = exported_family("coqui/d-vectors", "--d-vector");
  EXPECT_TRUE(failure(4, voice + " --ids " + ids_file() + " -o " + out("a.wav"))
                  .starts_with("voxport: 'encoder.onnx' takes its speaker as a vector, in the "
                               "input d_vector, which cannot be given here; a voice that was "
                               "exported with its file of speakers takes them by name\n"));
}

TEST_F(SpeakCommand, SpeaksAFastSpeech2) {
  const std::string ids = " --ids '3 1 4 1 5 9 2 6 5 3 5 8 9 7 9'";
  const std::string speak = "speak -q " + fastspeech2() + ids;
  const Result result = run(speak + " -o " + out("a.wav") + " --durations " + out("a.json"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string samples = samples_in(contents(folder_ / "a.wav"), 22050);
  const Json json = Json::parse(contents(folder_ / "a.json"));
  EXPECT_EQ(json["hop_length"], 15);
  EXPECT_EQ(json["sentences"][0]["phonemes"].size(), 15U);
  EXPECT_NEAR(json["sentences"][0]["end"].get<double>(),
              static_cast<double>(samples.size()) / 2 / 22050, 1e-9);
  for (const char* way : {"", " --one-shot", " --chunk 1", " --decoder context --chunk 7"})
    expect_close(run(speak + way + " --raw").out, samples);
  EXPECT_EQ(run(speak + " --seed 5 --raw").out, samples);
  const std::string from_file = " --ids " + ids_file("3 1 4 1 5 9 2 6 5 3 5 8 9 7 9\n");
  EXPECT_EQ(run("speak -q " + fastspeech2() + from_file + " --raw").out, samples);
  for (const char* other : {" --pitch 3", " --speaker 2", " --length-scale 1.5"})
    EXPECT_NE(run(speak + other + " --raw").out, samples) << other;
  EXPECT_GT(run(speak + " --length-scale 1.5 --raw").out.size(), samples.size());
}

TEST_F(SpeakCommand, SaysWhatAFastSpeech2DoesNotHave) {
  const std::string to = " -o " + out("a.wav");
  const std::string ids = fastspeech2() + to + " --ids '1 2 3' ";
  EXPECT_EQ(failure(2, ids + "--noise-scale 1"),
            "voxport: this voice has no noise scale to choose\n");
  EXPECT_TRUE(contains(failure(2, ids + "--energy 2"), "exported with one"));
  EXPECT_TRUE(contains(failure(2, voice() + to + " --pitch 2 --ids '1 2 3'"), "no pitch control"));
  EXPECT_TRUE(contains(failure(4, fastspeech2() + " Hello." + to),
                       "takes phoneme ids\n  see --phonemes and --ids\n"));
  EXPECT_TRUE(contains(failure(4, fastspeech2() + " --phonemes a" + to), "takes no phonemes"));
  EXPECT_EQ(failure(2, fastspeech2() + to + " --ids '1 2\n 20'"),
            "voxport: line 2, column 2: found '20', expected a phoneme id, 0 to 19\n"
            "  while speaking\n");
  EXPECT_EQ(failure(2, ids + "--length-scale 0.01"),
            "voxport: there is no audio: no phoneme lasts a whole frame at this length scale\n");
  const std::string half = data("voices/fastspeech2-module.pth.tar");
  EXPECT_EQ(failure(4, half + to + " --ids '1 2 3' --cache " + out("cache")),
            cat("voxport: a FastSpeech2 does not speak alone; a folder that `voxport export "
                "FASTSPEECH2 OUT --vocoder HIFIGAN` writes does\n  while loading the voice '",
                half, "'\n"));
  EXPECT_EQ(run("export -q --no-check " + half + " --config " +
                data("voices/fastspeech2-module.model.yaml") + " " + out("mel"))
                .exit_code,
            0);
  EXPECT_TRUE(contains(run("speak " + out("mel") + " --ids '1 2'").err,
                       "`voxport export FASTSPEECH2 OUT --vocoder HIFIGAN`"));
}

// Neither by another name, nor when the shell has opened it.
TEST_F(SpeakCommand, DoesNotOverwriteWhatItReads) {
  const std::string text = "1 20 2\n";
  const std::string ids = ids_file(text);
  fs::create_symlink(ids, ids_ / "link");
  for (const std::string& arguments :
       {"--ids " + ids + " -o " + ids, "--ids " + ids + " -o " + (ids_ / "link").string(),
        "--ids - -o " + ids + " <" + ids, "-f " + ids + " --raw -o " + ids,
        "--ids " + ids + " --raw --durations " + ids}) {
    EXPECT_TRUE(contains(failure(2, "-q " + voice() + " " + arguments),
                         "would overwrite the text that is read; choose another"))
        << arguments;
    EXPECT_EQ(contents(ids), text) << arguments;
  }
}

TEST_F(SpeakCommand, TellsItsFigures) {
  const Result result =
      run("speak --stats " + voice() + " --ids " + ids_file() + " -o " + out("a.wav"));
  for (const char* what : {"voice loaded in", "first audio after", "real-time factor", "chunks"})
    EXPECT_TRUE(contains(result.out, what)) << result.out;
}

// What goes wrong is told once, in one line, and leaves nothing behind.
TEST_F(SpeakCommand, RefusesWhatMakesNoSense) {
  const std::string to = " -o " + out("a.wav");
  const std::string ids = " --ids " + ids_file() + to;
  EXPECT_EQ(failure(2, voice() + " --ids /dev/null" + to),
            "voxport: there is nothing to speak: the text has no words\n");
  EXPECT_EQ(failure(2, voice() + " ''" + to),
            "voxport: there is nothing to speak: the text has no words\n");
  EXPECT_EQ(failure(2, voice() + " --ids " + ids_file("1 0 999 2") + to),
            "voxport: line 1, column 5: found '999', expected a phoneme id, 0 to 255\n"
            "  while speaking\n");
  EXPECT_TRUE(contains(failure(2, voice() + " --ids " + ids_file("1 0 -3 2") + to), "'-3'"));
  EXPECT_TRUE(contains(failure(2, voice() + " --phonemes 'h\xE2\x98\x83'" + to), "\xE2\x98\x83"));
  EXPECT_TRUE(contains(failure(2, voice() + ids + " --length-scale 0"), "the length scale is 0"));
  EXPECT_TRUE(contains(failure(2, voice() + ids + " --noise-scale nan"),
                       "--noise-scale: 'nan' is not a number"));
  EXPECT_TRUE(contains(failure(2, voice() + " text" + ids), "exclude one another"));
  EXPECT_TRUE(contains(failure(2, voice() + ids + " --chunk 0"), "--chunk"));
  EXPECT_TRUE(contains(failure(3, out("nowhere") + ids), "No such file or directory"));
  EXPECT_TRUE(contains(failure(3, ids_.path().string() + ids), "is not a voice: expected"));
  EXPECT_TRUE(contains(failure(4, speakers() + " Hello." + to), "takes no text"));
  EXPECT_TRUE(
      contains(failure(6, voice() + " --ids " + ids_file() + " -o /proc/a.wav"), "cannot write"));
}

TEST_F(SpeakCommand, RefusesTextThatIsNotUtf8) {
  if (!has_espeak()) GTEST_SKIP() << "there is no espeak-ng";
  EXPECT_EQ(failure(3, voice() + " \"$(printf 'ab\\377')\" -o " + out("a.wav")),
            "voxport: the text is not UTF-8 at byte 2\n  while speaking\n");
}

TEST_F(SpeakCommand, RefusesADecoderOfAnotherVoice) {
  TemporaryFolder mixed;
  fs::copy(voice(), mixed.path(), fs::copy_options::recursive);
  ASSERT_EQ(
      run("export -q --no-check " + data("voices/single.ckpt") + " " + (mixed / "other").string())
          .exit_code,
      0);
  fs::copy(mixed / "other/decoder_stream.onnx", mixed / "decoder_stream.onnx",
           fs::copy_options::overwrite_existing);
  EXPECT_TRUE(contains(
      failure(3, mixed.path().string() + " --ids " + ids_file() + " -o " + out("a.wav")),
      "'encoder.onnx' and 'decoder_stream.onnx' were exported from different checkpoints"));
}

// Neither waits for text that nobody will hear.
TEST_F(SpeakCommand, EndsWhenNobodyListens) {
  const std::string command =
      cat("(cat ", ids_file(), "; sleep 6) | timeout 5 '" VOXPORT_PROGRAM "' speak -q ", voice(),
          " --ids - --raw 2>'", out("told"), "' | head -c 10 >/dev/null");
  const auto start = std::chrono::steady_clock::now();
  std::string many;
  for (int i = 0; i < 200; ++i) many += "1 0 20 0 59 0 24 0 120 0 27 0 100 0 10 0 2\n";
  ids_file(many);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(contents(folder_ / "told"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// A program in the place of a player.
class FakePlayer {
 public:
  explicit FakePlayer(const std::string& script) {
    std::ofstream(folder_ / "aplay") << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_ / "aplay", fs::perms::owner_all);
  }
  std::string path() const { return cat("PATH='", folder_.path().string(), "':/usr/bin:/bin"); }

 private:
  TemporaryFolder folder_;
};

TEST_F(SpeakCommand, PlaysWhereNothingElseIsSaid) {
  const std::string ids = "speak -q " + voice() + " --ids " + ids_file();
  const FakePlayer player(cat("echo \"$@\" >'", out("asked"), "'; cat >'", out("heard"), "'"));
  const Result result = run(ids, player.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(contents(folder_ / "asked"), "-q -t raw -f S16_LE -c 1 -r 16000\n");
  EXPECT_EQ(contents(folder_ / "heard"), run(ids + " --raw").out);
}

TEST_F(SpeakCommand, TellsWhenThePlayerFails) {
  const FakePlayer player("exit 1");
  EXPECT_EQ(failure(6, "-q " + voice() + " --ids " + ids_file(), player.path()),
            "voxport: aplay could not play the audio; -o FILE writes it to a file\n");
  const TemporaryFolder nothing;
  EXPECT_TRUE(contains(failure(4, "-q " + voice() + " --ids " + ids_file(),
                               cat("PATH='", nothing.path().string(), "'")),
                       "there is no program to play audio with (aplay, paplay, pacat)"));
}

TEST_F(SpeakCommand, FailsOnAFullDisk) {
  const Result result = run("speak -q " + voice() + " --raw -o /dev/full --ids " + ids_file());
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_EQ(result.err, "voxport: cannot write to '/dev/full': No space left on device\n");
}

}  // namespace
}  // namespace voxport::speak_test
