"""An authorization server of our own that asserts what the client sends.

It runs in threads of the test process, on 127.0.0.1. Every request is recorded; whatever is wrong with one goes into
`violations`, which fails the test when it ends. It approves at once: GET of the authorization URL answers 302.
The code flow, refresh and revocation are here. Everything else is a feature in a module of its own, and off until a test
turns it on: `server.par`, `server.dpop`, `server.device`, `server.direct` and so on; see `__init__`.
"""

import secrets
import threading
import time

import request_checks as checks
from authorization_endpoint import AuthorizationEndpoint
from client_authentication import ClientAuthentication
from device_endpoint import DeviceEndpoint
from direct_grants import DirectGrants
from faults import Reply
from http_endpoint import HTTPEndpoint
from identity_tokens import Identity
from pushed_requests import PushedRequests
from registration_endpoint import Registration
from response_modes import ResponseModes
from sender_constraint import SenderConstraint
from server_metadata import ServerMetadata
from server_parts import Client, Issued, Refusal, thumbprint_of
from token_introspection import Introspection
from token_targets import Targets

CODE, REFRESH, DEVICE = "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"
NAMES = {REFRESH: "refresh", DEVICE: "poll"}  # of requests to the token endpoint; all others are `token`
AUTHENTICATED = ("token", "refresh", "poll", "device", "par", "revocation", "introspection")
STEPS = {CODE: "code", REFRESH: "refresh", DEVICE: "device"}


