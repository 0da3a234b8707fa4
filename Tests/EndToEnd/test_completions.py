"""Completions in a real bash, zsh and fish: commands, options, and live providers and accounts."""

import os
import pathlib
import subprocess

import pytest

import command
from terminal import Terminal

FOLDER = pathlib.Path(os.environ.get("OAUTHCTL_COMPLETIONS") or pathlib.Path(__file__).resolve().parents[2] / "completions")

CASES = [
    ("oauthctl tok", "token"), ("oauthctl revo", "revoke"), ("oauthctl token --forc", "--force-refresh"),
    ("oauthctl token --format he", "header"), ("oauthctl token --format=jso", "json"), ("oauthctl providers sho", "show"),
    ("oauthctl providers show dropb", "dropbox"), ("oauthctl login bitbu", "bitbucket"), ("oauthctl login spotif", "spotify"),
    ("oauthctl token acme/wor", "acme/work"), ("oauthctl refresh acme/hom", "acme/home"), ("oauthctl status acme/wo", "acme/work"),
    ("oauthctl revoke --forget", "--forget-client"),
]  # fmt: skip


@pytest.fixture
def shell_env(acme, oauthctl):
    """An environment with the command in PATH and two accounts."""
    oauthctl.login("acme/work")
    oauthctl.login("acme/home")
    binary = pathlib.Path(command.BINARY)
    path = binary.parent
    if binary.name != "oauthctl":
        path = oauthctl.scratch
        os.symlink(binary.resolve(), path / "oauthctl")
    return oauthctl.environment({"PATH": f"{path}:{os.environ['PATH']}", "TERM": "dumb", "NO_COLOR": "1"})


def typed_in(shell, start, env, prompt="READY> "):
    """Types the beginnings into a shell and presses Tab: what each line became."""
    terminal = Terminal(shell, env, columns=200)
    results = []
    try:
        for line in start:
            terminal.send(line + "\n")
        terminal.send("PS1='READ''Y> '\n")
        terminal.expect(r"READY> ", timeout=20)
        for text, _ in CASES:
            terminal.send(text + "\t")
            terminal.send(" :end:\n")  # an operand that makes the line a mistake: it runs, and does nothing
            match = terminal.expect(r"(oauthctl [^\r\n]*?) ?:end:", timeout=15)
            results.append(match.group(1).rstrip(" \b"))
            terminal.expect(r"READY> ", timeout=15)
    finally:
        terminal.close()
    return results


def wanted():
    return [text.rpartition("=" if text.endswith("=jso") else " ")[0] + ("=" if text.endswith("=jso") else " ") + word
            for text, word in CASES]


def test_bash_completes(shell_env):
    start = ["bind 'set enable-bracketed-paste off'", f"source {FOLDER}/oauthctl.bash"]
    results = typed_in(["bash", "--norc", "--noprofile", "-i"], start, shell_env)
    assert results == wanted()


def test_bash_completes_with_the_bash_completion_package(shell_env):
    start = ["bind 'set enable-bracketed-paste off'", "source /usr/share/bash-completion/bash_completion", 
             f"source {FOLDER}/oauthctl.bash"]
    results = typed_in(["bash", "--norc", "--noprofile", "-i"], start, shell_env)
    assert results == wanted()


def test_zsh_completes(shell_env, scratch):
    start = ["unsetopt zle_bracketed_paste; unset zle_bracketed_paste", f"fpath=({FOLDER} $fpath)", "autoload -Uz compinit",
             f"compinit -u -d {scratch}/zcompdump", "setopt no_prompt_sp no_prompt_cr interactive_comments"]  # fmt: skip
    results = typed_in(["zsh", "-f", "-i"], start, shell_env)
    assert results == wanted()


def fish(env, text):
    out = subprocess.run(
        ["fish", "--no-config", "-c", f"source {FOLDER}/oauthctl.fish; complete -C '{text}'"], env=env, capture_output=True,
        text=True, timeout=30)
    assert out.stderr == "", out.stderr
    return [line.split("\t")[0] for line in out.stdout.splitlines()]


@pytest.mark.parametrize("text, word", CASES, ids=[text for text, _ in CASES])
def test_fish_completes(shell_env, text, word):
    assert [answer.removeprefix("--format=") for answer in fish(shell_env, text)] == [word]


def test_fish_offers_no_files_where_a_name_is_wanted(shell_env):
    answers = fish(shell_env, "oauthctl token ")
    assert {"acme/work", "acme/home"} <= set(answers) and not [answer for answer in answers if answer.endswith(".py")]


def test_completion_is_quiet_and_quick_with_a_locked_keyring(shell_env, oauthctl, keyring):
    keyring.lock()
    assert "acme/work" in fish(shell_env, "oauthctl token acme/w")


def test_completion_is_quiet_without_a_keyring(make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("no-dbus"))
    done = oauthctl("__complete", "accounts")
    assert done.out == "" and done.err == "" and done.seconds < 3


@pytest.mark.parametrize("shell, file", [("bash", "oauthctl.bash"), ("zsh", "_oauthctl"), ("fish", "oauthctl.fish")])
def test_the_scripts_are_valid(shell, file):
    done = subprocess.run([shell, "-n", str(FOLDER / file)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
