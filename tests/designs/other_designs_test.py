#!/usr/bin/python3
"""Designs as users might write them (tests/data/designs), served. Every operation is called, and afterwards every
item matches its design."""

import uuid

import served
from served import Designs, SystemCase, answered_, harness, new_ulid, operations_of, tag

FOLDER = served.DESIGNS.parent / "tests" / "data" / "designs"


class DesignCase(SystemCase):
    """One design. The test ends with verify_all(): all operations have succeeded, and verify finds no faults."""

    @classmethod
    def setUpClass(cls):
        if not served.is_shared():
            served.shared_ = Designs(designs=FOLDER)
        super().setUpClass()

    def eventually(self, expected, read):
        harness.until(lambda: read() == expected, str(expected))

    def verify_all(self):
        self.assertEqual(set(), operations_of(self.api) - answered_.get(self.design, set()), "never seen to work")
        running = self.designs
        done = harness.run_program("design", "verify", FOLDER / f"{self.design}.yaml", "--on", running.items_url,
                                   "--keys", running.ring, "--blobs", running.blobs, env=running.environment)
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertIn("0 faults", done.stdout)


class Hotel(DesignCase):
    design = "hotel"

    def test_nights_are_sold_once(self):
        hotel = self.api.item("createHotel", name="A", city="paris", stars=4)["hotelId"]
        room = {"hotelId": hotel, "code": "DBL"}
        self.api("addRoomType", **room, beds=2, total=2, price=100)
        nights = ["2027-01-01", "2027-01-02", "2027-01-03"]
        for night in nights:
            self.api("openNight", **room, date=night, price=120.5)
        email, phone = tag("g") + "@example.com", served.new_phone()
        guest = self.api.item("createGuest", email=email.upper(), name="G", phone=phone)["guestId"]
        self.refused(409, "createGuest", email=email, name="H")
        self.refused(409, "createGuest", email=tag("h") + "@example.com", name="H", phone=phone)
        first = self.api("book", guestId=guest, **room, nights=nights[:2], note="late")
        self.assertEqual(241, first["total"])
        second = self.api("book", guestId=guest, **room, nights=nights[1:])
        with self.assertRaises(served.Refused) as refusal:
            self.api("book", guestId=guest, **room, nights=nights[:2])
        self.assertEqual((409, "Sold out."), (refusal.exception.status, refusal.exception.problem["detail"]))
        self.refused(400, "book", guestId=guest, **room, nights=[nights[0], nights[0]])
        free = lambda: {one["date"]: one["free"] for one in self.api.all("availability", **room)}
        self.assertEqual({nights[0]: 1, nights[2]: 1}, free())
        self.api("confirm", guestId=guest, bookingId=first["bookingId"])
        self.api("cancel", guestId=guest, bookingId=second["bookingId"])
        self.refused(409, "cancel", guestId=guest, bookingId=second["bookingId"])
        self.assertEqual({nights[0]: 1, nights[1]: 1, nights[2]: 2}, free())
        self.assertEqual([first["bookingId"]], [one["bookingId"] for one in self.api.all("arrivals", hotelId=hotel, status="confirmed")])
        self.assertEqual([], self.api.all("arrivals", hotelId=hotel, status="cancelled"))
        self.assertEqual(2, len(self.api.all("bookingsOfHotel", hotelId=hotel)))
        self.assertEqual(2, len(self.api.all("bookingsOfGuest", guestId=guest)))
        self.api("updateGuest", guestId=guest, phone=None)
        self.refused(404, "guestByPhone", phone=phone)
        self.api("createGuest", email=tag("i") + "@example.com", name="I", phone=phone)
        self.api("guestByPhone", phone=phone)
        self.assertEqual(guest, self.api.item("guestByEmail", email=email)["guestId"])
        self.assertEqual(10, self.api.item("guest", guestId=guest)["points"])
        self.api("review", hotelId=hotel, guestId=guest, stars=5, text="good")
        self.api("review", hotelId=hotel, guestId=guest, stars=3)
        self.assertEqual({"average": 3, "reviews": 1}, self.api("averageRating", hotelId=hotel))
        self.extremes_of_reviews(hotel, guest)
        self.extremes_of_prices(hotel)
        self.assertEqual(1, len(self.api.all("myReviews", guestId=guest)))
        self.assertEqual({"Hotel", "RoomType", "Review"}, {one["_entity"] for one in self.api.all("hotelWithRooms", hotelId=hotel)})
        self.assertIn(hotel, [one["hotelId"] for one in self.api.all("inCity", city="paris", stars="4")])
        self.api("updateHotel", hotelId=hotel, stars=5)
        self.assertEqual([5], [one["stars"] for one in self.api.all("inCityAll", city="paris") if one["hotelId"] == hotel])
        self.api("changeRoomType", **room, total=3)
        self.eventually(3, lambda: self.api.item("hotel", hotelId=hotel)["rooms"])
        self.api("addRoomType", hotelId=hotel, code="SGL", beds=1, total=4, price=50)
        self.assertEqual(2, len(self.api.all("roomTypes", hotelId=hotel)))
        self.api("dropRoomType", hotelId=hotel, code="SGL")
        self.eventually(3, lambda: self.api.item("hotel", hotelId=hotel)["rooms"])
        self.assertEqual(1, len(self.api.all("reviews", hotelId=hotel)))
        self.api("removeReview", hotelId=hotel, guestId=guest)
        self.assertEqual({"average": 0, "reviews": 0}, self.api("averageRating", hotelId=hotel))
        self.api("review", hotelId=hotel, guestId=guest, stars=1)
        self.api("closeHotel", hotelId=hotel)
        self.assertEqual([], self.api.all("hotelWithRooms", hotelId=hotel))
        self.api("deleteGuest", guestId=guest)
        self.verify_all()


    def extremes_of_reviews(self, hotel, guest):
        def figures():
            item = self.api.item("hotel", hotelId=hotel)
            return item.get("best"), item.get("worst")

        self.assertEqual((3, 3), figures())
        other = self.api.item("createGuest", email=tag("o") + "@example.com", name="O")["guestId"]
        for stars, both in ((5, (5, 3)), (1, (3, 1)), (4, (4, 3))):
            self.api("review", hotelId=hotel, guestId=other, stars=stars)
            self.assertEqual(both, figures())
        self.api("removeReview", hotelId=hotel, guestId=guest)
        self.assertEqual((4, 4), figures())
        self.api("removeReview", hotelId=hotel, guestId=other)
        self.assertEqual((None, None), figures())
        self.api("review", hotelId=hotel, guestId=guest, stars=3)
        self.assertEqual((3, 3), figures())

    def extremes_of_prices(self, hotel):
        def figures():
            item = self.api.item("hotel", hotelId=hotel)
            return item.get("cheapest"), item.get("dearest")

        first = self.api.all("roomTypes", hotelId=hotel)[0]["price"]
        self.eventually((first, first), figures)
        self.api("addRoomType", hotelId=hotel, code="XS", beds=1, total=1, price=9.5)
        self.api("addRoomType", hotelId=hotel, code="XL", beds=8, total=1, price=900)
        self.eventually((9.5, 900), figures)
        self.api("changeRoomType", hotelId=hotel, code="XS", price=20.25)
        self.eventually((20.25, 900), figures)
        for code in ("XS", "XL"):
            self.api("dropRoomType", hotelId=hotel, code=code)
        self.eventually((first, 900), figures)       # the most expensive one is never returned


