// Revisions: each write of an item raises its revision by 1, even if it is merged from several actions.
#include <fmt/format.h>

#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kEditions = R"y(design: pages
version: 1
tables: {t: {key: [PK, SK], type: Type, billing: on-demand}}
entities:
  Page:
    table: t
    key: ["PAGE#{id}", X]
    fields: {id: "string([a-z], 1..9)", title: string(..20) optional, views: counter, remarks: counter, words: counter, best: int optional, edition: revision}
  Remark:
    table: t
    key: ["PAGE#{id}", "REMARK#{points:03}#{no}"]
    fields: {id: Page.id, no: int(0..99), points: int(0..999) = 0, length: int(0..99) = 1}
tallies:
  remarks: {of: Remark, into: Page, by: {id: id}, add: {remarks: 1}}
  words: {of: Remark, into: Page, by: {id: id}, add: {words: length}, max: {best: points}}
reads:
  page: {get: Page}
writes:
  make: {put: Page, if: absent, else: 409}
  replace: {put: Page, takes: {id: Page.id, title: Page.title}}
  rename: {update: Page, takes: {id: Page.id, title: Page.title}, set: [title], else: 404}
  remark: {put: Remark, if: absent, else: 409}
  renameAndView:
    takes: {id: Page.id, title: Page.title}
    steps:
      - atomic:
          - {update: Page, set: [title], else: 404}
          - {update: Page, add: {views: 1}, else: 404}
  viewMany:
    takes: {id: Page.id, by: "list<int(1..9)>(..9)"}
    steps: [{atomic: [{for: $by, as: one, do: [{update: Page, by: {id: $id}, add: {views: $one}, else: 404}]}]}]
  remarkAndView:
    takes: {id: Page.id, no: Remark.no}
    steps: [{atomic: [{update: Page, add: {views: 1}, else: 404}, {put: Remark, if: absent, else: 409}]}]
  remarkMany:
    takes: {id: Page.id, nos: "list<int(0..99)>(..9)"}
    steps: [{atomic: [{for: $nos, as: one, do: [{put: Remark, set: {id: $id, no: $one, points: $one}, if: absent, else: 409}]}]}]
  makeWithRemarks:
    takes: {id: Page.id, nos: "list<int(0..99)>(..9)"}
    steps:
      - atomic:
          - {put: Page, if: absent, else: 409}
          - {for: $nos, as: one, do: [{put: Remark, set: {id: $id, no: $one, points: $one}, if: absent, else: 409}]}
  replaceWithRemark:
    takes: {id: Page.id, title: Page.title, no: Remark.no}
    steps: [{atomic: [{put: Page}, {put: Remark, if: absent, else: 409}]}]
  dropRemark: {delete: Remark, takes: {id: Page.id, points: Remark.points, no: Remark.no}, if: present, else: 404}
)y";

class Revisions : public testing::Test {
 protected:
  Revisions() { world.ok("make", R"({"id":"a"})"); }
  std::string edition(const std::string& id = "a") {
    const Reply reply = world.ok("page", fmt::format(R"({{"id":"{}"}})", id));
    EXPECT_EQ(reply.revision, reply["item"].member("edition").string());
    return reply.revision;
  }
  std::string after(const std::string& operation, const std::string& inputs) {
    world.ok(operation, R"({"id":"a",)" + inputs + "}");
    return edition();
  }
  DesignWorld world{std::string(kEditions)};
};

TEST_F(Revisions, a_write_of_several_actions_is_one_revision) {
  EXPECT_EQ(edition(), "1");
  EXPECT_EQ(after("rename", R"("title":"t")"), "2");
  EXPECT_EQ(after("renameAndView", R"("title":"u")"), "3");
  EXPECT_EQ(after("viewMany", R"("by":[1,2,3])"), "4");
  const Reply page = world.ok("page", R"({"id":"a"})");
  EXPECT_EQ(page["item"].member("views").string(), "7");
  EXPECT_EQ(page["item"].member("title").string(), "u");
}

