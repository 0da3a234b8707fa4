"""A process that is stopped for longer than any deadline (SIGSTOP, a frozen container) goes on where it was."""

import os
import signal
import time

from keyring_faults import children

import faults


def test_a_pause_beyond_the_deadline_loses_no_reply(servers, oauthctl):
    renewed, fresh = servers(), servers()
    oauthctl.write_provider(renewed.provider(name="renewed"))
    oauthctl.write_provider(fresh.provider(name="fresh"))
    oauthctl.login("renewed")
    renewed.on("refresh", faults.late(1))
    fresh.on("token", faults.late(1))
    refresh = oauthctl.start("refresh", "renewed")
    login = oauthctl.start("login", "fresh", "--browser", oauthctl.browser())
    renewed.wait_for("refresh")
    fresh.wait_for("token")
    (worker,) = children(refresh.process.pid)
    stopped = [refresh.process.pid, worker, login.process.pid]
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    # both replies arrive meanwhile, and the deadline of 30 s passes
    time.sleep(33)
    for process in stopped:
        os.kill(process, signal.SIGCONT)
    for name, command in ("renewed", refresh), ("fresh", login):
        done = command.wait(20)
        assert done.code == 0, done.err
        again = oauthctl("token", name, "--force-refresh")
        assert again.code == 0, again.err
