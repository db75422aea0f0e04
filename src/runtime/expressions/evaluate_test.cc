#include "runtime/expressions/evaluate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/values/moment.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

constexpr int64_t kNow = 1759501800250;  // 2025-10-03T14:30:00.250Z

class Evaluate : public testing::Test {
 protected:
  void SetUp() override {
    fields_ = json(R"({"status":"active","stars":4,"created_at":"2025-10-03T14:00:00Z","at":1759501800,"tags":["a","b"],
                       "inner":{"x":[1,2,{"y":"z"}]},"title":"2025-10-03T16:00:00+02:00","at_ms":1759501800000})");
    const auto declare = [&](std::string_view name, Plain::TimeForm form) {
      Plain time = fields_.member(name);
      time.set_time_form(form);
      fields_.set(name, std::move(time));
    };
    declare("created_at", Plain::TimeForm::kText);
    declare("at", Plain::TimeForm::kSeconds);
    declare("at_ms", Plain::TimeForm::kMilliseconds);
    items_ = json(
        R"([{"count":2,"stats":{"a":1,"b":2},"date":"2025-10-01"},{"count":3.5,"stats":{"b":3}},{"date":"2025-10-03"}])");
    caller_ = json(R"({"sub":"u1","groups":["admin","staff"],"scope":"read nonadmin"})");
    names_["n"] = Plain::number(5);
    names_["word"] = Plain::text("Hello");
    names_["gone"] = Plain::null();
    names_["item"] = json(R"({"name":"x","roles":["r1","r2"]})");
    names_["set"] = Plain::set({Plain::text("r1"), Plain::text("r2")});
    names_["other"] = Plain::set({Plain::text("r2"), Plain::text("r3")});
    names_["found"] = json(R"([{"name":"a"},{"name":"b"},{}])");
  }
  static Plain json(std::string_view text) { return parse_plain_json(text).value_or(Plain()); }
  Scope scope() const {
    Scope scope;
    scope.names = &names_;
    scope.fields = &fields_;
    scope.items = &items_;
    scope.caller = &caller_;
    scope.now_ms = kNow;
    return scope;
  }
  static design::Expression parsed(std::string_view text) {
    design::Findings findings;
    auto result = design::parse_expression(text, {}, findings);
    EXPECT_TRUE(result.has_value()) << text;
    return result.value_or(design::Expression());
  }
  // As JSON; "absent", or "refused 400".
  std::string value(std::string_view text) const {
    const auto result = evaluate(parsed(text), scope());
    if (!result) return "refused " + std::to_string(result.error().status);
    return result->is_absent() ? "absent" : plain_json(*result);
  }
  bool is(std::string_view text) const { return holds(parsed(text), scope()).value_or(false); }

  std::map<std::string, Plain, std::less<>> names_;
  Plain fields_, items_, caller_;
};

TEST_F(Evaluate, names_inputs_members_and_elements) {
  EXPECT_EQ(value("status"), "\"active\"");
  EXPECT_EQ(value("$n"), "5");
  EXPECT_EQ(value("$nothing"), "absent");
  EXPECT_EQ(value("$item.name"), "\"x\"");
  EXPECT_EQ(value("$item.name.more"), "absent");
  EXPECT_EQ(value("inner.x[2].y"), "\"z\"");
  EXPECT_EQ(value("inner['x'][0]"), "1");
  EXPECT_EQ(value("inner.x[7]"), "absent");
  EXPECT_EQ(value("$found.name"), R"(["a","b"])");
  EXPECT_EQ(value("caller.sub"), "\"u1\"");
  EXPECT_EQ(value("now"), "\"2025-10-03T14:30:00.250Z\"");
  EXPECT_EQ(value("today"), "\"2025-10-03\"");
}

TEST_F(Evaluate, arithmetic_of_numbers_is_exact) {
  EXPECT_EQ(value("0.1 + 0.2"), "0.3");
  EXPECT_EQ(value("$n * 3 - 1"), "14");
  EXPECT_EQ(value("10 / 4"), "2.5");
  EXPECT_EQ(value("1 / 0"), "refused 400");
  EXPECT_EQ(value("$nothing + 1"), "absent");
  EXPECT_EQ(value("$gone + 1"), "absent");
  EXPECT_EQ(value("$word + 1"), "refused 400");
  EXPECT_EQ(value("coalesce($last.attempt_num, 0) + 1"), "1");
}

