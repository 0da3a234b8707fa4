"""`oauthctl doctor`, on a healthy machine and on broken ones."""

import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

import command
import faults
from diagnosis import CHECKS, Diagnosis, diagnose
from keyring_faults import Daemons
from keyring_session import WITH_KEYRING


def contents(folder):
    return {path: path.stat().st_mtime_ns for path in pathlib.Path(folder).rglob("*") if "keyrings" not in str(path)}


def test_all_is_well_where_somebody_is_logged_in(signed_in, oauthctl, keyring, doctor):
    oauthctl.write_provider(signed_in.provider("mine"))
    before, items = contents(oauthctl.env["HOME"]), keyring.search()
    found = doctor()
    assert found.code == 0 and found.names("warn") == found.names("skip") == []
    assert "gnome-keyring-daemon" in found["secret-service"]["message"]
    # one request, which carries nothing
    (greeting,) = signed_in.sent("greeting")
    assert (greeting.method, greeting.path, greeting.raw_query, greeting.body) == ("HEAD", "/", "", b"")
    assert "Authorization" not in greeting.headers
    # nothing is left behind
    assert contents(oauthctl.env["HOME"]) == before and keyring.search() == items
    everything = keyring.run("secret-tool", "search", "--all", "application", "oauthctl", check=False)
    assert b"doctor" not in everything.stdout + everything.stderr


def test_it_is_fast_and_a_person_can_read_it(signed_in, oauthctl):
    done = oauthctl("doctor")
    assert done.code == 0 and done.err == ""
    # the best of three: the machine that runs the tests has other things to do
    assert min(done.seconds, oauthctl("doctor").seconds, oauthctl("doctor").seconds) < 2
    lines = done.out.splitlines()
    assert [line.split()[1] for line in lines if not line.startswith(" ")] == CHECKS
    assert {line.split()[0] for line in lines} <= {"ok", "warn", "try:"}
    assert "\x1b" not in done.out


def test_colour_is_for_a_terminal_that_wants_it(terminal):
    shown = terminal("doctor", "--offline", env={"TERM": "xterm"})
    shown.expect("process")
    assert shown.wait(10) == 0 and "\x1b[32mok" in shown.seen
    plain = terminal("doctor", "--offline", env={"TERM": "xterm", "NO_COLOR": "1"})
    plain.expect("process")
    assert plain.wait(10) == 0 and "\x1b[3" not in plain.seen


@pytest.mark.parametrize("mode, check, remedy", [
    ("locked", "keyring-unlocked", "oauthctl unlock"),
    ("empty", "keyring", "oauthctl unlock"),
    ("no-service", "secret-service", "oauthctl unlock"),
    ("no-dbus", "session-bus", "dbus-run-session"),
])  # fmt: skip
def test_a_keyring_that_cannot_be_used(make_session, make_oauthctl, mode, check, remedy):
    found = diagnose(make_oauthctl(make_session(mode)))
    assert found.code == 69 and found.names("fail") == [check]
    assert remedy in found[check]["remedy"]
    after = CHECKS[CHECKS.index(check) + 1:CHECKS.index("accounts") + 1]
    assert [name for name in found.names("skip") if name in after] == after
    assert all(found[name]["message"] == f"not checked: {check} failed" for name in after)


@pytest.mark.parametrize("mode", ["locked", "empty"])
def test_the_unlock_that_is_named_helps(make_session, make_oauthctl, secret_file, mode):
    oauthctl = make_oauthctl(make_session(mode))
    assert diagnose(oauthctl, "--offline").code == 69
    done = oauthctl("unlock", "--password-file", secret_file("a password for tests"))
    assert done.code == 0, done
    assert diagnose(oauthctl, "--offline").code == 0


def test_a_machine_without_gnome_keyring_is_told_the_package(make_session, make_oauthctl):
    found = diagnose(make_oauthctl(make_session("no-service")), env={"PATH": "/nowhere"})
    assert "apt-get install gnome-keyring" in found["secret-service"]["remedy"]


