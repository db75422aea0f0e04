#include "bench/replay.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace trestle::bench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

RequestContext context() {
  RequestContext result;
  result.endpoint = *http::parse_endpoint("http://127.0.0.1:8000");
  result.region = "us-east-1";
  return result;
}

// Reads the lines of a file with this text.
auto read_lines(const std::string& text) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/replay.tsv";
  std::ofstream(path) << text;
  return read_replay(path);
}

TEST(Replay, lines_are_walked_in_order_over_and_over) {
  const auto lines = read_lines("GetItem\t{\"a\":1}\n/designs/authz/user\t{\"b\":2}\n");
  ASSERT_TRUE(lines.has_value());
  ReplaySource source(*lines, context(), 0, 1);
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(std::string(source.next(0)), HasSubstr("X-Amz-Target: DynamoDB_20120810.GetItem"));
    const std::string plain(source.next(1));
    EXPECT_THAT(plain, StartsWith("POST /designs/authz/user HTTP/1.1\r\n"));
    EXPECT_THAT(plain, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(plain, HasSubstr("\r\n\r\n{\"b\":2}"));
    EXPECT_EQ(plain.find("Authorization"), std::string::npos);
  }
}

TEST(Replay, a_key_is_never_used_twice) {
  const auto lines = read_lines("PutItem\t{\"k\":\"<key>\"}\n");
  ASSERT_TRUE(lines.has_value());
  ReplaySource source(*lines, context(), 0, 7);
  const std::string first(source.next(0));
  EXPECT_NE(first, std::string(source.next(0)));
}

TEST(Replay, a_line_without_a_tab_is_refused) {
  EXPECT_FALSE(read_lines("GetItem {}\n").has_value());
  EXPECT_FALSE(read_lines("").has_value());
  EXPECT_FALSE(read_replay("/nowhere/at/all").has_value());
}

}  // namespace
}  // namespace trestle::bench