class AuthorizationServer(HTTPEndpoint):
    """The server; the attributes set up in `__init__` are what a test may change."""

    def __init__(self, tls=None, path="", client_authorities=()):
        self.clients = {"cli": Client()}
        self.subject = "alice"
        self.rotation = "rotate"  # rotate (reuse revokes the family), window, none
        self.gives_refresh_token = True
        self.expires_in = 3600
        self.expires_in_after_refresh = 3600
        self.token_size = self.code_size = 24  # bytes, before base64
        self.id_token_changes = {}
        self.userinfo_changes = {}
        self.callback = lambda query, reply: reply  # what becomes of the callback's parameters; None: no redirect
        self.sends_iss = False
        self.discovery_path = "/.well-known/openid-configuration"
        self.metadata_changes = {}
        self.jwt_access_tokens = False  # RFC 9068, signed with the identity's key
        self.codes, self.grants, self.issued = {}, [], {}
        self.secrets = set()  # every token that was handed out, and every client secret
        self.seen, self.jtis = set(), set()
        self.lock = threading.RLock()
        super().__init__(tls, client_authorities)
        self.path = path
        self.issuer = self.base + path
        self.authentication = ClientAuthentication(self)
        self.authorization = AuthorizationEndpoint(self)
        self.modes = ResponseModes(self)
        self.identity = Identity(self)
        self.device = DeviceEndpoint(self)
        self.direct = DirectGrants(self)
        self.par = PushedRequests(self)
        self.dpop = SenderConstraint(self)
        self.registration = Registration(self)
        self.introspection = Introspection(self)
        self.targets = Targets(self)
        self.metadata = ServerMetadata(self)
        self.features = [
            self.authentication, self.authorization, self.modes, self.identity, self.device, self.direct, self.par, self.dpop, self.registration,
            self.introspection, self.targets, self.metadata]

    # The endpoints -------------------------------------------------------------------------------------------------

    def endpoint(self, path):
        return self.base + path

    def respond(self, request):
        """The endpoint's name and its work, as a function to a Reply."""
        name, work = self.find(request)
        return name, lambda: self.answered(name, work, request)

    def answered(self, name, work, request):
        try:
            if name in AUTHENTICATED and request.client is None and not self.direct.needs_no_client(request):
                raise Refusal("invalid_client", status=401)
            if request.client_faults:
                raise Refusal("invalid_client", status=401)  # the check has said what is wrong
            reply = work(request)
        except Refusal as refusal:
            if refusal.fault:
                self.note(name, refusal.fault)
            reply = refusal.reply
        return self.dpop.with_nonce(reply, request)

    def find(self, request):
        if self.metadata.is_for(request.path):
            return "discovery", self.metadata.answer
        if request.method == "HEAD":
            return "greeting", lambda _: Reply(405)
        endpoint = request.path.removeprefix(self.path)
        if endpoint in ("/token", "/mtls/token"):
            return NAMES.get(request.form.get("grant_type"), "token"), self.token
        if endpoint in ("/revoke", "/mtls/revoke"):
            return "revocation", self.revoke
        if endpoint in ("", "/") and request.method == "GET":  # whether it is a resource is asked at the issuer itself
            return "front", lambda _: Reply(404)
        if endpoint == "/page":
            return "page", lambda _: Reply(200, b"a page")
        for feature in self.features:
            for path, (name, method) in feature.routes.items():
                if endpoint == path or path.endswith("/") and endpoint.startswith(path):
                    return name, getattr(feature, method)
        return "nothing", lambda _: Reply(404)

    def check(self, name, request):
        """Everything that is wrong with a request."""
        yield from self.dpop.check_ids(request)
        if name not in ("authorization", "page", "nothing", "activation", "end_session"):
            yield from checks.check_any(request)
        if name in AUTHENTICATED:
            yield from checks.check_form_post(request, self.allowed(name, request))
            request.client = self.client_of(request)
            if request.client is not None:
                step = "device" if name == "device" else STEPS.get(request.form.get("grant_type"))
                request.client_faults = list(self.authentication.faults(request, request.client, step))
                yield from request.client_faults
            elif not self.direct.needs_no_client(request):
                yield "the client is not known"
        if name == "authorization":
            yield from self.authorization.check(request)
        if name == "front" and request.headers.get("Authorization"):
            yield "credentials were sent to the front page"
        if name == "nothing":
            yield "there is no such page"

    def allowed(self, name, request):
        """The parameters that have no place in a token request, except in this one."""
        if name in ("par", "device"):
            return {"scope", "nonce"} if name == "device" else {"scope", "state", "nonce", "code_challenge"}
        grant_type = request.form.get("grant_type")
        has_place = self.targets.narrows if grant_type == REFRESH else grant_type not in (CODE, DEVICE)
        return {"scope"} if has_place else set()

    def client_of(self, request):
        return self.authentication.client_of(request)

    # The token endpoint --------------------------------------------------------------------------------------------

    def token(self, request):
        form, client = request.form, request.client
        grant_type = form.get("grant_type")
        if client and client.grant_types is not None and grant_type not in client.grant_types:
            raise Refusal("unauthorized_client", f"the client may not use {grant_type}")
        request.jkt = self.dpop.accept(request)
        with self.lock:
            if grant_type == CODE:
                return self.exchange(form, client, request)
            if grant_type == REFRESH:
                return self.refresh(form, client, request)
            if grant_type == DEVICE and self.device.enabled:
                return self.device.poll(request)
            if reply := self.direct.token(request):
                return reply
        self.violations.append(f"token: grant_type is {grant_type!r}")
        return Reply.of({"error": "unsupported_grant_type"}, 400)

    def exchange(self, form, client, request=None):
        grant = self.codes.get(form.get("code"))
        if grant is None or grant.client is not client:
            self.violations.append("token: the code is not known")
            return Reply.of({"error": "invalid_grant"}, 400)
        wrong = list(checks.check_code(form, grant))
        self.violations += ["token: " + line for line in wrong]
        if wrong:
            return Reply.of({"error": "invalid_grant"}, 400)
        self.dpop.check_bound(grant, request, "the code")
        wanted = self.targets.wanted(request, grant)
        grant.used = True
        self.secrets.update(value for value in (form.get("code_verifier"),) if value)
        self.grants.append(grant)
        return self.tokens(grant, self.expires_in, self.gives_refresh_token, request, wanted)

    def refresh(self, form, client, request=None):
        sent = form.get("refresh_token")
        grant = next((g for g in self.grants if sent in g.spent or sent == g.refresh_token), None)
        if grant is None or grant.client is not client or grant.revoked:
            return Reply.of({"error": "invalid_grant", "error_description": "Token revoked or unknown"}, 400)
        if client.auth == "none" or getattr(request, "jkt", None) is None:  # a confidential client may change its key
            self.dpop.check_bound(grant, request, "the refresh token")
        if sent != grant.refresh_token and not (self.rotation == "window" and sent == grant.previous):
            grant.revoked = True
            self.violations.append("refresh: a spent refresh token was sent again")
            return Reply.of({"error": "invalid_grant", "error_description": "Token reuse"}, 400)
        wanted = self.targets.wanted(request, grant)
        if self.rotation == "none":
            return self.tokens(grant, self.expires_in_after_refresh, False, request, wanted)
        grant.previous = sent
        grant.spent.add(grant.refresh_token)
        return self.tokens(grant, self.expires_in_after_refresh, True, request, wanted)

    def tokens(self, grant, expires_in, with_refresh_token, request=None, wanted=None):
        """Hands out tokens: the reply to a token request, whatever the grant."""
        wanted = wanted or self.targets.wanted(request, grant)
        issued = Issued(
            grant, **wanted, jkt=getattr(request, "jkt", None), details=grant.details, issued_at=time.time(),
            expires_at=None if expires_in is None else time.time() + max(expires_in, 0))
        if request is not None and request.certificate and grant.client and grant.client.auth == "tls":
            issued.certificate = thumbprint_of(request.certificate)
        grant.jkt = grant.jkt or issued.jkt
        access = self.identity.access_token(issued) if self.jwt_access_tokens else "at-" + secrets.token_urlsafe(self.token_size)
        grant.access_tokens.append(access)
        self.issued[access] = issued
        reply = {
            "access_token": access, "token_type": self.dpop.token_type(issued), "expires_in": expires_in,
            "scope": issued.scope}
        if expires_in is None:
            del reply["expires_in"]
        if grant.details is not None:
            reply["authorization_details"] = grant.details
        if with_refresh_token:
            grant.refresh_token = reply["refresh_token"] = "rt-" + secrets.token_urlsafe(self.token_size)
        if "openid" in issued.scope.split():
            reply["id_token"] = self.identity.id_token(grant, access)
        self.secrets.update(v for k, v in reply.items() if k.endswith("_token"))
        return Reply.of(reply, Cache_Control="no-store")

    def revoke(self, request):
        client = request.client
        token = request.form.get("token")
        if "token" not in request.form:
            self.violations.append("revocation: there is no token")
        if not client.may_revoke:
            return Reply.of({"error": "invalid_client"}, 401)
        self.dpop.accept(request)
        with self.lock:
            for grant in self.grants:
                if token == grant.refresh_token or token in grant.spent:
                    grant.revoked = True
                if token in grant.access_tokens:
                    grant.access_tokens.remove(token)
        return Reply(200)

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
        """A provider file for this server; a change to None takes a key out. `endpoints` is added to the usual four."""
        endpoints = {
            "authorization": self.base + "/authorize", "token": self.base + "/token",
            "revocation": self.base + "/revoke", "userinfo": self.base + "/userinfo",
        }
        value = {"name": name, "endpoints": endpoints, "client_id": "cli", "scopes": ["read", "write"]}
        return {k: v for k, v in {**value, **changes}.items() if v is not None}

    def works(self, access_token):
        """Whether a resource server would let this token in."""
        return any(access_token in g.access_tokens and not g.revoked for g in self.grants)
