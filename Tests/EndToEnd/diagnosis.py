"""What `oauthctl doctor --json` found, for tests."""

import json

CHECKS = [
    "session-bus", "secret-service", "keyring", "keyring-unlocked", "keyring-writable", "keyring-doubles", "accounts",
    "browser", "loopback-ipv4", "loopback-ipv6", "libraries", "certificates", "proxy", "network", "clock",
    "configuration", "provider-files", "lock-folder", "timer", "process",
]
# what depends on the machine that the tests run on, and keeps nobody from using oauthctl
SURROUNDINGS = {"browser", "timer"}


class Diagnosis:
    """What `doctor --json` found; holds that a failure gives the exit code, and that nothing is said without help."""

    def __init__(self, code, out):
        self.code, self.findings = code, json.loads(out)
        assert list(dict.fromkeys(finding["check"] for finding in self.findings)) == CHECKS
        for finding in self.findings:
            assert set(finding) == {"check", "result", "message", "remedy", "code"}
            assert (finding["remedy"] is not None) == (finding["result"] in ("warn", "fail")), finding
            assert (finding["code"] != 0) == (finding["result"] == "fail"), finding
        assert code == next((finding["code"] for finding in self.findings if finding["result"] == "fail"), 0)

    def __getitem__(self, check):
        (finding,) = [finding for finding in self.findings if finding["check"] == check]
        return finding

    def names(self, result):
        return [one["check"] for one in self.findings if one["result"] == result and one["check"] not in SURROUNDINGS]


def diagnose(oauthctl, *argv, **more):
    done = oauthctl("doctor", "--json", *argv, **more)
    assert done.err == "", done
    return Diagnosis(done.code, done.out)
