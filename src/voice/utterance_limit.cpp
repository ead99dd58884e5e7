#include "voice/utterance_limit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/fail.h"
#include "base/system_memory.h"
#include "graph/footprint.h"
#include "onnx/read.h"
#include "phonemes/sentences.h"

namespace voxport {
namespace {

constexpr std::uint64_t kGibibyte = 1ULL << 30;

// More than any network takes for a pair of frames: four tensors of 16 heads.
constexpr std::uint64_t kMostBytesOfPair = 256;
// What Piper's networks take for a pair of ids: three tensors of two heads; for graphs that we
// cannot read.
constexpr std::uint64_t kUsualBytesOfPair = 24;

std::uint64_t limit_by_default() {
  const std::uint64_t all = memory_of_machine();
  return all == 0 ? 2 * kGibibyte : std::min(2 * kGibibyte, all / 2);
}

// What the axes of [batch, ids] are called.
struct IdAxes {
  std::string batch, ids;
};

IdAxes id_axes_of(const Graph& graph) {
  for (const Value& input : graph.inputs()) {
    if (input.dtype() != DType::kInt64 || !input.type().shape || input.rank() != 2) continue;
    return {std::string(input.dim(0).symbol_name().value_or("")),
            std::string(input.dim(1).symbol_name().value_or(""))};
  }
  return {};
}

// The bytes of values in an utterance of one row.
class Sizes {
 public:
  Sizes(IdAxes axes, std::int64_t ids, std::int64_t frames)
      : axes_(std::move(axes)), ids_(ids), frames_(frames) {}

  std::uint64_t operator()(const Value& value) const {
    if (!value.type().shape || !value.type().foreign.empty()) return 0;
    std::uint64_t bytes = size_of(value.dtype());
    int of_frames = 0;
    for (std::size_t i = 0; i < value.rank(); ++i) {
      std::optional<std::int64_t> size = known(value.shape()[i]);
      const bool is_batch = i == 0 && value.rank() > 1;
      if (!size && !is_batch && of_frames++ < kMostOfFrames) size = by_frames(value.shape()[i]);
      const auto count = std::max<std::int64_t>(size.value_or(1), 0);
      bytes = saturated_product(bytes, static_cast<std::uint64_t>(count));
    }
    return bytes;
  }

 private:
  // A tensor has this many axes of frames at most; others that are not known are small.
  static constexpr int kMostOfFrames = 2;

  std::optional<std::int64_t> known(const Dim& dim) const {
    return dim.evaluate([&](std::string_view name) { return own(name); });
  }

  // The size of an axis of which only a run can tell a part. Where that part meets the ids, it is
  // as long as they are; else it is as long as there are frames, which have many names: no two of
  // them add up.
  std::int64_t by_frames(const Dim& dim) const {
    const std::vector<std::string> names = dim.symbols();
    if (std::ranges::find(names, axes_.ids) != names.end()) return with_one(dim, "");
    std::int64_t most = 0;
    for (const std::string& name : names) most = std::max(most, with_one(dim, name));
    return most;
  }

  // With that symbol as long as there are frames, and 0 for others that are not known.
  std::int64_t with_one(const Dim& dim, std::string_view symbol) const {
    const auto size = dim.evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
      return own(name).value_or(name == symbol ? frames_ : 0);
    });
    return size.value_or(frames_);
  }

  std::optional<std::int64_t> own(std::string_view name) const {
    if (name == axes_.ids) return ids_;
    return name == axes_.batch ? std::optional<std::int64_t>(1) : std::nullopt;
  }

  IdAxes axes_;
  std::int64_t ids_, frames_;
};

}  // namespace

UtteranceLimit::UtteranceLimit(std::filesystem::path graph, std::uint64_t max_bytes,
                               double frames_of_id)
    : graph_(std::move(graph)),
      max_bytes_(max_bytes > 0 ? max_bytes : limit_by_default()),
      frames_of_id_(frames_of_id) {}

UtteranceLimit::~UtteranceLimit() = default;

const OnnxModel* UtteranceLimit::model() const {
  std::call_once(is_read_, [this] {
    try {
      model_ = std::make_unique<const OnnxModel>(read_onnx(graph_));
    } catch (const Error&) {  // ONNX Runtime could load it, and we can speak without
    }
  });
  return model_.get();
}

std::uint64_t UtteranceLimit::bytes_of(std::size_t ids, double lengthening) const {
  constexpr double kMostFramesAtAll = 1e12;
  const double frames = std::ceil(static_cast<double>(ids) * frames_of_id_ * lengthening);
  const OnnxModel* const read = model();
  if (!read) return saturated_product(saturated_product(ids, ids), kUsualBytesOfPair);
  return peak_bytes(*read->graph,
                    Sizes(id_axes_of(*read->graph), static_cast<std::int64_t>(ids),
                          static_cast<std::int64_t>(std::min(frames, kMostFramesAtAll))));
}

bool UtteranceLimit::is_within(std::uint64_t bytes, std::size_t ids, double lengthening) const {
  const double longest = static_cast<double>(ids) * std::max(1.0, frames_of_id_ * lengthening);
  if (longest * longest * static_cast<double>(kMostBytesOfPair) < static_cast<double>(bytes))
    return true;  // which needs no look at the graph
  return bytes_of(ids, lengthening) <= bytes;
}

bool UtteranceLimit::allows(std::size_t ids, double lengthening) const {
  return is_within(max_bytes_, ids, lengthening);
}

bool UtteranceLimit::is_large(std::size_t ids, double lengthening) const {
  constexpr std::uint64_t kPartOfLimit = 16;
  return !is_within(max_bytes_ / kPartOfLimit, ids, lengthening);
}

std::size_t UtteranceLimit::most_ids(double lengthening) const {
  std::size_t good = 0;
  std::size_t bad = std::size_t{1} << 26;
  while (good + 1 < bad) {
    const std::size_t middle = good + (bad - good) / 2;
    (allows(middle, lengthening) ? good : bad) = middle;
  }
  return good;
}

void UtteranceLimit::check(std::size_t ids, double lengthening) const {
  if (allows(ids, lengthening)) return;
  fail_about("max_memory", Error::kUsage, "an utterance of ", with_commas(ids),
             " ids would take about ", human_bytes(bytes_of(ids, lengthening)),
             " of memory, expected at most ", human_bytes(max_bytes_), ", which is ",
             with_commas(most_ids(lengthening)), " ids; split it, or allow more memory");
}

std::vector<Utterance> utterances_within(const UtteranceLimit& limit, double lengthening,
                                         Phonemiser& phonemise, const std::string& sentence,
                                         bool& was_divided) {
  std::vector<Utterance> within;
  for (Utterance& utterance : phonemise(sentence)) {
    const std::size_t ids = utterance.ids.size();
    if (limit.allows(ids, lengthening)) {
      within.push_back(std::move(utterance));
      continue;
    }
    const double part = static_cast<double>(limit.most_ids(lengthening)) / static_cast<double>(ids);
    const auto [head, tail] = divide_text(utterance.text, part);
    if (head.empty() || tail.empty()) limit.check(ids, lengthening);
    was_divided = true;
    for (const std::string& half : {head, tail})
      std::ranges::move(utterances_within(limit, lengthening, phonemise, half, was_divided),
                        std::back_inserter(within));
  }
  return within;
}

}  // namespace voxport
