// gzip compression of packed fields. Packed bytes are recognised by gzip's magic, 1F 8B. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trestle::runtime {

// Limit of the unpacked size, so that a decompression bomb is rejected. No field of an item is larger.
inline constexpr size_t kUnpackedMax = 64 << 20;

std::string pack_bytes(std::string_view bytes);
bool is_packed(std::string_view bytes);
// Nothing if the bytes are damaged or expand beyond kUnpackedMax.
std::optional<std::string> unpack_bytes(std::string_view bytes);

// Decides whether to pack the bytes: if they are more than `over` and packing saves at least the share `saves`. Returns
// the resulting size.
struct Packing {
  bool packed = false;
  size_t original_size = 0;
  size_t storage_size = 0;
};
Packing packing_of(std::string_view bytes, int64_t over, double saves);

}  // namespace trestle::runtime
