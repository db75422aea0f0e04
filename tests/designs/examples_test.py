#!/usr/bin/python3
"""The designs of designs/examples, served: every operation is called, and afterwards every item matches its design."""

import datetime

import served
from served import ULID, Designs, SystemCase, answered_, harness, new_ulid, operations_of, tag, together

EXAMPLES = served.DESIGNS / "examples"


class ExampleCase(SystemCase):
    """One example. The test named `test_z_...` runs last: all operations have succeeded, and verify finds no faults."""

    @classmethod
    def setUpClass(cls):
        if not served.is_shared():
            served.shared_ = Designs(designs=EXAMPLES)
        super().setUpClass()

    def verify_all(self):
        self.assertEqual(set(), operations_of(self.api) - answered_.get(self.design, set()), "never seen to work")
        running = self.designs
        done = harness.run_program("design", "verify", EXAMPLES / f"{self.design}.yaml", "--on", running.items_url,
                                   "--keys", running.ring, "--blobs", running.blobs, env=running.environment)
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertIn("0 faults", done.stdout)


class OnlineShop(ExampleCase):
    design = "online-shop"

    def product(self, stock, price="9.50"):
        sku = tag("SKU-").upper()
        self.api("createProduct", sku=sku, title="A lamp", category="lamps", price=float(price))
        self.api("receiveStock", sku=sku, quantity=stock)
        return sku

    def customer(self):
        return self.api.item("createCustomer", email=tag("c") + "@example.com", name="Ada")

    def order(self, customer):
        return self.api.item("openOrder", customerId=customer)["orderId"]

    def stock(self, sku):
        return self.api.item("product", sku=sku)["stock"]

    def test_customers_have_one_email_each(self):
        one = self.customer()
        self.refused(409, "createCustomer", email=one["email"], name="Eve")
        self.assertEqual(one["customerId"], self.api.item("customerByEmail", email=one["email"])["customerId"])
        other = tag("n") + "@example.com"
        self.api("updateCustomer", customerId=one["customerId"], email=other)
        self.assertEqual("Ada", self.api.item("customer", customerId=one["customerId"])["name"])
        self.api("createCustomer", email=one["email"], name="Eve")

    def test_catalog(self):
        sku = self.product(3)
        self.refused(409, "createProduct", sku=sku, title="A lamp", category="lamps", price=1)
        self.api("reprice", sku=sku, price=12)
        self.assertEqual(12, self.api.item("product", sku=sku)["price"])
        self.assertIn(sku, [one["sku"] for one in self.api.all("productsOf", category="lamps")])

    def test_an_order_takes_stock_and_gives_it_back(self):
        customer, lamp, chair = self.customer()["customerId"], self.product(5), self.product(1)
        order = self.order(customer)
        mine = {"customerId": customer, "orderId": order}
        self.refused(409, "place", **mine)      # it has no order lines
        self.api("addLine", **mine, sku=lamp, quantity=2)
        self.refused(409, "addLine", **mine, sku=lamp, quantity=1)
        self.refused(409, "addLine", **mine, sku=chair, quantity=2)
        self.api("addLine", **mine, sku=chair, quantity=1)
        self.assertEqual((3, 0), (self.stock(lamp), self.stock(chair)))
        whole = self.api("order", **mine)
        self.assertEqual((28.5, 2), (whole["total"], len(whole["lines"])))
        self.api("removeLine", **mine, sku=chair)
        self.assertEqual(1, self.stock(chair))
        self.api("place", **mine)
        self.refused(409, "addLine", **mine, sku=chair, quantity=1)
        self.api("pay", **mine)
        self.assertIn(order, [one["orderId"] for one in self.api.all("ordersByStatus", status="paid")])
        self.api("cancel", **mine)
        self.assertEqual(5, self.stock(lamp))
        self.refused(409, "cancel", **mine)
        self.assertEqual(5, self.stock(lamp))
        self.assertEqual("cancelled", self.api.all("orders", customerId=customer)[0]["status"])

    def test_an_order_of_many_lines_is_placed_and_cancelled_whole(self):
        customer = self.customer()["customerId"]
        skus = [self.product(3) for _ in range(30)]
        lines = [{"sku": sku, "quantity": 2} for sku in skus]
        self.refused(409, "buy", customerId=customer, lines=lines[:-1] + [{"sku": skus[-1], "quantity": 4}])
        self.refused(404, "buy", customerId=customer, lines=lines[:-1] + [{"sku": "NONE", "quantity": 1}])
        self.refused(404, "buy", customerId=new_ulid(), lines=lines)
        self.refused(400, "buy", customerId=customer, lines=lines + lines[:1])      # more than 30
        self.refused(400, "buy", customerId=customer, lines=lines[:1] + lines[:1])  # the same product twice
        self.assertEqual([3] * 30, [self.stock(sku) for sku in skus])
        order = self.api("buy", customerId=customer, lines=lines)["orderId"]
        self.assertEqual([1] * 30, [self.stock(sku) for sku in skus])
        whole = self.api("order", customerId=customer, orderId=order)
        self.assertEqual((30, 30, 570), (whole["order"]["lines"], len(whole["lines"]), whole["total"]))
        self.api("cancel", customerId=customer, orderId=order)
        self.assertEqual([3] * 30, [self.stock(sku) for sku in skus])
        self.refused(409, "cancel", customerId=customer, orderId=order)

    def test_an_account_is_the_customer_with_the_newest_orders(self):
        customer = self.customer()["customerId"]
        orders = [self.order(customer) for _ in range(3)]
        account = self.api("account", customerId=customer)["items"]
        self.assertEqual(["Order", "Order", "Order", "Customer"], [one["_entity"] for one in account])
        self.assertEqual(orders[::-1], [one["orderId"] for one in account[:3]])
        self.assertEqual("Ada", account[3]["name"])
        self.assertEqual(orders[::-1][:2], [one["orderId"] for one in self.api("account", customerId=customer, limit=2)["items"]])

    def test_a_reservation_is_collected_once(self):
        customer, lamp = self.customer()["customerId"], self.product(3)
        self.refused(409, "reserve", customerId=customer, sku=lamp, quantity=4)
        held = self.api.item("reserve", customerId=customer, sku=lamp, quantity=2)
        self.assertEqual(1, self.stock(lamp))
        order = self.api("collect", sku=lamp, reservationId=held["reservationId"])["orderId"]
        self.refused(410, "collect", sku=lamp, reservationId=held["reservationId"])
        self.assertEqual(19, self.api("order", customerId=customer, orderId=order)["total"])
        self.assertEqual(1, self.stock(lamp))
        self.api("returnStock", sku=lamp, quantity=2)
        self.assertEqual(3, self.stock(lamp))

    def test_an_order_goes_its_way(self):
        customer, lamp = self.customer()["customerId"], self.product(5)
        mine = {"customerId": customer, "orderId": self.order(customer)}
        self.api("addLine", **mine, sku=lamp, quantity=1)
        self.refused(409, "ship", **mine)
        for step in ("place", "pay", "ship", "deliver"):
            self.api(step, **mine)
        self.refused(409, "cancel", **mine)

    def test_the_last_one_is_sold_once(self):
        lamp = self.product(3)
        customer = self.customer()["customerId"]
        orders = [self.order(customer) for _ in range(8)]

        def buy(place):
            with_own = self.api.copy()
            try:
                with_own("addLine", customerId=customer, orderId=orders[place], sku=lamp, quantity=1)
                return 1
            except served.Refused as refusal:
                self.assertEqual(409, refusal.status)
                return 0
            finally:
                with_own.close()

        self.assertEqual(3, sum(together(8, buy)))
        self.assertEqual(0, self.stock(lamp))

    def test_z_all_is_as_the_design_says(self):
        self.verify_all()


