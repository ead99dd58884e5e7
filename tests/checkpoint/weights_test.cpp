#include "checkpoint/weights.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "tests/data.h"

namespace voxport::weights_test {
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

// Several graphs hold it, and each is written and then let go.
TEST(Weights, FoldsAWeightOnce) {
  const Object state =
      dict({entry("dec.weight_g", {2, 1}, {3, 5}), entry("dec.weight_v", {2, 1}, {2, 2})});
  const Tensor folded = (Weights(state) / "dec").tensor("weight", {2, 1});
  const Blob first = folded.storage->blob();
  folded.storage->release();
  EXPECT_EQ(folded.storage->blob().bytes().data(), first.bytes().data());
  EXPECT_EQ(to_float32(folded), (std::vector<float>{3, 5}));
}

TEST(NamedTensors, TellWhereANetworkStartsAndHowManyLayersItHas) {
  const NamedTensors tensors(dict({entry("model_g.ups.0.weight", {2, 1}, {1, 1}),
                                   entry("model_g.ups.1.weight_g", {2, 1}, {1, 1}),
                                   entry("model_g.ups.1.weight_v", {2, 1}, {1, 1}),
                                   entry("model_g.ups.10.bias", {1}, {0})}));
  EXPECT_EQ(tensors.prefix_of("ups.0.weight"), "model_g.");
  EXPECT_EQ(tensors.prefix_of("ps.0.weight"), std::nullopt) << "not at a dot";
  EXPECT_EQ(tensors.count_layers("model_g.ups."), 2);
  EXPECT_EQ(tensors.shape_of_weight("model_g.ups.1.weight"), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(tensors.shape_of_weight("model_g.ups.2.weight"), std::nullopt);
  EXPECT_EQ(tensors.find("model_g.ups.1.weight"), nullptr);
}

// Whoever looks at a file again sees the archive that was read first.
TEST(SavedFile, ReadsItsDirectoryOnce) {
  const SavedFile file = SavedFile::open(data_folder() / "voices/single.ckpt");
  const SavedFile copy = file;
  EXPECT_EQ(recognise(file), FileKind::kTorchZip);
  EXPECT_EQ(file.zip(), copy.zip());
  EXPECT_EQ(file.blob().bytes().data(), copy.blob().bytes().data());
}

}  // namespace
}  // namespace voxport::weights_test
