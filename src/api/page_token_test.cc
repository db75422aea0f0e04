#include "api/page_token.h"

#include <gtest/gtest.h>

namespace trestle::api {
namespace {

PageBinding binding() {
  return {.design = "site-catalog", .version = 1, .operation = "sites", .caller = "ann", .inputs = R"({"tag":"x"})"};
}

TEST(PageToken, a_sealed_token_can_be_opened) {
  const PageTokens tokens({"secret"});
  const std::string position("after\0this", 10);
  EXPECT_EQ(tokens.open(tokens.seal(position, binding()), binding()), position);
}

TEST(PageToken, no_character_of_a_token_can_be_changed) {
  const PageTokens tokens({"secret"});
  const std::string token = tokens.seal("position of the last item", binding());
  for (size_t i = 0; i < token.size(); ++i) {
    std::string altered = token;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(tokens.open(altered, binding()), std::nullopt) << i;
  }
  for (const std::string& other :
       {std::string(), token + "A", token.substr(1), token.substr(0, 20), std::string(20'000, 'A')})
    EXPECT_EQ(tokens.open(other, binding()), std::nullopt);
}

TEST(PageToken, a_token_belongs_to_its_list_its_inputs_and_its_caller) {
  const PageTokens tokens({"secret"});
  const std::string token = tokens.seal("p", binding());
  PageBinding other = binding();
  other.design = "authz";
  EXPECT_EQ(tokens.open(token, other), std::nullopt);
  (other = binding()).version = 2;
  EXPECT_EQ(tokens.open(token, other), std::nullopt);
  (other = binding()).operation = "sitesByTag";
  EXPECT_EQ(tokens.open(token, other), std::nullopt);
  (other = binding()).caller = "bob";
  EXPECT_EQ(tokens.open(token, other), std::nullopt);
  (other = binding()).inputs = R"({"tag":"y"})";
  EXPECT_EQ(tokens.open(token, other), std::nullopt);
}

TEST(PageToken, after_a_rotation_old_tokens_open_and_new_ones_are_the_new_keys) {
  const PageTokens before({"old"});
  const PageTokens after({"new", "old"});
  EXPECT_EQ(after.open(before.seal("p", binding()), binding()), "p");
  EXPECT_EQ(before.open(after.seal("p", binding()), binding()), std::nullopt);
}

}  // namespace
}  // namespace trestle::api
