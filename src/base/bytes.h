// Fixed and variable width integers in byte strings: big endian where order matters, LEB128 varints where size matters.
// Readers take the remaining input by reference and advance it. They return false, with the input unspecified, if it
// ends too early.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace trestle {

inline void append_u32_be(std::string& out, uint32_t v) {
  const char bytes[4] = {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
                         static_cast<char>(v)};
  out.append(bytes, 4);
}

inline void append_u64_be(std::string& out, uint64_t v) {
  append_u32_be(out, static_cast<uint32_t>(v >> 32));
  append_u32_be(out, static_cast<uint32_t>(v));
}

inline uint32_t load_u32_be(const char* p) {
  const auto* b = reinterpret_cast<const unsigned char*>(p);
  return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | uint32_t{b[3]};
}

inline uint64_t load_u64_be(const char* p) { return uint64_t{load_u32_be(p)} << 32 | load_u32_be(p + 4); }

inline void append_varint(std::string& out, uint64_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<char>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<char>(v));
}

[[gnu::noinline]] inline bool read_long_varint(std::string_view& in, uint64_t& v) {
  v = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    v |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

inline bool read_varint(std::string_view& in, uint64_t& v) {
  if (in.size() >= 2) [[likely]] {
    const auto first = static_cast<unsigned char>(in[0]);
    const auto second = static_cast<unsigned char>(in[1]);
    if (first < 0x80) {
      v = first;
      in.remove_prefix(1);
      return true;
    }
    if (second < 0x80) {
      v = (first & 0x7Fu) | uint64_t{second} << 7;
      in.remove_prefix(2);
      return true;
    }
  }
  return read_long_varint(in, v);
}

// Appends a byte string preceded by its length.
inline void append_sized(std::string& out, std::string_view bytes) {
  append_varint(out, bytes.size());
  out.append(bytes);
}

inline bool read_sized(std::string_view& in, std::string_view& bytes) {
  uint64_t size;
  if (!read_varint(in, size) || size > in.size()) return false;
  bytes = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

}  // namespace trestle
