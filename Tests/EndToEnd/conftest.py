"""Fixtures: a home with a keyring, the server, the command. Everything is a test's own, so that workers don't meet."""

import functools
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import command
import leaks
from asserting_server import AuthorizationServer
from diagnosis import diagnose
from keyring_session import KeyringSession
from terminal import Terminal


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
