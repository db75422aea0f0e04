"""Tests whether anything grows while a server works: bench/run.py --soak [--soak-minutes 60]. Not part of make bench.

One server, durable, under a mixed load at a fixed rate of a fifth of its capacity: open-loop clients of five
operations, one of them on a table with a stream. At the same time, in rounds of ten seconds:
    tables      one is created, filled, gets a global index, loses it, and is deleted
    expiry      items are written that expire some seconds later
    stream      is read to its end, shard after shard; its shards and records are short-lived here
    backups     every third round a table under load is backed up, the backup is deleted, and another table is exported
Samples memory, descriptors (of files, of sockets), threads and disk, and the latencies of each operation, and
compares the last quarter of the run with the second. Writes soak.csv, a line for each sample, and soak.svg.
"""

import csv
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import plot
from background import Jobs
from chores import EXPIRING, ROUND_SECONDS, WAIT_SECONDS_MAX, Chores
from watch import Watch

MINUTES = 60
LOAD = 0.2  # of saturation, all operations together
CONNECTIONS = 16  # per operation
ITEMS, TRANSACTION_ITEMS = 100_000, 20_000
WORKLOADS = [("get", "GetItem", "soak", ITEMS), ("put", "PutItem", "soak", ITEMS), ("update", "UpdateItem ADD", "soak", ITEMS),
             ("query10", "Query 10 items", "soak", ITEMS),
             ("transact-write4", "TransactWriteItems 4", "soak-transactions", TRANSACTION_ITEMS)]
PERCENTILES = (("p50_us", "p50"), ("p99_us", "p99"), ("p999_us", "p99.9"))
SAMPLE_SECONDS, REPORT_SECONDS = 10, 60
RETENTION_SECONDS_MIN = 6 * ROUND_SECONDS
FREE_MB_MIN = 2_000
SYSTEM = "trestle durable, soak"

# Limits on the last quarter compared with the second.
MEMORY_TIMES_MAX, MEMORY_SLACK_MB = 1.1, 20
DISK_TIMES_MAX, DISK_SLACK_MB = 1.1, 100  # for compaction
FILES_MORE_MAX, SOCKETS_MORE_MAX, THREADS_MORE_MAX = 8, 8, 2
P99_TIMES_MAX = 1.5
RATE_MIN = 0.95  # of the requested rate


class Stop:
    """Stops the threads of a soak: after its duration, or when one of them fails."""

    def __init__(self):
        self.event, self.failures = threading.Event(), []

    def thread(self, run):
        def guarded():
            try:
                run()
            except BaseException as failure:
                self.failures.append(failure)
                self.event.set()

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        return thread


