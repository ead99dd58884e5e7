// What calls.c does, for the test that is written in C++.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Told of everything that is not as it should be.
typedef void (*on_mismatch)(const char* what, int line);

typedef struct {
  const char* data;    // tests/data
  const char* folder;  // for files of its own; letters.json is there
  on_mismatch tell;
} calls_setting;

void call_reports(const calls_setting* setting);
void call_with_options_of_other_versions(const calls_setting* setting);
void call_without_arguments(const calls_setting* setting);
void call_checks(const calls_setting* setting);  // needs ONNX Runtime, and so does what follows
void call_graphs(const calls_setting* setting);
void call_voices(const calls_setting* setting);
void call_from_two_threads(const calls_setting* setting);

#ifdef __cplusplus
}
#endif
