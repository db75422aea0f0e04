// gzip, for packed fields. Packed bytes begin with gzip's magic, 1F 8B, by which they are known again. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle::runtime {

// What a packed value may grow to when it is opened: no item's field is larger, and a bomb is refused.
inline constexpr size_t kUnpackedMax = 64 << 20;

std::string packed(std::string_view bytes);
bool is_packed(std::string_view bytes);
// Nothing if it is damaged or grows beyond kUnpackedMax.
std::optional<std::string> unpacked(std::string_view bytes);

}  // namespace trestle::runtime
