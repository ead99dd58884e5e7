// Opus in Ogg, by libopusenc, which resamples where the rate is none of Opus'.
#include <opus/opusenc.h>

#include "serve/audio_format.h"
#include "serve/formats/codec_library.h"
#include "serve/refusal.h"

namespace voxport {
namespace {

// Its functions, by its own names.
struct OpusEnc {
  decltype(ope_comments_create)* comments_create;
  decltype(ope_comments_destroy)* comments_destroy;
  decltype(ope_encoder_create_pull)* create_pull;
  decltype(ope_encoder_ctl)* ctl;
  decltype(ope_encoder_write_float)* write_float;
  decltype(ope_encoder_get_page)* get_page;
  decltype(ope_encoder_drain)* drain;
  decltype(ope_encoder_destroy)* destroy;

  OpusEnc() {
    const CodecLibrary library(VOXPORT_OPUSENC_LIBRARY, "opus");
    library.find(comments_create, "ope_comments_create");
    library.find(comments_destroy, "ope_comments_destroy");
    library.find(create_pull, "ope_encoder_create_pull");
    library.find(ctl, "ope_encoder_ctl");
    library.find(write_float, "ope_encoder_write_float");
    library.find(get_page, "ope_encoder_get_page");
    library.find(drain, "ope_encoder_drain");
    library.find(destroy, "ope_encoder_destroy");
  }
};

const OpusEnc& opusenc() {
  static const OpusEnc kLoaded;
  return kLoaded;
}

class OpusEncoderOfText : public AudioEncoder {
 public:
  explicit OpusEncoderOfText(std::int64_t sample_rate) : comments_(opusenc().comments_create()) {
    if (!comments_) throw std::bad_alloc();
    int error = OPE_OK;
    constexpr int kMono = 1;
    constexpr int kFamilyOfMono = 0;
    encoder_ = opusenc().create_pull(comments_, static_cast<opus_int32>(sample_rate), kMono,
                                     kFamilyOfMono, &error);
    if (!encoder_) {
      opusenc().comments_destroy(comments_);
      refuse(400, "unsupported_sample_rate", "opus cannot be written at a rate of ", sample_rate);
    }
    constexpr opus_int32 kPage = 4800;  // samples at 48 kHz, that a page may keep waiting
    opusenc().ctl(encoder_, OPE_SET_MUXING_DELAY(kPage));
    opusenc().ctl(encoder_, OPE_SET_DECISION_DELAY(0));
  }
  ~OpusEncoderOfText() override {
    opusenc().destroy(encoder_);
    opusenc().comments_destroy(comments_);
  }
  OpusEncoderOfText(const OpusEncoderOfText&) = delete;
  OpusEncoderOfText& operator=(const OpusEncoderOfText&) = delete;

  std::string encode(const std::vector<float>& samples) override {
    if (opusenc().write_float(encoder_, samples.data(), static_cast<int>(samples.size())) != OPE_OK)
      refuse(500, "internal_error", "opus cannot be written");
    return pages();
  }

  std::string finish() override {
    opusenc().drain(encoder_);
    return pages();
  }

 private:
  std::string pages() {
    std::string out;
    unsigned char* page = nullptr;
    opus_int32 bytes = 0;
    while (opusenc().get_page(encoder_, &page, &bytes, 0) != 0)
      out.append(reinterpret_cast<const char*>(page), static_cast<std::size_t>(bytes));
    return out;
  }

  OggOpusComments* comments_;
  OggOpusEnc* encoder_;
};

}  // namespace

std::unique_ptr<AudioEncoder> opus_encoder(std::int64_t sample_rate) {
  return std::make_unique<OpusEncoderOfText>(sample_rate);
}

}  // namespace voxport
