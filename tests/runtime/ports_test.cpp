#include "runtime/ports.h"

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::ports_test {
namespace {

const std::vector<PortInfo> kPorts = {
    {"z", DType::kFloat32, {{{}, "batch_size"}, {2, ""}, {{}, ""}}},
    {"length", DType::kInt64, {}},
};

Tensor int64_scalar() {
  return make_tensor(DType::kInt64, {}, {}, 0, storage_of(Blob::own(std::string(8, '\0'))));
}

TEST(Ports, AreShownAsTheModelDeclaresThem) {
  EXPECT_EQ(to_text(kPorts[0]), "z: float32 [batch_size, 2, ?]");
  EXPECT_EQ(to_text(kPorts[1]), "length: int64 []");
}

TEST(Ports, TakeWhatFits) {
  check_inputs("m", kPorts, {{"z", tensor_of({1, 2, 0}, {})}, {"length", int64_scalar()}});
}

TEST(Ports, TellEverythingThatIsWrongAtOnce) {
  EXPECT_EQ(message_of([] {
              check_inputs("m.onnx", kPorts,
                           {{"z", int64_scalar()}, {"length", int64_scalar()}, {"g\n", {}}});
            }),
            "'m.onnx' does not take these inputs\n"
            "  wrong type   z  found int64, expected float32\n"
            "  wrong shape  z  found [], expected [batch_size, 2, ?]\n"
            "  unknown      g\\x0a\n"
            "  it has       z, length");
  EXPECT_EQ(message_of([] { check_inputs("m.onnx", kPorts, {}); }),
            "'m.onnx' does not take these inputs\n"
            "  missing      z: float32 [batch_size, 2, ?]\n"
            "  missing      length: int64 []");
}

TEST(Ports, AreFoundInTheOrderAskedFor) {
  EXPECT_EQ(find_outputs("m", kPorts, {}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(find_outputs("m", kPorts, std::vector<std::string>{"length", "z"}),
            (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(message_of([] { find_outputs("m", kPorts, std::vector<std::string>{"y"}); }),
            "'m' has no output 'y', expected one of z, length");
}

}  // namespace
}  // namespace voxport::ports_test
