"""An authorization server of our own that asserts what the client sends.

It runs in threads of the test process, on 127.0.0.1. Every request is recorded; whatever is wrong with one goes into
`violations`, which fails the test when it ends. It approves at once: GET of the authorization URL answers 302.
"""

import base64
import dataclasses
import secrets
import threading
import urllib.parse

import identity_tokens
import request_checks as checks
from faults import Reply
from http_endpoint import HTTPEndpoint


@dataclasses.dataclass
class Client:
    id: str = "cli"
    secret: str | None = None
    auth: str = "none"  # none, basic, basic-raw, post
    pkce: bool = True
    may_revoke: bool = True

    def basic(self):
        """The Authorization header this client has to send."""
        quote = (lambda text: text) if self.auth == "basic-raw" else urllib.parse.quote_plus
        return "Basic " + base64.b64encode(f"{quote(self.id)}:{quote(self.secret)}".encode()).decode()


@dataclasses.dataclass
class Grant:
    """What a person granted: a code first, then a family of tokens."""

    client: Client
    scope: str
    nonce: str | None
    redirect_uri: str
    challenge: str | None
    subject: str
    used: bool = False  # the code
    revoked: bool = False
    refresh_token: str | None = None  # the living one
    previous: str | None = None  # works in a reuse window
    spent: set = dataclasses.field(default_factory=set)
    access_tokens: list = dataclasses.field(default_factory=list)


