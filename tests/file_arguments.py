#!/usr/bin/python3
"""Whatever file a command is given, it ends with an error message and an exit status, never with an uncaught
exception or a signal."""

import os
import random
import sys
import unittest

import harness
from harness import Folder, run_program

DESIGN = harness.REPOSITORY / "designs" / "authz.yaml"
SEED = int(os.environ.get("TRESTLE_SEED", 7))
SERVE = ["serve", "--memory-store", "--port", "0"]


class FileArguments(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder_ = Folder()
        cls.folder = cls.folder_.path
        dice = random.Random(SEED)
        files = {"folder": None, "missing": None, "empty": b"", "bytes": dice.randbytes(4000), "zeros": bytes(100),
                 "text": b"neither this nor that\n", "half": b"\xe2\x82",
                 "nested": b"[" * 100_000, "utf-16": "design: x\n".encode("utf-16")}
        for name, data in files.items():
            if data is not None:
                (cls.folder / name).write_bytes(data)
        (cls.folder / "folder").mkdir()
        with open(cls.folder / "huge", "wb") as huge:
            huge.truncate(3 << 30)      # a sparse file: takes no space
        cls.paths = [cls.folder / name for name in (*files, "huge")] + ["/proc/self/mem", ""]

    @classmethod
    def tearDownClass(cls):
        cls.folder_.remove()

    def check(self, *command, fails=True, only=None):
        """Runs the command once for each file, in place of FILE."""
        for path in self.paths:
            if only and getattr(path, "name", path) not in only:
                continue
            words = [str(path) if word == "FILE" else word for word in command]
            with self.subTest(command=words, seed=SEED):
                done = run_program(*words, cwd=self.folder)
                self.assertGreaterEqual(done.returncode, 0, f"ended by a signal:\n{done.stdout[:2000]}")
                self.assertNotRegex(done.stdout, "terminate called|what\\(\\)|std::")
                self.assertTrue(done.stdout.strip(), "it says what is wrong")
                if fails:
                    self.assertNotEqual(0, done.returncode, done.stdout[:2000])

    def test_designs(self):
        self.check("design", "check", "FILE")
        self.check("design", "check", "FILE", "--format", "json")
        self.check("design", "plan", "FILE")
        self.check("design", "cost", "FILE")
        self.check("design", "docs", "FILE")
        self.check("design", "export", "FILE", "--to", "terraform")
        self.check("design", "diff", "FILE", DESIGN)
        self.check("design", "diff", DESIGN, "FILE")
        self.check("design", "verify", "FILE", "--data", "data")
        self.check("design", "status", "FILE", "--data", "data")

    def test_other_files_of_designs(self):
        self.check("design", "import", "FILE", "--from", "workbench")
        self.check("design", "import", "FILE", "--from", "onetable")
        self.check("design", "cost", DESIGN, "--prices", "FILE", fails=False)
        self.check("design", "cost", DESIGN, "--against", "FILE", fails=False)
        self.check("design", "load", DESIGN, "FILE", "--data", "data", fails=False)
        self.check("design", "load", DESIGN, "FILE", "--data", "data", "--operation", "createUser", fails=False)
        self.check("design", "verify", DESIGN, "--data", "data", "--keys", "FILE", fails=False)

    def test_serve(self):
        self.check(*SERVE, "--design", "FILE")
        for flag in ("--credentials", "--tls-certificate"):
            self.check(*SERVE, flag, "FILE", *(["--tls-key", "FILE"] if flag.startswith("--tls") else []))
        for flag in ("--keys", "--jwks", "--api-keys"):
            self.check(*SERVE, "--design", DESIGN, flag, "FILE")
        credentials = self.folder / "credentials"
        credentials.write_text("AKIDEXAMPLE secret\n")
        self.check(*SERVE, "--credentials", credentials, "--policies", "FILE")
        self.check("serve", "--port", "0", "--data", "FILE", only={"bytes", "text", "/proc/self/mem"})

    def test_copy_and_bench(self):
        self.check("copy", "--from", "FILE", "--to", "http://127.0.0.1:1", "--patience-s", "0")
        with harness.Server("--memory-store") as server:
            self.check("copy", "--from", server.endpoint, "--to", server.endpoint, "--state", "FILE")
            self.check("bench", "--endpoint", server.endpoint, "--replay", "FILE", "--seconds", "1")

    def test_random_bytes_are_not_called_empty(self):
        done = run_program("design", "check", self.folder / "bytes")
        self.assertIn("not UTF-8 text", done.stdout)
        done = run_program("design", "check", self.folder / "folder")
        self.assertIn("it is a folder", done.stdout)


if __name__ == "__main__":
    sys.exit(harness.run())
