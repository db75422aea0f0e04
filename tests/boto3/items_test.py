#!/usr/bin/python3
"""Single-item operations by boto3: PutItem, GetItem, UpdateItem, DeleteItem, all data types, and refused requests."""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import harness
from harness import Case, index

FAILED = "The conditional request failed"
NO_SCHEMA_MATCH = "The provided key element does not match the schema"
INVALID = "One or more parameter values were invalid: "


def nested(levels):
    """A value nested in this many maps."""
    value = {"S": "end"}
    for _ in range(levels):
        value = {"M": {"a": value}}
    return value


class ItemCase(Case):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = cls.table("items", "pk:S", "g:S", GlobalSecondaryIndexes=[index("by-g", "g")])
        cls.counter = 0

    def key(self):
        """A key that no other test uses."""
        type(self).counter += 1
        return {"pk": {"S": f"{self.id()}-{self.counter}"}}

    def put(self, **attributes):
        key = self.key()
        self.client.put_item(TableName=self.name, Item={**key, **attributes})
        return key

    def get(self, key, **parameters):
        return self.client.get_item(TableName=self.name, Key=key, ConsistentRead=True, **parameters).get("Item")

    def update(self, key, expression, values=None, names=None, **parameters):
        if values:
            parameters["ExpressionAttributeValues"] = values
        if names:
            parameters["ExpressionAttributeNames"] = names
        return self.raw.update_item(TableName=self.name, Key=key, UpdateExpression=expression, **parameters)

    def updated(self, before, expression, values=None, names=None):
        """The attributes of an item, without its key, after an update."""
        key = self.put(**before)
        self.update(key, expression, values, names)
        item = self.get(key)
        self.assertEqual(key["pk"], item.pop("pk"))
        return item


