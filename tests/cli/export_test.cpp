// voxport export, as one types it: what it prints, what it leaves on the disk, and that it leaves
// nothing there when something goes wrong.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::export_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Names = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

// Every file below a folder, by its path there, with what is in it. Folders end in a slash.
Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_directory()) {
      files[name + "/"] = "";
    } else {
      files[name] = contents(entry.path());
    }
  }
  return files;
}

class ExportCommand : public testing::Test {
 protected:
  std::string out(const std::string& name = "out") const { return (folder_ / name).string(); }

  // The whole message of an export that fails. Nothing must be left behind, neither where nothing
  // was nor in place of an older export.
  std::string failure(int exit_code, const std::string& arguments, const std::string& before = "") {
    const Files files = files_in(folder_.path());
    const Result result = run("export " + arguments, before);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_TRUE(files_in(folder_.path()) == files) << arguments;
    return result.err;
  }

  TemporaryFolder folder_;
};

// The voice that is exported where any will do.
std::string voice() { return data("voices/small-flow.ckpt"); }
std::string while_exporting(const std::string& checkpoint) {
  return cat("  while exporting '", checkpoint, "'\n");
}
std::string while_writing(const std::string& file) { return cat("  while writing '", file, "'\n"); }

constexpr const char* kTryHelp = "  try 'voxport export --help'\n";

// Numbers as N and gaps as one space: sizes and times differ from machine to machine. (Debian's g++
// sees ghosts in std::regex under sanitizers.)
std::string without_numbers(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool goes_on = !plain.empty() && plain.back() == 'N' && (is_digit || c == '.');
    if (goes_on || (c == ' ' && plain.ends_with(' '))) continue;
    plain += is_digit ? 'N' : c;
  }
  return plain;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST_F(ExportCommand, SumsUpWhatItWrote) {
  NEEDS_RUNTIME();
  const Result result = run("export " + voice() + " " + out());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(folder_.names(), (Names{"out", "out/decoder.onnx", "out/decoder_stream.onnx",
                                    "out/encoder.onnx", "out/voice.json"}));
  EXPECT_TRUE(result.out.starts_with(
      "VITS (Piper): 40 symbols, 12 channels, 4 speakers, stochastic durations, 2 upsamplings, "
      "residual blocks of type 2\n"))
      << result.out;
  const std::regex sizes("ran at N(, N)+");
  EXPECT_EQ(std::regex_replace(without_numbers(replaced(result.out, out(), "OUT")), sizes, "ran"),
            "VITS (Piper): N symbols, N channels, N speakers, stochastic durations, N upsamplings, "
            "residual blocks of type N\n"
            " OUT/encoder.onnx N kB N nodes\n"
            " OUT/decoder.onnx N kB N nodes\n"
            " OUT/decoder_stream.onnx N kB N nodes\n"
            " OUT/voice.json N B\n"
            " axis batch_size of encoder.onnx: dynamic; ran\n"
            " axis phonemes of encoder.onnx: dynamic; ran\n"
            " axis batch_size of decoder.onnx: dynamic; ran\n"
            " axis frames of decoder.onnx: dynamic; ran\n"
            " axis batch_size of decoder_stream.onnx: dynamic; ran\n"
            " axis frames of decoder_stream.onnx: dynamic; ran\n"
            " opset N; checked by ONNX's checker, ONNX's shape inference, ONNX Runtime N (N runs, "
            "all axes dynamic); N ms\n"
            " there is no phoneme_id_map: the voice takes phoneme ids, but no text; its config "
            "would contain one\n"
            " the speakers have no names; they are called N to N\n");
}

TEST_F(ExportCommand, WritesOneGraphWhereTheNameIsThatOfAGraph) {
  EXPECT_EQ(run("export -q " + voice() + " " + out("a/b.onnx")).exit_code, 0);
  EXPECT_EQ(folder_.names(), (Names{"a", "a/b.onnx", "a/b.onnx.json"}));
  EXPECT_FALSE(Json::parse(contents(folder_ / "a/b.onnx.json")).contains("streaming"));
}

// A way that is only there once it is made shorter, and a link that leads to nothing yet.
TEST_F(ExportCommand, WritesWhereTheNameLeads) {
  const Result result = run("export --json " + voice() + " " + out("nowhere/.."));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(folder_.names(),
            (Names{"decoder.onnx", "decoder_stream.onnx", "encoder.onnx", "voice.json"}));
  EXPECT_EQ(Json::parse(result.out)["files"][0]["bytes"], fs::file_size(folder_ / "encoder.onnx"));

  fs::create_symlink("nowhere.onnx", folder_ / "d.onnx");
  EXPECT_EQ(run("export -q " + voice() + " " + out("d.onnx")).err, "");
  EXPECT_TRUE(fs::is_symlink(folder_ / "d.onnx"));
  EXPECT_TRUE(fs::is_regular_file(folder_ / "nowhere.onnx"));
}

