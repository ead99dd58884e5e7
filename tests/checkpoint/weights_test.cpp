#include "checkpoint/weights.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "tests/data.h"

namespace voxport {
namespace {

Object dict(std::vector<Entry> entries) {
  return make_object(Object::Kind::kDict, std::move(entries));
}

Entry entry(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return {std::move(name),
          make_object(Object::Kind::kTensor,
                      std::make_shared<const Tensor>(tensor_of(std::move(shape), values)))};
}

TEST(Weights, FindsTensorsByTheirPath) {
  const Object state = dict({entry("dec.ups.0.bias", {2}, {1, 2})});
  const Weights w(state);
  EXPECT_EQ(to_float32((w / "dec" / "ups" / 0).tensor("bias", {2})), (std::vector<float>{1, 2}));
  EXPECT_TRUE((w / "dec").has_any());
  EXPECT_FALSE((w / "de").has_any());
  w.finish("anything");
}

TEST(Weights, FoldsWeightNormUnseen) {
  const Object state = dict({entry("a.weight_g", {1, 1}, {10}), entry("a.weight_v", {1, 2}, {3, 4}),
                             entry("b.parametrizations.weight.original0", {1, 1}, {5}),
                             entry("b.parametrizations.weight.original1", {1, 2}, {3, 4})});
  const Weights w(state);
  EXPECT_TRUE((w / "a").has("weight"));
  EXPECT_EQ(to_float32((w / "a").tensor("weight", {1, 2})), (std::vector<float>{6, 8}));
  EXPECT_EQ(to_float32((w / "b").tensor("weight", {1, 2})), (std::vector<float>{3, 4}));
  w.finish("anything");
}

TEST(Weights, TellsEverythingThatIsWrongAtOnce) {
  const Object state =
      dict({entry("dec.weight_g", {2, 1}, {1, 1}), entry("dec.weight_v", {2, 1}, {1, 1}),
            entry("head.bias", {1}, {0}), entry("enc_q.bias", {1}, {0})});
  const Weights w(state);
  EXPECT_EQ((w / "dec").tensor("weight", {4, 1}).numel(), 4) << "a stand-in of the right shape";
  EXPECT_EQ((w / "enc_p").tensor("weight", {1 << 20, 1 << 20}).shape.size(), 2U);
  (w / "enc_q").ignore();
  EXPECT_EQ(message_of([&] { w.finish("a VITS of 192 channels"); }),
            "the checkpoint does not fit a VITS of 192 channels\n"
            "  missing      enc_p.weight\n"
            "  wrong shape  dec.weight_v  found [2, 1], expected [4, 1]\n"
            "  not read     head.bias");
}

// A view of the file where it can be, and float32 in any case.
TEST(Weights, CopiesNothingThatIsFloat32Already) {
  const Checkpoint checkpoint = open_checkpoint(data_folder() / "voices/single.ckpt");
  const Object& model = *checkpoint.root.find("state_dict");
  const Tensor* emb = nullptr;
  for_each_tensor(model, [&](const std::string& name, const Tensor& tensor) {
    if (name == "model_g.enc_p.emb.weight") emb = &tensor;
  });
  ASSERT_NE(emb, nullptr);
  const Tensor taken = (Weights(model) / "model_g" / "enc_p" / "emb").tensor("weight", emb->shape);
  EXPECT_EQ(taken.storage, emb->storage);
}

}  // namespace
}  // namespace voxport
