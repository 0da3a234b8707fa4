"""`status`: what is stored, without a secret and without asking a server."""

import datetime

import pytest

import faults

KEYS = {"provider", "account", "state", "refreshable", "scope"}


def test_nothing_stored_is_an_empty_list(oauthctl):
    assert oauthctl("status", "--json").json == []
    done = oauthctl("status")
    assert done.code == 0 and done.out == ""
    assert "login" in done.err


def test_a_session_is_shown_with_the_documented_keys(signed_in, oauthctl):
    (entry,) = oauthctl("status", "--json").json
    assert KEYS <= set(entry) <= KEYS | {"identity", "expires_at", "refresh_expires_at"}
    # more is there only where there is something to tell: test_json_shapes
    assert {"provider": "acme", "account": "default", "state": "valid", "refreshable": True,
            "scope": ["read", "write"]}.items() <= entry.items()
    assert datetime.datetime.fromisoformat(entry["expires_at"].replace("Z", "+00:00"))


def test_the_identity_comes_from_the_id_token(acme, oauthctl):
    oauthctl.write_provider(acme.provider(scopes=["openid", "email"], issuer=acme.issuer))
    oauthctl.login()
    assert "alice" in oauthctl.state()["identity"]


def test_the_expiry_of_the_refresh_token_is_shown_where_the_server_gives_it(acme, oauthctl):
    acme.on("token", faults.edit(refresh_token_expires_in=86400))
    oauthctl.login()
    moment = datetime.datetime.fromisoformat(oauthctl.state()["refresh_expires_at"].replace("Z", "+00:00"))
    assert 86000 < (moment - datetime.datetime.now(datetime.timezone.utc)).total_seconds() <= 86401


def test_status_asks_no_server(signed_in, oauthctl):
    asked = len(signed_in.requests)
    assert oauthctl("status").code == 0
    assert len(signed_in.requests) == asked


def test_the_table_is_for_people_and_has_no_secret(acme, oauthctl):
    oauthctl.login("acme/one")
    oauthctl.login("acme/two")
    done = oauthctl("status")
    assert done.code == 0 and "one" in done.out and "two" in done.out
    assert "\x1b" not in done.out, "colour went into a pipe"


def test_the_states(acme, oauthctl):
    oauthctl.login("acme/valid")
    acme.expires_in = None
    oauthctl.login("acme/unknown")
    acme.expires_in = 0
    oauthctl.login("acme/expired")
    oauthctl.login("acme/refused")
    acme.on("refresh", faults.error("invalid_grant"))
    oauthctl("refresh", "acme/refused")
    states = {entry["account"]: entry["state"] for entry in oauthctl("status", "--json").json}
    assert states == {"valid": "valid", "unknown": "unknown-expiry", "expired": "expired", "refused": "refused"}


def test_one_account_or_provider_can_be_asked_for(acme, oauthctl, servers):
    oauthctl.login("acme/one")
    oauthctl.login("acme/two")
    other = servers()
    oauthctl.write_provider(other.provider("other"))
    oauthctl.login("other")
    assert [e["account"] for e in oauthctl("status", "acme/two", "--json").json] == ["two"]
    assert {e["provider"] for e in oauthctl("status", "other", "--json").json} == {"other"}
    assert len(oauthctl("status", "--json").json) == 3


@pytest.mark.parametrize("name, codes", [("nothing", (78,)), ("acme/nobody", (77, 78))])
def test_what_is_not_there_is_told(signed_in, oauthctl, name, codes):
    done = oauthctl("status", name)
    assert done.code in codes and done.out == ""
