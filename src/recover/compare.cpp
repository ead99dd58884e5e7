#include "recover/compare.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/fail.h"
#include "base/text.h"
#include "recover/computed.h"

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

// How much two terms differ, looking a few operators deep, but at no more than `steps` of them: 0
// where they are one.
int distance(const Terms& terms, Term a, Term b, int depth, int& steps) {
  if (a == b) return 0;
  if (depth == 0 || --steps < 0) return 1;
  const TermData& found = terms[a];
  const TermData& expected = terms[b];
  if (!is_same_operator(found, expected)) return 1 << depth;
  int straight = 0;
  for (std::size_t i = 0; i < found.args.size(); ++i)
    straight += distance(terms, found.args[i], expected.args[i], depth - 1, steps);
  if (!is_commutative(found.op)) return straight;
  return std::min(straight, distance(terms, found.args[0], expected.args[1], depth - 1, steps) +
                                distance(terms, found.args[1], expected.args[0], depth - 1, steps));
}

// The first pair of arguments that differ. Where the order of two says nothing, they are paired so
// that they differ least.
std::pair<Term, Term> differing(const Terms& terms, const TermData& found,
                                const TermData& expected) {
  constexpr int kDepth = 7;
  std::vector<Term> others = expected.args;
  if (is_commutative(found.op)) {
    const auto of = [&](std::size_t i, std::size_t k) {
      int steps = 10'000;
      return distance(terms, found.args[i], others[k], kDepth, steps);
    };
    if (of(0, 1) + of(1, 0) < of(0, 0) + of(1, 1)) std::swap(others[0], others[1]);
  }
  for (std::size_t i = 0; i < found.args.size(); ++i)
    if (found.args[i] != others[i]) return {found.args[i], others[i]};
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
  const auto has = [&](Term whole, Term part) {
    const std::vector<Term>& args = terms[whole].args;
    return std::find(args.begin(), args.end(), part) != args.end();
  };
  while (!has(found, expected) && !has(expected, found) &&
         is_same_operator(terms[found], terms[expected])) {
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
      idle.push_back(name_of_node(*node));
      continue;
    }
    for (const Value& input : node->inputs())
      if (input) used.insert(input.name());
  }
  std::reverse(idle.begin(), idle.end());
  return idle;
}

}  // namespace voxport::recover
