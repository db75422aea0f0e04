#!/usr/bin/python3
"""Bulk puts: into a table in use, reported while they run, cancelled, rate-limited, and complete after kill -9. boto3
does not know them yet, so the calls are written by hand."""

import random
import re
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
import loads
from harness import Case, Wire, unique, until
from loads import Loader, expected, found, ion_lines, json_lines, small_item

CRASH_ITEMS = 40_000
CRASHES = 3


class BulkCase(Case):

    @classmethod
    def setUpClass(cls):
        cls.loader = Loader()
        cls.client, cls.wire, cls.tables_ = cls.loader.client, cls.loader.wire, []

    @classmethod
    def tearDownClass(cls):
        cls.loader.close()

    def target(self):
        return self.table("target", "pk:S sk:N", "g:S l:S", GlobalSecondaryIndexes=[harness.index("by-g", "g sk")],
                          LocalSecondaryIndexes=[harness.index("by-l", "pk l", "KEYS_ONLY")])

    def request(self, bucket, table, output=None, form="DYNAMODB_JSON", compression=None, prefix=None, **more):
        source = {"S3Bucket": bucket, "InputFormat": form}
        if compression:
            source["InputCompressionType"] = compression
        if prefix:
            source["S3KeyPrefix"] = prefix
        return {"InputS3Configuration": source, "TableName": table,
                "OutputS3Configuration": {"S3Bucket": output or bucket, "S3KeyPrefix": "out", "OutputType": ["ERROR"]}, **more}

    def start(self, *arguments, **more):
        return self.wire.call("StartBulkPutItems", **self.request(*arguments, **more))["BulkOperationDescription"]

    def describe(self, arn):
        return self.wire.call("DescribeBulkOperation", BulkOperationArn=arn)["BulkOperationDescription"]

    def finish(self, started):
        return loads.wait_ended(lambda: self.describe(started["BulkOperationArn"]))


