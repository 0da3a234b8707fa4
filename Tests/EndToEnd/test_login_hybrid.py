"""The hybrid flow, `code id_token` (OpenID Connect Core 3.3): an ID token that comes with the code, and vouches for it."""

import pytest

import loopback


@pytest.fixture
def hybrid(server, oauthctl):
    server.authorization.response_types = ["code", "code id_token"]
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "read"]})
    return server


def login(oauthctl, *options):
    return oauthctl("login", "acme", "--browser", oauthctl.browser(), "--response-type", "code id_token", *options)


def test_both_id_tokens_are_verified(hybrid, oauthctl):
    done = login(oauthctl)
    assert done.code == 0 and "as alice@example.com" in done.err and hybrid.works(oauthctl.token()), done
    query = hybrid.sent("authorization")[0].query
    assert query["response_type"] == "code id_token" and query["nonce"] and query["code_challenge"]
    assert hybrid.count("token") == 1 and not any("code=" in r.raw_query for r in hybrid.requests)


def test_with_a_posted_and_with_a_signed_answer(hybrid, oauthctl):
    hybrid.modes.supported = ["fragment", "form_post", "jwt"]
    for mode in ("form_post", "jwt"):
        assert login(oauthctl, "--response-mode", mode).code == 0
        assert hybrid.works(oauthctl.token())


@pytest.mark.parametrize("flaw, claim", [("c_hash", "c_hash"), ("signature", "signature"), ("none", "alg"), ("kid", "kid")])
def test_a_code_is_not_redeemed_unless_its_id_token_vouches_for_it(hybrid, oauthctl, keyring, flaw, claim):
    hybrid.identity.flaw = flaw
    done = login(oauthctl)
    assert done.code == 76 and f"'{claim}'" in done.err and keyring.item() is None, done
    assert hybrid.count("token") == 0


@pytest.mark.parametrize("claim, value", [("nonce", "of-another"), ("aud", "other"), ("c_hash", None)])
def test_a_claim_that_does_not_hold(hybrid, oauthctl, keyring, claim, value):
    hybrid.identity.early_changes = {claim: value}
    done = login(oauthctl)
    assert done.code == 76 and f"'{claim}'" in done.err and hybrid.count("token") == 0 and keyring.item() is None, done


def test_two_persons_are_one_too_many(hybrid, oauthctl, keyring):
    hybrid.identity.early_changes = {"sub": "mallory"}
    done = login(oauthctl)
    assert done.code == 76 and "'sub'" in done.err and keyring.item() is None, done


def test_an_answer_without_an_id_token(hybrid, oauthctl, keyring):
    hybrid.callback = lambda query, reply: {k: v for k, v in reply.items() if k != "id_token"}
    done = login(oauthctl)
    assert done.code == 76 and "id_token" in done.err and hybrid.count("token") == 0 and keyring.item() is None, done


def test_in_two_steps(hybrid, oauthctl):
    url, id = oauthctl("login", "acme", "--print-url", "--response-type", "code id_token").out.splitlines()
    address = hybrid.approve(url)
    assert "#code=" in address or "&code=" in address.partition("#")[2]
    code = loopback.parameters(address.replace("#", "?"))["code"]
    assert oauthctl("login", "--finish", id, stdin=code + "\n").code == 76, "a bare code has no ID token"
    done = oauthctl("login", "--finish", id, stdin=address + "\n")
    assert done.code == 0 and hybrid.works(oauthctl.token()), done


def test_a_server_that_does_not_have_it(hybrid, oauthctl):
    hybrid.authorization.response_types = ["code"]
    done = login(oauthctl)
    assert done.code == 78 and "--response-type" in done.err and hybrid.count("authorization") == 0


@pytest.mark.parametrize("options, word", [
    (["--scope", "read"], "--scope openid"), (["--response-mode", "query"], "form_post"), (["--flow", "implicit"], "--flow code"),
    (["--response-type", "token"], "--flow implicit"),
])  # fmt: skip
def test_what_does_not_go_together(hybrid, oauthctl, options, word):
    done = oauthctl("login", "acme", "--no-browser", *(
        options if "--response-type" in options else ["--response-type", "code id_token", *options]))
    assert done.code == 64 and word in done.err and hybrid.count("authorization") == 0, done
