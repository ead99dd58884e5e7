#include "arch/blocks/istft_generator.h"

#include <numbers>
#include <utility>

#include "base/text.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::istft {
namespace {

Weights place_of_conv_post(const Weights& w, const Config& config) {
  return w / (config.kind == Kind::kOneBand ? "conv_post" : "subband_conv_post");
}

std::optional<SubbandSynthesis> synthesis_of(const Weights& w, const Config& config) {
  if (config.kind == Kind::kOneBand) return std::nullopt;
  if (config.kind == Kind::kMultiBand)
    return SubbandSynthesis::of_pqmf(w / "pqmf", config.subbands, config.taps);
  return SubbandSynthesis::of_streams(w, config.subbands, config.taps);
}

// torch.nn.ReflectionPad1d((1, 0)): the second step comes before the first, too.
Value reflected(const Value& x) {
  return Builder(x.graph()).node("Pad", {x, int64s(x, {0, 0, 1, 0, 0, 0})},
                                 {{"mode", std::string("reflect")}});
}

}  // namespace

Generator::Generator(const Weights& w, const hifigan::Config& its_stages, const Config& its_config)
    : config(its_config),
      stages(w, its_stages),
      conv_post(place_of_conv_post(w, config),
                its_stages.channels(its_stages.upsample_rates.size() - 1),
                config.subbands * (config.n_fft + 2), 7),
      stft((w / "stft").path(), config.n_fft, config.hop_size),
      synthesis(synthesis_of(w, config)) {
  (w / "stft").ignore();  // some keep what follows from its sizes
}

Value Generator::operator()(Value x, const std::optional<Value>& g, Caches* caches) const {
  const hifigan::Head head{config.stretch(), needed(), [this](const Value& steps, RowCaches* rows) {
                             return rows ? samples_of_rows(steps, *rows) : samples(steps);
                           }};
  return stages(x, g, head, caches);
}

// Subbands are rows of a batch until they meet in the synthesis.
Value Generator::samples(const Value& steps) const {
  const Graph::Scope scope(steps.graph(), conv_post.path);
  const std::int64_t bins = config.n_fft / 2 + 1;
  Value x = conv_post(reflected(hifigan::activated(steps)));   // [b, subbands * 2 * bins, t + 1]
  if (config.subbands > 1) x = reshape(x, {-1, 2 * bins, 0});  // [b * subbands, 2 * bins, t + 1]
  const std::vector<Value> parts = split(x, {bins, bins}, kChannels);
  x = stft(exp(parts[0]), sin(parts[1]) * std::numbers::pi);
  if (config.subbands > 1) x = reshape(x, {-1, config.subbands, 0});  // [b, subbands, hop_size * t]
  return synthesis ? (*synthesis)(x) : x;
}

// Rows of a batch stay what they are: subbands are groups of channels.
Value Generator::samples_of_rows(const Value& steps, RowCaches& rows) const {
  const Graph::Scope scope(steps.graph(), conv_post.path);
  const std::int64_t bins = config.n_fft / 2 + 1;
  const Value x = convolved(conv_post, rows.reflected(hifigan::activated(steps)), &rows);
  const std::vector<Value> parts =
      split(reshape(x, {0, config.subbands, 2 * bins, -1}), {bins, bins}, 2);
  const Value bands = stft(exp(parts[0]), sin(parts[1]) * std::numbers::pi, rows);
  return synthesis ? (*synthesis)(bands, rows) : bands;
}

// Of the padding, a step before the first is all that counts here: what is reflected there is one
// that conv_post looks at anyway.
Steps Generator::needed() const {
  Steps steps{0, config.stretch() - 1};
  if (synthesis) steps = synthesis->needed(steps);
  return needed_by_conv(stft.needed(steps), conv_post.pad_before + conv_post.pad_after, 1,
                        conv_post.pad_before + 1);
}

ReceptiveField Generator::receptive_field() const {
  return hifigan::receptive_field(stages.config, needed());
}

}  // namespace voxport::istft
