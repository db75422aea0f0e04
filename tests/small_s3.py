"""A small S3 server that verifies every signature independently: buckets of objects in memory, path-style addresses;
ranges, listing in pages of two, and multipart uploads."""

import datetime
import hashlib
import hmac
import http.server
import re
import threading
import urllib.parse
from xml.sax.saxutils import escape, unescape

import harness

PAGE = 2             # objects per page of a listing, so that there are several pages


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def numbered(name):
    """A name as XML, with some of its characters as numeric references."""
    return escape(name).replace("&amp;", "&#38;").replace("'", "&#39;").replace("+", "&#x2B;")


class SmallS3(http.server.ThreadingHTTPServer):
    """`failures` are the statuses of the next reads of objects."""

    daemon_threads = True

    def __init__(self, *buckets):
        super().__init__(("127.0.0.1", 0), Handler)
        self.buckets = {bucket: {} for bucket in buckets}       # name -> (bytes, when)
        self.uploads = {}                                       # upload -> {number: bytes}, of unfinished uploads
        self.begun = 0                                          # total number of uploads
        self.kms = False                                        # then ETags of parts are not MD5, as with SSE-KMS
        self.refuses_completion = False
        self.failures = []
        self.unsigned = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def etag(self, data):
        return f'"{hashlib.md5(b"kms" + data if self.kms else data).hexdigest()}"'

    def put(self, bucket, name, data):
        with self.lock:
            self.buckets[bucket][name] = (data, datetime.datetime.now(datetime.timezone.utc))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def is_signed(self, body):
        """Whether the signature is the one that the shared secret produces for this request."""
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
        is_sorted = (pairs := query.split("&")) == sorted(pairs)
        return (access == harness.ACCESS_KEY and service == "s3" and sent == hashlib.sha256(body).hexdigest() and is_sorted
                and hmac.compare_digest(digest(key, text).hex(), fields["Signature"]))

    def answer(self, status, body=b"", etag=None):
        self.send_response(status)
        if etag:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code):
        self.answer(status, f"<Error><Code>{code}</Code></Error>".encode())

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        bucket, _, name = urllib.parse.unquote(path)[1:].partition("/")
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        with self.server.lock:
            if not self.is_signed(body):
                self.server.unsigned += 1
                return self.refuse(403, "SignatureDoesNotMatch")
            if self.server.failures and self.command == "GET" and name:     # a sweep, which lists, may come at any time
                return self.refuse(self.server.failures.pop(0), "SlowDown")
            if bucket not in self.server.buckets:
                return self.refuse(404, "NoSuchBucket")
            return self.operate(self.server.buckets[bucket], name, asked, body)

    def operate(self, objects, name, asked, body):
        now = datetime.datetime.now(datetime.timezone.utc)
        if self.command == "POST" and "uploads" in asked:
            upload = f"upload-{self.server.begun}"
            self.server.begun += 1
            self.server.uploads[upload] = {}
            return self.answer(200, f"<R><UploadId>{upload}</UploadId></R>".encode())
        if self.command == "POST":
            parts = self.server.uploads[asked["uploadId"]]
            listed_parts = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>(.*?)</ETag>", body.decode())
            listed_parts = [(number, unescape(etag, {"&quot;": '"'})) for number, etag in listed_parts]
            if self.server.refuses_completion or listed_parts != [(str(n), self.server.etag(part)) for n, part in sorted(parts.items())]:
                return self.refuse(400, "InvalidPart")
            del self.server.uploads[asked["uploadId"]]
            objects[name] = (b"".join(part for _, part in sorted(parts.items())), now)
            return self.answer(200, b"<R></R>")
        if self.command == "PUT" and "uploadId" in asked:
            self.server.uploads[asked["uploadId"]][int(asked["partNumber"])] = body
            return self.answer(200, etag=self.server.etag(body))
        if self.command == "PUT":
            objects[name] = (body, now)
            return self.answer(200)
        if self.command == "DELETE" and "uploadId" in asked:
            self.server.uploads.pop(asked["uploadId"], None)
            return self.answer(204)
        if self.command == "DELETE":
            objects.pop(name, None)
            return self.answer(204)
        return self.read(objects, name) if name else self.list(objects, asked)

    def read(self, objects, name):
        if name not in objects:
            return self.refuse(404, "NoSuchKey")
        data = objects[name][0]
        if "Range" not in self.headers:
            return self.answer(200, data)
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        return self.answer(206, data[first:last + 1]) if first < len(data) else self.refuse(416, "InvalidRange")

    def list(self, objects, asked):
        after = asked.get("continuation-token", asked.get("start-after", ""))
        names = sorted((n for n in objects if n.startswith(asked.get("prefix", "")) and n > after), key=str.encode)
        page, rest = names[:PAGE], names[PAGE:]
        xml = "".join(f"<Contents><Key>{numbered(n)}</Key><LastModified>{objects[n][1]:%Y-%m-%dT%H:%M:%S.000Z}</LastModified>"
                      f"<Size>{len(objects[n][0])}</Size></Contents>" for n in page)
        more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if rest else \
            "<IsTruncated>false</IsTruncated>"
        return self.answer(200, f"<ListBucketResult>{xml}{more}</ListBucketResult>".encode())

    do_GET = do_PUT = do_DELETE = do_POST = handle_one
