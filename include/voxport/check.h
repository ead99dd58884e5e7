// Check: are the axes of an ONNX model really dynamic, and does it give what it should?
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <voxport/stage.h>

namespace voxport {

struct CheckOptions {
  bool quick = false;               // few sizes, and no axis that the file declares as a number
  std::vector<std::int64_t> sizes;  // to try in place of voxport's own
  bool allow_multiple = false;  // whether an axis is good that runs in multiples of a number only
  // After so many, loading included, no new size is tried; one run may take a sixth. What ONNX
  // Runtime cannot be kept from (loading a model, a single operator) may take longer.
  double seconds = 60;
  // What an input is filled with: a number, or a range "0..9"; by name.
  std::vector<std::pair<std::string, std::string>> inputs;
  // Cases to compare with: tensors <case>/in/<name> and <case>/out/<name>.
  std::vector<std::filesystem::path> references;
  double tolerance = 1e-4;  // the largest absolute difference of floats that is allowed

  OnStage on_stage;
  OnProgress on_progress;
  // Called before each run at other sizes, with these: "batch = 2, time = 7". Whoever calls from a
  // process of its own may tell where ONNX Runtime crashed.
  std::function<void(const std::string& sizes)> on_run;
};

// The node that fixes a size, or that needs a least one.
struct CheckCulprit {
  std::string node, op;
  std::size_t position = 0;  // in the file's list of nodes
  std::string holder;        // by what: "its shape, the constant [2, 3, -1]", "its kernel of 3"
  std::vector<std::string> path;  // from an input to the node, by name
  std::string cause, fix;         // in terms of PyTorch; empty for a least size, which is no fault
};

struct CheckAxis {
  enum Verdict {
    kDynamic,         // every size (or, where that is declared or allowed, every multiple) that was
                      // tried, from `low` on where a window needs so many, up to `high` where a
                      // table has so many rows, or as the file declares it
    kLimited,         // a range, or multiples; and no window or table explains it
    kFixed,           // declared dynamic, but it runs at one size alone
    kLinked,          // dynamic, but only together with another axis
    kRequired,        // declared as a number, which the model requires
    kCouldBeDynamic,  // declared as a number, though nothing in the model requires it
  };
  Verdict verdict = kDynamic;
  std::string name;
  std::vector<std::pair<std::string, std::size_t>> places;  // inputs, and which axis of each
  std::vector<std::int64_t> good, bad;                      // sizes that ran, and that did not
  std::optional<std::int64_t> low, high;                    // kLimited, kDynamic
  std::int64_t multiple = 1;                                // kLimited, kDynamic
  bool has_gaps = false;  // kLimited: sizes between those that ran did not
  std::int64_t size = 0;  // kFixed, kRequired, kCouldBeDynamic
  std::string linked_to;  // kLinked
  std::string error;      // what ONNX Runtime said of the first size that did not run
  std::optional<CheckCulprit> culprit;
  std::optional<CheckCulprit> table;  // kDynamic: whose rows make `high`; else that is declared

  // "dynamic", "dynamic in multiples of 8, at least 64", "limited to 1..32", "limited: 4, 5, 8 ran,
  // but not 3, 6, 7", "fixed at 5".
  std::string text() const;
  // Of a good axis, the nodes that need its least size, or multiples, and that make its largest:
  // "Conv 'conv_1', its kernel of 10". Else empty.
  std::string needed_by() const;
  bool is_good() const;  // dynamic, or a number on good grounds
};

struct CheckOutput {
  std::string name;
  std::size_t axis = 0;
  std::string declared;  // as the file has it
  std::string actual;    // what the runs tell; empty when no simple expression gives them
  bool is_true = true;
  std::string remark;
  std::optional<CheckCulprit> culprit;
};

// Something that must hold without any reference: rows of a batch are the rows alone, and so on.
struct CheckConsistency {
  std::string what;
  bool was_tried = true;  // else the remark says why not
  bool is_good = true;
  std::string remark;
};

struct CheckedTensor {
  std::string name;
  bool is_good = false;
  double largest = 0;   // absolute difference; infinite where one side is NaN
  double relative = 0;  // of the largest, to the expected value there
  std::vector<std::int64_t> at;
  double found = 0, expected = 0;
  std::string problem;  // another shape or type, or not there at all
  std::vector<std::uint64_t>
      histogram;  // differences by powers of ten: 0, up to 1e-9, ..., above 1
};

struct CheckedCase {
  std::string name;
  std::string error;  // why it did not run
  std::vector<CheckedTensor> outputs;
  bool is_good() const;
};

struct CheckReport {
  std::string path;
  std::vector<std::pair<std::string, std::string>> inputs;  // and what they were filled with
  std::vector<CheckAxis> axes;
  std::vector<CheckOutput> outputs;
  std::vector<CheckConsistency> consistency;
  std::vector<std::string> notes;  // what is no fault: inputs that change no output
  std::vector<CheckedCase> cases;
  double tolerance = 0;  // of the cases, as it was asked for
  std::size_t nodes = 0;
  std::size_t runs = 0;
  bool is_cut_short = false;
  double seconds = 0;
  std::string error;  // why the model runs at no size that was tried
  std::optional<CheckCulprit> culprit;

  // All axes dynamic, all names true, all that must hold does.
  bool is_good() const;
};

// Runs the model at many sizes. Fails with kUnreadable or kCorrupt when there is no good model in
// the file, and with kUnsupported where ONNX Runtime is missing or cannot load it, or where a run
// takes too long or too much memory even at the least sizes; also where nothing wrong was found,
// but the time was over before every axis had run at two sizes.
CheckReport check_model(const std::filesystem::path& model, const CheckOptions& options = {});

// What is wrong, a line each, with the node that fixes an axis: "time is fixed at 7 by Reshape
// '/Reshape', its shape, the constant [2, 7, 3, 4]". Empty when the report is good.
std::string faults_text(const CheckReport& report);

std::string to_json(const CheckReport& report);
// One page that stands on its own: it loads nothing and runs no script.
std::string to_html(const CheckReport& report);

}  // namespace voxport
