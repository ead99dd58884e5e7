#include "scan/whole_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fail.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/torch_tar.h"
#include "checkpoint/zip.h"
#include "onnx/read.h"
#include "scan/archive.h"
#include "scan/claims.h"
#include "scan/onnx_fields.h"
#include "scan/pickle_prefix.h"

namespace voxport {
namespace {

bool is_onnx(const Blob& file) {
  // The length at the start of a safetensors file may look like anything.
  return recognise_onnx(file.bytes()) && !recognise_safetensors(file.bytes());
}

// What a file may be, as far as scanning goes.
struct Explained {
  std::string_view name;         // "safetensors file"
  std::optional<Loader> loader;  // that is expected to claim it
};

Explained explanation_of(FileKind kind) {
  switch (kind) {
    case FileKind::kTorchZip:
    case FileKind::kTorchScript:
    case FileKind::kPt2: return {name_of(kind), Loader::kZip};
    case FileKind::kTorchTar: return {name_of(kind), Loader::kTar};
    case FileKind::kTorchStream:
    case FileKind::kPickle: return {name_of(kind), Loader::kPickle};
    case FileKind::kSafetensors: return {name_of(kind), std::nullopt};
  }
  return {};
}

std::optional<FileKind> kind_of(const Blob& file) {
  try {
    return recognise(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void add_findings(Scan& scan, Scan more) {
  scan.verdict = std::max(scan.verdict, more.verdict);
  scan.pickles += more.pickles;
  scan.findings.insert(scan.findings.end(), more.findings.begin(), more.findings.end());
  for (const std::string& problem : more.problems) add_problem(scan, more.verdict, problem);
  std::ranges::stable_sort(scan.findings, std::greater(), &ScanFinding::danger);
}

class WholeFile {
 public:
  WholeFile(const Blob& file, const std::filesystem::path& folder)
      : file_(file), folder_(folder), claims_(claims_on(file)) {}

  Scan scan() {
    try {
      explain();
    } catch (const Error& error) {
      if (error.kind() == Error::kUnreadable || !may_be_loaded()) throw;
      add_problem(scan_, Danger::kUnknown, first_line(error));
    }
    for (const LoaderClaim& claim : claims_) judge_claim(claim);
    return std::move(scan_);
  }

 private:
  // Reads the file as the one thing that it seems to be, and fails where it is not.
  void explain() {
    if (is_onnx(file_)) {
      explained_ = Explained{"ONNX model", std::nullopt};
      return explain_onnx();
    }
    if (ZipArchive::recognise(file_.bytes())) {
      explained_ = Explained{"zip archive", Loader::kZip};
      follow_pickles(file_);
      return scan_archive(file_, scan_);
    }
    if (const std::optional<FileKind> kind = kind_of(file_)) explained_ = explanation_of(*kind);
    follow_pickles(file_);
    if (read_checkpoint(file_).kind == FileKind::kTorchTar) explain_members();
  }

  // PyTorch 0.1 wrote four members, and reads three of them.
  void explain_members() {
    for (const auto& [name, contents] : read_tar(file_)) {
      const bool is_read = name == "storages" || name == "tensors" || name == "pickle";
      const bool is_known = is_read || (name == "sys_info" && !pickle_may_import(contents.bytes()));
      if (!is_known)
        add_problem(scan_, Danger::kUnknown,
                    cat(in_quotes(name), ": a member that no loader of PyTorch knows"));
    }
  }

  void explain_onnx() {
    for (const std::string& field : odd_onnx_fields(file_.bytes(), folder_))
      add_problem(scan_, Danger::kUnknown, field);
    read_onnx(file_, folder_, InnerTypes::kDeclared);
  }

  void follow_pickles(const Blob& part) {
    add_findings(scan_, scan_file(part));
    was_followed_ |= part.size() == file_.size();
  }

  // Whether some loader would try, so that there is a verdict to give.
  bool may_be_loaded() const {
    return explained_ || !claims_.empty() || scan_.verdict != Danger::kHarmless;
  }

  void judge_claim(const LoaderClaim& claim) {
    if (explained_ && claim.loader == explained_->loader) return;
    add_problem(scan_, Danger::kUnknown,
                explained_ ? cat("the file is not only a ", explained_->name,
                                 ": a loader would take it for ", claim.what)
                           : cat("the file is ", claim.what, ", which is not looked into"));
    const bool is_whole = claim.start == 0 && claim.end == file_.size();
    if (claim.loader == Loader::kOther || (is_whole && was_followed_)) return;
    try {
      follow_pickles(file_.slice(claim.start, claim.end - claim.start));
    } catch (const Error&) {
      // What cannot be followed has been called suspicious.
    }
  }

  const Blob& file_;
  const std::filesystem::path& folder_;
  std::vector<LoaderClaim> claims_;
  std::optional<Explained> explained_;
  bool was_followed_ = false;  // from its first byte to its last
  Scan scan_;
};

}  // namespace

Scan scan_whole_file(const Blob& file, const std::filesystem::path& folder) {
  return WholeFile(file, folder).scan();
}

}  // namespace voxport
