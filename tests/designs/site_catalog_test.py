#!/usr/bin/python3
"""site-catalog, operation by operation: sites and tags, ratings, comments, groups, and permissions."""

import base64
import json
import time

from served import SystemCase, ULID, base64url, coverage, harness, new_ulid, plain, tag


class Catalog(SystemCase):
    design = "site-catalog"
    table = "fus-main"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.admin = cls.api.as_caller(sub=tag("admin-"), groups=["admin"])

    def someone(self, algorithm="HS256", **claims):
        """A signed-in user: (sub, its Api)."""
        sub = tag("user-")
        return sub, self.api.as_caller(algorithm, sub=sub, **claims)

    def site(self, **more):
        return self.admin.item("createSite", **{"url": "https://example.com/", "title": "A site", **more})

    def tags_of(self, site):
        return sorted(i["tag"]["S"] for i in self.partition("SITE#" + site) if i["SK"]["S"].startswith("TAG#"))


class Callers(Catalog):
    def test_every_kind_of_key_signs_in(self):
        for algorithm in ("HS256", "RS256", "ES256"):
            site = self.api.as_caller(algorithm, sub="a", groups=["x", "admin"]).item("createSite",
                                                                                      url="https://a.example/",
                                                                                      title="t")
            sub, user = self.someone(algorithm)
            self.assertEqual(sub, user.item("rateSite", siteId=site["siteId"], stars=4)["userId"])

    def test_bad_tokens_are_401(self):
        good = self.designs.keys.token(sub="u", groups=["admin"])
        head, claims, signature = good.split(".")
        none = base64url(json.dumps({"alg": "none"}).encode())
        for name, token in {
                "expired": self.designs.keys.token(sub="u", groups=["admin"], exp=int(time.time()) - 3600),
                "not yet": self.designs.keys.token(sub="u", groups=["admin"], nbf=int(time.time()) + 3600),
                "altered": ".".join([head, base64url(base64.urlsafe_b64decode(claims + "==").replace(b'"u"', b'"v"')),
                                     signature]),
                "unsigned": f"{none}.{claims}.",
                            "of another key": self.designs.keys.token("HS256", sub="u")[:-6] + "AAAAAA",
                "no token": "x"}.items():
            with self.subTest(token=name):
                self.refused(401, "createSite", self.api.with_token(token), url="https://a.example/", title="t")

    def test_who_may_write(self):
        site, group = self.site()["siteId"], tag("group ")
        self.admin("createGroup", name=group)
        _, user = self.someone(groups=["staff"])
        for operation, inputs in (("createSite", {"url": "https://a.example/", "title": "t"}),
                                  ("updateSite", {"siteId": site, "title": "t"}),
                                  ("deleteSite", {"siteId": site}), ("createGroup", {"name": tag()}),
                                  ("updateGroup", {"name": group, "description": "d"}),
                                  ("deleteGroup", {"name": group}),
                                  ("addMember", {"groupName": group, "userId": "u"}),
                                  ("removeMember", {"groupName": group, "userId": "u"})):
            with self.subTest(operation=operation):
                self.refused(401, operation, **inputs)
                self.refused(403, operation, user, **inputs)
        for operation, inputs in (("rateSite", {"siteId": site, "stars": 3}), ("unrateSite", {"siteId": site}),
                                  ("myRatings", {}),
                                  ("myRating", {"siteId": site}), ("addComment", {"siteId": site, "body": "b"}),
                                  ("editComment", {"siteId": site, "commentId": new_ulid(), "body": "b"}),
                                  ("deleteComment", {"siteId": site, "commentId": new_ulid()})):
            with self.subTest(operation=operation):
                self.refused(401, operation, **inputs)

    def test_everyone_may_read(self):
        site = self.site(tags=[word := tag("t")])["siteId"]
        self.assertEqual(site, self.api.item("site", siteId=site)["siteId"])
        self.assertEqual(site, self.api.get("site", "?siteId=" + site)["item"]["siteId"])
        for operation, inputs in (("sites", {}), ("sitesByTag", {"tag": word}), ("ratingsByStars", {"stars": 5}),
                                  ("commentsOfSite", {"siteId": site}), ("commentsOfUser", {"userId": "u"}),
                                  ("groups", {}),
                                  ("groupsOfUser", {"userId": "u"}), ("membersOfGroup", {"groupName": "g"})):
            self.assertIn("items", self.api(operation, **inputs, limit=1))


