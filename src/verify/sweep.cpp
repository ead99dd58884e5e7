#include "verify/sweep.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/fail.h"
#include "base/join.h"
#include "graph/model_metadata.h"
#include "verify/candidates.h"
#include "verify/relation.h"
#include "verify/window.h"

namespace voxport {
namespace {

// Inputs of more bytes than this are not tried.
constexpr double kMaxInputBytes = 256e6;
constexpr std::int64_t kMaxSize = INT32_MAX;  // of an axis: a few times that is still an int64

// What runs of a growing size will cost: with the square of the size, as far as one can know from
// the largest that ran.
class Pace {
 public:
  explicit Pace(double longest) : longest_(longest) {}

  // Whether a run of this size would take longer than one run may.
  bool is_dear(std::int64_t size) const {
    const double growth = last_ == 0 ? 1 : static_cast<double>(size) / static_cast<double>(last_);
    return seconds_ * growth * growth > longest_;
  }
  void note(std::int64_t size, double seconds) {
    if (size < last_) return;
    last_ = size;
    seconds_ = seconds;
  }

 private:
  double longest_;  // in seconds
  double seconds_ = 0;
  std::int64_t last_ = 0;
};

// The sizes of an axis that were tried: those that ran and gave what they should, and the others.
struct Tried {
  std::set<std::int64_t> good, bad;
};

// An axis of an output, and what the runs tell of it.
struct JudgedOutput : CheckOutput {
  bool is_number = false;   // whether the file declares a number
  std::optional<Dim> size;  // nothing when no simple expression gives the sizes
};

class Sweep {
 public:
  Sweep(const Subject& subject, const SweepOptions& options)
      : subject_(subject), options_(options), load_seconds_(options.budget.taken()) {
    read_metadata();
    find_followers();
  }

  SweepReport run() {
    for (const Value& input : subject_.declared().graph->inputs())
      report_.inputs.emplace_back(input.name(), subject_.meaning(input.name()).text());
    const std::vector<std::string> symbols = subject_.symbols();
    constexpr int kMaxRounds = 3;
    for (int round = 0; round < kMaxRounds; ++round) {
      if (!find_base()) return std::move(report_);
      for (std::size_t i = 0; i < symbols.size(); ++i) {
        vary(symbols[i]);
        progress(0.7 * static_cast<double>(i + 1) / static_cast<double>(symbols.size()));
      }
      vary_together();
      if (!find_misnamed()) break;
    }
    for (const std::string& symbol : symbols) report_.axes.push_back(judge(symbol));
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const CheckAxis& axis = report_.axes[i];
      const bool are_missing = report_.is_cut_short || left_out_.contains(symbols[i]);
      if ((are_missing && axis.good.size() + axis.bad.size() < 2) ||
          undecided_.contains(symbols[i]))
        report_.untried.push_back(axis.name);
    }
    progress(0.85);
    judge_outputs();
    progress(1);
    return std::move(report_);
  }

 private:
  void progress(double done) const {
    if (options_.on_progress) options_.on_progress(done);
  }

  bool has_time() {
    if (options_.budget.has_left()) return true;
    report_.is_cut_short = true;
    return false;
  }

  // Whether there is time to find out why one size runs and another does not: the model is loaded
  // and run once more at either.
  bool has_time_to_explain() {
    if (options_.budget.has_left_to_explain(2 * (load_seconds_ + report_.slowest_run))) return true;
    report_.is_cut_short = true;
    return false;
  }

  // Ranges and relations that the model's own metadata gives: voxport.axes.
  void read_metadata() {
    for (const AxisFact& fact : ModelMetadata::read(subject_.declared().metadata).axes) {
      if (fact.min) least_[fact.axis] = std::min(*fact.min, kMaxSize + 1);
      if (fact.max) most_[fact.axis] = *fact.max;
      if (fact.multiple) multiples_[fact.axis] = *fact.multiple;
      if (!fact.not_below.empty()) not_below_[fact.axis] = fact.not_below;
      if (!fact.equals.empty()) relations_[fact.axis] = fact.equals;
    }
  }

  // Axes of inputs that are made of others, as the metadata has it.
  void find_followers() {
    const std::vector<std::string> symbols = subject_.symbols();
    const auto is_of_input = [&](const std::string& symbol) {
      return std::ranges::find(symbols, symbol) != symbols.end() && !relations_.contains(symbol);
    };
    for (const std::string& symbol : symbols) {
      const auto relation = relations_.find(symbol);
      const auto size =
          relation == relations_.end() ? std::nullopt : Dim::try_parse(relation->second);
      if (size && !size->is_constant() && std::ranges::all_of(size->symbols(), is_of_input))
        followers_.emplace(symbol, *size);
    }
  }

  bool is_follower(const std::string& symbol) const { return followers_.contains(symbol); }

  const Outcome& outcome_of(const Sizes& sizes) {
    const auto known = outcomes_.find(sizes);
    if (known != outcomes_.end()) return known->second;
    ++report_.runs;
    if (options_.on_run) options_.on_run(sizes_text(sizes));
    const Outcome& outcome = outcomes_.emplace(sizes, subject_.run(sizes)).first->second;
    report_.is_cut_short |= outcome.is_exhausted;
    report_.slowest_run = std::max(report_.slowest_run, outcome.seconds);
    return outcome;
  }

