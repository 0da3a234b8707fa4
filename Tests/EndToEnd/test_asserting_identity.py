"""The asserting server's identity tokens, metadata, introspection, registration and protected resources."""

import pytest

import jose
from small_client import SmallClient, post_json, proof, send


def keys_of(server):
    answer = send(server.endpoint("/jwks"))
    return answer.json["keys"]


@pytest.mark.parametrize("algorithm", [one for fitting in jose.FITTING.values() for one in fitting])
def test_id_tokens_are_signed_in_each_way(server, small, algorithm):
    server.identity.use(algorithm)
    tokens = small.login(scope="openid read")
    header, claims = jose.verify(tokens["id_token"], keys_of(server))
    assert header["alg"] == algorithm and header["kid"] == keys_of(server)[0]["kid"]
    assert claims["aud"] == "cli" and claims["at_hash"] == jose.left_half(tokens["access_token"], algorithm)
    assert algorithm in server.metadata.value()["id_token_signing_alg_values_supported"]


def test_id_tokens_by_a_secret(server):
    server.identity.use("HS256")
    server.add_client(id="web", secret="s" * 32, auth="post")
    small = SmallClient(server, "web")
    _, tokens = small.exchange(small.authorize(scope="openid"), client_secret="s" * 32)
    assert jose.verify(tokens["id_token"], [b"s" * 32])[0]["alg"] == "HS256"


@pytest.mark.parametrize("flaw", ["none", "signature", "kid", "public-key"])
def test_id_tokens_with_a_flaw_verify_with_no_published_key(server, small, flaw):
    server.identity.flaw = flaw
    with pytest.raises(jose.Wrong):
        jose.verify(small.login(scope="openid")["id_token"], keys_of(server))


def test_a_wrong_at_hash_and_a_key_without_an_id(server, small):
    server.identity.flaw = "at_hash"
    tokens = small.login(scope="openid")
    assert jose.parse(tokens["id_token"])[1]["at_hash"] != jose.left_half(tokens["access_token"], "RS256")
    server.identity.flaw = "no-kid"
    assert "kid" not in jose.verify(small.login(scope="openid")["id_token"], keys_of(server))[0]


def test_keys_rotate_and_may_be_cached(server, small):
    server.identity.use("ES256")
    server.identity.cache_control = "max-age=60"
    first = small.login(scope="openid")["id_token"]
    server.identity.rotate()
    second = small.login(scope="openid")["id_token"]
    assert jose.parse(first)[0]["kid"] != jose.parse(second)[0]["kid"] and len(keys_of(server)) == 2
    for token in (first, second):
        jose.verify(token, keys_of(server))
    assert send(server.endpoint("/jwks")).headers["Cache-Control"] == "max-age=60" and server.count("jwks") == 4


def test_jwt_access_tokens(server, small):
    server.jwt_access_tokens = server.dpop.enabled = True
    server.targets.resources = ["https://a.example/"]
    key = jose.key("P-256", 7)
    tokens = small.login(proof(key, "POST", server.endpoint("/token")), resource="https://a.example/")
    header, claims = jose.verify(tokens["access_token"], keys_of(server))
    assert header["typ"] == "at+jwt" and claims["aud"] == "https://a.example/" and claims["cnf"] == {"jkt": key.thumbprint}


def test_userinfo_may_tell_of_another(server, small):
    access = small.login()["access_token"]
    server.userinfo_changes = {"sub": "mallory", "email": None}
    assert send(server.endpoint("/userinfo"), headers={"Authorization": f"Bearer {access}"}).json == {"sub": "mallory"}
    assert send(server.endpoint("/userinfo"), headers={"Authorization": "Bearer nobody"}).status == 401


