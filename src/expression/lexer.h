// Splits an expression into tokens. Cannot fail: a character that starts no token is a token of its own, which no
// grammar accepts, so the parser reports it where it stands.
//
//   identifier := [A-Za-z_][A-Za-z0-9_]*     a keyword where the grammar has it, in any case
//   name       := '#' [A-Za-z0-9_]+
//   value      := ':' [A-Za-z0-9_]+
//   number     := [0-9]+
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace trestle {

enum class Grammar : uint8_t { kCondition, kProjection, kUpdate };

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kName,
  kValue,
  kNumber,
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBracket,
  kRightBracket,
  kComma,
  kDot,
  kPlus,
  kMinus,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  // Keywords of conditions.
  kAnd,
  kOr,
  kNot,
  kBetween,
  kIn,
  // Keywords of updates.
  kSet,
  kRemove,
  kAdd,
  kDelete,
  kUnknown,
};

struct Token {
  TokenKind kind;
  uint32_t begin;
  uint32_t end;
};

// The last token is kEnd.
std::vector<Token> tokenize(std::string_view text, Grammar grammar);

}  // namespace trestle
