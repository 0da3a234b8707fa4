"""Runs a command where something is scarce: descriptors, memory, threads, room on a disk, a library."""

import pathlib
import shlex
import subprocess

import command


def in_shell(oauthctl, script, *argv, env=None, timeout=30, stdin=subprocess.DEVNULL):
    """Runs `script` with the command line in "$@", as `ulimit -n 9; exec "$@"`; gives the result."""
    return run(oauthctl, ["sh", "-c", script, "sh"], argv, env, timeout, stdin)


def in_mounts(oauthctl, mounts, *argv, env=None, timeout=30):
    """Runs it after mounts that nobody else sees."""
    script = f"{{ {mounts}; }} || exit 99; exec \"$@\""
    done = run(oauthctl, ["unshare", "--map-current-user", "--keep-caps", "--mount", "sh", "-e", "-c", script, "sh"],
               argv, env, timeout, subprocess.DEVNULL)
    assert done.code != 99, "a mount namespace is needed for this test: " + done.err
    return done


def tmpfs(folder, options):
    return f"mount -t tmpfs -o {options} tmpfs {shlex.quote(str(folder))}"


def hidden(file):
    """Takes a file away, as a half removed package does."""
    return f"mount --bind /dev/null {shlex.quote(str(file))}"


def read_only(folder):
    folder = shlex.quote(str(folder))
    return f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"


def library(name):
    """The file that the loader takes for a library's name."""
    table = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found = [line.split(" => ")[1] for line in table.splitlines() if line.split()[:1] == [name]]
    assert found, f"{name} is not in the loader's cache"
    return pathlib.Path(found[0]).resolve()


def run(oauthctl, wrapper, argv, env, timeout, stdin):
    try:
        done = subprocess.run(
            [*wrapper, command.BINARY, *argv], env=oauthctl.environment(env), stdin=stdin, capture_output=True,
            timeout=timeout, start_new_session=True)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"{wrapper} {argv} did not end within {timeout} s; stderr: {late.stderr}") from None
    result = command.Result(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
    oauthctl.remember(argv, result)
    return result
