#!/usr/bin/python3
"""Observability: /metrics in Prometheus's format, and structured logs."""

import json
import re
import sys
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from harness import DynamoError, Folder, Server, Wire, schema

SAMPLE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$')


def scrape(url):
    """{(name, labels): value}. Every line must be well formed, and every sample's family must be declared before it."""
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
                     "trestle_store_pending_compaction_bytes", "trestle_store_running_compactions",
                     "trestle_store_compaction_written_bytes_total", "trestle_store_cache_hits_total",
                     "trestle_store_sync_waiters", "trestle_streams", "trestle_connections_refused_total"):
            self.assertGreaterEqual(samples[name, ()], 0, name)

    def test_consumed_units_are_counted_by_table_and_index_and_end_with_the_table(self):
        table = schema("pk:S")
        table["AttributeDefinitions"].append({"AttributeName": "city", "AttributeType": "S"})
        self.wire.call("CreateTable", TableName="metered", **table, GlobalSecondaryIndexes=[
            {"IndexName": "by-city", "KeySchema": [{"AttributeName": "city", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "ALL"}}])
        name = "trestle_consumed_units_total"
        of = lambda samples, **kind: samples.get((name, labels(table="metered", **kind)), 0)
        self.assertFalse([key for sample, key in scrape(self.server.endpoint) if sample == name and ("table", "metered") in key])
        item = {"pk": {"S": "a"}, "city": {"S": "Bern"}, "text": {"S": "x" * 3000}}
        reported = {"table": 0, "index": 0}

        def call(operation, **request):
            consumed = self.wire.call(operation, ReturnConsumedCapacity="INDEXES", **request)["ConsumedCapacity"]
            for one in consumed if isinstance(consumed, list) else [consumed]:
                reported["table"] += one.get("Table", {}).get("CapacityUnits", 0)
                reported["index"] += one.get("GlobalSecondaryIndexes", {}).get("by-city", {}).get("CapacityUnits", 0)

        key = {"pk": {"S": "a"}}
        call("PutItem", TableName="metered", Item=item)
        call("TransactWriteItems", TransactItems=[{"Update": {
            "TableName": "metered", "Key": key, "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}])
        call("BatchWriteItem", RequestItems={"metered": [{"PutRequest": {"Item": {**item, "pk": {"S": "b"}}}}]})
        written = dict(reported)
        with self.assertRaises(DynamoError):
            self.wire.call("PutItem", TableName="metered", Item=item, ConditionExpression="attribute_not_exists(pk)")
        call("GetItem", TableName="metered", Key=key)
        call("GetItem", TableName="metered", Key=key, ConsistentRead=True)
        call("TransactGetItems", TransactItems=[{"Get": {"TableName": "metered", "Key": key}}])
        call("Query", TableName="metered", IndexName="by-city", KeyConditionExpression="city = :c",
             ExpressionAttributeValues={":c": {"S": "Bern"}})
        call("Scan", TableName="metered")
        call("ExecuteStatement", Statement="SELECT * FROM metered WHERE pk = 'a'")
        samples = scrape(self.server.endpoint)
        self.assertEqual(of(samples, index="", kind="write"), written["table"] + 3, "a failed condition is charged: 3 KB")
        self.assertEqual(of(samples, index="by-city", kind="write"), written["index"])
        self.assertEqual(of(samples, index="", kind="read"), reported["table"] - written["table"])
        self.assertEqual(of(samples, index="by-city", kind="read"), reported["index"] - written["index"])
        self.assertGreater(written["index"], 0)
        cost = [value for (sample, key), value in samples.items()
                if sample == "trestle_request_cost_total" and ("table", "metered") in key]
        self.assertEqual(len(cost), 2)
        self.assertGreater(min(cost), 0)
        self.wire.call("DeleteTable", TableName="metered")
        self.assertFalse([key for _, key in scrape(self.server.endpoint) if ("table", "metered") in key])

    def test_partiql_has_its_table(self):
        count = lambda samples, operation, table: samples.get(
            ("trestle_request_duration_seconds_count", labels(operation=operation, table=table)), 0)
        before = scrape(self.server.endpoint)
        self.wire.call("ExecuteStatement", Statement="SELECT * FROM \"music\" WHERE pk = 'a'")
        self.wire.call("ExecuteStatement", Statement="INSERT INTO music VALUE {'pk': 'partiql'}")
        self.wire.call("BatchExecuteStatement", Statements=[{"Statement": "SELECT * FROM music WHERE pk = 'a'"},
                                                            {"Statement": "SELECT * FROM music WHERE pk = 'b'"}])
        self.wire.call("ExecuteTransaction", TransactStatements=[
            {"Statement": "SELECT * FROM music WHERE pk = 'a'"}])
        self.wire.call("BatchExecuteStatement", Statements=[{"Statement": "SELECT * FROM invented WHERE pk = 'a'"}])
        self.wire.call("DeleteItem", TableName="music", Key={"pk": {"S": "partiql"}})
        after = scrape(self.server.endpoint)
        for operation, times in (("ExecuteStatement", 2), ("BatchExecuteStatement", 1), ("ExecuteTransaction", 1)):
            self.assertEqual(count(after, operation, "music") - count(before, operation, "music"), times, operation)
        self.assertFalse([key for _, key in after if ("table", "invented") in key])

    def test_requests_on_one_table_by_other_ways_have_it_too(self):
        self.wire.call("CreateTable", TableName="ways", **schema("pk:S"),
                       StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        put = {"PutRequest": {"Item": {"pk": {"S": "a"}}}}
        key = {"TableName": "ways", "Key": {"pk": {"S": "a"}}}
        self.wire.call("BatchWriteItem", RequestItems={"ways": [put]})
        self.wire.call("BatchGetItem", RequestItems={"ways": {"Keys": [key["Key"]]}})
        self.wire.call("BatchGetItem", RequestItems={"ways": {"Keys": [key["Key"]]}, "music": {"Keys": [key["Key"]]}})
        self.wire.call("TransactWriteItems", TransactItems=[{"Delete": key}])
        self.wire.call("TransactGetItems", TransactItems=[{"Get": key}])
        arn = self.wire.call("DescribeTable", TableName="ways")["Table"]["LatestStreamArn"]
        shard = self.wire.call("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = self.wire.call("GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST")
        self.wire.call("GetRecords", ShardIterator=iterator["ShardIterator"])
        samples = scrape(self.server.endpoint)
        name = "trestle_request_duration_seconds_count"
        for operation in ("BatchWriteItem", "BatchGetItem", "TransactWriteItems", "TransactGetItems", "DescribeStream",
                          "GetShardIterator", "GetRecords"):
            self.assertEqual(samples[name, labels(operation=operation, table="ways")], 1, operation)
        self.assertEqual(samples[name, labels(operation="BatchGetItem", table="")], 1, "several tables have no label")

    def test_a_stream_s_figures(self):
        self.wire.call("CreateTable", TableName="streamed", **schema("pk:S"),
                       StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        for i in range(20):
            self.wire.call("PutItem", TableName="streamed", Item={"pk": {"S": str(i)}})
        of = labels(table="streamed")
        samples = scrape(self.server.endpoint)
        self.assertEqual(samples["trestle_stream_records_written_total", of], 20)
        self.assertEqual(samples["trestle_stream_records", of], 20)
        self.assertEqual(samples["trestle_stream_records_trimmed_total", of], 0)
        self.assertTrue(0 <= samples["trestle_stream_oldest_record_age_seconds", of] < 60)
        self.assertNotIn(("trestle_stream_iterator_age_seconds", of), samples, "nobody has read")
        arn = self.wire.call("DescribeTable", TableName="streamed")["Table"]["LatestStreamArn"]
        shards = self.wire.call("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
        for shard in shards:
            iterator = self.wire.call("GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"],
                                      ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            self.wire.call("GetRecords", ShardIterator=iterator)
        samples = scrape(self.server.endpoint)
        self.assertEqual(samples["trestle_stream_reads_total", of], len(shards))
        self.assertEqual(samples["trestle_stream_records_read_total", of], 20)
        self.assertEqual(samples["trestle_stream_iterator_age_seconds", of], 0)

    def test_throttling_is_reported_by_table_and_index(self):
        self.wire.call("CreateTable", TableName="narrow", **schema("pk:S", "g:S", billing="PROVISIONED"),
                       GlobalSecondaryIndexes=[{**harness.index("by-g", "g"), "ProvisionedThroughput":
                                                {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}])
        item = {"pk": {"S": "a"}, "g": {"S": "g"}, "text": {"S": "x" * 300_000}}
        self.wire.call("PutItem", TableName="narrow", Item=item)
        for _ in range(5):
            with self.assertRaises(DynamoError):
                while True:
                    self.wire.call("UpdateItem", TableName="narrow", Key={"pk": {"S": "a"}}, UpdateExpression="ADD n :n",
                                   ExpressionAttributeValues={":n": {"N": "1"}})
        samples = scrape(self.server.endpoint)
        by = lambda index, kind: samples.get(
            ("trestle_throttled_by_total", labels(table="narrow", index=index, kind=kind)), 0)
        self.assertEqual(by("by-g", "write"), 5)
        self.assertEqual(by("", "write"), 0)
        self.assertEqual(by("by-g", "read"), 0)
        self.assertGreaterEqual(samples["trestle_throttled_requests_total", ()], 5)

    def test_time_to_live_s_backlog(self):
        with Server("--memory-store", "--ttl-sweep-ms", "3600000") as server:
            wire = Wire(server.endpoint)
            wire.call("CreateTable", TableName="expiring", **schema("pk:S"))
            wire.call("UpdateTimeToLive", TableName="expiring",
                      TimeToLiveSpecification={"AttributeName": "until", "Enabled": True})
            of = labels(table="expiring")
            self.assertNotIn(("trestle_ttl_next_due_seconds", of), scrape(server.endpoint))
            now = int(time.time())
            wire.call("PutItem", TableName="expiring", Item={"pk": {"S": "later"}, "until": {"N": str(now + 1000)}})
            samples = scrape(server.endpoint)
            self.assertEqual(samples["trestle_ttl_due_items", of], 0)
            self.assertTrue(900 < samples["trestle_ttl_next_due_seconds", of] <= 1000)
            for i in range(7):
                wire.call("PutItem", TableName="expiring", Item={"pk": {"S": str(i)}, "until": {"N": str(now - 50 - i)}})
            samples = scrape(server.endpoint)
            self.assertEqual(samples["trestle_ttl_due_items", of], 7)
            self.assertTrue(-156 < samples["trestle_ttl_next_due_seconds", of] <= -56)

    def test_syncs_and_the_cache(self):
        before = scrape(self.server.endpoint)
        self.wire.call("PutItem", TableName="music", Item={"pk": {"S": "synced"}})
        self.wire.call("DeleteItem", TableName="music", Key={"pk": {"S": "synced"}})
        after = scrape(self.server.endpoint)
        self.assertGreaterEqual(after["trestle_store_syncs_total", ()] - before["trestle_store_syncs_total", ()], 2)
        self.assertGreater(after["trestle_store_sync_seconds_total", ()], 0)
        with Server() as server:        # more items than fit in a memtable: some are in files
            wire = Wire(server.endpoint)
            wire.call("CreateTable", TableName="cached", **schema("pk:S"))
            for start in range(0, 20000, 25):
                wire.call("BatchWriteItem", RequestItems={"cached": [
                    {"PutRequest": {"Item": {"pk": {"S": str(n)}, "text": {"S": "x" * 2500}}}}
                    for n in range(start, start + 25)]})
            samples = harness.until(lambda: (samples := scrape(server.endpoint))[
                "trestle_store_flush_written_bytes_total", ()] > 0 and samples, "the first flush")
            for _ in range(2):
                for n in range(0, 20000, 40):
                    wire.call("GetItem", TableName="cached", Key={"pk": {"S": str(n)}})
            after = scrape(server.endpoint)
            self.assertGreater(after["trestle_store_cache_hits_total", ()], samples["trestle_store_cache_hits_total", ()])
            self.assertGreater(after["trestle_store_cache_misses_total", ()], 0)
            self.assertGreater(after["trestle_store_memtable_bytes", ()], 0)

    def test_the_page_stays_bounded(self):
        with Server("--memory-store") as server:
            wire = Wire(server.endpoint)
            for n in range(230):
                wire.call("CreateTable", TableName=f"table-{n:03}", **schema("pk:S"),
                          StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
            samples = scrape(server.endpoint)
            shown = lambda name: sum(1 for sample, _ in samples if sample == name)
            self.assertEqual(samples["trestle_tables", ()], 230)
            self.assertEqual(shown("trestle_table_items"), 200)
            self.assertEqual(shown("trestle_stream_records"), 100)

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