TEST_F(ExportCommand, FailsWhenItsSummaryCannotBeWritten) {
  const std::string command = cat("'" VOXPORT_PROGRAM "' export ", voice(), " ", out(),
                                  " >/dev/full 2>'", out("told"), "'");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 6);
  EXPECT_EQ(contents(folder_ / "told"),
            "voxport: cannot write to standard output: No space left on device\n"
            "  while printing the summary; the exported files are complete and stay\n");
}

TEST_F(ExportCommand, TellsScriptsInJson) {
  NEEDS_RUNTIME();
  const Result result = run("export --json --opset 15 " + voice() + " " + out());
  EXPECT_EQ(result.exit_code, 0);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["architecture"], "VITS (Piper)");
  EXPECT_EQ(json["opset"], 15);
  ASSERT_EQ(json["files"].size(), 4U);
  for (const Json& file : json["files"])
    EXPECT_EQ(file["bytes"], fs::file_size(file["path"].get<std::string>()));
  EXPECT_EQ(json["files"][0]["path"], out("out/encoder.onnx"));
  EXPECT_GT(json["files"][0]["nodes"], 100);
  EXPECT_FALSE(json["files"][3].contains("nodes"));
  ASSERT_EQ(json["checks"].size(), 3U);
  EXPECT_EQ(json["checks"][0], "ONNX's checker");
  EXPECT_EQ(json["checks"][1], "ONNX's shape inference");
  EXPECT_TRUE(json["checks"][2].get<std::string>().starts_with("ONNX Runtime "));
  EXPECT_EQ(json["notes"].size(), 2U);
  EXPECT_EQ(json["warnings"], Json::array());
}

TEST_F(ExportCommand, RunsNothingWhenAskedNotTo) {
  const Result result = run("export --json --no-check " + voice() + " " + out());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(Json::parse(result.out)["checks"].size(), 2U);
}

TEST_F(ExportCommand, SaysWhereThereIsNothingToRunGraphsWith) {
  setenv("VOXPORT_ONNXRUNTIME", "/nowhere/libonnxruntime.so", 1);
  const Result result = run("export " + voice() + " " + out());
  unsetenv("VOXPORT_ONNXRUNTIME");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("the graphs were not run: ONNX Runtime is not installed"),
            std::string::npos)
      << result.out;
}