  // The output whose size is not what the file declares; empty when all are. Only sizes that are
  // declared by symbols of inputs say anything.
  std::string wrong_output(const Outcome& outcome) const {
    for (const auto& [name, value] : subject_.declared().graph->outputs()) {
      const auto shape = outcome.outputs.find(name);
      if (!value.type().shape || shape == outcome.outputs.end()) continue;
      if (shape->second.size() != value.rank()) return name;
      for (std::size_t axis = 0; axis < value.rank(); ++axis) {
        const Dim& dim = value.dim(static_cast<std::int64_t>(axis));
        if (misnamed_.contains({name, axis}) || is_unsaid(name, dim)) continue;
        if (!gives(dim, {outcome.sizes, shape->second[axis]})) return name;
      }
    }
    return "";
  }

  // A number that the file declares, which held for values that are not known.
  bool is_unsaid(const std::string& output, const Dim& dim) const {
    return dim.is_constant() && subject_.is_steered(output);
  }

  // A run that fails on values of our own making proves nothing. `input` has them, or is null.
  void refuse_guess(const std::string* input, const Outcome& failure) const {
    if (!input) return;
    fail(Error::kUnsupported, "sizes follow from the values of input ", in_quotes(*input),
         ", which are not known: with ", subject_.meaning(*input).text(), ", ", failure.error);
  }

  // Outputs whose sizes follow from the inputs, but not as their names say: the names are to blame,
  // and no node. True when one was found.
  bool find_misnamed() {
    const std::size_t before = misnamed_.size();
    for (const auto& [name, value] : subject_.declared().graph->outputs()) {
      for (std::size_t axis = 0; axis < (value.type().shape ? value.rank() : 0); ++axis) {
        const Dim& dim = value.dim(static_cast<std::int64_t>(axis));
        const auto actual = find_relation(
            samples_of(name, axis, [](const Outcome& outcome) { return outcome.is_good; }));
        const bool follows = actual && (!actual->is_constant() || *actual == Dim(1));
        // A number in place of an axis's own name is a wrong name; what is computed from an axis
        // may be meant to have that number.
        const bool is_own = follows && report_.base.contains(actual->text());
        const bool says_name = symbols_among_inputs(dim) || (dim.is_constant() && is_own);
        if (follows && *actual != dim && says_name) misnamed_.insert({name, axis});
      }
    }
    return misnamed_.size() > before;
  }

  // Ran, and, where the names of the outputs are true at all, gave what they promise.
  bool is_right(const Outcome& outcome) const {
    return outcome.is_good && (!is_strict_ || wrong_output(outcome).empty());
  }

  bool is_allowed(const Sizes& sizes) const {
    for (const auto& [symbol, size] : sizes) {
      if (size > kMaxSize) return false;
      const auto least = least_.find(symbol);
      if (least != least_.end() && size < least->second) return false;
      const auto most = most_.find(symbol);
      if (most != most_.end() && size > most->second) return false;
    }
    return subject_.has_elements(sizes) && subject_.input_bytes(sizes) <= kMaxInputBytes;
  }

  // Axes that are made of others get their sizes; none that is below 1.
  void follow(Sizes& sizes) const {
    for (const auto& [symbol, size] : followers_)
      sizes[symbol] = std::max<std::int64_t>(size_at(size, sizes).value_or(0), 0);
  }

  // An axis that must not be shorter than what only the run tells is given room.
  void complete(Sizes& sizes) const {
    constexpr std::int64_t kRoom = 64;
    std::int64_t largest = 1;
    for (const auto& [symbol, size] : sizes)
      if (!not_below_.contains(symbol)) largest = std::max(largest, size);
    for (auto& [symbol, size] : sizes)
      if (not_below_.contains(symbol)) size = kRoom * largest;
    follow(sizes);
  }

  // Of this size, or of the nearest that the metadata allows.
  Sizes all_of_size(std::int64_t size) const {
    Sizes sizes;
    for (const std::string& symbol : subject_.symbols()) sizes[symbol] = size;
    complete(sizes);
    for (auto& [symbol, one] : sizes) one = nearest_allowed(symbol, one);
    follow(sizes);
    return sizes;
  }

  std::int64_t nearest_allowed(const std::string& symbol, std::int64_t size) const {
    const auto least = least_.find(symbol);
    const auto most = most_.find(symbol);
    const std::int64_t step = multiple_of(symbol);
    if (most != most_.end()) size = std::min(size, most->second / step * step);
    if (least != least_.end()) size = std::max(size, least->second);
    return (size + step - 1) / step * step;
  }

  // The number of which the metadata declares an axis to be a multiple.
  std::int64_t multiple_of(const std::string& symbol) const {
    const auto multiple = multiples_.find(symbol);
    return multiple == multiples_.end() ? 1 : multiple->second;
  }

  bool try_base(Sizes sizes) {
    follow(sizes);
    if (!is_allowed(sizes) || (!outcomes_.empty() && !has_time())) return false;
    const Outcome& outcome = outcome_of(sizes);
    if (is_right(outcome)) {
      report_.base = std::move(sizes);
      return true;
    }
    if (outcome.is_good && !fallback_) fallback_ = sizes;
    if (!outcome.is_good && !first_failure_) first_failure_ = outcome;
    if (outcome.is_exhausted) exhausted_ = outcome;
    return false;
  }

