#!/usr/bin/python3
"""Random requests to Trestle and to another endpoint, side by side; their answers are compared.

    tests/differential.py --against http://127.0.0.1:8000 [--seed N] [--steps N] [--damaged SHARE]

The requests are those of random_model.py, which also checks Trestle's answers against its model; a share of them is
damaged first (a member dropped, or replaced by a value of another type), so that refusals are compared too. An answer is
compared by what a client can rely on: numbers by value, sets and unordered pages as sets, an error by its name and its
message. Differences that are known are listed in KNOWN, each with its source; any other fails the run. After a
difference the other endpoint is given Trestle's items again, so that one difference does not cause the next.

DynamoDB Local, for instance, from Maven Central:

    mvn dependency:get -Dartifact=com.amazonaws:DynamoDBLocal:2.6.1       (or copy-dependencies into lib/)
    java -Djava.library.path=lib -cp 'lib/*' com.amazonaws.services.dynamodbv2.local.main.ServerRunner -inMemory -port N
"""

import argparse
import copy
import json
import random as random_module
import re
import sys
import time
from collections import Counter

import harness
from dynamo_model import canonical_item
from random_model import Difference, Run, create, tables

LOCAL = "DynamoDB Local's own words or laxness; "
# (name, pattern of Trestle's answer, pattern of the other's, where Trestle's is from). An answer is "accepted" or
# "ErrorName: message". The first that fits both is counted.
KNOWN = [
    ("the envelope of single-item writes", r"ValidationException: 1 validation error detected: (?P<rest>.*)",
     r"ValidationException: (?P<rest>.*)", "captures of the service, paritysuite/dynamodb-conformance"),
    ("an index key of another type", r"ValidationException: .*(Type mismatch for Index Key|index key to unsupported type)",
     r"accepted|ValidationException: Invalid attribute value type",
     LOCAL + "index_key_validation of nubo-db/dynoxide, captured"),
    ("a transaction with such a key", r"TransactionCanceledException: .*ValidationError.*",
     r"(accepted|ValidationException: .*|TransactionCanceledException: .*)",
     LOCAL + "the service cancels, Local refuses or accepts (paritysuite, transactWriteItems)"),
    ("removing a part of nothing", r"accepted", r"ValidationException: The document path provided in the update expression.*",
     LOCAL + "issue 14, item 9: a capture of the service"),
    ("too many digits in a sum", r"ValidationException: (Attempting to store more than 38|Number overflow).*",
     r"ValidationException: (DynamoDB only supports precision up to 38 digits|.*out of .*range.*)",
     LOCAL + "captures of the service, paritysuite valueLayers"),
    ("numbers, in Local's words", r"ValidationException: .*(numeric value|Number (over|under)flow|38 significant).*",
     r"ValidationException: .*", "captures of the service, paritysuite valueLayers"),
    ("JSON of the wrong shape", r"SerializationException: .*", r"(SerializationException|InternalFailure|ValidationException|accepted|UnrecognizedClientException|InternalServerError).*",
     "captures of the service, dynalite's suite"),
    ("members in the older words", r"ValidationException: .*(failed to satisfy constraint|Failed to satisfy constraint|validation errors? detected).*",
     r"(ValidationException|accepted|InternalFailure|ResourceNotFoundException|SerializationException).*", "captures of the service, paritysuite"),
    ("a key that does not fit", r"ValidationException: (The provided key element does not match the schema|One or more parameter values (were invalid|are not valid).*)",
     r"ValidationException: .*", LOCAL + "captures of the service, paritysuite putItem, updateItem"),
    ("where a page starts", r"ValidationException: The provided (starting|exclusive start) key.*", r"(ValidationException: .*|accepted)",
     LOCAL + "captures of the service, paritysuite query, scan"),
    ("a table that is not there", r"ResourceNotFoundException: Requested resource not found",
     r"ResourceNotFoundException: .*", "captures of the service, dynalite's suite"),
    ("names and values nobody uses", r"ValidationException: .*(can only be specified when using expressions|must not be empty|unused in expressions).*",
     r"ValidationException: .*", "captures of the service, paritysuite"),
    ("a condition with values of other types", r"ValidationException: Invalid (Condition|Filter|KeyCondition|Update|Projection)Expression.*",
     r"ValidationException: Invalid (Condition|Filter|KeyCondition|Update|Projection)Expression.*", "captures of the service, dynalite's suite"),
    ("a query condition in Local's words", r"ValidationException: (Query (condition|key)|Condition parameter|Attempted conditional|The number of query).*",
     r"ValidationException: .*", LOCAL + "captures of the service, dynalite's suite"),
    ("values without a type", r"ValidationException: .*Supplied AttributeValue.*", r".*", "captures of the service, dynalite's suite"),
]


