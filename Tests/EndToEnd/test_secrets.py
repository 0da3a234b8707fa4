"""Where a secret could be seen: traces, other processes, memory, files. Each is looked at from outside."""

import base64
import hashlib
import html
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.parse

import pytest

import faults
import leaks
import memory
from command import BINARY

SECRET = "client-secret+with/odd=signs 7"


def fingerprint(secret):
    return hashlib.sha256(secret.encode()).hexdigest()[:8]


def wrapped(text, width=11):
    return "\n  ".join(text[at:at + width] for at in range(0, len(text), width))


# How a server could give a secret back; each takes the secret and gives text
ECHOES = {
    "raw": str,
    "percent": lambda s: urllib.parse.quote(s, safe=""),
    "percent, every byte": lambda s: "".join(f"%{byte:02x}" for byte in s.encode()),
    "percent twice": lambda s: urllib.parse.quote("".join(f"%{byte:02X}" for byte in s.encode()), safe=""),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64url": lambda s: base64.urlsafe_b64encode(b"id:" + s.encode()).decode().rstrip("="),
    "base64 in lines": lambda s: wrapped(base64.b64encode(b"." * 20 + s.encode()).decode()),
    "json, code points": lambda s: "".join(f"\\u{ord(letter):04x}" for letter in s),
    "json, slashes": lambda s: s.replace("/", "\\/").replace("t", "\\u0074"),
    "script": lambda s: "".join(f"\\x{ord(letter):02X}" for letter in s),
    "html": lambda s: html.escape(s).replace("+", "&plus;").replace("-", "&#x2d;"),
    "html, decimal": lambda s: "".join(f"&#{ord(letter)};" for letter in s),
    "in lines": wrapped,
    "in lines of JSON": lambda s: json.dumps(wrapped(s)),
}


def assert_hidden(text, secret):
    """Nothing of the secret that is long enough to be of use is in the text, in any of the forms."""
    for name, echo in ECHOES.items():
        for piece in echo(secret).split("\n  ") if "lines" in name else [echo(secret)]:
            assert len(piece) < 8 or piece not in text, f"{name}: {piece} in {text}"


@pytest.fixture
def web(acme, oauthctl):
    """`acme` with a confidential client, logged in by OpenID Connect; the secret is in the keyring."""
    acme.add_client(id="web", secret=SECRET, auth="post")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="post", scopes=["openid", "read"]))
    oauthctl.login("acme", env={"OAUTHCTL_ACME_CLIENT_SECRET": SECRET})
    return acme


# The trace


def test_a_trace_hides_what_a_server_gives_back_in_whatever_form(web, oauthctl):
    """In the body's lines, in JSON, in headers and in a redirect's address."""
    token = web.grants[0].refresh_token
    for secret in (token, SECRET):
        lines = "".join(f"note {number}: <{echo(secret)}>\n" for number, echo in enumerate(ECHOES.values()))
        values = {f"note {number}": echo(secret) for number, echo in enumerate(ECHOES.values())}
        flat = {name: echo(secret) for name, echo in ECHOES.items() if "lines" not in name}
        fields = {f"X-Note-{number}": value for number, value in enumerate(flat.values())}
        where = "https://elsewhere.invalid/?" + "&".join(f"n{n}={v.replace(' ', '%20')}" for n, v in enumerate(flat.values()))
        for reply in (
                faults.answer(500, lines, "text/plain"), faults.answer(500, values), faults.answer(500, {}, **fields),
                faults.redirect(where), faults.error("temporarily_unavailable", error_description=f"no: {secret}")):
            web.on("refresh", reply)
            done = oauthctl("token", "acme", "--force-refresh", "--verbose")
            assert done.code in (75, 76), done
            assert_hidden(done.err, secret)
            assert f"[redacted]({fingerprint(secret)})" in done.err


def test_a_trace_names_each_secret_by_its_fingerprint(web, oauthctl):
    old = web.grants[0].refresh_token
    done = oauthctl("refresh", "acme", "--verbose")
    grant = web.grants[0]
    assert f"> refresh_token=[redacted]({fingerprint(old)})" in done.err
    assert f"> client_secret=[redacted]({fingerprint(SECRET)})" in done.err
    for new in (grant.refresh_token, grant.access_tokens[-1]):
        assert f'[redacted]({fingerprint(new)})"' in done.err
    assert_hidden(done.err, old)


def test_no_command_with_a_network_shows_a_secret_in_its_trace(acme, oauthctl):
    """All that was sent and received in a whole session, and the codes and verifiers of its logins."""
    acme.add_client(id="web", secret=SECRET, auth="basic")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="basic", scopes=["openid", "read"]))
    shown = [oauthctl.login("acme", "--verbose", env={"OAUTHCTL_ACME_CLIENT_SECRET": SECRET})]
    oauthctl.login("acme/second")
    for argv in (["token", "acme", "--force-refresh"], ["token", "acme"], ["refresh", "acme"], ["refresh", "--all"],
                 ["status"], ["revoke", "acme"], ["login", "acme/third", "--browser", oauthctl.browser()],
                 ["logout", "acme/second", "--json"]):
        shown.append(oauthctl(*argv, "--verbose"))
        assert shown[-1].code == 0, shown[-1]
    text = "".join(done.err for done in shown)
    forms = [request.form for request in acme.sent("token")]
    secrets = acme.secrets | set(acme.codes) | {form["code_verifier"] for form in forms} | {acme.clients["web"].basic()[6:]}
    assert len(secrets) > 20 and text.count("> POST") >= 8
    for secret in secrets:
        assert not leaks.shows(text, secret), f"{secret} in {text}"


