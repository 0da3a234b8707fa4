"""The HTTP side of the asserting server: threads, TLS, the record of requests, faults."""

import collections
import dataclasses
import http.client
import http.server
import json
import socket
import ssl
import threading
import time
import traceback
import urllib.parse

from request_checks import pairs


@dataclasses.dataclass
class Request:
    name: str
    method: str
    path: str
    raw_query: str
    headers: object
    body: bytes
    at: float  # time.monotonic()
    certificate: bytes | None = None  # the client's, in DER, where it showed one
    answered_at: float | None = None  # when the last byte of the reply was handed to the kernel
    client: object = None  # the one that the asserting server found, and what is wrong with how it authenticated
    client_faults: list = dataclasses.field(default_factory=list)
    proof_faults: list = dataclasses.field(default_factory=list)  # of its DPoP proof's id

    @property
    def query(self):
        return dict(pairs(self.raw_query))

    @property
    def query_pairs(self):
        return pairs(self.raw_query)

    @property
    def form(self):
        return dict(self.pairs)

    @property
    def pairs(self):
        """The form's names and values, a name as often as it came."""
        return pairs(self.body.decode("utf-8", "replace"))

    @property
    def json(self):
        return json.loads(self.body)


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a stalled connection must not hold the test back
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that was killed is no news; the handler reports the rest."""


class HTTPEndpoint:
    """Subclasses give `respond(request)` and `check(name, request)`."""

    def __init__(self, tls=None, client_authorities=()):
        """client_authorities: PEM files; with any, a client's certificate is asked for, and taken if one of them signed it
        or is it."""
        self.requests, self.violations = [], []
        self.faults = collections.defaultdict(list)
        self.closing = threading.Event()
        self.http = QuietServer(("127.0.0.1", 0), self.handler())
        self.port = self.http.server_port
        scheme = "http"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls.certificate, tls.key)
            for file in client_authorities:
                context.verify_mode = ssl.CERT_OPTIONAL
                context.load_verify_locations(file)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True, do_handshake_on_connect=False)
            scheme = "https"
        self.base = f"{scheme}://127.0.0.1:{self.port}"
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        """Ends the server: from here on a connection is refused."""
        if not self.closing.is_set():
            self.closing.set()
            self.http.shutdown()
            self.http.server_close()

    def on(self, name, fault):
        """The next requests to an endpoint meet this fault, after the ones that are queued already."""
        self.faults[name].append(dataclasses.replace(fault))  # a copy: `times` counts down

    def heal(self):
        self.faults.clear()

    def sent(self, *names):
        """The requests to these endpoints, in order."""
        return [request for request in list(self.requests) if request.name in names]

    def count(self, name):
        return len(self.sent(name))

    def wait_for(self, name, count=1, timeout=10):
        """Waits until an endpoint was asked so many times."""
        deadline = time.monotonic() + timeout
        while self.count(name) < count:
            assert time.monotonic() < deadline, f"{name} was asked {self.count(name)} times, not {count}"
            time.sleep(0.005)

    def note(self, name, line):
        """Writes a violation down."""
        self.violations.append(f"{name}: {line}")

    def expect_violation(self, words):
        """Takes a violation that the test provoked off the list; it must be there."""
        found = [line for line in self.violations if words in line]
        assert found, f"no violation with {words!r} in {self.violations}"
        self.violations = [line for line in self.violations if words not in line]

    def get_location(self, url):
        parts = urllib.parse.urlsplit(url)
        assert parts.netloc == f"127.0.0.1:{self.port}", url
        if parts.scheme == "https":
            context = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=10, context=context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", parts.path + "?" + parts.query)
        response = connection.getresponse()
        assert response.status == 302, f"HTTP {response.status}: {response.read()[:200]}"
        return response.headers["Location"]

    def take_fault(self, name):
        with self.lock:
            queue = self.faults[name]
            if not queue:
                return None
            fault = queue[0]
            if fault.times is not None:
                fault.times -= 1
                if fault.times == 0:
                    queue.pop(0)
            return fault

    def serve(self, request):
        name, work = self.respond(request)
        request.name = name
        self.requests.append(request)
        self.violations += [f"{name}: {line}" for line in self.check(name, request)]
        fault = self.take_fault(name)
        if fault is None:
            return work()
        return fault.change(work() if fault.after_work else None)

    def handler(endpoint):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def handle_one(self):
                self.close_connection = True
                length = int(self.headers.get("Content-Length") or 0)
                parts = urllib.parse.urlsplit(self.path)
                request = Request(
                    "", self.command, parts.path, parts.query, self.headers, self.rfile.read(length), time.monotonic(),
                    self.connection.getpeercert(binary_form=True) if hasattr(self.connection, "getpeercert") else None)
                try:
                    reply = endpoint.serve(request)
                except Exception:
                    endpoint.violations.append("the server itself failed: " + traceback.format_exc())
                    raise
                try:
                    self.send(reply)
                    request.answered_at = time.monotonic()
                except OSError:
                    pass  # the client went away, which may be what the test is about

            do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = do_PATCH = handle_one

            def send(self, reply):
                if reply.delay:
                    endpoint.closing.wait(reply.delay)
                if reply.drop:
                    return
                if reply.raw is not None:
                    self.wfile.write(reply.raw)
                    return
                headers = {"Content-Length": str(len(reply.body)), "Connection": "close", **reply.headers}
                if reply.wire:
                    lines = [f"HTTP/1.1 {reply.status} So"] + [f"{name}: {value}" for name, value in headers.items()]
                    reply.wire(self.connection, "\r\n".join(lines).encode() + b"\r\n\r\n", reply.body, endpoint.closing)
                    return
                self.send_response(reply.status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                if self.command != "HEAD":
                    cut = next((n for n in (reply.cut_after, reply.stall_after) if n is not None), None)
                    self.wfile.write(reply.body[:cut])
                    self.wfile.flush()
                    if reply.stall_after is not None:
                        endpoint.closing.wait(120)
                if reply.cut_after is not None:
                    self.connection.shutdown(socket.SHUT_RDWR)

            def log_message(self, *_):
                """The record of requests is the log."""

        return Handler
