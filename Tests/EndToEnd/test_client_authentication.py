"""How a client authenticates, in every way and at every step, and what becomes of what it has for that."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

import jose

TRUSTING = ('exec python3 -c "import ssl,sys,urllib.request as u; '
            'u.urlopen(sys.argv[1], context=ssl._create_unverified_context())" "$1"')
SECRET = "s3cr+t /%:&=?é of more than 32 bytes"


def live(oauthctl, server, *options, account="acme", browser=None):
    """A login, two refreshes and a logout; the server looks at each request."""
    before = {name: server.count(name) for name in ("token", "refresh", "revocation")}
    done = oauthctl("login", account, "--browser", browser or oauthctl.browser(), *options)
    assert done.code == 0, done
    for option in options:
        if option.startswith(str(oauthctl.scratch)) and os.path.isfile(option):
            os.remove(option)  # it is in the keyring
    for _ in range(2):
        assert server.works(oauthctl.token(account, "--force-refresh", "--verbose")), server.violations
    done = oauthctl("logout", account, "--json")
    assert done.code == 0 and done.json["tokens"] == "revoked", done
    sent = {name: server.count(name) - count for name, count in before.items()}
    assert sent == {"token": 1, "refresh": 2, "revocation": 2}


@pytest.mark.parametrize("auth, method, quirks", [
    ("none", "none", None), ("basic", "basic", None), ("basic-raw", "basic", {"basic_raw": True}), ("post", "post", None),
    ("secret-jwt", "client-secret-jwt", None),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_a_client_with_a_secret_or_none(server, oauthctl, secret_file, auth, method, quirks):
    server.add_client(id="web app", secret=None if auth == "none" else SECRET, auth=auth)
    oauthctl.write_provider(server.provider(client_id="web app", client_auth=method, quirks=quirks))
    live(oauthctl, server, *([] if auth == "none" else ["--client-secret-file", secret_file(SECRET)]))


@pytest.mark.parametrize("kind, form, algorithm", [
    ("RSA", "pem", "RS256"), ("RSA", "traditional", "PS256"), ("RSA", "jwk", "PS256"), ("P-256", "pem", "ES256"),
    ("P-256", "jwks", "ES256"), ("P-384", "traditional", "ES384"), ("Ed25519", "pem", "EdDSA"), ("Ed25519", "jwk", "EdDSA"),
])  # fmt: skip
def test_a_client_with_a_key(server, oauthctl, make_key, kind, form, algorithm):
    made = make_key(kind, form, id="k1" if "jwk" in form else None)
    server.add_client(id="web", auth="private-key-jwt", key=made.key, algorithm=algorithm)
    provider = server.provider(client_id="web", client_auth="private-key-jwt")
    if kind == "RSA" and form == "jwk":  # the key itself says what it is for
        pathlib.Path(made.file).write_text(json.dumps({**made.key.private_jwk, "alg": algorithm, "use": "sig"}))
    elif kind == "RSA" and algorithm != "RS256":
        provider["client_auth_alg"] = algorithm
    oauthctl.write_provider(provider)
    live(oauthctl, server, "--private-key-file", made.file)
    assertion = server.sent("token")[0].form["client_assertion"]
    assert jose.parse(assertion)[0].get("kid") == made.key.id


@pytest.mark.parametrize("server_wants, quirks", [
    ("token", None), ("token", {"assertion_audience": "token"}), ("issuer", {"assertion_audience": "issuer"}),
    ("endpoint", {"assertion_audience": "endpoint"}),
])  # fmt: skip
def test_whom_an_assertion_is_for(server, oauthctl, make_key, server_wants, quirks):
    made = make_key()
    server.add_client(id="web", auth="private-key-jwt", key=made.key, audience=server_wants)
    oauthctl.write_provider(
        server.provider(client_id="web", client_auth="private-key-jwt", issuer=server.issuer, quirks=quirks))
    live(oauthctl, server, "--private-key-file", made.file)


@pytest.mark.parametrize("steps", [("code",), ("refresh",), ("code", "refresh")], ids=str)
def test_steps_without_the_secret(server, oauthctl, secret_file, steps):
    server.add_client(id="web", secret=SECRET, auth="post", secret_on=steps)
    oauthctl.write_provider(server.provider(client_id="web", client_auth="post", quirks={"secret_on": list(steps)}))
    live(oauthctl, server, "--client-secret-file", secret_file(SECRET))


# The key of a client ---------------------------------------------------------------------------------------------------


@pytest.fixture
def with_key(acme, oauthctl, make_key):
    """`acme` as the provider of a client with a key; gives the key's file."""
    made = make_key()
    acme.add_client(id="web", auth="private-key-jwt", key=made.key)
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="private-key-jwt"))
    return made


