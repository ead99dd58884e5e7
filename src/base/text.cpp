#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "base/join.h"
#include "base/printable.h"

namespace voxport {
namespace {

template <class Number, class... Format>
void append_number(std::string& out, Number number, Format... format) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number, format...).ptr);
}

// The code point of a well-formed UTF-8 sequence.
std::uint32_t code_point_of(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t code_point = byte(0) & (0xffU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) code_point = code_point << 6 | (byte(i) & 0x3f);
  return code_point;
}

struct CodePoints {
  std::uint32_t first, last;
};

// Unicode's controls (Cc), ends of lines and paragraphs (Zl, Zp), and what has no shape of its own
// (Default_Ignorable_Code_Point, interlinear annotations, Egyptian format controls, noncharacters):
// all that acts on text without being seen in it. In order.
constexpr CodePoints kUnseen[] = {
    {0x0000, 0x001f},    // C0 controls
    {0x007f, 0x009f},    // DEL, C1 controls
    {0x00ad, 0x00ad},    // soft hyphen
    {0x034f, 0x034f},    // combining grapheme joiner
    {0x061c, 0x061c},    // Arabic letter mark
    {0x115f, 0x1160},    // Hangul fillers
    {0x17b4, 0x17b5},    // Khmer inherent vowels
    {0x180b, 0x180f},    // Mongolian variation selectors and vowel separator
    {0x200b, 0x200f},    // zero width space, joiners, directional marks
    {0x2028, 0x202e},    // line and paragraph separators, directional embeddings and overrides
    {0x2060, 0x206f},    // word joiner, invisible operators, directional isolates, deprecated
    {0x3164, 0x3164},    // Hangul filler
    {0xfdd0, 0xfdef},    // noncharacters
    {0xfe00, 0xfe0f},    // variation selectors
    {0xfeff, 0xfeff},    // zero width no-break space: the byte order mark
    {0xffa0, 0xffa0},    // halfwidth Hangul filler
    {0xfff0, 0xfffb},    // unassigned, interlinear annotations
    {0x13430, 0x1343f},  // Egyptian hieroglyph format controls
    {0x1bca0, 0x1bca3},  // shorthand format controls
    {0x1d173, 0x1d17a},  // musical beams and slurs
    {0xe0000, 0xe0fff},  // tags, variation selectors
};

bool is_unseen(std::string_view sequence) {
  const std::uint32_t code_point = code_point_of(sequence);
  if ((code_point & 0xfffe) == 0xfffe) return true;  // the last two of each plane: noncharacters
  const auto* const range = std::lower_bound(
      std::begin(kUnseen), std::end(kUnseen), code_point,
      [](const CodePoints& points, std::uint32_t wanted) { return points.last < wanted; });
  return range != std::end(kUnseen) && range->first <= code_point;
}

constexpr char kHex[] = "0123456789abcdef";

void append_json_escape(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[unit >> shift & 15];
}

}  // namespace

void append_part(std::string& out, std::int64_t part) { append_number(out, part); }
void append_part(std::string& out, std::uint64_t part) { append_number(out, part); }
void append_part(std::string& out, double part) {
  append_number(out, part, std::chars_format::general, 6);
}

std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool beyond_unicode = lead == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit) return out + "...";
    const std::size_t length = utf8_sequence(text);
    const std::string_view piece = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && !is_unseen(piece)) {
      out += piece;
    } else {
      for (const char c : piece) {
        const auto byte = static_cast<unsigned char>(c);
        out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      }
    }
    text.remove_prefix(piece.size());
  }
  return out;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  return "'" + printable(text, limit) + "'";
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end), std::string::npos);
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string printable_json(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence(json));
    const std::string_view piece = json.substr(0, length);
    json.remove_prefix(length);
    if (length == 1 ? piece[0] != '\x7f' : !is_unseen(piece)) {
      out += piece;
      continue;
    }
    const std::uint32_t code_point = code_point_of(piece);
    if (code_point >= 0x10000) append_json_escape(out, 0xd7c0 + (code_point >> 10));
    append_json_escape(out, code_point >= 0x10000 ? 0xdc00 | (code_point & 0x3ff) : code_point);
  }
  return out;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return cat("[", join(shape, ", "), "]");
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array kUnits = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return cat(bytes, " B");
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  std::string text;
  append_number(text, value, std::chars_format::fixed, 1);
  return cat(text, " ", kUnits[unit]);
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto put_rest = [&](int shift) {
    for (; shift >= 0; shift -= 6) put(0x80 | (code_point >> shift & 0x3f));
  };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put_rest(0);
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put_rest(6);
  } else {
    put(0xf0 | code_point >> 18);
    put_rest(12);
  }
}

}  // namespace voxport
