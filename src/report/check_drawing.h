// The drawings of a check's report: SVG that stands in a page, with the page's colours.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace voxport {

// Boxes and arrows from an input, which is first, to the node that holds the size, which is last;
// at most 900 wide, in as many rows as it takes. The middle of a long path is told as a number.
// Empty for a path of less than two.
std::string draw_path(std::span<const std::string> path);

// Bars of CheckedTensor::histogram, as high as the logarithms of the counts, and where the
// tolerance lies among them.
std::string draw_histogram(std::span<const std::uint64_t> histogram, double tolerance);

}  // namespace voxport
