#include "bench/request_template.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/workload.h"

namespace trestle::bench {
namespace {

RequestContext plain_context() {
  return {.endpoint = *http::parse_endpoint("http://127.0.0.1:8000"), .region = "us-east-1", .signer = nullptr};
}

std::string body_of(std::string_view request) { return std::string(request.substr(request.find("\r\n\r\n") + 4)); }

std::string header_of(std::string_view request, std::string_view name) {
  const std::string start = fmt::format("\r\n{}: ", name);
  const size_t at = request.find(start);
  if (at == std::string_view::npos) return "(missing)";
  const size_t begin = at + start.size();
  return std::string(request.substr(begin, request.find("\r\n", begin) - begin));
}

TEST(RequestTemplate, marks_become_the_items_key) {
  RequestTemplate request(plain_context(),
                          {.operation = "GetItem", .body = R"({"<key>","<partition>","<sort>"})", .items = 1000});
  Random random(1);
  EXPECT_EQ(body_of(request.fill(742, random)), R"({"k0000000742","p0000000007","s42"})");
  EXPECT_EQ(body_of(request.fill(5, random)), R"({"k0000000005","p0000000000","s05"})");
}

TEST(RequestTemplate, next_moves_to_the_following_item_and_wraps_around) {
  RequestTemplate request(plain_context(), {.operation = "X", .body = "<key><next><key><next><key>", .items = 100});
  Random random(1);
  EXPECT_EQ(body_of(request.fill(98, random)), "k0000000098k0000000099k0000000000");
}

TEST(RequestTemplate, data_differs_from_request_to_request_and_has_its_width) {
  RequestTemplate request(plain_context(), {.operation = "PutItem", .body = "<data>", .data_bytes = 183});
  Random random(1);
  const std::string first = body_of(request.fill(0, random));
  const std::string second = body_of(request.fill(0, random));
  EXPECT_EQ(first.size(), 183u);
  EXPECT_EQ(second.size(), 183u);
  EXPECT_NE(first, second);
  EXPECT_EQ(first.find_first_of("\"\\<>"), std::string::npos);
}

TEST(RequestTemplate, content_length_is_the_bodys) {
  RequestTemplate request(plain_context(), {.operation = "GetItem", .body = R"({"k":"<key>"})"});
  EXPECT_EQ(header_of(request.bytes(), "Content-Length"), "19");
  EXPECT_EQ(body_of(request.bytes()).size(), 19u);
  EXPECT_EQ(header_of(request.bytes(), "X-Amz-Target"), "DynamoDB_20120810.GetItem");
  EXPECT_EQ(header_of(request.bytes(), "Host"), "127.0.0.1:8000");
}

TEST(RequestTemplate, signature_is_of_the_filled_body) {
  RequestContext context = plain_context();
  context.signer = std::make_shared<Signer>(Credentials{.access_key = "id", .secret_key = "secret"}, "us-east-1");
  RequestTemplate request(context, {.operation = "GetItem", .body = R"({"k":"<key>"})", .items = 100});
  Random random(1);
  for (const uint64_t key : {3u, 4u}) {
    const std::string_view bytes = request.fill(key, random);
    const std::string date_time = header_of(bytes, "X-Amz-Date");
    const std::string body = body_of(bytes);
    const std::string expected = context.signer->sign({.host = "127.0.0.1:8000",
                                                       .path = "/",
                                                       .date_time = date_time,
                                                       .target = "DynamoDB_20120810.GetItem",
                                                       .body = body});
    EXPECT_EQ(header_of(bytes, "Authorization"),
              fmt::format("AWS4-HMAC-SHA256 Credential=id/{}/us-east-1/dynamodb/aws4_request, "
                          "SignedHeaders=host;x-amz-date;x-amz-target, Signature={}",
                          date_time.substr(0, 8), expected));
  }
}

TEST(RequestTemplate, dates_are_written_as_the_signature_wants_them) {
  EXPECT_EQ(http::format_date_time(1440938160), "20150830T123600Z");
}

TEST(Workload, items_have_the_asked_size) {
  const DataShape data{.table = "t", .items = 1000, .item_bytes = 200};
  EXPECT_EQ(2 + 11 + 4 + data_bytes(data, TableKind::kPlain), 200u);
  EXPECT_EQ(2 + 11 + 2 + 3 + 4 + data_bytes(data, TableKind::kRanged), 200u);
}

TEST(Workload, batch_holds_25_different_items) {
  const DataShape data{.table = "t", .items = 1000, .item_bytes = 200};
  RequestTemplate request(
      plain_context(),
      {.operation = "BatchWriteItem", .body = batch_body(data, TableKind::kRanged), .data_bytes = 10, .items = 1000});
  Random random(1);
  const std::string body = body_of(request.fill(975, random));
  for (int sort = 75; sort < 100; ++sort) {
    EXPECT_NE(body.find(fmt::format(R"("pk":{{"S":"p0000000009"}},"sk":{{"S":"s{}"}})", sort)), std::string::npos);
  }
  EXPECT_NE(body.find("\"t-ranged\""), std::string::npos);
}

TEST(Workload, batch_taken_in_part_is_not_accepted) {
  const DataShape data{.table = "t", .items = 1000, .item_bytes = 200};
  WorkloadSource source(*find_workload("batch"), plain_context(), data, 1);
  EXPECT_TRUE(source.accept(0, {.status = 200, .body = R"({"UnprocessedItems":{}})"}));
  EXPECT_FALSE(source.accept(0, {.status = 200, .body = R"({"UnprocessedItems":{"t":[{"PutRequest":{}}]}})"}));
  EXPECT_FALSE(source.accept(0, {.status = 400, .body = "{}"}));
}

TEST(Workload, unknown_names_are_not_found) {
  EXPECT_EQ(find_workload("gett"), nullptr);
  for (const Workload& workload : workloads()) EXPECT_EQ(find_workload(workload.name), &workload);
}

}  // namespace
}  // namespace trestle::bench
