#!/usr/bin/python3
"""HTTP as clients send it, valid and invalid: framing, timeouts, limits, compression, garbage, TLS.

Everything is written to a socket byte by byte, because a client library would correct it. A server that refuses may
reply or just close the connection; it must never hang, crash or send a wrong reply to the next client.
"""

import gzip
import json
import os
import random
import re
import socket
import ssl
import subprocess
import time
import unittest
import warnings
import zlib

import harness

SEED = int(os.environ.get("TRESTLE_SEED", time.time()))
REPLY_SECONDS_MAX = 60
LIST_TABLES = b"{}"


def request(body=LIST_TABLES, operation="ListTables", method="POST", version="HTTP/1.1", length=True, **headers):
    """The bytes of one request. Underscores in header names stand for hyphens; a header given as None is omitted."""
    fields = {"Host": "localhost", "Content-Type": "application/x-amz-json-1.0",
              "X-Amz-Target": f"DynamoDB_20120810.{operation}", "X-Amz-Date": "20240101T000000Z",
              "Authorization": harness.AUTHORIZATION}
    if length:
        fields["Content-Length"] = len(body)
    fields.update({name.replace("_", "-"): value for name, value in headers.items()})
    lines = [f"{name}: {value}\r\n" for name, value in fields.items() if value is not None]
    return f"{method} / {version}\r\n{''.join(lines)}\r\n".encode() + body


def chunks(body, sizes, extension=b"", trailer=b""):
    """A chunked body: pieces of the given sizes (the last size repeats), then the end."""
    text, place, sizes = b"", 0, list(sizes)
    while place < len(body):
        size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
        piece = body[place:place + size]
        text += b"%x%s\r\n%s\r\n" % (len(piece), extension, piece)
        place += size
    return text + b"0\r\n" + trailer + b"\r\n"


class Reply:
    def __init__(self, status, head, body):
        self.status, self.body = status, body
        self.headers = {}
        for line in head.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()

    def json(self):
        return json.loads(self.body)

    def code(self):
        return str(self.json().get("__type", "")).rsplit("#", 1)[-1]


