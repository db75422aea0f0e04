#!/usr/bin/python3
"""Time to live: expired items are deleted with their index entries; others are kept; a restart changes nothing."""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from harness import Server, client, key_schema, schema, unique, until

SWEEP_MS = 100


class TimeToLiveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--ttl-sweep-ms", SWEEP_MS)
        cls.db = client(cls.server.endpoint)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def table(self, ttl=True):
        name = unique("ttl")
        self.db.create_table(TableName=name, **schema("pk:S", "g:S"), GlobalSecondaryIndexes=[{
            "IndexName": "by-g", "KeySchema": key_schema("g"), "Projection": {"ProjectionType": "ALL"}}])
        if ttl:
            self.enable(name)
        return name

    def enable(self, name, enabled=True, attribute="ttl"):
        self.db.update_time_to_live(TableName=name, TimeToLiveSpecification={
            "Enabled": enabled, "AttributeName": attribute})

    def status(self, name):
        return self.db.describe_time_to_live(TableName=name)["TimeToLiveDescription"]

    def put(self, name, pk, ttl):
        self.db.put_item(TableName=name, Item={"pk": {"S": pk}, "g": {"S": "g"}, "ttl": ttl})

    def keys(self, name, **index):
        return sorted(item["pk"]["S"] for item in self.db.scan(TableName=name, **index)["Items"])

    def test_expired_items_go_with_their_index_entries(self):
        name = self.table()
        now = int(time.time())
        self.put(name, "live", {"N": str(now + 3600)})
        self.put(name, "text", {"S": str(now - 10)})
        self.put(name, "ancient", {"N": str(now - 6 * 365 * 24 * 3600)})
        self.put(name, "old", {"N": str(now - 10)})
        until(lambda: "old" not in self.keys(name), "the expiry")
        self.assertEqual(self.keys(name), ["ancient", "live", "text"])
        self.assertEqual(self.keys(name, IndexName="by-g"), ["ancient", "live", "text"])
        self.assertEqual(self.db.describe_table(TableName=name)["Table"]["ItemCount"], 3)

    def test_an_item_stays_until_its_time_and_goes_after_it(self):
        name = self.table()
        at = int(time.time()) + 2
        self.put(name, "a", {"N": str(at)})
        seen_last = None
        while self.keys(name):
            seen_last = time.time()
            self.assertLess(seen_last, at + harness.WAIT_SECONDS_MAX, "it was never deleted")
            time.sleep(0.02)
        self.assertGreaterEqual(time.time(), at)

    def test_a_changed_value_saves_an_item(self):
        name = self.table()
        at = int(time.time()) + 2
        for pk in ("extended", "removed", "left"):
            self.put(name, pk, {"N": str(at)})
        self.db.update_item(TableName=name, Key={"pk": {"S": "extended"}}, UpdateExpression="SET #t = :t",
                            ExpressionAttributeNames={"#t": "ttl"}, ExpressionAttributeValues={":t": {"N": str(at + 3600)}})
        self.db.update_item(TableName=name, Key={"pk": {"S": "removed"}}, UpdateExpression="REMOVE #t",
                            ExpressionAttributeNames={"#t": "ttl"})
        until(lambda: "left" not in self.keys(name), "the expiry of the item that was left")
        self.assertEqual(self.keys(name), ["extended", "removed"])

    def test_enabling_it_finds_items_that_are_there(self):
        name = self.table(ttl=False)
        now = int(time.time())
        for first in range(0, 1000, 25):
            self.db.batch_write_item(RequestItems={name: [{"PutRequest": {"Item": {
                "pk": {"S": f"{i:04}"}, "g": {"S": "g"}, "ttl": {"N": str(now - 10 if i % 2 else now + 3600)}}}}
                for i in range(first, first + 25)]})
        self.assertEqual(self.status(name), {"TimeToLiveStatus": "DISABLED"})
        self.enable(name)
        until(lambda: self.status(name) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}, "ENABLED")
        until(lambda: len(self.keys(name)) == 500, "the expiry of half the items")
        self.assertTrue(all(int(key) % 2 == 0 for key in self.keys(name)))

    def test_disabling_it_saves_everything(self):
        while True:         # until it is disabled before the item expires
            name = self.table()
            at = int(time.time()) + 2
            self.put(name, "a", {"N": str(at)})
            self.enable(name, enabled=False)
            if time.time() < at:
                break
        other = self.table()  # proves that sweeps continue
        self.put(other, "b", {"N": str(at)})
        until(lambda: not self.keys(other), "the other table's expiry")
        self.assertEqual(self.keys(name), ["a"])
        self.enable(name, attribute="another")
        self.assertEqual(self.status(name)["AttributeName"], "another")

    def test_deleted_within_seconds_by_default(self):
        with Server() as server:
            self.assertIn("2000", harness.run_program("serve", "--help").stdout.split("--ttl-sweep-ms", 1)[1][:200])
            db = client(server.endpoint)
            name = unique("default")
            db.create_table(TableName=name, **schema("pk:S"))
            db.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
            db.put_item(TableName=name, Item={"pk": {"S": "a"}, "t": {"N": str(int(time.time()) - 1)}})
            until(lambda: db.scan(TableName=name)["Count"] == 0, "the expiry at the default interval")


class RestartTest(unittest.TestCase):
    def test_what_expires_while_it_is_down_goes_after_the_start(self):
        for end in ("stop", "kill"):
            with self.subTest(end), Server("--ttl-sweep-ms", SWEEP_MS) as server:
                db = client(server.endpoint)
                name = unique("restart")
                db.create_table(TableName=name, **schema("pk:S"))
                db.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
                at = int(time.time()) + 2
                db.put_item(TableName=name, Item={"pk": {"S": "short"}, "t": {"N": str(at)}})
                db.put_item(TableName=name, Item={"pk": {"S": "long"}, "t": {"N": str(at + 3600)}})
                getattr(server, end)()
                server.start()
                db = client(server.endpoint)
                until(lambda: db.describe_time_to_live(TableName=name)["TimeToLiveDescription"] == {
                    "TimeToLiveStatus": "ENABLED", "AttributeName": "t"}, "ENABLED")
                until(lambda: db.scan(TableName=name)["Count"] == 1, "the expiry after the restart")
                self.assertEqual(db.scan(TableName=name)["Items"][0]["pk"]["S"], "long")

    def test_a_fill_that_a_crash_interrupts_is_finished(self):
        with Server("--ttl-sweep-ms", SWEEP_MS) as server:
            db = client(server.endpoint)
            name = unique("fill")
            db.create_table(TableName=name, **schema("pk:S"))
            past = str(int(time.time()) - 10)
            for first in range(0, 5000, 25):
                db.batch_write_item(RequestItems={name: [
                    {"PutRequest": {"Item": {"pk": {"S": str(i)}, "t": {"N": past}}}} for i in range(first, first + 25)]})
            db.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
            server.kill()
            server.start()
            db = client(server.endpoint)
            until(lambda: db.scan(TableName=name, Limit=1)["Count"] == 0, "the expiry of all items")


if __name__ == "__main__":
    harness.run()