  // Sizes at which the model runs and gives what it promises: the same for all, or else numbers
  // that the graph holds. Where there are none, names of outputs are taken for wrong, and sizes at
  // which it runs will do.
  bool find_base() {
    if (subject_.input_bytes(all_of_size(1)) > kMaxInputBytes) {
      report_.error = "its inputs are too large at any size";
      return false;
    }
    constexpr std::int64_t kFewRows = 16;  // more take long where rows are long, too
    const std::vector<std::int64_t> numbers = numbers_in(subject_);
    bool is_found = options_.is_quick && try_base(all_of_size(3));
    for (const std::int64_t size : {7, 5, 3, 2, 1, 4, 8, 6, 10, 16, 12, 32, 20, 50, 64, 100, 128})
      if (!is_found && !exhausted_)
        is_found =
            (size > kFewRows && try_base(all_but_batches(size))) || try_base(all_of_size(size));
    // What takes too much may do with the least; if not, nothing is gained by trying more.
    if (exhausted_ && !is_found && !try_base(all_of_size(1)))
      fail(Error::kUnsupported, exhausted_->error);
    // A window says itself that it needs more.
    if (!is_found && fails_at_window()) is_found = search_upwards();
    for (const std::int64_t size : numbers)
      if (!is_found) is_found = try_base(all_of_size(size));
    const std::size_t runs = report_.runs + (fallback_ ? 200 : 600);
    if (!is_found) is_found = search_base(numbers, all_of_size(1), 0, runs);
    if (!is_found) is_found = search_upwards();
    if (!is_found && fallback_) {
      is_strict_ = false;
      report_.base = *fallback_;
      is_found = true;
    }
    if (is_found) return true;
    if (exhausted_) fail(Error::kUnsupported, exhausted_->error);
    if (!first_failure_) {
      report_.error = "its metadata, or the size of its inputs, allows none of the sizes to try";
      return false;
    }
    if (const auto& failed = first_failure_->failed_node)
      refuse_guess(subject_.steering_input_upstream(failed->index), *first_failure_);
    if (!has_time())
      fail(Error::kUnsupported, "no size at which it runs was found in ", options_.budget.seconds(),
           " s; at the first that was tried, ", first_failure_->error);
    report_.error = first_failure_->error;
    if (first_failure_->failed_node)
      report_.culprit = failing_node(subject_, *first_failure_->failed_node);
    return false;
  }

  bool fails_at_window() const {
    const auto failed = first_failure_ ? first_failure_->failed_node : std::nullopt;
    const Node* node = failed ? subject_.node_at(*failed) : nullptr;
    return node && window_of(*node);
  }

  // Sizes far above the usual, of all axes but batches, and then of one axis at a time. Where it
  // runs with wrong outputs, sizes are not what is wrong.
  bool search_upwards() {
    constexpr std::size_t kMostAxes = 6;
    constexpr std::int64_t kOthers = 7;
    const std::vector<std::string> symbols = subject_.symbols();
    if (fallback_) return false;
    for (const std::int64_t size : large_sizes()) {
      if (exhausted_) return false;
      if (try_base(all_but_batches(size))) return true;
    }
    if (symbols.size() < 2 || symbols.size() > kMostAxes) return false;
    for (const std::int64_t size : large_sizes()) {
      for (const std::string& symbol : symbols) {
        Sizes sizes = all_of_size(kOthers);
        sizes[symbol] = size;
        if (exhausted_) return false;
        if (try_base(sizes)) return true;
      }
    }
    return false;
  }

  // An axis that comes first, of an input that has others, is short.
  Sizes all_but_batches(std::int64_t size) const {
    constexpr std::int64_t kRows = 2;
    Sizes sizes = all_of_size(size);
    for (const InputAxis& first : subject_.axes())
      for (const InputAxis& other : subject_.axes())
        if (first.axis == 0 && other.axis > 0 && other.input == first.input &&
            first.size.symbol_name())
          sizes[first.symbol] = kRows;
    return sizes;
  }

  bool search_base(const std::vector<std::int64_t>& numbers, Sizes sizes, std::size_t at,
                   std::size_t max_runs) {
    const std::vector<std::string> symbols = subject_.symbols();
    if (at == symbols.size()) return try_base(sizes);
    if (is_follower(symbols[at])) return search_base(numbers, sizes, at + 1, max_runs);
    for (const std::int64_t size : numbers) {
      if (report_.runs > max_runs || size > 64 || !has_time()) break;
      sizes[symbols[at]] = size;
      if (search_base(numbers, sizes, at + 1, max_runs)) return true;
    }
    return false;
  }

  std::vector<std::int64_t> sizes_to_try() const {
    if (!options_.sizes.empty()) return options_.sizes;
    if (options_.is_quick) return {1, 2, 3, 11};
    std::set<std::int64_t> sizes = {1, 2, 3, 4, 5, 8, 11, 16, 31, 64, 257};
    const std::vector<std::int64_t> tables = tables_in(subject_);
    const std::size_t first = tables.size() > 3 ? tables.size() - 3 : 0;
    for (std::size_t i = first; i < tables.size(); ++i) sizes.insert(tables[i] + 1);
    return {sizes.begin(), sizes.end()};
  }

  // Beside these, as many from the least size on that the file declares, or of the multiples.
  std::vector<std::int64_t> sizes_to_try(const std::string& symbol) const {
    std::vector<std::int64_t> usual = sizes_to_try();
    const std::int64_t step = multiple_of(symbol);
    const std::int64_t least = nearest_allowed(symbol, 1);
    std::set<std::int64_t> sizes(usual.begin(), usual.end());
    for (const std::int64_t size : usual) sizes.insert(least + (size - 1) * step);
    return {sizes.begin(), sizes.end()};
  }

  Pace pace() const {
    constexpr double kMaxShare = 1.0 / 40;  // of all the time, for one run
    constexpr double kNoise = 0.15;         // that a busy machine may add to the shortest run
    return Pace(std::max(options_.budget.seconds() * kMaxShare, kNoise));
  }