TEST_F(ExportCommand, IsSilentWhenQuiet) {
  const Result result = run("export -q " + voice() + " " + out());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(ExportCommand, TellsStagesWithDebug) {
  const Result result = run("export --debug -q " + voice() + " " + out());
  const std::string stages = without_numbers(result.err);
  for (const char* stage :
       {"voxport: opened the checkpoint: N symbols, ",
        "voxport: took the weights: ", "voxport: optimised encoder.onnx: ",
        "voxport: checked decoder.onnx: ", "voxport: wrote decoder.onnx (N ms)\n",
        "voxport: gave the files their names: N files (N ms)\n"})
    EXPECT_TRUE(contains(stages, stage)) << stage << "\n" << stages;
}

TEST_F(ExportCommand, FindsTheConfigBesideTheCheckpoint) {
  fs::copy_file(voice(), folder_ / "a.ckpt");
  write_file(folder_ / "a.json", R"({"phoneme_id_map": {"_": [0]}, "dataset": "mine"})");
  const Result result = run("export " + out("a.ckpt") + " " + out());
  EXPECT_TRUE(contains(result.out, cat("  the config is ", out("a.json"), "\n"))) << result.out;
  EXPECT_EQ(Json::parse(contents(folder_ / "out/voice.json"))["dataset"], "mine");

  write_file(folder_ / "b.json", R"({"dataset": "yours"})");
  const Result given = run("export --config " + out("b.json") + " " + out("a.ckpt") + " " + out());
  EXPECT_FALSE(contains(given.out, "the config is")) << given.out;
  EXPECT_EQ(Json::parse(contents(folder_ / "out/voice.json"))["dataset"], "yours");
}

TEST_F(ExportCommand, WritesTokensForSherpa) {
  const fs::path bundled = voices_folder() / "slt-x_low.ckpt";
  EXPECT_EQ(run("export -q --for sherpa " + bundled.string() + " " + out("v.onnx")).exit_code, 0);
  EXPECT_EQ(folder_.names(), (Names{"tokens.txt", "v.onnx", "v.onnx.json"}));
  EXPECT_TRUE(contents(folder_ / "tokens.txt").starts_with("_ 0\n^ 1\n$ 2\n  3\n! 4\n"));
  const std::string graph = contents(folder_ / "v.onnx");
  for (const char* text : {"model_type", "piper", "n_speakers", "sample_rate"})
    EXPECT_TRUE(contains(graph, text)) << text;
}

TEST_F(ExportCommand, WritesAPageForTheWeb) {
  const Result result = run(cat("export --for web ", voice(), " ", out()));
  EXPECT_TRUE(contains(result.out, cat("  the page requires onnxruntime-web beside it: see ",
                                       out("out/README.md"), "\n")))
      << result.out;
  EXPECT_EQ(
      folder_.names(),
      (Names{"out", "out/README.md", "out/decoder_stream.onnx", "out/encoder.onnx", "out/graph.js",
             "out/index.html", "out/noise.js", "out/page.css", "out/page.js", "out/picture.js",
             "out/playback.js", "out/player.js", "out/sentences.js", "out/text.js", "out/view.js",
             "out/voice.json", "out/voxport.js", "out/wav.js"}));
  EXPECT_TRUE(contains(contents(folder_ / "out/encoder.onnx"), "noise_frames"));
}

TEST_F(ExportCommand, TellsThatTokensWereReplaced) {
  const fs::path bundled = voices_folder() / "slt-x_low.ckpt";
  const std::string command = "export --for sherpa " + bundled.string() + " ";
  const std::string note =
      cat("  ", out("tokens.txt"), " was replaced: it had other tokens, maybe another voice's\n");
  EXPECT_FALSE(contains(run(command + out("v.onnx")).out, "was replaced"));
  EXPECT_FALSE(contains(run(command + out("w.onnx")).out, "was replaced")) << "they are the same";
  const std::string tokens = contents(folder_ / "tokens.txt");
  write_file(folder_ / "tokens.txt", "_ 0\n");
  const Result result = run(command + out("v.onnx"));
  EXPECT_TRUE(contains(result.out, note)) << result.out;
  EXPECT_EQ(contents(folder_ / "tokens.txt"), tokens);
}

TEST_F(ExportCommand, WritesARepositoryForTriton) {
  NEEDS_RUNTIME();
  const Result result = run("export --for triton " + voice() + " " + out());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string name = fs::path(voice()).stem().native();
  const std::string decoder = name + "_decoder";
  const std::string encoder = name + "_encoder";
  EXPECT_EQ(folder_.names(),
            (Names{"out", "out/README.md", "out/" + decoder, "out/" + decoder + "/1",
                   "out/" + decoder + "/1/model.onnx", "out/" + decoder + "/config.pbtxt",
                   "out/" + encoder, "out/" + encoder + "/1", "out/" + encoder + "/1/model.onnx",
                   "out/" + encoder + "/config.pbtxt", "out/voice.json"}));
  for (const std::string& model : {encoder, decoder})
    EXPECT_TRUE(
        contains(result.out, cat("  axis    batch_size of ", model, "/1/model.onnx: dynamic; ran")))
        << result.out;
  const std::string readme = contents(folder_ / "out/README.md");
  for (const std::string& text : {cat("call(\"", encoder, "\""), cat("call(\"", decoder, "\""),
                                  std::string("def speak(ids, speaker, frames_of_piece=45):"),
                                  std::string("\"sid\": np.array([[speaker]], np.int64),"),
                                  std::string("\"g\": latent.as_numpy(\"g\"),")})
    EXPECT_TRUE(contains(readme, text)) << text;
  EXPECT_FALSE(std::regex_search(readme, std::regex("\\{[a-z_]+\\}"))) << "not filled in";
}

TEST_F(ExportCommand, TakesSettingsAsPythonWritesThem) {
  const std::string bare = data("voices/bare.ckpt");
  EXPECT_EQ(run("export -q --set sample_rate=22050 --set "
                "upsample_rates=8,8,4 --set "
                "'resblock_dilation_sizes=((1, 2), (2, 6), (3, 12))' " +
                bare + " " + out("a"))
                .exit_code,
            0);
  EXPECT_EQ(run("export -q --set sample_rate=22050 --set "
                "'upsample_rates=[8, 8, 4]' " +
                bare + " " + out("b"))
                .exit_code,
            0);
  EXPECT_TRUE(files_in(folder_ / "a") == files_in(folder_ / "b"));
}

// A model that would speak badly is still the caller's to have.
TEST_F(ExportCommand, WarnsOfWeightsThatAreNoNumbers) {
  const std::string checkpoint = data("broken_voices/nan-weight.ckpt");
  const Result result = run("export --quiet " + checkpoint + " " + out());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "voxport: warning: tensor 'model_g.enc_p.proj.bias': 1 of 12 values are NaN or "
            "infinite\n"
            "voxport: warning: tensor 'model_g.dec.conv_post.weight': 1 of 28 values are NaN or "
            "infinite\n");
  EXPECT_EQ(folder_.names().size(), 5U);
  const Json json = Json::parse(run("export --json " + checkpoint + " " + out()).out);
  EXPECT_EQ(json["warnings"].size(), 2U);
}

TEST_F(ExportCommand, NotesTheLeastSizeThatAWindowNeeds) {
  NEEDS_RUNTIME();
  const Result result = run("export " + data("programs/conv3d_video.ts26.pt") + " " +
                            (folder_ / "video.onnx").string());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "all axes dynamic")) << result.out;
  EXPECT_TRUE(
      contains(result.out,
               "  axis    input_dim_2: dynamic, at least 3, by Conv '4.Conv', its kernel of "
               "[3, 1, 1]; ran at "))
      << result.out;
}

