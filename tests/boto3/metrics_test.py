#!/usr/bin/python3
"""Insight: /metrics in Prometheus's form, and structured logs."""

import json
import re
import sys
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from harness import DynamoError, Folder, Server, Wire, schema

SAMPLE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$')


def scrape(url):
    """{(name, labels): value}; every line must be well formed, and every sample's family declared before it."""
    with urllib.request.urlopen(url + "/metrics") as reply:
        content_type, text = reply.headers["Content-Type"], reply.read().decode()
    assert content_type == "text/plain; version=0.0.4; charset=utf-8", content_type
    samples, families = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in families, f"{name} is declared twice"
            families[name] = kind
        elif not line.startswith("# HELP "):
            found = SAMPLE.match(line)
            assert found, line
            name, labels, value = found.groups()
            assert name in families or re.sub("_(bucket|sum|count)$", "", name) in families, name
            labels = tuple(sorted(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', labels or "")))
            assert (name, labels) not in samples, line
            samples[name, labels] = float(value)
    return samples


def labels(**values):
    return tuple(sorted(values.items()))


class MetricsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.wire = Wire(cls.server.endpoint)
        cls.wire.call("CreateTable", TableName="music", **schema("pk:S"))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_requests_are_counted_with_their_latency(self):
        before = scrape(self.server.endpoint)
        for i in range(5):
            self.wire.call("PutItem", TableName="music", Item={"pk": {"S": str(i)}})
        after = scrape(self.server.endpoint)
        of = labels(operation="PutItem", table="music")
        name = "trestle_request_duration_seconds"
        self.assertEqual(after[name + "_count", of] - before.get((name + "_count", of), 0), 5)
        self.assertGreater(after[name + "_sum", of], 0)
        self.assertLess(after[name + "_sum", of], 60)
        buckets = sorted((float(dict(key)["le"]), value) for (sample, key), value in after.items()
                         if sample == name + "_bucket" and dict(key)["operation"] == "PutItem"
                         and dict(key)["table"] == "music")
        self.assertEqual(buckets[-1], (float("inf"), after[name + "_count", of]))
        self.assertEqual([value for _, value in buckets], sorted(value for _, value in buckets))
        self.assertGreater(after["trestle_request_bytes_total", of], 0)
        self.assertEqual(after["trestle_table_items", labels(table="music")], 5)

    def test_errors_are_counted_by_type_and_unknown_tables_are_no_labels(self):
        with self.assertRaises(DynamoError):
            self.wire.call("GetItem", TableName="nowhere", Key={"pk": {"S": "a"}})
        with self.assertRaises(DynamoError):
            self.wire.call("NoSuchOperation")
        samples = scrape(self.server.endpoint)
        name = "trestle_request_errors_total"
        self.assertEqual(samples[name, labels(operation="GetItem", type="ResourceNotFoundException")], 1)
        self.assertEqual(samples[name, labels(operation="Unknown", type="UnknownOperationException")], 1)
        self.assertFalse([key for _, key in samples if ("table", "nowhere") in key])

    def test_the_server_s_own_figures_are_there(self):
        samples = scrape(self.server.endpoint)
        for name in ("trestle_connections_open", "trestle_connections_accepted_total", "trestle_http_requests_total",
                     "trestle_store_cache_bytes", "trestle_tables"):
            self.assertGreater(samples[name, ()], 0, name)
        for name in ("trestle_commits_not_durable", "trestle_background_jobs", "trestle_ttl_deleted_items_total",
                     "trestle_ttl_lag_seconds", "trestle_throttled_requests_total",
                     "trestle_store_pending_compaction_bytes", "trestle_connections_refused_total"):
            self.assertGreaterEqual(samples[name, ()], 0, name)

    def test_other_paths_still_say_healthy(self):
        with urllib.request.urlopen(self.server.endpoint + "/") as reply:
            self.assertIn(b"healthy", reply.read())

    def test_where_others_can_reach_it_it_must_be_asked_for(self):
        with Folder() as folder:
            keys = folder / "keys"
            keys.write_text("[default]\naws_access_key_id = AKID\naws_secret_access_key = secret\n")
            with Server("--memory-store", "--bind", "0.0.0.0", "--credentials", keys) as server:
                with urllib.request.urlopen(server.endpoint + "/metrics") as reply:
                    self.assertIn(b"healthy", reply.read())
            with Server("--memory-store", "--bind", "0.0.0.0", "--credentials", keys, "--metrics") as server:
                self.assertIn(("trestle_tables", ()), scrape(server.endpoint))


class LogTest(unittest.TestCase):
    def lines(self, server):
        server.stop()
        return [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]

    def exchange(self, server):
        wire = Wire(server.endpoint)
        wire.call("CreateTable", TableName="music", **schema("pk:S"))
        status, head, _ = wire.post("PutItem", json.dumps({"TableName": "music", "Item": {"pk": {"S": "secret"}}}).encode())
        self.assertEqual(status, 200)
        with self.assertRaises(DynamoError):
            wire.call("GetItem", TableName="music", Key={"wrong": {"S": "a"}})
        return re.search(rb"x-amzn-RequestId: (\w+)", head, re.IGNORECASE).group(1).decode()

    def test_all_has_a_line_for_every_request(self):
        with Server("--memory-store", "--log", "all") as server:
            request_id = self.exchange(server)
            lines = self.lines(server)
        self.assertEqual([line["operation"] for line in lines], ["CreateTable", "PutItem", "GetItem"])
        put, get = lines[1:]
        self.assertEqual(put["request_id"], request_id)
        self.assertEqual((put["table"], put["status"], put["error"], put["caller"]),
                         ("music", 200, "", harness.ACCESS_KEY))
        self.assertRegex(put["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertRegex(put["peer"], r"^127\.0\.0\.1:\d+$")
        self.assertGreater(put["latency_us"], 0)
        self.assertGreater(put["request_bytes"], 0)
        self.assertEqual((get["status"], get["error"]), (400, "ValidationException"))
        self.assertNotIn("secret", json.dumps(lines))

    def test_by_default_only_the_server_s_own_failures_are_logged(self):
        with Server("--memory-store") as server:
            self.exchange(server)
            self.assertEqual(self.lines(server), [])


if __name__ == "__main__":
    harness.run()
