"""Keyrings that are locked, empty, absent or unreachable, and items that are not what they should be."""

import json
import pathlib
import socket
import subprocess
import time

import pytest

import command
import faults
import loopback
from terminal import Terminal


@pytest.fixture
def locked(signed_in, keyring):
    """A login that is stored, and the keyring locked since."""
    keyring.lock()
    return signed_in


@pytest.mark.parametrize("argv", [
    ["token", "acme"], ["refresh", "acme"], ["refresh", "--all"], ["revoke", "acme"], ["token", "acme", "--force-refresh"],
], ids=" ".join)  # fmt: skip
def test_a_locked_keyring_ends_within_five_seconds_and_says_so(locked, oauthctl, argv):
    done = oauthctl(*argv)
    assert (done.code, done.out) == (69, "")
    assert "locked" in done.err and "oauthctl: hint: " in done.err
    assert done.seconds < 5
    assert locked.count("refresh") == locked.count("revocation") == 0


def test_a_keyring_that_was_never_unlocked_is_locked(make_session, make_oauthctl):
    done = make_oauthctl(make_session("locked"))("token", "github")
    assert done.code == 69 and "locked" in done.err and done.seconds < 5


def test_a_locked_keyring_is_found_before_a_login_goes_through_the_browser(server, make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("locked"))
    oauthctl.write_provider(server.provider())
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 69 and "locked" in done.err
    assert server.count("token") == 0, "a code was spent on tokens that cannot be stored"


def test_a_locked_keyring_with_json_gives_an_error_object(locked, oauthctl):
    done = oauthctl("token", "acme", "--json")
    assert done.code == 69 and done.error["code"] == 69 and "locked" in done.error["message"]
    done = oauthctl("refresh", "--all", "--json")
    (line,) = done.lines
    assert done.code == 69 and line["result"]["error"]["code"] == 69


def test_a_keyring_that_is_unlocked_again_has_the_session(make_session, make_oauthctl, server):
    first = make_session("unlocked")
    oauthctl = make_oauthctl(first)
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    token = oauthctl.token()
    first.close()
    locked = make_session("locked")
    assert make_oauthctl(locked)("token", "acme").code == 69
    locked.close()
    assert make_oauthctl(make_session("unlocked")).token() == token


MODES = ["locked", "empty", "no-service", "no-dbus"]


def test_each_state_has_a_message_of_its_own(make_session, make_oauthctl):
    messages = {}
    for mode in MODES:
        oauthctl = make_oauthctl(make_session(mode, home=f"home-{mode}"))
        done = oauthctl("token", "github")
        assert done.out == "" and done.seconds < 5
        assert done.code == (77 if mode == "empty" else 69) or (mode == "empty" and done.code == 69), (mode, done)
        messages[mode] = done.err.splitlines()[0]
    assert len(set(messages.values())) == len(MODES), messages
    assert "locked" in messages["locked"]
    assert "locked" not in messages["empty"] + messages["no-service"] + messages["no-dbus"]
    assert "bus" in messages["no-dbus"]


@pytest.mark.parametrize("mode", ["no-service", "no-dbus"])
def test_help_and_usage_errors_need_no_keyring(make_session, make_oauthctl, mode):
    oauthctl = make_oauthctl(make_session(mode))
    assert oauthctl("--help").code == 0
    assert oauthctl("login", "--help").code == 0
    assert oauthctl("tokn").code == 64


def test_no_command_starts_a_bus_of_its_own(make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("no-dbus"))
    oauthctl("token", "github")
    assert not list(pathlib.Path(oauthctl.env["HOME"]).rglob("session-bus/*"))


def test_a_new_machine_gets_its_keyring_made_or_is_told_how(server, make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("empty"))
    oauthctl.write_provider(server.provider())
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 69 and "oauthctl: hint: " in done.err
    assert server.count("token") == 0