TEST_F(ExportCommand, ListsTheAxesOfAProgramWithTheSizesThatWereRun) {
  NEEDS_RUNTIME();
  const std::string command =
      "export " + data("docs/rnn.pt2") + " " + (folder_ / "rnn.onnx").string();
  const Result result = run(command + " --dynamic x:2=features --allow-fixed");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "  axis    features: fixed at ")) << result.out;
  EXPECT_TRUE(contains(result.out, ": dynamic; ran at 1, 3, 4\n")) << result.out;
  const Result unchecked = run(command + " --no-check");
  EXPECT_TRUE(contains(unchecked.out, ": dynamic, but not run\n")) << unchecked.out;
}

TEST_F(ExportCommand, ExplainsWrongUsage) {
  const std::string to = voice() + " " + out();
  const auto with_help = [](const char* message) {
    return cat("voxport: ", message, "\n", kTryHelp);
  };
  EXPECT_EQ(failure(2, ""), with_help("CHECKPOINT is required"));
  EXPECT_EQ(failure(2, voice()), with_help("OUT is required"));
  EXPECT_EQ(failure(2, "--allow-fixed " + to).substr(0, 65),
            "voxport: this is a checkpoint, whose network has the inputs and o");
  EXPECT_EQ(failure(2, "--opset 12 " + to),
            with_help("--opset: '12' is not a whole number from 13 to 21"));
  EXPECT_EQ(failure(2, "--opset 22 " + to),
            with_help("--opset: '22' is not a whole number from 13 to 21"));
  EXPECT_EQ(failure(2, "--noise no " + to), with_help("--noise: no not in {graph,input}"));
  EXPECT_EQ(failure(2, "--cut no " + to), with_help("--cut: no not in {before-flow,after-flow}"));
  EXPECT_EQ(failure(2, "--for you " + to), with_help("--for: you not in {sherpa,web,triton}"));
  EXPECT_EQ(failure(2, "--set rates " + to), with_help("--set: 'rates' is not NAME=VALUE"));
  EXPECT_EQ(failure(2, "--set =1 " + to), with_help("--set: '=1' is not NAME=VALUE"));
}

TEST_F(ExportCommand, ExplainsWhatDoesNotGoTogether) {
  const std::string to = voice() + " " + out();
  const std::string one = voice() + " " + out("v.onnx");
  EXPECT_EQ(failure(2, "--config a --config b " + to),
            "voxport: a VITS has one config, but 2 were given\n" + while_exporting(voice()));
  EXPECT_EQ(failure(2, "--for sherpa " + to),
            "voxport: sherpa-onnx takes a voice as one graph: let OUT end in .onnx\n" +
                while_exporting(voice()));
  EXPECT_EQ(failure(2, "--for triton " + one),
            "voxport: Triton takes a voice as a model repository, which is a folder: OUT must not "
            "end in .onnx\n" +
                while_exporting(voice()));
  EXPECT_EQ(failure(2, "--for sherpa --noise input " + one),
            "voxport: sherpa-onnx knows neither noise inputs nor scales per row\n" +
                while_exporting(voice()));
  EXPECT_EQ(failure(2, cat("--for sherpa --d-vector ", data("families/coqui/d-vectors"), " ",
                           out("v.onnx"))),
            "voxport: sherpa-onnx chooses speakers by number: it has no input d_vector\n" +
                while_exporting(data("families/coqui/d-vectors")));
  EXPECT_EQ(failure(2, "--for sherpa --batch-scales " + one),
            "voxport: sherpa-onnx knows neither noise inputs nor scales per row\n" +
                while_exporting(voice()));
  EXPECT_EQ(failure(2, "--for web " + one),
            "voxport: a voice for the web is a folder: OUT must not end in .onnx\n" +
                while_exporting(voice()));
  EXPECT_EQ(failure(2, "--for web --batch-scales " + to),
            "voxport: a voice for the web has one set of scales, not one per row\n" +
                while_exporting(voice()));
  EXPECT_EQ(failure(2, cat("--for web --d-vector ", data("families/coqui/d-vectors"), " ", out())),
            "voxport: a voice for the web chooses speakers by number: it has no input d_vector\n" +
                while_exporting(data("families/coqui/d-vectors")));
  EXPECT_EQ(failure(2, "--for sherpa " + one),
            "voxport: sherpa-onnx requires a phoneme_id_map, which the voice's config contains\n" +
                while_exporting(voice()) + "  see --config\n");
}

TEST_F(ExportCommand, RefusesAnEmptyName) {
  EXPECT_EQ(failure(2, voice() + " ''", "cd '" + folder_.path().string() + "';"),
            "voxport: OUT is empty, expected a folder or a file that ends in .onnx\n" +
                while_exporting(voice()));
}

