#!/usr/bin/python3
"""kill -9 under concurrent load, many times: acknowledged writes exist, indexes match, and nothing else appeared.

    tests/crash.py [--rounds N] [--seed N] [--flags "..."]

Each worker owns its keys, so it knows the last acknowledged version of each and the one in flight. An item's whole
content follows from its key and version. After every crash the server is opened on the same data. Each item must be
at its acknowledged version or at the one in flight, a counter between the increments acknowledged and those sent. A
transaction in flight must have happened to all of its items or to none, and every index must match its table,
including one that was being backfilled.
"""

import argparse
import random
import threading
import time
import unittest
from collections import Counter

import harness
from dynamo_model import Index, Table, canonical_item, sort_form

SETTINGS = argparse.Namespace(rounds=8, seed=int(time.time()), flags="")
WORKERS = 16
KEYS_PER_WORKER = 12
COUNTERS = 3
PAYLOAD_BYTES = (10, 300, 4000)
FILLERS = 6000             # items that exist before an index is added
MORE_ROUNDS_MAX = 20       # until a kill has interrupted what the test needs

INDEXES = [
    Index("by-version", ["pk"], ["version"], local=True),
    Index("by-group", ["grp"], ["rank"], attributes=["version"]),
    Index("keys", ["rank"], [], attributes=[]),
]
MODEL = Table("crash", "pk", "sk", {"pk": "S", "sk": "S", "version": "N", "grp": "S", "rank": "N"}, INDEXES)


