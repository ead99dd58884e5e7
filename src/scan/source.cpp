#include "scan/source.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/fail.h"
#include "program/torchscript_lexer.h"
#include "program/torchscript_syntax.h"
#include "scan/operators.h"

namespace voxport {
namespace {

using K = Expr::Kind;

// "torch.add" and "ops.quantized.linear" as operators: "aten.add", "quantized.linear". Nothing for
// paths that name none.
std::optional<std::string> operator_at(std::string_view path) {
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
    if (const auto name = operator_at(path)) judge_name(path, *name);
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
    for (std::size_t i = 0; i < method.parameters.size(); ++i) {
      const std::string_view name = method.parameters[i].name;
      if ((i == 0) != (name == "self") || is_builtin(name))
        return cat("has ", in_quotes(name), " for its parameter ", i + 1);
    }
    return in_block(method.body);
  }

  // The line of the first operator, subscript or condition, which a class may define; 0 where there
  // is none.
  std::uint32_t operator_line() const { return operator_line_; }

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
    if (statement.kind == Statement::Kind::kWith)
      return cat("enters a 'with', in line ", statement.line);
    if (statement.kind == Statement::Kind::kIf) note_operator(statement.line);
    for (const Expr& target : statement.targets) {
      if (target.is_name("self") || (target.is(K::kName) && is_builtin(target.text)))
        return cat("gives ", in_quotes(target.text), " another meaning, in line ", statement.line);
      if (auto more = in_expression(target)) return more;
    }
    for (const Expr& value : statement.values)
      if (auto more = in_expression(value)) return more;
    if (auto more = in_block(statement.body)) return more;
    return in_block(statement.otherwise);
  }

  std::optional<std::string> in_expression(const Expr& expr) {
    if (expr.is(K::kSubscript) || expr.is(K::kUnary) || expr.is(K::kBinary) ||
        expr.is(K::kConditional))
      note_operator(expr.line);
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
    if (path && is_builtin(*path)) {
      note_operator(call.line);  // bool(), float() and int() may be defined as well
      return std::nullopt;
    }
    if (path && path->starts_with("self.")) {
      const FunctionSource* method = class_.find_method(std::string_view(*path).substr(5));
      if (method) return find_more(*method);
    }
    if (const auto name = path ? operator_at(*path) : std::nullopt)
      if (may_run_at_load(*name)) return std::nullopt;
    return cat("calls ", in_quotes(text_of(callee), 100), ", in line ", call.line);
  }

  static bool is_builtin(std::string_view name) {
    for (const std::string_view builtin : {"annotate", "bool", "float", "getattr", "int",
                                           "isinstance", "unchecked_cast", "uninitialized"})
      if (name == builtin) return true;
    return false;
  }

  void note_operator(std::uint32_t line) {
    if (operator_line_ == 0) operator_line_ = line;
  }

  const ClassSource& class_;
  std::set<std::string> followed_;
  std::uint32_t operator_line_ = 0;
};

// Whether `__setstate__` occurs as a word.
bool names_setstate(const ScriptFile& file) {
  return file.text.text().find("__setstate__") != std::string_view::npos;
}

bool is_number(const Expr& expr) {
  return expr.is(K::kInt) || expr.is(K::kFloat) || expr.is(K::kComplex) || expr.is_name("inf") ||
         expr.is_name("nan");
}

// What torch.jit.save writes for defaults and constants, and what runs no code.
bool is_literal(const Expr& expr) {
  switch (expr.kind) {
    case K::kString: return true;
    case K::kName:
      return is_number(expr) || expr.is_name("None") || expr.is_name("True") ||
             expr.is_name("False");
    case K::kList:
    case K::kTuple:
    case K::kDict: return std::ranges::all_of(expr.parts, is_literal);
    case K::kUnary: return expr.text == "-" && is_number(expr.parts[0]);
    case K::kBinary:  // 1.+2.j
      return (expr.text == "+" || expr.text == "-") && is_number(expr.parts[0]) &&
             expr.parts[1].is(K::kComplex);
    case K::kAttribute: {  // a tensor, or a member of an enum
      const auto path = path_of(expr);
      return path && (path->starts_with("CONSTANTS.c") || path->starts_with("__torch__."));
    }
    case K::kCall: {
      const auto path = path_of(expr.parts[0]);
      if (path == "torch.device") return expr.parts.size() == 2 && expr.parts[1].is(K::kString);
      return path == "annotate" && expr.parts.size() == 3 && is_literal(expr.parts[2]);
    }
    default: return is_number(expr);
  }
}

