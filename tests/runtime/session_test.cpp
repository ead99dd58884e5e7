#include "runtime/session.h"

#include <cstring>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/library.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport::session_test {
namespace {

namespace fs = std::filesystem;

// Skipped where ONNX Runtime is not there.
class RunSession : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

Session open_model(const std::string& name, const SessionOptions& options = {}) {
  return Session(data_folder() / "onnx" / (name + ".onnx"), options);
}

template <class Number>
Tensor numbers(DType dtype, std::vector<std::int64_t> shape, const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(dtype, std::move(shape), {}, 0, storage_of(Blob::own(std::move(bytes))));
}

// n elements of every type that types.onnx takes, as bytes that count.
Tensors all_types(const Session& session, std::int64_t n) {
  Tensors tensors;
  for (const PortInfo& port : session.inputs()) {
    std::string bytes(static_cast<std::size_t>(n) * size_of(port.dtype), '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(port.dtype == DType::kBool ? i % 2 : i);
    tensors.emplace(port.name,
                    make_tensor(port.dtype, {n}, {}, 0, storage_of(Blob::own(std::move(bytes)))));
  }
  return tensors;
}

std::vector<std::string> as_text(const std::vector<PortInfo>& ports) {
  std::vector<std::string> lines;
  for (const PortInfo& port : ports) lines.push_back(to_text(port));
  return lines;
}

using Lines = std::vector<std::string>;

TEST_F(RunSession, TellsItsPorts) {
  const Session full = open_model("full");
  EXPECT_EQ(as_text(full.inputs()), Lines{"input_tokens: int64 [batch_size, sequence_length]"});
  EXPECT_EQ(as_text(full.outputs()),
            Lines{"output_mel: float32 [batch_size, sequence_length, 80]"});
  EXPECT_EQ(as_text(open_model("static").inputs()), Lines{"input_tokens: int64 [1, 128]"});
  EXPECT_EQ(as_text(open_model("shapes").inputs()),
            (Lines{"scalar: float32 []", "any: float32 []", "named: float32 [batch_size, 2, ?]"}));
}

TEST_F(RunSession, TellsItsMetadata) {
  EXPECT_EQ(open_model("types").metadata(),
            (std::map<std::string, std::string>{{"hop", "256"}, {"language", "en-us"}}));
  EXPECT_TRUE(open_model("full").metadata().empty());
}

TEST_F(RunSession, RunsAtAnyShapeThatIsFree) {
  const Session full = open_model("full");
  for (const std::int64_t length : {1, 7, 200}) {
    const std::vector<std::int64_t> tokens(static_cast<std::size_t>(2 * length), 1);
    const Tensors outputs =
        full.run({{"input_tokens", numbers(DType::kInt64, {2, length}, tokens)}});
    EXPECT_EQ(outputs.at("output_mel").shape, (std::vector<std::int64_t>{2, length, 80}));
  }
}

TEST_F(RunSession, GivesEveryTypeBackAsItWas) {
  const Session types = open_model("types");
  const Tensors inputs = all_types(types, 3);
  const Tensors outputs = types.run(inputs);
  ASSERT_EQ(outputs.size(), 13U);
  for (const auto& [name, input] : inputs) {
    const Tensor& output = outputs.at(name + "_out");
    EXPECT_EQ(output.dtype, input.dtype) << name;
    EXPECT_EQ(output.shape, input.shape) << name;
    EXPECT_EQ(contiguous(output).text(), contiguous(input).text()) << name;
  }
}

TEST_F(RunSession, TakesEmptyTensors) {
  const Session types = open_model("types");
  for (const auto& [name, output] : types.run(all_types(types, 0)))
    EXPECT_EQ(output.shape, std::vector<std::int64_t>{0}) << name;
}

TEST_F(RunSession, TakesScalarsAndUnknownRanks) {
  const Session shapes = open_model("shapes");
  Tensors inputs = {{"scalar", tensor_of({}, {7})},
                    {"any", tensor_of({1, 1, 2}, {1, 2})},
                    {"named", tensor_of({1, 2, 1}, {3, 4})}};
  const Tensors outputs = shapes.run(inputs);
  EXPECT_TRUE(outputs.at("scalar_out").shape.empty());
  EXPECT_EQ(to_float32(outputs.at("scalar_out")), std::vector<float>{7});
  EXPECT_EQ(outputs.at("any_out").shape, (std::vector<std::int64_t>{1, 1, 2}));
}

TEST_F(RunSession, TakesViewsAndValuesThatLieAnywhere) {
  const float values[] = {0, 1, 2, 3, 4, 5};
  std::string bytes = "?";  // everything behind this is out of step
  bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  const auto storage = storage_of(Blob::own(bytes).slice(1, sizeof values));
  const Tensor odd = make_tensor(DType::kFloat32, {3}, {}, 0, storage);
  const Tensor strided = make_tensor(DType::kFloat32, {3}, {2}, 1, storage);
  const Tensors outputs = open_model("add").run({{"x", odd}, {"y", strided}});
  EXPECT_EQ(to_float32(outputs.at("sum")), (std::vector<float>{1, 4, 7}));
}

TEST_F(RunSession, GivesOnlyTheOutputsAskedFor) {
  const Session types = open_model("types");
  const std::vector<std::string> wanted = {"int64_out", "bool_out"};
  const Tensors outputs = types.run(all_types(types, 1), wanted);
  EXPECT_EQ(outputs.size(), 2U);
  EXPECT_TRUE(outputs.contains("int64_out") && outputs.contains("bool_out"));
}

TEST_F(RunSession, OutputsOutliveTheSession) {
  Tensors outputs =
      open_model("add").run({{"x", tensor_of({2}, {1, 2})}, {"y", tensor_of({2}, {3, 4})}});
  EXPECT_EQ(to_float32(outputs.at("sum")), (std::vector<float>{4, 6}));
}

TEST_F(RunSession, ReadsAModelFromMemory) {
  Blob bytes = Blob::map_file(data_folder() / "onnx/add.onnx");
  const Session add = Session::from_bytes(bytes, "in memory");
  bytes = Blob();
  const Tensors outputs = add.run({{"x", tensor_of({1}, {1})}, {"y", tensor_of({1}, {2})}});
  EXPECT_EQ(to_float32(outputs.at("sum")), std::vector<float>{3});
}

TEST_F(RunSession, RunsOnSeveralThreadsAtOnce) {
  for (const int threads : {0, 1, 2}) {
    const Session matmul = open_model("matmul", {.threads = threads});
    std::vector<float> sums(4);
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      callers.emplace_back([&sums, i, session = matmul] {
        const auto n = static_cast<std::int64_t>(64 * (i + 1));
        const std::vector<float> ones(static_cast<std::size_t>(n), 1);
        for (int round = 0; round < 20; ++round) {
          const Tensors outputs =
              session.run({{"a", tensor_of({1, n}, ones)}, {"b", tensor_of({n, 1}, ones)}});
          sums[i] = to_float32(outputs.at("c"))[0];
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(sums, (std::vector<float>{64, 128, 192, 256})) << threads;
  }
}

TEST_F(RunSession, RunsUnoptimisedToo) {
  for (const Optimisation level :
       {Optimisation::kNone, Optimisation::kBasic, Optimisation::kExtended}) {
    const Tensors outputs = open_model("add", {.optimisation = level, .is_spinning = true})
                                .run({{"x", tensor_of({1}, {1})}, {"y", tensor_of({1}, {2})}});
    EXPECT_EQ(to_float32(outputs.at("sum")), std::vector<float>{3});
  }
}

TEST_F(RunSession, WritesAProfileWhenItGoes) {
  const fs::path folder = fs::path(testing::TempDir()) / "voxport_profile";
  fs::remove_all(folder);
  fs::create_directories(folder);
  open_model("add", {.profile = folder / "add"})
      .run({{"x", tensor_of({1}, {1})}, {"y", tensor_of({1}, {2})}});
  ASSERT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  const Blob profile = Blob::map_file(fs::directory_iterator(folder)->path());
  EXPECT_NE(profile.text().find("the_sum_kernel_time"), std::string_view::npos);
  fs::remove_all(folder);
}

TEST_F(RunSession, TellsWhichNodeCouldNotRun) {
  EXPECT_EQ(
      message_of([] {
        open_model("add").run({{"x", tensor_of({2}, {1, 2})}, {"y", tensor_of({3}, {1, 2, 3})}});
      }),
      "'add.onnx' cannot be run with x [2], y [3]: Add 'the_sum': Attempting to broadcast "
      "an axis by a dimension other than 1. 2 by 3");
  EXPECT_EQ(
      message_of([] {
        open_model("baked-reshape").run({{"x", tensor_of({1, 7, 12}, std::vector<float>(84))}});
      }),
      "'baked-reshape.onnx' cannot be run with x [1, 7, 12]: Reshape '/Reshape': The input "
      "tensor cannot be reshaped to the requested shape. Input shape:{1,7,12}, requested "
      "shape:{2,7,3,4}");
}

TEST_F(RunSession, RefusesWrongInputsInItsOwnWords) {
  EXPECT_EQ(message_of([] {
              open_model("add").run({{"x", tensor_of({2, 1}, {1, 2})}});
            }),
            "'add.onnx' does not take these inputs\n"
            "  wrong shape  x  found [2, 1], expected [a]\n"
            "  missing      y: float32 [b]");
  EXPECT_EQ(message_of([] {
              Tensors inputs = {{"scalar", tensor_of({1}, {7})},
                                {"any", tensor_of({0}, {})},
                                {"named", tensor_of({1, 3, 1}, {3, 4, 5})}};
              open_model("shapes").run(inputs);
            }),
            "'shapes.onnx' does not take these inputs\n"
            "  wrong shape  named  found [1, 3, 1], expected [batch_size, 2, ?]");
}

TEST_F(RunSession, EndsARunThatTakesTooMuch) {
  SessionOptions options;
  options.run_seconds = 0.1;
  const Tensors inputs = {{"x", numbers<float>(DType::kFloat32, {1, 8}, {1, 2, 3, 4, 5, 6, 7, 8})}};
  std::vector<const char*> names = {"loop-without-end", "loop-of-2-to-the-60"};
#ifndef VOXPORT_SANITIZED  // AddressSanitizer ends the process where there is not so much memory
  names.push_back("memory-at-run");
#endif
  for (const char* name : names) {
    const Session session(data_folder() / "check/broken" / (std::string(name) + ".onnx"), options);
    EXPECT_THROW(session.run(inputs), Exhausted) << name;
  }
}

TEST_F(RunSession, RefusesStrings) {
  EXPECT_EQ(message_of([] { open_model("strings"); }),
            "'strings.onnx' has a tensor of strings as its input 'text', expected a tensor of "
            "numbers");
}

TEST_F(RunSession, RefusesAnOperatorThatNobodyKnows) {
  EXPECT_EQ(message_of([] { open_model("unknown-operator"); }),
            "'unknown-operator.onnx' cannot be loaded: Fatal error: voxport.test:Sing(-1) is not "
            "a registered function/op");
}

TEST_F(RunSession, RefusesWhatIsNoModel) {
  EXPECT_EQ(message_of([] { Session("/nonexistent/a.onnx"); }),
            "cannot open '/nonexistent/a.onnx': No such file or directory");
  EXPECT_EQ(message_of([] { Session::from_bytes(Blob::own("hello"), "hello"); }),
            "'hello' cannot be loaded: Failed to load model because protobuf parsing failed.");
  EXPECT_EQ(message_of([] { Session::from_bytes(Blob::own(""), "empty"); }),
            "'empty' cannot be loaded: No graph was found in the protobuf.");
  const Blob full = Blob::map_file(data_folder() / "onnx/full.onnx");
  EXPECT_EQ(message_of([&] { Session::from_bytes(full.slice(0, 9000), "cut"); }),
            "'cut' cannot be loaded: Failed to load model because protobuf parsing failed.");
}

// A good file that nobody can run differs from one that is broken, also where ONNX Runtime has one
// code for both.
TEST_F(RunSession, TellsBrokenModelsFromUnsupportedOnes) {
  const auto kind_of = [](const std::filesystem::path& path) {
    try {
      const Session session(path);
    } catch (const Error& error) {
      return error.kind();
    }
    return Error::kInternal;
  };
  const TemporaryFolder folder;
  std::ofstream(folder / "empty.onnx").close();
  EXPECT_EQ(kind_of(folder / "empty.onnx"), Error::kCorrupt);
  std::ofstream(folder / "no-graph.onnx") << "\x08\x08";  // its IR version alone
  EXPECT_EQ(kind_of(folder / "no-graph.onnx"), Error::kCorrupt);
  // A node that takes a value which nobody makes.
  std::ofstream(folder / "no-input.onnx")
      << "\x08\x08\x42\x02\x10\x11\x3a\x16\x0a\x0c\x0a\x01q\x12\x01y\x22\x04Relu"
      << "\x12\x01g\x62\x03\x0a\x01y";
  EXPECT_EQ(kind_of(folder / "no-input.onnx"), Error::kCorrupt);
  EXPECT_EQ(kind_of(data_folder() / "onnx/unknown-operator.onnx"), Error::kUnsupported);
}

TEST_F(RunSession, RefusesNumbersOfThreadsThatMakeNoSense) {
  EXPECT_EQ(message_of([] { open_model("add", {.threads = -1}); }),
            "a session was asked to run on -1 threads, expected 1 to 1024, or 0 for one for each "
            "core");
  EXPECT_EQ(message_of([] { open_model("add", {.threads = 1025}); }),
            "a session was asked to run on 1025 threads, expected 1 to 1024, or 0 for one for each "
            "core");
}

}  // namespace
}  // namespace voxport::session_test
