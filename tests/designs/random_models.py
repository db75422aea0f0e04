"""Models of the five documents, for random_systems.py.

A model holds the expected data in ordinary dictionaries. Each step_* method chooses a call from small pools of
values, so that names collide, computes the expected result, calls, and compares. check() compares every list.
"""

import datetime
import zoneinfo

from random_model import Model
from random_model_bridge import BridgeModel  # noqa: F401 - all models are found here
from random_model_plugin import PluginModel  # noqa: F401
from served import ago, new_ulid


class AuthzModel(Model):
    design = "authz"

    def begin(self):
        self.tenants, self.users, self.roles, self.grants, self.policies = {}, {}, {}, {}, {}
        self.tenant_ids = [new_ulid() for _ in range(5)]
        self.user_ids = [new_ulid() for _ in range(6)]
        self.names = [self.word("n") for _ in range(6)]
        self.emails = [self.word("e") + "@example.com" for _ in range(7)]
        self.phones = ["+1777" + str(self.random.randrange(10**8, 10**9)) for _ in range(4)]

    def step_create_tenant(self):
        tenant, name = self.pick(self.tenant_ids), self.pick(self.names)
        free = tenant not in self.tenants and name not in self.tenants.values()
        self.does(200 if free else 409, "createTenant", tenantId=tenant, name=name)
        if free:
            self.tenants[tenant] = name

    def step_rename_tenant(self):
        tenant, name = self.pick(self.tenant_ids), self.pick(self.names)
        taken = any(held == name for other, held in self.tenants.items() if other != tenant)
        status = 404 if tenant not in self.tenants else 409 if taken else 200
        self.does(status, "renameTenant", tenantId=tenant, name=name)
        if status == 200:
            self.tenants[tenant] = name

    def step_delete_tenant(self):
        if self.random.random() < 0.6:
            return
        tenant = self.pick(self.tenant_ids)
        self.does(200 if self.tenants.pop(tenant, None) else 404, "deleteTenant", tenantId=tenant)
        self.grants = {pair: roles for pair, roles in self.grants.items() if pair[0] != tenant}

    def taken(self, user, fields):
        return any(fields.get(name) and fields[name] == held.get(name) for other,
                   held in self.users.items() if other != user
                   for name in ("email", "phone"))

    def step_create_user(self):
        user, fields = self.pick(self.user_ids), {"email": self.pick(self.emails)}
        if self.maybe():
            fields["phone"] = self.pick(self.phones)
        free = user not in self.users and not self.taken(user, fields)
        self.does(200 if free else 409, "createUser", userId=user, **fields)
        if free:
            self.users[user] = fields

    def step_update_user(self):
        user, change = self.pick(self.user_ids), {}
        if self.maybe():
            change["email"] = self.pick(self.emails)
        if self.maybe():
            change["phone"] = self.pick([*self.phones, None])
        if self.maybe() or not change:
            change["givenName"] = self.pick(["Ada", "Eve", None])
        status = 404 if user not in self.users else 409 if self.taken(user, change) else 200
        self.does(status, "updateUser", userId=user, **change)
        if status == 200:
            merged = {**self.users[user], **change}
            self.users[user] = {name: value for name, value in merged.items() if value is not None}

    def step_delete_user(self):
        if self.random.random() < 0.6:
            return
        user = self.pick(self.user_ids)
        self.does(200 if self.users.pop(user, None) else 404, "deleteUser", userId=user)
        self.grants = {pair: roles for pair, roles in self.grants.items() if pair[1] != user}

    def step_create_role(self):
        scope, name = self.pick(["tenant", "global"]), self.pick(self.names)
        free = (scope, name) not in self.roles
        reply = self.does(200 if free else 409, "createRole", scope=scope, name=name)
        if free:
            self.roles[scope, name] = reply["item"]["roleId"]

    def step_rename_role(self):
        scope, name, new = self.pick(["tenant", "global"]), self.pick(self.names), self.pick(self.names)
        if name == new:
            return
        status = 404 if (scope, name) not in self.roles else 409 if (scope, new) in self.roles else 200
        self.does(status, "renameRole", scope=scope, name=name, newName=new)
        if status == 200:
            self.roles[scope, new] = self.roles.pop((scope, name))

    def some_roles(self):
        ids = sorted(self.roles.values())
        return self.random.sample(ids, min(len(ids), self.random.randrange(1, 4)))

    def step_grant(self):
        tenant, user, roles = self.pick(self.tenant_ids), self.pick(self.user_ids), self.some_roles()
        if not roles:
            return
        scopes = {role: scope for (scope, _), role in self.roles.items()}
        known = tenant in self.tenants and user in self.users
        if any(scopes[role] == "global" for role in roles):
            self.does(409, "grant", tenantId=tenant, userId=user, roles=roles)
            return
        self.does(200 if known else 404, "grant", tenantId=tenant, userId=user, roles=roles)
        if known:
            self.grants.setdefault((tenant, user), set()).update(roles)

    def step_revoke(self):
        tenant, user = self.pick(self.tenant_ids), self.pick(self.user_ids)
        roles = self.some_roles() if self.maybe() else []
        held = self.grants.get((tenant, user))
        self.does(200 if held else 404, "revoke", tenantId=tenant, userId=user, **({"roles": roles} if roles else {}))
        if held:
            held.difference_update(roles or set(held))
            if not held:
                del self.grants[tenant, user]

    def step_policy(self):
        name = self.pick(self.names)
        free = name not in self.policies
        reply = self.does(200 if free else 409, "createPolicy", name=name, policyId=self.word("p-"))
        if free:
            self.policies[name] = reply["item"]["policyId"]

    def step_authorization(self):
        tenant, user = self.pick(self.tenant_ids), self.pick(self.user_ids)
        held = self.grants.get((tenant, user))
        reply = self.does(200 if held else 404, "authorization", tenantId=tenant, userId=user)
        if held:
            names = {role: name for (_, name), role in self.roles.items()}
            self.same(sorted(names[role] for role in held), sorted(reply["tenantRoles"]), "tenantRoles")

    def check(self):
        for tenant in self.tenant_ids:
            self.item("tenant", self.tenants.get(tenant) and {"tenantId": tenant, "name": self.tenants[tenant]},
                      tenantId=tenant)
            self.list("usersOfTenant", sorted(u for t, u in self.grants if t == tenant), "userId", tenantId=tenant)
        for name in self.names:
            owner = [t for t, held in self.tenants.items() if held == name]
            self.item("tenantByName", owner and {"tenantId": owner[0]}, name=name)
        for user in self.user_ids:
            self.item("user", self.users.get(user), userId=user)
            self.list("grantsOfUser", sorted(t for t, u in self.grants if u == user), "tenantId", userId=user)
        for email in self.emails:
            owner = [u for u, held in self.users.items() if held["email"] == email]
            self.item("userByEmail", owner and {"userId": owner[0]}, email=email)
        for (tenant, user), roles in self.grants.items():
            self.same(roles, set(self.api.item("membership", tenantId=tenant, userId=user)["roles"]), "roles")
        for (_, name), role in self.roles.items():
            self.item("roleById", {"name": name}, roleId=role)
        self.list("policiesByPrefix", sorted(self.policies), "name", name=self.names[0][:1],
                  mine=lambda item: item["name"] in self.policies)


