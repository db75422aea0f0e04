#!/usr/bin/python3
"""Large values in a bucket: `trestle serve --blobs s3://bucket/prefix --s3-endpoint URL`, with a small S3 server that
verifies every signature independently."""

import datetime
import secrets
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import served  # noqa: E402
from served import harness  # noqa: E402
from small_s3 import SmallS3  # noqa: E402

BUCKET = "large-values"


class Blobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.s3 = SmallS3(BUCKET)
        cls.objects = cls.s3.buckets[BUCKET]
        cls.addClassCleanup(cls.s3.server_close)
        cls.addClassCleanup(cls.s3.shutdown)
        cls.designs = served.Designs("--blobs", f"s3://{BUCKET}/form bridge", "--s3-endpoint", cls.s3.url,
                                     "--blob-age-s", "5")
        cls.api = cls.designs.api("form-bridge")
        cls.tenant = "t" + secrets.token_hex(4)
        cls.api("createTenant", tenant_id=cls.tenant)

    def submit(self):
        payload = {"text": secrets.token_urlsafe(150_000)}
        submission = self.api("submit", tenant_id=self.tenant, form_id="f", payload=payload)
        return submission["submission_id"], payload

    def read(self, submission):
        return self.api.item("submission", tenant_id=self.tenant, submission_id=submission)["payload"]

    def test_a_large_value_is_an_object_and_is_read_back(self):
        submission, payload = self.submit()
        names = [name for name in list(self.objects) if name.startswith("form bridge/")]
        self.assertEqual(set(self.objects), set(names))
        self.assertGreaterEqual(len(names), 1)
        self.assertEqual(payload, self.read(submission))
        self.assertEqual(0, self.s3.unsigned)

    def test_a_bucket_that_fails_for_a_moment_is_asked_again(self):
        submission, payload = self.submit()
        with self.s3.lock:
            self.s3.failures = [503, 500]
        self.assertEqual(payload, self.read(submission))
        self.assertEqual([], self.s3.failures)

    def test_a_bucket_that_stays_away_is_a_503(self):
        submission, _ = self.submit()
        with self.s3.lock:
            self.s3.failures = [503] * 4
        with self.assertRaises(served.Refused) as caught:
            self.read(submission)
        self.assertEqual(503, caught.exception.status)
        self.assertIn("Retry-After", caught.exception.headers)
        with self.s3.lock:
            self.s3.failures = []

    def test_what_nothing_refers_to_is_swept(self):
        # No blob is deleted during the point-in-time recovery period.
        harness.client(self.designs.items_url).update_continuous_backups(
            TableName="FormBridgeData", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False})
        submissions = [self.submit() for _ in range(3)]
        orphan = next(iter(self.objects)) + "-orphan"
        with self.s3.lock:
            self.objects[orphan] = (b"x", datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc))
        harness.until(lambda: orphan not in self.objects, "the sweep")
        for submission, payload in submissions:
            self.assertEqual(payload, self.read(submission))


if __name__ == "__main__":
    harness.run_file()
