#!/usr/bin/python3
"""form-bridge, operation by operation: tenants, destinations, sharded submissions, deliveries, counts."""

import gzip
import json
import secrets
import time

from served import (DESIGNS, SystemCase, ULID, coverage, epoch, harness, iso, new_ulid, plain, sha256, tag,
                    ulid_milliseconds, utc_now)


def shard_of(submission_id, count):
    return int(sha256(submission_id)[:16], 16) % count


class Bridge(SystemCase):
    design = "form-bridge"
    table = "FormBridgeData"

    def tenant(self, shards=None, **more):
        """A new tenant; with `shards`, as if they had been set long ago."""
        name = self.api.item("createTenant", tenant_id=tag("t-"), **more)["tenant_id"]
        if shards:
            self.plant_epochs(name, [("2020-01-01T00:00:00.000Z", shards)])
        return name

    def plant_epochs(self, tenant, epochs):
        self.client.put_item(TableName=self.table, Item={
            "PK": {"S": "TENANT#" + tenant}, "SK": {"S": "SHARDS#current"}, "Type": {"S": "TenantShards"},
            "tenant_id": {"S": tenant}, "shard_count": {"N": str(epochs[-1][1])}, "rev": {"N": "1"},
            "epochs": {"L": [{"M": {"from": {"S": at}, "shard_count": {"N": str(count)}}} for at, count in epochs]}})

    def submit(self, tenant, form="contact", payload=None, **more):
        return self.api("submit", tenant_id=tenant, form_id=form,
                        payload={"name": "Ada"} if payload is None else payload,
                        **more)

    def stored_submission(self, tenant, submission_id, shards=1):
        return self.stored(f"TENANT#{tenant}#{shard_of(submission_id, shards)}", "SUB#" + submission_id)

    def destination(self, tenant, kind="webhook", **more):
        return self.api.item("createDestination", tenant_id=tenant, destination_type=kind, **more)["destination_id"]

    def deliver(self, tenant, submission, destination, status, **more):
        return self.api("recordDelivery", tenant_id=tenant, submission_id=submission, destination_id=destination,
                        status=status, **more)["attempt_num"]


class Tenants(Bridge):
    def test_a_tenant_and_its_entry(self):
        name = tag("t-")
        tenant = self.api.item("createTenant", tenant_id=name, name="Acme", settings={"locale": "de"})
        self.assertEqual((name, "Acme", "active", {"locale": "de"}),
                         tuple(tenant[k] for k in ("tenant_id", "name", "status", "settings")))
        self.attributes(self.stored("TENANT#" + name, "CONFIG#main"), Type={"S": "TenantConfig"},
                        GSI1PK={"S": "CONFIG#active"}, GSI1SK={"S": "TENANT#" + name})
        self.assertEqual(tenant, self.api.item("tenantConfig", tenant_id=name))
        self.refused(409, "createTenant", tenant_id=name)
        self.assertRegex(self.api.item("createTenant")["tenant_id"], ULID)
        idle = self.tenant(status="inactive")
        self.attributes(self.stored("TENANT#" + idle, "CONFIG#main"), GSI1PK=None, GSI1SK=None)
        listed = [t["tenant_id"] for t in self.api.all("activeTenants", limit=2)]
        self.assertIn(name, listed)
        self.assertNotIn(idle, listed)
        self.assertEqual(sorted(listed), listed)
        self.refuses_each("createTenant", {}, {"tenant_id": ["a#b", "", 5], "name": ["n" * 201], "status": ["gone"],
                                               "settings": ["x"]})

    def test_an_unknown_tenant_is_404(self):
        nobody, other = tag("t-"), new_ulid()
        for operation, inputs in (
                ("tenantConfig", {}), ("createDestination", {"destination_type": "x"}),
                                  ("submit", {"form_id": "f", "payload": {}}),
                ("mapDomain", {"domain": tag() + ".example"}), ("shardsOf", {}), ("setShards", {"shard_count": 2}),
                ("suggestShards", {}), ("submission", {"submission_id": other}),
                                  ("deliveriesOfSubmission", {"submission_id": other}),
                ("recordDelivery", {"submission_id": other, "destination_id": other, "status": "success"}),
                ("dashboard", {"days": 1}), ("destinations", {}), ("destinationsByType", {"destination_type": "x"}),
                ("submissionsByTime", {}), ("submissionsByStatus", {"status": "PENDING"}),
                                  ("deliveriesOfTenant", {"status": "failed"})):
            with self.subTest(operation=operation):
                self.refused(404, operation, tenant_id=nobody, **inputs)

    def test_destinations(self):
        tenant = self.tenant()
        destinations = [self.api.item("createDestination", tenant_id=tenant, destination_type=kind, name=kind, config={"n": n})
                        for n, kind in enumerate(("web", "webhook", "web", "email", "web"))]
        ids = sorted(d["destination_id"] for d in destinations)
        self.check_list("destinations", ids, "destination_id", tenant_id=tenant)
        self.check_page_tokens("destinations", {"tenant_id": self.tenant()}, tenant_id=tenant)
        web = [d for d in destinations if d["destination_type"] == "web"]
        found = self.api.all("destinationsByType", tenant_id=tenant, destination_type="web", limit=1)
        self.assertEqual(sorted(d["destination_id"] for d in web), sorted(d["destination_id"] for d in found))
        self.assertEqual([d["created_at"] for d in found], sorted(d["created_at"] for d in found))
        self.attributes(self.stored("TENANT#" + tenant, "DEST#" + destinations[1]["destination_id"]), Type={"S": "Destination"},
                        GSI1PK={"S": "TENANT#" + tenant}, GSI1SK={"S": "DEST#webhook#" + destinations[1]["created_at"]},
                        config={"M": {"n": {"N": "1"}}})
        good = {"tenant_id": tenant, "destination_type": "x"}
        self.refuses_each("createDestination", good,
                          {"destination_type": ["", "a#b"], "config": [3], "name": ["n" * 201]})
        self.requires("createDestination", good, "tenant_id", "destination_type")

    def test_domains(self):
        mine, other, word = self.tenant(), self.tenant(), tag("Shop")
        self.api("mapDomain", domain=word + ".Example.COM", tenant_id=mine)
        domain = word.lower() + ".example.com"
        self.assertEqual(mine, self.api.item("tenantByDomain", domain=domain.upper())["tenant_id"])
        self.attributes(self.stored("DOMAIN#" + sha256(domain)[:16], "LOOKUP#" + domain), Type={"S": "DomainLookup"},
                        domain={"S": domain}, tenant_id={"S": mine})
        self.api("mapDomain", domain=domain, tenant_id=mine)
        self.refused(409, "mapDomain", domain=domain, tenant_id=other)
        self.refused(404, "mapDomain", domain=tag() + ".example", tenant_id=tag("none"))
        self.refused(404, "tenantByDomain", domain=tag() + ".example")
        self.refuses_each("mapDomain", {"domain": domain, "tenant_id": mine}, {"domain": ["x y"], "tenant_id": ["#"]})


