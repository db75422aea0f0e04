#!/usr/bin/python3
"""Point-in-time recovery: a table is restored, with its indexes, to seconds of a random history, and compared with a model."""

import datetime
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from dynamo_model import Index, Table, canonical_item
from harness import Case, Server, Wire, every_page, index, schema, unique, wait_active

SECONDS = 7                # length of the history
WRITES = 600               # minimum
INDEXES = [Index("by-l", ["pk"], ["l"], local=True), Index("by-g", ["g"], ["sk"], attributes=["v"])]
TYPES = {"pk": "S", "sk": "N", "g": "S", "l": "N"}


def new_table(wire, name):
    local, other = [index(i.name, " ".join(i.keys()), "ALL", i.attributes) for i in INDEXES]
    wire.call("CreateTable", TableName=name, **schema("pk:S sk:N", "g:S l:N"), LocalSecondaryIndexes=[local],
              GlobalSecondaryIndexes=[other])


def enable(wire, name, enabled=True, **more):
    return wire.call("UpdateContinuousBackups", TableName=name, PointInTimeRecoverySpecification={
        "PointInTimeRecoveryEnabled": enabled, **more})["ContinuousBackupsDescription"]


class History:
    """Random writes by one client, each with the times between which it happened."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.writes = []                # (sent at, acknowledged at, key, item or None)

    def write(self, wire, name):
        rng = self.random
        n = rng.randrange(60)
        key = {"pk": {"S": f"p{n % 5}"}, "sk": {"N": str(n)}}
        sent = time.time()
        if rng.random() < 0.3:
            item = None
            wire.call("DeleteItem", TableName=name, Key=key)
        else:
            item = {**key, "v": {"N": str(len(self.writes))}}
            if rng.random() < 0.7:
                item["g"] = {"S": f"g{rng.randrange(4)}"}
            if rng.random() < 0.7:
                item["l"] = {"N": str(rng.randrange(3))}
            wire.call("PutItem", TableName=name, Item=item)
        self.writes.append((sent, time.time(), key, item))

    def states(self, second):
        """The possible contents of the table at the end of the first ms of a second: a write on the edge may be
        included or not."""
        model = Table("model", "pk", "sk", TYPES, INDEXES)
        on_the_edge = None
        for sent, acknowledged, key, item in self.writes:
            if sent > second + 0.001:
                break
            if acknowledged > second - 0.001:
                on_the_edge = on_the_edge or []
                on_the_edge.append((key, item))
            else:
                self.apply(model, key, item)
        models = [model]
        for key, item in on_the_edge or []:
            following = Table("model", "pk", "sk", TYPES, INDEXES)
            following.items = dict(models[-1].items)
            self.apply(following, key, item)
            models.append(following)
        return models

    @staticmethod
    def apply(model, key, item):
        if item is None:
            model.delete(key)
        else:
            model.put(item)


def content(wire, name):
    """The items of a table and of each of its indexes, in a comparable form."""
    def items(**more):
        return Counter(canonical_item(item) for item in every_page(wire.call, "Scan", TableName=name, **more))
    return [items()] + [items(IndexName=i.name) for i in INDEXES]


def content_of(model):
    def items(found):
        return Counter(canonical_item(item) for item in found)
    return [items(model.items.values())] + [
        items([model.carried(i, item) for item in model.entries(i)]) for i in INDEXES]


def difference(got, expected):
    """A short description of a failure."""
    return [f"{len(g - e)} too many, {len(e - g)} missing" for g, e in zip(got, expected)]


class PointInTimeTest(Case):

    def source(self):
        name = unique("source")
        new_table(self.wire, name)
        self.tables_.append(name)
        return name

    def test_random_seconds_of_a_random_history(self):
        seed = random.randrange(1 << 32)
        history = History(seed)
        name = self.source()
        for _ in range(100):
            history.write(self.wire, name)
        enable(self.wire, name)
        first = int(time.time()) + 1
        while time.time() < first + SECONDS or len(history.writes) < WRITES:
            history.write(self.wire, name)
        seconds = history.random.sample(range(first, first + SECONDS), 4)
        for second in seconds:
            target = unique("restored")
            self.wire.call("RestoreTableToPointInTime", SourceTableName=name, TargetTableName=target,
                           RestoreDateTime=second)
            self.tables_.append(target)
            history.write(self.wire, name)              # continues meanwhile
            wait_active(self.wire, target)
            got = content(self.wire, target)
            possible = [content_of(model) for model in history.states(second)]
            self.assertTrue(got in possible, f"second {second - first}, seed {seed}: {difference(got, possible[0])}")
            count = self.wire.call("DescribeTable", TableName=target)["Table"]["ItemCount"]
            self.assertEqual(got[0].total(), count)

    def test_the_latest_time_is_now(self):
        name = self.source()
        enable(self.wire, name)
        history = History(1)
        for _ in range(50):
            history.write(self.wire, name)
        target = unique("restored")
        description = self.client.restore_table_to_point_in_time(
            SourceTableName=name, TargetTableName=target, UseLatestRestorableTime=True)["TableDescription"]
        self.tables_.append(target)
        self.assertEqual("CREATING", description["TableStatus"])
        self.assertTrue(description["RestoreSummary"]["RestoreInProgress"])
        self.assertTrue(description["RestoreSummary"]["SourceTableArn"].endswith(f":table/{name}"))
        expected = content(self.wire, name)
        wait_active(self.wire, target)
        self.assertEqual(expected, content(self.wire, target))
        self.assertNotIn("RestoreSummary", self.client.describe_table(TableName=target)["Table"])

    def test_the_setting(self):
        name = self.source()
        description = self.client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        self.assertEqual({"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {
            "PointInTimeRecoveryStatus": "DISABLED"}}, description)
        before = int(time.time())
        description = self.client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification={
            "PointInTimeRecoveryEnabled": True})["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
        self.assertEqual("ENABLED", description["PointInTimeRecoveryStatus"])
        # Debian's boto3 does not know the recovery period yet.
        self.assertEqual(35, enable(self.wire, name)["PointInTimeRecoveryDescription"]["RecoveryPeriodInDays"])
        earliest = description["EarliestRestorableDateTime"]
        self.assertLessEqual(before, earliest.timestamp())
        self.assertLessEqual(earliest, description["LatestRestorableDateTime"])
        self.assertEqual(7, enable(self.wire, name, RecoveryPeriodInDays=7)["PointInTimeRecoveryDescription"][
            "RecoveryPeriodInDays"])
        again = self.client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        self.assertEqual(earliest, again["PointInTimeRecoveryDescription"]["EarliestRestorableDateTime"])
        for enabled, days, message in (
                (False, 7,
                 "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."),
                (True, 36, "1 validation error detected: Value '36' at "
                           "'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy constraint: "
                           "Member must have value less than or equal to 35")):
            with self.assertRaises(harness.DynamoError) as refused:
                enable(self.wire, name, enabled, RecoveryPeriodInDays=days)
            self.assertEqual(("ValidationException", message), (refused.exception.code, refused.exception.message))
        off = enable(self.wire, name, False)
        self.assertEqual({"PointInTimeRecoveryStatus": "DISABLED"}, off["PointInTimeRecoveryDescription"])
        self.refuses("TableNotFoundException", "Table not found: not-there", self.client.describe_continuous_backups,
                     TableName="not-there")

    def test_refusals(self):
        name = self.source()
        target = unique("restored")

        def refused(code, message, **parameters):
            self.refuses(code, message, self.client.restore_table_to_point_in_time, TargetTableName=target,
                         **parameters)

        refused("PointInTimeRecoveryUnavailableException", f"Point in time recovery is not enabled for table '{name}'",
                SourceTableName=name, UseLatestRestorableTime=True)
        refused("TableNotFoundException", "Table not found: not-there", SourceTableName="not-there",
                UseLatestRestorableTime=True)
        enable(self.wire, name)
        refused("ValidationException", "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must "
                "be specified, but not both", SourceTableName=name)
        now = datetime.datetime.now(datetime.timezone.utc)
        refused("ValidationException", "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be "
                "set for point-in-time restore request. Please specify either RestoreDateTime time or "
                "UseLatestRestorableTime", SourceTableName=name, UseLatestRestorableTime=True, RestoreDateTime=now)
        refused("ValidationException", "Must provide exactly one of: sourceTableArn, sourceTableName",
                SourceTableName=name, UseLatestRestorableTime=True,
                SourceTableArn=self.client.describe_table(TableName=name)["Table"]["TableArn"])
        for away in (-3600, 3600):
            refused("InvalidRestoreTimeException", None, SourceTableName=name,
                    RestoreDateTime=now + datetime.timedelta(seconds=away))
        self.refuses("TableAlreadyExistsException", f"Table already exists: {name}",
                     self.client.restore_table_to_point_in_time, SourceTableName=name, TargetTableName=name,
                     UseLatestRestorableTime=True)
        self.assertNotIn(target, self.client.list_tables()["TableNames"])


class CrashTest(harness.unittest.TestCase):

    def test_history_and_restores_survive_kill(self):
        """Seconds before and after a kill -9 are restored, and so is a second whose restore is itself killed."""
        seed = random.randrange(1 << 32)
        history = History(seed)
        with Server() as server:
            wire = Wire(server.endpoint)
            new_table(wire, "source")
            enable(wire, "source")
            seconds = []
            for _ in range(3):
                second = int(time.time()) + 1
                while time.time() < second + 0.5:
                    history.write(wire, "source")
                seconds.append(second)
                server.kill()
                server.start()
                wire = Wire(server.endpoint)
            for place, second in enumerate(seconds):
                target = f"restored-{place}"
                wire.call("RestoreTableToPointInTime", SourceTableName="source", TargetTableName=target,
                          RestoreDateTime=second)
                server.kill()
                server.start()
                wire = Wire(server.endpoint)
                wait_active(wire, target)
                possible = [content_of(model) for model in history.states(second)]
                got = content(wire, target)
                self.assertTrue(got in possible, f"{place}, seed {seed}: {difference(got, possible[0])}")


if __name__ == "__main__":
    harness.run_file()
