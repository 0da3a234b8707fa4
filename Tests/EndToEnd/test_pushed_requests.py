"""Requests that are pushed beforehand, signed, or say in detail what they ask for."""

import json
import time

import pytest

import faults
import jose

DETAILS = [{"type": "payment", "amount": "12.50", "actions": ["start"]}]
PUSHED = {"client_id", "request_uri"}


@pytest.fixture
def issuer(server, oauthctl):
    """`acme` as an issuer whose metadata says the rest."""
    def write(**changes):
        oauthctl.write_provider(server.provider(issuer=server.issuer, endpoints=None, **changes))
        return server

    return write


def parameters(server):
    """What the server was asked for, wherever it stood."""
    return dict(server.sent("authorization")[-1].effective)


# Pushed ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["option", "data", "metadata"])
def test_a_request_is_pushed(issuer, oauthctl, how):
    server = issuer(par=True) if how == "data" else issuer()
    server.par.enabled, server.par.required = True, how == "metadata"
    oauthctl.login("acme", *(["--par"] if how == "option" else []), "--param", "x=1")
    assert set(server.sent("authorization")[0].query) == PUSHED and server.sent("par")[0].form["x"] == "1"
    assert server.works(oauthctl.token("acme", "--force-refresh")) and server.count("par") == 1


def test_a_request_is_not_pushed_for_nothing(issuer, oauthctl):
    server = issuer()
    server.par.enabled = True
    oauthctl.login()
    assert server.count("par") == 0


@pytest.mark.parametrize("auth, method", [
    ("basic", "basic"), ("post", "post"), ("secret-jwt", "client-secret-jwt"), ("private-key-jwt", "private-key-jwt")])
def test_a_pushed_request_is_authenticated_as_a_token_request_is(issuer, oauthctl, secret_file, make_key, auth, method):
    secret = "a secret of more than 32 characters"
    key = make_key() if auth == "private-key-jwt" else None
    server = issuer(client_id="web", client_auth=method)
    server.par.enabled = True
    server.add_client(id="web", auth=auth, secret=None if key else secret, key=key and key.key)
    options = ["--private-key-file", key.file] if key else ["--client-secret-file", secret_file(secret)]
    oauthctl.login("acme", "--par", *options)
    assert set(server.sent("authorization")[0].query) == PUSHED


@pytest.mark.parametrize("fault, code, words", [
    (faults.error("invalid_request", error_description="no such thing"), 78, "no such thing"),
    (faults.error("invalid_client", 401), 78, "invalid_client"), (faults.html(503), 75, "503"),
    (faults.edit(request_uri=""), 76, "request_uri"), (faults.answer(201, "rubbish", "text/plain"), 76, "not a"),
    (faults.error("invalid_authorization_details"), 78, "invalid_authorization_details"),
])  # fmt: skip
def test_a_pushed_request_that_fails_opens_no_page(issuer, oauthctl, fault, code, words):
    server = issuer()
    server.par.enabled = True
    server.on("par", fault)
    done = oauthctl("login", "acme", "--par", "--browser", oauthctl.browser())
    assert (done.code, done.out) == (code, "") and words in done.err and "hint: " in done.err, done
    assert server.count("authorization") == 0 and oauthctl("status", "acme").code != 0


def test_a_server_without_pushed_requests_is_told(issuer, oauthctl):
    server = issuer()
    done = oauthctl("login", "acme", "--par", "--browser", oauthctl.browser())
    assert done.code == 78 and "pushed" in done.err and server.count("authorization") == 0


# Signed ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def signer(issuer, make_key):
    """A public client with a key."""
    def make(kind="P-256", form="pem", **changes):
        made = make_key(kind, form, id="k9")
        server = issuer(client_id="web", client_auth="none", **changes)
        server.add_client(id="web", key=made.key)
        server.par.objects = "allowed"
        return server, made.file

    return make


@pytest.mark.parametrize("how", ["option", "data", "metadata"])
@pytest.mark.parametrize("pushed", [False, True], ids=["by value", "pushed"])
def test_a_request_is_signed(signer, oauthctl, how, pushed):
    server, file = signer(request_object=True) if how == "data" else signer()
    server.par.objects = "required" if how == "metadata" else "allowed"
    server.par.enabled = pushed
    server.targets.resources, server.targets.details_types = ["https://api.example/"], ["payment"]
    oauthctl.login(
        "acme", "--private-key-file", file, *(["--sign-request"] if how == "option" else []), *(["--par"] if pushed else []),
        "--resource", "https://api.example/", "--authorization-details", json.dumps(DETAILS), "--max-age", "1h")
    sent = server.sent("par")[0].form if pushed else server.sent("authorization")[0].query
    assert "request" in sent and "state" not in sent and "redirect_uri" not in sent
    claims = jose.parse(sent["request"])[1]
    assert claims["max_age"] == 3600 and claims["authorization_details"] == DETAILS
    assert server.issued[oauthctl.token()].resources == ("https://api.example/",)
    # once given, the key is there for the next login
    oauthctl.login("acme", *(["--sign-request"] if how == "option" else []), *(["--par"] if pushed else []))


@pytest.mark.parametrize("kind, form, algorithm", [("RSA", "jwk", "PS256"), ("RSA", "pem", "RS256"), ("Ed25519", "pem", "EdDSA")])
def test_a_request_is_signed_by_an_algorithm_of_the_metadata(signer, oauthctl, kind, form, algorithm):
    server, file = signer(kind, form)
    server.metadata_changes = {"request_object_signing_alg_values_supported": ["none", algorithm]}
    oauthctl.login("acme", "--sign-request", "--private-key-file", file)
    header = jose.parse(server.sent("authorization")[0].query["request"])[0]
    assert header["alg"] == algorithm and header.get("kid") == ("k9" if form == "jwk" else None)


