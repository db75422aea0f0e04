// Whether a list contains a value: std::ranges::contains(), which libstdc++ 12 lacks.
#pragma once

#include <algorithm>
#include <ranges>

namespace trestle {

template <std::ranges::input_range List, class T>
constexpr bool list_contains(const List& list, const T& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

}  // namespace trestle
