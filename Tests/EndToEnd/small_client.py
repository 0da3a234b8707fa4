"""A client of a few lines, to try the tests' servers with; `bend` changes what is sent."""

import hashlib
import http.client
import json
import secrets
import ssl
import time
import urllib.parse

import jose

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Answer:
    def __init__(self, response, body):
        self.status, self.headers, self.text = response.status, response.headers, body.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.text)

    def __iter__(self):  # status, value = answer
        return iter((self.status, json.loads(self.text or "null")))


def send(url, method="GET", body=None, headers=None, certificate=None):
    """One request as the program would send it. certificate: the client's, as (certificate file, key file)."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        context = ssl._create_unverified_context()
        if certificate:
            context.load_cert_chain(*certificate)
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=10, context=context)
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    usual = {"User-Agent": "oauthctl/0", "Accept": "application/json"}
    try:
        target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        connection.request(method, target, body, {**usual, **(headers or {})})
        response = connection.getresponse()
        return Answer(response, response.read())
    finally:
        connection.close()


def post(url, form, headers=None, certificate=None):
    """A form, of a dictionary or of pairs; a value of None is left out."""
    items = [(k, v) for k, v in (form.items() if isinstance(form, dict) else form) if v is not None]
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return send(url, "POST", urllib.parse.urlencode(items), {**kind, **(headers or {})}, certificate)


def post_json(url, value, headers=None, method="POST"):
    return send(url, method, json.dumps(value), {"Content-Type": "application/json", **(headers or {})})


def challenge(verifier):
    return jose.base64url(hashlib.sha256(verifier.encode()).digest())


def assertion(issuer, audience, key, algorithm=None, lifetime=60, header=None, **claims):
    """A client assertion (RFC 7523); key: a jose.Key, or bytes for HS256."""
    now = int(time.time())
    value = {
        "iss": issuer, "sub": issuer, "aud": audience, "iat": now, "exp": now + lifetime,
        "jti": secrets.token_urlsafe(16), **claims}
    algorithm = algorithm or ("HS256" if isinstance(key, bytes) else key.algorithm)
    return jose.sign({k: v for k, v in value.items() if v is not None}, key, algorithm, **(header or {}))


def asserted(*arguments, **more):
    """The two form parameters of an assertion."""
    return {"client_assertion_type": ASSERTION_TYPE, "client_assertion": assertion(*arguments, **more)}


def proof(key, method, url, token=None, header=None, **claims):
    """A DPoP proof (RFC 9449 section 4.2), as headers."""
    value = {"htm": method, "htu": url, "iat": int(time.time()), "jti": secrets.token_urlsafe(16)}
    if token:
        value["ath"] = jose.hash_of(token)
    value = {k: v for k, v in {**value, **claims}.items() if v is not None}
    public = {k: v for k, v in key.jwk.items() if k != "kid"}
    return {"DPoP": jose.sign(value, key, **{"typ": "dpop+jwt", "jwk": public, "kid": None, **(header or {})})}


class SmallClient:
    """The code flow of one client of the asserting server."""

    def __init__(self, server, client_id="cli", redirect="http://127.0.0.1:9/callback"):
        self.server, self.client_id, self.redirect = server, client_id, redirect

    def parameters(self, **bend):
        self.verifier = secrets.token_urlsafe(48)
        query = {
            "response_type": "code", "client_id": self.client_id, "redirect_uri": self.redirect, "scope": "read",
            "state": secrets.token_urlsafe(32), "code_challenge_method": "S256", "code_challenge": challenge(self.verifier),
            **bend}
        if "openid" in query["scope"].split():
            query.setdefault("nonce", secrets.token_urlsafe(32))
        return {k: v for k, v in query.items() if v is not None}

    def visit(self, query):
        """What the redirect brings, of the query and of the fragment."""
        location = urllib.parse.urlsplit(self.server.approve(self.server.base + "/authorize?" + urllib.parse.urlencode(query)))
        return dict(urllib.parse.parse_qsl(location.query) + urllib.parse.parse_qsl(location.fragment))

    def authorize(self, **bend):
        """A code."""
        return self.visit(self.parameters(**bend))["code"]

    def post(self, path="/token", headers=None, certificate=None, **form):
        return post(self.server.base + path, {"client_id": self.client_id, **form}, headers, certificate)

    def exchange(self, code, headers=None, certificate=None, **bend):
        return self.post(headers=headers, certificate=certificate, **{
            "grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect,
            "code_verifier": self.verifier, **bend})

    def login(self, headers=None, **bend):
        """The tokens of a login."""
        status, tokens = self.exchange(self.authorize(**bend), headers)
        assert status == 200, tokens
        return tokens

    def refresh(self, tokens, headers=None, **bend):
        return self.post(headers=headers, grant_type="refresh_token", refresh_token=tokens["refresh_token"], **bend)
