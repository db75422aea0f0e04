// Sets of strings, as key templates make them: literals, characters repeated, choices, one after the other.
//
// This is what lets the checker prove rather than guess: whether two templates can make one string (and which), and
// whether one template can make one string from two different values. A repeat longer than kRepeatExact is kept as
// "at least so many", so an answer "they meet" may rest on lengths that do not occur; "they never meet" is a proof.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

using CharSet = std::bitset<256>;
CharSet chars_between(char first, char last);
CharSet chars_of(std::string_view characters);
CharSet printable_chars();  // every byte but controls

class StringSet {
 public:
  static constexpr size_t kUnbounded = static_cast<size_t>(-1);
  static constexpr size_t kRepeatExact = 80;

  // The set of the empty string alone.
  StringSet() = default;
  static StringSet literal(std::string_view text);
  static StringSet repeat(const CharSet& characters, size_t min, size_t max);
  static StringSet one_of(const std::vector<std::string>& texts);
  static StringSet either(std::vector<StringSet> choices);
  static StringSet anything();

  // This set's strings followed by `next`'s.
  StringSet& then(const StringSet& next);

  bool contains(std::string_view text) const;
  // The longest string, in bytes; kUnbounded if there is none.
  size_t longest() const;

  // A string that is in both sets, a short one; nothing if there is none.
  static std::optional<std::string> common(const StringSet& a, const StringSet& b);

  struct Segment {
    CharSet characters;  // when choices is empty
    size_t min = 1;
    size_t max = 1;
    std::vector<std::vector<Segment>> choices;
  };
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::vector<Segment> segments_;
};

// A string that `parts`, written one after the other, make in two different ways; nothing if there is none, which
// proves that the string can be taken apart again.
std::optional<std::string> ambiguous_string(const std::vector<StringSet>& parts);

}  // namespace trestle::design
