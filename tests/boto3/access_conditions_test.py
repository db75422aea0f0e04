#!/usr/bin/python3
"""Conditions of identity policies, a policy file that changes while the server runs, and the flags."""

import json
import sys
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from access_users import (ACCOUNT, TABLE, Place, allow, credentials_file, denied, deny, not_allowed, policy, refusal)
from harness import Folder, run_program, schema, until


class Conditions(unittest.TestCase):
    """Policies of several users, each with its own condition, on one server whose policy file changes while it runs."""

    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.ann, cls.bob = cls.place.client("ann"), cls.place.client("bob")
        cls.ann.create_table(TableName="people", **schema("id:S"))
        cls.ann.create_table(TableName="numbers", **schema("n:N"))
        cls.ann.put_item(TableName="people", Item={"id": {"S": "1"}, "name": {"S": "Ann"}, "salary": {"N": "9"}})

    @classmethod
    def tearDownClass(cls):
        cls.place.close()

    def give(self, *statements):
        """Gives Bob a policy and waits until the server has loaded it."""
        marker = f"marker-{time.monotonic_ns()}"
        self.place.write({"users": {"ann": {"policies": [policy(allow("dynamodb:*"))]}, "bob": {"policies": [
            policy(*statements), policy(deny("dynamodb:DescribeTable", TABLE + marker))]}}})
        until(lambda: "explicit deny" in refusal(self.bob.describe_table, TableName=marker)[1],
              "the policies were read again")

    def assertRefused(self, call, **parameters):
        self.assertEqual("AccessDeniedException", (refusal(call, **parameters) or [None])[0])

    def assertAllowed(self, call, **parameters):
        self.assertIsNone(refusal(call, **parameters))

    def test_attributes_and_select(self):
        self.give(allow("dynamodb:*", TABLE + "people", **{
            "ForAllValues:StringEquals": {"dynamodb:Attributes": ["id", "name"]},
            "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES",
                                     "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"]}}))
        key = {"id": {"S": "1"}}
        get, update = self.bob.get_item, self.bob.update_item
        names = {"#n": "name", "#s": "salary"}
        self.assertAllowed(get, TableName="people", Key=key, ProjectionExpression="#n",
                           ExpressionAttributeNames={"#n": "name"})
        self.assertAllowed(get, TableName="people", Key=key, AttributesToGet=["name"])
        self.assertRefused(get, TableName="people", Key=key)
        self.assertRefused(get, TableName="people", Key=key, ProjectionExpression="#n, #s",
                           ExpressionAttributeNames=names)
        self.assertRefused(get, TableName="people", Key=key, AttributesToGet=["salary"])
        self.assertAllowed(self.bob.query, TableName="people", KeyConditionExpression="id = :i",
                           ProjectionExpression="id", ExpressionAttributeValues={":i": {"S": "1"}})
        self.assertRefused(self.bob.query, TableName="people", KeyConditionExpression="id = :i",
                           ProjectionExpression="id", FilterExpression="salary > :z",
                           ExpressionAttributeValues={":i": {"S": "1"}, ":z": {"N": "0"}})
        self.assertRefused(self.bob.query, TableName="people", KeyConditionExpression="id = :i",
                           Select="ALL_ATTRIBUTES", ExpressionAttributeValues={":i": {"S": "1"}})
        self.assertRefused(self.bob.query, TableName="people", Select="COUNT", KeyConditions={
            "id": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "1"}]}}, QueryFilter={
            "salary": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "0"}]}})
        value = {":v": {"S": "v"}}
        self.assertAllowed(update, TableName="people", Key=key, UpdateExpression="SET #n = :v",
                           ExpressionAttributeNames={"#n": "name"}, ExpressionAttributeValues=value)
        self.assertRefused(update, TableName="people", Key=key, UpdateExpression="SET #n = #s",
                           ExpressionAttributeNames=names)
        self.assertRefused(update, TableName="people", Key=key, UpdateExpression="REMOVE salary")
        self.assertRefused(update, TableName="people", Key=key, UpdateExpression="SET #n = :v",
                           ConditionExpression="attribute_exists(salary)",
                           ExpressionAttributeNames={"#n": "name"}, ExpressionAttributeValues=value)
        self.assertRefused(update, TableName="people", Key=key, UpdateExpression="SET #n = :v", ReturnValues="ALL_NEW",
                           ExpressionAttributeNames={"#n": "name"}, ExpressionAttributeValues=value)
        self.assertRefused(update, TableName="people", Key=key, UpdateExpression="SET #n = :v",
                           ConditionExpression="attribute_not_exists(id)",
                           ReturnValuesOnConditionCheckFailure="ALL_OLD",
                           ExpressionAttributeNames={"#n": "name"}, ExpressionAttributeValues=value)
        self.assertRefused(update, TableName="people", Key=key, AttributeUpdates={"salary": {"Action": "DELETE"}})
        self.assertRefused(self.bob.put_item, TableName="people", Item=key | {"salary": {"N": "1"}})
        self.assertRefused(self.bob.put_item, TableName="people", Item=key,
                           Expected={"salary": {"Exists": False}})
        self.assertRefused(self.bob.delete_item, TableName="people", Key=key, ReturnValues="ALL_OLD")
        run = self.bob.execute_statement
        self.assertAllowed(run, Statement="SELECT name FROM people WHERE id = '1'")
        self.assertRefused(run, Statement="SELECT * FROM people WHERE id = '1'")
        self.assertRefused(run, Statement="SELECT name, salary FROM people WHERE id = '1'")
        self.assertRefused(run, Statement="SELECT name FROM people WHERE id = '1' AND salary > 3")
        self.assertRefused(run, Statement="UPDATE people SET name = salary WHERE id = '1'")
        self.assertRefused(run, Statement="DELETE FROM people WHERE id = '1' RETURNING ALL OLD *")
        self.assertRefused(run, Statement="INSERT INTO people VALUE {'id': '7', 'salary': 1}")
        self.assertRefused(run, Statement="INSERT INTO people VALUE {'id': '7', 'x': ?}", Parameters=[{"N": "1"}])

    def test_explicit_denials_and_full_table_scans(self):
        self.give(allow("dynamodb:*"), deny("dynamodb:DeleteTable"),
                  deny("dynamodb:PartiQLSelect", TABLE + "people", Bool={"dynamodb:FullTableScan": "true"}))
        self.assertEqual(denied("bob", "DeleteTable", TABLE + "people", "an identity-based policy"),
                         refusal(self.bob.delete_table, TableName="people"))
        self.assertAllowed(self.bob.execute_statement, Statement="SELECT * FROM people WHERE id = '1'")
        self.assertEqual(denied("bob", "PartiQLSelect", TABLE + "people", "an identity-based policy"),
                         refusal(self.bob.execute_statement, Statement="SELECT * FROM people"))

    def test_source_address_time_and_transport(self):
        self.give(allow("dynamodb:Scan", IpAddress={"aws:SourceIp": "127.0.0.0/8"},
                        DateGreaterThan={"aws:CurrentTime": "2024-01-01T00:00:00Z"},
                        Bool={"aws:SecureTransport": "false"}),
                  allow("dynamodb:ListTables", NotIpAddress={"aws:SourceIp": "127.0.0.0/8"}))
        self.assertAllowed(self.bob.scan, TableName="people")
        self.assertRefused(self.bob.list_tables)

    def test_numbers_are_keys_in_their_canonical_form(self):
        self.give(allow("dynamodb:GetItem", **{"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["42"]}}))
        self.assertAllowed(self.bob.get_item, TableName="numbers", Key={"n": {"N": "42.0"}})
        self.assertRefused(self.bob.get_item, TableName="numbers", Key={"n": {"N": "43"}})

    def test_only_in_a_transaction(self):
        self.give(allow("dynamodb:PutItem", **{"StringEquals": {"dynamodb:EnclosingOperation": "TransactWriteItems"}}))
        item = {"id": {"S": "t"}}
        self.assertRefused(self.bob.put_item, TableName="people", Item=item)
        self.assertAllowed(self.bob.transact_write_items,
                           TransactItems=[{"Put": {"TableName": "people", "Item": item}}])

    def test_a_table_with_a_policy_or_tags_needs_leave_for_those(self):
        self.give(allow("dynamodb:CreateTable"))
        self.assertEqual(not_allowed("bob", "TagResource", TABLE + "tagged"), refusal(
            self.bob.create_table, TableName="tagged", Tags=[{"Key": "a", "Value": "b"}], **schema("id:S")))
        grant = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/eve"}, "Action": "dynamodb:*",
                 "Resource": "*"}
        self.assertEqual(not_allowed("bob", "PutResourcePolicy", TABLE + "given"), refusal(
            self.bob.create_table, TableName="given", ResourcePolicy=json.dumps(policy(grant)), **schema("id:S")))

    def test_nonsense_leaves_the_old_policies_in_force(self):
        self.give(allow("dynamodb:Scan"))
        self.place.policies.write_text("{nonsense")
        until(lambda: (refusal(self.bob.scan, TableName="people"), "stays in force" in self.place.server.log())[1],
              "the server said so")
        self.assertAllowed(self.bob.scan, TableName="people")
        self.assertRefused(self.bob.list_tables)


class CommandLine(unittest.TestCase):

    def test_policies_without_credentials_and_bad_files_are_refused(self):
        with Folder() as folder:
            path = folder / "policies.json"
            path.write_text("{}")
            done = run_program("serve", "--memory-store", "--port", "0", "--policies", path)
            self.assertNotEqual(0, done.returncode)
            self.assertIn("--credentials", done.stdout)
            credentials = credentials_file(folder)
            for text, words in (("{", "policies"), ('{"users": {"a": {"policies": ["x"]}}}', "no policy x"),
                                ('{"users": {"a": {"groups": ["g"]}}}', "no group g"), ('{"user": {}}', "user"),
                                ('{"users": {"a": {"policies": [{"Statement": []}]}}}', "Statement is empty")):
                path.write_text(text)
                done = run_program("serve", "--memory-store", "--port", "0", "--credentials", credentials,
                                   "--policies", path)
                self.assertNotEqual(0, done.returncode, text)
                self.assertIn(words, done.stdout)
            done = run_program("serve", "--memory-store", "--port", "0", "--audit", folder / "none" / "audit.log")
            self.assertNotEqual(0, done.returncode)
            self.assertIn("audit", done.stdout)


if __name__ == "__main__":
    harness.run_file()
