#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace voxport::inspect_test {
namespace {

namespace fs = std::filesystem;

TEST(Program, SaysItsVersion) {
  const Result result = run("--version");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.out.starts_with("voxport ")) << result.out;
  EXPECT_EQ(result.err, "");
}

TEST(Program, HelpsOnStandardOutput) {
  const Result general = run("--help");
  EXPECT_EQ(general.exit_code, 0);
  EXPECT_TRUE(contains(general.out, "inspect")) << general.out;
  const Result inspect = run("inspect --help");
  EXPECT_EQ(inspect.exit_code, 0);
  for (const char* option :
       {"--json", "--all", "--scan", "--stats", "--tensor", "--quiet", "--debug"})
    EXPECT_TRUE(contains(inspect.out, option)) << option;
}

TEST(Program, EndsWithTwoOnWrongUsage) {
  for (const char* arguments : {"", "inspect", "inspect --nonsense x", "speek", "inspect a b"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_TRUE(result.err.starts_with("voxport: ")) << result.err;
  }
  const Result missing = run("inspect " + data("voices/hifigan-v1.pth") + " --tensor nothing");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.out, "");
}

TEST(Program, EndsWithThreeOnAnUnreadableOrCorruptFile) {
  for (const std::string& file :
       {std::string("/nonexistent"), data("."), data("checkpoints/README.md")}) {
    const Result result = run("inspect " + file);
    EXPECT_EQ(result.exit_code, 3) << file;
    EXPECT_EQ(result.out, "") << file;
    EXPECT_TRUE(result.err.starts_with("voxport: ")) << result.err;
  }
}

TEST(Program, EndsWithFourOnAnUnsupportedFile) {
  const Result result = run("inspect " + data("checkpoints/views_big_endian.torch2.6.pt"));
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(
      result.err.starts_with("voxport: the checkpoint was written on a big-endian machine\n"));
}

TEST(Program, FailsWhenItsOutputCannotBeWritten) {
  const std::string command =
      "'" VOXPORT_PROGRAM "' inspect '" + data("voices/single.ckpt") + "' >/dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 6);
}

// An error that starts while a storage is being loaded has a long way up.
TEST(InspectCommand, EndsWithThreeWhenAStorageIsDamaged) {
  const Result result = run("inspect --stats '" VOXPORT_BROKEN_FILES "/zip_bad_crc_of_storage.pt'");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result.err, "do not match their CRC")) << result.err;
}

// Only the first bytes tell the kind: a file far larger than memory must not be read to its end.
TEST(Program, LooksAtTheBeginningOfAHugeFile) {
  const fs::path file = fs::temp_directory_path() / ("huge." + std::to_string(getpid()));
  std::ofstream(file).close();
  fs::resize_file(file, std::uintmax_t{1} << 36);  // takes no room on the disk
  const Result result = run("inspect " + file.string());
  fs::remove(file);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(
      result.err.starts_with("voxport: the file is of no known kind: it starts with '\\x00"))
      << result.err;
}

TEST(InspectCommand, PrintsNoColoursIntoAFile) {
  const Result result = run("inspect " + data("voices/single.ckpt"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "VITS (Piper)"));
}

TEST(InspectCommand, ListsEveryTensorWithAll) {
  const Result result = run("inspect --all " + data("voices/hifigan-v1.pth"));
  const auto json =
      nlohmann::json::parse(run("inspect --json " + data("voices/hifigan-v1.pth")).out);
  EXPECT_EQ(json["tensors"].size(), json["tensor_count"]);
  for (const auto& tensor : json["tensors"])
    EXPECT_TRUE(contains(result.out, tensor["name"].get<std::string>()));
}

TEST(InspectCommand, ShowsTheValuesOfOneTensor) {
  const auto json = nlohmann::json::parse(
      run("inspect --json --tensor generator.conv_pre.bias " + data("voices/hifigan-v1.pth")).out);
  EXPECT_EQ(json["dtype"], "float32");
  EXPECT_EQ(json["values"].size(), json["shape"][0]);
}

