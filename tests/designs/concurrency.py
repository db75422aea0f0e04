#!/usr/bin/python3
"""Many concurrent callers: of competing calls exactly one succeeds, and no count is lost.

    tests/designs/concurrency.py [--rounds 20] [--seconds 6] [names of cases]
"""

import argparse
import hmac
import threading
import time

from served import (DESIGNS, Designs, Refused, SystemCase, epoch, harness, new_ip, new_phone, plain, tag, together)

OPTIONS = argparse.Namespace(rounds=20, seconds=6)
SUBMISSIONS = 150          # minimum for each number of shards


def statuses(results):
    """How often each status was returned; a reply with a result counts as 200."""
    found = {}
    for result in results:
        status = result.status if isinstance(result, Refused) else result if isinstance(result, Exception) else 200
        if isinstance(status, Exception):
            raise status
        found[status] = found.get(status, 0) + 1
    return found


def answers(results):
    return [result for result in results if not isinstance(result, Exception)]


class Race(SystemCase):
    design = "authz"

    def race(self, count, operation, /, api=None, **inputs):
        """The same call on this many concurrent connections; `inputs` may be functions of the caller's number."""
        apis = [(api or self.api).copy() for _ in range(count)]

        def work(n):
            return apis[n](operation,
                           **{name: value(n) if callable(value) else value for name, value in inputs.items()})

        results = together(count, work)
        for one in apis:
            one.close()
        return results


class Plugin(Race):
    design = "plugin-auth"

    def register(self, **more):
        domain = tag("site") + ".example.com"
        return domain, self.api("registerSite", domain=domain, wp_version="6.4", plugin_version="1.0",
                                client_ip=new_ip(), **more)

    def test_of_two_exchanges_one_wins(self):
        for _ in range(OPTIONS.rounds):
            domain, registration = self.register()
            results = self.race(2, "exchangeKey", temp_key=registration["temp_key"], client_ip=new_ip())
            self.assertEqual({200: 1, 409: 1}, statuses(results))
            sites = self.api.all("credentialsOfDomain", domain=domain)
            self.assertEqual([answers(results)[0]["site_id"]], [s["site_id"] for s in sites])

    def test_an_agency_is_never_overfull(self):
        agency = self.api.item("createAgency", agency_name="A", contact_email="a@example.com", max_sites=7)["agency_id"]
        keys = [self.register(agency_id=agency)[1]["temp_key"] for _ in range(20)]
        results = self.race(20, "exchangeKey", temp_key=lambda n: keys[n], client_ip=lambda n: new_ip())
        self.assertEqual({200: 7, 409: 13}, statuses(results))
        self.assertEqual(7, self.api.item("agency", agency_id=agency)["current_sites"])
        self.assertEqual(sorted(r["site_id"] for r in answers(results)),
                         [s["site_id"] for s in self.api.all("agencySites", agency_id=agency)])

    def test_an_address_registers_five_times(self):
        harness.within_one(60, self.check_address)      # rates count in minute slices, and are exact if none ends during the test

    def check_address(self):
        results = self.race(32, "registerSite", domain=lambda n: f"{tag('s')}.example.com", wp_version="6.4",
                            plugin_version="1.0",
                            client_ip=new_ip())
        self.assertEqual({200: 5, 429: 27}, statuses(results))

    def test_every_request_of_a_site_is_counted(self):
        harness.within_one(60, self.check_counts)

    def check_counts(self):
        site = self.api("exchangeKey", temp_key=self.register()[1]["temp_key"], client_ip=new_ip())
        results = self.race(64, "validateKey", api_key=site["api_key"], client_ip=new_ip(), request_type="api")
        self.assertEqual({200: 64}, statuses(results))
        self.assertEqual(list(range(936, 1000)), sorted(r["rate_limit_remaining"] for r in answers(results)))
        now = int(time.time())
        self.assertEqual(64, self.api("siteRate", site_id=site["site_id"], **{"from": now - 600, "to": now})["total"])
        self.assertEqual(64, self.api.item("siteById", site_id=site["site_id"])["request_count"])

    def test_a_site_has_one_key_after_many_rotations(self):
        site = self.api("exchangeKey", temp_key=self.register()[1]["temp_key"], client_ip=new_ip())
        results = self.race(16, "rotateKey", site_id=site["site_id"])
        self.assertLessEqual(set(statuses(results)), {200, 409})
        self.assertEqual(1, len(self.api.all("apiKeysOfSite", site_id=site["site_id"])))
        working = [r for r in answers(results) if not isinstance(self.try_key(r["api_key"]), Refused)]
        self.assertEqual(1, len(working))

    def test_an_agency_suspended_meanwhile_takes_no_more(self):
        agency = self.api.item("createAgency", agency_name="A", contact_email="a@example.com", max_sites=50)["agency_id"]
        keys = [self.register(agency_id=agency)[1]["temp_key"] for _ in range(12)]
        apis = [self.api.copy() for _ in range(12)]

        def work(n):
            if n == 0:
                return apis[0]("suspendAgency", agency_id=agency)
            return apis[n]("exchangeKey", temp_key=keys[n], client_ip=new_ip())

        results = together(12, work)
        found = statuses(results)
        self.assertEqual(12, sum(found.get(status, 0) for status in (200, 403, 409)), found)
        held = self.api.item("agency", agency_id=agency)
        self.assertEqual(("suspended", found[200] - 1), (held["status"], held["current_sites"]))
        self.assertEqual(found[200] - 1, len(self.api.all("agencySites", agency_id=agency)))
        self.refused(403, "exchangeKey", temp_key=keys[0], client_ip=new_ip())
        self.api("activateAgency", agency_id=agency)
        self.api("exchangeKey", temp_key=keys[0], client_ip=new_ip())

    def test_webhooks_are_signed_while_keys_rotate(self):
        site = self.api("exchangeKey", temp_key=self.register()[1]["temp_key"], client_ip=new_ip())
        expected = hmac.new(site["webhook_secret"].encode(), b"body", "sha256").hexdigest()
        apis = [self.api.copy() for _ in range(16)]

        def work(n):
            if n % 4 == 0:
                return apis[n]("rotateKey", site_id=site["site_id"])
            signature = apis[n]("signWebhook", site_id=site["site_id"], body="body")["signature"]
            valid = apis[n]("verifyWebhook", site_id=site["site_id"], body="body", signature=signature)["valid"]
            self.assertEqual((expected, True), (signature, valid))
            return None

        found = statuses(together(16, work))
        self.assertLessEqual(set(found), {200, 409})
        self.assertGreaterEqual(found[200], 13, "every signature and a rotation")

    def try_key(self, key):
        try:
            return self.api("validateKey", api_key=key, client_ip=new_ip(), request_type="api")
        except Refused as refusal:
            return refusal