TEST_F(ExportCommand, NeverOverwritesWhatItReads) {
  fs::create_directories(folder_ / "q");
  const std::string checkpoint = out("q/voice.ckpt");
  fs::copy_file(voice(), checkpoint);
  write_file(folder_ / "q/voice.json", "{}");
  EXPECT_EQ(failure(2, checkpoint + " " + out("q")),
            cat("voxport: '", out("q/voice.json"), "' would overwrite the config '",
                out("q/voice.json"), "'; choose another OUT, or give a copy of the config\n",
                while_exporting(checkpoint), "  see --config\n"));
  fs::create_symlink("q/voice.json", folder_ / "v.onnx.json");
  EXPECT_EQ(failure(2, "--config " + out("q/voice.json") + " " + voice() + " " + out("v.onnx")),
            cat("voxport: '", out("v.onnx.json"), "' would overwrite the config '",
                out("q/voice.json"), "'; choose another OUT, or give a copy of the config\n",
                while_exporting(voice()), "  see --config\n"));
  using Pair = std::pair<const char*, const char*>;
  for (const auto& [name, to] : {Pair("decoder.onnx", ""), Pair("voice.onnx", "voice.onnx"),
                                 Pair("voice.onnx.data", "voice.onnx")}) {
    fs::copy_file(voice(), folder_ / name);
    EXPECT_EQ(failure(2, out(name) + " " + out(to)),
              cat("voxport: '", out(name), "' would overwrite the checkpoint '", out(name),
                  "'; choose another OUT\n", while_exporting(out(name))));
  }
}

TEST_F(ExportCommand, WritesWeightsOfPublishedVoicesAlone) {
  EXPECT_EQ(failure(2, voice() + " " + out("w.safetensors")),
            "voxport: OUT ends in .safetensors, but weights are written only of a voice that was "
            "published as an ONNX graph; expected a folder or a file that ends in .onnx\n" +
                while_exporting(voice()));
}

TEST_F(ExportCommand, RefusesWhatItDoesNotKnow) {
  const auto refusal = [&](int exit_code, const std::string& name) {
    const std::string checkpoint = data(name);
    const std::string message = failure(exit_code, checkpoint + " " + out());
    const std::string end = while_exporting(checkpoint);
    EXPECT_TRUE(message.ends_with(end)) << message;
    return message.substr(0, message.size() - end.size());
  };
  EXPECT_EQ(
      refusal(3, "voices/nowhere.ckpt"),
      cat("voxport: cannot open '", data("voices/nowhere.ckpt"), "': No such file or directory\n"));
  EXPECT_TRUE(refusal(2, "voices")
                  .starts_with(cat("voxport: the folder '", data("voices"), "' contains ")));
  EXPECT_TRUE(refusal(3, "families").ends_with("NAME.onnx with NAME.onnx.json\n"));
  EXPECT_EQ(refusal(4, "checkpoints/state_dict.torch2.6.pt"),
            "voxport: the weights in this torch.save zip archive belong to no network that voxport "
            "can export; it knows VITS, FastSpeech2, HiFi-GAN generator\n");
  EXPECT_EQ(refusal(4, "voices/single.cases.safetensors"),
            "voxport: the weights in this safetensors file belong to no network that voxport can "
            "export; it knows VITS, FastSpeech2, HiFi-GAN generator\n");
}

std::string fastspeech2() { return data("voices/fastspeech2-log-mixed.pth.tar"); }
std::string its_configs() {
  return cat(" --config ", data("voices/fastspeech2-log-mixed.model.yaml"), " --config ",
             data("voices/fastspeech2-log-mixed.preprocess.yaml"));
}

TEST_F(ExportCommand, WritesAFastSpeech2AndItsVocoder) {
  const std::string vocoder =
      cat(" --vocoder ", data("voices/hifigan-resblock2.pth"), " --vocoder-config ",
          data("voices/hifigan-resblock2.config.json"));
  const Result result =
      run(cat("export --arch fastspeech2 ", fastspeech2(), " ", out(), its_configs(), vocoder));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with("FastSpeech2: 20 symbols, 12 channels, 1 + 3 layers, "));
  EXPECT_EQ(folder_.names(), (Names{"out", "out/acoustic.onnx", "out/vocoder.onnx",
                                    "out/vocoder_stream.onnx", "out/voice.json"}));
}

TEST_F(ExportCommand, WritesAVocoderAlone) {
  const std::string arguments = cat("export ", data("voices/hifigan-odd.pth"), " --config ",
                                    data("voices/hifigan-odd.config.json"), " ");
  EXPECT_EQ(run(arguments + out("vocoder.onnx")).exit_code, 0);
  EXPECT_EQ(run(arguments + out()).exit_code, 0);
  EXPECT_EQ(folder_.names(),
            (Names{"out", "out/vocoder.onnx", "out/vocoder_stream.onnx", "vocoder.onnx"}));
  EXPECT_EQ(contents(folder_ / "vocoder.onnx"), contents(folder_ / "out/vocoder.onnx"));
}

