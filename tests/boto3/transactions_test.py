#!/usr/bin/python3
"""Transactions by boto3: their responses, tokens after a restart, and kill -9 during transactions."""

import random
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, unique

KILLS = 6
WORKERS = 12
GROUP = 4
CONFLICT = "Transaction is ongoing for the item"


def key(name):
    return {"pk": {"S": name}}


class Transactions(Case):

    def setUp(self):
        self.name = self.table("transactions")

    def put(self, name, **more):
        return {"Put": {"TableName": self.name, "Item": {**key(name), **more}}}

    def add_one(self, name):
        return {"Update": {"TableName": self.name, "Key": key(name), "UpdateExpression": "ADD n :one",
                           "ExpressionAttributeValues": {":one": {"N": "1"}}}}

    def get(self, name):
        return self.client.get_item(TableName=self.name, Key=key(name), ConsistentRead=True).get("Item")

    def test_all_or_nothing_with_reasons(self):
        self.client.put_item(TableName=self.name, Item={**key("there"), "a": {"N": "1"}})
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as refused:
            self.client.transact_write_items(TransactItems=[
                self.put("new"),
                {"ConditionCheck": {"TableName": self.name, "Key": key("there"), "ConditionExpression": "a > :a",
                                    "ExpressionAttributeValues": {":a": {"N": "5"}},
                                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}])
        reply = refused.exception.response
        self.assertEqual([{"Code": "None"},
                          {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed",
                           "Item": {**key("there"), "a": {"N": "1"}}}], reply["CancellationReasons"])
        self.assertEqual("Transaction cancelled, please refer cancellation reasons for specific reasons "
                         "[None, ConditionalCheckFailed]", reply["Error"]["Message"])
        self.assertIsNone(self.get("new"))

    def test_reads_in_order(self):
        self.client.transact_write_items(TransactItems=[self.put("a", x={"S": "1"}), self.put("b", x={"S": "2"})])
        found = self.client.transact_get_items(TransactItems=[
            {"Get": {"TableName": self.name, "Key": key(name)}} for name in ("b", "none", "a")])["Responses"]
        self.assertEqual([{"Item": {**key("b"), "x": {"S": "2"}}}, {}, {"Item": {**key("a"), "x": {"S": "1"}}}], found)

    def test_indexes_and_counts_follow(self):
        name = self.table("transact-index", "pk:S", "grp:S", GlobalSecondaryIndexes=[harness.index("by-grp", "grp")])
        put = lambda number, group: {"Put": {"TableName": name, "Item": {**key(str(number)), "grp": {"S": group}}}}
        self.client.transact_write_items(TransactItems=[put(number, "one") for number in range(10)])
        self.client.transact_write_items(TransactItems=[put(number, "two") for number in range(5)] + [
            {"Delete": {"TableName": name, "Key": key("9")}}])
        count = lambda group: self.client.query(
            TableName=name, IndexName="by-grp", KeyConditionExpression="grp = :g",
            ExpressionAttributeValues={":g": {"S": group}})["Count"]
        self.assertEqual((4, 5), (count("one"), count("two")))
        self.assertEqual(9, self.client.describe_table(TableName=name)["Table"]["ItemCount"])

    def test_a_token_works_once(self):
        request = dict(ClientRequestToken=harness.unique("token"), TransactItems=[self.add_one("counter")])
        for _ in range(3):
            self.client.transact_write_items(**request)
        self.assertEqual({"N": "1"}, self.get("counter")["n"])
        with self.assertRaises(self.client.exceptions.IdempotentParameterMismatchException):
            self.client.transact_write_items(**{**request, "TransactItems": [self.add_one("other")]})
        self.assertIsNone(self.get("other"))

    def test_each_call_has_a_token_of_its_own(self):
        for _ in range(3):
            self.client.transact_write_items(TransactItems=[self.add_one("counter")])
        self.assertEqual({"N": "3"}, self.get("counter")["n"])

    def test_a_batch_leaves_items_of_a_transaction_unprocessed(self):
        """Under contention every write is either done or refused, and none is both."""
        stop, handed_back, done = threading.Event(), [0], [0]

        def transact():
            wire = harness.Wire(self.url)
            while not stop.is_set():
                wire.call("TransactWriteItems", TransactItems=[self.add_one("hot"), self.add_one("cold")])
            wire.close()

        thread = threading.Thread(target=transact)
        thread.start()
        wire = harness.Wire(self.url)
        give_up_at = time.monotonic() + harness.WAIT_SECONDS_MAX
        while (handed_back[0] < 5 or done[0] < 5) and time.monotonic() < give_up_at:
            requests = [{"PutRequest": {"Item": key(name)}} for name in ("hot", "free")]
            reply = wire.call("BatchWriteItem", RequestItems={self.name: requests})
            left = reply["UnprocessedItems"].get(self.name, [])
            self.assertIn(left, ([], requests[:1]))
            handed_back[0] += bool(left)
            done[0] += not left
        stop.set()
        thread.join()
        self.assertGreaterEqual(handed_back[0], 5)
        self.assertGreaterEqual(done[0], 5)

    def test_a_request_sent_twice_at_once_is_in_progress_or_done_and_takes_effect_once(self):
        in_progress = (400, "TransactionInProgressException", "Transaction from previous request is still in progress")
        shared = harness.shared_server()
        must_meet = shared and not shared.flags         # where commits wait for the disk, some requests must conflict
        for _ in range(10):
            outcomes = self.send_twice(unique("twice"))
            self.assertLessEqual(set(outcomes), {"done", in_progress})
            if in_progress in outcomes or not must_meet:
                return
        self.fail("no two requests met")

    def send_twice(self, token):
        """Sends the same hundred requests from several threads; returns how often each response was received."""
        outcomes, lock = {}, threading.Lock()

        def send():
            wire = harness.Wire(self.url)
            for n in range(100):
                try:
                    wire.call("TransactWriteItems", ClientRequestToken=f"{token}-{n}",
                              TransactItems=[self.add_one(f"{token}-{n}")])
                    answer = "done"
                except harness.DynamoError as error:
                    answer = (error.status, error.code, error.message)
                with lock:
                    outcomes[answer] = outcomes.get(answer, 0) + 1
            wire.close()

        threads = [threading.Thread(target=send) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for n in range(100):
            item = self.wire.call("GetItem", TableName=self.name, Key=key(f"{token}-{n}"), ConsistentRead=True)["Item"]
            self.assertEqual({"N": "1"}, item["n"])
        return outcomes

    def test_plain_writes_meet_transactions(self):
        """PutItem, UpdateItem and DeleteItem on an item of a transaction in progress are refused, and reads are not."""
        stop, met = threading.Event(), {}

        def transact():
            wire = harness.Wire(self.url)
            while not stop.is_set():
                wire.call("TransactWriteItems", TransactItems=[self.add_one("hot")])
            wire.close()

        thread = threading.Thread(target=transact)
        thread.start()
        wire = harness.Wire(self.url)
        where = {"TableName": self.name, "Key": key("hot")}
        writes = {"PutItem": {"TableName": self.name, "Item": key("hot")}, "DeleteItem": where,
                  "UpdateItem": {**where, "UpdateExpression": "REMOVE a"}}
        give_up_at = time.monotonic() + harness.WAIT_SECONDS_MAX
        while len(met) < len(writes) and time.monotonic() < give_up_at:
            for operation, parameters in writes.items():
                try:
                    wire.call(operation, **parameters)
                except harness.DynamoError as error:
                    self.assertEqual((400, "TransactionConflictException", CONFLICT),
                                     (error.status, error.code, error.message))
                    met[operation] = True
                wire.call("GetItem", **where, ConsistentRead=True)
                wire.call("Query", TableName=self.name, KeyConditionExpression="pk = :p",
                          ExpressionAttributeValues={":p": {"S": "hot"}})
        stop.set()
        thread.join()
        self.assertEqual(set(writes), set(met))


class Unwaited(unittest.TestCase):
    """If nothing waits for the disk, a transaction is in progress only while it runs, and conflicts are still possible."""

    def meet(self, *flags):
        with harness.Server(*flags) as server:
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "items", **harness.schema("pk:S"))
            stop, met = threading.Event(), set()
            add = lambda name: {"Update": {"TableName": "items", "Key": key(name), "UpdateExpression": "ADD n :n",
                                           "ExpressionAttributeValues": {":n": {"N": "1"}}}}
            many = [add("hot")] + [add(f"item-{n}") for n in range(99)]

            def transact():
                own = harness.Wire(server.endpoint)
                while not stop.is_set():
                    try:
                        own.call("TransactWriteItems", TransactItems=many)
                    except harness.DynamoError as error:
                        self.assertEqual("TransactionCanceledException", error.code)
                        self.assertEqual({"TransactionConflict"}, {
                            reason["Code"] for reason in error.body["CancellationReasons"] if reason["Code"] != "None"})
                        met.add("TransactWriteItems")
                own.close()

            threads = [threading.Thread(target=transact) for _ in range(4)]
            for thread in threads:
                thread.start()
            give_up_at = time.monotonic() + harness.WAIT_SECONDS_MAX
            while len(met) < 4 and time.monotonic() < give_up_at:
                for operation, parameters in (
                        ("PutItem", {"TableName": "items", "Item": key("hot")}),
                        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "items", "Key": key("hot")}}]}),
                        ("BatchWriteItem", {"RequestItems": {"items": [{"PutRequest": {"Item": key("hot")}}]}})):
                    try:
                        if wire.call(operation, **parameters).get("UnprocessedItems"):
                            met.add(operation)
                    except harness.DynamoError as error:
                        self.assertIn(error.code, ("TransactionConflictException", "TransactionCanceledException"))
                        self.assertIn(error.message, (CONFLICT, "Transaction cancelled, please refer cancellation "
                                                      "reasons for specific reasons [TransactionConflict]"))
                        met.add(operation)
            stop.set()
            for thread in threads:
                thread.join()
            wire.call("PutItem", TableName="items", Item=key("hot"))
        self.assertEqual({"PutItem", "TransactGetItems", "BatchWriteItem", "TransactWriteItems"}, met)

    def test_in_memory(self):
        self.meet("--memory-store", "--threads", "4")

    def test_relaxed(self):
        self.meet("--durability", "relaxed", "--threads", "4")


