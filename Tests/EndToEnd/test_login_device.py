"""Logging in on another device (RFC 8628), by every answer that a server may give to a poll."""

import re

import pytest

import faults

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture
def device(server, oauthctl):
    """The provider `acme` with a device authorization endpoint; the person acts as the test says."""
    server.device.enabled = True
    server.device.approves_on_visit = False
    oauthctl.write_provider(provider(server))
    return server.device


def provider(server, **changes):
    value = server.provider(**changes)
    value["endpoints"]["device_authorization"] = server.endpoint("/device")
    return value


def begin(oauthctl, *options):
    return oauthctl.start("login", "acme", "--flow", "device", *options)


def test_a_person_approves_elsewhere(server, device, oauthctl):
    flow = begin(oauthctl, "--json", "--no-browser")
    code = flow.user_code()
    shown = flow.err
    server.wait_for("poll")
    device.approve(code)
    done = flow.wait()
    assert done.code == 0 and done.json["result"] == "ok" and done.json["scope"] == ["read", "write"]
    assert f"open: {server.endpoint('/activate')}\n" in shown, "the address stands alone on its line"
    assert server.works(oauthctl.token()) and oauthctl.state()["refreshable"] is True
    start, (first, *_) = server.sent("device")[0], server.sent("poll")
    assert start.form == {"client_id": "cli", "scope": "read write"}
    assert set(first.form) == {"grant_type", "device_code", "client_id"} and first.form["grant_type"] == DEVICE
    assert oauthctl("refresh", "acme").code == 0


def test_a_browser_that_can_be_opened_saves_the_typing(server, device, oauthctl):
    device.approves_on_visit = True
    done = oauthctl("login", "acme", "--flow", "device", "--browser", oauthctl.browser())
    assert done.code == 0, done
    assert server.count("activation") == 1 and re.search(r"\b[B-Z]{4}-[B-Z]{4}\b", done.err)


def test_slow_down_counts_for_good(server, device, oauthctl):
    device.answers = ["slow_down", "pending", "ok"]
    assert begin(oauthctl).wait(30).code == 0
    assert all(gap >= 6 for gap in device.gaps) and len(device.gaps) == 2, device.gaps


def test_only_the_error_counts_and_outages_are_waited_out(server, device, oauthctl):
    device.answers = [("pending", 200), "html", "drop", "ok"]
    assert begin(oauthctl).wait(40).code == 0
    assert server.count("poll") == 4 and device.gaps[2] > device.gaps[1] > device.gaps[0], device.gaps


@pytest.mark.parametrize("answer, code, words", [
    ("denied", 77, "access_denied"), ("expired", 77, "expired_token"), (("denied", 200), 77, "access_denied"),
    (faults.error("invalid_client", 401), 78, "invalid_client"),
    (faults.error("unheard_of", 400), 77, "unheard_of"),
    (faults.answer(200, {"token_type": "Bearer"}), 76, "access_token"),
], ids=["denied", "expired", "denied with 200", "client", "unknown error", "no token"])  # fmt: skip
def test_what_ends_the_wait_at_once(server, device, oauthctl, keyring, answer, code, words):
    device.answers = [answer]
    done = begin(oauthctl).wait()
    assert done.code == code and words in done.err and done.seconds < 4, done
    assert server.count("poll") == 1 and keyring.item() is None


def test_the_code_ends(server, device, oauthctl):
    device.expires_in = 3
    done = begin(oauthctl, "--json").wait()
    assert done.code == 77 and "nobody entered the code" in done.error["message"]
    assert done.seconds < 4 and server.count("poll") == 1


def test_the_time_limit_ends_the_wait(server, device, oauthctl):
    done = begin(oauthctl, "--timeout", "1s").wait()
    assert done.code == 75 and "--timeout" in done.err and 1 <= done.seconds < 3
    assert server.count("poll") == 0


def test_odd_replies_are_understood(server, device, oauthctl):
    device.uri_name, device.numbers_as_text, device.tells_complete = "verification_url", True, False
    device.answers = [("pending", 401), "ok"]
    done = begin(oauthctl).wait()
    assert done.code == 0 and server.endpoint("/activate") in done.err, done


def test_without_an_interval_it_is_five_seconds(server, device, oauthctl):
    device.tells_interval = False
    device.reply_changes = {"expires_in": None}
    device.answers = ["ok"]
    assert begin(oauthctl).wait().code == 0
    waited = server.sent("poll")[0].at - server.sent("device")[0].answered_at
    assert 5 <= waited < 8


