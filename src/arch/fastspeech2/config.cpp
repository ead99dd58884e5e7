#include "arch/fastspeech2/config.h"

#include "base/text.h"

namespace voxport::fastspeech2 {
namespace {

class ConfigReader {
 public:
  ConfigReader(const Weights& w, const Object& settings, std::vector<std::string>& notes)
      : w_(w), settings_(settings), notes_(notes) {}

  Config read() {
    Config config;
    config.symbols = at_least_one("encoder.src_word_emb.weight", 0);
    config.encoder = transformer("encoder");
    config.decoder = transformer("decoder");
    if (config.encoder.hidden != config.decoder.hidden)
      settings_.problem(cat("the encoder has ", config.encoder.hidden, " channels, the decoder ",
                            config.decoder.hidden, ", expected as many"));
    predictors(config);
    config.pitch = variance("pitch");
    config.energy = variance("energy");
    speakers(config);
    mel(config);
    config.sampling_rate =
        settings_.number("preprocessing.audio.sampling_rate", std::nullopt, 0, kMaxRate);
    config.hop_length = settings_.number("preprocessing.stft.hop_length", std::nullopt, 0);
    const Object* const language = settings_.find("preprocessing.text.language");
    if (language) config.language = language->as_string().value_or("");
    settings_.report("the configs do not fit the checkpoint");
    return config;
  }

 private:
  static constexpr std::int64_t kMaxRate = 1'000'000;

  // One size of the tensor of that whole name, which a network cannot do without.
  std::int64_t at_least_one(const std::string& name, std::size_t axis) {
    const std::int64_t size = size_of(w_, name, axis).value_or(0);
    if (size > 0 && size <= Settings::kMaxSize) return size;
    settings_.problem(w_.has(name) ? cat("axis ", axis, " of ", name, " is ", size,
                                         ", expected 1 to ", Settings::kMaxSize)
                                   : cat("there is no tensor ", name));
    return 1;
  }

  TransformerConfig transformer(const std::string& name) {
    TransformerConfig config;
    const std::string setting = "transformer." + name;
    const std::string layer = name + ".layer_stack.0.";
    config.hidden = settings_.agreed(setting + "_hidden", at_least_one(name + ".position_enc", 2));
    config.layers = settings_.agreed(setting + "_layer", (w_ / name / "layer_stack").count());
    config.positions = at_least_one(name + ".position_enc", 1);
    settings_.agreed("max_seq_len", config.positions - 1);
    config.filter_size = settings_.agreed("transformer.conv_filter_size",
                                          at_least_one(layer + "pos_ffn.w_1.weight", 0));
    config.kernel_1 = at_least_one(layer + "pos_ffn.w_1.weight", 2);
    config.kernel_2 = at_least_one(layer + "pos_ffn.w_2.weight", 2);
    check_kernels(layer, config);
    config.heads = heads(setting + "_head", config.hidden);
    return config;
  }

  void check_kernels(const std::string& layer, const TransformerConfig& config) {
    const Settings::Sizes found = {config.kernel_1, config.kernel_2};
    const auto given = settings_.list("transformer.conv_kernel_size");
    if (given && *given != found)
      settings_.problem(cat("hyper-parameter 'transformer.conv_kernel_size' is ",
                            shape_text(*given), ", but the tensors have ", shape_text(found)));
    for (const std::int64_t kernel : found)
      if (kernel % 2 == 0)
        settings_.problem(cat(layer, "pos_ffn has a kernel of ", kernel, ", expected an odd one"));
  }

  std::int64_t heads(const std::string& name, std::int64_t hidden) {
    if (!settings_.find(name)) {
      settings_.missing(name, "2");
      return 1;
    }
    const std::int64_t heads = settings_.number(name, std::nullopt, 1);
    if (heads >= 1 && hidden % heads == 0) return heads;
    settings_.problem(
        cat("the ", hidden, " channels are not a multiple of '", name, "' (", heads, ")"));
    return 1;
  }

  void predictors(Config& config) {
    const std::string conv = "variance_adaptor.duration_predictor.conv_layer.conv1d_1.conv.weight";
    config.predictor_filter_size =
        settings_.agreed("variance_predictor.filter_size", at_least_one(conv, 0));
    const std::int64_t kernel =
        settings_.agreed("variance_predictor.kernel_size", at_least_one(conv, 2));
    if (kernel != kPredictorKernel)
      settings_.problem(cat("the variance predictors have kernels of ", kernel,
                            ", which the trainer itself cannot run; expected ", kPredictorKernel));
  }

  VarianceConfig variance(const std::string& name) {
    VarianceConfig config;
    config.bins =
        settings_.agreed("variance_embedding.n_bins",
                         at_least_one("variance_adaptor." + name + "_embedding.weight", 0));
    settings_.word("variance_embedding." + name + "_quantization", {"linear", "log"});
    const std::string level = "preprocessing." + name + ".feature";
    if (!settings_.find(level))
      notes_.push_back(cat("nothing says whether ", name,
                           " is given per phoneme or per frame; phoneme_level is assumed (", level,
                           "=frame_level is the alternative)"));
    config.is_frame_level =
        settings_.word(level, {"phoneme_level", "frame_level"}) == "frame_level";
    return config;
  }

  void speakers(Config& config) {
    const bool has_embedding = w_.has("speaker_emb.weight");
    if (has_embedding) config.speakers = at_least_one("speaker_emb.weight", 0);
    const auto given = settings_.truth("multi_speaker");
    if (given && *given != has_embedding)
      settings_.problem(cat("hyper-parameter 'multi_speaker' is ", *given ? "True" : "False",
                            ", but there is ", has_embedding ? "a" : "no",
                            " tensor speaker_emb.weight"));
  }

  void mel(Config& config) {
    config.mel_channels =
        settings_.agreed("preprocessing.mel.n_mel_channels", at_least_one("mel_linear.weight", 0));
    const std::string first = "postnet.convolutions.0.0.conv.weight";
    config.postnet_layers = (w_ / "postnet" / "convolutions").count();
    config.postnet_channels = at_least_one(first, 0);
    config.postnet_kernel = at_least_one(first, 2);
    if (config.postnet_kernel % 2 == 0)
      settings_.problem(
          cat("the post-net has a kernel of ", config.postnet_kernel, ", expected an odd one"));
  }

  const Weights& w_;
  Settings settings_;
  std::vector<std::string>& notes_;
};

}  // namespace

std::span<const std::string_view> setting_names() {
  static constexpr std::string_view kNames[] = {
      "max_seq_len",
      "multi_speaker",
      "preprocessing.audio.sampling_rate",
      "preprocessing.energy.feature",
      "preprocessing.mel.n_mel_channels",
      "preprocessing.pitch.feature",
      "preprocessing.stft.hop_length",
      "preprocessing.text.language",
      "transformer.conv_filter_size",
      "transformer.conv_kernel_size",
      "transformer.decoder_head",
      "transformer.decoder_hidden",
      "transformer.decoder_layer",
      "transformer.encoder_head",
      "transformer.encoder_hidden",
      "transformer.encoder_layer",
      "variance_embedding.energy_quantization",
      "variance_embedding.n_bins",
      "variance_embedding.pitch_quantization",
      "variance_predictor.filter_size",
      "variance_predictor.kernel_size",
  };
  return kNames;
}

Config read_config(const Weights& w, const Object& settings, std::vector<std::string>& notes) {
  return ConfigReader(w, settings, notes).read();
}

}  // namespace voxport::fastspeech2