class Social(DesignCase):
    design = "social"

    def test_people_and_posts(self):
        names = [tag("a")[:12].lower().replace("-", "_") for _ in range(3)]
        first, second = (self.api.item("join", handle=name)["id"] for name in names[:2])
        self.refused(409, "join", handle=names[0])
        self.assertEqual(first, self.api.item("userByHandle", handle=names[0])["id"])
        self.api("profile", id=first, handle=names[2], settings={"private": True, "theme": "dark"})
        self.refused(409, "profile", id=second, handle=names[2])
        self.assertEqual(first, self.api.item("handleHolder", handle=names[2])["id"])
        self.api("join", handle=names[0])
        both = {"follower": second, "followed": first}
        self.api("follow", **both)
        self.refused(409, "follow", **both)
        self.assertTrue(self.api.item("mute", **both)["muted"])
        self.assertTrue(self.api.item("isFollowing", **both)["muted"])
        self.assertEqual([second], [one["follower"] for one in self.api.all("followersOf", followed=first)])
        self.assertEqual([first], [one["followed"] for one in self.api.all("followedBy", follower=second)])
        old, new = tag("x").lower().replace("-", ""), tag("y").lower().replace("-", "")
        post = self.api("publish", author=first, body="hello", hashtags=[old])["postId"]
        self.api("retag", postId=post, hashtags=[new])
        self.assertEqual([], self.api.all("byTag", hashtag=old))
        self.assertEqual([first], [one["author"] for one in self.api.all("byTag", hashtag=new)])
        reply = self.api.item("reply", author=second, body="yes", inReplyTo=post)["postId"]
        self.api("like", postId=post, user=second)
        self.refused(409, "like", postId=post, user=second)
        self.assertEqual((1, 1), tuple(self.api.item("post", postId=post)[name] for name in ("likes", "replies")))
        self.assertEqual({"Post", "Like"}, {one["_entity"] for one in self.api.all("postWithLikes", postId=post)})
        self.assertEqual([post], [one["postId"] for one in self.api("timeline", owner=second)["posts"]])
        self.assertEqual([post], [one["postId"] for one in self.api.all("feed", owner=second)])
        self.assertEqual([post], [one["postId"] for one in self.api.all("postsOf", author=first)])
        self.assertEqual([post], [one["postId"] for one in self.api.all("likesOf", user=second)])
        self.eventually(1, lambda: self.api.item("user", id=first)["posts"])
        self.api("unlike", postId=post, user=second)
        self.api("like", postId=post, user=second)
        self.api("unfollow", **both)
        self.api("unfollow", **both)
        self.assertEqual(0, self.api.item("user", id=first)["followers"])
        self.api("follow", **both)
        self.api("deletePost", postId=post)
        self.assertEqual([], self.api.all("postWithLikes", postId=post))
        self.api("deletePost", postId=reply)
        self.api("leave", id=second)
        self.assertEqual(0, self.api.item("user", id=first)["followers"])
        self.verify_all()


