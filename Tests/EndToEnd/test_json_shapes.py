"""The manual's section JSON, held to what the commands print: each key it names, and no other, each of its type."""

import datetime
import pathlib
import re

import pytest

import faults

PAGE = pathlib.Path(__file__).resolve().parents[2] / "man/oauthctl.1"
TYPES = {
    "string": lambda value: isinstance(value, str),
    "string, RFC 3339": lambda value: datetime.datetime.fromisoformat(value.replace("Z", "+00:00")) and value.endswith("Z"),
    "string or null": lambda value: value is None or isinstance(value, str),
    "string or object": lambda value: value == "ok" or set(value) == {"error"},
    "integer": lambda value: type(value) is int,
    "integer, seconds": lambda value: type(value) is int,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "object or null": lambda value: value is None or isinstance(value, dict),
    "list of strings": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
}


def documented():
    """By commands: each key, its type, and what it means."""
    section = PAGE.read_text().split(".Sh JSON\n")[1].split("\n.Sh ")[0].replace("\\-", "-")
    shapes = {}
    for part in section.split("\n.Ss ")[1:]:
        title, _, body = part.partition("\n")
        entries = re.findall(r"^\.It Cm (\S+)\n((?:[^.].*\n?)+)", body, re.M)
        texts = {key: " ".join(text.split()) for key, text in entries}
        shapes[title] = {key: (text.split(";")[0].replace("\\&", ""), text) for key, text in texts.items()}
    return shapes


MANUAL = documented()


def paths(value, keys, prefix=""):
    """The keys of an object, and of the objects in it whose keys the manual names."""
    for name, member in value.items():
        path = prefix + name
        yield path, member
        if isinstance(member, dict) and any(key.startswith(path + ".") for key in keys):
            yield from paths(member, keys, path + ".")


class Shape:
    """What was seen of one command's JSON."""

    def __init__(self, title):
        self.title, self.keys, self.seen = title, MANUAL[title], set()

    def see(self, *objects):
        assert objects, self.title
        for value in objects:
            found = dict(paths(value, self.keys))
            unknown = set(found) - set(self.keys)
            assert not unknown, f"{self.title}: the manual does not name {unknown}"
            for key, (kind, text) in self.keys.items():
                type = kind[:1].lower() + kind[1:]
                assert type in TYPES, f"{self.title}: {key} has the type {type!r}"
                parent = key.rpartition(".")[0]
                if key in found:
                    assert TYPES[type](found[key]), f"{self.title}: {key} is {found[key]!r}, and no {type}"
                elif not parent or isinstance(found.get(parent), dict):
                    assert "absent" in text, f"{self.title}: {key} is not in {value}"
            self.seen |= set(found)

    def complete(self):
        """All that the manual names has been there once."""
        assert self.seen == set(self.keys), f"{self.title}: {set(self.keys) - self.seen} was never there"


