"""`inspect`: what is in the tokens, and what the server says of them."""

import time

import pytest

import faults
import jose


@pytest.fixture
def openid(server, oauthctl):
    """The server as an OpenID Provider, logged in at; introspection is on."""
    server.introspection.enabled = True

    def write(**changes):
        oauthctl.write_provider({
            "name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "email"], **changes})

    write()
    oauthctl.login()
    return write


def inspect(oauthctl, *options, code=0):
    done = oauthctl("inspect", "acme", "--json", *options)
    assert done.code == code, done
    return done.json


def test_a_script_gets_the_documented_keys_and_no_token(server, openid, oauthctl):
    value = inspect(oauthctl, "--userinfo", "--introspect")
    assert set(value) == {"provider", "account", "identity", "id_token", "access_token", "userinfo", "introspection"}
    token = value["id_token"]
    assert set(token) == {"verified", "has_ended", "header", "claims", "expires_at"}
    assert token["verified"] is True and token["has_ended"] is False and token["header"]["alg"] == "RS256"
    assert token["claims"]["iss"] == server.issuer and token["claims"]["aud"] == "cli"
    access = value["access_token"]
    assert set(access) == {"verified", "reason", "is_jwt", "token_type", "scope", "expires_at"}
    assert access["is_jwt"] is False and access["scope"] == ["openid", "email"]
    assert value["userinfo"] == {"sub": "alice", "email": "alice@example.com"}
    assert value["introspection"]["active"] is True and value["introspection"]["sub"] == "alice"
    (request,) = server.sent("introspection")
    assert request.form["client_id"] == "cli" and request.form["token_type_hint"] == "access_token"
    (request,) = server.sent("userinfo")
    assert request.method == "GET" and request.headers["Authorization"].startswith("Bearer "), "-userinfo-bearer-header"


def test_a_person_reads_it(server, openid, oauthctl):
    done = oauthctl("inspect", "acme", "--userinfo", "--introspect")
    assert done.code == 0 and done.err == ""
    lines = done.out.splitlines()
    assert lines[0] == "acme: alice@example.com"
    assert "ID token (RS256, key e2e-1): verified; it ends in 59m" in lines
    assert "access token: it is no JWT; it ends in 59m" in lines
    assert "userinfo" in lines and "introspection: the token is good" in lines
    assert any(line.split()[:2] == ["sub", "alice"] for line in lines)
    assert any(line.split()[0:1] == ["exp"] and line.endswith("Z)") for line in lines)


def test_nothing_but_the_keyring_is_asked_while_the_keys_are_fresh(server, openid, oauthctl):
    before = len(server.requests)
    for _ in range(2):
        assert inspect(oauthctl)["id_token"]["verified"] is True
    assert len(server.requests) == before


def test_an_id_token_that_has_ended_is_inspected_all_the_same(server, openid, oauthctl, keyring):
    now = int(time.time())
    server.id_token_changes = {"iat": now - 7200, "exp": now - 3600}
    assert oauthctl("refresh", "acme").code == 0
    token = inspect(oauthctl)["id_token"]
    assert token["verified"] is True and token["has_ended"] is True
    assert "it has ended, " in oauthctl("inspect", "acme").out


def test_a_stored_id_token_that_was_changed_is_76(server, openid, oauthctl, keyring):
    session = keyring.item().decode()
    token = keyring.session()["tokens"]["id_token"]
    keyring.put(session.replace(token, jose.spoilt(token)).encode())
    done = oauthctl("inspect", "acme", "--json")
    assert done.code == 76 and done.out == "" and "'signature'" in done.error["message"]
    assert "oauthctl login acme" in done.error["hint"]
    claims = {**jose.parse(token)[1], "aud": "another-client"}
    keyring.put(session.replace(token, jose.sign(claims, server.identity.key)).encode())
    assert "'aud'" in oauthctl("inspect", "acme").err


def test_a_key_that_is_gone_leaves_a_doubt(server, openid, oauthctl):
    server.identity.flaw = "kid"
    assert oauthctl("refresh", "acme").code == 0
    token = inspect(oauthctl)["id_token"]
    assert token["verified"] is False and "no longer" in token["reason"]


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_a_jwt_access_token_is_verified_where_the_issuer_signed_it(server, openid, oauthctl, algorithm):
    server.jwt_access_tokens = True
    server.identity.use(algorithm)
    oauthctl.login()
    access = inspect(oauthctl)["access_token"]
    assert access["verified"] is True and access["is_jwt"] is True and access["header"]["typ"] == "at+jwt"
    assert access["claims"]["client_id"] == "cli"


@pytest.mark.parametrize("flaw, word", [("signature", "signature"), ("kid", "no longer"), ("none", "alg")])
def test_a_jwt_access_token_of_another_key_is_decoded_only(server, openid, oauthctl, flaw, word):
    server.jwt_access_tokens = True
    original = server.identity.access_token

    def flawed(issued):
        server.identity.flaw = flaw
        try:
            return original(issued)
        finally:
            server.identity.flaw = None

    server.identity.access_token = flawed
    oauthctl.login()
    access = inspect(oauthctl)["access_token"]
    assert access["verified"] is False and word in access["reason"] and access["claims"]["sub"] == "alice"
    assert "decoded only, not verified" in oauthctl("inspect", "acme").out


def test_without_an_id_token_there_is_still_something_to_see(server, oauthctl):
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    assert inspect(oauthctl)["id_token"] is None
    assert "ID token: there is none" in oauthctl("inspect", "acme").out
    done = oauthctl("inspect", "acme", "--id-token")
    assert done.code == 77 and "--scope openid" in done.err
    assert oauthctl("inspect", "acme", "--id-token", "--userinfo").code == 64
    assert oauthctl("inspect", "acme/other").code == 78 and oauthctl("inspect", "nobody").code == 78


def test_the_id_token_alone(server, openid, oauthctl):
    assert set(inspect(oauthctl, "--id-token")) == {"provider", "account", "identity", "id_token"}
    assert "access token" not in oauthctl("inspect", "acme", "--id-token").out


# Asking -----------------------------------------------------------------------------------------------------------


def test_userinfo_of_another_person_is_76(server, openid, oauthctl):
    """oidcc-client-test-userinfo-invalid-sub"""
    server.userinfo_changes = {"sub": "mallory"}
    done = oauthctl("inspect", "acme", "--userinfo")
    assert done.code == 76 and "'sub': expected alice, got mallory" in done.err
    assert "mallory" not in done.out and "verified; it ends in" in done.out, "the ID token is shown all the same"
    server.userinfo_changes = {"sub": None}
    assert "'sub': expected alice, got none" in oauthctl("inspect", "acme", "--userinfo").err


def test_signed_userinfo_is_verified(server, openid, oauthctl):
    """oidcc-client-test-userinfo-signed"""
    server.identity.signs_userinfo = True
    assert inspect(oauthctl, "--userinfo")["userinfo"]["email"] == "alice@example.com"
    for flaw, name in (("signature", "'signature'"), ("none", "'alg'"), ("kid", "'kid'")):
        server.identity.flaw = flaw
        done = oauthctl("inspect", "acme", "--userinfo")
        assert done.code == 76 and name in done.err, done
    server.identity.flaw = None
    server.userinfo_changes = {"aud": "another-client"}
    assert "'aud'" in oauthctl("inspect", "acme", "--userinfo").err
    server.userinfo_changes = {}
    server.identity.rotate(keeps_old=False)
    assert inspect(oauthctl, "--userinfo")["userinfo"]["sub"] == "alice"


def test_an_encrypted_answer_is_told_as_that(server, openid, oauthctl):
    server.on("userinfo", faults.answer(200, "eyJlbmMiOiJBMjU2R0NNIn0.b.c.d.e", "application/jwt"))
    done = oauthctl("inspect", "acme", "--userinfo")
    assert done.code == 76 and "is encrypted" in done.err and "userinfo_encrypted_response_alg" in done.err, done


def test_a_401_refreshes_once(server, openid, oauthctl, keyring):
    before = oauthctl.token()
    server.on("userinfo", faults.error("invalid_token", 401))
    assert inspect(oauthctl, "--userinfo")["userinfo"]["sub"] == "alice"
    assert server.count("refresh") == 1 and server.count("userinfo") == 2 and oauthctl.token() != before
    server.on("userinfo", faults.error("invalid_token", 401).forever())
    done = oauthctl("inspect", "acme", "--userinfo")
    assert done.code == 77 and "oauthctl login acme" in done.err and server.count("refresh") == 2


def test_a_token_that_has_ended_is_renewed_before_it_is_sent(server, openid, oauthctl):
    server.expires_in = 0
    oauthctl.login()
    assert inspect(oauthctl, "--userinfo")["userinfo"]["sub"] == "alice" and server.count("refresh") == 1


@pytest.mark.parametrize("option, name", [("--userinfo", "userinfo"), ("--introspect", "introspection")])
def test_a_server_in_trouble_is_75_and_one_without_the_endpoint_78(server, openid, oauthctl, option, name):
    server.on(name, faults.html(503))
    done = oauthctl("inspect", "acme", option)
    assert done.code == 75 and "ID token (RS256, key e2e-1): verified" in done.out and "access token" in done.out
    server.on(name, faults.html(503))
    done = oauthctl("inspect", "acme", "--userinfo", "--introspect", "--json")
    asked = {"userinfo", "introspection"}
    assert done.code == done.error["code"] == 75 and set(done.json) & asked == asked - {name}, done
    oauthctl.write_provider(server.provider(endpoints={
        "authorization": server.endpoint("/authorize"), "token": server.endpoint("/token")}))
    oauthctl.login()
    done = oauthctl("inspect", "acme", option)
    assert done.code == 78 and f"no {name} endpoint" in done.err and "hint" in done.err


def test_endpoints_that_the_login_did_not_need_are_looked_up(server, oauthctl):
    server.introspection.enabled = True
    oauthctl.write_provider(server.provider(issuer=server.issuer, endpoints={
        "authorization": server.endpoint("/authorize"), "token": server.endpoint("/token")}))
    oauthctl.login()
    assert server.count("discovery") == 0
    value = inspect(oauthctl, "--userinfo", "--introspect")
    assert value["userinfo"]["sub"] == "alice" and value["introspection"]["active"] is True


def test_introspection_of_a_token_that_is_no_longer_good(server, openid, oauthctl):
    server.grants[0].revoked = True
    assert inspect(oauthctl, "--introspect")["introspection"] == {"active": False}
    assert "introspection: the token is no longer good" in oauthctl("inspect", "acme", "--introspect").out


def test_a_server_that_repeats_the_token_does_not_get_it_shown(server, openid, oauthctl):
    token = oauthctl.token()
    server.introspection.changes = {"token": token, "note": f"about {token}"}
    server.userinfo_changes = {"seen": [token]}
    value = inspect(oauthctl, "--introspect", "--userinfo")
    assert value["introspection"]["note"].startswith("about [redacted]") and token not in str(value)
    assert token not in oauthctl("inspect", "acme", "--introspect", "--userinfo").out


@pytest.mark.parametrize("auth", ["basic", "post", "secret-jwt"])
def test_introspection_authenticates_the_client(server, oauthctl, auth):
    server.introspection.enabled = True
    server.add_client(id="web", secret="web-secret-web-secret-web-secret!", auth=auth)
    named = {"secret-jwt": "client-secret-jwt"}.get(auth, auth)
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "web", "client_auth": named,
                             "scopes": ["openid"]})
    oauthctl.login(env={"OAUTHCTL_ACME_CLIENT_SECRET": "web-secret-web-secret-web-secret!"})
    assert inspect(oauthctl, "--introspect")["introspection"]["client_id"] == "web"


