#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include <voxport/exit_code.h>
#include <voxport/export.h>

#include "base/fail.h"
#include "base/join.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/number_option.h"
#include "cli/terminal.h"

// voxport export voice.ckpt out/
// voxport export voice.ckpt voice.onnx --config voice.json
// voxport export voice.ckpt voice.onnx --for sherpa
// voxport export voice.ckpt out/ --for web
// voxport export voice.ckpt repository/ --for triton
// voxport export en_US-lessac-medium.onnx out/
// voxport export fastspeech2.pth.tar mel.onnx --config model.yaml --config preprocess.yaml
// voxport export generator_v1.pth vocoder.onnx --config config.json
// voxport export model.pt2 model.onnx --dynamic 'x:0=batch_size,1=sequence_length'
// voxport export traced.pt model.onnx --input 'x:f32[batch_size,sequence_length,10]'
namespace voxport {
namespace {

constexpr char kDescription[] =
    "Convert a trained model to ONNX, with every axis named and dynamic: VITS voices of Piper\n"
    "(checkpoints and published .onnx files), the original trainer, Hugging Face (MMS), Coqui and\n"
    "MB-iSTFT-VITS; FastSpeech2 as ming024's trainer saves it; HiFi-GAN generators; and any\n"
    "program that was saved by torch.export (.pt2) or as TorchScript (.pt).\n"
    "\n"
    "CHECKPOINT is a file, or the folder in which it lies with its config and vocabulary.\n"
    "OUT is a folder, or a file that ends in .onnx:\n"
    "  VITS         folder: encoder.onnx, decoder.onnx, decoder_stream.onnx and voice.json, for\n"
    "               streaming; file: the whole voice as one graph, with OUT.json beside it;\n"
    "               of a voice that was published as one graph also OUT.safetensors, its weights\n"
    "  FastSpeech2  folder: acoustic.onnx and voice.json and, with --vocoder, vocoder.onnx and\n"
    "               vocoder_stream.onnx; file: the acoustic model alone\n"
    "  HiFi-GAN     folder: vocoder.onnx and vocoder_stream.onnx; file: the vocoder alone\n"
    "  a program    file\n"
    "\n"
    "The files appear only when all of them are complete and checked: by ONNX's own checker and,\n"
    "where ONNX Runtime is installed, by running them at a few sizes.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport export voice.ckpt out/\n"
    "  voxport export voice.ckpt voice.onnx --config voice.json\n"
    "  voxport export voice.ckpt voice.onnx --for sherpa\n"
    "  voxport export voice.ckpt out/ --for web\n"
    "  voxport export voice.ckpt repository/ --for triton\n"
    "  voxport export en_US-lessac-medium.onnx out/\n"
    "  voxport export mms-tts-deu/ out/\n"
    "  voxport export voice.pth out/ --set upsample_rates=8,8,4 --set sample_rate=22050\n"
    "  voxport export fastspeech2.pth.tar mel.onnx --config model.yaml --config preprocess.yaml\n"
    "  voxport export generator_v1.pth vocoder.onnx --config config.json\n"
    "  voxport export fastspeech2.pth.tar out/ --config model.yaml --config preprocess.yaml\n"
    "      --vocoder generator_v1.pth --vocoder-config config.json\n"
    "  voxport export model.pt2 model.onnx --dynamic 'x:0=batch_size,1=sequence_length'\n"
    "  voxport export traced.pt model.onnx --input 'x:f32[batch_size,sequence_length,10]'";

struct Options {
  std::string checkpoint, out;
  std::vector<std::string> configs, settings, vocoder_configs;
  std::string vocoder;
  std::string energy_control = "pitch";
  std::string padding = "heard";
  std::string duration_control;
  std::string noise = "graph";
  std::string cut = "before-flow";
  ExportOptions library;
  bool json = false;
  bool quiet = false;
  bool debug = false;
  bool no_check = false;
};

// "1, 3", or of many "15 sizes, 17 to 96".
std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  constexpr std::size_t kMostShown = 4;
  if (sizes.size() > kMostShown)
    return cat(sizes.size(), " sizes, ", sizes.front(), " to ", sizes.back());
  return join(sizes, ", ", [](std::int64_t size) { return cat(size); });
}

// "dynamic, at least 17, by Conv 'conv'; ran at 17, 20", "fixed at 4 by aten.view".
std::string axis_text(const ExportedAxis& axis) {
  if (axis.fixed_at) return cat("fixed at ", *axis.fixed_at, " by ", axis.fixed_by);
  if (axis.verdict.empty()) return "dynamic, but not run";
  return cat(axis.verdict, axis.needed_by.empty() ? "" : ", by ", axis.needed_by, "; ran at ",
             sizes_text(axis.sizes));
}

std::string summary(const ExportReport& report, double seconds) {
  std::string text = cat(bold(report.architecture), ": ", report.sizes, "\n");
  Table table("lrr");
  for (const ExportedFile& file : report.files) {
    table.add({printable(file.path.native(), 4096), human_bytes(file.bytes),
               file.nodes == 0 ? "" : cat(with_commas(file.nodes), " nodes")});
  }
  text += table.text();
  for (const std::string& input : report.inputs) text += cat("  input   ", input, "\n");
  for (const std::string& output : report.outputs) text += cat("  output  ", output, "\n");
  for (const ExportedAxis& axis : report.axes)
    text +=
        cat("  axis    ", printable(axis.name),
            axis.file.empty() ? "" : " of " + printable(axis.file), ": ", axis_text(axis), "\n");
  text += cat("  ", report.opset == 0 ? "" : cat("opset ", report.opset, "; "), "checked by ",
              join(report.checks, ", "), "; ", std::lround(seconds * 1e3), " ms\n");
  for (const std::string& note : report.notes) text += cat("  ", note, "\n");
  return text;
}

void read_settings(Options& options) {
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      fail_usage("--set", in_quotes(setting) + " is not NAME=VALUE");
    options.library.hyper_parameters.emplace_back(setting.substr(0, equals),
                                                  setting.substr(equals + 1));
  }
}

