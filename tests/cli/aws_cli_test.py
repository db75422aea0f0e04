#!/usr/bin/python3
"""Debian's AWS CLI (version 2) against the server, with commands as people type them."""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, unique

AWS = os.environ.get("AWS_CLI", "/usr/bin/aws")


class CliError(Exception):
    pass


def aws(*arguments, output="json"):
    """Runs `aws dynamodb ...`; returns parsed JSON, or the text for other output formats."""
    command = [AWS, "dynamodb", *map(str, arguments), "--endpoint-url", harness.endpoint(), "--region", harness.REGION,
               "--output", output, "--no-cli-pager"]
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": harness.ACCESS_KEY, "AWS_MAX_ATTEMPTS": "1",
                   "AWS_SECRET_ACCESS_KEY": harness.SECRET_KEY, "AWS_PAGER": ""}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=3 * harness.WAIT_SECONDS_MAX)
    if done.returncode:
        raise CliError(done.stderr.strip())
    return json.loads(done.stdout) if output == "json" and done.stdout.strip() else done.stdout


class Cli(Case):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = unique("cli")
        cls.tables_.append(cls.name)
        table = aws("create-table", "--table-name", cls.name, "--billing-mode", "PAY_PER_REQUEST",
                    "--attribute-definitions", "AttributeName=artist,AttributeType=S",
                    "AttributeName=track,AttributeType=N", "AttributeName=genre,AttributeType=S",
                    "--key-schema", "AttributeName=artist,KeyType=HASH", "AttributeName=track,KeyType=RANGE",
                    "--global-secondary-indexes",
                    "IndexName=by-genre,KeySchema=[{AttributeName=genre,KeyType=HASH}],Projection={ProjectionType=ALL}")
        cls.arn = table["TableDescription"]["TableArn"]
        aws("wait", "table-exists", "--table-name", cls.name)
        requests = [{"PutRequest": {"Item": {"artist": {"S": "abba"}, "track": {"N": str(n)},
                                             "genre": {"S": "even" if n % 2 == 0 else "odd"}}}} for n in range(20)]
        aws("batch-write-item", "--request-items", json.dumps({cls.name: requests}))

    def refused(self, code, message, *arguments):
        with self.assertRaises(CliError) as refusal:
            aws(*arguments)
        self.assertIn(f"An error occurred ({code})", str(refusal.exception))
        self.assertIn(message, str(refusal.exception))

    def test_describe_and_list(self):
        table = aws("describe-table", "--table-name", self.name)["Table"]
        self.assertEqual(("ACTIVE", self.arn), (table["TableStatus"], table["TableArn"]))
        names = aws("list-tables", "--query", "TableNames")
        self.assertIn(self.name, names)
        self.refused("ResourceNotFoundException", "Requested resource not found: Table: nowhere not found",
                     "describe-table", "--table-name", "nowhere")

    def test_put_get_update_delete(self):
        key = json.dumps({"artist": {"S": "solo"}, "track": {"N": "1"}})
        aws("put-item", "--table-name", self.name, "--item",
            json.dumps({"artist": {"S": "solo"}, "track": {"N": "1"}, "data": {"B": "AAH/"}, "plays": {"N": "1"}}),
            "--condition-expression", "attribute_not_exists(artist)")
        item = aws("get-item", "--table-name", self.name, "--key", key, "--consistent-read")["Item"]
        self.assertEqual({"B": "AAH/"}, item["data"])
        reply = aws("update-item", "--table-name", self.name, "--key", key, "--update-expression",
                    "SET plays = plays + :n REMOVE #d", "--expression-attribute-names", '{"#d": "data"}',
                    "--expression-attribute-values", '{":n": {"N": "2"}}', "--return-values", "ALL_NEW")
        self.assertEqual({"artist": {"S": "solo"}, "track": {"N": "1"}, "plays": {"N": "3"}}, reply["Attributes"])
        self.refused("ConditionalCheckFailedException", "The conditional request failed", "delete-item", "--table-name",
                     self.name, "--key", key, "--condition-expression", "plays = :n",
                     "--expression-attribute-values", '{":n": {"N": "2"}}')
        reply = aws("delete-item", "--table-name", self.name, "--key", key, "--return-values", "ALL_OLD")
        self.assertEqual({"N": "3"}, reply["Attributes"]["plays"])
        self.assertEqual("", aws("get-item", "--table-name", self.name, "--key", key, output="json") or "")

    def test_query(self):
        found = aws("query", "--table-name", self.name, "--key-condition-expression", "artist = :a AND track > :t",
                    "--expression-attribute-values", '{":a": {"S": "abba"}, ":t": {"N": "16"}}',
                    "--no-scan-index-forward", "--query", "Items[].track.N")
        self.assertEqual(["19", "18", "17"], found)
        found = aws("query", "--table-name", self.name, "--index-name", "by-genre", "--key-condition-expression",
                    "genre = :g", "--expression-attribute-values", '{":g": {"S": "odd"}}', "--page-size", "3")
        self.assertEqual(10, found["Count"])

    def test_scan_pages(self):
        seen, token = [], []
        while True:
            page = aws("scan", "--table-name", self.name, "--index-name", "by-genre", "--max-items", "8",
                       "--page-size", "5", *token)
            seen += [item["track"]["N"] for item in page["Items"]]
            if "NextToken" not in page:
                break
            self.assertEqual(8, len(page["Items"]))
            token = ["--starting-token", page["NextToken"]]
        self.assertEqual(sorted(map(str, range(20))), sorted(seen))

    def test_table_and_text_output(self):
        table = aws("scan", "--table-name", self.name, "--filter-expression", "track = :t",
                    "--expression-attribute-values", '{":t": {"N": "3"}}', output="table")
        self.assertRegex(table, r"(?s)^-+\n\| +Scan +\|.*ScannedCount.*abba")
        text = aws("get-item", "--table-name", self.name, "--key", '{"artist": {"S": "abba"}, "track": {"N": "4"}}',
                   "--query", "Item.genre.S", output="text")
        self.assertEqual("even\n", text)

    def test_batch_get(self):
        keys = [{"artist": {"S": "abba"}, "track": {"N": str(n)}} for n in (1, 2, 99)]
        reply = aws("batch-get-item", "--request-items", json.dumps({self.name: {"Keys": keys}}))
        self.assertEqual(2, len(reply["Responses"][self.name]))

    def test_limits_and_endpoints(self):
        self.assertIn("AccountMaxReadCapacityUnits", aws("describe-limits"))
        self.assertTrue(aws("describe-endpoints")["Endpoints"])

    def test_tags(self):
        aws("tag-resource", "--resource-arn", self.arn, "--tags", "Key=owner,Value=ann", "Key=env,Value=test")
        aws("untag-resource", "--resource-arn", self.arn, "--tag-keys", "env")
        self.assertEqual([{"Key": "owner", "Value": "ann"}],
                         aws("list-tags-of-resource", "--resource-arn", self.arn)["Tags"])

    def test_time_to_live(self):
        reply = aws("update-time-to-live", "--table-name", self.name, "--time-to-live-specification",
                    "Enabled=true,AttributeName=expires")
        self.assertEqual({"Enabled": True, "AttributeName": "expires"}, reply["TimeToLiveSpecification"])
        found = aws("describe-time-to-live", "--table-name", self.name)["TimeToLiveDescription"]
        self.assertEqual("expires", found["AttributeName"])

    def test_update_and_delete_table(self):
        name = unique("cli-short")
        self.tables_.append(name)
        aws("create-table", "--table-name", name, "--attribute-definitions", "AttributeName=pk,AttributeType=S",
            "--key-schema", "AttributeName=pk,KeyType=HASH", "--provisioned-throughput",
            "ReadCapacityUnits=1,WriteCapacityUnits=1")
        aws("wait", "table-exists", "--table-name", name)
        aws("update-table", "--table-name", name, "--billing-mode", "PAY_PER_REQUEST")
        aws("wait", "table-exists", "--table-name", name)
        self.assertEqual("PAY_PER_REQUEST", aws("describe-table", "--table-name", name, "--query",
                                                "Table.BillingModeSummary.BillingMode"))
        aws("delete-table", "--table-name", name)
        aws("wait", "table-not-exists", "--table-name", name)
        self.refused("ResourceNotFoundException", "", "describe-table", "--table-name", name)

    def test_shows_validation_messages(self):
        self.refused("ValidationException", "Query condition missed key schema element: artist", "query",
                     "--table-name", self.name, "--key-condition-expression", "track = :t",
                     "--expression-attribute-values", '{":t": {"N": "1"}}')


if __name__ == "__main__":
    harness.run_file()
