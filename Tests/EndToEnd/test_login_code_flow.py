"""`login` by the authorization code flow: what is sent, what is stored, what is said."""

import datetime
import json
import re

import pytest

import faults
import loopback


def test_login_stores_a_token_that_works(acme, oauthctl):
    done = oauthctl.login()
    assert done.out == ""
    assert done.err.startswith("oauthctl: ")
    assert acme.works(oauthctl.token())


def test_the_success_message_is_one_line_without_a_full_stop(acme, oauthctl):
    last = oauthctl.login().err.splitlines()[-1]
    assert last.startswith("oauthctl: ") and "acme" in last and not last.endswith(".")


def test_the_code_is_exchanged_with_its_verifier_and_the_same_redirect_uri(acme, oauthctl):
    oauthctl.login()
    (asked,), (exchanged,) = acme.sent("authorization"), acme.sent("token")
    assert exchanged.form["redirect_uri"] == asked.query["redirect_uri"]
    assert exchanged.form["grant_type"] == "authorization_code"
    assert asked.query["scope"] == "read write"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/callback", asked.query["redirect_uri"])


def test_every_login_uses_fresh_state_verifier_and_port(acme, oauthctl):
    oauthctl.login()
    oauthctl.login("acme/second")
    first, second = acme.sent("authorization")
    for name in ("state", "code_challenge"):
        assert first.query[name] != second.query[name]


def test_scopes_of_the_command_line_replace_those_of_the_file(acme, oauthctl):
    oauthctl.login("acme", "--scope", "alpha beta", "--scope=gamma,delta")
    assert acme.sent("authorization")[0].query["scope"] == "alpha beta gamma delta"


def test_scopes_are_joined_as_the_provider_wants_them(acme, oauthctl):
    oauthctl.write_provider(acme.provider(scope_separator=","))
    oauthctl.login()
    assert acme.sent("authorization")[0].query["scope"] == "read,write"
    assert oauthctl.state()["scope"] == ["read", "write"]


def test_authorization_and_token_parameters_of_options_and_file_are_sent(acme, oauthctl):
    oauthctl.write_provider(acme.provider(
        authorization_params={"access_type": "offline"}, token_params={"tenant": "t1"}, headers={"X-Team": "blue"}))
    oauthctl.login("acme", "--param", "hd=example.com", "--token-param", "kind=cli", "--header", "X-Trace=7",
                   "--login-hint", "me@example.com", "--prompt", "consent")
    (asked,), (exchanged,) = acme.sent("authorization"), acme.sent("token")
    expected = {"access_type": "offline", "hd": "example.com", "login_hint": "me@example.com", "prompt": "consent"}
    assert expected.items() <= asked.query.items()
    assert {"tenant": "t1", "kind": "cli"}.items() <= exchanged.form.items()
    assert exchanged.headers["X-Team"] == "blue" and exchanged.headers["X-Trace"] == "7"


def test_audience_and_resource_are_sent(acme, oauthctl):
    acme.targets.audiences, acme.targets.resources = ["https://api.example"], ["https://rs.example/a"]
    oauthctl.login("acme", "--audience", "https://api.example", "--resource", "https://rs.example/a")
    (asked,), (exchanged,) = acme.sent("authorization"), acme.sent("token")
    assert asked.query["audience"] == "https://api.example"
    assert asked.query["resource"] == exchanged.form["resource"] == "https://rs.example/a"


def test_a_parameter_of_the_protocol_cannot_be_overridden_by_accident(acme, oauthctl):
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--param", "state=fixed", "--timeout", "3s")
    states = [asked.query["state"] for asked in acme.sent("authorization")]
    assert "fixed" not in states
    assert done.code in (0, 64)


