#!/usr/bin/python3
"""parental-control, operation by operation: policies, apps, blocking times, enforcement, counts, firewall rules."""

import datetime
import json

import served
from firewall import Firewall
from served import SystemCase, ULID, ago, ahead, coverage, epoch, harness, iso, new_phone, plain, tag, utc_now

TIKTOK = {"appName": "TikTok", "ports": [{"port": 443, "protocol": "TCP"}, {"port": 80, "protocol": "TCP"}],
          "domains": ["*.tiktok.com", "*.musical.ly"], "ipRanges": ["23.211.0.0/16"]}
INSTAGRAM = {"appName": "Instagram", "ports": [{"port": 443, "protocol": "TCP"}], "domains": ["*.instagram.com"],
             "ipRanges": []}
WEEK = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
NIGHT = {"startTime": "22:00", "endTime": "06:00", "days": WEEK}
SCHOOL = {"startTime": "08:00", "endTime": "15:00", "days": WEEK[:5]}
DAYS_90 = 90 * 86400


def window(start, end, days=None):
    return {"startTime": start, "endTime": end, "days": days or WEEK}


FIREWALL = Firewall()


def firewall_answer(body):
    """The first call fails."""
    rules = [{"ruleId": "fw-" + app["appName"], "privateIP": "10.0.0.1", "appName": app["appName"],
              "sessionExpiresAt": ahead(hours=1)}
             for app in body.get("add") or []]
    return 200 if FIREWALL.calls else 503, {"rules": rules, "ftdResponse": {"deviceId": "ftd-device-001"}}


class Control(SystemCase):
    design = "parental-control"

    @classmethod
    def setUpClass(cls):
        if not served.is_shared():
            FIREWALL.answer = firewall_answer
            served.share("--endpoint", f"firewall={FIREWALL.url}")
        super().setUpClass()

    def policy(self, child=None, apps=(TIKTOK,), windows=(NIGHT,), **more):
        return self.api.item("createPolicy", childPhoneNumber=child or new_phone(), blockedApps=list(apps),
                             timeWindows=list(windows), **{"parentEmail": "parent@example.com", **more})

    def stored_in(self, table, *key):
        names = {"ParentalPolicies": ("childPhoneNumber", "policyId"), "ApplicationRegistry": ("appName",),
                 "EnforcementHistory": ("childPhoneNumber", "timestamp"),
                 "FTDRuleMapping": ("childPhoneNumber", "ruleId"),
                 "BlockedRequestMetrics": ("childPhoneNumber", "dateApp")}[table]
        return self.stored(*key, table=table, names=names)


