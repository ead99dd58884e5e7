// Whole programs, as PyTorch saved them, exported as a user would and run at every shape that was
// recorded. The folder and its manifest.json are a part of a larger one, which VOXPORT_PROGRAMS may
// name.
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/export.h>

#include "base/fail.h"
#include "runtime/session.h"
#include "tests/cases.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport::programs_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path programs_folder() {
  const char* given = std::getenv("VOXPORT_PROGRAMS");
  return given ? fs::path(given) : data_folder() / "programs";
}

// One file of a model, and what is known of the model.
struct Artifact {
  std::string model;
  std::string kind;  // "pt2_torch26", "ts_torch113"
  fs::path file;
  Json entry;
  int opset = ExportOptions().opset;
};

std::string type_text(const std::string& dtype) {
  static const std::map<std::string, std::string> kNames = {
      {"float32", "f32"}, {"float16", "f16"}, {"bfloat16", "bf16"}, {"float64", "f64"},
      {"int64", "i64"},   {"int32", "i32"},   {"uint8", "u8"},      {"bool", "bool"}};
  return kNames.at(dtype);
}

// x:f32[batch,17,10], with names where the manifest has them.
std::string input_text(const Json& input) {
  std::string sizes;
  for (std::size_t axis = 0; axis < input.at("example").size(); ++axis) {
    const std::string key = cat(axis);
    const Json& axes = input.at("axes");
    sizes += sizes.empty() ? "" : ",";
    sizes += axes.contains(key) ? axes.at(key).get<std::string>()
                                : cat(input.at("example")[axis].get<std::int64_t>());
  }
  return cat(input.at("name").get<std::string>(), ":",
             type_text(input.at("dtype").get<std::string>()), "[", sizes, "]");
}

ExportOptions options_for(const Artifact& artifact) {
  ExportOptions options;
  options.check = false;
  options.opset = artifact.opset;
  for (const Json& input : artifact.entry.at("inputs")) options.inputs.push_back(input_text(input));
  for (const Json& output : artifact.entry.at("outputs"))
    options.output_names.push_back(output.at("name").get<std::string>());
  options.method = artifact.entry.value("method", "");
  return options;
}

testing::AssertionResult is_near(const Tensor& found, const Tensor& expected, double tolerance) {
  if (found.dtype != expected.dtype || found.shape != expected.shape)
    return is_equal(found, expected);
  std::vector<double> values;
  for_each_element(
      expected, [&](const std::byte* at) { values.push_back(element_value(expected.dtype, at)); });
  std::size_t i = 0;
  testing::AssertionResult result = testing::AssertionSuccess();
  for_each_element(found, [&](const std::byte* at) {
    const double value = element_value(found.dtype, at);
    const double reference = values[i++];
    const bool is_same = (std::isnan(value) && std::isnan(reference)) || value == reference;
    if (!is_same && !(std::abs(value - reference) <= tolerance * (1 + std::abs(reference))) &&
        result)
      result = testing::AssertionFailure()
               << "found " << value << ", expected " << reference << " at element " << i - 1;
  });
  return result;
}

// The names of axes in the graph are those that were asked for.
void expect_named_axes(const Session& session, const Artifact& artifact) {
  const auto port = [&](const std::string& name) -> const PortInfo& {
    for (const PortInfo& input : session.inputs())
      if (input.name == name) return input;
    fail(Error::kUsage, "there is no input ", in_quotes(name));
  };
  const auto expect_names = [&](const Json& inputs) {
    for (const Json& input : inputs)
      for (const auto& [axis, name] : input.at("axes").items())
        EXPECT_EQ(port(input.at("name").get<std::string>()).axes.at(std::stoul(axis)).symbol,
                  name.get<std::string>());
  };
  expect_names(artifact.entry.at("inputs"));
  expect_names(artifact.entry.value("states", Json::array()));
}

class ExportedProgram : public testing::Test {
 public:
  explicit ExportedProgram(Artifact artifact) : artifact_(std::move(artifact)) {}

  void SetUp() override { NEEDS_RUNTIME(); }

  void TestBody() override {
    const TemporaryFolder folder;
    const fs::path out = folder.path() / "model.onnx";
    const std::string trouble = message_of([&] {
      export_model(artifact_.file, out, options_for(artifact_));
      compare(Session(out));
    });
    EXPECT_EQ(trouble, "no error");
  }

 private:
  void compare(const Session& session) const {
    const std::vector<Case> cases =
        read_cases(programs_folder() / (artifact_.model + ".cases.safetensors"));
    expect_named_axes(session, artifact_);
    const double tolerance = artifact_.entry.at("rtol").get<double>();
    for (const Json& number : artifact_.entry.at("valid_cases").at(artifact_.kind)) {
      const Case& tested = cases.at(number.get<std::size_t>());
      SCOPED_TRACE(tested.name);
      const Tensors found = session.run(inputs_for(session.inputs(), tested));
      for (const auto& [name, expected] : tested.outputs)
        EXPECT_TRUE(is_near(found.at(name), expected, tolerance)) << name;
    }
  }

  Artifact artifact_;
};

std::vector<Artifact> all_artifacts() {
  std::vector<Artifact> artifacts;
  std::ifstream stream(programs_folder() / "manifest.json");
  const Json manifest = Json::parse(stream);
  for (const Json& entry : manifest.at("models")) {
    for (const auto& [kind, file] : entry.at("files").items()) {
      const fs::path path = programs_folder() / file.get<std::string>();
      if (kind == "cases" || !fs::exists(path)) continue;
      artifacts.push_back({entry.at("name").get<std::string>(), kind, path, entry});
    }
  }
  return artifacts;
}

// One file of each model in each newer opset.
std::vector<Artifact> in_newer_opsets(const std::vector<Artifact>& artifacts) {
  std::vector<Artifact> newer;
  for (const Artifact& artifact : artifacts) {
    if (!newer.empty() && newer.back().model == artifact.model) continue;
    for (const int opset : {18, 19, 20, 21}) {
      newer.push_back(artifact);
      newer.back().opset = opset;
    }
  }
  return newer;
}

void register_artifacts(const std::vector<Artifact>& artifacts) {
  for (const Artifact& artifact : artifacts) {
    const bool is_newer = artifact.opset != ExportOptions().opset;
    testing::RegisterTest(is_newer ? cat("Programs/opset", artifact.opset).c_str() : "Programs",
                          cat(artifact.model, ".", artifact.kind).c_str(), nullptr, nullptr,
                          __FILE__, __LINE__,
                          [=]() -> testing::Test* { return new ExportedProgram(artifact); });
  }
}

const bool kIsRegistered = [] {
  const std::vector<Artifact> artifacts = all_artifacts();
  register_artifacts(artifacts);
  register_artifacts(in_newer_opsets(artifacts));
  return true;
}();

TEST(Programs, AreThere) {
  EXPECT_TRUE(kIsRegistered);
  EXPECT_FALSE(all_artifacts().empty());
}

}  // namespace
}  // namespace voxport::programs_test
