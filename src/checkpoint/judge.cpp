#include "checkpoint/judge.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/dtype.h"
#include "checkpoint/pickle.h"

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
    "torch.nn.utils.rnn.PackedSequence",
    "torch.nn.utils.weight_norm.WeightNorm",
    "torch.per_channel_affine",
    "torch.per_tensor_affine",
    "torch.serialization._get_layout",
    "torch.storage.TypedStorage",
    "torch.storage.UntypedStorage",
    "torch.storage._LegacyStorage",
    "typing.Any",
    "uuid.UUID",
};

// Packages in whose modules every class (a name in CamelCase) is a plain holder of values.
constexpr std::string_view kHarmlessClasses[] = {
    "lightning.pytorch.callbacks",
    "pytorch_lightning.callbacks",
    "torch.nn.modules",
    "torch.optim",
};

// Modules that run commands, code or other files, or that reach such things by name.
constexpr std::string_view kDangerousModules[] = {
    "_io",
    "_pickle",
    "_posixsubprocess",
    "aiohttp",
    "asyncio",
    "bdb",
    "cPickle",
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
    "pkg_resources",
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
    "tarfile",
    "torch._dynamo",
    "torch._inductor",
    "torch.distributed",
    "torch.hub",
    "torch.multiprocessing",
    "torch.package",
    "torch.testing",
    "torch.utils",
    "trace",
    "types",
    "unittest",
    "urllib",
    "urllib2",
    "venv",
    "webbrowser",
    "xmlrpc",
    "zipfile",
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
    "torch._utils._import_dotted_name",
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

bool is_upper_case(char c) { return c >= 'A' && c <= 'Z'; }

// Whether the name is a class in a module of this package: torch.optim.adam.Adam in torch.optim. A
// name with more dots may be anything that the module has imported.
bool is_class_below(std::string_view name, std::string_view package) {
  if (!is_in_module(name, package)) return false;
  const std::size_t last_dot = name.rfind('.');
  const std::string_view class_name = name.substr(last_dot + 1);
  if (class_name.empty() || !is_upper_case(class_name[0])) return false;
  if (last_dot == package.size()) return true;
  const std::string_view module = name.substr(package.size() + 1, last_dot - package.size() - 1);
  return !module.empty() && module.find('.') == std::string_view::npos &&
         !module.starts_with("__") && !is_upper_case(module[0]);
}

// torch.FloatStorage, torch.cuda.HalfTensor.
bool is_storage_or_tensor(std::string_view name) {
  const std::size_t last_dot = std::min(name.rfind('.'), name.size());
  const std::string_view module = name.substr(0, last_dot);
  const bool is_known = module == "torch" || module == "torch.cuda" || module == "torch.storage";
  return is_known && (name.ends_with("Storage") || name.ends_with("Tensor")) &&
         is_upper_case(name[last_dot + 1]);
}

bool is_harmless_class(std::string_view name) {
  // TorchScript's own classes live in its archive, and are not Python's.
  const bool is_script = name.starts_with("__torch__.");
  return is_script || is_storage_or_tensor(name) ||
         std::any_of(std::begin(kHarmlessClasses), std::end(kHarmlessClasses),
                     [&](std::string_view package) { return is_class_below(name, package); });
}

bool is_dtype(std::string_view name) {
  return name.starts_with("torch.") && dtype_named(name.substr(6)).has_value();
}

// Whether a name goes through a module that some other module has imported: torch.nn.modules.os.
bool passes_through_dangerous_module(std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1))
    for (const std::string_view module :
         {"builtins", "importlib", "nt", "os", "posix", "runpy", "shutil", "subprocess", "sys"})
      if (is_in_module(name.substr(dot + 1), module)) return true;
  return false;
}

}  // namespace

Danger judge_global(std::string_view module_and_name) {
  std::string_view name = module_and_name;
  // The result of a call is judged by what was called; but no saved model calls one.
  const bool is_result = name.ends_with("(...)");
  while (name.ends_with("(...)")) name.remove_suffix(5);
  const std::string plain = plain_global_name(name);
  if (is_listed(kDangerousGlobals, plain)) return Danger::kDangerous;
  for (const std::string_view module : kDangerousModules)
    if (is_in_module(plain, module)) return Danger::kDangerous;
  if (passes_through_dangerous_module(plain)) return Danger::kDangerous;
  const bool is_harmless =
      is_listed(kHarmlessGlobals, plain) || is_harmless_class(plain) || is_dtype(plain);
  return is_harmless && !is_result ? Danger::kHarmless : Danger::kUnknown;
}

}  // namespace voxport
