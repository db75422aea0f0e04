#!/usr/bin/python3
"""Writes docs/command-line.md, the reference of the command line, from the program's --help.

    tools/command_line_docs.py [PROGRAM]      default: build/trestle
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "command-line.md"
HEAD = """# Command line

Generated from `trestle --help` by `tools/command_line_docs.py`; do not edit it by hand.
"""


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          check=True, timeout=60).stdout


def subcommands(program, words=()):
    """Every subcommand below this one, including itself, as tuples of words in the order of the help."""
    yield words
    listed = help_of(program, words).partition("Subcommands:")[2]
    for name in re.findall(r"^  ([a-z][a-z-]*)(?: |$)", listed, re.MULTILINE):
        yield from subcommands(program, (*words, name))


def reference(program):
    parts = [HEAD]
    for words in subcommands(program):
        shown = "\n".join(line.rstrip() for line in help_of(program, words).strip().splitlines())
        parts.append(f"## {' '.join(('trestle', *words))}\n\n```text\n{shown}\n```\n")
    return "\n".join(parts)


def main():
    TARGET.write_text(reference(sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "trestle")))


if __name__ == "__main__":
    main()
