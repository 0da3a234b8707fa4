"""What servers give of a client, and what they are left with: nothing of either is lost (RFC 7592)."""

import json
import signal
import threading

import pytest

import faults
from keyring_faults import Daemons, wait_until
from test_registration import free_port, kinds, login, name_of


@pytest.fixture
def open_server(server):
    """A server at which anybody registers."""
    server.registration.enabled = True
    return server


def acting(act):
    """A fault that keeps the server's reply, and acts before it is sent."""

    def change(reply):
        act()
        return reply

    return faults.Fault(change, after_work=True)


@pytest.fixture
def rotating(open_server):
    """A server at which each change of a registration ends what the client had before."""
    open_server.metadata_changes["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    open_server.registration.rotates_token = open_server.registration.rotates_secret = True
    return open_server


def other_redirect():
    return "--redirect-uri", f"http://localhost:{free_port()}/back"


def test_a_change_that_comes_to_nothing_has_ended_no_login(rotating, oauthctl):
    login(oauthctl, rotating.issuer)
    name = name_of(rotating.issuer)
    (before,) = rotating.registration.registered.values()
    before = before["client_secret"]
    rotating.registration.reply_changes = {"redirect_uris": ["http://127.0.0.1:1/callback"]}
    rotating.on("registration", faults.html(503))
    login(oauthctl, rotating.issuer, *other_redirect(), code=75)
    (client,) = rotating.registration.registered.values()
    assert client["client_secret"] != before
    # with the secret that the change gave, and with its token
    assert oauthctl("refresh", name).code == 0
    assert oauthctl("logout", name, "--forget-client").code == 0
    assert rotating.registration.deleted == [client["client_id"]]


def test_who_interrupts_a_change_ends_no_login_of_the_client(rotating, oauthctl):
    login(oauthctl, rotating.issuer)
    name = name_of(rotating.issuer)
    rotating.on("management", acting(lambda: None))
    rotating.on("management", faults.late(4))
    change = oauthctl.start("login", name, "--browser", oauthctl.browser(), *other_redirect())
    wait_until(lambda: rotating.count("management") == 2, "nothing was changed")
    change.kill(signal.SIGINT)
    assert change.wait(20).code == 130
    assert oauthctl("refresh", name).code == 0


def test_a_keyring_that_is_started_anew_after_a_change_gets_what_it_brought(rotating, oauthctl, keyring):
    login(oauthctl, rotating.issuer)
    daemons = Daemons(keyring)

    def restart():
        daemons.kill("keyring")
        threading.Timer(1, daemons.start_keyring).start()

    try:
        rotating.on("management", acting(restart))
        done = login(oauthctl, rotating.issuer, *other_redirect())
        assert "changed the client's registration" in done.err
        assert oauthctl("refresh", name_of(rotating.issuer)).code == 0
    finally:
        daemons.close()


def test_a_keyring_that_is_locked_meanwhile_leaves_no_client_behind(open_server, oauthctl, keyring):
    open_server.on("registration", acting(keyring.lock))
    done = login(oauthctl, open_server.issuer, code=69)
    assert "locked" in done.err and open_server.count("authorization") == 0
    assert open_server.registration.registered == {} and len(open_server.registration.deleted) == 1


def test_the_second_step_ends_the_client_that_was_replaced(open_server, oauthctl, keyring):
    login(oauthctl, open_server.issuer)
    name = name_of(open_server.issuer)
    (old,) = open_server.registration.registered
    open_server.on("management", faults.answer(405).twice())  # neither read nor changed
    done = oauthctl("login", name, "--print-url", *other_redirect())
    assert done.code == 0 and "registered another client" in done.err, done
    url, id = done.out.splitlines()
    assert oauthctl("refresh", name).code == 0 and open_server.registration.deleted == []
    done = oauthctl("login", "--finish", id, stdin=open_server.approve(url) + "\n")
    assert done.code == 0 and open_server.registration.deleted == [old], done
    assert oauthctl("refresh", name).code == 0 and kinds(keyring) == ["client", "session"]


def test_a_file_names_no_client_that_was_ended(open_server, oauthctl):
    done = oauthctl("providers", "add", "corp", "--issuer", open_server.issuer, "--register", "--json")
    (id,) = open_server.registration.registered
    assert done.json == {"name": "corp", "result": "ok", "client_id": id}
    path = oauthctl.config / "providers/corp.json"
    path.write_text("// ours\n" + path.read_text())
    login(oauthctl, "corp")
    done = oauthctl("logout", "corp", "--forget-client")
    assert done.code == 0 and f"took its id out of {path}" in done.err, done
    text = path.read_text()
    assert text.startswith("// ours\n") and "client_id" not in text
    assert json.loads(text.removeprefix("// ours\n"))["issuer"] == open_server.issuer
    # so that the next login registers another
    login(oauthctl, "corp")
    assert oauthctl.token("corp") and list(open_server.registration.registered) != [id]


def test_a_secret_that_has_ended_and_is_not_repeated_has_the_client_registered_anew(open_server, oauthctl):
    open_server.metadata_changes["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
    open_server.registration.repeats_secret = False
    open_server.registration.secret_expires_in = 30  # too short for a login
    login(oauthctl, open_server.issuer)
    (old,) = open_server.registration.registered
    open_server.registration.secret_expires_in = 0
    login(oauthctl, open_server.issuer)
    assert open_server.registration.deleted == [old]
    assert "registered" not in login(oauthctl, name_of(open_server.issuer)).err


def test_a_client_with_a_key_keeps_it_when_another_account_needs_another_port(open_server, oauthctl, make_key):
    open_server.metadata_changes["token_endpoint_auth_methods_supported"] = ["none", "private_key_jwt"]
    own = make_key("P-256")
    login(oauthctl, open_server.issuer, "--private-key-file", own.file, "--scope", "read")
    name = name_of(open_server.issuer)
    (client,) = open_server.registration.registered.values()
    client["x_of_the_operator"] = "kept"
    done = login(oauthctl, f"{name}/work", "--port", str(free_port()), "--scope", "write")
    assert "changed the client's registration" in done.err
    (client,) = open_server.registration.registered.values()
    assert client["jwks"]["keys"] and client["x_of_the_operator"] == "kept" and len(client["redirect_uris"]) == 3
    assert client["scope"].split() == ["read", "write"]
    for account in ("default", "work"):
        assert oauthctl("refresh", f"{name}/{account}").code == 0


def test_each_grant_gets_a_client_that_is_registered_for_it(open_server, oauthctl):
    open_server.direct.grant_types.add("client_credentials")
    login(oauthctl, open_server.issuer, "--scope", "read")
    name = name_of(open_server.issuer)
    (public,) = open_server.registration.registered
    done = oauthctl("login", f"{name}/robot", "--flow", "client-credentials", "--scope", "read")
    assert done.code == 0 and "registered another client" in done.err, done
    (_, other) = open_server.registration.registered.values()
    assert other["grant_types"] == ["client_credentials"]
    assert oauthctl("refresh", f"{name}/default").code == 0
    open_server.authorization.response_types = ["code", "token", "id_token token"]
    login(oauthctl, name, "--flow", "implicit", "--scope", "read")
    client = open_server.registration.registered[public]
    assert {"implicit", "authorization_code"} <= set(client["grant_types"])
    assert open_server.count("registration") == 2


def test_wider_scopes_and_a_new_key_are_registered(open_server, oauthctl, make_key):
    open_server.metadata_changes["token_endpoint_auth_methods_supported"] = ["none", "private_key_jwt"]
    login(oauthctl, open_server.issuer, "--scope", "read")
    name = name_of(open_server.issuer)
    login(oauthctl, name, "--scope", "read write")
    (client,) = open_server.registration.registered.values()
    assert client["scope"].split() == ["read", "write"] and open_server.count("registration") == 1
    done = login(oauthctl, f"{name}/work", "--private-key-file", make_key("P-256").file)
    assert "registered another client" in done.err
    (_, other) = open_server.registration.registered.values()
    assert other["token_endpoint_auth_method"] == "private_key_jwt"
    for account in ("default", "work"):
        assert oauthctl("refresh", f"{name}/{account}").code == 0


def test_a_client_that_the_server_has_forgotten(open_server, oauthctl):
    open_server.direct.grant_types.add("client_credentials")

    def robot():
        return oauthctl("login", open_server.issuer, "--flow", "client-credentials", "--scope", "read")

    assert robot().code == 0
    (id,) = open_server.registration.registered
    del open_server.registration.registered[id], open_server.clients[id]
    done = robot()
    assert done.code == 78 and id in done.err and f"'oauthctl login {open_server.issuer}'" in done.err, done
    assert open_server.count("registration") == 1
    open_server.expect_violation("client")
    done = robot()
    assert done.code == 0 and "registered another client" in done.err, done
    assert open_server.count("registration") == 2 and "regist" not in robot().err.replace(open_server.issuer, "")


@pytest.mark.parametrize("uri", ["http://evil.example/c", "file:///etc/passwd", 7, "https://127.0.0.1:1/c"])
def test_a_registration_that_is_managed_elsewhere_is_not(open_server, oauthctl, keyring, uri):
    open_server.registration.reply_changes = {"registration_client_uri": uri}
    assert "cannot be changed or ended from here" in login(oauthctl, open_server.issuer).err
    done = oauthctl("logout", name_of(open_server.issuer), "--forget-client")
    assert done.code == 0 and "still registered: the server gave no way" in done.err and kinds(keyring) == []
    assert open_server.count("management") == 0


def test_a_registration_whose_token_is_no_more_is_told_of(open_server, oauthctl, keyring):
    login(oauthctl, open_server.issuer)
    open_server.on("management", faults.answer(401))
    done = oauthctl("logout", name_of(open_server.issuer), "--forget-client")
    assert done.code == 0 and "no longer takes its token" in done.err and kinds(keyring) == []


def test_logins_that_are_begun_share_a_client_and_keep_it(open_server, oauthctl):
    open_server.registration.manages = False
    login(oauthctl, open_server.issuer)
    name = name_of(open_server.issuer)
    back = other_redirect()
    # of another account than the one that is logged out: its own begun logins end with it
    begun = [oauthctl("login", f"{name}/other", "--print-url", *back) for _ in range(2)]
    assert [one.code for one in begun] == [0, 0] and open_server.count("registration") == 2, begun
    (_, id) = open_server.registration.registered
    assert oauthctl("logout", name, "--forget-client").code == 0
    url, first = begun[0].out.splitlines()
    assert id in url
    done = oauthctl("login", "--finish", first, stdin=open_server.approve(url) + "\n")
    assert done.code == 0, done


def test_a_description_that_is_replaced_ends_its_client(open_server, oauthctl):
    add = ["providers", "add", "corp", "--issuer", open_server.issuer, "--register"]
    assert oauthctl(*add).code == 0
    (old,) = open_server.registration.registered
    done = oauthctl(*add, "--force")
    assert done.code == 0 and open_server.registration.deleted == [old], done
    login(oauthctl, "corp")
    (used,) = open_server.registration.registered
    done = oauthctl(*add, "--force")
    assert done.code == 0 and "corp needs it" in done.err and used in open_server.registration.registered, done


def test_what_a_client_says_of_itself_is_the_users_choice(open_server, oauthctl, secret_file):
    login(oauthctl, open_server.issuer, "--client-name", "Ada's laptop")
    (client,) = open_server.registration.registered.values()
    assert client["client_name"] == "Ada's laptop"
    data = open_server.provider(issuer=open_server.issuer, client_id=None)
    data["registration"] = {"client_name": "Acme's", "contacts": ["me@acme.example"]}
    data["headers"] = {"X-Version": "1"}
    oauthctl.write_provider(data)
    login(oauthctl, "acme")
    (_, client) = open_server.registration.registered.values()
    assert client["client_name"] == "Acme's" and client["contacts"] == ["me@acme.example"]
    assert open_server.sent("registration")[1].headers["X-Version"] == "1"
    done = login(oauthctl, "acme", "--initial-access-token-file", secret_file("one\ntwo\n"), code=64)
    assert "--initial-access-token-file" in done.err and "one line" in done.err
