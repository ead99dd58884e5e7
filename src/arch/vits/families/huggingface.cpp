#include "arch/vits/families/huggingface.h"

#include <utility>

#include "arch/vits/families/names.h"
#include "arch/vits/families/text.h"
#include "arch/vits/families/voice_json.h"
#include "base/fail.h"

namespace voxport::vits {
namespace {

// transformers, models/vits/convert_original_checkpoint.py has the same map.
constexpr Renaming kStochasticDurations[] = {
    {"duration_predictor.conv_pre", "dp.pre"},
    {"duration_predictor.conv_proj", "dp.proj"},
    {"duration_predictor.flows.0.translate", "dp.flows.0.m"},
    {"duration_predictor.flows.0.log_scale", "dp.flows.0.logs"},
    {"duration_predictor.flows.{n}.conv_pre", "dp.flows.{2n-1}.pre"},
    {"duration_predictor.flows.{n}.conv_proj", "dp.flows.{2n-1}.proj"},
    {"duration_predictor.flows.{n}.conv_dds.convs_dilated", "dp.flows.{2n-1}.convs.convs_sep"},
    {"duration_predictor.flows.{n}.conv_dds.convs_pointwise", "dp.flows.{2n-1}.convs.convs_1x1"},
    {"duration_predictor.flows.{n}.conv_dds.norms_1.{i}.weight",
     "dp.flows.{2n-1}.convs.norms_1.{i}.gamma"},
    {"duration_predictor.flows.{n}.conv_dds.norms_1.{i}.bias",
     "dp.flows.{2n-1}.convs.norms_1.{i}.beta"},
    {"duration_predictor.flows.{n}.conv_dds.norms_2.{i}.weight",
     "dp.flows.{2n-1}.convs.norms_2.{i}.gamma"},
    {"duration_predictor.flows.{n}.conv_dds.norms_2.{i}.bias",
     "dp.flows.{2n-1}.convs.norms_2.{i}.beta"},
    {"duration_predictor.conv_dds.convs_dilated", "dp.convs.convs_sep"},
    {"duration_predictor.conv_dds.convs_pointwise", "dp.convs.convs_1x1"},
    {"duration_predictor.conv_dds.norms_1.{i}.weight", "dp.convs.norms_1.{i}.gamma"},
    {"duration_predictor.conv_dds.norms_1.{i}.bias", "dp.convs.norms_1.{i}.beta"},
    {"duration_predictor.conv_dds.norms_2.{i}.weight", "dp.convs.norms_2.{i}.gamma"},
    {"duration_predictor.conv_dds.norms_2.{i}.bias", "dp.convs.norms_2.{i}.beta"},
    {"duration_predictor.post_conv_pre", "dp.post_pre"},
    {"duration_predictor.post_conv_proj", "dp.post_proj"},
    {"duration_predictor.post_conv_dds", "dp.post_convs"},
    {"duration_predictor.post_flows", "dp.post_flows"},
};

constexpr Renaming kPlainDurations[] = {
    {"duration_predictor.norm_1.weight", "dp.norm_1.gamma"},
    {"duration_predictor.norm_1.bias", "dp.norm_1.beta"},
    {"duration_predictor.norm_2.weight", "dp.norm_2.gamma"},
    {"duration_predictor.norm_2.bias", "dp.norm_2.beta"},
};

constexpr Renaming kTheRest[] = {
    {"text_encoder.embed_tokens", "enc_p.emb"},
    {"text_encoder.encoder.layers.{i}.attention.q_proj.weight",
     "enc_p.encoder.attn_layers.{i}.conv_q.weight", true},
    {"text_encoder.encoder.layers.{i}.attention.k_proj.weight",
     "enc_p.encoder.attn_layers.{i}.conv_k.weight", true},
    {"text_encoder.encoder.layers.{i}.attention.v_proj.weight",
     "enc_p.encoder.attn_layers.{i}.conv_v.weight", true},
    {"text_encoder.encoder.layers.{i}.attention.out_proj.weight",
     "enc_p.encoder.attn_layers.{i}.conv_o.weight", true},
    {"text_encoder.encoder.layers.{i}.attention.q_proj.bias",
     "enc_p.encoder.attn_layers.{i}.conv_q.bias"},
    {"text_encoder.encoder.layers.{i}.attention.k_proj.bias",
     "enc_p.encoder.attn_layers.{i}.conv_k.bias"},
    {"text_encoder.encoder.layers.{i}.attention.v_proj.bias",
     "enc_p.encoder.attn_layers.{i}.conv_v.bias"},
    {"text_encoder.encoder.layers.{i}.attention.out_proj.bias",
     "enc_p.encoder.attn_layers.{i}.conv_o.bias"},
    {"text_encoder.encoder.layers.{i}.attention", "enc_p.encoder.attn_layers.{i}"},
    {"text_encoder.encoder.layers.{i}.layer_norm.weight", "enc_p.encoder.norm_layers_1.{i}.gamma"},
    {"text_encoder.encoder.layers.{i}.layer_norm.bias", "enc_p.encoder.norm_layers_1.{i}.beta"},
    {"text_encoder.encoder.layers.{i}.feed_forward", "enc_p.encoder.ffn_layers.{i}"},
    {"text_encoder.encoder.layers.{i}.final_layer_norm.weight",
     "enc_p.encoder.norm_layers_2.{i}.gamma"},
    {"text_encoder.encoder.layers.{i}.final_layer_norm.bias",
     "enc_p.encoder.norm_layers_2.{i}.beta"},
    {"text_encoder.project", "enc_p.proj"},
    {"duration_predictor", "dp"},
    {"flow.flows.{n}.conv_pre", "flow.flows.{2n}.pre"},
    {"flow.flows.{n}.conv_post", "flow.flows.{2n}.post"},
    {"flow.flows.{n}.wavenet", "flow.flows.{2n}.enc"},
    {"decoder.upsampler", "dec.ups"},
    {"decoder", "dec"},
    {"embed_speaker", "emb_g"},
    {"posterior_encoder", "enc_q"},  // for training only
    {"discriminator", "model_d"},    // which fine-tuning keeps
};

std::vector<Renaming> table_of(std::span<const Renaming> durations) {
  std::vector<Renaming> table(durations.begin(), durations.end());
  table.insert(table.end(), std::begin(kTheRest), std::end(kTheRest));
  return table;
}

// A number that the network has in one way only.
struct Fixed {
  std::string_view name;
  double value;
};
constexpr Fixed kFixed[] = {
    {"leaky_relu_slope", 0.1},
    {"depth_separable_channels", 2},
    {"duration_predictor_tail_bound", 5},
};

// What config.json may ask for and this network does not have, all at once.
void check_is_known(const Object& config) {
  std::string problems;
  for (const auto& [name, value] : kFixed)
    if (const double found = number_in(config, name, value); found != value)
      problems += cat("\n  '", name, "' is ", found, ", expected ", value);
  const Object* act = config.find("hidden_act");
  if (act && act->as_string() != "relu")
    problems +=
        cat("\n  'hidden_act' is ",
            act->as_string() ? in_quotes(*act->as_string()) : std::string(name_of(act->kind)),
            ", expected 'relu'");
  if (!problems.empty())
    fail(Error::kUnsupported, "the config describes a network that is unsupported", problems);
}

// Their names of sizes, and the original's.
constexpr std::pair<const char*, const char*> kSettings[] = {
    {"vocab_size", "num_symbols"},
    {"hidden_size", "hidden_channels"},
    {"flow_size", "inter_channels"},
    {"ffn_dim", "filter_channels"},
    {"ffn_kernel_size", "kernel_size"},
    {"num_attention_heads", "n_heads"},
    {"num_hidden_layers", "n_layers"},
    {"layer_norm_eps", "layer_norm_eps"},
    {"layer_norm_eps", "duration_norm_eps"},
    {"resblock_kernel_sizes", "resblock_kernel_sizes"},
    {"resblock_dilation_sizes", "resblock_dilation_sizes"},
    {"upsample_rates", "upsample_rates"},
    {"upsample_kernel_sizes", "upsample_kernel_sizes"},
    {"upsample_initial_channel", "upsample_initial_channel"},
    {"wavenet_dilation_rate", "wavenet_dilation_rate"},
    {"use_stochastic_duration_prediction", "use_sdp"},
    {"num_speakers", "num_speakers"},
    {"speaker_embedding_size", "gin_channels"},
    {"sampling_rate", "sample_rate"},
};

double length_scale_of(const Object& config) {
  const double rate = number_in(config, "speaking_rate", 1);
  if (!(rate > 0))
    fail(Error::kUnsupported, "the config's 'speaking_rate' is ", rate, ", expected more than 0");
  return 1 / rate;
}

}  // namespace

bool is_huggingface(const NamedTensors& tensors) {
  return tensors.find("text_encoder.embed_tokens.weight") != nullptr &&
         tensors.shape_of_weight("decoder.conv_pre.weight").has_value();
}

NamedTensors rename_huggingface(const NamedTensors& tensors) {
  static const std::vector<Renaming>& stochastic = *new std::vector(table_of(kStochasticDurations));
  static const std::vector<Renaming>& plain = *new std::vector(table_of(kPlainDurations));
  return renamed(tensors, tensors.has_any("duration_predictor.flows.") ? stochastic : plain);
}

Translation translate_huggingface(const FamilySource& source) {
  const Object config = source.config();
  check_is_known(config);
  Translation made;
  for (const auto& [theirs, ours] : kSettings)
    if (const Object* value = config.find(theirs)) made.settings.push_back({ours, *value});
  made.settings.push_back({"resblock", make_object(Object::Kind::kString, std::string("1"))});
  Json voice = voice_json({.noise_scale = number_in(config, "noise_scale", 0.667),
                           .length_scale = length_scale_of(config),
                           .noise_w = number_in(config, "noise_scale_duration", 0.8)});
  voice.update(huggingface_text(source));
  if (!voice.contains("phoneme_id_map"))
    made.notes.emplace_back("there is no vocab.json beside the checkpoint, which has its symbols");
  else if (!source.find("tokenizer_config.json"))
    made.notes.emplace_back(
        "there is no tokenizer_config.json beside the checkpoint: by default text becomes "
        "phonemes");
  made.voice = voice.dump();
  return made;
}

}  // namespace voxport::vits
