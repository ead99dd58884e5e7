#include "program/pt2.h"

#include <set>
#include <unordered_map>

#include "base/fail.h"
#include "program/pt2_archive.h"
#include "program/pt2_graph.h"
#include "program/pt2_json.h"
#include "program/pt2_signature.h"
#include "program/sympy.h"

namespace voxport {
namespace {

// PyTorch compares the major number only, and so do we: all of it may have another meaning then.
constexpr std::int64_t kNewestMajor = 8;
constexpr std::size_t kMaxName = 200;

// "torch.export 2.6.0, schema 8.2". The schema was one number at first.
std::string read_writer(const Json& root) {
  const Json version = root["schema_version"];
  const bool is_pair = version.kind() == Json::Kind::kObject;
  const Json major = is_pair ? version["major"] : version;
  const Json torch = root["torch_version"];
  std::string writer = "torch.export";
  if (!torch.is_null()) writer += cat(" ", printable(torch.text(), 40));
  if (major.is_null()) return writer;
  writer += cat(", schema ", major.integer());
  if (is_pair && !version["minor"].is_null()) writer += cat(".", version["minor"].integer());
  if (major.integer() > kNewestMajor)
    fail(Error::kUnsupported, "the program was written by ", writer, ", expected a schema up to ",
         kNewestMajor);
  return writer;
}

// Follows the parts of one program.
class Reader {
 public:
  Reader(const Pt2Archive& archive, const Json& root)
      : archive_(archive),
        root_(root),
        module_(root["graph_module"]),
        graph_(module_["graph"]),
        nodes_(program_) {}

  Program read() {
    program_.writer = read_writer(root_);
    if (graph_.is_null()) fail(Error::kCorrupt, "the program has no graph");
    read_symbols();
    for (const Json meta : graph_["tensor_values"].children())
      if (!metas_.emplace(meta.key(), meta).second)
        fail(Error::kCorrupt, "the tensor ", in_quotes(meta.key()), " is described twice");
    const Pt2Signature signature = read_signature(module_);
    for (const Pt2Input& input : signature.inputs)
      in_context(cat("reading the input ", in_quotes(input.name)), [&] { read_input(input); });
    nodes_.read_nodes(graph_, program_.main);
    for (const Pt2Output& output : signature.outputs)
      in_context("reading the outputs of the graph", [&] { read_output(output); });
    read_output_names();
    return std::move(program_);
  }

 private:
  // A lower bound of 2 is what torch.export assumes of every size that is not fixed, no promise.
  void read_symbols() {
    for (const Json range : root_["range_constraints"].children()) {
      // Old files list expressions as well.
      const auto dim = parse_sympy(range.key());
      const auto name = dim ? dim->symbol_name() : std::nullopt;
      if (!name) continue;
      const Json min = range["min_val"];
      const Json max = range["max_val"];
      ProgramSymbol symbol;
      symbol.name = *name;
      symbol.min = min.is_null() ? std::numeric_limits<std::int64_t>::min() : min.integer();
      if (!max.is_null()) symbol.max = max.integer();
      add_symbol(std::move(symbol));
    }
  }

  void add_symbol(ProgramSymbol symbol) {
    if (symbols_.insert(symbol.name).second) program_.symbols.push_back(std::move(symbol));
  }

  Json meta_of(const std::string& name) const {
    const auto found = metas_.find(name);
    if (found == metas_.end())
      fail(Error::kCorrupt, "the graph does not describe the tensor ", in_quotes(name));
    return found->second;
  }

  void read_input(const Pt2Input& input) {
    switch (input.kind) {
      case Pt2Input::Kind::kUser: return read_user_input(input);
      case Pt2Input::Kind::kTensor:
      case Pt2Input::Kind::kBuffer: return read_constant(input);
      case Pt2Input::Kind::kConstant:
        return nodes_.define(input.name, nodes_.argument(input.value));
      case Pt2Input::Kind::kRefused:
        return nodes_.refuse(input.name, "an object of Python's, which would need its code");
    }
  }

  void read_constant(const Pt2Input& input) {
    ProgramConstant constant;
    constant.name = input.tensor;
    constant.values = archive_.tensor(input.tensor);
    constant.is_buffer = input.kind == Pt2Input::Kind::kBuffer;
    check_fits(constant.values, meta_of(input.name));
    constant.variable = nodes_.define_variable(input.name);
    program_.constants.push_back(std::move(constant));
  }

  // The graph was made for tensors of just this type and shape.
  static void check_fits(const Tensor& tensor, const Json& meta) {
    const DType dtype = dtype_of_schema(meta["dtype"].integer());
    if (tensor.dtype != dtype)
      fail(Error::kCorrupt, "the tensor is of ", name_of(tensor.dtype), ", expected ",
           name_of(dtype));
    std::vector<std::int64_t> expected;
    for (const Json size : meta["sizes"].children()) {
      const Json number = size["as_int"];
      if (number.is_null()) return;  // not fixed
      expected.push_back(number.integer());
    }
    if (tensor.shape != expected)
      fail(Error::kCorrupt, "the tensor has the shape ", shape_text(tensor.shape), ", expected ",
           shape_text(expected));
  }

  void read_user_input(const Pt2Input& input) {
    const std::string tag = input.value.only_member().key();
    ProgramInput made;
    made.name = input.name;
    if (tag == "as_tensor") {
      const Json meta = meta_of(input.name);
      made.dtype = dtype_of_schema(meta["dtype"].integer());
      made.shape = read_shape(input.name, meta["sizes"]);
    } else if (tag == "as_sym_int" && !input.name.empty()) {
      made.kind = InputKind::kInt;
    } else if (tag == "as_sym_float" && !input.name.empty()) {
      made.kind = InputKind::kFloat;
    } else if (tag == "as_sym_bool" && !input.name.empty()) {
      made.kind = InputKind::kBool;
    } else if (tag == "as_custom_obj") {
      return nodes_.refuse(input.name, "an object of Python's, which would need its code");
    } else if (input.name.empty()) {
      return;  // a number that was written down where it is used
    } else {
      fail(Error::kUnsupported, "the input is of the kind ", in_quotes(tag),
           ", expected a tensor or a number");
    }
    made.variable = nodes_.define_variable(input.name);
    program_.inputs.push_back(std::move(made));
  }

