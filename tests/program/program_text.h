// A program as text, for tests to compare: one line per call, blocks indented.
#pragma once

#include <cmath>
#include <string>

#include "base/text.h"
#include "program/program.h"

namespace voxport {

inline std::string text_of(const Program& program, const Argument& argument) {
  struct Writer {
    const Program& program;
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(Variable variable) const { return program.name_of(variable); }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
      const bool is_whole = std::isfinite(value) && std::floor(value) == value;
      return cat(value, is_whole ? ".0" : "");
    }
    std::string operator()(std::complex<double> value) const {
      return cat(value.real(), value.imag() < 0 ? "" : "+", value.imag(), "j");
    }
    std::string operator()(const std::string& value) const { return in_quotes(value); }
    std::string operator()(const ArgumentList& list) const {
      std::string text;
      for (const Argument& item : list.items)
        text += (text.empty() ? "" : ", ") + std::visit(*this, item.data);
      return list.is_tuple ? cat("(", text, ")") : cat("[", text, "]");
    }
  };
  return std::visit(Writer{program}, argument.data);
}

inline std::string text_of(const Program& program, const Block& block, const std::string& indent) {
  const auto joined = [](std::string& text, const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  std::string out;
  for (const ProgramCall& call : block.calls) {
    std::string results;
    for (const Variable result : call.results) joined(results, program.name_of(result));
    if (call.unpacks) results = cat("[", results, "]");
    std::string arguments;
    for (const NamedArgument& argument : call.arguments)
      joined(arguments,
             (argument.name.empty() ? "" : argument.name + "=") + text_of(program, argument.value));
    out += cat(indent, results.empty() ? "" : results + " = ", call.target, "(", arguments, ")\n");
    for (const Block& inner : call.blocks) {
      std::string inputs;
      for (const Variable input : inner.inputs) joined(inputs, program.name_of(input));
      out += cat(indent, "  block(", inputs, ")\n", text_of(program, inner, indent + "    "));
    }
  }
  std::string results;
  for (const Argument& result : block.results) joined(results, text_of(program, result));
  return cat(out, indent, "return ", results, "\n");
}

// The inputs with their types, then the calls. Constants are left out.
inline std::string text_of(const Program& program) {
  std::string out;
  for (const ProgramInput& input : program.inputs) {
    constexpr std::string_view kKinds[] = {"", "int", "float", "bool"};
    out += cat(input.name, ": ", kKinds[static_cast<std::size_t>(input.kind)]);
    if (input.dtype) out += name_of(*input.dtype);
    std::string shape;
    if (input.shape)
      for (const Dim& dim : *input.shape) shape += (shape.empty() ? "" : ", ") + dim.text();
    if (input.shape) out += cat("[", shape, "]");
    out += "\n";
  }
  return out + text_of(program, program.main, "");
}

}  // namespace voxport