class PutAndGet(ItemCase):

    def test_every_type_comes_back(self):
        item = {"s": {"S": "text"}, "n": {"N": "1.5"}, "b": {"B": b"\x00\xff"}, "t": {"BOOL": True},
                "f": {"BOOL": False}, "z": {"NULL": True}, "l": {"L": [{"S": "a"}, {"N": "1"}, {"L": []}]},
                "m": {"M": {"x": {"M": {}}, "é": {"S": "日本"}}}, "es": {"S": ""}, "eb": {"B": b""}}
        key = self.put(**item, ss={"SS": ["b", "a", ""]}, ns={"NS": ["2", "1.0"]}, bs={"BS": [b"b", b"a"]})
        got = self.get(key)
        self.assertEqual({"", "a", "b"}, set(got.pop("ss")["SS"]))
        self.assertEqual({"1", "2"}, set(got.pop("ns")["NS"]))
        self.assertEqual({b"a", b"b"}, set(got.pop("bs")["BS"]))
        self.assertEqual({**item, **key}, got)

    def test_sets_come_back_in_order(self):
        """Strings and binaries are compared as bytes, numbers by value."""
        got = self.get(self.put(ss={"SS": ["b", "é", "B", "", "a"]}, ns={"NS": ["10", "9", "-1", "0.5"]},
                                bs={"BS": [b"\xff", b"a", b"\x00"]}))
        self.assertEqual((["", "B", "a", "b", "é"], ["-1", "0.5", "9", "10"], [b"\x00", b"a", b"\xff"]),
                         (got["ss"]["SS"], got["ns"]["NS"], got["bs"]["BS"]))

    def test_numbers_are_normalised(self):
        for written, read in [("1", "1"), ("1.0", "1"), ("01", "1"), ("-0", "0"), ("0.00", "0"), ("1e3", "1000"),
                              ("1E-3", "0.001"), (".5", "0.5"), ("5.", "5"), ("-1.50", "-1.5"),
                              ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
                              ("9.9999999999999999999999999999999999999E+125", "9" * 38 + "0" * 88),
                              ("1E-130", "0." + "0" * 129 + "1"), ("-1E-130", "-0." + "0" * 129 + "1")]:
            self.assertEqual(read, self.get(self.put(n={"N": written}))["n"]["N"], written)

    def test_numbers_out_of_range(self):
        cases = [("1E126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
                 ("-1E126", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
                 ("1E-131",
                  "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
                 ("1" * 39, "Attempting to store more than 38 significant digits in a Number"),
                 ("abc", "The parameter cannot be converted to a numeric value: abc"),
                 ("", re.compile("The parameter cannot be converted to a numeric value(: )?$")),
                 ("NaN", "The parameter cannot be converted to a numeric value: NaN"),
                 ("1 2", "The parameter cannot be converted to a numeric value: 1 2")]
        for number, message in cases:
            with self.subTest(number=number):
                self.refuses("ValidationException", message, self.put, n={"N": number})

    def test_missing_item(self):
        reply = self.client.get_item(TableName=self.name, Key=self.key())
        self.assertNotIn("Item", reply)

    def test_projection(self):
        key = self.put(a={"S": "1"}, m={"M": {"x": {"N": "1"}, "y": {"N": "2"}}},
                       l={"L": [{"S": "p"}, {"S": "q"}, {"S": "r"}]})
        self.assertEqual({"a": {"S": "1"}, "m": {"M": {"y": {"N": "2"}}}, "l": {"L": [{"S": "p"}, {"S": "r"}]}},
                         self.get(key, ProjectionExpression="#a, m.y, l[2], l[0], nope.x",
                                  ExpressionAttributeNames={"#a": "a"}))
        self.assertEqual({}, self.get(key, ProjectionExpression="nope"))
        self.assertEqual({"a": {"S": "1"}}, self.get(key, AttributesToGet=["a", "nope"]))

    def test_put_replaces_the_whole_item(self):
        key = self.put(a={"S": "1"}, b={"S": "2"})
        reply = self.client.put_item(TableName=self.name, Item={**key, "c": {"S": "3"}}, ReturnValues="ALL_OLD")
        self.assertEqual({**key, "a": {"S": "1"}, "b": {"S": "2"}}, reply["Attributes"])
        self.assertEqual({**key, "c": {"S": "3"}}, self.get(key))
        new = self.client.put_item(TableName=self.name, Item=self.key(), ReturnValues="ALL_OLD")
        self.assertNotIn("Attributes", new)

    def test_key_refusals(self):
        put = lambda item: self.client.put_item(TableName=self.name, Item=item)
        get = lambda key: self.client.get_item(TableName=self.name, Key=key)
        self.refuses("ValidationException", INVALID + "Missing the key pk in the item", put, {"a": {"S": "x"}})
        self.refuses("ValidationException", INVALID + "Type mismatch for key pk expected: S actual: N", put,
                     {"pk": {"N": "1"}})
        self.refuses("ValidationException", "One or more parameter values are not valid. The AttributeValue for a key "
                     "attribute cannot contain an empty string value. Key: pk", put, {"pk": {"S": ""}})
        self.refuses("ValidationException", INVALID + "Size of hashkey has exceeded the maximum size limit of2048 "
                     "bytes", put, {"pk": {"S": "x" * 2049}})
        put({"pk": {"S": "x" * 2048}})
        self.refuses("ValidationException", INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: "
                     "by-g", put, {"pk": {"S": "a"}, "g": {"N": "1"}})
        self.refuses("ValidationException", NO_SCHEMA_MATCH, get, {"pk": {"N": "1"}})
        self.refuses("ValidationException", NO_SCHEMA_MATCH, get, {"zz": {"S": "1"}})
        self.refuses("ValidationException", NO_SCHEMA_MATCH, get, {"pk": {"S": "1"}, "zz": {"S": "1"}})

    def test_item_size_limit(self):
        """An item may have 400 KB, names and values together."""
        key = {"pk": {"S": "s" * 8}}
        room = 400 * 1024 - len("pk") - 8 - len("a")
        self.client.put_item(TableName=self.name, Item={**key, "a": {"S": "x" * room}})
        self.refuses("ValidationException", "Item size has exceeded the maximum allowed size", self.client.put_item,
                     TableName=self.name, Item={**key, "a": {"S": "x" * (room + 1)}})
        self.refuses("ValidationException", "Item size to update has exceeded the maximum allowed size", self.update,
                     key, "SET b = :b", {":b": {"S": "x"}})

    def test_nesting_limit(self):
        self.put(a=nested(31))
        self.refuses("ValidationException", re.compile("Nesting Levels have exceeded supported limits"), self.put,
                     a=nested(33))

    def test_set_refusals(self):
        self.refuses("ValidationException", re.compile(INVALID + r'Input collection \["?a"?, "?a"?\] contains '
                                                       r"duplicates\.$"), self.put, s={"SS": ["a", "a"]})
        self.refuses("ValidationException", re.compile("Input collection contains duplicates"), self.put,
                     s={"NS": ["1", "1.0"]})
        self.refuses("ValidationException", INVALID + "An string set  may not be empty", self.put, s={"SS": []})
        self.refuses("ValidationException", INVALID + "An number set  may not be empty", self.put, s={"NS": []})

    def test_value_of_no_or_two_types(self):
        put = lambda value: self.raw.put_item(TableName=self.name, Item={"pk": {"S": "a"}, "a": value})
        self.refuses("ValidationException", "Supplied AttributeValue is empty, must contain exactly one of the "
                     "supported datatypes", put, {})
        self.refuses("ValidationException", "Supplied AttributeValue has more than one datatypes set, must contain "
                     "exactly one of the supported datatypes", put, {"S": "a", "N": "1"})

    def test_missing_table(self):
        for call in (lambda: self.client.get_item(TableName="nowhere", Key={"pk": {"S": "a"}}),
                     lambda: self.client.put_item(TableName="nowhere", Item={"pk": {"S": "a"}}),
                     lambda: self.client.delete_item(TableName="nowhere", Key={"pk": {"S": "a"}}),
                     lambda: self.client.update_item(TableName="nowhere", Key={"pk": {"S": "a"}})):
            self.refuses("ResourceNotFoundException", "Requested resource not found", call)


class Delete(ItemCase):

    def test_delete(self):
        key = self.put(a={"S": "1"})
        reply = self.client.delete_item(TableName=self.name, Key=key, ReturnValues="ALL_OLD")
        self.assertEqual({**key, "a": {"S": "1"}}, reply["Attributes"])
        self.assertIsNone(self.get(key))
        self.assertNotIn("Attributes", self.client.delete_item(TableName=self.name, Key=key, ReturnValues="ALL_OLD"))

    def test_condition(self):
        key = self.put(a={"S": "1"})
        self.refuses("ConditionalCheckFailedException", FAILED, self.client.delete_item, TableName=self.name, Key=key,
                     ConditionExpression="a = :v", ExpressionAttributeValues={":v": {"S": "2"}})
        self.assertIsNotNone(self.get(key))
        self.client.delete_item(TableName=self.name, Key=key, ConditionExpression="attribute_exists(a)")
        self.refuses("ConditionalCheckFailedException", FAILED, self.client.delete_item, TableName=self.name, Key=key,
                     ConditionExpression="attribute_exists(a)")

    def test_legacy_expected(self):
        key = self.put(a={"S": "1"})
        self.refuses("ConditionalCheckFailedException", FAILED, self.client.delete_item, TableName=self.name, Key=key,
                     Expected={"a": {"Value": {"S": "2"}}})
        self.client.delete_item(TableName=self.name, Key=key, Expected={
            "a": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "1"}]}, "b": {"Exists": False}})
        self.assertIsNone(self.get(key))

    def test_wrong_return_values(self):
        self.refuses("ValidationException", None, self.client.delete_item,
                     TableName=self.name, Key=self.key(), ReturnValues="ALL_NEW")


