"""What a server writes otherwise than the RFCs have it: names of the token reply's fields, the charset of HTTP Basic."""

import json

import pytest

import faults

NAMES = {"access_token": "api_token", "refresh_token": "renewalToken", "expires_in": "ttl", "error": "fault"}


def renamed(reply):
    reply.json = {NAMES.get(name, name): value for name, value in reply.json.items()}
    return reply


def test_fields_by_names_of_the_servers_own(server, oauthctl, keyring):
    oauthctl.write_provider(server.provider(quirks={"field_aliases": {own: name for name, own in NAMES.items()}}))
    for name in ("token", "refresh"):
        server.on(name, faults.Fault(renamed, after_work=True).forever())
    done = oauthctl.login("acme", "--verbose")
    assert "api_token" in done.err and "[redacted]" in done.err
    first = oauthctl.token()
    assert oauthctl("refresh", "acme").code == 0 and server.works(oauthctl.token()) and oauthctl.token() != first
    stored = json.loads(keyring.item())["tokens"]
    assert "renewalToken" not in json.dumps(stored) and oauthctl.state()["expires_at"]
    server.on("refresh", faults.answer(200, {"fault": "invalid_grant"}))
    server.faults["refresh"].reverse()
    assert oauthctl("refresh", "acme").code == 77


@pytest.mark.parametrize("auth, is_raw", [("basic", False), ("basic-raw", True)])
def test_a_secret_in_latin_1(server, oauthctl, secret_file, auth, is_raw):
    server.add_client(id="cli", secret="pässword-ÿ-7", auth=auth, charset="latin-1")
    quirks = {"basic_charset": "latin1", **({"basic_raw": True} if is_raw else {})}
    oauthctl.write_provider(server.provider(quirks=quirks))
    oauthctl.login("acme", "--client-secret-file", secret_file("pässword-ÿ-7"))
    assert oauthctl("refresh", "acme").code == 0 and server.works(oauthctl.token())
    assert oauthctl("logout", "acme").code == 0
