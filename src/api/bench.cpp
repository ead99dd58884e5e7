#include <voxport/bench.h>

#include "api/checkpoint_exporter.h"
#include "base/fail.h"
#include "voice/files.h"
#include "voice/measure.h"

namespace voxport {

BenchReport bench_voice(const std::filesystem::path& path, const BenchOptions& options) {
  if (options.runs < 1) fail(Error::kUsage, options.runs, " runs, expected 1 or more");
  return in_context(cat("measuring ", in_quotes(path.native())), [&] {
    BenchReport report =
        measure_voice(find_voice(path, options.voice, checkpoint_exporter()), options);
    report.path = path.native();
    return report;
  });
}

}  // namespace voxport
