#include "runtime/items/stored_item.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "design/language/reader.h"
#include "runtime/values/packing.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr const char* kSiteDesign = R"yaml(
design: test
tables:
  t:
    key: [PK, SK]
    indexes: {byTag: {key: [tag, siteId]}, byStars: {key: [starRating N, siteId]}}
  h: {key: [child, timestamp]}
entities:
  Site:
    table: t
    key: ["SITE#{siteId}", META]
    fields:
      siteId: ulid
      name: string(..50)
      payload: any optional
      note: text optional
      secret: token(8) secret encrypted optional
      tags: set<string> optional
      count: counter
    pack: {payload: {over: 100B, saves: 30%}, note: {over: 100B, saves: 30%, as: base64}}
    spill: {payload: {over: 500B}}
  Rating:
    table: t
    key: ["USER#{userId}", "SITE#{siteId}"]
    fields: {userId: string(1..40), siteId: ulid, stars: int(1..5)}
    index: {byStars: {on: byStars, key: ["{stars}", "SITE#{siteId}"]}}
  Action:
    table: h
    key: ["{child}", "{timestamp}#{id}#{name}#{n:04}"]
    fields: {child: e164, timestamp: time, id: ulid, name: string(1..40), n: int(0..9999)}
)yaml";

class FakeBlobs final : public BlobStore {
 public:
  Outcome<void> put(std::string_view name, std::string_view bytes) override {
    blobs[std::string(name)] = bytes;
    return {};
  }
  Outcome<std::string> get(std::string_view name) override {
    const auto found = blobs.find(name);
    if (found == blobs.end()) return refuse(503, "gone");
    return found->second;
  }
  Outcome<void> erase(std::string_view name) override {
    blobs.erase(std::string(name));
    return {};
  }
  Outcome<void> each(std::string_view, const std::function<void(std::string_view, int64_t)>&) override { return {}; }
  std::map<std::string, std::string, std::less<>> blobs;
};

class StoredItem : public testing::Test {
 protected:
  StoredItem()
      : reading_(design::read_design(kSiteDesign)),
        keys_(*KeyRing::parse(KeyRing::make_text())),
        codec_(reading_.design, &keys_, &blobs_) {
    EXPECT_TRUE(reading_.mistakes.empty()) << (reading_.mistakes.empty() ? "" : reading_.mistakes[0].message);
  }
  const design::Entity& entity(std::string_view name) const { return *reading_.design.entity(name); }
  static Plain json(std::string_view text) { return parse_plain_json(text).value_or(Plain()); }

  Value encoded(const char* field, const Plain& value, std::string_view owner = "t/SITE#x/META") {
    const design::Entity& site = entity("Site");
    const design::Pack* pack = nullptr;
    const design::Spill* spill = nullptr;
    for (const auto& one : site.packs) pack = one.field == field ? &one : pack;
    for (const auto& one : site.spills) spill = one.field == field ? &one : spill;
    auto result = codec_.encode(site, *site.field(field), pack, spill, value, owner);
    EXPECT_TRUE(result.has_value()) << result.error().message;
    return result.value_or(Value::null());
  }
  // The field's value after encoding and decoding, and its stored type.
  std::pair<Plain, ValueType> stored(const char* field, const Plain& value) {
    const Value result = encoded(field, value);
    const Item item({{"PK", Value::string("SITE#x")}, {"SK", Value::string("META")}, {field, result}});
    auto decoded = codec_.decode(entity("Site"), item);
    EXPECT_TRUE(decoded.has_value()) << decoded.error().message;
    return {decoded ? decoded->member(field) : Plain(), result.view().type()};
  }

  const design::Reading reading_;
  const KeyRing keys_;
  FakeBlobs blobs_;
  const ItemCodec codec_;
};

using Stored = std::pair<Plain, ValueType>;

TEST_F(StoredItem, small_values_are_stored_as_they_are) {
  EXPECT_EQ(stored("payload", json(R"({"a":[1,"x",null,true]})")),
            Stored(json(R"({"a":[1,"x",null,true]})"), ValueType::kMap));
  EXPECT_EQ(stored("payload", Plain::text("x")), Stored(Plain::text("x"), ValueType::kString));
  EXPECT_EQ(stored("payload", Plain::number(5)), Stored(Plain::number(5), ValueType::kNumber));
  EXPECT_EQ(stored("payload", json("[1]")), Stored(json("[1]"), ValueType::kList));
  EXPECT_EQ(stored("tags", Plain::set({Plain::text("b"), Plain::text("a")})).second, ValueType::kStringSet);
  EXPECT_EQ(stored("note", Plain::text("short")), Stored(Plain::text("short"), ValueType::kString));
}

TEST_F(StoredItem, large_values_are_packed_where_that_saves) {
  const Plain dull = json("{\"a\":\"" + std::string(300, 'x') + "\"}");
  EXPECT_EQ(stored("payload", dull), Stored(dull, ValueType::kBinary));
  EXPECT_TRUE(is_packed(encoded("payload", dull).view().scalar()));
  EXPECT_EQ(unpack_bytes(encoded("payload", dull).view().scalar()), plain_json(dull));
  const Plain note = Plain::text(std::string(300, 'x'));
  EXPECT_EQ(stored("note", note), Stored(note, ValueType::kString));
  EXPECT_TRUE(encoded("note", note).view().scalar().starts_with("H4sI"));
  // A value that does not shrink is stored unchanged.
  std::mt19937 random(1);
  std::string noise;
  for (int i = 0; i < 200; ++i) noise.push_back(static_cast<char>('!' + random() % 90));
  EXPECT_EQ(stored("payload", Plain::text(noise)), Stored(Plain::text(noise), ValueType::kString));
}

