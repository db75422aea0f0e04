"""The behaviour of DynamoDB in plain Python: the model with which random tests compare a server.

It shares no design with the server: items are dicts in wire form ({"S": "x"}), tables are dicts, and an index is
computed from the table when needed. Expressions are tuples, so that the model evaluates them without parsing text:

    condition := ("cmp", op, operand, operand) | ("between", operand, low, high) | ("in", operand, [operand])
               | ("exists", path) | ("absent", path) | ("type", path, name) | ("begins", path, operand)
               | ("contains", path, operand) | ("and", c, c) | ("or", c, c) | ("not", c)
    operand   := ("path", path) | ("value", wire value) | ("size", path)
    path      := ("name", "key", 3, ...)          strings go into maps, numbers into lists
    update    := {"SET": [(path, source)], "REMOVE": [path], "ADD": [(path, value)], "DELETE": [(path, value)]}
    source    := operand | ("plus" | "minus", operand, operand) | ("if_not_exists", path, operand)
               | ("list_append", operand, operand)
"""

import base64
import copy
import decimal
from decimal import Decimal

EXACT = decimal.Context(prec=60)
ABSENT_OPERAND = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
WRONG_PATH = "The document path provided in the update expression is invalid for update"


class Refused(Exception):
    """The model refuses. `messages` are the messages that DynamoDB may reply with; empty if any message is right."""

    def __init__(self, code, messages=()):
        super().__init__(code, messages)
        self.code = code
        self.messages = set(messages)


def canonical(value):
    """A hashable form that is equal for equal DynamoDB values: 1 is 1.0, sets have no order."""
    (kind, content), = value.items()
    if kind == "N":
        return kind, Decimal(content)
    if kind == "B":
        return kind, base64.b64decode(content)
    if kind == "NS":
        return kind, frozenset(map(Decimal, content))
    if kind == "BS":
        return kind, frozenset(map(base64.b64decode, content))
    if kind == "SS":
        return kind, frozenset(content)
    if kind == "L":
        return kind, tuple(map(canonical, content))
    if kind == "M":
        return kind, canonical_item(content)
    return kind, content


def canonical_item(item):
    return frozenset((name, canonical(value)) for name, value in item.items())


def sort_form(value):
    """Python's order of this form is DynamoDB's order of key values of one type."""
    kind, content = canonical(value)
    return content.encode() if kind == "S" else content


