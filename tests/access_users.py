"""Users with policies, for the access test suites: a server with these users, a client for each, and the expected
refusals.

Ann is the administrator; Bob may use one partition of the table "shared" and one of its index; Eve has no
permissions.
"""

import http.client
import json
import os
import unittest

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.exceptions
import harness
from harness import Folder, Server, boto3_options, index, schema

ACCOUNT = "000000000000"
TABLE = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/"
KEYS = {"ann": "AKIDANN", "bob": "AKIDBOB", "eve": "AKIDEVE", "carol": "AKIDCAROL"}


def allow(actions, resources="*", **conditions):
    statement = {"Effect": "Allow", "Action": actions, "Resource": resources}
    return statement | ({"Condition": conditions} if conditions else {})


def deny(actions, resources="*", **conditions):
    return allow(actions, resources, **conditions) | {"Effect": "Deny"}


def policy(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def own_keys(quantifier="ForAllValues:StringEquals"):
    return {quantifier: {"dynamodb:LeadingKeys": ["${aws:username}"]}}


POLICIES = {
    "policies": {"all": policy(allow("dynamodb:*"))},
    "groups": {"owners": [policy(allow("dynamodb:*", [TABLE + "shared", TABLE + "shared/*", TABLE + "copy"],
                                       **own_keys()))]},
    "users": {"ann": {"policies": ["all"]}, "bob": {"groups": ["owners"]},
              KEYS["carol"]: {"name": "caroline", "policies": ["all"]}},
}


def credentials_file(folder):
    path = folder / "credentials"
    path.write_text("".join(f"[{user}]\naws_access_key_id = {key}\naws_secret_access_key = secret-{user}\n"
                            for user, key in KEYS.items()))
    return path


class User:
    """A boto3 client. Operations that boto3 is too old for are signed and sent by hand."""

    def __init__(self, url, access_key, secret_key, service="dynamodb"):
        self.client = boto3.session.Session().client(
            service, **boto3_options(url, access_key=access_key, secret_key=secret_key))
        self.url = url
        self.credentials = botocore.credentials.Credentials(access_key, secret_key)

    def __getattr__(self, name):
        def call(**parameters):
            try:
                return getattr(self.client, name)(**parameters)
            except (AttributeError, botocore.exceptions.ParamValidationError):
                return self.send("".join(map(str.capitalize, name.split("_"))), parameters)
        return call

    def send(self, operation, parameters):
        request = botocore.awsrequest.AWSRequest("POST", self.url + "/", data=json.dumps(parameters).encode(), headers={
            "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation})
        botocore.auth.SigV4Auth(self.credentials, "dynamodb", harness.REGION).add_auth(request)
        connection = http.client.HTTPConnection(self.url.split("://")[1], timeout=harness.WAIT_SECONDS_MAX)
        connection.request("POST", "/", request.data, dict(request.headers))
        reply = connection.getresponse()
        body = json.loads(reply.read() or b"{}")
        connection.close()
        if reply.status != 200:
            error = harness.DynamoError(reply.status, body)
            raise botocore.exceptions.ClientError({"Error": {"Code": error.code, "Message": error.message}}, operation)
        return body


class Place:
    """A server with policies, and a client for each user."""

    def __init__(self, policies=POLICIES, *flags):
        self.folder = Folder()
        self.policies = self.folder.path / "policies.json"
        self.audit = self.folder.path / "audit.log"
        self.write(policies)
        self.server = Server("--memory-store", "--credentials", credentials_file(self.folder.path), "--policies",
                             self.policies, "--audit", self.audit, *flags)

    def write(self, policies):
        """Replaces the file atomically, as an editor would."""
        draft = self.policies.with_suffix(".new")
        draft.write_text(json.dumps(policies))
        os.replace(draft, self.policies)

    def client(self, user, service="dynamodb"):
        return User(self.server.endpoint, KEYS[user], f"secret-{user}", service)

    def close(self):
        self.server.close()
        self.folder.remove()


def refusal(call, **parameters):
    """The (code, message) with which a call is refused; None if it succeeds."""
    try:
        call(**parameters)
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"]
    return None


def not_allowed(user, action, resource):
    return ("AccessDeniedException",
            f"User: arn:aws:iam::{ACCOUNT}:user/{user} is not authorized to perform: dynamodb:{action} on resource: "
            f"{resource} because no identity-based policy allows the dynamodb:{action} action")


def denied(user, action, resource, by):
    return ("AccessDeniedException",
            f"User: arn:aws:iam::{ACCOUNT}:user/{user} is not authorized to perform: dynamodb:{action} on resource: "
            f"{resource} with an explicit deny in {by}")


class AccessCase(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.ann, cls.bob, cls.eve = (cls.place.client(user) for user in ("ann", "bob", "eve"))
        cls.ann.create_table(TableName="shared", **schema("owner:S id:S", "tag:S"),
                             GlobalSecondaryIndexes=[index("by-tag", "tag owner")],
                             StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        cls.ann.create_table(TableName="other", **schema("owner:S"))
        cls.ann.create_table(TableName="numbers", **schema("n:N"))
        cls.stream = cls.ann.describe_table(TableName="shared")["Table"]["LatestStreamArn"]
        for owner in ("bob", "eve"):
            for number in ("1", "2"):
                cls.ann.put_item(TableName="shared", Item=cls.item(owner, number, tag={"S": owner}))

    @classmethod
    def tearDownClass(cls):
        cls.place.close()

    @staticmethod
    def item(owner, number="1", **more):
        return {"owner": {"S": owner}, "id": {"S": number}, **more}

    def allowed(self, call, **parameters):
        self.assertIsNone(refusal(call, **parameters))

    def refused(self, action, call, resource="shared", user="bob", **parameters):
        self.assertEqual(not_allowed(user, action, TABLE + resource), refusal(call, **parameters))
