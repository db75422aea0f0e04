#!/usr/bin/python3
"""Background work of designs, through the program: tallies from the stream and kill -9, reactions by HTTP, dead
letters, expired rules, unreferenced blobs; and the commands that work on data: call, load, status, retry, verify."""

import hashlib
import http.client
import json
import secrets
import threading
import time
import unittest

from firewall import Firewall, app, policy
from served import Designs, Refused, TALLY_SECONDS_MAX, ahead, harness, new_phone, new_ulid, remote_url, tag

DATA = harness.REPOSITORY / "designs" / "data"


class BackgroundCase(unittest.TestCase):
    maxDiff = 4000

    def serve(self, *flags, **options):
        """A program that stops when the test ends, so that on a shared endpoint the next one does the background work."""
        running = Designs(*flags, **options)
        self.addCleanup(running.server.stop)
        return running

    def eventually(self, expected, ask, seconds_max=harness.WAIT_SECONDS_MAX):
        give_up_at = time.monotonic() + seconds_max
        while (answer := ask()) != expected and time.monotonic() < give_up_at:
            time.sleep(0.05)
        self.assertEqual(expected, answer)

    def command(self, *arguments, status=0, **options):
        done = harness.run_program("design", *arguments, cwd=harness.REPOSITORY, **options)
        self.assertEqual(status, done.returncode, done.stdout)
        return done.stdout


