// Every recorded checkpoint, against what PyTorch itself found in it: all names, shapes, dtypes and
// values. tests/data/checkpoints/README.md says how they were made and what the descriptions mean.
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "base/tensor_math.h"
#include "base/text.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/weight_norm.h"
#include "tests/data.h"

namespace voxport::recorded_test {
namespace {

using Json = nlohmann::json;
using Kind = Object::Kind;
namespace fs = std::filesystem;

// One line for each value that is no tensor, and one for each tensor: both sides are written so,
// and compared as text.
using Lines = std::vector<std::string>;

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
    text += digits;
  }
  return text;
}

std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string line(const std::string& name, const std::string& type, const std::string& value) {
  return cat(name, " ", type, " ", value);
}

std::string leaf_line(const std::string& name, const Object& value) {
  switch (value.kind) {
    case Kind::kNone: return line(name, "none", "");
    case Kind::kBool: return line(name, "bool", std::get<bool>(value.data) ? "true" : "false");
    case Kind::kInt: return line(name, "int", std::to_string(std::get<std::int64_t>(value.data)));
    case Kind::kBigInt: return line(name, "int", value.text());
    case Kind::kFloat: return line(name, "float", float_text(std::get<double>(value.data)));
    case Kind::kComplex: {
      const auto number = std::get<std::complex<double>>(value.data);
      return line(name, "complex", float_text(number.real()) + " " + float_text(number.imag()));
    }
    case Kind::kString: return line(name, "str", value.text());
    case Kind::kBytes: return line(name, "bytes", hex(value.text()));
    case Kind::kPath: return line(name, "path", value.text());
    case Kind::kDType: return line(name, "dtype", value.text());
    case Kind::kDevice: return line(name, "device", value.text());
    default: return line(name, "empty", "");
  }
}

struct Description {
  Lines values;
  Lines tensors;
};

void describe(const Object& value, const std::string& name, Description& found) {
  if (value.is(Kind::kTensor)) {
    const Tensor& tensor = value.tensor();
    std::string text = cat(name, " ", name_of(tensor.dtype), shape_text(tensor.shape));
    if (tensor.unreadable.empty()) {
      const Blob bytes = contiguous(tensor);
      text +=
          cat(" ", crc32_z(0, reinterpret_cast<const Bytef*>(bytes.bytes().data()), bytes.size()));
    } else {
      text += " unreadable";
    }
    found.tensors.push_back(text);
    return;
  }
  if (value.is(Kind::kOpaque)) {
    found.values.push_back(line(name, "opaque", value.class_name()));
    return;
  }
  const bool is_empty_root = name.empty() && value.is(Kind::kDict) && value.entries().empty();
  if (value.entries().empty() && !is_empty_root) found.values.push_back(leaf_line(name, value));
  for (const Entry& entry : value.entries())
    describe(entry.value, name.empty() ? entry.key : name + "." + entry.key, found);
}

std::string number_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Python prints 1e-09 and 1e+16 where C++ prints 1e-09 and 1e+16 or 10000000000000000: compare the
// numbers.
std::string python_float(const Json& value) {
  const std::string text = value.get<std::string>();
  return float_text(std::strtod(text.c_str(), nullptr));
}

// The recorded side. An opaque value is named by its class, or by what the pickle calls to make it.
void expect_value(const Json& item, const Lines& found, Description& expected) {
  const auto name = item[0].get<std::string>();
  const auto type = item[1].get<std::string>();
  const Json& value = item[2];
  Lines& values = expected.values;
  if (type == "none") return values.push_back(line(name, "none", ""));
  if (type == "bool") return values.push_back(line(name, "bool", value.dump()));
  if (type == "int") return values.push_back(line(name, "int", number_text(value)));
  if (type == "float") return values.push_back(line(name, "float", python_float(value)));
  if (type == "complex")
    return values.push_back(
        line(name, "complex", python_float(value[0]) + " " + python_float(value[1])));
  if (type == "empty") return values.push_back(line(name, "empty", ""));
  if (type == "cycle")
    return values.push_back(line(name, "opaque", "(a container that holds itself)"));
  if (type == "global") return values.push_back(line(name, "opaque", value.get<std::string>()));
  if (type == "opaque") {
    const std::string by_class = line(name, "opaque", value.get<std::string>());
    const bool is_by_class = std::find(found.begin(), found.end(), by_class) != found.end();
    return values.push_back(is_by_class ? by_class
                                        : line(name, "opaque", item.back().get<std::string>()));
  }
  if (type == "size") {
    if (value.empty()) values.push_back(line(name, "empty", ""));
    for (std::size_t i = 0; i < value.size(); ++i)
      values.push_back(line(cat(name, ".", i), "int", value[i].dump()));
    return;
  }
  values.push_back(line(name, type, value.get<std::string>()));
}

