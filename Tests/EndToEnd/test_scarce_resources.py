"""A disk that is full, folders that are missing or not ours, closed streams, few descriptors, little memory, no threads,
libraries that are gone, and shells that start two hundred commands at once. Nothing hangs, nothing ends without a word,
no login is lost."""

import os
import pathlib
import time

import pytest

import scarcity
from keyring_faults import login_in
from scarcity import in_mounts, in_shell

DOCUMENTED = {0, 64, 69, 70, 75, 76, 77, 78, 130}


def locks(oauthctl):
    return pathlib.Path(oauthctl.env["XDG_RUNTIME_DIR"]) / "oauthctl"


@pytest.fixture
def runtime(oauthctl, scratch):
    """A runtime folder without the bus's socket in it, for mounts."""
    folder = scratch / "runtime"
    folder.mkdir(mode=0o700)
    oauthctl.env["XDG_RUNTIME_DIR"] = str(folder)
    return folder


# Folders


@pytest.mark.parametrize("options", ["size=4k,nr_inodes=1,mode=0700", "size=4k,mode=0700,ro"], ids=["full", "read-only"])
def test_without_a_lock_nothing_is_refreshed_and_a_stored_token_is_printed(signed_in, oauthctl, runtime, options):
    mounts = scarcity.tmpfs(runtime, options)
    for argv in (["refresh", "acme"], ["token", "acme", "--force-refresh"], ["revoke", "acme"], ["refresh", "--all"]):
        done = in_mounts(oauthctl, mounts, *argv)
        assert done.code in (75, 78) and done.out == "" and str(runtime) in done.err, (argv, done)
    done = in_mounts(oauthctl, mounts, "token", "acme")
    assert done.code == 0 and signed_in.works(done.out.strip())
    assert signed_in.count("refresh") == signed_in.count("revocation") == 0
    assert oauthctl("refresh", "acme").code == 0


def test_a_login_that_cannot_lock_stores_nothing_and_says_why(signed_in, oauthctl, runtime, keyring):
    before = keyring.item()
    done = in_mounts(
        oauthctl, scarcity.tmpfs(runtime, "size=4k,nr_inodes=1,mode=0700"), "login", "acme", "--browser",
        oauthctl.browser())
    assert done.code in (75, 78) and str(runtime) in done.err, done
    assert keyring.item() == before


def test_a_full_disk_does_not_matter_to_a_lock_that_is_there(signed_in, oauthctl, runtime):
    """The file's content, a pid, serves a message alone."""
    full = f"mkdir -m 700 {runtime}/oauthctl && : >{runtime}/oauthctl/acme%2Fdefault.lock && chmod 600 {runtime}/oauthctl/* " \
           f"&& {{ dd if=/dev/zero of={runtime}/ballast bs=4k 2>/dev/null || :; }}"
    done = in_mounts(oauthctl, scarcity.tmpfs(runtime, "size=8k,mode=0700") + " && " + full, "refresh", "acme")
    assert done.code == 0 and signed_in.count("refresh") == 1, done


def test_files_that_may_not_grow_do_not_matter(signed_in, oauthctl):
    done = in_shell(oauthctl, 'ulimit -f 0; trap "" XFSZ; exec "$@"', "refresh", "acme")
    assert done.code == 0 and signed_in.count("refresh") == 1, done


def test_a_runtime_folder_that_is_missing_is_made_or_told(signed_in, oauthctl, scratch):
    done = oauthctl("refresh", "acme", env={"XDG_RUNTIME_DIR": str(scratch / "gone/deep")})
    assert done.code == 0 and signed_in.count("refresh") == 1
    folder = scratch / "gone/deep/oauthctl"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_runtime_folder_of_somebody_else_is_told(signed_in, oauthctl, scratch):
    folder = scratch / "others"
    (folder / "oauthctl").mkdir(parents=True, mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder / "oauthctl", 1, 1)
    else:
        folder = pathlib.Path("/usr")  # ours in no way either
    done = oauthctl("refresh", "acme", env={"XDG_RUNTIME_DIR": str(folder)})
    assert done.code == 78 and str(folder) in done.err and signed_in.count("refresh") == 0, done
    assert signed_in.works(oauthctl.token())