def test_login_json_tells_account_result_expiry_and_scope(acme, oauthctl):
    done = oauthctl.login("acme/work", "--json")
    value = done.json
    assert {"provider": "acme", "account": "work", "result": "ok", "scope": ["read", "write"]}.items() <= value.items()
    expiry = datetime.datetime.fromisoformat(value["expires_at"].replace("Z", "+00:00"))
    left = (expiry - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
    assert 3500 < left <= 3601


def test_quiet_login_says_nothing(acme, oauthctl):
    done = oauthctl("login", "acme", "--quiet", "--browser", oauthctl.browser())
    assert (done.code, done.out, done.err) == (0, "", "")


def test_two_accounts_are_kept_apart(acme, oauthctl):
    oauthctl.login("acme/one")
    oauthctl.login("acme/two")
    assert oauthctl.token("acme/one") != oauthctl.token("acme/two")
    assert sorted(e["account"] for e in oauthctl("status", "--json").json) == ["one", "two"]


def test_a_second_login_replaces_the_first(acme, oauthctl, keyring):
    oauthctl.login()
    first = oauthctl.token()
    oauthctl.login()
    assert oauthctl.token() != first
    assert len([line for line in keyring.search() if line.startswith("attribute.type = session")]) == 1


def test_a_failed_second_login_leaves_the_first_alone(signed_in, oauthctl, keyring):
    before = keyring.item()
    signed_in.on("token", faults.error("invalid_grant"))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code != 0
    assert keyring.item() == before


def test_the_stored_item_has_stable_attributes_a_readable_label_and_no_secret_in_them(signed_in, oauthctl, keyring):
    shown = "\n".join(keyring.search())
    for line in ("application = oauthctl", "type = session", "provider = acme", "account = default"):
        assert "attribute." + line in shown
    assert re.search(r"label = .*acme", shown)
    assert not [secret for secret in signed_in.secrets if secret in shown]


def test_the_item_holds_what_a_refresh_needs(signed_in, oauthctl, keyring):
    item = json.loads(keyring.item())
    text = json.dumps(item).replace("\\/", "/")
    assert signed_in.base + "/token" in text and "cli" in text and "rt-" in text


def test_a_16_KiB_token_goes_through_everything(acme, oauthctl):
    acme.token_size = 12288  # bytes, 16 KiB in base64
    oauthctl.login()
    token = oauthctl.token()
    assert len(token) > 16384 and acme.works(token)
    assert acme.works(oauthctl.token("acme", "--force-refresh"))


def test_no_pkce_is_said_by_the_user_alone(acme, oauthctl):
    acme.clients["cli"].pkce = False
    oauthctl.login("acme", "--no-pkce")
    assert "code_challenge" not in acme.sent("authorization")[0].query
    assert "code_verifier" not in acme.sent("token")[0].form


def test_no_pkce_is_warned_of_and_not_kept_with_the_provider(acme, oauthctl, keyring):
    acme.clients["cli"].pkce = False
    for options in (("--no-pkce",), ()):  # the second time since the first login was so
        done = oauthctl.login("acme", *options)
        assert "oauthctl: warning: without PKCE the code is not protected" in done.err
        assert "pkce" not in keyring.session()["provider"]


def test_offline_access_is_asked_for_with_consent(acme, oauthctl):
    """OpenID Connect Core section 11: without it a server must not give a refresh token."""
    oauthctl.write_provider(acme.provider(issuer=acme.issuer))
    asked = []
    for options in (("--scope", "openid offline_access"), ("--scope", "openid offline_access", "--prompt", "login"), ("--scope", "openid")):
        done = oauthctl("login", "acme", "--print-url", *options)
        asked.append(loopback.parameters(done.out.split()[0]).get("prompt"))
    assert asked == ["consent", "login", None]


@pytest.mark.parametrize("header", ["Host=evil.example", "authorization=Basic x", "Cookie=a", "Accept=text/html"])
def test_a_header_of_oauthctls_own_is_refused(acme, oauthctl, header):
    done = oauthctl("login", "acme", "--header", header)
    assert done.code == 64 and header.partition("=")[0] in done.err and acme.requests == []


def test_a_login_without_a_refresh_token_works_until_it_expires(acme, oauthctl):
    acme.gives_refresh_token = False
    oauthctl.login()
    assert acme.works(oauthctl.token())
    assert oauthctl.state()["refreshable"] is False
    done = oauthctl("token", "acme", "--min-valid", "2h")
    assert done.code == 77 and "oauthctl login acme" in done.err


@pytest.mark.parametrize("fault, code", [
    (faults.error("server_error", 503), 75),
    (faults.html(403), 75),
    (faults.drop(), 75),
    (faults.error("invalid_grant"), 77),
    (faults.error("invalid_client", 401), 78),
    (faults.error("invalid_scope"), 78),
    (faults.answer(200, {}), 76),
    (faults.redirect("/page"), 76),
], ids=["503", "html", "dropped", "invalid-grant", "invalid-client", "invalid-scope", "no-token", "redirect"])  # fmt: skip
def test_a_failed_exchange_ends_with_its_code_and_stores_nothing(acme, oauthctl, keyring, fault, code):
    acme.on("token", fault.forever())
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert (done.code, done.out) == (code, "")
    assert "oauthctl: error: " in done.err
    assert keyring.item() is None
    assert acme.count("token") == 1, "a code was sent twice"
    assert acme.count("page") == 0, "a redirect of a POST was followed"


def test_nothing_is_exchanged_before_the_callback(acme, oauthctl):
    flow = oauthctl.start("login", "acme", "--no-browser")
    location = acme.approve(flow.url())
    assert acme.count("token") == 0 and flow.alive
    loopback.get(location)
    assert flow.wait().code == 0


def test_login_to_an_unknown_provider_suggests_the_right_one(acme, oauthctl):
    done = oauthctl("login", "acmee")
    assert done.code == 78
    assert "did you mean" in done.err and "acme" in done.err


def test_a_scope_that_was_not_granted_is_told(acme, oauthctl):
    acme.on("token", faults.edit(scope="read"))
    oauthctl.login()
    assert oauthctl.state()["scope"] == ["read"]
