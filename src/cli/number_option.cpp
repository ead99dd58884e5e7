#include "cli/number_option.h"

#include <cmath>
#include <type_traits>

#include "base/parse_number.h"
#include "base/text.h"

namespace voxport {
namespace {

template <class Number>
std::optional<Number> read(std::string_view text) {
  const std::optional<Number> number = parse_number<Number>(text);
  if constexpr (std::is_floating_point_v<Number>)
    if (number && !std::isfinite(*number)) return std::nullopt;
  return number;
}

// "a whole number from 1 to 32"
template <class Number>
std::string wanted(const NumberLimits<Number>& limits) {
  if constexpr (std::is_floating_point_v<Number>) {
    const NumberLimits<Number> any;
    if (limits.least == any.least && limits.most == any.most) return "a number";
    if (limits.most == any.most) return cat("a number, ", limits.least, " or more");
    return cat("a number from ", limits.least, " to ", limits.most);
  }
  return cat("a whole number from ", limits.least, " to ", limits.most);
}

}  // namespace

template <class Number>
Number number_of(const std::string& option, const std::string& text,
                 const NumberLimits<Number>& limits) {
  const std::optional<Number> number = read<Number>(text);
  if (!number || *number < limits.least || *number > limits.most)
    fail_usage(option, cat(in_quotes(text), " is not ", wanted(limits)));
  return *number;
}

template double number_of(const std::string&, const std::string&, const NumberLimits<double>&);
template int number_of(const std::string&, const std::string&, const NumberLimits<int>&);
template std::int64_t number_of(const std::string&, const std::string&,
                                const NumberLimits<std::int64_t>&);
template std::uint64_t number_of(const std::string&, const std::string&,
                                 const NumberLimits<std::uint64_t>&);

Option add_numbers(Arguments& app, const std::string& option, std::vector<std::int64_t>& values,
                   const NumberLimits<std::int64_t>& limits, const std::string& description) {
  const auto take = [option, limits, &values](const std::string& list) {
    std::size_t start = 0;
    for (std::size_t comma = 0; comma != std::string::npos; start = comma + 1) {
      comma = list.find(',', start);
      values.push_back(number_of(option, list.substr(start, comma - start), limits));
    }
  };
  return app.add_repeated(option, take, description);
}

}  // namespace voxport
