"""A program in a pseudo-terminal of its own, with expect-like reading."""

import os
import pty
import re
import select
import signal
import subprocess
import termios
import time


class Terminal:
    def __init__(self, argv, env, owner=None, columns=80):
        self.main, self.side = pty.openpty()
        termios.tcsetwinsize(self.side, (24, columns))
        self.modes_before = termios.tcgetattr(self.side)
        self.seen, self.at, self.argv, self.owner = "", 0, argv, owner
        side = self.side
        self.process = subprocess.Popen(
            argv, env={"TERM": "xterm-256color", **env}, stdin=side, stdout=side, stderr=side, close_fds=True,
            start_new_session=False, preexec_fn=lambda: os.login_tty(side))

    def pump(self, wait):
        """Reads what is there, waiting at most so many seconds for something."""
        ready, _, _ = select.select([self.main], [], [], wait)
        if not ready:
            return False
        try:
            chunk = os.read(self.main, 65536)
        except OSError:
            return False
        self.seen += chunk.decode("utf-8", "replace")
        return bool(chunk)

    def expect(self, pattern, timeout=10):
        """Waits for a pattern after the last match; gives the match."""
        deadline = time.monotonic() + timeout
        while not (match := re.compile(pattern).search(self.seen, self.at)):
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern!r} did not come; the terminal shows: {self.seen[self.at:]!r}"
            if not self.pump(min(left, 0.1)) and self.process.poll() is not None:
                self.pump(0.05)
                match = re.compile(pattern).search(self.seen, self.at)
                assert match, f"{pattern!r} did not come before the end: {self.seen[self.at:]!r}"
                break
        self.at = match.end()
        return match

    def send(self, text):
        os.write(self.main, text.encode())

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self.side)[3] & termios.ECHO)

    def wait_for_no_echo(self, timeout=5):
        deadline = time.monotonic() + timeout
        while self.echoes:
            assert time.monotonic() < deadline, f"the terminal still echoes: {self.seen!r}"
            self.pump(0.01)

    def wait(self, timeout=10):
        """Waits for the end; gives the exit code."""
        deadline = time.monotonic() + timeout
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                self.process.kill()
                self.process.wait(5)
                raise AssertionError(f"{self.argv} did not end; the terminal shows: {self.seen!r}")
            self.pump(0.05)
        while self.pump(0.05):
            pass
        return self.process.returncode

    def assert_modes_restored(self):
        assert termios.tcgetattr(self.side) == self.modes_before, "the terminal's modes were not restored"

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(5)
        os.close(self.main)
        os.close(self.side)
