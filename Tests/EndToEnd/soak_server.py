"""The soak's authorization server: it rotates, revokes a family at reuse, fails often, and keeps the books.

The books are what the soak believes, not what the client says. Every rotation is written down with its reply's fate:

  delivered   the client's kernel acknowledged the last byte, and the client closed the connection in good order
  stranded    the server spent the token and kept the reply to itself, by one of the faults below: no client survives that
  left        the reply was on its way, and the client had gone away before it came, or closed without reading it

A spent token that comes again costs the account its login. It is the server's fault where the spending was stranded,
and the client's in every other case.
"""

import collections
import dataclasses
import os
import random
import select
import socket
import struct
import time

from asserting_server import AuthorizationServer
from faults import Reply

PATIENCE = 30  # seconds after which the client may give up
HTML = b"<!doctype html><html><body><h1>Be right back</h1></body></html>"

# What goes wrong before the server has done anything: the token in the request is as good as before. With weights.
BEFORE = {
    "500": 4, "503": 4, "429": 4, "a page with 502": 4, "a page with 200": 2, "closes after the request": 4, "reset": 4,
    "closes in the headers": 3, "closes in the body": 3, "silent": 0.2,
}
# What happens to a reply that still arrives whole
DELIVERED = {"late": 5, "byte by byte": 2, "twice": 4}
# The work is done, the token is spent, and nobody will ever see the reply
STRANDED = {
    "spent, then closes in the headers": 0.4, "spent, then closes in the body": 0.4, "spent, then closes": 0.3,
    "spent, then a reset": 0.3, "spent, then 503": 0.3, "spent, then silent": 0.05,
}
FAULTS = {**BEFORE, **DELIVERED, **STRANDED}


@dataclasses.dataclass
class Rotation:
    """One refresh token exchanged for the next."""

    account: str
    fault: str | None
    at: float
    fate: str = "under way"
    seconds: float = 0  # from the rotation to its fate

    def settle(self, fate):
        self.fate, self.seconds = fate, time.monotonic() - self.at

    @property
    def is_stranded(self):
        return self.fault in STRANDED

    def __str__(self):
        return f"{self.fate} after {self.seconds:.2f} s, fault: {self.fault}, {time.monotonic() - self.at:.2f} s ago"


