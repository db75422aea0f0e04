#!/usr/bin/python3
"""Operations of DynamoDB's API that are not built answer with an error that names them, and are never a crash."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case

UNBUILT = """
CancelBulkOperation CreateGlobalTable DeleteResourcePolicy DescribeContributorInsights DescribeExport
DescribeGlobalTable DescribeGlobalTableSettings DescribeImport DescribeKinesisStreamingDestination
DescribeTableReplicaAutoScaling DisableKinesisStreamingDestination EnableKinesisStreamingDestination
ExportTableToPointInTime GetResourcePolicy ImportTable ListContributorInsights ListExports ListGlobalTables
ListImports PutResourcePolicy UpdateContributorInsights UpdateGlobalTable UpdateGlobalTableSettings
UpdateKinesisStreamingDestination UpdateTableReplicaAutoScaling DescribeBulkOperation ListBulkOperations SearchVectors
StartBulkPutItems
""".split()


class Unbuilt(Case):

    def test_each_is_refused_by_name(self):
        for operation in UNBUILT:
            with self.subTest(operation=operation):
                with self.assertRaises(harness.DynamoError) as refused:
                    self.wire.call(operation)
                self.assertEqual((400, "UnknownOperationException"), (refused.exception.status, refused.exception.code))
                self.assertIn(operation, refused.exception.message)

    def test_boto3_sees_the_name(self):
        self.refuses("UnknownOperationException", None, self.client.list_global_tables)
        try:
            self.client.list_global_tables()
        except self.client.exceptions.ClientError as error:
            self.assertIn("ListGlobalTables", error.response["Error"]["Message"])


if __name__ == "__main__":
    harness.run_file()
