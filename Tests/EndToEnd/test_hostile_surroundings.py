"""Folders and files that are not what they should be, and replies with numbers that no machine holds."""

import json
import os

import faults


def test_a_pipe_among_the_provider_files_stops_nothing(oauthctl):
    folder = os.path.join(oauthctl.env["HOME"], ".config/oauthctl/providers")
    os.makedirs(folder, exist_ok=True)
    os.mkfifo(os.path.join(folder, "x.json"))
    listed = oauthctl("providers", "list", "github", timeout=5)
    assert listed.code == 0 and "GitHub" in listed.out and "x.json" in listed.err
    assert oauthctl("token", "x", timeout=5).code == 78
    assert oauthctl("__complete", "providers", timeout=5).code == 0


def test_who_debugs_the_keyrings_library_still_gets_a_clean_answer(expired, oauthctl):
    expired.expires_in = 3600
    debugging = {"G_MESSAGES_DEBUG": "all", "G_DBUS_DEBUG": "all"}
    for argv in ["refresh", "acme"], ["token", "acme"], ["token", "acme", "--force-refresh"], ["status", "--json"]:
        done = oauthctl(*argv, env=debugging)
        assert done.code == 0, done.err
        assert "GLib" not in done.out and len(done.out.splitlines()) <= 1
        assert "GLib" in done.err or "GDBus" in done.err


def test_a_folder_in_a_providers_place_is_not_removed(oauthctl):
    folder = os.path.join(oauthctl.env["HOME"], ".config/oauthctl/providers/x.json")
    os.makedirs(folder)
    open(os.path.join(folder, "precious"), "w").close()
    assert oauthctl("providers", "remove", "x").code != 0
    assert os.path.exists(os.path.join(folder, "precious"))


def test_a_number_beyond_all_numbers_costs_no_login(expired, oauthctl):
    expired.expires_in = 3600
    expired.on("refresh", faults.rewrite(lambda reply: json.dumps(reply)[:-1] + ',"quota":1e400,"a":[-1e999]}'))
    assert oauthctl("refresh", "acme").code == 0
    assert json.loads(oauthctl("token", "acme", "--json").out)["access_token"]


def test_two_issuers_do_not_take_each_others_place(servers, oauthctl):
    server = servers()
    base = server.issuer
    done = oauthctl("login", base, "--client-id", "cli", "--browser", oauthctl.browser())
    assert done.code == 0
    # the same letters and digits, another URL: the same name
    other = oauthctl("login", base + "/", "--client-id", "cli", "--browser", oauthctl.browser())
    assert other.code != 0
    assert oauthctl("status", "--json").out.count('"provider"') == 1
