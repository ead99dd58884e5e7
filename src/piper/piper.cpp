#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "piper/synthesizer.h"

namespace {

// Of the last failure on this thread; short where there is no memory for more.
thread_local std::string failure_text;

// Runs `body`, which gives a result; `failed` is what a failure gives.
template <class Result, class Body>
Result guarded(Result failed, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    failure_text = "no memory";
  } catch (const std::exception& error) {
    try {
      failure_text = error.what();
    } catch (...) {
      failure_text = "no memory";
    }
  }
  return failed;
}

template <class Type>
Type& required(const char* name, Type* argument) {
  if (!argument) throw voxport::piper::Failure(std::string("the argument '") + name + "' is NULL");
  return *argument;
}

piper_voxport_chunks chunks_of_environment() {
  const char* const chosen = std::getenv("VOXPORT_PIPER_CHUNKS");
  const std::string_view chunks = chosen ? chosen : "";
  if (chunks.empty() || chunks == "sentences") return PIPER_VOXPORT_SENTENCES;
  if (chunks == "parts") return PIPER_VOXPORT_PARTS;
  throw voxport::piper::Failure("VOXPORT_PIPER_CHUNKS is '" + std::string(chunks) +
                                "', expected 'sentences' or 'parts'");
}

// Of any version: what an older one does not have is NULL.
piper_create_options options_of(const piper_create_options& given) {
  constexpr std::size_t kLeast =
      offsetof(piper_create_options, espeak_data_path) + sizeof(const char*);
  if (given.struct_size < kLeast)
    throw voxport::piper::Failure("struct_size is " + std::to_string(given.struct_size) +
                                  ", expected " + std::to_string(sizeof given));
  piper_create_options options{};
  std::memcpy(&options, &given, std::min(given.struct_size, sizeof options));
  return options;
}

}  // namespace

piper_synthesizer* piper_create_with_options(const piper_create_options* options) {
  return guarded<piper_synthesizer*>(nullptr, [&] {
    const piper_create_options given = options_of(required("options", options));
    return new piper_synthesizer(&required("model_path", given.model_path), given.config_path,
                                 chunks_of_environment());
  });
}

piper_synthesizer* piper_create(const char* model_path, const char* config_path,
                                const char* espeak_data_path) {
  piper_create_options options;
  piper_init_create_options(&options);
  options.model_path = model_path;
  options.config_path = config_path;
  options.espeak_data_path = espeak_data_path;
  return piper_create_with_options(&options);
}

void piper_free(piper_synthesizer* synth) { delete synth; }

piper_synthesize_options piper_default_synthesize_options(piper_synthesizer* synth) {
  return synth ? synth->voice().defaults() : voxport::piper::kPiperDefaults;
}

int piper_synthesize_start(piper_synthesizer* synth, const char* text,
                           const piper_synthesize_options* options) {
  return guarded(PIPER_ERR_GENERIC, [&] {
    required("synth", synth).start(&required("text", text), options);
    return PIPER_OK;
  });
}

int piper_synthesize_next(piper_synthesizer* synth, piper_audio_chunk* chunk) {
  return guarded(PIPER_ERR_GENERIC, [&] {
    return required("synth", synth).next(required("chunk", chunk)) ? PIPER_OK : PIPER_DONE;
  });
}

const char* piper_version() { return voxport_version(); }

int piper_voxport_set_chunks(piper_synthesizer* synth, int chunks) {
  return guarded(PIPER_ERR_GENERIC, [&] {
    if (chunks != PIPER_VOXPORT_SENTENCES && chunks != PIPER_VOXPORT_PARTS)
      throw voxport::piper::Failure("chunks is " + std::to_string(chunks) + ", expected 0 or 1");
    required("synth", synth).set_chunks(static_cast<piper_voxport_chunks>(chunks));
    return PIPER_OK;
  });
}

const char* piper_voxport_error() { return failure_text.c_str(); }
