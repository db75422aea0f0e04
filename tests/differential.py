#!/usr/bin/python3
"""Sends random requests to Trestle and to another endpoint, and compares their replies.

    tests/differential.py --against http://127.0.0.1:8000 [--seed N] [--steps N] [--damaged SHARE]

The requests are those of random_model.py, which also checks Trestle's replies against its model. A share of them is
first damaged (a member is dropped, or replaced by a value of another type), so that refusals are compared too.
Replies are compared by what a client can rely on: numbers by value, sets and unordered pages as sets, errors by name
and message. Known differences are listed in KNOWN, each with its source; any other fails the run. After a difference
the other endpoint is given Trestle's items again, so that one difference does not cause the next.

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

ANSWERS = {"an update that only takes away": "Local makes an item of its key alone; the service makes none (captured earlier, "
                                              "docs/compatibility.md)",
           "a page that ends where its range ends": "Trestle gives a LastEvaluatedKey whenever Limit is reached, as the "
                                                     "developer guide says; Local looks whether the range goes on"}
# Texts that occur in several patterns. A reply is "accepted" or "ErrorName: message".
V = "ValidationException: "
ENVELOPE = "(1 validation error detected: )?"
INVALID = "One or more parameter values were invalid: "
NULL_MEMBER = r"Value null at '[\w.-]+' failed to satisfy constraint: Member must not be null"
BAD_NAME = V + r"Invalid table/index name\..*"
EMPTY_VALUE = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
NOT_DEFINED = r"(KeyCondition|Projection|Filter|Update|Condition)Expression: An expression attribute (name|value) used in .* is not defined; .*"
CANCELLED = "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons "
PARITY, DYNALITE = "paritysuite/dynamodb-conformance", "dynalite's suite"
# Each entry is one difference: its name, a pattern of Trestle's reply, a pattern of the other's, and the source that
# shows that DynamoDB replies like Trestle. The first entry that matches both replies is counted. A group `rest` must be
# the same in both.
KNOWN = [
    ("the envelope of single-item writes", V + "1 validation error detected: (?P<rest>.*)", V + "(?P<rest>.*)", PARITY),
    # ---- JSON of another shape.
    ("a 500 for JSON of the wrong shape", "SerializationException: .*",
     "InternalFailure: The request processing has failed because of an unknown error, exception or failure.", DYNALITE),
    ("a bare text is read as a value of type S", "SerializationException: Unexpected value type in payload", ".*", DYNALITE),
    ("a text is read as a boolean", "SerializationException: Unexpected token received from parser",
     f"accepted|{V}(ExpressionAttributeValues contains invalid value: )?{EMPTY_VALUE}.*", DYNALITE),
    ("a scalar is read as another", r"SerializationException: \w+_VALUE cannot be converted to (String|Integer)",
     f"accepted|{V}ExpressionAttributeNames contains invalid key: Syntax error; .*", DYNALITE),
    # ---- Missing members, and members out of bounds.
    ("a request without its key", V + "1 validation error detected: " + NULL_MEMBER,
     V + "(Cannot have null key for GetItem, DeleteItem, or UpdateItem|Item to put in PutItem cannot be null)", PARITY),
    ("a batch's item that is null", V + "1 validation error detected: " + NULL_MEMBER,
     V + "The supplied Item contains a null AttributeValue", PARITY),
    ("a transaction's member that is missing", rf"{V}\d validation errors? detected: {NULL_MEMBER}.*",
     V + "(Value null at .*|Requested resource not found|Get Condition for key not in key list|"
         "The document path provided in the update expression is invalid for update|The provided expression refers to an attribute "
         "that does not exist in the item|"
         "(ExpressionAttribute|Value provided in ExpressionAttribute)(Names|Values) .*)", PARITY),
    ("a batch without its keys", V + "1 validation error detected: " + NULL_MEMBER,
     V + "(The list of keys in RequestItems for BatchGetItem is required: .*|BatchGetItem must have some requests set)", PARITY),
    ("no actions in a transaction", V + "1 validation error detected: Value '\\[\\]' at 'transactItems' .*",
     V + "Value null at 'transactItems' failed to satisfy constraint: Member must not be null", PARITY),
    ("an unknown word", rf"{V}1 validation error detected: Value '.*' at '.*' failed to satisfy constraint: Member must satisfy enum value set: .*",
     f"accepted|InternalFailure: The request processing has failed because of an unknown error, exception or failure.|{V}Select must be .*",
     PARITY),
    ("an update of nothing that returns values", "accepted",
     "InternalFailure: The request processing has failed because of an unknown error, exception or failure.", DYNALITE),
    ("an empty batch", V + "The requestItems parameter is required for BatchWriteItem",
     V + "BatchWriteItem cannot have a null or no requests set", PARITY),
    ("a name out of bounds", rf"{V}\d validation errors? detected: Value ('.*' )?at '\w*([tT]able|[iI]ndex)Name'.*|"
                             rf"{V}1 validation error detected: Value ('.*' )?at '.*[tT]ableName' .*",
     rf"{BAD_NAME}|{V}The table does not have the specified index: .*|"
     "ResourceNotFoundException: Cannot do operations on a non-existent table", PARITY),
    ("a table name of one or two letters", "ResourceNotFoundException: Requested resource not found", BAD_NAME,
     "the SDK's model: a TableName may be an ARN, and has 1 to 1024 characters"),
    ("the words for a table that is not there", "ResourceNotFoundException: Requested resource not found",
     "ResourceNotFoundException: Cannot do operations on a non-existent table", DYNALITE),
    ("the words for ReturnValues", V + "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum value set: .*",
     V + "Return values set to invalid value", PARITY),
    ("Segment without TotalSegments, or the reverse", V + "The (Total)?Segments? parameter is required but was not present .*",
     V + "If (total segments|a particular segment) .*", DYNALITE),
    ("a query without key conditions", V + "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
     V + "Value provided in ExpressionAttribute(Names|Values) unused in expressions: keys: .*", DYNALITE),
    ("a query without its partition key", rf"{V}Query condition missed key schema element: \w+",
     V + "Query condition missed key schema element", DYNALITE),
    ("more conditions than key attributes", V + r"The number of query conditions \(\d\) exceeds the number of key attributes defined in "
                                            r"the schema \(\d\)",
     V + "Query key condition not supported", PARITY),
    # ---- Keys.
    ("a key with other attributes", V + "The provided key element does not match the schema",
     V + "The number of conditions on the keys is invalid", PARITY),
    ("a key of another type", V + "The provided key element does not match the schema",
     rf"{V}(Invalid attribute value type|{INVALID}Type mismatch for key.*)", PARITY),
    ("a start key of another type", V + "The provided key element does not match the schema",
     V + "Type mismatch for attribute to update", PARITY),
    ("an item without its key", rf"{V}{INVALID}Missing the key \w+ in the item",
     V + "One of the required keys was not given a value", PARITY),
    ("a batch's item without its key", V + "The provided key element does not match the schema",
     V + "One of the required keys was not given a value", "localstack/localstack, snapshot of test_batch_write_not_matching_schema"),
    ("an item whose key has another type", rf"{V}{INVALID}Type mismatch for key \w+ expected: \w+ actual: \w+",
     rf"{V}(Invalid attribute value type|{INVALID}Type mismatch for key)", PARITY),
    ("an index key of another type", rf"{V}{ENVELOPE}{INVALID}Type mismatch for Index Key \w+ Expected: \w+ Actual: \w+ IndexName: \S+",
     rf"accepted|{V}(Invalid attribute value type|{INVALID}Type mismatch for Index Key|One or more parameter values are not valid. "
     "The update expression attempted to update a secondary index key to a value that is not supported. .*)",
     "index_key_validation of nubo-db/dynoxide, captured"),
    ("a computed index key of another type", V + ".*update the secondary index key to unsupported type.*",
     rf"accepted|{V}(Invalid attribute value type|{INVALID}Type mismatch for Index Key)",
     "index_key_validation of nubo-db/dynoxide, captured"),
    ("an empty key in a query of an index", V + "One or more parameter values are not valid. The AttributeValue for a key attribute "
                                            r"cannot contain an empty (string|binary) value. Key: \w+",
     V + "One or more parameter values are not valid. A value specified for a secondary index key is not supported. .*", PARITY),
    # ---- The start of a page.
    ("a start key with other attributes", V + "The provided starting key is invalid",
     V + "(Exclusive Start Key must have same size as table's key schema|The query can return at most one row and cannot be "
         "restarted. .*)", PARITY),
    ("a start key with an empty value", V + "The provided starting key is invalid",
     V + "The provided starting key is invalid: One or more parameter values are not valid. The AttributeValue for a key attribute .*",
     PARITY),
    ("a start key with a wrong value", V + "The provided starting key is invalid: (?P<rest>.*)",
     V + "(ExpressionAttributeValues contains invalid value: )?(?P<rest>.*?)( for key :\\w+)?", PARITY),
    ("a start key outside the conditions", V + "The provided starting key is outside query boundaries based on provided conditions",
     V + "The provided starting key does not match the range key predicate", PARITY),
    ("a start at the end of the range", "accepted", V + "The provided starting key does not match the range key predicate",
     "unresolved: Trestle takes back the LastEvaluatedKey that it gave; aws/aws-sdk-ruby issue 2456 has the service refuse one"),
    # ---- Values and expressions.
    ("an empty value as the operand of attribute_type", f"{V}{ENVELOPE}(ExpressionAttributeValues contains invalid value: )?{EMPTY_VALUE}.*",
     V + "Invalid attribute value type", PARITY),
    ("a number that is none", f"{V}{ENVELOPE}(ExpressionAttributeValues contains invalid value: )?"
                              "(The provided starting key is invalid: )?The parameter cannot be converted to a numeric value.*",
     V + "(ExpressionAttributeValues contains invalid value: )?A value provided cannot be converted into a number.*", PARITY),
    ("the bounds of a number", f"{V}{ENVELOPE}(Number (over|under)flow. .*|Attempting to store more than 38 significant digits in a Number)",
     V + "(DynamoDB only supports precision up to 38 digits|Number (over|under)flow. .*|.*out of .*range.*)", PARITY),
    ("a value without its placeholder", f"{V}{ENVELOPE}(?P<rest>{INVALID}(An \\w+ set  may|Binary sets should) not be empty|{EMPTY_VALUE})",
     r"%sExpressionAttributeValues contains invalid value: (?P<rest>.*) for key :\w+" % V, PARITY),
    ("a set with a member twice", rf"{V}{ENVELOPE}(ExpressionAttributeValues contains invalid value: )?{INVALID}Input collection \[.*\] ?(of type BS )?contains "
                                  r"duplicates\.( for key :\w+)?",
     rf"{V}(ExpressionAttributeValues contains invalid value: )?{INVALID}Input collection .*contains duplicates.*", PARITY),
    ("two faults of a value, another first", f"{V}{ENVELOPE}{INVALID}An \\w+ set  may not be empty", V + "Invalid attribute value type", PARITY),
    ("a placeholder that is not defined, in another expression first", V + ENVELOPE + "Invalid " + NOT_DEFINED,
     V + "Invalid " + NOT_DEFINED, DYNALITE),
    ("a number as it was sent, in a message", V + ENVELOPE + r"Invalid \w+Expression: The BETWEEN operator requires .*",
     V + r"Invalid \w+Expression: The BETWEEN operator requires .*", "the service prints numbers as it stores them: " + DYNALITE),
    ("the order of attribute types", V + ENVELOPE + r"Invalid \w+Expression: Invalid attribute type name found; .*",
     V + r"Invalid \w+Expression: Invalid attribute type name found; .*", DYNALITE),
    ("placeholders without an expression", f"{V}{ENVELOPE}(?P<rest>ExpressionAttributeValues can only be specified when using expressions)",
     r"%s(?P<rest>ExpressionAttributeValues can only be specified when using expressions): .*" % V, PARITY),
    ("removing a part of nothing", "accepted", V + "The document path provided in the update expression is invalid for update",
     "a capture of the service: docs/compatibility.md"),
    # ---- Transactions.
    ("placeholders without an expression, in a transaction", f"accepted|{CANCELLED}.*",
     V + "ExpressionAttribute(Names|Values) can only be specified when using expressions.*",
     "unresolved: the service does not look at them in TransactWriteItems; TransactGetItems is not captured"),
    ("a transaction with a wrong key", CANCELLED + r"\[.*ValidationError.*\]",
     rf"TransactionCanceledException: ({INVALID}Type mismatch for key|The number of conditions on the keys is invalid)|"
     rf"{V}(Invalid attribute value type|One of the required keys was not given a value|The number of conditions on the keys is "
     "invalid)", PARITY),
    ("a transaction with a wrong path", CANCELLED + r"\[.*ValidationError.*\]",
     V + "(The document path provided in the update expression is invalid for update|The provided expression refers to an attribute "
         "that does not exist in the item)", PARITY),
    ("a transaction that removes a part of nothing", CANCELLED + r"\[.*ConditionalCheckFailed.*\]",
     V + "The document path provided in the update expression is invalid for update",
     "as UpdateItem, above"),
    ("a transaction with two faults", CANCELLED + r"\[.*ValidationError.*\]", CANCELLED + ".*",
     "the first ValidationError is reported, the rest are None: " + PARITY),
]


def described(answer):
    if isinstance(answer, harness.DynamoError):
        return f"{answer.code}: {answer.message}"
    return "accepted"


def known(ours, theirs):
    """The name of the known difference between two replies, or None."""
    for name, pattern, other, _ in KNOWN:
        mine, its = re.fullmatch(pattern, ours, re.S), re.fullmatch(other, theirs, re.S)
        if not mine or not its:
            continue
        if "rest" in mine.groupdict() and mine.group("rest") != its.group("rest"):
            continue
        return name
    return None


def ordered(value):
    """A form that is equal for equal values, whatever the order of their members."""
    if isinstance(value, dict):
        return [(name, ordered(each)) for name, each in sorted(value.items())]
    if isinstance(value, (set, frozenset)):
        return sorted(map(ordered, value), key=repr)
    if isinstance(value, Decimal):
        return str(EXACT.normalize(value))
    return [ordered(each) for each in value] if isinstance(value, (list, tuple)) else repr(value)


def comparable(operation, parameters, reply):
    """The comparable part of a reply. Index entries with equal sort keys may come in any order."""
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
        items = [response.get("Item") or {} for response in reply["Responses"]]
    if items is not None:
        canonical = [canonical_item(item) for item in items]
        in_order = operation == "TransactGetItems" or operation == "Query" and "IndexName" not in parameters
        found["Items"] = canonical if in_order else sorted(canonical, key=lambda item: repr(ordered(item)))
    return found


def apart(ours, theirs):
    """The parts of two replies that only one of them has."""
    ours, theirs = dict(ours), dict(theirs)
    for name in set(ours) & set(theirs):
        if ours[name] == theirs[name]:
            del ours[name], theirs[name]
    if "Items" in ours and "Items" in theirs:
        mine, its = ours["Items"], theirs["Items"]
        ours["Items"], theirs["Items"] = [x for x in mine if x not in its], [x for x in its if x not in mine]
    return ours, theirs


def writes_of(operation, parameters):
    """The writes of a request, each as a separate request. The request may be damaged."""
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
    """The other endpoint created an item with only its key, although the update had nothing to remove."""
    attributes = theirs.get("Attributes", {})
    return only_takes_away(parameters) and not ours.get("Attributes") and set(attributes) <= set(parameters["Key"])


class Pair:
    """Sends calls to both endpoints. call() returns, or raises, Trestle's reply."""

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
            if operation == "Scan" and "Limit" in parameters or "IndexName" in parameters and (
                    "Limit" in parameters or "ExclusiveStartKey" in parameters):
                return                   # each orders index entries with equal sort keys differently
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
        """Gives the other endpoint Trestle's items under the keys that a request wrote."""
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
    """random_model's run on both endpoints. Some requests are damaged; the model is not asked about those."""

    def __init__(self, pair, seed, damaged):
        self.random = random_module.Random(seed)
        self.wire, self.older, self.damaged, self.started_at = pair, True, damaged, int(time.time())
        self.tables, self.counts, self.last_request = tables(True), Counter(), None
        pair.keys = {table.name: table.key_names() for table in self.tables}
        for table in self.tables:
            create(pair, table, True)
        self.older = False               # except for the tables: only Trestle supports keys of many attributes

    def send(self, operation, **parameters):
        if self.random.random() < self.damaged:
            self.compare_damaged(operation, copy.deepcopy(parameters))
        if "ClientRequestToken" in parameters:      # another run with the same seed is another client
            parameters["ClientRequestToken"] = f"{self.started_at}{parameters['ClientRequestToken']}"[:36]
        return super().send(operation, **parameters)

    def compare_damaged(self, operation, parameters):
        """Removes or replaces one member. A write that an endpoint accepts nevertheless is undone on both."""
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
        """Changes one part of the request, at any depth."""
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
