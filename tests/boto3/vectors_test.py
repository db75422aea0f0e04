#!/usr/bin/python3
"""Vector indexes and SearchVectors: definitions, writes, searches, capacity, online index creation, and kill -9.

Requests are sent over a Wire, because Debian's boto3 does not know them. Expected results are computed from all
items.
"""

import math
import operator
import random
import re
import struct
import sys
import threading
import time
import urllib.request
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case

SEED = random.SystemRandom().randrange(1 << 32)


def vector(*numbers):
    return {"L": [{"N": repr(number)} for number in numbers]}


def asked(numbers):
    return [{"N": repr(number)} for number in numbers]


def f32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def unit(numbers):
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


def including(*names):
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(names)}


def vector_index(name, attribute="v", dimensions=3, distance="COSINE", projection=None, schema=None):
    index = {"IndexName": name, "VectorAttribute": {"AttributeName": attribute}, "Dimensions": dimensions,
             "DistanceFunction": distance, "Projection": projection or {"ProjectionType": "ALL"}}
    if schema:
        index["SearchSchema"] = [{"AttributeName": attribute_name, "SearchSchemaElementType": kind}
                                 for attribute_name, kind in (part.split(":") for part in schema.split())]
    return index


def distance(kind, a, b):
    """The score by which results are sorted, in ascending order."""
    dot = sum(x * y for x, y in zip(a, b))
    if kind == "DOT_PRODUCT":
        return -dot
    if kind == "EUCLIDEAN":
        return math.dist(a, b)
    lengths = math.hypot(*a) * math.hypot(*b)
    return 1 - dot / lengths if lengths else 1.0


def gauge(server, name):
    page = urllib.request.urlopen(server.endpoint + "/metrics").read().decode()
    return float(re.search(rf"^{name} (\S+)", page, re.MULTILINE).group(1))


def wait_searchable(wire, table, index):
    def ready():
        described = wire.call("DescribeTable", TableName=table)["Table"]
        found = [i for i in described.get("VectorIndexes", []) if i["IndexName"] == index]
        return found and found[0]["IndexStatus"] == "ACTIVE" and described
    return harness.until(ready, f"{index} becoming ACTIVE")


class Vectors(Case):

    def make(self, name, indexes, key="pk:S", types=""):
        name = harness.unique(name)
        self.wire.call("CreateTable", TableName=name, **harness.schema(key, types), VectorIndexes=indexes)
        self.tables_.append(name)
        return name

    def put(self, table, item, **parameters):
        return self.wire.call("PutItem", TableName=table, Item=item, **parameters)

    def search(self, table, index, numbers, k=10, **parameters):
        return self.wire.call("SearchVectors", TableName=table, IndexName=index, SearchVector=asked(numbers), TopK=k,
                              **parameters)["SearchResults"]

    def keys(self, *arguments, **parameters):
        return [result["Item"]["pk"]["S"] for result in self.search(*arguments, **parameters)]

    def refused(self, message, operation, **parameters):
        self.refuses("ValidationException", message, self.wire.call, operation, **parameters)


