"""A login under attack: it neither ends nor slows noticeably, and says little of it."""

import contextlib
import http.server
import json
import socket
import threading
import time

import pytest

import attacks
import loopback
from chromium import Chromium

AT_ONCE = 1.0  # seconds that a good callback may take beside whatever goes on, on a busy machine


@pytest.fixture
def flow(acme, oauthctl):
    """A login that waits for its callback."""
    return waiting(acme, oauthctl)


def waiting(acme, oauthctl, *options, descriptors=None):
    if descriptors:
        wrapper = oauthctl.browser(code=f'ulimit -n {descriptors}; exec "$@"')
        running = oauthctl.start_with(wrapper, "login", "acme", "--no-browser", *options)
    else:
        running = oauthctl.start("login", "acme", "--no-browser", *options)
    running.port = loopback.port_of(running.url())
    running.callback = acme.approve(running.url())
    return running


def finish(flow, acme):
    """The good callback is answered at once, and the login ends well."""
    started = time.monotonic()
    response = loopback.get(flow.callback)
    took = time.monotonic() - started
    assert response.status == 200 and took < AT_ONCE, f"answered with {response.status} after {took:.2f} s"
    done = flow.wait(8)
    assert done.code == 0, done
    assert acme.count("token") == 1
    assert len(done.err.splitlines()) < 16 and len(done.err) < 3000, f"too many words: {done.err[:3000]}"
    return done


# Numbers and time ----------------------------------------------------------------------------------------------------


def test_five_thousand_connections_one_after_the_other(flow, acme):
    assert attacks.one_after_the_other(flow.port, 4000) == 4000
    assert attacks.one_after_the_other(flow.port, 1000, attacks.request(flow.port, "/")) == 1000
    assert attacks.cpu_seconds(flow.process.pid) < 3 and attacks.resident_mebibytes(flow.process.pid) < 64
    finish(flow, acme)


@pytest.mark.parametrize("descriptors", [None, 64], ids=["usual", "64-descriptors"])
def test_five_hundred_connections_at_once(acme, oauthctl, descriptors):
    flow = waiting(acme, oauthctl, descriptors=descriptors)
    idle = attacks.connect_many(flow.port, 500)
    finish(flow, acme)
    for connection in idle:
        connection.close()


@pytest.mark.parametrize("kind", ["idle", "stray", "garbage"])
def test_a_flood(flow, acme, kind):
    with attacks.Flood(flow.port, kind), attacks.Flood(flow.port, kind):
        time.sleep(1.5)
        assert attacks.resident_mebibytes(flow.process.pid) < 64
        finish(flow, acme)


def test_a_hundred_requests_that_drip(flow, acme):
    slow = attacks.drip(flow.port, 100, 1.5)
    assert attacks.cpu_seconds(flow.process.pid) < 1
    finish(flow, acme)
    for connection in slow:
        connection.close()


def test_line_ends_that_drip_cost_no_more_than_other_bytes(flow, acme):
    (slow,) = attacks.connect_many(flow.port, 1)
    slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with contextlib.suppress(OSError):
        for _ in range(16_000):
            slow.send(b"\n")
    assert attacks.cpu_seconds(flow.process.pid) < 1
    finish(flow, acme)


# Words ---------------------------------------------------------------------------------------------------------------


def test_a_flood_of_wrong_states_is_told_in_a_few_lines(flow, acme):
    stray = attacks.request(flow.port, "/callback?code=x&state=wrong")
    assert attacks.one_after_the_other(flow.port, 1200, stray) == 1200
    done = finish(flow, acme)
    told = [line for line in done.err.splitlines() if "ignored" in line]
    assert 2 <= len(told) <= 8 and "1000" in told[-1], told