def test_a_key_is_changed_by_a_login_and_used_by_every_account(acme, oauthctl, with_key, make_key):
    oauthctl.login("acme/one", "--private-key-file", with_key.file)
    oauthctl.login("acme/two")
    new = make_key(number=5)
    acme.clients["web"].key = new.key
    oauthctl.login("acme/two", "--private-key-file", new.file)
    assert acme.works(oauthctl.token("acme/one", "--force-refresh"))


def test_a_key_that_the_server_does_not_know_is_told_and_not_kept(acme, oauthctl, with_key, make_key):
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--private-key-file", make_key(number=5).file)
    acme.expect_violation("no key of 1 verifies")
    assert (done.code, done.out) == (78, "") and "invalid_client" in done.err and acme.count("token") == 1
    assert "hint: " in done.err and "--private-key-file" in done.err and "secret" not in done.err.partition("hint")[2]
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 78 and "--private-key-file" in done.err and acme.count("token") == 1, "the wrong key was kept"


def test_a_client_without_its_key_asks_nobody(acme, oauthctl, with_key):
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert (done.code, done.out) == (78, "") and "--private-key-file FILE" in done.err
    assert acme.count("authorization") == 0


@pytest.mark.parametrize("spoil", ["rubbish", "gone", "another"])
def test_a_stored_key_that_cannot_be_used_costs_no_login(acme, oauthctl, with_key, keyring, spoil):
    oauthctl.login("acme", "--private-key-file", with_key.file)
    kept, before = keyring.item(account="web", kind="client"), keyring.session()
    client = json.loads(kept)
    if spoil == "gone":
        del client["key"]
    else:
        pem = jose.key("P-256", 6).pem() if spoil == "another" else "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        client["key"]["pem"] = pem
    keyring.put(json.dumps(client).encode(), account="web", kind="client")
    done = oauthctl("token", "acme", "--force-refresh")
    assert (done.code, done.out) == (78, "") and "--private-key-file" in done.err, done
    if spoil == "another":
        acme.expect_violation("no key of 1 verifies")
    else:
        assert acme.count("refresh") == 0
    assert keyring.session() == before
    keyring.put(kept, account="web", kind="client")
    assert acme.works(oauthctl.token("acme", "--force-refresh"))


@pytest.mark.parametrize("problem, words", [
    ("encrypted", "openssl pkey"), ("public", "a public key, where a private key is wanted"),
    ("text", "no private key in PEM form"), ("x25519", "secret-"), ("two", "the key set has 2 keys, where one is wanted"),
])  # fmt: skip
def test_a_key_file_that_is_of_no_use_is_told(acme, oauthctl, with_key, terminal, secret_file, problem, words):
    def openssl(*argv):
        return subprocess.run(["openssl", *argv], check=True, capture_output=True, text=True).stdout

    text = {
        "encrypted": lambda: openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes128",
                                     "-pass", "pass:hunter2"),
        "public": lambda: openssl("pkey", "-in", with_key.file, "-pubout"), "text": lambda: "hello\n",
        "x25519": lambda: openssl("genpkey", "-algorithm", "X25519"), "two": lambda: json.dumps({"keys": [with_key.key.private_jwk] * 2}),
    }[problem]()
    # in a terminal: nobody is asked for a passphrase
    shown = terminal("login", "acme", "--browser", oauthctl.browser(), "--private-key-file", secret_file(text), columns=400)
    assert shown.wait() == 78 and words in shown.seen and "hint: " in shown.seen, shown.seen
    assert "PEM pass" not in shown.seen and "secret-" in shown.seen and acme.count("authorization") == 0


# Certificates ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def mtls(servers, tls, oauthctl):
    """Makes a server that wants certificates, known as `acme`."""
    def make(own, by_itself=False, **changes):
        server = servers(tls=tls, client_authorities=[tls.authority, *([own.certificate] if by_itself else [])])
        copy = own.certificate + ".server"  # the client's own file may be gone
        shutil.copyfile(own.certificate, copy)
        server.add_client(id="web", auth="tls", certificate=copy)
        oauthctl.env["SSL_CERT_FILE"] = tls.authority
        oauthctl.write_provider(server.provider(client_id="web", **{"client_auth": "tls", **changes}))
        return server

    return make


@pytest.mark.parametrize("by_itself", [False, True], ids=["by an authority", "by itself"])
def test_a_client_with_a_certificate(mtls, oauthctl, make_certificate, by_itself):
    own = make_certificate(by_itself=by_itself)
    server = mtls(own, by_itself)
    live(oauthctl, server, "--certificate-file", own.certificate, "--key-file", own.key, browser=oauthctl.browser(code=TRUSTING))


def test_certificate_and_key_in_one_file_and_the_aliases_of_the_metadata(mtls, oauthctl, make_certificate, secret_file):
    own = make_certificate()
    server = mtls(own, endpoints=None, client_auth=None)
    provider = server.provider(client_id="web", endpoints=None, issuer=server.issuer)
    oauthctl.write_provider(provider)
    server.authentication.aliases = True
    both = secret_file(pathlib.Path(own.certificate).read_text() + pathlib.Path(own.key).read_text())
    live(oauthctl, server, "--certificate-file", both, browser=oauthctl.browser(code=TRUSTING))
    assert {request.path for request in server.sent("token", "refresh", "revocation")} == {"/mtls/token", "/mtls/revoke"}
    assert all(issued.certificate for issued in server.issued.values())


