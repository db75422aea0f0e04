"""Invariants among the items of the five systems, whatever operations wrote them: checked with boto3, item by item."""

import re
import time

from served import DESIGNS, TALLY_SECONDS_MAX, harness, plain, remote_url

GUARDS = {"email": ("USER_EMAIL#", "UserEmail"), "phone": ("USER_PHONE#", "UserPhone"),
          "preferredUsername": ("USER_PREFERREDUSERNAME#", "UserPreferredUsername")}


def items_of(client, table):
    found = harness.every_page(lambda operation, **parameters: getattr(client, operation)(**parameters), "scan",
                               TableName=table,
                               ConsistentRead=True)
    return [{name: plain(value) for name, value in item.items()} for item in found]


def by_type(items):
    kinds = {}
    for item in items:
        kinds.setdefault(item.get("Type"), []).append(item)
    return kinds


def broken_invariants(running, client):
    """Every fault, as a sentence."""
    yield from broken_authz(by_type(items_of(client, "authz")))
    yield from broken_plugin(by_type(items_of(client, "form-bridge-plugin-auth")))
    yield from broken_catalog(by_type(items_of(client, "fus-main")))
    yield from broken_bridge(running, client)
    for item in items_of(client, "BlockedRequestMetrics"):
        if item["blockedCount"] != sum(item["hourly"].values()):
            yield f"hours of {item['dateApp']}: {item}"


def broken_authz(kinds):
    users = {user["userId"]: user for user in kinds.get("User", [])}
    tenants = {tenant["tenantId"]: tenant for tenant in kinds.get("Tenant", [])}
    for field, (prefix, kind) in GUARDS.items():
        guards = {guard["PK"]: guard["userId"] for guard in kinds.get(kind, [])}
        owned = {prefix + user[field]: user["userId"] for user in users.values() if field in user}
        if guards != owned:
            yield f"guards of {field}: without owner {guards.keys() - owned.keys()}, missing {owned.keys() - guards.keys()}"
    names = {guard["PK"]: guard["tenantId"] for guard in kinds.get("TenantName", [])}
    owned = {"TENANT_NAME#" + tenant["name"]: tenant["tenantId"] for tenant in tenants.values()}
    if names != owned:
        yield f"guards of tenants' names: {names.items() ^ owned.items()}"
    for grant in kinds.get("TenantGrant", []):
        if grant["userId"] not in users or grant["tenantId"] not in tenants:
            yield f"a grant without user or tenant: {grant['PK']} {grant['SK']}"


def broken_plugin(kinds):
    lookups = {lookup["site_id"]: lookup["PK"] for lookup in kinds.get("ApiKeyLookup", [])}
    sites = {site["site_id"]: site for site in kinds.get("SiteCredentials", [])}
    if len(lookups) != len(kinds.get("ApiKeyLookup", [])):
        yield "a site with two keys"
    keys = {site_id: "API#" + site["api_key_hash"] for site_id, site in sites.items()}
    if lookups != keys:
        yield f"keys and lookups differ: {lookups.items() ^ keys.items()}"
    exchanged = sorted(r["domain"] for r in kinds.get("Registration", []) if r["status"] == "active")
    if exchanged != sorted(site["domain"] for site in sites.values()):
        yield "exchanged registrations and sites differ"
    for agency in kinds.get("Agency", []):
        members = [m for m in kinds.get("AgencySite", []) if m["agency_id"] == agency["agency_id"]]
        if agency["current_sites"] != len(members):
            yield f"agency {agency['agency_id']} counts {agency['current_sites']} of {len(members)} sites"
        for member in members:
            if member["site_id"] not in sites:
                yield f"an agency's site without credentials: {member['site_id']}"


def broken_catalog(kinds):
    sites = {site["PK"]: site for site in kinds.get("Site", [])}
    tags = {}
    for item in kinds.get("SiteTag", []):
        tags.setdefault(item["PK"], set()).add(item["tag"])
    for key, site in sites.items():
        if tags.pop(key, set()) != set(site.get("tags", [])):
            yield f"tags of {key}"
    if tags:
        yield f"tags of sites that are not there: {sorted(tags)}"
    for item in kinds.get("Comment", []):
        if item["PK"] not in sites:
            yield f"a comment of a site that is not there: {item['PK']}"
    for item in kinds.get("Rating", []):
        if item["SK"] not in sites or item["stars"] != item["starRating"]:
            yield f"a rating of a site that is not there: {item['PK']} {item['SK']}"


def broken_bridge(running, client):
    kinds = by_type(items_of(client, "FormBridgeData"))
    submissions = {s["submission_id"]: s for s in kinds.get("Submission", [])}
    for guard in kinds.get("SubmissionKey", []):
        if guard["submission_id"] not in submissions:
            yield f"an idempotency key without submission: {guard['SK']}"
    if len(kinds.get("SubmissionKey", [])) != len([s for s in submissions.values() if "idempotency_key" in s]):
        yield "idempotency keys and submissions differ in number"
    attempts = {}
    for attempt in kinds.get("DeliveryAttempt", []):
        attempts.setdefault((attempt["submission_id"], attempt["destination_id"]), []).append(attempt)
    outcomes = {}
    for (submission, _), attempt_list in attempts.items():
        if sorted(a["attempt_num"] for a in attempt_list) != list(range(1, len(attempt_list) + 1)):
            yield f"a gap in the attempts of {submission}"
        outcomes.setdefault(submission, set()).update(a["status"] for a in attempt_list)
    for submission, item in submissions.items():
        statuses = outcomes.get(submission, set())
        expected = "DELIVERED" if "success" in statuses else "FAILED" if "failed" in statuses else "PENDING"
        if item["status"] != expected:
            yield f"submission {submission} is {item['status']} after {statuses}"
    yield from broken_figures(client, submissions)


def broken_figures(client, submissions):
    expected = {}
    for item in submissions.values():
        key = item["tenant_id"], item["timestamp"][:10]
        expected[key] = expected.get(key, 0) + 1
    give_up_at = time.monotonic() + TALLY_SECONDS_MAX      # after a start the stream is read from the checkpoint
    while True:
        found = by_type(items_of(client, "FormBridgeData")).get("DailyMetrics", [])
        counted = {(m["tenant_id"], m["date"]): m["submission_count"] for m in found if m["submission_count"]}
        if counted == expected:
            return
        if time.monotonic() > give_up_at:
            yield f"figures {counted}, a recount says {expected}"
            return
        time.sleep(0.1)


def verify_faults(running):
    """The output of `trestle design verify` for the designs' tables, on the endpoint where they are."""
    for design in sorted(DESIGNS.glob("*.yaml")):
        give_up_at = time.monotonic() + TALLY_SECONDS_MAX
        while True:
            done = harness.run_program("design", "verify", design, "--on", running.items_url, "--keys", running.ring,
                                       "--blobs", running.blobs, env=running.environment)
            if done.returncode == 0:
                break
            # Counts are updated from the stream with a delay: only those that stay wrong are faults.
            faults = [line for line in done.stdout.splitlines() if " · " in line] or done.stdout.splitlines()
            if not all(fault.startswith("tally: ") for fault in faults) or time.monotonic() > give_up_at:
                yield f"verify {design.name}{' on ' + remote_url() if remote_url() else ''}: {' | '.join(faults)[:1500]}"
                break
            time.sleep(0.1)