TEST_F(StoredItem, still_larger_ones_are_spilled) {
  std::mt19937 random(1);
  std::string noise;
  for (int i = 0; i < 2000; ++i) noise.push_back(static_cast<char>('!' + random() % 90));
  EXPECT_EQ(stored("payload", Plain::text(noise)), Stored(Plain::text(noise), ValueType::kMap));
  ASSERT_EQ(blobs_.blobs.size(), 1u);
  const Value result = encoded("payload", Plain::text(noise));
  const auto name = ItemCodec::blob_of(result);
  ASSERT_TRUE(name.has_value());
  EXPECT_TRUE(name->starts_with(codec_.blob_prefix(entity("Site"), "t/SITE#x/META")));
  EXPECT_EQ(name->find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._/-"),
            std::string::npos);
}

TEST_F(StoredItem, a_value_that_looks_like_a_reference_is_only_a_value) {
  const Plain forged = json(R"({"$blob":"test/t/other","bytes":1,"packed":false})");
  const Stored back = stored("payload", forged);
  EXPECT_EQ(back.first, forged);
  EXPECT_NE(back.second, ValueType::kMap);
  const Plain text = Plain::text("H4sIAAAA");
  EXPECT_EQ(stored("note", text).first, text);
}

TEST_F(StoredItem, a_reference_to_anothers_blob_is_not_followed) {
  const Value result = encoded("payload", Plain::text([] {
                                 std::mt19937 random(1);
                                 std::string noise;
                                 for (int i = 0; i < 2000; ++i) noise.push_back(static_cast<char>('!' + random() % 90));
                                 return noise;
                               }()));
  const Item moved({{"PK", Value::string("SITE#other")}, {"SK", Value::string("META")}, {"payload", result}});
  EXPECT_EQ(codec_.decode(entity("Site"), moved).error().status, 500);
}

TEST_F(StoredItem, encrypted_fields_are_sealed_for_their_item_and_not_shown) {
  const Plain secret = Plain::text("AAAAAAAAAAA");
  EXPECT_EQ(stored("secret", secret), Stored(secret, ValueType::kBinary));
  const Value sealed = encoded("secret", secret);
  EXPECT_EQ(sealed.bytes().find("AAAAAAAA"), std::string::npos);
  const Item other({{"PK", Value::string("SITE#y")}, {"SK", Value::string("META")}, {"secret", sealed}});
  EXPECT_FALSE(codec_.decode(entity("Site"), other).has_value());
  EXPECT_TRUE(codec_.decode_plain_fields(entity("Site"), other).member("secret").is_absent());
  Plain fields = json(R"({"name":"x","secret":"s"})");
  EXPECT_EQ(plain_json(ItemCodec::visible(entity("Site"), fields)), R"({"name":"x"})");
}

TEST_F(StoredItem, fields_are_read_out_of_keys) {
  const Item site({{"PK", Value::string("SITE#01ARZ3NDEKTSV4RRFFQ69G5FAV")},
                   {"SK", Value::string("META")},
                   {"Type", Value::string("Site")},
                   {"count", Value::number(3)},
                   {"name", Value::string("n")}});
  EXPECT_EQ(plain_json(codec_.decode(entity("Site"), site).value_or(Plain())),
            R"({"siteId":"01ARZ3NDEKTSV4RRFFQ69G5FAV","name":"n","count":3})");
  const Item rating({{"PK", Value::string("USER#u#1")},
                     {"SK", Value::string("SITE#01ARZ3NDEKTSV4RRFFQ69G5FAV")},
                     {"siteId", Value::string("SITE#01ARZ3NDEKTSV4RRFFQ69G5FAV")},
                     {"starRating", Value::number(4)},
                     {"stars", Value::number(4)}});
  EXPECT_EQ(plain_json(codec_.decode_plain_fields(entity("Rating"), rating)),
            R"({"userId":"u#1","siteId":"01ARZ3NDEKTSV4RRFFQ69G5FAV","stars":4})");
  const Item action({{"child", Value::string("+15551234567")},
                     {"timestamp", Value::string("2025-10-03T14:30:00Z#01ARZ3NDEKTSV4RRFFQ69G5FAV#a b#0007")}});
  EXPECT_EQ(
      plain_json(codec_.decode_plain_fields(entity("Action"), action)),
      R"({"child":"+15551234567","timestamp":"2025-10-03T14:30:00Z","id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","name":"a b","n":7})");
}

TEST_F(StoredItem, plain_values_come_back) {
  for (const char* text : {"null", "true", "1.5", "\"x\"", "[]", "{}", R"([1,[2],{"a":null}])"}) {
    const auto result = to_value(json(text), ValueType::kMap);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(plain_json(to_plain(*result)), text);
  }
  EXPECT_EQ(to_value(Plain::number(5), ValueType::kString)->view().type(), ValueType::kString);
  EXPECT_EQ(to_value(Plain::text("05"), ValueType::kNumber)->view().scalar(), "5");
  EXPECT_EQ(to_value(Plain::moment(1759501800000), ValueType::kNumber)->view().scalar(), "1759501800");
  EXPECT_EQ(to_value(Plain::list({Plain::text("b"), Plain::text("a"), Plain::text("b")}), ValueType::kStringSet)
                ->view()
                .set()
                .size(),
            2u);
  EXPECT_FALSE(to_value(Plain::set({}), ValueType::kStringSet).has_value());
  EXPECT_FALSE(to_value(Plain::text("x"), ValueType::kNumber).has_value());
  const Plain binaries = Plain::set({Plain::binary("b"), Plain::binary("a")});
  EXPECT_EQ(to_plain(*to_value(binaries, ValueType::kBinarySet)), binaries);
}

}  // namespace
}  // namespace trestle::runtime
