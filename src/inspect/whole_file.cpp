#include "inspect/whole_file.h"

#include <algorithm>
#include <unordered_set>

#include "arch/architecture.h"
#include "base/fail.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/weight_norm.h"
#include "inspect/onnx_model.h"
#include "inspect/program.h"
#include "inspect/tensors.h"
#include "program/read.h"
#include "recover/recover.h"
#include "report/object_text.h"

namespace voxport {
namespace {

// Leaves that are no tensors, in order.
void gather_values(const Object& value, std::string& path, std::vector<ValueInfo>& values) {
  if (value.is(Object::Kind::kTensor)) return;
  if (value.is(Object::Kind::kOpaque) || value.entries().empty())
    values.push_back({path, object_text(value), json_text(value)});
  const std::size_t length = path.size();
  for (const Entry& entry : value.entries()) {
    path.append(".").append(entry.key);
    gather_values(entry.value, path, values);
    path.resize(length);
  }
}

std::vector<ValueInfo> settings_of(const Object& parameters) {
  std::vector<ValueInfo> settings;
  for (const Entry& entry : parameters.entries())
    settings.push_back({entry.key, object_text(entry.value), json_text(entry.value)});
  return settings;
}

std::string writer_of(const Checkpoint& checkpoint) {
  std::string writer = checkpoint.writer;
  const Object* version = checkpoint.root.find("pytorch-lightning_version");
  const auto text = version ? version->as_string() : std::nullopt;
  if (text) writer = cat("Lightning ", printable(*text, 40), ", ", writer);
  return writer;
}

// Directions whose length is there too.
std::uint64_t count_weight_norms(const std::vector<TensorInfo>& tensors) {
  std::unordered_set<std::string> lengths;
  for (const TensorInfo& tensor : tensors) {
    const auto weight = weight_of_direction(tensor.name);
    if (!weight) continue;
    lengths.insert(old_weight_norm(*weight).g);
    lengths.insert(new_weight_norm(*weight).g);
  }
  if (lengths.empty()) return 0;
  return static_cast<std::uint64_t>(
      std::count_if(tensors.begin(), tensors.end(),
                    [&](const TensorInfo& tensor) { return lengths.contains(tensor.name); }));
}

void add_stats(const std::vector<NamedTensor>& tensors, Inspection& inspection,
               const OnProgress& on_progress) {
  std::vector<TensorInfo>& infos = inspection.tensors;
  const auto total = static_cast<double>(std::max<std::uint64_t>(inspection.tensor_bytes(), 1));
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (on_progress) on_progress(static_cast<double>(done) / total);
    infos[i].stats = in_context(cat("reading ", in_quotes(infos[i].name)),
                                [&] { return measure(*tensors[i].tensor); });
    done += infos[i].bytes;
  }
}

// Of the values, when asked for.
void add_stats(const std::filesystem::path& path, const InspectOptions& options,
               const std::vector<NamedTensor>& tensors, Inspection& inspection, StageClock& clock) {
  if (!options.stats) return;
  in_context(cat("opening ", in_quotes(path.native())),
             [&] { add_stats(tensors, inspection, options.on_progress); });
  clock.done("read all values", human_bytes(inspection.tensor_bytes()));
}

void list_tensors(const std::vector<NamedTensor>& tensors, Inspection& inspection,
                  StageClock& clock) {
  inspection.tensors.reserve(tensors.size());
  for (const NamedTensor& named : tensors)
    inspection.tensors.push_back(describe(named.name, *named.tensor));
  clock.done("listed the tensors",
             cat(inspection.tensors.size(), " tensors, ", human_bytes(inspection.tensor_bytes())));
}

void describe_program(const Program& program, Inspection& inspection, StageClock& clock) {
  inspection.program = describe_program(program);
  clock.done("read the program", cat(inspection.program->calls, " calls of ",
                                     inspection.program->operators.size(), " operators"));
}

void inspect_pt2(const SavedFile& file, const std::filesystem::path& path,
                 const InspectOptions& options, Inspection& inspection, StageClock& clock) {
  const Program program = in_context(cat("opening ", in_quotes(path.native())), [&] {
    return read_program(file, FileKind::kPt2, options.model);
  });
  inspection.writer = program.writer;
  std::vector<NamedTensor> tensors;
  for (const ProgramConstant& constant : program.constants)
    tensors.push_back({constant.name, &constant.values});
  list_tensors(tensors, inspection, clock);
  describe_program(program, inspection, clock);
  add_stats(path, options, tensors, inspection, clock);
}

// The tensors of an archive can be told whatever its code is.
void add_torchscript(const SavedFile& file, const InspectOptions& options, Inspection& inspection,
                     StageClock& clock) {
  try {
    const Program program = read_program(file, FileKind::kTorchScript, options.model);
    describe_program(program, inspection, clock);
  } catch (const Error& error) {
    if (error.kind() == Error::kUsage) throw;
    inspection.program.emplace().unreadable = error.what();
  }
}

// Of a voice that was published as one graph: the network, and whether its weights can be had back.
void recognise_published_voice(const OnnxModel& model, Inspection& inspection, StageClock& clock) {
  if (!is_published_voice(model)) return;
  try {
    const NamedTensors weights = *find_weights(recover_voice(model).checkpoint());
    if (const auto recognised = recognise_architecture(weights)) {
      inspection.architecture = recognised->architecture->name;
      inspection.architecture_text = cat(recognised->title, ": ", recognised->sizes,
                                         "; `voxport export` recovers its weights");
    }
  } catch (const Error& error) {
    inspection.architecture_text =
        cat("a voice of Piper's exporter, whose weights cannot be recovered: ",
            printable(first_line(error), 1000));
  }
  clock.done("compared the graph with the network", inspection.architecture);
}

}  // namespace

