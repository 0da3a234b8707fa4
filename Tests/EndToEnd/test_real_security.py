"""Client authentication, pushed requests, bound tokens and variants at real servers: Glewlwyd and django-oauth-toolkit."""

import json
import pathlib

import pytest

import jose
from small_client import send

ENDPOINT = {"assertion_audience": "endpoint"}  # Glewlwyd takes an assertion for the very endpoint alone


@pytest.fixture
def use(oauthctl, make_oauthctl):
    """Writes a provider for an issuer and a client of a real server, and logs in."""
    def log_in(info, client, *options, issuer=None, **changes):
        known = oauthctl.write_real_provider(info, client, issuer, **changes)
        make_oauthctl.secrets |= {known["client_secret"]} if "client_secret" in known else set()
        done = oauthctl("login", "real", "--browser", oauthctl.real_browser(info), "--timeout", "30s", *options, timeout=40)
        assert done.code == 0, done
        make_oauthctl.secrets.add(oauthctl.token("real"))
        return known

    return log_in


def claims(token):
    return jose.parse(token)[1]


def renewed(oauthctl):
    """The account's tokens before and after a refresh, which differ."""
    first, second = oauthctl.token("real"), oauthctl.token("real", "--force-refresh")
    assert first != second
    return claims(second)


@pytest.mark.parametrize("client, quirks", [
    ("secret_jwt", ENDPOINT), ("private_key_jwt", ENDPOINT), ("private_key_jwt_es256", ENDPOINT), ("basic_odd", {"basic_raw": True}),
])  # fmt: skip
def test_glewlwyd_each_client_logs_in_refreshes_and_logs_out(glewlwyd, use, oauthctl, client, quirks):
    key = glewlwyd["clients"][client].get("key_file")
    use(glewlwyd, client, "--par", *(["--private-key-file", key] if key else []), quirks=quirks)
    renewed(oauthctl)
    done = oauthctl("logout", "real", "--json")
    assert done.code == 0 and done.json["tokens"] == "revoked", done


def test_glewlwyd_takes_the_clients_certificate(glewlwyd_tls, use, oauthctl, scratch):
    known = glewlwyd_tls["clients"]["mtls"]
    both = scratch / "both.pem"
    both.touch(0o600)
    both.write_text(pathlib.Path(known["certificate_file"]).read_text() + pathlib.Path(known["key_file"]).read_text())
    use(glewlwyd_tls, "mtls", "--certificate-file", str(both))
    both.unlink()
    assert renewed(oauthctl)["cnf"]["x5t#S256"]
    done = oauthctl("logout", "real", "--json")
    assert done.code == 0 and done.json["tokens"] == "revoked", done


def test_glewlwyd_strict_issuer_has_pushed_requests_and_bound_tokens_with_nonces(glewlwyd, use, oauthctl, keyring):
    use(glewlwyd, "public", "--dpop", issuer="strict", scopes=["openid", "read", "offline_access"])
    first = renewed(oauthctl)["cnf"]["jkt"]
    assert renewed(oauthctl)["cnf"]["jkt"] == first
    assert list(keyring.session("real")["dpop"]["nonces"]) == [glewlwyd["issuer"].split("/api")[0]]
    # its userinfo is a resource that takes bound tokens
    metadata = send(glewlwyd["issuers"]["strict"] + "/.well-known/openid-configuration").json
    url = metadata["userinfo_endpoint"]
    done = oauthctl("token", "real", "--format", "header", "--url", url)
    answer = send(url, headers=dict(line.split(": ", 1) for line in done.out.splitlines()))
    if answer.status == 401:
        done = oauthctl("token", "real", "--format", "header", "--url", url, "--nonce", answer.headers["DPoP-Nonce"])
        answer = send(url, headers=dict(line.split(": ", 1) for line in done.out.splitlines()))
    assert answer.status == 200 and answer.json["sub"], answer.text


def test_glewlwyd_strict_issuer_leaves_parallel_refreshes_alive(glewlwyd, use, oauthctl):
    use(glewlwyd, "public", "--dpop", issuer="strict", scopes=["openid", "read", "offline_access"])
    running = [oauthctl.start("token", "real", "--force-refresh") for _ in range(6)]
    assert [one.wait(60).code for one in running] == [0] * 6
    renewed(oauthctl)


def test_glewlwyd_gives_tokens_for_resources_and_details(glewlwyd, use, oauthctl):
    resource, details = glewlwyd["resources"][0], [{"type": glewlwyd["details_type"], "actions": ["read"]}]
    use(glewlwyd, "basic", "--par", "--resource", resource, "--authorization-details", json.dumps(details))
    token = claims(oauthctl.token("real"))
    assert token["aud"] == resource and token["authorization_details"][0]["type"] == glewlwyd["details_type"]
    assert renewed(oauthctl)["aud"] == resource


def test_glewlwyd_takes_signed_requests(glewlwyd, use, oauthctl):
    key = glewlwyd["clients"]["private_key_jwt"]["key_file"]
    use(glewlwyd, "private_key_jwt", "--sign-request", "--private-key-file", key, quirks=ENDPOINT)
    renewed(oauthctl)


def test_glewlwyd_gives_no_narrower_token_and_that_is_told(glewlwyd, use, oauthctl):
    use(glewlwyd, "public_rotating", issuer="short", scopes=["openid", "read", "offline_access"])
    done = oauthctl("token", "real", "--scope", "read")
    assert done.code == 0 and "warning" in done.err and "not for read" in done.err, done
    assert set(renewed(oauthctl)["scope"].split()) == {"openid", "read", "offline_access"}


def test_dot_narrows_the_refresh_token_too_and_that_is_told(dot, use, oauthctl):
    use(dot, "public", scopes=["openid", "read", "write"])
    narrow = oauthctl.token("real", "--scope", "read")
    assert oauthctl("token", "real", "--scope", "read", "--json").json["scope"] == ["read"]
    assert oauthctl.token("real", "--scope", "read") == narrow
    assert oauthctl("token", "real", "--scope", "profile").code == 78
    done = oauthctl("token", "real", "--force-refresh", "--json")
    assert done.json["scope"] == ["read"] and "taken scopes from real: openid write" in done.err, done


def test_dot_binds_the_refresh_token_to_the_last_resource_and_the_login_stays_alive(dot, use, oauthctl):
    use(dot, "public", "--resource", "https://a.example/", "--resource", "https://b.example/")
    assert oauthctl("token", "real", "--force-refresh").err == ""
    assert oauthctl.token("real", "--resource", "https://a.example/")
    assert oauthctl("token", "real", "--resource", "https://c.example/").code == 78
    # a token for anybody is not what the login asked for
    done = oauthctl("token", "real", "--force-refresh")
    assert (done.code, done.out) == (78, "") and "resource_on_refresh" in done.err, done
    assert oauthctl("token", "real", "--resource", "https://a.example/", "--force-refresh").code == 0