def test_introspection(server, small):
    server.introspection.enabled = True
    tokens = small.login()
    found = small.post("/introspect", token=tokens["access_token"], token_type_hint="access_token").json
    assert found["active"] is True and found["sub"] == "alice" and found["token_type"] == "Bearer" and found["exp"] > found["iat"]
    assert small.post("/introspect", token=tokens["refresh_token"]).json["active"] is True
    assert small.post("/introspect", token="unknown").json == {"active": False}
    small.post("/introspect")
    server.expect_violation("there is no token")


def test_the_metadata_says_what_is_on_and_may_be_signed(server):
    plain = server.metadata.value()
    assert plain["token_endpoint"] == server.endpoint("/token") and "registration_endpoint" not in plain
    for feature in (server.device, server.par, server.dpop, server.registration, server.introspection):
        feature.enabled = True
    server.par.required = server.metadata.is_signed = True
    value = send(server.base + "/.well-known/openid-configuration").json
    for name in ("device_authorization_endpoint", "pushed_authorization_request_endpoint", "registration_endpoint",
                 "introspection_endpoint", "dpop_signing_alg_values_supported"):
        assert value[name]
    claims = jose.verify(value["signed_metadata"], keys_of(server))[1]
    assert claims["iss"] == server.issuer and claims["require_pushed_authorization_requests"] is True


def test_the_session_ends(server, small):
    server.authorization.has_end_session = True
    token = small.login(scope="openid")["id_token"]
    state = "s" * 43
    location = server.get_location(
        server.endpoint("/end") + f"?id_token_hint={token}&post_logout_redirect_uri=http://127.0.0.1:9/bye&state={state}")
    assert location == "http://127.0.0.1:9/bye?state=" + state and server.authorization.ended[0]["id_token_hint"] == token
    assert send(server.endpoint("/end")).status == 200
    server.expect_violation("id_token_hint is none of ours")


NEW = {
    "client_name": "a client", "redirect_uris": ["http://127.0.0.1/callback"], "grant_types": ["authorization_code"],
    "response_types": ["code"], "token_endpoint_auth_method": "none", "application_type": "native"}


@pytest.fixture
def register(server):
    server.registration.enabled = True

    def ask(headers=None, **bend):
        return post_json(server.endpoint("/register"), {k: v for k, v in {**NEW, **bend}.items() if v is not None}, headers)

    return ask


def test_a_client_registers_and_signs_in(server, register):
    answer = register()
    assert answer.status == 201 and "client_secret" not in answer.json
    small = SmallClient(server, answer.json["client_id"])
    assert small.login()["access_token"]
    SmallClient(server, answer.json["client_id"], "http://127.0.0.1:9/other").authorize()
    server.expect_violation("registered are")
    assert small.post(grant_type="refresh_token", refresh_token="x").json["error"] == "unauthorized_client"
    server.expect_violation("may not use refresh_token")


def test_a_registered_client_is_read_changed_and_deleted(server, register):
    server.registration.rotates_token = True
    value = register(token_endpoint_auth_method="client_secret_post").json
    assert value["client_secret"] in server.secrets and value["client_secret_expires_at"] == 0

    def bearer():
        return {"Authorization": "Bearer " + value["registration_access_token"]}

    where = value["registration_client_uri"]
    assert send(where, headers=bearer()).json["client_id"] == value["client_id"]
    new = {**NEW, "token_endpoint_auth_method": "client_secret_post", "redirect_uris": ["http://127.0.0.1/new"]}
    changed = post_json(where, {**new, "client_id": value["client_id"]}, bearer(), "PUT")
    assert changed.json["redirect_uris"] == ["http://127.0.0.1/new"]
    assert send(where, headers=bearer()).status == 401
    server.expect_violation("registration access token is missing or wrong")
    value = changed.json
    assert post_json(where, new, bearer(), "PUT").status == 400
    server.expect_violation("client_id is missing")
    assert send(where, "DELETE", headers=bearer()).status == 204 and server.registration.deleted == [value["client_id"]]