class IssueTracker(ExampleCase):
    design = "issue-tracker"

    def project(self):
        name = "".join(chr(ord("A") + int(letter, 16)) for letter in tag()[:10])
        self.api("createProject", project=name, name="A project")
        return name

    def open(self, project, **more):
        return self.api("openIssue", project=project, title="It breaks", **more)["number"]

    def test_numbers_follow_each_other(self):
        project = self.project()
        self.refused(409, "createProject", project=project, name="again")
        self.assertEqual([1, 2, 3], [self.open(project) for _ in range(3)])
        numbers = together(6, lambda _: self.designs.api(self.design)("openIssue", project=project, title="t")["number"])
        self.assertEqual([4, 5, 6, 7, 8, 9], sorted(numbers))
        self.check_list("issues", list(range(1, 10)), "number", limits=(2,), project=project, descending=False)
        self.eventually(9, lambda: self.api.item("project", project=project)["issues"])

    def test_state_assignee_and_labels(self):
        project, user = self.project(), tag("u")
        number = self.open(project, assignee=user, labels=["bug", "ui"])
        key = {"project": project, "number": number}
        listed = lambda label: [one["number"] for one in self.api.all("issuesLabelled", project=project, label=label)]
        self.assertEqual(([number], [number]), (listed("bug"), listed("ui")))
        self.api("editIssue", **key, labels=["ui", "later"])
        self.assertEqual(([], [number], [number]), (listed("bug"), listed("ui"), listed("later")))
        state = lambda name: [one["number"] for one in self.api.all("issuesByState", project=project, state=name)]
        self.assertEqual(([number], []), (state("open"), state("closed")))
        self.api("closeIssue", **key)
        self.refused(409, "closeIssue", **key)
        self.assertEqual(([], [number]), (state("open"), state("closed")))
        self.api("reopenIssue", **key)
        of = lambda name: [one["number"] for one in self.api.all("issuesOf", assignee=name, state="open")]
        self.assertEqual([number], of(user))
        other = tag("u")
        self.api("assign", **key, to=other)
        self.assertEqual(([], [number]), (of(user), of(other)))
        self.api("unassign", **key)
        self.assertEqual([], of(other))

    def test_comments_are_counted(self):
        project = self.project()
        key = {"project": project, "number": self.open(project)}
        comments = [self.api("comment", **key, author="ada", body=f"no {i}")["item"]["commentId"] for i in range(3)]
        self.refused(404, "comment", project=project, number=99, author="ada", body="x")
        self.assertEqual(comments, [one["commentId"] for one in self.api.all("comments", **key)])
        self.eventually(3, lambda: self.api.item("issue", **key)["comments"])
        self.api("deleteComment", **key, commentId=comments[1])
        self.eventually(2, lambda: self.api.item("issue", **key)["comments"])

    def test_z_all_is_as_the_design_says(self):
        self.verify_all()


