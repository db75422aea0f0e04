#!/usr/bin/python3
"""The designs' HTTP API as a whole: the real program with the five designs, spoken to by plain HTTP.

What each operation does is tested per system; here is what all share: paths, errors, page tokens, idempotency, ETags,
who may call, the OpenAPI documents, metrics.
"""

import base64
import hashlib
import hmac
import http.client
import json
import re
import stat
import subprocess
import sys
import time
import unittest
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import harness

DESIGNS = harness.REPOSITORY / "designs"
SECRET = b"a secret of thirty-two bytes or so"
API_KEY = "the key of the shop"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(secret=SECRET, header=None, **claims):
    claims = {"exp": int(time.time()) + 600, "iss": "tests", "aud": "designs", **claims}
    head = base64url(json.dumps(header or {"alg": "HS256", "kid": "hs"}).encode())
    text = head + "." + base64url(json.dumps({k: v for k, v in claims.items() if v is not None}).encode())
    return text + "." + base64url(hmac.new(secret, text.encode(), hashlib.sha256).digest())


class RsaKey:
    """An RSA key pair made by the openssl program."""

    def __init__(self, folder):
        self.file = folder / "rsa.pem"
        subprocess.run(["openssl", "genrsa", "-out", str(self.file), "2048"], check=True, capture_output=True)
        modulus = subprocess.run(["openssl", "rsa", "-in", str(self.file), "-noout", "-modulus"], check=True,
                                 capture_output=True, text=True).stdout.strip().split("=")[1]
        self.jwk = {"kty": "RSA", "kid": "rs", "alg": "RS256", "n": base64url(bytes.fromhex(modulus)), "e": "AQAB"}

    def token(self, **claims):
        claims = {"exp": int(time.time()) + 600, "iss": "tests", "aud": "designs", **claims}
        text = base64url(b'{"alg":"RS256","kid":"rs"}') + "." + base64url(json.dumps(claims).encode())
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", str(self.file)], input=text.encode(), check=True,
                                   capture_output=True).stdout
        return text + "." + base64url(signature)


class Reply:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.json = json.loads(self.body) if self.body and "json" in (response.headers.get("Content-Type") or "") else None