  // From small to large; sizes that would take too long are left out.
  void vary(const std::string& symbol) {
    if (is_follower(symbol)) return;
    Pace paced = pace();
    paced.note(report_.base.at(symbol), outcomes_.at(report_.base).seconds);
    for (const std::int64_t size : sizes_to_try(symbol)) {
      Sizes sizes = report_.base;
      sizes[symbol] = size;
      complete(sizes);
      if (not_below_.contains(symbol)) sizes[symbol] = std::max(size, report_.base[symbol]);
      if (!is_allowed(sizes) || !has_time()) continue;
      if (paced.is_dear(size)) {
        left_out_.insert(symbol);
        continue;
      }
      const Outcome& outcome = outcome_of(sizes);
      if (outcome.is_exhausted) break;
      if (outcome.is_good) paced.note(size, outcome.seconds);
    }
  }

  void vary_together() {
    Pace paced = pace();
    for (const std::int64_t size : sizes_to_try()) {
      const Sizes sizes = all_of_size(size);
      if (size > 64 || !is_allowed(sizes) || paced.is_dear(size) || !has_time()) continue;
      const Outcome& outcome = outcome_of(sizes);
      if (outcome.is_exhausted) break;
      if (outcome.is_good) paced.note(size, outcome.seconds);
    }
  }

  Sizes with(const std::string& symbol, std::int64_t size) const {
    Sizes sizes = report_.base;
    sizes[symbol] = size;
    complete(sizes);
    return sizes;
  }

  bool is_good_at(const std::string& symbol, std::int64_t size) {
    return is_right(outcome_of(with(symbol, size)));
  }

  CheckAxis judge(const std::string& symbol) {
    CheckAxis judged;
    judged.name = symbol;
    for (const InputAxis& axis : subject_.axes())
      if (axis.follows(symbol)) judged.places.emplace_back(axis.input, axis.axis);
    if (is_follower(symbol)) return judge_follower(std::move(judged));
    Tried tried;
    for (const auto& [sizes, outcome] : outcomes_) {
      if (outcome.is_exhausted || sizes != with(symbol, sizes.at(symbol))) continue;
      (is_right(outcome) ? tried.good : tried.bad).insert(sizes.at(symbol));
    }
    if (!tried.bad.empty()) {
      const std::int64_t first_bad = nearest_bad(tried.bad, report_.base.at(symbol));
      if (const auto& failed = outcome_of(with(symbol, first_bad)).failed_node)
        refuse_guess(subject_.steering_input(failed->index), outcome_of(with(symbol, first_bad)));
      classify(judged, tried);
      if (!undecided_.contains(symbol)) explain(judged, tried, first_bad);
    }
    judged.good.assign(tried.good.begin(), tried.good.end());
    judged.bad.assign(tried.bad.begin(), tried.bad.end());
    if (const auto most = most_.find(symbol);
        most != most_.end() && judged.verdict == CheckAxis::kDynamic && !judged.high)
      judged.high = most->second;  // nobody knows what is beyond
    if (const auto least = least_.find(symbol);
        least != least_.end() && least->second > 1 && judged.verdict == CheckAxis::kDynamic)
      judged.low = std::max(judged.low.value_or(1), least->second);
    name_as_declared(judged);
    return judged;
  }

  // It is tried wherever the axes are that it is made of, and no other size is meant.
  CheckAxis judge_follower(CheckAxis judged) const {
    std::set<std::int64_t> good;
    for (const auto& [sizes, outcome] : outcomes_)
      if (is_right(outcome)) good.insert(sizes.at(judged.name));
    judged.good.assign(good.begin(), good.end());
    judged.verdict = CheckAxis::kLinked;
    judged.linked_to = followers_.at(judged.name).text();
    return judged;
  }

  // An axis that the file declares as 8*frames everywhere has that name, and sizes 8, 16, 24.
  void name_as_declared(CheckAxis& judged) const {
    std::optional<Dim> size;
    for (const InputAxis& axis : subject_.axes()) {
      if (!axis.follows(judged.name)) continue;
      if (size && *size != axis.size) return;
      size = axis.size;
    }
    const std::int64_t times = size ? factor_of(*size) : 1;
    if (times == 1) return;
    judged.name = size->text();
    judged.multiple *= times;
    judged.size *= times;
    for (auto* bound : {&judged.low, &judged.high})
      if (*bound) **bound *= times;
    for (auto* sizes : {&judged.good, &judged.bad})
      for (std::int64_t& one : *sizes) one *= times;
  }

  // 8 of 8*frames; 1 of all that is no such product.
  static std::int64_t factor_of(const Dim& dim) {
    const std::vector<std::string> symbols = dim.symbols();
    if (symbols.size() != 1) return 1;
    const std::int64_t factor = size_at(dim, {{symbols[0], 1}}).value_or(1);
    return dim == Dim(factor) * Dim::symbol(symbols[0]) ? factor : 1;
  }

  // Says which node is behind what does not run: the one that gives the axis its least size, where
  // that is all there is to say, and else the one that fixes a size or needs multiples.
  void explain(CheckAxis& judged, const Tried& tried, std::int64_t first_bad) {
    const bool is_range = judged.verdict == CheckAxis::kLimited && !judged.has_gaps;
    const bool is_needed = is_range && (!judged.low || explain_least(judged, tried)) &&
                           (!judged.high || explain_most(judged, tried));
    if (is_needed && judged.multiple == 1) {
      judged.verdict = CheckAxis::kDynamic;
      return;
    }
    const Sizes sizes = with(judged.name, first_bad);
    const Outcome& failure = outcome_of(sizes);
    const std::string wrong = failure.is_good ? wrong_output(failure) : "";
    judged.error = failure.is_good ? cat("it runs, but ", in_quotes(wrong), " has another size")
                                   : failure.error;
    judged.culprit.reset();
    judged.table.reset();
    const bool are_meant = is_needed && may_be_multiples(judged);
    const bool is_meeting =
        (judged.verdict == CheckAxis::kLinked || are_meant) && failure.failed_node;
    if (is_meeting)
      judged.culprit = failing_node(subject_, *failure.failed_node);
    else if (has_time_to_explain())
      judged.culprit = find_culprit(subject_, report_.base, sizes, failure.failed_node, wrong);
    if (are_meant) judged.verdict = CheckAxis::kDynamic;
  }