def plain_number(text):
    """A number as DynamoDB writes it: plain digits, no exponent, no superfluous zero or sign."""
    number = Decimal(text)
    if number == 0:
        return "0"
    digits = format(number, "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


# --- documents -------------------------------------------------------------------------------------------------------

def look_up(item, path):
    value = item.get(path[0])
    for step in path[1:]:
        if value is None:
            return None
        if isinstance(step, int):
            elements = value.get("L", [])
            value = elements[step] if step < len(elements) else None
        else:
            value = value.get("M", {}).get(step)
    return value


def project(item, paths):
    """The parts of an item that the paths name; gaps between list elements are closed."""
    tree = {}
    for path in paths:
        node = tree
        for step in path:
            node = node.setdefault(step, {})
    found = project_map_(item, tree)
    return found


def project_map_(members, tree):
    found = {}
    for name, below in tree.items():
        if name in members:
            value = project_value_(members[name], below)
            if value is not None:
                found[name] = value
    return found


def project_value_(value, tree):
    if not tree:
        return value
    if "M" in value:
        members = project_map_(value["M"], {k: v for k, v in tree.items() if isinstance(k, str)})
        return {"M": members} if members else None
    if "L" in value:
        places = sorted(k for k in tree if isinstance(k, int) and k < len(value["L"]))
        elements = [project_value_(value["L"][place], tree[place]) for place in places]
        elements = [element for element in elements if element is not None]
        return {"L": elements} if elements else None
    return None


# --- conditions ------------------------------------------------------------------------------------------------------

def operand_value(operand, item):
    kind, content = operand
    if kind == "value":
        return content
    found = look_up(item, content)
    if kind == "path" or found is None:
        return found
    (type_name, inner), = found.items()
    if type_name == "S":
        return {"N": str(len(inner.encode()))}
    if type_name == "B":
        return {"N": str(len(base64.b64decode(inner)))}
    return {"N": str(len(inner))} if type_name in ("SS", "NS", "BS", "L", "M") else None


def equal(left, right):
    return left is not None and right is not None and canonical(left) == canonical(right)


def ordered(op, left, right):
    if left is None or right is None:
        return False
    (left_kind, _), (right_kind, _) = canonical(left), canonical(right)
    if left_kind != right_kind or left_kind not in ("S", "N", "B"):
        return False
    a, b = sort_form(left), sort_form(right)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def starts(value, prefix):
    if value is None or prefix is None or set(value) != set(prefix) or not set(value) & {"S", "B"}:
        return False
    return sort_form(value).startswith(sort_form(prefix))


def contains(value, part):
    if value is None or part is None:
        return False
    (kind, content), (part_kind, part_content) = canonical(value), canonical(part)
    if kind in ("S", "B"):
        return kind == part_kind and part_content in content
    if kind in ("SS", "NS", "BS"):
        return kind == part_kind + "S" and part_content in content
    return kind == "L" and (part_kind, part_content) in content


def holds(condition, item):
    verb, *rest = condition
    if verb == "and":
        return holds(rest[0], item) and holds(rest[1], item)
    if verb == "or":
        return holds(rest[0], item) or holds(rest[1], item)
    if verb == "not":
        return not holds(rest[0], item)
    if verb == "exists":
        return look_up(item, rest[0]) is not None
    if verb == "absent":
        return look_up(item, rest[0]) is None
    if verb == "type":
        return rest[1] in (look_up(item, rest[0]) or {})
    if verb == "begins":
        return starts(look_up(item, rest[0]), operand_value(rest[1], item))
    if verb == "contains":
        return contains(look_up(item, rest[0]), operand_value(rest[1], item))
    if verb == "between":
        value, low, high = (operand_value(operand, item) for operand in rest)
        return ordered(">=", value, low) and ordered("<=", value, high)
    if verb == "in":
        value = operand_value(rest[0], item)
        return any(equal(value, operand_value(choice, item)) for choice in rest[1])
    op, left, right = rest[0], operand_value(rest[1], item), operand_value(rest[2], item)
    if op in ("=", "<>"):
        return equal(left, right) == (op == "=")
    return ordered(op, left, right)


# --- updates ---------------------------------------------------------------------------------------------------------

def source_value(source, item):
    kind = source[0]
    if kind == "if_not_exists":
        found = look_up(item, source[1])
        return found if found is not None else source_value(source[2], item)
    if kind in ("plus", "minus", "list_append"):
        left, right = source_value(source[1], item), source_value(source[2], item)
        if kind == "list_append":
            if "L" not in left or "L" not in right:
                raise Refused("ValidationException", [WRONG_TYPE])
            return {"L": left["L"] + right["L"]}
        if "N" not in left or "N" not in right:
            raise Refused("ValidationException", [WRONG_TYPE])
        a, b = Decimal(left["N"]), Decimal(right["N"])
        return {"N": str(EXACT.add(a, b) if kind == "plus" else EXACT.subtract(a, b))}
    value = operand_value(source, item)
    if value is None:
        raise Refused("ValidationException", [ABSENT_OPERAND])
    return value


def added(old, value):
    (kind, content), = value.items()
    if old is None:
        return value
    if kind not in old:
        raise Refused("ValidationException", [WRONG_TYPE])
    if kind == "N":
        return {"N": str(EXACT.add(Decimal(old["N"]), Decimal(content)))}
    have = canonical(old)[1]
    return {kind: old[kind] + [element for element in content if canonical({kind: [element]})[1].isdisjoint(have)]}


def taken_away(old, value):
    (kind, content), = value.items()
    if old is None:
        return None
    if kind not in old:
        raise Refused("ValidationException", [WRONG_TYPE])
    gone = canonical(value)[1]
    left = [element for element in old[kind] if canonical({kind: [element]})[1].isdisjoint(gone)]
    return {kind: left} if left else None


def parent_of(item, path):
    """The dict or list that contains the last element of a path; refuses a path that does not exist."""
    if len(path) == 1:
        return item
    holder = look_up(item, path[:-1])
    wanted = "L" if isinstance(path[-1], int) else "M"
    if holder is None or wanted not in holder:
        raise Refused("ValidationException", [WRONG_PATH])
    return holder[wanted]


def put_at(item, path, value):
    holder, step = parent_of(item, path), path[-1]
    if isinstance(step, int) and step >= len(holder):
        holder.append(value)
    else:
        holder[step] = value


def remove_at(item, path):
    holder, step = parent_of(item, path), path[-1]
    if isinstance(step, int):
        if step < len(holder):
            del holder[step]
    else:
        holder.pop(step, None)


def updated(old, update):
    """The item after an update expression. Every source is read from the old item, whatever the order of clauses."""
    new, changes, faults = copy.deepcopy(old), [], set()
    steps = [("SET", path, source) for path, source in update.get("SET", [])]
    steps += [("ADD", path, value) for path, value in update.get("ADD", [])]
    steps += [("DELETE", path, value) for path, value in update.get("DELETE", [])]
    for verb, path, source in steps:
        try:
            parent_of(old, path)
            if verb == "SET":
                value = source_value(source, old)
            else:
                value = (added if verb == "ADD" else taken_away)(look_up(old, path), source)
            changes.append((path, copy.deepcopy(value)))
        except Refused as refusal:
            faults |= refusal.messages
    # Indexes refer to the old list, so the last element is removed first.
    removals = sorted(update.get("REMOVE", []), key=lambda path: -path[-1] if isinstance(path[-1], int) else 0)
    for path in removals:
        try:
            parent_of(old, path)
        except Refused as refusal:
            faults |= refusal.messages
    if faults:
        raise Refused("ValidationException", faults)
    for path, value in changes:
        remove_at(new, path) if value is None else put_at(new, path, value)
    for path in removals:
        remove_at(new, path)
    return new


# --- tables ----------------------------------------------------------------------------------------------------------

class Index:
    """Keys and types of an index; `attributes` is None for ALL, otherwise the projected non-key attributes."""

    def __init__(self, name, hash_keys, range_keys, attributes=None, local=False):
        self.name, self.hash_keys, self.range_keys = name, hash_keys, range_keys
        self.attributes, self.local = attributes, local

    def keys(self):
        return self.hash_keys + self.range_keys


class Table:
    """A table as a dict from key to item. A method returns what the operation of that name would, or raises Refused."""

    def __init__(self, name, hash_key, range_key, types, indexes=()):
        self.name, self.types = name, types
        self.primary = Index(None, [hash_key], [range_key] if range_key else [])
        self.indexes = list(indexes)
        self.items = {}

    def key_names(self):
        return self.primary.keys()

    def key_of(self, item):
        return tuple(canonical(item[name]) for name in self.key_names())

    def key_part(self, item):
        return {name: item[name] for name in self.key_names()}

    def check_index_keys(self, item):
        for index in self.indexes:
            for name in index.keys():
                if name in item and self.types[name] not in item[name]:
                    raise Refused("ValidationException")

    def check(self, condition, old):
        if condition is not None and not holds(condition, old or {}):
            raise Refused("ConditionalCheckFailedException", ["The conditional request failed"])

    def put(self, item, condition=None):
        self.check_index_keys(item)
        old = self.items.get(self.key_of(item))
        self.check(condition, old)
        self.items[self.key_of(item)] = copy.deepcopy(item)
        return old

    def get(self, key):
        return self.items.get(self.key_of(key))

    def delete(self, key, condition=None):
        old = self.get(key)
        self.check(condition, old)
        self.items.pop(self.key_of(key), None)
        return old

    def update(self, key, update, condition=None):
        old = self.get(key)
        self.check(condition, old)
        if old is None and update and not set(update) - {"REMOVE", "DELETE"}:
            return None, {}             # an update that only removes does nothing if there is no item
        new = updated(old if old is not None else dict(key), update)
        self.check_index_keys(new)
        self.items[self.key_of(key)] = new
        return old, new

    def carried(self, index, item):
        """An item as it is in an index."""
        if index.attributes is None:
            return item
        projected = set(self.key_names()) | set(index.keys()) | set(index.attributes)
        return {name: value for name, value in item.items() if name in projected}

    def entries(self, index):
        """The items in an index (whole items, for the table itself), in no order."""
        return [item for item in self.items.values() if all(name in item for name in index.keys())]

    def select(self, index, hash_values, range_test):
        """The items of one partition whose sort key values pass the test, in order."""
        wanted = [canonical(value) for value in hash_values]
        found = [item for item in self.entries(index)
                 if [canonical(item[name]) for name in index.hash_keys] == wanted and range_test(item)]
        return sorted(found, key=lambda item: self.sort_key(index, item))

    def sort_key(self, index, item):
        return tuple(sort_form(item[name]) for name in index.range_keys)
