"""Grants without a browser: client credentials, password, assertions (RFC 7523), token exchange (RFC 8693), extensions."""

import time

import jose
from server_parts import Feature, Grant, Refusal, unused

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN_TYPES = ["urn:ietf:params:oauth:token-type:" + name for name in (
    "access_token", "refresh_token", "id_token", "saml1", "saml2", "jwt")]


class DirectGrants(Feature):
    """`server.direct`; `grant_types` are those that are on: client_credentials, password, JWT_BEARER, EXCHANGE."""

    def __init__(self, server):
        super().__init__(server)
        self.grant_types = set()
        self.default_scope = "read"  # where none is asked for
        self.passwords = {}  # by user name
        self.client_gets_refresh_token = False  # by its credentials, which RFC 6749 4.4.3 advises against
        self.issuers = {}  # of assertions: by `iss`, a jose.Key or a public JWK
        self.assertion_audiences = None  # None: the token endpoint or the issuer
        self.need_no_subject = set()  # issuers that speak for themselves without a `sub`, as service accounts do
        self.demands_jti = False
        self.subject_tokens = {}  # by the token, its type's URN: good for an exchange, beside this server's own tokens
        self.exchange_changes = {}  # of the reply to an exchange; None takes a member out
        self.issued_token_type = TOKEN_TYPES[0]
        self.extensions = {}  # by grant_type, the names of the parameters that it must have
        self.assertions = []  # the claims of each good one

    def metadata(self):
        types = ["authorization_code", "refresh_token", *sorted(self.grant_types), *self.extensions]
        if self.server.device.enabled:
            types.append("urn:ietf:params:oauth:grant-type:device_code")
        if "token" in self.server.authorization.response_types:
            types.append("implicit")
        return {"grant_types_supported": types} if len(types) > 2 else {}

    def needs_no_client(self, request):
        """The assertion says who asks (RFC 7521 section 4.1); a client that is named must be known all the same."""
        form = request.form
        return form.get("grant_type") == JWT_BEARER and not request.headers.get("Authorization") and not (
            {"client_id", "client_secret", "client_assertion"} & set(form))

    def token(self, request):
        """The reply to one of these grants; None: it is not on."""
        grant_type = request.form.get("grant_type")
        if grant_type in self.extensions:
            return self.extension(request, self.extensions[grant_type])
        if grant_type not in self.grant_types:
            return None
        works = {
            "client_credentials": self.client_credentials, "password": self.password, JWT_BEARER: self.jwt_bearer,
            EXCHANGE: self.exchange}
        return works[grant_type](request)

    def give(self, request, subject, with_refresh_token, scope=None):
        resources, audience = self.server.targets.named(request.pairs)
        grant = Grant(
            request.client, scope or request.form.get("scope") or self.default_scope, None, None, None, subject, used=True,
            resources=resources, audience=audience,
            details=self.server.targets.details(request.form.get("authorization_details")))
        self.server.grants.append(grant)
        return self.server.tokens(grant, self.server.expires_in, with_refresh_token, request)

    def client_credentials(self, request):
        if request.client.auth == "none":
            raise Refusal("unauthorized_client", "a public client asked for a token by client credentials")
        return self.give(request, request.client.id, self.client_gets_refresh_token)

    def password(self, request):
        user = request.form.get("username")
        if "password" not in request.form or user is None:
            raise Refusal("invalid_request", "username or password is missing")
        if self.passwords.get(user) != request.form["password"]:
            raise Refusal("invalid_grant", error_description="wrong user name or password")
        self.server.secrets.add(request.form["password"])
        return self.give(request, user, self.server.gives_refresh_token)

    def extension(self, request, names):
        missing = [name for name in names if not request.form.get(name)]
        if missing:
            raise Refusal("invalid_request", f"{', '.join(missing)} is missing")
        return self.give(request, "anonymous", self.server.gives_refresh_token)

    def jwt_bearer(self, request):
        """RFC 7523 section 3; `scope` may be a claim, as service accounts have it."""
        try:
            claims = self.verified(request.form.get("assertion", ""))
        except jose.Wrong as wrong:
            raise Refusal("invalid_grant", f"assertion: {wrong}") from wrong
        self.assertions.append(claims)
        return self.give(request, claims.get("sub") or claims["iss"], False, claims.get("scope"))

    def verified(self, assertion):
        header, claims = jose.parse(assertion)
        known = self.issuers.get(claims.get("iss"))
        if known is None:
            raise jose.Wrong(f"iss is {claims.get('iss')!r}")
        jwk = known.jwk if isinstance(known, jose.Key) else known
        jose.verify(assertion, [jwk], jose.FITTING[jose.kind_of(jwk)])
        if jwk.get("kid") and header.get("kid") != jwk["kid"]:
            raise jose.Wrong(f"kid is {header.get('kid')!r}")
        if not claims.get("sub") and claims["iss"] not in self.need_no_subject:
            raise jose.Wrong("there is no sub")
        accepted = self.assertion_audiences or [self.url("/token"), self.server.issuer]
        aud = claims.get("aud")
        if not aud or not set(aud if isinstance(aud, list) else [aud]) <= set(accepted):
            raise jose.Wrong(f"aud is {aud!r}, not {accepted!r}")
        now = time.time()
        if not isinstance(claims.get("exp"), int) or not now < claims["exp"] <= now + 3605:
            raise jose.Wrong(f"exp is {claims.get('exp')!r}, the time is {now:.0f}")
        if "iat" in claims and not now - 60 <= claims["iat"] <= now + 5:
            raise jose.Wrong(f"iat is {claims['iat']!r}, the time is {now:.0f}")
        if self.demands_jti or "jti" in claims:
            for line in unused(claims.get("jti"), self.server.jtis):
                raise jose.Wrong(line)
        return claims

    def exchange(self, request):
        """RFC 8693 section 2."""
        form = request.form
        for who, is_needed in (("subject", True), ("actor", False)):
            token, kind = form.get(f"{who}_token"), form.get(f"{who}_token_type")
            if (token is None) != (kind is None) or is_needed and token is None:
                raise Refusal("invalid_request", f"{who}_token and {who}_token_type go together")
            if token is None:
                continue
            if kind not in TOKEN_TYPES:
                raise Refusal("invalid_request", f"{who}_token_type is {kind!r}")
            if not self.is_good(token, kind):
                raise Refusal("invalid_grant", error_description=f"the {who}_token is not accepted")
        if form.get("requested_token_type", TOKEN_TYPES[0]) not in TOKEN_TYPES:
            raise Refusal("invalid_request", f"requested_token_type is {form['requested_token_type']!r}")
        reply = self.give(request, self.subject_of(form["subject_token"]), False)
        value = {**reply.json, "issued_token_type": self.issued_token_type, **self.exchange_changes}
        reply.json = {k: v for k, v in value.items() if v is not None}
        return reply

    def is_good(self, token, kind):
        if token in self.subject_tokens:
            return self.subject_tokens[token] == kind
        issued = self.server.issued.get(token)
        return issued is not None and issued.is_alive and kind == TOKEN_TYPES[0] or token in self.server.identity.issued

    def subject_of(self, token):
        issued = self.server.issued.get(token)
        return issued.grant.subject if issued else self.server.subject