class LiveTraffic:
    """An open-loop client of one operation: short runs one after another, so that each has its own percentiles."""

    def __init__(self, bench, server, stop, workload, rate):
        self.bench, self.server, self.stop, self.rate = bench, server, stop, rate
        self.workload, self.label, self.table, self.items = workload
        self.rows = []
        self.process = None

    def run(self):
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            seed = 0
            while not self.stop.event.is_set():
                seed += 1
                self.process = subprocess.Popen(
                    [self.bench.options.client, "bench", "--endpoint", self.server.url, "--workloads", self.workload, "--table",
                     self.table, "--items", str(self.items), "--connections", str(CONNECTIONS), "--rate", f"{self.rate:.0f}",
                     "--seconds", str(self.bench.soak_every), "--seed", str(seed), "--reuse", "--csv", file.name],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                output = self.process.communicate(timeout=120)[0]
                if self.stop.event.is_set():
                    return
                if self.process.returncode != 0:
                    raise SystemExit(f"{self.label}: the client failed:\n{output[-2000:]}")
                with open(file.name, newline="") as written:
                    row = list(csv.DictReader(written))[-1]
                row["at"] = time.monotonic()
                self.rows.append(row)

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def latest(self):
        if not self.rows:
            return {f"{self.workload}_{name}": 0 for name, _ in PERCENTILES}
        return {f"{self.workload}_{name}": float(self.rows[-1][name]) for name, _ in PERCENTILES}


class CauseFigures:
    """Figures that explain latencies that grow although the server is not the cause, each since the last sample: the
    mean duration of a sync of the log, the share of a second that the server's threads wait for a core, and write
    stalls; also the sizes of the log and of the live data."""

    def __init__(self, server):
        self.server = server
        self.before = self.totals()

    def totals(self):
        metric = self.server.metric
        return (metric("trestle_store_sync_seconds_total"), metric("trestle_store_syncs_total"), self.server.cpu_wait_seconds(),
                time.monotonic(), metric("trestle_store_stall_seconds_total"))

    def figures(self):
        now = self.totals()
        sync_seconds, syncs, waited, seconds, stalled = (after - before for after, before in zip(now, self.before))
        self.before = now
        return {"log_mb": self.server.log_mb(), "live_mb": self.server.metric("trestle_store_live_data_bytes") / 1e6,
                "sync_ms": sync_seconds / max(syncs, 1) * 1000, "cpu_wait": waited / max(seconds, 0.001), "stall_seconds": stalled}


class Quarters:
    """A series over the run: the medians of its second and its last quarter, and its slope per hour after the first quarter."""

    def __init__(self, points, seconds):
        def within(first, last):
            values = [value for at, value in points if seconds * first <= at <= seconds * last]
            if not values:
                raise SystemExit("the soak is too short: a quarter has no samples")
            return values

        self.second, self.last = statistics.median(within(0.25, 0.5)), statistics.median(within(0.75, 1.1))
        later = [(at / 3600, value) for at, value in points if at >= seconds * 0.25]
        self.slope = statistics.linear_regression(*zip(*later)).slope

    @property
    def ratio(self):
        return self.last / self.second if self.second else 1.0

    def note(self, unit):
        return f"{self.second:,.1f} {unit}, then {self.last:,.1f} {unit}; {self.slope:+,.1f} {unit} an hour"


def set_up(bench, server, jobs):
    """Loads the tables; returns the rate of each operation, an equal share of LOAD."""
    def load(workload, table, items):
        bench.client(SYSTEM, server.url, [workload], [bench.judged], items=items, table=table, mode=["--keep"], record=False)

    load("load", "soak", ITEMS)
    load("query10", "soak", ITEMS)  # a table of partitions, soak-ranged
    load("load", "soak-transactions", TRANSACTION_ITEMS)
    jobs.call("UpdateTable", TableName="soak", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    rates = {}
    for name, _, table, items in WORKLOADS:
        rows = bench.client(SYSTEM, server.url, [name], [bench.judged], items=items, table=table, mode=["--reuse"], record=False)
        rates[name] = float(rows[-1]["per_second"]) * LOAD / len(WORKLOADS)
    return rates


def run(bench, server, buckets, seconds):
    """The samples and the clients, after the run."""
    stop = Stop()
    jobs = Jobs(server)
    rates = set_up(bench, server, jobs)
    print("== a second: " + ", ".join(f"{label} {rates[name]:,.0f}" for name, label, _, _ in WORKLOADS), flush=True)
    chores = Chores(server, stop, buckets)
    traffic = [LiveTraffic(bench, server, stop, workload, rates[workload[0]]) for workload in WORKLOADS]

    causes = CauseFigures(server)

    def more():
        figures = chores.figures() | causes.figures()
        for load in traffic:
            figures |= load.latest()
        return figures

    threads = [stop.thread(load.run) for load in (*traffic, chores)]
    began = time.monotonic()
    until = began + seconds
    try:
        with Watch(server, bench.soak_every, more, FREE_MB_MIN) as watch:
            while not stop.event.wait(min(REPORT_SECONDS, max(0, until - time.monotonic()))) and time.monotonic() < until:
                if not watch.thread.is_alive():
                    raise SystemExit(watch.stopped or f"the server cannot be sampled: {watch.failure}")
                last = watch.samples[-1]
                print(f"{last['seconds'] / 60:5.1f} minutes: {last['memory_mb']:.0f} MB, {last['files']} files, "
                      f"{last['sockets']} sockets, {last['threads']} threads, {last['disk_mb']:.0f} MB of disk, {chores.done}", flush=True)
    finally:
        stop.event.set()
        for load in traffic:
            load.end()
        for thread in threads:
            thread.join(WAIT_SECONDS_MAX)
    if stop.failures:
        raise stop.failures[0]
    for load in traffic:
        for row in load.rows:
            row["at"] -= began
    return watch.samples, traffic, chores


def bounds(bench, samples, traffic, chores, seconds):
    def quarters(name):
        return Quarters([(sample["seconds"], sample[name]) for sample in samples], seconds)

    def bound(text, found, unit, most):
        bench.bound(f"{text}, last quarter", found.last, unit, at_most=round(most, 1), note=found.note(unit))

    memory = quarters("memory_mb")
    disk = Quarters([(sample["seconds"], sample["disk_mb"] - sample["log_mb"]) for sample in samples], seconds)
    bound("memory", memory, "MB", memory.second * MEMORY_TIMES_MAX + MEMORY_SLACK_MB)
    bound("disk without the log", disk, "MB", disk.second * DISK_TIMES_MAX + DISK_SLACK_MB)
    for name, more in (("files", FILES_MORE_MAX), ("sockets", SOCKETS_MORE_MAX), ("threads", THREADS_MORE_MAX)):
        found = quarters(name)
        bound(f"open {name}" if name != "threads" else name, found, "", found.second + more)
    unexpired = quarters("unexpired")
    bound("items to expire that are there", unexpired, "", unexpired.second * 1.5 + EXPIRING)
    for load in traffic:
        for name, text in PERCENTILES:
            found = Quarters([(row["at"], float(row[name]) / 1000) for row in load.rows], seconds)
            if name == "p99_us":
                bench.bound(f"{text} of {load.label}, last quarter / second", found.ratio, "x", at_most=P99_TIMES_MAX,
                            note=found.note("ms"))
            else:
                bench.figure(SYSTEM, f"{text} of {load.label}, last quarter / second", found.ratio)
        rate = sum(float(row["requests"]) for row in load.rows) / sum(float(row["seconds"]) for row in load.rows)
        bench.bound(f"rate of {load.label} / what was asked for", rate / load.rate, "", at_least=RATE_MIN, note=f"{rate:,.0f}/s")
    for name, column in (("mean sync of the log", "sync_ms"), ("wait of threads for a core", "cpu_wait"), ("live data", "live_mb")):
        bench.figure(SYSTEM, f"{name}, last quarter / second", quarters(column).ratio)
    for name, value in chores.figures().items():
        bench.figure(SYSTEM, name, value)


def write(bench, samples, seconds):
    out = bench.options.out
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "soak.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(samples[-1]))
        writer.writeheader()
        writer.writerows({name: round(value, 2) for name, value in sample.items()} for sample in samples)
    (out / "soak.svg").write_text(picture(samples, seconds))
    print(f"wrote {out}/soak.csv, soak.svg")


def picture(samples, seconds):
    def line(label, name, unit=1):
        return label, [(sample["seconds"] / 60, sample[name] / unit) for sample in samples if sample[name] > 0]

    panels = [("Memory, MB", [line("", "memory_mb")]),
              ("Descriptors and threads", [line("files", "files"), line("sockets", "sockets"), line("threads", "threads")]),
              ("Disk, MB", [line("all", "disk_mb"), line("of it, log", "log_mb")])]
    panels += [(f"{label}, ms", [line(text, f"{name}_{column}", 1000) for column, text in PERCENTILES]) for name, label, _, _ in WORKLOADS]
    panels += [("Items to expire that are there", [line("", "unexpired")])]
    panels += [("A sync of the log, ms: the disk", [line("", "sync_ms")]),
               ("Threads that wait for a core: the machine", [line("", "cpu_wait")])]
    subtitle = f"minutes; {LOAD:.0%} of saturation, beside new and deleted tables and indexes, expiry, a stream, backups and exports; durable"
    return plot.draw("Trestle under a mixed load", subtitle, [plot.Panel(title, lines, x_range=(0, seconds / 60)) for title, lines in panels])


def measure(bench):
    seconds = bench.options.soak_minutes * 60
    bench.soak_every = min(SAMPLE_SECONDS, max(1, seconds / 60))
    print(f"== soak of {bench.options.soak_minutes:g} minutes", flush=True)
    buckets = tempfile.mkdtemp(prefix="trestle-bench-buckets-")
    try:
        Path(buckets, "bench").mkdir()
        # Records of streams become old enough to be trimmed during most of the run, and after several rounds of the
        # reader.
        retention_ms = int(max(RETENTION_SECONDS_MIN, seconds / 10) * 1000)
        with bench.trestle("--buckets", buckets, "--stream-retention-ms", str(retention_ms), "--stream-shard-ms",
                           str(retention_ms // 4)) as server:
            samples, traffic, chores = run(bench, server, buckets, seconds)
            write(bench, samples, seconds)
            bounds(bench, samples, traffic, chores, seconds)
    finally:
        shutil.rmtree(buckets, ignore_errors=True)
