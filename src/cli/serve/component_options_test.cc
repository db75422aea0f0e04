#include "cli/serve/component_options.h"

#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "server/http/test_certificate.h"

namespace trestle {
namespace {

TEST(ComponentOptions, a_listener_has_the_flags_of_connections) {
  ServeOptions options;
  options.bind = "127.0.0.1";
  options.port = 9;
  options.threads = 3;
  options.connections_max = 5;
  options.body_mb_max = 2;
  options.buffers_mb_max = 7;
  options.idle_timeout_ms = 11;
  options.header_timeout_ms = 12;
  options.write_timeout_ms = 13;
  const auto listener = listener_options(options);
  ASSERT_TRUE(listener.has_value()) << listener.error();
  EXPECT_EQ(listener->address, "127.0.0.1");
  EXPECT_EQ(listener->second_address, "");
  EXPECT_EQ(listener->port, 9);
  EXPECT_EQ(listener->loops, 3u);
  EXPECT_EQ(listener->connections_max, 5u);
  EXPECT_EQ(listener->session.limits.body_bytes_max, size_t{2} << 20);
  EXPECT_EQ(listener->session.buffered_bytes_max, size_t{7} << 20);
  EXPECT_EQ(listener->session.idle_timeout_ms, 11);
  EXPECT_EQ(listener->session.header_timeout_ms, 12);
  EXPECT_EQ(listener->session.write_timeout_ms, 13);
  EXPECT_EQ(listener->tls, nullptr);
}

TEST(ComponentOptions, localhost_is_also_the_loopback_address_of_ipv6) {
  ServeOptions options;
  complete_options(options, false);
  EXPECT_EQ(listener_options(options)->address, "127.0.0.1");
  EXPECT_EQ(listener_options(options)->second_address, "::1");
}

TEST(ComponentOptions, a_certificate_makes_a_listener_use_tls_or_fail) {
  const ScratchFolder folder;
  ServeOptions options;
  options.tls_certificate = folder.path() + "/certificate";
  options.tls_key = folder.path() + "/key";
  EXPECT_FALSE(listener_options(options).has_value());
  write_test_certificate(options.tls_certificate, options.tls_key);
  const auto listener = listener_options(options);
  ASSERT_TRUE(listener.has_value()) << listener.error();
  EXPECT_NE(listener->tls, nullptr);
}

TEST(ComponentOptions, an_engine_has_the_flags_of_data) {
  ServeOptions options;
  options.data = "folder";
  options.cache_mb = 3;
  options.vector_memory_mb = 4;
  options.region = "eu-west-1";
  const EngineOptions engine = engine_options(options, nullptr);
  EXPECT_EQ(engine.store.folder, "folder");
  EXPECT_FALSE(engine.store.in_memory);
  EXPECT_EQ(engine.store.durability, Durability::kSync);
  EXPECT_EQ(engine.store.cache_bytes, size_t{3} << 20);
  EXPECT_EQ(engine.vectors.memory_bytes, size_t{4} << 20);
  EXPECT_EQ(engine.region, "eu-west-1");
  EXPECT_TRUE(engine.throttles);
  options.durability = "relaxed";
  options.throttle = "none";
  EXPECT_EQ(engine_options(options, nullptr).store.durability, Durability::kRelaxed);
  EXPECT_FALSE(engine_options(options, nullptr).throttles);
}

TEST(ComponentOptions, expired_records_are_looked_for_at_least_as_often_as_they_expire) {
  ServeOptions options;
  EXPECT_EQ(engine_options(options, nullptr).streams.trim_interval_ms, StreamUpkeepOptions{}.trim_interval_ms);
  options.stream_retention_ms = 1'000;
  EXPECT_EQ(engine_options(options, nullptr).streams.trim_interval_ms, 1'000);
}

TEST(ComponentOptions, a_space_has_its_own_folder_and_a_share_of_the_memory) {
  EngineOptions engine;
  engine.store.folder = "data";
  engine.store.cache_bytes = size_t{1} << 30;
  const EngineOptions space = space_options(engine, {.access_key = "ME", .region = "eu-west-1"});
  EXPECT_EQ(space.store.folder, "data/ME_eu-west-1");
  EXPECT_EQ(space.region, "eu-west-1");
  EXPECT_EQ(space.store.cache_bytes, size_t{64} << 20);
  engine.store.cache_bytes = size_t{16} << 20;
  engine.store.in_memory = true;
  const EngineOptions small = space_options(engine, {.access_key = "ME", .region = "eu-west-1"});
  EXPECT_EQ(small.store.folder, "data");
  EXPECT_EQ(small.store.cache_bytes, size_t{8} << 20);
}

TEST(ComponentOptions, errors_are_logged_unless_more_or_nothing_is_asked_for) {
  EXPECT_EQ(log_level("all"), LogLevel::kAll);
  EXPECT_EQ(log_level("errors"), LogLevel::kErrors);
  EXPECT_EQ(log_level("none"), LogLevel::kNone);
}

}  // namespace
}  // namespace trestle
