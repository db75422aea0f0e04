#!/usr/bin/python3
"""The commands in README.md and docs/ work for a new user who has run `make build` and README's `export PATH` line:
every line that calls one of PROGRAMS is run as printed.

Each document's lines run in order, in a separate folder that contains the program as build/trestle, the repository's
designs and the files they name (FILES). A code block after the comment `<!-- file: NAME -->` is a file that the
reader saves; a line that ends with a backslash continues. 127.0.0.1:8000 is a server started like `make run` does,
with its data in ./data; Amazon DynamoDB is replaced by a second server. A line `trestle serve ...` replaces the first
server: it is started, must listen, and is stopped. A line that ends with `&` runs in the background until the
document ends. Text in [brackets] is optional and left out.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))
import harness

ROOT = harness.REPOSITORY
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = ("trestle", "build/trestle", "curl", "aws", "sed", "mkdir")
SECONDS_MAX = 120

# Lines that end with a status other than 0, and why: one status for each time that a document contains the line.
STATUS = {
    "trestle design check designs/as-written/authz.yaml": [1],    # the document has faults: that is what it shows
    "trestle design check shop.yaml": [1, 0],                   # before and after its repair
    "trestle design verify shop.yaml --on http://127.0.0.1:8000": [1],
    "trestle design verify shop.yaml --on http://127.0.0.1:8000 --repair": [1],
}
# Lines that are not run, and why.
NOT_RUN = {
    "build/trestle serve --threads 1 --port 8001 --data /tmp/data & server=$!": "part of a profiling session",
    "build/trestle bench --endpoint http://127.0.0.1:8001 --workloads get --connections 64 --seconds 20 &":
        "part of a profiling session",
    "trestle bench --endpoint http://127.0.0.1:8000": "takes minutes",
}
FILES = {
    "credentials": "[alice]\naws_access_key_id = AKIDALICE\naws_secret_access_key = secret\n",
    "policies.json": '{"users": {"alice": {"policies": [{"Version": "2012-10-17", "Statement": '
                     '[{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}]}}}',
    "people.yaml": "User:\n- {email: ada@example.com}\n",
    "ring": "k1 " + "A" * 43 + "=\n",
}


def commands(text):
    """What a reader does with a document: ("run", command) for lines of indented code or ```sh blocks that begin with
    one of the programs, and ("save", name, text) for files."""
    found, language, name, body, line_so_far = [], None, None, [], ""
    for line in text.splitlines():
        if file := re.fullmatch(r"<!-- file: (\S+) -->", line):
            name, body = file[1], []
        elif line.lstrip().startswith("```"):
            if language is not None and name is not None:
                found.append(("save", name, "\n".join(body) + "\n"))
                name = None
            language = None if language is not None else line.strip()[3:]
        elif language is not None and name is not None:
            body.append(line)
        elif (language == "sh" or (language is None and line.startswith("    "))) and line.split():
            line_so_far += re.sub(r"\s{2,}# .*|\s# .*", "", line.strip())
            if line_so_far.endswith("\\"):
                line_so_far = line_so_far[:-1]
                continue
            if line_so_far.split()[0] in PROGRAMS:
                found.append(("run", line_so_far))
            line_so_far = ""
    return found


