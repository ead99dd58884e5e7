// Files that are harmful by values that a loader makes on the way: what the root does not hold,
// what is changed after it was looked at, what Python reads as another number or imports under this
// name.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/scan.h"
#include "tests/checkpoint/pickled.h"
#include "tests/program/zip_writer.h"

namespace voxport::evasion_test {
namespace {

using namespace pickled;

Danger verdict_on(const std::string& pickle) { return scan_file(Blob::own(pickle)).verdict; }

std::string failure_of(const Blob& file) {
  try {
    read_checkpoint(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A tensor of `count` floats of a storage that is said to hold as many.
std::string tensor_of(int count, std::string_view location = "cpu") {
  const std::string storage = tuple({text("storage"), global("torch", "FloatStorage"), text("0"),
                                     text(location), number(count)}) +
                              "Q";
  return reduce(global("torch._utils", "_rebuild_tensor_v2"),
                {storage, number(0), tuple({number(count)}), tuple({number(1)}), "\x89",
                 reduce(global("collections", "OrderedDict"), {})});
}

// An archive whose storage has eight bytes.
Blob archive_of(const std::string& value) {
  return zip_of({{"archive/data.pkl", whole(value)},
                 {"archive/data/0", std::string(8, '\1')},
                 {"archive/version", "3\n"}});
}

TEST(Evasion, StoragesThatTheRootDoesNotHoldAreCheckedToo) {
  EXPECT_EQ(failure_of(archive_of(tensor_of(2) + "0}")), "");
  for (const std::string& value :
       {tensor_of(900) + "0}", "}" + tensor_of(900) + "K\x01s", tensor_of(900, "meta")})
    EXPECT_NE(failure_of(archive_of(value)).find("8 bytes, but the pickle says 3600"),
              std::string::npos)
        << failure_of(archive_of(value));
}

TEST(Evasion, PropertiesOfTensorsAreNoAttributes) {
  const auto with_attribute = [](std::string_view name) {
    return whole(reduce(global("torch._utils", "_rebuild_parameter_with_state"),
                        {tensor_of(2), "\x89", reduce(global("collections", "OrderedDict"), {}),
                         dict({{text(name), tensor_of(2)}})}));
  };
  EXPECT_EQ(verdict_on(with_attribute("partition")), Danger::kHarmless);
  for (const std::string_view name : {"real", "imag", "data", "shape", "copy_", "is_sparse"})
    EXPECT_EQ(verdict_on(with_attribute(name)), Danger::kUnknown) << name;
}

// A structured dtype with the fields of entry 3 of the memo.
std::string struct_of(std::string_view order) {
  return build(reduce(global("numpy", "dtype"), {text("V8"), "\x89", "\x88"}),
               tuple({number(3), text(order), "N", tuple({text("a")}),
                      dict({{text("a"), tuple({numpy_dtype("i8", 0), number(0)})}}) + put(3),
                      number(8), number(1), number(16)}));
}

TEST(Evasion, FieldsOfADtypeMayNotChange) {
  EXPECT_EQ(verdict_on(whole(struct_of("|"))), Danger::kHarmless);
  EXPECT_EQ(verdict_on(whole(struct_of(">"))), Danger::kUnknown);
  const std::string change = get(3) + text("a") + tuple({numpy_dtype("i8", 0), number(1 << 30)});
  EXPECT_EQ(verdict_on(whole(struct_of("|") + change + "s0")), Danger::kUnknown);
}

TEST(Evasion, DigitsArePythonsOrNone) {
  for (const std::string_view line :
       {"I0100", "I-0", "I-01", "I000", "I1L", "I0x10", "I+1", "I 1", "L0100L", "L0x10L", "L1_0L"})
    EXPECT_EQ(verdict_on("\x80\x02" + std::string(line) + "\n."), Danger::kUnknown) << line;
  for (const std::string_view line : {"I100", "I0", "I00", "I01", "I-1", "L0L", "L100L", "L-5"})
    EXPECT_EQ(verdict_on("\x80\x02" + std::string(line) + "\n."), Danger::kHarmless) << line;
}

TEST(Evasion, NamesAreThoseThatTheLoaderKnows) {
  EXPECT_EQ(verdict_on(whole(global("__builtin__", "set"), 2)), Danger::kHarmless);
  EXPECT_EQ(verdict_on(whole(global("__builtin__", "set"), 3)), Danger::kUnknown);
  EXPECT_EQ(verdict_on(whole(global("copy_reg", "_reconstructor"), 4)), Danger::kUnknown);
  EXPECT_EQ(verdict_on(whole(global("exceptions", "set"), 2)), Danger::kUnknown);
  EXPECT_EQ(verdict_on(whole(new_object("__torch__", "Net"))), Danger::kUnknown);
}

std::string nested_arrays(int depth) {
  const std::string object =
      build(reduce(global("numpy", "dtype"), {text("O8"), "\x89", "\x88"}),
            tuple({number(3), text("|"), "N", "N", "N", number(-1), number(-1), number(63)}));
  std::string value = "N";
  for (int i = 0; i < depth; ++i) value = numpy_array(object, list({value}));
  return whole(value);
}

TEST(Evasion, ArraysInArraysAreFew) {
  EXPECT_EQ(verdict_on(nested_arrays(3)), Danger::kHarmless);
  EXPECT_EQ(verdict_on(nested_arrays(40)), Danger::kUnknown);
}

// A sparse vector of four with one value, at this index.
std::string sparse(char index) {
  const auto from_numpy = [](std::string_view code, const std::string& shape,
                             const std::string& bytes, std::string_view dtype) {
    const std::string array =
        build(reduce(global("numpy.core.multiarray", "_reconstruct"),
                     {global("numpy", "ndarray"), tuple({number(0)}),
                      "C\x01"
                      "b"}),
              tuple({number(1), shape, numpy_dtype(code, 0), "\x89",
                     "C" + std::string(1, static_cast<char>(bytes.size())) + bytes}));
    return reduce(global("torch._utils", "_rebuild_xla_tensor"),
                  {array, global("torch", dtype), text("cpu"), "\x89"});
  };
  const std::string indices =
      from_numpy("i8", tuple({number(1), number(1)}), index + std::string(7, '\0'), "int64");
  const std::string values = from_numpy("f4", tuple({number(1)}), std::string(4, '\0'), "float32");
  return whole(
      reduce(global("torch._utils", "_rebuild_sparse_tensor"),
             {reduce(global("torch.serialization", "_get_layout"), text("torch.sparse_coo")),
              tuple({indices, values, tuple({number(4)})})}));
}

TEST(Evasion, IndicesOfSparseTensorsLieWithinThem) {
  EXPECT_EQ(failure_of(Blob::own(sparse(3))), "");
  EXPECT_NE(failure_of(Blob::own(sparse(4))).find("has the index 4, expected 0 to 3"),
            std::string::npos);
}

}  // namespace
}  // namespace voxport::evasion_test
