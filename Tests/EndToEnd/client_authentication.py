"""Demands on client authentication: the configured way, and no other (RFC 6749 2.3, RFC 7523, RFC 8705)."""

import ssl
import time

import jose
from server_parts import Client, Feature, thumbprint_of, unused

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
HMAC = ("HS256", "HS384", "HS512")
NAMES = {
    "none": "none", "basic": "client_secret_basic", "basic-raw": "client_secret_basic", "post": "client_secret_post",
    "secret-jwt": "client_secret_jwt", "private-key-jwt": "private_key_jwt", "tls": "tls_client_auth",
}


class ClientAuthentication(Feature):
    def __init__(self, server):
        super().__init__(server)
        self.documents = {}  # client id metadata documents by their URL; any makes the metadata say so
        self.aliases = False  # whether clients with a certificate must use the endpoints under /mtls (RFC 8705 section 5)
        self.longest = 300  # seconds that an assertion may live

    def metadata(self):
        methods = {NAMES[client.auth] for client in self.server.clients.values()}
        found = {
            "token_endpoint_auth_methods_supported": sorted(methods | {"none", "client_secret_basic", "client_secret_post"})}
        if methods & {"client_secret_jwt", "private_key_jwt"}:
            found["token_endpoint_auth_signing_alg_values_supported"] = ["HS256", "RS256", "PS256", "ES256", "EdDSA"]
        if self.documents:
            found["client_id_metadata_document_supported"] = True
        if "tls_client_auth" in methods:
            found["token_endpoint_auth_methods_supported"].append("self_signed_tls_client_auth")
            found["tls_client_certificate_bound_access_tokens"] = True
        if self.aliases:
            found["mtls_endpoint_aliases"] = {
                name: self.url("/mtls" + path) for name, path in (
                    ("token_endpoint", "/token"), ("revocation_endpoint", "/revoke"),
                    ("pushed_authorization_request_endpoint", "/par"), ("device_authorization_endpoint", "/device"))}
        return found

    def client_of(self, request):
        """The client that a request names: in the body, in the Authorization header, or in its assertion."""
        form, header = request.form, request.headers.get("Authorization")
        if "client_id" in form:
            return self.client(form["client_id"])
        if "client_assertion" in form:
            try:
                return self.server.clients.get(jose.parse(form["client_assertion"])[1].get("sub"))
            except jose.Wrong:
                return None
        with_secret = (c for c in self.server.clients.values() if c.secret is not None and c.auth.startswith("basic"))
        return next((client for client in with_secret if client.basic() == header), None)

    def client(self, client_id):
        """A client by its id, which may be the URL of its metadata document."""
        if client_id in self.documents and client_id not in self.server.clients:
            document = self.documents[client_id]
            self.server.add_client(id=client_id, redirect_uris=tuple(document["redirect_uris"]))
        return self.server.clients.get(client_id)

    def faults(self, request, client, step):
        """What is wrong with the authentication of this client at this step."""
        is_silent = client.auth == "none" or not client.authenticates_on(step)
        expected = Client(id=client.id) if is_silent else client
        way = {"basic": self.basic, "basic-raw": self.basic, "secret-jwt": self.assertion, "private-key-jwt": self.assertion}
        yield from way.get(expected.auth, self.plain)(request, expected)
        if expected.auth != "post" and "client_secret" in request.form and not expected.auth.startswith("basic"):
            yield "a public client sent a secret" if expected.auth == "none" else "the secret was sent"
        if not expected.auth.endswith("-jwt") and ("client_assertion" in request.form or "client_assertion_type" in request.form):
            yield "a client assertion was sent"
        is_alias = request.path.removeprefix(self.server.path).startswith("/mtls/")
        if expected.auth == "tls":
            yield from self.certificate(request, client)
            if self.aliases and not is_alias:
                yield "a client with a certificate did not use the mtls endpoint alias"
        elif is_alias:
            yield "an mtls endpoint alias was used without need"
        if client.secret_expires_at and time.time() > client.secret_expires_at and not is_silent:
            yield "the client's secret has expired"

    def basic(self, request, client):
        if "client_secret" in request.form:
            yield "the secret is in the body too"
        if request.form.get("client_id", client.id) != client.id:
            yield "client_id in the body is another"
        if request.headers.get("Authorization") != client.basic():
            yield "the Authorization header is not this client's"

    def plain(self, request, client):
        if request.headers.get("Authorization"):
            yield "an Authorization header was sent"
        if request.form.get("client_id") != client.id:
            yield f"client_id is {request.form.get('client_id')!r}"
        if client.auth == "post" and request.form.get("client_secret") != client.secret:
            yield "client_secret is missing or wrong"

    def certificate(self, request, client):
        if request.certificate is None:
            yield "no client certificate was shown"
        elif client.certificate and thumbprint_of(request.certificate) != thumbprint_of(der_of(client.certificate)):
            yield "the client certificate is another"

    def assertion(self, request, client):
        """RFC 7523 section 3, and OpenID Connect Core section 9."""
        form = request.form
        if request.headers.get("Authorization"):
            yield "an Authorization header was sent"
        if form.get("client_id", client.id) != client.id:
            yield f"client_id is {form.get('client_id')!r}"
        if form.get("client_assertion_type") != ASSERTION_TYPE:
            yield f"client_assertion_type is {form.get('client_assertion_type')!r}"
        if "client_assertion" not in form:
            yield "there is no client_assertion"
            return
        is_secret = client.auth == "secret-jwt"
        keys = [client.secret.encode()] if is_secret else [client.jwk]
        algorithms = [client.algorithm] if client.algorithm else HMAC if is_secret else jose.FITTING[jose.kind_of(client.jwk)]
        try:
            header, claims = jose.verify(form["client_assertion"], keys, algorithms)
        except jose.Wrong as wrong:
            yield f"client_assertion: {wrong}"
            return
        if header.get("typ", "JWT") not in ("JWT", "client-authentication+jwt"):
            yield f"client_assertion: typ is {header['typ']!r}"
        for name in ("iss", "sub"):
            if claims.get(name) != client.id:
                yield f"client_assertion: {name} is {claims.get(name)!r}"
        yield from self.audience(claims.get("aud"), request, client)
        for line in self.times_and_id(claims, self.longest):
            yield "client_assertion: " + line

    def audience(self, aud, request, client):
        here = self.server.base + request.path
        good = {"token": [self.url("/token")], "endpoint": [here], "issuer": [self.server.issuer]}
        accepted = good.get(client.audience) or [one for some in good.values() for one in some]
        if client.audience == "endpoint" and not isinstance(aud, str):
            yield f"client_assertion: aud is {aud!r}, not a string"
        elif not set(aud if isinstance(aud, list) else [aud]) <= set(accepted) or not aud:
            yield f"client_assertion: aud is {aud!r}, not {accepted!r}"

    def times_and_id(self, claims, longest):
        """exp, iat, nbf and jti of a JWT that a client made just now and uses once."""
        now, exp = time.time(), claims.get("exp")
        for name in ("exp", "iat", "nbf"):
            if name in claims and not isinstance(claims[name], int):
                yield f"{name} is {claims[name]!r}, not whole seconds"
                return
        if exp is None:
            yield "there is no exp"
        elif exp <= now:
            yield f"it expired {now - exp:.0f} s ago"
        elif exp > now + longest + 5:
            yield f"exp is {exp - now:.0f} s ahead, {longest} at most"
        for name in ("iat", "nbf"):
            if name in claims and not now - 60 <= claims[name] <= now + 5:
                yield f"{name} is {claims[name] - now:+.0f} s from now"
        yield from unused(claims.get("jti"), self.server.jtis)


def der_of(pem_file):
    with open(pem_file) as file:
        text = file.read()
    end = "-----END CERTIFICATE-----"
    return ssl.PEM_cert_to_DER_cert(text[text.index("-----BEGIN CERT"):text.index(end) + len(end)])
