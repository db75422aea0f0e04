"""Compares Trestle with the limits of the machine, RocksDB and plain HTTP: bench/run.py --ceilings, and part of make bench.

Each figure is a ratio of adjacent measurements (Bench.interleave). Requests or items per core are counted per second of
CPU time that the server used, including kernel time.

    Query of 100 items, Scan     items per core / entries that RocksDB alone iterates over on one core
    an import, a new global index   items a second / writes of RocksDB alone in batches of 100
    PutItem of 100 KB            values a second, durable / what a file takes, synced after 16 of them
    GetItem under TLS            per core / the same without TLS
    GetItem without keep-alive   per core / the echo, whose connections are closed as well
"""

import json
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import background
from servers import Server

ITEMS = 1000
LARGE_BYTES, LARGE_ITEMS, LARGE_CONNECTIONS = 100_000, 500, 16
PAGE = 100


def certificate(folder):
    """A self-signed certificate for localhost; returns its path and its key's."""
    paths = Path(folder, "certificate.pem"), Path(folder, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths


def per_core(bench, server, workload, mode, items=ITEMS, connections=None):
    """Requests per second of the server's CPU time."""
    before = server.cpu_seconds()
    rows = bench.client("ceilings", server.url, [workload], [connections or bench.judged], items=items,
                        mode=mode, pinned=True, record=False)
    # The client does not count the warm-up, but the server used CPU time for it.
    warm_up = min(1.0, bench.options.seconds / 5)
    share = float(rows[-1]["seconds"]) / (float(rows[-1]["seconds"]) + warm_up)
    return int(rows[-1]["requests"]) / ((server.cpu_seconds() - before) * share)


def pages(bench):
    core = bench.cores[0] if len(bench.cores) > 1 else None
    with bench.trestle("--threads", "1", core=core) as server:
        bench.client("ceilings", server.url, ["query100", "scan"], [1], mode=["--keep", "--requests", "100"], record=False)
        for workload, name in (("query100", "Query of 100 items"), ("scan", "Scan of 100 items")):
            ratio, rate = bench.interleave(
                lambda: bench.rocksdb("iterate", items=ITEMS)["iterate"],
                lambda: PAGE * per_core(bench, server, workload, ["--reuse"]))
            bench.bound(f"{name}, items per core / RocksDB's iteration", ratio, "", at_least=0.6, note=f"{rate:,.0f} items")


def batches(bench):
    """An import and a backfill on an otherwise idle server."""
    items = bench.options.background_items
    folder = tempfile.mkdtemp(prefix="trestle-bench-ceilings-")
    try:
        background.write_objects(folder, items)
        with bench.trestle("--buckets", folder) as server:
            jobs = background.Jobs(server)
            tables = []

            def ceiling():
                return bench.rocksdb("batch", items=items)["batch"]

            def import_rate():
                tables.append("imported-" + uuid.uuid4().hex)
                began = time.monotonic()
                under_way = jobs.start_import(tables[-1])
                while under_way():
                    time.sleep(0.01)
                return items / (time.monotonic() - began)

            def backfill_rate():
                table = tables.pop()
                began = time.monotonic()
                under_way = jobs.start_backfill(table)
                while under_way():
                    time.sleep(0.01)
                rate = items / (time.monotonic() - began)
                jobs.start_deletion(table)
                jobs.wait(jobs.is_busy)
                return rate

            for name, measured in (("an import", import_rate), ("a new global index", backfill_rate)):
                ratio, rate = bench.interleave(ceiling, measured)
                bench.bound(f"{name} of {items} items / RocksDB's batches", ratio, "", at_least=0.5, note=f"{rate:,.0f}/s")
    finally:
        shutil.rmtree(folder)


def large_values(bench):
    mode = ["--item-bytes", str(LARGE_BYTES)]
    with bench.trestle() as server:
        bench.client("ceilings", server.url, ["load"], [1], items=LARGE_ITEMS, mode=["--keep", *mode], record=False)

        def put_rate():
            rows = bench.client("ceilings", server.url, ["put"], [LARGE_CONNECTIONS], items=LARGE_ITEMS,
                                mode=["--reuse", *mode], record=False)
            return float(rows[-1]["per_second"])

        ratio, rate = bench.interleave(lambda: bench.rocksdb("large", items=ITEMS)["large"], put_rate)
    bench.bound("durable PutItem of 100 KB / appends to a synced file", ratio, "", at_least=0.5, note=f"{rate:,.0f}/s")


def tls(bench):
    core = bench.cores[0] if len(bench.cores) > 1 else None
    folder = tempfile.mkdtemp(prefix="trestle-bench-ceilings-")
    try:
        chain, key = certificate(folder)
        with bench.trestle("--threads", "1", core=core) as plain, \
                SecureServer(bench.options.trestle, chain, key, core) as secure:
            for server, mode in ((plain, []), (secure, ["--insecure"])):
                bench.client("ceilings", server.url, ["load"], [1], mode=["--keep", *mode], record=False)
            ratio, rate = bench.interleave(lambda: per_core(bench, plain, "get", ["--reuse"]),
                                           lambda: per_core(bench, secure, "get", ["--reuse", "--insecure"]))
    finally:
        shutil.rmtree(folder)
    bench.bound("GetItem under TLS / without, per core", ratio, "", at_least=0.75, note=f"{1e6 / rate:.1f} us of CPU a request")


class SecureServer(Server):
    def __init__(self, program, chain, key, core):
        super().__init__("trestle", [program, "serve", "--port", "PORT", "--data", "FOLDER", "--threads", "1",
                                     "--tls-certificate", chain, "--tls-key", key], core)

    def wait_for_reply(self):
        """Waits for the line in the log that says that the server listens, because request() of servers.py uses plain HTTP."""
        deadline = time.monotonic() + 60
        while "serves DynamoDB's API" not in Path(self.log_path).read_text():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{self.name} does not start:\n{Path(self.log_path).read_text()}")
            time.sleep(0.01)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"


def without_keep_alive(bench):
    core = bench.cores[0] if len(bench.cores) > 1 else None
    mode = ["--no-keep-alive"]
    with bench.trestle("--threads", "1", core=core) as server, bench.echo(core=core) as echo:
        bench.client("ceilings", server.url, ["load"], [1], mode=["--keep"], record=False)
        bytes_of = bench.client("ceilings", server.url, ["get"], [1], mode=["--reuse", "--requests", "10"], record=False)
        echoes = Echo(echo, bytes_of[-1]["reply_body_bytes"])
        ratio, rate = bench.interleave(lambda: per_core(bench, echoes, "get", ["--echo", *mode]),
                                       lambda: per_core(bench, server, "get", ["--reuse", *mode]))
    bench.bound("GetItem without keep-alive / echo, per core", ratio, "", at_least=0.5, note=f"{1e6 / rate:.1f} us of CPU a request")


class Echo:
    """An echo server whose replies have this many bytes."""

    def __init__(self, server, reply_bytes):
        self.cpu_seconds = server.cpu_seconds
        self.url = f"{server.url}/{reply_bytes}"


def measure(bench):
    print("== ceilings", flush=True)
    pages(bench)
    batches(bench)
    large_values(bench)
    tls(bench)
    without_keep_alive(bench)