class Chat(ExampleCase):
    design = "chat"

    def test_unread_messages(self):
        room = self.api("createRoom", title="Lunch", owner="ada")["room"]
        unread = lambda user: self.api("unread", room=room, user=user)["unread"]
        self.api("join", room=room, user="grace")
        self.refused(409, "join", room=room, user="grace")
        self.refused(403, "post", room=room, author="eve", text="hello")
        sent = [self.api("post", room=room, author="ada", text=f"no {i}")["item"]["messageId"] for i in range(3)]
        self.eventually(3, lambda: unread("grace"))
        self.api("markRead", room=room, user="grace")
        self.assertEqual((0, 3), (unread("grace"), unread("ada")))
        self.api("join", room=room, user="late")
        self.assertEqual(0, unread("late"))
        self.assertEqual(sent[::-1], [one["messageId"] for one in self.api.all("messages", room=room)])
        self.assertEqual(sent[1:], [one["messageId"] for one in self.api.all("messagesSince", room=room, **{"from": sent[1]})])
        self.refused(403, "edit", room=room, messageId=sent[0], author="grace", text="mine")
        self.api("edit", room=room, messageId=sent[0], author="ada", text="better")
        self.api("deleteMessage", room=room, messageId=sent[2])
        self.eventually(2, lambda: self.api.item("room", room=room)["messages"])

    def test_rooms_and_members(self):
        user = tag("u")
        rooms = [self.api("createRoom", title=f"Room {i}", owner=user)["room"] for i in range(2)]
        self.assertEqual(sorted(rooms), sorted(one["room"] for one in self.api.all("roomsOf", user=user)))
        self.api("rename", room=rooms[0], title="Another")
        self.assertEqual("Another", self.api.item("room", room=rooms[0])["title"])
        self.api("join", room=rooms[0], user="guest")
        self.eventually(2, lambda: self.api.item("room", room=rooms[0])["members"])
        self.assertEqual({user: "owner", "guest": "member"},
                         {one["user"]: one["role"] for one in self.api.all("members", room=rooms[0])})
        self.api("leave", room=rooms[0], user="guest")
        self.eventually(1, lambda: self.api.item("room", room=rooms[0])["members"])

    def test_a_closed_room_is_gone(self):
        room = self.api("createRoom", title="Short", owner="ada")["room"]
        for i in range(5):
            self.api("post", room=room, author="ada", text=f"no {i}")
        self.eventually(5, lambda: self.api.item("room", room=room)["messages"])
        self.api("closeRoom", room=room)
        self.assertEqual([], self.partition("ROOM#" + room, table="chat"))

    def test_z_all_is_as_the_design_says(self):
        self.verify_all()


