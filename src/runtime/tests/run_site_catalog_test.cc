// The site-catalog design, operation by operation, on the engine.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

const CallContext kAnn = as(R"({"sub":"ann"})");
const CallContext kBob = as(R"({"sub":"bob"})");

class SiteCatalog : public testing::Test {
 protected:
  std::string site(const std::string& tags, const std::string& title = "T") {
    return world
        .ok("createSite", fmt::format(R"({{"url":"https://a.org/","title":"{}","tags":[{}]}})", title, tags),
            kAdmin)["item"]
        .member("siteId")
        .string();
  }
  static std::string of(const std::string& id, const std::string& more = "") {
    return fmt::format(R"({{"siteId":"{}"{}}})", id, more);
  }
  size_t tagged(const std::string& tag) {
    return world.walk("sitesByTag", fmt::format(R"({{"tag":"{}"}})", tag), 2).size();
  }
  DesignWorld world{"site-catalog"};
};

TEST_F(SiteCatalog, only_those_who_may_do_it) {
  world.refused(401, "createSite", R"({"url":"https://a.org/","title":"T"})");
  world.refused(403, "createSite", R"({"url":"https://a.org/","title":"T"})", kAnn);
  world.refused(401, "myRatings", "{}");
  world.ok("sites", "{}");
}

TEST_F(SiteCatalog, tag_items_follow_the_tags_by_difference) {
  const std::string id = site(R"("red","green","red")");
  EXPECT_EQ(world.count("fus-main"), 3u);
  EXPECT_EQ(world.attribute("fus-main", "SITE#" + id, "TAG#red", "siteId"), "SITE#" + id);
  EXPECT_EQ(tagged("red"), 1u);
  world.ok("updateSite", of(id, R"(,"tags":["green","blue"],"title":"New")"), kAdmin);
  EXPECT_EQ(tagged("red"), 0u);
  EXPECT_EQ(tagged("green"), 1u);
  EXPECT_EQ(tagged("blue"), 1u);
  const auto item = world.ok("updateSite", of(id, R"(,"description":"d")"), kAdmin)["item"];
  EXPECT_EQ(item.member("title").string(), "New");
  EXPECT_EQ(item.member("siteId").string(), id);
  world.ok("updateSite", of(id, R"(,"tags":null)"), kAdmin);
  EXPECT_EQ(world.count("fus-main"), 1u);
  world.refused(404, "updateSite", of(make_ulid(4), R"(,"title":"x")"), kAdmin);
}

TEST_F(SiteCatalog, sites_come_newest_first_without_their_content) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(site("", fmt::format("S{}", i)));
  world.ok("updateSite", of(ids[0], R"(,"scrapedContent":"long")"), kAdmin);
  const auto first = world.call("sites", "{}", {}, {.limit = 2});
  ASSERT_EQ(first["items"].elements().size(), 2u);
  EXPECT_EQ(first["items"].elements()[0].member("siteId").string(), ids[4]);
  const auto all = world.walk("sites", "{}", 2, true);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[4].member("siteId").string(), ids[0]);
  EXPECT_TRUE(all[4].member("scrapedContent").is_absent());
  EXPECT_EQ(world.ok("site", of(ids[0]))["item"].member("scrapedContent").string(), "long");
}

TEST_F(SiteCatalog, ratings_are_ones_own_and_listed_by_stars) {
  const std::string id = site("");
  world.refused(404, "rateSite", of(make_ulid(3), R"(,"stars":5)"), kAnn);
  world.ok("rateSite", of(id, R"(,"stars":5,"note":"good")"), kAnn);
  world.ok("rateSite", of(id, R"(,"stars":4)"), kBob);
  world.ok("rateSite", of(id, R"(,"stars":4)"), kAnn);
  EXPECT_EQ(world.ok("myRating", of(id), kAnn)["item"].member("stars").string(), "4");
  EXPECT_EQ(world.walk("ratingsByStars", R"({"stars":5})", 1).size(), 0u);
  EXPECT_EQ(world.walk("ratingsByStars", R"({"stars":4})", 1).size(), 2u);
  world.ok("addComment", of(id, R"(,"body":"b")"), kAnn);
  EXPECT_EQ(world.ok("myRatings", "{}", kAnn)["items"].elements().size(), 1u);
  world.ok("unrateSite", of(id), kBob);
  world.refused(404, "unrateSite", of(id), kBob);
  world.refused(400, "rateSite", of(id, R"(,"stars":6)"), kAnn);
}

TEST_F(SiteCatalog, comments_belong_to_their_authors) {
  const std::string id = site("");
  const std::string comment =
      world.ok("addComment", of(id, R"(,"body":"first")"), kAnn)["item"].member("commentId").string();
  const std::string it = fmt::format(R"(,"commentId":"{}")", comment);
  EXPECT_EQ(world.walk("commentsOfSite", of(id), 5).size(), 1u);
  EXPECT_EQ(world.walk("commentsOfUser", R"({"userId":"ann"})", 5).size(), 1u);
  world.refused(403, "editComment", of(id, it + R"(,"body":"x")"), kBob);
  world.ok("editComment", of(id, it + R"(,"body":"second")"), kAnn);
  EXPECT_EQ(world.walk("commentsOfSite", of(id), 5)[0].member("body").string(), "second");
  world.refused(403, "deleteComment", of(id, it), kBob);
  world.ok("deleteComment", of(id, it), kAdmin);
  world.refused(404, "deleteComment", of(id, it), kAdmin);
  world.refused(404, "addComment", of(make_ulid(3), R"(,"body":"x")"), kAnn);
}

TEST_F(SiteCatalog, deleting_a_site_removes_all_that_goes_with_it) {
  const std::string id = site(R"("a","b")"), other = site(R"("a")");
  for (const std::string& one : {id, other}) {
    for (int i = 0; i < 30; ++i) {
      const CallContext user = as(fmt::format(R"({{"sub":"u{}"}})", i));
      world.ok("rateSite", of(one, fmt::format(R"(,"stars":{})", i % 5 + 1)), user);
      world.ok("addComment", of(one, R"(,"body":"b")"), user);
    }
  }
  world.ok("deleteSite", of(id), kAdmin);
  EXPECT_EQ(world.count("fus-main"), 62u);
  EXPECT_EQ(world.count("trestle-journal"), 0u);
  world.refused(404, "deleteSite", of(id), kAdmin);
}

TEST_F(SiteCatalog, groups_and_members) {
  world.ok("createGroup", R"({"name":"Team A","permissions":["x"]})", kAdmin);
  world.refused(409, "createGroup", R"({"name":"Team A"})", kAdmin);
  world.refused(404, "addMember", R"({"groupName":"Team B","userId":"ann"})", kAdmin);
  for (const char* user : {"ann", "bob"}) {
    world.ok("addMember", fmt::format(R"({{"groupName":"Team A","userId":"{}"}})", user), kAdmin);
  }
  EXPECT_EQ(world.walk("membersOfGroup", R"({"groupName":"Team A"})", 1).size(), 2u);
  EXPECT_EQ(world.walk("groupsOfUser", R"({"userId":"ann"})", 1)[0].member("addedBy").string(), "root");
  world.ok("removeMember", R"({"groupName":"Team A","userId":"bob"})", kAdmin);
  world.refused(404, "removeMember", R"({"groupName":"Team A","userId":"bob"})", kAdmin);
  world.ok("updateGroup", R"({"name":"Team A","description":"d"})", kAdmin);
  EXPECT_EQ(world.ok("group", R"({"name":"Team A"})")["item"].member("description").string(), "d");
  EXPECT_EQ(world.walk("groups", "{}", 5).size(), 1u);
  world.ok("deleteGroup", R"({"name":"Team A"})", kAdmin);
  EXPECT_EQ(world.count("fus-main"), 0u);
}

}  // namespace
}  // namespace trestle::runtime
