#!/usr/bin/python3
"""1,000 clients request the largest possible replies and do not read them: memory stays within its limit, and clients
that do read are served again soon after."""

import json
import os
import re
import select
import socket
import sys
import time
import unittest

import harness
from harness import Server, Wire, create_table, schema

READERS = int(os.environ.get("TRESTLE_SLOW_READERS", 1000))
CACHE_MB, BUFFERS_MB, ALLOWANCE_MB = 64, 128, 150
WRITE_TIMEOUT_MS = 20_000           # a tenth of it for stalled readers when buffers are scarce
ITEMS, ITEM_BYTES = 48, 390_000     # BatchGetItem returns 16 MB of these


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) / 1024


class SlowReaders(unittest.TestCase):

    def setUp(self):
        self.server = Server("--cache-mb", CACHE_MB, "--buffers-mb-max", BUFFERS_MB, "--write-timeout-ms", WRITE_TIMEOUT_MS)
        self.addCleanup(self.server.close)
        self.wire = Wire(self.server.endpoint)
        create_table(self.wire, "large", **schema("pk:S"))
        for number in range(ITEMS):
            self.wire.call("PutItem", TableName="large", Item={"pk": {"S": str(number)}, "v": {"S": "x" * ITEM_BYTES}})

    def largest_request(self):
        keys = [{"pk": {"S": str(number)}} for number in range(ITEMS)]
        body = json.dumps({"RequestItems": {"large": {"Keys": keys, "ConsistentRead": True}}}).encode()
        head = self.wire.head + "X-Amz-Target: DynamoDB_20120810.BatchGetItem\r\nContent-Length: %d\r\n\r\n" % len(body)
        return head.encode() + body

    def open_reader(self, request):
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.settimeout(harness.WAIT_SECONDS_MAX)
        reader.connect(("127.0.0.1", self.server.port))
        self.addCleanup(reader.close)
        reader.sendall(request)
        return reader

    def answers(self):
        return self.wire.post("ListTables", b"{}")[0] == 200

    def test_memory_stays_within_the_bound(self):
        request, most_mb, refused = self.largest_request(), 0, 0
        unanswered = select.poll()
        for _ in range(READERS):
            unanswered.register(self.open_reader(request), select.POLLIN)
        left = READERS
        while left > 0:                 # each gets the start of its reply, a 503, or end of stream
            for reader, _ in unanswered.poll(harness.WAIT_SECONDS_MAX * 1000) or self.fail("no reader is answered"):
                unanswered.unregister(reader)
                left -= 1
            refused += not self.answers()
            most_mb = max(most_mb, resident_mb(self.server.pid()))
        bound_mb = CACHE_MB + BUFFERS_MB + ALLOWANCE_MB
        print(f"{READERS} slow readers: at most {most_mb:.0f} MB resident of {bound_mb}; {refused} probes got a 503")
        self.assertLess(most_mb, bound_mb, "MB resident")
        self.assertGreater(refused, 0, "the bound was never reached, so nothing was tested")
        began = time.monotonic()
        harness.until(self.answers, "a client that reads is answered")
        self.assertLess(time.monotonic() - began, 60, "s until stalled readers had given up their buffers")


if __name__ == "__main__":
    sys.exit(harness.run())
