"""`providers`: the catalogue, one's own files, and files with mistakes."""

import json

import pytest

BUILT_IN = {"github", "gitlab", "google", "microsoft", "bitbucket", "dropbox", "discord", "spotify", "slack"}


def test_the_catalogue_is_listed_in_json(oauthctl):
    entries = oauthctl("providers", "list", "--json").json
    assert BUILT_IN <= {entry["name"] for entry in entries}
    for entry in entries:
        assert set(entry) >= {"name", "title", "flows", "source"} and entry["source"] == "built-in"


def test_list_is_the_default_and_a_table(oauthctl):
    plain, named = oauthctl("providers"), oauthctl("providers", "list")
    assert plain.code == named.code == 0 and plain.out == named.out
    assert "github" in plain.out and max(map(len, plain.out.splitlines())) <= 100


def test_list_takes_a_word(oauthctl):
    names = [entry["name"] for entry in oauthctl("providers", "list", "git", "--json").json]
    assert "github" in names and "gitlab" in names and "spotify" not in names


def test_own_files_are_listed_as_the_users(acme, oauthctl):
    (entry,) = [e for e in oauthctl("providers", "list", "--json").json if e["name"] == "acme"]
    assert entry["source"] == "user"


def test_the_catalogue_needs_no_keyring(make_session, make_oauthctl):
    command = make_oauthctl(make_session("no-dbus"))
    assert command("providers", "list").code == 0
    assert command("providers", "show", "github").code == 0


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_what_show_prints_is_a_provider_file(oauthctl, name):
    shown = oauthctl("providers", "show", name)
    assert shown.code == 0
    value = json.loads(shown.out)
    assert value["name"] == name
    assert value.get("issuer") or value["endpoints"]["authorization"].startswith("https://")
    assert "client_secret" not in value
    file = oauthctl.write_provider(shown.out, name)
    again = oauthctl("providers", "show", name)
    assert again.code == 0 and json.loads(again.out) == value, file


def test_a_users_file_wins_over_the_catalogue(acme, oauthctl):
    oauthctl.write_provider(acme.provider("github"))
    oauthctl.login("github")
    assert acme.count("token") == 1


def test_show_of_an_unknown_provider_suggests(oauthctl):
    done = oauthctl("providers", "show", "githubb")
    assert (done.code, done.out) == (78, "")
    assert "did you mean" in done.err and "github" in done.err


def test_comments_are_allowed(server, oauthctl):
    text = json.dumps(server.provider(), indent=2)
    text = text.replace('"name"', '// a line\n  /* a block, with "quotes" */ "name"', 1) + "\n// the end\n"
    text = text.replace('"scopes"', '"title": "not // a comment", "scopes"', 1)
    oauthctl.write_provider(text, "acme")
    assert json.loads(oauthctl("providers", "show", "acme").out)["title"] == "not // a comment"
    oauthctl.login()


def refused(oauthctl, text, *words, name="acme"):
    """The file is refused with 78, its name and these words, by every command that reads it; other providers work."""
    file = oauthctl.write_provider(text if isinstance(text, str) else json.dumps(text, indent=2), name)
    for command in (["providers", "show", name], ["login", name]):
        done = oauthctl(*command)
        assert (done.code, done.out) == (78, ""), done
        assert file.name in done.err, done.err
        for word in words:
            assert word in done.err, done.err
    assert oauthctl("providers", "show", "github").code == 0
    assert oauthctl("providers", "list").code in (0, 78)
    assert "github" in oauthctl("providers", "list").out


def test_an_unknown_key_is_named_with_file_and_line(server, oauthctl):
    text = json.dumps({**server.provider(), "colour": "blue"}, indent=2)
    line = [n for n, row in enumerate(text.splitlines(), 1) if "colour" in row][0]
    refused(oauthctl, text, "colour", f"acme.json:{line}")


def test_an_unknown_key_inside_is_named_with_a_suggestion(server, oauthctl):
    file = server.provider()
    file["endpoints"]["tokn"] = "https://example.com/"
    refused(oauthctl, file, "tokn")