class ApiCase(unittest.TestCase):
    maxDiff = 4000

    def request(self, method, path, body=None, headers=None, server=None):
        connection = http.client.HTTPConnection("127.0.0.1", (server or self.server).port,
                                                 timeout=harness.WAIT_SECONDS_MAX)
        try:
            connection.request(method, path, body, headers or {})
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def call(self, design, operation, inputs=None, *, bearer=None, server=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers["Content-Type"] = "application/json"
        if bearer:
            headers["Authorization"] = "Bearer " + bearer
        return self.request("POST", f"/designs/{design}/{operation}", json.dumps(inputs or {}), headers, server)

    def refused(self, reply, status, field=None):
        self.assertEqual(reply.status, status, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "application/problem+json")
        self.assertEqual(reply.json["status"], status)
        self.assertTrue(reply.json["type"] and reply.json["title"] and reply.json["detail"])
        if field:
            self.assertIn(field, [fault["field"] for fault in reply.json["errors"]])
        return reply


class SignedInCase(ApiCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.Folder()
        cls.rsa = RsaKey(cls.folder.path)
        jwks = {"keys": [{"kty": "oct", "kid": "hs", "k": base64url(SECRET)}, cls.rsa.jwk]}
        cls.jwks_file = cls.folder.path / "jwks.json"
        cls.jwks_file.write_text(json.dumps(jwks))
        keys_file = cls.folder.path / "api-keys"
        keys_file.write_text(f"shop {hashlib.sha256(API_KEY.encode()).hexdigest()} admin\n")
        cls.server = harness.Server("--memory-store", "--design", DESIGNS, "--jwks", cls.jwks_file, "--jwt-issuer", "tests",
                                    "--jwt-audience", "designs", "--api-keys", keys_file, "--cors", "https://a.example")
        cls.admin = token(sub="ann", groups=["admin"])
        cls.user = token(sub="bob")

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.folder.remove()

    def make_site(self, title="A site", **more):
        reply = self.call("site-catalog", "createSite", {"url": "https://example.com/", "title": title, **more}, bearer=self.admin)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json["item"]["siteId"]


class Paths(SignedInCase):
    def test_every_design_is_listed_with_its_explorer_and_openapi(self):
        listed = self.request("GET", "/designs").json["designs"]
        self.assertEqual([one["name"] for one in listed],
                         ["authz", "form-bridge", "parental-control", "plugin-auth", "site-catalog"])
        for one in listed:
            page = self.request("GET", one["explorer"])
            self.assertEqual((page.status, page.headers["Location"]), (302, "/console/?design=" + one["name"]))
            document = self.request("GET", one["openapi"]).json
            self.assertEqual(document["openapi"], "3.1.0")
            self.assertEqual(len(document["paths"]), one["operations"])

    def test_references_of_every_openapi_document_exist(self):
        for one in self.request("GET", "/designs").json["designs"]:
            document = self.request("GET", one["openapi"]).json
            found = re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document))
            self.assertTrue(found)
            for reference in set(found):
                here = document
                for name in reference.split("/"):
                    here = here[name]

    def test_unknown_paths_methods_types_and_sizes(self):
        self.refused(self.request("GET", "/designs/nothing/"), 404)
        self.refused(self.call("site-catalog", "nothing"), 404)
        wrong = self.refused(self.request("GET", "/designs/site-catalog/createSite"), 405)
        self.assertEqual(wrong.headers["Allow"], "POST, OPTIONS")
        self.refused(self.request("POST", "/designs/site-catalog/sites", "{}", {"Content-Type": "text/plain"}), 415)
        self.refused(self.request("POST", "/designs/site-catalog/sites", " " * (1 << 20) + "{}",
                                  {"Content-Type": "application/json"}), 413)
        for body in ("{", "[]", '"x"', '{"a":1,"a":2}'):
            self.refused(self.request("POST", "/designs/site-catalog/sites", body, {"Content-Type": "application/json"}), 400)

    def test_dynamodb_answers_on_the_same_port(self):
        self.assertIn("fus-main", harness.client(self.server.endpoint).list_tables()["TableNames"])

    def test_only_listed_origins_are_welcome(self):
        reply = self.request("OPTIONS", "/designs/site-catalog/sites", None,
                             {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"})
        self.assertEqual(reply.headers["Access-Control-Allow-Origin"], "https://a.example")
        reply = self.request("GET", "/designs/site-catalog/sites", None, {"Origin": "https://a.example"})
        self.assertEqual(reply.headers["Access-Control-Allow-Origin"], "https://a.example")
        self.assertIn("ETag", reply.headers["Access-Control-Expose-Headers"])
        for method, path in (("GET", "/designs/site-catalog/sites"), ("POST", "/designs/site-catalog/retry")):
            reply = self.refused(self.request(method, path, None, {"Origin": "https://b.example"}), 403)
            self.assertNotIn("Access-Control-Allow-Origin", reply.headers)

    def test_background_work_is_for_operators_also_on_the_same_machine(self):
        for method, path in (("GET", "/designs/site-catalog/status?dead"), ("POST", "/designs/site-catalog/retry")):
            self.refused(self.request(method, path), 403)
            self.refused(self.request(method, path, None, {"Authorization": "Bearer " + self.user}), 403)
            self.refused(self.request(method, path, None, {"Authorization": "Bearer nonsense"}), 401)
            self.assertEqual(200, self.request(method, path, None, {"Authorization": "Bearer " + self.admin}).status)
            self.assertEqual(200, self.request(method, path, None, {"X-Api-Key": API_KEY}).status)

    def test_head_is_get_without_a_body(self):
        reply = self.request("HEAD", "/designs/site-catalog/sites")
        self.assertEqual((reply.status, reply.body), (200, b""))

    def test_metrics_count_operations_by_status(self):
        self.call("site-catalog", "site", {"siteId": "01ARZ3NDEKTSV4RRFFQ69G5FAV"})
        page = self.request("GET", "/metrics").body.decode()
        self.assertRegex(page, r'trestle_design_requests_total\{design="site-catalog",operation="site",status="404"\} \d')
        self.assertIn('trestle_design_request_duration_seconds_count{design="site-catalog",operation="site"}', page)


    def test_units_are_counted_by_operation_table_and_index(self):
        self.make_site(tags=["metered"])
        self.call("site-catalog", "sitesByTag", {"tag": "metered"})
        page = self.request("GET", "/metrics").body.decode()
        self.assertRegex(page, r'trestle_design_consumed_units_total\{design="site-catalog",operation="createSite",'
                               r'table="fus-main",index="",kind="write"\} [1-9]')
        self.assertRegex(page, r'trestle_design_consumed_units_total\{design="site-catalog",operation="sitesByTag",'
                               r'table="fus-main",index="[^"]*",kind="read"\} [0-9.]*[1-9]')
        self.assertRegex(page, r'trestle_design_request_cost_total\{design="site-catalog",operation="createSite",'
                               r'table="fus-main",index="",currency="USD"\} [0-9.e-]+')

    def test_a_trace_shows_the_requests_and_is_for_operators(self):
        site = self.make_site()
        for headers in ({}, {"bearer": self.user}):
            self.refused(self.call("site-catalog", "site", {"siteId": site}, Trestle_Trace="requests", **headers), 403)
        plain = self.call("site-catalog", "site", {"siteId": site}, bearer=self.admin)
        traced = self.call("site-catalog", "site", {"siteId": site}, bearer=self.admin, Trestle_Trace="requests")
        self.assertEqual((traced.status, traced.headers["Trestle-Trace"]), (200, "requests"))
        self.assertEqual(traced.json["answer"], plain.json)
        self.assertEqual(traced.headers.get("ETag"), plain.headers.get("ETag"))
        request, = traced.json["requests"]
        self.assertEqual(request["operation"], "GetItem")
        self.assertEqual(request["request"]["TableName"], "fus-main")
        self.assertEqual(request["units"], sum(one["CapacityUnits"] for one in request["consumed"]))
        self.assertGreater(request["units"], 0)
        self.assertGreaterEqual(request["time_us"], 0)
        missing = self.call("site-catalog", "rateSite", {"siteId": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "stars": 3}, bearer=self.admin,
                            Trestle_Trace="requests")
        self.assertEqual((missing.status, missing.json["answer"]["status"]), (404, 404))
        self.assertTrue(missing.json["requests"])


class Inputs(SignedInCase):
    def test_each_wrong_input_is_named(self):
        reply = self.refused(self.call("site-catalog", "createSite", {"url": "no url", "colour": 1}, bearer=self.admin), 400)
        fields = {fault["field"] for fault in reply.json["errors"]}
        self.assertEqual(fields, {"url", "title", "colour"})

    def test_get_and_post_take_the_same_inputs(self):
        site = self.make_site(tags=["get-and-post"])
        by_post = self.call("site-catalog", "sitesByTag", {"tag": "get-and-post", "limit": 5})
        by_get = self.request("GET", "/designs/site-catalog/sitesByTag?tag=get%2Dand-post&limit=5")
        self.assertEqual(by_post.json, by_get.json)
        self.assertEqual([one["siteId"] for one in by_get.json["items"]], [site])
        self.refused(self.request("GET", "/designs/site-catalog/sitesByTag?tag=a&tag=b"), 400, "tag")
        self.refused(self.request("GET", "/designs/site-catalog/sitesByTag?tag=a&limit=x"), 400, "limit")


class Pages(SignedInCase):
    def test_a_list_is_paged_to_its_end_without_gap_or_repeat(self):
        made = {self.make_site(f"Site {i}", tags=["paged"]) for i in range(7)}
        seen, inputs = [], {"tag": "paged", "limit": 3}
        while True:
            reply = self.call("site-catalog", "sitesByTag", inputs)
            self.assertEqual(reply.status, 200, reply.body)
            seen += [one["siteId"] for one in reply.json["items"]]
            if "next" not in reply.json:
                break
            inputs["next"] = reply.json["next"]
        self.assertEqual(sorted(seen), sorted(made))

    def test_a_token_is_good_only_for_its_own_list_inputs_and_caller(self):
        for i in range(3):
            self.make_site(f"Site {i}", tags=["token", "token2"])
        next_page = self.call("site-catalog", "sitesByTag", {"tag": "token", "limit": 1}).json["next"]
        again = {"tag": "token", "limit": 2, "next": next_page}
        self.assertEqual(self.call("site-catalog", "sitesByTag", again).status, 200)
        middle = len(next_page) // 2
        altered = next_page[:middle] + ("A" if next_page[middle] != "A" else "B") + next_page[middle + 1:]
        self.refused(self.call("site-catalog", "sitesByTag", {**again, "next": altered}), 400, "next")
        self.refused(self.call("site-catalog", "sitesByTag", {**again, "tag": "token2"}), 400, "next")
        self.refused(self.call("site-catalog", "sitesByTag", {**again, "descending": True}), 400, "next")
        self.refused(self.call("site-catalog", "sites", {"next": next_page}), 400, "next")
        self.refused(self.call("site-catalog", "sitesByTag", again, bearer=self.user), 400, "next")
        for limit in (0, 1001, 1.5, "1"):
            self.refused(self.call("site-catalog", "sitesByTag", {"tag": "token", "limit": limit}), 400, "limit")


class Callers(SignedInCase):
    def site(self, bearer=None, **headers):
        return self.call("site-catalog", "createSite", {"url": "https://a.example/", "title": "x"}, bearer=bearer, **headers)

    def test_rules_tell_nobody_from_somebody_and_somebody_from_admins(self):
        nobody = self.refused(self.site(), 401)
        self.assertIn("Bearer", nobody.headers["WWW-Authenticate"])
        self.refused(self.site(self.user), 403)
        self.assertEqual(self.site(self.admin).status, 200)
        self.assertEqual(self.site(self.rsa.token(sub="rob", groups=["admin"])).status, 200)
        self.assertEqual(self.site(X_Api_Key=API_KEY).status, 200)
        self.refused(self.site(X_Api_Key=API_KEY + "!"), 401)

    def test_tokens_that_are_not_good_are_401_even_where_everyone_may_call(self):
        now = int(time.time())
        parts = self.admin.split(".")
        bad = {
            "expired": token(sub="a", exp=now - 120),
            "without expiry": token(sub="a", exp=None),
            "not yet": token(sub="a", nbf=now + 120),
            "another issuer": token(sub="a", iss="others"),
            "another audience": token(sub="a", aud="others"),
            "another secret": token(b"x" * 32, sub="a"),
            "unknown key": token(header={"alg": "HS256", "kid": "zz"}, sub="a"),
            "none": base64url(b'{"alg":"none"}') + "." + parts[1] + ".",
            "RSA's public key as a secret": token(self.rsa.jwk["n"].encode(), header={"alg": "HS256", "kid": "rs"}, sub="a"),
            "altered claims": parts[0] + "." + base64url(b'{"sub":"a","exp":9999999999,"groups":["admin"]}') + "." + parts[2],
            "no token": "x",
        }
        for why, wrong in bad.items():
            with self.subTest(why):
                reply = self.refused(self.call("site-catalog", "sites", {}, bearer=wrong), 401)
                self.assertIn("invalid_token", reply.headers["WWW-Authenticate"])
        self.assertEqual(self.call("site-catalog", "sites").status, 200)

    def test_what_a_user_writes_is_the_users_own(self):
        site = self.make_site()
        self.assertEqual(self.call("site-catalog", "rateSite", {"siteId": site, "stars": 4}, bearer=self.user).status, 200)
        mine = self.call("site-catalog", "myRating", {"siteId": site}, bearer=self.user)
        self.assertEqual((mine.status, mine.json["item"]["userId"], mine.json["item"]["stars"]), (200, "bob", 4))
        self.refused(self.call("site-catalog", "myRating", {"siteId": site}, bearer=self.admin), 404)

    def test_a_changed_jwks_file_is_read_again(self):
        fresh = b"another secret, which was not there before"
        bearer = token(fresh, header={"alg": "HS256", "kid": "new"}, sub="eve")
        self.refused(self.call("site-catalog", "myRatings", {}, bearer=bearer), 401)
        before = self.jwks_file.read_text()
        keys = json.loads(before)["keys"] + [{"kty": "oct", "kid": "new", "k": base64url(fresh)}]
        try:
            self.replace_jwks(json.dumps({"keys": keys}))
            harness.until(lambda: self.call("site-catalog", "myRatings", {}, bearer=bearer).status == 200, "the reading")
        finally:
            self.replace_jwks(before)

    def replace_jwks(self, text):
        """At once, as one who cares does it: nobody reads half a file."""
        fresh = self.folder.path / "jwks.new"
        fresh.write_text(text)
        fresh.replace(self.jwks_file)


class Retries(SignedInCase):
    def test_the_same_idempotency_key_does_nothing_twice(self):
        inputs = {"url": "https://once.example/", "title": "once", "tags": ["once"]}
        first = self.call("site-catalog", "createSite", inputs, bearer=self.admin, Idempotency_Key="k-1")
        again = self.call("site-catalog", "createSite", inputs, bearer=self.admin, Idempotency_Key="k-1")
        self.assertEqual((first.status, first.json), (200, again.json))
        self.assertEqual(len(self.call("site-catalog", "sitesByTag", {"tag": "once"}).json["items"]), 1)
        self.refused(self.call("site-catalog", "createSite", inputs, bearer=self.admin, Idempotency_Key="k" * 256), 400,
                     "Idempotency-Key")


class Starting(ApiCase):
    def test_designs_are_not_served_to_others_without_keys(self):
        done = harness.run_program("serve", "--memory-store", "--port", "0", "--bind", "0.0.0.0", "--credentials",
                                   self.credentials(), "--design", DESIGNS)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--jwks or --api-keys", done.stdout)

    def credentials(self):
        folder = harness.Folder()
        (folder.path / "credentials").write_text("AKID SECRET\n")
        return folder.path / "credentials"

    def test_a_design_with_errors_is_not_served_and_its_findings_are_shown(self):
        done = harness.run_program("serve", "--memory-store", "--port", "0", "--design",
                                   DESIGNS / "as-written" / "authz.yaml")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"error T\d\d\d")

    def test_page_tokens_and_the_key_ring_survive_a_restart(self):
        with harness.Server("--design", DESIGNS / "parental-control.yaml") as server:
            for i in range(3):
                reply = self.call("parental-control", "recordBlocked",
                                  {"childPhoneNumber": "+15550001", "appName": f"app{i}", "parentEmail": "p@example.com",
                                   "at": "2026-01-01T10:00:00Z"}, server=server)
                self.assertEqual(reply.status, 200, reply.body)
            inputs = {"parentEmail": "p@example.com", "from": "2026-01-01", "to": "2026-01-02", "limit": 2}
            first = self.call("parental-control", "metricsOfParent", inputs, server=server).json
            ring = server.data / "keys"
            self.assertEqual(stat.S_IMODE(ring.stat().st_mode), 0o600)
            server.stop()
            server.start()
            rest = self.call("parental-control", "metricsOfParent", {**inputs, "next": first["next"]}, server=server)
            self.assertEqual((rest.status, len(rest.json["items"])), (200, 1), rest.body)
            self.assertNotIn(ring.read_text().split()[1], server.log())

    def test_verify_refuses_to_start_without_the_tables(self):
        done = harness.run_program("serve", "--memory-store", "--port", "0", "--verify", "--design",
                                   DESIGNS / "authz.yaml")
        self.assertEqual(done.returncode, 1)
        self.assertIn("authz", done.stdout)


if __name__ == "__main__":
    harness.run_file()
