#!/usr/bin/python3
"""Global indexes by boto3: added to a table with items, polled as clients do, deleted; keys of several attributes."""

import re
import sys
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, index, schema, unique


def s(text):
    return {"S": text}


class IndexCase(Case):

    def create_index(self, name, definition, types="g:S"):
        attributes = [{"AttributeName": n, "AttributeType": t} for n, t in (part.split(":") for part in types.split())]
        return self.client.update_table(TableName=name, AttributeDefinitions=attributes,
                                        GlobalSecondaryIndexUpdates=[{"Create": definition}])

    def indexes(self, name):
        return {i["IndexName"]: i for i in self.client.describe_table(TableName=name)["Table"].get(
            "GlobalSecondaryIndexes", [])}

    def wait_index(self, name, index_name, wanted="ACTIVE"):
        """Polls as clients do until an index is ACTIVE, or deleted (wanted=None); returns the states seen."""
        seen, give_up_at = [], time.monotonic() + harness.WAIT_SECONDS_MAX
        while True:
            state = self.indexes(name).get(index_name, {}).get("IndexStatus")
            if not seen or seen[-1] != state:
                seen.append(state)
            if state == wanted:
                return seen
            self.assertLess(time.monotonic(), give_up_at, f"index states: {seen}")
            time.sleep(0.01)

    def fill(self, name, count):
        for start in range(0, count, 25):
            self.client.batch_write_item(RequestItems={name: [
                {"PutRequest": {"Item": {"pk": s(f"k{n}"), "g": s(f"g{n % 7}"), "text": s("x" * 100)}}}
                for n in range(start, min(start + 25, count))]})

    def scan_keys(self, name, **parameters):
        pages = self.client.get_paginator("scan").paginate(TableName=name, **parameters)
        return sorted(item["pk"]["S"] for page in pages for item in page["Items"])


class Lifecycle(IndexCase):

    def test_backfill(self):
        name = self.table("backfill")
        self.fill(name, 1000)
        self.client.put_item(TableName=name, Item={"pk": s("sparse")})
        self.client.put_item(TableName=name, Item={"pk": s("odd"), "g": {"N": "1"}})
        table = self.create_index(name, index("by-g", "g", include=["text"]))["TableDescription"]
        self.assertEqual("UPDATING", table["TableStatus"])
        created, = table["GlobalSecondaryIndexes"]
        self.assertEqual(("by-g", "CREATING"), (created["IndexName"], created["IndexStatus"]))
        states = self.wait_index(name, "by-g")
        self.assertLessEqual(set(states), {"CREATING", "ACTIVE"})
        self.wait_exists(name)
        described = self.indexes(name)["by-g"]
        self.assertNotIn("Backfilling", {k for k, v in described.items() if v is True})
        self.assertEqual([f"k{n}" for n in sorted(range(1000), key=lambda n: f"k{n}")],
                         self.scan_keys(name, IndexName="by-g"), "items without the key, or of another type, stay out")
        found = self.client.query(TableName=name, IndexName="by-g", KeyConditionExpression="g = :g",
                                  ExpressionAttributeValues={":g": s("g3")})
        self.assertEqual(len(range(3, 1000, 7)), found["Count"])

    def test_writes_during_backfill_are_in_the_index(self):
        name = self.table("busy")
        self.fill(name, 2000)
        stop, failures = threading.Event(), []

        def write(offset):
            wire, number = harness.Wire(self.url), offset
            while not stop.is_set():
                number = (number + 13) % 2000
                try:
                    if number % 3:
                        wire.call("PutItem", TableName=name, Item={"pk": s(f"k{number}"), "g": s(f"h{number % 5}")})
                    else:
                        wire.call("DeleteItem", TableName=name, Key={"pk": s(f"k{number}")})
                except Exception as failure:
                    failures.append(failure)
                    return
            wire.close()

        writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
        for writer in writers:
            writer.start()
        self.create_index(name, index("by-g", "g"))
        self.wait_index(name, "by-g")
        stop.set()
        for writer in writers:
            writer.join()
        self.assertEqual([], failures)

        def everything(**where):
            pages = self.client.get_paginator("scan").paginate(TableName=name, **where)
            return sorted((item["pk"]["S"], item["g"]["S"]) for page in pages for item in page["Items"])

        self.assertEqual(everything(), everything(IndexName="by-g"))
        self.assertEqual(len(everything()), self.indexes(name)["by-g"]["ItemCount"])

    def test_delete_index(self):
        name = self.table("removed", "pk:S", "g:S", GlobalSecondaryIndexes=[index("by-g", "g")])
        self.fill(name, 100)
        self.client.update_table(TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}])
        self.wait_index(name, "by-g", None)
        self.wait_exists(name)
        self.refuses("ValidationException", re.compile("The table does not have the specified index: by-g"),
                     self.client.query, TableName=name, IndexName="by-g", KeyConditionExpression="g = :g",
                     ExpressionAttributeValues={":g": s("a")})
        self.client.put_item(TableName=name, Item={"pk": s("free"), "g": {"N": "1"}})
        self.assertEqual(["pk"], [a["AttributeName"] for a in self.client.describe_table(TableName=name)["Table"][
            "AttributeDefinitions"]])
        self.create_index(name, index("by-g", "g"))
        self.wait_index(name, "by-g")
        self.assertEqual(100, len(self.scan_keys(name, IndexName="by-g")), "a new index of that name starts afresh")

    def test_update_index_throughput(self):
        one = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
        name = self.table("throughput", "pk:S", "g:S", BillingMode="PROVISIONED",
                          GlobalSecondaryIndexes=[{**index("by-g", "g"), "ProvisionedThroughput": one}])
        wanted = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
        self.client.update_table(TableName=name, GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "by-g", "ProvisionedThroughput": wanted}}])
        self.wait_exists(name)
        self.wait_index(name, "by-g")
        found = self.indexes(name)["by-g"]["ProvisionedThroughput"]
        self.assertEqual((3, 4), (found["ReadCapacityUnits"], found["WriteCapacityUnits"]))

    def test_refusals(self):
        name = self.table("refused", "pk:S", "g:S", GlobalSecondaryIndexes=[index("by-g", "g")])
        self.refuses("ValidationException", None, self.create_index, name, index("by-g", "g"))
        self.refuses("ValidationException", None, self.client.update_table, TableName=name,
                     GlobalSecondaryIndexUpdates=[{"Create": index("new", "undefined")}])
        self.refuses("ResourceNotFoundException", re.compile("Requested resource not found"), self.client.update_table,
                     TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "nope"}}])
        self.refuses("LimitExceededException", "Subscriber limit exceeded: Only 1 online index can be created or "
                     "deleted simultaneously per table", self.client.update_table, TableName=name,
                     AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in "abg"],
                     GlobalSecondaryIndexUpdates=[{"Create": index("new-a", "a")}, {"Create": index("new-b", "b")}])


