#include "server/observe/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "server/observe/metrics_text.h"
#include "server/observe/request_log.h"

namespace trestle {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page(const RequestMetrics& metrics) {
  MetricsText text;
  metrics.write(text);
  return text.take();
}

TEST(MetricsText, label_values_are_escaped) {
  MetricsText text;
  text.family("f", "gauge", "help");
  text.sample("f", {{"a", "x\"y\\z\n"}, {"b", ""}}, 1.5);
  EXPECT_EQ(text.take(), "# HELP f help\n# TYPE f gauge\nf{a=\"x\\\"y\\\\z\\n\",b=\"\"} 1.5\n");
}

TEST(RequestMetrics, requests_are_counted_by_operation_and_table) {
  RequestMetrics metrics;
  metrics.record({.operation = "PutItem", .table = "music", .latency_us = 80, .request_bytes = 10, .reply_bytes = 2});
  metrics.record({.operation = "PutItem", .table = "music", .latency_us = 3'000, .request_bytes = 10});
  metrics.record({.operation = "GetItem", .table = "music", .latency_us = 20'000'000});
  const std::string text = page(metrics);
  const std::string labels = R"({operation="PutItem",table="music")";
  EXPECT_THAT(text, HasSubstr("trestle_request_duration_seconds_bucket" + labels + R"(,le="5e-05"} 0)"));
  EXPECT_THAT(text, HasSubstr("trestle_request_duration_seconds_bucket" + labels + R"(,le="0.0001"} 1)"));
  EXPECT_THAT(text, HasSubstr("trestle_request_duration_seconds_bucket" + labels + R"(,le="0.005"} 2)"));
  EXPECT_THAT(text, HasSubstr("trestle_request_duration_seconds_bucket" + labels + R"(,le="+Inf"} 2)"));
  EXPECT_THAT(text, HasSubstr("trestle_request_duration_seconds_count" + labels + "} 2"));
  EXPECT_THAT(text, HasSubstr("trestle_request_duration_seconds_sum" + labels + "} 0.00308"));
  EXPECT_THAT(text, HasSubstr("trestle_request_bytes_total" + labels + "} 20"));
  EXPECT_THAT(text, HasSubstr(R"(_bucket{operation="GetItem",table="music",le="10"} 0)"));
}

TEST(RequestMetrics, errors_are_counted_by_type_and_do_not_invent_tables) {
  RequestMetrics metrics;
  metrics.record({.operation = "GetItem", .table = "nowhere", .error = "ResourceNotFoundException", .status = 400});
  const std::string text = page(metrics);
  EXPECT_THAT(text, Not(HasSubstr("nowhere")));
  EXPECT_THAT(text, HasSubstr(R"(trestle_request_duration_seconds_count{operation="GetItem",table="other"} 1)"));
  EXPECT_THAT(text,
              HasSubstr(R"(trestle_request_errors_total{operation="GetItem",type="ResourceNotFoundException"} 1)"));
}

TEST(RequestMetrics, more_tables_than_it_keeps_are_counted_together) {
  RequestMetrics metrics;
  for (int i = 0; i < 3'000; ++i) {
    const std::string table = "table" + std::to_string(i);
    metrics.record({.operation = "GetItem", .table = table});
  }
  EXPECT_THAT(page(metrics), HasSubstr(R"(duration_seconds_count{operation="GetItem",table="other"} 1976)"));
}

TEST(RequestMetrics, series_of_tables_that_are_gone_make_room_for_others) {
  RequestMetrics metrics;
  for (int round = 0; round < 6; ++round) {
    const std::string prefix = "round" + std::to_string(round) + "-";
    for (int i = 0; i < 900; ++i) metrics.record({.operation = "GetItem", .table = prefix + std::to_string(i)});
    metrics.record({.operation = "ListTables"});
    metrics.record({.operation = "GetItem", .table = "stays"});
    metrics.keep_tables([](std::string_view table) { return table == "stays"; });
  }
  const std::string text = page(metrics);
  EXPECT_THAT(text, Not(HasSubstr("round")));
  EXPECT_THAT(text, Not(HasSubstr(R"(table="other")"))) << "there was always room";
  EXPECT_THAT(text, HasSubstr(R"(duration_seconds_count{operation="GetItem",table="stays"} 6)"));
  EXPECT_THAT(text, HasSubstr(R"(duration_seconds_count{operation="ListTables",table=""} 6)"));
}

TEST(RequestMetrics, series_are_freed_while_threads_count) {
  RequestMetrics metrics;
  std::atomic<bool> stops = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; !stops; ++n) {
        metrics.record({.operation = "GetItem", .table = "t" + std::to_string((n + i) % 50)});
        metrics.record({.operation = "GetItem", .table = "kept"});
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    metrics.keep_tables([](std::string_view table) { return table == "kept"; });
    EXPECT_THAT(page(metrics), Not(HasSubstr("nothing")));
  }
  stops = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(RequestMetrics, threads_lose_nothing) {
  RequestMetrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        metrics.record({.operation = "GetItem", .table = n % 2 == 0 ? "a" : "b"});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(page(metrics), HasSubstr(R"(duration_seconds_count{operation="GetItem",table="a"} 40000)"));
  EXPECT_THAT(page(metrics), HasSubstr(R"(duration_seconds_count{operation="GetItem",table="b"} 40000)"));
}

TEST(RequestLog, only_what_its_level_wants_is_written) {
  std::string lines;
  {
    RequestLog log(LogLevel::kErrors, [&](std::string_view text) { lines += text; });
    log.write({.operation = "GetItem", .table = "a", .status = 200}, {});
    log.write({.operation = "GetItem", .table = "a", .error = "ValidationException", .status = 400}, {});
    log.write({.operation = "PutItem",
               .table = "quo\"te",
               .error = "InternalServerError",
               .status = 500,
               .latency_us = 7,
               .request_bytes = 8,
               .reply_bytes = 9},
              {.request_id = "ID", .caller = "AKID", .peer = "127.0.0.1:1", .now_ms = 1'700'000'000'123});
  }
  EXPECT_EQ(lines, R"({"time":"2023-11-14T22:13:20.123Z","request_id":"ID","operation":"PutItem","table":"quo\"te",)"
                   R"("status":500,"error":"InternalServerError","latency_us":7,"request_bytes":8,"reply_bytes":9,)"
                   R"("caller":"AKID","peer":"127.0.0.1:1"})"
                   "\n");
}

}  // namespace
}  // namespace trestle