class BulkPuts(BulkCase):

    def test_formats_and_the_description(self):
        items = [loads.rich_item(n) for n in range(50)]
        for form, lines in {"DYNAMODB_JSON": json_lines, "ION": ion_lines}.items():
            for compression, compress in loads.COMPRESS.items():
                with self.subTest(format=form, compression=compression):
                    table = self.target()
                    objects = [compress(lines(items[:20])), compress(lines(items[20:]))]
                    bucket = self.loader.source(data__a=objects[0], data__b=objects[1])
                    started = self.start(bucket, table, form=form, compression=compression, prefix="data/")
                    self.assertEqual(("IN_PROGRESS", 0), (started["BulkOperationStatus"], started["ProcessedItemCount"]))
                    self.assertNotIn("EndTime", started)
                    self.assertEqual("STANDARD", started["PerformanceTier"])
                    self.assertEqual(table, started["TableDetails"][0]["TableName"])
                    done = self.finish(started)
                    self.assertEqual(("COMPLETED", 50, 0), (done["BulkOperationStatus"], done["ProcessedItemCount"],
                                                            done["FailedItemCount"]))
                    self.assertEqual(sum(map(len, objects)), done["ProcessedInputBytes"])
                    self.assertEqual(sum(map(len, objects)), done["TotalInputBytes"])
                    self.assertEqual(expected(items), found(self.wire, table))
                    described = self.client.describe_table(TableName=table)["Table"]
                    [usage] = done["BulkOperationUsage"]
                    self.assertEqual(described["TableSizeBytes"], usage["Table"]["BulkPutBytes"])
                    by_g = described["GlobalSecondaryIndexes"][0]["IndexSizeBytes"]
                    self.assertEqual(by_g, usage["GlobalSecondaryIndexes"]["by-g"]["BulkPutBytes"])
                    self.assertEqual(0, usage["LocalSecondaryIndexes"]["by-l"]["BulkPutBytes"])
                    self.assertEqual(usage["Table"]["BulkPutBytes"] + by_g, usage["BulkPutBytes"])

    def test_items_are_replaced_and_bad_ones_reported(self):
        table = self.target()
        for n in range(20):
            self.wire.call("PutItem", TableName=table, Item=small_item(n, -1))
        items = [small_item(n, n) for n in range(10, 30)]
        bucket, output = self.loader.source(a=json_lines(items), b=b'{"Item":{"pk":{"S":"x"}}}\n{"Other":1}\n'), self.loader.bucket()
        done = self.finish(self.start(bucket, table, output=output))
        self.assertEqual(("COMPLETED_WITH_ERRORS", 22, 2),
                         (done["BulkOperationStatus"], done["ProcessedItemCount"], done["FailedItemCount"]))
        self.assertEqual(expected([small_item(n, -1) for n in range(20)] + items), found(self.wire, table))
        error_lines = self.loader.errors(output, "out", table)
        self.assertEqual([("b", 0), ("b", 1)],
                         [(line["itemS3Pointer"]["key"], line["itemS3Pointer"]["itemIndex"]) for line in error_lines])
        self.assertTrue(all(line["bulkOperationArn"] == done["BulkOperationArn"] for line in error_lines))

    def test_writers_go_on_meanwhile(self):
        """Items that other clients write during a bulk put are each as one of the writers left them, and the indexes agree."""
        table = self.target()
        items = [small_item(n, 1) for n in range(8000)]
        started = self.start(self.loader.source(a=json_lines(items)), table)
        stop, failures = threading.Event(), []

        def write(seed):
            wire, chance = Wire(self.loader.server.endpoint), random.Random(seed)
            while not stop.is_set():
                n = chance.randrange(7999)
                try:
                    if n % 3 == 0:
                        wire.call("TransactWriteItems", TransactItems=[
                            {"Put": {"TableName": table, "Item": small_item(k, 2)}} for k in (n, n + 1)])
                    else:
                        wire.call("PutItem", TableName=table, Item=small_item(n, 2))
                except harness.DynamoError as error:        # writers conflict
                    if error.code not in ("TransactionCanceledException", "TransactionConflictException"):
                        failures.append(error)
            wire.close()
        threads = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
        for thread in threads:
            thread.start()
        try:
            done = self.finish(started)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual([], failures)
        self.assertEqual(("COMPLETED", 8000), (done["BulkOperationStatus"], done["ProcessedItemCount"]))
        content = found(self.wire, table)
        self.assertEqual(8000, len(content))
        self.assertLessEqual(set(content), set(expected(items)) | set(expected([small_item(n, 2) for n in range(8000)])))
        self.assertEqual(content, found(self.wire, table, IndexName="by-g"))

    def test_cancel(self):
        table = self.target()
        bucket = self.loader.source(a=json_lines([small_item(n) for n in range(20_000)]))
        started = self.start(bucket, table, MaxWriteRequestUnits=1024)
        arn = started["BulkOperationArn"]
        until(lambda: self.describe(arn)["ProcessedItemCount"] > 0, "progress")
        answer = self.wire.call("CancelBulkOperation", BulkOperationArn=arn)
        self.assertEqual({"BulkOperationArn": arn, "BulkOperationStatus": "CANCELLING"}, answer)
        done = self.finish(started)
        self.assertEqual("CANCELLED", done["BulkOperationStatus"])
        self.assertIn("FailureCode", done)
        self.assertIn("EndTime", done)
        self.assertTrue(0 < done["ProcessedItemCount"] < 20_000)
        self.assertEqual(done["ProcessedItemCount"], len(found(self.wire, table)), "what was put stays")
        self.refuses("ValidationException", None, self.wire.call, "CancelBulkOperation", BulkOperationArn=arn)

    def test_the_rate_is_limited(self):
        table = self.target()
        began = time.monotonic()
        done = self.finish(self.start(self.loader.source(a=json_lines([small_item(n) for n in range(2048)])), table,
                                      MaxWriteRequestUnits=1024))
        self.assertEqual("COMPLETED", done["BulkOperationStatus"])
        self.assertGreater(time.monotonic() - began, 1.5)
        self.assertEqual(1024, done["MaxWriteRequestUnits"])

    def test_failures(self):
        table = self.target()
        done = self.finish(self.start("there-is-none", table))
        self.assertEqual(("FAILED", "S3NoSuchBucket"), (done["BulkOperationStatus"], done["FailureCode"]))
        self.assertEqual("ACTIVE", self.client.describe_table(TableName=table)["Table"]["TableStatus"])

        bucket = self.loader.source(a=json_lines([small_item(n) for n in range(20_000)]))
        started = self.start(bucket, table, MaxWriteRequestUnits=1024)
        self.client.delete_table(TableName=table)
        done = self.finish(started)
        self.assertEqual(("FAILED", "ResourceNotFound"), (done["BulkOperationStatus"], done["FailureCode"]))

    def test_tokens(self):
        table = self.target()
        bucket = self.loader.source(a=json_lines([small_item(1)]))
        token = unique("token")
        started = self.start(bucket, table, ClientToken=token)
        self.assertEqual(token, started["ClientToken"])
        done = self.finish(started)
        self.assertEqual(done, self.start(bucket, table, ClientToken=token), "the same operation is returned again")
        self.refuses("IdempotentParameterMismatchException", None, self.start, bucket, table, ClientToken=token,
                     MaxWriteRequestUnits=2000)
        self.assertNotEqual(started["BulkOperationArn"], self.start(bucket, table)["BulkOperationArn"])

    def test_list(self):
        table = self.target()
        bucket = self.loader.source(a=json_lines([small_item(1)]))
        ours = []
        for _ in range(3):
            ours.append(self.finish(self.start(bucket, table))["BulkOperationArn"])
        listed, token = [], {}
        while True:
            page = self.wire.call("ListBulkOperations", MaxResults=2, **token)
            self.assertLessEqual(len(page["BulkOperationsSummaryList"]), 2)
            listed += page["BulkOperationsSummaryList"]
            if "NextToken" not in page:
                break
            token = {"NextToken": page["NextToken"]}
        arns = [one["BulkOperationArn"] for one in listed]
        self.assertEqual(len(arns), len(set(arns)))
        self.assertEqual(ours[::-1], [arn for arn in arns if arn in ours], "the newest first")
        self.assertEqual({"BulkOperationArn", "BulkOperationStatus", "StartTime", "EndTime"}, set(listed[0]))
        self.refuses("ValidationException", None, self.wire.call, "ListBulkOperations", NextToken="nonsense")
        self.refuses("ValidationException", None, self.wire.call, "ListBulkOperations", MaxResults=0)

    def test_refusals(self):
        def refused(pattern, code="ValidationException", **more):
            request = {**self.request("some-bucket", "absent"), **more}
            self.refuses(code, re.compile(pattern), self.wire.call, "StartBulkPutItems", **request)
        refused("Requested resource not found", "ResourceNotFoundException")
        refused("'maxWriteRequestUnits' failed .*greater than or equal to 1024", MaxWriteRequestUnits=1023)
        refused("'performanceTier' failed", PerformanceTier="FAST")
        refused("'inputS3Configuration.inputFormat' failed",
                InputS3Configuration={"S3Bucket": "some-bucket", "InputFormat": "CSV"})
        refused("'outputS3Configuration.outputType' failed .*not be null", OutputS3Configuration={"S3Bucket": "some-bucket"})
        refused("'outputS3Configuration.outputType' failed", OutputS3Configuration={"S3Bucket": "some-bucket", "OutputType": []})
        refused("'outputS3Configuration.outputType.1.member' failed",
                OutputS3Configuration={"S3Bucket": "some-bucket", "OutputType": ["ALL"]})
        arn = f"arn:aws:dynamodb:{harness.REGION}:000000000000:table/absent/bulk-operation/01658528578619-c4d4e311"
        for operation in ("DescribeBulkOperation", "CancelBulkOperation"):
            self.refuses("ResourceNotFoundException", None, self.wire.call, operation, BulkOperationArn=arn)
            self.refuses("ValidationException", None, self.wire.call, operation)


