// bench_streams BASELINE OURS [--json]
//
// Streams an utterance of two exports of one voice, folders with encoder.onnx and decoder.onnx,
// side by side in one process. The baseline is decoded as the usual players do it: chunks of 45
// frames, each with 10 more on both sides, whose audio is thrown away. Ours has a
// decoder_stream.onnx, which keeps what the next chunk needs. How far each is from decoding its own
// latents at once is told, too, and what streaming costs beside that.
//
// Sides take turns, and medians are compared. With several threads the sessions of one side alone
// are alive at a time; the baseline's threads spin, as ONNX Runtime's do unless it is told
// otherwise, and ours do not, as in voxport's voices.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>

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

constexpr std::int64_t kChunk = 45;
constexpr std::int64_t kPadding = 10;
constexpr std::int64_t kFirstChunk = 8;  // of voxport's streams
constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max() / 2;

struct Options {
  fs::path baseline, ours;
  std::vector<std::int64_t> ids = letters(250);
  std::vector<int> threads = {1, 2};
  double seconds = 4;
};

Latent encode(const Session& encoder, const std::vector<std::int64_t>& ids) {
  return latent_of(encoder.run(encoder_inputs(encoder, ids)));
}

std::vector<float> decode(const Decoder& decoder, const Latent& latent, std::int64_t chunk) {
  std::vector<float> samples;
  const std::unique_ptr<Decoding> decoding = decoder.start(latent);
  while (decoding->frames_left() > 0) {
    const std::vector<float> piece = decoding->next(chunk);
    samples.insert(samples.end(), piece.begin(), piece.end());
  }
  return samples;
}

std::int64_t hop_length(const Session& decoder, const Latent& latent) {
  Tensors inputs = {{"z", latent.z}};
  inputs["y_mask"] = tensor_of({1, 1, latent.frames()},
                               std::vector<float>(static_cast<std::size_t>(latent.frames()), 1.0F));
  if (latent.g) inputs["g"] = *latent.g;
  return static_cast<std::int64_t>(to_float32(decoder.run(inputs).at("output")).size()) /
         latent.frames();
}

// The graphs of both sides, loaded when they are asked for.
class Graphs {
 public:
  explicit Graphs(const Options& options) : options_(options) {
    const Session encoder(options.baseline / "encoder.onnx");
    latent_ = encode(encoder, options.ids);
    hop_length_ = hop_length(Session(options.baseline / "decoder.onnx"), latent_);
  }

  const Latent& latent() const { return latent_; }  // the baseline's; ours differs in its last bits

  Session encoder(const fs::path& folder, int threads) const {
    return Session(folder / "encoder.onnx", session_options(folder, threads));
  }

  // decoder.onnx with so many frames of context to each side.
  std::shared_ptr<Decoder> with_context(const fs::path& folder, std::int64_t padding,
                                        int threads) const {
    return std::make_shared<ContextDecoder>(
        Session(folder / "decoder.onnx", session_options(folder, threads)), kVitsPorts, padding,
        padding, hop_length_);
  }

  std::shared_ptr<Decoder> with_caches(int threads) const {
    return std::make_shared<CachedDecoder>(
        Session(options_.ours / "decoder_stream.onnx", session_options(options_.ours, threads)),
        kVitsPorts);
  }

 private:
  SessionOptions session_options(const fs::path& folder, int threads) const {
    return {.threads = threads, .is_spinning = threads > 1 && folder == options_.baseline};
  }

  const Options& options_;
  Latent latent_;
  std::int64_t hop_length_ = 0;
};

// Loads what a side needs, and gives what is to be timed.
using Load = std::function<std::function<void()>()>;

// With one thread a side is loaded once. With several, for a warm-up and three runs, and is alone.
Side side_of(const Load& load, int threads) {
  if (threads == 1) {
    const std::function<void()> run = load();
    run();
    return [run](std::vector<double>& times) { times.push_back(milliseconds(run)); };
  }
  return [load](std::vector<double>& times) {
    const std::function<void()> run = load();
    run();
    for (int i = 0; i < 3; ++i) times.push_back(milliseconds(run));
  };
}

// From phonemes to the first chunk.
Load first_audio(const Graphs& graphs, const Options& options, const fs::path& folder,
                 int threads) {
  const bool is_ours = folder == options.ours;
  return [&graphs, &options, folder, threads, is_ours] {
    const std::shared_ptr<Decoder> decoder =
        is_ours ? graphs.with_caches(threads) : graphs.with_context(folder, kPadding, threads);
    const std::int64_t chunk = is_ours ? kFirstChunk : kChunk;
    return [&options, decoder, chunk, encoder = graphs.encoder(folder, threads)] {
      decoder->start(encode(encoder, options.ids))->next(chunk);
    };
  };
}

