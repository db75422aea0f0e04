#!/usr/bin/python3
"""Many clients and few items: transactions and single writes together must be strictly serializable.

    tests/isolation.py [--seed N] [--clients N] [--operations N]

Histories of appends and reads are searched for anomalies; transfers keep the sum of their accounts; two transactions
that each check what the other writes cannot both succeed. The checker itself is tested first, on hand-written
histories, and last on the recorded history with one reply changed.
"""

import argparse
import multiprocessing
import random
import threading
import time
import unittest
from collections import Counter

import harness
from serializability_check import Transaction, anomalies

SETTINGS = argparse.Namespace(seed=0, clients=24, operations=150)
KEYS = 6
PROCESSES = 2
CONFLICT = "Transaction is ongoing for the item"
REFUSALS = ("TransactionCanceledException", "TransactionConflictException")     # of transactions and of plain writes


def row(called_at, returned_at, appends=None, reads=None, ok=True):
    return Transaction(called_at, returned_at, appends or {}, reads or {}, ok)


class Checker(unittest.TestCase):
    """The checker accepts possible histories and names the anomalies of impossible ones."""

    def accepts(self, *rows):
        self.assertEqual([], anomalies(list(rows)))

    def refuses(self, word, *rows):
        found = anomalies(list(rows))
        self.assertTrue(found and word in found[0], found)

    def test_accepts_one_after_another(self):
        self.accepts(row(0, 1, {"x": 1, "y": 2}), row(2, 3, {"x": 3}), row(4, 5, {}, {"x": (1, 3), "y": (2,)}))

    def test_accepts_either_order_of_what_is_concurrent(self):
        for seen in ((1, 2), (2, 1)):
            self.accepts(row(0, 9, {"x": 1}), row(0, 9, {"x": 2}), row(10, 11, {}, {"x": seen}))

    def test_refuses_a_value_of_a_refused_transaction(self):
        self.refuses("refused", row(0, 1, {"x": 1}, ok=False), row(2, 3, {}, {"x": (1,)}))

    def test_refuses_a_lost_write(self):
        self.refuses("not in the last list", row(0, 1, {"x": 1}), row(0, 1, {"x": 2}), row(2, 3, {}, {"x": (2,)}))

    def test_refuses_lists_that_disagree(self):
        self.refuses("no beginning", row(0, 9, {"x": 1}), row(0, 9, {"x": 2}), row(10, 11, {}, {"x": (1, 2)}),
                     row(10, 11, {}, {"x": (2,)}))

    def test_refuses_half_a_transaction(self):
        self.refuses("cycle", row(0, 9, {"x": 1, "y": 2}), row(0, 9, {}, {"x": (1,), "y": ()}),
                     row(10, 11, {}, {"x": (1,), "y": (2,)}))

    def test_refuses_transactions_in_two_orders(self):
        self.refuses("cycle", row(0, 9, {"x": 1, "y": 2}), row(0, 9, {"x": 3, "y": 4}),
                     row(10, 11, {}, {"x": (1, 3), "y": (4, 2)}))

    def test_refuses_two_readers_who_disagree_on_the_order(self):
        self.refuses("cycle", row(0, 9, {"x": 1}), row(0, 9, {"y": 2}), row(0, 9, {}, {"x": (1,), "y": ()}),
                     row(0, 9, {}, {"x": (), "y": (2,)}), row(10, 11, {}, {"x": (1,), "y": (2,)}))

    def test_refuses_write_skew(self):
        self.refuses("cycle", row(0, 9, {"x": 1}, {"y": ()}), row(0, 9, {"y": 2}, {"x": ()}),
                     row(10, 11, {}, {"x": (1,), "y": (2,)}))

    def test_refuses_a_stale_read(self):
        self.refuses("cycle", row(0, 1, {"x": 1}), row(2, 3, {}, {"x": ()}), row(4, 5, {}, {"x": (1,)}))
        self.accepts(row(0, 2, {"x": 1}), row(1, 3, {}, {"x": ()}), row(4, 5, {}, {"x": (1,)}))

    def test_refuses_a_read_before_what_its_writer_had_seen(self):
        self.refuses("cycle", row(0, 1, {"x": 1}), row(2, 3, {"x": 2, "y": 3}), row(2, 9, {}, {"x": (1,), "y": (3,)}),
                     row(10, 11, {}, {"x": (1, 2), "y": (3,)}))


