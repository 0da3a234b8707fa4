"""The tolerant parser of token replies (cases part a), at login and at refresh."""

import datetime
import json

import pytest

import faults
from faults import REMOVED, answer, as_form, edit, error, rewrite

BOTH = pytest.mark.parametrize("path", ["token", "refresh"])


def obtain(server, oauthctl, path, fault):
    """Makes the fault's reply the stored one, by login or by refresh; gives that command's result."""
    if path == "token":
        server.on("token", fault)
        return oauthctl("login", "acme", "--browser", oauthctl.browser())
    oauthctl.login()
    server.on("refresh", fault)
    return oauthctl("refresh", "acme")


def left(entry):
    moment = datetime.datetime.fromisoformat(entry["expires_at"].replace("Z", "+00:00"))
    return (moment - datetime.datetime.now(datetime.timezone.utc)).total_seconds()


@BOTH
@pytest.mark.parametrize("value, seconds", [
    (3600, 3600), ("3600", 3600), (3600.7, 3600), ("3600.7", 3600), (3600.0, 3600), (" 3600 ", 3600), (3.6e3, 3600),
], ids=["integer", "string", "float", "float-string", "float-zero", "spaces", "exponent"])  # fmt: skip
def test_expires_in_is_read_as_a_number_in_every_spelling(acme, oauthctl, path, value, seconds):
    assert obtain(acme, oauthctl, path, edit(expires_in=value)).code == 0
    entry = oauthctl.state()
    assert entry["state"] == "valid" and seconds - 30 < left(entry) <= seconds + 1


@BOTH
@pytest.mark.parametrize("value", [
    None, REMOVED, "", "soon", -5, "-5", 1e300, 99999999999999999999, "99999999999999999999", [], {}, "NaN", "0x10",
], ids=["null", "absent", "empty", "word", "negative", "negative-string", "1e300", "huge", "huge-string", "list",
        "object", "nan", "hex"])  # fmt: skip
def test_an_expiry_that_makes_no_sense_is_unknown_not_for_ever(acme, oauthctl, path, value):
    assert obtain(acme, oauthctl, path, edit(expires_in=value)).code == 0
    entry = oauthctl.state()
    assert entry["state"] == "unknown-expiry" and not entry.get("expires_at")
    assert acme.works(oauthctl.token())


@BOTH
@pytest.mark.parametrize("value", [0, "0", 0.0])
def test_an_expiry_of_zero_is_expired_now(acme, oauthctl, path, value):
    assert obtain(acme, oauthctl, path, edit(expires_in=value)).code == 0
    assert oauthctl.state()["state"] == "expired"
    before = acme.count("refresh")
    oauthctl.token()
    assert acme.count("refresh") == before + 1


@BOTH
@pytest.mark.parametrize("value, scopes", [
    ("a b", ["a", "b"]), (["a", "b"], ["a", "b"]), ("a,b", ["a", "b"]), ("a, b", ["a", "b"]), ("  a   b ", ["a", "b"]),
    (REMOVED, ["read", "write"]), (None, ["read", "write"]),
], ids=["string", "array", "commas", "comma-space", "spaces", "absent", "null"])  # fmt: skip
def test_scope_is_read_in_every_spelling(acme, oauthctl, path, value, scopes):
    assert obtain(acme, oauthctl, path, edit(scope=value)).code == 0
    assert oauthctl.state()["scope"] == scopes


@BOTH
@pytest.mark.parametrize("fault", [
    as_form(), as_form("text/plain"), as_form("application/json"), edit(headers={"Content-Type": "text/html"}),
    edit(headers={"Content-Type": "text/plain; charset=utf-8"}), edit(token_type=REMOVED), edit(token_type="bearer"),
    edit(token_type=None), edit(extra={"deep": [1, 2, {"x": None}]}, iat=1.5, issued_token_type=None, id_token=None),
    rewrite(lambda value: "\r\n\t " + json.dumps(value) + "\n\n"), edit(status=201),
    rewrite(lambda value: "\ufeff" + json.dumps(value)),
], ids=["form", "form-as-text", "form-as-json", "json-as-html", "json-as-text", "no-type", "lower-type", "null-type",
        "extras", "white-space", "201", "bom"])  # fmt: skip
def test_an_unusual_reply_with_a_token_is_a_token(acme, oauthctl, path, fault):
    done = obtain(acme, oauthctl, path, fault)
    assert done.code == 0, done
    assert acme.works(oauthctl.token())


@pytest.mark.parametrize("value", [REMOVED, None, ""], ids=["absent", "null", "empty"])
def test_a_refresh_reply_without_a_refresh_token_keeps_the_old_one(acme, oauthctl, value):
    acme.rotation = "none"
    oauthctl.login()
    for _ in range(3):
        acme.on("refresh", edit(refresh_token=value))
        assert acme.works(oauthctl.token("acme", "--force-refresh"))
    assert len({request.form["refresh_token"] for request in acme.sent("refresh")}) == 1


def test_a_new_refresh_token_replaces_the_old_one(signed_in, oauthctl):
    for _ in range(4):
        assert signed_in.works(oauthctl.token("acme", "--force-refresh"))
    assert len({request.form["refresh_token"] for request in signed_in.sent("refresh")}) == 4


