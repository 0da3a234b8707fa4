"""`refresh`: rotation, many accounts, and what each kind of failure means."""

import json
import time

import pytest

import faults
from faults import answer, error, html



# What a failed refresh means: the contract's table, row by row

TRANSIENT = {
    "500": answer(500, ""), "502": html(502), "503-json": error("oops", 503), "503-html": html(503), "504": answer(504, "x", "text/plain"),
    "408": answer(408, ""), "425": answer(425, ""), "429": error("slow_down", 429), "html-403": html(403),
    "html-400": html(400), "html-401": html(401), "html-200": html(200), "temporarily": error("temporarily_unavailable"),
    "server-error": error("server_error"), "server-error-200": error("server_error", 200), "dropped": faults.drop(),
    "cut": faults.cut(),
}  # fmt: skip
REFUSED = {
    "invalid-grant": error("invalid_grant", error_description="Token expired"), "invalid-grant-401": error("invalid_grant", 401),
    "invalid-grant-403": error("invalid_grant", 403), "invalid-grant-200": error("invalid_grant", 200),
    "invalid-grant-500": error("invalid_grant", 500),
    "form": answer(400, "error=invalid_grant&error_description=Token+expired", "application/x-www-form-urlencoded"),
    "empty-400": answer(400, "", None), "empty-401": answer(401, ""), "empty-403": answer(403, ""),
    "text-403": answer(403, "forbidden", "text/plain"), "unknown-code": error("token_was_eaten"),
    "unreadable": answer(400, b"\xff\x00{"), "json-without-error": answer(401, {"message": "no"}),
}  # fmt: skip
CONFIGURATION = {
    "invalid-client": error("invalid_client", 401), "invalid-client-400": error("invalid_client"),
    "unauthorized-client": error("unauthorized_client"), "grant-type": error("unsupported_grant_type"),
    "scope": error("invalid_scope"), "target": error("invalid_target"),
}  # fmt: skip
PROTOCOL = {
    "no-token": answer(200, {}), "302": faults.redirect("/page"), "301": faults.redirect("/page", 301),
    "308": faults.redirect("/page", 308), "304": answer(304, content_type=None),
}  # fmt: skip


@pytest.mark.parametrize("case", TRANSIENT)
def test_a_transient_failure_is_75_and_changes_nothing(signed_in, oauthctl, keyring, case):
    before = oauthctl.token()
    signed_in.on("refresh", TRANSIENT[case].forever())
    done = oauthctl("refresh", "acme")
    assert (done.code, done.out) == (75, ""), done
    assert "oauthctl: error: " in done.err
    assert signed_in.count("refresh") == 1, "a refresh token was sent again without being asked"
    assert oauthctl.token() == before
    assert oauthctl.state()["state"] == "valid"
    assert b"rt-" in keyring.item()


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_grant_is_77_is_marked_and_kept(signed_in, oauthctl, keyring, case):
    signed_in.on("refresh", REFUSED[case].forever())
    done = oauthctl("refresh", "acme")
    assert (done.code, done.out) == (77, ""), done
    assert "oauthctl login acme" in done.err
    assert oauthctl.state()["state"] == "refused"
    assert b"rt-" in keyring.item() and b"at-" in keyring.item(), "a failure erased a login"


@pytest.mark.parametrize("case", CONFIGURATION)
def test_a_refused_client_is_78_and_changes_nothing(signed_in, oauthctl, keyring, case):
    before = keyring.session()
    signed_in.on("refresh", CONFIGURATION[case])
    done = oauthctl("refresh", "acme")
    assert (done.code, done.out) == (78, ""), done
    assert keyring.session() == before
    assert oauthctl("refresh", "acme").code == 0


@pytest.mark.parametrize("case", PROTOCOL)
def test_a_reply_that_is_none_is_76_and_changes_nothing(signed_in, oauthctl, keyring, case):
    before = keyring.session()
    signed_in.on("refresh", PROTOCOL[case])
    done = oauthctl("refresh", "acme")
    assert (done.code, done.out) == (76, ""), done
    assert keyring.session() == before and signed_in.count("page") == 0
    assert oauthctl("refresh", "acme").code == 0


def test_an_unreachable_server_is_75(signed_in, oauthctl):
    before = oauthctl.token()
    signed_in.close()
    done = oauthctl("refresh", "acme")
    assert done.code == 75 and "127.0.0.1" in done.err
    assert oauthctl.token() == before


