// Slices by sizes: what is declared is what Python gives, at every size, or is left to the run.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/cases.h"
#include "tests/lower/run_text.h"
#include "tests/needs_runtime.h"

namespace voxport::slice_test {
namespace {

std::int64_t length_in_python(std::int64_t size, std::int64_t start, std::int64_t end) {
  const auto clamped = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  return std::max<std::int64_t>(clamped(end) - clamped(start), 0);
}

// A bound of a slice in a program where n is a size, and what it is.
struct Bound {
  std::string argument;
  std::int64_t (*value)(std::int64_t n);
};

const Bound kBounds[] = {
    {"n", [](std::int64_t n) { return n; }},
    {"negative", [](std::int64_t n) { return -n; }},
    {"half", [](std::int64_t n) { return n / 2; }},
    {"more", [](std::int64_t n) { return n + 3; }},
    {"unsure", [](std::int64_t n) { return n - 4; }},
};

Dim declared(const std::string& shape, const std::string& start, const std::string& end) {
  const std::string text =
      cat("x: f32[", shape, "]\nother: f32[n]\nn = aten.sym_size.int(other, 0)\n",
          "negative = aten.neg(n)\nhalf = aten.floordiv(n, 2)\nmore = aten.add(n, 3)\n",
          "unsure = aten.sub(n, 4)\ny = aten.slice.Tensor(x, 0, ", start, ", ", end, ")\nreturn y");
  LowerReport report;
  return lower(parse_program(text), LowerOptions(), report)->outputs()[0].second.dim(0);
}

void expect_as_in_python(const std::string& shape, const Bound& start, const Bound& end) {
  const Dim dim = declared(shape, start.argument, end.argument);
  for (std::int64_t t = 1; t < 12; ++t) {
    for (std::int64_t n = 1; n < 12; ++n) {
      const auto value = dim.evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
        return name == "t" ? std::optional(t) : name == "n" ? std::optional(n) : std::nullopt;
      });
      const std::int64_t size = shape == "t" ? t : shape == "2*t" ? 2 * t : 7;
      const std::int64_t expected = length_in_python(size, start.value(n), end.value(n));
      // An end before the start makes an empty slice; sizes are declared for those that are not.
      if (value && expected > 0) {
        EXPECT_EQ(*value, expected) << dim.text() << " of " << size << " [" << start.argument << ":"
                                    << end.argument << "], n=" << n;
      }
    }
  }
}

TEST(Slice, DeclaresTheSizeThatItHas) {
  const Bound from_start = {"0", [](std::int64_t) { return std::int64_t{0}; }};
  const Bound to_the_end = {"9223372036854775807", [](std::int64_t) { return INT64_MAX / 2; }};
  for (const char* shape : {"7", "t", "2*t"}) {
    for (const Bound& bound : kBounds) {
      expect_as_in_python(shape, bound, to_the_end);
      expect_as_in_python(shape, from_start, bound);
      for (const Bound& end : kBounds) expect_as_in_python(shape, bound, end);
    }
  }
}

TEST(Slice, KeepsSizesThatAreSimple) {
  EXPECT_EQ(declared("2*n", "negative", "9223372036854775807").text(), "n");
  EXPECT_EQ(declared("n", "0", "half").text(), "floor(n/2)");
  EXPECT_EQ(declared("t", "0", "n").text(), "min(n, t)");
}

