#!/usr/bin/python3
"""The documents' Python programs, unchanged (tests/data/snippets), with AWS_ENDPOINT_URL_DYNAMODB as the only hint of
the tables' location: the operations read what they write, and they read what the operations wrote."""

import json
import subprocess
import sys
from pathlib import Path

from served import SystemCase, designs, harness, sha256, tag

SNIPPETS = Path(__file__).resolve().parent / "data" / "snippets"


class Snippets(SystemCase):
    def snippet(self, name, *arguments):
        running = designs()
        done = subprocess.run([sys.executable, SNIPPETS / (name + ".py"), *arguments], timeout=harness.WAIT_SECONDS_MAX,
                              env={**running.environment, "AWS_ENDPOINT_URL_DYNAMODB": running.items_url, "AWS_REGION": "us-east-1",
                                   "AWS_DEFAULT_REGION": "us-east-1", "PYTHONWARNINGS": "ignore"},
                              capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout


class Parental(Snippets):
    design = "parental-control"

    def test_the_seed_of_applications(self):
        self.api("registerApp", appName="TikTok", appCategory="Other")
        self.snippet("seed_apps")
        self.assertEqual(("Social Media", ["*.tiktok.com", "*.musical.ly"], ["23.211.0.0/16"]),
                         tuple(self.api.item("app", appName="TikTok")[key] for key in ("appCategory", "domains", "ipRanges")))
        self.assertEqual([{"port": 443, "protocol": "TCP"}], self.api.item("app", appName="Instagram")["defaultPorts"])

    def test_the_count_of_the_document_on_an_item_of_the_operation(self):
        child = {"childPhoneNumber": "+15551234567"}
        key = {"childPhoneNumber": {"S": child["childPhoneNumber"]}, "dateApp": {"S": "2025-10-03#TikTok"}}
        self.client.delete_item(TableName="BlockedRequestMetrics", Key=key)
        self.snippet("count_blocked")       # its first event creates an item that has only the count
        found = self.api.all("dailyMetrics", **child, date="2025-10-03")
        self.assertEqual([("TikTok", "2025-10-03", 1)], [(one["appName"], one["date"], one["blockedCount"]) for one in found])
        self.api("recordBlocked", **child, appName="TikTok", parentEmail="p@example.com", at="2025-10-03T10:00:00Z")
        self.snippet("count_blocked")
        found = self.api.all("dailyMetrics", **child, date="2025-10-03")
        self.assertEqual([(3, "2025-10-03T14:52:10Z")], [(one["blockedCount"], one["timestampLast"]) for one in found])
        self.assertEqual(["TikTok"], [one["appName"] for one in self.api.all("metricsOfParent", parentEmail="p@example.com",
                                                                            **{"from": "2025-10-03", "to": "2025-10-03"})])
        self.client.delete_item(TableName="BlockedRequestMetrics", Key=key)      # its hours count one of three


class Bridge(Snippets):
    design = "form-bridge"
    table = "FormBridgeData"

    # Except for its third index, which was empty.
    def test_the_table_is_the_documents(self):
        table, _ = json.loads(self.snippet("table_design"))
        served = self.client.describe_table(TableName=table["table_name"])["Table"]
        keys = {served["TableName"]: served["KeySchema"],
                **{index["IndexName"].lower(): index["KeySchema"] for index in served["GlobalSecondaryIndexes"]}}
        for name, key in ((table["table_name"], table), ("gsi1", table["gsi1"]), ("gsi2", table["gsi2"])):
            self.assertEqual([key["partition_key"], key["sort_key"]], [one["AttributeName"] for one in keys[name]], name)
        ttl = self.client.describe_time_to_live(TableName=table["table_name"])["TimeToLiveDescription"]
        self.assertEqual(table["ttl_attribute"], ttl["AttributeName"])

    def test_the_lookup_of_a_domain(self):
        tenant, domain = tag("t-"), tag("d") + ".example"
        self.api("createTenant", tenant_id=tenant)
        self.api("mapDomain", tenant_id=tenant, domain=domain)
        found, none = json.loads(self.snippet("domain_lookup", domain, "other.example"))
        self.assertEqual((tenant, "DOMAIN#" + sha256(domain)[:16]), (found["tenant_id"], found["PK"]))
        self.assertIsNone(none)

    def test_the_dashboard(self):
        tenant = tag("t-")
        self.api("createTenant", tenant_id=tenant)
        for form in ("a", "a", "b"):
            self.api("submit", tenant_id=tenant, form_id=form, payload={})
        harness.until(lambda: self.api("dashboard", tenant_id=tenant, days=31)["total_submissions"] == 3, "count the submissions")
        got = json.loads(self.snippet("dashboard", tenant))
        own = self.api("dashboard", tenant_id=tenant, days=31)
        for figure in ("total_submissions", "form_statistics", "period"):
            self.assertEqual(own[figure], got[figure])
        self.assertEqual({day: one["submission_count"] for day, one in own["daily_breakdown"].items()}, got["daily_breakdown"])

    def test_a_submission_packed_as_in_the_document(self):
        tenant, submission = tag("t-"), tag("sub_")
        self.api("createTenant", tenant_id=tenant)
        self.snippet("submit_packed", tenant, submission)
        found = self.api.item("submission", tenant_id=tenant, submission_id=submission)
        self.assertEqual((True, "gzip", "PENDING"), tuple(found[key] for key in ("compressed", "compression_algorithm", "status")))
        self.assertIn("data", found, "the document's name of the payload is answered as it is")
        self.api("submit", tenant_id=tenant, form_id="other", payload={})
        harness.until(lambda: self.api("dashboard", tenant_id=tenant, days=2)["form_statistics"] == {"contact": 1, "other": 1},
                      "count both submissions")
        destination = self.api.item("createDestination", tenant_id=tenant, destination_type="crm")["destination_id"]
        self.assertEqual(1, self.api("recordDelivery", tenant_id=tenant, submission_id=submission, destination_id=destination,
                                     status="success")["attempt_num"])
        self.assertEqual("DELIVERED", self.api.item("submission", tenant_id=tenant, submission_id=submission)["status"])
        running = designs()
        harness.run_program("design", "verify", "form-bridge", "--repair", "--on", running.items_url, "--keys", running.ring,
                            "--blobs", running.blobs, env=running.environment, cwd=harness.REPOSITORY)
        listed = self.api.all("submissionsByStatus", tenant_id=tenant, status="DELIVERED")
        self.assertEqual([submission], [one["submission_id"] for one in listed], "the repaired index keys")


if __name__ == "__main__":
    harness.run_file()
