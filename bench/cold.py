"""Reads of items that are only on disk: bench/run.py --cold, and part of make bench.

Uses a table larger than RocksDB's cache, whose files are dropped from the page cache before each measurement.
Compares GetItem of random items with random reads of the same files without a database (the device's rate, with as
many threads as the server has for reads), and the latency of GetItem on a small table in memory, at a fixed rate,
alone and during cold reads.
"""

import os
import random
import statistics
import threading
import time
from pathlib import Path

READERS = 16
BLOCK_BYTES = 4096
CACHE_MB = 64
HOT_ITEMS = 1000
HOT_LOAD = 0.2  # of saturation
OF_DEVICE_MIN, HOT_TIMES_MAX = 0.5, 1.2


def data_files(server):
    return sorted(Path(server.folder, "data").glob("*.sst"))


def drop_from_page_cache(server):
    for path in Path(server.folder, "data").iterdir():
        if not path.is_file():
            continue
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def device_rate(server, seconds):
    """Random block reads per second by READERS threads."""
    files = [(os.open(path, os.O_RDONLY), path.stat().st_size // BLOCK_BYTES) for path in data_files(server)]
    files = [(file, blocks) for file, blocks in files if blocks > 0]
    drop_from_page_cache(server)
    for file, _ in files:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    counts = [0] * READERS
    until = time.monotonic() + seconds

    def read(number):
        source = random.Random(number)
        while time.monotonic() < until:
            file, blocks = source.choice(files)
            os.pread(file, BLOCK_BYTES, source.randrange(blocks) * BLOCK_BYTES)
            counts[number] += 1

    threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for file, _ in files:
        os.close(file)
    return sum(counts) / seconds


def measure(bench):
    items, seconds = bench.options.cold_items, bench.options.seconds
    print(f"== cold reads of {items} items", flush=True)
    system = "trestle durable, cold"
    with bench.trestle("--cache-mb", str(CACHE_MB)) as server:
        bench.client(system, server.url, ["load"], [1], items=items, mode=["--keep"], record=False)
        bench.client(system, server.url, ["load"], [1], items=HOT_ITEMS, mode=["--keep"], record=False)
        server.restart()
        bench.one_rate(system, server.url, "get", ["--reuse"], items=items)  # compaction is complete by now

        def cold_rate():
            drop_from_page_cache(server)
            return bench.one_rate(system, server.url, "get", ["--reuse", "--seed", str(random.randrange(1 << 30))], items=items)

        ratio, rate = bench.interleave(lambda: device_rate(server, seconds), cold_rate)
        bench.bound(f"cold GetItem of {items} items / random reads of the device", ratio, "", at_least=OF_DEVICE_MIN,
                    note=f"{rate:.0f} a second")

        hot_rate = HOT_LOAD * bench.one_rate(system, server.url, "get", ["--reuse"], items=HOT_ITEMS)

        def hot_latency():
            rows = bench.client(system, server.url, ["get"], [bench.judged], items=HOT_ITEMS,
                                mode=["--reuse", "--rate", f"{hot_rate:.0f}"], record=False)
            return float(rows[-1]["p50_us"]), float(rows[-1]["p99_us"])

        alone, beside = [], []
        for _ in range(bench.options.rounds):
            alone.append(hot_latency())
            drop_from_page_cache(server)
            cold = threading.Thread(target=lambda: bench.client(
                system, server.url, ["get"], [READERS], items=items, record=False,
                mode=["--reuse", "--rate", f"{rate * 0.3:.0f}", "--seed", str(random.randrange(1 << 30))]))
            cold.start()
            beside.append(hot_latency())
            cold.join()
        for place, name in enumerate(("p50", "p99")):
            before, after = (statistics.median(row[place] for row in rows) for rows in (alone, beside))
            bench.bound(f"{name} of hot GetItem beside cold ones / alone", after / before, "x", at_most=HOT_TIMES_MAX,
                        note=f"{before / 1000:.2f} ms alone, {after / 1000:.2f} ms beside {rate * 0.3:.0f} cold reads a second")
