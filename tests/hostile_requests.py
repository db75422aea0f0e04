#!/usr/bin/python3
"""Requests that are valid JSON but otherwise nonsense: the server replies to each with a result or a 4xx, and is not
harmed.

    tests/hostile_requests.py [--seed N] [--requests N]

Takes valid requests of every operation and damages their JSON: values of other types, missing and unknown members,
huge and empty strings, deep nesting, broken expressions. A 5xx, a closed connection or a dead server is a failure.
"""

import argparse
import copy
import json
import random
import sys
import time
from collections import Counter

import harness

sys.setrecursionlimit(20_000)

TABLE = "hostile"
ARN = f"arn:aws:dynamodb:{harness.REGION}:000000000000:table/{TABLE}"
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
ITEM = {**KEY, "g": {"S": "x"}, "m": {"M": {"a": {"L": [{"N": "1"}, {"SS": ["x", "y"]}]}}}, "b": {"B": "AAEC"},
        "t": {"BOOL": True}, "z": {"NULL": True}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AA==", "AQ=="]}}
VALUES = {":v": {"S": "x"}, ":n": {"N": "1"}, ":l": {"L": [{"S": "x"}]}, ":s": {"SS": ["x"]}}
NAMES = {"#m": "m", "#g": "g"}

GOOD = [
    ("CreateTable", {"TableName": "other-table", **harness.schema("pk:S sk:N", "g:S"), "GlobalSecondaryIndexes": [
        harness.index("by-g", "g", include=["m"])], "LocalSecondaryIndexes": [harness.index("local", "pk g")],
        "Tags": [{"Key": "a", "Value": "b"}], "StreamSpecification": {"StreamEnabled": False}}),
    ("DescribeTable", {"TableName": TABLE}),
    ("ListTables", {"Limit": 3, "ExclusiveStartTableName": "aaa"}),
    ("UpdateTable", {"TableName": TABLE, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [
        {"AttributeName": "g", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [
        {"Update": {"IndexName": "by-g", "ProvisionedThroughput": {"ReadCapacityUnits": 1,
                                                                   "WriteCapacityUnits": 1}}}]}),
    ("DeleteTable", {"TableName": "other-table"}),
    ("PutItem", {"TableName": TABLE, "Item": ITEM, "ConditionExpression": "#g = :v OR attribute_not_exists(pk)",
                 "ExpressionAttributeNames": {"#g": "g"}, "ExpressionAttributeValues": {":v": {"S": "x"}},
                 "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "INDEXES",
                 "ReturnItemCollectionMetrics": "SIZE"}),
    ("PutItem", {"TableName": TABLE, "Item": ITEM, "ConditionalOperator": "AND", "Expected": {
        "g": {"ComparisonOperator": "IN", "AttributeValueList": [{"S": "x"}, {"S": "y"}]}}}),
    ("GetItem", {"TableName": TABLE, "Key": KEY, "ProjectionExpression": "#m.a[0], g, ns", "ConsistentRead": True,
                 "ExpressionAttributeNames": {"#m": "m"}}),
    ("GetItem", {"TableName": TABLE, "Key": KEY, "AttributesToGet": ["g", "m"]}),
    ("UpdateItem", {"TableName": TABLE, "Key": KEY, "UpdateExpression":
                    "SET #m.a[1] = :v, c = if_not_exists(c, :n) + :n, l = list_append(:l, :l) REMOVE b ADD d :n "
                    "DELETE e :s",
                    "ConditionExpression": "size(#m) < :n OR NOT contains(g, :v) OR #g IN (:v, :n)",
                    "ExpressionAttributeNames": NAMES, "ExpressionAttributeValues": VALUES,
                    "ReturnValues": "UPDATED_NEW"}),
    ("UpdateItem", {"TableName": TABLE, "Key": KEY, "AttributeUpdates": {
        "c": {"Action": "ADD", "Value": {"N": "1"}}, "q": {"Action": "PUT", "Value": {"S": "x"}},
        "r": {"Action": "DELETE"}}}),
    ("DeleteItem", {"TableName": TABLE, "Key": KEY, "ConditionExpression": "g BETWEEN :v AND :w AND begins_with(g, :v)",
                    "ExpressionAttributeValues": {":v": {"S": "a"}, ":w": {"S": "z"}}, "ReturnValues": "ALL_OLD"}),
    ("Query", {"TableName": TABLE, "KeyConditionExpression": "pk = :p AND sk BETWEEN :a AND :b", "Limit": 5,
               "FilterExpression": "attribute_type(g, :t) AND m.a[0] <> :a", "ScanIndexForward": False,
               "ExpressionAttributeValues": {":p": {"S": "a"}, ":a": {"N": "0"}, ":b": {"N": "9"}, ":t": {"S": "S"}},
               "ExclusiveStartKey": KEY, "Select": "ALL_ATTRIBUTES", "ReturnConsumedCapacity": "TOTAL"}),
    ("Query", {"TableName": TABLE, "IndexName": "by-g", "KeyConditions": {
        "g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}}, "QueryFilter": {
        "c": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "0"}]}}}),
    ("Scan", {"TableName": TABLE, "IndexName": "by-g", "Segment": 0, "TotalSegments": 3, "Limit": 2,
              "ExclusiveStartKey": {**KEY, "g": {"S": "x"}}}),
    ("Scan", {"TableName": TABLE, "FilterExpression": "contains(ns, :n)",
              "ExpressionAttributeValues": {":n": {"N": "1"}}, "ProjectionExpression": "pk, m.a",
              "Select": "SPECIFIC_ATTRIBUTES"}),
    ("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [KEY, {"pk": {"S": "b"}, "sk": {"N": "2"}}],
                                               "ProjectionExpression": "g"}}}),
    ("BatchWriteItem", {"RequestItems": {TABLE: [{"PutRequest": {"Item": ITEM}},
                                                 {"DeleteRequest": {"Key": {"pk": {"S": "b"}, "sk": {"N": "2"}}}}]}}),
    ("TransactWriteItems", {"ClientRequestToken": "token", "TransactItems": [
        {"Put": {"TableName": TABLE, "Item": ITEM, "ConditionExpression": "attribute_exists(pk) OR g <> :g",
                 "ExpressionAttributeValues": {":g": {"S": "x"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
        {"Update": {"TableName": TABLE, "Key": {"pk": {"S": "b"}, "sk": {"N": "2"}}, "UpdateExpression": "REMOVE #a",
                    "ExpressionAttributeNames": {"#a": "a"}}},
        {"ConditionCheck": {"TableName": TABLE, "Key": {"pk": {"S": "c"}, "sk": {"N": "3"}},
                            "ConditionExpression": "attribute_not_exists(pk)"}},
        {"Delete": {"TableName": TABLE, "Key": {"pk": {"S": "d"}, "sk": {"N": "4"}}}}]}),
    ("TransactGetItems", {"ReturnConsumedCapacity": "TOTAL", "TransactItems": [
        {"Get": {"TableName": TABLE, "Key": KEY, "ProjectionExpression": "g"}},
        {"Get": {"TableName": TABLE, "Key": {"pk": {"S": "b"}, "sk": {"N": "2"}}}}]}),
    ("TagResource", {"ResourceArn": ARN,
                     "Tags": [{"Key": "a", "Value": "b"}]}),
    ("UntagResource", {"ResourceArn": ARN, "TagKeys": ["a"]}),
    ("ListTagsOfResource", {"ResourceArn": ARN}),
    ("UpdateTimeToLive", {"TableName": TABLE, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}),
    ("DescribeTimeToLive", {"TableName": TABLE}),
    ("DescribeLimits", {}),
    ("DescribeEndpoints", {}),
]

STRANGE = [None, True, False, 0, -1, 1, 2 ** 31, 2 ** 63, 2 ** 64, -2 ** 63, 1.5, 1e308, "", " ", "a", "x" * 3000,
           "\u0000", "\ud7ff\U0010ffff", "pk", "1E126", "NaN", "=", [], {}, [[]], [{}], [None], {"": ""}, {"S": 1},
           {"S": "x", "N": "1"}, {"N": ""}, {"N": "1e-999"}, {"B": "=="}, {"NULL": False}, {"SS": []}, {"L": [None]},
           {"M": {"": {"S": ""}}}]
TEXTS = ["(", ")", "((", ",", ".", "[", "]", "[0]", "[99999999999999999999]", "#", ":", "#x", ":x", " AND ", " OR ",
         "NOT ", " = ", "<>", "<", ">=", "+", "-", "size(", "contains(", "if_not_exists(", " BETWEEN ", " IN (",
         "SET ", "REMOVE ", "ADD ", "DELETE ", "\t", "\n", "é", "select", "a.b.c.d", "\"", "'"]


def places(value, found):
    """Every position in a JSON document, as (container, key)."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        found.append((value, key))
        places(inner, found)
    return found


def damage(rng, request):
    found = places(request, [])
    if len(found) > 2000:           # large enough
        return
    if not found:
        request[rng.choice(["TableName", "Limit", "Nonsense"])] = rng.choice(STRANGE)
        return
    holder, key = rng.choice(found)
    old, kind = holder[key], rng.randrange(7)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = copy.deepcopy(rng.choice(STRANGE))
    elif kind == 2 and isinstance(old, str):
        place = rng.randrange(len(old) + 1)
        holder[key] = old[:place] + rng.choice(TEXTS) + old[place + rng.choice([0, 0, 1, 3]):]
    elif kind == 3 and isinstance(holder, dict):
        holder[rng.choice(["", "S", "N", "M", "L", "Item", "a" * 70000, "TableName", key + "x"])] = copy.deepcopy(old)
    elif kind == 4 and isinstance(holder, list):
        holder.extend(copy.deepcopy(holder) * rng.choice([1, 3, 60]))
    elif kind == 5:
        for _ in range(rng.choice([1, 5, 31, 32, 33, 400])):
            old = rng.choice([{"M": {"a": old}}, {"L": [old]}, [old], {"a": old}])
        holder[key] = old
    else:
        other_holder, other_key = rng.choice(found)
        holder[key] = copy.deepcopy(other_holder.get(other_key) if isinstance(other_holder, dict)
                                    else other_holder[other_key] if other_key < len(other_holder) else None)


def prepare(wire):
    """The table that the valid requests use."""
    tables = wire.call("ListTables")["TableNames"]
    if TABLE not in tables:
        harness.create_table(wire, TABLE, **harness.schema("pk:S sk:N", "g:S"),
                             GlobalSecondaryIndexes=[harness.index("by-g", "g")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--requests", type=int, default=8000)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng, answers, problems = random.Random(options.seed), Counter(), []
    server = harness.Server("--memory-store")
    wire = harness.Wire(server.endpoint)
    prepare(wire)
    for number in range(options.requests):
        operation, request = rng.choice(GOOD)
        request = copy.deepcopy(request)
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            damage(rng, request)
        text = json.dumps(request)
        try:
            status, _, body = wire.post(operation, text.encode())
            answers[status, (json.loads(body) if body else {}).get("__type", "").rsplit("#", 1)[-1]] += 1
            if status >= 500:
                problems.append(f"{status} {body[:300]} for request {number}: {operation} {text[:1500]}")
        except (OSError, ValueError) as failure:
            problems.append(f"{failure!r} for request {number}: {operation} {text[:1500]}\n{server.log()[-2000:]}")
            if not server.alive():
                server.start()
                wire = harness.Wire(server.endpoint)
        if number % 200 == 0:
            prepare(wire)
        if len(problems) >= 10:
            break
    wire.call("ListTables")
    for (status, kind), count in sorted(answers.items()):
        print(f"{count:7} x {status} {kind}")
    for problem in problems:
        print(problem)
    if answers[200, ""] < options.requests / 20:
        problems.append("too few requests were good")
        print(problems[-1])
    print(f"{0 if problems else 1} passed, {len(problems) and 1} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
