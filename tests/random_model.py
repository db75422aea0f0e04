#!/usr/bin/python3
"""Thousands of random operations against a server and against dynamo_model.py, compared after each.

    tests/random_model.py [--seed N] [--steps N] [--older-endpoint]

Prints its seed; the same seed and steps repeat the same requests. A difference is printed with the request and both
replies. --older-endpoint leaves out features that emulators from before 2023 lack (multi-attribute index keys,
ReturnValuesOnConditionCheckFailure, transactions, streams). At the end every stream must rebuild its table.
"""

import argparse
import json
import random as random_module
import re
import sys
import time
from collections import Counter
from decimal import Decimal

import harness
import random_requests as make
from dynamo_model import Index, Refused, Table, canonical, canonical_item, holds, plain_number, project, sort_form
from stream_reader import BrokenStream, StreamReader

ORDERED = ["<", "<=", ">", ">="]


class Difference(Exception):
    pass


def first_fault_only(reasons):
    """Of several invalid actions, only the first has a reason."""
    faults = [place for place, reason in enumerate(reasons) if reason["Code"] == "ValidationError"]
    for place in faults[1:]:
        reasons[place] = {"Code": "None", "Messages": {None}}
    return reasons


def tables(older):
    """The tables of a run: every kind of key, and local, global, sparse, partial, inverted and multi-attribute indexes."""
    found = [
        Table("words", "pk", None, {"pk": "S"}, [
            Index("sparse", ["g1"], [], attributes=[]),
            Index("numbers", ["g2"], ["g4"])]),
        Table("events", "pk", "sk", {"pk": "S", "sk": "N"}, [
            Index("local-all", ["pk"], ["l1"], local=True),
            Index("local-keys", ["pk"], ["l2"], attributes=[], local=True),
            Index("partial", ["g1"], ["g2"], attributes=["txt", "doc0", "cnt"])]),
        Table("blobs", "pk", "sk", {"pk": "N", "sk": "B"}, [
            Index("many", ["g1", "g2"], ["g3", "g4", "g5"]) if not older else Index("few", ["g1"], ["g3"]),
            Index("by-blob", ["sk"], ["pk"])]),
        Table("strings", "pk", "sk", {"pk": "B", "sk": "S"}, [
            Index("inverted", ["sk"], ["pk"], attributes=["lst0", "tgs"]),
            Index("by-bytes", ["g5"], ["sk"])]),
    ]
    for table in found:
        for index in table.indexes:
            table.types.update({name: make.KEY_LIKE[name] for name in index.keys() if name in make.KEY_LIKE})
        table.name = harness.unique(table.name)
    return found


