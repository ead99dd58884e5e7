#include <voxport/export.h>

#include "c/options.h"
#include "c/report.h"

namespace voxport::c {
namespace {

ExportOptions options_of(const voxport_export_options* from) {
  const voxport_export_options given = take_options(from);
  ExportOptions options;
  options.architecture = text_of(given.architecture);
  options.configs = paths_of("configs", given.configs);
  options.hyper_parameters = pairs_of("hyper_parameters", given.hyper_parameters);
  if (given.opset != 0) options.opset = given.opset;
  options.plain = given.plain != 0;
  options.share_weights = given.share_weights != 0;
  options.target = text_of(given.target);
  options.check = given.no_check == 0;
  options.noise_input = given.noise_input != 0;
  options.cut_after_flow = given.cut_after_flow != 0;
  options.batch_scales = given.batch_scales != 0;
  options.d_vector_input = given.d_vector_input != 0;
  options.own_energy_control = given.own_energy_control != 0;
  options.silent_padding = given.silent_padding != 0;
  options.duration_control =
      choice_of("duration_control", given.duration_control, DurationControl::kRounded);
  options.vocoder = text_of(given.vocoder);
  options.vocoder_configs = paths_of("vocoder_configs", given.vocoder_configs);
  options.inputs = texts_of("inputs", given.inputs);
  options.dynamic = texts_of("dynamic", given.dynamic);
  options.input_names = texts_of("input_names", given.input_names);
  options.output_names = texts_of("output_names", given.output_names);
  options.model = text_of(given.model);
  options.allow_fixed = given.allow_fixed != 0;
  options.method = text_of(given.method);
  options.on_stage = on_stage_of(given);
  return options;
}

static_assert(VOXPORT_DURATION_BEST == static_cast<int>(DurationControl::kBest) &&
              VOXPORT_DURATION_TRUNCATED == static_cast<int>(DurationControl::kTruncated) &&
              VOXPORT_DURATION_ROUNDED == static_cast<int>(DurationControl::kRounded));

}  // namespace
}  // namespace voxport::c

int voxport_export(const char* checkpoint, const char* out, const voxport_export_options* options,
                   voxport_report** report, voxport_error** error) {
  using namespace voxport;
  return c::report_of(report, error, [&] {
    return voxport_report{to_json(export_model(c::required("checkpoint", checkpoint),
                                               c::required("out", out), c::options_of(options)))};
  });
}
