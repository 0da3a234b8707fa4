"""Grants without a browser: client credentials, a password, and those that only one provider has."""

import json

import pytest

import faults

SECRET = {"OAUTHCTL_ACME_CLIENT_SECRET": "svc-secret-7"}


@pytest.fixture
def service(server, oauthctl):
    """`acme` as the provider of a client that speaks for itself."""
    server.add_client(id="svc", secret="svc-secret-7", auth="basic")
    server.direct.grant_types.add("client_credentials")
    oauthctl.write_provider(server.provider(client_id="svc", client_auth="basic"))
    oauthctl.env.update(SECRET)

    def login(*options):
        done = oauthctl("login", "acme", "--flow", "client-credentials", *options)
        assert done.code == 0, done
        return done

    return login


def test_a_parameter_that_is_given_twice_is_sent_twice(server, service, oauthctl):
    options = ("--token-param", "x=1", "--token-param", "x=2")
    service(*options)
    assert oauthctl("refresh", "acme").code == 0
    service()  # as in the former login
    for request in server.sent("token"):
        assert [value for name, value in request.pairs if name == "x"] == ["1", "2"]
    assert server.count("token") == 3
    # RFC 6749 section 3.2 forbids it, and RFC 8693 has names that may be there twice: whoever writes it means it
    server.expect_violation("the parameter x is there twice")


def test_client_credentials_are_redeemed_again(server, service, oauthctl, keyring):
    server.expires_in = 0
    done = service("--json")
    assert done.json["scope"] == ["read", "write"] and "log in again" not in done.err
    entry = oauthctl.state()
    assert entry["refreshable"] is True and entry["state"] == "expired", entry
    server.expires_in = 3600
    token = oauthctl.token()
    assert server.works(token) and oauthctl.token() == token and server.count("token") == 2
    assert oauthctl("refresh", "acme").code == 0 and oauthctl.token() != token
    assert [r.form for r in server.sent("token")] == [{"grant_type": "client_credentials", "scope": "read write"}] * 3
    stored = keyring.session()
    assert "refresh_token" not in stored["tokens"] and "pending_refresh" not in stored
    assert oauthctl("refresh", "--all", "--json").lines[0]["result"] == "ok"


def test_a_refresh_token_for_a_client_itself_is_not_kept(server, service, oauthctl, keyring):
    server.direct.client_gets_refresh_token = True
    service()
    assert oauthctl("refresh", "acme").code == 0 and server.count("refresh") == 0
    assert b"refresh_token" not in keyring.item()


def test_a_client_asks_for_no_person(server, service, oauthctl):
    oauthctl.write_provider(server.provider(
        client_id="svc", client_auth="basic", scopes=["openid", "email", "offline_access", "read"]))
    service()
    service("--scope", "openid write")
    assert [r.form["scope"] for r in server.sent("token")] == ["read", "openid write"]


def test_the_secret_comes_from_the_keyring_without_the_environment(server, service, oauthctl, secret_file):
    service()
    oauthctl.env.pop("OAUTHCTL_ACME_CLIENT_SECRET")
    assert oauthctl("refresh", "acme").code == 0


def test_the_providers_word_on_a_person_is_not_to_be_had_for_a_client(server, service, oauthctl):
    service()
    server.on("userinfo", faults.error("insufficient_scope", 403))
    done = oauthctl("inspect", "acme", "--userinfo")
    assert done.code == 78 and "its client's own" in done.err and "hint: leave --userinfo out" in done.err, done


def test_a_parallel_crowd_redeems_once(server, service, oauthctl):
    server.expires_in = 0
    service()
    server.expires_in = 3600
    results = [one.wait() for one in [oauthctl.start("token", "acme") for _ in range(8)]]
    assert {result.code for result in results} == {0} and len({result.out for result in results}) == 1
    assert server.count("token") == 2


def test_parameters_and_resources_go_along_each_time(server, service, oauthctl):
    server.targets.audiences, server.targets.resources = ["api"], ["https://a.example/"]
    service("--audience", "api", "--resource", "https://a.example/", "--token-param", "tenant=t-1")
    assert oauthctl("refresh", "acme").code == 0
    first, second = [r.form for r in server.sent("token")]
    assert first == second and first["audience"] == "api" and first["tenant"] == "t-1"
    assert first["resource"] == "https://a.example/"


def test_a_further_token_for_less(server, service, oauthctl):
    service()
    narrow = oauthctl.token("acme", "--scope", "read")
    assert server.issued[narrow].scope == "read" and oauthctl.token("acme", "--scope", "read") == narrow
    assert oauthctl.token() != narrow and server.count("token") == 2


