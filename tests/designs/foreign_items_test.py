#!/usr/bin/python3
"""Items that other programs wrote with an SDK, in the form that the documents print: the operations list, read,
update and delete them, `design load` loads them, and `verify --repair` adds what they lack."""

import json
import time
from pathlib import Path

from served import SystemCase, designs, harness, iso, new_ip, new_phone, new_ulid, sha256, tag, utc_now

DATA = Path(__file__).resolve().parent / "data"
AUTHZ = [json.loads(line) for line in (DATA / "authz-items.jsonl").read_text().splitlines()]
PARENTAL = json.loads((DATA / "parental-control-items.json").read_text())


def typed(value):
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, (int, float)):
        return {"N": str(value)}
    if isinstance(value, list):
        return {"L": [typed(one) for one in value]}
    return {"M": {name: typed(one) for name, one in value.items()}}


class Foreign(SystemCase):
    def put(self, table=None, /, **attributes):
        self.client.put_item(TableName=table or self.table, Item={name: typed(one) for name, one in attributes.items()})

    def put_typed(self, item):
        self.client.put_item(TableName=self.table, Item=item)

    def command(self, *arguments, status=0):
        running = designs()
        done = harness.run_program("design", *arguments, "--on", running.items_url, "--keys", running.ring, "--blobs",
                                   running.blobs, env=running.environment, cwd=harness.REPOSITORY)
        if status is not None:
            self.assertEqual(status, done.returncode, done.stdout)
        return done.stdout

    def faults_of(self, text, *keys):
        """The faults that verify finds in the items with these keys."""
        return [line for line in text.splitlines() if any(key in line for key in keys)]


