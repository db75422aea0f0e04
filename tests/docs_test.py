#!/usr/bin/python3
"""Docs and comments may only name what exists: files, functions, flags, rooms. The command-line reference must be
current.

A name in backquotes is checked if its form shows what it is: a path ends in a known suffix or begins with a folder of
the repository, a function ends in "()", a flag begins with "--". Commands are checked too: if the first word of a
command looks like a file of the repository, the file must exist, and the flags of a `trestle` command must be flags
of that subcommand.
"""

import functools
import re
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))
sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
import command_line_docs
import harness

ROOT = harness.REPOSITORY
DOCS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md"), *ROOT.glob("tests/**/README.md"),
               *ROOT.glob("clients/*/README.md")])
DOCS = [path for path in DOCS if "node_modules" not in path.parts]
SUFFIXES = "h|cc|py|sh|md|yaml|json|ts|mjs|cmake|c"
FOLDERS = ("src", "tests", "docs", "designs", "bench", "tools", "cmake", "examples", "packaging", "console", "clients")

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(rf"(?:[\w.*-]+/)*[\w.*-]+\.(?:{SUFFIXES})|(?:{'|'.join(FOLDERS)})(?:/[\w.*-]+)*/?")
FUNCTION = re.compile(r"(?:[\w.]+(?:::|\.))*(\w+)\(\)")
FLAG = re.compile(r"--[a-z][a-z0-9-]+")
COMMENT_PATH = re.compile(rf"\b(?:src/)?[a-z0-9]+/[a-z0-9_/]+\.(?:h|cc)\b")

# Names that look like files of the repository but are not: they belong to users, other programs or a build.
NOT_OURS = {
    "index.html", "authz.html", "my.yaml", "ring", "people.yaml", "policies.json", "compile_commands.json", "x_test.cc",
    "create_backup.cc", "items.json", "shop.html", "manifest-files.json", "manifest-summary.json",
}
# Functions of the design language, of shells and of libraries.
NOT_OUR_FUNCTIONS = {"now", "ulid", "uuid"}


def text_of(path):
    return path.read_text()


@functools.cache
def source_text():
    """All files that may define a function."""
    files = [path for folder in ("src", "tests", "bench", "cmake", "tools", "examples", "clients")
             for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in (".h", ".cc", ".py", ".c", ".cmake", ".sh", ".mjs", ".js", ".ts") and "node_modules" not in path.parts]
    return "\n".join(path.read_text(errors="replace") for path in files)


@functools.cache
def file_names():
    return {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "node_modules" not in path.parts}


def exists(name, beside):
    """Whether a path in a text exists: from the root, from src/, next to the text, or as a bare file name anywhere."""
    name = name.rstrip("/")
    if name in NOT_OURS or Path(name).name in NOT_OURS:
        return True
    if "/" not in name:
        return name in file_names() or (ROOT / name).is_dir() or any(ROOT.glob(f"*/**/{name}"))
    return any(any(base.glob(name)) for base in (ROOT, ROOT / "src", beside))


def documented_code():
    """(file, text in backquotes or on an indented or fenced line of code) of every document."""
    for path in DOCS:
        fenced = False
        for line in text_of(path).splitlines():
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif fenced or line.startswith("    "):
                yield path, line.strip()
            else:
                for code in CODE.findall(line):
                    yield path, code


@functools.cache
def flags_of(*subcommand):
    return frozenset(FLAG.findall(command_line_docs.help_of(harness.binary(), subcommand)))


@functools.cache
def subcommands():
    """Every subcommand of the program, as a tuple of words."""
    return list(command_line_docs.subcommands(harness.binary()))


