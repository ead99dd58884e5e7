#include "checkpoint/scan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "base/fail.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/judge.h"
#include "checkpoint/pickle.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/torch_stream.h"
#include "checkpoint/torch_tar.h"
#include "checkpoint/torch_zip.h"
#include "checkpoint/trace.h"
#include "checkpoint/zip.h"

namespace voxport {
namespace {

// Said of a pickle that we cannot follow to its end.
constexpr std::string_view kBrokenOff =
    "; a loader would have run everything before that, and perhaps more";

constexpr std::size_t kMaxFindings = 10'000;

// Gathers what the traces of a file's pickles say.
class Scanner {
 public:
  void add_pickle(const Blob& pickle, const std::string& place,
                  PickleLoader loader = PickleLoader::kPython);
  void add_stream(const Blob& file);
  void add_tar(const Blob& file);
  void add_zip(const Blob& file, const std::string& place, int depth);
  Scan result();

 private:
  void add_action(const PickleAction& action, const std::string& place);
  void add_actions(const PickleTrace& trace, const std::string& place);
  void add_problem(Danger danger, std::string_view problem);
  void add_entry(const ZipArchive& archive, const ZipEntry& entry, const std::string& place,
                 PickleLoader loader, int depth);
  void add_contents(const Blob& contents, std::string_view name, const std::string& place,
                    PickleLoader loader, int depth);

