#!/usr/bin/python3
"""The effect of a design's settings on the server and on exports: tables and their names, a development key, alerts;
and the router to which form-bridge posts its submissions."""

import http.client
import json
import os
import re
import stat
from pathlib import Path

from background_test import BackgroundCase
from firewall import Firewall
from served import DESIGNS, harness, tag

DESIGN = """
design: settings
tables:
  plain: {key: [PK]}
  special:
    key: [PK]
    billing: on-demand
    recovery: true
    deletion_protection: true
    encryption: kms
    class: infrequent-access
    tags: {team: a, cost: "5"}
entities:
  One: {table: plain, key: "ONE#{id}", fields: {id: ulid auto, at: time auto}}
  Two: {table: special, key: "TWO#{id}", fields: {id: ulid auto, at: time auto}}
reads:
  one: {get: One}
  two: {get: Two}
writes:
  makeOne: {put: One, if: absent, peak: 1/s}
  makeTwo: {put: Two, if: absent, peak: 1/s}
alerts:
  much: {says: "no more than 7", table: special, writes: 7/s}
  dear: {cost: 12.5}
"""


class Tables(BackgroundCase):
    def design(self, folder):
        file = folder / "settings.yaml"
        file.write_text(DESIGN)
        return file

    def settings(self, wire, name):
        """What a table has of all that can be declared. Not by boto3: Debian's version is older than deletion protection."""
        table = wire.call("DescribeTable", TableName=name)["Table"]
        recovery = wire.call("DescribeContinuousBackups", TableName=name)["ContinuousBackupsDescription"]
        return {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled":
                    recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"},
                "DeletionProtectionEnabled": table["DeletionProtectionEnabled"],
                "SSESpecification": table.get("SSEDescription", {}).get("SSEType"),
                "TableClass": table.get("TableClassSummary", {}).get("TableClass"),
                "Tags": sorted((t["Key"], t["Value"]) for t in wire.call(
                    "ListTagsOfResource", ResourceArn=table["TableArn"])["Tags"])}

    def test_served_and_exported_tables_have_the_same_settings(self):
        with harness.Folder() as folder:
            server = harness.Server("--design", self.design(folder), "--memory-store")
            wire = harness.Wire(server.endpoint)
            exported = json.loads(self.command("export", self.design(folder), "--to", "cloudformation"))
            for name in ("plain", "special"):
                requested = self.settings(wire, name)
                says = next(r["Properties"] for r in exported["Resources"].values() if r["Properties"].get("TableName") == {
                    "Ref": name.capitalize() + "TableName"})
                self.assertEqual(requested["PointInTimeRecoverySpecification"], says["PointInTimeRecoverySpecification"])
                self.assertEqual(requested["DeletionProtectionEnabled"], says["DeletionProtectionEnabled"])
                self.assertEqual(requested["SSESpecification"], says.get("SSESpecification", {}).get("SSEType"))
                self.assertEqual(requested["TableClass"], says.get("TableClass"))
                self.assertEqual(requested["Tags"], sorted((t["Key"], t["Value"]) for t in says.get("Tags", [])))
            self.assertEqual("special", exported["Parameters"]["SpecialTableName"]["Default"])
            terraform = self.command("export", self.design(folder), "--to", "terraform")
            for words in ("var.special_name", "table_class", "server_side_encryption", "deletion_protection_enabled = true",
                          'variable "plain_name"'):
                self.assertIn(words, terraform)
            own = self.command("export", DESIGNS / "site-catalog.yaml", "--to", "terraform")
            self.assertIn('variable "dynamoTableName"', own)
            self.assertIn("= var.dynamoTableName\n", own)
            own = json.loads(self.command("export", DESIGNS / "site-catalog.yaml", "--to", "cloudformation"))
            self.assertEqual("fus-main", own["Parameters"]["dynamoTableName"]["Default"])
            self.assertIn({"Ref": "dynamoTableName"}, [r["Properties"].get("TableName") for r in own["Resources"].values()])
            server.close()

    def test_a_table_has_another_name(self):
        with harness.Folder() as folder:
            name = tag("renamed-")
            running = self.serve("--table", f"settings/plain={name}", designs=self.design(folder))
            api, client = running.api("settings"), harness.client(running.items_url)
            item_id = api.item("makeOne")["id"]
            self.assertEqual(item_id, api.item("one", id=item_id)["id"])
            self.assertIn("Item", client.get_item(TableName=name, Key={"PK": {"S": "ONE#" + item_id}}))
            on = ["--on", running.items_url, "--keys", running.ring, "--blobs", running.blobs]
            self.assertIn("0 faults", self.command("verify", self.design(folder), "--table", f"settings/plain={name}", *on,
                                                   env=running.environment))
            for flag in ("settings/none=x", "nobody/plain=x", "plain=x", "settings/plain=special"):
                done = harness.run_program("serve", "--memory-store", "--port", "0", "--design", self.design(folder), "--table", flag)
                self.assertEqual(1, done.returncode, done.stdout)
                self.assertIn("--table " + flag, done.stdout)
            harness.Wire(running.items_url).call("UpdateTable", TableName="special", DeletionProtectionEnabled=False)

    def test_alerts(self):
        with harness.Folder() as folder:
            rules = self.command("export", self.design(folder), "--to", "alerts")
            self.assertIn('trestle_design_consumed_units_total{design=\\"settings\\",table=\\"special\\",kind=\\"write\\"}[5m])) > 7', rules)
            self.assertIn("> 12.5", rules)
            self.assertIn("no more than 7", rules)
            alarms = [r["Properties"] for r in json.loads(self.command("export", self.design(folder), "--to", "cloudformation"))[
                "Resources"].values() if r["Type"] == "AWS::CloudWatch::Alarm"]
            self.assertEqual({("ConsumedWriteCapacityUnits", 2100), ("EstimatedCharges", 12.5)},
                             {(a["MetricName"], a["Threshold"]) for a in alarms})
        rules = self.command("export", DESIGNS / "form-bridge.yaml", "--to", "alerts")
        self.assertEqual(["10", "15", "20"], re.findall(r"2592000 > (\d+)", rules))


