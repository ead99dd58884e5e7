// voxport in C: export, check, inspect, scan and run models, and speak with voices. Written in C11;
// for whatever calls C: Python, Rust, Go, Swift.
//
//   voxport_error *error = NULL;
//   voxport_report *report = NULL;
//   if (voxport_export("voice.ckpt", "out/", NULL, &report, &error) != VOXPORT_OK) {
//     fprintf(stderr, "%s\n", voxport_error_text(error));
//     voxport_error_free(error);
//   } else {
//     puts(voxport_report_json(report));
//     voxport_report_free(report);
//   }
//
// Failures. A function that can fail returns a code of voxport_code, which is what the command line
// exits with, and takes a `voxport_error **` as its last argument. Where that is not NULL it is set
// to NULL, or to an error with the text that the command line prints; the caller frees it. Other
// results are set only on success. Nothing is thrown, printed or exited.
//
// Options. Every struct of options begins with its size, and zero is the default of everything
// else:
//
//   voxport_say_options options = {.struct_size = sizeof options, .seed = 7};
//
// NULL in place of a struct is all defaults. Later versions append members; a library that is older
// than its caller fails with VOXPORT_USAGE when one that it does not know is not zero. The meaning
// of each option is that of the same name in export.h, check.h, inspect.h, run.h and speak.h beside
// this file.
//
// Text is UTF-8 and ends with a zero byte; paths are bytes, as the system has them. What a function
// takes is copied before it returns. What it returns belongs to the handle that it came from, and
// is valid as long as that handle, unless something shorter is said.
//
// Threads. Functions may be called on any thread and at the same time, on the same voice, too. A
// stream is used by one thread at a time, except for voxport_stream_cancel(). Callbacks are called
// on the thread that called the function, before it returns; they must return normally, and must
// not call longjmp(). A process that forks must not use a voice or a stream in the child.
//
// Environment. When it is loaded, the library sets ORT_DISABLE_TELEMETRY=1 for the whole process,
// so that ONNX Runtime sends nothing; load it before other threads read the environment.
// VOXPORT_ONNXRUNTIME is the libonnxruntime.so to use, in place of the installed one.
//
// Signals. The library installs no handlers and changes no dispositions. Model files are mapped:
// when another process truncates one while it is read, or the disk fails, the thread that reads it
// is sent SIGBUS, whose default is the end of the process. Copy files that others may change.
//
// Models of strangers. Reading a file runs nothing that is in it, but voxport_check(), graphs and
// voices run the model with ONNX Runtime in this process. The program `voxport check` does so in a
// process of its own, with limits on time and memory, and survives a model that crashes ONNX
// Runtime.
#ifndef VOXPORT_VOXPORT_H
#define VOXPORT_VOXPORT_H

// NOLINTBEGIN(readability-identifier-naming,modernize-*): it is C.

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define VOXPORT_API __attribute__((visibility("default")))
#else
#define VOXPORT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// What functions return: all but the last are the exit codes of the command line.
enum voxport_code {
  VOXPORT_OK = 0,
  VOXPORT_CHECK_FAILED =
      1,              // an axis that was declared dynamic is fixed; see also voxport_report_code()
  VOXPORT_USAGE = 2,  // arguments that make no sense, names that do not exist
  VOXPORT_UNREADABLE = 3,  // a file that cannot be read, is corrupt, or does not fit the others
  VOXPORT_UNSUPPORTED =
      4,  // a good file that is unsupported, or needs more time or memory than there is
  VOXPORT_DANGEROUS = 5,   // of reports only: the file is suspicious or dangerous
  VOXPORT_UNWRITABLE = 6,  // a file that cannot be written
  VOXPORT_INTERNAL = 70,   // a bug in voxport
  VOXPORT_END = -1,  // of voxport_stream_next() only: all was said, or the stream was cancelled
};

// MAJOR.MINOR.PATCH
VOXPORT_API const char* voxport_version(void);

// ---- Errors ----

typedef struct voxport_error voxport_error;

VOXPORT_API int voxport_error_code(const voxport_error* error);
// What was found, what was expected and where; further lines begin with "  while ...".
VOXPORT_API const char* voxport_error_text(const voxport_error* error);
// The option that it is about, as its struct calls it: "inputs", "cache". "" where it is about
// none.
VOXPORT_API const char* voxport_error_option(const voxport_error* error);
VOXPORT_API void voxport_error_free(voxport_error* error);  // may be NULL

// ---- What options consist of ----

typedef struct voxport_strings {
  const char* const* items;
  size_t count;
} voxport_strings;

typedef struct voxport_pair {
  const char *name, *value;
} voxport_pair;

typedef struct voxport_pairs {
  const voxport_pair* items;
  size_t count;
} voxport_pairs;

typedef struct voxport_sizes {
  const int64_t* items;
  size_t count;
} voxport_sizes;

// Long work tells how far it is: each stage that is done, and now and then the part of all work,
// from 0 to 1. `user` is that of the options.
typedef void (*voxport_on_stage)(const char* name, const char* detail, double seconds, void* user);
typedef void (*voxport_on_progress)(double done, void* user);

