"""Signals at awkward moments: the exit code says so, and nothing is lost or left half done."""

import signal
import time

import pytest

import faults
import loopback


@pytest.mark.parametrize("sign, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_refresh_that_is_interrupted_keeps_what_the_server_gives(expired, oauthctl, sign, code):
    expired.on("refresh", faults.late(1))
    running = oauthctl.start("refresh", "acme")
    expired.wait_for("refresh")
    running.kill(sign)
    assert running.wait(8).code in (0, code)
    token = oauthctl.token()
    assert expired.works(token) and expired.count("refresh") == 1
    assert oauthctl("refresh", "acme").code == 0


@pytest.mark.parametrize("sign, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_login_ends_at_once_and_frees_its_port(acme, oauthctl, sign, code):
    flow = oauthctl.start("login", "acme", "--no-browser")
    port = loopback.port_of(flow.url())
    flow.kill(sign)
    done = flow.wait(3)
    assert done.code == code and done.out == ""
    assert loopback.listening_addresses(port) == []


def test_a_second_interrupt_ends_a_refresh_that_hangs(expired, oauthctl):
    expired.rotation = "window"
    expired.on("refresh", faults.silence(60))
    running = oauthctl.start("refresh", "acme")
    expired.wait_for("refresh")
    running.kill(signal.SIGINT)
    time.sleep(0.5)
    if running.alive:
        running.kill(signal.SIGINT)
    assert running.wait(3).code == 130
    assert oauthctl.state()["refreshable"] is True


def test_a_login_waiting_for_the_token_endpoint_can_be_interrupted(acme, oauthctl, keyring):
    acme.on("token", faults.silence(60))
    flow = oauthctl.start("login", "acme", "--no-browser")
    loopback.get(acme.approve(flow.url()))
    acme.wait_for("token")
    flow.kill(signal.SIGINT)
    assert flow.wait(5).code == 130
    assert keyring.item() is None


def test_the_timeout_of_a_login_counts_the_person_not_the_exchange(acme, oauthctl):
    acme.on("token", faults.late(2))
    flow = oauthctl.start("login", "acme", "--no-browser", "--timeout", "2s")
    loopback.get(acme.approve(flow.url()))
    assert flow.wait(10).code == 0


def test_nohup_is_respected(expired, oauthctl):
    expired.on("refresh", faults.late(0.7))
    running = oauthctl.start_with("nohup", "refresh", "acme")
    expired.wait_for("refresh")
    running.kill(signal.SIGHUP)
    assert running.wait(8).code == 0


def test_stopping_and_continuing_does_not_disturb_a_login(acme, oauthctl):
    flow = oauthctl.start("login", "acme", "--no-browser")
    location = acme.approve(flow.url())
    flow.kill(signal.SIGSTOP)
    time.sleep(0.3)
    flow.kill(signal.SIGCONT)
    assert loopback.get(location).status == 200
    assert flow.wait(5).code == 0