def test_a_stderr_that_nobody_reads_does_not_hold_the_login(acme, oauthctl):
    code = 'exec 3<>"$0.fifo"; exec "$@" 2>&3'
    wrapper = oauthctl.browser(code=f'mkfifo "$0.fifo"; {code}')
    flow = oauthctl.start_with(wrapper, "login", "acme", "--no-browser")
    with open(wrapper + ".fifo", "rb", buffering=0) if wait_for(wrapper + ".fifo") else None as pipe:
        flow.err = pipe.read(4096).decode()
        flow.port, flow.callback = loopback.port_of(flow.url()), acme.approve(flow.url())
        stray = attacks.request(flow.port, "/callback?code=x&state=wrong")
        assert attacks.one_after_the_other(flow.port, 2500, stray) == 2500
        assert loopback.get(flow.callback).status == 200
        assert flow.wait(8).code == 0


def wait_for(path):
    import pathlib

    for _ in range(500):
        if pathlib.Path(path).exists():
            return True
        time.sleep(0.01)
    raise AssertionError(f"{path} does not appear")


# One request at a time -----------------------------------------------------------------------------------------------


def test_a_callback_split_at_any_byte_is_taken(acme, oauthctl):
    """Each split needs a login of its own to be taken, so the wrong state stands in: its page is as telling."""
    flow = waiting(acme, oauthctl)
    text = attacks.request(flow.port, "/callback?code=x&state=w")
    for at in range(1, len(text)):
        with loopback.connect(flow.port) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(text[:at])
            time.sleep(0.002)
            connection.sendall(text[at:])
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 400") and b"Not the page" in answer, (at, answer)
    finish(flow, acme)


def test_a_connection_cut_at_any_byte_changes_nothing(flow, acme):
    good = attacks.request(flow.port, flow.callback.split(str(flow.port), 1)[1])
    for at in range(len(good) - 1):
        attacks.reset(flow.port, good[:at])
    finish(flow, acme)


def test_half_closed_connections_are_answered(flow, acme):
    good = attacks.request(flow.port, flow.callback.split(str(flow.port), 1)[1])
    with loopback.connect(flow.port) as connection:
        connection.sendall(good[:-1])
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    with loopback.connect(flow.port) as connection:
        connection.sendall(good)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert flow.wait(8).code == 0


ELSEWHERE = "https://evil.example"


@pytest.mark.parametrize("method, extra, status", [
    ("GET", {"Host": "evil.example"}, 421),
    ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403),
    ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Origin": ELSEWHERE}, 403),
    ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
    ("GET", {"Sec-Fetch-Mode": "websocket", "Upgrade": "websocket", "Connection": "Upgrade"}, 403),
    ("POST", {"Origin": ELSEWHERE, "Content-Type": "application/x-www-form-urlencoded"}, 405),
    ("OPTIONS", {"Origin": ELSEWHERE, "Access-Control-Request-Method": "GET"}, 405),
    ("OPTIONS", {"Origin": ELSEWHERE, "Access-Control-Request-Private-Network": "true"}, 405),
], ids=["rebinding", "image", "fetch", "frame", "websocket", "form", "preflight", "private-network"])  # fmt: skip
def test_a_cross_site_request_is_refused_even_with_the_right_state(flow, acme, method, extra, status):
    response = loopback.get(flow.callback, method=method, headers=extra)
    assert response.status == status
    assert not [name for name in response.headers if name.lower().startswith("access-control")]
    assert flow.alive and acme.count("token") == 0
    finish(flow, acme)


def test_a_replayed_callback_and_one_with_another_code_do_not_confuse(acme, oauthctl):
    flow = waiting(acme, oauthctl)
    good = attacks.request(flow.port, flow.callback.split(str(flow.port), 1)[1])
    other = attacks.request(flow.port, loopback.changed(flow.callback, code="stolen").split(str(flow.port), 1)[1])
    # all are connected before the first is sent, so that they are served after the verdict
    connections = [loopback.connect(flow.port) for _ in range(5)]
    time.sleep(0.2)
    answers = []
    for connection, text in zip(connections, [good, good, other, good, other]):
        with contextlib.suppress(OSError):
            connection.sendall(text)
            answers.append(connection.recv(100)[:12])
    assert answers[0] == b"HTTP/1.1 200" and set(answers[1:]) <= {b"HTTP/1.1 200", b"HTTP/1.1 400", b""}
    assert flow.wait(8).code == 0
    assert acme.count("token") == 1 and acme.sent("token")[0].form["code"] != "stolen"


