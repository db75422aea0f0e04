"""Shared by the suites of imports and bulk puts: a server with a folder of buckets, and objects in every format."""

import base64
import gzip
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import harness
from harness import Folder, Server, Wire, every_page, schema, unique, until

ENDED = {"COMPLETED", "COMPLETED_WITH_ERRORS", "FAILED", "CANCELLED"}
LOG_BUCKET = "aws-dynamodb-imports"


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


COMPRESS = {"NONE": lambda data: data, "GZIP": gzip.compress, "ZSTD": zstd}


def json_lines(items):
    return "".join(json.dumps({"Item": item}) + "\n" for item in items).encode()


def ion_value(value):
    [(kind, content)] = value.items()
    if kind == "S":
        return json.dumps(content)
    if kind == "N":
        return content + ("" if "." in content or "E" in content else ".")
    if kind == "B":
        return "{{" + content + "}}"
    if kind == "BOOL":
        return "true" if content else "false"
    if kind == "NULL":
        return "null"
    if kind == "L":
        return "[" + ",".join(map(ion_value, content)) + "]"
    if kind == "M":
        return ion_struct(content)
    return f"$dynamodb_{kind}::[" + ",".join(ion_value({kind[0]: one}) for one in content) + "]"


def ion_struct(fields):
    return "{" + ",".join(f"'{name}':{ion_value(value)}" for name, value in fields.items()) + "}"


def ion_lines(items):
    return "".join(f"$ion_1_0 {{Item:{ion_struct(item)}}}\n" for item in items).encode()


def csv_lines(rows, delimiter=","):
    def quoted(text):
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in delimiter + '"\r\n') else text
    return "".join(delimiter.join(map(quoted, row)) + "\r\n" for row in rows).encode()


def b64(data):
    return base64.b64encode(data).decode()


# An item with a value of every type.
def rich_item(n):
    return {"pk": {"S": f"p{n % 13}"}, "sk": {"N": str(n)}, "g": {"S": f"g{n % 5}"}, "text": {"S": 'é "quoted" \n 漢😀'},
            "bytes": {"B": b64(bytes([0, 255, n % 256]))}, "yes": {"BOOL": True}, "none": {"NULL": True},
            "list": {"L": [{"S": "a"}, {"N": "1.5"}, {"L": []}, {"M": {}}]}, "map": {"M": {"a b": {"N": "-7"}}},
            "ss": {"SS": ["x", "y"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": [b64(b"\x00"), b64(b"\x01")]}}


def small_item(n, version=0):
    return {"pk": {"S": f"p{n % 97}"}, "sk": {"N": str(n)}, "g": {"S": f"g{n % 11}"}, "v": {"N": str(version)},
            "pad": {"S": "x" * 60}}


def canonical(item):
    return json.dumps({name: {kind: sorted(content) if kind in ("SS", "NS", "BS") else content
                              for kind, content in value.items()} for name, value in item.items()}, sort_keys=True)


def found(wire, name, **more):
    return sorted(canonical(item) for item in every_page(wire.call, "Scan", TableName=name, **more))


def expected(items):
    """Of several items with the same key, the last one remains."""
    return sorted({(json.dumps(item["pk"]), json.dumps(item["sk"])): canonical(item) for item in items}.values())


class Loader:
    """A server whose buckets are folders of the test."""

    def __init__(self, *flags):
        self.folder = Folder()
        self.server = Server("--buckets", self.folder.path, *flags)
        self.client = harness.client(self.server.endpoint)
        self.wire = Wire(self.server.endpoint)

    def close(self):
        self.wire.close()
        self.server.close()
        self.folder.remove()

    def restart(self):
        """Kills the server and starts it again."""
        self.server.kill()
        self.server.start()
        self.client = harness.client(self.server.endpoint)
        self.wire = Wire(self.server.endpoint)

    def bucket(self):
        name = unique("bucket").replace("_", "-").lower()
        (self.folder.path / name).mkdir()
        return name

    def put(self, bucket, name, data):
        path = self.folder.path / bucket / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def source(self, **objects):
        """A new bucket with these objects; "__" in a name stands for a slash."""
        bucket = self.bucket()
        for name, data in objects.items():
            self.put(bucket, name.replace("__", "/"), data)
        return bucket

    def errors(self, bucket, *parts):
        """The reported errors of records that were not put."""
        lines = []
        for path in sorted((self.folder.path / bucket).joinpath(*parts).rglob("errors-*.json")):
            lines += map(json.loads, path.read_text().splitlines())
        return lines


def creation(name, **more):
    return {"TableName": name, **schema("pk:S sk:N", "g:S"), "GlobalSecondaryIndexes": [harness.index("by-g", "g sk")],
            **more}


def plain_creation(name):
    return {"TableName": name, **schema("pk:S sk:N")}


def wait_ended(describe):
    """Polls until the import or bulk put is over, and returns the last description."""
    status = {"ImportStatus", "BulkOperationStatus"}
    return until(lambda: (d := describe()) and any(d.get(s) in ENDED for s in status) and d, "the end of the load")
