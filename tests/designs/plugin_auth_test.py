#!/usr/bin/python3
"""plugin-auth, operation by operation: registration, keys, limits, versions, security events, agencies."""

import hashlib
import hmac
import time

from served import harness, SystemCase, ULID, ago, ahead, coverage, epoch, new_ip, new_ulid, plain, sha256, tag

DAY = 86400
GOOD = {"domain": "good.example", "wp_version": "6.4.1", "plugin_version": "1.2.0", "client_ip": "192.0.2.7"}


class Plugin(SystemCase):
    design = "plugin-auth"
    table = "form-bridge-plugin-auth"

    def register(self, domain=None, **more):
        domain = domain or tag("site") + ".example.com"
        reply = self.api("registerSite", domain=domain, wp_version="6.4.1", plugin_version="1.2.0",
                         **{"client_ip": new_ip(), **more})
        return domain, reply

    def site(self, **more):
        """A site that was registered and exchanged its key: (domain, {site_id, api_key, webhook_secret})."""
        domain, registration = self.register(**more)
        return domain, self.api("exchangeKey", temp_key=registration["temp_key"], client_ip=new_ip())

    def validate(self, key, **more):
        return self.api("validateKey", api_key=key, **{"client_ip": new_ip(), "request_type": "api", **more})

    def agency(self, max_sites=10, **more):
        return self.api.item("createAgency", agency_name="Agency", contact_email=tag("a") + "@example.com",
                             max_sites=max_sites, **more)["agency_id"]

    def expire(self, pk, sk, **texts):
        """Makes an item expired, as if its hour had passed."""
        names = {"#t": "ttl", **{f"#{name}": name for name in texts}}
        values = {":t": {"N": str(int(time.time()) - 60)}, **{f":{name}": {"S": text} for name, text in texts.items()}}
        sets = ", ".join(["#t = :t"] + [f"#{name} = :{name}" for name in texts])
        self.client.update_item(TableName=self.table, Key={"PK": {"S": pk}, "SK": {"S": sk}},
                                ExpressionAttributeNames=names,
                                UpdateExpression="SET " + sets, ExpressionAttributeValues=values)


class Registration(Plugin):
    def test_registers_under_the_documents_keys(self):
        before = time.time()
        domain, reply = self.register(admin_email="Boss@Example.COM")
        self.assertEqual({"registration_id", "temp_key", "expires_at"}, set(reply))
        self.assertRegex(reply["registration_id"], ULID)
        self.assertAlmostEqual(before + 3600, epoch(reply["expires_at"]), delta=60)
        item = self.stored("SITE#" + domain, "REG#" + reply["registration_id"])
        self.attributes(item, GSI1PK={"S": "TEMP#" + reply["temp_key"]}, GSI1SK={"S": "STATUS#pending"},
                        Type={"S": "Registration"}, status={"S": "pending"}, domain={"S": domain},
                        registration_id={"S": reply["registration_id"]}, wp_version={"S": "6.4.1"},
                        plugin_version={"S": "1.2.0"}, admin_email={"S": "boss@example.com"}, agency_id=None,
                        expires_at={"S": reply["expires_at"]}, ttl={"N": str(int(epoch(reply["expires_at"])))})
        self.recent(item["created_at"]["S"])

    def test_a_domain_is_folded_to_lower_case(self):
        word = tag("Fold")
        _, reply = self.register(domain=word + ".Example.COM")
        domain = word.lower() + ".example.com"
        self.assertIsNotNone(self.stored("SITE#" + domain, "REG#" + reply["registration_id"]))
        self.assertEqual([reply["registration_id"]],
                         [r["registration_id"] for r in self.api.all("registrationsOfDomain", domain=domain.upper())])

    def test_bad_inputs_are_named(self):
        self.refuses_each("registerSite", GOOD, {
            "domain": ["not a domain", 5, "", "-x.com", "a" * 64 + ".com"], "wp_version": ["6.4 beta", "", 6],
            "plugin_version": ["1/2", None], "admin_email": ["nobody", "a@", 3],
                                                 "client_ip": ["300.1.1.1", "here", ""]})
        self.requires("registerSite", GOOD, "domain", "wp_version", "plugin_version", "client_ip")
        self.refused(400, "registerSite", fields=["status"], **GOOD, status="active")
        self.refused(404, "registerSite", **GOOD, agency_id=tag("none"))

    def test_five_in_five_minutes_from_one_address_then_429(self):
        ip = new_ip()
        for _ in range(5):
            self.register(client_ip=ip)
        refusal = self.refused(429, "registerSite", **{**GOOD, "domain": tag("x") + ".example", "client_ip": ip})
        self.assertLessEqual(int(refusal.headers["Retry-After"]), 300)
        self.register(client_ip=new_ip())
        counted = self.partition("RATE#" + ip)
        self.assertEqual(5, sum(plain(item["count"]) for item in counted))
        for item in counted:
            minute = int(item["SK"]["S"].split("#")[1])
            self.assertEqual(0, minute % 60)
            self.attributes(item, SK={"S": f"TIME#{minute}#registration"}, Type={"S": "IpRate"},
                            timestamp={"N": str(minute)},
                            action={"S": "registration"}, client_ip={"S": ip})
            self.assertGreaterEqual(plain(item["ttl"]), minute + 300)

    def test_registrations_are_found_by_domain_key_and_status(self):
        domain = tag("site") + ".example.com"
        registrations = [self.register(domain=domain)[1] for _ in range(5)]
        ids = sorted(r["registration_id"] for r in registrations)
        self.check_list("registrationsOfDomain", ids, "registration_id", domain=domain)
        self.check_page_tokens("registrationsOfDomain", {"domain": "other.example"}, domain=domain)
        for item in self.api.all("registrationsOfDomain", domain=domain):
            self.assertNotIn("temp_key", item, "the key is shown once")
        found = self.api.item("registrationByTempKey", temp_key=registrations[2]["temp_key"])
        self.assertEqual((registrations[2]["registration_id"], domain, "pending"),
                         (found["registration_id"], found["domain"], found["status"]))
        self.refused(404, "registrationByTempKey", temp_key="A" * 32)
        pending = [r for r in self.api.all("pendingRegistrations", limit=3) if r["domain"] == domain]
        self.assertEqual(ids, sorted(r["registration_id"] for r in pending))
        listed = [i for i in self.index_query("GSI2", "GSI2PK", "STATUS#pending") if i["domain"]["S"] == domain]
        self.assertEqual(5, len(listed))
        self.api("exchangeKey", temp_key=registrations[0]["temp_key"], client_ip=new_ip())
        pending = [r for r in self.api.all("pendingRegistrations") if r["domain"] == domain]
        self.assertEqual(sorted(r["registration_id"] for r in registrations[1:]), sorted(r["registration_id"] for r in pending))

    def test_an_expired_registration_is_never_read_and_cannot_be_exchanged(self):
        domain, reply = self.register()
        self.expire("SITE#" + domain, "REG#" + reply["registration_id"], expires_at=ago(minutes=1))
        self.assertEqual([], self.api.all("registrationsOfDomain", domain=domain))
        self.refused(404, "registrationByTempKey", temp_key=reply["temp_key"])
        self.assertNotIn(domain, [r["domain"] for r in self.api.all("pendingRegistrations")])
        self.refused(410, "exchangeKey", temp_key=reply["temp_key"], client_ip=new_ip())


