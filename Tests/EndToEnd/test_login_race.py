"""A login without a browser is a race: the listener, what is pasted, and the code on another device. The first one wins."""

import re

import pytest

import faults
import loopback
from test_login_device import provider

URL = r"(https?://\S+/authorize\?\S+)\s"


@pytest.fixture
def device(server, oauthctl):
    server.device.enabled = True
    server.device.approves_on_visit = False
    oauthctl.write_provider(provider(server))
    return server.device


@pytest.fixture
def race(device, terminal):
    """A login that waits for all three; gives the terminal and the authorization URL."""

    def begin(*options):
        shown = terminal("login", "acme", "--no-browser", *options, columns=1000)
        url = shown.expect(URL).group(1)
        shown.expect("enter the code")
        shown.expect("(?i)paste")
        return shown, url

    return begin


def assert_over(shown, url, server):
    """The losers have been cancelled: nobody listens, nobody polls, the terminal is as it was."""
    shown.assert_modes_restored()
    with pytest.raises(OSError):
        loopback.connect(loopback.port_of(url))


def test_the_code_wins(server, device, race, oauthctl):
    shown, url = race()
    device.approve()
    assert shown.wait() == 0
    assert_over(shown, url, server)
    assert server.works(oauthctl.token()) and server.count("token") == 0


def test_the_browser_wins(server, device, race, oauthctl):
    shown, url = race()
    server.wait_for("poll")
    assert loopback.get(server.approve(url)).status == 200
    assert shown.wait() == 0
    assert_over(shown, url, server)
    assert server.works(oauthctl.token()) and server.count("token") == 1


def test_a_paste_wins(server, device, race, oauthctl):
    shown, url = race()
    shown.send(server.approve(url) + "\n")
    assert shown.wait() == 0
    assert_over(shown, url, server)
    assert server.works(oauthctl.token()) and server.count("poll") == 0


def test_a_refusal_on_the_other_device_ends_all(server, device, race):
    shown, url = race()
    device.deny()
    assert shown.wait() == 77 and "access_denied" in shown.seen
    assert_over(shown, url, server)


def test_a_code_that_is_of_no_use_any_more_leaves_the_others(server, device, race, oauthctl):
    device.answers = [faults.error("invalid_grant")]
    shown, url = race()
    shown.expect("code is of no use any more")
    loopback.get(server.approve(url))
    assert shown.wait() == 0
    assert server.count("poll") == 1


@pytest.mark.parametrize("fault", [
    faults.error("unauthorized_client"), faults.html(503), faults.drop(), faults.answer(200, {}),
], ids=["refused", "out of order", "dropped", "nonsense"])  # fmt: skip
def test_a_server_that_gives_no_code_leaves_the_others(server, device, terminal, fault):
    server.on("device", fault)
    shown = terminal("login", "acme", "--no-browser", columns=1000)
    url = shown.expect(URL).group(1)
    shown.expect("(?i)paste")
    assert "enter the code" not in shown.seen
    loopback.get(server.approve(url))
    assert shown.wait() == 0
    assert "there is no code for another device: the device authorization endpoint gave none (" in shown.seen


def test_a_device_login_is_the_usual_one_where_no_browser_can_be_opened(server, device, oauthctl):
    device.answers = ["ok"]
    done = oauthctl("login", "acme", timeout=10)
    assert done.code == 0 and "no browser" in done.err and server.count("authorization") == 0
    code = re.search(r"\b[B-Z]{4}-[B-Z]{4}\b", done.err)
    assert code.start() < done.err.index("/authorize?"), "who has no browser is better off with the code"


def test_who_opens_a_browser_is_not_asked_for_a_code(server, device, oauthctl):
    oauthctl.login()
    assert server.count("device") == 0


def test_who_asks_for_the_code_flow_gets_that_alone(server, device, oauthctl):
    flow = oauthctl.start("login", "acme", "--no-browser", "--flow", "code")
    loopback.get(server.approve(flow.url()))
    assert flow.wait().code == 0 and server.count("device") == 0


def test_where_no_redirect_can_be_received_the_code_alone_will_do(server, device, oauthctl):
    device.answers = ["ok"]
    done = oauthctl("login", "acme", "--redirect-uri", "https://app.example/cb", timeout=10)
    assert done.code == 0 and "/authorize?" not in done.err, done


def test_a_server_without_a_way_back_is_told(acme, oauthctl):
    done = oauthctl("login", "acme", "--redirect-uri", "https://app.example/cb")
    assert done.code == 69 and "https://app.example/cb" in done.err


def test_a_time_limit_counts_for_all(server, device, race):
    shown, _ = race("--timeout", "1s")
    assert shown.wait(5) == 75
    assert server.count("poll") == 0


def test_an_identity_is_confirmed_whichever_wins(server, oauthctl):
    server.device.enabled = True
    server.device.approves_on_visit = False
    server.device.answers = ["ok"]
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "read"]})
    done = oauthctl("login", "acme", timeout=10)
    assert done.code == 0 and oauthctl.state()["identity"]
    server.id_token_changes = {"aud": "another"}
    server.device.answers = ["ok"]
    done = oauthctl("login", "acme", timeout=10)
    assert done.code == 76 and "'aud'" in done.err