class Definitions(Vectors):

    def create(self, indexes, types="", billing="PAY_PER_REQUEST"):
        return dict(TableName=harness.unique("never"), VectorIndexes=indexes, **harness.schema("pk:S", types, billing))

    def test_an_index_is_described_as_it_was_defined(self):
        table = self.make("described", [vector_index("vix", dimensions=4096, distance="DOT_PRODUCT",
                                                projection=including("b", "a"),
                                                schema="tenant:HASH kind:INLINE_FILTER")], types="tenant:S kind:N")
        described = wait_searchable(self.wire, table, "vix")
        index, = described["VectorIndexes"]
        arn = described["TableArn"] + "/index/vix"
        self.assertEqual(index, {
            "IndexName": "vix", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 4096,
            "DistanceFunction": "DOT_PRODUCT", "IndexStatus": "ACTIVE", "IndexArn": arn, "ItemCount": 0,
            "IndexSizeBytes": 0, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]},
            "SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"},
                             {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}]})
        self.assertEqual({"pk", "tenant", "kind"}, {a["AttributeName"] for a in described["AttributeDefinitions"]})

    def test_an_invalid_definition_gets_the_message_of_DynamoDB(self):
        invalid = "One or more parameter values were invalid: "
        one = "1 validation error detected: "
        cases = [
            (self.create([vector_index("vix")], billing="PROVISIONED"),
             invalid + "Vector indexes are only supported for PAY_PER_REQUEST tables"),
            (self.create([vector_index("vix", schema="tenant:HASH")]),
             invalid + "One element in SearchSchema is not defined in attribute definitions"),
            (self.create([vector_index("vix", dimensions=4097)]),
             invalid + "Number of dimensions must be between 1 and 4096 inclusive."),
            (self.create([vector_index("vix", dimensions=0)]),
             one + "Value '0' at 'vectorIndexes.1.member.dimensions' failed to satisfy constraint: Member must have "
             "value greater than or equal to 1"),
            (self.create([vector_index("vx")]),
             one + "Value 'vx' at 'vectorIndexes.1.member.indexName' failed to satisfy constraint: Member must have "
             "length greater than or equal to 3"),
            (self.create([vector_index("vix", distance="MANHATTAN")]),
             one + "Value 'MANHATTAN' at 'vectorIndexes.1.member.distanceFunction' failed to satisfy constraint: "
             "Member must satisfy enum value set: [COSINE, DOT_PRODUCT, EUCLIDEAN]"),
            (self.create([vector_index("vix", schema="tenant:RANGE")], types="tenant:S"),
             one + "Value 'RANGE' at 'vectorIndexes.1.member.searchSchema.1.member.searchSchemaElementType' failed to "
             "satisfy constraint: Member must satisfy enum value set: [HASH, INLINE_FILTER]"),
            (self.create([vector_index(f"vix-{n}") for n in range(6)]),
             invalid + "VectorIndex count exceeds the per-table limit of 5"),
            (self.create([vector_index("vix"), vector_index("vix2", dimensions=4)]),
             invalid + "Conflicting attribute definition for 'v'. All VectorIndexes on the same vector attribute must "
             "use the same dimensions."),
            (self.create([vector_index("vix")], types="v:B"),
             invalid + "Conflicting attribute definition for 'v'. An attribute cannot be defined in "
             "AttributeDefinitions when used as a VectorAttribute."),
            (self.create([vector_index("vix"), vector_index("vix")]), invalid + "Duplicate index name: vix"),
            (self.create([]), invalid + "List of VectorIndexes is empty"),
            (self.create([vector_index("vix", schema="a:HASH b:HASH")], types="a:S b:S"),
             invalid + "Value '2' at 'SearchSchema' failed to satisfy constraint: Member must have HASH count less "
             "than or equal to 1"),
            (self.create([vector_index("vix", schema="a:HASH a:INLINE_FILTER")], types="a:S"),
             invalid + "SearchSchema contains a duplicate AttributeName"),
        ]
        for parameters, message in cases:
            with self.subTest(message=message):
                self.refused(message, "CreateTable", **parameters)

    def test_a_table_with_vectors_stays_on_demand_and_its_index_is_read_by_search_alone(self):
        table = self.make("bound", [vector_index("vix")])
        self.refused("One or more parameter values were invalid: Vector indexes are only supported for PAY_PER_REQUEST "
                     "tables", "UpdateTable", TableName=table, BillingMode="PROVISIONED",
                     ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
        self.refused("Query operation not supported on this index type.", "Query", TableName=table, IndexName="vix",
                     KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "a"}})
        self.refused("Scan operation not supported on this index type.", "Scan", TableName=table, IndexName="vix")
        self.refused("Scan operation not supported on this index type.", "ExecuteStatement",
                     Statement=f'SELECT * FROM "{table}"."vix"')


