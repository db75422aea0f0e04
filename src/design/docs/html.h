// Builds HTML. String literals in the program are markup; all other text is escaped.
//
//   page << "<td title=\"" << finding.code << "\">" << finding.message << "</td>";
//
// Markup can only be constructed from literals, at compile time, so text from a design can never become markup. Escaped
// text is safe between tags and inside double-quoted attribute values.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace trestle::design {

struct Markup {
  template <size_t N>
  consteval Markup(const char (&literal)[N]) : text(literal, N - 1) {}  // implicit: literals are markup
  std::string_view text;
};

class Html {
 public:
  Html& operator<<(Markup markup) {
    out_ += markup.text;
    return *this;
  }
  template <class T>
    requires std::same_as<T, std::string> || std::same_as<T, std::string_view>
  Html& operator<<(const T& text) {
    add_text(text);
    return *this;
  }
  template <std::integral T>
    requires(!std::same_as<T, char> && !std::same_as<T, bool>)
  Html& operator<<(T number) {
    out_ += std::to_string(number);
    return *this;
  }
  Html& operator<<(double number);  // one decimal
  Html& operator<<(const Html& other) {
    out_ += other.out_;
    return *this;
  }
  bool empty() const { return out_.empty(); }
  const std::string& str() const { return out_; }

 private:
  void add_text(std::string_view text);
  std::string out_;
};

}  // namespace trestle::design
