#include "checkpoint/scan.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "base/dtype.h"
#include "base/fail.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/pickle.h"
#include "checkpoint/torch_stream.h"
#include "checkpoint/torch_tar.h"
#include "checkpoint/zip.h"

namespace voxport {
namespace {

// Globals that only ever make a value. One by one: a whole module is never trusted.
constexpr std::string_view kHarmlessGlobals[] = {
    "_codecs.encode",
    "argparse.Namespace",
    "builtins.bool",
    "builtins.bytearray",
    "builtins.bytes",
    "builtins.complex",
    "builtins.dict",
    "builtins.float",
    "builtins.frozenset",
    "builtins.int",
    "builtins.list",
    "builtins.object",
    "builtins.range",
    "builtins.set",
    "builtins.slice",
    "builtins.str",
    "builtins.tuple",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.defaultdict",
    "collections.deque",
    "copyreg._reconstructor",
    "datetime.date",
    "datetime.datetime",
    "datetime.timedelta",
    "datetime.timezone",
    "decimal.Decimal",
    "fractions.Fraction",
    "lightning.fabric.utilities.data.AttributeDict",
    "lightning_fabric.utilities.data.AttributeDict",
    "numpy.core.multiarray._reconstruct",
    "numpy.core.multiarray.scalar",
    "numpy.core.numeric._frombuffer",
    "numpy.dtype",
    "numpy.ndarray",
    "omegaconf.base.ContainerMetadata",
    "omegaconf.base.Metadata",
    "omegaconf.dictconfig.DictConfig",
    "omegaconf.listconfig.ListConfig",
    "omegaconf.nodes.AnyNode",
    "omegaconf.nodes.BooleanNode",
    "omegaconf.nodes.FloatNode",
    "omegaconf.nodes.IntegerNode",
    "omegaconf.nodes.StringNode",
    "pathlib.Path",
    "pathlib.PosixPath",
    "pathlib.PurePath",
    "pathlib.PurePosixPath",
    "pathlib.PureWindowsPath",
    "pathlib.WindowsPath",
    "pytorch_lightning.utilities.parsing.AttributeDict",
    "torch.Size",
    "torch.Tensor",
    "torch._tensor._rebuild_from_type",
    "torch._tensor._rebuild_from_type_v2",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_meta_tensor_no_storage",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_sparse_csr_tensor",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_xla_tensor",
    "torch.device",
    "torch.jit._pickle.build_boollist",
    "torch.jit._pickle.build_doublelist",
    "torch.jit._pickle.build_intlist",
    "torch.jit._pickle.build_tensorlist",
    "torch.jit._pickle.restore_type_tag",
    "torch.nn.parameter.Buffer",
    "torch.nn.parameter.Parameter",
    "torch.per_channel_affine",
    "torch.per_tensor_affine",
    "torch.serialization._get_layout",
    "torch.storage.TypedStorage",
    "torch.storage.UntypedStorage",
    "torch.storage._LegacyStorage",
    "typing.Any",
    "uuid.UUID",
};

// Modules of which every class (a name in CamelCase, without dots) is a plain holder of values.
constexpr std::string_view kHarmlessClasses[] = {
    "lightning.pytorch.callbacks.",
    "pytorch_lightning.callbacks.",
    "torch.nn.modules.",
    "torch.optim.",
};

// Modules that run commands, code or other files, or that reach such things by name.
constexpr std::string_view kDangerousModules[] = {
    "_io",
    "_pickle",
    "_posixsubprocess",
    "aiohttp",
    "asyncio",
    "bdb",
    "cProfile",
    "cloudpickle",
    "code",
    "codeop",
    "commands",
    "concurrent",
    "ctypes",
    "dill",
    "distutils",
    "doctest",
    "ensurepip",
    "ftplib",
    "gc",
    "httplib",
    "http",
    "idlelib",
    "imp",
    "importlib",
    "inspect",
    "io",
    "joblib",
    "lib2to3",
    "linecache",
    "logging",
    "marshal",
    "mmap",
    "multiprocessing",
    "nt",
    "ntpath",
    "numpy.distutils",
    "numpy.f2py",
    "numpy.testing",
    "operator",
    "_operator",
    "os",
    "pandas.io",
    "pdb",
    "pickle",
    "pip",
    "pkgutil",
    "platform",
    "popen2",
    "posix",
    "posixpath",
    "profile",
    "pty",
    "pydoc",
    "requests",
    "runpy",
    "sched",
    "setuptools",
    "shelve",
    "shutil",
    "signal",
    "site",
    "smtplib",
    "socket",
    "ssl",
    "subprocess",
    "sys",
    "telnetlib",
    "tempfile",
    "test",
    "threading",
    "timeit",
    "torch._dynamo",
    "torch._inductor",
    "torch.distributed",
    "torch.hub",
    "torch.package",
    "torch.utils",
    "trace",
    "types",
    "unittest",
    "urllib",
    "urllib2",
    "venv",
    "webbrowser",
    "zipimport",
};

constexpr std::string_view kDangerousGlobals[] = {
    "builtins.__import__",
    "builtins.apply",
    "builtins.breakpoint",
    "builtins.compile",
    "builtins.delattr",
    "builtins.eval",
    "builtins.exec",
    "builtins.execfile",
    "builtins.file",
    "builtins.getattr",
    "builtins.globals",
    "builtins.input",
    "builtins.locals",
    "builtins.map",
    "builtins.open",
    "builtins.setattr",
    "builtins.vars",
    "functools.partial",
    "functools.reduce",
    "numpy.load",
    "pandas.read_pickle",
    "torch.jit.load",
    "torch.load",
    "torch.ops.load_library",
    "torch.serialization.load",
    "torch.storage._load_from_bytes",
};

bool is_listed(std::span<const std::string_view> list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// os, os.path, but not ossaudiodev.
bool is_in_module(std::string_view name, std::string_view module) {
  return name.starts_with(module) && name.size() > module.size() && name[module.size()] == '.';
}

bool is_harmless_class(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  const bool is_class = !last.empty() && last[0] >= 'A' && last[0] <= 'Z';
  if (!is_class) return false;
  // Types of elements and storages: torch.FloatStorage, torch.cuda.HalfStorage.
  const bool is_storage = name.starts_with("torch.") && last.ends_with("Storage");
  // TorchScript's own classes live in its archive, and are not Python's.
  if (is_storage || name.starts_with("__torch__.")) return true;
  return std::any_of(std::begin(kHarmlessClasses), std::end(kHarmlessClasses),
                     [&](std::string_view module) { return name.starts_with(module); });
}

bool is_dtype(std::string_view name) {
  return name.starts_with("torch.") && dtype_named(name.substr(6)).has_value();
}

// Gathers what the traces of a file's pickles say.
class Scanner {
 public:
  void add_pickle(const Blob& pickle, const std::string& place);
  // Pickle after pickle, until the end or something that is none.
  void add_pickles(const Blob& stream, const std::string& place);
  void add_zip(const Blob& file, const std::string& place, int depth);
  Scan result();

 private:
  void add_action(const PickleAction& action, const std::string& place);
  void add_problem(Danger danger, std::string problem);
  void add_entry(const ZipArchive& archive, const ZipEntry& entry, const std::string& place,
                 int depth);

  Scan scan_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> seen_;
};

std::string_view action_text(PickleAction::Kind kind) {
  switch (kind) {
    case PickleAction::Kind::kImport: return "imported";
    case PickleAction::Kind::kCall: return "called";
    case PickleAction::Kind::kBuild: return "given a state";
    case PickleAction::Kind::kPersistent: return "asked for";
    case PickleAction::Kind::kExtension: return "looked up";
  }
  return "";
}

void Scanner::add_problem(Danger danger, std::string problem) {
  scan_.verdict = std::max(scan_.verdict, danger);
  scan_.problems.push_back(std::move(problem));
}

void Scanner::add_action(const PickleAction& action, const std::string& place) {
  const std::string verb(action_text(action.kind));
  const auto [known, is_new] =
      seen_.emplace(std::tuple(place, action.what, verb), scan_.findings.size());
  if (!is_new) {
    ++scan_.findings[known->second].count;
    return;
  }
  ScanFinding finding;
  finding.danger = judge_global(action.what);
  finding.what = action.what;
  finding.action = verb;
  finding.place = place;
  finding.offset = action.offset;
  scan_.verdict = std::max(scan_.verdict, finding.danger);
  scan_.findings.push_back(std::move(finding));
}

void Scanner::add_pickle(const Blob& pickle, const std::string& place) {
  const PickleTrace trace = trace_pickle(pickle);
  ++scan_.pickles;
  for (const PickleAction& action : trace.actions) add_action(action, place);
  if (!trace.error.empty()) {
    add_problem(Danger::kUnknown,
                cat(place, ": ", trace.error, "; a loader would have run everything before that"));
  } else if (trace.length != pickle.size()) {
    add_problem(Danger::kUnknown, cat(place, ": ", pickle.size() - trace.length,
                                      " bytes follow the end of the pickle"));
  }
}

void Scanner::add_pickles(const Blob& stream, const std::string& place) {
  std::uint64_t at = 0;
  while (at < stream.size()) {
    const PickleTrace trace = trace_pickle(stream.slice(at, stream.size() - at), at);
    for (const PickleAction& action : trace.actions) add_action(action, place);
    if (!trace.error.empty()) break;  // the storages begin
    ++scan_.pickles;
    at += trace.length;
  }
}

void Scanner::add_entry(const ZipArchive& archive, const ZipEntry& entry, const std::string& place,
                        int depth) {
  const std::string_view name = entry.name;
  const std::string inside = place.empty() ? entry.name : cat(place, "!", name);
  if (name.ends_with(".so") || name.ends_with(".dll") || name.ends_with(".dylib"))
    return add_problem(Danger::kDangerous, cat(inside, ": a native library, which a loader runs"));
  if (name.find(".data/extern_modules") != std::string_view::npos)
    return add_problem(Danger::kDangerous,
                       "a torch.package archive: its Python sources are run by its loader");
  if (name.ends_with(".pkl")) return add_pickle(archive.read(entry), inside);
  // torch.export keeps weights, constants and example inputs as torch.save files inside.
  if (name.ends_with(".pt") && depth < 2) {
    const Blob nested = archive.read(entry);
    if (ZipArchive::recognise(nested.bytes())) return add_zip(nested, inside, depth + 1);
    add_pickle(nested, inside);
  }
}

void Scanner::add_zip(const Blob& file, const std::string& place, int depth) {
  const ZipArchive archive(file);
  for (const ZipEntry& entry : archive.entries()) add_entry(archive, entry, place, depth);
}

Scan Scanner::result() {
  std::stable_sort(scan_.findings.begin(), scan_.findings.end(),
                   [](const auto& a, const auto& b) { return a.danger > b.danger; });
  return std::move(scan_);
}

}  // namespace

Danger judge_global(std::string_view module_and_name) {
  std::string_view name = module_and_name;
  // The result of a call is judged by what was called.
  while (name.ends_with("(...)")) name.remove_suffix(5);
  const std::string plain = plain_global_name(name);
  if (is_listed(kDangerousGlobals, plain)) return Danger::kDangerous;
  for (const std::string_view module : kDangerousModules)
    if (is_in_module(plain, module)) return Danger::kDangerous;
  const bool is_harmless =
      is_listed(kHarmlessGlobals, plain) || is_harmless_class(plain) || is_dtype(plain);
  return is_harmless ? Danger::kHarmless : Danger::kUnknown;
}

Scan scan_file(const Blob& file) {
  Scanner scanner;
  if (ZipArchive::recognise(file.bytes())) {
    scanner.add_zip(file, "", 0);
    return scanner.result();
  }
  switch (recognise(file)) {
    case FileKind::kTorchStream: scanner.add_pickles(file, "the stream"); break;
    case FileKind::kTorchTar: {
      for (const auto& [name, member] : read_tar(file)) scanner.add_pickles(member, name);
      break;
    }
    case FileKind::kPickle: scanner.add_pickle(file, "the pickle"); break;
    default: break;  // safetensors: nothing in it can run
  }
  return scanner.result();
}

}  // namespace voxport
