#include "scan/archive.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "checkpoint/pickle.h"
#include "checkpoint/torch_zip.h"
#include "program/pt2_json.h"
#include "program/torchscript_archive.h"
#include "scan/claims.h"
#include "scan/exported_graph.h"
#include "scan/operators.h"
#include "scan/pickle_prefix.h"
#include "scan/source.h"

namespace voxport {
namespace {

constexpr std::uint64_t kMaxSmallText = 100;
constexpr std::uint64_t kMaxSource = std::uint64_t{16} << 20;
constexpr std::uint64_t kMaxInflated = std::uint64_t{256} << 20;  // of one entry

// How many bytes all deflated entries of a file, and of the archives in it, may still inflate to.
struct InflateBudget {
  std::uint64_t values = std::uint64_t{1} << 30;    // of tensors, which are only passed over
  std::uint64_t others = std::uint64_t{256} << 20;  // what is read
};

// What an entry is to the loader.
enum class Part {
  kUnknown,
  kPickle,      // followed by scan_file()
  kRaw,         // values of a tensor
  kSmallText,   // a version, a byte order
  kSource,      // TorchScript
  kDebugTable,  // where the source came from
  kJson,        // a graph of torch.export, or where its tensors lie
  kCheckpoint,  // an archive of torch.save
  kObject,      // of a class that C++ code registers
  kCompiled,    // code of AOTInductor
  kExtra,       // files of the user's own, which the loader hands over as they are
};

bool is_file_in(std::string_view name, std::string_view folder) {
  return name.starts_with(folder) && name.size() > folder.size() &&
         name.find('/', folder.size()) == name.npos;
}

Part part_of_any(std::string_view name) {
  for (const std::string_view text :
       {"version", "byteorder", ".format_version", ".storage_alignment", ".data/version",
        ".data/serialization_id"})
    if (name == text) return Part::kSmallText;
  return Part::kUnknown;
}

Part part_of_torch_save(std::string_view name) {
  if (name == "data.pkl") return Part::kPickle;
  return is_file_in(name, "data/") ? Part::kRaw : part_of_any(name);
}

Part part_of_torchscript(std::string_view name) {
  for (const std::string_view pickle :
       {"constants.pkl", "traced_inputs.pkl", "bytecode.pkl", "mobile_debug_handles.pkl"})
    if (name == pickle) return Part::kPickle;
  for (const std::string_view folder : {"constants/", "traced_inputs/", "tensors/"})
    if (is_file_in(name, folder)) return Part::kRaw;
  if (name.starts_with("code/") && name.ends_with(".py")) return Part::kSource;
  if (name.starts_with("code/") && name.ends_with(".debug_pkl")) return Part::kDebugTable;
  return name.starts_with("extra/") ? Part::kExtra : part_of_torch_save(name);
}

Part part_of_flat_pt2(std::string_view name) {
  if (name == "serialized_exported_program.json") return Part::kJson;
  for (const std::string_view stem :
       {"serialized_state_dict", "serialized_constants", "serialized_example_inputs"})
    if (name == cat(stem, ".pt") || name == cat(stem, ".json")) return Part::kCheckpoint;
  return name.starts_with("extra_files/") ? Part::kExtra : part_of_any(name);
}

Part part_of_pt2(std::string_view name) {
  if (name == "archive_format" || name == "archive_version") return Part::kSmallText;
  if (name.starts_with("data/aotinductor/")) return Part::kCompiled;
  if (is_file_in(name, "models/") && name.ends_with(".json")) return Part::kJson;
  if (is_file_in(name, "data/constants/custom_obj_")) return Part::kObject;
  for (const std::string_view folder :
       {"data/weights/", "data/constants/", "data/sample_inputs/"}) {
    if (!is_file_in(name, folder)) continue;
    if (name.ends_with(".pt")) return Part::kCheckpoint;
    if (name.ends_with("_config.json")) return Part::kJson;
    if (folder != "data/sample_inputs/" && name.find('.') == name.npos) return Part::kRaw;
  }
  return name.starts_with("extra/") ? Part::kExtra : part_of_any(name);
}

// All strings of a pickle, each once.
std::set<std::string> texts_in(const PickleValue& root) {
  std::set<std::string> texts;
  std::unordered_set<const PickleNode*> seen;
  std::vector<PickleValue> left = {root};
  while (!left.empty()) {
    const PickleValue value = left.back();
    left.pop_back();
    if (value.is(PickleValue::Kind::kString)) texts.emplace(value.text());
    const bool is_container =
        value.is(PickleValue::Kind::kList) || value.is(PickleValue::Kind::kTuple) ||
        value.is(PickleValue::Kind::kSet) || value.is(PickleValue::Kind::kDict);
    if (!is_container || !seen.insert(value.node).second) continue;
    left.insert(left.end(), value.node->items().begin(), value.node->items().end());
  }
  return texts;
}

class ArchiveJudge {
 public:
  ArchiveJudge(const Blob& file, std::string place, InflateBudget& budget, Scan& scan)
      : zip_(file),
        place_(std::move(place)),
        budget_(budget),
        scan_(scan),
        kind_(recognise_zip(zip_)) {}

