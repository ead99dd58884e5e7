#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <voxport/check.h>
#include <voxport/exit_code.h>

#include "base/fail.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/families.h"
#include "cli/number_option.h"
#include "cli/terminal.h"

// voxport check model.onnx
// voxport check model.onnx --reference cases.safetensors
// voxport check model.onnx --html report.html
namespace voxport {
namespace {

constexpr char kDescription[] =
    "Prove that the axes of an ONNX model are dynamic, or name the node that fixes one. The\n"
    "model, whichever exporter wrote it, is run at many sizes of each axis, separately and\n"
    "together, and its outputs are compared with what the file declares. The exit code is 0 if\n"
    "every axis is dynamic, every declared name is true and every comparison is within its\n"
    "tolerance, and 1 if not.";

constexpr char kFooter[] =
    "Examples:\n"
    "  voxport check model.onnx\n"
    "  voxport check model.onnx --input 'tokens=0..99' --sizes 1,7,300\n"
    "  voxport check voice.onnx --reference cases.safetensors --tolerance 1e-5\n"
    "  voxport check model.onnx --html report.html";

struct Options {
  std::string model;
  std::vector<std::string> allowed;
  std::vector<std::string> inputs, references;
  std::string html;
  CheckOptions library;
  double gigabytes = 0;
  bool json = false;
  bool quiet = false;
  bool debug = false;
};

std::string culprit_text(const CheckCulprit& culprit) {
  std::string text =
      cat("    fixed by  ", culprit.op, " ", in_quotes(culprit.node), ", node ", culprit.position,
          culprit.holder.empty() ? "" : ": ", culprit.holder, "\n");
  if (culprit.path.size() > 1) {
    text += "    path      ";
    constexpr std::size_t kShown = 6;
    for (std::size_t i = 0; i < culprit.path.size(); ++i) {
      const bool is_skipped = culprit.path.size() > kShown && i >= 3 && i + 3 < culprit.path.size();
      if (is_skipped) {
        if (i == 3) text += " > ...";
        continue;
      }
      text += cat(i == 0 ? "" : " > ", printable(culprit.path[i], 60));
    }
    text += "\n";
  }
  text += cat("    cause     ", culprit.cause, "\n    fix       ", culprit.fix, "\n");
  return text;
}

std::string axes_text(const CheckReport& report) {
  std::string text;
  Table table("lllll");
  for (const CheckAxis& axis : report.axes) {
    if (axis.verdict == CheckAxis::kRequired) continue;
    const std::string node = axis.needed_by();
    table.add({axis.is_good() ? "ok" : red("no"), printable(axis.name, 40),
               places_text(axis.places), axis.text(),
               node.empty() ? "" : "needed by " + printable(node, 200)});
  }
  text += table.text();
  for (const CheckAxis& axis : report.axes) {
    if (axis.is_good()) continue;
    text += cat("\n  ", bold(printable(axis.name, 40)), " is ", axis.text(), "\n");
    if (axis.verdict == CheckAxis::kCouldBeDynamic) {
      text +=
          "    no node requires this size: export with this axis in dynamic_axes (or "
          "dynamic_shapes)\n";
      continue;
    }
    if (axis.verdict == CheckAxis::kLimited && axis.multiple > 1)
      text += "    other sizes do not run; --allow multiple accepts that\n";
    if (axis.culprit) text += culprit_text(*axis.culprit);
    if (!axis.error.empty()) text += cat("    ONNX Runtime  ", printable(axis.error, 300), "\n");
  }
  return text;
}

// Axes of outputs that are as declared and of which nothing is to be said, by family and axis.
using OutputFamilies =
    std::map<std::pair<std::string, std::size_t>, std::vector<const CheckOutput*>>;

OutputFamilies families_of(const std::vector<CheckOutput>& outputs) {
  OutputFamilies families;
  for (const CheckOutput& output : outputs) {
    const auto family = family_of(output.name);
    if (family && output.is_true && output.remark.empty() && !output.culprit)
      families[{*family, output.axis}].push_back(&output);
  }
  std::erase_if(families, [](const auto& one) { return one.second.size() < kLeastFamily; });
  return families;
}

std::string family_text(const std::vector<const CheckOutput*>& members) {
  return cat(printable(members.front()->name, 40), " to ", printable(members.back()->name, 40), ":",
             members.front()->axis);
}

std::string declared_text(const std::vector<const CheckOutput*>& members) {
  std::vector<std::string> declared;
  declared.reserve(members.size());
  for (const CheckOutput* member : members) declared.push_back(member->declared);
  return distinct_text(declared);
}

std::string outputs_text(const CheckReport& report) {
  Table table("lllll");
  std::string details;
  const OutputFamilies families = families_of(report.outputs);
  for (const CheckOutput& output : report.outputs) {
    const auto family = families.find({family_of(output.name).value_or(""), output.axis});
    const bool is_told_together =
        family != families.end() &&
        std::ranges::find(family->second, &output) != family->second.end();
    if (is_told_together) {
      if (family->second.front() == &output)
        table.add({"ok", family_text(family->second), declared_text(family->second), "", ""});
      continue;
    }
    table.add({output.is_true ? "ok" : red("no"), cat(printable(output.name, 40), ":", output.axis),
               printable(output.declared, 40), printable(output.remark, 200),
               output.is_true && output.actual != output.declared && !output.actual.empty()
                   ? cat("= ", output.actual)
                   : ""});
    if (output.culprit)
      details += cat("\n  ", bold(cat(printable(output.name, 40), ":", output.axis)), " ",
                     output.remark, "\n", culprit_text(*output.culprit));
  }
  return table.text() + details;
}

std::string cases_text(const CheckReport& report) {
  Table table("lllrrl");
  for (const CheckedCase& one : report.cases) {
    if (!one.error.empty()) table.add({red("no"), printable(one.name), printable(one.error, 200)});
    for (const CheckedTensor& output : one.outputs) {
      table.add({output.is_good ? "ok" : red("no"), printable(one.name), printable(output.name),
                 output.problem.empty() ? cat(output.largest) : "",
                 output.problem.empty() ? cat(output.relative) : "",
                 output.problem.empty() ? cat("at ", shape_text(output.at), ": ", output.found,
                                              ", expected ", output.expected)
                                        : printable(output.problem)});
    }
  }
  return table.text();
}

std::string report_text(const CheckReport& report) {
  std::string text =
      cat(report.is_good() ? bold("PASS: all axes are dynamic")
                           : red("FAIL: not all axes are dynamic, or a result is wrong"),
          ": ", printable(report.path, 4096), "\n");
  if (!report.error.empty())
    text +=
        cat("  it does not run at any size that was tried: ", printable(report.error, 400), "\n");
  if (report.culprit) text += culprit_text(*report.culprit);
  if (!report.axes.empty()) text += cat("\n", bold("axes of inputs"), "\n", axes_text(report));
  if (!report.outputs.empty())
    text += cat("\n", bold("axes of outputs"), "\n", outputs_text(report));
  if (!report.consistency.empty()) {
    Table table("lll");
    for (const CheckConsistency& fact : report.consistency)
      table.add({!fact.was_tried ? dim("--")
                 : fact.is_good  ? "ok"
                                 : red("no"),
                 fact.what, printable(fact.remark, 200)});
    text += cat("\n", bold("consistency"), "\n", table.text());
  }
  if (!report.notes.empty()) text += cat("\n", bold("notes"), "\n");
  for (const std::string& note : report.notes) text += cat("  ", printable(note, 400), "\n");
  if (!report.cases.empty())
    text += cat("\n", bold("reference"), dim(" (largest difference, relative to its value)"), "\n",
                cases_text(report));
  return text + cat("\n  ", with_commas(report.nodes), " nodes, ", report.runs, " runs, ",
                    std::round(report.seconds * 100) / 100, " s",
                    report.is_cut_short ? "; the time limit was reached" : "", "\n");
}

double most_gigabytes() {
  constexpr double kShare = 0.75;
  return kShare * 1e-9 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

void read_inputs(Options& options) {
  for (const std::string& input : options.inputs) {
    const std::size_t equals = input.rfind('=');
    if (equals == std::string::npos || equals == 0)
      fail_usage("--input", in_quotes(input) + " is not NAME=VALUE");
    options.library.inputs.emplace_back(input.substr(0, equals), input.substr(equals + 1));
  }
}

// The time after which the check is ended, whatever it is at: less than twice the seconds, to be
// rid of it in time. ONNX Runtime itself takes a while to start.
double longest_check(double seconds) {
  constexpr double kTimes = 1.6;
  constexpr double kLeast = 2;
  return std::max(kLeast, kTimes * seconds);
}

ChildLimits limits_of(const Options& options) {
  constexpr double kBytesPerGigabyte = 1e9;
  return {static_cast<std::uint64_t>(options.gigabytes * kBytesPerGigabyte),
          longest_check(options.library.seconds)};
}

// In the child: tells the parent what is being done, and the user what was done.
OnStage follow_stages(bool is_debug) {
  tell_parent("ONNX Runtime was still loading the model");
  return [tell = tell_stages(is_debug)](const Stage& stage) {
    if (stage.name == "loaded the model")
      tell_parent("the model was loaded, but had not run at any size");
    if (stage.name == "swept the sizes")
      tell_parent("all sizes were tried, and reference cases were being compared");
    if (tell) tell(stage);
  };
}

CheckReport check_in_child(Options& options) {
  ProgressLine progress("checking", options.quiet || options.debug);
  options.library.references.assign(options.references.begin(), options.references.end());
  options.library.on_stage = follow_stages(options.debug);
  options.library.on_run = [](const std::string& sizes) { tell_parent_of_run(printable(sizes)); };
  options.library.on_progress = [&](double done) {
    tell_parent(cat(std::lround(done * 100), " % of the sizes were tried"));
    progress.show(done);
  };
  return check_model(options.model, options.library);
}

void write_html(const Options& options, const CheckReport& report) {
  if (options.html.empty()) return;
  OutputFiles files;
  files.add(options.html).append(as_bytes(to_html(report)));
  files.commit();
}

int run_check(Options& options) {
  read_inputs(options);
  options.library.allow_multiple = !options.allowed.empty();
  const auto code = in_context(cat("checking ", in_quotes(options.model)),
                               [&] { return leave_to_child(limits_of(options), options.model); });
  if (code) return *code;
  const CheckReport report = check_in_child(options);
  may_take_any_time();
  write_html(options, report);
  if (!options.quiet)
    in_context(options.html.empty() ? "printing the report"
                                    : "printing the report; the page is complete and stays",
               [&] { print(options.json ? to_json(report) + "\n" : report_text(report)); });
  return report.is_good() ? kExitDone : kExitCheckFailed;
}

}  // namespace

Run add_check(Arguments& app) {
  auto options = std::make_shared<Options>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("MODEL", options->model, "the ONNX file to check").required().type_name("PATH");
  app.add_flag("--quick", options->library.quick,
               "try few sizes, and only the axes that are declared dynamic");
  add_numbers(app, "--sizes", options->library.sizes, {1, 1 << 24},
              "the sizes to try, instead of the default list")
      .type_name("N,N,...");
  app.add_option("--allow", options->allowed,
                 "what is no fault: multiple, an axis that runs in multiples of a number only")
      .one_of({"multiple"});
  add_number(app, "--seconds", options->library.seconds, {0.1, 1e6},
             "the time limit: after it no new size is tried; a check that does not end by itself\n"
             "is stopped, with exit code 4, before it has taken twice as long")
      .type_name("S")
      .default_text(cat(options->library.seconds));
  options->gigabytes = most_gigabytes();
  add_number(app, "--memory", options->gigabytes, {0.1, 1e6},
             "the most memory that the model may use (default: three quarters of the machine's)")
      .type_name("GB");
  app.add_option("--input", options->inputs,
                 "the values to fill an input with: a number, or a range such as 0..9")
      .type_name("NAME=VALUE");
  app.add_option("--reference", options->references,
                 "recorded cases to compare with: a safetensors file with tensors named\n"
                 "<case>/in/<name> and <case>/out/<name>")
      .type_name("FILE");
  add_number(app, "--tolerance", options->library.tolerance, {.least = 0},
             "the largest absolute difference that a comparison may show")
      .type_name("T")
      .default_text(cat(options->library.tolerance));
  app.add_option("--html", options->html, "write the report as an HTML page").type_name("FILE");
  app.add_flag("--json", options->json, "print the report as one JSON object");
  app.add_flag("-q,--quiet", options->quiet, "print nothing; the exit code is the result");
  app.add_flag("--debug", options->debug,
               "report each stage, its time and its counts on standard error");
  return [options] { return run_check(*options); };
}

}  // namespace voxport
