"""Servers under measurement: started on a free port of 127.0.0.1, polled until they reply, removed with their folder."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ANSWER_SECONDS_MAX = 600       # a peer may backfill an index before it replies
START_SECONDS_MAX = 60
END_SECONDS_MAX = 30
STREAM_OPERATIONS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def bytes_on_disk(folder):
    """The size of its files on disk; some may disappear meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


def request(port, operation, parameters):
    """One DynamoDB request on a separate connection; the reply's status and body, or (None, "") if nobody listens."""
    body = json.dumps(parameters)
    service = "DynamoDBStreams" if operation in STREAM_OPERATIONS else "DynamoDB"
    head = (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/x-amz-json-1.0\r\n"
        f"X-Amz-Target: {service}_20120810.{operation}\r\nX-Amz-Date: 20250101T000000Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIATRESTLEBENCH0000/20250101/us-east-1/dynamodb/aws4_request, "
        f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS_MAX) as s:
            s.sendall((head + body).encode())
            reply = b"".join(iter(lambda: s.recv(1 << 16), b""))
    except (ConnectionRefusedError, ConnectionResetError):
        return None, ""
    found = re.match(rb"HTTP/1\.1 (\d{3})", reply)
    return (int(found.group(1)), reply.partition(b"\r\n\r\n")[2].decode(errors="replace")) if found else (None, "")


class Server:
    """A process that listens. `command` is a list in which PORT and FOLDER are placeholders for the server's values.

    `core` pins it to one core, for comparisons per core. `makes_folder`: it expects FOLDER to exist.
    """

    def __init__(self, name, command, core=None, makes_folder=False):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="trestle-bench-")
        self.port = free_port()
        words = [str(w).replace("PORT", str(self.port)).replace("FOLDER", self.folder + "/data") for w in command]
        if core is not None:
            words = ["taskset", "-c", str(core)] + words
        if makes_folder:
            Path(self.folder, "data").mkdir()
        self.words = words
        self.log_path = self.folder + "/log"
        self.start()

    def start(self):
        started = time.monotonic()
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.wait_for_reply()
        self.start_ms = (time.monotonic() - started) * 1000

    def restart(self):
        """Starts it again on the same data."""
        self.end()
        self.start()

    def wait_for_reply(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while request(self.port, "ListTables", {})[0] is None:
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(self.log_path) as log:
                    raise SystemExit(f"{self.name} does not answer:\n{log.read()}")
            time.sleep(0.001)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def memory_mb(self, field="VmRSS"):
        """VmRSS: current resident memory. VmHWM: its maximum."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
        raise RuntimeError(f"no {field}")

    def cpu_seconds(self):
        """CPU time of all threads of the server so far, including kernel time."""
        return self.scheduled_seconds(0)

    def cpu_wait_seconds(self):
        """How long the threads were ready to run but had no core."""
        return self.scheduled_seconds(1)

    def scheduled_seconds(self, column):
        nanoseconds = 0
        for schedstat in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            try:
                nanoseconds += int(schedstat.read_text().split()[column])
            except (FileNotFoundError, ProcessLookupError):
                pass  # the thread has ended meanwhile
        return nanoseconds / 1e9

    def descriptors(self):
        """The number of open descriptors: of files and the like, and of sockets."""
        kinds = []
        for descriptor in Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                kinds.append(os.readlink(descriptor).startswith("socket:"))
            except FileNotFoundError:
                pass  # closed meanwhile
        return kinds.count(False), kinds.count(True)

    def disk_mb(self):
        """The disk space of its files."""
        return bytes_on_disk(self.folder) / 1e6

    def log_mb(self):
        """The part of it in Trestle's write-ahead log, which has a bound and varies."""
        return sum(log.stat().st_blocks for log in Path(self.folder, "data").glob("*.log")) * 512 / 1e6

    def metric(self, name):
        """A metric of a Trestle server."""
        with urllib.request.urlopen(self.url + "/metrics", timeout=60) as reply:
            for line in reply.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[1])
        raise SystemExit(f"there is no metric {name}")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        """Kills the program, as in a crash of the program but not of the machine."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
