// Splits an expression into tokens. Cannot fail: a character that starts no token becomes a token that no grammar
// accepts, so the parser reports it with its position.
//
//   identifier := [A-Za-z][A-Za-z0-9_]*      nine of them are keywords, in any case and in every grammar
//   name       := '#' [A-Za-z0-9_]+
//   value      := ':' [A-Za-z0-9_]+
//   number     := 0 | [1-9][0-9]*
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace trestle {

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
  // Keywords.
  kAnd,
  kOr,
  kNot,
  kBetween,
  kIn,
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
std::vector<Token> tokenize(std::string_view text);

}  // namespace trestle
