#!/usr/bin/python3
"""Exports: files in DynamoDB's format, consistent while writes continue, complete after kill -9."""

import random
import re
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from exports import BUCKET, ExportCase
from harness import DynamoError, Wire, every_page, unique, until

TRIES_MAX = 20             # attempts to interrupt a running job


def fill(wire, name, count, version, **more):
    for first in range(0, count, 25):
        wire.call("BatchWriteItem", RequestItems={name: [{"PutRequest": {"Item": {
            "pk": {"S": f"p{n % 50}"}, "sk": {"N": str(n)}, "v": {"N": str(version)}, **more}}}
            for n in range(first, min(count, first + 25))]})


def versions(items):
    return sorted((int(item["sk"]["N"]), int(item["v"]["N"])) for item in items)


class ExportTest(ExportCase):

    def test_life_of_an_export(self):
        name, arn = self.source()
        fill(self.wire, name, 100, 1)
        begun = self.client.export_table_to_point_in_time(
            TableArn=arn, S3Bucket=BUCKET, S3Prefix="nightly", ClientToken="life", ExportFormat="DYNAMODB_JSON")
        begun = begun["ExportDescription"]
        self.assertRegex(begun["ExportArn"], rf"^{re.escape(arn)}/export/\d{{14}}-[0-9a-f]{{8}}$")
        self.assertEqual(
            {"ExportStatus": "IN_PROGRESS", "TableArn": arn, "S3Bucket": BUCKET, "S3Prefix": "nightly",
             "ClientToken": "life", "ExportFormat": "DYNAMODB_JSON", "S3SseAlgorithm": "AES256"},
            {key: value for key, value in begun.items()
             if key not in ("ExportArn", "StartTime", "ExportTime", "TableId")})
        self.assertEqual(begun["StartTime"], begun["ExportTime"])
        self.ended(begun["ExportArn"])
        description = self.client.describe_export(ExportArn=begun["ExportArn"])["ExportDescription"]
        self.assertEqual({**begun, "ExportStatus": "COMPLETED"},
                         {key: value for key, value in description.items()
                          if key not in ("EndTime", "ExportManifest", "ItemCount", "BilledSizeBytes")})
        self.assertEqual(100, description["ItemCount"])
        self.assertGreater(description["BilledSizeBytes"], 0)
        self.assertEqual(f"nightly/AWSDynamoDB/{begun['ExportArn'].split('/')[-1]}/manifest-summary.json",
                         description["ExportManifest"])
        description = self.described(begun["ExportArn"])
        self.check_files(description)
        self.assertEqual([(n, 1) for n in range(100)], versions(self.items(description)))
        listed = self.client.list_exports(TableArn=arn)["ExportSummaries"]
        self.assertEqual([{"ExportArn": begun["ExportArn"], "ExportStatus": "COMPLETED"}],
                         [{key: value for key, value in summary.items() if key != "ExportType"} for summary in listed])
        self.assertEqual("FULL_EXPORT", self.wire.call("ListExports", TableArn=arn)["ExportSummaries"][0]["ExportType"])

    def test_every_type_in_both_formats(self):
        name, arn = self.source()
        item = {"pk": {"S": "a\"\\\n\u00e9\U0001F600"}, "sk": {"N": "-12.50"}, "b": {"B": "aGk="}, "t": {"BOOL": True},
                "nul": {"NULL": True}, "ss": {"SS": ["x", "y"]}, "ns": {"NS": ["1", "600"]}, "bs": {"BS": ["eA=="]},
                "l": {"L": [{"N": "0.000000012"}, {"M": {}}]}, "m": {"M": {"a b": {"S": ""}, "c": {"L": []}}}}
        self.wire.call("PutItem", TableName=name, Item=item)
        description = self.export(arn, S3Prefix="types")
        self.assertEqual([{**item, "sk": {"N": "-12.5"}}], self.items(description))
        self.assertTrue(all(row["dataFileS3Key"].endswith(".json.gz") for row in self.rows(description)))
        description = self.export(arn, S3Prefix="types", ExportFormat="ION")
        self.assertEqual("ION", description["ExportFormat"])
        self.assertTrue(all(row["dataFileS3Key"].endswith(".ion.gz") for row in self.rows(description)))
        self.assertEqual(
            ['$ion_1_0 {Item:{b:{{aGk=}},bs:$dynamodb_BS::[{{eA==}}],l:[12d-9,{}],m:{\'a b\':"",c:[]},'
             'ns:$dynamodb_NS::[1.,6d2],nul:null,pk:"a\\"\\\\\\n\u00e9\U0001F600",sk:-12.5,'
             'ss:$dynamodb_SS::["x","y"],t:true}}'], self.lines(description))

    def test_an_earlier_time(self):
        name, arn = self.source()
        fill(self.wire, name, 60, 1)
        moment = time.time()
        until(lambda: time.time() > moment + 0.05, "the clock")
        fill(self.wire, name, 90, 2)
        description = self.export(arn, ExportTime=moment)
        self.assertAlmostEqual(moment, description["ExportTime"], delta=0.001)
        self.assertEqual([(n, 1) for n in range(60)], versions(self.items(description)))
        description = self.export(arn)
        self.assertEqual([(n, 2) for n in range(90)], versions(self.items(description)))

    def test_an_empty_table(self):
        _, arn = self.source()
        description = self.export(arn)
        self.assertEqual((0, 0, 1), (description["ItemCount"], description["BilledSizeBytes"], len(self.rows(description))))
        self.assertEqual([], self.lines(description))

    def test_a_filter(self):
        name, arn = self.source()
        fill(self.wire, name, 200, 1)
        fill(self.wire, name, 100, 2)
        description = self.export(arn, FilterSpecification={
            "KeyConditionExpression": "pk = :p", "FilterExpression": "#v = :two", "ProjectionExpression": "sk, #v",
            "ExpressionAttributeNames": {"#v": "v"},
            "ExpressionAttributeValues": {":p": {"S": "p7"}, ":two": {"N": "2"}}})
        self.assertEqual("pk = :p", description["FilterSpecification"]["KeyConditionExpression"])
        self.assertEqual([(7, 2), (57, 2)], versions(self.items(description)))
        self.assertTrue(all(set(item) == {"sk", "v"} for item in self.items(description)))
        prefix = "Invalid Request: Invalid FilterSpecification: "
        self.refuses("ValidationException", prefix + "The specification can not be empty",
                     self.begin, arn, FilterSpecification={})
        self.refuses("ValidationException", re.compile("^" + prefix), self.begin, arn,
                     FilterSpecification={"FilterExpression": "pk ="})
        self.refuses("ValidationException", re.compile("^" + prefix + "Filter Expression can only contain non-primary"),
                     self.begin, arn, FilterSpecification={
                         "KeyConditionExpression": "pk = :p", "FilterExpression": "sk = :p",
                         "ExpressionAttributeValues": {":p": {"S": "p7"}}})

    def test_tables_that_cannot_be_exported(self):
        name, arn = self.source(recovery=False)
        self.refuses("PointInTimeRecoveryUnavailableException",
                     f"Point in time recovery is not enabled for table '{name}'", self.begin, arn)
        self.assertEqual([], self.wire.call("ListExports", TableArn=arn)["ExportSummaries"])
        absent = arn + "-absent"
        self.refuses("TableNotFoundException", f"Table not found: {absent}", self.begin, absent)
        elsewhere = arn.replace("us-east-1", "eu-west-2")
        self.refuses("TableNotFoundException", f"Table not found: {elsewhere}", self.begin, elsewhere)
        self.refuses("AccessDeniedException", "Access is denied", self.begin, arn.replace("000000000000", "1" * 12))
        self.refuses("ValidationException",
                     "One or more parameter values were invalid: tableArn is not a valid ARN", self.begin, name)
        self.refuses("ValidationException", "Invalid Request: Table ARN is invalid.", self.begin, arn + "/index/by-g")

    def test_members_are_checked(self):
        _, arn = self.source()

        def constraint(member, value, text):
            return (f"1 validation error detected: Value '{value}' at '{member}' failed to satisfy constraint: "
                    f"Member must satisfy {text}")

        bucket = r"regular expression pattern: ^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$"
        for parameters, message in (
                ({"S3Bucket": ""}, constraint("s3Bucket", "", bucket)),
                ({"S3Bucket": "arn:aws:s3:::b"}, constraint("s3Bucket", "arn:aws:s3:::b", bucket)),
                ({"S3BucketOwner": "me"}, constraint("s3BucketOwner", "me", "regular expression pattern: [0-9]{12}")),
                ({"ExportFormat": "CSV"}, constraint("exportFormat", "CSV", "enum value set: [ION, DYNAMODB_JSON]")),
                ({"ExportType": "PARTIAL"},
                 constraint("exportType", "PARTIAL", "enum value set: [INCREMENTAL_EXPORT, FULL_EXPORT]")),
                ({"S3SseAlgorithm": "aws:kms"},
                 constraint("s3SseAlgorithm", "aws:kms", "enum value set: [AES256, KMS]")),
                ({"S3SseKmsKeyId": "key"},
                 "Invalid Request: KMS Key Id is not supported for this encryption type"),
                ({"S3SseKmsKeyId": "key", "S3SseAlgorithm": "AES256"},
                 "Invalid Request: KMS Key Id is not supported for this encryption type")):
            with self.subTest(parameters):
                self.refuses("ValidationException", message, self.begin, arn, **parameters)
        self.refuses("ValidationException", None, self.wire.call, "ExportTableToPointInTime", S3Bucket=BUCKET)
        self.refuses("ValidationException", None, self.wire.call, "ExportTableToPointInTime", TableArn=arn)

    def test_times_are_checked(self):
        _, arn = self.source()
        now = int(time.time())
        for seconds in (now + 3600, now - 3600):
            self.refuses("InvalidExportTimeException", "Export Time is invalid", self.begin, arn, ExportTime=seconds)
        incremental = {"ExportType": "INCREMENTAL_EXPORT"}
        spec = "IncrementalExportSpecification"
        for parameters, message in (
                ({spec: {"ExportFromTime": now - 3600}},
                 "Invalid Request: Export Type expected to be Incremental Export when incremental export specification "
                 "is provided"),
                ({spec: {"ExportFromTime": now - 3600}, "ExportType": "FULL_EXPORT"},
                 "Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be "
                 "provided"),
                (incremental,
                 "Invalid Request: Incremental Export Specification expected when export type is set as Incremental "
                 "Export"),
                ({**incremental, spec: {}},
                 "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification"),
                ({**incremental, spec: {"ExportFromTime": now, "ExportViewType": "NEW_IMAGES"}},
                 "1 validation error detected: Value 'NEW_IMAGES' at 'incrementalExportSpecification.exportViewType' "
                 "failed to satisfy constraint: Member must satisfy enum value set: [NEW_IMAGE, NEW_AND_OLD_IMAGES]")):
            with self.subTest(parameters):
                self.refuses("ValidationException", message, self.begin, arn, **parameters)

        def stamp(seconds):
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

        for period, message in (
                ({"ExportFromTime": now - 600, "ExportToTime": now},
                 f"Incremental export period from time cannot be less than the table creation time : "
                 f"{stamp(now - 600)}"),
                ({"ExportFromTime": now - 600, "ExportToTime": now + 3600},
                 f"Incremental export period to time cannot be greater than the current time : {stamp(now + 3600)}"),
                ({"ExportFromTime": now + 1},
                 "Difference between export period from time and export period to time is less than 15 minutes")):
            with self.subTest(period):
                self.refuses("InvalidExportTimeException", message, self.begin, arn, **incremental, **{spec: period})

    def test_a_bucket_that_fails_is_reported_later(self):
        _, arn = self.source()
        description = self.ended(self.begin(arn, S3Bucket="not-there")["ExportArn"])
        self.assertEqual(("FAILED", "S3NoSuchBucket"), (description["ExportStatus"], description["FailureCode"]))
        self.assertIn("The specified bucket does not exist", description["FailureMessage"])
        self.assertNotIn("ExportManifest", description)
        description = self.ended(self.begin(arn, S3BucketOwner="1" * 12)["ExportArn"])
        self.assertEqual(("FAILED", "S3AccessDenied"), (description["ExportStatus"], description["FailureCode"]))
        self.export(arn, S3BucketOwner="000000000000")

    def test_a_token_makes_one_export(self):
        _, arn = self.source()
        _, other = self.source()
        first = self.begin(arn, ClientToken="once")["ExportArn"]
        self.assertEqual(first, self.begin(arn, ClientToken="once")["ExportArn"])
        self.ended(first)
        again = self.begin(arn, ClientToken="once")
        self.assertEqual((first, "COMPLETED"), (again["ExportArn"], again["ExportStatus"]))
        for conflict in ({"TableArn": other}, {"S3Prefix": "other"}, {"ExportFormat": "ION"}):
            parameters = {"TableArn": arn, "S3Bucket": BUCKET, "ClientToken": "once", **conflict}
            self.refuses("ExportConflictException",
                         "Export conflict: Duplicate request detected with conflicting parameters",
                         self.wire.call, "ExportTableToPointInTime", **parameters)
        self.assertNotEqual(self.begin(arn)["ExportArn"], self.begin(arn)["ExportArn"])

    def test_exports_that_are_not_there(self):
        _, arn = self.source()
        absent = arn + "/export/01577836800000-00000001"
        for wrong, code, message in (
                (absent, "ExportNotFoundException", f"Export not found: Export not found: {absent}"),
                (absent.replace("us-east-1", "eu-west-2"), "ExportNotFoundException",
                 "Export not found: Invalid export arn"),
                (absent.replace("000000000000", "1" * 12), "AccessDeniedException", "Access is denied"),
                (arn, "ValidationException", "Invalid Export ARN"),
                (absent.replace("/export/", "/import/"), "ValidationException", "Invalid Export ARN"),
                ("x" * 40, "ValidationException", "Invalid Export ARN")):
            with self.subTest(wrong):
                self.refuses(code, message, self.client.describe_export, ExportArn=wrong)
        self.refuses("ValidationException", None, self.raw.describe_export, ExportArn="short")

    def test_pages_of_a_list(self):
        name, arn = self.source()
        arns = [self.export(arn)["ExportArn"] for _ in range(5)][::-1]
        _, other = self.source()
        self.export(other)
        found, parameters = [], {"TableArn": arn, "MaxResults": 2}
        for pages in (1, 2, 3):
            page = self.client.list_exports(**parameters)
            found += [summary["ExportArn"] for summary in page["ExportSummaries"]]
            if pages < 3:
                parameters["NextToken"] = page["NextToken"]
        self.assertNotIn("NextToken", page)
        self.assertEqual(arns, found)
        everything = [summary["ExportArn"] for summary in every_page_of_exports(self.client)]
        self.assertEqual(sorted(everything, reverse=True), everything)
        self.assertLess(set(arns), set(everything))
        self.refuses("ValidationException", "Invalid Request: Provided nextToken is invalid: bogus",
                     self.client.list_exports, NextToken="bogus")
        self.refuses("ValidationException", None, self.raw.list_exports, MaxResults=26)
        self.client.delete_table(TableName=name)
        self.wait_gone(name)
        self.assertEqual([], self.client.list_exports(TableArn=arn)["ExportSummaries"])
        self.assertEqual("COMPLETED", self.described(arns[0])["ExportStatus"])

    def test_it_is_one_moment_while_amounts_move(self):
        """Transactions move amounts between accounts: the sum is the same in any export, and each of its items equals
        that of a restore to the same time."""
        name, arn = self.source()
        accounts, stop, moved = 400, threading.Event(), [0, 0, 0]
        for first in range(0, accounts, 25):
            self.wire.call("BatchWriteItem", RequestItems={name: [{"PutRequest": {"Item": {
                "pk": {"S": f"a{n}"}, "sk": {"N": "0"}, "v": {"N": "1000"}}}} for n in range(first, first + 25)]})

        def move(worker):
            chance, wire = random.Random(worker), Wire(self.url)
            while not stop.is_set():
                one, two = chance.sample(range(accounts), 2)
                amount = str(chance.randrange(1, 50))
                try:
                    wire.call("TransactWriteItems", TransactItems=[{"Update": {
                        "TableName": name, "Key": {"pk": {"S": f"a{account}"}, "sk": {"N": "0"}},
                        "UpdateExpression": f"SET v = v {sign} :amount",
                        "ExpressionAttributeValues": {":amount": {"N": amount}}}}
                        for account, sign in ((one, "-"), (two, "+"))])
                except DynamoError as error:
                    self.assertEqual("TransactionCanceledException", error.code)    # conflict with another mover
                else:
                    moved[worker] += 1
            wire.close()

        movers = [threading.Thread(target=move, args=[worker]) for worker in range(len(moved))]
        for mover in movers:
            mover.start()
        exports = []
        try:
            for _ in range(3):
                before = min(moved)
                until(lambda: min(moved) > before + 20, "transactions")
                exports.append(self.export(arn))
        finally:
            stop.set()
            for mover in movers:
                mover.join()
        states = []
        for description in exports:
            state = {item["pk"]["S"]: int(item["v"]["N"]) for item in self.items(description)}
            self.assertEqual((accounts, accounts * 1000), (len(state), sum(state.values())))
            states.append(state)
        self.assertNotEqual(states[0], states[1])
        target = unique("restored")
        self.wire.call("RestoreTableToPointInTime", SourceTableName=name, TargetTableName=target,
                       RestoreDateTime=exports[1]["ExportTime"])
        self.tables_.append(target)
        self.wait_exists(target)
        self.assertEqual(states[1], {item["pk"]["S"]: int(item["v"]["N"])
                                     for item in every_page(self.wire.call, "Scan", TableName=target)})

    def test_a_table_deleted_meanwhile_is_exported(self):
        name, arn = self.source()
        fill(self.wire, name, 3000, 1)
        begun = self.begin(arn)["ExportArn"]
        self.client.delete_table(TableName=name)
        description = self.ended(begun)
        self.check_files(description)
        self.assertEqual([(n, 1) for n in range(3000)], versions(self.items(description)))

    def test_what_was_exported_is_imported(self):
        name, arn = self.source()
        fill(self.wire, name, 300, 4)
        for export_format in ("DYNAMODB_JSON", "ION"):
            description = self.export(arn, S3Prefix=f"round/{export_format}", ExportFormat=export_format)
            target = unique("imported")
            folder = self.rows(description)[0]["dataFileS3Key"].rsplit("/", 1)[0]
            begun = self.wire.call(
                "ImportTable", S3BucketSource={"S3Bucket": BUCKET, "S3KeyPrefix": folder + "/"},
                InputFormat=export_format, InputCompressionType="GZIP", ClientToken=unique("token"),
                TableCreationParameters={"TableName": target, **harness.schema("pk:S sk:N")})
            self.tables_.append(target)
            import_arn = begun["ImportTableDescription"]["ImportArn"]
            imported = until(lambda: (d := self.wire.call("DescribeImport", ImportArn=import_arn)[
                "ImportTableDescription"])["ImportStatus"] != "IN_PROGRESS" and d, "the import")
            self.assertEqual("COMPLETED", imported["ImportStatus"], imported)
            self.assertEqual([(n, 4) for n in range(300)],
                             versions(every_page(self.wire.call, "Scan", TableName=target)))