// The configs of both networks, under the names that their trainers give them or under their own.
TEST_F(ExportCommand, FindsTheConfigsBesideTheCheckpoints) {
  const TemporaryFolder beside;
  const auto copy = [&](const char* from, const char* to) {
    fs::copy(data(cat("voices/", from)), beside / to);
  };
  copy("fastspeech2-log-mixed.pth.tar", "90000.pth.tar");
  copy("fastspeech2-log-mixed.model.yaml", "model.yaml");
  copy("fastspeech2-log-mixed.preprocess.yaml", "90000.preprocess.yaml");
  copy("hifigan-resblock2.pth", "generator.pth");
  copy("hifigan-resblock2.config.json", "config.json");
  const std::string acoustic = (beside / "90000.pth.tar").string();
  const std::string vocoder = (beside / "generator.pth").string();
  const Result found =
      run(cat("export --no-check ", acoustic, " ", out("a"), " --vocoder ", vocoder));
  EXPECT_EQ(found.exit_code, 0) << found.err;
  for (const char* name : {"model.yaml", "90000.preprocess.yaml", "config.json"})
    EXPECT_TRUE(contains(found.out, cat("\n  the config is ", (beside / name).string(), "\n")))
        << found.out;
  const Result given = run(cat("export -q --no-check ", fastspeech2(), its_configs(), " ", out("b"),
                               " --vocoder ", data("voices/hifigan-resblock2.pth"),
                               " --vocoder-config ", data("voices/hifigan-resblock2.config.json")));
  EXPECT_EQ(given.exit_code, 0) << given.err;
  for (const char* name : {"acoustic.onnx", "vocoder.onnx", "vocoder_stream.onnx", "voice.json"})
    EXPECT_EQ(contents(folder_ / cat("a/", name)), contents(folder_ / cat("b/", name))) << name;
  EXPECT_EQ(run(cat("export -q --no-check ", vocoder, " ", out("vocoder.onnx"))).exit_code, 0);
  EXPECT_EQ(contents(folder_ / "vocoder.onnx"), contents(folder_ / "b/vocoder.onnx"));
}

TEST_F(ExportCommand, DoesNotGuessWhichConfigIsMeant) {
  const TemporaryFolder beside;
  const std::string checkpoint = (beside / "generator.pth").string();
  fs::copy(data("voices/hifigan-odd.pth"), checkpoint);
  for (const char* name : {"config.json", "generator.config.json"})
    fs::copy(data("voices/hifigan-odd.config.json"), beside / name);
  EXPECT_EQ(failure(2, cat(checkpoint, " ", out())),
            cat("voxport: both '", (beside / "config.json").string(), "' and '",
                (beside / "generator.config.json").string(), "' are beside the checkpoint '",
                checkpoint, "'; specify which one is its config\n", while_exporting(checkpoint)));
  EXPECT_EQ(run(cat("export -q --no-check ", checkpoint, " ", out(), " --config ",
                    (beside / "config.json").string()))
                .exit_code,
            0);
}

TEST_F(ExportCommand, RefusesAnArchitectureThatItIsNot) {
  EXPECT_EQ(failure(2, cat("--arch vits ", fastspeech2(), " ", out())),
            cat("voxport: the weights are those of a FastSpeech2 (20 symbols, 12 channels, 1 + 3 "
                "layers, 20 mel bands, one speaker), not of a VITS\n",
                while_exporting(fastspeech2())));
  EXPECT_TRUE(contains(failure(2, cat("--arch tacotron ", fastspeech2(), " ", out())), "--arch"));
  // What has no such tensors at all is told which are missing.
  const std::string other = data("checkpoints/state_dict.torch2.6.pt");
  EXPECT_TRUE(contains(failure(4, cat("--arch fastspeech2 ", other, " ", out())),
                       "\n  there is no tensor encoder.position_enc\n"));
}

TEST_F(ExportCommand, WritesNoRepositoryOfWhatHasNoDecoderForIt) {
  EXPECT_EQ(failure(2, "--for triton " + fastspeech2() + " " + out()),
            "voxport: this is a FastSpeech2, but\n  a target program is for VITS\n" +
                while_exporting(fastspeech2()));
  const std::string program = data("docs/rnn.pt2");
  EXPECT_EQ(failure(2, "--for triton " + program + " " + out()),
            "voxport: this is a program, but\n  a target program is for checkpoints\n" +
                while_exporting(program));
}

TEST_F(ExportCommand, RefusesOptionsOfOtherNetworks) {
  EXPECT_EQ(failure(2, cat("--noise input --batch-scales --for sherpa ", fastspeech2(), " ",
                           out("mel.onnx"))),
            cat("voxport: this is a FastSpeech2, but\n  noise as an input is for VITS\n"
                "  a set of scales per row is for VITS\n"
                "  a target program is for VITS\n",
                while_exporting(fastspeech2())));
  EXPECT_EQ(failure(2, cat("--energy-control own --padding silent --duration-control rounded ",
                           voice(), " ", out())),
            cat("voxport: this is a VITS, but\n  an energy control of its own is for "
                "FastSpeech2\n  silent padding is for FastSpeech2\n  a control of durations is for "
                "FastSpeech2\n",
                while_exporting(voice())));
}

