"""Items of our kind that this program did not write: any program on the session bus can make one."""


def test_names_that_are_none_are_no_accounts(signed_in, oauthctl, keyring):
    """Its name must not be an order to the terminal, nor end every `refresh --all` with "bad command line"."""
    keyring.run(
        "secret-tool", "store", "--label", "z", "application", "oauthctl", "type", "session", "provider", "ac\x1b[31mme",
        "account", "a\u202eb", "xdg:schema", "org.oauthctl.Session", stdin=keyring.item())
    for command in (["status"], ["refresh", "--all"], ["doctor", "--offline"]):
        done = oauthctl(*command)
        assert done.code != 64, done
        assert "\x1b" not in done.out + done.err and "\u202e" not in done.out + done.err, done
