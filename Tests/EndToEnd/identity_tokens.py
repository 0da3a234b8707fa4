"""Signs as an OpenID Provider does: ID tokens and JWT access tokens, in every right and wrong way; JWKS and userinfo."""

import time

import jose
from faults import Reply
from server_parts import Feature

KEY_ID = "e2e-1"


def signing_key():
    return jose.key("RSA", id=KEY_ID)


def sign(claims):
    """A compact JWS of the claims: RS256, with the key that a server has unless a test changes it."""
    return jose.sign(claims, signing_key())


def claims(issuer, client_id, nonce, subject="alice", **changes):
    """The claims of a good id_token; a change to None takes a claim out."""
    now = int(time.time())
    good = {
        "iss": issuer, "aud": client_id, "sub": subject, "email": f"{subject}@example.com",
        "iat": now, "exp": now + 3600, "nonce": nonce,
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


class Identity(Feature):
    """`server.identity`. `server.id_token_changes` and `server.userinfo_changes` change the claims; None takes one out."""

    routes = {"/jwks": ("jwks", "jwks"), "/userinfo": ("userinfo", "userinfo")}

    def __init__(self, server):
        super().__init__(server)
        self.algorithm = "RS256"  # or another of RS, PS, ES, HS (with the client's secret), EdDSA
        self.key = signing_key()
        self.published = None  # the JWKs that /jwks shows; None: the signing key alone
        self.flaw = None  # none (alg none), signature, c_hash, kid, no-kid, public-key (HS256 with the public PEM as its secret), at_hash
        self.cache_control = None  # of /jwks
        self.has_at_hash = True
        self.early_changes = {}  # of the claims of an id_token that comes with the code; None takes one out
        self.signs_userinfo = False  # OpenID Connect Core section 5.3.2
        self.issued = set()  # id_tokens

    def metadata(self):
        return {
            "jwks_uri": self.url("/jwks"), "userinfo_endpoint": self.url("/userinfo"),
            "id_token_signing_alg_values_supported": sorted({"RS256", self.algorithm}), "subject_types_supported": ["public"]}

    def use(self, algorithm, number=0, id=None):
        """Signs with this algorithm from now on, with a key that fits; HS* takes the client's secret."""
        self.algorithm = algorithm
        if not algorithm.startswith("HS"):
            self.key = jose.key_for(algorithm, number, id or f"e2e-{algorithm}-{number}")

    def rotate(self, keeps_old=True):
        """Another key of the same kind, with another id; the old one stays published for a while."""
        old, number = self.key, (self.key.id or "").count("+") + 1
        self.key = jose.key(old.kind, number, (old.id or "key") + "+")
        self.published = [self.key.jwk, *([old.jwk] if keeps_old else [])]

    def jwks(self, request):
        keys = self.published if self.published is not None else [self.key.jwk]
        keys = [{"use": "sig", **jwk} for jwk in keys]
        return Reply.of({"keys": keys}, **({"Cache_Control": self.cache_control} if self.cache_control else {}))

    def id_token(self, grant, access_token=None, code=None):
        client = grant.client
        found = claims(self.server.issuer, client.id if client else None, grant.nonce, grant.subject)
        if grant.auth_time:
            found["auth_time"] = grant.auth_time
        if access_token and self.has_at_hash:
            found["at_hash"] = jose.left_half(access_token + ("x" if self.flaw == "at_hash" else ""), self.algorithm)
        if code:
            found["c_hash"] = jose.left_half(code + ("x" if self.flaw == "c_hash" else ""), self.algorithm)
            found.update(self.early_changes)
        found.update(self.server.id_token_changes)
        token = self.signed({k: v for k, v in found.items() if v is not None}, client)
        self.issued.add(token)
        return token

    def signed(self, values, client=None, **header):
        """The claims, signed as the server signs at the moment, its flaw included."""
        if self.flaw == "none":
            return jose.unsigned(values)
        if self.flaw == "public-key":
            return jose.sign(values, self.key.public_pem().encode(), "HS256", kid=self.key.id, **header)
        if self.algorithm.startswith("HS"):
            return jose.sign(values, client.secret.encode(), self.algorithm, **header)
        kid = {"kid": "nobody-knows", "no-kid": None}.get(self.flaw, self.key.id)
        token = jose.sign(values, self.key, self.algorithm, kid=kid, **header)
        return jose.spoilt(token) if self.flaw == "signature" else token

    def access_token(self, issued):
        """RFC 9068."""
        grant, now = issued.grant, int(issued.issued_at)
        audience = [*issued.resources, *issued.audience] or [self.server.base]
        values = {
            "iss": self.server.issuer, "sub": grant.subject, "client_id": grant.client and grant.client.id,
            "scope": issued.scope, "aud": audience[0] if len(audience) == 1 else audience, "iat": now,
            "exp": issued.expires_at and int(issued.expires_at),
            "jti": jose.base64url(repr(issued.issued_at).encode()), "cnf": issued.confirmation}
        return self.signed({k: v for k, v in values.items() if v is not None}, grant.client, typ="at+jwt")

    def userinfo(self, request):
        issued = self.server.dpop.access(request, self.server)
        subject = issued.grant.subject
        value = {"sub": subject, "email": subject + "@example.com", **self.server.userinfo_changes}
        value = {k: v for k, v in value.items() if v is not None}
        if not self.signs_userinfo:
            return Reply.of(value)
        client = issued.grant.client
        token = self.signed({"iss": self.server.issuer, "aud": client.id, **value}, client)
        return Reply(200, token.encode(), {"Content-Type": "application/jwt"})