class Client:
    """One client: appends to lists and reads them, in transactions and single requests, and records the results."""

    def __init__(self, url, table, name):
        self.wire, self.table, self.random = harness.Wire(url), table, random.Random(name)
        self.name, self.counter, self.outcomes = name, 0, Counter()

    def some_keys(self, most):
        return self.random.sample([f"k{number}" for number in range(KEYS)], self.random.randint(1, most))

    def step(self):
        verb, = self.random.choices([self.transact_write, self.transact_get, self.append, self.get], [5, 4, 3, 2])
        called_at = time.monotonic_ns()
        appends, reads, ok = verb()
        return Transaction(called_at, time.monotonic_ns(), appends, reads, ok)

    def new_value(self):
        self.counter += 1
        return f"{self.name}.{self.counter}"

    def where(self, key):
        return {"TableName": self.table, "Key": {"pk": {"S": key}}}

    def appending(self, key, value):
        return {**self.where(key), "UpdateExpression": "SET l = list_append(if_not_exists(l, :none), :new)",
                "ExpressionAttributeValues": {":none": {"L": []}, ":new": {"L": [{"S": value}]}}}

    def attempt(self, *codes, operation, **parameters):
        """The reply, or None if the call was refused with one of these exceptions."""
        try:
            reply = self.wire.call(operation, **parameters)
            self.outcomes[operation] += 1
            return reply
        except harness.DynamoError as error:
            if error.code not in codes:
                raise
            for reason in error.body.get("CancellationReasons", []):
                assert reason["Code"] == "None" or reason["Message"] == CONFLICT, error.body
            self.outcomes[error.code] += 1
            return None

    def transact_write(self):
        appends = {key: self.new_value() for key in self.some_keys(4)}
        done = self.attempt("TransactionCanceledException", operation="TransactWriteItems",
                            TransactItems=[{"Update": self.appending(*each)} for each in appends.items()])
        return appends, {}, done is not None

    def transact_get(self):
        keys = self.some_keys(4)
        reply = self.attempt("TransactionCanceledException", operation="TransactGetItems",
                             TransactItems=[{"Get": self.where(key)} for key in keys])
        if reply is None:
            return {}, {}, False
        return {}, {key: values_of(found.get("Item")) for key, found in zip(keys, reply["Responses"])}, True

    def append(self):
        key, value = self.some_keys(1)[0], self.new_value()
        reply = self.attempt("TransactionConflictException", operation="UpdateItem", ReturnValues="ALL_NEW",
                             **self.appending(key, value))
        if reply is None:
            return {key: value}, {}, False
        *before, own = values_of(reply["Attributes"])
        assert own == value, (own, value)
        return {key: value}, {key: tuple(before)}, True

    def get(self):
        key, = self.some_keys(1)
        return {}, {key: values_of(self.wire.call("GetItem", **self.where(key), ConsistentRead=True).get("Item"))}, True


def values_of(item):
    return tuple(value["S"] for value in (item or {}).get("l", {"L": []})["L"])


def run_clients(url, table, names, operations, queue):
    """One process: a thread for each client. The recorded operations are put into the queue when all are done."""
    history, outcomes, failures, lock = [], Counter(), [], threading.Lock()

    def work(name):
        client = Client(url, table, name)
        try:
            events = [client.step() for _ in range(operations)]
        except Exception as failure:        # passed to the waiting process
            events = []
            failures.append(repr(failure))
        with lock:
            history.extend(events)
            outcomes.update(client.outcomes)

    run_threads(work, names)
    queue.put((history, outcomes, failures))


