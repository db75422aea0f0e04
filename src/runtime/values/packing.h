// gzip, for packed fields. Packed bytes are recognised by gzip's magic, 1F 8B. Pure.
#pragma once

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

}  // namespace trestle::runtime
