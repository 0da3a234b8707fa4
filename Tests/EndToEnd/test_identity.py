"""Who has logged in: ID tokens verified at the login, after the OpenID conformance suite's modules for clients, and its keys kept."""

import json
import time

import pytest

import faults
import jose


@pytest.fixture
def openid(server, oauthctl):
    """The server as an OpenID Provider that is found by its metadata; gives what changes the provider file."""

    def write(**changes):
        oauthctl.write_provider({
            "name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "email"], **changes})

    write()
    return write


@pytest.fixture
def confidential(server, oauthctl, openid):
    """The same, for a client with a secret."""
    server.add_client(id="web", secret="the-secret-of-web-is-32-bytes-and-long", auth="basic")
    openid(client_id="web")
    oauthctl.env["OAUTHCTL_ACME_CLIENT_SECRET"] = "the-secret-of-web-is-32-bytes-and-long"


def refused(oauthctl, keyring, *options):
    """A login that ends with 76, and nothing stored; gives what was said."""
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), *options)
    assert done.code == 76, done
    assert keyring.search() == [], "something was stored"
    return done.err


def keys_item(keyring, server):
    """The key set that is kept, and what overwrites it."""
    names = ["application", "oauthctl", "type", "keys", "provider", "acme", "jwks_uri", server.endpoint("/jwks")]
    found = keyring.run("secret-tool", "lookup", *names, check=False)

    def put(**changes):
        value = json.dumps({**json.loads(found.stdout), **changes}).encode()
        keyring.run("secret-tool", "store", "--label", "keys", *names, "xdg:schema", "org.oauthctl.Keys", stdin=value)

    return json.loads(found.stdout) if found.returncode == 0 else None, put


NOW = int(time.time())
WRONG = {
    "oidcc-client-test-invalid-iss": ({"iss": "https://evil.example"}, "'iss'", "https://evil.example"),
    "oidcc-client-test-missing-sub": ({"sub": None}, "'sub'", "got none"),
    "oidcc-client-test-invalid-aud": ({"aud": "another-client"}, "'aud'", "expected cli, got another-client"),
    "oidcc-client-test-missing-aud": ({"aud": None}, "'aud'", "got none"),
    "oidcc-client-test-missing-iat": ({"iat": None}, "'iat'", "got none"),
    "oidcc-client-test-nonce-invalid": ({"nonce": "not-the-one-of-this-login"}, "'nonce'", "expected this login's, got another"),
    "fapi1-advanced-final-client-test-invalid-missing-nonce": ({"nonce": None}, "'nonce'", "got none"),
    "fapi1-advanced-final-client-test-invalid-missing-exp": ({"exp": None}, "'exp'", "got none"),
    "fapi1-advanced-final-client-test-invalid-expired-exp": ({"exp": NOW - 3600}, "'exp'", str(NOW - 3600)),
    "fapi1-advanced-final-client-test-iat-is-week-in-future": ({"iat": NOW + 604800}, "'iat'", str(NOW + 604800)),
    "fapi1-advanced-final-client-test-invalid-secondary-aud": ({"aud": ["cli", "x"]}, "'azp'", "expected cli, got none"),
    "an authorized party that is another": ({"aud": ["cli", "x"], "azp": "x"}, "'azp'", "expected cli, got x"),
    "a token that is not for yet": ({"nbf": NOW + 3600}, "'nbf'", str(NOW + 3600)),
}


@pytest.mark.parametrize("module", WRONG)
def test_a_claim_that_does_not_hold_ends_the_login(server, openid, oauthctl, keyring, module):
    server.id_token_changes, name, words = WRONG[module]
    said = refused(oauthctl, keyring)
    assert name in said and words in said


FLAWS = {
    "oidcc-client-test-idtoken-sig-none": ("RS256", "none", "'alg'"),
    "oidcc-client-test-invalid-sig-rs256": ("RS256", "signature", "'signature'"),
    "oidcc-client-test-invalid-sig-es256": ("ES256", "signature", "'signature'"),
    "a key that nobody knows": ("RS256", "kid", "'kid'"),
    "the public key as a secret": ("RS256", "public-key", "'alg'"),
    "fapi1-advanced-final-client-test-invalid-athash": ("PS256", "at_hash", "'at_hash'"),
}