void inspect_onnx(const Blob& file, const std::filesystem::path& path,
                  const InspectOptions& options, Inspection& inspection, StageClock& clock) {
  const OnnxModel model = open_onnx(file, path);
  describe_onnx(model, inspection);
  clock.done("read the file", cat(inspection.kind, ", ", inspection.onnx->nodes, " nodes"));
  recognise_published_voice(model, inspection, clock);
  std::vector<NamedTensor> tensors;
  for (const auto& [name, value] : model.initializers) {
    tensors.push_back({name, value.constant()});
    TensorInfo info = describe(name, *value.constant());
    info.dtype = dtype_text(value);
    if (!value.type().foreign.empty()) info.bytes = 0;  // not known
    inspection.tensors.push_back(std::move(info));
  }
  clock.done("listed the tensors",
             cat(inspection.tensors.size(), " tensors, ", human_bytes(inspection.tensor_bytes())));
  add_stats(path, options, tensors, inspection, clock);
}

void inspect_checkpoint(const SavedFile& file, const std::filesystem::path& path,
                        const InspectOptions& options, Inspection& inspection, StageClock& clock) {
  const Checkpoint checkpoint =
      in_context(cat("opening ", in_quotes(path.native())), [&] { return read_checkpoint(file); });
  inspection.kind = name_of(checkpoint.kind);
  inspection.writer = writer_of(checkpoint);
  clock.done("read the file", inspection.kind);
  if (checkpoint.kind == FileKind::kPt2) return inspect_pt2(file, path, options, inspection, clock);
  if (checkpoint.kind == FileKind::kTorchScript) add_torchscript(file, options, inspection, clock);

  const std::vector<NamedTensor> tensors = named_tensors(checkpoint.root);
  list_tensors(tensors, inspection, clock);
  inspection.weight_norms = count_weight_norms(inspection.tensors);

  inspection.hyper_parameters = settings_of(hyper_parameters(checkpoint.root));
  if (!checkpoint.root.is(Object::Kind::kTensor) && !checkpoint.root.is(Object::Kind::kDict))
    inspection.values.push_back(
        {"(root)", object_text(checkpoint.root), json_text(checkpoint.root)});
  for (const Entry& entry : checkpoint.root.entries()) {
    std::string name = entry.key;
    if (name != "hyper_parameters") gather_values(entry.value, name, inspection.values);
  }
  for (const auto& [key, text] : checkpoint.metadata)
    inspection.values.push_back({cat("__metadata__.", key), in_quotes(text), dump(text)});
  clock.done("listed the values", cat(inspection.hyper_parameters.size(), " hyper-parameters, ",
                                      inspection.values.size(), " other values"));

  const StateDict state_dict = find_state_dict(checkpoint.root);
  if (state_dict.dict) {
    inspection.state_dict = state_dict.path;
    if (const auto recognised = recognise_architecture(*state_dict.dict)) {
      inspection.architecture = recognised->architecture->name;
      inspection.architecture_text = cat(recognised->title, ": ", recognised->sizes);
    }
  }
  clock.done("recognised the architecture",
             inspection.architecture.empty() ? "none that is known" : inspection.architecture);

  add_stats(path, options, tensors, inspection, clock);
}

}  // namespace voxport