def test_without_a_runtime_folder_the_state_folder_has_the_locks(signed_in, oauthctl):
    hidden = "mount -t tmpfs tmpfs /run"  # a real /run/user/UID would be taken
    state = pathlib.Path(oauthctl.env["HOME"]) / ".local/state/oauthctl"
    done = in_mounts(oauthctl, hidden, "refresh", "acme", env={"XDG_RUNTIME_DIR": None})
    assert done.code == 0 and [file.name for file in state.iterdir()], done
    assert state.stat().st_mode & 0o777 == 0o700
    (file,) = state.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and file.stat().st_size == 0


def test_a_home_that_cannot_be_written_matters_to_what_writes_there_alone(signed_in, oauthctl, keyring):
    mounts = scarcity.read_only(oauthctl.env["HOME"])
    done = in_mounts(oauthctl, mounts, "providers", "add", "other", "--issuer", "https://issuer.invalid")
    assert done.code == 78 and oauthctl.env["HOME"] in done.err, done
    for argv in (["refresh", "acme"], ["token", "acme"], ["status"], ["login", "acme", "--browser", oauthctl.browser()]):
        assert in_mounts(oauthctl, mounts, *argv).code == 0, argv
    done = in_mounts(oauthctl, mounts, "refresh", "acme", env={"XDG_RUNTIME_DIR": None, "XDG_STATE_HOME": None})
    assert done.code in (0, 78)
    assert in_mounts(oauthctl, mounts, "revoke", "acme").code == 0 and keyring.item() is None


# Streams

ANSWERS = [
    ["token", "acme"], ["token", "acme", "--json"], ["status"], ["status", "--json"], ["providers"],
    ["providers", "list", "--json"], ["providers", "show", "acme"], ["refresh", "acme", "--json"], ["--help"], ["--version"],
    ["help", "login"], ["token", "acme", "--force-refresh"],
]  # fmt: skip
SILENT = [["refresh", "acme"], ["refresh", "--all"], ["revoke", "acme", "--local"]]


