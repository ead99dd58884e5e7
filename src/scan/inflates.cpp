#include "scan/inflates.h"

#include <algorithm>
#include <new>

#include <zlib.h>

namespace voxport {

bool inflates(Bytes bytes) {
  constexpr std::size_t kLooked = 1 << 20;
  constexpr int kZlibOrGzip = MAX_WBITS + 32;
  z_stream stream{};
  if (inflateInit2(&stream, kZlibOrGzip) != Z_OK) throw std::bad_alloc();
  Bytef made = 0;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min(bytes.size(), kLooked));
  stream.next_out = &made;
  stream.avail_out = 1;
  inflate(&stream, Z_NO_FLUSH);
  inflateEnd(&stream);
  return stream.avail_out == 0;
}

}  // namespace voxport
