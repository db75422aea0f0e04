"""Runs Trestle, a database with DynamoDB's API, for tests.

    with trestle.start() as server:
        dynamodb = boto3.resource("dynamodb", **server.client_options)
"""

import collections
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

__all__ = ["ResetError", "Server", "StartError", "main", "program", "start"]

OUTPUT_LINES_MAX = 200          # retained for the message of a failed start
STOP_SECONDS_MAX = 10
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))       # without a proxy: the server is on this machine
LISTENS = re.compile(r"serves DynamoDB's API on (https?://\S+)$")

# Waits on a pipe that the operating system closes when this process ends, however it ends; then stops the server. Before the
# server's process id can be used by another process, stop() writes "done".
GUARD = """trap '' INT TERM HUP; read -r line; [ "$line" = done ] || kill -TERM "$0" 2> /dev/null"""


class StartError(Exception):
    """The server did not start; the message contains the output of the program."""


class ResetError(Exception):
    """The server refused to reset; the message says why."""


def program() -> str:
    """The path of the program: TRESTLE_BINARY, or the one in this package."""
    path = os.environ.get("TRESTLE_BINARY") or str(Path(__file__).resolve().parent / "program" / "trestle")
    if not os.path.exists(path):
        raise StartError(f"no program at {path}; the package has one for Linux on x86-64")
    return path


def main() -> None:
    """The command `trestle`: replaces this process with the program."""
    try:
        path = program()
    except StartError as error:
        sys.exit(f"trestle: {error}")
    os.execv(path, ["trestle", *sys.argv[1:]])


class Server:
    """A running server. stop() ends it; so does the end of this process, however it ends."""

    def __init__(self, command, region, timeout_s):
        self.region = region
        self._output = collections.deque(maxlen=OUTPUT_LINES_MAX)
        self._listens_or_ended = threading.Event()
        self._endpoint = None
        self._lock = threading.Lock()
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                             stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        except OSError as error:
            raise StartError(f"trestle cannot be run: {error}") from None
        self._guard = subprocess.Popen(["/bin/sh", "-c", GUARD, str(self._process.pid)], stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self._reader = threading.Thread(target=self._read_output, name="trestle-output", daemon=True)
        self._reader.start()
        answered = self._listens_or_ended.wait(timeout_s)
        if self._endpoint is None:
            self.stop()
            what = f"ended with status {self._process.returncode}" if answered else f"did not start within {timeout_s} s"
            raise StartError(f"trestle {what}:\n{''.join(self._output)}")

    def _read_output(self):
        """Runs in its own thread to the end of the server: a full pipe would block it."""
        for line in self._process.stdout:
            self._output.append(line)
            found = LISTENS.search(line.rstrip("\n"))
            if found and self._endpoint is None:
                self._endpoint = found[1]
                self._listens_or_ended.set()
        self._listens_or_ended.set()

    @property
    def endpoint(self) -> str:
        """The server's URL, such as http://127.0.0.1:40123."""
        return self._endpoint

    @property
    def port(self) -> int:
        return int(self._endpoint.rsplit(":", 1)[1])

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def client_options(self) -> dict:
        """Arguments of boto3.client("dynamodb", ...) and boto3.resource("dynamodb", ...)."""
        return {"endpoint_url": self.endpoint, "region_name": self.region, "aws_access_key_id": "test",
                "aws_secret_access_key": "test"}

    @property
    def environment(self) -> dict:
        """Environment variables with which an unchanged program uses this server (boto3 1.28 or later)."""
        return {"TRESTLE_ENDPOINT": self.endpoint, "AWS_ENDPOINT_URL_DYNAMODB": self.endpoint,
                "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": self.endpoint, "AWS_DEFAULT_REGION": self.region,
                "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}

    def reset(self) -> None:
        """Removes everything, and creates the initial tables and items again. Only for a database in memory."""
        try:
            with DIRECT.open(urllib.request.Request(f"{self.endpoint}/reset", method="POST", data=b"")) as reply:
                reply.read()
        except urllib.error.HTTPError as error:
            raise ResetError(f"POST /reset: {error.code} {error.read().decode(errors='replace')}") from None

    def stop(self) -> None:
        """Ends the server and waits for it. May be called more than once."""
        with self._lock:
            if self._guard is None:
                return
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            try:
                self._guard.communicate(b"done\n")
            except BrokenPipeError:
                pass
            self._guard = None
            self._reader.join()
            self._process.stdout.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self.stop()


def start(*flags, port: int = 0, data=None, region: str = "us-east-1", tables=(), seed=(), program_path=None,
          timeout_s: float = 30) -> Server:
    """Starts a server and returns it when it accepts requests.

    Without `data`, a folder, the database is in memory and empty. Port 0 picks a free one. `tables` and `seed` are files, or lists
    of files, of tables to create and items to load. `flags` are more flags of `trestle serve`: start("--design", "shop.yaml").
    """
    command = [str(program_path or program()), "serve", "--port", str(port), "--region", region]
    command += ["--memory-store"] if data is None else ["--data", str(data)]
    for flag, files in (("--tables", tables), ("--seed", seed)):
        for file in [files] if isinstance(files, (str, os.PathLike)) else files:
            command += [flag, str(file)]
    return Server(command + [str(flag) for flag in flags], region, timeout_s)
