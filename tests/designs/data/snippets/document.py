"""Runs the documents' programs exactly as printed (tests/data/snippets), one after another in one namespace. boto3
before 1.28 does not read AWS_ENDPOINT_URL_DYNAMODB; for these versions the variable is read here."""

import os
from pathlib import Path

import boto3
import botocore.session

QUOTED = Path(__file__).resolve().parents[3] / "data" / "snippets"

if tuple(int(part) for part in boto3.__version__.split(".")[:2]) < (1, 28):
    create_client = botocore.session.Session.create_client

    def create_client_at_endpoint(self, service_name, *arguments, **options):
        if service_name == "dynamodb" and not options.get("endpoint_url"):
            options["endpoint_url"] = os.environ["AWS_ENDPOINT_URL_DYNAMODB"]
        return create_client(self, service_name, *arguments, **options)

    botocore.session.Session.create_client = create_client_at_endpoint


def run(*names, **given):
    """The names that the programs define, in addition to those passed in."""
    namespace = {"__name__": "document", **given}
    for name in names:
        path = QUOTED / (name + ".py")
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    return namespace


def client():
    """A client that accepts and returns plain values, as the documents' classes expect."""
    return boto3.resource("dynamodb", region_name="us-east-1").meta.client