@pytest.fixture
def openid(server, oauthctl):
    server.introspection.enabled = True
    oauthctl.write_provider({"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["openid", "email"]})
    return server


def test_login_token_refresh_and_status(openid, oauthctl):
    login, token, refresh, status = map(Shape, ("login", "token", "refresh", "status"))
    openid.on("token", faults.edit(refresh_token_expires_in=86400, site="x"))
    login.see(oauthctl.login("acme", "--json").json)
    token.see(oauthctl("token", "acme", "--json").json)
    status.see(*oauthctl("status", "--json").json)
    refresh.see(*oauthctl("refresh", "acme", "--json").lines)
    refresh.see(*oauthctl("refresh", "acme", "--within", "1s", "--json").lines)
    openid.on("refresh", faults.answer(503, "", retry_after="600"))
    refresh.see(*oauthctl("refresh", "acme", "--json").lines)
    status.see(*oauthctl("status", "--json").json)
    openid.on("refresh", faults.drop())
    assert oauthctl("token", "acme", "--force-refresh").code == 75
    status.see(*oauthctl("status", "--json").json)
    openid.expires_in = None
    login.see(oauthctl.login("acme", "--json").json)
    token.see(oauthctl("token", "acme", "--json").json)
    status.see(*oauthctl("status", "--json").json)
    for shape in (login, token, refresh):
        shape.complete()
    assert set(status.keys) - status.seen == {"grant", "bound", "variants"}


def test_status_of_what_is_not_usual(server, oauthctl):
    status = Shape("status")
    server.dpop.enabled = True
    server.targets.narrows = True
    oauthctl.write_provider(server.provider())
    oauthctl.login("acme", "--dpop")
    assert oauthctl("token", "acme", "--scope", "read", "--json").code == 0
    server.direct.grant_types.add("client_credentials")
    server.add_client(id="job", secret="job-secret-1", auth="basic")
    oauthctl.write_provider(server.provider("job", client_id="job", client_auth="basic"))
    done = oauthctl(
        "login", "job", "--flow", "client-credentials", env={"OAUTHCTL_JOB_CLIENT_SECRET": "job-secret-1"})
    assert done.code == 0, done
    status.see(*oauthctl("status", "--json").json)
    assert {"grant", "bound", "variants"} <= status.seen


def test_a_login_in_two_steps(server, oauthctl):
    shape = Shape("login --print-url")
    oauthctl.write_provider(server.provider())
    shape.see(oauthctl("login", "acme", "--print-url", "--json").json)
    server.par.enabled = True
    oauthctl.write_provider(server.provider(issuer=server.issuer))
    shape.see(oauthctl("login", "acme", "--print-url", "--par", "--json").json)
    shape.complete()


def test_inspect(openid, oauthctl):
    shape = Shape("inspect")
    oauthctl.login()
    shape.see(oauthctl("inspect", "acme", "--userinfo", "--introspect", "--json").json)
    shape.see(oauthctl("inspect", "acme", "--id-token", "--json").json)
    openid.on("userinfo", faults.html(503))
    failed = oauthctl("inspect", "acme", "--userinfo", "--json")
    assert failed.code == failed.error["code"] == 75
    shape.see(failed.json)
    openid.identity.flaw = "kid"
    openid.jwt_access_tokens = True
    assert oauthctl("refresh", "acme").code == 0
    shape.see(oauthctl("inspect", "acme", "--json").json)
    oauthctl.write_provider(openid.provider())
    oauthctl.login()
    shape.see(oauthctl("inspect", "acme", "--json").json)
    shape.complete()


def test_logout(openid, oauthctl):
    shape = Shape("revoke, logout")
    openid.authorization.has_end_session = True
    oauthctl.login()
    openid.on("revocation", faults.html(503))
    shape.see(*oauthctl("logout", "acme", "--json").lines)
    shape.see(*oauthctl("logout", "acme", "--everywhere", "--no-browser", "--json").lines)
    shape.see(*oauthctl("logout", "acme", "--json").lines)
    openid.add_client(id="web", secret="web-secret-1", auth="basic")
    done = oauthctl(
        "login", "acme", "--client-id", "web", "--browser", oauthctl.browser(), "--client-secret-file", "-",
        stdin="web-secret-1\n")
    assert done.code == 0, done
    shape.see(*oauthctl("logout", "acme", "--local", "--json").lines)
    shape.see(*oauthctl("logout", "acme", "--forget-client", "--json").lines)
    shape.complete()


def test_providers_keyring_and_doctor(servers, make_session, make_oauthctl, secret_file):
    oauthctl = make_oauthctl(make_session("unlocked"))
    listed, change, keyring, doctor = map(
        Shape, ("providers list", "providers add, providers remove", "unlock, lock", "doctor"))
    change.see(oauthctl("providers", "add", "acme", "--issuer", "https://id.acme.example", "--json").json)
    registrar = servers()
    registrar.registration.enabled = True
    change.see(oauthctl("providers", "add", "new", "--issuer", registrar.issuer, "--register", "--json").json)
    listed.see(*oauthctl("providers", "--json").json)
    assert MANUAL["providers show"] == {}
    shown = oauthctl("providers", "show", "acme", "--json").json
    assert shown == {"name": "acme", "issuer": "https://id.acme.example"}
    change.see(oauthctl("providers", "remove", "acme", "--json").json)
    doctor.see(*oauthctl("doctor", "--offline", "--json").json)
    keyring.see(oauthctl("lock", "--json").json)
    for shape in (listed, change, keyring, doctor):
        shape.complete()


def test_errors(signed_in, oauthctl):
    shape = Shape("ERRORS")

    def see(*argv):
        done = oauthctl(*argv, "--json")
        assert done.code == done.error["code"] != 0, done
        shape.see({"error": done.error})

    see("token", "nobody")
    see("providers", "add")
    signed_in.on("refresh", faults.error("invalid_grant", error_description="Token expired"))
    see("refresh", "acme")
    oauthctl.login()
    signed_in.on("refresh", faults.answer(503, ""))
    see("token", "acme", "--force-refresh")
    see("token", "acme", "--format", "header")
    shape.complete()


def test_every_shape_is_tested():
    text = pathlib.Path(__file__).read_text()
    assert [title for title in MANUAL if f'"{title}"' not in text] == []
