#!/usr/bin/env python3
"""Compares Trestle with its ceilings and with other implementations in one run: `make bench`, or bench/run.py --quick.

Prints the measurements and a table of Trestle's bounds, and writes to --out:
    results.csv      every measurement
    bounds.csv       every bound, its measurement, and PASS or FAIL
    figures.csv      start, memory, disk and large tables of every implementation (peers.py)
    throughput.svg   operations per second at 64 connections

Builds nothing: needs build/trestle, build/echo_ceiling, build/rocksdb_ceiling, and `npm ci` in bench/; with --peers
all also what tools/peers.sh installs.

The machine is noisy, so ratios are taken between adjacent measurements: ceiling, Trestle, ceiling, and so on. Each of
Trestle's is divided by the mean of its two neighbours, and the median of the ratios is reported. Ratios per core
compare single-threaded servers, pinned to the first core with the client on the second, by requests per second of the
server's CPU time. They are affected by noise too: on a busy machine each request costs more CPU time, and the echo's
cost grows more than Trestle's, which makes Trestle look better. The run prints the machine's load at the beginning; a
ratio per core is valid only if the load is near zero.
"""

import argparse
import csv
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import background
import ceilings
import cold
import designs
import growth
import peers
import picture
import soak
from servers import Server

HERE = Path(__file__).resolve().parent
OPERATIONS = [
    ("get", "GetItem"),
    ("put", "PutItem"),
    ("put-if", "PutItem, condition"),
    ("update", "UpdateItem ADD"),
    ("hot", "one hot counter"),
    ("batch", "BatchWriteItem 25"),
    ("query10", "Query 10 items"),
    ("query100", "Query 100 items"),
    ("scan", "Scan 100 items"),
]
WORKLOADS = [name for name, _ in OPERATIONS]
# Not every peer supports these.
MORE_OPERATIONS = [("transact-write4", "TransactWriteItems 4"), ("transact-get4", "TransactGetItems 4"), ("partiql", "PartiQL SELECT")]
SMALL = 1000
JUDGED_CONNECTIONS = 64
CACHE_MB, MEMORY_SLACK_MB = 256, 150


class MeasuringFailed(SystemExit):
    pass


