"""A private session bus and gnome-keyring for one test, and ways to look into it from outside."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WITH_KEYRING = os.environ.get("WITH_KEYRING", str(ROOT / "Tests/Support/with-keyring"))
WITH_KEEPASSXC = str(ROOT / "Tests/Support/with-keepassxc")
SCHEMAS = {"session": "org.oauthctl.Session", "client": "org.oauthctl.Client"}
BOOK_KEEPING = ("generation", "pending_refresh", "back_off", "retry_after", "failures")


class KeyringSession:
    """Keeps `with-keyring` running until `close`; `env` is what a program in it sees."""

    def __init__(self, mode, home, program=WITH_KEYRING):
        self.home = pathlib.Path(home)
        self.process = subprocess.Popen(
            [program, "--" + mode, "--home", str(home), "sh", "-c", "env -0; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"})
        self.env = self.read_environment()

    def read_environment(self):
        # the end of `env -0` cannot be seen in the stream, so `cat` echoes a mark after it
        self.process.stdin.write(b"\0--mark--\n")
        self.process.stdin.flush()
        seen = b""
        while b"\0--mark--\n" not in seen:
            chunk = os.read(self.process.stdout.fileno(), 65536)
            assert chunk, "with-keyring ended: " + self.process.stderr.read().decode()
            seen += chunk
        entries = [entry.split("=", 1) for entry in seen.decode().split("\0") if "=" in entry]
        keep = ("HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
        return {name: value for name, value in entries if name in keep}

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait(10)
        self.process.stdout.close()
        self.process.stderr.close()

    def run(self, *argv, stdin=None, check=True):
        return subprocess.run(
            argv, input=stdin, capture_output=True, timeout=20, check=check,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **self.env})

    def lock(self):
        """Locks the login keyring, as a screen locker does."""
        self.run(
            "gdbus", "call", "--session", "--dest", "org.freedesktop.secrets", "--object-path",
            "/org/freedesktop/secrets", "--method", "org.freedesktop.Secret.Service.Lock",
            "['/org/freedesktop/secrets/collection/login']")

    @staticmethod
    def attributes(kind, provider, account):
        name = ["client_id", account] if kind == "client" else ["account", account]
        return ["application", "oauthctl", "type", kind, "provider", provider, *name]

    def item(self, provider="acme", account="default", kind="session"):
        """The stored text of an account, or None."""
        found = self.run("secret-tool", "lookup", *self.attributes(kind, provider, account), check=False)
        return found.stdout if found.returncode == 0 else None

    def session(self, provider="acme", account="default"):
        """The stored session as JSON, without what a failed attempt may leave in it for its own book-keeping."""
        value = json.loads(self.item(provider, account))
        return {name: part for name, part in value.items() if name not in BOOK_KEEPING}

    def put(self, value, provider="acme", account="default", kind="session"):
        """Overwrites an account's item with something else."""
        schema = ["xdg:schema", SCHEMAS[kind]]
        self.run(
            "secret-tool", "store", "--label", f"oauthctl: {provider}/{account}",
            *self.attributes(kind, provider, account), *schema, stdin=value)

    def search(self):
        """The attributes and labels of all items of oauthctl, as secret-tool shows them, without their secrets."""
        shown = self.run("secret-tool", "search", "--all", "application", "oauthctl", check=False)
        lines = (shown.stdout + shown.stderr).decode().splitlines()
        return [line for line in lines if not line.startswith("secret = ")]