class Authz(Race):
    table = "authz"

    def test_of_200_clients_one_creates_the_email(self):
        email = tag("one") + "@example.com"
        results = self.race(200, "createUser", email=email)
        self.assertEqual({200: 1, 409: 199}, statuses(results))
        user = answers(results)[0]["item"]
        self.assertEqual(user, self.api.item("userByEmail", email=email))
        self.attributes(self.stored("USER_EMAIL#" + email, "USER_EMAIL#" + email), userId={"S": user["userId"]})

    def test_users_that_swap_emails_keep_one_each(self):
        emails = [tag("e") + "@example.com" for _ in range(8)]
        users = [self.api.item("createUser", email=email)["userId"] for email in emails]
        for turn in range(5):
            self.race(8, "updateUser", userId=lambda n: users[n], email=lambda n, turn=turn: emails[(n * 3 + turn) % 8])
        held = {user: self.api.item("user", userId=user)["email"] for user in users}
        self.assertEqual(8, len(set(held.values())))
        for user, email in held.items():
            self.assertEqual(user, self.api.item("userByEmail", email=email)["userId"])
        for email in set(emails) - set(held.values()):
            self.assertIsNone(self.stored("USER_EMAIL#" + email, "USER_EMAIL#" + email))

    def test_concurrently_granted_roles_are_all_stored(self):
        tenant = self.api.item("createTenant", name=tag("t "))["tenantId"]
        user = self.api.item("createUser", email=tag("u") + "@example.com")["userId"]
        roles = [self.api.item("createRole", scope="tenant", name=tag("r "))["roleId"] for _ in range(24)]
        results = self.race(24, "grant", tenantId=tenant, userId=user, roles=lambda n: [roles[n]])
        self.assertEqual({200: 24}, statuses(results))
        self.assertEqual(sorted(roles), sorted(self.api.item("membership", tenantId=tenant, userId=user)["roles"]))
        results = self.race(23, "revoke", tenantId=tenant, userId=user, roles=lambda n: [roles[n]])
        self.assertEqual({200: 23}, statuses(results))
        self.assertEqual(roles[23:], self.api.item("membership", tenantId=tenant, userId=user)["roles"])