class Authz(Foreign):
    design = "authz"
    table = "authz"

    def sample(self, number, **ids):
        """A sample from the document, with ids of this run."""
        text = json.dumps(AUTHZ[number])
        for old, new in ids.items():
            text = text.replace(old, new)
        return json.loads(text)

    def grant(self, roles):
        tenant, user = new_ulid(), new_ulid()
        self.put_typed(self.sample(0, **{"01J8Z0E2Z8D2A3J7A7Y2H9GQ9C": tenant, "acme": tag("acme-")}))
        self.put(PK="USER#" + user, SK="USER#" + user, Type="User", userId=user, email=tag("u") + "@example.com")
        item = self.sample(1, **{"01J8Z0E2Z8D2A3J7A7Y2H9GQ9C": tenant, "01J8YZZQ3V8PZKQ0ZKX4C2M7FM": user,
                                 "01J8Z3Q3TQ6T0C9J2W0G7N2B6V": (grant := new_ulid())})
        item["roles"] = {"L": [{"S": role} for role in roles]}
        self.put_typed(item)
        return tenant, user, grant

    def role(self):
        return self.api.item("createRole", scope="tenant", name=tag("r"))["roleId"]

    def roles(self, tenant, user):
        return self.stored("TENANT#" + tenant, "USER#" + user).get("roles")

    def test_a_list_of_roles_is_read_and_becomes_a_set(self):
        first, second, third = sorted(self.role() for _ in range(3))
        tenant, user, grant = self.grant([first, second])
        found = self.api.item("membership", tenantId=tenant, userId=user)
        self.assertEqual([first, second], sorted(found["roles"]))
        self.assertEqual(grant, found["tenantGrantId"], "read from GSI2PK: the item has no attribute of its own for it")
        self.assertEqual([grant], [one["tenantGrantId"] for one in self.api.all("grantsOfUser", userId=user)])
        self.assertEqual(user, self.api.item("grantById", tenantGrantId=grant)["userId"])
        self.assertEqual(2, len(self.api("authorization", tenantId=tenant, userId=user)["tenantRoles"]))
        self.api("grant", tenantId=tenant, userId=user, roles=[third, first])
        self.assertEqual({"SS": [first, second, third]}, self.roles(tenant, user))
        self.put(PK="USER#" + user, SK="USER#" + user, Type="User", userId=user, email=tag("u") + "@example.com", roles=[second, first])
        self.api("updateUser", userId=user, givenName="Ada")
        self.assertEqual({"SS": [first, second]}, self.stored("USER#" + user, "USER#" + user)["roles"], "by any update")
        tenant, user, _ = self.grant([first, second])
        self.api("revoke", tenantId=tenant, userId=user, roles=[second])
        self.assertEqual({"SS": [first]}, self.roles(tenant, user))
        tenant, user, _ = self.grant([first])
        self.api("revoke", tenantId=tenant, userId=user)
        self.assertIsNone(self.stored("TENANT#" + tenant, "USER#" + user))

    def test_a_tenant_without_a_guard(self):
        name, other = tag("acme-"), tag("other-")
        tenant = new_ulid()
        self.put_typed(self.sample(0, **{"01J8Z0E2Z8D2A3J7A7Y2H9GQ9C": tenant, "acme": name}))
        self.assertEqual(tenant, self.api.item("tenantByName", name=name)["tenantId"])
        second = self.api.item("createTenant", name=name)["tenantId"]
        self.assertEqual(other, self.api.item("renameTenant", tenantId=tenant, name=other)["name"])
        guard = self.stored("TENANT_NAME#" + name, "TENANT_NAME#" + name)
        self.assertEqual({"S": second}, guard["tenantId"], "the guard of the second stays")
        self.refused(409, "createTenant", name=name)
        self.assertEqual({"S": tenant}, self.stored("TENANT_NAME#" + other, "TENANT_NAME#" + other)["tenantId"])
        lone = new_ulid()
        self.put_typed(self.sample(0, **{"01J8Z0E2Z8D2A3J7A7Y2H9GQ9C": lone, "acme": name}))
        self.api("deleteTenant", tenantId=lone)
        self.assertEqual({"S": second}, self.stored("TENANT_NAME#" + name, "TENANT_NAME#" + name)["tenantId"])

    def test_verify_makes_the_guard_and_reports_types(self):
        name, tenant, user = tag("acme-"), new_ulid(), new_ulid()
        self.put_typed(self.sample(0, **{"01J8Z0E2Z8D2A3J7A7Y2H9GQ9C": tenant, "acme": name}))
        self.put(PK="USER#" + user, SK="USER#" + user, Type="User", userId=user, email=(email := tag("u") + "@example.com"),
                 givenName=5, roles=[new_ulid()])
        output = self.command("verify", "authz", status=1)
        self.assertTrue(any("guard" in line for line in self.faults_of(output, tenant)))
        words = " ".join(self.faults_of(output, user))
        self.assertIn("`givenName` is 5 of type N, should be S", words)
        self.assertIn("`roles` is", words)
        output = self.command("verify", "authz", "--repair", status=1)
        self.assertIn("the guard was created", " ".join(self.faults_of(output, tenant)))
        self.refused(409, "createTenant", name=name)
        self.assertIn("SS", self.stored("USER#" + user, "USER#" + user)["roles"])
        self.assertEqual(user, self.api.item("userByEmail", email=email)["userId"])
        self.client.delete_item(TableName=self.table, Key={"PK": {"S": "USER#" + user}, "SK": {"S": "USER#" + user}})
        self.client.delete_item(TableName=self.table, Key={"PK": {"S": "USER_EMAIL#" + email}, "SK": {"S": "USER_EMAIL#" + email}})

    def test_other_attributes_survive_and_are_answered(self):
        name, role, moved = tag("r"), new_ulid(), tag("m")
        item = self.sample(2, **{"01J8X2W3Y4Z5A6B7C8D9E0F1G2": role})
        item["SK"], item["name"] = {"S": "ROLE_NAME#" + name}, {"S": name}
        item |= {"color": {"S": "red"}, "bits": {"B": b"\x00\x01"}, "words": {"SS": ["a", "b"]}}
        self.put_typed(item)
        self.assertEqual("red", self.api.item("role", scope="tenant", name=name)["color"])
        self.assertEqual("red", self.api.item("renameRole", scope="tenant", name=name, newName=moved)["color"])
        stored = self.stored("ROLE_SCOPE#tenant", "ROLE_NAME#" + moved)
        self.assertEqual([item[one] for one in ("color", "bits", "words", "roleId")],
                         [stored[one] for one in ("color", "bits", "words", "roleId")])
        self.assertIsNone(self.stored("ROLE_SCOPE#tenant", "ROLE_NAME#" + name))
        user = self.api.item("createUser", email=tag("u") + "@example.com", locale="de", limits={"a": [1, None]})
        self.assertEqual(("de", {"a": [1, None]}), (user["locale"], user["limits"]))
        changed = self.api.item("updateUser", userId=user["userId"], givenName="Ada", locale=None, theme="dark")
        self.assertEqual(("Ada", "dark", None), (changed["givenName"], changed["theme"], changed.get("locale")))
        self.assertEqual({"S": "dark"}, self.stored("USER#" + user["userId"], "USER#" + user["userId"])["theme"])
        for reserved in ("PK", "GSI1PK", "Type"):
            self.assertIn(reserved, self.refused(400, "createUser", email=tag("u") + "@example.com", **{reserved: "x"}).fields)
        self.assertIn("more", self.refused(400, "renameTenant", tenantId=new_ulid(), name="x", more=1).fields)

    def test_samples_load_as_they_are_printed(self):
        ids = {"01J8Z0E2Z8D2A3J7A7Y2H9GQ9C": new_ulid(), "01J8YZZQ3V8PZKQ0ZKX4C2M7FM": new_ulid(), "acme": tag("acme-"),
               "01J8X2W3Y4Z5A6B7C8D9E0F1G2": new_ulid(), "01J8Z3Q3TQ6T0C9J2W0G7N2B6V": new_ulid(), "p-abc123": tag("p-"),
               "ticket-tenant-enforce": tag("policy-"), "ROLE_NAME#admin": "ROLE_NAME#" + (name := tag("admin-")), '"admin"': f'"{name}"'}
        items = [self.sample(number, **ids) for number in range(4)]
        folder = designs().folder.path
        lines = folder / "items.jsonl"
        lines.write_text("".join(json.dumps(item) + "\n" for item in items))
        output = self.command("load", "authz", lines)
        for entity in ("Tenant", "TenantGrant", "Role", "Policy"):
            self.assertIn(f"1 of 1 records loaded as {entity}", output)
        grant = self.stored(*(items[1][key]["S"] for key in ("PK", "SK")))
        self.assertEqual(items[1]["GSI2PK"], grant["GSI2PK"])
        self.assertEqual("SS", next(iter(grant["roles"])))
        self.assertEqual(ids["p-abc123"], self.api.item("policy", name=ids["ticket-tenant-enforce"])["policyId"])
        self.refused(409, "createTenant", name=ids["acme"])
        one = folder / "one.json"
        plain = {"PK": "ROLE_SCOPE#global", "SK": "ROLE_NAME#" + (name := tag("g")), "Type": "Role", "name": name,
                 "GSI1PK": "ROLE#" + (role := new_ulid()), "GSI1SK": "ROLE#" + role, "scope": "global", "note": "kept"}
        one.write_text(json.dumps(plain, indent=2))
        self.assertIn("1 of 1 records loaded as Role", self.command("load", "authz", one))
        self.assertEqual((role, "kept"), tuple(self.api.item("role", scope="global", name=name)[key] for key in ("roleId", "note")))
        one.write_text(json.dumps([plain | {"GSI1SK": "ROLE#" + new_ulid(), "SK": "ROLE_NAME#" + name + "2", "name": name + "2"}]))
        self.assertIn("GSI1SK is", self.command("load", "authz", one, status=1))
        one.write_text(json.dumps([{"name": "x"}]))
        self.assertIn("--entity", self.command("load", "authz", one, status=1))