DurationControl duration_control_of(const std::string& word) {
  if (word.empty()) return DurationControl::kBest;
  return word == "rounded" ? DurationControl::kRounded : DurationControl::kTruncated;
}

int run_export(Options& options) {
  const auto start = std::chrono::steady_clock::now();
  read_settings(options);
  ProgressLine progress("exporting", options.quiet || options.debug);
  options.library.configs.assign(options.configs.begin(), options.configs.end());
  options.library.noise_input = options.noise == "input";
  options.library.cut_after_flow = options.cut == "after-flow";
  options.library.own_energy_control = options.energy_control == "own";
  options.library.silent_padding = options.padding == "silent";
  options.library.duration_control = duration_control_of(options.duration_control);
  options.library.vocoder = options.vocoder;
  options.library.vocoder_configs.assign(options.vocoder_configs.begin(),
                                         options.vocoder_configs.end());
  options.library.check = !options.no_check;
  options.library.on_progress = [&](double done) { progress.show(done); };
  options.library.on_stage = tell_stages(options.debug);
  const ExportReport report = export_model(options.checkpoint, options.out, options.library);
  progress.clear();
  for (const std::string& warning : report.warnings)
    std::cerr << "voxport: warning: " << printable_lines(warning) << '\n';
  if (options.quiet) return kExitDone;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  in_context("printing the summary; the exported files are complete and stay", [&] {
    print(options.json ? to_json(report) + "\n" : summary(report, taken.count()));
  });
  return kExitDone;
}

}  // namespace

