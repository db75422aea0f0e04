#include "design/language/raw_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "design/language/word.h"

namespace trestle::design {
namespace {

std::optional<Section> section_of(std::string_view word) {
  std::string upper(word);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  if (upper == "SET") return Section::kSet;
  if (upper == "REMOVE") return Section::kRemove;
  if (upper == "ADD") return Section::kAdd;
  if (upper == "DELETE") return Section::kDelete;
  return std::nullopt;
}

void add_once(std::vector<std::string>& list, std::string_view name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.emplace_back(name);
}

RawClause clause_of(Section section, std::string_view text) {
  RawClause clause{.section = section, .text = std::string(text)};
  for (size_t i = 0; i < text.size();) {
    const bool marked = text[i] == '#' || text[i] == ':';
    size_t end = i + (marked ? 1 : 0);
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (marked && word.size() > 1) add_once(text[i] == '#' ? clause.names : clause.values, word);
    if (i == 0) clause.attribute = std::string(text[0] == '#' ? word.substr(1) : word);
    i = std::max(end, i + 1);
  }
  return clause;
}

}  // namespace

RawUpdate read_raw_update(std::string_view text) {
  RawUpdate result;
  std::optional<Section> section;
  size_t start = 0;
  int depth = 0;
  const auto close = [&](size_t end) {
    const std::string_view clause = trim(text.substr(start, end - start));
    if (!section) {
      if (!clause.empty() && result.mistake.empty())
        result.mistake = fmt::format("`{}` is not preceded by SET, REMOVE, ADD or DELETE", clause);
    } else if (clause.empty()) {
      if (result.mistake.empty()) result.mistake = "a clause is empty";
    } else {
      result.clauses.push_back(clause_of(*section, clause));
      if (result.clauses.back().attribute.empty() && result.mistake.empty())
        result.mistake = fmt::format("`{}` does not begin with an attribute", clause);
    }
  };
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) {
      close(i);
      start = i + 1;
    }
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const bool apart = i == 0 || std::isspace(static_cast<unsigned char>(text[i - 1])) != 0;
    const auto word = apart && depth == 0 ? section_of(text.substr(i, end - i)) : std::nullopt;
    if (word) {
      if (section || i > 0) close(i);
      section = word;
      start = end;
    }
    i = end;
  }
  close(text.size());
  if (depth != 0 && result.mistake.empty()) result.mistake = "a parenthesis is not closed";
  if (result.clauses.empty() && result.mistake.empty()) result.mistake = "it changes nothing";
  return result;
}

}  // namespace trestle::design
