#include "access/identity_policies.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

constexpr std::string_view kAllow = R"({"Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"}})";

std::string with_all(std::string_view rest) {
  return R"({"policies":{"all":)" + std::string(kAllow) + R"(},"groups":{"staff":["all"]},)" + std::string(rest) + "}";
}

TEST(IdentityPolicies, users_have_their_own_policies_and_those_of_their_groups) {
  const auto file = IdentityPolicies::parse(with_all(R"("users":{"alice":{"groups":["staff"],"policies":["all",)" +
                                                     std::string(kAllow) +
                                                     R"(]},"AKIDBOB":{"name":"bob","user_id":"AIDA"},"carol":{}})"));
  ASSERT_TRUE(file.has_value()) << file.error();
  EXPECT_EQ(file->size(), 3u);
  EXPECT_EQ(file->find("AKIDALICE", "alice")->policies.size(), 3u);
  EXPECT_EQ(file->find("AKIDBOB", "alice")->name, "bob") << "a key's own entry comes first";
  EXPECT_EQ(file->find("AKIDBOB", "")->user_id, "AIDA");
  EXPECT_TRUE(file->find("AKIDCAROL", "carol")->policies.empty());
  EXPECT_EQ(file->find("AKIDEVE", "eve"), nullptr);
  EXPECT_EQ(file->find("", ""), nullptr);
}

TEST(IdentityPolicies, unknown_members_are_rejected_with_their_position) {
  const auto error = [](std::string_view text) {
    const auto file = IdentityPolicies::parse(text);
    return file.has_value() ? std::string() : file.error();
  };
  EXPECT_NE(error("{"), "");
  EXPECT_NE(error("[]"), "");
  EXPECT_EQ(error(R"({"users":{"a":{"policies":["all"]}}})"), "user a: there is no policy all");
  EXPECT_EQ(error(R"({"users":{"a":{"groups":["g"]}}})"), "user a: there is no group g");
  EXPECT_EQ(error(R"({"users":{"a":{"polices":[]}}})"), "user a: polices is not known");
  EXPECT_EQ(error(R"({"user":{}})"), "policies: user is not known");
  EXPECT_EQ(error(R"({"users":{"a":{},"a":{}}})"), "users has a twice");
  EXPECT_EQ(error(R"({"groups":{"g":["x"]}})"), "group g: there is no policy x");
  EXPECT_EQ(error(R"({"policies":{"p":{"Statement":{"Effect":"Allow","Action":"*"}}}})"),
            "policy p: Missing required field Resource");
}

}  // namespace
}  // namespace trestle
