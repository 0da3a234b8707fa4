"""Further tokens of one grant: for other scopes, another audience, other resources; one refresh token for all."""

import collections
import json
import time

import pytest

import faults

VARIANTS = [["--scope", "read"], ["--audience", "api-1"], ["--resource", "https://api.example/a"],
            ["--scope", "write", "--resource", "https://api.example/b"]]


@pytest.fixture
def wide(acme, oauthctl):
    """`acme` with an account whose server gives narrower tokens to one grant, and rotates the refresh token each time."""
    acme.targets.narrows = True
    acme.targets.resources, acme.targets.audiences = ["https://api.example/a", "https://api.example/b"], ["api-1", "api-2"]
    oauthctl.login()
    return acme


def fingerprint(server, token):
    issued = server.issued[token]
    return issued.scope, tuple(issued.resources), tuple(issued.audience)


def test_variants_are_kept_apart_and_the_main_token_stays(wide, oauthctl):
    main = oauthctl.token()
    tokens = [oauthctl.token("acme", *options) for options in VARIANTS]
    assert [fingerprint(wide, token) for token in tokens] == [
        ("read", (), ()), ("read write", (), ("api-1",)), ("read write", ("https://api.example/a",), ()),
        ("write", ("https://api.example/b",), ())]
    # each is there the next time, and nobody asked
    assert [oauthctl.token("acme", *options) for options in VARIANTS] == tokens and wide.count("refresh") == len(VARIANTS)
    assert oauthctl.token() == main and wide.works(oauthctl.token("acme", "--force-refresh"))
    assert len(set(tokens) | {main}) == 5


def test_a_refused_resource_is_not_left_out(server, oauthctl, keyring):
    server.targets.resources = ["https://api.example/a"]
    oauthctl.write_provider(server.provider())
    oauthctl.login("acme", "--resource", "https://api.example/a")
    server.targets.resources = ["https://api.example/b"]
    for argv in (("token", "acme", "--force-refresh"), ("refresh", "acme")):
        done = oauthctl(*argv)
        assert (done.code, done.out) == (78, "") and "resource_on_refresh" in done.err, done
    assert all("resource" in request.form for request in server.sent("refresh")) and server.count("refresh") == 2
    server.targets.resources = ["https://api.example/a"]
    assert fingerprint(server, oauthctl.token("acme", "--force-refresh"))[1] == ("https://api.example/a",)


def test_the_order_of_scopes_and_resources_does_not_matter(wide, oauthctl):
    one = oauthctl.token("acme", "--scope", "read write")
    assert oauthctl.token("acme", "--scope", "write", "--scope", "read") == one
    two = oauthctl.token("acme", "--resource", "https://api.example/b", "--resource", "https://api.example/a")
    assert oauthctl.token("acme", "--resource", "https://api.example/a", "--resource", "https://api.example/b") == two
    assert wide.count("refresh") == 2


def test_each_has_an_expiry_of_its_own(wide, oauthctl):
    wide.expires_in_after_refresh = 1
    short = oauthctl.token("acme", "--scope", "read")
    wide.expires_in_after_refresh = 3600
    long = oauthctl.token("acme", "--scope", "write")
    time.sleep(1.1)
    assert oauthctl.token("acme", "--scope", "write") == long
    assert oauthctl.token("acme", "--scope", "read") != short and wide.count("refresh") == 3
    entry = oauthctl("token", "acme", "--scope", "read", "--json").json
    assert entry["scope"] == ["read"] and 3500 < entry["expires_in"] <= 3600
    assert oauthctl.token("acme", "--scope", "read", "--min-valid", "2h") and wide.count("refresh") == 4


def test_formats_force_and_no_refresh(wide, oauthctl):
    done = oauthctl("token", "acme", "--scope", "read", "--no-refresh")
    assert (done.code, done.out) == (77, "") and "--no-refresh" in done.err and wide.count("refresh") == 0
    first = oauthctl.token("acme", "--scope", "read")
    assert oauthctl.token("acme", "--scope", "read", "--no-refresh") == first
    assert oauthctl("token", "acme", "--scope", "read", "--format", "header").out == f"Authorization: Bearer {first}\n"
    main = oauthctl.token()
    assert oauthctl.token("acme", "--scope", "read", "--force-refresh") != first and oauthctl.token() == main
    done = oauthctl("token", "acme", "--scope", "read", "--no-refresh", "--force-refresh")
    assert done.code == 64


def test_a_variant_of_the_scope_keeps_the_logins_resource(acme, oauthctl):
    acme.targets.narrows = acme.targets.demands_resource = True
    acme.targets.resources = ["https://api.example/a", "https://api.example/b"]
    oauthctl.login("acme", "--resource", "https://api.example/a", "--resource", "https://api.example/b")
    token = oauthctl.token("acme", "--scope", "read")
    assert fingerprint(acme, token) == ("read", ("https://api.example/a", "https://api.example/b"), ())
    assert acme.issued[oauthctl.token("acme", "--resource", "https://api.example/b")].resources == ("https://api.example/b",)