class Crashes(BulkCase):

    def test_kill_in_the_middle(self):
        table = self.target()
        items = [small_item(n % (CRASH_ITEMS // 2), n) for n in range(CRASH_ITEMS)]
        half = len(items) // 2
        bucket = self.loader.source(a=loads.zstd(json_lines(items[:half])), b=loads.zstd(json_lines(items[half:])))
        started = self.start(bucket, table, compression="ZSTD")
        arn, seen, met = started["BulkOperationArn"], 0, 0
        for _ in range(CRASHES):
            now = until(lambda: (d := self.describe(arn)) and
                        (d["ProcessedItemCount"] > seen or d["BulkOperationStatus"] != "IN_PROGRESS") and d, "progress")
            seen = now["ProcessedItemCount"]
            met += now["BulkOperationStatus"] == "IN_PROGRESS"
            self.loader.restart()
            type(self).client, type(self).wire = self.loader.client, self.loader.wire
        self.assertLess(0, met, "the bulk put was over before it could be killed")
        done = self.finish(started)
        self.assertEqual(("COMPLETED", CRASH_ITEMS, 0),
                         (done["BulkOperationStatus"], done["ProcessedItemCount"], done["FailedItemCount"]))
        self.assertEqual(expected(items), found(self.wire, table))
        self.assertEqual(found(self.wire, table), found(self.wire, table, IndexName="by-g"))


if __name__ == "__main__":
    harness.run_file()
