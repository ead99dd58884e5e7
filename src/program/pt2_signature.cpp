#include "program/pt2_signature.h"

#include "base/fail.h"

namespace voxport {
namespace {

using Pt2Kind = Pt2Input::Kind;

Pt2Input read_input(const Json& spec) {
  const Json member = spec.only_member();
  const std::string kind = member.key();
  const std::string name = kind == "constant_input" || kind == "user_input"
                               ? std::string()
                               : member["arg"]["name"].text();
  if (kind == "user_input") return {Pt2Kind::kUser, name_in(member["arg"]), "", member["arg"]};
  if (kind == "parameter") return {Pt2Kind::kTensor, name, member["parameter_name"].text(), {}};
  if (kind == "buffer") return {Pt2Kind::kBuffer, name, member["buffer_name"].text(), {}};
  if (kind == "tensor_constant")
    return {Pt2Kind::kTensor, name, member["tensor_constant_name"].text(), {}};
  if (kind == "constant_input")
    return {Pt2Kind::kConstant, member["name"].text(), "", member["value"]};
  if (kind == "custom_obj" || kind == "token") return {Pt2Kind::kRefused, name, "", {}};
  fail(Error::kUnsupported, "an input of the graph is of the kind ", in_quotes(kind),
       ", which is not known here");
}

Pt2Output read_output(const Json& spec, const Json& argument) {
  const Json member = spec.only_member();
  const std::string kind = member.key();
  if (kind == "user_output") return {member["arg"], ""};
  if (kind == "loss_output") return {argument, ""};
  if (kind == "token") return {};
  const auto left_out = [](std::string_view what, const Json& name) {
    return Pt2Output{
        {}, cat("the new value of the ", what, " ", in_quotes(name.text()), " is not an output")};
  };
  if (kind == "buffer_mutation") return left_out("buffer", member["buffer_name"]);
  if (kind == "parameter_mutation") return left_out("parameter", member["parameter_name"]);
  if (kind == "user_input_mutation") return left_out("input", member["user_input_name"]);
  if (kind == "gradient_to_parameter" || kind == "gradient_to_user_input")
    fail(Error::kUnsupported, "the program computes gradients: it was exported for training");
  fail(Error::kUnsupported, "an output of the graph is of the kind ", in_quotes(kind),
       ", which is not known here");
}

void check_count(const Json& values, const Json& specs, std::string_view what) {
  if (values.size() == specs.size()) return;
  fail(Error::kCorrupt, "the graph has ", values.size(), " ", what, ", but its signature ",
       specs.size());
}

Pt2Signature read_specs(const Json& graph, const Json& signature) {
  const Json input_specs = signature["input_specs"];
  const Json output_specs = signature["output_specs"];
  check_count(graph["inputs"], input_specs, "inputs");
  check_count(graph["outputs"], output_specs, "outputs");
  Pt2Signature made;
  auto spec = input_specs.children().begin();
  for (const Json argument : graph["inputs"].children()) {
    made.inputs.push_back(read_input(*spec));
    ++spec;
    const std::string name = name_in(argument);
    if (!name.empty() && name != made.inputs.back().name)
      fail(Error::kCorrupt, "the graph calls an input ", in_quotes(name), ", its signature ",
           in_quotes(made.inputs.back().name));
  }
  spec = output_specs.children().begin();
  for (const Json argument : graph["outputs"].children()) {
    made.outputs.push_back(read_output(*spec, argument));
    ++spec;
  }
  return made;
}

// inputs_to_parameters {"arg0_1": "fc.weight"}, inputs_to_buffers, buffers_to_mutate {"add": "n"}.
Pt2Signature read_lists(const Json& graph, const Json& signature) {
  Pt2Signature made;
  for (const Json argument : graph["inputs"].children()) {
    const std::string name = name_in(argument);
    const Json parameter = signature["inputs_to_parameters"][name];
    const Json buffer = signature["inputs_to_buffers"][name];
    if (!parameter.is_null()) {
      made.inputs.push_back({Pt2Kind::kTensor, name, parameter.text(), {}});
    } else if (!buffer.is_null()) {
      made.inputs.push_back({Pt2Kind::kBuffer, name, buffer.text(), {}});
    } else {
      made.inputs.push_back({Pt2Kind::kUser, name, "", argument});
    }
  }
  for (const Json argument : graph["outputs"].children()) {
    const Json buffer = signature["buffers_to_mutate"][name_in(argument)];
    if (buffer.is_null()) {
      made.outputs.push_back({argument, ""});
    } else {
      made.outputs.push_back(
          {{}, cat("the new value of the buffer ", in_quotes(buffer.text()), " is not an output")});
    }
  }
  return made;
}

}  // namespace

std::string name_in(const Json& argument) {
  const Json member = argument.only_member();
  if (member.kind() != Json::Kind::kObject) return "";
  const Json name = member["name"].is_null() ? member["as_name"] : member["name"];
  return name.is_null() ? "" : name.text();
}

Pt2Signature read_signature(const Json& graph_module) {
  const Json graph = graph_module["graph"];
  const Json signature = graph_module["signature"];
  if (signature.is_null()) fail(Error::kCorrupt, "the program has no signature");
  const bool is_old = signature["input_specs"].is_null();
  return is_old ? read_lists(graph, signature) : read_specs(graph, signature);
}

}  // namespace voxport
