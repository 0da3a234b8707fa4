"""What an endpoint of the asserting server can be told to do instead of, or after, its work.

A fault takes the server's own reply and gives another. One made by `answer` and its kin replaces the work: the server
does nothing with the request but check it. One made by `edit` and its kin comes after the work: the tokens in
it are live, and a refresh token has been spent.
"""

import dataclasses
import json
import urllib.parse

REMOVED = object()


@dataclasses.dataclass
class Reply:
    status: int = 200
    body: bytes = b""
    headers: dict = dataclasses.field(default_factory=dict)
    delay: float = 0  # seconds before the first byte
    cut_after: int | None = None  # bytes of body that are sent before the connection closes
    stall_after: int | None = None  # bytes of body that are sent before the server falls silent
    drop: bool = False  # close without a word
    raw: bytes | None = None  # sent as it is, instead of HTTP
    wire: object = None  # sends the reply in its own way: a function of connection, head, body and the server's end

    @property
    def json(self):
        return json.loads(self.body)

    @json.setter
    def json(self, value):
        self.body = json.dumps(value).encode()

    @staticmethod
    def of(value, status=200, **headers):
        return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})


@dataclasses.dataclass
class Fault:
    change: object
    after_work: bool
    times: int | None = 1

    def forever(self):
        return dataclasses.replace(self, times=None)

    def twice(self):
        return dataclasses.replace(self, times=2)


def answer(status, body=b"", content_type="application/json", **headers):
    """This reply, instead of the work; header names take `_` for `-`."""
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
    if isinstance(body, str):
        body = body.encode()
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    if content_type:
        fields["Content-Type"] = content_type
    return Fault(lambda _: Reply(status, body, dict(fields)), after_work=False)


def error(code, status=400, **more):
    return answer(status, {"error": code, **more})


def html(status, text="<!doctype html><html><body><h1>Service unavailable</h1></body></html>"):
    return answer(status, text, "text/html; charset=utf-8")


def redirect(location, status=302):
    return answer(status, b"", "text/html", Location=location)


def drop():
    """The connection closes and nothing was done."""
    return Fault(lambda _: Reply(drop=True), after_work=False)


def garbage(raw=b"\x15\x03\x01\x00\x02\x02\x28 this is not HTTP\r\n\r\n"):
    return Fault(lambda _: Reply(raw=raw), after_work=False)


def silence(seconds=600):
    """Not a byte comes until the client gives up."""
    return Fault(lambda _: Reply(delay=seconds, drop=True), after_work=False)


def edit(status=None, headers=None, **changes):
    """The server's own JSON reply with members changed, added or `REMOVED`."""

    def change(reply):
        value = {**json.loads(reply.body), **changes}
        reply.body = json.dumps({k: v for k, v in value.items() if v is not REMOVED}).encode()
        reply.status = status or reply.status
        reply.headers.update(headers or {})
        return reply

    return Fault(change, after_work=True)


def rewrite(function):
    """The server's own JSON reply through a function, which gives JSON or text."""

    def change(reply):
        value = function(json.loads(reply.body))
        reply.body = (value if isinstance(value, str) else json.dumps(value)).encode()
        return reply

    return Fault(change, after_work=True)


def as_form(content_type="application/x-www-form-urlencoded"):
    def change(reply):
        reply.body = urllib.parse.urlencode(json.loads(reply.body)).encode()
        reply.headers["Content-Type"] = content_type
        return reply

    return Fault(change, after_work=True)


def late(seconds):
    """The right reply, but not at once."""
    return Fault(lambda reply: dataclasses.replace(reply, delay=seconds), after_work=True)


def cut(sent=20):
    """The work is done, and the connection closes in the middle of the reply."""
    return Fault(lambda reply: dataclasses.replace(reply, cut_after=sent), after_work=True)


def stall(sent=20):
    """The work is done, and the reply stops in the middle with the connection open."""
    return Fault(lambda reply: dataclasses.replace(reply, stall_after=sent), after_work=True)


def padded(size=2 << 20):
    """The right reply with that many bytes of padding in it."""
    return edit(padding="x" * size)
