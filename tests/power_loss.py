#!/usr/bin/python3
"""Durability: power loss loses nothing that was acknowledged, and a failed sync acknowledges nothing.

    tests/power_loss.py [--rounds N] [--seed N]

kill -9 alone proves little, because the kernel keeps data that was written but not synced. Here sync_shim.c records
how much of each file was synced, and after the kill every file is truncated to that length, as if the machine had
lost power at the worst moment. Then everything that crash.py checks must hold.
"""

import argparse
import os
import random
import subprocess
import time
import unittest

import crash
import harness

SETTINGS = argparse.Namespace(rounds=5, seed=int(time.time()))


def build_shim(folder):
    """Compiles sync_shim.c and returns the path of the library."""
    source, library = harness.REPOSITORY / "tests" / "sync_shim.c", folder / "sync_shim.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library),
                    str(source), "-ldl"], check=True)
    return library


class Shimmed(unittest.TestCase):

    def setUp(self):
        self.folder = harness.Folder()
        self.addCleanup(self.folder.remove)
        self.journal, self.fails = self.folder.path / "journal", self.folder.path / "fails"
        environment = {**os.environ, "LD_PRELOAD": str(build_shim(self.folder.path)),
                       "SYNC_JOURNAL": str(self.journal), "SYNC_FAILS": str(self.fails)}
        self.server = harness.Server(env=environment)
        self.addCleanup(self.server.close)
        self.wire = harness.Wire(self.server.endpoint)

    def lose_power(self):
        """Stops the server and truncates every file of its data to what was synced; returns the number of bytes lost."""
        self.server.kill()
        by_path, by_inode = {}, {}
        for line in self.journal.read_text().splitlines():
            size, inode, path = line.split(" ", 2)
            by_path[path] = by_inode[int(inode)] = int(size)
        lost = 0
        for path in self.server.data.rglob("*"):
            if not path.is_file() or path.name == "LOCK":
                continue
            size, inode = path.stat().st_size, path.stat().st_ino
            # A file that was synced and then renamed is only known by its inode.
            synced_bytes = min(by_path.get(str(path), by_inode.get(inode, 0)), size)
            lost += size - synced_bytes
            os.truncate(path, synced_bytes)
        return lost

    def reopen(self):
        self.server.start()
        self.wire = harness.Wire(self.server.endpoint)


class PowerLoss(Shimmed, crash.Crash):
    """The tests of crash.py, with a power loss for each kill."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(SETTINGS.seed)

    test_acknowledged_writes_survive_a_stop_under_load = None
    test_index_backfill_goes_on_after_kill = None
    test_index_backfill_under_load_goes_on_after_kill = None
    test_deleted_table_stays_deleted_after_kill = None
    test_acknowledged_writes_survive_kill = None

    def test_acknowledged_writes_survive_power_loss(self):
        crash.create_table(self.wire)
        ledger, answered, lost = crash.Ledger(), 0, 0
        for _ in range(SETTINGS.rounds):
            answered += self.load(ledger, self.random.uniform(0.1, 0.6), self.server.kill)
            lost += self.lose_power()
            self.reopen()
            self.check(ledger)
        print(f"{SETTINGS.rounds} power losses took {lost} bytes, {answered} writes answered", end=" ", flush=True)
        self.assertGreater(answered, SETTINGS.rounds * crash.WORKERS, "the load was no load")

    def test_tables_survive_power_loss(self):
        harness.create_table(self.wire, "first", **harness.schema("pk:S"), Tags=[{"Key": "a", "Value": "b"}])
        arn = self.wire.call("DescribeTable", TableName="first")["Table"]["TableArn"]
        self.wire.call("UpdateTimeToLive", TableName="first",
                       TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
        self.lose_power()
        self.reopen()
        self.assertEqual(["first"], self.wire.call("ListTables")["TableNames"])
        self.assertEqual([{"Key": "a", "Value": "b"}], self.wire.call("ListTagsOfResource", ResourceArn=arn)["Tags"])
        found = self.wire.call("DescribeTimeToLive", TableName="first")["TimeToLiveDescription"]
        self.assertEqual("ttl", found.get("AttributeName"))


class FailedSync(Shimmed):

    def put(self, key, value):
        self.wire.call("PutItem", TableName="table", Item={"pk": {"S": key}, "v": {"S": value}})

    def get(self, key):
        return self.wire.call("GetItem", TableName="table", Key={"pk": {"S": key}}, ConsistentRead=True).get("Item")

    def test_nothing_is_acknowledged_that_was_not_synced(self):
        harness.create_table(self.wire, "table", **harness.schema("pk:S"))
        for number in range(20):
            self.put(f"k{number}", "old")
        self.fails.touch()
        for number in range(10):
            with self.assertRaises(harness.DynamoError) as refused:
                self.put(f"k{number}", "new")
            self.assertGreaterEqual(refused.exception.status, 500)
        for number in range(10):            # a value that is not durable is not returned either
            try:
                self.assertEqual("old", self.get(f"k{number}")["v"]["S"])
            except harness.DynamoError as refused:
                self.assertGreaterEqual(refused.status, 500)
        self.assertTrue(self.server.alive(), self.server.log())
        self.assertTrue(self.journal.exists(), "the shim is in place")
        self.lose_power()
        self.fails.unlink()
        self.reopen()
        for number in range(20):
            self.assertIn(self.get(f"k{number}")["v"]["S"], ("old", "new") if number < 10 else ("old",))
        self.put("after", "new")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="names of cases to run, all when none")
    parser.add_argument("--rounds", type=int, default=SETTINGS.rounds)
    parser.add_argument("--seed", type=int, default=SETTINGS.seed)
    SETTINGS = parser.parse_args()
    print(f"seed {SETTINGS.seed}")
    harness.run(names=SETTINGS.cases)
