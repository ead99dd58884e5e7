#include "verify/reference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/fail.h"
#include "checkpoint/checkpoint.h"

namespace voxport {
namespace {

constexpr int kDecades = 11;  // exactly equal, up to 1e-9, 1e-8, ..., up to 1, above

struct RecordedCase {
  Tensors inputs, outputs;
};

std::map<std::string, RecordedCase> read_cases(const Checkpoint& checkpoint) {
  std::map<std::string, RecordedCase> cases;
  for_each_tensor(checkpoint.root, [&](const std::string& name, const Tensor& tensor) {
    const std::size_t first = name.find('/');
    const std::size_t second = first == std::string::npos ? first : name.find('/', first + 1);
    if (second == std::string::npos) return;
    const std::string side = name.substr(first + 1, second - first - 1);
    RecordedCase& one = cases[name.substr(0, first)];
    if (side == "in") one.inputs.emplace(name.substr(second + 1), tensor);
    if (side == "out") one.outputs.emplace(name.substr(second + 1), tensor);
  });
  return cases;
}

// NaN is far from everything, and infinity from all but itself.
double difference_of(double found, double expected) {
  if (found == expected) return 0;
  return std::isnan(found) || std::isnan(expected) ? INFINITY : std::abs(found - expected);
}

int decade_of(double difference) {
  if (difference == 0) return 0;
  const int decade = static_cast<int>(std::ceil(std::log10(difference))) + 10;  // 1e-9 is 1
  return std::clamp(decade, 1, kDecades);
}

std::vector<std::int64_t> index_of(std::size_t element, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return index;
}

CheckedTensor compare(const std::string& name, const Tensor& found, const Tensor& expected,
                      double tolerance) {
  CheckedTensor result;
  result.name = name;
  if (found.dtype != expected.dtype || found.shape != expected.shape) {
    result.problem = cat("is ", name_of(found.dtype), shape_text(found.shape), ", expected ",
                         name_of(expected.dtype), shape_text(expected.shape));
    return result;
  }
  std::vector<double> x;
  std::vector<double> y;
  for_each_element(found, [&](const std::byte* e) { x.push_back(element_value(found.dtype, e)); });
  for_each_element(expected,
                   [&](const std::byte* e) { y.push_back(element_value(expected.dtype, e)); });
  result.histogram.assign(kDecades + 1, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = difference_of(x[i], y[i]);
    ++result.histogram[static_cast<std::size_t>(std::isinf(difference) ? kDecades
                                                                       : decade_of(difference))];
    if (i != 0 && !(difference > result.largest)) continue;
    result.largest = difference;
    result.found = x[i];
    result.expected = y[i];
    result.at = index_of(i, found.shape);
  }
  result.relative =
      result.expected == 0 ? result.largest : result.largest / std::abs(result.expected);
  const bool is_float = expected.dtype <= DType::kBFloat16;
  result.is_good = result.largest <= (is_float ? tolerance : 0.0);
  return result;
}

CheckedCase run_case(const Subject& subject, const std::string& name, const RecordedCase& recorded,
                     double tolerance) {
  CheckedCase result;
  result.name = name;
  Tensors inputs;
  for (const Value& input : subject.declared().graph->inputs()) {
    const auto given = recorded.inputs.find(input.name());
    if (given == recorded.inputs.end()) {
      result.error = cat("the case has no input ", in_quotes(input.name()));
      return result;
    }
    inputs.emplace(input.name(), given->second);
  }
  Tensors outputs;
  try {
    outputs = subject.run_tensors(inputs);
  } catch (const Error& error) {
    result.error = error.what();
    return result;
  }
  for (const auto& [output, tensor] : outputs) {
    const auto expected = recorded.outputs.find(output);
    if (expected != recorded.outputs.end())
      result.outputs.push_back(compare(output, tensor, expected->second, tolerance));
  }
  if (result.outputs.empty()) result.error = "the case has no output that the model has";
  return result;
}

}  // namespace

std::vector<CheckedCase> check_reference(const Subject& subject, const std::filesystem::path& file,
                                         double tolerance) {
  const Checkpoint checkpoint = open_checkpoint(file);
  std::vector<CheckedCase> results;
  for (const auto& [name, recorded] : read_cases(checkpoint))
    results.push_back(run_case(subject, name, recorded, tolerance));
  if (results.empty())
    fail(Error::kUsage, in_quotes(file.native()),
         " holds no cases, expected tensors named <case>/in/<input> and <case>/out/<output>");
  return results;
}

}  // namespace voxport
