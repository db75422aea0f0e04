// The authz design, operation by operation, on the engine.
#include <fmt/format.h>

#include <thread>

#include "runtime/design_world_for_test.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

class Authz : public testing::Test {
 protected:
  std::string tenant(const std::string& name) {
    return world.ok("createTenant", fmt::format(R"({{"name":"{}"}})", name))["item"].member("tenantId").string();
  }
  std::string user(const std::string& email, const std::string& more = "") {
    return world.ok("createUser", fmt::format(R"({{"email":"{}"{}}})", email, more))["item"].member("userId").string();
  }
  std::string role(const std::string& name, const std::string& scope) {
    return world.ok("createRole", fmt::format(R"({{"name":"{}","scope":"{}"}})", name, scope))["item"]
        .member("roleId")
        .string();
  }
  DesignWorld world{"authz"};
};

TEST_F(Authz, tenants_have_unique_names_that_move_with_them) {
  const std::string id = tenant("Acme");
  EXPECT_EQ(world.attribute("authz", "TENANT#" + id, "TENANT#" + id, "Type"), "Tenant");
  EXPECT_EQ(world.attribute("authz", "TENANT_NAME#Acme", "TENANT_NAME#Acme", "tenantId"), id);
  world.refused(409, "createTenant", R"({"name":"Acme"})");
  EXPECT_EQ(world.ok("tenantByName", R"({"name":"Acme"})")["item"].member("tenantId").string(), id);
  const auto renamed = world.ok("renameTenant", fmt::format(R"({{"tenantId":"{}","name":"Apex"}})", id));
  EXPECT_EQ(renamed["item"].member("name").string(), "Apex");
  world.refused(404, "tenantByName", R"({"name":"Acme"})");
  EXPECT_EQ(world.ok("tenantByName", R"({"name":"Apex"})")["item"].member("tenantId").string(), id);
  EXPECT_EQ(world.attribute("authz", "TENANT_NAME#Acme", "TENANT_NAME#Acme", "tenantId"), "");
  tenant("Acme");
  world.refused(409, "renameTenant", fmt::format(R"({{"tenantId":"{}","name":"Acme"}})", id));
  // Setting the same name again changes nothing and does not conflict.
  world.ok("renameTenant", fmt::format(R"({{"tenantId":"{}","name":"Apex"}})", id));
  world.refused(404, "renameTenant", fmt::format(R"({{"tenantId":"{}","name":"x"}})", make_ulid(1)));
  world.refused(404, "tenant", fmt::format(R"({{"tenantId":"{}"}})", make_ulid(1)));
}

TEST_F(Authz, guards_of_a_user_are_created_replaced_and_removed_with_it) {
  const std::string id = user("Ann@Example.com", R"(,"phone":"+4912345678")");
  EXPECT_EQ(world.ok("userByEmail", R"({"email":"ann@example.com"})")["item"].member("userId").string(), id);
  world.refused(409, "createUser", R"({"email":"ANN@example.com"})");
  world.refused(409, "createUser", R"({"email":"b@example.com","phone":"+4912345678"})");
  EXPECT_EQ(world.count("authz"), 3u);
  // The guards do not change.
  auto item = world.ok("updateUser", fmt::format(R"({{"userId":"{}","givenName":"Ann"}})", id))["item"];
  EXPECT_EQ(item.member("givenName").string(), "Ann");
  EXPECT_EQ(item.member("email").string(), "ann@example.com");
  // One guard is deleted, one is created, one is replaced.
  item = world.ok(
      "updateUser",
      fmt::format(R"({{"userId":"{}","email":"ann@b.org","phone":null,"preferredUsername":"ann"}})", id))["item"];
  EXPECT_TRUE(item.member("phone").is_absent());
  EXPECT_EQ(world.count("authz"), 3u);
  world.refused(404, "userByEmail", R"({"email":"ann@example.com"})");
  world.ok("createUser", R"({"email":"ann@example.com","phone":"+4912345678"})");
  world.refused(409, "updateUser", fmt::format(R"({{"userId":"{}","email":"ann@example.com"}})", id));
  // One field conflicts with another item's guard, so no field changes.
  EXPECT_EQ(world.ok("user", fmt::format(R"({{"userId":"{}"}})", id))["item"].member("email").string(), "ann@b.org");
  world.ok("deleteUser", fmt::format(R"({{"userId":"{}"}})", id));
  EXPECT_EQ(world.count("authz"), 3u);
  world.refused(404, "deleteUser", fmt::format(R"({{"userId":"{}"}})", id));
}