def test_a_bus_that_hangs_is_told_from_a_keyring_that_does(oauthctl, keyring, doctor):
    daemons = Daemons(keyring)
    daemons.stop("bus")
    try:
        found = doctor("--offline")
    finally:
        daemons.resume("bus")
        daemons.close()
    assert found.code == 69 and found.names("fail") == ["session-bus"]
    address = keyring.env["DBUS_SESSION_BUS_ADDRESS"]
    assert found["session-bus"]["message"] == f"the bus at {address} did not answer within 4 s"


def test_a_full_disk_under_the_keyring_is_named(scratch):
    folder = scratch / "full/.local/share/keyrings"
    folder.mkdir(parents=True)
    script = """mount -t tmpfs -o size=64k,mode=700 tmpfs "$2" || exit 99
        "$1" --unlocked --home "$3" sh -c '{ cat /dev/zero >"$1/fill" 2>/dev/null; "$2" doctor --offline --json; }' sh "$2" "$4"
        """
    done = subprocess.run(
        ["unshare", "--map-current-user", "--keep-caps", "--mount", "sh", "-c", script, "sh",
         WITH_KEYRING, folder, scratch / "full", command.BINARY],
        capture_output=True, text=True, timeout=30)
    assert done.returncode != 99, "a namespace is needed for this test: " + done.stderr
    found = Diagnosis(done.returncode, done.stdout)
    assert found.code == 69 and "keyring-writable" in found.names("fail")
    assert f"the disk of {folder} is full" in found["keyring-writable"]["message"]
    assert f"df -h {folder}" in found["keyring-writable"]["remedy"]


def test_a_keyring_that_hangs_is_given_up_and_ctrl_c_works(signed_in, oauthctl, doctor):
    pid = int(re.search(r"pid (\d+)", doctor("--offline")["secret-service"]["message"]).group(1))
    assert pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("gnome-keyring")
    os.kill(pid, signal.SIGSTOP)
    try:
        running = oauthctl.start("doctor")
        time.sleep(0.5)
        running.kill(signal.SIGINT)
        assert running.wait(5).seconds < 2 and running.process.returncode == 130
        started = time.monotonic()
        found = doctor("--offline")
        assert time.monotonic() - started < 10
        assert found.code == 69 and found.names("fail") == ["secret-service"]
        assert "did not answer" in found["secret-service"]["message"]
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_login_that_is_stored_twice(signed_in, keyring, doctor):
    keyring.run(
        "secret-tool", "store", "--label", "another", *keyring.attributes("session", "acme", "default"), "odd", "yes",
        stdin=keyring.item())
    found = doctor("--offline")
    assert found.code == 0 and found.names("warn") == ["keyring-doubles"]
    assert "acme is stored 2 times" in found["keyring-doubles"]["message"]


def test_logins_that_need_a_person(acme, oauthctl, keyring, doctor):
    for name in ("good", "refused", "interrupted", "ending", "broken"):
        oauthctl.login(f"acme/{name}")
    acme.on("refresh", faults.error("invalid_grant"))
    assert oauthctl("refresh", "acme/refused").code == 77
    for name, change in (
        ("interrupted", lambda value: value | {"pending_refresh": {
            "fingerprint": fingerprint(value["tokens"]["refresh_token"]), "started_at": int(time.time()) - 60}}),
        ("ending", lambda value: value | {"tokens": value["tokens"] | {"refresh_expires_at": int(time.time()) + 7200}}),
    ):
        keyring.put(json.dumps(change(json.loads(keyring.item(account=name)))).encode(), account=name)
    keyring.put(b"{", account="broken")
    found = [one for one in doctor("--offline").findings if one["check"] == "accounts"]
    assert [one["result"] for one in found] == ["warn"] * 4
    for name, words in (
        ("broken", "cannot be read"), ("ending", "ends in"), ("interrupted", "had no clear end"), ("refused", "refused")):
        assert any(f"acme/{name}" in one["message"] and words in one["message"]
                   and f"oauthctl login acme/{name}" in one["remedy"] for one in found), (name, found)


def fingerprint(token):
    return hashlib.sha256(token.encode()).hexdigest()[:8]


def test_the_bus_is_found_where_cron_finds_it(oauthctl, doctor):
    found = doctor("--offline", env={"DBUS_SESSION_BUS_ADDRESS": None})
    assert found.code == 0 and found["session-bus"]["message"].endswith("/bus (XDG_RUNTIME_DIR)")
