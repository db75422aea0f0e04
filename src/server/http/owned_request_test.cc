#include "server/http/owned_request.h"

#include <gtest/gtest.h>

#include <memory>

namespace trestle {
namespace {

TEST(OwnedRequest, all_of_a_request_is_there_when_its_buffer_is_gone) {
  auto buffer = std::make_unique<std::string>("POST/pathq=1x-amz-targetDynamoDB_20120810.SearchVectors{}1.2.3.4:5");
  const std::string_view all = *buffer;
  const std::vector<HttpHeader> headers{{.name = all.substr(12, 12), .value = all.substr(24, 31)}};
  HttpRequest request;
  request.method = all.substr(0, 4);
  request.path = all.substr(4, 5);
  request.query = all.substr(9, 3);
  request.headers = headers;
  request.body = request.body_as_sent = all.substr(55, 2);
  request.peer = all.substr(57);
  request.tls = true;
  const OwnedRequest owned(request);
  buffer.reset();
  const HttpRequest& request_copy = owned.get();
  EXPECT_EQ(request_copy.method, "POST");
  EXPECT_EQ(request_copy.path, "/path");
  EXPECT_EQ(request_copy.query, "q=1");
  EXPECT_EQ(request_copy.header("X-Amz-Target"), "DynamoDB_20120810.SearchVectors");
  EXPECT_EQ(request_copy.body, "{}");
  EXPECT_EQ(request_copy.body_as_sent, "{}");
  EXPECT_EQ(request_copy.peer, "1.2.3.4:5");
  EXPECT_TRUE(request_copy.tls);
}

TEST(OwnedRequest, a_body_that_was_not_compressed_is_copied_once) {
  const std::string body(1'000'000, 'b');
  const std::string sent(1'000, 's');
  HttpRequest request;
  request.body = request.body_as_sent = body;
  EXPECT_LT(OwnedRequest::memory_bytes(request), body.size() + 1'000);
  const OwnedRequest owned(request);
  EXPECT_EQ(owned.get().body.data(), owned.get().body_as_sent.data());
  request.body_as_sent = sent;
  EXPECT_GE(OwnedRequest::memory_bytes(request), body.size() + sent.size());
  const OwnedRequest compressed(request);
  EXPECT_EQ(compressed.get().body, body);
  EXPECT_EQ(compressed.get().body_as_sent, sent);
}

}  // namespace
}  // namespace trestle
