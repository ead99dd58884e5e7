#include "scan/source.h"

#include <map>
#include <optional>
#include <string_view>

#include "base/fail.h"
#include "program/torchscript_lexer.h"
#include "program/torchscript_syntax.h"
#include "scan/operators.h"

namespace voxport {
namespace {

using K = Expr::Kind;

std::string first_line(const Error& error) {
  const std::string_view text = error.what();
  return std::string(text.substr(0, text.find('\n')));
}

// "torch.add" and "ops.quantized.linear" as operators: "aten.add", "quantized.linear". Nothing for
// paths that name none.
std::optional<std::string> operator_of(std::string_view path) {
  if (path.starts_with("torch.")) return cat("aten.", path.substr(6));
  if (path.starts_with("ops.")) return std::string(path.substr(4));
  return std::nullopt;
}

// Judges the paths of names that a file is made of. Works on words, so that nothing hides in a
// construct that the parser passes over.
class PathJudge {
 public:
  PathJudge(const ScriptFile& file, Scan& scan) : file_(file), scan_(scan) {}

  void judge() {
    Lexer lexer(file_.text.text(), file_.name);
    Token before;
    for (Token token = lexer.next(); token.kind != Token::Kind::kEnd; token = lexer.next()) {
      const bool goes_on = path_.ends_with('.');
      if (token.kind == Token::Kind::kName && (path_.empty() || goes_on)) {
        if (path_.empty()) line_ = token.line;
        path_ += token.text;
      } else if (token.is(".") && !path_.empty() && !goes_on) {
        path_ += '.';
      } else {
        end_path();
        if (token.kind == Token::Kind::kName) begin_path(token);
        // The part after the dot of `(x).save` is an attribute of a value.
        if (token.is(".")) path_ = "?.";
      }
      if (token.kind == Token::Kind::kString && before.kind == Token::Kind::kString)
        report(Danger::kUnknown, token.line,
               "two strings in a row, which torch.jit.save never writes");
      before = token;
    }
    end_path();
  }

 private:
  void begin_path(const Token& token) {
    path_ = token.text;
    line_ = token.line;
  }

  void end_path() {
    std::string path;
    path.swap(path_);
    constexpr std::string_view kClasses = "__torch__.torch.classes.";
    for (const std::string_view space :
         {"__torch__", "__torch__.torch", "__torch__.torch.classes", "ops", "torch"})
      if (path == space)
        return report(Danger::kUnknown, line_,
                      cat(path, " stands for itself, not for an operator or a class"));
    if (path.starts_with(kClasses)) return judge_class(path.substr(kClasses.size()));
    if (const auto name = operator_of(path)) judge_name(path, *name);
  }

  void judge_name(std::string_view path, std::string_view name) {
    const Danger danger = judge_operator(name);
    if (danger == Danger::kDangerous)
      report(danger, line_, cat(path, ", which reaches files, processes or the network"));
    if (danger == Danger::kUnknown)
      report(danger, line_, cat(path, ", an operator that is not known here"));
  }

  void judge_class(std::string_view name) {
    const Danger danger = judge_script_class(name);
    if (danger != Danger::kHarmless)
      report(danger, line_, cat("the class ", name, ", which is code of some library"));
  }

  // Once for each thing that there is to say, at the first place.
  void report(Danger danger, std::uint32_t line, const std::string& what) {
    if (said_.insert(what).second)
      add_problem(scan_, danger, cat(file_.name, ":", line, ": ", what));
  }

  const ScriptFile& file_;
  Scan& scan_;
  std::string path_;
  std::uint32_t line_ = 0;
  std::set<std::string> said_;
};

// "torch.eq" for the expression torch.eq; nothing where it is no path of names.
std::optional<std::string> path_of(const Expr& expr) {
  if (expr.is(K::kName)) return std::string(expr.text);
  if (!expr.is(K::kAttribute)) return std::nullopt;
  const auto base = path_of(expr.parts[0]);
  return base ? std::optional(cat(*base, ".", expr.text)) : std::nullopt;
}

// Follows a __setstate__ and the methods of its own class that it calls.
class LoadJudge {
 public:
  explicit LoadJudge(const ClassSource& of_class) : class_(of_class) {}