  Scan scan_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> seen_;
};

void Scanner::add_problem(Danger danger, std::string_view problem) {
  voxport::add_problem(scan_, danger, problem);
}

void Scanner::add_action(const PickleAction& action, const std::string& place) {
  scan_.verdict = std::max(scan_.verdict, action.danger);
  if (scan_.findings.size() >= kMaxFindings) return;
  const std::string verb(name_of(action));
  const auto [known, is_new] =
      seen_.emplace(std::tuple(place, action.what, verb), scan_.findings.size());
  if (!is_new) {
    ScanFinding& finding = scan_.findings[known->second];
    finding.danger = std::max(finding.danger, action.danger);
    ++finding.count;
    return;
  }
  scan_.findings.push_back({action.danger, action.what, verb, place, action.offset});
}

void Scanner::add_actions(const PickleTrace& trace, const std::string& place) {
  ++scan_.pickles;
  for (const PickleAction& action : trace.actions) add_action(action, place);
}

void Scanner::add_pickle(const Blob& pickle, const std::string& place, PickleLoader loader) {
  const PickleTrace trace = trace_pickle(pickle, 0, loader);
  add_actions(trace, place);
  if (!trace.error.empty()) {
    add_problem(Danger::kUnknown, cat(place, ": ", trace.error, kBrokenOff));
  } else if (trace.length != pickle.size()) {
    add_problem(Danger::kUnknown, cat(place, ": ", pickle.size() - trace.length,
                                      " bytes follow the end of the pickle"));
  }
}

// PyTorch reads five pickles, and then the storages, which run nothing.
void Scanner::add_stream(const Blob& file) {
  constexpr int kPickles = 5;
  std::uint64_t at = 0;
  for (int i = 0; i < kPickles; ++i) {
    const PickleTrace trace = trace_pickle(file.slice(at, file.size() - at), at);
    add_actions(trace, "the stream");
    if (!trace.error.empty()) {
      return add_problem(Danger::kUnknown, cat("the stream: ", trace.error, kBrokenOff));
    }
    at += trace.length;
  }
}

// Pickles lie between numbers here; only the reader knows where the next one begins.
void Scanner::add_tar(const Blob& file) {
  try {
    read_torch_tar(file, [&](const std::string& member, const Blob& rest, std::uint64_t start) {
      add_actions(trace_pickle(rest, start), member);
    });
  } catch (const Error& error) {
    if (scan_.pickles == 0) throw;
    const std::string_view text = error.what();
    add_problem(Danger::kUnknown,
                cat("the archive: ", text.substr(0, text.find('\n')), kBrokenOff));
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

bool is_native_library(std::string_view name, std::string_view contents) {
  static constexpr std::string_view kStarts[] = {"\177ELF", "MZ\x90", "\xcf\xfa\xed\xfe"};
  return name.ends_with(".so") || name.ends_with(".dll") || name.ends_with(".dylib") ||
         std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return contents.starts_with(start); });
}

// `name` in lower case: PyTorch finds entries whatever their case.
void Scanner::add_contents(const Blob& contents, std::string_view name, const std::string& place,
                           PickleLoader loader, int depth) {
  constexpr int kMaxDepth = 2;
  if (is_native_library(name, contents.text()))
    return add_problem(Danger::kDangerous, cat(place, ": a native library, which a loader runs"));
  if (ZipArchive::recognise(contents.bytes())) {
    if (depth >= kMaxDepth)
      return add_problem(Danger::kUnknown, cat(place, ": an archive in too many archives"));
    return add_zip(contents, place, depth + 1);
  }
  if (name.ends_with(".pkl") || name.ends_with(".pt")) return add_pickle(contents, place, loader);
  // Numbers may look like a pickle by chance, but not like one that names its protocol and imports
  // something, or that imports something known.
  const PickleTrace trace = trace_pickle(contents, 0, loader);
  const bool is_pickle =
      (contents.text().starts_with('\x80') && !trace.actions.empty()) ||
      std::any_of(trace.actions.begin(), trace.actions.end(),
                  [](const auto& action) { return judge_global(action.what) != Danger::kUnknown; });
  if (is_pickle) add_pickle(contents, place, loader);
}

void Scanner::add_entry(const ZipArchive& archive, const ZipEntry& entry, const std::string& place,
                        PickleLoader loader, int depth) {
  const std::string name = lower_case(entry.name);
  const std::string inside = place.empty() ? entry.name : cat(place, "!", entry.name);
  if (name.find(".data/extern_modules") != std::string::npos)
    return add_problem(Danger::kDangerous,
                       "a torch.package archive: its Python sources are run by its loader");
  // The storages of torch.save are read as they are.
  const std::size_t folder = name.rfind("/data/");
  const bool is_storage = folder != std::string::npos && name.find('/') == folder &&
                          name.find('/', folder + 6) == std::string::npos &&
                          name.find('.', folder) == std::string::npos;
  if (is_storage) return;
  if (entry.method == ZipArchive::kDeflated && entry.size > kMaxInflatedPickle) {
    return add_problem(Danger::kUnknown, cat(inside, ": inflates to ", entry.size,
                                             " bytes, too many to be looked at"));
  }
  add_contents(archive.read(entry), name, inside, loader, depth);
}

// torch.load hands an archive with constants to TorchScript.
PickleLoader loader_of(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    const std::string folder = entry.name.substr(0, entry.name.find('/') + 1);
    if (entry.name == folder + "data.pkl" && archive.find(folder + "constants.pkl"))
      return PickleLoader::kTorchScript;
  }
  return PickleLoader::kPython;
}

void Scanner::add_zip(const Blob& file, const std::string& place, int depth) {
  const ZipArchive archive(file);
  archive.check_all();  // another loader may read what we would not
  const PickleLoader loader = loader_of(archive);
  for (const ZipEntry& entry : archive.entries()) {
    try {
      add_entry(archive, entry, place, loader, depth);
    } catch (const Error& error) {
      const std::string_view text = error.what();
      add_problem(Danger::kUnknown, cat(entry.name, ": ", text.substr(0, text.find('\n'))));
    }
  }
}

Scan Scanner::result() {
  if (scan_.findings.size() >= kMaxFindings)
    add_problem(Danger::kUnknown,
                cat("more than ", kMaxFindings, " findings: the rest is not listed"));
  std::stable_sort(scan_.findings.begin(), scan_.findings.end(),
                   [](const auto& a, const auto& b) { return a.danger > b.danger; });
  return std::move(scan_);
}

// The length that a safetensors file starts with may look like an opcode that asks the loader for
// something of its own. A loader that has nothing to give stops there, so that this alone makes no
// pickle of the file.
bool acts_like_pickle(const Blob& file) {
  using Kind = PickleAction::Kind;
  const std::vector<PickleAction> actions = trace_pickle(file).actions;
  const bool is_safetensors = recognise_safetensors(file.bytes());
  return std::any_of(actions.begin(), actions.end(), [&](const PickleAction& action) {
    const bool only_asks = action.kind == Kind::kPersistent || action.kind == Kind::kExtension;
    return !is_safetensors || !only_asks;
  });
}

}  // namespace

void add_problem(Scan& scan, Danger danger, std::string_view problem) {
  constexpr std::size_t kMaxProblems = 1000;
  scan.verdict = std::max(scan.verdict, danger);
  if (scan.problems.size() < kMaxProblems) scan.problems.push_back(printable(problem, 1000));
}

Scan scan_file(const Blob& file) {
  Scanner scanner;
  if (ZipArchive::recognise(file.bytes())) {
    scanner.add_zip(file, "", 0);
    return scanner.result();
  }
  // PyTorch looks for these two; whatever else acts like a pickle is one to Python.
  const bool is_tar = recognise_tar(file.bytes());
  const bool is_stream = !is_tar && recognise_torch_stream(file.bytes());
  if (is_tar) scanner.add_tar(file);
  if (is_stream) scanner.add_stream(file);
  if ((!is_stream && acts_like_pickle(file)) ||
      (!is_tar && !is_stream && recognise(file) == FileKind::kPickle))
    scanner.add_pickle(file, "the pickle");
  return scanner.result();
}

}  // namespace voxport