class Exchange(Plugin):
    def test_makes_credentials_and_lookup_and_shows_keys_once(self):
        domain, reply = self.register()
        keys = self.api("exchangeKey", temp_key=reply["temp_key"], client_ip=new_ip())
        self.assertEqual({"site_id", "api_key", "webhook_secret"}, set(keys))
        self.assertRegex(keys["site_id"], ULID)
        digest = sha256(keys["api_key"])
        credentials = self.stored("SITE#" + domain, "CREDS#" + keys["site_id"])
        self.attributes(credentials, GSI1PK={"S": "SITE#" + keys["site_id"]}, GSI1SK={"S": "ACTIVE"},
                        Type={"S": "SiteCredentials"}, api_key_hash={"S": digest}, status={"S": "active"},
                        request_count={"N": "0"}, rate_limit_remaining={"N": "1000"}, domain={"S": domain}, ttl=None)
        self.attributes(self.stored("API#" + digest, "LOOKUP"), GSI1PK={"S": "SITE#" + keys["site_id"]},
                        GSI1SK={"S": "API_KEY"}, Type={"S": "ApiKeyLookup"}, site_id={"S": keys["site_id"]},
                        last_used=None)
        registration = self.stored("SITE#" + domain, "REG#" + reply["registration_id"])
        self.attributes(registration, status={"S": "active"}, GSI1SK={"S": "STATUS#active"}, GSI2PK=None, GSI2SK=None)
        sealed = credentials["webhook_secret"]["B"]
        self.assertGreaterEqual(len(sealed), len(keys["webhook_secret"]) + 12 + 16, "nonce and tag go with it")
        for item in self.partition("SITE#" + domain) + self.partition("API#" + digest):
            self.assertNotIn(keys["api_key"], repr(item))
            self.assertNotIn(keys["webhook_secret"], repr(item))
        for item in self.api.all("credentialsOfDomain",
                                 domain=domain) + [self.api.item("siteById", site_id=keys["site_id"])]:
            self.assertNotIn("webhook_secret", item)
            self.assertNotIn(keys["api_key"], repr(item))

    def test_the_same_secret_is_sealed_differently_each_time(self):
        sealed = []
        for _ in range(2):
            domain, keys = self.site()
            sealed.append(self.stored("SITE#" + domain, "CREDS#" + keys["site_id"])["webhook_secret"]["B"])
        self.assertNotEqual(sealed[0][-40:], sealed[1][-40:])

    def test_refusals(self):
        _, reply = self.register()
        self.api("exchangeKey", temp_key=reply["temp_key"], client_ip=new_ip())
        self.refused(409, "exchangeKey", temp_key=reply["temp_key"], client_ip=new_ip())
        self.refused(404, "exchangeKey", temp_key="A" * 32, client_ip=new_ip())
        good = {"temp_key": "A" * 32, "client_ip": "192.0.2.1"}
        self.refuses_each("exchangeKey", good, {"temp_key": ["!", 5], "client_ip": ["x"]})
        self.requires("exchangeKey", good, "temp_key", "client_ip")

    def test_an_agency_counts_its_sites_and_refuses_beyond_its_maximum(self):
        agency = self.agency(max_sites=1)
        domain, keys = self.site(agency_id=agency)
        self.assertEqual(1, self.api.item("agency", agency_id=agency)["current_sites"])
        self.attributes(self.stored("AGENCY#" + agency, "SITE#" + keys["site_id"]),
                        GSI1PK={"S": "SITE#" + keys["site_id"]},
                        GSI1SK={"S": "AGENCY#" + agency}, Type={"S": "AgencySite"}, domain={"S": domain})
        second, waiting = self.register(agency_id=agency)
        self.refused(409, "exchangeKey", temp_key=waiting["temp_key"], client_ip=new_ip())
        self.assertEqual(1, self.api.item("agency", agency_id=agency)["current_sites"])
        self.assertEqual([], self.api.all("credentialsOfDomain", domain=second), "all or nothing")
        self.assertEqual("pending", self.api.item("registrationByTempKey", temp_key=waiting["temp_key"])["status"])
        self.api("removeSiteFromAgency", agency_id=agency, site_id=keys["site_id"])
        self.api("exchangeKey", temp_key=waiting["temp_key"], client_ip=new_ip())
        self.assertEqual(1, self.api.item("agency", agency_id=agency)["current_sites"])

    def test_a_retry_with_an_idempotency_key_answers_the_first_answer(self):
        _, reply = self.register()
        inputs = {"temp_key": reply["temp_key"], "client_ip": new_ip()}
        key = {"Idempotency-Key": tag()}
        first, _ = self.api.with_headers("exchangeKey", key, **inputs)
        again, _ = self.api.with_headers("exchangeKey", key, **inputs)
        self.assertEqual(first, again)