class AuthorizationServer(HTTPEndpoint):
    """The server; the attributes set up in `__init__` are what a test may change."""

    def __init__(self, tls=None, path=""):
        self.clients = {"cli": Client()}
        self.subject = "alice"
        self.rotation = "rotate"  # rotate (reuse revokes the family), window, none
        self.gives_refresh_token = True
        self.expires_in = 3600
        self.expires_in_after_refresh = 3600
        self.token_size = self.code_size = 24  # bytes, before base64
        self.id_token_changes = {}
        self.callback = lambda query, reply: reply  # what becomes of the callback's parameters; None: no redirect
        self.sends_iss = False
        self.discovery_path = "/.well-known/openid-configuration"
        self.metadata_changes = {}
        self.codes, self.grants = {}, []
        self.secrets = set()  # every token that was handed out, and every client secret
        self.seen = set()
        self.lock = threading.Lock()
        super().__init__(tls)
        self.issuer = self.base + path

    # The endpoints -------------------------------------------------------------------------------------------------

    def respond(self, request):
        """The endpoint's name and its work, as a function to a Reply."""
        path = urllib.parse.urlsplit(self.issuer).path
        inserted = "/.well-known/oauth-authorization-server" + path
        if request.path in (path + "/.well-known/openid-configuration", inserted):
            return "discovery", lambda: self.discovery(request)
        if request.method == "HEAD":
            return "greeting", lambda: Reply(405)
        routes = {
            "/authorize": ("authorization", self.authorize), "/revoke": ("revocation", self.revoke),
            "/userinfo": ("userinfo", self.userinfo), "/jwks": ("jwks", lambda _: Reply.of(identity_tokens.jwks())),
            "/page": ("page", lambda _: Reply(200, b"a page")),
        }
        endpoint = request.path.removeprefix(path)
        if endpoint == "/token":
            name = "refresh" if request.form.get("grant_type") == "refresh_token" else "token"
            return name, lambda: self.token(request)
        name, work = routes.get(endpoint, ("nothing", lambda _: Reply(404)))
        return name, lambda: work(request)

    def check(self, name, request):
        """Everything that is wrong with a request."""
        if name not in ("authorization", "page", "nothing"):
            yield from checks.check_any(request)
        if name in ("token", "refresh", "revocation"):
            yield from checks.check_form_post(request)
            client = self.client_of(request)
            if client is None:
                yield "the client is not known"
            else:
                yield from checks.check_client(request, client)
        if name == "authorization":
            yield from checks.check_authorization(request, self.clients.get(request.query.get("client_id")), self.seen)
        if name == "nothing":
            yield "there is no such page"

    def client_of(self, request):
        if "client_id" in request.form:
            return self.clients.get(request.form["client_id"])
        header = request.headers.get("Authorization")
        return next((c for c in self.clients.values() if c.secret and c.basic() == header), None)

    def authorize(self, request):
        query = request.query
        client = self.clients.get(query.get("client_id"))
        if client is None:
            return Reply(403)
        code = secrets.token_urlsafe(self.code_size)
        grant = Grant(
            client, query.get("scope", ""), query.get("nonce"), query["redirect_uri"], query.get("code_challenge"),
            self.subject)
        with self.lock:
            self.codes[code] = grant
        reply = {"code": code, "state": query["state"]}
        if self.sends_iss:
            reply["iss"] = self.issuer
        reply = self.callback(query, reply)
        if reply is None:
            return Reply(200, b"<!doctype html><title>no</title>", {"Content-Type": "text/html"})
        return Reply(302, b"", {"Location": query["redirect_uri"] + "?" + urllib.parse.urlencode(reply)})

    def token(self, request):
        form = request.form
        client = self.client_of(request)
        if client is None:
            return Reply.of({"error": "invalid_client"}, 401)
        with self.lock:
            if form.get("grant_type") == "authorization_code":
                return self.exchange(form, client)
            if form.get("grant_type") == "refresh_token":
                return self.refresh(form, client)
        self.violations.append(f"token: grant_type is {form.get('grant_type')!r}")
        return Reply.of({"error": "unsupported_grant_type"}, 400)

    def exchange(self, form, client):
        grant = self.codes.get(form.get("code"))
        if grant is None or grant.client is not client:
            self.violations.append("token: the code is not known")
            return Reply.of({"error": "invalid_grant"}, 400)
        wrong = list(checks.check_code(form, grant))
        self.violations += ["token: " + line for line in wrong]
        if wrong:
            return Reply.of({"error": "invalid_grant"}, 400)
        grant.used = True
        self.secrets.update(value for value in (form.get("code_verifier"),) if value)
        self.grants.append(grant)
        return self.tokens(grant, self.expires_in, with_refresh_token=self.gives_refresh_token)

    def refresh(self, form, client):
        sent = form.get("refresh_token")
        grant = next((g for g in self.grants if sent in g.spent or sent == g.refresh_token), None)
        if grant is None or grant.client is not client or grant.revoked:
            return Reply.of({"error": "invalid_grant", "error_description": "Token revoked or unknown"}, 400)
        if sent != grant.refresh_token and not (self.rotation == "window" and sent == grant.previous):
            grant.revoked = True
            self.violations.append("refresh: a spent refresh token was sent again")
            return Reply.of({"error": "invalid_grant", "error_description": "Token reuse"}, 400)
        if self.rotation == "none":
            return self.tokens(grant, self.expires_in_after_refresh, with_refresh_token=False)
        grant.previous = sent
        grant.spent.add(grant.refresh_token)
        return self.tokens(grant, self.expires_in_after_refresh, with_refresh_token=True)

    def tokens(self, grant, expires_in, with_refresh_token):
        access = "at-" + secrets.token_urlsafe(self.token_size)
        grant.access_tokens.append(access)
        reply = {"access_token": access, "token_type": "Bearer", "expires_in": expires_in, "scope": grant.scope}
        if expires_in is None:
            del reply["expires_in"]
        if with_refresh_token:
            grant.refresh_token = reply["refresh_token"] = "rt-" + secrets.token_urlsafe(self.token_size)
        if "openid" in grant.scope.split():
            claims = identity_tokens.claims(self.issuer, grant.client.id, grant.nonce, grant.subject)
            claims.update(self.id_token_changes)
            reply["id_token"] = identity_tokens.sign({k: v for k, v in claims.items() if v is not None})
        self.secrets.update(v for k, v in reply.items() if k.endswith("_token"))
        return Reply.of(reply, Cache_Control="no-store")

    def revoke(self, request):
        client = self.client_of(request)
        token = request.form.get("token")
        if "token" not in request.form:
            self.violations.append("revocation: there is no token")
        if client is None or not client.may_revoke:
            return Reply.of({"error": "invalid_client"}, 401)
        with self.lock:
            for grant in self.grants:
                if token == grant.refresh_token or token in grant.spent:
                    grant.revoked = True
                if token in grant.access_tokens:
                    grant.access_tokens.remove(token)
        return Reply(200)

    def userinfo(self, request):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        grant = next((g for g in self.grants if token in g.access_tokens and not g.revoked), None)
        if grant is None:
            return Reply.of({"error": "invalid_token"}, 401)
        return Reply.of({"sub": grant.subject, "email": grant.subject + "@example.com"})

    def discovery(self, request):
        path = urllib.parse.urlsplit(self.issuer).path
        where = self.discovery_path + path if "oauth" in self.discovery_path else path + self.discovery_path
        if request.path != where:
            return Reply(404)
        metadata = {
            "issuer": self.issuer, "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"], "scopes_supported": ["openid", "email", "offline_access"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            **{name: self.base + path for name, path in ENDPOINTS.items()}, "jwks_uri": self.base + "/jwks",
        }
        if self.sends_iss:
            metadata["authorization_response_iss_parameter_supported"] = True
        metadata.update(self.metadata_changes)
        return Reply.of({k: v for k, v in metadata.items() if v is not None})

    # What tests ask ------------------------------------------------------------------------------------------------

    def add_client(self, **fields):
        client = Client(**fields)
        self.clients[client.id] = client
        if client.secret:
            self.secrets.add(client.secret)
        return client

    def approve(self, url):
        """GETs an authorization URL as a browser would; gives the address it is sent to."""
        return self.get_location(url)

    def provider(self, name="acme", **changes):
        """A provider file for this server; a change to None takes a key out."""
        endpoints = {
            "authorization": self.base + "/authorize", "token": self.base + "/token",
            "revocation": self.base + "/revoke", "userinfo": self.base + "/userinfo",
        }
        value = {"name": name, "endpoints": endpoints, "client_id": "cli", "scopes": ["read", "write"]}
        return {k: v for k, v in {**value, **changes}.items() if v is not None}

    def works(self, access_token):
        """Whether a resource server would let this token in."""
        return any(access_token in g.access_tokens and not g.revoked for g in self.grants)

    def expect_violation(self, words):
        """Takes a violation that the test provoked off the list; it must be there."""
        found = [line for line in self.violations if words in line]
        assert found, f"no violation with {words!r} in {self.violations}"
        self.violations = [line for line in self.violations if words not in line]


ENDPOINTS = {
    "authorization_endpoint": "/authorize", "token_endpoint": "/token", "revocation_endpoint": "/revoke",
    "userinfo_endpoint": "/userinfo",
}
