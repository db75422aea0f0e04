// An update expression as a document writes it: `ADD blockedCount :inc SET timestampLast = :ts`.
// Its clauses keep their text. `#name` is the attribute of that name, `:name` the input, `let` or step of that name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

enum class Section { kNone, kSet, kRemove, kAdd, kDelete };

struct RawClause {
  Section section = Section::kSet;
  std::string text;                 // "blockedCount :inc"
  std::string attribute;            // the attribute written: the first part of its path, without #
  std::vector<std::string> names;   // "#status", each once
  std::vector<std::string> values;  // ":inc", each once
};

struct RawUpdate {
  std::vector<RawClause> clauses;
  std::string mistake;  // the error in the text; empty: none
};

// Never fails: text that cannot be parsed is left out and reported in `mistake`.
RawUpdate read_raw_update(std::string_view text);

}  // namespace trestle::design
