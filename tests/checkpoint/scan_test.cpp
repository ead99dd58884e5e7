// What the scan says of pickles that would have run something, whichever way they are wrapped and
// named: the files of tests/broken/scan. And that it says nothing of honest ones.
// tools/make_broken_files.py makes them.
#include "checkpoint/scan.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "tests/data.h"

namespace voxport {

void PrintTo(Danger danger, std::ostream* out) {
  constexpr std::string_view kNames[] = {"harmless", "unknown", "dangerous"};
  *out << kNames[static_cast<std::size_t>(danger)];
}

namespace scan_test {
namespace {

namespace fs = std::filesystem;

struct Hostile {
  std::string file;
  Danger verdict;
  std::vector<std::string> lines;  // findings that are not harmless, then problems
};

const std::vector<Hostile>& hostile_files() {
  static const std::vector<Hostile> kHostile = {
      {"breaks_after_call.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of the pickle",
        "dangerous os.system called at byte 32 of the pickle",
        "the pickle: byte 255 at byte 33 is no pickle opcode; a loader would have run everything "
        "before that, and perhaps more"}},
      {"breaks_before_stop.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of the pickle",
        "dangerous os.system called at byte 32 of the pickle",
        "the pickle: the pickle ends at byte 33 without a STOP; a loader would have run everything "
        "before that, and perhaps more"}},
      {"breaks_stack_after_call.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of the pickle",
        "dangerous os.system called at byte 32 of the pickle",
        "the pickle: pickle opcode POP at byte 34 finds the stack empty; a loader would have run "
        "everything before that, and perhaps more"}},
      {"build_of_class.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 50 of the pickle",
        "the pickle: pickle opcode BUILD at byte 63 sets the state of a global, expected an "
        "object; a loader would have run everything before that, and perhaps more"}},
      {"call_of_call.pkl",
       Danger::kUnknown,
       {"unknown torch.nn.modules.container.Sequential called with unexpected arguments at byte 43 "
        "of "
        "the pickle",
        "unknown torch.nn.modules.container.Sequential(...) called at byte 47 of the pickle"}},
      {"default_factory.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 28 of the pickle",
        "unknown collections.defaultdict called with unexpected arguments at byte 40 of the "
        "pickle"}},
      {"dotted_callback.pkl",
       Danger::kDangerous,
       {"dangerous pytorch_lightning.callbacks.timer.time.os.Popen imported at byte 58 of the "
        "pickle",
        "dangerous pytorch_lightning.callbacks.timer.time.os.Popen called at byte 78 of the "
        "pickle"}},
      {"dotted_class_attribute.pkl",
       Danger::kUnknown,
       {"unknown torch.nn.modules.linear.Linear.Evil imported at byte 46 of the pickle",
        "unknown torch.nn.modules.linear.Linear.Evil called at byte 49 of the pickle"}},
      {"dotted_globals.pkl",
       Danger::kUnknown,
       {"unknown torch.nn.modules.linear.Linear.forward.__globals__.get imported at byte 65 of the "
        "pickle",
        "unknown torch.nn.modules.linear.Linear.forward.__globals__.get called at byte 75 of the "
        "pickle"}},
      {"dotted_os_system.pkl",
       Danger::kDangerous,
       {"dangerous torch.nn.modules.linear.os.system imported at byte 44 of the pickle",
        "dangerous torch.nn.modules.linear.os.system called at byte 64 of the pickle"}},
      {"dotted_popen.pkl",
       Danger::kDangerous,
       {"dangerous torch.nn.modules.module.torch.cuda._memory_viz.subprocess.Popen imported at "
        "byte 74 of the pickle",
        "dangerous torch.nn.modules.module.torch.cuda._memory_viz.subprocess.Popen called at byte "
        "89 of the pickle"}},
      {"dotted_popen_of_optim.pkl",
       Danger::kDangerous,
       {"dangerous torch.optim.optimizer.warnings.sys.modules.Popen imported at byte 59 of the "
        "pickle",
        "dangerous torch.optim.optimizer.warnings.sys.modules.Popen called at byte 79 of the "
        "pickle"}},
      {"dotted_storage.pkl",
       Danger::kDangerous,
       {"dangerous torch.hub.sys.EvilStorage imported at byte 36 of the pickle",
        "dangerous torch.hub.sys.EvilStorage called at byte 56 of the pickle"}},
      {"eval.pkl",
       Danger::kDangerous,
       {"dangerous builtins.eval imported at byte 2 of the pickle",
        "dangerous builtins.eval called at byte 29 of the pickle"}},
      {"exec.pkl",
       Danger::kDangerous,
       {"dangerous builtins.exec imported at byte 2 of the pickle",
        "dangerous builtins.exec called at byte 28 of the pickle"}},
      {"exec_of_python2.pkl",
       Danger::kDangerous,
       {"dangerous __builtin__.execfile imported at byte 2 of the pickle",
        "dangerous __builtin__.execfile called at byte 38 of the pickle"}},
      {"extension.pkl",
       Danger::kUnknown,
       {"unknown extension registry code 7 looked up at byte 2 of the pickle",
        "unknown copyreg._inverted_registry called at byte 23 of the pickle"}},
      {"from_type.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 40 of the pickle",
        "unknown torch._tensor._rebuild_from_type_v2 called with unexpected arguments at byte 86 "
        "of "
        "the pickle"}},
      {"functools_partial.pkl",
       Danger::kDangerous,
       {"dangerous functools.partial imported at byte 2 of the pickle",
        "dangerous os.system imported at byte 22 of the pickle",
        "dangerous functools.partial called at byte 51 of the pickle",
        "dangerous functools.partial(...) called at byte 54 of the pickle"}},
      {"getattr.pkl",
       Danger::kDangerous,
       {"dangerous builtins.getattr imported at byte 2 of the pickle",
        "dangerous builtins.__import__ imported at byte 21 of the pickle",
        "dangerous builtins.__import__ called at byte 51 of the pickle",
        "dangerous builtins.getattr called at byte 64 of the pickle",
        "dangerous builtins.getattr(...) called at byte 84 of the pickle"}},
      {"import_by_name.pkl",
       Danger::kDangerous,
       {"dangerous torch._utils._import_dotted_name imported at byte 2 of the pickle",
        "dangerous torch._utils._import_dotted_name called at byte 52 of the pickle"}},
      {"importlib.pkl",
       Danger::kDangerous,
       {"dangerous importlib.import_module imported at byte 2 of the pickle",
        "dangerous importlib.import_module called at byte 38 of the pickle"}},
      {"inst.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 20 of the pickle",
        "dangerous os.system called at byte 20 of the pickle"}},
      {"long_names.pt",
       Danger::kUnknown,
       {"archive/data.pkl: pickle opcode STACK_GLOBAL at byte 10014 names a global by 20000 bytes, "
        "expected at most 500; a loader would have run everything before that, and perhaps more"}},
      {"lower_case_in_modules.pkl",
       Danger::kUnknown,
       {"unknown torch.nn.modules.module.register_module_forward_hook imported at byte 63 of the "
        "pickle",
        "unknown torch.nn.modules.module.register_module_forward_hook called at byte 67 of the "
        "pickle"}},
      {"marks_then_call.pkl",
       Danger::kUnknown,
       {"the pickle: pickle opcode MARK at byte 1002 nests deeper than 1000; a loader would have "
        "run everything before that, and perhaps more"}},
      {"newobj.pkl",
       Danger::kDangerous,
       {"dangerous subprocess.Popen imported at byte 2 of the pickle",
        "dangerous subprocess.Popen called at byte 34 of the pickle"}},
      {"newobj_ex.pkl",
       Danger::kDangerous,
       {"dangerous subprocess.Popen imported at byte 2 of the pickle",
        "dangerous subprocess.Popen called at byte 42 of the pickle"}},
      {"nt_system.pkl",
       Danger::kDangerous,
       {"dangerous nt.system imported at byte 2 of the pickle",
        "dangerous nt.system called at byte 32 of the pickle"}},
      {"numpy_testing.pkl",
       Danger::kDangerous,
       {"dangerous numpy.testing._private.utils.runstring imported at byte 2 of the pickle",
        "dangerous numpy.testing._private.utils.runstring called at byte 54 of the pickle"}},
      {"obj.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 3 of the pickle",
        "dangerous os.system called at byte 31 of the pickle"}},
      {"old_tar_that_starts_like_a_stream.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of pickle",
        "dangerous os.system called at byte 32 of pickle"}},
      {"os_system.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of the pickle",
        "dangerous os.system called at byte 32 of the pickle"}},
      {"package.pt",
       Danger::kDangerous,
       {"a torch.package archive: its Python sources are run by its loader"}},
      {"posix_system.pkl",
       Danger::kDangerous,
       {"dangerous posix.system imported at byte 2 of the pickle",
        "dangerous posix.system called at byte 35 of the pickle"}},
      {"protocol_0.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 0 of the pickle",
        "dangerous os.system called at byte 29 of the pickle"}},
      {"protocol_0_starts_with_mark.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 17 of the pickle",
        "dangerous os.system called at byte 17 of the pickle"}},
      {"protocol_0_starts_with_none.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of the pickle",
        "dangerous os.system called at byte 31 of the pickle"}},
      {"protocol_0_without_stop.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of the pickle",
        "dangerous os.system called at byte 31 of the pickle",
        "the pickle: the pickle ends at byte 32 without a STOP; a loader would have run everything "
        "before that, and perhaps more"}},
      {"pt2_with_bare_pickle.pt2",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of model/data/weights/weight_0",
        "dangerous os.system called at byte 32 of model/data/weights/weight_0"}},
      {"pt2_with_library.pt2",
       Danger::kDangerous,
       {"model/data/aotinductor/model/kernel.so: a native library, which a loader runs"}},
      {"pt2_with_pickled_weight.pt2",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 10 of model/data/weights/weight_0!archive/data.pkl",
        "dangerous os.system called at byte 40 of model/data/weights/weight_0!archive/data.pkl"}},
      {"pt2_with_renamed_library.pt2",
       Danger::kDangerous,
       {"model/data/aotinductor/model/kernel.SO.1: a native library, which a loader runs"}},
      {"runpy.pkl",
       Danger::kDangerous,
       {"dangerous runpy.run_path imported at byte 2 of the pickle",
        "dangerous runpy.run_path called at byte 32 of the pickle"}},
      {"second_pickle.pkl",
       Danger::kUnknown,
       {"the pickle: 34 bytes follow the end of the pickle"}},
      {"stack_global.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 20 of the pickle",
        "dangerous os.system called at byte 40 of the pickle"}},
      {"stack_global_from_memo.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 30 of the pickle",
        "dangerous os.system called at byte 50 of the pickle"}},
      {"stack_global_hex.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 24 of the pickle",
        "dangerous os.system called at byte 44 of the pickle"}},
      {"stack_global_octal.pkl",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 24 of the pickle",
        "dangerous os.system called at byte 44 of the pickle"}},
      {"stream.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 100 of the stream",
        "dangerous os.system called at byte 130 of the stream"}},
      {"stream_breaks_before_call.pt",
       Danger::kUnknown,
       {"the stream: pickle opcode MARK at byte 1025 nests deeper than 1000; a loader would have "
        "run everything before that, and perhaps more"}},
      {"stream_keys.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 237 of the stream",
        "dangerous os.system called at byte 267 of the stream"}},
      {"stream_starts_with_call.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of the pickle",
        "dangerous os.system called at byte 32 of the pickle",
        "the pickle: 269 bytes follow the end of the pickle"}},
      {"stream_system.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 45 of the stream",
        "dangerous os.system called at byte 75 of the stream"}},
      {"subprocess.pkl",
       Danger::kDangerous,
       {"dangerous subprocess.Popen imported at byte 2 of the pickle",
        "dangerous subprocess.Popen called at byte 34 of the pickle"}},
      {"tar_pickle.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of pickle",
        "dangerous os.system called at byte 32 of pickle"}},
      {"tar_second_storage.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 67 of storages",
        "dangerous os.system called at byte 97 of storages",
        "the archive: the description of a storage is a tuple of 1, expected a tuple of 3; a "
        "loader would have run everything before that, and perhaps more"}},
      {"tar_second_tensor.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 67 of tensors",
        "dangerous os.system called at byte 97 of tensors",
        "the archive: the description of a tensor is an object, expected a tuple of 3; a loader "
        "would have run everything before that, and perhaps more"}},
      {"tar_storages.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 7 of storages",
        "dangerous os.system called at byte 37 of storages",
        "the archive: the description of a storage is an object, expected a tuple of 3; a loader "
        "would have run everything before that, and perhaps more"}},
      {"tar_that_starts_like_a_stream.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of pickle",
        "dangerous os.system called at byte 32 of pickle"}},
      {"tar_views.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 66 of storages",
        "dangerous os.system called at byte 96 of storages",
        "the archive: the storage views are an object, expected a list; a loader would have run "
        "everything before that, and perhaps more"}},
      {"torch_hub.pkl",
       Danger::kDangerous,
       {"dangerous torch.hub.load imported at byte 2 of the pickle",
        "dangerous torch.hub.load called at byte 50 of the pickle"}},
      {"torch_load.pkl",
       Danger::kDangerous,
       {"dangerous torch.load imported at byte 2 of the pickle",
        "dangerous torch.load called at byte 29 of the pickle"}},
      {"unknown_class.pkl",
       Danger::kUnknown,
       {"unknown my_project.models.Generator imported at byte 2 of the pickle",
        "unknown my_project.models.Generator called at byte 33 of the pickle"}},
      {"unknown_function_of_torch.pkl",
       Danger::kUnknown,
       {"unknown torch._utils._get_async_or_non_blocking imported at byte 2 of the pickle",
        "unknown torch._utils._get_async_or_non_blocking called at byte 45 of the pickle"}},
      {"zip.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 10 of archive/data.pkl",
        "dangerous os.system called at byte 40 of archive/data.pkl"}},
      {"zip_broken_pickle.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of archive/data.pkl",
        "dangerous os.system called at byte 32 of archive/data.pkl",
        "archive/data.pkl: byte 255 at byte 33 is no pickle opcode; a loader would have run "
        "everything before that, and perhaps more"}},
      {"zip_constants.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of archive/constants.pkl",
        "dangerous os.system called at byte 32 of archive/constants.pkl"}},
      {"zip_deflated.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 10 of archive/data.pkl",
        "dangerous os.system called at byte 40 of archive/data.pkl"}},
      {"zip_in_zip.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 10 of data/sample_inputs/model.pt!archive/data.pkl",
        "dangerous os.system called at byte 40 of data/sample_inputs/model.pt!archive/data.pkl"}},
      {"zip_in_zip_in_zip.pt",
       Danger::kUnknown,
       {"a/inner.pt!a/inner.pt!a/inner.pt: an archive in too many archives"}},
      {"zip_second_pickle.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 2 of archive/other.pkl",
        "dangerous os.system called at byte 32 of archive/other.pkl"}},
      {"zip_upper_case.pt",
       Danger::kDangerous,
       {"dangerous os.system imported at byte 10 of archive/DATA.PKL",
        "dangerous os.system called at byte 40 of archive/DATA.PKL"}},
  };
  return kHostile;
}

