#include "base/text.h"

#include <array>
#include <charconv>

namespace voxport {
namespace {

template <class Number, class... Format>
void append_number(std::string& out, Number number, Format... format) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number, format...).ptr);
}

bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  // C1 controls (U+0080..U+009F), and the marks that turn the direction of writing around.
  if (sequence.size() == 2) return first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
  return sequence >= "\u202a" && sequence <= "\u202e";
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
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit) return out + "...";
    const std::size_t length = utf8_sequence(text);
    const std::string_view piece = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && !is_control(piece)) {
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

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) out += ", ";
    out += std::to_string(shape[i]);
  }
  return out + "]";
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
