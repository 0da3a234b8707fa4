"""Ends, stops and starts the daemons of a keyring session: the one that keeps the secrets, and the bus."""

import os
import pathlib
import signal
import subprocess
import time

PASSWORD = os.environ.get("KEYRING_PASSWORD", "a password for tests").encode()


class Daemons:
    """The daemons of a running `KeyringSession`; `close` ends those that were started here."""

    def __init__(self, session):
        self.session, self.started = session, []
        self.folder = pathlib.Path(session.env["XDG_RUNTIME_DIR"])
        found = {pathlib.Path(f"/proc/{pid}/comm").read_text().strip(): pid for pid in children(session.process.pid)}
        self.keyring, self.bus = found["gnome-keyring-d"], found["dbus-daemon"]

    def kill(self, name):
        """Ends a daemon as the kernel does when memory is short; it is gone when this returns."""
        pid = getattr(self, name)
        os.kill(pid, signal.SIGCONT)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: state(pid) in ("Z", None), f"{name} does not end")

    def stop(self, name):
        """Makes a daemon mute: its sockets are open, and nobody answers."""
        pid = getattr(self, name)
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: state(pid) == "T", f"{name} does not stop")

    def resume(self, name):
        os.kill(getattr(self, name), signal.SIGCONT)

    def start_keyring(self, unlocked=True):
        """Starts the daemon anew, on the bus there is."""
        options = ["--unlock"] if unlocked else []
        self.keyring = self.start(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", *options], PASSWORD)
        wait_until(lambda: self.owner() is not None, "gnome-keyring-daemon did not start")

    def start_bus(self):
        """Starts a bus at the same address."""
        (self.folder / "bus").unlink(missing_ok=True)
        self.bus = self.start(
            ["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile", "--nosyslog"], b"")
        wait_until((self.folder / "bus").is_socket, "dbus-daemon did not start")

    def owner(self):
        done = self.session.run(
            "gdbus", "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
            "org.freedesktop.DBus.GetNameOwner", "org.freedesktop.secrets", check=False)
        return done.stdout if done.returncode == 0 else None

    def start(self, argv, text):
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **self.session.env})
        process.stdin.write(text)
        process.stdin.close()
        self.started.append(process)
        return process.pid

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait(5)


def login_in(keyring, provider="acme"):
    """What is stored of a login, without the notes on failed attempts."""
    return {name: part for name, part in keyring.session(provider).items() if name != "backoff"}


def children(pid):
    """The processes that a process has started, not theirs."""
    found = []
    try:
        for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (thread / "children").read_text().split()]
    except OSError:
        pass  # a thread has ended, or the process has: whoever waits for it looks again
    return found


def state(pid):
    """The letter that the kernel has for what a process does; None where there is none."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None


def wait_until(is_so, message, timeout=10):
    deadline = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < deadline, message
        time.sleep(0.005)