class Policies(Control):
    def test_created_read_and_stored_as_the_document_says(self):
        child, name = new_phone(), tag("policy_")
        policy = self.policy(child, (TIKTOK, INSTAGRAM), (NIGHT, SCHOOL), policyId=name, childName="Sarah",
                             parentEmail="Parent@Example.COM", notes="School")
        self.assertEqual((name, "Sarah", "parent@example.com", "active", "School", "UTC"),
                         tuple(policy[k] for k in ("policyId", "childName", "parentEmail", "status", "notes",
                                                   "timezone")))
        self.assertEqual(([TIKTOK, INSTAGRAM], [NIGHT, SCHOOL]), (policy["blockedApps"], policy["timeWindows"]))
        self.recent(policy["createdAt"])
        self.assertEqual(policy, self.api.item("policy", childPhoneNumber=child, policyId=name))
        stored = self.stored_in("ParentalPolicies", child, name)
        self.attributes(stored, parentEmail={"S": "parent@example.com"}, createdAt={"S": policy["createdAt"]},
                        status={"S": "active"})
        self.assertEqual({"N": "443"}, stored["blockedApps"]["L"][0]["M"]["ports"]["L"][0]["M"]["port"])
        self.assertEqual([TIKTOK, INSTAGRAM], plain(stored["blockedApps"]))
        self.refused(409, "createPolicy", childPhoneNumber=child, policyId=name, parentEmail="p@example.com",
                     blockedApps=[],
                     timeWindows=[])
        self.assertRegex(self.policy()["policyId"], ULID)

    def test_lists(self):
        child, parent = new_phone(), tag("p") + "@example.com"
        names = sorted(self.policy(child, parentEmail=parent, policyId=f"p{n}")["policyId"] for n in (3, 1, 2, 5, 4))
        self.check_list("policiesOfChild", names, "policyId", childPhoneNumber=child)
        self.check_page_tokens("policiesOfChild", {"childPhoneNumber": new_phone()}, childPhoneNumber=child)
        found = self.api.all("policiesOfParent", parentEmail=parent.upper(), limit=2)
        self.assertEqual(names, sorted(p["policyId"] for p in found))
        self.assertEqual([p["createdAt"] for p in found], sorted(p["createdAt"] for p in found))
        self.assertEqual([], self.api.all("policiesOfChild", childPhoneNumber=new_phone()))

    def test_a_partial_update_moves_the_entry_and_null_removes(self):
        child, old, new = new_phone(), tag("o") + "@example.com", tag("n") + "@example.com"
        policy = self.policy(child, parentEmail=old, notes="n", childName="c")
        key = {"childPhoneNumber": child, "policyId": policy["policyId"]}
        changed = self.api.item("updatePolicy", **key, parentEmail=new.upper())
        self.assertEqual({**policy, "parentEmail": new, "updatedAt": changed["updatedAt"]}, changed)
        self.assertEqual([], self.api.all("policiesOfParent", parentEmail=old))
        self.assertEqual([policy["policyId"]], [p["policyId"] for p in self.api.all("policiesOfParent", parentEmail=new)])
        without = self.api.item("updatePolicy", **key, notes=None, status="inactive")
        self.assertNotIn("notes", without)
        self.assertEqual(("inactive", "c"), (without["status"], without["childName"]))
        self.attributes(self.stored_in("ParentalPolicies", child, policy["policyId"]), notes=None, childName={"S": "c"})
        self.refused(404, "updatePolicy", childPhoneNumber=child, policyId="none", status="active")
        self.refused(404, "policy", childPhoneNumber=child, policyId="none")
        self.refused(400, "updatePolicy", fields=["parentEmail"], **key, parentEmail=None)
        self.refused(400, "updatePolicy", fields=["blockedApps"], **key,
                     blockedApps=[{**TIKTOK, "ports": [{"port": 0, "protocol": "TCP"}]}])

    def test_ports_domains_ranges_times_and_days_are_checked(self):
        def apps(**change):
            return [INSTAGRAM, {**TIKTOK, **change}]

        good = {"childPhoneNumber": "+15551234567", "parentEmail": "p@example.com", "blockedApps": [TIKTOK],
                "timeWindows": [NIGHT]}
        self.refuses_each("createPolicy", good, {
            "childPhoneNumber": ["5551234567", "+0123", "+1555123456789012345", 5],
            "parentEmail": ["parent", None],
            "blockedApps": [apps(ports=[{"port": 0, "protocol": "TCP"}]),
                            apps(ports=[{"port": 65536, "protocol": "TCP"}]),
                            apps(ports=[{"port": 443, "protocol": "ICMP"}]), apps(ports=[{"port": 443}]),
                            apps(ports=[{"port": 443, "protocol": "TCP", "more": 1}]), apps(domains=["tik tok.com"]),
                            apps(domains=["a.*.com"]), apps(domains=["*"]), apps(ipRanges=["23.211.0.0/33"]),
                            apps(ipRanges=["23.211.0"]),
                            apps(ipRanges=["23.211.0.0"]), apps(appName=""), "TikTok", [{"appName": "X"}]],
            "timeWindows": [[window("24:00", "06:00")], [window("7:00", "08:00")], [window("07:60", "08:00")],
                            [window("07:00", "08:00", ["FUN"])], [window("07:00", "08:00", ["mon"])],
                            [{"startTime": "07:00"}], {}],
            "timezone": ["Mars/Base", "", 3], "status": ["asleep"], "policyId": ["a/b"], "notes": ["n" * 1001]})
        self.requires("createPolicy", good, "childPhoneNumber", "parentEmail", "blockedApps", "timeWindows")
        refusal = self.refused(400, "createPolicy",
                               **{**good, "blockedApps": apps(ports=[{"port": 0, "protocol": "TCP"}])})
        self.assertEqual({"blockedApps[1].ports[0].port"}, refusal.fields, "the place is named")
        self.policy(apps=({**TIKTOK, "domains": ["tiktok.com", "*.a.co.uk"], "ipRanges": ["2001:db8::/32"]},))