@pytest.mark.parametrize("module", FLAWS)
def test_a_signature_that_does_not_hold_ends_the_login(server, openid, oauthctl, keyring, module):
    algorithm, server.identity.flaw, name = FLAWS[module]
    server.identity.use(algorithm)
    said = refused(oauthctl, keyring)
    assert name in said and "expected" in said and "got" in said
    # the one that may be for want of newer keys is worth a second look
    assert server.count("jwks") == (2 if server.identity.flaw == "kid" else 1)


def test_the_public_key_is_no_secret_of_a_client_with_one_either(server, confidential, oauthctl, keyring):
    server.identity.flaw = "public-key"
    assert "'signature'" in refused(oauthctl, keyring)


def test_hmac_takes_the_clients_secret_and_no_other(server, confidential, oauthctl, keyring):
    """oidcc-client-test-idtoken-sig-hs256, oidcc-client-test-invalid-sig-hs256"""
    server.identity.use("HS256")
    oauthctl.login()
    assert oauthctl.state()["identity"] == "alice@example.com"
    assert oauthctl("inspect", "acme", "--json").json["id_token"]["verified"] is True
    oauthctl("logout", "acme", "--forget-client")
    server.authentication.server.clients["web"].auth = "post"
    token = jose.sign({"sub": "alice"}, b"another-secret-of-32-bytes-and-more", "HS256")
    server.on("token", faults.edit(id_token=token))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--client-auth", "post")
    assert done.code == 76 and keyring.item() is None


@pytest.mark.parametrize("group", list(jose.FITTING))
def test_every_algorithm_is_taken(server, openid, oauthctl, group):
    """oidcc-client-test-idtoken-sig-rs256, -es256 and all the others"""
    for algorithm in jose.FITTING[group]:
        server.identity.use(algorithm)
        oauthctl.login()
        found = oauthctl("inspect", "acme", "--json").json["id_token"]
        assert found["verified"] is True and found["header"]["alg"] == algorithm


@pytest.mark.parametrize("module, others", [
    ("oidcc-client-test-kid-absent-single-jwks", 0), ("oidcc-client-test-kid-absent-multiple-jwks", 2)])
def test_a_key_without_a_name_is_found_by_trying(server, openid, oauthctl, module, others):
    server.identity.flaw = "no-kid"
    server.identity.published = [jose.key("RSA", n + 1, f"o{n}").jwk for n in range(others)] + [server.identity.key.jwk]
    oauthctl.login()
    assert oauthctl("inspect", "acme", "--json").json["id_token"]["verified"] is True


def test_the_servers_keys_rotate(server, openid, oauthctl, keyring):
    """oidcc-client-test-signing-key-rotation, oidcc-client-test-signing-key-rotation-just-before-signing"""
    oauthctl.login()
    server.identity.rotate(keeps_old=False)
    oauthctl.login()
    old = server.identity.published
    server.identity.rotate(keeps_old=False)
    newest, server.identity.published = server.identity.published, old
    server.on("jwks", faults.rewrite(lambda value: (setattr(server.identity, "published", newest), value)[1]))
    oauthctl.login()
    assert server.count("jwks") == 4, "the keys of before were taken, or nobody looked twice"
    server.identity.rotate(keeps_old=False)
    server.expires_in_after_refresh = 3600
    assert oauthctl("refresh", "acme").code == 0
    assert server.count("jwks") == 4, "a refresh waits for nobody's keys"
    done = oauthctl("inspect", "acme", "--json")
    assert done.json["id_token"]["verified"] is True and server.count("jwks") == 5
    assert oauthctl("inspect", "acme", "--json").json["id_token"]["verified"] is True and server.count("jwks") == 5


@pytest.mark.parametrize("said, least, most", [
    (None, 3600, 3600), ("max-age=7200", 7200, 7200), ("public, max-age=1", 300, 300), ("max-age=9999999", 86400, 86400),
    ("no-store", 300, 300)])
