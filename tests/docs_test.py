#!/usr/bin/python3
"""Docs and comments may only name what exists: files, functions, flags, rooms. The command-line reference must be
current, and the tables of docs/architecture.md complete: rooms with their libraries, threads, locks.

A name in backquotes is checked if its form shows what it is: a path ends in a known suffix or begins with a folder of
the repository, a function has parentheses, a member is written Class::member, a flag begins with "--". Commands are
checked too: if the first word of a command looks like a file of the repository, the file must exist, and the flags of a
`trestle` command must be flags of that subcommand. In comments, of scripts too, paths, members, functions and flags are
checked without backquotes.
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
FUNCTION = re.compile(r"(?:[\w.]+(?:::|\.))*(\w+)\(.*\)")
MEMBER = re.compile(r"(?<![\w:])(?:\w+::)+\w+")
DEFINITION = re.compile(r"\b(?:class|struct|namespace|using|union)\s+(?:[A-Z_]+(?:\([^)]*\))?\s+)?([\w:]+)")
FLAG = re.compile(r"--[a-z][a-z0-9-]+")
COMMENT_FUNCTION = re.compile(r"(\w+)\(\)")
COMMENT_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]\b(?!-)")
COMMENT_PATH = re.compile(r"(?<![\w/.*<-])(?:\.\./)*(?:[\w-]+/)*[\w-]+\.(?:h|cc|py|sh|md|ts|mjs|cmake)\b(?![\w(*])")
# What precedes the command on a line of shell.
BEFORE_COMMAND = re.compile(r"(?:(?:\$|sudo|nice|[A-Z_]+=\S*) +)*")

# Names that look like files of the repository but are not: they belong to users, other programs or a build.
NOT_OURS = {
    "authz.html", "my.yaml", "ring", "people.yaml", "policies.json", "compile_commands.json", "x_test.cc",
    "shop.html", "manifest-files.json", "manifest-summary.json", "assets.cc",
}
# Scopes of libraries, of CMake's targets and of CloudFormation.
NOT_OUR_SCOPES = {"std", "fmt", "DB", "DBOptions", "Trestle", "AWS", "Fn"}
# Functions of the design language, of shells and of libraries.
NOT_OUR_FUNCTIONS = {"now", "ulid", "uuid"}
# Functions of Java and RocksDB that comments name.
NOT_OUR_FUNCTIONS_OF_COMMENTS = {"hashCode", "toString", "SyncWAL"}
NOT_OUR_FLAGS = {       # of the AWS CLI
    "--request-items", "--key-schema", "--global-secondary-indexes", "--expression-attribute-names",
}
# What docs/architecture.md calls the libraries of CMake. Those that every room has through `base` are named there only.
LIBRARIES = {
    "fmt::fmt": "fmt", "OpenSSL::Crypto": "OpenSSL", "OpenSSL::SSL": "OpenSSL", "simdjson::simdjson": "simdjson",
    "ZLIB::ZLIB": "zlib", "zstd": "zstd", "rocksdb": "RocksDB", "xxhash": "xxHash", "http_parser": "http-parser",
    "deflate": "libdeflate", "yaml-cpp": "yaml-cpp", "date::date-tz": "date", "CLI11::CLI11": "CLI11", "GTest::gtest": "gtest",
    "Threads::Threads": None,       # part of glibc
}
# The library of a header, by the header's folder or name; None: the system.
INCLUDED = {
    "fmt": "fmt", "openssl": "OpenSSL", "simdjson.h": "simdjson", "zlib.h": "zlib", "zstd.h": "zstd", "rocksdb": "RocksDB",
    "xxhash.h": "xxHash", "http_parser.h": "http-parser", "libdeflate.h": "libdeflate", "yaml-cpp": "yaml-cpp", "date": "date",
    "CLI": "CLI11", "gtest": "gtest", "gmock": "gtest", "hnswlib": "hnswlib",
    **dict.fromkeys(("arpa", "fcntl.h", "immintrin.h", "netdb.h", "netinet", "poll.h", "pthread.h", "signal.h", "sys", "time.h",
                     "unistd.h")),
}
# Libraries that consist of headers only, by the name of their folder; CMake does not name them.
HEADER_LIBRARIES = {"hnswlib"}
# Rooms and files for tests only. Their threads and locks are not documented.
FOR_TESTS = ("src/simulation/", "src/remote/fake_endpoint.h", "src/base/test_point.h")
LOCK = re.compile(r"^\s+(?:mutable |static |inline )*(?:Mutex|SharedMutex|std::(?:\w+_)?mutex|LogGate) (\w+)(?:\{.*\})?;")
SCOPE = re.compile(r"\s*(?:class|struct)\s+(?:[A-Z_]+(?:\([^)]*\))? )?([\w:]+)(?: final)?(?:\s*:\s[^;]*)?\s*\{")


def text_of(path):
    return path.read_text()


@functools.cache
def files_of_code():
    """The text of every file of code, by path."""
    return {path: path.read_text(errors="replace")
            for folder in ("src", "tests", "bench", "cmake", "tools", "examples", "clients", "packaging", "console")
            for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in (".h", ".cc", ".py", ".c", ".cmake", ".sh", ".mjs", ".js", ".ts", ".tsx")
            and not {"node_modules", "dist"} & {*path.parts}}


@functools.cache
def source_text():
    """All files that may define a function."""
    return "\n".join(files_of_code().values())


def script_comments():
    """(file, comment) of every line that has one in scripts, and of the lines of Python's docstrings."""
    texts = {**files_of_code(), **{path: text_of(path) for path in (ROOT / "CMakeLists.txt", ROOT / "Makefile")}}
    for path, text in texts.items():
        if path.suffix in (".h", ".cc"):
            continue        # comments()
        begin = "//" if path.suffix in (".c", ".mjs", ".js", ".ts", ".tsx") else "#"
        found = re.findall(rf"(?:^|\s){begin}(.*)", text, re.MULTILINE)
        if path.suffix == ".py":
            found += [line for doc in re.findall(r'^\s*"""(.*?)"""', text, re.DOTALL | re.MULTILINE) for line in doc.splitlines()]
        elif begin == "//":
            found += re.findall(r"^\s*/?\*(.*)", text, re.MULTILINE)
        yield from ((str(path.relative_to(ROOT)), comment) for comment in found if "://" not in comment)


