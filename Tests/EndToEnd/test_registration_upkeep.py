"""What servers give of a client, and what they are left with: nothing of either is lost (RFC 7592)."""

import json
import threading

import pytest

import faults
from keyring_faults import Daemons
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
    open_server.on("management", faults.answer(405))
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
