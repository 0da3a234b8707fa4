"""How the answer to a login comes back where that is not in a query: a fragment, a posted form, signed by the server (JARM)."""

import contextlib
import html
import http.client
import json
import re
import urllib.parse
import urllib.request

import pytest

import loopback
from chromium import Chromium

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def begin(oauthctl, mode, *options):
    return oauthctl.start("login", "acme", "--no-browser", "--response-mode", mode, *options)


@pytest.fixture
def form(acme, oauthctl):
    """A login that waits for a form, with what the server's page would post."""
    acme.modes.supported = ["query", "form_post"]
    flow = begin(oauthctl, "form_post")
    with urllib.request.urlopen(flow.url()) as page:
        text = page.read().decode()
    fields = re.findall(r'name="([^"]*)" value="([^"]*)"', text)
    flow.body = urllib.parse.urlencode([(name, html.unescape(value)) for name, value in fields])
    flow.where = loopback.redirect_of(flow.url())
    return flow


def post(url, body, headers=None, method="POST"):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request(method, parts.path, body, {**FORM, **(headers or {})})
    answer = connection.getresponse()
    answer.text = answer.read().decode("utf-8", "replace")
    connection.close()
    return answer


def test_a_real_browser_posts_the_form(acme, oauthctl, tmp_path_factory):
    acme.modes.supported = ["form_post"]
    flow = begin(oauthctl, "form_post")
    chromium = Chromium(tmp_path_factory.mktemp("chromium"))
    try:
        chromium.visit(flow.url())
        done = flow.wait()
        assert "code=" not in chromium.evaluate("location.href"), "no address has the code"
    finally:
        chromium.close()
    assert done.code == 0 and acme.works(oauthctl.token()), done
    assert acme.sent("authorization")[0].query["response_mode"] == "form_post"


def test_a_provider_that_always_posts_its_answer(server, oauthctl):
    server.modes.supported = ["form_post"]
    oauthctl.write_provider(server.provider(response_mode="form_post"))
    oauthctl.login()
    assert server.works(oauthctl.token())


@pytest.mark.parametrize("origin", [None, "null", "https://login.example", "http://127.0.0.1:1"])
def test_whose_page_it_is_tells_the_state_alone(form, acme, oauthctl, origin):
    assert post(form.where, form.body.replace("state=", "state=x")).status == 400
    form.expect("ignored a callback with a wrong state")
    page = post(form.where, form.body, {"Origin": origin} if origin else {})
    code = dict(urllib.parse.parse_qsl(form.body))["code"]
    assert page.status == 200 and "Authorization received" in page.text and code not in page.text
    assert form.wait().code == 0 and acme.works(oauthctl.token())


@pytest.mark.parametrize("headers, status", [
    ({"Host": "evil.example"}, 421), ({"Content-Type": "text/plain"}, 415), ({"Sec-Fetch-Mode": "cors"}, 403),
    ({"Sec-Fetch-Dest": "iframe"}, 403), ({"Content-Length": "70000"}, 413), ({"Transfer-Encoding": "chunked"}, 411),
])  # fmt: skip
def test_what_else_is_posted_changes_nothing(form, acme, headers, status):
    assert post(form.where, form.body, headers).status == status
    assert post(form.where + "x", form.body).status == 404 and post(form.where, form.body, method="PUT").status == 405
    assert form.alive and acme.count("token") == 0
    assert post(form.where, form.body).status == 200 and form.wait().code == 0


def test_a_form_is_taken_only_where_one_is_waited_for(acme, oauthctl):
    flow = oauthctl.start("login", "acme", "--no-browser")
    callback = acme.approve(flow.url())
    where, _, query = callback.partition("?")
    assert post(where, query).status == 405 and flow.alive and acme.count("token") == 0
    assert loopback.get(callback).status == 200 and flow.wait().code == 0


def test_a_form_is_good_once(form, acme, oauthctl):
    assert post(form.where, form.body).status == 200
    with contextlib.suppress(OSError):  # the port is closed; for a moment those in the queue are answered
        assert post(form.where, form.body.replace("code=", "code=x")).status == 400
    assert form.wait().code == 0 and acme.count("token") == 1


def test_a_denial_is_posted(form, oauthctl):
    state = dict(urllib.parse.parse_qsl(form.body))["state"]
    page = post(form.where, urllib.parse.urlencode({"error": "access_denied", "state": state}))
    assert "access_denied" in page.text and form.wait().code == 77


def test_a_code_in_the_fragment(acme, oauthctl):
    acme.modes.supported = ["fragment"]
    oauthctl.login("acme", "--response-mode", "fragment")
    assert acme.works(oauthctl.token()) and not any("code=" in r.raw_query for r in acme.requests)


@pytest.fixture
def jarm(server, oauthctl):
    """A server that signs its answers, known by its issuer."""
    server.modes.supported = ["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"]
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["read"]})
    return server


def login(oauthctl, mode="jwt", *options):
    return oauthctl("login", "acme", "--browser", oauthctl.browser(), "--response-mode", mode, *options)


