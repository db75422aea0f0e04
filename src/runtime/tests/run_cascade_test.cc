// Cascades that a crash interrupts.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"
#include "runtime/failing_databases_for_test.h"

namespace trestle::runtime {
namespace {

TEST(Cascade, what_a_crash_leaves_undone_is_taken_up_again) {
  for (int writes = 0; writes < 12; ++writes) {
    DesignWorld world("site-catalog");
    const std::string id =
        world.ok("createSite", R"({"url":"https://a.org/","title":"T","tags":["a","b"]})", kAdmin)["item"]
            .member("siteId")
            .string();
    for (int i = 0; i < 60; ++i) {
      const CallContext user = as(fmt::format(R"({{"sub":"u{}"}})", i));
      world.ok("rateSite", fmt::format(R"({{"siteId":"{}","stars":{}}})", id, i % 5 + 1), user);
      world.ok("addComment", fmt::format(R"({{"siteId":"{}","body":"b"}})", id), user);
    }
    DyingDatabase dying(*world.engine);
    auto doomed = world.open(dying);
    dying.left = writes;
    const Reply reply = world.call("deleteSite", fmt::format(R"({{"siteId":"{}"}})", id), kAdmin, {}, doomed.get());
    doomed.reset();
    const size_t jobs = world.count("trestle-journal");
    if (writes == 0) {
      EXPECT_EQ(reply.status, 503);
      EXPECT_EQ(world.count("fus-main"), 123u);
      EXPECT_EQ(jobs, 0u);
      continue;
    }
    EXPECT_EQ(jobs, reply.status == 200 ? 0u : 1u) << writes;
    auto next = world.open(*world.engine);
    const auto resumed = next->resume();
    ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
    EXPECT_EQ(*resumed, static_cast<int64_t>(jobs));
    EXPECT_EQ(world.count("fus-main"), 0u) << writes;
    EXPECT_EQ(world.count("trestle-journal"), 0u);
    EXPECT_EQ(*next->resume(), 0);
  }
}

TEST(Cascade, an_operation_that_fails_leaves_its_job_to_be_resumed_in_the_same_process) {
  DesignWorld world("authz");
  const std::string tenant = world.ok("createTenant", R"({"name":"T"})")["item"].member("tenantId").string();
  const std::string user = world.ok("createUser", R"({"email":"a@b.org"})")["item"].member("userId").string();
  const std::string role = world.ok("createRole", R"({"scope":"tenant","name":"r"})")["item"].member("roleId").string();
  world.ok("grant", fmt::format(R"({{"tenantId":"{}","userId":"{}","roles":["{}"]}})", tenant, user, role));
  DyingDatabase dying(*world.engine);
  auto runtime = world.open(dying);
  dying.left = 1;
  EXPECT_EQ(world.call("deleteTenant", fmt::format(R"({{"tenantId":"{}"}})", tenant), {}, {}, runtime.get()).status,
            503);
  EXPECT_EQ(world.count("authz"), 4u);
  dying.left = 100;
  EXPECT_EQ(*runtime->resume(), 1);
  EXPECT_EQ(world.count("authz"), 3u);
}

TEST(Cascade, an_operation_that_is_refused_leaves_no_job_that_would_delete_later_items) {
  DesignWorld world(R"y(design: lists
tables: {lists: {key: [PK, SK], type: Type}}
entities:
  List: {key: ["LIST#{list}", LIST], fields: {list: "string([a-z], 1..9)"}}
  Entry: {key: ["LIST#{list}", "ENTRY#{entry}"], fields: {list: "string([a-z], 1..9)", entry: "string([a-z], 1..9)"}}
reads: {entries: {query: Entry}}
writes:
  makeList: {put: List, if: absent, else: 409}
  addEntry: {put: Entry}
  removeList:
    takes: {list: List.list}
    steps:
      - {cascade: Entry, by: [list]}
      - {delete: List, if: present, else: 404}
)y");
  world.ok("addEntry", R"({"list":"a","entry":"x"})");
  EXPECT_EQ(world.call("removeList", R"({"list":"a"})").status, 404);
  EXPECT_EQ(world.count("trestle-journal"), 0U);
  CallContext keyed;
  keyed.idempotency_key = "k";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world.call("removeList", R"({"list":"a"})", keyed).status, 404);
    world.clock.advance_ms(11'000);  // until then the first call might still run
  }
  const size_t records = world.count("trestle-journal");
  world.ok("makeList", R"({"list":"a"})");
  world.ok("addEntry", R"({"list":"a","entry":"y"})");
  EXPECT_EQ(*world.runtime->resume(), 0);
  EXPECT_EQ(world.count("lists"), 2U);

  // The process dies before the refusal: the resumed job is refused, which ends it.
  world.ok("addEntry", R"({"list":"b","entry":"x"})");
  DyingDatabase dying(*world.engine);
  auto doomed = world.open(dying);
  dying.left = 1;
  EXPECT_EQ(world.call("removeList", R"({"list":"b"})", {}, {}, doomed.get()).status, 503);
  doomed.reset();
  EXPECT_EQ(world.count("trestle-journal"), records + 1);
  auto next = world.open(*world.engine);
  EXPECT_EQ(*next->resume(), 1);
  EXPECT_EQ(world.count("trestle-journal"), records);
  EXPECT_EQ(world.count("lists"), 2U);
}

constexpr const char* kSquads = R"y(design: teams
tables: {teams: {key: [PK, SK], type: Type}}
entities:
  Team: {key: ["TEAM#{team}", TEAM], fields: {team: "string([a-z], 1..9)", members: counter}}
  Member: {key: ["TEAM#{team}", "MEMBER#{member}"], fields: {team: "string([a-z], 1..9)", member: "string([a-z], 1..9)", nick: "string([a-z], 1..9) optional"}, unique: {nick: "NICK#{nick}"}}
  Note: {key: ["TEAM#{team}", "NOTE#{note}"], fields: {team: "string([a-z], 1..9)", note: "string([a-z], 1..9)"}}
tallies: {members: {of: Member, into: Team, by: {team: team}, add: {members: 1}}}
reads: {members: {query: Member}, notes: {query: Note}}
writes:
  makeTeam: {put: Team, if: absent, else: 409}
  addMember: {put: Member, if: absent, else: 409}
  addNote: {put: Note}
  removeTeam:
    takes: {team: Team.team}
    steps:
      - {delete: Team, if: present, else: 404}
      - {cascade: Member, by: [team]}
      - {cascade: Note, by: [team]}
)y";

// The resumed cascade deletes nothing: what the crash left of the old team stays, and so does everything of the new
// one.
TEST(Cascade, that_is_resumed_leaves_what_belongs_to_an_item_that_was_put_again) {
  for (const bool keyed : {false, true}) {
    for (int writes = 1; writes < 6; ++writes) {
      DesignWorld world{kSquads};
      world.ok("makeTeam", R"({"team":"a"})");
      for (const char* one : {"x", "y"}) {
        world.ok("addMember", fmt::format(R"({{"team":"a","member":"{}","nick":"{}"}})", one, one));
        world.ok("addNote", fmt::format(R"({{"team":"a","note":"{}"}})", one));
      }
      DyingDatabase dying(*world.engine);
      auto doomed = world.open(dying);
      dying.left = writes;
      CallContext context;
      if (keyed) context.idempotency_key = "k";
      const Reply died = world.call("removeTeam", R"({"team":"a"})", context, {}, doomed.get());
      doomed.reset();
      const bool ended = world.call("addMember", R"({"team":"a","member":"z","nick":"z"})").status != 200;
      EXPECT_FALSE(ended);
      world.ok("addNote", R"({"team":"a","note":"z"})");
      // A tally may already have created the team again.
      (void)world.call("makeTeam", R"({"team":"a"})");
      auto next = world.open(*world.engine);
      ASSERT_TRUE(next->resume().has_value());
      EXPECT_EQ(*next->resume(), 0);
      const auto has = [&](const char* read, const char* field) {
        std::string names;
        for (const Plain& one : world.walk(read, R"({"team":"a"})", 10)) names += one.member(field).string();
        return names;
      };
      EXPECT_TRUE(has("members", "member").ends_with("z")) << writes << " " << keyed;
      EXPECT_TRUE(has("notes", "note").ends_with("z")) << writes << " " << keyed;
      (void)died;
    }
  }
}

TEST(Cascade, that_is_resumed_goes_on_while_the_deleted_item_is_absent) {
  for (int writes = 1; writes < 8; ++writes) {
    DesignWorld world{kSquads};
    world.ok("makeTeam", R"({"team":"a"})");
    world.ok("makeTeam", R"({"team":"b"})");
    for (const char* one : {"x", "y"}) {
      world.ok("addMember", fmt::format(R"({{"team":"a","member":"{}","nick":"{}"}})", one, one));
      world.ok("addNote", fmt::format(R"({{"team":"a","note":"{}"}})", one));
    }
    DyingDatabase dying(*world.engine);
    auto doomed = world.open(dying);
    dying.left = writes;
    (void)world.call("removeTeam", R"({"team":"a"})", {}, {}, doomed.get());
    doomed.reset();
    auto next = world.open(*world.engine);
    ASSERT_TRUE(next->resume().has_value());
    EXPECT_EQ(world.count("teams"), 1U) << writes;
  }
}

TEST(Cascade, throttling_is_reported_with_retry_after) {
  const Refused refused = refused_by({.code = ErrorCode::kProvisionedThroughputExceeded, .message = "m"});
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.retry_after_s, 1);
  EXPECT_TRUE(refused.retryable);
  EXPECT_EQ(refused_by({.code = ErrorCode::kTransactionConflict, .message = "m"}).status, 409);
  EXPECT_EQ(refused_by({.code = ErrorCode::kResourceNotFound, .message = "Table: t"}).message,
            "A table is missing: Table: t");
}

}  // namespace
}  // namespace trestle::runtime
