// bench_graphs --encoder BASELINE OURS --decoder BASELINE OURS --load BASELINE OURS
//              --stream BEFORE OURS [--json]
//
// Runs two exports of one voice side by side, in one process: a round measures both sides, the next
// one in the other order, and medians are compared, so that whatever else the machine does disturbs
// both alike. Of sessions with several threads only one is alive at a time: the threads of two
// would get in each other's way. Loading and runs with one thread are measured in CPU time, which
// other work on the machine hardly changes, runs with several threads by the clock. The noise
// scales are 0, so that both sides have to give the same, and how far they are apart is told too.
//
// A vocoder is a decoder, too: that of a checkpoint beside that of a program with the same weights
// shows whether both are brought into the same form. An acoustic model is an encoder. Streams are
// two of our decoder_stream.onnx or vocoder_stream.onnx: eight pieces of so many frames.
//
// How near a decoder is to what the machine can do is told in GFLOP/s, beside those of one large
// MatMul. Both sides are charged the work of the baseline: its convolutions, counted by their
// shapes while it runs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "bench/in_turns.h"
#include "bench/inputs.h"
#include "bench/program.h"
#include "runtime/library.h"
#include "runtime/session.h"
#include "voice/decoding.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Inputs.

Tensor normal_numbers(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(generator);
  return tensor_of(shape, values);
}

bool has_input(const Session& session, std::string_view name) {
  return std::ranges::any_of(session.inputs(),
                             [&](const PortInfo& port) { return port.name == name; });
}

// Of a FastSpeech2, as bench/export_fastspeech2.py traces it.
Tensors token_inputs(const Session& acoustic, int tokens) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(tokens));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = 1 + static_cast<std::int64_t>(i * 7 % 300);
  Tensors inputs = {{"input_tokens", int64_tensor({1, tokens}, ids)}};
  if (has_input(acoustic, "input_lengths")) inputs["input_lengths"] = int64_tensor({1}, {tokens});
  if (has_input(acoustic, "controls")) inputs["controls"] = tensor_of({3}, {1, 1, 1});
  return inputs;
}

Tensors letters_inputs(const Session& encoder, int phonemes) {
  return has_input(encoder, "input_tokens") ? token_inputs(encoder, phonemes)
                                            : encoder_inputs(encoder, letters(phonemes));
}

// Ones for y_mask, and normal numbers for z and g, whose channels are known.
Tensors decoder_inputs(const Session& decoder, int frames) {
  Tensors inputs;
  for (const PortInfo& port : decoder.inputs()) {
    std::vector<std::int64_t> shape = {1, 1, port.name == "g" ? 1 : frames};
    if (port.axes.size() == 3) shape[1] = port.axes[1].size.value_or(1);
    inputs[port.name] =
        port.name == "y_mask"
            ? tensor_of(shape, std::vector<float>(static_cast<std::size_t>(frames), 1))
            : normal_numbers(shape);
  }
  return inputs;
}

// The largest absolute difference; infinite where there is no number, or one is longer.
double difference(const std::vector<float>& left, const std::vector<float>& right) {
  if (left.size() != right.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double apart = std::abs(double{left[i]} - double{right[i]});
    largest =
        std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(largest, apart);
  }
  return largest;
}

// Counting work.

std::int64_t numel(const json& shape) {
  std::int64_t count = 1;
  for (const json& size : shape) count *= size.get<std::int64_t>();
  return count;
}

// [{"float": [1, 96, 8]}, ...] at this place.
const json& shape_at(const json& shapes, std::size_t place) {
  return shapes.at(place).begin().value();
}

// FLOP of one event of ONNX Runtime's profile, two for each multiplication and addition; 0 for all
// but convolutions.
double flop_of(const json& event) {
  const json args = event.value("args", json::object());
  const std::string op = args.value("op_name", "");
  if (op != "Conv" && op != "ConvTranspose") return 0;
  const json& weight = shape_at(args.at("input_type_shape"), 1);  // [out, in, k], or [in, out, k]
  // Each element on the side of the weight's first axis meets all that the weight has for it.
  const json& data = op == "Conv" ? shape_at(args.at("output_type_shape"), 0)
                                  : shape_at(args.at("input_type_shape"), 0);
  return 2. * static_cast<double>(numel(data)) *
         static_cast<double>(numel(weight) / weight.at(0).get<std::int64_t>());
}

