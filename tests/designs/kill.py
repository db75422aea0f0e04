#!/usr/bin/python3
"""kill -9 during multi-step operations under load: acknowledged writes exist, and nothing is half done.

    tests/designs/kill.py [--rounds 4] [--seconds 1.5] [--seed N]

Every round starts the program on the same data, drives it from many connections, kills it, starts it again, and
checks the items themselves (invariants.py) and the findings of `trestle design verify`. With TRESTLE_DESIGN_ON, the
program in front of that endpoint is killed.
"""

import argparse
import hmac
import http.client
import random
import sys
import threading
import time

from invariants import broken_invariants, verify_faults
from served import Designs, Refused, harness, new_ip, new_phone, tag


class Unknown(Exception):
    """The connection broke: the outcome of the call is unknown."""


class Worker:
    """Calls until the program dies, and records what was acknowledged."""

    def __init__(self, running, world, seed):
        self.random = random.Random(seed)
        self.world = world
        self.apis = {name: running.api(name) for name in ("plugin-auth", "form-bridge", "parental-control", "authz")}
        self.admin = running.api("site-catalog").as_caller(sub="root", groups=["admin"])
        self.user = running.api("site-catalog").as_caller(sub=(sub := tag("u-")))
        self.sub = sub

    def call(self, design, operation, /, api=None, **inputs):
        try:
            return (api or self.apis[design])(operation, **inputs)
        except Refused:
            return None
        except (OSError, http.client.HTTPException) as error:
            raise Unknown(operation) from error

    def run(self, stop):
        moves = [self.exchange, self.people, self.catalog, self.submit, self.deliver, self.count, self.outcomes, self.rename, self.change,
                 self.domain, self.rule]
        try:
            while not stop.is_set():
                self.random.choice(moves)()
        except Unknown:
            pass

    def exchange(self):
        domain = tag("s") + ".example.com"
        registration = self.call("plugin-auth", "registerSite", domain=domain, wp_version="6.4", plugin_version="1.0",
                                 client_ip=new_ip(),
                                 agency_id=self.world.agency)
        keys = registration and self.call("plugin-auth", "exchangeKey", temp_key=registration["temp_key"], client_ip=new_ip())
        if not keys:
            return
        self.world.sites[keys["site_id"]] = domain
        self.world.secrets[keys["site_id"]] = keys["webhook_secret"]
        if self.random.random() < 0.5 and self.call("plugin-auth", "rotateKey", site_id=keys["site_id"]):
            self.call("plugin-auth", "removeSiteFromAgency", agency_id=self.world.agency, site_id=keys["site_id"])

    def people(self):
        reply = self.call("authz", "createUser", email=tag("e") + "@example.com", phone=new_phone())
        if not reply:
            return
        user = reply["item"]["userId"]
        for _ in range(3):
            self.call("authz", "updateUser", userId=user, email=(email := tag("e") + "@example.com"), phone=new_phone())
        self.world.users[user] = email
        for tenant in self.world.tenants:
            self.call("authz", "grant", tenantId=tenant, userId=user, roles=self.world.roles)
        if self.random.random() < 0.6:
            del self.world.users[user]
            if self.call("authz", "deleteUser", userId=user):
                self.world.deleted_users.add(user)

    def catalog(self):
        reply = self.call("", "createSite", self.admin, url="https://example.com/", title="t",
                          tags=[tag("t") for _ in range(8)])
        if not reply:
            return
        site = reply["item"]["siteId"]
        for stars in (1, 3, 5):
            self.call("", "rateSite", self.user, siteId=site, stars=stars)
            self.call("", "addComment", self.user, siteId=site, body="b")
        tags = [tag("t") for _ in range(9)]
        if self.call("", "updateSite", self.admin, siteId=site, tags=tags):
            self.world.catalog[site] = sorted(tags)
        if self.random.random() < 0.6:
            self.world.catalog.pop(site, None)
            if self.call("", "deleteSite", self.admin, siteId=site):
                self.world.deleted_sites.add(site)

    def submit(self):
        submission = self.call("form-bridge", "submit", tenant_id=self.world.tenant, form_id=self.random.choice("abc"),
                               payload={"n": 1},
                               idempotency_key=tag("k"))
        if submission:
            self.world.submissions[submission["submission_id"]] = 0

    def deliver(self):
        known = list(self.world.submissions)[-5:]
        for sub in known[:1]:
            reply = self.call("form-bridge", "recordDelivery", tenant_id=self.world.tenant, submission_id=sub,
                              destination_id=self.world.destination,
                              status=self.random.choice(["success", "failed", "retrying"]))
            if reply:
                self.world.submissions[sub] = max(self.world.submissions[sub], reply["attempt_num"])

    def outcomes(self):
        """A router's replies: attempts at two destinations, recorded by several transactions."""
        known = list(self.world.submissions)[-5:]
        for sub in known[:1]:
            self.call("form-bridge", "recordOutcomes", tenant_id=self.world.tenant, submission_id=sub, outcomes=[
                {"destination_id": self.world.other_destination, "status": self.random.choice(["success", "failed"])},
                {"destination_id": self.world.destination, "status": "retrying"}])

    def rename(self):
        """A role moves to another key with all its attributes, or stays."""
        reply = self.call("authz", "createRole", scope="tenant", name=(name := tag("r ")), color="red")
        if reply:
            self.world.moved[reply["item"]["roleId"]] = "red"
            self.call("authz", "renameRole", scope="tenant", name=name, newName=tag("n "))

    def change(self):
        """A destination changes its type, and therefore its position in an index."""
        self.call("form-bridge", "updateDestination", tenant_id=self.world.tenant, destination_id=self.world.other_destination,
                  destination_type=tag("t"))
        self.call("plugin-auth", "updateAgency", agency_id=self.world.agency, agency_name=tag("A"))
        if self.random.random() < 0.3:
            self.call("plugin-auth", "suspendAgency", agency_id=self.world.agency)
            self.call("plugin-auth", "activateAgency", agency_id=self.world.agency)

    def domain(self):
        """A domain is mapped, and perhaps unmapped again."""
        domain = tag("d") + ".example"
        if not self.call("form-bridge", "mapDomain", domain=domain, tenant_id=self.world.tenant):
            return
        if self.random.random() < 0.5:
            self.world.domains.add(domain)
        elif self.call("form-bridge", "unmapDomain", domain=domain, tenant_id=self.world.tenant):
            self.world.freed.add(domain)

    def rule(self):
        """A rule moves to another address and keeps its creation time; or its session ends."""
        child, reply = new_phone(), None
        reply = self.call("parental-control", "saveRule", childPhoneNumber=child, ruleId="r", privateIP="10.0.0.1", appName="x",
                          policyId="p", sessionExpiresAt="2100-01-01T00:00:00Z")
        if not reply:
            return
        if self.random.random() < 0.7:
            self.world.rules[child] = reply["item"]["createdAt"]
            self.call("parental-control", "moveRule", childPhoneNumber=child, ruleId="r", privateIP="10.0.0.2")
        elif self.call("parental-control", "endSession", childPhoneNumber=child, privateIP="10.0.0.1"):
            self.world.ended.add(child)

    def count(self):
        if self.call("parental-control", "recordBlocked", childPhoneNumber=self.world.child, appName="TikTok",
                     parentEmail="p@example.com",
                     at="2025-10-03T10:00:00Z"):
            with self.world.lock:
                self.world.blocked += 1


