"""Fixtures for pytest. One server runs for a session, started by the first test that uses it; with pytest-xdist, one for each
worker."""

import pytest

import trestle


def pytest_addoption(parser):
    parser.addini("trestle_tables", "Files of tables to create, as for `trestle serve --tables`", type="args", default=[])
    parser.addini("trestle_seed", "Files of items to load, as for `trestle serve --seed`", type="args", default=[])
    parser.addini("trestle_flags", "More flags of `trestle serve`, separated by spaces", type="args", default=[])


@pytest.fixture(scope="session")
def trestle_server(request):
    """The running trestle.Server."""
    ini = request.config.getini
    with trestle.start(*ini("trestle_flags"), tables=ini("trestle_tables"), seed=ini("trestle_seed")) as server:
        yield server


@pytest.fixture(scope="session")
def trestle_endpoint(trestle_server):
    """The server's URL."""
    return trestle_server.endpoint


@pytest.fixture
def trestle_reset(trestle_server):
    """Resets the server to the configured tables and items before the test."""
    trestle_server.reset()


@pytest.fixture
def trestle_environment(trestle_server, monkeypatch):
    """For one test, the environment in which an unchanged program uses the server (boto3 1.28 or later)."""
    for name, value in trestle_server.environment.items():
        monkeypatch.setenv(name, value)
    return trestle_server.environment


@pytest.fixture(scope="session")
def dynamodb(trestle_server):
    """boto3's DynamoDB resource on the server."""
    import boto3
    return boto3.session.Session().resource("dynamodb", **trestle_server.client_options)


@pytest.fixture(scope="session")
def dynamodb_client(trestle_server):
    """boto3's DynamoDB client on the server."""
    import boto3
    return boto3.session.Session().client("dynamodb", **trestle_server.client_options)