class Leaderboard(ExampleCase):
    design = "leaderboard"

    def player(self):
        return self.api.item("createPlayer", name=tag("P"))["player"]

    def test_the_best_score_counts(self):
        board, players = tag("b"), [self.player() for _ in range(4)]
        for player, points in ((0, 50), (1, 900), (2, 1000), (3, 7), (0, 20), (3, 70), (1, 901)):
            self.api("submit", player=players[player], board=board, points=points)
        top = [(players.index(one["player"]), one["best"]) for one in self.api.all("top", board=board)]
        self.assertEqual([(2, 1000), (1, 901), (3, 70), (0, 50)], top)
        self.assertEqual([901, 70], [one["best"] for one in self.api.all("between", board=board, **{"from": 60, "to": 950})])
        mine = self.api.item("score", player=players[0], board=board)
        self.assertEqual((50, 2), (mine["best"], mine["plays"]))
        self.assertEqual([board], [one["board"] for one in self.api.all("scoresOf", player=players[0])])
        self.api("withdraw", player=players[2], board=board)
        self.assertEqual(901, self.api.all("top", board=board)[0]["best"])

    def test_names_are_taken_once(self):
        one = self.api.item("createPlayer", name=tag("N"))
        self.refused(409, "createPlayer", name=one["name"])
        other = tag("N")
        self.api("renamePlayer", player=one["player"], name=other)
        self.assertEqual(one["player"], self.api.item("playerByName", name=other)["player"])
        self.assertEqual(other, self.api.item("player", player=one["player"])["name"])
        self.refused(404, "submit", player=new_ulid(), board="b", points=1)

    def test_z_all_is_as_the_design_says(self):
        self.verify_all()


class IotReadings(ExampleCase):
    design = "iot-readings"

    def test_readings_of_a_device(self):
        site = tag("site-")
        device = self.api.item("install", site=site, model="T1", secret="s3cret")
        self.assertRegex(device["device"], ULID)
        self.assertNotIn("secret", device)
        key = device["device"]
        day = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=1)
        moments = [f"{day}T{hour:02}:{minute:02}:00.000Z" for hour, minute in ((9, 0), (9, 30), (10, 15))]
        for celsius, at in zip((20, 22.5, 19), moments):
            self.api("record", device=key, at=at, celsius=celsius)
        self.assertEqual(19, self.api.item("latest", device=key)["celsius"])
        self.api("record", device=key, at=moments[0], celsius=5, humidity=40)        # late: the latest value is kept
        self.assertEqual(19, self.api.item("latest", device=key)["celsius"])
        self.assertEqual(4, len(self.api.all("day", device=key, day=str(day))))
        self.assertEqual([22.5], [one["celsius"] for one in self.api.all(
            "between", device=key, day=str(day), **{"from": moments[1], "to": moments[1]})])
        self.eventually({"readings": 3, "average": 47.5 / 3},
                        lambda: self.average(key, f"{day}-09"))
        self.assertEqual(2, len(self.api.all("hours", device=key)))
        self.refused(404, "record", device=new_ulid(), at=moments[0], celsius=1)
        self.assertEqual([key], [one["device"] for one in self.api.all("devicesOf", site=site)])
        self.api("move", device=key, site=site + "-2")
        self.assertEqual(([], site + "-2"), (self.api.all("devicesOf", site=site), self.api.item("device", device=key)["site"]))

    def average(self, device, hour):
        try:
            figures = self.api("averageOf", device=device, hour=hour)
        except served.Refused as refusal:
            return refusal.status
        return {"readings": figures["readings"], "average": float(figures["average"])}

    def test_a_device_goes(self):
        device = self.api.item("install", site=tag("s"), model="T1", secret="s")["device"]
        self.api("record", device=device, at="2026-01-01T00:00:00.000Z", celsius=1)
        self.api("remove", device=device)
        self.refused(404, "remove", device=device)
        self.refused(404, "device", device=device)

    def test_z_all_is_as_the_design_says(self):
        self.verify_all()


