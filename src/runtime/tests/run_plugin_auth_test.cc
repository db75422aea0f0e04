// The plugin-auth design, operation by operation, on the engine.
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "runtime/design_world_for_test.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

constexpr const char* kPluginAuthTable = "form-bridge-plugin-auth";

class PluginAuth : public testing::Test {
 protected:
  Reply register_site(const std::string& domain, const std::string& ip, const std::string& more = "") {
    return world.call("registerSite",
                      fmt::format(R"({{"domain":"{}","wp_version":"6.4","plugin_version":"1.0","client_ip":"{}"{}}})",
                                  domain, ip, more));
  }
  Reply exchange(const std::string& temp_key) {
    const int address = ++exchanges_;
    return world.call("exchangeKey", fmt::format(R"({{"temp_key":"{}","client_ip":"10.2.{}.{}"}})", temp_key,
                                                 address / 200, address % 200 + 1));
  }
  struct Site {
    std::string id, key;
  };
  Site site(const std::string& domain, const std::string& more = "") {
    const auto registered = register_site(domain, fmt::format("10.1.{}.{}", ips_ / 200, ips_ % 200 + 1), more);
    ++ips_;
    EXPECT_EQ(registered.status, 200) << registered.message;
    const auto result = exchange(registered.text("temp_key"));
    EXPECT_EQ(result.status, 200) << result.message;
    return {result.text("site_id"), result.text("api_key")};
  }
  Reply validate(const std::string& key, const std::string& ip = "10.9.9.9") {
    return world.call("validateKey",
                      fmt::format(R"({{"api_key":"{}","client_ip":"{}","request_type":"api"}})", key, ip));
  }
  static std::string of(const std::string& site_id) { return fmt::format(R"({{"site_id":"{}"}})", site_id); }
  int ips_ = 0;
  std::atomic<int> exchanges_ = 0;  // each is made from a different address
  DesignWorld world{"plugin-auth"};
};

TEST_F(PluginAuth, a_registration_is_exchanged_once_and_shows_its_secrets_once) {
  const auto registered = register_site("Example.com", "10.0.0.1");
  ASSERT_EQ(registered.status, 200) << registered.message;
  EXPECT_EQ(registered.text("expires_at"), "2026-01-15T13:00:00Z");
  EXPECT_EQ(world.walk("pendingRegistrations", "{}", 5).size(), 1u);
  const auto listed = world.walk("registrationsOfDomain", R"({"domain":"example.com"})", 5);
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_TRUE(listed[0].member("temp_key").is_absent());
  const auto exchanged = exchange(registered.text("temp_key"));
  ASSERT_EQ(exchanged.status, 200) << exchanged.message;
  EXPECT_EQ(exchange(registered.text("temp_key")).status, 409);
  EXPECT_EQ(exchange(std::string(32, 'A')).status, 404);
  EXPECT_EQ(world.walk("pendingRegistrations", "{}", 5).size(), 0u);
  const auto creds = world.walk("credentialsOfDomain", R"({"domain":"example.com"})", 5);
  ASSERT_EQ(creds.size(), 1u);
  EXPECT_TRUE(creds[0].member("webhook_secret").is_absent());
  const std::string sealed =
      world.attribute(kPluginAuthTable, "SITE#example.com", "CREDS#" + exchanged.text("site_id"), "webhook_secret");
  EXPECT_FALSE(sealed.empty());
  EXPECT_EQ(sealed.find(exchanged.text("webhook_secret")), std::string::npos);
  EXPECT_EQ(world.ok("siteById", of(exchanged.text("site_id")))["item"].member("domain").string(), "example.com");
  EXPECT_EQ(
      world.ok("registrationByTempKey", fmt::format(R"({{"temp_key":"{}"}})", registered.text("temp_key")))["item"]
          .member("status")
          .string(),
      "active");
}