def test_the_servers_own_words_are_shown_without_orders_to_the_terminal(server, device, oauthctl):
    device.reply_changes = {"message": "Welcome to \x1b[31mAcme\nGo on"}
    device.answers = ["denied"]
    done = begin(oauthctl).wait()
    assert done.code == 77 and re.search(r"^oauthctl: Welcome to .*Acme.* ?Go on$", done.err, re.M) and "\x1b" not in done.err


@pytest.mark.parametrize("changes, words", [
    ({"device_code": None}, "device_code"), ({"user_code": None}, "user_code"),
    ({"verification_uri": "javascript:alert(1)"}, "verification_uri"),
], ids=["no device code", "no user code", "no address"])  # fmt: skip
def test_an_answer_that_is_none_is_a_breach_of_the_protocol(server, device, oauthctl, changes, words):
    device.reply_changes = changes
    done = begin(oauthctl).wait()
    assert done.code == 76 and words in done.err, done


def test_ctrl_c_ends_it(server, device, oauthctl, terminal):
    shown = terminal("login", "acme", "--flow", "device", "--no-browser")
    shown.expect("enter the code")
    shown.send("\x03")
    assert shown.wait(4) == 130
    shown.assert_modes_restored()
    assert server.count("token") == 0


def test_a_terminal_shows_the_code_large_and_a_qr_code(server, device, oauthctl, terminal):
    device.answers = ["ok"]
    shown = terminal("login", "acme", "--flow", "device", "--no-browser", columns=80)
    code = shown.expect(r"enter the code:  \x1b\[1m([B-Z]{4}-[B-Z]{4})\x1b\[22m\r\n").group(1)
    assert code in [one.user_code for one in device.codes.values()]
    assert shown.wait() == 0
    blocks = [line for line in shown.seen.splitlines() if re.search("[█▀▄]", line)]
    assert len(blocks) > 10, "a QR code of verification_uri_complete"
    assert shown.seen.index("█") < shown.seen.index(code), "the code stands below, beside the cursor"


def test_a_quiet_terminal_shows_the_code_all_the_same(server, device, oauthctl):
    device.answers = ["ok"]
    done = begin(oauthctl, "--quiet").wait()
    assert done.code == 0 and re.search(r"\b[B-Z]{4}-[B-Z]{4}\b", done.err) and "logged in" not in done.err


def test_an_endpoint_that_only_the_metadata_tells_of(server, oauthctl):
    server.device.enabled = True
    server.device.answers = ["ok"]
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "read"]})
    assert begin(oauthctl).wait().code == 0
    entry = oauthctl.state()
    assert entry["identity"] and server.works(oauthctl.token()), entry


def test_a_provider_without_the_endpoint_is_told_what_works(acme, oauthctl):
    done = oauthctl("login", "acme", "--flow", "device", "--json")
    assert done.code == 78 and "device_authorization" in done.error["message"]
    assert "oauthctl login acme --flow code" in done.error["hint"]


def test_a_client_that_may_not_is_told_what_works(server, device, oauthctl):
    server.on("device", faults.error("unauthorized_client", 400))
    done = oauthctl("login", "acme", "--flow", "device", "--json")
    assert done.code == 78 and done.error["server"]["error"] == "unauthorized_client"
    assert "--flow code" in done.error["hint"]


def test_a_client_secret_is_sent_where_the_data_says(server, oauthctl, secret_file):
    server.device.enabled = True
    server.device.answers = ["pending", "ok"]
    server.add_client(id="web", secret="web-secret-9", auth="post", secret_on=("code", "device", "refresh"))
    oauthctl.write_provider(provider(server, client_id="web", client_auth="post"))
    flow = begin(oauthctl, "--client-secret-file", secret_file("web-secret-9"))
    assert flow.wait().code == 0
    assert {request.form["client_secret"] for request in server.sent("device", "poll")} == {"web-secret-9"}


def test_bound_tokens_by_a_device(server, device, oauthctl):
    server.dpop.enabled = True
    device.answers = ["pending", "ok"]
    assert begin(oauthctl, "--dpop").wait().code == 0
    token = oauthctl.token()
    assert server.issued[token].jkt
    assert "DPoP" not in server.sent("device")[0].headers
