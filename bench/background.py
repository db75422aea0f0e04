"""Latency of live traffic during background work, measured by an open-loop client: bench/run.py --background, and
part of make bench.

GetItem and PutItem on one table, at 30% and 50% of the server's capacity, alone and during each job on another table:
an import, the backfill of a global index, time to live enabled on items that have all expired (backfill and sweep),
and the cleanup after DeleteTable. Measurements alone and during a job alternate; a ratio is that of their medians.
"""

import json
import random
import shutil
import statistics
import tempfile
import time
import uuid
from pathlib import Path

from servers import request

WORKLOADS = [("get", "GetItem"), ("put", "PutItem")]
LOADS = (0.3, 0.5)  # of saturation
P50_TIMES_MAX, P999_TIMES_MAX = 1.5, 3
LIVE_ITEMS = 10_000
WAIT_SECONDS_MAX = 300
TABLE = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}


class Jobs:
    """Background jobs on separate tables. Each method starts one and returns a function that tells whether it is
    still running."""

    def __init__(self, server):
        self.server = server

    def call(self, operation, **parameters):
        status, reply = request(self.server.port, operation, parameters)
        if status != 200:
            raise SystemExit(f"{operation}: {status} {reply[:300]}")
        return json.loads(reply)

    def describe(self, table):
        return self.call("DescribeTable", TableName=table)["Table"]

    def start_import(self, table):
        self.call("ImportTable", ClientToken=str(uuid.uuid4()), S3BucketSource={"S3Bucket": "bench"}, InputFormat="DYNAMODB_JSON",
                  TableCreationParameters={"TableName": table, **TABLE})
        return lambda: self.describe(table)["TableStatus"] != "ACTIVE"

    def start_backfill(self, table):
        self.call("UpdateTable", TableName=table,
                  AttributeDefinitions=[*TABLE["AttributeDefinitions"], {"AttributeName": "data", "AttributeType": "S"}],
                  GlobalSecondaryIndexUpdates=[{"Create": {
                      "IndexName": "by-data", "KeySchema": [{"AttributeName": "data", "KeyType": "HASH"}],
                      "Projection": {"ProjectionType": "ALL"}}}])
        return lambda: self.describe(table)["GlobalSecondaryIndexes"][0]["IndexStatus"] != "ACTIVE"

    def start_expiry(self, table):
        self.call("UpdateTimeToLive", TableName=table, TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
        return lambda: self.describe(table)["ItemCount"] > 0

    def start_deletion(self, table):
        self.call("DeleteTable", TableName=table)
        return self.is_busy

    def is_busy(self):
        """Whether the server is working although it has no requests."""
        before = self.server.cpu_seconds()
        time.sleep(0.3)
        return self.server.cpu_seconds() - before > 0.03

    def wait(self, under_way, seconds_max=WAIT_SECONDS_MAX):
        """The seconds until the job is done and the server is idle."""
        began = time.monotonic()
        while under_way() or self.is_busy():
            if time.monotonic() - began > seconds_max:
                raise SystemExit(f"a background job is not done after {seconds_max} s")
            time.sleep(0.05)
        return time.monotonic() - began


def write_objects(folder, items):
    """Items to import, of 200 bytes each, all of which expired a day ago."""
    source = random.Random(1)
    Path(folder, "bench").mkdir()
    expired = int(time.time()) - 86_400
    with open(Path(folder, "bench", "items.json"), "w") as file:
        for i in range(items):
            file.write('{"Item":{"pk":{"S":"item-%09d"},"t":{"N":"%d"},"data":{"S":"%s"}}}\n'
                       % (i, expired, source.randbytes(85).hex()))


class Beside:
    def __init__(self, bench, server, workload, load, rate):
        self.bench, self.server, self.workload, self.load, self.rate = bench, server, workload, load, rate
        self.jobs = Jobs(server)
        self.alone = []
        self.beside = {}  # rows measured during each job
        self.over = {}  # the number of jobs that ended before their measurement did

    def measure(self, name):
        rows = self.bench.client(name, self.server.url, [self.workload], [self.bench.judged], items=LIVE_ITEMS,
                                 mode=["--reuse", "--rate", f"{self.rate:.0f}"], record=False)
        row = rows[-1]
        row["system"], row["load"] = f"trestle durable, {name}", f"{self.rate:.0f}"
        self.bench.rows.append(row)
        if int(row["requests"]) == 0:
            row["p50_us"] = row["p999_us"] = self.bench.options.seconds * 1e6  # nothing was answered in that time
        return row

    def job(self, name, start, table):
        self.alone.append(self.measure("alone"))
        under_way = start(table)
        row = self.measure(f"beside {name}")
        self.over[name] = self.over.get(name, 0) + (start != self.jobs.start_deletion and not under_way())
        self.beside.setdefault(name, []).append(row)
        self.jobs.wait(under_way)

    def round(self):
        jobs = self.jobs
        self.job("import", jobs.start_import, "large")
        self.job("GSI backfill", jobs.start_backfill, "large")
        self.job("TTL fill and sweep", jobs.start_expiry, "large")
        jobs.wait(jobs.start_deletion("large"))
        jobs.wait(jobs.start_import("large"))
        self.job("DeleteTable", jobs.start_deletion, "large")

    def judge(self, label):
        def median(rows, column):
            return statistics.median(float(row[column]) for row in rows)

        for name, rows in self.beside.items():
            over = self.over[name]
            for column, text, most in (("p50_us", "p50", P50_TIMES_MAX), ("p999_us", "p99.9", P999_TIMES_MAX)):
                alone, beside = median(self.alone, column), median(rows, column)
                note = f"{alone / 1000:.2f} ms alone, {beside / 1000:.2f} ms beside"
                note += f"; {over} of {len(rows)} jobs ended within the measurement" if over else ""
                self.bench.bound(f"{text} of {label} at {self.load:.0%} beside {name} / alone", beside / alone, "x",
                                 at_most=most, note=note)


def measure(bench):
    items = bench.options.background_items
    print(f"== beside background work on {items} items", flush=True)
    folder = tempfile.mkdtemp(prefix="trestle-bench-buckets-")
    try:
        write_objects(folder, items)
        with bench.trestle("--buckets", folder) as server:
            bench.client("trestle durable", server.url, ["load"], [1], items=LIVE_ITEMS, mode=["--keep"], record=False)
            for workload, label in WORKLOADS:
                rates = [bench.one_rate("trestle durable", server.url, workload, ["--reuse"], items=LIVE_ITEMS)
                         for _ in range(3)]
                for load in LOADS:
                    beside = Beside(bench, server, workload, load, statistics.median(rates) * load)
                    for _ in range(bench.options.background_rounds):
                        beside.round()
                    beside.judge(label)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
