#include "http/endpoint.h"

#include <gtest/gtest.h>

namespace trestle::http {
namespace {

TEST(Endpoint, host_port_and_path_are_taken_apart) {
  const auto endpoint = parse_endpoint("http://127.0.0.1:8000/330");
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_FALSE(endpoint->tls);
  EXPECT_EQ(endpoint->host, "127.0.0.1");
  EXPECT_EQ(endpoint->port, 8000);
  EXPECT_EQ(endpoint->path, "/330");
  EXPECT_EQ(endpoint->host_header(), "127.0.0.1:8000");
}

TEST(Endpoint, scheme_chooses_the_port_and_leaves_it_out_of_the_host_header) {
  const auto secure = parse_endpoint("https://dynamodb.eu-west-1.amazonaws.com");
  ASSERT_TRUE(secure.has_value());
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->port, 443);
  EXPECT_EQ(secure->path, "/");
  EXPECT_EQ(secure->host_header(), "dynamodb.eu-west-1.amazonaws.com");
  EXPECT_EQ(parse_endpoint("http://h")->port, 80);
  EXPECT_EQ(parse_endpoint("https://h:80")->host_header(), "h:80");
}

TEST(Endpoint, ipv6_addresses_wear_brackets) {
  const auto endpoint = parse_endpoint("http://[::1]:9000/");
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ(endpoint->host, "::1");
  EXPECT_EQ(endpoint->port, 9000);
  EXPECT_EQ(endpoint->host_header(), "[::1]:9000");
}

TEST(Endpoint, an_invalid_endpoint_is_refused) {
  for (const char* url : {"", "127.0.0.1:8000", "ftp://h", "http://", "http://:80", "http://h:", "http://h:0",
                          "http://h:65536", "http://h:8a", "http://user@h", "http://h/?q", "http://h/#f", "http://[::1",
                          "http://[::1]x", "http://h/a b", "http://h/\r\nX: y"}) {
    EXPECT_FALSE(parse_endpoint(url).has_value()) << url;
  }
}

}  // namespace
}  // namespace trestle::http
