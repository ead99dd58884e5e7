#include "graph/line.h"

#include "graph/print.h"

namespace voxport {

Type read_type(Line& line) {
  const std::string_view word = line.until("[");
  const auto dtype = dtype_of_short_name(word);
  if (!dtype) fail(Error::kCorrupt, in_quotes(word), " is no element type");
  Type type;
  type.dtype = *dtype;
  line.expect("[");
  if (line.accept("?]")) return type;
  type.shape.emplace();
  if (line.accept("]")) return type;
  std::string size;
  int depth = 0;  // commas inside brackets belong to their size
  while (true) {
    size += line.until(",]()");
    if (line.accept("(")) {
      ++depth;
      size += "(";
    } else if (line.accept(")")) {
      --depth;
      size += ")";
    } else if (depth > 0 && line.accept(",")) {
      size += ",";
    } else {
      type.shape->push_back(Dim::parse(size));
      size.clear();
      if (line.accept("]")) return type;
      line.expect(",");
    }
  }
}

}  // namespace voxport