# Other processes


def children(pid):
    """The processes that a process has started."""
    threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def worker_of(running, server):
    """The process that works for a command which waits for a refresh."""
    server.wait_for("refresh")
    (pid,) = children(running.process.pid)
    return pid


def test_what_a_command_starts_gets_no_secret(web, oauthctl, scratch):
    record = scratch / "browser.json"
    oauthctl.login("acme/second", "--browser", oauthctl.browser("--record", str(record)),
                   env={"OAUTHCTL_ACME_CLIENT_SECRET": SECRET, "OAUTHCTL_OTHER_CLIENT_SECRET": "other-secret-77"})
    seen = record.read_text()
    assert "OAUTHCTL_" not in seen and SECRET not in seen and "other-secret-77" not in seen
    assert "GLIBC_TUNABLES" not in seen
    web.on("refresh", faults.late(0.5))
    running = oauthctl.start("token", "acme", "--force-refresh")
    worker = worker_of(running, web)
    shown = b"".join(pathlib.Path(f"/proc/{worker}/{name}").read_bytes() for name in ("cmdline", "environ"))
    assert running.wait().code == 0 and b"__refresh" in shown
    assert not [secret for secret in web.secrets if leaks.shows(shown, secret)]


def test_no_core_is_left_by_a_command_that_is_shot(signed_in, oauthctl):
    """Where cores are allowed, and for the one that works for another, too."""
    signed_in.on("refresh", faults.late(1))
    process = subprocess.Popen(
        ["bash", "-c", 'ulimit -c unlimited; exec "$@"', "bash", BINARY, "token", "acme", "--force-refresh"],
        env=oauthctl.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    signed_in.wait_for("refresh")
    (worker,) = children(process.pid)
    for pid in (process.pid, worker):
        limits = pathlib.Path(f"/proc/{pid}/limits").read_text()
        assert [line.split()[4] for line in limits.splitlines() if line.startswith("Max core")] == ["0"], limits
    os.kill(process.pid, signal.SIGQUIT)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = 0
    assert os.WIFSIGNALED(status) and not os.WCOREDUMP(status)
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{worker}") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert signed_in.works(oauthctl.token())


def test_the_memory_of_a_command_is_closed_to_its_own_user(scratch):
    """As an ordinary user, since root may look everywhere: the kernel gives its files in /proc to root."""
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    home, pipe, program = scratch / "other", scratch / "pipe", scratch / "oauthctl"
    shutil.copy(BINARY, program)
    home.mkdir()
    os.mkfifo(pipe, 0o600)
    for path in (home, pipe):
        os.chown(path, user, -1)
    scratch.chmod(0o711)
    provider = {"name": "acme", "client_id": "cli", "client_auth": "post", "endpoints": {
        "authorization": "http://127.0.0.1:1/a", "token": "http://127.0.0.1:1/t"}}
    folder = home / ".config/oauthctl/providers"
    folder.mkdir(parents=True)
    (folder / "acme.json").write_text(json.dumps(provider))
    as_user = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}
    process = subprocess.Popen(
        [program, "login", "acme", "--client-secret-file", pipe], env={"HOME": str(home), "PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **as_user)
    try:
        deadline = time.monotonic() + 10
        while os.stat(f"/proc/{process.pid}/mem").st_uid != 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.poll() is None, process.stderr.read()
        assert os.stat(f"/proc/{process.pid}/mem").st_uid == os.stat(f"/proc/{process.pid}/environ").st_uid == 0
        for name in ("mem", "environ"):
            look = subprocess.run(["cat", f"/proc/{process.pid}/{name}"], capture_output=True, text=True, **as_user)
            assert look.returncode != 0 and "Permission denied" in look.stderr
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


# Memory


def memory_at_the_end(pid, values):
    """How often each value is in the memory of a process when it ends; a user who may not look finds nothing."""
    try:
        memory.seize(pid)
    except PermissionError:
        assert os.geteuid() != 0, "root may look everywhere"
        return {}
    return memory.at_the_end_of(pid, values)


def test_next_to_nothing_is_left_in_the_memory_of_a_refresh(web, oauthctl):
    """Tokens, old and new, and the client's secret have gone through JSON, forms, libcurl, GLib and the keyring.

    Mostly nothing is left. A thread may not have let go of its copy yet; without overwriting there are ten to twenty.
    """
    web.on("refresh", faults.late(0.5))
    grant = web.grants[0]
    running = oauthctl.start("refresh", "acme")
    worker = worker_of(running, web)
    found = memory_at_the_end(worker, lambda: [
        *grant.spent, grant.refresh_token, *grant.access_tokens, SECRET, urllib.parse.quote_plus(SECRET)])
    assert running.wait().code == 0
    assert len(found) in (0, 6) and sum(found.values()) <= 4, found


def test_few_copies_are_left_in_the_memory_of_a_login(acme, oauthctl):
    """Small pieces that the C library keeps at hand are not overwritten in it: mostly one or two of each, seen up to five."""
    running = oauthctl.start("login", "acme", "--browser", oauthctl.browser())
    found = memory_at_the_end(running.process.pid, lambda: [
        acme.grants[0].access_tokens[0], acme.grants[0].refresh_token, acme.sent("token")[0].form["code_verifier"]])
    assert running.wait().code == 0
    assert all(count <= 8 for count in found.values()), found
