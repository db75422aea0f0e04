// Splits a raw update expression, such as `ADD blockedCount :inc SET timestampLast = :ts`, into clauses. `#name` is the
// attribute of that name; `:name` is the input, `let` value or step of that name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

enum class Section { kNone, kSet, kRemove, kAdd, kDelete };

struct RawClause {
  Section section = Section::kSet;
  std::string text;                 // "blockedCount :inc"
  std::string attribute;            // the attribute written: the first part of the path, without #
  std::vector<std::string> names;   // distinct names: "#status"
  std::vector<std::string> values;  // distinct values: ":inc"
};

struct RawUpdate {
  std::vector<RawClause> clauses;
  std::string mistake;  // the first error in the text; empty: none
};

// Never fails. Text that cannot be parsed is skipped and reported in `mistake`.
RawUpdate read_raw_update(std::string_view text);

}  // namespace trestle::design
