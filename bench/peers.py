"""Trestle compared with other DynamoDB implementations, measured alternately in one run.

dynalite is always measured (`npm ci` in bench/); DynamoDB Local and dynoxide with --peers, after tools/peers.sh has
installed them. Each is measured in memory, which is the default of all three, and on disk. On disk DynamoDB Local and
dynoxide sync each write before they reply (4 and 1 calls of fsync() for a PutItem, according to strace), so they are
compared with durable Trestle. dynalite does not sync, and is compared with relaxed Trestle; so are all of them in
memory.

rates()      every operation at 64 connections; ratios of adjacent measurements
latencies()  p50, p99 and p99.9 of both at half of the peer's capacity, with an open-loop client: the same load for both
large()      a table of --peer-items: load, scan, memory, disk, a new global index, start on that data
"""

import json
import statistics
import subprocess
import time
from pathlib import Path

from servers import Server, request

HERE = Path(__file__).resolve().parent
TRANSACTIONS = ["transact-write4", "transact-get4"]
MORE = [*TRANSACTIONS, "partiql"]
AT_HALF = ["get", "put", "query10"]
STEP_SECONDS_MAX = 600
TIMES, TIMES_P99 = 8, 3         # required ratios


def tool(name):
    """The output of tools/peers.sh for a peer."""
    done = subprocess.run([HERE.parent / "tools/peers.sh", name], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


class Dynalite:
    name = "dynalite"
    syncs = False

    def __init__(self, options):
        self.script = options.dynalite

    def command(self, memory):
        words = ["node", self.script, "--port", "PORT", "--createTableMs", "0", "--deleteTableMs", "0", "--updateTableMs", "0"]
        return words if memory else [*words, "--path", "FOLDER"]


class DynamoDBLocal:
    name = "DynamoDB Local"
    syncs = True

    def __init__(self, _):
        self.jars = tool("dynamodb-local")

    def command(self, memory):
        return ["java", f"-Djava.library.path={self.jars}", "-cp", self.jars + "/*",
                "com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-disableTelemetry", "-sharedDb", "-port", "PORT",
                *(["-inMemory"] if memory else ["-dbPath", "FOLDER"])]


class Dynoxide:
    name = "dynoxide"
    syncs = True

    def __init__(self, _):
        self.program = tool("dynoxide")

    def command(self, memory):
        return [self.program, "--port", "PORT", *([] if memory else ["--db-path", "FOLDER/dynoxide.db"])]


PEERS = {"dynalite": Dynalite, "dynamodb-local": DynamoDBLocal, "dynoxide": Dynoxide}


def makes_folder(peer, memory):
    return not memory and peer.name != "dynalite"


def start(peer, memory):
    return Server(peer.name, peer.command(memory), makes_folder=makes_folder(peer, memory))


def system(peer, memory=False):
    return peer.name + (" in memory" if memory else "")


def footprint(bench, peer, memory):
    """Median of three starts on an empty store, and memory half a second later."""
    starts, idles = [], []
    for _ in range(3):
        with start(peer, memory) as server:
            starts.append(server.start_ms)
            time.sleep(0.5)
            idles.append(server.memory_mb())
    bench.figure(system(peer, memory), "empty start to first reply, ms", statistics.median(starts))
    bench.figure(system(peer, memory), "idle memory, MB", statistics.median(idles))


def try_client(bench, *arguments, **options):
    """The rows that the client measured, or none if the peer does not support the operation."""
    try:
        return bench.client(*arguments, **options)
    except bench.MeasuringFailed as failed:
        print(f"-- left out: {failed}", flush=True)
        return []


def rates(bench, peer, memory, ours, workloads, operations):
    """`ours`: (name, server) of the Trestle with the same kind of storage as the peer."""
    name, (our_name, our_server) = system(peer, memory), ours
    print(f"== {our_name} and {name}", flush=True)
    with start(peer, memory) as theirs:
        connections = [bench.judged] if memory else bench.options.connections
        bench.client(name, theirs.url, workloads, connections, mode=["--keep"])
        for workload in MORE:
            if not try_client(bench, name, theirs.url, [workload], [bench.judged], mode=["--reuse"]):
                operations = [operation for operation in operations if operation[0] != workload]
        for workload, label in operations:
            ratio, rate = bench.interleave(
                lambda: bench.one_rate(name, theirs.url, workload, ["--reuse"]),
                lambda: bench.one_rate(our_name, our_server.url, workload, ["--reuse"]),
            )
            bench.bound(f"{label} / {name}, 64 connections", ratio, "x", at_least=TIMES, note=f"{our_name}, {rate:,.0f}/s")
        latencies(bench, name, theirs, ours, dict(operations))


def latencies(bench, name, theirs, ours, labels):
    our_name, our_server = ours
    for workload in AT_HALF:
        load = max(1, bench.rate(name, workload) / 2)
        mode = ["--reuse", "--rate", f"{load:.0f}"]

        def p99(who, url):
            rows = bench.client(who, url, [workload], [bench.judged], mode=mode, record=False)
            for row in rows:
                row["system"], row["load"] = f"{who} at half of {name}", f"{load:.0f}"
            bench.rows += rows
            return float(rows[-1]["p99_us"]) or bench.options.seconds * 1e6       # nothing was answered in that time

        # Of inverses, so that the ratio is the peer's value divided by ours.
        pairs = bench.interleave_each(lambda: (1 / p99(name, theirs.url),), lambda: (1 / p99(our_name, our_server.url),))
        bench.bound(f"p99 of {name} / ours, {labels[workload]}, {load:,.0f}/s", pairs[0][0], "x", at_least=TIMES_P99,
                    note=f"{our_name}, {1 / pairs[0][1]:,.0f} us")


def large(bench, name, server_command, folder=False, on_disk=True):
    """One table of many items, from loading it to a start on its data."""
    items = bench.options.peer_items
    print(f"== {name}, {items} items", flush=True)
    with Server(name, server_command, makes_folder=folder) as server:
        def measured(workload, mode):
            rows = try_client(bench, name, server.url, [workload], [1], items=items, table="large", mode=mode)
            return float(rows[-1]["seconds"]) if rows else None

        seconds = measured("load", ["--keep"])
        if seconds is None:
            print(f"-- {name} does not load {items} items within {STEP_SECONDS_MAX} s", flush=True)
            return
        bench.figure(name, f"load of {items} items, items/s", items / seconds)
        bench.figure(name, "memory after it, MB", server.memory_mb())
        if on_disk:
            bench.figure(name, "disk after it, MB", server.disk_mb())
        seconds = measured("scan-all", ["--reuse"])
        if seconds is not None:
            bench.figure(name, f"Scan of {items} items, items/s", items / seconds)
        seconds = new_index(server)
        if seconds is not None:
            bench.figure(name, f"a global index of {items} items, items/s", items / seconds)
        if not on_disk:
            return
        server.restart()
        bench.figure(name, f"start to first reply with {items} items, ms", server.start_ms)


def new_index(server):
    """Seconds until a new global index is backfilled; None if that is refused or takes too long."""
    began = time.monotonic()
    status, reply = request(server.port, "UpdateTable", {
        "TableName": "large", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                                       {"AttributeName": "data", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": "by-data", "KeySchema": [{"AttributeName": "data", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}}}]})
    if status != 200:
        print(f"-- no new index: {status} {reply[:300]}", flush=True)
        return None
    while time.monotonic() - began < STEP_SECONDS_MAX:
        status, reply = request(server.port, "DescribeTable", {"TableName": "large"})
        if status == 200:
            index = json.loads(reply)["Table"]["GlobalSecondaryIndexes"][0]
            if index["IndexStatus"] == "ACTIVE" and not index.get("Backfilling"):
                return time.monotonic() - began
        time.sleep(0.02)
    print(f"-- no new index within {STEP_SECONDS_MAX} s", flush=True)
    return None


def systems(options):
    return [PEERS[name].name + mode for name in options.peers for mode in ("", " in memory")]


def measure(bench, workloads, operations):
    chosen = [PEERS[name](bench.options) for name in bench.options.peers]
    modes = (False,) if bench.options.peers == ["dynalite"] else (True, False)
    with bench.trestle() as durable, bench.trestle("--durability", "relaxed") as relaxed:
        for name, server in (("trestle durable", durable), ("trestle relaxed", relaxed)):
            bench.client(name, server.url, workloads, bench.options.connections, mode=["--keep"])
            bench.client(name, server.url, MORE, [bench.judged], mode=["--reuse"])
        for peer in chosen:
            for memory in modes:
                footprint(bench, peer, memory)
                ours = ("trestle durable", durable) if peer.syncs and not memory else ("trestle relaxed", relaxed)
                rates(bench, peer, memory, ours, workloads, operations)
    if not bench.options.peer_items:
        return
    for name, durability in (("trestle relaxed", "relaxed"), ("trestle durable", "sync")):
        large(bench, name, [bench.options.trestle, "serve", "--port", "PORT", "--data", "FOLDER", "--durability", durability])
    for peer in chosen:
        for memory in modes:
            large(bench, system(peer, memory), peer.command(memory), makes_folder(peer, memory), not memory)
