#include "voice/decoding.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "base/tensor_math.h"
#include "graph/model_metadata.h"

namespace voxport {
namespace {

constexpr std::size_t kTime = 2;
// One state, or, of graphs of older versions, state_0, ...
constexpr std::string_view kState = "state";
constexpr std::string_view kNext = "next_";

// Its axes may be [1, 1, samples] or have more of size 1.
std::vector<float> samples_of(const Tensor& output) { return to_float32(output); }

Tensor ones(std::int64_t frames) {
  return tensor_of({1, 1, frames}, std::vector<float>(static_cast<std::size_t>(frames), 1.0F));
}

Tensor flag(bool is_set) {
  return make_tensor(DType::kBool, {1}, {}, 0,
                     storage_of(Blob::own(std::string(1, is_set ? '\1' : '\0'))));
}

// What both ways have in common: frames are taken from the start on.
class LatentDecoding : public Decoding {
 public:
  std::int64_t frames_left() const override { return latent_.frames() - at_; }

 protected:
  explicit LatentDecoding(Latent latent) : latent_(std::move(latent)) {}

  // How many of those that are left are decoded when so many are asked for.
  std::int64_t taken(std::int64_t frames) const {
    return std::clamp<std::int64_t>(frames, 1, std::max<std::int64_t>(frames_left(), 1));
  }

  Latent latent_;
  std::int64_t at_ = 0;  // frames done with
};

class ContextDecoding : public LatentDecoding {
 public:
  ContextDecoding(const Session& session, const DecoderPorts& ports, Latent latent,
                  std::int64_t left, std::int64_t right, std::int64_t hop_length)
      : LatentDecoding(std::move(latent)),
        session_(session),
        ports_(ports),
        left_(left),
        right_(right),
        hop_length_(hop_length) {}

  std::vector<float> next(std::int64_t frames) override {
    const std::int64_t end = std::min(at_ + taken(frames), latent_.frames());
    const std::int64_t from = std::max<std::int64_t>(at_ - left_, 0);
    const std::int64_t to = std::min(end + right_, latent_.frames());
    Tensors inputs = {{ports_.latent, sliced(latent_.z, kTime, from, to)}};
    if (ports_.mask) inputs.emplace(ports_.mask, ones(to - from));
    if (latent_.g) inputs.emplace("g", *latent_.g);
    std::vector<float> samples = samples_of(session_.run(inputs).at(ports_.samples));
    const auto start = static_cast<std::size_t>((at_ - from) * hop_length_);
    const std::size_t count = end == latent_.frames()
                                  ? samples.size() - start
                                  : static_cast<std::size_t>((end - at_) * hop_length_);
    if (start + count > samples.size())
      fail(Error::kMismatch, in_quotes(session_.name()), " made ", samples.size(), " samples of ",
           to - from, " frames, expected ", hop_length_, " of each");
    at_ = end;
    return {samples.begin() + static_cast<std::ptrdiff_t>(start),
            samples.begin() + static_cast<std::ptrdiff_t>(start + count)};
  }

 private:
  Session session_;
  DecoderPorts ports_;
  std::int64_t left_, right_, hop_length_;
};

class CachedDecoding : public LatentDecoding {
 public:
  CachedDecoding(const Session& session, const DecoderPorts& ports, Latent latent,
                 const Tensors& states, std::int64_t first_frames)
      : LatentDecoding(std::move(latent)),
        session_(session),
        ports_(ports),
        inputs_(states),
        first_frames_(first_frames) {
    if (latent_.g) inputs_.emplace("g", *latent_.g);
  }

  std::vector<float> next(std::int64_t frames) override {
    const bool is_first = at_ == 0;
    const std::int64_t more = taken(frames) + (is_first ? first_frames_ - 1 : 0);
    const std::int64_t end = std::min(at_ + more, latent_.frames());
    inputs_[ports_.latent] = sliced(latent_.z, kTime, at_, end);
    inputs_["first"] = flag(is_first);
    inputs_["last"] = flag(end == latent_.frames());
    Tensors outputs = session_.run(inputs_);
    for (auto& [name, tensor] : outputs)
      if (name.starts_with(kNext)) inputs_[name.substr(kNext.size())] = std::move(tensor);
    at_ = end;
    return samples_of(outputs.at(ports_.samples));
  }

 private:
  Session session_;
  DecoderPorts ports_;
  Tensors inputs_;
  std::int64_t first_frames_;
};

Tensors first_states(const Session& session) {
  Tensors states;
  for (const PortInfo& port : session.inputs()) {
    if (!port.name.starts_with(kState)) continue;
    std::vector<std::int64_t> shape;
    std::size_t count = 1;
    for (const AxisInfo& axis : port.axes) {
      shape.push_back(axis.size.value_or(1));
      count *= static_cast<std::size_t>(shape.back());
    }
    states.emplace(port.name, tensor_of(std::move(shape), std::vector<float>(count, 0.0F)));
  }
  return states;
}

void check_states(const Session& session, const Tensors& states) {
  for (const auto& [name, state] : states) {
    const std::string next = cat(kNext, name);
    if (!find_port(session.outputs(), next))
      fail(Error::kUnsupported, in_quotes(session.name()), " takes ", in_quotes(name),
           " but gives no ", in_quotes(next));
  }
}

}  // namespace

Latent latent_of(const Tensors& encoded) {
  Latent latent{encoded.at("z"), std::nullopt};
  if (const auto g = encoded.find("g"); g != encoded.end()) latent.g = g->second;
  return latent;
}

ContextDecoder::ContextDecoder(Session session, const DecoderPorts& ports, std::int64_t left,
                               std::int64_t right, std::int64_t hop_length)
    : session_(std::move(session)),
      ports_(ports),
      left_(left),
      right_(right),
      hop_length_(hop_length) {}

std::unique_ptr<Decoding> ContextDecoder::start(Latent latent) const {
  return std::make_unique<ContextDecoding>(session_, ports_, std::move(latent), left_, right_,
                                           hop_length_);
}

CachedDecoder::CachedDecoder(Session session, const DecoderPorts& ports)
    : session_(std::move(session)), ports_(ports), first_states_(first_states(session_)) {
  check_states(session_, first_states_);
  const auto first = ModelMetadata::read(session_.metadata()).first_frames;
  if (!first)
    fail(Error::kUnsupported, in_quotes(session_.name()),
         " does not say how many frames its first piece must have: expected a number above 0 as ",
         "voxport.first_frames in its metadata");
  first_frames_ = *first;
}

std::unique_ptr<Decoding> CachedDecoder::start(Latent latent) const {
  return std::make_unique<CachedDecoding>(session_, ports_, std::move(latent), first_states_,
                                          first_frames_);
}

}  // namespace voxport