  // Whether multiples are all that is expected of the axis.
  bool may_be_multiples(const CheckAxis& judged) const {
    const auto relation = relations_.find(judged.name);
    const auto declared =
        relation == relations_.end() ? std::nullopt : Dim::try_parse(relation->second);
    return options_.allow_multiple || (declared && factor_of(*declared) % judged.multiple == 0) ||
           multiple_of(judged.name) % judged.multiple == 0;
  }

  // Finds the node that gives an axis its least size, from which on every size (or multiple) runs,
  // if 1 does not run by being repeated, and if that has to be so: a window needs it, or the file
  // itself declares an output that has no elements below it. Else it may be the example's size that
  // was kept.
  bool explain_least(CheckAxis& judged, const Tried& tried) {
    const std::int64_t first = *judged.low;
    if (judged.multiple == 1 ? tried.good.contains(1) : *beyond_one(tried).begin() != first)
      return false;
    const auto is_multiple = [&](std::int64_t size) { return size % judged.multiple == 0; };
    const auto last_bad = std::find_if(std::make_reverse_iterator(tried.bad.lower_bound(first)),
                                       tried.bad.rend(), is_multiple);
    const Sizes sizes = with(judged.name, *last_bad);
    const Outcome& below = outcome_of(sizes);
    const std::string vanished = vanished_output(sizes);
    if (below.is_good && vanished.empty()) return false;
    const auto failed = below.is_good ? std::nullopt : below.failed_node;
    judged.culprit = find_window(subject_, with(judged.name, *judged.low), sizes, failed, vanished,
                                 !has_time_to_explain());
    judged.error = below.error;
    return judged.culprit || !vanished.empty();
  }

  // Finds the table that gives an axis its largest size, up to which every size (or multiple) runs,
  // and beyond which none does. What is cut off silently is a fault.
  bool explain_most(CheckAxis& judged, const Tried& tried) {
    const auto is_multiple = [&](std::int64_t size) { return size % judged.multiple == 0; };
    const auto first_bad =
        std::find_if(tried.bad.upper_bound(*judged.high), tried.bad.end(), is_multiple);
    const std::int64_t least = *beyond_one(tried).begin();
    if (least == *judged.high || !has_time_to_explain()) return false;
    const Sizes sizes = with(judged.name, *first_bad);
    const Outcome& beyond = outcome_of(sizes);
    if (!beyond.failed_node) return false;
    judged.table = find_table(subject_, with(judged.name, least), sizes, *beyond.failed_node);
    judged.error = beyond.error;
    return judged.table.has_value();
  }

  // An output that has an axis which, as the file declares it, has no elements at these sizes;
  // empty when none has.
  std::string vanished_output(const Sizes& sizes) const {
    for (const auto& [name, value] : subject_.declared().graph->outputs()) {
      for (std::size_t axis = 0; axis < (value.type().shape ? value.rank() : 0); ++axis) {
        const auto size = size_at(value.dim(static_cast<std::int64_t>(axis)), sizes);
        if (size && *size < 1) return name;
      }
    }
    return "";
  }

  static std::int64_t nearest_bad(const std::set<std::int64_t>& bad, std::int64_t base) {
    const auto above = bad.upper_bound(base);
    return above != bad.end() ? *above : *bad.rbegin();
  }

  void classify(CheckAxis& judged, Tried& tried) {
    if (const auto partner = linked_partner(judged.name, tried.bad)) {
      judged.verdict = CheckAxis::kLinked;
      judged.linked_to = *partner;
      return;
    }
    try_all(judged.name, sizes_near(report_.base.at(judged.name)), tried);
    if (const auto only = only_size(tried)) try_all(judged.name, {2 * *only, 3 * *only}, tried);
    if (const auto only = only_size(tried)) {
      judged.size = *only;
      // Where larger sizes take too long to be tried, it may run at all of them, or at multiples.
      const auto most = most_.find(judged.name);
      const bool is_most = most != most_.end() && most->second < 2 * *only;
      if (is_most || tried.bad.contains(2 * *only) || tried.bad.contains(3 * *only))
        judged.verdict = CheckAxis::kFixed;
      else
        undecided_.insert(judged.name);
      return;
    }
    judged.verdict = CheckAxis::kLimited;
    judged.multiple = find_multiple(judged.name, tried);
    find_bounds(judged, tried);
  }

  // The sizes that run; but a size of 1 may run by being repeated.
  static std::set<std::int64_t> beyond_one(const Tried& tried) {
    std::set<std::int64_t> good = tried.good;
    good.erase(1);
    return good;
  }

  // The one size that runs; nothing where several do.
  static std::optional<std::int64_t> only_size(const Tried& tried) {
    const std::set<std::int64_t> good = beyond_one(tried);
    if (good.size() > 1) return std::nullopt;
    return good.empty() ? *tried.good.begin() : *good.begin();
  }

  // Tries a size that may have been tried before; false where it is not allowed, takes too long, or
  // there is no time.
  bool try_size(const std::string& symbol, std::int64_t size, Tried& tried) {
    const Sizes sizes = with(symbol, size);
    Pace paced = pace();
    for (const std::int64_t good : tried.good)
      paced.note(good, outcome_of(with(symbol, good)).seconds);
    if (!is_allowed(sizes) || paced.is_dear(size) || !has_time()) return false;
    const Outcome& outcome = outcome_of(sizes);
    if (outcome.is_exhausted) return false;
    (is_right(outcome) ? tried.good : tried.bad).insert(size);
    return true;
  }