class Wallet(DesignCase):
    design = "wallet"

    def customer(self):
        one = self.api.item("open", iban="DE" + str(uuid.uuid4().int)[:18], email=tag("w") + "@example.com")
        self.api("submitKyc", customerId=one["customerId"])
        self.assertIn(one["customerId"], [each["customerId"] for each in self.api.all("pendingKyc")])
        self.api("decideKyc", customerId=one["customerId"], ok=True)
        self.api("openAccount", customerId=one["customerId"], currency="CHF")
        return one

    def balance(self, customer):
        return self.api.item("account", customerId=customer, currency="CHF")["balance"]

    def test_money_moves_once(self):
        payer, payee = self.customer(), self.customer()
        self.assertEqual(payer["customerId"], self.api.item("byIban", iban=payer["iban"])["customerId"])
        self.assertEqual("verified", self.api.item("customer", customerId=payer["customerId"])["kyc"])
        a, b = payer["customerId"], payee["customerId"]
        self.refused(409, "decideKyc", customerId=a, ok=False)
        self.api("deposit", customerId=a, currency="CHF", amount=1000)
        transfer, reference = new_ulid(), tag("inv-")
        send = {"from": a, "to": b, "currency": "CHF", "amount": 300}
        self.api("send", transferId=transfer, reference=reference, text="hello", **send)
        self.refused(409, "send", transferId=transfer, **send)
        self.refused(409, "send", transferId=new_ulid(), reference=reference, **send)
        self.refused(409, "send", transferId=new_ulid(), **{**send, "amount": 701})
        self.refused(400, "send", transferId=new_ulid(), **{**send, "to": a})
        self.api("block", customerId=b, currency="CHF", blocked=True)
        self.refused(409, "send", transferId=new_ulid(), **send)
        self.api("block", customerId=b, currency="CHF", blocked=False)
        self.assertEqual((700, 300), (self.balance(a), self.balance(b)))
        self.assertEqual([-300, 1000], [one["amount"] for one in self.api.all("statement", customerId=a, currency="CHF")])
        self.assertEqual(2, len(self.api.all("movementsOf", transferId=transfer)))
        self.assertEqual(transfer, self.api.item("transferByReference", **{"from": a}, reference=reference)["transferId"])
        at = self.api.item("transfer", transferId=transfer)["at"]
        # Any time of a day finds the transfers of that day.
        day = self.api.all("transfersOfDay", at=at[:10] + "T00:00:00.000Z", currency="CHF")
        self.assertIn(transfer, [one["transferId"] for one in day])
        self.assertEqual({"Customer", "Account"}, {one["_entity"] for one in self.api.all("overview", customerId=a)})
        totals = lambda: [one["count"] for one in self.api.all("totals", currency="CHF")]
        self.eventually([1], totals)
        self.api("reverse", transferId=transfer)
        self.refused(409, "reverse", transferId=transfer)
        self.assertEqual((1000, 0), (self.balance(a), self.balance(b)))
        self.eventually([0], totals)
        self.verify_all()