class Connection:
    """A plain socket with a reader that understands replies, and None for a connection that the server closed."""

    def __init__(self, port, wrap=None, seconds_max=REPLY_SECONDS_MAX):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds_max)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if wrap:
            self.socket = wrap(self.socket)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends. If the server has already closed the connection, reply() reports it."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            pass

    def end(self):
        """Signals that no more will be sent. The server may already have closed the connection."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def more(self):
        try:
            data = self.socket.recv(1 << 16)
        except (ConnectionResetError, ssl.SSLError):
            return False
        self.buffer += data
        return bool(data)

    def reply(self, head_only=False):
        """The next reply, or None if the server closed the connection. A silent server raises TimeoutError."""
        while b"\r\n\r\n" not in self.buffer:
            if not self.more():
                return None
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        text = head.decode("latin-1")
        status = int(text.split(" ", 2)[1])
        if status == 100 or head_only:
            return Reply(status, text, b"")
        found = re.search(r"\r\ncontent-length: *(\d+)", text, re.IGNORECASE)
        length = int(found.group(1)) if found else 0
        while len(self.buffer) < length:
            if not self.more():
                return None
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Reply(status, text, body)

    def closed(self):
        """Waits until the server has closed the connection, discarding what it sends first; returns True then."""
        while self.more():
            pass
        return True


class WireCase(unittest.TestCase):
    flags = []

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server("--memory-store", *cls.flags)
        cls.port = cls.server.port

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def setUp(self):
        if not self.server.alive():         # an earlier case has killed it
            self.server.start()
            type(self).port = self.server.port

    def tearDown(self):
        self.assertTrue(self.server.alive(), f"the server died:\n{self.server.log()[-4000:]}")

    def connect(self, **options):
        connection = Connection(self.port, **options)
        self.addCleanup(connection.socket.close)
        return connection

    def ask(self, data, **options):
        connection = self.connect(**options)
        connection.send(data)
        return connection.reply()

    def assert_serves(self):
        """Other clients are still served."""
        reply = self.ask(request())
        self.assertIsNotNone(reply, "the server does not answer any more")
        self.assertEqual((200, ["TableNames"]), (reply.status, list(reply.json())))

    def assert_refused(self, reply, *statuses):
        """Asserts a refusal: the connection was closed, or one of the statuses was returned (any 4xx if none is given)."""
        if reply is not None:
            self.assertTrue(reply.status in statuses if statuses else 400 <= reply.status < 500,
                            f"status {reply.status}: {reply.body[:200]}")


class Framing(WireCase):

    def test_health_reply(self):
        reply = self.ask(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(200, reply.status)
        self.assertTrue(reply.body.startswith(b"healthy: dynamodb."), reply.body)

    def test_reply_carries_id_checksum_and_type(self):
        connection = self.connect()
        seen = set()
        for body in (b"{}", b"{not json"):
            connection.send(request(body))
            reply = connection.reply()
            self.assertEqual(zlib.crc32(reply.body), int(reply.headers["x-amz-crc32"]))
            self.assertEqual("application/x-amz-json-1.0", reply.headers["content-type"])
            self.assertRegex(reply.headers["x-amzn-requestid"], r"^[A-Z0-9]{52}$")
            seen.add(reply.headers["x-amzn-requestid"])
        self.assertEqual(2, len(seen), "every reply has an id of its own")

    def test_connection_is_kept(self):
        connection = self.connect()
        for _ in range(200):
            connection.send(request())
            self.assertEqual(200, connection.reply().status)

    def test_close_is_honoured(self):
        for data in (request(Connection="close"), request(version="HTTP/1.0")):
            connection = self.connect()
            connection.send(data)
            self.assertEqual(200, connection.reply().status)
            self.assertTrue(connection.closed())

    def test_http_1_0_keep_alive(self):
        connection = self.connect()
        for _ in range(2):
            connection.send(request(version="HTTP/1.0", Connection="keep-alive"))
            self.assertEqual(200, connection.reply().status)

    def test_pipelined_requests_are_answered_in_order(self):
        connection = self.connect()
        names = [f"missing-table-{n}" for n in range(50)]
        connection.send(b"".join(request(json.dumps({"TableName": name}).encode(), "DescribeTable") for name in names))
        for name in names:
            reply = connection.reply()
            self.assertEqual((400, "ResourceNotFoundException"), (reply.status, reply.code()))
            self.assertIn(name, reply.json()["message"])

    def test_pipelined_after_a_close_is_not_answered(self):
        connection = self.connect()
        connection.send(request(Connection="close") + request())
        self.assertEqual(200, connection.reply().status)
        self.assertIsNone(connection.reply())

    def test_request_byte_by_byte(self):
        connection = self.connect()
        for byte in request():
            connection.send(bytes([byte]))
        self.assertEqual(200, connection.reply().status)

    def test_expect_continue(self):
        connection = self.connect()
        head, body = request(Expect="100-continue").split(b"\r\n\r\n", 1)
        connection.send(head + b"\r\n\r\n")
        self.assertEqual(100, connection.reply().status)
        connection.send(body)
        self.assertEqual(200, connection.reply().status)

    def test_expect_continue_with_the_body_already_sent(self):
        connection = self.connect()
        connection.send(request(Expect="100-continue"))
        reply = connection.reply()
        self.assertEqual(200, (connection.reply() if reply.status == 100 else reply).status)
        connection.send(request())
        self.assertEqual(200, connection.reply().status)

    def test_expect_continue_of_a_body_too_large_is_refused_before_it_is_sent(self):
        connection = self.connect()
        connection.send(request(b"", length=False, Expect="100-continue", Content_Length=40 << 20))
        reply = connection.reply()
        self.assert_refused(reply, 413, 417)

    def test_chunked_body(self):
        body = json.dumps({"ExclusiveStartTableName": "abc", "Limit": 10}).encode()
        for sizes in ([1], [3, 1, 100], [1000]):
            for extra in ({}, {"extension": b";name=value"}, {"trailer": b"X-Checksum: 1\r\n"}):
                data = request(b"", length=False, Transfer_Encoding="chunked") + chunks(body, sizes, **extra)
                connection = self.connect()
                connection.send(data)
                reply = connection.reply()
                self.assertEqual(200, reply.status, reply.body)
                connection.send(request())
                self.assertEqual(200, connection.reply().status, "the connection goes on after a chunked body")

    def test_chunked_body_split_anywhere(self):
        data = request(b"", length=False, Transfer_Encoding="chunked") + chunks(b'{"Limit": 10}', [4])
        start = data.index(b"\r\n\r\n") + 4
        for cut in range(start, len(data)):
            connection = self.connect()
            connection.send(data[:cut])
            connection.send(data[cut:])
            self.assertEqual(200, connection.reply().status)
            connection.socket.close()

    def test_header_names_have_no_case(self):
        data = request().replace(b"Content-Length", b"cOnTeNt-LeNgTh").replace(b"X-Amz-Target", b"x-AMZ-target")
        self.assertEqual(200, self.ask(data).status)

    def test_abrupt_disconnects_harm_nobody(self):
        whole = request(b'{"Limit": 10}' + b" " * 5000)
        for cut in range(0, len(whole), 97):
            connection = self.connect()
            connection.send(whole[:cut])
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.socket.close()
        self.assert_serves()

    def test_half_closed_client_is_answered(self):
        connection = self.connect()
        connection.send(request())
        connection.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(200, connection.reply().status)


class FrontDoor(WireCase):
    """What is refused before the operation is looked up."""

    def test_unknown_operation(self):
        for target in ("DynamoDB_20120810.Nonsense", "DynamoDB_20990101.ListTables", "ListTables", ""):
            reply = self.ask(request(X_Amz_Target=target))
            self.assertEqual((400, "UnknownOperationException"), (reply.status, reply.code()), target)

    def test_missing_target(self):
        reply = self.ask(request(X_Amz_Target=None))
        self.assertEqual((400, "UnknownOperationException"), (reply.status, reply.code()))

    def test_missing_authentication(self):
        reply = self.ask(request(Authorization=None))
        self.assertEqual((400, "MissingAuthenticationTokenException"), (reply.status, reply.code()))
        self.assertEqual("Request is missing Authentication Token", reply.json()["message"])

    def test_incomplete_authentication(self):
        reply = self.ask(request(Authorization="AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request"))
        self.assertEqual((400, "IncompleteSignatureException"), (reply.status, reply.code()))

    def test_other_methods_and_types(self):
        for data in (request(method="PUT"), request(method="DELETE"), request(Content_Type="text/xml")):
            reply = self.ask(data)
            self.assertEqual(404, reply.status)
            self.assertIn(b"UnknownOperationException", reply.body)

    def test_json_that_is_none(self):
        for body in (b"", b"{", b"[]", b"nothing", b'"text"', b"{\"a\": \xff\xfe}", b"{} {}", b'{"Limit": 01}',
                     b'{"Limit": 1e999999999}', b"[" * 100_000, b'{"a":' * 100_000):
            reply = self.ask(request(body))
            self.assertEqual(400, reply.status, body[:40])
            self.assertIn(reply.code(), ("SerializationException", "ValidationException"), body[:40])
        self.assert_serves()

    PREFLIGHT = request(b"", method="OPTIONS", Origin="http://example.com", Access_Control_Request_Method="POST",
                        Access_Control_Request_Headers="x-amz-target,content-type")

    def test_pages_of_other_origins_are_refused(self):
        for data in (self.PREFLIGHT, request(Origin="http://example.com"), request(Origin="null"),
                     request(b"", method="GET", Origin="http://example.com")):
            reply = self.ask(data)
            self.assertEqual(403, reply.status, data)
            self.assertFalse([name for name in reply.headers if name.startswith("access-control")], reply.headers)
        self.assertIn("pass --cors http://example.com", self.ask(request(Origin="http://example.com")).json()["message"])
        self.assertEqual(200, self.ask(request(Origin=f"http://localhost:{self.server.port}",
                                               Host=f"localhost:{self.server.port}")).status)

    def test_names_that_dns_could_point_here_are_refused(self):
        for host in ("evil.example", f"evil.example:{self.server.port}", "127.0.0.1.evil.example"):
            for data in (request(Host=host), request(b"", method="GET", Host=host),
                         request(Host=host, Origin=f"http://{host}")):
                self.assertEqual(403, self.ask(data).status, data)
        self.assertIn("pass --host evil.example", self.ask(request(Host="evil.example:1")).json()["message"])
        for host in ("localhost", f"127.0.0.1:{self.server.port}", "[::1]:80"):
            self.assertEqual(200, self.ask(request(Host=host)).status, host)

    def test_listed_origins_and_hosts(self):
        with harness.Server("--memory-store", "--cors", "http://example.com", "--cors", "http://other.example", "--host",
                            "db.internal") as server, Connection(server.port) as connection:
            def ask(data):
                connection.send(data)
                return connection.reply()
            reply = ask(self.PREFLIGHT)
            self.assertEqual(200, reply.status)
            self.assertEqual("http://example.com", reply.headers["access-control-allow-origin"])
            self.assertIn("x-amz-target", reply.headers["access-control-allow-headers"].lower())
            self.assertIn("POST", reply.headers["access-control-allow-methods"])
            reply = ask(request(Origin="http://other.example", Host=f"db.internal:{server.port}"))
            self.assertEqual((200, "http://other.example"), (reply.status, reply.headers["access-control-allow-origin"]))
            self.assertEqual(403, ask(request(Origin="http://third.example")).status)
            self.assertNotIn("access-control-allow-origin", ask(request()).headers)


class Limits(WireCase):

    def test_body_too_large(self):
        connection = self.connect()
        connection.send(request(b"", length=False, Content_Length=64 << 20) + b" " * 1000)
        self.assert_refused(connection.reply(), 413)
        self.assert_serves()

    def test_chunked_body_too_large(self):
        connection = self.connect()
        connection.send(request(b"", length=False, Transfer_Encoding="chunked"))
        for _ in range(80):
            connection.send(b"80000\r\n" + b" " * 0x80000 + b"\r\n")
        self.assert_refused(connection.reply(), 413)
        self.assert_serves()

    def test_largest_body_is_taken(self):
        padding = b" " * ((16 << 20) - 100)
        self.assertEqual(200, self.ask(request(b"{}" + padding)).status)

    def test_headers_too_large(self):
        for headers in ({"X_Long": "a" * 300_000}, {f"X_{n}": "a" * 100 for n in range(5000)}):
            self.assert_refused(self.ask(request(**headers)), 400, 413, 431)
        self.assert_refused(self.ask(b"POST /" + b"a" * 300_000 + b" HTTP/1.1\r\n\r\n"), 400, 413, 414, 431)
        self.assert_serves()

    def test_endless_header_is_cut_off(self):
        connection = self.connect()
        connection.send(b"POST / HTTP/1.1\r\n")
        for _ in range(2000):
            connection.send(b"X-More: " + b"a" * 1000 + b"\r\n")
        self.assert_refused(connection.reply(), 400, 413, 431)
        self.assert_serves()


class Compression(WireCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        wire = harness.Wire(cls.server.endpoint)
        harness.create_table(wire, "table", **harness.schema("pk:S"))
        wire.call("PutItem", TableName="table", Item={"pk": {"S": "k"}, "text": {"S": "mango " * 2000}})
        wire.close()

    def test_gzip_request(self):
        body = gzip.compress(b'{"Limit": 10}' + b" " * 100_000)
        self.assertEqual(200, self.ask(request(body, Content_Encoding="gzip")).status)
        data = request(b"", length=False, Content_Encoding="gzip", Transfer_Encoding="chunked") + chunks(body, [7])
        self.assertEqual(200, self.ask(data).status)

    def test_broken_gzip_request(self):
        body = gzip.compress(b'{"Limit": 10}' * 100)
        for broken in (body[:-9], b"\x1f\x8b" + b"x" * 50, b"{}", body[:20] + b"\xff\xff" + body[22:], b""):
            self.assert_refused(self.ask(request(broken, Content_Encoding="gzip")), 400, 500)
        self.assert_serves()

    def test_gzip_bomb_is_refused(self):
        bomb = gzip.compress(b" " * (200 << 20))
        self.assertLess(len(bomb), 1 << 20)
        before = harness.cpu_seconds(self.server.pid())
        self.assert_refused(self.ask(request(bomb, Content_Encoding="gzip")), 413, 400)
        self.assertLess(harness.cpu_seconds(self.server.pid()) - before, 5)
        self.assert_serves()

    def test_gzip_reply_when_asked_for(self):
        body = json.dumps({"TableName": "table", "Key": {"pk": {"S": "k"}}}).encode()
        plain = self.ask(request(body, "GetItem"))
        self.assertNotIn("content-encoding", plain.headers)
        packed = self.ask(request(body, "GetItem", Accept_Encoding="gzip, deflate"))
        self.assertEqual("gzip", packed.headers["content-encoding"])
        self.assertEqual(plain.body, gzip.decompress(packed.body))
        self.assertLess(len(packed.body), len(plain.body) // 2)
        self.assertEqual(zlib.crc32(packed.body), int(packed.headers["x-amz-crc32"]), "the checksum of what was sent")

    def test_gzip_not_wanted(self):
        body = json.dumps({"TableName": "table", "Key": {"pk": {"S": "k"}}}).encode()
        for asked in ("identity", "gzip;q=0", "br"):
            self.assertNotIn("content-encoding", self.ask(request(body, "GetItem", Accept_Encoding=asked)).headers)


class Malformed(WireCase):

    def test_malformed_requests_are_refused(self):
        good = request()
        cases = [
            b"\r\n\r\n\r\n\r\n nonsense\r\n\r\n",
            b"NONSENSE\r\n\r\n",
            b"POST\r\n\r\n",
            b"POST / HTTP/9.9\r\nHost: a\r\n\r\n",
            b"POST / HTTQ/1.1\r\nHost: a\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50,
            good.replace(b"Content-Length: 2", b"Content-Length: -2"),
            good.replace(b"Content-Length: 2", b"Content-Length: two"),
            good.replace(b"Content-Length: 2", b"Content-Length: 99999999999999999999999999"),
            good.replace(b"Content-Length: 2", b"Content-Length: 2\r\nContent-Length: 3"),
            good.replace(b"Host: localhost", b"Host localhost"),
            good.replace(b"Host: localhost", b"Ho\0st: localhost"),
            good.replace(b"Host: localhost", b"Bad Name: localhost"),
            request(b"", length=False, Transfer_Encoding="chunked") + b"zz\r\n{}\r\n0\r\n\r\n",
            request(b"", length=False, Transfer_Encoding="chunked") + b"fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
            request(b"", length=False, Transfer_Encoding="chunked") + b"-2\r\n{}\r\n0\r\n\r\n",
            request(b"", length=False, Transfer_Encoding="chunked") + b"2\r\n{}XX0\r\n\r\n",
            request(b"", length=False, Transfer_Encoding="gzip, chunked, nonsense") + b"0\r\n\r\n",
        ]
        for data in cases:
            with self.subTest(data):
                connection = self.connect()
                connection.send(data)
                connection.end()
                self.assert_refused(connection.reply())
        self.assert_serves()

    def test_length_and_chunks_together_smuggle_nothing(self):
        """Requests with two different ends are refused, and what follows is never interpreted as a second request."""
        hidden = request(b'{"Limit": 1}')
        for data in (request(b"", length=False, Content_Length=len(hidden) + 5, Transfer_Encoding="chunked")
                     + b"0\r\n\r\n" + hidden,
                     request(b"", length=False, Transfer_Encoding="chunked", Content_Length=4) + chunks(hidden, [500])):
            connection = self.connect()
            connection.send(data)
            first = connection.reply()
            self.assert_refused(first, 400)
            self.assertIsNone(connection.reply() if first else None)
        self.assert_serves()

    def test_random_garbage_is_survived(self):
        """Random bytes, and valid requests with random damage. Each must end with a reply or a closed connection."""
        rng = random.Random(SEED)
        good = [request(), request(b"", length=False, Transfer_Encoding="chunked") + chunks(b'{"Limit": 10}', [4]),
                request(b'{"TableName": "abc", "Item": {"pk": {"M": {"a": {"L": [{"N": "1.5E3"}]}}}}}', "PutItem"),
                request(json.dumps({"TableName": "abc", "Key": {"a": {"S": "b"}}, "UpdateExpression": "SET a = :b",
                                    "ExpressionAttributeValues": {":b": {"B": "AAA="}}}).encode(), "UpdateItem"),
                request(gzip.compress(b"{}"), Content_Encoding="gzip")]
        for number in range(600):
            if number % 5 == 0:
                data = rng.randbytes(rng.choice([1, 10, 200, 5000]))
            else:
                data = bytearray(rng.choice(good) * rng.choice([1, 1, 3]))
                for _ in range(rng.randint(1, 6)):
                    self.damage(rng, data)
            with Connection(self.port) as connection:
                connection.send(bytes(data))
                connection.end()
                try:
                    self.assertTrue(connection.closed())
                except TimeoutError:
                    self.fail(f"no end, seed {SEED}, input {number}: {bytes(data)!r}")
        self.assert_serves()

    @staticmethod
    def damage(rng, data):
        place = rng.randrange(len(data)) if data else 0
        kind = rng.randrange(5)
        if kind == 0:
            data[place:place + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[place:place + rng.randint(1, 30)]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.randint(1, 30))
        elif kind == 3:
            data[place:place] = data[max(0, place - rng.randint(1, 100)):place]
        else:
            data[place:place] = rng.choice([b"\r\n", b"\r\n\r\n", b"\0", b"{", b'"', b"\\u", b":",
                                            b"Content-Length: 9"])


def closed_soon(connection):
    """Whether the server closes within seconds, as configured; by default it would take ten or more."""
    started_at = time.monotonic()
    return connection.closed() and time.monotonic() - started_at < 8


class TimeOuts(WireCase):
    idle_seconds = 0.4
    flags = ["--idle-timeout-ms", "400", "--header-timeout-ms", "400"]

    def assert_closed_soon(self, opened):
        """Best of three, for machines that occasionally stall for seconds."""
        self.assertTrue(any(closed_soon(opened()) for _ in range(3)))

    def test_idle_connection_is_closed(self):
        started_at = []

        def answered():
            while True:
                started_at.append(time.monotonic())
                connection = self.connect()
                connection.send(request())
                if connection.reply() is not None:
                    return connection
                # A connection that is late with its first request is idle too.
                self.assertGreater(time.monotonic() - started_at[-1], self.idle_seconds / 2)
        self.assert_closed_soon(answered)
        self.assertGreater(time.monotonic() - started_at[-1], self.idle_seconds / 2)

    def test_connection_that_never_speaks_is_closed(self):
        self.assert_closed_soon(self.connect)

    def test_busy_connection_is_kept(self):
        """Keeps a connection busy for longer than the idle timeout. If this machine paused for too long, it tries again."""
        harness.until(self.is_kept_busy, "a connection that is busy enough")

    def is_kept_busy(self):
        spoke_at = time.monotonic()
        connection = self.connect()
        for _ in range(8):
            connection.send(request())
            reply = connection.reply()
            if reply is None:
                self.assertGreater(time.monotonic() - spoke_at, self.idle_seconds, "closed too early")
                return False
            self.assertEqual(200, reply.status)
            spoke_at = time.monotonic()
            time.sleep(self.idle_seconds / 3)
        return True

    def test_unfinished_header_is_closed(self):
        def begun():
            connection = self.connect()
            connection.send(request()[:60])
            return connection
        self.assert_closed_soon(begun)

    def test_header_in_drops_is_closed(self):
        """Sending a byte from time to time does not keep a connection open."""
        def dripping():
            connection = self.connect()
            connection.socket.settimeout(0.1)
            started_at = time.monotonic()
            for byte in request(X_Padding="a" * 500):
                connection.send(bytes([byte]))
                try:
                    if not connection.more():
                        break
                except TimeoutError:
                    pass
                if time.monotonic() - started_at > 8:
                    return False
            return True
        self.assertTrue(any(dripping() for _ in range(3)), "still open")


class ConnectionLimit(WireCase):
    flags = ["--connections-max", "12"]

    def test_connections_past_the_limit_are_refused_and_the_others_served(self):
        open_ones = [self.place() for _ in range(12)]
        for _ in range(5):
            with Connection(self.port) as extra:
                extra.send(request())
                self.assert_refused(extra.reply(), 503)
        for connection in open_ones:
            connection.send(request())
            self.assertEqual(200, connection.reply().status)
        open_ones[0].socket.close()
        self.place()

    def place(self):
        """A connection that is served. A slot is free as soon as the server has noticed that the last one closed."""
        def served():
            connection = self.connect()
            connection.send(request())
            reply = connection.reply()
            if reply is not None and reply.status == 200:
                return connection
            self.assert_refused(reply, 503)
            connection.socket.close()
        return harness.until(served, "a free place")


class Tls(unittest.TestCase):
    """HTTPS with a certificate generated here."""

    @classmethod
    def setUpClass(cls):
        cls.folder = harness.Folder()
        cls.certificate, cls.key = cls.folder.path / "certificate.pem", cls.folder.path / "key.pem"
        make_certificate(cls.certificate, cls.key)
        cls.server = harness.Server("--memory-store", "--tls-certificate", cls.certificate, "--tls-key", cls.key,
                                    "--header-timeout-ms", "60000")
        cls.context = ssl.create_default_context(cafile=str(cls.certificate))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.folder.remove()

    def tearDown(self):
        self.assertTrue(self.server.alive(), self.server.log())

    def connect(self, **options):
        connection = Connection(self.server.port, **options)
        self.addCleanup(connection.socket.close)
        return connection

    def secure(self):
        return self.connect(wrap=lambda plain: self.context.wrap_socket(plain, server_hostname="localhost"))

    def test_says_https(self):
        self.assertIn(f"https://127.0.0.1:{self.server.port}", self.server.log())

    def test_serves_over_tls(self):
        connection = self.secure()
        self.assertIn(connection.socket.version(), ("TLSv1.2", "TLSv1.3"))
        for _ in range(20):
            connection.send(request())
            self.assertEqual(200, connection.reply().status)

    def test_large_bodies_both_ways(self):
        connection = self.secure()
        connection.send(request(b"{}" + b" " * (4 << 20)))
        self.assertEqual(200, connection.reply().status)

    def test_boto3_over_tls(self):
        client = harness.client(self.server.endpoint.replace("127.0.0.1", "localhost"), verify=str(self.certificate))
        self.assertEqual([], client.list_tables()["TableNames"])

    def test_old_versions_are_refused(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(str(self.certificate))
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)         # Python also considers it old
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.connect(wrap=lambda plain: context.wrap_socket(plain, server_hostname="localhost"))

    def test_plain_http_is_refused(self):
        connection = self.connect()
        connection.send(request())
        reply = connection.buffer if not connection.more() else connection.buffer
        self.assertNotIn(b"200 OK", reply)
        self.test_serves_over_tls()

    def test_garbage_instead_of_a_handshake(self):
        rng = random.Random(SEED)
        for _ in range(100):
            with Connection(self.server.port) as connection:
                connection.send(b"\x16\x03\x01" + rng.randbytes(rng.randint(1, 400)))
                connection.end()
                self.assertTrue(connection.closed())
        self.test_serves_over_tls()

    def test_handshake_that_never_ends_is_closed(self):
        def begun():
            connection = Connection(server.port)
            self.addCleanup(connection.socket.close)
            connection.send(b"\x16\x03\x01\x00")
            return connection
        with harness.Server("--memory-store", "--tls-certificate", self.certificate, "--tls-key", self.key,
                            "--header-timeout-ms", "500") as server:
            self.assertTrue(any(closed_soon(begun()) for _ in range(3)))


def make_certificate(certificate, key):
    """A self-signed certificate for localhost, valid for two days."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)


if __name__ == "__main__":
    print(f"seed {SEED} (TRESTLE_SEED replays it)")
    harness.run_file()
