"""Measures what grows with the data: bench/run.py --growth [--growth-items 100000000]. Not part of make bench.

The same steps with 1 thousand items, then with a hundredth, a tenth and all of --growth-items, each on a separate server
in a new folder, durable, with the default cache:
    load        BatchWriteItem of 25 items at 32 connections, 100 items of 200 bytes a partition
    rates       GetItem and Query of 10 items at random keys, and the same on a table of 1 thousand items on the same server
    starts      after the load, whose log is then replayed; after SIGTERM; after SIGKILL during writes. The
                files are dropped from the page cache before each
    recount     until ItemCount is exact again after SIGKILL
    backup      until it is AVAILABLE; then it is deleted, until its space is free again
    export      DYNAMODB_JSON, to a bucket that is a folder
    import      of that export, into an empty server
Deletes what it no longer needs, and does not begin without enough free disk. Writes growth.csv, a row for each size, during
the run, and growth.svg.
"""

import json
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import growth_report
from background import Jobs
from cold import drop_from_page_cache
from growth_report import CONNECTIONS, ITEM_BYTES, SMALL
from servers import bytes_on_disk
from watch import Watch

ITEMS, PARTITION_ITEMS = 100_000_000, 100
STARTS = 3
CRASH_ITEMS = 10_000
TIMES_DATA, SPARE_MB = 2.9, 3_000  # maximum disk use: data, backup and compaction; log and slack
FREE_MB_MIN = 2_000
STEP_SECONDS_MAX, FREED_SECONDS_MAX = 4 * 3600, 600
SYSTEM = "trestle durable, growth"

KEY = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}],
       "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
       "BillingMode": "PAY_PER_REQUEST"}


def data_mb(items):
    return items * ITEM_BYTES / 1e6


def key_of(item):
    return {"pk": {"S": f"p{item // PARTITION_ITEMS:010}"}, "sk": {"S": f"s{item % PARTITION_ITEMS:02}"}}


