#!/usr/bin/python3
"""The program itself: its flags, access, refused starts, and its state after a restart."""

import datetime
import hashlib
import hmac
import http.client
import json
import os
import re
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import botocore.auth
import botocore.awsrequest
import botocore.credentials
import harness
from harness import Server, index, run_program, schema
from wire import make_certificate

FLAGS = ["--port", "--bind", "--data", "--memory-store", "--durability", "--cache-mb", "--threads", "--credentials",
         "--tls-certificate", "--tls-key", "--connections-max", "--idle-timeout-ms", "--header-timeout-ms", "--policies",
         "--audit", "--audit-mb", "--audit-keep", "--cors", "--host", "--buffers-mb-max", "--write-timeout-ms"]


def seconds_of(work):
    started_at = time.monotonic()
    work()
    return time.monotonic() - started_at


class CommandLine(unittest.TestCase):

    def test_version(self):
        done = run_program("--version")
        self.assertEqual(0, done.returncode)
        self.assertRegex(done.stdout, r"\b\d+\.\d+\.\d+\b")

    def test_help_explains_every_flag(self):
        done = run_program("serve", "--help")
        self.assertEqual(0, done.returncode)
        for flag in FLAGS:
            with self.subTest(flag=flag):
                self.assertRegex(done.stdout, rf"{flag}\b")
                explanation = re.search(rf"{flag}\b(?:.*\n?){{3}}", done.stdout).group(0)
                self.assertGreater(len(re.findall(r"[a-z]{2,}", explanation)), 4, "a flag has words of explanation")

    def test_program_help_names_its_commands(self):
        done = run_program("--help")
        self.assertEqual(0, done.returncode)
        self.assertIn("serve", done.stdout)

    def test_wrong_flags_are_refused(self):
        for flags in (["serve", "--nonsense"], ["serve", "--port", "many"], ["serve", "--port", "70000"], ["nonsense"],
                      ["serve", "--durability", "sometimes", "--memory-store", "--port", "0"],
                      ["serve", "--cache-mb", "-5", "--memory-store", "--port", "0"]):
            with self.subTest(flags=flags):
                done = run_program(*flags)
                self.assertNotEqual(0, done.returncode)
                self.assertTrue(done.stdout.strip(), "says why")

    def test_tells_how_to_reach_it(self):
        with Server("--memory-store") as server:
            self.assertIn(f"http://127.0.0.1:{server.port}", server.log())

    def test_port_in_use(self):
        with Server("--memory-store") as server:
            done = run_program("serve", "--port", server.port, "--memory-store")
            self.assertNotEqual(0, done.returncode)
            self.assertIn(str(server.port), done.stdout)

    def test_signals_stop_it_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            times = []
            for _ in range(3):
                with Server() as server:
                    times.append(seconds_of(lambda: self.assertEqual(0, server.stop(number), server.log())))
            self.assertLess(min(times), 5)

    def test_stops_although_a_client_is_connected(self):
        times = []
        for _ in range(3):
            with Server("--memory-store") as server:
                wire = harness.Wire(server.endpoint)
                wire.call("ListTables")
                times.append(seconds_of(lambda: self.assertEqual(0, server.stop())))
        self.assertLess(min(times), 5)

    def test_starts_quickly(self):
        """The time from start to first reply on an empty store must be under 100 ms. Measured here in CPU time, which
        other programs do not affect; bench/run.py measures wall-clock time."""
        times = []
        for _ in range(5):
            with Server() as server:
                times.append(harness.cpu_seconds(server.pid()))
        self.assertLess(min(times), 0.1, times)

    def test_idle_memory(self):
        with Server() as server:
            with open(f"/proc/{server.pid()}/status") as status:
                resident = int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1))
        self.assertLess(resident, 40 * 1024, "kB resident")


