#!/usr/bin/python3
"""`trestle copy` between two servers: live, resumed, within a rate, exact, and compared."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import harness
from dynamo_model import canonical_item
from harness import Folder, Server, Wire, create_table, every_page, index, schema

SECONDS_MAX = 120
STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


class Copy:
    """One run of `trestle copy`, in a folder of its own, with its output in a file."""

    def __init__(self, folder, source, target, *flags, environment=None):
        self.log_path = Path(folder) / f"copy-{time.monotonic_ns()}.log"
        command = [harness.binary(), "copy", "--from", getattr(source, "endpoint", source), "--to",
                   getattr(target, "endpoint", target), *map(str, flags)]
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, preexec_fn=harness.die_with_parent,
                                            env={**os.environ, **(environment or {})})

    def output(self):
        return self.log_path.read_text(errors="replace")

    def wait(self):
        """Its exit status."""
        try:
            return self.process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the copy does not end:\n{self.output()}") from None

    def wait_for(self, condition, what):
        give_up_at = time.monotonic() + SECONDS_MAX
        while not condition():
            if self.process.poll() is not None:
                raise AssertionError(f"the copy ended with {self.process.returncode} before {what}:\n{self.output()}")
            if time.monotonic() > give_up_at:
                self.kill()
                raise AssertionError(f"not {what} within {SECONDS_MAX} s:\n{self.output()}")
            time.sleep(0.01)

    def wait_for_text(self, pattern):
        self.wait_for(lambda: re.search(pattern, self.output()), f"it said {pattern}")

    def kill(self):
        self.process.kill()
        self.process.wait()


def item(number, text="x" * 60):
    return {"pk": {"S": f"p{number % 997}"}, "sk": {"N": str(number)}, "group": {"S": f"g{number % 10}"},
            "text": {"S": text}}


def load(wire, table, numbers, text="x" * 60):
    numbers = list(numbers)
    for start in range(0, len(numbers), 25):
        puts = [{"PutRequest": {"Item": item(n, text)}} for n in numbers[start:start + 25]]
        while puts:
            puts = wire.call("BatchWriteItem", RequestItems={table: puts})["UnprocessedItems"].get(table, [])


def contents(wire, table):
    """All items, by key."""
    found = every_page(wire.call, "Scan", TableName=table, ConsistentRead=True)
    return {canonical_item({"pk": item["pk"], "sk": item["sk"]}): canonical_item(item) for item in found}


class Writers:
    """Threads that put, change and delete items of a table until they are stopped."""

    def __init__(self, server, table, numbers, threads=2):
        self.stopping = threading.Event()
        self.failures = []
        self.writes = 0
        self.threads = [threading.Thread(target=self.work, args=(server, table, numbers, seed), daemon=True)
                        for seed in range(threads)]
        for thread in self.threads:
            thread.start()

    def work(self, server, table, numbers, seed):
        wire, dice = Wire(server.endpoint), random.Random(seed)
        try:
            while not self.stopping.wait(0.001):        # a few hundred a second, however slow the copy is
                number = dice.randrange(numbers)
                key = {name: item(number)[name] for name in ("pk", "sk")}
                kind = dice.random()
                if kind < 0.4:
                    wire.call("PutItem", TableName=table, Item=item(number, f"put {dice.random()}"))
                elif kind < 0.7:
                    wire.call("UpdateItem", TableName=table, Key=key, UpdateExpression="ADD n :one",
                              ExpressionAttributeValues={":one": {"N": "1"}})
                else:
                    wire.call("DeleteItem", TableName=table, Key=key)
                self.writes += 1
        except Exception as error:      # pylint: disable=broad-except
            self.failures.append(error)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()


class CopyCase(unittest.TestCase):
    """Two servers for all cases; each case has its own tables and folder."""

    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        # Shards soon have children, so that following crosses shard ends.
        cls.source = Server("--memory-store", "--stream-shard-ms", "1500", "--throttle", "none")
        cls.target = Server("--memory-store", "--throttle", "none")
        cls.here, cls.there = Wire(cls.source.endpoint), Wire(cls.target.endpoint)

    @classmethod
    def tearDownClass(cls):
        cls.source.close()
        cls.target.close()

    def setUp(self):
        self.folder_ = Folder()
        self.folder = self.folder_.path
        self.addCleanup(self.folder_.remove)

    def table(self, name, **parameters):
        name = harness.unique(name)
        create_table(self.here, name, **schema("pk:S sk:N", "group:S" if "GlobalSecondaryIndexes" in parameters else ""),
                     **parameters)
        return name

    def copy(self, *flags, **options):
        return Copy(self.folder, self.source, self.target, *flags, **options)

    def copied(self, *flags, status=0, **options):
        """Runs a copy to completion and returns its output."""
        run = self.copy(*flags, **options)
        self.assertEqual(status, run.wait(), run.output())
        return run.output()

    def assert_same(self, table, target=None):
        here, there = contents(self.here, table), contents(self.there, target or table)
        self.assertEqual(len(here), len(there))
        self.assertEqual(here, there)

    def state(self):
        """The only state file in the case's folder, or None."""
        files = list(self.folder.glob("trestle-copy-*.json"))
        return json.loads(files[0].read_text()) if files else None

    def copied_items(self):
        state = self.state()
        return 0 if state is None else sum(segment["Items"] for table in state["Tables"] for segment in table["Segments"])


