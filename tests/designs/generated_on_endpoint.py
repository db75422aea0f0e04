#!/usr/bin/python3
"""Generated designs (src/runtime/generated_designs_test.cc) on a second Trestle, over HTTP, compared with their
model.

    tests/designs/generated_on_endpoint.py [--designs 20] [--seed 1]
"""

import argparse
import os
import pathlib
import subprocess
import sys

from served import harness


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--designs", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    tests = pathlib.Path(harness.binary()).parent / "runtime_test"
    with harness.Server("--memory-store") as server:
        environment = dict(os.environ, TRESTLE_GENERATED_ON=server.endpoint, TRESTLE_GENERATED_DESIGNS=str(arguments.designs),
                           TRESTLE_GENERATED_SEED=str(arguments.seed), AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b")
        done = subprocess.run([tests, "--gtest_filter=GeneratedDesigns.*"], env=environment, timeout=1200)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
