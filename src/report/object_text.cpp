#include "report/object_text.h"

#include <charconv>
#include <cmath>

#include "base/printable.h"
#include "base/text.h"

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Object::Kind;

std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

void append_entries(std::string& out, const Object& value, std::size_t limit);

void append_text(std::string& out, const Object& value, std::size_t limit) {
  switch (value.kind) {
    case Kind::kNone: out += "None"; break;
    case Kind::kBool: out += std::get<bool>(value.data) ? "True" : "False"; break;
    case Kind::kInt: out += std::to_string(std::get<std::int64_t>(value.data)); break;
    case Kind::kFloat: out += float_text(std::get<double>(value.data)); break;
    case Kind::kComplex: {
      const auto number = std::get<std::complex<double>>(value.data);
      out += cat("(", float_text(number.real()), " + ", float_text(number.imag()), "j)");
      break;
    }
    case Kind::kString: out += in_quotes(value.text()); break;
    case Kind::kBytes: out += cat(value.text().size(), " bytes"); break;
    case Kind::kBigInt:
    case Kind::kPath:
    case Kind::kDevice: out += printable(value.text()); break;
    case Kind::kDType: out += "torch." + value.text(); break;
    case Kind::kTensor:
      out += cat("tensor ", name_of(value.tensor().dtype), shape_text(value.tensor().shape));
      break;
    case Kind::kOpaque: out += cat("<", printable(value.class_name()), ">"); break;
    default: append_entries(out, value, limit);
  }
}

void append_entries(std::string& out, const Object& value, std::size_t limit) {
  const bool has_keys = value.is(Kind::kDict);
  out += value.is(Kind::kTuple) ? '(' : value.is(Kind::kList) ? '[' : '{';
  bool first = true;
  for (const Entry& entry : value.entries()) {
    if (!first) out += ", ";
    first = false;
    if (out.size() > limit) {
      out += "...";
      break;
    }
    if (has_keys) out += in_quotes(entry.key) + ": ";
    append_text(out, entry.value, limit);
  }
  if (value.is(Kind::kTuple) && value.entries().size() == 1) out += ',';
  out += value.is(Kind::kTuple) ? ')' : value.is(Kind::kList) ? ']' : '}';
}

}  // namespace

std::string object_text(const Object& value, std::size_t limit) {
  std::string text;
  append_text(text, value, limit);
  return text;
}

nlohmann::ordered_json object_json(const Object& value) {
  switch (value.kind) {
    case Kind::kNone: return nullptr;
    case Kind::kBool: return std::get<bool>(value.data);
    case Kind::kInt: return std::get<std::int64_t>(value.data);
    case Kind::kBigInt: return Json{{"int", value.text()}};
    case Kind::kFloat: {
      const double number = std::get<double>(value.data);
      if (!std::isfinite(number)) return Json{{"float", float_text(number)}};
      return number;
    }
    case Kind::kComplex: {
      const auto number = std::get<std::complex<double>>(value.data);
      return Json{{"complex", {float_text(number.real()), float_text(number.imag())}}};
    }
    case Kind::kString:
    case Kind::kPath: return value.text();
    case Kind::kBytes: return Json{{"bytes", hex(value.text())}};
    case Kind::kDType: return Json{{"dtype", value.text()}};
    case Kind::kDevice: return Json{{"device", value.text()}};
    case Kind::kTensor:
      return Json{{"tensor", name_of(value.tensor().dtype)}, {"shape", value.tensor().shape}};
    case Kind::kOpaque: return Json{{"object", value.class_name()}};
    case Kind::kDict: {
      Json object = Json::object();
      for (const Entry& entry : value.entries()) object[entry.key] = object_json(entry.value);
      return object;
    }
    default: {
      Json array = Json::array();
      for (const Entry& entry : value.entries()) array.push_back(object_json(entry.value));
      return array;
    }
  }
}

std::string json_text(const Object& value) {
  // Most values are small numbers, and there are thousands.
  switch (value.kind) {
    case Kind::kNone: return "null";
    case Kind::kBool: return std::get<bool>(value.data) ? "true" : "false";
    case Kind::kInt: return std::to_string(std::get<std::int64_t>(value.data));
    default: return dump(object_json(value));
  }
}

std::string dump(const nlohmann::ordered_json& json) {
  return printable_json(
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace voxport
