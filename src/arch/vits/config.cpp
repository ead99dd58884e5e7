#include "arch/vits/config.h"

#include <algorithm>
#include <optional>

#include "arch/blocks/hifigan_config.h"
#include "arch/blocks/istft_config.h"
#include "arch/blocks/settings.h"
#include "base/text.h"

namespace voxport::vits {
namespace {

constexpr std::int64_t kMaxLayers = 1000;
constexpr std::int64_t kMaxFactor = 1000;
constexpr std::int64_t kMaxBins = 999;  // each has a thousandth of the whole at least

class ConfigReader {
 public:
  ConfigReader(const Weights& w, const Object& hyper_parameters)
      : w_(w), settings_(hyper_parameters) {}

  Config read() {
    Config config;
    config.text_encoder = text_encoder();
    speakers(config);
    languages(config);
    config.durations = durations(config);
    config.flow = flow(config);
    config.decoder = hifigan::read_generator_config(w_ / "dec", settings_);
    config.decoder.in_channels = config.inter_channels();
    config.istft = istft::read_config(w_ / "dec", config.decoder, settings_);
    // Decoders with an inverse STFT take no speaker, but in some forks.
    const bool takes_speaker = !config.istft || (w_ / "dec" / "cond").has_any();
    config.decoder.gin_channels = takes_speaker ? config.gin_channels : 0;
    config.interpolation = settings_.number("interpolate_factor", std::nullopt, 1, kMaxFactor);
    settings_.at_least_one("interpolate_factor", config.interpolation);
    if (!settings_.has_problems() && config.hop_length() > Settings::kMaxSize)
      settings_.problem(cat("'interpolate_factor' and 'upsample_rates' make more than ",
                            Settings::kMaxSize, " samples of a frame"));
    config.sample_rate = settings_.number("sample_rate", std::nullopt, 0);
    check_sizes(config);
    hifigan::check_hop(config.hop_length(), "hop_length", settings_,
                       config.istft ? "'upsample_rates', 'gen_istft_hop_size' and the subbands"
                       : config.interpolation > 1 ? "'interpolate_factor' and 'upsample_rates'"
                                                  : "'upsample_rates'");
    settings_.report("the checkpoint's hyper-parameters do not describe a VITS");
    return config;
  }

 private:
  TextEncoderConfig text_encoder() {
    TextEncoderConfig config;
    const Weights enc_p = w_ / "enc_p";
    const Weights attn = enc_p / "encoder" / "attn_layers" / 0;
    const Weights ffn = enc_p / "encoder" / "ffn_layers" / 0;
    config.symbols = settings_.number("num_symbols", size_of(enc_p / "emb", "weight", 0), 256);
    config.hidden_channels =
        settings_.number("hidden_channels", size_of(enc_p / "emb", "weight", 1), 192);
    if (const auto channels = size_of(w_ / "emb_l", "weight", 1))
      config.language_channels = settings_.number("embedded_language_dim", channels, 4);
    config.hidden_channels += config.language_channels;
    const auto proj = size_of(enc_p / "proj", "weight", 0);
    config.out_channels =
        settings_.number("inter_channels", proj ? std::optional(*proj / 2) : std::nullopt, 192);
    config.filter_channels =
        settings_.number("filter_channels", size_of(ffn / "conv_1", "weight", 0), 768);
    config.kernel_size = settings_.number("kernel_size", size_of(ffn / "conv_1", "weight", 2), 3);
    config.n_layers =
        settings_.number("n_layers", (enc_p / "encoder" / "attn_layers").count(), 6, kMaxLayers);
    const auto k_channels = size_of(attn, "emb_rel_k", 2);
    const bool is_whole = k_channels && *k_channels > 0;
    config.n_heads = settings_.number(
        "n_heads", is_whole ? std::optional(config.hidden_channels / *k_channels) : std::nullopt,
        2);
    config.window_size = (size_of(attn, "emb_rel_k", 1).value_or(9) - 1) / 2;
    config.shares_heads = size_of(attn, "emb_rel_k", 0).value_or(1) == 1;
    config.norm_epsilon = epsilon("layer_norm_eps");
    if (config.n_heads < 1 || config.hidden_channels % config.n_heads != 0) {
      settings_.problem(cat("'hidden_channels' (", config.hidden_channels,
                            ") is not a multiple of 'n_heads' (", config.n_heads, ")"));
      config.n_heads = 1;
    }
    if (config.out_channels < 2 || config.out_channels % 2 != 0)
      settings_.problem(
          cat("'inter_channels' is ", config.out_channels, ", expected an even number"));
    return config;
  }

