#include <algorithm>
#include <iterator>

#include "verify/culprit.h"

namespace voxport {
namespace {

constexpr std::string_view kFromShape =
    "take sizes from the tensor while tracing (x.size(0), x.shape[1]) and never through int(), "
    ".item(), len() or a Python constant";

// By operator; the last line is for all others.
constexpr Advice kAdvice[] = {
    {"Add", "a table made while tracing (positions, a mask) is added: it has the example's length",
     "make the table longer than any input and slice it by x.size(1), or compute it from "
     "torch.arange(x.size(1))"},
    {"Concat", "a tensor of the example's size (a start token, an initial state) is joined in",
     "expand it by x.size(0) instead of making it with a number"},
    {"ConstantOfShape", "torch.zeros or torch.ones was given sizes as Python numbers", kFromShape},
    {"Expand", "expand() or a broadcast was given sizes as Python numbers",
     "use -1 for axes that stay, and x.size(i) for those that grow"},
    {"Gather", "indices made while tracing, or a table with a last row",
     "index with torch.arange(x.size(1)); make the table as long as the longest input"},
    {"GRU", "the initial state was made with the example's batch",
     "make it with x.size(0), or leave it out: zeros are the default"},
    {"If", "a condition on a size was decided while tracing", "write it without the branch"},
    {"LSTM", "the initial state was made with the example's batch",
     "make it with x.size(0), or leave it out: zeros are the default"},
    {"Loop", "the number of rounds was read off the example", kFromShape},
    {"MatMul", "a matrix that was made for the example's length is multiplied",
     "compute it from sizes of the input, or pool over the axis before the layer"},
    {"Gemm", "the axis was flattened into the features of a linear layer",
     "pool over the axis before the layer, or keep it out of flatten()"},
    {"Mul", "a mask made while tracing is multiplied: it has the example's size",
     "make the mask from lengths given as an input and torch.arange(x.size(1))"},
    {"Pad", "the padding was computed from the example's size in Python", kFromShape},
    {"RNN", "the initial state was made with the example's batch",
     "make it with x.size(0), or leave it out: zeros are the default"},
    {"Range", "torch.arange was given a Python number", "use torch.arange(x.size(1))"},
    {"Reshape", "view() or reshape() was given sizes as Python numbers",
     "use x.size(0) and -1 in view(), never the numbers themselves; flatten() and unflatten() "
     "also follow"},
    {"Resize", "interpolate() was given a size", "give it scale_factor"},
    {"ScatterElements", "values are written into a tensor of the example's size", kFromShape},
    {"ScatterND", "values are written into a tensor of the example's size", kFromShape},
    {"Slice", "x[:, :n] with an n that was computed in Python",
     "slice by x.size(1) or by another tensor's size"},
    {"Split", "split() or chunk() was given sizes that were computed in Python", kFromShape},
    {"Squeeze", "squeeze() without an axis dropped one that happened to be 1",
     "name the axis: squeeze(1)"},
    {"Tile", "repeat() was given sizes as Python numbers", kFromShape},
    {"TopK", "k was taken from the example's length", kFromShape},
    {"Where", "a mask made while tracing is used: it has the example's size",
     "make the mask from lengths given as an input and torch.arange(x.size(1))"},
    {"", "a size of the example was kept while tracing", kFromShape},
};

}  // namespace

const Advice& advice_for(std::string_view op) {
  const auto* found = std::find_if(std::begin(kAdvice), std::end(kAdvice) - 1,
                                   [&](const Advice& advice) { return advice.op == op; });
  return *found;
}

}  // namespace voxport
