// A program that speaks by libpiper: program MODEL CONFIG TEXT [LENGTH_SCALE].
//
// It declares what Piper's piper.h of version 1.7 declares, as a program is compiled that does not
// know voxport. Samples go to standard output as float; of each chunk a line goes to standard error:
// its samples, whether it is the last, and its phonemes with the samples that each lasts.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct piper_synthesizer piper_synthesizer;

typedef struct {
  const float *samples;
  size_t num_samples;
  int sample_rate;
  bool is_last;
  const uint32_t *phonemes;
  size_t num_phonemes;
  const int *phoneme_ids;
  size_t num_phoneme_ids;
  const int *alignments;
  size_t num_alignments;
} piper_audio_chunk;

typedef struct {
  int speaker_id;
  float length_scale;
  float noise_scale;
  float noise_w_scale;
} piper_synthesize_options;

piper_synthesizer *piper_create(const char *model_path, const char *config_path,
                                const char *espeak_data_path);
void piper_free(piper_synthesizer *synth);
piper_synthesize_options piper_default_synthesize_options(piper_synthesizer *synth);
int piper_synthesize_start(piper_synthesizer *synth, const char *text,
                           const piper_synthesize_options *options);
int piper_synthesize_next(piper_synthesizer *synth, piper_audio_chunk *chunk);
const char *piper_version(void);

enum { PIPER_OK = 0, PIPER_DONE = 1, PIPER_ERR_GENERIC = -1 };

// Groups of repeated code points are separated by 0; each code point has an id and an alignment.
static void print_phonemes(const piper_audio_chunk *chunk) {
  size_t at = 0;
  int samples = 0;
  for (size_t i = 0; i < chunk->num_phonemes; ++i) {
    if (chunk->phonemes[i] != 0) {
      samples += chunk->alignments[at++];
      continue;
    }
    fprintf(stderr, " %c=%d", (char)chunk->phonemes[i - 1], samples);
    samples = 0;
  }
  if (at != chunk->num_alignments || at != chunk->num_phoneme_ids) fprintf(stderr, " too few ids");
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const char *config = argv[2][0] ? argv[2] : NULL;
  piper_synthesizer *synth = piper_create(argv[1], config, "/nonexistent/espeak-ng-data");
  if (!synth) return 3;
  piper_synthesize_options options = piper_default_synthesize_options(synth);
  if (argc > 4) options.length_scale = strtof(argv[4], NULL);
  if (piper_synthesize_start(synth, argv[3], &options) != PIPER_OK) return 4;
  piper_audio_chunk chunk;
  int result = PIPER_OK;
  while ((result = piper_synthesize_next(synth, &chunk)) != PIPER_DONE) {
    if (result == PIPER_ERR_GENERIC) return 5;
    fwrite(chunk.samples, sizeof *chunk.samples, chunk.num_samples, stdout);
    fprintf(stderr, "%zu samples at %d Hz%s", chunk.num_samples, chunk.sample_rate,
            chunk.is_last ? ", the last" : "");
    print_phonemes(&chunk);
    fprintf(stderr, "\n");
  }
  if (chunk.num_samples != 0 || !chunk.is_last) return 6;
  piper_free(synth);
  return piper_version()[0] ? 0 : 7;
}
