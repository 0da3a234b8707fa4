"""A login that is stored in two collections, of which one is locked."""

import json
import pathlib
import time

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture
def other(keyring):
    """A second collection with a copy of an item in it: made, locked, unlocked."""

    class Other:
        def make(self, secret, provider="acme", account="default"):
            words = keyring.attributes("session", provider, account)
            attributes = dict(zip(words[::2], words[1::2]), **{"xdg:schema": "org.oauthctl.Session"})
            item = json.dumps({"attributes": attributes, "label": "copy", "secret": secret.decode()}) + "\n"
            done = keyring.run("/usr/bin/python3", str(HERE / "second_collection.py"), "pw", stdin=item.encode())
            self.path = done.stdout.decode().strip()

        def lock(self):
            keyring.run(
                "gdbus", "call", "--session", "--dest", "org.freedesktop.secrets", "--object-path",
                "/org/freedesktop/secrets", "--method", "org.freedesktop.Secret.Service.Lock", f"['{self.path}']")

        def unlock(self):
            keyring.run("/usr/bin/python3", str(HERE / "second_collection.py"), "--unlock", "pw", self.path)

    return Other()


def test_an_older_copy_in_an_open_collection_is_not_spent_while_a_locked_one_may_be_newer(expired, oauthctl, keyring, other):
    """The newest grant is in a locked collection (a refresh found the login keyring locked and put it there); the stale
    one is in sight. Sending it is a reuse: the server ends the family, the newest grant with it."""
    stale = keyring.item()
    oauthctl.token("acme", "--force-refresh")
    newest = keyring.item()
    keyring.put(stale)
    time.sleep(1.1)  # items tell their age in seconds
    other.make(newest)
    other.lock()
    done = oauthctl("refresh", "acme")
    other.unlock()
    assert expired.works(oauthctl.token()), f"the refresh that said {done.code} {done.err!r} has ended the login"


def test_a_new_login_is_not_shadowed_by_a_copy_that_was_locked_when_it_was_made(signed_in, oauthctl, keyring, other):
    """The copy has the higher generation, but it is of the login before."""
    for _ in range(6):
        assert oauthctl("refresh", "acme").code == 0
    other.make(keyring.item())
    other.lock()
    assert oauthctl("revoke", "acme", "--local").code in (0, 69)
    signed_in.rotation = "rotate"
    oauthctl.login()
    token = oauthctl.token()
    other.unlock()
    assert oauthctl.token() == token, "the copy of the former login is used"


def test_a_new_login_is_not_healed_away_for_a_copy_of_the_former_one(signed_in, oauthctl, keyring, other):
    """The copy was refreshed often while the login keyring was locked, so its generation is higher; then the person
    logged in anew. The generation counts one grant's saves and does not tell which of two grants is the newer."""
    former = json.loads(keyring.item())
    other.make(json.dumps({**former, "generation": 40}).encode())
    other.lock()
    oauthctl.login()
    newest = json.loads(keyring.item())["tokens"]["refresh_token"]
    other.unlock()
    signed_in.grants[0].revoked = True  # as a server does that gives one grant a client
    oauthctl("refresh", "acme")
    assert oauthctl("refresh", "acme").code == 0, "the login is lost"
    assert newest in signed_in.grants[1].spent, "the new login was never used"


def test_the_hint_for_a_login_in_another_locked_collection_helps(signed_in, oauthctl, keyring, other, secret_file):
    """The default collection is open and `unlock` says so; what is locked is where the login is."""
    oauthctl.login("acme/second")
    other.make(keyring.item(account="second"), account="second")
    other.lock()
    keyring.run("secret-tool", "clear", *keyring.attributes("session", "acme", "second"))
    done = oauthctl("token", "acme/second")
    assert done.code == 69, done
    unlocked = oauthctl("unlock", "--password-file", secret_file("pw"))
    assert "unlocked already" not in unlocked.err or "Other" in done.err, (
        f"{done.err!r} leads to {unlocked.err!r}")


def test_unlock_in_several_shells_makes_one_keyring(make_session, make_oauthctl, secret_file):
    """On a new machine: a boot script and somebody over SSH. Of several keyrings only the default one is unlocked by
    `unlock` after the next start; a login in another is out of reach."""
    session = make_session("empty")
    oauthctl = make_oauthctl(session)
    make_oauthctl.secrets.add("fresh word")
    file = secret_file("fresh word")
    running = [oauthctl.start("unlock", "--password-file", file) for _ in range(4)]
    assert [one.wait().code for one in running] == [0] * 4
    made = session.run(
        "gdbus", "call", "--session", "-d", "org.freedesktop.secrets", "-o", "/org/freedesktop/secrets", "-m",
        "org.freedesktop.DBus.Properties.Get", "org.freedesktop.Secret.Service", "Collections").stdout.decode()
    assert made.count("/collection/") == 2, made  # the session's own is one
