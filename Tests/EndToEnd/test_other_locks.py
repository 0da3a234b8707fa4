"""Two that know nothing of each other's locks, and must not spend one token or lose one login all the same."""

import json
import pathlib
import shutil

import faults
from faults import Fault


def test_another_runtime_folder_is_no_other_account(expired, oauthctl, keyring):
    """A terminal in a snap has XDG_RUNTIME_DIR=/run/user/UID/snap.NAME; a crontab that exports the bus's address alone has
    none: one keyring, two lock folders. The fresh mark in the item tells the second that the first is at it."""
    other = pathlib.Path(keyring.env["XDG_RUNTIME_DIR"]) / "snap.code"
    other.mkdir(0o700)
    expired.on("refresh", faults.late(0.5))
    first = oauthctl.start("token", "acme")
    expired.wait_for("refresh")
    second = oauthctl("token", "acme", env={"XDG_RUNTIME_DIR": str(other)}, timeout=70)
    assert first.wait().code == 0
    assert second.code in (0, 75), second
    assert oauthctl("refresh", "acme").code == 0, "the login is lost"


def test_a_lock_folder_that_is_replaced_while_held_still_excludes(expired, oauthctl, keyring):
    """Cleaned by a script, or by logind at the end of one session just before the next."""
    expired.on("refresh", faults.late(1))
    first = oauthctl.start("token", "acme")
    expired.wait_for("refresh")
    shutil.rmtree(pathlib.Path(keyring.env["XDG_RUNTIME_DIR"]) / "oauthctl")
    second = oauthctl("token", "acme", timeout=70)
    assert first.wait().code == 0
    assert second.code in (0, 75), second
    assert oauthctl("refresh", "acme").code == 0, "the login is lost"


def test_a_revocation_does_not_delete_a_newer_login(signed_in, oauthctl, keyring):
    """Another machine with the same keyring has logged in while the server was asked."""
    former = keyring.item()
    oauthctl.login()
    newer = keyring.item()
    keyring.put(former)
    signed_in.on("revocation", Fault(lambda reply: (keyring.put(newer), reply)[1], after_work=True))
    oauthctl("revoke", "acme")
    assert keyring.item() == newer, "a login that was not revoked is gone"


def test_a_newer_layout_that_comes_meanwhile_is_told_in_words(signed_in, oauthctl, keyring):
    newer = {**json.loads(keyring.item()), "version": 9}
    newer["generation"] += 5
    text = json.dumps(newer).encode()
    signed_in.on("refresh", Fault(lambda reply: (keyring.put(text), reply)[1], after_work=True))
    done = oauthctl("refresh", "acme")
    assert "newer(" not in done.err and "upgrade oauthctl" in done.err, done.err
    assert done.code == 78
