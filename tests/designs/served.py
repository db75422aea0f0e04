"""The five designs in a running program, for the suites of this folder.

Designs       `trestle serve --design designs` on a free port, with keys that sign callers' tokens.
Api           one keep-alive connection that calls operations; a refusal is a Refused with status and fields.
SystemCase    a unittest case with an Api, a boto3 client for the stored items, and common assertions.
Coverage      the last case of a suite: every operation of the design returned 200 at least once.

TRESTLE_DESIGN_ON=<URL> runs every suite on that DynamoDB endpoint instead (`--on URL --create`), and boto3 connects
there.
"""

import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import re
import secrets
import sys
import threading
import time
import unittest
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

DESIGNS = harness.REPOSITORY / "designs"
ULID = re.compile(r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$")
HMAC_SECRET = hashlib.sha256(b"the suites' own key").digest()
STAFF = {"form-bridge": {"sub": "suite", "groups": ["service"]}, "plugin-auth": {"sub": "suite", "groups": ["admin"]}}
TALLY_SECONDS_MAX = harness.WAIT_SECONDS_MAX       # tallies are exact within two seconds, unless the machine is busy


def remote_url():
    return os.environ.get("TRESTLE_DESIGN_ON", "").rstrip("/")


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TokenKeys:
    """One key of each kind, the JWKS file that names them, and tokens signed with them."""

    def __init__(self, folder):
        from cryptography.hazmat.primitives.asymmetric import ec, rsa
        self.rsa = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.ec = ec.generate_private_key(ec.SECP256R1())
        number = self.rsa.public_key().public_numbers()
        point = self.ec.public_key().public_numbers()

        def big(value, size):
            return base64url(value.to_bytes(size, "big"))

        self.path = folder / "jwks.json"
        self.path.write_text(json.dumps({"keys": [
            {"kty": "oct", "kid": "h", "alg": "HS256", "k": base64url(HMAC_SECRET)},
            {"kty": "RSA", "kid": "r", "alg": "RS256", "n": big(number.n, 256), "e": "AQAB"},
            {"kty": "EC", "kid": "e", "alg": "ES256", "crv": "P-256", "x": big(point.x, 32), "y": big(point.y, 32)}]}))

    def token(self, algorithm="HS256", **claims):
        claims.setdefault("exp", int(time.time()) + 3600)
        head = {"alg": algorithm, "typ": "JWT", "kid": algorithm[0].lower()}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (head, claims))
        return text + "." + base64url(self.signature(algorithm, text.encode()))

    def signature(self, algorithm, text):
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, padding, utils
        if algorithm == "HS256":
            return hmac.new(HMAC_SECRET, text, hashlib.sha256).digest()
        if algorithm == "RS256":
            return self.rsa.sign(text, padding.PKCS1v15(), hashes.SHA256())
        if algorithm == "ES256":
            r, s = utils.decode_dss_signature(self.ec.sign(text, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return b""


class Designs:
    """The program with the designs loaded. start() again after kill(): same data, keys and blobs, new port.

    `on`: the endpoint that holds its tables; `like`: another such program whose keys and blobs it shares."""

    def __init__(self, *flags, memory=True, designs=DESIGNS, on=None, like=None):
        self.on = on or remote_url()
        if like:
            self.folder, self.keys, self.ring, self.blobs = like.folder, like.keys, like.ring, like.blobs
        else:
            self.folder = harness.Folder()
            self.keys = TokenKeys(self.folder.path)
            self.ring = self.folder.path / "ring"
            self.ring.write_text("k1 " + base64.b64encode(secrets.token_bytes(32)).decode() + "\n")
            self.blobs = self.folder.path / "blobs"
        own = ["--design", designs, "--jwks", self.keys.path, "--keys", self.ring]
        if "--blobs" not in flags:
            own += ["--blobs", self.blobs]
        if "--ttl-sweep-ms" not in flags:
            own += ["--ttl-sweep-ms", "0"]
        if self.on:
            own += ["--on", self.on, "--create"]
            memory = True       # its own store holds nothing
        if memory:
            own.append("--memory-store")
        self.environment = dict(os.environ, AWS_ACCESS_KEY_ID=harness.ACCESS_KEY,
                                AWS_SECRET_ACCESS_KEY=harness.SECRET_KEY,
                                AWS_REGION=harness.REGION, AWS_DEFAULT_REGION=harness.REGION)
        self.server = harness.Server(*own, *flags, env=self.environment)

    @property
    def url(self):
        return self.server.endpoint

    @property
    def items_url(self):
        """The endpoint of the tables."""
        return self.on or self.url

    def operator(self):
        """The flags with which commands ask this server as an operator."""
        return ["--at", self.url, "--token", self.keys.token(sub="operator", groups=["admin"])]

    def api(self, design, **who):
        """Calls with a token that may do everything, if the design requires one; with token="" without a token."""
        if design in STAFF and "token" not in who:
            who["token"] = self.keys.token(**STAFF[design])
        return Api(self, design, **who)


shared_ = None


def is_shared():
    return shared_ is not None


def share(*flags):
    """Starts the program that a suite shares, with the suite's own flags."""
    global shared_
    shared_ = Designs(*flags)
    return shared_


def designs():
    """The program that a suite shares."""
    return shared_ or share()


class Refused(Exception):
    """A reply that is not 200: problem+json."""

    def __init__(self, status, problem, headers):
        self.status = status
        self.problem = problem
        self.headers = headers
        super().__init__(f"{status} {json.dumps(problem)[:600]}")

    @property
    def fields(self):
        return {error["field"] for error in self.problem.get("errors", [])}


answered_ = {}     # design -> names of operations that returned 200


class Api:
    """Calls the operations of one design. Not for concurrent threads; copy() returns another connection."""

    def __init__(self, designs_, design, token=None, timeout=harness.WAIT_SECONDS_MAX):
        self.designs = designs_
        self.design = design
        self.bearer = token
        self.timeout = timeout
        self.connection = None

    def copy(self):
        return Api(self.designs, self.design, self.bearer, self.timeout)

    def as_caller(self, algorithm="HS256", **claims):
        return Api(self.designs, self.design, self.designs.keys.token(algorithm, **claims), self.timeout)

    def as_nobody(self):
        return Api(self.designs, self.design, None, self.timeout)

    def with_token(self, token):
        return Api(self.designs, self.design, token, self.timeout)

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def request(self, method, path, body=None, headers=None):
        """(status, headers, body bytes). A connection that the server closed while idle is reopened once."""
        headers = dict(headers or {})
        if self.bearer:
            headers["Authorization"] = "Bearer " + self.bearer
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.designs.server.port, timeout=self.timeout)
        try:
            self.connection.request(method, path, body, headers)
            reply = self.connection.getresponse()
            data = reply.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        return reply.status, reply.headers, data

    def call_(self, operation, inputs, headers=None, method="POST", query=""):
        path = f"/designs/{self.design}/{operation}{query}"
        status, got, data = self.request(method, path, None if method == "GET" else json.dumps(inputs), headers)
        if status != 200:
            assert got["Content-Type"].startswith("application/problem+json"), (status, got["Content-Type"], data[:300])
            raise Refused(status, json.loads(data), got)
        answered_.setdefault(self.design, set()).add(operation)
        return json.loads(data), got

    def __call__(self, operation, /, **inputs):
        return self.call_(operation, inputs)[0]

    def with_headers(self, operation, headers, /, **inputs):
        return self.call_(operation, inputs, headers)

    def get(self, operation, query=""):
        return self.call_(operation, None, method="GET", query=query)[0]

    def item(self, operation, /, **inputs):
        return self(operation, **inputs)["item"]

    def pages(self, operation, /, **inputs):
        """Every page of a list, following `next`."""
        pages = []
        while True:
            reply = self(operation, **inputs)
            pages.append(reply["items"])
            assert set(reply) <= {"items", "next"}, reply.keys()
            if not reply.get("next"):
                return pages
            assert reply["next"] != inputs.get("next"), "a page token that leads to itself"
            assert len(pages) < 10000, "a list without end"
            inputs["next"] = reply["next"]

    def all(self, operation, /, **inputs):
        return [item for page in self.pages(operation, **inputs) for item in page]


def unlimited(running):
    """Removes the provisioned throughput of the table of rules, for tests that write many at once."""
    client = harness.client(running.items_url)
    if "BillingModeSummary" not in client.describe_table(TableName="FTDRuleMapping")["Table"]:
        client.update_table(TableName="FTDRuleMapping", BillingMode="PAY_PER_REQUEST")
        harness.until(lambda: client.describe_table(TableName="FTDRuleMapping")["Table"]["TableStatus"] == "ACTIVE", "the change")


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc)


def iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def epoch(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def ago(**span):
    return iso(utc_now() - datetime.timedelta(**span))


def ahead(**span):
    return iso(utc_now() + datetime.timedelta(**span))


def plain(value):
    """A DynamoDB-typed value as plain Python: sets as sets, numbers exact."""
    kind, data = next(iter(value.items()))
    if kind == "M":
        return {name: plain(one) for name, one in data.items()}
    if kind == "L":
        return [plain(one) for one in data]
    if kind == "N":
        number = Decimal(data)
        return int(number) if number == number.to_integral_value() else number
    if kind in ("SS", "BS"):
        return set(data)
    if kind == "NS":
        return {int(one) for one in data}
    return None if kind == "NULL" else data


ULID_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_ulid(milliseconds=None):
    number = ((int(time.time() * 1000) if milliseconds is None else milliseconds) << 80) | secrets.randbits(80)
    return "".join(ULID_LETTERS[(number >> shift) & 31] for shift in range(125, -1, -5))


def ulid_milliseconds(text):
    number = 0
    for letter in text:
        number = number * 32 + ULID_LETTERS.index(letter)
    return number >> 80


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def tag(prefix=""):
    """A word that no other run uses."""
    return prefix + secrets.token_hex(5)


def new_ip():
    """A new address, for rates counted per address. 2001:db8::/32 is reserved for examples."""
    return "2001:db8:" + ":".join("%x" % (0x1000 + secrets.randbelow(0xE000)) for _ in range(6))


def new_phone():
    return "+1555" + "".join(str(secrets.randbelow(10)) for _ in range(8))


def together(count, work, *more):
    """Runs work(0..count-1), each in its own thread, started simultaneously; returns the results or exceptions."""
    results = [None] * count
    gate = threading.Barrier(count)

    def one(place):
        gate.wait()
        try:
            results[place] = work(place, *more)
        except Exception as error:      # noqa: BLE001 - returned to the caller as the result
            results[place] = error

    threads = [threading.Thread(target=one, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class SystemCase(unittest.TestCase):
    """A test case of one system. `design` and `table` are the system's."""

    maxDiff = 6000
    design = None
    table = None
    @classmethod
    def setUpClass(cls):
        cls.designs = designs()
        cls.api = cls.designs.api(cls.design)
        cls.client = harness.client(cls.designs.items_url)

    @classmethod
    def tearDownClass(cls):
        cls.api.close()

    # Stored items.

    def stored(self, *key, table=None, names=("PK", "SK")):
        """The DynamoDB-typed item with this key, or None."""
        wanted = {name: {"S": value} for name, value in zip(names, key)}
        return self.client.get_item(TableName=table or self.table, Key=wanted, ConsistentRead=True).get("Item")

    def index_query(self, index, partition_name, partition, table=None):
        value = {"N": str(partition)} if isinstance(partition, int) else {"S": partition}
        return harness.every_page(
            lambda operation, **parameters: getattr(self.client, operation)(**parameters), "query",
            TableName=table or self.table, IndexName=index, KeyConditionExpression="#p = :p",
            ExpressionAttributeNames={"#p": partition_name}, ExpressionAttributeValues={":p": value})

    def partition(self, value, table=None, name="PK"):
        return harness.every_page(
            lambda operation, **parameters: getattr(self.client, operation)(**parameters), "query",
            TableName=table or self.table, KeyConditionExpression="#p = :p", ConsistentRead=True,
            ExpressionAttributeNames={"#p": name}, ExpressionAttributeValues={":p": {"S": value}})

    def attributes(self, item, **expected):
        """Asserts that these attributes, typed, have exactly these values; None: absent."""
        self.assertIsNotNone(item, "there is no such item")
        self.assertEqual(expected, {name: item.get(name) for name in expected})

    # Refusals.

    def refused(self, status, operation, /, api=None, fields=None, **inputs):
        """Asserts that the call is refused with this status, and for 400 that it names exactly these fields."""
        try:
            reply = (api or self.api)(operation, **inputs)
        except Refused as refusal:
            self.assertEqual(status, refusal.status, refusal)
            problem = refusal.problem
            self.assertEqual(status, problem.get("status"), problem)
            self.assertTrue(problem.get("title") and problem.get("type"), problem)
            if fields is not None:
                self.assertEqual(set(fields), {re.split(r"[.\[]", name)[0] for name in refusal.fields}, problem)
            if status == 429:
                self.assertGreaterEqual(int(refusal.headers["Retry-After"]), 1)
            if status == 401:
                self.assertTrue(refusal.headers["WWW-Authenticate"])
            return refusal
        self.fail(f"{operation} {inputs} was accepted, expected {status}: {json.dumps(reply)[:500]}")

    def refuses_each(self, operation, good, bad, api=None, unknown="no_such_input"):
        """Each bad value is refused with 400 naming its field; then all together, naming them all; then an unknown input."""
        api = api or self.api
        for name, values in bad.items():
            for value in values if isinstance(values, list) else [values]:
                with self.subTest(operation=operation, field=name, value=value):
                    self.refused(400, operation, api, [name], **{**good, name: value})
        worst = {name: values[0] if isinstance(values, list) else values for name, values in bad.items()}
        self.refused(400, operation, api, list(worst), **{**good, **worst})
        self.refused(400, operation, api, [unknown], **good, **{unknown: 1})

    def requires(self, operation, good, *names, api=None):
        """Without any one of these inputs the call is refused, naming it."""
        for name in names:
            with self.subTest(operation=operation, without=name):
                self.refused(400, operation, api, [name], **{key: value for key, value in good.items() if key != name})

    # Lists.

    def check_list(self, operation, expected, key, api=None, limits=(1, 2, 3), **inputs):
        """Asserts that the list is exactly `expected`, by item[key], in this order: whole, in pages of any size, and
        descending."""
        api = api or self.api
        pick = key if callable(key) else lambda item: item[key]
        self.check_some_of_list(operation, expected, pick, api, limits, lambda item: True, **inputs)

    def check_some_of_list(self, operation, expected, pick, api, limits, mine, **inputs):
        def seen(**more):
            return [pick(item) for item in api.all(operation, **inputs, **more) if mine(item)]

        self.assertEqual(expected, seen(), operation)
        for limit in limits:
            pages = api.pages(operation, **inputs, limit=limit)
            self.assertTrue(all(len(page) <= limit for page in pages), operation)
            self.assertEqual(expected, [pick(item) for page in pages for item in page if mine(item)],
                             (operation, limit))
        if "descending" not in inputs:
            self.assertEqual(expected[::-1], seen(descending=True), operation)
            self.assertEqual(expected[::-1], seen(descending=True, limit=2), operation)
            self.assertEqual(expected, seen(descending=False), operation)

    def check_page_tokens(self, operation, other_inputs, **inputs):
        """A token is only valid unaltered and for its own operation and inputs. Needs at least two items."""
        token = self.api(operation, **inputs, limit=1)["next"]
        altered = token[:-2] + ("AA" if token[-2:] != "AA" else "BB")
        self.refused(400, operation, fields=["next"], **inputs, limit=1, next=altered)
        self.refused(400, operation, fields=["next"], **{**inputs, **other_inputs}, limit=1, next=token)
        for limit in (0, -1, 1001, "2"):
            self.refused(400, operation, fields=["limit"], **inputs, limit=limit)
        self.refused(400, operation, fields=["descending"], **inputs, descending="yes")

    def eventually(self, expected, ask, seconds_max=TALLY_SECONDS_MAX):
        """Repeats the call until the result is as expected; for results that become exact with a delay."""
        give_up_at = time.monotonic() + seconds_max
        while (answer := ask()) != expected and time.monotonic() < give_up_at:
            time.sleep(0.05)
        self.assertEqual(expected, answer)

    def recent(self, text, seconds=120):
        self.assertRegex(text, TIME)
        self.assertLess(abs(epoch(text) - time.time()), seconds, text)


def operations_of(api):
    """The operations in the design's OpenAPI document."""
    _, _, data = api.request("GET", f"/designs/{api.design}/openapi.json")
    return {path.rsplit("/", 1)[1] for path in json.loads(data)["paths"]}


def coverage(design, promised, by_itself=""):
    """A case that runs last. `promised`: the operations that the system's contract names; `by_itself`: those that
    only the program calls, after a change."""

    class ZEveryOperation(SystemCase):
        def test_every_operation_exists_and_answered(self):
            offered = operations_of(self.api)
            self.assertEqual(set(), set(promised.split()) - offered, "promised, and not offered")
            self.assertEqual(set(), offered - answered_.get(design, set()) - set(by_itself.split()),
                             "offered, and never seen to work")

    ZEveryOperation.design = design
    return ZEveryOperation
