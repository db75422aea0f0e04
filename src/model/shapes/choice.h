// An enumeration of the API: its words on the wire and the value of each in the model. The order of a list is the order
// in which DynamoDB's messages list the words.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace trestle {

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

template <class E, size_t N>
std::string_view choice_name(const Choice<E> (&choices)[N], E value) {
  for (const auto& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return {};
}
// Nothing when the text is none of them.
template <class E, size_t N>
std::optional<E> find_choice(const Choice<E> (&choices)[N], std::string_view text) {
  for (const auto& choice : choices) {
    if (choice.name == text) return choice.value;
  }
  return std::nullopt;
}

}  // namespace trestle