def create(wire, table, older):
    def shape(index):
        return harness.index(index.name, " ".join(index.keys()), "ALL" if index.attributes is None else "KEYS_ONLY",
                             index.attributes, len(index.hash_keys))
    locals_ = [shape(index) for index in table.indexes if index.local]
    globals_ = [shape(index) for index in table.indexes if not index.local]
    types = " ".join(f"{name}:{kind}" for name, kind in table.types.items() if name not in table.key_names())
    parameters = harness.schema(" ".join(f"{name}:{table.types[name]}" for name in table.key_names()), types)
    if locals_:
        parameters["LocalSecondaryIndexes"] = locals_
    if globals_:
        parameters["GlobalSecondaryIndexes"] = globals_
    if not older:
        parameters["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    harness.create_table(wire, table.name, **parameters)


class Run:
    """One run: creates a request, sends it, applies it to the model, and compares the replies."""

    def __init__(self, wire, seed, older):
        self.random = random_module.Random(seed)
        self.wire, self.older = wire, older
        self.tables = tables(older)
        self.counts = Counter()
        self.last_request = None
        for table in self.tables:
            create(wire, table, older)

    def step(self):
        table = self.random.choice(self.tables)
        operation, = self.random.choices(
            [self.put, self.update, self.delete, self.get, self.query, self.scan, self.batch_write, self.batch_get,
             self.transact_write, self.transact_get],
            [30, 30, 10, 10, 25, 4, 3, 3, 0 if self.older else 8, 0 if self.older else 3])
        self.counts[operation.__name__] += 1
        operation(table)

    # --- sending requests and comparing replies

    def send(self, operation, **parameters):
        """The reply, or the DynamoError, of one request."""
        self.last_request = operation, parameters
        try:
            return self.wire.call(operation, **parameters)
        except harness.DynamoError as error:
            return error

    def differ(self, what, server, model):
        operation, parameters = self.last_request
        raise Difference(f"{what}\nrequest: {operation} {json.dumps(parameters)}\nserver:  {server}\nmodel:   {model}")

    def same_refusal(self, reply, refusal):
        """True if both refused in the same way; reports a difference if only one refused."""
        if refusal is None:
            if isinstance(reply, harness.DynamoError):
                self.differ("the server refused what the model accepts", reply, "accepted")
            return False
        if not isinstance(reply, harness.DynamoError):
            self.differ("the server accepted what the model refuses", reply, refusal)
        messages = {message.removeprefix(harness.PREFIX) for message in refusal.messages}
        if reply.code != refusal.code or messages and reply.message.removeprefix(harness.PREFIX) not in messages:
            self.differ("refused differently", reply, refusal)
        return True

    def same_item(self, what, got, expected):
        """Compares two items (None: no item) and the format in which the server writes numbers."""
        if (got or None) is None or (expected or None) is None:
            if (got or None) != (expected or None):
                self.differ(what, got, expected)
            return
        if canonical_item(got) != canonical_item(expected):
            self.differ(what, got, expected)
        self.check_numbers(got)

    def check_numbers(self, item):
        for text in re.findall(r'"N": "([^"]*)"', json.dumps(item)):
            if text != plain_number(text):
                self.differ("a number is not in its normal form", text, plain_number(text))

    # --- keys

    def key(self, table):
        """One of few keys, so that requests conflict; numbers are written in a random format."""
        key = {}
        for place, name in enumerate(table.key_names()):
            kind = table.types[name]
            pool = {"S": [word for word in make.WORDS + make.UNICODE if word], "N": make.WILD,
                    "B": [data for data in make.BYTES if data]}[kind]
            chosen = self.random.choice(pool[:4] if place == 0 and len(table.key_names()) > 1 else pool)
            key[name] = {kind: make.number_text(self.random, chosen) if kind == "N"
                         else make.encode(chosen) if kind == "B" else chosen}
        return key

    def maybe_condition(self, text, parameters):
        if self.random.random() < 0.5:
            return None
        condition = make.condition(self.random, list(make.VALUE_TYPES) + ["pk", "g1", "g2"])
        parameters["ConditionExpression"] = text.condition(condition)
        if not self.older and self.random.random() < 0.5:
            parameters["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return condition

    def write(self, operation, parameters, act, old):
        """Sends a write and applies it to the model; returns (reply, model's reply), both None if both refused."""
        reply = self.send(operation, **parameters)
        try:
            result, refusal = act(), None
        except Refused as error:
            result, refusal = None, error
        if self.same_refusal(reply, refusal):
            if reply.code == "ConditionalCheckFailedException":
                expected = old if "ReturnValuesOnConditionCheckFailure" in parameters else None
                self.same_item("the item of a failed condition", reply.body.get("Item"), expected)
            return None, None
        return reply, result

    # --- one method per operation

    def put(self, table):
        item = {**make.attributes(self.random), **self.key(table)}
        if self.random.random() < 0.02 and table.indexes:
            name = self.random.choice(self.random.choice(table.indexes).keys())
            if name not in table.key_names():
                item[name] = {"BOOL": True}
        text = make.Text(self.random)
        parameters = {"TableName": table.name, "Item": item,
                      "ReturnValues": self.random.choice(["NONE", "ALL_OLD"])}
        condition = self.maybe_condition(text, parameters)
        old = table.get(item)
        reply, _ = self.write("PutItem", {**parameters, **text.parameters()}, lambda: table.put(item, condition), old)
        if reply is not None:
            expected = old if parameters["ReturnValues"] == "ALL_OLD" else None
            self.same_item("the old item of a put", reply.get("Attributes"), expected)

    def delete(self, table):
        text = make.Text(self.random)
        parameters = {"TableName": table.name, "Key": self.key(table),
                      "ReturnValues": self.random.choice(["NONE", "ALL_OLD"])}
        condition = self.maybe_condition(text, parameters)
        old = table.get(parameters["Key"])
        reply, _ = self.write("DeleteItem", {**parameters, **text.parameters()},
                              lambda: table.delete(parameters["Key"], condition), old)
        if reply is not None:
            expected = old if parameters["ReturnValues"] == "ALL_OLD" else None
            self.same_item("the old item of a delete", reply.get("Attributes"), expected)

    def update(self, table):
        returned = self.random.choice(["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
        update = make.update(self.random, nested=not returned.startswith("UPDATED"))
        for verb in list(update):
            update[verb] = [action for action in update[verb]
                            if (action if verb == "REMOVE" else action[0])[0] not in table.key_names()]
            if not update[verb]:
                del update[verb]
        if not update:
            return
        text = make.Text(self.random)
        parameters = {"TableName": table.name, "Key": self.key(table), "ReturnValues": returned,
                      "UpdateExpression": text.update(update)}
        condition = self.maybe_condition(text, parameters)
        old = table.get(parameters["Key"])
        reply, result = self.write("UpdateItem", {**parameters, **text.parameters()},
                                   lambda: table.update(parameters["Key"], update, condition), old)
        if reply is None:
            return
        touched = [(action if verb == "REMOVE" else action[0])[:1] for verb in update for action in update[verb]]
        old, new = result
        expected = {"NONE": None, "ALL_OLD": old, "ALL_NEW": new, "UPDATED_OLD": project(old or {}, touched),
                    "UPDATED_NEW": project(new, touched)}[returned]
        self.same_item(f"{returned} of an update", reply.get("Attributes"), expected)

    def get(self, table):
        text = make.Text(self.random)
        parameters = {"TableName": table.name, "Key": self.key(table), "ConsistentRead": self.random.random() < 0.5}
        paths = None
        if self.random.random() < 0.6:
            paths = make.projection(self.random, list(make.VALUE_TYPES) + table.key_names())
            parameters["ProjectionExpression"] = text.projection(paths)
        reply = self.send("GetItem", **parameters, **text.parameters())
        self.same_refusal(reply, None)
        found = table.get(parameters["Key"])
        expected = found if paths is None or found is None else project(found, paths)
        if ("Item" in reply) != (found is not None):
            self.differ("an item is there or not", reply, found)
        self.same_item("the item of a get", reply.get("Item"), expected)

    def batch_write(self, table):
        requests, seen = [], set()
        for _ in range(self.random.randint(1, 25)):
            key = self.key(table)
            if table.key_of(key) in seen:
                continue
            seen.add(table.key_of(key))
            if self.random.random() < 0.7:
                requests.append({"PutRequest": {"Item": {**make.attributes(self.random), **key}}})
            else:
                requests.append({"DeleteRequest": {"Key": key}})
        reply = self.send("BatchWriteItem", RequestItems={table.name: requests})
        self.same_refusal(reply, None)
        if reply.get("UnprocessedItems"):
            self.differ("a small batch was not processed whole", reply, {})
        for request in requests:
            if "PutRequest" in request:
                table.put(request["PutRequest"]["Item"])
            else:
                table.delete(request["DeleteRequest"]["Key"])

    def batch_get(self, table):
        keys = {table.key_of(key): key for key in (self.key(table) for _ in range(self.random.randint(1, 40)))}
        text, asked, paths = make.Text(self.random), {"Keys": list(keys.values())}, None
        if self.random.random() < 0.5:
            paths = [(name,) for name in table.key_names()] + make.projection(self.random, list(make.VALUE_TYPES))
            asked["ProjectionExpression"] = text.projection(paths)
            asked.update(text.parameters())
        reply = self.send("BatchGetItem", RequestItems={table.name: asked})
        self.same_refusal(reply, None)
        if reply.get("UnprocessedKeys"):
            self.differ("a small batch was not processed whole", reply, {})
        found = [table.items[key] for key in keys if key in table.items]
        expected = found if paths is None else [project(item, paths) for item in found]
        self.same_items("the items of a batch", reply["Responses"][table.name], expected)

    def transact_write(self, _):
        """Actions on different items of any tables. Each refusal by the model must be the reason of its action."""
        actions, seen = [], set()
        for _ in range(self.random.randint(1, 8)):
            table = self.random.choice(self.tables)
            key = self.key(table)
            if (table.name, table.key_of(key)) not in seen:
                seen.add((table.name, table.key_of(key)))
                actions.append((table, key, *self.action(table, key)))
        token = {"ClientRequestToken": f"{self.random.random()}"} if self.random.random() < 0.5 else {}
        request = {"TransactItems": [action for _, _, action, _ in actions], **token}
        reply = self.send("TransactWriteItems", **request)
        before = [dict(table.items) for table in self.tables]
        reasons = first_fault_only([self.reason(*each) for each in actions])
        if any(reason["Code"] != "None" for reason in reasons):
            for table, items in zip(self.tables, before):
                table.items = items
            self.same_cancellation(reply, reasons)
            return
        self.same_refusal(reply, None)
        if token:                       # sent again it changes nothing, which later comparisons will show
            self.same_refusal(self.send("TransactWriteItems", **request), None)

    def action(self, table, key):
        """A random action on an item, and the same for the model."""
        text, parameters = make.Text(self.random), {"TableName": table.name}
        kind = self.random.choice(["Put", "Put", "Delete", "Update", "Update", "ConditionCheck"])
        update = {}
        if kind == "Update":
            update = make.update(self.random, nested=True)
            update = {verb: [each for each in update[verb]
                             if (each if verb == "REMOVE" else each[0])[0] not in table.key_names()] for verb in update}
            update = {verb: each for verb, each in update.items() if each} or {"REMOVE": [("txt",)]}
            parameters["UpdateExpression"] = text.update(update)
        condition = self.maybe_condition(text, parameters)
        if kind == "ConditionCheck" and condition is None:
            kind = "Delete"
        item = {**make.attributes(self.random), **key} if kind == "Put" else None
        parameters["Item" if kind == "Put" else "Key"] = item or key
        act = {"Put": lambda: table.put(item, condition), "Delete": lambda: table.delete(key, condition),
               "Update": lambda: table.update(key, update, condition),
               "ConditionCheck": lambda: table.check(condition, table.get(key))}[kind]
        return {kind: {**parameters, **text.parameters()}}, act

    def reason(self, table, key, action, act):
        """Applies an action to the model; returns the reason that DynamoDB would give, with its possible messages."""
        old = table.get(key)
        try:
            act()
            return {"Code": "None", "Messages": {None}}
        except Refused as refusal:
            parameters, = action.values()
            failed = refusal.code == "ConditionalCheckFailedException"
            shows_item = failed and "ReturnValuesOnConditionCheckFailure" in parameters
            return {"Code": "ConditionalCheckFailed" if failed else "ValidationError", "Messages": refusal.messages,
                    "Item": old if shows_item else None}

    def same_cancellation(self, reply, reasons):
        if not isinstance(reply, harness.DynamoError) or reply.code != "TransactionCanceledException":
            self.differ("a transaction that must be cancelled", reply, reasons)
        got = reply.body["CancellationReasons"]
        if [reason["Code"] for reason in got] != [reason["Code"] for reason in reasons]:
            self.differ("reasons of a cancelled transaction", got, reasons)
        for actual, reason in zip(got, reasons):
            if reason["Messages"] and actual.get("Message") not in reason["Messages"]:
                self.differ("the message of a reason", actual, reason)
            self.same_item("the item of a reason", actual.get("Item"), reason.get("Item"))

    def transact_get(self, _):
        asked, expected, seen = [], [], set()
        for _ in range(self.random.randint(1, 12)):
            table, text = self.random.choice(self.tables), make.Text(self.random)
            key = self.key(table)
            if (table.name, table.key_of(key)) in seen:
                continue
            seen.add((table.name, table.key_of(key)))
            parameters, found = {"TableName": table.name, "Key": key}, table.get(key)
            if self.random.random() < 0.5:
                paths = make.projection(self.random, list(make.VALUE_TYPES) + table.key_names())
                parameters["ProjectionExpression"] = text.projection(paths)
                found = found and project(found, paths)
            asked.append({"Get": {**parameters, **text.parameters()}})
            expected.append(found)
        reply = self.send("TransactGetItems", TransactItems=asked)
        self.same_refusal(reply, None)
        for place, (got, item) in enumerate(zip(reply["Responses"], expected, strict=True)):
            self.same_item(f"the item {place} of a transaction", got.get("Item"), item)

    def same_items(self, what, got, expected):
        theirs, ours = Counter(map(canonical_item, got)), Counter(map(canonical_item, expected))
        if theirs != ours:
            self.differ(what + " (those that differ)", [item for item in got if canonical_item(item) in theirs - ours],
                        [item for item in expected if canonical_item(item) in ours - theirs])
        for item in got:
            self.check_numbers(item)

    # --- Query and Scan

    def query(self, table):
        index = self.random.choice([table.primary] + table.indexes)
        text = make.Text(self.random)
        parts, hash_values = [], []
        sample = self.random.choice(list(table.items.values())) if table.items else {}
        for name in index.hash_keys:
            value = sample.get(name) or self.key_value(table, name)
            hash_values.append(value)
            parts.append(("cmp", "=", ("path", (name,)), ("value", value)))
        tests = self.range_tests(table, index, sample)
        conditions = parts + tests
        if self.random.random() < 0.3:
            self.random.shuffle(conditions)
        key_condition = " AND ".join(text.condition(condition) for condition in conditions)
        parameters = {"TableName": table.name, "KeyConditionExpression": key_condition,
                      "ScanIndexForward": self.random.random() < 0.5}
        found = table.select(index, hash_values, lambda item: all(holds(test, item) for test in tests))
        if index is table.primary and index.range_keys and self.random.random() < 0.3:
            found = self.start_anywhere(table, hash_values[0], tests, parameters, found)
        if not parameters["ScanIndexForward"]:
            found.reverse()
        self.read(table, index, "Query", text, parameters, found, in_order=True)

    def start_anywhere(self, table, hash_value, tests, parameters, found):
        """Starts after a sort key, which may or may not be an item's; returns the remaining part of the items found."""
        hash_key, range_key = table.key_names()
        start = self.key_value(table, range_key)
        if not all(holds(test, {range_key: start}) for test in tests):
            return found                # DynamoDB refuses a start key outside the key condition
        parameters["ExclusiveStartKey"] = {hash_key: hash_value, range_key: start}
        forward, limit = parameters["ScanIndexForward"], sort_form(start)
        return [item for item in found if (sort_form(item[range_key]) > limit if forward
                                           else sort_form(item[range_key]) < limit)]

    def key_value(self, table, name):
        if name in table.key_names():
            return self.key(table)[name]
        return make.scalar(self.random, table.types[name], empty=False)

    def range_tests(self, table, index, sample):
        """Equalities on the first sort keys, then possibly one range: a valid key condition."""
        tests = []
        for name in index.range_keys:
            if self.random.random() < 0.35:
                break
            value = lambda: ("value", sample[name] if name in sample and self.random.random() < 0.5
                             else self.key_value(table, name))
            where, choice = ("path", (name,)), self.random.random()
            if choice < 0.4:
                tests.append(("cmp", "=", where, value()))
                continue
            if choice < 0.6:
                low, high = sorted((value()[1], value()[1]), key=sort_form)
                tests.append(("between", where, ("value", low), ("value", high)))
            elif choice < 0.75 and table.types[name] in "SB":
                tests.append(("begins", (name,), value()))
            else:
                tests.append(("cmp", self.random.choice(ORDERED), where, value()))
            break
        return tests

    def scan(self, table):
        index = self.random.choice([table.primary] + table.indexes)
        segments = self.random.choice([1, 1, 1, 2, 5])
        text, parameters = make.Text(self.random), {"TableName": table.name}
        self.read(table, index, "Scan", text, parameters, table.entries(index), in_order=False, segments=segments)

    def read(self, table, index, operation, text, parameters, found, in_order, segments=1):
        """Adds filter, projection, Limit and Select to a Query or Scan, reads all its pages and compares them."""
        if index.name:
            parameters["IndexName"] = index.name
        carried = [table.carried(index, item) for item in found]
        names = [name for name in make.VALUE_TYPES if index.attributes is None or name in index.attributes]
        chosen = None
        if names and self.random.random() < 0.5:
            condition = make.condition(self.random, names)
            parameters["FilterExpression"] = text.condition(condition)
            chosen = [holds(condition, item) for item in carried]
        matching = [item for place, item in enumerate(carried) if chosen is None or chosen[place]]
        if self.random.random() < 0.3:
            paths = make.projection(self.random, names + table.key_names())
            parameters["ProjectionExpression"] = text.projection(paths)
            matching = [project(item, paths) for item in matching]
        elif self.random.random() < 0.1:
            parameters["Select"] = "COUNT"
        elif index.local and self.random.random() < 0.2:
            parameters["Select"] = "ALL_ATTRIBUTES"
            matching = [item for place, item in enumerate(found) if chosen is None or chosen[place]]
        if self.random.random() < 0.5:
            parameters["Limit"] = self.random.randint(1, 6)
        parameters.update(text.parameters())
        got, count, scanned = [], 0, 0
        for segment in range(segments):
            if segments > 1:
                parameters.update(Segment=segment, TotalSegments=segments)
            items, page_count, page_scanned = self.walk(table, index, operation, dict(parameters))
            got, count, scanned = got + items, count + page_count, scanned + page_scanned
        if (count, scanned) != (len(matching), len(found)):
            self.differ("Count and ScannedCount of all pages", (count, scanned), (len(matching), len(found)))
        if parameters.get("Select") != "COUNT":
            self.same_items("the items of all pages", got, matching)
            if in_order and "ProjectionExpression" not in parameters:
                orders = [[table.sort_key(index, item) for item in items] for items in (got, matching)]
                if orders[0] != orders[1]:
                    self.differ("the order of the items", *orders)

    def walk(self, table, index, operation, parameters):
        items, count, scanned = [], 0, 0
        for _ in range(1000):
            page = self.send(operation, **parameters)
            self.same_refusal(page, None)
            items += page.get("Items", [])
            count, scanned = count + page["Count"], scanned + page["ScannedCount"]
            if parameters.get("Select") == "COUNT" and "Items" in page:
                self.differ("Select COUNT answers with items", page, "no Items")
            if parameters.get("Select") != "COUNT" and page["Count"] != len(page["Items"]):
                self.differ("Count is the number of items", page["Count"], len(page["Items"]))
            last = page.get("LastEvaluatedKey")
            if last is None:
                return items, count, scanned
            if set(last) != set(table.key_names()) | set(index.keys()):
                self.differ("the attributes of LastEvaluatedKey", sorted(last), table.key_names() + index.keys())
            if page["ScannedCount"] != parameters.get("Limit"):
                self.differ("a page ended before its Limit", page["ScannedCount"], parameters.get("Limit"))
            parameters["ExclusiveStartKey"] = last
        self.differ("paging does not end", scanned, "1000 pages")

    def check_all(self):
        """Compares every item and every index entry of every table exactly."""
        for table in self.tables:
            for index in [table.primary] + table.indexes:
                parameters = {"TableName": table.name, **({"IndexName": index.name} if index.name else {})}
                self.last_request = "Scan", parameters
                got = harness.every_page(self.wire.call, "Scan", **parameters)
                expected = [table.carried(index, item) for item in table.entries(index)]
                self.same_items(f"everything in {table.name} {index.name or ''}", got, expected)

    def check_streams(self):
        """Every stream, replayed from the beginning, rebuilds its table."""
        if self.older:
            return
        for table in self.tables:
            arn = self.wire.call("DescribeTable", TableName=table.name)["Table"]["LatestStreamArn"]
            self.last_request = "GetRecords", {"StreamArn": arn}
            reader = StreamReader(self.wire, arn)
            try:
                reader.read_all()
            except BrokenStream as broken:
                raise Difference(f"the stream of {table.name}: {broken}") from None
            print(f"the stream of {table.name}: {reader.count} records", flush=True)
            self.same_items(f"{table.name} as its stream tells it", list(reader.items.values()),
                            list(table.items.values()))

    def close(self):
        for table in self.tables:
            self.wire.call("DeleteTable", TableName=table.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--steps", type=int, default=12000)
    parser.add_argument("--older-endpoint", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.steps} steps", flush=True)
    started_at = time.monotonic()
    run = Run(harness.Wire(harness.endpoint()), options.seed, options.older_endpoint)
    step = 0
    try:
        for step in range(options.steps):
            run.step()
            if step % 1000 == 999:
                run.check_all()
                print(f"step {step + 1}: {dict(run.counts)}", flush=True)
        run.check_all()
        run.check_streams()
        run.close()
    except (Difference, OSError) as problem:
        print(f"step {step}: {problem}\nreplay with --seed {options.seed} --steps {step + 1}")
        print("0 passed, 1 failed")
        sys.exit(1)
    print(f"{sum(run.counts.values())} operations in {time.monotonic() - started_at:.1f} s, no difference")
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
