#!/usr/bin/python3
"""The commands that README.md and docs/ show do run: every line that calls `trestle`, `curl` or `aws` is run as printed.

Each document's lines run in order, in a folder of their own that holds the repository's designs and the files they name
(FILES). `trestle` is the program under test. 127.0.0.1:8000 is a server with the five designs; Amazon DynamoDB is a second
server. `trestle serve` is started, must listen, and is stopped. What stands in [brackets] is optional: it is left out.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))
import harness

ROOT = harness.REPOSITORY
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = ("trestle", "build/trestle", "curl", "aws")
SECONDS_MAX = 120

# Lines that end with another status than 0, and why.
STATUS = {
    "trestle design check designs/as-written/authz.yaml": 1,    # the document has faults: that is what it shows
}
# Lines that are not run, and why.
NOT_RUN = {
    "build/trestle serve --threads 1 --port 8001 --data /tmp/data & server=$!": "part of a profiling session",
    "build/trestle bench --endpoint http://127.0.0.1:8001 --workloads get --connections 64 --seconds 20 &":
        "part of a profiling session",
    "build/trestle bench --endpoint http://127.0.0.1:8000": "takes minutes",
}
FILES = {
    "credentials": "[alice]\naws_access_key_id = AKIDALICE\naws_secret_access_key = secret\n",
    "policies.json": '{"users": {"alice": {"policies": [{"Version": "2012-10-17", "Statement": '
                     '[{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}]}}}',
    "people.yaml": "User:\n- {email: ada@example.com}\n",
    "ring": "k1 " + "A" * 43 + "=\n",
}


def commands(text):
    """The commands of a document: lines of indented code or of ```sh that begin with one of the programs."""
    found, language = [], None
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            language = None if language is not None else line.strip()[3:]
        elif (language == "sh" or (language is None and line.startswith("    "))) and line.split():
            command = re.sub(r"\s{2,}# .*|\s# .*", "", line.strip())
            if command.split()[0] in PROGRAMS:
                found.append(command)
    return found


class ShellLines(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server("--design", ROOT / "designs", "--memory-store")
        cls.amazon = harness.Server("--memory-store")

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.amazon.close()

    def adapted(self, command):
        """The command with the addresses of this run's servers."""
        command = re.sub(r"\[[^\]]*\]", "", command) if command.startswith("trestle") else command
        for shown, real in [("http://127.0.0.1:8000", self.server.endpoint), ("localhost:8000", self.server.endpoint),
                            ("https://dynamodb.eu-central-1.amazonaws.com", self.amazon.endpoint)]:
            command = command.replace(shown, real)
        return command

    def run_line(self, command, folder):
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "AWS_DEFAULT_REGION": "eu-central-1",
                       "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
        if " serve" in command:
            return self.run_server(command + " --port 0", folder, environment)
        if command.startswith("trestle copy"):
            # A source at rest and a target without tables: a server that runs designs renews its leases meanwhile.
            with harness.Server("--memory-store") as source, harness.Server("--memory-store") as target:
                harness.create_table(harness.Wire(source.endpoint), "music", **harness.schema("artist:S"))
                command = command.replace(self.server.endpoint, source.endpoint).replace("aws:eu-central-1", target.endpoint)
                return self.run_command(command + " --cut-over", folder, environment)   # else it follows until interrupted
        return self.run_command(command, folder, environment)

    def run_command(self, command, folder, environment):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS_MAX)
        return done.returncode, done.stdout

    def run_server(self, command, folder, environment):
        with open(folder / "server.log", "w+") as log:
            process = subprocess.Popen(shlex.split(command), cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, preexec_fn=harness.die_with_parent)
            def text():
                return (folder / "server.log").read_text()
            give_up_at = time.monotonic() + SECONDS_MAX
            while process.poll() is None and not re.search(r"://127\.0\.0\.1:\d", text()) and time.monotonic() < give_up_at:
                time.sleep(0.01)
            listens = process.poll() is None
            if listens:
                process.send_signal(signal.SIGTERM)
            status = process.wait(SECONDS_MAX)
            return (status if listens else status or 1), text()

    def test_every_line_runs(self):
        seen = set()
        for document in DOCUMENTS:
            with harness.Folder() as folder:
                (folder / "bin").mkdir()
                (folder / "bin" / "trestle").symlink_to(harness.binary())
                (folder / "build").symlink_to(folder / "bin")
                for name in ("designs", "examples"):
                    (folder / name).symlink_to(ROOT / name)
                for name, text in FILES.items():
                    (folder / name).write_text(text)
                (folder / "my.yaml").write_text((ROOT / "designs" / "authz.yaml").read_text())
                for command in commands(document.read_text()):
                    seen.add(command)
                    if command in NOT_RUN:
                        continue
                    with self.subTest(document=document.name, command=command):
                        status, output = self.run_line(self.adapted(command), folder)
                        self.assertEqual(STATUS.get(command, 0), status, output[-2000:])
        self.assertGreater(len(seen), 15)
        self.assertEqual(set(), (set(NOT_RUN) | set(STATUS)) - seen, "no document has these lines any more")


if __name__ == "__main__":
    harness.run_file()