class Plugin(Foreign):
    design = "plugin-auth"
    table = "form-bridge-plugin-auth"

    def test_a_site_that_another_program_registered(self):
        domain, site, key = tag("s") + ".example.com", tag("site_"), tag("key")
        now = iso(utc_now())
        self.put(PK="SITE#" + domain, SK="CREDS#" + site, GSI1PK="SITE#" + site, GSI1SK="ACTIVE", site_id=site, domain=domain,
                 api_key_hash=sha256(key), webhook_secret="whsec", status="active", created_at=now, activated_at=now,
                 plan="pro")
        self.put(PK="API#" + sha256(key), SK="LOOKUP", GSI1PK="SITE#" + site, GSI1SK="API_KEY", site_id=site, domain=domain,
                 created_at=now)
        found = self.api.item("siteById", site_id=site)
        self.assertEqual((domain, "pro"), (found["domain"], found["plan"]))
        self.assertNotIn("webhook_secret", found)
        reply = self.api("validateKey", api_key=key, client_ip=new_ip(), request_type="api")
        self.assertEqual((site, domain, "active"), tuple(reply[name] for name in ("site_id", "domain", "status")))
        self.assertEqual(1, self.api.item("siteById", site_id=site)["request_count"])
        self.assertEqual("suspended", self.api.item("suspendSite", site_id=site)["status"])
        self.assertEqual("active", self.api.item("activateSite", site_id=site)["status"])
        self.assertIn(site, [one["site_id"] for one in self.api.all("activeSites")])
        new = self.api("rotateKey", site_id=site)["api_key"]
        self.assertEqual(site, self.api("validateKey", api_key=new, client_ip=new_ip(), request_type="api")["site_id"])
        self.assertEqual({"S": "pro"}, self.stored("SITE#" + domain, "CREDS#" + site)["plan"])

    def test_registrations_without_a_time_to_live(self):
        domain, registration, temp = tag("s") + ".example.com", tag("reg_"), tag("temp_")
        ago = "2024-01-01T00:00:00Z"
        self.put(PK="SITE#" + domain, SK="REG#" + registration, GSI1PK="TEMP#" + temp, GSI1SK="STATUS#pending",
                 registration_id=registration, domain=domain, temp_key=temp, status="pending", wp_version="6.0",
                 plugin_version="1.0.0", client_ip="192.0.2.1", created_at=ago, expires_at=ago)
        self.assertEqual([registration], [one["registration_id"] for one in self.api.all("registrationsOfDomain", domain=domain)])
        self.assertEqual(domain, self.api.item("registrationByTempKey", temp_key=temp)["domain"])
        self.refused(410, "exchangeKey", temp_key=temp, client_ip=new_ip())
        self.put(PK="SITE#" + domain, SK="REG#" + registration, GSI1PK="TEMP#" + temp, GSI1SK="STATUS#pending",
                 registration_id=registration, domain=domain, temp_key=temp, status="pending", wp_version="6.0",
                 plugin_version="1.0.0", client_ip="192.0.2.1", created_at=ago, expires_at=iso(utc_now().replace(year=2099)))
        site = self.api("exchangeKey", temp_key=temp, client_ip=new_ip())["site_id"]
        self.assertEqual(domain, self.api.item("siteById", site_id=site)["domain"])

    def test_a_time_to_live_of_others_stays(self):
        agency = tag("agency_")
        self.put(PK="AGENCY#" + agency, SK="INFO", agency_id=agency, agency_name="A", contact_email="a@example.com", max_sites=2,
                 status="active", created_at=iso(utc_now()), ttl=int(time.time()) + 1000, GSI1PK="AGENCY_META#" + agency,
                 GSI1SK="ACTIVE")
        self.assertEqual("A", self.api.item("agency", agency_id=agency)["agency_name"])
        self.command("verify", "plugin-auth", "--repair", status=None)
        self.assertIn("ttl", self.stored("AGENCY#" + agency, "INFO"))



