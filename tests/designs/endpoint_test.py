#!/usr/bin/python3
"""Designs on an endpoint that is worse than DynamoDB: it lacks operations, throttles, or leaves keys unprocessed.

A proxy between the program and the Trestle that holds the tables answers some requests itself."""

import http.client
import http.server
import json
import threading
import unittest

from served import Designs, Refused, harness, new_phone, tag


class Proxy:
    """Forwards DynamoDB's requests. `answer(operation, body)` may return (status, reply) instead; every operation is recorded."""

    def __init__(self, to):
        self.answer = lambda operation, body: None
        self.asked = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1           # head and body are sent together

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                operation = self.headers["X-Amz-Target"].rsplit(".", 1)[1]
                proxy.asked.append(operation)
                own = proxy.answer(operation, json.loads(body))
                if own:
                    return self.reply(own[0], json.dumps(own[1]).encode(), {})
                connection = http.client.HTTPConnection("127.0.0.1", to.port, timeout=harness.WAIT_SECONDS_MAX)
                connection.putrequest("POST", self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(body)
                got = connection.getresponse()
                data = got.read()
                connection.close()
                self.reply(got.status, data, {"x-amz-crc32": got.headers.get("x-amz-crc32")})

            def reply(self, status, data, headers):
                self.send_response(status)
                for name, value in headers.items():
                    if value:
                        self.send_header(name, value)
                self.send_header("Content-Type", "application/x-amz-json-1.0")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        # Another loopback address, because the program prints it before its own.
        self.server = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.2:{self.server.server_address[1]}"


class Endpoint(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        tables = harness.Server("--memory-store", "--ttl-sweep-ms", "0")
        self.addCleanup(tables.close)
        self.proxy = Proxy(tables)
        self.addCleanup(self.proxy.server.shutdown)

    def serve(self):
        running = Designs(on=self.proxy.url)
        self.addCleanup(running.server.kill)
        return running

    def test_what_it_lacks_is_said_at_the_start_by_operation_and_the_rest_works(self):
        self.proxy.answer = lambda operation, body: (400, {"__type": "com.amazon.coral.service#UnknownOperationException"}) \
            if operation == "TransactWriteItems" else None
        running = self.serve()
        log = running.server.log()
        self.assertIn(f"{self.proxy.url} lacks TransactWriteItems", log)
        self.assertIn("plugin-auth.exchangeKey needs TransactWriteItems\n", log)
        self.assertNotIn("parental-control.recordBlocked needs", log)
        running.api("parental-control")("recordBlocked", childPhoneNumber=new_phone(), appName="A", parentEmail="p@example.com")

    def test_what_tables_cannot_have_is_said_at_the_start(self):
        lacking = {"UpdateTimeToLive", "UpdateContinuousBackups", "GetRecords"}
        self.proxy.answer = lambda operation, body: (400, {"__type": "com.amazon.coral.service#UnknownOperationException"}) \
            if operation in lacking else None
        log = self.serve().server.log()
        for line in ("form-bridge: table FormBridgeData has no point-in-time recovery without UpdateContinuousBackups\n",
                     "form-bridge: table FormBridgeData has no stream for tallies and reactions without GetRecords\n",
                     "form-bridge: table FormBridgeData keeps its expired items without UpdateTimeToLive\n"):
            self.assertIn(line, log)
        self.assertNotIn("authz: table", log)

    def test_throttling_is_503_with_when_to_come_back(self):
        running = self.serve()
        api, phone = running.api("parental-control"), new_phone()
        throttled = {"__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", "message": "slow"}
        self.proxy.answer = lambda operation, body: (400, throttled) if body.get("TableName") == "BlockedRequestMetrics" else None
        before = len(self.proxy.asked)
        with self.assertRaises(Refused) as caught:
            api("recordBlocked", childPhoneNumber=phone, appName="A", parentEmail="p@example.com")
        self.assertEqual((503, True), (caught.exception.status, caught.exception.problem["retryable"]))
        self.assertGreaterEqual(int(caught.exception.headers["Retry-After"]), 1)
        self.assertGreater(self.proxy.asked[before:].count("UpdateItem"), 2, "it was tried again first")
        self.proxy.answer = lambda operation, body: None
        api("recordBlocked", childPhoneNumber=phone, appName="A", parentEmail="p@example.com")

    def test_a_request_that_fails_for_a_moment_is_retried(self):
        api, phone = self.serve().api("parental-control"), new_phone()
        left = [2]

        def answer(operation, body):
            if body.get("TableName") != "BlockedRequestMetrics" or left[0] == 0:
                return None
            left[0] -= 1
            return 500, {"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError"}
        self.proxy.answer = answer
        api("recordBlocked", childPhoneNumber=phone, appName="A", parentEmail="p@example.com", at="2025-10-03T10:00:00Z")
        self.assertEqual(0, left[0])
        self.assertEqual([1], [one["blockedCount"] for one in api.all("dailyMetrics", childPhoneNumber=phone, date="2025-10-03")])

    def test_keys_and_writes_left_unprocessed_are_asked_for_again(self):
        running = self.serve()
        admin = running.api("site-catalog").as_caller(sub="root", groups=["admin"])
        user = running.api("site-catalog").as_caller(sub=(sub := tag("u-")))
        site = admin.item("createSite", url="https://example.com/", title="t", tags=["a"])["siteId"]
        for _ in range(6):
            user("addComment", siteId=site, body="b")
        authz = running.api("authz")
        tenant = authz.item("createTenant", name=tag("t "))["tenantId"]
        member = authz.item("createUser", email=tag("e") + "@example.com")["userId"]
        role = authz.item("createRole", scope="tenant", name=(name := tag("r ")))["roleId"]
        authz("grant", tenantId=tenant, userId=member, roles=[role])
        seen = {"BatchGetItem": 0, "BatchWriteItem": 0}

        def answer(operation, body):
            if operation not in seen:
                return None
            seen[operation] += 1
            if seen[operation] > 2:
                return None
            if operation == "BatchGetItem":
                return 200, {"Responses": {}, "UnprocessedKeys": body["RequestItems"]}
            return 200, {"UnprocessedItems": body["RequestItems"]}
        self.proxy.answer = answer
        self.assertEqual([name], authz("authorization", tenantId=tenant, userId=member)["tenantRoles"])
        self.assertEqual(3, seen["BatchGetItem"])
        admin("deleteSite", siteId=site)
        self.assertGreater(seen["BatchWriteItem"], 2)
        self.assertEqual([], running.api("site-catalog").all("commentsOfUser", userId=sub))


if __name__ == "__main__":
    harness.run_file()