class Counters(Race):
    design = "parental-control"

    def test_64_recorders_on_one_counter(self):
        child, each = new_phone(), 10
        apis = [self.api.copy() for _ in range(64)]

        def work(n):
            for i in range(each):
                apis[n]("recordBlocked", childPhoneNumber=child, appName="TikTok", parentEmail="p@example.com",
                        at=f"2025-10-03T{(n + i) % 24:02}:00:{n % 60:02}Z")

        self.assertEqual({200: 64}, statuses(together(64, work)))
        item = self.api.all("dailyMetrics", childPhoneNumber=child, date="2025-10-03")[0]
        self.assertEqual(64 * each, item["blockedCount"])
        self.assertEqual(64 * each, sum(item["hourly"].values()))
        self.assertEqual("2025-10-03T00:00:00Z"[:14], item["timestampFirst"][:14])
        self.assertEqual("2025-10-03T23:00:", item["timestampLast"][:17])


class Rules(Race):
    design = "parental-control"

    def test_a_rule_that_moves_and_goes_is_there_once_or_not_at_all(self):
        for _ in range(OPTIONS.rounds):
            child = new_phone()
            saved_rule = self.api.item("saveRule", childPhoneNumber=child, ruleId="r", privateIP="10.0.0.1", appName="x", policyId="p",
                                       sessionExpiresAt="2100-01-01T00:00:00Z")
            apis = [self.api.copy() for _ in range(6)]

            def work(n, child=child, apis=apis):
                if n < 5:
                    return apis[n]("moveRule", childPhoneNumber=child, ruleId="r", privateIP=f"10.0.1.{n}")
                return apis[n]("endSession", childPhoneNumber=child, privateIP="10.0.1.0")

            found = statuses(together(6, work))
            self.assertLessEqual(set(found), {200, 404})
            for rule in self.api.all("rulesOfChild", childPhoneNumber=child):
                self.assertEqual(saved_rule["createdAt"], rule["createdAt"], "a move keeps it")
                self.assertIn(rule["privateIP"], [f"10.0.1.{n}" for n in range(5)])
            found = statuses(self.race(4, "deleteRule", childPhoneNumber=child, ruleId="r"))
            self.assertLessEqual(found.get(200, 0), 1)
            self.assertEqual([], self.api.all("rulesOfChild", childPhoneNumber=child))
            for api in apis:
                api.close()


class Cache(Race):
    design = "parental-control"

    def test_who_writes_reads_what_was_written(self):
        apis = [self.api.copy() for _ in range(16)]

        def work(n):
            for _ in range(5):
                apis[n]("registerApp", appName=(name := tag("App")))
                names = {app["appName"] for app in apis[n].all("apps", limit=1000)}
                if name not in names:
                    raise AssertionError(f"{name} was registered and is not listed")

        self.assertEqual({200: 16}, statuses(together(16, work)))