def test_a_bound_token_is_shown_with_its_proof(server, oauthctl):
    server.dpop.enabled = True
    server.introspection.enabled = True
    server.jwt_access_tokens = True
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid"]})
    oauthctl.login("acme", "--dpop")
    server.dpop.rotate()
    value = inspect(oauthctl, "--userinfo", "--introspect")
    assert value["userinfo"]["sub"] == "alice" and value["access_token"]["token_type"] == "DPoP"
    assert value["access_token"]["claims"]["cnf"]["jkt"] == value["introspection"]["cnf"]["jkt"]
    assert server.sent("userinfo")[-1].headers["Authorization"].startswith("DPoP ")


# Real servers -----------------------------------------------------------------------------------------------------


def real_login(oauthctl, info, client, make_oauthctl, **changes):
    known = oauthctl.write_real_provider(info, client, **changes)
    make_oauthctl.secrets |= {known["client_secret"]} if "client_secret" in known else set()
    done = oauthctl("login", "real", "--browser", oauthctl.real_browser(info), "--timeout", "30s", timeout=40)
    assert done.code == 0, done
    make_oauthctl.secrets.add(oauthctl.token("real"))
    done = oauthctl("inspect", "real", "--json", "--userinfo", "--introspect")
    assert done.code == 0, done
    return done.json


@pytest.mark.parametrize("client", ["basic", "basic_odd"])
def test_glewlwyd_tells(glewlwyd, oauthctl, make_oauthctl, client):
    value = real_login(oauthctl, glewlwyd, client, make_oauthctl, scopes=["openid", "email", "offline_access"])
    assert value["id_token"]["verified"] is True and value["access_token"]["is_jwt"] is True
    assert value["userinfo"]["sub"] == value["id_token"]["claims"]["sub"] and value["introspection"]["active"] is True


@pytest.mark.parametrize("client", ["basic", "post"])
def test_dot_tells(dot, oauthctl, make_oauthctl, client):
    value = real_login(oauthctl, dot, client, make_oauthctl)
    assert value["id_token"]["verified"] is True and value["introspection"]["active"] is True
    assert value["userinfo"]["sub"] == value["id_token"]["claims"]["sub"]
