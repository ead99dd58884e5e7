// espeak-ng beside a voice that lives long: it may end while nobody speaks.
#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <voxport/error.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/voices.h"

namespace voxport::speak_espeak_test {
namespace {

TEST(SpokenByEspeak, IsSpokenThoughEspeakHasEnded) {
  NEEDS_RUNTIME();
  if (std::system("espeak-ng --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no espeak-ng";
  const TemporaryFolder folder;
  const std::string program = (folder / "espeak").string();
  const std::string pids = (folder / "pids").string();
  write_file(program, cat("#!/bin/sh\necho $$ >>", pids, "\nexec espeak-ng \"$@\"\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ExportOptions exporting = voice_named("slt-x_low").options;
  exporting.check = false;
  export_model(voice_named("slt-x_low").checkpoint, folder / "voice", exporting);
  VoiceOptions options;
  options.espeak = program;
  const Voice voice(folder / "voice", options);
  const Samples expected = all_of(Voice(folder / "voice").speak("Hello world.")).samples;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(all_of(voice.speak("Hello world.")).samples, expected);
    std::ifstream file(pids);
    pid_t last = 0;
    for (pid_t pid = 0; file >> pid;) last = pid;
    ASSERT_GT(last, 0);
    ASSERT_EQ(kill(last, SIGKILL), 0) << "an idle one that is kept";
  }
  EXPECT_EQ(all_of(voice.speak("Hello world.")).samples, expected);
}

}  // namespace
}  // namespace voxport::speak_espeak_test