fs::path scan_folder() { return fs::path(VOXPORT_BROKEN_FILES) / "scan"; }

// As the table has them.
std::vector<std::string> lines_of(const Scan& scan) {
  std::vector<std::string> lines;
  for (const ScanFinding& finding : scan.findings) {
    if (finding.danger == Danger::kHarmless) continue;
    lines.push_back(cat(finding.danger == Danger::kDangerous ? "dangerous " : "unknown ",
                        finding.what, " ", finding.action, " at byte ", finding.offset, " of ",
                        finding.place));
  }
  lines.insert(lines.end(), scan.problems.begin(), scan.problems.end());
  return lines;
}

std::string test_name(const fs::path& path) {
  std::string name = path.filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.file; }

class HostileFile : public testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, IsSeenThrough) {
  const Scan scan = scan_file(Blob::map_file(scan_folder() / GetParam().file));
  EXPECT_EQ(scan.verdict, GetParam().verdict);
  EXPECT_EQ(lines_of(scan), GetParam().lines);
}

INSTANTIATE_TEST_SUITE_P(Files, HostileFile, testing::ValuesIn(hostile_files()),
                         [](const auto& test) { return test_name(test.param.file); });

TEST(HostileFiles, AreAllInTheTableAndNoneIsClean) {
  std::set<std::string> listed;
  for (const Hostile& hostile : hostile_files()) {
    listed.insert(hostile.file);
    EXPECT_NE(hostile.verdict, Danger::kHarmless) << hostile.file;
    EXPECT_FALSE(hostile.lines.empty()) << hostile.file;
  }
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(scan_folder()))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, listed);
}

