#include "program/torchscript_syntax.h"

#include <array>
#include <span>
#include <utility>

#include "base/fail.h"
#include "base/join.h"
#include "base/parse_number.h"
#include "program/torchscript_lexer.h"

namespace voxport {
namespace {

using E = Expr::Kind;
using T = Token::Kind;

constexpr std::size_t kMaxSyntaxDepth = 100;

// Infix operators by how weakly they bind; those of one row from left to right. `not in` and `is
// not` are put together by the parser.
constexpr std::array<std::array<std::string_view, 9>, 9> kOperators = {{
    {"or"},
    {"and"},
    {"==", "!=", "<", ">", "<=", ">=", "is", "is not", "in"},
    {"|"},
    {"^"},
    {"&"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "//", "%", "@"},
}};
constexpr std::size_t kComparisons = 2;  // `not` binds just weaker than these

// What is done with the bodies of functions.
enum class Bodies : std::uint8_t {
  kRead,
  kReadLeniently,  // one that cannot be read leaves its error with the function
  kPassOver,
};

class Parser {
 public:
  Parser(SourceFile& file, std::size_t& nodes_left, Bodies bodies)
      : file_(file), nodes_left_(nodes_left), bodies_(bodies), lexer_(file.text.text(), file.name) {
    advance();
  }

  void parse_file();

 private:
  // One level deeper for as long as it lives.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxSyntaxDepth)
        parser_.fail_here("expressions and blocks nest too deep");
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void fail_here(std::string_view what) const {
    fail(Error::kCorrupt, what, ", at ", file_.at(token_.line));
  }
  [[noreturn]] void fail_expected(std::string_view what) const {
    fail_here(cat("found ", text_of(token_), ", expected ", what));
  }
  void advance() { token_ = lexer_.next(); }
  bool take(std::string_view text);
  void expect(std::string_view text);
  std::string_view expect_name(std::string_view what);
  void expect_kind(T kind, std::string_view what);
  void end_line();
  void count_node();

  Expr make(E kind, std::string_view text = {});
  Expr make(E kind, std::string_view text, std::vector<Expr> parts);
  static std::vector<Expr> list_of(Expr first);

  Expr expression();
  Expr infix(std::size_t row);
  Expr negation();
  Expr unary();
  Expr power();
  Expr postfix();
  Expr call(Expr callee);
  Expr subscript(Expr base);
  Expr slice_part();
  Expr atom();
  Expr number(bool is_negative);
  Expr parenthesised();
  Expr dict();
  std::vector<Expr> items_until(std::string_view closing);
  std::string_view infix_operator(std::size_t row);

  std::vector<Statement> block();
  void open_block();
  void skip_block();
  Statement statement();
  Statement simple_statement();
  Statement assignment(Statement made);
  Statement if_statement(Statement made);
  Statement for_statement(Statement made);
  Statement with_statement(Statement made);
  void read_body(FunctionSource& function);
  void add_function(std::unordered_map<std::string_view, FunctionSource>& functions,
                    FunctionSource made) const;
  FunctionSource function();
  Parameter parameter();
  ClassSource class_source();
  ClassField class_field();

