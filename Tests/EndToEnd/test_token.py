"""`token`: which token is printed, in which form, and what is said when there is none."""

import datetime
import subprocess

import pytest

import command
import faults
import loopback

ODD_TOKEN = "at-'quoted' \"twice\" $HOME `id` $(id) \\n !x ~ #; & |*?"  # RFC 6749 allows every printable character


def refreshes(server):
    return server.count("refresh")


def test_a_valid_token_is_printed_without_asking_the_server(signed_in, oauthctl):
    asked = len(signed_in.requests)
    first, second = oauthctl.token(), oauthctl.token()
    assert first == second and signed_in.works(first)
    assert len(signed_in.requests) == asked


def test_a_valid_token_is_printed_with_the_server_gone(signed_in, oauthctl):
    signed_in.close()
    assert oauthctl.token()


def test_an_expired_token_is_refreshed_first(expired, oauthctl):
    first = oauthctl.token()
    assert expired.works(first) and refreshes(expired) == 1
    assert oauthctl.token() == first and refreshes(expired) == 1


def test_nothing_but_the_token_is_on_stdout_and_nothing_on_stderr(expired, oauthctl):
    done = oauthctl("token", "acme")
    assert done.err == "" and done.out.count("\n") == 1


@pytest.mark.parametrize("left, min_valid, refreshed", [
    (100, None, False), (50, None, True), (100, "90", False), (100, "90s", False), (100, "2m", True), (100, "1h", True),
    (50, "10", False), (7200, "1d", True), (50, "0", False),
])  # fmt: skip
def test_min_valid_decides_about_the_refresh(acme, oauthctl, left, min_valid, refreshed):
    acme.expires_in, acme.expires_in_after_refresh = left, 1_000_000
    oauthctl.login()
    options = [] if min_valid is None else ["--min-valid", min_valid]
    oauthctl.token("acme", *options)
    assert (refreshes(acme) == 1) is refreshed


def test_a_fresh_token_shorter_than_min_valid_is_printed_all_the_same(acme, oauthctl):
    acme.expires_in = acme.expires_in_after_refresh = 30
    oauthctl.login()
    assert acme.works(oauthctl.token())
    assert refreshes(acme) == 1


def test_a_token_of_unknown_expiry_is_used_until_told_otherwise(acme, oauthctl):
    acme.expires_in = acme.expires_in_after_refresh = None
    oauthctl.login()
    token = oauthctl.token()
    assert oauthctl.token("acme", "--min-valid", "7d") == token and refreshes(acme) == 0
    assert oauthctl.token("acme", "--force-refresh") != token and refreshes(acme) == 1


def test_force_refresh_refreshes_a_valid_token(signed_in, oauthctl):
    before = oauthctl.token()
    after = oauthctl.token("acme", "--force-refresh")
    assert after != before and signed_in.works(after)
    assert oauthctl.token() == after


def test_no_refresh_never_asks_the_server(expired, oauthctl):
    done = oauthctl("token", "acme", "--no-refresh", "--min-valid", "1h")
    assert (done.code, done.out) == (77, "") or done.code == 0
    assert refreshes(expired) == 0


def test_no_refresh_prints_a_valid_token(signed_in, oauthctl):
    assert signed_in.works(oauthctl.token("acme", "--no-refresh"))


def test_no_refresh_and_force_refresh_together_are_refused(signed_in, oauthctl):
    done = oauthctl("token", "acme", "--no-refresh", "--force-refresh")
    assert (done.code, done.out) == (64, "")


@pytest.mark.parametrize("account", ["acme", "acme/default", "acme/work"])
def test_without_a_login_the_exact_command_that_helps_is_named(acme, oauthctl, account):
    done = oauthctl("token", account)
    assert (done.code, done.out) == (77, "")
    assert done.err.startswith("oauthctl: error: ")
    wanted = "acme" if account == "acme" else account
    hints = [line for line in done.err.splitlines() if line.startswith("oauthctl: hint: ")]
    assert len(hints) == 1
    assert f"oauthctl login {wanted}" in hints[0] or (account == "acme/default" and "oauthctl login acme" in hints[0])


