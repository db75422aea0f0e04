#!/usr/bin/python3
"""Permissions by identity policies, tested on the real program. Ways around dynamodb:LeadingKeys are tried one by
one: each must be refused with DynamoDB's message.
"""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import boto3
import harness
from access_users import ACCOUNT, KEYS, TABLE, AccessCase, not_allowed, policy, refusal
from harness import boto3_options


class Identities(AccessCase):

    def test_an_administrator_may_do_everything(self):
        self.allowed(self.ann.scan, TableName="shared")
        self.allowed(self.ann.list_tables)

    def test_what_nothing_allows_is_denied_whether_or_not_it_is_there(self):
        self.refused("GetItem", self.eve.get_item, user="eve", TableName="shared", Key=self.item("eve"))
        self.refused("GetItem", self.eve.get_item, "missing", user="eve", TableName="missing", Key=self.item("eve"))
        self.refused("DescribeTable", self.eve.describe_table, user="eve", TableName="shared")
        self.refused("ListTables", self.eve.list_tables, "*", user="eve")
        self.refused("GetItem", self.bob.get_item, "other", TableName="other", Key={"owner": {"S": "bob"}})

    def test_a_key_may_have_an_entry_and_a_name_of_its_own(self):
        carol = self.place.client("carol")
        self.allowed(carol.scan, TableName="shared")

    def test_a_table_is_the_same_by_name_and_by_any_arn(self):
        for name in (TABLE + "shared", f"arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/shared"):
            self.refused("GetItem", self.eve.get_item, user="eve", TableName=name, Key=self.item("eve"))
            self.allowed(self.bob.get_item, TableName=name, Key=self.item("bob"))
            self.refused("GetItem", self.bob.get_item, TableName=name, Key=self.item("eve"))

    def test_a_wrong_signature_is_still_a_wrong_signature(self):
        options = boto3_options(self.place.server.endpoint, access_key=KEYS["ann"], secret_key="secret-bob")
        impostor = boto3.session.Session().client("dynamodb", **options)
        self.assertEqual("InvalidSignatureException", refusal(impostor.list_tables)[0])

    def test_describe_endpoints_needs_leave_too(self):
        self.allowed(self.ann.describe_endpoints)
        self.assertEqual(not_allowed("eve", "DescribeEndpoints", "*"), refusal(self.eve.describe_endpoints))


