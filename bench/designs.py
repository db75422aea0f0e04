"""The cost of a design: operations of the five systems compared with the same DynamoDB requests made directly.

Each row is an operation of a served design, called over HTTP, and the requests of its plan (`trestle design plan`),
sent to the same server one by one. The rate of the direct requests is divided by the number of requests per call.
"""

import hashlib
import http.client
import json
import re
import secrets
import shutil
import tempfile
from pathlib import Path

DESIGNS = Path(__file__).resolve().parent.parent / "designs"
SITES, TENANTS, PAGE = 200, 200, 20
AT_LEAST = 0.5


def s(value):
    return {"S": value}


class Systems:
    """The designs with data, and the requests to measure: row name -> (lines of calls, lines of direct requests)."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def call(self, design, operation, token=None, **inputs):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["X-Api-Key"] = token
        self.connection.request("POST", f"/designs/{design}/{operation}", json.dumps(inputs), headers)
        reply = self.connection.getresponse()
        body = json.loads(reply.read())
        if reply.status != 200:
            raise SystemExit(f"{design}.{operation}: {reply.status} {body}")
        return body

    def direct(self, operation, **parameters):
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation,
                   "X-Amz-Date": "20250101T000000Z",
                   "Authorization": "AWS4-HMAC-SHA256 Credential=AKIATRESTLEBENCH0000/20250101/us-east-1/dynamodb/aws4_request, "
                                    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64}
        self.connection.request("POST", "/", json.dumps(parameters), headers)
        reply = self.connection.getresponse()
        body = json.loads(reply.read())
        if reply.status != 200:
            raise SystemExit(f"{operation}: {reply.status} {body}")
        return body

    def validate_key(self):
        table, calls, direct = "form-bridge-plugin-auth", [], []
        for n in range(SITES):
            domain, address = f"s{n}.example.com", f"10.1.{n // 250}.{n % 250}"
            made = self.call("plugin-auth", "registerSite", domain=domain, wp_version="6.4", plugin_version="1.0",
                             client_ip=address)
            keys = self.call("plugin-auth", "exchangeKey", temp_key=made["temp_key"], client_ip=address)
            calls.append(("/designs/plugin-auth/validateKey",
                          {"api_key": keys["api_key"], "client_ip": address, "request_type": "api"}))
            lookup = {"PK": s("API#" + hashlib.sha256(keys["api_key"].encode()).hexdigest()), "SK": s("LOOKUP")}
            site = {"PK": s("SITE#" + domain), "SK": s("CREDS#" + keys["site_id"])}
            rate = {"PK": s("RATE#" + keys["site_id"]), "SK": s("TIME#0")}
            self.direct("PutItem", TableName=table,
                        Item={**rate, "count": {"N": "0"}, "budget": {"N": str(10**12)}, "Type": s("SiteRate")})
            direct += [
                ("GetItem", {"TableName": table, "Key": lookup}), ("GetItem", {"TableName": table, "Key": site}),
                ("UpdateItem", {"TableName": table, "Key": rate, "UpdateExpression": "ADD #count :count",
                                "ReturnValues": "ALL_NEW",
                                "ConditionExpression": "#count < #budget",
                                "ExpressionAttributeValues": {":count": {"N": "1"}},
                                "ExpressionAttributeNames": {"#count": "count", "#budget": "budget"}}),
                ("UpdateItem", {"TableName": table, "Key": rate, "ConditionExpression": "attribute_exists(#PK)",
                                "UpdateExpression": "ADD #by_type :count",
                                "ExpressionAttributeValues": {":count": {"N": "1"}},
                                "ExpressionAttributeNames": {"#PK": "PK", "#by_type": "by_api"}}),
                ("UpdateItem", {"TableName": table, "Key": site, "ConditionExpression": "attribute_exists(#PK)",
                                "UpdateExpression": "SET #l = :l, #r = :r ADD #c :c",
                                "ExpressionAttributeNames": {"#PK": "PK", "#l": "last_seen",
                                                             "#r": "rate_limit_remaining", "#c": "request_count"},
                                "ExpressionAttributeValues": {":l": s("2026-01-01T00:00:00Z"), ":r": {"N": "900"},
                                                              ":c": {"N": "1"}}}),
                ("UpdateItem", {"TableName": table, "Key": lookup, "ConditionExpression": "attribute_exists(#PK)",
                                "UpdateExpression": "SET #l = :l",
                                "ExpressionAttributeNames": {"#PK": "PK", "#l": "last_used"},
                                "ExpressionAttributeValues": {":l": s("2026-01-01T00:00:00Z")}})]
        return calls, direct, 6

    def submit(self):
        """2 KiB that do not compress well, so that both variants store the same bytes."""
        table, calls, direct = "FormBridgeData", [], []
        for n in range(TENANTS):
            tenant = f"t{n}"
            self.call("form-bridge", "createTenant", tenant_id=tenant)
            payload = {f"f{i}": secrets.token_urlsafe(144) for i in range(10)}
            calls.append(("/designs/form-bridge/submit",
                          {"tenant_id": tenant, "form_id": "contact", "payload": payload}))
            config = {"PK": s("TENANT#" + tenant), "SK": s("CONFIG#main")}
            item = {"PK": s(f"TENANT#{tenant}#0"), "SK": s("SUB#01J8Z0E2Z8D2A3J<key>"), "Type": s("Submission"),
                    "tenant_id": s(tenant),
                    "submission_id": s("01J8Z0E2Z8D2A3J<key>"), "form_id": s("contact"), "status": s("PENDING"),
                    "timestamp": s("2026-01-01T00:00:00.000Z"),
                    "payload": {"M": {name: s(text) for name, text in payload.items()}},
                    "GSI1PK": s(f"TENANT#{tenant}#0"), "GSI1SK": s("TS#2026-01-01T00:00:00.000Z#01J8Z0E2Z8D2A3J<key>"),
                    "GSI2PK": s(f"TENANT#{tenant}#STATUS#0"),
                    "GSI2SK": s("PENDING#2026-01-01T00:00:00.000Z#01J8Z0E2Z8D2A3J<key>")}
            direct += [("GetItem", {"TableName": table, "Key": config}),
                       ("PutItem", {"TableName": table, "Item": item,
                                    "ConditionExpression": "attribute_not_exists(#PK)",
                                    "ExpressionAttributeNames": {"#PK": "PK"}})]
        return calls, direct, 2

    def record_blocked(self):
        inputs = {"childPhoneNumber": "+15551234567", "appName": "TikTok", "parentEmail": "p@example.com",
                  "at": "2026-01-02T10:00:00Z"}
        self.call("parental-control", "recordBlocked", **inputs)
        key = {"childPhoneNumber": s("+15551234567"), "dateApp": s("2026-01-02#TikTok")}
        update = {
            "TableName": "BlockedRequestMetrics", "Key": key, "ReturnValues": "ALL_NEW",
            "UpdateExpression": "SET #date = :date, #app = :app, #parent = :parent, #last = :at, #h.#m = if_not_exists(#h.#m, :zero) + :one "
                                "ADD #count :one",
            "ConditionExpression": "#first <= :at AND (attribute_not_exists(#last) OR #last <= :at) AND attribute_exists(#h)",
            "ExpressionAttributeNames": {"#date": "date", "#app": "appName", "#parent": "parentEmail",
                                         "#first": "timestampFirst",
                                         "#last": "timestampLast", "#h": "hourly", "#m": "10",
                                         "#count": "blockedCount"},
            "ExpressionAttributeValues": {":date": s("2026-01-02"), ":app": s("TikTok"), ":parent": s("p@example.com"),
                                          ":at": s("2026-01-02T10:00:00Z"), ":zero": {"N": "0"}, ":one": {"N": "1"}}}
        return [("/designs/parental-control/recordBlocked", inputs)], [("UpdateItem", update)], 1

    def authorization(self):
        calls, direct = [], []
        roles = [self.call("authz", "createRole", scope="tenant", name=f"r{n}")["item"]["roleId"] for n in range(2)]
        every = [self.call("authz", "createRole", scope="global", name="g")["item"]["roleId"]]
        for n in range(100):
            tenant = self.call("authz", "createTenant", name=f"t{n}")["item"]["tenantId"]
            user = self.call("authz", "createUser", email=f"u{n}@example.com", roles=every)["item"]["userId"]
            self.call("authz", "grant", tenantId=tenant, userId=user, roles=roles)
            calls.append(("/designs/authz/authorization", {"tenantId": tenant, "userId": user}))
            keys = [("TENANT#" + tenant,) * 2, ("USER#" + user,) * 2, ("TENANT#" + tenant, "USER#" + user)]
            direct.append(("BatchGetItem",
                           {"RequestItems": {"authz": {"Keys": [{"PK": s(pk), "SK": s(sk)} for pk, sk in keys]}}}))
            for role in every + roles:
                direct.append(("Query", {"TableName": "authz", "IndexName": "GSI1",
                                         "KeyConditionExpression": "#p = :p AND #s = :p",
                                         "ExpressionAttributeNames": {"#p": "GSI1PK", "#s": "GSI1SK"},
                                         "ExpressionAttributeValues": {":p": s("ROLE#" + role)}}))
        return calls, direct, 4

    def sites(self, key):
        for n in range(100):
            self.call("site-catalog", "createSite", key, url=f"https://example.com/{n}", title=f"Site {n}",
                      description="d" * 100,
                      tags=["a", "b"], scrapedContent="c" * 2000)
        names = ["siteId", "url", "title", "description", "tags", "createdAt", "updatedAt"]
        query = {"TableName": "fus-main", "IndexName": "byEntity", "Limit": PAGE, "ScanIndexForward": False,
                 "KeyConditionExpression": "#t = :t AND begins_with(#s, :s)",
                 "ProjectionExpression": ", ".join("#" + name for name in names),
                 "ExpressionAttributeNames": {"#t": "entityType", "#s": "entitySk",
                                              **{"#" + name: name for name in names}},
                 "ExpressionAttributeValues": {":t": s("SITE"), ":s": s("SITE#")}}
        return [("/designs/site-catalog/sites", {"limit": PAGE})], [("Query", query)], 1


def template(body):
    """JSON in which every < except that of a placeholder is escaped."""
    return json.dumps(body, separators=(",", ":")).replace("<", "\\u003c").replace("\\u003ckey>", "<key>")


def measure(bench):
    """Adds the rows of the systems to a run (run.py's Bench)."""
    print("== operations of designs, durable", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="trestle-bench-designs-"))
    try:
        shutil.copytree(DESIGNS, folder / "designs", ignore=shutil.ignore_patterns("as-written"))
        plugin = folder / "designs/plugin-auth.yaml"
        plugin.write_text(plugin.read_text().replace("max: 1000}",
                                                     "max: 1000000000}"))      # the limit is counted, but never reached
        bridge = folder / "designs/form-bridge.yaml"
        # The load generator sends no token.
        bridge.write_text(re.sub(r"(, |    )allow: (\[staff, tenant\]|staff)", "", bridge.read_text()))
        key = secrets.token_urlsafe(24)
        (folder / "api-keys").write_text(f"bench {hashlib.sha256(key.encode()).hexdigest()} admin\n")
        with bench.trestle("--design", folder / "designs", "--api-keys", folder / "api-keys") as server:
            systems = Systems(server)
            rows = {"validateKey": systems.validate_key(), "submit, 2 KiB": systems.submit(),
                    "recordBlocked, one counter": systems.record_blocked(), "authorization": systems.authorization(),
                    f"sites, a page of {PAGE}": systems.sites(key)}
            for name, (calls, direct, requests) in rows.items():
                measure_row(bench, server, folder, name, calls, direct, requests)
    finally:
        shutil.rmtree(folder)


def measure_row(bench, server, folder, name, calls, direct, requests):
    files = {}
    for kind, lines in (("design", calls), ("direct", direct)):
        files[kind] = folder / f"{name.split(',')[0]}-{kind}.tsv"
        files[kind].write_text("".join(f"{asks}\t{template(body)}\n" for asks, body in lines))

    def rate(kind):
        rows = bench.client(f"designs, {kind}", server.url, [], [bench.judged], mode=["--replay", str(files[kind])])
        return float(rows[-1]["per_second"])

    ratio, per_second = bench.interleave(lambda: rate("direct") / requests, lambda: rate("design"))
    bench.bound(f"{name} / its {requests} request{'s' if requests > 1 else ''} made directly", ratio, "",
                at_least=AT_LEAST,
                note=f"{per_second:,.0f} calls/s")