class Submissions(Bridge):
    def test_submitted_and_found_by_what_a_caller_knows(self):
        tenant = self.tenant()
        reply = self.submit(tenant, payload={"a": [1, 2.5, None, True], "b": {"c": "d"}})
        self.assertEqual({"submission_id", "timestamp"}, set(reply))
        self.assertRegex(reply["submission_id"], ULID)
        self.assertEqual(ulid_milliseconds(reply["submission_id"]), round(epoch(reply["timestamp"]) * 1000))
        item = self.api.item("submission", tenant_id=tenant, submission_id=reply["submission_id"])
        self.assertEqual(({"a": [1, 2.5, None, True], "b": {"c": "d"}}, "PENDING", "contact"),
                         (item["payload"], item["status"], item["form_id"]))
        stamp = item["timestamp"]
        self.attributes(self.stored_submission(tenant, reply["submission_id"]), Type={"S": "Submission"},
                        GSI1PK={"S": f"TENANT#{tenant}#0"}, GSI1SK={"S": f"TS#{stamp}#{reply['submission_id']}"},
                        GSI2PK={"S": f"TENANT#{tenant}#STATUS#0"},
                        GSI2SK={"S": f"PENDING#{stamp}#{reply['submission_id']}"},
                        tenant_id={"S": tenant}, status={"S": "PENDING"}, form_id={"S": "contact"},
                        payload={"M": {"a": {"L": [{"N": "1"}, {"N": "2.5"}, {"NULL": True}, {"BOOL": True}]},
                                       "b": {"M": {"c": {"S": "d"}}}}})
        self.refused(404, "submission", tenant_id=self.tenant(), submission_id=reply["submission_id"])
        self.refused(404, "submission", tenant_id=tenant, submission_id=new_ulid())

    def test_bad_inputs_are_named(self):
        good = {"tenant_id": self.tenant(), "form_id": "f", "payload": {}}
        self.refuses_each("submit", good,
                          {"form_id": ["", "a#b", 5], "idempotency_key": ["", "k" * 201], "tenant_id": ["a b"]})
        self.requires("submit", good, "tenant_id", "form_id", "payload")
        self.refused(400, "submit", fields=["status"], **good, status="DELIVERED")

    def test_large_payloads_are_packed_where_that_saves(self):
        tenant = self.tenant()
        cases = {"small": {"text": "x" * 900}, "repeating": {"text": "form bridge " * 400},
                 "noise": {"text": secrets.token_urlsafe(3000)},
                 "huge and repeating": {"rows": ["the same row again"] * 20000}}
        for name, payload in cases.items():
            with self.subTest(payload=name):
                submission = self.submit(tenant, payload=payload)["submission_id"]
                stored = self.stored_submission(tenant, submission)["payload"]
                if name in ("small", "noise"):
                    self.assertEqual(payload, plain(stored))
                else:
                    self.assertEqual(["B"], list(stored))
                    self.assertEqual(payload, json.loads(gzip.decompress(stored["B"])))
                    self.assertLess(len(stored["B"]), 0.7 * len(json.dumps(payload)))
                found = self.api.item("submission", tenant_id=tenant, submission_id=submission)
                self.assertEqual(payload, found["payload"])
                size = len(json.dumps(payload, separators=(",", ":")))
                if name in ("small", "noise"):
                    self.assertEqual((False, size, size), tuple(found[k] for k in ("compressed", "original_size", "storage_size")))
                    self.assertNotIn("compression_ratio", found)
                else:
                    self.assertEqual((True, "gzip", size, len(stored["B"])), tuple(found[k] for k in (
                        "compressed", "compression_algorithm", "original_size", "storage_size")))
                    self.assertAlmostEqual(len(stored["B"]) / size, found["compression_ratio"], places=3)
        sizes = [self.api.item("submission", tenant_id=tenant, submission_id=one["submission_id"])
                 for one in self.api.all("submissionsByTime", tenant_id=tenant)]
        original, stored = (sum(one[k] for one in sizes) for k in ("original_size", "storage_size"))
        self.eventually((original, stored), lambda: tuple(self.api("storageSavings", tenant_id=tenant, days=2)[k]
                                                          for k in ("original_size", "storage_size")))
        self.assertAlmostEqual(1 - stored / original, self.api("storageSavings", tenant_id=tenant, days=2)["saved"], places=6)
        self.assertEqual({"original_size": 0, "storage_size": 0, "saved": 0}, self.api("storageSavings", tenant_id=self.tenant()))

    def test_what_is_still_large_spills_to_a_blob(self):
        tenant = self.tenant()

        def blobs():
            return {path for path in self.designs.blobs.rglob("*") if path.is_file()}

        before = blobs()
        under = self.submit(tenant,
                            payload={"text": secrets.token_urlsafe(90_000)})["submission_id"]      # 120,000 characters
        self.assertEqual(before, blobs(), "below 128 KiB it stays in the item")
        payload = {"text": secrets.token_urlsafe(150_000)}
        over = self.submit(tenant, payload=payload)["submission_id"]
        fresh = blobs() - before
        self.assertEqual(1, len(fresh))
        self.assertGreater(next(iter(fresh)).stat().st_size, 100_000)
        item = self.stored_submission(tenant, over)
        self.assertLess(len(repr(item)), 3000, "the item holds a reference")
        self.assertIn("payload", item)
        self.assertEqual(payload, self.api.item("submission", tenant_id=tenant, submission_id=over)["payload"])
        self.assertEqual(["M"], list(self.stored_submission(tenant, under)["payload"]))

    def test_the_same_idempotency_key_answers_the_first_submission(self):
        tenant, key = self.tenant(), tag("key ")
        first = self.submit(tenant, idempotency_key=key)
        self.assertEqual(first, self.submit(tenant, idempotency_key=key))
        self.assertEqual(first, self.submit(tenant, form="other", payload={"n": 2}, idempotency_key=key))
        self.assertNotEqual(first, self.submit(tenant, idempotency_key=key + "2"))
        other = self.submit(self.tenant(), idempotency_key=key)
        self.assertNotEqual(first["submission_id"], other["submission_id"], "a key is of one tenant")
        self.attributes(self.stored("TENANT#" + tenant, "IDEMPOTENCY#" + sha256(key)), Type={"S": "SubmissionKey"},
                        submission_id={"S": first["submission_id"]})
        self.assertEqual(2, len(self.api.all("submissionsByTime", tenant_id=tenant)))

    def test_lists_merge_all_shards_in_exact_order(self):
        tenant = self.tenant(shards=4)
        submissions = [self.submit(tenant, form=f"f{n % 3}") for n in range(40)]
        order = [(s["timestamp"], s["submission_id"])
                 for s in sorted(submissions, key=lambda s: (s["timestamp"], s["submission_id"]))]
        used = {shard_of(s["submission_id"], 4) for s in submissions}
        self.assertEqual({0, 1, 2, 3}, used)
        for s in submissions:
            stored = self.stored_submission(tenant, s["submission_id"], 4)
            shard = shard_of(s["submission_id"], 4)
            self.attributes(stored, GSI1PK={"S": f"TENANT#{tenant}#{shard}"},
                            GSI2PK={"S": f"TENANT#{tenant}#STATUS#{shard}"})

        def key(item):
            return item["timestamp"], item["submission_id"]

        self.check_list("submissionsByTime", order, key, limits=(1, 3, 7, 39, 40), tenant_id=tenant)
        self.check_list("submissionsByStatus", order, key, limits=(1, 7), tenant_id=tenant, status="PENDING")
        self.assertEqual([], self.api.all("submissionsByStatus", tenant_id=tenant, status="FAILED"))
        span = {"from": order[5][0], "to": order[30][0]}
        between = [pair for pair in order if span["from"] <= pair[0] <= span["to"]]
        self.check_list("submissionsByTime", between, key, limits=(4,), tenant_id=tenant, **span)
        self.check_list("submissionsByTime", [p for p in order if p[0] >= span["from"]], key, limits=(9,),
                        tenant_id=tenant,
                        **{"from": span["from"]})
        self.check_page_tokens("submissionsByTime", {"tenant_id": self.tenant()}, tenant_id=tenant)
        self.refused(400, "submissionsByTime", fields=["from"], tenant_id=tenant, **{"from": "noon"})
        self.refused(400, "submissionsByStatus", fields=["status"], tenant_id=tenant, status="LOST")

    def test_a_change_of_shard_count_strands_nothing(self):
        """Epochs that begin between submissions: the time in an id determines its shard."""
        late = self.tenant()
        now = int(time.time() * 1000)
        spans = [(now - 3_600_000, 3), (now - 1_800_000, 7), (now - 60_000, 2)]

        def text(milliseconds):
            return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(milliseconds // 1000)) + f".{milliseconds % 1000:03}Z"

        self.plant_epochs(late, [(text(at), count) for at, count in spans])
        expected = []
        for offset, count in ((7_200_000, 1), (3_500_000, 3), (1_900_000, 3), (1_700_000, 7), (900_000, 7),
                              (30_000, 2)):
            for n in range(6):
                expected.append(self.plant_submission(late, new_ulid(now - offset + n), count, text(now - offset + n)))
        fresh = self.submit(late)
        expected.append((fresh["timestamp"], fresh["submission_id"]))
        self.assertIsNotNone(self.stored_submission(late, fresh["submission_id"], 2))
        self.check_list("submissionsByTime", expected, lambda i: (i["timestamp"], i["submission_id"]), limits=(1, 5),
                        tenant_id=late)
        self.check_list("submissionsByStatus", [e[1] for e in expected], "submission_id", limits=(4,), tenant_id=late,
                        status="PENDING")
        for _, submission_id in expected:
            self.assertEqual(submission_id,
                             self.api.item("submission", tenant_id=late, submission_id=submission_id)["submission_id"])

    def plant_submission(self, tenant, submission_id, count, stamp):
        shard = shard_of(submission_id, count)
        self.client.put_item(TableName=self.table, Item={
            "PK": {"S": f"TENANT#{tenant}#{shard}"}, "SK": {"S": "SUB#" + submission_id}, "Type": {"S": "Submission"},
            "GSI1PK": {"S": f"TENANT#{tenant}#{shard}"}, "GSI1SK": {"S": f"TS#{stamp}#{submission_id}"},
            "GSI2PK": {"S": f"TENANT#{tenant}#STATUS#{shard}"}, "GSI2SK": {"S": f"PENDING#{stamp}#{submission_id}"},
            "tenant_id": {"S": tenant}, "submission_id": {"S": submission_id}, "form_id": {"S": "f"},
                                                         "payload": {"M": {}},
            "status": {"S": "PENDING"}, "timestamp": {"S": stamp}})
        return stamp, submission_id

    def test_set_and_shown_shards(self):
        tenant = self.tenant()
        self.assertEqual({"shard_count": 1, "epochs": []}, self.api("shardsOf", tenant_id=tenant))
        before = time.time()
        self.assertEqual(4, self.api.item("setShards", tenant_id=tenant, shard_count=4)["shard_count"])
        self.api("setShards", tenant_id=tenant, shard_count=8)
        shown = self.api("shardsOf", tenant_id=tenant)
        self.assertEqual({"shard_count", "epochs"}, set(shown))
        self.assertEqual((8, [4, 8]), (shown["shard_count"], [e["shard_count"] for e in shown["epochs"]]))
        for one in shown["epochs"]:
            self.assertGreater(epoch(one["from"]), before, "writers must know it before it begins")
        stored = self.stored("TENANT#" + tenant, "SHARDS#current")
        self.attributes(stored, Type={"S": "TenantShards"}, shard_count={"N": "8"})
        self.assertEqual(["N", "N"], [next(iter(e["M"]["shard_count"])) for e in stored["epochs"]["L"]])
        self.refuses_each("setShards", {"tenant_id": tenant, "shard_count": 2}, {"shard_count": [0, 65, 1.5, "2"]})

    def test_suggested_shards_follow_the_measured_rate(self):
        harness.within_one(3600, self.check_suggested_shards)

    def check_suggested_shards(self):
        tenant = self.tenant()
        self.assertEqual(1, self.api("suggestShards", tenant_id=tenant)["shard_count"])
        hour = utc_now().strftime("%Y-%m-%d-%H")
        self.client.put_item(TableName=self.table, Item={
            "PK": {"S": "TENANT#" + tenant}, "SK": {"S": "METRICS#HOUR#" + hour}, "Type": {"S": "HourlyMetrics"},
            "tenant_id": {"S": tenant}, "datetime": {"S": hour}, "submission_count": {"N": str(3600 * 2000)},
                                                         "errors": {"N": "0"},
            "updated_at": {"S": iso(utc_now())}, "ttl": {"N": str(int(time.time()) + 72 * 3600)}})
        self.assertGreaterEqual(self.api("suggestShards", tenant_id=tenant)["shard_count"], 2)


class Deliveries(Bridge):
    def setUp(self):
        self.name = self.tenant()
        self.sub = self.submit(self.name)["submission_id"]
        self.dest = self.destination(self.name)

    def status(self):
        item = self.stored_submission(self.name, self.sub)
        status = self.api.item("submission", tenant_id=self.name, submission_id=self.sub)["status"]
        self.assertTrue(item["GSI2SK"]["S"].startswith(status + "#"), "the entry follows the status")
        return status

    def test_attempts_are_numbered_and_move_the_status(self):
        for number, (outcome, status) in enumerate((("retrying", "PENDING"), ("failed", "FAILED"),
                                                    ("retrying", "FAILED"),
                                                    ("success", "DELIVERED"), ("failed", "DELIVERED"),
                                                    ("success", "DELIVERED")), 1):
            self.assertEqual(number, self.deliver(self.name, self.sub, self.dest, outcome,
                                                  response={"code": 200 + number}))
            self.assertEqual(status, self.status())
        second = self.destination(self.name)
        self.assertEqual(1, self.deliver(self.name, self.sub, second, "success"), "numbered per destination")
        attempts = self.api.all("deliveriesOfSubmission", tenant_id=self.name, submission_id=self.sub)
        pairs = sorted([(self.dest, n) for n in range(1, 7)] + [(second, 1)])
        self.assertEqual(pairs, [(a["destination_id"], a["attempt_num"]) for a in attempts])
        self.check_list("deliveriesOfSubmission", pairs, lambda a: (a["destination_id"], a["attempt_num"]),
                        tenant_id=self.name,
                        submission_id=self.sub)
        first = self.stored("SUB#" + self.sub, f"DEST#{self.dest}#ATTEMPT#0001")
        stamp = first["timestamp"]["S"]
        self.attributes(first, Type={"S": "DeliveryAttempt"}, attempt_num={"N": "1"},
                        GSI1PK={"S": "TENANT#" + self.name},
                        GSI1SK={"S": "DELIVERY#retrying#" + stamp}, GSI2PK={"S": "DEST#" + self.dest},
                        GSI2SK={"S": "STATUS#retrying#" + stamp}, response={"M": {"code": {"N": "201"}}})

    def test_attempts_by_status(self):
        for outcome in ("failed", "failed", "retrying", "success", "failed"):
            self.deliver(self.name, self.sub, self.dest, outcome)
        for status, numbers in (("failed", [1, 2, 5]), ("retrying", [3]), ("success", [4])):
            for operation, inputs in (("deliveriesOfTenant", {"tenant_id": self.name}),
                                      ("deliveriesOfDestination", {"tenant_id": self.name, "destination_id": self.dest})):
                found = self.api.all(operation, status=status, limit=2, **inputs)
                self.assertEqual(numbers, sorted(a["attempt_num"] for a in found), (operation, status))
                self.assertEqual([a["timestamp"] for a in found], sorted(a["timestamp"] for a in found))
                backwards = self.api.all(operation, status=status, descending=True, **inputs)
                self.assertEqual(numbers, sorted(a["attempt_num"] for a in backwards))
        self.refused(400, "deliveriesOfTenant", fields=["status"], tenant_id=self.name, status="lost")
        self.refused(400, "deliveriesOfDestination", fields=["status"], tenant_id=self.name, destination_id=self.dest, status="lost")
        self.refused(404, "deliveriesOfDestination", tenant_id=self.name, destination_id=new_ulid(), status="failed")

    def test_refusals(self):
        good = {"tenant_id": self.name, "submission_id": self.sub, "destination_id": self.dest, "status": "success"}
        self.refuses_each("recordDelivery", good,
                          {"status": ["done"], "submission_id": ["x#"], "destination_id": ["x y"], "response": ["ok"]})
        self.requires("recordDelivery", good, "tenant_id", "submission_id", "destination_id", "status")
        self.refused(404, "recordDelivery", **{**good, "submission_id": new_ulid()})
        self.refused(404, "recordDelivery", **{**good, "tenant_id": self.tenant()})
        self.refused(404, "recordDelivery", **{**good, "destination_id": new_ulid()})
        self.refused(404, "deliveriesOfSubmission", tenant_id=self.tenant(), submission_id=self.sub)
        self.assertEqual([], self.api.all("deliveriesOfSubmission", tenant_id=self.name, submission_id=self.sub))


class Figures(Bridge):
    def test_figures_equal_a_recount(self):
        harness.within_one(86400, self.check_figures)

    def check_figures(self):
        tenant = self.tenant()
        before = utc_now()
        forms = {"contact": 5, "order": 3, "news-letter": 1}
        subs = [self.submit(tenant, form=form)["submission_id"] for form, count in forms.items() for _ in range(count)]
        first, second = self.destination(tenant), self.destination(tenant)
        for n, sub in enumerate(subs):
            self.deliver(tenant, sub, first if n % 2 else second, "failed" if n % 3 == 0 else "success")
        today = before.strftime("%Y-%m-%d")
        rate = {"submission_count": 9, "error_rate": 1 / 3}
        self.eventually({"total_submissions": 9, "daily_breakdown": {today: rate}, "form_statistics": forms,
                         "error_rate": 1 / 3, "period": f"{today} to {today}"},
                        lambda: self.api("dashboard", tenant_id=tenant, days=1))
        day = {"deliveries": 9, "submission_count": 9, "form_stats": forms, "destination_stats": {first: 4, second: 5}, "errors": 3}

        def stored():
            item = self.stored("TENANT#" + tenant, "METRICS#DAY#" + today) or {}
            return {name: plain(item[name]) for name in day if name in item}

        self.eventually(day, stored)
        self.attributes(self.stored("TENANT#" + tenant, "METRICS#DAY#" + today), Type={"S": "DailyMetrics"},
                        GSI1PK={"S": "METRICS#DAY#" + today}, GSI1SK={"S": "TENANT#" + tenant})
        listed = [m for m in self.api.all("metricsOfDay", date=today, limit=2) if m["tenant_id"] == tenant]
        self.assertEqual([9], [m["submission_count"] for m in listed])
        hours = [i for i in self.partition("TENANT#" + tenant) if i["SK"]["S"].startswith("METRICS#HOUR#")]
        self.assertEqual(9, sum(plain(i["submission_count"]) for i in hours))
        listed = self.api.all("hourlyMetrics", tenant_id=tenant, **{"from": before.strftime("%Y-%m-%d-%H")})
        self.assertEqual((9, 3), (sum(h["submission_count"] for h in listed), sum(h["errors"] for h in listed)))
        self.assertEqual([], self.api.all("hourlyMetrics", tenant_id=tenant, to="2020-01-01-00"))
        self.refused(400, "hourlyMetrics", fields=["from"], tenant_id=tenant, **{"from": "noon"})
        for item in hours:
            self.assertAlmostEqual(time.time() + 72 * 3600, plain(item["ttl"]), delta=3700)

    def test_a_dashboard_covers_the_days_asked_for(self):
        harness.within_one(86400, self.check_dashboard)

    def check_dashboard(self):
        tenant = self.tenant()
        days = [time.strftime("%Y-%m-%d", time.gmtime(time.time() - n * 86400)) for n in range(5)]
        for n, date in enumerate(days):
            self.client.put_item(TableName=self.table, Item={
                "PK": {"S": "TENANT#" + tenant}, "SK": {"S": "METRICS#DAY#" + date}, "Type": {"S": "DailyMetrics"},
                "GSI1PK": {"S": "METRICS#DAY#" + date}, "GSI1SK": {"S": "TENANT#" + tenant}, "tenant_id": {"S": tenant},
                "date": {"S": date}, "submission_count": {"N": str(n + 1)}, "errors": {"N": "0"},
                "form_stats": {"M": {"a": {"N": "1"}, f"b{n}": {"N": str(n)}}}})
        reply = self.api("dashboard", tenant_id=tenant, days=3)
        self.assertEqual({"total_submissions": 6, "error_rate": 0,
                          "daily_breakdown": {day: {"submission_count": n + 1, "error_rate": 0} for n, day in enumerate(days[:3])},
                          "form_statistics": {"a": 3, "b0": 0, "b1": 1, "b2": 2}, "period": f"{days[2]} to {days[0]}"},
                         reply)
        self.assertEqual(15, self.api("dashboard", tenant_id=tenant)["total_submissions"])
        empty = self.api("dashboard", tenant_id=self.tenant(), days=2)
        self.assertEqual((0, {}, {}), (empty["total_submissions"], empty["daily_breakdown"], empty["form_statistics"]))
        self.refuses_each("dashboard", {"tenant_id": tenant, "days": 1}, {"days": [0, -1, "3", 1.5]})
        self.refused(400, "metricsOfDay", fields=["date"], date="2025-13-01")

    def test_the_cost_of_each_scale_is_projected(self):
        totals = []
        for scale in ("1K", "10K", "100K"):
            done = harness.run_program("design", "cost", DESIGNS / "form-bridge.yaml", "--rates",
                                       f"submit={scale}/month,recordDelivery={scale}/month", "--alert", "10,15,20")
            self.assertEqual(0, done.returncode, done.stdout)
            self.assertIn("20", done.stdout)
            totals.append(done.stdout)
        self.assertEqual(3, len(set(totals)))
        claims = harness.run_program("design", "cost", DESIGNS / "form-bridge.yaml", "--against",
                                     DESIGNS / "claims/form-bridge.json")
        self.assertIn(claims.returncode, (0, 1), claims.stdout)
        self.assertTrue(claims.stdout.strip())


class Callers(Bridge):
    """Staff may do everything, a tenant's callers only what concerns their tenant, others nothing."""

    def test_who_may_do_what(self):
        mine, other = self.tenant(), self.tenant()
        sub = self.submit(mine)["submission_id"]
        dest = self.destination(mine)
        nobody, someone = self.api.as_nobody(), self.api.as_caller(sub="x", groups=["others"])
        own, foreign = self.api.as_caller(sub="a", tenant_id=mine), self.api.as_caller(sub="b", tenant_id=other)
        for operation, inputs in {
                "tenantConfig": {}, "destinations": {}, "submission": {"submission_id": sub}, "submissionsByTime": {},
                "submissionsByStatus": {"status": "PENDING"}, "deliveriesOfSubmission": {"submission_id": sub},
                "deliveriesOfTenant": {"status": "failed"}, "dashboard": {}, "hourlyMetrics": {}, "storageSavings": {},
                "deliveriesOfDestination": {"destination_id": dest, "status": "failed"}, "shardsOf": {},
                "destinationsOfForm": {"form_id": "f"}, "submit": {"form_id": "f", "payload": {}},
                "createDestination": {"destination_type": "t"}, "updateTenant": {"name": "n"},
                "recordDelivery": {"submission_id": sub, "destination_id": dest, "status": "retrying"}}.items():
            with self.subTest(operation=operation):
                self.refused(401, operation, nobody, tenant_id=mine, **inputs)
                self.refused(403, operation, someone, tenant_id=mine, **inputs)
                self.refused(403, operation, foreign, tenant_id=mine, **inputs)
                own(operation, tenant_id=mine, **inputs)
        for operation, inputs in {"activeTenants": {}, "metricsOfDay": {"date": "2025-01-01"}, "createTenant": {},
                                  "tenantByDomain": {"domain": "x.example"}, "deactivateTenant": {"tenant_id": mine},
                                  "recordOutcomes": {"tenant_id": mine, "submission_id": sub}}.items():
            with self.subTest(operation=operation):
                self.refused(401, operation, nobody, **inputs)
                self.refused(403, operation, own, **inputs)
        self.api.as_caller(sub="boss", groups=["admin"])("activeTenants")


class Changes(Bridge):
    def test_tenants_change_and_inactive_ones_take_nothing(self):
        name = self.tenant(name="A")
        changed = self.api.item("updateTenant", tenant_id=name, name="B", settings={"x": 1}, retention_days=30)
        self.assertEqual(("B", {"x": 1}, 30), tuple(changed[k] for k in ("name", "settings", "retention_days")))
        self.assertNotIn("retention_days", self.api.item("updateTenant", tenant_id=name, retention_days=None))
        self.assertEqual("inactive", self.api.item("deactivateTenant", tenant_id=name)["status"])
        self.assertNotIn(name, [t["tenant_id"] for t in self.api.all("activeTenants")])
        self.refused(403, "submit", tenant_id=name, form_id="f", payload={})
        self.assertEqual("active", self.api.item("activateTenant", tenant_id=name)["status"])
        self.assertIn(name, [t["tenant_id"] for t in self.api.all("activeTenants")])
        self.submit(name)
        for operation in ("updateTenant", "activateTenant", "deactivateTenant"):
            self.refused(404, operation, tenant_id=tag("none"))
        self.refuses_each("updateTenant", {"tenant_id": name}, {"retention_days": [0, "x"], "settings": ["x"]})

    def test_submissions_expire_by_the_tenants_retention(self):
        name = self.tenant(retention_days=7)
        submission = self.submit(name)
        item = self.stored_submission(name, submission["submission_id"])
        self.assertAlmostEqual(time.time() + 7 * 86400, plain(item["ttl"]), delta=60)
        key = {k: item[k] for k in ("PK", "SK")}
        self.client.update_item(TableName=self.table, Key=key, UpdateExpression="SET #t = :t", ExpressionAttributeNames={"#t": "ttl"},
                                ExpressionAttributeValues={":t": {"N": str(int(time.time()) - 5)}})
        self.refused(404, "submission", tenant_id=name, submission_id=submission["submission_id"])
        self.assertEqual([], self.api.all("submissionsByTime", tenant_id=name))
        self.assertNotIn("ttl", self.stored_submission(other := self.tenant(), self.submit(other)["submission_id"]))

    def test_destinations_change_and_go(self):
        name = self.tenant()
        destination = self.destination(name, "web", forms=["a", "b"])
        everything = self.destination(name, "mail")
        changed = self.api.item("updateDestination", tenant_id=name, destination_id=destination, destination_type="hook", name="n")
        self.assertEqual(("hook", "n", ["a", "b"]), tuple(changed[k] for k in ("destination_type", "name", "forms")))
        stored = self.stored("TENANT#" + name, "DEST#" + destination)
        self.assertEqual({"S": "DEST#hook#" + changed["created_at"]}, stored["GSI1SK"])

        def takes(form):
            return {d["destination_id"] for d in self.api("destinationsOfForm", tenant_id=name, form_id=form)["destinations"]}

        self.assertEqual({destination, everything}, takes("a"))
        self.assertEqual({everything}, takes("c"))
        self.api("deleteDestination", tenant_id=name, destination_id=destination)
        self.refused(404, "deleteDestination", tenant_id=name, destination_id=destination)
        self.refused(404, "updateDestination", tenant_id=name, destination_id=destination, name="x")
        self.assertEqual([everything], [d["destination_id"] for d in self.api.all("destinations", tenant_id=name)])

    def test_domains_are_unmapped_by_their_tenant(self):
        mine, other, domain = self.tenant(), self.tenant(), tag("d") + ".example.com"
        self.api("mapDomain", domain=domain, tenant_id=mine)
        self.refused(409, "unmapDomain", domain=domain, tenant_id=other)
        self.api("unmapDomain", domain=domain, tenant_id=mine)
        self.refused(404, "unmapDomain", domain=domain, tenant_id=mine)
        self.refused(404, "tenantByDomain", domain=domain)
        self.api("mapDomain", domain=domain, tenant_id=other)

    def test_outcomes_are_recorded(self):
        name = self.tenant()
        sub, first, second = self.submit(name)["submission_id"], self.destination(name), self.destination(name)
        self.api("recordOutcomes", tenant_id=name, submission_id=sub, outcomes=[
            {"destination_id": first, "status": "failed", "response": {"code": 500}}, {"destination_id": new_ulid(), "status": "success"},
            {"destination_id": second, "status": "success"}, {"destination_id": first, "status": "retrying"}])
        found = self.api.all("deliveriesOfSubmission", tenant_id=name, submission_id=sub)
        self.assertEqual(sorted([(first, 1, "failed"), (first, 2, "retrying"), (second, 1, "success")]),
                         sorted((a["destination_id"], a["attempt_num"], a["status"]) for a in found))
        self.assertEqual("DELIVERED", self.api.item("submission", tenant_id=name, submission_id=sub)["status"])
        self.assertEqual({"recorded": True}, self.api("recordOutcomes", tenant_id=name, submission_id=sub))
        self.refused(404, "recordOutcomes", tenant_id=name, submission_id=new_ulid(), outcomes=[{"destination_id": first, "status": "failed"}])


ZEveryOperation = coverage("form-bridge", """
    updateTenant deactivateTenant activateTenant updateDestination deleteDestination unmapDomain destinationsOfForm hourlyMetrics
    storageSavings recordOutcomes
    createTenant tenantConfig activeTenants createDestination destinations destinationsByType mapDomain tenantByDomain submit
    submission submissionsByTime submissionsByStatus recordDelivery deliveriesOfSubmission deliveriesOfTenant
    deliveriesOfDestination setShards shardsOf suggestShards dashboard metricsOfDay""")

if __name__ == "__main__":
    harness.run_file()