class BlockedNow(Control):
    def blocked(self, child, at=None, **more):
        if at:
            more["at"] = at
        return {app["appName"]: app["until"] for app in self.api("blockedNow", childPhoneNumber=child, **more)["apps"]}

    def check(self, policies, cases, **more):
        child = new_phone()
        for policy in policies:
            self.policy(child, **policy)
        for at, expected in cases.items():
            with self.subTest(at=at):
                self.assertEqual({"TikTok": expected} if expected else {}, self.blocked(child, at, **more))

    def test_a_window_that_crosses_midnight_ends_exclusively(self):
        self.check([{"windows": [NIGHT]}], {
            "2025-10-03T21:59:59Z": None, "2025-10-03T22:00:00Z": "2025-10-04T06:00:00Z",
            "2025-10-03T23:30:00Z": "2025-10-04T06:00:00Z", "2025-10-04T00:00:00Z": "2025-10-04T06:00:00Z",
            "2025-10-04T05:59:59Z": "2025-10-04T06:00:00Z", "2025-10-04T06:00:00Z": None})

    def test_days_are_those_on_which_a_window_starts(self):
        self.check([{"windows": [window("22:00", "06:00", ["FRI"]), SCHOOL]}], {
            "2025-10-03T05:00:00Z": None, "2025-10-03T10:00:00Z": "2025-10-03T15:00:00Z",       # a Friday
            "2025-10-03T22:30:00Z": "2025-10-04T06:00:00Z", "2025-10-04T05:00:00Z": "2025-10-04T06:00:00Z",
            "2025-10-04T10:00:00Z": None, "2025-10-04T23:00:00Z": None, "2025-10-05T05:00:00Z": None,
            "2025-10-06T08:00:00Z": "2025-10-06T15:00:00Z"})

    def test_overlapping_windows_and_policies_merge_to_the_last_end(self):
        self.check([{"windows": [window("08:00", "12:00"), window("11:00", "15:00")]},
                    {"windows": [window("14:00", "16:30")]},
                    {"windows": [window("16:00", "20:00")], "status": "inactive"}], {
            "2025-10-03T09:00:00Z": "2025-10-03T16:30:00Z", "2025-10-03T14:30:00Z": "2025-10-03T16:30:00Z",
            "2025-10-03T16:30:00Z": None, "2025-10-03T17:00:00Z": None})

    def test_time_zones_and_daylight_saving(self):
        self.check([{"windows": [NIGHT], "timezone": "America/New_York"}], {
            "2025-10-04T01:59:59Z": None, "2025-10-04T03:00:00Z": "2025-10-04T10:00:00Z",        # EDT
            "2025-12-04T02:30:00Z": None, "2025-12-04T04:00:00Z": "2025-12-04T11:00:00Z",        # EST
            "2025-11-02T03:00:00Z": "2025-11-02T11:00:00Z",
                                                                            # the night is an hour longer
            "2025-03-09T04:00:00Z": "2025-03-09T10:00:00Z"})                                       # and an hour shorter
        self.check([{"windows": [window("08:00", "09:00", ["MON"])], "timezone": "Asia/Tokyo"}],
                   {"2025-10-05T23:30:00Z": "2025-10-06T00:00:00Z", "2025-10-06T08:30:00Z": None})
        self.check([{"windows": [window("08:00", "09:00")]}],
                   {"2025-10-03T06:30:00Z": "2025-10-03T07:00:00Z", "2025-10-03T08:30:00Z": None},
                   timezone="Europe/Berlin")

    def test_each_app_has_its_own_end_and_now_is_the_default(self):
        child = new_phone()
        self.policy(child, (TIKTOK, INSTAGRAM), (window("08:00", "10:00"),))
        self.policy(child, (INSTAGRAM,), (window("09:00", "12:00"),))
        self.assertEqual({"TikTok": "2025-10-03T10:00:00Z", "Instagram": "2025-10-03T12:00:00Z"},
                         self.blocked(child, "2025-10-03T09:30:00Z"))
        self.assertEqual({}, self.blocked(new_phone()))
        other, now = new_phone(), utc_now()
        ends = (now + datetime.timedelta(hours=2)).replace(second=0, microsecond=0)
        self.policy(other, windows=(window((now - datetime.timedelta(hours=2)).strftime("%H:%M"),
                                           ends.strftime("%H:%M")),))
        self.assertEqual({"TikTok": iso(ends)}, self.blocked(other))
        good = {"childPhoneNumber": child}
        self.refuses_each("blockedNow", good, {"childPhoneNumber": ["x"], "at": ["noon", 5], "timezone": ["Mars/Base"]})