TEST_F(PluginAuth, an_expired_registration_is_gone) {
  const auto registered = register_site("a.com", "10.0.0.1");
  world.clock.advance_ms(3'601'000);
  EXPECT_EQ(exchange(registered.text("temp_key")).status, 410);
  EXPECT_EQ(world.walk("registrationsOfDomain", R"({"domain":"a.com"})", 5).size(), 0u);
  EXPECT_EQ(world.walk("pendingRegistrations", "{}", 5).size(), 0u);
}

TEST_F(PluginAuth, five_registrations_of_an_address_in_five_minutes) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(register_site(fmt::format("a{}.com", i), "10.0.0.1").status, 200) << i;
    world.clock.advance_ms(30'000);
  }
  const auto refused = register_site("b.com", "10.0.0.1");
  EXPECT_EQ(refused.status, 429);
  // It is 12:02:30. The first slice, of 12:00, leaves the window at 12:05.
  EXPECT_EQ(refused.retry_after_s, 150);
  EXPECT_EQ(register_site("b.com", "10.0.0.2").status, 200);
  world.clock.advance_ms(refused.retry_after_s * 1000);
  EXPECT_EQ(register_site("b.com", "10.0.0.1").status, 200);
}

TEST_F(PluginAuth, of_two_exchanges_of_one_key_one_wins) {
  for (int round = 0; round < 10; ++round) {
    const auto registered = register_site(fmt::format("r{}.com", round), fmt::format("10.2.0.{}", round + 1));
    std::atomic<int> won{0}, lost{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const int status = exchange(registered.text("temp_key")).status;
        if (status == 200) ++won;
        if (status == 409) ++lost;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 3);
    EXPECT_EQ(world.walk("credentialsOfDomain", fmt::format(R"({{"domain":"r{}.com"}})", round), 5).size(), 1u);
  }
}

TEST_F(PluginAuth, a_key_is_validated_counted_limited_and_refused) {
  const Site one = site("a.com");
  const auto valid = validate(one.key);
  ASSERT_EQ(valid.status, 200) << valid.message;
  EXPECT_EQ(valid.text("site_id"), one.id);
  EXPECT_EQ(valid.text("domain"), "a.com");
  EXPECT_EQ(valid.text("rate_limit_remaining"), "999");
  EXPECT_EQ(validate(one.key).text("rate_limit_remaining"), "998");
  EXPECT_EQ(world.ok("siteById", of(one.id))["item"].member("request_count").string(), "2");
  EXPECT_EQ(validate("unknown").status, 401);
  EXPECT_EQ(world.walk("securityEvents", R"({"event_type":"auth_failure"})", 5).size(), 1u);
  world.clock.advance_ms(60'000);
  EXPECT_EQ(validate(one.key).text("rate_limit_remaining"), "997");
  const auto rate = world.ok("siteRate", of(one.id));
  EXPECT_EQ(rate.text("total"), "3");
  EXPECT_EQ(rate["windows"].elements().size(), 2u);
  for (int i = 0; i < 997; ++i) ASSERT_EQ(validate(one.key).status, 200) << i;
  const auto limited = validate(one.key);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.retry_after_s, 3600 - 60);
  EXPECT_EQ(world.walk("securityEvents", R"({"event_type":"rate_limit"})", 5).size(), 1u);
  EXPECT_EQ(world.walk("failedAttempts", of(one.id), 5).size(), 1u);
}

TEST_F(PluginAuth, a_site_is_suspended_activated_and_disabled) {
  const Site one = site("a.com");
  EXPECT_EQ(world.walk("activeSites", "{}", 5).size(), 1u);
  world.ok("suspendSite", of(one.id));
  EXPECT_EQ(validate(one.key).status, 403);
  EXPECT_EQ(world.walk("failedAttempts", of(one.id), 5).size(), 1u);
  EXPECT_EQ(world.walk("activeSites", "{}", 5).size(), 0u);
  EXPECT_EQ(world.ok("siteById", of(one.id))["item"].member("status").string(), "suspended");
  world.ok("activateSite", of(one.id));
  EXPECT_EQ(validate(one.key).status, 200);
  EXPECT_EQ(world.walk("activeSites", "{}", 5).size(), 1u);
  world.ok("disableSite", of(one.id));
  world.refused(409, "suspendSite", of(one.id));
  world.refused(404, "suspendSite", of(make_ulid(3)));
}