@pytest.mark.parametrize("text, words", [
    ('{\n  "name": "acme",\n  "endpoints": {,}\n}', ["acme.json:3"]),
    ('{\n  "name": "acme"\n', ["acme.json"]),
    ("", []), ("[]", []), ("null", []), ('"acme"', []), ("\x00\x01", []),
    ('{"name": "acme", "name": "acme"}', []),
    ('{"name": "acme"} trailing', []),
    ('{"name": "acme", "scopes": "read"}', ["scopes"]),
    ('{"name": "acme", "endpoints": []}', ["endpoints"]),
    ('{"name": "acme", "pkce": "S512"}', ["pkce"]),
    ('{"name": "acme", "client_auth": "basik"}', ["client_auth"]),
    ('{"name": "acme", "redirect": {"port": ["x"]}}', ["port"]),
    ('{"name": "acme", "redirect": {"port": [70000]}}', ["port"]),
    ('{"name": "acme", "redirect": {"host": "example.com"}}', ["host"]),
    ('{"name": "acme", "quirks": {"expires_in_unit": "days"}}', ["expires_in_unit"]),
    ('{"name": "acme", "client_secret": "hunter2-value"}', ["client_secret"]),
    ('{"name": "other", "client_id": "x"}', ["other"]),
    ('{"client_id": "x"}', ["name"]),
    ('{"name": "acme", "endpoints": {"token": "http://example.com/token", "authorization": "https://example.com/a"}}', ["http"]),
    ('{"name": "acme", "endpoints": {"token": "ftp://example.com/token"}}', ["token"]),
    ('{"name": "acme", "endpoints": {"token": "not a url"}}', ["token"]),
    ('{"name": "acme", "issuer": "http://example.com"}', ["issuer"]),
    ('{"name": "acme", "scopes": ' + "[" * 50_000, []),
], ids=["comma", "cut", "empty", "list", "null", "string", "binary", "twice", "trailing", "scopes", "endpoints", "pkce",
        "auth", "port-text", "port-range", "host", "unit", "secret", "other-name", "no-name", "http", "ftp", "no-url",
        "issuer", "deep"])  # fmt: skip
def test_a_bad_file_is_refused_with_its_name(oauthctl, text, words):
    refused(oauthctl, text, *words)
    assert "hunter2" not in "".join(result.err for _, result in oauthctl.transcript)


def test_a_file_that_cannot_be_read_is_told(server, oauthctl):
    folder = oauthctl.config / "providers"
    (folder / "acme.json").mkdir(parents=True)
    done = oauthctl("providers", "show", "acme")
    assert done.code == 78 and "acme.json" in done.err


def test_a_login_without_endpoints_says_which_is_missing(oauthctl):
    oauthctl.write_provider({"name": "acme", "client_id": "cli"})
    done = oauthctl("login", "acme")
    assert done.code == 78 and "endpoint" in done.err


def test_other_files_in_the_folder_are_not_providers(acme, oauthctl):
    folder = oauthctl.config / "providers"
    (folder / "acme.json~").write_text("x")
    (folder / ".hidden.json").write_text("x")
    (folder / "notes.txt").write_text("x")
    names = [e["name"] for e in oauthctl("providers", "list", "--json").json if e["source"] == "user"]
    assert names == ["acme"]


# add and remove


def test_add_writes_a_file_that_works_and_remove_takes_it_away(server, oauthctl):
    done = oauthctl(
        "providers", "add", "acme", "--issuer", server.issuer, "--client-id", "cli", "--scope", "read")
    assert done.code == 0, done
    file = oauthctl.config / "providers/acme.json"
    value = json.loads(file.read_text())
    assert {"name": "acme", "issuer": server.issuer, "client_id": "cli", "scopes": ["read"]}.items() <= value.items()
    oauthctl.login()
    assert server.works(oauthctl.token())
    assert oauthctl("providers", "remove", "acme").code == 0
    assert not file.exists()
    assert oauthctl("providers", "show", "acme").code == 78


