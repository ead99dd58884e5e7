// The interface of Piper's library, libpiper, spoken by voxport: a program that was written for
// Piper's piper.h is compiled with this header, or linked with this library as it is, and speaks
// with any voice of voxport.
//
//   piper_synthesizer *piper = piper_create("voice.onnx", NULL, NULL);
//   piper_synthesize_start(piper, "Hello world.", NULL);
//   piper_audio_chunk chunk;
//   while (piper_synthesize_next(piper, &chunk) == PIPER_OK)
//     play(chunk.samples, chunk.num_samples);
//   piper_free(piper);
//
// Names, values and layouts are Piper's, those of its version 1.7. What differs:
//
// - A model is whatever voxport speaks: Piper's .onnx file, which is exported to the cache at first
//   (speak.h), a folder that voxport exported, or a checkpoint.
// - A chunk is a sentence, as in Piper, or a part of one, which comes earlier: see
//   piper_voxport_set_chunks().
// - PIPER_DONE comes without audio, after the last chunk. (In some versions of Piper it comes with
//   the last chunk; loops for either hear everything.)
// - Phonemes are made by the program espeak-ng with its own data, so the paths of data count for
//   nothing. The same text and options give the same audio.
// - A failure has a text: piper_voxport_error().
//
// A synthesizer is used by one thread at a time. The rest is as voxport.h has it: ONNX Runtime's
// telemetry is off, no signal is handled, nothing is thrown or printed.
#ifndef PIPER_H_
#define PIPER_H_

// NOLINTBEGIN(readability-identifier-naming,modernize-*): it is C.

#include <stdbool.h>
#include <stddef.h>
#include <uchar.h>

#define PIPER_OK 0
#define PIPER_DONE 1
#define PIPER_ERR_GENERIC (-1)

#if defined(__GNUC__)
#define PIPER_API __attribute__((visibility("default")))
#else
#define PIPER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct piper_synthesizer piper_synthesizer;

// What is in it is valid until the next chunk is asked for. Where chunks are parts of sentences,
// phonemes, ids and alignments are those of the whole sentence, and come with its first part.
typedef struct piper_audio_chunk {
  const float* samples;
  size_t num_samples;
  int sample_rate;
  bool is_last;  // of the text

  // For each id the first code point of its phoneme, and a 0 after the ids of a phoneme.
  const char32_t* phonemes;
  size_t num_phonemes;
  const int* phoneme_ids;
  size_t num_phoneme_ids;
  const int* alignments;  // samples of each id; none where the voice does not report durations
  size_t num_alignments;
} piper_audio_chunk;

typedef struct piper_synthesize_options {
  int speaker_id;
  float length_scale, noise_scale, noise_w_scale;
} piper_synthesize_options;

typedef struct piper_create_options {
  size_t struct_size;  // of the caller's version
  const char* model_path;
  const char* config_path;       // NULL: the one beside the model
  const char* espeak_data_path;  // this and what follows count for nothing
  const char* g2pw_model_dir;
  const char* data_dir;
} piper_create_options;

static inline void piper_init_create_options(piper_create_options* options) {
  const piper_create_options none = {sizeof none, NULL, NULL, NULL, NULL, NULL};
  if (options) *options = none;
}

// NULL where the voice cannot be loaded.
PIPER_API piper_synthesizer* piper_create(const char* model_path, const char* config_path,
                                          const char* espeak_data_path);
PIPER_API piper_synthesizer* piper_create_with_options(const piper_create_options* options);
PIPER_API void piper_free(piper_synthesizer* synth);  // may be NULL

// The voice's own; Piper's where it has none, or is NULL.
PIPER_API piper_synthesize_options piper_default_synthesize_options(piper_synthesizer* synth);

// Begins a text; what is left of the one before is dropped. Without options, the voice's own.
PIPER_API int piper_synthesize_start(piper_synthesizer* synth, const char* text,
                                     const piper_synthesize_options* options);
// PIPER_OK with a chunk, PIPER_DONE when all was said.
PIPER_API int piper_synthesize_next(piper_synthesizer* synth, piper_audio_chunk* chunk);

// voxport's own.
PIPER_API const char* piper_version(void);

// ---- What Piper does not have ----

enum piper_voxport_chunks {
  PIPER_VOXPORT_SENTENCES = 0,  // as in Piper
  PIPER_VOXPORT_PARTS = 1,      // as early as the voice allows
};

// What chunks are, from the next text on. For a program that cannot be changed, the environment
// variable VOXPORT_PIPER_CHUNKS says it when a synthesizer is created: "sentences" or "parts".
PIPER_API int piper_voxport_set_chunks(piper_synthesizer* synth, int chunks);

// Why the last function that failed on this thread did; "" where none has.
PIPER_API const char* piper_voxport_error(void);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming,modernize-*)

#endif