def every_page_of_exports(db):
    parameters = {}
    while True:
        page = db.list_exports(**parameters)
        yield from page["ExportSummaries"]
        if "NextToken" not in page:
            return
        parameters = {"NextToken": page["NextToken"]}


class CrashTest(ExportCase):
    """kill -9 during an export: it resumes, and the files are those of its point in time, without duplicates."""

    ITEMS = 4000
    PADDING = {"S": "x" * 16_000}           # so that there are several files

    def test_kill_during_an_export(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        name, arn = self.source()
        kills = []                          # the number of items in complete files at each kill
        for _ in range(TRIES_MAX):
            fill(self.wire, name, self.ITEMS, 1, padding=self.PADDING)
            begun = self.begin(arn)["ExportArn"]
            interrupted = 0
            while (description := self.described(begun))["ExportStatus"] == "IN_PROGRESS":
                whole = description.get("ItemCount", 0)
                if interrupted < 3 and (whole > 0 or not kills):       # at once, and after a complete file
                    interrupted += 1
                    kills.append(whole)
                    fill(self.wire, name, 25 * chance.randrange(1, 5), 2)          # and writes continue
                    self.server.kill()
                    self.server.start()
                    self.connect()
            self.assertEqual("COMPLETED", description["ExportStatus"], description)
            self.check_files(description)
            self.assertGreater(len(self.rows(description)), 1)
            self.assertEqual([(n, 1) for n in range(self.ITEMS)], versions(self.items(description)), f"seed {seed}")
            if kills and max(kills) > 0:
                return
        self.fail(f"no export was interrupted behind a whole file: {kills} (seed {seed})")


if __name__ == "__main__":
    harness.run_file()
