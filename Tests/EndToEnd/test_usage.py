"""The command line itself: help, versions, mistakes, and the manners of GNU options."""

import re
import subprocess

import pytest

import command

COMMANDS = ["login", "token", "refresh", "revoke", "logout", "providers", "status", "unlock", "lock", "help"]
SUBCOMMANDS = ["providers list", "providers show", "providers add", "providers remove"]


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["help"]], ids=" ".join)
def test_help_names_every_command_on_stdout(oauthctl, argv):
    done = oauthctl(*argv)
    assert (done.code, done.err) == (0, "")
    for name in COMMANDS:
        assert name == "logout" or re.search(rf"\b{name}\b", done.out), name


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "logout"] + SUBCOMMANDS)
def test_every_commands_help_fits_80_columns_and_has_an_example(oauthctl, name):
    done = oauthctl(*name.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert max(len(line) for line in done.out.splitlines()) <= 80
    assert re.search(r"(?i)example", done.out) and re.search(rf"oauthctl {name}\b", done.out)
    assert not re.search(r"[ \t]+$", done.out, re.M)


def test_an_alias_is_named_by_its_commands_help(oauthctl):
    assert "logout" in oauthctl("revoke", "--help").out


@pytest.mark.parametrize("name", COMMANDS[:-1])
def test_help_with_a_name_is_that_commands_help(oauthctl, name):
    assert oauthctl("help", name).out == oauthctl(name, "--help").out


@pytest.mark.parametrize("argv", [
    ["help", "--json"], ["help", "token", "--json"], ["help", "token", "--format", "raw"], ["help", "--no-such"],
], ids=" ".join)  # fmt: skip
def test_help_is_text_and_takes_no_option_of_a_command(oauthctl, argv):
    done = oauthctl(*argv)
    assert (done.code, done.out) == (64, "") and "unknown option" in done.err
    assert oauthctl("token", "--json", "--help").code == 0


def test_help_of_something_unknown_is_a_mistake(oauthctl):
    done = oauthctl("help", "tokn")
    assert done.code == 64 and "token" in done.err


def test_version_is_one_line(oauthctl):
    done = oauthctl("--version")
    assert done.code == 0 and re.fullmatch(r"oauthctl \d+\.\d+\.\d+\S*\n", done.out)


@pytest.mark.parametrize("argv, words", [
    ([], "command"), (["tokn"], "did you mean"), (["lgoin", "acme"], "did you mean"), (["token"], "PROVIDER"),
    (["token", "a", "b"], "b"), (["token", "--formt", "raw", "acme"], "did you mean"), (["token", "acme", "--format"], "format"),
    (["token", "acme", "--min-valid", "soon"], "min-valid"), (["token", "acme", "--min-valid", "-5"], "min-valid"),
    (["token", "acme", "--min-valid="], "min-valid"), (["token", "acme", "--min-valid", "5x"], "min-valid"),
    (["token", "acme", "--min-valid", "99999999999999999999d"], "min-valid"),
    (["token", "acme", "--no-refresh=yes"], "no-refresh"), (["login"], "PROVIDER"), (["login", "acme", "--port", "0x"], "port"),
    (["login", "acme", "--port", "70000"], "port"), (["login", "acme", "--timeout", "never"], "timeout"),
    (["login", "acme", "--client-auth", "magic"], "client-auth"), (["login", "acme", "--param", "novalue"], "param"),
    (["login", "http://example.com"], "http"), (["providers", "shw", "x"], "did you mean"), (["providers", "show"], "NAME"),
    (["-x"], "-x"), (["token", "-Zq", "acme"], "-Z"), (["--no-such"], "--no-such"), (["status", "a", "b"], "b"),
    (["refresh", "--within", "soon", "--all"], "within"),
    (["token", "acme", "--id-token", "--field", "x"], "exclude each other"),
    (["logout", "acme", "--everywhere", "--browser", "b", "--no-browser"], "exclude each other"), (["token", "acme", "--", "-x"], "x"),
    (["login", "acme", "--redirect-uri", "not a uri"], "redirect"),
], ids=lambda value: " ".join(value)[:40] or "nothing" if isinstance(value, list) else "")  # fmt: skip
def test_a_mistake_is_64_on_stderr_with_a_hint(acme, oauthctl, argv, words):
    done = oauthctl(*argv)
    assert (done.code, done.out) == (64, ""), done
    assert done.err.startswith("oauthctl: error: ") and words in done.err
    assert "oauthctl: hint: " in done.err
    for line in done.err.splitlines():
        assert line.startswith("oauthctl: ") and not line.endswith(".")


STRAY = [
    ("client-credentials", ["--par"], "code or implicit"), ("client-credentials", ["--no-browser"], "code, device or implicit"),
    ("password", ["--timeout", "5m"], "code, device or implicit"), ("device", ["--redirect-uri", "http://127.0.0.1/"], "code or implicit"),
    ("implicit", ["--token-param", "a=b"], "code, device"), ("implicit", ["--no-pkce"], "--flow code"),
    ("implicit", ["--dpop"], "cannot be bound"), ("code", ["--username", "me"], "--flow password"),
    ("code", ["--subject-token-file", "-"], "--flow token-exchange"), ("jwt-bearer", ["--prompt", "none"], "code, device or implicit"),
]  # fmt: skip


@pytest.mark.parametrize("flow, options, words", STRAY, ids=[f"{flow} {options[0]}" for flow, options, _ in STRAY])
def test_an_option_that_a_grant_has_no_use_for_is_refused(acme, oauthctl, flow, options, words):
    done = oauthctl("login", "acme", "--flow", flow, *options)
    assert done.code == 64 and f"{options[0]} does not go with --flow {flow}" in done.err and words in done.err, done
    assert acme.requests == []


def test_so_it_is_where_the_grant_is_the_providers_usual_one(acme, oauthctl):
    oauthctl.write_provider(acme.provider(flows=["client-credentials"]))
    done = oauthctl("login", "acme", "--par")
    assert done.code == 64 and "--par does not go with --flow client-credentials" in done.err, done


def test_an_id_token_is_the_logins_own(signed_in, oauthctl):
    done = oauthctl("token", "acme", "--id-token", "--scope", "read")
    assert done.code == 64 and "leave --scope out" in done.err, done


def test_a_scope_of_separators_is_none(acme, oauthctl):
    done = oauthctl("login", "acme", "--scope", ",")
    assert done.code == 64 and "is no scope" in done.err, done


@pytest.mark.parametrize("argv", [
    ["login", "acme", "--private-key-file", "/no/x"], ["login", "acme", "--client-secret-file", "/no/x"],
    ["login", "acme", "--certificate-file", "/no/x"], ["login", "acme", "--authorization-details", "@/no/x"],
    ["login", "acme", "--flow", "password", "--username", "u", "--password-file", "/no/x"],
    ["login", "acme", "--assertion-file", "/no/x"], ["login", "acme", "--subject-token-file", "/no/x"],
    ["login", "acme", "--initial-access-token-file", "/no/x"], ["login", "acme", "--cacert", "/no/x"],
], ids=lambda argv: " ".join(argv[-2:]) + argv[0])  # fmt: skip
def test_a_file_that_is_not_there_is_told_by_its_option(signed_in, oauthctl, argv):
    done = oauthctl(*argv)
    assert done.code == 78, done
    assert done.err.startswith(f"oauthctl: error: {argv[-2]}: /no/x: no such file\noauthctl: hint: "), done


@pytest.mark.parametrize("stdin", ["<&-", "</dev/null"])
def test_what_was_to_be_written_to_standard_input_is_missing(acme, oauthctl, stdin):
    for option in ("--client-secret-file", "--assertion-file", "--subject-token-file"):
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" login acme {option} - {stdin}', command.BINARY], env=oauthctl.env, capture_output=True,
            text=True, timeout=20)
        assert done.returncode == 64 and f"{option}: standard input: " in done.stderr, done
        assert "hint: write it" in done.stderr and done.stdout == ""