class Keys(Plugin):
    def test_validation_counts_and_dates(self):
        domain, keys = self.site()
        for left in (999, 998, 997):
            self.assertEqual({"site_id": keys["site_id"], "domain": domain, "status": "active",
                              "rate_limit_remaining": left},
                             self.validate(keys["api_key"], user_agent="WordPress/6"))
        for kind in ("webhook", "update_check"):
            self.validate(keys["api_key"], request_type=kind)
        site = self.api.item("siteById", site_id=keys["site_id"])
        self.assertEqual((5, 995), (site["request_count"], site["rate_limit_remaining"]))
        self.recent(site["last_seen"])
        self.recent(self.api.all("apiKeysOfSite", site_id=keys["site_id"])[0]["last_used"])
        item = self.stored("SITE#" + domain, "CREDS#" + keys["site_id"])
        self.attributes(item, request_count={"N": "5"}, rate_limit_remaining={"N": "995"}, GSI1SK={"S": "ACTIVE"})

    def test_site_rate_answers_total_and_windows(self):
        _, keys = self.site()
        began = int(time.time()) // 60 * 60
        for _ in range(7):
            self.validate(keys["api_key"])
        ended = int(time.time())
        reply = self.api("siteRate", site_id=keys["site_id"], **{"from": began, "to": ended})
        self.assertEqual({"total", "by_type", "windows"}, set(reply))
        self.assertEqual(7, reply["total"])
        self.assertEqual(7, sum(window["count"] for window in reply["windows"]))
        for window in reply["windows"]:
            self.assertEqual({"start", "count"}, set(window))
            self.assertTrue(began <= window["start"] <= ended)
            self.attributes(self.stored("RATE#" + keys["site_id"], f"TIME#{window['start']}"), Type={"S": "SiteRate"},
                            count={"N": str(window["count"])}, timestamp={"N": str(window["start"])},
                            ttl={"N": str(window["start"] + DAY)})
        first = reply["windows"][0]["start"]
        inclusive = self.api("siteRate", site_id=keys["site_id"], **{"from": first, "to": first})
        self.assertEqual(reply["windows"][0]["count"], inclusive["total"])
        nothing = self.api("siteRate", site_id=keys["site_id"], **{"from": began - 600, "to": began - 300})
        self.assertEqual({"total": 0, "by_type": {}, "windows": []}, nothing)
        self.refused(400, "siteRate", fields=["from"], site_id=keys["site_id"], **{"from": "soon", "to": ended})

    def test_an_unknown_key_is_401_and_an_event(self):
        ip = new_ip()
        began = ago(seconds=5)
        self.refused(401, "validateKey", api_key="nobody's", client_ip=ip, user_agent="curl/8", request_type="api")
        events = [e for e in self.api.all("securityEvents", event_type="auth_failure",
                                          **{"from": began, "to": ahead(seconds=5)})
                  if e["client_ip"] == ip]
        self.assertEqual(1, len(events))
        self.assertEqual(("auth_failure", "curl/8"), (events[0]["event_type"], events[0]["user_agent"]))
        stored = [i for i in self.index_query("GSI1", "GSI1PK", "SECURITY#auth_failure") if i["client_ip"]["S"] == ip]
        at = stored[0]["timestamp"]["S"]
        self.assertTrue(stored[0]["GSI1SK"]["S"].startswith("TIME#" + at))
        self.assertTrue(stored[0]["SK"]["S"].startswith("TIME#" + at))
        self.attributes(stored[0], Type={"S": "SecurityEvent"}, ttl={"N": str(int(epoch(at)) + 30 * DAY)})

    def test_ten_failures_from_one_address_are_abuse(self):
        ip = new_ip()
        for _ in range(9):
            self.refused(401, "validateKey", api_key="nobody's", client_ip=ip, request_type="api")
        self.assertEqual([], self.api.all("abuseOf", identifier=ip))
        self.refused(401, "validateKey", api_key="nobody's", client_ip=ip, request_type="api")
        abuse = self.api.all("abuseOf", identifier=ip)
        self.assertEqual([ip], [a["identifier"] for a in abuse])
        self.assertIn(ip, [a["identifier"]
                           for a in self.api.all("abuseByPattern", pattern_type=abuse[0]["pattern_type"])])

    def test_unknown_temporary_keys_are_failures_too(self):
        ip = new_ip()
        for _ in range(4):
            self.refused(404, "exchangeKey", temp_key="nobody-has-it", client_ip=ip)
        for _ in range(5):
            self.refused(401, "validateKey", api_key="nobody's", client_ip=ip, request_type="api")
        self.assertEqual([], self.api.all("abuseOf", identifier=ip))
        self.refused(404, "exchangeKey", temp_key="nobody-has-it", client_ip=ip)
        self.assertEqual(["api_abuse"], [a["pattern_type"] for a in self.api.all("abuseOf", identifier=ip)])

    def test_bad_inputs_are_named(self):
        good = {"api_key": "k", "client_ip": "192.0.2.1", "request_type": "api"}
        self.refuses_each("validateKey", good, {"api_key": ["", 5], "client_ip": ["x"], "request_type": ["other", 1],
                                                "user_agent": ["u" * 501, 5]})
        self.requires("validateKey", good, "api_key", "client_ip", "request_type")

    def test_a_thousand_requests_an_hour_then_429_and_an_event(self):
        _, keys = self.site()
        ip = new_ip()
        began = int(time.time()) // 60 * 60
        for left in range(999, -1, -1):
            reply = self.validate(keys["api_key"], client_ip=ip)
            if reply["rate_limit_remaining"] != left:
                self.assertEqual(left, reply["rate_limit_remaining"])
        refusal = self.refused(429, "validateKey", api_key=keys["api_key"], client_ip=ip, request_type="api")
        self.assertLessEqual(int(refusal.headers["Retry-After"]), 3600)
        rate = self.api("siteRate", site_id=keys["site_id"], **{"from": began, "to": int(time.time())})
        self.assertEqual(1000, rate["total"])
        self.assertEqual(1000, self.api.item("siteById", site_id=keys["site_id"])["request_count"])
        events = self.api.all("failedAttempts", site_id=keys["site_id"])
        self.assertEqual([("rate_limit", ip)], [(e["event_type"], e["client_ip"]) for e in events])
        _, other = self.site()
        self.assertEqual(999, self.validate(other["api_key"])["rate_limit_remaining"], "a limit is of one site")


