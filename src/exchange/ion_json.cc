#include "exchange/ion_json.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "exchange/ion_characters.h"
#include "protocol/json/json_output.h"

namespace trestle {
namespace {

// Greater than DynamoDB's limit, so that a document that is nested too deeply gets DynamoDB's own message.
constexpr size_t kDepthMax = 64;

using Done = BasicResult<void, std::string>;
template <class T>
using Read = BasicResult<T, std::string>;

class IonParser {
 public:
  IonParser(std::string_view text, std::string& out) : text_(text), json_(out) {}

  Done record() {
    skip();
    if (!take('{')) return fail("a struct is expected");
    json_.begin_object();
    TRY(fields([this](const std::string& name) -> Done {
      if (name != "Item") {
        std::string ignored;
        IonParser other(text_, ignored);
        other.at_ = at_;
        TRY(other.value(1));
        at_ = other.at_;
        return {};
      }
      if (peek() != '{') return fail("Item is not a struct");
      ++at_;
      json_.key("Item");
      return map(1);
    }));
    json_.end_object();
    skip();
    if (at_ != text_.size()) return fail("the struct is followed by other text");
    return {};
  }

 private:
  std::unexpected<std::string> fail(std::string_view why) const {
    return std::unexpected(fmt::format("The record cannot be read as Ion: {} at {}", why, at_));
  }

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // Skips space and comments.
  void skip() {
    while (at_ < text_.size()) {
      if (is_ion_space(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '/' && (peek(1) == '/' || peek(1) == '*')) {
        const bool is_line = peek(1) == '/';
        const size_t end = text_.find(is_line ? std::string_view("\n") : std::string_view("*/"), at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + (is_line ? 1 : 2);
      } else {
        return;
      }
    }
  }

  // Reads the fields of a struct after its opening brace; `field` reads each value, before which space has been
  // skipped.
  template <class Field>
  Done fields(Field field) {
    skip();
    if (take('}')) return {};
    while (true) {
      TRY_INTO(const std::string name, field_name());
      skip();
      if (!take(':')) return fail("a colon is expected");
      skip();
      TRY(field(name));
      skip();
      if (take(',')) {
        skip();
        if (take('}')) return {};
        continue;
      }
      if (take('}')) return {};
      return fail("a comma or brace is expected");
    }
  }

  Read<std::string> field_name() {
    if (peek() == '"' || text_.substr(at_).starts_with("'''")) return string();
    if (peek() == '\'') return quoted('\'');
    return identifier();
  }

  Read<std::string> identifier() {
    if (!is_identifier_start(peek())) return fail("a name is expected");
    const size_t start = at_;
    while (is_identifier(peek())) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    // $10 refers to a symbol by its number in a symbol table, which text does not have.
    if (name.size() > 1 && name[0] == '$' && name.find_first_not_of("0123456789", 1) == name.npos) {
      return fail("a symbol is referred to by its number");
    }
    return std::string(name);
  }

  // Converts a struct after its opening brace to {"name": value, ...}.
  Done map(size_t depth) {
    json_.begin_object();
    TRY(fields([&](const std::string& name) -> Done {
      json_.key_escaped(name);
      return value(depth);
    }));
    json_.end_object();
    return {};
  }

  Done value(size_t depth) {
    if (depth > kDepthMax) return fail("it is nested too deeply");
    TRY_INTO(const std::string annotation, annotations());
    json_.begin_object();
    if (!annotation.empty()) {
      TRY(set(annotation));
    } else {
      TRY(plain_value(depth));
    }
    json_.end_object();
    return {};
  }

  // The only annotation that a value may have: name::
  Read<std::string> annotations() {
    const size_t start = at_;
    if (!is_identifier_start(peek()) && peek() != '\'') return std::string();
    if (text_.substr(at_).starts_with("'''")) return std::string();
    std::string name;
    if (peek() == '\'') {
      TRY_INTO(name, quoted('\''));
    } else {
      while (is_identifier(peek())) name += text_[at_++];
    }
    skip();
    if (!take("::")) {
      at_ = start;
      return std::string();
    }
    skip();
    return name;
  }

  Done set(const std::string& annotation) {
    constexpr std::string_view kPrefix = "$dynamodb_";
    const std::string_view type = std::string_view(annotation).starts_with(kPrefix)
                                      ? std::string_view(annotation).substr(kPrefix.size())
                                      : std::string_view();
    if (type != "SS" && type != "NS" && type != "BS") return fail("the annotation is not one of DynamoDB's");
    if (!take('[')) return fail("a set is not a list");
    json_.key(type).begin_array();
    TRY(elements([&]() -> Done {
      if (type == "NS") return number_text();
      if (type == "BS") return blob_text();
      TRY_INTO(const std::string text, string());
      json_.string(text);
      return {};
    }));
    json_.end_array();
    return {};
  }

  // Reads the elements of a list after its opening bracket.
  template <class Element>
  Done elements(Element element) {
    skip();
    if (take(']')) return {};
    while (true) {
      TRY(element());
      skip();
      if (take(',')) {
        skip();
        if (take(']')) return {};
        continue;
      }
      if (take(']')) return {};
      return fail("a comma or bracket is expected");
    }
  }

  Done plain_value(size_t depth) {
    const char c = peek();
    if (c == '"' || text_.substr(at_).starts_with("'''")) {
      TRY_INTO(const std::string text, string());
      json_.member("S", text);
      return {};
    }
    if (is_digit(c) || c == '-') {
      json_.key("N");
      return number_text();
    }
    if (c == '{' && peek(1) == '{') {
      json_.key("B");
      return blob_text();
    }
    if (take('{')) {
      json_.key("M");
      return map(depth + 1);
    }
    if (take('[')) {
      json_.key("L").begin_array();
      TRY(elements([&] { return value(depth + 1); }));
      json_.end_array();
      return {};
    }
    if (!is_identifier_start(c)) return fail("a value is expected");
    TRY_INTO(const std::string word, identifier());
    if (word == "null") {
      if (take('.')) TRY(identifier());
      json_.member("NULL", true);
    } else if (word == "true" || word == "false") {
      json_.member("BOOL", word == "true");
    } else {
      return fail("a symbol is not a value");
    }
    return {};
  }

  // Reads 12, 1.5, 1., 1_000, 12d-3 or 1e3, and writes it as DynamoDB writes numbers in JSON.
  Done number_text() {
    std::string digits;
    if (take('-')) digits += '-';
    const size_t first = at_;
    const auto take_digits = [&] {
      while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) {
        if (text_[at_] != '_') digits += text_[at_];
        ++at_;
      }
    };
    if (!is_digit(peek())) return fail("a number is expected");
    take_digits();
    if (at_ - first == 1 && (peek() == 'x' || peek() == 'X' || peek() == 'b' || peek() == 'B')) {
      return fail("an integer must be decimal");
    }
    if (take('.')) {
      const size_t point = digits.size();
      digits += '.';
      take_digits();
      if (digits.size() == point + 1) digits.pop_back();
    }
    if (peek() == 'd' || peek() == 'D' || peek() == 'e' || peek() == 'E') {
      ++at_;
      digits += 'E';
      if (peek() == '+' || peek() == '-') digits += text_[at_++];
      if (!is_digit(peek())) return fail("an exponent is expected");
      take_digits();
    }
    if (is_identifier(peek()) || peek() == '-' || peek() == ':' || peek() == '.') {
      return fail("a number does not end, or it is a timestamp");
    }
    json_.string(digits);
    return {};
  }

  // {{ base64 }}
  Done blob_text() {
    if (!take("{{")) return fail("a blob is expected");
    std::string text;
    while (at_ < text_.size() && text_[at_] != '}') {
      const char c = text_[at_++];
      if (is_ion_space(c)) continue;
      if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '+' && c != '/' && c != '=') {
        return fail("a blob is not base64");
      }
      text += c;
    }
    if (!take("}}")) return fail("a blob does not end");
    json_.string(text);
    return {};
  }

