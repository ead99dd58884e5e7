#include "program/pt2.h"
#include "tests/cases.h"
#include "tests/data.h"
#include "tests/lower/run_text.h"
#include "tests/needs_runtime.h"

namespace voxport::loop_test {
namespace {

// The condition of torch.export's while_loop is a tensor, that of TorchScript's loops a number.
TEST(Loop, RunsAsLongAsATensorSays) {
  NEEDS_RUNTIME();
  const auto folder = data_folder() / "programs";
  const std::vector<Case> cases = read_cases(folder / "while_loop.cases.safetensors");
  for (const char* name : {"while_loop.pt2", "while_loop.v214.pt2"}) {
    LowerReport report;
    const std::unique_ptr<Graph> graph =
        lower(read_pt2(Blob::map_file(folder / name)), LowerOptions(), report);
    optimise(*graph);
    lower_opset(*graph, OnnxOptions().opset);
    const Session session = Session::from_bytes(Blob::own(onnx_bytes(*graph)), name);
    const Tensors found = session.run(inputs_for(session.inputs(), cases.at(0)));
    EXPECT_TRUE(is_close(found.at("output"), cases[0].outputs.at("output"), 1e-4)) << name;
  }
}

}  // namespace
}  // namespace voxport::loop_test
