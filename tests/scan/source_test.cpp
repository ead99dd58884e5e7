// TorchScript's source: what runs at load, and operators that reach out.
#include "scan/source.h"

#include <gtest/gtest.h>

#include "tests/program/torchscript_files.h"
#include "tests/scan/scanned.h"

namespace voxport {
namespace {

std::string summary_of_net(const std::string& methods, const FileEntries& more = {}) {
  TorchScriptParts parts;
  parts.source = cat("class Net(Module):\n  __buffers__ = [\"w\", ]\n  w : Tensor\n", methods);
  parts.more = more;
  return summary_of(scan_of(std::string(torchscript_of(parts).text())));
}

std::string summary_of_forward(const std::string& line) {
  return summary_of_net(cat("  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    ", line,
                            "\n    return x\n"));
}

std::string summary_of_setstate(const std::string& lines, const std::string& more = "") {
  return summary_of_net(
      cat("  def __setstate__(self: __torch__.Net, state: Tuple[Tensor, bool]) -> NoneType:\n",
          lines, "    return None\n", more));
}

TEST(ScanSource, FindsHonestCodeClean) {
  EXPECT_EQ(summary_of_forward("y = torch.add_(torch.relu(x), x)"), "clean");
  EXPECT_EQ(summary_of_forward("y = ops.prim.device(x)"), "clean");
  EXPECT_EQ(summary_of_forward("y = torch.linalg_svd(x)"), "clean");
  EXPECT_EQ(summary_of_forward("y = ops.quantized.linear_dynamic(x, self.w)"), "clean");
}

TEST(ScanSource, KnowsPackedWeightsByName) {
  for (const char* name : {"quantized.LinearPackedParamsBase", "rnn.CellParamsBase"})
    EXPECT_EQ(summary_of_forward(cat("y = unchecked_cast(__torch__.torch.classes.", name, ", x)")),
              "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_forward("y = __torch__.torch.classes.quantized.Other(x)"));
}

TEST(ScanSource, CallsOperatorsThatReachOutDangerous) {
  for (const char* line : {"torch.save(x, \"/tmp/x\")", "y = torch.from_file(\"/etc/passwd\")",
                           "y = ops.aten.from_file(\"/etc/passwd\")", "ops.aten.save(x, \"x\")",
                           "y = ops.image.read_file(\"x\")", "ops.image.write_file(\"x\", x)",
                           "y = ops.prim.rpc_sync(\"other\", x)", "y = ops.c10d.broadcast_(x)",
                           "y = ops.torchaudio.sox_io_load_audio_file(\"x\")",
                           "y = torch . save (x)", "f = torch.save"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring,
                        "dangerous: net/code/__torch__.py:5: ", summary_of_forward(line))
        << line;
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_forward("y = [x, torch.add(x, torch.from_file(\"f\"))]"));
}

TEST(ScanSource, CallsWhatItDoesNotKnowSuspicious) {
  EXPECT_EQ(
      summary_of_forward("y = ops.mylib.op(x)"),
      "suspicious: net/code/__torch__.py:5: ops.mylib.op, an operator that is not known here");
  EXPECT_EQ(summary_of_forward("y = torch.no_such_operator(x)"),
            "suspicious: net/code/__torch__.py:5: torch.no_such_operator, an operator that is not "
            "known here");
  EXPECT_EQ(summary_of_forward("y = __torch__.torch.classes.mylib.Thing(x)"),
            "suspicious: net/code/__torch__.py:5: the class mylib.Thing, which is code of some "
            "library");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_forward("y = __torch__.torch.classes.dist_rpc.Agent(x)"));
}

// Another name for all operators would hide which one is meant.
TEST(ScanSource, CallsOtherNamesForOperatorsSuspicious) {
  for (const char* line : {"t = torch", "t = ops", "t = ops.aten", "t = __torch__.torch.classes"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary_of_forward(line)) << line;
}

TEST(ScanSource, CallsSourceThatCannotBeReadSuspicious) {
  for (const char* line : {"y = = x", "y = \"\"\" \" \"\"\"", "import os", "y = x  # why not",
                           "y = x; z = x", "y = \"a\" \"b\"", "lambda: x"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary_of_forward(line)) << line;
}

// `with` is not converted, but it is known.
TEST(ScanSource, ReadsOnBehindWhatIsNotConverted) {
  const std::string with = "with x:\n      y = x\n    ";
  EXPECT_EQ(summary_of_forward(with), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_forward(with + "torch.save(x, \"f\")"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_forward(with + "s = \"__setstate__\""));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_forward(with + "y = \"\"\"a\"b\"\"\""));
}

TEST(ScanSource, LetsSetstateAssignItsParts) {
  EXPECT_EQ(summary_of_setstate("    self.w = (state)[0]\n    self.training = (state)[1]\n"),
            "clean");
  EXPECT_EQ(summary_of_setstate("    a, b, = state\n    self.w = unchecked_cast(Tensor, a)\n"),
            "clean");
}

// As dynamically quantized layers have it.
TEST(ScanSource, LetsSetstatePackQuantizedWeights) {
  EXPECT_EQ(summary_of_setstate(
                "    self.training = (state)[1]\n    _0 = (self).set_weight((state)[0], )\n",
                "  def set_weight(self: __torch__.Net, weight: Tensor) -> NoneType:\n"
                "    if torch.eq(self.training, True):\n"
                "      self.w = ops.quantized.linear_prepack(weight, None)\n"
                "    else:\n"
                "      ops.prim.RaiseException(\"Unsupported dtype\")\n"
                "    return None\n"),
            "clean");
}

TEST(ScanSource, CallsASetstateThatDoesMoreSuspicious) {
  EXPECT_EQ(summary_of_setstate("    self.w = torch.zeros([1000])\n"),
            "suspicious: net/code/__torch__.py:4: the __setstate__ of 'Net', which runs when the "
            "archive is loaded, calls 'torch.zeros', in line 5");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "runs a loop, in line 5",
                      summary_of_setstate("    while True:\n      self.w = (state)[0]\n"));
  EXPECT_PRED_FORMAT2(
      testing::IsSubstring, "calls 'torch.add', in line 8",
      summary_of_setstate("    _0 = (self).more(state, )\n",
                          "  def more(self: __torch__.Net, x: Tensor) -> NoneType:\n"
                          "    self.w = torch.add(x, x)\n    return None\n"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "calls '__torch__.more'",
                      summary_of_setstate("    _0 = __torch__.more(state, )\n"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_setstate("    torch.save(state, \"/tmp/x\")\n"));
}

TEST(ScanSource, KnowsTheEntriesOfAnArchive) {
  const std::string forward =
      "  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    return x\n";
  EXPECT_EQ(summary_of_net(forward, {{"net/extra/notes.txt", "anything"}}), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "net/extra/notes.txt: the file is a pickle",
                      summary_of_net(forward, {{"net/extra/notes.txt", "cos\nsystem\n"}}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "net/setup.py: an entry that no loader of PyTorch knows",
                      summary_of_net(forward, {{"net/setup.py", "pass"}}));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_net(forward, {{"net/code/run.so",
                                                "\x7f"
                                                "ELF"}}));
}

TEST(ScanSource, JudgesBytecodeAndPickledClasses) {
  const std::string forward =
      "  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    return x\n";
  const auto with_bytecode = [&](const std::string& text) {
    return summary_of_net(forward,
                          {{"net/bytecode.pkl", whole_pickle(cat("(", pickled_text(text), "t"))}});
  };
  EXPECT_EQ(with_bytecode("aten::add"), "clean");
  EXPECT_EQ(with_bytecode("aten::save"), "dangerous: net/bytecode.pkl: calls 'aten::save'");
  EXPECT_EQ(with_bytecode("mylib::op"), "suspicious: net/bytecode.pkl: calls 'mylib::op'");
  EXPECT_EQ(with_bytecode("__torch__.Net.__setstate__"),
            "suspicious: net/bytecode.pkl: has bytecode that runs when the archive is loaded");
  TorchScriptParts parts;
  parts.source = cat("class Net(Module):\n  __buffers__ = [\"w\", ]\n  w : Tensor\n", forward);
  parts.attributes = {{"engine", pickled_object("__torch__.torch.classes.mylib.Engine", {})}};
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "__torch__.torch.classes.mylib.Engine, code of some library",
                      summary_of(scan_of(std::string(torchscript_of(parts).text()))));
}

}  // namespace
}  // namespace voxport