def test_keys_are_kept_for_as_long_as_the_server_says_within_bounds(server, openid, oauthctl, keyring, said, least, most):
    server.identity.cache_control = said
    oauthctl.login()
    kept, put = keys_item(keyring, server)
    assert least - 1 <= kept["fresh_until"] - kept["read_at"] <= most + 1
    assert kept["jwks"]["keys"] and abs(kept["read_at"] - time.time()) < 30
    assert any("signing keys" in line for line in keyring.search())
    before = server.count("jwks")
    assert oauthctl("inspect", "acme").code == 0 and server.count("jwks") == before
    put(read_at=kept["read_at"] - 90000, fresh_until=kept["fresh_until"] - 90000)
    assert oauthctl("inspect", "acme").code == 0 and server.count("jwks") == before + 1
    assert keys_item(keyring, server)[0]["fresh_until"] > time.time()
    assert oauthctl("logout", "acme").code == 0
    assert not any("signing keys" in line for line in keyring.search()), "keys stay behind where nobody is logged in"


def test_without_keys_the_connection_vouches_and_a_warning_says_so(server, openid, oauthctl, keyring):
    server.on("jwks", faults.html(503).forever())
    server.identity.flaw = "signature"
    done = oauthctl.login()
    assert "warning" in done.err and "not checked" in done.err and oauthctl.state()["identity"] == "alice@example.com"
    assert keys_item(keyring, server)[0] is None
    server.id_token_changes = {"aud": "another-client"}
    assert oauthctl("login", "acme", "--browser", oauthctl.browser()).code == 76, "claims are checked all the same"
    done = oauthctl("inspect", "acme", "--json")
    assert done.code == 75 and done.json["id_token"]["verified"] is False and "keys" in done.error["message"]


def test_keys_of_an_earlier_login_serve_while_the_server_has_none(server, openid, oauthctl, keyring):
    oauthctl.login()
    server.on("jwks", faults.drop().forever())
    done = oauthctl.login()
    assert "earlier login" in done.err
    server.identity.flaw = "signature"
    before = oauthctl.token()
    assert oauthctl("login", "acme", "--browser", oauthctl.browser()).code == 76
    assert oauthctl.token() == before
    kept, put = keys_item(keyring, server)
    put(fresh_until=kept["read_at"] - 1)
    done = oauthctl("inspect", "acme", "--json")
    assert done.code == 0 and done.json["id_token"]["verified"] is True and "cannot be read now" in done.err


def test_a_token_through_the_browser_needs_keys(server, openid, oauthctl, keyring):
    server.authorization.response_types = ["token", "id_token token"]
    login = ("login", "acme", "--flow", "implicit", "--browser", oauthctl.browser())
    server.on("jwks", faults.html(503).forever())
    done = oauthctl(*login)
    assert done.code == 75 and "keys" in done.err and keyring.search() == [], done


def test_a_token_through_the_browser_is_checked(server, openid, oauthctl, keyring):
    server.authorization.response_types = ["token", "id_token token"]
    login = ("login", "acme", "--flow", "implicit", "--browser", oauthctl.browser())
    for flaw, name in (("signature", "'signature'"), ("at_hash", "'at_hash'"), ("none", "'alg'")):
        server.identity.flaw = flaw
        done = oauthctl(*login)
        assert done.code == 76 and name in done.err and keyring.search() == [], done
    server.identity.flaw, server.identity.has_at_hash = None, False
    assert "'at_hash'" in oauthctl(*login).err
    server.identity.has_at_hash = True
    assert oauthctl(*login).code == 0
    assert oauthctl.state()["identity"] == "alice@example.com"


@pytest.mark.parametrize("flaw, is_kept", [("signature", False), ("none", False), ("at_hash", False), ("kid", True), (None, True)])
def test_a_refresh_loses_no_token_for_a_bad_id_token(server, openid, oauthctl, keyring, flaw, is_kept):
    oauthctl.login()
    before, first = oauthctl.token(), keyring.session()["tokens"]
    server.identity.flaw = flaw
    done = oauthctl("refresh", "acme")
    assert done.code == 0 and (("warning" in done.err) is not is_kept), done
    after = keyring.session()["tokens"]
    assert after["refresh_token"] != first["refresh_token"] and oauthctl.token() != before
    assert (after["id_token"] != first["id_token"]) is is_kept
    server.identity.flaw = None
    assert oauthctl("refresh", "acme").code == 0, "the refresh token was lost"