class LeadingKeys(AccessCase):
    """Bob's policy allows every action on the table, but only for his own partition key."""

    MINE = {"S": "bob"}
    HERS = {"S": "eve"}

    def test_single_items(self):
        for key, check in ((self.item("bob"), self.allowed), (self.item("eve"), None)):
            for action, call, more in (
                    ("GetItem", self.bob.get_item, dict(Key=key)),
                    ("PutItem", self.bob.put_item, dict(Item=key)),
                    ("UpdateItem", self.bob.update_item,
                     dict(Key=key, UpdateExpression="SET v = :v", ExpressionAttributeValues={":v": {"S": "x"}})),
                    ("UpdateItem", self.bob.update_item,
                     dict(Key=key, AttributeUpdates={"v": {"Value": {"S": "y"}, "Action": "PUT"}})),
                    ("DeleteItem", self.bob.delete_item, dict(Key=key))):
                with self.subTest(action=action, key=key):
                    if check:
                        check(call, TableName="shared", **more)
                    else:
                        self.refused(action, call, TableName="shared", **more)

    def test_query_in_both_forms(self):
        for value, ok in ((self.MINE, True), (self.HERS, False)):
            for more in (dict(KeyConditionExpression="#o = :o", ExpressionAttributeNames={"#o": "owner"},
                              ExpressionAttributeValues={":o": value}),
                         dict(KeyConditionExpression="id > :i AND (#o = :o)", ExpressionAttributeNames={"#o": "owner"},
                              ExpressionAttributeValues={":o": value, ":i": {"S": "0"}}),
                         dict(KeyConditions={"owner": {"ComparisonOperator": "EQ", "AttributeValueList": [value]}})):
                with self.subTest(value=value, more=more):
                    if ok:
                        self.allowed(self.bob.query, TableName="shared", **more)
                    else:
                        self.refused("Query", self.bob.query, TableName="shared", **more)

    def test_a_key_condition_that_is_wrong_lets_nobody_in(self):
        values = {":b": self.MINE, ":e": self.HERS}
        for text in ("#o = :b AND #o = :e", "#o = :b OR #o = :e", "#o >= :b AND #o <= :e", "#o IN (:b, :e)"):
            with self.subTest(text=text):
                self.assertIsNotNone(refusal(self.bob.query, TableName="shared", KeyConditionExpression=text,
                                             ExpressionAttributeNames={"#o": "owner"},
                                             ExpressionAttributeValues=values))

    def test_an_index_is_led_by_its_own_key(self):
        def query(value):
            return dict(TableName="shared", IndexName="by-tag", KeyConditionExpression="tag = :t",
                        ExpressionAttributeValues={":t": value})
        self.allowed(self.bob.query, **query(self.MINE))
        self.refused("Query", self.bob.query, "shared/index/by-tag", **query(self.HERS))
        self.refused("Query", self.bob.query, "shared/index/by-tag", TableName="shared", IndexName="by-tag",
                     KeyConditionExpression="#o = :o", ExpressionAttributeNames={"#o": "owner"},
                     ExpressionAttributeValues={":o": self.MINE})

    def test_a_page_cannot_begin_elsewhere(self):
        answer = refusal(self.bob.query, TableName="shared", KeyConditionExpression="#o = :o",
                         ExpressionAttributeNames={"#o": "owner"}, ExpressionAttributeValues={":o": self.MINE},
                         ExclusiveStartKey=self.item("eve"))
        self.assertEqual("ValidationException", answer[0])

    def test_scans(self):
        self.refused("Scan", self.bob.scan, TableName="shared")
        self.refused("Scan", self.bob.scan, TableName="shared", FilterExpression="#o = :o",
                     ExpressionAttributeNames={"#o": "owner"}, ExpressionAttributeValues={":o": self.MINE})
        self.refused("Scan", self.bob.scan, TableName="shared",
                     ScanFilter={"owner": {"ComparisonOperator": "EQ", "AttributeValueList": [self.MINE]}})
        self.refused("Scan", self.bob.scan, "shared/index/by-tag", TableName="shared", IndexName="by-tag")
        self.refused("Scan", self.bob.scan, TableName="shared", Segment=0, TotalSegments=4)

    def test_batches(self):
        both = [self.item("bob"), self.item("eve")]
        self.allowed(self.bob.batch_get_item,
                     RequestItems={"shared": {"Keys": [self.item("bob"), self.item("bob", "2")]}})
        self.refused("BatchGetItem", self.bob.batch_get_item, RequestItems={"shared": {"Keys": both}})
        self.allowed(self.bob.batch_write_item,
                     RequestItems={"shared": [{"PutRequest": {"Item": self.item("bob", "3")}}]})
        self.refused("BatchWriteItem", self.bob.batch_write_item, RequestItems={
            "shared": [{"PutRequest": {"Item": self.item("bob", "3")}}, {"DeleteRequest": {"Key": self.item("eve")}}]})
        self.refused("BatchGetItem", self.bob.batch_get_item, "other", RequestItems={
            "shared": {"Keys": [self.item("bob")]}, "other": {"Keys": [{"owner": {"S": "bob"}}]}})

    def test_transactions(self):
        mine, hers = ({"TableName": "shared", "Key": self.item(owner)} for owner in ("bob", "eve"))
        check = dict(ConditionExpression="attribute_exists(id) OR attribute_not_exists(id)")
        self.allowed(self.bob.transact_get_items, TransactItems=[{"Get": mine}])
        self.refused("GetItem", self.bob.transact_get_items, TransactItems=[{"Get": mine}, {"Get": hers}])
        self.allowed(self.bob.transact_write_items, TransactItems=[{"ConditionCheck": mine | check}])
        for action, item in (("ConditionCheckItem", {"ConditionCheck": hers | check}), ("DeleteItem", {"Delete": hers}),
                             ("PutItem", {"Put": {"TableName": "shared", "Item": self.item("eve")}}),
                             ("UpdateItem", {"Update": hers | dict(
                                 UpdateExpression="SET v = :v", ExpressionAttributeValues={":v": {"S": "x"}})})):
            with self.subTest(action=action):
                self.refused(action, self.bob.transact_write_items, TransactItems=[
                    {"Put": {"TableName": "shared", "Item": self.item("bob", "9")}}, item])
        self.assertNotIn("Item", self.ann.get_item(TableName="shared", Key=self.item("bob", "9")), "nothing was done")

    def test_partiql(self):
        run = self.bob.execute_statement
        self.allowed(run, Statement="SELECT * FROM shared WHERE \"owner\" = 'bob'")
        self.allowed(run, Statement="SELECT * FROM shared WHERE \"owner\" = ? AND id > '0'", Parameters=[self.MINE])
        self.allowed(run, Statement="SELECT * FROM \"shared\".\"by-tag\" WHERE tag = 'bob'")
        for where in ("", "WHERE \"owner\" = 'eve'", "WHERE \"owner\" IN ['bob', 'eve']", "WHERE id = '1'",
                      "WHERE \"owner\" = 'bob' OR \"owner\" = 'eve'", "WHERE \"owner\" = 'bob' OR id = '1'",
                      "WHERE NOT \"owner\" = 'bob'", "WHERE \"owner\" = 'bob' AND \"owner\" = 'eve'",
                      "WHERE \"owner\" > 'bob'", "WHERE begins_with(\"owner\", 'b')", "WHERE \"owner\" <> 'x'",
                      "WHERE 'eve' = \"owner\""):
            with self.subTest(where=where):
                self.refused("PartiQLSelect", run, Statement=f"SELECT * FROM shared {where}")
        self.refused("PartiQLSelect", run, Statement="SELECT * FROM shared WHERE \"owner\" = ?", Parameters=[self.HERS])
        self.refused("PartiQLSelect", run, Statement=f"SELECT * FROM \"{TABLE}shared\" WHERE id = '1'")
        self.refused("PartiQLSelect", run, "shared/index/by-tag",
                     Statement="SELECT * FROM \"shared\".\"by-tag\" WHERE tag = 'eve'")
        self.refused("PartiQLSelect", run, "shared/index/by-tag",
                     Statement="SELECT * FROM \"shared\".\"by-tag\" WHERE \"owner\" = 'bob'")

    def test_partiql_writes(self):
        run = self.bob.execute_statement
        self.allowed(run, Statement="INSERT INTO shared VALUE {'owner': 'bob', 'id': 'p'}")
        self.allowed(run, Statement="UPDATE shared SET v = 1 WHERE \"owner\" = 'bob' AND id = 'p'")
        self.allowed(run, Statement="DELETE FROM shared WHERE \"owner\" = 'bob' AND id = 'p'")
        self.refused("PartiQLInsert", run, Statement="INSERT INTO shared VALUE {'owner': 'eve', 'id': 'p'}")
        self.refused("PartiQLInsert", run, Statement="INSERT INTO shared VALUE {'owner': ?, 'id': 'p'}",
                     Parameters=[self.HERS])
        self.refused("PartiQLUpdate", run, Statement="UPDATE shared SET v = 1 WHERE \"owner\" = 'eve' AND id = '1'")
        self.refused("PartiQLDelete", run, Statement="DELETE FROM shared WHERE \"owner\" = 'eve' AND id = '1'")
        self.assertIsNotNone(refusal(
            run, Statement="DELETE FROM shared WHERE \"owner\" = 'bob' AND \"owner\" = 'eve' AND id = '1'"))

    def test_partiql_transactions(self):
        run = self.bob.execute_transaction
        select = "SELECT * FROM shared WHERE \"owner\" = '{}' AND id = '1'"
        self.allowed(run, TransactStatements=[{"Statement": select.format("bob")}])
        self.refused("PartiQLSelect", run, TransactStatements=[{"Statement": select.format("bob")},
                                                               {"Statement": select.format("eve")}])
        self.refused("PartiQLSelect", run, TransactStatements=[
            {"Statement": "INSERT INTO shared VALUE {'owner': 'bob', 'id': 'q'}"},
            {"Statement": f"EXISTS({select.format('eve')})"}])

    def test_partiql_batches_are_answered_one_by_one(self):
        select = "SELECT * FROM shared WHERE \"owner\" = '{}' AND id = '2'"
        answers = self.bob.batch_execute_statement(Statements=[
            {"Statement": select.format("eve")}, {"Statement": select.format("bob")},
            {"Statement": "INSERT INTO shared VALUE {'owner': 'eve', 'id': 'r'}"},
            {"Statement": "nonsense"}])["Responses"]
        self.assertEqual(["AccessDenied", None, "AccessDenied", "ValidationError"],
                         [answer.get("Error", {}).get("Code") for answer in answers])
        self.assertEqual(not_allowed("bob", "PartiQLSelect", TABLE + "shared")[1], answers[0]["Error"]["Message"])
        self.assertEqual(self.MINE, answers[1]["Item"]["owner"])
        self.assertNotIn("Item", self.ann.get_item(TableName="shared", Key=self.item("eve", "r")))

    def test_streams(self):
        streams = self.place.client("bob", "dynamodbstreams")
        shard = streams.describe_stream(StreamArn=self.stream)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = streams.get_shard_iterator(StreamArn=self.stream, ShardId=shard,
                                              ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        self.refused("GetRecords", streams.get_records, self.stream.removeprefix(TABLE), ShardIterator=iterator)
        eves = self.place.client("eve", "dynamodbstreams")
        self.refused("DescribeStream", eves.describe_stream, self.stream.removeprefix(TABLE), user="eve",
                     StreamArn=self.stream)
        self.allowed(self.place.client("ann", "dynamodbstreams").get_records, ShardIterator=iterator)

    def test_copies_of_the_whole_table(self):
        self.refused("CreateBackup", self.bob.create_backup, TableName="shared", BackupName="all")
        self.ann.update_continuous_backups(TableName="shared", PointInTimeRecoverySpecification={
            "PointInTimeRecoveryEnabled": True})
        backup = self.ann.create_backup(TableName="shared", BackupName="all")["BackupDetails"]["BackupArn"]
        self.refused("RestoreTableFromBackup", self.bob.restore_table_from_backup, backup.removeprefix(TABLE),
                     TargetTableName="copy", BackupArn=backup)
        self.refused("RestoreTableToPointInTime", self.bob.restore_table_to_point_in_time, SourceTableName="shared",
                     TargetTableName="copy", UseLatestRestorableTime=True)
        self.refused("ExportTableToPointInTime", self.bob.export_table_to_point_in_time, TableArn=TABLE + "shared",
                     S3Bucket="bucket")
        self.refused("DeleteTable", self.bob.delete_table, TableName="shared")
        self.allowed(self.bob.describe_table, TableName="shared")

    def test_searches_and_bulk_puts(self):
        self.refused("SearchVectors", self.bob.search_vectors, "shared/index/near", TableName="shared",
                     IndexName="near", SearchVector=[{"N": "1"}], TopK=1)
        self.refused("StartBulkPutItems", self.bob.start_bulk_put_items, TableName="shared",
                     InputS3Configuration={"S3Bucket": "bucket", "InputFormat": "DYNAMODB_JSON"},
                     OutputS3Configuration={"S3Bucket": "bucket", "OutputType": ["ERROR"]})

    def test_bob_cannot_give_himself_more(self):
        grant = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/bob"}, "Action": "dynamodb:*",
                 "Resource": "*"}
        for table in ("shared", "other"):
            self.refused("PutResourcePolicy", self.bob.put_resource_policy, table, ResourceArn=TABLE + table,
                         Policy=json.dumps(policy(grant)))
        self.refused("DeleteResourcePolicy", self.bob.delete_resource_policy, ResourceArn=TABLE + "shared")
        self.refused("UpdateTimeToLive", self.bob.update_time_to_live, TableName="shared",
                     TimeToLiveSpecification={"AttributeName": "id", "Enabled": True})


if __name__ == "__main__":
    harness.run_file()
