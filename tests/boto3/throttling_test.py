#!/usr/bin/python3
"""Capacity: throttling of provisioned tables and indexes and of on-demand maximums; account limits and the limit on decreases."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from harness import DynamoError, Server, Wire, client, key_schema, schema, unique

BURST_SECONDS = 300


class ThrottlingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--memory-store")
        cls.db = client(cls.server.endpoint)
        cls.wire = Wire(cls.server.endpoint)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def table(self, read=1, write=1, index=None, **settings):
        name = unique("throttled")
        parameters = schema("pk:S", "g:S" if index else "", "PROVISIONED")
        parameters["ProvisionedThroughput"] = units(read, write)
        if index:
            parameters["GlobalSecondaryIndexes"] = [{
                "IndexName": "by-g", "KeySchema": key_schema("g"), "Projection": {"ProjectionType": "ALL"},
                "ProvisionedThroughput": units(*index)}]
        parameters.update(settings)
        self.db.create_table(TableName=name, **parameters)
        return name

    def put(self, name, pk, **attributes):
        return self.wire.call("PutItem", TableName=name, Item={"pk": {"S": str(pk)}, **attributes})

    def until_refused(self, call, most):
        """Repeats a call; returns the number of calls that succeeded, and the refusal."""
        for count in range(most):
            try:
                call(count)
            except DynamoError as refusal:
                return count, refusal
        self.fail(f"nothing was refused in {most} calls")

    def test_writes_use_up_the_burst_and_are_then_refused(self):
        name = self.table(read=1, write=1)
        count, refusal = self.until_refused(lambda i: self.put(name, i), 2 * BURST_SECONDS)
        self.assertGreaterEqual(count, BURST_SECONDS)
        self.assertEqual(refusal.code, "ProvisionedThroughputExceededException")
        self.assertEqual(refusal.status, 400)
        self.assertEqual(refusal.message, "The level of configured provisioned throughput for the table was exceeded. "
                         "Consider increasing your provisioning level with the UpdateTable API.")
        arn = self.db.describe_table(TableName=name)["Table"]["TableArn"]
        self.assertEqual(refusal.body["ThrottlingReasons"],
                         [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": arn}])
        self.wire.call("GetItem", TableName=name, Key={"pk": {"S": "1"}})
        with self.assertRaises(self.db.exceptions.ProvisionedThroughputExceededException):
            for _ in range(BURST_SECONDS):
                self.db.delete_item(TableName=name, Key={"pk": {"S": "1"}})

    def test_reads_are_charged_by_size(self):
        name = self.table(read=1, write=100)
        self.put(name, "a", data={"S": "x" * 40000})
        get = dict(TableName=name, Key={"pk": {"S": "a"}}, ConsistentRead=True)
        count, refusal = self.until_refused(lambda _: self.wire.call("GetItem", **get), 100)
        self.assertIn(count, range(BURST_SECONDS // 10, BURST_SECONDS // 5))  # ten units each; elapsed time adds a few
        self.assertEqual(refusal.body["ThrottlingReasons"][0]["reason"], "TableReadProvisionedThroughputExceeded")
        for operation, parameters in (("Scan", {}), ("Query", {
                "KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}})):
            with self.subTest(operation):
                _, refusal = self.until_refused(lambda _: self.wire.call(operation, TableName=name, **parameters), 100)
                self.assertEqual(refusal.code, "ProvisionedThroughputExceededException")

    def test_an_index_pushes_back_on_the_writes_that_change_it(self):
        name = self.table(read=10, write=100, index=(1, 1))
        count, refusal = self.until_refused(lambda i: self.put(name, i, g={"S": "g"}), 2 * BURST_SECONDS)
        self.assertGreaterEqual(count, BURST_SECONDS)
        self.assertEqual(refusal.code, "ProvisionedThroughputExceededException")
        self.assertIn("global secondary indexes", refusal.message)
        reason = refusal.body["ThrottlingReasons"][0]
        self.assertEqual(reason["reason"], "IndexWriteProvisionedThroughputExceeded")
        self.assertTrue(reason["resource"].endswith(f":table/{name}/index/by-g"), reason)
        self.put(name, "not indexed")

    def test_batches_give_back_what_there_is_no_capacity_for(self):
        name, other = self.table(), self.table()

        def batch(*names):
            return self.wire.call("BatchWriteItem", RequestItems={n: [
                {"PutRequest": {"Item": {"pk": {"S": str(i)}}}} for i in range(12)] for n in names})
        left = {}
        for _ in range(2 * BURST_SECONDS // 12):
            left = batch(name)["UnprocessedItems"]
            if left:
                break
        self.assertEqual(list(left), [name])
        self.until_refused(lambda i: self.put(name, i), 50)
        _, refusal = self.until_refused(lambda _: batch(name), 50)
        self.assertEqual(refusal.code, "ProvisionedThroughputExceededException")
        for _ in range(10):     # repeated, in case seconds, and therefore capacity, pass in between
            left = batch(name, other)["UnprocessedItems"]
            if left:
                break
        self.assertEqual(list(left), [name])

    def test_an_on_demand_maximum_is_enforced(self):
        name = unique("maximum")
        self.db.create_table(TableName=name, **schema("pk:S"))
        for i in range(1000):
            self.put(name, i)
        self.wire.call("UpdateTable", TableName=name, OnDemandThroughput={"MaxWriteRequestUnits": 10})
        _, refusal = self.until_refused(lambda i: self.put(name, i), 2000)
        self.assertEqual(refusal.code, "ThrottlingException")
        self.assertEqual(refusal.message, "Throughput exceeds the maximum OnDemandThroughput configured on table or index")
        self.assertEqual(refusal.body["throttlingReasons"][0]["reason"], "TableWriteMaxOnDemandThroughputExceeded")
        self.wire.call("UpdateTable", TableName=name, OnDemandThroughput={"MaxWriteRequestUnits": -1})
        for i in range(1000):
            self.put(name, i)

    def test_limits_that_are_reported_are_enforced(self):
        limits = self.db.describe_limits()
        most = limits["TableMaxReadCapacityUnits"]
        with self.assertRaises(self.db.exceptions.LimitExceededException) as refused:
            self.table(read=most + 1)
        self.assertIn(f"The requested ReadCapacityUnits, {most + 1}, is above the per table maximum for the account in "
                      f"us-east-1. Per table maximum: {most}.", str(refused.exception))
        name = self.table()
        with self.assertRaises(self.db.exceptions.LimitExceededException):
            self.db.update_table(TableName=name, ProvisionedThroughput=units(1, most + 1))
        tables = [self.table(write=most)]
        with self.assertRaises(self.db.exceptions.LimitExceededException) as refused:
            for _ in range(limits["AccountMaxWriteCapacityUnits"] // most):
                tables.append(self.table(write=most))
        self.assertIn("This request would have caused the WriteCapacityUnits limit to be exceeded for the account in "
                      "us-east-1.", str(refused.exception))
        for table in tables:
            self.db.delete_table(TableName=table)

    def test_decreases_are_limited_in_a_day(self):
        harness.within_one(86400, self.check_decreases)

    def check_decreases(self):
        name = self.table(read=10)
        for read in (9, 8, 7, 6):
            self.db.update_table(TableName=name, ProvisionedThroughput=units(read, 1))
        with self.assertRaises(self.db.exceptions.LimitExceededException) as refused:
            self.db.update_table(TableName=name, ProvisionedThroughput=units(5, 1))
        self.assertIn("Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. "
                      "After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most "
                      "once every 3600 seconds. Number of decreases today: 4. Last decrease at ", str(refused.exception))
        self.db.update_table(TableName=name, ProvisionedThroughput=units(20, 1))

    def test_decreases_of_an_index_are_limited_apart_from_its_table_s(self):
        harness.within_one(86400, self.check_decreases_of_an_index)

    def check_decreases_of_an_index(self):
        name = self.table(read=10, write=10, index=(10, 10))
        update = lambda read, **more: self.db.update_table(TableName=name, GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "by-g", "ProvisionedThroughput": units(read, 10)}}], **more)
        for read in (9, 8, 7, 6):
            update(read)
        table = self.db.describe_table(TableName=name)["Table"]
        throughput = table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]
        self.assertEqual((4, 6), (throughput["NumberOfDecreasesToday"], throughput["ReadCapacityUnits"]))
        self.assertIn("LastDecreaseDateTime", throughput)
        self.assertEqual(0, table["ProvisionedThroughput"]["NumberOfDecreasesToday"])
        for more in ({}, {"ProvisionedThroughput": units(9, 10)}):
            with self.assertRaises(self.db.exceptions.LimitExceededException) as refused:
                update(5, **more)
            self.assertIn("Number of decreases today: 4. Last decrease at ", str(refused.exception))
        self.assertEqual(10, self.db.describe_table(TableName=name)["Table"]["ProvisionedThroughput"]["ReadCapacityUnits"])
        self.db.update_table(TableName=name, ProvisionedThroughput=units(9, 10))

    def test_conditions_that_fail_are_charged(self):
        name = self.table(read=1, write=1)
        self.put(name, "a", data={"S": "x" * 9800})
        refuse = dict(TableName=name, Key={"pk": {"S": "a"}}, ConditionExpression="attribute_not_exists(pk)",
                      UpdateExpression="SET b = :b", ExpressionAttributeValues={":b": {"S": "b"}},
                      ReturnConsumedCapacity="TOTAL")
        failed = 0
        while True:
            with self.assertRaises(DynamoError) as refused:
                self.wire.call("UpdateItem", **refuse)
            self.assertNotIn("ConsumedCapacity", refused.exception.body)
            if refused.exception.code != "ConditionalCheckFailedException":
                break
            failed += 1
            self.assertLess(failed, BURST_SECONDS)
        self.assertEqual(refused.exception.code, "ProvisionedThroughputExceededException")
        self.assertIn(failed, range(BURST_SECONDS // 10 - 2, BURST_SECONDS // 5))  # ten units each; elapsed time adds a few

    def test_cancelled_transactions_are_charged(self):
        name = self.table(read=1, write=1)
        check = {"ConditionCheck": {"TableName": name, "Key": {"pk": {"S": "a"}},
                                    "ConditionExpression": "attribute_exists(pk)"}}
        puts = [{"Put": {"TableName": name, "Item": {"pk": {"S": f"p{n}"}}}} for n in range(9)]
        cancelled = 0
        while True:
            with self.assertRaises(DynamoError) as refused:
                self.wire.call("TransactWriteItems", TransactItems=[check] + puts)
            if "ConditionalCheckFailed" not in refused.exception.message:
                break
            cancelled += 1
            self.assertLess(cancelled, BURST_SECONDS)
        self.assertIn("[ProvisionedThroughputExceeded, ", refused.exception.message)
        self.assertIn(cancelled, range(BURST_SECONDS // 10 - 2, BURST_SECONDS // 5))

    def test_it_can_be_turned_off(self):
        with Server("--memory-store", "--throttle", "none") as server:
            wire = Wire(server.endpoint)
            client(server.endpoint).create_table(TableName="free", **schema("pk:S", billing="PROVISIONED"))
            for i in range(5 * BURST_SECONDS + 100):
                wire.call("PutItem", TableName="free", Item={"pk": {"S": str(i)}})


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


if __name__ == "__main__":
    harness.run()
