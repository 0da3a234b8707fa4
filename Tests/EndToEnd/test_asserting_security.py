"""The asserting server's modern security: client authentication, DPoP, pushed and signed requests. Right and wrong."""

import time

import pytest

import faults
import jose
from certificates import make_client
from small_client import SmallClient, asserted, post, proof, send

DPOP_KEY = jose.key("P-256", 7)


@pytest.fixture
def sign_in(server, small):
    """Makes a client with a key, and gives a function that asks for a token with an assertion."""
    server.direct.grant_types.add("client_credentials")

    def make(algorithm="ES256", audience="any", **fields):
        is_secret = algorithm.startswith("HS")
        key = jose.key_for(algorithm) if not is_secret else None
        secret = "0123456789" * 5 if is_secret else None
        client = server.add_client(
            id="svc", auth="secret-jwt" if is_secret else "private-key-jwt", key=key, secret=secret, audience=audience, **fields)

        def ask(aud=None, path="/token", **bend):
            good = asserted("svc", aud or server.endpoint("/token"), secret.encode() if is_secret else key, algorithm, **bend)
            return post(server.base + path, {"grant_type": "client_credentials", **good})

        return client, ask

    return make


@pytest.mark.parametrize("algorithm", ["HS256", "HS512", "RS256", "PS256", "ES256", "ES384", "EdDSA"])
def test_assertions_of_each_kind_authenticate(sign_in, algorithm):
    assert sign_in(algorithm)[1]().status == 200


@pytest.mark.parametrize("bend, words", [
    ({"iss": "other"}, "iss is 'other'"), ({"lifetime": -10}, "it expired"), ({"lifetime": 3600}, "300 at most"),
    ({"jti": None}, "jti is None"), ({"exp": None}, "there is no exp"), ({"aud": "https://elsewhere.example"}, "aud is"),
    ({"exp": time.time() + 60}, "not whole seconds"), ({"header": {"typ": "at+jwt"}}, "typ is"),
])  # fmt: skip
def test_a_wrong_assertion_is_caught(server, sign_in, bend, words):
    _, ask = sign_in()
    answer = ask(**bend)
    assert answer.status == 401 and answer.json == {"error": "invalid_client"}
    server.expect_violation(words)


def test_an_assertion_is_good_once(server, sign_in):
    _, ask = sign_in()
    assert ask(jti="0123456789abcdef").status == 200 and ask(jti="0123456789abcdef").status == 401
    server.expect_violation("jti was used before")


@pytest.mark.parametrize("kind", ["issuer", "token", "endpoint"])
def test_the_audience_may_be_one_alone(server, sign_in, kind):
    _, ask = sign_in(audience=kind)
    good, bad = server.endpoint("/token"), server.issuer
    if kind == "issuer":
        good, bad = bad, good
    assert ask(good).status == 200 and ask(bad).status == 401
    server.expect_violation("client_assertion: aud is")
    if kind == "endpoint":
        assert ask([good]).status == 401
        server.expect_violation("not a string")


def test_an_assertion_by_another_key_or_algorithm_is_caught(server, sign_in):
    client, ask = sign_in()
    client.key = jose.key("P-256", 3)
    assert ask().status == 401
    server.expect_violation("no key of 1 verifies")
    client.key, client.algorithm = jose.key("RSA"), "PS256"
    form = asserted("svc", server.issuer, jose.key("RSA"), "RS256")
    assert post(server.endpoint("/token"), {"grant_type": "client_credentials", **form}).status == 401
    server.expect_violation("alg is 'RS256'")


def test_a_secret_beside_an_assertion_and_an_assertion_of_a_public_client_are_caught(server, sign_in, small):
    _, ask = sign_in()
    form = {"grant_type": "client_credentials", **asserted("svc", server.issuer, jose.key("P-256"))}
    post(server.endpoint("/token"), {**form, "client_secret": "s"})
    server.expect_violation("the secret was sent")
    small.exchange(small.authorize(), **asserted("cli", server.issuer, jose.key("P-256")))
    server.expect_violation("a client assertion was sent")