class Tallies(BackgroundCase):
    submitted = 0

    def test_figures_equal_a_recount_after_kill_9_in_the_middle(self):
        running = self.serve(memory=False)
        tenant = tag("t")
        running.api("form-bridge")("createTenant", tenant_id=tenant)
        for _ in range(3):
            stop, before = threading.Event(), self.submitted
            threads = [threading.Thread(target=self.submit, args=(running.api("form-bridge"), tenant, stop)) for _ in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(0.7)
            harness.until(lambda: self.submitted > before, "the load")
            running.server.kill()
            stop.set()
            for thread in threads:
                thread.join()
            running.server.start()
            api = running.api("form-bridge")
            items = api.all("submissionsByTime", tenant_id=tenant, limit=1000)
            self.assertGreater(len(items), 0)
            forms = {}
            for item in items:
                forms[item["form_id"]] = forms.get(item["form_id"], 0) + 1
            expected = (len(items), forms)

            def figures():
                board = api("dashboard", tenant_id=tenant, days=2)
                return board["total_submissions"], board["form_statistics"]
            self.eventually(expected, figures, TALLY_SECONDS_MAX)
        self.assertIn("0 faults", self.command("verify", "form-bridge", "--on", running.items_url, "--keys", running.ring,
                                               "--blobs", running.blobs, env=running.environment))

    def submit(self, api, tenant, stop):
        try:
            for number in range(100_000):
                if stop.is_set():
                    return
                api("submit", tenant_id=tenant, form_id=f"f{number % 7}", payload={"n": number})
                self.submitted += 1         # written by several threads: it grows, but is not exact
        except (OSError, http.client.HTTPException):
            pass


class ReactionsOfPolicies(BackgroundCase):
    @classmethod
    def setUpClass(cls):
        cls.firewall = Firewall()
        cls.running = Designs("--endpoint", f"firewall={cls.firewall.url}", "--reaction-backoff-ms", "4",
                              "--ttl-sweep-ms", "100")
        cls.api = cls.running.api("parental-control")

    @classmethod
    def tearDownClass(cls):
        cls.running.server.stop()

    def history(self, phone):
        return sorted((one["action"], one.get("appName"), one["status"])
                      for one in self.api.all("enforcementHistory", childPhoneNumber=phone))

    def test_a_change_sends_what_comes_and_goes_and_keeps_the_outcome(self):
        phone = new_phone()
        rule = {"ruleId": "r1", "privateIP": "10.0.0.1", "appName": "TikTok", "sessionExpiresAt": ahead(hours=1)}
        self.firewall.answer = lambda body: (200, {
            "rules": [rule] if body["add"] else [], "removedRules": ["r1"] if body["remove"] else [], "ftdResponse": {"ok": True}})
        created_policy = self.api.item("createPolicy", **policy(phone, "TikTok"))
        self.eventually([("block", "TikTok", "success")], lambda: self.history(phone))
        self.eventually(["active"], lambda: [one["status"] for one in self.api.all("rulesOfChild", childPhoneNumber=phone)])
        self.api("updatePolicy", childPhoneNumber=phone, policyId=created_policy["policyId"], blockedApps=[app("Fortnite")])
        self.eventually([("block", "Fortnite", "success"), ("block", "TikTok", "success"), ("unblock", "TikTok", "success")],
                        lambda: self.history(phone))
        last = self.firewall.of(phone)[-1][2]
        self.assertEqual((["Fortnite"], ["TikTok"]), tuple([one["appName"] for one in last[side]] for side in ("add", "remove")))

    def test_a_failing_endpoint_that_recovers_gets_each_event_in_order_under_one_key(self):
        phone = new_phone()
        tries = {"left": 3}

        def answer(body):
            if body["childPhoneNumber"] != phone:
                return 200, {}
            tries["left"] -= 1
            return (503 if tries["left"] >= 0 else 200), {}
        self.firewall.answer = answer
        created_policy = self.api.item("createPolicy", **policy(phone, "TikTok"))
        self.api("updatePolicy", childPhoneNumber=phone, policyId=created_policy["policyId"], blockedApps=[])
        self.eventually([("block", "TikTok", "success"), ("unblock", "TikTok", "success")], lambda: self.history(phone))
        calls = self.firewall.of(phone)
        self.assertEqual([503, 503, 503, 200, 200], [call[0] for call in calls])
        self.assertEqual(1, len({call[1] for call in calls[:4]}))
        self.assertEqual(["insert"] * 4 + ["modify"], [call[2]["event"] for call in calls])

    def test_an_abandoned_event_is_a_dead_letter_and_can_be_retried(self):
        phone = new_phone()
        self.firewall.answer = lambda body: (500, {"no": 1})
        self.api("createPolicy", **policy(phone, "TikTok"))
        self.eventually([("block", "TikTok", "failed")], lambda: self.history(phone))
        self.assertIn(phone, [one["childPhoneNumber"] for one in self.api.all("failedEnforcements")])
        at = ["parental-control", *self.running.operator()]
        self.eventually(1, lambda: len(self.letters(at, phone)))
        letter = self.letters(at, phone)[0]
        self.assertEqual(("policyChanged", 9), (letter["reaction"], letter["failures"]))
        self.firewall.answer = lambda body: (200, {})
        self.assertIn('"asked":1', self.command("retry", *at, letter["id"]))
        self.eventually([("block", "TikTok", "failed"), ("block", "TikTok", "success")], lambda: self.history(phone))
        self.eventually([], lambda: self.letters(at, phone))

    def test_an_outcome_that_cannot_be_recorded_is_a_dead_letter_too(self):
        phone = new_phone()
        self.firewall.answer = lambda body: (200, {"rules": [{"ruleId": "a rule with blanks"}]})
        self.api("createPolicy", **policy(phone, "TikTok"))
        at = ["parental-control", *self.running.operator()]
        self.eventually(1, lambda: len(self.letters(at, phone)))
        letter = self.letters(at, phone)[0]
        self.assertIn("recordPolicyEnforcement refuses the outcome", letter["error"])
        self.firewall.answer = lambda body: (200, {})
        self.assertIn('"asked":1', self.command("retry", *at, letter["id"]))
        self.eventually([("block", "TikTok", "success")], lambda: self.history(phone))
        self.eventually([], lambda: self.letters(at, phone))

    def letters(self, at, phone):
        return [one for one in json.loads(self.command("status", *at, "--dead"))["letters"] if phone in one["body"]]

    if not remote_url():        # another endpoint deletes expired items at its own pace
        def test_a_rule_that_expires_is_removed_at_the_firewall(self):
            phone = new_phone()
            self.firewall.answer = lambda body: (200, {})
            self.api("saveRule", childPhoneNumber=phone, ruleId="r9", privateIP="10.0.0.9", appName="TikTok", policyId="p",
                     sessionExpiresAt=ahead(seconds=1))
            self.eventually(["expire"], lambda: [call[2]["event"] for call in self.firewall.of(phone)])
            self.eventually([("remove", "TikTok", "success")], lambda: self.history(phone))

    def test_metrics_tell_of_background_work(self):
        page = self.api.request("GET", "/metrics")[2].decode()
        for name in ("stream_records_total", "tally_lag_seconds", "reaction_retries_total", "dead_letters", "open_cascades",
                     "blobs_swept_total"):
            self.assertIn(f'trestle_design_{name}{{design="parental-control"}}', page)


class Blobs(BackgroundCase):
    def test_the_blob_of_a_deleted_item_goes_and_the_other_stays(self):
        running = self.serve("--blob-age-s", "5")
        api, client = running.api("form-bridge"), harness.client(running.items_url)
        tenant = tag("t")
        api("createTenant", tenant_id=tenant)
        submissions = [api("submit", tenant_id=tenant, form_id="f", payload={"n": secrets.token_hex(200_000)})["submission_id"]
                       for _ in range(2)]
        # No blob is deleted during the point-in-time recovery period.
        if "lacks UpdateContinuousBackups" not in running.server.log():
            client.update_continuous_backups(TableName="FormBridgeData", PointInTimeRecoverySpecification={
                "PointInTimeRecoveryEnabled": False})
        blobs = lambda: len([one for one in running.blobs.rglob("*") if one.is_file()])    # noqa: E731
        self.assertEqual(2, blobs())
        remove = lambda one: client.delete_item(TableName="FormBridgeData", Key={     # noqa: E731
            "PK": {"S": f"TENANT#{tenant}#0"}, "SK": {"S": f"SUB#{one}"}})
        remove(submissions[0])
        self.eventually(1, blobs)
        self.assertEqual(submissions[1], api.item("submission", tenant_id=tenant, submission_id=submissions[1])["submission_id"])
        remove(submissions[1])     # its blob is in this program's folder, which later programs do not use
        self.eventually(0, blobs)


class Verify(BackgroundCase):
    @classmethod
    def setUpClass(cls):
        cls.running = Designs()
        cls.client = harness.client(cls.running.items_url)

    @classmethod
    def tearDownClass(cls):
        cls.running.server.stop()

    def verify(self, design, *more, status):
        return self.command("verify", design, "--on", self.running.items_url, "--keys", self.running.ring, "--blobs",
                            self.running.blobs, *more, status=status, env=self.running.environment)

    def found_and_mended(self, design, *kinds):
        printed = self.verify(design, status=1)
        self.assertEqual(sorted(kinds), sorted(line.split(":")[0] for line in printed.splitlines() if " · " in line), printed)
        self.verify(design, "--repair", status=1)
        self.assertIn("0 faults", self.verify(design, status=0))

    def items(self, table):
        return [item for page in self.client.get_paginator("scan").paginate(TableName=table) for item in page["Items"]]

    def test_guards_types_and_orphans(self):
        user = self.running.api("authz").item("createUser", email=tag("e") + "@example.com")
        self.assertIn("0 faults", self.verify("authz", status=0))
        guard = next(one for one in self.items("authz") if one["PK"]["S"] == "USER_EMAIL#" + user["email"])
        key = {name: guard[name] for name in ("PK", "SK")}
        self.client.delete_item(TableName="authz", Key=key)
        orphan = dict(guard, PK={"S": "USER_EMAIL#other@example.com"}, SK={"S": "USER_EMAIL#other@example.com"})
        self.client.put_item(TableName="authz", Item=orphan)
        owner = next(one for one in self.items("authz") if one.get("Type", {}).get("S") == "User")
        self.client.update_item(TableName="authz", Key={name: owner[name] for name in ("PK", "SK")},
                                UpdateExpression="SET #t = :t", ExpressionAttributeNames={"#t": "Type"},
                                ExpressionAttributeValues={":t": {"S": "Nobody"}})
        self.found_and_mended("authz", "guard", "orphan-guard", "type")

    def test_children_and_index_attributes(self):
        admin = self.running.api("site-catalog").as_caller(sub="root", groups=["admin"])
        admin("createSite", url="https://example.com/", title="t", tags=["a", "b"])
        self.assertIn("0 faults", self.verify("site-catalog", status=0))
        child = next(one for one in self.items("fus-main") if one.get("Type", {}).get("S") == "SiteTag")
        names = [one["AttributeName"] for one in self.client.describe_table(TableName="fus-main")["Table"]["KeySchema"]]
        self.client.delete_item(TableName="fus-main", Key={name: child[name] for name in names})
        self.found_and_mended("site-catalog", "child")

    def test_spilled_values_without_their_storage(self):
        api, tenant = self.running.api("form-bridge"), tag("t")
        api("createTenant", tenant_id=tenant)
        submission = api("submit", tenant_id=tenant, form_id="f", payload={"n": secrets.token_hex(200_000)})["submission_id"]
        without = lambda *more, status: self.command(   # noqa: E731
            "verify", "form-bridge", "--on", self.running.items_url, "--keys", self.running.ring, *more, status=status,
            env=self.running.environment)
        printed = without(status=0)
        self.assertIn("0 faults", printed)
        self.assertIn("1 spilled values were not checked: pass --blobs to say where they are stored", printed)
        item = next(one for one in self.items("FormBridgeData") if one.get("submission_id", {}).get("S") == submission)
        key = {name: item[name] for name in ("PK", "SK")}
        self.client.update_item(TableName="FormBridgeData", Key=key, UpdateExpression="SET #t = :t",
                                ExpressionAttributeNames={"#t": "Type"}, ExpressionAttributeValues={":t": {"S": "Nobody"}})
        self.assertIn("-> left unchanged", without("--repair", status=1))
        self.found_and_mended("form-bridge", "type")

    def test_index_attributes_ttl_and_tallies(self):
        api, tenant = self.running.api("form-bridge"), tag("t")
        api("createTenant", tenant_id=tenant)
        api("submit", tenant_id=tenant, form_id="f", payload={})
        figures = lambda: sorted((one["SK"]["S"].split("#")[1], one["submission_count"]["N"])       # noqa: E731
                                 for one in self.items("FormBridgeData")
                                 if one["SK"]["S"].startswith("METRICS#") and one["PK"]["S"] == f"TENANT#{tenant}")
        self.eventually([("DAY", "1"), ("HOUR", "1")], figures, TALLY_SECONDS_MAX)
        for item in self.items("FormBridgeData"):
            if tenant not in item["PK"]["S"]:
                continue
            key = {name: item[name] for name in ("PK", "SK")}
            if item["SK"]["S"].startswith("METRICS#DAY#"):
                self.client.update_item(TableName="FormBridgeData", Key=key, UpdateExpression="ADD submission_count :n",
                                        ExpressionAttributeValues={":n": {"N": "5"}})
            if item["SK"]["S"].startswith("METRICS#HOUR#"):
                self.client.update_item(TableName="FormBridgeData", Key=key, UpdateExpression="REMOVE #t",
                                        ExpressionAttributeNames={"#t": "ttl"})
            if item["SK"]["S"].startswith("SUB#"):
                self.client.update_item(TableName="FormBridgeData", Key=key, UpdateExpression="REMOVE GSI1SK")
        self.found_and_mended("form-bridge", "index", "tally", "ttl")


class Commands(BackgroundCase):
    def test_load_and_call_at_a_running_server_and_without_one(self):
        running = self.serve(memory=False)
        at = ["--at", running.url]
        printed = self.command("load", "parental-control", DATA / "parental-control-apps.yaml", "--operation", "registerApp", *at)
        self.assertIn("5 of 5 records", printed)
        reply = json.loads(self.command("call", "parental-control", "app", "--appName", "Fortnite", *at))
        self.assertEqual(9001, reply["item"]["defaultPorts"][3]["port"])
        everything = json.loads(self.command("call", "parental-control", "apps", "--limit", "2", "--all", *at))
        self.assertEqual(5, len(everything["items"]))
        self.assertIn("404", self.command("call", "parental-control", "app", "--appName", "None", *at, status=1))
        self.eventually(True, lambda: json.loads(self.command("status", "parental-control", *running.operator()))["working"])
        with self.assertRaises(Refused):
            running.api("parental-control")("app", appName="None")
        if remote_url():
            return
        running.server.stop()
        here = ["--data", running.server.data, "--keys", running.ring, "--blobs", running.blobs]
        reply = json.loads(self.command("call", "parental-control", "app", "--appName", "YouTube", *here))
        self.assertEqual("Video Streaming", reply["item"]["appCategory"])
        self.assertIn("has no operation", self.command("call", "parental-control", "nothing", *here, status=1))
        self.assertIn("defaultPorts", self.command("call", "parental-control", "registerApp", "--appName", "X", "--defaultPorts",
                                                   '[{"port":0,"protocol":"TCP"}]', *here, status=1))
        self.assertIn("0 faults", self.command("verify", "parental-control", *here))

    def test_load_entities_as_they_are(self):
        """Every field is stored, including those with default values; guards, children and index entries are created."""
        running = self.serve()
        user, tenant = new_ulid(), new_ulid()
        file = running.folder.path / "people.yaml"
        email = tag("e") + "@Example.com"
        file.write_text(f"""
Tenant:
  - {{tenantId: {tenant}, name: "{tag("t ")}"}}
User:
  - {{userId: {user}, email: {email}, givenName: Ada}}
  - {{userId: {user}, email: other@example.com}}
  - {{userId: {user[:-1]}!, email: third@example.com}}
""")
        on = ["--on", running.items_url, "--keys", running.ring, "--blobs", running.blobs]
        printed = self.command("load", "authz", file, *on, status=1, env=running.environment)
        self.assertIn("1 of 1 records loaded as Tenant", printed)
        self.assertIn("1 of 3 records loaded as User", printed)
        self.assertIn("record 2: This User exists already. (409)", printed)
        self.assertRegex(printed, r"record 3: .*\n *userId:")
        api = running.api("authz")
        self.assertEqual((user, "Ada"), tuple(api.item("userByEmail", email=email)[name] for name in ("userId", "givenName")))
        self.assertEqual(tenant, api.item("tenant", tenantId=tenant)["tenantId"])
        with self.assertRaises(Refused):
            api("createUser", email=email)          # its guard exists
        file.write_text(json.dumps([{"userId": user, "email": "new" + email}]))
        self.assertIn("1 of 1", self.command("load", "authz", file, "--entity", "User", "--replace", *on,
                                             env=running.environment))
        self.assertEqual(user, api.item("userByEmail", email="new" + email)["userId"])
        with self.assertRaises(Refused):
            api("userByEmail", email=email)         # the old guard was deleted with the old value
        self.assertIn("0 faults", self.command("verify", "authz", *on, env=running.environment))
        self.assertIn("no entity `Nobody`", self.command("load", "authz", file, "--entity", "Nobody", *on, status=1,
                                                         env=running.environment))
        self.assertIn("operations only", self.command("load", "authz", file, "--entity", "User", "--at", running.url, status=1))

    def test_load_keeps_times_counters_and_digests_and_tallies_count(self):
        running = self.serve()
        tenant, submission, at = tag("t-"), new_ulid(1_700_000_000_000), "2023-11-14T22:13:20.000Z"
        file = running.folder.path / "items.yaml"
        on = ["--on", running.items_url, "--keys", running.ring, "--blobs", running.blobs]
        api = running.api("form-bridge")
        api("createTenant", tenant_id=tenant)
        file.write_text(json.dumps({"Submission": [
            {"tenant_id": tenant, "submission_id": submission, "form_id": "f", "payload": {"a": 1}, "status": "FAILED",
             "timestamp": at}]}))
        self.assertIn("1 of 1", self.command("load", "form-bridge", file, *on, env=running.environment))
        found = api.item("submission", tenant_id=tenant, submission_id=submission)
        self.assertEqual(("FAILED", at, {"a": 1}), (found["status"], found["timestamp"], found["payload"]))
        self.eventually([1], lambda: [one["submission_count"] for one in api.all("metricsOfDay", date=at[:10])
                                      if one["tenant_id"] == tenant])
        domain, secret, digest = tag("s") + ".example.com", secrets.token_urlsafe(32), hashlib.sha256(b"a key").hexdigest()
        file.write_text(json.dumps({"SiteCredentials": [
            {"domain": domain, "site_id": (site := new_ulid()), "api_key_hash": digest, "webhook_secret": secret,
             "request_count": 41}],
            "ApiKeyLookup": [{"api_key_hash": digest, "site_id": site, "domain": domain}]}))
        self.assertIn("1 of 1", self.command("load", "plugin-auth", file, *on, env=running.environment))
        self.assertEqual(41, running.api("plugin-auth").item("siteById", site_id=site)["request_count"])
        items = harness.client(running.items_url).query(
            TableName="form-bridge-plugin-auth", KeyConditionExpression="PK = :p",
            ExpressionAttributeValues={":p": {"S": f"SITE#{domain}"}})["Items"]
        self.assertEqual([digest], [one["api_key_hash"]["S"] for one in items])
        self.assertNotIn(secret, str(items), "sealed as for every write")


if __name__ == "__main__":
    harness.run_file()
