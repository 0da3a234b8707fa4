"""The implicit grant (RFC 6749 section 4.2): tokens that come with the redirect."""

import pytest

import loopback
from chromium import Chromium

URL = r"(https?://\S+/authorize\?\S+)\s"


@pytest.fixture
def implicit(acme):
    acme.authorization.response_types = ["token", "id_token token"]
    return acme


def begin(oauthctl, *options):
    return oauthctl.start("login", "acme", "--flow", "implicit", "--no-browser", *options)


def test_a_real_browser_hands_the_fragment_over(implicit, oauthctl, tmp_path_factory):
    flow = begin(oauthctl, "--json")
    chromium = Chromium(tmp_path_factory.mktemp("chromium"))
    try:
        chromium.visit(flow.url())
        assert "access_token" not in chromium.evaluate("location.href"), "the address keeps no token"
        assert "at-" not in chromium.evaluate("document.documentElement.outerHTML") and chromium.complaints == []
    finally:
        chromium.close()
    done = flow.wait()
    assert done.code == 0 and done.json["scope"] == ["read", "write"]
    assert implicit.works(oauthctl.token()) and implicit.count("token") == 0
    assert not any("access_token" in r.raw_query for r in implicit.requests)
    assert oauthctl.state()["refreshable"] is False and "log in again" in done.err


def test_a_browser_that_is_opened(implicit, oauthctl):
    done = oauthctl("login", "acme", "--flow", "implicit", "--browser", oauthctl.browser())
    assert done.code == 0 and implicit.works(oauthctl.token()), done
    query = implicit.sent("authorization")[0].query
    assert query["response_type"] == "token" and "code_challenge" not in query and "nonce" not in query


def test_a_server_that_answers_in_the_query(implicit, oauthctl):
    implicit.authorization.answers_in_query = True
    flow = begin(oauthctl)
    page = loopback.get(implicit.approve(flow.url()))
    assert page.status == 200 and flow.wait().code == 0 and implicit.works(oauthctl.token())
    assert "at-" not in page.text


def test_the_redirect_is_pasted(implicit, oauthctl, terminal):
    shown = terminal("login", "acme", "--flow", "implicit", "--no-browser", columns=1000)
    location = implicit.approve(shown.expect(URL).group(1))
    shown.send(location.replace("state=", "state=x") + "\n")
    shown.expect("not the redirect URL of this login")
    # what was pasted is the person's own, on the person's own terminal
    implicit.secrets.clear()
    shown.send(location + "\n")
    assert shown.wait() == 0
    assert implicit.works(oauthctl.token())


def test_a_wrong_state_is_a_stray(implicit, oauthctl):
    flow = begin(oauthctl)
    location = implicit.approve(flow.url())
    fragment = location.partition("#")[2]
    where = location.partition("#")[0]
    post(where, fragment.replace("state=", "state=x"))
    flow.expect("wrong state")
    assert post(where, fragment).status == 200
    assert flow.wait().code == 0


def post(url, fragment):
    """What the page's script does with the fragment."""
    import http.client
    import urllib.parse

    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request("POST", parts.path, fragment, {
        "Content-Type": "application/x-www-form-urlencoded", "Origin": f"{parts.scheme}://{parts.netloc}",
        "Sec-Fetch-Site": "same-origin"})
    answer = connection.getresponse()
    answer.read()
    return answer


def test_a_refusal_ends_it(implicit, oauthctl, keyring):
    implicit.callback = lambda query, reply: {"error": "access_denied", "state": reply["state"]}
    done = oauthctl("login", "acme", "--flow", "implicit", "--browser", oauthctl.browser())
    assert done.code == 77 and "access_denied" in done.err and keyring.item() is None


def test_a_server_that_does_not_have_it_is_told_what_works(acme, oauthctl):
    acme.callback = lambda query, reply: {"error": "unsupported_response_type", "state": reply["state"]}
    done = oauthctl("login", "acme", "--flow", "implicit", "--browser", oauthctl.browser(), "--json")
    acme.expect_violation("response_type is 'token'")
    assert done.code == 78 and "--flow code" in done.error["hint"]


@pytest.fixture
def identified(server, oauthctl):
    server.authorization.response_types = ["token", "id_token token"]
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "read"]})

    def login():
        return oauthctl("login", "acme", "--flow", "implicit", "--browser", oauthctl.browser())

    return login


def test_an_id_token_comes_along_and_is_verified(server, identified, oauthctl):
    done = identified()
    assert done.code == 0 and oauthctl.state()["identity"], done
    query = server.sent("authorization")[0].query
    assert query["response_type"] == "id_token token" and query["nonce"]
    assert server.count("jwks") >= 1, "what came through the browser is vouched for by its signature alone"


@pytest.mark.parametrize("flaw, claim", [
    ("at_hash", "at_hash"), ("signature", "signature"), ("none", "alg"), ("kid", "kid"),
])  # fmt: skip
def test_an_id_token_that_does_not_hold(server, identified, keyring, flaw, claim):
    server.identity.flaw = flaw
    done = identified()
    assert done.code == 76 and f"'{claim}'" in done.err and keyring.item() is None, done


def test_an_id_token_of_another_login(server, identified, keyring):
    server.id_token_changes = {"nonce": "of-another-login"}
    done = identified()
    assert done.code == 76 and "'nonce'" in done.err and keyring.item() is None


def test_an_id_token_that_is_missing(server, identified, keyring):
    server.callback = lambda query, reply: {k: v for k, v in reply.items() if k != "id_token"}
    done = identified()
    assert done.code == 76 and "id_token" in done.err and keyring.item() is None, done
