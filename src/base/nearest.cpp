#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace voxport {
namespace {

// The edit distance of Damerau and Levenshtein, in which no letter is moved twice.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kMostMistakes = 2;
  constexpr std::size_t kLongest = 100;
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t least = std::min(kMostMistakes, word.size() / 2) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t mistakes = distance(word, candidate);
    if (mistakes >= least) continue;
    least = mistakes;
    best = candidate;
  }
  return best;
}

}  // namespace voxport
