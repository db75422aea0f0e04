#!/usr/bin/env python3
"""Compiles each source file on its own, unlike the batches of other builds (docs/hacking.md): finds missing includes,
shadowed names, warnings.

    tools/each_file.py

Does not generate code. Needs what tools/setup.sh installs for tests; configures build/lint itself. Ends with the counts,
and fails if a file fails.
"""

import concurrent.futures
import json
import os
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


def compile_alone(entry):
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if "clang++" in word):]  # without ccache
    place = words.index("-o")
    del words[place:place + 2]
    words[words.index("-c")] = "-fsyntax-only"
    return subprocess.run(words, cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    entries = configure()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(compile_alone, entries.values()):
            if done.returncode != 0:
                failed += 1
                print(done.stdout, flush=True)
    print(f"{len(entries) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