class Docs(unittest.TestCase):
    maxDiff = None

    def test_links_lead_somewhere(self):
        broken = [f"{path.relative_to(ROOT)}: {target}" for path in DOCS for target in LINK.findall(text_of(path))
                  if "://" not in target and not target.startswith("#")
                  and not (path.parent / target.partition("#")[0]).exists()]
        self.assertEqual([], broken)

    def test_files_that_docs_name_exist(self):
        named = [(path, code) for path, code in documented_code() if PATH.fullmatch(code)]
        self.assertGreater(len(named), 150)
        self.assertEqual([], [f"{path.relative_to(ROOT)}: {name}" for path, name in named if not exists(name, path.parent)])

    def test_files_that_comments_name_exist(self):
        missing = []
        for path in sorted((ROOT / "src").rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            for line in path.read_text().splitlines():
                comment = line.partition("//")[2]
                missing += [f"{path.relative_to(ROOT)}: {name}" for name in COMMENT_PATH.findall(comment)
                            if "://" not in line and not exists(name, path.parent)]
        self.assertEqual([], missing)

    def test_functions_that_docs_name_exist(self):
        defined = set(re.findall(r"\b(\w+)\(", source_text()))
        named = [(path, found[1]) for path, code in documented_code() if (found := FUNCTION.fullmatch(code))]
        self.assertGreater(len(named), 10)
        self.assertEqual([], [f"{path.relative_to(ROOT)}: {name}()" for path, name in named
                              if name not in defined and name not in NOT_OUR_FUNCTIONS])

    def test_flags_of_documented_commands_exist(self):
        wrong, seen = [], 0
        for path, code in documented_code():
            command = code.partition("#")[0]
            found = re.match(r"(?:build/|\$ )?trestle(?=\s|$)((?: [a-z][a-z-]*)*)", command)
            if not found:
                continue
            words = tuple(found[1].split())
            subcommand = max((known for known in subcommands() if words[:len(known)] == known), key=len)
            seen += 1
            if subcommand[:2] == ("design", "call"):
                continue        # its flags are the operation's inputs
            if words and not subcommand:
                wrong.append(f"{path.relative_to(ROOT)}: no such subcommand: {command}")
            wrong += [f"{path.relative_to(ROOT)}: {flag} of {command}" for flag in FLAG.findall(command)
                      if flag not in flags_of(*subcommand)]
        self.assertGreater(seen, 15)
        self.assertEqual([], wrong)

    def test_flags_in_backquotes_exist(self):
        known = set().union(*(flags_of(*words) for words in subcommands()))
        known |= set(FLAG.findall(source_text()))       # flags of tests and benchmarks
        wrong = [f"{path.relative_to(ROOT)}: {code}" for path, code in documented_code()
                 if code.startswith("--") and FLAG.match(code)[0] not in known]
        self.assertEqual([], wrong)

    def test_the_reference_of_the_command_line_is_current(self):
        self.assertEqual(command_line_docs.reference(harness.binary()), text_of(command_line_docs.TARGET),
                         "run tools/command_line_docs.py")

    def test_the_room_table_matches_the_build(self):
        table = {}
        for room, uses in re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", text_of(ROOT / "docs/architecture.md"), re.MULTILINE):
            table[room] = {use.strip() for use in uses.split(",") if use.strip()}
        rooms = {}
        for name, rest in re.findall(r"^ *trestle_room\((\w+)\s+([^)]*)\)", text_of(ROOT / "CMakeLists.txt"), re.MULTILINE):
            rooms[name] = set(" ".join(re.findall(r"\b(?:ROOMS|USES) ([a-z0-9 ]+)", rest)).split())
        self.assertGreater(len(rooms), 15)
        self.assertEqual(sorted(rooms), sorted(name for name in table if name in rooms))
        self.assertEqual(rooms, {name: {use for use in table[name] if use in rooms} for name in rooms})

        layers = re.search(r"```\n(cli\n.*?)```", text_of(ROOT / "docs/architecture.md"), re.DOTALL)[1].split("\n")
        layer = {room: height for height, line in enumerate(reversed(layers)) for room in line.split()}
        self.assertEqual(sorted(rooms), sorted(layer))
        self.assertEqual([], [(name, use) for name in rooms for use in rooms[name] if layer[use] >= layer[name]])

    def test_folders_of_a_room_include_only_those_before_them(self):
        """Tests and files that only tests include may use any folder."""
        orders = {room: folders.split() for room, folders in
                  re.findall(r"^(\w+): +((?:[\w.]+ ?)+)$", text_of(ROOT / "docs/architecture.md"), re.MULTILINE)}
        self.assertLessEqual({"design", "runtime", "server"}, orders.keys())
        wrong = []
        for room, order in orders.items():
            folder = ROOT / "src" / room
            self.assertEqual(sorted(path.name for path in folder.iterdir() if any(path.glob("*.*"))),
                             sorted({*order} - {"."}))
            for path in sorted(folder.rglob("*")):
                inside = path.relative_to(folder).parts[0] if path.parent != folder else "."
                if path.suffix not in (".h", ".cc") or {"test", "fuzz"} & {*path.stem.split("_")} or inside not in order:
                    continue
                included = [name.split("/")[0] if "/" in name else "."
                            for name in re.findall(rf'^#include "{room}/([^"]+)"', path.read_text(), re.MULTILINE)]
                wrong += [f"{path.relative_to(ROOT)} includes {name}" for name in included
                          if name in order and order.index(name) > order.index(inside)]
        self.assertEqual([], wrong)


if __name__ == "__main__":
    harness.run_file()
