#!/usr/bin/python3
"""Two programs that serve the designs on one endpoint at the same time, and streams whose shards end twice a second:
counts equal a recount, a change is reported once, and both know a new number of shards before it is in force.

    tests/designs/two_servers.py [--seconds 3] [names of cases]

The endpoint is a separate Trestle.
"""

import argparse
import hashlib
import http.client
import json
import threading
import time

from background_test import BackgroundCase
from firewall import Firewall, policy
from served import DESIGNS, epoch, harness, new_phone, plain, tag, ulid_milliseconds

OPTIONS = argparse.Namespace(seconds=3)
SUBMISSIONS = 150          # minimum per program


class Submitter(threading.Thread):
    """Submits until it is stopped or the program dies; `submissions` are those that were acknowledged."""

    def __init__(self, api, tenant, stop):
        super().__init__()
        self.api, self.tenant, self.stop, self.submissions = api, tenant, stop, []
        self.start()

    def run(self):
        try:
            while not self.stop.is_set():
                form = f"f{len(self.submissions) % 5}"
                self.submissions.append(self.api("submit", tenant_id=self.tenant, form_id=form, payload={}))
        except (OSError, http.client.HTTPException):
            pass
        self.api.close()


class TwoServers(BackgroundCase):
    def start(self, *flags, **options):
        self.endpoint = harness.Server("--memory-store", "--ttl-sweep-ms", "0", "--stream-shard-ms", "500")
        self.addCleanup(self.endpoint.close)
        first = self.serve(*flags, on=self.endpoint.endpoint, **options)
        return first, self.serve(*flags, on=self.endpoint.endpoint, like=first, **options)

    def status(self, running, design="form-bridge"):
        return json.loads(self.command("status", design, *running.operator()))

    def load(self, programs, tenant, least=SUBMISSIONS):
        """Submitters of both programs, after they have worked for a while."""
        stop = threading.Event()
        submitters = [Submitter(program.api("form-bridge"), tenant, stop) for program in programs for _ in range(2)]
        self.addCleanup(stop.set)
        until = time.monotonic() + OPTIONS.seconds
        harness.until(lambda: time.monotonic() > until and min(len(one.submissions) for one in submitters) * 2 >= least, "load")
        return stop, submitters

    def end(self, stop, submitters):
        stop.set()
        for submitter in submitters:
            submitter.join()
        return [submission for submitter in submitters for submission in submitter.submissions]

    def figures_equal_a_recount(self, api, tenant):
        items = api.all("submissionsByTime", tenant_id=tenant, limit=1000)
        forms = {}
        for item in items:
            forms[item["form_id"]] = forms.get(item["form_id"], 0) + 1

        def figures():
            board = api("dashboard", tenant_id=tenant, days=2)
            return board["total_submissions"], board["form_statistics"]
        self.eventually((len(items), forms), figures)
        return items

    def shards_that_ended(self):
        import boto3
        client = harness.client(self.endpoint.endpoint)
        streams = boto3.session.Session().client("dynamodbstreams", **harness.boto3_options(self.endpoint.endpoint))
        arn = client.describe_table(TableName="FormBridgeData")["Table"]["LatestStreamArn"]
        shards, start = [], {}
        while True:
            page = streams.describe_stream(StreamArn=arn, **start)["StreamDescription"]
            shards += page["Shards"]
            if "LastEvaluatedShardId" not in page:
                return len([one for one in shards if "EndingSequenceNumber" in one["SequenceNumberRange"]])
            start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def test_figures_equal_a_recount_while_shards_end_and_both_want_the_lease(self):
        first, second = self.start()
        api, tenant = second.api("form-bridge"), tag("t")
        api("createTenant", tenant_id=tenant)
        stop, submitters = self.load((first, second), tenant)
        harness.until(lambda: self.shards_that_ended() > 4, "shards that end")
        submissions = self.end(stop, submitters)
        items = self.figures_equal_a_recount(api, tenant)
        self.assertEqual(sorted(one["submission_id"] for one in submissions), sorted(one["submission_id"] for one in items))
        self.assertEqual([False, True], sorted(self.status(one)["working"] for one in (first, second)))
        self.assertEqual([0, 0], [self.status(one)["stream_gaps"] for one in (first, second)])
        self.assertIn("0 faults", self.command("verify", "form-bridge", "--on", self.endpoint.endpoint, "--keys", first.ring,
                                               "--blobs", first.blobs, env=first.environment))

    def test_the_other_takes_over_where_the_one_at_work_was_killed(self):
        first, second = self.start()
        tenant = tag("t")
        first.api("form-bridge")("createTenant", tenant_id=tenant)
        worker = harness.until(lambda: [one for one in (first, second) if self.status(one)["working"]], "a worker")[0]
        other = second if worker is first else first
        stop, submitters = self.load((first, second), tenant)
        worker.server.kill()
        harness.until(lambda: self.status(other)["working"], "the other at work")
        submissions = self.end(stop, submitters)
        found = {one["submission_id"] for one in self.figures_equal_a_recount(other.api("form-bridge"), tenant)}
        self.assertEqual(set(), {one["submission_id"] for one in submissions} - found, "what was acknowledged is there")

    def test_each_change_is_sent_once_while_both_live_and_recorded_once_after_a_kill(self):
        firewall = Firewall()
        first, second = self.start("--endpoint", f"firewall={firewall.url}", "--reaction-backoff-ms", "4")
        phones = [new_phone() for _ in range(40)]
        for number, phone in enumerate(phones):
            (first, second)[number % 2].api("parental-control")("createPolicy", **policy(phone, "TikTok", "Roblox"))
        history = lambda running, phone: sorted(      # noqa: E731
            one["appName"] for one in running.api("parental-control").all("enforcementHistory", childPhoneNumber=phone))
        for phone in phones:
            self.eventually(["Roblox", "TikTok"], lambda phone=phone: history(first, phone))
        self.assertEqual({phone: 1 for phone in phones}, {phone: len(firewall.of(phone)) for phone in phones})
        at_work = harness.until(lambda: [one for one in (first, second)
                                         if self.status(one, "parental-control")["working"]], "a worker")[0]
        other = second if at_work is first else first
        more = [new_phone() for _ in range(40)]
        known = len(firewall.calls)
        for phone in more:
            other.api("parental-control")("createPolicy", **policy(phone, "TikTok", "Roblox"))
        harness.until(lambda: len(firewall.calls) > known, "the first call to arrive")
        at_work.server.kill()
        for phone in more:
            self.eventually(["Roblox", "TikTok"], lambda phone=phone: history(other, phone))
            self.assertEqual(1, len({key for _, key, _ in firewall.of(phone)}), "again only under the same key")
        self.eventually(0, lambda: self.status(other, "parental-control")["reactions_under_way"])
        for phone in phones + more:
            self.assertEqual(["Roblox", "TikTok"], history(other, phone))

    def test_a_new_count_of_shards_is_in_force_for_both_when_it_begins(self):
        folder = harness.Folder()
        text = (DESIGNS / "form-bridge.yaml").read_text()
        self.assertEqual(2, text.count("60s"), "the lead and the epochs' beginning")
        (folder.path / "form-bridge.yaml").write_text(text.replace("60s", "2s"))
        first, second = self.start(designs=folder.path)
        api, tenant = first.api("form-bridge"), tag("t")
        api("createTenant", tenant_id=tenant)
        stop, submitters = self.load((first, second), tenant)
        for count in (4, 16, 3):
            api("setShards", tenant_id=tenant, shard_count=count)
            begins = epoch(api("shardsOf", tenant_id=tenant)["epochs"][-1]["from"])
            harness.until(lambda begins=begins: time.time() > begins, "the epoch to begin")
            before = [len(one.submissions) for one in submitters]
            harness.until(lambda before=before: min(len(one.submissions) - had for one, had in zip(submitters, before)) * 2
                          >= SUBMISSIONS, "submissions under it")
        submissions = self.end(stop, submitters)
        order = sorted((one["timestamp"], one["submission_id"]) for one in submissions)
        for program in (first, second):
            listed = [(one["timestamp"], one["submission_id"])
                      for one in program.api("form-bridge").all("submissionsByTime", tenant_id=tenant, limit=97)]
            self.assertEqual(order, listed, "each once, in order")
        self.every_item_is_in_its_shard(tenant, api("shardsOf", tenant_id=tenant)["epochs"])

    def every_item_is_in_its_shard(self, tenant, epochs):
        client = harness.client(self.endpoint.endpoint)
        items = harness.every_page(lambda operation, **parameters: getattr(client, operation)(**parameters), "scan",
                                   TableName="FormBridgeData")
        counts_seen = set()
        for item in items:
            if plain(item["Type"]) != "Submission" or item["tenant_id"]["S"] != tenant:
                continue
            submission = item["SK"]["S"].removeprefix("SUB#")
            begun = [one["shard_count"] for one in epochs if epoch(one["from"]) * 1000 <= ulid_milliseconds(submission)]
            count = begun[-1] if begun else 1
            shard = int.from_bytes(hashlib.sha256(submission.encode()).digest()[:8], "big") % count
            self.assertEqual(f"TENANT#{tenant}#{shard}", item["PK"]["S"], (submission, count))
            counts_seen.add(count)
        self.assertEqual({1, 3, 4, 16}, counts_seen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=OPTIONS.seconds, help="of load, at the least")
    parser.add_argument("names", nargs="*")
    parser.parse_args(namespace=OPTIONS)
    harness.run("__main__", OPTIONS.names)