// FLOP of the convolutions of a decoder at so many frames. The graph is run as it is written.
double count_flop(const fs::path& model, int frames) {
  std::string folder = fs::temp_directory_path() / "voxport_profile_XXXXXX";
  if (!mkdtemp(folder.data())) fail(Error::kUnreadable, "cannot make a folder like ", folder);
  {
    const Session decoder(model,
                          {.optimisation = Optimisation::kNone, .profile = folder + "/profile"});
    decoder.run(decoder_inputs(decoder, frames));
  }
  double flop = 0;
  const Blob profile = Blob::map_file(fs::directory_iterator(folder)->path());
  for (const json& event : json::parse(profile.text())) flop += flop_of(event);
  fs::remove_all(folder);
  return flop;
}

// What is measured: a run of a loaded graph, which gives its first output.

using Run = std::function<std::vector<float>()>;
using Load = Run (*)(const fs::path& model, int size, const SessionOptions& options);

template <Tensors (*make_inputs)(const Session& session, int size)>
Run whole_run(const fs::path& model, int size, const SessionOptions& options) {
  const Session session(model, options);
  return [session, inputs = make_inputs(session, size)] {
    const std::vector<std::string> first = {session.outputs()[0].name};
    return to_float32(session.run(inputs, first).at(first[0]));
  };
}

// All pieces of a sequence.
Run stream_run(const fs::path& model, int size, const SessionOptions& options) {
  constexpr std::int64_t kPieces = 8;
  const Session session(model, options);
  const DecoderPorts& ports = has_input(session, "mel") ? kVocoderPorts : kVitsPorts;
  const auto is_latent = [&](const PortInfo& port) { return port.name == ports.latent; };
  const std::int64_t channels =
      std::ranges::find_if(session.inputs(), is_latent)->axes[1].size.value_or(1);
  const Latent latent{normal_numbers({1, channels, kPieces * size}), std::nullopt};
  return [decoder = std::make_shared<CachedDecoder>(session, ports), latent, size] {
    const std::unique_ptr<Decoding> decoding = decoder->start(latent);
    std::vector<float> samples;
    while (decoding->frames_left() > 0) {
      const std::vector<float> piece = decoding->next(size);
      samples.insert(samples.end(), piece.begin(), piece.end());
    }
    return samples;
  };
}

// The two sides.

struct Pair {
  std::string name;
  std::vector<fs::path> models;  // the baseline's and ours; none when not asked for
  std::string unit;              // of the sizes
  std::vector<int> sizes;
  Load load;
};

Times measure_load(const Pair& pair, double seconds) {
  const auto load = [&](std::size_t side) {
    return [&pair, side](std::vector<double>& times) {
      std::optional<Session> session;
      times.push_back(cpu_milliseconds([&] { session.emplace(pair.models[side]); }));
    };
  };
  return in_turns(seconds, load(0), load(1));
}

// Both sessions are alive, and have run before.
Times measure_one_thread(const Pair& pair, int size, double seconds) {
  const auto side = [&](std::size_t at) {
    return [run = pair.load(pair.models[at], size, {})](std::vector<double>& times) {
      times.push_back(cpu_milliseconds(run));
    };
  };
  const Side baseline = side(0);
  const Side ours = side(1);
  std::vector<double> ignored;
  baseline(ignored);
  ours(ignored);
  return in_turns(seconds, baseline, ours);
}

// A session lives for a warm-up and three runs. It is alone, so that its threads may spin, as they
// do unless ONNX Runtime is told otherwise.
Times measure_threads(const Pair& pair, int size, int threads, double seconds) {
  const auto side = [&](std::size_t at) {
    return [&, at](std::vector<double>& times) {
      const Run run = pair.load(pair.models[at], size, {.threads = threads, .is_spinning = true});
      run();
      for (int i = 0; i < 3; ++i) times.push_back(milliseconds(run));
    };
  };
  return in_turns(seconds, side(0), side(1));
}

json row(const Pair& pair, const std::string& what, int threads, const Times& times) {
  return {{"graph", pair.name},    {"what", what},
          {"threads", threads},    {"baseline_ms", times.baseline},
          {"ours_ms", times.ours}, {"ratio", times.ratio},
          {"rounds", times.rounds}};
}

json measure_run(const Pair& pair, int size, int threads, double seconds) {
  const double apart =
      difference(pair.load(pair.models[0], size, {})(), pair.load(pair.models[1], size, {})());
  const Times times = threads == 1 ? measure_one_thread(pair, size, seconds)
                                   : measure_threads(pair, size, threads, seconds);
  json made = row(pair, "run", threads, times);
  made["size"] = size;
  made["unit"] = pair.unit;
  made["largest_difference"] = apart;
  if (pair.name == "decoder") {
    const double gflop = count_flop(pair.models[0], size) / 1e9;
    made["gflop"] = gflop;
    made["baseline_gflops"] = gflop / (times.baseline / 1e3);
    made["ours_gflops"] = gflop / (times.ours / 1e3);
  }
  return made;
}

