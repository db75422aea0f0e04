#!/usr/bin/python3
"""Many clients on few items: the recorded history must be linearizable, and counters must be exact.

    tests/linearizability.py [--seed N] [--clients N] [--operations N] [--increments N]

Reads are strongly consistent. The checker itself is tested first, on hand-written histories.
"""

import argparse
import multiprocessing
import random
import threading
import time
import unittest

import harness
from history_check import ABSENT, Event, apply_item, item_unchanged, linearizable

SETTINGS = argparse.Namespace(seed=0, clients=24, operations=300, increments=200)
KEYS = 6
PROCESSES = 2


def history(*rows):
    """A history from rows (called_at, returned_at, operation, answer)."""
    return [Event(*row) for row in rows]


def some_order_fits(events, done, state):
    """Linearizability by definition: tries every order that respects real time."""
    rest = [place for place in range(len(events)) if place not in done]
    if all(events[place].returned_at is None for place in rest):
        return True
    for place in rest:
        if any(events[other].returned_at is not None and events[other].returned_at < events[place].called_at
               for other in rest):
            continue
        after = apply_item(state, events[place])
        if after is not None and some_order_fits(events, done | {place}, after):
            return True
    return False


def random_event(rng):
    old, new = rng.choice(["a", "b", None]), rng.choice("ab")
    states = [None, ("a", 0), ("b", 0), ("a", 1), (None, 1)]
    operation, answer = rng.choice([
        (("put", new), None), (("create", new), rng.random() < 0.5), (("swap", old, new), rng.random() < 0.5),
        (("delete",), rng.choice(states)), (("delete_if", old), rng.random() < 0.5), (("add", 1), rng.randint(1, 2)),
        (("get",), rng.choice(states))])
    called_at = rng.randrange(20)
    return Event(called_at, None if rng.random() < 0.1 else called_at + rng.randint(0, 10), operation, answer)


class Checker(unittest.TestCase):
    """The checker accepts possible histories and rejects impossible ones."""

    def check(self, verdict, *rows):
        self.assertEqual(verdict, linearizable(history(*rows), ABSENT, apply_item, item_unchanged))

    def test_accepts_operations_one_after_another(self):
        self.check(True, (0, 1, ("put", "a")), (2, 3, ("get",), ("a", 0)), (4, 5, ("delete",), ("a", 0)),
                   (6, 7, ("get",), None))

    def test_refuses_a_stale_read(self):
        self.check(False, (0, 1, ("put", "a")), (2, 3, ("put", "b")), (4, 5, ("get",), ("a", 0)))

    def test_accepts_either_value_while_a_put_is_under_way(self):
        for seen in "ab":
            self.check(True, (0, 1, ("put", "a")), (2, 9, ("put", "b")), (4, 5, ("get",), (seen, 0)))

    def test_refuses_a_value_that_goes_back(self):
        self.check(False, (0, 1, ("put", "a")), (2, 9, ("put", "b")), (3, 4, ("get",), ("b", 0)),
                   (5, 6, ("get",), ("a", 0)))

    def test_refuses_two_winners_of_one_condition(self):
        self.check(False, (0, 5, ("create", "a"), True), (1, 6, ("create", "b"), True))
        self.check(True, (0, 5, ("create", "a"), True), (1, 6, ("create", "b"), False))

    def test_refuses_no_winner(self):
        self.check(False, (0, 5, ("create", "a"), False), (1, 6, ("create", "b"), False))

    def test_refuses_a_lost_increment(self):
        self.check(False, (0, 5, ("add", 1), 1), (1, 6, ("add", 1), 1))
        self.check(True, (0, 5, ("add", 1), 2), (1, 6, ("add", 1), 1))

    def test_a_lost_answer_may_or_may_not_have_happened(self):
        self.check(True, (0, None, ("put", "a")), (5, 6, ("get",), None))
        self.check(True, (0, None, ("put", "a")), (5, 6, ("get",), ("a", 0)))
        self.check(False, (4, None, ("put", "a")), (1, 2, ("get",), ("a", 0)))

    def test_a_lost_write_happens_once(self):
        self.check(False, (0, None, ("add", 1)), (2, 3, ("get",), (None, 1)), (4, 5, ("delete",), (None, 1)),
                   (6, 7, ("get",), (None, 1)))

    def test_swap_needs_its_value(self):
        self.check(True, (0, 1, ("put", "a")), (2, 3, ("swap", "a", "b"), True), (4, 5, ("swap", "a", "c"), False))
        self.check(False, (0, 1, ("put", "a")), (2, 3, ("swap", "a", "b"), True), (4, 5, ("swap", "a", "c"), True))

    def test_a_put_of_the_same_value_is_still_a_put(self):
        self.check(True, (0, 2, ("put", "a")), (0, 9, ("put", "a")), (5, 15, ("add", 1), 1), (16, 18, ("add", 1), 2))
        self.check(True, (0, 2, ("put", "a")), (0, 9, ("put", "a")), (5, 6, ("add", 1), 1), (16, 18, ("add", 1), 1))

    def test_agrees_with_trying_every_order(self):
        rng, verdicts = random.Random(7), set()
        for _ in range(3000):
            events = [random_event(rng) for _ in range(rng.randint(2, 6))]
            verdict = linearizable(events, ABSENT, apply_item, item_unchanged)
            self.assertEqual(some_order_fits(events, frozenset(), ABSENT), verdict, events)
            verdicts.add(verdict)
        self.assertEqual({True, False}, verdicts)

    def test_long_concurrent_history_is_quick(self):
        rows = [(place, place + 40, ("add", 1), place + 1) for place in range(2000)]
        before = time.process_time()
        self.check(True, *rows)
        self.assertLess(time.process_time() - before, 5)