TEST_F(ExportCommand, SaysWhatIsWrongWithAConfig) {
  const auto refusal = [&](int exit_code, const std::string& arguments) {
    const std::string message =
        failure(exit_code, cat(fastspeech2(), " ", out("mel.onnx"), " ", arguments));
    const std::string end = while_exporting(fastspeech2());
    EXPECT_TRUE(message.ends_with(end)) << message;
    return message.substr(0, message.size() - end.size());
  };
  const std::string model = data("voices/fastspeech2-log-mixed.model.yaml");
  EXPECT_EQ(refusal(2, cat("--config ", model, " --config ", model)),
            cat("voxport: both '", model, "' and '", model,
                "' have 'transformer', expected one of them to\n"));
  EXPECT_EQ(refusal(3, cat("--config ", fastspeech2())).substr(0, 16), "voxport: line 1 ");
  EXPECT_EQ(refusal(3, "--config nowhere.yaml"),
            "voxport: cannot open 'nowhere.yaml': No such file or directory\n"
            "  while reading 'nowhere.yaml'\n");
  EXPECT_EQ(refusal(4, cat("--config ", model, " --set transformer.encoder_head=5")),
            "voxport: the configs do not fit the checkpoint\n"
            "  the 12 channels are not a multiple of 'transformer.encoder_head' (5)\n");
  EXPECT_TRUE(refusal(2, "--set encoder_head=2")
                  .starts_with("voxport: a FastSpeech2 has no hyper-parameter 'encoder_head'; it "
                               "has max_seq_len, "));
  const std::string other = cat("--config ", data("voices/fastspeech2.model.yaml"));
  EXPECT_TRUE(contains(refusal(4, other),
                       "\n  hyper-parameter 'transformer.encoder_hidden' is 32, but the tensors "
                       "have 12\n"));
}

TEST_F(ExportCommand, TellsWhichTensorsDoNotFit) {
  const auto misfits = [&](const std::string& name) {
    const std::string checkpoint = data("broken_voices/" + name);
    const std::string message = failure(4, checkpoint + " " + out());
    const std::string start = "voxport: the checkpoint does not fit a VITS of 6 channels\n";
    const std::string end = while_exporting(checkpoint);
    EXPECT_TRUE(message.starts_with(start) && message.ends_with(end)) << message;
    return message.substr(start.size(), message.size() - start.size() - end.size());
  };
  EXPECT_EQ(misfits("missing-tensor.ckpt"),
            "  missing      model_g.enc_p.encoder.attn_layers.0.conv_q.weight\n"
            "  missing      model_g.dec.ups.0.bias\n");
  EXPECT_EQ(misfits("wrong-shape.ckpt"),
            "  wrong shape  model_g.enc_p.encoder.norm_layers_1.0.gamma  found [7], expected [6]\n"
            "  wrong shape  model_g.dec.ups.0.weight_v  found [8, 4, 16], expected [8, 4, 32]\n");
  EXPECT_EQ(misfits("extra-tensor.ckpt"),
            "  not read     model_g.dec.noise_convs.0.weight\n"
            "  not read     model_g.style\n");
}

TEST_F(ExportCommand, RefusesAConfigThatDoesNotFit) {
  const std::string to = voice() + " " + out();
  const std::string config = out("config.json");
  EXPECT_EQ(failure(3, "--config " + config + " " + to),
            cat("voxport: cannot open '", config, "': No such file or directory\n",
                while_exporting(voice())));
  write_file(config, "speakers: 3");
  EXPECT_EQ(failure(3, "--config " + config + " " + to),
            cat("voxport: the voice's config is not JSON\n  while reading '", config, "'\n",
                while_exporting(voice())));
  write_file(config, R"({"num_speakers": 1, "phoneme_id_map": {"a": [99]}})");
  EXPECT_EQ(failure(4, "--config " + config + " " + to),
            cat("voxport: the voice's config does not fit the checkpoint\n"
                "  phoneme_id_map: 'a' has the id 99, expected 0 to 39\n"
                "  'num_speakers' is 1, the checkpoint says 4\n  while reading '",
                config, "'\n", while_exporting(voice())));
  const std::string bare = data("voices/bare.ckpt");
  EXPECT_EQ(failure(4, bare + " " + out()),
            "voxport: the voice's config does not fit the checkpoint\n"
            "  the sample rate is unknown: set it in the config as audio.sample_rate, or as the "
            "hyper-parameter sample_rate, for example 22050\n"
            "  while doing without config.json, which is not beside the checkpoint\n" +
                while_exporting(bare));
}

TEST_F(ExportCommand, RefusesSettingsThatDoNotFit) {
  EXPECT_EQ(failure(4, "--set n_heads=5 --set upsample_rates=4,x " + voice() + " " + out()),
            "voxport: the checkpoint's hyper-parameters do not describe a VITS\n"
            "  'hidden_channels' (12) is not a multiple of 'n_heads' (5)\n"
            "  hyper-parameter 'upsample_rates' is a string, expected a list\n"
            "  'upsample_rates' cannot be read from any tensor's shape; set the hyper-parameter, "
            "for example as 'upsample_rates=8,8,4'\n" +
                while_exporting(voice()) + "  see --set\n");
  EXPECT_TRUE(failure(2, "--set heads=2 " + voice() + " " + out())
                  .starts_with("voxport: a VITS has no hyper-parameter 'heads'; it has "));
}