def test_something_that_is_not_http_is_a_failure_without_loss(signed_in, oauthctl):
    signed_in.on("refresh", faults.garbage())
    assert oauthctl("refresh", "acme").code in (75, 76)
    assert oauthctl.state()["state"] == "valid"


def test_status_and_body_of_an_unreadable_refusal_are_shown(signed_in, oauthctl):
    signed_in.on("refresh", answer(403, "who are you", "text/plain"))
    done = oauthctl("refresh", "acme")
    assert "403" in done.err and "who are you" in done.err


def test_a_server_that_answers_nothing_is_given_up_in_time(signed_in, oauthctl):
    signed_in.on("refresh", faults.silence())
    done = oauthctl("refresh", "acme", timeout=100)
    assert done.code == 75 and done.seconds < 95


# Afterwards


def test_a_refused_grant_is_not_sent_again(expired, oauthctl):
    expired.on("refresh", error("invalid_grant").forever())
    assert oauthctl("refresh", "--all").code == 77
    assert oauthctl("refresh", "--all").code == 77
    done = oauthctl("token", "acme", "--min-valid", "1h")
    assert (done.code, done.out) == (77, "") and "oauthctl login acme" in done.err
    assert expired.count("refresh") == 1


def test_a_new_login_heals_a_refused_grant(expired, oauthctl):
    expired.on("refresh", error("invalid_grant"))
    assert oauthctl("refresh", "acme").code == 77
    expired.expires_in = 3600
    oauthctl.login()
    assert oauthctl.state()["state"] == "valid"
    assert oauthctl("refresh", "--all").code == 0


def test_a_transient_failure_heals_by_itself(expired, oauthctl):
    expired.on("refresh", html(503))
    assert oauthctl("token", "acme").code == 75
    deadline = time.monotonic() + 15
    while (done := oauthctl("token", "acme")).code == 75 and time.monotonic() < deadline:
        time.sleep(0.5)
    assert done.code == 0 and expired.works(done.out.strip())


def test_the_back_off_is_remembered_across_runs(expired, oauthctl):
    expired.on("refresh", answer(429, "", Retry_After="3600").forever())
    assert oauthctl("refresh", "--all").code == 75
    for _ in range(3):
        assert oauthctl("refresh", "--all").code == 75
    assert expired.count("refresh") == 1, "the server was asked again before its Retry-After"


def test_a_lost_reply_says_that_the_token_may_be_spent_and_keeps_it(expired, oauthctl):
    expired.on("refresh", faults.cut())
    done = oauthctl("refresh", "acme")
    assert done.code == 75
    assert expired.count("refresh") == 1


# Many accounts


def several(acme, oauthctl, *names):
    for name in names:
        oauthctl.login(f"acme/{name}")


def test_refresh_prints_nothing_on_stdout(signed_in, oauthctl):
    done = oauthctl("refresh", "acme")
    assert (done.code, done.out) == (0, "")
    assert signed_in.count("refresh") == 1


def test_named_accounts_are_refreshed_and_no_others(acme, oauthctl):
    several(acme, oauthctl, "one", "two", "three")
    assert oauthctl("refresh", "acme/one", "acme/three").code == 0
    assert acme.count("refresh") == 2


def test_all_means_all(acme, oauthctl):
    several(acme, oauthctl, "one", "two", "three")
    assert oauthctl("refresh", "--all").code == 0
    assert acme.count("refresh") == 3


def test_all_with_nothing_stored_is_no_error(oauthctl):
    done = oauthctl("refresh", "--all")
    assert (done.code, done.out) == (0, "")


def test_all_and_names_together_or_neither_are_refused(signed_in, oauthctl):
    assert oauthctl("refresh", "--all", "acme").code == 64
    assert oauthctl("refresh").code == 64


def test_one_bad_account_never_stops_the_others_and_the_worst_code_wins(servers, oauthctl):
    codes = {"good": None, "later": html(503), "ended": error("invalid_grant"), "wrong": error("invalid_client", 401)}
    for name, fault in codes.items():
        one = servers()
        oauthctl.write_provider(one.provider(name))
        oauthctl.login(name)
        if fault:
            one.on("refresh", fault.forever())
    done = oauthctl("refresh", "--all", "--json")
    results = {line["provider"]: line["result"] for line in done.lines}
    assert results["good"] == "ok" and set(results) == set(codes)
    got = {name: value.get("error", value)["code"] for name, value in results.items() if value != "ok"}
    assert got == {"later": 75, "ended": 77, "wrong": 78}
    assert done.code == max(got.values())