class Bind(unittest.TestCase):

    def test_open_on_any_other_address_is_refused(self):
        for address in ("0.0.0.0", "::"):
            with self.subTest(address=address):
                done = run_program("serve", "--port", "0", "--bind", address, "--memory-store")
                self.assertNotEqual(0, done.returncode)
                self.assertRegex(done.stdout.lower(), "credentials")

    def test_with_credentials_it_may_bind_anywhere(self):
        with harness.Folder() as folder:
            path = folder / "credentials"
            path.write_text("AKIDTEST secret\n")
            with Server("--memory-store", "--bind", "0.0.0.0", "--credentials", path) as server:
                client = harness.client(server.endpoint, access_key="AKIDTEST", secret_key="secret")
                self.assertEqual([], client.list_tables()["TableNames"])


def item_bytes(folder):
    """Bytes on disk of the files of items, without the logs, which are kept for a while. A file may disappear during the call."""
    total = 0
    for path in folder.rglob("*.sst"):
        try:
            total += path.stat().st_blocks * 512
        except FileNotFoundError:
            pass
    return total


class Presigner(botocore.auth.SigV4QueryAuth):
    """Signs in the query string and leaves the body where it is (botocore would move it into the query)."""

    def _modify_request_before_signing(self, request):
        body, request.data = request.data, b""
        super()._modify_request_before_signing(request)
        request.data = body


def sign_at(when, port, body, unsigned=()):
    """The headers of a ListTables request signed by AKIDGOOD at another time, following the specification of SigV4.
    Headers in `unsigned` are left out of the signature and of the result."""
    stamp, day = when.strftime("%Y%m%dT%H%M%SZ"), when.strftime("%Y%m%d")
    headers = {"host": f"127.0.0.1:{port}", "x-amz-date": stamp, "x-amz-target": "DynamoDB_20120810.ListTables"}
    headers = {name: value for name, value in headers.items() if name not in unsigned}
    names = ";".join(headers)
    canonical = "POST\n/\n\n" + "".join(f"{name}:{value}\n" for name, value in headers.items())
    canonical += f"\n{names}\n{hashlib.sha256(body).hexdigest()}"
    scope = f"{day}/{harness.REGION}/dynamodb/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = b"AWS4good/secret+"
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return {**headers, "Content-Type": "application/x-amz-json-1.0", "Authorization":
            f"AWS4-HMAC-SHA256 Credential=AKIDGOOD/{scope}, SignedHeaders={names}, Signature={signature}"}