TEST_F(Authz, grants_add_and_take_roles_and_go_when_none_is_left) {
  const std::string t = tenant("T"), u = user("u@x.org"), a = role("admin", "tenant"), b = role("user", "tenant");
  const std::string both = fmt::format(R"("tenantId":"{}","userId":"{}")", t, u);
  world.refused(404, "grant", fmt::format(R"({{"tenantId":"{}","userId":"{}","roles":["{}"]}})", make_ulid(5), u, a));
  world.refused(404, "grant", fmt::format(R"({{"tenantId":"{}","userId":"{}","roles":["{}"]}})", t, make_ulid(5), a));
  auto granted = world.ok("grant", fmt::format(R"({{{},"roles":["{}"]}})", both, a));
  const std::string grant_id = granted["item"].member("tenantGrantId").string();
  EXPECT_EQ(granted.revision, "1");
  granted = world.ok("grant", fmt::format(R"({{{},"roles":["{}"]}})", both, b));
  EXPECT_EQ(granted["item"].member("roles").elements().size(), 2u);
  EXPECT_EQ(granted["item"].member("tenantGrantId").string(), grant_id);
  EXPECT_EQ(
      world.ok("grantById", fmt::format(R"({{"tenantGrantId":"{}"}})", grant_id))["item"].member("userId").string(), u);
  EXPECT_EQ(world.walk("grantsOfUser", fmt::format(R"({{"userId":"{}"}})", u), 10).size(), 1u);
  EXPECT_EQ(world.walk("usersOfTenant", fmt::format(R"({{"tenantId":"{}"}})", t), 10).size(), 1u);
  world.ok("revoke", fmt::format(R"({{{},"roles":["{}"]}})", both, a));
  EXPECT_EQ(world.ok("membership", fmt::format("{{{}}}", both))["item"].member("roles").elements().size(), 1u);
  world.ok("revoke", fmt::format(R"({{{},"roles":["{}"]}})", both, b));
  world.refused(404, "membership", fmt::format("{{{}}}", both));
  world.ok("grant", fmt::format(R"({{{},"roles":["{}","{}"]}})", both, a, b));
  world.ok("revoke", fmt::format("{{{}}}", both));
  world.refused(404, "membership", fmt::format("{{{}}}", both));
  world.refused(404, "revoke", fmt::format("{{{}}}", both));
}

TEST_F(Authz, a_revision_that_the_caller_names_must_be_the_items) {
  const std::string t = tenant("T"), u = user("u@x.org"), a = role("admin", "tenant");
  const std::string inputs = fmt::format(R"({{"tenantId":"{}","userId":"{}","roles":["{}"]}})", t, u, a);
  world.ok("grant", inputs);
  CallContext context;
  context.if_match = "7";
  world.refused(409, "grant", inputs, context);
  context.if_match = "1";
  EXPECT_EQ(world.ok("grant", inputs, context).revision, "2");
}

TEST_F(Authz, authorization_returns_the_roles_by_name) {
  const std::string t = tenant("T"), g = role("operator", "global"), a = role("admin", "tenant");
  const std::string u = user("u@x.org", fmt::format(R"(,"roles":["{}"])", g));
  const std::string both = fmt::format(R"("tenantId":"{}","userId":"{}")", t, u);
  world.refused(404, "authorization", fmt::format("{{{}}}", both));
  world.ok("grant", fmt::format(R"({{{},"roles":["{}"]}})", both, a));
  const auto reply = world.ok("authorization", fmt::format("{{{}}}", both));
  EXPECT_EQ(plain_json(reply["globalRoles"]), R"(["operator"])");
  EXPECT_EQ(plain_json(reply["tenantRoles"]), R"(["admin"])");
  EXPECT_EQ(reply["tenant"].member("name").string(), "T");
}

