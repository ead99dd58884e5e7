#include "graph/infer/application.h"

namespace voxport {

void Application::mismatch(const std::string& why) const {
  fail(Error::kMismatch, op, " ", in_quotes(name), ": ", why);
}

const Value& Application::input(std::size_t i) const {
  if (!has(i)) mismatch(cat("input ", i, " is missing"));
  return inputs[i];
}

const Attribute* Application::find(std::string_view key) const {
  for (const auto& [name_of_it, attribute] : attributes)
    if (name_of_it == key) return &attribute;
  return nullptr;
}

std::int64_t Application::integer(std::string_view key,
                                  std::optional<std::int64_t> otherwise) const {
  const Attribute* attribute = find(key);
  const auto* integer = attribute ? std::get_if<std::int64_t>(attribute) : nullptr;
  if (integer) return *integer;
  if (attribute || !otherwise) mismatch(cat("the attribute ", key, " must be an int"));
  return *otherwise;
}

std::optional<std::vector<std::int64_t>> Application::integers(std::string_view key) const {
  const Attribute* attribute = find(key);
  if (!attribute) return std::nullopt;
  const auto* integers = std::get_if<std::vector<std::int64_t>>(attribute);
  if (!integers) mismatch(cat("the attribute ", key, " must be a list of ints"));
  return *integers;
}

std::string Application::text(std::string_view key, std::string_view otherwise) const {
  const Attribute* attribute = find(key);
  const auto* text = attribute ? std::get_if<std::string>(attribute) : nullptr;
  return text ? *text : std::string(otherwise);
}

std::optional<std::vector<Dim>> Application::elements(std::size_t i) const {
  return input(i).type().elements;
}

std::vector<std::int64_t> Application::numbers(std::size_t i) const {
  const auto known = elements(i);
  if (!known) mismatch(cat("input ", i, " must be constant"));
  std::vector<std::int64_t> numbers;
  for (const Dim& element : *known) {
    const auto number = element.constant();
    if (!number) mismatch(cat("input ", i, " holds ", element.text(), ", which must be a number"));
    numbers.push_back(*number);
  }
  return numbers;
}

Dim Application::unknown(std::size_t output, std::size_t axis) const {
  std::string symbol = cat(name, "_", output, "_", axis);
  for (char& c : symbol)
    if (c == '.' || c == '/' || c == ':' || c == '-') c = '_';
  return Dim::symbol(std::move(symbol), 0);
}

}  // namespace voxport
