"""Nobody reads what a command says: Ctrl-S at a terminal, a pager that waits, a logger that hangs."""

import termios
import time

import faults
from keyring_faults import wait_until


def test_tokens_are_saved_although_nobody_takes_the_trace(expired, oauthctl, keyring, terminal):
    """The trace of the reply is written before the reply is stored: as long as that write blocks, the only copy of the
    new tokens is in memory, and the account is locked for everyone."""
    expired.on("refresh", faults.late(0.6))
    running = terminal("token", "acme", "--verbose")
    expired.wait_for("refresh")
    before = keyring.item()
    time.sleep(0.2)
    termios.tcflow(running.side, termios.TCOOFF)  # as Ctrl-S
    try:
        wait_until(lambda: keyring.item() != before, "the reply is not stored while the terminal stands", timeout=3)
    finally:
        termios.tcflow(running.side, termios.TCOON)
        running.wait()
        running.seen = ""  # the token is its answer


def test_a_login_is_saved_although_nobody_takes_the_status_line(acme, oauthctl, keyring, terminal):
    """Without --verbose, too: "saving the tokens" is shown first. The server may have ended the former grant by then."""
    oauthctl.login()
    acme.on("token", faults.late(0.6))
    running = terminal("login", "acme", "--browser", oauthctl.browser())
    acme.wait_for("token", 2)
    before = keyring.item()
    time.sleep(0.2)
    termios.tcflow(running.side, termios.TCOOFF)
    try:
        wait_until(lambda: keyring.item() != before, "the login is not stored while the terminal stands", timeout=3)
    finally:
        termios.tcflow(running.side, termios.TCOON)
        running.wait()
