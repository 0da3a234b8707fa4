"""The JWT bearer grant (RFC 7523) and token exchange (RFC 8693)."""

import json
import time

import pytest

import jose
from direct_grants import EXCHANGE, JWT_BEARER, TOKEN_TYPES

ACCESS, JWT_TYPE = TOKEN_TYPES[0], TOKEN_TYPES[5]


@pytest.fixture
def google(server, oauthctl):
    """A user's provider file by that name, whose token endpoint is the test's server."""
    oauthctl.write_provider(server.provider("google", client_id=None, scopes=["read"]))
    return server


@pytest.mark.parametrize("kind", ["RSA", "P-256"])
def test_a_service_accounts_key_file_just_works(google, oauthctl, service_account, kind, keyring):
    account = service_account(kind)
    google.expires_in = 0
    done = oauthctl("login", "google", "--flow", "jwt-bearer", "--assertion-file", account.file)
    assert done.code == 0 and "log in again" not in done.err, done
    assert oauthctl.state("google")["refreshable"] is True
    google.expires_in = 3600
    token = oauthctl.token("google")
    assert google.works(token) and oauthctl.token("google") == token
    (first, second), requests = google.direct.assertions, google.sent("token")
    assert first["iss"] == "robot@project.example" and "sub" not in first and first["scope"] == "read" and first["aud"] == google.endpoint("/token")
    assert first["jti"] != second["jti"] and 0 < first["exp"] - first["iat"] <= 3600
    assert {frozenset(r.form) for r in requests} == {frozenset({"grant_type", "assertion"})}, "its scope is in the assertion"
    assert jose.parse(requests[0].form["assertion"])[0]["kid"] == "sa-1"
    stored = json.loads(keyring.item("google"))
    assert stored["grant"]["assertion"]["issuer"] == "robot@project.example"


def test_the_key_file_may_go_once_it_was_read(google, oauthctl, service_account):
    with open(service_account().file) as file:
        content = file.read()
    done = oauthctl("login", "google", "--assertion-file", "-", stdin=content)
    assert done.code == 0 and oauthctl("refresh", "google").code == 0, done


def test_a_service_account_in_the_name_of_a_person(google, oauthctl, service_account):
    done = oauthctl(
        "login", "google", "--assertion-file", service_account().file, "--assertion-subject", "ann@project.example",
        "--scope", "write")
    assert done.code == 0, done
    assert google.direct.assertions[0]["sub"] == "ann@project.example" and google.direct.assertions[0]["scope"] == "write"


@pytest.mark.parametrize("changes, words", [
    ({"type": "authorized_user"}, "authorized_user"), ({"client_email": None}, "client_email"),
    ({"private_key": None}, "private_key"), ({"private_key": "-----BEGIN NONSENSE-----"}, "secret-"),
    ({"token_uri": "http://evil.example/"}, "token_uri"),
], ids=["another type", "no address", "no key", "a broken key", "a plain address"])  # fmt: skip
def test_a_key_file_that_cannot_be_used_says_why(google, oauthctl, service_account, keyring, changes, words):
    done = oauthctl("login", "google", "--assertion-file", service_account(**changes).file)
    assert done.code == 78 and words in done.err, done
    assert google.count("token") == 0 and keyring.item("google") is None


def test_a_key_that_the_server_does_not_know_is_refused(google, oauthctl, service_account, keyring):
    account = service_account()
    google.direct.issuers["robot@project.example"] = jose.key("RSA", 1, id="sa-1")
    done = oauthctl("login", "google", "--assertion-file", account.file)
    google.expect_violation("no key of 1 verifies")
    assert done.code == 77 and keyring.item("google") is None


@pytest.fixture
def robot(acme):
    """`acme` takes assertions of robot@x; the function signs one."""
    key = jose.key("P-256", id="robot-1")
    acme.direct.grant_types.add(JWT_BEARER)
    acme.direct.issuers["robot@x"] = key

    def sign(**bend):
        now = int(time.time())
        return jose.sign({
            "iss": "robot@x", "sub": "robot@x", "aud": acme.endpoint("/token"), "iat": now, "exp": now + 300, **bend}, key)

    return sign


