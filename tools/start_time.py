#!/usr/bin/python3
"""Measures how long a server with --memory-store takes from the start of the process to its first reply, and how long
POST /reset takes.

    tools/start_time.py PROGRAM [RUNS]        prints the best and the median of RUNS (30), in milliseconds
"""

import http.client
import os
import re
import statistics
import subprocess
import sys
import time

REQUEST = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
}


def answer(connection, path, body, headers):
    connection.request("POST", path, body, headers)
    reply = connection.getresponse()
    text = reply.read()
    if reply.status != 200:
        sys.exit(f"{path}: {reply.status} {text!r}")


def one_run(program):
    """Milliseconds to the first reply, and of POST /reset."""
    begin = time.perf_counter()
    server = subprocess.Popen([program, "serve", "--memory-store", "--port", "0"], stdout=subprocess.PIPE, close_fds=False)
    try:
        port = int(re.search(rb":(\d+)$", server.stdout.readline().strip()).group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        answer(connection, "/", "{}", REQUEST)
        first = time.perf_counter()
        answer(connection, "/reset", "", {})
        end = time.perf_counter()
        connection.close()
        return (first - begin) * 1000, (end - first) * 1000
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    program = os.path.realpath(sys.argv[1])
    runs = [one_run(program) for _ in range(int(sys.argv[2]) if len(sys.argv) == 3 else 30)]
    for what, times in zip(("start to first answer", "POST /reset"), zip(*runs)):
        print(f"{what}: best {min(times):.1f} ms, median {statistics.median(times):.1f} ms of {len(times)}")


main()
