"""A model of plugin-auth: registrations, sites, keys, agencies, versions, validations."""

import hmac

from random_model import Model
from served import new_ip, new_ulid, sha256

# The status transitions that operations may make. A transition to the same status is left out because the document does
# not specify it.
FLOW = {"active": ["suspended", "disabled"], "suspended": ["active", "disabled"], "disabled": ["active"]}
OPERATION = {"active": "activateSite", "suspended": "suspendSite", "disabled": "disableSite"}


class PluginModel(Model):
    design = "plugin-auth"

    def begin(self):
        self.registrations, self.sites, self.agencies, self.members = {}, {}, {}, {}
        self.domains = [self.word("d") + ".example" for _ in range(5)]
        self.agency_names = [self.word("a-") for _ in range(3)]
        self.addresses = {new_ip(): 0 for _ in range(60)}
        self.validations, self.versions, self.current, self.checks = {}, [], {}, {}
        self.dead_keys, self.suspended = [], set()

    def step_register(self):
        address, domain = self.pick(sorted(self.addresses)[:12 + self.step // 10][:60]), self.pick(self.domains)
        agency = self.pick([None, *self.agency_names])
        full = self.addresses[address] >= 5
        if agency and agency not in self.agencies and not full:
            return      # the document does not specify which comes first
        closed = agency in self.suspended
        reply = self.does(429 if full else 403 if closed else 200, "registerSite", domain=domain, wp_version="6.4", plugin_version="1.0",
                          client_ip=address,
                          **({"agency_id": agency} if agency and not full else {}))
        if not full:
            self.addresses[address] += 1
        if reply:
            self.registrations[reply["temp_key"]] = {"domain": domain, "agency": agency, "status": "pending",
                                                     "id": reply["registration_id"]}

    step_register_more = step_register

    def step_exchange(self):
        if not self.registrations:
            return
        key = self.pick(sorted(self.registrations))
        held = self.registrations[key]
        agency = held["agency"]
        full = agency and len(self.members[agency]) >= self.agencies[agency]
        status = 409 if held["status"] == "active" else 403 if agency in self.suspended else 409 if full else 200
        reply = self.does(status, "exchangeKey", temp_key=key, client_ip=new_ip())
        if reply:
            held["status"] = "active"
            self.sites[reply["site_id"]] = {"domain": held["domain"], "status": "active", "key": reply["api_key"],
                                            "count": 0, "secret": reply["webhook_secret"]}
            if agency:
                self.members[agency].add(reply["site_id"])

    step_exchange_more = step_exchange

    def any_site(self):
        return self.pick(sorted(self.sites) + [new_ulid()])

    def step_validate(self):
        site = self.any_site()
        held = self.sites.get(site)
        key = held["key"] if held else self.pick(self.dead_keys + ["nothing"])
        status = 401 if not held else 200 if held["status"] == "active" else 403
        reply = self.does(status, "validateKey", api_key=key, client_ip=new_ip(), request_type="api")
        if reply:
            held["count"] += 1
            self.same({"site_id": site, "domain": held["domain"], "status": "active",
                       "rate_limit_remaining": 1000 - held["count"]}, reply, site)

    step_validate_more = step_validate

    def step_status(self):
        site, status = self.any_site(), self.pick(list(OPERATION))
        held = self.sites.get(site)
        if held and held["status"] == status:
            return
        allowed = held and status in FLOW[held["status"]]
        self.does(404 if not held else 200 if allowed else 409, OPERATION[status], site_id=site)
        if allowed:
            held["status"] = status

    def step_rotate(self):
        site = self.any_site()
        reply = self.does(200 if site in self.sites else 404, "rotateKey", site_id=site)
        if reply:
            self.dead_keys.append(self.sites[site]["key"])
            self.sites[site]["key"] = reply["api_key"]

    def step_agency(self):
        name, most = self.pick(self.agency_names), self.random.randrange(1, 6)
        free = name not in self.agencies
        self.does(200 if free else 409, "createAgency", agency_id=name, agency_name="A", contact_email="a@example.com",
                  max_sites=most)
        if free:
            self.agencies[name], self.members[name] = most, set()

    def step_change_agency(self):
        name, suspend = self.pick(self.agency_names), self.maybe()
        known = name in self.agencies
        if self.maybe():
            self.does(200 if known else 404, "suspendAgency" if suspend else "activateAgency", agency_id=name)
            if known:
                (self.suspended.add if suspend else self.suspended.discard)(name)
        else:
            most = self.random.randrange(1, 6)
            self.does(200 if known else 404, "updateAgency", agency_id=name, max_sites=most)
            if known:
                self.agencies[name] = most

    def step_webhook(self):
        site, body = self.any_site(), self.word("b")
        held = self.sites.get(site)
        reply = self.does(200 if held else 404, "signWebhook", site_id=site, body=body)
        if reply:
            self.same(hmac.new(held["secret"].encode(), body.encode(), "sha256").hexdigest(), reply["signature"], "signature")
            for signature, valid in ((reply["signature"], True), ("0" * 64, False)):
                self.same({"valid": valid}, self.does(200, "verifyWebhook", site_id=site, body=body, signature=signature), site)

    def step_member(self):
        name, site = self.pick(self.agency_names), self.any_site()
        members = self.members.get(name, set())
        if self.maybe():
            status = 404 if name not in self.agencies or site not in self.sites else \
                409 if site in members or len(members) >= self.agencies[name] else 200
            self.does(status, "addSiteToAgency", agency_id=name, site_id=site)
            if status == 200:
                members.add(site)
        else:
            self.does(200 if site in members else 404, "removeSiteFromAgency", agency_id=name, site_id=site)
            members.discard(site)

    def step_version(self):
        if self.random.random() < 0.8 and self.versions:
            return
        version = self.word("9.")
        self.does(200, "publishVersion", version=version, version_info={"n": self.step})
        self.versions.append(version)

    def step_check_update(self):
        site, current = self.any_site(), self.pick(["1.0-" + self.run_tag, "1.1-" + self.run_tag, *self.versions])
        if not self.versions:
            return
        reply = self.does(200 if site in self.sites else 404, "checkUpdate", site_id=site, current_version=current)
        if reply:
            self.same({"update_available": current != self.versions[-1], "latest_version": self.versions[-1]}, reply,
                      "checkUpdate")
            self.current[site] = current
            self.checks[site] = self.checks.get(site, 0) + 1

    def step_validation(self):
        domain, registration, passes = self.pick(self.domains), new_ulid(), self.maybe()
        self.does(200, "recordValidation", domain=domain, registration_id=registration, validation_level="basic",
                  passes_validation=passes,
                  validation_score=self.step)
        self.validations[domain] = (registration, passes, self.step)

    def check(self):
        for domain in self.domains:
            self.list("credentialsOfDomain", sorted(s for s, held in self.sites.items() if held["domain"] == domain),
                      "site_id", domain=domain)
            self.list("registrationsOfDomain",
                      sorted(r["id"] for r in self.registrations.values() if r["domain"] == domain),
                      "registration_id", domain=domain)
            held = self.validations.get(domain)
            self.item("validationOfDomain",
                      held and dict(zip(("registration_id", "passes_validation", "validation_score"), held)),
                      domain=domain)
        mine = set(self.domains)
        self.same({s for s, held in self.sites.items() if held["status"] == "active"},
                  {s["site_id"] for s in self.api.all("activeSites", limit=3) if s["domain"] in mine}, "activeSites")
        self.same({r["id"] for r in self.registrations.values() if r["status"] == "pending"},
                  {r["registration_id"] for r in self.api.all("pendingRegistrations", limit=7) if r["domain"] in mine},
                  "pendingRegistrations")
        for site, held in self.sites.items():
            self.item("siteById", {"status": held["status"], "request_count": held["count"], "domain": held["domain"]},
                      site_id=site)
            self.list("apiKeysOfSite", [sha256(held["key"])], "api_key_hash", site_id=site)
            self.list("agencyOfSite", sorted(a for a, sites in self.members.items() if site in sites), "agency_id",
                      site_id=site)
            self.same(self.checks.get(site, 0), len(self.api.all("updateHistory", site_id=site, limit=2)),
                      "updateHistory")
        for name, most in self.agencies.items():
            self.item("agency", {"current_sites": len(self.members[name]), "max_sites": most,
                                 "status": "suspended" if name in self.suspended else "active"}, agency_id=name)
            self.list("agencySites", sorted(self.members[name]), "site_id", agency_id=name)
        for version in {"1.0-" + self.run_tag, "1.1-" + self.run_tag, *self.versions}:
            self.list("sitesOnVersion", sorted(s for s, held in self.current.items() if held == version), "site_id",
                      version=version)