def described(answer):
    if isinstance(answer, harness.DynamoError):
        return f"{answer.code}: {answer.message}"
    return "accepted"


def known(ours, theirs):
    """The name of the known difference between two answers, or None."""
    for name, pattern, other, _ in KNOWN:
        mine, its = re.fullmatch(pattern, ours, re.S), re.fullmatch(other, theirs, re.S)
        if not mine or not its:
            continue
        if "rest" in mine.groupdict() and mine.group("rest") != its.group("rest"):
            continue
        return name
    return None


def comparable(operation, reply):
    """What of a reply can be compared."""
    if operation == "Scan" and reply.get("LastEvaluatedKey"):
        return {"ScannedCount": reply["ScannedCount"]}
    found = {}
    for name in ("Item", "Attributes"):
        if reply.get(name):
            found[name] = canonical_item(reply[name])
    for name in ("Count", "ScannedCount", "UnprocessedItems", "UnprocessedKeys"):
        if name in reply:
            found[name] = reply[name]
    if "LastEvaluatedKey" in reply:
        found["LastEvaluatedKey"] = canonical_item(reply["LastEvaluatedKey"])
    items = reply.get("Items")
    if items is None and isinstance(reply.get("Responses"), dict):
        items = [item for many in reply["Responses"].values() for item in many]
    elif items is None and isinstance(reply.get("Responses"), list):
        items = [one.get("Item") or {} for one in reply["Responses"]]
    if items is not None:
        canonical = [canonical_item(item) for item in items]
        found["Items"] = canonical if operation in ("Query", "TransactGetItems") else sorted(canonical, key=repr)
    return found


class Pair:
    """Speaks to both endpoints. What call() gives back, or raises, is Trestle's answer."""

    def __init__(self, trestle, other):
        self.trestle, self.other = trestle, other
        self.compared, self.found, self.unknown = Counter(), Counter(), []

    def call(self, operation, **parameters):
        ours, theirs = self.answer(self.trestle, operation, parameters), self.answer(self.other, operation, parameters)
        if operation not in ("CreateTable", "DeleteTable", "DescribeTable"):
            self.compare(operation, parameters, ours, theirs)
        if isinstance(ours, harness.DynamoError):
            raise ours
        return ours

    @staticmethod
    def answer(wire, operation, parameters):
        try:
            return wire.call(operation, **parameters)
        except harness.DynamoError as error:
            return error

    def compare(self, operation, parameters, ours, theirs):
        self.compared[operation] += 1
        if operation == "Scan" and ("ExclusiveStartKey" in parameters or "Segment" in parameters):
            return                       # each has its own order of partitions
        mine, its = described(ours), described(theirs)
        if mine == its == "accepted":
            if comparable(operation, ours) == comparable(operation, theirs):
                return
            if operation == "Scan" and "Limit" in parameters:
                return
            self.note("answers", operation, parameters, ours, theirs)
        elif mine != its:
            name = known(mine, its)
            if name:
                self.found[name] += 1
            else:
                self.note("refusals", operation, parameters, mine, its)
            if "accepted" in (mine, its):
                self.mend(operation, parameters)

    def note(self, kind, operation, parameters, ours, theirs):
        self.found[f"unknown: {kind} of {operation}"] += 1
        self.unknown.append(f"{operation} {json.dumps(parameters)[:1500]}\n  Trestle: {str(ours)[:600]}\n  other:   {str(theirs)[:600]}")

    def mend(self, operation, parameters):
        """Gives the other endpoint Trestle's items under the keys that a request has written."""
        writes = [parameters] if operation in ("PutItem", "UpdateItem", "DeleteItem") else []
        if operation == "TransactWriteItems":
            for action in parameters.get("TransactItems") or []:
                writes += list(action.values()) if isinstance(action, dict) else []
        if operation == "BatchWriteItem" and isinstance(parameters.get("RequestItems"), dict):
            for name, requests in parameters["RequestItems"].items():
                for request in requests if isinstance(requests, list) else []:
                    for part in request.values() if isinstance(request, dict) else []:
                        writes.append({"TableName": name, **part})
        for write in writes:
            key = self.key_of(write)
            if key is None:
                continue
            held = self.answer(self.trestle, "GetItem", {"TableName": write["TableName"], "Key": key})
            if isinstance(held, harness.DynamoError):
                continue
            if "Item" in held:
                self.answer(self.other, "PutItem", {"TableName": write["TableName"], "Item": held["Item"]})
            else:
                self.answer(self.other, "DeleteItem", {"TableName": write["TableName"], "Key": key})

    def key_of(self, write):
        if not isinstance(write, dict) or not isinstance(write.get("TableName"), str):
            return None
        item = write.get("Key") or write.get("Item")
        table = self.keys.get(write["TableName"])
        if not isinstance(item, dict) or table is None or not all(name in item for name in table):
            return None
        return {name: item[name] for name in table}