class Files(DesignCase):
    design = "files"

    def test_names_stay_when_entries_go(self):
        org, owner, friend = tag("o"), str(uuid.uuid4()), str(uuid.uuid4())
        root = self.api.item("mkdir", org=org, name="root")["folderId"]
        self.assertEqual("root", self.api.item("folder", org=org, folderId=root)["name"])    # it has no entry among children
        sub = self.api.item("mkdir", org=org, name="sub", parentId=root)["folderId"]
        self.refused(409, "mkdir", org=org, name="sub", parentId=root)
        self.assertEqual(["sub"], [one["name"] for one in self.api.all("children", org=org, parentId=root)])
        file = {"org": org, "fileId": self.api.item("upload", org=org, folderId=sub, name="a.txt", size=10, owner=owner)["fileId"]}
        self.refused(409, "upload", org=org, folderId=sub, name="a.txt", size=1, owner=owner)
        self.api("upload", org=org, folderId=sub, name="b.txt", size=2000, owner=owner, content="aGVsbG8=")
        self.assertEqual(file["fileId"], self.api.item("fileByName", org=org, folderId=sub, name="a.txt")["fileId"])
        self.assertEqual([2000, 10], [one["size"] for one in self.api.all("largest", org=org)])
        self.assertEqual(["b.txt"], [one["name"] for one in self.api.all("filesNamed", org=org, folderId=sub, name="b")])
        self.api("label", **file, label="x")
        self.api("unlabel", **file, label="x")
        self.assertEqual({"k.1": "v"}, self.api.item("setMeta", **file, key="k.1", value="v")["meta"])
        self.assertEqual({"k.1": "v", "l": "w"}, self.api.item("setMeta", **file, key="l", value="w")["meta"])
        self.api("moveFile", **file, folderId=root)
        self.eventually((1, 10), lambda: tuple(self.api.item("folder", org=org, folderId=root)[name] for name in ("files", "bytes")))
        self.api("trashFile", **file)
        self.assertEqual(["a.txt"], [one["name"] for one in self.api.all("trash", org=org)])
        self.assertEqual([], self.api.all("filesIn", org=org, folderId=root))
        self.assertEqual(1, len(self.api.all("mine", org=org, owner=owner)))
        self.api("restore", **file)
        self.assertEqual(["a.txt"], [one["name"] for one in self.api.all("filesIn", org=org, folderId=root)])
        self.api("share", **file, grantee=friend, permission="read")
        self.assertEqual(1, len(self.api.all("sharedWith", grantee=friend, org=org)))
        self.assertEqual(1, len(self.api.all("shares", **file)))
        self.assertTrue(self.api("canRead", **file, user=friend)["allowed"])
        self.api("unshare", **file, grantee=friend)
        self.assertFalse(self.api("canRead", **file, user=friend)["allowed"])
        self.api("share", **file, grantee=friend, permission="write")
        self.api("renameFolder", org=org, folderId=sub, name="sub2")
        self.api("mkdir", org=org, name="sub", parentId=root)
        self.assertEqual("c.txt", self.api.item("save", **file, name="c.txt")["name"])
        self.assertEqual("c.txt", self.api.item("file", **file)["name"])
        self.api("deleteForever", **file)
        self.api("upload", org=org, folderId=root, name="c.txt", size=1, owner=owner)
        self.verify_all()