class CatalogModel(Model):
    design = "site-catalog"

    def begin(self):
        self.sites, self.ratings, self.comments, self.groups, self.members = {}, {}, {}, {}, set()
        self.admin = self.api.as_caller(sub="root", groups=["admin"])
        self.subs = [self.word("u-") for _ in range(4)]
        self.callers = {sub: self.api.as_caller(sub=sub) for sub in self.subs}
        self.tags = [self.word("tag-") for _ in range(6)]
        self.group_names = [self.word("g-") for _ in range(4)]
        self.gone = [new_ulid()]

    def some_tags(self):
        return self.random.sample(self.tags, self.random.randrange(0, 5))

    def any_site(self):
        return self.pick(sorted(self.sites) + self.gone[-2:])

    def step_create_site(self):
        if len(self.sites) > 8:
            return
        tags = self.some_tags()
        reply = self.does(200, "createSite", self.admin, url="https://example.com/", title="t", tags=tags)
        self.sites[reply["item"]["siteId"]] = tags

    def step_update_site(self):
        site, tags = self.any_site(), self.pick([self.some_tags(), None])
        self.does(200 if site in self.sites else 404, "updateSite", self.admin, siteId=site, tags=tags)
        if site in self.sites:
            self.sites[site] = tags or []

    def step_delete_site(self):
        if self.random.random() < 0.7:
            return
        site = self.any_site()
        self.does(200 if site in self.sites else 404, "deleteSite", self.admin, siteId=site)
        if self.sites.pop(site, None) is not None:
            self.gone.append(site)
            self.ratings = {pair: stars for pair, stars in self.ratings.items() if pair[1] != site}
            self.comments = {pair: held for pair, held in self.comments.items() if pair[0] != site}

    def step_rate(self):
        sub, site, stars = self.pick(self.subs), self.any_site(), self.random.randrange(1, 6)
        self.does(200 if site in self.sites else 404, "rateSite", self.callers[sub], siteId=site, stars=stars)
        if site in self.sites:
            self.ratings[sub, site] = stars

    def step_unrate(self):
        sub, site = self.pick(self.subs), self.any_site()
        self.does(200 if self.ratings.pop((sub, site), None) else 404, "unrateSite", self.callers[sub], siteId=site)

    def step_comment(self):
        sub, site = self.pick(self.subs), self.any_site()
        reply = self.does(200 if site in self.sites else 404, "addComment", self.callers[sub], siteId=site, body="b")
        if reply:
            self.comments[site, reply["item"]["commentId"]] = (sub, "b")

    def step_change_comment(self):
        sub = self.pick(self.subs)
        site, comment = self.pick(sorted(self.comments) + [(self.any_site(), new_ulid())])
        held = self.comments.get((site, comment))
        status = 404 if not held else 200 if held[0] == sub else 403
        if self.maybe():
            body = self.word("b")
            self.does(status, "editComment", self.callers[sub], siteId=site, commentId=comment, body=body)
            if status == 200:
                self.comments[site, comment] = (sub, body)
        else:
            self.does(status, "deleteComment", self.callers[sub], siteId=site, commentId=comment)
            if status == 200:
                del self.comments[site, comment]

    def step_group(self):
        name = self.pick(self.group_names)
        if self.random.random() < 0.7:
            self.does(409 if name in self.groups else 200, "createGroup", self.admin, name=name)
            self.groups.setdefault(name, True)
        else:
            self.does(200 if self.groups.pop(name, None) else 404, "deleteGroup", self.admin, name=name)
            self.members = {pair for pair in self.members if pair[0] != name}

    def step_member(self):
        name, sub = self.pick(self.group_names), self.pick(self.subs)
        if self.random.random() < 0.7:
            self.does(200 if name in self.groups else 404, "addMember", self.admin, groupName=name, userId=sub)
            if name in self.groups:
                self.members.add((name, sub))
        else:
            self.does(200 if (name, sub) in self.members else 404, "removeMember", self.admin, groupName=name,
                      userId=sub)
            self.members.discard((name, sub))

    def check(self):
        self.list("sites", sorted(self.sites, reverse=True), "siteId",
                  mine=lambda s: s["siteId"] in self.sites or s["siteId"] in self.gone)
        for word in self.tags:
            self.list("sitesByTag", sorted(site for site, tags in self.sites.items() if word in tags), "siteId",
                      tag=word)
        for sub in self.subs:
            self.same(sorted(site for who, site in self.ratings if who == sub),
                      [r["siteId"] for r in self.callers[sub].all("myRatings", limit=3)], "myRatings")
            self.list("commentsOfUser", sorted(c for (_, c), held in self.comments.items() if held[0] == sub),
                      "commentId", userId=sub)
            self.list("groupsOfUser", sorted(name for name, who in self.members if who == sub), "groupName", userId=sub)
        for stars in range(1, 6):
            found = {(r["userId"], r["siteId"]) for r in self.api.all("ratingsByStars", stars=stars)
                     if r["userId"] in self.subs}
            self.same({pair for pair, held in self.ratings.items() if held == stars}, found, f"{stars} stars")
        for site in [*self.sites, *self.gone]:
            self.same(sorted((c, *held) for (s, c), held in self.comments.items() if s == site),
                      [(c["commentId"], c["userId"], c["body"])
                       for c in self.api.all("commentsOfSite", siteId=site, limit=2)], "comments")
        for name in self.group_names:
            self.list("membersOfGroup", sorted(who for group, who in self.members if group == name), "userId",
                      groupName=name)