  double epsilon(std::string_view name) {
    constexpr double kUsual = 1e-5;
    const Object* given = settings_.find(name);
    const double epsilon = given ? given->as_float().value_or(0) : kUsual;
    if (epsilon > 0 && epsilon < 1) return epsilon;
    settings_.problem(cat("'", name, "' is not a number between 0 and 1"));
    return kUsual;
  }

  // With one speaker, an embedding is used only where the network was built with it. (The trainer
  // of the paper says 0 for one.)
  void speakers(Config& config) {
    config.takes_d_vector = settings_.truth("use_d_vector_file").value_or(false);
    const auto rows = size_of(w_ / "emb_g", "weight", 0);
    if (config.takes_d_vector && rows)
      settings_.problem("'use_d_vector_file' is true, but there is an emb_g.weight");
    if (!config.takes_d_vector)
      config.speakers = std::max<std::int64_t>(1, settings_.number("num_speakers", rows, 1));
    const bool listens = settings_.truth("use_speaker_embedding").value_or(config.speakers > 1);
    if (config.takes_d_vector || listens || config.speakers > 1)
      config.gin_channels = gin_channels();
  }

  void languages(Config& config) {
    const auto rows = size_of(w_ / "emb_l", "weight", 0);
    const bool is_used = settings_.truth("use_language_embedding").value_or(rows.has_value());
    if (is_used != rows.has_value())
      settings_.problem(cat("'use_language_embedding' is ", is_used ? "true" : "false",
                            ", but there is ", rows ? "an" : "no", " emb_l.weight"));
    config.languages = rows.value_or(0);
  }

  // Piper makes 512 of a number that is not above 0, and may have saved either.
  std::int64_t gin_channels() {
    const auto from_shapes = size_of(w_ / "emb_g", "weight", 1);
    const std::int64_t given = settings_.number("gin_channels", from_shapes, 512);
    const std::int64_t width = given > 0 ? given : from_shapes.value_or(512);
    if (width < 1) settings_.problem("the speakers of emb_g.weight have no numbers, expected some");
    return width;
  }

  DurationConfig durations(const Config& whole) {
    DurationConfig config;
    const Weights dp = w_ / "dp";
    config.is_stochastic = settings_.truth("use_sdp").value_or((dp / "flows").has_any());
    config.in_channels = whole.text_encoder.hidden_channels;
    const bool is_told = settings_.truth("condition_dp_on_speaker").value_or(true);
    config.gin_channels = is_told ? whole.gin_channels : 0;
    config.language_channels = whole.text_encoder.language_channels;
    if (!config.is_stochastic) {
      config.norm_epsilon = epsilon("duration_norm_eps");
      config.filter_channels = size_of(dp / "conv_1", "weight", 0).value_or(256);
      config.kernel_size = size_of(dp / "conv_1", "weight", 2).value_or(3);
      return config;
    }
    config.filter_channels = size_of(dp / "pre", "weight", 0).value_or(config.in_channels);
    config.kernel_size = size_of(dp / "convs" / "convs_sep" / 0, "weight", 2).value_or(3);
    config.n_layers = (dp / "convs" / "convs_sep").count();
    config.n_flows = 1;  // which is for training, and may be left out
    while ((dp / "flows" / (2 * config.n_flows + 1)).has_any()) ++config.n_flows;
    config.num_bins = (size_of(dp / "flows" / 3 / "proj", "weight", 0).value_or(29) + 1) / 3;
    return config;
  }

