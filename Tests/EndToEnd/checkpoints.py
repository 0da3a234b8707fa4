"""Stops a debug build at a named moment (Sources/Flows/Checkpoint.swift), to kill it there or let it go on."""

import os
import pathlib
import signal

import command
from keyring_faults import children, state, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEBUG_BINARY = os.environ.get("OAUTHCTL_DEBUG") or str(ROOT / ".build/debug/oauthctl")
VARIABLE = "OAUTHCTL_STOP_AT"


class Stopped:
    """A command that stands at a checkpoint: itself, or the process that refreshes for it."""

    def __init__(self, oauthctl, step, *argv, stdin=None):
        assert os.access(DEBUG_BINARY, os.X_OK), f"there is no {DEBUG_BINARY}; make unit-test builds it"
        self.running = command.Running(
            oauthctl, argv, oauthctl.environment({VARIABLE: step}), stdin, wrapper=[instead_of_release(oauthctl)])
        oauthctl.background += [self, self.running]
        self.step, self.pid = step, None
        wait_until(lambda: self.find() or not self.running.alive, f"{argv} did not come to {step}", timeout=20)
        assert self.pid, f"{argv} ended before it came to {step}: {self.running.wait()}"

    def find(self):
        """Looks for the stopped process; the caller may have ended before."""
        family = [self.running.process.pid]
        for pid in family:
            if state(pid) == "T":
                self.pid = pid
            family += children(pid) if state(pid) not in ("Z", None) else []
        return self.pid

    @property
    def is_worker(self):
        return self.pid != self.running.process.pid

    @property
    def alive(self):
        return self.pid is not None and state(self.pid) == "T"

    def kill(self, both=False):
        """Ends the stopped process, or it and its caller; gives the result of the command."""
        for pid in {self.pid, *([self.running.process.pid] if both else [])}:
            os.kill(pid, signal.SIGKILL)
        return self.running.wait()

    def go_on(self):
        os.kill(self.pid, signal.SIGCONT)

    def wait(self):
        return self.running.wait()

    def result(self):
        self.go_on()
        return self.wait()


def instead_of_release(oauthctl):
    """A program that runs the debug build in the release build's place."""
    file = oauthctl.scratch / "debug"
    if not file.exists():
        file.write_text(f"#!/bin/sh\nshift\nexec {DEBUG_BINARY} \"$@\"\n")
        file.chmod(0o755)
    return str(file)
