// T338: a tally's target is deleted or expires while the items that it counts remain.
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

struct Parts {
  std::string forum =
      "{name: \"string([a-z], 1..9)\", title: string(..40), topics: counter, last: int optional, rev: revision}";
  std::string more_of_forum;
  std::string add = "add: {topics: 1}";
  std::string make = "{put: Forum, if: absent, else: 409}";
  std::string remove = "{delete: Forum, if: present, else: 404}";
  std::string rest;
};

// A forum and its topics, which a tally counts.
std::string forums(const Parts& parts) {
  return fmt::format(R"y(entities:
  Forum:
    key: ["FORUM#{{name}}", FORUM]
    fields: {}
{}  Topic: {{key: ["FORUM#{{name}}", "TOPIC#{{no:03}}"], fields: {{name: "string([a-z], 1..9)", no: int(0..999)}}}}
tallies:
  topics: {{of: Topic, into: Forum, by: {{name: name}}, {}}}
reads: {{forum: {{get: Forum}}, topics: {{query: Topic}}}}
writes:
  makeForum: {}
  addTopic: {{put: Topic, if: absent, else: 409}}
  removeTopic: {{delete: Topic, if: present, else: 404}}
  removeForum: {}
{})y",
                     parts.forum, parts.more_of_forum, parts.add, parts.make, parts.remove, parts.rest);
}

bool finds(const Parts& parts) { return has("T338", forums(parts)); }

TEST(LeftCounts, reported_if_the_target_can_be_created_again) {
  EXPECT_TRUE(finds({}));
  EXPECT_TRUE(finds({.add = "max: {last: no}"}));
  EXPECT_TRUE(
      finds({.remove = "{takes: {name: Forum.name}, steps: [{get: Forum, as: forum, none: 404}, {delete: Forum}]}"}));
  EXPECT_TRUE(finds({.remove = "{takes: {name: Forum.name}, steps: [{cascade: Forum, by: {name: $name}}]}"}));
}

TEST(LeftCounts, not_reported_if_the_target_cannot_be_created_again) {
  const std::string generated =
      "{name: ulid auto, title: string(..40), topics: counter, last: int optional, rev: revision}";
  EXPECT_FALSE(finds({.forum = generated}));
  EXPECT_FALSE(finds({.make = "{update: Forum, else: 404}"}));
  // The tally creates the forum, under the name that its topics have.
  EXPECT_TRUE(finds({.forum = "{name: ulid auto, topics: counter, last: int optional, rev: revision}"}));
  EXPECT_TRUE(finds({.forum = "{name: \"string([a-z], 1..9)\", topics: counter, last: int optional, rev: revision}",
                     .make = "{update: Forum, else: 404}"}));
}

TEST(LeftCounts, not_reported_if_the_operation_handles_the_counted_items) {
  const auto steps = [](const std::string& steps) {
    return Parts{.remove = "{takes: {name: Forum.name}, steps: [" + steps + "]}"};
  };
  EXPECT_FALSE(finds({.remove = "{delete: Forum, if: topics = 0, else: 409}"}));
  EXPECT_TRUE(finds({.remove = "{delete: Forum, if: title <> 'keep', else: 409}"}));
  EXPECT_FALSE(finds(steps("{cascade: Topic, by: {name: $name}}, {delete: Forum}")));
  EXPECT_FALSE(finds(steps("{delete: Forum}, {cascade: Topic, by: {name: $name}}")));
  EXPECT_FALSE(
      finds(steps("{query: Topic, as: some, limit: 1}, {require: NOT exists($some), else: 409}, {delete: Forum}")));
  EXPECT_FALSE(
      finds(steps("{get: Forum, as: forum, none: 404}, {require: $forum.topics = 0, else: 409}, {delete: Forum}")));
  EXPECT_TRUE(
      finds(steps("{get: Forum, as: forum, none: 404}, {require: $forum.title = 'x', else: 409}, {delete: Forum}")));
}