WEEK = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "Australia/Sydney", "Europe/Berlin"]
MINUTE = datetime.timedelta(minutes=1)
QUARTER = 15 * MINUTE
NEVER_ENDS = datetime.timedelta(days=400)       # clocks change within a year or never


def quarters_of(window):
    """The quarter hours of a week, counted from Monday's first, in which a window of local time is active."""
    start, end = (int(window[name][:2]) * 4 + int(window[name][3:]) // 15 for name in ("startTime", "endTime"))
    length = end - start if end > start else end - start + 96
    return {(WEEK.index(day) * 96 + start + n) % 672 for day in window["days"] for n in range(length)}


def blocked_until(policies, app, at):
    """When the block of an app ends; None: not blocked; "never": it has no end.

    Every quarter of an hour is tested, because windows begin and end on quarters, and clocks change on them."""
    weeks = [(policy["zone"], set().union(*map(quarters_of, policy["windows"]))) for policy in policies
             if app in policy["apps"] and policy["status"] == "active"]

    def is_blocked(moment):
        for zone, week in weeks:
            wall = moment.astimezone(zone)
            if wall.weekday() * 96 + wall.hour * 4 + wall.minute // 15 in week:
                return True
        return False

    if not is_blocked(at):
        return None
    moment = at.replace(minute=at.minute - at.minute % 15, second=0) + QUARTER
    while is_blocked(moment):
        moment += QUARTER
        if moment > at + NEVER_ENDS:
            return "never"
    return moment


class ControlModel(Model):
    design = "parental-control"

    def begin(self):
        self.children = ["+1888" + str(self.random.randrange(10**8, 10**9)) for _ in range(3)]
        self.parents = [self.word("p") + "@example.com" for _ in range(3)]
        self.apps = [self.word("App ") for _ in range(4)]
        self.policies, self.metrics, self.rules, self.history = {}, {}, {}, []
        self.now = datetime.datetime.now(datetime.timezone.utc)

    def clock(self, minute):
        return f"{self.random.randrange(24):02}:{minute:02}"

    def some_windows(self):
        """Start and end times that never coincide, so that windows either overlap or are apart."""
        return [{"startTime": self.clock(self.pick([15, 45])), "endTime": self.clock(self.pick([0, 30])),
                 "days": self.random.sample(WEEK, self.random.randrange(1, 8))}
                for _ in range(self.random.randrange(1, 4))]

    def some_apps(self):
        return [{"appName": app, "ports": [], "domains": [], "ipRanges": []}
                for app in self.random.sample(self.apps, self.random.randrange(1, 4))]

    def step_create_policy(self):
        child, name, parent, zone = self.pick(self.children), self.pick(["a", "b",
                                                                         "c"]), self.pick(self.parents), self.pick(ZONES)
        windows, apps = self.some_windows(), self.some_apps()
        free = (child, name) not in self.policies
        self.does(200 if free else 409, "createPolicy", childPhoneNumber=child, policyId=name, parentEmail=parent,
                  timezone=zone,
                  blockedApps=apps, timeWindows=windows)
        if free:
            self.policies[child, name] = {"apps": {a["appName"] for a in apps}, "windows": windows, "parent": parent,
                                          "zone": zoneinfo.ZoneInfo(zone), "status": "active"}

    def step_update_policy(self):
        child, name, change = self.pick(self.children), self.pick(["a", "b", "c", "d"]), {}
        if self.maybe():
            change["parentEmail"] = self.pick(self.parents)
        if self.maybe():
            change["status"] = self.pick(["active", "inactive", "active"])
        if self.maybe() or not change:
            change["timeWindows"] = self.some_windows()
        known = self.policies.get((child, name))
        self.does(200 if known else 404, "updatePolicy", childPhoneNumber=child, policyId=name, **change)
        if known:
            known.update(windows=change.get("timeWindows", known["windows"]),
                         status=change.get("status", known["status"]),
                         parent=change.get("parentEmail", known["parent"]))

    def step_two_zones(self):
        """Two halves of every day, in two time zones: together they have no end until one zone's clocks change."""
        child, zone, apps = self.pick(self.children), self.pick(ZONES[1:]), self.some_apps()
        ahead = datetime.datetime(2025, 1, 15, tzinfo=zoneinfo.ZoneInfo(zone)).utcoffset() // MINUTE
        start = 60 * self.random.randrange(24) + 15
        halves = {"e": (zone, start, start + 735), "f": ("UTC", start + 720 - ahead, start + 15 - ahead)}
        for name, (where, begins, ends) in halves.items():
            windows = [{"startTime": f"{begins % 1440 // 60:02}:{begins % 60:02}",
                        "endTime": f"{ends % 1440 // 60:02}:{ends % 60:02}", "days": WEEK}]
            inputs = dict(childPhoneNumber=child, policyId=name, timezone=where, blockedApps=apps, timeWindows=windows,
                          parentEmail=self.parents[0])
            self.does(200, "updatePolicy" if (child, name) in self.policies else "createPolicy", **inputs)
            self.policies[child, name] = {"apps": {one["appName"] for one in apps}, "windows": windows,
                                          "parent": self.parents[0], "zone": zoneinfo.ZoneInfo(where), "status": "active"}

    def step_blocked_now(self):
        child = self.pick(self.children)
        at = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc) + MINUTE * self.random.randrange(365 * 1440)
        policies = [policy for (whose, _), policy in self.policies.items() if whose == child]
        reply = self.does(200, "blockedNow", childPhoneNumber=child, at=at.strftime("%Y-%m-%dT%H:%M:%SZ"))
        got = {app["appName"]: app.get("until") for app in reply["apps"]}
        expected = {}
        for app in self.apps:
            until = blocked_until(policies, app, at)
            if until:
                expected[app] = None if until == "never" else until.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.same(expected, got, f"blocked at {at}")

    def step_record_blocked(self):
        child, app, parent = self.pick(self.children), self.pick(self.apps), self.pick(self.parents)
        at = f"2025-10-{self.random.randrange(1, 6):02}T{self.random.randrange(24):02}:{self.random.randrange(60):02}:00Z"
        self.does(200, "recordBlocked", childPhoneNumber=child, appName=app, parentEmail=parent, at=at)
        held = self.metrics.setdefault((child, at[:10], app), {"count": 0, "hourly": {}, "first": at, "last": at})
        held.update(count=held["count"] + 1, first=min(held["first"], at), last=max(held["last"], at), parent=parent)
        held["hourly"][at[11:13]] = held["hourly"].get(at[11:13], 0) + 1

    def step_enforcement(self):
        child, at = self.pick(self.children), ago(minutes=self.random.randrange(1, 20))
        reply = self.does(200, "recordEnforcement", childPhoneNumber=child, timestamp=at, action="block",
                          status=self.pick(["success", "failed"]))
        self.history.append(reply["item"])

    def step_rule(self):
        child, rule = self.pick(self.children), self.pick(["r1", "r2", "r3", "r4", "r5"])
        address = self.pick(["10.0.0.1", "10.0.0.2"])
        if self.random.random() < 0.3:
            held = (child, rule) in self.rules
            if self.maybe():
                self.does(200 if held else 404, "moveRule", childPhoneNumber=child, ruleId=rule, privateIP=address)
                if held:
                    self.rules[child, rule] = address
            else:
                self.does(200 if held else 404, "deleteRule", childPhoneNumber=child, ruleId=rule)
                self.rules.pop((child, rule), None)
            return
        if self.random.random() < 0.7:
            self.does(200, "saveRule", childPhoneNumber=child, ruleId=rule, privateIP=address, appName="x",
                      policyId="p",
                      sessionExpiresAt="2100-01-01T00:00:00Z")
            self.rules[child, rule] = address
            return
        ending = [key for key, held in self.rules.items() if key[0] == child and held == address]
        if ending:
            self.does(200, "endSession", childPhoneNumber=child, privateIP=address)
            for key in ending:
                del self.rules[key]

    def check(self):
        for child in self.children:
            self.list("policiesOfChild", sorted(name for whose, name in self.policies if whose == child), "policyId",
                      childPhoneNumber=child)
            self.list("rulesOfChild", sorted(rule for whose, rule in self.rules if whose == child), "ruleId",
                      childPhoneNumber=child)
            mine = sorted((e for e in self.history if e["childPhoneNumber"] == child),
                          key=lambda e: (e["timestamp"], e["actionId"]))
            self.list("enforcementHistory", [e["actionId"] for e in mine], "actionId", childPhoneNumber=child)
            for app in self.apps:
                expected = [(date, held["count"], held["hourly"], held["first"], held["last"])
                            for (whose, date, name), held in sorted(self.metrics.items()) if whose == child
                            and name == app]
                found = self.api.all("metricsOfApp", childPhoneNumber=child, appName=app, limit=2,
                                     **{"from": "2025-10-01", "to": "2025-10-31"})
                self.same(expected, [tuple(m[k]
                                           for k in ("date", "blockedCount", "hourly", "timestampFirst",
                                                     "timestampLast")) for m in found], app)
        for parent in self.parents:
            found = {(p["childPhoneNumber"], p["policyId"])
                     for p in self.api.all("policiesOfParent", parentEmail=parent, limit=2)}
            self.same({key for key, held in self.policies.items() if held["parent"] == parent}, found, parent)
            found = {(m["childPhoneNumber"], m["date"], m["appName"])
                     for m in self.api.all("metricsOfParent", parentEmail=parent, limit=3)}
            self.same({key for key, held in self.metrics.items() if held["parent"] == parent}, found, parent)
