// The client and the server are inverse: the server reads the request that the client wrote, and the client reads the
// response that the server wrote. Requests and responses are random. Equality is tested by writing them again.
#include "protocol/client/client_json.h"

#include <gtest/gtest.h>

#include "protocol/shapes/random_responses_for_test.h"
#include "protocol/shapes/server_json.h"

namespace trestle {
namespace {

constexpr int kRounds = 200;

uint64_t run_seed() {
  static const uint64_t seed = std::random_device{}();
  return seed;
}

template <class Request>
void check_request(std::string_view operation, Result<Request> (*server_reads)(JsonInput)) {
  Maker maker(run_seed());
  for (int round = 0; round < kRounds; ++round) {
    Request request;
    maker.fill(request);
    std::string written;
    write_request_json(request, written);
    const auto input = parse_body(written);
    ASSERT_TRUE(input.has_value()) << operation << " seed " << run_seed() << ": " << written;
    const auto read = server_reads(*input);
    ASSERT_TRUE(read.has_value()) << operation << " seed " << run_seed() << ": " << read.error().message << written;
    std::string again;
    write_request_json(*read, again);
    ASSERT_EQ(again, written) << operation << " seed " << run_seed();
  }
}

template <class Response>
void check_response(std::string_view operation, void (*server_writes)(const Response&, std::string&)) {
  Maker maker(run_seed());
  for (int round = 0; round < kRounds; ++round) {
    Response response;
    maker.fill(response);
    std::string written;
    server_writes(response, written);
    if (std::is_empty_v<Response> && written.empty()) continue;  // a response without members has no body
    const auto input = parse_reply(written);
    ASSERT_TRUE(input.has_value()) << operation << " seed " << run_seed() << ": " << written;
    Response read;
    const auto result = read_response_json(*input, read);
    ASSERT_TRUE(result.has_value()) << operation << " seed " << run_seed() << ": " << result.error().message << written;
    std::string again;
    server_writes(read, again);
    ASSERT_EQ(again, written) << operation << " seed " << run_seed();
  }
}

TEST(ClientJson, the_server_reads_the_request_that_was_written){
#define TRESTLE_CHECK(Name, name) check_request<Name##Request>(#Name, read_##name##_json);
    TRESTLE_OPERATIONS(TRESTLE_CHECK)
#undef TRESTLE_CHECK
}

TEST(ClientJson, the_response_that_the_server_wrote_is_read){
#define TRESTLE_CHECK(Name, name) check_response<Name##Response>(#Name, write_##name##_json);
    TRESTLE_OPERATIONS(TRESTLE_CHECK)
#undef TRESTLE_CHECK
}

TEST(ClientJson, a_statements_token_is_the_endpoints_text) {
  ExecuteStatementResponse response;
  ASSERT_TRUE(read_response_json(*parse_reply(R"({"Items":[],"NextToken":"not base64!"})"), response).has_value());
  std::string out;
  ExecuteStatementRequest request;
  request.statement.text = "s";
  request.next_token = response.next_token;
  write_request_json(request, out);
  EXPECT_EQ(out, R"({"Statement":"s","NextToken":"not base64!"})");
}

TEST(ClientJson, what_endpoints_add_is_ignored_and_wrong_types_are_refused) {
  GetItemResponse response;
  EXPECT_TRUE(read_response_json(*parse_reply(R"({"Item":{"a":{"S":"b"}},"New":[1]})"), response).has_value());
  EXPECT_EQ(response.item->find("a")->scalar(), "b");
  EXPECT_FALSE(read_response_json(*parse_reply(R"({"Item":[]})"), response).has_value());
  EXPECT_FALSE(read_response_json(*parse_reply(R"({"Item":{"a":{"N":"x"}}})"), response).has_value());
  EXPECT_FALSE(parse_reply("{").has_value());
  EXPECT_FALSE(parse_reply("").has_value());
  EXPECT_FALSE(parse_reply("[]").has_value());
}

TEST(ClientJson, a_request_that_was_read_with_a_fault_is_refused) {
  TransactWriteItemsRequest request;
  request.writes.emplace_back().fault = "wrong";
  EXPECT_EQ(check_writable(request).error().message, "wrong");
  EXPECT_TRUE(check_writable(PutItemRequest{}).has_value());
}

}  // namespace
}  // namespace trestle
