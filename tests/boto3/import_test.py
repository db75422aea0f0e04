#!/usr/bin/python3
"""ImportTable: every format and compression, invalid objects, tokens, paging, and kill -9 during an import."""

import base64
import os
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
import loads
from harness import Case, unique, until
from small_s3 import SmallS3
from loads import Loader, creation, csv_lines, expected, found, ion_lines, json_lines, plain_creation

CRASH_ITEMS = 40_000
CRASHES = 3


class ImportCase(Case):

    @classmethod
    def setUpClass(cls):
        cls.loader = Loader()
        cls.client, cls.wire, cls.tables_ = cls.loader.client, cls.loader.wire, []
        cls.raw = harness.client(cls.loader.server.endpoint, parameter_validation=False)

    @classmethod
    def tearDownClass(cls):
        cls.loader.close()

    def start(self, bucket, table=None, prefix=None, **more):
        request = {"S3BucketSource": {"S3Bucket": bucket, **({"S3KeyPrefix": prefix} if prefix else {})},
                   "InputFormat": "DYNAMODB_JSON", "TableCreationParameters": table or creation(unique("imported")), **more}
        return self.client.import_table(**request)["ImportTableDescription"]

    def describe(self, arn):
        return self.client.describe_import(ImportArn=arn)["ImportTableDescription"]

    def finish(self, started):
        return loads.wait_ended(lambda: self.describe(started["ImportArn"]))

    def imported(self, bucket, **more):
        """Starts an import and returns (its table, its last description)."""
        started = self.start(bucket, **more)
        return started["TableCreationParameters"]["TableName"], self.finish(started)


class Formats(ImportCase):

    def test_every_format_and_compression(self):
        items = [loads.rich_item(n) for n in range(60)]
        for form, lines in {"DYNAMODB_JSON": json_lines, "ION": ion_lines}.items():
            for compression, compress in loads.COMPRESS.items():
                with self.subTest(format=form, compression=compression):
                    bucket = self.loader.source(data__a=compress(lines(items[:25])), data__b=compress(lines(items[25:])),
                                                other=b"not read")
                    name, done = self.imported(bucket, prefix="data/", InputFormat=form, InputCompressionType=compression)
                    self.assertEqual(("COMPLETED", 60, 60, 0), (done["ImportStatus"], done["ProcessedItemCount"],
                                                                done["ImportedItemCount"], done["ErrorCount"]))
                    self.assertEqual(len(lines(items)), done["ProcessedSizeBytes"], "bytes before compression")
                    self.assertEqual(expected(items), found(self.wire, name))
                    self.assertEqual(60, len(found(self.wire, name, IndexName="by-g")))
                    described = self.client.describe_table(TableName=name)["Table"]
                    self.assertEqual(("ACTIVE", done["TableId"]), (described["TableStatus"], described["TableId"]))
                    self.assertEqual(60, described["ItemCount"])

    def test_csv(self):
        rows = [[f"p{n}", str(n), f"g{n}", f"a,b\"c\"\r\n{n}"] for n in range(40)]
        items = [{"pk": {"S": r[0]}, "sk": {"N": r[1]}, "g": {"S": r[2]}, "text": {"S": r[3]}} for r in rows]
        header = [["pk", "sk", "g", "text"]]
        for delimiter in ",;:|\t ":
            with self.subTest(delimiter=delimiter):
                bucket = self.loader.source(a=csv_lines(header + rows[:20], delimiter), b=csv_lines(header + rows[20:], delimiter))
                name, done = self.imported(bucket, InputFormat="CSV", InputFormatOptions={"Csv": {"Delimiter": delimiter}})
                self.assertEqual(("COMPLETED", 40), (done["ImportStatus"], done["ImportedItemCount"]))
                self.assertEqual(expected(items), found(self.wire, name))
        bucket = self.loader.source(a=loads.zstd(csv_lines(rows)))
        name, done = self.imported(bucket, InputFormat="CSV", InputCompressionType="ZSTD",
                                   InputFormatOptions={"Csv": {"HeaderList": header[0]}})
        self.assertEqual(expected(items), found(self.wire, name))
        self.assertEqual({"Csv": {"HeaderList": header[0]}}, done["InputFormatOptions"])

    def test_values_on_one_line_and_blank_lines(self):
        items = [loads.small_item(n) for n in range(6)]
        bucket = self.loader.source(a=json_lines(items[:3]).replace(b"\n", b"") + b"\n   \n\n" + json_lines(items[3:]), empty=b"")
        name, done = self.imported(bucket)
        self.assertEqual(("COMPLETED", 6, 0), (done["ImportStatus"], done["ProcessedItemCount"], done["ErrorCount"]))
        self.assertEqual(expected(items), found(self.wire, name))

    def test_of_items_with_one_key_the_last_stays(self):
        items = [loads.small_item(n % 7, n) for n in range(700)]
        name, done = self.imported(self.loader.source(a=json_lines(items)))
        self.assertEqual((700, 700), (done["ProcessedItemCount"], done["ImportedItemCount"]))
        self.assertEqual(expected(items), found(self.wire, name))
        self.assertEqual(7, len(found(self.wire, name, IndexName="by-g")), "no entry of an item that was replaced")
        self.assertEqual(7, self.client.describe_table(TableName=name)["Table"]["ItemCount"])


