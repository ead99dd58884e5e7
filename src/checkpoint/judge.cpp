#include "checkpoint/judge.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/fail.h"
#include "checkpoint/harmless.h"
#include "checkpoint/pickle.h"

namespace voxport {
namespace {

// Modules that run commands, code or other files, or that reach such things by name.
constexpr std::string_view kDangerousModules[] = {
    "_aix_support",
    "_ctypes",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "_imp",
    "_io",
    "_operator",
    "_osx_support",
    "_pickle",
    "_posixshmem",
    "_posixsubprocess",
    "_pyrepl",
    "_signal",
    "_socket",
    "_sqlite3",
    "_ssl",
    "_thread",
    "_winapi",
    "_xxsubinterpreters",
    "aiohttp",
    "antigravity",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "bdb",
    "bz2",
    "cPickle",
    "cProfile",
    "cffi",
    "cgi",
    "cgitb",
    "cloudpickle",
    "code",
    "codeop",
    "commands",
    "compileall",
    "concurrent",
    "contextlib",
    "ctypes",
    "dbm",
    "dill",
    "distutils",
    "doctest",
    "ensurepip",
    "fabric",
    "faulthandler",
    "fileinput",
    "ftplib",
    "gc",
    "getpass",
    "glob",
    "gzip",
    "http",
    "httplib",
    "hydra",
    "idlelib",
    "imaplib",
    "imp",
    "importlib",
    "inspect",
    "io",
    "joblib",
    "jsonpickle",
    "keras",
    "lib2to3",
    "linecache",
    "logging",
    "lzma",
    "mailcap",
    "marshal",
    "mlflow",
    "mmap",
    "modulefinder",
    "multiprocessing",
    "netrc",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numba",
    "numexpr",
    "numpy.distutils",
    "numpy.f2py",
    "numpy.testing",
    "operator",
    "os",
    "pandas.core.computation",
    "pandas.io",
    "paramiko",
    "pdb",
    "pexpect",
    "pickle",
    "pip",
    "pipes",
    "pkg_resources",
    "pkgutil",
    "platform",
    "popen2",
    "poplib",
    "posix",
    "posixpath",
    "profile",
    "psutil",
    "pty",
    "py_compile",
    "pyclbr",
    "pydoc",
    "requests",
    "runpy",
    "sched",
    "setuptools",
    "shelve",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "socket",
    "socketserver",
    "sqlite3",
    "ssl",
    "subprocess",
    "sympy",
    "sys",
    "tarfile",
    "telnetlib",
    "tempfile",
    "tensorflow",
    "test",
    "threading",
    "timeit",
    "tkinter",
    "torch._dynamo",
    "torch._inductor",
    "torch.cuda._memory_viz",
    "torch.distributed",
    "torch.fx",
    "torch.hub",
    "torch.jit.unsupported_tensor_ops",
    "torch.multiprocessing",
    "torch.package",
    "torch.testing",
    "torch.utils",
    "trace",
    "turtle",
    "turtledemo",
    "types",
    "unittest",
    "urllib",
    "urllib2",
    "venv",
    "webbrowser",
    "wsgiref",
    "xml",
    "xmlrpc",
    "yaml",
    "zipapp",
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
    "builtins.filter",
    "builtins.getattr",
    "builtins.globals",
    "builtins.input",
    "builtins.locals",
    "builtins.map",
    "builtins.open",
    "builtins.setattr",
    "builtins.type",
    "builtins.vars",
    "codecs.getreader",
    "codecs.open",
    "copy.copy",
    "copy.deepcopy",
    "copyreg.__newobj__",
    "copyreg.__newobj_ex__",
    "copyreg.add_extension",
    "copyreg.constructor",
    "copyreg.pickle",
    "functools.partial",
    "functools.partialmethod",
    "functools.reduce",
    "itertools.accumulate",
    "itertools.starmap",
    "numpy.apply_along_axis",
    "numpy.fromfile",
    "numpy.fromfunction",
    "numpy.frompyfunc",
    "numpy.genfromtxt",
    "numpy.lib.npyio.load",
    "numpy.load",
    "numpy.loadtxt",
    "numpy.memmap",
    "numpy.save",
    "numpy.savez",
    "numpy.vectorize",
    "pandas.read_pickle",
    "string.Formatter",
    "torch._utils._import_dotted_name",
    "torch.classes.load_library",
    "torch.compile",
    "torch.from_file",
    "torch.jit.load",
    "torch.jit.save",
    "torch.jit.script",
    "torch.load",
    "torch.ops.load_library",
    "torch.save",
    "torch.serialization.load",
    "torch.serialization.save",
    "torch.storage._load_from_bytes",
    "uuid._get_command_stdout",
    "weakref.finalize",
};

bool is_listed(std::span<const std::string_view> list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// os, os.path, but not ossaudiodev.
bool is_in_module(std::string_view name, std::string_view module) {
  return name.starts_with(module) && name.size() > module.size() && name[module.size()] == '.';
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

Danger judge_global(std::string_view module, std::string_view name) {
  const std::string plain = plain_global_name(cat(module, ".", name));
  if (is_listed(kDangerousGlobals, plain)) return Danger::kDangerous;
  for (const std::string_view dangerous : kDangerousModules)
    if (is_in_module(plain, dangerous)) return Danger::kDangerous;
  if (passes_through_dangerous_module(plain)) return Danger::kDangerous;
  return find_harmless(module, name) ? Danger::kHarmless : Danger::kUnknown;
}

Danger judge_global(std::string_view module_and_name) {
  std::string_view name = module_and_name;
  const bool is_result = name.ends_with("(...)");
  while (name.ends_with("(...)")) name.remove_suffix(5);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return Danger::kUnknown;
  const Danger danger = judge_global(name.substr(0, dot), name.substr(dot + 1));
  return is_result ? std::max(danger, Danger::kUnknown) : danger;
}

}  // namespace voxport