class ManyAttributeKeys(IndexCase):
    """A global index may have up to four partition and four sort attributes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = unique("many")
        cls.tables_.append(cls.name)
        many = index("many", "h1 h2 a b c d", hash_count=2)
        harness.create_table(cls.wire, cls.name, **schema("pk:S", "h1:S h2:N a:S b:N c:S d:S"),
                             GlobalSecondaryIndexes=[many])
        cls.rows = {"p1": ("T", 2, "b", "r1"), "p2": ("T", 2, "a", "r2"), "p3": ("T", 2, "a", "r1"),
                    "p4": ("T", 1, "c", "r1"), "p5": ("F", 10, "a", "r0"), "p6": ("F", 9, "a", "r0")}
        for pk, (a, b, c, d) in cls.rows.items():
            cls.put(pk, a=s(a), b={"N": str(b)}, c=s(c), d=s(d))
        cls.put("no-c", a=s("T"), b={"N": "2"}, d=s("r1"))
        cls.put("other", h2={"N": "2"}, a=s("T"), b={"N": "2"}, c=s("a"), d=s("r1"))

    @classmethod
    def put(cls, pk, **attributes):
        cls.wire.call("PutItem", TableName=cls.name, Item={"pk": s(pk), "h1": s("o1"), "h2": {"N": "1"}, **attributes})

    def query(self, condition, **parameters):
        values = {":h1": s("o1"), ":h2": {"N": "1.0"}, ":T": s("T"), ":two": {"N": "2"}, ":a": s("a"), ":r": s("r"),
                  ":r1": s("r1"), ":r2": s("r2")}
        used = {name: value for name, value in values.items() if re.search(re.escape(name) + r"\b", condition)}
        return self.wire.call("Query", TableName=self.name, IndexName="many", KeyConditionExpression=condition,
                              ExpressionAttributeValues=used, **parameters)

    def keys(self, condition, **parameters):
        return " ".join(item["pk"]["S"] for item in self.query(condition, **parameters)["Items"])

    def test_described_as_created(self):
        found, = self.wire.call("DescribeTable", TableName=self.name)["Table"]["GlobalSecondaryIndexes"]
        self.assertEqual(harness.key_schema("h1 h2 a b c d", 2), found["KeySchema"])

    def test_key_conditions(self):
        both = "h1 = :h1 AND h2 = :h2"
        for more, expected in [
                ("", "p6 p5 p4 p3 p2 p1"), (" AND a = :T", "p4 p3 p2 p1"), (" AND a > :a", ""),
                (" AND a = :T AND b = :two", "p3 p2 p1"), (" AND a = :T AND b < :two", "p4"),
                (" AND a = :T AND b = :two AND c = :a", "p3 p2"), (" AND a = :T AND b = :two AND c > :a", "p1"),
                (" AND a = :T AND b = :two AND c = :a AND begins_with(d, :r)", "p3 p2"),
                (" AND a = :T AND b = :two AND c = :a AND d BETWEEN :r2 AND :r2", "p2")]:
            with self.subTest(condition=both + more):
                self.assertEqual(expected, self.keys(both + more))
        self.assertEqual("p3 p2 p1", self.keys("b = :two AND h2 = :h2 AND a = :T AND h1 = :h1"), "in any order")
        self.assertEqual("p1 p2 p3 p4", self.keys(both + " AND a = :T", ScanIndexForward=False))

    def test_paging(self):
        for forward in (True, False):
            seen, start = [], {}
            while True:
                page = self.query("h1 = :h1 AND h2 = :h2", Limit=2, ScanIndexForward=forward, **start)
                seen += [item["pk"]["S"] for item in page["Items"]]
                if "LastEvaluatedKey" not in page:
                    break
                self.assertEqual({"pk", "h1", "h2", "a", "b", "c", "d"}, set(page["LastEvaluatedKey"]))
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            self.assertEqual(["p6", "p5", "p4", "p3", "p2", "p1"][::1 if forward else -1], seen)

    def test_scan_has_only_whole_keys(self):
        found = self.wire.call("Scan", TableName=self.name, IndexName="many")["Items"]
        self.assertEqual(sorted([*self.rows, "other"]), sorted(item["pk"]["S"] for item in found))

    def test_refusals(self):
        gap = "RANGE key attributes {} must have equality conditions specified in the query because a condition is " \
              "present on key attribute {}"
        for message, condition in [
                (gap.format("b", "c"), "h1 = :h1 AND h2 = :h2 AND a = :T AND c = :a"),
                (gap.format("b", "c"), "h1 = :h1 AND h2 = :h2 AND a = :T AND b > :two AND c = :a"),
                (gap.format("a", "b"), "h1 = :h1 AND h2 = :h2 AND b = :two")]:
            with self.subTest(condition=condition):
                self.refuses("ValidationException", re.compile(re.escape(message)), self.query, condition)
        self.refuses("ValidationException", re.compile("h2"), self.query, "h1 = :h1")

    def test_added_to_a_full_table(self):
        """The same index, built by backfill, contains the same items."""
        name = unique("many-later")
        self.tables_.append(name)
        harness.create_table(self.wire, name, **schema("pk:S"))
        for item in self.wire.call("Scan", TableName=self.name)["Items"]:
            self.wire.call("PutItem", TableName=name, Item=item)
        types = schema("pk:S", "h1:S h2:N a:S b:N c:S d:S")["AttributeDefinitions"]
        self.wire.call("UpdateTable", TableName=name, AttributeDefinitions=types, GlobalSecondaryIndexUpdates=[
            {"Create": index("many", "h1 h2 a b c d", hash_count=2)}])
        harness.wait_active(self.wire, name)
        found = self.wire.call("Scan", TableName=name, IndexName="many")["Items"]
        self.assertEqual(sorted([*self.rows, "other"]), sorted(item["pk"]["S"] for item in found))

    def test_too_many_attributes(self):
        types = schema("pk:S", "a:S b:S c:S d:S e:S f:S")
        for hash_count in (1, 5):
            self.refuses("ValidationException", None, self.wire.call, "CreateTable", TableName=unique("refused"),
                         **types, GlobalSecondaryIndexes=[index("many", "a b c d e f", hash_count=hash_count)])


if __name__ == "__main__":
    harness.run_file()