class Live(CopyCase):

    def test_20000_items_under_writers_until_cut_over(self):
        items = 20_000
        table = self.table("live", GlobalSecondaryIndexes=[index("by-group", "group sk")], **STREAM)
        load(self.here, table, range(items))
        writers = Writers(self.source, table, items)
        run = self.copy("--table", table, "--verify", "--quiet-ms", 500, "--rate", 20_000)
        run.wait_for_text("caught up")
        at_least = writers.writes + 200      # during following
        run.wait_for(lambda: writers.writes >= at_least, "more was written")
        writers.stop()
        self.assertEqual([], writers.failures)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(0, run.wait(), run.output())
        self.assertRegex(run.output(), r"verify live\S*: [\d,]+ items at the source, [\d,]+ at the target: equal")
        applied = re.search(r"cut over: ([\d,]+) changes", run.output())
        self.assertTrue(applied and int(applied.group(1).replace(",", "")) >= 200, run.output())
        self.assert_same(table)
        indexed = [item for item in every_page(self.there.call, "Scan", TableName=table) if "group" in item]
        self.assertEqual(len(indexed), len(every_page(self.there.call, "Scan", TableName=table, IndexName="by-group")))

    def test_kill_while_it_scans_and_again_while_it_follows(self):
        items = 6_000
        table = self.table("killed", **STREAM)
        load(self.here, table, range(items))
        flags = ["--table", table, "--threads", 2, "--segments", 4]
        run = self.copy(*flags, "--rate", 2_000)
        run.wait_for(lambda: self.copied_items() >= 1_000, "some items are in the state")
        run.kill()
        before = self.copied_items()
        self.assertTrue(1_000 <= before < items, before)
        load(self.here, table, range(items, items + 100))
        load(self.here, table, range(0, 50), "changed while nobody copied")

        run = self.copy(*flags)
        run.wait_for_text("caught up")
        goes_on = re.search(r"resuming: ([\d,]+) items were copied before", run.output())
        self.assertEqual(before, int(goes_on.group(1).replace(",", "")), run.output())
        in_this_run = re.search(r"\(([\d,]+) of them in this run\)", run.output())
        self.assertLess(int(in_this_run.group(1).replace(",", "")), items)
        run.kill()
        self.here.call("DeleteItem", TableName=table, Key={name: item(7)[name] for name in ("pk", "sk")})
        load(self.here, table, range(20, 30), "changed while nobody followed")

        output = self.copied(*flags, "--cut-over", "--quiet-ms", 500, "--verify")
        self.assertNotIn("copied:", output)
        self.assertIn("equal", output)
        self.assert_same(table)

    def test_killed_again_and_again_under_writers(self):
        items = 2_000
        table = self.table("again", **STREAM)
        load(self.here, table, range(items))
        writers = Writers(self.source, table, items)
        flags = ["--table", table, "--threads", 3, "--rate", 2_000]
        for _ in range(6):
            before = self.state()
            run = self.copy(*flags)
            run.wait_for(lambda: self.state() != before, "the state moved")
            run.kill()
        writers.stop()
        self.assertEqual([], writers.failures)
        self.assertIn("equal", self.copied(*flags, "--cut-over", "--quiet-ms", 500, "--verify"))
        self.assert_same(table)

    def test_a_second_ctrl_c_stops_at_once(self):
        table = self.table("twice", **STREAM)
        run = self.copy("--table", table, "--quiet-ms", 10_000_000)
        run.wait_for_text("caught up")
        run.process.send_signal(signal.SIGINT)
        run.wait_for_text("cutting over: ")
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(130, run.wait(), run.output())
        load(self.here, table, range(10))
        self.copied("--table", table, "--cut-over", "--quiet-ms", 300)
        self.assert_same(table)

    def test_a_stream_is_enabled_only_when_asked(self):
        table = self.table("plain")
        load(self.here, table, range(100))
        output = self.copied("--table", table)
        self.assertIn("has no stream", output)
        self.assertNotIn("StreamSpecification", self.here.call("DescribeTable", TableName=table)["Table"])
        self.assert_same(table)
        output = self.copied("--table", f"{table}={table}-live", "--enable-stream", "--cut-over", "--quiet-ms", 300,
                             "--with-stream")
        self.assertIn("its stream is enabled", output)
        self.assertEqual("NEW_AND_OLD_IMAGES", self.here.call("DescribeTable", TableName=table)["Table"]
                         ["StreamSpecification"]["StreamViewType"])
        self.assertTrue(self.there.call("DescribeTable", TableName=table + "-live")["Table"]["StreamSpecification"]
                        ["StreamEnabled"])
        self.assert_same(table, table + "-live")

    def test_ctrl_c_while_it_scans_keeps_what_was_done(self):
        table = self.table("stopped")
        load(self.here, table, range(2_000))
        run = self.copy("--table", table, "--rate", 700, "--threads", 2, "--segments", 2)
        run.wait_for(lambda: self.copied_items() >= 500, "some items are in the state")
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(130, run.wait(), run.output())
        self.assertIn("run the same command again to resume", run.output())
        self.assertIn("resuming", self.copied("--table", table))
        self.assert_same(table)