class Apps(Control):
    def test_registered_read_listed_and_replaced(self):
        names = [tag("App ") for _ in range(4)]
        for name in names:
            self.api("registerApp", appName=name, appCategory="Gaming",
                     defaultPorts=[{"port": 3478, "protocol": "UDP"}],
                     domains=["*.epicgames.com"], ipRanges=["35.184.0.0/13"], description="d", popularity=1)
        app = self.api.item("app", appName=names[0])
        self.assertEqual(("Gaming", [{"port": 3478, "protocol": "UDP"}], ["*.epicgames.com"], ["35.184.0.0/13"], 1),
                         tuple(app[k] for k in ("appCategory", "defaultPorts", "domains", "ipRanges", "popularity")))
        self.attributes(self.stored_in("ApplicationRegistry", names[0]), popularity={"N": "1"},
                        appCategory={"S": "Gaming"})
        listed = [a["appName"] for a in self.api.all("apps", limit=1)]
        self.assertEqual(len(set(listed)), len(listed))
        self.assertLessEqual(set(names), set(listed))
        self.api("registerApp", appName=names[0], appCategory="Video")
        again = self.api.item("app", appName=names[0])
        self.assertEqual("Video", again["appCategory"])
        self.assertNotIn("description", again)
        self.refused(404, "app", appName=tag("none"))
        self.refuses_each("registerApp", {"appName": "x"},
                          {"appName": ["", 5], "defaultPorts": [[{"port": 70000, "protocol": "TCP"}]],
                                                            "domains": [["a b"]], "ipRanges": [["1.2.3.4/40"]],
                           "popularity": [-1]})


class Enforcements(Control):
    def record(self, child, **more):
        return self.api.item("recordEnforcement", childPhoneNumber=child,
                             **{"action": "block", "status": "success", "appName": "TikTok", **more})

    def test_two_actions_of_one_second_are_both_stored(self):
        child, at = new_phone(), ago(minutes=5)
        actions = [self.record(child, timestamp=at, privateIP="10.20.30.40", ruleId="ftd_rule_abc123", errorMessage="",
                               ftdResponse={"ruleId": "005056A7", "n": 1}, duration_ms=342) for _ in range(3)]
        self.assertEqual({at}, {m["timestamp"] for m in actions})
        stored = self.partition(child, "EnforcementHistory", "childPhoneNumber")
        self.assertEqual(3, len(stored))
        for item in stored:
            self.assertTrue(item["timestamp"]["S"].startswith(at), item["timestamp"])
            self.attributes(item, ttl={"N": str(int(epoch(at)) + DAYS_90)}, duration_ms={"N": "342"},
                            status={"S": "success"},
                            action={"S": "block"}, ftdResponse={"M": {"ruleId": {"S": "005056A7"}, "n": {"N": "1"}}})
        self.check_list("enforcementHistory", [i["timestamp"]["S"] for i in stored],
                        lambda e: f"{e['timestamp']}#{e['actionId']}",
                        childPhoneNumber=child)
        self.recent(self.record(child)["timestamp"])

    def test_history_between_times_is_inclusive(self):
        child = new_phone()
        times = [ago(hours=h) for h in (5, 4, 3, 2, 1)]
        for at in times:
            self.record(child, timestamp=at)
        for lower, upper in ((1, 3), (2, 2), (0, 4)):
            self.check_list("enforcementHistory", times[lower:upper + 1], "timestamp", childPhoneNumber=child,
                            **{"from": times[lower], "to": times[upper]})
        self.check_list("enforcementHistory", times[3:], "timestamp", childPhoneNumber=child, **{"from": times[3]})
        self.check_list("enforcementHistory", times[:2], "timestamp", childPhoneNumber=child, to=times[1])
        self.check_page_tokens("enforcementHistory", {"childPhoneNumber": new_phone()}, childPhoneNumber=child)
        self.refused(400, "enforcementHistory", fields=["to"], childPhoneNumber=child, to="later")

    def test_failed_actions_of_all_children(self):
        child, other = new_phone(), new_phone()
        times = [ago(minutes=m) for m in (9, 8, 7, 6)]
        for n, at in enumerate(times):
            self.record(child if n % 2 else other, timestamp=at, status="failed", errorMessage="timeout")
            self.record(child, timestamp=at)

        def mine(item):
            return item["childPhoneNumber"] in (child, other)

        self.check_some_of_list("failedEnforcements", times, lambda e: e["timestamp"], self.api, (1, 3), mine,
                                **{"from": times[0], "to": times[3]})
        self.check_some_of_list("failedEnforcements", times[1:3], lambda e: e["timestamp"], self.api, (1,), mine,
                                **{"from": times[1], "to": times[2]})
        self.assertLessEqual(set(times), {e["timestamp"] for e in self.api.all("failedEnforcements")})
        index = self.index_query("StatusTimestampIndex", "status", "failed", "EnforcementHistory")
        self.assertEqual(4, len([i for i in index if i["childPhoneNumber"]["S"] in (child, other)]))

    def test_old_actions_are_never_read_and_bad_inputs_are_named(self):
        child = new_phone()
        self.record(child, timestamp=ago(days=91))
        self.assertEqual([], self.api.all("enforcementHistory", childPhoneNumber=child))
        good = {"childPhoneNumber": child, "action": "block", "status": "success"}
        self.refuses_each("recordEnforcement", good, {
            "action": ["explode"], "status": ["maybe"], "timestamp": ["now", "2025-13-01T00:00:00Z"],
                                                      "privateIP": ["10.20.30"],
            "duration_ms": [-1, 1.5], "ftdResponse": ["x"], "ruleId": ["a b"]})
        self.requires("recordEnforcement", good, "childPhoneNumber", "action", "status")


