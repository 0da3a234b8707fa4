"""What the asserting server is made of: clients, grants, tokens, and the base of its features."""

import base64
import dataclasses
import hashlib
import time
import urllib.parse

import jose
from faults import Reply


@dataclasses.dataclass(eq=False)
class Client:
    """A client, and how it has to authenticate: whatever else it sends is a violation."""

    id: str = "cli"
    secret: str | None = None
    charset: str = "utf-8"  # of what is in HTTP Basic
    auth: str = "none"  # none, basic, basic-raw, post, secret-jwt, private-key-jwt, tls
    pkce: bool = True
    may_revoke: bool = True
    secret_on: tuple = ("code", "refresh", "device")  # the steps that authenticate; all others always do
    key: object = None  # a jose.Key or a public JWK: of private-key-jwt and of signed request objects
    algorithm: str | None = None  # the only one for its assertions; None: any that fits
    audience: str = "any"  # of its assertions: token (the token endpoint), endpoint (the one asked), issuer, or any of these
    certificate: str | None = None  # PEM file: the one it must show in TLS (RFC 8705)
    redirect_uris: tuple | None = None  # None: any on loopback; a port in one of these does not matter
    grant_types: tuple | None = None  # None: any
    secret_expires_at: int = 0

    def basic(self):
        """The Authorization header this client has to send."""
        pair = [self.id, self.secret]
        if self.auth != "basic-raw":
            pair = [urllib.parse.quote_plus(text, encoding=self.charset) for text in pair]
        return "Basic " + base64.b64encode(":".join(pair).encode(self.charset)).decode()

    @property
    def jwk(self):
        return self.key.jwk if isinstance(self.key, jose.Key) else self.key

    def authenticates_on(self, step):
        return step not in ("code", "refresh", "device") or step in self.secret_on


@dataclasses.dataclass(eq=False)
class Grant:
    """What a person granted: a code first, then a family of tokens."""

    client: Client | None
    scope: str
    nonce: str | None
    redirect_uri: str | None
    challenge: str | None
    subject: str
    used: bool = False  # the code
    revoked: bool = False
    refresh_token: str | None = None  # the living one
    previous: str | None = None  # works in a reuse window
    spent: set = dataclasses.field(default_factory=set)
    access_tokens: list = dataclasses.field(default_factory=list)
    resources: tuple = ()
    audience: tuple = ()
    details: list | None = None  # authorization_details
    jkt: str | None = None  # the key that the code, and a public client's refresh token, are bound to
    auth_time: int | None = None


@dataclasses.dataclass
class Issued:
    """What an access token is good for."""

    grant: Grant
    scope: str
    resources: tuple = ()
    audience: tuple = ()
    jkt: str | None = None
    certificate: str | None = None  # x5t#S256
    details: list | None = None
    issued_at: float = 0
    expires_at: float | None = None

    @property
    def is_alive(self):
        """Its time apart: a test that says `expires_in = 0` wants the client alone to think so."""
        return not self.grant.revoked

    @property
    def has_expired(self):
        return self.expires_at is not None and time.time() >= self.expires_at

    @property
    def confirmation(self):
        """The `cnf` claim (RFC 7800), or None."""
        return {"jkt": self.jkt} if self.jkt else {"x5t#S256": self.certificate} if self.certificate else None


class Refusal(Exception):
    """Ends the work on a request with a reply; `fault` is the violation, where the client is to blame."""

    def __init__(self, error, fault=None, status=400, headers=None, **more):
        super().__init__(error)
        self.fault = fault
        self.reply = Reply.of({"error": error, **({"error_description": fault} if fault else {}), **more}, status)
        self.reply.headers.update(headers or {})


class Feature:
    """A part of the server that is off until a test turns it on; `server.NAME.enabled = True`."""

    routes = {}  # path: (the request's name, the name of the method that answers)
    enabled = False

    def __init__(self, server):
        self.server = server

    def metadata(self):
        """Its members of the server's metadata, while it is on."""
        return {}

    def url(self, path):
        return self.server.endpoint(path)


def thumbprint_of(certificate):
    """x5t#S256 of a DER certificate (RFC 8705 section 3.1)."""
    return jose.base64url(hashlib.sha256(certificate).digest())


def unused(jti, seen):
    """What is wrong with the id of a JWT that is good once."""
    if not isinstance(jti, str) or len(jti) < 16:
        yield f"jti is {jti!r}: missing or too short to be unique"
    elif jti in seen:
        yield "jti was used before"
    seen.add(jti)
