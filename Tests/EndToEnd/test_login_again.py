"""A second login of an account: it is logged in again as it was, unless options or the provider's file say otherwise."""

import time

import pytest

import jose
from direct_grants import EXCHANGE, JWT_BEARER

CLIENT = {"id": "other", "secret": "other-secret-9", "auth": "post"}


@pytest.fixture
def rich(acme, oauthctl, secret_file, keyring):
    """`acme/work`, logged in by another client than the provider's, for other scopes, with bound tokens and parameters."""
    acme.dpop.enabled = acme.par.enabled = True
    acme.targets.audiences, acme.targets.resources = ["api"], ["https://a.example/"]
    acme.add_client(**CLIENT)
    oauthctl.write_provider(acme.provider(issuer=acme.issuer, endpoints=None))
    done = oauthctl.login(
        "acme/work", "--client-id", "other", "--client-secret-file", secret_file("other-secret-9\n"), "--client-auth", "post",
        "--scope", "write", "--dpop", "--par", "--audience", "api", "--resource", "https://a.example/", "--header",
        "X-Team=blue", "--param", "access_type=offline", "--token-param", "tenant=t-1", "--prompt", "consent", "--login-hint", "me")
    assert "former login" not in done.err
    return acme


def requests(server):
    """What tells one login's requests from another's: without what is new each time."""
    own = {"state", "nonce", "code_challenge", "code_verifier", "code", "redirect_uri", "dpop_jkt", "client_assertion"}
    return [
        (name, {key: value for key, value in server.sent(name)[-1].form.items() if key not in own}, server.sent(name)[-1].headers["X-Team"])
        for name in ("par", "token")]  # fmt: skip


def test_an_account_is_logged_in_again_as_it_was(rich, oauthctl, keyring):
    first, session = requests(rich), keyring.session(account="work")
    done = oauthctl.login("acme/work")
    assert [line for line in done.err.splitlines() if "as in the former login" in line] == [
        "oauthctl: as in the former login: --scope write --dpop --par --resource https://a.example/ --audience api "
        "--param access_type=… --token-param tenant=… --header X-Team=… --client-auth post --client-id other "
        "(other options win; with --anew nothing is taken over)"], done
    again, stored = requests(rich), keyring.session(account="work")
    # what was meant for one login is not said again
    assert {"prompt", "login_hint"} <= set(first[0][1])
    first[0][1].pop("prompt"), first[0][1].pop("login_hint")
    assert again == first
    assert stored["dpop"]["key"] != session["dpop"]["key"] and stored["choices"] == session["choices"]
    assert rich.works(oauthctl.token("acme/work", "--force-refresh"))
    # neither the secret nor a value of a header is in what is remembered
    assert "other-secret-9" not in str(stored["choices"]) and "blue" not in str(stored["choices"])


def test_options_win_and_another_account_takes_nothing_over(rich, oauthctl, keyring):
    oauthctl.login("acme/work", "--scope", "read", "--client-id", "cli")
    stored = keyring.session(account="work")
    assert (stored["client_id"], stored["requested_scopes"]) == ("cli", ["read"]) and "dpop" in stored
    done = oauthctl.login("acme/home")
    assert "former login" not in done.err
    stored = keyring.session(account="home")
    assert stored["client_id"] == "cli" and "dpop" not in stored and "choices" not in stored


def test_a_file_that_was_edited_since_wins(rich, oauthctl, keyring):
    rich.add_client(id="third", secret=None, auth="none")
    oauthctl.write_provider(rich.provider(issuer=rich.issuer, endpoints=None, client_id="third", scopes=["read"], dpop=False, par=False, audience="api"))
    oauthctl.login("acme/work")
    stored = keyring.session(account="work")
    assert (stored["client_id"], stored["requested_scopes"]) == ("third", ["read"])
    assert "dpop" not in stored and rich.count("par") == 1


def test_after_a_logout_it_begins_anew(rich, oauthctl, keyring):
    assert oauthctl("logout", "acme/work").code == 0
    done = oauthctl.login("acme/work", "--client-id", "cli")
    assert "former login" not in done.err and "choices" not in keyring.session(account="work")


def test_another_server_is_given_nothing_of_the_former_login(rich, servers, oauthctl, keyring):
    other = servers()
    other.add_client(id="cli", secret=None, auth="none")
    oauthctl.write_provider(other.provider(client_id=None))
    done = oauthctl("login", "acme/work", "--no-browser")
    assert done.code == 78 and "no client id is known" in done.err and "another server" in done.err, done
    oauthctl.login("acme/work", "--client-id", "cli")
    sent = other.sent("token")[-1]
    assert "X-Team" not in sent.headers and "tenant" not in sent.form and "dpop" not in keyring.session(account="work")


def test_a_login_in_two_steps_is_remembered_too(acme, oauthctl, keyring):
    begun = oauthctl("login", "acme", "--print-url", "--scope", "write", "--param", "access_type=offline")
    url, name = begun.out.split()
    assert oauthctl("login", "--finish", name, stdin=acme.approve(url)).code == 0
    assert keyring.session()["choices"] == {"authorization_parameters": [{"name": "access_type", "value": "offline"}]}
    oauthctl.login("acme")
    query = acme.sent("authorization")[-1].query
    assert query["scope"] == "write" and query["access_type"] == "offline"


