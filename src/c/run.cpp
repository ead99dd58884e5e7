#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <voxport/run.h>

#include "c/options.h"

// NOLINTBEGIN(readability-identifier-naming)
struct voxport_graph {
  voxport::RunnableModel model;
  std::string json;
};

struct voxport_tensors {
  std::vector<voxport::RunTensor> tensors;
  std::vector<voxport_tensor> views;  // the same, as C sees them
};
// NOLINTEND(readability-identifier-naming)

namespace voxport::c {
namespace {

RunOptions options_of(const voxport_graph_options* from) {
  const voxport_graph_options given = take_options(from);
  RunOptions options;
  options.threads = given.threads;
  options.seconds = given.seconds;
  return options;
}

RunTensor tensor_of(const voxport_tensor& given) {
  if (given.num_bytes != 0) required("data", given.data);
  return {required("name", given.name), required("dtype", given.dtype),
          sizes_of("shape", {given.shape, given.rank}),
          std::string(static_cast<const char*>(given.data), given.num_bytes)};
}

voxport_tensor view_of(const RunTensor& tensor) {
  return {tensor.name.c_str(), tensor.dtype.c_str(), tensor.shape.data(),
          tensor.shape.size(), tensor.bytes.data(),  tensor.bytes.size()};
}

}  // namespace
}  // namespace voxport::c

int voxport_graph_open(const char* model, const voxport_graph_options* options,
                       voxport_graph** graph, voxport_error** error) {
  using namespace voxport;
  return c::guarded(error, [&] {
    c::required("graph", graph);
    const RunnableModel opened(c::required("model", model), c::options_of(options));
    std::string json = to_json(opened.ports());
    *graph = std::make_unique<voxport_graph>(voxport_graph{opened, std::move(json)}).release();
    return VOXPORT_OK;
  });
}

const char* voxport_graph_json(const voxport_graph* graph) {
  return graph ? graph->json.c_str() : "";
}

int voxport_graph_run(const voxport_graph* graph, const voxport_tensor* inputs, size_t num_inputs,
                      voxport_tensors** outputs, voxport_error** error) {
  using namespace voxport;
  return c::guarded(error, [&] {
    c::required("outputs", outputs);
    if (num_inputs != 0) c::required("inputs", inputs);
    std::vector<RunTensor> given;
    for (std::size_t i = 0; i < num_inputs; ++i) given.push_back(c::tensor_of(inputs[i]));
    auto made = std::make_unique<voxport_tensors>();
    made->tensors = c::required("graph", graph)->model.run(given);
    for (const RunTensor& tensor : made->tensors) made->views.push_back(c::view_of(tensor));
    *outputs = made.release();
    return VOXPORT_OK;
  });
}

void voxport_graph_close(voxport_graph* graph) { delete graph; }

size_t voxport_tensors_count(const voxport_tensors* tensors) {
  return tensors ? tensors->views.size() : 0;
}

const voxport_tensor* voxport_tensors_items(const voxport_tensors* tensors) {
  return tensors ? tensors->views.data() : nullptr;
}

void voxport_tensors_free(voxport_tensors* tensors) { delete tensors; }
