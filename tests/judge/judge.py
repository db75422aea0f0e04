"""Runs designs, copies and the API suites on DynamoDB Local; tests/judge.sh prepares it and passes its arguments on.

    tests/judge.sh                      everything
    tests/judge.sh designs copy         those parts
    tests/judge.sh designs/authz        suites whose name contains the text

Parts: probe, designs, generated, typescript, copy, differential, boto3, sdk-js. Each suite has a separate DynamoDB
Local in memory, one at a time. boto3 and sdk-js fail where DynamoDB Local differs from DynamoDB; differences.py lists
each such difference with its source, and any other failure fails the run. The differences found are printed at the
end."""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from dynamodb_local import DynamoDBLocal, harness
import differences
import run  # noqa: E402  (tests/run.py: what a suite is)

TESTS = harness.REPOSITORY / "tests"
HERE = Path(__file__).resolve().parent
KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1"}
SECONDS_MAX = 1800
SDK_JS = TESTS / "sdk-js"
BOTO3 = "tables items queries batches indexes capacity resource".split()     # of what it has
found = Counter()       # known differences


def result(words, environment):
    """Runs a program; returns (passed, failed, output) from its last line, or from its status if it has no such line."""
    done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS_MAX, env={**os.environ, **environment}, cwd=harness.REPOSITORY)
    output = done.stdout.decode(errors="replace")
    found = re.search(r"^(\d+) passed, (\d+) failed\s*\Z", output, re.MULTILINE)
    if found and (done.returncode != 0) == (int(found.group(2)) > 0):
        return int(found.group(1)), int(found.group(2)), output
    return (1, 0, output) if done.returncode == 0 and not found else (0, 1, output + f"\nended with status {done.returncode}")



def suites():
    """(name, function that runs it on a DynamoDB Local) of every suite."""
    yield "probe", lambda local: result([sys.executable, HERE / "probe_test.py"], {"TRESTLE_DESIGN_ON": local.endpoint})
    for path, flags, _ in run.REMOTE_SUITES:
        yield path, lambda local, path=path, flags=flags: result([sys.executable, TESTS / path, *flags],
                                                                 {"TRESTLE_DESIGN_ON": local.endpoint})
    yield "generated", lambda local: result([Path(harness.binary()).parent / "runtime_test", "--gtest_filter=GeneratedDesigns.*"],
                                            {**KEYS, "TRESTLE_GENERATED_ON": local.endpoint,
                                             "TRESTLE_GENERATED_DESIGNS": os.environ.get("TRESTLE_GENERATED_DESIGNS", "20")})
    yield "typescript", lambda local: result(["node", TESTS / "designs-ts" / "run.mjs"],
                                             {**KEYS, "TRESTLE_DESIGN_ON": local.endpoint})
    yield "copy", lambda local: result([sys.executable, HERE / "copies_test.py"], {**KEYS, "TRESTLE_LOCAL": local.endpoint})
    yield "differential", lambda local: result([sys.executable, TESTS / "differential.py", "--against", local.endpoint,
                                                "--seed", "7", "--steps", "3000"], {})
    for name in BOTO3:
        yield "boto3/" + name, lambda local, name=name: known(*result([sys.executable, TESTS / "boto3" / f"{name}_test.py"],
                                                                      {"TRESTLE_ENDPOINT": local.endpoint}))
    yield "sdk-js", lambda local: known(*result(["node", SDK_JS / "run.mjs"], {
        "TRESTLE_ENDPOINT": local.endpoint, "TRESTLE_PROGRAM": harness.binary(), "TRESTLE_WAIT_MS": "20000"}))


def known(good, bad, output):
    """The result without failures that are known differences."""
    counts, unknown = differences.classify(output)
    if counts.total() + len(unknown) < bad:       # not all of them could be parsed
        return good, bad, output
    found.update(counts)
    return good, len(unknown), "\n".join(unknown)


def main():
    words = sys.argv[1:]
    chosen = [one for one in suites() if not words or any(word in one[0] for word in words)]
    if not chosen:
        sys.exit("no suite has that name")
    passed, failed = 0, 0
    for name, work in chosen:
        began = time.monotonic()
        with DynamoDBLocal() as local:
            good, bad, output = work(local)
        print(f"{'FAIL' if bad else 'ok  '} {name:36} {good:4} passed {bad:3} failed {time.monotonic() - began:6.1f} s", flush=True)
        if bad:
            print("    " + output.strip().replace("\n", "\n    "), flush=True)
        passed, failed = passed + good, failed + bad
    for name, _, source in differences.DIFFERENCES:
        if found[name]:
            print(f"{found[name]:5} {name}: {source}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
