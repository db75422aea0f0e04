// gzip, for packed fields. Packed bytes are recognised by gzip's magic, 1F 8B. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trestle::runtime {

// Limit of the unpacked size: no field of an item is larger, and a decompression bomb is rejected.
inline constexpr size_t kUnpackedMax = 64 << 20;

std::string packed(std::string_view bytes);
bool is_packed(std::string_view bytes);
// Nothing if it is damaged or grows beyond kUnpackedMax.
std::optional<std::string> unpacked(std::string_view bytes);

// Whether bytes of more than `over` are worth packing, which must save the share `saves`, and what they come to.
struct Packing {
  bool packed = false;
  size_t original_size = 0;
  size_t storage_size = 0;
};
Packing packing_of(std::string_view bytes, int64_t over, double saves);

}  // namespace trestle::runtime
