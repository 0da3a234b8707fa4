"""Discovery and OpenID Connect: where metadata is found, and what is checked."""

import time

import pytest

import faults
import identity_tokens


def login_with_issuer(server, oauthctl, **changes):
    oauthctl.write_provider({
        "name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "email"], **changes})
    return oauthctl("login", "acme", "--browser", oauthctl.browser(), "--timeout", "10s")


@pytest.mark.parametrize("path", ["", "/tenant", "/a/b"])
@pytest.mark.parametrize("where", ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"])
def test_metadata_is_found_by_suffix_and_by_insertion(servers, oauthctl, path, where):
    server = servers(path=path)
    server.discovery_path = where
    assert login_with_issuer(server, oauthctl).code == 0
    assert server.works(oauthctl.token())


def test_login_with_an_issuers_url_needs_no_file(server, oauthctl):
    done = oauthctl("login", server.issuer, "--client-id", "cli", "--scope", "openid", "--browser", oauthctl.browser(), "--json")
    assert done.code == 0, done
    name = done.json["provider"]
    assert server.works(oauthctl.token(name))
    assert oauthctl("refresh", name).code == 0
    assert oauthctl("revoke", name).code == 0


@pytest.mark.parametrize("issuer", ["https://evil.example", "slash"])
def test_metadata_of_another_issuer_breaks_the_protocol(server, oauthctl, issuer):
    server.metadata_changes = {"issuer": server.issuer + "/" if issuer == "slash" else issuer}
    done = login_with_issuer(server, oauthctl)
    assert (done.code, done.out) == (76, "")
    assert server.count("authorization") == 0


def test_no_metadata_anywhere_is_told(server, oauthctl):
    server.discovery_path = "/nowhere"
    done = login_with_issuer(server, oauthctl)
    assert done.code in (76, 78) and server.issuer in done.err
    server.violations.clear()


@pytest.mark.parametrize("fault, codes", [
    (faults.answer(503, ""), (75,)), (faults.html(502), (75,)), (faults.drop(), (75,)), (faults.answer(200, "{"), (76, 78)),
    (faults.answer(200, []), (76, 78)), (faults.html(200), (75, 76, 78)), (faults.answer(200, {}), (76, 78)),
], ids=["503", "html", "dropped", "cut", "list", "html-200", "empty"])  # fmt: skip
def test_metadata_that_cannot_be_had_stops_the_login(server, oauthctl, fault, codes):
    server.on("discovery", fault.forever())
    done = login_with_issuer(server, oauthctl)
    assert done.code in codes and server.count("authorization") == 0


def test_endpoints_of_the_file_win_over_discovery(server, servers, oauthctl):
    other = servers()
    done = login_with_issuer(server, oauthctl, endpoints={"revocation": other.base + "/revoke"})
    assert done.code == 0
    assert oauthctl("revoke", "acme").code == 0
    assert other.count("revocation") == 2 and server.count("revocation") == 0
    other.violations.clear()  # it has the same client, and unknown tokens are fine at a revocation


def test_an_endpoint_that_is_plain_http_beyond_loopback_is_refused(server, oauthctl):
    server.metadata_changes = {"token_endpoint": "http://example.com/token"}
    done = login_with_issuer(server, oauthctl)
    assert done.code in (76, 78) and server.count("authorization") == 0


@pytest.mark.parametrize("changes", [
    {"nonce": "other"}, {"nonce": None}, {"aud": "somebody-else"}, {"aud": []}, {"iss": "https://evil.example"},
    {"iss": None}, {"exp": int(time.time()) - 3600}, {"exp": None}, {"sub": None},
    {"aud": ["cli", "other"], "azp": "other"},
], ids=["nonce", "no-nonce", "aud", "no-aud", "iss", "no-iss", "expired", "no-exp", "no-sub", "azp"])  # fmt: skip
def test_an_id_token_that_is_not_ours_breaks_the_protocol(server, oauthctl, keyring, changes):
    server.id_token_changes = changes
    done = login_with_issuer(server, oauthctl)
    assert (done.code, done.out) == (76, ""), done
    assert keyring.item() is None


@pytest.mark.parametrize("changes", [
    {"aud": ["cli"]}, {"aud": ["cli", "other"], "azp": "cli"}, {"exp": time.time() + 600.5}, {"extra": {"a": [1]}},
    {"email": None}, {"iat": int(time.time()) + 5},
], ids=["list", "azp", "float", "extra", "no-email", "clock"])  # fmt: skip
def test_an_id_token_in_its_allowed_forms_is_taken(server, oauthctl, changes):
    server.id_token_changes = changes
    assert login_with_issuer(server, oauthctl).code == 0


@pytest.mark.parametrize("value", ["x", "a.b", "a.b.c", "....", "e30.e30."], ids=str)
def test_something_that_is_no_id_token_breaks_the_protocol(server, oauthctl, value):
    server.on("token", faults.edit(id_token=value))
    done = login_with_issuer(server, oauthctl)
    assert done.code == 76


def test_a_refresh_with_an_id_token_of_somebody_else_is_refused(server, oauthctl):
    assert login_with_issuer(server, oauthctl).code == 0
    server.on("refresh", faults.edit(id_token=identity_tokens.sign(
        identity_tokens.claims(server.issuer, "cli", None, "mallory"))))
    assert oauthctl("refresh", "acme").code == 76


def test_a_nonce_is_sent_with_openid_only(server, oauthctl):
    assert login_with_issuer(server, oauthctl, scopes=["read"]).code == 0
    assert login_with_issuer(server, oauthctl).code == 0
    without, with_nonce = server.sent("authorization")
    assert len(with_nonce.query["nonce"]) >= 22
    assert "nonce" not in without.query or len(without.query["nonce"]) >= 22
