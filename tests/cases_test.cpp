#include "tests/cases.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::cases_test {
namespace {

constexpr float kNan = NAN;

Tensor int64s(const std::vector<std::int64_t>& values) {
  std::string bytes(values.size() * 8, '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(DType::kInt64, {static_cast<std::int64_t>(values.size())}, {}, 0,
                     storage_of(Blob::own(std::move(bytes))));
}

std::string message(const testing::AssertionResult& result) { return result.message(); }

std::vector<std::string> keys_of(const Tensors& tensors) {
  std::vector<std::string> keys;
  for (const auto& [name, tensor] : tensors) keys.push_back(name);
  return keys;
}

TEST(Cases, AreReadByName) {
  const std::vector<Case> cases = read_cases(data_folder() / "voices/speakers.cases.safetensors");
  ASSERT_EQ(cases.size(), 4U);
  EXPECT_EQ(cases[0].name, "c0");
  EXPECT_EQ(cases[3].name, "c4");
  EXPECT_EQ(keys_of(cases[3].inputs), (std::vector<std::string>{"g", "input", "input_lengths",
                                                                "scales", "sid", "y_mask", "z"}));
  EXPECT_EQ(keys_of(cases[3].outputs),
            (std::vector<std::string>{"durations", "g", "output", "y_mask", "z"}));
  EXPECT_EQ(cases[3].inputs.at("input").shape, (std::vector<std::int64_t>{3, 23}));
}

TEST(Cases, TellWhatWasSeenOnTheWay) {
  const std::vector<Case> cases = read_cases(data_folder() / "voices/odd-sizes.cases.safetensors");
  EXPECT_EQ(keys_of(cases[0].middle),
            (std::vector<std::string>{"logs_p", "logw", "m_p", "x", "z_flow"}));
}

TEST(Cases, OfEveryVoiceAreWhole) {
  for (const std::string voice :
       {"single", "speakers", "plain-durations", "speakers-high", "newer-trainer", "slt-x_low"}) {
    for (const Case& tested :
         read_cases(data_folder() / "voices" / (voice + ".cases.safetensors"))) {
      const Tensor& z = tested.outputs.at("z");
      const std::int64_t frames = z.shape.back();
      EXPECT_EQ(tested.outputs.at("output").shape,
                (std::vector<std::int64_t>{z.shape[0], 1, 256 * frames}))
          << voice << " " << tested.name;
      EXPECT_TRUE(is_equal(tested.inputs.at("z"), z)) << voice << " " << tested.name;
    }
  }
}

TEST(Cases, GiveAGraphWhatItTakes) {
  const Case tested{"c0", {{"z", tensor_of({1}, {1})}, {"g", tensor_of({1}, {2})}}, {}, {}};
  const std::vector<PortInfo> decoder = {{"z", DType::kFloat32, {}}};
  EXPECT_EQ(keys_of(inputs_for(decoder, tested)), std::vector<std::string>{"z"});
  const std::vector<PortInfo> other = {{"mel", DType::kFloat32, {}}};
  EXPECT_EQ(message_of([&] { inputs_for(other, tested); }), "case c0 has no input 'mel'");
}

TEST(Cases, RefuseOtherFiles) {
  EXPECT_EQ(message_of([] { read_cases(data_folder() / "checkpoints/shapes.safetensors"); }),
            "a tensor is called 'scalar', expected <case>/in/<input>, <case>/mid/<name> or "
            "<case>/out/<output>");
}

TEST(PartOf, IsAView) {
  const Tensor whole = tensor_of({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(to_float32(part_of(whole, 1, 1, 3)), (std::vector<float>{2, 3, 5, 6}));
  EXPECT_EQ(to_float32(part_of(part_of(whole, 1, 1, 3), 0, 1, 2)), (std::vector<float>{5, 6}));
  EXPECT_EQ(part_of(whole, 0, 1, 1).numel(), 0);
}

TEST(IsEqual, HoldsForTheSame) {
  EXPECT_TRUE(is_equal(int64s({1, 2}), int64s({1, 2})));
  EXPECT_TRUE(is_equal(tensor_of({1}, {0.F}), tensor_of({1}, {-0.F})));
  EXPECT_TRUE(is_equal(tensor_of({0, 3}, {}), tensor_of({0, 3}, {})));
}

TEST(IsEqual, TellsWhatDiffers) {
  EXPECT_EQ(message(is_equal(int64s({1, 2}), tensor_of({1, 2}, {1, 2}))),
            "found int64 [2], expected float32 [1, 2]");
  EXPECT_EQ(message(is_equal(tensor_of({2, 2}, {1, 2, 3, 4}), tensor_of({2, 2}, {1, 2, 9, 4}))),
            "found 3, expected 9 at [1, 0] of [2, 2]");
  EXPECT_FALSE(is_equal(int64s({INT64_MAX}), int64s({INT64_MAX - 1}))) << "a double rounds these";
  EXPECT_EQ(message(is_equal(tensor_of({1}, {kNan}), tensor_of({1}, {kNan}))),
            "found nan, expected nan at [0] of [1]");
}

TEST(IsClose, HoldsWithinTheTolerance) {
  EXPECT_TRUE(is_close(tensor_of({2}, {1, 2}), tensor_of({2}, {1.5, 2}), 0.5));
  EXPECT_TRUE(is_close(tensor_of({0}, {}), tensor_of({0}, {}), 0));
  EXPECT_TRUE(is_close(tensor_of({1}, {-INFINITY}), tensor_of({1}, {-INFINITY}), 0));
}

TEST(IsClose, TellsTheFurthest) {
  EXPECT_EQ(
      message(is_close(tensor_of({2, 2}, {1, 2, 3, 4}), tensor_of({2, 2}, {1, 3, 3, 8}), 0.5)),
      "2 of 4 elements are further away than 0.5; the furthest, by 4, is at [1, 1] of "
      "[2, 2]: found 4, expected 8");
  EXPECT_FALSE(is_close(tensor_of({2}, {1, 2}), tensor_of({2, 1}, {1, 2}), 9));
}

TEST(IsClose, NeverHoldsForNan) {
  const Tensor one = tensor_of({2}, {1, 1});
  const Tensor nan = tensor_of({2}, {1, kNan});
  EXPECT_FALSE(is_close(one, nan, 1e9));
  EXPECT_FALSE(is_close(nan, one, 1e9));
  EXPECT_EQ(
      message(is_close(nan, nan, 1e9)),
      "1 of 2 elements are further away than 1000000000; the furthest, by inf, is at [1] of [2]: "
      "found nan, expected nan");
}

}  // namespace
}  // namespace voxport::cases_test
