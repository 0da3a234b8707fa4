"""Protected resources (RFC 9728): `oauthctl login https://…/mcp` is all that it takes to a usable token."""

import urllib.error
import urllib.request

import pytest

import faults
from test_registration import kinds, login, name_of


def send(url, *lines):
    """A request as curl would make it with these header lines; gives the status."""
    request = urllib.request.Request(url, headers=dict(line.split(": ", 1) for line in lines))
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture
def open_server(server):
    server.registration.enabled = True
    return server


def headers(oauthctl, name, *options):
    done = oauthctl("token", name, "--format", "header", *options)
    assert done.code == 0, done
    return done.out.splitlines()


def test_one_command_to_a_usable_token(open_server, oauthctl, resources):
    mcp = resources(open_server)
    done = login(oauthctl, mcp.resource)
    assert f"{mcp.resource} takes the tokens of {open_server.issuer}\n" in done.err
    name = name_of(mcp.resource)
    assert f"oauthctl token {name}" in done.err
    assert send(mcp.resource, *headers(oauthctl, name)) == 200
    for request in open_server.sent("authorization", "token"):
        values = request.query if request.name == "authorization" else request.form
        assert values["resource"] == mcp.resource
    assert open_server.sent("authorization")[0].query["scope"] == "read"
    # renewed for the same resource, and logged in to again by either name, with the same client
    assert oauthctl("refresh", name).code == 0 and send(mcp.resource, *headers(oauthctl, name)) == 200
    assert open_server.sent("refresh")[0].form["resource"] == mcp.resource
    login(oauthctl, mcp.resource)
    login(oauthctl, name)
    assert send(mcp.resource, *headers(oauthctl, name)) == 200 and open_server.count("registration") == 1
    assert oauthctl.state(name)["provider"] == name
    assert oauthctl("logout", name, "--forget-client").code == 0 and len(open_server.registration.deleted) == 1


def test_the_users_scopes_and_client_win(server, oauthctl, resources):
    mcp = resources(server)
    login(oauthctl, mcp.resource, "--client-id", "cli", "--scope", "read write")
    assert server.sent("authorization")[0].query["scope"] == "read write" and server.count("registration") == 0
    assert send(mcp.resource, *headers(oauthctl, name_of(mcp.resource))) == 200
    login(oauthctl, mcp.resource)  # the client of the login that there is
    assert server.sent("authorization")[1].query["client_id"] == "cli"


def test_a_resource_that_names_its_metadata_nowhere_is_found_at_the_well_known_place(open_server, oauthctl, resources):
    mcp = resources(open_server, path="/api/v1")
    mcp.challenges = False
    login(oauthctl, mcp.resource)
    assert send(mcp.resource, *headers(oauthctl, name_of(mcp.resource))) == 200


def test_of_several_servers_the_first_that_works_is_taken(open_server, servers, oauthctl, resources):
    dead = servers()
    mcp = resources(dead, open_server)
    dead.on("discovery", faults.answer(404).forever())
    done = login(oauthctl, mcp.resource)
    assert f"takes the tokens of {open_server.issuer}" in done.err
    assert send(mcp.resource, *headers(oauthctl, name_of(mcp.resource))) == 200


def test_a_server_that_is_not_there_is_passed_over(open_server, oauthctl, resources):
    mcp = resources(open_server)
    mcp.metadata_changes = {"authorization_servers": ["http://127.0.0.1:1", open_server.issuer]}
    assert f"takes the tokens of {open_server.issuer}" in login(oauthctl, mcp.resource).err


def test_a_resource_that_demands_a_bound_token_gets_one(open_server, oauthctl, resources):
    mcp = resources(open_server)
    open_server.dpop.enabled = mcp.dpop.enabled = mcp.dpop.required = True
    login(oauthctl, mcp.resource)
    name = name_of(mcp.resource)
    lines = headers(oauthctl, name, "--url", mcp.resource)
    assert lines[0].startswith("Authorization: DPoP ") and send(mcp.resource, *lines) == 200
    (client,) = open_server.registration.registered.values()
    assert client["dpop_bound_access_tokens"] is True