// Recorded files that hold objects of classes nobody here knows, on purpose.
bool holds_strangers(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("keyword_objects") || name.starts_with("objects") ||
         name.starts_with("parameters") || name.starts_with("pickle_protocol");
}

std::vector<fs::path> recorded_files() {
  std::vector<fs::path> paths;
  for (const fs::path& folder : {data_folder() / "checkpoints", data_folder() / "scan" / "honest",
                                 data_folder() / "voices", voices_folder()}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string extension = entry.path().extension().string();
      // An ONNX model is for the room that scans whole files.
      if (!std::set<std::string>{".json", ".md", ".onnx", ".yaml"}.contains(extension))
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class RecordedFile : public testing::TestWithParam<fs::path> {};

TEST_P(RecordedFile, IsCleanUnlessItHoldsStrangers) {
  const Scan scan = scan_file(Blob::map_file(GetParam()));
  EXPECT_EQ(scan.verdict != Danger::kHarmless, holds_strangers(GetParam()));
  EXPECT_EQ(scan.problems, std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedFile, testing::ValuesIn(recorded_files()),
                         [](const auto& test) { return test_name(test.param); });

// {"a":...} of so many bytes, spaces and all, and then `data`.
std::string safetensors_of(std::uint64_t header_size, const std::string& data) {
  std::string header = cat(R"({"a":{"dtype":"U8","shape":[)", data.size(),
                           R"(],"data_offsets":[0,)", data.size(), "]}}");
  header.resize(header_size, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < length.size(); ++i)
    length[i] = static_cast<char>(header_size >> (8 * i));
  return length + header + data;
}

// The length that the file starts with is an opcode to whoever takes it for a pickle.
TEST(Scan, FindsSafetensorsCleanWhateverTheirLength) {
  for (std::uint64_t size = 0x700; size < 0x800; ++size) {
    const std::string file = safetensors_of(size, "numbers with\na line, and \n another.");
    const Scan scan = scan_file(Blob::own(std::string(file)));
    EXPECT_EQ(scan.verdict, Danger::kHarmless) << size;
    EXPECT_EQ(scan.problems, std::vector<std::string>()) << size;
  }
}

TEST(Scan, SeesThePickleThatIsASafetensorsFileToo) {
  const Scan scan = scan_file(Blob::own(safetensors_of(0x750, "\ncos\nsystem\n(S'ls'\ntR.")));
  EXPECT_EQ(scan.verdict, Danger::kDangerous);
}

// A broken container is an error, not a verdict.
TEST(Scan, FailsWhereTheContainerIsBroken) {
  const auto scan_broken = [](const char* file) {
    return message_of([&] { scan_file(Blob::map_file(fs::path(VOXPORT_BROKEN_FILES) / file)); });
  };
  EXPECT_EQ(scan_broken("zip_local_crc_differs.pt"),
            "the two zip headers of 'archive/data.pkl' differ in their CRC");
  EXPECT_EQ(scan_broken("tar_checksum_is_wrong.pt"),
            "the tar header at byte 0 does not match its checksum");
  EXPECT_EQ(scan_broken("foreign_7z.pt"), "this is a 7z archive; PyTorch does not read it either");
  EXPECT_EQ(scan_broken("foreign_empty.pt"), "the file is empty");
}

TEST(JudgeGlobal, KnowsWhatIsHarmlessNameByName) {
  for (const std::string_view name :
       {"torch._utils._rebuild_tensor_v2", "torch.FloatStorage", "torch.cuda.HalfStorage",
        "torch.storage.UntypedStorage", "torch.FloatTensor", "torch.float32", "torch.Size",
        "collections.OrderedDict", "__builtin__.set", "copy_reg._reconstructor",
        "numpy._core.multiarray.scalar", "torch.nn.modules.linear.Linear", "torch.optim.adam.Adam",
        "__torch__.module.Model", "pytorch_lightning.callbacks.model_checkpoint.ModelCheckpoint"})
    EXPECT_EQ(judge_global(name), Danger::kHarmless) << name;
}

TEST(JudgeGlobal, KnowsWhatIsDangerousHoweverItIsReached) {
  for (const std::string_view name :
       {"os.system", "posix.system", "os.path.join", "builtins.eval", "__builtin__.eval",
        "builtins.getattr", "subprocess.Popen", "runpy.run_path", "importlib.import_module",
        "functools.partial", "torch.hub.load", "numpy.testing._private.utils.runstring",
        "builtins.getattr(...)", "torch.nn.modules.linear.os.system",
        "torch.nn.modules.module.torch.cuda._memory_viz.subprocess.Popen"})
    EXPECT_EQ(judge_global(name), Danger::kDangerous) << name;
}

TEST(JudgeGlobal, TrustsNoNameThatOnlyLooksHarmless) {
  for (const std::string_view name : {"osx.system",
                                      "torchx.FloatStorage",
                                      "torch.evil.FloatStorage",
                                      "torch.FloatStorage.evil",
                                      "torch.nn.modules.linear.Linear.forward",
                                      "torch.nn.modules.linear.Linear.Evil",
                                      "torch.nn.modules.linear.torch.Evil",
                                      "torch.nn.modules.Linear.Evil",
                                      "torch.nn.modules.__loader__.Evil",
                                      "torch.nn.modules.",
                                      "torch.nn.modules",
                                      "torch.nn.modules.module.register_module_forward_hook",
                                      "torch.float32.evil",
                                      "torch._utils._rebuild_tensor_v2(...)",
                                      "collections.OrderedDict.fromkeys",
                                      "torch.Storage.",
                                      "__main__.Model",
                                      "",
                                      ".",
                                      "..",
                                      "torch.",
                                      "torch.optim."})
    EXPECT_EQ(judge_global(name), Danger::kUnknown) << name;
}

}  // namespace
}  // namespace scan_test
}  // namespace voxport