def test_a_grant_that_is_refused_once_is_not_sent_again(server, service, oauthctl):
    server.expires_in = 0
    service()
    server.on("token", faults.error("invalid_grant"))
    done = oauthctl("token", "acme")
    assert done.code == 77 and "oauthctl login acme" in done.err
    assert oauthctl.state()["state"] == "refused"
    assert oauthctl("token", "acme").code == 77 and oauthctl("refresh", "--all").code == 77
    assert server.count("token") == 2
    server.expires_in = 3600
    service()
    assert oauthctl.state()["state"] == "valid"


@pytest.mark.parametrize("fault, code", [
    (faults.html(503), 75), (faults.error("invalid_client", 401), 78), (faults.answer(200, {}), 76),
], ids=["out of order", "another secret", "nonsense"])  # fmt: skip
def test_a_failure_leaves_the_grant(server, service, oauthctl, fault, code):
    server.expires_in = 0
    service()
    server.on("token", fault)
    assert oauthctl("token", "acme").code == code
    server.expires_in = 3600
    assert server.works(oauthctl.token("acme", "--force-refresh"))


def test_a_script_is_told_that_the_secret_is_missing(server, service, oauthctl, keyring):
    oauthctl.env.pop("OAUTHCTL_ACME_CLIENT_SECRET")
    oauthctl.write_provider(server.provider(client_id="svc"))
    done = oauthctl("login", "acme", "--flow", "client-credentials")
    assert done.code == 78 and "--client-secret-file" in done.err
    assert server.count("token") == 0 and keyring.item() is None


def test_a_person_is_asked_for_the_secret(server, service, oauthctl, terminal):
    oauthctl.env.pop("OAUTHCTL_ACME_CLIENT_SECRET")
    oauthctl.write_provider(server.provider(client_id="svc"))
    shown = terminal("login", "acme", "--flow", "client-credentials")
    shown.expect("client secret: ")
    shown.wait_for_no_echo()
    shown.send("svc-secret-7\n")
    assert shown.wait() == 0 and "svc-secret-7" not in shown.seen
    assert oauthctl("refresh", "acme").code == 0


def test_the_tokens_of_a_client_are_revoked(server, service, oauthctl):
    service()
    token = oauthctl.token()
    assert oauthctl("revoke", "acme").code == 0 and not server.works(token)
    assert oauthctl("token", "acme").code == 77


def test_a_grant_that_the_server_does_not_have(acme, oauthctl):
    acme.device.enabled = True
    acme.add_client(id="svc", secret="svc-secret-7", auth="basic")
    oauthctl.write_provider({"name": "acme", "issuer": acme.issuer, "client_id": "svc", "client_auth": "basic"})
    done = oauthctl("login", "acme", "--flow", "client-credentials", "--json", env=SECRET)
    acme.expect_violation("grant_type is 'client_credentials'")
    assert done.code == 78 and done.error["server"]["error"] == "unsupported_grant_type"
    assert "oauthctl login acme --flow code" in done.error["hint"] and "device" in done.error["hint"]


# A person's password ---------------------------------------------------------------------------------------------------


@pytest.fixture
def person(acme, make_oauthctl):
    acme.direct.grant_types.add("password")
    acme.direct.passwords["alice"] = "hunter2 horse"
    acme.secrets.add("hunter2 horse")
    return ("login", "acme", "--flow", "password")


def test_a_password_is_typed_unseen_and_not_kept(acme, person, oauthctl, terminal, keyring):
    shown = terminal(*person)
    shown.expect("user name: ")
    shown.send("alice\n")
    shown.expect("password: ")
    shown.wait_for_no_echo()
    shown.send("hunter2 horse\n")
    assert shown.wait() == 0
    shown.assert_modes_restored()
    assert "hunter2" not in shown.seen and b"hunter2" not in keyring.item()
    assert acme.sent("token")[0].form == {
        "grant_type": "password", "username": "alice", "password": "hunter2 horse", "client_id": "cli", "scope": "read write"}
    assert oauthctl.state()["refreshable"] is True
    assert oauthctl("refresh", "acme").code == 0 and acme.count("refresh") == 1


def test_a_password_from_a_file(acme, person, oauthctl, secret_file, keyring):
    done = oauthctl(*person[:2], "--username", "alice", "--password-file", secret_file("hunter2 horse\n"))
    assert done.code == 0 and acme.works(oauthctl.token()), done
    assert b"hunter2" not in keyring.item()


