#!/usr/bin/python3
"""The reported cost of requests: ReturnConsumedCapacity to the unit, and ReturnItemCollectionMetrics."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, index


def text(length):
    return {"S": "x" * length}


class Capacity(Case):
    """A table with small keys, a global index that projects `proj` and a local one that projects all attributes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = cls.table("capacity", "pk:S sk:S", "g:S l:S",
                             GlobalSecondaryIndexes=[index("global", "g", include=["proj"])],
                             LocalSecondaryIndexes=[index("local", "pk l")])
        cls.counter = 0

    def key(self):
        type(self).counter += 1
        return {"pk": {"S": f"k{self.counter}"}, "sk": {"S": "1"}}

    def cost(self, call, **parameters):
        """(total, table, global, local) units of a call; None for members that the reply does not have."""
        used = call(TableName=self.name, ReturnConsumedCapacity="INDEXES", **parameters)["ConsumedCapacity"]
        self.assertEqual(self.name, used["TableName"])
        return (used["CapacityUnits"], used["Table"]["CapacityUnits"],
                used.get("GlobalSecondaryIndexes", {}).get("global", {}).get("CapacityUnits"),
                used.get("LocalSecondaryIndexes", {}).get("local", {}).get("CapacityUnits"))

    def put(self, item):
        return self.cost(self.client.put_item, Item=item)

    def seed(self):
        key = self.key()
        self.client.put_item(TableName=self.name, Item={**key, "g": {"S": "g"}, "l": {"S": "l"}, "proj": {"S": "p"},
                                                        "rest0": {"S": "o"}})
        return key

    def update(self, expression, value=None):
        parameters = {"ExpressionAttributeValues": {":v": {"S": value}}} if value else {}
        return self.cost(self.client.update_item, Key=self.seed(), UpdateExpression=expression, **parameters)

    def test_none_and_total(self):
        key = self.key()
        self.assertNotIn("ConsumedCapacity", self.client.put_item(TableName=self.name, Item=key))
        used = self.client.put_item(TableName=self.name, Item=key, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
        self.assertEqual({"TableName": self.name, "CapacityUnits": 1.0}, used)

    def test_put_by_kilobytes(self):
        for length, units in ((100, 1), (1000, 1), (1024, 2), (2500, 3)):
            self.assertEqual((units, units, None, None), self.put({**self.key(), "text": text(length)}))

    def test_put_costs_the_larger_of_old_and_new(self):
        key = self.key()
        self.put({**key, "text": text(4000)})
        self.assertEqual((4, 4, None, None), self.put(key))
        self.assertEqual((1, 1, None, None), self.put(key))

    def test_put_with_indexes(self):
        item = {**self.key(), "g": {"S": "g"}, "proj": {"S": "p"}}
        self.assertEqual((2, 1, 1, None), self.put(item))
        self.assertEqual((1, 1, None, None), self.put(item), "an identical overwrite changes no index")
        self.assertEqual((2, 1, None, 1), self.put({**self.key(), "l": {"S": "l"}}))
        self.assertEqual((3, 1, 1, 1), self.put({**self.key(), "l": {"S": "l"}, "g": {"S": "g"}}))

    def test_update_with_indexes(self):
        self.assertEqual((2, 1, None, 1), self.update("SET rest0 = :v", "new"), "not carried by the global index")
        self.assertEqual((3, 1, 1, 1), self.update("SET proj = :v", "new"))
        self.assertEqual((4, 1, 2, 1), self.update("SET g = :v", "new"), "an entry moves: a delete and an insert")
        self.assertEqual((3, 1, 1, 1), self.update("REMOVE g"))
        self.assertEqual((3, 1, None, 2), self.update("SET l = :v", "new"))

    def test_delete(self):
        self.assertEqual((3, 1, 1, 1), self.cost(self.client.delete_item, Key=self.seed()))
        self.assertEqual((1, 1, None, None), self.cost(self.client.delete_item, Key=self.key()))
        key = self.key()
        self.put({**key, "text": text(3000)})
        self.assertEqual((3, 3, None, None), self.cost(self.client.delete_item, Key=key))

    def test_failed_condition_still_costs(self):
        key = self.key()
        self.client.put_item(TableName=self.name, Item=key)
        self.refuses("ConditionalCheckFailedException", "The conditional request failed", self.client.put_item,
                     TableName=self.name, Item=key, ConditionExpression="attribute_not_exists(pk)",
                     ReturnConsumedCapacity="TOTAL")

    def test_get(self):
        key = self.key()
        for length, strong in ((100, 1), (4000, 1), (4096, 2), (20000, 5)):
            self.client.put_item(TableName=self.name, Item={**key, "text": text(length)})
            self.assertEqual((strong, strong, None, None),
                             self.cost(self.client.get_item, Key=key, ConsistentRead=True))
            self.assertEqual((strong / 2,) * 2 + (None,) * 2, self.cost(self.client.get_item, Key=key))
            self.assertEqual((strong / 2,) * 2 + (None,) * 2,
                             self.cost(self.client.get_item, Key=key, ProjectionExpression="sk"))
        self.assertEqual((0.5, 0.5, None, None), self.cost(self.client.get_item, Key=self.key()), "a missing item")

    def test_query_rounds_the_sum(self):
        partition = {"S": f"query-{self.key()['pk']['S']}"}
        for number in range(8):
            self.client.put_item(TableName=self.name, Item={"pk": partition, "sk": {"S": str(number)}, "l": {"S": "l"},
                                                            "text": text(1000)})
        query = dict(KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": partition})
        self.assertEqual((2, 2, None, None), self.cost(self.client.query, **query, ConsistentRead=True))
        self.assertEqual((1, 1, None, None), self.cost(self.client.query, **query))
        self.assertEqual((1, 1, None, None), self.cost(self.client.query, **query, ProjectionExpression="sk"))
        self.assertEqual((1, 1, None, None), self.cost(self.client.query, **query, Select="COUNT"))
        self.assertEqual((1, 1, None, None),
                         self.cost(self.client.query, **query, FilterExpression="attribute_exists(nope)"))
        self.assertEqual((1, 0, None, 1), self.cost(self.client.query, **query, IndexName="local"))

    def test_batch_get(self):
        keys = [self.seed() for _ in range(3)]
        reply = self.client.batch_get_item(RequestItems={self.name: {"Keys": keys, "ConsistentRead": True}},
                                           ReturnConsumedCapacity="TOTAL")
        self.assertEqual([{"TableName": self.name, "CapacityUnits": 3.0}], reply["ConsumedCapacity"])

    def test_item_collection_metrics(self):
        key = self.key()
        for call, parameters in ((self.client.put_item, {"Item": key}), (self.client.update_item, {"Key": key}),
                                 (self.client.delete_item, {"Key": key})):
            reply = call(TableName=self.name, ReturnItemCollectionMetrics="SIZE", **parameters)
            metrics = reply["ItemCollectionMetrics"]
            self.assertEqual({"pk": key["pk"]}, metrics["ItemCollectionKey"])
            low, high = metrics["SizeEstimateRangeGB"]
            self.assertTrue(0 <= low < 0.001 and low <= high <= 1, (low, high))
            self.assertNotIn("ItemCollectionMetrics", call(TableName=self.name, **parameters))

    def test_no_collection_metrics_without_local_index(self):
        name = self.table("plain")
        reply = self.client.put_item(TableName=name, Item={"pk": {"S": "a"}}, ReturnItemCollectionMetrics="SIZE")
        self.assertNotIn("ItemCollectionMetrics", reply)


if __name__ == "__main__":
    harness.run_file()
