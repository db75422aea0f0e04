"""Work that accompanies the live traffic of soak.py, in rounds: changes of tables and indexes, items that expire, a
reader of a stream, backups and exports."""

import shutil
import time
from pathlib import Path

from background import TABLE, Jobs

ROUND_SECONDS = 10
ROUNDS_PER_BACKUP = 3
EXPIRING = 500  # items a round
WAIT_SECONDS_MAX = 120
STREAM_PAGES_MAX = 5_000  # a round


def call_until(call, what, seconds_max=WAIT_SECONDS_MAX):
    until = time.monotonic() + seconds_max
    while not call():
        if time.monotonic() > until:
            raise SystemExit(f"{what} takes more than {seconds_max} s")
        time.sleep(0.05)


class StreamReader:
    """Repeatedly reads every shard of a table's stream from its beginning to its end."""

    def __init__(self, jobs, table):
        self.jobs = jobs
        self.arn = jobs.describe(table)["LatestStreamArn"]
        self.iterators = {}  # by shard; None: completely read
        self.last = {}  # last sequence number read, by shard
        self.records = 0

    def shards(self):
        found, last = [], {}
        while True:
            page = self.jobs.call("DescribeStream", StreamArn=self.arn, **last)["StreamDescription"]
            found += [shard["ShardId"] for shard in page["Shards"]]
            if "LastEvaluatedShardId" not in page:
                return found
            last = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def read(self):
        shards = self.shards()
        self.iterators = {shard: self.iterators[shard] for shard in shards if shard in self.iterators}
        pages = 0
        for shard in shards:
            if shard not in self.iterators:
                self.iterators[shard] = self.jobs.call("GetShardIterator", StreamArn=self.arn, ShardId=shard,
                                                       ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            count = 1
            while self.iterators[shard] and count > 0:
                pages += 1
                if pages > STREAM_PAGES_MAX:
                    raise SystemExit("the reader of the stream does not keep up")
                page = self.jobs.call("GetRecords", ShardIterator=self.iterators[shard], Limit=1000)
                self.iterators[shard] = page.get("NextShardIterator")
                count = len(page["Records"])
                self.check_order(shard, page["Records"])
        self.last = {shard: last for shard, last in self.last.items() if shard in self.iterators}

    def check_order(self, shard, records):
        for record in records:
            number = int(record["dynamodb"]["SequenceNumber"])
            if number <= self.last.get(shard, -1):
                raise SystemExit(f"a record of the stream is repeated or out of order: {record}")
            self.last[shard] = number
        self.records += len(records)


class Chores:
    """Work that accompanies the live traffic, at a fixed pace."""

    def __init__(self, server, stop, buckets):
        self.server, self.stop, self.buckets = server, stop, buckets
        self.jobs = Jobs(server)
        self.done = {"rounds": 0, "tables": 0, "expiring": 0, "backups": 0, "exports": 0}
        call = self.jobs.call
        call("CreateTable", TableName="soak-expiry", **TABLE)
        call("UpdateTimeToLive", TableName="soak-expiry", TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
        call("CreateTable", TableName="soak-export", **TABLE)
        self.write("soak-export", 2_000, {})
        call("UpdateContinuousBackups", TableName="soak-export", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        self.stream = StreamReader(self.jobs, "soak")

    def write(self, table, items, attributes, prefix="item"):
        for first in range(0, items, 25):
            puts = [{"PutRequest": {"Item": {"pk": {"S": f"{prefix}-{i:06}"}, "data": {"S": f"{i * 7919:0150}"}, **attributes}}}
                    for i in range(first, min(first + 25, items))]
            if self.jobs.call("BatchWriteItem", RequestItems={table: puts})["UnprocessedItems"]:
                raise SystemExit("BatchWriteItem left items out")

    def run(self):
        began = time.monotonic()
        while not self.stop.event.is_set():
            self.change_tables()
            self.write_expiring()
            self.stream.read()
            if self.done["rounds"] % ROUNDS_PER_BACKUP == 0:
                self.back_up()
                self.export()
            self.done["rounds"] += 1
            self.stop.event.wait(max(1, began + ROUND_SECONDS * self.done["rounds"] - time.monotonic()))

    def change_tables(self):
        call, name = self.jobs.call, f"soak-round-{self.done['rounds']}"
        call("CreateTable", TableName=name, **TABLE)
        self.write(name, 200, {})
        under_way = self.jobs.start_backfill(name)
        call_until(lambda: not under_way(), "a new index")
        call("UpdateTable", TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-data"}}])
        call_until(lambda: not self.jobs.describe(name).get("GlobalSecondaryIndexes"), "the deletion of an index")
        call("DeleteTable", TableName=name)
        self.done["tables"] += 1

    def write_expiring(self):
        when = {"t": {"N": str(int(time.time()) + ROUND_SECONDS)}}
        self.write("soak-expiry", EXPIRING, when, prefix=f"round-{self.done['rounds']}")
        self.done["expiring"] += EXPIRING

    def back_up(self):
        arn = self.jobs.call("CreateBackup", TableName="soak", BackupName="soak")["BackupDetails"]["BackupArn"]
        call_until(lambda: self.jobs.call("DescribeBackup", BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"]
                   == "AVAILABLE", "a backup")
        self.jobs.call("DeleteBackup", BackupArn=arn)
        self.done["backups"] += 1

    def export(self):
        arn = self.jobs.call("ExportTableToPointInTime", TableArn=self.jobs.describe("soak-export")["TableArn"], S3Bucket="bench",
                             S3Prefix="export")["ExportDescription"]["ExportArn"]

        def status():
            return self.jobs.call("DescribeExport", ExportArn=arn)["ExportDescription"]["ExportStatus"]

        call_until(lambda: status() != "IN_PROGRESS", "an export")
        if status() != "COMPLETED":
            raise SystemExit(f"an export is {status()}")
        shutil.rmtree(Path(self.buckets, "bench", "export"))
        self.done["exports"] += 1

    def figures(self):
        return {**self.done, "stream_records": self.stream.records, "unexpired": self.jobs.describe("soak-expiry")["ItemCount"]}