class Interrupted(CopyCase):

    def test_once_and_then_without_is_refused(self):
        table = self.table("once", **STREAM)
        load(self.here, table, range(2_000))
        run = self.copy("--table", table, "--once", "--rate", 700, "--threads", 2, "--segments", 2)
        run.wait_for(lambda: self.copied_items() >= 500, "some items are in the state")
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(130, run.wait(), run.output())
        for _ in range(2):
            output = self.copied("--table", table, "--cut-over", "--quiet-ms", 300, status=1)
            self.assertIn("started with --once", output)
            self.assertIn("--restart", output)
            self.copied("--table", table, "--once")         # the second time, when everything has been copied
        load(self.here, table, range(2_000, 2_100))
        self.copied("--table", table, "--cut-over", "--quiet-ms", 300, "--restart", "--verify")
        self.assert_same(table)

    def test_a_restart_removes_what_the_source_deleted(self):
        table = self.table("restarted")
        load(self.here, table, range(1_500))
        self.copied("--table", table)
        for number in range(0, 1_500, 3):
            self.here.call("DeleteItem", TableName=table, Key={name: item(number)[name] for name in ("pk", "sk")})
        load(self.here, table, [1, 2, 4], "changed")
        output = self.copied("--table", table, "--restart", "--verify")
        self.assertIn("500 items that the source no longer has were removed", output)
        self.assert_same(table)

    def test_a_restart_interrupted_still_removes(self):
        table = self.table("twice-restarted", **STREAM)
        load(self.here, table, range(1_500))
        self.copied("--table", table, "--once")
        self.here.call("DeleteItem", TableName=table, Key={name: item(7)[name] for name in ("pk", "sk")})
        flags = ["--table", table, "--segments", 2, "--threads", 2]
        run = self.copy(*flags, "--restart", "--rate", 700)
        run.wait_for(lambda: 0 < self.copied_items() < 1_400, "some items are in the state")
        run.kill()
        self.copied(*flags, "--cut-over", "--quiet-ms", 300, "--verify")
        self.assert_same(table)

    def test_items_of_others_stay_where_a_copy_goes_over_them(self):
        table = self.table("shared")
        load(self.here, table, range(20))
        create_table(self.there, table, **schema("pk:S sk:N"))
        load(self.there, table, range(100, 110), "another's")
        self.copied("--table", table, "--overwrite")
        self.copied("--table", table, "--restart")
        self.assertEqual(30, len(contents(self.there, table)))
        os.remove(next(self.folder.glob("trestle-copy-*.json")))
        self.assertIn("has items already", self.copied("--table", table, "--restart", status=1),
                      "no state says that the items are of an earlier run")


