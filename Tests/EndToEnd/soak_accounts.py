"""The accounts of a soak: what is done to them, and who is to blame when a login is gone."""

import contextlib
import threading
import time

from soak_keyring import KeyringAway


class Account:
    """One account; `changing` is held by whoever logs in or out."""

    def __init__(self, number):
        self.label = f"account-{number}"
        self.name = f"acme/{self.label}"
        self.changing = threading.Lock()
        self.may_be_absent = True  # a logout was begun since the last login that succeeded
        self.grant = None  # the server's, of the last login that succeeded
        self.crowd = []  # the callers that are at it

    @contextlib.contextmanager
    def visit(self, caller):
        self.crowd.append(caller)
        try:
            yield
        finally:
            self.crowd.remove(caller)


class Accounts:
    """The accounts, and the verdicts."""

    def __init__(self, commands, server, keyring, count):
        self.commands, self.server, self.keyring = commands, server, keyring
        self.all = [Account(number) for number in range(count)]
        self.losses, self.explained = [], 0

    def login(self, account, dice, may_be_killed=False):
        """One try; the caller holds `changing`."""
        done = self.commands.run(
            dice, "login", "login", account.name, "--scope", account.label, "--timeout", "20", "--browser",
            str(self.commands.browser), may_be_killed=may_be_killed)
        if done.code == 0:
            account.may_be_absent = False
            account.grant = [grant for grant in list(self.server.grants) if grant.scope == account.label][-1]
        return done

    def logout(self, account, dice, *argv):
        """Logs out in some way, which may fail, and in again."""
        with account.changing:
            account.may_be_absent = True
            self.commands.run(dice, argv[0] + ("" if len(argv) == 1 else " " + argv[1]), *argv, account.name)
            for _ in range(5):
                if self.login(account, dice).code == 0:
                    return

    def mend(self, account, dice):
        """Somebody was told to log in: finds out whether the client is to blame, and logs in."""
        with account.changing:
            for _ in range(20):
                done = self.ask(account, dice)
                if done.code == 0:
                    return
                if done.code in (77, 78):
                    self.judge(account, done)
                    self.login(account, dice)
                    return
                time.sleep(0.5)  # the server's faults, or the keyring's

    def ask(self, account, dice):
        return self.commands.run(
            dice, "token --force-refresh", "token", account.name, "--force-refresh", may_be_killed=False)

    def judge(self, account, done):
        """Counts a loss where nothing else explains why this account has no working login."""
        reason = self.reason(account)
        if reason is None:
            self.explained += 1
        else:
            self.losses.append((account.label, f"{reason}; {done}"))

    def reason(self, account):
        """Why the client is to blame, or None where it is not, or where that loss was counted when it happened."""
        reason = "the keyring did not open"
        for _ in range(90):
            time.sleep(0.5)
            try:
                stored = self.keyring.session(account.name)
            except KeyringAway:
                continue
            if stored is None:
                return None if account.may_be_absent else "the item is gone"
            held = stored["tokens"].get("refresh_token")
            grant = self.server.grant_of(held)
            if grant is None:
                return "the server has never given the refresh token that is stored"
            if getattr(grant, "verdict", None):
                return None  # revoked at request, stranded, or counted as a loss at that moment
            rotation = self.server.rotations.get(held)
            if rotation is None:
                return f"the grant is alive and the stored token its newest; refused: {stored.get('refused')}"
            if rotation.is_stranded:
                return None
            # perhaps a process is about to store the newest: look again
            reason = f"a spent token is stored; its rotation: {rotation}"
        return reason

    def final(self, account, dice):
        """The last word, when all is healthy again; gives a line for the log."""
        with account.changing:
            done = self.ask(account, dice)
            token = done.out.strip()
            if done.code == 0:
                if not self.server.works(token):
                    self.losses.append((account.label, f"the token that came is dead; {done}"))
                grants = [grant for grant in self.server.grants if token in grant.access_tokens]
                index = self.server.grants.index
                if account.grant and grants and index(grants[0]) < index(account.grant):
                    self.losses.append((account.label, "a login was undone: the tokens of the one before are stored"))
                return "works"
            before = len(self.losses)
            self.judge(account, done)
            again = self.login(account, dice)
            if again.code != 0 or self.ask(account, dice).code != 0:
                self.losses.append((account.label, f"a new login does not help: {again}"))
            return "lost" if len(self.losses) > before else "logged in again, with a reason"
