"""Two keyring services over one user's files: the desktop's, and one of `dbus-run-session`, which a hint of ours names."""


def test_a_service_that_shows_an_older_item_costs_no_login(expired, oauthctl, make_session, make_oauthctl, keyring):
    """Each reads the files when it starts and not again. The lock folder is the same, and could tell which generation is
    the newest one."""
    second = make_oauthctl(make_session("unlocked"))
    second.env["XDG_RUNTIME_DIR"] = oauthctl.env["XDG_RUNTIME_DIR"]
    assert second("status").code == 0
    assert oauthctl("refresh", "acme").code == 0
    done = second("refresh", "acme")
    assert oauthctl("refresh", "acme").code == 0, f"the login is lost; the other one said {done.code}: {done.err}"
