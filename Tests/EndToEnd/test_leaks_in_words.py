"""Secrets in messages and traces, from places that the other tests do not look at."""

import json

import pytest

from faults import Fault

PASSWORDS = {
    "an-at-sign": "http://user:hunter@2secret@proxy.example:3128", "a-port-too-high": "http://user:hunter2secret@proxy.example:99999",
    "a-blank": "http://us er:hunter2secret@proxy.example:3128", "an-odd-scheme": "htp!://user:hunter2secret@proxy.example",
    "an-open-bracket": "http://user:hunter2secret@[::1",
}


@pytest.fixture
def behind_a_proxy(acme, oauthctl, keyring):
    """A login whose token endpoint is far away, so that a proxy is wanted; it is never reached."""
    acme.expires_in = 0
    oauthctl.login()
    session = json.loads(keyring.item())
    session["provider"]["endpoints"]["token"] = "https://auth.example.com/token"
    keyring.put(json.dumps(session).encode())


@pytest.mark.parametrize("proxy", PASSWORDS.values(), ids=PASSWORDS)
def test_the_password_of_a_malformed_proxy_is_in_no_message(behind_a_proxy, oauthctl, proxy):
    """libcurl's own words quote the variable whole; a cron job mails them."""
    for command in (["token", "acme"], ["token", "acme", "--json"], ["refresh", "acme", "--verbose"]):
        done = oauthctl(*command, env={"HTTPS_PROXY": proxy})
        assert done.code == 78, done
        assert "the proxy in HTTPS_PROXY cannot be used" in done.out + done.err, done
        assert "2secret" not in done.out + done.err, done.err


@pytest.mark.parametrize("proxy", PASSWORDS.values(), ids=PASSWORDS)
def test_doctor_does_not_show_the_password_of_a_malformed_proxy(behind_a_proxy, oauthctl, proxy):
    done = oauthctl("doctor", "--json", env={"HTTPS_PROXY": proxy})
    assert "2secret" not in done.out + done.err, [line for line in done.out.split("{") if "2secret" in line]


def test_a_trace_hides_tokens_in_xml(signed_in, oauthctl):
    def as_xml(reply):
        value = json.loads(reply.body)
        reply.body = "".join(f"<{name}>{value[name]}</{name}>" for name in ("access_token", "refresh_token")).encode()
        reply.body = b"<reply>" + reply.body + b"</reply>"
        reply.headers["Content-Type"] = "text/xml"
        return reply

    signed_in.on("refresh", Fault(as_xml, after_work=True))
    oauthctl("refresh", "acme", "--verbose")  # the fixture looks for the tokens in what was printed


@pytest.mark.parametrize("body", [
    '{"access_token": "AT", "refresh_token": "RT"} trailing RT', '{"access_token": "AT", "refresh_token": "RT"} HEX', "<pre>tokens AT and RT\n{\"access_token\": \"AT\", \"refresh_token\": \"RT\"}</pre>"],
    ids=["behind-json", "hexadecimal", "page"])
def test_a_trace_hides_everywhere_what_it_hides_in_one_place(signed_in, oauthctl, body):
    """A reply that is no token reply is learnt nothing from: its values are taken out where a name stands before them."""

    def change(reply):
        value = json.loads(reply.body)
        reply.body = body.replace("AT", value["access_token"]).replace("RT", value["refresh_token"])
        reply.body = reply.body.replace("HEX", value["refresh_token"].encode().hex()).encode()
        return reply

    signed_in.on("refresh", Fault(change, after_work=True))
    oauthctl("refresh", "acme", "--verbose")  # the fixture looks for the tokens in what was printed