  // "..." or a run of '''...'''.
  Read<std::string> string() {
    if (peek() == '"') return quoted('"');
    if (!text_.substr(at_).starts_with("'''")) return fail("a string is expected");
    std::string out;
    while (take("'''")) {
      while (!text_.substr(at_).starts_with("'''")) {
        if (at_ >= text_.size()) return fail("a string does not end");
        TRY(character(out));
      }
      at_ += 3;
      skip();
    }
    return out;
  }

  Read<std::string> quoted(char mark) {
    std::string out;
    ++at_;
    while (!take(mark)) {
      if (at_ >= text_.size() || text_[at_] == '\n') return fail("a string does not end");
      TRY(character(out));
    }
    return out;
  }

  Done character(std::string& out) {
    const char c = text_[at_++];
    if (c != '\\') {
      out += c;
      return {};
    }
    const char escaped = peek();
    ++at_;
    constexpr std::string_view kNames = "0abtnfrv\"'?\\/";
    constexpr std::string_view kValues{"\0\a\b\t\n\f\r\v\"'?\\/", 13};
    if (const size_t known = kNames.find(escaped); escaped != '\0' && known != kNames.npos) {
      out += kValues[known];
      return {};
    }
    switch (escaped) {
      case '\r':
        take('\n');
        return {};
      case '\n':
        return {};
      case 'x':
        return code_point(2, out);
      case 'u':
        return code_point(4, out);
      case 'U':
        return code_point(8, out);
      default:
        return fail("an escape is unknown");
    }
  }

  Read<uint32_t> hexadecimal(size_t digits) {
    uint32_t value = 0;
    for (size_t i = 0; i < digits; ++i) {
      const char c = peek();
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return fail("an escape has no digits");
      value = value << 4 | static_cast<uint32_t>(digit);
      ++at_;
    }
    return value;
  }

  Done code_point(size_t digits, std::string& out) {
    TRY_INTO(uint32_t code, hexadecimal(digits));
    if (code >= 0xD800 && code <= 0xDBFF && take("\\u")) {
      TRY_INTO(const uint32_t low, hexadecimal(4));
      if (low < 0xDC00 || low > 0xDFFF) return fail("half of a pair of surrogates is missing");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return fail("an escape is not a character");
    append_utf8(out, code);
    return {};
  }

  const std::string_view text_;
  size_t at_ = 0;
  JsonOutput json_;
};

}  // namespace

BasicResult<void, std::string> ion_to_json(std::string_view ion, std::string& out) {
  return IonParser(ion, out).record();
}

}  // namespace trestle