class Reader:
    """A user who follows one document in a separate folder, while a server runs."""

    def __init__(self, folder, amazon):
        self.folder = folder
        self.amazon = amazon
        (folder / "build").mkdir()
        (folder / "build" / "trestle").symlink_to(harness.binary())
        for name in ("designs", "examples", "bench"):
            (folder / name).symlink_to(ROOT / name)
        for name, text in FILES.items():
            (folder / name).write_text(text)
        for name in ("my.yaml", "old.yaml", "new.yaml"):
            (folder / name).write_text((ROOT / "designs" / "authz.yaml").read_text())
        self.environment = {**os.environ, "AWS_DEFAULT_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "any",
                            "AWS_SECRET_ACCESS_KEY": "any", "PATH": self.path_of_readme()}
        self.server = harness.Server("--design", ROOT / "designs", data=folder / "data", cwd=folder)
        self.background = {}            # port as printed -> server

    def path_of_readme(self):
        (line,) = [line.strip() for line in text_of_readme().splitlines() if line.strip().startswith("export PATH=")]
        done = subprocess.run(["bash", "-c", f'{line}; printf %s "$PATH"'], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                              check=True)
        return done.stdout

    def close(self):
        for server in [self.server, *self.background.values()]:
            server.close()

    def adapted(self, command):
        """The command with the addresses of this run's servers."""
        command = re.sub(r"\[[^\]\"]*\]", "", command) if command.startswith("trestle") else command
        for shown, real in [("http://127.0.0.1:8000", self.server.endpoint), ("localhost:8000", self.server.endpoint),
                            ("https://dynamodb.eu-central-1.amazonaws.com", self.amazon.endpoint),
                            *((f"http://127.0.0.1:{port}", server.endpoint) for port, server in self.background.items())]:
            command = command.replace(shown, real)
        return command

    def run_line(self, command):
        """The exit status and the output."""
        if re.match(r"(build/)?trestle serve", command):
            return self.run_beside(command[:-1]) if command.endswith("&") else self.run_instead(command)
        if command.startswith("trestle copy"):
            # The copy needs an idle source and a target without tables; a server that runs designs keeps renewing its
            # leases.
            with harness.Server("--memory-store") as source, harness.Server("--memory-store") as target:
                harness.create_table(harness.Wire(source.endpoint), "music", **harness.schema("artist:S"))
                command = self.adapted(command)
                command = command.replace(self.server.endpoint, source.endpoint).replace("aws:eu-central-1", target.endpoint)
                return self.run_command(command + " --cut-over")   # otherwise it follows until interrupted
        return self.run_command(self.adapted(command))

    def run_command(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS_MAX)
        return done.returncode, done.stdout

    def served(self, command):
        """Starts the line's server, on a free port instead of the printed one."""
        program, _, *flags = shlex.split(self.adapted(command))
        found = shutil.which(program, path=self.environment["PATH"]) or shutil.which(self.folder / program)
        if found is None:
            raise harness.ServerDied(f"{program}: command not found")
        if "--port" in flags:
            position = flags.index("--port")
            del flags[position:position + 2]
        server = harness.Server(*flags, start=False, cwd=self.folder, env=self.environment)
        server.memory = True            # the harness adds no --data
        return server.start()

    def run_instead(self, command):
        self.server.stop()
        try:
            with self.served(command) as server:
                return server.stop(), server.log()
        except harness.ServerDied as error:
            return 1, str(error)
        finally:
            self.server.start()

    def run_beside(self, command):
        port = re.search(r"--port (\d+)", command)[1]
        try:
            self.background[port] = self.served(command)
        except harness.ServerDied as error:
            return 1, str(error)
        return 0, ""


def text_of_readme():
    return (ROOT / "README.md").read_text()


class ShellLines(unittest.TestCase):

    def test_every_line_runs(self):
        seen = set()
        with harness.Server("--memory-store") as amazon:
            for document in DOCUMENTS:
                actions = commands(document.read_text())
                if not actions:
                    continue
                with harness.Folder() as folder:
                    reader = Reader(folder, amazon)
                    statuses = {command: list(expected) for command, expected in STATUS.items()}
                    try:
                        for action, *values in actions:
                            if action == "save":
                                (folder / values[0]).write_text(values[1])
                                continue
                            (command,) = values
                            seen.add(command)
                            if command in NOT_RUN:
                                continue
                            with self.subTest(document=document.name, command=command):
                                status, output = reader.run_line(command)
                                expected = statuses[command].pop(0) if statuses.get(command) else 0
                                self.assertEqual(expected, status, output[-2000:])
                    finally:
                        reader.close()
        self.assertGreater(len(seen), 40)
        self.assertEqual(set(), (set(NOT_RUN) | set(STATUS)) - seen, "no document has these lines any more")

    def test_how_documents_are_read(self):
        text = "\n".join(["    trestle x  # why", "text", "```sh", "aws a \\", "  b", "ls", "```", "<!-- file: a.yaml -->", "```yaml",
                          "a: 1", "```", "```json", "curl", "```"])
        self.assertEqual([("run", "trestle x"), ("run", "aws a b"), ("save", "a.yaml", "a: 1\n")], commands(text))


if __name__ == "__main__":
    harness.run_file()
