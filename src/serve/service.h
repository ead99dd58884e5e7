// Service: what the sessions of all protocols share.
#pragma once

#include <atomic>
#include <string>

#include <voxport/serve.h>

#include "serve/allowed_hosts.h"
#include "serve/connection.h"
#include "serve/metrics.h"
#include "serve/speech_pool.h"
#include "serve/speech_request.h"

namespace voxport {

struct Service {
  Service(std::vector<ServedVoice> served, const ServeOptions& wanted, Post poster)
      : voices(std::move(served)),
        options(wanted),
        hosts(options.http, options.hosts),
        post(std::move(poster)),
        pool(options, metrics) {}

  VoiceList voices;
  ServeOptions options;
  AllowedHosts hosts;
  std::string token;  // that clients of HTTP have to send; empty: none
  Post post;
  Metrics metrics;
  std::atomic<bool> is_stopping = false;
  SpeechPool pool;
};

}  // namespace voxport