class Client:
    """One client: sends operations of the specification and records the replies."""

    def __init__(self, url, table, seed):
        self.wire, self.table, self.random = harness.Wire(url), table, random.Random(seed)
        self.name, self.counter, self.seen = seed, 0, {}

    def step(self):
        key = f"k{self.random.randrange(KEYS)}"
        operation = self.choose(key)
        called_at = time.monotonic_ns()
        try:
            answer = self.send(key, *operation)
            return key, Event(called_at, time.monotonic_ns(), operation, answer)
        except OSError:
            return key, Event(called_at, None, operation)

    def choose(self, key):
        self.counter += 1
        new, seen = f"{self.name}-{self.counter}", self.seen.get(key)
        verb, = self.random.choices(["put", "create", "swap", "delete", "delete_if", "add", "get"],
                                    [2, 3, 4, 1, 2, 5, 6])
        return {"put": ("put", new), "create": ("create", new), "swap": ("swap", seen, new), "delete": ("delete",),
                "delete_if": ("delete_if", seen), "add": ("add", 1), "get": ("get",)}[verb]

    def send(self, key, verb, *arguments):
        where = {"TableName": self.table, "Key": {"pk": {"S": key}}}
        if verb == "get":
            item = self.wire.call("GetItem", **where, ConsistentRead=True).get("Item")
            self.seen[key] = item and item.get("value", {}).get("S")
            return state_of(item)
        if verb == "add":
            reply = self.wire.call("UpdateItem", **where, UpdateExpression="ADD hits :n", ReturnValues="ALL_NEW",
                                   ExpressionAttributeValues={":n": {"N": str(arguments[0])}})
            return int(reply["Attributes"]["hits"]["N"])
        if verb == "delete":
            return state_of(self.wire.call("DeleteItem", **where, ReturnValues="ALL_OLD").get("Attributes"))
        condition = {"put": {}, "create": {"ConditionExpression": "attribute_not_exists(pk)"}}.get(verb)
        if condition is None and arguments[0] is None:      # an item created by ADD has no value
            condition = {"ConditionExpression": "attribute_exists(pk) AND attribute_not_exists(#v)",
                         "ExpressionAttributeNames": {"#v": "value"}}
        elif condition is None:
            condition = {"ConditionExpression": "#v = :old", "ExpressionAttributeNames": {"#v": "value"},
                         "ExpressionAttributeValues": {":old": {"S": arguments[0]}}}
        try:
            if verb == "delete_if":
                self.wire.call("DeleteItem", **where, **condition)
            else:
                item = {"pk": {"S": key}, "value": {"S": arguments[-1]}}
                self.wire.call("PutItem", TableName=self.table, Item=item, **condition)
        except harness.DynamoError as error:
            if error.code != "ConditionalCheckFailedException":
                raise
            return False
        return None if verb == "put" else True


