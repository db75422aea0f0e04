#!/usr/bin/python3
"""The audit log: one line for each request, whatever its outcome, and rotation by size."""

import json
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import boto3
import harness
from access_users import KEYS, TABLE, Place, refusal
from harness import Folder, Server, boto3_options, schema, until


class Audit(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.ann, cls.bob, cls.eve = (cls.place.client(user) for user in ("ann", "bob", "eve"))
        cls.ann.create_table(TableName="shared", **schema("owner:S"))

    @classmethod
    def tearDownClass(cls):
        cls.place.close()

    def lines(self, count):
        """The newest lines, once the log has this many more than before."""
        def read():
            lines = self.place.audit.read_text().splitlines()
            return lines if len(lines) >= self.before + count else None
        return [json.loads(line) for line in until(read, "the lines were written")[self.before:]]

    def setUp(self):
        def settled():
            lines = self.place.audit.read_text().splitlines()
            return lines and json.loads(lines[-1])["request_id"] == marker
        marker = self.ann.list_tables()["ResponseMetadata"]["RequestId"]
        until(settled, "earlier lines were written")
        self.before = len(self.place.audit.read_text().splitlines())

    def test_who_did_what(self):
        item = {"owner": {"S": "bob"}, "secret": {"S": "nobody-may-see-this"}}
        reply = self.bob.put_item(TableName="shared", Item=item)
        refusal(self.eve.get_item, TableName="shared", Key={"owner": {"S": "nobody-may-see-this"}})
        refusal(self.ann.get_item, TableName="missing", Key={"owner": {"S": "x"}})
        self.ann.transact_write_items(TransactItems=[
            {"Put": {"TableName": "shared", "Item": {"owner": {"S": "a"}}}},
            {"Delete": {"TableName": "shared", "Key": {"owner": {"S": "b"}}}}])
        options = boto3_options(self.place.server.endpoint, access_key=KEYS["ann"], secret_key="wrong")
        refusal(boto3.session.Session().client("dynamodb", **options).list_tables)
        lines = self.lines(5)
        self.assertEqual({"time", "request_id", "user", "access_key", "source_ip", "operation", "actions", "resources",
                          "outcome", "error"}, set(lines[0]))
        self.assertEqual(reply["ResponseMetadata"]["RequestId"], lines[0]["request_id"])
        self.assertEqual([
            ("bob", KEYS["bob"], "PutItem", ["dynamodb:PutItem"], [TABLE + "shared"], "allowed", ""),
            ("eve", KEYS["eve"], "GetItem", ["dynamodb:GetItem"], [TABLE + "shared"], "denied",
             "AccessDeniedException"),
            ("ann", KEYS["ann"], "GetItem", ["dynamodb:GetItem"], [TABLE + "missing"], "error",
             "ResourceNotFoundException"),
            ("ann", KEYS["ann"], "TransactWriteItems", ["dynamodb:PutItem", "dynamodb:DeleteItem"], [TABLE + "shared"],
             "allowed", ""),
            ("", "", "ListTables", [], [], "denied", "InvalidSignatureException")],
            [(line["user"], line["access_key"], line["operation"], line["actions"], line["resources"], line["outcome"],
              line["error"]) for line in lines])
        self.assertEqual({"127.0.0.1"}, {line["source_ip"] for line in lines})
        self.assertNotIn("nobody-may-see-this", self.place.audit.read_text())

    def test_it_also_works_where_everyone_may_do_everything(self):
        with Folder() as folder:
            audit = folder / "audit.log"
            with Server("--memory-store", "--audit", audit) as server:
                harness.client(server.endpoint).list_tables()
                line = until(lambda: audit.read_text() or None, "a line was written")
                self.assertEqual(("ListTables", "allowed", harness.ACCESS_KEY),
                                 tuple(json.loads(line)[name] for name in ("operation", "outcome", "access_key")))


class Rotation(unittest.TestCase):

    def test_files_are_renamed_at_their_size_and_no_line_is_lost(self):
        with Folder() as folder:
            audit = folder / "audit.log"
            with Server("--memory-store", "--audit", audit, "--audit-mb", 1, "--audit-keep", 2) as server:
                wire = harness.Wire(server.endpoint)
                sent = 0
                while not (folder / "audit.log.2").exists():
                    self.assertLess(sent, 50_000, "the log was not rotated twice")
                    for _ in range(200):
                        wire.call("ListTables")
                    sent += 200
                server.stop()
            files = sorted(path.name for path in folder.iterdir())
            self.assertEqual(["audit.log", "audit.log.1", "audit.log.2"], files)
            lines = [json.loads(line) for name in reversed(files) for line in (folder / name).read_text().splitlines()]
            self.assertEqual(sent, len(lines))
            self.assertEqual(sent, len({line["request_id"] for line in lines}))
            for name in files:
                self.assertLessEqual((folder / name).stat().st_size, 1 << 20)


if __name__ == "__main__":
    harness.run_file()
