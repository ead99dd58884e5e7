// Archives of torch.export: what the loader has Python evaluate, import and unpickle.
#include "scan/exported_graph.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/data.h"
#include "tests/program/zip_writer.h"
#include "tests/scan/scanned.h"

namespace voxport::exported_graph_test {
namespace {

using nlohmann::json;
// A recorded archive, to be changed: of the layout up to PyTorch 2.7, or since 2.8.
class Changed {
 public:
  explicit Changed(const std::string& name)
      : contents(contents_of(Blob::map_file(data_folder() / "programs" / (name + ".pt2")))) {
    const bool is_flat = contents.contains("serialized_exported_program.json");
    root = is_flat ? "" : name + "/";
    program_name = is_flat ? "serialized_exported_program.json" : root + "models/model.json";
    program = json::parse(contents.at(program_name));
  }

  std::string summary() {
    contents[program_name] = program.dump();
    return summary_of(scan_of(std::string(zip_of(contents).text())));
  }

  ZipContents contents;
  std::string root, program_name;
  json program;
};

constexpr const char* kOld = "seed_linear";
constexpr const char* kNew = "seed_linear.v214";

json& first_node(Changed& changed) { return changed.program["graph_module"]["graph"]["nodes"][0]; }

json& first_size(Changed& changed) {
  return changed.program["graph_module"]["graph"]["tensor_values"].front()["sizes"][0];
}

std::string summary_of_size(const std::string& expression) {
  Changed changed(kOld);
  first_size(changed) = {{"as_expr", {{"expr_str", expression}, {"hint", {{"as_int", 2}}}}}};
  return changed.summary();
}

TEST(ScanExported, FindsHonestArchivesClean) {
  EXPECT_EQ(Changed(kOld).summary(), "clean");
  EXPECT_EQ(Changed(kNew).summary(), "clean");
}

TEST(ScanExported, LetsSizesBeSizes) {
  for (const char* size :
       {"2*s0 + 1", "s0//2", "Max(1, s0 - 3)", "Mul(Integer(2), Symbol('s1', positive=True))",
        "GreaterThan(Symbol('u0', integer=True), Integer(0))", "Float('0.5', precision=53)",
        "Pow(Symbol('s0'), Rational(1, 2))"})
    EXPECT_EQ(summary_of_size(size), "clean") << size;
}

TEST(ScanExported, CallsCodeForASizeDangerous) {
  for (const char* size :
       {"__import__('os').system('ls')", "exec('import os')", "eval('1')", "open('x')",
        "().__class__", "[c for c in ().__class__.__base__.__subclasses__()]", "getattr(s0, 'x')",
        "Symbol('s0').func.__globals__", "Symbol('__import__(1)')", "lambda: 0"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous", summary_of_size(size)) << size;
}

TEST(ScanExported, CallsOtherTextForASizeSuspicious) {
  for (const char* size : {"s0.args", "print('hello')", "f(s0)", "Symbol('s0', 's1')", "'text'",
                           "Float('x')", "s0[0]", "s0 if s0 else 1", ""})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary_of_size(size)) << size;
}

TEST(ScanExported, JudgesTheNamesOfRanges) {
  Changed changed(kOld);
  changed.program["range_constraints"]["__import__('os')"] = {{"min_val", 1}, {"max_val", 2}};
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous", changed.summary());
}

// SymPy evaluates the parts of lists, and Python runs over the keys of an object.
TEST(ScanExported, CallsOtherKindsThanTextsSuspicious) {
  for (const json& value : {json::array({"__import__('os')"}), json::object({{"1", 2}}), json(1)}) {
    Changed size(kOld);
    first_size(size) = {{"as_expr", {{"expr_str", value}, {"hint", {{"as_int", 2}}}}}};
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "has something else than a text for expr_str",
                        size.summary());
    Changed operators(kOld);
    first_node(operators)["inputs"][0]["arg"] = {{"as_operator", value}};
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", operators.summary());
    Changed spec(kOld);
    spec.program["graph_module"]["module_call_graph"][0]["signature"]["in_spec"] = value;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", spec.summary());
  }
  for (const json& value : {json("print(1)"), json::object({{"print(1)", 2}}), json(1)}) {
    Changed guards(kNew);
    guards.program["guards_code"] = value;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "has something else than a list for guards_code",
                        guards.summary());
  }
}

// As JSON it is a text; as a size, Python evaluates it.
TEST(ScanExported, JudgesATextAsEachThingThatItIs) {
  const std::string text = R"("print")";
  Changed changed(kOld);
  changed.program["graph_module"]["module_call_graph"][0]["signature"]["in_spec"] = text;
  EXPECT_EQ(changed.summary(), "clean");
  // After the module calls, in the order of the names.
  changed.program["verifiers"] = {{{"expr_str", text}}};
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "for a size", changed.summary());
}

