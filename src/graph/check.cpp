#include "graph/check.h"

#include <unordered_set>

#include "base/fail.h"
#include "graph/infer.h"
#include "graph/print.h"

namespace voxport {
namespace {

void check_name(std::unordered_set<std::string>& names, const Value& value) {
  if (!names.insert(value.name()).second)
    fail(Error::kCorrupt, "two values are named ", in_quotes(value.name()));
}

// One value for each that the graphs in its attributes capture.
void check_captured(const Node& node) {
  std::size_t expected = 0;
  for (const auto& [name, attribute] : node.attributes())
    if (const auto* graph = std::get_if<std::shared_ptr<Graph>>(&attribute))
      expected += (*graph)->captured().size();
  if (node.captured().size() != expected) {
    fail(Error::kCorrupt, in_quotes(node.name()), " gives ", node.captured().size(),
         " values to the graphs inside, which use ", expected);
  }
}

void check_types(const Node& node) {
  if (!node.domain().empty() || !is_inferable(node.op())) return;
  const std::vector<Type> types =
      infer(node.op(), node.inputs(), node.attributes(), node.outputs().size(), node.name());
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const std::string found = print(node.outputs()[i].type());
    if (found != print(types[i])) {
      fail(Error::kCorrupt, "output ", i, " of ", in_quotes(node.name()), " is ", found,
           ", expected ", print(types[i]));
    }
  }
}

}  // namespace

void check(const Graph& graph) {
  std::unordered_set<std::string> names;
  for (const Value& input : graph.inputs()) check_name(names, input);
  for (const Value& value : graph.captured()) check_name(names, value);
  for (const Value& constant : graph.constants()) check_name(names, constant);
  for (const Node& node : graph.nodes()) {  // fails when there is a cycle
    for (const Value& output : node.outputs()) check_name(names, output);
    check_captured(node);
    check_types(node);
  }
  if (graph.outputs().empty()) fail(Error::kCorrupt, "the graph has no output");
}

}  // namespace voxport
