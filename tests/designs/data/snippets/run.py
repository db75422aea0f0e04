"""Runs a snippet as it is: run.py FILE ARGUMENTS. Versions of boto3 before 1.28 do not read AWS_ENDPOINT_URL_DYNAMODB; for them the
variable is read here."""

import os
import runpy
import sys

import boto3
import botocore.session

if tuple(int(part) for part in boto3.__version__.split(".")[:2]) < (1, 28):
    create_client = botocore.session.Session.create_client

    def create_client_at_endpoint(self, service_name, *arguments, **options):
        if service_name == "dynamodb" and not options.get("endpoint_url"):
            options["endpoint_url"] = os.environ["AWS_ENDPOINT_URL_DYNAMODB"]
        return create_client(self, service_name, *arguments, **options)

    botocore.session.Session.create_client = create_client_at_endpoint

sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
