"""Random items, conditions, updates and projections for random_model.py, and their text as DynamoDB expressions.

Everything comes from one random.Random, so a seed repeats a run. All requests are well-formed: the tests of error
messages cover requests that DynamoDB would refuse before looking at the item.
"""

import base64
import decimal
from decimal import Decimal

SCALARS = ("S", "N", "B")
KEY_LIKE = {"g1": "S", "g2": "N", "g3": "S", "g4": "N", "g5": "B", "l1": "S", "l2": "N"}
VALUE_TYPES = {"txt": "S", "cnt": "N", "bin0": "B", "flg": "BOOL", "nil0": "NULL", "tgs": "SS", "nbs": "NS",
               "bns": "BS", "lst0": "L", "doc0": "M", "uni0": "S", "any0": None}
SIZED = ("txt", "bin0", "tgs", "nbs", "bns", "lst0", "doc0")
WORDS = ["", "a", "aa", "ab", "abc", "b", "ba", "mango", "mangosteen", "zebra", "Zebra", "0", "10", "9"]
UNICODE = ["é", "日本語", "🦒", "\u0000nul", "ａ", "quote\"\\slash", "line\nbreak", "\ud7ff", "\ue000"]
NUMBERS = ["0", "1", "-1", "2", "10", "-10", "0.5", "3.25", "100", "-0.001", "7", "42"]
WILD = ["1E+125", "9.9999999999999999999999999999999999999E+125", "-9.9999999999999999999999999999999999999E+125",
        "1E-130", "-1E-130", "1E-129", "12345678901234567890123456789012345678",
        "-12345678901234567890123456789012345678", "0.1", "0.10000000000000000000000000000001", "99", "100", "101",
        "-99", "-100", "-101", "1E+2", "1E-2", "0",
        "5E+20", "5E+21", "-5E-21", "1.0000000000000000000000000000000000001", "1"]
BYTES = [b"", b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"ab", b"abc", b"\x7f", b"\x80", b"\xff", b"\xff\xff",
         b"\xff\x00"]


def encode(data):
    return base64.b64encode(data).decode()


def number_text(random, number):
    """One of several formats of a number that are equal for DynamoDB."""
    number = Decimal(number)
    style = random.randrange(4)
    if style == 0:
        return str(number)
    if style == 1:
        return format(number, "f")
    sign, digits, exponent = number.as_tuple()
    if style == 2:
        return ("-" if sign else "") + "".join(map(str, digits)) + "E" + str(exponent)
    with decimal.localcontext(decimal.Context(prec=80)):
        return format(number.normalize(), "e" if random.random() < 0.5 else "E")


def scalar(random, kind, wild=False, empty=True):
    if kind == "S":
        pool = WORDS + UNICODE if wild else WORDS
        return {"S": random.choice(pool if empty else [word for word in pool if word])}
    if kind == "N":
        return {"N": number_text(random, random.choice(WILD if wild else NUMBERS))}
    return {"B": encode(random.choice(BYTES if empty else [data for data in BYTES if data]))}


def value(random, kind=None, depth=0):
    kind = kind or random.choice(["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS"] + ([] if depth > 2 else ["L", "M"]))
    if kind in SCALARS:
        return scalar(random, kind)
    if kind == "BOOL":
        return {"BOOL": random.random() < 0.5}
    if kind == "NULL":
        return {"NULL": True}
    if kind == "SS":
        return {"SS": random.sample(WORDS, random.randint(1, 4))}
    if kind == "NS":
        return {"NS": [number_text(random, n) for n in random.sample(NUMBERS, random.randint(1, 4))]}
    if kind == "BS":
        return {"BS": [encode(data) for data in random.sample(BYTES, random.randint(1, 4))]}
    if kind == "L":
        return {"L": [value(random, depth=depth + 1) for _ in range(random.randint(0, 4))]}
    names = random.sample(["x", "y", "z", "w"], random.randint(0, 3))
    return {"M": {name: value(random, depth=depth + 1) for name in names}}


def attributes(random):
    """Some attributes of an item, without its keys. Index keys are often present: indexes are sparse but not empty."""
    found = {name: scalar(random, kind, empty=False) for name, kind in KEY_LIKE.items() if random.random() < 0.7}
    for name, kind in VALUE_TYPES.items():
        if random.random() < 0.4:
            found[name] = {"S": random.choice(UNICODE)} if name == "uni0" else value(random, kind)
    return found