  std::vector<Dim> read_shape(const std::string& name, const Json& sizes) {
    std::vector<Dim> shape;
    for (const Json size : sizes.children()) {
      const Json expression = size["as_expr"]["expr_str"];
      std::optional<Dim> dim;
      if (expression.is_null()) {
        const std::int64_t number = size["as_int"].integer();
        if (number < 0)
          fail(Error::kCorrupt, "the shape has the size ", number, ", expected 0 or more");
        dim = Dim(number);
      } else {
        dim = parse_sympy(expression.text());
      }
      // A size that we cannot say is one that we know nothing about.
      if (!dim) dim = Dim::symbol(fresh_symbol(cat(name, "_", shape.size())));
      for (const std::string& symbol : dim->symbols()) add_symbol({.name = symbol});
      shape.push_back(*dim);
    }
    return shape;
  }

  std::string fresh_symbol(std::string name) const {
    while (symbols_.contains(name)) name += '_';
    return name;
  }

  void read_output(const Pt2Output& output) {
    if (!output.note.empty()) program_.notes.push_back(output.note);
    if (output.value.is_null()) return;
    program_.main.results.push_back(nodes_.argument(output.value));
    program_.output_records.push_back(record_of(output.value["as_tensor"]["name"]));
  }

  std::optional<OutputRecord> record_of(const Json& name) const {
    const auto meta = name.is_null() ? metas_.end() : metas_.find(name.text());
    if (meta == metas_.end()) return std::nullopt;
    OutputRecord record;
    record.dtype = dtype_of_schema(meta->second["dtype"].integer());
    for ([[maybe_unused]] const Json size : meta->second["sizes"].children()) ++record.rank;
    return record;
  }

  // The keys of the dict, or the fields of the named tuple, that the program returns.
  void read_output_names() {
    Json spec;
    for (const Json module : module_["module_call_graph"].children())
      if (module["fqn"].text().empty()) spec = module["signature"]["out_spec"];
    if (spec.is_null()) spec = module_["call_spec"]["out_spec"];  // 2.1
    if (spec.is_null() || spec.raw_text().empty()) return;
    in_context("reading the names of the outputs", [&] {
      const JsonDocument document(Blob::own(spec.text()));
      // [1, {...}]: the version of the format, and the tree.
      Json tree = document.root();
      if (tree.kind() != Json::Kind::kArray) return;
      for (const Json item : document.root().children()) tree = item;
      if (tree.kind() != Json::Kind::kObject || keys_of(tree).empty()) return;
      std::vector<std::string> names;
      add_names(tree, "", names);
      keep_names(names);
    });
  }

  // Names are for tensors and numbers; a None has none.
  void keep_names(const std::vector<std::string>& names) {
    if (names.size() != program_.main.results.size()) return;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (program_.main.results[i].variable()) program_.output_names.push_back(names[i]);
  }

  // What the children of a node of the tree are called; nothing where they have places only.
  std::vector<std::string> keys_of(const Json& tree) const {
    const Json type = tree["type"];
    const Json context = tree["context"];
    if (type.is_null()) return {};
    const std::string name = type.text();
    const bool is_dict = name == "builtins.dict" || name == "collections.OrderedDict" ||
                         name == "collections.defaultdict";
    if (is_dict && context.kind() == Json::Kind::kString) {
      const JsonDocument document(Blob::own(context.text()));
      return texts_in(document.root());
    }
    if (name != "collections.namedtuple" || context.kind() != Json::Kind::kString) return {};
    std::string class_name = context.text();
    if (class_name.starts_with('"')) {
      const JsonDocument document(Blob::own(class_name));
      class_name = document.root().text();
    }
    return texts_in(module_["treespec_namedtuple_fields"][class_name]["field_names"]);
  }

  static std::vector<std::string> texts_in(const Json& list) {
    std::vector<std::string> texts;
    if (list.kind() != Json::Kind::kArray) return texts;
    for (const Json item : list.children())
      if (item.kind() == Json::Kind::kString) texts.push_back(item.text());
    return texts;
  }

  void add_names(const Json& tree, const std::string& path, std::vector<std::string>& names) const {
    // Too many, or too long, to be names.
    if (names.size() > program_.main.results.size() || path.size() > kMaxName) return;
    if (tree["type"].is_null()) {
      names.push_back(path);
      return;
    }
    const std::vector<std::string> keys = keys_of(tree);
    std::size_t index = 0;
    for (const Json child : tree["children_spec"].children()) {
      const std::string key = index < keys.size() ? keys[index] : std::to_string(index);
      add_names(child, path.empty() ? key : cat(path, "_", key), names);
      ++index;
    }
  }

  const Pt2Archive& archive_;
  Json root_;
  Json module_;
  Json graph_;
  Program program_;
  Pt2GraphReader nodes_;
  std::set<std::string> symbols_;
  std::unordered_map<std::string, Json> metas_;
};

}  // namespace

Program read_pt2(const SavedFile& file, std::string_view model) {
  const Pt2Archive archive(file, model);
  return in_context("reading the graph of torch.export", [&] {
    const JsonDocument document(archive.program());
    return Reader(archive, document.root()).read();
  });
}

}  // namespace voxport
