"""The soak's commands: each is run, perhaps killed, and looked at."""

import collections
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 120  # seconds: the lock's 50, the network's 30, a keyring that is away for 15, and a slow machine
DOCUMENTED = {0, 69, 75, 76, 77, 78, 130}
TOKEN_LIKE = re.compile(rb"(?:at|rt)-[A-Za-z0-9_-]{32}")
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@dataclasses.dataclass
class Done:
    argv: tuple
    code: int
    out: str
    err: str
    at: float
    seconds: float
    killed: str = ""

    def __str__(self):
        how = f", {self.killed}" if self.killed else ""
        return f"{self.at:.2f} {' '.join(self.argv)} -> {self.code} after {self.seconds:.2f} s{how}: {self.err.strip()[:200]}"


class Commands:
    """Runs oauthctl for one soak; `wrongs` are what may not happen, losses apart."""

    def __init__(self, binary, server, scratch, killing=0.35, has_locks=True):
        self.binary, self.server, self.scratch, self.killing, self.has_locks = binary, server, scratch, killing, has_locks
        self.kinds, self.codes, self.kills = collections.Counter(), collections.Counter(), collections.Counter()
        self.wrongs, self.transcript, self.longest = [], collections.deque(maxlen=3000), 0
        self.lock = threading.Lock()
        self.browser = scratch / "browser"
        self.browser.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE}/scripted_browser.py "$@"\n')
        self.browser.chmod(0o755)

    def environment(self, errors):
        keep = ("PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
        found = {name: os.environ[name] for name in keep}
        if not self.has_locks:  # a folder of its own for each: locks that exclude nobody
            found["XDG_RUNTIME_DIR"] = f"{errors}.run"
            os.mkdir(found["XDG_RUNTIME_DIR"], 0o700)
        return {**found, "LANG": "C.UTF-8"}

    def run(self, dice, kind, *argv, may_be_killed=True):
        """Runs a command to its end, or to ours; `kind` is what it is counted as."""
        with self.lock:
            self.kinds[kind] += 1
            errors = self.scratch / f"{sum(self.kinds.values())}.err"
        in_shell = dice.random() < 0.3
        argv = (*argv, "--verbose") if dice.random() < 0.15 else argv
        line = ["sh", "-c", '"$@"; exit $?', "sh", self.binary, *argv] if in_shell else [self.binary, *argv]
        after = dice.expovariate(8) if may_be_killed and dice.random() < self.killing else None
        victim, number = dice.choice(("command", "group", "shell")), dice.choice(SIGNALS)
        began, killed = time.monotonic(), ""
        with open(errors, "wb") as messages:
            process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages, env=self.environment(errors),
                start_new_session=True)
        try:
            out, _ = process.communicate(timeout=PATIENCE if after is None else after)
        except subprocess.TimeoutExpired:
            if after is not None:
                killed = self.kill(process, in_shell, victim, number)
            out = self.last_words(process, argv)
        done = Done(
            argv, process.returncode, out.decode("utf-8", "replace"), errors.read_text(errors="replace"), began,
            time.monotonic() - began, killed)
        self.look(done)
        return done

    def last_words(self, process, argv):
        """What it prints until it ends. A command that outlives its shell counts as long as it runs."""
        try:
            return process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            self.wrongs.append(f"{' '.join(argv)} did not end within {PATIENCE} s")
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0]

    def kill(self, process, in_shell, victim, number):
        """Sends a signal to the command, to its process group, or to the shell that called it."""
        pids = [process.pid]
        try:
            if in_shell and victim == "command":
                pids = [int(p) for p in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
            if victim == "group":
                os.killpg(process.pid, number)
            for pid in pids if victim != "group" else []:
                os.kill(pid, number)
        except (ProcessLookupError, FileNotFoundError):
            return ""
        name = f"{number.name} to the {victim if in_shell or victim == 'group' else 'command'}"
        with self.lock:
            self.kills[name] += 1
        return name

    def look(self, done):
        """Whether all is as promised, whatever the server and the keyring did."""
        argv, wrong = " ".join(done.argv), self.wrongs.append
        by_signal = {code for number in SIGNALS for code in (-number, 128 + number)} if done.killed else set()
        if done.code not in DOCUMENTED | by_signal:
            wrong(f"{argv} ended with {done.code}: {done.err[-500:]}")
        if "Fatal error" in done.err:
            wrong(f"{argv} crashed: {done.err[-500:]}")
        if done.code == 130 and not done.killed:
            wrong(f"{argv} says that it was interrupted, and was not")
        token = done.out.removesuffix("\n")
        if done.argv[0] == "token":
            if done.code == 0 and not token or token and token not in self.server.secrets:
                wrong(f"{argv} printed {len(done.out)} bytes that are no token of the server's")
        elif self.leak(done.out.encode()) or (done.out and done.argv[0] not in ("status",)):
            wrong(f"{argv} printed what it should not")
        if self.leak(done.err.encode()):
            wrong(f"{argv} shows a secret on stderr")
        with self.lock:
            self.codes[done.code] += 1
            self.longest = max(self.longest, done.seconds)
            self.transcript.append(done)

    def leak(self, content):
        """Whether there is a token of the server's in it."""
        return any(found.decode() in self.server.secrets for found in TOKEN_LIKE.findall(content))

    def of(self, account, count=8):
        """The last commands that had to do with an account, for a diagnosis."""
        with self.lock:
            known = [done for done in self.transcript if account in done.argv or "--all" in done.argv]
        return known[-count:]

    def ours(self):
        """The processes of this soak's oauthctl, as pid and command line; the bus tells them from other people's."""
        mark = os.environ["DBUS_SESSION_BUS_ADDRESS"].encode()
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                line, variables = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
            except OSError:
                continue
            if self.leak(line) or mark in variables and self.leak(variables):
                self.wrongs.append(f"a secret is in the arguments or the environment of {line[:80]!r}")
            if mark in variables and line.startswith((self.binary.encode() + b"\0", b"/proc/self/exe\0")):
                yield int(entry.name), line.decode("utf-8", "replace").rstrip("\0").split("\0")
