#include "arch/fastspeech2/sequence_mask.h"

#include "graph/ops.h"

namespace voxport::fastspeech2 {

SequenceMask::SequenceMask(std::string_view path, const Value& lengths, const Value& limit,
                           bool its_is_silent)
    : Mask(path, lengths, limit), is_silent(its_is_silent) {}

Value SequenceMask::heard(const Value& x) const { return is_silent ? x * first : x; }

}  // namespace voxport::fastspeech2
