#!/usr/bin/python3
"""The command line: help, typing errors, flags from the environment and from a file, signals."""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import harness


def run(*words, **variables):
    return subprocess.run([harness.binary(), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          env={**os.environ, **variables})


class CommandLine(unittest.TestCase):
    def test_help_and_version(self):
        for words in ([], ["help"], ["--help"]):
            done = run(*words)
            self.assertEqual((0, ""), (done.returncode, done.stderr), words)
            self.assertIn("serve  ", done.stdout)
        self.assertEqual(run("serve", "--help").stdout, run("help", "serve").stdout)
        self.assertEqual(run("design", "check", "--help").stdout, run("help", "design", "check").stdout)
        self.assertEqual(run("--version").stdout, run("version").stdout)

    def test_wrong_words_are_refused_with_status_2(self):
        for words, message in [(["srve"], "did you mean `serve`?"), (["serve", "--prot", "1"], "did you mean `--port`?"),
                               (["design", "veryfi"], "did you mean `verify`?"),
                               (["serve", "--port", "65536"], "--port: Value 65536 not in range 0 to 65535"),
                               (["serve", "--cache-mb", "1"], "--cache-mb: Value 1 not in range 8 to 1048576")]:
            done = run(*words)
            self.assertEqual(2, done.returncode, words)
            self.assertIn(message, done.stderr)

    def test_flags_from_the_environment_and_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "trestle.conf"
            config.write_text("# flags\nport = 65537\nmemory-store = true\n")
            self.assertIn("--port: Value 65537", run("serve", "--config", str(config)).stderr)
            self.assertIn("--port: Value 65538", run("serve", "--config", str(config), TRESTLE_SERVE_PORT="65538").stderr)
            done = run("serve", "--config", str(config), "--port", "65539", TRESTLE_SERVE_PORT="65538")
            self.assertIn("--port: Value 65539", done.stderr)
            config.write_text("prot = 1\n")
            done = run("serve", "--config", str(config))
            self.assertEqual(2, done.returncode)
            self.assertIn("line 1: `trestle serve` has no flag `prot`; did you mean `port`?", done.stderr)
            self.assertIn("no such file", run("serve", "--config", str(config) + "x").stderr.lower())

    def test_a_server_by_environment_alone_ignores_sighup_and_ends_cleanly(self):
        server = subprocess.Popen([harness.binary(), "serve"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "TRESTLE_SERVE_PORT": "0", "TRESTLE_SERVE_MEMORY_STORE": "true",
                                       "TRESTLE_SERVE_BIND": "localhost"})
        try:
            self.assertRegex(server.stdout.readline(), r"http://127\.0\.0\.1:\d+")
            self.assertIn("in memory", server.stdout.readline())
            server.send_signal(signal.SIGHUP)
            server.send_signal(signal.SIGTERM)
            self.assertEqual(0, server.wait(60))
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    def test_a_start_that_fails_leaves_no_folder_and_changes_none(self):
        with tempfile.TemporaryDirectory() as folder, harness.Server("--memory-store") as busy:
            new, foreign = Path(folder) / "new", Path(folder) / "foreign"
            port = busy.endpoint.rsplit(":", 1)[1]
            done = run("serve", "--port", port, "--data", new)
            self.assertEqual(1, done.returncode)
            self.assertIn("Address already in use", done.stderr)
            self.assertFalse(new.exists())
            foreign.mkdir()
            (foreign / "letter.txt").write_text("mine")
            done = run("serve", "--port", "0", "--data", foreign)
            self.assertEqual(1, done.returncode)
            self.assertIn("holds files that are not Trestle's (letter.txt)", done.stderr)
            self.assertEqual(["letter.txt"], [each.name for each in foreign.iterdir()])

    def test_a_server_of_designs_elsewhere_needs_no_folder(self):
        root = Path(__file__).resolve().parent.parent
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
        with tempfile.TemporaryDirectory() as folder, harness.Server("--memory-store") as tables:
            served = subprocess.Popen([harness.binary(), "serve", "--port", "0", "--design", root / "designs" / "authz.yaml", "--on",
                                       tables.endpoint, "--create"], cwd=folder, stdout=subprocess.PIPE, text=True,
                                      env={**os.environ, **keys}, preexec_fn=harness.die_with_parent)
            self.assertIn("serves DynamoDB's API", served.stdout.readline())
            self.assertIn("Data of designs: at " + tables.endpoint, served.stdout.readline())
            served.terminate()
            self.assertEqual(0, served.wait(30))
            served.stdout.close()
            self.assertEqual([], list(Path(folder).iterdir()))
            done = run("serve", "--port", "0", "--design", root / "designs" / "form-bridge.yaml", "--on", tables.endpoint, "--create",
                       **keys)
            self.assertEqual(1, done.returncode)
            self.assertIn("--blobs", done.stderr)

    def test_completion_of_every_shell_names_commands(self):
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("design", run("completion", shell).stdout)
        script = run("completion", "bash").stdout + """
COMP_WORDS=(trestle design che); COMP_CWORD=2; _trestle; echo "${COMPREPLY[@]}"
COMP_WORDS=(trestle serve --memory); COMP_CWORD=2; _trestle; echo "${COMPREPLY[@]}"
"""
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(["check", "--memory-store"], done.stdout.split())

    def test_the_manual_is_roff_without_warnings(self):
        page = run("manual").stdout
        for name in ("trestle serve", "trestle design check", "ENVIRONMENT"):
            self.assertIn(name, page)
        self.assertNotRegex(page, r"(?m)^\.(?!TH|SH|SS|TP|B|BR|I|IR|RI|br|PP)\S")


if __name__ == "__main__":
    harness.run_file()