class Saas(ExampleCase):
    design = "saas"

    def tenant(self):
        name, email = tag("tenant-"), tag("o") + "@example.com"
        owner = self.api("signUp", tenant=name, name="Acme", email=email)["user"]
        return name, owner, email

    def test_seats_are_limited(self):
        name, owner, email = self.tenant()
        self.refused(409, "signUp", tenant=name, name="Other", email=email)
        second = self.api("invite", tenant=name, email="b@example.com")["user"]
        self.refused(409, "invite", tenant=name, email="b@example.com")
        self.api("invite", tenant=name, email="c@example.com", role="admin")
        self.refused(402, "invite", tenant=name, email="d@example.com")
        self.assertEqual(3, self.api.item("tenant", tenant=name)["seats"])
        self.refused(409, "changePlan", tenant=name, plan="free", seatsMax=2)
        self.api("removeMember", tenant=name, user=second)
        self.assertEqual(2, self.api.item("tenant", tenant=name)["seats"])
        self.refused(409, "removeMember", tenant=name, user=owner)
        self.refused(409, "removeMember", tenant=name, user=second)
        self.assertEqual(2, self.api.item("tenant", tenant=name)["seats"])
        self.api("invite", tenant=name, email="b@example.com")
        self.api("changePlan", tenant=name, plan="team", seatsMax=10)
        self.api("invite", tenant=name, email="d@example.com")
        self.assertEqual(4, len(self.api.all("members", tenant=name)))
        self.assertEqual(owner, self.api.item("memberByEmail", tenant=name, email=email)["user"])

    def test_projects(self):
        name, _, _ = self.tenant()
        project = self.api("createProject", tenant=name, name="Site")["item"]["projectId"]
        self.refused(404, "createProject", tenant=tag("none-"), name="Site")
        self.api("archiveProject", tenant=name, projectId=project)
        self.assertEqual([True], [one["archived"] for one in self.api.all("projects", tenant=name)])

    def test_calls_are_limited_and_counted(self):
        name, _, _ = self.tenant()
        key = self.api("createKey", tenant=name, label="ci")["key"]
        self.eventually(name, lambda: self.called(key))
        for _ in range(4):
            self.api("call", key=key, month="2026-01")
        self.assertEqual(5, self.api.item("usage", tenant=name, month="2026-01")["calls"])
        refused = 0
        for _ in range(130):        # at most two windows
            try:
                self.api("call", key=key, month="2026-01")
            except served.Refused as refusal:
                self.assertEqual(429, refusal.status)
                refused += 1
        self.assertGreater(refused, 0)
        hashes = [one["keyHash"] for one in self.api.all("keys", tenant=name)]
        self.api("revokeKey", tenant=name, keyHash=hashes[0])
        self.refused(404, "revokeKey", tenant=name, keyHash=hashes[0])

    def called(self, key):
        try:
            return self.api("call", key=key, month="2026-01")["tenant"]
        except served.Refused as refusal:
            return refusal.status

    def test_z_all_is_as_the_design_says(self):
        self.verify_all()


if __name__ == "__main__":
    harness.run_file()