# Grants without a browser ----------------------------------------------------------------------------------------------


def test_a_clients_own_token(server, oauthctl, secret_file):
    server.add_client(id="svc", secret="svc-secret-7", auth="basic")
    server.direct.grant_types.add("client_credentials")
    oauthctl.write_provider(server.provider(client_id="svc", client_auth="basic"))
    options = ("--flow", "client-credentials", "--client-secret-file", secret_file("svc-secret-7\n"))
    assert oauthctl("login", "acme", *options, "--token-param", "tenant=t-1").code == 0
    done = oauthctl("login", "acme")
    assert done.code == 0 and "--flow client-credentials" in done.err, done
    assert server.sent("token")[0].form == server.sent("token")[1].form
    # an option that only a person's login has does not change the grant
    assert oauthctl("login", "acme", "--prompt", "login").code == 64 and server.count("token") == 2
    assert oauthctl("login", "acme", "--flow", "code", "--prompt", "login", "--browser", oauthctl.browser()).code == 0
    assert server.count("authorization") == 1


def test_a_service_accounts_key_is_there_still(server, oauthctl, service_account):
    oauthctl.write_provider(server.provider("google", client_id=None, scopes=["read"]))
    assert oauthctl("login", "google", "--assertion-file", service_account().file, "--scope", "write").code == 0
    done = oauthctl("login", "google")
    assert done.code == 0 and "--flow jwt-bearer --scope write" in done.err, done
    assert [claims["scope"] for claims in server.direct.assertions] == ["write", "write"]


def test_a_person_is_asked_for_the_password_alone(acme, oauthctl, terminal, secret_file):
    acme.direct.grant_types.add("password")
    acme.direct.passwords["alice"] = "hunter2 horse"
    acme.secrets.add("hunter2 horse")
    assert oauthctl("login", "acme", "--username", "alice", "--password-file", secret_file("hunter2 horse\n")).code == 0
    shown = terminal("login", "acme")
    shown.expect("alice's password: ")
    assert "user name" not in shown.seen
    assert "as in the former login: --flow password --username alice (other options win" in shown.seen
    shown.wait_for_no_echo()
    shown.send("hunter2 horse\n")
    assert shown.wait() == 0 and acme.sent("token")[-1].form["username"] == "alice"
    done = oauthctl("login", "acme")
    assert done.code == 64 and "'oauthctl login acme --password-file FILE'" in done.err
    assert "as in the former login: --flow password --username alice (" in done.err
    # what is for the browser changes no grant, and whoever begins anew has the provider's own
    done = oauthctl("login", "acme", "--timeout", "2")
    assert done.code == 64 and "--timeout does not go with --flow password, as the former login was" in done.err, done
    assert oauthctl.login("acme", "--anew").code == 0 and acme.sent("token")[-1].form["grant_type"] == "authorization_code"


@pytest.fixture
def ended(acme, oauthctl, secret_file):
    """Logs in by a grant that is good once, whose token has ended by then; the function gives what `token` says."""
    acme.direct.grant_types |= {EXCHANGE, JWT_BEARER}
    acme.direct.subject_tokens["subject-1"] = "urn:ietf:params:oauth:token-type:access_token"
    acme.secrets.add("subject-1")
    acme.gives_refresh_token, acme.expires_in = False, 0

    def login(*options):
        assert oauthctl("login", "acme", *options).code == 0
        done = oauthctl("token", "acme")
        assert done.code == 77, done
        return done.err

    return login


def test_the_hint_names_the_token_that_has_to_be_given(ended, acme, oauthctl, secret_file):
    assert "run 'oauthctl login acme --subject-token-file FILE'" in ended("--subject-token-file", secret_file("subject-1"))
    done = oauthctl("login", "acme")
    assert done.code == 64 and "oauthctl login acme --flow token-exchange --subject-token-file FILE" in done.err
    assert oauthctl("login", "acme", "--subject-token-file", secret_file("subject-1")).code == 0
    acme.expires_in = 3600
    assert oauthctl("login", "acme", "--flow", "code", "--browser", oauthctl.browser()).code == 0


def test_the_hint_names_the_assertion_that_has_to_be_given(ended, acme, oauthctl, secret_file):
    key, now = jose.key("P-256", id="robot-1"), int(time.time())
    acme.direct.issuers["robot@x"] = key
    assertion = jose.sign({"iss": "robot@x", "sub": "robot@x", "aud": acme.endpoint("/token"), "iat": now, "exp": now + 300}, key)
    said = ended("--assertion-file", secret_file(assertion))
    assert "run 'oauthctl login acme --assertion-file FILE'" in said, said
    assert oauthctl("login", "acme").code == 64


def test_the_hint_after_an_implicit_login_works_as_it_is(ended, acme, oauthctl):
    acme.authorization.response_types = ["code", "token"]
    said = ended("--flow", "implicit", "--browser", oauthctl.browser())
    assert "run 'oauthctl login acme'" in said
    assert oauthctl("login", "acme", "--browser", oauthctl.browser()).code == 0
    assert [r.query["response_type"] for r in acme.sent("authorization")] == ["token", "token"]
