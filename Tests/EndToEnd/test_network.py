"""TLS, proxies, and what is never sent anywhere."""

import socket
import threading

import pytest

import certificates
import faults


@pytest.fixture
def secure(servers, tls, oauthctl):
    server = servers(tls=tls)
    oauthctl.write_provider(server.provider())
    return server


@pytest.fixture
def trusting(oauthctl):
    """The scripted browser approves without looking at the certificate; the command has to."""
    return oauthctl.browser(code='exec python3 -c "import ssl,sys,urllib.request as u; u.urlopen(sys.argv[1], '
                                 'context=ssl._create_unverified_context(), timeout=9)" "$1"')


def test_a_ca_file_of_the_user_is_trusted(secure, oauthctl, trusting, tls):
    done = oauthctl("login", "acme", "--browser", trusting, "--cacert", tls.authority)
    assert done.code == 0, done
    assert oauthctl("refresh", "acme", "--cacert", tls.authority).code == 0
    assert oauthctl("revoke", "acme", "--cacert", tls.authority).code == 0


def test_SSL_CERT_FILE_is_trusted(secure, oauthctl, trusting, tls):
    done = oauthctl("login", "acme", "--browser", trusting, env={"SSL_CERT_FILE": tls.authority})
    assert done.code == 0, done


def test_an_unknown_authority_is_refused_before_anything_is_sent(secure, oauthctl, trusting):
    done = oauthctl("login", "acme", "--browser", trusting, "--timeout", "10s")
    assert done.code == 75 and "certificate" in done.err.lower()
    assert secure.count("token") == 0


def test_a_certificate_for_another_name_is_refused(servers, scratch, oauthctl, trusting):
    wrong = certificates.make(scratch / "wrong", name="DNS:other.example")
    server = servers(tls=wrong)
    oauthctl.write_provider(server.provider())
    done = oauthctl("login", "acme", "--browser", trusting, "--cacert", wrong.authority, "--timeout", "10s")
    assert done.code == 75 and server.count("token") == 0


def test_a_ca_file_that_is_none_is_told(secure, oauthctl, trusting, scratch):
    (scratch / "junk.pem").write_text("junk")
    for file in (scratch / "junk.pem", scratch / "missing.pem"):
        done = oauthctl("login", "acme", "--browser", trusting, "--cacert", str(file), "--timeout", "10s")
        assert done.code in (64, 75, 78) and secure.count("token") == 0


def test_no_option_turns_verification_off(oauthctl):
    for option in ("--insecure", "-k", "--no-verify", "--no-check-certificate"):
        assert oauthctl("login", "acme", option).code == 64


@pytest.fixture
def proxy():
    """A proxy that remembers what it is asked for and refuses it."""
    asked = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                asked.append(connection.recv(65536).split(b"\r\n")[0].decode("utf-8", "replace"))
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    threading.Thread(target=serve, daemon=True).start()
    yield asked, f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.close()


def test_https_goes_through_the_proxy_of_the_environment(oauthctl, proxy):
    asked, url = proxy
    oauthctl.write_provider({"name": "acme", "issuer": "https://issuer.invalid", "client_id": "cli", "scopes": ["openid"]})
    done = oauthctl("login", "acme", "--no-browser", env={"HTTPS_PROXY": url}, timeout=60)
    assert done.code in (75, 78) and any("CONNECT issuer.invalid:443" in line for line in asked)


def test_loopback_is_never_sent_through_a_proxy_that_NO_PROXY_excludes(signed_in, oauthctl, proxy):
    asked, url = proxy
    assert oauthctl("refresh", "acme", env={"HTTP_PROXY": url, "http_proxy": url, "NO_PROXY": "127.0.0.1"}).code == 0
    assert asked == []


def test_a_name_that_does_not_resolve_is_75(oauthctl):
    oauthctl.write_provider({"name": "acme", "issuer": "https://issuer.invalid", "client_id": "cli"})
    done = oauthctl("login", "acme", "--no-browser", timeout=60)
    assert done.code == 75 and "issuer.invalid" in done.err


@pytest.mark.parametrize("where", ["redirect-to-file", "redirect-to-other-port"])
def test_a_redirect_of_the_metadata_does_not_lead_away(server, servers, oauthctl, where):
    other = servers()
    target = "file:///etc/passwd" if where == "redirect-to-file" else other.base + "/.well-known/openid-configuration"
    server.on("discovery", faults.redirect(target).forever())
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["read"]})
    done = oauthctl("login", "acme", "--no-browser", "--timeout", "5s")
    assert done.code in (75, 76, 78) and "root:" not in done.err
    assert server.count("authorization") == other.count("authorization") == 0


def test_a_header_of_the_server_cannot_forge_output(signed_in, oauthctl):
    signed_in.on("refresh", faults.answer(400, {"error": "bad\u001b]0;owned\u0007\nname"}, X_Odd="\x1b[31m"))
    done = oauthctl("refresh", "acme", "--verbose")
    assert done.code == 77 and "\x1b" not in done.err and "\x07" not in done.err
