#!/usr/bin/python3
"""Measures how much live traffic slows down while a million items expire at once.

    bench/expiry.py [--items 1000000] [--seconds 8] [--connections 64]

Loads a table whose items have all expired into a server that does not delete expired items, and measures gets and
puts on another table. Then starts the server on the same data with its default sweep and measures again while items
are deleted. Prints both rates, their ratio, and the duration of all deletions.
"""

import argparse
import concurrent.futures
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from harness import Server, Wire, binary


def load(url, first, last, past):
    wire = Wire(url)
    for start in range(first, last, 25):
        wire.call("BatchWriteItem", RequestItems={"expired": [
            {"PutRequest": {"Item": {"pk": {"S": f"item-{i:09}"}, "t": {"N": str(past)}, "data": {"S": "x" * 160}}}}
            for i in range(start, min(start + 25, last))]})


def rates(url, options, *flags):
    """Requests per second by workload."""
    done = subprocess.run([binary(), "bench", "--endpoint", url, "--workloads", "get", "put", "--table", "live",
                           "--items", "10000", "--connections", str(options.connections), "--seconds",
                           str(options.seconds), *flags], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r"\s*(get|put)\s+\d+\s+([\d,]+)", line)
        if match:
            found[match.group(1)] = int(match.group(2).replace(",", ""))
    return found or sys.exit("no rates in:\n" + done.stdout)


def left(url):
    return Wire(url).call("DescribeTable", TableName="expired")["Table"]["ItemCount"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()

    server = Server("--ttl-sweep-ms", "0")
    wire = Wire(server.endpoint)
    wire.call("CreateTable", TableName="expired", BillingMode="PAY_PER_REQUEST",
              AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
              KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
    wire.call("UpdateTimeToLive", TableName="expired",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
    share = -(-options.items // 8)
    with concurrent.futures.ProcessPoolExecutor(4) as pool:
        past = int(time.time()) - 60
        jobs = [pool.submit(load, server.endpoint, first, min(first + share, options.items), past)
                for first in range(0, options.items, share)]
        for job in jobs:
            job.result()
    print(f"{left(server.endpoint):,} expired items", flush=True)
    before = rates(server.endpoint, options, "--keep")
    server.stop()

    server.flags = []
    server.start()
    began, gone_at = time.monotonic(), []

    def watch():
        while left(server.endpoint):
            time.sleep(0.2)
        gone_at.append(time.monotonic() - began)
    watcher = threading.Thread(target=watch)
    watcher.start()
    during = rates(server.endpoint, options, "--reuse")
    measured_until = time.monotonic() - began
    watcher.join()
    for name in before:
        print(f"{name}: {before[name]:,}/s without, {during[name]:,}/s with the sweep: {during[name] / before[name]:.2f}")
    print(f"measured until {measured_until:.1f} s after the start; all items were gone after {gone_at[0]:.1f} s")
    server.close()


if __name__ == "__main__":
    main()