@pytest.mark.parametrize("required", [False, True])
def test_without_a_key_nothing_is_signed_and_nobody_asked(signer, oauthctl, required):
    server, _ = signer()
    server.par.objects = "required" if required else "allowed"
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), *([] if required else ["--sign-request"]))
    assert done.code == 78 and "--private-key-file FILE" in done.err and server.count("authorization") == 0


def test_a_server_that_takes_no_signed_requests_is_told(signer, oauthctl):
    server, file = signer()
    server.metadata_changes = {"request_parameter_supported": False}
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--sign-request", "--private-key-file", file)
    assert done.code == 78 and "--sign-request" in done.err and server.count("authorization") == 0


# What is asked for -----------------------------------------------------------------------------------------------------

RESOURCES = ("https://api.example/a", "https://api.example/b?x=1&y")


@pytest.mark.parametrize("how", ["options", "data"])
def test_resources_are_named_at_each_step(server, oauthctl, how):
    server.targets.resources, server.targets.demands_resource = list(RESOURCES), True
    oauthctl.write_provider(server.provider(resource=list(RESOURCES) if how == "data" else None))
    oauthctl.login("acme", *([] if how == "data" else ["--resource", RESOURCES[0], "--resource", RESOURCES[1]]))
    assert server.issued[oauthctl.token()].resources == RESOURCES
    assert server.issued[oauthctl.token("acme", "--force-refresh")].resources == RESOURCES


@pytest.mark.parametrize("how", ["option", "data"])
def test_an_audience_is_named_at_each_step(server, oauthctl, how):
    server.targets.audiences = ["api-1"]
    oauthctl.write_provider(server.provider(audience="api-1" if how == "data" else None))
    oauthctl.login("acme", *([] if how == "data" else ["--audience", "api-1"]))
    oauthctl.token("acme", "--force-refresh")
    assert [request.form["audience"] for request in server.sent("token", "refresh")] == ["api-1"] * 2
    assert server.sent("authorization")[0].query["audience"] == "api-1"


@pytest.mark.parametrize("options, code", [
    (["--resource", "https://elsewhere.example/"], 78), (["--resource", "no uri"], 64), (["--resource", "https://a.example/#x"], 64),
    (["--authorization-details", "[]"], 64), (["--authorization-details", "{"], 64),
    (["--authorization-details", '[{"type": "other"}]'], 78),
])  # fmt: skip
def test_what_cannot_be_asked_for_is_told(acme, oauthctl, options, code):
    acme.targets.resources, acme.targets.details_types = list(RESOURCES), ["payment"]
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), *options)
    assert (done.code, done.out) == (code, "") and "hint: " in done.err, done
    assert acme.count("token") == 0


@pytest.mark.parametrize("how", ["json", "file"])
def test_details_are_asked_for_and_told(acme, oauthctl, scratch, how):
    acme.targets.details_types = ["payment"]
    file = scratch / "details.json"
    file.write_text(json.dumps(DETAILS, indent=2) + "\n")
    done = oauthctl.login("acme", "--authorization-details", f"@{file}" if how == "file" else json.dumps(DETAILS))
    assert "warning" not in done.err
    assert acme.issued[oauthctl.token()].details == DETAILS
    assert acme.issued[oauthctl.token("acme", "--force-refresh")].details == DETAILS
    assert json.loads(oauthctl.token("acme", "--field", "authorization_details")) == DETAILS


def test_hints_parameters_and_headers(acme, oauthctl):
    oauthctl.login(
        "acme", "--login-hint", "alice@acme.example", "--prompt", "consent", "--acr-values", "gold silver", "--ui-locales",
        "de-AT en", "--max-age", "90m", "--param", "theme=dark", "--token-param", "device=d 1", "--header", "X-Tenant=t-1")
    query = acme.sent("authorization")[0].query
    assert {name: query[name] for name in ("login_hint", "prompt", "acr_values", "ui_locales", "max_age", "theme")} == {
        "login_hint": "alice@acme.example", "prompt": "consent", "acr_values": "gold silver", "ui_locales": "de-AT en",
        "max_age": "5400", "theme": "dark"}
    oauthctl.token("acme", "--force-refresh")
    token, refresh = acme.sent("token", "refresh")
    assert token.form["device"] == "d 1" and "device" not in refresh.form
    assert token.headers["X-Tenant"] == refresh.headers["X-Tenant"] == "t-1"


@pytest.mark.parametrize("auth_time, code", [(0, 0), (-3600, 76), (None, 76)])
def test_who_logged_in_too_long_ago_is_refused(issuer, oauthctl, auth_time, code):
    server = issuer(scopes=["openid", "read"])
    server.id_token_changes = {"auth_time": None if auth_time is None else int(time.time()) + auth_time}
    done = oauthctl("login", "acme", "--max-age", "10m", "--browser", oauthctl.browser())
    assert done.code == code, done
    if code:
        assert "auth_time" in done.err and "expected" in done.err and oauthctl("status", "acme").code != 0


@pytest.mark.parametrize("steps", [["code"], ["refresh"], ["code", "refresh"]], ids=str)
def test_scopes_are_repeated_where_the_data_says_so(server, oauthctl, steps):
    server.targets.narrows = True  # a refresh may say them
    oauthctl.write_provider(server.provider(quirks={"scope_on": steps}))
    oauthctl.login("acme")
    if "code" in steps:
        server.expect_violation("token: scope has no place here")
    oauthctl.token("acme", "--force-refresh")
    sent = {request.name: request.form.get("scope") for request in server.sent("token", "refresh")}
    assert sent == {"token": "read write" if "code" in steps else None, "refresh": "read write" if "refresh" in steps else None}