class Clocks(CopyCase):
    """The clock of the machine that copies differs from the source's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library_folder = Folder()
        cls.library = cls.library_folder.path / "clock_shim.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(cls.library),
                        str(harness.REPOSITORY / "tests" / "clock_shim.c")], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.library_folder.remove()
        super().tearDownClass()

    def test_a_cut_over_copies_all_that_was_written_before_it(self):
        for ahead in (-60, 60):
            table = self.table("clock", **STREAM)
            load(self.here, table, [0])
            run = self.copy("--table", table, "--item-rate", 400, "--quiet-ms", 300, "--threads", 2,
                            environment={"LD_PRELOAD": str(self.library), "CLOCK_AHEAD_S": str(ahead)})
            run.wait_for_text("following the streams")
            load(self.here, table, range(1, 2_001))
            run.process.send_signal(signal.SIGINT)          # most of it is unread at this point
            self.assertEqual(0, run.wait(), run.output())
            self.assert_same(table)

    def test_a_cut_over_ends_while_the_source_is_written_to(self):
        table = self.table("busy", **STREAM)
        load(self.here, table, range(100))
        writers = Writers(self.source, table, 100)
        run = self.copy("--table", table, "--quiet-ms", 500)
        run.wait_for_text("caught up")
        run.process.send_signal(signal.SIGINT)
        try:
            self.assertEqual(0, run.wait(), run.output())
        finally:
            writers.stop()
        self.assertIn("the source is still being written to", run.output())


class ShortShards(unittest.TestCase):

    def test_a_cut_over_ends(self):
        with Server("--memory-store", "--stream-shard-ms", "40") as source, Server("--memory-store") as target, \
                Folder() as folder:
            wire = Wire(source.endpoint)
            create_table(wire, "short", **schema("pk:S sk:N"), **STREAM)
            load(wire, "short", range(100))
            for flags in (["--cut-over"], []):
                run = Copy(folder, source, target, "--quiet-ms", 400, *flags)
                if not flags:
                    run.wait_for_text("following the streams")
                    load(wire, "short", range(100, 200))
                    run.process.send_signal(signal.SIGINT)
                self.assertEqual(0, run.wait(), run.output())
                self.assertEqual(contents(wire, "short"), contents(Wire(target.endpoint), "short"))


class Throttled(unittest.TestCase):

    def test_a_target_with_little_capacity_gets_everything(self):
        with Server("--memory-store") as source, Server("--memory-store") as target, Folder() as folder:
            here, there = Wire(source.endpoint), Wire(target.endpoint)
            create_table(here, "slow", **schema("pk:S sk:N"))
            load(here, "slow", range(900), "x" * 900)
            shape = schema("pk:S sk:N", billing="PROVISIONED")
            shape["ProvisionedThroughput"] = {"ReadCapacityUnits": 100, "WriteCapacityUnits": 2}
            create_table(there, "slow", **shape)
            there.call("DeleteItem", TableName="slow", Key={name: item(1)[name] for name in ("pk", "sk")})
            there.call("UpdateTable", TableName="slow", ProvisionedThroughput={     # with 600 units of burst capacity
                "ReadCapacityUnits": 100, "WriteCapacityUnits": 60})
            harness.wait_active(there, "slow")
            began = time.monotonic()
            run = Copy(folder, source, target, "--threads", 8)
            self.assertEqual(0, run.wait(), run.output())
            self.assertGreater(time.monotonic() - began, 3, "the target did not throttle")
            self.assertEqual(contents(here, "slow"), contents(there, "slow"))


class Exact(CopyCase):

    def test_values_of_every_type(self):
        table = self.table("values")
        values = {
            "string": {"S": "h\u00e9llo \u2603 \U0001f600 \" \\ \n \u0000"}, "empty": {"S": ""},
            "numbers": {"NS": ["1", "-2.5", "1E-130", "9.9999999999999999999999999999999999999E+125"]},
            "number": {"N": "12345678901234567890123456789012345678"}, "small": {"N": "-1E-130"}, "zero": {"N": "0"},
            "binary": {"B": "AAECAwT//v38"}, "binaries": {"BS": ["AA==", "/w==", "AAA="]}, "no_bytes": {"B": ""},
            "strings": {"SS": ["a", "\u00e9", "a\u0000"]}, "null": {"NULL": True}, "no": {"BOOL": False},
            "list": {"L": [{"N": "1"}, {"L": []}, {"M": {}}, {"S": ""}, {"NS": ["3"]}]},
            "map": {"M": {"a.b": {"M": {"c": {"B": "AQ=="}}}, "#": {"BOOL": True}}},
        }
        for number, (name, value) in enumerate(values.items()):
            self.here.call("PutItem", TableName=table, Item={"pk": {"S": name}, "sk": {"N": f"{number}.5"}, "v": value})
        self.here.call("PutItem", TableName=table, Item={"pk": {"S": "all"}, "sk": {"N": "-1E+100"}, **values})
        self.here.call("PutItem", TableName=table, Item={"pk": {"S": "big"}, "sk": {"N": "0"}, "v": {"S": "b" * 380_000}})
        self.assertIn("equal", self.copied("--table", table, "--verify"))
        self.assert_same(table)

    def test_definitions(self):
        table = harness.unique("defined")
        create_table(self.here, table, **schema("pk:S sk:N", "group:S", billing="PROVISIONED"),
                     LocalSecondaryIndexes=[index("by-local", "pk group", include=["text"])],
                     GlobalSecondaryIndexes=[dict(index("by-group", "group sk", "KEYS_ONLY"), ProvisionedThroughput={
                         "ReadCapacityUnits": 3, "WriteCapacityUnits": 4})],
                     Tags=[{"Key": "team", "Value": "jazz"}])
        self.here.call("UpdateTimeToLive", TableName=table,
                       TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        load(self.here, table, range(10))
        self.copied("--table", table)
        here, there = (wire.call("DescribeTable", TableName=table)["Table"] for wire in (self.here, self.there))
        for name in ("KeySchema", "AttributeDefinitions"):
            self.assertEqual(here[name], there[name])
        for name in ("ReadCapacityUnits", "WriteCapacityUnits"):
            self.assertEqual(here["ProvisionedThroughput"][name], there["ProvisionedThroughput"][name])
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            for name in ("IndexName", "KeySchema", "Projection"):
                self.assertEqual(here[kind][0][name], there[kind][0][name])
        self.assertEqual([{"Key": "team", "Value": "jazz"}],
                         self.there.call("ListTagsOfResource", ResourceArn=there["TableArn"])["Tags"])
        self.assertEqual("until", self.there.call("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"]
                         ["AttributeName"])
        self.assertEqual(10, len(every_page(self.there.call, "Scan", TableName=table, IndexName="by-group")))

    def test_verify_finds_what_was_planted(self):
        table = self.table("planted")
        load(self.here, table, range(3_000))
        self.copied("--table", table)
        flags = ["--table", table, "--verify-only"]
        self.assertIn("3,000 items at the source, 3,000 at the target: equal", self.copied(*flags))
        self.there.call("UpdateItem", TableName=table, Key={name: item(77)[name] for name in ("pk", "sk")},
                        UpdateExpression="SET #t = :t", ExpressionAttributeNames={"#t": "text"},
                        ExpressionAttributeValues={":t": {"S": "X" * 60}})
        output = self.copied(*flags, status=2)
        self.assertIn('{"pk":{"S":"p77"},"sk":{"N":"77"}}: differs in text', output)
        self.assertIn(": 1 difference\n", output)
        self.there.call("DeleteItem", TableName=table, Key={name: item(78)[name] for name in ("pk", "sk")})
        self.there.call("PutItem", TableName=table, Item=item(5_000))
        output = self.copied(*flags, status=2)
        self.assertIn('{"pk":{"S":"p78"},"sk":{"N":"78"}}: missing at the target', output)
        self.assertIn(f'{{"pk":{{"S":"p{5_000 % 997}"}},"sk":{{"N":"5000"}}}}: only at the target', output)
        output = self.copied(*flags, "--differences", 1, status=2)
        self.assertIn("and 2 more", output)
        self.assertIsNone(re.search("copied", output))


class Pace(CopyCase):

    def test_write_units_a_second(self):
        table = self.table("units")
        load(self.here, table, range(200), "x" * 2_400)      # 3 units each
        began = time.monotonic()
        self.copied("--table", table, "--rate", 300)
        # The last batch does not wait for its own cost.
        self.assertGreater(time.monotonic() - began, (200 - 25) * 3 / 300)
        self.assert_same(table)

    def test_items_a_second(self):
        table = self.table("items")
        load(self.here, table, range(500))
        began = time.monotonic()
        self.copied("--table", table, "--item-rate", 250)
        self.assertGreater(time.monotonic() - began, (500 - 25) / 250)
        self.assert_same(table)


class Refusals(CopyCase):

    def test_another_key_at_the_target(self):
        table = self.table("other-key")
        create_table(self.there, table, **schema("pk:S sk:S"))
        output = self.copied("--table", table, status=1)
        self.assertIn("the key is pk S (hash), sk N (range) at the source, pk S (hash), sk S (range) at the target",
                      output)

    def test_other_indexes_unless_allowed(self):
        table = self.table("other-index", GlobalSecondaryIndexes=[index("by-group", "group sk")])
        create_table(self.there, table, **schema("pk:S sk:N"))
        load(self.here, table, range(10))
        self.assertIn("the target lacks the index by-group", self.copied("--table", table, status=1))
        self.copied("--table", table, "--any-indexes")
        self.assert_same(table)

    def test_items_at_the_target_unless_allowed(self):
        table = self.table("full")
        load(self.here, table, range(10))
        create_table(self.there, table, **schema("pk:S sk:N"))
        load(self.there, table, range(5), "older")
        self.assertIn("has items already", self.copied("--table", table, status=1))
        self.copied("--table", table, "--overwrite", "--verify")
        self.assert_same(table)

    def test_a_table_that_was_recreated(self):
        table = self.table("anew")
        load(self.here, table, range(10))
        self.copied("--table", table)
        self.assertIn("copied before", self.copied("--table", table))
        self.there.call("DeleteTable", TableName=table)
        self.assertIn("created again", self.copied("--table", table, status=1))
        self.copied("--table", table, "--restart")
        self.assert_same(table)

    def test_a_table_onto_itself(self):
        table = self.table("itself")
        run = Copy(self.folder, self.source, self.source, "--table", table)
        self.assertEqual(1, run.wait(), run.output())
        self.assertIn("is the same table", run.output())
        load(self.here, table, range(10))
        run = Copy(self.folder, self.source, self.source, "--table", f"{table}={table}-2", "--verify")
        self.assertEqual(0, run.wait(), run.output())
        self.assertEqual(contents(self.here, table), contents(self.here, table + "-2"))

    def test_places_that_are_not_there(self):
        run = Copy(self.folder, "http://127.0.0.1:1", self.target, "--patience-s", 0)
        self.assertEqual(1, run.wait(), run.output())
        run = Copy(self.folder, "nowhere", self.target)
        self.assertEqual(1, run.wait(), run.output())
        self.assertIn("neither a URL", run.output())
        self.assertIn("has no table missing", self.copied("--table", "missing", status=1))


class Places(unittest.TestCase):

    def test_a_data_folder_and_profiles(self):
        with Folder() as folder:
            keys = folder / "keys"
            keys.write_text("[there]\naws_access_key_id = THERE\naws_secret_access_key = secret\n")
            wrong = folder / "wrong"
            wrong.write_text("[there]\naws_access_key_id = THERE\naws_secret_access_key = other\n")
            with Server() as source, Server("--memory-store", "--credentials", keys) as target:
                wire = Wire(source.endpoint)
                create_table(wire, "music", **schema("pk:S sk:N"))
                load(wire, "music", range(100))
                data = str(source.data)
                run = Copy(folder, data, target)
                self.assertEqual(1, run.wait(), run.output())
                self.assertIn("in use by another process", run.output())
                self.assertEqual(0, source.stop())
                for file, status in (wrong, 1), (keys, 0):
                    run = Copy(folder, data, target, "--to-profile", "there", "--verify",
                               environment={"AWS_SHARED_CREDENTIALS_FILE": str(file)})
                    self.assertEqual(status, run.wait(), run.output())
                self.assertIn("100 items at the source, 100 at the target: equal", run.output())

                # Copy back, into a folder that does not exist yet.
                home = folder / "home"
                run = Copy(folder, target, home, "--from-profile", "there", "--verify",
                           environment={"AWS_SHARED_CREDENTIALS_FILE": str(keys)})
                self.assertEqual(0, run.wait(), run.output())
            with Server(data=home) as served:
                self.assertEqual(100, len(every_page(Wire(served.endpoint).call, "Scan", TableName="music")))


if __name__ == "__main__":
    harness.run_file()
