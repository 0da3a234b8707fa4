"""The asserting server's grants: each lets a right client through and catches a wrong one."""

import json
import time

import pytest

import faults
import jose
from direct_grants import EXCHANGE, JWT_BEARER, TOKEN_TYPES
from small_client import post, send

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture
def device(server, small):
    """Starts a device authorization; gives the reply and a function that polls."""
    server.device.enabled = True
    server.device.interval = 0.05

    def start(**form):
        status, reply = small.post("/device", scope="read", **form)
        assert status == 200, reply

        def poll(wait=0.06, **bend):
            time.sleep(wait)
            return small.post(grant_type=DEVICE, **{"device_code": reply["device_code"], **bend})

        return reply, poll

    return start


def test_a_device_waits_until_the_person_visits_the_page(server, device):
    reply, poll = device()
    assert reply["verification_uri_complete"] == f"{reply['verification_uri']}?user_code={reply['user_code']}"
    assert tuple(poll()) == (400, {"error": "authorization_pending"})
    assert send(reply["verification_uri_complete"]).status == 200
    status, tokens = poll()
    assert status == 200 and server.works(tokens["access_token"]) and tokens["refresh_token"]
    assert server.count("poll") == 2 and len(server.device.gaps) == 1


def test_a_device_is_denied(server, device):
    _, poll = device()
    server.device.deny()
    assert tuple(poll()) == (400, {"error": "access_denied"})
    poll()
    server.expect_violation("goes on after the last answer")


def test_scripted_answers_come_in_turn(server, device):
    server.device.answers = [
        ("pending", 200), ("pending", 401), "html", faults.error("temporarily_unavailable", 503), faults.drop(), "ok"]
    _, poll = device()
    assert tuple(poll()) == (200, {"error": "authorization_pending"})
    assert poll().status == 401
    page = poll()
    assert page.status == 503 and page.headers["Content-Type"] == "text/html"
    assert poll().json == {"error": "temporarily_unavailable"}
    with pytest.raises(OSError):
        poll()
    assert poll().status == 200


def test_a_poll_that_comes_too_early_is_caught(server, device):
    server.device.interval = 0.4
    _, poll = device()
    poll(0)
    poll(0.01)
    server.expect_violation("0.4 are the least")


def test_slow_down_counts_for_good(server, device):
    server.device.slow_down = 0.3
    server.device.answers = ["pending", "slow_down", "pending", "pending"]
    _, poll = device()
    for wait in (0, 0.06, 0.36):
        poll(wait)
    assert not server.violations
    poll(0.1)
    server.expect_violation("0.35 are the least")


def test_slow_down_may_say_the_interval(server, device):
    server.device.slow_down = 0
    server.device.answers = [("slow_down", {"interval": 0.5}), "pending"]
    _, poll = device()
    assert poll(0).json == {"error": "slow_down", "interval": 0.5}
    poll(0.1)
    server.expect_violation("0.5 are the least")


def test_a_device_code_expires(server, device):
    server.device.expires_in = 0
    _, poll = device()
    assert poll().json == {"error": "expired_token"}


def test_device_replies_vary(server, device):
    server.device.uri_name, server.device.numbers_as_text = "verification_url", True
    server.device.tells_interval = server.device.tells_complete = False
    reply, poll = device()
    assert set(reply) == {"device_code", "user_code", "verification_url", "expires_in"} and reply["expires_in"] == "300"
    poll(0)
    poll(0.06)
    server.expect_violation("5 are the least")


def test_an_unknown_device_code_is_caught(server, device):
    _, poll = device()
    assert poll(device_code="other").status == 400
    server.expect_violation("device_code is not known")


def test_secret_on_leaves_the_device_steps_bare(server, device):
    server.add_client(id="web", secret="s", auth="post", secret_on=("code", "refresh"))
    assert post(server.base + "/device", {"client_id": "web"}).status == 200
    post(server.base + "/device", {"client_id": "web", "client_secret": "s"})
    server.expect_violation("a public client sent a secret")


