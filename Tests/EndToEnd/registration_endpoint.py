"""Dynamic client registration (RFC 7591) and the management of what was registered (RFC 7592)."""

import json
import secrets
import time
import urllib.parse

import jose
from client_authentication import NAMES
from faults import Reply
from server_parts import Client, Feature, Refusal

AUTH = {name: auth for auth, name in NAMES.items() if auth != "basic-raw"}
NOT_TO_UPDATE = ("registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at")


class Registration(Feature):
    """`server.registration`."""

    routes = {"/register": ("registration", "register"), "/register/": ("management", "manage")}

    def __init__(self, server):
        super().__init__(server)
        self.initial_token = None  # that the request must bear (RFC 7591 section 3)
        self.statement_keys = []  # JWKs that a software statement may be signed with; while empty, none may be sent
        self.demands_statement = False
        self.auth_method = None  # what is registered, whatever was asked for
        self.secret_expires_in = 0  # seconds; 0: never
        self.manages = True
        self.rotates_token = False  # an update gives a new registration_access_token
        self.rotates_secret = False  # an update gives a new client_secret, and the old one is no more
        self.status = 201
        self.reply_changes = {}  # None takes a member out
        self.registered = {}  # by client_id: its metadata, as it is replied
        self.deleted = []

    def metadata(self):
        return {"registration_endpoint": self.url("/register")} if self.enabled else {}

    def register(self, request):
        if not self.enabled:
            raise Refusal("invalid_request", "this server does not register clients", 404)
        if request.method != "POST":
            raise Refusal("invalid_request", f"the method is {request.method}", 405)
        bearer = request.headers.get("Authorization")
        if bearer != (f"Bearer {self.initial_token}" if self.initial_token else None):
            raise Refusal("invalid_token", "the initial access token is missing, wrong or without need" if bearer or
                          self.initial_token is None else None, 401)
        asked = self.body(request)
        asked = {**asked, **self.statement(asked)}
        for line in self.faults(asked):
            raise Refusal("invalid_redirect_uri" if "redirect_uri" in line else "invalid_client_metadata", line)
        value = {
            **{k: v for k, v in asked.items() if k != "software_statement"}, "client_id": "reg-" + secrets.token_urlsafe(12),
            "client_id_issued_at": int(time.time())}
        self.keep(value)
        return self.reply(value, self.status)

    def body(self, request):
        if request.headers.get("Content-Type", "").split(";")[0].strip() != "application/json":
            raise Refusal("invalid_client_metadata", f"Content-Type is {request.headers.get('Content-Type')!r}")
        try:
            value = json.loads(request.body)
        except ValueError as error:
            raise Refusal("invalid_client_metadata", f"it is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise Refusal("invalid_client_metadata", "it is no object")
        return value

    def statement(self, asked):
        """The claims of the software statement, which go before what is beside them (section 2.3)."""
        if "software_statement" not in asked:
            if self.demands_statement:
                raise Refusal("invalid_software_statement", "there is no software_statement")
            return {}
        if not self.statement_keys:
            raise Refusal("invalid_software_statement", "a software_statement was sent, and this server takes none")
        try:
            _, claims = jose.verify(asked["software_statement"], self.statement_keys)
        except jose.Wrong as wrong:
            raise Refusal("unapproved_software_statement", f"software_statement: {wrong}") from wrong
        return {k: v for k, v in claims.items() if k not in ("iss", "iat", "exp", "aud", "jti", "sub")}

    def faults(self, asked):
        """What is wrong with the metadata of a client (RFC 7591 section 2, RFC 8252)."""
        uris = asked.get("redirect_uris")
        grants = asked.get("grant_types", ["authorization_code"])
        if "authorization_code" in grants:
            if not isinstance(uris, list) or not uris:
                yield f"redirect_uris is {uris!r}"
            for uri in uris if isinstance(uris, list) else []:
                parts = urllib.parse.urlsplit(uri)
                if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1") or parts.fragment:
                    yield f"a redirect_uri is {uri!r}"
            if "code" not in asked.get("response_types", ["code"]):
                yield "response_types does not fit grant_types"
        if not asked.get("client_name"):
            yield "there is no client_name"
        if asked.get("application_type", "native") != "native":
            yield f"application_type is {asked['application_type']!r}"
        if AUTH.get(asked.get("token_endpoint_auth_method", "client_secret_basic")) is None:
            yield f"token_endpoint_auth_method is {asked['token_endpoint_auth_method']!r}"
        if asked.get("token_endpoint_auth_method") == "private_key_jwt" and not asked.get("jwks", {}).get("keys"):
            yield "private_key_jwt without jwks"
        if any(name in jwk for jwk in asked.get("jwks", {}).get("keys", []) for name in jose.PRIVATE):
            yield "jwks holds a private key"
        if "scope" in asked and not isinstance(asked["scope"], str):
            yield f"scope is {asked['scope']!r}"

    def keep(self, value):
        """Makes, or changes, the client; completes its metadata."""
        method = self.auth_method or value.get("token_endpoint_auth_method", "client_secret_basic")
        value["token_endpoint_auth_method"] = method
        client = self.server.clients.setdefault(value["client_id"], Client(id=value["client_id"]))
        client.auth, client.redirect_uris = AUTH[method], tuple(value.get("redirect_uris", ()))
        client.grant_types = tuple(value.get("grant_types", ["authorization_code"]))
        if method.startswith("client_secret") and ("client_secret" not in value or self.rotates_secret):
            value["client_secret"] = client.secret = "cs-" + secrets.token_urlsafe(24)
            ends = int(time.time()) + self.secret_expires_in if self.secret_expires_in else 0
            value["client_secret_expires_at"] = client.secret_expires_at = ends
        if keys := value.get("jwks", {}).get("keys"):
            client.key = keys[0]
        if self.manages and ("registration_access_token" not in value or self.rotates_token):
            value["registration_access_token"] = "rat-" + secrets.token_urlsafe(24)
            value["registration_client_uri"] = self.url("/register/" + value["client_id"])
        self.server.secrets.update(value[k] for k in ("client_secret", "registration_access_token") if k in value)
        self.registered[value["client_id"]] = value

    def reply(self, value, status=200):
        shown = {k: v for k, v in {**value, **self.reply_changes}.items() if v is not None}
        return Reply.of(shown, status, Cache_Control="no-store")

    def manage(self, request):
        """RFC 7592 section 2: read, update, delete."""
        value = self.registered.get(request.path.rpartition("/")[2])
        if value is None or not self.manages:
            raise Refusal("invalid_token", status=401)
        if request.headers.get("Authorization") != "Bearer " + value["registration_access_token"]:
            raise Refusal("invalid_token", "the registration access token is missing or wrong", 401)
        if request.method == "DELETE":
            del self.registered[value["client_id"]], self.server.clients[value["client_id"]]
            self.deleted.append(value["client_id"])
            return Reply(204)
        if request.method == "PUT":
            return self.update(value, self.body(request))
        if request.method != "GET":
            raise Refusal("invalid_request", f"the method is {request.method}", 405)
        return self.reply(value)

    def update(self, value, asked):
        wrong = list(self.faults(asked)) + [f"{name} has no place in an update" for name in NOT_TO_UPDATE if name in asked]
        for name in ("client_id", "client_secret"):
            if asked.get(name, value.get(name) if name == "client_secret" else None) != value.get(name):
                wrong.append(f"{name} is missing or another")
        if wrong:
            raise Refusal("invalid_client_metadata", "; ".join(wrong))
        kept = {name: value[name] for name in (*NOT_TO_UPDATE, "client_secret") if name in value}
        self.keep({**kept, **asked})
        return self.reply(self.registered[value["client_id"]])