class Bridge(Foreign):
    design = "form-bridge"
    table = "FormBridgeData"

    def test_attempts_numbered_as_in_the_document(self):
        tenant = tag("t-")
        self.api("createTenant", tenant_id=tenant)
        destination = self.api.item("createDestination", tenant_id=tenant, destination_type="crm")["destination_id"]
        submission = self.api("submit", tenant_id=tenant, form_id="f", payload={"a": 1})["submission_id"]
        self.put(PK="SUB#" + submission, SK=f"DEST#{destination}#ATTEMPT#1", submission_id=submission, destination_id=destination,
                 attempt_num=1, tenant_id=tenant, status="failed", timestamp=iso(utc_now()))
        numbers = [self.api("recordDelivery", tenant_id=tenant, submission_id=submission, destination_id=destination,
                            status=status)["attempt_num"] for status in ("failed", "retrying", "success")]
        self.assertEqual([2, 3, 4], numbers)
        found = self.api.all("deliveriesOfSubmission", tenant_id=tenant, submission_id=submission)
        self.assertEqual([1, 2, 3, 4], sorted(one["attempt_num"] for one in found))
        self.command("verify", "form-bridge", "--repair", status=None)
        found = self.api.all("deliveriesOfSubmission", tenant_id=tenant, submission_id=submission)
        self.assertEqual([1, 2, 3, 4], [one["attempt_num"] for one in found], "moved to its place")
        self.assertEqual(5, self.api("recordDelivery", tenant_id=tenant, submission_id=submission, destination_id=destination,
                                     status="retrying")["attempt_num"])