class Sites(Plugin):
    def test_status_decides_and_entries_follow(self):
        domain, keys = self.site()
        site = keys["site_id"]

        def active():
            return site in [s["site_id"] for s in self.api.all("activeSites", limit=100)]

        def entries():
            item = self.stored("SITE#" + domain, "CREDS#" + site)
            return [item.get(name, {}).get("S") for name in ("status", "GSI1SK", "GSI2PK")]

        self.assertTrue(active())
        for operation, status in (("suspendSite", "suspended"), ("disableSite", "disabled")):
            self.assertEqual(status, self.api.item(operation, site_id=site)["status"])
            self.assertEqual([status, None, None], entries())
            self.assertFalse(active())
            self.assertEqual(status, self.api.item("siteById", site_id=site)["status"])
            ip = new_ip()
            self.refused(403, "validateKey", api_key=keys["api_key"], client_ip=ip, request_type="api")
            self.assertIn(ip, [e["client_ip"] for e in self.api.all("failedAttempts", site_id=site)])
        self.refused(409, "suspendSite", site_id=site)
        self.assertEqual("active", self.api.item("activateSite", site_id=site)["status"])
        self.assertEqual(["active", "ACTIVE", "SITES#active"], entries())
        self.assertTrue(active())
        self.assertEqual(999, self.validate(keys["api_key"])["rate_limit_remaining"], "refused requests do not count")
        events = self.api.all("failedAttempts", site_id=site)
        self.check_list("failedAttempts", [e["event_id"] for e in events], "event_id", site_id=site)
        self.assertEqual({"FAILED#" + site}, {i["PK"]["S"] for i in self.partition("FAILED#" + site)})

    def test_unknown_sites_are_404(self):
        for operation in ("siteById", "suspendSite", "activateSite", "disableSite", "rotateKey"):
            self.refused(404, operation, site_id=new_ulid())
            self.refused(400, operation, fields=["site_id"], site_id="x y")
        self.assertEqual([], self.api.all("apiKeysOfSite", site_id=new_ulid()))

    def test_a_domain_may_have_several_sites(self):
        domain = tag("many") + ".example.com"
        sites = sorted(self.site(domain=domain)[1]["site_id"] for _ in range(4))
        self.check_list("credentialsOfDomain", sites, "site_id", domain=domain)
        listed = [s["site_id"] for s in self.api.all("activeSites", limit=2) if s["domain"] == domain]
        self.assertEqual(sites, listed)

    def test_a_rotated_key_stops_at_once(self):
        domain, keys = self.site()
        fresh = self.api("rotateKey", site_id=keys["site_id"])
        self.assertEqual({"api_key"}, set(fresh))
        self.refused(401, "validateKey", api_key=keys["api_key"], client_ip=new_ip(), request_type="api")
        self.assertEqual(domain, self.validate(fresh["api_key"])["domain"])
        self.assertIsNone(self.stored("API#" + sha256(keys["api_key"]), "LOOKUP"))
        self.assertEqual([sha256(fresh["api_key"])],
                         [k["api_key_hash"] for k in self.api.all("apiKeysOfSite", site_id=keys["site_id"])])
        self.attributes(self.stored("SITE#" + domain, "CREDS#" + keys["site_id"]),
                        api_key_hash={"S": sha256(fresh["api_key"])})

    def test_reads_answer_get(self):
        domain, keys = self.site()
        self.assertEqual(domain, self.api.get("siteById", "?site_id=" + keys["site_id"])["item"]["domain"])
        self.assertEqual(1, len(self.api.get("credentialsOfDomain", f"?domain={domain}&limit=5")["items"]))


