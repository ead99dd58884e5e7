// An architecture is a folder and a row: a toy one is recognised, given its settings and options,
// and exported.
#include "arch/architecture.h"

#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "checkpoint/weights.h"
#include "export/checkpoint.h"
#include "graph/builder.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::architecture_test {
namespace {

namespace fs = std::filesystem;

// y = toy.weight * x
std::optional<std::string> recognise_toy(const NamedTensors& tensors) {
  const Tensor* weight = tensors.find("toy.weight");
  return weight ? std::optional(cat(weight->shape.at(0), " channels")) : std::nullopt;
}

std::vector<std::string_view> toy_settings(const ExportOptions&) { return {"gain"}; }

ExportPlan plan_toy(const ExportRequest& request) {
  const Weights weights(request.tensors);
  const Tensor weight = weights.tensor("toy.weight", {3});
  weights.finish("a toy");
  auto graph = std::make_unique<Graph>();
  Builder builder(*graph);
  const Value x =
      graph->add_input("x", {DType::kFloat32, Shape{Dim::symbol("batch_size"), Dim(3)}, {}});
  graph->add_output("y", builder.node("Mul", {x, builder.constant("weight", weight)}));
  ExportPlan plan;
  plan.graphs.push_back({request.out, std::move(graph), {}, request.source});
  plan.graphs.back().metadata.architecture = "toy";
  plan.texts.push_back({request.out.native() + ".txt", "a toy"});
  plan.notes.emplace_back("it is a toy");
  return plan;
}

constexpr OwnOption kToyOptions[] = {
    {"a target program", [](const ExportOptions& options) { return !options.target.empty(); }}};
constexpr Architecture kToys[] = {{"toy", "toy network", VoicePart::kVocoder, recognise_toy,
                                   kToyOptions, toy_settings, plan_toy}};

class ToyArchitecture : public testing::Test {
 protected:
  void SetUp() override {
    const std::string header =
        R"({"toy.weight":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
    const std::uint64_t size = header.size();
    const float weight[] = {1, 2, 4};
    std::ofstream file(source_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << header;
    file.write(reinterpret_cast<const char*>(weight), sizeof weight);
  }

  ExportReport exported(const ExportOptions& options) {
    StageClock clock(nullptr);
    OutputFiles files;
    ExportReport report;
    ExportCheck check(false, ExportCheck::Promise::kAllDynamic);
    const SavedFile file = SavedFile::open(source_);
    ExportWork work{source_, file, out_, options, clock, files, report, check};
    export_checkpoint(work, kToys);
    files.commit();
    return report;
  }

  std::string error_of(const ExportOptions& options) {
    try {
      exported(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  fs::path source_ = folder_ / "toy.safetensors";
  fs::path out_ = folder_ / "toy.onnx";
};

TEST_F(ToyArchitecture, IsExportedByItsRowAlone) {
  const ExportReport report = exported({});
  EXPECT_EQ(report.architecture, "toy network");
  EXPECT_EQ(report.sizes, "3 channels");
  EXPECT_EQ(report.notes, std::vector<std::string>{"it is a toy"});
  EXPECT_EQ(contents(folder_ / "toy.onnx.txt"), "a toy");
  NEEDS_RUNTIME();
  const Session session(out_);
  EXPECT_EQ(session.metadata().at("voxport.architecture"), "toy");
  EXPECT_EQ(session.metadata().at("voxport.source_sha256").size(), 64u);
}

TEST_F(ToyArchitecture, IsHeldToItsOwnOptionsAndSettings) {
  ExportOptions options;
  options.hyper_parameters = {{"gian", "2"}};
  EXPECT_EQ(error_of(options), "a toy network has no hyper-parameter 'gian'; it has gain");
  options.hyper_parameters.clear();
  options.architecture = "vits";
  EXPECT_EQ(error_of(options), "there is no architecture 'vits'; there are toy");
  options.architecture.clear();
  options.target = "sherpa";  // its own, too
  EXPECT_EQ(error_of(options), "");
}

}  // namespace
}  // namespace voxport::architecture_test