def test_an_unknown_provider_is_told_with_a_suggestion(signed_in, oauthctl):
    done = oauthctl("token", "acmee")
    assert (done.code, done.out) == (78, "")
    assert "did you mean" in done.err and "acme" in done.err.split("did you mean")[1]


def test_an_unknown_account_is_told_with_a_suggestion(acme, oauthctl):
    oauthctl.login("acme/work")
    done = oauthctl("token", "acme/wrok")
    assert done.code in (77, 78) and done.out == ""
    assert "acme/work" in done.err


def test_the_only_account_needs_no_name(acme, oauthctl):
    oauthctl.login("acme/work")
    assert oauthctl.token("acme") == oauthctl.token("acme/work")


def test_several_accounts_need_a_name_and_are_listed(acme, oauthctl):
    oauthctl.login("acme/one")
    oauthctl.login("acme/two")
    done = oauthctl("token", "acme")
    assert (done.code, done.out) == (78, "")
    assert "acme/one" in done.err and "acme/two" in done.err


def test_the_default_account_needs_no_name_among_several(acme, oauthctl):
    oauthctl.login("acme/default")
    oauthctl.login("acme/two")
    assert oauthctl.token("acme") == oauthctl.token("acme/default")


@pytest.mark.parametrize("name", ["acme/", "/work", "acme/a/b", "ac me", "../acme", "acme/" + "x" * 65, "", "acme/é", "acme/a\nb"])
def test_a_malformed_name_is_refused(signed_in, oauthctl, name):
    done = oauthctl("token", name)
    assert done.code in (64, 78) and done.out == ""
    assert done.err.startswith("oauthctl: error: ") and "\nb" not in done.err


@pytest.mark.parametrize("name", ["a", "x" * 64, "me@example.com", "a.b_c-d+e", "0"])
def test_every_allowed_account_name_works(acme, oauthctl, name):
    oauthctl.login(f"acme/{name}")
    assert acme.works(oauthctl.token(f"acme/{name}"))


# Formats ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Bearer", "bearer", "BEARER", faults.REMOVED])
def test_the_header_is_ready_for_use_whatever_the_servers_spelling(acme, oauthctl, kind):
    acme.on("token", faults.edit(token_type=kind))
    oauthctl.login()
    done = oauthctl("token", "acme", "--format", "header")
    assert done.out == f"Authorization: Bearer {oauthctl.token()}\n"


def test_json_has_the_documented_keys(signed_in, oauthctl):
    value = oauthctl("token", "acme", "--format", "json").json
    assert {"provider": "acme", "account": "default", "scope": ["read", "write"]}.items() <= value.items()
    assert value["access_token"] == oauthctl.token() and value["token_type"] == "Bearer"
    assert 3500 < value["expires_in"] <= 3600
    moment = datetime.datetime.fromisoformat(value["expires_at"].replace("Z", "+00:00"))
    assert abs((moment - datetime.datetime.now(datetime.timezone.utc)).total_seconds() - value["expires_in"]) < 5
    assert "refresh_token" not in value and "id_token" not in value


def test_the_id_token_and_other_fields_of_the_reply_can_be_asked_for(acme, oauthctl):
    oauthctl.write_provider(acme.provider(scopes=["openid"], issuer=acme.issuer))
    acme.on("token", faults.edit(instance_url="https://eu.example", team={"id": 7}))
    oauthctl.login()
    value = oauthctl("token", "acme", "--format", "json").json
    assert oauthctl("token", "acme", "--id-token").out == value["id_token"] + "\n"
    assert oauthctl("token", "acme", "--field", "instance_url").out == "https://eu.example\n"
    assert value["fields"]["team"] == {"id": 7} and value["fields"]["instance_url"] == "https://eu.example"
    done = oauthctl("token", "acme", "--field", "refresh_token")
    assert done.code != 0 and done.out == ""


