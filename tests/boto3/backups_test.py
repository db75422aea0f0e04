#!/usr/bin/python3
"""Backups: consistent while writes continue, restored with their indexes, complete after kill -9."""

import random
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, Server, Wire, client, every_page, index, key_schema, schema, unique, until

TRIES_MAX = 20             # attempts to interrupt a running job


def details(db, arn):
    return db.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]


def wait_available(db, arn):
    until(lambda: details(db, arn)["BackupStatus"] == "AVAILABLE", "the backup")


def wait_active(db, name):
    return until(lambda: (t := db.describe_table(TableName=name)["Table"])["TableStatus"] == "ACTIVE" and t,
                 "the restore")


def fill(wire, name, count, version):
    for first in range(0, count, 25):
        wire.call("BatchWriteItem", RequestItems={name: [{"PutRequest": {"Item": {
            "pk": {"S": f"p{n % 50}"}, "sk": {"N": str(n)}, "g": {"S": f"g{n % 11}"}, "v": {"N": str(version)}}}}
            for n in range(first, min(count, first + 25))]})


def found(wire, name, **more):
    return {int(item["sk"]["N"]): int(item["v"]["N"])
            for item in every_page(wire.call, "Scan", TableName=name, **more)}


class BackupsTest(Case):

    def source(self, **parameters):
        return self.table("source", "pk:S sk:N", "g:S", GlobalSecondaryIndexes=[index("by-g", "g sk")], **parameters)

    def backup(self, name):
        arn = self.client.create_backup(TableName=name, BackupName="nightly")["BackupDetails"]["BackupArn"]
        wait_available(self.client, arn)
        return arn

    def restore(self, arn, **overrides):
        target = unique("restored")
        self.client.restore_table_from_backup(TargetTableName=target, BackupArn=arn, **overrides)
        self.tables_.append(target)
        return target, wait_active(self.client, target)

    def test_life_of_a_backup(self):
        name = self.source()
        fill(self.wire, name, 60, 1)
        backup = self.client.create_backup(TableName=name, BackupName="nightly")["BackupDetails"]
        arn = backup["BackupArn"]
        self.assertRegex(arn, rf":table/{name}/backup/\d{{14}}-[0-9a-f]{{8}}$")
        self.assertEqual(("nightly", "CREATING", "USER"),
                         (backup["BackupName"], backup["BackupStatus"], backup["BackupType"]))
        self.assertNotIn("BackupExpiryDateTime", backup)
        wait_available(self.client, arn)
        description = self.client.describe_backup(BackupArn=arn)["BackupDescription"]
        self.assertEqual(backup["BackupCreationDateTime"], description["BackupDetails"]["BackupCreationDateTime"])
        source = description["SourceTableDetails"]
        self.assertEqual((name, 60, "PAY_PER_REQUEST"),
                         (source["TableName"], source["ItemCount"], source["BillingMode"]))
        self.assertEqual(key_schema("pk sk"), source["KeySchema"])
        indexes = description["SourceTableFeatureDetails"]["GlobalSecondaryIndexes"]
        self.assertEqual(["by-g"], [of["IndexName"] for of in indexes])
        listed = self.client.list_backups(TableName=name)["BackupSummaries"]
        self.assertEqual([arn], [summary["BackupArn"] for summary in listed])
        gone = self.client.delete_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]
        self.assertEqual("DELETED", gone["BackupStatus"])
        self.refuses("BackupNotFoundException", f"Backup not found: {arn}", self.client.describe_backup, BackupArn=arn)
        self.refuses("BackupNotFoundException", f"Backup not found: {arn}", self.client.delete_backup, BackupArn=arn)
        self.assertEqual([], self.client.list_backups(TableName=name)["BackupSummaries"])

    def test_a_restored_table_has_items_and_indexes_and_none_of_the_other_settings(self):
        name = self.source(Tags=[{"Key": "team", "Value": "red"}],
                           StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        self.client.update_time_to_live(TableName=name, TimeToLiveSpecification={
            "Enabled": True, "AttributeName": "expires"})
        until(lambda: self.client.describe_time_to_live(TableName=name)["TimeToLiveDescription"][
            "TimeToLiveStatus"] == "ENABLED", "ENABLED")
        fill(self.wire, name, 80, 1)
        arn = self.backup(name)
        features = self.client.describe_backup(BackupArn=arn)["BackupDescription"]["SourceTableFeatureDetails"]
        self.assertEqual({"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}, features["StreamDescription"])
        self.assertEqual({"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}, features["TimeToLiveDescription"])
        target, table = self.restore(arn)
        self.assertNotIn("RestoreSummary", table)
        self.assertNotIn("StreamSpecification", table)
        self.assertEqual(80, table["ItemCount"])
        self.assertEqual("ACTIVE", table["GlobalSecondaryIndexes"][0]["IndexStatus"])
        self.assertEqual([], self.client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"])
        self.assertEqual("DISABLED", self.client.describe_time_to_live(TableName=target)[
            "TimeToLiveDescription"]["TimeToLiveStatus"])
        self.assertEqual(found(self.wire, name), found(self.wire, target))
        self.assertEqual(found(self.wire, name, IndexName="by-g"), found(self.wire, target, IndexName="by-g"))
        self.client.put_item(TableName=target, Item={"pk": {"S": "new"}, "sk": {"N": "1000"}, "v": {"N": "2"}})
        self.assertEqual(80, len(found(self.wire, name)))

    def test_it_is_one_moment_while_writes_go_on(self):
        """Pairs of items are always written together: in a backup they must be equal, and not older than the call."""
        name = self.source()
        pairs, stop, acknowledged = 12, threading.Event(), {}

        def write(worker):
            wire = Wire(self.url)
            version = 0
            while not stop.is_set():
                version += 1
                pair = worker * 4 + version % 4
                wire.call("TransactWriteItems", TransactItems=[{"Put": {"TableName": name, "Item": {
                    "pk": {"S": f"{pair}"}, "sk": {"N": str(pair * 2 + side)}, "v": {"N": str(version)}}}}
                    for side in (0, 1)])
                acknowledged[pair] = version
            wire.close()

        fill(self.wire, name, 2000, 1)
        for n in range(pairs * 2):
            self.wire.call("DeleteItem", TableName=name, Key={"pk": {"S": f"p{n % 50}"}, "sk": {"N": str(n)}})
        writers = [threading.Thread(target=write, args=[worker]) for worker in range(3)]
        for writer in writers:
            writer.start()
        try:
            until(lambda: len(acknowledged) == pairs, "every pair's first write")
            before = dict(acknowledged)
            arn = self.backup(name)
        finally:
            stop.set()
            for writer in writers:
                writer.join()
        target, _ = self.restore(arn)
        items = found(self.wire, target)
        for pair, version in before.items():
            self.assertEqual(items[pair * 2], items[pair * 2 + 1], f"pair {pair}")
            self.assertGreaterEqual(items[pair * 2], version)
        self.assertEqual(2000, len(items))

    def test_overrides(self):
        name = self.table("provisioned", "pk:S sk:N", "g:S", BillingMode="PROVISIONED", GlobalSecondaryIndexes=[
            {**index("by-g", "g sk"), "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 2}}])
        arn = self.backup(name)
        _, table = self.restore(arn, BillingModeOverride="PAY_PER_REQUEST", GlobalSecondaryIndexOverride=[])
        self.assertEqual("PAY_PER_REQUEST", table["BillingModeSummary"]["BillingMode"])
        self.assertNotIn("GlobalSecondaryIndexes", table)
        self.assertEqual(["pk", "sk"], [a["AttributeName"] for a in table["AttributeDefinitions"]])
        _, table = self.restore(arn, ProvisionedThroughputOverride={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8})
        self.assertEqual(7, table["ProvisionedThroughput"]["ReadCapacityUnits"])
        self.assertEqual(2, table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"])
        self.refuses("ValidationException",
                     "Invalid Request: Index other does not match a secondary index that existed in the source table "
                     "and cannot be created during the restore operation",
                     self.client.restore_table_from_backup, TargetTableName=unique("restored"), BackupArn=arn,
                     GlobalSecondaryIndexOverride=[index("other", "pk")])

    def test_refusals(self):
        self.refuses("TableNotFoundException", "Table not found: not-there", self.client.create_backup,
                     TableName="not-there", BackupName="nightly")
        name = self.source()
        self.refuses("ValidationException", None, self.client.create_backup, TableName=name, BackupName="not a name")
        arn = self.backup(name)
        self.refuses("TableAlreadyExistsException", f"Table already exists: {name}",
                     self.client.restore_table_from_backup, TargetTableName=name, BackupArn=arn)
        table_arn = arn.split("/backup/")[0]
        self.refuses("ValidationException", "Invalid Backup ARN", self.client.describe_backup, BackupArn=table_arn)
        absent = table_arn + "/backup/01577836800000-00000001"
        self.refuses("BackupNotFoundException", f"Backup not found: {absent}", self.client.restore_table_from_backup,
                     TargetTableName=unique("restored"), BackupArn=absent)
        self.refuses("ValidationException", None, self.raw.list_backups, Limit=101)
        self.refuses("ValidationException", None, self.raw.list_backups, BackupType="BOGUS")

    def test_pages_of_a_list(self):
        name = self.source()
        arns = [self.backup(name) for _ in range(3)]
        page = self.client.list_backups(TableName=name, Limit=2)
        self.assertEqual(arns[:2], [summary["BackupArn"] for summary in page["BackupSummaries"]])
        rest = self.client.list_backups(TableName=name, ExclusiveStartBackupArn=page["LastEvaluatedBackupArn"])
        self.assertEqual(arns[2:], [summary["BackupArn"] for summary in rest["BackupSummaries"]])
        self.assertNotIn("LastEvaluatedBackupArn", rest)

    def test_what_is_left_of_a_deleted_table_with_recovery(self):
        name = self.source()
        self.client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification={
            "PointInTimeRecoveryEnabled": True})
        fill(self.wire, name, 30, 4)
        self.client.delete_table(TableName=name)
        self.wait_gone(name)
        self.assertEqual([], self.client.list_backups(TableName=name)["BackupSummaries"])
        system_backup, = self.client.list_backups(TableName=name, BackupType="SYSTEM")["BackupSummaries"]
        self.assertEqual((f"{name}$DeletedTableBackup", "SYSTEM", "AVAILABLE"),
                         (system_backup["BackupName"], system_backup["BackupType"], system_backup["BackupStatus"]))
        self.assertEqual(35, (system_backup["BackupExpiryDateTime"] - system_backup["BackupCreationDateTime"]).days)
        self.refuses("ValidationException", None, self.client.delete_backup, BackupArn=system_backup["BackupArn"])
        target, _ = self.restore(system_backup["BackupArn"])
        self.assertEqual({n: 4 for n in range(30)}, found(self.wire, target))


class CrashTest(harness.unittest.TestCase):
    """kill -9 while a backup is created and while it is restored: both resume, and nothing is missing or duplicated."""

    ITEMS = 12000

    def setUp(self):
        self.seed = random.randrange(1 << 32)
        self.random = random.Random(self.seed)
        self.server = Server()
        self.addCleanup(self.server.close)
        self.connect()

    def connect(self):
        self.wire, self.db = Wire(self.server.endpoint), client(self.server.endpoint)

    def kill_and_start(self):
        self.server.kill()
        self.server.start()
        self.connect()

    def test_kill_during_backup_and_restore(self):
        self.wire.call("CreateTable", TableName="source", **schema("pk:S sk:N", "g:S"),
                       GlobalSecondaryIndexes=[index("by-g", "g sk")])
        arn = self.interrupted_backup()
        fill(self.wire, "source", self.ITEMS, 3)
        target = self.interrupted_restore(arn)
        expected = {n: 1 for n in range(self.ITEMS)}
        self.assertEqual(expected, found(self.wire, target), f"seed {self.seed}")
        self.assertEqual(expected, found(self.wire, target, IndexName="by-g"), f"seed {self.seed}")
        until(lambda: self.db.describe_table(TableName=target)["Table"]["ItemCount"] == self.ITEMS, "the count")

    def interrupted_backup(self):
        """Creates backups of version 1 until one was interrupted."""
        for _ in range(TRIES_MAX):
            fill(self.wire, "source", self.ITEMS, 1)
            arn = self.db.create_backup(TableName="source", BackupName="nightly")["BackupDetails"]["BackupArn"]
            interrupted = 0
            while (description := details(self.db, arn))["BackupStatus"] == "CREATING":
                if description["BackupSizeBytes"] > 0 and interrupted < 3:
                    interrupted += 1
                    self.kill_and_start()
                fill(self.wire, "source", 25 * self.random.randrange(1, 5), 2)          # and writes continue
            if interrupted:
                return arn
        self.fail(f"every backup was too quick to be interrupted (seed {self.seed})")

    def interrupted_restore(self, arn):
        """Restores until one restore was interrupted; returns the table's name."""
        for number in range(TRIES_MAX):
            target = f"restored-{number}"
            self.db.restore_table_from_backup(TargetTableName=target, BackupArn=arn)
            interrupted = 0
            while (table := self.db.describe_table(TableName=target)["Table"])["TableStatus"] == "CREATING":
                self.assertTrue(table["RestoreSummary"]["RestoreInProgress"])
                if interrupted < 3:
                    interrupted += 1
                    self.kill_and_start()
            if interrupted:
                return target
        self.fail(f"every restore was too quick to be interrupted (seed {self.seed})")


if __name__ == "__main__":
    harness.run_file()
