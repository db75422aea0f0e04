"""The fixtures of the installed package, used as in a project's tests."""

import os
import urllib.request

import pytest
from botocore.exceptions import ClientError


@pytest.fixture(scope="module")
def songs(dynamodb):
    return dynamodb.create_table(
        TableName="songs", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "title", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "title", "AttributeType": "S"}])


def test_the_resource_works(songs):
    songs.put_item(Item={"title": "Sinnerman", "plays": 7})
    assert songs.get_item(Key={"title": "Sinnerman"})["Item"]["plays"] == 7
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        songs.put_item(Item={"title": "Sinnerman"}, ConditionExpression="attribute_not_exists(title)")


def test_the_client_uses_the_same_server(songs, dynamodb_client, trestle_endpoint):
    assert dynamodb_client.meta.endpoint_url == trestle_endpoint
    assert dynamodb_client.list_tables()["TableNames"] == ["Music", "songs"]


def test_the_endpoint_answers(trestle_endpoint):
    with urllib.request.urlopen(trestle_endpoint, timeout=60) as reply:
        assert reply.status == 200


def test_the_environment_names_the_server(trestle_environment, trestle_server):
    assert os.environ["AWS_ENDPOINT_URL_DYNAMODB"] == trestle_server.endpoint
    assert os.environ["AWS_DEFAULT_REGION"] == trestle_server.region


def test_the_environment_is_that_of_one_test():
    assert "AWS_ENDPOINT_URL_DYNAMODB" not in os.environ


def test_flags_come_from_the_configuration(trestle_server):
    with open(f"/proc/{trestle_server.pid}/cmdline", "rb") as file:
        assert b"\0--throttle\0none\0" in file.read()


def test_tables_and_items_come_from_the_configuration(dynamodb):
    music = dynamodb.Table("Music")
    assert music.scan()["Items"] == [{"Artist": "No One You Know", "Songs": 2}]
    music.put_item(Item={"Artist": "Acme Band"})


def test_a_reset_brings_them_back(trestle_reset, dynamodb):
    assert [table.name for table in dynamodb.tables.all()] == ["Music"]
    assert dynamodb.Table("Music").scan()["Count"] == 1