TEST_F(Evaluate, arithmetic_of_times) {
  EXPECT_EQ(value("now + 1h"), "\"2025-10-03T15:30:00.250Z\"");
  EXPECT_EQ(value("created_at + 90d"), "\"2026-01-01T14:00:00Z\"");
  EXPECT_EQ(value("at + 24h"), "\"2025-10-04T14:30:00Z\"");
  EXPECT_EQ(value("1h + now"), "\"2025-10-03T15:30:00.250Z\"");
  EXPECT_EQ(value("now - created_at"), "1800");
  EXPECT_EQ(value("date(now - ($n - 1) * 1d)"), "\"2025-09-29\"");
  EXPECT_EQ(value("1d / 2"), "43200");
  EXPECT_EQ(value("1d / 1h"), "24");
  EXPECT_EQ(value("now + 9999999999d"), "refused 400");
  EXPECT_EQ(value("$word + 1h"), "refused 400");
  EXPECT_EQ(value("now - ($days - 1) * 1d"), "absent");
}

TEST_F(Evaluate, times_compare_as_times) {
  EXPECT_TRUE(is("created_at < now"));
  EXPECT_TRUE(is("at <= now"));
  EXPECT_TRUE(is("created_at + 30m = at"));
  EXPECT_FALSE(is("created_at > now - 1m"));
  EXPECT_TRUE(is("created_at < '2025-10-03T14:00:00.500Z'"));
  EXPECT_TRUE(is("created_at = '2025-10-03T16:00:00+02:00'"));
  EXPECT_TRUE(is("at = at_ms AND at > created_at AND at_ms BETWEEN created_at AND now"));
  EXPECT_TRUE(is("'2025-10-03' <= now"));
  EXPECT_TRUE(is("now BETWEEN '2025-10-03' AND '2025-10-04'"));
  EXPECT_TRUE(is("now - created_at > 5m"));
}

TEST_F(Evaluate, texts_that_only_look_like_times_compare_as_texts) {
  EXPECT_FALSE(is("'2025-10-03T14:00:00Z' = '2025-10-03T16:00:00+02:00'"));
  EXPECT_FALSE(is("title = '2025-10-03T14:00:00Z'"));
  EXPECT_TRUE(is("title > '2025-10-03T14:00:00Z'"));
  EXPECT_TRUE(is("title > now AND title <> created_at"));
  EXPECT_FALSE(is("title IN (created_at, '2025-10-03T14:00:00Z') OR contains(list(title), '2025-10-03T14:00:00Z')"));
}

TEST_F(Evaluate, arithmetic_of_an_absent_attribute_equals_nothing) {
  EXPECT_TRUE(is("nope - 1 <> 2 AND NOT nope - 1 = 2 AND 2 <> 1 + nope * 2"));
  EXPECT_FALSE(is("$nothing - 1 <> 2 OR nope - 1 < 2"));
}

TEST_F(Evaluate, conditions) {
  EXPECT_TRUE(is("status = 'active' AND stars >= 4"));
  EXPECT_TRUE(is("stars < 10"));
  EXPECT_FALSE(is("stars = '4'"));
  EXPECT_TRUE(is("status <> 'x'"));
  EXPECT_TRUE(is("stars IN (1, 4)"));
  EXPECT_TRUE(is("'a' IN (tags)"));
  EXPECT_TRUE(is("NOT ($nothing = 1) AND NOT ($nothing <> 1)"));
  EXPECT_FALSE(is("$nothing < 1 OR $nothing = $nothing"));
  EXPECT_TRUE(is("$gone = null AND $nothing = null AND $n <> null"));
  EXPECT_FALSE(is("status"));
  EXPECT_TRUE(is("begins_with(status, 'act') AND contains(tags, 'b') AND contains($word, 'ell')"));
  EXPECT_TRUE(is("attribute_exists(stars) AND attribute_not_exists(nope) AND NOT exists($gone)"));
  EXPECT_TRUE(is("attribute_type(stars, 'N')"));
}

TEST_F(Evaluate, a_part_of_a_claim_is_not_the_claim) {
  EXPECT_TRUE(is("contains(caller.groups, 'admin')"));
  EXPECT_FALSE(is("contains(caller.groups, 'adm')"));
  EXPECT_FALSE(is("contains(caller.scope, 'admin')"));
  EXPECT_TRUE(is("contains(caller.scope, 'nonadmin')"));
  EXPECT_FALSE(is("contains(caller.nothing, 'admin')"));
  Scope nobody;
  EXPECT_FALSE(holds(parsed("exists(caller.sub)"), nobody).value_or(true));
}