def test_the_help_of_login_has_headings(oauthctl):
    lines = oauthctl("login", "--help").out.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings[1:] == ["Grant:", "Client:", "Request:", "Browser:", "Two steps:", "Options:", "Global options:", "Examples:"]
    assert headings[0] == "Arguments:"


def test_options_follow_operands_and_take_an_equals_sign(signed_in, oauthctl):
    expected = oauthctl("token", "acme", "--format", "header").out
    for argv in (["token", "--format", "header", "acme"], ["token", "acme", "--format=header"], ["token", "--format=header", "--", "acme"]):
        assert oauthctl(*argv).out == expected


def test_the_last_of_repeated_options_counts(signed_in, oauthctl):
    assert oauthctl("token", "acme", "--format", "json", "--format", "raw").out.startswith("at-")


@pytest.mark.parametrize("format", ["raw", "header", "env"])
def test_json_and_another_format_contradict_each_other(signed_in, oauthctl, format):
    done = oauthctl("token", "acme", "--json", "--format", format)
    assert (done.code, done.out, done.error["code"]) == (64, "", 64), done
    assert oauthctl("token", "acme", "--json", "--format", "json").json["access_token"]


def test_a_mistake_with_json_is_an_object_too(oauthctl):
    done = oauthctl("status", "--json", "--no-such")
    assert done.code == 64
    assert done.err.startswith("oauthctl: error: ") or done.error["code"] == 64


@pytest.mark.parametrize("argv", [
    ["token", "\x1b[31mred"], ["\x1b[31mred"], ["token", "acme", "--\x1b[31mred"], ["token", "a\nb"],
    ["token", "x" * 100_000], ["--" + "y" * 100_000], ["token", "acme", "--format", "\x07"],
], ids=["name", "command", "option", "newline", "long", "long-option", "value"])  # fmt: skip
def test_odd_words_are_shown_harmlessly(oauthctl, argv):
    done = oauthctl(*argv)
    assert done.code in (64, 78) and done.out == ""
    assert "\x1b" not in done.err and "\x07" not in done.err and len(done.err) < 5000
    for line in done.err.splitlines():
        assert line.startswith("oauthctl: ")


def test_bytes_that_are_no_text_are_refused_without_a_crash(oauthctl):
    done = oauthctl("token", b"\xff\xfe".decode("utf-8", "surrogateescape"))
    assert done.code in (64, 78)


def test_options_of_grants_that_are_not_built_yet_are_unknown_or_work(oauthctl):
    """The table has no dead options: what help shows is accepted."""
    for name in ("login", "token", "refresh", "revoke", "status"):
        text = oauthctl(name, "--help").out
        for option in set(re.findall(r"--[a-z][a-z-]+", text)):
            done = oauthctl(name, "acme", option, "--no-such-option")
            assert f"unknown option '{option}'" not in done.err, (name, option)
