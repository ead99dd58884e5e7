#include "piper/voice.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace voxport::piper {
namespace {

using ErrorHandle = std::unique_ptr<voxport_error, Closes<voxport_error_free>>;

// Calls a function of the C interface with what takes its error, and gives its code.
template <class Call>
int checked(Call&& call) {
  voxport_error* error = nullptr;
  const int code = call(&error);
  const ErrorHandle owned(error);
  if (error) throw Failure(voxport_error_text(error));
  return code;
}

VoiceHandle open(const char* model, const char* config) {
  voxport_voice_options options{};
  options.struct_size = sizeof options;
  options.config = config;
  voxport_voice* voice = nullptr;
  checked(
      [&](voxport_error** error) { return voxport_voice_open(model, &options, &voice, error); });
  return VoiceHandle(voice);
}

void take_scale(const nlohmann::json& info, const char* name, float& scale) {
  const nlohmann::json& value = info.at(name);
  if (!value.is_null()) scale = value.get<float>();
}

// The first code point of a symbol, which is well-formed UTF-8.
char32_t first_code_point(std::string_view symbol) {
  const auto byte = [&](std::size_t i) {
    return i < symbol.size() ? static_cast<unsigned char>(symbol[i]) : 0U;
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  char32_t code_point = lead & (0x3fU >> more);
  for (std::size_t i = 1; i <= more; ++i) code_point = code_point << 6 | (byte(i) & 0x3fU);
  return code_point;
}

int int_of(std::int64_t number) {
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
    throw Failure("an id or a duration is larger than an int of C");
  return static_cast<int>(number);
}

void add_sentence(const voxport_piece& piece, Part& part) {
  for (std::size_t i = 0; i < piece.num_ids; ++i) {
    const voxport_id& id = piece.ids[i];
    part.ids.push_back(int_of(id.id));
    if (id.samples >= 0) part.alignments.push_back(int_of(id.samples));
    part.phonemes.push_back(first_code_point(piece.symbols[id.symbol]));
    const bool is_group_over = i + 1 == piece.num_ids || piece.ids[i + 1].symbol != id.symbol;
    if (is_group_over) part.phonemes.push_back(0);
  }
}

}  // namespace

Voice::Voice(const char* model, const char* config) : voice_(open(model, config)) {
  const nlohmann::json info = nlohmann::json::parse(voxport_voice_json(voice_.get()));
  sample_rate_ = int_of(voxport_voice_sample_rate(voice_.get()));
  has_noise_ = !info.at("noise_scale").is_null();
  take_scale(info, "length_scale", defaults_.length_scale);
  take_scale(info, "noise_scale", defaults_.noise_scale);
  take_scale(info, "noise_w", defaults_.noise_w_scale);
}

StreamHandle Voice::say(const char* text, const piper_synthesize_options* options) const {
  const piper_synthesize_options& chosen = options ? *options : defaults_;
  const std::string speaker = std::to_string(chosen.speaker_id);
  const double length_scale = chosen.length_scale;
  const double noise_scale = chosen.noise_scale;
  const double noise_w = chosen.noise_w_scale;
  voxport_say_options say{};
  say.struct_size = sizeof say;
  if (options) {
    say.speaker = speaker.c_str();
    say.length_scale = &length_scale;
    say.noise_scale = has_noise_ ? &noise_scale : nullptr;
    say.noise_w = has_noise_ ? &noise_w : nullptr;
  }
  voxport_stream* stream = nullptr;
  checked(
      [&](voxport_error** error) { return voxport_say(voice_.get(), text, &say, &stream, error); });
  return StreamHandle(stream);
}

std::optional<Part> next_part(voxport_stream* stream) {
  voxport_piece piece{};
  piece.struct_size = sizeof piece;
  const int code =
      checked([&](voxport_error** error) { return voxport_stream_next(stream, &piece, error); });
  if (code == VOXPORT_END) return std::nullopt;
  Part part;
  part.samples.assign(piece.samples, piece.samples + piece.num_samples);
  part.ends_sentence = piece.is_last != 0;
  if (piece.text) add_sentence(piece, part);
  return part;
}

}  // namespace voxport::piper
