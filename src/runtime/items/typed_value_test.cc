#include "runtime/items/typed_value.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "design/language/reader.h"
#include "runtime/call/checked_inputs.h"
#include "runtime/values/moment.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/text_types.h"

namespace trestle::runtime {
namespace {

constexpr const char* kThingDesign = R"yaml(
design: test
types:
  Port: {port: int(1..65535), protocol: "enum(TCP, UDP)", note: string(..5) optional}
tables: {t: {key: [PK, SK]}}
entities:
  Thing:
    key: ["T#{id}", X]
    fields: {id: ulid, name: string(1..20), note: string(..20) optional, ports: list<Port>(..2) optional, tags: set<string> optional}
reads:
  thing: {get: Thing}
  things: {scan: Thing, takes: {n: int(1..5) = 3, at: time = now, day: date = date($at), flag: bool optional, tags: set<string> optional}}
writes:
  create: {put: Thing}
  update: {update: Thing}
)yaml";

class TypedValue : public testing::Test {
 protected:
  static constexpr int64_t kNow = 1759501800250;
  TypedValue() : reading_(design::read_design(kThingDesign)) {
    EXPECT_TRUE(reading_.mistakes.empty()) << (reading_.mistakes.empty() ? "" : reading_.mistakes[0].message);
  }
  const design::Design& design() const { return reading_.design; }
  static design::FieldType type(std::string_view text) {
    design::Findings findings;
    auto result = design::take_type(
        text, {},
        [](std::string_view name) -> std::optional<design::FieldType> {
          if (name != "Port") return std::nullopt;
          return design::FieldType{.base = design::BaseType::kRecord, .record = "Port"};
        },
        findings);
    EXPECT_TRUE(result.has_value()) << text;
    return result.value_or(design::FieldType());
  }
  static Plain json(std::string_view text) {
    auto parsed = parse_plain_json(text);
    EXPECT_TRUE(parsed.has_value()) << text;
    return parsed.value_or(Plain());
  }
  // The converted value as JSON, or its faults.
  std::string check(std::string_view type_text, std::string_view text) const {
    std::vector<FieldFault> faults;
    const Plain result = check_input(design(), type(type_text), json(text), "x", faults);
    if (faults.empty()) return plain_json(result);
    std::string out;
    for (const FieldFault& fault : faults) out += (out.empty() ? "" : "; ") + fault.field + " " + fault.reason;
    return out;
  }
  std::string inputs(std::string_view operation, std::string_view text) const {
    const auto result = checked_inputs(design(), *design().operation(operation), json(text), kNow);
    std::string out;
    if (!result) {
      EXPECT_EQ(result.error().status, 400);
      for (const FieldFault& fault : result.error().fields)
        out += (out.empty() ? "" : "; ") + fault.field + " " + fault.reason;
      return out;
    }
    for (const auto& [name, value] : *result) out += (out.empty() ? "" : " ") + name + "=" + plain_json(value);
    return out;
  }
  std::string shape(std::string_view type_text, Plain value) const {
    const auto result = convert_to_type(design(), type(type_text), std::move(value), "x");
    if (!result) return "refused " + std::to_string(result.error().status);
    return result->is_absent() ? "absent" : plain_json(*result);
  }

