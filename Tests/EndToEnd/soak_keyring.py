"""The keyring of a soak: looked into from outside, locked and unlocked, killed and started again."""

import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import time

from keyring_session import KeyringSession

PASSWORD = os.environ.get("KEYRING_PASSWORD", "a password for tests")
UNLOCK, DONE = 1, 0  # of gnome-keyring's control socket, which a login's PAM module uses


class KeyringAway(Exception):
    """The keyring is locked, or its daemon does not run."""


class SoakKeyring:
    """The daemon that `with-keyring` has started around this process, and those that take its place."""

    def __init__(self):
        self.pid = int(os.environ["KEYRING_PID"])
        self.daemon = None
        self.kills = self.locks = self.outages = 0

    def kill_and_restart(self, pause):
        """SIGKILL, nothing for `pause` seconds, and a new daemon with the keyring open."""
        self.outages += 1
        os.kill(self.pid, signal.SIGKILL)
        self.kills += 1
        if self.daemon:
            self.daemon.wait()
        time.sleep(pause)
        self.daemon = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock"], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.daemon.stdin.write(PASSWORD.encode())
        self.daemon.stdin.close()
        self.pid = self.daemon.pid
        deadline = time.monotonic() + 10
        while not self.is_open():
            assert time.monotonic() < deadline, "the keyring did not come back"
            time.sleep(0.02)

    def lock_and_unlock(self, pause):
        """Locks it as a screen locker does, and unlocks it after `pause` seconds as a login does."""
        self.outages += 1
        self.call("/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock", f"['{COLLECTION}']")
        self.locks += 1
        time.sleep(pause)
        self.unlock()

    def unlock(self):
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(10)
            control.connect(str(pathlib.Path(os.environ["XDG_RUNTIME_DIR"], "keyring/control")))
            word = PASSWORD.encode()
            control.sendall(b"\0" + struct.pack(">III", 12 + len(word), UNLOCK, len(word)) + word)
            _, result = struct.unpack(">II", control.recv(8))
        assert result == DONE, f"the keyring was not unlocked: {result}"

    def is_open(self):
        shown = self.call(COLLECTION, "org.freedesktop.DBus.Properties.Get", "org.freedesktop.Secret.Collection", "Locked")
        return b"false" in shown

    def call(self, path, method, *arguments):
        done = subprocess.run(
            ["gdbus", "call", "--session", "--timeout", "10", "--dest", "org.freedesktop.secrets", "--object-path", path,
             "--method", method, *arguments], capture_output=True, timeout=20)
        return done.stdout

    def session(self, account):
        """What is stored for an account, or None where nothing is. Raises KeyringAway where that cannot be told."""
        before = self.outages
        if not self.is_open():
            raise KeyringAway
        found = subprocess.run(
            ["secret-tool", "lookup", *KeyringSession.attributes("session", *account.split("/"))],
            capture_output=True, timeout=20)
        if found.returncode == 0 and found.stdout:
            return json.loads(found.stdout)
        # a keyring that is locked, or dies, shows nothing either
        if found.stderr or self.outages != before or not self.is_open():
            raise KeyringAway
        return None

    def close(self):
        if self.daemon:
            self.daemon.kill()
            self.daemon.wait()


COLLECTION = "/org/freedesktop/secrets/collection/login"