// From latents to the last sample.
Load all_audio(const Graphs& graphs, const std::function<std::shared_ptr<Decoder>()>& load,
               std::int64_t chunk) {
  return [&graphs, load, chunk] {
    return [&graphs, decoder = load(), chunk] { decode(*decoder, graphs.latent(), chunk); };
  };
}

json row(const std::string& what, int threads, const Times& times) {
  return {{"what", what},          {"threads", threads},   {"baseline_ms", times.baseline},
          {"ours_ms", times.ours}, {"ratio", times.ratio}, {"rounds", times.rounds}};
}

json measure(const Graphs& graphs, const Options& options, int threads) {
  const auto measured = [&](const std::string& what, const Load& baseline, const Load& ours) {
    const Side one = side_of(baseline, threads);
    return row(what, threads, in_turns(options.seconds, one, side_of(ours, threads)));
  };
  const Load chunks = all_audio(
      graphs, [&, threads] { return graphs.with_context(options.baseline, kPadding, threads); },
      kChunk);
  const Load stream = all_audio(
      graphs, [&, threads] { return graphs.with_caches(threads); }, kChunk);
  const Load at_once = all_audio(
      graphs, [&, threads] { return graphs.with_context(options.ours, 0, threads); }, kEverything);
  return {measured("first audio", first_audio(graphs, options, options.baseline, threads),
                   first_audio(graphs, options, options.ours, threads)),
          measured("all chunks", chunks, stream), measured("our one-shot decode", at_once, stream)};
}

// The largest difference; infinite where there is no number, or one is longer.
double apart(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) largest = difference;
  }
  return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
}

// Of each side's chunks, from its own decoding at once.
json errors(const Graphs& graphs, const Options& options) {
  const Latent& latent = graphs.latent();
  const auto whole = [&](const fs::path& folder) {
    return decode(*graphs.with_context(folder, 0, 1), latent, kEverything);
  };
  return {{"baseline",
           apart(decode(*graphs.with_context(options.baseline, kPadding, 1), latent, kChunk),
                 whole(options.baseline))},
          {"ours", apart(decode(*graphs.with_caches(1), latent, kChunk), whole(options.ours))}};
}

void print_report(const json& report) {
  std::printf("ONNX Runtime %s, medians, %d phonemes, %d frames\n",
              report["runtime"].get<std::string>().c_str(), report["phonemes"].get<int>(),
              report["frames"].get<int>());
  std::printf("%-34s %12s %12s %9s\n", "", "baseline", "ours", "ratio");
  for (const json& row : report["rows"]) {
    const std::string title =
        cat(row["what"].get<std::string>(), ", ", row["threads"].get<int>(), " thread(s)");
    std::printf("%-34s %9.1f ms %9.1f ms %7.2f x\n", title.c_str(),
                row["baseline_ms"].get<double>(), row["ours_ms"].get<double>(),
                row["ratio"].get<double>());
  }
  std::printf("%-34s %12.1e %12.1e\n", "largest error", report["errors"]["baseline"].get<double>(),
              report["errors"]["ours"].get<double>());
}

}  // namespace

int bench_streams(int argc, char** argv) {
  CLI::App app("Streams two exports of one voice side by side.");
  Options options;
  bool as_json = false;
  app.add_option("BASELINE", options.baseline, "a folder")->required();
  app.add_option("OURS", options.ours, "a folder")->required();
  app.add_option("--ids", options.ids, "of the utterance's phonemes")->delimiter(',');
  app.add_option("--threads", options.threads, "to run them with")->delimiter(',');
  app.add_option("--seconds", options.seconds, "for each row, at least five rounds");
  app.add_flag("--json", as_json, "for programs");
  CLI11_PARSE(app, argc, argv);

  const Graphs graphs(options);
  json report = {{"runtime", runtime_version()},
                 {"phonemes", options.ids.size()},
                 {"frames", graphs.latent().frames()},
                 {"errors", errors(graphs, options)},
                 {"rows", json::array()}};
  for (const int threads : options.threads)
    for (json& row : measure(graphs, options, threads)) report["rows"].push_back(std::move(row));
  if (as_json)
    std::cout << report.dump(2) << "\n";
  else
    print_report(report);
  return 0;
}

}  // namespace voxport

int main(int argc, char** argv) {
  return voxport::run_program("bench_streams", voxport::bench_streams, argc, argv);
}