@pytest.mark.parametrize("bend, words", [
    ({"redirect_uris": None}, "redirect_uris is None"), ({"redirect_uris": ["http://x.example/"]}, "a redirect_uri is"),
    ({"client_name": None}, "no client_name"), ({"token_endpoint_auth_method": "secret"}, "token_endpoint_auth_method is"),
    ({"token_endpoint_auth_method": "private_key_jwt"}, "without jwks"), ({"software_statement": "x"}, "takes none"),
    ({"jwks": {"keys": [jose.key("P-256").private_jwk]}}, "holds a private key"),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_a_wrong_registration_is_caught(server, register, bend, words):
    assert register(**bend).status == 400
    server.expect_violation(words)


def test_registration_may_want_a_token_and_a_statement(server, register):
    server.registration.initial_token = "iat-1"
    server.registration.statement_keys, server.registration.demands_statement = [jose.key("P-256").jwk], True
    assert register().status == 401
    statement = jose.sign({"software_id": "oauthctl", "client_name": "stated"}, jose.key("P-256"))
    answer = register({"Authorization": "Bearer iat-1"}, software_statement=statement)
    assert answer.status == 201 and answer.json["client_name"] == "stated"
    register({"Authorization": "Bearer iat-1"})
    server.expect_violation("there is no software_statement")
    register({"Authorization": "Bearer other"})
    server.expect_violation("missing, wrong or without need")


def test_a_clients_id_may_be_the_address_of_its_document(server):
    where = "https://client.example/oauth.json"
    server.authentication.documents[where] = {"client_id": where, "redirect_uris": ["http://127.0.0.1/callback"]}
    assert server.metadata.value()["client_id_metadata_document_supported"] is True
    assert SmallClient(server, where).login()["access_token"]


def test_a_resource_says_whose_tokens_it_takes(server, small, resources):
    mcp = resources(server)
    answer = send(mcp.resource, "POST", b"{}")
    assert answer.status == 401 and f'resource_metadata="{mcp.metadata_url}"' in answer.headers["WWW-Authenticate"]
    assert send(mcp.metadata_url).json["authorization_servers"] == [server.issuer]
    access = small.login(resource=mcp.resource)["access_token"]
    assert send(mcp.resource, headers={"Authorization": f"Bearer {access}"}).status == 200
    assert mcp.admitted[0].resources == (mcp.resource,)
    other = small.login()["access_token"]
    assert send(mcp.resource, headers={"Authorization": f"Bearer {other}"}).status == 401
    mcp.expect_violation("not for")
    assert send(mcp.resource, headers={"Authorization": "Bearer foreign"}).status == 401
    mcp.expect_violation("none of my authorization servers")


def test_a_resource_varies(server, servers, resources):
    mcp = resources(server, servers(), path="/api/v1")
    mcp.metadata_changes, mcp.challenges = {"resource": "https://elsewhere.example"}, False
    value = send(mcp.metadata_url).json
    assert len(value["authorization_servers"]) == 2 and value["resource"] == "https://elsewhere.example"
    assert "resource_metadata" not in send(mcp.resource).headers["WWW-Authenticate"]


def test_a_resource_may_demand_dpop_with_nonces(server, small, resources):
    mcp = resources(server)
    server.dpop.enabled = mcp.dpop.enabled = mcp.dpop.required = True
    nonce, key = mcp.dpop.rotate(), jose.key("P-256", 7)
    assert send(mcp.metadata_url).json["dpop_bound_access_tokens_required"] is True
    access = small.login(proof(key, "POST", server.endpoint("/token")), resource=mcp.resource)["access_token"]

    def ask(**bend):
        return send(mcp.resource, headers={"Authorization": f"DPoP {access}", **proof(key, "GET", mcp.resource, access, **bend)})

    answer = ask()
    assert answer.status == 401 and answer.headers["DPoP-Nonce"] == nonce and "use_dpop_nonce" in answer.headers["WWW-Authenticate"]
    assert ask(nonce=nonce).status == 200
