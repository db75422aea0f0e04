#!/usr/bin/python3
"""Streams: the contents of records, shards and iterators, and a consumer that neither loses nor repeats records over restarts."""

import random
import sys
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case
from dynamo_model import canonical_item
from stream_reader import StreamReader

IMAGES = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
RETENTION_MS = 3000        # for servers whose records should be trimmed during the test


def streams(url):
    import boto3
    return boto3.session.Session().client("dynamodbstreams", **harness.boto3_options(url))


class StreamCase(Case):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.streams = streams(cls.url)

    def stream_table(self, view="NEW_AND_OLD_IMAGES", **parameters):
        name = self.table("stream", StreamSpecification={"StreamEnabled": True, "StreamViewType": view}, **parameters)
        return name, self.arn(name)

    def arn(self, name):
        return self.client.describe_table(TableName=name)["Table"]["LatestStreamArn"]

    def iterator(self, arn, shard, kind="TRIM_HORIZON", **more):
        return self.streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType=kind,
                                               **more)["ShardIterator"]

    def shards(self, arn):
        return self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]

    def records(self, arn):
        """All records of all shards, in order within each shard."""
        found = []
        for shard in self.shards(arn):
            iterator = self.iterator(arn, shard["ShardId"])
            while iterator:
                page = self.streams.get_records(ShardIterator=iterator)
                if not page["Records"]:
                    break
                found += page["Records"]
                iterator = page.get("NextShardIterator")
        return found