def test_the_scope_of_a_refresh_reply_without_one_is_the_granted_one(acme, oauthctl):
    acme.on("token", edit(scope="read"))
    oauthctl.login()
    acme.on("refresh", edit(scope=REMOVED))
    oauthctl.token("acme", "--force-refresh")
    assert oauthctl.state()["scope"] == ["read"]


NO_TOKEN = {
    "empty-object": answer(200, {}), "no-content": answer(204, content_type=None), "text": answer(200, "ok", "text/plain"),
    "empty-body": answer(200, ""), "list": answer(200, []), "null": answer(200, "null"), "number": answer(200, "42"),
    "empty-token": answer(200, {"access_token": "", "token_type": "Bearer"}),
    "null-token": answer(200, {"access_token": None, "token_type": "Bearer"}),
    "number-token": answer(200, {"access_token": 12345, "token_type": "Bearer"}),
    "object-token": answer(200, {"access_token": {"x": "y"}, "token_type": "Bearer"}),
    "newline-token": answer(200, {"access_token": "a\nX-Evil: 1", "token_type": "Bearer"}),
    "nul-token": answer(200, {"access_token": "a\u0000b", "token_type": "Bearer"}),
    "cut-json": answer(200, '{"access_token": "at-1234'), "bad-utf8": answer(200, b'{"access_token": "\xff\xfe"}'),
    "deep": answer(200, "[" * 100_000), "redirect": faults.redirect("/page"), "redirect-307": faults.redirect("/page", 307),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("case", NO_TOKEN)
def test_a_reply_without_a_usable_token_breaks_the_protocol(acme, oauthctl, keyring, path, case):
    done = obtain(acme, oauthctl, path, NO_TOKEN[case])
    assert (done.code, done.out) == (76, ""), done
    assert "X-Evil" not in done.err.splitlines()
    assert acme.count("page") == 0
    if path == "refresh":
        assert acme.works(oauthctl.token()), "the old token was lost"
        assert oauthctl.state()["refreshable"] is True
    else:
        assert keyring.item() is None


@BOTH
@pytest.mark.parametrize("fault", [
    error("bad_verification_code", 200),
    answer(200, "error=bad_verification_code&error_description=Old", "application/x-www-form-urlencoded"),
    answer(200, {"error": "bad_verification_code", "access_token": "at-x", "token_type": "bearer"}),
], ids=["json", "form", "with-token"])  # fmt: skip
def test_an_error_in_a_200_is_an_error(acme, oauthctl, path, fault):
    done = obtain(acme, oauthctl, path, fault)
    assert done.code in (76, 77) and "bad_verification_code" in done.err


@BOTH
def test_a_body_over_the_limit_is_refused(acme, oauthctl, path):
    done = obtain(acme, oauthctl, path, answer(200, {"access_token": "x", "padding": "y" * (2 << 20)}))
    assert done.code in (75, 76) and done.out == ""


@BOTH
def test_a_body_just_under_the_limit_is_read(acme, oauthctl, path):
    assert obtain(acme, oauthctl, path, faults.padded(900_000)).code == 0


def test_a_nested_reply_is_found_by_token_path(acme, oauthctl):
    oauthctl.write_provider(acme.provider(quirks={"token_path": "authed_user", "ok_field": "ok"}))
    nest = rewrite(lambda value: {"ok": True, "team": {"id": "T1"}, "authed_user": value})
    acme.on("token", nest)
    acme.on("refresh", nest)
    oauthctl.login()
    assert acme.works(oauthctl.token())
    assert acme.works(oauthctl.token("acme", "--force-refresh"))


def test_a_false_ok_field_is_an_error_with_its_words(acme, oauthctl):
    oauthctl.write_provider(acme.provider(quirks={"ok_field": "ok"}))
    acme.on("token", answer(200, {"ok": False, "error": "code_already_used"}))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code in (76, 77, 78) and "code_already_used" in done.err


def test_an_expiry_in_milliseconds_is_a_quirk(acme, oauthctl):
    oauthctl.write_provider(acme.provider(quirks={"expires_in_unit": "ms"}))
    acme.on("token", edit(expires_in=3_600_000))
    oauthctl.login()
    assert 3500 < left(oauthctl.state()) <= 3601


def test_a_token_request_in_json_is_a_quirk(acme, oauthctl):
    oauthctl.write_provider(acme.provider(quirks={"token_request": "json"}))
    acme.on("token", answer(200, {"access_token": "at-json", "token_type": "Bearer"}))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 0
    (request,) = acme.sent("token")
    assert request.headers["Content-Type"].startswith("application/json")
    assert json.loads(request.body)["grant_type"] == "authorization_code"
    acme.violations.clear()  # the server demands a form


def test_the_words_of_a_servers_error_are_shown_stripped(acme, oauthctl):
    acme.on("token", error("invalid_grant", error_description="Code \x1b[31mexpired\x07\nX: " + "w" * 9000))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 77 and "expired" in done.err
    assert "\x1b" not in done.err and "\x07" not in done.err and len(done.err) < 4000
