#include "arch/vits/families/names.h"

#include <gtest/gtest.h>

#include "base/fail.h"
#include "checkpoint/weights.h"

namespace voxport::vits::names_test {
namespace {

constexpr Renaming kTable[] = {
    {"speaker", "emb_g"},
    {"durations.flows.0.shift", "dp.flows.0.m"},
    {"durations.flows.{n}.layers.{i}", "dp.flows.{2n-1}.convs.{i}"},
    {"flows.{n}", "flow.flows.{2n}"},
    {"attention.{i}.q.weight", "attn_layers.{i}.conv_q.weight", true},
    {"decoder", "dec"},
};

TEST(Names, LeadBothWays) {
  const std::pair<const char*, const char*> kNames[] = {
      {"speaker.weight", "emb_g.weight"},
      {"speaker", "emb_g"},
      {"durations.flows.0.shift", "dp.flows.0.m"},
      {"durations.flows.3.layers.12.weight_g", "dp.flows.5.convs.12.weight_g"},
      {"flows.0.pre.weight", "flow.flows.0.pre.weight"},
      {"flows.11.pre.weight", "flow.flows.22.pre.weight"},
      {"attention.2.q.weight", "attn_layers.2.conv_q.weight"},
      {"decoder.ups.0.parametrizations.weight.original0",
       "dec.ups.0.parametrizations.weight.original0"},
  };
  for (const auto& [theirs, ours] : kNames) {
    EXPECT_EQ(our_name(theirs, kTable), ours);
    EXPECT_EQ(their_name(ours, kTable), theirs);
  }
}

TEST(Names, EndWhereThePartsDo) {
  for (const char* theirs :
       {"speakers.weight", "durations.flows.0.layers.1", "flows.x.pre", "flows.01.pre", "flows.-1",
        "flows", "attention.1.q.bias", "", "flows.99999999999999999999.pre"})
    EXPECT_EQ(our_name(theirs, kTable), std::nullopt) << theirs;
  EXPECT_EQ(their_name("flow.flows.3.pre", kTable), std::nullopt) << "an odd one is a flip";
  EXPECT_EQ(their_name("dp.flows.2.convs.0", kTable), std::nullopt);
}

Object dict_of(std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes) {
  std::vector<Entry> entries;
  for (auto& [name, shape] : shapes) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    Tensor tensor = computed_tensor(
        shape, [count] { return std::vector<float>(static_cast<std::size_t>(count), 1); });
    entries.push_back({name, make_object(Object::Kind::kTensor,
                                         std::make_shared<const Tensor>(std::move(tensor)))});
  }
  return make_object(Object::Kind::kDict, std::move(entries));
}

TEST(Renamed, MakesConvolutionsOfMatricesWhereTheTableSaysSo) {
  const NamedTensors tensors = renamed(
      dict_of({{"attention.0.q.weight", {3, 2}}, {"decoder.weight", {3, 2}}, {"other", {4}}}),
      kTable);
  EXPECT_EQ(tensors.find("attn_layers.0.conv_q.weight")->shape,
            (std::vector<std::int64_t>{3, 2, 1}));
  EXPECT_EQ(tensors.find("dec.weight")->shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_NE(tensors.find("other"), nullptr);
}

TEST(Renamed, IsReportedUnderTheNamesOfTheFile) {
  const Weights w(renamed(dict_of({{"flows.1.pre.weight", {4}}, {"extra", {1}}}), kTable));
  (w / "flow" / "flows" / 2 / "pre").tensor("weight", {5});
  (w / "flow" / "flows" / 2 / "pre").tensor("bias", {5});
  (w / "dec" / "ups").tensor("weight", {5});
  try {
    w.finish("a network");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the checkpoint does not fit a network\n"
                 "  missing      flows.1.pre.bias\n"
                 "  missing      decoder.ups.weight\n"
                 "  wrong shape  flows.1.pre.weight  found [4], expected [5]\n"
                 "  not read     extra");
  }
}

TEST(Renamed, RefusesTwoTensorsOfOneName) {
  try {
    renamed(dict_of({{"decoder.weight", {1}}, {"dec.weight", {1}}}), kTable);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kUnsupported);
    EXPECT_STREQ(error.what(),
                 "the tensors 'dec.weight' and 'decoder.weight' are the same one, 'dec.weight' of "
                 "the network");
  }
}

}  // namespace
}  // namespace voxport::vits::names_test
