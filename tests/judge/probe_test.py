#!/usr/bin/python3
"""When a server starts on DynamoDB Local (TRESTLE_DESIGN_ON), it lists the operations that are missing before anything runs."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "designs"))
from served import Designs, harness  # noqa: E402

# The operations that the suites and the designs need; DynamoDB Local has all of them.
HAS = ("BatchExecuteStatement BatchGetItem BatchWriteItem CreateTable DeleteItem DeleteTable DescribeLimits DescribeStream DescribeTable "
       "DescribeTimeToLive ExecuteStatement ExecuteTransaction GetItem GetRecords GetShardIterator ListStreams ListTables PutItem Query "
       "Scan TransactGetItems TransactWriteItems UpdateItem UpdateTable UpdateTimeToLive").split()


class Probe(unittest.TestCase):
    def test_each_operation_that_it_lacks_and_what_needs_it(self):
        log = Designs().server.log()
        lacks = re.findall(r" lacks (\w+): ", log)
        self.assertEqual([], sorted(set(HAS) & set(lacks)))
        self.assertLess({"CreateBackup", "TagResource", "UpdateContinuousBackups"}, set(lacks))
        self.assertEqual(["  form-bridge: table FormBridgeData has no point-in-time recovery without UpdateContinuousBackups"],
                         [line for line in log.splitlines() if re.match(r"  \S+ needs |  \S+: table ", line)])


if __name__ == "__main__":
    harness.run_file()