def test_a_bus_that_does_not_answer_is_given_up(make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("no-dbus"))
    path = pathlib.Path(oauthctl.scratch) / "silent"
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        done = oauthctl("token", "github", env={"DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}, timeout=60)
    assert done.code == 69 and done.seconds < 35


CRON = """
mount -t tmpfs tmpfs /run && mkdir -p -m 700 "/run/user/$(id -u)" || exit 99
[ -z "$BUS" ] || ln -s "$BUS" "/run/user/$(id -u)/bus"
exec env -i HOME="$HOME" PATH=/usr/bin:/bin "$@"
"""


def as_cron(oauthctl, *argv, bus=""):
    """`env -i HOME=… PATH=… oauthctl …`, with a /run of its own that holds the user's bus or not."""
    done = subprocess.run(
        ["unshare", "--map-current-user", "--keep-caps", "--mount", "sh", "-c", CRON, "cron", command.BINARY, *argv],
        env={**oauthctl.env, "BUS": bus}, capture_output=True, text=True, timeout=30)
    assert done.returncode != 99, "a mount namespace is needed for this test: " + done.stderr
    oauthctl.remember(argv, command.Result(done.returncode, done.stdout, done.stderr))
    return done


def test_cron_without_a_bus_is_told(make_session, make_oauthctl):
    done = as_cron(make_oauthctl(make_session("no-dbus")), "token", "github")
    assert done.returncode == 69 and "bus" in done.stderr


def test_cron_finds_the_users_bus_in_run_user(signed_in, oauthctl):
    bus = oauthctl.env["DBUS_SESSION_BUS_ADDRESS"].removeprefix("unix:path=").split(",")[0]
    done = as_cron(oauthctl, "token", "acme", bus=bus)
    assert done.returncode == 0 and signed_in.works(done.stdout.strip()), done
    done = as_cron(oauthctl, "refresh", "--all", bus=bus)
    assert done.returncode == 0 and signed_in.count("refresh") == 1, done


def test_a_bus_address_that_is_set_is_never_replaced(signed_in, oauthctl):
    done = oauthctl("token", "acme", env={"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"})
    assert done.code == 69 and "bus" in done.err


def test_a_session_bus_without_a_runtime_folder_works(signed_in, oauthctl):
    done = oauthctl("token", "acme", env={"XDG_RUNTIME_DIR": None})
    assert done.code == 0
    assert oauthctl("token", "acme", "--force-refresh", env={"XDG_RUNTIME_DIR": None}).code == 0


# Items


def test_a_corrupt_item_is_told_and_left(signed_in, oauthctl, keyring):
    for value in (b"{", b"", b"\xff\xfe\x00", b"[]", b"null", b'{"version": 1}', b'"text"', b'{"version": "x"}', b"[" * 8000):
        keyring.put(value)
        for argv in (["token", "acme"], ["refresh", "acme"], ["refresh", "--all"], ["revoke", "acme"]):
            done = oauthctl(*argv)
            assert done.code in (76, 77, 78) and done.out == "", (value[:20], argv, done)
            assert "acme" in done.err
            assert keyring.item() == (value or None) or value == b"", f"{argv} changed the item"
        done = oauthctl("status", "--json")
        assert done.code in (0, 76, 77, 78)


def test_an_item_of_a_newer_version_is_told_and_left(signed_in, oauthctl, keyring):
    value = json.dumps({**json.loads(keyring.item()), "version": 99, "new": {"x": 1}}).encode()
    keyring.put(value)
    for argv in (["token", "acme"], ["refresh", "acme"], ["refresh", "--all"], ["revoke", "acme"]):
        done = oauthctl(*argv)
        assert done.code in (69, 70, 77, 78) and done.code != 70 and done.out == ""
        assert "newer" in done.err
        assert keyring.item() == value, f"{argv} changed the item"


def test_a_newer_item_is_not_replaced_by_a_login(signed_in, oauthctl, keyring):
    value = json.dumps({**json.loads(keyring.item()), "version": 99}).encode()
    keyring.put(value)
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code in (0, 78)  # a login is asked for: both are defensible, a crash or a half is not
    assert done.code == 0 or keyring.item() == value


def test_a_login_replaces_a_corrupt_item(signed_in, oauthctl, keyring):
    keyring.put(b"{")
    oauthctl.login()
    assert signed_in.works(oauthctl.token())


def test_local_revoke_removes_a_corrupt_item(signed_in, oauthctl, keyring):
    keyring.put(b"{")
    assert oauthctl("revoke", "acme", "--local").code == 0
    assert "attribute.type = session" not in "\n".join(keyring.search())


def test_one_corrupt_item_does_not_stop_the_others(acme, oauthctl, keyring):
    oauthctl.login("acme/good")
    oauthctl.login("acme/bad")
    keyring.put(b"{", account="bad")
    done = oauthctl("refresh", "--all")
    assert done.code in (76, 77, 78) and acme.count("refresh") == 1
    assert acme.works(oauthctl.token("acme/good"))
    shown = oauthctl("status", "--json")
    assert "good" in [entry["account"] for entry in shown.json]


def test_of_two_copies_doctor_speaks_of_the_newer_generation(signed_in, oauthctl, keyring, doctor):
    older = json.loads(keyring.item())
    older["generation"] -= 1
    older["tokens"] |= {"refresh_token": None, "expires_at": 1}
    time.sleep(1.1)  # the keyring's clock has seconds: the older one is changed last
    keyring.run(
        "secret-tool", "store", "--collection=session", "--label", "copy",
        *keyring.attributes("session", "acme", "default"), stdin=json.dumps(older).encode())
    assert oauthctl("status", "--json").json[0]["state"] == "valid"
    assert doctor("--offline")["accounts"]["result"] == "ok"


def test_items_of_other_programs_do_not_disturb(signed_in, oauthctl, keyring):
    keyring.run("secret-tool", "store", "--label", "other", "application", "other", "provider", "acme", stdin=b"x")
    keyring.run("secret-tool", "store", "--label", "odd", "application", "oauthctl", "type", "mystery", stdin=b"x")
    assert signed_in.works(oauthctl.token())
    assert len(oauthctl("status", "--json").json) == 1


def test_a_keyring_that_was_locked_during_a_refresh_loses_nothing_silently(expired, oauthctl, keyring):
    """The new tokens are kept in the service's memory, which is said; the next refresh brings them to their place."""
    expired.expires_in = 3600
    expired.on("refresh", faults.Fault(lambda reply: (keyring.lock(), reply)[1], after_work=True))
    done = oauthctl("token", "acme", timeout=60)
    assert done.code == 0 and expired.works(done.out.strip()) and done.seconds < 20
    assert "memory of the keyring's service alone" in done.err and "oauthctl refresh acme" in done.err
    assert oauthctl.token() == done.out.strip(), "what is in memory is not found while the keyring is locked"
    password = oauthctl.scratch / "password"
    password.touch(0o600)
    password.write_text("a password for tests")
    assert oauthctl("unlock", "--password-file", str(password)).code == 0
    healed = oauthctl("refresh", "acme")
    assert healed.code == 0 and "memory" not in healed.err
    keyring.lock()
    assert oauthctl("token", "acme").code == 69, "it is still in memory"


def test_somebody_at_a_terminal_is_not_left_waiting_for_ever(locked, oauthctl):
    shown = Terminal([command.BINARY, "token", "acme"], oauthctl.env)
    try:
        shown.expect("(?i)locked", timeout=15)
        time.sleep(0.2)
        shown.send("\x03")
        assert shown.wait(15) in (69, 130)
        shown.assert_modes_restored()
    finally:
        shown.close()


def test_a_flow_whose_keyring_is_locked_meanwhile_says_so(acme, oauthctl, keyring):
    flow = oauthctl.start("login", "acme", "--no-browser")
    location = acme.approve(flow.url())
    keyring.lock()
    loopback.get(location)
    done = flow.wait(30)
    assert done.code == 69 and "locked" in done.err
