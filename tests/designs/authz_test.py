#!/usr/bin/python3
"""authz, operation by operation: tenants, users and their guards, roles, grants, policies, the authorizer's single call."""

from served import SystemCase, ULID, coverage, harness, new_phone, new_ulid, plain, tag

GUARDS = {"email": ("USER_EMAIL#", "UserEmail"), "phone": ("USER_PHONE#", "UserPhone"),
          "preferredUsername": ("USER_PREFERREDUSERNAME#", "UserPreferredUsername")}


class Authz(SystemCase):
    design = "authz"
    table = "authz"

    def tenant(self, **more):
        return self.api.item("createTenant", **{"name": tag("tenant "), **more})

    def user(self, **more):
        return self.api.item("createUser", **{"email": tag("u") + "@example.com", **more})

    def role(self, scope="tenant", name=None):
        return self.api.item("createRole", scope=scope, name=name or tag("role "))

    def both(self, value):
        """An item whose two key attributes are equal."""
        return self.stored(value, value)

    def conflict(self, operation, /, **inputs):
        refusal = self.refused(409, operation, **inputs)
        self.assertIs(False, refusal.problem["retryable"], "a conflict is not retryable")


class Tenants(Authz):
    def test_created_and_found_by_id_and_name(self):
        tenant = self.tenant()
        key = "TENANT#" + tenant["tenantId"]
        self.assertRegex(tenant["tenantId"], ULID)
        self.attributes(self.both(key), Type={"S": "Tenant"}, tenantId={"S": tenant["tenantId"]},
                        name={"S": tenant["name"]},
                        GSI1PK={"S": "TENANT_NAME#" + tenant["name"]}, GSI1SK={"S": "TENANT_NAME#" + tenant["name"]})
        self.attributes(self.both("TENANT_NAME#" + tenant["name"]), Type={"S": "TenantName"},
                        tenantId={"S": tenant["tenantId"]},
                        GSI1PK=None)
        self.assertEqual(tenant, self.api.item("tenant", tenantId=tenant["tenantId"]))
        self.assertEqual(tenant, self.api.item("tenantByName", name=tenant["name"]))
        tenant_id = new_ulid()
        self.assertEqual(tenant_id, self.tenant(tenantId=tenant_id)["tenantId"])
        self.conflict("createTenant", tenantId=tenant_id, name=tag())
        self.conflict("createTenant", name=tenant["name"])
        self.refused(404, "tenant", tenantId=new_ulid())
        self.refused(404, "tenantByName", name=tag())
        self.refuses_each("createTenant", {"name": tag()}, {"name": ["", "n" * 101, 5], "tenantId": ["x"]}, unknown="PK")
        self.requires("createTenant", {"name": "x"}, "name")

    def test_a_new_name_swaps_entry_and_guard(self):
        tenant, other, name = self.tenant(), self.tenant(), tag("new ")
        self.assertEqual(name, self.api.item("renameTenant", tenantId=tenant["tenantId"], name=name)["name"])
        self.assertIsNone(self.both("TENANT_NAME#" + tenant["name"]))
        self.attributes(self.both("TENANT_NAME#" + name), tenantId={"S": tenant["tenantId"]})
        self.attributes(self.both("TENANT#" + tenant["tenantId"]), GSI1PK={"S": "TENANT_NAME#" + name},
                        GSI1SK={"S": "TENANT_NAME#" + name})
        self.refused(404, "tenantByName", name=tenant["name"])
        self.assertEqual(tenant["tenantId"], self.api.item("tenantByName", name=name)["tenantId"])
        self.conflict("renameTenant", tenantId=tenant["tenantId"], name=other["name"])
        self.assertEqual(name, self.api.item("tenant", tenantId=tenant["tenantId"])["name"])
        self.assertEqual(name, self.api.item("renameTenant", tenantId=tenant["tenantId"], name=name)["name"])
        self.assertEqual(tenant["name"], self.tenant(name=tenant["name"])["name"], "the old name is free")
        self.refused(404, "renameTenant", tenantId=new_ulid(), name=tag())
        self.refused(400, "renameTenant", fields=["name"], tenantId=tenant["tenantId"], name=None)

    def test_deleted_with_guard_and_grants(self):
        tenant, other_tenant, user, role = self.tenant(), self.tenant(), self.user(), self.role()
        users = [user["userId"]] + [self.user()["userId"] for _ in range(4)]
        for one in users:
            self.api("grant", tenantId=tenant["tenantId"], userId=one, roles=[role["roleId"]])
        self.api("grant", tenantId=other_tenant["tenantId"], userId=user["userId"], roles=[role["roleId"]])
        self.api("deleteTenant", tenantId=tenant["tenantId"])
        self.assertEqual([], self.partition("TENANT#" + tenant["tenantId"]))
        self.assertIsNone(self.both("TENANT_NAME#" + tenant["name"]))
        self.assertEqual([other_tenant["tenantId"]],
                         [g["tenantId"] for g in self.api.all("grantsOfUser", userId=user["userId"])])
        self.refused(404, "tenant", tenantId=tenant["tenantId"])
        self.refused(404, "deleteTenant", tenantId=tenant["tenantId"])
        self.tenant(name=tenant["name"])


