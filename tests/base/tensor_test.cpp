#include "base/tensor.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::tensor_test {
namespace {

std::shared_ptr<const Storage> floats(std::vector<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return storage_of(Blob::own(std::move(bytes)));
}

TEST(Tensor, GathersATransposedView) {
  const Tensor tensor = make_tensor(DType::kFloat32, {3, 2}, {1, 3}, 0, floats({1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(tensor.is_contiguous());
  EXPECT_EQ(to_float32(tensor), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

// Larger than the squares in which it is gathered, and no multiple of them.
TEST(Tensor, GathersElementsOfEverySize) {
  constexpr std::size_t kDepth = 2, kRows = 67, kColumns = 35;
  for (const DType dtype :
       {DType::kUInt8, DType::kFloat16, DType::kFloat32, DType::kInt64, DType::kComplex128}) {
    const std::size_t item = size_of(dtype);
    std::string bytes(kDepth * kRows * kColumns * item, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
    std::string expected;
    for (std::size_t i = 0; i < kDepth; ++i)
      for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t column = 0; column < kColumns; ++column)
          expected += bytes.substr((i + kDepth * (row + kRows * column)) * item, item);
    const Tensor turned = make_tensor(dtype, {kDepth, kRows, kColumns}, {1, kDepth, kDepth * kRows},
                                      0, storage_of(Blob::own(bytes)));
    EXPECT_TRUE(contiguous(turned).text() == expected) << name_of(dtype);
  }
}

TEST(Tensor, GathersEverySecondElement) {
  const Tensor tensor = make_tensor(DType::kFloat32, {3}, {2}, 1, floats({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(to_float32(tensor), (std::vector<float>{2, 4, 6}));
}

TEST(Tensor, RepeatsAlongAStrideOfZero) {
  const Tensor tensor = make_tensor(DType::kFloat32, {2, 3}, {0, 1}, 1, floats({9, 1, 2, 3}));
  EXPECT_EQ(to_float32(tensor), (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

TEST(Tensor, IsAViewWhereItLiesWhole) {
  const auto storage = floats({1, 2, 3, 4});
  const Tensor tensor = make_tensor(DType::kFloat32, {2}, {1}, 2, storage);
  EXPECT_EQ(contiguous(tensor).bytes().data(), storage->blob().bytes().data() + 8);
}

TEST(Tensor, HasOneElementWithoutDimensions) {
  EXPECT_EQ(to_float32(make_tensor(DType::kFloat32, {}, {}, 1, floats({1, 2}))),
            std::vector<float>{2});
}

TEST(Tensor, MayBeEmptyWhateverItsStridesSay) {
  const Tensor tensor =
      make_tensor(DType::kFloat32, {0, INT64_MAX}, {INT64_MAX, INT64_MAX}, 0, floats({}));
  EXPECT_EQ(tensor.numel(), 0);
  EXPECT_TRUE(to_float32(tensor).empty());
}

TEST(Tensor, IsRefusedPastItsStorage) {
  EXPECT_EQ(message_of([] {
              make_tensor(DType::kFloat32, {3}, {2}, 0, floats({1, 2, 3, 4}));
            }),
            "a tensor of shape [3] and strides [2] ends at byte 20 of its storage, which holds 16");
}

TEST(Tensor, IsRefusedWhenItsReachOverflows) {
  EXPECT_EQ(message_of([] { make_tensor(DType::kFloat32, {INT64_MAX}, {4}, 0, floats({1})); }),
            "a tensor of shape [9223372036854775807] has more bytes than 2^63");
  EXPECT_EQ(
      message_of([] {
        make_tensor(DType::kFloat32, {2, 2}, {INT64_MAX, INT64_MAX}, 0, floats({1}));
      }),
      "a tensor of shape [2, 2] and strides [9223372036854775807, 9223372036854775807] reaches "
      "beyond byte 2^63");
}

TEST(Tensor, DoesNotSpreadAFewBytesOverAllMemory) {
  const Tensor tensor = make_tensor(DType::kFloat32, {1 << 20, 1 << 20}, {0, 0}, 0, floats({1}));
  EXPECT_EQ(message_of([&] { contiguous(tensor); }),
            "a tensor of shape [1048576, 1048576] would spread the 4 bytes of its storage over "
            "4398046511104");
}

class CountingStorage : public Storage {
 public:
  CountingStorage() : Storage(4) {}
  mutable int loads = 0;

 private:
  Blob load() const override {
    ++loads;
    return Blob::own("abcd");
  }
};

TEST(Tensor, GivesBackTheIntegersItWasMadeOf) {
  const Tensor tensor = int64_tensor({2, 2}, {1, -2, std::int64_t{1} << 60, 4});
  EXPECT_EQ(tensor.dtype, DType::kInt64);
  EXPECT_EQ(int64_values(tensor), (std::vector<std::int64_t>{1, -2, std::int64_t{1} << 60, 4}));
  const Tensor turned = make_tensor(DType::kInt64, {2, 2}, {1, 2}, 0, tensor.storage);
  EXPECT_EQ(int64_values(turned), (std::vector<std::int64_t>{1, std::int64_t{1} << 60, -2, 4}));
}

TEST(Tensor, ReadsItsStorageOnceAndOnlyWhenAsked) {
  const auto storage = std::make_shared<CountingStorage>();
  const Tensor tensor = make_tensor(DType::kUInt8, {4}, {1}, 0, storage);
  EXPECT_EQ(storage->loads, 0);
  contiguous(tensor);
  contiguous(tensor);
  EXPECT_EQ(storage->loads, 1);
}

TEST(Tensor, ReadsItsStorageAnewAfterARelease) {
  const auto storage = std::make_shared<CountingStorage>();
  const Tensor tensor = make_tensor(DType::kUInt8, {4}, {1}, 0, storage);
  const Blob before = contiguous(tensor);
  storage->release();
  EXPECT_EQ(before.text(), "abcd") << "what was cut from it stays good";
  EXPECT_EQ(contiguous(tensor).text(), "abcd");
  EXPECT_EQ(storage->loads, 2);
}

}  // namespace
}  // namespace voxport::tensor_test
