// Programs of a few lines that are lowered and run where they are written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lower/lower.h"
#include "passes/lower_opset.h"
#include "program/text.h"
#include "tests/arch/made_up.h"

namespace voxport {

inline std::unique_ptr<Graph> lower_text(const std::string& program) {
  LowerReport report;
  return lower(parse_program(program), LowerOptions(), report);
}

// What a program gives, as numbers of each result. Its inputs are `x`, where it has one.
inline std::vector<std::vector<double>> run_text(const std::string& program,
                                                 const Tensor& x = Tensor()) {
  const std::unique_ptr<Graph> graph = lower_text(program);
  optimise(*graph);
  lower_opset(*graph, OnnxOptions().opset);
  const Session session = Session::from_bytes(Blob::own(onnx_bytes(*graph)), "a program");
  Tensors inputs;
  if (!session.inputs().empty()) inputs.emplace(session.inputs()[0].name, x);
  const Tensors found = session.run(inputs);
  std::vector<std::vector<double>> results;
  for (const auto& output : session.outputs()) {
    const Tensor& tensor = found.at(output.name);
    auto& values = results.emplace_back();
    for_each_element(tensor, [&](const std::byte* element) {
      values.push_back(element_value(tensor.dtype, element));
    });
  }
  return results;
}

}  // namespace voxport
