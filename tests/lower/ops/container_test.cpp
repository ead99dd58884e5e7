// Lists, tuples and dicts of TorchScript, which exist only while a program is lowered. Each program
// joins what is in a list at its end.
#include <gtest/gtest.h>

#include "base/fail.h"
#include "graph/builder.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport::container_test {
namespace {

constexpr const char* kThreeTensors = "a: f32[1]\nb: f32[2]\nc: f32[t]\n";

std::unique_ptr<Graph> lowered(const std::string& lines) {
  LowerReport report;
  return lower(parse_program(kThreeTensors + lines), LowerOptions(), report);
}

// The names of the tensors in the list `l`: "a b c".
std::string in_list(const std::string& lines) {
  const auto graph = lowered(lines + "y = aten.cat(l)\nreturn y\n");
  std::string names;
  const Node last = graph->nodes().back();
  for (const Value& input : last.inputs()) names += cat(names.empty() ? "" : " ", input.name());
  return names;
}

// The number or bool that `y` is.
std::int64_t number(const std::string& lines) {
  const auto graph = lowered(lines + "return y\n");
  return int64_values(*graph->outputs()[0].second.constant()).at(0);
}

TEST(List, GrowsAtItsEndAndElsewhere) {
  EXPECT_EQ(in_list("l = prim.ListConstruct(a)\n"
                    "aten.append(l, b)\n"
                    "aten.insert(l, 0, c)\n"
                    "m = prim.ListConstruct(c, a)\n"
                    "aten.extend(l, m)\n"),
            "c a b c a");
}

TEST(List, Shrinks) {
  EXPECT_EQ(in_list("l = prim.ListConstruct(a, b, c, b)\n"
                    "x = aten.pop(l)\n"
                    "z = aten.pop(l, 0)\n"
                    "aten.append(l, z)\n"
                    "aten.Delete(l, 0)\n"),
            "c a");
}

TEST(List, IsSlicedBackwards) {
  const std::string list = "m = prim.ListConstruct(a, b, c)\n";
  EXPECT_EQ(in_list(list + "l = aten.slice(m, None, None, -1)\n"), "c b a");
  EXPECT_EQ(in_list(list + "l = aten.slice(m, 5, 0, -1)\n"), "c b");
  EXPECT_EQ(in_list(list + "l = aten.slice(m, -2, None, -1)\n"), "b a");
}

TEST(Tensor, IsItselfAndNoOtherOne) {
  EXPECT_EQ(number("z = aten.__is__(a, a)\ny = aten.Int(z)\n"), 1);
  EXPECT_EQ(number("z = aten.__is__(a, b)\ny = aten.Int(z)\n"), 0);
  EXPECT_EQ(number("z = aten.__isnot__(a, b)\ny = aten.Int(z)\n"), 1);
  EXPECT_EQ(number("z = aten.__isnot__(a, None)\ny = aten.Int(z)\n"), 1);
}

TEST(List, ChangesForAllWhoHoldItButNotForACopy) {
  EXPECT_EQ(in_list("m = prim.ListConstruct(a, b)\n"
                    "k = aten.list(m)\n"
                    "aten.reverse(m)\n"
                    "l = prim.annotate(m, 'List[Tensor]')\n"
                    "aten.extend(l, k)\n"
                    "aten._set_item(m, -1, c)\n"),
            "b a a c");
}

TEST(List, IsSliced) {
  EXPECT_EQ(in_list("m = prim.ListConstruct(a, b, c, a, b)\nl = aten.slice(m, -4, 100, 2)\n"),
            "b a");
  EXPECT_EQ(in_list("m = prim.ListConstruct(a, b, c, a, b)\nl = aten.slice(m, None, -2, 1)\n"),
            "a b c");
}

TEST(List, IsSearched) {
  EXPECT_EQ(number("l = prim.ListConstruct(4, 5, 5)\ny = aten.index(l, 5)\n"), 1);
  EXPECT_EQ(number("l = prim.ListConstruct(4, 5, 5)\ny = aten.count(l, 5)\n"), 2);
  EXPECT_EQ(number("l = prim.ListConstruct('p', 'q')\ny = aten.__contains__(l, 'q')\n"), 1);
  EXPECT_EQ(number("l = prim.ListConstruct(1, 2)\ny = aten.__contains__(l, 3)\n"), 0);
}

TEST(List, OfUnknownLengthIsTakenApartByAsManyNames) {
  EXPECT_EQ(in_list("x = aten.unsqueeze(c, 1)\n"
                    "m = aten.unbind(x, 0)\n"
                    "p, q = prim.ListUnpack(m)\n"
                    "l = prim.ListConstruct(q, p)\n"),
            "Gather_1:0 Gather:0");
}

TEST(Tuple, IsTakenApart) {
  EXPECT_EQ(in_list("m = prim.TupleConstruct(a, b, c)\n"
                    "p, q, r = prim.TupleUnpack(m)\n"
                    "s = prim.TupleIndex(m, -1)\n"
                    "l = prim.ListConstruct(r, p, s)\n"),
            "c a c");
  EXPECT_EQ(in_list("m = prim.TupleConstruct(a, b, c)\nl = prim.TupleSlice(m, 1, 3)\n"), "b c");
}

TEST(Dict, KeepsItsOrder) {
  EXPECT_EQ(in_list("d = prim.DictConstruct('p', a, 'q', b)\n"
                    "aten._set_item(d, 'r', c)\n"
                    "aten._set_item(d, 'p', c)\n"
                    "l = aten.values(d)\n"),
            "c b c");
}

TEST(Dict, IsAskedByKey) {
  EXPECT_EQ(in_list("d = prim.DictConstruct('p', a, 'q', b)\n"
                    "x = aten.__getitem__(d, 'q')\n"
                    "z = aten.get(d, 'r', c)\n"
                    "w = aten.pop(d, 'p')\n"
                    "l = aten.values(d)\n"
                    "m = prim.ListConstruct(x, z, w)\n"
                    "aten.extend(l, m)\n"),
            "b b c a");
  EXPECT_EQ(number("d = prim.DictConstruct('p', a)\ny = aten.__contains__(d, 'q')\n"), 0);
  EXPECT_EQ(message_of([] {
              lowered(
                  "d = prim.DictConstruct('p', a)\n"
                  "y = aten.__getitem__(d, 'q')\nreturn y\n");
            }),
            "1 call of the program cannot be expressed in ONNX by voxport:\n"
            "  1 x aten.__getitem__ at line 5: there is no 'q' in the dict");
}

TEST(IsInstance, GoesByWhatIsThere) {
  EXPECT_EQ(number("y = prim.isinstance(a, 'Tensor')\n"), 1);
  EXPECT_EQ(number("y = prim.isinstance(a, 'int', 'float')\n"), 0);
  EXPECT_EQ(number("l = prim.ListConstruct(1, 2)\ny = prim.isinstance(l, 'List[int]')\n"), 1);
  EXPECT_EQ(number("l = prim.ListConstruct(a)\ny = prim.isinstance(l, 'List[int]')\n"), 0);
  EXPECT_EQ(number("y = prim.isinstance(None, 'Optional[int]')\n"), 1);
}

}  // namespace
}  // namespace voxport::container_test
