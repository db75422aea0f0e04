// For tests: bytes as lower-case hexadecimal digits, in the notation of docs/formats.md.
#pragma once

#include <string>
#include <string_view>

namespace trestle {

inline std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4]);
    text.push_back(kDigits[static_cast<unsigned char>(byte) & 15]);
  }
  return text;
}

}  // namespace trestle
