#include <nlohmann/json.hpp>
#include <voxport/bench.h>

#include "report/object_text.h"

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const BenchSpread& spread) {
  return {{"median", spread.median}, {"p95", spread.p95}, {"worst", spread.worst}};
}

Json json_of(const BenchWay& way) {
  Json json = {{"first_audio", way.first_audio},
               {"total", way.total},
               {"real_time_factor", way.real_time_factor},
               {"pieces", way.pieces},
               {"gap", json_of(way.gap)},
               {"gap_ratio", json_of(way.gap_ratio)},
               {"least_left", way.least_left},
               {"ran_dry", way.ran_dry}};
  json["points"] = Json::array();
  for (const BenchPoint& point : way.points)
    json["points"].push_back({{"seconds", point.seconds}, {"audio", point.audio}});
  return json;
}

Json json_of(const BenchText& text) {
  return {{"name", text.name},
          {"sentences", text.sentences},
          {"ids", text.ids},
          {"frames", text.frames},
          {"audio", text.audio},
          {"phonemes", text.phonemes},
          {"encoder", text.encoder},
          {"decoder", text.decoder},
          {"first",
           {{"phonemes", text.first.phonemes},
            {"encoder", text.first.encoder},
            {"chunk", text.first.chunk}}},
          {"streamed", json_of(text.streamed)},
          {"one_shot", json_of(text.one_shot)}};
}

}  // namespace

std::string to_json(const BenchReport& report) {
  Json json = {{"path", report.path},
               {"sample_rate", report.voice.sample_rate},
               {"hop_length", report.voice.hop_length},
               {"streams", report.voice.streams},
               {"decoder", report.voice.decoder},
               {"threads", report.threads},
               {"runs", report.runs},
               {"chunk_frames", report.chunk_frames},
               {"first_load", report.first_load},
               {"load", report.load},
               {"streamed_peak_bytes", report.streamed_peak_bytes},
               {"peak_bytes", report.peak_bytes}};
  json["texts"] = Json::array();
  for (const BenchText& text : report.texts) json["texts"].push_back(json_of(text));
  return dump(json);
}

}  // namespace voxport