def test_an_assertion_of_somebody_else_is_good_once(acme, robot, oauthctl, secret_file):
    acme.expires_in = 0
    done = oauthctl("login", "acme", "--assertion-file", secret_file(robot() + "\n"))
    assert done.code == 0 and "log in again" in done.err, done
    assert acme.sent("token")[0].form["scope"] == "read write"
    assert oauthctl.state()["refreshable"] is False and oauthctl("token", "acme").code == 77


def test_an_assertion_without_a_client(server, oauthctl, secret_file):
    key = jose.key("RSA", id="robot-1")
    server.direct.grant_types.add(JWT_BEARER)
    server.direct.issuers["robot@x"] = key
    oauthctl.write_provider(server.provider(client_id=None, scopes=["read"]))
    now = int(time.time())
    assertion = jose.sign(
        {"iss": "robot@x", "sub": "robot@x", "aud": server.endpoint("/token"), "iat": now, "exp": now + 300}, key)
    assert oauthctl("login", "acme", "--assertion-file", secret_file(assertion)).code == 0
    assert set(server.sent("token")[0].form) == {"grant_type", "assertion", "scope"}
    assert server.works(oauthctl.token())


def test_an_assertion_that_has_ended_is_refused(acme, robot, oauthctl, secret_file, keyring):
    done = oauthctl("login", "acme", "--assertion-file", secret_file(robot(exp=int(time.time()) - 5)))
    acme.expect_violation("exp is")
    assert done.code == 77 and keyring.item() is None


def test_what_is_no_assertion_is_not_sent(acme, oauthctl, secret_file):
    done = oauthctl("login", "acme", "--assertion-file", secret_file("my dog's name"))
    assert done.code == 78 and "no JWT" in done.err and "dog" not in done.err and acme.count("token") == 0


@pytest.mark.parametrize("form", ["pem", "jwk"])
def test_a_private_key_signs_an_assertion_each_time(acme, oauthctl, make_key, form):
    made = make_key("P-256", form=form, id="robot-1" if form == "jwk" else None)
    acme.direct.grant_types.add(JWT_BEARER)
    acme.direct.issuers["robot@x"] = made.jwk
    acme.direct.assertion_audiences = ["https://as.acme.example"]
    done = oauthctl(
        "login", "acme", "--flow", "jwt-bearer", "--private-key-file", made.file, "--assertion-issuer", "robot@x",
        "--assertion-subject", "ann", "--audience", "https://as.acme.example")
    assert done.code == 0, done
    assert oauthctl("refresh", "acme").code == 0
    assert [claims["sub"] for claims in acme.direct.assertions] == ["ann", "ann"]
    assert "audience" not in acme.sent("token")[0].form and acme.sent("token")[1].form["scope"] == "read write"
    assert "client_assertion" not in acme.sent("token")[0].form, "it is the grant that the key signs"


def test_a_key_from_standard_input_is_read_once(acme, oauthctl, make_key):
    made = make_key("P-256")
    acme.direct.grant_types.add(JWT_BEARER)
    acme.direct.issuers["robot@x"] = {k: v for k, v in made.jwk.items() if k != "kid"}
    with open(made.file) as file:
        content = file.read()
    done = oauthctl(
        "login", "acme", "--flow", "jwt-bearer", "--private-key-file", "-", "--assertion-issuer", "robot@x", stdin=content)
    assert done.code == 0, done


@pytest.mark.parametrize("options, words", [
    ((), "--assertion-file"), (("--private-key-file", "KEY"), "--assertion-issuer"),
    (("--private-key-file", "KEY", "--assertion-file", "KEY"), "exclude"),
], ids=["nothing", "no issuer", "both"])  # fmt: skip
def test_what_an_assertion_needs_is_said(acme, oauthctl, make_key, options, words):
    file = make_key("P-256").file
    done = oauthctl("login", "acme", "--flow", "jwt-bearer", *[file if word == "KEY" else word for word in options])
    assert done.code == 64 and words in done.err, done


