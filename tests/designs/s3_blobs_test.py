#!/usr/bin/python3
"""Large values in a bucket: `trestle serve --blobs s3://bucket/prefix --s3-endpoint URL`, against a small S3 that checks
every signature by itself."""

import datetime
import hashlib
import hmac
import http.server
import secrets
import sys
import threading
import time
import unittest
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import served  # noqa: E402
from served import harness  # noqa: E402

BUCKET = "large-values"


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class SmallS3(http.server.ThreadingHTTPServer):
    """Objects of one bucket, in memory. `failures` are statuses to answer next instead."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.objects = {}
        self.failures = []
        self.unsigned = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def is_signed(self, body):
        """Whether the signature is the one that the shared secret makes of this request."""
        fields = dict(part.strip().split("=", 1) for part in self.headers["Authorization"].split(" ", 1)[1].split(","))
        access, date, region, service, last = fields["Credential"].split("/")
        path, _, query = self.path.partition("?")
        sent = self.headers["x-amz-content-sha256"]
        names = fields["SignedHeaders"]
        canonical = "\n".join([self.command, path, query, *(f"{n}:{self.headers[n].strip()}" for n in names.split(";")), "",
                               names, sent])
        scope = "/".join([date, region, service, last])
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + harness.SECRET_KEY).encode()
        for part in (date, region, service, last):
            key = digest(key, part)
        return (access == harness.ACCESS_KEY and service == "s3" and sent == hashlib.sha256(body).hexdigest()
                and hmac.compare_digest(digest(key, text).hex(), fields["Signature"]))

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        name = urllib.parse.unquote(path)[len(BUCKET) + 2:]
        with self.server.lock:
            if not self.is_signed(body):
                self.server.unsigned += 1
                return self.answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
            if self.server.failures:
                return self.answer(self.server.failures.pop(0), b"<Error><Code>SlowDown</Code></Error>")
            if not path.startswith("/" + BUCKET):
                return self.answer(404, b"<Error><Code>NoSuchBucket</Code></Error>")
            return self.operate(name, query, body)

    def operate(self, name, query, body):
        objects = self.server.objects
        if self.command == "PUT":
            objects[name] = (body, datetime.datetime.now(datetime.timezone.utc))
            return self.answer(200)
        if self.command == "DELETE":
            objects.pop(name, None)
            return self.answer(204)
        if name:
            return self.answer(200, objects[name][0]) if name in objects else self.answer(
                404, b"<Error><Code>NoSuchKey</Code></Error>")
        asked = dict(urllib.parse.parse_qsl(query))
        names = sorted(n for n in objects if n.startswith(asked["prefix"]) and n > asked.get("continuation-token", ""))
        page, rest = names[:2], names[2:]
        xml = "".join(f"<Contents><Key>{n}</Key><LastModified>{objects[n][1]:%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
                      for n in page)
        more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{page[-1]}</NextContinuationToken>" if rest else \
            "<IsTruncated>false</IsTruncated>"
        return self.answer(200, f"<ListBucketResult>{xml}{more}</ListBucketResult>".encode())

    do_GET = do_PUT = do_DELETE = handle_one


class Blobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s3 = SmallS3()
        cls.addClassCleanup(cls.s3.server_close)
        cls.addClassCleanup(cls.s3.shutdown)
        cls.designs = served.Designs("--blobs", f"s3://{BUCKET}/form bridge", "--s3-endpoint", cls.s3.url,
                                     "--blob-age-s", "5")
        cls.api = cls.designs.api("form-bridge")
        cls.tenant = "t" + secrets.token_hex(4)
        cls.api("createTenant", tenant_id=cls.tenant)

    def submit(self):
        payload = {"text": secrets.token_urlsafe(150_000)}
        made = self.api("submit", tenant_id=self.tenant, form_id="f", payload=payload)
        return made["submission_id"], payload

    def read(self, submission):
        return self.api.item("submission", tenant_id=self.tenant, submission_id=submission)["payload"]

    def test_a_large_value_is_an_object_and_is_read_back(self):
        submission, payload = self.submit()
        names = [name for name in self.s3.objects if name.startswith("form bridge/")]
        self.assertEqual(set(self.s3.objects), set(names))
        self.assertGreaterEqual(len(names), 1)
        self.assertEqual(payload, self.read(submission))
        self.assertEqual(0, self.s3.unsigned)

    def test_a_bucket_that_fails_for_a_moment_is_asked_again(self):
        submission, payload = self.submit()
        with self.s3.lock:
            self.s3.failures = [503, 500]
        self.assertEqual(payload, self.read(submission))
        self.assertEqual([], self.s3.failures)

    def test_a_bucket_that_stays_away_is_a_503(self):
        submission, _ = self.submit()
        with self.s3.lock:
            self.s3.failures = [503] * 4
        with self.assertRaises(served.Refused) as caught:
            self.read(submission)
        self.assertEqual(503, caught.exception.status)
        self.assertIn("Retry-After", caught.exception.headers)
        with self.s3.lock:
            self.s3.failures = []

    def test_what_nothing_refers_to_is_swept(self):
        kept = [self.submit() for _ in range(3)]
        orphan = next(iter(self.s3.objects)) + "-orphan"
        with self.s3.lock:
            self.s3.objects[orphan] = (b"x", datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc))
        give_up = time.monotonic() + 60
        while orphan in self.s3.objects:
            self.assertLess(time.monotonic(), give_up, "the sweep did not come")
            time.sleep(0.1)
        for submission, payload in kept:
            self.assertEqual(payload, self.read(submission))


if __name__ == "__main__":
    harness.run_file()