class Writes(Vectors):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = cls.make(cls, "written", [vector_index("plain"), vector_index(
            "schema", schema="tenant:HASH category:INLINE_FILTER")], types="tenant:S category:S")

    def test_a_vector_that_does_not_fit_is_refused(self):
        wrong = "One or more parameter values were invalid. "
        cases = [
            ({"v": vector(1, 0)}, wrong + "Invalid size for parameter v, Expected: 3, Actual: 2 IndexName: plain"),
            ({"v": {"L": [{"N": "1"}, {"S": "oops"}, {"N": "0"}]}},
             wrong + "Invalid type for parameter v[1], Expected: 32-bit floating point number, Actual: S. "
             "IndexName: plain"),
            ({"v": {"S": "no vector"}},
             wrong + "Invalid type for parameter v, Expected: 32-bit floating point number list IndexName: plain"),
            ({"v": {"L": [{"N": "1"}, {"N": "1e39"}, {"N": "0"}]}},
             wrong + "Invalid type for parameter v[1], Expected: 32-bit floating point number, Actual: N. "
             "IndexName: plain"),
            ({"v": vector(0, 0, 1), "tenant": {"S": ""}},
             "One or more parameter values are not valid. A value specified for a secondary index key is not "
             "supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: "
             "schema, IndexKey: tenant"),
            ({"v": vector(0, 0, 1), "tenant": {"N": "1"}},
             "One or more parameter values were invalid: Type mismatch for Index Key tenant Expected: S Actual: N "
             "IndexName: schema"),
        ]
        for item, message in cases:
            with self.subTest(message=message):
                self.refused(message, "PutItem", TableName=self.name, Item={"pk": {"S": "bad"}, **item})
                self.refused(message, "BatchWriteItem",
                             RequestItems={self.name: [{"PutRequest": {"Item": {"pk": {"S": "bad"}, **item}}}]})
        self.put(self.name, {"pk": {"S": "updated"}, "v": vector(1, 2, 3)})
        self.refused(cases[0][1], "UpdateItem", TableName=self.name, Key={"pk": {"S": "updated"}},
                     UpdateExpression="SET v = :v", ExpressionAttributeValues={":v": vector(1, 0)})
        self.assertNotIn("bad", self.keys(self.name, "plain", [0, 0, 1], k=100))

    def test_an_item_is_in_an_index_while_it_fits(self):
        key = {"pk": {"S": "moving"}}
        def found(index, **parameters):
            return "moving" in self.keys(self.name, index, [5, 5, 5], k=100, **parameters)
        def of(tenant):
            return dict(SearchConditionExpression="tenant = :t", ExpressionAttributeValues={":t": {"S": tenant}})
        self.put(self.name, {**key, "v": vector(5, 5, 5)})
        self.assertTrue(found("plain"))
        self.assertFalse(found("schema", **of("one")))
        update = dict(TableName=self.name, Key=key)
        self.wire.call("UpdateItem", **update, UpdateExpression="SET tenant = :t",
                       ExpressionAttributeValues={":t": {"S": "one"}})
        self.assertTrue(found("schema", **of("one")))
        self.wire.call("UpdateItem", **update, UpdateExpression="SET tenant = :t",
                       ExpressionAttributeValues={":t": {"S": "two"}})
        self.assertFalse(found("schema", **of("one")))
        self.assertTrue(found("schema", **of("two")))
        self.wire.call("UpdateItem", **update, UpdateExpression="REMOVE tenant")
        self.assertFalse(found("schema", **of("two")))
        self.assertTrue(found("plain"))
        self.wire.call("UpdateItem", **update, UpdateExpression="REMOVE v")
        self.assertFalse(found("plain"))
        self.wire.call("TransactWriteItems", TransactItems=[
            {"Put": {"TableName": self.name, "Item": {**key, "v": vector(5, 5, 5), "tenant": {"S": "one"}}}}])
        self.assertTrue(found("plain") and found("schema", **of("one")))
        self.wire.call("DeleteItem", **update)
        self.assertFalse(found("plain") or found("schema", **of("one")))

    def test_items_keep_their_digits_and_the_index_has_32_bits(self):
        precise = ["0.1", "16777217", "1.000000059604644775390625"]
        item = {"pk": {"S": "precise"}, "v": {"L": [{"N": number} for number in precise]}}
        self.put(self.name, item)
        stored = self.wire.call("GetItem", TableName=self.name, Key={"pk": item["pk"]})["Item"]
        self.assertEqual(item["v"], stored["v"])
        found = self.search(self.name, "plain", [0.1, 16777217, 1], k=1, ProjectionExpression="pk, v")
        self.assertEqual([{"N": "0.1"}, {"N": "16777216"}, {"N": "1"}], found[0]["Item"]["v"]["L"])


