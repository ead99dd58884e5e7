// Pickles in a few words: each function returns the opcodes that put a value on the stack.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace voxport::pickled {

inline std::string text(std::string_view value) {
  std::string length(4, '\0');
  for (std::size_t i = 0; i < length.size(); ++i)
    length[i] = static_cast<char>(value.size() >> (8 * i));
  return "X" + length + std::string(value);
}

inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

inline std::string stack_global(std::string_view module, std::string_view name) {
  return text(module) + text(name) + "\x93";
}

inline std::string tuple(std::initializer_list<std::string> items) {
  std::string pickle = "(";
  for (const std::string& item : items) pickle += item;
  return pickle + "t";
}

inline std::string list(std::initializer_list<std::string> items) {
  std::string pickle = "](";
  for (const std::string& item : items) pickle += item;
  return pickle + "e";
}

inline std::string dict(std::initializer_list<std::pair<std::string, std::string>> items) {
  std::string pickle = "}(";
  for (const auto& [key, value] : items) pickle += key + value;
  return pickle + "u";
}

inline std::string reduce(const std::string& callee, std::initializer_list<std::string> args) {
  return callee + tuple(args) + "R";
}

inline std::string reduce(const std::string& callee, const std::string& arg) {
  return reduce(callee, {arg});
}

inline std::string new_object(std::string_view module, std::string_view name) {
  return global(module, name) + ")\x81";
}

inline std::string build(const std::string& object, const std::string& state) {
  return object + state + "b";
}

inline std::string put(char index) { return std::string("q") + index; }
inline std::string get(char index) { return std::string("h") + index; }

inline std::string number(int value) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(static_cast<unsigned>(value) >> (8 * i));
  return "J" + bytes;
}

// With its PROTO, unless that is 0, and its STOP.
inline std::string whole(const std::string& value, char protocol = 2) {
  return (protocol == 0 ? std::string() : std::string("\x80") + protocol) + value + ".";
}

// A tensor of two floats, of a storage that a loader would have to find.
inline std::string tensor(const std::string& hooks) {
  const std::string storage =
      tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), number(2)}) +
      "Q";
  return reduce(global("torch._utils", "_rebuild_tensor_v2"),
                {storage, number(0), tuple({number(2)}), tuple({number(1)}), "\x89", hooks});
}

// What follows numpy.dtype(code) for numbers, with flags.
inline std::string numpy_dtype_state(int flags) {
  return tuple({number(3), text("<"), "N", "N", "N", number(-1), number(-1), number(flags)});
}

inline std::string numpy_dtype(std::string_view code, int flags) {
  return build(reduce(global("numpy", "dtype"), {text(code), "\x89", "\x88"}),
               numpy_dtype_state(flags));
}

// Of one field, at byte 0 of 8.
inline std::string numpy_struct(const std::string& field) {
  return build(
      reduce(global("numpy", "dtype"), {text("V8"), "\x89", "\x88"}),
      tuple({number(3), text("|"), "N", tuple({text("a")}),
             dict({{text("a"), tuple({field, number(0)})}}), number(8), number(1), number(63)}));
}

// Of one element.
inline std::string numpy_array(const std::string& dtype, const std::string& data) {
  return build(reduce(global("numpy.core.multiarray", "_reconstruct"),
                      {global("numpy", "ndarray"), tuple({number(0)}),
                       "C\x01"
                       "b"}),
               tuple({number(1), tuple({number(1)}), dtype, "\x89", data}));
}

}  // namespace voxport::pickled
