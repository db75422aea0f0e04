#!/usr/bin/python3
"""action.yml, the GitHub Action: its definition is valid, and its step, run by bash as a runner does, starts a server."""

import hashlib
import os
import re
import signal
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from ruamel.yaml import YAML

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness

ACTION = YAML(typ="safe").load(harness.REPOSITORY / "action.yml")


class ActionTest(unittest.TestCase):

    def setUp(self):
        self.scratch = harness.Folder()
        self.addCleanup(self.scratch.remove)
        self.folder = self.scratch.path

    def run_step(self, **inputs):
        """Runs the action's step with these inputs and otherwise defaults; returns the process, outputs and environment."""
        unknown = set(inputs) - set(ACTION["inputs"])
        self.assertFalse(unknown, "no such inputs")
        values = {name: inputs.get(name, declared["default"]) for name, declared in ACTION["inputs"].items()}
        (step,) = ACTION["runs"]["steps"]
        context = {"github.action_repository": "owner/trestle", **{f"inputs.{name}": str(value) for name, value in values.items()}}
        environment = {name: context[re.fullmatch(r"\$\{\{ (\S+) \}\}", value)[1]] for name, value in step["env"].items()}
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV")}
        for path in files.values():
            path.write_text("")
        process = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], text=True, timeout=harness.WAIT_SECONDS_MAX,
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "GITHUB_ACTION_PATH": str(harness.REPOSITORY), "RUNNER_TEMP": str(self.folder),
                 **{name: str(path) for name, path in files.items()}, **environment})
        outputs, exported = (dict(line.split("=", 1) for line in path.read_text().splitlines()) for path in files.values())
        if "pid" in outputs:
            self.addCleanup(os.kill, int(outputs["pid"]), signal.SIGKILL)
        return process, outputs, exported

    def assert_serves(self, outputs, exported):
        self.assertEqual(set(ACTION["outputs"]), set(outputs))
        for name, declared in ACTION["outputs"].items():
            self.assertEqual(f"${{{{ steps.start.outputs.{name} }}}}", declared["value"])
        self.assertRegex(outputs["endpoint"], r"^http://127\.0\.0\.1:\d+$")
        self.assertEqual(outputs["endpoint"], exported["AWS_ENDPOINT_URL_DYNAMODB"])
        client = harness.client(outputs["endpoint"], region=exported["AWS_REGION"], access_key=exported["AWS_ACCESS_KEY_ID"])
        self.assertEqual([], client.list_tables()["TableNames"])

    def test_a_program_on_the_machine_serves_when_the_step_ends(self):
        process, outputs, exported = self.run_step(path=harness.binary(), port=0)
        self.assertEqual(0, process.returncode, process.stdout)
        self.assert_serves(outputs, exported)

    def test_a_release_is_downloaded_and_its_checksum_compared(self):
        release = self.folder / "releases" / "v9.9.9"
        release.mkdir(parents=True)
        shutil.copy(harness.binary(), release / "trestle-9.9.9-linux-x64")
        digest = hashlib.sha256((release / "trestle-9.9.9-linux-x64").read_bytes()).hexdigest()
        inputs = dict(releases=release.parent.as_uri(), version="9.9.9", port=0)
        process, outputs, exported = self.run_step(sha256=digest, **inputs)
        self.assertEqual(0, process.returncode, process.stdout)
        self.assert_serves(outputs, exported)

        process, outputs, _ = self.run_step(sha256="0" * 64, **inputs)
        self.assertEqual(1, process.returncode)
        self.assertIn("another SHA-256", process.stdout)
        self.assertEqual({}, outputs)

    def test_failures_say_why(self):
        for inputs, reason in [(dict(path="nowhere/trestle"), "no program at"),
                               (dict(path=harness.binary(), flags="--no-such-flag"), "--no-such-flag"),
                               (dict(releases=self.folder.as_uri()), "cannot download")]:
            process, outputs, _ = self.run_step(port=0, **inputs)
            self.assertEqual(1, process.returncode, process.stdout)
            self.assertIn("::error title=Trestle::", process.stdout)
            self.assertIn(reason, process.stdout)
            self.assertEqual({}, outputs)


if __name__ == "__main__":
    harness.run_file()
