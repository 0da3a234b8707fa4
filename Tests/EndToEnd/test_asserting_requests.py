"""The asserting server's pushed requests (RFC 9126) and signed ones (RFC 9101): right and wrong."""

import pytest

import jose
from small_client import SmallClient, assertion


def pushed(small, **bend):
    answer = small.post("/par", **small.parameters(**bend))
    assert answer.status == 201, answer.text
    return {"client_id": small.client_id, "request_uri": answer.json["request_uri"]}


def test_a_pushed_request_is_good_once(server, small):
    server.par.enabled = server.par.required = True
    query = pushed(small, scope="read write")
    assert small.exchange(small.visit(query)["code"]).json["scope"] == "read write"
    with pytest.raises(AssertionError, match="HTTP 400"):
        small.visit(query)
    server.expect_violation("was used before")


def test_pushed_requests_are_checked(server, small):
    server.par.enabled = server.par.required = True
    small.post("/par", **small.parameters(state="short"))
    server.expect_violation("less than 256 bits")
    query = pushed(small)
    with pytest.raises(AssertionError):
        small.visit({**query, "scope": "read"})
    server.expect_violation("beside request_uri there are ['scope']")
    with pytest.raises(AssertionError):
        small.visit(small.parameters())
    server.expect_violation("the request was not pushed")
    server.par.expires_in = -1
    with pytest.raises(AssertionError):
        small.visit(pushed(small))
    server.expect_violation("has expired")


def test_a_pushed_request_authenticates_the_client(server):
    server.par.enabled = True
    server.add_client(id="web", secret="s-1", auth="post")
    small = SmallClient(server, "web")
    assert small.post("/par", **small.parameters()).status == 401
    server.expect_violation("client_secret is missing")
    assert small.post("/par", **small.parameters(), client_secret="s-1").status == 201


def object_of(server, client, parameters, key, **bend):
    claims = {"iss": client, "aud": server.issuer, "sub": None, "header": {"typ": "oauth-authz-req+jwt"}, **parameters, **bend}
    return assertion(client, claims.pop("aud"), key, **claims)


@pytest.mark.parametrize("is_pushed", [False, True], ids=["by value", "pushed"])
def test_a_signed_request(server, is_pushed):
    server.par.enabled, server.par.objects = is_pushed, "required"
    key = jose.key("P-256", id="c-1")
    server.add_client(id="signer", key=key)
    small = SmallClient(server, "signer")
    query = {"client_id": "signer", "request": object_of(server, "signer", small.parameters(scope="a"), key)}
    if is_pushed:
        query = {"client_id": "signer", "request_uri": small.post("/par", **query).json["request_uri"]}
    assert small.exchange(small.visit(query)["code"]).json["scope"] == "a"


def test_a_wrong_request_object_is_caught(server):
    key = jose.key("P-256", id="c-1")
    server.add_client(id="signer", key=key)
    small = SmallClient(server, "signer")
    for mode, bend, words in (
            ("off", {}, "does not have it"), ("allowed", {"aud": "x"}, "aud is 'x'"), ("allowed", {"iss": "x"}, "iss is 'x'"),
            ("allowed", {"sub": "signer"}, "sub has no place"), ("allowed", {"lifetime": 7200}, "600 at most")):
        server.par.objects = mode
        request = object_of(server, "signer", small.parameters(), key, **bend)
        with pytest.raises(AssertionError):
            small.visit({"client_id": "signer", "request": request})
        server.expect_violation(words)
    with pytest.raises(AssertionError):
        small.visit({"client_id": "signer", "state": "s", "request": object_of(server, "signer", small.parameters(), key)})
    server.expect_violation("state is outside")
    server.par.objects = "required"
    with pytest.raises(AssertionError):
        small.visit(small.parameters())
    server.expect_violation("there is no request object")
