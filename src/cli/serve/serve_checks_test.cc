#include "cli/serve/serve_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace trestle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Completed options of a server on this machine.
ServeOptions served(const std::function<void(ServeOptions&)>& change = [](ServeOptions&) {}) {
  ServeOptions options;
  change(options);
  complete_options(options, false);
  return options;
}

TEST(ServeChecks, localhost_is_both_loopback_addresses_and_with_open_every_address) {
  EXPECT_EQ(served().bind, "127.0.0.1");
  EXPECT_TRUE(served().both_loopbacks);
  EXPECT_EQ(served([](auto& to) { to.open = true; }).bind, "0.0.0.0");
  const ServeOptions other = served([](auto& to) { to.bind = "::1"; });
  EXPECT_EQ(other.bind, "::1");
  EXPECT_FALSE(other.both_loopbacks);
}

TEST(ServeChecks, designs_at_an_endpoint_store_nothing_here_unless_a_place_is_given) {
  ServeOptions options;
  options.designs.on = "http://127.0.0.1:8000";
  ServeOptions options_with_data = options, memory = options;
  memory.memory_store = true;
  complete_options(options, false);
  EXPECT_TRUE(options.designs.stores_elsewhere && options.memory_store);
  complete_options(options_with_data, true);
  EXPECT_FALSE(options_with_data.designs.stores_elsewhere || options_with_data.memory_store);
  complete_options(memory, false);
  EXPECT_FALSE(memory.designs.stores_elsewhere);
  EXPECT_FALSE(served().designs.stores_elsewhere);
}

TEST(ServeChecks, loopback_addresses_are_those_of_this_machine) {
  for (const char* address : {"127.0.0.1", "127.8.9.1", "::1"}) EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "fe80::1", "localhost", ""}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST(ServeChecks, callers_are_trusted_on_this_machine_and_with_open) {
  EXPECT_TRUE(trusts_callers(served()));
  EXPECT_TRUE(trusts_callers(served([](auto& to) { to.open = true; })));
  EXPECT_FALSE(trusts_callers(served([](auto& to) { to.bind = "10.0.0.1"; })));
}

TEST(ServeChecks, a_server_for_others_needs_credentials) {
  EXPECT_THAT(refusal_of_callers(served()), IsEmpty());
  ServeOptions options = served([](auto& to) { to.bind = "0.0.0.0"; });
  EXPECT_THAT(refusal_of_callers(options),
              HasSubstr("0.0.0.0 can be reached by others, and without --credentials anyone could read and write"));
  options.credentials = "keys";
  EXPECT_THAT(refusal_of_callers(options), IsEmpty());
}

TEST(ServeChecks, designs_for_others_need_a_way_to_sign_in) {
  ServeOptions options = served([](auto& to) {
    to.bind = "10.0.0.1";
    to.credentials = "keys";
    to.designs.files = {"shop.yaml"};
  });
  EXPECT_THAT(refusal_of_callers(options), HasSubstr("without --jwks or --api-keys anyone could call the designs"));
  ServeOptions by_key = options;
  by_key.designs.api_keys = "keys";
  EXPECT_THAT(refusal_of_callers(by_key), IsEmpty());
  options.designs.jwks = "jwks";
  EXPECT_THAT(refusal_of_callers(options), IsEmpty());
  EXPECT_THAT(refusal_of_callers(served([](auto& to) { to.designs.files = {"shop.yaml"}; })), IsEmpty());
}

TEST(ServeChecks, open_excludes_every_flag_of_production) {
  const std::pair<const char*, std::function<void(ServeOptions&)>> flags[] = {
      {"--credentials", [](auto& to) { to.credentials = "x"; }},
      {"--policies", [](auto& to) { to.policies = "x"; }},
      {"--audit", [](auto& to) { to.audit = "x"; }},
      {"--tls-certificate", [](auto& to) { to.tls_certificate = "x"; }},
      {"--jwks", [](auto& to) { to.designs.jwks = "x"; }},
      {"--api-keys", [](auto& to) { to.designs.api_keys = "x"; }},
      {"--on", [](auto& to) { to.designs.on = "x"; }},
      {"--edit", [](auto& to) { to.designs.edit = true; }}};
  const auto open = [](auto& to) { to.open = true; };
  EXPECT_THAT(refusal_of_callers(served(open)), IsEmpty());
  for (const auto& [flag, set] : flags) {
    const ServeOptions options = served([&](auto& to) {
      open(to);
      set(to);
    });
    EXPECT_THAT(refusal_of_callers(options), HasSubstr(std::string("--open cannot be combined with ") + flag + ":"));
  }
}

TEST(ServeChecks, only_a_server_whose_data_is_in_memory_can_be_reset) {
  EXPECT_THAT(refusal_of_reset(served()), HasSubstr("needs --memory-store"));
  ServeOptions options = served([](auto& to) { to.memory_store = true; });
  EXPECT_THAT(refusal_of_reset(options), IsEmpty());
  ServeOptions elsewhere = options, with_keys = options;
  elsewhere.designs.on = "x";
  EXPECT_THAT(refusal_of_reset(elsewhere), HasSubstr("--on"));
  with_keys.credentials = "x";
  EXPECT_THAT(refusal_of_reset(with_keys), HasSubstr("--credentials"));
  options.audit = "x";
  EXPECT_THAT(refusal_of_reset(options), HasSubstr("--audit"));
}

TEST(ServeChecks, isolation_excludes_what_belongs_to_all_callers) {
  ServeOptions options = served([](auto& to) { to.isolate = true; });
  EXPECT_THAT(refusal_of_isolation(options), IsEmpty());
  ServeOptions with_keys = options, audited = options;
  with_keys.credentials = "x";
  EXPECT_THAT(refusal_of_isolation(with_keys), HasSubstr("--credentials"));
  audited.audit = "x";
  EXPECT_THAT(refusal_of_isolation(audited), HasSubstr("--audit"));
  options.designs.files = {"shop.yaml"};
  EXPECT_THAT(refusal_of_isolation(options), HasSubstr("--design"));
  options.isolate = false;
  EXPECT_THAT(refusal_of_isolation(options), IsEmpty());
}

}  // namespace
}  // namespace trestle
