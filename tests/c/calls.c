// Calls everything in voxport.h, as C11.
#define _POSIX_C_SOURCE 200809L
#include "calls.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <voxport/voxport.h>

#define EXPECT(what) \
  do { \
    if (!(what)) setting->tell(#what, __LINE__); \
  } while (false)

// The text of an error that is as expected, and no error where none is.
#define EXPECT_ERROR(call, code_, part) \
  do { \
    voxport_error *error = NULL; \
    const int code = call; \
    if (code != (code_)) setting->tell(#call " returns another code", __LINE__); \
    if (voxport_error_code(error) != (code_)) setting->tell(voxport_error_text(error), __LINE__); \
    if (!strstr(voxport_error_text(error), part)) \
      setting->tell(voxport_error_text(error), __LINE__); \
    voxport_error_free(error); \
  } while (false)
#define EXPECT_OK(call) EXPECT_ERROR(call, VOXPORT_OK, "")

enum { kLongestPath = 4096 };

typedef struct {
  char text[kLongestPath];
} path;

static path in(const char *folder, const char *name) {
  path joined;
  snprintf(joined.text, sizeof joined.text, "%s/%s", folder, name);
  return joined;
}

static bool contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

static void count_stage(const char *name, const char *detail, double seconds, void *user) {
  if (name[0] != '\0' && detail && seconds >= 0) ++*(int *)user;
}

static void keep_progress(double done, void *user) {
  if (done > *(double *)user) *(double *)user = done;
}

void call_reports(const calls_setting *setting) {
  EXPECT(contains(voxport_version(), "."));
  const path program = in(setting->data, "docs/linear.pt2");
  const path out = in(setting->folder, "linear.onnx");
  const char *const dynamic[] = {"x:0=batch"};
  const char *const names[] = {"y"};
  int stages = 0;
  const voxport_export_options options = {.struct_size = sizeof options,
                                          .opset = 18,
                                          .no_check = 1,
                                          .dynamic = {dynamic, 1},
                                          .output_names = {names, 1},
                                          .on_stage = count_stage,
                                          .user = &stages};
  voxport_report *report = NULL;
  EXPECT_OK(voxport_export(program.text, out.text, &options, &report, &error));
  EXPECT(contains(voxport_report_json(report), "\"x: float32[batch, 10]\""));
  EXPECT(contains(voxport_report_json(report), "\"opset\": 18") ||
         contains(voxport_report_json(report), "\"opset\":18"));
  EXPECT(voxport_report_code(report) == VOXPORT_OK);
  EXPECT(strcmp(voxport_report_html(report), "") == 0);
  EXPECT(strcmp(voxport_report_faults(report), "") == 0);
  EXPECT(stages > 0);
  voxport_report_free(report);
  const voxport_export_options sharing = {.struct_size = sizeof sharing, .share_weights = 1};
  EXPECT_ERROR(voxport_export(program.text, out.text, &sharing, &report, &error), VOXPORT_USAGE,
               "a program becomes one graph");

  double done = 0;
  const voxport_inspect_options all = {
      .struct_size = sizeof all, .stats = 1, .on_progress = keep_progress, .user = &done};
  EXPECT_OK(voxport_inspect(program.text, &all, &report, &error));
  EXPECT(contains(voxport_report_json(report), "\"mean\""));
  EXPECT(done > 0 && done <= 1);
  voxport_report_free(report);

  EXPECT_OK(voxport_scan(program.text, NULL, &report, &error));
  EXPECT(voxport_report_code(report) == VOXPORT_OK);
  voxport_report_free(report);
  const path attack = in(setting->data, "scan/attacks/allowed_names.pt");
  EXPECT_OK(voxport_scan(attack.text, NULL, &report, &error));
  EXPECT(voxport_report_code(report) == VOXPORT_DANGEROUS);
  voxport_report_free(report);
}

void call_with_options_of_other_versions(const calls_setting *setting) {
  const path program = in(setting->data, "docs/linear.pt2");
  voxport_report *report = NULL;
  struct {
    voxport_inspect_options options;
    char later[16];
  } newer = {.options = {.struct_size = sizeof newer, .stats = 1}};
  EXPECT_OK(voxport_inspect(program.text, &newer.options, &report, &error));
  EXPECT(contains(voxport_report_json(report), "\"mean\""));
  voxport_report_free(report);
  newer.later[3] = 1;
  EXPECT_ERROR(voxport_inspect(program.text, &newer.options, &report, &error), VOXPORT_USAGE,
               "an option is set that this version of voxport does not have");

  // An older one ends before the callbacks: what lies there is not looked at.
  voxport_inspect_options older = {.struct_size = offsetof(voxport_inspect_options, on_stage),
                                   .on_stage = (voxport_on_stage)(uintptr_t)1};
  EXPECT_OK(voxport_inspect(program.text, &older, &report, &error));
  voxport_report_free(report);
  older.struct_size = 0;
  EXPECT_ERROR(voxport_inspect(program.text, &older, &report, &error), VOXPORT_USAGE,
               "struct_size is 0, expected the size of the struct");
  older.struct_size = sizeof(voxport_inspect_options *);
  EXPECT_ERROR(voxport_inspect(program.text, &older, &report, &error), VOXPORT_USAGE,
               "struct_size is 8, expected the size of the struct");
  older.struct_size = offsetof(voxport_inspect_options, model) + 4;
  EXPECT_ERROR(voxport_inspect(program.text, &older, &report, &error), VOXPORT_USAGE,
               "struct_size is 20, expected the size of the struct");
  older.struct_size = (size_t)-1;
  EXPECT_ERROR(voxport_inspect(program.text, &older, &report, &error), VOXPORT_USAGE,
               "struct_size is 18446744073709551615, expected the size of the struct");
}

void call_without_arguments(const calls_setting *setting) {
  const path program = in(setting->data, "docs/linear.pt2");
  voxport_report *report = NULL;
  voxport_voice *voice = NULL;
  voxport_stream *stream = NULL;
  voxport_piece piece = {.struct_size = sizeof piece};
  EXPECT_ERROR(voxport_inspect(NULL, NULL, &report, &error), VOXPORT_USAGE,
               "the argument 'path' is NULL");
  EXPECT_ERROR(voxport_inspect(program.text, NULL, NULL, &error), VOXPORT_USAGE,
               "the argument 'report' is NULL");
  EXPECT_ERROR(voxport_export(program.text, NULL, NULL, &report, &error), VOXPORT_USAGE,
               "the argument 'out' is NULL");
  EXPECT_ERROR(voxport_check(NULL, NULL, &report, &error), VOXPORT_USAGE,
               "the argument 'model' is NULL");
  EXPECT_ERROR(voxport_scan(NULL, NULL, &report, &error), VOXPORT_USAGE,
               "the argument 'path' is NULL");
  EXPECT_ERROR(voxport_voice_open(NULL, NULL, &voice, &error), VOXPORT_USAGE,
               "the argument 'path' is NULL");
  EXPECT_ERROR(voxport_say(NULL, "hello", NULL, &stream, &error), VOXPORT_USAGE,
               "the argument 'voice' is NULL");
  EXPECT_ERROR(voxport_say_ids(NULL, NULL, 1, NULL, &stream, &error), VOXPORT_USAGE,
               "the argument 'ids' is NULL");
  EXPECT_ERROR(voxport_stream_next(NULL, &piece, &error), VOXPORT_USAGE,
               "the argument 'stream' is NULL");
  EXPECT(!report && !voice && !stream);

  const voxport_export_options no_items = {.struct_size = sizeof no_items, .dynamic = {NULL, 1}};
  EXPECT_ERROR(voxport_export(program.text, "it.onnx", &no_items, &report, &error), VOXPORT_USAGE,
               "the argument 'dynamic' is NULL");
  const voxport_export_options no_choice = {.struct_size = sizeof no_choice, .duration_control = 3};
  EXPECT_ERROR(voxport_export(program.text, "it.onnx", &no_choice, &report, &error), VOXPORT_USAGE,
               "duration_control is 3, expected 0 to 2");

  const float samples[] = {-2, -1, 0, 0.5F, 1};
  const int16_t expected[] = {-32767, -32767, 0, 16384, 32767};
  int16_t pcm[5];
  voxport_to_pcm16(samples, 5, pcm);
  EXPECT(memcmp(pcm, expected, sizeof pcm) == 0);

  // Nobody need ask for the text.
  EXPECT(voxport_inspect("/nonexistent", NULL, &report, NULL) == VOXPORT_UNREADABLE);
  EXPECT(voxport_error_code(NULL) == VOXPORT_OK);
  EXPECT(strcmp(voxport_error_text(NULL), "") == 0);
  EXPECT(strcmp(voxport_error_option(NULL), "") == 0);
  EXPECT(strcmp(voxport_report_json(NULL), "") == 0);
  EXPECT(strcmp(voxport_report_html(NULL), "") == 0);
  EXPECT(strcmp(voxport_report_faults(NULL), "") == 0);
  EXPECT(voxport_report_code(NULL) == VOXPORT_USAGE);
  EXPECT(strcmp(voxport_voice_json(NULL), "") == 0);
  EXPECT(voxport_voice_sample_rate(NULL) == 0);
  EXPECT(strcmp(voxport_stream_notes(NULL), "") == 0);
  voxport_error_free(NULL);
  voxport_report_free(NULL);
  voxport_voice_close(NULL);
  voxport_stream_cancel(NULL);
  voxport_stream_close(NULL);
}

void call_checks(const calls_setting *setting) {
  const path baked = in(setting->data, "onnx/baked-reshape.onnx");
  voxport_report *report = NULL;
  double done = 0;
  const int64_t sizes[] = {2, 3, 5};
  const voxport_pair inputs[] = {{"x", "0..1"}};
  const double seconds = 30;
  const double tolerance = 0;
  const voxport_check_options options = {.struct_size = sizeof options,
                                         .quick = 1,
                                         .sizes = {sizes, 3},
                                         .allow_multiple = 1,
                                         .seconds = &seconds,
                                         .inputs = {inputs, 1},
                                         .tolerance = &tolerance,
                                         .on_progress = keep_progress,
                                         .user = &done};
  EXPECT_OK(voxport_check(baked.text, &options, &report, &error));
  EXPECT(voxport_report_code(report) == VOXPORT_CHECK_FAILED);
  EXPECT(contains(voxport_report_faults(report),
                  "time is fixed at 7 by Reshape '/Reshape', its shape, the constant [2, 7, 3, 4]"));
  EXPECT(contains(voxport_report_html(report), "<html"));
  EXPECT(done > 0);
  voxport_report_free(report);

  const path full = in(setting->data, "onnx/full.onnx");
  const voxport_check_options quick = {.struct_size = sizeof quick, .quick = 1};
  EXPECT_OK(voxport_check(full.text, &quick, &report, &error));
  EXPECT(voxport_report_code(report) == VOXPORT_OK);
  EXPECT(strcmp(voxport_report_faults(report), "") == 0);
  voxport_report_free(report);

  const double never = -1;
  const voxport_check_options no_time = {.struct_size = sizeof no_time, .seconds = &never};
  EXPECT_ERROR(voxport_check(full.text, &no_time, &report, &error), VOXPORT_USAGE,
               "the check may take -1 s");
  const voxport_pair no_input[] = {{"z", "1"}};
  const voxport_check_options unknown = {.struct_size = sizeof unknown, .inputs = {no_input, 1}};
  EXPECT_ERROR(voxport_check(full.text, &unknown, &report, &error), VOXPORT_USAGE,
               "there is no input 'z'");
}

void call_graphs(const calls_setting *setting) {
  const path full = in(setting->data, "onnx/full.onnx");
  voxport_graph *graph = NULL;
  const voxport_graph_options options = {
      .struct_size = sizeof options, .threads = 1, .seconds = 30};
  EXPECT_OK(voxport_graph_open(full.text, &options, &graph, &error));
  EXPECT(strcmp(voxport_graph_json(graph),
                "{\"inputs\":[{\"name\":\"input_tokens\",\"dtype\":\"int64\","
                "\"shape\":[\"batch_size\",\"sequence_length\"]}],"
                "\"outputs\":[{\"name\":\"output_mel\",\"dtype\":\"float32\","
                "\"shape\":[\"batch_size\",\"sequence_length\",80]}]}") == 0);

  const int64_t tokens[] = {5, 3, 8, 1, 2, 7};
  const int64_t shape[] = {2, 3};
  voxport_tensor input = {"input_tokens", "int64", shape, 2, tokens, sizeof tokens};
  voxport_tensors *outputs = NULL;
  EXPECT_OK(voxport_graph_run(graph, &input, 1, &outputs, &error));
  EXPECT(voxport_tensors_count(outputs) == 1);
  const voxport_tensor *mel = voxport_tensors_items(outputs);
  EXPECT(strcmp(mel->name, "output_mel") == 0 && strcmp(mel->dtype, "float32") == 0);
  EXPECT(mel->rank == 3 && mel->shape[0] == 2 && mel->shape[1] == 3 && mel->shape[2] == 80);
  EXPECT(mel->num_bytes == sizeof(float) * 2 * 3 * 80);

  // Each token is an utterance of its own in this model, so that one alone gives the same.
  const int64_t alone[] = {1, 1};
  voxport_tensors *one = NULL;
  const voxport_tensor last = {"input_tokens", "int64", alone, 2, &tokens[5], sizeof tokens[5]};
  EXPECT_OK(voxport_graph_run(graph, &last, 1, &one, &error));
  const float *in_row = (const float*)mel->data + 5 * 80;
  const float *by_itself = voxport_tensors_items(one)->data;
  for (int i = 0; i < 80; ++i)
    EXPECT(in_row[i] - by_itself[i] < 1e-6F && by_itself[i] - in_row[i] < 1e-6F);
  voxport_tensors_free(one);
  voxport_tensors_free(outputs);

  EXPECT_ERROR(voxport_graph_run(graph, NULL, 0, &outputs, &error), VOXPORT_USAGE,
               "missing      input_tokens");
  EXPECT_ERROR(voxport_graph_run(graph, NULL, 1, &outputs, &error), VOXPORT_USAGE,
               "the argument 'inputs' is NULL");
  EXPECT_ERROR(voxport_graph_run(NULL, &input, 1, &outputs, &error), VOXPORT_USAGE,
               "the argument 'graph' is NULL");
  EXPECT_ERROR(voxport_graph_run(graph, &input, 1, NULL, &error), VOXPORT_USAGE,
               "the argument 'outputs' is NULL");
  const voxport_tensor twice[] = {input, input};
  EXPECT_ERROR(voxport_graph_run(graph, twice, 2, &outputs, &error), VOXPORT_USAGE,
               "the input 'input_tokens' is given twice");
  input.num_bytes = 8;
  EXPECT_ERROR(voxport_graph_run(graph, &input, 1, &outputs, &error), VOXPORT_USAGE,
               "the input 'input_tokens' has 8 bytes, expected those of int64 [2, 3]");
  const int64_t huge[] = {INT64_MAX, INT64_MAX};
  input.shape = huge;
  EXPECT_ERROR(voxport_graph_run(graph, &input, 1, &outputs, &error), VOXPORT_USAGE,
               "has 8 bytes, expected those of int64 [9223372036854775807, 9223372036854775807]");
  const int64_t negative[] = {-1, -1};
  input.shape = negative;
  EXPECT_ERROR(voxport_graph_run(graph, &input, 1, &outputs, &error), VOXPORT_USAGE, "[-1, -1]");
  input = (voxport_tensor){"input_tokens", "int", shape, 2, tokens, sizeof tokens};
  EXPECT_ERROR(voxport_graph_run(graph, &input, 1, &outputs, &error), VOXPORT_USAGE,
               "has the type 'int', expected one such as float32");
  input = (voxport_tensor){"input_tokens", "int64", shape, 2, NULL, sizeof tokens};
  EXPECT_ERROR(voxport_graph_run(graph, &input, 1, &outputs, &error), VOXPORT_USAGE,
               "the argument 'data' is NULL");
  voxport_graph_close(graph);

  EXPECT_ERROR(voxport_graph_open(full.text, NULL, NULL, &error), VOXPORT_USAGE, "'graph' is NULL");
  EXPECT_ERROR(voxport_graph_open("/nonexistent", NULL, &graph, &error), VOXPORT_UNREADABLE,
               "/nonexistent");
  const voxport_graph_options never = {.struct_size = sizeof never, .seconds = -1};
  EXPECT_ERROR(voxport_graph_open(full.text, &never, &graph, &error), VOXPORT_USAGE,
               "a run may take -1 s");
  voxport_graph_close(NULL);
  voxport_tensors_free(NULL);
  EXPECT(voxport_tensors_count(NULL) == 0 && !voxport_tensors_items(NULL));
  EXPECT(strcmp(voxport_graph_json(NULL), "") == 0);
}

static void export_voice(const calls_setting *setting, path out) {
  const path checkpoint = in(setting->data, "voices/single.ckpt");
  const path config = in(setting->folder, "letters.json");
  const char *const configs[] = {config.text};
  const voxport_export_options options = {
      .struct_size = sizeof options, .configs = {configs, 1}, .plain = 1, .no_check = 1};
  voxport_report *report = NULL;
  EXPECT_OK(voxport_export(checkpoint.text, out.text, &options, &report, &error));
  voxport_report_free(report);
}

// A small voice whose phonemes are letters, exported when it is first asked for.
static voxport_voice *open_voice(const calls_setting *setting) {
  const path out = in(setting->folder, "voice");
  if (access(out.text, F_OK) != 0) export_voice(setting, out);
  voxport_voice_options one_thread = {.struct_size = sizeof one_thread, .threads = 1};
  voxport_voice *voice = NULL;
  EXPECT_OK(voxport_voice_open(out.text, &one_thread, &voice, &error));
  one_thread.config = out.text;
  voxport_voice *other = NULL;
  EXPECT_ERROR(voxport_voice_open(out.text, &one_thread, &other, &error), VOXPORT_USAGE,
               "is an exported folder, which has its config in it");
  return voice;
}

// What a stream said, until its end.
typedef struct {
  size_t samples, pieces, sentences, phonemes;
  double sum;       // of all samples, however they were cut
  double last_end;  // of a phoneme
  bool is_in_order;
} spoken;

static spoken all_of(const calls_setting *setting, voxport_stream *stream) {
  spoken all = {.is_in_order = true};
  voxport_piece piece = {.struct_size = sizeof piece};
  voxport_error *error = NULL;
  int code = VOXPORT_OK;
  while ((code = voxport_stream_next(stream, &piece, &error)) == VOXPORT_OK) {
    ++all.pieces;
    all.samples += piece.num_samples;
    for (size_t i = 0; i < piece.num_samples; ++i) all.sum += piece.samples[i];
    if (piece.text) ++all.sentences;
    for (size_t i = 0; i < piece.num_phonemes; ++i) {
      const voxport_phoneme *phoneme = &piece.phonemes[i];
      all.is_in_order &= phoneme->symbol[0] != '\0' && phoneme->start >= all.last_end - 1e-6 &&
                         phoneme->end >= phoneme->start;
      all.last_end = phoneme->end;
    }
    all.phonemes += piece.num_phonemes;
  }
  EXPECT(code == VOXPORT_END);
  EXPECT(!error);
  return all;
}

// The last bits of samples depend on how they were cut; 1e-2 is what some 1e5 of them add up to.
static bool is_same(spoken a, spoken b) {
  const double apart = a.sum - b.sum;
  return a.samples == b.samples && -1e-2 < apart && apart < 1e-2;
}

// Its phonemes have the ids, which last as long as the audio.
static void expect_ids(const calls_setting *setting, const voxport_voice *voice, const int64_t *ids,
                       size_t samples) {
  voxport_stream *stream = NULL;
  voxport_piece piece = {.struct_size = sizeof piece};
  const voxport_say_options phonemes = {.struct_size = sizeof phonemes, .input = VOXPORT_PHONEMES};
  EXPECT_OK(voxport_say(voice, "he", &phonemes, &stream, &error));
  EXPECT_OK(voxport_stream_next(stream, &piece, &error));
  const char *const symbols[] = {"^", "h", "e", "$"};
  const size_t symbol_of[] = {0, 0, 1, 1, 2, 2, 3};
  EXPECT(piece.num_ids == 7 && piece.num_symbols == 4 && piece.num_phonemes == 4);
  for (size_t i = 0; i < piece.num_symbols; ++i)
    EXPECT(strcmp(piece.symbols[i], symbols[i]) == 0 &&
           strcmp(piece.phonemes[i].symbol, symbols[i]) == 0);
  for (size_t i = 0; i < piece.num_ids; ++i) {
    EXPECT(piece.ids[i].id == ids[i] && piece.ids[i].symbol == symbol_of[i]);
    samples -= (size_t)piece.ids[i].samples;
  }
  EXPECT(samples == 0);
  voxport_stream_close(stream);
}

void call_voices(const calls_setting *setting) {
  voxport_voice *voice = open_voice(setting);
  if (!voice) return;
  EXPECT(voxport_voice_sample_rate(voice) == 22050);
  EXPECT(contains(voxport_voice_json(voice), "\"takes_text\": true") ||
         contains(voxport_voice_json(voice), "\"takes_text\":true"));

  voxport_stream *stream = NULL;
  const double scale = 1;
  voxport_say_options options = {
      .struct_size = sizeof options, .length_scale = &scale, .noise_w = &scale, .seed = 7};
  EXPECT_OK(voxport_say(voice, "Hello there. Good day.", &options, &stream, &error));
  const spoken streamed = all_of(setting, stream);
  voxport_stream_close(stream);
  EXPECT(streamed.sentences == 2 && streamed.pieces > 2 && streamed.samples > 0);
  EXPECT(streamed.phonemes > 20 && streamed.is_in_order);

  options.one_shot = 1;
  options.sentence_silence = 0.5;
  EXPECT_OK(voxport_say(voice, "Hello there. Good day.", &options, &stream, &error));
  spoken at_once = all_of(setting, stream);
  voxport_stream_close(stream);
  EXPECT(at_once.pieces == 2 && at_once.samples == streamed.samples + 22050);
  at_once.samples -= 22050;  // of silence
  EXPECT(is_same(at_once, streamed));

  const int64_t ids[] = {1, 0, 17, 0, 14, 0, 2};
  EXPECT_OK(voxport_say_ids(voice, ids, 7, NULL, &stream, &error));
  const spoken of_ids = all_of(setting, stream);
  EXPECT(of_ids.sentences == 1 && of_ids.samples > 0);
  voxport_stream_close(stream);
  expect_ids(setting, voice, ids, of_ids.samples);
  options = (voxport_say_options){.struct_size = sizeof options, .input = VOXPORT_IDS};
  EXPECT_OK(voxport_say(voice, "1 0 17 0 14 0 2", &options, &stream, &error));
  EXPECT(is_same(all_of(setting, stream), of_ids));
  voxport_stream_close(stream);
  options.input = VOXPORT_PHONEMES;
  EXPECT_OK(voxport_say(voice, "he", &options, &stream, &error));
  EXPECT(is_same(all_of(setting, stream), of_ids));
  voxport_stream_close(stream);

  EXPECT_OK(voxport_say(voice, "h\xc3\xa9llo", NULL, &stream, &error));
  all_of(setting, stream);
  EXPECT(contains(voxport_stream_notes(stream), "the voice has no symbol"));
  voxport_stream_close(stream);

  const int64_t bad[] = {1, 99999};
  EXPECT_OK(voxport_say_ids(voice, bad, 2, NULL, &stream, &error));
  voxport_piece piece = {.struct_size = 0};
  EXPECT_ERROR(voxport_stream_next(stream, &piece, &error), VOXPORT_USAGE, "struct_size is 0");
  piece.struct_size = sizeof piece;
  EXPECT_ERROR(voxport_stream_next(stream, &piece, &error), VOXPORT_USAGE, "99999");
  voxport_stream_close(stream);
  options = (voxport_say_options){.struct_size = sizeof options, .speaker = "nobody"};
  stream = NULL;
  EXPECT_ERROR(voxport_say(voice, "hello", &options, &stream, &error), VOXPORT_USAGE,
               "there is no speaker 'nobody'");
  EXPECT(!stream);

  // A piece of an older version has no phonemes, and nothing is written beyond its end.
  struct {
    voxport_piece piece;
    char beyond;
  } older = {.piece = {.struct_size = offsetof(voxport_piece, phonemes)}};
  older.piece.phonemes = (const voxport_phoneme *)&older;
  EXPECT_OK(voxport_say(voice, "hello", NULL, &stream, &error));
  voxport_voice_close(voice);  // the stream goes on
  EXPECT_OK(voxport_stream_next(stream, &older.piece, &error));
  EXPECT(older.piece.text && older.piece.num_samples > 0);
  EXPECT(older.piece.phonemes == (const voxport_phoneme *)&older);
  voxport_stream_cancel(stream);
  voxport_error *error = NULL;
  EXPECT(voxport_stream_next(stream, &piece, &error) == VOXPORT_END && !error);
  voxport_stream_close(stream);
}

typedef struct {
  const calls_setting *setting;
  voxport_voice *voice;
  spoken said;
} speaker;

static void *speak(void *argument) {
  speaker *self = argument;
  const calls_setting *setting = self->setting;
  voxport_stream *stream = NULL;
  EXPECT_OK(voxport_say(self->voice, "hello there.", NULL, &stream, &error));
  self->said = all_of(setting, stream);
  voxport_stream_close(stream);
  return NULL;
}

static void *cancel(void *stream) {
  voxport_stream_cancel(stream);
  return NULL;
}

void call_from_two_threads(const calls_setting *setting) {
  voxport_voice *voice = open_voice(setting);
  if (!voice) return;
  speaker speakers[2] = {{setting, voice, {0}}, {setting, voice, {0}}};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, speak, &speakers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  EXPECT(speakers[0].said.samples > 0 && is_same(speakers[0].said, speakers[1].said));

  voxport_stream *stream = NULL;
  EXPECT_OK(voxport_say(voice, "One. Two. Three. Four. Five.", NULL, &stream, &error));
  pthread_create(&threads[0], NULL, cancel, stream);
  all_of(setting, stream);  // ends, wherever it is
  pthread_join(threads[0], NULL);
  voxport_stream_close(stream);
  voxport_voice_close(voice);
}
