#!/usr/bin/python3
"""Runs the whole-program suites one after another and ends with the line "N passed, N failed".

    tests/run.py                    all of them
    tests/run.py crash wire         those whose path contains one of the words
    tests/run.py --short            a quick pass over every part, for slow builds (sanitizers)
    tests/run.py --list             only names them

Each suite starts its own servers on free ports, and is also a program of its own: tests/crash.py --rounds 100.
TRESTLE_BINARY names the program under test; TRESTLE_ENDPOINT runs the suites that need no server of their own
against any DynamoDB endpoint.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS_MAX = 600

# Path and, when the server under test is slow, flags for a short run. None: left out of a short run.
SUITES = [
    ("boto3/tables_test.py", []),
    ("boto3/items_test.py", []),
    ("boto3/queries_test.py", []),
    ("boto3/batches_test.py", []),
    ("boto3/transactions_test.py", []),
    ("boto3/indexes_test.py", []),
    ("boto3/capacity_test.py", []),
    ("boto3/throttling_test.py", []),
    ("boto3/time_to_live_test.py", []),
    ("boto3/streams_test.py", []),
    ("boto3/metrics_test.py", []),
    ("boto3/resource_test.py", []),
    ("boto3/unbuilt_test.py", []),
    ("boto3/process_test.py", None),        # it times the start and measures memory
    ("cli/aws_cli_test.py", None),
    ("wire.py", []),
    ("hostile_requests.py", ["--requests", "2000"]),
    ("random_model.py", ["--steps", "2000"]),
    ("linearizability.py", ["--clients", "8", "--operations", "100", "--increments", "10"]),
    ("isolation.py", ["--clients", "8", "--operations", "60"]),
    ("crash.py", ["--rounds", "3"]),
    ("power_loss.py", None),                # a preloaded library and a sanitizer do not go together
    ("full_disk.py", None),
]
NEEDS_OWN_SERVER = {"boto3/process_test.py", "boto3/transactions_test.py", "boto3/throttling_test.py",
                    "boto3/time_to_live_test.py", "boto3/streams_test.py", "boto3/metrics_test.py", "wire.py",
                    "hostile_requests.py", "crash.py", "power_loss.py", "full_disk.py"}


def run(path, flags):
    """Runs one suite; returns (passed, failed, its output)."""
    try:
        done = subprocess.run([sys.executable, str(HERE / path), *flags], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MAX)
        output, status = done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"").decode(errors="replace") + f"\nstopped after {SECONDS_MAX} s", 1
    found = re.search(r"^(\d+) passed, (\d+) failed\s*\Z", output, re.MULTILINE)
    if not found or (status != 0) != (int(found.group(2)) > 0):
        return 0, 1, output + f"\nended with status {status} and without a plain result line"
    return int(found.group(1)), int(found.group(2)), output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="run only suites whose path contains one of these")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [(path, short) for path, short in SUITES
              if (not options.words or any(word in path for word in options.words))
              and not (options.short and short is None)
              and not (os.environ.get("TRESTLE_ENDPOINT") and path in NEEDS_OWN_SERVER)]
    if not chosen:
        sys.exit("no suite has that name")
    passed = failed = 0
    for path, short in chosen:
        if options.list:
            print(path)
            continue
        started_at = time.monotonic()
        good, bad, output = run(path, short if options.short else [])
        passed, failed = passed + good, failed + bad
        verdict = "ok  " if not bad else "FAIL"
        print(f"{verdict} {path:28} {good:4} passed {bad:3} failed {time.monotonic() - started_at:6.1f} s", flush=True)
        if bad:
            print("    " + output.strip().replace("\n", "\n    "), flush=True)
    if not options.list:
        print(f"{passed} passed, {failed} failed")
        sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