class States(DesignCase):
    design = "states"

    def test_conditions_see_what_keys_store(self):
        name = "".join(c for c in tag("s").lower() if c.isalpha())[:9] or "s"
        thing = {"id": name}
        self.api("make", **thing, state="new", when="2026-01-01T00:00:00Z", label="x", tags=["p", "q"])
        self.assertEqual("y", self.api.item("relabel", **thing, label="y")["label"])
        self.api("touchIt", **thing, at="2026-02-01T00:00:00Z")
        self.refused(422, "touchIt", **thing, at="2026-01-15T00:00:00Z")
        self.refused(422, "drop", **thing)
        self.assertIn(name, [one["id"] for one in self.api.all("inState", state="new")])
        self.assertIn(name, [one["id"] for one in self.api.all("newest", state="new")])
        self.assertEqual("done", self.api.item("finish", **thing)["state"])
        self.refused(422, "finish", **thing)
        self.assertIn(name, [one["id"] for one in self.api.all("inState", state="done")])
        self.assertEqual({"k": 5}, self.api.item("put1", **thing, k="k", v=5)["m"])
        self.assertEqual({"k": 7}, self.api.item("put3", **thing, k="k")["m"])
        self.api("cm", **thing, k="k")
        self.refused(422, "cm", **thing, k="none")
        self.assertEqual({}, self.api.item("put2", **thing, k="k").get("m", {}))
        self.api("sz", **thing)
        self.assertEqual(6, self.api.item("thing", **thing)["n"])
        self.api("drop", **thing)
        self.refused(422, "drop", **thing)
        self.refused(422, "drop2", **thing)
        self.api("make", **thing, state="new", when="2026-01-01T00:00:00Z", label="x")
        self.api("drop2", **thing)
        self.verify_all()


class News(DesignCase):
    design = "news"

    def test_subscribers_and_campaigns(self):
        account, email = tag("a").lower(), tag("n") + "@example.com"
        owner = self.api.as_caller(sub="o", groups=["owner"], account=account)
        staff = self.api.as_caller(sub="s", account=account)
        self.refused(401, "createList", api=self.api.as_nobody(), account=account, title="T")
        self.refused(403, "createList", api=staff, account=account, title="T")
        mine = {"account": account, "listId": owner.item("createList", account=account, title="T")["listId"]}
        token = self.api.item("subscribe", **mine, email=email.upper(), attributes={"a": "1"})["token"]
        self.refused(409, "subscribe", **mine, email=email)
        self.assertEqual("pending", self.api.item("byToken", token=token)["status"])
        self.api("confirm", token=token)
        self.refused(409, "confirm", token=token)
        self.assertEqual({"a": "1", "b.c": "2"}, staff.item("setAttribute", **mine, email=email, name="b.c", value="2")["attributes"])
        self.assertEqual([10, 19], [self.api.item("raise", **mine, email=email, by=10)["score"] for _ in range(2)])
        self.assertEqual([email], [one["email"] for one in staff.all("byStatus", **mine, status="active")])
        self.assertEqual([email], [one["email"] for one in staff.all("startingWith", **mine, email="n")])
        self.assertEqual(email, staff.item("subscriber", **mine, email=email)["email"])
        campaign = {"account": account, "campaignId": staff.item("draft", **mine, subject="Hi", body="b" * 150000)["campaignId"]}
        self.refused(400, "schedule", api=owner, **campaign, sendAt="2020-01-01T00:00:00Z")
        owner("schedule", **campaign, sendAt="2027-01-01T08:00:00Z")
        due = lambda: campaign["campaignId"] in [one["campaignId"] for one in self.api.all("due", sendAt="2027-01-01T00:00:00Z")]
        self.assertTrue(due())
        self.assertEqual("short", staff.item("edit", **campaign, body="short")["body"])
        self.api("start", **campaign)
        self.assertFalse(due())
        for kind in ("open", "open", "click"):
            self.api("track", **campaign, email=email, type=kind)
        self.eventually((2, 1), lambda: tuple(staff.item("campaign", **campaign)[name] for name in ("opens", "clicks")))
        self.assertEqual(1, len(staff.all("campaigns", account=account)))
        self.assertEqual([email] * 2, self.api("lastEvents", campaignId=campaign["campaignId"])["opens"])
        self.assertEqual(3, len(self.api.all("events", campaignId=campaign["campaignId"])))
        # The stream's reader may have counted the subscriber as pending before confirmation: that count is then 0.
        counts = lambda: staff.all("lists", account=account)[0].get("byStatus") or {}
        self.eventually({"active": 1}, lambda: {status: count for status, count in counts().items() if count})
        self.assertEqual("T", staff.item("list", **mine)["title"])
        self.api("unsubscribe", token=token)
        self.assertEqual(1, len(staff.all("subscribers", **mine)))
        owner("removeList", **mine)
        self.assertEqual([], staff.all("subscribers", **mine))
        self.verify_all()


if __name__ == "__main__":
    harness.run_file()