class World:
    """What the program acknowledged."""

    def __init__(self, running):
        self.lock = threading.Lock()
        self.sites, self.users, self.catalog, self.submissions = {}, {}, {}, {}
        self.deleted_users, self.deleted_sites = set(), set()
        self.blocked, self.child = 0, new_phone()
        plugin, bridge, authz = (running.api(name) for name in ("plugin-auth", "form-bridge", "authz"))
        self.agency = plugin.item("createAgency", agency_name="A", contact_email="a@example.com",
                                  max_sites=100000)["agency_id"]
        self.tenant = bridge.item("createTenant", tenant_id=tag("t-"))["tenant_id"]
        self.destination = bridge.item("createDestination", tenant_id=self.tenant,
                                       destination_type="web")["destination_id"]
        self.other_destination = bridge.item("createDestination", tenant_id=self.tenant, destination_type="web")["destination_id"]
        self.moved, self.secrets, self.rules = {}, {}, {}
        self.domains, self.freed, self.ended = set(), set(), set()
        self.tenants = [authz.item("createTenant", name=tag("t "))["tenantId"] for _ in range(3)]
        self.roles = [authz.item("createRole", scope="tenant", name=tag("r "))["roleId"] for _ in range(2)]

    def is_complete(self):
        return all((self.sites, self.users, self.catalog, self.submissions, self.blocked, self.domains, self.rules))

    def missing(self, running):
        """Describes what was acknowledged but is missing."""
        plugin, bridge, authz, control, catalog = (running.api(name) for name in
                                                   ("plugin-auth", "form-bridge", "authz", "parental-control",
                                                    "site-catalog"))
        for site, domain in self.sites.items():
            if plugin.item("siteById", site_id=site)["domain"] != domain:
                yield f"site {site}"
        for user, email in self.users.items():
            found = authz.item("user", userId=user)["email"]
            if found != email and authz.item("userByEmail", email=found)["userId"] != user:
                yield f"user {user} has {found}, not {email}"
        for role, color in self.moved.items():
            if authz.item("roleById", roleId=role)["color"] != color:
                yield f"role {role} lost an attribute"
        for site, secret in list(self.secrets.items())[-20:]:
            signature = hmac.new(secret.encode(), b"body", "sha256").hexdigest()
            if not plugin("verifyWebhook", site_id=site, body="body", signature=signature)["valid"]:
                yield f"the webhook secret of site {site}"
        for domain in self.domains:
            if bridge.item("tenantByDomain", domain=domain)["tenant_id"] != self.tenant:
                yield f"domain {domain}"
        for domain in self.freed:
            if is_there(bridge, "tenantByDomain", domain=domain):
                yield f"domain {domain} was unmapped"
        for child, created_at in self.rules.items():
            if control.item("rule", childPhoneNumber=child, ruleId="r")["createdAt"] != created_at:
                yield f"the rule of {child}"
        for child in self.ended:
            if is_there(control, "rule", childPhoneNumber=child, ruleId="r"):
                yield f"the session of {child} ended"
        for user in self.deleted_users:
            if is_there(authz, "user", userId=user):
                yield f"user {user} was deleted"
        for site, tags in self.catalog.items():
            if sorted(catalog.item("site", siteId=site)["tags"]) != tags:
                yield f"tags of site {site}"
        for site in self.deleted_sites:
            if is_there(catalog, "site", siteId=site):
                yield f"site {site} was deleted"
        for sub, attempts in self.submissions.items():
            bridge.item("submission", tenant_id=self.tenant, submission_id=sub)
            recorded = attempts and len(bridge.all("deliveriesOfSubmission", tenant_id=self.tenant, submission_id=sub))
            if recorded < attempts:
                yield f"submission {sub} has {recorded} attempts of {attempts}"
        days = control.all("dailyMetrics", childPhoneNumber=self.child, date="2025-10-03")
        if self.blocked and (not days or days[0]["blockedCount"] < self.blocked):
            yield f"{self.blocked} were counted: {days}"


