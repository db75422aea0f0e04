// Splits a PartiQL statement into tokens.
//
//   identifier := [A-Za-z_$][A-Za-z0-9_$]*    unless it is a keyword, or an operator that is a word; any case
//   quoted     := "..." with "" for a quote
//   string     := '...' with '' for a quote
//   number     := digits [. digits] [e [+-] digits], where one of the two runs of digits may be empty
//   comments   := -- to the end of the line, /* ... */
//
// Tokens carry their positions, because DynamoDB's messages contain them: line, column and length, in characters,
// counted from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trestle {

enum class PartiqlToken : uint8_t {
  kEnd,
  kIdentifier,
  kQuoted,
  kKeyword,
  kOperator,  // a symbol, or one of AND, BETWEEN, IN, IS, LIKE, NOT, OR and the set operators
  kString,
  kNumber,
  kParameter,
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftBag,
  kRightBag,
  kComma,
  kDot,
  kColon,
  kSemicolon,
};

struct PartiqlPosition {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t length = 0;
};

struct PartiqlTokenText {
  PartiqlToken kind = PartiqlToken::kEnd;
  std::string text;  // unquoted; keywords and word operators in lower case
  PartiqlPosition at;
};

// The last token is kEnd. Nothing if the text cannot be tokenized: an unterminated quotation or comment, a character
// that starts no token, or a number whose exponent does not fit in 32 bits.
std::optional<std::vector<PartiqlTokenText>> tokenize_partiql(std::string_view text);

bool is_partiql_keyword(std::string_view lower_case);

}  // namespace trestle
