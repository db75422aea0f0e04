// Raw update expressions in a design.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kCounting = R"y(design: counting
version: 1
tables: {t: {key: [PK, SK], billing: on-demand}}
entities:
  Page: {table: t, key: ["PAGE#{name}", VIEWS], fields: {name: "string([a-z], 1..20)", views: counter, last: time optional}}
reads:
  page: {get: Page}
writes:
  make: {put: Page, if: absent, else: 409}
  view: {update: Page, takes: {name: Page.name, by: int(1..9), at: time}, raw: "ADD #views :by SET #last = :at", if: views < 10, else: 409}
)y";

TEST(RawUpdate, is_sent_as_it_stands) {
  DesignWorld world{std::string(kCounting)};
  world.ok("make", R"({"name":"home"})");
  world.ok("view", R"({"name":"home","by":7,"at":"2026-01-15T10:00:00Z"})");
  world.ok("view", R"({"name":"home","by":5,"at":"2026-01-15T11:00:00Z"})");
  const Reply page = world.ok("page", R"({"name":"home"})");
  EXPECT_EQ(page["item"].member("views").string(), "12") << page.json;
  EXPECT_EQ(page["item"].member("last").string(), "2026-01-15T11:00:00Z") << page.json;
  EXPECT_EQ(world.call("view", R"({"name":"home","by":1,"at":"2026-01-15T12:00:00Z"})").status, 409);
}

}  // namespace
}  // namespace trestle::runtime