  SourceFile& file_;
  std::size_t& nodes_left_;
  Bodies bodies_;
  Lexer lexer_;
  Token token_;
  std::size_t depth_ = 0;
};

bool Parser::take(std::string_view text) {
  if (!token_.is(text)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view text) {
  if (!take(text)) fail_expected(in_quotes(text));
}

std::string_view Parser::expect_name(std::string_view what) {
  if (token_.kind != T::kName) fail_expected(what);
  const std::string_view name = token_.text;
  advance();
  return name;
}

void Parser::expect_kind(T kind, std::string_view what) {
  if (token_.kind != kind) fail_expected(what);
  advance();
}

void Parser::end_line() {
  if (token_.kind != T::kEnd) expect_kind(T::kNewline, "the end of the line");
}

void Parser::count_node() {
  if (nodes_left_-- == 0) {
    nodes_left_ = 0;
    fail_here(cat("the source has more than ", kMaxSyntaxNodes, " expressions"));
  }
}

Expr Parser::make(E kind, std::string_view text) {
  count_node();
  Expr made;
  made.kind = kind;
  made.line = token_.line;
  made.text = text;
  return made;
}

Expr Parser::make(E kind, std::string_view text, std::vector<Expr> parts) {
  Expr made = make(kind, text);
  if (!parts.empty()) made.line = parts.front().line;
  made.parts = std::move(parts);
  return made;
}

std::vector<Expr> Parser::list_of(Expr first) {
  std::vector<Expr> list;
  list.push_back(std::move(first));
  return list;
}

// a if c else b
Expr Parser::expression() {
  const Deeper deeper(*this);
  Expr value = infix(0);
  if (!take("if")) return value;
  std::vector<Expr> parts = list_of(std::move(value));
  parts.push_back(infix(0));
  expect("else");
  parts.push_back(expression());
  return make(E::kConditional, "", std::move(parts));
}

// The operator of the row that stands here, which is passed over; empty when there is none.
std::string_view Parser::infix_operator(std::size_t row) {
  for (const std::string_view mark : kOperators[row]) {
    if (mark.empty() || !token_.is(mark)) continue;
    advance();
    return mark == "is" && take("not") ? "is not" : mark;
  }
  return {};
}

// The loop makes trees that lean to the left as deep as the line is long; each level counts.
Expr Parser::infix(std::size_t row) {
  if (row == kOperators.size()) return unary();
  if (row == kComparisons && token_.is("not")) return negation();
  Expr left = infix(row + 1);
  for (std::size_t depth = depth_; depth <= kMaxSyntaxDepth; ++depth) {
    const std::string_view mark = infix_operator(row);
    if (mark.empty()) return left;
    std::vector<Expr> parts = list_of(std::move(left));
    parts.push_back(infix(row + 1));
    left = make(E::kBinary, mark, std::move(parts));
  }
  fail_here("expressions and blocks nest too deep");
}

Expr Parser::negation() {
  const Deeper deeper(*this);
  expect("not");
  return make(E::kUnary, "not", list_of(infix(kComparisons)));
}

Expr Parser::unary() {
  const Deeper deeper(*this);
  if (take("-")) {
    if (token_.kind == T::kNumber) return number(true);
    return make(E::kUnary, "-", list_of(unary()));
  }
  if (take("~")) return make(E::kUnary, "~", list_of(unary()));
  return power();
}

Expr Parser::power() {
  Expr base = postfix();
  if (!take("**")) return base;
  std::vector<Expr> parts = list_of(std::move(base));
  parts.push_back(unary());
  return make(E::kBinary, "**", std::move(parts));
}

Expr Parser::postfix() {
  Expr made = atom();
  for (std::size_t depth = depth_; depth <= kMaxSyntaxDepth; ++depth) {
    if (take(".")) {
      const std::string_view name = expect_name("a name after the dot");
      made = make(E::kAttribute, name, list_of(std::move(made)));
    } else if (take("(")) {
      made = call(std::move(made));
    } else if (take("[")) {
      made = subscript(std::move(made));
    } else {
      return made;
    }
  }
  fail_here("expressions and blocks nest too deep");
}

Expr Parser::call(Expr callee) {
  std::vector<Expr> parts = list_of(std::move(callee));
  while (!take(")")) {
    Expr part = expression();
    if (part.is(E::kName) && take("=")) {
      const std::string_view name = part.text;
      part = make(E::kKeyword, name, list_of(expression()));
    }
    parts.push_back(std::move(part));
    if (!token_.is(")")) expect(",");
  }
  return make(E::kCall, "", std::move(parts));
}

Expr Parser::slice_part() {
  if (token_.is(":") || token_.is("]") || token_.is(",")) return make(E::kName, "None");
  return expression();
}

Expr Parser::subscript(Expr base) {
  std::vector<Expr> parts = list_of(std::move(base));
  while (!take("]")) {
    Expr part = slice_part();
    if (take(":")) {
      std::vector<Expr> ends = list_of(std::move(part));
      ends.push_back(slice_part());
      part = make(E::kSlice, "", std::move(ends));
    }
    parts.push_back(std::move(part));
    if (!token_.is("]")) expect(",");
  }
  if (parts.size() == 1) fail_expected("an index");
  return make(E::kSubscript, "", std::move(parts));
}

std::vector<Expr> Parser::items_until(std::string_view closing) {
  std::vector<Expr> items;
  while (!take(closing)) {
    items.push_back(expression());
    if (!token_.is(closing)) expect(",");
  }
  return items;
}

Expr Parser::number(bool is_negative) {
  const Token token = token_;
  Expr made = make(E::kInt, token.text);
  advance();
  const bool is_complex = token.text.ends_with('j');
  if (is_complex || token.text.find_first_of(".eE") != std::string_view::npos) {
    made.kind = is_complex ? E::kComplex : E::kFloat;
    const auto number = parse_number<double>(token.text.substr(0, token.text.size() - is_complex));
    if (!number) fail_here("a number is none, or too large");
    made.number = is_negative ? -*number : *number;
    return made;
  }
  const auto magnitude = parse_number<std::uint64_t>(token.text);
  const std::uint64_t limit = (std::uint64_t{1} << 63) - (is_negative ? 0 : 1);
  if (!magnitude || *magnitude > limit)
    fail_here(cat("the int ", in_quotes(token.text, 40), " does not fit 64 bits"));
  made.integer = static_cast<std::int64_t>(is_negative ? 0 - *magnitude : *magnitude);
  return made;
}

// (a), (a,), (a, b), ()
Expr Parser::parenthesised() {
  if (take(")")) return make(E::kTuple);
  Expr first = expression();
  if (take(")")) return first;
  expect(",");
  std::vector<Expr> parts = list_of(std::move(first));
  for (Expr& item : items_until(")")) parts.push_back(std::move(item));
  return make(E::kTuple, "", std::move(parts));
}

Expr Parser::dict() {
  std::vector<Expr> parts;
  while (!take("}")) {
    parts.push_back(expression());
    expect(":");
    parts.push_back(expression());
    if (!token_.is("}")) expect(",");
  }
  return make(E::kDict, "", std::move(parts));
}

Expr Parser::atom() {
  if (token_.kind == T::kNumber) return number(false);
  if (token_.kind == T::kString) {
    file_.strings.push_back(unquoted(token_, file_.name));
    Expr made = make(E::kString, file_.strings.back());
    advance();
    return made;
  }
  if (take("(")) return parenthesised();
  if (take("[")) return make(E::kList, "", items_until("]"));
  if (take("{")) return dict();
  const Token token = token_;
  expect_name("an expression");
  Expr made = make(E::kName, token.text);
  made.line = token.line;
  return made;
}

// The colon, and the indentation of the next line.
void Parser::open_block() {
  expect(":");
  end_line();
  expect_kind(T::kIndent, "a line that is indented");
}

// What is indented below a line that ends with a colon.
std::vector<Statement> Parser::block() {
  const Deeper deeper(*this);
  open_block();
  std::vector<Statement> statements;
  if (bodies_ == Bodies::kPassOver) {
    skip_block();
    return statements;
  }
  while (token_.kind != T::kDedent) statements.push_back(statement());
  advance();
  return statements;
}

// To the end of a block whose indentation was taken. Where all bodies are passed over, no default
// may be among what is.
void Parser::skip_block() {
  bool is_in_signature = false;
  for (std::size_t levels = 1; levels > 0; advance()) {
    if (token_.kind == T::kEnd) fail_expected("the end of a block");
    if (token_.kind == T::kIndent) ++levels;
    if (token_.kind == T::kDedent) --levels;
    if (token_.kind == T::kNewline) is_in_signature = false;
    if (token_.is("def")) is_in_signature = true;
    if (bodies_ == Bodies::kPassOver && is_in_signature && token_.is("="))
      fail_here("a function inside of a function has a default");
  }
}

Statement Parser::statement() {
  count_node();
  Statement made;
  made.line = token_.line;
  if (take("if")) return if_statement(std::move(made));
  if (take("for")) return for_statement(std::move(made));
  if (take("while")) {
    made.kind = Statement::Kind::kWhile;
    made.values.push_back(expression());
    made.body = block();
    return made;
  }
  if (take("with")) return with_statement(std::move(made));
  if (token_.is("def"))
    fail(Error::kUnsupported,
         "a 'def' inside of a function, as torch.jit.fork needs it, cannot be converted, at ",
         file_.at(token_.line));
  made = simple_statement();
  end_line();
  return made;
}

Statement Parser::simple_statement() {
  Statement made;
  made.line = token_.line;
  if (take("pass")) return made;
  if (take("return")) {
    made.kind = Statement::Kind::kReturn;
    if (token_.kind != T::kNewline) made.values.push_back(expression());
    return made;
  }
  Expr first = expression();
  if (token_.kind == T::kNewline) {
    made.kind = Statement::Kind::kExpression;
    made.values.push_back(std::move(first));
    return made;
  }
  made.kind = Statement::Kind::kAssign;
  made.targets.push_back(std::move(first));
  return assignment(std::move(made));
}

// The rest of `a = e`, `a : T = e`, `a, b = e`, `a, b, = e`, `a, b = e, f`.
Statement Parser::assignment(Statement made) {
  if (take(":")) expression();
  while (take(",")) {
    made.unpacks = token_.is("=");
    if (!made.unpacks) made.targets.push_back(expression());
  }
  expect("=");
  made.values.push_back(expression());
  while (take(",")) made.values.push_back(expression());
  for (const Expr& target : made.targets) {
    if (!target.is(E::kName) && !target.is(E::kAttribute))
      fail_here(cat("found ", in_quotes(text_of(target), 60), " before '=', expected a name"));
  }
  if (made.values.size() > 1 && made.values.size() != made.targets.size()) {
    fail_here(cat(made.values.size(), " values are assigned to ", made.targets.size(), " names"));
  }
  return made;
}

Statement Parser::if_statement(Statement made) {
  made.kind = Statement::Kind::kIf;
  made.values.push_back(expression());
  made.body = block();
  if (take("else")) made.otherwise = block();
  return made;
}

Statement Parser::for_statement(Statement made) {
  made.kind = Statement::Kind::kFor;
  made.targets.push_back(make(E::kName, expect_name("the name of what is counted")));
  expect("in");
  made.values.push_back(expression());
  made.body = block();
  return made;
}

// with a:, with a as b:
Statement Parser::with_statement(Statement made) {
  made.kind = Statement::Kind::kWith;
  made.values.push_back(expression());
  if (take("as")) made.targets.push_back(make(E::kName, expect_name("a name after 'as'")));
  made.body = block();
  return made;
}

Parameter Parser::parameter() {
  Parameter made;
  made.name = expect_name("the name of an argument");
  if (take(":")) made.type = expression();
  if (take("=")) made.otherwise = expression();
  return made;
}

FunctionSource Parser::function() {
  FunctionSource made;
  made.line = token_.line;
  made.file = &file_;
  expect("def");
  made.name = expect_name("the name of a function");
  expect("(");
  while (!take(")")) {
    made.parameters.push_back(parameter());
    if (!token_.is(")")) expect(",");
  }
  if (take("->")) expression();
  read_body(made);
  return made;
}

void Parser::read_body(FunctionSource& function) {
  if (bodies_ != Bodies::kReadLeniently) {
    function.body = block();
    return;
  }
  const Lexer start = lexer_;
  const Token first = token_;
  try {
    function.body = block();
  } catch (const Error& error) {
    if (nodes_left_ == 0) throw;
    function.trouble = error;
    lexer_ = start;
    token_ = first;
    open_block();
    skip_block();
  }
}

void Parser::add_function(std::unordered_map<std::string_view, FunctionSource>& functions,
                          FunctionSource made) const {
  if (functions.contains(made.name))
    fail_here(cat("the function ", in_quotes(made.name), " is defined twice"));
  functions.emplace(made.name, std::move(made));
}

// `name : Type`, `name : Final[int] = 6`, `__buffers__ = []`, `__annotations__["0"] = Type`.
ClassField Parser::class_field() {
  ClassField made;
  Expr target = postfix();
  const bool is_annotation = target.is(E::kSubscript) && target.parts[0].is(E::kName) &&
                             target.parts[0].text == "__annotations__" &&
                             target.parts[1].is(E::kString);
  if (!target.is(E::kName) && !is_annotation)
    fail_here(cat("found ", in_quotes(text_of(target), 60), ", expected an attribute"));
  made.name = is_annotation ? target.parts[1].text : target.text;
  if (take(":")) made.type = expression();
  if (take("=")) (is_annotation ? made.type : made.value) = expression();
  end_line();
  return made;
}

ClassSource Parser::class_source() {
  ClassSource made;
  made.line = token_.line;
  made.file = &file_;
  expect("class");
  made.name = expect_name("the name of a class");
  if (take("(")) {
    if (!token_.is(")")) made.base = expect_name("the name of a class");
    expect(")");
  }
  expect(":");
  end_line();
  expect_kind(T::kIndent, "a line that is indented");
  while (token_.kind != T::kDedent) {
    count_node();
    if (token_.is("def")) {
      add_function(made.methods, function());
    } else if (take("pass")) {
      end_line();
    } else {
      ClassField field = class_field();
      made.field_places.try_emplace(field.name, made.fields.size());
      made.fields.push_back(std::move(field));
    }
  }
  advance();
  return made;
}

void Parser::parse_file() {
  while (token_.kind != T::kEnd) {
    count_node();
    if (token_.is("class")) {
      ClassSource made = class_source();
      if (file_.classes.contains(made.name))
        fail_here(cat("the class ", in_quotes(made.name), " is defined twice"));
      file_.classes.emplace(made.name, std::move(made));
    } else if (token_.is("def")) {
      add_function(file_.functions, function());
    } else if (token_.is("op_version_set")) {  // of archives before version 3
      while (token_.kind != T::kNewline && token_.kind != T::kEnd) advance();
      end_line();
    } else {
      fail_expected("a class or a function");
    }
  }
}

std::string joined_text(std::span<const Expr> parts) {
  return join(parts, ", ", [](const Expr& part) { return text_of(part); });
}

}  // namespace

std::string text_of(const Expr& expr) {
  switch (expr.kind) {
    case E::kInt: return std::to_string(expr.integer);
    case E::kString: return cat('"', expr.text, '"');
    case E::kList: return cat("[", joined_text(expr.parts), "]");
    case E::kTuple: return cat("(", joined_text(expr.parts), ")");
    case E::kAttribute: return cat(text_of(expr.parts[0]), ".", expr.text);
    case E::kSubscript:
      return cat(text_of(expr.parts[0]), "[", joined_text(std::span(expr.parts).subspan(1)), "]");
    case E::kCall:
      return cat(text_of(expr.parts[0]), "(", joined_text(std::span(expr.parts).subspan(1)), ")");
    default: return std::string(expr.text.empty() ? "an expression" : expr.text);
  }
}

const FunctionSource* ClassSource::find_method(std::string_view method) const {
  const auto found = methods.find(method);
  return found == methods.end() ? nullptr : &found->second;
}

const ClassField* ClassSource::find_field(std::string_view field) const {
  const auto found = field_places.find(field);
  return found == field_places.end() ? nullptr : &fields[found->second];
}

std::string SourceFile::at(std::uint32_t line) const { return cat(name, ":", line); }

void parse_torchscript(SourceFile& file, std::size_t& nodes_left) {
  Parser(file, nodes_left, Bodies::kRead).parse_file();
}

void parse_torchscript_leniently(SourceFile& file, std::size_t& nodes_left) {
  Parser(file, nodes_left, Bodies::kReadLeniently).parse_file();
}

void parse_torchscript_signatures(SourceFile& file, std::size_t& nodes_left) {
  Parser(file, nodes_left, Bodies::kPassOver).parse_file();
}

}  // namespace voxport