// ---- Reports ----

typedef struct voxport_report voxport_report;

// One JSON object: what the command line prints with --json.
VOXPORT_API const char* voxport_report_json(const voxport_report* report);
// Of a check: the report as one HTML page, as --html writes it; else "". Made when it is first
// asked for, by one thread at a time.
VOXPORT_API const char* voxport_report_html(voxport_report* report);
// What the command line would exit with: VOXPORT_OK; VOXPORT_CHECK_FAILED where a check found a
// fault; VOXPORT_DANGEROUS where a scan did not find the file clean.
VOXPORT_API int voxport_report_code(const voxport_report* report);
// Of a check: its faults, a line each, with the node that fixes an axis; "" where there are none.
VOXPORT_API const char* voxport_report_faults(const voxport_report* report);
VOXPORT_API void voxport_report_free(voxport_report* report);  // may be NULL

// ---- Export: export.h ----

enum voxport_duration_control {
  VOXPORT_DURATION_BEST = 0,
  VOXPORT_DURATION_TRUNCATED = 1,
  VOXPORT_DURATION_ROUNDED = 2,
};

typedef struct voxport_export_options {
  size_t struct_size;
  const char* architecture;
  voxport_strings configs;
  voxport_pairs hyper_parameters;
  int opset;  // 0: voxport's default
  int plain, share_weights;
  const char* target;
  int no_check;  // the files are not run before they take their names
  int noise_input, cut_after_flow, batch_scales, d_vector_input;  // VITS
  int own_energy_control, silent_padding, duration_control;       // FastSpeech2
  const char* vocoder;
  voxport_strings vocoder_configs;
  voxport_strings inputs, dynamic, input_names, output_names;  // programs
  const char* model;
  int allow_fixed;
  const char* method;
  voxport_on_stage on_stage;
  void* user;
} voxport_export_options;

// Writes the model in `checkpoint` to `out`, as export_model() of export.h does.
VOXPORT_API int voxport_export(const char* checkpoint, const char* out,
                               const voxport_export_options* options, voxport_report** report,
                               voxport_error** error);

// ---- Check: check.h ----

typedef struct voxport_check_options {
  size_t struct_size;
  int quick;
  voxport_sizes sizes;
  int allow_multiple;
  const double* seconds;  // NULL: voxport's default
  voxport_pairs inputs;
  voxport_strings references;
  const double* tolerance;  // NULL: voxport's default
  voxport_on_stage on_stage;
  voxport_on_progress on_progress;
  void* user;
} voxport_check_options;

// Runs an ONNX model at many sizes. A report of faults is a success: see voxport_report_code().
VOXPORT_API int voxport_check(const char* model, const voxport_check_options* options,
                              voxport_report** report, voxport_error** error);

// ---- Inspect and scan: inspect.h, scan.h ----

typedef struct voxport_inspect_options {
  size_t struct_size;
  int stats;
  const char* model;
  voxport_on_stage on_stage;
  voxport_on_progress on_progress;
  void* user;
} voxport_inspect_options;

// What a model file contains.
VOXPORT_API int voxport_inspect(const char* path, const voxport_inspect_options* options,
                                voxport_report** report, voxport_error** error);

typedef struct voxport_scan_options {
  size_t struct_size;
  voxport_on_stage on_stage;
  void* user;
} voxport_scan_options;

// What loading a file in Python would run. A verdict other than clean is a success: see
// voxport_report_code().
VOXPORT_API int voxport_scan(const char* path, const voxport_scan_options* options,
                             voxport_report** report, voxport_error** error);

// ---- Graphs that run: run.h ----

typedef struct voxport_graph voxport_graph;

typedef struct voxport_graph_options {
  size_t struct_size;
  int threads;     // that share the work of one run, 1024 at most; 0: one for each core
  double seconds;  // the longest that a run may take; 0: any time
} voxport_graph_options;

// A tensor with its values, in row-major order.
typedef struct voxport_tensor {
  const char *name, *dtype;  // "float32", as reports have it
  const int64_t* shape;
  size_t rank;
  const void* data;
  size_t num_bytes;
} voxport_tensor;

typedef struct voxport_tensors voxport_tensors;

// Opens an ONNX model, whichever exporter wrote it.
VOXPORT_API int voxport_graph_open(const char* model, const voxport_graph_options* options,
                                   voxport_graph** graph, voxport_error** error);
// One JSON object with its inputs and outputs: names, types, and shapes with the names of dynamic
// axes.
VOXPORT_API const char* voxport_graph_json(const voxport_graph* graph);
// Gives all outputs, in the order of the JSON. The same graph may run on several threads at once.
VOXPORT_API int voxport_graph_run(const voxport_graph* graph, const voxport_tensor* inputs,
                                  size_t num_inputs, voxport_tensors** outputs,
                                  voxport_error** error);