def item_of(key, version):
    """The only valid content of an item at a version. Index keys change with the version and are sometimes absent."""
    rng = random.Random(f"{key} {version}")
    item = {"pk": {"S": key[0]}, "sk": {"S": key[1]}, "version": {"N": str(version)},
            "payload": {"S": f"{version}," * (rng.choice(PAYLOAD_BYTES) // len(f"{version},"))}}
    if rng.random() < 0.8:
        item["grp"] = {"S": f"g{rng.randrange(5)}"}
    if rng.random() < 0.8:
        item["rank"] = {"N": str(rng.randrange(-3, 4))}
    return item


def create_table(wire):
    local, *others = [harness.index(index.name, " ".join(index.keys()),
                                    "ALL" if index.attributes is None else "KEYS_ONLY", index.attributes)
                      for index in INDEXES]
    harness.create_table(wire, MODEL.name, **harness.schema("pk:S sk:S", "version:N grp:S rank:N"),
                         LocalSecondaryIndexes=[local], GlobalSecondaryIndexes=others)


class Ledger:
    """What the clients know: for each key its possible versions (None: no item), for each counter a range."""

    def __init__(self):
        self.possible = {}          # key -> set of versions; written only by the worker that owns the key
        self.together = {}          # worker -> the possible outcomes of its transaction in flight
        self.next_version = 1
        self.counted = {f"counter-{n}": [0, 0] for n in range(COUNTERS)}    # name -> [acknowledged, sent]
        self.lock = threading.Lock()

    def new_version(self):
        with self.lock:
            self.next_version += 1
            return self.next_version

    def count(self, name, place):
        with self.lock:
            self.counted[name][place] += 1


class Worker:
    """Writes to its own keys, and to shared counters, until the connection breaks or it is stopped."""

    def __init__(self, url, number, ledger, stop, seed):
        self.number = number
        self.wire, self.ledger, self.stop = harness.Wire(url), ledger, stop
        self.random = random.Random(seed)
        self.keys = [(f"p{number % 5}", f"w{number}-{n}") for n in range(KEYS_PER_WORKER)]
        self.done = 0
        self.failure = None

    def run(self):
        try:
            while not self.stop.is_set():
                self.random.choice([self.put, self.put, self.update, self.delete, self.conditional_put, self.batch,
                                    self.transact, self.transact, self.count])()
                self.done += 1
        except OSError:
            pass                    # the server died; the ledger has the writes in flight
        except Exception as failure:
            self.failure = failure
        self.wire.close()

    def known(self, key):
        """The version of a key. Between crashes only one is possible."""
        version, = self.ledger.possible.get(key, {None})
        return version

    def attempt(self, outcomes, operation, **parameters):
        """Sends a write. Its outcome for each key is recorded as possible before sending, and as certain after the reply."""
        for key, version in outcomes.items():
            self.ledger.possible[key] = {self.known(key), version}
        reply = self.wire.call(operation, **parameters)
        for key, version in outcomes.items():
            self.ledger.possible[key] = {version}
        return reply

    def put(self):
        key, version = self.random.choice(self.keys), self.ledger.new_version()
        self.attempt({key: version}, "PutItem", TableName=MODEL.name, Item=item_of(key, version))

    def conditional_put(self):
        key, version = self.random.choice(self.keys), self.ledger.new_version()
        old = self.known(key)
        condition = ({"ConditionExpression": "attribute_not_exists(pk)"} if old is None else
                     {"ConditionExpression": "version = :v", "ExpressionAttributeValues": {":v": {"N": str(old)}}})
        self.attempt({key: version}, "PutItem", TableName=MODEL.name, Item=item_of(key, version), **condition)

    def update(self):
        key, version = self.random.choice(self.keys), self.ledger.new_version()
        item = item_of(key, version)
        names = [name for name in ("version", "payload", "grp", "rank") if name in item]
        missing = [name for name in ("grp", "rank") if name not in item]
        expression = "SET " + ", ".join(f"#{name} = :{name}" for name in names)
        if missing:
            expression += " REMOVE " + ", ".join(f"#{name}" for name in missing)
        self.attempt({key: version}, "UpdateItem", TableName=MODEL.name, Key=MODEL.key_part(item),
                     UpdateExpression=expression,
                     ExpressionAttributeNames={f"#{name}": name for name in names + missing},
                     ExpressionAttributeValues={f":{name}": item[name] for name in names})

    def delete(self):
        key = self.random.choice(self.keys)
        self.attempt({key: None}, "DeleteItem", TableName=MODEL.name, Key=MODEL.key_part(item_of(key, 0)))

    def batch(self):
        outcomes, requests = {}, []
        for key in self.random.sample(self.keys, 5):
            outcomes[key] = None if self.random.random() < 0.3 else self.ledger.new_version()
            requests.append({"DeleteRequest": {"Key": MODEL.key_part(item_of(key, 0))}} if outcomes[key] is None else
                            {"PutRequest": {"Item": item_of(key, outcomes[key])}})
        reply = self.attempt(outcomes, "BatchWriteItem", RequestItems={MODEL.name: requests})
        assert not reply.get("UnprocessedItems"), reply

    def transact(self):
        outcomes, actions = {}, []
        for key in self.random.sample(self.keys, 4):
            old, where = self.known(key), {"TableName": MODEL.name, "Key": MODEL.key_part(item_of(key, 0))}
            kind = self.random.choice(["Put", "Put", "Delete", "ConditionCheck"])
            condition = {"ConditionExpression": "attribute_not_exists(pk)"} if old is None else {
                "ConditionExpression": "version = :v", "ExpressionAttributeValues": {":v": {"N": str(old)}}}
            if kind == "ConditionCheck":
                actions.append({kind: {**where, **condition}})
                continue
            outcomes[key] = None if kind == "Delete" else self.ledger.new_version()
            actions.append({kind: {**where, **condition} if kind == "Delete" else
                            {"TableName": MODEL.name, "Item": item_of(key, outcomes[key]), **condition}})
        before = {key: self.known(key) for key in outcomes}
        self.ledger.together[self.number] = {key: (before[key], version) for key, version in outcomes.items()
                                             if version != before[key]}
        self.attempt(outcomes, "TransactWriteItems", TransactItems=actions)
        del self.ledger.together[self.number]

    def count(self):
        name = self.random.choice(list(self.ledger.counted))
        self.ledger.count(name, 1)
        self.wire.call("UpdateItem", TableName=MODEL.name, Key={"pk": {"S": name}, "sk": {"S": name}},
                       UpdateExpression="ADD hits :one", ExpressionAttributeValues={":one": {"N": "1"}})
        self.ledger.count(name, 0)


class Crash(unittest.TestCase):

    halves = 0                      # transactions that a kill interrupted
    indexes = INDEXES

    def setUp(self):
        self.random = random.Random(SETTINGS.seed)
        self.server = harness.Server(*SETTINGS.flags.split())
        self.wire = harness.Wire(self.server.endpoint)
        self.addCleanup(self.server.close)

    def reopen(self):
        self.server.start()
        self.wire = harness.Wire(self.server.endpoint)

    def load(self, ledger, seconds, end):
        """Runs the workers for a while, kills the server meanwhile, and returns the number of acknowledged writes."""
        stop = threading.Event()
        workers = [Worker(self.server.endpoint, number, ledger, stop, self.random.random())
                   for number in range(WORKERS)]
        threads = [threading.Thread(target=worker.run) for worker in workers]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        harness.until(lambda: all(worker.done > 1 or not thread.is_alive() for worker, thread in zip(workers, threads)),
                      "the load")
        end()
        stop.set()
        for thread in threads:
            thread.join()
        for worker in workers:
            if worker.failure:
                raise worker.failure
        return sum(worker.done for worker in workers)

    def check(self, ledger):
        """Compares everything in the table with the ledger, and sets the ledger to the actual state."""
        found = {(item["pk"]["S"], item["sk"]["S"]): item
                 for item in harness.every_page(self.wire.call, "Scan", TableName=MODEL.name, ConsistentRead=True)}
        everything = list(found.values())
        for name, counted in ledger.counted.items():
            hits = int(found.pop((name, name), {"hits": {"N": "0"}})["hits"]["N"])
            self.assertTrue(counted[0] <= hits <= counted[1], f"{name} is {hits}, acknowledged and sent: {counted}")
            ledger.counted[name] = [hits, hits]
        for outcomes in ledger.together.values():
            happened = {(int(found[key]["version"]["N"]) if key in found else None) == after
                        for key, (_, after) in outcomes.items()}
            self.assertLess(len(happened), 2, f"half a transaction: {outcomes}")
            self.halves += bool(outcomes)
        ledger.together.clear()
        for key, versions in ledger.possible.items():
            item = found.pop(key, None)
            version = item and int(item["version"]["N"])
            self.assertIn(version, versions, f"the version of {key}")
            if item:
                self.assertEqual(canonical_item(item_of(key, version)), canonical_item(item), f"{key} is not whole")
            ledger.possible[key] = {version}
        self.assertEqual({}, found, "items that nobody wrote")
        MODEL.items = {MODEL.key_of(item): item for item in everything}
        for index in self.indexes:
            self.check_index(index)

    def check_index(self, index):
        got = harness.every_page(self.wire.call, "Scan", TableName=MODEL.name, IndexName=index.name)
        self.same(f"entries of {index.name}", got, [MODEL.carried(index, item) for item in MODEL.entries(index)])
        for item in self.random.sample(got, min(3, len(got))):
            name = index.hash_keys[0]
            queried = harness.every_page(self.wire.call, "Query", TableName=MODEL.name, IndexName=index.name,
                                         KeyConditionExpression="#h = :h", ExpressionAttributeNames={"#h": name},
                                         ExpressionAttributeValues={":h": item[name]})
            of_partition = [entry for entry in got if entry[name] == item[name]]
            self.same(f"partition of {index.name}", queried, of_partition)
            ranks = [sort_form(entry[index.range_keys[0]]) for entry in queried] if index.range_keys else []
            self.assertEqual(sorted(ranks), ranks, f"order in {index.name}")

    def same(self, what, got, expected):
        """Compares items ignoring their order; names those that differ by key and version."""
        theirs, ours = Counter(map(canonical_item, got)), Counter(map(canonical_item, expected))
        brief = lambda items, only: sorted((item["pk"]["S"], item["sk"]["S"], item.get("version", {}).get("N"))
                                           for item in items if canonical_item(item) in only)
        self.assertEqual(brief(expected, ours - theirs), brief(got, theirs - ours), what)

    def test_acknowledged_writes_survive_kill(self):
        create_table(self.wire)
        ledger, answered = Ledger(), 0
        for number in range(SETTINGS.rounds + MORE_ROUNDS_MAX):
            if number >= SETTINGS.rounds and self.halves:
                break
            answered += self.load(ledger, self.random.uniform(0.1, 0.8), self.server.kill)
            while self.random.random() < 0.3:       # dies again during recovery
                self.kill_while_opening()
            self.reopen()
            self.check(ledger)
        print(f"{number} kills, {answered} writes answered, {self.halves} transactions met", end=" ", flush=True)
        self.assertGreater(answered, SETTINGS.rounds * WORKERS, "the load was no load")
        self.assertGreater(self.halves, 0, "no kill met a transaction")

    def kill_while_opening(self):
        timer = threading.Timer(self.random.uniform(0.005, 0.08), lambda: self.server.kill())
        timer.start()
        try:
            self.server.start()
        except harness.ServerDied:
            pass
        timer.join()
        self.server.kill()

    def test_acknowledged_writes_survive_a_stop_under_load(self):
        create_table(self.wire)
        ledger = Ledger()
        for _ in range(2):
            self.load(ledger, 0.3, self.server.stop)
            self.assertEqual(0, self.server.process.returncode, self.server.log())
            self.reopen()
            self.check(ledger)

    def test_index_backfill_goes_on_after_kill(self):
        harness.create_table(self.wire, "filled", **harness.schema("pk:S"))
        keys = [f"item-{n}" for n in range(4000)]
        for start in range(0, len(keys), 25):
            puts = [{"PutRequest": {"Item": {"pk": {"S": key}, "grp": {"S": key[-1]}, "text": {"S": key * 20}}}}
                    for key in keys[start:start + 25]]
            self.wire.call("BatchWriteItem", RequestItems={"filled": puts})
        for attempt in range(3):
            name = f"index-{attempt}"
            self.wire.call("UpdateTable", TableName="filled",
                           AttributeDefinitions=[{"AttributeName": "grp", "AttributeType": "S"}],
                           GlobalSecondaryIndexUpdates=[{"Create": harness.index(name, "grp")}])
            time.sleep(attempt * 0.004)
            self.server.kill()
            self.reopen()
            harness.wait_active(self.wire, "filled")
            got = harness.every_page(self.wire.call, "Scan", TableName="filled", IndexName=name)
            self.assertEqual(sorted(keys), sorted(item["pk"]["S"] for item in got))

    def test_index_backfill_under_load_goes_on_after_kill(self):
        """Indexes are added to a table during writes, and the server dies while they are backfilled."""
        create_table(self.wire)
        ledger = Ledger()
        fillers = [(f"f{n % 50}", f"filler-{n}") for n in range(FILLERS)]
        for start in range(0, FILLERS, 25):
            puts = [{"PutRequest": {"Item": item_of(key, 1)}} for key in fillers[start:start + 25]]
            self.wire.call("BatchWriteItem", RequestItems={MODEL.name: puts})
        ledger.possible = {key: {1} for key in fillers}
        met = 0
        for number in range(3 + MORE_ROUNDS_MAX // 2):
            if number >= 3 and met:
                break
            index = Index(f"late-{number}", ["grp"], ["version"], attributes=None if number else [])

            def add_index_and_kill():
                wire = harness.Wire(self.server.endpoint)
                wire.call("UpdateTable", TableName=MODEL.name,
                          AttributeDefinitions=[{"AttributeName": "grp", "AttributeType": "S"},
                                                {"AttributeName": "version", "AttributeType": "N"}],
                          GlobalSecondaryIndexUpdates=[{"Create": harness.index(
                              index.name, "grp version", "ALL" if index.attributes is None else "KEYS_ONLY")}])
                if number < 3:
                    time.sleep(self.random.uniform(0, 0.05))
                self.server.kill()
                wire.close()

            self.load(ledger, 0.2, add_index_and_kill)
            while True:                         # dies again after resuming
                self.reopen()
                status = {i["IndexName"]: i["IndexStatus"] for i in self.wire.call(
                    "DescribeTable", TableName=MODEL.name)["Table"]["GlobalSecondaryIndexes"]}
                met += status[index.name] == "CREATING"
                if status[index.name] == "ACTIVE" or self.random.random() < 0.5:
                    break
                time.sleep(self.random.uniform(0, 0.02))
                self.server.kill()
            self.check(ledger)
            self.load(ledger, 0.1, lambda: None)
            harness.wait_active(self.wire, MODEL.name)
            self.indexes = [*self.indexes, index]
            self.check(ledger)
        self.assertGreater(met, 0, "no kill met a backfill")

    def test_deleted_table_stays_deleted_after_kill(self):
        harness.create_table(self.wire, "gone", **harness.schema("pk:S"))
        for start in range(0, 1000, 25):
            puts = [{"PutRequest": {"Item": {"pk": {"S": str(n)}}}} for n in range(start, start + 25)]
            self.wire.call("BatchWriteItem", RequestItems={"gone": puts})
        self.wire.call("DeleteTable", TableName="gone")
        self.server.kill()
        self.reopen()
        give_up_at = time.monotonic() + harness.WAIT_SECONDS_MAX
        while "gone" in self.wire.call("ListTables")["TableNames"]:
            self.assertLess(time.monotonic(), give_up_at, "the table is still listed")
            time.sleep(0.02)
        harness.create_table(self.wire, "gone", **harness.schema("pk:S"))
        self.assertEqual(0, self.wire.call("Scan", TableName="gone")["Count"], "a new table of that name is empty")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="names of cases to run, all when none")
    parser.add_argument("--rounds", type=int, default=SETTINGS.rounds)
    parser.add_argument("--seed", type=int, default=SETTINGS.seed)
    parser.add_argument("--flags", default="", help="more flags for the server")
    SETTINGS = parser.parse_args()
    print(f"seed {SETTINGS.seed}")
    harness.run(names=SETTINGS.cases)