TEST(InspectCommand, IsSilentWhenQuiet) {
  const Result result = run("inspect --quiet " + data("voices/single.ckpt"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST(InspectCommand, TellsStagesOnStandardErrorWithDebug) {
  const Result result = run("inspect --debug --json " + data("voices/single.ckpt"));
  EXPECT_TRUE(contains(result.err, "voxport: read the file: torch.save zip archive ("));
  EXPECT_TRUE(nlohmann::json::accept(result.out));
}

TEST(InspectCommand, ScansCleanFilesAsClean) {
  const Result result = run("inspect --scan " + data("voices/single.ckpt"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.out.starts_with("clean: ")) << result.out;
}

TEST(InspectCommand, EndsWithFiveOnADangerousFile) {
  const fs::path file =
      fs::temp_directory_path() / ("dangerous." + std::to_string(getpid()) + ".pt");
  std::ofstream(file, std::ios::binary) << "\x80\x02"
                                           "cos\nsystem\n(S'ls'\ntR.";
  const Result result = run("inspect --scan " + file.string());
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(result.out.starts_with("dangerous: ")) << result.out;
  EXPECT_TRUE(contains(result.out, "os.system"));
  const auto json = nlohmann::json::parse(run("inspect --scan --json " + file.string()).out);
  EXPECT_EQ(json["verdict"], "dangerous");
  EXPECT_EQ(run("inspect " + file.string()).exit_code, 0) << "reading it is safe: nothing runs";
  fs::remove(file);
}

TEST(InspectCommand, ShowsPrograms) {
  const Result result = run("inspect " + data("programs/seed_linear.ts26.pt"));
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part :
       {"TorchScript archive", "1 call of 1 operator, all supported",
        "\ninputs\n  x  float32[2, 10] in the traced example; exported as [x_dim_0, 10]\n",
        "\noutputs\n  output  float32[x_dim_0, 5]\n", "\noperators\n  aten.linear  1\n", "fc"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  EXPECT_FALSE(contains(result.out, "architecture")) << result.out;
}

TEST(InspectCommand, ShowsTheSymbolsOfAProgram) {
  const Result result = run("inspect " + data("programs/item.pt2"));
  for (const char* part : {"\nsymbols\n", "  s0  any size\n", "float32[s0, 4]"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
}

TEST(InspectCommand, ShowsFirstWhatCannotBeLowered) {
  const Result result = run("inspect " + data("docs/refused.pt"));
  EXPECT_TRUE(contains(result.out, "\noperators\n  aten.linalg_svd  1  unsupported\n"))
      << result.out;
}

TEST(InspectCommand, ShowsOnnxModels) {
  const std::string file = data("onnx/full.onnx");
  const Result result = run("inspect " + file);
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part : {"ONNX model (pytorch 1.13.0)", "IR version 7, opset 13",
                           "5 of 3 operators", "input_tokens  int64[batch_size, sequence_length]",
                           "MatMul  2", "embedding.weight  float32[100, 16]"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  EXPECT_TRUE(contains(run("inspect --stats " + file).out, "mean")) << "of each tensor";
  EXPECT_TRUE(contains(run("inspect --tensor encoder.bias " + file).out, "float32[24]"));
  const auto json = nlohmann::json::parse(run("inspect --json " + file).out);
  EXPECT_EQ(json["onnx"]["nodes"], 5);
  EXPECT_EQ(run("inspect --scan " + file).exit_code, 0) << "there is nothing to run in it";
}

TEST(InspectCommand, RefusesBrokenOnnxModels) {
  const fs::path file = fs::temp_directory_path() / ("voxport_cut." + std::to_string(getpid()));
  std::ofstream(file, std::ios::binary) << contents(data("onnx/full.onnx")).substr(0, 1000);
  const Result result = run("inspect " + file.string());
  fs::remove(file);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "a field of the model at byte ")) << result.err;
}

}  // namespace
}  // namespace voxport::inspect_test