def is_there(api, operation, **inputs):
    try:
        api(operation, **inputs)
        return True
    except Refused as refusal:
        assert refusal.status == 404, refusal
        return False


def one_round(running, world, options, seed):
    """Load, kill, and restart; returns a description of what is wrong."""
    stop = threading.Event()
    workers = [Worker(running, world, f"{seed} {n}") for n in range(12)]
    threads = [threading.Thread(target=worker.run, args=(stop,)) for worker in workers]
    for thread in threads:
        thread.start()
    time.sleep(options.seconds * (0.5 + random.Random(seed).random()))      # the duration of the load, not a wait for a condition
    harness.until(world.is_complete, "one acknowledged write of every kind")
    running.server.kill()
    stop.set()
    for thread in threads:
        thread.join()
    running.server.start()
    running.api("plugin-auth")("activateAgency", agency_id=world.agency)       # a worker may have died between the two
    client = harness.client(running.items_url)
    return list(world.missing(running)) + list(broken_invariants(running, client)) + list(verify_faults(running))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1.5, help="of load, half to one and a half times")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    running = Designs(memory=False)
    world = World(running)
    failed = 0
    for number in range(options.rounds):
        wrong = one_round(running, world, options, f"{options.seed} {number}")
        failed += bool(wrong)
        print(f"round {number + 1}: {len(world.sites)} sites, {len(world.users)} users, {len(world.catalog)} catalog sites, "
              f"{len(world.submissions)} submissions, {world.blocked} counted; {len(wrong)} faults", *wrong[:20],
              sep="\n  ", flush=True)
    print(f"{max(0, options.rounds - failed)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
