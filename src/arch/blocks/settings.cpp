#include "arch/blocks/settings.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"

namespace voxport {
namespace {

const Object* find_below(const Object& dict, std::string_view name) {
  if (const Object* whole = dict.find(name)) return whole;
  const std::size_t dot = name.find('.');
  const Object* inner = dot == name.npos ? nullptr : dict.find(name.substr(0, dot));
  return inner ? find_below(*inner, name.substr(dot + 1)) : nullptr;
}

bool is_list(const Object& object) {
  return object.is(Object::Kind::kList) || object.is(Object::Kind::kTuple);
}

}  // namespace

// What was given by hand has its whole name.
const Object* Settings::find(std::string_view name) const {
  const Object* found = find_below(given_, name);
  return found && !found->is(Object::Kind::kNone) ? found : nullptr;
}

std::optional<std::int64_t> Settings::integer(std::string_view name) {
  const Object* given = find(name);
  if (!given) return std::nullopt;
  const auto number = given->as_int();
  if (!number)
    problem(
        cat("hyper-parameter '", name, "' is ", name_of(given->kind), ", expected a whole number"));
  return number;
}

std::int64_t Settings::number(std::string_view name, std::optional<std::int64_t> from_shapes,
                              std::int64_t otherwise, std::int64_t limit) {
  const std::int64_t value = integer(name).value_or(from_shapes.value_or(otherwise));
  if (value >= 0 && value <= limit) return value;
  problem(cat("'", name, "' is ", value, ", expected 0 to ", limit));
  return otherwise;
}

std::int64_t Settings::agreed(std::string_view name, std::int64_t from_shapes) {
  const auto given = integer(name);
  if (given && *given != from_shapes)
    problem(
        cat("hyper-parameter '", name, "' is ", *given, ", but the tensors have ", from_shapes));
  return from_shapes;
}

std::optional<Settings::Sizes> Settings::numbers_in(const Object& list, std::string_view name) {
  Sizes numbers;
  for (const Entry& entry : list.entries()) {
    const auto number = entry.value.as_int();
    if (!number || *number < 1 || *number > kMaxSize) {
      problem(cat("hyper-parameter '", name, "' must hold whole numbers from 1 to ", kMaxSize));
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<Settings::Sizes> Settings::list(std::string_view name) {
  const Object* given = find(name);
  if (!given) return std::nullopt;
  if (given->is(Object::Kind::kInt))  // (16) without its comma
    return numbers_in(make_object(Object::Kind::kList, std::vector<Entry>{{"0", *given}}), name);
  if (!is_list(*given)) {
    problem(cat("hyper-parameter '", name, "' is ", name_of(given->kind), ", expected a list"));
    return std::nullopt;
  }
  return numbers_in(*given, name);
}

std::optional<std::vector<Settings::Sizes>> Settings::lists(std::string_view name) {
  const Object* given = find(name);
  if (!given) return std::nullopt;
  if (!is_list(*given)) {
    problem(cat("hyper-parameter '", name, "' is ", name_of(given->kind),
                ", expected a list of lists"));
    return std::nullopt;
  }
  std::vector<Sizes> all;
  for (const Entry& entry : given->entries()) {
    const auto numbers = is_list(entry.value) ? numbers_in(entry.value, name) : std::nullopt;
    if (!numbers) {
      if (!is_list(entry.value))
        problem(cat("hyper-parameter '", name, "' must be a list of lists"));
      return std::nullopt;
    }
    all.push_back(*numbers);
  }
  return all;
}

std::optional<bool> Settings::truth(std::string_view name) {
  const Object* given = find(name);
  if (!given) return std::nullopt;
  if (const auto number = given->as_int()) return *number != 0;
  const auto text = given->as_string();
  if (text && (*text == "true" || *text == "false")) return *text == "true";
  problem(
      cat("hyper-parameter '", name, "' is ", name_of(given->kind), ", expected True or False"));
  return std::nullopt;
}

std::optional<std::string> Settings::word(std::string_view name,
                                          const std::vector<std::string_view>& expected) {
  const Object* given = find(name);
  if (!given) return std::nullopt;
  const auto text = given->as_string();
  const auto number = given->as_int();
  const std::string found = text ? std::string(*text) : number ? std::to_string(*number) : "";
  if (std::find(expected.begin(), expected.end(), found) != expected.end()) return found;
  std::string words;
  for (const std::string_view one : expected)
    words += cat(words.empty() ? "" : one == expected.back() ? " or " : ", ", "'", one, "'");
  problem(cat("hyper-parameter '", name, "' is ",
              text || number ? in_quotes(found) : std::string(name_of(given->kind)), ", expected ",
              words));
  return std::nullopt;
}

void Settings::problem(std::string text) {
  if (std::find(problems_.begin(), problems_.end(), text) == problems_.end())
    problems_.push_back(std::move(text));
}

void Settings::at_least_one(std::string_view name, std::int64_t size) {
  if (size < 1) problem(cat("'", name, "' is ", size, ", expected at least 1"));
}

void Settings::missing(std::string_view name, std::string_view example) {
  is_missing_ = true;
  problem(cat("'", name,
              "' cannot be read from any tensor's shape; set the hyper-parameter, for example as '",
              name, "=", example, "'"));
}

void Settings::report(std::string_view headline) const {
  std::string lines;
  for (const std::string& problem : problems_) lines += "\n  " + problem;
  if (is_missing_) fail_about("hyper_parameters", Error::kUnsupported, headline, lines);
  if (has_problems()) fail(Error::kUnsupported, headline, lines);
}

std::optional<std::int64_t> size_of(const Weights& at, std::string_view name, std::size_t axis) {
  const auto shape = at.shape_of(name);
  return shape && axis < shape->size() ? std::optional((*shape)[axis]) : std::nullopt;
}

}  // namespace voxport