  // What is more than assigning and packing; nothing where there is none.
  std::optional<std::string> find_more(const FunctionSource& method) {
    if (!followed_.insert(std::string(method.name)).second) return std::nullopt;
    return in_block(method.body);
  }

 private:
  std::optional<std::string> in_block(const std::vector<Statement>& block) {
    for (const Statement& statement : block)
      if (auto more = in_statement(statement)) return more;
    return std::nullopt;
  }

  std::optional<std::string> in_statement(const Statement& statement) {
    const bool loops =
        statement.kind == Statement::Kind::kFor || statement.kind == Statement::Kind::kWhile;
    if (loops) return cat("runs a loop, in line ", statement.line);
    for (const Expr& value : statement.values)
      if (auto more = in_expression(value)) return more;
    if (auto more = in_block(statement.body)) return more;
    return in_block(statement.otherwise);
  }

  std::optional<std::string> in_expression(const Expr& expr) {
    const std::size_t first = expr.is(K::kCall) ? 1 : 0;
    if (first == 1)
      if (auto more = in_callee(expr)) return more;
    for (std::size_t i = first; i < expr.parts.size(); ++i)
      if (auto more = in_expression(expr.parts[i])) return more;
    return std::nullopt;
  }

  std::optional<std::string> in_callee(const Expr& call) {
    const Expr& callee = call.parts[0];
    const auto path = path_of(callee);
    if (path && is_builtin(*path)) return std::nullopt;
    if (path && path->starts_with("self.")) {
      const FunctionSource* method = class_.find_method(std::string_view(*path).substr(5));
      if (method) return find_more(*method);
    }
    if (const auto name = path ? operator_of(*path) : std::nullopt)
      if (may_run_at_load(*name)) return std::nullopt;
    return cat("calls ", in_quotes(text_of(callee), 100), ", in line ", call.line);
  }

  static bool is_builtin(std::string_view name) {
    for (const std::string_view builtin : {"annotate", "bool", "float", "getattr", "int",
                                           "isinstance", "unchecked_cast", "uninitialized"})
      if (name == builtin) return true;
    return false;
  }

  const ClassSource& class_;
  std::set<std::string> followed_;
};

// Whether `__setstate__` occurs as a word.
bool names_setstate(const ScriptFile& file) {
  return file.text.text().find("__setstate__") != std::string_view::npos;
}

void judge_loading(const SourceFile& source, Scan& scan) {
  // By name, so that the order is always the same.
  std::map<std::string_view, const ClassSource*> classes;
  for (const auto& [name, of_class] : source.classes) classes.emplace(name, &of_class);
  for (const auto& [name, of_class] : classes) {
    const FunctionSource* method = of_class->find_method("__setstate__");
    if (!method) continue;
    if (const auto more = LoadJudge(*of_class).find_more(*method))
      add_problem(scan, Danger::kUnknown,
                  cat(source.at(method->line), ": the __setstate__ of ", in_quotes(name),
                      ", which runs when the archive is loaded, ", *more));
  }
}

void scan_file_of(const ScriptFile& file, std::size_t& nodes_left, Scan& scan) {
  SourceFile source;
  source.name = file.name;
  source.text = file.text;
  try {
    PathJudge(file, scan).judge();
    parse_torchscript(source, nodes_left);
    judge_loading(source, scan);
  } catch (const Error& error) {
    // `with` and functions inside of functions are TorchScript, but not converted.
    if (error.kind() == Error::kUnsupported && !names_setstate(file)) return;
    add_problem(scan, Danger::kUnknown,
                cat(file.name, ": ", first_line(error), "; the code is not known"));
  }
}

}  // namespace

void scan_source(const std::vector<ScriptFile>& files, Scan& scan) {
  std::size_t nodes_left = kMaxSyntaxNodes;
  for (const ScriptFile& file : files) scan_file_of(file, nodes_left, scan);
}

}  // namespace voxport
