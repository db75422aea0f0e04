#include "design/language/template.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "design/language/design.h"

namespace trestle::design {
namespace {

Template template_of(std::string_view text) {
  Findings findings;
  auto key = parse_template(text, {1, 1}, findings);
  EXPECT_TRUE(key.has_value()) << text;
  return key.value_or(Template{});
}

// Looks up types by field name, from "name: type" pairs.
struct Types {
  std::map<std::string, FieldType, std::less<>> map;
  Types(std::initializer_list<std::pair<const char*, const char*>> list) {
    for (const auto& [name, text] : list) {
      Findings findings;
      std::string_view rest = text;
      map[name] = *take_type(rest, {}, nullptr, findings);
    }
  }
  TypeOf lookup() const {
    return [this](std::string_view name) -> const FieldType* {
      const auto found = map.find(name);
      return found == map.end() ? nullptr : &found->second;
    };
  }
};

TEST(Template, renders_with_formats) {
  EXPECT_EQ(render(template_of("DEST#{d}#ATTEMPT#{n:04}"), {{"d", "x"}, {"n", "7"}}), "DEST#x#ATTEMPT#0007");
  EXPECT_EQ(render(template_of("D#{at:day}"), {{"at", "2025-10-03T14:30:45Z"}}), "D#2025-10-03");
  const FieldType seconds{.base = BaseType::kEpoch};
  const FieldType milliseconds{.base = BaseType::kEpoch, .milliseconds = true};
  const auto of = [](const FieldType& type) { return [&type](std::string_view) { return &type; }; };
  EXPECT_EQ(render(template_of("D#{at:day}"), {{"at", "1795000000"}}, of(seconds)), "D#2026-11-18");
  EXPECT_EQ(render(template_of("{at:minute}"), {{"at", "1795000000"}}, of(seconds)), "2026-11-18T11:06");
  EXPECT_EQ(render(template_of("{at:month}"), {{"at", "1795000000123"}}, of(milliseconds)), "2026-11");
  EXPECT_EQ(render(template_of("{at:hour}"), {{"at", "0"}}, of(seconds)), "1970-01-01T00");
  EXPECT_EQ(render(template_of("DOMAIN#{d:sha256/16}"), {{"d", "example.com"}}), "DOMAIN#a379a6f6eeafb9a5");
  EXPECT_EQ(render(template_of("A#{x:escape}"), {{"x", "a#b%"}}), "A#a%23b%25");
  EXPECT_EQ(render(template_of("{{{x}}}"), {{"x", "v"}}), "{v}");
  EXPECT_EQ(render(template_of("A#{x}"), {}), std::nullopt);
}
TEST(Template, mistakes_are_reported) {
  for (const char* text : {"A#{", "A#}", "{a b}", "{a:xx}", "{a:sha256/99}", "", "{}"}) {
    Findings findings;
    EXPECT_FALSE(parse_template(text, {3, 4}, findings).has_value()) << text;
    ASSERT_EQ(findings.size(), 1U) << text;
    EXPECT_EQ(findings.list()[0].code, "T005");
    EXPECT_EQ(findings.list()[0].place, (Place{3, 4}));
  }
}
TEST(Template, padded_numbers_sort_as_numbers) {
  const Template key = template_of("N#{n:06}");
  for (int n = 0; n < 3000; n += 37) {
    EXPECT_LT(*render(key, {{"n", std::to_string(n)}}), *render(key, {{"n", std::to_string(n + 1)}}));
  }
}
TEST(Template, a_key_with_the_delimiter_in_a_value_is_ambiguous_unless_typed_or_escaped) {
  const Types types{{"a", "string"}, {"b", "string"}, {"u", "ulid"}, {"t", "time"}};
  EXPECT_TRUE(ambiguity(template_of("X#{a}#{b}"), types.lookup()).has_value());
  EXPECT_FALSE(ambiguity(template_of("X#{a}#{u}"), types.lookup()).has_value());
  EXPECT_FALSE(ambiguity(template_of("X#{a}#{t}"), types.lookup()).has_value());
  EXPECT_FALSE(ambiguity(template_of("X#{a:escape}#{b:escape}"), types.lookup()).has_value());
}

// Holds for every template that is not ambiguous.
TEST(Template, render_then_parse_gives_the_same_fields) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const Types types{{"id", "ulid"},
                    {"n", "int(0..9999)"},
                    {"s", "string([a-z0-9-], 1..12)"},
                    {"e", "enum(on, off, on-hold)"},
                    {"at", "time"},
                    {"ip", "ip"},
                    {"free", "string"}};
  const auto pick = [&](std::string_view from, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out.push_back(from[random() % from.size()]);
    return out;
  };
  const std::vector<std::string> texts = {"A#{id}",      "{s}#{n:04}",          "T#{at}#{id}", "{e}#{at}",
                                          "IP#{ip}#{e}", "X#{free:escape}#{s}", "{n}#{s}",     "F#{free}",
                                          "{s}#{e}#{n}", "{free}#{at}"};
  for (const std::string& text : texts) {
    const Template key = template_of(text);
    ASSERT_FALSE(ambiguity(key, types.lookup()).has_value()) << text;
    for (int round = 0; round < 30; ++round) {
      FieldValues values;
      for (const std::string& field : key.fields()) {
        if (field == "id") values[field] = "0" + pick("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 25);
        if (field == "n") values[field] = std::to_string(random() % 10000);
        if (field == "s") values[field] = pick("abcxyz019-", 1 + random() % 12);
        if (field == "e") values[field] = std::vector<std::string>{"on", "off", "on-hold"}[random() % 3];
        if (field == "at")
          values[field] =
              fmt::format("20{:02}-1{}-0{}T0{}:00:59Z", random() % 100, random() % 3, 1 + random() % 9, random() % 10);
        if (field == "ip") values[field] = fmt::format("10.{}.{}.1", random() % 256, random() % 256);
        if (field == "free") values[field] = pick("ab#%{}/ :", 1 + random() % 8);
      }
      const auto rendered = render(key, values);
      ASSERT_TRUE(rendered.has_value());
      EXPECT_EQ(parse(key, *rendered, types.lookup()), std::optional(values)) << *rendered;
    }
  }
}
TEST(Template, texts_with_the_literals_in_order_may_match) {
  EXPECT_TRUE(has_literals(template_of("A#{x}#B#{y}"), "A#1#B#2"));
  EXPECT_TRUE(has_literals(template_of("A#{x}#B"), "A#1#B#B"));
  EXPECT_TRUE(has_literals(template_of("{x}"), ""));
  EXPECT_TRUE(has_literals(template_of("A"), "A"));
  EXPECT_FALSE(has_literals(template_of("A"), "AA"));
  EXPECT_FALSE(has_literals(template_of("A#{x}#"), "A#"));
  EXPECT_FALSE(has_literals(template_of("A#{x}#B"), "A#1#B#"));
  EXPECT_FALSE(has_literals(template_of("A#{x}#B#{y}"), "1A#1#B#2"));
  EXPECT_FALSE(has_literals(template_of("A#{x}#B#{y}"), "A#1B#2"));
}

TEST(Template, a_text_that_the_template_cannot_produce_does_not_parse) {
  const Types types{{"id", "ulid"}};
  EXPECT_EQ(parse(template_of("USER#{id}"), "USER#x", types.lookup()), std::nullopt);
  EXPECT_EQ(parse(template_of("USER#{id}"), "SITE#01J8Z0E2Z8D2A3J7A7Y2H9GQ9C", types.lookup()), std::nullopt);
}

}  // namespace
}  // namespace trestle::design