@pytest.mark.parametrize("mode", ["jwt", "query.jwt", "fragment.jwt", "form_post.jwt"])
def test_a_signed_answer_is_verified(jarm, oauthctl, mode):
    assert login(oauthctl, mode).code == 0
    assert jarm.works(oauthctl.token()) and jarm.sent("authorization")[0].query["response_mode"] == mode
    assert jarm.count("jwks") == 1


def test_a_signed_answer_with_tokens(jarm, oauthctl):
    jarm.authorization.response_types = ["token"]
    assert login(oauthctl, "jwt", "--flow", "implicit").code == 0
    assert jarm.works(oauthctl.token()) and jarm.count("token") == 0


@pytest.mark.parametrize("changes, claim", [
    ({"iss": "https://other.example"}, "iss"), ({"aud": "other"}, "aud"), ({"exp": 1}, "exp"), ({"exp": None}, "exp"),
])  # fmt: skip
def test_a_claim_that_does_not_hold(jarm, oauthctl, keyring, changes, claim):
    jarm.modes.claims = changes
    done = login(oauthctl)
    assert done.code == 76 and f"'{claim}'" in done.err and keyring.item() is None, done
    assert jarm.count("token") == 0


@pytest.mark.parametrize("flaw, claim", [("signature", "signature"), ("none", "alg"), ("kid", "kid"), ("public-key", "alg")])
def test_a_signature_that_does_not_hold(jarm, oauthctl, keyring, flaw, claim):
    jarm.identity.flaw = flaw
    done = login(oauthctl)
    assert done.code == 76 and f"'{claim}'" in done.err and keyring.item() is None, done
    assert jarm.count("token") == 0


def test_a_signed_answer_of_another_login_is_a_stray(jarm, oauthctl):
    jarm.modes.claims = {"state": "another"}
    flow = begin(oauthctl, "jwt")
    assert loopback.get(jarm.approve(flow.url())).status == 400
    flow.expect("ignored a callback with a wrong state")
    assert flow.alive and jarm.count("token") == 0


def test_a_plain_answer_in_its_place(jarm, oauthctl, keyring):
    jarm.modes.answers_plainly = True
    done = login(oauthctl)
    assert done.code == 76 and "response" in done.err and "a plain answer" in done.err and keyring.item() is None, done


def test_a_signed_denial(jarm, oauthctl, keyring):
    jarm.callback = lambda query, reply: {"error": "access_denied", "state": reply["state"]}
    record = oauthctl.scratch / "record"
    done = oauthctl(
        "login", "acme", "--browser", oauthctl.browser("--record", str(record)), "--response-mode", "jwt")
    assert done.code == 77 and "access_denied" in done.err and keyring.item() is None, done


def test_an_encrypted_answer_is_refused_in_plain_words(jarm, oauthctl):
    jarm.modes.encrypts = True
    done = login(oauthctl, "jwt", "--timeout", "2s")
    assert done.code == 76 and "encrypted" in done.err and "authorization_encrypted_response_alg" in done.err, done


def test_in_two_steps(jarm, oauthctl):
    begun = oauthctl("login", "acme", "--print-url", "--response-mode", "jwt")
    url, id = begun.out.splitlines()
    done = oauthctl("login", "--finish", id, stdin=jarm.approve(url) + "\n")
    assert done.code == 0 and jarm.works(oauthctl.token()), done


def test_a_form_has_no_second_step(acme, oauthctl):
    done = oauthctl("login", "acme", "--print-url", "--response-mode", "form_post")
    assert done.code == 64 and "--response-mode query" in done.err


@pytest.mark.parametrize("offered, mode, works", [
    (["query", "form_post"], "jwt", "query"), (["query", "form_post.jwt"], "jwt", "form_post.jwt"),
    (["query", "fragment"], "form_post", "query"),
])  # fmt: skip
def test_a_mode_that_the_server_does_not_have(jarm, oauthctl, offered, mode, works):
    jarm.modes.supported = offered
    done = login(oauthctl, mode)
    assert done.code == 78 and f"--response-mode {works}" in done.err and jarm.count("authorization") == 0, done


def test_signatures_that_prove_nothing_here(jarm, oauthctl):
    jarm.metadata_changes = {"authorization_signing_alg_values_supported": ["HS256"]}
    assert login(oauthctl).code == 78


def test_a_signed_answer_needs_an_issuer(acme, oauthctl):
    done = login(oauthctl)
    assert done.code == 78 and "issuer" in done.err and acme.count("authorization") == 0


def test_other_grants_have_no_answer_in_a_browser(acme, oauthctl):
    done = login(oauthctl, "form_post", "--flow", "device", "--json")
    assert done.code == 64 and json.loads(done.err.splitlines()[-1])["error"]
    acme.authorization.response_types = ["token"]
    done = login(oauthctl, "query", "--flow", "implicit")
    assert done.code == 64 and "form_post" in done.err


def test_a_mode_is_pushed_and_signed_like_all_else(jarm, oauthctl, make_key):
    jarm.par.enabled = True
    assert login(oauthctl, "form_post.jwt", "--par").code == 0
    assert jarm.sent("par")[0].form["response_mode"] == "form_post.jwt"