Run add_export(Arguments& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("CHECKPOINT", options->checkpoint,
                 "the trained model or program to convert, or the folder that it lies in")
      .required()
      .type_name("PATH");
  app.add_option("OUT", options->out, "a folder, or a file that ends in .onnx")
      .required()
      .type_name("PATH");
  app.add_option(
         "--config", options->configs,
         "the configuration file of the checkpoint: Piper's .json (default: the .json of\n"
         "the same name beside CHECKPOINT); config.json of any other VITS; FastSpeech2's\n"
         "model.yaml and preprocess.yaml and, so that it takes text, phonemes.json in\n"
         "Piper's form, one --config each; or HiFi-GAN's config.json (default: the files of\n"
         "these names beside CHECKPOINT)")
      .type_name("FILE");
  app.add_option("--arch", options->library.architecture,
                 "require this architecture; by default it is recognised from the tensors")
      .one_of(architecture_names());
  app.add_option("--set", options->settings,
                 "set a hyper-parameter, overriding the checkpoint's own; may be repeated")
      .type_name("NAME=VALUE");
  add_number(app, "--opset", options->library.opset, {13, 21}, "the ONNX opset version, 13 to 21")
      .type_name("N")
      .default_text(cat(options->library.opset));
  app.add_option("--noise", options->noise,
                 "VITS: where noise comes from. graph: the graph draws it; input: it is given in\n"
                 "the inputs noise and noise_w, which makes every run repeatable")
      .one_of({"graph", "input"})
      .default_text(options->noise);
  app.add_option("--cut", options->cut,
                 "VITS: where the voice is split. before-flow: the decoder contains the flow;\n"
                 "after-flow: the encoder does, so that the decoder's receptive field is smaller")
      .one_of({"before-flow", "after-flow"})
      .default_text(options->cut);
  app.add_flag("--d-vector", options->library.d_vector_input,
               "VITS (Coqui) whose speakers are vectors: the vector is an input, d_vector, even\n"
               "if a file beside the checkpoint contains the speakers");
  app.add_flag("--batch-scales", options->library.batch_scales,
               "VITS: the input scales has a row for each row of the batch: [batch_size, 3]");
  app.add_option("--energy-control", options->energy_control,
                 "FastSpeech2: what scales energy. pitch: the pitch control, as in the reference\n"
                 "implementation; own: a control of its own")
      .one_of({"pitch", "own"})
      .default_text(options->energy_control);
  app.add_option("--padding", options->padding,
                 "FastSpeech2: heard: padding affects shorter rows of a batch, as in the\n"
                 "reference implementation; silent: each row of a batch matches the same row run\n"
                 "alone")
      .one_of({"heard", "silent"})
      .default_text(options->padding);
  app.add_option("--duration-control", options->duration_control,
                 "FastSpeech2: what the length scale does to durations. truncated: rounded ones\n"
                 "are multiplied and cut to whole frames, as in the reference implementation;\n"
                 "rounded: they are multiplied, then rounded, and a token that lasts keeps one\n"
                 "frame at least (default: rounded with --vocoder, else truncated)")
      .one_of({"truncated", "rounded"});
  app.add_option("--vocoder", options->vocoder,
                 "FastSpeech2: the HiFi-GAN generator to export with it; OUT must be a folder")
      .type_name("FILE");
  app.add_option("--vocoder-config", options->vocoder_configs,
                 "the vocoder's config.json (default: the one beside the vocoder)")
      .type_name("FILE");
  app.add_option("--for", options->library.target,
                 "VITS: write what another program requires. sherpa: one graph with the metadata\n"
                 "and tokens.txt of sherpa-onnx; web: a page that speaks in the browser, with\n"
                 "onnxruntime-web; triton: a model repository of Triton Inference Server, with a\n"
                 "decoder that streams batches of different utterances")
      .one_of({"sherpa", "web", "triton"});
  app.add_option("--input", options->library.inputs,
                 "program: describe an input, once for each input and in order; types are f32 f16\n"
                 "bf16 f64 i64 i32 i16 i8 u8 bool, sizes are numbers or names")
      .type_name("'NAME:TYPE[SIZES]'");
  app.add_option("--dynamic", options->library.dynamic,
                 "program: make axes of an input dynamic and name them, as in\n"
                 "x:0=batch_size,1=sequence_length; may be repeated")
      .type_name("'NAME:AXIS=NAME,...'");
  app.add_option("--input-names", options->library.input_names,
                 "program: new names for the inputs, in order")
      .delimiter(',')
      .type_name("NAME,...");
  app.add_option("--output-names", options->library.output_names,
                 "program: names for the outputs, in order")
      .delimiter(',')
      .type_name("NAME,...");
  app.add_option("--model", options->library.model,
                 "program: which model to take, of a .pt2 that contains several")
      .type_name("NAME");
  app.add_flag("--allow-fixed", options->library.allow_fixed,
               "program: where an operator fixes an axis that was declared dynamic, warn instead\n"
               "of failing");
  app.add_option("--method", options->library.method,
                 "program: which method of a TorchScript module to export (default: forward)")
      .type_name("NAME");
  app.add_flag(
      "--share-weights", options->library.share_weights,
      "in a folder: put weights that several graphs have, as the decoder and the stateful\n"
      "decoder do, into one file beside them");
  app.add_flag("--plain", options->library.plain,
               "skip the rewrites that only make ONNX Runtime's CPU kernels faster");
  app.add_flag("--no-check", options->no_check,
               "do not run the graphs at a few sizes before the files appear");
  app.add_flag("--json", options->json, "print the summary as one JSON object");
  app.add_flag("-q,--quiet", options->quiet, "print only warnings and errors");
  app.add_flag("--debug", options->debug,
               "report each stage, its time and its counts on standard error");
  return [options] { return run_export(*options); };
}

}  // namespace voxport
