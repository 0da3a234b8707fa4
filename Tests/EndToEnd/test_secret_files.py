"""Files that secrets are read from, and files that are written: secrets come out of the one kind and get into none."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

import faults
import leaks
from command import BINARY

SECRET = "client-secret+with/odd=signs 7"


@pytest.fixture
def give_secret(acme, oauthctl):
    """Logs in with a secret from somewhere; gives the result, and checks what was sent where it succeeded."""
    acme.add_client(id="web", secret=SECRET, auth="post")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="post"))

    def give(path, **more):
        argv = ["login", "acme", "--browser", oauthctl.browser(), "--client-secret-file", str(path)]
        done = oauthctl(*argv, **more)
        assert (done.code == 0) == (acme.count("token") > 0)
        return done

    return give


def test_a_secret_from_a_link_a_named_pipe_and_standard_input(give_secret, scratch, secret_file):
    link = scratch / "link"
    link.symlink_to(secret_file(SECRET))
    assert give_secret(link).code == 0
    pipe = scratch / "pipe"
    os.mkfifo(pipe, 0o600)
    writer = subprocess.Popen(["sh", "-c", 'printf "%s\\r\\n" "$2" >"$1"', "sh", pipe, SECRET])
    assert give_secret(pipe).code == 0 and writer.wait() == 0
    assert give_secret("/dev/stdin", stdin=SECRET + "\n").code == 0


def test_a_secret_by_process_substitution(give_secret, acme, oauthctl):
    """As `--client-secret-file <(pass show acme)` in bash."""
    script = 'exec "$1" login acme --browser "$2" --client-secret-file <(printf "%s\\n" "$3")'
    done = subprocess.run(
        ["bash", "-c", script, "bash", BINARY, oauthctl.browser(), SECRET], env=oauthctl.env, capture_output=True,
        text=True, timeout=20)
    assert done.returncode == 0 and acme.sent("token")[0].form["client_secret"] == SECRET, done


WRONG_FILES = {
    "nothing": lambda path: path.write_text(""),
    "a line end": lambda path: path.write_text("\n"),
    "a mebibyte": lambda path: path.write_text("x" * (1 << 20)),
    "a folder": lambda path: path.mkdir(),
    "a loop of links": lambda path: path.symlink_to(path),
    "a file that others may write": lambda path: (path.write_text(SECRET), path.chmod(0o622)),
    "a link to such a file": lambda path: (
        pathlib.Path(f"{path}.open").write_text(SECRET), os.chmod(f"{path}.open", 0o666), path.symlink_to(f"{path}.open")),
    "nothing at all": lambda path: None,
    "the null device": lambda path: path.symlink_to("/dev/null"),
    "zeros without end": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_what_is_no_secret_is_refused_before_anything_is_asked(give_secret, acme, scratch, name):
    path = scratch / "wrong"
    before = os.umask(0o077)
    try:
        WRONG_FILES[name](path)
    finally:
        os.umask(before)
    done = give_secret(path)
    assert done.code in (64, 78) and str(path) in done.err and SECRET not in done.err, done
    assert not acme.requests


def test_nothing_that_is_written_anywhere_holds_a_secret(acme, oauthctl, scratch):
    """All the folders that a program may write to are its own here, and searched."""
    names = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR")
    for name in names:
        (scratch / name).mkdir(0o700)
    where = {name: str(scratch / name) for name in names}
    shutil.copytree(oauthctl.config, scratch / "XDG_CONFIG_HOME/oauthctl")
    acme.add_client(id="web", secret=SECRET, auth="post")
    folder = scratch / "XDG_CONFIG_HOME/oauthctl/providers"
    (folder / "acme.json").write_text(json.dumps(acme.provider(client_id="web", client_auth="post", scopes=["openid"])))
    oauthctl.login("acme", "--verbose", env={**where, "OAUTHCTL_ACME_CLIENT_SECRET": SECRET})
    acme.on("refresh", faults.answer(503, "busy"))
    for argv in (["refresh", "acme"], ["token", "acme", "--force-refresh"], ["status", "--json"], ["refresh", "--all"]):
        oauthctl(*argv, env=where)
    assert oauthctl("token", "acme", "--format", "json", env=where).json["access_token"] in acme.secrets
    acme.on("refresh", faults.error("invalid_grant", error_description=f"bad {acme.grants[0].refresh_token}"))
    assert oauthctl("refresh", "acme", env=where).code == 77
    found = list(leaks.in_files(scratch, acme.secrets | set(acme.codes)))
    assert not found and sum(len(files) for _, _, files in os.walk(scratch)) >= 3, found
