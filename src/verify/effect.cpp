#include "verify/effect.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "base/fail.h"
#include "graph/builder.h"

namespace voxport {
namespace {

constexpr std::int64_t kMaxElements = 16;  // of an input whose elements are tried one by one

bool are_equal(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape && contiguous(a).text() == contiguous(b).text();
}

bool are_equal(const Tensors& a, const Tensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && are_equal(x.second, y.second);
  });
}

// Whether a difference would show: numbers that were cut to NaN, to infinity or to an index do not
// tell.
bool are_telling(const Tensors& outputs) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : outputs) {
    if (!is_real(tensor.dtype)) continue;
    const std::vector<float> values = to_float32(tensor);
    if (!std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); }))
      return false;
    count += values.size();
  }
  return count > 0;
}

Meaning given(double low, double high) {
  Meaning meaning;
  meaning.kind = Meaning::kGiven;
  meaning.given = {low, high};
  return meaning;
}

// ---- paths

// Which values lead to an output.
class Paths {
 public:
  explicit Paths(const Subject& subject) {
    for (const auto& [place, node] : subject.nodes())
      for (const auto& values : {node.inputs(), node.captured()})
        for (const Value& value : values)
          if (value) users_[value.name()].push_back(node);
    for (const auto& [name, value] : subject.graph().outputs()) outputs_.insert(value.name());
  }

  bool lead_out(const Value& from) const {
    if (outputs_.contains(from.name())) return true;
    return visit(from, [&](const Value&, const Node& node) {
      return std::any_of(node.outputs().begin(), node.outputs().end(), [&](const Value& output) {
        return output && outputs_.contains(output.name());
      });
    });
  }

  // Whether whole numbers may be divided by what comes from the value.
  bool divide(const Value& from) const {
    return visit(from, [](const Value& value, const Node& node) {
      const bool is_divided = node.op() == "Div" || node.op() == "Mod";
      return is_divided && node.input(1) == value && !is_real(value.dtype());
    });
  }

  // Whether the element of a vector leads to an output: by a node that picks it by its number, or
  // by any that takes more than such numbers.
  bool lead_out(const Value& vector, std::int64_t element) const {
    const std::vector<Node>& users = users_of(vector);
    return outputs_.contains(vector.name()) ||
           std::any_of(users.begin(), users.end(), [&](const Node& node) {
             return picks(node, vector, element) && leads_out(node);
           });
  }

 private:
  // Whether any use of the value, or of what is made from it, is a match.
  template <class IsMatch>
  bool visit(const Value& from, const IsMatch& is_match) const {
    std::deque<Value> queue = {from};
    std::set<std::string> seen = {from.name()};
    while (!queue.empty()) {
      const Value value = queue.front();
      queue.pop_front();
      for (const Node& node : users_of(value)) {
        if (is_match(value, node)) return true;
        for (const Value& output : node.outputs())
          if (output && seen.insert(output.name()).second) queue.push_back(output);
      }
    }
    return false;
  }

  const std::vector<Node>& users_of(const Value& value) const {
    static const std::vector<Node> kNone;
    const auto found = users_.find(value.name());
    return found == users_.end() ? kNone : found->second;
  }

  bool leads_out(const Node& node) const {
    return std::any_of(node.outputs().begin(), node.outputs().end(),
                       [&](const Value& output) { return output && lead_out(output); });
  }

  static bool picks(const Node& node, const Value& vector, std::int64_t element) {
    const Value index = node.input(1);
    const Tensor* numbers = index ? index.constant() : nullptr;
    const bool is_known = node.op() == "Gather" && node.input(0) == vector && numbers &&
                          numbers->dtype == DType::kInt64 && numbers->unreadable.empty();
    if (!is_known) return true;
    const std::int64_t size = vector.dim(0).constant().value_or(0);
    const std::vector<std::int64_t> picked = int64_values(*numbers);
    return std::any_of(picked.begin(), picked.end(), [&](std::int64_t number) {
      return (number < 0 ? number + size : number) == element;
    });
  }

  std::unordered_map<std::string, std::vector<Node>> users_;
  std::set<std::string> outputs_;
};

// ---- runs

// Inputs, and what the model computes from them every time.
struct Setting {
  Tensors inputs, outputs;
};

class Trial {
 public:
  Trial(const Subject& subject, const Sizes& base, const TimeBudget& budget)
      : subject_(subject), budget_(budget), share_(kShare * budget.seconds()), paths_(subject) {
    const auto inputs = subject.graph().inputs();
    const bool has_lists = std::any_of(inputs.begin(), inputs.end(),
                                       [&](const Value& input) { return elements_of(input) > 0; });
    if (has_lists && !base.empty()) add_settings(base);
  }

