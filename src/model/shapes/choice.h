// An enumeration of the API: the words on the wire, each with its value in the model. Words are listed in the order in
// which DynamoDB's messages list them.
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
// Nothing if the text is not one of the words.
template <class E, size_t N>
std::optional<E> find_choice(const Choice<E> (&choices)[N], std::string_view text) {
  for (const auto& choice : choices) {
    if (choice.name == text) return choice.value;
  }
  return std::nullopt;
}

}  // namespace trestle
