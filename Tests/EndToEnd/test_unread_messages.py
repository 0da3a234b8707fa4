"""A script reads the address from standard error, and nothing after it; a page in the browser calls the port again and again."""

import fcntl
import os
import re
import subprocess
import urllib.parse
import urllib.request

import pytest

import command


@pytest.fixture
def unread(acme, oauthctl):
    """A login whose messages nobody reads after the address, with what a pipe holds used up."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [command.BINARY, "login", "acme", "--no-browser", "--timeout", "2s"], env=oauthctl.environment({}),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
    seen = ""
    while not (found := re.search(r"http://\S+(?=\s)", seen)):
        seen += os.read(reader, 4096).decode()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 64)
    except BlockingIOError:
        os.set_blocking(writer, True)  # it is the child's standard error as well
    yield process, found.group(0)
    process.kill()
    process.wait()
    os.close(reader)
    os.close(writer)


def call(acme, url, query):
    redirect = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["redirect_uri"][0]
    try:
        urllib.request.urlopen(redirect + "?" + query, timeout=1).read()
    except OSError:
        pass


def test_a_login_ends_with_its_time_although_a_remark_is_not_read(acme, unread):
    process, url = unread
    call(acme, url, "state=wrong&code=x")
    assert process.wait(4) == 75, "the remark on a wrong callback blocks the login for ever"


def test_a_login_goes_on_although_a_remark_is_not_read(acme, unread):
    process, url = unread
    call(acme, url, "state=wrong&code=x")
    try:
        urllib.request.urlopen(acme.approve(url), timeout=1).read()
    except OSError:
        pass
    acme.wait_for("token", timeout=2)


def test_one_signal_ends_it_although_a_remark_is_not_read(acme, unread):
    process, url = unread
    call(acme, url, "state=wrong&code=x")
    process.terminate()
    assert process.wait(3) == 143