class DevelopmentKey(BackgroundCase):
    """On a loopback address without configured keys, tokens are issued with a key in the data folder."""

    def call(self, port, path, token=None, **inputs):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=harness.WAIT_SECONDS_MAX)
        headers = {"Content-Type": "application/json", **({"Authorization": "Bearer " + token} if token else {})}
        connection.request("POST", "/designs/" + path, json.dumps(inputs), headers)
        reply = connection.getresponse()
        body = json.loads(reply.read())
        connection.close()
        return reply.status, body

    def test_a_token_signs_in(self):
        server = harness.Server("--design", DESIGNS)
        self.assertIn("trestle design token --sub alice --groups admin", server.log())
        key = server.data / "development-key.json"
        self.assertEqual(0o600, stat.S_IMODE(key.stat().st_mode))
        site = {"url": "https://example.com/", "title": "T"}
        self.assertEqual(401, self.call(server.port, "site-catalog/createSite", **site)[0])

        def token(*flags):
            return self.command("token", "--data", server.data, *flags).strip()

        admin = token("--sub", "alice", "--groups", "admin,editors")
        self.assertEqual(200, self.call(server.port, "site-catalog/createSite", admin, **site)[0])
        self.assertEqual(403, self.call(server.port, "site-catalog/createSite", token("--sub", "bob"), **site)[0])
        name = tag("t-")
        self.assertEqual(200, self.call(server.port, "form-bridge/createTenant", admin, tenant_id=name)[0])
        mine, other = token("--sub", "c", "--claim", "tenant_id=" + name), token("--sub", "d", "--claim", "tenant_id=x")
        self.assertEqual(200, self.call(server.port, "form-bridge/tenantConfig", mine, tenant_id=name)[0])
        self.assertEqual(403, self.call(server.port, "form-bridge/tenantConfig", other, tenant_id=name)[0])
        old = token("--sub", "alice", "--groups", "admin", "--hours", "0.0001")
        self.assertEqual(200, self.call(server.port, "site-catalog/createSite", old, **site)[0], "clocks may differ by a minute")
        with harness.Folder() as elsewhere:
            foreign = self.command("token", "--data", elsewhere, "--sub", "eve", "--groups", "admin").strip()
        self.assertEqual(401, self.call(server.port, "site-catalog/createSite", foreign, **site)[0])
        text = key.read_text()
        server.stop()
        server.start()
        self.assertEqual(text, key.read_text(), "the key stays")
        self.assertEqual(200, self.call(server.port, "site-catalog/createSite", admin, **site)[0])
        server.close()
        self.assertIn("--claim", self.command("token", "--data", server.data, "--sub", "x", "--claim", "no", status=1))

    def test_a_server_in_memory_has_a_key_while_it_runs(self):
        with harness.Folder() as folder:
            server = harness.Server("--memory-store", "--design", DESIGNS / "site-catalog.yaml", env={**os.environ, "TMPDIR": str(folder)})
            line = re.search(r"trestle design (token .*)", server.log()).group(1).split()
            key = Path(line[-1]) / "development-key.json"
            self.assertEqual([0o700, 0o600], [stat.S_IMODE(path.stat().st_mode) for path in (key.parent, key)])
            site = {"url": "https://example.com/", "title": "T"}
            self.assertEqual(401, self.call(server.port, "site-catalog/createSite", **site)[0])
            self.assertEqual(200, self.call(server.port, "site-catalog/createSite", self.command(*line).strip(), **site)[0])
            server.stop()
            self.assertEqual([], list(Path(folder).iterdir()), "the key goes with the data")
            server.close()

    def test_no_key_where_callers_are_configured(self):
        running = self.serve(memory=False)
        self.assertFalse((running.server.data / "development-key.json").exists())


