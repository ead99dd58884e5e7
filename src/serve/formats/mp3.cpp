// MP3, by LAME.
#include <lame/lame.h>

#include "serve/audio_format.h"
#include "serve/formats/codec_library.h"
#include "serve/refusal.h"

namespace voxport {
namespace {

// Its functions, by its own names.
struct Lame {
  decltype(lame_init)* init;
  decltype(lame_close)* close;
  decltype(lame_set_in_samplerate)* set_in_samplerate;
  decltype(lame_set_num_channels)* set_num_channels;
  decltype(lame_set_mode)* set_mode;
  decltype(lame_set_brate)* set_brate;
  decltype(lame_set_bWriteVbrTag)* set_write_vbr_tag;
  decltype(lame_set_disable_reservoir)* set_disable_reservoir;
  decltype(lame_init_params)* init_params;
  decltype(lame_encode_buffer_ieee_float)* encode;
  decltype(lame_encode_flush)* flush;

  Lame() {
    const CodecLibrary library(VOXPORT_MP3LAME_LIBRARY, "mp3");
    library.find(init, "lame_init");
    library.find(close, "lame_close");
    library.find(set_in_samplerate, "lame_set_in_samplerate");
    library.find(set_num_channels, "lame_set_num_channels");
    library.find(set_mode, "lame_set_mode");
    library.find(set_brate, "lame_set_brate");
    library.find(set_write_vbr_tag, "lame_set_bWriteVbrTag");
    library.find(set_disable_reservoir, "lame_set_disable_reservoir");
    library.find(init_params, "lame_init_params");
    library.find(encode, "lame_encode_buffer_ieee_float");
    library.find(flush, "lame_encode_flush");
  }
};

const Lame& lame() {
  static const Lame kLoaded;
  return kLoaded;
}

class Mp3Encoder : public AudioEncoder {
 public:
  explicit Mp3Encoder(std::int64_t sample_rate) : flags_(lame().init()) {
    if (!flags_) throw std::bad_alloc();
    lame().set_in_samplerate(flags_, static_cast<int>(sample_rate));
    lame().set_num_channels(flags_, 1);
    lame().set_mode(flags_, MONO);
    lame().set_brate(flags_, 64);
    lame().set_write_vbr_tag(flags_, 0);      // which tells a length that is not known yet
    lame().set_disable_reservoir(flags_, 1);  // a frame does not wait for others
    if (lame().init_params(flags_) < 0) {
      lame().close(flags_);
      refuse(400, "unsupported_sample_rate", "mp3 has no sample rate of ", sample_rate);
    }
  }
  ~Mp3Encoder() override { lame().close(flags_); }
  Mp3Encoder(const Mp3Encoder&) = delete;
  Mp3Encoder& operator=(const Mp3Encoder&) = delete;

  std::string encode(const std::vector<float>& samples) override {
    return taken(samples.size(), [&](unsigned char* out, int most) {
      return lame().encode(flags_, samples.data(), samples.data(), static_cast<int>(samples.size()),
                           out, most);
    });
  }

  std::string finish() override {
    return taken(0, [&](unsigned char* out, int most) { return lame().flush(flags_, out, most); });
  }

 private:
  // As much room as LAME's header asks for.
  template <class Write>
  static std::string taken(std::size_t samples, Write&& write) {
    std::string out(samples + samples / 4 + 7200, '\0');
    const int bytes =
        write(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
    if (bytes < 0) refuse(500, "internal_error", "mp3 cannot be written");
    out.resize(static_cast<std::size_t>(bytes));
    return out;
  }

  lame_t flags_;
};

}  // namespace

std::unique_ptr<AudioEncoder> mp3_encoder(std::int64_t sample_rate) {
  return std::make_unique<Mp3Encoder>(sample_rate);
}

}  // namespace voxport
