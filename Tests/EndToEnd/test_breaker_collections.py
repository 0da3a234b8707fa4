"""A login that is stored in two collections, of which one is locked."""

import json
import pathlib
import sys

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


def test_a_new_login_over_a_locked_copy_survives_the_healing(signed_in, oauthctl, keyring, other):
    """Without a revoke: the login keyring had a newer generation than the locked one at no time."""
    old = json.loads(keyring.item())
    other.make(json.dumps({**old, "generation": 40}).encode())
    other.lock()
    oauthctl.login()
    fresh = keyring.item()
    other.unlock()
    for grant in signed_in.grants[:-1] if hasattr(signed_in, "grants") else []:
        grant.revoked = True
    done = oauthctl("refresh", "acme")
    left = json.loads(keyring.item() or b"{}").get("tokens", {}).get("refresh_token")
    assert signed_in.works(oauthctl("token", "acme").out.strip()), f"{done} left {left == json.loads(fresh)['tokens']['refresh_token']}"
