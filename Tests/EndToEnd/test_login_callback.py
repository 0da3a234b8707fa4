"""The loopback listener during a login: what ends the wait, and what must not."""

import contextlib
import html
import http.client
import socket
import threading
import urllib.parse

import pytest

import loopback


@pytest.fixture
def flow(acme, oauthctl):
    """A login that waits for its callback."""
    running = oauthctl.start("login", "acme", "--no-browser")
    running.port = loopback.port_of(running.url())
    running.callback = acme.approve(running.url())
    return running


def finish(flow):
    """The right callback still works, at once."""
    response = loopback.get(flow.callback)
    assert response.status == 200
    done = flow.wait(5)
    assert done.code == 0, done
    return response


def test_the_right_callback_ends_the_wait_with_a_page(flow):
    page = finish(flow)
    assert page.headers["Content-Type"].lower().replace(" ", "") == "text/html;charset=utf-8"
    code = loopback.parameters(flow.callback)["code"]
    assert code not in page.text and "at-" not in page.text


def test_the_page_cannot_be_stored_framed_sniffed_or_load_anything(flow):
    page = finish(flow)
    assert "no-store" in page.headers["Cache-Control"]
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "http://" not in page.text.replace("http://www.w3.org/", "") and "https://" not in page.text


def test_only_loopback_is_listened_on(flow):
    assert loopback.listening_addresses(flow.port) == ["0100007F"]
    finish(flow)


@pytest.mark.parametrize("method, path", [
    ("GET", "/favicon.ico"), ("GET", "/"), ("GET", "/callback/"), ("GET", "/callbackx?code=1&state=2"),
    ("GET", "/Callback"), ("GET", "/robots.txt"), ("GET", "/apple-touch-icon.png"), ("GET", "/../etc/passwd"),
    ("GET", "/callback"), ("GET", "/callback?"), ("GET", "/callback?code="), ("GET", "/callback?state="),
    ("OPTIONS", "/callback"), ("OPTIONS", "*"), ("TRACE", "/callback"), ("BREW", "/callback"),
])  # fmt: skip
def test_a_stray_request_is_answered_and_changes_nothing(flow, method, path):
    connection = http.client.HTTPConnection("127.0.0.1", flow.port, timeout=5)
    connection.request(method, path)
    response = connection.getresponse()
    assert response.status < 500 and "at-" not in response.read().decode("utf-8", "replace")
    connection.close()
    assert flow.alive
    finish(flow)


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_only_get_of_the_right_address_counts(flow, acme, method):
    response = loopback.get(flow.callback, method=method)
    assert 400 <= response.status < 500 or method in ("HEAD", "OPTIONS")
    assert flow.alive and acme.count("token") == 0
    finish(flow)


def test_a_prefetch_without_parameters_changes_nothing(flow):
    loopback.get(f"http://127.0.0.1:{flow.port}/callback", headers={"Sec-Purpose": "prefetch", "Purpose": "prefetch"})
    assert flow.alive
    finish(flow)


@pytest.mark.parametrize("changes", [
    {"state": "wrong"}, {"state": None}, {"state": ""}, {"state": "x" * 43}, {"state": "é\x00\n"},
    {"state": "wrong", "error": "access_denied", "code": None}, {"state": None, "error": "access_denied", "code": None},
], ids=["wrong", "none", "empty", "long", "odd", "error-wrong", "error-none"])  # fmt: skip
def test_a_callback_with_a_wrong_state_is_ignored_and_said(flow, acme, changes):
    response = loopback.get(loopback.changed(flow.callback, **changes))
    assert 400 <= response.status < 500
    assert flow.alive and acme.count("token") == 0
    flow.expect(r"(?i)ignored.*state")
    finish(flow)


def test_a_state_that_is_there_twice_is_not_trusted(flow, acme):
    loopback.get(flow.callback + "&state=other")
    loopback.get(loopback.changed(flow.callback, state="other") + "&" + urllib.parse.urlencode(
        {"state": loopback.parameters(flow.callback)["state"]}))
    done = flow.wait() if not flow.alive else None
    assert done is None or done.code == 76
    assert acme.count("token") == 0
    if done is None:
        finish(flow)


