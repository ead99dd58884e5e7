// The functions that lower operators, by the file they are in. Each has its schema above it where
// it is defined; lower/table.cpp says which operator it serves.
#pragma once

#include <algorithm>
#include <string>

#include "lower/call.h"
#include "lower/compute_type.h"
#include "lower/promote.h"

namespace voxport::ops {

// A name as a template argument: unary<"Relu">.
struct OpName {
  char text[32] = {};
  consteval OpName(const char* name) {  // NOLINT: that is its use
    for (std::size_t i = 0; name[i] != '\0'; ++i) text[i] = name[i];
  }
};

// One operator of ONNX, in the type of the tensor.
template <OpName op>
Item unary(const Call& call, Builder&) {
  return apply_op(op.text, {call.tensor(call.arguments().front().first)});
}

// One operator of ONNX that gives floats: ints and bools become float32 first.
Item float_function(const Call& call, const char* op);
template <OpName op>
Item unary_float(const Call& call, Builder&) {
  return float_function(call, op.text);
}

// Floor, Ceil or Round, of tensors and numbers.
Item rounded(const Call& call, const char* op);
template <OpName op>
Item rounding(const Call& call, Builder&) {
  return rounded(call, op.text);
}

// One operator of ONNX on two tensors, which gives bools.
Item compared(const Call& call, const char* op);
template <OpName op>
Item compare(const Call& call, Builder&) {
  return compared(call, op.text);
}

// And, Or or Xor: of bools, and of the bits of ints.
Item bitwise(const Call& call, const char* op);
// Writes the result to the first argument.
Item in_place(const Call& call, const Item& result);
template <OpName op>
Item bits(const Call& call, Builder&) {
  return bitwise(call, op.text);
}
template <OpName op>
Item bits_in_place(const Call& call, Builder&) {
  return in_place(call, bitwise(call, op.text));
}

// unary.cpp
Item abs(const Call& call, Builder& g);
Item angle(const Call& call, Builder& g);
Item bitwise_not(const Call& call, Builder& g);
Item cos(const Call& call, Builder& g);
Item deg2rad(const Call& call, Builder& g);
Item erfc(const Call& call, Builder& g);
Item erfinv(const Call& call, Builder& g);
Item exp2(const Call& call, Builder& g);
Item expm1(const Call& call, Builder& g);
Item frac(const Call& call, Builder& g);
Item i0(const Call& call, Builder& g);
Item isfinite(const Call& call, Builder& g);
Item isinf(const Call& call, Builder& g);
Item isnan(const Call& call, Builder& g);
Item isneginf(const Call& call, Builder& g);
Item isposinf(const Call& call, Builder& g);
Item isreal(const Call& call, Builder& g);
Item log(const Call& call, Builder& g);
Item log10(const Call& call, Builder& g);
Item log1p(const Call& call, Builder& g);
Item log2(const Call& call, Builder& g);
Item logical_not(const Call& call, Builder& g);
Item logit(const Call& call, Builder& g);
Item nan_to_num(const Call& call, Builder& g);
Item rad2deg(const Call& call, Builder& g);
Item round(const Call& call, Builder& g);
Item rsqrt(const Call& call, Builder& g);
Item sign(const Call& call, Builder& g);
Item signbit(const Call& call, Builder& g);
Item sinc(const Call& call, Builder& g);
Item special_entr(const Call& call, Builder& g);
Item special_ndtr(const Call& call, Builder& g);
Item special_ndtri(const Call& call, Builder& g);
Item square(const Call& call, Builder& g);
Item trunc(const Call& call, Builder& g);

// elementwise.cpp
Item add(const Call& call, Builder& g);
Item add_optional(const Call& call, Builder& g);
Item add_relu(const Call& call, Builder& g);
Item addcdiv(const Call& call, Builder& g);
Item addcmul(const Call& call, Builder& g);
Item atan2(const Call& call, Builder& g);
Item clamp(const Call& call, Builder& g);
Item copysign(const Call& call, Builder& g);
Item div(const Call& call, Builder& g);
Item float_power(const Call& call, Builder& g);
Item floor_divide(const Call& call, Builder& g);
Item fmax(const Call& call, Builder& g);
Item fmin(const Call& call, Builder& g);
Item fmod(const Call& call, Builder& g);
Item heaviside(const Call& call, Builder& g);
Item hypot(const Call& call, Builder& g);
Item ldexp(const Call& call, Builder& g);
Item lerp(const Call& call, Builder& g);
Item logaddexp(const Call& call, Builder& g);
Item logaddexp2(const Call& call, Builder& g);
Item masked_fill(const Call& call, Builder& g);
Item maximum(const Call& call, Builder& g);
Item minimum(const Call& call, Builder& g);
Item mul(const Call& call, Builder& g);
Item neg(const Call& call, Builder& g);
Item pow(const Call& call, Builder& g);
Item remainder(const Call& call, Builder& g);
Item rsub(const Call& call, Builder& g);
Item special_xlog1py(const Call& call, Builder& g);
Item sub(const Call& call, Builder& g);
Item where_self(const Call& call, Builder& g);
Item xlogy(const Call& call, Builder& g);

// gamma.cpp
Item digamma(const Call& call, Builder& g);
Item lgamma(const Call& call, Builder& g);

// compare.cpp
Item allclose(const Call& call, Builder& g);
Item contains(const Call& call, Builder& g);
Item isclose(const Call& call, Builder& g);
Item left_shift(const Call& call, Builder& g);
Item left_shift_in_place(const Call& call, Builder& g);
Item logical_and(const Call& call, Builder& g);
Item logical_or(const Call& call, Builder& g);
Item logical_xor(const Call& call, Builder& g);
Item not_(const Call& call, Builder& g);
Item not_equal(const Call& call, Builder& g);
Item right_shift(const Call& call, Builder& g);
Item right_shift_in_place(const Call& call, Builder& g);

// activation.cpp
Item celu(const Call& call, Builder& g);
Item elu(const Call& call, Builder& g);
Item gelu(const Call& call, Builder& g);
Item glu(const Call& call, Builder& g);
Item hardshrink(const Call& call, Builder& g);
Item hardsigmoid(const Call& call, Builder& g);
Item hardswish(const Call& call, Builder& g);
Item hardtanh(const Call& call, Builder& g);
Item leaky_relu(const Call& call, Builder& g);
Item log_sigmoid(const Call& call, Builder& g);
Item log_sigmoid_forward(const Call& call, Builder& g);
Item log_softmax(const Call& call, Builder& g);
Item mish(const Call& call, Builder& g);
Item prelu(const Call& call, Builder& g);
Item relu(const Call& call, Builder& g);
Item relu6(const Call& call, Builder& g);
Item rrelu(const Call& call, Builder& g);
Item safe_softmax(const Call& call, Builder& g);
Item silu(const Call& call, Builder& g);
Item softmax(const Call& call, Builder& g);
Item softplus(const Call& call, Builder& g);
Item softshrink(const Call& call, Builder& g);
Item threshold(const Call& call, Builder& g);

// convert.cpp
Item autocast_to(const Call& call, Builder& g);
Item cast_by_name(const Call& call, Builder& g);
Item clone(const Call& call, Builder& g);
Item copy(const Call& call, Builder& g);
Item fill(const Call& call, Builder& g);
Item to(const Call& call, Builder& g);
Item to_copy(const Call& call, Builder& g);
Item type_as(const Call& call, Builder& g);
Item view_dtype(const Call& call, Builder& g);
Item zero(const Call& call, Builder& g);

// number.cpp
Item divmod(const Call& call, Builder& g);
Item fabs(const Call& call, Builder& g);
Item find_text(const Call& call, Builder& g);
Item floordiv(const Call& call, Builder& g);
Item format(const Call& call, Builder& g);
Item gcd(const Call& call, Builder& g);
Item num_to_tensor(const Call& call, Builder& g);
Item number_of_tensor(const Call& call, Builder& g);
Item numel(const Call& call, Builder& g);
Item prim_max(const Call& call, Builder& g);
Item prim_min(const Call& call, Builder& g);
Item round_to_zero_floordiv(const Call& call, Builder& g);
Item sum_of_list(const Call& call, Builder& g);

// linear.cpp
Item addbmm(const Call& call, Builder& g);
Item addmm(const Call& call, Builder& g);
Item addmv(const Call& call, Builder& g);
Item addr(const Call& call, Builder& g);
Item baddbmm(const Call& call, Builder& g);
Item cdist(const Call& call, Builder& g);
Item cosine_similarity(const Call& call, Builder& g);
Item cross(const Call& call, Builder& g);
Item embedding(const Call& call, Builder& g);
Item inner(const Call& call, Builder& g);
Item matrix_inverse(const Call& call, Builder& g);
Item kron(const Call& call, Builder& g);
Item linear(const Call& call, Builder& g);
Item linear_dynamic(const Call& call, Builder& g);
Item matmul(const Call& call, Builder& g);
Item multi_dot(const Call& call, Builder& g);
Item outer(const Call& call, Builder& g);
Item pairwise_distance(const Call& call, Builder& g);
Item trilinear(const Call& call, Builder& g);
Item vecdot(const Call& call, Builder& g);

// einsum.cpp
Item bilinear(const Call& call, Builder& g);
Item einsum(const Call& call, Builder& g);
Item tensordot(const Call& call, Builder& g);

// rnn.cpp
Item rnn(const Call& call, Builder& g);
Item rnn_cell(const Call& call, Builder& g);

// packed_sequence.cpp
Item pack_padded_sequence(const Call& call, Builder& g);
Item pad_packed_sequence(const Call& call, Builder& g);

// attention.cpp
Item fused_attention(const Call& call, Builder& g);
Item is_nested(const Call& call, Builder& g);
Item masked_softmax(const Call& call, Builder& g);
Item native_multi_head_attention(const Call& call, Builder& g);
Item nested_tensor_from_mask(const Call& call, Builder& g);
Item nested_tensor_from_mask_left_aligned(const Call& call, Builder& g);
Item scaled_dot_product_attention(const Call& call, Builder& g);
Item scaled_dot_product_attention_1_13(const Call& call, Builder& g);
Item scaled_dot_product_attention_math(const Call& call, Builder& g);
Item to_padded_tensor(const Call& call, Builder& g);
Item transformer_encoder_layer_fwd(const Call& call, Builder& g);

// complex.cpp
Item complex(const Call& call, Builder& g);
Item complex_abs(const Call& call, Builder& g);
Item complex_angle(const Call& call, Builder& g);
Item complex_conj(const Call& call, Builder& g);
Item complex_copy(const Call& call, Builder& g);
Item complex_div(const Call& call, Builder& g);
Item complex_exp(const Call& call, Builder& g);
Item complex_fill(const Call& call, Builder& g);
Item complex_imag(const Call& call, Builder& g);
Item complex_log(const Call& call, Builder& g);
Item complex_mul(const Call& call, Builder& g);
Item complex_pow(const Call& call, Builder& g);
Item complex_real(const Call& call, Builder& g);
Item complex_reciprocal(const Call& call, Builder& g);
Item complex_sgn(const Call& call, Builder& g);
Item complex_sqrt(const Call& call, Builder& g);
Item complex_square(const Call& call, Builder& g);
Item complex_where(const Call& call, Builder& g);
Item polar(const Call& call, Builder& g);
Item view_as_complex(const Call& call, Builder& g);
Item view_as_real(const Call& call, Builder& g);

// spectral.cpp
Item fft(const Call& call, Builder& g);
Item fft_c2c(const Call& call, Builder& g);
Item fft_c2r(const Call& call, Builder& g);
Item fft_r2c(const Call& call, Builder& g);
Item fftshift(const Call& call, Builder& g);
Item istft(const Call& call, Builder& g);
Item stft(const Call& call, Builder& g);

// norm.cpp
Item batch_norm(const Call& call, Builder& g);
Item batch_norm_with_reserve(const Call& call, Builder& g);
Item batch_norm_with_update(const Call& call, Builder& g);
Item fused_rms_norm(const Call& call, Builder& g);
Item group_norm(const Call& call, Builder& g);
Item instance_norm(const Call& call, Builder& g);
Item layer_norm(const Call& call, Builder& g);
Item native_batch_norm(const Call& call, Builder& g);
Item native_group_norm(const Call& call, Builder& g);
Item native_layer_norm(const Call& call, Builder& g);
Item rms_norm(const Call& call, Builder& g);

// conv.cpp
Item conv(const Call& call, Builder& g);
Item conv_tbc(const Call& call, Builder& g);
Item conv_transpose(const Call& call, Builder& g);
Item convolution(const Call& call, Builder& g);

// loss.cpp
Item huber_loss(const Call& call, Builder& g);
Item l1_loss(const Call& call, Builder& g);
Item mse_loss(const Call& call, Builder& g);
Item smooth_l1_loss(const Call& call, Builder& g);

// weight_norm.cpp
Item norm_except_dim(const Call& call, Builder& g);
Item weight_norm(const Call& call, Builder& g);
Item weight_norm_interface(const Call& call, Builder& g);

// pool.cpp
Item adaptive_avg_pool(const Call& call, Builder& g);
Item adaptive_max_pool(const Call& call, Builder& g);
Item avg_pool(const Call& call, Builder& g);
Item max_pool(const Call& call, Builder& g);
Item max_pool_with_indices(const Call& call, Builder& g);
Item max_unpool(const Call& call, Builder& g);

// pad.cpp
Item constant_pad_nd(const Call& call, Builder& g);
Item pad(const Call& call, Builder& g);
Item pad_circular(const Call& call, Builder& g);
Item pad_enum(const Call& call, Builder& g);
Item reflection_pad(const Call& call, Builder& g);
Item replication_pad(const Call& call, Builder& g);

// resize.cpp
Item interpolate(const Call& call, Builder& g);
Item upsample_bicubic(const Call& call, Builder& g);
Item upsample_bicubic_aa(const Call& call, Builder& g);
Item upsample_bilinear_aa(const Call& call, Builder& g);
Item upsample_linear(const Call& call, Builder& g);
Item upsample_nearest(const Call& call, Builder& g);
Item upsample_nearest_exact(const Call& call, Builder& g);

// sample.cpp
Item affine_grid_generator(const Call& call, Builder& g);
Item grid_sampler(const Call& call, Builder& g);

// fold.cpp
Item col2im(const Call& call, Builder& g);
Item im2col(const Call& call, Builder& g);

// view.cpp
Item as_strided(const Call& call, Builder& g);
Item atleast(const Call& call, Builder& g);
Item broadcast_tensors(const Call& call, Builder& g);
Item chunk(const Call& call, Builder& g);
Item contiguous(const Call& call, Builder& g);
Item diagonal(const Call& call, Builder& g);
Item dsplit(const Call& call, Builder& g);
Item expand_as(const Call& call, Builder& g);
Item expand_view(const Call& call, Builder& g);
Item flatten(const Call& call, Builder& g);
Item hsplit(const Call& call, Builder& g);
Item matrix_transpose(const Call& call, Builder& g);
Item movedim(const Call& call, Builder& g);
Item narrow(const Call& call, Builder& g);
Item numpy_t(const Call& call, Builder& g);
Item permute(const Call& call, Builder& g);
Item reshape(const Call& call, Builder& g);
Item reshape_as(const Call& call, Builder& g);
Item reshape_view(const Call& call, Builder& g);
Item same(const Call& call, Builder& g);
Item select(const Call& call, Builder& g);
Item slice(const Call& call, Builder& g);
Item split(const Call& call, Builder& g);
Item squeeze(const Call& call, Builder& g);
Item t(const Call& call, Builder& g);
Item tensor_split(const Call& call, Builder& g);
Item transpose(const Call& call, Builder& g);
Item unbind(const Call& call, Builder& g);
Item unflatten(const Call& call, Builder& g);
Item unfold(const Call& call, Builder& g);
Item unsqueeze(const Call& call, Builder& g);
Item view_as(const Call& call, Builder& g);
Item vsplit(const Call& call, Builder& g);

// The result of an operator that gives views, as new tensors: aten.permute_copy.
using LowerView = Item (*)(const Call& call, Builder& g);
Item copy_of_view(const Call& call, Builder& g, LowerView lower);
template <LowerView lower>
Item copy_of(const Call& call, Builder& g) {
  return copy_of_view(call, g, lower);
}

// join.cpp
Item block_diag(const Call& call, Builder& g);
Item cartesian_prod(const Call& call, Builder& g);
Item cat_tensors(const Call& call, Builder& g);
Item channel_shuffle(const Call& call, Builder& g);
Item column_stack(const Call& call, Builder& g);
Item diag(const Call& call, Builder& g);
Item diag_embed(const Call& call, Builder& g);
Item diagflat(const Call& call, Builder& g);
Item dstack(const Call& call, Builder& g);
Item flip(const Call& call, Builder& g);
Item fliplr(const Call& call, Builder& g);
Item flipud(const Call& call, Builder& g);
Item hstack(const Call& call, Builder& g);
Item meshgrid(const Call& call, Builder& g);
Item pad_sequence(const Call& call, Builder& g);
Item pixel_shuffle(const Call& call, Builder& g);
Item pixel_unshuffle(const Call& call, Builder& g);
Item repeat(const Call& call, Builder& g);
Item roll(const Call& call, Builder& g);
Item rot90(const Call& call, Builder& g);
Item stack(const Call& call, Builder& g);
Item vstack(const Call& call, Builder& g);

// index.cpp
Item embedding_bag(const Call& call, Builder& g);
Item embedding_renorm(const Call& call, Builder& g);
Item gather_along(const Call& call, Builder& g);
Item index(const Call& call, Builder& g);
Item index_select(const Call& call, Builder& g);
Item masked_select(const Call& call, Builder& g);
Item take(const Call& call, Builder& g);
Item take_along_dim(const Call& call, Builder& g);

// scatter.cpp
Item as_strided_scatter(const Call& call, Builder& g);
Item diagonal_scatter(const Call& call, Builder& g);
Item index_add(const Call& call, Builder& g);
Item index_copy(const Call& call, Builder& g);
Item index_fill(const Call& call, Builder& g);
Item index_put(const Call& call, Builder& g);
Item index_reduce(const Call& call, Builder& g);
Item masked_scatter(const Call& call, Builder& g);
Item put(const Call& call, Builder& g);
Item scatter(const Call& call, Builder& g);
Item scatter_add(const Call& call, Builder& g);
Item scatter_reduce(const Call& call, Builder& g);
Item select_scatter(const Call& call, Builder& g);
Item slice_scatter(const Call& call, Builder& g);

// shape.cpp
Item device(const Call& call, Builder& g);
Item device_type(const Call& call, Builder& g);
Item dim(const Call& call, Builder& g);
Item dtype(const Call& call, Builder& g);
Item element_size(const Call& call, Builder& g);
Item is_complex_tensor(const Call& call, Builder& g);
Item is_contiguous(const Call& call, Builder& g);
Item is_floating_point(const Call& call, Builder& g);
Item is_nonzero(const Call& call, Builder& g);
Item is_same_size(const Call& call, Builder& g);
Item is_signed(const Call& call, Builder& g);
Item layout(const Call& call, Builder& g);
Item nbytes(const Call& call, Builder& g);
Item no(const Call& call, Builder& g);
Item promoted_type_code(const Call& call, Builder& g);
Item result_type_code(const Call& call, Builder& g);
Item shape_as_tensor(const Call& call, Builder& g);
Item size(const Call& call, Builder& g);
Item stride(const Call& call, Builder& g);
Item to_list(const Call& call, Builder& g);
Item yes(const Call& call, Builder& g);

// nothing.cpp: operators that have no effect in inference
Item dep_token(const Call& call, Builder& g);
Item dropout(const Call& call, Builder& g);
Item native_dropout(const Call& call, Builder& g);
Item nothing(const Call& call, Builder& g);
Item storage_offset(const Call& call, Builder& g);

// container.cpp
Item annotate(const Call& call, Builder& g);
Item append(const Call& call, Builder& g);
Item clear(const Call& call, Builder& g);
Item copy_container(const Call& call, Builder& g);
Item count(const Call& call, Builder& g);
Item delete_item(const Call& call, Builder& g);
Item dict(const Call& call, Builder& g);
Item dict_construct(const Call& call, Builder& g);
Item extend(const Call& call, Builder& g);
Item get(const Call& call, Builder& g);
Item getitem(const Call& call, Builder& g);
Item index_in_list(const Call& call, Builder& g);
Item insert(const Call& call, Builder& g);
Item is_identical(const Call& call, Builder& g);
Item is_not_identical(const Call& call, Builder& g);
Item isinstance(const Call& call, Builder& g);
Item items(const Call& call, Builder& g);
Item keys(const Call& call, Builder& g);
Item len(const Call& call, Builder& g);
Item list_construct(const Call& call, Builder& g);
Item named_tuple_construct(const Call& call, Builder& g);
Item pop(const Call& call, Builder& g);
Item raise_exception(const Call& call, Builder& g);
Item remove_item(const Call& call, Builder& g);
Item reverse(const Call& call, Builder& g);
Item set_item(const Call& call, Builder& g);
Item setdefault(const Call& call, Builder& g);
Item slice_of_list(const Call& call, Builder& g);
Item tuple_construct(const Call& call, Builder& g);
Item tuple_slice(const Call& call, Builder& g);
Item uninitialized(const Call& call, Builder& g);
Item unpack(const Call& call, Builder& g);
Item update(const Call& call, Builder& g);
Item values(const Call& call, Builder& g);

// control.cpp
Item if_(const Call& call, Builder& g);

// loop.cpp
Item loop(const Call& call, Builder& g);
// reduce.cpp
Item all(const Call& call, Builder& g);
Item amax(const Call& call, Builder& g);
Item amin(const Call& call, Builder& g);
Item aminmax(const Call& call, Builder& g);
Item any(const Call& call, Builder& g);
Item argmax(const Call& call, Builder& g);
Item argmin(const Call& call, Builder& g);
Item count_nonzero(const Call& call, Builder& g);
Item diff(const Call& call, Builder& g);
Item dist(const Call& call, Builder& g);
Item frobenius_norm(const Call& call, Builder& g);
Item linalg_matrix_norm(const Call& call, Builder& g);
Item linalg_norm(const Call& call, Builder& g);
Item linalg_vector_norm(const Call& call, Builder& g);
Item logsumexp(const Call& call, Builder& g);
Item max(const Call& call, Builder& g);
Item mean(const Call& call, Builder& g);
Item min(const Call& call, Builder& g);
Item nanmean(const Call& call, Builder& g);
Item nansum(const Call& call, Builder& g);
Item norm(const Call& call, Builder& g);
Item prod(const Call& call, Builder& g);
Item std_(const Call& call, Builder& g);
Item std_mean(const Call& call, Builder& g);
Item sum(const Call& call, Builder& g);
Item trace(const Call& call, Builder& g);
Item var(const Call& call, Builder& g);
Item var_mean(const Call& call, Builder& g);

// cumulate.cpp
Item cummax(const Call& call, Builder& g);
Item cummin(const Call& call, Builder& g);
Item cumprod(const Call& call, Builder& g);
Item cumsum(const Call& call, Builder& g);
Item logcumsumexp(const Call& call, Builder& g);

// creation.cpp
Item arange(const Call& call, Builder& g);
Item as_tensor(const Call& call, Builder& g);
Item bartlett_window(const Call& call, Builder& g);
Item blackman_window(const Call& call, Builder& g);
Item derive_index(const Call& call, Builder& g);
Item dim_arange(const Call& call, Builder& g);
Item eye(const Call& call, Builder& g);
Item fill_diagonal(const Call& call, Builder& g);
Item full(const Call& call, Builder& g);
Item full_like(const Call& call, Builder& g);
Item hamming_window(const Call& call, Builder& g);
Item hann_window(const Call& call, Builder& g);
Item kaiser_window(const Call& call, Builder& g);
Item linspace(const Call& call, Builder& g);
Item logspace(const Call& call, Builder& g);
Item new_full(const Call& call, Builder& g);
Item one_hot(const Call& call, Builder& g);
Item ones(const Call& call, Builder& g);
Item ones_like(const Call& call, Builder& g);
Item range_length(const Call& call, Builder& g);
Item range_with_end(const Call& call, Builder& g);
Item rangelist(const Call& call, Builder& g);
Item scalar_tensor(const Call& call, Builder& g);
Item tensor(const Call& call, Builder& g);
Item tril(const Call& call, Builder& g);
Item tril_indices(const Call& call, Builder& g);
Item triu(const Call& call, Builder& g);
Item triu_indices(const Call& call, Builder& g);
Item zeros_anew(const Call& call, Builder& g);
Item zeros_like(const Call& call, Builder& g);

// sort.cpp
Item argsort(const Call& call, Builder& g);
Item bincount(const Call& call, Builder& g);
Item bucketize(const Call& call, Builder& g);
Item equal(const Call& call, Builder& g);
Item histc(const Call& call, Builder& g);
Item isin(const Call& call, Builder& g);
Item kthvalue(const Call& call, Builder& g);
Item median(const Call& call, Builder& g);
Item mode(const Call& call, Builder& g);
Item msort(const Call& call, Builder& g);
Item nonzero(const Call& call, Builder& g);
Item nonzero_by_axis(const Call& call, Builder& g);
Item nonzero_static(const Call& call, Builder& g);
Item quantile(const Call& call, Builder& g);
Item repeat_interleave(const Call& call, Builder& g);
Item searchsorted(const Call& call, Builder& g);
Item sort(const Call& call, Builder& g);
Item topk(const Call& call, Builder& g);
Item unique(const Call& call, Builder& g);
Item unique_consecutive(const Call& call, Builder& g);
Item unique_dim(const Call& call, Builder& g);

// random.cpp
Item bernoulli(const Call& call, Builder& g);
Item cauchy(const Call& call, Builder& g);
Item exponential(const Call& call, Builder& g);
Item geometric(const Call& call, Builder& g);
Item log_normal(const Call& call, Builder& g);
Item multinomial(const Call& call, Builder& g);
Item normal(const Call& call, Builder& g);
Item rand(const Call& call, Builder& g);
Item randint(const Call& call, Builder& g);
Item randn(const Call& call, Builder& g);
Item random(const Call& call, Builder& g);
Item randperm(const Call& call, Builder& g);
Item uniform(const Call& call, Builder& g);

}  // namespace voxport::ops
