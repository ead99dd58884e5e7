#include "recover/compare.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/fail.h"
#include "base/text.h"

namespace voxport::recover {
namespace {

template <class Numbers>
std::string list_text(const Numbers& numbers) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, numbers.size()); ++i)
    text += cat(i == 0 ? "" : ", ", numbers[i]);
  return text + (numbers.size() > kShown ? ", ..." : "");
}

std::string in_words(const Terms& terms, Term term) {
  const TermData& data = terms[term];
  if (data.op == "weight") return cat("the tensor ", printable(data.name));
  if (data.op == "input") return cat("the input ", printable(data.name));
  if (data.op == "numbers") return cat("the constant ", list_text(data.numbers));
  std::string text = data.op;
  if (!data.numbers.empty()) text += cat(" of ", list_text(data.numbers));
  if (!data.settings.empty()) text += cat(" (", list_text(data.settings), ")");
  for (const Term arg : data.args)
    if (terms[arg].op == "weight") text += cat(" with ", printable(terms[arg].name));
  return text + cat(" of the shape [", list_text(data.shape), "]");
}

// Whether two terms are one operator, so that what differs is among their arguments.
bool is_same_operator(const TermData& a, const TermData& b) {
  return a.op == b.op && a.name == b.name && a.settings == b.settings && a.numbers == b.numbers &&
         a.args.size() == b.args.size() && !a.args.empty();
}

// Arguments whose order does not matter come in any.
std::vector<Term> without(const std::vector<Term>& args, const std::vector<Term>& others) {
  std::vector<Term> left;
  for (const Term arg : args)
    if (std::find(others.begin(), others.end(), arg) == others.end()) left.push_back(arg);
  return left;
}

// The first pair of arguments that differ.
std::pair<Term, Term> differing(const Terms& terms, const TermData& found,
                                const TermData& expected) {
  const std::vector<Term> only_found = without(found.args, expected.args);
  const std::vector<Term> only_expected = without(expected.args, found.args);
  for (const Term a : only_found)
    for (const Term b : only_expected)
      if (is_same_operator(terms[a], terms[b])) return {a, b};
  if (!only_found.empty() && !only_expected.empty())
    return {only_found.front(), only_expected.front()};
  for (std::size_t i = 0; i < found.args.size(); ++i)
    if (found.args[i] != expected.args[i]) return {found.args[i], expected.args[i]};
  return {};
}

}  // namespace

std::string first_difference(const Terms& terms, Term found, Term expected,
                             const std::map<Term, std::string>& made_by) {
  std::string node;
  const auto remember = [&] {
    if (const auto at = made_by.find(found); at != made_by.end()) node = at->second;
  };
  remember();
  while (is_same_operator(terms[found], terms[expected])) {
    const auto [a, b] = differing(terms, terms[found], terms[expected]);
    if (a.index < 0 || b.index < 0 || a == b) break;
    found = a;
    expected = b;
    remember();
  }
  return cat("at the node ", in_quotes(node), " it has ", in_words(terms, found), ", expected ",
             in_words(terms, expected));
}

std::vector<std::string> nodes_without_use(const Graph& graph) {
  std::set<std::string> used;
  for (const auto& [name, value] : graph.outputs()) used.insert(value.name());
  const std::vector<Node> nodes = graph.nodes();
  std::vector<std::string> idle;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto is_used = [&](const Value& output) { return used.contains(output.name()); };
    if (!std::any_of(node->outputs().begin(), node->outputs().end(), is_used)) {
      idle.push_back(node->name().empty() && !node->outputs().empty() ? node->outputs()[0].name()
                                                                      : node->name());
      continue;
    }
    for (const Value& input : node->inputs())
      if (input) used.insert(input.name());
  }
  std::reverse(idle.begin(), idle.end());
  return idle;
}

}  // namespace voxport::recover
