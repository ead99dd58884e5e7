#include "serve/speech_order.h"

#include <utility>

#include "serve/resampler.h"

namespace voxport {

std::function<void(SpeechEvent)> on_loop(const Post& post, std::weak_ptr<void> listener,
                                         std::function<void(SpeechEvent)> take) {
  return [post, listener = std::move(listener), take = std::move(take)](SpeechEvent event) {
    // Functions have to be copied; an event need not.
    auto shared = std::make_shared<SpeechEvent>(std::move(event));
    post([listener, take, shared] {
      if (listener.lock()) take(std::move(*shared));
    });
  };
}

SpeechOrder order_of(SpeechRequest request, const Post& post, std::weak_ptr<void> listener,
                     std::function<void(SpeechEvent)> take) {
  const std::int64_t own = request.voice->voice.info().sample_rate;
  auto encoder = request.sample_rate == own
                     ? request.format->encoder(own)
                     : resampling_encoder(*request.format, own, request.sample_rate);
  return {.voice = request.voice->voice,
          .text = [text = std::move(request.text)]() mutable { return std::exchange(text, {}); },
          .is_text_there = true,
          .stop_text = {},
          .options = request.options,
          .encoder = std::move(encoder),
          .listener = on_loop(post, std::move(listener), std::move(take))};
}

}  // namespace voxport