@pytest.mark.parametrize("options, error", [
    (["--scope", "admin"], "invalid_scope"), (["--audience", "other"], "invalid_target"),
    (["--resource", "https://elsewhere.example/"], "invalid_target"),
])  # fmt: skip
def test_what_the_server_does_not_give_costs_nothing(wide, oauthctl, keyring, options, error):
    before = keyring.session()
    done = oauthctl("token", "acme", *options)
    assert (done.code, done.out) == (78, "") and error in done.err and "hint: " in done.err, done
    assert keyring.session() == before
    assert wide.works(oauthctl.token("acme", "--force-refresh"))


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_bare_refusal_of_a_variant_is_none_of_the_grant(wide, oauthctl, keyring, status):
    wide.on("refresh", faults.answer(status, "{}"))
    done = oauthctl("token", "acme", "--scope", "read")
    assert done.code in (77, 78) and "refused" not in keyring.session(), done
    assert wide.works(oauthctl.token("acme", "--force-refresh"))


def test_a_grant_that_has_ended_is_found_by_its_own_token_and_then_refused_for_all(wide, oauthctl, keyring):
    wide.grants[0].revoked = True
    done = oauthctl("token", "acme", "--scope", "read")
    # of a variant, servers say the same where a person has to consent
    assert done.code == 77 and "login acme" in done.err and "refused" not in keyring.session()
    assert oauthctl("token", "acme", "--force-refresh").code == 77
    assert oauthctl("token", "acme", "--scope", "write").code == 77 and wide.count("refresh") == 2


def test_a_login_clears_them_and_a_logout_revokes_them(wide, oauthctl, keyring):
    first = oauthctl.token("acme", "--scope", "read")
    oauthctl.login()
    assert "variants" not in keyring.session()
    second = oauthctl.token("acme", "--scope", "read")
    third = oauthctl.token("acme", "--audience", "api-2")
    assert second != first
    done = oauthctl("logout", "acme", "--json")
    assert done.json["tokens"] == "revoked"
    assert {request.form["token"] for request in wide.sent("revocation")} >= {second, third}
    assert wide.count("revocation") == 4 and not wide.works(second)


def test_sixteen_are_kept(acme, oauthctl, keyring):
    names = [f"s{number}" for number in range(18)]
    acme.targets.narrows = True
    oauthctl.login("acme", "--scope", " ".join(names))
    oauthctl.token("acme", "--scope", "s0")
    session = json.loads(keyring.item())
    (one,) = session["variants"]
    session["variants"] = [{**one, "request": {**one["request"], "scopes": [name]}} for name in names[:16]]
    keyring.put(json.dumps(session).encode())
    oauthctl.token("acme", "--scope", "s16")
    session = keyring.session()
    assert [variant["request"]["scopes"] for variant in session["variants"]] == [[name] for name in names[1:17]]
    assert "refresh_token" not in json.dumps(session["variants"])


def test_twenty_parallel_processes_of_all_kinds_leave_the_login_alive(wide, oauthctl):
    wide.on("refresh", faults.late(0.05).forever())
    kinds = [*VARIANTS, []]
    running = [(n % 5, oauthctl.start("token", "acme", *kinds[n % 5], *(["--force-refresh"] if n % 5 == 4 else []))) for n in range(20)]
    results = collections.defaultdict(set)
    for kind, one in running:
        done = one.wait(60)
        assert done.code == 0, done
        results[kind].add(done.out.strip())
    assert all(len(results[kind]) == 1 for kind in range(4)), "a variant was asked for twice"
    assert not any(results[a] & results[b] for a in range(5) for b in range(a))
    assert len(VARIANTS) < wide.count("refresh") <= len(VARIANTS) + 4
    wide.heal()
    for kind in kinds:
        assert wide.works(oauthctl.token("acme", *kind, "--force-refresh"))


def test_a_lost_answer_to_a_variant_is_told_as_one_of_the_grant(wide, oauthctl):
    """The refresh token may be spent: the mark tells the next one so, whichever token it is for."""
    wide.on("refresh", faults.cut())
    assert oauthctl("token", "acme", "--scope", "read").code == 75
    done = oauthctl("token", "acme", "--force-refresh")
    wide.expect_violation("a spent refresh token")
    assert done.code == 77 and "no clear end" in done.err, done


def test_bound_variants(acme, oauthctl):
    acme.dpop.enabled = acme.targets.narrows = True
    oauthctl.login("acme", "--dpop")
    token = oauthctl.token("acme", "--scope", "read")
    assert acme.issued[token].jkt == acme.issued[oauthctl.token()].jkt
    done = oauthctl("token", "acme", "--scope", "read", "--format", "header", "--url", "https://api.example/")
    assert done.out.startswith(f"Authorization: DPoP {token}\nDPoP: ey")


def test_variants_of_a_grant_that_is_redeemed_again(server, oauthctl, secret_file):
    server.direct.grant_types.add("client_credentials")
    server.targets.resources = ["https://api.example/a"]
    server.add_client(id="robot", secret="robot-secret-1", auth="basic")
    oauthctl.write_provider(server.provider(client_id="robot"))
    done = oauthctl("login", "acme", "--flow", "client-credentials", "--client-secret-file", secret_file("robot-secret-1"))
    assert done.code == 0, done
    main, read = oauthctl.token(), oauthctl.token("acme", "--scope", "read")
    other = oauthctl.token("acme", "--resource", "https://api.example/a")
    assert [fingerprint(server, one)[:2] for one in (main, read, other)] == [
        ("read write", ()), ("read", ()), ("read write", ("https://api.example/a",))]
    assert oauthctl.token("acme", "--scope", "read") == read and server.count("token") == 3
    done = oauthctl("token", "acme", "--resource", "https://elsewhere.example/")
    assert done.code == 78 and "invalid_target" in done.err
    assert oauthctl.token() == main and oauthctl.token("acme", "--force-refresh") != main