TEST_F(Evaluate, ids_and_digests) {
  const auto id = evaluate(parsed("ulid()"), scope());
  ASSERT_TRUE(id.has_value());
  EXPECT_TRUE(is_ulid(id->string()));
  EXPECT_EQ(value("ulid_time('01ARZ3NDEKTSV4RRFFQ69G5FAV')"), "\"2016-07-30T23:54:10.259Z\"");
  EXPECT_EQ(value("ulid_time('x')"), "refused 400");
  EXPECT_EQ(value("token(24)").size(), 34u);
  EXPECT_EQ(value("sha256('abc')"), "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"");
}

TEST_F(Evaluate, times_and_texts) {
  EXPECT_EQ(value("date(created_at)"), "\"2025-10-03\"");
  EXPECT_EQ(value("hour(now)"), "\"2025-10-03-14\"");
  EXPECT_EQ(value("hour_of_day('2025-10-03T08:59:00Z')"), "\"08\"");
  EXPECT_EQ(value("date('2025-13-01')"), "refused 400");
  EXPECT_EQ(value("epoch(now)"), "1759501800");
  EXPECT_EQ(value("epoch(now, 'ms')"), "1759501800250");
  EXPECT_EQ(value("epoch(now, 1h)"), "1759500000");
  EXPECT_EQ(value("concat('a', $n, '-', today)"), "\"a5-2025-10-03\"");
  EXPECT_EQ(value("concat('a', $nothing)"), "absent");
  EXPECT_EQ(value("lower($word)"), "\"hello\"");
  EXPECT_EQ(value("date_range('2025-02-27', '2025-03-01')"), R"(["2025-02-27","2025-02-28","2025-03-01"])");
}

TEST_F(Evaluate, choices_compute_only_what_they_choose) {
  EXPECT_EQ(value("coalesce($gone, $nothing, 1, 1 / 0)"), "1");
  EXPECT_EQ(value("choose(status, 'old', 1 / 0, 'active', 2)"), "2");
  EXPECT_EQ(value("choose(status, 'old', 1)"), "absent");
  EXPECT_EQ(value("choose(status, 'old', 1, 9)"), "9");
  EXPECT_EQ(value("if(stars > 3, 'many', 1 / 0)"), "\"many\"");
  EXPECT_EQ(value("input_or($gone, 1)"), "null");
  EXPECT_EQ(value("input_or($nothing, 1)"), "1");
}

TEST_F(Evaluate, lists_sets_and_records) {
  EXPECT_EQ(value("without($set, $other)"), R"(["r1"])");
  EXPECT_EQ(value("size(without($set, $set))"), "0");
  EXPECT_EQ(value("without($set, $nothing)"), "absent");
  EXPECT_EQ(value("size(without($set, $nothing))"), "0");
  EXPECT_EQ(value("union($set, $other)"), R"(["r1","r2","r3"])");
  EXPECT_EQ(value("union($nothing, $other)"), R"(["r2","r3"])");
  EXPECT_EQ(value("append($nothing, record('from', now, 'n', $n, 'no', $nothing))"),
            R"([{"from":"2025-10-03T14:30:00.250Z","n":5}])");
  EXPECT_EQ(value("append(tags, 'c')"), R"(["a","b","c"])");
  EXPECT_EQ(value("list(1, 2, 3)"), "[1,2,3]");
  EXPECT_EQ(value("keys(inner)"), R"(["x"])");
}

TEST_F(Evaluate, results) {
  EXPECT_EQ(value("sum(items.count)"), "5.5");
  EXPECT_EQ(value("sum(items.stats)"), R"({"a":1,"b":5})");
  EXPECT_EQ(value("sum(items.nothing)"), "0");
  EXPECT_EQ(value("count(items)"), "3");
  EXPECT_EQ(value("first(items.date)"), "\"2025-10-01\"");
  EXPECT_EQ(value("last(items.date)"), "\"2025-10-03\"");
  EXPECT_EQ(value("max(items.count)"), "3.5");
  EXPECT_EQ(value("min(3, $n, $nothing)"), "3");
  EXPECT_EQ(value("max(items.nothing)"), "absent");
}

TEST_F(Evaluate, numbers_are_rounded_down_and_up) {
  for (const auto& [number, below, above] :
       {std::tuple("7", "7", "7"), std::tuple("7.01", "7", "8"), std::tuple("0.5", "0", "1"),
        std::tuple("0 - 0.5", "-1", "0"), std::tuple("0 - 10.5", "-11", "-10"), std::tuple("100.001", "100", "101"),
        std::tuple("9.5", "9", "10"), std::tuple("3600001 / 1800000", "2", "3")}) {
    EXPECT_EQ(value(fmt::format("floor({})", number)), below) << number;
    EXPECT_EQ(value(fmt::format("ceil({})", number)), above) << number;
  }
  EXPECT_EQ(value("ceil('a')"), "absent");
}

TEST_F(Evaluate, shards_are_enough_for_the_busiest_hour) {
  const char* shards = "min(64, max(1, ceil(coalesce(max($hours.submission_count), 0) / 1800000)))";
  names_["hours"] = json(R"([{"submission_count":10},{"submission_count":3600001}])");
  EXPECT_EQ(value(shards), "3");
  names_["hours"] = json("[]");
  EXPECT_EQ(value(shards), "1");
  names_["hours"] = json(R"([{"submission_count":99999999999}])");
  EXPECT_EQ(value(shards), "64");
}

}  // namespace
}  // namespace trestle::runtime