class Faults(ImportCase):

    def test_bad_items_are_counted_reported_and_left_out(self):
        good = [loads.small_item(n) for n in range(3)]
        bad = {"no Item": b'{"NotAnItem": {"pk": {"S": "x"}, "sk": {"N": "1"}}}',
               "no partition key": b'{"Item": {"sk": {"N": "1"}}}', "no sort key": b'{"Item": {"pk": {"S": "x"}}}',
               "type of the sort key": b'{"Item": {"pk": {"S": "x"}, "sk": {"S": "1"}}}', "not JSON": b'{"Item": ',
               "empty name": b'{"Item": {"pk": {"S": "x"}, "sk": {"N": "1"}, "": {"S": "v"}}}',
               "type of an index key": b'{"Item": {"pk": {"S": "x"}, "sk": {"N": "1"}, "g": {"N": "1"}}}',
               "too large": loads.json_lines([{**loads.small_item(1), "pad": {"S": "x" * 500_000}}])}
        bucket = self.loader.source(good=json_lines(good), **{f"x{i}": line for i, line in enumerate(bad.values())})
        name, done = self.imported(bucket)
        self.assertEqual(("FAILED", "ItemValidationError"), (done["ImportStatus"], done["FailureCode"]))
        self.assertEqual((3 + len(bad), 3, len(bad)),
                         (done["ProcessedItemCount"], done["ImportedItemCount"], done["ErrorCount"]))
        self.assertEqual(expected(good), found(self.wire, name), "the table is kept, with what is good")
        error_lines = self.loader.errors(loads.LOG_BUCKET, name)
        self.assertEqual({f"x{i}" for i in range(len(bad))}, {line["itemS3Pointer"]["key"] for line in error_lines})
        self.assertTrue(all(line["importArn"] == done["ImportArn"] and line["errorMessages"][0] for line in error_lines))

    def test_items_that_do_not_fit_are_passed_over_and_what_is_no_item_ends_its_object(self):
        good = [loads.small_item(n) for n in range(2)]
        misfit = b'{"Item": {"pk": {"S": "x"}}}\n'
        bucket = self.loader.source(a=misfit + json_lines(good[:1]) + misfit, b=b"{}\n" + misfit * 5, c=json_lines(good[1:]))
        name, done = self.imported(bucket)
        self.assertEqual((2, 3), (done["ImportedItemCount"], done["ErrorCount"]))
        self.assertEqual(expected(good), found(self.wire, name))
        error_lines = self.loader.errors(loads.LOG_BUCKET, name)
        self.assertEqual([("a", 0), ("a", 2), ("b", 0)],
                         sorted((line["itemS3Pointer"]["key"], line["itemS3Pointer"]["itemIndex"]) for line in error_lines))

    def test_damaged_compression_is_one_error(self):
        items = [loads.small_item(n) for n in range(2000)]
        whole = loads.COMPRESS["GZIP"](json_lines(items))
        bucket = self.loader.source(a=whole[:len(whole) // 2], b=loads.COMPRESS["GZIP"](json_lines(items[:5])), c=b"plain")
        _, done = self.imported(bucket, InputCompressionType="GZIP")
        self.assertEqual(("FAILED", 2), (done["ImportStatus"], done["ErrorCount"]))
        self.assertLess(5, done["ImportedItemCount"])

    def test_no_bucket(self):
        name, done = self.imported("there-is-none")
        self.assertEqual(("FAILED", "S3NoSuchBucket"), (done["ImportStatus"], done["FailureCode"]))
        self.assertIn("The specified bucket does not exist", done["FailureMessage"])
        self.assertEqual((0, 0, 0), (done["ProcessedItemCount"], done["ImportedItemCount"], done["ErrorCount"]))
        self.refuses("ResourceNotFoundException", None, self.client.describe_table, TableName=name)

    def test_a_bucket_of_another_account(self):
        bucket = self.loader.source(a=json_lines([loads.small_item(1)]))
        started = self.client.import_table(S3BucketSource={"S3Bucket": bucket, "S3BucketOwner": "123456789012"},
                                           InputFormat="ION", TableCreationParameters=creation(unique("denied")))
        done = self.finish(started["ImportTableDescription"])
        self.assertEqual(("FAILED", "S3AccessDenied"), (done["ImportStatus"], done["FailureCode"]))

    def test_nothing_to_import_is_an_empty_table(self):
        name, done = self.imported(self.loader.source(a=b""), prefix="elsewhere/")
        self.assertEqual("COMPLETED", done["ImportStatus"])
        self.assertNotIn("FailureCode", done)
        self.assertEqual([], found(self.wire, name))

    def test_requests_that_are_refused(self):
        def refused(pattern, code="ValidationException", **more):
            request = {"S3BucketSource": {"S3Bucket": "some-bucket"}, "InputFormat": "DYNAMODB_JSON", "ClientToken": "t",
                       "TableCreationParameters": creation(unique("refused"))}
            request.update(more)
            request = {name: value for name, value in request.items() if value is not None}
            self.refuses(code, re.compile(pattern), self.wire.call, "ImportTable", **request)
        refused("1 validation error detected: Value null at 'clientToken' failed .*Member must not be null", ClientToken=None)
        refused("'clientToken' failed .*pattern", ClientToken="a$b")
        refused("'clientToken' failed .*pattern", ClientToken="")
        refused("'inputFormat' failed .*enum value set", InputFormat="XML")
        refused("'inputCompressionType' failed .*enum value set", InputCompressionType="BZIP2")
        refused("'s3BucketSource.s3Bucket' failed .*less than or equal to 255", S3BucketSource={"S3Bucket": "x" * 256})
        refused("'s3BucketSource.s3Bucket' failed .*pattern", S3BucketSource={"S3Bucket": "-nope!"})
        refused("'s3BucketSource.s3KeyPrefix' failed", S3BucketSource={"S3Bucket": "abc", "S3KeyPrefix": "p" * 1025})
        refused("'tableCreationParameters.tableName' failed", TableCreationParameters=creation("n" * 256))
        refused("'tableCreationParameters.tableName' failed", TableCreationParameters=creation("not a name!"))
        refused("InputFormatOptions", InputFormatOptions={"Csv": {"Delimiter": ","}})
        refused("'inputFormatOptions.csv.delimiter' failed", InputFormat="CSV", InputFormatOptions={"Csv": {"Delimiter": "x"}})
        refused("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
                TableCreationParameters={**plain_creation(unique("t")), "BillingMode": "PROVISIONED"})
        taken = self.table("taken", "pk:S sk:N")
        refused("Table already exists", "ResourceInUseException", TableCreationParameters=plain_creation(taken))

    def test_without_buckets(self):
        with harness.Server("--memory-store") as server:
            db = harness.client(server.endpoint)
            started = db.import_table(S3BucketSource={"S3Bucket": "some-bucket"}, InputFormat="CSV",
                                      TableCreationParameters=creation("a-table"))["ImportTableDescription"]
            done = loads.wait_ended(lambda: db.describe_import(ImportArn=started["ImportArn"])["ImportTableDescription"])
            self.assertEqual(("FAILED", "S3NoSuchBucket"), (done["ImportStatus"], done["FailureCode"]))
            self.assertIn("--buckets", done["FailureMessage"])


class Descriptions(ImportCase):

    def test_the_description(self):
        items = [loads.small_item(n) for n in range(2000)]
        bucket = self.loader.source(data__a=json_lines(items))
        table = creation(unique("described"), SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "key"})
        started = self.start(bucket, table, "data/", ClientToken="a-token-of-mine")
        self.assertEqual("IN_PROGRESS", started["ImportStatus"])
        for absent in ("EndTime", "FailureCode", "FailureMessage", "ProcessedSizeBytes"):
            self.assertNotIn(absent, started)
        self.assertEqual((0, 0, 0), (started["ProcessedItemCount"], started["ImportedItemCount"], started["ErrorCount"]))
        self.assertEqual(started["TableArn"], started["ImportArn"].partition("/import/")[0])
        self.assertEqual(("a-token-of-mine", "NONE"), (started["ClientToken"], started["InputCompressionType"]))
        self.assertEqual({"S3Bucket": bucket, "S3KeyPrefix": "data/"}, started["S3BucketSource"])
        self.assertIn("CloudWatchLogGroupArn", started)
        parameters = started["TableCreationParameters"]
        for member in ("TableName", "KeySchema", "BillingMode", "GlobalSecondaryIndexes"):
            self.assertEqual(table[member], parameters[member])
        self.assertCountEqual(table["AttributeDefinitions"], parameters["AttributeDefinitions"])
        self.assertTrue(parameters["SSESpecification"]["KMSMasterKeyId"].endswith("key"))
        done = self.finish(started)
        for member in ("ImportArn", "TableArn", "TableId", "ClientToken", "S3BucketSource", "InputFormat",
                       "InputCompressionType", "TableCreationParameters", "StartTime"):
            self.assertEqual(started[member], done[member])
        self.assertGreaterEqual(done["EndTime"], done["StartTime"])

    def test_while_it_runs(self):
        items = [loads.small_item(n) for n in range(20_000)]
        started = self.start(self.loader.source(a=json_lines(items)), ClientToken=unique("token"))
        name = started["TableCreationParameters"]["TableName"]
        described = self.client.describe_table(TableName=name)["Table"]
        self.assertEqual("CREATING", described["TableStatus"])
        self.refuses("ResourceNotFoundException", None, self.client.get_item, TableName=name,
                     Key={"pk": {"S": "p0"}, "sk": {"N": "0"}})
        self.refuses("ResourceInUseException", None, self.client.delete_table, TableName=name)
        request = {"S3BucketSource": {"S3Bucket": "another-one"}, "InputFormat": "CSV", "ClientToken": started["ClientToken"]}
        again = self.client.import_table(TableCreationParameters=creation(name), **request)["ImportTableDescription"]
        self.assertEqual((started["ImportArn"], "DYNAMODB_JSON"), (again["ImportArn"], again["InputFormat"]))
        self.refuses("ImportConflictException", "Duplicate request detected with conflicting parameters",
                     self.client.import_table, TableCreationParameters=creation(unique("other")), **request)
        self.refuses("ResourceInUseException", f"Table already exists: {name}", self.client.import_table,
                     TableCreationParameters=creation(name), **{**request, "ClientToken": unique("token")})
        listed = self.client.list_imports(TableArn=started["TableArn"])["ImportSummaryList"]
        self.assertEqual([started["ImportArn"]], [summary["ImportArn"] for summary in listed])
        self.assertEqual("COMPLETED", self.finish(started)["ImportStatus"])
        self.refuses("ResourceInUseException", f"Table already exists: {name}", self.client.import_table,
                     TableCreationParameters=creation(name), **request)

    def test_list_in_pages(self):
        bucket = self.loader.source(a=json_lines([loads.small_item(1)]))
        ours = [self.finish(self.start(bucket, plain_creation(unique("listed")))) for _ in range(3)]
        listed, token = [], {}
        while True:
            page = self.client.list_imports(PageSize=1, **token)
            self.assertLessEqual(len(page["ImportSummaryList"]), 1)
            listed += page["ImportSummaryList"]
            if "NextToken" not in page:
                break
            token = {"NextToken": page["NextToken"]}
        arns = [summary["ImportArn"] for summary in listed]
        self.assertEqual(len(arns), len(set(arns)))
        self.assertLessEqual({one["ImportArn"] for one in ours}, set(arns))
        self.assertEqual(arns, [s["ImportArn"] for s in self.client.list_imports()["ImportSummaryList"]])
        mine = next(summary for summary in listed if summary["ImportArn"] == ours[0]["ImportArn"])
        self.assertEqual({"ImportArn", "ImportStatus", "TableArn", "S3BucketSource", "InputFormat", "StartTime", "EndTime",
                          "CloudWatchLogGroupArn"}, set(mine))
        for wrong in ({"PageSize": 26}, {"PageSize": 0}, {"NextToken": "0" * 112}, {"NextToken": "x"}):
            self.refuses("ValidationException", None, self.raw.list_imports, **wrong)

    def test_describe_what_is_not(self):
        arn = f"arn:aws:dynamodb:{harness.REGION}:000000000000:table/"
        self.refuses("ImportNotFoundException", None, self.client.describe_import,
                     ImportArn=arn + "absent/import/01658528578619-c4d4e311")
        self.refuses("ValidationException", "Invalid Import ARN", self.client.describe_import,
                     ImportArn=arn + "x/import/01658528578619-c4d4e311")


class FromS3(Case):

    @classmethod
    def setUpClass(cls):
        cls.s3 = SmallS3("source", "exports", loads.LOG_BUCKET)
        cls.server = harness.Server("--buckets", "s3", "--s3-endpoint", cls.s3.url, env={
            **os.environ, "AWS_ACCESS_KEY_ID": harness.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": harness.SECRET_KEY})
        cls.client, cls.wire, cls.tables_ = harness.client(cls.server.endpoint), harness.Wire(cls.server.endpoint), []

    @classmethod
    def tearDownClass(cls):
        cls.wire.close()
        cls.server.close()
        cls.s3.shutdown()
        cls.s3.server_close()

    def imported(self, name, bucket="source", prefix="a b&/", **more):
        arn = self.client.import_table(S3BucketSource={"S3Bucket": bucket, "S3KeyPrefix": prefix}, InputFormat="DYNAMODB_JSON",
                                       TableCreationParameters=creation(name), **more)["ImportTableDescription"]["ImportArn"]
        return loads.wait_ended(lambda: self.client.describe_import(ImportArn=arn)["ImportTableDescription"])

    def test_objects_are_read_in_pieces_signed_and_asked_for_again(self):
        items = [loads.small_item(n) for n in range(7000)]         # several pieces of 256 KB
        for i in range(5):
            self.s3.put("source", f"a b&/{i}", json_lines(items[i * 1400:(i + 1) * 1400]))
        self.s3.put("source", "a b&/folder/", b"")
        with self.s3.lock:
            self.s3.failures = [503, 500]
        name = unique("from-s3")
        done = self.imported(name)
        self.assertEqual(("COMPLETED", 7000), (done["ImportStatus"], done["ImportedItemCount"]))
        self.assertEqual(expected(items), found(self.wire, name))
        self.assertEqual((0, []), (self.s3.unsigned, self.s3.failures))

    def large_table(self):
        """The name and the ARN of a table whose export needs multipart uploads."""
        source = self.table("to-s3", "pk:S sk:N")
        for n in range(40):                                        # 12 MB of incompressible data
            self.wire.call("PutItem", TableName=source, Item={"pk": {"S": "p"}, "sk": {"N": str(n)}, "b": {
                "B": base64.b64encode(random.Random(n).randbytes(300_000)).decode()}})
        self.client.update_continuous_backups(
            TableName=source, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        return source, self.client.describe_table(TableName=source)["Table"]["TableArn"]

    def exported(self, arn):
        export_arn = self.client.export_table_to_point_in_time(TableArn=arn, S3Bucket="exports")["ExportDescription"]["ExportArn"]
        return until(lambda: (d := self.client.describe_export(ExportArn=export_arn)["ExportDescription"]) and
                     d["ExportStatus"] != "IN_PROGRESS" and d, "the export")

    def test_an_export_in_parts_comes_back(self):
        source, arn = self.large_table()
        for self.s3.kms in (True, False):
            begun = self.s3.begun
            done = self.exported(arn)
            self.assertEqual(("COMPLETED", 40), (done["ExportStatus"], done["ItemCount"]))
            self.assertGreater(self.s3.begun, begun, "no upload in parts")
            self.assertEqual({}, self.s3.uploads, "uploads that are not ended")
        name = unique("from-export")
        done = self.imported(name, "exports", done["ExportManifest"].rpartition("/")[0] + "/data/", InputCompressionType="GZIP")
        self.assertEqual(("COMPLETED", 40), (done["ImportStatus"], done["ImportedItemCount"]))
        self.assertEqual(found(self.wire, source), found(self.wire, name))
        self.assertEqual(0, self.s3.unsigned)

    def test_an_export_whose_file_is_never_taken_fails_and_leaves_nothing(self):
        _, arn = self.large_table()
        self.s3.refuses_completion = True
        try:
            done = self.exported(arn)
        finally:
            self.s3.refuses_completion = False
        self.assertEqual("FAILED", done["ExportStatus"])
        self.assertIn("InvalidPart", done["FailureMessage"])
        self.assertEqual({}, self.s3.uploads, "uploads that are not ended")

    def test_no_bucket(self):
        done = self.imported(unique("none"), "absent-one")
        self.assertEqual(("FAILED", "S3NoSuchBucket"), (done["ImportStatus"], done["FailureCode"]))


class OfAnExport(ImportCase):

    def test_what_was_exported_is_imported(self):
        items = [loads.rich_item(n) for n in range(80)]
        source = self.table("source", "pk:S sk:N", "g:S", GlobalSecondaryIndexes=[harness.index("by-g", "g sk")])
        for item in items:
            self.wire.call("PutItem", TableName=source, Item=item)
        self.client.update_continuous_backups(
            TableName=source, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        arn, bucket = self.client.describe_table(TableName=source)["Table"]["TableArn"], self.loader.bucket()
        for form in ("DYNAMODB_JSON", "ION"):
            with self.subTest(format=form):
                export_arn = self.client.export_table_to_point_in_time(
                    TableArn=arn, S3Bucket=bucket, S3Prefix=form, ExportFormat=form)["ExportDescription"]["ExportArn"]
                done = until(lambda: (d := self.client.describe_export(ExportArn=export_arn)["ExportDescription"]) and
                             d["ExportStatus"] != "IN_PROGRESS" and d, "the export")
                self.assertEqual("COMPLETED", done["ExportStatus"])
                prefix = done["ExportManifest"].rpartition("/")[0] + "/data/"
                name, done = self.imported(bucket, prefix=prefix, InputFormat=form, InputCompressionType="GZIP")
                self.assertEqual(("COMPLETED", 80, 0), (done["ImportStatus"], done["ImportedItemCount"], done["ErrorCount"]))
                self.assertEqual(found(self.wire, source), found(self.wire, name))


class WithVectors(ImportCase):

    def test_a_vector_index_is_searched_when_the_import_is_over(self):
        def vector(n):
            return {"L": [{"N": str(n)}, {"N": "1"}]}
        items = [{"pk": {"S": f"p{n}"}, "sk": {"N": str(n)}, "v": vector(n)} for n in range(300)]
        index = {"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2,
                 "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"}}
        table = {**plain_creation(unique("vectors")), "VectorIndexes": [index]}
        started = self.wire.call("ImportTable", S3BucketSource={"S3Bucket": self.loader.source(a=json_lines(items))},
                                 InputFormat="DYNAMODB_JSON", ClientToken=unique("token"),
                                 TableCreationParameters=table)["ImportTableDescription"]
        self.assertEqual([index], started["TableCreationParameters"]["VectorIndexes"])
        self.assertEqual("COMPLETED", self.finish(started)["ImportStatus"])
        found_ones = self.wire.call("SearchVectors", TableName=table["TableName"], IndexName="near", TopK=3,
                                    SearchVector=[{"N": "200"}, {"N": "1"}])
        self.assertEqual({"p199", "p200", "p201"}, {r["Item"]["pk"]["S"] for r in found_ones["SearchResults"]})


class Crashes(ImportCase):

    def test_kill_in_the_middle(self):
        """A restarted import resumes: every item is stored once and counted once."""
        items = [loads.small_item(n % (CRASH_ITEMS // 2), n) for n in range(CRASH_ITEMS)]
        third = len(items) // 3
        bucket = self.loader.source(a=json_lines(items[:third]), b=json_lines(items[third:2 * third]) + b"{}",
                                    c=json_lines(items[2 * third:]))
        started = self.start(bucket)
        name = started["TableCreationParameters"]["TableName"]
        seen = met = 0
        for _ in range(CRASHES):
            now = until(lambda: (d := self.describe(started["ImportArn"])) and
                        (d["ProcessedItemCount"] > seen or d["ImportStatus"] != "IN_PROGRESS") and d, "progress")
            seen = now["ProcessedItemCount"]
            met += now["ImportStatus"] == "IN_PROGRESS"
            self.loader.restart()
            type(self).client, type(self).wire = self.loader.client, self.loader.wire
        self.assertLess(0, met, "the import was over before it could be killed")
        done = self.finish(started)
        self.assertEqual((CRASH_ITEMS + 1, CRASH_ITEMS, 1, "FAILED"),
                         (done["ProcessedItemCount"], done["ImportedItemCount"], done["ErrorCount"], done["ImportStatus"]))
        self.assertEqual(expected(items), found(self.wire, name))
        self.assertEqual(len(expected(items)), len(found(self.wire, name, IndexName="by-g")))
        until(lambda: self.client.describe_table(TableName=name)["Table"]["ItemCount"] == CRASH_ITEMS // 2, "the recount")
        self.assertEqual(1, len(self.loader.errors(loads.LOG_BUCKET, name)))


if __name__ == "__main__":
    harness.run_file()
