// TorchScript's source: what runs at load, and operators that reach out.
#include "scan/source.h"

#include <gtest/gtest.h>

#include "tests/program/torchscript_files.h"
#include "tests/scan/scanned.h"

namespace voxport::source_test {
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

// A function inside of a function is not converted, but it is known.
TEST(ScanSource, ReadsOnBehindWhatIsNotConverted) {
  const std::string inner = "def f():\n      y = x\n    ";
  EXPECT_EQ(summary_of_forward(inner), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_forward(inner + "torch.save(x, \"f\")"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_forward(inner + "s = \"__setstate__\""));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_forward(inner + "y = \"\"\"a\"b\"\"\""));
}

TEST(ScanSource, CallsASetstateThatEntersAWithSuspicious) {
  EXPECT_EQ(summary_of_forward("with x:\n      y = x\n    "), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "enters a 'with', in line",
                      summary_of_setstate("    with state:\n      pass\n"));
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

// `self` is the object that is loaded, and the builtins are those of PyTorch.
TEST(ScanSource, CallsASetstateThatRenamesThingsSuspicious) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "calls '__torch__.boom', in line 5",
                      summary_of_setstate("    __torch__.boom().x = 1\n"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "gives 'self' another meaning, in line 5",
                      summary_of_setstate("    self = (state)[0]\n    self.__setstate__(1, )\n"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "gives 'bool' another meaning, in line 5",
                      summary_of_setstate("    bool = (state)[0]\n    x = bool(1)\n"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "has 'this' for its parameter 1",
                      summary_of_net("  def __setstate__(this: __torch__.Net, self: __torch__.O) "
                                     "-> NoneType:\n    return None\n"));
}

// The value is evaluated when the archive is loaded.
std::string summary_of_default(const std::string& value, const std::string& line = "pass") {
  return summary_of_net(cat("  def forward(self: __torch__.Net, x: Tensor, k: int=", value,
                            ") -> Tensor:\n    ", line, "\n    return x\n",
                            "def boom() -> int:\n  return 3\n"));
}

TEST(ScanSource, LetsDefaultsBeLiterals) {
  for (const char* value :
       {"3", "-3", "-1.5", "-inf", "nan", "1e-05", "2.j", "\"text\"", "None", "True", "(1, False)",
        "[1, 2]", "{\"a\": [1.5]}", "annotate(List[int], [])", "annotate(Optional[int], None)",
        "CONSTANTS.c0", "torch.device(\"cpu\")", "__torch__.Color.RED"}) {
    EXPECT_EQ(summary_of_default(value), "clean") << value;
    EXPECT_EQ(summary_of_net(cat("  K : Final[int] = ", value, "\n")), "clean") << value;
  }
}

TEST(ScanSource, CallsCodeForADefaultSuspicious) {
  EXPECT_EQ(summary_of_default("__torch__.boom()"),
            "suspicious: net/code/__torch__.py:4: the value of 'k', which is evaluated when the "
            "archive is loaded, is '__torch__.boom()', expected a literal");
  for (const char* value :
       {"[__torch__.boom()]", "(1, __torch__.boom())", "{\"a\": __torch__.boom()}",
        "-__torch__.boom()", "annotate(int, __torch__.boom())", "__torch__.O()[0]", "1 + 2", "x",
        "CONSTANTS.c0[0]", "torch.item(CONSTANTS.c0)", "1 if __torch__.boom() else 2",
        "torch.device(__torch__.boom())", "__torch__.boom().x"}) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "expected a literal", summary_of_default(value))
        << value;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "expected a literal",
                        summary_of_net(cat("  K : Final[int] = ", value, "\n")))
        << value;
    EXPECT_PRED_FORMAT2(
        testing::IsSubstring, "expected a literal",
        summary_of_net(cat("  k : int\nclass Pair(NamedTuple):\n  a : int = ", value, "\n")))
        << value;
    EXPECT_PRED_FORMAT2(
        testing::IsSubstring, "expected a literal",
        summary_of_net(cat("  k : int\ndef f(k: int=", value, ") -> int:\n  return k\n")))
        << value;
  }
}