# --- conditions ------------------------------------------------------------------------------------------------------

def path(random, names):
    """A path that begins with one of the names; half of them lead into documents."""
    name = random.choice(names)
    if random.random() < 0.5:
        if name == "doc0":
            return (name, random.choice("xyz")) + ((random.choice("xy"),) if random.random() < 0.3 else ())
        if name == "lst0":
            return (name, random.randrange(4))
    return (name,)


def comparison(random, names):
    where = path(random, names)
    kind = VALUE_TYPES.get(where[0], KEY_LIKE.get(where[0])) if len(where) == 1 else None
    same = lambda: ("value", scalar(random, kind if kind in SCALARS else random.choice(SCALARS)))
    verb = random.choice(["cmp", "cmp", "cmp", "between", "in", "exists", "absent", "type", "begins", "contains",
                          "size", "paths"])
    sized = [name for name in names if name in SIZED]
    if verb == "size" and sized:
        return ("cmp", random.choice(["=", "<>", "<", "<=", ">", ">="]), ("size", (random.choice(sized),)),
                ("value", {"N": str(random.randrange(5))}))
    if verb == "paths" and len(names) > 1:
        left, right = random.sample(names, 2)
        return ("cmp", random.choice(["=", "<>", "<", ">="]), ("path", (left,)), ("path", (right,)))
    if verb == "between":
        return between(random, where, kind if kind in SCALARS else random.choice(SCALARS))
    if verb == "in":
        return ("in", ("path", where), [("value", value(random, kind)) for _ in range(random.randint(1, 4))])
    if verb in ("exists", "absent"):
        return (verb, where)
    if verb == "type":
        return ("type", where, random.choice(["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"]))
    if verb == "begins":
        return ("begins", where, ("value", scalar(random, random.choice("SB"))))
    if verb == "contains":
        return ("contains", where, ("value", scalar(random, random.choice(SCALARS))))
    op = random.choice(["=", "<>", "<", "<=", ">", ">="])
    return ("cmp", op, ("path", where), ("value", value(random, kind)) if op in ("=", "<>") else same())


def between(random, where, kind):
    from dynamo_model import sort_form
    low, high = sorted((scalar(random, kind), scalar(random, kind)), key=sort_form)
    return ("between", ("path", where), ("value", low), ("value", high))


def condition(random, names, depth=2):
    if depth == 0 or random.random() < 0.4:
        return comparison(random, names)
    verb = random.choice(["and", "or", "not"])
    if verb == "not":
        return ("not", condition(random, names, depth - 1))
    return (verb, condition(random, names, depth - 1), condition(random, names, depth - 1))


# --- updates ---------------------------------------------------------------------------------------------------------

def update(random, nested):
    """A random update of value attributes. With `nested`, also inside documents."""
    names = list(VALUE_TYPES) + list(KEY_LIKE)
    random.shuffle(names)
    found = {"SET": [], "REMOVE": [], "ADD": [], "DELETE": []}
    for name in names[:random.randint(1, 4)]:
        add_action(random, found, name, nested)
    return {verb: actions for verb, actions in found.items() if actions}


def add_action(random, found, name, nested):
    kind = VALUE_TYPES.get(name, KEY_LIKE.get(name))
    if name in KEY_LIKE:
        if random.random() < 0.35:
            found["REMOVE"].append((name,))
        else:
            found["SET"].append(((name,), ("value", scalar(random, kind, empty=False))))
        return
    choice = random.random()
    if nested and name in ("doc0", "lst0") and choice < 0.6:
        nested_action(random, found, name)
    elif choice < 0.15:
        found["REMOVE"].append((name,))
    elif kind in ("SS", "NS", "BS") and choice < 0.8:
        found["ADD" if choice < 0.5 else "DELETE"].append(((name,), value(random, kind)))
    elif kind == "N" and choice < 0.7:
        if choice < 0.4:
            found["ADD"].append(((name,), scalar(random, "N")))
        else:
            source = ("path", (name,)) if choice < 0.5 else ("if_not_exists", (name,), ("value", {"N": "0"}))
            found["SET"].append(((name,), (random.choice(["plus", "minus"]), source, ("value", scalar(random, "N")))))
    elif kind == "L" and choice < 0.7:
        source = ("path", (name,)) if choice < 0.3 else ("if_not_exists", (name,), ("value", {"L": []}))
        operands = [source, ("value", value(random, "L"))]
        random.shuffle(operands)
        found["SET"].append(((name,), ("list_append", *operands)))
    elif name == "any0" and choice < 0.5:
        found["SET"].append(((name,), ("path", (random.choice(["txt", "cnt", "doc0", "tgs", "g1"]),))))
    else:
        found["SET"].append(((name,), ("value", value(random, kind))))