Description read_expected(const Json& json, const Lines& found) {
  Description expected;
  for (const Json& tensor : json["tensors"]) {
    const auto shape = tensor["shape"].get<std::vector<std::int64_t>>();
    const std::string kind = tensor.value("kind", "");
    const bool is_readable = tensor.contains("crc32") && kind != "conj" && kind != "neg";
    expected.tensors.push_back(cat(tensor["name"].get<std::string>(), " ",
                                   tensor["dtype"].get<std::string>(), shape_text(shape), " ",
                                   is_readable ? tensor["crc32"].dump() : "unreadable"));
  }
  for (const Json& value : json["values"]) {
    // A storage saved as such is told as a tensor of one dimension.
    if (value[1] != "storage") expect_value(value, found, expected);
  }
  return expected;
}

Object with_metadata(const Checkpoint& checkpoint) {
  if (checkpoint.metadata.empty()) return checkpoint.root;
  std::vector<Entry> entries;
  std::vector<Entry> metadata;
  for (const auto& [key, text] : checkpoint.metadata)
    metadata.push_back({key, make_object(Kind::kString, text)});
  entries.push_back({"__metadata__", make_object(Kind::kDict, std::move(metadata))});
  for (const Entry& entry : checkpoint.root.entries()) entries.push_back(entry);
  return make_object(Kind::kDict, std::move(entries));
}

// A sum of squares in double, one multiplication and one division: a few units in the last place.
constexpr double kFoldTolerance = 1e-6;

void check_folded(const Json& folded, const Object& root) {
  std::map<std::string, const Tensor*> tensors;
  for_each_tensor(
      root, [&](const std::string& name, const Tensor& tensor) { tensors.emplace(name, &tensor); });
  for (const auto& [name, recorded] : folded.items()) {
    const WeightNormNames old_names = old_weight_norm(name);
    const WeightNormNames names = tensors.contains(old_names.g) ? old_names : new_weight_norm(name);
    ASSERT_TRUE(tensors.contains(names.g) && tensors.contains(names.v)) << name;
    EXPECT_EQ(weight_of_direction(names.v), name);
    const Tensor weight = fold_weight_norm(*tensors[names.g], *tensors[names.v]);
    EXPECT_EQ(weight.shape, recorded["shape"].get<std::vector<std::int64_t>>());
    const std::vector<float> values = to_float32(weight);
    ASSERT_EQ(values.size(), recorded["values"].size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = recorded["values"][i].get<double>();
      ASSERT_NEAR(values[i], expected, kFoldTolerance * std::max(1.0, std::abs(expected))) << name;
    }
  }
}

// Where two lists first differ, in one line a person can read.
std::string difference(const Lines& found, const Lines& expected) {
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    const std::string mine = i < found.size() ? found[i] : "(nothing)";
    const std::string theirs = i < expected.size() ? expected[i] : "(nothing)";
    if (mine != theirs) return cat("found: ", printable(mine), "; PyTorch: ", printable(theirs));
  }
  return "";
}

class Recorded : public testing::TestWithParam<fs::path> {};

TEST_P(Recorded, IsListedAsPyTorchListsIt) {
  const fs::path description = GetParam();
  std::ifstream stream(description);
  const Json json = Json::parse(stream);
  fs::path file = description;
  file.replace_extension("").replace_extension("");  // .expected.json
  if (!fs::exists(file)) file = voices_folder() / file.filename();
  if (file.filename().string().find("big_endian") != std::string::npos) {
    EXPECT_EQ(message_of([&] { open_checkpoint(file); }),
              cat("the checkpoint was written on a big-endian machine\n  while opening '",
                  file.string(), "'"));
    return;
  }

  const Checkpoint checkpoint = open_checkpoint(file);
  Description found;
  describe(with_metadata(checkpoint), "", found);
  Description expected = read_expected(json, found.values);
  for (const Json& value : json["values"]) {
    if (value[1] != "storage") continue;
    const std::string name = value[0].get<std::string>();
    const std::string dtype = value[2] == "untyped" ? "uint8" : value[2].get<std::string>();
    const auto at = std::find_if(found.tensors.begin(), found.tensors.end(), [&](const auto& text) {
      return text.starts_with(cat(name, " ", dtype, "["));
    });
    ASSERT_NE(at, found.tensors.end()) << name;
    found.tensors.erase(at);
  }
  if (checkpoint.kind == FileKind::kSafetensors) {  // listed in the order of the data
    std::sort(found.tensors.begin(), found.tensors.end());
    std::sort(expected.tensors.begin(), expected.tensors.end());
  }
  EXPECT_EQ(difference(found.tensors, expected.tensors), "");
  EXPECT_EQ(difference(found.values, expected.values), "");
  if (json.contains("folded")) check_folded(json["folded"], checkpoint.root);
}

std::vector<fs::path> descriptions() {
  std::vector<fs::path> paths;
  for (const char* folder : {"checkpoints", "voices"})
    for (const auto& entry : fs::directory_iterator(data_folder() / folder))
      if (entry.path().string().ends_with(".expected.json")) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.filename().string();
  name.resize(name.size() - std::string_view(".expected.json").size());
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, Recorded, testing::ValuesIn(descriptions()), test_name);

}  // namespace
}  // namespace voxport::recorded_test
