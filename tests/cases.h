// Cases: what PyTorch gave for some inputs, and how to compare with it.
//
// A file NAME.cases.safetensors holds tensors <case>/in/<input> and <case>/out/<output>, and some
// hold <case>/mid/<name>, what was seen on the way. What one graph gives and the next takes (z,
// y_mask, g) is there twice. Of tests/data/voices, `single` has
// the long case c3 (163 phonemes); it was left out of the other small voices, which differ in their
// layers and not in their lengths. c4 is a batch of rows of different lengths; in slt-x_low that is
// c3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/ports.h"

namespace voxport {

struct Case {
  std::string name;
  Tensors inputs;
  Tensors outputs;
  Tensors middle;
};

// By name. Fails with kCorrupt when a tensor is called otherwise than cases are.
std::vector<Case> read_cases(const std::filesystem::path& path);

// The inputs of the case that the ports ask for. Fails with kUsage when one is not there.
Tensors inputs_for(std::span<const PortInfo> ports, const Case& tested);

// A part of a tensor along one axis, as a view: [begin, end). Asks for a range that lies inside.
Tensor part_of(const Tensor& tensor, std::size_t axis, std::int64_t begin, std::int64_t end);

// The element where two tensors of one shape and of real numbers are furthest apart.
struct Difference {
  double largest = 0;  // infinite where one side is NaN, even when both are
  std::vector<std::int64_t> at;
  double found = 0;
  double expected = 0;
};
Difference largest_difference(const Tensor& found, const Tensor& expected);

// EXPECT_TRUE(is_equal(...)): element types, shapes and all elements are the same, as integers and
// masks should be. NaN equals nothing.
testing::AssertionResult is_equal(const Tensor& found, const Tensor& expected);

// EXPECT_TRUE(is_close(...)): element types and shapes are the same, and no element is further away
// than `tolerance`.
testing::AssertionResult is_close(const Tensor& found, const Tensor& expected, double tolerance);

}  // namespace voxport