  void try_all(const std::string& symbol, const std::vector<std::int64_t>& sizes, Tried& tried) {
    for (const std::int64_t size : sizes) try_size(symbol, size, tried);
  }

  // The number whose multiples run, and nothing else; 1 where there is none. Before it is believed,
  // it is tried whether others do: where 320 and 640 run, 480 may; where 8, 10 and 12 run, but not
  // 9, 11 may.
  std::int64_t find_multiple(const std::string& symbol, Tried& tried) {
    const std::int64_t base = report_.base.at(symbol);
    std::int64_t step = common_divisor(tried);
    for (std::int64_t before = 0; before != step;) {
      before = step;
      for (const std::int64_t part : {2, 3, 5, 7})
        for (const std::int64_t from : {base, base + step, base + 3 * step, 3 * base})
          if (step % part == 0) try_size(symbol, from + step / part, tried);
      step = common_divisor(tried);
    }
    if (step == 1) return 1;
    try_all(symbol, {step, 2 * step, base + step, base + 3 * step}, tried);
    const std::int64_t least = *beyond_one(tried).begin();
    const auto count_bad = [&](bool are_multiples) {
      return std::count_if(tried.bad.begin(), tried.bad.end(), [&](std::int64_t size) {
        return size > least && (size % step == 0) == are_multiples;
      });
    };
    return count_bad(true) == 0 && count_bad(false) > 0 ? step : 1;
  }

  static std::int64_t common_divisor(const Tried& tried) {
    const std::set<std::int64_t> good = beyond_one(tried);
    return std::accumulate(good.begin(), good.end(), std::int64_t{0},
                           [](std::int64_t a, std::int64_t b) { return std::gcd(a, b); });
  }

  // Closes in on the first and the last size that is good, of the multiples.
  void find_bounds(CheckAxis& judged, Tried& tried) {
    const std::int64_t step = judged.multiple;
    const auto close_in = [&](std::int64_t yes, std::int64_t no) {
      while (std::abs(yes - no) > step) {
        const std::int64_t middle = no + (yes - no) / step / 2 * step;
        if (!try_size(judged.name, middle, tried)) break;
        (tried.good.contains(middle) ? yes : no) = middle;
      }
      return yes;
    };
    std::set<std::int64_t> bad = tried.bad;
    std::erase_if(bad, [&](std::int64_t size) { return size % step != 0; });
    const std::set<std::int64_t> good = tried.good;
    const std::int64_t base = report_.base.at(judged.name);
    if (const auto above = bad.upper_bound(base); above != bad.end())
      judged.high = close_in(*std::prev(good.lower_bound(*above)), *above);
    if (const auto below = bad.lower_bound(base); below != bad.begin()) {
      const std::int64_t no = *std::prev(below);
      judged.low = close_in(*good.upper_bound(no), no);
    }
    // What runs again beyond a size that does not is no range.
    const std::set<std::int64_t> ran = beyond_one(tried);
    judged.has_gaps = std::any_of(bad.begin(), bad.end(), [&](std::int64_t size) {
      return size > *ran.begin() && size < *ran.rbegin();
    });
    if (!judged.has_gaps) return;
    judged.low.reset();
    judged.high.reset();
    if (step == 1) find_last_gap(judged, tried);
  }

  // Sizes ran between others that did not. If many in a row run beyond the last that did not, the
  // axis has a least size there.
  void find_last_gap(CheckAxis& judged, Tried& tried) {
    constexpr std::int64_t kInARow = 16;
    constexpr int kMaxGaps = 4;
    for (int gap = 0; gap < kMaxGaps; ++gap) {
      const std::int64_t last = *tried.bad.rbegin();
      std::int64_t ran = 0;
      while (ran < kInARow && try_size(judged.name, last + ran + 1, tried) &&
             tried.good.contains(last + ran + 1))
        ++ran;
      judged.has_gaps = ran < kInARow;
      if (!judged.has_gaps) judged.low = last + 1;
      if (!judged.has_gaps || *tried.bad.rbegin() == last) return;
    }
  }

  // Another axis with which this one may move where it may not alone.
  std::optional<std::string> linked_partner(const std::string& symbol,
                                            const std::set<std::int64_t>& bad) {
    for (const std::string& other : subject_.symbols()) {
      if (other == symbol || is_follower(other)) continue;
      // As long, or so many times as long.
      const std::int64_t here = report_.base.at(symbol);
      const std::int64_t there = report_.base.at(other);
      bool moves_along = true;
      bool was_tried = false;
      for (const std::int64_t size : bad) {
        if (size * there % here != 0) continue;
        Sizes both = with(symbol, size);
        both[other] = size * there / here;
        follow(both);
        was_tried = true;
        moves_along &= has_time() && is_allowed(both) && is_right(outcome_of(both));
      }
      if (moves_along && was_tried) return other;
    }
    return std::nullopt;
  }

  // ---- outputs

  // The sizes of an output's axis in the runs that are wanted.
  template <class Wanted>
  std::vector<SizeSample> samples_of(const std::string& output, std::size_t axis,
                                     const Wanted& is_wanted) const {
    std::vector<SizeSample> samples;
    for (const auto& [sizes, outcome] : outcomes_) {
      if (!is_wanted(outcome)) continue;
      const auto shape = outcome.outputs.find(output);
      if (shape != outcome.outputs.end() && axis < shape->second.size())
        samples.push_back({sizes, shape->second[axis]});
    }
    return samples;
  }

