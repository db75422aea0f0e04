#!/usr/bin/python3
"""Incremental exports: the changes in a period. A period has at least 15 minutes, so the server's clock is set ahead."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness
from exports import ExportCase

MINUTE = 60


def item(n, version):
    return {"pk": {"S": f"p{n % 5}"}, "sk": {"N": str(n)}, "v": {"N": str(version)}}


class IncrementalExportTest(ExportCase):

    @classmethod
    def server_options(cls):
        source, library = harness.REPOSITORY / "tests" / "clock_shim.c", cls.folder.path / "clock_shim.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library),
                        str(source)], check=True)
        cls.environment = {**os.environ, "LD_PRELOAD": str(library), "CLOCK_AHEAD_S": "0"}
        cls.ahead = 0
        return {"env": cls.environment}

    def advance(self, seconds):
        """Restarts the server with its clock set further ahead."""
        type(self).ahead += seconds
        self.environment["CLOCK_AHEAD_S"] = str(self.ahead)
        self.server.stop()
        self.server.start()
        self.connect()

    def now(self):
        return time.time() + self.ahead

    def put(self, name, n, version):
        self.wire.call("PutItem", TableName=name, Item=item(n, version))

    def changes(self, arn, start, end, view=None, **parameters):
        period = {"ExportFromTime": start, "ExportToTime": end}
        if view:
            period["ExportViewType"] = view
        return self.export(arn, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period, **parameters)

    def test_both_views_and_formats(self):
        name, arn = self.source()
        for n in range(20):
            self.put(name, n, 1)
        self.advance(5 * MINUTE)
        start = self.now()
        for n in range(5):
            self.put(name, n, 2)
        self.put(name, 0, 3)
        self.wire.call("DeleteItem", TableName=name, Key={key: item(7, 1)[key] for key in ("pk", "sk")})
        self.put(name, 30, 1)
        self.put(name, 40, 1)                                                       # created and deleted in the period
        self.wire.call("DeleteItem", TableName=name, Key={key: item(40, 1)[key] for key in ("pk", "sk")})
        changed_by = self.now()
        self.advance(20 * MINUTE)
        end = self.now()
        harness.until(lambda: self.now() > end + 0.01, "the clock")
        self.put(name, 9, 9)                                                        # after the period

        expected = {n: (item(n, 1), item(n, 3 if n == 0 else 2)) for n in range(5)}
        expected[7], expected[30] = (item(7, 1), None), (None, item(30, 1))
        for view in (None, "NEW_AND_OLD_IMAGES", "NEW_IMAGE"):
            with self.subTest(view=view):
                description = self.changes(arn, start, end, view, S3Prefix=f"changes-{view}")
                self.assertEqual("INCREMENTAL_EXPORT", description["ExportType"])
                self.assertNotIn("ExportTime", description)
                self.assertEqual(view or "NEW_AND_OLD_IMAGES",
                                 description["IncrementalExportSpecification"]["ExportViewType"])
                self.assertEqual(10_000_000, description["BilledSizeBytes"])
                self.assertTrue(all(row["dataFileS3Key"].startswith(f"changes-{view}/AWSDynamoDB/data/")
                                    for row in self.rows(description)))
                summary = json.loads((self.bucket() / description["ExportManifest"]).read_text())
                self.assertEqual((view or "NEW_AND_OLD_IMAGES", "INCREMENTAL_EXPORT"),
                                 (summary["outputView"], summary["exportType"]))
                found = {}
                for line in map(json.loads, self.lines(description)):
                    micros = int(line["Metadata"]["WriteTimestampMicros"]["N"])
                    self.assertTrue(start * 1e6 - 1000 <= micros <= changed_by * 1e6, line)
                    number = int(line["Keys"]["sk"]["N"])
                    self.assertEqual({key: item(number, 1)[key] for key in ("pk", "sk")}, line["Keys"])
                    self.assertNotIn(number, found)
                    found[number] = (line.get("OldImage"), line.get("NewImage"))
                if view == "NEW_IMAGE":
                    self.assertEqual({number: (None, new) for number, (_, new) in expected.items()}, found)
                else:
                    self.assertEqual(expected, found)
        description = self.changes(arn, start, end, ExportFormat="ION", S3Prefix="ion")
        lines = sorted(self.lines(description))
        self.assertEqual(7, len(lines))
        self.assertRegex(lines[0], r'^\$ion_1_0 \{Record:\{Keys:\{pk:"p0",sk:0\.\},Metadata:\{WriteTimestampMicros:'
                                   r'\d{16}\.\},OldImage:\{pk:"p0",sk:0\.,v:1\.\},NewImage:\{pk:"p0",sk:0\.,v:3\.\}\}\}$')

    def test_a_full_export_and_the_changes_since_make_the_table(self):
        name, arn = self.source()
        for n in range(50):
            self.put(name, n, 1)
        full = self.export(arn, S3Prefix="base")
        for n in range(25, 75):
            self.put(name, n, 2)
        for n in range(10):
            self.wire.call("DeleteItem", TableName=name, Key={key: item(n, 1)[key] for key in ("pk", "sk")})
        self.advance(16 * MINUTE)
        table = {found["sk"]["N"]: found for found in self.items(full)}
        description = self.changes(arn, full["ExportTime"] + 0.001, self.now(), S3Prefix="since")
        for line in map(json.loads, self.lines(description)):
            number = line["Keys"]["sk"]["N"]
            if "NewImage" in line:
                table[number] = line["NewImage"]
            else:
                del table[number]
        now = {found["sk"]["N"]: found for found in harness.every_page(self.wire.call, "Scan", TableName=name)}
        self.assertEqual(now, table)

    def test_periods_that_are_refused(self):
        _, arn = self.source()
        self.advance(20 * MINUTE)
        now = self.now()
        self.refuses("InvalidExportTimeException",
                     "Difference between export period from time and export period to time is less than 15 minutes",
                     self.begin, arn, ExportType="INCREMENTAL_EXPORT",
                     IncrementalExportSpecification={"ExportFromTime": now - 14 * MINUTE, "ExportToTime": now})
        description = self.export(arn, ExportType="INCREMENTAL_EXPORT",
                                  IncrementalExportSpecification={"ExportFromTime": int(now - 16 * MINUTE)})
        self.assertEqual(0, description["ItemCount"])
        self.assertAlmostEqual(now, description["IncrementalExportSpecification"]["ExportToTime"], delta=30)


if __name__ == "__main__":
    harness.run_file()
