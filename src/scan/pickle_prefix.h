// What Python's pickle.load() would come to in a file that is not meant to be a pickle.
#pragma once

#include "base/blob.h"

namespace voxport {

// Whether pickle.load() could reach an opcode that imports something before it stops or fails. The
// walk knows the lengths of arguments and the height of the stack, but no values, and it has none
// of the limits of our own pickle reader: where Python may go on, it goes on. False therefore means
// that Python cannot import or call anything.
bool pickle_may_import(Bytes bytes);

}  // namespace voxport
