#!/usr/bin/python3
"""Resource policies of tables and streams: put, returned, deleted, refused, and what they allow and deny."""

import json
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from access_users import ACCOUNT, KEYS, TABLE, AccessCase, User, credentials_file, denied, policy, refusal
from harness import Folder, Server, schema


class ResourcePolicies(AccessCase):

    def grant(self, user, actions, resource, effect="Allow", **more):
        return {"Sid": "a", "Effect": effect, "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/{user}"},
                "Action": actions, "Resource": resource, **more}

    def tearDown(self):
        for arn in (TABLE + "shared", TABLE + "other", self.stream):
            self.ann.delete_resource_policy(ResourceArn=arn)

    def test_put_get_delete_and_revisions(self):
        arn = TABLE + "other"
        document = json.dumps(policy(self.grant("eve", ["dynamodb:GetItem"], arn)), indent=4)
        missing = f"Resource-based policy not found for the provided ResourceArn: {arn}"
        self.assertEqual(("PolicyNotFoundException", missing), refusal(self.ann.get_resource_policy, ResourceArn=arn))
        self.assertNotIn("RevisionId", self.ann.delete_resource_policy(ResourceArn=arn))
        first = self.ann.put_resource_policy(ResourceArn=arn, Policy=document,
                                             ExpectedRevisionId="NO_POLICY")["RevisionId"]
        stored = self.ann.get_resource_policy(ResourceArn=arn)
        self.assertEqual(first, stored["RevisionId"])
        self.assertEqual('{"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Allow","Principal":{"AWS":'
                         f'"arn:aws:iam::{ACCOUNT}:user/eve"}},"Action":"dynamodb:GetItem","Resource":"{arn}"}}]}}',
                         stored["Policy"])
        self.assertEqual(first, self.ann.put_resource_policy(ResourceArn=arn, Policy=stored["Policy"])["RevisionId"])
        other = json.dumps(policy(self.grant("eve", "dynamodb:Scan", arn)))
        second = self.ann.put_resource_policy(ResourceArn=arn, Policy=other, ExpectedRevisionId=first)["RevisionId"]
        self.assertGreater(second, first)
        words = "Resource-based policy not found for the provided ResourceArn: "
        self.assertEqual(("PolicyNotFoundException", f"{words}Requested policy update expecting none to be present for "
                          f"table other, but a policy exists with revision id {second}."),
                         refusal(self.ann.put_resource_policy, ResourceArn=arn, Policy=other,
                                 ExpectedRevisionId="NO_POLICY"))
        stale = ("PolicyNotFoundException", f"{words}Requested update for policy with revision id {first}, but the "
                 f"policy associated to target table other has revision id {second}.")
        self.assertEqual(stale, refusal(self.ann.put_resource_policy, ResourceArn=arn, Policy=other,
                                        ExpectedRevisionId=first))
        self.assertEqual(stale, refusal(self.ann.delete_resource_policy, ResourceArn=arn, ExpectedRevisionId=first))
        deleted = self.ann.delete_resource_policy(ResourceArn=arn, ExpectedRevisionId=second)
        self.assertEqual(second, deleted["RevisionId"])
        self.assertEqual("PolicyNotFoundException", refusal(self.ann.get_resource_policy, ResourceArn=arn)[0])
        self.assertEqual("PolicyNotFoundException", refusal(self.ann.delete_resource_policy, ResourceArn=arn,
                                                            ExpectedRevisionId=second)[0])

    def test_arns_that_are_refused(self):
        invalid = "One or more parameter values were invalid: "
        document = json.dumps(policy(self.grant("eve", "dynamodb:GetItem", "*")))
        for arn, code, message in (
                ("shared", "ValidationException", f"{invalid}ARNs must start with 'arn:': shared"),
                (TABLE + "missing", "ResourceNotFoundException",
                 "Requested resource not found: Table: missing not found"),
                (TABLE.replace(ACCOUNT, "123456789012") + "shared", "ValidationException",
                 "This action is only supported by accounts that match the resource owner\u2019s account."),
                (TABLE.replace("us-east-1", "eu-west-1") + "shared", "ValidationException",
                 f"{invalid}Invalid resource Arn: {TABLE.replace('us-east-1', 'eu-west-1')}shared"),
                (TABLE + "shared/index/by-tag", "ValidationException",
                 f"{invalid}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: "
                 f"{TABLE}shared/index/by-tag"),
                (TABLE + "shared/backup/017", "ValidationException",
                 f"{invalid}Provided Arn is not a DynamoDB resource arn: {TABLE}shared/backup/017")):
            with self.subTest(arn=arn):
                self.assertEqual((code, message), refusal(self.ann.get_resource_policy, ResourceArn=arn))
                self.assertEqual((code, message),
                                 refusal(self.ann.put_resource_policy, ResourceArn=arn, Policy=document))
                self.assertEqual((code, message), refusal(self.ann.delete_resource_policy, ResourceArn=arn))
        bogus = TABLE + "shared/stream/2000-01-01T00:00:00.000"
        self.assertEqual(("ResourceNotFoundException", "Requested resource not found: Stream: 2000-01-01T00:00:00.000 "
                          "not found for Table: shared"), refusal(self.ann.get_resource_policy, ResourceArn=bogus))

    def test_documents_that_are_refused(self):
        def put(document):
            return refusal(self.ann.put_resource_policy, ResourceArn=TABLE + "other", Policy=document)
        invalid = "One or more parameter values were invalid: "
        self.assertEqual(("ValidationException",
                          f"{invalid}Invalid policy document: This policy contains invalid Json"), put("{"))
        good = json.dumps(policy(self.grant("eve", "dynamodb:GetItem", "*")))
        self.assertEqual(("ValidationException", f"{invalid}Maximum policy size of 20480 bytes exceeded"),
                         put(good + " " * 20480))
        self.assertIsNone(put(good + " " * (20480 - len(good))))

    def test_it_allows_what_no_identity_policy_does(self):
        self.ann.put_resource_policy(ResourceArn=TABLE + "shared", Policy=json.dumps(policy(
            self.grant("eve", ["dynamodb:GetItem", "dynamodb:Query"], [TABLE + "shared", TABLE + "shared/index/*"]))))
        self.allowed(self.eve.get_item, TableName="shared", Key=self.item("bob"))
        self.allowed(self.eve.query, TableName="shared", IndexName="by-tag", KeyConditionExpression="tag = :t",
                     ExpressionAttributeValues={":t": {"S": "bob"}})
        self.refused("Scan", self.eve.scan, user="eve", TableName="shared")
        self.ann.delete_resource_policy(ResourceArn=TABLE + "shared")
        self.refused("GetItem", self.eve.get_item, user="eve", TableName="shared", Key=self.item("bob"))

    def test_it_denies_what_an_identity_policy_allows(self):
        self.ann.put_resource_policy(ResourceArn=TABLE + "shared", Policy=json.dumps(policy(
            {"Effect": "Deny", "Principal": "*", "Action": ["dynamodb:Scan", "dynamodb:PartiQLSelect"],
             "Resource": "*"})))
        words = "a resource-based policy"
        self.assertEqual(denied("ann", "Scan", TABLE + "shared", words), refusal(self.ann.scan, TableName="shared"))
        self.assertEqual(denied("ann", "Scan", TABLE + "shared/index/by-tag", words),
                         refusal(self.ann.scan, TableName="shared", IndexName="by-tag"))
        self.assertEqual(denied("ann", "PartiQLSelect", TABLE + "shared", words),
                         refusal(self.ann.execute_statement, Statement="SELECT * FROM shared"))
        self.allowed(self.ann.get_item, TableName="shared", Key=self.item("bob"))

    def test_a_stream_has_a_policy_of_its_own(self):
        streams, eves = self.place.client("ann", "dynamodbstreams"), self.place.client("eve", "dynamodbstreams")
        self.ann.put_resource_policy(ResourceArn=self.stream, Policy=json.dumps(policy(
            self.grant("eve", ["dynamodb:DescribeStream"], self.stream))))
        self.assertEqual("PolicyNotFoundException",
                         refusal(self.ann.get_resource_policy, ResourceArn=TABLE + "shared")[0])
        self.allowed(eves.describe_stream, StreamArn=self.stream)
        self.ann.put_resource_policy(ResourceArn=self.stream, Policy=json.dumps(policy(
            {"Effect": "Deny", "Principal": "*", "Action": "dynamodb:DescribeStream", "Resource": "*"})))
        self.assertEqual(denied("ann", "DescribeStream", self.stream, "a resource-based policy"),
                         refusal(streams.describe_stream, StreamArn=self.stream))

    def test_a_policy_cannot_lock_out_its_author(self):
        lock = json.dumps(policy({"Effect": "Deny", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/ann"},
                                  "Action": "dynamodb:PutResourcePolicy", "Resource": "*"}))
        arn = TABLE + "other"
        self.assertEqual(("AccessDeniedException", "The new resource policy will not allow you to update the resource "
                          "policy in the future."), refusal(self.ann.put_resource_policy, ResourceArn=arn, Policy=lock))
        self.allowed(self.ann.put_resource_policy, ResourceArn=arn, Policy=lock, ConfirmRemoveSelfResourceAccess=True)
        self.assertEqual(denied("ann", "PutResourcePolicy", arn, "a resource-based policy"),
                         refusal(self.ann.put_resource_policy, ResourceArn=arn, Policy=lock,
                                 ConfirmRemoveSelfResourceAccess=True))

    def test_a_table_is_created_with_a_policy_and_deleted_with_it(self):
        document = json.dumps(policy(self.grant("eve", "dynamodb:GetItem", TABLE + "made")))
        self.ann.create_table(TableName="made", ResourcePolicy=document, **schema("id:S"))
        self.allowed(self.eve.get_item, TableName="made", Key={"id": {"S": "1"}})
        self.ann.delete_table(TableName="made")
        self.ann.create_table(TableName="made", **schema("id:S"))
        self.assertEqual("PolicyNotFoundException",
                         refusal(self.ann.get_resource_policy, ResourceArn=TABLE + "made")[0])
        self.refused("GetItem", self.eve.get_item, "made", user="eve", TableName="made", Key={"id": {"S": "1"}})


