"""Fixtures: a home with a keyring, the server, the command. Everything is a test's own, so that workers don't meet."""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import certificates
import command
import jose
import key_files
import leaks
from asserting_server import AuthorizationServer
from diagnosis import diagnose
from keyring_session import ROOT, KeyringSession
from resource_server import ResourceServer
from small_client import SmallClient
from terminal import Terminal


SUPPORT = ROOT / "Tests/Support"
FOLDERS = ("HOME", "XDG_RUNTIME_DIR")  # where a secret in the clear is searched for


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A skipped test is a failure: what it needs is installed by `make deps`."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which counts as a failure: {report.longrepr}"


def pytest_sessionstart(session):
    if not os.access(command.BINARY, os.X_OK):
        raise pytest.UsageError(f"there is no binary at {command.BINARY}: build it first, or set OAUTHCTL")


@pytest.fixture
def scratch():
    """A folder of the test's own, with a short path: sockets live in it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="e2e-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def make_session(scratch):
    """Starts keyring sessions in any state; a second one with the same home sees what the first one stored."""
    running = []

    def make(mode, home="home"):
        session = KeyringSession(mode, scratch / home)
        running.append(session)
        return session

    yield make
    for session in running:
        if session.process.poll() is None:
            session.close()


@pytest.fixture
def keyring(make_session):
    """An unlocked keyring."""
    return make_session("unlocked")


@pytest.fixture
def servers():
    """Makes asserting servers; whatever they found wrong fails the test."""
    made = []

    def make(**options):
        made.append(AuthorizationServer(**options))
        return made[-1]

    make.made = made
    yield make
    for one in made:
        one.close()
    violations = [line for one in made for line in one.violations]
    assert not violations, "the client sent what it should not: " + "; ".join(violations)


@pytest.fixture
def small(server):
    """A client of a few lines, of the test's own server."""
    return SmallClient(server)


@pytest.fixture
def resources(servers):
    """Makes protected resources: resources(server, another, path="/mcp"); their violations fail the test too."""

    def make(*authorization_servers, **options):
        servers.made.append(ResourceServer(*authorization_servers, **options))
        return servers.made[-1]

    return make


@pytest.fixture
def tls(scratch):
    """A certificate authority of the test's own, and a server certificate: servers(tls=tls), --cacert tls.authority."""
    return certificates.make(scratch / "tls")


@pytest.fixture
def make_certificate(scratch, tls):
    """Makes client certificates: signed by `tls.authority`, or by itself (give that file to the server as an authority)."""

    def make(name="client", by_itself=False):
        return certificates.make_client(scratch / "tls", name, None if by_itself else scratch / "tls")

    return make


@pytest.fixture
def make_key(secret_file, make_oauthctl):
    """Makes keys in files of 0600; what is private in them must not be seen anywhere but there.

    make_key("P-256", form="jwk", id="k1"): kind RSA, P-256, P-384, P-521 or Ed25519; form pem, traditional, jwk or jwks.
    """

    def make(kind="P-256", form="pem", id=None, number=0):
        key = jose.key(kind, number, id)
        made = key_files.KeyFile(secret_file(key_files.text_of(key, form)), key)
        make_oauthctl.secrets |= made.secrets
        return made

    return make


@pytest.fixture
def service_account(server, secret_file, make_oauthctl):
    """Makes the JSON file of a service account that the server knows; members may be changed, None takes one out."""

    def make(kind="RSA", **changes):
        key = jose.key(kind, id="sa-1")
        made = key_files.KeyFile(secret_file(key_files.service_account(server, key, **changes)), key)
        make_oauthctl.secrets |= made.secrets
        return made

    return make


@pytest.fixture(scope="session")
def real_server():
    """Starts the real servers of this worker: real_server("glewlwyd", "--tls") gives the description, made once."""
    started = {}

    def start(name, *options):
        if (name, options) not in started:
            done = subprocess.run([SUPPORT / name, "up", "0", *options], capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            started[name, options] = json.loads(done.stdout)
        return started[name, options]

    yield start
    for (name, _), info in started.items():
        subprocess.run([SUPPORT / name, "down", str(info["port"])], check=True, timeout=60)


@pytest.fixture
def glewlwyd(real_server):
    return real_server("glewlwyd")


@pytest.fixture
def glewlwyd_tls(real_server):
    return real_server("glewlwyd", "--tls")


@pytest.fixture
def dot(real_server):
    """django-oauth-toolkit."""
    return real_server("dot")


@pytest.fixture
def make_oauthctl(servers, scratch, make_session):
    """Makes commands in an environment; at the end their output and their files are searched for secrets."""
    made = []

    def make(session):
        made.append(command.OAuthCtl(session, scratch))
        return made[-1]

    make.secrets = set()
    yield make
    for one in made:
        one.close()
    secrets = make.secrets.union(*(server.secrets for server in servers.made))
    found = [line for one in made for line in leaks.in_transcript(one.transcript, secrets)]
    folders = {scratch / "home"}.union(one.env[name] for one in made for name in FOLDERS if name in one.env)
    for folder in folders:
        found += leaks.in_files(folder, secrets)
    assert not found, "; ".join(found)


@pytest.fixture
def secret_file(scratch):
    """Makes a file that only its owner can read."""

    def make(text):
        file = scratch / f"secret-{len(list(scratch.glob('secret-*')))}"
        file.touch(0o600)
        file.write_text(text)
        return str(file)

    return make


@pytest.fixture
def oauthctl(make_oauthctl, keyring):
    return make_oauthctl(keyring)


@pytest.fixture
def server(servers):
    return servers()


@pytest.fixture
def acme(server, oauthctl):
    """The server, known to the command as the provider `acme`."""
    oauthctl.write_provider(server.provider())
    return server


@pytest.fixture
def signed_in(acme, oauthctl):
    """`acme` with the account `acme/default`, its token good for an hour."""
    oauthctl.login()
    return acme


@pytest.fixture
def expired(acme, oauthctl):
    """`acme` with the account `acme/default`, its token expired at once."""
    acme.expires_in = 0
    oauthctl.login()
    return acme


@pytest.fixture
def terminal(oauthctl):
    """Runs the command in a pseudo-terminal."""
    made = []

    def make(*argv, env=None, columns=80, program=None):
        made.append(Terminal([program or command.BINARY, *argv], oauthctl.environment(env), columns=columns))
        return made[-1]

    yield make
    for one in made:
        one.close()
        # what a person typed or pasted is theirs; tokens are not
        oauthctl.transcript.append((("terminal", *one.argv[1:]), command.Result(0, "", one.seen)))


@pytest.fixture
def doctor(oauthctl):
    return functools.partial(diagnose, oauthctl)
