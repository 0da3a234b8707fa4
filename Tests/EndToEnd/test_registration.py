"""Clients that register themselves (RFC 7591), the upkeep of what was registered (RFC 7592), and ids that are documents."""

import json
import socket
import time

import pytest

import faults
import jose


@pytest.fixture
def open_server(server):
    """A server at which anybody registers."""
    server.registration.enabled = True
    return server


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def name_of(url):
    """The name that a login by a URL has."""
    return url.partition("://")[2].replace(":", "-").replace("/", "-").strip("-")


def kinds(keyring):
    """What is kept of clients and logins: `client`, `session`."""
    found = (line.partition(" = ")[2] for line in keyring.search() if line.startswith("attribute.type"))
    return sorted(kind for kind in found if kind in ("client", "session"))


def login(oauthctl, *arguments, code=0):
    done = oauthctl("login", *arguments, "--browser", oauthctl.browser())
    assert done.code == code, done
    return done


def redirect_of(server, number=-1):
    return server.sent("authorization")[number].query["redirect_uri"]


def test_a_login_registers_by_itself_and_the_next_one_uses_the_same_client(open_server, oauthctl):
    done = login(oauthctl, open_server.issuer)
    assert f"oauthctl: registered a client at {open_server.issuer}\n" in done.err
    (client,) = open_server.registration.registered.values()
    assert client["token_endpoint_auth_method"] == "none" and client["client_name"] == "oauthctl"
    assert redirect_of(open_server) in client["redirect_uris"]
    name = name_of(open_server.issuer)
    assert oauthctl.token(name)
    # the same port again: nothing is asked of the registration
    assert "registered" not in login(oauthctl, name).err and "registered" not in login(oauthctl, open_server.issuer).err
    assert open_server.count("registration") == 1 and open_server.count("management") == 0
    assert len({redirect_of(open_server, number) for number in range(3)}) == 1
    oauthctl("refresh", name)
    assert open_server.count("refresh") == 1


def test_a_named_provider_registers_too(open_server, oauthctl):
    provider = open_server.provider(issuer=open_server.issuer, client_id=None)
    oauthctl.write_provider(provider)
    login(oauthctl, "acme")
    assert open_server.count("registration") == 1 and oauthctl.token()
    # without metadata, by the endpoint of its file
    plain = open_server.provider("plain", client_id=None)
    plain["endpoints"]["registration"] = open_server.endpoint("/register")
    oauthctl.write_provider(plain)
    login(oauthctl, "plain", "--scope", "read")
    assert open_server.count("registration") == 2 and oauthctl.token("plain")


def test_a_server_without_registration_asks_for_the_client_as_ever(server, oauthctl, secret_file):
    done = login(oauthctl, server.issuer, code=78)
    assert "no client id is known" in done.err and "--client-id" in done.err
    done = login(oauthctl, server.issuer, "--initial-access-token-file", secret_file("iat-1"), code=78)
    assert "registers no clients" in done.err and server.count("registration") == 0


def test_an_initial_access_token_is_asked_for_and_sent(open_server, oauthctl, secret_file):
    open_server.registration.initial_token = "iat-0123456789"
    done = login(oauthctl, open_server.issuer, code=78)
    assert "without an initial access token" in done.err and "--initial-access-token-file FILE" in done.err
    done = login(oauthctl, open_server.issuer, "--initial-access-token-file", secret_file("wrong-token-1"), code=78)
    assert "did not take the initial access token" in done.err and "wrong-token-1" not in done.err
    open_server.expect_violation("initial access token")
    login(oauthctl, open_server.issuer, "--initial-access-token-file", secret_file("iat-0123456789\n"))
    assert oauthctl.token(name_of(open_server.issuer))


def test_a_software_statement_goes_along(open_server, oauthctl, secret_file):
    key = jose.key("P-256", id="publisher")
    open_server.registration.statement_keys, open_server.registration.demands_statement = [key.jwk], True
    done = login(oauthctl, open_server.issuer, code=78)
    assert "invalid_software_statement" in done.err
    open_server.expect_violation("software_statement")
    statement = jose.sign({"iss": "https://publisher.example", "software_id": "sw-1"}, key)
    login(oauthctl, open_server.issuer, "--software-statement-file", secret_file(statement))
    (client,) = open_server.registration.registered.values()
    assert client["software_id"] == "sw-1"


