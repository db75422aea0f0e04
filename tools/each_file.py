#!/usr/bin/env python3
"""Compiles each source file on its own, unlike the batches of other builds (docs/hacking.md): finds missing includes,
shadowed names, warnings.

    tools/each_file.py                  every file of src, without code generation
    tools/each_file.py --tidy           clang-tidy instead, on the files that changed in the last day of commits
    tools/each_file.py --tidy --base REV

Needs what tools/setup.sh installs for tests; configures build/lint itself. Ends with the counts, and fails if a file
fails.

--tidy checks at most --most files, because one takes about ten seconds: `make lint` checks all. The base is found
from the date of the last commit, not from the current date, so that a clone of the same commit gives the same files.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/lint"
PRECOMPILED = ["precompiled", "precompiled_json", "precompiled_test", "precompiled_json_test"]


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def configure():
    for words in (["cmake", "--preset", "lint"], ["cmake", "--build", "--preset", "lint", "--target", *PRECOMPILED]):
        subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    tracked = {str(ROOT / name) for name in git("ls-files", "src/*.cc").split()}
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    return {entry["file"]: entry for entry in entries if entry["file"] in tracked}


def changed_since(base):
    """Files of src that differ from `base`; for a header, the source file of the same name."""
    if base is None:
        last = datetime.datetime.fromisoformat(git("log", "-1", "--format=%cI").strip())
        before = git("rev-list", "-1", f"--before={(last - datetime.timedelta(days=1)).isoformat()}", "HEAD").strip()
        base = before or git("hash-object", "-t", "tree", os.devnull).strip()
    names = git("diff", "--name-only", "--diff-filter=d", base, "--", "src/*.cc", "src/*.h").split()
    return {str((ROOT / name).with_suffix(".cc")) for name in names}


def compile_alone(entry):
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if "clang++" in word):]  # without ccache
    place = words.index("-o")
    del words[place:place + 2]
    words[words.index("-c")] = "-fsyntax-only"
    return subprocess.run(words, cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def tidy(entry):
    return subprocess.run(["clang-tidy-19", "--quiet", "-p", BUILD, entry["file"]], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidy", action="store_true")
    parser.add_argument("--base", metavar="REV")
    parser.add_argument("--most", type=int, default=40, help="files that clang-tidy reads at most (40)")
    options = parser.parse_args()

    entries = configure()
    check = compile_alone
    if options.tidy:
        check = tidy
        changed = sorted(changed_since(options.base) & entries.keys())
        chosen = changed if len(changed) <= options.most else random.Random(git("rev-parse", "HEAD")).sample(changed, options.most)
        print(f"{len(changed)} files changed, {len(chosen)} of them read")
        entries = {name: entries[name] for name in chosen}

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(check, entries.values()):
            if done.returncode != 0:
                failed += 1
                print(done.stdout, flush=True)
    print(f"{len(entries) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