@functools.cache
def script_flags():
    """The flags that programs and scripts of the repository parse, other than `trestle`."""
    flags = set()
    for path, text in files_of_code().items():
        if path.suffix == ".py":
            found = [flag for call in re.findall(r"add_argument\(([^)]*)", text) for flag in re.findall(r'"(--[\w-]+)"', call)]
        elif path.suffix == ".sh":
            found = re.findall(r"^\s*(--[\w-]+)[ |)=*]", text, re.MULTILINE)      # a label of `case`
        elif path.suffix in (".cc", ".c"):
            found = re.findall(r'"(--[\w-]+)[="]', text) if re.search(r"\bint main\(", text) else ()
        else:
            found = re.findall(r"'(--[\w-]+)'", text) if "process.argv" in text else ()
        flags.update(found)
    return flags


@functools.cache
def file_names():
    return {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "node_modules" not in path.parts}


@functools.cache
def sources():
    """The text of every C++ file, by path from the root."""
    return {str(path.relative_to(ROOT)): path.read_text()
            for path in sorted((ROOT / "src").rglob("*")) if path.suffix in (".h", ".cc")}


def comments():
    """(file, comment) of every line that has one."""
    for path, text in sources().items():
        for line in text.splitlines():
            comment = line.partition("//")[2]
            if comment and "://" not in line:
                yield path, comment


@functools.cache
def test_files():
    """C++ files of tests: by name, and headers that only such files include."""
    found = {path for path in sources() if {"test", "fuzz"} & {*Path(path).stem.split("_")}}
    includes = {path: set(re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)) for path, text in sources().items()}
    while True:
        included = {name for path, names in includes.items() if path not in found for name in names}
        more = {path for path in sources() if path.endswith(".h") and path[len("src/"):] not in included} - found
        if not more:
            return found
        found |= more


@functools.cache
def cmake_rooms():
    """The rooms of CMakeLists.txt, each with the words after ROOMS, USES, TEST_ROOMS and LIBRARIES."""
    rooms = {}
    for name, rest in re.findall(r"^ *trestle_room\((\w+)\s+([^)]*)\)", text_of(ROOT / "CMakeLists.txt"), re.MULTILINE):
        rooms[name] = {"ROOMS": [], "USES": [], "TEST_ROOMS": [], "LIBRARIES": []}
        words = None
        for word in rest.split():
            if word in rooms[name]:
                words = rooms[name][word]
            elif word not in ("INSTALL", "COLD"):
                words.append(word)
    return rooms


def section(title):
    """The text of a section of docs/architecture.md."""
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text_of(ROOT / "docs/architecture.md"), re.MULTILINE | re.DOTALL)[1]