def test_json_leaves_out_an_unknown_expiry(acme, oauthctl):
    acme.expires_in = None
    oauthctl.login()
    value = oauthctl("token", "acme", "--format=json").json
    assert "expires_at" not in value and "expires_in" not in value


def test_json_has_the_id_token_where_there_is_one(acme, oauthctl):
    oauthctl.write_provider(acme.provider(scopes=["openid"], issuer=acme.issuer))
    oauthctl.login()
    assert oauthctl("token", "acme", "--format", "json").json["id_token"].count(".") == 2


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh"])
@pytest.mark.parametrize("token", ["plain", ODD_TOKEN])
def test_env_can_be_evaluated_by_every_shell(acme, oauthctl, shell, token):
    acme.on("token", faults.edit(access_token=token))
    oauthctl.login()
    text = oauthctl("token", "acme", "--format", "env").out
    assert text.startswith("export ACCESS_TOKEN='")
    script = 'eval "$1"; printf "%s\\0%s" "$ACCESS_TOKEN" "$(env | grep ^ACCESS_TOKEN_EXPIRES_AT=)"'
    out = subprocess.run([shell, "-c", script, shell, text], capture_output=True, check=True, text=True).stdout
    value, expiry = out.split("\0")
    assert value == token
    assert datetime.datetime.fromisoformat(expiry.split("=")[1].replace("Z", "+00:00"))


def test_env_leaves_out_an_unknown_expiry(acme, oauthctl):
    acme.expires_in = None
    oauthctl.login()
    lines = oauthctl("token", "acme", "--format", "env").out.splitlines()
    assert len([line for line in lines if line.startswith("export ")]) == 1 or lines[1].endswith("=''")


def test_the_header_keeps_the_token_out_of_curls_arguments(signed_in, oauthctl):
    script = '"$0" token acme --format header | curl -sS --fail -H @- "$1"'
    url = signed_in.base + "/userinfo"
    shown = subprocess.run(["sh", "-c", script, command.BINARY, url], env=oauthctl.env, capture_output=True, text=True)
    assert '"sub": "alice"' in shown.stdout, shown
    signed_in.expect_violation("User-Agent")
    signed_in.expect_violation("Accept")


def test_an_unknown_format_is_refused_with_the_choices(signed_in, oauthctl):
    done = oauthctl("token", "acme", "--format", "jsn")
    assert (done.code, done.out) == (64, "")
    assert "json" in done.err and "header" in done.err


def test_command_substitution_gives_exactly_the_token(signed_in, oauthctl):
    script = 'token=$("$0" token acme) && printf "[%s]" "$token"'
    out = subprocess.run(["sh", "-c", script, command.BINARY], env=oauthctl.env, capture_output=True, text=True, check=True)
    assert out.stdout == f"[{oauthctl.token()}]"


def test_json_error_is_an_object_on_stderr(acme, oauthctl):
    done = oauthctl("token", "acme", "--json")
    assert (done.code, done.out) == (77, "")
    assert done.error["code"] == 77 and done.error["kind"] == "login-required"
    assert done.error["message"] and "oauthctl login acme" in done.error["hint"]


def test_a_token_is_saved_before_it_is_printed(expired, oauthctl, keyring):
    token = oauthctl.token()
    assert token.encode() in keyring.item()


def test_an_account_whose_provider_file_is_gone_still_has_its_token(signed_in, oauthctl):
    (oauthctl.config / "providers/acme.json").unlink()
    assert signed_in.works(oauthctl.token("acme"))
    assert signed_in.works(oauthctl.token("acme", "--force-refresh"))


def test_a_flow_in_progress_does_not_block_token(signed_in, oauthctl):
    flow = oauthctl.start("login", "acme", "--no-browser")
    flow.url()
    done = oauthctl("token", "acme", timeout=5)
    assert done.code == 0
    loopback.get(signed_in.approve(flow.url()))
    assert flow.wait().code == 0
