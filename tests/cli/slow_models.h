// Models that take long, in the words of parse_graph().
#pragma once

namespace voxport {

// Products of constants, each of which takes seconds; ONNX Runtime computes them while it loads.
inline constexpr char kSlowToLoad[] = R"(
    x: f32[n]
    size: i64[2] = const [6000, 6000]
    a = ConstantOfShape(size)
    b = MatMul(a, a)
    c = MatMul(b, b)
    d = MatMul(c, c)
    e = MatMul(d, d)
    s = ReduceMax(e) keepdims=0
    y = Add(x, s)
    return y)";

}  // namespace voxport
