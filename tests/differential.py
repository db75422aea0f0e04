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
from decimal import Decimal

import harness
from dynamo_model import EXACT, canonical_item
from random_model import Difference, Run, create, tables

LOCAL = "DynamoDB Local's own words or laxness; "
ANSWERS = {"an update that only takes away": "Local makes an item of its key alone; the service makes none (captured earlier, "
                                              "docs/compatibility.md)",
           "a page that ends where its range ends": "Trestle gives a LastEvaluatedKey whenever Limit is reached, as the "
                                                     "developer guide says; Local looks whether the range goes on"}
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
    ("a transaction that removes a part of nothing", r"TransactionCanceledException: .*",
     r"ValidationException: The document path provided in the update expression.*",
     LOCAL + "issue 14, item 9: a capture of the service, for UpdateItem"),
    ("names without a projection in a transaction", r"accepted",
     r"ValidationException: ExpressionAttributeNames can only be specified when using expressions",
     "unresolved: the service does not look at names without an expression in TransactWriteItems; TransactGetItems is not "
     "captured"),
    ("removing a part of nothing", r"accepted", r"ValidationException: The document path provided in the update expression.*",
     LOCAL + "issue 14, item 9: a capture of the service"),
    ("too many digits in a sum", r"ValidationException: (Attempting to store more than 38|Number overflow).*",
     r"ValidationException: (DynamoDB only supports precision up to 38 digits|.*out of .*range.*)",
     LOCAL + "captures of the service, paritysuite valueLayers"),
    ("numbers, in Local's words", r"ValidationException: .*(numeric value|Number (over|under)flow|38 significant).*",
     r"ValidationException: .*", "captures of the service, paritysuite valueLayers"),
    ("JSON of the wrong shape", r"SerializationException: .*", r".*", "captures of the service, dynalite's suite"),
    ("members in the older words", r"ValidationException: .*(failed to satisfy constraint|Failed to satisfy constraint|validation errors? detected).*",
     r".*", "captures of the service, paritysuite"),
    ("a key that does not fit", r"ValidationException: (The provided key element does not match the schema|One or more parameter values (were invalid|are not valid).*)",
     r"ValidationException: .*", LOCAL + "captures of the service, paritysuite putItem, updateItem"),
    ("a start at the end of the range", r"accepted", r"ValidationException: The provided starting key does not match the range key predicate",
     "unresolved: Trestle takes back the LastEvaluatedKey that it gave; aws/aws-sdk-ruby issue 2456 has the service refuse one"),
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
    ("a table name of one or two letters", r"ResourceNotFoundException: Requested resource not found",
     r"ValidationException: (Invalid table/index name|Table name should be).*",
     "the SDK's model: a TableName may be an ARN, and has 1 to 1024 characters"),
    ("parameters that need each other", r"ValidationException: (Either the KeyConditions|The (Total)?Segments? parameter).*",
     r"ValidationException: .*", "captures of the service, dynalite's suite"),
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


def ordered(value):
    """The same for values that are equal, whatever the order of their members."""
    if isinstance(value, dict):
        return [(name, ordered(each)) for name, each in sorted(value.items())]
    if isinstance(value, (set, frozenset)):
        return sorted(map(ordered, value), key=repr)
    if isinstance(value, Decimal):
        return str(EXACT.normalize(value))
    return [ordered(each) for each in value] if isinstance(value, (list, tuple)) else repr(value)


def comparable(operation, parameters, reply):
    """What of a reply can be compared. Entries of an index with one sort key come in any order."""
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
        in_order = operation == "TransactGetItems" or operation == "Query" and "IndexName" not in parameters
        found["Items"] = canonical if in_order else sorted(canonical, key=lambda item: repr(ordered(item)))
    return found


def apart(ours, theirs):
    """Of two answers, what only one of them has."""
    ours, theirs = dict(ours), dict(theirs)
    for name in set(ours) & set(theirs):
        if ours[name] == theirs[name]:
            del ours[name], theirs[name]
    if "Items" in ours and "Items" in theirs:
        mine, its = ours["Items"], theirs["Items"]
        ours["Items"], theirs["Items"] = [x for x in mine if x not in its], [x for x in its if x not in mine]
    return ours, theirs


