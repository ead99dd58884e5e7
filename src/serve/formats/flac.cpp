// FLAC, by libFLAC: the same 16 bits a sample as WAV has.
#include <FLAC/stream_encoder.h>
#include <voxport/speak.h>

#include "serve/audio_format.h"
#include "serve/formats/codec_library.h"
#include "serve/refusal.h"

namespace voxport {
namespace {

// Its functions, by its own names.
struct Flac {
  decltype(FLAC__stream_encoder_new)* create;
  decltype(FLAC__stream_encoder_delete)* destroy;
  decltype(FLAC__stream_encoder_set_channels)* set_channels;
  decltype(FLAC__stream_encoder_set_bits_per_sample)* set_bits_per_sample;
  decltype(FLAC__stream_encoder_set_sample_rate)* set_sample_rate;
  decltype(FLAC__stream_encoder_set_blocksize)* set_blocksize;
  decltype(FLAC__stream_encoder_init_stream)* init_stream;
  decltype(FLAC__stream_encoder_process_interleaved)* process;
  decltype(FLAC__stream_encoder_finish)* finish;

  Flac() {
    const CodecLibrary library(VOXPORT_FLAC_LIBRARY, "flac");
    library.find(create, "FLAC__stream_encoder_new");
    library.find(destroy, "FLAC__stream_encoder_delete");
    library.find(set_channels, "FLAC__stream_encoder_set_channels");
    library.find(set_bits_per_sample, "FLAC__stream_encoder_set_bits_per_sample");
    library.find(set_sample_rate, "FLAC__stream_encoder_set_sample_rate");
    library.find(set_blocksize, "FLAC__stream_encoder_set_blocksize");
    library.find(init_stream, "FLAC__stream_encoder_init_stream");
    library.find(process, "FLAC__stream_encoder_process_interleaved");
    library.find(finish, "FLAC__stream_encoder_finish");
  }
};

const Flac& flac() {
  static const Flac kLoaded;
  return kLoaded;
}

class FlacEncoder : public AudioEncoder {
 public:
  explicit FlacEncoder(std::int64_t sample_rate) : encoder_(flac().create()) {
    if (!encoder_) throw std::bad_alloc();
    constexpr unsigned kBlock = 1024;  // samples; what is not a whole one waits
    flac().set_channels(encoder_, 1);
    flac().set_bits_per_sample(encoder_, 16);
    flac().set_sample_rate(encoder_, static_cast<unsigned>(sample_rate));
    flac().set_blocksize(encoder_, kBlock);
    if (flac().init_stream(encoder_, write, nullptr, nullptr, nullptr, this) !=
        FLAC__STREAM_ENCODER_INIT_STATUS_OK) {
      flac().destroy(encoder_);
      refuse(400, "unsupported_sample_rate", "flac has no sample rate of ", sample_rate);
    }
  }
  ~FlacEncoder() override { flac().destroy(encoder_); }
  FlacEncoder(const FlacEncoder&) = delete;
  FlacEncoder& operator=(const FlacEncoder&) = delete;

  std::string encode(const std::vector<float>& samples) override {
    const std::string pcm = to_pcm16(samples);
    std::vector<FLAC__int32> values(samples.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int16_t>(static_cast<unsigned char>(pcm[2 * i]) |
                                            static_cast<unsigned char>(pcm[2 * i + 1]) << 8);
    if (!flac().process(encoder_, values.data(), static_cast<unsigned>(values.size())))
      refuse(500, "internal_error", "flac cannot be written");
    return std::exchange(out_, {});
  }

  std::string finish() override {
    flac().finish(encoder_);
    return std::exchange(out_, {});
  }

 private:
  static FLAC__StreamEncoderWriteStatus write(const FLAC__StreamEncoder* /*encoder*/,
                                              const FLAC__byte* bytes, std::size_t size,
                                              unsigned /*samples*/, unsigned /*frame*/,
                                              void* self) {
    static_cast<FlacEncoder*>(self)->out_.append(reinterpret_cast<const char*>(bytes), size);
    return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
  }

  FLAC__StreamEncoder* encoder_;
  std::string out_;
};

}  // namespace

std::unique_ptr<AudioEncoder> flac_encoder(std::int64_t sample_rate) {
  return std::make_unique<FlacEncoder>(sample_rate);
}

}  // namespace voxport