class Validations(Plugin):
    GOOD = {"domain": "v.example", "registration_id": new_ulid(), "validation_level": "strict",
            "passes_validation": True,
            "validation_score": 87.5, "validation_results": {"dns": True, "ssl": {"grade": "A"}}}

    def test_recorded_found_and_replaced(self):
        domain, first, second = tag("v") + ".example", new_ulid(), new_ulid()
        validation = self.api.item("recordValidation", **{**self.GOOD, "domain": domain.upper(), "registration_id": first})
        self.assertEqual({**self.GOOD, "domain": domain, "registration_id": first}, {k: validation[k] for k in self.GOOD})
        stored = self.stored("VALIDATION#" + domain, "RESULT")
        self.attributes(stored, GSI1PK={"S": "REG#" + first}, GSI1SK={"S": "VALIDATION"}, Type={"S": "Validation"},
                        validation_score={"N": "87.5"}, passes_validation={"BOOL": True},
                        validation_results={"M": {"dns": {"BOOL": True}, "ssl": {"M": {"grade": {"S": "A"}}}}},
                        ttl={"N": str(int(epoch(validation["validated_at"])) + DAY)})
        self.assertAlmostEqual(epoch(validation["validated_at"]) + DAY, epoch(validation["valid_until"]), delta=2)
        self.assertEqual(validation, self.api.item("validationOfDomain", domain=domain))
        self.assertEqual(validation, self.api.item("validationOfRegistration", registration_id=first))
        self.api("recordValidation",
                 **{**self.GOOD, "domain": domain, "registration_id": second, "passes_validation": False})
        self.refused(404, "validationOfRegistration", registration_id=first)
        self.assertFalse(self.api.item("validationOfRegistration", registration_id=second)["passes_validation"])

    def test_expired_and_unknown_are_404(self):
        domain, registration = tag("v") + ".example", new_ulid()
        self.api("recordValidation", **{**self.GOOD, "domain": domain, "registration_id": registration})
        self.expire("VALIDATION#" + domain, "RESULT")
        self.refused(404, "validationOfDomain", domain=domain)
        self.refused(404, "validationOfRegistration", registration_id=registration)
        self.refused(404, "validationOfDomain", domain="never.example")

    def test_bad_inputs_are_named(self):
        self.refuses_each("recordValidation", self.GOOD, {
            "domain": ["x y"], "registration_id": ["1 2"], "validation_level": ["hard"], "passes_validation": ["yes", 1],
            "validation_score": ["many"], "validation_results": [[1], "x"]})
        self.requires("recordValidation", self.GOOD, "domain", "registration_id", "validation_level",
                      "passes_validation",
                      "validation_score")


class Versions(Plugin):
    def publish(self):
        version = "2." + str(time.time_ns())
        self.api("publishVersion", version=version, version_info={"notes": "n", "size": 12})
        return version

    def test_published_and_latest(self):
        old, new = self.publish(), self.publish()
        latest = self.api.item("latestVersion")
        self.assertEqual((new, {"notes": "n", "size": 12}), (latest["version"], latest["version_info"]))
        self.assertEqual(old, self.api.item("versionInfo", version=old)["version"],
                         "a release does not replace the last")
        self.refused(404, "versionInfo", version="0.0.0-none")
        self.refused(409, "publishVersion", version=old, version_info={})
        self.refuses_each("publishVersion", {"version": "1.0", "version_info": {}},
                          {"version": ["1 0", "", 5], "version_info": ["x", None]})
        cached = self.stored("PLUGIN_VERSION#latest", "INFO")
        self.attributes(cached, version={"S": new}, ttl={"N": str(int(epoch(cached["cached_at"]["S"])) + 7200)})
        self.expire("PLUGIN_VERSION#latest", "INFO")
        self.assertEqual(new, self.api.item("latestVersion")["version"], "the cache expired, the release did not")

    def test_update_checks(self):
        latest = self.publish()
        domain, keys = self.site()
        site, old = keys["site_id"], "1." + str(time.time_ns())
        self.assertEqual({"update_available": True, "latest_version": latest},
                         self.api("checkUpdate", site_id=site, current_version=old))
        self.assertEqual([site], [s["site_id"] for s in self.api.all("sitesOnVersion", version=old)])
        self.assertEqual({"update_available": False, "latest_version": latest},
                         self.api("checkUpdate", site_id=site, current_version=latest))
        self.api("checkUpdate", site_id=site, current_version=latest)
        history = self.api.all("updateHistory", site_id=site)
        self.assertEqual([(h["checked_at"], h["check_id"]) for h in history],
                         sorted((h["checked_at"], h["check_id"]) for h in history))
        self.assertEqual([(domain, False)] * 2 + [(domain, True)],
                         sorted((h["domain"], h["update_available"]) for h in history))
        self.check_list("updateHistory", [h["check_id"] for h in history], "check_id", site_id=site)
        for item in self.partition("UPDATE_CHECK#" + site):
            self.attributes(item, ttl={"N": str(int(epoch(item["checked_at"]["S"])) + 90 * DAY)})
        self.assertEqual([], self.api.all("sitesOnVersion", version=old), "by the current version")
        _, other = self.site()
        self.api("checkUpdate", site_id=other["site_id"], current_version=latest)
        self.check_list("sitesOnVersion", sorted([site, other["site_id"]]), "site_id", version=latest)
        self.assertEqual({"SITE#" + site, "SITE#" + other["site_id"]},
                         {i["GSI1SK"]["S"] for i in self.index_query("GSI1", "GSI1PK", "UPDATES#" + latest)})
        self.refused(404, "checkUpdate", site_id=new_ulid(), current_version="1.0")
        self.refuses_each("checkUpdate", {"site_id": site, "current_version": "1"},
                          {"site_id": ["x y"], "current_version": ["1 2"]})