def test_a_refresh_that_speaks_of_another_is_refused(server, openid, oauthctl, keyring):
    oauthctl.login()
    first = keyring.session()["tokens"]
    server.id_token_changes = {"sub": "mallory"}
    done = oauthctl("refresh", "acme")
    assert done.code == 76 and "'sub'" in done.err and "mallory" in done.err
    assert keyring.session()["tokens"]["access_token"] == first["access_token"]


@pytest.mark.parametrize("issuer", ["https://evil.example", None])
def test_a_refresh_with_the_word_of_another_issuer_costs_the_word_alone(server, openid, oauthctl, keyring, issuer):
    oauthctl.login()
    first = keyring.session()["tokens"]
    server.id_token_changes = {"iss": issuer, "sub": "mallory"}
    done = oauthctl("refresh", "acme")
    assert done.code == 0 and "warning: the new ID token was not kept, for its 'iss'" in done.err, done
    after = keyring.session()["tokens"]
    assert after["id_token"] == first["id_token"] and after["refresh_token"] != first["refresh_token"]
    assert oauthctl("refresh", "acme").code == 0, "the refresh token was lost"


# Who it is ---------------------------------------------------------------------------------------------------------


def test_the_name_comes_from_userinfo_where_the_id_token_has_none(server, openid, oauthctl):
    server.id_token_changes = {"email": None}
    server.userinfo_changes = {"email": None, "preferred_username": "alice.a"}
    done = oauthctl.login()
    assert "as alice.a" in done.err and oauthctl.state()["identity"] == "alice.a" and server.count("userinfo") == 1
    assert oauthctl.token() and server.count("userinfo") == 1


def test_a_name_in_the_id_token_is_enough(server, openid, oauthctl):
    oauthctl.login()
    assert oauthctl.state()["identity"] == "alice@example.com" and server.count("userinfo") == 0


@pytest.mark.parametrize("change", [
    {"status": 503}, {"status": 401}, {"sub": "mallory"}, {"drop": True}], ids=lambda change: str(change))
def test_a_userinfo_endpoint_that_fails_fails_no_login(server, openid, oauthctl, change):
    """oidcc-client-test-userinfo-invalid-sub"""
    server.id_token_changes = {"email": None}
    if "sub" in change:
        server.userinfo_changes = change
    else:
        server.on("userinfo", faults.drop() if "drop" in change else faults.error("server_error", change["status"]))
    done = oauthctl.login()
    assert oauthctl.state()["identity"] == "alice" and (("'sub'" in done.err) is ("sub" in change)), done
    assert oauthctl.token()


def test_providers_of_their_own_kind_are_asked_in_their_own_way(server, oauthctl):
    style = {"method": "POST", "identity": "data.0.login", "headers": {"X-Version": "7"}}
    server.userinfo_changes = {"sub": None, "data": [{"login": "alice-at-acme"}]}
    oauthctl.write_provider(server.provider(quirks={"userinfo": style}))
    oauthctl.login()
    assert oauthctl.state()["identity"] == "alice-at-acme"
    (request,) = server.sent("userinfo")
    assert request.method == "POST" and request.headers["X-Version"] == "7"


def test_without_a_field_for_the_name_nobody_is_asked(server, oauthctl):
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    assert oauthctl.state()["identity"] is None and server.count("userinfo") == 0


def test_a_client_of_its_own_is_who_it_is(server, oauthctl):
    server.direct.grant_types = ["client_credentials"]
    server.add_client(id="robot", secret="robot-secret-robot-secret", auth="basic")
    style = {"identity": "email"}
    oauthctl.write_provider(server.provider(client_id="robot", quirks={"userinfo": style}))
    done = oauthctl("login", "acme", "--flow", "client-credentials", env={"OAUTHCTL_ACME_CLIENT_SECRET": "robot-secret-robot-secret"})
    assert done.code == 0 and oauthctl.state()["identity"] == "robot" and server.count("userinfo") == 0, done
