"""The main job, and the other grants, against a second independent server: django-oauth-toolkit."""

import subprocess

import pytest


@pytest.fixture
def use(dot, oauthctl, make_oauthctl):
    """Writes a provider for one of its clients."""

    def provider(client, scopes=("read",), **changes):
        known = oauthctl.write_real_provider(dot, client, name="dot", scopes=list(scopes), **changes)
        make_oauthctl.secrets |= {known["client_secret"]} if "client_secret" in known else set()

    return provider


@pytest.mark.parametrize("client", ["public", "basic", "basic_odd", "post"])
def test_login_token_refresh_status_revoke(use, dot, oauthctl, make_oauthctl, client):
    use(client, ("openid", "email", "read"))
    done = oauthctl("login", "dot", "--browser", oauthctl.real_browser(dot), "--timeout", "30s", timeout=40)
    assert done.code == 0, done
    first = oauthctl.token("dot")
    assert oauthctl("refresh", "dot").code == 0
    second = oauthctl.token("dot")
    make_oauthctl.secrets |= {first, second}
    entry = oauthctl.state("dot")
    assert second != first and entry["refreshable"] is True and entry["identity"] == dot["user"]["email"], entry
    assert oauthctl("revoke", "dot").code == 0 and oauthctl("token", "dot").code == 77


def test_a_login_that_the_person_refuses(use, dot, oauthctl, keyring):
    use("public")
    done = oauthctl(
        "login", "dot", "--browser", oauthctl.real_browser(dot, "--deny", "--follow"), "--timeout", "30s", timeout=40)
    # it promises that its answers name their issuer, and its refusals do not: what has the state, and brings nothing that
    # could be redeemed, is taken for what it says
    assert done.code == 77 and "access_denied" in done.err and keyring.item("dot") is None, done


def begin(use, oauthctl):
    """A device login; gives it, and what its person is told."""
    use("device")
    flow = oauthctl.start("login", "dot", "--flow", "device", "--no-browser")
    return flow, flow.expect(r"open: (\S+)").group(1), flow.expect(r"enter the code:  (\S+)").group(1)


def test_a_device_login(use, dot, oauthctl, make_oauthctl):
    flow, url, code = begin(use, oauthctl)
    subprocess.run([dot["browser"], "--device", "--code", code, url], check=True, timeout=30)
    done = flow.wait(30)
    assert done.code == 0, done
    make_oauthctl.secrets.add(oauthctl.token("dot"))
    assert oauthctl.state("dot")["refreshable"] is True and oauthctl("refresh", "dot").code == 0


def test_a_device_login_that_the_person_refuses(use, dot, oauthctl, keyring):
    flow, url, code = begin(use, oauthctl)
    subprocess.run([dot["browser"], "--device", "--deny", "--code", code, url], check=True, timeout=30)
    done = flow.wait(30)
    assert done.code == 77 and "access_denied" in done.err and keyring.item("dot") is None, done


def test_a_device_wins_the_race_where_no_browser_is(use, dot, oauthctl):
    use("device")
    flow = oauthctl.start("login", "dot")
    url, code = flow.expect(r"open: (\S+)").group(1), flow.expect(r"enter the code:  (\S+)").group(1)
    subprocess.run([dot["browser"], "--device", "--code", code, url], check=True, timeout=30)
    done = flow.wait(30)
    assert done.code == 0 and oauthctl.token("dot"), done


def test_client_credentials(use, oauthctl, make_oauthctl):
    use("service", ("openid", "read"))
    done = oauthctl("login", "dot", "--flow", "client-credentials")
    assert done.code == 0, done
    first = oauthctl.token("dot")
    assert oauthctl("refresh", "dot").code == 0
    second = oauthctl.token("dot")
    make_oauthctl.secrets |= {first, second}
    assert second != first and oauthctl.state("dot")["refreshable"] is True


def test_a_password(use, dot, oauthctl, secret_file, keyring):
    use("password")
    user = dot["user"]
    options = ("login", "dot", "--flow", "password", "--username", user["username"], "--password-file")
    done = oauthctl(*options, secret_file(user["password"]))
    assert done.code == 0 and oauthctl("refresh", "dot").code == 0, done
    assert user["password"].encode() not in keyring.item("dot")
    done = oauthctl(*options, secret_file("wrong"))
    assert done.code == 77, done


def test_the_implicit_grant(use, dot, oauthctl):
    use("implicit")
    done = oauthctl(
        "login", "dot", "--flow", "implicit", "--browser", oauthctl.real_browser(dot), "--timeout", "30s", timeout=40)
    assert done.code == 0 and oauthctl.token("dot"), done


def test_a_client_without_the_right_to_a_grant(use, dot, oauthctl):
    use("service")
    done = oauthctl(
        "login", "dot", "--flow", "password", "--username", "alice", "--password-file", "-", "--json",
        stdin=dot["user"]["password"])
    # the server has that grant, and the client no right to it: what it has shown comes first, and no other grant is named
    hint = done.error["hint"]
    assert done.code == 78 and "client id and secret" in hint and "the client may use this grant" in hint, done
    assert "--flow" not in hint
