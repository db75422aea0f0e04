#include "runtime/values/plain_json.h"

#include <gtest/gtest.h>

#include <random>

namespace trestle::runtime {
namespace {

std::string again(std::string_view json) {
  auto parsed = parse_plain_json(json);
  return parsed ? plain_json(*parsed) : "refused: " + parsed.error();
}

TEST(PlainJson, values_come_back_as_they_were) {
  for (const char* json : {"null", "true", "false", "0", "-1.5", "\"\"", "\"a\\\"b\\\\c\\n\\u0001\"", "[]", "{}",
                           "[1,[2,{}]]", R"({"b":1,"a":{"c":[null,"x"]}})", "12345678901234567890123456789012345678"}) {
    EXPECT_EQ(again(json), json);
  }
  EXPECT_EQ(again(" { \"a\" : 1 , \"b\" : [ 2 , 3 ] } \n"), R"({"a":1,"b":[2,3]})");
  EXPECT_EQ(again("\"\\u00e9\\ud83d\\ude00\""), "\"é😀\"");
}

TEST(PlainJson, numbers_are_exact_and_canonical) {
  EXPECT_EQ(again("0.1"), "0.1");
  EXPECT_EQ(again("1.50"), "1.5");
  EXPECT_EQ(again("1E2"), "100");
  EXPECT_EQ(again("-0"), "0");
  EXPECT_EQ(again("9007199254740993"), "9007199254740993");
  EXPECT_EQ(again("1e125").size(), 126u);
  EXPECT_TRUE(again("1e126").starts_with("refused: The number 1e126"));
  EXPECT_TRUE(again("[1e999, 1]").starts_with("refused: The number 1e999"));
  EXPECT_TRUE(again("123456789012345678901234567890123456789").starts_with("refused: The number"));
}

TEST(PlainJson, what_is_not_json_is_refused) {
  for (const char* json : {"",
                           " ",
                           "{",
                           "}",
                           "[1,]",
                           "{\"a\":}",
                           "{\"a\" 1}",
                           "{a:1}",
                           "'a'",
                           "01",
                           "1.",
                           ".5",
                           "+1",
                           "--1",
                           "1 2",
                           "1,2",
                           "[1]]",
                           "1]",
                           "[1],[2]",
                           "1] [2",
                           "nul",
                           "nulll",
                           "truee",
                           "NaN",
                           "\"\\x\"",
                           "\"a\nb\"",
                           "\"\xff\"",
                           "\"\\ud800\"",
                           "{\"a\":1]",
                           "[1}",
                           "{\"a\":1}{\"b\":2}",
                           "{1:2}",
                           "[\"a\"",
                           "\"a",
                           "// x\n1",
                           "1e",
                           "1e+",
                           "{\"a\":1,}"}) {
    EXPECT_TRUE(again(json).starts_with("refused")) << json << " gave " << again(json);
  }
}

TEST(PlainJson, a_duplicate_name_is_refused) {
  EXPECT_EQ(again(R"({"a":1,"a":2})"), "refused: The name `a` occurs twice in one object.");
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"n" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(again(many + "\"last\":0}").starts_with("{"));
  EXPECT_EQ(again(many + "\"n7\":0}"), "refused: The name `n7` occurs twice in one object.");
  EXPECT_EQ(again(R"([{"a":1},{"a":2}])"), R"([{"a":1},{"a":2}])");
}

TEST(PlainJson, depth_is_limited) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(again(nested(32)), nested(32));
  EXPECT_TRUE(again(nested(33)).starts_with("refused: The JSON is nested"));
  EXPECT_TRUE(again(nested(100000)).starts_with("refused"));
}

TEST(PlainJson, what_json_lacks_has_a_form) {
  Plain map = Plain::map();
  map.set("set", Plain::set({Plain::text("b"), Plain::text("a")}));
  map.set("binary", Plain::binary("\x01\x02"));
  map.set("second", Plain::moment(1759501800000));
  map.set("ms", Plain::moment(1759501800250));
  map.set("wait", Plain::duration(60));
  map.set("absent", Plain());
  map.set("list", Plain::list({Plain()}));
  EXPECT_EQ(plain_json(map), R"({"set":["a","b"],"binary":"AQI=","second":"2025-10-03T14:30:00Z",)"
                             R"("ms":"2025-10-03T14:30:00.250Z","wait":60,"list":[null]})");
}

Plain random_plain(std::mt19937& random, int depth) {
  switch (random() % (depth > 4 ? 4 : 6)) {
    case 0:
      return Plain::null();
    case 1:
      return Plain::boolean(random() % 2 == 0);
    case 2:
      return Plain::number(static_cast<int64_t>(random()) - static_cast<int64_t>(random()));
    case 3: {
      std::string text;
      for (size_t i = random() % 40; i > 0; --i) text.push_back(static_cast<char>(random() % 128));
      return Plain::text(text);
    }
    case 4: {
      Plain::List list;
      for (size_t i = random() % 5; i > 0; --i) list.push_back(random_plain(random, depth + 1));
      return Plain::list(std::move(list));
    }
    default: {
      Plain map = Plain::map();
      for (size_t i = random() % 20; i > 0; --i)
        map.set("n" + std::to_string(random() % 100), random_plain(random, depth + 1));
      return map;
    }
  }
}

TEST(PlainJson, every_value_comes_back) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Plain value = random_plain(random, 0);
    auto parsed = parse_plain_json(plain_json(value));
    ASSERT_TRUE(parsed.has_value()) << "seed " << seed << ": " << parsed.error() << " of " << plain_json(value);
    ASSERT_EQ(*parsed, value) << "seed " << seed;
  }
}

}  // namespace
}  // namespace trestle::runtime
