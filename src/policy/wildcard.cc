#include "policy/wildcard.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace trestle {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

// The value of a variable; `inside` is the text between ${ and }.
std::optional<std::string> variable_value(std::string_view inside, const AccessContext& context) {
  if (inside == "*" || inside == "?" || inside == "$") return std::string(inside);
  std::optional<std::string_view> default_value;
  if (const size_t comma = inside.find(','); comma != std::string_view::npos) {
    std::string_view text = trimmed(inside.substr(comma + 1), " ");
    if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return std::nullopt;
    default_value = text.substr(1, text.size() - 2);
    inside = inside.substr(0, comma);
  }
  const AccessContext::Entry* entry = context.find(trimmed(inside, " "));
  // A key with several values cannot be used as a variable.
  if (entry != nullptr && !entry->everything && entry->values.size() == 1) {
    const std::string& value = entry->values.front();
    if (std::ranges::any_of(value, is_control)) return std::nullopt;
    return value;
  }
  if (default_value) return std::string(*default_value);
  return std::nullopt;
}

std::optional<std::string> prepare(std::string_view text, const AccessContext* context, bool has_wildcards) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (context != nullptr && c == '$' && i + 1 < text.size() && text[i + 1] == '{') {
      const size_t end = text.find('}', i);
      if (end == std::string_view::npos) return std::nullopt;
      const auto value = variable_value(text.substr(i + 2, end - i - 2), *context);
      if (!value) return std::nullopt;
      out.append(*value);
      i = end;
    } else if (has_wildcards && c == '*') {
      out.push_back(kAnyText);
    } else if (has_wildcards && c == '?') {
      out.push_back(kAnyCharacter);
    } else {
      out.push_back(c);
    }
  }
  return out;
}

// Backtracking to the last * is sufficient: the match of an earlier * never needs to change.
template <class Same>
bool match(std::string_view pattern, std::string_view text, Same same) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == kAnyText) {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == kAnyCharacter || same(pattern[p], text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == kAnyText) ++p;
  return p == pattern.size();
}

// Removes the text up to the next colon from the front and returns it; the sixth part is the rest.
std::optional<std::string_view> take_part(std::string_view& rest, bool is_last) {
  if (is_last) return std::exchange(rest, {});
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view part = rest.substr(0, colon);
  rest.remove_prefix(colon + 1);
  return part;
}

}  // namespace

std::optional<std::string> prepare_pattern(std::string_view pattern, const AccessContext* context) {
  return prepare(pattern, context, true);
}

std::optional<std::string> prepare_text(std::string_view text, const AccessContext* context) {
  return prepare(text, context, false);
}

bool matches(std::string_view prepared, std::string_view text) {
  return match(prepared, text, [](char a, char b) { return a == b; });
}

bool matches_ignoring_case(std::string_view prepared, std::string_view text) {
  return match(prepared, text, [](char a, char b) { return lower(a) == lower(b); });
}

bool matches_arn(std::string_view prepared, std::string_view arn) {
  if (std::ranges::count(prepared, ':') < 5) return matches(prepared, arn);
  for (int part = 0; part < 6; ++part) {
    const auto pattern = take_part(prepared, part == 5);
    const auto text = take_part(arn, part == 5);
    if (!text || !matches(*pattern, *text)) return false;
  }
  return true;
}

bool matches_everything(std::string_view prepared) {
  return !prepared.empty() && std::ranges::all_of(prepared, [](char c) { return c == kAnyText; });
}

}  // namespace trestle
