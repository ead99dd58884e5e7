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