class Side(Run):
    """random_model's run on both endpoints; some requests are damaged, and those the model is not asked about."""

    def __init__(self, pair, seed, damaged):
        self.random = random_module.Random(seed)
        self.wire, self.older, self.damaged = pair, True, damaged
        self.tables, self.counts, self.last_request = tables(True), Counter(), None
        pair.keys = {table.name: table.key_names() for table in self.tables}
        for table in self.tables:
            create(pair, table, True)

    def send(self, operation, **parameters):
        if self.random.random() < self.damaged:
            self.compare_damaged(operation, copy.deepcopy(parameters))
        return super().send(operation, **parameters)

    def compare_damaged(self, operation, parameters):
        """One member gone or replaced. A write that is accepted all the same is undone on both."""
        before = {name: self.pages(name) for name in self.wire.keys} if operation not in (
            "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems") else None
        self.damage(parameters)
        accepted = not isinstance(super().send(operation, **parameters), harness.DynamoError)
        if before is None or not accepted:
            return
        for name, items in before.items():
            for wire in (self.wire.trestle, self.wire.other):
                self.restore(wire, name, items)

    def pages(self, name):
        return harness.every_page(self.wire.trestle.call, "Scan", TableName=name)

    def restore(self, wire, name, items):
        keys = self.wire.keys[name]
        key_of = lambda item: {each: item[each] for each in keys}
        wanted = {repr(canonical_item(key_of(item))): item for item in items}
        for item in harness.every_page(wire.call, "Scan", TableName=name):
            if wanted.get(repr(canonical_item(key_of(item)))) != item:
                wire.call("DeleteItem", TableName=name, Key=key_of(item))
        for item in items:
            wire.call("PutItem", TableName=name, Item=item)

    def damage(self, parameters):
        """Changes one place of the request, at any depth."""
        places = []

        def look(value):
            for key in value if isinstance(value, dict) else range(len(value)):
                places.append((value, key))
                if isinstance(value[key], (dict, list)):
                    look(value[key])
        look(parameters)
        holder, key = self.random.choice(places)
        if isinstance(holder, dict) and self.random.random() < 0.4:
            del holder[key]
        else:
            holder[key] = self.random.choice(["", "x", {"S": ""}, {"N": "1"}, {"N": "x"}, {"NULL": True}, {"SS": []}, {}, []])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", required=True, help="the other endpoint's URL")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--damaged", type=float, default=0.1, help="how many requests are also sent damaged, 0 to 1")
    parser.add_argument("--show", type=int, default=20, help="how many unknown differences to print")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.steps} steps", flush=True)
    pair = Pair(harness.Wire(harness.endpoint()), harness.Wire(options.against.rstrip("/")))
    side, problem = Side(pair, options.seed, options.damaged), None
    try:
        for step in range(options.steps):
            side.step()
    except (Difference, OSError) as found:
        problem = f"step {step}: {found}\nreplay with --seed {options.seed} --steps {step + 1}"
    finally:
        side.close()
    for difference in pair.unknown[:options.show]:
        print(difference)
    print(f"{sum(pair.compared.values())} answers compared: {dict(pair.compared)}")
    for name, count in sorted(pair.found.items()):
        source = next((each[3] for each in KNOWN if each[0] == name), "")
        print(f"{count:6} {name}{': ' + source if source else ''}")
    if problem:
        print(problem)
    passed = not problem and not pair.unknown
    print(f"{int(passed)} passed, {int(not passed)} failed")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
