#include "base/tensor_math.h"

#include <cstring>

#include <gtest/gtest.h>

namespace voxport::tensor_math_test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

// [2, 3]: 1 2 3, 4 5 6.
Tensor matrix() { return tensor_of({2, 3}, {1, 2, 3, 4, 5, 6}); }
// The same numbers, lying the other way round.
Tensor turned() { return permuted(tensor_of({3, 2}, {1, 4, 2, 5, 3, 6}), {1, 0}); }

Tensor half_matrix() {
  const std::uint16_t bits[] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};  // 1 to 6
  std::string bytes(sizeof bits, '\0');
  std::memcpy(bytes.data(), bits, sizeof bits);
  return make_tensor(DType::kFloat16, {2, 3}, {}, 0, storage_of(Blob::own(std::move(bytes))));
}

// Whether a result shares its bytes with where it came from.
bool is_view(const Tensor& result, const Tensor& source) {
  return result.storage == source.storage;
}

TEST(Reshaped, KeepsTheElementsInOrder) {
  const Tensor source = matrix();
  const Tensor flat = reshaped(source, {6});
  EXPECT_EQ(flat.shape, Ints{6});
  EXPECT_EQ(to_float32(flat), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(is_view(flat, source));
  EXPECT_EQ(to_float32(reshaped(turned(), {3, 2})), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(reshaped(turned(), {3, 1, 2}).shape, (Ints{3, 1, 2}));
  EXPECT_EQ(to_float32(reshaped(half_matrix(), {6})), (Floats{1, 2, 3, 4, 5, 6}));
}

TEST(Reshaped, StartsWhereTheTensorStarts) {
  const Tensor second = sliced(matrix(), 0, 1, 2);
  EXPECT_EQ(to_float32(reshaped(second, {3})), (Floats{4, 5, 6}));
  const Tensor columns = sliced(matrix(), 1, 1, 3);
  EXPECT_EQ(to_float32(reshaped(columns, {4})), (Floats{2, 3, 5, 6}));
}

TEST(Permuted, IsAView) {
  const Tensor source = matrix();
  const Tensor swapped = permuted(source, {1, 0});
  EXPECT_EQ(swapped.shape, (Ints{3, 2}));
  EXPECT_EQ(to_float32(swapped), (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(is_view(swapped, source));
  EXPECT_EQ(to_float32(permuted(swapped, {1, 0})), to_float32(source));
  const Tensor cube = tensor_of({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor moved = permuted(cube, {2, 0, 1});
  EXPECT_EQ(moved.shape, (Ints{3, 2, 1}));
  EXPECT_EQ(to_float32(moved), (Floats{1, 4, 2, 5, 3, 6}));
}

TEST(Sliced, IsAView) {
  const Tensor source = matrix();
  const Tensor columns = sliced(source, 1, 1, 3);
  EXPECT_EQ(columns.shape, (Ints{2, 2}));
  EXPECT_EQ(to_float32(columns), (Floats{2, 3, 5, 6}));
  EXPECT_TRUE(is_view(columns, source));
  EXPECT_EQ(to_float32(sliced(columns, 0, 1, 2)), (Floats{5, 6}));
  EXPECT_EQ(to_float32(sliced(turned(), 1, 2, 3)), (Floats{3, 6}));
  EXPECT_EQ(sliced(source, 0, 1, 1).numel(), 0);
  EXPECT_EQ(to_float32(sliced(half_matrix(), 0, 1, 2)), (Floats{4, 5, 6}));
}

TEST(Picked, ChoosesAlongAnyAxis) {
  EXPECT_EQ(to_float32(picked(matrix(), 0, {1, 0})), (Floats{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(to_float32(picked(matrix(), 1, {2, 0})), (Floats{3, 1, 6, 4}));
  EXPECT_EQ(to_float32(picked(turned(), 1, {2, 0})), (Floats{3, 1, 6, 4}));
  const Tensor often = picked(matrix(), 0, {1, 1, 1});
  EXPECT_EQ(often.shape, (Ints{3, 3}));
  EXPECT_EQ(to_float32(often), (Floats{4, 5, 6, 4, 5, 6, 4, 5, 6}));
  const Tensor cube = tensor_of({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(to_float32(picked(cube, 1, {1, 0})), (Floats{3, 4, 1, 2, 7, 8, 5, 6}));
}

TEST(Picked, KeepsTheElementType) {
  const Tensor columns = picked(half_matrix(), 1, {2, 0});
  EXPECT_EQ(columns.dtype, DType::kFloat16);
  EXPECT_EQ(to_float32(columns), (Floats{3, 1, 6, 4}));
}

TEST(Joined, PutsOneAfterTheOther) {
  const Tensor all = joined({matrix(), tensor_of({1, 3}, {7, 8, 9})}, 0);
  EXPECT_EQ(all.shape, (Ints{3, 3}));
  EXPECT_EQ(to_float32(all), (Floats{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const Tensor wide = joined({turned(), tensor_of({2, 1}, {7, 8}), tensor_of({2, 0}, {})}, 1);
  EXPECT_EQ(wide.shape, (Ints{2, 4}));
  EXPECT_EQ(to_float32(wide), (Floats{1, 2, 3, 7, 4, 5, 6, 8}));
  EXPECT_EQ(to_float32(joined({half_matrix(), half_matrix()}, 1)),
            (Floats{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
}

TEST(Scaled, RoundsOnce) {
  EXPECT_EQ(to_float32(scaled(turned(), -2)), (Floats{-2, -4, -6, -8, -10, -12}));
  EXPECT_EQ(to_float32(scaled(tensor_of({1}, {0.1F}), 1.0 / 3)),
            (Floats{static_cast<float>(static_cast<double>(0.1F) / 3)}));
}

TEST(SumOf, AddsInDouble) {
  EXPECT_EQ(to_float32(sum_of({matrix(), turned(), half_matrix()})), (Floats{3, 6, 9, 12, 15, 18}));
  const Tensor large = tensor_of({1}, {1e8F});
  const Tensor small = tensor_of({1}, {1});
  EXPECT_EQ(to_float32(sum_of({large, small, small, small, small, scaled(large, -1)})), Floats{4})
      << "float32 loses the ones";
}

TEST(Product, IsThatOfMatrices) {
  const Tensor square = product(matrix(), permuted(matrix(), {1, 0}));
  EXPECT_EQ(square.shape, (Ints{2, 2}));
  EXPECT_EQ(to_float32(square), (Floats{14, 32, 32, 77}));
  EXPECT_EQ(to_float32(product(turned(), tensor_of({3, 1}, {1, 10, 100}))), (Floats{321, 654}));
  const Tensor row = tensor_of({1, 3}, {1e8F, 1, -1e8F});
  EXPECT_EQ(to_float32(product(row, tensor_of({3, 1}, {1, 1, 1}))), Floats{1}) << "in double";
}

TEST(Backwards, CountsDown) {
  EXPECT_EQ(backwards(4), (Ints{3, 2, 1, 0}));
  EXPECT_EQ(backwards(0), Ints{});
}

// What is computed is computed when it is asked for, from what is there then.
TEST(TensorMath, ChainsWithoutHoldingAnything) {
  const Tensor chain =
      scaled(picked(permuted(joined({matrix(), matrix()}, 0), {1, 0}), 1, {3, 0}), 10);
  EXPECT_EQ(chain.shape, (Ints{3, 2}));
  EXPECT_EQ(to_float32(chain), (Floats{40, 10, 50, 20, 60, 30}));
  EXPECT_EQ(to_float32(chain), to_float32(chain));
}

}  // namespace
}  // namespace voxport::tensor_math_test