// Whatever in the file is not converted, before the default or behind it.
TEST(ScanSource, JudgesDefaultsBesideWhatIsNotConverted) {
  const std::string with = "with x:\n      y = x";
  EXPECT_EQ(summary_of_default("3", with), "clean");
  EXPECT_EQ(summary_of_default("3", "def f(a):\n      return a"), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "expected a literal",
                      summary_of_default("__torch__.boom()", with));
  EXPECT_PRED_FORMAT2(
      testing::IsSubstring, "expected a literal",
      summary_of_net(cat("  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n    ", with,
                         "\n    return x\ndef f(k: int=__torch__.boom()) -> int:\n  return k\n")));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "a function inside of a function has a default",
                      summary_of_default("3", "def f(a: int=__torch__.boom()):\n      return a"));
}

TEST(ScanSource, CallsOperatorsOfTheArchiveAtLoadSuspicious) {
  const auto summary_of_class = [](const std::string& method, const std::string& lines) {
    const std::string other = cat("class O:\n  x : int\n  def ", method,
                                  "(self: __torch__.other.O, i: int) -> int:\n    return i\n");
    return summary_of_net(
        cat("  def __setstate__(self: __torch__.Net, state: __torch__.other.O) -> NoneType:\n",
            lines, "    return None\n"),
        {{"net/code/__torch__/other.py", other}});
  };
  for (const char* line : {"k = (state)[1]", "k = state + 2", "k = -state", "k = 1 in state",
                           "k = int(state)", "k = 1 if state else 2", "if state:\n      k = 1"}) {
    const std::string lines = cat("    ", line, "\n");
    EXPECT_PRED_FORMAT2(testing::IsSubstring,
                        "uses an operator or a condition, in line 5, and the class 'O' defines",
                        summary_of_class("__getitem__", lines))
        << line;
    EXPECT_EQ(summary_of_class("__init__", lines), "clean") << line;
    EXPECT_EQ(summary_of_class("size", lines), "clean") << line;
  }
  EXPECT_EQ(summary_of_class("__getitem__", "    self.w = state\n"), "clean");
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

// Has the directory say that an entry of archive_of() is deflated, and how large it will be.
void declare_deflated(std::string& file, const std::string& name, std::uint32_t size) {
  const std::size_t local = file.find(name) - 30;
  const std::size_t central = file.rfind(name) - 46;
  for (const std::size_t method : {local + 8, central + 10}) file[method] = 8;
  for (const std::size_t place : {local + 22, central + 24})
    file.replace(place, 4, little_endian(size));
}

// An archive with six entries that inflate to so many bytes each.
std::string summary_of_inflated(const std::string& folder, std::uint32_t size) {
  TorchScriptParts parts;
  parts.source = "class Net(Module):\n  w : Tensor\n";
  const std::string no_deflate(std::size_t{1} << 18, '\xff');  // fails at once
  for (int i = 0; i < 6; ++i) parts.more.emplace_back(cat("net/", folder, i, ".py"), no_deflate);
  std::string file(torchscript_of(parts).text());
  for (const auto& [name, bytes] : parts.more) declare_deflated(file, name, size);
  return summary_of(scan_of(file));
}

// A file of some megabytes must not take gigabytes, or minutes.
TEST(ScanSource, HasABudgetForAllThatInflates) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "net/data/e5.py: inflates to 209715200 bytes, expected at most 25165824 "
                      "after the entries before it",
                      summary_of_inflated("data/e", 200 << 20));
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "net/extra/e5.py: inflates to 52428800 bytes, expected at most 6291456 after "
                      "the entries before it",
                      summary_of_inflated("extra/e", 50 << 20));
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "net/code/e0.py: has 17825792 bytes of source, expected at most 16777216",
                      summary_of_inflated("code/e", 17 << 20));
  EXPECT_PRED_FORMAT2(testing::IsNotSubstring, "expected at most",
                      summary_of_inflated("code/e", 16 << 20));
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
}  // namespace voxport::source_test
