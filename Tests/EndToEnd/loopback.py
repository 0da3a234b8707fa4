"""Requests to the client's loopback listener, polite and otherwise."""

import http.client
import socket
import urllib.parse


def get(url, method="GET", headers=None, timeout=10):
    """One request; gives the response with its text in `.text`."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    try:
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, target, headers=headers or {})
        response = connection.getresponse()
        response.text = response.read().decode()
        return response
    finally:
        connection.close()


def port_of(url):
    """The port in an authorization URL's redirect_uri."""
    return urllib.parse.urlsplit(redirect_of(url)).port


def redirect_of(url):
    return parameters(url)["redirect_uri"]


def parameters(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True))


def changed(url, **changes):
    """The URL with query parameters changed; None takes one out."""
    parts = urllib.parse.urlsplit(url)
    query = {**dict(urllib.parse.parse_qsl(parts.query)), **changes}
    query = {name: value for name, value in query.items() if value is not None}
    return urllib.parse.urlunsplit(parts._replace(query=urllib.parse.urlencode(query)))


def connect(port, host="127.0.0.1"):
    return socket.create_connection((host, port), timeout=5)


def send_raw(port, data):
    """Sends bytes and gives what comes back until the other side closes, or for two seconds."""
    answer = b""
    with connect(port) as connection:
        connection.settimeout(2)
        try:
            connection.sendall(data)
            while chunk := connection.recv(65536):
                answer += chunk
        except OSError:
            pass
    return answer


def listening_addresses(port):
    """The local addresses, in hex as the kernel shows them, that listen on a port."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table) as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except FileNotFoundError:
            continue
        found += [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port]
    return sorted(found)
