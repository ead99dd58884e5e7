#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <voxport/exit_code.h>
#include <voxport/export.h>

#include "base/fail.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/number_option.h"
#include "cli/terminal.h"

// voxport export voice.ckpt out/
// voxport export voice.ckpt voice.onnx --config voice.json
// voxport export voice.ckpt voice.onnx --for sherpa
// voxport export fastspeech2.pth.tar mel.onnx --config model.yaml --config preprocess.yaml
// voxport export generator_v1.pth vocoder.onnx --config config.json
// voxport export model.pt2 model.onnx --dynamic 'x:0=batch_size,1=sequence_length'
// voxport export traced.pt model.onnx --input 'x:f32[batch_size,sequence_length,10]'
namespace voxport {
namespace {

constexpr char kDescription[] =
    "Turn a trained model into ONNX, with every axis named and free: VITS voices, as Piper trains\n"
    "them; FastSpeech2, as ming024's trainer keeps it; HiFi-GAN generators; and any program that\n"
    "was saved by torch.export (.pt2) or as TorchScript (.pt).\n"
    "Of a VITS, OUT is a folder, for encoder.onnx, decoder.onnx, decoder_stream.onnx and "
    "voice.json,\nfrom which speech can be streamed; or a name that ends in .onnx, for the same "
    "voice as one graph, with\n"
    "OUT.json beside it. Of a FastSpeech2, it is a name that ends in .onnx, or a folder for "
    "acoustic.onnx\nand voice.json and, with --vocoder, vocoder.onnx and vocoder_stream.onnx. Of "
    "a HiFi-GAN, a name\nthat ends in .onnx, or a folder for vocoder.onnx and "
    "vocoder_stream.onnx. Of a program, a name that\nends in .onnx. Files appear when all of them "
    "are complete and checked (by ONNX's own checker\n"
    "and, where ONNX Runtime is there, by running them at a few sizes), or not at all.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport export voice.ckpt out/\n"
    "  voxport export voice.ckpt voice.onnx --config voice.json\n"
    "  voxport export voice.ckpt voice.onnx --for sherpa\n"
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
  std::string noise = "graph";
  std::string cut = "before-flow";
  ExportOptions library;
  bool json = false;
  bool quiet = false;
  bool debug = false;
  bool no_check = false;
};

std::string summary(const ExportReport& report, double seconds) {
  std::string text = cat(bold(report.architecture), ": ", report.sizes, "\n");
  Table table("lrr");
  for (const ExportedFile& file : report.files) {
    table.add({printable(file.path.native(), 4096), human_bytes(file.bytes),
               file.nodes == 0 ? "" : cat(with_commas(file.nodes), " nodes")});
  }
  text += table.text();
  for (const std::string& input : report.inputs) text += cat("  takes ", input, "\n");
  for (const std::string& output : report.outputs) text += cat("  gives ", output, "\n");
  std::string checks;
  for (const std::string& check : report.checks) checks += cat(checks.empty() ? "" : ", ", check);
  text += cat("  opset ", report.opset, "; checked by ", checks, "; ", std::lround(seconds * 1e3),
              " ms\n");
  for (const std::string& note : report.notes) text += cat("  ", note, "\n");
  return text;
}

void read_settings(Options& options) {
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw CLI::ValidationError("--set", in_quotes(setting) + " is not NAME=VALUE");
    options.library.hyper_parameters.emplace_back(setting.substr(0, equals),
                                                  setting.substr(equals + 1));
  }
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

Run add_export(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("CHECKPOINT", options->checkpoint, "the trained model, or a program")->required();
  app.add_option("OUT", options->out, "a folder, or a file that ends in .onnx")->required();
  app.add_option("--config", options->configs,
                 "the configuration that belongs to the checkpoint: Piper's .json (without it\n"
                 "CHECKPOINT's name with .json is taken if it is there); FastSpeech2's\n"
                 "model.yaml and preprocess.yaml, one --config each; HiFi-GAN's config.json\n"
                 "(without any, those that lie beside CHECKPOINT)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--arch", options->library.architecture,
                 "what network it is: vits, fastspeech2 or hifigan; else the tensors tell")
      ->check(CLI::IsMember({"vits", "fastspeech2", "hifigan"}));
  app.add_option("--set", options->settings,
                 "a hyper-parameter, in place of the checkpoint's own; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_number(app, "--opset", options->library.opset, {13, 17}, "of ONNX, 13 to 17")
      ->type_name("N")
      ->default_str(cat(options->library.opset));
  app.add_option("--noise", options->noise,
                 "where noise comes from: drawn in the graph, or given as the inputs\n"
                 "noise and noise_w, which makes every run repeatable")
      ->check(CLI::IsMember({"graph", "input"}))
      ->capture_default_str();
  app.add_option("--cut", options->cut,
                 "whether the flow belongs to the decoder or, after-flow, to the encoder,\n"
                 "which suits players that give each chunk little context")
      ->check(CLI::IsMember({"before-flow", "after-flow"}))
      ->capture_default_str();
  app.add_flag("--batch-scales", options->library.batch_scales,
               "scales for each row of a batch: [batch_size, 3]");
  app.add_option("--energy-control", options->energy_control,
                 "of a FastSpeech2: what controls energy, the control of pitch, as where it was\n"
                 "trained, or its own")
      ->check(CLI::IsMember({"pitch", "own"}))
      ->capture_default_str();
  app.add_option("--padding", options->padding,
                 "of a FastSpeech2: whether the ends of shorter rows in a batch hear what pads\n"
                 "them, as where it was trained, or are silent, so that each row is as if alone")
      ->check(CLI::IsMember({"heard", "silent"}))
      ->capture_default_str();
  app.add_option("--vocoder", options->vocoder,
                 "the HiFi-GAN generator behind a FastSpeech2; OUT is a folder")
      ->type_name("FILE");
  app.add_option("--vocoder-config", options->vocoder_configs, "its config.json")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--for", options->library.target,
                 "write what a program asks for besides: sherpa (sherpa-onnx: metadata and\n"
                 "tokens.txt)")
      ->check(CLI::IsMember({"sherpa"}));
  app.add_option("--input", options->library.inputs,
                 "of a program: what an input is, once per input in order; types are f32 f16 bf16\n"
                 "f64 i64 i32 i16 i8 u8 bool, sizes are numbers or names")
      ->type_name("'NAME:TYPE[SIZES]'")
      ->allow_extra_args(false);
  app.add_option("--dynamic", options->library.dynamic,
                 "of a program: names for axes of an input, which are free then;\n"
                 "x:0=batch_size,1=sequence_length; may be repeated")
      ->type_name("'NAME:AXIS=NAME,...'")
      ->allow_extra_args(false);
  app.add_option("--input-names", options->library.input_names, "of a program, in order")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->allow_extra_args(false);
  app.add_option("--output-names", options->library.output_names, "of a program, in order")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->allow_extra_args(false);
  app.add_option("--model", options->library.model, "which one, of a .pt2 that holds several")
      ->type_name("NAME");
  app.add_flag("--plain", options->library.plain,
               "leave out rewrites that only serve ONNX Runtime's CPU kernels");
  app.add_flag("--no-check", options->no_check,
               "do not run the graphs at a few sizes before the files take their names");
  app.add_flag("--json", options->json, "the summary as one JSON object");
  app.add_flag("-q,--quiet", options->quiet, "print nothing but warnings and errors");
  app.add_flag("--debug", options->debug, "tell each stage, its time and counts on standard error");
  return [options] { return run_export(*options); };
}

}  // namespace voxport