# A web page ----------------------------------------------------------------------------------------------------------

HOSTILE = """<!doctype html><title>evil</title><body><script>
const port = PORT, base = 'http://127.0.0.1:' + port + '/callback?code=evil&state=guess';
const seen = {readable: 0, framed: 0, opened: 0, rounds: 0};
const frame = document.body.appendChild(document.createElement('iframe'));
async function round(n) {
  const url = base + n;
  const done = [];
  for (const mode of ['cors', 'no-cors'])
    done.push(fetch(url, {mode, credentials: 'include'}).then(async (r) => { if ((await r.text()).length) seen.readable++; }, () => 0));
  done.push(fetch(url, {method: 'POST', body: 'code=evil', mode: 'no-cors'}).catch(() => 0));
  done.push(fetch(url, {method: 'PUT', headers: {'X-Evil': '1'}}).catch(() => 0));
  new Image().src = url;
  const script = document.createElement('script'); script.src = url; document.head.append(script);
  try { const s = new WebSocket(url.replace('http', 'ws')); s.onopen = () => seen.opened++; } catch (e) {}
  frame.src = url;
  const form = document.body.appendChild(document.createElement('form'));
  form.action = url; form.method = 'post'; form.target = 'nowhere'; frame.name = 'nowhere'; form.submit();
  navigator.sendBeacon(url, 'x');
  await Promise.race([Promise.allSettled(done), new Promise((r) => setTimeout(r, 300))]);
  try { if (frame.contentDocument && frame.contentDocument.body.innerText) seen.framed++; } catch (e) {}
  seen.rounds++;
}
(async () => { for (let n = 0; n < 40; n++) await round(n); seen.over = true; })();
</script>"""


@pytest.fixture
def hostile_site():
    """Serves the hostile page on another port, which is another origin."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = self.server.page.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_hostile_web_page_cannot_end_frame_or_read_the_login(flow, acme, hostile_site, tmp_path):
    hostile_site.page = HOSTILE.replace("PORT", str(flow.port))
    chromium = Chromium(tmp_path)
    try:
        chromium.visit(f"http://localhost:{hostile_site.server_address[1]}/")
        deadline = time.monotonic() + 15
        while chromium.evaluate("seen.rounds") < 8:
            assert time.monotonic() < deadline, "the page does not get on"
            chromium.settle(0.2)
        assert flow.alive and acme.count("token") == 0
        seen = json.loads(chromium.evaluate("JSON.stringify(seen)"))
        assert (seen["readable"], seen["framed"], seen["opened"]) == (0, 0, 0), seen
        assert [url for url in chromium.requested if f":{flow.port}/callback" in url], "nothing was tried"
        done = finish(flow, acme)
        assert len([line for line in done.err.splitlines() if "ignored" in line]) <= 4, done.err
    finally:
        chromium.close()


def test_the_success_page_leaves_nothing_behind_for_the_next_page(flow, acme, hostile_site, tmp_path):
    """Neither a referrer nor a window handle leads from the page with the code to another site."""
    hostile_site.page = "<script>document.title = JSON.stringify([document.referrer, !window.opener])</script>"
    chromium = Chromium(tmp_path)
    try:
        chromium.visit(flow.callback)
        assert flow.wait(8).code == 0
        evil = f"http://localhost:{hostile_site.server_address[1]}/"
        # a link that somebody follows from the page; its own policy keeps scripts out, not the tools of the test
        chromium.evaluate(f"location.href = {json.dumps(evil)}")
        chromium.settle(1.5)
        assert chromium.evaluate("document.title") == '["",true]'
    finally:
        chromium.close()