class Sites(Catalog):
    def test_created_under_the_documents_keys(self):
        site = self.site(description="d", scrapedContent="<html>" * 100, tags=["javascript", "tools"])
        self.assertRegex(site["siteId"], ULID)
        self.recent(site["createdAt"])
        key = "SITE#" + site["siteId"]
        self.attributes(self.stored(key, "METADATA"), entityType={"S": "SITE"}, entitySk={"S": key}, Type={"S": "Site"},
                        url={"S": "https://example.com/"}, title={"S": "A site"}, description={"S": "d"},
                        tags={"L": [{"S": "javascript"}, {"S": "tools"}]}, createdAt={"S": site["createdAt"]})
        for word in ("javascript", "tools"):
            self.attributes(self.stored(key, "TAG#" + word), tag={"S": word}, siteId={"S": key}, Type={"S": "SiteTag"})
        self.assertEqual(site, self.api.item("site", siteId=site["siteId"]))
        self.refused(404, "site", siteId=new_ulid())
        good = {"url": "https://a.example/", "title": "t"}
        self.refuses_each("createSite", good, {
            "url": ["nowhere", "javascript:alert(1)", 5], "title": ["", "t" * 301], "description": ["d" * 2001],
            "tags": [[""], "x", ["t" * 41], [f"t{n}" for n in range(41)]]}, self.admin)
        self.requires("createSite", good, "url", "title", api=self.admin)
        self.refused(400, "createSite", self.admin, ["siteId"], **good, siteId=new_ulid())

    def test_tags_follow_by_difference(self):
        a, b, c, d = (tag(word) for word in "abcd")
        site = self.site(tags=[a, b, c])["siteId"]
        other = self.site(tags=[b])["siteId"]
        self.assertEqual([b, d], sorted(self.admin.item("updateSite", siteId=site, tags=[d, b])["tags"]))
        self.assertEqual(sorted([b, d]), self.tags_of(site))
        self.check_list("sitesByTag", sorted([site, other]), "siteId", tag=b)
        self.assertEqual([], self.api.all("sitesByTag", tag=a))
        self.assertEqual([site], [s["siteId"] for s in self.api.all("sitesByTag", tag=d)])
        self.admin("updateSite", siteId=site, title="Other")
        self.assertEqual(sorted([b, d]), self.tags_of(site), "an update of something else leaves them")
        self.assertNotIn("tags", self.admin.item("updateSite", siteId=site, tags=None))
        self.assertEqual([], self.tags_of(site))
        self.assertEqual([other], [s["siteId"] for s in self.api.all("sitesByTag", tag=b)])
        many = [tag(f"m{n}-") for n in range(40)]
        self.admin("updateSite", siteId=site, tags=many)
        self.assertEqual(sorted(many), self.tags_of(site))
        self.admin("updateSite", siteId=site, tags=many[20:] + [a])
        self.assertEqual(sorted(many[20:] + [a]), self.tags_of(site))

    def test_a_tag_is_any_text(self):
        word = tag()
        sharp, spaced, odd = "C#" + word, "Machine Learning " + word, "100% Ünïcode" + word
        site = self.site(tags=[sharp, spaced, odd])["siteId"]
        self.assertEqual([sharp, spaced, odd], self.api.item("site", siteId=site)["tags"])
        for asked, shown in ((sharp, sharp), (sharp.lower(), sharp), (spaced.upper(), spaced), (odd, odd)):
            found = self.api.all("sitesByTag", tag=asked)
            self.assertEqual([(site, shown)], [(s["siteId"], s["tag"]) for s in found], asked)
        self.attributes(self.stored("SITE#" + site, "TAG#c%23" + word), tag={"S": "c%23" + word}, siteId={"S": "SITE#" + site},
                        label={"S": sharp})
        self.admin("updateSite", siteId=site, tags=["c#" + word, spaced])
        self.assertEqual(["c#" + word], [s["tag"] for s in self.api.all("sitesByTag", tag=sharp)])
        self.assertEqual([], self.api.all("sitesByTag", tag=odd))
        self.refused(400, "updateSite", self.admin, ["tags"], siteId=site, tags=["c#" + word, sharp])
        self.admin("updateSite", siteId=site, tags=[sharp])
        self.assertEqual([(site, sharp)], [(s["siteId"], s["tag"]) for s in self.api.all("sitesByTag", tag=sharp)])
        self.assertEqual([], self.api.all("sitesByTag", tag=spaced))

    def test_updated_partially(self):
        site = self.site(description="d", scrapedContent="text")
        changed = self.admin.item("updateSite", siteId=site["siteId"], title="New", description=None)
        self.assertEqual(("New", site["createdAt"], "text"),
                         tuple(changed[k] for k in ("title", "createdAt", "scrapedContent")))
        self.assertNotIn("description", changed)
        self.attributes(self.stored("SITE#" + site["siteId"], "METADATA"), description=None, title={"S": "New"},
                        entitySk={"S": "SITE#" + site["siteId"]})
        self.refused(404, "updateSite", self.admin, siteId=new_ulid(), title="t")
        self.refused(400, "updateSite", self.admin, ["title"], siteId=site["siteId"], title=None)

    def test_listed_newest_first(self):
        site_ids = []
        for n in range(5):
            site_ids.append(self.site(title=f"n{n}", scrapedContent="long")["siteId"])
            time.sleep(0.002)       # ids of the same millisecond have no time order
        newest = site_ids[::-1]
        seen = [s["siteId"] for s in self.api.all("sites", limit=2) if s["siteId"] in site_ids]
        self.assertEqual(newest, seen)
        self.assertEqual(newest, [s["siteId"] for s in self.api("sites", limit=1000)["items"] if s["siteId"] in site_ids])
        oldest = [s["siteId"] for s in self.api.all("sites", descending=False, limit=3) if s["siteId"] in site_ids]
        self.assertEqual(site_ids, oldest)
        self.assertNotIn("scrapedContent", self.api("sites", limit=1)["items"][0])

    def test_deleted_with_tags_ratings_and_comments(self):
        site, other_site = self.site(tags=["x1", "y1"])["siteId"], self.site()["siteId"]
        users = [self.someone() for _ in range(6)]
        for n, (_, user) in enumerate(users):
            user("rateSite", siteId=site, stars=n % 5 + 1)
            user("rateSite", siteId=other_site, stars=n % 5 + 1)
            user("addComment", siteId=site, body="b")
        self.admin("deleteSite", siteId=site)
        self.assertEqual([], self.partition("SITE#" + site))
        for sub, user in users:
            self.assertEqual([other_site], [r["siteId"] for r in user.all("myRatings")])
            self.assertEqual([], self.api.all("commentsOfUser", userId=sub))
        self.refused(404, "site", siteId=site)
        self.refused(404, "deleteSite", self.admin, siteId=site)
        self.refused(404, "rateSite", users[0][1], siteId=site, stars=1)


