#!/usr/bin/python3
"""Every operation of DynamoDB's API is answered, and docs/compatibility.md has one line for each and no others."""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, DynamoError

ANSWERED_APART = {"DescribeEndpoints"}      # answered by the server itself, not by the database


def served():
    """The operations in the server's table."""
    text = (harness.REPOSITORY / "src" / "model" / "database.h").read_text()
    return re.findall(r"^  OPERATION\((\w+), \w+\)", text, re.MULTILINE) + sorted(ANSWERED_APART)


def documented():
    """The operations that the page's first section lists as working or refused."""
    text = (harness.REPOSITORY / "docs" / "compatibility.md").read_text()
    section = text.split("\n## Operations\n")[1].split("\n## ")[0]
    return re.findall(r"^\| (\w+) \| (?:works|refused) \|", section, re.MULTILINE)


def of_the_sdk():
    """The operations that botocore knows, of both services. It may be older than the API."""
    import botocore.session
    session = botocore.session.get_session()
    return [name for service in ("dynamodb", "dynamodbstreams")
            for name in session.get_service_model(service).operation_names]


class Operations(Case):

    def test_each_has_a_line_and_each_line_has_an_operation(self):
        self.assertGreaterEqual(len(served()), 66)
        self.assertEqual(sorted(served()), documented_sorted := sorted(documented()))
        self.assertEqual(sorted(set(documented_sorted)), documented_sorted, "a line is there twice")

    def test_each_of_the_sdk_is_served(self):
        self.assertEqual([], sorted(set(of_the_sdk()) - set(served())))

    def test_each_is_answered(self):
        """Every operation answers a request without parameters, and never that it does not exist."""
        for operation in served():
            with self.subTest(operation):
                try:
                    self.wire.call(operation)
                except DynamoError as refusal:
                    self.assertEqual(400, refusal.status)
                    self.assertNotEqual("UnknownOperationException", refusal.code)

    def test_what_is_no_operation_is_refused(self):
        with self.assertRaises(DynamoError) as refusal:
            self.wire.call("MakeTable")
        self.assertEqual((400, "UnknownOperationException"), (refusal.exception.status, refusal.exception.code))


if __name__ == "__main__":
    harness.run_file()