  FlowConfig flow(const Config& whole) {
    FlowConfig config;
    const Weights flows = w_ / "flow" / "flows";
    config.channels = whole.inter_channels();
    config.hidden_channels =
        size_of(flows / 0 / "pre", "weight", 0).value_or(whole.text_encoder.embedded_channels());
    config.kernel_size = size_of(flows / 0 / "enc" / "in_layers" / 0, "weight", 2).value_or(5);
    config.n_layers = (flows / 0 / "enc" / "in_layers").count();
    while ((flows / (2 * config.n_flows)).has_any()) ++config.n_flows;
    config.dilation_rate = settings_.number("wavenet_dilation_rate", std::nullopt, 1);
    config.gin_channels = whole.gin_channels;
    return config;
  }

  // What a network divides by, or has at least one of.
  void check_sizes(const Config& config) {
    const TextEncoderConfig& text = config.text_encoder;
    const DurationConfig& durations = config.durations;
    settings_.at_least_one("num_symbols", text.symbols);
    settings_.at_least_one("hidden_channels", text.hidden_channels);
    settings_.at_least_one("filter_channels", text.filter_channels);
    settings_.at_least_one("kernel_size", text.kernel_size);
    settings_.at_least_one("filter_channels of dp", durations.filter_channels);
    settings_.at_least_one("kernel_size of dp", durations.kernel_size);
    settings_.at_least_one("hidden_channels of flow", config.flow.hidden_channels);
    settings_.at_least_one("kernel_size of flow", config.flow.kernel_size);
    settings_.at_least_one("wavenet_dilation_rate", config.flow.dilation_rate);
    check_dilations("flow", config.flow.n_layers, "dilation rate", config.flow.dilation_rate);
    if (!durations.is_stochastic) return;
    if (durations.num_bins < 1 || durations.num_bins > kMaxBins)
      settings_.problem(
          cat("the splines of dp have ", durations.num_bins, " bins, expected 1 to ", kMaxBins));
    check_dilations("dp.convs", durations.n_layers, "kernel", durations.kernel_size);
  }

  // They grow by a factor from layer to layer.
  void check_dilations(std::string_view where, std::int64_t layers, std::string_view what,
                       std::int64_t factor) {
    std::int64_t dilation = 1;
    for (std::int64_t i = 0; factor > 1 && i < layers && dilation <= Settings::kMaxSize; ++i)
      dilation *= factor;
    if (dilation > Settings::kMaxSize)
      settings_.problem(cat(where, " has ", layers, " layers of ", what, " ", factor,
                            ", whose dilations grow beyond ", Settings::kMaxSize));
  }

  const Weights& w_;
  Settings settings_;
};

}  // namespace

std::span<const std::string_view> hyper_parameter_names() {
  static constexpr std::string_view kNames[] = {
      "condition_dp_on_speaker",
      "duration_norm_eps",
      "embedded_language_dim",
      "filter_channels",
      "gen_istft_hop_size",
      "gen_istft_n_fft",
      "gin_channels",
      "hidden_channels",
      "hop_length",
      "inter_channels",
      "interpolate_factor",
      "istft_vits",
      "kernel_size",
      "layer_norm_eps",
      "mb_istft_vits",
      "ms_istft_vits",
      "n_heads",
      "n_layers",
      "num_speakers",
      "num_symbols",
      "resblock",
      "resblock_dilation_sizes",
      "resblock_kernel_sizes",
      "sample_rate",
      "subbands",
      "upsample_initial_channel",
      "upsample_kernel_sizes",
      "upsample_rates",
      "use_d_vector_file",
      "use_language_embedding",
      "use_sdp",
      "use_speaker_embedding",
      "wavenet_dilation_rate",
  };
  return kNames;
}

Config read_config(const Weights& w, const Object& hyper_parameters) {
  return ConfigReader(w, hyper_parameters).read();
}

}  // namespace voxport::vits