class Stage:
    """One size: a server, its table and the row that is measured."""

    def __init__(self, bench, items, buckets):
        self.bench, self.items, self.buckets = bench, items, buckets
        self.row = {"items": items, "data_mb": data_mb(items)}
        self.random = random.Random(items)

    def note(self, name, value):
        self.row[name] = value
        print(f"{self.items:>12,} items: {name} {value:,.3g}" if value < 1000 else f"{self.items:>12,} items: {name} {value:,.0f}",
              flush=True)

    def measure(self):
        with self.bench.trestle("--buckets", self.buckets) as self.server:
            self.jobs = Jobs(self.server)
            with Watch(self.server, free_mb_min=FREE_MB_MIN) as watch:
                self.load()
            self.note("disk_most_in_load_mb", watch.most["disk_mb"])
            self.rates()
            self.starts("start_after_load", self.server.end, 1)
            self.starts("start", self.server.end)
            self.starts("start_after_kill", self.crash)
            self.recount()
            with Watch(self.server, free_mb_min=FREE_MB_MIN) as watch:
                self.backup()
                self.export()
            self.note("disk_most_in_jobs_mb", watch.most["disk_mb"])
            self.note("memory_most_in_jobs_mb", self.server.memory_mb("VmHWM"))
        with self.bench.trestle("--buckets", self.buckets) as self.server:
            self.jobs = Jobs(self.server)
            with Watch(self.server, free_mb_min=FREE_MB_MIN):
                self.load_by_import()
            self.note("memory_most_in_import_mb", self.server.memory_mb("VmHWM"))
        shutil.rmtree(Path(self.buckets, "bench", "export"), ignore_errors=True)
        return self.row

    def client(self, workloads, items, table, mode):
        return self.bench.client(SYSTEM, self.server.url, workloads, [CONNECTIONS], items=items, table=table, mode=mode,
                                 record=False, seconds_max=STEP_SECONDS_MAX)

    def settle(self):
        """Waits until no compaction is running."""
        def compacting():
            metric = self.server.metric
            return metric("trestle_store_pending_compaction_bytes") + metric("trestle_store_running_compactions") > 0

        return self.jobs.wait(compacting, STEP_SECONDS_MAX)

    def load(self):
        seed = str(self.random.randrange(1 << 30))
        rows = self.client(["query10"], self.items, "growth", ["--keep", "--seed", seed])
        loaded = next(row for row in rows if row["workload"].startswith("load"))
        self.note("load_seconds", float(loaded["seconds"]))
        self.note("load_per_second", self.items / self.row["load_seconds"])
        self.note("memory_after_load_mb", self.server.memory_mb())
        self.client(["query10"], SMALL, "small", ["--keep", "--seed", seed])
        self.client(["load"], CRASH_ITEMS, "crash", ["--keep", "--seed", seed])
        self.note("settle_seconds", self.settle())
        self.note("disk_mb", self.server.disk_mb())
        self.note("log_mb", self.server.log_mb())
        self.note("disk_times_data", (self.row["disk_mb"] - self.row["log_mb"]) / self.row["data_mb"])
        self.note("stall_seconds", self.server.metric("trestle_store_stall_seconds_total"))
        written = sum(self.server.metric(f"trestle_store_{name}_written_bytes_total") for name in ("flush", "compaction"))
        self.note("write_amplification", written / 1e6 / self.row["data_mb"])

    def get_rate(self, items, table):
        """GetItem requests for the ranged table: uniformly distributed items, different ones each time."""
        with tempfile.NamedTemporaryFile("w", suffix=".requests") as file:
            for _ in range(300_000 if items > SMALL else 20_000):
                request = {"TableName": f"{table}-ranged", "Key": key_of(self.random.randrange(items))}
                file.write(f"GetItem\t{json.dumps(request)}\n")
            file.flush()
            rows = self.client([], items, table, ["--replay", file.name])
        return float(rows[-1]["per_second"])

    def query_rate(self, items, table):
        rows = self.client(["query10"], items, table, ["--reuse", "--seed", str(self.random.randrange(1 << 30))])
        return float(rows[-1]["per_second"])

    def rates(self):
        for name, rate_of in (("get", self.get_rate), ("query", self.query_rate)):
            ratio, rate = self.bench.interleave(lambda of=rate_of: of(SMALL, "small"), lambda of=rate_of: of(self.items, "growth"))
            self.note(f"{name}_per_second", rate)
            self.note(f"{name}_of_small", ratio)
        self.note("memory_after_reads_mb", self.server.memory_mb())
        self.note("memory_most_before_restart_mb", self.server.memory_mb("VmHWM"))

    def crash(self):
        """SIGKILL while 64 connections write."""
        writing = subprocess.Popen(
            [self.bench.options.client, "bench", "--endpoint", self.server.url, "--workloads", "put", "--table", "crash", "--items",
             str(CRASH_ITEMS), "--connections", str(CONNECTIONS), "--seconds", "60", "--reuse"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1.5)
            self.server.kill()
        finally:
            writing.kill()
            writing.wait()

    def starts(self, name, end, times_started=STARTS):
        times, firsts, ends = [], [], []
        for _ in range(times_started):
            began = time.monotonic()
            end()
            ends.append(time.monotonic() - began)
            log_mb = self.server.log_mb()
            drop_from_page_cache(self.server)
            self.server.start()
            times.append(self.server.start_ms)
            began = time.monotonic()
            found = self.jobs.call("GetItem", TableName="growth-ranged", Key=key_of(self.random.randrange(self.items)))
            firsts.append((time.monotonic() - began) * 1000)
            if "Item" not in found:
                raise SystemExit("an item is lost")
        self.note(f"{name}_ms", statistics.median(times))
        self.note(f"{name}_first_item_ms", statistics.median(firsts))
        self.note(f"{name}_log_mb", log_mb)
        if end == self.server.end:
            self.note(f"{name}_end_ms", statistics.median(ends) * 1000)
            self.note(f"memory_after_{name}_mb", self.server.memory_mb())

    def recount(self):
        seconds = self.jobs.wait(lambda: self.jobs.describe("growth-ranged")["ItemCount"] < self.items, STEP_SECONDS_MAX)
        self.check_count("growth-ranged")
        self.note("recount_seconds", seconds)

    def check_count(self, table):
        count = self.jobs.describe(table)["ItemCount"]
        if count != self.items:
            raise SystemExit(f"{table} has {count} items instead of {self.items}")

    def until(self, under_way, seconds_max=STEP_SECONDS_MAX, must=True):
        began = time.monotonic()
        while under_way():
            if time.monotonic() - began > seconds_max:
                if must:
                    raise SystemExit(f"a job is not done after {seconds_max} s")
                break
            time.sleep(0.02)
        return time.monotonic() - began

    def files_mb(self):
        """The disk space of the files without the log."""
        return self.server.metric("trestle_store_files_bytes") / 1e6

    def backup(self):
        self.settle()
        before_mb = self.files_mb()
        arn = self.jobs.call("CreateBackup", TableName="growth-ranged", BackupName="growth")["BackupDetails"]["BackupArn"]

        def details():
            return self.jobs.call("DescribeBackup", BackupArn=arn)["BackupDescription"]["BackupDetails"]

        self.note("backup_seconds", self.until(lambda: details()["BackupStatus"] != "AVAILABLE"))
        self.settle()
        with_backup_mb = self.files_mb()
        self.note("backup_files_mb", with_backup_mb)
        self.jobs.call("DeleteBackup", BackupArn=arn)
        # Data still in the write buffers is in no file.
        enough_mb = before_mb + 0.1 * max(0, with_backup_mb - before_mb)
        self.note("backup_deletion_seconds", self.until(
            lambda: self.files_mb() > enough_mb, min(FREED_SECONDS_MAX, 30 + self.items / 100_000), must=False))
        self.settle()
        self.note("files_after_deletion_times", self.files_mb() / max(before_mb, 1))

    def export(self):
        call = self.jobs.call
        call("UpdateContinuousBackups", TableName="growth-ranged", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        began = call("ExportTableToPointInTime", TableArn=self.jobs.describe("growth-ranged")["TableArn"], S3Bucket="bench",
                     S3Prefix="export")["ExportDescription"]

        def description():
            return call("DescribeExport", ExportArn=began["ExportArn"])["ExportDescription"]

        self.note("export_seconds", self.until(lambda: description()["ExportStatus"] == "IN_PROGRESS"))
        ended = description()
        if ended["ExportStatus"] != "COMPLETED" or ended["ItemCount"] != self.items:
            raise SystemExit(f"the export: {ended}")
        self.note("export_mb", bytes_on_disk(self.buckets) / 1e6)

    def load_by_import(self):
        folder = next(Path(self.buckets, "bench").glob("export/AWSDynamoDB/*/data"))
        self.jobs.call("ImportTable", ClientToken=f"growth-{self.items}", InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP",
                       S3BucketSource={"S3Bucket": "bench", "S3KeyPrefix": str(folder.relative_to(Path(self.buckets, "bench"))) + "/"},
                       TableCreationParameters={"TableName": "growth-ranged", **KEY})
        seconds = self.until(lambda: self.jobs.describe("growth-ranged")["TableStatus"] != "ACTIVE")
        self.check_count("growth-ranged")
        self.note("import_seconds", seconds)
        self.note("import_per_second", self.items / seconds)


def check_space(items):
    needed_mb = data_mb(items) * TIMES_DATA + SPARE_MB
    folder = tempfile.gettempdir()
    free_mb = shutil.disk_usage(folder).free / 1e6
    print(f"== growth to {items} items: needs up to {needed_mb:,.0f} MB in {folder}, which has {free_mb:,.0f} MB", flush=True)
    if free_mb < needed_mb:
        raise SystemExit(f"too little free disk for --growth-items {items}: set TMPDIR to a folder with more")


def measure(bench):
    items = bench.options.growth_items
    check_space(items)
    buckets = tempfile.mkdtemp(prefix="trestle-bench-buckets-")
    rows = []
    try:
        Path(buckets, "bench").mkdir()
        for size in (SMALL, items // 100, items // 10, items):
            print(f"== {size:,} items", flush=True)
            rows.append(Stage(bench, size, buckets).measure())
            growth_report.write(bench, rows)
    finally:
        shutil.rmtree(buckets, ignore_errors=True)
    growth_report.print_table(rows)
    growth_report.bounds(bench, rows)
    print(f"wrote {bench.options.out}/growth.csv, growth.svg")
