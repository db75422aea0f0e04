"""start() and the command of the installed package."""

import os
import re
import signal
import subprocess
import sys
import time

import boto3
import pytest

import trestle

PATIENCE_S = 60


def is_running(pid):
    """A zombie, whose parent (which may be any process) has not collected its status yet, does not count as running."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(") ", 1)[1][0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_for_end(pid):
    give_up_at = time.monotonic() + PATIENCE_S
    while is_running(pid):
        assert time.monotonic() < give_up_at, f"process {pid} still runs"
        time.sleep(0.01)


def parent(then):
    """A process that starts a server, and the server's process id. Afterwards the process runs `then`."""
    code = f"import trestle, time; server = trestle.start(); print(server.pid, flush=True); {then}"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


def test_the_program_is_the_one_of_the_package():
    assert trestle.program() == os.path.join(os.path.dirname(trestle.__file__), "program", "trestle")


def test_servers_are_independent_and_stop():
    with trestle.start() as one, trestle.start(region="eu-west-1") as two:
        assert one.port != two.port
        for server in (one, two):
            client = boto3.client("dynamodb", **server.client_options)
            assert client.list_tables()["TableNames"] == []
            client.close()
    for server in (one, two):
        assert not is_running(server.pid)
        server.stop()


def test_data_stays_in_its_folder(tmp_path):
    for names in ([], ["t-1"]):
        with trestle.start(data=tmp_path / "data") as server:
            client = boto3.client("dynamodb", **server.client_options)
            assert client.list_tables()["TableNames"] == names
            with pytest.raises(trestle.ResetError, match="403 .*--memory-store"):
                server.reset()
            if not names:
                client.create_table(TableName="t-1", BillingMode="PAY_PER_REQUEST",
                                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])


def test_a_start_that_fails_says_why():
    with pytest.raises(trestle.StartError, match="(?s)ended with status 2:.*--no-such-flag"):
        trestle.start("--no-such-flag")
    with pytest.raises(trestle.StartError, match="cannot be run"):
        trestle.start(program_path="/nowhere/trestle")


def test_the_server_stops_when_its_parent_is_killed():
    process, server = parent("time.sleep(1000)")
    assert is_running(server)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for_end(server)


def test_a_server_that_nobody_stops_ends_with_its_parent():
    process, server = parent("pass")
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    wait_for_end(server)


def test_the_command_is_the_program():
    command = os.path.join(os.path.dirname(sys.executable), "trestle")
    version = subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.fullmatch(r"trestle \d+\.\d+\.\d+\n", version)
    as_module = subprocess.run([sys.executable, "-m", "trestle", "--version"], stdout=subprocess.PIPE, text=True, check=True)
    assert as_module.stdout == version
    refused = subprocess.run([command, "serve", "--no-such-flag"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert refused.returncode == 2