# Token exchange --------------------------------------------------------------------------------------------------------


@pytest.fixture
def exchange(acme, oauthctl, secret_file):
    """Exchanges the token `subject`; gives the result."""
    acme.direct.grant_types.add(EXCHANGE)
    acme.direct.subject_tokens.update({"subject-token-1": ACCESS, "actor-token-1": JWT_TYPE})
    acme.secrets |= {"subject-token-1", "actor-token-1"}

    def run(*options, subject="subject-token-1"):
        return oauthctl("login", "acme", "--subject-token-file", secret_file(subject), *options)

    return run


def test_a_token_is_exchanged(acme, exchange, oauthctl):
    done = exchange()
    assert done.code == 0, done
    form = acme.sent("token")[0].form
    assert form["subject_token"] == "subject-token-1" and form["subject_token_type"] == ACCESS
    assert form["scope"] == "read write" and "actor_token" not in form
    assert acme.works(oauthctl.token()) and oauthctl.state()["refreshable"] is False
    assert oauthctl("token", "acme", "--field", "issued_token_type").out == ACCESS + "\n"


def test_who_acts_and_what_for_can_be_said(acme, exchange, secret_file):
    acme.targets.audiences, acme.targets.resources = ["api"], ["https://a.example/"]
    done = exchange(
        "--flow", "token-exchange", "--actor-token-file", secret_file("actor-token-1"), "--actor-token-type", "jwt",
        "--requested-token-type", "access_token", "--audience", "api", "--resource", "https://a.example/", "--scope", "read")
    assert done.code == 0, done
    form = acme.sent("token")[0].form
    assert form["actor_token_type"] == JWT_TYPE and form["requested_token_type"] == ACCESS
    assert form["audience"] == "api" and form["resource"] == "https://a.example/" and form["scope"] == "read"


def test_a_subject_of_another_type(acme, exchange):
    assert exchange("--subject-token-type", JWT_TYPE, subject="actor-token-1").code == 0
    assert exchange("--subject-token-type", "id-token", subject="actor-token-1").code == 77


def test_a_subject_that_is_refused(exchange, keyring):
    done = exchange(subject="unknown")
    assert done.code == 77 and "the subject_token is not accepted" in done.err and keyring.item() is None


def test_another_type_than_the_one_asked_for_is_a_breach_of_the_protocol(acme, exchange, keyring):
    acme.direct.issued_token_type = TOKEN_TYPES[3]
    done = exchange("--requested-token-type", "access_token")
    assert done.code == 76 and "issued_token_type" in done.err and keyring.item() is None, done


def test_a_token_that_is_not_for_access_has_no_place_in_a_header(acme, exchange, oauthctl):
    acme.direct.issued_token_type = TOKEN_TYPES[3]
    acme.direct.exchange_changes = {"token_type": "N_A"}
    assert exchange("--requested-token-type", "saml1").code == 0
    assert oauthctl.token()
    assert oauthctl("token", "acme", "--json").json["token_type"] == "N_A"
    done = oauthctl("token", "acme", "--format", "header")
    assert (done.code, done.out) == (78, "") and "N_A" in done.err and "--format raw" in done.err
    done = oauthctl("token", "acme", "--format", "header", "--url", "https://api.example/")
    assert (done.code, done.out) == (78, "")


@pytest.mark.parametrize("options, words", [
    (("--subject-token-type", "nonsense"), "nonsense"), (("--actor-token-type", "jwt"), "--actor-token-file"),
    (("--requested-token-type", ""), "--requested-token-type"),
], ids=["type", "actor", "empty"])  # fmt: skip
def test_nonsense_is_a_usage_error(acme, exchange, options, words):
    done = exchange(*options)
    assert done.code == 64 and words in done.err and acme.count("token") == 0, done