def test_the_metadata_of_another_resource_is_refused(open_server, oauthctl, keyring, resources):
    mcp = resources(open_server)
    mcp.metadata_changes = {"resource": "https://elsewhere.example/mcp"}
    done = login(oauthctl, mcp.resource, code=76)
    assert mcp.resource in done.err and "https://elsewhere.example/mcp" in done.err
    assert kinds(keyring) == [] and open_server.count("registration") == 0 and open_server.count("authorization") == 0


@pytest.mark.parametrize("changes, flaw, fault", [
    ({}, None, None), ({}, "signature", "'signature'"), ({"resource": "https://elsewhere.example/"}, None, "'resource'"),
    ({"exp": 1}, None, "'exp'"), ({"iss": "https://notary.example"}, "signature", None),
], ids=["good", "spoilt", "another's", "ended", "by nobody that is known"])  # fmt: skip
def test_what_a_resource_says_under_a_signature(open_server, oauthctl, keyring, resources, changes, flaw, fault):
    mcp = resources(open_server)
    open_server.identity.flaw = flaw
    claims = {"iss": open_server.issuer, "resource": mcp.resource, "resource_name": "signed", **changes}
    mcp.metadata_changes = {"signed_metadata": open_server.identity.signed(claims)}
    open_server.identity.flaw = None
    done = login(oauthctl, mcp.resource, code=76 if fault else 0)
    if fault:
        assert f"the resource's signed metadata does not hold: {fault}" in done.err, done
        assert kinds(keyring) == [] and open_server.count("registration") == 0 and open_server.count("authorization") == 0


def test_a_server_that_lies_of_its_issuer_is_refused(open_server, oauthctl, keyring, resources):
    mcp = resources(open_server)
    open_server.metadata_changes["issuer"] = "https://elsewhere.example"
    done = login(oauthctl, mcp.resource, code=76)
    assert "another issuer" in done.err and open_server.count("registration") == 0 and kinds(keyring) == []


def test_a_resource_without_a_server_says_so(oauthctl, resources):
    mcp = resources()
    done = login(oauthctl, mcp.resource, code=78)
    assert "does not say whose" in done.err and "oauthctl login ISSUER --resource" in done.err


def test_a_resource_that_moves_to_another_server_does_not_show_it_the_old_ones_client(
        open_server, servers, oauthctl, resources):
    other = servers()
    other.registration.enabled = True
    mcp = resources(open_server, other)
    mcp.metadata_changes = {"authorization_servers": [open_server.issuer]}
    login(oauthctl, mcp.resource)
    name = name_of(mcp.resource)
    assert oauthctl("logout", name).code == 0
    for _ in range(2):  # after a logout, and with a login that there is
        mcp.metadata_changes = {"authorization_servers": [other.issuer]}
        login(oauthctl, mcp.resource)
        assert other.count("registration") == 1 and send(mcp.resource, *headers(oauthctl, name)) == 200
        mcp.metadata_changes = {"authorization_servers": [open_server.issuer]}
        login(oauthctl, mcp.resource)
        assert open_server.count("registration") == 1 and send(mcp.resource, *headers(oauthctl, name)) == 200


def test_a_file_for_a_resource_is_written_by_providers_add(open_server, oauthctl, resources):
    mcp = resources(open_server)
    assert oauthctl("providers", "add", mcp.resource, "--register").code == 0
    name = name_of(mcp.resource)
    shown = oauthctl("providers", "show", name).json
    assert shown["resource"] == [mcp.resource] and shown["issuer"] == open_server.issuer and shown["scopes"] == ["read"]
    for operand in (name, mcp.resource):
        login(oauthctl, operand)
        assert send(mcp.resource, *headers(oauthctl, name)) == 200
    assert open_server.count("registration") == 1


def test_plain_http_is_for_this_machine_alone(oauthctl):
    done = oauthctl("login", "http://api.example/mcp")
    assert done.code == 64 and "https" in done.err
