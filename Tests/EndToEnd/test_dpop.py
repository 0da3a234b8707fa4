"""Tokens that are bound to a key (RFC 9449): proofs at every step, nonces, and what a server may get wrong."""

import json
import signal
import subprocess

import pytest

import command
import faults
import jose
from checkpoints import Stopped
from small_client import send


@pytest.fixture
def bound(acme, oauthctl, keyring, make_oauthctl):
    """`acme` with an account whose tokens are bound to a key; what is private of that key must be nowhere but there."""
    acme.dpop.enabled = True
    oauthctl.login("acme", "--dpop")
    make_oauthctl.secrets.update(key_of(keyring).splitlines()[1:-1])
    return acme


def key_of(keyring):
    return keyring.session()["dpop"]["key"]


def lines(oauthctl, url, *options, account="acme"):
    """The header lines that `token` prints, as a dictionary."""
    done = oauthctl("token", account, "--format", "header", "--url", url, *options)
    assert done.code == 0, done
    return dict(line.split(": ", 1) for line in done.out.splitlines())


def alive(server, oauthctl):
    return server.works(oauthctl.token("acme", "--force-refresh"))


def test_login_refresh_and_revocation_carry_proofs_of_one_key(bound, oauthctl, keyring):
    key = key_of(keyring)
    for _ in range(2):
        token = oauthctl.token("acme", "--force-refresh", "--verbose")
        assert bound.issued[token].jkt == bound.sent("authorization")[0].query["dpop_jkt"]
    assert key_of(keyring) == key and "PRIVATE KEY" not in "".join(keyring.search())
    done = oauthctl("logout", "acme", "--json")
    assert done.json["tokens"] == "revoked" and len(bound.dpop.proofs) == 5
    assert all(request.headers["DPoP"] for request in bound.sent("token", "refresh", "revocation"))


def test_each_login_makes_a_key_of_its_own(bound, oauthctl, keyring):
    first = key_of(keyring)
    oauthctl.login("acme", "--dpop")
    assert key_of(keyring) != first and alive(bound, oauthctl)
    second = key_of(keyring)
    oauthctl.login("acme")
    assert key_of(keyring) not in (first, second) and alive(bound, oauthctl)
    assert oauthctl("logout", "acme").code == 0
    oauthctl.login("acme")
    assert "dpop" not in keyring.session() and alive(bound, oauthctl)


def test_a_provider_may_want_it_always_and_a_pushed_request_has_its_proof(server, oauthctl):
    server.dpop.enabled = server.dpop.required = server.par.enabled = True
    oauthctl.write_provider(server.provider(issuer=server.issuer, endpoints=None, dpop=True))
    oauthctl.login("acme", "--par")
    assert server.sent("par")[0].headers["DPoP"] and alive(server, oauthctl)


@pytest.mark.parametrize("algorithms, used", [(["ES384", "RS256"], "ES384"), (["RS256", "ES512"], "ES512"), (["RS256"], None)])
def test_the_key_is_one_that_the_server_takes(server, oauthctl, algorithms, used):
    server.dpop.enabled, server.dpop.algorithms = True, algorithms
    oauthctl.write_provider(server.provider(issuer=server.issuer, endpoints=None))
    done = oauthctl("login", "acme", "--dpop", "--browser", oauthctl.browser())
    if used:
        assert done.code == 0 and jose.parse(server.sent("token")[0].headers["DPoP"])[0]["alg"] == used, done
        assert alive(server, oauthctl)
    else:
        assert done.code == 78 and "RS256" in done.err and "without --dpop" in done.err and server.count("authorization") == 0


# Nonces ----------------------------------------------------------------------------------------------------------------


def test_a_nonce_is_remembered(acme, oauthctl):
    acme.dpop.enabled = True
    acme.dpop.rotate()
    oauthctl.login("acme", "--dpop")
    assert acme.count("token") == 2
    for _ in range(2):
        assert alive(acme, oauthctl)
    assert acme.count("refresh") == 2
    acme.dpop.rotate()
    assert alive(acme, oauthctl) and acme.count("refresh") == 4
    assert oauthctl("logout", "acme").code == 0 and acme.count("revocation") == 2


