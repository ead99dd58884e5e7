#include "scan/exported_graph.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/fail.h"
#include "program/pt2_graph.h"
#include "program/pt2_json.h"
#include "program/sympy.h"
#include "scan/operators.h"

namespace voxport {
namespace {

using Kind = Json::Kind;

constexpr std::string_view kProgramKeys[] = {
    "dialect",       "equality_constraints", "example_inputs", "graph_module",  "guards_code",
    "opset_version", "range_constraints",    "schema_version", "torch_version", "verifiers",
};

constexpr std::string_view kFactories[] = {"bool", "dict", "float", "int",
                                           "list", "set",  "str",   "tuple"};

// Words that no size has, but that whoever wants to run something needs.
bool looks_like_code(std::string_view text) {
  for (const std::string_view word : {"__", "import", "exec", "eval", "lambda", "open", "system",
                                      "getattr", "compile", "globals", "subprocess", "builtins"})
    if (text.find(word) != text.npos) return true;
  return false;
}

// The length of `L['x'].size()[0]`, which a guard calls an input's size; 0 where there is none.
std::size_t access_length(std::string_view text) {
  if (!text.starts_with("L[")) return 0;
  std::size_t at = 1;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    std::size_t length = 0;
    for (const std::string_view call : {".size()", ".stride()", ".storage_offset()"})
      if (rest.starts_with(call)) length = call.size();
    if (rest.starts_with("['")) {
      const std::size_t end = rest.find_first_of("'\\\n", 2);
      if (end == rest.npos || !rest.substr(end).starts_with("']")) return 0;
      length = end + 2;
    } else if (rest.starts_with('[')) {
      const std::size_t end = rest.find_first_not_of("0123456789", 1);
      if (end == rest.npos || end == 1 || rest[end] != ']') return 0;
      length = end + 1;
    }
    if (length == 0) break;
    at += length;
  }
  return at;
}

// A guard as an expression of sizes of the same form, whatever its value: L['x'].size()[0] becomes
// a symbol, torch.sym_max Max, and what joins comparisons one of them.
std::string guard_as_size(std::string_view guard) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"math.ceil", "ceiling"},
      {"math.floor", "floor"},
      {"torch.sym_float", "ToFloat"},
      {"torch.sym_max", "Max"},
      {"torch.sym_min", "Min"},
      {"torch.sym_not", "Not"},
      {"torch.sym_sum", "Add"},
      {" and ", " == "},
      {" or ", " == "},
      {"not ", ""},
  };
  std::string size;
  while (!guard.empty()) {
    std::size_t length = access_length(guard);
    std::string_view meant = "L";
    for (const auto& [from, to] : kRenamed)
      if (length == 0 && guard.starts_with(from)) {
        length = from.size();
        meant = to;
      }
    if (length == 0) {
      meant = guard.substr(0, 1);
      length = 1;
    }
    size += meant;
    guard.remove_prefix(length);
  }
  return size;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// The operator of torch.ops.aten.add.Tensor: "aten.add"; empty where the path has another form.
std::string operator_of(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.";
  if (!target.starts_with(kOps)) return "";
  target.remove_prefix(kOps.size());
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= target.size();) {
    const std::size_t dot = std::min(target.find('.', at), target.size());
    words.push_back(target.substr(at, dot - at));
    at = dot + 1;
  }
  const bool fits = (words.size() == 2 || words.size() == 3) &&
                    std::ranges::all_of(words, is_identifier) &&
                    (words.size() == 2 || !words[2].starts_with("__"));
  return fits ? cat(words[0], ".", words[1]) : "";
}

class JsonJudge {
 public:
  JsonJudge(std::string place, Scan& scan) : place_(std::move(place)), scan_(scan) {}

  void judge_program(const Json& root) {
    if (root.kind() == Kind::kObject && !root["graph_module"].is_null()) {
      for (const Json child : root.children())
        if (std::ranges::find(kProgramKeys, child.key()) == std::end(kProgramKeys))
          report(Danger::kUnknown,
                 cat("has a part ", in_quotes(child.key(), 60), ", which is not known here"));
      for (const Json range : root["range_constraints"].children()) judge_size(range.key());
    }
    judge(root);
  }

 private:
  void judge(const Json& value) {
    if (value.kind() != Kind::kObject && value.kind() != Kind::kArray) return;
    for (const Json child : value.children()) {
      const std::string key = child.key();
      judge_kind(key, child);
      if (child.kind() == Kind::kString) judge_text(key, child);
      if (key == "guards_code" && child.kind() == Kind::kArray)
        for (const Json guard : child.children()) judge_guard(guard.text());
      if (key == "class_fqn" || key == "custom_obj_name" || key == "blob")
        report(Danger::kUnknown, "holds an object of a class that C++ code registers");
      judge(child);
    }
  }

