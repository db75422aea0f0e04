#include "expression/lexer.h"

#include "base/ascii.h"
#include "base/utf8.h"

namespace trestle {
namespace {

bool is_part(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

struct Keyword {
  std::string_view text;
  TokenKind kind;
};

constexpr Keyword kKeywords[] = {
    {"and", TokenKind::kAnd}, {"or", TokenKind::kOr},           {"not", TokenKind::kNot},
    {"in", TokenKind::kIn},   {"between", TokenKind::kBetween}, {"set", TokenKind::kSet},
    {"add", TokenKind::kAdd}, {"remove", TokenKind::kRemove},   {"delete", TokenKind::kDelete}};

TokenKind identifier_kind(std::string_view text) {
  for (const Keyword& keyword : kKeywords) {
    if (equals_ignoring_case(text, keyword.text)) return keyword.kind;
  }
  return TokenKind::kIdentifier;
}

TokenKind symbol_kind(char c) {
  switch (c) {
    case '(':
      return TokenKind::kLeftParenthesis;
    case ')':
      return TokenKind::kRightParenthesis;
    case '[':
      return TokenKind::kLeftBracket;
    case ']':
      return TokenKind::kRightBracket;
    case ',':
      return TokenKind::kComma;
    case '.':
      return TokenKind::kDot;
    case '+':
      return TokenKind::kPlus;
    case '-':
      return TokenKind::kMinus;
    case '=':
      return TokenKind::kEqual;
    case '<':
      return TokenKind::kLess;
    case '>':
      return TokenKind::kGreater;
    default:
      return TokenKind::kUnknown;
  }
}

// The length of the first UTF-8 character of `text`.
size_t character_length(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && continues_character(text[length])) ++length;
  return length;
}

template <class Predicate>
size_t run_length(std::string_view text, size_t from, Predicate predicate) {
  while (from < text.size() && predicate(text[from])) ++from;
  return from;
}

// The first token of `text`, which must not be empty or start with whitespace.
Token front_token(std::string_view text) {
  const char c = text[0];
  const auto token = [](TokenKind kind, size_t length) { return Token{kind, 0, static_cast<uint32_t>(length)}; };
  if (is_letter(c)) {
    const size_t length = run_length(text, 1, is_part);
    return token(identifier_kind(text.substr(0, length)), length);
  }
  if (is_digit(c)) return token(TokenKind::kNumber, c == '0' ? 1 : run_length(text, 1, is_digit));
  if (c == '#' || c == ':') {
    const size_t length = run_length(text, 1, is_part);
    if (length == 1) return token(TokenKind::kUnknown, 1);
    return token(c == '#' ? TokenKind::kName : TokenKind::kValue, length);
  }
  if (text.starts_with("<>")) return token(TokenKind::kNotEqual, 2);
  if (text.starts_with("<=")) return token(TokenKind::kLessOrEqual, 2);
  if (text.starts_with(">=")) return token(TokenKind::kGreaterOrEqual, 2);
  const TokenKind kind = symbol_kind(c);
  return token(kind, kind == TokenKind::kUnknown ? character_length(text) : 1);
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 3 + 2);
  for (size_t at = run_length(text, 0, is_space); at < text.size(); at = run_length(text, at, is_space)) {
    Token token = front_token(text.substr(at));
    token.begin = static_cast<uint32_t>(at);
    token.end += static_cast<uint32_t>(at);
    at = token.end;
    tokens.push_back(token);
  }
  const auto end = static_cast<uint32_t>(text.size());
  tokens.push_back({TokenKind::kEnd, end, end});
  return tokens;
}

}  // namespace trestle
