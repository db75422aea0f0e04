#include "exchange/ion_characters.h"
#include "exchange/ion_json.h"

namespace trestle {
namespace {

constexpr size_t kMissing = std::string_view::npos;
constexpr std::string_view kVersionMarker = "$ion_1_0";

// Each function skips a token that begins at `at` and returns its end; kMissing: the end is not in this text.

size_t pass_comment(std::string_view text, size_t at) {
  const bool is_line = text[at + 1] == '/';
  const size_t end = text.find(is_line ? std::string_view("\n") : std::string_view("*/"), at + 2);
  return end == kMissing ? kMissing : end + (is_line ? 1 : 2);
}

size_t pass_quoted(std::string_view text, size_t at) {
  const char mark = text[at];
  const bool is_long = mark == '\'' && text.substr(at, 3) == "'''";
  if (mark == '\'' && !is_long && text.size() < at + 3) return kMissing;  // it may be the beginning of '''
  for (size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (is_long ? text.substr(i, 3) == "'''" : text[i] == mark) {
      return i + (is_long ? 3 : 1);
    }
  }
  return kMissing;
}

// {{ base64 }} or {{ "clob" }}: slashes inside do not start a comment.
size_t pass_lob(std::string_view text, size_t at) {
  for (size_t i = at + 2; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      const size_t end = pass_quoted(text, i);
      if (end == kMissing) return kMissing;
      i = end - 1;
    } else if (text.substr(i, 2) == "}}") {
      return i + 2;
    }
  }
  return kMissing;
}

size_t pass_struct(std::string_view text, size_t at) {
  size_t depth = 0;
  for (size_t i = at; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = pass_quoted(text, i);
    } else if (c == '{' && i + 1 < text.size() && text[i + 1] == '{') {
      i = pass_lob(text, i);
    } else if (c == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*')) {
      i = pass_comment(text, i);
    } else {
      if (c == '{') ++depth;
      ++i;
      if (c == '}' && --depth == 0) return i;
    }
    if (i == kMissing) return kMissing;
  }
  return kMissing;
}

}  // namespace

IonScanner::Found IonScanner::find(std::string_view text, bool is_all) {
  start_ = 0;
  while (true) {
    while (start_ < text.size() && is_ion_space(text[start_])) ++start_;
    end_ = start_;
    const std::string_view rest = text.substr(start_);
    if (rest.empty()) return Found::kNothing;
    if (!is_all && rest.size() < kVersionMarker.size() + 1) return Found::kMore;
    if (rest.front() == '{' && !rest.starts_with("{{")) {
      const size_t end = pass_struct(text, start_);
      if (end == kMissing) return is_all ? Found::kNoStruct : Found::kMore;
      end_ = end;
      return Found::kValue;
    }
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      const size_t end = pass_comment(text, start_);
      if (end == kMissing && !is_all) return Found::kMore;
      if (end == kMissing && rest[1] == '*') return Found::kNoStruct;
      start_ = end == kMissing ? text.size() : end;
    } else if (rest.starts_with(kVersionMarker) &&
               (rest.size() == kVersionMarker.size() || !is_identifier(rest[kVersionMarker.size()]))) {
      start_ += kVersionMarker.size();
    } else {
      return Found::kNoStruct;
    }
  }
}

}  // namespace trestle
