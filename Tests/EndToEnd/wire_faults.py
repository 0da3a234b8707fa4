"""Replies that go wrong between the server's socket and the client's.

`before(...)` takes the place of the work, which is not done; with `after(...)` the work is done, so that the tokens in
the spoilt reply are live, and the refresh token that was sent is spent.
"""

import contextlib
import dataclasses
import gzip
import json
import re
import socket
import struct

from faults import Fault, Reply

LIMIT = 1 << 30  # what a server that floods is ready to send


def before(wire):
    """The request meets a server that does nothing with it; what it sends looks like a reply with tokens."""
    body = json.dumps({"access_token": "at-of-nobody", "token_type": "Bearer", "expires_in": 3600}).encode()
    return Fault(lambda _: Reply(200, body, {"Content-Type": "application/json"}, wire=wire), after_work=False)


def after(wire):
    return Fault(lambda reply: dataclasses.replace(reply, body=reply.body or b"{}" + b" " * 60, wire=wire), after_work=True)


def with_length(head, length):
    """The head with another length, or without one."""
    line = f"Content-Length: {length}\r\n".encode() if length is not None else b""
    return re.sub(rb"Content-Length: \d+\r\n", line, head)


def with_line(head, line):
    return head[:-2] + line.encode() + b"\r\n\r\n"


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def reset(connection):
    """Ends the connection with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def flood(connection, piece, closing):
    """Sends a piece again and again until the client has had enough; fails the test where it takes too much."""
    sent = 0
    with contextlib.suppress(OSError):
        while not closing.is_set() and sent < LIMIT:
            connection.sendall(piece)
            sent += len(piece)
            assert sent < 32 << 20, "the client goes on reading a body without an end"


# Each takes connection, head, body and the event of the server's end


def nothing(connection, head, body, closing):
    """The request was read, and the connection closes without a byte."""


def half_a_status_line(connection, head, body, closing):
    connection.sendall(head[:7])


def half_the_headers(connection, head, body, closing):
    connection.sendall(head[:len(head) // 2])


def headers_alone(connection, head, body, closing):
    connection.sendall(head)


def half_the_body(connection, head, body, closing):
    connection.sendall(head + body[:len(body) // 2])


def reset_at_once(connection, head, body, closing):
    reset(connection)


def reset_in_the_body(connection, head, body, closing):
    connection.sendall(head + body[:len(body) // 2])
    reset(connection)


def length_too_long(connection, head, body, closing):
    connection.sendall(with_length(head, len(body) + 9) + body)


def length_too_short(connection, head, body, closing):
    connection.sendall(with_length(head, len(body) - 9) + body)


def negative_length(connection, head, body, closing):
    connection.sendall(with_length(head, -1) + body)


def chunks_without_an_end(connection, head, body, closing):
    head = with_line(with_length(head, None), "Transfer-Encoding: chunked")
    connection.sendall(head + chunk(body[:len(body) // 2]))


def a_chunk_of_no_size(connection, head, body, closing):
    head = with_line(with_length(head, None), "Transfer-Encoding: chunked")
    connection.sendall(head + b"zz\r\n" + body + b"\r\n0\r\n\r\n")


def a_huge_chunk(connection, head, body, closing):
    head = with_line(with_length(head, None), "Transfer-Encoding: chunked")
    connection.sendall(head + b"ffffffffffffffffff\r\n" + body)


def twice(connection, head, body, closing):
    """Two replies at once; the second one is another's."""
    other = re.sub(rb'"(access|refresh)_token": "..-', rb'"\1_token": "xx-', body)
    connection.sendall(head + body + head + other)


def in_three_chunks(connection, head, body, closing):
    head = with_line(with_length(head, None), "Transfer-Encoding: chunked")
    third = len(body) // 3
    connection.sendall(head + chunk(body[:third]) + chunk(body[third:-third]) + chunk(body[-third:]) + chunk(b""))


def after_interim_replies(connection, head, body, closing):
    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + head + body)


def interim_replies_alone(connection, head, body, closing):
    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


def interim_replies_for_ever(connection, head, body, closing):
    flood(connection, b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 100, closing)


def headers_for_ever(connection, head, body, closing):
    connection.sendall(head[:-2])
    flood(connection, b"X-More: and more\r\n" * 100, closing)


def one_header_for_ever(connection, head, body, closing):
    connection.sendall(head[:-2] + b"X-More: ")
    flood(connection, b"and more " * 1000, closing)


def byte_by_byte(connection, head, body, closing):
    """The right reply, slowly; the client gets all of it in time."""
    for byte in head + body:
        connection.sendall(bytes([byte]))
        closing.wait(0.001)


def drip(connection, head, body, closing):
    """A byte every now and then, without an end: the connection is never idle."""
    connection.sendall(with_length(head, 1 << 19))
    with contextlib.suppress(OSError):
        while not closing.wait(0.2):
            connection.sendall(b" ")


def a_gigabyte(connection, head, body, closing):
    """A body that says how long it is."""
    connection.sendall(with_length(head, LIMIT))
    flood(connection, b" " * 65536, closing)


def a_body_for_ever(connection, head, body, closing):
    """A body that does not say how long it is."""
    connection.sendall(with_length(head, None))
    flood(connection, b" " * 65536, closing)


def a_gzip_bomb(connection, head, body, closing):
    """500 KB that want to become 500 MB; nobody asked for gzip."""
    bomb = gzip.compress(b" " * (10 << 20)) * 50
    connection.sendall(with_line(with_length(head, len(bomb)), "Content-Encoding: gzip") + bomb)


def tls_instead(connection, head, body, closing):
    connection.sendall(b"\x15\x03\x01\x00\x02\x02\x28")