class Restart(unittest.TestCase):
    """With its own server, which is stopped and killed."""

    def setUp(self):
        self.server = harness.Server()
        self.addCleanup(self.server.close)
        self.wire = harness.Wire(self.server.endpoint)
        harness.create_table(self.wire, "items", **harness.schema("pk:S"))

    def reopen(self):
        self.server.start()
        self.wire = harness.Wire(self.server.endpoint)

    def request(self, token, amount=1):
        return dict(ClientRequestToken=token, TransactItems=[
            {"Update": {"TableName": "items", "Key": key("counter"), "UpdateExpression": "ADD n :n",
                        "ExpressionAttributeValues": {":n": {"N": str(amount)}}}}])

    def count(self, name="counter"):
        return int(self.wire.call("GetItem", TableName="items", Key=key(name),
                                  ConsistentRead=True).get("Item", {}).get("n", {"N": "0"})["N"])

    def test_a_token_survives_stop_and_kill(self):
        self.wire.call("TransactWriteItems", **self.request("first"))
        for end in (self.server.stop, self.server.kill):
            end()
            self.reopen()
            self.wire.call("TransactWriteItems", **self.request("first"))
            self.assertEqual(1, self.count())
            with self.assertRaises(harness.DynamoError) as refused:
                self.wire.call("TransactWriteItems", **self.request("first", 2))
            self.assertEqual("IdempotentParameterMismatchException", refused.exception.code)
        self.assertEqual(1, self.count())

    def test_kill_leaves_no_half_transaction_and_a_retry_works_once(self):
        """Each worker writes one version to all items of its group and increments its counter. A transaction whose
        response was lost is sent again with its token after the restart: it must have been applied exactly once."""
        rng = random.Random(1)
        sent = [0] * WORKERS            # version of each worker's last transaction
        answered = [True] * WORKERS

        def transaction(worker):
            version = {"N": str(sent[worker])}
            items = [{"Put": {"TableName": "items", "Item": {**key(f"{worker}-{member}"), "version": version,
                                                             "padding": {"S": "x" * 300}}}}
                     for member in range(GROUP)]
            counter = {"Update": {"TableName": "items", "Key": key(f"{worker}-counter"),
                                  "UpdateExpression": "ADD n :one SET version = :v",
                                  "ExpressionAttributeValues": {":one": {"N": "1"}, ":v": version}}}
            return dict(ClientRequestToken=f"{worker}-{sent[worker]}", TransactItems=[*items, counter])

        def work(worker, url):
            wire = harness.Wire(url)
            try:
                while True:
                    sent[worker], answered[worker] = sent[worker] + 1, False
                    wire.call("TransactWriteItems", **transaction(worker))
                    answered[worker] = True
            except OSError:
                wire.close()            # the server died

        lost = 0
        for _ in range(KILLS):
            sent_before = list(sent)
            threads = [threading.Thread(target=work, args=(worker, self.server.endpoint)) for worker in range(WORKERS)]
            for thread in threads:
                thread.start()
            time.sleep(rng.uniform(0.1, 0.5))
            harness.until(lambda: all(now > before + 1 for now, before in zip(sent, sent_before)), "the load")
            self.server.kill()
            for thread in threads:
                thread.join()
            self.reopen()
            for worker in range(WORKERS):
                self.check_group(worker, {sent[worker]} if answered[worker] else {sent[worker] - 1, sent[worker]})
                if not answered[worker]:
                    lost += 1
                    self.wire.call("TransactWriteItems", **transaction(worker))
                    answered[worker] = True
                self.check_group(worker, {sent[worker]})
        self.assertGreater(lost, 0, "no kill met a transaction")

    def check_group(self, worker, versions):
        names = [f"{worker}-{member}" for member in range(GROUP)] + [f"{worker}-counter"]
        found = self.wire.call("TransactGetItems", TransactItems=[
            {"Get": {"TableName": "items", "Key": key(name)}} for name in names])["Responses"]
        got = {int(each["Item"]["version"]["N"]) if each else 0 for each in found}
        self.assertEqual(1, len(got), f"half a transaction of worker {worker}: {got}")
        self.assertLessEqual(got, versions)
        self.assertEqual(got, {self.count(f"{worker}-counter")}, "each transaction counts once")


if __name__ == "__main__":
    harness.run_file()