  std::vector<std::string> run() const {
    std::vector<std::string> found;
    for (const Value& input : subject_.graph().inputs()) {
      if (!paths_.lead_out(input)) {
        found.push_back(cat(printable(input.name()), kUnreached));
        continue;
      }
      for (std::int64_t element = 0; element < elements_of(input); ++element) {
        const std::string name =
            cat(printable(input.name()), input.rank() == 1 ? cat("[", element, "]") : "");
        if (input.rank() == 1 && !paths_.lead_out(input, element))
          found.push_back(name + kUnreached);
        else if (changes_nothing(input, element))
          found.push_back(name + " changes no output: 0, 0.5, 1, 2 and -1 give the same");
      }
    }
    return found;
  }

 private:
  static constexpr double kShare = 0.2;
  static constexpr char kUnreached[] = " changes no output: no path leads from it to one";

  // Where scales that are not zero make the model draw noise, nothing can be compared.
  void add_settings(const Sizes& base) {
    Sizes twice = base;
    for (auto& [symbol, size] : twice) size *= 2;
    constexpr double kMostBytes = 1e6;
    const bool is_comparable =
        add_setting(subject_.inputs(base)) && add_setting(with_scales(subject_.inputs(base)));
    if (!is_comparable)
      settings_.clear();
    else if (subject_.input_bytes(twice) < kMostBytes)
      add_setting(subject_.inputs(twice));
  }

  // Whether the same inputs give the same outputs: else there is no such setting.
  bool add_setting(Tensors inputs) {
    const auto first = outputs_of(inputs);
    auto second = first ? outputs_of(inputs) : std::nullopt;
    if (!second || !are_equal(*first, *second) || !are_telling(*second)) return false;
    settings_.push_back({std::move(inputs), std::move(*second)});
    return true;
  }

  // Nothing where it does not run, or there is no time.
  std::optional<Tensors> outputs_of(const Tensors& inputs) const {
    if (!budget_.has_left() || !share_.has_left()) return std::nullopt;
    try {
      return subject_.run_tensors(inputs);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // With scales that are not zero.
  Tensors with_scales(Tensors inputs) const {
    for (auto& [name, tensor] : inputs)
      if (subject_.meaning(name).kind == Meaning::kScales)
        tensor = fill(name, tensor.dtype, tensor.shape, given(0.5, 1), {});
    return inputs;
  }

  // How many elements a number, or a list of a few numbers of which each means something, has; 0
  // where the input is neither.
  std::int64_t elements_of(const Value& input) const {
    const bool is_list = is_real(input.dtype()) && input.type().shape && input.rank() <= 1 &&
                         subject_.meaning(input.name()).kind != Meaning::kGiven;
    if (!is_list) return 0;
    const std::int64_t count = input.rank() == 0 ? 1 : input.dim(0).constant().value_or(0);
    return count <= kMaxElements ? count : 0;
  }

  // Whether it was seen that no output differs with other numbers in the place of this element.
  bool changes_nothing(const Value& input, std::int64_t element) const {
    const bool is_risky = subject_.meaning(input.name()).is_guess || paths_.divide(input);
    if (settings_.empty() || is_risky) return false;
    for (const Setting& setting : settings_) {
      for (const double value : {1.0, 0.5, 0.0, 2.0, -1.0}) {
        Tensors inputs = setting.inputs;
        inputs[input.name()] = with_element(inputs.at(input.name()), element, value);
        const auto outputs = outputs_of(inputs);
        if (!outputs || !are_equal(*outputs, setting.outputs)) return false;
      }
    }
    return true;
  }

  static Tensor with_element(const Tensor& tensor, std::int64_t element, double value) {
    const std::size_t size = size_of(tensor.dtype);
    const Tensor one = fill("", tensor.dtype, {1}, given(value, value), {});
    std::string bytes(contiguous(tensor).text());
    bytes.replace(static_cast<std::size_t>(element) * size, size, contiguous(one).text());
    return make_tensor(tensor.dtype, tensor.shape, {}, 0, storage_of(Blob::own(std::move(bytes))));
  }

  const Subject& subject_;
  const TimeBudget& budget_;
  TimeBudget share_;
  Paths paths_;
  std::vector<Setting> settings_;
};

}  // namespace

std::vector<std::string> inputs_without_effect(const Subject& subject, const Sizes& base,
                                               const TimeBudget& budget) {
  return Trial(subject, base, budget).run();
}

}  // namespace voxport