class Metrics(Control):
    def block(self, child, at, app="TikTok", parent="parent@example.com"):
        return self.api.item("recordBlocked", childPhoneNumber=child, appName=app, parentEmail=parent, at=at)

    def test_one_write_counts_and_keeps_first_and_last(self):
        child = new_phone()
        first = self.block(child, "2025-10-03T08:15:23Z", parent="Parent@Example.com")
        self.assertEqual((1, "2025-10-03", {"08": 1}), (first["blockedCount"], first["date"], first["hourly"]))
        for at in ("2025-10-03T14:52:10Z", "2025-10-03T08:59:59Z", "2025-10-03T07:00:00Z", "2025-10-03T09:00:00Z"):
            self.block(child, at)
        stored = self.stored_in("BlockedRequestMetrics", child, "2025-10-03#TikTok")
        self.attributes(stored, blockedCount={"N": "5"}, date={"S": "2025-10-03"}, appName={"S": "TikTok"},
                        parentEmail={"S": "parent@example.com"}, timestampFirst={"S": "2025-10-03T07:00:00Z"},
                        timestampLast={"S": "2025-10-03T14:52:10Z"},
                        hourly={"M": {"07": {"N": "1"}, "08": {"N": "2"}, "09": {"N": "1"}, "14": {"N": "1"}}})
        daily = self.api.all("dailyMetrics", childPhoneNumber=child, date="2025-10-03")
        self.assertEqual([("TikTok", 5)], [(m["appName"], m["blockedCount"]) for m in daily])
        now = self.api.item("recordBlocked", childPhoneNumber=child, appName="Now", parentEmail="p@example.com")
        self.recent(now["timestampLast"])

    def test_by_day_app_and_parent(self):
        child, parent = new_phone(), tag("p") + "@example.com"
        dates = ["2025-10-0%d" % n for n in range(1, 7)]
        apps = ["Instagram", "TikTok", "TikTok Lite"]
        for date in dates:
            for app in apps:
                self.block(child, date + "T10:00:00Z", app, parent)
        self.block(new_phone(), "2025-10-02T10:00:00Z", "TikTok", parent)
        self.check_list("dailyMetrics", apps, "appName", childPhoneNumber=child, date="2025-10-03")
        self.check_list("metricsOfApp", dates[1:5], "date", childPhoneNumber=child, appName="TikTok",
                        **{"from": dates[1], "to": dates[4]})
        self.check_list("metricsOfApp", dates[2:3], "date", childPhoneNumber=child, appName="TikTok",
                        **{"from": dates[2], "to": dates[2]})
        found = self.api.all("metricsOfParent", parentEmail=parent.upper(), limit=4,
                             **{"from": dates[1], "to": dates[2]})
        self.assertEqual([dates[1]] * 4 + [dates[2]] * 3, [m["date"] for m in found])
        self.assertEqual(19, len(self.api.all("metricsOfParent", parentEmail=parent, limit=5)))
        self.assertEqual(19, len(self.index_query("ParentEmailDateIndex", "parentEmail", parent,
                                                  "BlockedRequestMetrics")))
        self.assertEqual([], self.api.all("dailyMetrics", childPhoneNumber=child, date="2024-01-01"))
        self.refused(400, "dailyMetrics", fields=["date"], childPhoneNumber=child, date="2025-02-30")
        self.refused(400, "metricsOfApp", fields=["from"], childPhoneNumber=child, appName="x",
                     **{"from": "x", "to": dates[1]})
        good = {"childPhoneNumber": child, "appName": "TikTok", "parentEmail": parent}
        self.refuses_each("recordBlocked", good,
                          {"childPhoneNumber": ["1"], "appName": ["", "a" * 81], "parentEmail": ["x"], "at": ["x"]})
        self.requires("recordBlocked", good, "childPhoneNumber", "appName", "parentEmail")