def nested_action(random, found, name):
    step = random.choice("xyz") if name == "doc0" else random.randrange(4)
    if random.random() < 0.4:
        found["REMOVE"].append((name, step))
        if name == "lst0" and random.random() < 0.5:
            found["REMOVE"].append((name, step + 1))
    else:
        found["SET"].append(((name, step), ("value", value(random))))


# --- projections and text --------------------------------------------------------------------------------------------

def projection(random, names):
    """Paths that do not overlap."""
    found = []
    for name in random.sample(names, random.randint(1, min(4, len(names)))):
        if name == "doc0" and random.random() < 0.6:
            found += [(name, step) for step in random.sample("xyz", random.randint(1, 2))]
        elif name == "lst0" and random.random() < 0.6:
            found += [(name, place) for place in random.sample(range(4), random.randint(1, 3))]
        else:
            found.append((name,))
    return found


class Text:
    """Writes expressions with placeholders for some names and all values; parameters() returns the placeholders' values."""

    def __init__(self, random):
        self.random, self.names, self.values = random, {}, {}

    def parameters(self):
        found = {}
        if self.names:
            found["ExpressionAttributeNames"] = {placeholder: name for name, placeholder in self.names.items()}
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found

    def name(self, name):
        if name not in self.names and self.random.random() < 0.5:
            return name
        return self.names.setdefault(name, f"#n{len(self.names)}")

    def value(self, content):
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = content
        return placeholder

    def path(self, steps):
        text = self.name(steps[0])
        for step in steps[1:]:
            text += f"[{step}]" if isinstance(step, int) else "." + self.name(step)
        return text

    def operand(self, operand):
        kind, content = operand
        if kind == "value":
            return self.value(content)
        return self.path(content) if kind == "path" else f"size({self.path(content)})"

    def condition(self, condition):
        verb, *rest = condition
        if verb in ("and", "or"):
            left, right = (self.inner(part) for part in rest)
            return f"{left} {self.cased(verb)} {right}"
        if verb == "not":
            return f"{self.cased('not')} ({self.condition(rest[0])})"
        if verb in ("exists", "absent"):
            return f"{'attribute_exists' if verb == 'exists' else 'attribute_not_exists'}({self.path(rest[0])})"
        if verb == "type":
            return f"attribute_type({self.path(rest[0])}, {self.value({'S': rest[1]})})"
        if verb in ("begins", "contains"):
            return f"{'begins_with' if verb == 'begins' else 'contains'}({self.path(rest[0])}, {self.operand(rest[1])})"
        if verb == "between":
            value, low, high = (self.operand(part) for part in rest)
            return f"{value} {self.cased('between')} {low} {self.cased('and')} {high}"
        if verb == "in":
            return f"{self.operand(rest[0])} {self.cased('in')} ({', '.join(self.operand(c) for c in rest[1])})"
        return f"{self.operand(rest[1])} {rest[0]} {self.operand(rest[2])}"

    def inner(self, condition):
        text = self.condition(condition)
        return f"({text})" if condition[0] in ("and", "or", "not") else text

    def cased(self, word):
        return word.upper() if self.random.random() < 0.8 else word

    def update(self, update):
        parts = []
        for verb in self.random.sample(list(update), len(update)):
            parts.append(verb + " " + ", ".join(self.action(verb, action) for action in update[verb]))
        return " ".join(parts)

    def action(self, verb, action):
        if verb == "REMOVE":
            return self.path(action)
        where, source = action
        if verb == "SET":
            return f"{self.path(where)} = {self.source(source)}"
        return f"{self.path(where)} {self.value(source)}"

    def source(self, source):
        if source[0] in ("plus", "minus"):
            return f"{self.source(source[1])} {'+' if source[0] == 'plus' else '-'} {self.source(source[2])}"
        if source[0] == "if_not_exists":
            return f"if_not_exists({self.path(source[1])}, {self.source(source[2])})"
        if source[0] == "list_append":
            return f"list_append({self.source(source[1])}, {self.source(source[2])})"
        return self.operand(source)

    def projection(self, paths):
        return ", ".join(self.path(steps) for steps in paths)
