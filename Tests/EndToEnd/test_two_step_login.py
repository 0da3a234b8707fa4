"""`login --print-url` and `login --finish`: a login for the browser of another machine, in two runs."""

import datetime
import re
import subprocess
import time

import pytest

import faults
import loopback

PORT = 28765
ID = re.compile(r"[0-9a-v]+-[0-9a-v]{5}")


def begin(oauthctl, account="acme", *options):
    """The first step, successfully: the URL and the id."""
    done = oauthctl("login", account, "--print-url", *options)
    assert done.code == 0, done
    url, id = done.out.splitlines()
    assert url.startswith("http") and ID.fullmatch(id) and f"--finish {id}" in done.err, done
    return url, id


def finish(oauthctl, id, address, *options):
    return oauthctl("login", "--finish", id, *options, stdin=address + "\n")


def waiting(keyring):
    """The ids of the logins that wait in the keyring."""
    return [line.split(" = ")[1] for line in keyring.search() if line.startswith("attribute.login = ")]


def test_two_runs_make_one_login(acme, oauthctl, keyring):
    url, id = begin(oauthctl)
    assert waiting(keyring) == [id]
    assert loopback.parameters(url)["redirect_uri"] == f"http://127.0.0.1:{PORT}/callback"
    done = finish(oauthctl, id, acme.approve(url))
    assert (done.code, done.out) == (0, "") and "logged in to acme" in done.err, done
    assert acme.works(oauthctl.token()) and waiting(keyring) == []
    assert oauthctl("refresh", "acme").code == 0


def test_an_address_elsewhere_is_not_the_answer(acme, oauthctl, keyring):
    url, id = begin(oauthctl)
    address = acme.approve(url)
    for other in (address.replace("127.0.0.1", "evil.example"), address.replace("/callback", "/other"),
                  address.replace(f":{PORT}", f":{PORT + 1}"), address.replace("http://127.0.0.1", "evil.example")):
        assert other != address
        done = finish(oauthctl, id, other)
        assert done.code == 76 and waiting(keyring) == [id], done
    assert acme.count("token") == 0 and finish(oauthctl, id, address.removeprefix("http://")).code == 0


def test_a_login_that_has_ended_when_it_begins_is_a_mistake(acme, oauthctl, keyring):
    assert oauthctl("login", "acme", "--print-url", "--timeout", "0").code == 64
    assert waiting(keyring) == []


def test_a_logout_ends_what_was_begun_for_the_account(acme, oauthctl, keyring):
    oauthctl.login()
    begin(oauthctl)
    _, other = begin(oauthctl, "acme/other")
    assert oauthctl("logout", "acme").code == 0 and waiting(keyring) == [other]


def test_json_of_both_steps(acme, oauthctl):
    begun = oauthctl("login", "acme/work", "--print-url", "--json", "--timeout", "20m").json
    assert set(begun) == {"id", "url", "expires_at", "provider", "account"}
    assert (begun["provider"], begun["account"]) == ("acme", "work")
    end = datetime.datetime.fromisoformat(begun["expires_at"].replace("Z", "+00:00"))
    assert 1190 < (end - datetime.datetime.now(datetime.timezone.utc)).total_seconds() <= 1200
    done = finish(oauthctl, begun["id"], acme.approve(begun["url"]), "--json")
    assert done.json["account"] == "work" and done.json["result"] == "ok"


def test_state_nonce_and_verifier_are_nowhere_but_in_the_keyring_and_the_url(acme, oauthctl, make_oauthctl, keyring):
    oauthctl.write_provider(acme.provider(scopes=["openid"], issuer=acme.issuer))
    url, id = begin(oauthctl)
    asked = loopback.parameters(url)
    assert asked["state"] and asked["nonce"]
    shown = "\n".join(keyring.search())
    stored = keyring.run("secret-tool", "lookup", "application", "oauthctl", "type", "login", "provider", "acme", "login", id)
    first = oauthctl.transcript[-1][1]
    assert finish(oauthctl, id, acme.approve(url)).code == 0
    verifier = acme.sent("token")[0].form["code_verifier"]
    for secret in (asked["state"], asked["nonce"], verifier):
        assert secret.encode() in stored.stdout and secret not in shown and secret not in first.err
        assert secret not in "".join(result.err for _, result in oauthctl.transcript)
    assert verifier not in first.out
    make_oauthctl.secrets.add(verifier)  # looked for in files and messages at the end


def test_all_that_belongs_to_the_request_waits(acme, oauthctl, secret_file, make_oauthctl):
    """PAR, a key that the tokens are bound to, a client with a secret, a resource; the second run is told nothing of it."""
    acme.add_client(id="conf", secret="s3cr3t of the client", auth="post")
    make_oauthctl.secrets.add("s3cr3t of the client")
    acme.par.enabled = acme.dpop.enabled = acme.dpop.required = True
    acme.dpop.rotate()
    acme.targets.resources = ["https://rs.example/a"]
    oauthctl.write_provider(acme.provider(
        client_id="conf", client_auth="post", endpoints={
            **acme.provider()["endpoints"], "pushed_authorization_request": acme.base + "/par"}))
    url, id = begin(
        oauthctl, "acme/work", "--par", "--dpop", "--resource", "https://rs.example/a", "--client-secret-file",
        secret_file("s3cr3t of the client"))
    assert set(loopback.parameters(url)) == {"client_id", "request_uri"}
    done = finish(oauthctl, id, acme.approve(url))
    assert done.code == 0, done
    value = oauthctl("token", "acme/work", "--format", "json").json
    assert value["token_type"] == "DPoP" and acme.works(value["access_token"])
    assert oauthctl("refresh", "acme/work").code == 0