  void judge_outputs() {
    std::vector<JudgedOutput> outputs;
    for (const auto& [sizes, outcome] : outcomes_)
      if (is_right(outcome)) right_.insert(&outcome);
    for (const auto& [name, value] : subject_.declared().graph->outputs()) {
      if (!value.type().shape || !value.type().foreign.empty()) continue;
      const std::size_t rank = outcomes_.at(report_.base).outputs.at(name).size();
      for (std::size_t axis = 0; axis < rank; ++axis) {
        if (axis >= value.rank()) continue;
        outputs.push_back(judge_output(name, axis, value.dim(static_cast<std::int64_t>(axis))));
      }
    }
    check_shared_names(outputs);
    for (JudgedOutput& output : outputs) {
      if (output.size) output.actual = output.size->text();
      report_.outputs.push_back(std::move(output));
    }
  }

  // What the file calls the size: an expression of ours may have a name there.
  std::string declared_text(const Dim& dim) const {
    for (const auto& [expression, name] : subject_.declared().axis_names)
      if (dim.text() == expression) return name;
    return dim.text();
  }

  JudgedOutput judge_output(const std::string& name, std::size_t axis, const Dim& dim) {
    JudgedOutput judged;
    judged.name = name;
    judged.axis = axis;
    judged.declared = declared_text(dim);
    judged.is_number = dim.is_constant();
    const std::vector<SizeSample> samples =
        samples_of(name, axis, [&](const Outcome& outcome) { return right_.contains(&outcome); });
    judged.size = find_relation(samples);
    if (has_no_name(judged.declared)) judged.remark = "has no name of its own";
    Dim promised = dim;
    if (const auto relation = relations_.find(judged.declared); relation != relations_.end())
      promised = Dim::try_parse(relation->second).value_or(dim);
    const auto wrong = std::find_if(samples.begin(), samples.end(), [&](const SizeSample& sample) {
      return !gives(promised, sample);
    });
    if (wrong != samples.end() && is_unsaid(name, dim)) {
      judged.remark = "follows from values of inputs";
      return judged;
    }
    if (misnamed_.contains({name, axis}) && judged.size && wrong != samples.end()) {
      judged.is_true = false;
      judged.remark = cat("is ", judged.size->text());
      return judged;
    }
    if (wrong == samples.end()) {
      // A name stands for a size that varies.
      const bool is_of_inputs = !symbols_among_inputs(dim);
      const bool is_misnamed = judged.size && judged.size->is_constant() && !dim.is_constant() &&
                               judged.remark.empty() && is_of_inputs && samples.size() > 3 &&
                               !options_.is_quick;  // a few sizes may have one number of frames
      if (is_misnamed) {
        judged.is_true = false;
        judged.remark = cat("is always ", judged.size->text());
      }
      return judged;
    }
    judged.is_true = false;
    judged.remark = cat("is ", judged.size ? judged.size->text() : cat(wrong->size),
                        judged.size ? "" : cat(" at ", sizes_text(wrong->sizes)));
    const bool stays = judged.size && judged.size->is_constant();
    if (stays && wrong->sizes != report_.base && has_time_to_explain())
      judged.culprit = find_culprit(subject_, report_.base, wrong->sizes, std::nullopt, name);
    return judged;
  }

  bool symbols_among_inputs(const Dim& dim) const {
    for (const std::string& symbol : dim.symbols())
      if (report_.base.contains(symbol)) return true;
    return false;
  }

  // Names that exporters make up for axes that nobody named: Tanhoutput_dim_2, unk__12.
  static bool has_no_name(const std::string& name) {
    const std::size_t dim_at = name.rfind("_dim_");
    const bool is_numbered = dim_at != std::string::npos &&
                             name.find_first_not_of("0123456789", dim_at + 5) == std::string::npos;
    return is_numbered || name.starts_with("unk__") || name == "?" || name == "None";
  }

  static std::string sizes_text(const Sizes& sizes) {
    return join(sizes, ", ", [](const auto& size) { return cat(size.first, " = ", size.second); });
  }

  // One name on two axes must be one size.
  static void check_shared_names(std::vector<JudgedOutput>& outputs) {
    std::map<std::string, const JudgedOutput*> first;  // of each name
    for (JudgedOutput& a : outputs) {
      if (a.is_number || !a.is_true || !a.size) continue;
      const JudgedOutput& b = *first.emplace(a.declared, &a).first->second;
      if (*a.size == *b.size) continue;
      a.is_true = false;
      a.remark = cat("is ", a.size->text(), ", but axis ", b.axis, " of ", in_quotes(b.name),
                     " of the same name is ", b.size->text());
    }
  }

