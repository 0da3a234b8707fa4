"""What the real servers can do, by a client of a few lines: what the tests of the program rely on."""

import base64
import json
import secrets
import subprocess
import time
import urllib.parse

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

import jose
from small_client import asserted, challenge, post, post_json, proof, send

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def basic(client):
    quote = (lambda text: text) if client.get("basic_raw") else urllib.parse.quote_plus
    pair = f"{quote(client['client_id'])}:{quote(client['client_secret'])}"
    return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


def key_of(client):
    with open(client["key_file"], "rb") as file:
        private = load_pem_private_key(file.read(), None)
    return jose.Key({"RSA": "RSA", "EC": "P-256"}[jose.public_members(private.public_key())["kty"]], private)


class RealClient:
    """One client of one issuer of a real server."""

    def __init__(self, info, client, issuer=None):
        self.info, self.client = info, info["clients"][client]
        self.issuer = info.get("issuers", {}).get(issuer) or info["issuer"]
        self.metadata = send(self.issuer + "/.well-known/openid-configuration").json
        self.redirect = f"http://127.0.0.1:{info.get('redirect_ports', [8765])[0]}/callback"
        self.certificate = None
        if self.client["client_auth"] == "tls":
            self.certificate = (self.client["certificate_file"], self.client["key_file"])

    def url(self, name):
        return self.info.get("endpoints", {}).get(name) or self.metadata[name + "_endpoint"]

    def post(self, name, headers=None, **form):
        """A request, with the client's own authentication."""
        url, client = self.url(name), self.client
        headers = dict(headers or {})
        if client["client_auth"] == "basic":
            headers.update(basic(client))
        else:
            form["client_id"] = client["client_id"]
        if client["client_auth"] == "post":
            form["client_secret"] = client["client_secret"]
        if client["client_auth"].endswith("-jwt"):
            key = client["client_secret"].encode() if "client_secret" in client else key_of(client)
            form.update(asserted(client["client_id"], url, key))
        return post(url, form, headers, self.certificate)

    def browse(self, *arguments):
        options = ["--cacert", self.info["ca_file"]] if self.info["ca_file"] else []
        done = subprocess.run([self.info["browser"], *options, *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def parameters(self, **more):
        self.verifier = secrets.token_urlsafe(48)
        return {
            "response_type": "code", "client_id": self.client["client_id"], "redirect_uri": self.redirect,
            "scope": "openid read", "state": secrets.token_urlsafe(32), "nonce": secrets.token_urlsafe(16),
            "code_challenge": challenge(self.verifier), "code_challenge_method": "S256", **more}

    def visit(self, query, *options):
        location = urllib.parse.urlsplit(self.browse(*options, self.url("authorization") + "?" + urllib.parse.urlencode(query)))
        return dict(urllib.parse.parse_qsl(location.query) + urllib.parse.parse_qsl(location.fragment))

    def exchange(self, query, headers=None, **more):
        return self.post("token", headers, grant_type="authorization_code", code=self.visit(query)["code"],
                         redirect_uri=self.redirect, code_verifier=self.verifier, **more)

    def device(self, *options, scope="openid read"):
        """Starts, waits once, has the person decide, and gives the last answer."""
        started = self.post("device_authorization", scope=scope).json
        poll = {"grant_type": DEVICE, "device_code": started["device_code"]}
        assert self.post("token", **poll).json == {"error": "authorization_pending"}
        self.browse("--device", *options, started["verification_uri_complete"])
        if "strict" in self.info.get("issuers", {}):
            time.sleep(started["interval"] + 0.05)  # the other server does not look at the clock
        return self.post("token", **poll)


@pytest.mark.parametrize("client", ["secret_jwt", "private_key_jwt", "private_key_jwt_es256", "basic", "basic_odd", "post"])
def test_glewlwyd_authenticates_clients_in_each_way(glewlwyd, client):
    status, tokens = RealClient(glewlwyd, client).post("token", grant_type="client_credentials", scope="read")
    assert status == 200 and tokens["access_token"]


def test_glewlwyd_takes_a_client_certificate(glewlwyd_tls):
    one = RealClient(glewlwyd_tls, "mtls")
    assert one.post("token", grant_type="client_credentials", scope="read").status == 200
    one.certificate = None
    assert one.post("token", grant_type="client_credentials", scope="read").status in (401, 403)


def test_glewlwyd_password(glewlwyd):
    one = RealClient(glewlwyd, "basic")
    user = {"username": glewlwyd["user"]["username"], "password": glewlwyd["user"]["password"]}
    assert one.post("token", grant_type="password", scope="read", **user).status == 200


@pytest.mark.parametrize("client", ["public", "private_key_jwt"])
def test_glewlwyd_device(glewlwyd, client):
    status, tokens = RealClient(glewlwyd, client).device()
    assert status == 200 and tokens["refresh_token"]


def test_glewlwyd_implicit(glewlwyd):
    one = RealClient(glewlwyd, "implicit")
    query = one.parameters(response_type="token")
    answer = one.visit({k: v for k, v in query.items() if not k.startswith("code_")})
    assert answer["access_token"] and answer["state"] == query["state"]


def test_glewlwyd_pushed_request_with_details_and_resource(glewlwyd):
    one = RealClient(glewlwyd, "basic")
    details = json.dumps([{"type": glewlwyd["details_type"], "actions": ["read"]}])
    query = one.parameters(authorization_details=details, resource=glewlwyd["resources"][0])
    answer = one.post("pushed_authorization_request", **query)
    assert answer.status == 201
    answer = one.exchange({"client_id": query["client_id"], "request_uri": answer.json["request_uri"]})
    assert answer.status == 200, answer.text
    claims = jose.parse(answer.json["access_token"])[1]
    assert claims["aud"] == glewlwyd["resources"][0] and claims["authorization_details"][0]["type"] == glewlwyd["details_type"]


def test_glewlwyd_strict_issuer_asks_for_pushed_requests_and_nonces(glewlwyd):
    one, key = RealClient(glewlwyd, "public", "strict"), jose.key("P-256", 7)
    with pytest.raises(AssertionError, match="HTTP 403"):
        one.visit(one.parameters())
    pushed = one.post("pushed_authorization_request", **one.parameters(dpop_jkt=key.thumbprint)).json
    code = one.visit({"client_id": one.client["client_id"], "request_uri": pushed["request_uri"]})["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": one.redirect, "code_verifier": one.verifier}
    answer = one.post("token", proof(key, "POST", one.url("token")), **form)
    assert answer.json["error"] == "use_dpop_nonce"
    answer = one.post("token", proof(key, "POST", one.url("token"), nonce=answer.headers["DPoP-Nonce"]), **form)
    assert answer.status == 200 and answer.json["token_type"] == "DPoP", answer.text
    keys = send(one.metadata["jwks_uri"]).json["keys"]
    assert jose.verify(answer.json["id_token"], keys)[0]["alg"] == "PS256"


def test_glewlwyd_registers_and_introspects(glewlwyd):
    one = RealClient(glewlwyd, "basic")
    value = post_json(one.url("registration"), {"client_name": "new", "redirect_uris": [one.redirect]}).json
    bearer = {"Authorization": "Bearer " + value["registration_access_token"]}
    assert send(value["registration_client_uri"], headers=bearer).json["client_id"] == value["client_id"]
    assert send(value["registration_client_uri"], "DELETE", headers=bearer).status == 200
    token = one.post("token", grant_type="client_credentials", scope="read").json["access_token"]
    assert one.post("introspection", token=token).json["active"] is True


@pytest.mark.parametrize("client", ["public", "basic", "basic_odd", "post"])
def test_dot_code_flow_refresh_and_revocation(dot, client):
    one = RealClient(dot, client)
    status, tokens = one.exchange(one.parameters())
    assert status == 200 and tokens["id_token"]
    status, second = one.post("token", grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    assert status == 200 and second["refresh_token"] != tokens["refresh_token"]
    more = send(dot["issuer"].replace("/o", "/.well-known/oauth-authorization-server/o")).json
    one.metadata.update(more)
    assert one.post("revocation", token=second["refresh_token"]).status == 200
    assert one.post("token", grant_type="refresh_token", refresh_token=second["refresh_token"]).json["error"] == "invalid_grant"


def test_dot_device_and_refusals(dot):
    one = RealClient(dot, "device")
    assert one.device(scope="read").json["refresh_token"]
    assert one.device("--deny").json == {"error": "access_denied"}
    one = RealClient(dot, "public")
    query = one.parameters()
    assert one.visit(query, "--deny")["error"] == "access_denied"


def test_dot_grants_without_a_browser(dot):
    assert RealClient(dot, "service").post("token", grant_type="client_credentials", scope="read").status == 200
    user = {"username": dot["user"]["username"], "password": dot["user"]["password"]}
    assert RealClient(dot, "password").post("token", grant_type="password", scope="read", **user).json["refresh_token"]
    one = RealClient(dot, "implicit")
    query = one.parameters(response_type="token", scope="read")
    assert one.visit({k: v for k, v in query.items() if not k.startswith("code_")})["access_token"]


def test_dot_registers_introspects_and_protects(dot):
    where = dot["issuer"].replace("/o", "/.well-known/oauth-authorization-server/o")
    metadata = send(where).json
    new = {"client_name": "new", "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
           "grant_types": ["authorization_code", "refresh_token"]}
    answer = post_json(metadata["registration_endpoint"], new)
    bearer = {"Authorization": "Bearer " + answer.json["registration_access_token"]}
    assert answer.status == 201 and send(answer.json["registration_client_uri"], headers=bearer).status == 200
    one = RealClient({**dot, "clients": {"new": {**answer.json, "client_auth": "none"}}}, "new")
    status, tokens = one.exchange(one.parameters(scope="read"))
    assert status == 200
    assert send(dot["protected"], headers={"Authorization": "Bearer " + tokens["access_token"]}).json == {"user": "alice"}
    assert send(answer.json["registration_client_uri"], "DELETE", headers=bearer).status == 204
    basic_client = RealClient(dot, "basic")
    basic_client.metadata.update(metadata)
    _, tokens = basic_client.exchange(basic_client.parameters())
    assert basic_client.post("introspection", token=tokens["access_token"]).json["active"] is True


def test_dot_serves_https(real_server):
    one = RealClient(real_server("dot", "--tls"), "public")
    assert one.issuer.startswith("https:") and one.exchange(one.parameters()).status == 200