class Credentials(unittest.TestCase):
    """SigV4 against a credentials file, signed by botocore."""

    @classmethod
    def setUpClass(cls):
        cls.folder = harness.Folder()
        path = cls.folder.path / "credentials"
        path.write_text("# who may come in\n[default]\naws_access_key_id = AKIDGOOD\n"
                        "aws_secret_access_key = good/secret+\n\n"
                        "[other]\naws_access_key_id = AKIDOTHER\naws_secret_access_key = other\n")
        cls.server = Server("--memory-store", "--credentials", path)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.folder.remove()

    def list_with(self, access_key, secret_key, **options):
        client = harness.client(self.server.endpoint, access_key=access_key, secret_key=secret_key, **options)
        return client.list_tables()

    def assert_refused(self, code, message, call, *arguments, **options):
        with self.assertRaises(Exception) as refused:
            call(*arguments, **options)
        error = refused.exception.response["Error"]
        self.assertEqual(code, error["Code"])
        self.assertRegex(error["Message"], message)

    def test_known_keys_come_in(self):
        self.list_with("AKIDGOOD", "good/secret+")
        self.list_with("AKIDOTHER", "other")
        self.list_with("AKIDGOOD", "good/secret+", region="eu-central-1")

    def test_unknown_key(self):
        self.assert_refused("UnrecognizedClientException", r"^The security token included in the request is invalid\.$",
                            self.list_with, "AKIDNOBODY", "good/secret+")

    def test_wrong_secret(self):
        self.assert_refused("InvalidSignatureException", "^The request signature we calculated does not match the "
                            "signature you provided. Check your AWS Secret Access Key and signing method. Consult the "
                            "service documentation for details.", self.list_with, "AKIDGOOD", "wrong")

    def test_clock_skew(self):
        for minutes, expected in ((0, ""), (-14, ""), (14, ""), (-16, "Signature expired: "),
                                  (16, "Signature not yet current: ")):
            when = datetime.datetime.utcnow() + datetime.timedelta(minutes=minutes)
            status, reply = self.post(b"{}", sign_at(when, self.server.port, b"{}"))
            self.assertEqual(400 if expected else 200, status)
            self.assertTrue(reply.get("message", "").startswith(expected), reply)

    def signed(self, body, signer=botocore.auth.SigV4Auth, **options):
        """A signed request as botocore creates it, not yet sent."""
        request = botocore.awsrequest.AWSRequest("POST", self.server.endpoint + "/", data=body, headers={
            "X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"})
        signer(botocore.credentials.Credentials("AKIDGOOD", "good/secret+"), "dynamodb", harness.REGION,
               **options).add_auth(request)
        return request.prepare()

    def send(self, request, body):
        path = request.url.split(str(self.server.port), 1)[1]
        status, reply = self.post(body, dict(request.headers), path)
        return status, str(reply.get("__type", "")).rsplit("#", 1)[-1]

    def post(self, body, headers, path="/"):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=harness.WAIT_SECONDS_MAX)
        connection.request("POST", path, body, headers)
        reply = connection.getresponse()
        text = json.loads(reply.read())
        connection.close()
        return reply.status, text

    def test_altered_body(self):
        self.assertEqual((200, ""), self.send(self.signed(b'{"Limit": 10}'), b'{"Limit": 10}'))
        self.assertEqual((400, "InvalidSignatureException"), self.send(self.signed(b'{"Limit": 10}'), b'{"Limit": 11}'))

    def test_altered_header(self):
        request = self.signed(b"{}")
        request.headers["X-Amz-Target"] = "DynamoDB_20120810.DescribeLimits"
        self.assertEqual((400, "InvalidSignatureException"), self.send(request, b"{}"))

    def test_unsigned_headers_cannot_make_it_another_operation(self):
        headers = sign_at(datetime.datetime.utcnow(), self.server.port, b"{}", unsigned=["x-amz-target"])
        headers["X-Amz-Target"] = "DynamoDB_20120810.DescribeLimits"
        status, reply = self.post(b"{}", headers)
        self.assertEqual((400, "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization."),
                         (status, reply.get("message")))

    def test_any_host_name_will_do_for_verified_callers(self):
        request = self.signed(b"{}")
        self.assertEqual((200, ""), self.send(request, b"{}"))
        request.headers["Host"] = "db.example"
        self.assertEqual((400, "InvalidSignatureException"), self.send(request, b"{}"), "the signature covers it")

    def test_unsigned(self):
        request = self.signed(b"{}")
        del request.headers["Authorization"]
        self.assertEqual((400, "MissingAuthenticationTokenException"), self.send(request, b"{}"))

    def test_presigned(self):
        request = self.signed(b"{}", signer=Presigner, expires=60)
        self.assertIn("X-Amz-Signature=", request.url)
        self.assertEqual((200, ""), self.send(request, b"{}"))
        request.url = request.url.replace("X-Amz-Expires=60", "X-Amz-Expires=61")
        self.assertEqual((400, "InvalidSignatureException"), self.send(request, b"{}"))

    def test_bad_credentials_files(self):
        with harness.Folder() as folder:
            for text in ("", "just-one-word\n", "[profile]\naws_access_key_id = A\n", "[open\n"):
                path = folder / "credentials"
                path.write_text(text)
                done = run_program("serve", "--port", "0", "--memory-store", "--credentials", path)
                self.assertNotEqual(0, done.returncode, text)
                self.assertIn("credentials", done.stdout)
            done = run_program("serve", "--port", "0", "--memory-store", "--credentials", folder / "missing")
            self.assertNotEqual(0, done.returncode)
            self.assertIn("missing", done.stdout)


