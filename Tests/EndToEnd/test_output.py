"""Output that cannot be written, and what never appears in it."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

import pytest

import command
import faults
import loopback


def run_with_stdout(oauthctl, argv, stdout):
    return subprocess.run([command.BINARY, *argv], env=oauthctl.env, stdout=stdout, stderr=subprocess.PIPE, timeout=20)


WRITERS = [["token", "acme"], ["status", "--json"], ["status"], ["providers", "list"], ["--help"], ["--version"],
           ["providers", "show", "github"], ["token", "acme", "--format", "env"]]  # fmt: skip


@pytest.mark.parametrize("argv", WRITERS, ids=" ".join)
def test_a_full_disk_is_a_failure(signed_in, oauthctl, argv):
    with open("/dev/full", "wb") as full:
        done = run_with_stdout(oauthctl, argv, full)
    assert done.returncode not in (0, -6, -11, 134) and done.stderr


@pytest.mark.parametrize("argv", WRITERS, ids=" ".join)
def test_a_closed_stdout_is_a_failure(signed_in, oauthctl, argv):
    done = subprocess.run(
        ["sh", "-c", '"$0" "$@" >&-', command.BINARY, *argv], env=oauthctl.env, capture_output=True, timeout=20)
    assert done.returncode not in (0, 132, 134, 139)


@pytest.mark.parametrize("argv", [*WRITERS, ["doctor", "--offline"]], ids=" ".join)
def test_a_reader_that_went_away_is_told_nothing(signed_in, oauthctl, argv):
    read, write = os.pipe()
    os.close(read)
    done = run_with_stdout(oauthctl, argv, write)
    os.close(write)
    assert (done.returncode, done.stderr) == (75, b"")


def test_a_closed_stderr_and_stdin_do_not_disturb(signed_in, oauthctl):
    done = subprocess.run(
        ["sh", "-c", '"$0" token acme --force-refresh 2>&- <&-', command.BINARY], env=oauthctl.env, capture_output=True,
        timeout=20)
    assert done.returncode == 0 and signed_in.works(done.stdout.decode().strip())


def test_a_token_that_could_not_be_printed_is_stored_all_the_same(expired, oauthctl):
    with open("/dev/full", "wb") as full:
        assert run_with_stdout(oauthctl, ["token", "acme"], full).returncode != 0
    assert expired.works(oauthctl.token()) and expired.count("refresh") == 1


# Verbose and its redaction


def test_verbose_traces_requests_with_secrets_redacted(acme, oauthctl):
    acme.add_client(id="web", secret="web-secret-5", auth="basic")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="basic"))
    done = oauthctl.login("acme", "--verbose", env={"OAUTHCTL_ACME_CLIENT_SECRET": "web-secret-5"})
    assert acme.base + "/token" in done.err and "POST" in done.err and "200" in done.err
    assert "[redacted]" in done.err
    basic = acme.clients["web"].basic()[6:]
    verifier, code = (acme.sent("token")[0].form[name] for name in ("code_verifier", "code"))
    for secret in (basic, verifier, code):
        assert secret not in done.err
    assert done.out == ""


def test_verbose_redacts_post_secrets_refresh_and_unusual_replies(acme, oauthctl):
    acme.add_client(id="web", secret="p+st/secret 5", auth="post")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="post"))
    oauthctl.login("acme", env={"OAUTHCTL_ACME_CLIENT_SECRET": "p+st/secret 5"})
    acme.on("refresh", faults.rewrite(lambda v: {**v, "nested": {"again": v["access_token"]}, "raw": v["refresh_token"]}))
    done = oauthctl("refresh", "acme", "--verbose")
    assert done.code == 0
    for secret in ("p%2Bst%2Fsecret", "p+st/secret"):
        assert secret not in done.err


def test_verbose_redacts_a_refusal_that_echoes_the_token(signed_in, oauthctl):
    echo = signed_in.grants[0].refresh_token
    signed_in.on("refresh", faults.error("invalid_grant", error_description=f"token {echo} is unknown"))
    done = oauthctl("refresh", "acme", "--verbose")
    assert done.code == 77  # the search for leaks at the end looks at the rest


def test_a_refusal_that_echoes_the_token_is_redacted_in_the_message_too(signed_in, oauthctl):
    echo = signed_in.grants[0].refresh_token
    signed_in.on("refresh", faults.error("invalid_grant", error_description=f"token {echo} is unknown"))
    assert oauthctl("refresh", "acme").code == 77
    assert oauthctl("status").code == 0
    assert oauthctl("token", "acme", "--min-valid", "7d").code == 77


def test_the_authorization_url_is_shown_but_nothing_that_could_finish_it(acme, oauthctl):
    flow = oauthctl.start("login", "acme", "--no-browser", "--verbose")
    location = acme.approve(flow.url())
    loopback.get(location)
    done = flow.wait()
    assert loopback.parameters(location)["code"] not in done.err


# Other processes


def test_no_secret_is_in_the_arguments_of_any_process(acme, oauthctl):
    seen, stop = set(), threading.Event()

    def watch():
        while not stop.is_set():
            for entry in pathlib.Path("/proc").iterdir():
                if entry.name.isdigit():
                    try:
                        seen.add((entry / "cmdline").read_bytes())
                    except OSError:
                        continue

    watcher = threading.Thread(target=watch)
    watcher.start()
    acme.add_client(id="web", secret="argv-secret-1", auth="basic")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="basic"))
    acme.on("token", faults.late(0.3))
    acme.on("refresh", faults.late(0.3))
    try:
        oauthctl.login("acme", env={"OAUTHCTL_ACME_CLIENT_SECRET": "argv-secret-1"})
        oauthctl.token("acme", "--force-refresh")
    finally:
        stop.set()
        watcher.join()
    shown = b"\n".join(seen)
    verifier = acme.sent("token")[0].form["code_verifier"]
    for secret in [*acme.secrets, verifier]:
        assert secret.encode() not in shown


def test_the_process_cannot_be_looked_into(oauthctl, scratch):
    """Not dumpable: what it has in /proc belongs to root, so another process of the same user cannot read its memory."""
    home = scratch / "nobody"
    home.mkdir()
    binary = shutil.copy(command.BINARY, scratch / "binary")
    for path in (scratch, home, binary):
        os.chmod(path, 0o755)
    as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    oauthctl.write_provider({"name": "acme", "issuer": "http://127.0.0.1:9", "client_id": "cli", "client_auth": "post"})
    shutil.copytree(oauthctl.config, home / ".config/oauthctl")
    subprocess.run(["chmod", "-R", "a+rX", home], check=True)
    process = subprocess.Popen(
        [*as_user, binary, "login", "acme", "--client-secret-file", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={"HOME": str(home), "PATH": "/usr/bin:/bin"})
    try:
        owners = set()
        for _ in range(100):
            owners.add(os.stat(f"/proc/{process.pid}/environ").st_uid)
            time.sleep(0.005)
            if process.poll() is not None:
                break
        assert process.poll() is None, f"it did not wait for the secret: {process.stderr.read()}"
        assert os.stat(f"/proc/{process.pid}/environ").st_uid == 0, owners
    finally:
        process.kill()
        process.communicate()


def test_nothing_is_written_outside_the_documented_places(signed_in, oauthctl, scratch):
    oauthctl.token("acme", "--force-refresh")
    oauthctl("status")
    oauthctl("refresh", "--all")
    home = pathlib.Path(oauthctl.env["HOME"])
    written = {str(path.relative_to(home)).split("/oauthctl")[0] for path in home.rglob("*") if path.is_file()}
    allowed = (".config", ".local/share/keyrings", ".cache/dconf", "run")
    assert all(path.startswith(allowed) for path in written), written


def test_messages_are_lower_case_without_a_full_stop(acme, oauthctl):
    acme.on("token", faults.error("invalid_grant"))
    for argv in (["token", "acme"], ["token", "nothing"], ["login", "acme", "--browser", oauthctl.browser()], ["revoke", "acme"]):
        for line in oauthctl(*argv).err.splitlines():
            if line == "" or line.startswith("  http://"):
                continue  # the URL of a login stands alone, to be copied
            assert line.startswith("oauthctl: "), line
            text = re.sub(r"^oauthctl: (error: |hint: |warning: )?", "", line)
            assert not text.endswith(".") and text[:1] == text[:1].lower(), line


def test_quiet_keeps_errors_and_drops_the_rest(signed_in, oauthctl):
    assert oauthctl("refresh", "acme", "--quiet").err == ""
    assert oauthctl("token", "nothing", "--quiet").err != ""


def test_json_errors_have_the_documented_shape(acme, oauthctl):
    for argv, hint in (
        (["revoke", "acme"], "oauthctl status"), (["token", "acme"], "oauthctl login acme"), (["status", "acme"], "oauthctl login acme"),
    ):
        value = oauthctl(*argv, "--json").error
        assert value["code"] == 77 and value["kind"] == "login-required"
        assert value["message"] and hint in value["hint"]


def test_valid_token_is_quick(signed_in, oauthctl):
    times = sorted(oauthctl("token", "acme").seconds for _ in range(9))
    assert times[4] < 0.5, times


def test_a_login_in_json_gives_only_json_on_stdout_even_when_it_fails(acme, oauthctl):
    acme.on("token", faults.error("invalid_grant"))
    done = oauthctl("login", "acme", "--json", "--browser", oauthctl.browser())
    assert done.code == 77 and (done.out == "" or json.loads(done.out))
    assert done.error["code"] == 77