def state_of(item):
    return item and (item.get("value", {}).get("S"), int(item.get("hits", {"N": "0"})["N"]))


def run_clients(url, table, seeds, operations, queue):
    """One process: a thread for each seed. All recorded events are put into the queue when they are done."""
    found, lock = [], threading.Lock()

    def work(seed):
        client = Client(url, table, seed)
        events = [client.step() for _ in range(operations)]
        with lock:
            found.extend(events)

    run_threads(work, seeds)
    queue.put(found)


def run_threads(work, arguments):
    """Runs work(argument) in one thread per argument and raises the first failure."""
    failures = []

    def guarded(argument):
        try:
            work(argument)
        except Exception as failure:    # passed to the waiting thread
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(argument,)) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Server(unittest.TestCase):

    def setUp(self):
        self.url, self.table = harness.endpoint(), harness.unique("linear")
        self.wire = harness.Wire(self.url)
        harness.create_table(self.wire, self.table, **harness.schema("pk:S"))

    def tearDown(self):
        self.wire.call("DeleteTable", TableName=self.table)

    def test_history_of_many_clients_is_linearizable(self):
        queue = multiprocessing.get_context("fork").Queue()
        seeds = [SETTINGS.seed * 1000 + client for client in range(SETTINGS.clients)]
        processes = [multiprocessing.get_context("fork").Process(
            target=run_clients, args=(self.url, self.table, seeds[part::PROCESSES], SETTINGS.operations, queue))
            for part in range(PROCESSES)]
        for process in processes:
            process.start()
        events = [event for _ in processes for event in queue.get(timeout=500)]
        for process in processes:
            process.join()
        self.assertEqual(SETTINGS.clients * SETTINGS.operations, len(events))
        self.assertEqual([], [event for _, event in events if event.returned_at is None], "every request is answered")
        for key in sorted({key for key, _ in events}):
            of_key = [event for other, event in events if other == key]
            self.assertTrue(linearizable(of_key, ABSENT, apply_item, item_unchanged),
                            f"no linearization of {len(of_key)} operations on {key}, seed {SETTINGS.seed}")

    def test_one_hot_counter_adds_up(self):
        clients = 64

        def work(_):
            wire = harness.Wire(self.url)
            last = 0
            for _ in range(SETTINGS.increments):
                reply = wire.call("UpdateItem", TableName=self.table, Key={"pk": {"S": "hot"}},
                                  UpdateExpression="ADD hits :one", ReturnValues="UPDATED_NEW",
                                  ExpressionAttributeValues={":one": {"N": "1"}})
                now = int(reply["Attributes"]["hits"]["N"])
                self.assertGreater(now, last, "a client sees its own increments in order")
                last = now
            wire.close()

        run_threads(work, range(clients))
        item = self.wire.call("GetItem", TableName=self.table, Key={"pk": {"S": "hot"}}, ConsistentRead=True)["Item"]
        self.assertEqual(str(clients * SETTINGS.increments), item["hits"]["N"])

    def test_optimistic_locking_loses_no_update(self):
        clients, rounds = 16, 20
        self.wire.call("PutItem", TableName=self.table, Item={"pk": {"S": "doc"}, "version": {"N": "0"}})

        def work(_):
            wire = harness.Wire(self.url)
            done = 0
            while done < rounds:
                item = wire.call("GetItem", TableName=self.table, Key={"pk": {"S": "doc"}}, ConsistentRead=True)["Item"]
                old = item["version"]["N"]
                try:
                    wire.call("PutItem", TableName=self.table,
                              Item={"pk": {"S": "doc"}, "version": {"N": str(int(old) + 1)}},
                              ConditionExpression="version = :old", ExpressionAttributeValues={":old": {"N": old}})
                    done += 1
                except harness.DynamoError as error:
                    self.assertEqual("ConditionalCheckFailedException", error.code)
            wire.close()

        run_threads(work, range(clients))
        item = self.wire.call("GetItem", TableName=self.table, Key={"pk": {"S": "doc"}}, ConsistentRead=True)["Item"]
        self.assertEqual(str(clients * rounds), item["version"]["N"])


