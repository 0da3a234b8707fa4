"""Runs the built binary, and remembers all it printed so that a test's end can look for secrets in it."""

import dataclasses
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.environ.get("OAUTHCTL") or str(HERE.parents[1] / ".build/release/oauthctl")


@dataclasses.dataclass
class Result:
    code: int
    out: str
    err: str
    seconds: float = 0

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self):
        """The error object that `--json` puts on stderr."""
        found = [line for line in self.err.splitlines() if line.startswith('{"error"')]
        assert found, f"no error object on stderr: {self.err}"
        return json.loads(found[-1])["error"]


class Running:
    """A command in the background; its stderr can be waited on."""

    def __init__(self, owner, argv, env, stdin, wrapper=()):
        self.owner, self.argv, self.err, self.started = owner, argv, "", time.monotonic()
        self.process = subprocess.Popen(
            [*wrapper, BINARY, *argv], env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.grown = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while chunk := os.read(self.process.stderr.fileno(), 65536):
            with self.grown:
                self.err += chunk.decode("utf-8", "replace")
                self.grown.notify_all()

    def expect(self, pattern, timeout=10):
        """Waits for a pattern on stderr; gives the match."""
        deadline = time.monotonic() + timeout
        with self.grown:
            while not (match := re.search(pattern, self.err)):
                left = deadline - time.monotonic()
                assert left > 0 and (self.process.poll() is None or self.reader.is_alive()), (
                    f"{pattern!r} did not come from {self.argv}: {self.err!r}, exit {self.process.poll()}")
                self.grown.wait(min(left, 0.1))
        return match

    def url(self):
        """The authorization URL that `login --no-browser` prints."""
        return self.expect(r"https?://\S+/authorize\?\S+(?=\s)").group(0)

    def user_code(self):
        """The code that a device login shows, as the asserting server makes them."""
        return self.expect(r"\b[B-Z]{4}-[B-Z]{4}\b").group(0)

    @property
    def alive(self):
        return self.process.poll() is None

    def kill(self, sign=signal.SIGKILL):
        self.process.send_signal(sign)

    def kill_with_children(self):
        """Ends the process and whatever it has started to work for it."""
        victims = [self.process.pid]
        for pid in victims:
            for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
                victims += [int(child) for child in (thread / "children").read_text().split()]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)

    def wait(self, timeout=20):
        out, deadline = b"", time.monotonic() + timeout
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait(5)
            raise AssertionError(f"{self.argv} did not end within {timeout} s; stderr: {self.err}") from None
        self.reader.join(max(0.1, deadline - time.monotonic()))
        out = self.process.stdout.read()
        self.process.stdout.close()
        result = Result(self.process.returncode, out.decode(), self.err, time.monotonic() - self.started)
        self.owner.remember(self.argv, result)
        return result


class OAuthCtl:
    """`oauthctl("token", "acme")` runs a command to its end."""

    def __init__(self, session, scratch):
        self.session, self.scratch = session, pathlib.Path(scratch)
        self.env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **session.env}
        self.transcript = []
        self.background = []

    def __call__(self, *argv, stdin=None, env=None, timeout=20):
        if isinstance(stdin, str):
            stdin = stdin.encode()
        started = time.monotonic()
        try:
            done = subprocess.run(
                [BINARY, *argv], input=b"" if stdin is None else stdin, capture_output=True, timeout=timeout,
                env=self.environment(env), start_new_session=True)
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"{argv} did not end within {timeout} s; stderr: {late.stderr}") from None
        result = Result(
            done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"), time.monotonic() - started)
        self.remember(argv, result)
        return result

    def environment(self, changes):
        merged = {**self.env, **(changes or {})}
        return {name: value for name, value in merged.items() if value is not None}

    def start(self, *argv, env=None, stdin=subprocess.DEVNULL):
        running = Running(self, argv, self.environment(env), stdin)
        self.background.append(running)
        return running

    def start_with(self, wrapper, *argv):
        """Starts it through another program, as `nohup`."""
        running = Running(self, argv, self.env, subprocess.DEVNULL, wrapper=[wrapper])
        self.background.append(running)
        return running

    def remember(self, argv, result):
        self.transcript.append((tuple(argv), result))
        # no Swift runtime failure, whatever the test is about
        assert result.code not in (132, 133, 134, 139, -4, -5, -6, -11), f"{argv} crashed: {result}"
        assert "Fatal error" not in result.err, result.err

    def close(self):
        for running in self.background:
            if running.alive:
                running.kill()
                running.wait()

    # Shortcuts -----------------------------------------------------------------------------------------------------

    @property
    def config(self):
        return pathlib.Path(self.env["HOME"]) / ".config/oauthctl"

    def write_provider(self, value, name=None):
        """Puts a provider file where users do; text is written as it is."""
        folder = self.config / "providers"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name or value['name']}.json"
        file.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))
        return file

    def browser(self, *options, code=None):
        """A program that acts as the browser: approves and follows the redirect."""
        number = len(list(self.scratch.glob("browser-*")))
        file = self.scratch / f"browser-{number}"
        body = code or f"exec {sys.executable} {HERE}/scripted_browser.py {shlex.join(options)} \"$@\""
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)
        return str(file)

    def real_browser(self, info, *options):
        """The browser of a real server, by its description: approves; options are `--deny`, `--device`, `--follow`."""
        more = ["--cacert", info["ca_file"]] if info["ca_file"] else []
        return self.browser(code=f'exec {shlex.join([info["browser"], *more, *(options or ["--follow"])])} "$1"')

    def write_real_provider(self, info, client, issuer=None, name="real", **changes):
        """A provider file for a client of a real server, by its description; gives that client's part of it.

        The client's secret comes from the environment; the files of a key or a certificate are for the test to name.
        """
        known = info["clients"][client]
        value = {
            "name": name, "issuer": info.get("issuers", {}).get(issuer) or info["issuer"], "client_id": known["client_id"],
            "client_auth": known["client_auth"], "scopes": ["openid", "read"], "endpoints": info.get("endpoints", {}),
            "redirect": {"port": info["redirect_ports"][:16]} if "redirect_ports" in info else None,
            "quirks": {"basic_raw": True} if known.get("basic_raw") else None, **changes}
        self.write_provider({key: part for key, part in value.items() if part})
        if "client_secret" in known:
            self.env[f"OAUTHCTL_{name.upper()}_CLIENT_SECRET"] = known["client_secret"]
        if info["ca_file"]:
            self.env["SSL_CERT_FILE"] = info["ca_file"]
        return known

    def login(self, account="acme", *options, env=None, timeout=20):
        """Logs in with a scripted browser, successfully."""
        done = self("login", account, "--browser", self.browser(), *options, env=env, timeout=timeout)
        assert done.code == 0, done
        return done

    def token(self, account="acme", *options, **more):
        """A token, successfully."""
        done = self("token", account, *options, **more)
        assert done.code == 0, done
        assert done.out.endswith("\n") and "\n" not in done.out[:-1], done
        return done.out[:-1]

    def state(self, account="acme"):
        """The one entry of `status --json`."""
        done = self("status", account, "--json")
        assert done.code == 0, done
        (entry,) = done.json
        return entry