def test_add_with_endpoints_needs_no_discovery(server, oauthctl):
    done = oauthctl(
        "providers", "add", "acme", "--client-id", "cli", "--scope", "a b", "--authorization-endpoint",
        server.base + "/authorize", "--token-endpoint", server.base + "/token", "--revocation-endpoint", server.base + "/revoke")
    assert done.code == 0, done
    oauthctl.login()
    assert oauthctl("revoke", "acme").code == 0
    assert server.count("discovery") == 0 and server.count("revocation") == 2


def test_add_of_a_built_in_name_starts_from_its_data(oauthctl):
    built_in = json.loads(oauthctl("providers", "show", "gitlab").out)
    assert oauthctl("providers", "add", "gitlab", "--client-id", "mine").code == 0
    own = json.loads(oauthctl("providers", "show", "gitlab").out)
    assert own["client_id"] == "mine" and own.get("scopes") == built_in.get("scopes")
    assert oauthctl("providers", "remove", "gitlab").code == 0
    assert json.loads(oauthctl("providers", "show", "gitlab").out) == built_in


def test_add_with_force_replaces_the_file(acme, oauthctl):
    assert oauthctl("providers", "add", "acme", "--force", "--issuer", acme.issuer, "--client-id", "new").code == 0
    assert json.loads(oauthctl("providers", "show", "acme").out)["client_id"] == "new"


def test_a_written_file_is_whole_and_leaves_nothing_beside_it(server, oauthctl):
    assert oauthctl("providers", "add", "acme", "--issuer", server.issuer, "--client-id", "cli").code == 0
    assert [file.name for file in (oauthctl.config / "providers").iterdir()] == ["acme.json"]


def test_add_keeps_the_secret_in_the_keyring_and_out_of_the_file(server, oauthctl, keyring):
    server.add_client(id="web", secret="web-secret-7", auth="basic")
    done = oauthctl("providers", "add", "acme", "--issuer", server.issuer, "--client-id", "web", "--client-auth",
                    "basic", "--client-secret-file", "-", stdin="web-secret-7\n")
    assert done.code == 0, done
    assert "web-secret-7" not in (oauthctl.config / "providers/acme.json").read_text()
    assert "attribute.type = client" in "\n".join(keyring.search())
    oauthctl.login("acme", "--scope", "read")


def test_add_refuses_to_overwrite(acme, oauthctl):
    before = (oauthctl.config / "providers/acme.json").read_text()
    done = oauthctl("providers", "add", "acme", "--issuer", acme.issuer, "--client-id", "x")
    assert done.code in (64, 78) and "acme" in done.err
    assert (oauthctl.config / "providers/acme.json").read_text() == before


@pytest.mark.parametrize("name", ["../evil", "a/b", "", "x" * 65, "é"])
def test_add_refuses_a_bad_name(server, oauthctl, name):
    done = oauthctl("providers", "add", name, "--issuer", server.issuer, "--client-id", "cli")
    assert done.code in (64, 78)
    assert not list((oauthctl.config).rglob("*.json"))


def test_add_refuses_plain_http_beyond_loopback(oauthctl):
    done = oauthctl("providers", "add", "acme", "--issuer", "http://example.com", "--client-id", "cli")
    assert done.code in (64, 78) and "http" in done.err
    assert not list((oauthctl.config).rglob("*.json"))


def test_remove_of_a_built_in_or_unknown_provider_is_told(oauthctl):
    assert oauthctl("providers", "remove", "github").code == 78
    assert oauthctl("providers", "remove", "nothing").code == 78


def test_remove_leaves_the_session(signed_in, oauthctl):
    assert oauthctl("providers", "remove", "acme").code == 0
    assert signed_in.works(oauthctl.token("acme"))


def test_the_config_folder_follows_XDG_CONFIG_HOME(server, oauthctl, scratch):
    folder = scratch / "xdg/oauthctl/providers"
    folder.mkdir(parents=True)
    (folder / "acme.json").write_text(json.dumps(server.provider()))
    env = {"XDG_CONFIG_HOME": str(scratch / "xdg")}
    assert oauthctl("providers", "show", "acme", env=env).code == 0
    assert oauthctl("providers", "show", "acme").code == 78
