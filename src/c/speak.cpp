#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <voxport/speak.h>

#include "base/join.h"
#include "c/options.h"
#include "report/missing_symbol.h"

// NOLINTBEGIN(readability-identifier-naming)
struct voxport_voice {
  voxport::Voice voice;
  std::string json;
};

struct voxport_stream {
  voxport::Stream stream;
  voxport::AudioPiece piece = {};  // the last one that was given
  // Of its sentence, as C sees them.
  std::vector<voxport_phoneme> phonemes = {};
  std::vector<const char*> symbols = {};
  std::vector<voxport_id> ids = {};
  std::string notes = {};
};
// NOLINTEND(readability-identifier-naming)

namespace voxport::c {
namespace {

static_assert(VOXPORT_DECODER_BEST == static_cast<int>(VoiceOptions::kBest) &&
              VOXPORT_DECODER_CACHED == static_cast<int>(VoiceOptions::kCached) &&
              VOXPORT_DECODER_CONTEXT == static_cast<int>(VoiceOptions::kContext));
static_assert(VOXPORT_TEXT == static_cast<int>(SpeakOptions::kText) &&
              VOXPORT_LINES == static_cast<int>(SpeakOptions::kLines) &&
              VOXPORT_PHONEMES == static_cast<int>(SpeakOptions::kPhonemes) &&
              VOXPORT_IDS == static_cast<int>(SpeakOptions::kIds));

VoiceOptions options_of(const voxport_voice_options* from) {
  const voxport_voice_options given = take_options(from);
  VoiceOptions options;
  options.threads = given.threads;
  options.decoder = choice_of("decoder", given.decoder, VoiceOptions::kContext);
  options.espeak = text_or(given.espeak, options.espeak);
  options.romaniser = text_of(given.romaniser);
  options.expects_text = given.expects_no_text == 0;
  options.cache = text_of(given.cache);
  options.max_memory = given.max_memory;
  options.on_stage = on_stage_of(given);
  options.config = text_of(given.config);
  return options;
}

SpeakOptions options_of(const voxport_say_options* from) {
  const voxport_say_options given = take_options(from);
  SpeakOptions options;
  options.input = choice_of("input", given.input, SpeakOptions::kIds);
  options.speaker = text_of(given.speaker);
  options.language = text_of(given.language);
  options.length_scale = number_of(given.length_scale);
  options.noise_scale = number_of(given.noise_scale);
  options.noise_w = number_of(given.noise_w);
  options.pitch = number_of(given.pitch);
  options.energy = number_of(given.energy);
  options.seed = given.seed;
  options.chunk_frames = given.chunk_frames;
  options.one_shot = given.one_shot != 0;
  options.sentence_silence = given.sentence_silence;
  options.whole = given.whole != 0;
  return options;
}

int say(const voxport_voice* voice, std::string text, const SpeakOptions& options,
        voxport_stream** stream) {
  required("stream", stream);
  *stream = std::make_unique<voxport_stream>(
                voxport_stream{required("voice", voice)->voice.speak(std::move(text), options)})
                .release();
  return VOXPORT_OK;
}

// What the stream keeps of a sentence, beside the piece that it begins with.
void keep_sentence(const SpokenSentence& sentence, voxport_stream& stream) {
  stream.phonemes.clear();
  for (const SpokenPhoneme& phoneme : sentence.phonemes)
    stream.phonemes.push_back({phoneme.symbol.c_str(), phoneme.start, phoneme.end});
  stream.symbols.clear();
  for (const std::string& symbol : sentence.symbols) stream.symbols.push_back(symbol.c_str());
  stream.ids.clear();
  for (const SpokenId& id : sentence.ids)
    stream.ids.push_back({id.id, id.symbol, id.samples.value_or(-1)});
}

// What points into the stream's own copy of the piece.
voxport_piece view_of(voxport_stream& stream) {
  const AudioPiece& piece = stream.piece;
  voxport_piece view{};
  view.samples = piece.samples.data();
  view.num_samples = piece.samples.size();
  view.is_last = piece.is_last ? 1 : 0;
  if (!piece.starts) return view;
  keep_sentence(*piece.starts, stream);
  view.text = piece.starts->text.c_str();
  view.start = piece.starts->start;
  view.end = piece.starts->end;
  view.phonemes = stream.phonemes.data();
  view.num_phonemes = stream.phonemes.size();
  view.symbols = stream.symbols.data();
  view.num_symbols = stream.symbols.size();
  view.ids = stream.ids.data();
  view.num_ids = stream.ids.size();
  return view;
}

int next(voxport_stream& stream, voxport_piece* piece) {
  checked_size(*required("piece", piece));  // before audio is computed that cannot be given
  std::optional<AudioPiece> made = stream.stream.next();
  if (!made) return VOXPORT_END;
  stream.piece = std::move(*made);
  voxport_piece view = view_of(stream);
  give(view, piece);
  return VOXPORT_OK;
}

std::string notes_of(const Stream& stream) {
  std::vector<std::string> notes = stream.notes();
  for (const std::string& symbol : stream.unknown_symbols())
    notes.push_back(missing_symbol_text(symbol));
  return join(notes, "\n");
}

}  // namespace
}  // namespace voxport::c

int voxport_voice_open(const char* path, const voxport_voice_options* options,
                       voxport_voice** voice, voxport_error** error) {
  using namespace voxport;
  return c::guarded(error, [&] {
    c::required("voice", voice);
    Voice opened(c::required("path", path), c::options_of(options));
    std::string json = to_json(opened.info());
    *voice = std::make_unique<voxport_voice>(voxport_voice{std::move(opened), std::move(json)})
                 .release();
    return VOXPORT_OK;
  });
}

int64_t voxport_voice_sample_rate(const voxport_voice* voice) {
  return voice ? voice->voice.info().sample_rate : 0;
}

const char* voxport_voice_json(const voxport_voice* voice) {
  return voice ? voice->json.c_str() : "";
}

void voxport_voice_close(voxport_voice* voice) { delete voice; }

int voxport_say(const voxport_voice* voice, const char* text, const voxport_say_options* options,
                voxport_stream** stream, voxport_error** error) {
  using namespace voxport;
  return c::guarded(error, [&] {
    return c::say(voice, c::required("text", text), c::options_of(options), stream);
  });
}

int voxport_say_ids(const voxport_voice* voice, const int64_t* ids, size_t count,
                    const voxport_say_options* options, voxport_stream** stream,
                    voxport_error** error) {
  using namespace voxport;
  return c::guarded(error, [&] {
    SpeakOptions ours = c::options_of(options);
    ours.input = SpeakOptions::kIds;
    return c::say(voice, join(c::sizes_of("ids", {ids, count}), " "), ours, stream);
  });
}

int voxport_stream_next(voxport_stream* stream, voxport_piece* piece, voxport_error** error) {
  using namespace voxport;
  return c::guarded(error, [&] { return c::next(*c::required("stream", stream), piece); });
}

const char* voxport_stream_notes(voxport_stream* stream) {
  using namespace voxport;
  if (!stream) return "";
  try {
    stream->notes = c::notes_of(stream->stream);
  } catch (...) {  // there is no memory for them
    return "";
  }
  return stream->notes.c_str();
}

void voxport_stream_cancel(voxport_stream* stream) {
  if (stream) stream->stream.cancel();
}

void voxport_stream_close(voxport_stream* stream) { delete stream; }

void voxport_to_pcm16(const float* samples, size_t count, int16_t* pcm) {
  for (std::size_t i = 0; i < count; ++i) pcm[i] = voxport::to_pcm16(samples[i]);
}
