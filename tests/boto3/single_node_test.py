#!/usr/bin/python3
"""Features that a single node lacks: global tables, Kinesis destinations, auto scaling of replicas. It replies as
DynamoDB does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, DynamoError

STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/orders"
VALIDATION, NOT_FOUND = "ValidationException", "ResourceNotFoundException"
NO_SUCH_TABLE = "Requested resource not found: Table: no-such-table not found"
TABLE_NAME_REQUIRED = "The parameter 'TableName' is required but was not present in the request"
LEGACY = ("One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We "
          "recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).")


def violation(member, value, constraint):
    return f"Value {value} at '{member}' failed to satisfy constraint: {constraint}"


class SingleNodeTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = harness.unique("regional")
        cls.client.create_table(TableName=cls.name, **harness.schema("pk:S"))
        cls.tables_.append(cls.name)

    def refused(self, code, message, operation, **members):
        with self.assertRaises(DynamoError) as refusal:
            self.wire.call(operation, **members)
        error = refusal.exception
        self.assertEqual((400, code, message), (error.status, error.code, error.message))

    def violates(self, *violations, operation, **members):
        count = "1 validation error" if len(violations) == 1 else f"{len(violations)} validation errors"
        self.refused(VALIDATION, f"{count} detected: {'; '.join(violations)}", operation, **members)

    # ---- Global tables.

    def test_there_are_no_global_tables(self):
        self.assertEqual([], self.client.list_global_tables(RegionName="eu-west-1", Limit=5)["GlobalTables"])
        self.assertEqual({"GlobalTables": []}, self.wire.call("ListGlobalTables"))
        missing = f"Global table with name: '{self.name}' does not exist."
        for operation in ("DescribeGlobalTable", "DescribeGlobalTableSettings", "UpdateGlobalTableSettings"):
            self.refused("GlobalTableNotFoundException", missing, operation, GlobalTableName=self.name)
        self.refused("GlobalTableNotFoundException", missing, "UpdateGlobalTable", GlobalTableName=self.name,
                     ReplicaUpdates=[{"Delete": {"RegionName": "eu-west-1"}}])
        with self.assertRaises(self.client.exceptions.GlobalTableNotFoundException):
            self.client.describe_global_table(GlobalTableName=self.name)

    def test_none_can_be_created(self):
        self.refused(VALIDATION, LEGACY, "CreateGlobalTable", GlobalTableName=self.name,
                     ReplicationGroup=[{"RegionName": "us-east-1"}, {"RegionName": "eu-west-1"}])
        self.refused(VALIDATION, LEGACY, "UpdateGlobalTable", GlobalTableName="no-such-table",
                     ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}])

    def test_requests_about_global_tables_are_checked(self):
        for operation in ("CreateGlobalTable", "UpdateGlobalTable", "DescribeGlobalTable",
                          "DescribeGlobalTableSettings", "UpdateGlobalTableSettings"):
            self.refused(VALIDATION, "The parameter 'GlobalTableName' is required but was not present in the request",
                         operation)
        self.refused(VALIDATION, "TableName must be at least 3 characters long and at most 255 characters long",
                     "DescribeGlobalTable", GlobalTableName="a!")
        self.violates(violation("globalTableName", "'abc!'",
                                "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
                      operation="DescribeGlobalTable", GlobalTableName="abc!")
        self.violates(violation("replicationGroup", "null", "Member must not be null"),
                      operation="CreateGlobalTable", GlobalTableName="abc")
        self.violates(violation("replicaUpdates", "null", "Member must not be null"),
                      operation="UpdateGlobalTable", GlobalTableName="abc")
        self.violates(violation("replicaUpdates.1.member.create.regionName", "null", "Member must not be null"),
                      operation="UpdateGlobalTable", GlobalTableName="abc", ReplicaUpdates=[{"Create": {}}])
        self.violates(violation("limit", "'0'", "Member must have value greater than or equal to 1"),
                      operation="ListGlobalTables", Limit=0)
        self.violates(
            violation("globalTableBillingMode", "'FREE'",
                      "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"),
            violation("globalTableProvisionedWriteCapacityUnits", "'0'",
                      "Member must have value greater than or equal to 1"),
            violation("replicaSettingsUpdate.1.member.regionName", "null", "Member must not be null"),
            violation("replicaSettingsUpdate.1.member.replicaProvisionedReadCapacityAutoScalingSettingsUpdate."
                      "minimumUnits", "'0'", "Member must have value greater than or equal to 1"),
            operation="UpdateGlobalTableSettings", GlobalTableName="abc", GlobalTableBillingMode="FREE",
            GlobalTableProvisionedWriteCapacityUnits=0, ReplicaSettingsUpdate=[
                {"ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate": {"MinimumUnits": 0}}])
        self.refused("SerializationException", "Unexpected field type", "CreateGlobalTable", GlobalTableName="abc",
                     ReplicationGroup="eu-west-1")

    # ---- Kinesis destinations.

    def test_a_table_has_no_kinesis_destination(self):
        self.assertEqual({"TableName": self.name, "KinesisDataStreamDestinations": []},
                         self.wire.call("DescribeKinesisStreamingDestination", TableName=self.name))
        description = self.client.describe_kinesis_streaming_destination(TableName=self.name)
        self.assertEqual([], description["KinesisDataStreamDestinations"])

    def test_none_can_be_enabled(self):
        self.refused(VALIDATION, "One or more parameter values were invalid: StreamArn is not supported: Trestle has "
                     "no Kinesis data streams; read the table's changes from its DynamoDB stream instead",
                     "EnableKinesisStreamingDestination", TableName=self.name, StreamArn=STREAM)
        state = "Table is not in a valid state to enable Kinesis Streaming Destination: "
        for arn in (STREAM, "not-an-arn"):
            self.refused(VALIDATION, state + "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.",
                         "DisableKinesisStreamingDestination", TableName=self.name, StreamArn=arn)
        self.refused(VALIDATION, f"{state}No streaming destination with streamArn: {STREAM} found for table with "
                     f"tableName: {self.name}", "UpdateKinesisStreamingDestination", TableName=self.name,
                     StreamArn=STREAM)

    def test_requests_about_kinesis_are_checked(self):
        self.refused(NOT_FOUND, NO_SUCH_TABLE, "DescribeKinesisStreamingDestination", TableName="no-such-table")
        for verb, configuration in (("Enable", "Enable"), ("Disable", "Enable"), ("Update", "Update")):
            operation = verb + "KinesisStreamingDestination"
            self.refused(NOT_FOUND, NO_SUCH_TABLE, operation, TableName="no-such-table", StreamArn=STREAM)
            self.refused(VALIDATION, TABLE_NAME_REQUIRED, operation, StreamArn=STREAM)
            self.violates(violation("streamArn", "null", "Member must not be null"),
                          operation=operation, TableName=self.name)
            member = configuration + "KinesisStreamingConfiguration"
            self.violates(violation(f"{member[0].lower()}{member[1:]}.approximateCreationDateTimePrecision", "'DAY'",
                                    "Member must satisfy enum value set: [MILLISECOND, MICROSECOND]"),
                          operation=operation, TableName=self.name, StreamArn=STREAM,
                          **{member: {"ApproximateCreationDateTimePrecision": "DAY"}})

    # ---- Auto scaling of replicas.

    def test_a_table_has_no_replicas_to_scale(self):
        for name in (self.name, "no-such-table"):
            missing = f"Global table with name: '{name}' does not exist."
            self.refused(NOT_FOUND, missing, "DescribeTableReplicaAutoScaling", TableName=name)
            self.refused(NOT_FOUND, missing, "UpdateTableReplicaAutoScaling", TableName=name,
                         ReplicaUpdates=[{"RegionName": "eu-west-1"}])
        with self.assertRaises(self.client.exceptions.ResourceNotFoundException):
            self.client.describe_table_replica_auto_scaling(TableName=self.name)

    def test_requests_about_auto_scaling_are_checked(self):
        for operation in ("DescribeTableReplicaAutoScaling", "UpdateTableReplicaAutoScaling"):
            self.refused(VALIDATION, TABLE_NAME_REQUIRED, operation)
        self.violates(
            violation("globalSecondaryIndexUpdates", "'[]'", "Member must have length greater than or equal to 1"),
            violation("provisionedWriteCapacityAutoScalingUpdate.scalingPolicyUpdate."
                      "targetTrackingScalingPolicyConfiguration.targetValue", "null", "Member must not be null"),
            violation("replicaUpdates.1.member.regionName", "null", "Member must not be null"),
            operation="UpdateTableReplicaAutoScaling", TableName=self.name, GlobalSecondaryIndexUpdates=[],
            ProvisionedWriteCapacityAutoScalingUpdate={
                "ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {}}},
            ReplicaUpdates=[{}])

    # ---- Replicas of tables as of 2019.

    def test_replicas_are_refused(self):
        with self.assertRaises(self.client.exceptions.ClientError) as refusal:
            self.client.update_table(TableName=self.name, ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}])
        self.assertEqual(VALIDATION, refusal.exception.response["Error"]["Code"])


if __name__ == "__main__":
    harness.run_file()