TEST_F(ExportCommand, ExplainsWhereItCannotWrite) {
  EXPECT_EQ(failure(6, voice() + " /proc/out"),
            "voxport: cannot write '/proc/out/encoder.onnx': No such file or directory\n" +
                while_writing("/proc/out/encoder.onnx") + while_exporting(voice()));
  EXPECT_EQ(failure(6, voice() + " /dev/null"),
            "voxport: '/dev/null' is a file, expected a folder\n" +
                while_writing("/dev/null/encoder.onnx") + while_exporting(voice()));
  fs::create_directories(folder_ / "v.onnx");
  EXPECT_EQ(failure(6, voice() + " " + out("v.onnx")),
            cat("voxport: '", out("v.onnx"), "' is a folder, expected the name of a file\n",
                while_writing(out("v.onnx")), while_exporting(voice())));
  fs::create_directories(folder_ / "out/voice.json");
  const std::string message = failure(6, voice() + " " + out());
  EXPECT_TRUE(message.starts_with(
      cat("voxport: '", out("out/voice.json"), "' is a folder, expected the name of a file\n")))
      << message;
}

TEST_F(ExportCommand, ExplainsAFolderThatIsNotOurs) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::create_directories(folder_ / "theirs");
  fs::permissions(folder_ / "theirs", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(failure(6, voice() + " " + out("theirs")),
            cat("voxport: cannot write '", out("theirs/encoder.onnx"), "': Permission denied\n",
                while_writing(out("theirs/encoder.onnx")), while_exporting(voice())));
}

// A limit on the size of files, in place of a disk that is full.
TEST_F(ExportCommand, LeavesNothingWhereThereIsNoRoom) {
  const std::string limit = "ulimit -f 16;";  // blocks of 512 bytes or 1 KiB, as the shell has it
  const std::string expected =
      cat("voxport: cannot write '", out("out/encoder.onnx"), "': File too large\n",
          while_writing(out("out/encoder.onnx")), while_exporting(voice()));
  EXPECT_EQ(failure(6, voice() + " " + out(), limit), expected);
  ASSERT_EQ(run("export -q " + voice() + " " + out()).exit_code, 0);
  EXPECT_EQ(failure(6, voice() + " " + out(), limit), expected) << "and what was there stays";
}

TEST_F(ExportCommand, LeavesNothingOnAFullDisk) {
  fs::create_directories(folder_ / "disk");
  const std::string mount = "mount -t tmpfs -o size=150k none '" + out("disk") + "'";
  if (std::system(("unshare -rm sh -c \"" + mount + "\" 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no filesystem can be mounted here";
  const std::string inside = cat("unshare -rm sh -c \"", mount, " && '" VOXPORT_PROGRAM "' export ",
                                 voice(), " ", out("disk/out"), "; echo ended with \\$?; find '",
                                 out("disk"), "' -mindepth 1\" >'", out("told"), "' 2>&1");
  EXPECT_EQ(std::system(inside.c_str()), 0);
  EXPECT_EQ(
      contents(folder_ / "told"),
      cat("voxport: cannot write '", out("disk/out/decoder.onnx"), "': No space left on device\n",
          while_writing(out("disk/out/decoder.onnx")), while_exporting(voice()), "ended with 6\n"));
}

// Only files without a name vanish with a process that is killed.
bool has_nameless_files(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// Runs an export and ends it as soon as it tells `stage`. How it ended.
int status_when_ended_at(const std::string& stage, int signal, const std::string& checkpoint,
                         const std::string& to) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(VOXPORT_PROGRAM, VOXPORT_PROGRAM, "export", "--debug", "-q", checkpoint.c_str(),
          to.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::FILE* told = fdopen(ends[0], "r");
  char line[1000];
  while (std::fgets(line, sizeof line, told))
    if (contains(line, stage)) kill(child, signal);
  int status = -1;
  waitpid(child, &status, 0);
  std::fclose(told);
  return status;
}

class EndedExport : public ExportCommand, public testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Signals, EndedExport, testing::Values(SIGKILL, SIGINT, SIGTERM, SIGHUP),
                         [](const auto& test) { return cat("Signal", test.param); });

// The stages before the last, in which the files take their names.
TEST_P(EndedExport, LeavesEverythingAsItWas) {
  if (GetParam() == SIGKILL && !has_nameless_files(folder_.path()))
    GTEST_SKIP() << "files have names from the start here";
  const std::string checkpoint = (voices_folder() / "slt-x_low.ckpt").string();
  for (const bool is_first : {true, false}) {
    if (!is_first) {
      ASSERT_EQ(run("export -q " + voice() + " " + out()).exit_code, 0);
    }
    const Files before = files_in(folder_.path());
    for (const char* stage : {"opened the checkpoint", "checked encoder.onnx", "wrote encoder.onnx",
                              "optimised decoder.onnx"}) {
      const int status = status_when_ended_at(stage, GetParam(), checkpoint, out());
      ASSERT_TRUE(WIFSIGNALED(status)) << stage << " " << status;
      EXPECT_EQ(WTERMSIG(status), GetParam()) << stage;
      EXPECT_TRUE(files_in(folder_.path()) == before) << stage;
    }
  }
}

}  // namespace
}  // namespace voxport::export_test