class Users(Authz):
    def test_created_with_guards(self):
        phone, name, word = new_phone(), tag("Ada."), tag("Mail")
        roles = [new_ulid(), new_ulid()]
        user = self.user(email=word + "@Example.COM", phone=phone, preferredUsername=name, givenName="Ada",
                         familyName="L", roles=roles)
        email = word.lower() + "@example.com"
        self.assertEqual((email, phone, name, "Ada", "L"),
                         tuple(user[k] for k in ("email", "phone", "preferredUsername", "givenName", "familyName")))
        self.assertEqual(sorted(roles), sorted(user["roles"]))
        stored = self.both("USER#" + user["userId"])
        self.attributes(stored, Type={"S": "User"}, userId={"S": user["userId"]}, email={"S": email},
                        phone={"S": phone})
        self.assertEqual(sorted(roles), sorted(plain(stored["roles"])))
        for field, (prefix, kind) in GUARDS.items():
            self.attributes(self.both(prefix + user[field]), Type={"S": kind}, userId={"S": user["userId"]},
                            **{field: {"S": user[field]}})
        self.assertEqual(user, self.api.item("user", userId=user["userId"]))
        self.assertEqual(user, self.api.item("userByEmail", email=email.upper()))
        self.refused(404, "user", userId=new_ulid())
        self.refused(404, "userByEmail", email=tag() + "@example.com")
        self.refuses_each("createUser", {"email": "a@example.com"}, {
            "email": ["a", "", 5], "phone": ["555", "+0"], "preferredUsername": ["a b", ""], "roles": [["x"], "x"],
                                                                     "userId": ["1"]}, unknown="PK")
        self.requires("createUser", {"email": "a@example.com"}, "email")

    def test_each_guarded_field_is_unique(self):
        first = self.user(phone=new_phone(), preferredUsername=tag("n"))
        before = len(self.partition("USER#" + first["userId"]))
        for field in GUARDS:
            fresh = {"email": tag("x") + "@example.com", "userId": new_ulid()}
            value = first[field].upper() if field == "email" else first[field]
            self.conflict("createUser", **{**fresh, field: value})
            self.assertIsNone(self.both("USER#" + fresh["userId"]), "nothing of a refused user stays")
            if field != "email":
                self.assertIsNone(self.both("USER_EMAIL#" + fresh["email"]))
        self.conflict("createUser", userId=first["userId"], email=tag("x") + "@example.com")
        self.assertEqual(before, len(self.partition("USER#" + first["userId"])))

    def test_updates_swap_guards_and_null_removes_them(self):
        user, other = self.user(phone=new_phone(), preferredUsername=tag("n"),
                                givenName="Ada"), self.user(phone=new_phone())
        key = {"userId": user["userId"]}
        email, phone = tag("new") + "@example.com", new_phone()
        changed = self.api.item("updateUser", **key, email=email.upper(), phone=phone)
        self.assertEqual({**user, "email": email, "phone": phone}, changed)
        for gone in ("USER_EMAIL#" + user["email"], "USER_PHONE#" + user["phone"]):
            self.assertIsNone(self.both(gone))
        self.attributes(self.both("USER_EMAIL#" + email), userId={"S": user["userId"]})
        self.attributes(self.both("USER_PREFERREDUSERNAME#" + user["preferredUsername"]), userId={"S": user["userId"]})
        self.conflict("updateUser", **key, phone=other["phone"], givenName="Eve")
        self.conflict("updateUser", **key, email=other["email"])
        self.assertEqual(changed, self.api.item("user", **key), "a refused update changes nothing")
        self.assertEqual(changed, self.api.item("updateUser", **key, email=email), "its own value is not taken")
        without = self.api.item("updateUser", **key, phone=None, givenName=None)
        self.assertEqual({"phone", "givenName"}, set(changed) - set(without))
        self.assertIsNone(self.both("USER_PHONE#" + phone))
        self.attributes(self.both("USER#" + user["userId"]), phone=None, givenName=None)
        self.user(phone=phone)
        self.user(email=user["email"])
        self.refused(404, "userByEmail", email=user["phone"][1:] + "@example.com")
        self.refused(404, "updateUser", userId=new_ulid(), givenName="x")
        self.refused(400, "updateUser", fields=["email"], **key, email=None)
        self.refused(400, "updateUser", fields=["GSI1PK"], **key, GSI1PK="x")

    def test_deleted_with_guards_and_grants(self):
        user, role = self.user(phone=new_phone(), preferredUsername=tag("n")), self.role()
        tenants = [self.tenant()["tenantId"] for _ in range(3)]
        for tenant in tenants:
            self.api("grant", tenantId=tenant, userId=user["userId"], roles=[role["roleId"]])
        self.api("deleteUser", userId=user["userId"])
        self.refused(404, "user", userId=user["userId"])
        for field, (prefix, _) in GUARDS.items():
            self.assertIsNone(self.both(prefix + user[field]), field)
        for tenant in tenants:
            self.refused(404, "membership", tenantId=tenant, userId=user["userId"])
            self.assertEqual([], self.api.all("usersOfTenant", tenantId=tenant))
        self.refused(404, "deleteUser", userId=user["userId"])
        self.user(email=user["email"], phone=user["phone"], preferredUsername=user["preferredUsername"])