def locks_of(text):
    """(classes around it, name) of every lock that a file declares as a member."""
    scopes = []
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        if line.strip() and not re.match(r"\s*(public|private|protected):|#", line):
            scopes = [scope for scope in scopes if scope[0] < depth]
        if found := SCOPE.match(line):
            scopes.append((depth, found[1]))
        if (found := LOCK.match(line)) and scopes:
            yield "::".join(name for _, name in scopes), found[1]


@functools.cache
def words_of_scopes():
    """The words in the code of the files that define a class or a namespace, by its name."""
    words = {}
    for text in sources().values():
        code = "\n".join(line.partition("//")[0] for line in text.splitlines())
        for name in DEFINITION.findall(code):
            for scope in name.split("::"):
                words.setdefault(scope, set()).update(re.findall(r"\w+", code))
    return words


def has_member(name):
    """Whether each part of Outer::Class::member occurs in a file that defines the part before it."""
    parts = name.split("::")
    return parts[0] in NOT_OUR_SCOPES or all(
        member in words_of_scopes().get(scope, ()) for scope, member in zip(parts, parts[1:]))


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

    def test_files_that_commands_run_exist(self):
        commands = [(path, code[BEFORE_COMMAND.match(code).end():].partition(" ")[0].removeprefix("./"))
                    for path, code in documented_code() if " " in code]
        named = [(path, word) for path, word in commands if PATH.fullmatch(word)]
        self.assertGreater(len(named), 40)
        self.assertEqual([], [f"{path.relative_to(ROOT)}: {name}" for path, name in named if not exists(name, path.parent)])

    def test_files_that_comments_name_exist(self):
        named = [(path, name) for path, comment in [*comments(), *script_comments()] for name in COMMENT_PATH.findall(comment)]
        self.assertGreater(len(named), 300)
        self.assertEqual([], [f"{path}: {name}" for path, name in named if not exists(name, (ROOT / path).parent)])

    def test_members_that_docs_and_comments_name_exist(self):
        texts = [*comments(), *((path.relative_to(ROOT), code) for path, code in documented_code())]
        named = [(path, name) for path, text in texts for name in MEMBER.findall(text)]
        self.assertGreater(len(named), 500)
        self.assertEqual([], [f"{path}: {name}" for path, name in named if not has_member(name)])

    def test_functions_and_flags_that_comments_name_exist(self):
        code = "\n".join(line.partition("//")[0] for text in sources().values() for line in text.splitlines())
        functions = set(re.findall(r"\b(\w+)\(", code)) | NOT_OUR_FUNCTIONS_OF_COMMENTS
        named = [(path, name) for path, comment in comments() for name in COMMENT_FUNCTION.findall(comment)]
        self.assertGreater(len(named), 200)
        self.assertEqual([], [f"{path}: {name}()" for path, name in named if name not in functions])
        functions |= set(re.findall(r"\b(\w+)\(", source_text()))
        named = [(path, name) for path, comment in script_comments() for name in COMMENT_FUNCTION.findall(comment)]
        self.assertGreater(len(named), 40)
        self.assertEqual([], [f"{path}: {name}()" for path, name in named if name not in functions])
        flags = set(FLAG.findall(code)).union(*(flags_of(*words) for words in subcommands()))
        named = [(path, flag) for path, comment in comments() for flag in COMMENT_FLAG.findall(comment)]
        self.assertGreater(len(named), 20)
        self.assertEqual([], [f"{path}: {flag}" for path, flag in named if flag not in flags | NOT_OUR_FLAGS])
        flags |= script_flags()
        named = [(path, flag) for path, comment in script_comments() for flag in COMMENT_FLAG.findall(comment)]
        self.assertGreater(len(named), 40)
        self.assertEqual([], [f"{path}: {flag}" for path, flag in named if flag not in flags | NOT_OUR_FLAGS])

    def test_functions_that_docs_name_exist(self):
        defined = set(re.findall(r"\b(\w+)\(", source_text()))
        named = [(path, found[1]) for path, code in documented_code() if (found := FUNCTION.fullmatch(code))]
        self.assertGreater(len(named), 40)
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
        known = script_flags().union(NOT_OUR_FLAGS, *(flags_of(*words) for words in subcommands()))
        named = [(path, FLAG.match(code)[0]) for path, code in documented_code() if code.startswith("--")]
        self.assertGreater(len(named), 200)
        self.assertEqual([], [f"{path.relative_to(ROOT)}: {flag}" for path, flag in named if flag not in known])

    def test_the_reference_of_the_command_line_is_current(self):
        self.assertEqual(command_line_docs.reference(harness.binary()), text_of(command_line_docs.TARGET),
                         "run tools/command_line_docs.py")

    def test_the_room_table_matches_the_build(self):
        table = {}
        for room, uses in re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", text_of(ROOT / "docs/architecture.md"), re.MULTILINE):
            table[room] = {use.strip() for use in uses.split(",") if use.strip()}
        rooms = {name: {*words["ROOMS"], *words["USES"]} for name, words in cmake_rooms().items()}
        self.assertGreater(len(rooms), 15)
        self.assertEqual(sorted(rooms), sorted(name for name in table if name in rooms))
        self.assertEqual(rooms, {name: {use for use in table[name] if use in rooms} for name in rooms})
        libraries = {name: {LIBRARIES[library] for library in words["LIBRARIES"]} - {None}
                     for name, words in cmake_rooms().items()}
        for path, text in sources().items():
            if path.count("/") > 1:
                libraries[path.split("/")[1]] |= {name for name in HEADER_LIBRARIES if f"#include <{name}/" in text}
        self.assertEqual(libraries, {name: table[name] - rooms.keys() for name in rooms})

        layers = re.search(r"```\n(cli\n.*?)```", text_of(ROOT / "docs/architecture.md"), re.DOTALL)[1].split("\n")
        layer = {room: height for height, line in enumerate(reversed(layers)) for room in line.split()}
        self.assertEqual(sorted(rooms), sorted(layer))
        self.assertEqual([], [(name, use) for name in rooms for use in rooms[name] if layer[use] >= layer[name]])

    def test_files_include_only_declared_rooms(self):
        """The build refuses rooms that cannot be reached at all (cmake/rooms.cmake); this refuses the others. `base` and
        `model` need no declaration."""
        rooms = cmake_rooms()
        wrong = []
        for path, text in sources().items():
            if path.count("/") < 2:
                continue
            room = path.split("/")[1]
            words = rooms[room]
            allowed = {room, "base", "model", *words["ROOMS"]}
            if not path.endswith(".h") or path in test_files():
                allowed |= {*words["USES"]}
            if path in test_files():
                allowed |= {*words["TEST_ROOMS"]}
            wrong += [f"{path} includes {name}" for name in re.findall(r'^#include "(\w+)/', text, re.MULTILINE)
                      if name not in allowed]
        self.assertEqual([], wrong)
        unused = [f"{room} does not include {name}" for room, words in rooms.items() for name in words["ROOMS"] + words["USES"]
                  if name != "model" and not any(f'#include "{name}/' in text for path, text in sources().items()
                                                 if path.startswith(f"src/{room}/"))]
        self.assertEqual([], unused)

    def test_installed_headers_are_not_for_tests(self):
        patterns = re.search(r"set\(TRESTLE_TEST_HEADERS ([^)]*)\)", text_of(ROOT / "cmake/rooms.cmake"))[1].replace('"', "").split()
        headers = {path for path in sources() if path.endswith(".h") and path.count("/") > 1}
        excluded = {path for path in headers if any(Path(path).match(pattern) for pattern in patterns)}
        self.assertEqual([], sorted(excluded - test_files()))
        installed = set(re.findall(r"^trestle_room\((\w+) +INSTALL", text_of(ROOT / "CMakeLists.txt"), re.MULTILINE))
        self.assertGreater(len(installed), 8)
        self.assertEqual([], sorted(path for path in headers & test_files() - excluded
                                    if path.split("/")[1] in installed and not path.startswith(FOR_TESTS)))

    def test_libraries_that_files_include_are_declared(self):
        """Every room has fmt through `base`, and gtest for its tests. The room table names the libraries of headers."""
        rooms, wrong, seen = cmake_rooms(), [], set()
        for path, text in sources().items():
            if path.count("/") < 2:
                continue
            allowed = {None, "fmt", *HEADER_LIBRARIES, *({"gtest"} if path in test_files() else ()),
                       *(LIBRARIES[name] for name in rooms[path.split("/")[1]]["LIBRARIES"])}
            for name in re.findall(r"^#include <([\w-]+(?:/|\.h)[^>]*)>", text, re.MULTILINE):
                library = INCLUDED[name.split("/")[0]]
                seen.add(library)
                if library not in allowed:
                    wrong.append(f"{path} includes {name}")
        self.assertEqual([], wrong)
        self.assertEqual({*INCLUDED.values()}, seen)

    def test_headers_that_are_precompiled_are_also_included(self):
        """Every file gets fmt and much of the standard library from the precompiled headers (cmake/rooms.cmake), so no build
        notices that a file which uses them does not include them, nor a header of ours that does."""
        included = {path: (re.findall(r'^#include "([^"]+)"', text, re.MULTILINE),
                           set(re.findall(r"^#include <([^>]+)>", text, re.MULTILINE))) for path, text in sources().items()}

        @functools.cache
        def libraries(path):
            ours, others = included[path]
            return others.union(*(libraries(f"src/{name}") for name in ours if f"src/{name}" in included))

        uses = {re.compile(r"\bfmt::\w+\("): {"fmt/format.h", "fmt/chrono.h", "fmt/ranges.h", "fmt/core.h"},
                re.compile(r"\bstd::ranges::(?!size|empty|data|begin|end)[a-z_]+\("): {"algorithm", "ranges", "numeric"}}
        # Headers of the standard library and of gtest that include <string>, <chrono> and so on are not followed, except these.
        strings = {"string", "filesystem", "fstream", "sstream", "iostream", "stdexcept", "regex", "gtest/gtest.h", "fmt/format.h"}
        uses |= {re.compile(rf"\bstd::{name}\b"): {header, *more} for name, header, more in (
            ("string", "string", strings), ("chrono", "chrono", {"thread", "condition_variable"}), ("array", "array", ()),
            ("atomic", "atomic", ()), ("from_chars", "charconv", ()), ("function", "functional", ()),
            ("(?:multi)?map", "map", ()), ("(?:multi)?set", "set", ()), ("(?:unique|shared|weak)_ptr", "memory", ()),
            ("optional", "optional", ()), ("span", "span", ()), ("thread", "thread", ()), ("variant", "variant", ()),
            ("vector", "vector", ()))}
        wrong, seen = [], 0
        for path, text in sources().items():
            code = "\n".join(line.partition("//")[0] for line in text.splitlines())
            for use, headers in uses.items():
                if found := use.search(code):
                    seen += 1
                    if not headers & libraries(path):
                        wrong.append(f"{path}: {found[0]} without one of {sorted(headers)}")
        self.assertGreater(seen, 300)
        self.assertEqual([], wrong)

    def test_the_thread_table_is_complete(self):
        rows = re.findall(r"^\| (.*?) \| (.*?) \| .* \|$", section("Threads"), re.MULTILINE)
        names = set(re.findall(r"`([a-z ]+)`", " ".join(row[0] for row in rows)))
        files = set(re.findall(r"`([\w/.]+)`", " ".join(row[1] for row in rows)))
        files |= set(re.findall(r"\(`([\w/.]+)`\)", section("Threads").partition("Other subcommands")[2].partition("\n\n")[0]))
        starts = re.compile(r"std::thread(?: \w+)?\(\[|\bthread_\(\[|\.start_thread\(\[|(?:threads_|others)\.emplace_back\(\["
                            r"|\bstart_threads\(\s*threads_,|std::async\(|std::jthread")
        named = re.compile(r'pthread_setname_np\([^,]+, "([^"]+)"|jobs\.add\(\{\.name = "([^"]+)"|periodic_job\("([^"]+)"'
                           r'|(?:pool_|pages_|searches_|table_changes_|disk_calls_|lock_waits_|compressors_)[({]"([^"]+)"|queue_\.emplace\("([^"]+)"')
        starting, found_names = set(), set()
        for path, text in sources().items():
            if path in test_files() or path.startswith(FOR_TESTS):
                continue
            code = "\n".join(line.partition("//")[0] for line in text.splitlines())
            if starts.search(code):
                starting.add(path[len("src/"):])
            found_names |= {name for groups in named.findall(code) for name in groups if name}
        self.assertGreater(len(found_names), 12)
        self.assertEqual(sorted(starting), sorted(files))
        self.assertEqual(sorted(found_names), sorted(names))

    def test_the_list_of_locks_is_complete(self):
        text = section("Locks")
        listed = {part for name in re.findall(r"`([\w:/.]+)`", text) for part in name.split("::")}
        locks = [(path, scope, name) for path, source in sources().items() for scope, name in locks_of(source)
                 if path not in test_files() and not path.startswith(FOR_TESTS) and path != "src/base/mutex.h"]
        self.assertGreater(len(locks), 50)
        self.assertEqual([], [f"{path}: {scope}::{name}" for path, scope, name in locks
                              if not {path[len("src/"):], *scope.split("::")} & listed])
        known = {part for _, scope, name in locks for part in [*scope.split("::"), name]}
        self.assertEqual([], [name for name in re.findall(r"`(\w+(?:::\w+)+)`", text)
                              if not known.issuperset(name.split("::"))])

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
