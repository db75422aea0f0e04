#include "design/language/reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/check/check.h"

namespace trestle::design {
namespace {

TEST(Reader, reads_a_small_design) {
  const Reading reading = read_design(R"y(design: small
tables: {t: {key: [PK, SK N], indexes: {I: {hash: [a, b], range: [c N]}}}}
entities:
  A: {key: ["A#{id}", "{n}"], fields: {id: ulid auto, n: int(1..5) = 3, a: string, b: string, c: int}, index: {i: {on: I, key: ["{a}", "{b}", "{c}"]}}}
reads: {r: {query: A.i, range: c}}
writes: {w: {put: A, if: absent}}
)y");
  EXPECT_TRUE(reading.mistakes.empty()) << reading.mistakes[0].message;
  ASSERT_EQ(reading.design.entities.size(), 1U);
  const Entity& entity = reading.design.entities[0];
  EXPECT_EQ(entity.field("n")->type.max, 5);
  EXPECT_EQ(reading.design.tables[0].key.range[0].type, ValueType::kNumber);
  EXPECT_EQ(reading.design.tables[0].indexes[0].key.hash.size(), 2U);
  const Operation* read = reading.design.operation("r");
  ASSERT_NE(read, nullptr);
  // The partition fields become inputs, the bounds of the range optional inputs.
  EXPECT_FALSE(read->input("a")->optional);
  EXPECT_TRUE(read->input("from")->optional);
  const Operation* write = reading.design.operation("w");
  EXPECT_EQ(write->input("id"), nullptr);  // it is generated
  EXPECT_TRUE(write->input("n")->optional);
}

TEST(Reader, all_mistakes_at_once_with_place_and_suggestion) {
  const Reading reading = read_design(R"y(design: wrong
tables:
  t: {key: [PK, SK], indexs: {}}
entities:
  A:
    key: ["A#{id}", X]
    fields: {id: ulidd, n: string optionl}
reads:
  r: {get: B}
  q: {query: A.byName}
writes:
  w: {put: A, if: "n = "}
)y");
  const auto find = [&](std::string_view code, int line, std::string_view part) {
    for (const Finding& mistake : reading.mistakes) {
      if (mistake.code == code && mistake.place.line == line && mistake.message.find(part) != std::string::npos)
        return true;
    }
    return false;
  };
  EXPECT_TRUE(find("T002", 3, "did you mean `indexes`?"));
  EXPECT_TRUE(find("T003", 7, "did you mean `ulid`?"));
  EXPECT_TRUE(find("T003", 7, "did you mean `optional`?"));
  EXPECT_TRUE(find("T004", 9, "entity `B`"));
  EXPECT_TRUE(find("T004", 10, "`byName`"));
  EXPECT_TRUE(find("T005", 12, "expected a value"));
}

TEST(Reader, figures_of_packing_are_stored_in_fields_of_the_entity) {
  const auto mistakes = [](std::string_view figures) {
    std::string all;
    for (const Finding& mistake :
         read_design(fmt::format("design: x\ntables: {{things: {{key: [PK]}}}}\nentities:\n  A: {{key: \"{{id}}\", "
                                 "fields: {{id: ulid, p: string, packed: bool, size: int}}, pack: {{p: {{over: 1KB, "
                                 "figures: {}}}}}}}\n",
                                 figures))
             .mistakes)
      all += mistake.code + " " + mistake.message + "\n";
    return all;
  };
  EXPECT_EQ(mistakes("true"), "");
  EXPECT_EQ(mistakes("{compressed: packed, original_size: size}"), "");
  EXPECT_THAT(mistakes("{compressd: packed}"), testing::HasSubstr("did you mean `compressed`?"));
  EXPECT_THAT(mistakes("{compressed: zipped}"), testing::HasSubstr("`zipped`"));
  EXPECT_THAT(mistakes("{original_size: size, storage_size: size}"), testing::HasSubstr("a field for each figure"));
  EXPECT_THAT(mistakes("maybe"), testing::HasSubstr("true or false"));
}

TEST(Reader, a_word_that_a_step_would_ignore_is_a_mistake) {
  const auto mistakes = [](std::string_view step) {
    std::string all;
    for (const Finding& mistake :
         read_design(fmt::format("design: x\ntables: {{things: {{key: [PK]}}}}\nentities:\n  A: {{key: \"{{id}}\", "
                                 "fields: {{id: ulid, n: int, m: map<int>}}}}\nwrites:\n  w: {{takes: {{id: ulid}}, "
                                 "steps: [{}]}}\n",
                                 step))
             .mistakes)
      all += mistake.code + " " + mistake.message + " " + mistake.repair + "\n";
    return all;
  };
  EXPECT_EQ(mistakes("{update: A, set: {n: 1, \"m[$id]\": 2}, add: {\"m[$id]\": 1}, if: n > 1}"), "");
  EXPECT_THAT(mistakes("{put: A, set: {n: 1}, as: a}"), testing::HasSubstr("`as` is not allowed with `put`"));
  EXPECT_THAT(mistakes("{delete: A, set: {n: 1}}"), testing::HasSubstr("`set` is not allowed with `delete`"));
  EXPECT_THAT(mistakes("{get: A, if: n > 1}"), testing::HasSubstr("`if` is not allowed with `get`"));
  EXPECT_THAT(mistakes("{require: n > 1, none: 404, else: 404}"), testing::HasSubstr("`none` is not allowed"));
  EXPECT_THAT(mistakes("{update: A, set: {\"n[$id]\": 1}}"), testing::HasSubstr("`n` of A is not a map"));
  EXPECT_THAT(mistakes("{put: A, set: {\"m[$id]\": 1}}"), testing::HasSubstr("`put` writes whole fields"));
  EXPECT_THAT(mistakes("{update: A, set: {n: if($id = 'a', 1, 2)}}"), testing::HasSubstr("quote an expression"));
}

TEST(Reader, names_line_and_column) {
  const Reading reading =
      read_design("design: x\ntables: {t: {key: [PK]}}\nentities:\n  A: {key: \"{a}\", fields: {a: strin}}\n");
  ASSERT_EQ(reading.mistakes.size(), 1U);
  EXPECT_EQ(reading.mistakes[0].place, (Place{4, 31}));
}

TEST(Reader, rejects_malformed_designs_without_crashing) {
  for (const char* text : {"", "[]", "a: b: c", "{", "design: [1]", "design: x\ndesign: y", "x: &a [*a]", "\t",
                           "design:\n  - x", "tables: 3\nentities: []\ndesign: {}",
                           "design: x\ntables: {t: {key: [], indexes: {I: {}}}}\nentities: {A: {key: [], fields: {}, "
                           "index: {i: {on: I, key: []}}}}"}) {
    EXPECT_FALSE(check_text(text).findings.empty()) << text;
  }
  EXPECT_FALSE(read_design(std::string(kSourceBytesMax + 1, ' ')).mistakes.empty());
  EXPECT_FALSE(read_design(std::string(1000, '[')).mistakes.empty());
}

TEST(Reader, a_word_that_is_an_enum_value_is_a_literal) {
  const Reading reading = read_design(R"y(design: small
tables: {t: {key: [PK]}}
entities: {A: {key: "A#{id}", fields: {id: ulid, s: "enum(on, off)"}}}
writes:
  good: {takes: {id: ulid}, update: A, set: {s: off}, if: s = on}
  bad: {takes: {id: ulid}, update: A, set: {s: offf}}
)y");
  ASSERT_EQ(reading.mistakes.size(), 1U);
  EXPECT_NE(reading.mistakes[0].message.find("did you mean `off`?"), std::string::npos);
  const Write& write = reading.design.operation("good")->steps[0].writes[0];
  EXPECT_TRUE(write.set[0].value.is(Expression::Kind::kText));
  EXPECT_TRUE(write.condition->arguments[1].is(Expression::Kind::kText));
}

TEST(Expression, text_round_trips) {
  for (const char* text : {"a = 'b'", "a = 1 AND NOT (b < c)", "a = 1 AND (b = 2 OR c = 3)",
                           "(a = 1 AND b = 2) OR c = 3", "x BETWEEN 1 AND 2", "a IN (1, 2)", "now + 90d",
                           "sum(items.count)", "$grant.roles", "hourly[$h]", "coalesce($a, 0) + 1"}) {
    Findings findings;
    const auto expression = parse_expression(text, {}, findings);
    ASSERT_TRUE(expression.has_value()) << text;
    EXPECT_EQ(expression_text(*expression), text);
  }
}

TEST(Expression, rejects_malformed_text_with_one_mistake) {
  for (const char* text : {"a =", "(a", "a BETWEEN 1", "'open", "f(a,", "a ! b", "$", "9x"}) {
    Findings findings;
    EXPECT_FALSE(parse_expression(text, {}, findings).has_value()) << text;
    EXPECT_EQ(findings.size(), 1U) << text;
  }
  Findings findings;
  EXPECT_FALSE(parse_expression(std::string(4000, '('), {}, findings).has_value());
}

TEST(Quantity, reads_amounts) {
  EXPECT_EQ(parse_duration_s("90d"), 90 * 86400);
  EXPECT_EQ(parse_duration_s("5"), std::nullopt);
  EXPECT_EQ(parse_bytes("128KB"), 128 * 1024);
  EXPECT_EQ(parse_share("30%"), 0.3);
  EXPECT_EQ(parse_rate("500/s per a, b")->per, (std::vector<std::string>{"a", "b"}));
  EXPECT_NEAR(parse_rate("10K/month")->per_second, 0.00386, 0.0001);
  EXPECT_EQ(parse_rate("fast"), std::nullopt);
}

TEST(Expression, a_minus_negates_the_operand_that_follows_it) {
  const auto text_of = [](std::string_view text) {
    Findings findings;
    const auto parsed = parse_expression(text, {}, findings);
    EXPECT_TRUE(parsed.has_value()) << text;
    return parsed ? expression_text(*parsed) : std::string();
  };
  EXPECT_EQ(text_of("-5"), "-5");
  EXPECT_EQ(text_of("-$q"), "0 - $q");
  EXPECT_EQ(text_of("-$q * 2"), "(0 - $q) * 2");
  EXPECT_EQ(text_of("stock - -n"), "stock - (0 - n)");
  EXPECT_EQ(text_of("-(a + b)"), "0 - (a + b)");
  EXPECT_EQ(text_of("now + -90d"), "now + -90d");
}

}  // namespace
}  // namespace trestle::design
