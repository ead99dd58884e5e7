// UtteranceLimit: how long an utterance may be, by the memory that it would take.
//
// Attention compares each id with each other, so that the memory of an utterance grows with the
// square of its ids. How fast is found out by the graph that ids go into: the sizes of all values
// in it, by the number of ids, and how many of them are held at once (graph/footprint.h). Frames
// are known when the graph has run; until then an id is taken to last as many as is usual.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "phonemes/phonemiser.h"
#include "phonemes/utterance.h"

namespace voxport {

struct OnnxModel;

class UtteranceLimit {
 public:
  // `max_bytes` is what an utterance may take; 0: two gibibytes, or half of the machine's memory
  // where that is less. `frames_of_id` is how many frames an id lasts, about. The graph is read
  // when an utterance first comes near the limit.
  UtteranceLimit(std::filesystem::path graph, std::uint64_t max_bytes, double frames_of_id);
  ~UtteranceLimit();

  // What an utterance of so many ids takes, everything lasting `lengthening` times as long as it
  // does by itself. An estimate; runs that were measured took 0.7 to 1.1 times as much.
  std::uint64_t bytes_of(std::size_t ids, double lengthening) const;

  // Whether an utterance of so many ids may be spoken.
  bool allows(std::size_t ids, double lengthening) const;
  // Whether it takes so much that many of them at once would be too much for any machine.
  bool is_large(std::size_t ids, double lengthening) const;
  // The most ids that an utterance may have; 0 where not even one is allowed.
  std::size_t most_ids(double lengthening) const;
  // Fails with kUsage, and tells all three figures, unless it allows the utterance.
  void check(std::size_t ids, double lengthening) const;

 private:
  const OnnxModel* model() const;
  bool is_within(std::uint64_t bytes, std::size_t ids, double lengthening) const;

  std::filesystem::path graph_;
  std::uint64_t max_bytes_;
  double frames_of_id_;
  mutable std::once_flag is_read_;
  mutable std::unique_ptr<const OnnxModel> model_;  // null where it cannot be read
};

// The utterances of a sentence. One that is too long for the limit is divided: after a mark between
// clauses, else at a space, else anywhere, as often as it takes, and `was_divided` is set. Fails as
// the phonemiser does; and with kUsage, as check() does, where nothing is left to be divided.
std::vector<Utterance> utterances_within(const UtteranceLimit& limit, double lengthening,
                                         Phonemiser& phonemise, const std::string& sentence,
                                         bool& was_divided);

}  // namespace voxport
