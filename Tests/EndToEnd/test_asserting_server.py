"""The asserting server itself: it lets a right client through and catches a wrong one."""

import base64

import pytest

import faults


def test_a_right_client_gets_tokens_and_refreshes_them(server, small):
    status, tokens = small.exchange(small.authorize())
    assert status == 200 and server.works(tokens["access_token"])
    status, second = small.post(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    assert status == 200 and second["refresh_token"] != tokens["refresh_token"]
    assert server.works(second["access_token"])


def test_reuse_of_a_refresh_token_ends_the_family(server, small):
    _, tokens = small.exchange(small.authorize())
    _, second = small.post(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    status, _ = small.post(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    assert status == 400 and not server.works(second["access_token"])
    server.expect_violation("spent refresh token")


def test_a_reuse_window_lets_the_previous_refresh_token_in(server, small):
    server.rotation = "window"
    _, tokens = small.exchange(small.authorize())
    for _ in range(2):
        status, _ = small.post(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
        assert status == 200


@pytest.mark.parametrize("bend, words", [
    ({"code_verifier": "x" * 43}, "code_verifier does not belong"),
    ({"redirect_uri": "http://127.0.0.1:9/other"}, "redirect_uri"),
    ({"scope": "read"}, "scope has no place"),
    ({"client_secret": "oops"}, "public client sent a secret"),
])  # fmt: skip
def test_a_wrong_exchange_is_caught(server, small, bend, words):
    small.exchange(small.authorize(), **bend)
    server.expect_violation(words)


@pytest.mark.parametrize("bend, words", [
    ({"state": "short"}, "less than 256 bits"),
    ({"code_challenge_method": "plain"}, "code_challenge_method"),
    ({"scope": "openid", "nonce": None}, "nonce"),
    ({"client_secret": "oops"}, "is in the address"),
])  # fmt: skip
def test_a_wrong_authorization_request_is_caught(server, small, bend, words):
    small.authorize(**bend)
    server.expect_violation(words)


def test_a_code_works_once(server, small):
    code = small.authorize()
    assert small.exchange(code).status == 200
    assert small.exchange(code).status == 400
    server.expect_violation("a second time")


def test_revoking_the_refresh_token_ends_its_access_tokens(server, small):
    _, tokens = small.exchange(small.authorize())
    assert small.post("/revoke", token=tokens["refresh_token"]).status == 200
    assert not server.works(tokens["access_token"])


def test_faults_come_in_order_and_end(server, small):
    server.on("token", faults.error("server_error", 503))
    server.on("token", faults.edit(expires_in="3600", scope=faults.REMOVED))
    assert tuple(small.exchange(small.authorize())) == (503, {"error": "server_error"})
    _, reply = small.exchange(small.authorize())
    assert reply["expires_in"] == "3600" and "scope" not in reply
    _, reply = small.exchange(small.authorize())
    assert reply["expires_in"] == 3600


def test_basic_authentication_is_form_encoded(server):
    client = server.add_client(id="a b", secret="p+q/é:", auth="basic")
    assert base64.b64decode(client.basic()[6:]).decode() == "a+b:p%2Bq%2F%C3%A9%3A"
    raw = server.add_client(id="raw", secret="p+q/é:", auth="basic-raw")
    assert base64.b64decode(raw.basic()[6:]).decode() == "raw:p+q/é:"
