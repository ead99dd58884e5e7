#include "arch/vits/config.h"

#include <array>
#include <functional>
#include <numeric>
#include <optional>

#include "base/fail.h"

namespace voxport::vits {
namespace {

using Sizes = std::vector<std::int64_t>;

// Larger than any network of this kind; beyond it a number is a mistake, or a trap.
constexpr std::int64_t kMaxSize = 1 << 20;
constexpr std::int64_t kMaxLayers = 1000;
constexpr std::int64_t kMaxBins = 999;  // each has a thousandth of the whole at least

// What Piper's trainer calls its qualities. No shape tells rates and dilations, but its presets are
// told apart by their kernels.
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

class ConfigReader {
 public:
  ConfigReader(const Weights& w, const Object& hyper_parameters)
      : w_(w), parameters_(hyper_parameters) {}

  Config read() {
    Config config;
    config.text_encoder = text_encoder();
    // The trainer of the paper says 0 for one.
    config.speakers =
        std::max<std::int64_t>(1, number("num_speakers", dim(w_ / "emb_g", "weight", 0), 1));
    if (config.has_speakers()) config.gin_channels = gin_channels();
    config.durations = durations(config);
    config.flow = flow(config);
    config.decoder = decoder(config);
    config.sample_rate = number("sample_rate", std::nullopt, 0);
    check_sizes(config);
    check_hop(config.decoder);
    report();
    return config;
  }

 private:
  // One size of a tensor's shape; nothing when there is no such tensor or axis.
  static std::optional<std::int64_t> dim(const Weights& at, std::string_view name,
                                         std::size_t axis) {
    const auto shape = at.shape_of(name);
    return shape && axis < shape->size() ? std::optional((*shape)[axis]) : std::nullopt;
  }

  void problem(const std::string& text) { problems_ += "\n  " + text; }

  // The hyper-parameter, else what the shapes say, else the trainer's default.
  std::int64_t number(const char* name, std::optional<std::int64_t> from_shapes,
                      std::int64_t otherwise, std::int64_t limit = kMaxSize) {
    std::int64_t value = from_shapes.value_or(otherwise);
    const Object* given = parameters_.find(name);
    if (given && !given->is(Object::Kind::kNone)) {
      const auto integer = given->as_int();
      if (!integer) {
        problem(cat("hyper-parameter '", name, "' is ", name_of(given->kind),
                    ", expected a whole number"));
      } else {
        value = *integer;
      }
    }
    if (value < 0 || value > limit) {
      problem(cat("'", name, "' is ", value, ", expected 0 to ", limit));
      return otherwise;
    }
    return value;
  }

  std::optional<Sizes> numbers_in(const Object& list, const char* name) {
    Sizes numbers;
    for (const Entry& entry : list.entries()) {
      const auto integer = entry.value.as_int();
      if (!integer || *integer < 1 || *integer > kMaxSize) {
        problem(cat("hyper-parameter '", name, "' must hold whole numbers from 1 to ", kMaxSize));
        return std::nullopt;
      }
      numbers.push_back(*integer);
    }
    return numbers;
  }

  std::optional<Sizes> list(const char* name) {
    const Object* given = parameters_.find(name);
    if (!given || given->is(Object::Kind::kNone)) return std::nullopt;
    if (given->is(Object::Kind::kInt))  // (16) without its comma
      return numbers_in(make_object(Object::Kind::kList, std::vector<Entry>{{"0", *given}}), name);
    if (!given->is(Object::Kind::kList) && !given->is(Object::Kind::kTuple)) {
      problem(cat("hyper-parameter '", name, "' is ", name_of(given->kind), ", expected a list"));
      return std::nullopt;
    }
    return numbers_in(*given, name);
  }

