"""`revoke` and its alias `logout`: asked at the server first, forgotten then."""

import pytest

import faults
from keyring_faults import Daemons


@pytest.mark.parametrize("command", ["revoke", "logout"])
def test_the_refresh_token_is_revoked_first_then_the_access_token(signed_in, oauthctl, keyring, command):
    access = oauthctl.token()
    refresh = signed_in.grants[0].refresh_token
    done = oauthctl(command, "acme")
    assert (done.code, done.out) == (0, "")
    assert [request.form["token"] for request in signed_in.sent("revocation")] == [refresh, access]
    assert [r.form.get("token_type_hint") for r in signed_in.sent("revocation")] == ["refresh_token", "access_token"]
    assert keyring.item() is None
    assert oauthctl("token", "acme").code == 77


def test_only_the_named_account_is_revoked(acme, oauthctl):
    oauthctl.login("acme/one")
    oauthctl.login("acme/two")
    assert oauthctl("revoke", "acme/one").code == 0
    assert acme.works(oauthctl.token("acme/two"))
    assert oauthctl("token", "acme/one").code in (77, 78)


def test_all_revokes_all(acme, oauthctl):
    for name in ("one", "two", "three"):
        oauthctl.login(f"acme/{name}")
    assert oauthctl("revoke", "--all").code == 0
    assert acme.count("revocation") == 6
    assert oauthctl("status", "--json").json == []


def test_all_with_nothing_stored_is_no_error(oauthctl):
    assert oauthctl("revoke", "--all").code == 0


@pytest.mark.parametrize("fault", [
    faults.answer(503, ""), faults.html(502), faults.drop(), faults.answer(429, ""), faults.html(403),
    faults.error("temporarily_unavailable"), None,
], ids=["503", "html", "dropped", "429", "html-403", "temporarily", "unreachable"])  # fmt: skip
def test_a_server_that_could_not_be_asked_leaves_everything(signed_in, oauthctl, fault):
    before = oauthctl.token()
    if fault:
        signed_in.on("revocation", fault.forever())
    else:
        signed_in.close()
    done = oauthctl("revoke", "acme")
    assert (done.code, done.out) == (75, "")
    assert "--local" in done.err
    assert oauthctl.token() == before


def test_a_failure_at_the_second_token_leaves_something_to_repeat(signed_in, oauthctl):
    signed_in.on("revocation", faults.Fault(lambda reply: reply, after_work=True))
    signed_in.on("revocation", faults.answer(503, ""))
    assert oauthctl("revoke", "acme").code == 75
    assert oauthctl("status", "--json").json != []
    assert oauthctl("revoke", "acme").code == 0
    assert oauthctl("status", "--json").json == []


def test_what_was_revoked_and_could_not_be_forgotten_does_not_look_alive(signed_in, oauthctl, keyring):
    daemons = Daemons(keyring)
    access = oauthctl.token()
    try:
        # the last moment at which the keyring can go: the server has ended everything
        signed_in.on("revocation", faults.Fault(lambda reply: reply, after_work=True))
        signed_in.on("revocation", faults.Fault(lambda reply: [daemons.kill("keyring"), reply][1], after_work=True))
        done = oauthctl("logout", "acme")
        assert done.code == 69 and "were revoked" in done.err and "oauthctl logout acme --local" in done.err, done
        daemons.start_keyring()
        assert not signed_in.works(access)
        done = oauthctl("token", "acme")
        # that the server had said yes could not be written down: it is asked, once
        assert (done.code, done.out) == (77, "") and "invalid_grant" in done.err, done
        assert oauthctl("token", "acme").code == 77
        assert oauthctl.state()["state"] == "refused" and signed_in.count("refresh") == 1
        assert oauthctl("logout", "acme").code == 0 and keyring.item() is None
    finally:
        daemons.close()


def test_local_forgets_without_asking(signed_in, oauthctl, keyring):
    access = oauthctl.token()
    done = oauthctl("revoke", "acme", "--local")
    assert done.code == 0
    assert signed_in.count("revocation") == 0 and keyring.item() is None
    assert signed_in.works(access)


def test_local_works_with_the_server_gone(signed_in, oauthctl, keyring):
    signed_in.close()
    assert oauthctl("logout", "--local", "acme").code == 0
    assert keyring.item() is None


def test_one_account_that_fails_does_not_stop_all(servers, oauthctl):
    for name in ("good", "bad"):
        one = servers()
        oauthctl.write_provider(one.provider(name))
        oauthctl.login(name)
    one.on("revocation", faults.answer(503, "").forever())
    assert oauthctl("revoke", "--all").code == 75
    assert [entry["provider"] for entry in oauthctl("status", "--json").json] == ["bad"]


def test_a_provider_without_revocation_is_forgotten_and_said(acme, oauthctl, keyring):
    file = acme.provider()
    del file["endpoints"]["revocation"]
    oauthctl.write_provider(file)
    oauthctl.login()
    done = oauthctl("revoke", "acme")
    assert done.code == 0 and keyring.item() is None
    assert "revo" in done.err.lower() and done.err.startswith("oauthctl: ")


@pytest.mark.parametrize("fault", [
    faults.error("invalid_client", 401), faults.answer(401, ""), faults.error("unsupported_token_type"),
], ids=["invalid-client", "empty-401", "unsupported"])  # fmt: skip
def test_a_server_that_does_not_let_this_client_revoke_is_told_and_the_tokens_forgotten(signed_in, oauthctl, keyring, fault):
    signed_in.on("revocation", fault.forever())
    done = oauthctl("revoke", "acme")
    assert done.code == 0 and keyring.item() is None
    assert done.err.startswith("oauthctl: ")


def test_a_grant_that_is_refused_already_can_be_revoked(expired, oauthctl, keyring):
    expired.on("refresh", faults.error("invalid_grant"))
    assert oauthctl("refresh", "acme").code == 77
    assert oauthctl("revoke", "acme").code == 0
    assert keyring.item() is None


def test_revoking_what_is_not_there_is_told(acme, oauthctl):
    done = oauthctl("revoke", "acme")
    assert done.code in (0, 77) and done.out == ""


def test_revoke_without_a_name_is_refused(signed_in, oauthctl):
    assert oauthctl("revoke").code == 64
    assert oauthctl("revoke", "--all", "acme").code == 64
    assert signed_in.count("revocation") == 0


def test_the_client_authenticates_at_revocation(acme, oauthctl, secret_file):
    acme.add_client(id="web", secret="web-secret-1", auth="basic")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="basic"))
    oauthctl.login("acme", "--client-secret-file", secret_file("web-secret-1\n"))
    assert oauthctl("revoke", "acme").code == 0
    assert acme.count("revocation") == 2


def test_the_clients_secret_survives_a_revoke_and_forget_client_forgets_it(acme, oauthctl, keyring, secret_file):
    acme.add_client(id="web", secret="web-secret-2", auth="post")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="post"))
    oauthctl.login("acme", "--client-secret-file", secret_file("web-secret-2"))
    assert oauthctl("revoke", "acme").code == 0
    oauthctl.login()
    assert oauthctl("revoke", "acme", "--forget-client").code == 0
    assert keyring.search() == []
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 78 and "secret" in done.err


def test_a_redirect_of_a_revocation_is_not_followed_and_not_success(signed_in, oauthctl, keyring):
    signed_in.on("revocation", faults.redirect("/page").forever())
    done = oauthctl("revoke", "acme")
    assert done.code in (75, 76) and signed_in.count("page") == 0
    assert keyring.item() is not None