TEST_F(PluginAuth, a_rotated_key_stops_at_once) {
  const Site one = site("a.com");
  const auto rotated = world.ok("rotateKey", of(one.id));
  EXPECT_EQ(validate(one.key).status, 401);
  EXPECT_EQ(validate(rotated.text("api_key")).status, 200);
  EXPECT_EQ(world.walk("apiKeysOfSite", of(one.id), 5).size(), 1u);
}

TEST_F(PluginAuth, ten_failures_of_an_address_make_an_abuse_record) {
  for (int i = 0; i < 9; ++i) EXPECT_EQ(validate("no", "10.5.5.5").status, 401);
  EXPECT_EQ(world.walk("abuseOf", R"({"identifier":"10.5.5.5"})", 5).size(), 0u);
  EXPECT_EQ(validate("no", "10.5.5.5").status, 401);
  const auto abuse = world.walk("abuseOf", R"({"identifier":"10.5.5.5"})", 5);
  ASSERT_EQ(abuse.size(), 1u);
  EXPECT_EQ(abuse[0].member("severity").string(), "medium");
  world.ok("reportAbuse", R"({"pattern_type":"api_abuse","identifier":"x","severity":"low","details":{"a":1}})");
  EXPECT_EQ(world.walk("abuseByPattern", R"({"pattern_type":"api_abuse"})", 1).size(), 2u);
  world.clock.advance_ms(24 * 3'600'000 + 1000);
  EXPECT_EQ(world.walk("abuseByPattern", R"({"pattern_type":"api_abuse"})", 1).size(), 1u);
}

TEST_F(PluginAuth, an_agency_takes_sites_while_it_has_room) {
  world.ok("createAgency", R"({"agency_id":"ag","agency_name":"A","contact_email":"a@b.org","max_sites":2})");
  world.refused(409, "createAgency", R"({"agency_id":"ag","agency_name":"A","contact_email":"a@b.org","max_sites":2})");
  EXPECT_EQ(register_site("z.com", "10.0.0.9", R"(,"agency_id":"none")").status, 404);
  const Site one = site("a.com", R"(,"agency_id":"ag")");
  const Site two = site("b.com");
  const auto waiting = register_site("c.com", "10.0.0.8", R"(,"agency_id":"ag")");
  world.ok("addSiteToAgency", fmt::format(R"({{"agency_id":"ag","site_id":"{}"}})", two.id));
  EXPECT_EQ(world.ok("agency", R"({"agency_id":"ag"})")["item"].member("current_sites").string(), "2");
  EXPECT_EQ(exchange(waiting.text("temp_key")).status, 409);
  EXPECT_EQ(world.walk("agencySites", R"({"agency_id":"ag"})", 1).size(), 2u);
  EXPECT_EQ(world.walk("agencyOfSite", of(two.id), 1).size(), 1u);
  world.ok("removeSiteFromAgency", fmt::format(R"({{"agency_id":"ag","site_id":"{}"}})", two.id));
  world.refused(404, "removeSiteFromAgency", fmt::format(R"({{"agency_id":"ag","site_id":"{}"}})", two.id));
  EXPECT_EQ(world.ok("agency", R"({"agency_id":"ag"})")["item"].member("current_sites").string(), "1");
  EXPECT_EQ(exchange(waiting.text("temp_key")).status, 200);
  world.refused(409, "addSiteToAgency", fmt::format(R"({{"agency_id":"ag","site_id":"{}"}})", one.id));
}