class Searches(Vectors):

    def test_scores_of_the_three_functions(self):
        indexes = [vector_index(kind.lower(), distance=kind) for kind in ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")]
        table = self.make("scored", indexes)
        for key, numbers in {"a": (1, 0, 0), "b": (0, 1, 0), "c": (-1, 0, 0), "d": (0.6, 0.8, 0)}.items():
            self.put(table, {"pk": {"S": key}, "label": {"S": "item " + key}, "v": vector(*numbers)})
        expected = {"cosine": [("a", 0), ("d", 0.4), ("b", 1), ("c", 2)],
                    "euclidean": [("a", 0), ("d", math.sqrt(0.8)), ("b", math.sqrt(2)), ("c", 2)],
                    "dot_product": [("a", 1), ("d", 0.6), ("b", 0), ("c", -1)]}
        for index, order in expected.items():
            got = self.search(table, index, [1, 0, 0])
            self.assertEqual([key for key, _ in order], [result["Item"]["pk"]["S"] for result in got])
            for result, (_, score) in zip(got, order):
                self.assertAlmostEqual(score, result["Score"], places=6)
        self.assertEqual(0, self.search(table, "cosine", [1, 0, 0])[0]["Score"])
        self.assertEqual({"pk", "label"}, set(self.search(table, "cosine", [1, 0, 0], k=1)[0]["Item"]))
        self.assertEqual(["a"], self.keys(table, "cosine", [3, 0, 0], k=1))

    def test_only_what_is_projected_comes_back(self):
        table = self.make("projected", [
            vector_index("keys", projection={"ProjectionType": "KEYS_ONLY"}),
            vector_index("some", projection=including("title"),
                         schema="kind:INLINE_FILTER")], types="kind:S")
        self.put(table, {"pk": {"S": "a"}, "title": {"S": "t"}, "price": {"N": "1"}, "kind": {"S": "k"},
                         "v": vector(1, 0, 0)})
        item = lambda index, **more: self.search(table, index, [1, 0, 0], **more)[0]["Item"]
        self.assertEqual({"pk"}, set(item("keys")))
        self.assertEqual({"pk", "title", "kind"}, set(item("some")))
        self.assertEqual({"pk", "v"}, set(item("some", ProjectionExpression="pk, #v, price",
                                               ExpressionAttributeNames={"#v": "v"})))

    def test_conditions_choose_by_partition_and_filters(self):
        table = self.make("chosen", [vector_index("vix", schema="tenant:HASH kind:INLINE_FILTER weight:INLINE_FILTER")],
                          types="tenant:S kind:S weight:N")
        for n in range(24):
            item = {"pk": {"S": f"i{n:02}"}, "tenant": {"S": "ab"[n % 2]}, "kind": {"S": "xyz"[n % 3]},
                    "v": vector(n, 1, 0)}
            if n < 12:
                item["weight"] = {"N": str(n % 4)}
            self.put(table, item)
        def found(expression, **values):
            return sorted(self.keys(table, "vix", [1, 1, 0], k=100, SearchConditionExpression=expression,
                                    ExpressionAttributeValues={":" + name: value for name, value in values.items()}))
        expect = lambda test: [f"i{n:02}" for n in range(24) if test(n)]
        self.assertEqual(expect(lambda n: n % 2 == 0), found("tenant = :t", t={"S": "a"}))
        self.assertEqual(expect(lambda n: n % 2 == 1 and n % 3 == 2),
                         found("tenant = :t AND :k = kind", t={"S": "b"}, k={"S": "z"}))
        self.assertEqual(expect(lambda n: n % 2 == 0 and n < 12 and n % 4 == 2),
                         found("(weight = :s) AND tenant = :t", t={"S": "a"}, s={"N": "2.0"}))
        self.assertEqual([], found("tenant = :t", t={"S": "nobody"}))

    def test_an_invalid_search_gets_the_message_of_DynamoDB(self):
        table = self.make("refused", [vector_index("plain"),
                                      vector_index("schema", schema="tenant:HASH category:INLINE_FILTER")],
                          types="tenant:S category:S")
        base = dict(TableName=table, IndexName="plain", SearchVector=asked([1, 0, 0]), TopK=1)
        of_schema = {**base, "IndexName": "schema"}
        comparator = "Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression"
        cases = [
            ({**base, "TopK": 101}, "Provided TopK value '101' is out of valid range. The value must be between 1 and "
             "100 inclusive"),
            ({**base, "TopK": 0}, "1 validation error detected: Value '0' at 'topK' failed to satisfy constraint: "
             "Member must have value greater than or equal to 1"),
            ({**base, "IndexName": "ab"}, "1 validation error detected: Value at 'IndexName' failed to satisfy "
             "constraint: Member must have length greater than or equal to 3"),
            ({**base, "SearchVector": []}, "1 validation error detected: Value at 'SearchVector' failed to satisfy "
             "constraint: Member must have length greater than or equal to 1"),
            ({**base, "IndexName": "absent"}, "The table does not have the specified index: absent"),
            ({**base, "SearchVector": asked([1, 0])}, "Input search vector dimension 2 does not match vector index "
             "dimension 3"),
            ({**base, "SearchVector": [vector(1, 0, 0)]}, "Search vector contains invalid values. All values in the "
             "search vector must be a 32-bit floating-point number attribute"),
            (of_schema, "SearchConditionExpression must be provided when SearchSchema has a HASH key"),
            ({**of_schema, "SearchConditionExpression": "tenant < :t", "ExpressionAttributeValues": {":t": {"S": "t"}}},
             comparator),
            ({**of_schema, "SearchConditionExpression": "tenant = :t AND category <> :c",
              "ExpressionAttributeValues": {":t": {"S": "t"}, ":c": {"S": "c"}}}, comparator),
            ({**of_schema, "SearchConditionExpression": "tenant IN (:t)",
              "ExpressionAttributeValues": {":t": {"S": "t"}}},
             "Invalid SearchConditionExpression: Invalid operator used in SearchConditionExpression"),
            ({**base, "SearchConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":t": {"S": "t"}}},
             "SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid "
             "attribute: tenant"),
            ({**of_schema, "SearchConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":t": {"N": "1"}}},
             "Type of 'tenant' attribute in SearchConditionExpression (N) does not match type in search schema (S)"),
            ({**of_schema, "SearchConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":t": {"S": ""}}},
             "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
             "empty string value. Key: tenant"),
        ]
        for parameters, message in cases:
            with self.subTest(message=message):
                self.refused(message, "SearchVectors", **parameters)
        self.refuses("ResourceNotFoundException", "Requested resource not found", self.wire.call, "SearchVectors",
                     **{**base, "TableName": "no-such-table"})

    def test_random_changes_leave_what_a_look_at_every_item_finds(self):
        print(f"seed {SEED}", end=" ", flush=True)
        chance = random.Random(SEED)
        kinds = ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")
        table = self.make("random", [vector_index(kind.lower(), distance=kind, dimensions=8,
                                                  schema="kind:INLINE_FILTER") for kind in kinds], types="kind:S")
        items = {}
        for step in range(600):
            key = f"k{chance.randrange(120)}"
            if chance.random() < 0.25:
                self.wire.call("DeleteItem", TableName=table, Key={"pk": {"S": key}})
                items.pop(key, None)
            else:
                numbers = [f32(chance.gauss(0, 1)) for _ in range(8)]
                kind = chance.choice("xyz")
                self.put(table, {"pk": {"S": key}, "kind": {"S": kind}, "v": vector(*numbers)})
                items[key] = (numbers, kind)
            if step % 10:
                continue
            query = [f32(chance.gauss(0, 1)) for _ in range(8)]
            function = chance.choice(kinds)
            wanted = chance.choice(["x", None])
            more = {"SearchConditionExpression": "kind = :k",
                    "ExpressionAttributeValues": {":k": {"S": wanted}}} if wanted else {}
            got = self.keys(table, function.lower(), query, k=7, **more)
            order = sorted((distance(function, query, numbers), key) for key, (numbers, kind) in items.items()
                           if wanted in (None, kind))
            # Scores have 32 bits: results with equal scores may come in any order.
            scores = {key: score for score, key in order}
            self.assertEqual(len(got), min(7, len(order)))
            for (score, _), key in zip(order, got):
                self.assertAlmostEqual(score, scores[key], places=5)
        described = self.wire.call("DescribeTable", TableName=table)["Table"]
        self.assertEqual([len(items)] * 3, [index["ItemCount"] for index in described["VectorIndexes"]])


class Capacity(Vectors):

    def test_writes_tell_the_bytes_of_each_index_and_searches_their_own(self):
        table = self.make("metered", [vector_index("vix"),
                                      vector_index("vkeys", projection={"ProjectionType": "KEYS_ONLY"})])
        def write(item, detail="INDEXES"):
            return self.put(table, item, ReturnConsumedCapacity=detail)["ConsumedCapacity"]
        small = {"pk": {"S": "f0"}, "v": vector(0, 1, 0)}
        consumed = write(small)
        self.assertEqual((1, 1), (consumed["CapacityUnits"], consumed["Table"]["CapacityUnits"]))
        self.assertEqual({"vix": {"VectorWriteRequestBytes": 1024}, "vkeys": {"VectorWriteRequestBytes": 1024}},
                         consumed["VectorIndexes"])
        self.assertNotIn("VectorIndexes", write(small))
        self.assertNotIn("VectorIndexes", write({**small, "pk": {"S": "f1"}}, "TOTAL"))
        large = {"pk": {"S": "f2"}, "blob": {"S": "x" * 1500}, "v": vector(1, 2, 3)}
        self.assertEqual({"VectorWriteRequestBytes": 2 + 2 + 4 + 1500 + 1 + 12}, write(large)["VectorIndexes"]["vix"])
        changed = write({**large, "note": {"S": "n"}})["VectorIndexes"]
        self.assertEqual({"vix": {"VectorWriteRequestBytes": 2 + 2 + 4 + 1500 + 1 + 12 + 5}}, changed)
        wide = "12345678901234567890123456789012345678"
        for billed, units in ((1024, 1), (1025, 2)):
            pad = billed - len("pk" + "a1" + "v" + "pad") - 12
            item = {"pk": {"S": "a1"}, "v": {"L": [{"N": wide}] * 3}, "pad": {"S": "x" * pad}}
            self.assertEqual(units, write(item, "TOTAL")["CapacityUnits"])
        ask = dict(TableName=table, IndexName="vix", SearchVector=asked([1, 0, 0]), TopK=1)
        total, indexes = (self.wire.call("SearchVectors", **ask, ReturnConsumedCapacity=detail)["ConsumedCapacity"]
                          for detail in ("TOTAL", "INDEXES"))
        self.assertEqual(total, indexes)
        self.assertEqual(["VectorSearchRequestBytes"], list(total))
        self.assertGreaterEqual(total["VectorSearchRequestBytes"], 1024)
        self.assertNotIn("ConsumedCapacity", self.wire.call("SearchVectors", **ask))


class Building(Vectors):

    def fill(self, wire, table, count, dimensions=4):
        chance = random.Random(7)
        items = {f"item-{n}": [f32(chance.gauss(0, 1)) for _ in range(dimensions)] for n in range(count)}
        keys = list(items)
        for start in range(0, count, 25):
            wire.call("BatchWriteItem", RequestItems={table: [
                {"PutRequest": {"Item": {"pk": {"S": key}, "v": vector(*items[key])}}}
                for key in keys[start:start + 25]]})
        return items

    def create(self, wire, table, name, dimensions=4):
        created = vector_index(name, dimensions=dimensions, distance="EUCLIDEAN")
        return wire.call("UpdateTable", TableName=table, VectorIndexUpdates=[{"Create": created}])

    def check(self, wire, table, name, items):
        chance = random.Random(11)
        described = wait_searchable(wire, table, name)
        index, = [i for i in described["VectorIndexes"] if i["IndexName"] == name]
        self.assertNotIn("Backfilling", index)
        for _ in range(20):
            query = [f32(chance.gauss(0, 1)) for _ in range(4)]
            found = wire.call("SearchVectors", TableName=table, IndexName=name, SearchVector=asked(query), TopK=10)
            expected = sorted((distance("EUCLIDEAN", query, numbers), key) for key, numbers in items.items())[:10]
            self.assertEqual([key for _, key in expected],
                             [result["Item"]["pk"]["S"] for result in found["SearchResults"]])

    def counted(self, wire, items):
        def counts():
            table = wire.call("DescribeTable", TableName="killed")["Table"]
            return {part["ItemCount"] for part in [table, *table["VectorIndexes"]]} == {len(items)}
        harness.until(counts, "counting anew")

    def test_an_index_is_added_to_a_table_and_deleted_again(self):
        table = self.make("late", [vector_index("first")])
        self.put(table, {"pk": {"S": "misfit"}, "w": vector(1, 2)})
        self.put(table, {"pk": {"S": "fit"}, "w": vector(1, 2, 3)})
        description = self.wire.call("UpdateTable", TableName=table, VectorIndexUpdates=[
            {"Create": vector_index("second", attribute="w")}])["TableDescription"]
        self.assertEqual("UPDATING", description["TableStatus"])
        second = description["VectorIndexes"][1]
        self.assertEqual(("CREATING", False), (second["IndexStatus"], second["Backfilling"]))
        described = wait_searchable(self.wire, table, "second")
        self.assertEqual(1, described["VectorIndexes"][1]["ItemCount"])
        self.assertEqual(["fit"], self.keys(table, "second", [1, 2, 3]))
        self.refuses("LimitExceededException", "Subscriber limit exceeded: Only 1 online index can be created or "
                     "deleted simultaneously per table", self.wire.call, "UpdateTable", TableName=table,
                     VectorIndexUpdates=[{"Create": vector_index("third")}, {"Create": vector_index("fourth")}])
        self.refused("Attempting to create an index which already exists", "UpdateTable", TableName=table,
                     VectorIndexUpdates=[{"Create": vector_index("second", attribute="w")}])
        self.wire.call("UpdateTable", TableName=table, VectorIndexUpdates=[{"Delete": {"IndexName": "second"}}])
        described = self.wire.call("DescribeTable", TableName=table)["Table"]
        self.assertEqual(["first"], [index["IndexName"] for index in described["VectorIndexes"]])
        self.refused("The table does not have the specified index: second", "SearchVectors", TableName=table,
                     IndexName="second", SearchVector=asked([1, 2, 3]), TopK=1)
        self.refuses("ResourceNotFoundException", f"Requested resource not found: Index second for table {table}",
                     self.wire.call, "UpdateTable", TableName=table,
                     VectorIndexUpdates=[{"Delete": {"IndexName": "second"}}])

    def test_kill_while_an_index_is_built_and_while_it_is_written(self):
        with harness.Server() as server:
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "killed", **harness.schema("pk:S"))
            items = self.fill(wire, "killed", 3000)
            met = 0
            for attempt in range(4):
                self.create(wire, "killed", f"index-{attempt}")
                time.sleep(attempt * 0.02)
                server.kill()
                wire = harness.Wire(server.start().endpoint)
                described = wire.call("DescribeTable", TableName="killed")["Table"]
                met += described["VectorIndexes"][-1]["IndexStatus"] == "CREATING"
                self.check(wire, "killed", f"index-{attempt}", items)
                self.counted(wire, items)
            self.assertGreater(met, 0, "no kill met an index being built")
            for _ in range(2):
                self.change_until_killed(server, wire, items)
                wire = harness.Wire(server.start().endpoint)
                stored = harness.every_page(wire.call, "Scan", TableName="killed")
                items = {item["pk"]["S"]: [f32(float(n["N"])) for n in item["v"]["L"]] for item in stored}
                for attempt in range(4):
                    self.check(wire, "killed", f"index-{attempt}", items)
                self.counted(wire, items)
            self.assertEqual(0, server.stop())
            wire = harness.Wire(server.start().endpoint)
            self.check(wire, "killed", "index-0", items)

    def change_until_killed(self, server, wire, items):
        timer = threading.Timer(0.4, server.kill)
        timer.start()
        chance = random.Random()
        keys = list(items)
        try:
            while True:
                key = chance.choice(keys)
                if chance.random() < 0.3:
                    wire.call("DeleteItem", TableName="killed", Key={"pk": {"S": key}})
                else:
                    numbers = [f32(chance.gauss(0, 1)) for _ in range(4)]
                    wire.call("PutItem", TableName="killed", Item={"pk": {"S": key}, "v": vector(*numbers)})
        except OSError:
            timer.join()

    def test_kill_while_a_graph_is_built(self):
        """An index large enough to be searched by a graph: results before, during and after the graph is built."""
        dimensions, count, queries = 1000, 2100, 12  # with few queries, one that is far from all vectors decides
        chance = random.Random(SEED)
        topics = [[chance.gauss(0, 1) for _ in range(dimensions)] for _ in range(20)]
        def random_vector():
            near, share = chance.choice(topics), chance.random()
            return [round(share * x + 0.3 * chance.gauss(0, 1), 4) for x in near]
        items = {f"item-{n}": random_vector() for n in range(count)}
        with harness.Server() as server:
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "graph", **harness.schema("pk:S"),
                                 VectorIndexes=[vector_index("vix", dimensions=dimensions)])
            keys = list(items)
            for start in range(0, count, 25):
                wire.call("BatchWriteItem", RequestItems={"graph": [
                    {"PutRequest": {"Item": {"pk": {"S": key}, "v": vector(*items[key])}}}
                    for key in keys[start:start + 25]]})
            in_graph = lambda: gauge(server, "trestle_vectors_in_graphs")
            units = {key: unit(numbers) for key, numbers in items.items()}
            harness.until(in_graph, "the beginning of a graph")
            self.assertGreaterEqual(self.recall(wire, units, random_vector, queries), 0.95)
            server.kill()
            wire = harness.Wire(server.start().endpoint)
            self.assertGreaterEqual(self.recall(wire, units, random_vector, queries), 0.95)
            harness.until(lambda: in_graph() == count, "the graph")
            self.assertGreaterEqual(self.recall(wire, units, random_vector, queries), 0.95)

    def recall(self, wire, units, random_vector, queries):
        found = 0
        for _ in range(queries):
            query = random_vector()
            got = wire.call("SearchVectors", TableName="graph", IndexName="vix", SearchVector=asked(query), TopK=10)
            closest = sorted((-sum(map(operator.mul, query, other)), key) for key, other in units.items())[:10]
            found += len({key for _, key in closest} & {result["Item"]["pk"]["S"] for result in got["SearchResults"]})
        return found / (10 * queries)

    def test_an_index_without_room_in_memory_is_searched_on_disk(self):
        with harness.Server("--vector-memory-mb", "0") as server:
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "large", **harness.schema("pk:S"),
                                 VectorIndexes=[vector_index("vix", dimensions=4, distance="EUCLIDEAN")])
            items = self.fill(wire, "large", 300)
            harness.until(lambda: "does not fit" in server.log(), "the warning")
            self.check(wire, "large", "vix", items)

    def test_a_restored_table_has_its_vector_index(self):
        table = self.make("kept", [vector_index("vix", dimensions=4, distance="EUCLIDEAN")])
        items = self.fill(self.wire, table, 100)
        arn = self.wire.call("CreateBackup", TableName=table, BackupName="vectors")["BackupDetails"]["BackupArn"]
        harness.until(lambda: self.wire.call("DescribeBackup", BackupArn=arn)["BackupDescription"]["BackupDetails"]
                      ["BackupStatus"] == "AVAILABLE", "the backup")
        features = self.wire.call("DescribeBackup", BackupArn=arn)["BackupDescription"]["SourceTableFeatureDetails"]
        self.assertEqual([vector_index("vix", dimensions=4, distance="EUCLIDEAN")], features["VectorIndexes"])
        restored = harness.unique("restored")
        self.wire.call("RestoreTableFromBackup", TargetTableName=restored, BackupArn=arn)
        self.tables_.append(restored)
        harness.wait_active(self.wire, restored)
        self.check(self.wire, restored, "vix", items)
        self.wire.call("DeleteBackup", BackupArn=arn)


if __name__ == "__main__":
    harness.run_file()