class Snapshots(unittest.TestCase):
    """A page of a Query is a snapshot: an item that moves in an index appears once, with its values at that time."""

    ITEMS = 12

    def setUp(self):
        self.url, self.table = harness.endpoint(), harness.unique("snapshot")
        self.wire = harness.Wire(self.url)
        harness.create_table(self.wire, self.table, **harness.schema("pk:S sk:S", "rank:N grp:S"),
                             LocalSecondaryIndexes=[harness.index("local", "pk rank", "KEYS_ONLY")],
                             GlobalSecondaryIndexes=[harness.index("global", "grp rank")])

    def tearDown(self):
        self.wire.call("DeleteTable", TableName=self.table)

    def test_moving_items_are_seen_once_and_whole(self):
        stop = threading.Event()
        for number in range(self.ITEMS):
            self.move(self.wire, number, 0)
        problems, pages = [], [0]

        def write(writer):
            wire, rng = harness.Wire(self.url), random.Random(SETTINGS.seed + writer)
            while not stop.is_set():
                self.move(wire, rng.randrange(writer, self.ITEMS, 4), rng.randrange(1000))

        def read(name):
            wire = harness.Wire(self.url)
            key, value = ("pk", "p") if name == "local" else ("grp", "g")
            for _ in range(300):
                found = wire.call("Query", TableName=self.table, IndexName=name, KeyConditionExpression="#k = :k AND "
                                  "#r BETWEEN :low AND :high", ExpressionAttributeNames={"#k": key, "#r": "rank"},
                                  ExpressionAttributeValues={":k": {"S": value}, ":low": {"N": "0"},
                                                             ":high": {"N": "1000"}}, Select="ALL_ATTRIBUTES")["Items"]
                pages[0] += 1
                ranks = [int(item["rank"]["N"]) for item in found]
                if sorted(item["sk"]["S"] for item in found) != sorted(str(n) for n in range(self.ITEMS)):
                    problems.append(f"{name}: {len(found)} entries of {self.ITEMS} items")
                if ranks != sorted(ranks):
                    problems.append(f"{name}: the values are not those of the index entries: {ranks}")
                if any(item["copy"] != item["rank"] for item in found):
                    problems.append(f"{name}: an item of two writes")

        def work(job):
            if job[0] == "write":
                write(job[1])
            else:
                try:
                    read(job[1])
                finally:
                    if job[1] == "global":
                        stop.set()

        run_threads(work, [("write", n) for n in range(4)] + [("read", "local"), ("read", "global")])
        self.assertEqual([], problems[:5])
        self.assertEqual(600, pages[0])

    def move(self, wire, number, rank):
        wire.call("PutItem", TableName=self.table, Item={
            "pk": {"S": "p"}, "sk": {"S": str(number)}, "grp": {"S": "g"}, "rank": {"N": str(rank)},
            "copy": {"N": str(rank)}})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="names of cases to run, all when none")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--clients", type=int, default=SETTINGS.clients)
    parser.add_argument("--operations", type=int, default=SETTINGS.operations, help="of each client")
    parser.add_argument("--increments", type=int, default=SETTINGS.increments, help="of each of 64 clients")
    SETTINGS = parser.parse_args()
    print(f"seed {SETTINGS.seed}")
    harness.run(names=SETTINGS.cases)
