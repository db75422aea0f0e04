#include "design/diff/diff.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "design/language/reader.h"

namespace trestle::design {
namespace {

// A small design; each test replaces some of its parts.
struct Pieces {
  std::string key = "[PK, SK]";
  std::string settings = "";
  std::string project = "all";
  std::string user_key = "[\"USER#{id}\", \"USER#{id}\"]";
  std::string fields = "id: ulid auto, name: string(1..100), status: \"enum(a, b)\"";
  std::string entry = "byStatus: {on: G1, key: [\"S#{status}\", \"{id}\"]}";
  std::string more = "";
  std::string inputs = "";

  Design design() const {
    const std::string text = fmt::format(R"y(design: d
tables:
  t:
    key: {}
{}    indexes: {{G1: {{key: [G1PK, G1SK], project: {}}}}}
entities:
  User:
    key: {}
    fields: {{{}}}
    index: {{{}}}
{}reads:
  user: {{get: User}}
  byStatus: {{query: User.byStatus}}
writes:
  put: {{put: User{}}}
)y",
                                         key, settings, project, user_key, fields, entry, more, inputs);
    Reading reading = read_design(text);
    for (const Finding& mistake : reading.mistakes) ADD_FAILURE() << mistake.message << "\n" << text;
    return std::move(reading.design);
  }
};

// The only change with this subject.
Change change(const Pieces& after, std::string_view subject) {
  const auto changes = diff_designs(Pieces{}.design(), after.design());
  for (const Change& one : changes) {
    if (one.subject == subject) return one;
  }
  ADD_FAILURE() << "nothing about " << subject << ":\n" << diff_text(changes);
  return {};
}

TEST(Diff, a_design_and_itself_differ_in_nothing) {
  const auto changes = diff_designs(Pieces{}.design(), Pieces{}.design());
  EXPECT_TRUE(changes.empty()) << diff_text(changes);
  EXPECT_FALSE(needs_work(changes));
}

TEST(Diff, a_tables_key_cannot_change) {
  const Change found = change({.key = "[PK, SK N]",
                               .user_key = "[\"USER#{id}\", \"{n}\"]",
                               .fields = "id: ulid auto, name: string(1..100), status: \"enum(a, b)\", n: int"},
                              "table t");
  EXPECT_EQ(found.effort, Effort::kReplace);
  EXPECT_EQ(found.operations, (std::vector<std::string>{"user", "byStatus", "put"}));
}

TEST(Diff, a_projection_cannot_change_and_the_order_of_its_attributes_is_none) {
  EXPECT_EQ(change({.project = "[name]"}, "index t.G1").effort, Effort::kReplace);
  Pieces a{.project = "[name, status]"};
  Pieces b{.project = "[status, name]"};
  EXPECT_TRUE(diff_designs(a.design(), b.design()).empty());
}

TEST(Diff, a_changed_key_requires_rewriting_every_item) {
  const Change found = change({.user_key = "[\"U#{id}\", \"USER#{id}\"]"}, "User");
  EXPECT_EQ(found.effort, Effort::kReplace);
  EXPECT_NE(found.what.find("U#{id}"), std::string::npos);
}

TEST(Diff, a_changed_index_template_names_the_reads_that_miss_items_meanwhile) {
  const Change found = change({.entry = "byStatus: {on: G1, key: [\"STATUS#{status}\", \"{id}\"]}"}, "User.byStatus");
  EXPECT_EQ(found.effort, Effort::kBackfill);
  EXPECT_EQ(found.operations, std::vector<std::string>{"byStatus"});
}

TEST(Diff, new_fields_need_values_unless_they_may_be_absent) {
  const std::string base = Pieces{}.fields;
  EXPECT_EQ(change({.fields = base + ", age: int"}, "User.age").effort, Effort::kBackfill);
  EXPECT_EQ(change({.fields = base + ", age: int optional"}, "User.age").effort, Effort::kSafe);
  EXPECT_NE(change({.fields = base + ", age: int = 7"}, "User.age").to_do.find("7"), std::string::npos);
}

TEST(Diff, enums_may_grow_and_not_shrink) {
  EXPECT_EQ(change({.fields = "id: ulid auto, name: string(1..100), status: \"enum(a, b, c)\""}, "User.status").effort,
            Effort::kSafe);
  EXPECT_EQ(change({.fields = "id: ulid auto, name: string(1..100), status: \"enum(a)\""}, "User.status").effort,
            Effort::kBackfill);
}

TEST(Diff, bounds_may_widen_and_not_narrow) {
  EXPECT_EQ(change({.fields = "id: ulid auto, name: string(1..200), status: \"enum(a, b)\""}, "User.name").effort,
            Effort::kSafe);
  EXPECT_EQ(change({.fields = "id: ulid auto, name: string(1..50), status: \"enum(a, b)\""}, "User.name").effort,
            Effort::kBackfill);
  EXPECT_EQ(change({.fields = "id: ulid auto, name: int, status: \"enum(a, b)\""}, "User.name").effort,
            Effort::kBackfill);
}

TEST(Diff, ttl_streams_and_billing_are_settings) {
  EXPECT_EQ(change({.settings = "    ttl: ttl\n"}, "table t").effort, Effort::kBackfill);
  EXPECT_EQ(change({.settings = "    stream: new\n"}, "table t").effort, Effort::kSafe);
  EXPECT_EQ(change({.settings = "    billing: {read: 1, write: 1}\n"}, "table t").effort, Effort::kSafe);
}

TEST(Diff, uniqueness_must_be_settled_first) {
  EXPECT_EQ(change({.more = "    unique: {name: \"NAME#{name}\"}\n"}, "User.name").effort, Effort::kBackfill);
}

TEST(Diff, shard_counts_without_epochs_strand_items) {
  const auto sharded = [](int count) {
    return Pieces{.user_key = "[\"USER#{s}#{id}\", X]",
                  .more = fmt::format("    shard: {{s: {{of: id, count: {}}}}}\n", count)};
  };
  bool found = false;
  for (const Change& one : diff_designs(sharded(4).design(), sharded(8).design()))
    found = found || (one.subject == "User.s" && one.effort == Effort::kReplace);
  EXPECT_TRUE(found);
}

TEST(Diff, removing_reverses_adding) {
  Pieces with{.fields = Pieces{}.fields + ", age: int optional"};
  const auto changes = diff_designs(with.design(), Pieces{}.design());
  EXPECT_TRUE(std::any_of(changes.begin(), changes.end(),
                          [](const Change& one) { return one.subject == "User.age" && one.effort == Effort::kSafe; }));
  // Writes reject an input that they accepted before.
  EXPECT_TRUE(needs_work(changes));
}

}  // namespace
}  // namespace trestle::design
