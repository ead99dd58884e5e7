#include "graph/footprint.h"

#include <limits>

#include <gtest/gtest.h>

#include "graph/print.h"

namespace voxport::footprint_test {
namespace {

// With all symbols of that size.
std::uint64_t peak(const char* text, std::int64_t size) {
  const auto graph = parse_graph(text);
  return peak_bytes(*graph, [&](const Value& value) {
    std::uint64_t bytes = size_of(value.dtype());
    for (const Dim& dim : value.shape())
      bytes = saturated_product(
          bytes, static_cast<std::uint64_t>(*dim.evaluate([&](std::string_view) { return size; })));
    return bytes;
  });
}

TEST(Footprint, CountsWhatIsHeldAtOnce) {
  EXPECT_EQ(peak("x: f32[t]\n"
                 "a: f32[t] = Relu(x)\n"
                 "b: f32[t] = Relu(a)\n"
                 "c: f32[t] = Relu(b)\n"
                 "return c\n",
                 10),
            80U);
  EXPECT_EQ(peak("x: f32[t]\n"
                 "a: f32[t] = Relu(x)\n"
                 "b: f32[t] = Relu(a)\n"
                 "c: f32[t] = Relu(b)\n"
                 "d: f32[t] = Add(a, c)\n"
                 "return d\n",
                 10),
            120U)
      << "a is held until the end";
}

TEST(Footprint, TakesViewsForWhatTheyLookAt) {
  EXPECT_EQ(peak("x: f32[t, 1]\n"
                 "axis: i64[1] = const [1]\n"
                 "a: f32[t, 1] = Relu(x)\n"
                 "b: f32[t] = Squeeze(a, axis)\n"
                 "c: f32[t] = Relu(b)\n"
                 "d: f32[t] = Relu(c)\n"
                 "return d\n",
                 10),
            80U);
}

TEST(Footprint, GrowsWithTheSquareOfWhatIsCompared) {
  const char* const attention =
      "q: f32[t, 8]\n"
      "k: f32[8, t]\n"
      "scores: f32[t, t] = MatMul(q, k)\n"
      "p: f32[t, t] = Softmax(scores) axis=-1\n"
      "y: f32[t, 8] = MatMul(p, q)\n"
      "return y\n";
  EXPECT_EQ(peak(attention, 1000), 2U * 4 * 1000 * 1000);
  EXPECT_EQ(peak(attention, 2000), 2U * 4 * 2000 * 2000);
}

TEST(Footprint, SaturatesWhereNumbersEnd) {
  EXPECT_EQ(peak("x: f32[t, t]\n"
                 "a: f32[t, t] = Relu(x)\n"
                 "b: f32[t, t] = Relu(a)\n"
                 "return b\n",
                 std::int64_t{1} << 32),
            std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace voxport::footprint_test