def test_a_short_lived_request_says_so(acme, oauthctl):
    acme.par.enabled, acme.par.expires_in = True, 60
    oauthctl.write_provider(acme.provider(endpoints={
        **acme.provider()["endpoints"], "pushed_authorization_request": acme.base + "/par"}))
    done = oauthctl("login", "acme", "--print-url", "--par", "--json")
    assert re.search(r"open it in (60|59)s", done.err) and done.json["url_expires_at"] < done.json["expires_at"], done


def test_what_is_not_this_logins_address_leaves_it_for_another_try(acme, oauthctl, keyring):
    oauthctl.login()
    before = keyring.item()
    url, id = begin(oauthctl)
    good = acme.approve(url)
    for address, code in [
        (loopback.changed(good, state="wrong"), 76), (loopback.changed(good, state=None), 76), (url, 76), ("", 64),
    ]:
        done = finish(oauthctl, id, address)
        assert (done.code, done.out) == (code, "") and f"--finish {id}" in done.err, done
    assert acme.count("token") == 1 and keyring.item() == before and waiting(keyring) == [id]
    assert finish(oauthctl, id, good).code == 0


def test_a_denial_uses_it_up(acme, oauthctl, keyring):
    url, id = begin(oauthctl)
    denied = loopback.changed(acme.approve(url), code=None, error="access_denied")
    done = finish(oauthctl, id, denied, "--json")
    assert (done.code, done.error["server"]["error"]) == (77, "access_denied"), done
    assert waiting(keyring) == [] and finish(oauthctl, id, denied).code == 78


def test_a_server_that_cannot_answer_leaves_it_for_another_try(acme, oauthctl, keyring):
    url, id = begin(oauthctl)
    address = acme.approve(url)
    acme.on("token", faults.answer(503, ""))
    assert finish(oauthctl, id, address).code == 75 and waiting(keyring) == [id]
    assert finish(oauthctl, id, address).code == 0


def test_a_login_ends_and_the_next_one_removes_it(acme, oauthctl, keyring):
    url, id = begin(oauthctl, "acme", "--timeout", "1s")
    _, other = begin(oauthctl, "acme")
    assert waiting(keyring) == [id, other] or waiting(keyring) == [other, id]
    time.sleep(1.1)
    done = finish(oauthctl, id, acme.approve(url))
    assert done.code == 77 and "has ended" in done.err, done
    assert oauthctl("status", "--json").json == [] and oauthctl("doctor", "--offline").code in (0, 69)
    begin(oauthctl, "acme/other")
    assert id not in waiting(keyring) and other in waiting(keyring)
    assert acme.count("token") == 0


def test_an_unknown_id_names_those_that_wait(acme, oauthctl):
    _, id = begin(oauthctl)
    done = finish(oauthctl, "1-00000", "x")
    assert done.code == 77, done  # one that has ended long ago
    done = finish(oauthctl, "vvvvvvv-00000", "x")
    assert done.code == 78 and f"{id} (acme)" in done.err, done


def test_of_two_that_finish_at_once_one_wins(acme, oauthctl, keyring):
    url, id = begin(oauthctl)
    address = acme.approve(url)
    acme.on("token", faults.late(0.5))
    running = [oauthctl.start("login", "--finish", id, stdin=subprocess.PIPE) for _ in range(3)]
    for one in running:
        one.process.stdin.write(address.encode())
        one.process.stdin.close()
    codes = sorted(one.wait().code for one in running)
    assert codes[0] == 0 and set(codes[1:]) <= {75, 78}, codes
    assert acme.count("token") == 1 and acme.works(oauthctl.token())


def test_a_terminal_asks_for_the_address(acme, oauthctl, terminal):
    url, id = begin(oauthctl)
    shown = terminal("login", "--finish", id, columns=1000)
    shown.expect("paste the redirect URL here")
    shown.send("https://example.com/nothing\n")
    shown.expect("not the redirect URL")
    shown.send(acme.approve(url) + "\n")
    assert shown.wait() == 0
    shown.assert_modes_restored()
    assert acme.works(oauthctl.token())


def test_tokens_in_the_address_are_taken(acme, oauthctl):
    acme.authorization.response_types = ["token"]
    url, id = begin(oauthctl, "acme", "--flow", "implicit")
    assert finish(oauthctl, id, acme.approve(url)).code == 0
    assert acme.works(oauthctl.token())


@pytest.mark.parametrize("words", [
    ["acme", "--print-url", "--flow", "device"], ["acme", "--print-url", "--flow", "client-credentials"],
    ["acme", "--finish", "1-00000"], ["--finish", "1-00000", "--scope", "x"], [],
], ids=["device", "direct", "named", "options", "nothing"])
def test_what_does_not_go_together(acme, oauthctl, words):
    done = oauthctl("login", *words)
    assert done.code == 64 and "hint" in done.err, done


@pytest.mark.parametrize("name, client", [("glewlwyd", "public"), ("dot", "public")])
def test_with_a_real_server(real_server, oauthctl, make_oauthctl, name, client):
    info = real_server(name)
    oauthctl.write_real_provider(info, client)
    url, id = begin(oauthctl, "real")
    found = subprocess.run([info["browser"], url], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr
    done = finish(oauthctl, id, found.stdout.strip())
    assert done.code == 0, done
    make_oauthctl.secrets.add(oauthctl.token("real"))