// Methods that operators, subscripts and conversions call.
bool defines_operators(const ClassSource& of_class) {
  return std::ranges::any_of(of_class.methods, [](const auto& method) {
    const std::string_view name = method.first;
    return name.starts_with("__") && name != "__init__" && name != "__getstate__" &&
           name != "__setstate__";
  });
}

// The classes or functions of a file in the order of their names, so that it is always the same.
template <class Named>
std::vector<const Named*> by_name(const std::unordered_map<std::string_view, Named>& all) {
  std::vector<const Named*> sorted;
  sorted.reserve(all.size());
  for (const auto& [name, named] : all) sorted.push_back(&named);
  std::ranges::sort(sorted, {}, [](const Named* named) { return named->name; });
  return sorted;
}

// Adds a problem where a value that the loader evaluates is there and is no literal.
void judge_value(const SourceFile& source, std::string_view name, const std::optional<Expr>& value,
                 Scan& scan) {
  if (!value || is_literal(*value)) return;
  add_problem(scan, Danger::kUnknown,
              cat(source.at(value->line), ": the value of ", in_quotes(name, 60),
                  ", which is evaluated when the archive is loaded, is ",
                  in_quotes(text_of(*value), 100), ", expected a literal"));
}

void judge_defaults(const SourceFile& source,
                    const std::unordered_map<std::string_view, FunctionSource>& functions,
                    Scan& scan) {
  for (const FunctionSource* function : by_name(functions))
    for (const Parameter& parameter : function->parameters)
      judge_value(source, parameter.name, parameter.otherwise, scan);
}

SourceFile source_of(const ScriptFile& file) {
  SourceFile source;
  source.name = file.name;
  source.text = file.text;
  return source;
}

}  // namespace

void SourceScan::add(const ScriptFile& file) {
  try {
    PathJudge(file, scan_).judge();
    SourceFile source = source_of(file);
    try {
      parse_torchscript(source, nodes_left_);
      return judge(source);
    } catch (const Error& error) {
      // Functions inside of functions are TorchScript, but not converted.
      if (error.kind() != Error::kUnsupported || names_setstate(file)) throw;
    }
    SourceFile signatures = source_of(file);
    parse_torchscript_signatures(signatures, nodes_left_);
    judge(signatures);
  } catch (const Error& error) {
    add_problem(scan_, Danger::kUnknown,
                cat(file.name, ": ", first_line(error), "; the code is not known"));
  }
}

void SourceScan::judge(const SourceFile& source) {
  judge_defaults(source, source.functions, scan_);
  for (const ClassSource* of_class : by_name(source.classes)) {
    for (const ClassField& field : of_class->fields)
      judge_value(source, field.name, field.value, scan_);
    judge_defaults(source, of_class->methods, scan_);
    judge_setstate(*of_class);
    if (class_with_operators_.empty() && defines_operators(*of_class))
      class_with_operators_ = of_class->name;
  }
}

void SourceScan::judge_setstate(const ClassSource& of_class) {
  const FunctionSource* method = of_class.find_method("__setstate__");
  if (!method) return;
  LoadJudge judge(of_class);
  const auto more = judge.find_more(*method);
  const std::string start =
      cat(of_class.file->at(method->line), ": the __setstate__ of ", in_quotes(of_class.name),
          ", which runs when the archive is loaded, ");
  if (more) add_problem(scan_, Danger::kUnknown, cat(start, *more));
  if (judge.operator_line() != 0)
    uses_of_operators_.push_back(
        cat(start, "uses an operator or a condition, in line ", judge.operator_line()));
}

void SourceScan::finish() {
  if (class_with_operators_.empty()) return;
  for (const std::string& use : uses_of_operators_)
    add_problem(scan_, Danger::kUnknown,
                cat(use, ", and the class ", in_quotes(class_with_operators_), " defines such"));
}

}  // namespace voxport