TEST_F(Revisions, tallies_of_a_transaction_are_one_revision_with_what_the_design_writes_itself) {
  EXPECT_EQ(after("remark", R"("no":1)"), "2");
  EXPECT_EQ(after("remarkAndView", R"("no":2)"), "3");
  EXPECT_EQ(after("remarkMany", R"("nos":[3,4,5])"), "4");
  EXPECT_EQ(after("dropRemark", R"("no":5,"points":5)"), "5");
  const Reply page = world.ok("page", R"({"id":"a"})");
  EXPECT_EQ(page["item"].member("remarks").string(), "4");
  EXPECT_EQ(page["item"].member("best").string(), "4");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

TEST_F(Revisions, a_put_with_tallies_is_one_revision) {
  world.ok("makeWithRemarks", R"({"id":"b","nos":[1,2,3]})");
  EXPECT_EQ(edition("b"), "1");
  EXPECT_EQ(world.ok("page", R"({"id":"b"})")["item"].member("remarks").string(), "3");
  EXPECT_EQ(after("rename", R"("title":"t")"), "2");
  EXPECT_EQ(after("replace", R"("title":"u")"), "3");
  EXPECT_EQ(after("replaceWithRemark", R"("title":"v","no":7)"), "4");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

constexpr std::string_view kRevisedNotes = R"y(design: notes
tables: {notes: {key: [PK, SK], type: Type, stream: new-and-old}}
types: {Id: "string([a-z], 1..9)"}
entities:
  Note:
    key: ["N#{id}", NOTE]
    fields: {id: Id, text: string(..20) optional, likes: counter, last: counter, edition: revision}
  Like:
    key: ["N#{id}", "LIKE#{no}"]
    fields: {id: Id, no: int(0..99)}
tallies:
  likes: {of: Like, into: Note, by: {id: id}, add: {likes: 1}, through: stream}
reads:
  note: {get: Note}
writes:
  save: {put: Note}
  make: {put: Note, if: absent}
  edit: {update: Note, takes: {id: Id, text: Note.text}, else: 404}
  like: {put: Like, if: absent}
  number: {takes: {id: Id}, steps: [{next: Note.last, as: number, else: 404}], returns: {number: $number}}
  copy:
    takes: {id: Id, to: Id}
    steps: [{get: Note, as: found, else: 404}, {put: Note, from: $found, set: {id: $to}}]
)y";

class PutRevisions : public testing::Test {
 protected:
  Reply note(const std::string& id = "a") { return world.ok("note", fmt::format(R"({{"id":"{}"}})", id)); }
  DesignWorld world{std::string(kRevisedNotes)};
};

TEST_F(PutRevisions, a_put_over_an_item_raises_its_revision) {
  world.ok("save", R"({"id":"a","text":"one"})");
  EXPECT_EQ(note().revision, "1");
  world.ok("save", R"({"id":"a","text":"two"})");
  EXPECT_EQ(note().revision, "2");
  CallContext context;
  context.if_match = "1";
  world.refused(409, "edit", R"({"id":"a","text":"x"})", context);
  world.refused(409, "save", R"({"id":"a","text":"x"})", context);
  EXPECT_EQ(note()["item"].member("text").string(), "two");
  context.if_match = "2";
  EXPECT_EQ(world.call("save", R"({"id":"a","text":"three"})", context).status, 200);
  EXPECT_EQ(note().revision, "3");
  world.ok("copy", R"({"id":"a","to":"b"})");
  EXPECT_EQ(note("b").revision, "1");
}

TEST_F(PutRevisions, a_count_through_the_stream_raises_the_revision) {
  world.ok("save", R"({"id":"a"})");
  world.ok("like", R"({"id":"a","no":1})");
  const ItemCodec codec(world.reading->design, world.keys.get(), &world.blobs);
  ItemForm form(world.reading->design, world.database, codec);
  StreamTallies tallies(world.reading->design, world.database, codec, form);
  ASSERT_TRUE(tallies.drain(world.clock.now_ms()).has_value());
  EXPECT_EQ(note()["item"].member("likes").string(), "1");
  EXPECT_EQ(note().revision, "2");
}

TEST_F(PutRevisions, a_put_over_an_item_gives_no_number_again) {
  world.ok("save", R"({"id":"a"})");
  EXPECT_EQ(world.ok("number", R"({"id":"a"})")["number"].string(), "1");
  world.ok("save", R"({"id":"a","text":"t"})");
  EXPECT_EQ(world.ok("number", R"({"id":"a"})")["number"].string(), "2");
}

TEST_F(Revisions, another_revision_than_the_callers_refuses_the_whole_write) {
  CallContext context;
  context.if_match = "2";
  world.refused(409, "renameAndView", R"({"id":"a","title":"u"})", context);
  world.refused(409, "viewMany", R"({"id":"a","by":[1,2]})", context);
  world.refused(409, "remarkAndView", R"({"id":"a","no":1})", context);
  EXPECT_EQ(edition(), "1");
  context.if_match = "1";
  EXPECT_EQ(world.call("renameAndView", R"({"id":"a","title":"u"})", context).status, 200);
  world.refused(409, "renameAndView", R"({"id":"a","title":"w"})", context);
  context.if_match = "2";
  EXPECT_EQ(world.call("viewMany", R"({"id":"a","by":[1,2]})", context).status, 200);
  EXPECT_EQ(edition(), "3");
}

}  // namespace
}  // namespace trestle::runtime
