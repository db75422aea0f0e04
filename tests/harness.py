"""Shared by all whole-program tests: a server, clients, and a plain result line.

Server      starts the program on a free port with its own data folder and stops it by its process id.
endpoint()  the server that one suite shares; TRESTLE_ENDPOINT replaces it by any other DynamoDB endpoint.
client()    boto3, as users have it. Wire is faster: one socket, hand-written requests, for load.
until()     waits for a condition; its timeout allows for a busy machine that is ten times slower.
run()       runs a file's unittest cases and ends with the line "N passed, N failed".

TRESTLE_BINARY names the program under test (default: build/trestle in this repository).
"""

import atexit
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

os.environ["AWS_CONFIG_FILE"] = os.devnull
os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

REPOSITORY = Path(__file__).resolve().parent.parent
REGION = os.environ.get("AWS_DEFAULT_REGION", "us-east-1")
ACCESS_KEY = os.environ.get("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
SECRET_KEY = os.environ.get("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
START_SECONDS_MAX = 120
STOP_SECONDS_MAX = 120
WAIT_SECONDS_MAX = 120


def binary():
    """The program under test, from any working directory."""
    return os.path.abspath(os.environ.get("TRESTLE_BINARY", REPOSITORY / "build" / "trestle"))


def run_program(*arguments, seconds_max=WAIT_SECONDS_MAX, **options):
    """Runs the program to completion and returns the completed process, its output as text."""
    return subprocess.run([binary(), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=seconds_max, **options)


def until(condition, what):
    """Waits until condition() returns a true value, and returns that value."""
    give_up_at = time.monotonic() + WAIT_SECONDS_MAX
    while not (found := condition()):
        if time.monotonic() > give_up_at:
            raise AssertionError(f"{what} did not happen within {WAIT_SECONDS_MAX} s")
        time.sleep(0.01)
    return found


def within_one(seconds, work):
    """Runs work(), and once more if it failed while another minute, hour or day (of this many seconds, UTC) began."""
    began = int(time.time()) // seconds
    try:
        return work()
    except AssertionError:
        if int(time.time()) // seconds == began:
            raise
    return work()


def cpu_seconds(pid):
    """The CPU time of a process and its threads so far. Unlike elapsed time, it does not depend on the machine's load."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Folder:
    """A temporary folder that is removed when the test ends, whatever its outcome."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="trestle-test-"))
        atexit.register(self.remove)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        self.remove()


class ServerDied(Exception):
    pass


LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Runs in a new child process: if the test is killed, its server is killed too."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """One run of `trestle serve`. start() may be called again after stop() or kill(): same data folder, new port."""

    def __init__(self, *flags, data=None, start=True, before=None, **popen_options):
        self.flags = [str(flag) for flag in flags]
        self.memory = "--memory-store" in self.flags
        self.own_folder_ = Folder()
        self.data = Path(data) if data else self.own_folder_.path / "data"
        self.log_path = self.own_folder_.path / "server.log"
        self.process = None
        self.endpoint = None
        self.before_ = before                   # called in the new process before the program runs
        self.popen_options_ = popen_options
        atexit.register(self.close)
        if start:
            self.start()

    def start(self):
        command = [binary(), "serve", "--port", "0"]
        if not self.memory:
            command += ["--data", str(self.data)]
        log = open(self.log_path, "ab")
        self.log_start_ = log.tell()
        self.process = subprocess.Popen(command + self.flags, stdin=subprocess.DEVNULL, stdout=log,
                                        stderr=subprocess.STDOUT, preexec_fn=self.prepare_, **self.popen_options_)
        log.close()
        give_up_at = time.monotonic() + START_SECONDS_MAX
        self.endpoint = self.wait_for_(self.printed_endpoint_, "print where it listens", give_up_at)
        self.port = int(self.endpoint.rsplit(":", 1)[1])
        self.wait_for_(self.answers_, "answer GET /", give_up_at)
        return self

    def prepare_(self):
        die_with_parent()
        if self.before_:
            self.before_()

    def wait_for_(self, attempt, what, give_up_at):
        while True:
            if self.process.poll() is not None:
                raise ServerDied(f"server ended with {self.process.returncode} before it did {what}:\n{self.log()}")
            result = attempt()
            if result:
                return result
            if time.monotonic() > give_up_at:
                self.kill()
                raise ServerDied(f"server did not {what} within {START_SECONDS_MAX} s:\n{self.log()}")
            time.sleep(0.002)

    def printed_endpoint_(self):
        found = re.search(r"(https?)://(?:127\.0\.0\.1|0\.0\.0\.0|localhost):([1-9]\d*)\b.*\n", self.log())
        return found and f"{found.group(1)}://127.0.0.1:{found.group(2)}"

    def answers_(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as plain:
                if self.endpoint.startswith("https"):
                    return True
                plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return plain.recv(64).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def log(self):
        with open(self.log_path, errors="replace") as file:
            file.seek(self.log_start_)
            return file.read()

    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, signal_number=signal.SIGTERM):
        """Asks the server to stop and returns its exit status; it is a failure if the server does not stop."""
        if not self.alive():
            return None if self.process is None else self.process.returncode
        self.process.send_signal(signal_number)
        try:
            return self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerDied(f"server did not stop within {STOP_SECONDS_MAX} s of signal {signal_number}") from None

    def kill(self):
        """Kills the server, as a crash would."""
        if self.alive():
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        self.own_folder_.remove()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


shared_server_ = None


def endpoint():
    """The endpoint that this suite tests: TRESTLE_ENDPOINT, or a server started once and stopped at exit."""
    global shared_server_
    if os.environ.get("TRESTLE_ENDPOINT"):
        return os.environ["TRESTLE_ENDPOINT"].rstrip("/")
    if shared_server_ is None:
        shared_server_ = Server(*os.environ.get("TRESTLE_FLAGS", "").split())
    return shared_server_.endpoint


def shared_server():
    """The Server behind endpoint(), or None when the suite runs against TRESTLE_ENDPOINT."""
    endpoint()
    return shared_server_


def boto3_options(url=None, **options):
    from botocore.config import Config
    config = Config(retries={"total_max_attempts": 1}, max_pool_connections=64, connect_timeout=60, read_timeout=120,
                    parameter_validation=options.pop("parameter_validation", True))
    return dict(endpoint_url=url or endpoint(), region_name=options.pop("region", REGION), config=config,
                aws_access_key_id=options.pop("access_key", ACCESS_KEY),
                aws_secret_access_key=options.pop("secret_key", SECRET_KEY), **options)


def client(url=None, **options):
    """A boto3 DynamoDB client. With parameter_validation=False, invalid requests reach the server."""
    import boto3
    return boto3.session.Session().client("dynamodb", **boto3_options(url, **options))


def resource(url=None, **options):
    import boto3
    return boto3.session.Session().resource("dynamodb", **boto3_options(url, **options))


class DynamoError(Exception):
    """A refusal. `code` is the exception's short name, `body` the whole reply."""

    def __init__(self, status, body):
        self.status = status
        self.body = body
        self.code = str(body.get("__type", "")).rsplit("#", 1)[-1]
        self.message = body.get("message", body.get("Message", ""))
        super().__init__(f"{status} {self.code}: {self.message}")


AUTHORIZATION = (f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/20240101/{REGION}/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64)


class Wire:
    """One keep-alive connection that sends DynamoDB's JSON with as little overhead as Python allows.

    The signature is a placeholder, so the server must run without a credentials file. Not for concurrent threads.
    call() returns the reply or raises DynamoError. A broken connection raises OSError; the outcome of the call is
    then unknown.
    """

    def __init__(self, url=None, timeout=WAIT_SECONDS_MAX):
        self.host, port = (url or endpoint()).split("://")[1].split(":")
        self.port = int(port)
        self.timeout = timeout
        self.socket = None
        self.head = ("POST / HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/x-amz-json-1.0\r\n"
                     "Authorization: %s\r\nX-Amz-Date: 20240101T000000Z\r\nAccept-Encoding: identity\r\n"
                     % (self.host, self.port, AUTHORIZATION))

    def connect(self):
        self.socket = socket.create_connection((self.host, self.port), timeout=self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def call(self, operation, **parameters):
        status, _, body = self.post(operation, json.dumps(parameters).encode())
        reply = json.loads(body) if body else {}
        if status != 200:
            raise DynamoError(status, reply)
        return reply

    def post(self, operation, body):
        """Sends one request and returns (status, header bytes, body bytes)."""
        if self.socket is None:
            self.connect()
        try:
            target = "X-Amz-Target: DynamoDB_20120810.%s\r\nContent-Length: %d\r\n\r\n" % (operation, len(body))
            self.socket.sendall((self.head + target).encode() + body)
            return self.read_reply_()
        except OSError:
            self.close()
            raise

    def read_reply_(self):
        buffer = self.buffer
        while (end := buffer.find(b"\r\n\r\n")) < 0:
            buffer += self.more_()
        head = buffer[:end]
        found = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
        length = int(found.group(1)) if found else 0
        buffer = buffer[end + 4:]
        while len(buffer) < length:
            buffer += self.more_()
        self.buffer = buffer[length:]
        if re.search(rb"\r\nconnection: *close", head, re.IGNORECASE):
            self.close()
        return int(head[9:12]), head, buffer[:length]

    def more_(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data


def unique(name):
    """A table name that no other test uses."""
    unique.counter += 1
    return f"{name}-{os.getpid()}-{unique.counter}"


unique.counter = 0


def schema(key, types="", billing="PAY_PER_REQUEST"):
    """CreateTable parameters from a short text: schema("pk:S sk:N"), or with more attributes schema("pk:S", "a:S b:N").

    The first attribute is the HASH key, a second one the RANGE key; `types` only defines attributes (for indexes).
    """
    keys = [part.split(":") for part in key.split()]
    more = [part.split(":") for part in types.split()]
    parameters = dict(
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in keys + more],
        KeySchema=key_schema(" ".join(n for n, _ in keys)), BillingMode=billing)
    if billing == "PROVISIONED":
        parameters["ProvisionedThroughput"] = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    return parameters


def key_schema(names, hash_count=1):
    return [{"AttributeName": name, "KeyType": "HASH" if place < hash_count else "RANGE"}
            for place, name in enumerate(names.split())]


def index(name, keys, projection="ALL", include=None, hash_count=1):
    shape = {"ProjectionType": "INCLUDE", "NonKeyAttributes": include} if include else {"ProjectionType": projection}
    return {"IndexName": name, "KeySchema": key_schema(keys, hash_count), "Projection": shape}


def create_table(wire, name, **parameters):
    """Creates a table over a Wire and waits until it and its indexes are ACTIVE."""
    wire.call("CreateTable", TableName=name, **parameters)
    wait_active(wire, name)


def wait_active(wire, name, seconds_max=WAIT_SECONDS_MAX):
    give_up_at = time.monotonic() + seconds_max
    while True:
        table = wire.call("DescribeTable", TableName=name)["Table"]
        states = [table["TableStatus"]] + [i["IndexStatus"] for i in table.get("GlobalSecondaryIndexes", [])]
        if all(state == "ACTIVE" for state in states):
            return table
        if time.monotonic() > give_up_at:
            raise TimeoutError(f"table {name} is still {states} after {seconds_max} s")
        time.sleep(0.02)


def every_page(call, operation, **parameters):
    """All items of a Query or Scan, following LastEvaluatedKey."""
    items = []
    while True:
        page = call(operation, **parameters)
        items += page.get("Items", [])
        if "LastEvaluatedKey" not in page:
            return items
        parameters["ExclusiveStartKey"] = page["LastEvaluatedKey"]


# AWS prefixes many of its messages with this in some regions and not in others; tests accept both.
PREFIX = "1 validation error detected: "


def same_message(got, expected):
    return got.removeprefix(PREFIX) == expected.removeprefix(PREFIX)


class Case(unittest.TestCase):
    """A test case with a boto3 client, tables that are deleted at the end, and refuses() for errors."""

    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.url = endpoint()
        cls.client = client(cls.url)
        cls.raw = client(cls.url, parameter_validation=False)
        cls.wire = Wire(cls.url)
        cls.tables_ = []

    @classmethod
    def tearDownClass(cls):
        for name in cls.tables_:
            try:
                cls.client.delete_table(TableName=name)
            except cls.client.exceptions.ResourceNotFoundException:
                pass
        cls.wire.close()

    @classmethod
    def table(cls, name, key="pk:S", types="", **parameters):
        """Creates a table with a unique name, waits until it is ACTIVE and returns the name."""
        name = unique(name)
        billing = parameters.pop("BillingMode", "PAY_PER_REQUEST")
        cls.client.create_table(TableName=name, **schema(key, types, billing), **parameters)
        cls.tables_.append(name)
        cls.wait_exists(name)
        return name

    @classmethod
    def wait_exists(cls, name):
        cls.client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 0.05, "MaxAttempts": 600})

    @classmethod
    def wait_gone(cls, name):
        cls.client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 0.05, "MaxAttempts": 600})

    def refuses(self, code, message, call, *arguments, status=400, **parameters):
        """Asserts that a call is refused with this exception, status and message (a string, a pattern, or None for any)."""
        from botocore.exceptions import ClientError
        try:
            reply = call(*arguments, **parameters)
        except ClientError as error:
            got = error.response["Error"]
            self.assertEqual((code, status), (got["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"]), got)
            self.assertTrue(error.response["ResponseMetadata"].get("RequestId"), "an error carries a request id")
            reply, text = error.response, got["Message"]
        except DynamoError as error:
            self.assertEqual((code, status), (error.code, error.status), error.message)
            reply, text = error.body, error.message
        else:
            self.fail(f"accepted, expected {code}: {message}\nreply: {reply}")
        if isinstance(message, re.Pattern):
            self.assertRegex(text, message)
        elif message is not None and not same_message(text, message):
            self.assertEqual(message, text)
        return reply


class Result(unittest.TextTestResult):
    """Prints one line per case as it ends, with its duration if it was slow."""

    def startTest(self, test):
        self.started_at_ = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        unittest.TestResult.addSuccess(self, test)
        seconds = time.monotonic() - self.started_at_
        self.stream.writeln("ok" + (f" ({seconds:.1f} s)" if seconds > 1 else ""))

    def getDescription(self, test):
        parts = test.id().split(".")
        return ".".join(parts[-2:])


def run(module="__main__", names=None):
    """Runs the unittest cases of a module and exits: 0 if all passed. The last line is "N passed, N failed"."""
    loader = unittest.TestLoader()
    module = sys.modules[module]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)
    failed = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
    if result.testsRun == 0 and not failed:
        print("no test ran")
        failed = 1
    print(f"{max(result.testsRun - failed, 0)} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


def run_file():
    """The main function of a test file without flags: arguments are the names of cases to run (default: all)."""
    run("__main__", sys.argv[1:])
