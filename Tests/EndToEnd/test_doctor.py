"""`oauthctl doctor`, on a healthy machine and on broken ones."""

import datetime
import functools
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

CHECKS = [
    "session-bus", "secret-service", "keyring", "keyring-unlocked", "keyring-writable", "keyring-doubles", "accounts",
    "browser", "loopback-ipv4", "loopback-ipv6", "libraries", "certificates", "proxy", "network", "clock",
    "configuration", "provider-files", "lock-folder", "timer", "process",
]
# what depends on the machine that the tests run on, and keeps nobody from using oauthctl
SURROUNDINGS = {"browser", "timer"}


class Diagnosis:
    """What `doctor --json` found; holds that a failure gives the exit code, and that nothing is said without help."""

    def __init__(self, code, out):
        self.code, self.findings = code, json.loads(out)
        assert list(dict.fromkeys(finding["check"] for finding in self.findings)) == CHECKS
        for finding in self.findings:
            assert set(finding) == {"check", "result", "message", "remedy", "code"}
            assert (finding["remedy"] is not None) == (finding["result"] in ("warn", "fail")), finding
            assert (finding["code"] != 0) == (finding["result"] == "fail"), finding
        assert code == next((finding["code"] for finding in self.findings if finding["result"] == "fail"), 0)

    def __getitem__(self, check):
        (finding,) = [finding for finding in self.findings if finding["check"] == check]
        return finding

    def names(self, result):
        return [one["check"] for one in self.findings if one["result"] == result and one["check"] not in SURROUNDINGS]


def diagnose(oauthctl, *argv, **more):
    done = oauthctl("doctor", "--json", *argv, **more)
    assert done.err == "", done
    return Diagnosis(done.code, done.out)


@pytest.fixture
def doctor(oauthctl):
    return functools.partial(diagnose, oauthctl)


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
        ("broken", "cannot be read"), ("ending", "ends in"), ("interrupted", "interrupted 6"), ("refused", "refused")):
        assert any(f"acme/{name}" in one["message"] and words in one["message"]
                   and f"oauthctl login acme/{name}" in one["remedy"] for one in found), (name, found)


def fingerprint(token):
    return hashlib.sha256(token.encode()).hexdigest()[:8]


def test_the_bus_is_found_where_cron_finds_it(oauthctl, doctor):
    found = doctor("--offline", env={"DBUS_SESSION_BUS_ADDRESS": None})
    assert found.code == 0 and found["session-bus"]["message"].endswith("/bus (XDG_RUNTIME_DIR)")


# Folders


def give_away(folder):
    """Lets a folder belong to somebody else: root can do that, and others take one of root's."""
    if os.geteuid() == 0:
        os.chown(folder, 65534, -1)
    else:
        folder.rmdir()
        folder.symlink_to("/usr/share")


def test_a_configuration_folder_of_somebody_else(oauthctl, doctor):
    oauthctl.config.mkdir(parents=True)
    give_away(oauthctl.config)
    found = doctor()
    assert found.code == 78 and found.names("fail") == ["configuration"]
    assert "belongs to" in found["configuration"]["message"] and "sudo chown -R " in found["configuration"]["remedy"]


@pytest.mark.parametrize("mode, result", [(0o777, "fail"), (0o770, "warn")])
def test_a_configuration_folder_that_others_can_change(oauthctl, doctor, mode, result):
    oauthctl.write_provider({"name": "acme"})
    (oauthctl.config / "providers").chmod(mode)
    found = doctor()
    assert found.code == (78 if result == "fail" else 0) and found.names(result) == ["configuration"]
    remedy = found["configuration"]["remedy"]
    assert remedy.startswith("chmod -R go-w ")
    subprocess.run(remedy, shell=True, check=True)
    assert doctor()["configuration"]["result"] == "ok", "the remedy does not help"


def test_broken_provider_files_are_all_named(oauthctl, doctor):
    oauthctl.write_provider('{\n  "name": "one",\n  "scopess": []\n}', name="one")
    oauthctl.write_provider("{]", name="two")
    oauthctl.write_provider({"name": "three", "client_secret": "hush-hush"})
    oauthctl.write_provider({"name": "four"})
    found = doctor()
    broken = [one for one in found.findings if one["check"] == "provider-files"]
    assert found.code == 78 and [one["result"] for one in broken] == ["fail"] * 3
    said = "\n".join(one["message"] for one in broken)
    assert "one.json:3: " in said and "two.json:1" in said and "client_secret" in said and "hush" not in said


@pytest.mark.parametrize("fault", ["mode", "owner"])
def test_a_lock_folder_that_cannot_be_trusted(oauthctl, doctor, fault):
    folder = pathlib.Path(oauthctl.env["XDG_RUNTIME_DIR"]) / "oauthctl"
    folder.mkdir(0o700, exist_ok=True)
    if fault == "mode":
        folder.chmod(0o755)
    else:
        give_away(folder)
    found = doctor()
    assert found.code == 78 and found.names("fail") == ["lock-folder"]
    remedy = found["lock-folder"]["remedy"]
    if fault == "owner":
        assert "chown" in remedy or "rm" in remedy or "mv" in remedy
        return
    subprocess.run(remedy, shell=True, check=True)
    assert doctor()["lock-folder"]["result"] == "ok", "the remedy does not help"


def test_locks_without_a_runtime_folder_are_told(oauthctl, doctor):
    found = doctor(env={"XDG_RUNTIME_DIR": None, "XDG_STATE_HOME": oauthctl.env["HOME"] + "/state"})
    if "lock-folder" in found.names("warn"):  # not where /run/user/UID is there
        assert "/state/oauthctl" in found["lock-folder"]["message"]
    assert found.code == 0