class Bench:
    MeasuringFailed = MeasuringFailed

    def __init__(self, options):
        self.options = options
        self.rows = []  # dictionaries: the client's CSV columns and "system"
        self.bounds = []
        self.figures = []
        self.judged = JUDGED_CONNECTIONS
        self.cores = sorted(os.sched_getaffinity(0))[:2]
        os.sched_setaffinity(0, self.cores)  # always on 2 cores, even if there are more

    # Runs the client once.
    def client(self, system, url, workloads, connections, items=SMALL, table=None, mode=(), pinned=False, record=True,
               seconds_max=peers.STEP_SECONDS_MAX):
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            command = [self.options.client, "bench", "--endpoint", url, "--csv", file.name]
            if workloads:      # otherwise a file of requests, whose keys must be new
                command += [*([] if "--seed" in mode else ["--seed", "1"]), "--workloads", ",".join(workloads)]
            command += ["--connections", ",".join(map(str, connections))]
            command += ["--items", str(items), "--seconds", str(self.options.seconds), *mode]
            command += ["--table", table or f"bench-{items}"]
            if pinned and len(self.cores) > 1:
                command = ["taskset", "-c", str(self.cores[1])] + command
            print(f"-- {system}: {','.join(workloads)} at {','.join(map(str, connections))}, {items} items", flush=True)
            try:
                done = subprocess.run(command, check=False, timeout=seconds_max)
            except subprocess.TimeoutExpired:
                raise MeasuringFailed(f"measuring {system} takes more than {seconds_max} s") from None
            with open(file.name, newline="") as written:
                rows = list(csv.DictReader(written))
        if done.returncode != 0:
            raise MeasuringFailed(f"measuring {system} failed")
        for row in rows:
            row["system"] = system
        if record:
            self.rows += rows
        return rows

    def rate(self, system, workload, connections=JUDGED_CONNECTIONS, items=SMALL):
        for row in self.rows:
            if (row["system"], row["workload"], int(row["connections"]), int(row["items"])) == (
                system, workload, connections, items
            ):
                return float(row["per_second"])
        return 0.0

    # Starts servers.
    def trestle(self, *flags, core=None):
        return Server("trestle", [self.options.trestle, "serve", "--port", "PORT", "--data", "FOLDER", *flags], core)

    def echo(self, core=None):
        return Server("echo", [self.options.build / "echo_ceiling", "PORT"], core)

    # The parts of a run.
    def start_and_idle(self):
        print("== empty start and idle memory", flush=True)
        starts, idles = [], []
        for _ in range(5):
            with self.trestle() as server:
                starts.append(server.start_ms)
                time.sleep(0.5)
                idles.append(server.memory_mb())
        self.bound("empty start to first reply", statistics.median(starts), "ms", at_most=100)
        self.bound("idle memory", statistics.median(idles), "MB", at_most=40)

    def per_core(self):
        """GetItem and relaxed PutItem compared with the echo, one thread each."""
        print("== per core: one thread each", flush=True)
        for workload, flags, bound in (("get", [], 0.45), ("put", ["--durability", "relaxed"], 0.35)):
            core = self.cores[0] if len(self.cores) > 1 else None
            system = "trestle relaxed, 1 thread" if flags else "trestle durable, 1 thread"
            with self.trestle("--threads", "1", *flags, core=core) as server, self.echo(core=core) as echo:
                self.client(system, server.url, ["load"], [1], mode=["--keep"], record=False)
                probe = self.client(
                    system, server.url, [workload], self.options.connections, mode=["--reuse"], pinned=True
                )
                url = f"{echo.url}/{probe[-1]['reply_body_bytes']}"
                self.client("echo, pinned", url, [workload], self.options.connections, mode=["--echo"], pinned=True)

                # A number of requests instead of a duration: then every request is measured, and the CPU time is only
                # theirs.
                judged = [row for row in probe if int(row["connections"]) == JUDGED_CONNECTIONS][0]
                number = ["--requests", str(int(float(judged["per_second"]) * self.options.seconds))]

                def of_echo():
                    return self.rates_per_core(echo, "echo, pinned", url, workload, ["--echo", *number])

                def of_trestle():
                    return self.rates_per_core(server, system, server.url, workload, ["--reuse", *number])

                (ratio, rate), (wall_ratio, _) = self.interleave_each(of_echo, of_trestle)
            name = "GetItem of 200 bytes" if workload == "get" else "relaxed PutItem"
            self.bound(f"{name} / echo, per core, 64 connections", ratio, "", at_least=bound,
                       note=f"{1e6 / rate:.1f} us of CPU a request; by the clock {wall_ratio:.2f}")

    def rates_per_core(self, server, system, url, workload, mode):
        """Requests per second of the server's CPU time, and per second."""
        before = server.cpu_seconds()
        rows = self.client(system, url, [workload], [JUDGED_CONNECTIONS], mode=mode, pinned=True, record=False)
        return int(rows[-1]["requests"]) / (server.cpu_seconds() - before), float(rows[-1]["per_second"])

    def one_rate(self, system, url, workload, mode, items=SMALL, pinned=False):
        rows = self.client(
            system, url, [workload], [JUDGED_CONNECTIONS], items=items, mode=mode, pinned=pinned, record=False
        )
        return float(rows[-1]["per_second"]) or 1 / self.options.seconds      # nothing in that time: the rate is less than this

    def interleave(self, ceiling, subject):
        """The median ratio of the subject to the ceiling, and the subject's median rate."""
        return self.interleave_each(lambda: (ceiling(),), lambda: (subject(),))[0]

    def interleave_each(self, ceiling, subject):
        """Like interleave, for measurements of several rates each: a pair of ratio and rate for each of them."""
        ceilings, subjects = [ceiling()], []
        for _ in range(self.options.rounds):
            subjects.append(subject())
            ceilings.append(ceiling())
        pairs = []
        for above, rates in zip(zip(*ceilings), zip(*subjects)):
            ratios = [rate / ((above[i] + above[i + 1]) / 2) for i, rate in enumerate(rates)]
            pairs.append((statistics.median(ratios), statistics.median(rates)))
        return pairs

    def rocksdb(self, *names, items):
        folder = tempfile.mkdtemp(prefix="trestle-bench-rocksdb-")
        try:
            command = [self.options.build / "rocksdb_ceiling", folder + "/db", str(items), str(self.options.seconds)]
            print(f"-- rocksdb: {' '.join(names)}, {items} items", flush=True)
            text = subprocess.run([*command, *names], check=True, capture_output=True, text=True).stdout
        finally:
            shutil.rmtree(folder)
        rates = {}
        for line in text.split():
            name, threads, per_second = line.split(",")
            print(f"{name:<10} {threads:>6} threads {float(per_second):>10.0f}/s", flush=True)
            rates[name] = float(per_second)
            self.rows.append({"system": "rocksdb", "workload": name, "connections": threads, "items": items,
                              "per_second": per_second})
        return rates

    def durable(self):
        print("== Trestle, durable", flush=True)
        with self.trestle() as server:
            self.client("trestle durable", server.url, WORKLOADS, self.options.connections, mode=["--keep"])
            ratio, _ = self.interleave(
                lambda: self.rocksdb("sync", items=SMALL)["sync"],
                lambda: self.one_rate("trestle durable", server.url, "put", ["--reuse"]),
            )
            self.bound("durable PutItem / RocksDB synced by 32 threads, 64 connections", ratio, "", at_least=0.8)
            hot_ratio, hot = self.interleave(
                lambda: self.one_rate("trestle durable", server.url, "update", ["--reuse"]),
                lambda: self.one_rate("trestle durable", server.url, "hot", ["--reuse"]),
            )
            self.bound("hot counter, durable, 64 connections", hot, "/s", at_least=10_000,
                       note=f"or 0.5 of unhot: {hot_ratio:.2f}", also=hot_ratio >= 0.5)
            self.transactions(server)
            self.client("trestle durable", server.url, ["get-records"], self.options.connections)
            self.many_items(server)

    def transactions(self, server):
        self.client("trestle durable", server.url, peers.MORE, self.options.connections, mode=["--reuse"])
        ratio, rate = self.interleave(
            lambda: self.one_rate("trestle durable", server.url, "put", ["--reuse"]),
            lambda: self.one_rate("trestle durable", server.url, "transact-write4", ["--reuse"]),
        )
        self.bound("TransactWriteItems of 4 / 4 PutItems, durable, 64 connections", 4 * ratio, "", at_least=0.4,
                   note=f"{rate:,.0f} transactions/s")

    def many_items(self, server):
        """On the same server as the small table: a table much larger than the cache."""
        items = self.options.items
        print(f"== {items} items", flush=True)
        self.client("trestle durable", server.url, WORKLOADS, self.options.connections, items=items, mode=["--keep"])
        ratio, _ = self.interleave(
            lambda: self.one_rate("trestle durable", server.url, "get", ["--reuse"]),
            lambda: self.one_rate("trestle durable", server.url, "get", ["--reuse"], items=items),
        )
        self.bound(f"GetItem at {items} items / at {SMALL}", ratio, "", at_least=0.7)
        before = server.memory_mb()
        self.client("trestle durable", server.url, ["scan-all"], [1], items=items, mode=["--reuse"])
        growth = server.memory_mb() - before
        self.bound(f"memory growth in a scan of {items} items", growth, "MB", at_most=16, note=f"from {before:.0f} MB")
        self.bound(f"most memory ever, {items} items, {CACHE_MB} MB of cache", server.memory_mb("VmHWM"), "MB",
                   at_most=CACHE_MB + MEMORY_SLACK_MB)

    def echoes(self):
        print("== echo, with the sizes of each operation", flush=True)
        sizes = {r["workload"]: r["reply_body_bytes"] for r in self.rows if r["system"] == "trestle durable"}
        with self.echo() as server:
            for workload in WORKLOADS:
                url = f"{server.url}/{sizes[workload]}"
                self.client("echo", url, [workload], self.options.connections, mode=["--echo"])

    # The results.
    def bound(self, name, measured, unit, at_least=None, at_most=None, note="", also=False):
        passed = measured >= at_least if at_least is not None else measured <= at_most
        limit = f">= {at_least}" if at_least is not None else f"<= {at_most}"
        self.bounds.append({"bound": name, "measured": f"{measured:.2f}", "unit": unit, "limit": limit,
                            "result": "PASS" if passed or also else "FAIL", "note": note})

    def figure(self, system, name, value):
        print(f"{system}: {name}: {value:,.1f}", flush=True)
        self.figures.append({"system": system, "figure": name, "value": f"{value:.1f}"})

    def print_rates(self):
        systems = [s for s in ["echo", "trestle relaxed", "trestle durable", *peers.systems(self.options)]
                   if self.rate(s, "get") > 0]
        print(f"\nOperations a second at {JUDGED_CONNECTIONS} connections, {SMALL} items")
        print(f"{'':<22}" + "".join(f"{s:>26}" for s in systems))
        for workload, label in OPERATIONS + MORE_OPERATIONS:
            print(f"{label:<22}" + "".join(f"{self.rate(s, workload):>26,.0f}" for s in systems))
        print()
        for figure in self.figures:
            print(f"{figure['system']:<28} {figure['figure']:<50} {float(figure['value']):>12,.1f}")

    def print_bounds(self):
        print(f"\n{'bound':<66} {'measured':>10}     {'limit':<10} result")
        for b in self.bounds:
            print(f"{b['bound']:<66} {b['measured']:>10} {b['unit']:<3} {b['limit']:<10} {b['result']}  {b['note']}")

    def write(self):
        out = self.options.out
        out.mkdir(parents=True, exist_ok=True)
        columns = ["system", "workload", "connections", "items", "per_second", "seconds", "requests", "errors",
                   "mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us", "request_bytes", "reply_body_bytes",
                   "client_cpu", "load"]
        files = {"results.csv": (columns, self.rows), "bounds.csv": (list(self.bounds[0]), self.bounds),
                 "figures.csv": (["system", "figure", "value"], self.figures)}
        for name, (names, rows) in files.items():
            with open(out / name, "w", newline="") as file:
                writer = csv.DictWriter(file, names)
                writer.writeheader()
                writer.writerows(rows)
        rates = {(s, w): self.rate(s, w) for s in picture.COLOURS for w in WORKLOADS}
        (out / "throughput.svg").write_text(picture.draw(
            "Trestle, its HTTP ceiling and other implementations",
            f"{JUDGED_CONNECTIONS} connections, {SMALL:,} items of 200 bytes, 2 cores shared by client and server",
            OPERATIONS,
            {key: rate for key, rate in rates.items() if rate > 0},
        ))
        print(f"\nwrote {out}/results.csv, bounds.csv, figures.csv, throughput.svg")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="about two minutes: fewer items, connections, seconds")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a bound fails")
    parser.add_argument("--build", type=Path, default=HERE.parent / "build", help="where the programs are")
    parser.add_argument("--trestle", type=Path, help="the program to measure; BUILD/trestle when not given")
    parser.add_argument("--client", type=Path, help="the program whose bench command measures; BUILD/trestle")
    parser.add_argument("--dynalite", type=Path, default=HERE / "node_modules/dynalite/cli.js")
    parser.add_argument("--out", type=Path, default=HERE.parent / "build/bench", help="a folder for the results")
    parser.add_argument("--items", type=int, help="items in the large table: 5 million, or 100 thousand when quick")
    parser.add_argument("--seconds", type=float, help="of one measurement")
    parser.add_argument("--peers", default="dynalite", help=f"all, or some of {','.join(peers.PEERS)}")
    parser.add_argument("--peer-items", type=int, help="items in the large table of every implementation: 1 million, or 10 thousand "
                                                       "when quick, or 0 when only dynalite is measured")
    parser.add_argument("--only-peers", action="store_true", help="no ceilings and no designs")
    parser.add_argument("--designs", action="store_true", help="only the operations of designs")
    parser.add_argument("--background", action="store_true", help="only latencies beside background work")
    parser.add_argument("--ceilings", action="store_true", help="only the ratios to RocksDB, the disk and plain HTTP of ceilings.py")
    parser.add_argument("--cold", action="store_true", help="only reads of items that are on the disk alone")
    parser.add_argument("--cold-items", type=int, help="items of a table read from the disk: 3 million, or 500 thousand when quick")
    parser.add_argument("--background-items", type=int, help="items of a background job: 100 thousand, or 30 thousand when quick")
    parser.add_argument("--background-rounds", type=int, default=1, help="how often each background job is measured")
    parser.add_argument("--growth", action="store_true", help="only how figures grow with the data, to --growth-items; hours, and a large disk")
    parser.add_argument("--growth-items", type=int, default=growth.ITEMS, help="items at the end: 100 million")
    parser.add_argument("--soak", action="store_true", help="only a mixed load for --soak-minutes, and whether anything grows in that time")
    parser.add_argument("--soak-minutes", type=float, default=soak.MINUTES, help="of the mixed load: 60")
    options = parser.parse_args()
    options.trestle = options.trestle or options.build / "trestle"
    options.client = options.client or options.build / "trestle"
    options.peers = list(peers.PEERS) if options.peers == "all" else options.peers.split(",")
    for unknown in set(options.peers) - set(peers.PEERS):
        parser.error(f"--peers: there is no {unknown}")
    if options.peer_items is None:
        options.peer_items = 0 if options.peers == ["dynalite"] else 10_000 if options.quick else 1_000_000
    options.cold_items = options.cold_items or (500_000 if options.quick else 3_000_000)
    options.background_items = options.background_items or (30_000 if options.quick else 100_000)
    options.items = options.items or (100_000 if options.quick else 5_000_000)
    if options.items <= SMALL:
        parser.error(f"--items must be more than {SMALL}")
    options.seconds = options.seconds or (0.6 if options.quick else 3)
    options.rounds = 3
    options.connections = [1, 64] if options.quick else [1, 16, 64, 256]
    parts = ((designs, options.designs), (background, options.background), (cold, options.cold), (ceilings, options.ceilings),
             (growth, options.growth), (soak, options.soak))
    options.parts = [part for part, chosen in parts if chosen]
    if options.growth_items < 100 * SMALL or options.growth_items % 10_000:
        parser.error(f"--growth-items must be tens of thousands, and at least {100 * SMALL}")
    programs = [options.trestle, options.client]
    if options.ceilings or not (options.only_peers or options.parts):
        programs += [options.build / "echo_ceiling", options.build / "rocksdb_ceiling"]
    if "dynalite" in options.peers and not options.parts:
        programs.append(options.dynalite)
    for program in programs:
        if not program.exists():
            raise SystemExit(f"{program} is missing: build it first (dynalite: npm ci in bench/)")
    return options


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that no server is left running
    bench = Bench(options)
    started = time.monotonic()
    load = os.getloadavg()[0]
    busy = ": others use this machine, so take no figure of this run for its own" if load > 0.5 else ""
    print(f"load of the machine before the run: {load:.1f}{busy}", flush=True)
    if options.parts:
        for part in options.parts:
            part.measure(bench)
        bench.print_bounds()
        return 1 if options.strict and any(b["result"] == "FAIL" for b in bench.bounds) else 0
    if not options.only_peers:
        bench.start_and_idle()
        bench.rocksdb(items=min(options.items, 1_000_000))
        bench.per_core()
        bench.durable()
        bench.echoes()
        designs.measure(bench)
        ceilings.measure(bench)
        background.measure(bench)
        cold.measure(bench)
    peers.measure(bench, WORKLOADS, OPERATIONS + MORE_OPERATIONS)
    bench.print_rates()
    bench.print_bounds()
    bench.write()
    print(f"took {time.monotonic() - started:.0f} s")
    failed = any(b["result"] == "FAIL" for b in bench.bounds)
    return 1 if failed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