TEST(LeftCounts, a_figure_of_the_stream_lags_behind) {
  const auto lags = [](Parts parts) {
    parts.add += ", through: stream";
    return forums(parts);
  };
  const std::string steps =
      "{takes: {name: Forum.name}, steps: [{cascade: Topic, by: {name: $name}}, {delete: Forum}]}";
  const std::string generated =
      "{name: ulid auto, title: string(..40), topics: counter, last: int optional, rev: revision}";
  EXPECT_TRUE(has("T347", lags({})));
  EXPECT_TRUE(has("T347", lags({.remove = "{delete: Forum, if: topics = 0, else: 409}"})));
  EXPECT_TRUE(has("T347", lags({.remove = steps})));
  EXPECT_FALSE(has("T347", forums({.remove = steps})));
  EXPECT_FALSE(has("T347", lags({.forum = generated, .remove = steps})));
  EXPECT_FALSE(has("T347", lags({.make = "{update: Forum, else: 404}", .remove = steps})));
  EXPECT_FALSE(has("T347", lags({.remove = "{update: Forum, else: 404}"})));
  // The tally creates the forum.
  EXPECT_TRUE(has("T347", lags({.forum = "{name: \"string([a-z], 1..9)\", topics: counter}",
                                .make = "{update: Forum, else: 404}",
                                .remove = steps})));
  // An exact maximum is read again.
  EXPECT_FALSE(has("T347", lags({.add = "max: {last: no}", .remove = steps})));
  // The key of a forum that the tally creates is generated: T338, without the advice to trust the figure.
  EXPECT_TRUE(has("T338", lags({.forum = "{name: ulid auto, topics: counter}",
                                .remove = "{delete: Forum, if: topics = 0, else: 409}"})));
}

TEST(LeftCounts, not_reported_for_children_or_with_a_reaction_to_the_deletion) {
  EXPECT_FALSE(finds({.forum = "{name: \"string([a-z], 1..9)\", title: string(..40), nos: \"set<int(0..999)>(..9)\", "
                               "topics: counter, last: int optional, rev: revision}",
                      .more_of_forum = "    each: {nos: Topic.no}\n"}));
  const std::string clear =
      "  clearTopics: {takes: {name: Forum.name}, steps: [{cascade: Topic, by: {name: $name}}]}\n";
  EXPECT_TRUE(finds({.rest = clear}));
  EXPECT_FALSE(finds({.rest = clear + "reactions: {gone: {on: Forum, when: [remove], do: clearTopics}}\n"}));
  EXPECT_TRUE(finds({.rest = clear + "reactions: {gone: {on: Forum, when: [insert], do: clearTopics}}\n"}));
}

TEST(LeftCounts, not_reported_for_a_delete_that_undoes_a_put) {
  EXPECT_FALSE(finds(
      {.remove =
           "{takes: {name: Forum.name, title: Forum.title, no: int(0..999)}, steps: [{put: Forum, if: absent, else: "
           "409, undo: [{delete: Forum}]}, {put: Topic, if: absent, else: 409}]}"}));
}

TEST(LeftCounts, reported_if_the_target_expires_before_the_counted_items) {
  const std::string title = "{name: \"string([a-z], 1..9)\", title: string(..40), until: epoch, topics: counter}";
  const std::string expires = "    ttl: until\n";
  const std::string keeps = "{update: Forum, else: 404}";
  EXPECT_TRUE(finds({.forum = title, .more_of_forum = expires, .remove = keeps}));
  EXPECT_FALSE(finds({.forum = title, .remove = keeps}));
  EXPECT_FALSE(finds({.forum = title, .more_of_forum = expires, .make = keeps, .remove = keeps}));
  const std::string clear =
      "  clearTopics: {takes: {name: Forum.name}, steps: [{cascade: Topic, by: {name: $name}}]}\n";
  EXPECT_FALSE(finds({.forum = title,
                      .more_of_forum = expires,
                      .remove = keeps,
                      .rest = clear + "reactions: {gone: {on: Forum, when: [expire], do: clearTopics}}\n"}));
}

// A max<T> field does not have to match the existing items.
TEST(LeftCounts, not_reported_for_an_all_time_maximum) {
  EXPECT_FALSE(finds({.forum = "{name: \"string([a-z], 1..9)\", title: string(..40), last: max<int> optional}",
                      .add = "max: {last: no}"}));
}

}  // namespace
}  // namespace trestle::design