  std::optional<std::vector<Sizes>> lists(const char* name) {
    const Object* given = parameters_.find(name);
    if (!given || given->is(Object::Kind::kNone)) return std::nullopt;
    if (!given->is(Object::Kind::kList) && !given->is(Object::Kind::kTuple)) {
      problem(cat("hyper-parameter '", name, "' is ", name_of(given->kind),
                  ", expected a list of lists"));
      return std::nullopt;
    }
    std::vector<Sizes> all;
    for (const Entry& entry : given->entries()) {
      const bool is_list =
          entry.value.is(Object::Kind::kList) || entry.value.is(Object::Kind::kTuple);
      const auto numbers = is_list ? numbers_in(entry.value, name) : std::nullopt;
      if (!numbers) {
        if (!is_list) problem(cat("hyper-parameter '", name, "' must be a list of lists"));
        return std::nullopt;
      }
      all.push_back(*numbers);
    }
    return all;
  }

  TextEncoderConfig text_encoder() {
    TextEncoderConfig config;
    const Weights enc_p = w_ / "enc_p";
    const Weights attn = enc_p / "encoder" / "attn_layers" / 0;
    const Weights ffn = enc_p / "encoder" / "ffn_layers" / 0;
    config.symbols = number("num_symbols", dim(enc_p / "emb", "weight", 0), 256);
    config.hidden_channels = number("hidden_channels", dim(enc_p / "emb", "weight", 1), 192);
    const auto proj = dim(enc_p / "proj", "weight", 0);
    config.out_channels =
        number("inter_channels", proj ? std::optional(*proj / 2) : std::nullopt, 192);
    config.filter_channels = number("filter_channels", dim(ffn / "conv_1", "weight", 0), 768);
    config.kernel_size = number("kernel_size", dim(ffn / "conv_1", "weight", 2), 3);
    config.n_layers =
        number("n_layers", (enc_p / "encoder" / "attn_layers").count(), 6, kMaxLayers);
    const auto k_channels = dim(attn, "emb_rel_k", 2);
    const bool is_whole = k_channels && *k_channels > 0;
    config.n_heads =
        number("n_heads",
               is_whole ? std::optional(config.hidden_channels / *k_channels) : std::nullopt, 2);
    config.window_size = (dim(attn, "emb_rel_k", 1).value_or(9) - 1) / 2;
    config.shares_heads = dim(attn, "emb_rel_k", 0).value_or(1) == 1;
    if (config.n_heads < 1 || config.hidden_channels % config.n_heads != 0) {
      problem(cat("'hidden_channels' (", config.hidden_channels, ") is no multiple of 'n_heads' (",
                  config.n_heads, ")"));
      config.n_heads = 1;
    }
    if (config.out_channels < 2 || config.out_channels % 2 != 0)
      problem(cat("'inter_channels' is ", config.out_channels, ", expected an even number"));
    return config;
  }

  std::optional<bool> truth(const char* name) {
    const Object* given = parameters_.find(name);
    if (!given || given->is(Object::Kind::kNone)) return std::nullopt;
    if (const auto number = given->as_int()) return *number != 0;
    const auto text = given->as_string();
    if (text && (*text == "true" || *text == "false")) return *text == "true";
    problem(
        cat("hyper-parameter '", name, "' is ", name_of(given->kind), ", expected True or False"));
    return std::nullopt;
  }

  // Piper makes 512 of a number that is not above 0, and may have saved either.
  std::int64_t gin_channels() {
    const auto from_shapes = dim(w_ / "emb_g", "weight", 1);
    const std::int64_t given = number("gin_channels", from_shapes, 512);
    return given > 0 ? given : from_shapes.value_or(512);
  }

  DurationConfig durations(const Config& whole) {
    DurationConfig config;
    const Weights dp = w_ / "dp";
    config.is_stochastic = truth("use_sdp").value_or((dp / "flows").has_any());
    config.in_channels = whole.text_encoder.hidden_channels;
    config.gin_channels = whole.gin_channels;
    if (!config.is_stochastic) {
      config.filter_channels = dim(dp / "conv_1", "weight", 0).value_or(256);
      config.kernel_size = dim(dp / "conv_1", "weight", 2).value_or(3);
      return config;
    }
    config.filter_channels = dim(dp / "pre", "weight", 0).value_or(config.in_channels);
    config.kernel_size = dim(dp / "convs" / "convs_sep" / 0, "weight", 2).value_or(3);
    config.n_layers = (dp / "convs" / "convs_sep").count();
    while ((dp / "flows" / (2 * config.n_flows + 1)).has_any()) ++config.n_flows;
    config.num_bins = (dim(dp / "flows" / 3 / "proj", "weight", 0).value_or(29) + 1) / 3;
    return config;
  }

