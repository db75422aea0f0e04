"""A stream consumer like that of an application: polls every shard, parents before their children, and keeps a
checkpoint, the last sequence number of each shard. The checkpoint is enough to continue after any restart.

    reader = StreamReader(wire, arn)
    reader.read_all()                  until everything that existed at the beginning has been read
    reader = StreamReader(wire, arn, reader.checkpoint)

Each record is replayed onto reader.items: its OldImage must be exactly the item that the previous records produced,
so a missing, duplicate or misordered record is found at once. Needs a stream of NEW_AND_OLD_IMAGES.
"""

from dynamo_model import canonical_item

END = "END"         # the checkpoint of a completely read shard


class BrokenStream(Exception):
    pass


class StreamReader:

    def __init__(self, wire, arn, checkpoint=None, items=None):
        self.wire, self.arn = wire, arn
        self.checkpoint = {} if checkpoint is None else checkpoint
        self.items = {} if items is None else items      # by key, according to the records
        self.iterators = {}
        self.count = 0

    def shards(self):
        found, start = [], {}
        while True:
            page = self.wire.call("DescribeStream", StreamArn=self.arn, Limit=3, **start)["StreamDescription"]
            found += page["Shards"]
            if "LastEvaluatedShardId" not in page:
                return found
            start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def poll(self, limit=1000):
        """Reads one page of every shard that may be read now; returns the number of records."""
        before = self.count
        shards = self.shards()
        known = {shard["ShardId"] for shard in shards}
        for shard in shards:
            name, parent = shard["ShardId"], shard.get("ParentShardId")
            if self.checkpoint.get(name) == END or parent in known and self.checkpoint.get(parent) != END:
                continue
            page = self.wire.call("GetRecords", ShardIterator=self.iterator(name), Limit=limit)
            for record in page["Records"]:
                self.replay(record)
            if page["Records"]:
                self.checkpoint[name] = page["Records"][-1]["dynamodb"]["SequenceNumber"]
            if "NextShardIterator" in page:
                self.iterators[name] = page["NextShardIterator"]
            else:
                self.checkpoint[name] = END
        return self.count - before

    def iterator(self, shard):
        if shard not in self.iterators:
            last = self.checkpoint.get(shard)
            place = ({"ShardIteratorType": "TRIM_HORIZON"} if last is None else
                     {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last})
            reply = self.wire.call("GetShardIterator", StreamArn=self.arn, ShardId=shard, **place)
            self.iterators[shard] = reply["ShardIterator"]
        return self.iterators[shard]

    def read_all(self, limit=1000):
        """Polls until every shard was found empty or ended, twice: children appear after their parents."""
        idle = 0
        while idle < 3:
            idle = 0 if self.poll(limit) else idle + 1

    def replay(self, record):
        self.count += 1
        change = record["dynamodb"]
        key = canonical_item(change["Keys"])
        old, new = change.get("OldImage"), change.get("NewImage")
        expected = {(False, True): "INSERT", (True, True): "MODIFY", (True, False): "REMOVE"}[old is not None,
                                                                                          new is not None]
        if record["eventName"] != expected:
            raise BrokenStream(f"{record['eventName']} with images of {expected}: {record}")
        if same_form(old) != same_form(self.items.get(key)):
            raise BrokenStream(f"a record is missing or comes twice before {record}\nknown: {self.items.get(key)}")
        if same_form(old) == same_form(new):
            raise BrokenStream(f"a record of a write that changed nothing: {record}")
        if new is None:
            del self.items[key]
        else:
            self.items[key] = new


def same_form(item):
    return None if item is None else canonical_item(item)
