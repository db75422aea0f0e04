"""A model of form-bridge: tenants, domains, sharded submissions, deliveries, counts."""

import datetime
import time

from random_model import Model
from served import TALLY_SECONDS_MAX, harness, new_ulid


class BridgeModel(Model):
    design = "form-bridge"

    def begin(self):
        self.tenants, self.domains, self.destinations, self.keys = {}, {}, {}, {}
        self.names = [self.word("t-") for _ in range(4)]
        self.submissions, self.attempts, self.inactive, self.titles = {}, {}, set(), {}
        self.domain_names = [self.word("d") + ".example" for _ in range(5)]
        self.client = harness.client(self.designs.items_url)
        self.date = datetime.datetime.now(datetime.timezone.utc).date()

    def step_create_tenant(self):
        name = self.pick(self.names)
        free = name not in self.tenants
        self.does(200 if free else 409, "createTenant", tenant_id=name)
        if not free:
            return
        self.tenants[name] = self.pick([1, 3, 5])
        self.client.put_item(TableName="FormBridgeData", Item={      # as if set long ago
            "PK": {"S": "TENANT#" + name}, "SK": {"S": "SHARDS#current"}, "Type": {"S": "TenantShards"},
                                                               "tenant_id": {"S": name},
            "shard_count": {"N": str(self.tenants[name])}, "rev": {"N": "1"}, "epochs": {"L": [{"M": {
                "from": {"S": "2020-01-01T00:00:00.000Z"}, "shard_count": {"N": str(self.tenants[name])}}}]}})

    def step_map_domain(self):
        domain, name = self.pick(self.domain_names), self.pick(self.names)
        status = 404 if name not in self.tenants else 200 if self.domains.get(domain, name) == name else 409
        self.does(status, "mapDomain", domain=domain, tenant_id=name)
        if status == 200:
            self.domains[domain] = name

    def step_destination(self):
        name = self.pick(self.names)
        reply = self.does(200 if name in self.tenants else 404, "createDestination", tenant_id=name,
                          destination_type=self.pick(["web", "webhook"]))
        if reply:
            self.destinations[reply["item"]["destination_id"]] = (name, reply["item"]["destination_type"])

    def step_submit(self):
        name, form = self.pick(self.names), self.pick(["contact", "order", "news"])
        payload = {"text": "x" * self.pick([1, 500, 3000])}
        key = self.pick([None, None, "k1", "k2", "k3"])
        status = 404 if name not in self.tenants else 403 if name in self.inactive else 200
        reply = self.does(status, "submit", tenant_id=name, form_id=form, payload=payload,
                          **({"idempotency_key": key} if key else {}))
        if not reply:
            return
        if (name, key) in self.keys:
            self.same(self.keys[name, key], reply, "the first submission of the key")
            return
        if key:
            self.keys[name, key] = reply
        self.submissions[reply["submission_id"]] = {"tenant_id": name, "form_id": form, "payload": payload,
                                                    "status": "PENDING",
                                                    "timestamp": reply["timestamp"],
                                                    "submission_id": reply["submission_id"]}

    def step_activity(self):
        name, active = self.pick(self.names), self.maybe()
        self.does(200 if name in self.tenants else 404, "activateTenant" if active else "deactivateTenant", tenant_id=name)
        if name in self.tenants:
            (self.inactive.discard if active else self.inactive.add)(name)

    def step_unmap(self):
        domain, name = self.pick(self.domain_names), self.pick(self.names)
        holder = self.domains.get(domain)
        self.does(404 if holder is None else 200 if holder == name else 409, "unmapDomain", domain=domain, tenant_id=name)
        if holder == name:
            del self.domains[domain]

    def step_change_destination(self):
        if not self.destinations:
            return
        dest, name, kind = self.pick(sorted(self.destinations)), self.pick(self.names), self.pick(["web", "webhook"])
        known = self.destinations[dest][0] == name
        self.does(200 if known else 404, "updateDestination", tenant_id=name, destination_id=dest, destination_type=kind)
        if known:
            self.destinations[dest] = (name, kind)

    def step_delete_destination(self):
        if not self.destinations or self.random.random() < 0.7:
            return
        dest, name = self.pick(sorted(self.destinations)), self.pick(self.names)
        known = self.destinations[dest][0] == name
        self.does(200 if known else 404, "deleteDestination", tenant_id=name, destination_id=dest)
        if known:
            del self.destinations[dest]

    def step_update_tenant(self):
        name, text = self.pick(self.names), self.pick([None, "A", "B"])
        self.does(200 if name in self.tenants else 404, "updateTenant", tenant_id=name, name=text)
        if name in self.tenants:
            self.titles[name] = text

    step_submit_more = step_submit
    step_submit_yet_more = step_submit

    def step_deliver(self):
        known = sorted(self.submissions)[-6:]
        if not known or not self.destinations:
            return
        sub, dest, status = self.pick(known + [new_ulid()]), self.pick(sorted(self.destinations)), self.pick(["success",
                                                                                                              "failed", "retrying"])
        held = self.submissions.get(sub)
        name = held["tenant_id"] if held else self.pick(self.names)
        known = held and self.destinations[dest][0] == name
        if held and self.maybe():
            self.does(200, "recordOutcomes", tenant_id=name, submission_id=sub, outcomes=[{"destination_id": dest, "status": status}])
            reply = None
        else:
            reply = self.does(200 if known else 404, "recordDelivery", tenant_id=name, submission_id=sub,
                              destination_id=dest, status=status)
        if not known:
            return
        statuses = self.attempts.setdefault((sub, dest), [])
        statuses.append(status)
        if reply:
            self.same(len(statuses), reply["attempt_num"], "attempt_num")
        if status == "success" or (status == "failed" and held["status"] != "DELIVERED"):
            held["status"] = {"success": "DELIVERED", "failed": "FAILED"}[status]

    step_deliver_more = step_deliver

    def of(self, name, **wanted):
        return sorted((s["timestamp"], s["submission_id"]) for s in self.submissions.values()
                      if s["tenant_id"] == name and all(s[k] == v for k, v in wanted.items()))

    def check(self):
        for domain in self.domain_names:
            self.item("tenantByDomain", domain in self.domains and {"tenant_id": self.domains[domain]}, domain=domain)
        for name in self.tenants:
            self.list("submissionsByTime", [pair[1] for pair in self.of(name)], "submission_id", tenant_id=name)
            for status in ("PENDING", "DELIVERED", "FAILED"):
                self.list("submissionsByStatus", [pair[1] for pair in self.of(name, status=status)], "submission_id",
                          tenant_id=name, status=status)
            self.list("destinations", sorted(d for d, (whose, _) in self.destinations.items() if whose == name),
                      "destination_id", tenant_id=name)
            for kind in ("web", "webhook"):
                found = self.api.all("destinationsByType", tenant_id=name, destination_type=kind, limit=2)
                self.same({d for d, held in self.destinations.items() if held == (name, kind)},
                          {d["destination_id"] for d in found}, kind)
            self.item("tenantConfig", {"name": self.titles.get(name), "status": "inactive" if name in self.inactive else "active"},
                      tenant_id=name)
            self.check_figures(name)
        for sub, held in list(self.submissions.items())[-20:]:
            self.item("submission", held, tenant_id=held["tenant_id"], submission_id=sub)
            expected = sorted((dest, n + 1, status) for (s, dest), statuses in self.attempts.items() if s == sub for n,
                              status in enumerate(statuses))
            found = self.api.all("deliveriesOfSubmission", tenant_id=held["tenant_id"], submission_id=sub, limit=2)
            self.same(expected, [(a["destination_id"], a["attempt_num"], a["status"]) for a in found], "deliveries")

    def check_figures(self, name):
        """The dashboard equals a recount, within the permitted delay of tallies."""
        forms = {}
        for s in self.submissions.values():
            if s["tenant_id"] == name:
                forms[s["form_id"]] = forms.get(s["form_id"], 0) + 1
        statuses = [status for (sub, _), all_ in self.attempts.items() if self.submissions[sub]["tenant_id"] == name for status in all_]
        give_up_at = time.monotonic() + TALLY_SECONDS_MAX
        while True:
            got = self.api("dashboard", tenant_id=name, days=2)
            hours = self.api.all("hourlyMetrics", tenant_id=name)
            counted = [sum(hour[figure] for hour in hours) for figure in ("submission_count", "deliveries", "errors")]
            figures = (got["total_submissions"], got["form_statistics"], round(got["error_rate"], 9), counted)
            failed = statuses.count("failed")
            expected = (sum(forms.values()), forms, round(failed / len(statuses), 9) if statuses else 0,
                        [sum(forms.values()), len(statuses), failed])
            if figures == expected:
                return
            if time.monotonic() > give_up_at:
                self.same(expected, figures, f"dashboard of {name}")
            time.sleep(0.05)