  FlowConfig flow(const Config& whole) {
    FlowConfig config;
    const Weights flows = w_ / "flow" / "flows";
    config.channels = whole.inter_channels();
    config.hidden_channels =
        dim(flows / 0 / "pre", "weight", 0).value_or(whole.text_encoder.hidden_channels);
    config.kernel_size = dim(flows / 0 / "enc" / "in_layers" / 0, "weight", 2).value_or(5);
    config.n_layers = (flows / 0 / "enc" / "in_layers").count();
    while ((flows / (2 * config.n_flows)).has_any()) ++config.n_flows;
    config.gin_channels = whole.gin_channels;
    return config;
  }

  // What a network divides by, or has at least one of.
  void check_sizes(const Config& config) {
    const TextEncoderConfig& text = config.text_encoder;
    const DurationConfig& durations = config.durations;
    at_least_one("num_symbols", text.symbols);
    at_least_one("hidden_channels", text.hidden_channels);
    at_least_one("filter_channels", text.filter_channels);
    at_least_one("kernel_size", text.kernel_size);
    at_least_one("filter_channels of dp", durations.filter_channels);
    at_least_one("kernel_size of dp", durations.kernel_size);
    at_least_one("hidden_channels of flow", config.flow.hidden_channels);
    at_least_one("kernel_size of flow", config.flow.kernel_size);
    if (!durations.is_stochastic) return;
    if (durations.num_bins < 1 || durations.num_bins > kMaxBins)
      problem(
          cat("the splines of dp have ", durations.num_bins, " bins, expected 1 to ", kMaxBins));
    std::int64_t dilation = 1;  // grows from layer to layer
    for (std::int64_t i = 0; i < durations.n_layers && dilation <= kMaxSize; ++i)
      dilation *= durations.kernel_size;
    if (dilation > kMaxSize)
      problem(cat("dp.convs has ", durations.n_layers, " layers of kernel ", durations.kernel_size,
                  ", whose dilations grow beyond ", kMaxSize));
  }

  void at_least_one(const char* name, std::int64_t size) {
    if (size < 1) problem(cat("'", name, "' is ", size, ", expected at least 1"));
  }

  bool is_resblock1() {
    const Object* resblock = parameters_.find("resblock");
    if (!resblock) return (w_ / "dec" / "resblocks" / 0 / "convs1").has_any();
    const auto text = resblock->as_string();
    const std::string name =
        text ? std::string(*text) : std::to_string(resblock->as_int().value_or(0));
    if (name != "1" && name != "2")
      problem(cat("hyper-parameter 'resblock' is ", in_quotes(name), ", expected '1' or '2'"));
    return name == "1";
  }

  hifigan::Config decoder(const Config& whole) {
    hifigan::Config config;
    const Weights dec = w_ / "dec";
    config.in_channels = whole.inter_channels();
    config.gin_channels = whole.gin_channels;
    config.upsample_initial_channel =
        number("upsample_initial_channel", dim(dec / "conv_pre", "weight", 0), 256);
    config.is_resblock1 = is_resblock1();
    const std::int64_t stages = (dec / "ups").count();
    config.upsample_kernel_sizes =
        list("upsample_kernel_sizes").value_or(last_dims(dec / "ups", stages, {}));
    const std::int64_t blocks = stages > 0 ? (dec / "resblocks").count() / stages : 0;
    config.resblock_kernel_sizes =
        list("resblock_kernel_sizes")
            .value_or(
                last_dims(dec / "resblocks", blocks, config.is_resblock1 ? "convs1" : "convs"));
    fill_from_preset(config);
    // The trainer looks at as many as its blocks have, and not at more.
    const std::size_t used = config.is_resblock1 ? 3 : 2;
    for (Sizes& dilations : config.resblock_dilation_sizes)
      if (dilations.size() > used) dilations.resize(used);
    check_lists(config);
    return config;
  }

