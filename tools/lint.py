#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the batches of source files that the Release build compiles (docs/hacking.md). Most of
the time goes into the headers, so a batch of 24 files takes little longer than one file.

    tools/lint.py               batches with a file that changed in the last day of commits, at most --most
    tools/lint.py --base REV    batches with a file that changed since REV, at most --most
    tools/lint.py --all         every batch

Needs what tools/setup.sh installs for tests, and a Release build, whose precompiled headers it uses. Ends with the counts,
and fails if a batch has findings.

The base is found from the date of the last commit, not from the current date, so that a clone of the same commit gives the
same batches. If there are more than --most, some are chosen at random, by the commit.
"""

import argparse
import concurrent.futures
import datetime
import functools
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def batches():
    """The files of the project in each file that the compiler reads, except unit tests and generated files."""
    out = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.parent.name == "Unity":
            files = re.findall(r'#include "(.*\.cc)"', path.read_text())
        else:
            files = [str(path)]
        files = [name for name in files if name.startswith(f"{ROOT}/src/") and not name.endswith("_test.cc")]
        if files:
            out[str(path)] = files
    return out


@functools.cache
def including_files():
    """The files that include each header of src, by the header's name in their includes."""
    files = {}
    for path in (ROOT / "src").rglob("*"):
        if path.suffix in (".h", ".cc"):
            for header in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                files.setdefault(header, []).append(path)
    return files


@functools.cache
def sources_of(path):
    """The file if it is a source file. For a header: the source file of its name, else those of all files that include it."""
    source = path.with_suffix(".cc")
    if source.exists():
        return {str(source)}
    return set().union(*map(sources_of, including_files().get(str(path.relative_to(ROOT / "src")), [])))


def changed_since(base):
    """The source files that differ from `base`, and those of the headers that do."""
    if base is None:
        last = datetime.datetime.fromisoformat(git("log", "-1", "--format=%cI").strip())
        before = git("rev-list", "-1", f"--before={(last - datetime.timedelta(days=1)).isoformat()}", "HEAD").strip()
        base = before or git("hash-object", "-t", "tree", os.devnull).strip()
    names = git("diff", "--name-only", "--diff-filter=d", base, "--", "src/*.cc", "src/*.h").split()
    return set().union(*(sources_of(ROOT / name) for name in names))


def lint(batch):
    # A batch includes source files, which is what this check is about.
    return subprocess.run(["clang-tidy-19", "--quiet", "--checks=-bugprone-suspicious-include", "-p", BUILD, batch],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--base", metavar="REV")
    parser.add_argument("--most", type=int, default=12, help="batches at most (12)")
    options = parser.parse_args()

    chosen = batches()
    if not options.all:
        changed = changed_since(options.base)
        chosen = sorted(batch for batch, files in chosen.items() if changed & set(files))
        total = len(chosen)
        if total > options.most:
            chosen = random.Random(git("rev-parse", "HEAD")).sample(chosen, options.most)
        print(f"{total} batches changed, {len(chosen)} of them checked", flush=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(lint, chosen):
            if done.returncode != 0:
                failed += 1
                print(done.stdout or done.stderr, flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
