#!/usr/bin/python3
"""Reactions with crashes and missing endpoints: each outcome is recorded exactly once after kill -9 during recording;
events wait for an endpoint that is not configured, or are discarded with --without."""

import http.client
import itertools
import json
import threading

from background_test import BackgroundCase
from firewall import Firewall, policy
from served import ahead, harness, new_phone, tag, unlimited


class KilledReactions(BackgroundCase):
    """kill -9 while outcomes are being recorded, each by many writes: the history contains each exactly once."""

    APPS = [f"App{number}" for number in range(12)]

    def test_each_outcome_is_recorded_once_after_kill_9_in_the_middle(self):
        firewall = Firewall()
        firewall.answer = lambda body: (200, {"rules": [
            {"ruleId": f"r-{one['appName']}", "privateIP": "10.0.0.1", "appName": one["appName"],
             "sessionExpiresAt": ahead(hours=1)} for one in body.get("add") or []]})
        running = self.serve("--endpoint", f"firewall={firewall.url}", "--reaction-backoff-ms", "4", memory=False)
        unlimited(running)
        phones, first = [], int(new_phone()[1:])
        self.numbers = itertools.count(first)       # none twice
        for _ in range(3):
            threads = [threading.Thread(target=self.make_policies, args=(running.api("parental-control"), phones))
                       for _ in range(3)]
            known = len(firewall.calls)
            for thread in threads:
                thread.start()
            harness.until(lambda known=known: len(firewall.calls) >= known + 8, "outcomes to record")
            running.server.kill()
            for thread in threads:
                thread.join()
            running.server.start()
        api = running.api("parental-control")
        with_policy = [phone for phone in phones if api.all("policiesOfChild", childPhoneNumber=phone)]
        self.assertGreater(len(with_policy), 10)
        expected = sorted(self.APPS)
        for phone in with_policy:
            self.eventually(expected, lambda phone=phone: sorted(
                one["appName"] for one in api.all("enforcementHistory", childPhoneNumber=phone)))
            self.assertEqual(len(self.APPS), len(api.all("rulesOfChild", childPhoneNumber=phone)))
        for phone in with_policy:
            self.assertEqual(1, len({key for _, key, _ in firewall.of(phone)}), "always under one key")
        # Nothing is recorded later, either.
        self.eventually(0, lambda: json.loads(self.command("status", "parental-control", *running.operator()))[
            "reactions_under_way"])
        for phone in with_policy:
            self.assertEqual(len(self.APPS), len(api.all("enforcementHistory", childPhoneNumber=phone)))

    def make_policies(self, api, phones):
        try:
            for _ in range(60):         # more than are delivered before the program dies
                phone = f"+{next(self.numbers)}"
                phones.append(phone)
                api("createPolicy", **policy(phone, *self.APPS))
        except (OSError, http.client.HTTPException):
            pass


class Endpoints(BackgroundCase):
    """Reactions of one table that call two endpoints, of which one, both or none may be configured."""

    DESIGN = """design: posts
version: 1
tables: {posts: {key: [id], stream: new-and-old, billing: on-demand}}
entities:
  Post: {table: posts, key: "{id}", fields: {id: "string([a-z0-9-], 1..40)", n: int}}
reads:
  post: {get: Post}
writes:
  save: {put: Post}
reactions:
  toMail: {on: Post, call: mail, send: {id: new.id, n: new.n}, retries: 1}
  toSearch: {on: Post, call: search, send: {id: new.id, n: new.n}, retries: 1}
"""

    def posts(self, *flags, status=None):
        if not hasattr(self, "folder"):
            self.folder, self.second = harness.Folder(), harness.Server("--memory-store")
            self.addCleanup(self.second.close)
            (self.folder.path / "posts.yaml").write_text(self.DESIGN)
        if status is not None:
            done = harness.run_program("serve", "--port", "0", "--memory-store", "--design", self.folder.path, *flags)
            self.assertEqual(status, done.returncode, done.stdout)
            return done.stdout
        return self.serve(*flags, designs=self.folder.path, on=self.second.endpoint)

    def seen(self, endpoint, mine):
        return [call[2]["n"] for call in list(endpoint.calls) if call[2]["id"] == mine]

    def test_events_wait_for_an_endpoint_that_is_not_there_yet(self):
        mail, search, mine = Firewall(), Firewall(), tag("p-")
        first = self.posts("--endpoint", f"mail={mail.url}")
        api = first.api("posts")
        for n in range(3):
            api("save", id=mine, n=n)
        self.eventually([0, 1, 2], lambda: self.seen(mail, mine))
        output = json.loads(self.command("status", self.folder.path / "posts.yaml", *first.operator()))
        self.assertEqual((["search"], 0), (output["waits_for_endpoints"], output["dead_letters"]))
        self.assertIn("--endpoint search=URL", first.server.log())
        self.assertIn('trestle_design_endpoints_waited_for{design="posts"} 1', api.request("GET", "/metrics")[2].decode())
        first.server.stop()
        second = self.posts("--endpoint", f"mail={mail.url}", "--endpoint", f"search={search.url}")
        self.eventually([0, 1, 2], lambda: self.seen(search, mine))
        second.api("posts")("save", id=mine, n=3)
        self.eventually(([0, 1, 2, 3], [0, 1, 2, 3]), lambda: (self.seen(mail, mine), self.seen(search, mine)))

    def test_an_endpoint_that_fails_does_not_hold_up_the_other(self):
        mail, search, mine = Firewall(), Firewall(), tag("p-")
        gate = threading.Event()
        search.answer = lambda body: (200 if gate.wait(harness.WAIT_SECONDS_MAX) else 500, {})
        running = self.posts("--endpoint", f"mail={mail.url}", "--endpoint", f"search={search.url}")
        for n in range(3):
            running.api("posts")("save", id=mine, n=n)
        self.eventually([0, 1, 2], lambda: self.seen(mail, mine))
        self.assertEqual([], self.seen(search, mine))
        gate.set()
        self.eventually([0, 1, 2], lambda: self.seen(search, mine))

    def test_events_that_nobody_wants_are_passed_over_for_good(self):
        mail, search, mine = Firewall(), Firewall(), tag("p-")
        first = self.posts("--endpoint", f"mail={mail.url}", "--without", "search")
        first.api("posts")("save", id=mine, n=0)
        self.eventually([0], lambda: self.seen(mail, mine))
        status = lambda running: json.loads(self.command("status", self.folder.path / "posts.yaml", *running.operator()))  # noqa: E731
        self.assertNotIn("waits_for_endpoints", status(first))
        applied = lambda: status(first)["records_applied"]        # noqa: E731
        self.eventually(True, lambda: applied() >= 2)       # once for each endpoint
        first.server.stop()
        second = self.posts("--endpoint", f"mail={mail.url}", "--endpoint", f"search={search.url}")
        second.api("posts")("save", id=mine, n=1)
        self.eventually(([0, 1], [1]), lambda: (self.seen(mail, mine), self.seen(search, mine)))

    def test_names_that_no_reaction_calls_are_refused(self):
        self.assertIn("no reaction of the designs calls it; they call mail, search",
                      self.posts("--endpoint", "male=http://127.0.0.1:1/", status=1))
        self.assertIn("--without sarch: no reaction", self.posts("--without", "sarch", status=1))
        self.assertIn("use only one of", self.posts("--endpoint", "mail=http://127.0.0.1:1/", "--without", "mail", status=1))


if __name__ == "__main__":
    harness.run_file()