class Router(BackgroundCase):
    """Each submission is posted as a CloudEvent with the destinations that accept its form; the outcomes become deliveries."""

    def test_delivered_by_the_router(self):
        router = Firewall()
        router.answer = lambda body: (200, {"outcomes": [
            {"destination_id": one["destination_id"], "status": "success" if one["destination_type"] == "good" else "failed",
             "response": {"by": "router"}} for one in body["data"]["destinations"]] + [{"destination_id": "invented", "status": "success"}]})
        running = self.serve("--endpoint", f"router={router.url}", "--reaction-backoff-ms", "4")
        api, tenant = running.api("form-bridge"), tag("t-")
        api("createTenant", tenant_id=tenant)
        good, bad, other = (api.item("createDestination", tenant_id=tenant, destination_type=kind, **more)["destination_id"]
                            for kind, more in (("good", {}), ("bad", {"forms": ["a"]}), ("good", {"forms": ["b"]})))
        first = api("submit", tenant_id=tenant, form_id="a", payload={"x": 1})["submission_id"]
        second = api("submit", tenant_id=tenant, form_id="c", payload={"x": 1})["submission_id"]

        def attempts(submission):
            return sorted((a["destination_id"], a["attempt_num"], a["status"])
                          for a in api.all("deliveriesOfSubmission", tenant_id=tenant, submission_id=submission))

        self.eventually(sorted([(good, 1, "success"), (bad, 1, "failed")]), lambda: attempts(first))
        self.eventually([(good, 1, "success")], lambda: attempts(second))
        self.assertEqual("DELIVERED", api.item("submission", tenant_id=tenant, submission_id=first)["status"])
        events = {body["data"]["submission_id"]: (key, body) for _, key, body in router.calls if body["data"]["tenant_id"] == tenant}
        key, event = events[first]
        self.assertEqual(("1.0", key, "application/json", "/designs/form-bridge", "form-bridge.Submission.insert"),
                         tuple(event[name] for name in ("specversion", "id", "datacontenttype", "source", "type")))
        self.assertEqual({"tenant_id": tenant, "form_id": "a", "submission_id": first}, {
            name: event["data"][name] for name in ("tenant_id", "form_id", "submission_id")})
        self.assertEqual(sorted([(good, "good"), (bad, "bad")]), sorted(
            (d["destination_id"], d["destination_type"]) for d in event["data"]["destinations"]))
        self.assertEqual({"application/cloudevents+json"}, router.types)
        self.assertNotIn(other, str(event))
        on = ["--on", running.items_url, "--keys", running.ring, "--blobs", running.blobs]
        self.assertIn("0 faults", self.command("verify", "form-bridge", *on, env=running.environment))


if __name__ == "__main__":
    harness.run_file()