class Ratings(Catalog):
    def test_one_rating_per_user_and_site(self):
        site = self.site()["siteId"]
        sub, user = self.someone()
        first = user.item("rateSite", siteId=site, stars=5, note="good")
        self.assertEqual((site, 5, "good", sub), tuple(first[k] for k in ("siteId", "stars", "note", "userId")))
        self.attributes(self.stored("USER#" + sub, "SITE#" + site), Type={"S": "Rating"}, stars={"N": "5"},
                        starRating={"N": "5"},
                        siteId={"S": "SITE#" + site}, note={"S": "good"})
        user("rateSite", siteId=site, stars=3)
        self.attributes(self.stored("USER#" + sub, "SITE#" + site), stars={"N": "3"}, starRating={"N": "3"}, note=None)

        def with_stars(stars):
            return [r["siteId"] for r in self.api.all("ratingsByStars", stars=stars, limit=3) if r["userId"] == sub]

        self.assertEqual(([], [site]), (with_stars(5), with_stars(3)))
        self.assertEqual(3, user.item("myRating", siteId=site)["stars"])
        user("unrateSite", siteId=site)
        self.refused(404, "myRating", user, siteId=site)
        self.refused(404, "unrateSite", user, siteId=site)
        self.assertEqual([], with_stars(3))
        self.refused(404, "rateSite", user, siteId=new_ulid(), stars=3)
        self.refuses_each("rateSite", {"siteId": site, "stars": 3},
                          {"stars": [0, 6, 2.5, "3"], "note": ["n" * 2001], "siteId": ["x y"]}, user)
        self.refused(400, "rateSite", user, ["userId"], siteId=site, stars=3, userId="somebody else")

    def test_my_ratings_are_mine_and_ratings_alone(self):
        sub, user = self.someone()
        _, other = self.someone()
        sites = sorted(self.site()["siteId"] for _ in range(5))
        group = tag("group ")
        self.admin("createGroup", name=group)
        self.admin("addMember", groupName=group, userId=sub)
        for site in sites:
            user("rateSite", siteId=site, stars=4)
            user("addComment", siteId=site, body="b")
        other("rateSite", siteId=sites[0], stars=1)
        self.check_list("myRatings", sites, "siteId", api=user)
        self.assertEqual(1, other.item("myRating", siteId=sites[0])["stars"])
        self.check_some_of_list("ratingsByStars", sites, lambda r: r["siteId"], self.api, (2,),
                                lambda r: r["userId"] == sub, stars=4)
        index = [i for i in self.index_query("byStars", "starRating", 4) if i["PK"]["S"] == "USER#" + sub]
        self.assertEqual(5, len(index))
        self.refused(400, "ratingsByStars", fields=["stars"], stars=6)


