"""A server, or what lies on the way to it, that fails at each endpoint in each way: what is stored stays, nothing is sent
twice by itself, and the next try heals what can be healed."""

import socket

import pytest

import faults
import wire_faults as wires
from keyring_faults import login_in
from wire_faults import after, before

BROKEN = {75}  # the connection: nobody knows what the server meant
SPOILT = {76}  # the reply came whole, and is none
LOST = [
    (wires.nothing, BROKEN), (wires.half_a_status_line, BROKEN), (wires.half_the_headers, BROKEN),
    (wires.headers_alone, BROKEN), (wires.half_the_body, BROKEN), (wires.reset_at_once, BROKEN),
    (wires.reset_in_the_body, BROKEN), (wires.length_too_long, BROKEN), (wires.length_too_short, SPOILT),
    (wires.chunks_without_an_end, BROKEN), (wires.a_chunk_of_no_size, BROKEN), (wires.a_huge_chunk, BROKEN),
    (wires.interim_replies_alone, BROKEN), (wires.interim_replies_for_ever, SPOILT), (wires.headers_for_ever, SPOILT),
    (wires.one_header_for_ever, SPOILT), (wires.a_gigabyte, SPOILT), (wires.a_body_for_ever, SPOILT),
    (wires.a_gzip_bomb, SPOILT), (wires.tls_instead, BROKEN | SPOILT), (wires.negative_length, BROKEN | SPOILT),
]  # fmt: skip
HARMLESS = [wires.twice, wires.in_three_chunks, wires.after_interim_replies, wires.byte_by_byte]
# revocation needs no body: its status is the answer
ENOUGH_FOR_A_REVOCATION = {wires.length_too_short}


def named(wire):
    return wire.__name__.replace("_", "-") if callable(wire) else "-or-".join(map(str, sorted(wire)))


@pytest.mark.parametrize("wire, codes", LOST, ids=named)
def test_a_reply_that_is_lost_loses_nothing_else(acme, oauthctl, keyring, wire, codes):
    # at login: nothing is stored, and the code is not sent again
    acme.on("token", after(wire))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), timeout=25)
    assert (done.code in codes, done.out, keyring.item()) == (True, "", None), done
    assert acme.count("token") == 1, "an authorization code was sent again"
    acme.rotation = "none"
    oauthctl.login()
    stored = login_in(keyring)

    # at a refresh of which the server did nothing, or that it can repeat: one request, and the next try heals
    for fault in (before(wire), after(wire)):
        sent = acme.count("refresh")
        acme.on("refresh", fault)
        done = oauthctl("refresh", "acme", timeout=25)
        assert (done.code in codes, done.out) == (True, ""), done
        assert login_in(keyring) == stored and acme.count("refresh") == sent + 1
        assert acme.works(oauthctl.token()), "the token that was there before still works"
    assert oauthctl("refresh", "acme").code == 0
    assert acme.works(oauthctl.token())

    # at a revocation: nothing is forgotten before the server has answered
    stored = login_in(keyring)
    acme.on("revocation", after(wire))
    done = oauthctl("revoke", "acme", timeout=25)
    if wire not in ENOUGH_FOR_A_REVOCATION:
        assert done.code in codes and done.out == "", done
        assert login_in(keyring) == stored
        done = oauthctl("revoke", "acme")
    assert done.code == 0 and keyring.item() is None


@pytest.mark.parametrize("wire", HARMLESS, ids=named)
def test_an_odd_but_whole_reply_is_taken(acme, oauthctl, keyring, wire):
    for endpoint in ("token", "refresh", "revocation"):
        acme.on(endpoint, after(wire))
    oauthctl.login()
    assert acme.works(oauthctl.token())
    assert oauthctl("refresh", "acme").code == 0
    assert acme.works(oauthctl.token())
    assert oauthctl("revoke", "acme").code == 0
    assert [acme.count(name) for name in ("token", "refresh", "revocation")][:2] == [1, 1]
    assert keyring.item() is None


@pytest.mark.parametrize("wire", [wires.nothing, wires.half_the_body, wires.length_too_short, wires.a_gigabyte], ids=named)
def test_a_rotated_token_that_was_lost_is_told(signed_in, oauthctl, keyring, wire):
    """The server has spent the refresh token, and the new one never arrived: one request, and then the truth."""
    stored = login_in(keyring)
    signed_in.on("refresh", after(wire))
    done = oauthctl("refresh", "acme")
    assert done.code in BROKEN | SPOILT and done.out == "", done
    assert signed_in.count("refresh") == 1, "a token that may be spent was sent again"
    assert login_in(keyring) == stored
    assert signed_in.works(oauthctl.token()), "the access token that was there before is still good"
    done = oauthctl("refresh", "acme")
    assert done.code == 77 and "no clear end" in done.err and "oauthctl login acme" in done.err, done
    signed_in.expect_violation("a spent refresh token")
    oauthctl.login()
    assert oauthctl("refresh", "acme").code == 0


def test_a_reply_that_comes_drop_by_drop_ends_with_the_limit(servers, oauthctl, keyring):
    """The connection is never idle; all three at once, since each takes the whole limit."""
    running = {}
    for name, endpoint in {"one": "refresh", "two": "token", "three": "revocation"}.items():
        server = servers()
        oauthctl.write_provider(server.provider(name=name))
        if endpoint != "token":
            oauthctl.login(name)
        server.on(endpoint, after(wires.drip))
    stored = login_in(keyring, "one"), login_in(keyring, "three")
    running["one"] = oauthctl.start("refresh", "one")
    running["two"] = oauthctl.start("login", "two", "--browser", oauthctl.browser())
    running["three"] = oauthctl.start("revoke", "three")
    for name, one in running.items():
        done = one.wait(40)
        assert (done.code, done.out) == (75, "") and 25 < done.seconds < 36, (name, done)
    assert (login_in(keyring, "one"), login_in(keyring, "three")) == stored and keyring.item("two") is None


def test_a_connection_that_nobody_accepts_ends_with_the_limit(signed_in, oauthctl, keyring):
    """A full queue of connections, as behind a dead load balancer: packets are dropped, nobody says no."""
    stored, held = login_in(keyring), []
    with socket.create_server(("127.0.0.1", signed_in_port(signed_in)), backlog=0) as full:
        for _ in range(4):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(full.getsockname())
            held.append(one)
        done = oauthctl("refresh", "acme", timeout=30)
        for one in held:
            one.close()
    assert (done.code, done.out) == (75, "") and done.seconds < 15, done
    assert login_in(keyring) == stored and signed_in.count("refresh") == 0


def signed_in_port(server):
    """The server's port, after the server has ended."""
    server.close()
    return server.port


@pytest.mark.parametrize("fault", [faults.late(0.5), faults.drop()], ids=["late", "dropped"])
def test_a_refresh_says_nothing_of_tokens_in_its_trace(signed_in, oauthctl, fault):
    signed_in.on("refresh", fault)
    done = oauthctl("refresh", "acme", "--verbose")
    assert done.code in (0, 75)
    assert not [secret for secret in signed_in.secrets if secret in done.err]