@pytest.mark.parametrize("by_itself", [False, True], ids=["by the authority", "by itself"])
def test_a_client_certificate_authenticates_and_binds(servers, tls, make_certificate, by_itself, scratch):
    own = make_certificate("c1", by_itself)
    server = servers(tls=tls, client_authorities=[tls.authority, *([own.certificate] if by_itself else [])])
    server.direct.grant_types.add("client_credentials")
    server.add_client(id="mtls", auth="tls", certificate=own.certificate)
    form = {"grant_type": "client_credentials", "client_id": "mtls"}
    tokens = post(server.endpoint("/token"), form, certificate=own).json
    server.introspection.enabled = True
    found = post(server.endpoint("/introspect"), {"client_id": "mtls", "token": tokens["access_token"]}, certificate=own).json
    assert found["active"] and len(found["cnf"]["x5t#S256"]) == 43
    assert post(server.endpoint("/token"), form).status == 401
    server.expect_violation("no client certificate")
    other = make_client(scratch / "tls", "c2", scratch / "tls")
    assert post(server.endpoint("/token"), form, certificate=other).status == 401
    server.expect_violation("certificate is another")


def test_a_client_with_a_certificate_has_to_use_the_alias(servers, tls, make_certificate):
    own = make_certificate()
    server = servers(tls=tls, client_authorities=[tls.authority])
    server.direct.grant_types.add("client_credentials")
    server.authentication.aliases = True
    server.add_client(id="mtls", auth="tls", certificate=own.certificate)
    alias = server.metadata.value()["mtls_endpoint_aliases"]["token_endpoint"]
    form = {"grant_type": "client_credentials", "client_id": "mtls"}
    assert post(alias, form, certificate=own).status == 200
    post(server.endpoint("/token"), form, certificate=own)
    server.expect_violation("did not use the mtls endpoint alias")


# DPoP ------------------------------------------------------------------------------------------------------------------


def at_token(server, key=DPOP_KEY, **bend):
    return proof(key, "POST", server.endpoint("/token"), **bend)


def test_a_proof_binds_the_tokens(server, small):
    server.dpop.enabled = True
    tokens = small.login(at_token(server))
    assert tokens["token_type"] == "DPoP" and server.issued[tokens["access_token"]].jkt == DPOP_KEY.thumbprint
    assert small.refresh(tokens).json["error"] == "invalid_grant"
    server.expect_violation("the refresh token is bound")
    assert small.refresh(tokens, at_token(server, jose.key("P-256", 8))).status == 400
    server.expect_violation("the refresh token is bound")
    status, second = small.refresh(tokens, at_token(server))
    assert status == 200
    revoke = small.post("/revoke", proof(DPOP_KEY, "POST", server.endpoint("/revoke")), token=second["refresh_token"])
    assert revoke.status == 200


def test_a_confidential_client_may_change_its_key_but_not_leave_it_out(server):
    server.dpop.enabled = True
    server.add_client(id="web", secret="s-1", auth="post")
    small = SmallClient(server, "web")
    _, tokens = small.exchange(small.authorize(), at_token(server), client_secret="s-1")
    status, tokens = small.refresh(tokens, at_token(server, jose.key("P-256", 8)), client_secret="s-1")
    assert status == 200
    assert small.refresh(tokens, client_secret="s-1").status == 400
    server.expect_violation("the refresh token is bound")