def test_a_new_nonce_with_each_answer_costs_no_request(acme, oauthctl):
    acme.dpop.enabled = acme.dpop.rotates = True
    oauthctl.login("acme", "--dpop")
    for _ in range(3):
        assert alive(acme, oauthctl)
    assert oauthctl("logout", "acme").code == 0
    assert [acme.count(name) for name in ("token", "refresh", "revocation")] == [1, 3, 2]


def test_a_server_that_never_has_enough_is_asked_twice(bound, oauthctl, keyring):
    before = keyring.session()
    for number in range(3):
        bound.on("refresh", faults.answer(400, {"error": "use_dpop_nonce"}, DPoP_Nonce=f"n-{number}"))
    done = oauthctl("token", "acme", "--force-refresh")
    assert (done.code, done.out) == (75, "") and bound.count("refresh") == 2, done
    bound.heal()
    after = keyring.session()
    assert after.pop("backoff")["failures"] == 1 and after == before and alive(bound, oauthctl)


# What a server may get wrong -------------------------------------------------------------------------------------------


def test_a_token_that_is_not_bound_is_refused_at_login(acme, oauthctl):
    acme.dpop.enabled = acme.dpop.says_bearer = True
    done = oauthctl("login", "acme", "--dpop", "--browser", oauthctl.browser())
    assert done.code == 76 and "token_type" in done.err and "expected DPoP, got Bearer" in done.err, done
    assert oauthctl("status", "acme").code != 0


def test_a_bound_token_that_was_not_asked_for_is_refused_at_login(acme, oauthctl):
    acme.on("token", faults.edit(token_type="DPoP"))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 76 and "expected Bearer, got DPoP" in done.err and "--dpop" in done.err, done
    assert oauthctl("status", "acme").code != 0


def test_a_token_that_is_not_bound_any_more_keeps_the_login(bound, oauthctl, keyring):
    bound.on("refresh", faults.edit(token_type="Bearer"))
    assert bound.works(oauthctl.token("acme", "--force-refresh"))
    assert lines(oauthctl, "https://api.example/")["Authorization"].startswith("Bearer ")
    assert alive(bound, oauthctl) and keyring.session()["dpop"]["key"]


def test_a_server_that_demands_it_says_so_and_the_login_stays(acme, oauthctl, keyring):
    oauthctl.login()
    acme.dpop.enabled = acme.dpop.required = True
    done = oauthctl("token", "acme", "--force-refresh")
    acme.expect_violation("there is no DPoP proof")
    assert done.code == 78 and "login acme --dpop" in done.err and "refused" not in keyring.session(), done
    acme.dpop.required = False
    assert alive(acme, oauthctl)


def test_a_proof_that_is_refused_speaks_of_the_clock_and_the_login_stays(bound, oauthctl, keyring):
    before = keyring.session()
    bound.on("refresh", faults.error("invalid_dpop_proof"))
    done = oauthctl("token", "acme", "--force-refresh")
    assert done.code == 78 and "clock" in done.err.partition("hint")[2], done
    assert keyring.session() == before and alive(bound, oauthctl)
    bound.on("revocation", faults.error("invalid_dpop_proof"))
    done = oauthctl("logout", "acme")
    assert done.code == 78 and "clock" in done.err and alive(bound, oauthctl)


@pytest.mark.parametrize("spoil", ["rubbish", "other"])
def test_a_stored_key_that_is_not_the_one_is_told(bound, oauthctl, keyring, spoil):
    kept = keyring.item()
    session = json.loads(kept)
    session["dpop"]["key"] = "rubbish" if spoil == "rubbish" else jose.key("P-256", 6).pem()
    keyring.put(json.dumps(session).encode())
    done = oauthctl("token", "acme", "--force-refresh")
    if spoil == "rubbish":
        assert done.code == 77 and "login acme" in done.err and bound.count("refresh") == 0, done
        keyring.put(kept)
        assert alive(bound, oauthctl)
    else:
        bound.expect_violation("bound to another DPoP key")
        assert done.code == 77 and "invalid_grant" in done.err, done


