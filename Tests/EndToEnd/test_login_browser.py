"""Which browser is started, how, and when none is."""

import json
import os
import time

import pytest

import loopback


@pytest.fixture
def record(scratch):
    """Where the scripted browser leaves its record; reads it, waiting a little."""
    file = scratch / "record.json"

    def read(timeout=10):
        deadline = time.monotonic() + timeout
        while not file.exists():
            assert time.monotonic() < deadline, "the browser left no record"
            time.sleep(0.02)
        return json.loads(file.read_text())

    read.options = ["--record", str(file)]
    read.file = file
    return read


def test_the_browser_is_not_waited_for(acme, oauthctl, record):
    browser = oauthctl.browser(*record.options, "--linger", "30")
    done = oauthctl("login", "acme", "--browser", browser)
    assert done.code == 0 and done.seconds < 10
    os.kill(record()["pid"], 15)


def test_a_browser_in_the_foreground_is_waited_for_no_more(acme, oauthctl):
    browser = oauthctl.browser(code='(sleep 0.3; echo "noise on stdout"; echo "noise on stderr" >&2); exec sleep 4')
    flow = oauthctl.start("login", "acme", "--browser", browser)
    done = oauthctl("login", "acme/other", "--browser", oauthctl.browser())
    assert done.code == 0
    flow.kill(2)
    ended = flow.wait()
    assert ended.code == 130 and "noise" not in ended.out


def test_the_browser_runs_detached_in_a_session_of_its_own(acme, oauthctl, record):
    flow = oauthctl.start("login", "acme", "--browser", oauthctl.browser(*record.options))
    assert flow.wait().code == 0
    seen = record()
    assert seen["session"] != flow.process.pid, "the browser is in the session of the command"
    listening = [target for target in seen["descriptors"].values() if target.startswith("socket:")]
    assert not listening, "the browser inherited a socket"


def test_no_secret_is_in_the_browsers_environment_or_arguments(acme, oauthctl, record):
    secret = "env-secret-value"
    acme.add_client(id="web", secret=secret, auth="post")
    oauthctl.write_provider(acme.provider(client_auth="post"))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(*record.options),
                    env={"OAUTHCTL_ACME_CLIENT_ID": "web", "OAUTHCTL_ACME_CLIENT_SECRET": secret})
    assert done.code == 0, done
    seen = record()
    assert not [name for name in seen["environment"] if name.startswith("OAUTHCTL_")]
    text = json.dumps([seen["environment"], seen["argv"]])
    assert secret not in text
    assert acme.sent("token")[0].form["code_verifier"] not in text


def test_a_browser_command_may_say_where_the_url_goes(acme, oauthctl, record, scratch):
    wrapper = scratch / "wrapper"
    wrapper.write_text(f'#!/bin/sh\n[ "$1" = --url ] || exit 9\nexec {oauthctl.browser(*record.options)} "$2"\n')
    wrapper.chmod(0o755)
    assert oauthctl("login", "acme", "--browser", f"{wrapper} --url %s").code == 0


def test_BROWSER_is_a_list_and_the_first_that_starts_is_used(acme, oauthctl, record):
    browser = oauthctl.browser(*record.options)
    done = oauthctl("login", "acme", "--timeout", "10s",
                    env={"DISPLAY": ":99", "BROWSER": f"/nonexistent/browser:{browser}"})
    assert done.code == 0, done


def test_the_url_is_one_argument_and_goes_through_no_shell(acme, oauthctl, record):
    oauthctl.write_provider(acme.provider(authorization_params={"odd": "$(touch pwned);`id`'\" &x"}))
    assert oauthctl("login", "acme", "--browser", oauthctl.browser(*record.options)).code == 0
    assert acme.sent("authorization")[0].query["odd"] == "$(touch pwned);`id`'\" &x"


@pytest.mark.parametrize("env", [
    {}, {"DISPLAY": ":99", "SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"}, {"WAYLAND_DISPLAY": "w", "SSH_TTY": "/dev/pts/1",
     "SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"},
], ids=["no-display", "ssh", "ssh-wayland"])  # fmt: skip
def test_without_a_display_or_over_ssh_the_url_is_printed_and_no_browser_started(acme, oauthctl, scratch, env):
    tools = scratch / "tools"
    tools.mkdir()
    opened = scratch / "opened"
    (tools / "xdg-open").write_text(f"#!/bin/sh\ntouch {opened}\n")
    (tools / "xdg-open").chmod(0o755)
    flow = oauthctl.start("login", "acme", env={"PATH": f"{tools}:{os.environ['PATH']}", **env})
    loopback.get(acme.approve(flow.url()))
    assert flow.wait().code == 0
    assert not opened.exists()


def test_with_a_display_xdg_open_is_the_browser(acme, oauthctl, scratch, record):
    tools = scratch / "tools"
    tools.mkdir()
    os.symlink(oauthctl.browser(*record.options), tools / "xdg-open")
    done = oauthctl("login", "acme", env={"PATH": f"{tools}:{os.environ['PATH']}", "DISPLAY": ":99"})
    assert done.code == 0, done
    assert record()["url"].startswith(acme.base + "/authorize?")


def test_a_browser_that_cannot_be_started_leaves_the_url(acme, oauthctl):
    flow = oauthctl.start("login", "acme", "--browser", "/nonexistent/browser", "--timeout", "10s")
    try:
        url = flow.url()
    except AssertionError:
        assert flow.wait().code == 69  # to give up at once is right too
        return
    loopback.get(acme.approve(url))
    assert flow.wait().code == 0


def test_the_page_says_that_the_window_can_be_closed(acme, oauthctl, record):
    assert oauthctl("login", "acme", "--browser", oauthctl.browser(*record.options)).code == 0
    seen = record()
    assert seen["status"] == 200 and "<html" in seen["page"].lower()


def test_the_listener_is_bound_before_the_browser_starts(acme, oauthctl, record):
    # the scripted browser follows at once and tries only once: it would find a closed port
    for _ in range(3):
        record.file.unlink(missing_ok=True)
        assert oauthctl("login", "acme", "--browser", oauthctl.browser(*record.options)).code == 0
        assert record()["status"] == 200