  // The kernel of the first convolution at each of the places 0 to count - 1.
  Sizes last_dims(const Weights& at, std::int64_t count, std::string_view below) {
    Sizes kernels;
    for (std::int64_t i = 0; i < count; ++i) {
      const Weights place = below.empty() ? at / i : at / i / below / 0;
      kernels.push_back(dim(place, "weight", 2).value_or(1));
    }
    return kernels;
  }

  void fill_from_preset(hifigan::Config& config) {
    const auto rates = list("upsample_rates");
    const auto dilations = lists("resblock_dilation_sizes");
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
    if (config.upsample_rates.empty()) missing("upsample_rates", "8,8,4");
    if (config.resblock_dilation_sizes.empty())
      missing("resblock_dilation_sizes", "((1,2),(2,6),(3,12))");
  }

  void missing(const char* name, const char* example) {
    problem(cat("'", name, "' is in no tensor's shape; give it, for example as --set '", name, "=",
                example, "'"));
  }

  void check_lists(const hifigan::Config& config) {
    if (!problems_.empty()) return;
    if (config.upsample_rates.size() != config.upsample_kernel_sizes.size())
      problem(cat("'upsample_rates' has ", config.upsample_rates.size(),
                  " entries, 'upsample_kernel_sizes' ", config.upsample_kernel_sizes.size()));
    if (config.resblock_kernel_sizes.size() != config.resblock_dilation_sizes.size())
      problem(cat("'resblock_kernel_sizes' has ", config.resblock_kernel_sizes.size(),
                  " entries, 'resblock_dilation_sizes' ", config.resblock_dilation_sizes.size()));
    if (config.resblock_kernel_sizes.empty()) problem("there are no residual blocks");
    if (config.upsample_rates.size() > 30 ||
        config.upsample_initial_channel >> config.upsample_rates.size() == 0)
      problem(cat("'upsample_initial_channel' (", config.upsample_initial_channel,
                  ") cannot be halved ", config.upsample_rates.size(), " times"));
    if (!problems_.empty()) return;
    for (std::size_t i = 0; i < config.upsample_rates.size(); ++i)
      if (config.upsample_kernel_sizes[i] < config.upsample_rates[i])
        problem(cat("'upsample_kernel_sizes' has ", config.upsample_kernel_sizes[i],
                    " where 'upsample_rates' has ", config.upsample_rates[i],
                    ", expected no less"));
    for (const Sizes& dilations : config.resblock_dilation_sizes)
      if (dilations.empty()) problem("'resblock_dilation_sizes' has an empty entry");
    for (const std::int64_t kernel : config.resblock_kernel_sizes)
      at_least_one("resblock_kernel_sizes", kernel);
    std::int64_t hop = 1;
    for (const std::int64_t rate : config.upsample_rates)
      if (hop <= kMaxSize) hop *= rate;
    if (hop > kMaxSize)
      problem(cat("'upsample_rates' make more than ", kMaxSize, " samples of a frame"));
  }

  void check_hop(const hifigan::Config& config) {
    if (!problems_.empty()) return;
    const std::int64_t hop = number("hop_length", config.hop_length(), 0);
    if (problems_.empty() && hop != config.hop_length())
      problem(cat("hyper-parameter 'hop_length' is ", hop, ", but 'upsample_rates' make ",
                  config.hop_length()));
  }

  void report() {
    if (problems_.empty()) return;
    fail(Error::kUnsupported, "the checkpoint's hyper-parameters do not describe a VITS",
         problems_);
  }

  const Weights& w_;
  const Object& parameters_;
  std::string problems_;
};

}  // namespace

std::span<const std::string_view> hyper_parameter_names() {
  static constexpr std::string_view kNames[] = {
      "filter_channels",
      "gin_channels",
      "hidden_channels",
      "hop_length",
      "inter_channels",
      "kernel_size",
      "n_heads",
      "n_layers",
      "num_speakers",
      "num_symbols",
      "resblock",
      "resblock_dilation_sizes",
      "resblock_kernel_sizes",
      "sample_rate",
      "upsample_initial_channel",
      "upsample_kernel_sizes",
      "upsample_rates",
      "use_sdp",
  };
  return kNames;
}

Config read_config(const Weights& w, const Object& hyper_parameters) {
  return ConfigReader(w, hyper_parameters).read();
}

}  // namespace voxport::vits
