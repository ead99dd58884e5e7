#include "arch/blocks/istft_config.h"

#include <array>

#include "base/text.h"

namespace voxport::istft {
namespace {

constexpr std::int64_t kMostSubbands = 64;
constexpr std::int64_t kMostTaps = 4095;
constexpr std::int64_t kLongestFrame = 4096;  // whose inverse DFT takes 64 MB

struct Flag {
  std::string_view name;
  Kind kind;
};
constexpr std::array<Flag, 3> kFlags = {{{"istft_vits", Kind::kOneBand},
                                         {"mb_istft_vits", Kind::kMultiBand},
                                         {"ms_istft_vits", Kind::kMultiStream}}};

// The trainer builds what the flags say, and the tensors say what it built.
void check_flags(std::optional<Kind> kind, Settings& settings) {
  for (const Flag& flag : kFlags) {
    const auto given = settings.truth(flag.name);
    if (!given || *given == (kind == flag.kind)) continue;
    const Flag* built = nullptr;
    for (const Flag& other : kFlags)
      if (other.kind == kind) built = &other;
    settings.problem(cat("hyper-parameter '", flag.name, "' is ", *given ? "True" : "False",
                         ", but the tensors of the decoder are those of ",
                         built ? in_quotes(built->name) : std::string("a HiFi-GAN")));
  }
}

// The filter between subbands, where it is in the checkpoint: [1, subbands, taps].
struct Filter {
  Weights place;
  std::string_view name;
};

Filter filter_of(const Weights& w, Kind kind) {
  if (kind == Kind::kMultiStream) return {w / "multistream_conv_post", "weight"};
  return {w / "pqmf", "synthesis_filter"};
}

void read_subbands(const Weights& w, Config& config, Settings& settings) {
  if (config.kind == Kind::kOneBand) return;
  const auto [place, name] = filter_of(w, config.kind);
  config.subbands = 4;  // what the trainer's PQMF has
  config.taps = size_of(place, name, 2).value_or(kPqmfTaps);
  if (const auto in_filter = size_of(place, name, 1)) {
    config.subbands = settings.agreed("subbands", *in_filter);
  } else if (!settings.find("subbands")) {
    settings.missing("subbands", "4");
  } else {
    config.subbands = settings.number("subbands", std::nullopt, 4);
  }
  if (config.taps < 1 || config.taps % 2 == 0 || config.taps > kMostTaps)
    settings.problem(cat(place.path(), " has ", config.taps,
                         " taps, expected an odd number of at most ", kMostTaps));
  if (config.subbands < 1 || config.subbands > kMostSubbands) {
    settings.problem(cat("'subbands' is ", config.subbands, ", expected 1 to ", kMostSubbands));
    config.subbands = 4;
  }
}

void read_frames(const Weights& w, Config& config, Settings& settings) {
  const Weights post = w / (config.kind == Kind::kOneBand ? "conv_post" : "subband_conv_post");
  const std::int64_t channels = size_of(post, "weight", 0).value_or(config.subbands * (16 + 2));
  if (channels % config.subbands != 0) {
    settings.problem(cat(post.path(), " has ", channels,
                         " channels, which is not a multiple of 'subbands' (", config.subbands,
                         ")"));
    return;
  }
  config.n_fft = settings.agreed("gen_istft_n_fft", channels / config.subbands - 2);
  if (config.n_fft < 2 || config.n_fft % 2 != 0 || config.n_fft > kLongestFrame)
    settings.problem(cat("'gen_istft_n_fft' is ", config.n_fft,
                         ", expected an even number from 2 to ", kLongestFrame));
  if (!settings.find("gen_istft_hop_size")) return settings.missing("gen_istft_hop_size", "4");
  config.hop_size = settings.number("gen_istft_hop_size", std::nullopt, 1);
  if (config.hop_size < 1 || config.hop_size >= config.n_fft)
    settings.problem(cat("'gen_istft_hop_size' is ", config.hop_size,
                         ", expected 1 to less than 'gen_istft_n_fft' (", config.n_fft, ")"));
}

}  // namespace

std::optional<Kind> kind_of(const Weights& w) {
  if ((w / "multistream_conv_post").has_any()) return Kind::kMultiStream;
  if ((w / "subband_conv_post").has_any()) return Kind::kMultiBand;
  const auto channels = size_of(w / "conv_post", "weight", 0);
  return channels && *channels > 1 ? std::optional(Kind::kOneBand) : std::nullopt;
}

std::optional<Config> read_config(const Weights& w, const hifigan::Config& stages,
                                  Settings& settings) {
  const std::optional<Kind> kind = kind_of(w);
  check_flags(kind, settings);
  if (!kind) return std::nullopt;
  Config config;
  config.kind = *kind;
  read_subbands(w, config, settings);
  read_frames(w, config, settings);
  if (settings.has_problems()) return config;
  if (stages.hop_length() < 2)
    settings.problem("'upsample_rates' make one step of a frame, expected at least 2");
  if (stages.hop_length() * config.stretch() > Settings::kMaxSize)
    settings.problem(cat("'upsample_rates', 'gen_istft_hop_size' and the subbands make more than ",
                         Settings::kMaxSize, " samples of a frame"));
  return config;
}

}  // namespace voxport::istft
