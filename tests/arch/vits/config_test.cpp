// Sizes of a VITS, read from real checkpoints whose hyper-parameters and shapes are then spoilt.
#include "arch/vits/config.h"

#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "arch/vits/vits.h"
#include "base/blob.h"
#include "base/text.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/config_file.h"
#include "tests/data.h"

namespace voxport::vits::config_test {
namespace {

namespace fs = std::filesystem;
using Kind = Object::Kind;

Object number(std::int64_t value) { return make_object(Kind::kInt, value); }
Object text(std::string value) { return make_object(Kind::kString, std::move(value)); }

// As Python writes it: (8, 8, 4).
Object literal(const char* value) { return *parse_literal(value); }

// A dict with one entry replaced, added, or, with nothing, removed.
Object changed(const Object& dict, const std::string& key, const std::optional<Object>& value) {
  std::vector<Entry> entries = dict.entries();
  std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; });
  if (value) entries.push_back({key, *value});
  return make_object(Kind::kDict, std::move(entries));
}

// A checkpoint of tests/data/voices, which a test may change.
struct Example {
  Checkpoint checkpoint;
  Object state, parameters;

  explicit Example(const std::string& name)
      : Example(open_checkpoint(data_folder() / "voices" / (name + ".ckpt"))) {}
  explicit Example(Checkpoint opened)
      : checkpoint(std::move(opened)),
        state(*find_state_dict(checkpoint.root).dict),
        parameters(hyper_parameters(checkpoint.root)) {}

  // One whose hyper-parameters are in a config beside it, as the trainers of forks have it.
  static Example with_config(const std::string& name) {
    const fs::path folder = data_folder() / "families" / "mb-istft" / name;
    Example example(open_checkpoint(folder / "G_1000.pth"));
    const Blob config = Blob::map_file(folder / "config.json");
    example.parameters = *read_config_file(config.text()).find("model");
    return example;
  }

  Example& set(const std::string& name, const std::optional<Object>& value) {
    parameters = changed(parameters, name, value);
    return *this;
  }
  // Another shape for a tensor, of zeros.
  Example& shape(const std::string& name, std::vector<std::int64_t> shape) {
    const Tensor zeros = computed_tensor(shape, [shape] {
      std::int64_t count = 1;
      for (const std::int64_t size : shape) count *= size;
      return std::vector<float>(static_cast<std::size_t>(count));
    });
    state = changed(state, name, make_object(Kind::kTensor, std::make_shared<const Tensor>(zeros)));
    return *this;
  }

  // Lightning keeps the tensors below "model_g.".
  Weights weights() const {
    return Weights(state, NamedTensors(state).prefix_of("enc_p.emb.weight"));
  }
  Config read() const { return read_config(weights(), parameters); }
  // All the way to a network that has every tensor.
  void build() const {
    const Weights w = weights();
    w.ignore_all("model_d.");
    const Config config = read_config(w, parameters);
    const Vits model(w, config);
    w.finish("a VITS");
  }
};

// What read_config() says, line by line, below its first line.
using Lines = std::vector<std::string>;