class SoakServer(AuthorizationServer):
    """`failing` is the share of requests that meet a fault."""

    def __init__(self, seed, failing):
        self.dice = random.Random(f"{seed} server")
        self.failing = failing
        self.ends_at = float("inf")  # a reply that would come after it is not held back
        self.counts, self.fault_counts = collections.Counter(), collections.Counter()
        self.rotations = {}  # by the token that was spent
        self.stranded, self.losses, self.excused = [], [], []
        self.excuse = lambda rotation: False  # an outside reason for a loss, where the soak kills workers
        super().__init__()

    # The work ------------------------------------------------------------------------------------------------------

    def serve(self, request):
        name, work = self.respond(request)
        request.name = name
        with self.lock:
            self.counts[name] += 1
            fault = self.draw() if name in ("refresh", "token", "revocation") else None
            if fault:
                self.fault_counts[fault] += 1
            delay = self.dice.uniform(0.1, 6) if fault == "late" else PATIENCE + self.dice.uniform(1, 3)
            cut = self.dice.random()
        self.violations += [f"{name}: {line}" for line in self.check(name, request)]
        request.fault = fault
        reply = Reply() if fault in BEFORE else work()
        reply.fault, reply.wait, reply.cut = fault, delay, cut
        return disguised(reply, fault)

    def draw(self):
        """A fault, or None. The caller holds the lock."""
        if self.dice.random() >= self.failing:
            return None
        fault = self.dice.choices(list(FAULTS), list(FAULTS.values()))[0]
        is_too_late = fault.endswith("silent") and time.monotonic() + PATIENCE > self.ends_at
        return None if is_too_late else fault

    def token(self, request):
        form, client = request.form, self.client_of(request)
        if form.get("grant_type") != "refresh_token" or client is None:
            return super().token(request)
        with self.lock:
            self.expires_in_after_refresh = self.dice.choice((3600, 3600, 5))
            return self.rotate(form.get("refresh_token"), client, request.fault)

    def rotate(self, sent, client, fault):
        # each login asks for one scope, which is its account's name
        grant = self.grant_of(sent)
        if grant is None or grant.revoked:
            return Reply.of({"error": "invalid_grant", "error_description": "Token revoked or unknown"}, 400)
        if sent != grant.refresh_token:
            grant.revoked = True
            self.judge_reuse(sent, grant)
            return Reply.of({"error": "invalid_grant", "error_description": "Token reuse"}, 400)
        grant.spent.add(sent)
        rotation = self.rotations[sent] = Rotation(grant.scope, fault, time.monotonic())
        reply = self.tokens(grant, self.expires_in_after_refresh, with_refresh_token=True)
        reply.rotation = rotation
        if rotation.is_stranded:
            rotation.settle("stranded")
        return reply

    def grant_of(self, refresh_token):
        return next((g for g in self.grants if refresh_token == g.refresh_token or refresh_token in g.spent), None)

    def judge_reuse(self, sent, grant):
        rotation = self.rotations[sent]
        grant.verdict = f"a spent token came again; its rotation: {rotation}"
        if rotation.is_stranded:
            self.stranded.append(rotation)
        elif self.excuse(rotation):
            self.excused.append(rotation)
        else:
            self.losses.append((grant.scope, grant.verdict))

    def revoke(self, request):
        grant = self.grant_of(request.form.get("token"))
        if grant is not None and not grant.revoked:
            grant.verdict = "revoked at the client's request"
        return super().revoke(request)

    # The delivery --------------------------------------------------------------------------------------------------

    def handler(self):
        server = self

        class Handler(super().handler()):
            def send(self, reply):
                rotation = getattr(reply, "rotation", None)
                fate = server.deliver(self.connection, reply)
                if rotation is not None and not rotation.is_stranded:
                    rotation.settle(fate)

        return Handler

    def deliver(self, connection, reply):
        """Sends a reply as its fault says, and gives its fate."""
        fault = (getattr(reply, "fault", None) or "").removeprefix("spent, then ")
        head, body = self.rendered(reply)
        if fault in ("late", "silent") and self.leaves(connection, reply.wait):
            return "left"
        if fault in ("closes after the request", "closes", "silent"):
            return "stranded"
        if fault in ("reset", "a reset"):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(connection.detach())
            return "stranded"
        if fault == "closes in the headers":
            connection.sendall(head[: 1 + int(reply.cut * (len(head) - 3))])
            return "stranded"
        if fault == "closes in the body":
            connection.sendall(head + body[: int(reply.cut * len(body))])
            return "stranded"
        if self.leaves(connection, 0):
            return "left"
        if fault == "byte by byte":
            for byte in head + body:
                connection.sendall(bytes((byte,)))
                time.sleep(0.002)
        else:
            connection.sendall((head + body) * (2 if fault == "twice" else 1))
        return self.receipt(connection, is_twice=fault == "twice")

    def rendered(self, reply):
        fields = {"Content-Length": len(reply.body), "Connection": "close", **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} As It Is"] + [f"{k.replace('_', '-')}: {v}" for k, v in fields.items()]
        return "\r\n".join([*lines, "", ""]).encode(), reply.body

    def leaves(self, connection, seconds):
        """Whether the client hangs up within that time; it has nothing more to send."""
        poll = select.poll()
        poll.register(connection, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
        return bool(poll.poll(seconds * 1000))

    def receipt(self, connection, is_twice):
        """The fate of a reply that was handed to the kernel whole."""
        try:
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(10)
            while connection.recv(4096):
                pass
            return "left" if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) else "delivered"
        except ConnectionResetError:
            # it has all of the first, and may close on the second
            return "delivered" if is_twice else "left"
        except OSError:
            return "left"


def disguised(reply, fault):
    """The reply of a fault that has one of its own."""
    pages = {
        "500": (500, b'{"error":"server_error"}', {}), "503": (503, b"", {"Retry-After": "1"}),
        "429": (429, b'{"error":"slow_down"}', {"Retry-After": "1"}), "a page with 502": (502, HTML, {}),
        "a page with 200": (200, HTML, {}), "closes in the body": (500, HTML, {}), "closes in the headers": (500, HTML, {}),
    }
    kind = (fault or "").removeprefix("spent, then ")
    if kind not in pages or (fault not in BEFORE and kind.startswith("closes")):
        return reply
    status, body, headers = pages[kind]
    reply.status, reply.body = status, body
    reply.headers = {"Content-Type": "text/html" if body == HTML else "application/json", **headers}
    return reply
