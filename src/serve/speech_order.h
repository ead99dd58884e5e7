// What the sessions have in common when they have something spoken.
#pragma once

#include <functional>
#include <memory>

#include "serve/service.h"

namespace voxport {

// The order of a text that is all there. `take` is called on the loop's thread, and only while
// `listener` is there.
SpeechOrder order_of(SpeechRequest request, const Post& post, std::weak_ptr<void> listener,
                     std::function<void(SpeechEvent)> take);

// Makes a listener of events, which come on any thread, of one on the loop's.
std::function<void(SpeechEvent)> on_loop(const Post& post, std::weak_ptr<void> listener,
                                         std::function<void(SpeechEvent)> take);

}  // namespace voxport
