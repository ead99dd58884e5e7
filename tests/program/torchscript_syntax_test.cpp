#include "program/torchscript_syntax.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/data.h"

namespace voxport::torchscript_syntax_test {
namespace {

std::unique_ptr<SourceFile> parse(std::string text) {
  auto file = std::make_unique<SourceFile>();
  file->name = "net.py";
  file->text = Blob::own(std::move(text));
  std::size_t nodes_left = kMaxSyntaxNodes;
  parse_torchscript(*file, nodes_left);
  return file;
}

// The value that a function without arguments returns.
Expr returned(const std::string& text) {
  const auto file = parse(cat("def f():\n  return ", text, "\n"));
  return file->functions.at("f").body.at(0).values.at(0);
}

std::string complaint_about(const std::string& text) {
  return message_of([&] { parse(text); });
}

TEST(TorchScriptSyntax, ReadsNumbersAsPyTorchPrintsThem) {
  EXPECT_EQ(returned("9223372036854775807").integer, INT64_MAX);
  EXPECT_EQ(returned("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(returned("1.").number, 1);
  EXPECT_EQ(returned("-1.0000000000000001e-05").number, -1e-5);
  EXPECT_EQ(returned("2j").kind, Expr::Kind::kComplex);
}

TEST(TorchScriptSyntax, ReadsEscapesOfStrings) {
  const auto file = parse(R"(def f():
  return "a\"b\\\n\x41\101"
)");
  EXPECT_EQ(file->functions.at("f").body[0].values[0].text, "a\"b\\\nAA");
}

TEST(TorchScriptSyntax, ReadsClasses) {
  const auto file = parse(R"(class Net(Module):
  __parameters__ = ["w", ]
  __buffers__ = []
  w : Tensor
  size : Final[int] = 6
  __annotations__["0"] = __torch__.Part
  def forward(self: __torch__.Net,
    x: Optional[Tensor]=None) -> Tensor:
    return x
class Pair(NamedTuple):
  a : Tensor
)");
  const ClassSource& net = file->classes.at("Net");
  EXPECT_EQ(net.base, "Module");
  EXPECT_EQ(net.find_field("size")->value->integer, 6);
  EXPECT_EQ(text_of(*net.find_field("0")->type), "__torch__.Part");
  const Parameter& x = net.find_method("forward")->parameters.at(1);
  EXPECT_EQ(text_of(*x.type), "Optional[Tensor]");
  EXPECT_TRUE(x.otherwise->is_name("None"));
  EXPECT_EQ(file->classes.at("Pair").fields.at(0).name, "a");
}

TEST(TorchScriptSyntax, TellsUnpackingFromAssigningSeveral) {
  const auto file = parse(R"(def f(x: Tensor):
  a, b, = x
  c, d = a, b
  e, f = torch.max(x, 1)
  g, = x
  return g
)");
  const std::vector<Statement>& body = file->functions.at("f").body;
  EXPECT_TRUE(body[0].unpacks);
  EXPECT_EQ(body[0].targets.size(), 2);
  EXPECT_FALSE(body[1].unpacks);
  EXPECT_EQ(body[1].values.size(), 2);
  EXPECT_FALSE(body[2].unpacks);
  EXPECT_EQ(body[2].values.size(), 1);
  EXPECT_TRUE(body[3].unpacks);
}

TEST(TorchScriptSyntax, BindsOperatorsAsPythonDoes) {
  const Expr sum = returned("1 + 2 * 3 == 7 and not x is not None");
  EXPECT_EQ(sum.text, "and");
  EXPECT_EQ(sum.parts[0].text, "==");
  EXPECT_EQ(sum.parts[0].parts[0].text, "+");
  EXPECT_EQ(sum.parts[1].text, "not");
  EXPECT_EQ(sum.parts[1].parts[0].text, "is not");
}

TEST(TorchScriptSyntax, ReadsWithBlocks) {
  const auto file = parse("def f(x: Tensor):\n  with x as y:\n    pass\n  with x:\n    pass\n");
  const std::vector<Statement>& body = file->functions.at("f").body;
  EXPECT_EQ(body[0].kind, Statement::Kind::kWith);
  EXPECT_TRUE(body[0].values[0].is_name("x"));
  EXPECT_TRUE(body[0].targets[0].is_name("y"));
  EXPECT_EQ(body[0].body.size(), 1);
  EXPECT_TRUE(body[1].targets.empty());
}

TEST(TorchScriptSyntax, KeepsTheTroubleOfABodyWithItsFunction) {
  SourceFile file;
  file.name = "net.py";
  file.text = Blob::own(
      "def f():\n  def g(a: int=3):\n    return a\n  return g\ndef h():\n  a = = 1\ndef i():\n  "
      "pass\n");
  std::size_t nodes_left = kMaxSyntaxNodes;
  parse_torchscript_leniently(file, nodes_left);
  EXPECT_EQ(file.functions.at("f").trouble->kind(), Error::kUnsupported);
  EXPECT_TRUE(file.functions.at("f").body.empty());
  EXPECT_EQ(std::string(file.functions.at("h").trouble->what()),
            "found '=', expected an expression, at net.py:6");
  EXPECT_FALSE(file.functions.at("i").trouble);
  EXPECT_EQ(file.functions.at("i").body.size(), 1);
  nodes_left = 3;
  SourceFile again;
  again.name = "net.py";
  again.text = Blob::own("def f():\n  return [1, 2, 3]\n");
  EXPECT_NE(message_of([&] {
              parse_torchscript_leniently(again, nodes_left);
            }).find("the source has more than"),
            std::string::npos);
}

TEST(TorchScriptSyntax, ReadsALastLineWithoutAnEnd) {
  EXPECT_EQ(parse("def f():\n  pass")->functions.at("f").body.size(), 1);
}

TEST(TorchScriptSyntax, TellsTheLineOfWhatItCannotRead) {
  EXPECT_EQ(complaint_about("def f():\n  a = \n"),
            "found the end of the line, expected an expression, at net.py:2");
  EXPECT_EQ(complaint_about("def f():\n  a = $\n"), "found '$', expected a word, at net.py:2");
  EXPECT_EQ(complaint_about("def f():\n  a = \"b\n"), "a string does not end, at net.py:2");
  EXPECT_EQ(complaint_about("def f():\n  a = \"\\q\"\n"),
            "a string has a backslash before 'q', at net.py:2");
  EXPECT_EQ(complaint_about("def f():\n    a = 1\n  b = 1\n"),
            "a line is indented as no line before it, at net.py:3");
  EXPECT_EQ(complaint_about("\n\xff\xfe"), "found '\\xff', expected a word, at net.py:2");
  EXPECT_EQ(complaint_about("x = 1\n"), "found 'x', expected a class or a function, at net.py:1");
  EXPECT_EQ(complaint_about("def f():\n  return 9223372036854775808\n"),
            "the int '9223372036854775808' does not fit 64 bits, at net.py:2");
  EXPECT_EQ(complaint_about("def f():\n  a, b = 1, 2, 3\n"),
            "3 values are assigned to 2 names, at net.py:2");
  EXPECT_EQ(complaint_about("def f():\n  1 = 2\n"),
            "found '1' before '=', expected a name, at net.py:2");
  EXPECT_EQ(complaint_about("def f():\n  pass\ndef f():\n  pass\n"),
            "the function 'f' is defined twice, at net.py:5");
}

TEST(TorchScriptSyntax, RefusesWhatHasNoPlaceInAProgram) {
  EXPECT_EQ(complaint_about("def f():\n  def g():\n    pass\n"),
            "a 'def' inside of a function, as torch.jit.fork needs it, cannot be converted, at "
            "net.py:2");
}

TEST(TorchScriptSyntax, BoundsHowDeepThingsNest) {
  const std::string many = "expressions and blocks nest too deep, at net.py:2";
  const auto repeated = [](std::string_view text) {
    std::string all;
    for (int i = 0; i < 100'000; ++i) all += text;
    return all;
  };
  for (const std::string_view part : {"(", "[", "-", "~", "not ", "f("})
    EXPECT_EQ(complaint_about(cat("def f():\n  return ", repeated(part), "\n")), many) << part;
  for (const std::string_view part : {".a", "()", "[0]", " + 1", " and x", "**2"})
    EXPECT_EQ(complaint_about(cat("def f():\n  return x", repeated(part), "\n")), many) << part;
  std::string blocks = "def f():\n";
  for (std::size_t i = 1; i < 200; ++i) blocks += cat(std::string(i, ' '), "if x:\n");
  EXPECT_EQ(complaint_about(blocks), "blocks nest too deep, at net.py:61");
}

TEST(TorchScriptSyntax, BoundsNamesAndNumbers) {
  EXPECT_EQ(complaint_about(cat("def ", std::string(251, 'a'), "():\n  pass\n")),
            "a name has 251 letters, expected at most 250, at net.py:1");
  EXPECT_EQ(complaint_about(cat("def f():\n  return ", std::string(1000, '1'), "\n")),
            "a number has too many digits, at net.py:2");
}

}  // namespace
}  // namespace voxport::torchscript_syntax_test