class Roles(Race):
    design = "authz"
    table = "authz"

    def test_a_role_is_renamed_once_and_keeps_its_attributes(self):
        for _ in range(OPTIONS.rounds):
            name = tag("r")
            role = self.api.item("createRole", scope="tenant", name=name, color="red")["roleId"]
            found = statuses(results := self.race(6, "renameRole", scope="tenant", name=name, newName=lambda n: f"{name}-{n}"))
            self.assertEqual(1, found[200], found)
            self.assertEqual(6, sum(found.get(status, 0) for status in (200, 404, 409)))
            now = self.api.item("roleById", roleId=role)
            self.assertEqual((answers(results)[0]["item"]["name"], "red"), (now["name"], now["color"]))

    def test_a_role_that_moves_loses_nothing_that_another_program_writes(self):
        names, counted, stop = [tag("r"), tag("r")], [0], threading.Event()
        role = self.api.item("createRole", scope="tenant", name=names[0], hits=0)["roleId"]
        client = self.client

        def mover(_):
            turn = 0
            try:
                while turn < OPTIONS.rounds * 2 or counted[0] < 20:
                    self.api("renameRole", scope="tenant", name=names[turn % 2], newName=names[(turn + 1) % 2])
                    turn += 1
            finally:
                stop.set()

        def counter(_):
            turn = 0
            while not stop.is_set():
                turn += 1
                try:
                    client.update_item(TableName=self.table, UpdateExpression="ADD hits :one", ConditionExpression="roleId = :role",
                                       Key={"PK": {"S": "ROLE_SCOPE#tenant"}, "SK": {"S": "ROLE_NAME#" + names[turn % 2]}},
                                       ExpressionAttributeValues={":one": {"N": "1"}, ":role": {"S": role}})
                    counted[0] += 1
                except (client.exceptions.ConditionalCheckFailedException, client.exceptions.TransactionConflictException):
                    pass        # it has the other name

        for result in together(2, lambda n: (mover, counter)[n](n)):
            if isinstance(result, Exception):
                raise result
        self.assertEqual(counted[0], self.api.item("roleById", roleId=role)["hits"])

    def test_grants_to_a_list_of_roles_are_all_stored(self):
        tenant = self.api.item("createTenant", name=tag("t "))["tenantId"]
        user = self.api.item("createUser", email=tag("e") + "@example.com")["userId"]
        roles = [self.api.item("createRole", scope="tenant", name=tag("r"))["roleId"] for _ in range(9)]
        self.client.put_item(TableName=self.table, Item={
            "PK": {"S": "TENANT#" + tenant}, "SK": {"S": "USER#" + user}, "tenantId": {"S": tenant}, "userId": {"S": user},
            "GSI1PK": {"S": "USER#" + user}, "GSI1SK": {"S": "TENANT#" + tenant}, "roles": {"L": [{"S": roles[8]}]}})
        self.assertEqual({200: 8}, statuses(self.race(8, "grant", tenantId=tenant, userId=user, roles=lambda n: [roles[n]])))
        self.assertEqual(sorted(roles), sorted(self.api.item("membership", tenantId=tenant, userId=user)["roles"]))