class Security(Plugin):
    def test_events_by_type_and_time(self):
        ip, began = new_ip(), ago(seconds=2)
        for _ in range(4):
            self.refused(401, "validateKey", api_key="nobody's", client_ip=ip, request_type="api")
        span = {"event_type": "auth_failure", "from": began, "to": ahead(seconds=2)}
        events = [e for e in self.api.all("securityEvents", **span) if e["client_ip"] == ip]
        self.assertEqual(4, len(events))
        self.check_some_of_list("securityEvents", [e["event_id"] for e in events], lambda e: e["event_id"], self.api,
                                (3, 7),
                                lambda e: e["client_ip"] == ip, **span)
        at = events[0]["timestamp"]
        exact = self.api.all("securityEvents", event_type="auth_failure", **{"from": at, "to": at})
        self.assertIn(events[0]["event_id"], [e["event_id"] for e in exact], "both ends are inclusive")
        self.assertEqual([], self.api.all("securityEvents", event_type="auth_failure", **{"from": ahead(days=1)}))
        self.refused(400, "securityEvents", fields=["event_type"], event_type="other")
        self.refused(400, "securityEvents", fields=["from"], event_type="rate_limit", **{"from": "yesterday"})

    def test_abuse_lives_as_long_as_it_is_severe(self):
        word = tag("198-51-")
        days = {"low": 1, "medium": 7, "high": 30, "critical": 90}
        reports = [self.api.item("reportAbuse", pattern_type="registration_spam", identifier=word, severity=severity,
                                 details={"attempts": 3}) for severity in days]
        for abuse in reports:
            sk = f"{word}#{abuse['detected_at']}#{abuse['abuse_id']}"
            self.attributes(self.stored("ABUSE#registration_spam", sk), Type={"S": "Abuse"},
                            GSI1PK={"S": "ABUSE_TRACKING#" + word}, details={"M": {"attempts": {"N": "3"}}},
                            GSI1SK={"S": f"TIME#{abuse['detected_at']}#{abuse['abuse_id']}"},
                            ttl={"N": str(int(epoch(abuse["detected_at"])) + days[abuse["severity"]] * DAY)})
        order = [a["abuse_id"] for a in sorted(reports, key=lambda a: (a["detected_at"], a["abuse_id"]))]
        self.check_list("abuseOf", order, "abuse_id", identifier=word)
        self.check_some_of_list("abuseByPattern", order, lambda a: a["abuse_id"], self.api, (2, 50),
                                lambda a: a["identifier"] == word, pattern_type="registration_spam")
        good = {"pattern_type": "api_abuse", "identifier": "x", "severity": "low", "details": {}}
        self.refuses_each("reportAbuse", good, {"pattern_type": ["odd"], "identifier": ["", "a b", "a#b"],
                                                "severity": ["worst"], "details": ["text"]})
        self.requires("reportAbuse", good, "pattern_type", "identifier", "severity")


class Agencies(Plugin):
    def test_an_agency_and_its_sites(self):
        name = tag("agency-")
        agency = self.api.item("createAgency", agency_id=name, agency_name="A", contact_email="Me@Example.com",
                               max_sites=2)
        self.assertEqual((name, "me@example.com", 0, "active"),
                         tuple(agency[k] for k in ("agency_id", "contact_email", "current_sites", "status")))
        self.attributes(self.stored("AGENCY#" + name, "INFO"), Type={"S": "Agency"}, max_sites={"N": "2"},
                        current_sites={"N": "0"}, contact_email={"S": "me@example.com"})
        self.assertEqual(agency, self.api.item("agency", agency_id=name))
        self.refused(409, "createAgency", agency_id=name, agency_name="B", contact_email="b@example.com", max_sites=1)
        sites = sorted(self.site()[1]["site_id"] for _ in range(3))
        self.assertEqual("owner",
                         self.api.item("addSiteToAgency", agency_id=name, site_id=sites[0], role="owner")["role"])
        self.refused(409, "addSiteToAgency", agency_id=name, site_id=sites[0])
        self.assertEqual("member", self.api.item("addSiteToAgency", agency_id=name, site_id=sites[1])["role"])
        self.refused(409, "addSiteToAgency", agency_id=name, site_id=sites[2])
        self.assertEqual(2, self.api.item("agency", agency_id=name)["current_sites"])
        self.check_list("agencySites", sites[:2], "site_id", agency_id=name)
        other = self.agency()
        self.api("addSiteToAgency", agency_id=other, site_id=sites[0])
        self.check_list("agencyOfSite", sorted([name, other]), "agency_id", site_id=sites[0])
        self.api("removeSiteFromAgency", agency_id=name, site_id=sites[0])
        self.refused(404, "removeSiteFromAgency", agency_id=name, site_id=sites[0])
        self.assertEqual(1, self.api.item("agency", agency_id=name)["current_sites"])
        self.assertEqual([other], [a["agency_id"] for a in self.api.all("agencyOfSite", site_id=sites[0])])

    def test_refusals(self):
        self.assertRegex(self.agency(), ULID, "an id is made where none is given")
        good = {"agency_name": "A", "contact_email": "a@example.com", "max_sites": 1}
        self.refuses_each("createAgency", good,
                          {"agency_name": ["", "n" * 201], "contact_email": ["a"], "agency_id": ["a#b"],
                                                 "max_sites": [-1, 1.5, "3"]})
        self.requires("createAgency", good, "agency_name", "contact_email", "max_sites")
        self.refused(400, "createAgency", fields=["current_sites"], **good, current_sites=0)
        self.refused(404, "agency", agency_id=tag("none"))
        _, keys = self.site()
        self.refused(404, "addSiteToAgency", agency_id=tag("none"), site_id=keys["site_id"])
        self.refused(404, "addSiteToAgency", agency_id=self.agency(), site_id=new_ulid())
        self.refuses_each("addSiteToAgency", {"agency_id": "a", "site_id": new_ulid()},
                          {"role": ["boss"], "site_id": ["x#y"]})


