#!/usr/bin/python3
"""BatchGetItem and BatchWriteItem by boto3."""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case

DUPLICATES = "Provided list of item keys contains duplicates"


def item(number, **more):
    return {"pk": {"S": f"k{number}"}, **more}


def put(number, **more):
    return {"PutRequest": {"Item": item(number, **more)}}


def delete(number):
    return {"DeleteRequest": {"Key": item(number)}}


class BatchCase(Case):

    def setUp(self):
        self.name = self.table("batch")

    def keys(self):
        return sorted(found["pk"]["S"] for found in self.client.scan(TableName=self.name)["Items"])

    def write(self, requests, **parameters):
        return self.raw.batch_write_item(RequestItems={self.name: requests}, **parameters)

    def get(self, numbers, **parameters):
        return self.raw.batch_get_item(RequestItems={self.name: {"Keys": [item(n) for n in numbers], **parameters}})


class BatchWrite(BatchCase):

    def test_puts_and_deletes(self):
        self.assertEqual({}, self.write([put(n) for n in range(25)])["UnprocessedItems"])
        self.assertEqual({}, self.write([delete(n) for n in range(20)] + [put(99), delete(1000)])["UnprocessedItems"])
        self.assertEqual(sorted([f"k{n}" for n in range(20, 25)] + ["k99"]), self.keys())

    def test_several_tables(self):
        other = self.table("other")
        self.client.batch_write_item(RequestItems={self.name: [put(1)], other: [put(1), put(2)]})
        self.assertEqual(["k1"], self.keys())
        self.assertEqual(2, self.client.scan(TableName=other)["Count"])

    def test_consumed_capacity_and_metrics(self):
        reply = self.write([put(1, a={"S": "x" * 1500}), put(2)], ReturnConsumedCapacity="TOTAL",
                           ReturnItemCollectionMetrics="SIZE")
        self.assertEqual([{"TableName": self.name, "CapacityUnits": 3.0}], reply["ConsumedCapacity"])

    def test_refusals(self):
        self.refuses("ValidationException", re.compile(
            "The requestItems parameter is required for BatchWriteItem|Value at 'RequestItems' failed to satisfy"),
            self.raw.batch_write_item, RequestItems={})
        self.refuses("ValidationException", re.compile("Member must have length less than or equal to 25"), self.write,
                     [put(n) for n in range(26)])
        self.refuses("ValidationException", DUPLICATES, self.write, [put(1), put(2), delete(1)])
        self.refuses("ValidationException", "The provided key element does not match the schema", self.write,
                     [{"PutRequest": {"Item": {"pk": {"N": "1"}}}}])
        self.refuses("ValidationException", "One or more parameter values are not valid. The AttributeValue for a key "
                     "attribute cannot contain an empty string value. Key: pk", self.write,
                     [{"PutRequest": {"Item": {"pk": {"S": ""}}}}])
        self.refuses("ResourceNotFoundException", "Requested resource not found", self.client.batch_write_item,
                     RequestItems={self.name: [put(1)], "nowhere": [put(1)]})
        self.refuses("ValidationException", "Item size has exceeded the maximum allowed size", self.write,
                     [put(1), put(2, a={"S": "x" * (400 * 1024)})])
        self.refuses("ValidationException", re.compile("Supplied AttributeValue has more than one datatypes set|"
                                                       "exactly one"), self.write,
                     [{"PutRequest": {"Item": item(1)}, "DeleteRequest": {"Key": item(1)}}])
        self.assertEqual([], self.keys(), "a refused batch writes nothing")


class BatchGet(BatchCase):

    def test_found_and_missing(self):
        self.write([put(n, v={"N": str(n)}) for n in range(10)])
        reply = self.get([3, 4, 77])
        self.assertEqual({"k3", "k4"}, {found["pk"]["S"] for found in reply["Responses"][self.name]})
        self.assertEqual({}, reply["UnprocessedKeys"])

    def test_projection(self):
        self.write([put(1, v={"N": "1"}, w={"N": "2"})])
        self.assertEqual([{"w": {"N": "2"}}], self.get([1], ProjectionExpression="#w", ExpressionAttributeNames={
            "#w": "w"})["Responses"][self.name])
        self.assertEqual([{"v": {"N": "1"}}], self.get([1], AttributesToGet=["v"])["Responses"][self.name])

    def test_sixteen_megabytes_at_most(self):
        """Items beyond 16 MB are returned as UnprocessedKeys, and further requests return them all."""
        for number in range(60):
            self.client.put_item(TableName=self.name, Item=item(number, text={"S": "x" * 380_000}))
        wanted = {self.name: {"Keys": [item(n) for n in range(60)], "ConsistentRead": True}}
        seen, rounds = [], 0
        while wanted:
            reply = self.client.batch_get_item(RequestItems=wanted)
            seen += [found["pk"]["S"] for found in reply["Responses"][self.name]]
            wanted, rounds = reply["UnprocessedKeys"], rounds + 1
            if wanted:
                self.assertTrue(wanted[self.name]["ConsistentRead"])
            if rounds == 1:
                self.assertIn(len(seen), (43, 44, 45), "items of the first 16 MB")
        self.assertEqual(sorted(f"k{n}" for n in range(60)), sorted(seen))

    def test_refusals(self):
        self.refuses("ValidationException", re.compile(
            "The requestItems parameter is required for BatchGetItem|Value at 'RequestItems' failed to satisfy"),
            self.raw.batch_get_item, RequestItems={})
        self.refuses("ValidationException", "Too many items requested for the BatchGetItem call",
                     self.raw.batch_get_item, RequestItems={
                         self.name: {"Keys": [item(n) for n in range(60)]},
                         self.table("other"): {"Keys": [item(n) for n in range(60)]}})
        self.refuses("ValidationException", re.compile("Member must have length less than or equal to 100"), self.get,
                     range(101))
        self.refuses("ValidationException", DUPLICATES, self.get, [1, 1])
        self.refuses("ValidationException", "The provided key element does not match the schema",
                     self.raw.batch_get_item, RequestItems={self.name: {"Keys": [{"pk": {"N": "1"}}]}})
        self.refuses("ResourceNotFoundException", "Requested resource not found", self.client.batch_get_item,
                     RequestItems={"nowhere": {"Keys": [item(1)]}})
        self.refuses("ValidationException", "Invalid ProjectionExpression: Two document paths overlap with each other; "
                     "must remove or rewrite one of these paths; path one: [a], path two: [a, b]", self.get, [1],
                     ProjectionExpression="a, a.b")


if __name__ == "__main__":
    harness.run_file()
