#!/usr/bin/python3
"""Measures how many of the faults of the five documents `trestle design check` finds.

    TRESTLE_BINARY=build/trestle tests/recall.py

designs/as-written/NAME.yaml is a transcribed document; NAME.faults.txt, in the same folder, lists the faults that a
reader of the document found, with their lines. A fault counts as found if the check reports its code on the line of
the transcription that the row quotes. The figure without hints excludes faults for which the transcription says more
than the document does. The run fails if a row's finding is not reported, and if the total is below 90%.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ROOT / "designs" / "as-written"
ROW = re.compile(r"(?P<line>\d+) +(?P<code>T\d{3}|missed)(?P<hint> hint)? +(`(?P<place>[^`]+)` +)?(?P<words>\S.*)")
TARGET = 0.9


def findings(binary, path):
    """[(code, line of the transcription)], without running the operations."""
    found = subprocess.run([binary, "design", "check", "--static", "--format", "json", str(path)], capture_output=True, text=True)
    lines = path.read_text().splitlines()
    return [(each["code"], lines[each["line"] - 1]) for report in [json.loads(found.stdout)]
            for each in walk(report) if 0 < each.get("line", 0) <= len(lines)]


def walk(value):
    if isinstance(value, dict):
        if "code" in value and "line" in value:
            yield value
        for each in value.values():
            yield from walk(each)
    elif isinstance(value, list):
        for each in value:
            yield from walk(each)


def main():
    binary = os.environ.get("TRESTLE_BINARY", str(ROOT / "build" / "trestle"))
    totals, problems = [0, 0, 0], []
    print(f"{'document':20} {'faults':>6} {'found':>6} {'without hints':>14}")
    for path in sorted(DOCUMENTS.glob("*.faults.txt")):
        name = path.name.removesuffix(".faults.txt")
        reported = findings(binary, DOCUMENTS / f"{name}.yaml")
        counts = [0, 0, 0]
        for number, text in enumerate(path.read_text().splitlines(), 1):
            if not text or text.startswith("#"):
                continue
            row = ROW.fullmatch(text)
            if not row:
                problems.append(f"{path.name}:{number}: not a row: {text}")
                continue
            counts[0] += 1
            if row["code"] == "missed":
                continue
            if any(code == row["code"] and row["place"] in line for code, line in reported):
                counts[1] += 1
                counts[2] += not row["hint"]
            else:
                problems.append(f"{path.name}:{number}: not reported: {row['code']} {row['words']}")
        print(f"{name:20} {counts[0]:6} {counts[1]:6} {counts[2]:14}")
        totals = [a + b for a, b in zip(totals, counts)]
    print(f"{'all':20} {totals[0]:6} {totals[1]:6} {totals[2]:14}   {totals[1] / totals[0]:.1%}, "
          f"{totals[2] / totals[0]:.1%} without hints")
    if totals[1] / totals[0] < TARGET:
        problems.append(f"below {TARGET:.0%}")
    for problem in problems:
        print(problem)
    print(f"{int(not problems)} passed, {int(bool(problems))} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
