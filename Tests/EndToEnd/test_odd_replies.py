"""Replies that every other client can read: their odd part is in a field that nobody needs."""

import gzip
import json

import pytest

from faults import Fault, answer, edit


def with_bytes(extra):
    """The server's own reply, with one more member, byte for byte."""

    def change(reply):
        reply.body = reply.body.rstrip(b"}") + b', "name": "' + extra + b'"}'
        return reply

    return Fault(change, after_work=True)


# Half of an emoji, where a server cuts a name by UTF-16 units; a name in Latin-1 without saying so.
ODD_TEXTS = {"half-a-pair": rb"caf\ud83d", "latin-1": b"Ren\xe9", "escaped-nul": rb"a\u0000b"}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_an_odd_text_in_a_spare_field_costs_no_rotated_token(expired, oauthctl, text):
    expired.on("refresh", with_bytes(text))
    done = oauthctl("refresh", "acme")
    assert done.code == 0, done
    assert expired.works(oauthctl.token())
    assert oauthctl("refresh", "acme").code == 0, "the login is lost"


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
@pytest.mark.parametrize("code, exit_code", [
    ("temporarily_unavailable", 75), ("server_error", 75), ("invalid_client", 78), ("invalid_scope", 78)])
def test_an_odd_text_in_a_description_does_not_make_a_refusal_of_an_error(
        expired, oauthctl, keyring, text, code, exit_code):
    expired.on("refresh", answer(400, b'{"error": "' + code.encode() + b'", "error_description": "' + text + b'"}'))
    done = oauthctl("refresh", "acme")
    assert (done.code, "refused" in json.loads(keyring.item())) == (exit_code, False), done


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_a_login_takes_such_a_reply(acme, oauthctl, text):
    acme.on("token", with_bytes(text))
    oauthctl.login()
    assert acme.works(oauthctl.token())


def test_a_compressed_reply_costs_no_rotated_token(expired, oauthctl):
    """Without Accept-Encoding any coding is allowed (RFC 9110 section 12.5.3); a proxy that compresses all takes it so."""

    def compress(reply):
        reply.body = gzip.compress(reply.body)
        reply.headers["Content-Encoding"] = "gzip"
        return reply

    def asked_for_none(request):
        return "identity" in (request.headers.get("Accept-Encoding") or "")

    expired.on("refresh", Fault(compress, after_work=True))
    done = oauthctl("refresh", "acme")
    assert done.code == 0 or asked_for_none(expired.requests[-1]), done


@pytest.mark.parametrize("token", ["a.b.c.d.e", "opaque", 5], ids=["encrypted", "opaque", "number"])
def test_an_id_token_that_cannot_be_read_costs_no_rotated_token(acme, oauthctl, token):
    """What the refresh may not hand out, it may still keep the next refresh token of: the old one is spent."""
    acme.expires_in = 0
    oauthctl.login("acme", "--scope", "openid")
    acme.on("refresh", edit(id_token=token))
    oauthctl("refresh", "acme")
    done = oauthctl("refresh", "acme")
    assert done.code == 0, done


def test_an_encrypted_id_token_ends_a_login(acme, oauthctl, keyring):
    acme.on("token", edit(id_token="eyJlbmMiOiJBMjU2R0NNIn0.b.c.d.e"))
    done = oauthctl("login", "acme", "--scope", "openid", "--browser", oauthctl.browser())
    assert done.code == 76 and "the ID token is encrypted" in done.err and "signed ID tokens" in done.err, done
    assert keyring.item() is None


@pytest.mark.parametrize("status", [502, 504])
def test_a_gateways_error_leaves_the_mark_of_a_token_that_may_be_spent(expired, oauthctl, status):
    """The gateway gave up, the server behind it may not have: the request has arrived."""
    expired.on("refresh", edit(status=status))
    assert oauthctl("refresh", "acme").code == 75
    expired.rotation = "window"
    expired.grants[0].revoked = True
    assert "may have used that token up" in oauthctl("refresh", "acme").err