class Records(StreamCase):

    def change(self, name):
        put = lambda v: self.client.put_item(TableName=name, Item={"pk": {"S": "a"}, "v": {"N": v}})
        put("1")
        put("1.0")                      # the same number: nothing changes
        put("2")
        self.client.update_item(TableName=name, Key={"pk": {"S": "a"}}, UpdateExpression="SET v = :v",
                                ExpressionAttributeValues={":v": {"N": "2"}})           # nothing changes
        self.client.delete_item(TableName=name, Key={"pk": {"S": "a"}})
        self.client.delete_item(TableName=name, Key={"pk": {"S": "a"}})                 # does not exist

    def test_each_view_type(self):
        one, two = {"pk": {"S": "a"}, "v": {"N": "1"}}, {"pk": {"S": "a"}, "v": {"N": "2"}}
        for view, expected in {
            "KEYS_ONLY": [("INSERT", None, None), ("MODIFY", None, None), ("REMOVE", None, None)],
            "NEW_IMAGE": [("INSERT", one, None), ("MODIFY", two, None), ("REMOVE", None, None)],
            "OLD_IMAGE": [("INSERT", None, None), ("MODIFY", None, one), ("REMOVE", None, two)],
            "NEW_AND_OLD_IMAGES": [("INSERT", one, None), ("MODIFY", two, one), ("REMOVE", None, two)],
        }.items():
            with self.subTest(view=view):
                name, arn = self.stream_table(view)
                self.change(name)
                got = self.records(arn)
                self.assertEqual(expected, [(record["eventName"], record["dynamodb"].get("NewImage"),
                                             record["dynamodb"].get("OldImage")) for record in got])
                for record in got:
                    self.assertEqual({"pk": {"S": "a"}}, record["dynamodb"]["Keys"])
                    self.assertEqual(view, record["dynamodb"]["StreamViewType"])

    def test_what_else_a_record_tells(self):
        name, arn = self.stream_table()
        before = int(time.time())
        self.client.put_item(TableName=name, Item={"pk": {"S": "a"}, "v": {"N": "101"}})
        record, = self.records(arn)
        self.assertEqual(("aws:dynamodb", "1.1", harness.REGION),
                         (record["eventSource"], record["eventVersion"], record["awsRegion"]))
        self.assertRegex(record["eventID"], "^[0-9a-f]{32}$")
        self.assertNotIn("userIdentity", record)
        change = record["dynamodb"]
        self.assertEqual(3 + 3 + 1 + 3, change["SizeBytes"])       # the key, then the whole item
        self.assertRegex(change["SequenceNumber"], r"^\d{21,40}$")
        self.assertTrue(before <= change["ApproximateCreationDateTime"].timestamp() <= time.time())

    def test_time_to_live_deletions_name_the_service(self):
        name, arn = self.stream_table()
        self.client.update_time_to_live(TableName=name,
                                        TimeToLiveSpecification={"Enabled": True, "AttributeName": "v"})
        self.client.put_item(TableName=name, Item={"pk": {"S": "a"}, "v": {"N": str(int(time.time()) - 60)}})
        give_up_at = time.monotonic() + harness.WAIT_SECONDS_MAX
        while len(found := self.records(arn)) < 2:
            self.assertLess(time.monotonic(), give_up_at, "the item did not expire")
            time.sleep(0.1)
        self.assertNotIn("userIdentity", found[0])
        self.assertEqual(("REMOVE", {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}),
                         (found[1]["eventName"], found[1]["userIdentity"]))

    def test_batches_and_transactions_are_recorded_item_by_item(self):
        name, arn = self.stream_table()
        items = [{"pk": {"S": str(n)}, "v": {"N": "1"}} for n in range(8)]
        self.client.batch_write_item(RequestItems={name: [{"PutRequest": {"Item": item}} for item in items]})
        self.client.transact_write_items(TransactItems=[
            {"Delete": {"TableName": name, "Key": {"pk": {"S": "0"}}}},
            {"Put": {"TableName": name, "Item": items[1]}},                 # changes nothing
            {"Update": {"TableName": name, "Key": {"pk": {"S": "2"}}, "UpdateExpression": "ADD v :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}}}}])
        got = self.records(arn)
        self.assertEqual({"INSERT": 8, "MODIFY": 1, "REMOVE": 1},
                         {kind: sum(record["eventName"] == kind for record in got)
                          for kind in ("INSERT", "MODIFY", "REMOVE")})
        self.assertEqual(len(got), len({record["dynamodb"]["SequenceNumber"] for record in got}))

    def test_a_record_is_there_as_soon_as_the_write_is_answered(self):
        name, arn = self.stream_table()
        reader = StreamReader(self.wire, arn)
        for n in range(50):
            self.client.put_item(TableName=name, Item={"pk": {"S": str(n % 5)}, "v": {"N": str(n)}})
            reader.poll()
            self.assertEqual(n + 1, reader.count)


class Reading(StreamCase):

    def test_shards_iterators_and_pages(self):
        name, arn = self.stream_table()
        for n in range(30):
            self.client.put_item(TableName=name, Item={"pk": {"S": "a"}, "v": {"N": str(n)}})
        shards = self.shards(arn)
        self.assertEqual(4, len(shards))
        for shard in shards:
            self.assertRegex(shard["ShardId"], "^shardId-[0-9]{20}-[0-9a-f]{8}$")
            self.assertNotIn("EndingSequenceNumber", shard["SequenceNumberRange"])
        records = self.records(arn)
        numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
        self.assertEqual(sorted(set(numbers)), numbers)
        shard, = [shard["ShardId"] for shard in shards
                  if self.streams.get_records(ShardIterator=self.iterator(arn, shard["ShardId"]))["Records"]]
        tenth = records[10]["dynamodb"]["SequenceNumber"]
        read = lambda kind, **more: [record["dynamodb"]["NewImage"]["v"]["N"] for record in self.streams.get_records(
            ShardIterator=self.iterator(arn, shard, kind, **more))["Records"]]
        self.assertEqual([str(n) for n in range(30)], read("TRIM_HORIZON"))
        self.assertEqual("10", read("AT_SEQUENCE_NUMBER", SequenceNumber=tenth)[0])
        self.assertEqual("11", read("AFTER_SEQUENCE_NUMBER", SequenceNumber=tenth)[0])
        self.assertEqual([], read("LATEST"))
        iterator, sizes = self.iterator(arn, shard), []
        for _ in range(4):
            page = self.streams.get_records(ShardIterator=iterator, Limit=12)
            sizes.append(len(page["Records"]))
            iterator = page["NextShardIterator"]
        self.assertEqual([12, 12, 6, 0], sizes)
        self.assertRegex(iterator, "^" + arn + r"\|\d\|.+$")

    def test_latest_gives_what_comes_after(self):
        name, arn = self.stream_table()
        self.client.put_item(TableName=name, Item={"pk": {"S": "a"}})
        iterators = [self.iterator(arn, shard["ShardId"], "LATEST") for shard in self.shards(arn)]
        self.client.put_item(TableName=name, Item={"pk": {"S": "b"}})
        found = [record["dynamodb"]["Keys"] for iterator in iterators
                 for record in self.streams.get_records(ShardIterator=iterator)["Records"]]
        self.assertEqual([{"pk": {"S": "b"}}], found)

    def test_disabling_closes_the_shards_and_enabling_makes_another_stream(self):
        name, arn = self.stream_table()
        self.client.put_item(TableName=name, Item={"pk": {"S": "a"}})
        self.client.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
        self.client.put_item(TableName=name, Item={"pk": {"S": "b"}})
        described = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]
        self.assertEqual("DISABLED", described["StreamStatus"])
        self.assertEqual(1, len(self.records(arn)))
        for shard in described["Shards"]:
            self.assertIn("EndingSequenceNumber", shard["SequenceNumberRange"])
            page = self.streams.get_records(ShardIterator=self.iterator(arn, shard["ShardId"]))
            self.assertNotIn("NextShardIterator", page)
        self.client.update_table(TableName=name, StreamSpecification={"StreamEnabled": True,
                                                                      "StreamViewType": "KEYS_ONLY"})
        self.assertNotEqual(arn, self.arn(name))
        self.assertEqual({arn, self.arn(name)},
                         {one["StreamArn"] for one in self.streams.list_streams(TableName=name)["Streams"]})

    def test_a_deleted_tables_stream_stays_readable(self):
        name, arn = self.stream_table()
        self.client.put_item(TableName=name, Item={"pk": {"S": "a"}})
        self.client.delete_table(TableName=name)
        self.assertEqual("DISABLED", self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"])
        self.assertEqual(1, len(self.records(arn)))

    def test_listing_in_pages(self):
        arns = {self.stream_table()[1] for _ in range(3)}
        found, start = set(), {}
        while True:
            page = self.streams.list_streams(Limit=2, **start)
            self.assertLessEqual(len(page["Streams"]), 2)
            found |= {stream["StreamArn"] for stream in page["Streams"]}
            if "LastEvaluatedStreamArn" not in page:
                break
            start = {"ExclusiveStartStreamArn": page["LastEvaluatedStreamArn"]}
        self.assertLessEqual(arns, found)

    def test_refusals(self):
        name, arn = self.stream_table()
        shard = self.shards(arn)[0]["ShardId"]
        nobody = arn.replace(name, "nobody")
        self.refuses("ResourceNotFoundException", f"Requested resource not found: Stream: {nobody} not found",
                     self.streams.describe_stream, StreamArn=nobody)
        self.refuses("ValidationException", "Invalid StreamArn", self.streams.describe_stream, StreamArn="x" * 50)
        self.refuses("ResourceNotFoundException", "Requested resource not found: Shard does not exist",
                     self.streams.get_shard_iterator, StreamArn=arn, ShardId="shardId-" + "0" * 20 + "-00000000",
                     ShardIteratorType="LATEST")
        self.refuses("ValidationException", "Invalid ShardIterator", self.streams.get_records, ShardIterator="x" * 50)
        self.refuses("ValidationException", None, self.streams.get_shard_iterator, StreamArn=arn, ShardId=shard,
                     ShardIteratorType="AT_SEQUENCE_NUMBER")
        self.refuses("ValidationException", None, self.streams.get_shard_iterator, StreamArn=arn, ShardId=shard,
                     ShardIteratorType="LATEST", SequenceNumber="1" * 27)
        self.refuses("ValidationException", None, self.streams.get_records, Limit=1001,
                     ShardIterator=self.iterator(arn, shard))
        self.refuses("ValidationException", None, self.streams.list_streams, Limit=101)


class ShortStream:
    """A table whose stream is trimmed within seconds. Between any two calls a record or a shard may be removed."""

    def __init__(self, server):
        self.db, self.streams = harness.client(server.endpoint), streams(server.endpoint)
        self.trimmed = self.streams.exceptions.TrimmedDataAccessException
        self.gone = self.streams.exceptions.ResourceNotFoundException
        self.puts = 0
        self.db.create_table(TableName="short", **harness.schema("pk:S"), StreamSpecification=IMAGES)
        self.arn = self.db.describe_table(TableName="short")["Table"]["LatestStreamArn"]

    def shards(self):
        return self.streams.describe_stream(StreamArn=self.arn)["StreamDescription"]["Shards"]

    def iterator(self, shard, kind, **more):
        return self.streams.get_shard_iterator(StreamArn=self.arn, ShardId=shard, ShardIteratorType=kind,
                                               **more)["ShardIterator"]

    def get(self, iterator):
        return self.streams.get_records(ShardIterator=iterator)["Records"]

    def put_and_hold(self, kind):
        """Puts an item; returns its record, the record's shard, an iterator positioned before it, and what that
        iterator read.

        If a busy machine was too slow and the record was trimmed first, tries again with another put.
        """
        while True:
            self.puts += 1
            began = time.monotonic()
            self.db.put_item(TableName="short", Item={"pk": {"S": "a"}, "n": {"N": str(self.puts)}})
            found = [place for shard in self.shards() if (place := self.hold(shard["ShardId"], kind))]
            if found:
                place, = found
                return place
            assert time.monotonic() - began > RETENTION_MS / 1000, "a record went before its time"

    def hold(self, shard, kind):
        try:
            for record in self.get(self.iterator(shard, "TRIM_HORIZON")):
                if record["dynamodb"]["NewImage"]["n"] != {"N": str(self.puts)}:
                    continue
                number = {} if kind == "TRIM_HORIZON" else {"SequenceNumber": record["dynamodb"]["SequenceNumber"]}
                held = self.iterator(shard, kind, **number)
                records = self.get(held)
                return (record, shard, held, records) if record in records else None
        except (self.trimmed, self.gone):
            return None


class Writer(threading.Thread):
    """Puts, updates and deletes items until it is stopped or the server is gone."""

    def __init__(self, url, table, stop, seed):
        super().__init__()
        self.wire, self.table, self.stop, self.random = harness.Wire(url), table, stop, random.Random(seed)
        self.failure = None

    def run(self):
        try:
            while not self.stop.is_set():
                self.write()
        except OSError:
            pass                        # the server is gone
        except harness.DynamoError as error:
            self.failure = None if error.code == "ServiceUnavailableException" else error
        self.wire.close()

    def key(self):
        return {"pk": {"S": f"p{self.random.randrange(12)}"}, "sk": {"N": str(self.random.randrange(4))}}

    def write(self):
        kind, key = self.random.randrange(10), self.key()
        if kind < 3:
            self.wire.call("PutItem", TableName=self.table, Item={**key, "v": {"N": str(self.random.randrange(3))}})
        elif kind < 6:
            self.wire.call("UpdateItem", TableName=self.table, Key=key, UpdateExpression="ADD n :one",
                           ExpressionAttributeValues={":one": {"N": "1"}})
        elif kind < 8:
            self.wire.call("DeleteItem", TableName=self.table, Key=key)
        else:
            keys = {str(one): one for one in (self.key() for _ in range(6))}
            self.wire.call("BatchWriteItem", RequestItems={self.table: [
                {"PutRequest": {"Item": {**one, "b": {"N": str(self.random.random())[:8]}}}}
                for one in keys.values()]})


class Restarts(Case):
    """Runs its own servers, whose shards roll over every half second."""

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def test_a_consumer_with_checkpoints_loses_and_repeats_nothing(self):
        seed = int(time.time())
        print(f"seed {seed}")
        with harness.Server("--stream-shard-ms", 500, "--cache-mb", 32) as server:
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "followed", **harness.schema("pk:S sk:N"), StreamSpecification=IMAGES)
            arn = wire.call("DescribeTable", TableName="followed")["Table"]["LatestStreamArn"]
            reader = StreamReader(wire, arn)
            identities = {}
            for number in range(8):
                self.follow(server, reader, seed * 100 + number)
                for shard in reader.shards():
                    self.assertEqual(identities.setdefault(shard["ShardId"], shard.get("ParentShardId")),
                                     shard.get("ParentShardId"))
                if number % 2:
                    server.kill()
                else:
                    self.assertEqual(0, server.stop())
                server.start()
                wire = harness.Wire(server.endpoint)
                # Half of the time it has only its checkpoint, otherwise its iterators too.
                iterators = reader.iterators if number % 4 < 2 else {}
                reader = StreamReader(wire, arn, reader.checkpoint, reader.items)
                reader.iterators = iterators
                reader.read_all()
                table = harness.every_page(wire.call, "Scan", TableName="followed")
                self.assertEqual({canonical_item(item) for item in table},
                                 {canonical_item(item) for item in reader.items.values()})
            self.assertGreater(len(identities), 8, "no shard ever rolled")
            # A reader that starts from the beginning must reach the same state.
            again = StreamReader(wire, arn)
            again.read_all(limit=100)
            self.assertEqual(reader.items, again.items)
            print(f"{again.count} records of {len(identities)} shards")

    def test_old_records_are_trimmed_with_the_right_error_and_their_shards_forgotten(self):
        with harness.Server("--memory-store", "--stream-retention-ms", RETENTION_MS, "--stream-shard-ms", 600) as server:
            short = ShortStream(server)
            record, shard, held, _ = short.put_and_hold("AT_SEQUENCE_NUMBER")
            first = {shard} | {one["ShardId"] for one in short.shards()}

            def is_refused():
                try:
                    self.assertEqual([record], short.get(held)[:1])
                except (short.trimmed, short.gone):         # gone: the whole shard was removed at once
                    return True
            harness.until(is_refused, "the trimming")
            harness.until(lambda: not first & {one["ShardId"] for one in short.shards()}, "the end of shards without records")
            self.refuses("ResourceNotFoundException", "Requested resource not found: Shard does not exist",
                         short.streams.get_shard_iterator, StreamArn=short.arn, ShardId=shard,
                         ShardIteratorType="TRIM_HORIZON")
            _, shard, _, _ = short.put_and_hold("TRIM_HORIZON")
            self.assertNotIn(shard, first)

    def test_an_iterator_before_the_oldest_record_is_refused(self):
        with harness.Server("--memory-store", "--stream-retention-ms", RETENTION_MS) as server:     # shards stay open
            short = ShortStream(server)
            record, shard, held, _ = short.put_and_hold("TRIM_HORIZON")

            def is_trimmed():
                try:
                    return not short.get(short.iterator(shard, "TRIM_HORIZON"))
                except short.trimmed:       # trimmed between the two calls
                    return True
            harness.until(is_trimmed, "the trimming")
            self.refuses("TrimmedDataAccessException", None, short.streams.get_records, ShardIterator=held)
            for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
                with self.subTest(kind):
                    self.refuses("TrimmedDataAccessException", None, short.streams.get_shard_iterator,
                                 StreamArn=short.arn, ShardId=shard, ShardIteratorType=kind,
                                 SequenceNumber=record["dynamodb"]["SequenceNumber"])
            _, again, _, records = short.put_and_hold("TRIM_HORIZON")
            self.assertEqual(shard, again)
            self.assertNotIn(record, records)

    def follow(self, server, reader, seed):
        """Reads for a while during writes; returns while the writers are still running."""
        stop = threading.Event()
        writers = [Writer(server.endpoint, "followed", stop, seed * 10 + n) for n in range(6)]
        for writer in writers:
            writer.start()
        until = time.monotonic() + 0.8
        while time.monotonic() < until:
            reader.poll(limit=random.Random(seed).choice([7, 1000]))
        if seed % 3 == 0:
            stop.set()
        else:
            threading.Timer(0.05, stop.set).start()
        self.addCleanup(self.settle, writers)

    def settle(self, writers):
        for writer in writers:
            writer.join()
            self.assertIsNone(writer.failure)


if __name__ == "__main__":
    harness.run_file()