class Comments(Catalog):
    def test_under_their_site_and_by_their_author(self):
        site, second = self.site()["siteId"], self.site()["siteId"]
        sub, user = self.someone()
        comment = user.item("addComment", siteId=site, body="first")
        self.assertEqual((sub, "first", site), tuple(comment[k] for k in ("userId", "body", "siteId")))
        stored = self.stored("SITE#" + site, "COMMENT#" + comment["commentId"])
        self.attributes(stored, Type={"S": "Comment"}, body={"S": "first"}, userId={"S": sub},
                        commentId={"S": comment["commentId"]})
        other_sub, other = self.someone()
        ids = sorted([comment["commentId"]] + [(user if n % 2 else other).item("addComment", siteId=site,
                                                                               body=str(n))["commentId"]
                                            for n in range(5)])
        user("addComment", siteId=second, body="elsewhere")
        self.check_list("commentsOfSite", ids, "commentId", siteId=site)
        mine = sorted(c["commentId"] for s in (site, second) for c in self.api.all("commentsOfSite", siteId=s)
                      if c["userId"] == sub)
        self.check_list("commentsOfUser", mine, "commentId", userId=sub)
        self.assertEqual(3, len(self.api.all("commentsOfUser", userId=other_sub)))
        self.refused(404, "addComment", user, siteId=new_ulid(), body="b")
        self.refuses_each("addComment", {"siteId": site, "body": "b"}, {"body": ["", "b" * 4001, 5], "siteId": ["x y"]},
                          user)

    def test_only_its_author_edits_and_its_author_or_an_admin_deletes(self):
        site = self.site()["siteId"]
        _, user = self.someone()
        _, other = self.someone()
        comment = user.item("addComment", siteId=site, body="first")
        key = {"siteId": site, "commentId": comment["commentId"]}
        self.assertEqual("second", user.item("editComment", **key, body="second")["body"])
        for stranger in (other, self.admin):
            self.refused(403, "editComment", stranger, **key, body="not mine")
        self.refused(403, "deleteComment", other, **key)
        self.assertEqual(["second"], [c["body"] for c in self.api.all("commentsOfSite", siteId=site)])
        user("deleteComment", **key)
        for operation, more in (("editComment", {"body": "b"}), ("deleteComment", {})):
            self.refused(404, operation, user, **key, **more)
        again = user.item("addComment", siteId=site, body="spam")
        self.admin("deleteComment", siteId=site, commentId=again["commentId"])
        self.assertEqual([], self.api.all("commentsOfSite", siteId=site))