  const design::Reading reading_;
};

TEST_F(TypedValue, texts_are_folded) {
  EXPECT_EQ(check("email", R"("Ann.B+c@Example.COM")"), R"("ann.b+c@example.com")");
  EXPECT_EQ(check("domain", R"("WWW.Example.com")"), R"("www.example.com")");
  EXPECT_EQ(check("pattern_domain", R"("*.TikTok.com")"), R"("*.tiktok.com")");
  EXPECT_EQ(check("ip", R"("2001:DB8:0:0:0:0:0:1")"), R"("2001:db8::1")");
  EXPECT_EQ(check("ip", R"("10.0.0.1")"), R"("10.0.0.1")");
  EXPECT_EQ(check("cidr", R"("23.211.0.0/16")"), R"("23.211.0.0/16")");
  EXPECT_EQ(check("cidr", R"("2001:DB8::/32")"), R"("2001:db8::/32")");
  EXPECT_EQ(check("uuid", R"("8B0C6C1E-7D0E-4B5C-A1B9-0D4F6E3F7C21")"), R"("8b0c6c1e-7d0e-4b5c-a1b9-0d4f6e3f7c21")");
  EXPECT_EQ(check("e164", R"("+15551234567")"), R"("+15551234567")");
  EXPECT_EQ(check("url", R"("https://user@example.com:8443/a?b=c#d")"), R"("https://user@example.com:8443/a?b=c#d")");
  EXPECT_EQ(check("url", R"("http://[2001:db8::1]:80/")"), R"("http://[2001:db8::1]:80/")");
  EXPECT_EQ(check("url", R"("http://localhost")"), R"("http://localhost")");
  EXPECT_EQ(check("zone", R"("Europe/Berlin")"), R"("Europe/Berlin")");
}

TEST_F(TypedValue, what_is_not_of_the_type_is_refused_with_what_is_wanted) {
  const std::pair<const char*, std::vector<const char*>> cases[] = {
      {"email",
       {"\"\"", "\"a\"", "\"a@b\"", "\"@b.com\"", "\"a@b.com@\"", "\"a b@c.com\"", "\"a#b@c.com\"", "\".a@c.com\"",
        "\"a..b@c.com\"", "\"a@-c.com\"", "1", "[]"}},
      {"domain",
       {"\"\"", "\"localhost\"", "\"a..b\"", "\"-a.com\"", "\"a.com.\"", "\"a_b.com\"", "\"1.2.3.4\"", "\"*.a.com\"",
        "\"a.com/b\"", "\"http://a.com\"", "\"bücher.de\"", "null"}},
      {"pattern_domain", {"\"*\"", "\"*.\"", "\"*.com\"", "\"a.*.com\"", "\"**.a.com\""}},
      {"url",
       {"\"ftp://a.com\"", "\"http://\"", "\"http://a b\"", "\"//a.com\"", "\"javascript:alert(1)\"",
        "\"http://a:99999/\"", "\"http://:80/\"", "\"http://[x]/\"", "\"https://-a/\""}},
      {"e164",
       {"\"15551234567\"", "\"+0123456789\"", "\"+123456\"", "\"+1234567890123456\"", "\"+1 555\"", "15551234567"}},
      {"ip", {"\"1.2.3\"", "\"256.1.1.1\"", "\"1.2.3.4/8\"", "\"::g\"", "\"01.2.3.4\"", "\"\""}},
      {"cidr",
       {"\"10.0.0.0\"", "\"10.0.0.1/8\"", "\"10.0.0.0/33\"", "\"10.0.0.0/\"", "\"10.0.0.0/+8\"", "\"x/8\"",
        "\"2001:db8::1/32\""}},
      {"ulid", {"\"x\"", "\"01arz3ndektsv4rrffq69g5fav\"", "1"}},
      {"uuid", {"\"8b0c6c1e7d0e4b5ca1b90d4f6e3f7c21\"", "\"8b0c6c1e-7d0e-4b5c-a1b9-0d4f6e3f7c2g\""}},
      {"sha256", {"\"abc\""}},
      {"hex(4)", {"\"abc\"", "\"ABCD\"", "\"abcde\""}},
      {"token(24)", {"\"abc\"", "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+A\""}},
      {"time", {"\"2025-13-01T00:00:00Z\"", "\"2025-10-03\"", "\"now\"", "1759501800", "\"2025-02-30T00:00:00Z\""}},
      {"date", {"\"2025-02-30\"", "\"2025-10-03T00:00:00Z\"", "20251003"}},
      {"hour", {"\"2025-10-03-24\"", "\"2025-10-03\""}},
      {"minute_of_day", {"\"24:00\"", "\"7:00\"", "\"07:60\"", "420"}},
      {"zone", {"\"Berlin\"", "\"\"", "\"../zone\""}},
      {"epoch", {"\"x\"", "-1", "99999999999999999999"}},
      {"bool", {"\"true\"", "1", "\"yes\""}},
      {"int(1..5)", {"0", "6", "1.5", "\"3\"", "true", "1e3"}},
      {"number", {"\"1\"", "[]"}},
      {"money", {"1.005", "\"1.00\""}},
      {"enum(a, b)", {"\"c\"", "\"A\"", "1"}},
      {"string(2..3)", {"\"a\"", "\"abcd\"", "\"é\"", "5"}},
      {"string([a-z0-9-], 1..8)", {"\"A\"", "\"a b\"", "\"\"", "\"a#b\""}},
      {"binary", {"\"A\"", "\"****\"", "5"}},
      {"set<string>", {"[]", "\"a\"", "{}", "[1]", "[null]"}},
      {"list<int>(..2)", {"[1,2,3]", "{}", "[\"x\"]"}},
      {"map<int>", {"[]", "{\"a\":\"x\"}", "{\"a\":null}", "{\"\":1}"}},
  };
  for (const auto& [wanted, values] : cases) {
    for (const char* value : values) {
      if (std::string_view(value) == "null") continue;
      const std::string said = check(wanted, value);
      EXPECT_TRUE(said.starts_with("x") && said.find(" must ") != std::string::npos)
          << wanted << " " << value << ": " << said;
    }
  }
  EXPECT_EQ(check("email", "5"), "x must be an email address");
  EXPECT_EQ(check("int(1..65535)", "0"), "x must be between 1 and 65535");
  EXPECT_EQ(check("int(0..)", "-1"), "x must be at least 0");
  EXPECT_EQ(check("string(..3)", "\"abcd\""), "x must have at most 3 characters");
  EXPECT_EQ(check("enum(a, b)", "\"c\""), "x must be one of a, b");
}

TEST_F(TypedValue, lengths_are_in_characters) {
  EXPECT_EQ(check("string(2..3)", "\"éé\""), "\"éé\"");
  EXPECT_EQ(check("string(1..1)", "\"😀\""), "\"😀\"");
}

TEST_F(TypedValue, text_is_utf8) {
  for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "a\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
    std::vector<FieldFault> faults;
    (void)check_input(design(), type("string"), Plain::text(bad), "x", faults);
    (void)check_input(design(), type("any"), Plain::list({Plain::text(bad)}), "x", faults);
    EXPECT_EQ(faults.size(), 2u);
  }
  EXPECT_TRUE(is_utf8("aé€😀"));
}

TEST_F(TypedValue, numbers_and_times_are_normalised) {
  EXPECT_EQ(check("number", "1.50"), "1.5");
  EXPECT_EQ(check("money", "12.3"), "12.3");
  EXPECT_EQ(check("time", R"("2025-10-03T16:30:00.9+02:00")"), R"("2025-10-03T14:30:00Z")");
  EXPECT_EQ(check("time(ms)", R"("2025-10-03T14:30:00Z")"), R"("2025-10-03T14:30:00.000Z")");
  EXPECT_EQ(check("epoch", R"("2025-10-03T14:30:59Z")"), "1759501859");
  EXPECT_EQ(check("epoch(1m)", "1759501859"), "1759501800");
  EXPECT_EQ(check("epoch(ms)", "1759501859123"), "1759501859123");
}

TEST_F(TypedValue, containers_name_the_place_of_a_fault) {
  EXPECT_EQ(check("set<string>", R"(["b","a","b"])"), R"(["a","b"])");
  EXPECT_EQ(check("list<Port>", R"([{"port":443,"protocol":"TCP"}])"), R"([{"port":443,"protocol":"TCP"}])");
  EXPECT_EQ(check("list<Port>", R"([{"port":443,"protocol":"TCP"},{"port":0,"protocol":"X"}])"),
            "x[1].port must be between 1 and 65535; x[1].protocol must be one of TCP, UDP");
  EXPECT_EQ(check("list<Port>", R"([{"port":1,"odd":2}])"), "x[0].protocol is missing; x[0].odd is unknown");
  EXPECT_EQ(check("map<int>", R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(check("map", R"({"a":[null,{"b":true}]})"), R"({"a":[null,{"b":true}]})");
  EXPECT_EQ(check("any", R"([1,"x",{"$blob":"y"}])"), R"([1,"x",{"$blob":"y"}])");
}

TEST_F(TypedValue, inputs_are_known_and_complete) {
  EXPECT_EQ(inputs("create", R"({"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","name":"n"})"),
            R"(id="01ARZ3NDEKTSV4RRFFQ69G5FAV" name="n")");
  EXPECT_EQ(inputs("create", R"({"name":"","odd":1})"),
            "odd is unknown; id is missing; name must have between 1 and 20 characters");
  EXPECT_EQ(inputs("create", "[]"), "");
  EXPECT_EQ(inputs("things", "{}"), R"(at="2025-10-03T14:30:00Z" day="2025-10-03" n=3)");
  EXPECT_EQ(inputs("things", R"({"n":null,"at":"2024-02-29T00:00:00Z"})"),
            R"(at="2024-02-29T00:00:00Z" day="2024-02-29" n=3)");
}

TEST_F(TypedValue, null_removes_an_optional_field_of_an_update_and_nothing_else) {
  const std::string id = R"("id":"01ARZ3NDEKTSV4RRFFQ69G5FAV")";
  EXPECT_EQ(inputs("update", "{" + id + R"(,"note":null})"), R"(id="01ARZ3NDEKTSV4RRFFQ69G5FAV" note=null)");
  EXPECT_EQ(inputs("update", "{" + id + R"(,"name":null})"), "name must not be null");
  EXPECT_EQ(inputs("create", "{" + id + R"(,"name":"n","note":null})"), R"(id="01ARZ3NDEKTSV4RRFFQ69G5FAV" name="n")");
  EXPECT_EQ(inputs("create", "{" + id + R"(,"name":null})"), "name must not be null");
}

TEST_F(TypedValue, a_text_is_no_number) {
  EXPECT_EQ(inputs("things", R"({"n":4,"flag":true,"at":"2024-02-29T00:00:00Z","tags":["b","a"]})"),
            R"(at="2024-02-29T00:00:00Z" day="2024-02-29" flag=true n=4 tags=["a","b"])");
  EXPECT_EQ(inputs("things", R"({"n":"4","flag":"true"})"), "n must be a whole number; flag must be true or false");
}

TEST_F(TypedValue, computed_values_take_the_form_of_their_field) {
  EXPECT_EQ(shape("time", Plain::moment(kNow)), R"("2025-10-03T14:30:00Z")");
  EXPECT_EQ(shape("time(ms)", Plain::moment(kNow)), R"("2025-10-03T14:30:00.250Z")");
  EXPECT_EQ(shape("date", Plain::moment(kNow)), R"("2025-10-03")");
  EXPECT_EQ(shape("hour", Plain::moment(kNow)), R"("2025-10-03-14")");
  EXPECT_EQ(shape("epoch(1m)", Plain::moment(kNow)), "1759501800");
  EXPECT_EQ(shape("epoch", Plain::text("2025-10-03T14:30:00Z")), "1759501800");
  EXPECT_EQ(shape("string", Plain::number(5)), "\"5\"");
  EXPECT_EQ(shape("int(0..9)", Plain::number(-1)), "-1");
  EXPECT_EQ(shape("int", Plain::number("1.5")), "refused 400");
  EXPECT_EQ(shape("int", Plain::duration(60)), "60");
  EXPECT_EQ(shape("set<string>", Plain::list({Plain::text("b"), Plain::text("a")})), R"(["a","b"])");
  EXPECT_EQ(shape("set<string>", Plain::set({})), "absent");
  EXPECT_EQ(shape("email", Plain::text("x")), "refused 400");
  EXPECT_EQ(shape("time", Plain()), "absent");
  EXPECT_EQ(
      shape("list<Port>", Plain::list({Plain::map({{"port", Plain::number(1)}, {"protocol", Plain::text("TCP")}})})),
      R"([{"port":1,"protocol":"TCP"}])");
}

TEST_F(TypedValue, key_texts_come_back) {
  for (const auto& [kind, value] : {std::pair("int", Plain::number(12)),
                                    {"ulid", Plain::text("01ARZ3NDEKTSV4RRFFQ69G5FAV")},
                                    {"bool", Plain::boolean(true)},
                                    {"epoch", Plain::number(1759501800)},
                                    {"time", Plain::text("2025-10-03T14:30:00Z")},
                                    {"enum(a, b)", Plain::text("b")}}) {
    EXPECT_EQ(from_key_text(type(kind), key_text(type(kind), value)), value) << kind;
  }
  EXPECT_EQ(key_text(type("time"), Plain::moment(kNow)), "2025-10-03T14:30:00Z");
  EXPECT_EQ(from_key_text(type("int"), "0007"), Plain::number(7));
}

}  // namespace
}  // namespace trestle::runtime