def test_the_same_callback_twice_is_one_login(flow, acme):
    statuses = []

    def fetch():
        with contextlib.suppress(OSError):  # the listener may be gone by then
            statuses.append(loopback.get(flow.callback).status)

    threads = [threading.Thread(target=fetch) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert flow.wait().code == 0
    assert acme.count("token") == 1
    assert 200 in statuses


def test_idle_connections_do_not_hold_the_callback_back(flow):
    idle = [loopback.connect(flow.port) for _ in range(60)]
    finish(flow)
    for connection in idle:
        connection.close()


def test_a_request_that_trickles_in_holds_nothing_back(flow):
    with loopback.connect(flow.port) as slow:
        slow.sendall(b"GET /callback?code=")
        finish(flow)


@pytest.mark.parametrize("data", [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
    b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"GET /callback\r\n\r\n", b"\x00" * 4096, b"A" * 100_000,
    b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X-Pad: " + b"b" * 1000 + b"\r\n" * 1 + b"Y: z\r\n" * 20_000 + b"\r\n",
    b"POST /callback HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n" + b"c" * 5000,
    b"GET /callback?%zz%00%ff=%u0041&&&=&a HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /callback HTTP/9.9\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    "GET /cällback?é=ü HTTP/1.1\r\n\r\n".encode(),
], ids=["tls", "newlines", "short", "http-0.9", "zeros", "no-line", "long-path", "many-headers", "huge-length",
        "bad-escapes", "odd-version", "not-ascii"])  # fmt: skip
def test_garbage_neither_ends_nor_breaks_the_wait(flow, data):
    answer = loopback.send_raw(flow.port, data)
    assert len(answer) < 20_000 and b"HTTP/1.1 5" not in answer
    assert flow.alive
    finish(flow)


def test_a_connection_that_is_reset_changes_nothing(flow):
    for _ in range(20):
        connection = loopback.connect(flow.port)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.sendall(b"GET / HT")
        connection.close()
    assert flow.alive
    finish(flow)


def test_a_refusal_with_the_right_state_ends_the_login_with_the_servers_words(acme, oauthctl, keyring):
    acme.callback = lambda query, reply: {
        "error": "access_denied", "error_description": "Alice said no", "state": reply["state"]}
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--json")
    assert (done.code, done.out) == (77, "")
    assert done.error["code"] == 77
    assert {"error": "access_denied", "error_description": "Alice said no"}.items() <= done.error["server"].items()
    assert keyring.item() is None and acme.count("token") == 0


def test_a_refusal_shows_words_stripped_and_escaped(acme, oauthctl):
    bad = "<script>alert(1)</script>\x1b[31mred\x07\r\nX: y" + "z" * 5000
    acme.callback = lambda query, reply: {"error": "access_denied", "error_description": bad, "state": reply["state"]}
    flow = oauthctl.start("login", "acme", "--no-browser")
    page = loopback.get(acme.approve(flow.url()))
    done = flow.wait()
    assert done.code == 77 and "alert(1)" in done.err
    assert "\x1b" not in done.err and "\x07" not in done.err and "\r" not in done.err
    assert "z" * 2000 not in done.err and len(done.err) < 4000
    assert "<script>alert" not in page.text
    if "alert(1)" in html.unescape(page.text):
        assert "&lt;script&gt;" in page.text


@pytest.mark.parametrize("iss, code", [
    ("right", 0), ("https://evil.example", 76), ("right/", 76), ("", 76),
])  # fmt: skip
def test_iss_of_the_callback_must_be_the_issuer(acme, oauthctl, iss, code):
    oauthctl.write_provider(acme.provider(issuer=acme.issuer))
    acme.callback = lambda query, reply: {**reply, "iss": iss.replace("right", acme.issuer)}
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--timeout", "8s")
    assert done.code == code
    assert acme.count("token") == (1 if code == 0 else 0)


def test_iss_must_be_there_when_the_server_announces_it(server, oauthctl):
    server.sends_iss = True
    server.callback = lambda query, reply: {k: v for k, v in reply.items() if k != "iss"}
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["read"]})
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--timeout", "8s")
    assert done.code == 76 and server.count("token") == 0


