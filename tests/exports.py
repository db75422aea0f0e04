"""Shared by the tests of exports: a server with buckets, and readers of exported objects."""

import base64
import gzip
import hashlib
import json

import harness
from harness import Case, Folder, Server, Wire, client, until

BUCKET = "exports"


class ExportCase(Case):
    """A Case with its own server, which has a folder for buckets with one bucket."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        (cls.folder.path / "buckets" / BUCKET).mkdir(parents=True)
        cls.server = Server("--buckets", cls.folder.path / "buckets", **cls.server_options())
        cls.tables_ = []
        cls.connect()

    @classmethod
    def server_options(cls):
        return {}

    @classmethod
    def connect(cls):
        cls.url = cls.server.endpoint
        cls.client = client(cls.url)
        cls.raw = client(cls.url, parameter_validation=False)
        cls.wire = Wire(cls.url)

    @classmethod
    def tearDownClass(cls):
        cls.wire.close()
        cls.server.close()
        cls.folder.remove()

    @classmethod
    def bucket(cls):
        return cls.folder.path / "buckets" / BUCKET

    def source(self, recovery=True):
        """A table, and its ARN."""
        name = self.table("source", "pk:S sk:N")
        if recovery:
            self.client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification={
                "PointInTimeRecoveryEnabled": True})
        return name, self.client.describe_table(TableName=name)["Table"]["TableArn"]

    def begin(self, arn, **parameters):
        parameters = {"S3Bucket": BUCKET, **parameters}
        return self.wire.call("ExportTableToPointInTime", TableArn=arn, **parameters)["ExportDescription"]

    def described(self, arn):
        return self.wire.call("DescribeExport", ExportArn=arn)["ExportDescription"]

    def ended(self, arn):
        """Waits until the export has ended, and returns its description."""
        return until(lambda: (description := self.described(arn))["ExportStatus"] != "IN_PROGRESS" and description, "the export")

    def export(self, arn, **parameters):
        """Exports, waits, checks every file against the manifests, and returns the description."""
        description = self.ended(self.begin(arn, **parameters)["ExportArn"])
        self.assertEqual("COMPLETED", description["ExportStatus"], description)
        self.check_files(description)
        return description

    def check_files(self, description):
        """Asserts that the manifests match the objects, and that the export has no other objects."""
        summary_path = self.bucket() / description["ExportManifest"]
        folder = summary_path.parent
        summary = json.loads(summary_path.read_text())
        self.assertEqual((description["ExportArn"], description["ItemCount"], description["BilledSizeBytes"], description["TableId"]),
                         (summary["exportArn"], summary["itemCount"], summary["billedSizeBytes"], summary["tableId"]))
        for name in ("manifest-summary", "manifest-files"):
            digest = hashlib.md5((folder / f"{name}.json").read_bytes()).digest()
            self.assertEqual(base64.b64encode(digest).decode(), (folder / f"{name}.md5").read_text())
        self.assertEqual(b"", (folder / "_started").read_bytes())
        rows = self.rows(description)
        self.assertGreaterEqual(len(rows), 1)
        self.assertEqual(description["ItemCount"], sum(row["itemCount"] for row in rows))
        for row in rows:
            content = (self.bucket() / row["dataFileS3Key"]).read_bytes()
            self.assertEqual(base64.b64encode(hashlib.md5(content).digest()).decode(), row["md5Checksum"])
            self.assertEqual(hashlib.md5(content).hexdigest(), row["etag"])
            self.assertEqual(row["itemCount"], gzip.decompress(content).count(b"\n"))
        here = set(self.objects(folder))
        listed = {row["dataFileS3Key"] for row in rows}
        named = {str((folder / name).relative_to(self.bucket())) for name in (
            "_started", "manifest-summary.json", "manifest-summary.md5", "manifest-files.json", "manifest-files.md5")}
        self.assertEqual(named, here - listed)

    def objects(self, folder):
        """The names of the objects in a folder. A name that begins with a dot is an unfinished object and is skipped."""
        return [str(path.relative_to(self.bucket())) for path in folder.rglob("*")
                if path.is_file() and not path.name.startswith(".unfinished-")]

    def rows(self, description):
        """The lines of manifest-files.json."""
        summary = json.loads((self.bucket() / description["ExportManifest"]).read_text())
        text = (self.bucket() / summary["manifestFilesS3Key"]).read_text()
        return [json.loads(line) for line in text.splitlines()]

    def lines(self, description):
        """The lines of all data files, as text."""
        found = []
        for row in self.rows(description):
            found += gzip.decompress((self.bucket() / row["dataFileS3Key"]).read_bytes()).decode().splitlines()
        return found

    def items(self, description):
        return [json.loads(line)["Item"] for line in self.lines(description)]
