#!/usr/bin/python3
"""Runs the whole-program suites, a few at a time, and ends with the line "N passed, N failed". Before that line are
the last lines of each suite that failed and the names of its failed tests, so that the end of the output shows what
is wrong.

    tests/run.py                    all of them
    tests/run.py crash wire         those whose path contains one of the words
    tests/run.py --short            a quick pass over every part, for slow builds (sanitizers)
    tests/run.py --list             only lists them

Each suite starts its own servers on free ports, and can also be run by itself: tests/crash.py --rounds 100.
TRESTLE_BINARY names the program under test. TRESTLE_ENDPOINT runs the suites that need no server of their own against
any DynamoDB endpoint. The suites of designs run twice: embedded, and on a second Trestle over HTTP; with
TRESTLE_DESIGN_ON they run once, on that endpoint.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import harness

HERE = Path(__file__).resolve().parent
SECONDS_MAX = 1200
LINES_MAX = 40             # of a failed suite, printed again at the end

# Path, and flags for a short run, when the server under test is slow. None: not part of a short run.
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
    ("boto3/backups_test.py", []),
    ("boto3/point_in_time_test.py", []),
    ("boto3/export_test.py", []),
    ("boto3/incremental_export_test.py", None),     # a preloaded library does not work with a sanitizer
    ("boto3/import_test.py", []),
    ("boto3/bulk_put_test.py", []),
    ("boto3/vectors_test.py", []),
    ("boto3/access_test.py", []),
    ("boto3/access_conditions_test.py", []),
    ("boto3/resource_policies_test.py", []),
    ("boto3/audit_test.py", []),
    ("boto3/metrics_test.py", []),
    ("boto3/resource_test.py", []),
    ("boto3/insights_test.py", []),
    ("boto3/single_node_test.py", []),
    ("boto3/operations_test.py", []),
    ("boto3/process_test.py", None),        # it measures start-up time and memory
    ("cli/aws_cli_test.py", None),
    ("designs/api_test.py", []),
    ("copy_test.py", []),
    ("start_test.py", []),
    ("open_test.py", []),
    ("source_names_test.py", None),         # no program runs
    ("docs_test.py", None),
    ("command_line_test.py", None),
    ("shell_lines_test.py", None),
    ("recall.py", None),
    ("wire.py", []),
    ("file_arguments.py", []),
    ("slow_readers.py", None),              # it measures memory
    ("hostile_requests.py", ["--requests", "2000"]),
    ("random_model.py", ["--steps", "2000"]),
    ("linearizability.py", ["--clients", "8", "--operations", "100", "--increments", "10"]),
    ("isolation.py", ["--clients", "8", "--operations", "60"]),
    ("crash.py", ["--rounds", "3"]),
    ("power_loss.py", None),                # a preloaded library does not work with a sanitizer
    ("full_disk.py", None),
    ("designs/plugin_auth_test.py", []),
    ("designs/form_bridge_test.py", []),
    ("designs/parental_control_test.py", []),
    ("designs/authz_test.py", []),
    ("designs/site_catalog_test.py", []),
    ("designs/foreign_items_test.py", []),
    ("designs/snippets_test.py", []),
    ("designs/settings_test.py", []),
    ("designs/examples_test.py", []),
    ("designs/other_designs_test.py", []),
    ("designs/background_test.py", []),
    ("designs/reactions_test.py", []),
    ("designs/two_servers.py", None),       # it tests two processes together; it takes 40 s of CPU time
    ("designs/s3_blobs_test.py", []),
    ("designs/endpoint_test.py", []),
    ("designs/concurrency.py", ["--rounds", "3", "--seconds", "3"]),
    ("designs/random_systems.py", ["--steps", "150"]),
    ("designs/kill.py", ["--rounds", "1"]),
]
# The same suites on a second Trestle: path, flags, flags for a short run.
REMOTE_SUITES = [
    ("designs/plugin_auth_test.py", [], None),
    ("designs/form_bridge_test.py", [], None),
    ("designs/parental_control_test.py", [], None),
    ("designs/authz_test.py", [], None),
    ("designs/site_catalog_test.py", [], []),
    ("designs/foreign_items_test.py", [], None),
    ("designs/snippets_test.py", [], None),
    ("designs/settings_test.py", [], None),
    ("designs/examples_test.py", [], None),
    ("designs/other_designs_test.py", [], None),
    ("designs/background_test.py", [], None),
    ("designs/reactions_test.py", [], None),
    ("designs/concurrency.py", ["--rounds", "5"], None),
    ("designs/random_systems.py", ["--steps", "200"], ["--steps", "60"]),
    ("designs/kill.py", ["--rounds", "2"], None),
]
REMOTE = " on another"       # suffix of such a suite's name
AT_ONCE = 4                  # on two cores, because some suites mostly wait
FIRST = {"copy_test.py", "designs/background_test.py", "designs/two_servers.py", "boto3/import_test.py"}   # they take longest
ALONE = {"boto3/process_test.py", "boto3/throttling_test.py"}      # they measure time or memory
NEEDS_OWN_SERVER = {"boto3/process_test.py", "boto3/transactions_test.py", "boto3/throttling_test.py",
                    "boto3/time_to_live_test.py", "boto3/streams_test.py", "boto3/metrics_test.py",
                    "boto3/import_test.py", "boto3/bulk_put_test.py", "boto3/vectors_test.py", "boto3/insights_test.py", "boto3/operations_test.py", "boto3/single_node_test.py",
                    "designs/api_test.py",
                    "copy_test.py", "start_test.py", "wire.py",
                    "hostile_requests.py", "crash.py", "power_loss.py", "full_disk.py"}


def run(path, flags, **environment):
    """Runs one suite; returns (passed, failed, its output)."""
    try:
        done = subprocess.run([sys.executable, str(HERE / path), *flags], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MAX,
                              env={**os.environ, **environment})
        output, status = done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"").decode(errors="replace") + f"\nstopped after {SECONDS_MAX} s", 1
    # A thread of the suite, such as an endpoint whose caller has ended, may print something after this line.
    found = list(re.finditer(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE))
    if not found or (status != 0) != (int(found[-1].group(2)) > 0):
        return 0, 1, output + f"\nended with status {status} and without a plain result line"
    return int(found[-1].group(1)), int(found[-1].group(2)), output


def run_remote(path, flags):
    """Runs a suite of designs on a second Trestle."""
    with harness.Server("--memory-store", "--ttl-sweep-ms", "0") as second:
        return run(path, flags, TRESTLE_DESIGN_ON=second.endpoint)


def suites(short):
    """(name, function that runs it) of every suite, in order."""
    for path, short_flags in SUITES:
        if not (short and short_flags is None):
            yield path, lambda path=path, flags=short_flags: run(path, flags if short else [])
    if os.environ.get("TRESTLE_DESIGN_ON"):
        return
    for path, flags, short_flags in REMOTE_SUITES:
        if not (short and short_flags is None):
            yield path + REMOTE, lambda path=path, flags=flags, less=short_flags: run_remote(path,
                                                                                             less if short else flags)


def timed(name, work):
    started_at = time.monotonic()
    result = work()
    return name, time.monotonic() - started_at, result


def results(chosen):
    """(name, seconds, result) of each suite as it ends. Suites that need the machine for themselves run first."""
    for name, work in chosen:
        if name in ALONE:
            yield timed(name, work)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        others = sorted((suite for suite in chosen if suite[0] not in ALONE), key=lambda suite: suite[0] not in FIRST)
        others = [pool.submit(timed, name, work) for name, work in others]
        for done in concurrent.futures.as_completed(others):
            yield done.result()


def failed_tests(output):
    """The names of the tests that unittest reports as failed."""
    return list(dict.fromkeys(re.findall(r"^(?:FAIL|ERROR): (.+)$", output, re.MULTILINE)))


def report(failures):
    """Prints the failures in the outputs of failed suites, a list of (suite, output), and their names at the end."""
    for name, output in failures:
        print(f"\n==== the end of {name}")
        for line in output.strip().splitlines()[-LINES_MAX:]:
            print("    " + line[:500])
    if failures:
        print("\n==== failed")
    for name, output in failures:
        print("    " + "\n        ".join([name, *failed_tests(output)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="run only suites whose path contains one of these")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [(name, work) for name, work in suites(options.short)
              if (not options.words or any(word in name for word in options.words))
              and not (os.environ.get("TRESTLE_ENDPOINT")
                       and (name in NEEDS_OWN_SERVER or name.startswith("designs/")))]
    if not chosen:
        sys.exit("no suite has that name")
    if options.list:
        print("\n".join(name for name, _ in chosen))
        return
    passed, failed, failures = 0, 0, []
    for name, seconds, (good, bad, output) in results(chosen):
        passed, failed = passed + good, failed + bad
        verdict = "ok  " if not bad else "FAIL"
        print(f"{verdict} {name:44} {good:4} passed {bad:3} failed {seconds:6.1f} s", flush=True)
        if bad:
            print("    " + output.strip().replace("\n", "\n    "), flush=True)
            failures.append((name, output))
    report(failures)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
