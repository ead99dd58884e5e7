// What voxport serve makes of its arguments. The server itself is tested in tests/serve.
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::serve_test {
namespace {

class Serve : public testing::Test {
 protected:
  void SetUp() override {
    NEEDS_RUNTIME();
    voice_ = (folder_ / "voice").string();
    export_voice(cat(data("voices/one-layer.ckpt "), voice_));
  }

  // What goes wrong before anything is served.
  std::string error_of(const std::string& arguments) const {
    const Result result = run("serve " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  }

  TemporaryFolder folder_;
  std::string voice_;
};

TEST_F(Serve, TakesSeveralVoices) {
  EXPECT_EQ(error_of(cat("a=", voice_, " b=", voice_, " --http 127.0.0.1:0 a=", voice_)),
            "voxport: two voices are named 'a'\n");
  EXPECT_EQ(error_of(cat(voice_, " ", voice_, "/")), "voxport: two voices are named 'voice'\n");
}

TEST_F(Serve, NeedsNoHttp) {
  EXPECT_EQ(error_of(voice_ + " --http none"), "voxport: there is no address to listen at\n");
}

TEST_F(Serve, TakesSeveralHosts) {
  EXPECT_EQ(error_of(voice_ + " --host a.org --host 'b c'"),
            "voxport: 'b c' is no name of a host, expected one such as voices.example.org\n");
}

}  // namespace
}  // namespace voxport::serve_test