class Bridge(Race):
    design = "form-bridge"
    table = "FormBridgeData"

    def tenant(self, api=None):
        return (api or self.api).item("createTenant", tenant_id=tag("t-"))["tenant_id"]

    def test_64_recorders_on_one_attempt_number(self):
        tenant = self.tenant()
        sub = self.api("submit", tenant_id=tenant, form_id="f", payload={})["submission_id"]
        dest = self.api.item("createDestination", tenant_id=tenant, destination_type="web")["destination_id"]
        results = self.race(64, "recordDelivery", tenant_id=tenant, submission_id=sub, destination_id=dest,
                            status=lambda n: ("retrying", "failed", "success")[n % 3])
        self.assertEqual({200: 64}, statuses(results))
        self.assertEqual(list(range(1, 65)), sorted(r["attempt_num"] for r in answers(results)))
        found = self.api.all("deliveriesOfSubmission", tenant_id=tenant, submission_id=sub, limit=10)
        self.assertEqual(list(range(1, 65)), [a["attempt_num"] for a in found])
        self.assertEqual("DELIVERED", self.api.item("submission", tenant_id=tenant, submission_id=sub)["status"])

    def test_outcomes_recorded_at_once_have_no_gap(self):
        tenant = self.tenant()
        sub = self.api("submit", tenant_id=tenant, form_id="f", payload={})["submission_id"]
        first, second = (self.api.item("createDestination", tenant_id=tenant, destination_type="web")["destination_id"] for _ in range(2))
        outcomes = [{"destination_id": first, "status": "retrying"}, {"destination_id": second, "status": "success"}]
        self.assertEqual({200: 12}, statuses(self.race(12, "recordOutcomes", tenant_id=tenant, submission_id=sub, outcomes=outcomes)))
        found = self.api.all("deliveriesOfSubmission", tenant_id=tenant, submission_id=sub)
        for destination in (first, second):
            self.assertEqual(list(range(1, 13)), [a["attempt_num"] for a in found if a["destination_id"] == destination])

    def test_a_domain_is_unmapped_once(self):
        mine, domain = self.tenant(), tag("d") + ".example"
        self.api("mapDomain", domain=domain, tenant_id=mine)
        found = statuses(self.race(8, "unmapDomain", domain=domain, tenant_id=mine))
        self.assertEqual(8, sum(found.values()))
        self.assertLessEqual(set(found), {200, 404, 409})
        self.assertGreaterEqual(found[200], 1)

    def test_one_idempotency_key_makes_one_submission(self):
        tenant = self.tenant()
        results = self.race(32, "submit", tenant_id=tenant, form_id="f", payload=lambda n: {"n": n},
                            idempotency_key="k")
        self.assertEqual({200: 32}, statuses(results))
        self.assertEqual(1, len({r["submission_id"] for r in answers(results)}))
        self.assertEqual(1, len(self.api.all("submissionsByTime", tenant_id=tenant)))

    def test_a_domain_goes_to_one_tenant(self):
        tenants = [self.tenant() for _ in range(8)]
        results = self.race(8, "mapDomain", domain=(domain := tag("d") + ".example"), tenant_id=lambda n: tenants[n])
        self.assertEqual({200: 1, 409: 7}, statuses(results))
        self.api.item("tenantByDomain", domain=domain)

    def test_the_shard_count_changes_under_load(self):
        """With epochs that begin two seconds after they are set, so that several begin during submissions."""
        folder = harness.Folder()
        text = (DESIGNS / "form-bridge.yaml").read_text()
        self.assertEqual(2, text.count("60s"), "the lead and the epochs' beginning")
        (folder.path / "form-bridge.yaml").write_text(text.replace("60s", "2s"))
        running = Designs(designs=folder.path)
        api = running.api("form-bridge")
        tenant, stop, submissions = self.tenant(api), threading.Event(), []

        def submitter(_):
            own = api.copy()
            while not stop.is_set():
                submissions.append(own("submit", tenant_id=tenant, form_id="f", payload={}))
            own.close()

        def changer(_):
            try:
                change(api.copy())
            finally:
                stop.set()

        def change(own):
            for count in (4, 16, 3):
                own("setShards", tenant_id=tenant, shard_count=count)
                begins = epoch(own("shardsOf", tenant_id=tenant)["epochs"][-1]["from"])
                began, in_force = time.monotonic(), None        # the number of submissions when it came into force
                while (time.monotonic() < began + OPTIONS.seconds / 3 or in_force is None
                       or len(submissions) < in_force + SUBMISSIONS):
                    self.assertLess(time.monotonic(), began + harness.WAIT_SECONDS_MAX, "nobody submits")
                    if in_force is None and time.time() > begins:
                        in_force = len(submissions)
                    listed = own("submissionsByTime", tenant_id=tenant, limit=50, descending=True)["items"]
                    keys = [(s["timestamp"], s["submission_id"]) for s in listed]
                    self.assertEqual(sorted(set(keys), reverse=True), keys)
            own.close()

        results = together(7, lambda n: (changer if n == 0 else submitter)(n))
        for result in results:
            if isinstance(result, Exception):
                raise result
        order = sorted((s["timestamp"], s["submission_id"]) for s in submissions)
        listed = [(s["timestamp"], s["submission_id"])
                  for s in api.all("submissionsByTime", tenant_id=tenant, limit=97)]
        self.assertEqual(order, listed, "each once, in order")
        pending = [s["submission_id"]
                   for s in api.all("submissionsByStatus", tenant_id=tenant, status="PENDING", limit=1000)]
        self.assertEqual([pair[1] for pair in order], pending)
        for _, one in order[::max(1, len(order) // 200)]:
            self.assertEqual(one, api.item("submission", tenant_id=tenant, submission_id=one)["submission_id"])
        items = harness.every_page(lambda operation, **p: getattr(harness.client(running.items_url), operation)(**p),
                                   "scan",
                                   TableName=self.table)
        shards = {i["PK"]["S"] for i in items if plain(i["Type"]) == "Submission" and i["tenant_id"]["S"] == tenant}
        self.assertGreater(len(shards), 8, "several counts were in force")
        running.server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=OPTIONS.rounds)
    parser.add_argument("--seconds", type=float, default=OPTIONS.seconds)
    parser.add_argument("names", nargs="*")
    parser.parse_args(namespace=OPTIONS)
    harness.run("__main__", OPTIONS.names)
