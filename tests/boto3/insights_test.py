#!/usr/bin/python3
"""Contributor Insights: the setting of tables and global indexes, and the keys reported by GET /insights."""

import json
import sys
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from harness import DynamoError, Server, Wire, client, index, schema, unique

ACCESSED, THROTTLED = "ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"


def page(server, query=""):
    """GET /insights, by (table, index)."""
    with urllib.request.urlopen(server.endpoint + "/insights" + query) as reply:
        assert reply.headers["Content-Type"] == "application/json", reply.headers["Content-Type"]
        entries = json.load(reply)["ContributorInsights"]
    return {(entry["TableName"], entry.get("IndexName")): entry for entry in entries}


def counts(entries):
    return [(tuple(next(iter(value.values())) for _, value in sorted(e["Key"].items())), e["Count"]) for e in entries]


class InsightsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.db = client(cls.server.endpoint)
        cls.wire = Wire(cls.server.endpoint)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def setUp(self):
        self.name = unique("insights")
        self.db.create_table(TableName=self.name, **schema("pk:S sk:N", "g:S"),
                             GlobalSecondaryIndexes=[index("by-g", "g")],
                             LocalSecondaryIndexes=[index("local", "pk g")])

    def tearDown(self):
        self.db.delete_table(TableName=self.name)

    def set(self, action, index_name=None, mode=None, table=None):
        request = {"TableName": table or self.name, "ContributorInsightsAction": action}
        if index_name:
            request["IndexName"] = index_name
        if mode:
            request["ContributorInsightsMode"] = mode
        return self.wire.call("UpdateContributorInsights", **request)

    def describe(self, **more):
        return self.wire.call("DescribeContributorInsights", TableName=self.name, **more)

    def list(self, **more):
        return [(s["TableName"], s.get("IndexName"))
                for s in self.wire.call("ListContributorInsights", **more)["ContributorInsightsSummaries"]]

    def put(self, pk, sk, **more):
        self.wire.call("PutItem", TableName=self.name, Item={"pk": {"S": pk}, "sk": {"N": str(sk)}, **more})

    def get(self, pk, sk):
        self.wire.call("GetItem", TableName=self.name, Key={"pk": {"S": pk}, "sk": {"N": str(sk)}})

    def refused(self, code, message, operation, **members):
        with self.assertRaises(DynamoError) as refusal:
            self.wire.call(operation, **members)
        self.assertEqual((400, code, message),
                         (refusal.exception.status, refusal.exception.code, refusal.exception.message))

    def test_the_life_of_a_setting(self):
        self.assertEqual({"TableName": self.name, "ContributorInsightsStatus": "DISABLED"}, self.describe())
        self.assertEqual({"TableName": self.name, "ContributorInsightsStatus": "DISABLED"}, self.set("DISABLE"))
        self.assertEqual([], self.list(TableName=self.name))
        self.assertEqual({"TableName": self.name, "ContributorInsightsStatus": "ENABLING",
                          "ContributorInsightsMode": ACCESSED}, self.set("ENABLE"))
        description = self.describe()
        self.assertEqual(("ENABLED", ACCESSED), (description["ContributorInsightsStatus"], description["ContributorInsightsMode"]))
        rules = description["ContributorInsightsRuleList"]
        self.assertEqual([f"DynamoDBContributorInsights-{kind}-{self.name}" for kind in ("PKC", "SKC", "PKT", "SKT")],
                         [rule.rpartition("-")[0] for rule in rules])
        self.assertEqual("ENABLED", self.set("ENABLE")["ContributorInsightsStatus"])
        self.assertEqual(description, self.describe())
        self.assertEqual("ENABLING", self.set("ENABLE", mode=THROTTLED)["ContributorInsightsStatus"])
        self.assertEqual(rules[2:], self.describe()["ContributorInsightsRuleList"])
        self.assertEqual([(self.name, None)], self.list(TableName=self.name))
        self.assertEqual("DISABLING", self.set("DISABLE")["ContributorInsightsStatus"])
        description = self.describe()
        self.assertEqual({"TableName", "ContributorInsightsStatus", "ContributorInsightsMode", "LastUpdateDateTime"},
                         set(description))
        self.assertEqual(("DISABLED", THROTTLED), (description["ContributorInsightsStatus"], description["ContributorInsightsMode"]))
        self.assertEqual([], self.list(TableName=self.name))

    def test_boto3_reads_the_answers(self):
        self.db.update_contributor_insights(TableName=self.name, ContributorInsightsAction="ENABLE")
        description = self.db.describe_contributor_insights(TableName=self.name)
        self.assertEqual("ENABLED", description["ContributorInsightsStatus"])
        self.assertGreater(description["LastUpdateDateTime"].timestamp(), 1_700_000_000)
        arn = self.db.describe_table(TableName=self.name)["Table"]["TableArn"]
        self.assertEqual(self.name, self.db.describe_contributor_insights(TableName=arn)["TableName"])

    def test_an_index_has_its_own(self):
        self.assertEqual({"TableName": self.name, "IndexName": "by-g", "ContributorInsightsStatus": "DISABLED"},
                         self.describe(IndexName="by-g"))
        self.set("ENABLE", "by-g")
        rules = self.describe(IndexName="by-g")["ContributorInsightsRuleList"]
        self.assertEqual([f"DynamoDBContributorInsights-{kind}-{self.name}-by-g" for kind in ("PKC", "PKT")],
                         [rule.rpartition("-")[0] for rule in rules])
        self.assertEqual("DISABLED", self.describe()["ContributorInsightsStatus"])
        self.assertEqual([(self.name, "by-g")], self.list(TableName=self.name))
        self.set("ENABLE")
        self.assertEqual([(self.name, None), (self.name, "by-g")], self.list(TableName=self.name))
        self.db.update_table(TableName=self.name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}])
        self.assertEqual([(self.name, None)], self.list(TableName=self.name))

    def test_all_tables_are_listed_in_pages(self):
        names = sorted(unique("listed") for _ in range(3))
        for name in names:
            self.db.create_table(TableName=name, **schema("pk:S"))
            self.set("ENABLE", table=name)
        self.set("ENABLE", "by-g")
        for size in (1, 2, 100):
            found, token = [], {}
            while token is not None:
                reply = self.wire.call("ListContributorInsights", MaxResults=size, **token)
                self.assertLessEqual(len(reply["ContributorInsightsSummaries"]), size)
                found += [(s["TableName"], s.get("IndexName")) for s in reply["ContributorInsightsSummaries"]]
                token = {"NextToken": reply["NextToken"]} if "NextToken" in reply else None
            expected = [(name, None) for name in names] + [(self.name, "by-g")]
            self.assertEqual(sorted(expected, key=str), sorted(found, key=str))
        for name in names:
            self.db.delete_table(TableName=name)
        self.assertEqual([(self.name, "by-g")], self.list())

    def test_what_is_refused(self):
        no_table = "Requested resource not found: Table: no-such-table not found"
        no_index = f"Requested resource not found: Index: %s not found for table: {self.name}"
        not_found = "ResourceNotFoundException"
        for operation, more in (("DescribeContributorInsights", {}), ("ListContributorInsights", {}),
                                ("UpdateContributorInsights", {"ContributorInsightsAction": "ENABLE"})):
            self.refused(not_found, no_table, operation, TableName="no-such-table", **more)
            if operation == "ListContributorInsights":
                continue
            for name in ("nothing", "local"):
                self.refused(not_found, no_index % name, operation, TableName=self.name, IndexName=name, **more)
            self.refused("ValidationException", "The parameter 'TableName' is required but was not present in the "
                         "request", operation, **more)
        self.refused("ValidationException", "1 validation error detected: Value null at 'contributorInsightsAction' "
                     "failed to satisfy constraint: Member must not be null", "UpdateContributorInsights",
                     TableName=self.name)
        self.refused("ValidationException", "2 validation errors detected: Value 'ON' at 'contributorInsightsAction' "
                     "failed to satisfy constraint: Member must satisfy enum value set: [ENABLE, DISABLE]; Value 'ALL' "
                     "at 'contributorInsightsMode' failed to satisfy constraint: Member must satisfy enum value set: "
                     "[THROTTLED_KEYS, ACCESSED_AND_THROTTLED_KEYS]", "UpdateContributorInsights", TableName=self.name,
                     ContributorInsightsAction="ON", ContributorInsightsMode="ALL")
        self.refused("ValidationException", "1 validation error detected: Value '101' at 'maxResults' failed to "
                     "satisfy constraint: Member must have value less than or equal to 100", "ListContributorInsights",
                     MaxResults=101)

    def test_the_most_used_keys_are_reported(self):
        self.put("before", 1)
        self.assertNotIn((self.name, None), page(self.server))
        self.set("ENABLE")
        self.set("ENABLE", "by-g")
        for i in range(30):
            self.put("hot", i % 2, g={"S": "red"})
        for i in range(20):
            self.put(f"cold-{i}", 1)
        for _ in range(7):
            self.get("hot", 1)
        self.get("missing", 1)
        self.wire.call("Query", TableName=self.name, KeyConditionExpression="pk = :p",
                       ExpressionAttributeValues={":p": {"S": "hot"}})
        self.wire.call("Query", TableName=self.name, IndexName="by-g", KeyConditionExpression="g = :g",
                       ExpressionAttributeValues={":g": {"S": "red"}})
        self.wire.call("Scan", TableName=self.name)
        report = page(self.server, f"?table={self.name}&top=2")
        self.assertEqual({(self.name, None), (self.name, "by-g")}, set(report))
        table, by_g = report[self.name, None], report[self.name, "by-g"]
        self.assertEqual((50, 9, 0), tuple(table[kind]["Total"] for kind in ("Written", "Read", "Throttled")))
        self.assertEqual((("hot",), 30), counts(table["Written"]["PartitionKeys"])[0])
        self.assertEqual([(("hot", "0"), 15), (("hot", "1"), 15)], sorted(counts(table["Written"]["Keys"])))
        self.assertEqual([(("hot",), 8), (("missing",), 1)], counts(table["Read"]["PartitionKeys"]))
        self.assertEqual([(("hot", "1"), 8)], counts(table["Read"]["Keys"])[:1])
        self.assertEqual(2, by_g["Written"]["Total"])      # an entry that stays as it is is not written again
        self.assertEqual([(("red",), 1)], counts(by_g["Read"]["PartitionKeys"]))
        self.assertNotIn("Keys", by_g["Read"])
        self.assertEqual(table["Written"], table["Recent"]["Written"])
        self.set("ENABLE", mode=THROTTLED)
        self.assertNotIn("Read", page(self.server)[self.name, None])
        self.set("DISABLE")
        self.assertNotIn((self.name, None), page(self.server))

    def test_throttled_keys_are_reported(self):
        name = unique("throttled")
        self.db.create_table(TableName=name, **schema("pk:S", billing="PROVISIONED"))
        self.db.update_table(TableName=name, ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
        self.set("ENABLE", mode=THROTTLED, table=name)
        refused = 0
        while refused < 5:
            try:
                self.wire.call("PutItem", TableName=name, Item={"pk": {"S": "big"}, "data": {"S": "x" * 100_000}})
            except DynamoError as refusal:
                self.assertEqual("ProvisionedThroughputExceededException", refusal.code)
                refused += 1
        throttled = page(self.server)[name, None]["Throttled"]
        self.assertEqual([(("big",), 5)], counts(throttled["PartitionKeys"]))
        self.db.delete_table(TableName=name)

    def test_the_number_of_recorded_keys_is_bounded(self):
        self.set("ENABLE")
        for i in range(0, 3000, 25):
            self.wire.call("BatchWriteItem", RequestItems={self.name: [
                {"PutRequest": {"Item": {"pk": {"S": f"p{n}"}, "sk": {"N": "1"}}}} for n in range(i, i + 25)]})
            self.put("hot", 1)
        written = page(self.server, f"?table={self.name}&top=1000")[self.name, None]["Written"]
        self.assertEqual(3000 + 120, written["Total"])
        self.assertLessEqual(len(written["PartitionKeys"]), 100)
        (key, count), error = counts(written["PartitionKeys"])[0], written["PartitionKeys"][0]["Error"]
        self.assertEqual(("hot",), key)
        self.assertGreaterEqual(count, 120)
        self.assertLessEqual(count - error, 120)

    def test_settings_outlive_kill_9(self):
        with Server() as server:
            wire = Wire(server.endpoint)
            wire.call("CreateTable", TableName="kept", **schema("pk:S"))
            wire.call("UpdateContributorInsights", TableName="kept", ContributorInsightsAction="ENABLE",
                      ContributorInsightsMode=THROTTLED)
            server.kill()
            server.start()
            description = Wire(server.endpoint).call("DescribeContributorInsights", TableName="kept")
            self.assertEqual(("ENABLED", THROTTLED),
                             (description["ContributorInsightsStatus"], description["ContributorInsightsMode"]))

    def test_keys_are_not_shown_where_callers_must_be_known(self):
        with harness.Folder() as folder:
            keys = folder / "credentials"
            keys.write_text(f"[default]\naws_access_key_id = {harness.ACCESS_KEY}\n"
                            f"aws_secret_access_key = {harness.SECRET_KEY}\n")
            for flags, shown in ((["--credentials", keys], False), (["--credentials", keys, "--insights"], True)):
                with Server("--memory-store", *flags) as server:
                    with urllib.request.urlopen(server.endpoint + "/insights") as reply:
                        self.assertEqual(shown, reply.read().startswith(b'{"ContributorInsights"'))


if __name__ == "__main__":
    harness.run_file()