@pytest.mark.parametrize("bend, words", [
    ({"header": {"typ": "JWT"}}, "typ is 'JWT'"), ({"htm": "GET"}, "htm is"), ({"htu": "https://x.example/"}, "htu is"),
    ({"iat": 1}, "iat is 1"), ({"jti": "short"}, "jti is"), ({"ath": "x"}, "ath has no place"),
    ({"header": {"jwk": jose.key("P-256", 9).jwk}}, "no key of 1 verifies"), ({"nonce": "n"}, "never gave"),
    ({"header": {"jwk": DPOP_KEY.private_jwk}}, "private members"), ({"header": {"jwk": None}}, "jwk is None"),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_a_wrong_proof_is_caught(server, small, bend, words):
    server.dpop.enabled = True
    small.exchange(small.authorize(), at_token(server, **bend))
    server.expect_violation(words)


def test_a_proof_is_good_once_and_not_where_it_is_off(server, small):
    small.exchange(small.authorize(), at_token(server))
    server.expect_violation("a DPoP proof was sent")
    server.dpop.enabled = server.dpop.required = True
    used = at_token(server)
    tokens = small.login(used)
    small.refresh(tokens, used)
    server.expect_violation("jti was used before")
    small.refresh(tokens)
    server.expect_violation("there is no DPoP proof")


def test_a_proof_is_good_once_even_where_the_server_failed(server, small):
    server.dpop.enabled = True
    used, code = at_token(server), small.authorize()
    server.on("token", faults.error("temporarily_unavailable", 503))
    assert small.exchange(code, used).status == 503
    assert small.exchange(code, used).json == {"error": "invalid_dpop_proof"}
    server.expect_violation("jti was used before")


def test_a_pushed_requests_proof_binds_the_code(server, small):
    server.par.enabled = server.dpop.enabled = True
    answer = small.post("/par", proof(DPOP_KEY, "POST", server.endpoint("/par")), **small.parameters())
    code = small.visit({"client_id": "cli", "request_uri": answer.json["request_uri"]})["code"]
    assert small.exchange(code, at_token(server, jose.key("P-256", 8))).status == 400
    server.expect_violation("the code is bound")


def test_nonces_are_asked_for_and_have_to_be_used(server, small):
    server.dpop.enabled = True
    nonce = server.dpop.rotate()
    code = small.authorize()
    answer = small.exchange(code, at_token(server))
    assert answer.status == 400 and answer.json["error"] == "use_dpop_nonce" and answer.headers["DPoP-Nonce"] == nonce
    status, tokens = small.exchange(code, at_token(server, nonce=nonce))
    assert status == 200
    small.refresh(tokens, at_token(server))
    server.expect_violation("last nonce was not used")
    server.dpop.rotate()
    answer = small.refresh(tokens, at_token(server, nonce=nonce))
    assert answer.json["error"] == "use_dpop_nonce" and answer.headers["DPoP-Nonce"] != nonce


def test_every_answer_may_bring_the_next_nonce(server, small):
    server.dpop.enabled = server.dpop.rotates = True
    code = small.authorize()
    answer = small.exchange(code, at_token(server))
    assert answer.status == 200 and answer.headers["DPoP-Nonce"]
    assert small.refresh(answer.json, at_token(server, nonce=answer.headers["DPoP-Nonce"])).status == 200


def test_a_reply_may_say_bearer_all_the_same(server, small):
    server.dpop.enabled = server.dpop.says_bearer = True
    assert small.login(at_token(server))["token_type"] == "Bearer"


def test_userinfo_takes_a_bound_token_with_its_proof_alone(server, small):
    server.dpop.enabled = True
    access = small.login(at_token(server))["access_token"]
    url = server.endpoint("/userinfo")

    def ask(scheme, headers):
        return send(url, headers={"Authorization": f"{scheme} {access}", **headers})

    assert ask("DPoP", proof(DPOP_KEY, "GET", url, access)).json["sub"] == "alice"
    for scheme, headers, words in (
            ("Bearer", {}, "was sent as Bearer"), ("DPoP", proof(DPOP_KEY, "GET", url), "ath is None"),
            ("DPoP", proof(jose.key("P-256", 8), "GET", url, access), "not made with the key")):
        assert ask(scheme, headers).status in (400, 401)
        server.expect_violation(words)


def test_a_code_may_be_bound_to_a_key(server, small):
    server.dpop.enabled = True
    small.exchange(small.authorize(dpop_jkt=DPOP_KEY.thumbprint), at_token(server, jose.key("P-256", 8)))
    server.expect_violation("the code is bound")
    assert small.login(at_token(server), dpop_jkt=DPOP_KEY.thumbprint)["token_type"] == "DPoP"
