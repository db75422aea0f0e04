#!/usr/bin/python3
"""Tables by boto3: create, describe, list, update, delete, with boto3's waiters and paginators."""

import re
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, index, key_schema, schema, unique

NOWHERE = "no-such-table"


class CreateTable(Case):

    def test_reply_describes_the_table(self):
        name = unique("created")
        self.tables_.append(name)
        reply = self.client.create_table(TableName=name, **schema("pk:S sk:N", billing="PROVISIONED"))
        table = reply["TableDescription"]
        self.assertIn(table["TableStatus"], ("CREATING", "ACTIVE"))
        self.assertEqual(name, table["TableName"])
        self.assertEqual(key_schema("pk sk"), table["KeySchema"])
        self.assertEqual({"pk": "S", "sk": "N"},
                         {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]})
        self.assertEqual((5, 5, 0), tuple(table["ProvisionedThroughput"][name] for name in (
            "ReadCapacityUnits", "WriteCapacityUnits", "NumberOfDecreasesToday")))
        self.assertEqual((0, 0), (table["ItemCount"], table["TableSizeBytes"]))
        self.assertRegex(table["TableArn"], rf"^arn:aws:dynamodb:{harness.REGION}:\d{{12}}:table/{name}$")
        self.assertRegex(table["TableId"], r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.wait_exists(name)
        described = self.client.describe_table(TableName=name)["Table"]
        self.assertEqual(table["CreationDateTime"], described["CreationDateTime"])
        self.assertEqual("ACTIVE", described["TableStatus"])

    def test_on_demand_table_says_so(self):
        table = self.client.describe_table(TableName=self.table("on-demand"))["Table"]
        self.assertEqual("PAY_PER_REQUEST", table["BillingModeSummary"]["BillingMode"])
        self.assertEqual((0, 0), (table["ProvisionedThroughput"]["ReadCapacityUnits"],
                                  table["ProvisionedThroughput"]["WriteCapacityUnits"]))

    def test_indexes_are_described(self):
        name = self.table("indexed", "pk:S sk:S", "a:S b:N",
                          LocalSecondaryIndexes=[index("local", "pk a", "KEYS_ONLY")],
                          GlobalSecondaryIndexes=[index("global", "b a", include=["x", "y"])])
        table = self.client.describe_table(TableName=name)["Table"]
        local, = table["LocalSecondaryIndexes"]
        self.assertEqual(("local", key_schema("pk a"), {"ProjectionType": "KEYS_ONLY"}),
                         (local["IndexName"], local["KeySchema"], local["Projection"]))
        self.assertEqual(table["TableArn"] + "/index/local", local["IndexArn"])
        self.assertEqual((0, 0), (local["ItemCount"], local["IndexSizeBytes"]))
        found, = table["GlobalSecondaryIndexes"]
        self.assertEqual(("global", key_schema("b a"), "ACTIVE"),
                         (found["IndexName"], found["KeySchema"], found["IndexStatus"]))
        self.assertEqual("INCLUDE", found["Projection"]["ProjectionType"])
        self.assertEqual(["x", "y"], sorted(found["Projection"]["NonKeyAttributes"]))

    def test_table_class_and_stream(self):
        name = self.table("class", TableClass="STANDARD_INFREQUENT_ACCESS",
                          StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        table = self.client.describe_table(TableName=name)["Table"]
        self.assertEqual("STANDARD_INFREQUENT_ACCESS", table["TableClassSummary"]["TableClass"])
        self.assertEqual({"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}, table["StreamSpecification"])

    def test_existing_name_is_refused(self):
        name = self.table("twice")
        self.refuses("ResourceInUseException", f"Table already exists: {name}",
                     self.client.create_table, TableName=name, **schema("pk:S"))

    def test_refusals(self):
        good = schema("pk:S sk:S")
        invalid = "One or more parameter values were invalid: "
        cases = [
            ("1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have "
             "length greater than or equal to 3", {"TableName": "ab"}),
            ("1 validation error detected: Value 'a b c' at 'tableName' failed to satisfy constraint: Member must "
             "satisfy regular expression pattern: [a-zA-Z0-9_.-]+", {"TableName": "a b c"}),
            (re.compile("Number of attributes in KeySchema does not exactly match number of attributes defined in "
                        "AttributeDefinitions"), {"KeySchema": key_schema("pk")}),
            (re.compile("Some index key attributes are not defined in AttributeDefinitions|"
                        "Some index key attribute have no definition"), {"KeySchema": key_schema("pk zz")}),
            ("1 validation error detected: Value 'XX' at 'attributeDefinitions.1.member.attributeType' failed to "
             "satisfy constraint: Member must satisfy enum value set: [B, N, S]",
             {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "XX"}], "KeySchema": key_schema("pk")}),
            (invalid + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
             "PAY_PER_REQUEST", {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}),
            (invalid + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
             "PROVISIONED", {"BillingMode": "PROVISIONED"}),
            (invalid + "Duplicate index name: same",
             {"AttributeDefinitions": schema("pk:S sk:S", "a:S")["AttributeDefinitions"],
              "GlobalSecondaryIndexes": [index("same", "a"), index("same", "a sk")]}),
        ]
        for message, change in cases:
            with self.subTest(change=change):
                self.refuses("ValidationException", message, self.raw.create_table,
                             **{"TableName": unique("refused"), **good, **change})

    def test_what_is_about_copies_elsewhere_is_refused_not_ignored(self):
        for member, value in (("GlobalTableSourceArn", f"arn:aws:dynamodb:{harness.REGION}:123456789012:table/source"),
                              ("GlobalTableSettingsReplicationMode", "ENABLED")):
            name = unique("copied")
            self.refuses("ValidationException", "One or more parameter values were invalid: "
                         f"{member} is not supported: a table is kept in one place",
                         self.wire.call, "CreateTable", TableName=name, **schema("pk:S"), **{member: value})
            self.refuses("ResourceNotFoundException", None, self.client.describe_table, TableName=name)

    def test_encryption_is_described_as_it_was_asked_for(self):
        described = lambda name: self.client.describe_table(TableName=name)["Table"].get("SSEDescription")
        self.assertIsNone(described(self.table("plain")))
        self.assertIsNone(described(self.table("owned", SSESpecification={"Enabled": False})))
        managed = described(self.table("managed", SSESpecification={"Enabled": True}))
        self.assertEqual(("ENABLED", "KMS"), (managed["Status"], managed["SSEType"]))
        self.assertRegex(managed["KMSMasterKeyArn"], rf"^arn:aws:kms:{harness.REGION}:\d{{12}}:")
        arn = f"arn:aws:kms:{harness.REGION}:000000000000:key/8a5b1f6e-0000-4000-8000-000000000001"
        ours = self.table("ours", SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": arn})
        self.assertEqual({"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": arn}, described(ours))
        self.refuses("ValidationException",
                     "One or more parameter values were invalid: KMSMasterKeyId can not be specified if Enabled is false",
                     self.client.create_table, TableName=unique("odd"), **schema("pk:S"),
                     SSESpecification={"Enabled": False, "KMSMasterKeyId": arn})

    def test_every_other_setting_is_described_back(self):
        name = unique("settings")
        self.tables_.append(name)
        self.wire.call("CreateTable", TableName=name, **schema("pk:S"), DeletionProtectionEnabled=False,
                       OnDemandThroughput={"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 200},
                       TableClass="STANDARD_INFREQUENT_ACCESS")
        table = self.wire.call("DescribeTable", TableName=name)["Table"]
        self.assertEqual({"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 200}, table["OnDemandThroughput"])
        self.assertEqual("STANDARD_INFREQUENT_ACCESS", table["TableClassSummary"]["TableClass"])
        self.assertFalse(table["DeletionProtectionEnabled"])
        warm = unique("warm")
        self.tables_.append(warm)
        self.wire.call("CreateTable", TableName=warm, **schema("pk:S"),
                       WarmThroughput={"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000})
        self.assertEqual({"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000, "Status": "ACTIVE"},
                         self.wire.call("DescribeTable", TableName=warm)["Table"]["WarmThroughput"])

    def test_local_index_needs_a_range_key(self):
        self.refuses("ValidationException", "One or more parameter values were invalid: Table KeySchema does not have "
                     "a range key, which is required when specifying a LocalSecondaryIndex", self.client.create_table,
                     TableName=unique("refused"), **schema("pk:S", "a:S"),
                     LocalSecondaryIndexes=[index("local", "pk a")])


class DescribeTable(Case):

    def test_missing_table(self):
        self.refuses("ResourceNotFoundException", f"Requested resource not found: Table: {NOWHERE} not found",
                     self.client.describe_table, TableName=NOWHERE)
        with self.assertRaises(self.client.exceptions.ResourceNotFoundException):
            self.client.describe_table(TableName=NOWHERE)

    def test_item_count_and_size(self):
        name = self.table("counted", "pk:S", "g:S", GlobalSecondaryIndexes=[index("by-g", "g", "KEYS_ONLY")])
        for n in range(10):
            item = {"pk": {"S": f"key-{n}"}, "text": {"S": "x" * 100}}
            if n < 4:
                item["g"] = {"S": "g"}
            self.client.put_item(TableName=name, Item=item)
        self.client.put_item(TableName=name, Item={"pk": {"S": "key-0"}, "text": {"S": "x" * 100}, "g": {"S": "g"}})
        self.client.delete_item(TableName=name, Key={"pk": {"S": "key-9"}})
        self.client.delete_item(TableName=name, Key={"pk": {"S": "never-was"}})
        table = self.client.describe_table(TableName=name)["Table"]
        self.assertEqual(9, table["ItemCount"])
        # An item's size is the bytes of its names and values: "pk" "key-n" "text" "xxx..." and, in four of them, "g"
        # "g".
        self.assertEqual(9 * (2 + 5 + 4 + 100) + 4 * 2, table["TableSizeBytes"])
        self.assertEqual(4, table["GlobalSecondaryIndexes"][0]["ItemCount"])

    def test_by_arn(self):
        name = self.table("by-arn")
        arn = self.client.describe_table(TableName=name)["Table"]["TableArn"]
        self.assertEqual(name, self.client.describe_table(TableName=arn)["Table"]["TableName"])
        self.client.put_item(TableName=arn, Item={"pk": {"S": "a"}})
        self.assertEqual({"pk": {"S": "a"}}, self.client.get_item(TableName=name, Key={"pk": {"S": "a"}})["Item"])


class ListTables(Case):

    def test_paginator_finds_every_table_once_in_order(self):
        mine = sorted(self.table("listed") for _ in range(7))
        pages = list(self.client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 3}))
        self.assertTrue(all(len(page["TableNames"]) <= 3 for page in pages))
        names = [name for page in pages for name in page["TableNames"]]
        self.assertEqual(sorted(names), names)
        self.assertEqual(mine, [name for name in names if name in mine])

    def test_start_after_a_name_that_is_none(self):
        mine = sorted(self.table("listed") for _ in range(3))
        page = self.client.list_tables(ExclusiveStartTableName=mine[0] + "-", Limit=1)
        self.assertEqual([mine[1]], page["TableNames"])
        self.assertEqual(mine[1], page["LastEvaluatedTableName"])

    def test_limits_are_checked(self):
        self.refuses("ValidationException", re.compile("Member must have value less than or equal to 100"),
                     self.raw.list_tables, Limit=101)
        self.refuses("ValidationException", re.compile("Member must have value greater than or equal to 1"),
                     self.raw.list_tables, Limit=0)


class UpdateTable(Case):

    def test_throughput(self):
        name = self.table("throughput", BillingMode="PROVISIONED")
        self.client.update_table(TableName=name,
                                 ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 9})
        self.wait_exists(name)
        found = self.client.describe_table(TableName=name)["Table"]["ProvisionedThroughput"]
        self.assertEqual((7, 9), (found["ReadCapacityUnits"], found["WriteCapacityUnits"]))

    def test_same_throughput_is_refused(self):
        name = self.table("throughput", BillingMode="PROVISIONED")
        self.refuses("ValidationException",
                     "The provisioned throughput for the table will not change. The requested value equals the current "
                     "value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. "
                     "Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer "
                     "to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
                     self.client.update_table, TableName=name,
                     ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5})

    def test_billing_mode_both_ways(self):
        name = self.table("billing", BillingMode="PROVISIONED")
        self.client.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
        self.wait_exists(name)
        table = self.client.describe_table(TableName=name)["Table"]
        self.assertEqual("PAY_PER_REQUEST", table["BillingModeSummary"]["BillingMode"])
        self.client.update_table(TableName=name, BillingMode="PROVISIONED",
                                 ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4})
        self.wait_exists(name)
        found = self.client.describe_table(TableName=name)["Table"]["ProvisionedThroughput"]
        self.assertEqual((3, 4), (found["ReadCapacityUnits"], found["WriteCapacityUnits"]))

    def test_table_class_and_stream(self):
        name = self.table("class")
        self.client.update_table(TableName=name, TableClass="STANDARD_INFREQUENT_ACCESS")
        self.wait_exists(name)
        self.client.update_table(TableName=name, StreamSpecification={"StreamEnabled": True,
                                                                      "StreamViewType": "KEYS_ONLY"})
        self.wait_exists(name)
        table = self.client.describe_table(TableName=name)["Table"]
        self.assertEqual("STANDARD_INFREQUENT_ACCESS", table["TableClassSummary"]["TableClass"])
        self.assertEqual({"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}, table["StreamSpecification"])
        self.client.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
        self.wait_exists(name)
        self.assertNotIn("StreamSpecification", self.client.describe_table(TableName=name)["Table"])

    def test_missing_table(self):
        self.refuses("ResourceNotFoundException", f"Requested resource not found: Table: {NOWHERE} not found",
                     self.client.update_table, TableName=NOWHERE, BillingMode="PAY_PER_REQUEST")

    def test_what_is_about_copies_elsewhere_is_refused_not_ignored(self):
        name = self.table("kept-here")
        for member, value in (("MultiRegionConsistency", "STRONG"), ("GlobalTableSettingsReplicationMode", "ENABLED"),
                              ("GlobalTableWitnessUpdates", [{"Create": {"RegionName": "eu-west-1"}}]),
                              ("DisassociationProtectionEnabled", True),
                              ("ReplicaUpdates", [{"Create": {"RegionName": "eu-west-1"}}])):
            self.refuses("ValidationException", "One or more parameter values were invalid: "
                         f"{member} is not supported: a table is kept in one place",
                         self.wire.call, "UpdateTable", TableName=name, **{member: value})

    def test_nothing_to_do_is_refused(self):
        self.refuses("ValidationException", re.compile("At least one of ProvisionedThroughput, BillingMode, "),
                     self.client.update_table, TableName=self.table("nothing"))


class DeleteTable(Case):

    def test_deleted_table_is_gone(self):
        name = self.table("deleted")
        self.client.put_item(TableName=name, Item={"pk": {"S": "a"}})
        table = self.client.delete_table(TableName=name)["TableDescription"]
        self.assertEqual((name, "DELETING"), (table["TableName"], table["TableStatus"]))
        self.wait_gone(name)
        self.assertNotIn(name, self.client.list_tables()["TableNames"])
        self.refuses("ResourceNotFoundException", "Requested resource not found",
                     self.client.get_item, TableName=name, Key={"pk": {"S": "a"}})

    def test_new_table_of_the_same_name_is_empty(self):
        name = self.table("again")
        self.client.put_item(TableName=name, Item={"pk": {"S": "a"}})
        self.client.delete_table(TableName=name)
        self.wait_gone(name)
        self.client.create_table(TableName=name, **schema("pk:S"))
        self.wait_exists(name)
        self.assertEqual(0, self.client.scan(TableName=name)["Count"])

    def test_missing_table(self):
        self.refuses("ResourceNotFoundException", f"Requested resource not found: Table: {NOWHERE} not found",
                     self.client.delete_table, TableName=NOWHERE)

    def test_deletion_protection(self):
        """This boto3 is older than the parameter, so the request is sent by hand."""
        name = unique("protected")
        self.tables_.append(name)
        harness.create_table(self.wire, name, **schema("pk:S"), DeletionProtectionEnabled=True)
        table = self.wire.call("DescribeTable", TableName=name)["Table"]
        self.assertTrue(table["DeletionProtectionEnabled"])
        self.refuses("ValidationException", "Resource cannot be deleted as it is currently protected against deletion. "
                     "Disable deletion protection first.", self.client.delete_table, TableName=name)
        self.wire.call("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
        harness.wait_active(self.wire, name)
        self.assertFalse(self.wire.call("DescribeTable", TableName=name)["Table"]["DeletionProtectionEnabled"])
        self.client.delete_table(TableName=name)
        self.wait_gone(name)


class Tags(Case):

    def tags(self, arn):
        found = self.client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
        return {tag["Key"]: tag["Value"] for page in found for tag in page["Tags"]}

    def test_tag_untag_list(self):
        name = self.table("tagged", Tags=[{"Key": "owner", "Value": "ann"}])
        arn = self.client.describe_table(TableName=name)["Table"]["TableArn"]
        self.assertEqual({"owner": "ann"}, self.tags(arn))
        self.client.tag_resource(ResourceArn=arn, Tags=[{"Key": "owner", "Value": "bob"}, {"Key": "env", "Value": ""}])
        self.assertEqual({"owner": "bob", "env": ""}, self.tags(arn))
        self.client.untag_resource(ResourceArn=arn, TagKeys=["env", "never-there"])
        self.assertEqual({"owner": "bob"}, self.tags(arn))

    def test_many_tags_are_paged(self):
        arn = self.client.describe_table(TableName=self.table("tagged"))["Table"]["TableArn"]
        wanted = {f"key-{n}": str(n) for n in range(45)}
        self.client.tag_resource(ResourceArn=arn, Tags=[{"Key": k, "Value": v} for k, v in wanted.items()])
        self.assertEqual(wanted, self.tags(arn))

    def test_refusals(self):
        arn = self.client.describe_table(TableName=self.table("tagged"))["Table"]["TableArn"]
        self.refuses("ValidationException", None, self.client.tag_resource, ResourceArn="nonsense",
                     Tags=[{"Key": "a", "Value": "b"}])
        self.refuses("ValidationException", re.compile("Member must have length greater than or equal to 1|"
                                                       "Atleast one Tag Key|cannot be empty"),
                     self.raw.untag_resource, ResourceArn=arn, TagKeys=[])
        with self.assertRaises(Exception) as refused:
            self.client.tag_resource(ResourceArn=arn + "-that-is-none", Tags=[{"Key": "a", "Value": "b"}])
        self.assertIn(refused.exception.response["Error"]["Code"], ("ResourceNotFoundException",
                                                                     "AccessDeniedException"))


class TimeToLive(Case):

    def test_enable_and_disable(self):
        name = self.table("ttl")
        self.assertEqual({"TimeToLiveStatus": "DISABLED"},
                         self.client.describe_time_to_live(TableName=name)["TimeToLiveDescription"])
        setting = {"Enabled": True, "AttributeName": "expires"}
        reply = self.client.update_time_to_live(TableName=name, TimeToLiveSpecification=setting)
        self.assertEqual(setting, reply["TimeToLiveSpecification"])
        found = self.client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        self.assertIn(found["TimeToLiveStatus"], ("ENABLING", "ENABLED"))
        self.assertEqual("expires", found["AttributeName"])

    def test_refusals(self):
        name = self.table("ttl")
        self.refuses("ValidationException", "TimeToLive is already disabled", self.client.update_time_to_live,
                     TableName=name, TimeToLiveSpecification={"Enabled": False, "AttributeName": "expires"})
        self.client.update_time_to_live(TableName=name,
                                        TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
        self.refuses("ValidationException", re.compile("TimeToLive is already enabled|Time to live has been modified"),
                     self.client.update_time_to_live, TableName=name,
                     TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
        for call in (self.client.describe_time_to_live, lambda TableName: self.client.update_time_to_live(
                TableName=TableName, TimeToLiveSpecification={"Enabled": True, "AttributeName": "a"})):
            self.refuses("ResourceNotFoundException", f"Requested resource not found: Table: {NOWHERE} not found", call,
                         TableName=NOWHERE)


class Account(Case):

    def test_limits(self):
        limits = self.client.describe_limits()
        for name in ("AccountMaxReadCapacityUnits", "AccountMaxWriteCapacityUnits", "TableMaxReadCapacityUnits",
                     "TableMaxWriteCapacityUnits"):
            self.assertGreaterEqual(limits[name], 40000)

    def test_endpoints(self):
        found, = self.client.describe_endpoints()["Endpoints"]
        self.assertTrue(found["Address"])
        self.assertGreater(found["CachePeriodInMinutes"], 0)


if __name__ == "__main__":
    harness.run_file()
