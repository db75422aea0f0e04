#include "api/callers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "base/scratch_folder.h"
#include "base/sha256.h"
#include "runtime/values/plain_json.h"

namespace trestle::api {
namespace {

using runtime::parse_plain_json;
using runtime::Plain;
using runtime::plain_json;

std::string hex_digest(std::string_view key) {
  std::string hex;
  append_hex(hex, sha256(key));
  return hex;
}

TEST(Callers, groups_are_a_list_and_come_from_the_configured_claim_alone) {
  const auto groups = [](std::string_view claims, std::string_view claim) {
    return plain_json(with_groups(*parse_plain_json(claims), claim).member("groups"));
  };
  EXPECT_EQ(groups(R"({"groups":["admin","x"]})", "groups"), R"(["admin","x"])");
  EXPECT_EQ(groups(R"({"groups":"notadmin user"})", "groups"), R"(["notadmin","user"])")
      << "never a text to be searched";
  EXPECT_EQ(groups(R"({"cognito:groups":["a"],"groups":["admin"]})", "cognito:groups"), R"(["a"])");
  EXPECT_EQ(groups(R"({"groups":["admin"]})", "roles"), "[]") << "another claim's groups are not believed";
  EXPECT_EQ(groups(R"({"realm_access":{"roles":["r"]}})", "realm_access.roles"), R"(["r"])");
  EXPECT_EQ(groups(R"({"groups":[1,{"a":2},"x"]})", "groups"), R"(["x"])");
  EXPECT_EQ(groups(R"({})", "groups"), "[]");
}

TEST(ApiKeys, a_file_names_services_by_the_digest_of_their_key) {
  const auto keys =
      ApiKeys::parse(fmt::format("# services\nshop {} admin,service\n\nlog {}\n", hex_digest("k1"), hex_digest("k2")));
  ASSERT_TRUE(keys.has_value()) << keys.error();
  ASSERT_NE(keys->find("k1"), nullptr);
  EXPECT_EQ(keys->find("k1")->name, "shop");
  EXPECT_EQ(keys->find("k1")->groups, (std::vector<std::string>{"admin", "service"}));
  EXPECT_EQ(keys->find("k2")->groups.size(), 0U);
  EXPECT_EQ(keys->find("k3"), nullptr);
  EXPECT_EQ(keys->find(hex_digest("k1")), nullptr) << "the digest is not the key";
  EXPECT_EQ(ApiKeys::parse("shop k1\n").error(),
            "line 1: expected a name, the SHA-256 of the key as 64 hexadecimal digits, and groups");
  EXPECT_EQ(ApiKeys::parse(fmt::format("a {0}\nb {0}\n", hex_digest("k"))).error(),
            "line 2: two names have the same key");
  EXPECT_FALSE(ApiKeys::parse("# nothing\n").has_value());
}

class IdentifyTest : public ::testing::Test {
 protected:
  IdentifyTest() {
    write("shop " + hex_digest("secret") + " service\n");
    auto opened = WatchedFile<ApiKeys>::open(path_);
    EXPECT_TRUE(opened.has_value());
    callers_ = std::make_unique<Callers>(CallerOptions{.jwks = nullptr, .api_keys = std::move(*opened)});
  }
  void write(const std::string& text) { std::ofstream(path_, std::ios::trunc) << text; }
  BasicResult<Plain, Callers::NotAuthenticated> identify(std::vector<HttpHeader> headers) {
    HttpRequest request;
    request.headers = headers;
    return callers_->identify(request, 0);
  }

  ScratchFolder folder_;
  std::string path_ = folder_.path() + "/keys";
  std::unique_ptr<Callers> callers_;
};

TEST_F(IdentifyTest, a_key_names_its_service_and_anything_else_is_401) {
  EXPECT_TRUE(identify({})->is_absent());
  EXPECT_EQ(plain_json(*identify({{"X-Api-Key", "secret"}})), R"({"sub":"shop","groups":["service"]})");
  for (const std::vector<HttpHeader>& headers : {std::vector<HttpHeader>{{"X-Api-Key", "wrong"}},
                                                 {{"x-api-key", ""}},
                                                 {{"Authorization", "Bearer a.b.c"}},
                                                 {{"Authorization", "Basic abc"}},
                                                 {{"Authorization", "Bearer "}},
                                                 {{"Authorization", "Bearer a.b.c"}, {"X-Api-Key", "secret"}}}) {
    const auto result = identify(headers);
    ASSERT_FALSE(result.has_value()) << headers[0].value;
    EXPECT_EQ(result.error().refused.status, 401);
    EXPECT_NE(result.error().challenge.find("Bearer realm=\"trestle\", error=\"invalid_token\""), std::string::npos);
  }
}

TEST_F(IdentifyTest, a_changed_file_is_read_again_and_a_broken_one_is_ignored) {
  const auto accepts = [&](const char* key) { return identify({{"X-Api-Key", key}}).has_value(); };
  ASSERT_TRUE(accepts("secret"));
  write("shop " + hex_digest("new one") + "\n");
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!accepts("new one") && std::chrono::steady_clock::now() < give_up_at) usleep(20'000);
  EXPECT_TRUE(accepts("new one"));
  EXPECT_FALSE(accepts("secret")) << "a withdrawn key stops working";
}

}  // namespace
}  // namespace trestle::api