  // What the loader evaluates must be a text: of lists and objects, SymPy evaluates the parts.
  void judge_kind(std::string_view key, const Json& value) {
    if (value.is_null()) return;
    const bool is_text =
        key == "expr_str" || key == "as_operator" || key == "in_spec" || key == "out_spec";
    const bool fits = !is_text || value.kind() == Kind::kString;
    // An object named "target" may be what is said of an input of that name.
    const bool is_list_of_targets = key == "target" && value.kind() == Kind::kArray;
    if (!fits || is_list_of_targets)
      report(Danger::kUnknown, cat("has something else than a text for ", key));
    if (key == "guards_code" && value.kind() != Kind::kArray)
      report(Danger::kUnknown, "has something else than a list for guards_code");
  }

  void judge_text(std::string_view key, const Json& value) {
    if (key == "expr_str") judge_size(value.text());
    if (key == "target" || key == "as_operator") judge_target(value.text());
    if (key == "in_spec" || key == "out_spec") judge_spec(value.text(), 0);
  }

  void judge_size(const std::string& text) {
    if (!is_new("size", text) || is_known_sympy(text)) return;
    report(looks_like_code(text) ? Danger::kDangerous : Danger::kUnknown,
           cat("has ", in_quotes(text, 100), " for a size, which the loader has Python evaluate"));
  }

  void judge_guard(const std::string& text) {
    if (!is_new("guard", text) || is_known_sympy(guard_as_size(text))) return;
    report(looks_like_code(text) ? Danger::kDangerous : Danger::kUnknown,
           cat("has ", in_quotes(text, 100), " for a guard, which the loader has Python run"));
  }

  void judge_target(const std::string& target) {
    if (!is_new("target", target) || is_python_call(target)) return;
    const std::string name = operator_of(target);
    if (name.empty())
      return report(Danger::kUnknown,
                    cat("calls ", in_quotes(target, 100), ", expected an operator of torch.ops"));
    const Danger danger = judge_operator(name);
    if (danger == Danger::kDangerous)
      report(danger, cat("calls ", target, ", which reaches files, processes or the network"));
    if (danger == Danger::kUnknown)
      report(danger, cat("calls ", target, ", an operator that is not known here"));
  }

  // What types the inputs and outputs have. An enum, and what a defaultdict makes its values with,
  // are imported by name. Contexts are JSON in strings, which may hold such strings again. Python
  // reads more than we do (half a surrogate pair), so that what we cannot read is suspicious.
  void judge_spec(const std::string& text, int depth) {
    constexpr int kMaxDepth = 4;
    if (text.empty() || (depth == 0 && !is_new("spec", text))) return;
    if (depth > 0 && !may_hold_names(text)) return;
    if (depth > kMaxDepth)
      return report(Danger::kUnknown, cat("describes its inputs or outputs by JSON in strings more "
                                          "than ",
                                          kMaxDepth, " deep"));
    try {
      const JsonDocument document(Blob::own(std::string(text)));
      judge_spec_value(document.root(), depth);
    } catch (const Error&) {
      report(Danger::kUnknown, "describes its inputs or outputs by what is no JSON");
    }
  }

  // Whether JSON could be an object, or hold one.
  static bool may_hold_names(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\n\r");
    return start != text.npos && (text[start] == '{' || text[start] == '[' || text[start] == '"');
  }

  void judge_spec_value(const Json& value, int depth) {
    if (value.kind() == Kind::kString) return judge_spec(value.text(), depth + 1);
    if (value.kind() != Kind::kObject && value.kind() != Kind::kArray) return;
    for (const Json child : value.children()) {
      const std::string key = child.key();
      const std::string text = child.kind() == Kind::kString ? child.text() : "";
      const bool is_import = key == "__enum__" ||
                             (key == "default_factory_module" && text != "builtins") ||
                             (key == "default_factory_name" &&
                              std::ranges::find(kFactories, text) == std::end(kFactories));
      if (is_import)
        report(Danger::kUnknown, cat("has the loader import ", in_quotes(text, 60),
                                     " for the type of an input or output (", key, ")"));
      judge_spec_value(child, depth);
    }
  }

  // The same text may be harmless as one thing and not as another.
  bool is_new(std::string_view what, const std::string& text) {
    return seen_.emplace(what, text).second;
  }

  void report(Danger danger, const std::string& what) {
    if (said_.insert(what).second) add_problem(scan_, danger, cat(place_, " ", what));
  }

  std::string place_;
  Scan& scan_;
  std::set<std::pair<std::string_view, std::string>> seen_;
  std::set<std::string> said_;
};

}  // namespace

void scan_exported_json(const Blob& json, const std::string& place, Scan& scan) {
  const JsonDocument document(json);
  JsonJudge(place, scan).judge_program(document.root());
}

}  // namespace voxport
