#!/usr/bin/python3
"""A full disk: writes are refused with an error, reads continue, and nothing that was acknowledged is lost.

The data folder is a separate small file system (tmpfs, if this user may mount one). Otherwise the server runs with a
limit on file sizes, which makes writes fail at the same point.
"""

import os
import resource
import signal
import subprocess
import unittest

import harness

DISK_MEGABYTES = 96
BALLAST_MEGABYTES = 64         # recovery needs room for the contents of the log
FILE_MEGABYTES = 4
ITEM_BYTES = 100_000


class SmallDisk:
    """A mounted tmpfs with a ballast file; free() removes the ballast, as an administrator would free space."""

    def __init__(self):
        self.folder = harness.Folder()
        self.before = None
        self.data = self.folder.path / "disk" / "data"
        mount_point = self.folder.path / "disk"
        mount_point.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", str(mount_point)], check=True,
                       stderr=subprocess.PIPE)
        self.mount_point = mount_point
        with open(mount_point / "ballast", "wb") as ballast:
            ballast.write(b"0" * (BALLAST_MEGABYTES << 20))

    def free(self):
        os.remove(self.mount_point / "ballast")

    def close(self):
        subprocess.run(["umount", str(self.mount_point)], check=False)
        self.folder.remove()


class SmallFiles:
    """A limit on file sizes: a write beyond it fails with EFBIG, because the accompanying signal is ignored."""

    def __init__(self):
        self.folder = harness.Folder()
        self.data = self.folder.path / "data"
        self.before = self.limit
        self.limited = True

    def limit(self):
        if self.limited:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MEGABYTES << 20,) * 2)

    def free(self):
        self.limited = False

    def close(self):
        self.folder.remove()


def disk():
    try:
        return SmallDisk()
    except (subprocess.CalledProcessError, OSError):
        return SmallFiles()


def payload():
    """Incompressible text."""
    return os.urandom(ITEM_BYTES // 2).hex()


class FullDisk(unittest.TestCase):

    def test_a_full_disk_refuses_writes_and_loses_nothing(self):
        self.run_on(disk())

    def test_a_failing_log_refuses_writes_and_loses_nothing(self):
        self.run_on(SmallFiles())

    def test_a_disk_that_fills_while_buffers_are_flushed(self):
        """Small buffers: the space runs out in background work as well as during a write."""
        self.run_on(disk(), "--cache-mb", "8")

    def run_on(self, small, *flags):
        self.addCleanup(small.close)
        server = harness.Server(*flags, data=small.data, before=small.before)
        self.addCleanup(server.close)
        wire = harness.Wire(server.endpoint)
        harness.create_table(wire, "full", **harness.schema("pk:S", "grp:S"),
                             GlobalSecondaryIndexes=[harness.index("by-group", "grp", "KEYS_ONLY")])
        acknowledged = {}
        refused = self.fill(wire, acknowledged)
        self.assertTrue(acknowledged, "some writes fit")
        self.assertTrue(refused, "the disk never became full")
        self.assertTrue(server.alive(), server.log())
        self.check(wire, acknowledged, refused)         # reads continue while the disk is full

        server.stop()
        self.start_on_a_full_disk(server)
        small.free()
        server.start()
        wire = harness.Wire(server.endpoint)
        self.check(wire, acknowledged, refused)
        wire.call("PutItem", TableName="full", Item={"pk": {"S": "after"}, "grp": {"S": "g"}})
        server.kill()
        server.start()
        wire = harness.Wire(server.endpoint)
        self.check(wire, {**acknowledged, "after": None}, refused)

    def start_on_a_full_disk(self, server):
        """The server may start, or fail with an error message; either way nothing is lost."""
        try:
            server.start()
        except harness.ServerDied:
            self.assertGreater(server.process.returncode, 0, f"a crash:\n{server.log()}")
            self.assertRegex(server.log(), "No space left|File too large")
        server.kill()

    def fill(self, wire, acknowledged):
        """Writes until ten writes in a row were refused; returns the refused writes."""
        refused = {}
        for number in range(4000):
            key = f"k{number}"
            text = payload()
            try:
                wire.call("PutItem", TableName="full",
                          Item={"pk": {"S": key}, "grp": {"S": "g"}, "text": {"S": text}})
                acknowledged[key] = text
            except harness.DynamoError as error:
                self.assertGreaterEqual(error.status, 500, f"the server's fault, not the client's: {error}")
                self.assertIn(error.code, ("InternalServerError", "ServiceUnavailableException"), error)
                refused[key] = text
                if len(refused) == 10:
                    break
        return refused

    def check(self, wire, acknowledged, refused):
        """Everything acknowledged exists and is complete. A refused write may exist, complete, or not."""
        found = {item["pk"]["S"]: item.get("text", {}).get("S")
                 for item in harness.every_page(wire.call, "Scan", TableName="full", ConsistentRead=True)}
        self.assertEqual([], [key for key, text in acknowledged.items() if found.get(key, "") != text])
        self.assertEqual([], [key for key, text in found.items() if text not in (acknowledged.get(key, ""),
                                                                                refused.get(key, ""))])
        entries = harness.every_page(wire.call, "Scan", TableName="full", IndexName="by-group")
        self.assertEqual(sorted(found), sorted(item["pk"]["S"] for item in entries), "the index matches")


if __name__ == "__main__":
    harness.run_file()
