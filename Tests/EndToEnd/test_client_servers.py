"""What a client was given for one server reaches no other, and one login of a client takes nothing from the next."""

import json
import subprocess

import pytest

import command
from keyring_session import WITH_KEYRING
from test_registration import login, name_of

WEB = {"id": "web", "secret": "web-secret-9", "auth": "post"}


@pytest.fixture
def moved(server, servers, oauthctl, resources, secret_file):
    """A resource that names another server than at the first login, where the client `web` has a secret; gives both."""
    other = servers()
    server.add_client(**WEB)
    mcp = resources(server, other)
    mcp.metadata_changes = {"authorization_servers": [server.issuer]}
    login(oauthctl, mcp.resource, "--client-id", "web", "--client-auth", "post", "--client-secret-file", secret_file("web-secret-9\n"))
    mcp.metadata_changes = {"authorization_servers": [other.issuer]}
    return mcp, other


def nothing_reached(other):
    assert other.count("authorization") == 0 and other.count("token") == 0
    assert not any("web-secret-9" in str(request.form) + str(request.headers) for request in other.requests)


def test_a_resource_that_moves_gets_its_new_server_no_secret_of_the_old_one(moved, oauthctl, server, secret_file):
    mcp, other = moved
    done = login(oauthctl, mcp.resource, "--client-id", "web", code=78)
    nothing_reached(other)
    assert server.issuer in done.err and other.issuer in done.err and "--client-secret-file FILE" in done.err
    # under its old server nothing is changed
    mcp.metadata_changes = {"authorization_servers": [server.issuer]}
    login(oauthctl, mcp.resource, "--client-id", "web")
    # and given anew it is used
    mcp.metadata_changes = {"authorization_servers": [other.issuer]}
    other.add_client(id="web", secret="other-secret-8", auth="post")
    login(oauthctl, mcp.resource, "--client-id", "web", "--client-auth", "post", "--client-secret-file", secret_file("other-secret-8\n"))
    login(oauthctl, mcp.resource)
    assert other.count("token") == 2


def test_nor_does_the_environment(moved, oauthctl, server, secret_file):
    mcp, other = moved
    name = name_of(mcp.resource)
    prefix = "OAUTHCTL_" + name.upper().replace(".", "_").replace("-", "_")
    env = {f"{prefix}_CLIENT_ID": "web", f"{prefix}_CLIENT_SECRET": "web-secret-9"}
    for options in ((), ("--client-secret-file", secret_file("another\n"))):
        done = oauthctl("login", mcp.resource, "--browser", oauthctl.browser(), *options, env=env)
        assert done.code == 78 and f"{prefix}_CLIENT_SECRET" in done.err and "unset" in done.err, done
    nothing_reached(other)
    mcp.metadata_changes = {"authorization_servers": [server.issuer]}
    assert oauthctl("login", mcp.resource, "--browser", oauthctl.browser(), env=env).code == 0


def test_a_key_is_for_its_server_too(server, servers, oauthctl, resources, make_key):
    other, made = servers(), make_key()
    server.add_client(id="web", auth="private-key-jwt", key=made.key)
    mcp = resources(server, other)
    mcp.metadata_changes = {"authorization_servers": [server.issuer]}
    options = ("--client-id", "web", "--client-auth", "private-key-jwt")
    login(oauthctl, mcp.resource, *options, "--private-key-file", made.file)
    mcp.metadata_changes = {"authorization_servers": [other.issuer]}
    done = login(oauthctl, mcp.resource, *options, code=78)
    nothing_reached(other)
    assert "--private-key-file FILE" in done.err


def test_a_file_that_is_edited_to_another_server_gets_it_no_secret(server, servers, oauthctl, secret_file, keyring):
    other = servers()
    server.add_client(**WEB)
    file = {"client_id": "web", "client_auth": "post"}
    oauthctl.write_provider(server.provider(**file))
    oauthctl.login("acme/work", "--client-secret-file", secret_file("web-secret-9\n"))
    oauthctl.write_provider(other.provider(**file))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 78 and "--client-secret-file FILE" in done.err, done
    nothing_reached(other)
    # at its own server the account goes on, until the client is given another secret
    assert server.works(oauthctl.token("acme/work", "--force-refresh"))
    other.add_client(id="web", secret="other-secret-8", auth="post")
    oauthctl.login("acme/new", "--client-secret-file", secret_file("other-secret-8\n"))
    done = oauthctl("token", "acme/work", "--force-refresh")
    assert done.code == 78 and "oauthctl login acme/work" in done.err, done
    assert "other-secret-8" not in str([request.form for request in server.sent("refresh")])


def test_another_path_of_the_same_server_is_no_other_server(server, oauthctl, secret_file):
    server.add_client(**WEB)
    file = {"client_id": "web", "client_auth": "post"}
    oauthctl.write_provider(server.provider(issuer="https://id.example/a", **file))
    oauthctl.login("acme", "--client-secret-file", secret_file("web-secret-9\n"))
    oauthctl.write_provider(server.provider(issuer="https://id.example/b", **file))
    oauthctl.login("acme")
    oauthctl.write_provider(server.provider(issuer=None, **file))
    oauthctl.login("acme")


# What one login leaves of a client -------------------------------------------------------------------------------------