class Callers(Plugin):
    """Sites are public; services and admins may read; an agency reads its own sites; admins may do everything."""

    def test_who_may_do_what(self):
        domain, keys = self.site()
        site = keys["site_id"]
        nobody, someone = self.api.as_nobody(), self.api.as_caller(sub="x", groups=["others"])
        service = self.api.as_caller(sub="s", groups=["service"])
        mine, other = self.agency(), self.agency()
        self.api("addSiteToAgency", agency_id=mine, site_id=site)
        agency, foreign = self.api.as_caller(sub="a", agency_id=mine), self.api.as_caller(sub="b", agency_id=other)
        self.assertEqual(site, nobody("validateKey", api_key=keys["api_key"], client_ip=new_ip(), request_type="api")["site_id"])
        nobody("registerSite", domain=tag("s") + ".example.com", wp_version="6", plugin_version="1", client_ip=new_ip())
        reads = {"siteById": {"site_id": site}, "apiKeysOfSite": {"site_id": site}, "siteRate": {"site_id": site},
                 "updateHistory": {"site_id": site}, "failedAttempts": {"site_id": site}, "agencyOfSite": {"site_id": site},
                 "agency": {"agency_id": mine}, "agencySites": {"agency_id": mine}}
        for operation, inputs in reads.items():
            with self.subTest(operation=operation):
                self.refused(401, operation, nobody, **inputs)
                self.refused(403, operation, someone, **inputs)
                self.refused(403, operation, foreign, **inputs)
                service(operation, **inputs)
                agency(operation, **inputs)
        for operation, inputs in {"registrationsOfDomain": {"domain": domain}, "credentialsOfDomain": {"domain": domain},
                                  "pendingRegistrations": {}, "activeSites": {}, "securityEvents": {},
                                  "abuseByPattern": {"pattern_type": "api_abuse"}}.items():
            with self.subTest(operation=operation):
                self.refused(401, operation, nobody, **inputs)
                self.refused(403, operation, agency, **inputs)
                service(operation, **inputs)
        for operation, inputs in {"suspendSite": {"site_id": site}, "rotateKey": {"site_id": site},
                                  "publishVersion": {"version": "1", "version_info": {}},
                                  "suspendAgency": {"agency_id": mine}}.items():
            with self.subTest(operation=operation):
                self.refused(401, operation, nobody, **inputs)
                self.refused(403, operation, service, **inputs)
        self.assertIn("signature", service("signWebhook", site_id=site, body="x"))
        service("recordSecurityEvent", event_type="suspicious_activity", site_id=site)


class Webhooks(Plugin):
    def test_signed_and_verified_by_the_secret_as_it_was_shown(self):
        _, keys = self.site()
        site, body = keys["site_id"], '{"form": "ü"}'
        signature = hmac.new(keys["webhook_secret"].encode(), body.encode(), hashlib.sha256).hexdigest()
        reply = self.api("signWebhook", site_id=site, body=body)
        self.assertEqual({"signature": signature}, reply)
        self.assertEqual({"valid": True}, self.api("verifyWebhook", site_id=site, body=body, signature=signature))
        self.assertEqual({"valid": False}, self.api("verifyWebhook", site_id=site, body=body + " ", signature=signature))
        self.assertEqual({"valid": False}, self.api("verifyWebhook", site_id=site, body=body, signature="0" * 64))
        self.refused(404, "signWebhook", site_id=new_ulid(), body="x")
        self.refused(404, "verifyWebhook", site_id=new_ulid(), body="x", signature="y")
        self.requires("signWebhook", {"site_id": site, "body": "x"}, "site_id", "body")