TEST(ScanExported, JudgesGuards) {
  const auto summary_of_guard = [](const char* guard) {
    Changed changed(kNew);
    changed.program["guards_code"] = {guard};
    return changed.summary();
  };
  EXPECT_EQ(summary_of_guard("L['x'].size()[0] // 4 >= 1 and not (L['y'][1].stride()[0] == 2)"),
            "clean");
  EXPECT_EQ(summary_of_guard("torch.sym_max(1, L['x'].size()[3] // 4) < 8"), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_guard("__import__('os').system('ls')"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous", summary_of_guard("L['x'].__class__"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_guard("L['x'].data_ptr() == 0"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary_of_guard("print(L['x'])"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_guard("L[\"x\"].size()[0] == 1"));
}

TEST(ScanExported, JudgesTargets) {
  const auto summary_of_target = [](const char* target) {
    Changed changed(kOld);
    first_node(changed)["target"] = target;
    return changed.summary();
  };
  EXPECT_EQ(summary_of_target("torch.ops.aten.relu.default"), "clean");
  EXPECT_EQ(summary_of_target("_operator.mul"), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_target("torch.ops.aten.from_file.default"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous",
                      summary_of_target("torch.ops.image.read_file.default"));
  for (const char* target :
       {"torch.ops.mylib.op.default", "torch.os.system", "os.system", "torch.hub.load",
        "_operator.methodcaller", "torch.ops.aten.relu.default.__globals__",
        "torch.ops.higher_order.triton_kernel_wrapper_mutation", "torch.ops.aten", "builtins.eval"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary_of_target(target)) << target;
}

TEST(ScanExported, JudgesOperatorsAmongArguments) {
  Changed changed(kOld);
  first_node(changed)["inputs"][0]["arg"] = {{"as_operator", "torch.os.system"}};
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", changed.summary());
}

TEST(ScanExported, CallsObjectsOfLibrariesSuspicious) {
  Changed changed(kOld);
  first_node(changed)["inputs"][0]["arg"] = {
      {"as_custom_obj", {{"name", "engine"}, {"class_fqn", "__torch__.torch.classes.x.Engine"}}}};
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "an object of a class that C++ code registers",
                      changed.summary());
  Changed with_entry(kNew);
  with_entry.contents[with_entry.root + "data/constants/custom_obj_0"] = "anything";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", with_entry.summary());
}

TEST(ScanExported, JudgesTheTypesOfInputs) {
  const auto summary_of_spec = [](const json& spec) {
    Changed changed(kOld);
    json& calls = changed.program["graph_module"]["module_call_graph"];
    calls[0]["signature"]["in_spec"] = spec.dump();
    return changed.summary();
  };
  const json leaf = {{"type", nullptr}, {"context", nullptr}, {"children_spec", json::array()}};
  const auto dict_of = [&](const json& context) {
    return json::array({1,
                        {{"type", "collections.defaultdict"},
                         {"context", context.dump()},
                         {"children_spec", {leaf}}}});
  };
  EXPECT_EQ(summary_of_spec(json::array({1, leaf})), "clean");
  EXPECT_EQ(summary_of_spec(dict_of(
                {{"default_factory_module", "builtins"}, {"default_factory_name", "list"}})),
            "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "has the loader import 'os'",
                      summary_of_spec(dict_of(
                          {{"default_factory_module", "os"}, {"default_factory_name", "getcwd"}})));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      summary_of_spec(dict_of({{"default_factory_module", "builtins"},
                                               {"default_factory_name", "exec"}})));
  EXPECT_PRED_FORMAT2(
      testing::IsSubstring, "suspicious",
      summary_of_spec(dict_of({{"__enum__", true}, {"fqn", "this:s"}, {"name", "x"}})));
}

// Python's json module reads half a surrogate pair; our reader does not.
TEST(ScanExported, CallsContextsThatItCannotReadSuspicious) {
  const auto summary_of_context = [](const std::string& context) {
    Changed changed(kOld);
    const json spec = {
        1, {{"type", "builtins.dict"}, {"context", context}, {"children_spec", json::array()}}};
    changed.program["graph_module"]["module_call_graph"][0]["signature"]["in_spec"] = spec.dump();
    return changed.summary();
  };
  EXPECT_EQ(summary_of_context(R"(["a", "b {", "c\"d"])"), "clean");
  for (const char* context :
       {R"(["\ud800", {"__enum__": true}])", R"( {"\udc00": {"__enum__": true}})",
        R"("[\"\ud800\", {\"__enum__\": true}]")", R"(["[\"\\ud800\"]"])"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "by what is no JSON", summary_of_context(context))
        << context;
  json deep = json::array();
  for (int depth = 0; depth < 4; ++depth) deep = json::array({deep.dump()});
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "by JSON in strings more than 4 deep",
                      summary_of_context(deep.dump()));
}

TEST(ScanExported, CallsCompiledCodeDangerous) {
  for (const char* name : {"model/x.so", "model/x.cpp", "model/x.cubin", "model/x_metadata.json"}) {
    Changed changed(kNew);
    changed.contents[cat(changed.root, "data/aotinductor/", name)] = "{}";
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous", changed.summary()) << name;
  }
}

// Sample inputs and constants are given to torch.load(), which runs what they say; of a TorchScript
// archive it runs the code.
TEST(ScanExported, JudgesWhatIsPickled) {
  const std::string evil(zip_of({{"archive/data.pkl",
                                  "\x80\x02"
                                  "cos\nsystem\n(S'ls'\ntR."}})
                             .text());
  const std::string script(
      zip_of({{"archive/data.pkl", "\x80\x02N."}, {"archive/constants.pkl", "\x80\x02)."}}).text());
  for (const char* name :
       {"serialized_example_inputs.pt", "serialized_state_dict.pt", "serialized_constants.pt"}) {
    Changed changed(kOld);
    changed.contents[name] = evil;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous", changed.summary()) << name;
    changed.contents[name] = script;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "expected an archive of torch.save",
                        changed.summary())
        << name;
    changed.contents[name] = "\x80\x02N.";
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", changed.summary()) << name;
  }
  for (const char* name : {"data/sample_inputs/model.pt", "data/weights/model.pt",
                           "data/constants/model.pt", "data/weights/weight_0"}) {
    Changed changed(kNew);
    changed.contents[changed.root + name] = evil;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "dangerous", changed.summary()) << name;
  }
}

// A tensor whose configuration says that it is pickled is given to torch.load(), too.
TEST(ScanExported, JudgesPickledTensors) {
  Changed changed(kNew);
  const std::string name = changed.root + "data/weights/model_weights_config.json";
  json config = json::parse(changed.contents.at(name));
  config["config"].front()["use_pickle"] = true;
  changed.contents[name] = config.dump();
  EXPECT_PRED_FORMAT2(testing::IsSubstring, ": expected an archive of torch.save",
                      changed.summary());
  config["config"].front()["use_pickle"] = false;
  config["config"].front()["tensor_meta"] = nullptr;
  changed.contents[name] = config.dump();
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "an object that is no tensor", changed.summary());
}

TEST(ScanExported, KnowsTheEntriesAndParts) {
  Changed changed(kNew);
  changed.contents[changed.root + "extra/notes.txt"] = "anything";
  EXPECT_EQ(changed.summary(), "clean");
  changed.contents[changed.root + "extra/notes.txt"] = "cos\nsystem\n";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "notes.txt: the file is a pickle", changed.summary());
  Changed with_entry(kOld);
  with_entry.contents["setup.py"] = "pass";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "setup.py: an entry that no loader of PyTorch knows",
                      with_entry.summary());
  Changed with_part(kOld);
  with_part.program["run_me"] = "os.system";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "has a part 'run_me', which is not known here",
                      with_part.summary());
  Changed broken(kOld);
  broken.contents["extra_files/a"] = "b";
  EXPECT_EQ(broken.summary(), "clean");
}

}  // namespace
}  // namespace voxport::exported_graph_test