class Roles(Authz):
    def test_named_per_scope_and_found_by_id(self):
        name = tag("admin ")
        tenant_role, global_role = self.role("tenant", name), self.role("global", name)
        self.assertNotEqual(tenant_role["roleId"], global_role["roleId"])
        self.attributes(self.stored("ROLE_SCOPE#tenant", "ROLE_NAME#" + name), Type={"S": "Role"},
                        scope={"S": "tenant"},
                        name={"S": name}, GSI1PK={"S": "ROLE#" + tenant_role["roleId"]},
                        GSI1SK={"S": "ROLE#" + tenant_role["roleId"]})
        self.assertEqual(global_role, self.api.item("role", scope="global", name=name))
        self.assertEqual(tenant_role, self.api.item("roleById", roleId=tenant_role["roleId"]))
        self.conflict("createRole", scope="tenant", name=name)
        self.refused(404, "role", scope="tenant", name=tag())
        self.refused(404, "roleById", roleId=new_ulid())
        self.refuses_each("createRole", {"scope": "tenant", "name": "x"},
                          {"scope": ["world", ""], "name": ["", "n" * 101]}, unknown="PK")
        self.requires("createRole", {"scope": "tenant", "name": "x"}, "scope", "name")

    def test_renamed_with_the_same_id(self):
        role, other, name = self.role(), self.role(), tag("new ")
        self.api("renameRole", scope="tenant", name=role["name"], newName=name)
        self.assertEqual({**role, "name": name}, self.api.item("role", scope="tenant", name=name))
        self.assertEqual({**role, "name": name}, self.api.item("roleById", roleId=role["roleId"]))
        self.assertIsNone(self.stored("ROLE_SCOPE#tenant", "ROLE_NAME#" + role["name"]))
        self.conflict("renameRole", scope="tenant", name=name, newName=other["name"])
        self.assertEqual(role["roleId"], self.api.item("role", scope="tenant", name=name)["roleId"])
        self.refused(404, "renameRole", scope="global", name=name, newName=tag())
        self.refuses_each("renameRole", {"scope": "tenant", "name": name, "newName": "x"},
                          {"newName": ["", 5], "scope": ["x"]})


