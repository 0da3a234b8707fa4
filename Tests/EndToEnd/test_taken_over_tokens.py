"""A login that begins with a refresh token which the client has from elsewhere, as from another program's file."""

import json
import signal

import pytest

import faults
from small_client import SmallClient
from test_faults_of_the_keyring import meanwhile


@pytest.fixture
def given(server, secret_file, oauthctl):
    """A refresh token that another program of the client was given, in a file."""
    tokens = SmallClient(server).login()
    oauthctl.write_provider(server.provider())
    return type("Given", (), {"token": tokens["refresh_token"], "file": secret_file(tokens["refresh_token"] + "\n")})


def take(oauthctl, given, *options):
    return oauthctl("login", "acme", "--refresh-token-file", given.file, *options)


def test_a_token_from_a_file_becomes_a_login(server, given, oauthctl, keyring):
    done = take(oauthctl, given, "--json")
    assert done.code == 0 and done.json["result"] == "ok", done
    (sent,) = server.sent("refresh")
    assert sent.form == {"grant_type": "refresh_token", "refresh_token": given.token, "client_id": "cli"}
    stored = json.loads(keyring.item())["tokens"]["refresh_token"]
    assert stored not in (given.token, "") and server.works(oauthctl.token())
    assert oauthctl("refresh", "acme").code == 0 and server.works(oauthctl.token())
    assert server.count("authorization") == 1 and server.count("token") == 1, "no browser, and no code but the other program's"


def test_a_token_from_standard_input(server, given, oauthctl):
    done = oauthctl("login", "acme", "--flow", "refresh-token", "--refresh-token-file", "-", stdin=given.token)
    assert done.code == 0 and server.works(oauthctl.token()), done


def test_a_server_that_keeps_the_token(server, given, oauthctl, keyring):
    server.rotation = "none"
    assert take(oauthctl, given).code == 0
    assert json.loads(keyring.item())["tokens"]["refresh_token"] == given.token
    assert oauthctl("refresh", "acme").code == 0


def test_the_accounts_client_authenticates_here_and_at_each_refresh(server, secret_file, oauthctl):
    client = server.add_client(id="svc", secret="svc-secret-7", auth="basic")
    tokens = SmallClient(server, "svc").login(headers={"Authorization": client.basic()})
    oauthctl.write_provider(server.provider(client_id="svc"))
    token, secret = secret_file(tokens["refresh_token"]), secret_file("svc-secret-7")
    done = oauthctl("login", "acme", "--refresh-token-file", token, "--client-secret-file", secret)
    assert done.code == 0 and oauthctl("refresh", "acme").code == 0 and server.works(oauthctl.token()), done
    assert server.count("refresh") == 2


def test_a_refused_token_is_77_and_nothing_is_stored(server, given, oauthctl, keyring, secret_file):
    given.file = secret_file("rt-of-nobody")
    done = take(oauthctl, given, "--json")
    assert done.code == 77 and keyring.item() is None, done
    assert "--client-id" in done.error["hint"] and "oauthctl login acme" in done.error["hint"]


def test_a_refusal_leaves_the_login_that_there_is(signed_in, oauthctl, secret_file):
    before = oauthctl.token()
    done = oauthctl("login", "acme", "--refresh-token-file", secret_file("rt-of-nobody"))
    assert done.code == 77 and oauthctl.token() == before
    assert oauthctl("refresh", "acme").code == 0


@pytest.mark.parametrize("fault, code", [
    (faults.answer(503), 75), (faults.answer(200, "{}"), 76),
    (faults.answer(401, {"error": "invalid_client"}), 78),
])  # fmt: skip
def test_what_is_no_token_stores_nothing(server, given, oauthctl, keyring, fault, code):
    server.on("refresh", fault)
    done = take(oauthctl, given)
    assert done.code == code and keyring.item() is None, done
    assert take(oauthctl, given).code == 0


def test_scopes_go_along_where_they_are_asked_for(server, given, oauthctl):
    server.targets.narrows = True
    assert take(oauthctl, given, "--scope", "read").code == 0
    assert server.sent("refresh")[0].form["scope"] == "read" and oauthctl.state()["scope"] == ["read"]


def test_an_id_token_says_who_it_is(server, secret_file, oauthctl):
    tokens = SmallClient(server).login(scope="openid read")
    server.id_token_changes = {"nonce": None}
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "read"]})
    done = oauthctl("login", "acme", "--refresh-token-file", secret_file(tokens["refresh_token"]))
    assert done.code == 0 and "as alice@example.com" in done.err and server.count("jwks") == 1, done
    assert oauthctl.state()["identity"] == "alice@example.com"


@pytest.mark.parametrize("flaw", ["signature", "none"])
def test_an_id_token_that_does_not_hold_costs_no_login(server, secret_file, oauthctl, keyring, flaw):
    tokens = SmallClient(server).login(scope="openid read")
    server.identity.flaw = flaw
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "read"]})
    done = oauthctl("login", "acme", "--refresh-token-file", secret_file(tokens["refresh_token"]))
    assert done.code == 0 and "the new ID token was not kept" in done.err, done
    assert "id_token" not in json.loads(keyring.item())["tokens"] and server.works(oauthctl.token())


@pytest.mark.parametrize("text", ['{"refresh_token": "x"}', "two words", "two\nlines"])
def test_what_is_no_token_is_not_sent(server, given, oauthctl, secret_file, text):
    given.file = secret_file(text)
    done = take(oauthctl, given)
    assert done.code == 64 and "jq -r .refresh_token" in done.err and server.count("refresh") == 0


def test_a_token_has_to_be_given_and_belongs_to_its_grant(acme, oauthctl, secret_file):
    done = oauthctl("login", "acme", "--flow", "refresh-token")
    assert done.code == 64 and "--refresh-token-file" in done.err
    done = oauthctl("login", "acme", "--flow", "code", "--refresh-token-file", secret_file("x"))
    assert done.code == 64 and "--flow refresh-token" in done.err


def test_who_is_interrupted_while_the_server_answers_keeps_the_login(server, given, oauthctl):
    server.on("refresh", faults.late(1))
    running = oauthctl.start("login", "acme", "--refresh-token-file", given.file)
    server.wait_for("refresh")
    running.kill(signal.SIGINT)
    assert running.wait(8).code in (0, 130)
    assert server.works(oauthctl.token()) and oauthctl("refresh", "acme").code == 0
    assert server.count("refresh") == 2


def test_the_token_is_seen_nowhere(server, given, oauthctl):
    server.secrets.add(given.token)
    server.on("refresh", faults.answer(400, {"error": "invalid_grant", "error_description": given.token + " is spent"}))
    done = take(oauthctl, given, "--verbose")
    assert done.code == 77 and given.token not in done.err + done.out


@pytest.mark.parametrize("rotation", ["none", "rotate"])
def test_a_keyring_that_is_locked_meanwhile_costs_no_token(server, given, oauthctl, keyring, rotation):
    """Nobody can log in again for it: as at a refresh, the service's memory will do, and nothing is revoked."""
    server.rotation = rotation
    server.on("refresh", meanwhile(keyring.lock))
    done = oauthctl("login", "acme", "--refresh-token-file", given.file, timeout=60)
    assert done.code == 0, done
    assert server.count("revocation") == 0 and server.works(oauthctl.token())