# At a resource ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def api(server, resources):
    """A resource that takes bound tokens alone."""
    made = resources(server, path="/api")
    made.dpop.enabled = made.dpop.required = True
    made.demands_audience = False
    return made


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_two_lines_let_a_request_in(api, bound, oauthctl, method):
    options = [] if method == "GET" else ["--method", method]
    headers = lines(oauthctl, api.resource + "?page=2#top", *options)
    assert list(headers) == ["Authorization", "DPoP"] and headers["Authorization"].startswith("DPoP ")
    answer = send(api.resource + "?page=2", method, headers=headers)
    assert answer.status == 200 and answer.json["user"] == "alice", answer.text
    claims = jose.parse(headers["DPoP"])[1]
    assert claims["htu"] == api.resource and claims["htm"] == method and "nonce" not in claims
    # a proof is good once
    assert send(api.resource, method, headers=headers).status == 400
    api.expect_violation("jti was used before")


def test_a_resource_may_want_a_nonce(api, bound, oauthctl):
    nonce = api.dpop.rotate()
    answer = send(api.resource, headers=lines(oauthctl, api.resource))
    assert answer.status == 401 and answer.headers["DPoP-Nonce"] == nonce
    assert send(api.resource, headers=lines(oauthctl, api.resource, "--nonce", nonce)).status == 200


def test_curl_reads_the_lines(api, bound, oauthctl):
    script = f'curl -s -A oauthctl/0 -H "Accept: application/json" -H @<("$0" token acme --format header --url {api.resource}) {api.resource}'
    done = subprocess.run(["bash", "-c", script, command.BINARY], env=oauthctl.env, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0 and json.loads(done.stdout)["user"] == "alice", done


def test_a_bearer_token_has_one_line(signed_in, oauthctl):
    assert list(lines(oauthctl, "https://api.example/x")) == ["Authorization"]


@pytest.mark.parametrize("options", [
    ["--url", "https://a.example/"], ["--format", "header", "--method", "GET"], ["--format", "header", "--nonce", "n"],
    ["--format", "header", "--url", "nowhere"], ["--format", "header", "--url", "https://a.example/", "--method", "get"],
    ["--format", "json", "--url", "https://a.example/"], ["--id-token", "--url", "https://a.example/"],
], ids=" ".join)  # fmt: skip
def test_what_does_not_go_together_is_told(bound, oauthctl, options):
    done = oauthctl("token", "acme", *options)
    assert (done.code, done.out) == (64, ""), done


@pytest.mark.parametrize("options, warns", [
    ([], True), (["--format", "header"], True), (["--format", "header", "--url", "https://a.example/"], False)])
def test_a_bare_bound_token_warns_a_person(bound, oauthctl, terminal, options, warns):
    shown = terminal("token", "acme", *options, columns=400)
    assert shown.wait() == 0 and ("bound to a key" in shown.seen) == warns
    shown.seen = ""  # the token is what was asked for
    done = oauthctl("token", "acme", *options)
    assert done.code == 0 and done.err == ""


def test_json_names_the_scheme(bound, oauthctl):
    assert oauthctl("token", "acme", "--json").json["token_type"] == "DPoP"


# Many, and the dead ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotates", [False, True], ids=["no nonces", "nonces"])
def test_parallel_refreshes_of_bound_tokens_leave_the_login_alive(bound, oauthctl, rotates):
    bound.dpop.rotates = rotates
    running = [oauthctl.start("token", "acme", "--force-refresh") for _ in range(8)]
    results = [one.wait(60) for one in running]
    assert [one.code for one in results] == [0] * 8, results
    assert alive(bound, oauthctl)


@pytest.mark.parametrize("step", ["marked", "saved"])
def test_a_kill_leaves_the_login_alive(bound, oauthctl, step):
    bound.dpop.rotate()
    stopped = Stopped(oauthctl, step, "token", "acme", "--force-refresh")
    stopped.kill(both=True)
    assert alive(bound, oauthctl)


def test_an_interrupt_between_the_two_requests_of_a_nonce_loses_nothing(bound, oauthctl):
    bound.dpop.rotate()
    bound.on("refresh", faults.late(0.3))
    running = oauthctl.start("token", "acme", "--force-refresh")
    bound.wait_for("refresh")
    running.kill(signal.SIGINT)
    assert running.wait().code == 130
    assert alive(bound, oauthctl)
