#!/usr/bin/python3
"""Two types with the same name in the rooms of src/ are the same for the linker, which then uses the code of either
for both. No compiler detects this, because each file alone is correct; a sanitizer detects it only by luck."""

import re
import sys
import unittest
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))
import harness

NAMESPACE = re.compile(r"namespace ?([\w:]*) ?\{$")
NAMESPACE_END = re.compile(r"\}  // namespace\b")
TYPE = re.compile(r"(?:template <.*> *)?(?:struct|class|enum class|union) (?:alignas\(.*?\) )?"
                  r"(\w+(?:<[\w:, ]*>)?)(?![\w:<])[^;(]*\{")


def types_of(text):
    """The types that a file defines in namespaces, except unnamed ones, whose types are local to the file."""
    inside, found = [], []
    for line in text.splitlines():
        if begin := NAMESPACE.match(line):
            inside.append(begin[1])
        elif NAMESPACE_END.match(line) and inside:
            inside.pop()
        elif (named := TYPE.match(line)) and "" not in inside:
            found.append("::".join([*inside, named[1]]))
    return found


class SourceNames(unittest.TestCase):

    def test_a_type_is_defined_once(self):
        places = defaultdict(set)
        for path in sorted((harness.REPOSITORY / "src").rglob("*")):
            if path.suffix in (".h", ".cc"):
                for name in types_of(path.read_text()):
                    places[name].add(str(path.relative_to(harness.REPOSITORY)))
        self.assertGreater(len(places), 700)    # proves that it reads the sources
        self.assertIn("trestle::Engine", places)
        self.assertEqual({}, {name: files for name, files in places.items() if len(files) > 1})

    def test_how_files_are_read(self):
        text = "\n".join([
            "namespace trestle {", "namespace {", "struct Own {", "};", "}  // namespace",
            "struct Forward;", "template <class T> class Box {", "};", "enum class Kind : uint8_t { kOne };",
            "template <>", "struct Shape<Box> : Rules {", "};", "}  // namespace trestle",
        ])
        self.assertEqual(["trestle::Box", "trestle::Kind", "trestle::Shape<Box>"], types_of(text))


if __name__ == "__main__":
    harness.run_file()
