#include "expression/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trestle {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> found;
  for (const Token& token : tokenize(text)) found.emplace_back(text.substr(token.begin, token.end - token.begin));
  return found;
}

std::vector<TokenKind> kinds(std::string_view text) {
  std::vector<TokenKind> found;
  for (const Token& token : tokenize(text)) found.push_back(token.kind);
  return found;
}

TEST(Lexer, splits_without_needing_space) {
  EXPECT_THAT(texts("a.b[10]<=:v AND#n<>c"),
              ElementsAre("a", ".", "b", "[", "10", "]", "<=", ":v", "AND", "#n", "<>", "c", ""));
}

TEST(Lexer, keywords_are_in_any_case_and_in_every_grammar) {
  EXPECT_THAT(kinds("And oR not between in Set remove add delete"),
              ElementsAre(TokenKind::kAnd, TokenKind::kOr, TokenKind::kNot, TokenKind::kBetween, TokenKind::kIn,
                          TokenKind::kSet, TokenKind::kRemove, TokenKind::kAdd, TokenKind::kDelete, TokenKind::kEnd));
}

TEST(Lexer, a_word_that_starts_like_a_keyword_is_a_name) {
  EXPECT_THAT(kinds("android index"), ElementsAre(TokenKind::kIdentifier, TokenKind::kIdentifier, TokenKind::kEnd));
}

TEST(Lexer, placeholders_may_start_with_digits_but_need_a_character) {
  EXPECT_THAT(kinds("#4g :0 #_ # :"), ElementsAre(TokenKind::kName, TokenKind::kValue, TokenKind::kName,
                                                  TokenKind::kUnknown, TokenKind::kUnknown, TokenKind::kEnd));
}

TEST(Lexer, a_number_has_no_leading_zero) { EXPECT_THAT(texts("01 10"), ElementsAre("0", "1", "10", "")); }

TEST(Lexer, a_name_does_not_start_with_an_underscore) { EXPECT_THAT(texts("_id"), ElementsAre("_", "id", "")); }

TEST(Lexer, an_unknown_character_is_one_token_however_many_bytes) {
  EXPECT_THAT(texts("ü!\xE2\x82\xAC"), ElementsAre("ü", "!", "\xE2\x82\xAC", ""));
  EXPECT_THAT(kinds("ü"), ElementsAre(TokenKind::kUnknown, TokenKind::kEnd));
}

}  // namespace
}  // namespace trestle