@pytest.mark.parametrize("way", [">/dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_an_answer_that_cannot_be_written_is_a_failure(signed_in, oauthctl, way):
    for argv in ANSWERS:
        done = in_shell(oauthctl, f'exec "$@" {way}', *argv)
        assert done.code in DOCUMENTED - {0} and done.out == "", (argv, done)
        assert "2>&-" in way or is_told(done), (argv, done)
    done = in_shell(oauthctl, f'exec "$@" {way}', "login", "acme", "--json", "--browser", oauthctl.browser())
    assert done.code in DOCUMENTED - {0}, done
    assert signed_in.works(oauthctl.token()) and oauthctl("refresh", "acme").code == 0, "the login itself is kept"


@pytest.mark.parametrize("way", ["<&-", "2>&-", "<&- 2>&-", "2>/dev/full", ">&-", "<&- >&- 2>&-"])
def test_streams_that_nobody_needs_may_be_closed(signed_in, oauthctl, way):
    if ">&-" not in way.replace("2>&-", ""):
        for argv in ANSWERS:
            assert in_shell(oauthctl, f'exec "$@" {way}', *argv).code == 0, argv
    assert in_shell(oauthctl, f'exec "$@" {way}', "login", "acme", "--browser", oauthctl.browser()).code == 0
    for argv in SILENT:
        done = in_shell(oauthctl, f'exec "$@" {way}', *argv)
        assert (done.code, done.out) == (0, ""), (argv, done)


def test_a_secret_that_was_to_come_from_a_closed_input_is_told(acme, oauthctl):
    done = in_shell(oauthctl, 'exec "$@" <&-', "login", "acme", "--client-secret-file", "-")
    assert done.code in (64, 78) and "standard input" in done.err, done


def test_without_a_terminal_device_nothing_changes(signed_in, oauthctl):
    for argv in (["token", "acme"], ["refresh", "acme"], ["status"]):
        assert in_mounts(oauthctl, "mount --bind /dev/null /dev/tty", *argv).code == 0


# Descriptors, memory, threads


def is_told(done):
    """There is a message, or with --json an object."""
    return "oauthctl: error: " in done.err or '{"error":' in done.err


def check_ended(done, argv):
    """It ended in a documented way, and not without a word."""
    assert done.code in DOCUMENTED, (argv, done)
    assert done.code == 0 or is_told(done), (argv, done)


@pytest.mark.parametrize("descriptors", [4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20])
def test_few_descriptors(expired, oauthctl, descriptors):
    limit = f'ulimit -n {descriptors}; exec "$@"'
    for argv in (["token", "acme"], ["refresh", "acme"], ["login", "acme", "--browser", oauthctl.browser(), "--timeout", "5s"]):
        done = in_shell(oauthctl, limit, *argv)
        check_ended(done, argv)
    assert expired.works(oauthctl.token()), "the login is lost"


@pytest.mark.parametrize("threads", range(0, 9))
def test_few_threads(expired, oauthctl, threads):
    """Stacks of a gigabyte each, and room for so many."""
    limit = f'ulimit -s {1 << 20}; ulimit -v $((({threads} << 20) + 700000)); exec "$@"'
    for argv in (["token", "acme"], ["refresh", "acme"], ["login", "acme", "--browser", oauthctl.browser(), "--timeout", "5s"]):
        done = in_shell(oauthctl, limit, *argv)
        check_ended(done, argv)
    assert expired.works(oauthctl.token()), "the login is lost"


@pytest.mark.parametrize("megabytes", [60, 80, 100, 120, 140, 180, 240, 320])
def test_little_memory(expired, oauthctl, megabytes):
    """Addresses, to be exact: what a shell can limit."""
    limit = f'ulimit -v {megabytes << 10}; exec "$@"'
    for argv in (["token", "acme"], ["refresh", "acme"]):
        done = in_shell(oauthctl, limit, *argv)
        if done.code == 127:
            continue  # the loader's word: the program was not even begun
        check_ended(done, argv)
        assert "was cut off" not in done.err, ("the refresh's own process has ended by a signal", argv, done)
    assert expired.works(oauthctl.token()), "the login is lost"


# Libraries


@pytest.mark.parametrize("name, package", [("libcrypto.so.3", "libssl3"), ("libcurl.so.4", "libcurl4")])
def test_a_library_that_is_gone_is_told_and_loses_nothing(signed_in, oauthctl, keyring, name, package):
    before = login_in(keyring)
    mounts = scarcity.hidden(scarcity.library(name))
    done = in_mounts(oauthctl, mounts, "token", "acme")
    assert done.code == 0 and signed_in.works(done.out.strip()), "a stored token needs neither"
    for argv in (["refresh", "acme"], ["token", "acme", "--force-refresh"], ["login", "acme", "--browser", oauthctl.browser()]):
        done = in_mounts(oauthctl, mounts, *argv)
        assert done.code in (69, 70) and package in done.err, (argv, done)
    assert login_in(keyring) == before and signed_in.count("refresh") == 0


# Many at once


def test_two_hundred_tokens_of_ten_accounts_are_ten_refreshes(acme, oauthctl):
    acme.expires_in = 0
    accounts = [f"acme/{number}" for number in range(10)]
    for account in accounts:
        oauthctl.login(account)
    began = time.monotonic()
    running = [oauthctl.start("token", account) for _ in range(20) for account in accounts]
    results = [one.wait(120) for one in running]
    assert [done.code for done in results] == [0] * 200, [done for done in results if done.code]
    assert acme.count("refresh") == 10
    assert len({done.out for done in results}) == 10 and all(acme.works(done.out.strip()) for done in results)
    assert time.monotonic() - began < 100
    assert oauthctl("refresh", "--all").code == 0 and acme.count("refresh") == 20, "a session is dead afterwards"


def test_twenty_at_once_that_are_short_of_threads_end_and_lose_nothing(expired, oauthctl, scratch):
    program = scratch / "scarce"
    program.write_text(f'#!/bin/sh\nulimit -s {1 << 20}; ulimit -v {(7 << 20) + 700000}; exec "$@"\n')
    program.chmod(0o755)
    running = [oauthctl.start_with(str(program), "token", "acme") for _ in range(20)]
    for one in running:
        check_ended(one.wait(60), one.argv)
    assert expired.works(oauthctl.token())
    assert expired.count("refresh") <= 2 and oauthctl("refresh", "acme").code == 0