def writes_of(operation, parameters):
    """The writes of a request, each as a request of its own. The request may be damaged."""
    if operation in ("PutItem", "UpdateItem", "DeleteItem"):
        return [parameters]
    writes = []
    if operation == "TransactWriteItems" and isinstance(parameters.get("TransactItems"), list):
        for action in parameters["TransactItems"]:
            writes += list(action.values()) if isinstance(action, dict) else []
    if operation == "BatchWriteItem" and isinstance(parameters.get("RequestItems"), dict):
        for name, requests in parameters["RequestItems"].items():
            for request in requests if isinstance(requests, list) else []:
                for part in request.values() if isinstance(request, dict) else []:
                    writes.append({"TableName": name, **part} if isinstance(part, dict) else {})
    return [write for write in writes if isinstance(write, dict)]


def only_takes_away(write):
    text = write.get("UpdateExpression")
    return isinstance(text, str) and not re.search(r"\b(SET|ADD)\b", text)


def makes_only_a_key(parameters, ours, theirs):
    """The other endpoint has made an item of nothing but its key, where the update had nothing to take away."""
    made = theirs.get("Attributes", {})
    return only_takes_away(parameters) and not ours.get("Attributes") and set(made) <= set(parameters["Key"])


class Pair:
    """Speaks to both endpoints. What call() gives back, or raises, is Trestle's answer."""

    def __init__(self, trestle, other):
        self.trestle, self.other = trestle, other
        self.compared, self.found, self.unknown, self.any_accepted = Counter(), Counter(), [], False

    def call(self, operation, **parameters):
        ours, theirs = self.answer(self.trestle, operation, parameters), self.answer(self.other, operation, parameters)
        self.any_accepted = not (isinstance(ours, harness.DynamoError) and isinstance(theirs, harness.DynamoError))
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
        if any(map(only_takes_away, writes_of(operation, parameters))):
            self.mend(operation, parameters)
        mine, its = described(ours), described(theirs)
        if mine == its == "accepted":
            if comparable(operation, parameters, ours) == comparable(operation, parameters, theirs):
                return
            if "Limit" in parameters and (operation == "Scan" or "IndexName" in parameters):
                return                   # which of several come first is each one's own
            only_ours, only_theirs = apart(comparable(operation, parameters, ours),
                                           comparable(operation, parameters, theirs))
            if operation == "UpdateItem" and makes_only_a_key(parameters, ours, theirs):
                self.found["an update that only takes away"] += 1
            elif operation == "Query" and list(only_ours) == ["LastEvaluatedKey"] and not only_theirs:
                self.found["a page that ends where its range ends"] += 1
            else:
                self.note("answers", operation, parameters, only_ours, only_theirs)
            self.mend(operation, parameters)
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
        for write in writes_of(operation, parameters):
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
        self.wire, self.older, self.damaged, self.started_at = pair, True, damaged, int(time.time())
        self.tables, self.counts, self.last_request = tables(True), Counter(), None
        pair.keys = {table.name: table.key_names() for table in self.tables}
        for table in self.tables:
            create(pair, table, True)
        self.older = False               # but for the tables: no endpoint but Trestle has keys of many attributes yet

    def send(self, operation, **parameters):
        if self.random.random() < self.damaged:
            self.compare_damaged(operation, copy.deepcopy(parameters))
        if "ClientRequestToken" in parameters:      # another run of the same seed is another client
            parameters["ClientRequestToken"] = f"{self.started_at}{parameters['ClientRequestToken']}"[:36]
        return super().send(operation, **parameters)

    def compare_damaged(self, operation, parameters):
        """One member gone or replaced. A write that either accepts all the same is undone on both."""
        before = {name: self.pages(name) for name in self.wire.keys} if operation not in (
            "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems") else None
        parameters.pop("ClientRequestToken", None)
        self.damage(parameters)
        super().send(operation, **parameters)
        if before is None or not self.wire.any_accepted:
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
        source = next((each[3] for each in KNOWN if each[0] == name), ANSWERS.get(name, ""))
        print(f"{count:6} {name}{': ' + source if source else ''}")
    if problem:
        print(problem)
    passed = not problem and not pair.unknown
    print(f"{int(passed)} passed, {int(not passed)} failed")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
