// By which names the server may be called.
#include "serve/allowed_hosts.h"

#include <gtest/gtest.h>

#include "tests/serve/letters_voice.h"

namespace voxport::allowed_hosts_test {
namespace {

TEST(AllowedHosts, OfLoopbackAreItsOwnNames) {
  const AllowedHosts hosts("127.0.0.1:5000", {});
  for (const char* own : {"localhost", "localhost:5000", "LocalHost.", "127.0.0.1", "127.0.0.1:80",
                          "127.8.9.10:1", "[::1]", "[::1]:5000", "[::ffff:127.0.0.1]:5000", ""})
    EXPECT_TRUE(hosts.allow(own)) << own;
  for (const char* other :
       {"evil.example", "evil.example:5000", "localhost.evil.example", "127.0.0.1.evil.example",
        "192.168.0.2:5000", "[fd00::1]:5000", "0.0.0.0:5000", "127.1", "[::1", "::1:x", ":5000",
        "*", "localhost@evil.example", "localhost/", "[localhost]"})
    EXPECT_FALSE(hosts.allow(other)) << other;
  for (const char* loopback : {"[::1]:5000", "localhost:0", "[::ffff:127.0.0.1]:80"})
    EXPECT_FALSE(AllowedHosts(loopback, {}).allow("evil.example")) << loopback;
}

TEST(AllowedHosts, AreAlsoThoseThatItWasTold) {
  const AllowedHosts hosts("127.0.0.1:5000", {"voices.example.org", "10.0.0.7"});
  EXPECT_TRUE(hosts.allow("voices.example.org"));
  EXPECT_TRUE(hosts.allow("Voices.Example.Org.:443"));
  EXPECT_TRUE(hosts.allow("10.0.0.7:5000"));
  EXPECT_TRUE(hosts.allow("localhost"));
  EXPECT_FALSE(hosts.allow("example.org"));
  EXPECT_TRUE(AllowedHosts("127.0.0.1:5000", {"*"}).allow("evil.example"));
}

// A container or a machine of a network has names that it does not know.
TEST(AllowedHosts, AreAllWhereOthersReachTheServer) {
  EXPECT_TRUE(AllowedHosts("0.0.0.0:5000", {}).allow("evil.example"));
  EXPECT_TRUE(AllowedHosts("[::]:5000", {}).allow("evil.example"));
  const AllowedHosts named("0.0.0.0:5000", {"voices.example.org"});
  EXPECT_TRUE(named.allow("voices.example.org:5000"));
  EXPECT_TRUE(named.allow("10.0.0.7:5000"));  // as probes of Kubernetes ask
  EXPECT_FALSE(named.allow("evil.example"));
}

TEST(AllowedHosts, MustBeNames) {
  for (const char* wrong : {"", "http://a.org", "a.org:80", "a b", "a/b"})
    EXPECT_EQ(message_of([&] { AllowedHosts("127.0.0.1:1", {wrong}); }),
              cat("'", wrong, "' is no name of a host, expected one such as voices.example.org"));
}

}  // namespace
}  // namespace voxport::allowed_hosts_test