def namespace(oauthctl, script, *flags):
    """The diagnosis in a namespace of its own, which the script changes first."""
    done = subprocess.run(
        ["unshare", "--map-current-user", "--keep-caps", *flags, "sh", "-c", script + ' || exit 99; exec "$@"', "sh",
         command.BINARY, "doctor", "--json"],
        env=oauthctl.env, capture_output=True, text=True, timeout=30)
    assert done.returncode != 99, "a namespace is needed for this test: " + done.stderr
    oauthctl.remember(("doctor",), command.Result(done.returncode, done.stdout, done.stderr))
    return Diagnosis(done.returncode, done.stdout)


READ_ONLY = 'mount --bind "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR" && mount -o remount,bind,ro "$XDG_RUNTIME_DIR"'
FULL = 'mkdir "$HOME/run" && mount -t tmpfs -o size=64k{} tmpfs "$HOME/run" && mkdir -m 700 "$HOME/run/oauthctl"'


def test_a_runtime_folder_that_is_read_only(oauthctl):
    found = namespace(oauthctl, READ_ONLY, "--mount")
    assert found.code == 78 and found.names("fail") == ["lock-folder"]
    assert "read-only" in found["lock-folder"]["message"] and "XDG_RUNTIME_DIR" in found["lock-folder"]["remedy"]


@pytest.mark.parametrize("what, result", [("bytes", "warn"), ("files", "fail")])
def test_a_runtime_folder_whose_disk_is_full(oauthctl, what, result):
    fill = FULL.format(",nr_inodes=2") if what == "files" else FULL.format("") + (
        ' && { cat /dev/zero >"$HOME/run/fill" 2>/dev/null; true; }')
    oauthctl.env["XDG_RUNTIME_DIR"] = oauthctl.env["HOME"] + "/run"
    found = namespace(oauthctl, fill, "--mount")
    assert found.names(result) == ["lock-folder"] and "df -h" in found["lock-folder"]["remedy"]


# The network


def test_a_machine_without_loopback(oauthctl):
    found = namespace(oauthctl, "true", "--net")
    assert found.code == 69 and found.names("fail") == ["loopback-ipv4"]
    assert found["loopback-ipv6"]["result"] == "warn"


@pytest.mark.parametrize("days", [-1, 1])
def test_a_clock_that_is_a_day_off(signed_in, doctor, days):
    told = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
    head = f"HTTP/1.1 200 OK\r\nDate: {told:%a, %d %b %Y %H:%M:%S} GMT\r\nContent-Length: 9\r\n\r\n"
    signed_in.on("greeting", faults.garbage(head.encode()))
    found = doctor()
    assert found.code == 78 and found.names("fail") == ["clock"]
    assert ("behind" if days > 0 else "ahead") in found["clock"]["message"]


def test_a_server_that_is_down(signed_in, doctor):
    signed_in.close()
    found = doctor()
    assert found.code == 75 and found.names("fail") == ["network"] and found.names("skip") == ["clock"]


def test_a_server_that_is_silent_is_given_up(signed_in, doctor):
    signed_in.on("greeting", faults.silence(30))
    started = time.monotonic()
    found = doctor()
    assert time.monotonic() - started < 8 and found.code == 75 and "within 5 s" in found["network"]["message"]


def test_offline_asks_nobody(signed_in, doctor):
    found = doctor("--offline")
    assert found.code == 0 and found.names("skip") == ["network", "clock"] and signed_in.count("greeting") == 0


def test_certificates_that_are_not_there(signed_in, doctor, scratch):
    found = doctor(env={"SSL_CERT_FILE": str(scratch / "none.pem")})
    assert found.code == 78 and found.names("fail") == ["certificates"] and found.names("skip") == ["network", "clock"]
    assert "none.pem" in found["certificates"]["message"] and "SSL_CERT_FILE" in found["certificates"]["remedy"]


@pytest.mark.parametrize("library, package", [("libcurl.so.4", "libcurl4"), ("libcrypto.so.3", "libssl3")])
def test_a_library_that_cannot_be_loaded(signed_in, doctor, scratch, library, package):
    (scratch / library).write_text("no library")
    found = doctor(env={"LD_LIBRARY_PATH": str(scratch)})
    assert found.code == 78 and found.names("fail") == ["libraries"]
    assert library in found["libraries"]["message"] and f"apt-get install {package}" in found["libraries"]["remedy"]
    assert found.names("skip") == ["certificates", "proxy", "network", "clock"]


def test_a_proxy_that_is_none(oauthctl, doctor):
    found = doctor(env={"HTTPS_PROXY": "http://ada:hush-hush@proxy:port"})
    assert found.code == 78 and found.names("fail") == ["proxy"] and "hush" not in json.dumps(found.findings)
    good = doctor(env={"HTTPS_PROXY": "http://ada:hush-hush@proxy.example:3128", "NO_PROXY": ".local"})
    assert good.code == 0 and "http://proxy.example:3128" in good["proxy"]["message"]
    assert "hush" not in json.dumps(good.findings)


def test_a_browser_is_looked_for_and_not_opened(oauthctl, doctor, scratch):
    mark = scratch / "opened"
    browser = oauthctl.browser(code=f"touch {mark}")
    assert browser in doctor("--offline", env={"BROWSER": browser})["browser"]["message"]
    found = doctor("--offline", env={"BROWSER": browser, "SSH_CONNECTION": "a 1 b 2"})["browser"]
    assert found["result"] == "warn" and "SSH" in found["message"] and "--no-browser" in found["remedy"]
    assert not mark.exists()