  const Subject& subject_;
  const SweepOptions& options_;
  double load_seconds_;
  std::map<std::string, std::int64_t> least_, most_, multiples_;
  std::map<std::string, std::string> not_below_, relations_;
  std::map<std::string, Dim> followers_;  // axes of inputs that are made of others
  std::map<Sizes, Outcome> outcomes_;
  std::set<const Outcome*> right_;                          // those among them, once all are there
  std::set<std::pair<std::string, std::size_t>> misnamed_;  // axes of outputs
  std::set<std::string> left_out_;  // symbols of which sizes were not tried, for the time they take
  std::set<std::string>
      undecided_;  // those among them of which only one size ran, the largest tried
  std::optional<Outcome> first_failure_, exhausted_;
  std::optional<Sizes> fallback_;  // it runs there, but outputs have other sizes than declared
  bool is_strict_ = true;
  SweepReport report_;
};

// Operators whose weights ask for a number of channels: such an axis is no sequence.
bool is_met_by_weights(std::string_view op) {
  for (const std::string_view one :
       {"BatchNormalization", "Conv", "ConvTranspose", "GRU", "Gemm", "InstanceNormalization",
        "LSTM", "LayerNormalization", "MatMul", "RNN"})
    if (op == one) return true;
  return false;
}

bool is_batch(const InputAxis& axis) { return axis.axis == 0; }

// Whether the input is a list of numbers, each of which means something: its length is no axis.
bool is_list(const Meaning& meaning) {
  return meaning.is_guess || meaning.kind == Meaning::kScales;
}

using Freed = std::set<std::pair<std::string, std::size_t>>;

// Whether an output follows an axis that had this size. Rows that all end up in the one row of an
// output, in place of rows of their own, are not meant to be more than one.
bool follows_axis(const Outcome& outcome, const Outcome& declared, std::int64_t size) {
  if (size > 1) return outcome.outputs != declared.outputs;
  return std::any_of(outcome.outputs.begin(), outcome.outputs.end(), [&](const auto& output) {
    const auto before = declared.outputs.find(output.first);
    return before != declared.outputs.end() && !output.second.empty() && !before->second.empty() &&
           output.second.front() != before->second.front();
  });
}

// Moves axes of one declared number, all together, and sees what comes of it. Fails as Subject
// does, where the model cannot even be loaded with these axes open.
void move_fixed_axes(const std::filesystem::path& path,
                     const std::map<std::string, Filling>& fillings, double run_seconds,
                     const Sizes& base, CheckAxis& judged) {
  Freed freed;
  freed.insert(judged.places.begin(), judged.places.end());
  const Subject subject(path, fillings, run_seconds, freed);
  Sizes as_declared = base;
  for (const std::string& symbol : subject.symbols())
    if (!as_declared.contains(symbol)) as_declared[symbol] = judged.size;
  const Outcome declared = subject.run(as_declared);
  bool moves_an_output = false;
  for (const std::int64_t other : {judged.size + 1, 2 * judged.size + 1}) {
    Sizes sizes = as_declared;
    for (const InputAxis& axis : subject.axes())
      if (freed.contains({axis.input, axis.axis})) sizes[axis.symbol] = other;
    const Outcome outcome = subject.run(sizes);
    if (outcome.is_exhausted) continue;
    (outcome.is_good ? judged.good : judged.bad).push_back(other);
    moves_an_output |= outcome.is_good && follows_axis(outcome, declared, judged.size);
    if (outcome.is_good || judged.culprit || !judged.error.empty()) continue;
    judged.error = outcome.error;
    judged.culprit = find_culprit(subject, as_declared, sizes, outcome.failed_node, "");
  }
  // What leaves no trace in any output is a list of numbers, such as scales, and no axis.
  if (judged.bad.empty() && moves_an_output) judged.verdict = CheckAxis::kCouldBeDynamic;
}

// Axes that are declared as numbers: would they move if they were let?
// Those of models without any open axis, and first axes of others, are judged; channels and the
// like are numbers on good grounds, and so are lists that tell nodes sizes.
//
// Each takes a model of its own, which is loaded in `load_seconds`. Where there is no time for
// that, axes are left out.
void try_fixed_axes(const std::filesystem::path& path, const Subject& subject,
                    const std::map<std::string, Filling>& fillings, const TimeBudget& budget,
                    double load_seconds, SweepReport& report) {
  // Axes of one number move together: a batch is on every input.
  std::map<std::pair<bool, std::int64_t>, std::vector<InputAxis>> groups;
  for (const InputAxis& axis : subject.fixed_axes())
    groups[{is_list(subject.meaning(axis.input)), *axis.fixed}].push_back(axis);
  const Sizes& base = report.base;
  for (const auto& [group, places] : groups) {
    const auto& [are_lists, size] = group;
    const bool is_judged =
        !are_lists && (base.empty() || std::any_of(places.begin(), places.end(), is_batch));
    if (is_judged && !budget.has_left_to_explain(2 * load_seconds + 4 * report.slowest_run)) {
      report.is_cut_short = true;
      if (base.empty()) report.untried.push_back(cat(size));
      continue;
    }
    CheckAxis judged;
    judged.verdict = CheckAxis::kRequired;
    for (const InputAxis& place : places) judged.places.emplace_back(place.input, place.axis);
    judged.name = cat(size);
    judged.size = size;
    try {
      if (is_judged) move_fixed_axes(path, fillings, longest_run(budget.seconds()), base, judged);
    } catch (const Error& error) {  // the number is asked for: it stays
      judged.error = error.what();
    }
    // What an operator asks for by its own definition is no size that was kept.
    const bool is_baked = !judged.bad.empty() && judged.culprit &&
                          !judged.culprit->holder.empty() && !is_met_by_weights(judged.culprit->op);
    // Whoever declares 1 beside axes that are dynamic means one row, and may rely on it.
    const bool is_meant = size == 1 && !base.empty();
    if (is_baked && !is_meant) judged.verdict = CheckAxis::kFixed;
    if (judged.verdict == CheckAxis::kRequired) judged.culprit.reset();
    report.axes.push_back(std::move(judged));
  }
}

}  // namespace

double longest_run(double seconds) { return seconds / 6; }

SweepReport sweep(const std::filesystem::path& path, const Subject& subject,
                  const std::map<std::string, Filling>& fillings, const SweepOptions& options) {
  const double load_seconds = options.budget.taken();
  SweepReport report = Sweep(subject, options).run();
  if (report.error.empty() && !options.is_quick)
    try_fixed_axes(path, subject, fillings, options.budget, load_seconds, report);
  return report;
}

}  // namespace voxport