def test_what_is_off_is_caught(server, small):
    assert small.post("/device").status == 404
    server.expect_violation("has no device authorization")
    assert small.post(grant_type="client_credentials").status == 400
    server.expect_violation("grant_type is 'client_credentials'")
    assert small.post("/par", **small.parameters()).status == 404
    server.expect_violation("takes no pushed requests")
    assert small.post("/introspect", token="x").status == 404
    server.expect_violation("does not introspect")


def test_client_credentials_need_a_client_that_has_some(server, small):
    server.direct.grant_types.add("client_credentials")
    service = server.add_client(id="svc", secret="s-1", auth="basic")
    status, tokens = post(server.base + "/token", {"grant_type": "client_credentials", "scope": "read"},
                          {"Authorization": service.basic()})
    assert status == 200 and "refresh_token" not in tokens and tokens["scope"] == "read"
    assert small.post(grant_type="client_credentials").status == 400
    server.expect_violation("a public client asked")


def test_password(server, small):
    server.direct.grant_types.add("password")
    server.direct.passwords["alice"] = "hunter2"
    assert small.post(grant_type="password", username="alice", password="hunter2", scope="read").json["refresh_token"]
    assert tuple(small.post(grant_type="password", username="alice", password="no"))[1]["error"] == "invalid_grant"
    small.post(grant_type="password", username="alice")
    server.expect_violation("password is missing")


def bearer(server, key, **bend):
    now = int(time.time())
    claims = {"iss": "robot@x", "sub": "robot@x", "aud": server.endpoint("/token"), "iat": now, "exp": now + 3600, **bend}
    return {"grant_type": JWT_BEARER, "assertion": jose.sign({k: v for k, v in claims.items() if v is not None}, key)}


@pytest.fixture
def robot(server):
    key = jose.key("RSA", id="robot-1")
    server.direct.grant_types.add(JWT_BEARER)
    server.direct.issuers["robot@x"] = key
    return key


def test_an_assertion_is_a_grant_without_a_client(server, robot):
    status, tokens = post(server.endpoint("/token"), bearer(server, robot, scope="a b"))
    assert status == 200 and tokens["scope"] == "a b" and "refresh_token" not in tokens
    assert server.direct.assertions[0]["iss"] == "robot@x"


@pytest.mark.parametrize("bend, words", [
    ({"aud": "https://elsewhere.example"}, "aud is"), ({"exp": 1}, "exp is 1"), ({"iss": "nobody"}, "iss is"),
    ({"sub": None}, "no sub"), ({"exp": int(time.time()) + 90000}, "exp is"), ({"jti": "x"}, "jti is"),
])  # fmt: skip
def test_a_wrong_assertion_is_caught(server, robot, bend, words):
    assert post(server.endpoint("/token"), bearer(server, robot, **bend)).status == 400
    server.expect_violation(words)


def test_an_assertion_of_another_key_is_caught_and_a_jti_is_good_once(server, robot):
    post(server.endpoint("/token"), bearer(server, jose.key("RSA", 1, id="robot-1")))
    server.expect_violation("no key of 1 verifies")
    form = bearer(server, robot, jti="0123456789abcdef")
    assert post(server.endpoint("/token"), form).status == 200
    assert post(server.endpoint("/token"), form).status == 400
    server.expect_violation("jti was used before")


def test_a_service_account_file_says_where_its_assertions_go(server, service_account):
    with open(service_account().file) as file:
        value = json.load(file)
    assert value["type"] == "service_account" and value["token_uri"] == server.endpoint("/token")
    key = jose.key("RSA", id=value["private_key_id"])
    assert post(value["token_uri"], bearer(server, key, iss=value["client_email"])).status == 200


