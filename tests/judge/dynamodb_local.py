"""DynamoDB Local as a server under test: started on a free port, in memory, and stopped by its process id.

It listens on all addresses of the machine and has no flag to change that, so tests/judge.sh runs it in a network
namespace (tools/loopback_only.sh)."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

HEAP = "-Xmx1g"


def jars():
    """The folder of its jars, downloaded if necessary."""
    return subprocess.run([harness.REPOSITORY / "tools" / "peers.sh", "dynamodb-local"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def command(port, *flags):
    folder = jars()
    return ["java", HEAP, f"-Djava.library.path={folder}", "-cp", folder + "/*",
            "com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-sharedDb", "-disableTelemetry", "-port", str(port),
            *flags]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class DynamoDBLocal:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="trestle-judge-"))
        self.port = free_port()
        self.endpoint = f"http://127.0.0.2:{self.port}"     # not 127.0.0.1, which harness.Server uses
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(command(self.port, "-inMemory"), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, preexec_fn=harness.die_with_parent)
        give_up_at = time.monotonic() + harness.START_SECONDS_MAX
        while not self.answers_():
            if self.process.poll() is not None or time.monotonic() > give_up_at:
                self.close()
                raise harness.ServerDied("DynamoDB Local does not answer:\n" + self.log_)
            time.sleep(0.05)

    def answers_(self):
        wire = harness.Wire(self.endpoint, timeout=10)
        try:
            return "TableNames" in wire.call("ListTables")
        except OSError:
            return False
        finally:
            wire.close()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log_ = (self.folder / "log").read_text(errors="replace")
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


if __name__ == "__main__":      # dynamodb_local.py COMMAND...: runs it with the endpoint in LOCAL
    with DynamoDBLocal() as local:
        sys.exit(subprocess.run(["sh", "-c", " ".join(sys.argv[1:])], env={**os.environ, "LOCAL": local.endpoint}).returncode)
