"""What a hostile program on the same machine does to the loopback listener, bounded in time and number."""

import contextlib
import multiprocessing
import os
import socket
import struct
import time

RESET = struct.pack("ii", 1, 0)


def connect_many(port, number):
    """So many connections that say nothing; those that are refused or cut off are left out."""
    made = []
    for _ in range(number):
        with contextlib.suppress(OSError):
            made.append(socket.create_connection(("127.0.0.1", port), timeout=2))
    return made


def one_after_the_other(port, number, request=b""):
    """So many connections, each closed before the next; gives how many there were."""
    done = 0
    for _ in range(number):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            if request:
                connection.sendall(request)
                connection.recv(65536)
            done += 1
    return done


def reset(port, data):
    """Sends bytes and cuts the connection with a reset."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=2)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    with contextlib.suppress(OSError):
        connection.sendall(data)
    connection.close()


def request(port, target, host=None, extra=""):
    return f"GET {target} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n{extra}\r\n".encode()


def flood(port, kind, until, counter):
    """Hammers the port until a time is up."""
    stray = request(port, "/callback?code=x&state=wrong")
    idle = []
    done = 0
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", port), timeout=1)
            done += 1
            if kind == "idle":
                idle.append(connection)
                if len(idle) > 400:
                    idle.pop(0).close()
                continue
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            connection.sendall(stray if kind == "stray" else os.urandom(200))
            if kind == "stray":
                connection.recv(65536)
            connection.close()
    counter.value = done


class Flood:
    """A process of its own that hammers the port while the block runs."""

    def __init__(self, port, kind, seconds=6):
        self.count = multiprocessing.Value("i", 0)
        self.process = multiprocessing.Process(
            target=flood, args=(port, kind, time.monotonic() + seconds, self.count), daemon=True)

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.join(5)


def drip(port, number, seconds):
    """Slow loris: so many requests, a byte of each every tenth of a second; gives the open connections at the end."""
    text = request(port, "/callback?code=x&state=wrong")
    connections = connect_many(port, number)
    until, at = time.monotonic() + seconds, 0
    while time.monotonic() < until and at < len(text) - 1:
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.send(text[at:at + 1])
        at += 1
        time.sleep(0.1)
    return connections


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mebibytes(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024
