"""Where a client's id and secret come from, how they are sent, and that a secret given once is kept."""

import subprocess

import pytest

import command

ODD_ID, ODD_SECRET = "cli odd+id", "s3cr+t /%:&=?é"


@pytest.fixture
def web(acme, oauthctl):
    """`acme` as a confidential client's provider, without the secret."""
    acme.add_client(id="web", secret="web-secret-9", auth="basic")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="basic"))
    return acme


def test_a_secret_from_a_file_is_sent_without_its_newline_and_kept(web, oauthctl, secret_file):
    oauthctl.login("acme", "--client-secret-file", secret_file("web-secret-9\n"))
    assert web.works(oauthctl.token("acme", "--force-refresh"))
    oauthctl.login("acme/second")
    assert web.works(oauthctl.token("acme/second", "--force-refresh"))


def test_a_secret_from_standard_input(web, oauthctl):
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--client-secret-file", "-", stdin="web-secret-9\n")
    assert done.code == 0, done
    assert web.works(oauthctl.token("acme", "--force-refresh"))


def test_a_secret_from_the_environment(web, oauthctl):
    oauthctl.login("acme", env={"OAUTHCTL_ACME_CLIENT_SECRET": "web-secret-9"})
    assert web.works(oauthctl.token("acme", "--force-refresh"))


@pytest.mark.parametrize("name, variable", [("my-co", "MY_CO"), ("my.co", "MY_CO"), ("MyCo2", "MYCO2")])
def test_names_become_variables_in_upper_case_with_underscores(server, oauthctl, name, variable):
    server.add_client(id="web", secret="web-secret-9", auth="post")
    oauthctl.write_provider(server.provider(name, client_id=None, client_auth="post"))
    oauthctl.login(name, env={f"OAUTHCTL_{variable}_CLIENT_ID": "web", f"OAUTHCTL_{variable}_CLIENT_SECRET": "web-secret-9"})


def test_an_option_wins_over_the_environment_and_that_over_the_file(acme, oauthctl):
    for name in ("from-file", "from-env", "from-option"):
        acme.add_client(id=name)
    oauthctl.write_provider(acme.provider(client_id="from-file"))
    oauthctl.login()
    oauthctl.login("acme", env={"OAUTHCTL_ACME_CLIENT_ID": "from-env"})
    oauthctl.login("acme", "--client-id", "from-option", env={"OAUTHCTL_ACME_CLIENT_ID": "from-env"})
    assert [r.query["client_id"] for r in acme.sent("authorization")] == ["from-file", "from-env", "from-option"]


def test_without_a_secret_and_a_terminal_login_says_what_is_missing(web, oauthctl):
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert (done.code, done.out) == (78, "")
    assert "--client-secret-file" in done.err or "OAUTHCTL_ACME_CLIENT_SECRET" in done.err
    assert web.count("authorization") == 0


def test_without_a_client_id_login_says_what_is_missing(oauthctl):
    done = oauthctl("login", "github")
    assert (done.code, done.out) == (78, "")
    assert "--client-id" in done.err or "OAUTHCTL_GITHUB_CLIENT_ID" in done.err


def test_a_secret_from_another_program_needs_no_file(web, oauthctl):
    script = f'"$0" login acme --browser {oauthctl.browser()} --client-secret-file <(printf "web-secret-9\\n")'
    done = subprocess.run(["bash", "-c", script, command.BINARY], env=oauthctl.env, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done


def test_there_is_no_option_that_takes_a_secret_itself(web, oauthctl):
    for option in ("--client-secret=hunter2-value", "--password=hunter2-value"):
        done = oauthctl("login", "acme", option)
        assert done.code == 64 and "hunter2" not in done.err


@pytest.mark.parametrize("problem", ["missing", "folder", "empty"])
def test_a_secret_file_that_cannot_be_used_is_told(web, oauthctl, scratch, problem):
    file = {"missing": scratch / "nothing", "folder": scratch, "empty": scratch / "empty"}[problem]
    if problem == "empty":
        file.write_text("\n")
        file.chmod(0o600)
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--client-secret-file", str(file))
    assert done.code in (64, 78) and str(file) in done.err
    assert web.count("authorization") == 0


@pytest.mark.parametrize("auth", ["basic", "post"])
def test_id_and_secret_with_every_kind_of_character_arrive(server, oauthctl, auth):
    server.add_client(id=ODD_ID, secret=ODD_SECRET, auth=auth)
    oauthctl.write_provider(server.provider(client_id=ODD_ID, client_auth=auth))
    oauthctl.login("acme", env={"OAUTHCTL_ACME_CLIENT_SECRET": ODD_SECRET})
    assert server.works(oauthctl.token("acme", "--force-refresh"))


def test_raw_basic_is_a_quirk(server, oauthctl):
    server.add_client(id="web", secret=ODD_SECRET, auth="basic-raw")
    oauthctl.write_provider(server.provider(client_id="web", client_auth="basic", quirks={"basic_raw": True}))
    oauthctl.login("acme", env={"OAUTHCTL_ACME_CLIENT_SECRET": ODD_SECRET})


def test_client_auth_of_the_command_line_wins(web, oauthctl, secret_file):
    web.clients["web"].auth = "post"
    oauthctl.login("acme", "--client-auth", "post", "--client-secret-file", secret_file("web-secret-9"))
    assert web.works(oauthctl.token("acme", "--force-refresh")), "the way of the login was not kept"


def test_a_wrong_secret_is_told_and_not_kept(web, oauthctl, secret_file):
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), "--client-secret-file", secret_file("not-the-secret"))
    assert done.code == 78 and "not-the-secret" not in done.err
    web.expect_violation("client is not known")
    done = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert done.code == 78 and web.count("token") == 1, "the wrong secret was kept"


def test_the_secret_is_an_item_of_its_own_with_nothing_secret_in_its_attributes(web, oauthctl, keyring, secret_file):
    oauthctl.login("acme", "--client-secret-file", secret_file("web-secret-9\n"))
    shown = "\n".join(keyring.search())
    assert "attribute.type = client" in shown and "web-secret-9" not in shown
