"""The command line itself: help, versions, mistakes, and the manners of GNU options."""

import re

import pytest

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
