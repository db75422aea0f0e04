#!/usr/bin/python3
"""Starting in a container: --open, the command line of DynamoDB Local, and `trestle health`."""

import http.client
import os
import re
import signal
import socket
import subprocess
import unittest

import harness
from harness import Folder, Server, Wire, binary, die_with_parent, run_program, schema, until

REQUEST = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
}


def status(server, address="127.0.0.1", method="POST", path="/", **headers):
    connection = http.client.HTTPConnection(address, server.port, timeout=60)
    try:
        connection.request(method, path, "{}", {**REQUEST, **headers})
        reply = connection.getresponse()
        reply.read()
        return reply.status
    finally:
        connection.close()


class Open(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def write(self, name, content=""):
        path = self.folder.path / name
        path.write_text(content)
        return path

    def test_anyone_may_call_at_any_address_and_is_warned_of_it(self):
        with Server("--memory-store", "--open") as server:
            # Every Linux has the second address, and the default does not listen on it.
            for address in ("127.0.0.1", "127.0.0.2"):
                self.assertEqual(200, status(server, address))
            for host in ("dynamodb-local:8000", "172.17.0.2:8000", "db.internal"):
                self.assertEqual(200, status(server, Host=host), host)
            self.assertEqual(200, status(server, method="GET", path="/metrics"))
            warning = until(lambda: re.search(r"^WARNING: --open: .*$", server.log(), re.M), "the warning").group()
            self.assertIn(f"Anyone who can reach port {server.port} can read, change and delete all data.", warning)
            self.assertIn("Callers: ANYONE who can reach this server", server.log())

    def test_web_pages_may_not(self):
        with Server("--memory-store", "--open") as server:
            self.assertEqual(403, status(server, Host="evil.example.com"))
            self.assertEqual(403, status(server, Origin="http://evil.example.com"))

    def test_an_address_may_be_named(self):
        with Server("--memory-store", "--open", "--bind", "127.0.0.1") as server:
            self.assertEqual(200, status(server))
            with self.assertRaises(ConnectionRefusedError):
                status(server, "127.0.0.2")

    def test_flags_for_production_are_refused(self):
        file = self.write("file")
        policies = self.write("policies.json", '{"users": []}')
        for flags in (["--credentials", file], ["--policies", policies], ["--audit", self.folder.path / "audit"],
                      ["--tls-certificate", file, "--tls-key", file], ["--jwks", file], ["--api-keys", file],
                      ["--on", "http://127.0.0.1:1"], ["--edit"]):
            data = self.folder.path / "data"
            done = run_program("serve", "--port", "0", "--data", data, "--open", *flags)
            self.assertEqual(1, done.returncode, done.stdout)
            self.assertIn(f"--open cannot be combined with {flags[0]}", done.stdout)
            self.assertFalse(data.exists())
        self.assertFalse((self.folder.path / "audit").exists())

    def test_without_it_other_addresses_need_credentials(self):
        done = run_program("serve", "--port", "0", "--memory-store", "--bind", "0.0.0.0")
        self.assertEqual(1, done.returncode)
        self.assertIn("or for tests let anyone in with --open", done.stdout)


class DynamoDbLocal(unittest.TestCase):
    """The program as the entry point of a container whose command was written for amazon/dynamodb-local."""

    def run_as_container(self, folder, *words):
        """Starts the program in the folder; returns its process and a client."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        log = open(folder / "log", "wb+")
        self.addCleanup(log.close)
        environment = {**os.environ, "TRESTLE_SERVE_OPEN": "true", "TRESTLE_SERVE_DATA": str(folder / "default")}
        process = subprocess.Popen([binary(), *words, "-port", str(port)], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def listens():
            self.assertIsNone(process.poll(), (folder / "log").read_text())
            return b"WARNING: --open" in (folder / "log").read_bytes()
        until(listens, "the start")
        return process, f"http://127.0.0.1:{port}"

    def test_its_command_line_serves_and_data_stays(self):
        with Folder() as folder:
            (folder / "data").mkdir()
            (folder / "data" / "shared-local-instance.db").write_text("of DynamoDB Local")
            for expected in ([], ["t-1"]):
                process, url = self.run_as_container(folder, "-Djava.library.path=./DynamoDBLocal_lib", "-jar",
                                                     "DynamoDBLocal.jar", "-sharedDb", "-dbPath", "./data")
                wire = Wire(url)
                self.assertEqual(expected, wire.call("ListTables")["TableNames"])
                if not expected:
                    wire.call("CreateTable", TableName="t-1", **schema("pk:S"))
                self.assertEqual(0, run_program("health", url).returncode)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(0, process.wait(harness.STOP_SECONDS_MAX))
            self.assertTrue((folder / "data" / "trestle").is_dir())
            self.assertFalse((folder / "default").exists())
            done = run_program("health", url)
            self.assertEqual(1, done.returncode, done.stdout)

    def test_unknown_flags_are_refused(self):
        done = run_program("-jar", "DynamoDBLocal.jar", "-inMemry")
        self.assertEqual(2, done.returncode)
        self.assertIn("`-inMemry` is not a flag of DynamoDB Local", done.stdout)


if __name__ == "__main__":
    harness.run()