class TlsFiles(unittest.TestCase):

    def test_certificate_without_key_or_wrong_files(self):
        with harness.Folder() as folder:
            certificate, key, other = folder / "certificate.pem", folder / "key.pem", folder / "other.pem"
            make_certificate(certificate, key)
            make_certificate(folder / "unused.pem", other)
            for flags in (["--tls-certificate", certificate], ["--tls-key", key],
                          ["--tls-certificate", folder / "missing", "--tls-key", key],
                          ["--tls-certificate", certificate, "--tls-key", other],
                          ["--tls-certificate", key, "--tls-key", key]):
                with self.subTest(flags=[str(flag) for flag in flags]):
                    done = run_program("serve", "--port", "0", "--memory-store", *flags)
                    self.assertNotEqual(0, done.returncode)
                    self.assertTrue(done.stdout.strip())


class Restart(unittest.TestCase):
    """All data exists after the next start, however the last run ended."""

    def check_after(self, end):
        with Server() as server:
            client = harness.client(server.endpoint)
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "books", **schema("pk:S sk:N", "g:S"), DeletionProtectionEnabled=True,
                                 GlobalSecondaryIndexes=[index("by-g", "g", include=["x"])],
                                 Tags=[{"Key": "owner", "Value": "ann"}])
            harness.create_table(wire, "plain", **schema("pk:B", billing="PROVISIONED"))
            harness.create_table(wire, "dropped", **schema("pk:S"))
            client.update_time_to_live(TableName="books",
                                       TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
            for number in range(50):
                client.put_item(TableName="books", Item={"pk": {"S": "p"}, "sk": {"N": str(number)},
                                                         "g": {"S": f"g{number % 3}"}, "x": {"S": "y" * 500}})
            client.delete_item(TableName="books", Key={"pk": {"S": "p"}, "sk": {"N": "7"}})
            client.put_item(TableName="plain", Item={"pk": {"B": b"\x00\xff"}, "n": {"N": "1.5"}})
            client.update_table(TableName="plain",
                                ProvisionedThroughput={"ReadCapacityUnits": 9, "WriteCapacityUnits": 9})
            harness.wait_active(wire, "plain")
            client.delete_table(TableName="dropped")
            before = self.everything(client)
            end(server)
            server.start()
            client = harness.client(server.endpoint)
            # After a kill, tables are recounted in the background.
            harness.until(lambda: self.counts(client) == self.counts_of(before), "the counts of items")
            after = self.everything(client)
        self.assertEqual(before, after)
        self.assertEqual(["books", "plain"], after["tables"])
        self.assertEqual(49, after["books"]["ItemCount"])
        self.assertEqual(49, len(after["items"]))

    def counts_of(self, everything):
        return [description[figure] for table in ("books", "plain")
                for description in [everything[table], *everything[table].get("GlobalSecondaryIndexes", [])]
                for figure in ("ItemCount", "TableSizeBytes" if "TableSizeBytes" in description else "IndexSizeBytes")]

    def counts(self, client):
        return self.counts_of({table: client.describe_table(TableName=table)["Table"] for table in ("books", "plain")})

    def everything(self, client):
        """Everything that a client can query, in a comparable form."""
        harness_wire = harness.Wire(client.meta.endpoint_url)
        harness.until(lambda: "dropped" not in client.list_tables()["TableNames"], "the end of the dropped table")
        harness.until(lambda: client.describe_time_to_live(TableName="books")["TimeToLiveDescription"][
            "TimeToLiveStatus"] == "ENABLED", "ENABLED")
        arn = client.describe_table(TableName="books")["Table"]["TableArn"]
        return {
            "tables": client.list_tables()["TableNames"],
            "books": harness_wire.call("DescribeTable", TableName="books")["Table"],
            "plain": harness_wire.call("DescribeTable", TableName="plain")["Table"],
            "tags": client.list_tags_of_resource(ResourceArn=arn)["Tags"],
            "ttl": client.describe_time_to_live(TableName="books")["TimeToLiveDescription"],
            "items": client.scan(TableName="books")["Items"],
            "index": sorted(map(str, client.scan(TableName="books", IndexName="by-g")["Items"])),
            "binary": client.scan(TableName="plain")["Items"],
        }

    def test_after_sigterm(self):
        self.check_after(lambda server: self.assertEqual(0, server.stop()))

    def test_after_sigkill(self):
        self.check_after(lambda server: server.kill())

    def test_relaxed_durability_survives_a_clean_stop(self):
        with Server("--durability", "relaxed") as server:
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "relaxed", **schema("pk:S"))
            for number in range(500):
                wire.call("PutItem", TableName="relaxed", Item={"pk": {"S": str(number)}})
            self.assertEqual(0, server.stop())
            server.start()
            found = harness.every_page(harness.Wire(server.endpoint).call, "Scan", TableName="relaxed")
            self.assertEqual(500, len(found))

    def test_memory_store_forgets_and_writes_nothing(self):
        with harness.Folder() as folder:
            with Server("--memory-store", cwd=str(folder)) as server:
                wire = harness.Wire(server.endpoint)
                harness.create_table(wire, "gone", **schema("pk:S"))
                wire.call("PutItem", TableName="gone", Item={"pk": {"S": "a"}})
                server.stop()
                server.start()
                self.assertEqual([], harness.Wire(server.endpoint).call("ListTables")["TableNames"])
            self.assertEqual([], os.listdir(folder))