class Rules(Control):
    def save(self, child, rule, **more):
        return self.api.item("saveRule", childPhoneNumber=child, ruleId=rule,
                             **{"privateIP": "10.20.30.40", "appName": "TikTok", "policyId": "p1",
                                "sessionExpiresAt": ahead(hours=1), **more})

    def test_saved_with_the_sessions_ttl_and_listed(self):
        child, until = new_phone(), ahead(hours=2)
        rule = self.save(child, "ftd_rule_abc123", ruleName=f"PARENTAL_BLOCK_{child}_TikTok",
                         ftdDeviceId="ftd-device-001",
                         accessPolicyId="005056A7-BF9E", lastVerified=ago(minutes=1), sessionExpiresAt=until)
        self.assertEqual("active", rule["status"])
        self.attributes(self.stored_in("FTDRuleMapping", child, "ftd_rule_abc123"), ttl={"N": str(int(epoch(until)))},
                        privateIP={"S": "10.20.30.40"}, policyId={"S": "p1"},
                        ruleName={"S": f"PARENTAL_BLOCK_{child}_TikTok"})
        self.assertEqual(rule, self.api.item("rule", childPhoneNumber=child, ruleId="ftd_rule_abc123"))
        for n in range(4):
            self.save(child, f"r{n}")
        self.check_list("rulesOfChild", ["ftd_rule_abc123", "r0", "r1", "r2", "r3"], "ruleId", childPhoneNumber=child)
        self.save(child, "over", sessionExpiresAt=ago(minutes=1))
        self.refused(404, "rule", childPhoneNumber=child, ruleId="over")
        self.assertNotIn("over", [r["ruleId"] for r in self.api.all("rulesOfChild", childPhoneNumber=child)])
        good = {"childPhoneNumber": child, "ruleId": "r", "privateIP": "10.0.0.1", "appName": "x", "policyId": "p",
                "sessionExpiresAt": until}
        self.refuses_each("saveRule", good,
                          {"ruleId": ["", "a b"], "privateIP": ["10.0.0"], "status": ["odd"],
                           "sessionExpiresAt": ["soon"]})
        self.requires("saveRule", good, "childPhoneNumber", "ruleId", "privateIP", "sessionExpiresAt")

    def test_a_session_ends_with_all_rules_of_its_address(self):
        child = new_phone()
        for n in range(6):
            self.save(child, f"r{n}", privateIP="10.0.0.1" if n % 2 else "10.0.0.2")
        self.save(other := new_phone(), "r1", privateIP="10.0.0.1")
        self.api("endSession", childPhoneNumber=child, privateIP="10.0.0.1")
        self.assertEqual(["r0", "r2", "r4"],
                         [r["ruleId"] for r in self.api.all("rulesOfChild", childPhoneNumber=child)])
        self.assertEqual(3, len(self.partition(child, "FTDRuleMapping", "childPhoneNumber")))
        self.assertEqual(["r1"], [r["ruleId"] for r in self.api.all("rulesOfChild", childPhoneNumber=other)])
        self.refuses_each("endSession", {"childPhoneNumber": child, "privateIP": "10.0.0.9"},
                          {"privateIP": ["x"], "childPhoneNumber": ["x"]})


