"""`oauthctl doctor`, where folders, the network or a library are broken."""

import datetime
import json
import os
import pathlib
import subprocess
import time

import pytest

import command
import faults
from diagnosis import Diagnosis


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
