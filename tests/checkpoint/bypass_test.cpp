// The published ways past other scanners of pickles, and our verdict on each: the table of
// docs/scan.md. Each row is a pickle of its own, small enough to be read here.
#include <cctype>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "checkpoint/scan.h"
#include "tests/checkpoint/pickled.h"
#include "tests/data.h"

namespace voxport::bypass_test {
namespace {

using namespace pickled;

struct Bypass {
  std::string_view how;
  Danger verdict;
  std::string pickle;
};

void PrintTo(const Bypass& bypass, std::ostream* out) { *out << bypass.how; }

std::string_view word_of(Danger danger) {
  constexpr std::string_view kWords[] = {"clean", "suspicious", "dangerous"};
  return kWords[static_cast<std::size_t>(danger)];
}

constexpr Danger kDangerous = Danger::kDangerous;
constexpr Danger kSuspicious = Danger::kUnknown;

// A call of the function with one text.
std::string calls(std::string_view module, std::string_view name) {
  return whole(reduce(global(module, name), text("echo voxport")));
}

// The same by the dotted name of an attribute, which protocol 4 looks up.
std::string calls_attribute(std::string_view module, std::string_view name) {
  return whole(reduce(stack_global(module, name), text("echo voxport")), 4);
}

const std::string kSystem = reduce(global("os", "system"), text("echo voxport"));

const std::vector<Bypass>& bypasses() {
  static const std::vector<Bypass> kBypasses = {
      // Functions of the standard library that run commands or code, beside the well-known ones.
      {"asyncio.unix_events._UnixSubprocessTransport._start", kDangerous,
       calls_attribute("asyncio.unix_events", "_UnixSubprocessTransport._start")},
      {"bdb.Bdb.run", kDangerous, calls_attribute("bdb", "Bdb.run")},
      {"cProfile.run", kDangerous, calls("cProfile", "run")},
      {"cProfile.runctx", kDangerous, calls("cProfile", "runctx")},
      {"code.InteractiveInterpreter.runcode", kDangerous,
       calls_attribute("code", "InteractiveInterpreter.runcode")},
      {"commands.getoutput (Python 2)", kDangerous, calls("commands", "getoutput")},
      {"ctypes.CDLL", kDangerous, calls("ctypes", "CDLL")},
      {"distutils.file_util.write_file", kDangerous, calls("distutils.file_util", "write_file")},
      {"distutils.spawn.spawn", kDangerous, calls("distutils.spawn", "spawn")},
      {"doctest.debug_script", kDangerous, calls("doctest", "debug_script")},
      {"ensurepip._run_pip", kDangerous, calls("ensurepip", "_run_pip")},
      {"getpass.getuser", kDangerous, calls("getpass", "getuser")},
      {"idlelib.autocomplete.AutoComplete.get_entity", kDangerous,
       calls_attribute("idlelib.autocomplete", "AutoComplete.get_entity")},
      {"idlelib.calltip.get_entity", kDangerous, calls("idlelib.calltip", "get_entity")},
      {"idlelib.debugobj.ObjectTreeItem.SetText", kDangerous,
       calls_attribute("idlelib.debugobj", "ObjectTreeItem.SetText")},
      {"idlelib.pyshell.ModifiedInterpreter.runcommand", kDangerous,
       calls_attribute("idlelib.pyshell", "ModifiedInterpreter.runcommand")},
      {"idlelib.run.Executive.runcode", kDangerous,
       calls_attribute("idlelib.run", "Executive.runcode")},
      {"imaplib.IMAP4_stream", kDangerous, calls("imaplib", "IMAP4_stream")},
      {"importlib.import_module", kDangerous, calls("importlib", "import_module")},
      {"lib2to3.pgen2.grammar.Grammar.loads", kDangerous,
       calls_attribute("lib2to3.pgen2.grammar", "Grammar.loads")},
      {"lib2to3.pgen2.pgen.ParserGenerator.make_label", kDangerous,
       calls_attribute("lib2to3.pgen2.pgen", "ParserGenerator.make_label")},
      {"logging.config.listen", kDangerous, calls("logging.config", "listen")},
      {"mailcap.findmatch", kDangerous, calls("mailcap", "findmatch")},
      {"marshal.loads", kDangerous, calls("marshal", "loads")},
      {"multiprocessing.util.spawnv_passfds", kDangerous,
       calls("multiprocessing.util", "spawnv_passfds")},
      {"nt.system", kDangerous, calls("nt", "system")},
      {"pdb.run", kDangerous, calls("pdb", "run")},
      {"pip.main", kDangerous, calls("pip", "main")},
      {"pip._internal.main", kDangerous, calls("pip._internal", "main")},
      {"pkgutil.resolve_name", kDangerous, calls("pkgutil", "resolve_name")},
      {"platform.popen", kDangerous, calls("platform", "popen")},
      {"posix.system", kDangerous, calls("posix", "system")},
      {"profile.Profile.runctx", kDangerous, calls_attribute("profile", "Profile.runctx")},
      {"pty.spawn", kDangerous, calls("pty", "spawn")},
      {"pydoc.pipepager", kDangerous, calls("pydoc", "pipepager")},
      {"runpy._run_code", kDangerous, calls("runpy", "_run_code")},
      {"shutil.rmtree", kDangerous, calls("shutil", "rmtree")},
      {"site.execsitecustomize", kDangerous, calls("site", "execsitecustomize")},
      {"test.support.script_helper.assert_python_ok", kDangerous,
       calls("test.support.script_helper", "assert_python_ok")},
      {"timeit.timeit", kDangerous, calls("timeit", "timeit")},
      {"trace.Trace.run", kDangerous, calls_attribute("trace", "Trace.run")},
      {"uuid._get_command_stdout", kDangerous, calls("uuid", "_get_command_stdout")},
      {"venv.create", kDangerous, calls("venv", "create")},
      {"webbrowser.open", kDangerous, calls("webbrowser", "open")},
      {"_aix_support._read_cmd_output", kDangerous, calls("_aix_support", "_read_cmd_output")},
      {"_io.FileIO", kDangerous, calls("_io", "FileIO")},
      {"_osx_support._read_output", kDangerous, calls("_osx_support", "_read_output")},
      {"_pyrepl.pager.pipe_pager", kDangerous, calls("_pyrepl.pager", "pipe_pager")},
      {"urllib.request.urlopen, ssl, smtplib, requests: data leave the machine", kDangerous,
       calls("urllib.request", "urlopen")},
      // Functions that call or look up what they are given.
      {"builtins.getattr of a module", kDangerous, calls("builtins", "getattr")},
      {"builtins.map", kDangerous, calls("builtins", "map")},
      {"functools.partial", kDangerous, calls("functools", "partial")},
      {"functools.reduce", kDangerous, calls("functools", "reduce")},
      {"gc.get_objects", kDangerous, calls("gc", "get_objects")},
      {"itertools.starmap", kDangerous, calls("itertools", "starmap")},
      {"numpy.vectorize", kDangerous, calls("numpy", "vectorize")},
      {"operator.attrgetter", kDangerous, calls("operator", "attrgetter")},
      {"operator.methodcaller", kDangerous, calls("operator", "methodcaller")},
      {"string.Formatter", kDangerous, calls("string", "Formatter")},
      {"sys.modules", kDangerous, whole(global("sys", "modules"))},
      {"types.CodeType, types.FunctionType", kDangerous, calls("types", "FunctionType")},
      {"weakref.finalize", kDangerous, calls("weakref", "finalize")},
      {"__builtin__.eval, by the names of Python 2", kDangerous, calls("__builtin__", "eval")},
      // Functions of PyTorch and numpy.
      {"numpy.f2py.crackfortran.getlincoef", kDangerous,
       calls("numpy.f2py.crackfortran", "getlincoef")},
      {"numpy.f2py.crackfortran.myeval", kDangerous, calls("numpy.f2py.crackfortran", "myeval")},
      {"numpy.testing._private.utils.runstring", kDangerous,
       calls("numpy.testing._private.utils", "runstring")},
      {"torch._dynamo.guards.GuardBuilder.get", kDangerous,
       calls_attribute("torch._dynamo.guards", "GuardBuilder.get")},
      {"torch._inductor.codecache.compile_file", kDangerous,
       calls("torch._inductor.codecache", "compile_file")},
      {"torch.cuda._memory_viz.format_flamegraph", kDangerous,
       calls("torch.cuda._memory_viz", "format_flamegraph")},
      {"torch.distributed.rpc, torch.distributed.run", kDangerous,
       calls("torch.distributed.run", "run_script_path")},
      {"torch.fx.experimental.symbolic_shapes.ShapeEnv.evaluate_guards_expression", kDangerous,
       calls_attribute("torch.fx.experimental.symbolic_shapes",
                       "ShapeEnv.evaluate_guards_expression")},
      {"torch.hub.load", kDangerous, calls("torch.hub", "load")},
      {"torch.jit.unsupported_tensor_ops.execWrapper", kDangerous,
       calls("torch.jit.unsupported_tensor_ops", "execWrapper")},
      {"torch.load, joblib.load, pandas.read_pickle, dill.loads: another pickle", kDangerous,
       calls("torch", "load")},
      {"torch.storage._load_from_bytes: another pickle in bytes", kDangerous,
       calls("torch.storage", "_load_from_bytes")},
      {"torch.utils._config_module.load_config", kDangerous,
       calls("torch.utils._config_module", "load_config")},
      {"torch.utils.bottleneck.__main__.run_cprofile", kDangerous,
       calls("torch.utils.bottleneck.__main__", "run_cprofile")},
      {"torch.utils.collect_env.run", kDangerous, calls("torch.utils.collect_env", "run")},
      {"torch.utils.data.datapipes.utils.decoder.basichandlers", kDangerous,
       calls("torch.utils.data.datapipes.utils.decoder", "basichandlers")},
      // Names that a list does not have, or has under another name.
      {"a class of a module nobody knows", kSuspicious, calls("my_project.models", "Generator")},
      {"a module reached through another: torch.nn.modules.linear.F", kSuspicious,
       whole(global("torch.nn.modules.linear", "F"))},
      {"a submodule of a listed module: asyncio.base_subprocess", kDangerous,
       calls("asyncio.base_subprocess", "BaseSubprocessTransport")},
      {"dotted names of protocol 4 through imports: torch.nn.modules.linear os.system", kDangerous,
       calls_attribute("torch.nn.modules.linear", "torch.os.system")},
      {"dotted names of protocol 4 through __globals__", kSuspicious,
       calls_attribute("torch.nn.modules.linear", "Linear.forward.__globals__.get")},
      {"dotted names of protocol 4 through __class__", kSuspicious,
       calls_attribute("torch", "Tensor.__class__.mro")},
      // Opcodes that a simple parser does not follow.
      {"STACK_GLOBAL with names from the memo", kDangerous,
       whole(text("os") + put(0) + "0" + text("system") + put(1) + "0" + get(0) + get(1) + "\x93" +
                 tuple({text("echo voxport")}) + "R",
             4)},
      {"STACK_GLOBAL with names that are put twice", kDangerous,
       whole(text("collections") + put(0) + "0" + text("os") + put(0) + "0" + get(0) +
                 text("system") + "\x93" + tuple({text("echo voxport")}) + "R",
             4)},
      {"STACK_GLOBAL with escaped names", kDangerous,
       whole("S'\\x6fs'\nS'\\163ystem'\n\x93" + tuple({text("echo voxport")}) + "R", 4)},
      {"INST", kDangerous, whole("(" + text("echo voxport") + "ios\nsystem\n", 0)},
      {"OBJ", kDangerous, whole("(" + global("os", "system") + text("echo voxport") + "o")},
      {"NEWOBJ_EX", kDangerous,
       whole(global("subprocess", "Popen") + tuple({text("ls")}) + "}\x92", 4)},
      {"BUILD with __setstate__ in the state", kSuspicious,
       whole(build(build(new_object("argparse", "Namespace"),
                         dict({{text("__setstate__"), global("builtins", "list")}})),
                   text("echo voxport")))},
      {"BUILD of slots, which sets any attribute", kSuspicious,
       whole(build(new_object("argparse", "Namespace"),
                   tuple({"N", dict({{text("__class__"), global("builtins", "dict")}})})))},
      {"extension registry codes: EXT1", kSuspicious,
       whole(std::string("\x82\x01", 2) + tuple({text("echo voxport")}) + "R")},
      {"persistent ids that no torch.save writes", kSuspicious,
       whole(tuple({text("storage"), global("collections", "OrderedDict")}) + "Q")},
      {"persistent ids as text: PERSID", kSuspicious, whole("P0\n", 0)},
      {"a call among values that are popped again", kDangerous, whole(kSystem + "0N")},
      {"a pickle that breaks off after the call", kDangerous, "\x80\x02" + kSystem},
      {"a pickle that breaks off before the call, for us alone", kSuspicious,
       whole(std::string(1001, '(') + kSystem)},
      {"an opcode that does not exist after the call", kDangerous, whole(kSystem + "\xff")},
      {"a second pickle behind the first", kSuspicious, whole("N") + whole(kSystem)},
      {"a pickle of protocol 0 without a header", kDangerous, whole(kSystem, 0)},
      {"CRLF at the end of a name", kSuspicious, whole("cos\r\nsystem\r\n)R", 0)},
      // Harmless names, used for something else.
      {"torch._tensor._rebuild_from_type_v2 calls what it is given", kSuspicious,
       whole(reduce(global("torch._tensor", "_rebuild_from_type_v2"),
                    {new_object("torch.nn.modules.linear", "Identity"), global("torch", "Tensor"),
                     tuple({text("x")}), "N"}))},
      {"torch.jit._pickle.restore_type_tag returns its argument", kSuspicious,
       whole(reduce(global("torch.jit._pickle", "restore_type_tag"),
                    {global("torch.nn.modules.linear", "Linear"), text("t")}))},
      {"torch.jit._pickle.build_intlist returns its argument", kSuspicious,
       whole(reduce(global("torch.jit._pickle", "build_intlist"),
                    {new_object("argparse", "Namespace")}))},
      {"torch.nn.modules.container.ParameterDict looks attributes up", kSuspicious,
       whole(reduce(global("torch.nn.modules.container", "ParameterDict"),
                    {new_object("torch.nn.modules.container", "ParameterDict")}))},
      {"torch.nn.modules.container.ModuleList goes through what it is given", kSuspicious,
       whole(reduce(global("torch.nn.modules.container", "ModuleList"),
                    {new_object("torch.nn.modules.container", "ParameterDict")}))},
      {"torch.optim.swa_utils.AveragedModel copies by __deepcopy__", kSuspicious,
       whole(reduce(global("torch.optim.swa_utils", "AveragedModel"),
                    {new_object("torch.nn.modules.linear", "Identity")}))},
      {"a state that hides a method", kSuspicious,
       whole(build(new_object("torch.nn.modules.linear", "Identity"),
                   dict({{text("forward"), new_object("torch.nn.modules.linear", "Linear")}})))},
      {"a state whose _modules is no dict", kSuspicious,
       whole(build(
           new_object("torch.nn.modules.container", "Sequential"),
           dict({{text("_modules"), new_object("torch.nn.modules.container", "ParameterDict")}})))},
      {"a function in a dict of hooks", kSuspicious,
       whole(build(new_object("torch.nn.modules.linear", "Identity"),
                   dict({{text("_forward_hooks"),
                          dict({{"K\x01", global("torch.jit._pickle", "restore_type_tag")}})}})))},
      {"a module among the attributes of another", kSuspicious,
       whole(build(new_object("torch.nn.modules.rnn", "LSTM"),
                   dict({{text("_all_weights"),
                          new_object("torch.nn.modules.container", "ModuleList")}})))},
      {"hooks that come into the dict of a tensor after it was made", kSuspicious,
       whole(reduce(global("collections", "OrderedDict"), {}) + put(0) + "0" + tensor(get(0)) +
             "0" + get(0) + "K\x01" + new_object("torch.nn.modules.linear", "Identity") + "s")},
      {"an optimizer whose state is given to Counter first", kSuspicious,
       whole(build(
           new_object("torch.optim.adam", "Adam"),
           dict({{text("state"), reduce(global("collections", "Counter"),
                                        dict({{"K\x01", new_object("torch.nn.modules.container",
                                                                   "ModuleDict")}}))}})))},
      {"a set of objects that are hashed by code of their own", kSuspicious,
       whole(reduce(global("builtins", "set"),
                    list({new_object("omegaconf.dictconfig", "DictConfig")})))},
      {"items set on an object that is no dict", kSuspicious,
       whole(new_object("torch.nn.modules.container", "ParameterDict") + text("k") + text("v") +
             "s")},
      {"items appended to an object that is no list", kSuspicious,
       whole(new_object("torch.nn.modules.container", "ModuleList") + text("v") + "a")},
      {"a defaultdict that calls its factory", kSuspicious,
       whole(reduce(global("collections", "defaultdict"),
                    global("torch.jit._pickle", "restore_type_tag")))},
      {"a codec by name: _codecs.encode(text, 'zip')", kSuspicious,
       whole(reduce(global("_codecs", "encode"), {text("x"), text("zip")}))},
      {"numpy objects read from bytes", kSuspicious,
       whole(numpy_array(numpy_dtype("O8", 63), "C\x08zzzzzzzz"))},
      {"a numpy scalar of objects", kSuspicious,
       whole(reduce(global("numpy.core.multiarray", "scalar"),
                    {numpy_dtype("O8", 63), "C\x08zzzzzzzz"}))},
      {"numpy objects in the fields of a structured type", kSuspicious,
       whole(numpy_array(numpy_struct(numpy_dtype("O8", 63)), "C\x08zzzzzzzz"))},
      {"a numpy dtype that is given a second state", kSuspicious,
       whole(build(numpy_dtype("f8", 0), numpy_dtype_state(0)))},
      {"a numpy dtype with flags of its own", kSuspicious, whole(numpy_dtype("f8", 63))},
  };
  return kBypasses;
}

std::string test_name(std::string_view how, std::size_t index) {
  std::string name = cat(index, "_");
  for (const char c : how) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

class KnownBypass : public testing::TestWithParam<Bypass> {};

TEST_P(KnownBypass, IsSeenThrough) {
  const Scan scan = scan_file(Blob::own(std::string(GetParam().pickle)));
  EXPECT_EQ(word_of(scan.verdict), word_of(GetParam().verdict));
}

INSTANTIATE_TEST_SUITE_P(Table, KnownBypass, testing::ValuesIn(bypasses()),
                         [](const auto& test) { return test_name(test.param.how, test.index); });

// | how | verdict |, in this order.
std::string rows_of_table() {
  std::string rows;
  for (const Bypass& bypass : bypasses())
    rows += cat("| ", bypass.how, " | ", word_of(bypass.verdict), " |\n");
  return rows;
}

TEST(KnownBypasses, AreInTheDocumentation) {
  std::ifstream file(data_folder().parent_path().parent_path() / "docs" / "scan.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find(rows_of_table()), std::string::npos)
      << "docs/scan.md should have this table:\n"
      << rows_of_table();
}

}  // namespace
}  // namespace voxport::bypass_test
