#include "tests/cases.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/fail.h"
#include "checkpoint/checkpoint.h"

namespace voxport {
namespace {

// "c0/in/input": the case, the side, the name.
struct CaseName {
  std::string tested;
  Tensors Case::*side;
  std::string name;
};

CaseName parse_name(const std::string& text) {
  const std::size_t end = text.find('/');
  const std::string rest = end == std::string::npos ? "" : text.substr(end);
  const std::string tested = text.substr(0, end);
  if (rest.starts_with("/in/")) return {tested, &Case::inputs, rest.substr(4)};
  if (rest.starts_with("/out/")) return {tested, &Case::outputs, rest.substr(5)};
  if (rest.starts_with("/mid/")) return {tested, &Case::middle, rest.substr(5)};
  fail(Error::kCorrupt, "a tensor is called ", in_quotes(text),
       ", expected <case>/in/<input>, <case>/mid/<name> or <case>/out/<output>");
}

std::vector<std::int64_t> index_of(std::int64_t place, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; place /= shape[axis])
    index[axis] = place % shape[axis];
  return index;
}

// How far apart: 0 for what is equal, infinity where one is no number.
double distance(double found, double expected) {
  if (found == expected) return 0;
  const double apart = std::abs(found - expected);
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

// The elements of a tensor of real numbers, in row-major order.
class Elements {
 public:
  explicit Elements(const Tensor& tensor) : dtype_(tensor.dtype), blob_(contiguous(tensor)) {}

  double value(std::int64_t i) const { return element_value(dtype_, as_bytes(bytes(i)).data()); }
  std::string_view bytes(std::int64_t i) const {
    const std::size_t size = size_of(dtype_);
    return blob_.text().substr(static_cast<std::size_t>(i) * size, size);
  }

 private:
  DType dtype_;
  Blob blob_;
};

bool is_wide(const Tensor& tensor) {
  return tensor.dtype == DType::kInt64 || tensor.dtype == DType::kUInt64;
}

std::int64_t count_beyond(const Tensor& found, const Tensor& expected, double tolerance) {
  const Elements ours(found);
  const Elements theirs(expected);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < found.numel(); ++i)
    count += distance(ours.value(i), theirs.value(i)) <= tolerance ? 0 : 1;
  return count;
}

// Whether all but the elements is the same.
testing::AssertionResult is_alike(const Tensor& found, const Tensor& expected) {
  if (found.dtype == expected.dtype && found.shape == expected.shape)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "found " << name_of(found.dtype) << " " << shape_text(found.shape) << ", expected "
         << name_of(expected.dtype) << " " << shape_text(expected.shape);
}

}  // namespace

std::vector<Case> read_cases(const std::filesystem::path& path) {
  const Checkpoint checkpoint = open_checkpoint(path);
  std::map<std::string, Case> cases;
  for (const Entry& entry : checkpoint.root.entries()) {
    const CaseName name = parse_name(entry.key);
    Case& tested = cases[name.tested];
    tested.name = name.tested;
    (tested.*name.side).emplace(name.name, entry.value.tensor());
  }
  std::vector<Case> sorted;
  for (auto& [name, tested] : cases) sorted.push_back(std::move(tested));
  return sorted;
}

Tensors inputs_for(std::span<const PortInfo> ports, const Case& tested) {
  Tensors inputs;
  for (const PortInfo& port : ports) {
    const auto found = tested.inputs.find(port.name);
    if (found == tested.inputs.end())
      fail(Error::kUsage, "case ", tested.name, " has no input ", in_quotes(port.name));
    inputs.insert(*found);
  }
  return inputs;
}

Tensor part_of(const Tensor& tensor, std::size_t axis, std::int64_t begin, std::int64_t end) {
  assert(axis < tensor.shape.size() && 0 <= begin && begin <= end && end <= tensor.shape[axis]);
  std::vector<std::int64_t> shape = tensor.shape;
  std::vector<std::int64_t> strides =
      tensor.is_contiguous() ? row_major_strides(shape) : tensor.strides;
  const std::int64_t offset = tensor.offset + begin * strides[axis];
  shape[axis] = end - begin;
  return make_tensor(tensor.dtype, std::move(shape), std::move(strides), offset, tensor.storage);
}

Difference largest_difference(const Tensor& found, const Tensor& expected) {
  assert(found.shape == expected.shape && is_real(found.dtype) && is_real(expected.dtype));
  const Elements ours(found);
  const Elements theirs(expected);
  Difference worst;
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < found.numel(); ++i) {
    const double apart = distance(ours.value(i), theirs.value(i));
    if (i > 0 && apart <= worst.largest) continue;
    worst = {apart, {}, ours.value(i), theirs.value(i)};
    place = i;
  }
  if (found.numel() > 0) worst.at = index_of(place, found.shape);
  return worst;
}

testing::AssertionResult is_equal(const Tensor& found, const Tensor& expected) {
  if (const auto alike = is_alike(found, expected); !alike) return alike;
  const Elements ours(found);
  const Elements theirs(expected);
  for (std::int64_t i = 0; i < found.numel(); ++i) {
    // Doubles round large integers, bytes tell -0 from 0.
    if (ours.value(i) == theirs.value(i) && (!is_wide(found) || ours.bytes(i) == theirs.bytes(i)))
      continue;
    return testing::AssertionFailure()
           << "found " << ours.value(i) << ", expected " << theirs.value(i) << " at "
           << shape_text(index_of(i, found.shape)) << " of " << shape_text(found.shape);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult is_close(const Tensor& found, const Tensor& expected, double tolerance) {
  if (const auto alike = is_alike(found, expected); !alike) return alike;
  const Difference worst = largest_difference(found, expected);
  if (worst.largest <= tolerance) {
    return testing::AssertionSuccess() << "the largest difference is " << worst.largest;
  }
  return testing::AssertionFailure()
         << count_beyond(found, expected, tolerance) << " of " << found.numel()
         << " elements are further away than " << tolerance << "; the furthest, by "
         << worst.largest << ", is at " << shape_text(worst.at) << " of " << shape_text(found.shape)
         << ": found " << worst.found << ", expected " << worst.expected;
}

}  // namespace voxport