def test_json_lines_have_the_documented_keys(signed_in, oauthctl):
    (line,) = oauthctl("refresh", "--all", "--json").lines
    assert {"provider": "acme", "account": "default", "result": "ok", "scope": ["read", "write"]}.items() <= line.items()
    assert line["expires_at"]


def test_within_leaves_tokens_alone_that_last(acme, oauthctl):
    oauthctl.login("acme/long")
    acme.expires_in = 120
    oauthctl.login("acme/short")
    acme.expires_in = None
    oauthctl.login("acme/unknown")
    short = acme.grants[1].refresh_token
    assert oauthctl("refresh", "--all", "--within", "10m").code == 0
    assert short in [request.form["refresh_token"] for request in acme.sent("refresh")]
    assert acme.grants[0].refresh_token not in [request.form["refresh_token"] for request in acme.sent("refresh")]


@pytest.mark.parametrize("jobs, at_least, at_most", [("1", 2.0, 9), ("8", 0.5, 1.9)])
def test_jobs_bound_how_many_run_at_once(acme, oauthctl, jobs, at_least, at_most):
    several(acme, oauthctl, "a", "b", "c", "d")
    acme.on("refresh", faults.late(0.5).forever())
    done = oauthctl("refresh", "--all", "--jobs", jobs)
    assert done.code == 0
    arrived = [request.at for request in acme.sent("refresh")]
    spread = max(arrived) - min(arrived) + 0.5
    assert at_least <= spread <= at_most, spread


@pytest.mark.parametrize("jobs", ["0", "-1", "many", ""])
def test_a_silly_number_of_jobs_is_refused(signed_in, oauthctl, jobs):
    assert oauthctl("refresh", "--all", f"--jobs={jobs}").code == 64
    assert signed_in.count("refresh") == 0


def test_an_account_without_a_refresh_token_is_told(acme, oauthctl):
    acme.gives_refresh_token = False
    oauthctl.login()
    done = oauthctl("refresh", "acme")
    assert done.code == 77 and "oauthctl login acme" in done.err


def test_all_skips_what_cannot_be_refreshed_and_still_lasts(acme, oauthctl):
    acme.gives_refresh_token = False
    oauthctl.login()
    done = oauthctl("refresh", "--all")
    assert done.code in (0, 77) and acme.count("refresh") == 0


def test_a_refresh_of_an_account_that_is_not_there_is_told(acme, oauthctl):
    done = oauthctl("refresh", "acme")
    assert done.code == 77 and "oauthctl login acme" in done.err


def test_rotation_goes_on_for_many_rounds(signed_in, oauthctl):
    for _ in range(10):
        assert oauthctl("refresh", "acme").code == 0
    assert signed_in.works(oauthctl.token())


def test_a_refresh_needs_no_discovery_and_uses_the_endpoints_of_the_login(server, oauthctl):
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["read"]})
    oauthctl.login()
    asked = server.count("discovery")
    server.on("discovery", error("gone", 500).forever())
    assert oauthctl("refresh", "acme").code == 0
    assert server.count("discovery") == asked


def test_refresh_params_and_the_refresh_endpoint_of_the_provider_are_used(acme, oauthctl):
    file = acme.provider(refresh_params={"tenant": "t9"})
    file["endpoints"]["refresh"] = acme.base + "/token"
    oauthctl.write_provider(file)
    oauthctl.login()
    assert oauthctl("refresh", "acme").code == 0
    assert acme.sent("refresh")[0].form["tenant"] == "t9"


def test_the_json_error_of_a_refused_refresh_has_the_servers_words(signed_in, oauthctl):
    signed_in.on("refresh", error("invalid_grant", error_description="Token expired"))
    done = oauthctl("refresh", "acme", "--json")
    assert done.code == 77
    (line,) = done.lines
    value = line["result"].get("error", line["result"])
    assert done.error == value, "on standard error too, as with any command"
    assert value["code"] == 77 and {
        "error": "invalid_grant", "error_description": "Token expired"}.items() <= value["server"].items()
    assert json.dumps(value["hint"])