class Groups(Catalog):
    def test_created_updated_and_listed(self):
        names = sorted(tag("Group ") for _ in range(4))
        for name in names:
            self.admin("createGroup", name=name, description="d", permissions=["read", "write"])
        key = "GROUP#" + names[0]
        self.attributes(self.stored(key, "METADATA"), entityType={"S": "GROUP"}, entitySk={"S": key},
                        Type={"S": "Group"},
                        name={"S": names[0]}, permissions={"L": [{"S": "read"}, {"S": "write"}]})
        self.check_some_of_list("groups", names, lambda g: g["name"], self.api, (1, 3), lambda g: g["name"] in names)
        changed = self.admin.item("updateGroup", name=names[0], permissions=["read"], description=None)
        self.assertEqual(["read"], changed["permissions"])
        self.assertNotIn("description", self.api.item("group", name=names[0]))
        self.refused(409, "createGroup", self.admin, name=names[0])
        self.refused(404, "updateGroup", self.admin, name=tag(), description="d")
        self.refused(404, "group", name=tag())
        self.refuses_each("createGroup", {"name": tag()}, {"name": ["", "a/b", "n" * 65], "permissions": ["x", [5]]},
                          self.admin)

    def test_members(self):
        group, second = tag("g-"), tag("g-")
        for name in (group, second):
            self.admin("createGroup", name=name)
        users = sorted(tag("u-") for _ in range(5))
        for user in users:
            self.admin("addMember", groupName=group, userId=user)
        self.admin("addMember", groupName=second, userId=users[0])
        self.check_list("membersOfGroup", users, "userId", groupName=group)
        self.check_list("groupsOfUser", sorted([group, second]), "groupName", userId=users[0])
        stored = self.stored("USER#" + users[0], "MEMBERSHIP#" + group)
        self.attributes(stored, Type={"S": "Membership"}, groupName={"S": group}, userId={"S": users[0]})
        self.assertTrue(plain(stored["addedBy"]).startswith("admin-"))
        self.admin("removeMember", groupName=group, userId=users[0])
        self.refused(404, "removeMember", self.admin, groupName=group, userId=users[0])
        self.check_list("membersOfGroup", users[1:], "userId", groupName=group)
        self.refused(404, "addMember", self.admin, groupName=tag(), userId="u")
        self.admin("deleteGroup", name=group)
        self.refused(404, "group", name=group)
        self.refused(404, "deleteGroup", self.admin, name=group)
        self.assertEqual([], self.api.all("membersOfGroup", groupName=group))
        self.assertEqual([second], [m["groupName"] for m in self.api.all("groupsOfUser", userId=users[0])])


ZEveryOperation = coverage("site-catalog", """
    createSite updateSite deleteSite site sites sitesByTag rateSite unrateSite myRating myRatings ratingsByStars addComment
    editComment deleteComment commentsOfSite commentsOfUser createGroup updateGroup deleteGroup group groups addMember
    removeMember groupsOfUser membersOfGroup""")

if __name__ == "__main__":
    harness.run_file()
