"""Pushed authorization requests (RFC 9126) and signed request objects (RFC 9101)."""

import json
import secrets
import time

import jose
from faults import Reply
from server_parts import Feature, Refusal

PREFIX = "urn:ietf:params:oauth:request_uri:"


class PushedRequests(Feature):
    """`server.par`; `objects` is about request objects, pushed or by value."""

    routes = {"/par": ("par", "push"), "/mtls/par": ("par", "push")}

    def __init__(self, server):
        super().__init__(server)
        self.required = False  # a plain authorization request is refused, and a violation
        self.objects = "off"  # off, allowed, required
        self.expires_in = 60
        self.pushed = {}  # by request_uri: the client, the parameters, the time when it ends

    def metadata(self):
        found = {}
        if self.enabled:
            found["pushed_authorization_request_endpoint"] = self.url("/par")
        if self.required:
            found["require_pushed_authorization_requests"] = True
        if self.objects != "off":
            found["request_parameter_supported"] = True
            found["request_object_signing_alg_values_supported"] = ["RS256", "PS256", "ES256", "EdDSA"]
        if self.objects == "required":
            found["require_signed_request_object"] = True
        return found

    def push(self, request):
        if not self.enabled:
            raise Refusal("invalid_request", "this server takes no pushed requests", 404)
        if "request_uri" in request.form:
            raise Refusal("invalid_request", "request_uri has no place in a pushed request")
        jkt = self.server.dpop.accept(request)
        own = ("client_assertion", "client_assertion_type", "client_secret")  # the client's authentication
        items = self.parameters([(k, v) for k, v in request.pairs if k not in own], request.client)
        wrong = list(self.server.authorization.check_parameters(items, request.client))
        if wrong:
            raise Refusal("invalid_request", "; ".join(wrong))
        if jkt and dict(items).get("dpop_jkt", jkt) != jkt:
            raise Refusal("invalid_dpop_proof", "dpop_jkt is not the proof's key")
        self.server.authorization.grant(items, request.client)  # refuses what it does not know
        if jkt and "dpop_jkt" not in dict(items):
            items = [*items, ("dpop_jkt", jkt)]
        uri = PREFIX + secrets.token_urlsafe(24)
        self.pushed[uri] = (request.client, items, time.time() + self.expires_in)
        return Reply.of({"request_uri": uri, "expires_in": self.expires_in}, 201, Cache_Control="no-store")

    def parameters(self, items, client):
        """The parameters of a request, out of its request object where it has one."""
        if "request" in dict(items):
            return self.of_object(items, client)
        if self.objects == "required":
            raise Refusal("invalid_request_object", "there is no request object")
        return items

    def effective(self, request, client):
        """The parameters of an authorization request, wherever they are."""
        items = list(request.query_pairs)
        query = dict(items)
        if "request_uri" not in query:
            if self.required:
                raise Refusal("invalid_request", "the request was not pushed")
            return self.parameters(items, client)
        more = sorted(set(query) - {"client_id", "request_uri"})
        if more:
            raise Refusal("invalid_request", f"beside request_uri there are {more} (RFC 9126 section 4)")
        pushed_by, pushed, ends = self.pushed.pop(query["request_uri"], (None, None, 0))
        if pushed_by is None:
            raise Refusal("invalid_request_uri", "the request_uri is not known, or was used before")
        if pushed_by is not client:
            raise Refusal("invalid_request_uri", "the request_uri is another client's")
        if time.time() > ends:
            raise Refusal("invalid_request_uri", "the request_uri has expired")
        self.server.seen.difference_update(value for name, value in pushed if name in ("state", "nonce", "code_challenge"))
        return pushed

    def of_object(self, items, client):
        """RFC 9101 sections 4 and 6."""
        outside = dict(items)
        if self.objects == "off":
            raise Refusal("request_not_supported", "a request object was sent, and this server does not have it")
        if client is None or client.jwk is None:
            raise Refusal("invalid_request_object", "no key of the client is known")
        try:
            header, claims = jose.verify(outside["request"], [client.jwk], jose.FITTING[jose.kind_of(client.jwk)])
        except jose.Wrong as wrong:
            raise Refusal("invalid_request_object", f"request: {wrong}") from wrong
        faults = list(self.object_faults(header, claims, outside, client))
        if faults:
            raise Refusal("invalid_request_object", "request: " + ", ".join(faults))
        own = ("iss", "aud", "exp", "iat", "nbf", "jti", "sub")
        found = []
        for name, value in claims.items():
            if name in own:
                continue
            for one in value if isinstance(value, list) and name in ("resource", "audience") else [value]:
                found.append((name, json.dumps(one) if isinstance(one, (list, dict)) else str(one)))
        return found

    def object_faults(self, header, claims, outside, client):
        if header.get("typ") not in ("oauth-authz-req+jwt", "JWT"):
            yield f"typ is {header.get('typ')!r}"
        for name in ("iss", "client_id"):
            if claims.get(name) != client.id:
                yield f"{name} is {claims.get(name)!r}"
        if "sub" in claims:
            yield "sub has no place: the object could pass for a client assertion (RFC 9101 section 10.8)"
        aud = claims.get("aud")
        if self.server.issuer not in (aud if isinstance(aud, list) else [aud]):
            yield f"aud is {aud!r}, not the issuer"
        if {"request", "request_uri"} & set(claims):
            yield "it holds another request object"
        yield from self.server.authentication.times_and_id(claims, 600)
        for name, value in outside.items():
            if name not in ("request", "client_id") and (name not in ("response_type", "scope") or claims.get(name) != value):
                yield f"{name} is outside of it too"