VOXPORT_API void voxport_graph_close(voxport_graph* graph);  // may be NULL

VOXPORT_API size_t voxport_tensors_count(const voxport_tensors* tensors);
VOXPORT_API const voxport_tensor* voxport_tensors_items(const voxport_tensors* tensors);
VOXPORT_API void voxport_tensors_free(voxport_tensors* tensors);  // may be NULL

// ---- Voices: speak.h ----

typedef struct voxport_voice voxport_voice;

enum voxport_decoder {
  VOXPORT_DECODER_BEST = 0,
  VOXPORT_DECODER_CACHED = 1,
  VOXPORT_DECODER_CONTEXT = 2,
};

typedef struct voxport_voice_options {
  size_t struct_size;
  int threads;
  int decoder;
  const char* espeak;     // NULL: "espeak-ng"
  const char* romaniser;  // NULL: none
  int expects_no_text;    // espeak-ng is not started before text comes
  const char* cache;
  uint64_t max_memory;
  voxport_on_stage on_stage;  // while the voice is opened
  void* user;
  const char* config;
} voxport_voice_options;

// Opens an exported folder, a single graph, or a checkpoint, which is exported to the cache first.
VOXPORT_API int voxport_voice_open(const char* path, const voxport_voice_options* options,
                                   voxport_voice** voice, voxport_error** error);
VOXPORT_API int64_t voxport_voice_sample_rate(const voxport_voice* voice);
// VoiceInfo of speak.h as one JSON object: its speakers, its languages, its own scales, its notes.
VOXPORT_API const char* voxport_voice_json(const voxport_voice* voice);
// Streams that are open keep what they need of it. May be NULL.
VOXPORT_API void voxport_voice_close(voxport_voice* voice);

typedef struct voxport_stream voxport_stream;

enum voxport_input {
  VOXPORT_TEXT = 0,      // sentences end at their marks, and at empty lines
  VOXPORT_LINES = 1,     // and at ends of lines
  VOXPORT_PHONEMES = 2,  // in the voice's own symbols, one utterance a line
  VOXPORT_IDS = 3,       // numbers, one utterance a line
};

typedef struct voxport_say_options {
  size_t struct_size;
  int input;
  const char *speaker, *language;  // by name or number; NULL: the first
  // In place of the voice's own; NULL: its own.
  const double *length_scale, *noise_scale, *noise_w, *pitch, *energy;
  uint64_t seed;
  int64_t chunk_frames;
  int one_shot;
  double sentence_silence;
  int whole;
} voxport_say_options;

// Begins to speak, and returns at once. Audio is computed when it is asked for.
VOXPORT_API int voxport_say(const voxport_voice* voice, const char* text,
                            const voxport_say_options* options, voxport_stream** stream,
                            voxport_error** error);
// The same of one utterance of ids; `input` of the options does not count.
VOXPORT_API int voxport_say_ids(const voxport_voice* voice, const int64_t* ids, size_t count,
                                const voxport_say_options* options, voxport_stream** stream,
                                voxport_error** error);

// A phoneme as it was spoken, in seconds from the start of all audio of the stream.
typedef struct voxport_phoneme {
  const char* symbol;
  double start, end;
} voxport_phoneme;

// An id as the network was given it.
typedef struct voxport_id {
  int64_t id;
  size_t symbol;    // that it belongs to: a pad to the one before it
  int64_t samples;  // that it lasts; -1 where the voice does not report durations
} voxport_id;

// A piece of audio. What it points to is valid until the stream's next piece is asked for, or the
// stream is closed.
typedef struct voxport_piece {
  size_t struct_size;    // set by the caller
  const float* samples;  // one channel, from -1 to 1
  size_t num_samples;
  int is_last;       // of its sentence
  const char* text;  // of the sentence, with its first piece; else NULL, and so is all that follows
  double start, end;
  const voxport_phoneme* phonemes;  // none where the voice does not report durations
  size_t num_phonemes;
  const char* const* symbols;  // the same phonemes, whether it does or not
  size_t num_symbols;
  const voxport_id* ids;
  size_t num_ids;
} voxport_piece;

// Waits for the next piece. VOXPORT_END when all was said, or the stream was cancelled.
VOXPORT_API int voxport_stream_next(voxport_stream* stream, voxport_piece* piece,
                                    voxport_error** error);
// What one should know of how the text was read so far, a line each: symbols that the voice does
// not have and that were left out. Valid until it is asked for again.
VOXPORT_API const char* voxport_stream_notes(voxport_stream* stream);
// From any thread: voxport_stream_next() returns VOXPORT_END from now on.
VOXPORT_API void voxport_stream_cancel(voxport_stream* stream);
// Cancels, too. May be NULL.
VOXPORT_API void voxport_stream_close(voxport_stream* stream);

// Samples as 16-bit numbers, as WAV has them; beyond -1 and 1 they are cut off.
VOXPORT_API void voxport_to_pcm16(const float* samples, size_t count, int16_t* pcm);

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming,modernize-*)

#endif