def run_threads(work, arguments):
    threads = [threading.Thread(target=work, args=(argument,)) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Server(unittest.TestCase):

    def setUp(self):
        self.url, self.table = harness.endpoint(), harness.unique("isolation")
        self.wire = harness.Wire(self.url)
        harness.create_table(self.wire, self.table, **harness.schema("pk:S"))

    def tearDown(self):
        self.wire.call("DeleteTable", TableName=self.table)

    def record(self):
        """The history of all clients, and the count of each outcome. Ends with a read of everything."""
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        names = [f"{SETTINGS.seed}-{client}" for client in range(SETTINGS.clients)]
        processes = [context.Process(target=run_clients, args=(self.url, self.table, names[part::PROCESSES],
                                                               SETTINGS.operations, queue))
                     for part in range(PROCESSES)]
        for process in processes:
            process.start()
        history, outcomes = [], Counter()
        for _ in processes:
            part, counted, failures = queue.get(timeout=500)
            self.assertEqual([], failures)
            history += part
            outcomes += counted
        for process in processes:
            process.join()
        last = Client(self.url, self.table, "last")
        called_at = time.monotonic_ns()
        reads = {f"k{number}": values_of(last.wire.call("GetItem", **last.where(f"k{number}"),
                                                        ConsistentRead=True).get("Item")) for number in range(KEYS)}
        return history + [Transaction(called_at, time.monotonic_ns(), {}, reads, True)], outcomes

    def test_history_of_many_clients_is_strictly_serializable(self):
        shared = harness.shared_server()
        must_meet = shared and not shared.memory and not shared.flags   # where commits wait for the disk, some requests must conflict
        refusals = Counter()
        for _ in range(10):
            refusals += self.check_one_history()
            if not must_meet or all(refusals[kind] for kind in REFUSALS):
                return
            self.tearDown()
            self.setUp()
        self.fail(f"too few met: {refusals}")

    def check_one_history(self):
        history, outcomes = self.record()
        self.assertEqual(SETTINGS.clients * SETTINGS.operations + 1, len(history))
        self.assertEqual([], anomalies(history), f"seed {SETTINGS.seed}")
        print(dict(outcomes), end=" ", flush=True)
        for kind in ("TransactWriteItems", "TransactGetItems", "UpdateItem"):
            self.assertGreater(outcomes[kind], SETTINGS.clients, "the load was no load")
        self.broken_histories_are_found(history)
        return Counter({kind: outcomes[kind] for kind in REFUSALS})

    def broken_histories_are_found(self, history):
        """The same history with one reply changed, in several ways, is not accepted."""
        rng = random.Random(SETTINGS.seed)
        finished = {value: each.returned_at for each in history if each.ok for value in each.appends.values()}
        stale = [(place, key) for place, each in enumerate(history) for key, values in each.reads.items()
                 if values and finished[values[-1]] < each.called_at and each is not history[-1]]
        for place, key in rng.sample(stale, 5):
            self.assertTrue(self.changed(history, place, key, history[place].reads[key][:-1]), "a stale read")
        swapped = [(place, key) for place, each in enumerate(history) for key, values in each.reads.items()
                   if len(values) > 1]
        for place, key in rng.sample(swapped, 5):
            *rest, last, own = history[place].reads[key]
            self.assertTrue(self.changed(history, place, key, (*rest, own, last)), "two writes swapped")
        refused = [each for each in history if each.appends and not each.ok]
        for each in rng.sample(refused, min(5, len(refused))):
            key, value = next(iter(each.appends.items()))
            self.assertTrue(self.changed(history, -1, key, (*history[-1].reads[key], value)), "a refused write seen")
        lost = [(key, values) for key, values in history[-1].reads.items() if values]
        for key, values in lost:
            self.assertTrue(self.changed(history, -1, key, values[:-1]), "the last write lost")

    def changed(self, history, place, key, values):
        each = history[place]
        broken = list(history)
        broken[place] = each._replace(reads={**each.reads, key: values})
        return anomalies(broken)

    def test_transfers_keep_the_sum(self):
        accounts, clients, total = 5, 12, 500
        for number in range(accounts):
            self.wire.call("PutItem", TableName=self.table,
                           Item={"pk": {"S": f"account-{number}"}, "balance": {"N": str(total // accounts)}})
        problems, outcomes, lock = [], Counter(), threading.Lock()

        def change(number, sign, amount):
            condition = {"ConditionExpression": "balance >= :least"} if sign == "-" else {}
            values = {":amount": {"N": str(amount)}, **({":least": {"N": str(amount)}} if sign == "-" else {})}
            return {"Update": {"TableName": self.table, "Key": {"pk": {"S": f"account-{number}"}},
                               "UpdateExpression": f"SET balance = balance {sign} :amount",
                               "ExpressionAttributeValues": values, **condition}}

        def work(client):
            wire, rng, counted = harness.Wire(self.url), random.Random(f"{SETTINGS.seed} {client}"), Counter()
            for _ in range(SETTINGS.operations):
                try:
                    if rng.random() < 0.5:
                        source, target = rng.sample(range(accounts), 2)
                        amount = rng.randint(1, 80)
                        wire.call("TransactWriteItems", TransactItems=[change(source, "-", amount),
                                                                       change(target, "+", amount)])
                        counted["transfer"] += 1
                    else:
                        found = wire.call("TransactGetItems", TransactItems=[
                            {"Get": {"TableName": self.table, "Key": {"pk": {"S": f"account-{number}"}}}}
                            for number in range(accounts)])["Responses"]
                        balances = [int(each["Item"]["balance"]["N"]) for each in found]
                        if sum(balances) != total or min(balances) < 0:
                            problems.append(balances)
                        counted["read"] += 1
                except harness.DynamoError as error:
                    for reason in error.body.get("CancellationReasons", [{"Code": error.code}]):
                        counted[reason["Code"]] += 1
            wire.close()
            with lock:
                outcomes.update(counted)

        run_threads(work, range(clients))
        self.assertEqual([], problems)
        self.assertLessEqual(set(outcomes), {"transfer", "read", "None", "TransactionConflict",
                                             "ConditionalCheckFailed"})
        self.assertGreater(outcomes["transfer"], clients)
        self.assertGreater(outcomes["read"], clients)
        balances = [int(self.wire.call("GetItem", TableName=self.table, Key={"pk": {"S": f"account-{number}"}},
                                       ConsistentRead=True)["Item"]["balance"]["N"]) for number in range(accounts)]
        self.assertEqual(total, sum(balances), balances)

    def test_no_write_skew(self):
        """Two people are on call, and each may leave while the other stays: they must never both leave."""
        rounds, both = 60, 0
        for number in range(rounds):
            names = [f"{who}-{number}" for who in ("ann", "bob")]
            for name in names:
                self.wire.call("PutItem", TableName=self.table, Item={"pk": {"S": name}, "on": {"BOOL": True}})
            barrier = threading.Barrier(2)

            def leave(own):
                other, = set(names) - {own}
                wire = harness.Wire(self.url)
                wire.connect()
                barrier.wait()
                try:
                    wire.call("TransactWriteItems", TransactItems=[
                        {"ConditionCheck": {"TableName": self.table, "Key": {"pk": {"S": other}},
                                            "ConditionExpression": "#on = :yes",
                                            "ExpressionAttributeNames": {"#on": "on"},
                                            "ExpressionAttributeValues": {":yes": {"BOOL": True}}}},
                        {"Update": {"TableName": self.table, "Key": {"pk": {"S": own}},
                                    "UpdateExpression": "SET #on = :no", "ExpressionAttributeNames": {"#on": "on"},
                                    "ExpressionAttributeValues": {":no": {"BOOL": False}}}}])
                except harness.DynamoError as error:
                    assert error.code == "TransactionCanceledException", error
                wire.close()

            run_threads(leave, names)
            on = [self.wire.call("GetItem", TableName=self.table, Key={"pk": {"S": name}},
                                 ConsistentRead=True)["Item"]["on"]["BOOL"] for name in names]
            self.assertTrue(any(on), f"both left in round {number}")
            both += all(on)
        self.assertLess(both, rounds, "somebody must be able to leave")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="names of cases to run, all when none")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--clients", type=int, default=SETTINGS.clients)
    parser.add_argument("--operations", type=int, default=SETTINGS.operations)
    SETTINGS = parser.parse_args()
    print(f"seed {SETTINGS.seed}")
    harness.run(names=SETTINGS.cases)