class Restart(unittest.TestCase):

    def test_resource_policies_survive_and_bind_authenticated_callers_even_without_a_file(self):
        with Folder() as folder:
            credentials = credentials_file(folder)
            with Server("--credentials", credentials) as server:
                def ann():
                    return User(server.endpoint, KEYS["ann"], "secret-ann")
                ann().create_table(TableName="kept", **schema("id:S"), StreamSpecification={
                    "StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
                stream = ann().describe_table(TableName="kept")["Table"]["LatestStreamArn"]
                self.assertIsNone(refusal(ann().scan, TableName="kept"))
                closed = {"Effect": "Deny", "Principal": "*", "Resource": "*"}
                ann().put_resource_policy(ResourceArn=TABLE + "kept", Policy=json.dumps(policy(
                    closed | {"Action": "dynamodb:Scan"})))
                ann().put_resource_policy(ResourceArn=stream, Policy=json.dumps(policy(
                    closed | {"Action": "dynamodb:GetRecords"})))
                before = [ann().get_resource_policy(ResourceArn=arn) for arn in (TABLE + "kept", stream)]
                server.kill()
                server.start()
                after = [ann().get_resource_policy(ResourceArn=arn) for arn in (TABLE + "kept", stream)]
                self.assertEqual([(p["Policy"], p["RevisionId"]) for p in before],
                                 [(p["Policy"], p["RevisionId"]) for p in after])
                self.assertEqual(denied("ann", "Scan", TABLE + "kept", "a resource-based policy"),
                                 refusal(ann().scan, TableName="kept"))
                self.assertIsNone(refusal(ann().get_item, TableName="kept", Key={"id": {"S": "1"}}))


if __name__ == "__main__":
    harness.run_file()
