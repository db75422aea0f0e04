// Each check: a design that causes the finding, and the most similar one that does not.
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

std::string with_write(std::string_view write) {
  return fmt::format(R"y(entities:
  A: {{key: ["A#{{a}}", X], fields: {{a: ulid, n: string(..20), s: "enum(x, y, z)", h: map<int> optional}}, flow: {{s: {{x: [y]}}}}, index: {{i: {{on: G1, key: ["N#{{n}}", X]}}}}}}
writes: {{w: {}}}
)y",
                     write);
}

TEST(CheckWrites, T301_a_transaction_that_is_too_large) {
  const auto tags = [](std::string_view bound) {
    return fmt::format(
        "entities: {{A: {{key: [\"A#{{a}}\", X], fields: {{a: ulid, tags: set<string>{} optional}}, each: {{tags: "
        "T.tag}}}}, T: {{key: [\"A#{{a}}\", \"T#{{tag}}\"], fields: {{a: ulid, tag: string}}}}}}\nwrites: {{w: {{put: "
        "A}}}}",
        bound);
  };
  EXPECT_TRUE(has("T301", tags("")));
  EXPECT_TRUE(has("T301", tags("(..200)y")));
  EXPECT_FALSE(has("T301", tags("(..40)y")));
}
TEST(CheckWrites, T301_counts_children_only_of_a_write_that_changes_them) {
  const auto update = [](std::string_view sets) {
    return fmt::format(
        "entities: {{A: {{key: [\"A#{{a}}\", X], fields: {{a: ulid, note: string optional, copied: string optional, "
        "tags: set<string>(..60) optional}}, each: {{tags: T.tag}}}}, T: {{key: [\"A#{{a}}\", \"T#{{tag}}\"], fields: "
        "{{a: ulid, tag: string, copied: string optional}}}}}}\nwrites: {{w: {{takes: {{a: ulid, x: string, list: "
        "set<string>(..60)}}, steps: [{{update: A, set: {{{}}}}}]}}}}",
        sets);
  };
  EXPECT_FALSE(has("T301", update("note: $x")));
  EXPECT_FALSE(has("T301", update("copied: $x")));
  EXPECT_TRUE(has("T301", update("tags: $list")));
}
TEST(CheckWrites, T302_one_item_twice_in_a_transaction) {
  EXPECT_TRUE(has("T302", with_write("{takes: {a: ulid}, atomic: [{check: A, if: present}, {delete: A}]}")));
  EXPECT_FALSE(has(
      "T302", with_write("{takes: {a: ulid, b: ulid}, atomic: [{check: A, if: present}, {delete: A, by: {a: $b}}]}")));
}
TEST(CheckWrites, T303_an_update_that_creates_an_incomplete_item) {
  EXPECT_TRUE(has("T303", with_write(R"y({update: A, takes: {a: ulid, v: string}, raw: "SET s = :v"})y")));
  EXPECT_FALSE(
      has("T303", with_write(R"y({update: A, takes: {a: ulid, v: string, w: string}, raw: "SET s = :v, n = :w"})y")));
  EXPECT_FALSE(
      has("T303", with_write(R"y({update: A, takes: {a: ulid, v: string}, raw: "SET s = :v", if: present})y")));
}
TEST(CheckWrites, T304_an_update_into_a_missing_map) {
  EXPECT_TRUE(has("T304", with_write(R"y({update: A, takes: {a: ulid, v: int}, raw: "ADD h.x :v"})y")));
  EXPECT_FALSE(has("T304", with_write(R"y({update: A, takes: {a: ulid, v: int}, raw: "SET h = :v"})y")));
}
TEST(CheckWrites, T305_a_key_that_is_changed) {
  EXPECT_TRUE(has("T305", with_write("{takes: {a: ulid, b: ulid}, update: A, by: [a], set: {a: $b}}")));
  EXPECT_FALSE(has("T305", with_write("{takes: {a: ulid, b: string}, update: A, by: [a], set: {n: $b}}")));
}
TEST(CheckWrites, T306_a_status_that_the_flow_does_not_reach) {
  EXPECT_TRUE(has("T306", with_write("{takes: {a: ulid}, update: A, set: {s: z}}")));
  EXPECT_FALSE(has("T306", with_write("{takes: {a: ulid}, update: A, set: {s: y}}")));
}
TEST(CheckWrites, T307_an_item_without_a_required_field) {
  EXPECT_TRUE(has("T307", with_write("{takes: {a: ulid, s: A.s}, put: A}")));
  EXPECT_FALSE(has("T307", with_write("{takes: {a: ulid, s: A.s, n: string}, put: A}")));
  EXPECT_FALSE(has("T307", with_write("{put: A}")));
  EXPECT_FALSE(has("T307", with_write("{takes: {a: ulid, b: ulid}, steps: [{get: A, as: found, none: 404}, {put: A, "
                                      "from: $found, set: {a: $b}, if: absent}]}")));
}
TEST(CheckWrites, T309_a_condition_on_both_key_attributes) {
  EXPECT_TRUE(has("T309", with_write("{put: A, if: attribute_not_exists(PK) AND attribute_not_exists(SK)}")));
  EXPECT_FALSE(has("T309", with_write("{put: A, if: attribute_not_exists(PK)}")));
}
TEST(CheckCapacity, T401_a_partition_that_takes_too_much) {
  const auto rate = [](std::string_view text) {
    return fmt::format(
        "entities: {{A: {{key: [\"T#{{t}}\", \"A#{{a}}\"], fields: {{t: string, a: ulid auto}}}}}}\nwrites: {{w: "
        "{{put: A, peak: {}}}}}",
        text);
  };
  EXPECT_TRUE(has("T401", rate("1500/s per t")));
  EXPECT_FALSE(has("T401", rate("900/s per t")));
  EXPECT_FALSE(has("T401", rate("1500/s")));  // over many values of t
}
TEST(CheckCapacity, T401_counts_capacity_units_and_reads) {
  EXPECT_TRUE(has("T401",
                  "entities: {A: {key: [\"T#{t}\", \"A#{a}\"], fields: {t: string, a: ulid auto}, size: 3KB}}\nwrites: "
                  "{w: {put: A, peak: 400/s per t}}"));
  EXPECT_FALSE(has("T401",
                   "entities: {A: {key: [\"T#{t}\", \"A#{a}\"], fields: {t: string, a: ulid auto}, size: "
                   "1KB}}\nwrites: {w: {put: A, peak: 400/s per t}}"));
  EXPECT_TRUE(has("T401", "entities: {A: {key: [ONE, X], fields: {t: string}}}\nreads: {r: {get: A, peak: 7000/s}}"));
  EXPECT_FALSE(has("T401", "entities: {A: {key: [ONE, X], fields: {t: string}}}\nreads: {r: {get: A, peak: 5000/s}}"));
}
TEST(CheckCapacity, T401_divides_by_shards) {
  const auto shards = [](int count) {
    return fmt::format(
        "entities: {{A: {{key: [\"T#{{t}}#{{n}}\", \"A#{{a}}\"], fields: {{t: \"string([a-z])\", a: ulid auto}}, "
        "shard: {{n: {{of: a, count: {}}}}}}}}}\nwrites: {{w: {{put: A, peak: 5000/s per t}}}}",
        count);
  };
  EXPECT_TRUE(has("T401", shards(4)));
  EXPECT_FALSE(has("T401", shards(8)));
}
TEST(CheckCapacity, T402_few_partitions) {
  EXPECT_TRUE(has("T402", R"y(entities: {A: {key: ["S#{s}", "A#{a}"], fields: {s: "enum(x, y)", a: ulid auto}}})y"));
  EXPECT_FALSE(has("T402", R"y(entities: {A: {key: ["S#{s}", "A#{a}"], fields: {s: string, a: ulid auto}}})y"));
  EXPECT_FALSE(has("T402",
                   "entities: {A: {key: [\"S#{s}\", \"A#{a}\"], fields: {s: \"enum(x, y)\", a: ulid auto}}}\nwrites: "
                   "{w: {put: A, peak: 10/s}}"));
}
TEST(CheckCapacity, T403_one_partition_per_time) {
  EXPECT_TRUE(has("T403", R"y(entities: {A: {key: ["D#{d}", "A#{a}"], fields: {d: date, a: ulid auto}}})y"));
  EXPECT_FALSE(
      has("T403",
          R"y(entities: {A: {key: ["D#{d}#{t}", "A#{a}"], fields: {d: date, t: "string([a-z])", a: ulid auto}}})y"));
}

std::string sharded(std::string_view index_key, std::string_view shard, std::string_view rest = "") {
  return fmt::format(R"y(entities:
  A: {{key: ["T#{{t}}#{{n}}", "A#{{a}}"], fields: {{t: "string([a-z])", a: ulid auto, at: time}}, shard: {{n: {}}}, index: {{i: {{on: G1, key: ["{}", "{{at}}"]}}}}}}
  C: {{key: ["T#{{t}}", C], fields: {{t: "string([a-z])", count: int(1..64), epochs: list}}}}
  M: {{key: ["T#{{t}}", M], fields: {{t: "string([a-z])", total: counter}}}}
{})y",
                     shard, index_key, rest);
}
TEST(CheckShards, T404_an_index_as_hot_as_the_table) {
  EXPECT_TRUE(has("T404", sharded("T#{t}", "{of: a, count: 4}")));
  EXPECT_FALSE(has("T404", sharded("T#{t}#{n}", "{of: a, count: 4}")));
}
TEST(CheckShards, T405_T406_a_shard_computed_from_a_time) {
  EXPECT_TRUE(has("T405", sharded("T#{t}#{n}", "{of: at, count: 4}")));
  EXPECT_TRUE(has("T406", sharded("T#{t}#{n}", "{of: at, count: 4}")));
  EXPECT_FALSE(has("T405", sharded("T#{t}#{n}", "{of: a, count: 4}")));
  EXPECT_FALSE(has("T406", sharded("T#{t}#{n}", "{of: a, count: 4}")));
}
TEST(CheckShards, T407_a_count_that_changes_without_epochs) {
  EXPECT_TRUE(has("T407", sharded("T#{t}#{n}", "{of: a, count: C.count}")));
  EXPECT_FALSE(has("T407", sharded("T#{t}#{n}", "{of: a, count: C.count, epochs: C.epochs}")));
  EXPECT_FALSE(has("T407", sharded("T#{t}#{n}", "{of: a, count: 4}")));
}
TEST(CheckShards, T408_unnecessary_shards) {
  EXPECT_TRUE(has("T408", sharded("T#{t}#{n}", "{of: a, count: 4}", "writes: {w: {put: A, peak: 10K/month}}")));
  EXPECT_FALSE(has("T408", sharded("T#{t}#{n}", "{of: a, count: 4}", "writes: {w: {put: A, peak: 2000/s per t}}")));
}
TEST(CheckShards, T409_counters_as_hot_as_the_items_they_count) {
  EXPECT_TRUE(has("T409", sharded("T#{t}#{n}", "{of: a, count: 4}",
                                  "tallies: {y: {of: A, into: M, by: {t: t}, add: {total: 1}}}")));
  EXPECT_FALSE(has("T409", sharded("T#{t}#{n}", "{of: a, count: 4}",
                                   "tallies: {y: {of: A, into: M, by: {t: t}, add: {total: 1}, through: stream}}")));
}
TEST(CheckShards, T416_an_epoch_that_begins_too_early) {
  const auto finding = [](std::string_view from) {
    const std::string text = sharded(
        "T#{t}#{n}", "{of: a, count: C.count, epochs: C.epochs, lead: 60s}",
        fmt::format("writes: {{w: {{update: C, takes: {{t: C.t, count: C.count}}, set: {{count: $count, epochs: "
                    "\"append(epochs, record('from', {}, 'shard_count', $count))\"}}}}}}",
                    from));
    return has("T416", text);
  };
  EXPECT_TRUE(finding("now"));
  EXPECT_TRUE(finding("now + 30s"));
  EXPECT_FALSE(finding("now + 60s"));
  EXPECT_FALSE(finding("now + 2m"));
}

}  // namespace
}  // namespace trestle::design