class Grants(Authz):
    def setUp(self):
        self.t, self.u = self.tenant()["tenantId"], self.user()["userId"]
        self.roles = [self.role()["roleId"] for _ in range(4)]
        self.pair = {"tenantId": self.t, "userId": self.u}

    def held(self):
        return set(self.api.item("membership", **self.pair)["roles"])

    def test_roles_are_added_and_taken(self):
        a, b, c, d = self.roles
        grant = self.api.item("grant", **self.pair, roles=[a, b])
        self.api("grant", **self.pair, roles=[b, c])
        self.assertEqual({a, b, c}, self.held())
        again = self.api.item("membership", **self.pair)
        self.assertEqual(grant["tenantGrantId"], again["tenantGrantId"], "a grant keeps its id")
        stored = self.stored("TENANT#" + self.t, "USER#" + self.u)
        grant_key = {"S": "TENANT_GRANT#" + grant["tenantGrantId"]}
        self.attributes(stored, Type={"S": "TenantGrant"}, GSI1PK={"S": "USER#" + self.u},
                        GSI1SK={"S": "TENANT#" + self.t},
                        GSI2PK=grant_key, GSI2SK=grant_key, tenantId={"S": self.t}, userId={"S": self.u})
        self.assertEqual({a, b, c}, set(plain(stored["roles"])))
        self.assertEqual(again, self.api.item("grantById", tenantGrantId=grant["tenantGrantId"]))
        self.api("revoke", **self.pair, roles=[a, d])
        self.assertEqual({b, c}, self.held())
        self.api("revoke", **self.pair, roles=[b, c])
        self.refused(404, "membership", **self.pair)
        self.assertIsNone(self.stored("TENANT#" + self.t, "USER#" + self.u), "a grant without roles is deleted")
        self.refused(404, "grantById", tenantGrantId=grant["tenantGrantId"])
        self.api("grant", **self.pair, roles=[d])
        self.api("revoke", **self.pair)
        self.refused(404, "membership", **self.pair)
        self.refused(404, "revoke", **self.pair)

    def test_refusals(self):
        self.refused(404, "grant", tenantId=new_ulid(), userId=self.u, roles=self.roles)
        self.refused(404, "grant", tenantId=self.t, userId=new_ulid(), roles=self.roles)
        self.assertEqual([], self.api.all("usersOfTenant", tenantId=self.t))
        self.refuses_each("grant", {**self.pair, "roles": self.roles},
                          {"tenantId": ["x"], "userId": ["x"], "roles": [["x"], "x", []]})
        self.requires("grant", {**self.pair, "roles": self.roles}, "tenantId", "userId", "roles")
        self.refused(404, "grantById", tenantGrantId=new_ulid())

    def test_roles_must_exist_and_have_the_scope_of_tenants(self):
        everywhere = self.role("global")["roleId"]
        self.refused(404, "grant", **self.pair, roles=[self.roles[0], new_ulid()])
        self.conflict("grant", **self.pair, roles=[self.roles[0], everywhere])
        self.assertEqual([], self.api.all("usersOfTenant", tenantId=self.t))
        self.api("grant", **self.pair, roles=self.roles[:1])
        odd = self.role("tenant")
        self.api("updateUser", userId=self.u, roles=[everywhere, odd["roleId"]])
        reply = self.api("authorization", **self.pair)
        self.assertIn(odd["name"], reply["tenantRoles"], "a role is listed under its own scope")
        self.assertEqual(1, len(reply["globalRoles"]))

    def test_lists(self):
        tenants = sorted([self.t] + [self.tenant()["tenantId"] for _ in range(4)])
        users = sorted([self.u] + [self.user()["userId"] for _ in range(4)])
        for tenant in tenants:
            self.api("grant", tenantId=tenant, userId=self.u, roles=self.roles[:1])
        for user in users:
            self.api("grant", tenantId=self.t, userId=user, roles=self.roles[:1])
        self.check_list("grantsOfUser", tenants, "tenantId", userId=self.u)
        self.check_list("usersOfTenant", users, "userId", tenantId=self.t)
        self.check_page_tokens("usersOfTenant", {"tenantId": tenants[0] if tenants[0] != self.t else tenants[1]},
                               tenantId=self.t)

    def test_a_revision_guards_what_is_revoked(self):
        self.api("grant", **self.pair, roles=self.roles[:2])
        _, headers = self.api.with_headers("membership", {}, **self.pair)
        tag_before = headers["ETag"]
        self.assertTrue(tag_before)
        self.api("grant", **self.pair, roles=self.roles[2:])
        try:
            self.api.with_headers("revoke", {"If-Match": tag_before}, **self.pair)
            self.fail("a stale revision was accepted")
        except Exception as refusal:     # noqa: BLE001
            self.assertEqual(409, getattr(refusal, "status", None), refusal)
        self.assertEqual(set(self.roles), self.held())
        _, headers = self.api.with_headers("membership", {}, **self.pair)
        self.api.with_headers("revoke", {"If-Match": headers["ETag"]}, **self.pair)
        self.refused(404, "membership", **self.pair)

    def test_all_that_the_authorizer_needs(self):
        named = [self.role("tenant") for _ in range(3)]
        everywhere = [self.role("global") for _ in range(2)]
        self.api("updateUser", userId=self.u, roles=[r["roleId"] for r in everywhere])
        self.api("grant", **self.pair, roles=[r["roleId"] for r in named])
        reply = self.api("authorization", **self.pair)
        self.assertEqual(self.t, reply["tenant"]["tenantId"])
        self.assertEqual(sorted(r["name"] for r in named), sorted(reply["tenantRoles"]))
        self.assertEqual(sorted(r["name"] for r in everywhere), sorted(reply["globalRoles"]))
        self.api("renameRole", scope="tenant", name=named[0]["name"], newName=(new := tag("new ")))
        self.assertIn(new, self.api("authorization", **self.pair)["tenantRoles"])
        self.api("updateUser", userId=self.u, roles=None)
        self.assertEqual([], self.api("authorization", **self.pair)["globalRoles"])
        for pair in ({"tenantId": new_ulid()}, {"userId": new_ulid()}, {"userId": self.user()["userId"]}):
            self.refused(404, "authorization", **{**self.pair, **pair})
        self.refuses_each("authorization", self.pair, {"tenantId": ["x"], "userId": ["x"]})


