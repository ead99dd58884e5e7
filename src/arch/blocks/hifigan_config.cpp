#include "arch/blocks/hifigan_config.h"

#include <array>

#include "base/text.h"

namespace voxport::hifigan {
namespace {

using Sizes = Settings::Sizes;

// What trainers offer: HiFi-GAN's V3 and V1 (V2 has fewer channels), of which Piper's qualities are
// made. No shape tells rates and dilations, but the presets are told apart by their kernels.
struct Preset {
  bool is_resblock1;
  Sizes resblock_kernel_sizes;
  Sizes upsample_kernel_sizes;
  std::vector<Sizes> resblock_dilation_sizes;
  Sizes upsample_rates;
};

const std::array<Preset, 2>& presets() {
  static const std::array<Preset, 2> kPresets = {{
      {false, {3, 5, 7}, {16, 16, 8}, {{1, 2}, {2, 6}, {3, 12}}, {8, 8, 4}},  // x_low to medium
      {true, {3, 7, 11}, {16, 16, 4, 4}, {{1, 3, 5}, {1, 3, 5}, {1, 3, 5}}, {8, 8, 2, 2}},  // high
  }};
  return kPresets;
}

bool is_resblock1(const Weights& w, Settings& settings) {
  if (!settings.find("resblock")) return (w / "resblocks" / 0 / "convs1").has_any();
  return settings.word("resblock", {"1", "2"}) == "1";
}

// The kernel of the first convolution at each of the places 0 to count - 1.
Sizes kernels_at(const Weights& at, std::int64_t count, std::string_view below) {
  Sizes kernels;
  for (std::int64_t i = 0; i < count; ++i) {
    const Weights place = below.empty() ? at / i : at / i / below / 0;
    kernels.push_back(size_of(place, "weight", 2).value_or(1));
  }
  return kernels;
}

void fill_from_preset(Config& config, Settings& settings) {
  const auto rates = settings.list("upsample_rates");
  const auto dilations = settings.lists("resblock_dilation_sizes");
  if (rates) config.upsample_rates = *rates;
  if (dilations) config.resblock_dilation_sizes = *dilations;
  for (const Preset& preset : presets()) {
    if (preset.is_resblock1 != config.is_resblock1 ||
        preset.resblock_kernel_sizes != config.resblock_kernel_sizes ||
        preset.upsample_kernel_sizes != config.upsample_kernel_sizes)
      continue;
    if (!rates) config.upsample_rates = preset.upsample_rates;
    if (!dilations) config.resblock_dilation_sizes = preset.resblock_dilation_sizes;
  }
  if (config.upsample_rates.empty()) settings.missing("upsample_rates", "8,8,4");
  if (config.resblock_dilation_sizes.empty())
    settings.missing("resblock_dilation_sizes", "((1,2),(2,6),(3,12))");
}

void check_counts(const Config& config, Settings& settings) {
  if (config.upsample_rates.size() != config.upsample_kernel_sizes.size())
    settings.problem(cat("'upsample_rates' has ", config.upsample_rates.size(),
                         " entries, 'upsample_kernel_sizes' ",
                         config.upsample_kernel_sizes.size()));
  if (config.resblock_kernel_sizes.size() != config.resblock_dilation_sizes.size())
    settings.problem(cat("'resblock_kernel_sizes' has ", config.resblock_kernel_sizes.size(),
                         " entries, 'resblock_dilation_sizes' ",
                         config.resblock_dilation_sizes.size()));
  if (config.resblock_kernel_sizes.empty()) settings.problem("there are no residual blocks");
  if (config.upsample_rates.size() > 30 ||
      config.upsample_initial_channel >> config.upsample_rates.size() == 0)
    settings.problem(cat("'upsample_initial_channel' (", config.upsample_initial_channel,
                         ") cannot be halved ", config.upsample_rates.size(), " times"));
}

void check_sizes(const Config& config, Settings& settings) {
  for (std::size_t i = 0; i < config.upsample_rates.size(); ++i)
    if (config.upsample_kernel_sizes[i] < config.upsample_rates[i])
      settings.problem(cat("'upsample_kernel_sizes' has ", config.upsample_kernel_sizes[i],
                           " where 'upsample_rates' has ", config.upsample_rates[i],
                           ", expected no less"));
  for (const Sizes& dilations : config.resblock_dilation_sizes)
    if (dilations.empty()) settings.problem("'resblock_dilation_sizes' has an empty entry");
  for (const std::int64_t kernel : config.resblock_kernel_sizes)
    settings.at_least_one("resblock_kernel_sizes", kernel);
  std::int64_t hop = 1;
  for (const std::int64_t rate : config.upsample_rates)
    if (hop <= Settings::kMaxSize) hop *= rate;
  if (hop > Settings::kMaxSize)
    settings.problem(
        cat("'upsample_rates' make more than ", Settings::kMaxSize, " samples of a frame"));
}

}  // namespace

Config read_generator_config(const Weights& w, Settings& settings) {
  Config config;
  config.upsample_initial_channel =
      settings.number("upsample_initial_channel", size_of(w / "conv_pre", "weight", 0), 256);
  config.is_resblock1 = is_resblock1(w, settings);
  const std::int64_t stages = (w / "ups").count();
  config.upsample_kernel_sizes =
      settings.list("upsample_kernel_sizes").value_or(kernels_at(w / "ups", stages, {}));
  const std::int64_t blocks = stages > 0 ? (w / "resblocks").count() / stages : 0;
  config.resblock_kernel_sizes =
      settings.list("resblock_kernel_sizes")
          .value_or(kernels_at(w / "resblocks", blocks, config.is_resblock1 ? "convs1" : "convs"));
  fill_from_preset(config, settings);
  // The trainer looks at as many as its blocks have, and not at more.
  const std::size_t used = config.is_resblock1 ? 3 : 2;
  for (Sizes& dilations : config.resblock_dilation_sizes)
    if (dilations.size() > used) dilations.resize(used);
  if (!settings.has_problems()) check_counts(config, settings);
  if (!settings.has_problems()) check_sizes(config, settings);
  return config;
}

void check_hop(std::int64_t hop, std::string_view name, Settings& settings,
               std::string_view made_by) {
  if (settings.has_problems()) return;
  const std::int64_t given = settings.number(name, hop, 0);
  if (!settings.has_problems() && given != hop)
    settings.problem(
        cat("hyper-parameter '", name, "' is ", given, ", but ", made_by, " make ", hop));
}

}  // namespace voxport::hifigan
