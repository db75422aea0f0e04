#!/usr/bin/python3
"""The initial data of a server: --tables, --seed, and POST /reset, which restores it."""

import http.client
import json
import socket
import threading
import unittest

import harness
from harness import DynamoError, Folder, REPOSITORY, Server, Wire, run_program, schema

DATA = REPOSITORY / "tests" / "data" / "start"
USERS = "dev-users-us-east-1"


def create_json(name, key="pk:S"):
    return {"TableName": name, **schema(key)}


def post(server, path, **headers):
    """Status and body of a POST without a body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("POST", path, headers=headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read() or b"{}")
    finally:
        connection.close()


class Start(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def write(self, name, content):
        path = self.folder.path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def items(self, wire, table):
        return wire.call("Scan", TableName=table)["Items"]

    def refused(self, *flags):
        """The message of a failed start."""
        done = run_program("serve", "--port", "0", *flags)
        self.assertEqual(1, done.returncode, done.stdout)
        return done.stdout


class Tables(Start):
    def described(self, path, *more):
        with Server("--memory-store", "--tables", path, *more) as server:
            wire = Wire(server.endpoint)
            return {name: wire.call("DescribeTable", TableName=name)["Table"]
                    for name in wire.call("ListTables")["TableNames"]}

    def test_cloudformation(self):
        with Server("--memory-store", "--tables", DATA / "template.yaml") as server:
            wire = Wire(server.endpoint)
            self.assertEqual(["Orders", USERS], wire.call("ListTables")["TableNames"])
            users = wire.call("DescribeTable", TableName=USERS)["Table"]
            self.assertEqual("by-email", users["GlobalSecondaryIndexes"][0]["IndexName"])
            self.assertEqual({"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}, users["StreamSpecification"])
            ttl = wire.call("DescribeTimeToLive", TableName=USERS)["TimeToLiveDescription"]
            self.assertEqual("ttl", ttl["AttributeName"])
            recovery = wire.call("DescribeContinuousBackups", TableName=USERS)["ContinuousBackupsDescription"]
            self.assertEqual("ENABLED", recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"])
            orders = wire.call("DescribeTable", TableName="Orders")["Table"]["ProvisionedThroughput"]
            self.assertEqual((5, 1), (orders["ReadCapacityUnits"], orders["WriteCapacityUnits"]))

    def test_serverless_framework_and_sam(self):
        template = {"Resources": {"Things": {"Type": "AWS::Serverless::SimpleTable",
                                             "Properties": {"PrimaryKey": {"Name": "n", "Type": "Number"}}}}}
        for content in (template, {"service": "x", "resources": template}):
            tables = self.described(self.write("t.json", content))
            self.assertEqual([{"AttributeName": "n", "AttributeType": "N"}], tables["Things"]["AttributeDefinitions"])

    def test_terraform(self):
        table = self.described(DATA / "tables.tf")["app-x-t"]
        self.assertEqual(["pk", "sk"], [part["AttributeName"] for part in table["KeySchema"]])
        self.assertEqual({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]},
                         table["GlobalSecondaryIndexes"][0]["Projection"])
        self.assertEqual(["pk", "g"], [part["AttributeName"] for part in table["LocalSecondaryIndexes"][0]["KeySchema"]])

    def test_terraform_as_json(self):
        arguments = {"name": "users", "billing_mode": "PAY_PER_REQUEST", "hash_key": "id", "range_key": None,
                     "attribute": [{"name": "id", "type": "S"}], "global_secondary_index": [], "ttl": []}
        shown = {"planned_values": {"root_module": {"child_modules": [
            {"resources": [{"type": "aws_dynamodb_table", "mode": "managed", "values": arguments}]}]}}}
        written = {"variable": {"stage": {"default": "dev"}},
                   "resource": {"aws_dynamodb_table": {"t": {**arguments, "name": "${var.stage}-users"}}}}
        self.assertEqual(["users"], list(self.described(self.write("plan.json", shown))))
        self.assertEqual(["dev-users"], list(self.described(self.write("main.tf.json", written))))

    def test_dynamodb_json_and_what_describe_table_answers(self):
        first = self.described(self.write("two.json", [create_json("one"), create_json("two")]))
        self.assertEqual(["one", "two"], list(first))
        described = self.described(DATA / "template.yaml")[USERS]
        again = self.described(self.write("described.json", {"Table": described}))[USERS]
        for member in ("KeySchema", "AttributeDefinitions", "BillingModeSummary", "StreamSpecification"):
            with self.subTest(member=member):
                expected = described[member]
                if member == "BillingModeSummary":
                    self.assertEqual(expected["BillingMode"], again[member]["BillingMode"])
                else:
                    self.assertEqual(expected, again[member])

    def test_design(self):
        design = REPOSITORY / "designs" / "authz.yaml"
        self.assertTrue(self.described(design))

    def test_an_existing_table_is_left_as_it_is(self):
        path = self.write("t.json", create_json("ttt"))
        with Server("--tables", path) as server:
            before = Wire(server.endpoint).call("DescribeTable", TableName="ttt")["Table"]
            server.stop()
            self.write("t.json", create_json("ttt", "other:S"))
            server.start()
            self.assertEqual(before["TableId"], Wire(server.endpoint).call("DescribeTable", TableName="ttt")["Table"]["TableId"])

    def test_a_bad_file_fails_the_start_and_changes_nothing(self):
        good = self.write("good.json", create_json("good"))
        wrong_key = {**create_json("wrong"), "AttributeDefinitions": []}
        data = self.folder.path / "data"
        for name, content, message in [
                ("empty.yaml", "", "the file is empty"),
                ("broken.json", "{", "line 1"),
                ("other.json", {"a": 1}, "does not describe tables"),
                ("none.yaml", "Resources: {}", "describes no DynamoDB tables"),
                ("wrong.json", wrong_key, "table wrong: "),
                ("twice.json", [create_json("same"), create_json("same")], "described twice"),
                ("parameter.yaml", "Parameters: {Stage: {Type: String}}\nResources: {T: {Type: 'AWS::DynamoDB::Table', "
                                   "Properties: {TableName: !Ref Stage}}}", "line 2: the parameter `Stage`"),
                ("each.tf", 'resource "aws_dynamodb_table" "t" {\n  for_each = var.x\n}', "`for_each` is not evaluated"),
                ("function.tf", 'resource "aws_dynamodb_table" "t" {\n  name = lower("X")\n}', 'line 2: `lower("X")`'),
                ("open.tf", 'resource "aws_dynamodb_table" "t" {\n', "is not closed")]:
            with self.subTest(name):
                error_output = self.refused("--data", data, "--tables", good, "--tables", self.write(name, content))
                self.assertIn(name, error_output)
                self.assertIn(message, error_output)
                self.assertFalse(data.exists())
        self.assertIn("nowhere.json", self.refused("--data", data, "--tables", "nowhere.json"))


class Seeds(Start):
    def setUp(self):
        super().setUp()
        self.tables = self.write("tables.json", [create_json("aaa"), create_json("bbb", "pk:S n:N")])

    def seeded(self, *seeds):
        """The items of both tables after a start with these seeds."""
        flags = [word for seed in seeds for word in ("--seed", seed)]
        with Server("--memory-store", "--tables", self.tables, *flags) as server:
            wire = Wire(server.endpoint)
            return self.items(wire, "aaa"), self.items(wire, "bbb")

    def test_forms(self):
        item = {"pk": {"S": "1"}, "bytes": {"B": "AAE="}, "set": {"SS": ["x"]}}
        for content in ({"aaa": [{"PutRequest": {"Item": item}}]}, {"RequestItems": {"aaa": [{"PutRequest": {"Item": item}}]}},
                        {"aaa": [item]}, {"aaa": [{"Item": item}]}):
            with self.subTest(content=content):
                self.assertEqual(([item], []), self.seeded(self.write("s.json", content)))
        for content in ({"Items": [item], "Count": 1, "ScannedCount": 1}, [item], json.dumps({"Item": item}) + "\n"):
            with self.subTest(content=content):
                self.assertEqual(([item], []), self.seeded(f"aaa={self.write('s.json', content)}"))
        lines = "".join(json.dumps({"Item": {"pk": {"S": str(i)}}}) + "\n" for i in range(300))
        self.assertEqual(300, len(self.seeded(f"aaa={self.write('lines.json', lines)}")[0]))

    def test_plain_json(self):
        plain = {"bbb": [{"pk": "x", "n": 1.50, "yes": True, "none": None, "list": [1, "2"], "map": {"S": "not a type"}}]}
        self.assertEqual([{"pk": {"S": "x"}, "n": {"N": "1.5"}, "yes": {"BOOL": True}, "none": {"NULL": True},
                           "list": {"L": [{"N": "1"}, {"S": "2"}]}, "map": {"M": {"S": {"S": "not a type"}}}}],
                         self.seeded(self.write("plain.json", plain))[1])

    def test_provisioned_units_do_not_limit_seeds(self):
        small = {**create_json("aaa"), "BillingMode": "PROVISIONED",
                 "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}
        self.write("tables.json", [small, create_json("bbb", "pk:S n:N")])
        self.assertEqual(1000, len(self.seeded(self.write("many.json", {"aaa": [{"pk": str(i)} for i in range(1000)]}))[0]))

    def test_only_an_empty_table_is_seeded(self):
        seed = self.write("s.json", {"aaa": [{"pk": "1"}, {"pk": "2"}], "bbb": [{"pk": "1", "n": 1}]})
        with Server("--tables", self.tables, "--seed", seed) as server:
            wire = Wire(server.endpoint)
            wire.call("DeleteItem", TableName="aaa", Key={"pk": {"S": "1"}})
            wire.call("DeleteItem", TableName="bbb", Key={"pk": {"S": "1"}, "n": {"N": "1"}})
            server.stop()
            server.start()
            wire = Wire(server.endpoint)
            self.assertEqual([{"pk": {"S": "2"}}], self.items(wire, "aaa"))
            self.assertEqual(1, len(self.items(wire, "bbb")))

    def test_a_bad_file_fails_the_start_and_changes_nothing(self):
        data = self.folder.path / "data"
        good = self.write("good.json", {"aaa": [{"pk": "1"}]})
        for name, content, message in [("unknown.json", {"ccc": [{"pk": "1"}]}, "there is no table ccc"),
                                       ("key.json", {"bbb": [{"pk": "1"}]}, "Missing the key n"),
                                       ("type.json", {"aaa": [{"pk": 1}]}, "Type mismatch"),
                                       ("value.json", {"aaa": [{"pk": {"N": "x"}}]}, "item 1 of aaa"),
                                       ("nameless.json", [{"pk": "1"}], "TABLE=FILE"),
                                       ("broken.json", '{"aaa": [', "not JSON"),
                                       ("empty.json", "", "empty")]:
            with self.subTest(name):
                error_output = self.refused("--data", data, "--tables", self.tables, "--seed", good, "--seed",
                                            self.write(name, content))
                self.assertIn(name, error_output)
                self.assertIn(message, error_output)
                self.assertFalse(data.exists())


class Reset(Start):
    def test_everything_is_as_at_the_start(self):
        tables = self.write("tables.json", create_json("aaa"))
        seed = self.write("s.json", {"aaa": [{"pk": "1"}]})
        with Server("--memory-store", "--tables", tables, "--seed", seed) as server:
            wire = Wire(server.endpoint)
            for _ in range(3):
                wire.call("PutItem", TableName="aaa", Item={"pk": {"S": "2"}})
                wire.call("CreateTable", **create_json("bbb"))
                wire.call("CreateBackup", TableName="aaa", BackupName="backup")
                self.assertEqual((200, {}), post(server, "/reset"))
                self.assertEqual(["aaa"], wire.call("ListTables")["TableNames"])
                self.assertEqual([{"pk": {"S": "1"}}], self.items(wire, "aaa"))
                self.assertEqual([], wire.call("ListBackups")["BackupSummaries"])
            self.assertEqual(0, server.stop())

    def test_requests_in_progress_succeed_on_the_old_data_or_on_the_new(self):
        """Every put is acknowledged, and after a reset no earlier item is left."""
        tables = self.write("tables.json", create_json("aaa"))
        with Server("--memory-store", "--tables", tables) as server:
            stop, failures, puts = threading.Event(), [], [0, 0, 0]

            def write(number):
                wire = Wire(server.endpoint)
                try:
                    while not stop.is_set():
                        wire.call("PutItem", TableName="aaa", Item={"pk": {"S": f"{number}/{puts[number]}"}})
                        puts[number] += 1
                except (DynamoError, OSError) as failure:
                    failures.append(failure)
            threads = [threading.Thread(target=write, args=[number]) for number in range(3)]
            for thread in threads:
                thread.start()
            wire = Wire(server.endpoint)
            for _ in range(20):
                before = list(puts)
                self.assertEqual(200, post(server, "/reset")[0])
                left = {item["pk"]["S"] for item in self.items(wire, "aaa")}
                self.assertFalse(left & {f"{number}/{i}" for number in range(3) for i in range(before[number])})
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual([], failures)
            self.assertEqual(0, server.stop())

    def test_who_may_reset(self):
        with Server("--memory-store") as server:
            for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
                self.assertEqual(403, post(server, "/reset", **headers)[0])
        credentials = self.write("credentials", "[default]\naws_access_key_id = A\naws_secret_access_key = B\n")
        for flags in ([], ["--memory-store", "--credentials", credentials],
                      ["--memory-store", "--audit", self.folder.path / "audit.log"]):
            with Server(*flags) as server:
                status, answer = post(server, "/reset")
                self.assertEqual(403, status, flags)
                self.assertIn("POST /reset", answer["message"])

    def test_designs_begin_anew(self):
        with Server("--memory-store", "--design", REPOSITORY / "designs" / "authz.yaml") as server:
            def call(operation, **inputs):
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
                connection.request("POST", f"/designs/authz/{operation}", json.dumps(inputs),
                                   {"Content-Type": "application/json"})
                reply = connection.getresponse()
                body = reply.read()
                connection.close()
                return reply.status, body
            for _ in range(2):
                self.assertEqual(200, call("createTenant", name="acme")[0])
                self.assertEqual(409, call("createTenant", name="acme")[0])
                self.assertEqual((200, {}), post(server, "/reset"))
            self.assertEqual(404, call("tenantByName", name="acme")[0])


class TransientStatuses(Start):
    """DynamoDB's table statuses. The long duration is never waited for; the end of the short one is."""

    def status(self, wire, table):
        try:
            return wire.call("DescribeTable", TableName=table)["Table"]["TableStatus"]
        except DynamoError as error:
            return error.code

    def refusal(self, call, *arguments, **parameters):
        with self.assertRaises(DynamoError) as raised:
            call(*arguments, **parameters)
        return raised.exception.code

    def test_a_new_table_is_not_there_yet(self):
        with Server("--memory-store", "--transient-statuses", "3600000") as server:
            wire = Wire(server.endpoint)
            wire.call("CreateTable", **create_json("music"))
            self.assertEqual("CREATING", self.status(wire, "music"))
            self.assertEqual(["music"], wire.call("ListTables")["TableNames"])
            key = {"pk": {"S": "a"}}
            for operation, parameters in [
                    ("PutItem", {"TableName": "music", "Item": key}), ("GetItem", {"TableName": "music", "Key": key}),
                    ("BatchWriteItem", {"RequestItems": {"music": [{"PutRequest": {"Item": key}}]}}),
                    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "music", "Key": key}}]}),
                    ("ExecuteStatement", {"Statement": "SELECT * FROM music"})]:
                with self.subTest(operation):
                    self.assertEqual("ResourceNotFoundException", self.refusal(wire.call, operation, **parameters))
            self.assertEqual("ResourceInUseException", self.refusal(wire.call, "DeleteTable", TableName="music"))
            self.assertEqual("ResourceInUseException",
                             self.refusal(wire.call, "UpdateTable", TableName="music", DeletionProtectionEnabled=True))

    def test_waiters_of_an_sdk(self):
        with Server("--memory-store", "--transient-statuses=200") as server:
            client = harness.client(server.endpoint)
            created = client.create_table(TableName="music", **schema("pk:S"))
            self.assertEqual("CREATING", created["TableDescription"]["TableStatus"])
            soon = {"Delay": 0.05, "MaxAttempts": 2000}
            client.get_waiter("table_exists").wait(TableName="music", WaiterConfig=soon)
            client.put_item(TableName="music", Item={"pk": {"S": "a"}})
            client.update_table(TableName="music", BillingMode="PROVISIONED",
                                ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
            client.get_waiter("table_exists").wait(TableName="music", WaiterConfig=soon)
            client.delete_table(TableName="music")
            client.get_waiter("table_not_exists").wait(TableName="music", WaiterConfig=soon)
            client.create_table(TableName="music", **schema("pk:S"))

    def test_an_updated_and_a_deleted_table(self):
        tables = self.write("tables.json", create_json("music"))
        with Server("--memory-store", "--tables", tables, "--transient-statuses", "3600000") as server:
            wire = Wire(server.endpoint)
            self.assertEqual("ACTIVE", self.status(wire, "music"))          # the start's tables are complete
            wire.call("UpdateTable", TableName="music", StreamSpecification={"StreamEnabled": True,
                                                                             "StreamViewType": "KEYS_ONLY"})
            self.assertEqual("UPDATING", self.status(wire, "music"))
            wire.call("PutItem", TableName="music", Item={"pk": {"S": "a"}})  # as in DynamoDB: it is usable meanwhile
            self.assertEqual("ResourceInUseException", self.refusal(wire.call, "DeleteTable", TableName="music"))
            self.assertEqual(200, post(server, "/reset")[0])
            self.assertEqual("ACTIVE", self.status(wire, "music"))
            wire.call("DeleteTable", TableName="music")
            self.assertEqual("DELETING", self.status(wire, "music"))
            self.assertEqual(["music"], wire.call("ListTables")["TableNames"])
            self.assertEqual("ResourceNotFoundException", self.refusal(wire.call, "Scan", TableName="music"))
            self.assertEqual("ResourceInUseException", self.refusal(wire.call, "DeleteTable", TableName="music"))
            self.assertEqual("ResourceInUseException", self.refusal(wire.call, "CreateTable", **create_json("music")))

    def test_the_flag_without_a_number(self):
        with Server("--memory-store", "--transient-statuses") as server:
            wire = Wire(server.endpoint)
            wire.call("CreateTable", **create_json("music"))
            harness.until(lambda: self.status(wire, "music") == "ACTIVE", "the end of CREATING")


class BothLoopbacks(Start):
    def has_ipv6(self):
        try:
            with socket.socket(socket.AF_INET6) as probe:
                probe.bind(("::1", 0))
                return True
        except OSError:
            return False

    def answers(self, address, port):
        try:
            with socket.create_connection((address, port), timeout=60) as plain:
                plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return plain.recv(64).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def test_a_server_answers_on_both(self):
        with Server("--memory-store") as server:
            self.assertTrue(self.answers("127.0.0.1", server.port))
            self.assertEqual(self.has_ipv6(), self.answers("::1", server.port))
        with Server("--memory-store", "--bind", "127.0.0.1") as server:
            self.assertTrue(self.answers("127.0.0.1", server.port))
            self.assertFalse(self.answers("::1", server.port))


class Isolated(Start):
    def caller(self, server, key, region="us-east-1"):
        wire = Wire(server.endpoint)
        wire.head = wire.head.replace(f"Credential={harness.ACCESS_KEY}/20240101/{harness.REGION}/",
                                      f"Credential={key}/20240101/{region}/")
        self.addCleanup(wire.close)
        return wire

    def tables(self, wire):
        return wire.call("ListTables")["TableNames"]

    def test_callers_have_tables_of_their_own(self):
        with Server("--memory-store", "--isolate") as server:
            first, other, abroad = (self.caller(server, "KEY1"), self.caller(server, "KEY2"),
                                    self.caller(server, "KEY1", "eu-west-1"))
            first.call("CreateTable", **create_json("ttt"))
            first.call("PutItem", TableName="ttt", Item={"pk": {"S": "a"}})
            self.assertEqual([], self.tables(other))
            arn = abroad.call("CreateTable", **create_json("ttt"))["TableDescription"]["TableArn"]
            self.assertTrue(arn.startswith("arn:aws:dynamodb:eu-west-1:"), arn)
            self.assertEqual([], self.items(abroad, "ttt"))
            self.assertEqual([{"pk": {"S": "a"}}], self.items(self.caller(server, "KEY1"), "ttt"))
            self.assertEqual((200, {}), post(server, "/reset"))
            self.assertEqual([[], [], []], [self.tables(one) for one in (first, other, abroad)])

    def test_each_begins_with_the_tables_and_items_of_the_flags(self):
        tables, seed = self.write("t.json", create_json("ttt")), self.write("s.json", {"ttt": [{"pk": "a"}]})
        with Server("--memory-store", "--isolate", "--tables", tables, "--seed", seed) as server:
            first = self.caller(server, "KEY1")
            first.call("DeleteItem", TableName="ttt", Key={"pk": {"S": "a"}})
            self.assertEqual([], self.items(first, "ttt"))
            self.assertEqual([{"pk": {"S": "a"}}], self.items(self.caller(server, "KEY2"), "ttt"))
        bad = self.write("bad.json", {"ttt": [{"other": "a"}]})
        self.assertIn("bad.json", self.refused("--memory-store", "--isolate", "--tables", tables, "--seed", bad))

    def test_a_data_folder_keeps_them(self):
        data = self.folder.path / "data"
        with Server("--isolate", data=data) as server:
            self.caller(server, "KEY1").call("CreateTable", **create_json("ttt"))
            self.assertEqual([], self.tables(self.caller(server, "KEY2")))
            self.assertEqual(403, post(server, "/reset")[0])
        with Server("--isolate", data=data) as server:
            self.assertEqual(["ttt"], self.tables(self.caller(server, "KEY1")))
            self.assertEqual([], self.tables(self.caller(server, "KEY2")))

    def test_names_that_are_no_names_of_folders_are_refused(self):
        with Server("--isolate", data=self.folder.path / "data") as server:
            with self.assertRaises(DynamoError) as refused:
                self.tables(self.caller(server, "..%2F.."))
            self.assertEqual(400, refused.exception.status)

    def test_refused_with_what_knows_callers(self):
        self.assertIn("--audit", self.refused("--memory-store", "--isolate", "--audit", self.folder.path / "log"))
        self.assertIn("--design", self.refused("--memory-store", "--isolate", "--design", REPOSITORY / "designs/authz.yaml"))



if __name__ == "__main__":
    harness.run()