def test_a_certificate_that_the_server_does_not_know_is_told(mtls, oauthctl, make_certificate):
    own, other = make_certificate("c1"), make_certificate("c2")
    server = mtls(own)
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(code=TRUSTING), "--certificate-file", other.certificate,
                    "--key-file", other.key)
    server.expect_violation("certificate is another")
    assert done.code == 78 and "--certificate-file" in done.err.partition("hint")[2] and "warning" not in done.err, done


def test_files_that_are_no_pair_are_told_before_anyone_is_asked(mtls, oauthctl, make_certificate):
    own, other = make_certificate("c1"), make_certificate("c2")
    server = mtls(own)
    login = ["login", "acme", "--browser", oauthctl.browser(code=TRUSTING)]
    for options, code, words in (
            (["--certificate-file", own.certificate, "--key-file", other.key], 78, "is not that of the certificate"),
            (["--certificate-file", own.key, "--key-file", own.key], 78, "certificate in PEM"),
            (["--certificate-file", own.certificate], 78, "--key-file"), (["--key-file", own.key], 64, "--certificate-file"),
            ([], 78, "--certificate-file FILE and --key-file FILE")):
        done = oauthctl(*login, *options)
        assert done.code == code and words in done.err, done
    assert server.count("authorization") == 0


def test_a_certificate_is_shown_beside_a_secret(mtls, oauthctl, make_certificate, secret_file):
    """Tokens may be bound to it, however the client authenticates (RFC 8705 section 3)."""
    own = make_certificate()
    server = mtls(own, client_auth="post")
    server.add_client(id="web", auth="post", secret=SECRET)
    live(oauthctl, server, "--certificate-file", own.certificate, "--key-file", own.key, "--client-secret-file",
         secret_file(SECRET), browser=oauthctl.browser(code=TRUSTING))
    assert all(request.certificate for request in server.sent("token", "refresh", "revocation"))


# Chosen by the server's metadata ---------------------------------------------------------------------------------------


@pytest.fixture
def found(server, oauthctl):
    """Makes `acme` a provider that is an issuer alone: its metadata says how clients authenticate."""
    def make(methods, algorithms=None):
        oauthctl.write_provider(server.provider(client_id="web", endpoints=None, issuer=server.issuer))
        server.metadata_changes = {"token_endpoint_auth_methods_supported": methods}
        if algorithms:
            server.metadata_changes["token_endpoint_auth_signing_alg_values_supported"] = algorithms

    return make


@pytest.mark.parametrize("auth, name", [
    ("basic", "client_secret_basic"), ("post", "client_secret_post"), ("secret-jwt", "client_secret_jwt")])
def test_a_secret_is_used_as_the_metadata_says(server, oauthctl, found, secret_file, auth, name):
    server.add_client(id="web", secret=SECRET, auth=auth, algorithm="HS512" if auth == "secret-jwt" else None)
    found(["tls_client_auth", name], ["HS512"])
    live(oauthctl, server, "--client-secret-file", secret_file(SECRET))


@pytest.mark.parametrize("kind, algorithm", [("RSA", "RS256"), ("RSA", "PS256"), ("P-256", "ES256"), ("Ed25519", "EdDSA")])
@pytest.mark.parametrize("options", [[], ["--client-auth", "private-key-jwt"]], ids=["found", "chosen"])
def test_a_key_signs_by_an_algorithm_of_the_metadata(server, oauthctl, found, make_key, kind, algorithm, options):
    made = make_key(kind)
    server.add_client(id="web", auth="private-key-jwt", key=made.key, algorithm=algorithm)
    found(["client_secret_basic", "private_key_jwt"], [algorithm, "XX1"])
    live(oauthctl, server, "--private-key-file", made.file, *options)


def test_what_the_server_does_not_take_is_told_and_never_tried(server, oauthctl, found, secret_file):
    server.add_client(id="web", secret=SECRET, auth="post")
    found(["private_key_jwt", "tls_client_auth"])
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--client-secret-file", secret_file(SECRET))
    assert done.code == 78 and "private_key_jwt, tls_client_auth" in done.err and "--private-key-file" in done.err, done
    assert server.count("authorization") == 0


def test_a_wrong_way_spends_one_code_and_is_not_followed_by_another(server, oauthctl, secret_file):
    server.add_client(id="web", secret=SECRET, auth="post")
    oauthctl.write_provider(server.provider(client_id="web", client_auth="basic"))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--client-secret-file", secret_file(SECRET))
    assert done.code == 78 and "--client-auth" in done.err and server.count("token") == 1
    server.expect_violation("token")