// GFLOP/s of a MatMul that is large enough to hide everything else.
double matmul_gflops(int threads) {
  constexpr std::int64_t kSize = 1024;
  const Session matmul(VOXPORT_MATMUL, {.threads = threads, .is_spinning = true});
  const Tensor square = normal_numbers({kSize, kSize});
  std::vector<double> times;
  for (int i = 0; i < 25; ++i)
    times.push_back(milliseconds([&] { matmul.run({{"a", square}, {"b", square}}); }));
  return 2e-9 * kSize * kSize * kSize / (median(times) / 1e3);
}

// Telling.

std::string threads_text(const json& row) {
  const int threads = row["threads"].get<int>();
  return cat(threads, threads == 1 ? " thread" : " threads");
}

std::string title_of(const json& row) {
  const std::string graph = row["graph"].get<std::string>();
  if (row["what"] == "load") return graph + ": load";
  return cat(graph, ": ", row["size"].get<int>(), " ", row["unit"].get<std::string>(), ", ",
             threads_text(row));
}

void print_row(const json& row) {
  std::printf("%-34s %9.1f ms %9.1f ms %7.2f x", title_of(row).c_str(),
              row["baseline_ms"].get<double>(), row["ours_ms"].get<double>(),
              row["ratio"].get<double>());
  if (row.contains("largest_difference"))
    std::printf("   %7.1e apart", row["largest_difference"].get<double>());
  if (row.contains("gflop")) {
    std::printf("   %3.0f and %3.0f GFLOP/s", row["baseline_gflops"].get<double>(),
                row["ours_gflops"].get<double>());
  }
  std::printf("\n");
}

void print_report(const json& report) {
  std::printf("ONNX Runtime %s, medians; CPU time of one thread, wall time of several\n",
              report["runtime"].get<std::string>().c_str());
  std::printf("%-34s %12s %12s %9s\n", "", "baseline", "ours", "ratio");
  for (const json& row : report["rows"]) print_row(row);
  for (const json& peak : report["matmul"]) {
    std::printf("a MatMul of 1024 x 1024, %s: %.0f GFLOP/s\n", threads_text(peak).c_str(),
                peak["gflops"].get<double>());
  }
}

}  // namespace

int bench_graphs(int argc, char** argv) {
  CLI::App app("Runs two exports of one voice side by side.");
  Pair encoder{"encoder", {}, "phonemes", {50, 200}, whole_run<letters_inputs>};
  Pair decoder{"decoder", {}, "frames", {128, 800}, whole_run<decoder_inputs>};
  Pair stream{"stateful decoder, beside the one before", {}, "frames a piece", {45}, stream_run};
  Pair loading{"stateful decoder", {}, "", {}, nullptr};
  std::vector<int> threads = {1, 2};
  double seconds = 4;
  bool as_json = false;
  app.add_option("--encoder", encoder.models, "the baseline's and ours")->expected(2);
  app.add_option("--decoder", decoder.models, "the baseline's and ours")->expected(2);
  app.add_option("--stream", stream.models, "two of ours")->expected(2);
  app.add_option("--load", loading.models,
                 "the baseline's decoder and our stateful one, to be loaded")
      ->expected(2);
  app.add_option("--phonemes", encoder.sizes, "to run encoders at")->delimiter(',');
  app.add_option("--frames", decoder.sizes, "to run decoders at")->delimiter(',');
  app.add_option("--pieces", stream.sizes, "to run streams at")->delimiter(',');
  app.add_option("--threads", threads, "to run them with")->delimiter(',');
  app.add_option("--seconds", seconds, "for each row, at least five rounds");
  app.add_flag("--json", as_json, "for programs");
  CLI11_PARSE(app, argc, argv);

  json report = {
      {"runtime", runtime_version()}, {"matmul", json::array()}, {"rows", json::array()}};
  for (const int count : threads)
    report["matmul"].push_back({{"threads", count}, {"gflops", matmul_gflops(count)}});
  for (const Pair& pair : {encoder, decoder, loading, stream}) {
    if (pair.models.empty()) continue;
    report["rows"].push_back(row(pair, "load", 1, measure_load(pair, seconds)));
    for (const int count : threads)
      for (const int size : pair.sizes)
        report["rows"].push_back(measure_run(pair, size, count, seconds));
  }
  if (as_json)
    std::cout << report.dump(2) << "\n";
  else
    print_report(report);
  return 0;
}

}  // namespace voxport

int main(int argc, char** argv) {
  return voxport::run_program("bench_graphs", voxport::bench_graphs, argc, argv);
}