class Conditions(ItemCase):
    """Every comparison and function, tested by whether a conditional delete of an item succeeds."""

    ITEM = {"n": {"N": "5"}, "s": {"S": "mango"}, "b": {"B": b"\x01\x02"}, "ss": {"SS": ["a", "b"]},
            "ns": {"NS": ["1", "2"]}, "l": {"L": [{"S": "x"}, {"N": "1.0"}]}, "m": {"M": {"k": {"S": "v"}}},
            "t": {"BOOL": True}, "z": {"NULL": True}}

    def holds(self, expression, **values):
        parameters = {"ConditionExpression": expression}
        if values:
            parameters["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
        key = self.put(**self.ITEM)
        try:
            self.client.put_item(TableName=self.name, Item=key, **parameters)
            return True
        except self.client.exceptions.ConditionalCheckFailedException:
            return False

    def test_what_holds(self):
        n = lambda text: {"N": text}
        s = lambda text: {"S": text}
        cases = [
            (True, "n = :v", {"v": n("5.0")}), (False, "n = :v", {"v": s("5")}), (True, "n <> :v", {"v": s("5")}),
            (True, "n < :v", {"v": n("10")}), (False, "s < :v", {"v": s("apple")}), (True, "n <= :v", {"v": n("5")}),
            (True, "n > :v", {"v": n("-1")}), (True, "n >= :v", {"v": n("5")}), (False, "n > :v", {"v": s("1")}),
            (False, "gone = :v", {"v": n("1")}), (True, "gone <> :v", {"v": n("1")}),
            (False, "gone < :v", {"v": n("1")}), (True, "NOT gone < :v", {"v": n("1")}),
            (True, "n BETWEEN :a AND :b", {"a": n("5"), "b": n("6")}),
            (False, "s between :a and :b", {"a": s("n"), "b": s("z")}),
            (True, "s IN (:a, :b)", {"a": s("x"), "b": s("mango")}), (False, "n IN (:a)", {"a": s("5")}),
            (True, "attribute_exists(m.k)", {}), (False, "attribute_exists(m.x)", {}),
            (True, "attribute_not_exists(l[2])", {}), (False, "attribute_not_exists(l[1])", {}),
            (True, "attribute_type(m, :t)", {"t": s("M")}), (False, "attribute_type(m, :t)", {"t": s("L")}),
            (True, "begins_with(s, :p)", {"p": s("man")}), (False, "begins_with(s, :p)", {"p": s("an")}),
            (True, "begins_with(b, :p)", {"p": {"B": b"\x01"}}), (False, "begins_with(n, :p)", {"p": s("5")}),
            (True, "contains(s, :p)", {"p": s("ang")}), (True, "contains(ss, :p)", {"p": s("a")}),
            (False, "contains(ss, :p)", {"p": s("")}), (True, "contains(ns, :p)", {"p": n("1.0")}),
            (True, "contains(l, :p)", {"p": n("1")}), (False, "contains(m, :p)", {"p": s("k")}),
            (True, "size(s) = :p", {"p": n("5")}), (True, "size(b) = :p", {"p": n("2")}),
            (True, "size(ss) = :p", {"p": n("2")}), (True, "size(l) = :p", {"p": n("2")}),
            (True, "size(m) = :p", {"p": n("1")}), (False, "size(gone) = :p", {"p": n("0")}),
            (True, "ss = :p", {"p": {"SS": ["b", "a"]}}), (True, "m = :p", {"p": {"M": {"k": s("v")}}}),
            (True, "l[1] = :p", {"p": n("1")}), (True, "t = :p", {"p": {"BOOL": True}}),
            (True, "n = :v OR n = :w AND s = :w", {"v": n("5"), "w": s("no")}),
            (False, "(n = :v OR n = :w) AND s = :w", {"v": n("5"), "w": s("no")}),
            (True, "NOT (s = :a AND n = :a)", {"a": s("mango")}),
            (True, "not s = :a and n = :n", {"a": s("x"), "n": n("5")}),
        ]
        for expected, expression, values in cases:
            with self.subTest(expression=expression, values=values):
                self.assertEqual(expected, self.holds(expression, **values))

    def test_return_values_on_failure(self):
        """This boto3 is older than the parameter, so the request is sent by hand."""
        key = self.put(a={"S": "1"})
        for operation, where in (("PutItem", {"Item": key}), ("DeleteItem", {"Key": key}),
                                 ("UpdateItem", {"Key": key, "UpdateExpression": "REMOVE b"})):
            reply = self.refuses("ConditionalCheckFailedException", FAILED, self.wire.call, operation,
                                 TableName=self.name, **where, ConditionExpression="attribute_not_exists(pk)",
                                 ReturnValuesOnConditionCheckFailure="ALL_OLD")
            self.assertEqual({**key, "a": {"S": "1"}}, reply["Item"])
            reply = self.refuses("ConditionalCheckFailedException", FAILED, self.wire.call, operation,
                                 TableName=self.name, **where, ConditionExpression="attribute_not_exists(pk)")
            self.assertNotIn("Item", reply)

    def test_refusals(self):
        cases = [
            ("Invalid ConditionExpression: The expression can not be empty;", "", None, None),
            ('Invalid ConditionExpression: Syntax error; token: "=", near: "= :v"', "= :v", {":v": {"S": "a"}}, None),
            ("Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: size", "size = :v",
             {":v": {"S": "a"}}, None),
            ("Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute "
             "value: :w", "a = :w", {":v": {"S": "a"}}, None),
            ("Invalid ConditionExpression: An expression attribute name used in the document path is not defined; "
             "attribute name: #a", "#a = :v", {":v": {"S": "a"}}, None),
            ("Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}", "a = :v",
             {":v": {"S": "a"}, ":w": {"S": "a"}}, None),
            ("Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}", "a = :v",
             {":v": {"S": "a"}}, {"#b": "b"}),
            ("Invalid ConditionExpression: The expression has redundant parentheses;", "((a = :v))",
             {":v": {"S": "a"}}, None),
            ("Invalid ConditionExpression: Invalid function name; function: nonsense", "nonsense(a)", None, None),
            ("Invalid ConditionExpression: Incorrect number of operands for operator or function; operator or "
             "function: attribute_exists, number of operands: 2", "attribute_exists(a, b)", None, None),
            ("Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to "
             "lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}",
             "a BETWEEN :v AND :w", {":v": {"N": "2"}, ":w": {"N": "1"}}, None),
        ]
        for message, expression, values, names in cases:
            parameters = {"ExpressionAttributeValues": values} if values else {}
            if names:
                parameters["ExpressionAttributeNames"] = names
            with self.subTest(expression=expression):
                self.refuses("ValidationException", message, self.raw.put_item, TableName=self.name, Item=self.key(),
                             ConditionExpression=expression, **parameters)
        self.refuses("ValidationException",
                     re.compile("ExpressionAttributeValues can only be specified when using expressions"),
                     self.raw.put_item, TableName=self.name, Item=self.key(),
                     ExpressionAttributeValues={":v": {"S": "a"}})
        self.refuses("ValidationException", "Can not use both expression and non-expression parameters in the same "
                     "request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
                     self.raw.put_item, TableName=self.name, Item=self.key(), ConditionExpression="attribute_exists(a)",
                     Expected={"a": {"Exists": False}})

    def test_legacy_expected(self):
        key = self.put(a={"N": "5"}, b={"SS": ["x"]})
        for expected, conditions, operator in [
                (True, {"a": {"Value": {"N": "5.0"}}}, None), (False, {"a": {"Exists": False}}, None),
                (True, {"a": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "6"}]}}, None),
                (True, {"b": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "x"}]}}, None),
                (True, {"c": {"ComparisonOperator": "NULL"}, "a": {"Value": {"N": "6"}}}, "OR"),
                (False, {"c": {"ComparisonOperator": "NULL"}, "a": {"Value": {"N": "6"}}}, "AND")]:
            more = {"ConditionalOperator": operator} if operator else {}
            call = lambda: self.client.update_item(TableName=self.name, Key=key, Expected=conditions, **more)
            with self.subTest(conditions=conditions, operator=operator):
                if expected:
                    call()
                else:
                    self.refuses("ConditionalCheckFailedException", FAILED, call)