class Catalog(Foreign):
    design = "site-catalog"
    table = "fus-main"

    def test_the_documents_items(self):
        admin, user = self.api.as_caller(sub="boss", groups=["admin"]), self.api.as_caller(sub=tag("u"))
        site, me = str(int(time.time() * 1000)), tag("user-")
        now = iso(utc_now())
        self.put(PK="SITE#" + site, SK="METADATA", url="https://example.com/", title="T", tags=["javascript"], createdAt=now,
                 updatedAt=now, entityType="SITE", entitySk="SITE#" + site, favicon="f.ico")
        self.put(PK="SITE#" + site, SK="TAG#javascript", tag="javascript", siteId="SITE#" + site)
        self.put(PK="USER#" + me, SK="SITE#" + site, stars=4, note="n", updatedAt=now, starRating=4, siteId="SITE#" + site)
        self.put(PK="USER#" + me, SK=f"SITE#{site}#COMMENT#7", body="old", createdAt=now, updatedAt=now)
        self.assertEqual(("T", "f.ico", site), tuple(self.api.item("site", siteId=site)[key] for key in ("title", "favicon", "siteId")))
        self.assertEqual("T", self.api.item("site", siteId="SITE#" + site)["title"])
        self.assertIn(site, [one["siteId"] for one in self.api.all("sites")])
        self.assertIn(site, [one["siteId"] for one in self.api.all("sitesByTag", tag="javascript")])
        mine = self.api.as_caller(sub=me)
        self.assertEqual([site], [one["siteId"] for one in mine.all("myRatings")], "a comment is no rating")
        self.assertEqual(4, mine.item("myRating", siteId="SITE#" + site)["stars"])
        self.assertIn(me, [one["userId"] for one in self.api.all("ratingsByStars", stars=4)])
        self.assertEqual("new", admin.item("updateSite", siteId=site, title="new")["title"])
        self.assertEqual({"S": "f.ico"}, self.stored("SITE#" + site, "METADATA")["favicon"])
        user("rateSite", siteId="SITE#" + site, stars=5)
        output = self.command("verify", "site-catalog", "--repair", status=1)
        self.assertIn("moved", " ".join(self.faults_of(output, f"SITE#{site}#COMMENT#7")))
        self.assertEqual([("7", "old", me)], [(one["commentId"], one["body"], one["userId"])
                                              for one in self.api.all("commentsOfSite", siteId=site)])
        self.assertEqual("edited", mine.item("editComment", siteId=site, commentId="7", body="edited")["body"])
        self.assertEqual([], self.faults_of(self.command("verify", "site-catalog", status=None), site))
        admin("deleteSite", siteId=site)
        self.assertIsNone(self.stored("SITE#" + site, "TAG#javascript"))
        self.assertEqual([], mine.all("myRatings"))



