// Whether bytes are a compressed stream to zlib.
#pragma once

#include "base/blob.h"

namespace voxport {

// True when zlib, told to expect a zlib or gzip stream, makes at least one byte of these.
bool inflates(Bytes bytes);

}  // namespace voxport
