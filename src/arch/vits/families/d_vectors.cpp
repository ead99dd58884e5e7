#include "arch/vits/families/d_vectors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/blob.h"
#include "base/fail.h"
#include "base/tensor_math.h"
#include "checkpoint/checkpoint.h"

namespace voxport::vits {
namespace {

// Adds up the vectors of each speaker.
class Means {
 public:
  explicit Means(std::int64_t width) : width_(static_cast<std::size_t>(width)) {}

  std::size_t width() const { return width_; }

  // `count` is how many numbers there were, of which `vector` has the first width() + 1 or all.
  void add(const std::string& speaker, const std::string& clip, const std::vector<double>& vector,
           std::size_t count) {
    if (count != width_) {
      constexpr std::size_t kShown = 10;
      if (++problem_count_ <= kShown)
        problems_ += cat("\n  ", in_quotes(clip), " has ", count, " numbers, expected ", width_);
      return;
    }
    std::vector<double>& sum = sums_[speaker];
    sum.resize(width_);
    for (std::size_t i = 0; i < width_; ++i) sum[i] += vector[i];
  }

  SpeakerVectors finish() const {
    if (problem_count_ > 0)
      fail(Error::kUnsupported, problem_count_,
           problem_count_ == 1 ? " vector does" : " vectors do", " not fit the checkpoint",
           problems_, problem_count_ > 10 ? "\n  and more" : "");
    if (sums_.empty()) fail(Error::kCorrupt, "there is no speaker in it");
    SpeakerVectors made;
    std::vector<float> table;
    for (const auto& [name, sum] : sums_) {
      made.names.push_back(name);
      append_normalised(sum, table);
    }
    made.table = tensor_of(
        {static_cast<std::int64_t>(sums_.size()), static_cast<std::int64_t>(width_)}, table);
    return made;
  }

 private:
  // Of length 1, as torch.nn.functional.normalize makes it; how many were added does not matter.
  static void append_normalised(const std::vector<double>& sum, std::vector<float>& to) {
    constexpr double kLeastNorm = 1e-12;
    double squares = 0;
    for (const double number : sum) squares += number * number;
    const double norm = std::max(std::sqrt(squares), kLeastNorm);
    for (const double number : sum) to.push_back(static_cast<float>(number / norm));
  }

  std::size_t width_;
  std::map<std::string, std::vector<double>> sums_;
  std::string problems_;
  std::size_t problem_count_ = 0;
};

// Goes through the JSON as it is parsed, and keeps what it has of one clip.
class VectorReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit VectorReader(Means& means) : means_(means) {}

  const std::string& problem() const { return problem_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t number) override {
    return take(static_cast<double>(number));
  }
  bool number_unsigned(number_unsigned_t number) override {
    return take(static_cast<double>(number));
  }
  bool number_float(number_float_t number, const string_t&) override { return take(number); }
  bool binary(binary_t&) override { return value(); }

  bool string(string_t& text) override {
    if (depth_ == 2 && key_ == "name") speaker_ = text;
    return value();
  }

  bool key(string_t& name) override {
    if (depth_ == 1) clip_ = name;
    if (depth_ == 2) key_ = name;
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ == 1 && lists_ > 0)
      return refuse(cat("a vector of ", in_quotes(clip_), " holds a dict"));
    if (++depth_ == 2) {
      start_clip();
      key_.clear();
    }
    return is_sane();
  }
  bool end_object() override {
    if (depth_-- == 2 && !finish_clip()) return false;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return refuse("it holds a list, expected a dict of clips");
    if (depth_ == 1 && lists_ == 0) start_clip();
    ++lists_;
    return is_sane();
  }
  bool end_array() override {
    --lists_;
    if (depth_ != 1 || lists_ > 0) return true;
    speaker_ = clip_;  // {name: [...]}
    return finish_clip();
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    return refuse(cat("it is not JSON: ", printable(error.what())));
  }

 private:
  bool refuse(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  bool is_sane() {
    constexpr int kMaxDepth = 8;
    return depth_ + lists_ <= kMaxDepth || refuse("it goes deeper than 8 levels");
  }

  void start_clip() {
    speaker_.reset();
    vector_.clear();
    count_ = 0;
  }

  bool finish_clip() {
    if (!speaker_) return refuse(cat("the clip ", in_quotes(clip_), " has no name of a speaker"));
    means_.add(*speaker_, clip_, vector_, count_);
    return true;
  }

  bool take(double number) {
    const bool is_of_vector = lists_ > 0 && (depth_ == 1 || (depth_ == 2 && key_ == "embedding"));
    if (!is_of_vector) return value();
    ++count_;
    if (vector_.size() < means_.width()) vector_.push_back(number);
    return true;
  }

  // Of no use; but a clip is a dict or a list.
  bool value() {
    if (depth_ == 0) return refuse("it holds one value, expected a dict of clips");
    if (depth_ == 1 && lists_ == 0)
      return refuse(cat("the clip ", in_quotes(clip_), " has no vector"));
    return true;
  }

  Means& means_;
  std::string problem_;
  int depth_ = 0;  // of dicts
  int lists_ = 0;  // that are open
  std::string clip_, key_;
  std::optional<std::string> speaker_;
  std::vector<double> vector_;
  std::size_t count_ = 0;
};

// The numbers of a tensor, or of lists of any depth.
void append_numbers(const Object& value, std::vector<double>& to) {
  if (value.is(Object::Kind::kTensor)) {
    for (const float number : to_float32(value.tensor())) to.push_back(number);
  } else if (const auto number = value.as_float()) {
    to.push_back(*number);
  } else {
    for (const Entry& entry : value.entries()) append_numbers(entry.value, to);
  }
}

void add_clip(const Entry& clip, Means& means) {
  const Object* name = clip.value.find("name");
  const Object* vector = clip.value.find("embedding");
  const bool is_bare = !clip.value.is(Object::Kind::kDict);
  if (!is_bare && (!name || !name->as_string()))
    fail(Error::kCorrupt, "the clip ", in_quotes(clip.key), " has no name of a speaker");
  std::vector<double> numbers;
  if (is_bare || vector) append_numbers(is_bare ? clip.value : *vector, numbers);
  means.add(is_bare ? clip.key : std::string(*name->as_string()), clip.key, numbers,
            numbers.size());
}

// A pickle is read as a whole, so there are limits to what it may hold.
SpeakerVectors pickled_vectors(const std::filesystem::path& path, std::int64_t width) {
  const Checkpoint file = in_context("reading a pickle; saved as JSON, vectors may be any number",
                                     [&] { return open_checkpoint(path); });
  if (!file.root.is(Object::Kind::kDict))
    fail(Error::kCorrupt, "it holds ", name_of(file.root.kind), ", expected a dict of clips");
  Means means(width);
  for (const Entry& clip : file.root.entries()) add_clip(clip, means);
  return means.finish();
}

}  // namespace

SpeakerVectors speaker_vectors_in(std::string_view json, std::int64_t width) {
  Means means(width);
  VectorReader reader(means);
  if (!nlohmann::json::sax_parse(json, &reader)) fail(Error::kCorrupt, reader.problem());
  return means.finish();
}

SpeakerVectors read_speaker_vectors(const std::filesystem::path& path, std::int64_t width) {
  return in_context(cat("reading ", in_quotes(path.native())), [&] {
    return path.extension() == ".json" ? speaker_vectors_in(Blob::map_file(path).text(), width)
                                       : pickled_vectors(path, width);
  });
}

}  // namespace voxport::vits