def test_providers_add_leaves_the_rest_of_a_client(server, oauthctl, keyring, make_key, secret_file):
    made = make_key()
    server.add_client(id="web", auth="private-key-jwt", key=made.key)
    oauthctl.write_provider(server.provider(client_id="web", client_auth="private-key-jwt"))
    oauthctl.login("acme", "--private-key-file", made.file)
    before = json.loads(keyring.item(account="web", kind="client"))
    endpoints = [f"--authorization-endpoint={server.base}/authorize", f"--token-endpoint={server.base}/token"]
    done = oauthctl("providers", "add", "acme", "--force", *endpoints, "--client-id", "web", "--client-secret-file", secret_file("web-secret-9\n"))
    assert done.code == 0, done
    after = json.loads(keyring.item(account="web", kind="client"))
    assert after["key"] == before["key"] and after["client_secret"] == "web-secret-9"
    assert server.works(oauthctl.token("acme", "--force-refresh"))


def test_a_secret_that_is_given_is_used_whatever_a_login_of_the_client_chose(acme, oauthctl, secret_file):
    """`--client-auth none` of one account is that account's alone."""
    acme.add_client(id="web", secret=None, auth="none")
    oauthctl.login("acme/open", "--client-id", "web", "--client-auth", "none")
    acme.add_client(**{**WEB, "auth": "basic"})
    oauthctl.login("acme/closed", "--client-id", "web", "--client-secret-file", secret_file("web-secret-9\n"))
    assert acme.works(oauthctl.token("acme/closed", "--force-refresh"))
    oauthctl.login("acme/third", "--client-id", "web")
    # the first account goes on as it did, and is logged in again so
    acme.add_client(id="web", secret=None, auth="none")
    done = oauthctl.login("acme/open")
    assert "--client-auth none" in done.err, done
    acme.add_client(**{**WEB, "auth": "basic"})
    oauthctl.login("acme/closed")


def test_a_secret_that_nobody_would_see_is_refused(acme, oauthctl, secret_file):
    done = oauthctl("login", "acme", "--client-auth", "none", "--client-secret-file", secret_file("web-secret-9\n"))
    assert done.code == 64 and "--client-auth none" in done.err and acme.count("authorization") == 0, done
    done = oauthctl("login", "acme", "--flow", "implicit", "--client-secret-file", secret_file("web-secret-9\n"))
    assert done.code == 64 and "--par" in done.err, done


def test_the_second_step_puts_nothing_back(acme, oauthctl, secret_file, keyring, make_key):
    """What another login of the client changed meanwhile stays, though the first step gave something of its own."""
    acme.add_client(id="web", secret="web-secret-9", auth="post")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="post"))
    one, two = make_key(), make_key(number=5)
    oauthctl.login("acme", "--client-secret-file", secret_file("web-secret-9\n"), "--private-key-file", one.file)
    begun = oauthctl("login", "acme/work", "--print-url", "--client-auth", "post")
    url, name = begun.out.split()
    acme.clients["web"].secret = "newer-secret-8"
    oauthctl.login("acme", "--client-secret-file", secret_file("newer-secret-8\n"), "--private-key-file", two.file)
    kept = keyring.item(account="web", kind="client")
    done = oauthctl("login", "--finish", name, stdin=acme.approve(url))
    assert done.code == 0, done
    assert keyring.item(account="web", kind="client") == kept


# The keyring -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", ["", "--client-id cli"], ids=["registering", "known"])
def test_a_login_whose_keyring_takes_nothing_bothers_nobody(server, scratch, options):
    """A full disk under the keyring, from the start: nobody is sent away, and no client is registered."""
    server.registration.enabled = True
    folder = scratch / "full/.local/share/keyrings"
    folder.mkdir(parents=True)
    script = """mount -t tmpfs -o size=64k,mode=700 tmpfs "$2" || exit 99
        "$1" --unlocked --home "$3" sh -c '{ cat /dev/zero >"$1/fill" 2>/dev/null; "$2" login "$3" $4 --no-browser --timeout 5s; }' sh "$2" "$4" "$5" "$6"
        """
    done = subprocess.run(
        ["unshare", "--map-current-user", "--keep-caps", "--mount", "sh", "-c", script, "sh",
         WITH_KEYRING, folder, scratch / "full", command.BINARY, server.issuer, options],
        capture_output=True, text=True, timeout=30)
    assert done.returncode != 99, "a namespace is needed for this test: " + done.stderr
    assert done.returncode == 69 and "keyring" in done.stderr and "open this page" not in done.stderr, done
    assert server.count("registration") == 0 and server.count("authorization") == 0


def test_one_name_of_an_issuer_at_two_places_is_two_servers(server, servers, oauthctl, secret_file):
    """A file may call any server by the name of any issuer."""
    other = servers()
    server.add_client(**WEB)
    other.add_client(id="web", secret="other-secret-8", auth="post")
    file = {"client_id": "web", "client_auth": "post", "issuer": "https://id.example/x"}
    oauthctl.write_provider(server.provider(**file))
    oauthctl.login("acme/work", "--client-secret-file", secret_file("web-secret-9\n"))
    oauthctl.write_provider(other.provider(**file))
    login = ["login", "acme/new", "--browser", oauthctl.browser()]
    assert oauthctl(*login).code == 78
    assert oauthctl(*login, "--client-secret-file", secret_file("other-secret-8\n")).code == 0
    nothing_reached_of("web-secret-9", other)
    # the login of the first place is left without its secret, rather than given the other's
    done = oauthctl("token", "acme/work", "--force-refresh")
    assert done.code == 78 and "--client-secret-file" in done.err, done
    nothing_reached_of("other-secret-8", server)


def nothing_reached_of(secret, server):
    assert not any(secret in str(request.form) + str(request.headers) for request in server.requests)