// Bounds that are counts from data, of none and below none too: x[:n], x[-n:] and their like, where
// n is x[0].
TEST(Slice, TakesWhatPythonTakesAtEveryCount) {
  NEEDS_RUNTIME();
  for (const std::int64_t n : {-9, -2, -1, 0, 1, 2, 9}) {
    const std::vector<std::int64_t> values = {n, 11, 12, 13, 14};
    const auto found = run_text(
        "x: i64[t]\nfirst = aten.select.int(x, 0, 0)\nn = aten.item(first)\n"
        "negative = aten.neg(n)\nmore = aten.sub(negative, 1)\n"
        "a = aten.slice.Tensor(x, 0, negative, 9223372036854775807)\n"
        "b = aten.slice.Tensor(x, 0, 0, negative)\n"
        "c = aten.slice.Tensor(x, 0, n, 9223372036854775807)\n"
        "d = aten.slice.Tensor(x, 0, more, negative)\nreturn a, b, c, d",
        int64_tensor({5}, values));
    const std::pair<std::int64_t, std::int64_t> bounds[] = {
        {-n, INT32_MAX}, {0, -n}, {n, INT32_MAX}, {-n - 1, -n}};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto clamped = [](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + 5 : at, 0, 5);
      };
      std::vector<double> expected;
      for (auto at = clamped(bounds[i].first); at < clamped(bounds[i].second); ++at)
        expected.push_back(static_cast<double>(values[static_cast<std::size_t>(at)]));
      EXPECT_EQ(found[i], expected) << "slice " << i << " at n=" << n;
    }
  }
}

// A cache of nothing: what is kept of it and of what is new is all that is new.
TEST(Slice, TakesWhatPythonTakesWhereAnAxisIsEmpty) {
  NEEDS_RUNTIME();
  const std::string program =
      "x: i64[k]\nnew = aten.arange(3)\ny = aten.cat([x, new])\nk = aten.sym_size.int(x, 0)\n"
      "negative = aten.neg(k)\nz = aten.slice.Tensor(y, 0, negative, 9223372036854775807)\n"
      "return z";
  EXPECT_EQ(run_text(program, int64_tensor({0}, {}))[0], (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(run_text(program, int64_tensor({2}, {7, 8}))[0], (std::vector<double>{1, 2}));
  const std::string start =
      "x: i64[k]\none = aten.arange(1)\nk = aten.sym_size.int(x, 0)\n"
      "y = aten.slice.Tensor(one, 0, 0, k)\nreturn y";
  EXPECT_EQ(run_text(start, int64_tensor({0}, {}))[0], std::vector<double>());
  EXPECT_EQ(run_text(start, int64_tensor({2}, {7, 8}))[0], std::vector<double>{0});
}

TEST(Slice, TakesStepsThatAreKnownAtRunTimeOnly) {
  NEEDS_RUNTIME();
  const std::string step =
      "x: i64[t]\nfirst = aten.select.int(x, 0, 0)\nn = aten.item(first)\n"
      "y = aten.slice.Tensor(x, 0, 1, -1, n)\n";
  const Tensor twos = int64_tensor({7}, {2, 4, 5, 6, 7, 8, 9});
  const Tensor fours = int64_tensor({7}, {4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(run_text(step + "return y", twos)[0], (std::vector<double>{4, 6, 8}));
  EXPECT_EQ(run_text(step + "return y", fours)[0], (std::vector<double>{5, 9}));
  const std::string write = "z = aten.add_.Scalar(y, 100)\nreturn x";
  EXPECT_EQ(run_text(step + write, fours)[0], (std::vector<double>{4, 105, 6, 7, 8, 109, 10}));
  const std::string scatter =
      "a = aten.neg(y)\nz = aten.slice_scatter(x, a, 0, 1, -1, n)\nreturn z";
  EXPECT_EQ(run_text(step + scatter, fours)[0], (std::vector<double>{4, -5, 6, 7, 8, -9, 10}));
}

TEST(Narrow, StartsFromTheEndWhereDataSaysSo) {
  NEEDS_RUNTIME();
  const std::string program =
      "x: i64[t]\nfirst = aten.select.int(x, 0, 0)\nn = aten.item(first)\n"
      "y = aten.narrow(x, 0, n, 2)\nreturn y";
  EXPECT_EQ(run_text(program, int64_tensor({4}, {-2, 1, 2, 3}))[0], (std::vector<double>{2, 3}));
  EXPECT_EQ(run_text(program, int64_tensor({4}, {1, 5, 6, 7}))[0], (std::vector<double>{5, 6}));
}

}  // namespace
}  // namespace voxport::slice_test