Lines lines_of(const std::string& message) {
  Lines lines;
  for (std::size_t start = 0; start < message.size();) {
    const std::size_t end = std::min(message.find('\n', start), message.size());
    lines.push_back(message.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

Lines problems_of(const Example& example) {
  Lines lines = lines_of(message_of([&] { example.read(); }));
  EXPECT_EQ(lines.front(), "the checkpoint's hyper-parameters do not describe a VITS");
  lines.erase(lines.begin());
  return lines;
}

// What is wrong with the tensors, where the hyper-parameters are good.
Lines misfits_of(const Example& example) {
  Lines lines = lines_of(message_of([&] { example.build(); }));
  EXPECT_EQ(lines.front(), "the checkpoint does not fit a VITS");
  lines.erase(lines.begin());
  return lines;
}

std::string text_of(const Config& config) {
  const auto list = [](const std::vector<std::int64_t>& sizes) { return shape_text(sizes); };
  std::string dilations;
  for (const auto& sizes : config.decoder.resblock_dilation_sizes) dilations += list(sizes);
  const TextEncoderConfig& text = config.text_encoder;
  const DurationConfig& dp = config.durations;
  const FlowConfig& flow = config.flow;
  const hifigan::Config& dec = config.decoder;
  return cat("text ",
             list({text.symbols, text.hidden_channels, text.out_channels, text.filter_channels,
                   text.n_heads, text.n_layers, text.kernel_size, text.window_size,
                   text.shares_heads ? 1 : 0}),
             "\ndp ",
             list({dp.is_stochastic ? 1 : 0, dp.in_channels, dp.filter_channels, dp.kernel_size,
                   dp.n_layers, dp.n_flows, dp.num_bins, dp.gin_channels}),
             "\nflow ",
             list({flow.channels, flow.hidden_channels, flow.kernel_size, flow.n_layers,
                   flow.n_flows, flow.gin_channels}),
             "\ndec ",
             list({dec.in_channels, dec.upsample_initial_channel, dec.is_resblock1 ? 1 : 0,
                   dec.gin_channels}),
             " rates ", list(dec.upsample_rates), " kernels ", list(dec.upsample_kernel_sizes),
             " resblocks ", list(dec.resblock_kernel_sizes), " dilations ", dilations,
             "\nspeakers ", list({config.speakers, config.gin_channels}));
}

TEST(ReadConfig, ReadsEverySize) {
  EXPECT_EQ(text_of(Example("odd-sizes").read()),
            "text [37, 9, 10, 25, 3, 2, 5, 4, 1]\n"
            "dp [1, 9, 9, 3, 3, 4, 10, 0]\n"
            "flow [10, 9, 5, 4, 4, 0]\n"
            "dec [10, 24, 0, 0] rates [5, 3, 2] kernels [11, 7, 4] resblocks [3, 5] "
            "dilations [1, 2][2, 6]\n"
            "speakers [1, 0]");
  EXPECT_EQ(text_of(Example("small-flow").read()),
            "text [40, 12, 10, 24, 2, 2, 3, 4, 1]\n"
            "dp [1, 12, 12, 3, 3, 2, 10, 7]\n"
            "flow [10, 12, 3, 2, 2, 7]\n"
            "dec [10, 16, 0, 7] rates [4, 4] kernels [8, 8] resblocks [3, 5] "
            "dilations [1, 2][2, 6]\n"
            "speakers [4, 7]");
  EXPECT_EQ(text_of(Example("window-per-head").read()).substr(0, 36),
            "text [40, 12, 12, 24, 3, 2, 3, 3, 0]");
  EXPECT_EQ(Example("odd-sizes").read().sample_rate, 22050);
}

std::vector<std::string> voices() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(data_folder() / "voices")) {
    const std::string name = entry.path().stem().string();
    const bool tells_sizes = name != "bare" && name != "no-hyper";
    if (entry.path().extension() == ".ckpt" && tells_sizes) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// All but rates and dilations can be read off the tensors.
TEST(ReadConfig, FindsInTheShapesWhatTheHyperParametersSay) {
  for (const std::string& name : voices()) {
    Example example(name);
    const Config told = example.read();
    const std::set<std::string> kept = {"upsample_rates", "resblock_dilation_sizes"};
    const Object all = example.parameters;
    for (const Entry& entry : all.entries())
      if (!kept.contains(entry.key)) example.set(entry.key, std::nullopt);
    EXPECT_EQ(text_of(example.read()), text_of(told)) << name;
  }
}

TEST(ReadConfig, KnowsTheTrainersPresets) {
  Example medium("single");
  const Config told = medium.read();
  medium.set("upsample_rates", std::nullopt).set("resblock_dilation_sizes", std::nullopt);
  EXPECT_EQ(text_of(medium.read()), text_of(told));
  Example high("speakers-high");
  const Config told_high = high.read();
  high.set("upsample_rates", std::nullopt).set("resblock_dilation_sizes", std::nullopt);
  EXPECT_EQ(text_of(high.read()), text_of(told_high));
}

TEST(ReadConfig, TakesWholeFloatsAndNoneForWhatTheyMean) {
  EXPECT_EQ(Example("odd-sizes").set("n_layers", literal("2.0")).read().text_encoder.n_layers, 2);
  EXPECT_EQ(Example("odd-sizes").set("n_layers", literal("None")).read().text_encoder.n_layers, 2);
  EXPECT_TRUE(Example("odd-sizes").set("use_sdp", number(1)).read().durations.is_stochastic);
  EXPECT_EQ(Example("odd-sizes").set("resblock", number(2)).read().decoder.is_resblock1, false);
  EXPECT_EQ(Example("plain-speakers").set("gin_channels", number(0)).read().gin_channels, 9)
      << "Piper saves 0 and makes 512 of it; the shapes know better";
}

std::string istft_of(const Config& config) {
  if (!config.istft) return "none";
  const istft::Config& sizes = *config.istft;
  return cat(static_cast<int>(sizes.kind), " ",
             shape_text({sizes.n_fft, sizes.hop_size, sizes.subbands, sizes.taps}), " hop ",
             config.hop_length());
}

TEST(ReadConfig, FindsOutWhatTheDecoderEndsIn) {
  EXPECT_EQ(istft_of(Example("odd-sizes").read()), "none");
  const auto told = [](const char* name) { return istft_of(Example::with_config(name).read()); };
  EXPECT_EQ(told("istft"), "0 [16, 4, 1, 0] hop 64");
  EXPECT_EQ(told("istft-long-frames"), "0 [60, 7, 1, 0] hop 21");
  EXPECT_EQ(told("mb"), "1 [16, 4, 4, 63] hop 256");
  EXPECT_EQ(told("mb-8-bands"), "1 [12, 3, 8, 63] hop 96");
  EXPECT_EQ(told("ms"), "2 [16, 4, 4, 63] hop 256");
  const Config config = Example::with_config("mb-speakers").read();
  EXPECT_EQ(config.gin_channels, 6);
  EXPECT_EQ(config.decoder.gin_channels, 0) << "this decoder takes no speaker";
}

// Forks give the speaker to the decoder, or keep what follows from the sizes.
TEST(ReadConfig, ReadsWhatForksAddToAnIstft) {
  const auto voice = [](const char* name) { return Example::with_config(name); };
  EXPECT_EQ(voice("mb-speakers").shape("dec.cond.weight", {16, 6, 1}).read().decoder.gin_channels,
            6);
  EXPECT_EQ(istft_of(voice("mb")
                         .set("subbands", std::nullopt)
                         .shape("dec.pqmf.synthesis_filter", {1, 4, 31})
                         .read()),
            "1 [16, 4, 4, 31] hop 256");
  voice("mb-speakers")
      .shape("dec.cond.weight", {16, 6, 1})
      .shape("dec.cond.bias", {16})
      .shape("dec.pqmf.synthesis_filter", {1, 4, 63})
      .shape("dec.pqmf.analysis_filter", {4, 1, 63})
      .shape("dec.pqmf.updown_filter", {4, 4, 4})
      .shape("dec.stft.inverse_basis", {10, 1, 8})
      .build();
}

// The hop, and the subbands of PQMF, whose filter is not in the file.
TEST(ReadConfig, AsksForWhatNoShapeOfAnIstftTells) {
  for (const char* flag : {"istft_vits", "mb_istft_vits", "ms_istft_vits", "gen_istft_n_fft"}) {
    EXPECT_EQ(istft_of(Example::with_config("mb").set(flag, std::nullopt).read()),
              "1 [16, 4, 4, 63] hop 256");
  }
  const char* const kNoHop =
      "  'gen_istft_hop_size' cannot be read from any tensor's shape; set the hyper-parameter, for "
      "example as 'gen_istft_hop_size=4'";
  const char* const kNoSubbands =
      "  'subbands' cannot be read from any tensor's shape; set the hyper-parameter, for example "
      "as 'subbands=4'";
  const auto without_both = [](const char* name) {
    return Example::with_config(name)
        .set("gen_istft_hop_size", std::nullopt)
        .set("subbands", std::nullopt);
  };
  EXPECT_EQ(problems_of(without_both("mb")), (Lines{kNoSubbands, kNoHop}));
  EXPECT_EQ(problems_of(without_both("ms")), Lines{kNoHop});
  EXPECT_EQ(problems_of(without_both("istft")), Lines{kNoHop});
}

TEST(ReadConfig, RefusesFlagsThatTheDecoderContradicts) {
  EXPECT_EQ(problems_of(Example::with_config("mb").set("ms_istft_vits", number(1))),
            Lines{"  hyper-parameter 'ms_istft_vits' is True, but the tensors of the decoder are "
                  "those of 'mb_istft_vits'"});
  EXPECT_EQ(problems_of(Example::with_config("ms").set("ms_istft_vits", number(0))),
            Lines{"  hyper-parameter 'ms_istft_vits' is False, but the tensors of the decoder are "
                  "those of 'ms_istft_vits'"});
  EXPECT_EQ(problems_of(Example("odd-sizes").set("istft_vits", number(1))),
            Lines{"  hyper-parameter 'istft_vits' is True, but the tensors of the decoder are "
                  "those of a HiFi-GAN"});
}

TEST(ReadConfig, RefusesSizesThatNoIstftHas) {
  const auto problems = [](const char* voice, const char* name, const Object& value) {
    return problems_of(Example::with_config(voice).set(name, value));
  };
  EXPECT_EQ(problems("mb", "subbands", number(5)),
            Lines{"  dec.subband_conv_post has 72 channels, which is not a multiple of 'subbands' "
                  "(5)"});
  EXPECT_EQ(problems("mb", "subbands", number(0)), Lines{"  'subbands' is 0, expected 1 to 64"});
  EXPECT_EQ(problems("mb", "subbands", number(1000)),
            Lines{"  'subbands' is 1000, expected 1 to 64"});
  EXPECT_EQ(problems("ms", "subbands", number(2)),
            Lines{"  hyper-parameter 'subbands' is 2, but the tensors have 4"});
  EXPECT_EQ(problems("istft", "gen_istft_n_fft", number(32)),
            Lines{"  hyper-parameter 'gen_istft_n_fft' is 32, but the tensors have 16"});
  EXPECT_EQ(problems("istft", "gen_istft_hop_size", number(16)),
            Lines{"  'gen_istft_hop_size' is 16, expected 1 to less than 'gen_istft_n_fft' (16)"});
  EXPECT_EQ(problems("istft", "gen_istft_hop_size", number(0)),
            Lines{"  'gen_istft_hop_size' is 0, expected 1 to less than 'gen_istft_n_fft' (16)"});
  EXPECT_EQ(problems("mb", "hop_length", number(64)),
            Lines{"  hyper-parameter 'hop_length' is 64, but 'upsample_rates', "
                  "'gen_istft_hop_size' and the subbands make 256"});
  EXPECT_EQ(problems("istft", "upsample_rates", literal("(1, 1)")),
            Lines{"  'upsample_rates' make one step of a frame, expected at least 2"});
  EXPECT_EQ(
      problems_of(Example::with_config("mb")
                      .set("upsample_rates", literal("(1024, 1024)"))
                      .set("upsample_kernel_sizes", literal("(1024, 1024)"))),
      Lines{"  'upsample_rates', 'gen_istft_hop_size' and the subbands make more than 1048576 "
            "samples of a frame"});
}

TEST(ReadConfig, RefusesShapesThatNoIstftHas) {
  EXPECT_EQ(problems_of(Example::with_config("istft")
                            .set("gen_istft_n_fft", std::nullopt)
                            .shape("dec.conv_post.weight_v", {17, 6, 7})
                            .shape("dec.conv_post.weight_g", {17, 1, 1})),
            Lines{"  'gen_istft_n_fft' is 15, expected an even number from 2 to 4096"});
  EXPECT_EQ(problems_of(Example::with_config("istft")
                            .set("gen_istft_n_fft", std::nullopt)
                            .shape("dec.conv_post.weight_v", {1 << 20, 6, 7})
                            .shape("dec.conv_post.weight_g", {1 << 20, 1, 1})),
            Lines{"  'gen_istft_n_fft' is 1048574, expected an even number from 2 to 4096"});
  EXPECT_EQ(problems_of(
                Example::with_config("ms").shape("dec.multistream_conv_post.weight_v", {1, 4, 62})),
            Lines{"  dec.multistream_conv_post has 62 taps, expected an odd number of at most "
                  "4095"});
}

// What a network is missing is told like any other tensor.
TEST(Build, MissesTheFilterBetweenSubbands) {
  Example example = Example::with_config("ms");
  example.state = changed(example.state, "dec.updown_filter", std::nullopt);
  example.state = changed(example.state, "dec.subband_conv_post.bias", std::nullopt);
  EXPECT_EQ(misfits_of(example), (Lines{"  missing      dec.subband_conv_post.bias",
                                        "  missing      dec.updown_filter"}));
}

TEST(ReadConfig, RefusesNumbersThatAreNone) {
  const auto problems = [](const char* name, const Object& value) {
    return problems_of(Example("odd-sizes").set(name, value));
  };
  EXPECT_EQ(problems("n_layers", text("six")),
            Lines{"  hyper-parameter 'n_layers' is a string, expected a whole number"});
  EXPECT_EQ(problems("n_layers", literal("2.5")),
            Lines{"  hyper-parameter 'n_layers' is a float, expected a whole number"});
  EXPECT_EQ(problems("n_layers", number(1'000'000'000'000)),
            Lines{"  'n_layers' is 1000000000000, expected 0 to 1000"});
  EXPECT_EQ(problems("n_layers", number(-1)), Lines{"  'n_layers' is -1, expected 0 to 1000"});
  EXPECT_EQ(problems("num_symbols", number(INT64_MAX)),
            Lines{"  'num_symbols' is 9223372036854775807, expected 0 to 1048576"});
  EXPECT_EQ(problems("sample_rate", text("22050 Hz")),
            Lines{"  hyper-parameter 'sample_rate' is a string, expected a whole number"});
  EXPECT_EQ(problems("kernel_size", number(0)), Lines{"  'kernel_size' is 0, expected at least 1"});
}

TEST(ReadConfig, RefusesSizesThatContradictEachOther) {
  const auto problems = [](const char* name, const Object& value) {
    return problems_of(Example("odd-sizes").set(name, value));
  };
  EXPECT_EQ(problems("n_heads", number(2)),
            Lines{"  'hidden_channels' (9) is not a multiple of 'n_heads' (2)"});
  EXPECT_EQ(problems("n_heads", number(0)),
            Lines{"  'hidden_channels' (9) is not a multiple of 'n_heads' (0)"});
  EXPECT_EQ(problems("inter_channels", number(9)),
            Lines{"  'inter_channels' is 9, expected an even number"});
  EXPECT_EQ(problems("hop_length", number(256)),
            Lines{"  hyper-parameter 'hop_length' is 256, but 'upsample_rates' make 30"});
  EXPECT_EQ(problems("upsample_rates", literal("(5, 3)")),
            Lines{"  'upsample_rates' has 2 entries, 'upsample_kernel_sizes' 3"});
  EXPECT_EQ(
      problems("upsample_rates", literal("(5, 3, 20)")),
      Lines{"  'upsample_kernel_sizes' has 4 where 'upsample_rates' has 20, expected no less"});
  EXPECT_EQ(problems("resblock_dilation_sizes", literal("((1, 2),)")),
            Lines{"  'resblock_kernel_sizes' has 2 entries, 'resblock_dilation_sizes' 1"});
  EXPECT_EQ(problems("resblock_dilation_sizes", literal("((1, 2), ())")),
            Lines{"  'resblock_dilation_sizes' has an empty entry"});
  EXPECT_EQ(problems("resblock", text("3")),
            Lines{"  hyper-parameter 'resblock' is '3', expected '1' or '2'"});
}

constexpr const char* kNoRates =
    "  'upsample_rates' cannot be read from any tensor's shape; set the hyper-parameter, for "
    "example as 'upsample_rates=8,8,4'";
constexpr const char* kNoDilations =
    "  'resblock_dilation_sizes' cannot be read from any tensor's shape; set the hyper-parameter, "
    "for example as 'resblock_dilation_sizes=((1,2),(2,6),(3,12))'";

TEST(ReadConfig, AsksForWhatNoShapeTells) {
  Example example("odd-sizes");
  example.set("upsample_rates", std::nullopt);
  EXPECT_EQ(problems_of(example), Lines{kNoRates});
  example.set("resblock_dilation_sizes", std::nullopt);
  EXPECT_EQ(problems_of(example), (Lines{kNoRates, kNoDilations}));
}

TEST(ReadConfig, RefusesListsThatAreNone) {
  const auto problems = [](const char* name, const char* value) {
    return problems_of(Example("odd-sizes").set(name, literal(value)));
  };
  const char* const kHolds =
      "  hyper-parameter 'upsample_rates' must hold whole numbers from 1 to 1048576";
  EXPECT_EQ(problems("upsample_rates", "['5', '3', '2']"), (Lines{kHolds, kNoRates}));
  EXPECT_EQ(problems("upsample_rates", "(5, 3, 0)"), (Lines{kHolds, kNoRates}));
  EXPECT_EQ(problems("upsample_rates", "(5, 3, 2000000)"), (Lines{kHolds, kNoRates}));
  EXPECT_EQ(problems("upsample_rates", "()"), Lines{kNoRates});
  EXPECT_EQ(problems("upsample_rates", "30"),
            Lines{"  'upsample_rates' has 1 entries, 'upsample_kernel_sizes' 3"});
  EXPECT_EQ(problems("upsample_rates", "'x'"),
            (Lines{"  hyper-parameter 'upsample_rates' is a string, expected a list", kNoRates}));
  EXPECT_EQ(
      problems("resblock_dilation_sizes", "(1, 2)"),
      (Lines{"  hyper-parameter 'resblock_dilation_sizes' must be a list of lists", kNoDilations}));
  EXPECT_EQ(
      problems("resblock_dilation_sizes", "3"),
      (Lines{"  hyper-parameter 'resblock_dilation_sizes' is an int, expected a list of lists",
             kNoDilations}));
  EXPECT_EQ(problems("resblock_dilation_sizes", "((1, 'two'), (2, 6))"),
            (Lines{"  hyper-parameter 'resblock_dilation_sizes' must hold whole numbers from 1 to "
                   "1048576",
                   kNoDilations}));
}

// Each number is good; together they are more than 64 bits hold, or than anyone can wait for.
TEST(ReadConfig, RefusesRatesThatMultiplyToTooMuch) {
  EXPECT_EQ(problems_of(
                Example("odd-sizes")
                    .set("upsample_rates", literal("(1000000, 1000000, 1000000, 1000000)"))
                    .set("upsample_kernel_sizes", literal("(1000000, 1000000, 1000000, 1000000)"))),
            Lines{"  'upsample_rates' make more than 1048576 samples of a frame"});
  std::string ones = "(";
  for (int i = 0; i < 31; ++i) ones += "1, ";
  ones += ")";
  EXPECT_EQ(problems_of(Example("odd-sizes")
                            .set("upsample_rates", literal(ones.c_str()))
                            .set("upsample_kernel_sizes", literal(ones.c_str()))),
            Lines{"  'upsample_initial_channel' (24) cannot be halved 31 times"});
}

TEST(ReadConfig, RefusesToStretchByNothing) {
  for (const std::int64_t factor : {0, -1, 1001})
    EXPECT_NE(message_of([&] {
                Example("single").set("interpolate_factor", number(factor)).read();
              }).find("'interpolate_factor'"),
              std::string::npos)
        << factor;
  const Config config =
      Example("single").set("interpolate_factor", number(3)).set("hop_length", std::nullopt).read();
  EXPECT_EQ(config.hop_length(), 3 * config.decoder.hop_length());
}

TEST(ReadConfig, TellsEverythingAtOnce) {
  EXPECT_EQ(
      problems_of(Example("odd-sizes")
                      .set("sample_rate", text("x"))
                      .set("n_layers", number(5000))
                      .set("n_heads", number(-1))
                      .set("resblock", text("9"))
                      .set("upsample_rates", std::nullopt)),
      (Lines{"  'n_layers' is 5000, expected 0 to 1000", "  'n_heads' is -1, expected 0 to 1048576",
             "  'hidden_channels' (9) is not a multiple of 'n_heads' (2)",
             "  hyper-parameter 'resblock' is '9', expected '1' or '2'", kNoRates,
             "  hyper-parameter 'sample_rate' is a string, expected a whole number"}));
}

// Tensors of which a size is 0 or absurd: a file may say so.
TEST(ReadConfig, RefusesShapesThatNoNetworkHas) {
  const auto problems = [](const char* name, std::vector<std::int64_t> shape) {
    return problems_of(Example("odd-sizes").shape(cat("model_g.", name), std::move(shape)));
  };
  EXPECT_EQ(problems("dp.pre.weight", {0, 9, 1}),
            Lines{"  'filter_channels of dp' is 0, expected at least 1"});
  EXPECT_EQ(problems("dp.convs.convs_sep.0.weight", {9, 1, 0}),
            Lines{"  'kernel_size of dp' is 0, expected at least 1"});
  EXPECT_EQ(problems("dp.flows.3.proj.weight", {1, 9, 1}),
            Lines{"  the splines of dp have 0 bins, expected 1 to 999"});
  EXPECT_EQ(problems("dp.flows.3.proj.weight", {5999, 9, 1}),
            Lines{"  the splines of dp have 2000 bins, expected 1 to 999"});
  EXPECT_EQ(problems("dp.convs.convs_sep.0.weight", {9, 1, 1000}),
            Lines{"  dp.convs has 3 layers of kernel 1000, whose dilations grow beyond 1048576"});
  EXPECT_EQ(problems_of(Example("odd-sizes")
                            .set("hidden_channels", std::nullopt)
                            .shape("model_g.enc_p.emb.weight", {37, 0})),
            Lines{"  'hidden_channels' is 0, expected at least 1"});
}

TEST(ReadConfig, LeavesOtherWrongShapesToTheNetwork) {
  const auto misfits = [](const char* name, std::vector<std::int64_t> shape) {
    return misfits_of(Example("odd-sizes").shape(cat("model_g.", name), std::move(shape)));
  };
  EXPECT_EQ(misfits("enc_p.emb.weight", {5}),
            Lines{"  wrong shape  model_g.enc_p.emb.weight  found [5], expected [37, 9]"});
  EXPECT_EQ(
      misfits("dec.conv_pre.weight", {7, 24, 10}),
      Lines{"  wrong shape  model_g.dec.conv_pre.weight  found [7, 24, 10], expected [24, 10, "
            "7]"});
  EXPECT_EQ(misfits("enc_p.encoder.attn_layers.1.emb_rel_v", {1, 8, 3}),
            Lines{"  wrong shape  model_g.enc_p.encoder.attn_layers.1.emb_rel_v  found [1, 8, 3], "
                  "expected [1, 9, 3]"});
  EXPECT_EQ(misfits("nonsense.weight", {1}), Lines{"  not read     model_g.nonsense.weight"});
}

// A hyper-parameter that the tensors contradict.
TEST(ReadConfig, LeavesTensorsThatAreMissingToTheNetwork) {
  EXPECT_EQ(misfits_of(Example("plain-speakers").set("num_speakers", number(2))),
            Lines{"  wrong shape  model_g.emb_g.weight  found [3, 9], expected [2, 9]"});
  EXPECT_EQ(misfits_of(Example("plain-speakers").set("num_speakers", number(1))),
            Lines{"  not read     model_g.emb_g.weight"});
  EXPECT_EQ(misfits_of(Example("odd-sizes").set("num_symbols", number(10))),
            Lines{"  wrong shape  model_g.enc_p.emb.weight  found [37, 9], expected [10, 9]"});
  const Lines more = misfits_of(Example("odd-sizes").set("n_layers", number(3)));
  EXPECT_EQ(more.front(), "  missing      model_g.enc_p.encoder.attn_layers.2.conv_q.weight");
  EXPECT_EQ(more.size(), 18U) << "every tensor of a layer";
  const Lines fewer = misfits_of(Example("odd-sizes").set("n_layers", number(1)));
  EXPECT_EQ(fewer.front(), "  not read     model_g.enc_p.encoder.attn_layers.1.conv_k.bias");
  EXPECT_EQ(fewer.size(), 18U);
}

// Such a voice would be exported as one of a single speaker.
TEST(ReadConfig, NamesSpeakersWithoutNumbers) {
  const Lines problems = problems_of(Example("plain-speakers")
                                         .shape("model_g.emb_g.weight", {3, 0})
                                         .set("gin_channels", std::nullopt));
  EXPECT_NE(std::find(problems.begin(), problems.end(),
                      "  the speakers of emb_g.weight have no numbers, expected some"),
            problems.end());
}

}  // namespace
}  // namespace voxport::vits::config_test