def test_token_exchange(server, small):
    server.direct.grant_types.add(EXCHANGE)
    tokens = small.login()
    form = {"grant_type": EXCHANGE, "subject_token": tokens["access_token"], "subject_token_type": TOKEN_TYPES[0]}
    status, reply = small.post(**form, actor_token=tokens["access_token"], actor_token_type=TOKEN_TYPES[0])
    assert status == 200 and reply["issued_token_type"] == TOKEN_TYPES[0] and server.works(reply["access_token"])
    server.direct.subject_tokens["foreign"] = TOKEN_TYPES[5]
    assert small.post(**{**form, "subject_token": "foreign", "subject_token_type": TOKEN_TYPES[5]}).status == 200
    assert small.post(**{**form, "subject_token": "unknown"}).json["error"] == "invalid_grant"
    for bend, words in (({"subject_token_type": "access_token"}, "subject_token_type is"),
                        ({"actor_token": "x"}, "go together"), ({"requested_token_type": "jwt"}, "requested_token_type is")):
        assert small.post(**{**form, **bend}).status == 400
        server.expect_violation(words)


def test_an_extension_grant_with_an_empty_secret(server):
    grant_type = "https://vendor.example/grants/installed_client"
    server.direct.extensions[grant_type] = ("device_id",)
    client = server.add_client(id="app", secret="", auth="basic")
    form = {"grant_type": grant_type, "device_id": "DO_NOT_TRACK_THIS_DEVICE"}
    assert post(server.endpoint("/token"), form, {"Authorization": client.basic()}).status == 200
    post(server.endpoint("/token"), {"grant_type": grant_type}, {"Authorization": client.basic()})
    server.expect_violation("device_id is missing")


@pytest.mark.parametrize("in_query", [False, True], ids=["in the fragment", "in the query"])
def test_implicit(server, small, in_query):
    server.authorization.response_types = ["token", "id_token token"]
    server.authorization.answers_in_query = in_query
    bare = {"code_challenge": None, "code_challenge_method": None}
    answer = small.visit(query := small.parameters(response_type="token", **bare))
    assert server.works(answer["access_token"]) and answer["state"] == query["state"] and "refresh_token" not in answer
    answer = small.visit(small.parameters(response_type="id_token token", scope="openid read", **bare))
    assert jose.parse(answer["id_token"])[1]["at_hash"] == jose.left_half(answer["access_token"], "RS256")
    small.visit(small.parameters(response_type="token"))
    server.expect_violation("code_challenge has no place")


def test_a_narrower_scope_and_a_resource_give_another_token_of_one_refresh_token(server, small):
    server.targets.narrows, server.targets.resources = True, ["https://a.example/", "https://b.example/"]
    tokens = small.login(scope="read write")
    status, narrow = small.refresh(tokens, scope="read")
    assert status == 200 and narrow["scope"] == "read" and server.issued[narrow["access_token"]].scope == "read"
    status, other = small.refresh(narrow, resource="https://b.example/")
    assert status == 200 and other["scope"] == "read write"
    assert server.issued[other["access_token"]].resources == ("https://b.example/",)
    assert server.works(narrow["access_token"]) and server.works(other["access_token"])
    assert small.refresh(other, scope="admin").json["error"] == "invalid_scope"
    assert small.refresh(other, resource="https://c.example/").json["error"] == "invalid_target"


def test_resources_and_details_are_refused_where_nobody_knows_them(server, small):
    assert small.visit(small.parameters(resource="https://a.example/"))["error"] == "invalid_target"
    server.expect_violation("resource was sent")
    small.visit(small.parameters(authorization_details='[{"type": "account"}]'))
    server.expect_violation("authorization_details was sent")


def test_a_granted_resource_has_to_be_named_with_the_code(server, small):
    server.targets.resources, server.targets.demands_resource = ["https://a.example/"], True
    code = small.authorize(resource="https://a.example/")
    assert small.exchange(code).json["error"] == "invalid_target"
    server.expect_violation("resource is missing")
    assert small.exchange(code, resource="https://a.example/").status == 200


def test_granted_details_are_in_the_reply(server, small):
    server.targets.details_types = ["account"]
    server.targets.grants_details = lambda details: [{**details[0], "granted": True}]
    tokens = small.login(authorization_details='[{"type": "account"}]')
    assert tokens["authorization_details"] == [{"type": "account", "granted": True}]
    small.visit(small.parameters(authorization_details="{"))
    server.expect_violation("is no JSON")