class Policies(Authz):
    def test_found_by_name_id_and_prefix(self):
        prefix = tag("ticket-")
        names = [f"{prefix}-{n}" for n in range(5)]
        policies = [self.api.item("createPolicy", policyId=tag("p-"), name=name) for name in names]
        self.attributes(self.stored("GLOBAL", "POLICY_NAME#" + names[0]), Type={"S": "Policy"}, name={"S": names[0]},
                        policyId={"S": policies[0]["policyId"]}, GSI1PK={"S": "POLICY#" + policies[0]["policyId"]},
                        GSI1SK={"S": "POLICY#" + policies[0]["policyId"]})
        self.assertEqual(policies[1], self.api.item("policy", name=names[1]))
        self.assertEqual(policies[2], self.api.item("policyById", policyId=policies[2]["policyId"]))
        self.check_list("policiesByPrefix", names, "name", name=prefix)
        self.check_list("policiesByPrefix", names[3:4], "name", name=names[3])
        self.check_page_tokens("policiesByPrefix", {"name": "x"}, name=prefix)
        self.conflict("createPolicy", policyId=tag("p-"), name=names[0])
        self.refused(404, "policy", name=tag())
        self.refused(404, "policyById", policyId=tag())
        self.refuses_each("createPolicy", {"policyId": "p", "name": tag()},
                          {"policyId": ["a b", ""], "name": ["", "n" * 201]}, unknown="PK")
        self.requires("createPolicy", {"policyId": "p", "name": tag()}, "policyId", "name")


ZEveryOperation = coverage("authz", """
    createTenant tenant tenantByName renameTenant deleteTenant createUser user userByEmail updateUser deleteUser createRole
    role roleById renameRole grant revoke membership grantById grantsOfUser usersOfTenant createPolicy policy policyById
    policiesByPrefix authorization""")

if __name__ == "__main__":
    harness.run_file()