def test_extra_parameters_of_the_callback_do_not_disturb(acme, oauthctl):
    acme.callback = lambda query, reply: {**reply, "session_state": "s", "scope": "read", "prompt": "none"}
    oauthctl.login()


def test_the_timeout_ends_the_wait(acme, oauthctl):
    done = oauthctl("login", "acme", "--no-browser", "--timeout", "1s")
    assert (done.code, done.out) == (75, "")
    assert 0.9 < done.seconds < 4
    assert "1 s" in done.err or "1s" in done.err or "time" in done.err


def test_an_interrupt_ends_the_wait_with_130(flow):
    flow.kill(2)
    done = flow.wait(5)
    assert done.code == 130 and done.out == ""


def test_a_fixed_port_is_used_and_one_in_use_is_told(acme, oauthctl):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = oauthctl("login", "acme", "--no-browser", "--port", str(port), "--timeout", "5s")
        assert done.code == 69 and str(port) in done.err
        assert acme.count("authorization") == 0
    oauthctl.login("acme", "--port", str(port))
    assert loopback.port_of("x?" + acme.sent("authorization")[0].raw_query) == port


def test_the_next_port_of_a_list_is_tried(acme, oauthctl):
    with socket.socket() as taken, socket.socket() as free:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        free.bind(("127.0.0.1", 0))
        ports = taken.getsockname()[1], free.getsockname()[1]
        free.close()
        oauthctl.login("acme", "--port", f"{ports[0]},{ports[1]}")
    assert loopback.port_of("x?" + acme.sent("authorization")[0].raw_query) == ports[1]


def test_the_redirect_of_the_provider_is_sent_byte_for_byte(acme, oauthctl):
    oauthctl.write_provider(acme.provider(redirect={"host": "localhost", "port": [0], "path": "/oauth/cb/"}))
    flow = oauthctl.start("login", "acme", "--no-browser")
    port = loopback.port_of(flow.url())
    assert loopback.redirect_of(flow.url()) == f"http://localhost:{port}/oauth/cb/"
    loopback.get(acme.approve(flow.url()).replace("localhost", "127.0.0.1"))
    assert flow.wait().code == 0


def test_redirect_uri_option_is_sent_byte_for_byte(acme, oauthctl):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    oauthctl.login("acme", "--redirect-uri", f"http://localhost:{port}/a/b")
    assert acme.sent("token")[0].form["redirect_uri"] == f"http://localhost:{port}/a/b"


def test_localhost_is_answered_on_both_families(acme, oauthctl):
    oauthctl.write_provider(acme.provider(redirect={"host": "localhost"}))
    flow = oauthctl.start("login", "acme", "--no-browser")
    port = loopback.port_of(flow.url())
    addresses = loopback.listening_addresses(port)
    assert "0100007F" in addresses
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        assert len(addresses) == 1  # a machine without IPv6: one family has to do
    else:
        assert "00000000000000000000000001000000" in addresses and len(addresses) == 2
        assert loopback.get(f"http://[::1]:{port}/favicon.ico").status < 500
    loopback.get(acme.approve(flow.url()).replace("localhost", "127.0.0.1"))
    assert flow.wait().code == 0


def test_several_logins_at_once_have_ports_of_their_own(acme, oauthctl):
    flows = [oauthctl.start("login", f"acme/n{n}", "--no-browser") for n in range(4)]
    urls = [flow.url() for flow in flows]
    assert len({loopback.port_of(url) for url in urls}) == 4
    for flow, url in reversed(list(zip(flows, urls))):
        loopback.get(acme.approve(url))
        assert flow.wait().code == 0