  FileKind kind() const { return kind_; }

  void judge() {
    for (const std::string& leftover : zip_.leftovers())
      add_problem(scan_, Danger::kUnknown, cat(place_, leftover));
    is_flat_ = kind_ == FileKind::kPt2 && zip_.find("serialized_exported_program.json");
    if (!is_flat_ && !zip_.entries().empty()) {
      const std::string& first = zip_.entries().front().name;
      root_ = first.substr(0, first.find('/') + 1);
    }
    for (const ZipEntry& entry : zip_.entries()) {
      try {
        judge_entry(entry);
      } catch (const Error& error) {
        report(entry, Danger::kUnknown, first_line(error));
      }
    }
    sources_.finish();
  }

 private:
  void report(const ZipEntry& entry, Danger danger, std::string_view what) {
    add_problem(scan_, danger, cat(place_, entry.name, ": ", what));
  }

  Part part_of(std::string_view name) const {
    if (is_flat_) return part_of_flat_pt2(name);
    if (root_.empty() || !name.starts_with(root_)) return Part::kUnknown;
    name.remove_prefix(root_.size());
    if (kind_ == FileKind::kPt2) return part_of_pt2(name);
    return kind_ == FileKind::kTorchScript ? part_of_torchscript(name) : part_of_torch_save(name);
  }

  void judge_entry(const ZipEntry& entry) {
    switch (part_of(entry.name)) {
      case Part::kPickle: return judge_pickle(entry);
      case Part::kRaw: contents(entry, budget_.values).release(); return;  // for its CRC
      case Part::kUnknown:
        return report(entry, Danger::kUnknown, "an entry that no loader of PyTorch knows");
      case Part::kSmallText: return judge_small_text(entry);
      case Part::kSource: return judge_source(entry);
      case Part::kDebugTable: return judge_debug_table(entry);
      case Part::kJson: return judge_json(entry);
      case Part::kCheckpoint: return judge_checkpoint(entry);
      case Part::kObject:
        return report(entry, Danger::kUnknown, "an object of a class that C++ code registers");
      case Part::kCompiled:
        return report(entry, Danger::kDangerous,
                      "code that AOTInductor compiled, which a loader runs");
      case Part::kExtra: return judge_extra(entry);
    }
  }

  // The bytes, with their CRC checked.
  Blob contents(const ZipEntry& entry) const { return contents(entry, budget_.others); }

  // The same; `left` is what is left of one of the budgets.
  Blob contents(const ZipEntry& entry, std::uint64_t& left) const {
    if (entry.method != ZipArchive::kDeflated) return zip_.read(entry);
    if (entry.size > kMaxInflated)
      fail(Error::kCorrupt, "inflates to ", entry.size, " bytes, expected at most ", kMaxInflated);
    if (entry.size > left)
      fail(Error::kCorrupt, "inflates to ", entry.size, " bytes, expected at most ", left,
           " after the entries before it");
    left -= entry.size;
    return zip_.read(entry);
  }

  void judge_source(const ZipEntry& entry) {
    if (entry.size > kMaxSource)
      fail(Error::kCorrupt, "has ", entry.size, " bytes of source, expected at most ", kMaxSource);
    sources_.add({entry.name, contents(entry)});
  }

  void judge_small_text(const ZipEntry& entry) {
    const bool is_small = entry.size <= kMaxSmallText;
    const Blob text = is_small ? contents(entry) : Blob();
    const bool is_text = std::ranges::all_of(
        text.text(), [](char c) { return (c >= ' ' && c < '\x7f') || c == '\n' || c == '\r'; });
    if (!is_small || !is_text) report(entry, Danger::kUnknown, "expected a few letters or digits");
  }

