#!/usr/bin/python3
"""`trestle copy` from Trestle to DynamoDB Local (TRESTLE_LOCAL) and back, each time compared by --verify and by Scan."""

import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness  # noqa: E402
from copy_test import STREAM, Copy, contents, load  # noqa: E402
from harness import Folder, Server, Wire, create_table, index, schema, unique  # noqa: E402

LOCAL = os.environ["TRESTLE_LOCAL"]
VALUES = {
    "string": {"S": "h\u00e9llo \u2603 \U0001f600 \" \\ \n \u0000"}, "empty": {"S": ""}, "bytes": {"B": "AAH/"}, "no bytes": {"B": ""},
    "number": {"N": "12345678901234567890123456789012345678"}, "small": {"N": "-1E-130"}, "large": {"N": "9.99E+125"},
    "yes": {"BOOL": True}, "no": {"BOOL": False}, "null": {"NULL": True}, "map": {"M": {"a": {"L": [{"N": "1"}, {"M": {}}, {"L": []}]}}},
    "strings": {"SS": ["a", "b"]}, "numbers": {"NS": ["1", "-2.5", "1E-130"]}, "binaries": {"BS": ["AA==", "AQ=="]}}


class Copies(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.ours = Server("--memory-store", "--throttle", "none")
        cls.sides = {"Trestle": cls.ours.endpoint, "Local": LOCAL}
        cls.wires = {name: Wire(url) for name, url in cls.sides.items()}

    @classmethod
    def tearDownClass(cls):
        cls.ours.close()

    def both_ways(self, work):
        for source, target in (("Trestle", "Local"), ("Local", "Trestle")):
            with self.subTest(source=source), Folder() as folder:
                work(source, target, folder)

    def copied(self, folder, source, target, *flags):
        done = Copy(folder, self.sides[source], self.sides[target], *flags)
        self.assertEqual(0, done.wait(), done.output())
        return done.output()

    def assert_same(self, table):
        ours, theirs = (contents(wire, table) for wire in self.wires.values())
        self.assertEqual(len(ours), len(theirs))
        self.assertEqual(ours, theirs)

    def definition(self, side, table):
        found = self.wires[side].call("DescribeTable", TableName=table)["Table"]
        picked = {name: found.get(name) for name in ("KeySchema", "ProvisionedThroughput")}
        picked["BillingMode"] = found.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
        picked["ProvisionedThroughput"] = {kind: picked["ProvisionedThroughput"].get(kind, 0) for kind in ("ReadCapacityUnits", "WriteCapacityUnits")}
        picked["attributes"] = sorted((one["AttributeName"], one["AttributeType"]) for one in found["AttributeDefinitions"])
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            picked[kind] = sorted((one["IndexName"], str(one["KeySchema"]), one["Projection"]["ProjectionType"],
                                   sorted(one["Projection"].get("NonKeyAttributes", []))) for one in found.get(kind, []))
        picked["ttl"] = self.wires[side].call("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"]
        return picked

    def test_values_of_every_type(self):
        def work(source, target, folder):
            table = unique("values")
            create_table(self.wires[source], table, **schema("pk:S sk:N"))
            for number, (name, value) in enumerate(VALUES.items()):
                self.wires[source].call("PutItem", TableName=table, Item={"pk": {"S": name}, "sk": {"N": str(number)}, "value": value})
            self.copied(folder, source, target, "--once", "--verify", "--table", table)
            self.assert_same(table)
        self.both_ways(work)

    def test_definitions(self):
        def work(source, target, folder):
            table = unique("defined")
            indexes = {"GlobalSecondaryIndexes": [index("by-a", "a pk"), index("by-b", "b", include=["c", "d"])],
                       "LocalSecondaryIndexes": [index("local", "pk a", projection="KEYS_ONLY")]}
            create_table(self.wires[source], table, **schema("pk:S sk:N", "a:S b:N"), **indexes)
            self.wires[source].call("UpdateTimeToLive", TableName=table,
                                    TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
            provisioned = unique("provisioned")
            create_table(self.wires[source], provisioned, **schema("pk:B", billing="PROVISIONED"))
            self.copied(folder, source, target, "--once", "--verify", "--table", table, "--table", provisioned)
            for name in (table, provisioned):
                self.assertEqual(self.definition(source, name), self.definition(target, name))
        self.both_ways(work)

    def test_5000_items_and_what_is_written_until_the_cut_over(self):
        def work(source, target, folder):
            table = unique("live")
            create_table(self.wires[source], table, **schema("pk:S sk:N"), **STREAM)
            load(self.wires[source], table, range(5_000))
            run = Copy(folder, self.sides[source], self.sides[target], "--table", table, "--verify", "--quiet-ms", 500)
            run.wait_for_text("caught up")
            load(self.wires[source], table, range(4_000, 6_000), "changed")
            for number in range(100):
                self.wires[source].call("DeleteItem", TableName=table,
                                        Key={"pk": {"S": f"p{number % 997}"}, "sk": {"N": str(number)}})
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(0, run.wait(), run.output())
            self.assert_same(table)
        self.both_ways(work)

    def test_verify_finds_what_was_planted(self):
        def work(source, target, folder):
            table = unique("planted")
            create_table(self.wires[source], table, **schema("pk:S sk:N"))
            load(self.wires[source], table, range(500))
            self.copied(folder, source, target, "--once", "--table", table)
            load(self.wires[target], table, [17], "another")
            compared = Copy(folder, self.sides[source], self.sides[target], "--verify-only", "--table", table)
            self.assertEqual(2, compared.wait(), compared.output())
            self.assertIn('"p17"', compared.output())
        self.both_ways(work)


if __name__ == "__main__":
    harness.run_file()