TEST_F(Authz, roles_are_renamed_and_policies_found_by_prefix) {
  const std::string id = role("reader", "global");
  world.refused(409, "createRole", R"({"name":"reader","scope":"global"})");
  role("reader", "tenant");
  role("writer", "global");
  world.refused(409, "renameRole", R"({"scope":"global","name":"reader","newName":"writer"})");
  world.ok("renameRole", R"({"scope":"global","name":"reader","newName":"viewer"})");
  world.refused(404, "role", R"({"scope":"global","name":"reader"})");
  EXPECT_EQ(world.ok("roleById", fmt::format(R"({{"roleId":"{}"}})", id))["item"].member("name").string(), "viewer");
  for (const char* name : {"s3:read", "s3:write", "ec2:run"})
    world.ok("createPolicy", fmt::format(R"({{"policyId":"p-{}","name":"{}"}})", std::string(name).substr(0, 2), name));
  EXPECT_EQ(world.walk("policiesByPrefix", R"({"name":"s3:"})", 1).size(), 2u);
  EXPECT_EQ(world.ok("policyById", R"({"policyId":"p-ec"})")["item"].member("name").string(), "ec2:run");
  EXPECT_EQ(world.ok("policy", R"({"name":"ec2:run"})")["item"].member("policyId").string(), "p-ec");
}

TEST_F(Authz, deleting_a_tenant_removes_its_grants_and_leaves_no_job) {
  const std::string t = tenant("T"), other = tenant("O"), a = role("admin", "tenant");
  for (int i = 0; i < 60; ++i) {
    const std::string u = user(fmt::format("u{}@x.org", i));
    world.ok("grant", fmt::format(R"({{"tenantId":"{}","userId":"{}","roles":["{}"]}})", t, u, a));
    world.ok("grant", fmt::format(R"({{"tenantId":"{}","userId":"{}","roles":["{}"]}})", other, u, a));
  }
  const auto reply = world.ok("deleteTenant", fmt::format(R"({{"tenantId":"{}"}})", t));
  EXPECT_EQ(reply["item"].member("name").string(), "T");
  EXPECT_EQ(world.walk("usersOfTenant", fmt::format(R"({{"tenantId":"{}"}})", t), 100).size(), 0u);
  EXPECT_EQ(world.walk("usersOfTenant", fmt::format(R"({{"tenantId":"{}"}})", other), 7).size(), 60u);
  EXPECT_EQ(world.count("trestle-journal"), 0u);
  tenant("T");
}

TEST_F(Authz, inputs_are_checked_by_name) {
  EXPECT_EQ(world.call("createUser", R"({"email":"no address"})").status, 400);
  EXPECT_EQ(world.call("createUser", R"({"email":"a@b.org","PK":"x"})").status, 400);
  EXPECT_EQ(world.call("user", fmt::format(R"({{"userId":"{}","nonsense":1}})", make_ulid(5))).status, 400);
  EXPECT_EQ(world.call("user", "{}").status, 400);
  EXPECT_EQ(world.call("usersOfTenant", fmt::format(R"({{"tenantId":"{}"}})", make_ulid(5)), {}, {.limit = 0}).status,
            400);
}

TEST_F(Authz, of_many_who_create_one_email_one_wins) {
  std::atomic<int> won{0}, lost{0}, other{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&] {
      const int status = world.call("createUser", R"({"email":"one@x.org"})").status;
      (status == 200 ? won : status == 409 ? lost : other)++;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 49);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(world.count("authz"), 2u);
}

TEST_F(Authz, concurrent_grants_are_all_stored) {
  const std::string t = tenant("T"), u = user("u@x.org");
  std::vector<std::thread> threads;
  for (int i = 0; i < 24; ++i) {
    threads.emplace_back([&, i] {
      const std::string role = world.ok("createRole", fmt::format(R"({{"scope":"tenant","name":"r{}"}})", i))["item"]
                                   .member("roleId")
                                   .string();
      world.ok("grant", fmt::format(R"({{"tenantId":"{}","userId":"{}","roles":["{}"]}})", t, u, role));
    });
  }
  for (auto& thread : threads) thread.join();
  const auto grant = world.ok("membership", fmt::format(R"({{"tenantId":"{}","userId":"{}"}})", t, u));
  EXPECT_EQ(grant["item"].member("roles").elements().size(), 24u);
  EXPECT_EQ(grant.revision, "24");
}

}  // namespace
}  // namespace trestle::runtime
