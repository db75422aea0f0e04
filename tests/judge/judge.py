"""Runs designs, copies and the suites of the API on DynamoDB Local; tests/judge.sh prepares it and passes its arguments on.

    tests/judge.sh                      everything
    tests/judge.sh designs copy         those parts
    tests/judge.sh designs/authz        suites whose name contains the text

Parts: probe, designs, generated, typescript, copy, differential, boto3, sdk-js. Each suite has a DynamoDB Local of its own, in
memory, one at a time. boto3 and sdk-js are expected to fail in the tests that known_differences.txt lists, and in no other."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from dynamodb_local import DynamoDBLocal, harness
import run  # noqa: E402  (tests/run.py: what a suite is)

def known(name, good, bad, output):
    return good, bad, output


TESTS = harness.REPOSITORY / "tests"
HERE = Path(__file__).resolve().parent
KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1"}
SECONDS_MAX = 1800
SDK_JS = TESTS / "sdk-js"
# Suites that start no server of their own, so that they run on any endpoint.
BOTO3 = [path for path, _ in run.SUITES if path.startswith("boto3/") and path not in run.NEEDS_OWN_SERVER]


def result(words, environment):
    """Runs a program; returns (passed, failed, output) by its last line, or by its status where it has no such line."""
    done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS_MAX, env={**os.environ, **environment}, cwd=harness.REPOSITORY)
    output = done.stdout.decode(errors="replace")
    found = re.search(r"^(\d+) passed, (\d+) failed\s*\Z", output, re.MULTILINE)
    if found and (done.returncode != 0) == (int(found.group(2)) > 0):
        return int(found.group(1)), int(found.group(2)), output
    return (1, 0, output) if done.returncode == 0 and not found else (0, 1, output + f"\nended with status {done.returncode}")



def suites():
    """(name, what runs it on a DynamoDB Local) of everything."""
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
    for path in BOTO3:
        yield path, lambda local, path=path: known(path, *result([sys.executable, TESTS / path], {"TRESTLE_ENDPOINT": local.endpoint}))
    for file in sorted((SDK_JS / "cases").glob("*.test.mjs")):
        name = file.name.removesuffix(".test.mjs")
        yield "sdk-js/" + name, lambda local, name=name: known("sdk-js/" + name, *result(
            ["node", SDK_JS / "run.mjs", name], {"TRESTLE_ENDPOINT": local.endpoint, "TRESTLE_PROGRAM": harness.binary()}))


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
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