  // scan_file() follows what it names; the names of operators in bytecode are plain text.
  void judge_pickle(const ZipEntry& entry) {
    if (!entry.name.ends_with("/bytecode.pkl")) return;
    const Blob pickle = read_pickle_entry(zip_, entry);
    for (const std::string& name : texts_in(read_pickle(pickle).root())) {
      const std::size_t colons = name.find("::");
      const Danger danger =
          colons == name.npos
              ? Danger::kHarmless
              : judge_operator(name.substr(0, colons) + "." + name.substr(colons + 2));
      if (danger != Danger::kHarmless) report(entry, danger, cat("calls ", in_quotes(name, 100)));
      if (name.ends_with("__setstate__"))
        report(entry, Danger::kUnknown, "has bytecode that runs when the archive is loaded");
    }
  }

  void judge_json(const ZipEntry& entry) {
    const Blob json = contents(entry);
    scan_exported_json(json, cat(place_, entry.name), scan_);
    if (!entry.name.ends_with("_config.json")) return;
    const JsonDocument document(json);
    const std::string folder = entry.name.substr(0, entry.name.rfind('/') + 1);
    for (const Json config : document.root()["config"].children()) judge_payload(config, folder);
  }

  // A tensor of torch.export that lies in an entry of its own, as it is or pickled.
  void judge_payload(const Json& config, const std::string& folder) {
    const std::string name = cat(folder, config["path_name"].text());
    const ZipEntry* payload = zip_.find(name);
    if (!payload)
      return add_problem(scan_, Danger::kUnknown,
                         cat(place_, "there is no entry ", in_quotes(name)));
    if (config["tensor_meta"].is_null())
      report(*payload, Danger::kUnknown, "an object that is no tensor");
    const Json uses_pickle = config["use_pickle"];
    const bool is_pickled = !uses_pickle.is_null() && uses_pickle.boolean();
    if (is_pickled && judged_payloads_.insert(name).second) judge_checkpoint(*payload);
  }

  // A pickle that says so is followed by scan_file().
  void judge_debug_table(const ZipEntry& entry) {
    const Blob table = contents(entry);
    if (!table.text().starts_with('\x80') && pickle_may_import(table.bytes()))
      report(entry, Danger::kUnknown, "a pickle that imports something, expected a table");
  }

  void judge_extra(const ZipEntry& entry) {
    for (const LoaderClaim& claim : claims_on(contents(entry)))
      report(entry, Danger::kUnknown, cat("the file is ", claim.what));
  }

  // The loader gives it to torch.load().
  void judge_checkpoint(const ZipEntry& entry) {
    if (entry.size == 0) return;  // there was nothing to save
    const Blob file = contents(entry);
    if (!ZipArchive::recognise(file.bytes()))
      return report(entry, Danger::kUnknown, "expected an archive of torch.save");
    ArchiveJudge inner(file, cat(place_, entry.name, "!"), budget_, scan_);
    if (inner.kind() != FileKind::kTorchZip)
      return report(entry, Danger::kUnknown,
                    cat("a ", name_of(inner.kind()), ", expected an archive of torch.save"));
    for (const LoaderClaim& claim : claims_on(file))
      if (claim.loader != Loader::kZip)
        report(entry, Danger::kUnknown, cat("the file is also ", claim.what));
    inner.judge();
    read_checkpoint(file);
  }

  ZipArchive zip_;
  std::string place_;
  InflateBudget& budget_;
  Scan& scan_;
  FileKind kind_;
  bool is_flat_ = false;
  std::string root_;  // with its slash
  SourceScan sources_{scan_};
  std::set<std::string> judged_payloads_;
};

// Objects of classes that C++ code registers, which its loader makes of what is pickled.
void judge_script_classes(Scan& scan) {
  constexpr std::string_view kClasses = "__torch__.torch.classes.";
  const std::vector<ScanFinding> findings = scan.findings;
  for (const ScanFinding& finding : findings) {
    const bool is_class = finding.what.starts_with(kClasses);
    const Danger danger =
        is_class ? judge_script_class(finding.what.substr(kClasses.size())) : Danger::kHarmless;
    if (danger != Danger::kHarmless)
      add_problem(scan, danger, cat(finding.place, ": ", finding.what, ", code of some library"));
  }
}

}  // namespace

void scan_archive(const Blob& file, Scan& scan) {
  InflateBudget budget;
  ArchiveJudge judge(file, "", budget, scan);
  judge.judge();
  judge_script_classes(scan);
  if (judge.kind() == FileKind::kTorchZip) read_checkpoint(file);
  if (judge.kind() == FileKind::kTorchScript) const TorchScriptArchive archive(file);
}

}  // namespace voxport