class DataFolder(unittest.TestCase):

    def test_deleted_table_frees_its_space_in_the_background(self):
        with Server("--cache-mb", "16") as server:
            wire = harness.Wire(server.endpoint)
            harness.create_table(wire, "kept", **schema("pk:S"))
            wire.call("PutItem", TableName="kept", Item={"pk": {"S": "a"}})
            names = [f"large-{number}" for number in range(3)]
            for name in names:
                harness.create_table(wire, name, **schema("pk:S", "g:S"), GlobalSecondaryIndexes=[index("by-g", "g")])
                for number in range(100):
                    wire.call("PutItem", TableName=name, Item={"pk": {"S": str(number)}, "g": {"S": "g"},
                                                               "text": {"S": os.urandom(50_000).hex()}})
            harness.until(lambda: item_bytes(server.data) > 15 << 20, "files of items")
            times = [seconds_of(lambda: wire.call("DeleteTable", TableName=name)) for name in names]
            self.assertLess(min(times), 0.5, "the reply does not wait for the disk")
            harness.until(lambda: item_bytes(server.data) < 5 << 20, "the end of the files")
            self.assertEqual(1, wire.call("Scan", TableName="kept")["Count"])

    def test_second_server_on_the_same_data_is_refused(self):
        with Server() as server:
            done = run_program("serve", "--port", "0", "--data", server.data)
            self.assertNotEqual(0, done.returncode)
            self.assertTrue(done.stdout.strip())
            self.assertEqual([], harness.client(server.endpoint).list_tables()["TableNames"])

    def test_newer_format_is_refused_with_a_sentence(self):
        with Server() as server:
            server.stop()
            format_file = server.data / "FORMAT"
            number = int(format_file.read_text().split()[1])
            format_file.write_text(f"trestle {number + 1}\n")
            done = run_program("serve", "--port", "0", "--data", server.data)
            self.assertNotEqual(0, done.returncode)
            self.assertRegex(done.stdout, rf"format {number + 1}.*newer Trestle")
            format_file.write_text(f"trestle {number}\n")
            server.start()

    def test_folder_of_something_else_is_refused(self):
        with harness.Folder() as folder:
            (folder / "CURRENT").write_text("MANIFEST-000001\n")
            done = run_program("serve", "--port", "0", "--data", folder)
            self.assertNotEqual(0, done.returncode)
            self.assertIn(str(folder), done.stdout)

    def test_folder_that_cannot_be_created_is_refused(self):
        with harness.Folder() as folder:
            (folder / "file").write_text("")
            done = run_program("serve", "--port", "0", "--data", folder / "file" / "data")
            self.assertNotEqual(0, done.returncode)
            self.assertIn("file", done.stdout)


if __name__ == "__main__":
    harness.run_file()