def test_a_server_without_public_clients_gives_a_secret_that_is_used_and_kept_in_the_keyring(open_server, oauthctl, keyring):
    open_server.metadata_changes["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    login(oauthctl, open_server.issuer)
    (client,) = open_server.registration.registered.values()
    assert client["token_endpoint_auth_method"] == "client_secret_post"
    oauthctl("refresh", name_of(open_server.issuer))
    assert open_server.sent("refresh")[0].form["client_secret"] == client["client_secret"]


@pytest.mark.parametrize("rotates", [False, True])
def test_another_redirect_changes_the_registration(open_server, oauthctl, rotates):
    open_server.registration.rotates_token = rotates
    login(oauthctl, open_server.issuer)
    back = f"http://localhost:{free_port()}/back"
    assert "changed the client's registration" in login(oauthctl, open_server.issuer, "--redirect-uri", back).err
    (client,) = open_server.registration.registered.values()
    assert {redirect_of(open_server, 0), back} <= set(client["redirect_uris"])
    # twice: with the token that the first change gave
    login(oauthctl, open_server.issuer, "--redirect-uri", f"http://localhost:{free_port()}/back")
    assert open_server.count("registration") == 1 and open_server.count("management") == 2


def test_where_the_server_changes_nothing_the_client_is_registered_anew_and_the_old_one_is_forgotten(
        open_server, oauthctl, keyring):
    open_server.registration.manages = False
    login(oauthctl, open_server.issuer)
    done = login(oauthctl, open_server.issuer, "--redirect-uri", f"http://localhost:{free_port()}/back")
    assert "registered another client" in done.err and open_server.count("registration") == 2
    assert oauthctl.token(name_of(open_server.issuer))
    assert kinds(keyring) == ["client", "session"]
    login(oauthctl, open_server.issuer)  # neither redirect is lost on the next one


def test_a_secret_that_has_ended_is_said_and_a_login_gets_another(open_server, oauthctl):
    open_server.metadata_changes["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
    open_server.registration.secret_expires_in = 4
    login(oauthctl, open_server.issuer)
    name = name_of(open_server.issuer)
    time.sleep(4)
    for command in ("token", "refresh"):
        done = oauthctl(command, name, *(["--force-refresh"] if command == "token" else []))
        assert done.code == 78 and "ended at" in done.err and f"oauthctl login {name}" in done.err, done
    assert open_server.count("refresh") == 0
    open_server.registration.secret_expires_in = 0
    # the server has no new secret for the old client, so there is a new one
    assert "registered another client" in login(oauthctl, name).err
    assert oauthctl("refresh", name).code == 0 and open_server.count("refresh") == 1
    assert len(open_server.registration.registered) == 1 == len(open_server.registration.deleted)


def test_logout_ends_the_registration(open_server, oauthctl, keyring):
    login(oauthctl, open_server.issuer)
    name = name_of(open_server.issuer)
    done = oauthctl("logout", name, "--forget-client")
    assert done.code == 0 and "ended the registration" in done.err
    assert len(open_server.registration.deleted) == 1 and kinds(keyring) == []
    # and without a login, what is left of an earlier one
    login(oauthctl, open_server.issuer)
    assert oauthctl("logout", name).code == 0 and len(open_server.registration.deleted) == 1
    assert oauthctl("logout", name, "--forget-client").code == 0
    assert len(open_server.registration.deleted) == 2 and kinds(keyring) == []


def test_a_client_that_another_account_needs_stays(open_server, oauthctl):
    login(oauthctl, open_server.issuer)
    name = name_of(open_server.issuer)
    login(oauthctl, name + "/work")
    assert open_server.count("registration") == 1
    done = oauthctl("logout", name + "/default", "--forget-client")
    assert done.code == 0 and f"{name}/work" in done.err and open_server.registration.deleted == []
    assert oauthctl("refresh", name + "/work").code == 0
    assert oauthctl("logout", name + "/work", "--forget-client").code == 0
    assert len(open_server.registration.deleted) == 1


def test_a_registration_that_cannot_be_ended(open_server, oauthctl, keyring):
    login(oauthctl, open_server.issuer)
    name = name_of(open_server.issuer)
    open_server.on("management", faults.html(503))
    done = oauthctl("logout", name, "--forget-client")
    assert done.code == 75 and "still registered" in done.err and "--local" in done.err
    assert kinds(keyring) == ["client"]  # to be tried again
    open_server.on("management", faults.answer(403))
    done = oauthctl("logout", name, "--forget-client")
    assert done.code == 0 and "may still be there" in done.err and kinds(keyring) == []
    login(oauthctl, open_server.issuer)
    requests = len(open_server.requests)
    assert oauthctl("logout", name, "--forget-client", "--local").code == 0
    assert kinds(keyring) == [] and len(open_server.requests) == requests


def test_providers_add_registers_and_keeps_nothing_secret_in_the_file(open_server, oauthctl):
    open_server.metadata_changes["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
    done = oauthctl("providers", "add", "corp", "--issuer", open_server.issuer, "--register")
    assert done.code == 0 and "registered a client" in done.err, done
    (client,) = open_server.registration.registered.values()
    file = json.loads((oauthctl.config / "providers/corp.json").read_text())
    assert file["client_id"] == client["client_id"] and client["client_secret"] not in json.dumps(file)
    login(oauthctl, "corp")
    assert open_server.count("registration") == 1 and oauthctl.token("corp")
    # a fixed redirect, by its own name; the file that is there already is not replaced
    done = oauthctl("providers", "add", "corp", "--issuer", open_server.issuer, "--register")
    assert done.code == 78 and open_server.count("registration") == 1
    fixed = f"http://127.0.0.1:{free_port()}/cb"
    done = oauthctl("providers", "add", open_server.issuer, "--register", "--redirect-uri", fixed)
    assert done.code == 0
    (_, second) = open_server.registration.registered.values()
    assert second["redirect_uris"][0] == fixed
    login(oauthctl, open_server.issuer)
    assert redirect_of(open_server) == fixed and open_server.count("management") == 0


def test_providers_add_without_registration_writes_nothing(server, oauthctl):
    done = oauthctl("providers", "add", "corp", "--issuer", server.issuer, "--register")
    assert done.code == 78 and "registers no clients" in done.err
    assert not (oauthctl.config / "providers/corp.json").exists()
    assert oauthctl("providers", "add", "corp", "--issuer", server.issuer, "--register", "--client-id", "a").code == 64


@pytest.mark.parametrize("fault, code, words", [
    (faults.html(503), 75, "no client can be registered now"), (faults.answer(404), 78, "no client is registered at"),
    (faults.html(200), 76, "no registration"), (faults.error("invalid_client_metadata"), 78, "invalid_client_metadata")])
def test_each_failure_of_a_registration_has_its_code(open_server, oauthctl, keyring, fault, code, words):
    open_server.on("registration", fault.forever())
    done = login(oauthctl, open_server.issuer, code=code)
    assert words in done.err and kinds(keyring) == [] and open_server.count("authorization") == 0


def test_another_redirect_than_was_asked_for_is_not_used(open_server, oauthctl, keyring):
    open_server.registration.reply_changes = {"redirect_uris": ["https://elsewhere.example/"]}
    done = login(oauthctl, open_server.issuer, code=76)
    assert "redirect" in done.err and kinds(keyring) == [] and open_server.count("authorization") == 0
    # nobody would ever end it
    assert open_server.registration.registered == {} and len(open_server.registration.deleted) == 1
    open_server.on("management", faults.html(503))
    done = login(oauthctl, open_server.issuer, code=76)
    name = name_of(open_server.issuer)
    assert "still registered" in done.err and f"'oauthctl logout {name} --forget-client'" in done.err
    assert kinds(keyring) == ["client"] and len(open_server.registration.registered) == 1
    assert oauthctl("logout", name, "--forget-client").code == 0
    assert kinds(keyring) == [] and open_server.registration.registered == {}


def test_a_client_id_that_is_a_document(server, oauthctl):
    document = "https://app.example/client.json"
    done = login(oauthctl, server.issuer, "--client-id", document, code=78)
    assert "does not take the URL" in done.err and server.count("authorization") == 0
    server.authentication.documents[document] = {"redirect_uris": ["http://127.0.0.1/callback"]}
    login(oauthctl, server.issuer, "--client-id", document)
    assert server.sent("token")[0].form["client_id"] == document and oauthctl.token(name_of(server.issuer))
    done = login(oauthctl, server.issuer, "--client-id", "https://app.example/", code=78)
    assert "no path" in done.err


# Glewlwyd compares ports and has no public clients; django-oauth-toolkit has no ID tokens for who registers by itself.
@pytest.mark.parametrize("name, scope", [("glewlwyd", "openid read"), ("dot", "read")])
def test_a_real_server(real_server, oauthctl, keyring, name, scope):
    info = real_server(name)
    browser = oauthctl.real_browser(info)
    issuer = info["issuer"]

    def go(*options):
        done = oauthctl("login", issuer, "--browser", browser, "--scope", scope, *options)
        assert done.code == 0, done
        return done

    assert "registered a client" in go().err
    account = name_of(issuer)
    assert oauthctl.token(account)
    assert "regist" not in go().err.replace(account, "")  # the same port
    assert oauthctl("refresh", account).code == 0
    # a port that it does not know yet
    assert "changed the client's registration" in go("--port", str(free_port())).err
    assert oauthctl.token(account)
    done = oauthctl("logout", account, "--forget-client")
    assert done.code == 0 and "ended the registration" in done.err, done
    assert kinds(keyring) == []
