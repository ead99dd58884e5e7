#include "program/pt2_json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::pt2_json_test {
namespace {

std::string said_of(std::string text) {
  return message_of([&] { const JsonDocument document(Blob::own(std::move(text))); });
}

TEST(Pt2Json, ReadsWhatPythonWrites) {
  const JsonDocument document(Blob::own(R"({
    "nan": NaN, "worst": -Infinity, "best": "Infinity", "long": 9223372036854775808,
    "least": -1e400, "text": "a\n\"b\" \u00e9 \ud83d\ude00", "list": [1, -2.5, true, null], "empty": {}
  })"));
  const Json root = document.root();
  EXPECT_TRUE(std::isnan(root["nan"].number()));
  EXPECT_EQ(root["worst"].number(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(root["best"].number(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(root["best"].integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(root["long"].integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(root["least"].number(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(root["text"].text(), "a\n\"b\" \xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(root["list"].size(), 4U);
  auto item = root["list"].children().begin();
  EXPECT_EQ((*item).integer(), 1);
  ++item;
  EXPECT_EQ((*item).number(), -2.5);
  ++item;
  EXPECT_TRUE((*item).boolean());
  ++item;
  EXPECT_TRUE((*item).is_null());
  EXPECT_EQ(root["empty"].size(), 0U);
  EXPECT_TRUE(root["missing"]["too"].is_null());
  EXPECT_EQ((*root.children().begin()).key(), "nan");
}

TEST(Pt2Json, SaysWhatIsOfAnotherKind) {
  const JsonDocument document(Blob::own(R"({"n": 2.5, "s": "x", "o": {"a": 1, "b": 2}})"));
  const Json root = document.root();
  EXPECT_EQ(message_of([&] { root["n"].text(); }), "'n' at byte 6 is a number, expected a string");
  EXPECT_EQ(message_of([&] { root["n"].integer(); }),
            "'n' at byte 6 is a number, expected a whole number");
  EXPECT_EQ(message_of([&] { root["s"].boolean(); }),
            "'s' at byte 17 is a string, expected a bool");
  EXPECT_EQ(message_of([&] { root["s"].children(); }),
            "'s' at byte 17 is a string, expected an array or an object");
  EXPECT_EQ(message_of([&] { root["s"]["x"]; }), "'s' at byte 17 is a string, expected an object");
  EXPECT_EQ(message_of([&] { root["z"].text(); }), "'z' is missing, expected a string");
  EXPECT_EQ(message_of([&] { root["o"].only_member(); }),
            "the object at byte 26 has 2 members, expected one, which says of which kind it is");
  const JsonDocument twice(Blob::own(R"({"a": 1, "a": 2})"));
  EXPECT_EQ(message_of([&] { twice.root()["a"]; }), "the object at byte 0 has 'a' twice");
}

TEST(Pt2Json, RefusesWhatIsNoJson) {
  EXPECT_EQ(said_of(""), "the JSON text breaks off at byte 0, expected a value");
  EXPECT_EQ(said_of("[1, 2"), "the JSON text breaks off at byte 5, expected ',' or ']'");
  EXPECT_EQ(said_of("[1 2]"), "the JSON text has '2]' at byte 3, expected ',' or ']'");
  EXPECT_EQ(said_of("[1,]"), "the JSON text has ']' at byte 3, expected a value");
  EXPECT_EQ(said_of("{1: 2}"), "the JSON text has '1: 2}' at byte 1, expected a key");
  EXPECT_EQ(said_of(R"({"a" 2})"), "the JSON text has '2}' at byte 5, expected ':'");
  EXPECT_EQ(said_of("\"abc"), "the JSON text breaks off at byte 4, expected the end of a string");
  EXPECT_EQ(said_of("\"abc\\"), "the JSON text breaks off at byte 5, expected the end of a string");
  EXPECT_EQ(said_of("nan"), "the JSON text has 'nan' at byte 0, expected a value");
  EXPECT_EQ(said_of("1 2"), "the JSON text has '2' at byte 2, expected the end");
  EXPECT_EQ(said_of(std::string("[\"a\x01\"]")),
            "the JSON text has '\\x01\"]' at byte 3, expected no control character");
}

TEST(Pt2Json, RefusesWrongTextWhenItIsAskedFor) {
  EXPECT_EQ(message_of([] { unescape("a\\q"); }), "the JSON string has '\\q', which is no escape");
  EXPECT_EQ(message_of([] { unescape("\\ud800x"); }),
            "the JSON string has '\\ud800x', which is no escape");
  EXPECT_EQ(message_of([] { unescape("\\u12"); }),
            "the JSON string has '\\u12', which is no escape");
  EXPECT_EQ(message_of([] { unescape("a\xff"); }),
            "the JSON string has '\\xff', which is not UTF-8");
}

TEST(Pt2Json, RefusesToNestWithoutEnd) {
  EXPECT_EQ(said_of(std::string(100'000, '[')),
            "the JSON text is nested more than 1000 deep at byte 1001");
  EXPECT_EQ(said_of(std::string(1000, '[') + std::string(1000, ']')), "no error");
}

}  // namespace
}  // namespace voxport::pt2_json_test