class Watching(Plugin):
    def events(self, ip):
        return [e for e in self.api.all("securityEvents", **{"from": ago(minutes=5)}) if e.get("client_ip") == ip]

    def test_requests_are_counted_by_type(self):
        _, keys = self.site()
        for kind in ("api", "api", "webhook"):
            self.validate(keys["api_key"], request_type=kind)
        rate = self.api("siteRate", site_id=keys["site_id"])
        self.assertEqual((3, {"api": 2, "webhook": 1}), (rate["total"], rate["by_type"]))

    def test_ten_exchanges_from_one_address_then_429_and_events(self):
        ip = new_ip()
        for _ in range(10):
            self.refused(404, "exchangeKey", temp_key="nobody-has-this", client_ip=ip)
        self.refused(429, "exchangeKey", temp_key="nobody-has-this", client_ip=ip)
        events = self.events(ip)
        self.assertEqual(10, sum(e["event_type"] == "auth_failure" for e in events))
        self.assertEqual(1, sum(e["event_type"] == "rate_limit" for e in events))
        self.assertEqual({"action": "key_exchange"}, events[0]["details"])

    def test_registration_limits_and_invalid_domains_are_abuse(self):
        ip = new_ip()
        for _ in range(5):
            self.register(client_ip=ip)
        for number in range(5):
            self.refused(429, "registerSite", **{**GOOD, "client_ip": ip})
            self.assertEqual(number == 4, bool(self.api.all("abuseOf", identifier=ip)))
        self.assertEqual(["registration_spam"], [a["pattern_type"] for a in self.api.all("abuseOf", identifier=ip)])
        self.assertEqual(5, sum(e["event_type"] == "rate_limit" for e in self.events(ip)))
        ip = new_ip()
        for number in range(5):
            self.refused(400, "registerSite", fields=["domain"], **{**GOOD, "domain": "no domain", "client_ip": ip})
            self.assertEqual(number == 4, bool(self.api.all("abuseOf", identifier=ip)))
        self.assertEqual(["invalid_domains"], [a["pattern_type"] for a in self.api.all("abuseOf", identifier=ip)])

    def test_events_of_others_and_of_every_type(self):
        site, ip = tag("site_"), new_ip()
        events = [self.api.item("recordSecurityEvent", event_type=kind, site_id=site, client_ip=ip, details={"n": n})
                  for n, kind in enumerate(("suspicious_activity", "rate_limit", "auth_failure"))]
        self.assertEqual([e["event_id"] for e in events], [e["event_id"] for e in self.api.all("failedAttempts", site_id=site)])
        order = [e["event_id"] for e in sorted(events, key=lambda e: (e["timestamp"], e["event_id"]))]
        self.check_some_of_list("securityEvents", order, lambda e: e["event_id"], self.api, (2, 50),
                                lambda e: e.get("site_id") == site, **{"from": ago(minutes=5)})
        self.attributes(self.stored("FAILED#" + site, f"TIME#{events[0]['timestamp']}#{events[0]['event_id']}"),
                        GSI1PK={"S": "SECURITY#suspicious_activity"}, Type={"S": "SecurityEvent"})
        self.api("recordSecurityEvent", event_type="rate_limit", client_ip=ip)
        alone = self.api.item("recordSecurityEvent", event_type="suspicious_activity", details={"why": "x"})["event_id"]
        self.assertIn(alone, [e["event_id"] for e in self.api.all("securityEvents", event_type="suspicious_activity",
                                                                  **{"from": ago(minutes=5)})])
        self.refuses_each("recordSecurityEvent", {"event_type": "rate_limit", "client_ip": ip},
                          {"event_type": ["odd"], "client_ip": ["x"], "details": ["text"]})

    def test_versions_are_compared_as_versions(self):
        _, keys = self.site()
        latest = f"9.{time.time_ns()}.10"
        self.api("publishVersion", version=latest, version_info={})
        for current, available in ((latest[:-2] + "9", True), (latest, False), (latest[:-2] + "11", False), (latest + "-rc.1", True),
                                   ("10.0.0", False)):
            self.assertEqual(available, self.api("checkUpdate", site_id=keys["site_id"], current_version=current)["update_available"],
                             current)


class ChangedAgencies(Plugin):
    def test_changed_suspended_and_activated(self):
        name = self.agency(max_sites=1)
        changed = self.api.item("updateAgency", agency_id=name, agency_name="New", max_sites=5)
        self.assertEqual(("New", 5), (changed["agency_name"], changed["max_sites"]))
        domain, registration = self.register(agency_id=name)
        self.assertEqual("suspended", self.api.item("suspendAgency", agency_id=name)["status"])
        self.refused(403, "registerSite", **{**GOOD, "client_ip": new_ip(), "agency_id": name})
        self.refused(403, "exchangeKey", temp_key=registration["temp_key"], client_ip=new_ip())
        self.assertEqual("active", self.api.item("activateAgency", agency_id=name)["status"])
        self.api("exchangeKey", temp_key=registration["temp_key"], client_ip=new_ip())
        self.assertEqual(1, self.api.item("agency", agency_id=name)["current_sites"])
        for operation in ("updateAgency", "suspendAgency", "activateAgency"):
            self.refused(404, operation, agency_id=tag("none"))
        self.refused(400, "updateAgency", fields=["current_sites"], agency_id=name, current_sites=3)


ZEveryOperation = coverage("plugin-auth", """
    signWebhook verifyWebhook recordSecurityEvent updateAgency suspendAgency activateAgency
    registerSite exchangeKey validateKey siteRate registrationsOfDomain registrationByTempKey pendingRegistrations
    credentialsOfDomain siteById activeSites apiKeysOfSite suspendSite activateSite disableSite rotateKey recordValidation
    validationOfDomain validationOfRegistration publishVersion latestVersion versionInfo checkUpdate updateHistory
    sitesOnVersion failedAttempts securityEvents reportAbuse abuseByPattern abuseOf createAgency agency agencySites
    agencyOfSite addSiteToAgency removeSiteFromAgency""")

if __name__ == "__main__":
    harness.run_file()
