"""The main job against a real authorization server: Glewlwyd."""

import subprocess
import time

import pytest


@pytest.fixture
def use(glewlwyd, oauthctl, make_oauthctl):
    """Writes a provider for one of its issuers and clients; gives what logs in."""

    def provider(issuer="main", client="public", scopes=("openid", "email", "offline_access"), **changes):
        known = oauthctl.write_real_provider(glewlwyd, client, issuer, "gw", scopes=list(scopes), **changes)
        make_oauthctl.secrets |= {known["client_secret"]} if "client_secret" in known else set()

        def login(account="gw"):
            done = oauthctl("login", account, "--browser", oauthctl.real_browser(glewlwyd), "--timeout", "30s", timeout=40)
            assert done.code == 0, done
            make_oauthctl.secrets.add(oauthctl.token(account))

        return login

    return provider


@pytest.mark.parametrize("client", ["public", "basic", "basic_odd", "post"])
def test_login_token_refresh_status_revoke(use, oauthctl, client):
    login = use(client=client)
    login()
    first = oauthctl.token("gw")
    assert first.count(".") == 2
    value = oauthctl("token", "gw", "--format", "json").json
    assert 0 < value["expires_in"] <= 3600 and value["id_token"].count(".") == 2 and value["token_type"] == "Bearer"
    assert oauthctl("refresh", "gw").code == 0
    assert oauthctl.token("gw") != first
    entry = oauthctl.state("gw")
    assert entry["state"] == "valid" and entry["refreshable"] is True and entry["identity"]
    done = oauthctl("revoke", "gw")
    assert done.code == 0
    assert oauthctl("token", "gw").code == 77
    assert ("warning" in done.err or "not revoke" in done.err) is (client == "public"), done.err


def test_short_tokens_with_rotation_are_refreshed_again_and_again(use, oauthctl):
    use("short", "public_rotating")()
    seen = set()
    for _ in range(3):
        seen.add(oauthctl.token("gw", "--min-valid", "1h"))
        time.sleep(1.1)
    assert len(seen) == 3


def test_parallel_tokens_on_an_expired_session_leave_it_alive(use, oauthctl):
    use("short", "public_rotating")()
    time.sleep(3.1)
    running = [oauthctl.start("token", "gw") for _ in range(20)]
    results = [one.wait(60) for one in running]
    assert [result.code for result in results] == [0] * 20
    # how many refreshes that takes is asked in test_races.py: here a token lives for three seconds only
    assert oauthctl("refresh", "gw").code == 0, "the family was revoked"


def test_a_refresh_token_that_was_revoked_is_77_with_an_empty_body(use, oauthctl, keyring):
    login = use(client="basic")
    login()
    stored = keyring.item("gw")
    assert oauthctl("revoke", "gw").code == 0
    keyring.put(stored, "gw")
    done = oauthctl("refresh", "gw")
    assert done.code == 77 and "400" in done.err
    assert oauthctl.state("gw")["state"] == "refused"


def test_a_wrong_client_secret_ends_with_an_error_and_no_session(use, oauthctl, glewlwyd, keyring):
    use(client="basic")
    oauthctl.env["OAUTHCTL_GW_CLIENT_SECRET"] = "wrong-secret"
    done = oauthctl("login", "gw", "--browser", oauthctl.real_browser(glewlwyd), "--timeout", "30s", timeout=40)
    assert done.code in (77, 78) and "wrong-secret" not in done.err
    assert keyring.item("gw") is None


def test_an_old_server_without_pkce_revocation_and_iss_works(use, oauthctl):
    use("plain", "public", pkce="none")()
    assert oauthctl("refresh", "gw").code == 0
    done = oauthctl("revoke", "gw")
    assert done.code == 0 and "revo" in done.err


# Other grants ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", ["public", "post"])
def test_a_device_login(use, oauthctl, make_oauthctl, glewlwyd, client):
    use(client=client)
    flow = oauthctl.start("login", "gw", "--flow", "device", "--no-browser")
    url = flow.expect(r"open: (\S+)").group(1)
    code = flow.expect(r"enter the code:  (\S+)").group(1)
    subprocess.run([glewlwyd["browser"], "--device", "--code", code, url], check=True, timeout=30)
    done = flow.wait(30)
    assert done.code == 0, done
    make_oauthctl.secrets.add(oauthctl.token("gw"))
    entry = oauthctl.state("gw")
    assert entry["state"] == "valid" and entry["refreshable"] is True and entry["identity"], entry
    assert oauthctl("refresh", "gw").code == 0


def test_a_device_login_that_the_browser_here_approves(use, oauthctl, glewlwyd):
    use()
    done = oauthctl(
        "login", "gw", "--flow", "device", "--browser", oauthctl.real_browser(glewlwyd, "--device"), timeout=30)
    assert done.code == 0 and oauthctl("token", "gw").code == 0, done


def test_a_device_code_that_nobody_enters_ends(use, oauthctl, keyring):
    use("short")
    done = oauthctl("login", "gw", "--flow", "device", "--no-browser", timeout=30)
    assert done.code == 77 and keyring.item("gw") is None, done


@pytest.mark.parametrize("client", ["basic", "basic_odd", "post", "secret_jwt"])
def test_client_credentials(use, oauthctl, make_oauthctl, client):
    use(client=client, scopes=("openid", "read"))
    done = oauthctl("login", "gw", "--flow", "client-credentials")
    assert done.code == 0, done
    first = oauthctl.token("gw")
    assert oauthctl("refresh", "gw").code == 0
    second = oauthctl.token("gw")
    make_oauthctl.secrets |= {first, second}
    entry = oauthctl.state("gw")
    assert second != first and entry["refreshable"] is True and entry["scope"] == ["read"], entry


def test_a_password(use, oauthctl, glewlwyd, secret_file, keyring):
    use(client="basic", scopes=("openid", "read"))
    user = glewlwyd["user"]
    options = ("login", "gw", "--flow", "password", "--username", user["username"], "--password-file")
    done = oauthctl(*options, secret_file(user["password"]))
    assert done.code == 0 and oauthctl.token("gw"), done
    assert user["password"].encode() not in keyring.item("gw")
    stored = keyring.session("gw")
    done = oauthctl(*options, secret_file("wrong"))
    assert done.code == 77 and keyring.session("gw") == stored, done


def test_the_implicit_grant(use, oauthctl, glewlwyd):
    use(client="implicit", scopes=("openid", "email"))
    done = oauthctl(
        "login", "gw", "--flow", "implicit", "--browser", oauthctl.real_browser(glewlwyd), "--timeout", "30s", timeout=40)
    assert done.code == 0 and oauthctl.token("gw"), done
    assert oauthctl.state("gw")["identity"]


def test_a_grant_that_it_does_not_have(use, oauthctl, secret_file):
    use("plain", "public", pkce="none")
    done = oauthctl("login", "gw", "--flow", "device", "--no-browser", "--json")
    assert done.code == 78 and "--flow code" in done.error["hint"], done
    done = oauthctl("login", "gw", "--subject-token-file", secret_file("x"), "--json")
    assert done.code == 78 and "--flow code" in done.error["hint"], done
