// The source of a TorchScript archive, as trees. Only the shape of the words is known here; what
// they mean is found out by torchscript_inline.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/blob.h"
#include "base/fail.h"

namespace voxport {

// An expression, or a type: `Optional[Tensor]` is written like one.
struct Expr {
  enum class Kind : std::uint8_t {
    kName,         // text; True, False, None, inf and nan too
    kInt,          // integer
    kFloat,        // number
    kComplex,      // number, of the imaginary part
    kString,       // text
    kList,         // parts
    kTuple,        // parts
    kDict,         // parts: key, value, key, value
    kAttribute,    // parts[0].text
    kSubscript,    // parts[0][parts[1], ...]
    kSlice,        // parts[0]:parts[1], each the name None where it is not there
    kCall,         // parts[0](parts[1], ...)
    kKeyword,      // text=parts[0], inside of a call
    kUnary,        // text parts[0]: "not", "-", "~"
    kBinary,       // parts[0] text parts[1]: "+", "is not", "and"
    kConditional,  // parts[0] if parts[1] else parts[2]
  };

  Kind kind = Kind::kName;
  std::uint32_t line = 0;
  union {
    std::int64_t integer = 0;
    double number;
  };
  std::string_view text;
  std::vector<Expr> parts;

  bool is(Kind other) const { return kind == other; }
  bool is_name(std::string_view name) const { return kind == Kind::kName && text == name; }
};

// As it was written, near enough: "Optional[Tensor]", "__torch__.net.Pair".
std::string text_of(const Expr& expr);

struct Statement {
  enum class Kind : std::uint8_t {
    kAssign,      // targets = values
    kExpression,  // values[0]
    kReturn,      // values[0], or nothing
    kPass,
    kIf,     // values[0], body, otherwise
    kWhile,  // values[0], body
    kFor,    // targets[0] in values[0], body
    kWith,   // values[0], as targets[0] where there is one, body
  };

  Kind kind = Kind::kPass;
  bool unpacks = false;  // kAssign: `a, b, = e`, the parts of one list or tuple
  std::uint32_t line = 0;
  std::vector<Expr> targets;  // names and attributes
  std::vector<Expr> values;   // of one assignment: one, or as many as targets
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
};

struct Parameter {
  std::string_view name;
  std::optional<Expr> type;
  std::optional<Expr> otherwise;  // the default
};

struct SourceFile;

struct FunctionSource {
  std::string_view name;
  std::uint32_t line = 0;
  std::vector<Parameter> parameters;
  std::vector<Statement> body;
  // Why the body could not be read; it is empty then. See parse_torchscript_leniently().
  std::optional<Error> trouble;
  const SourceFile* file = nullptr;
};

struct ClassField {
  std::string_view name;
  std::optional<Expr> type;
  std::optional<Expr> value;  // of a Final, or of a list such as __buffers__
};

struct ClassSource {
  std::string_view name;
  std::string_view base;  // "Module", "NamedTuple"; may be empty
  std::uint32_t line = 0;
  std::vector<ClassField> fields;
  std::unordered_map<std::string_view, std::size_t> field_places;  // by name, in `fields`
  std::unordered_map<std::string_view, FunctionSource> methods;
  const SourceFile* file = nullptr;

  const FunctionSource* find_method(std::string_view method) const;
  const ClassField* find_field(std::string_view field) const;
};

// Not moved once it is parsed: its parts point to it, and into its text.
struct SourceFile {
  std::string name;  // "code/__torch__/net.py"
  Blob text;
  std::deque<std::string> strings;  // what escaped strings say
  std::unordered_map<std::string_view, ClassSource> classes;
  std::unordered_map<std::string_view, FunctionSource> functions;

  std::string at(std::uint32_t line) const;  // "code/__torch__/net.py:12"
};

// All files of a program together may have this many expressions and statements.
inline constexpr std::size_t kMaxSyntaxNodes = 2'000'000;

// Reads file.text into the rest. `nodes_left` is what is left of kMaxSyntaxNodes. Fails with
// kCorrupt, telling the line, where the text is no TorchScript, and with kUnsupported for what is
// but has no place in a program (functions inside of functions).
void parse_torchscript(SourceFile& file, std::size_t& nodes_left);

// The same, but a function whose body cannot be read keeps the error as its `trouble`, so that only
// who calls it has to fail. Too many expressions fail at once.
void parse_torchscript_leniently(SourceFile& file, std::size_t& nodes_left);

// The same, but bodies of functions are passed over and stay empty, so that nothing is unsupported.
// Fails with kCorrupt for a function inside of a function whose parameters have defaults.
void parse_torchscript_signatures(SourceFile& file, std::size_t& nodes_left);

}  // namespace voxport