class MovedRules(Rules):
    def test_a_rule_moves_to_another_address_and_goes(self):
        child = new_phone()
        rule = self.save(child, "r1")
        moved = self.api.item("moveRule", childPhoneNumber=child, ruleId="r1", privateIP="10.9.9.9")
        self.assertEqual(("10.9.9.9", rule["createdAt"], rule["appName"]), tuple(moved[k] for k in ("privateIP", "createdAt", "appName")))
        self.api("deleteRule", childPhoneNumber=child, ruleId="r1")
        self.refused(404, "deleteRule", childPhoneNumber=child, ruleId="r1")
        self.refused(404, "moveRule", childPhoneNumber=child, ruleId="r1", privateIP="10.9.9.9")
        self.assertIsNone(self.stored_in("FTDRuleMapping", child, "r1"))
        self.refuses_each("moveRule", {"childPhoneNumber": child, "ruleId": "r1", "privateIP": "10.0.0.1"}, {"privateIP": ["x"]})

    def test_the_table_is_provisioned_as_the_document_says(self):
        table = self.client.describe_table(TableName="FTDRuleMapping")["Table"]
        units = table["ProvisionedThroughput"]
        self.assertEqual((20, 20), (units["ReadCapacityUnits"], units["WriteCapacityUnits"]))


class CachedApps(Control):
    def test_the_registry_is_cached_until_it_is_written(self):
        self.api("registerApp", appName=(name := tag("App")))
        listed, headers = self.api.with_headers("apps", {}, limit=1000)
        self.assertIn(name, [a["appName"] for a in listed["items"]])
        self.assertEqual("0", headers["Age"])
        self.client.put_item(TableName="ApplicationRegistry", Item={"appName": {"S": (foreign := tag("Foreign"))}})
        again, headers = self.api.with_headers("apps", {}, limit=1000)
        self.assertEqual(listed, again, "what another program wrote is seen when the time is over")
        self.assertGreaterEqual(int(headers["Age"]), 0)
        self.api("registerApp", appName=(second := tag("App")))
        names = [a["appName"] for a in self.api("apps", limit=1000)["items"]]
        self.assertTrue({second, foreign} <= set(names))


class Months(Control):
    def test_metrics_of_a_month(self):
        child = new_phone()
        for day in ("2025-10-03", "2025-10-04", "2025-11-01"):
            self.api("recordBlocked", childPhoneNumber=child, appName="TikTok", parentEmail="p@example.com", at=day + "T10:00:00Z")
        for prefix, days in (("2025-10", 2), ("2025-10-03", 1), ("2025", 3), ("2024", 0)):
            self.assertEqual(days, len(self.api.all("dailyMetrics", childPhoneNumber=child, date=prefix)), prefix)


class Reactions(Control):
    def test_a_policys_change_reaches_the_firewall_and_leaves_a_record(self):
        api, child = self.api, new_phone()
        policy = api.item("createPolicy", childPhoneNumber=child, parentEmail="p@example.com", blockedApps=[TIKTOK],
                          timeWindows=[NIGHT])
        self.eventually(True, lambda: len(FIREWALL.of(child)) > 0)
        self.eventually(True, lambda: "success" in [e["status"]
                                                    for e in api.all("enforcementHistory", childPhoneNumber=child)])
        self.eventually(["fw-TikTok"], lambda: [r["ruleId"] for r in api.all("rulesOfChild", childPhoneNumber=child)])
        self.assertIn("TikTok", json.dumps([c for _, _, c in FIREWALL.of(child) if c.get("add")]))
        api("updatePolicy", childPhoneNumber=child, policyId=policy["policyId"], blockedApps=[INSTAGRAM])
        self.eventually(True, lambda: any("Instagram" in json.dumps(c.get("add"))
                                          and "TikTok" in json.dumps(c.get("remove"))
                                          for _, _, c in FIREWALL.of(child)))


ZEveryOperation = coverage("parental-control", """
    moveRule deleteRule
    createPolicy updatePolicy policy policiesOfChild policiesOfParent registerApp app apps blockedNow recordEnforcement
    enforcementHistory failedEnforcements recordBlocked dailyMetrics metricsOfApp metricsOfParent saveRule rule rulesOfChild
    endSession""", by_itself="recordPolicyEnforcement")

if __name__ == "__main__":
    harness.run_file()
