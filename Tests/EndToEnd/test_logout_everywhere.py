"""`logout --everywhere`: the tokens are revoked, and the browser is sent to the provider's logout page."""

import json
import time

import pytest

import faults
import leaks


@pytest.fixture
def with_page(server, oauthctl):
    """`acme` with a logout page that only the metadata names, and somebody logged in."""
    server.authorization.has_end_session = True
    oauthctl.write_provider(server.provider(issuer=server.issuer, scopes=["openid", "email"]))
    oauthctl.login()
    return server


def until(condition):
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_browser_ends_at_the_logout_page_and_the_id_token_stays_here(with_page, oauthctl, scratch, keyring):
    identity = oauthctl("token", "acme", "--format", "json").json["id_token"]
    record = scratch / "record"
    done = oauthctl("logout", "acme", "--everywhere", "--browser", oauthctl.browser("--record", str(record)), "--json")
    assert done.code == 0, done
    until(record.exists)
    (asked,) = with_page.authorization.ended
    assert asked["client_id"] == "cli" and set(asked) <= {"client_id", "logout_hint"}
    assert done.json["end_session_url"].startswith(with_page.base + "/end?")
    argv = json.loads(record.read_text())["argv"]
    assert not any(leaks.shows(word, identity) for word in argv)
    assert keyring.item() is None and with_page.count("revocation") > 0


def test_without_a_browser_the_url_is_printed(with_page, oauthctl):
    done = oauthctl("logout", "acme", "--everywhere", "--no-browser")
    assert done.code == 0 and done.out == "" and with_page.base + "/end?client_id=cli" in done.err, done
    assert with_page.authorization.ended == []
    oauthctl.login()
    missing = oauthctl("logout", "acme", "--everywhere", "--browser", "no-such-browser", "--json")
    assert missing.code == 0 and missing.json["result"] == "ok" and missing.json["end_session_opened"] is False, missing


def test_a_revocation_that_fails_is_a_result_too(with_page, oauthctl, keyring):
    with_page.on("revocation", faults.answer(503, ""))
    done = oauthctl("logout", "acme", "--everywhere", "--no-browser", "--json")
    assert done.code == done.error["code"] == done.json["result"]["error"]["code"] == 75, done
    assert "tokens" not in done.json and keyring.item() is not None
    assert "'oauthctl logout acme --local'" in done.error["hint"]


def test_a_page_that_the_provider_lacks_is_told_after_the_revocation(signed_in, oauthctl, keyring):
    done = oauthctl("logout", "acme", "--everywhere", "--no-browser")
    assert done.code == 78 and "end_session" in done.err and "hint" in done.err, done
    assert keyring.item() is None and signed_in.count("revocation") == 2
    oauthctl.login()
    done = oauthctl("logout", "acme", "--everywhere", "--no-browser", "--json")
    assert done.code == done.error["code"] == done.json["result"]["error"]["code"] == 78, done
    assert done.json["tokens"] == "revoked" and "end_session_opened" not in done.json


@pytest.mark.parametrize("can_be_asked", [True, False])
def test_a_login_that_knows_no_page_asks_before_anything_is_revoked(server, oauthctl, keyring, can_be_asked):
    oauthctl.write_provider(server.provider(issuer=server.issuer, scopes=["openid"]))
    oauthctl.login()
    before = keyring.item()
    server.authorization.has_end_session = True
    if not can_be_asked:
        server.on("discovery", faults.answer(503, "").forever())
    done = oauthctl("logout", "acme", "--everywhere", "--browser", oauthctl.browser())
    assert done.code == (0 if can_be_asked else 75), done
    if can_be_asked:
        until(lambda: len(server.authorization.ended) == 1)
    else:
        assert keyring.item() == before and server.authorization.ended == [] and server.count("revocation") == 0


def test_further_tokens_of_the_account_are_revoked_too(server, oauthctl, keyring):
    server.targets.narrows = True
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    tokens = {oauthctl.token(), oauthctl.token("acme", "--scope", "read")}
    assert len(tokens) == 2 and oauthctl("logout", "acme").code == 0
    assert tokens <= {request.form["token"] for request in server.sent("revocation")}
    assert not any(server.works(token) for token in tokens) and keyring.item() is None


def test_metadata_is_read_at_each_login_and_at_no_other_time(server, oauthctl):
    done = oauthctl(
        "login", server.issuer, "--client-id", "cli", "--scope", "read", "--browser", oauthctl.browser(), "--json")
    assert done.code == 0, done
    name = done.json["provider"]
    asked = server.count("discovery")
    oauthctl.token(name)
    assert oauthctl("refresh", name).code == 0 and server.count("discovery") == asked
    # an endpoint has moved meanwhile
    server.metadata_changes = {"revocation_endpoint": server.base + "/elsewhere"}
    oauthctl.login(name)
    assert server.count("discovery") > asked
    done = oauthctl("revoke", name)
    assert server.count("revocation") == 0 and done.code != 70, done
    server.violations.clear()
