#include "lower/unsupported.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace voxport {
namespace {

constexpr std::string_view kGradients[] = {"backward", "_grad_sum", "_jvp", "is_leaf", "_version"};
constexpr std::string_view kTraining[] = {"_fused_adam", "_fused_sgd", "_foreach_",
                                          "_amp_",       "_no_grad_",  "_dropout"};
constexpr std::string_view kSparse[] = {
    "sparse",   "coalesce",    "_nnz",     "_dimI",   "_dimV",   "_indices", "_values",
    ".indices", "values_copy", "to_dense", "_to_coo", "_to_csr", "_spdiags", "dense_dim"};
constexpr std::string_view kQuantized[] = {"quantize",         "q_scale",  "q_zero_point",
                                           "q_per_channel",    "int_repr", "_int_mm",
                                           "_saturate_weight", "_prepack", "_mixed_dtypes_linear"};
constexpr std::string_view kMatrices[] = {
    "linalg_det",   "linalg_slogdet", "linalg_inv",    "linalg_pinv",   "pinverse",
    "linalg_qr",    "linalg_svd",     "linalg_eig",    "linalg_chol",   "linalg_solve",
    "linalg_lstsq", "linalg_lu",      "linalg_ldl",    "linalg_matrix", "linalg_house",
    "linalg_cond",  "linalg_polar",   "linalg_tensor", "nuclear_norm",  "triangular_solve",
    "cholesky",     "slogdet",        "logdet",        "aten.det",      "aten.svd",
    "aten.qr",      "geqrf",          "orgqr",         "ormqr",         "_lu_with",
    "lu_solve",     "lu_unpack",      "matrix_exp",    "_linalg_"};
constexpr std::string_view kMemory[] = {"resize",    "storage",    "aten.set",
                                        "is_set_to", "_copy_from", "shallow_copy",
                                        "_overlap",  "_strides",   "is_non_overlapping"};
constexpr std::string_view kDevices[] = {"cudnn",
                                         "miopen",
                                         "mkldnn",
                                         "mps_",
                                         "xnnpack",
                                         "_flash_attention",
                                         "_efficient_attention",
                                         "_flash_scaled"};
constexpr std::string_view kRandom[] = {"poisson", "binomial", "_standard_gamma", "_dirichlet",
                                        "fractional_max_pool"};

struct UnsupportedFamily {
  std::string_view why;
  std::span<const std::string_view> parts;  // of names: of operators that have one, and no row
};

// The first that an operator is of counts.
constexpr UnsupportedFamily kFamilies[] = {
    {"it computes gradients, or asks for them", kGradients},
    {"it belongs to training", kTraining},
    {"it works on sparse tensors", kSparse},
    {"it works on quantized tensors", kQuantized},
    {"ONNX has no operator for decompositions of matrices", kMatrices},
    {"it works on the memory of a tensor, which a graph does not have", kMemory},
    {"it is for one kind of device; a network that was saved on the CPU does not call it",
     kDevices},
    {"it draws from a distribution that ONNX does not have", kRandom},
};

bool is_of(const UnsupportedFamily& family, std::string_view name) {
  return std::ranges::any_of(family.parts, [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

}  // namespace

std::string_view why_unsupported(std::string_view name) {
  const auto* family = std::ranges::find_if(
      kFamilies, [&](const UnsupportedFamily& each) { return is_of(each, name); });
  return family == std::end(kFamilies) ? "" : family->why;
}

}  // namespace voxport
