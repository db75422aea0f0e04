"""Where the API suites are expected to fail on DynamoDB Local: the name of each difference, the pattern of its
failures, and which of the two replies like DynamoDB itself. A failure that matches no entry is a new difference and
fails the run."""

import re
from collections import Counter

SUITES = "the captures that the cases were written from (paritysuite/dynamodb-conformance, dynalite, ScyllaDB)"
MISSING_TABLE = "Cannot do operations on a non-existent table"
INTERNAL = "The request processing has failed because of an unknown error, exception or failure"
# (name, pattern of the failure's text, who is right and according to which source). The first match counts.
DIFFERENCES = [
    # Missing features.
    ("an operation that it lacks", "UnknownOperationException|[Aa]n unknown operation was requested|not currently supported in DynamoDB Local",
     "the API reference"),
    ("keys of several attributes", "Key Schema too big|test did not finish before its parent and was cancelled|Number of attributes exceeds",
     "the developer guide"),
    ("vector indexes", "The number of attributes in key schema must match the number of attributes defined in attribute definitions\\.\\s*$",
     "the API reference"),
    ("item collection metrics", "ItemCollectionMetrics", "the API reference"),
    ("table class, encryption, table id, warm units", "TableClassSummary|TableId|NoneType' object is not subscriptable|WarmThroughput|"
     r"output\[0\].ProvisionedThroughput must be an object", "the API reference"),
    ("capacity of statements", "output.ConsumedCapacity must be (an object|a list), is undefined", SUITES),
    ("a maximum of on-demand units, and other settings that fail with 500", "InternalFailure|" + INTERNAL, SUITES),
    ("a reply that is no JSON", "is not valid JSON", SUITES),
    # Different behaviour.
    ("its region and account", "ddblocal", "the API reference"),
    ("ids of requests, and a signature that is given twice", r"\[0-9A-Z\]\{52\}|reading 'split'", SUITES),
    ("an index that is added later has items whose key does not fit it, or is never done",
     "starts afresh|leaves out items whose key does not fit", "the developer guide, on adding a global index"),
    ("statuses", "'ACTIVE'|DELETING status|being (deleted|created)|still in use|Only 1 online index|gave up waiting|Cannot create preexisting",
     "the API reference; a case that was refused there leaves a table that the next one meets"),
    ("times of 1970 where nothing was changed", "1970-01-01", SUITES),
    ("an update that only takes away makes an item", "makes no item|taking_away|tw removes|GetItem.Item must be absent", SUITES),
    ("names of errors", "'DuplicateItem'", "the API reference: DuplicateItemException"),
    ("capacity units", "CapacityUnits|ConsumedCapacity", SUITES + "; nubo-db/dynoxide, transactional_index_consumed_capacity"),
    ("the table is looked for before the request is checked", f"{MISSING_TABLE}|ResourceNotFoundException|Stream does not exist", SUITES),
    ("faults of one transaction member refuse the request", r"\+ 'ValidationException'\s+- 'TransactionCanceledException'", SUITES),
    ("what it does not check", "was accepted, expected|accepted, expected", SUITES),
    ("an empty item for a projection of nothing in TransactGetItems", r"Item: \{\}", "unresolved: neither public suite asks the service"),
    ("names and values without an expression in transactions", "can only be specified when using expressions",
     "unresolved for TransactGetItems and TransactWriteItems; elsewhere " + SUITES),
    ("JSON of another type is read, or found wrong later", "= (\"23\"|true)\\n|cannot be converted to|Unexpected (field|value) type|SerializationException|_VALUE",
     "dynalite's suite"),
    ("UPDATED_OLD and UPDATED_NEW return whole attributes for nested paths", r"output\.Attributes|updated_values_of_nested_paths", "ScyllaDB's suite"),
    ("REMOVE and DELETE of parts of an item that is not there", "document path provided in the update expression is invalid",
     "captured for REMOVE x.y (docs/compatibility.md)"),
    ("a condition is looked at before the values", r"\+ 'ConditionalCheckFailedException'\s+- 'ValidationException'", SUITES),
    # PartiQL.
    ("types and order in PartiQL", r"Unsupported data type for IS operator|IN operator must have|output\.Items|NextToken|ORDER BY|backwards|"
     r"goes through several partitions|Only single item select|output\.Responses\[\d\]|cannot be converted into a number|"
     r"LastEvaluatedKey|Condition parameter type does not match|Validation failed in TransactStatements", SUITES),
    # Everything else: another message, or another refusal.
    ("the words of a refusal", r"message was|Expected values to be strictly equal|CancellationReasons|Regex didn't match|AssertionError: ['\"]|"
     r"strictly deep-equal|!==|Nesting Levels|Nothing to update|\d+ rows|lists? differ|Tuples differ|ClientError", SUITES),
]
NODE = re.compile(r"^FAIL (.*)\n((?:    .*\n|\n)*)", re.MULTILINE)
PYTHON = re.compile(r"^={70}\n(?:FAIL|ERROR): ([^\n]*)\n-{70}\n(.*?)(?=^={70}|^-{70})", re.MULTILINE | re.DOTALL)


def name_of(text):
    return next((name for name, pattern, _ in DIFFERENCES if re.search(pattern, text)), None)


def classify(output):
    """(count of each difference, failures that match none) in a suite's output."""
    found, unknown = Counter(), []
    for title, text in NODE.findall(output) + PYTHON.findall(output):
        name = name_of(f"{title}\n{text}")
        if name:
            found[name] += 1
        else:
            unknown.append(f"{title}\n{text}")
    return found, unknown
