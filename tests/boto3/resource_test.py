#!/usr/bin/python3
"""boto3's resource API, which most Python programs use: plain values, Decimal, conditions, batch_writer."""

import sys
from decimal import Decimal
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from harness import Case, index, schema, unique


class Resource(Case):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.resource = harness.resource(cls.url)
        name = unique("resource")
        cls.tables_.append(name)
        cls.books = cls.resource.create_table(TableName=name, **schema("author:S title:S", "year:N"),
                                              GlobalSecondaryIndexes=[index("by-year", "year title")])
        cls.wait_exists(name)
        cls.books.reload()
        with cls.books.batch_writer() as batch:
            for number in range(60):
                batch.put_item(Item={"author": f"a{number % 3}", "title": f"t{number:02}", "year": 1900 + number % 10,
                                     "price": Decimal(number) / 4, "tags": {"x", f"n{number % 4}"},
                                     "meta": {"pages": number, "langs": ["en", "de"][: number % 3]}})

    def titles(self, items):
        return sorted(item["title"] for item in items)

    def test_table_attributes(self):
        self.assertEqual("ACTIVE", self.books.table_status)
        self.assertEqual(harness.key_schema("author title"), self.books.key_schema)
        self.assertIn(self.books.name, [table.name for table in self.resource.tables.all()])

    def test_values_come_back_as_they_went(self):
        item = {"author": "types", "title": "all", "n": Decimal("1.50"), "i": 7, "b": b"\x00\x01", "t": True, "z": None,
                "l": [1, "two", [Decimal("3")], {}], "m": {"a": {"b": "c"}}, "ss": {"a", "b"},
                "ns": {1, Decimal("2.5")}, "bs": {b"x", b"y"}, "big": Decimal("9" * 38)}
        self.books.put_item(Item=item)
        got = self.books.get_item(Key={"author": "types", "title": "all"})["Item"]
        self.assertEqual(Binary(b"\x00\x01"), got["b"])
        self.assertEqual({Binary(b"x"), Binary(b"y")}, got["bs"])
        for name in set(item) - {"b", "bs"}:
            self.assertEqual(item[name], got[name], name)
        self.assertEqual("1.5", str(got["n"]), "numbers are normalised")

    def test_batch_writer_deduplicates(self):
        with self.books.batch_writer(overwrite_by_pkeys=["author", "title"]) as batch:
            for number in range(30):
                batch.put_item(Item={"author": "dup", "title": f"t{number % 5}", "n": number})
            batch.delete_item(Key={"author": "dup", "title": "t0"})
        items = self.books.query(KeyConditionExpression=Key("author").eq("dup"))["Items"]
        self.assertEqual({"t1": 26, "t2": 27, "t3": 28, "t4": 29}, {item["title"]: item["n"] for item in items})

    def test_key_builders(self):
        author = Key("author").eq("a1")
        everything = [f"t{n:02}" for n in range(1, 60, 3)]
        for condition, expected in [
                (author, everything), (author & Key("title").eq("t04"), ["t04"]),
                (author & Key("title").begins_with("t1"), ["t10", "t13", "t16", "t19"]),
                (author & Key("title").between("t04", "t10"), ["t04", "t07", "t10"]),
                (author & Key("title").lt("t05"), ["t01", "t04"]), (author & Key("title").gte("t55"), ["t55", "t58"])]:
            found = self.books.query(KeyConditionExpression=condition)["Items"]
            self.assertEqual(expected, [item["title"] for item in found])
        found = self.books.query(IndexName="by-year", ScanIndexForward=False,
                                 KeyConditionExpression=Key("year").eq(1903) & Key("title").gt("t30"))["Items"]
        self.assertEqual(["t53", "t43", "t33"], [item["title"] for item in found])

    def test_attribute_builders(self):
        everything = self.books.scan(FilterExpression=Attr("price").exists())["Items"]
        self.assertEqual(60, len(everything))
        for condition, test in [
                (Attr("price").gt(Decimal("14.5")), lambda i: i["price"] > Decimal("14.5")),
                (Attr("tags").contains("n3"), lambda i: "n3" in i["tags"]),
                (Attr("meta.pages").between(3, 5), lambda i: 3 <= i["meta"]["pages"] <= 5),
                (Attr("meta.langs[1]").eq("de"), lambda i: len(i["meta"]["langs"]) > 1),
                (Attr("meta.langs").size().eq(0), lambda i: not i["meta"]["langs"]),
                (Attr("year").is_in([1900, 1901]), lambda i: i["year"] in (1900, 1901)),
                (Attr("title").begins_with("t5") & ~Attr("year").eq(1900),
                 lambda i: i["title"].startswith("t5") and i["year"] != 1900),
                (Attr("year").eq(1900) | Attr("year").eq(1909), lambda i: i["year"] in (1900, 1909)),
                (Attr("price").attribute_type("N") & Attr("nope").not_exists() & Attr("year").ne(1905),
                 lambda i: i["year"] != 1905)]:
            expected = self.titles(item for item in everything if test(item))
            found = self.books.scan(FilterExpression=condition & Attr("price").exists())["Items"]
            self.assertEqual(expected, self.titles(found))

    def test_conditional_writes(self):
        key = {"author": "cond", "title": "one"}
        self.books.put_item(Item={**key, "n": 1}, ConditionExpression=Attr("author").not_exists())
        self.refuses("ConditionalCheckFailedException", "The conditional request failed", self.books.put_item,
                     Item={**key, "n": 2}, ConditionExpression=Attr("author").not_exists())
        reply = self.books.update_item(Key=key, UpdateExpression="SET n = n + :one, #l = list_append(if_not_exists(#l, "
                                       ":none), :more)", ConditionExpression=Attr("n").lt(5),
                                       ExpressionAttributeNames={"#l": "log"}, ReturnValues="ALL_NEW",
                                       ExpressionAttributeValues={":one": 1, ":none": [], ":more": ["x"]})
        self.assertEqual({**key, "n": 2, "log": ["x"]}, reply["Attributes"])
        self.books.delete_item(Key=key, ConditionExpression=Attr("log").contains("x"))
        self.assertNotIn("Item", self.books.get_item(Key=key))

    def test_resource_batch_get(self):
        keys = [{"author": f"a{n % 3}", "title": f"t{n:02}"} for n in range(0, 60, 7)]
        reply = self.resource.batch_get_item(RequestItems={self.books.name: {"Keys": keys}})
        self.assertEqual(self.titles(keys), self.titles(reply["Responses"][self.books.name]))

    def test_parallel_scan(self):
        found = []
        for segment in range(3):
            start = {}
            while True:
                page = self.books.scan(Segment=segment, TotalSegments=3, Limit=9, **start)
                found += [item for item in page["Items"] if "price" in item]
                if "LastEvaluatedKey" not in page:
                    break
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        self.assertEqual([f"t{n:02}" for n in range(60)], self.titles(found))


if __name__ == "__main__":
    harness.run_file()