def test_a_password_from_standard_input(acme, person, oauthctl):
    assert oauthctl(*person, "--username", "alice", "--password-file", "-", stdin="hunter2 horse\n").code == 0


def test_a_wrong_password_is_refused(acme, person, oauthctl, keyring):
    done = oauthctl(*person, "--username", "alice", "--password-file", "-", stdin="hunter3\n")
    assert done.code == 77 and "wrong user name or password" in done.err and "hunter3" not in done.err
    assert "check the user name and the password" in done.err and "'oauthctl login acme --username NAME --password-file FILE'" in done.err
    assert keyring.item() is None


def test_a_login_by_password_without_a_refresh_token_ends(acme, person, oauthctl):
    acme.gives_refresh_token, acme.expires_in = False, 0
    done = oauthctl(*person, "--username", "alice", "--password-file", "-", stdin="hunter2 horse\n")
    assert done.code == 0 and "log in again" in done.err
    done = oauthctl("token", "acme")
    assert done.code == 77 and "oauthctl login acme" in done.err and acme.count("token") == 1


@pytest.mark.parametrize("options, words", [
    ((), "--username"), (("--username", "alice"), "--password-file"),
])  # fmt: skip
def test_a_script_is_told_what_is_missing(acme, person, oauthctl, options, words):
    done = oauthctl(*person, *options)
    assert done.code == 64 and words in done.err


def test_nobody_types_a_password(acme, person, terminal):
    shown = terminal(*person, "--username", "alice")
    shown.expect("password: ")
    shown.wait_for_no_echo()
    shown.send("\x03")
    assert shown.wait(4) == 130
    shown.assert_modes_restored()
    assert acme.count("token") == 0


# Grants of a provider's own --------------------------------------------------------------------------------------------

INSTALLED = "https://oauth.acme.example/grants/installed_client"


def test_a_grant_of_the_providers_own(server, oauthctl):
    server.direct.extensions[INSTALLED] = ("device_id",)
    server.gives_refresh_token, server.expires_in = False, 0
    server.add_client(id="app", secret="", auth="basic")
    oauthctl.write_provider(server.provider(
        client_id="app", quirks={"basic_empty": True},
        grants={"installed_client": {"grant_type": INSTALLED, "params": {"device_id": "DO_NOT_TRACK_THIS_DEVICE"}}}))
    assert oauthctl("login", "acme", "--flow", "installed_client").code == 0
    server.expires_in = 3600
    assert server.works(oauthctl.token())
    first, second = [r.form for r in server.sent("token")]
    assert first == second and first["device_id"] == "DO_NOT_TRACK_THIS_DEVICE" and first["grant_type"] == INSTALLED


def test_a_grant_of_the_providers_own_needs_a_value(server, oauthctl):
    server.direct.extensions["account_credentials"] = ("account_id",)
    server.add_client(id="svc", secret="svc-secret-7", auth="basic")
    oauthctl.write_provider(server.provider(
        client_id="svc", client_auth="basic", scopes=[],
        grants={"account_credentials": {"grant_type": "account_credentials", "params": {"account_id": ""}}}))
    done = oauthctl("login", "acme", "--flow", "account_credentials", env=SECRET)
    assert done.code == 64 and "--token-param account_id=VALUE" in done.err
    done = oauthctl("login", "acme", "--flow", "account_credentials", "--token-param", "account_id=a-1", env=SECRET)
    assert done.code == 0, done
    assert oauthctl("refresh", "acme", env=SECRET).code == 0
    assert [r.form["account_id"] for r in server.sent("token")] == ["a-1", "a-1"]


def test_a_flow_that_nobody_has(acme, oauthctl):
    done = oauthctl("login", "acme", "--flow", "devise")
    assert done.code == 64 and "did you mean 'device'" in done.err


@pytest.mark.parametrize("option", [
    ("--username", "alice"), ("--assertion-file", "x"), ("--subject-token-file", "x"),
], ids=lambda option: option[0])  # fmt: skip
def test_an_option_of_another_grant_is_a_mistake(acme, oauthctl, option):
    done = oauthctl("login", "acme", "--flow", "device", *option)
    assert done.code == 64 and option[0] in done.err and "--flow" in done.err


def test_the_standing_grant_is_told_by_no_answer(server, service, oauthctl):
    service()
    status = oauthctl("status", "acme", "--json").out
    assert "svc-secret-7" not in status + oauthctl("token", "acme", "--json").out
    # its name, and nothing of what it is redeemed with
    assert json.loads(status)[0]["grant"] == "client-credentials"