class Update(ItemCase):

    def test_makes_an_item(self):
        key = self.key()
        self.update(key, "SET a = :a", {":a": {"S": "1"}})
        self.assertEqual({**key, "a": {"S": "1"}}, self.get(key))
        key = self.key()
        self.client.update_item(TableName=self.name, Key=key)
        self.assertEqual(key, self.get(key))

    def test_taking_away_makes_no_item(self):
        for expression, values in (("REMOVE a", None), ("DELETE a :s", {":s": {"SS": ["x"]}})):
            key = self.key()
            reply = self.update(key, expression, values, ReturnValues="ALL_NEW")
            self.assertNotIn("Attributes", reply)
            self.assertIsNone(self.get(key))

    def test_set(self):
        n = lambda text: {"N": text}
        before = {"n": n("5"), "l": {"L": [{"S": "a"}, {"S": "b"}]}, "m": {"M": {"x": n("1")}}}
        cases = [
            ("SET n = n + :v", {":v": n("0.5")}, {"n": n("5.5")}),
            ("SET n = :v - n", {":v": n("1")}, {"n": n("-4")}),
            ("SET q = if_not_exists(q, :v) + :v", {":v": n("1")}, {"q": n("2")}),
            ("SET n = if_not_exists(n, :v)", {":v": n("1")}, {}),
            ("SET l = list_append(l, :v)", {":v": {"L": [{"S": "c"}]}},
             {"l": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]}}),
            ("SET l = list_append(:v, l)", {":v": {"L": [{"S": "c"}]}},
             {"l": {"L": [{"S": "c"}, {"S": "a"}, {"S": "b"}]}}),
            ("SET l[0] = :v", {":v": {"S": "z"}}, {"l": {"L": [{"S": "z"}, {"S": "b"}]}}),
            ("SET l[9] = :v", {":v": {"S": "z"}}, {"l": {"L": [{"S": "a"}, {"S": "b"}, {"S": "z"}]}}),
            ("SET m.y = :v", {":v": n("2")}, {"m": {"M": {"x": n("1"), "y": n("2")}}}),
            ("SET q = m.x, m.x = n", None, {"q": n("1"), "m": {"M": {"x": n("5")}}}),
        ]
        for expression, values, change in cases:
            with self.subTest(expression=expression):
                self.assertEqual({**before, **change}, self.updated(before, expression, values))

    def test_remove(self):
        before = {"a": {"S": "1"}, "l": {"L": [{"S": "p"}, {"S": "q"}, {"S": "r"}]}, "m": {"M": {"x": {"S": "1"}}}}
        self.assertEqual({"l": {"L": [{"S": "q"}]}, "m": {"M": {}}},
                         self.updated(before, "REMOVE a, l[0], l[2], m.x, nope"))

    def test_add_and_delete(self):
        before = {"n": {"N": "1"}, "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1"]}}
        after = self.updated(before, "ADD n :n, ss :ss, q :n DELETE ns :ns",
                             {":n": {"N": "2.5"}, ":ss": {"SS": ["b", "c"]}, ":ns": {"NS": ["1.0"]}})
        self.assertEqual({"a", "b", "c"}, set(after.pop("ss")["SS"]))
        self.assertEqual({"n": {"N": "3.5"}, "q": {"N": "2.5"}}, after, "an empty set is no attribute")

    def test_return_values(self):
        for returned, expected in [("NONE", None), ("ALL_OLD", {"a": {"N": "1"}, "b": {"N": "2"}, "c": {"N": "3"}}),
                                   ("UPDATED_OLD", {"a": {"N": "1"}, "b": {"N": "2"}}),
                                   ("ALL_NEW", {"a": {"N": "10"}, "c": {"N": "3"}, "d": {"N": "10"}}),
                                   ("UPDATED_NEW", {"a": {"N": "10"}, "d": {"N": "10"}})]:
            key = self.put(a={"N": "1"}, b={"N": "2"}, c={"N": "3"})
            reply = self.update(key, "SET a = :v, d = :v REMOVE b", {":v": {"N": "10"}}, ReturnValues=returned)
            got = reply.get("Attributes")
            if returned.startswith("ALL"):
                self.assertEqual(key["pk"], got.pop("pk"))
            self.assertEqual(expected, got, returned)

    def test_updated_values_of_nested_paths(self):
        key = self.put(m={"M": {"x": {"N": "1"}, "y": {"N": "2"}}})
        reply = self.update(key, "SET m.x = :v", {":v": {"N": "9"}}, ReturnValues="UPDATED_NEW")
        self.assertEqual({"m": {"M": {"x": {"N": "9"}}}}, reply["Attributes"])

    def test_legacy_attribute_updates(self):
        key = self.put(a={"N": "1"}, b={"SS": ["x", "y"]}, c={"S": "gone"}, l={"L": [{"S": "1"}]})
        self.client.update_item(TableName=self.name, Key=key, AttributeUpdates={
            "a": {"Action": "ADD", "Value": {"N": "2"}}, "b": {"Action": "DELETE", "Value": {"SS": ["x"]}},
            "c": {"Action": "DELETE"}, "d": {"Value": {"S": "put"}},
            "l": {"Action": "ADD", "Value": {"L": [{"S": "2"}]}}})
        self.assertEqual({**key, "a": {"N": "3"}, "b": {"SS": ["y"]}, "d": {"S": "put"},
                          "l": {"L": [{"S": "1"}, {"S": "2"}]}}, self.get(key))

    def test_refusals(self):
        key = self.put(a={"S": "1"}, n={"N": "1"}, m={"M": {}})
        one = {":v": {"N": "1"}}
        cases = [
            (INVALID + "Cannot update attribute pk. This attribute is part of the key", "SET pk = :v",
             {":v": {"S": "a"}}),
            ("Invalid UpdateExpression: The expression can not be empty;", "", None),
            ('Invalid UpdateExpression: Syntax error; token: "nonsense", near: "nonsense here"', "nonsense here", None),
            ("Invalid UpdateExpression: The \"SET\" section can only be used once in an update expression;",
             "SET q = :v SET r = :v", one),
            ("Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of "
             "these paths; path one: [q], path two: [q]", "SET q = :v, q = :v", one),
            ("Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of "
             "these paths; path one: [q], path two: [q, r]", "SET q = :v, q.r = :v", one),
            ("The provided expression refers to an attribute that does not exist in the item", "SET q = nope", None),
            ("An operand in the update expression has an incorrect data type", "SET a = a + :v", one),
            ("An operand in the update expression has an incorrect data type", "ADD a :v", one),
            ("The document path provided in the update expression is invalid for update", "SET a.b = :v", one),
            ("The document path provided in the update expression is invalid for update", "SET nope.b = :v", one),
            (re.compile("Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, "
                        "operand type: STRING(, typeSet: ALLOWED_FOR_ADD_OPERAND)?$"), "ADD n :v", {":v": {"S": "1"}}),
            (re.compile("Invalid UpdateExpression: Incorrect operand type for operator or function; operator: DELETE, "
                        "operand type: NUMBER(, typeSet: ALLOWED_FOR_DELETE_OPERAND)?$"), "DELETE n :v", one),
            ("Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: "
             "list_append, operand type: N", "SET q = list_append(q, :v)", one),
        ]
        for message, expression, values in cases:
            with self.subTest(expression=expression):
                self.refuses("ValidationException", message, self.update, key, expression, values)
        self.assertEqual({**key, "a": {"S": "1"}, "n": {"N": "1"}, "m": {"M": {}}}, self.get(key), "nothing changed")

    def test_number_arithmetic_is_exact(self):
        big = "1" * 37
        self.assertEqual({"n": {"N": "1" * 36 + "2"}}, self.updated({"n": {"N": big}}, "ADD n :v", {":v": {"N": "1"}}))
        after = self.updated({"n": {"N": "0.1"}}, "SET n = n + :v", {":v": {"N": "0.2"}})
        self.assertEqual({"n": {"N": "0.3"}}, after)


if __name__ == "__main__":
    harness.run_file()