class Parental(Foreign):
    design = "parental-control"
    table = "ParentalPolicies"

    def test_the_documents_items(self):
        phone = new_phone()
        with_phone = lambda name, **more: PARENTAL[name] | {"childPhoneNumber": phone} | more
        self.put("ParentalPolicies", **with_phone("Policy"))
        self.put("EnforcementHistory", **with_phone("Enforcement"))
        self.put("BlockedRequestMetrics", **with_phone("Metrics"))
        self.put("FTDRuleMapping", **with_phone("Rule"))
        policy = self.api.item("policy", childPhoneNumber=phone, policyId="policy_20251003_001")
        self.assertEqual("Sarah", policy["childName"])
        apps = self.api("blockedNow", childPhoneNumber=phone, at="2025-10-03T23:00:00Z")["apps"]
        self.assertEqual({"TikTok", "Instagram"}, {one["appName"] for one in apps})
        self.assertEqual("inactive", self.api.item("updatePolicy", childPhoneNumber=phone, policyId="policy_20251003_001",
                                                   status="inactive")["status"])
        history = self.api.all("enforcementHistory", childPhoneNumber=phone)
        self.assertEqual([("2025-10-03T14:30:45Z", "block", "TikTok")],
                         [(one["timestamp"], one["action"], one["appName"]) for one in history])
        output = self.command("verify", "parental-control", "--repair", status=1)
        self.assertIn("moved", " ".join(self.faults_of(output, "2025-10-03T14:30:45Z")))
        moved = self.api.all("enforcementHistory", childPhoneNumber=phone)
        self.assertEqual([("2025-10-03T14:30:45Z", "TikTok", 342)],
                         [(one["timestamp"], one["appName"], one["duration_ms"]) for one in moved])
        self.assertEqual([], self.faults_of(self.command("verify", "parental-control", status=None), phone + '", timestamp'))
        day = self.api.all("dailyMetrics", childPhoneNumber=phone, date="2025-10-03")
        self.assertEqual([47], [one["blockedCount"] for one in day])
        self.api("recordBlocked", childPhoneNumber=phone, appName="TikTok", parentEmail="parent@example.com",
                 at="2025-10-03T14:55:00Z")
        stored = self.client.get_item(TableName="BlockedRequestMetrics",
                                      Key={"childPhoneNumber": {"S": phone}, "dateApp": {"S": "2025-10-03#TikTok"}})["Item"]
        self.assertEqual(({"N": "48"}, {"N": "6"}, {"S": "2025-10-03T14:55:00Z"}),
                         (stored["blockedCount"], stored["hourly"]["M"]["14"], stored["timestampLast"]))
        self.assertEqual("TikTok", self.api.item("rule", childPhoneNumber=phone, ruleId="ftd_rule_abc123")["appName"])
        self.assertEqual(1, len(self.api.all("rulesOfChild", childPhoneNumber=phone)))
        self.assertEqual(1, len(self.api("endSession", childPhoneNumber=phone, privateIP="10.20.30.40")["items"]))

    def test_samples_load_as_they_are_printed(self):
        file = designs().folder.path / "sample.json"
        phone = new_phone()
        for entity in ("Policy", "App", "Enforcement", "Metrics", "Rule"):
            item = dict(PARENTAL[entity])
            if "childPhoneNumber" in item:
                item["childPhoneNumber"] = phone
            if entity == "Rule":
                item["sessionExpiresAt"] = "2099-01-01T00:00:00Z"
            file.write_text(json.dumps(item))
            self.assertIn(f"1 of 1 records loaded as {entity}",
                          self.command("load", "parental-control", file, "--entity", entity, "--replace"))
        file.write_text(json.dumps(PARENTAL["apps"]))
        self.assertIn("4 of 4", self.command("load", "parental-control", file, "--entity", "App", "--replace"))
        self.assertEqual("Gaming", self.api.item("app", appName="Fortnite")["appCategory"])
        self.assertEqual(47, self.api.all("dailyMetrics", childPhoneNumber=phone, date="2025-10-03")[0]["blockedCount"])


if __name__ == "__main__":
    harness.run_file()