TEST_F(PluginAuth, versions_updates_and_validations) {
  world.refused(404, "latestVersion", "{}");
  world.ok("publishVersion", R"({"version":"1.0","version_info":{"url":"u"}})");
  world.clock.advance_ms(1000);
  world.ok("publishVersion", R"({"version":"1.1","version_info":{"url":"v"}})");
  world.refused(409, "publishVersion", R"({"version":"1.0","version_info":{"url":"u"}})");
  EXPECT_EQ(world.ok("latestVersion", "{}")["item"].member("version").string(), "1.1");
  world.clock.advance_ms(3 * 3'600'000);
  EXPECT_EQ(world.ok("latestVersion", "{}")["item"].member("version").string(), "1.1");
  EXPECT_EQ(plain_json(world.ok("versionInfo", R"({"version":"1.0"})")["item"].member("version_info")),
            R"({"url":"u"})");
  const Site one = site("a.com");
  const std::string check = fmt::format(R"({{"site_id":"{}","current_version":"1.0"}})", one.id);
  auto checked = world.ok("checkUpdate", check);
  EXPECT_EQ(checked.json, R"({"update_available":true,"latest_version":"1.1"})");
  EXPECT_EQ(world.walk("sitesOnVersion", R"({"version":"1.0"})", 5).size(), 1u);
  world.ok("checkUpdate", fmt::format(R"({{"site_id":"{}","current_version":"1.1"}})", one.id));
  EXPECT_EQ(world.walk("sitesOnVersion", R"({"version":"1.0"})", 5).size(), 0u);
  EXPECT_EQ(world.walk("updateHistory", of(one.id), 1).size(), 2u);
  const std::string registration = make_ulid(9);
  world.ok("recordValidation", fmt::format(R"({{"domain":"a.com","registration_id":"{}","validation_level":"basic",
      "passes_validation":true,"validation_score":0.75}})",
                                           registration));
  EXPECT_EQ(world.ok("validationOfDomain", R"({"domain":"a.com"})")["item"].member("validation_score").string(),
            "0.75");
  const std::string by = fmt::format(R"({{"registration_id":"{}"}})", registration);
  EXPECT_TRUE(world.ok("validationOfRegistration", by)["item"].member("passes_validation").truth());
  world.clock.advance_ms(25 * 3'600'000);
  world.refused(404, "validationOfDomain", R"({"domain":"a.com"})");
  world.refused(404, "validationOfRegistration", by);
}

TEST_F(PluginAuth, the_same_call_under_one_key_is_answered_alike_and_done_once) {
  CallContext context;
  context.idempotency_key = "abc";
  const auto registered = register_site("a.com", "10.0.0.1");
  const std::string inputs = fmt::format(R"({{"temp_key":"{}","client_ip":"10.0.0.1"}})", registered.text("temp_key"));
  const auto first = world.ok("exchangeKey", inputs, context);
  world.clock.advance_ms(60'000);
  EXPECT_EQ(world.ok("exchangeKey", inputs, context).json, first.json);
  const auto other = register_site("b.com", "10.0.0.1");
  world.refused(422, "exchangeKey",
                fmt::format(R"({{"temp_key":"{}","client_ip":"10.0.0.1"}})", other.text("temp_key")), context);
  EXPECT_EQ(world.walk("credentialsOfDomain", R"({"domain":"a.com"})", 5).size(), 1u);
  // A refusal is not stored, and an update returns its first answer.
  context.idempotency_key = "def";
  world.refused(404, "suspendSite", of(make_ulid(4)), context);
  const auto suspended = world.ok("suspendSite", of(first.text("site_id")), context);
  world.ok("activateSite", of(first.text("site_id")));
  EXPECT_EQ(world.ok("suspendSite", of(first.text("site_id")), context).json, suspended.json);
  EXPECT_EQ(world.ok("siteById", of(first.text("site_id")))["item"].member("status").string(), "active");
}

}  // namespace
}  // namespace trestle::runtime
