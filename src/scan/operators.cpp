#include "scan/operators.h"

#include <algorithm>
#include <string>

#include "program/schema.h"
#include "scan/aten_names.h"

namespace voxport {
namespace {

constexpr std::string_view kDangerousOperators[] = {
    "aten.from_file",
    "aten.load",
    "aten.save",
    "debugprims.load_tensor",
    "image.read_file",
    "image.write_file",
    "prim.rpc_async",
    "prim.rpc_remote",
    "prim.rpc_sync",
    "torchvision.read_file",
    "torchvision.write_file",
};

// Namespaces, or the beginnings of names in one, all of whose operators touch files, processes or
// the network.
constexpr std::string_view kDangerousStarts[] = {
    "_c10d_functional.", "_dist.",
    "aoti_torch.",       "c10d.",
    "c10d_functional.",  "dist_c10d.",
    "dist_rpc.",         "distributed.",
    "inductor.",         "rpc.",
    "symm_mem.",         "torchaudio.ffmpeg",
    "torchaudio.sox_",   "torchaudio_ffmpeg.",
    "torchaudio_sox.",   "torchcodec_ns.",
    "video_reader.",
};

// Namespaces whose operators only compute, but for those above.
constexpr std::string_view kComputing[] = {
    "_quantized.", "mkldnn.",    "mkldnn_prepacked.",     "prepacked.",
    "prims.",      "quantized.", "quantized_decomposed.", "torchvision.",
};

// Those that take graphs, and do nothing but run them.
constexpr std::string_view kHigherOrder[] = {
    "higher_order.associative_scan",
    "higher_order.auto_functionalized",
    "higher_order.auto_functionalized_v2",
    "higher_order.cond",
    "higher_order.flex_attention",
    "higher_order.hints_wrapper",
    "higher_order.invoke_subgraph",
    "higher_order.map",
    "higher_order.map_impl",
    "higher_order.out_dtype",
    "higher_order.scan",
    "higher_order.strict_mode",
    "higher_order.tag_activation_checkpoint",
    "higher_order.while_loop",
    "higher_order.wrap",
    "higher_order.wrap_activation_checkpoint",
    "higher_order.wrap_with_autocast",
    "higher_order.wrap_with_set_grad_enabled",
};

// Operators of TorchScript that are in no schema of a program for inference.
constexpr std::string_view kHarmlessOperators[] = {
    "prim.AutogradAllNonZero",
    "prim.AutogradAllZero",
    "prim.AutogradAnyNonZero",
    "prim.EnumName",
    "prim.EnumValue",
    "prim.ImplicitTensorToNum",
    "prim.NumToTensor",
    "prim.RaiseException",
    "prim.StringIndex",
    "prim.TupleIndex",
    "prim.TupleUnpack",
    "prim.Uninitialized",
    "prim.abs",
    "prim.data",
    "prim.device",
    "prim.dtype",
    "prim.grad",
    "prim.index",
    "prim.is_cpu",
    "prim.is_cuda",
    "prim.is_ipu",
    "prim.is_maia",
    "prim.is_meta",
    "prim.is_mkldnn",
    "prim.is_mps",
    "prim.is_mtia",
    "prim.is_nested",
    "prim.is_ort",
    "prim.is_quantized",
    "prim.is_sparse",
    "prim.is_sparse_csr",
    "prim.is_vulkan",
    "prim.is_xla",
    "prim.is_xpu",
    "prim.isinstance",
    "prim.itemsize",
    "prim.layout",
    "prim.max",
    "prim.min",
    "prim.name",
    "prim.nbytes",
    "prim.rangelist",
    "prim.requires_grad",
    "prim.tolist",
    "prim.type",
    "prim.unchecked_cast",
    "prim.unchecked_unwrap_optional",
    "profiler._record_function_enter",
    "profiler._record_function_enter_new",
    "profiler._record_function_exit",
};

// What honest __setstate__ methods are made of, besides assignments.
constexpr std::string_view kAtLoad[] = {
    "aten.__contains__", "aten.__getitem__",
    "aten.__is__",       "aten.__isnot__",
    "aten.__not__",      "aten.eq",
    "aten.format",       "aten.ge",
    "aten.gt",           "aten.le",
    "aten.len",          "aten.lt",
    "aten.ne",           "prim.RaiseException",
    "prim.TupleUnpack",
};

// Packed weights of PyTorch's own layers.
constexpr std::string_view kHarmlessClasses[] = {
    "mkldnn.ConvOpContext",
    "quantized.Conv2dPackedParamsBase",
    "quantized.Conv3dPackedParamsBase",
    "quantized.EmbeddingPackedParamsBase",
    "quantized.LinearPackedParamsBase",
    "rnn.CellParamsBase",
    "sparse.LinearPackedParamsBase",
    "xnnpack.Conv2dOpContext",
    "xnnpack.LinearOpContext",
    "xnnpack.TransposeConv2dOpContext",
};

template <std::size_t count>
bool is_listed(const std::string_view (&list)[count], std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

template <std::size_t count>
bool has_start(const std::string_view (&starts)[count], std::string_view name) {
  return std::ranges::any_of(starts,
                             [&](std::string_view start) { return name.starts_with(start); });
}

bool has_schema(std::string_view name) {
  return !find_schemas(name).empty() ||
         std::ranges::binary_search(more_aten_names(), name.substr(name.find('.') + 1));
}

bool is_known_aten(std::string_view name) {
  // aten.relu_ is aten.relu, written back.
  return has_schema(name) || (name.ends_with('_') && has_schema(name.substr(0, name.size() - 1)));
}

}  // namespace

Danger judge_operator(std::string_view name) {
  if (is_listed(kDangerousOperators, name) || has_start(kDangerousStarts, name))
    return Danger::kDangerous;
  const bool is_harmless = is_listed(kHarmlessOperators, name) || is_listed(kHigherOrder, name) ||
                           has_start(kComputing, name) ||
                           (name.starts_with("aten.") && is_known_aten(name));
  return is_harmless ? Danger::kHarmless : Danger::kUnknown;
}

Danger judge_script_class(std::string_view name) {
  if (has_start(kDangerousStarts, name)) return Danger::kDangerous;
  return is_listed(kHarmlessClasses, name) ? Danger::kHarmless : Danger::kUnknown;
}

bool may_run_at_load(std::string_view name) {
  const bool packs = (name.starts_with("quantized.") || name.starts_with("prepacked.")) &&
                     name.find("prepack") != name.npos;
  return packs || is_listed(kAtLoad, name);
}

}  // namespace voxport
