"""A protected resource (RFC 9728), as an MCP server is: it says whose tokens it takes, and lets no others in."""

import threading

import request_checks as checks
from faults import Reply
from http_endpoint import HTTPEndpoint
from sender_constraint import SenderConstraint
from server_parts import Refusal

WELL_KNOWN = "/.well-known/oauth-protected-resource"


class ResourceServer(HTTPEndpoint):
    """Requests are named `resource`, `resource_metadata`, and `nothing`; those that got in are in `admitted`."""

    def __init__(self, *authorization_servers, path="/mcp", tls=None):
        self.authorization_servers = list(authorization_servers)
        self.scopes = ["read"]
        self.challenges = True  # the 401 names its metadata; else the client has to look at the well-known place
        self.challenge_changes = {}  # of the WWW-Authenticate's parameters; None takes one out
        self.scheme = "Bearer"
        self.metadata_changes = {}  # None takes a member out
        self.demands_audience = True  # the token must have been asked for with this `resource`
        self.admitted = []
        self.jtis, self.secrets = set(), set()
        self.lock = threading.RLock()
        super().__init__(tls)
        self.path, self.resource = path, self.base + path
        self.metadata_url = self.base + WELL_KNOWN + path
        self.dpop = SenderConstraint(self, "resource")
        for server in authorization_servers:
            server.targets.resources.append(self.resource)

    def respond(self, request):
        works = {self.path: ("resource", self.answer), WELL_KNOWN + self.path: ("resource_metadata", self.metadata)}
        name, work = works.get(request.path, ("nothing", lambda _: Reply(404)))
        if request.path == WELL_KNOWN and self.path == "/":
            name, work = "resource_metadata", self.metadata
        return name, lambda: self.answered(name, work, request)

    def answered(self, name, work, request):
        try:
            reply = work(request)
        except Refusal as refusal:
            if refusal.fault:
                self.note(name, refusal.fault)
            reply = refusal.reply
            if name == "resource" and "DPoP-Nonce" not in reply.headers:
                reply.headers["WWW-Authenticate"] = self.challenge(refusal.args[0])
        return self.dpop.with_nonce(reply, request)

    def check(self, name, request):
        yield from self.dpop.check_ids(request)
        if name == "resource_metadata":
            yield from checks.check_any(request)
            if request.headers.get("Authorization"):
                yield "a token was sent for the metadata"
        if "access_token" in request.query:
            yield "a token is in the address"

    def challenge(self, error=None):
        parameters = {"error": error, "resource_metadata": self.metadata_url if self.challenges else None,
                      "scope": " ".join(self.scopes) or None, **self.challenge_changes}
        return self.scheme + " " + ", ".join(f'{k}="{v}"' for k, v in parameters.items() if v is not None)

    def answer(self, request):
        if not request.headers.get("Authorization"):
            return Reply.of({"error": "unauthorized"}, 401, WWW_Authenticate=self.challenge())
        token = request.headers["Authorization"].partition(" ")[2]
        server = next((one for one in self.authorization_servers if token in one.issued), None)
        if server is None:
            raise Refusal("invalid_token", "the token is none of my authorization servers'", 401)
        issued = self.dpop.access(request, server)
        if issued.has_expired:
            raise Refusal("invalid_token", status=401)
        if self.dpop.required and not issued.jkt:
            raise Refusal("invalid_token", "the token is not bound to a DPoP key", 401)
        if self.demands_audience and self.resource not in (*issued.resources, *issued.audience):
            raise Refusal("invalid_token", f"the token is for {issued.resources or 'anybody'}, not for {self.resource}", 401)
        if not set(self.scopes) <= set(issued.scope.split()):
            raise Refusal("insufficient_scope", status=403)
        self.admitted.append(issued)
        return Reply.of({"user": issued.grant.subject, "scope": issued.scope})

    def metadata(self, request):
        value = {
            "resource": self.resource, "authorization_servers": [one.issuer for one in self.authorization_servers],
            "scopes_supported": self.scopes, "bearer_methods_supported": ["header"], "resource_name": "a test's resource"}
        if self.dpop.required:
            value["dpop_bound_access_tokens_required"] = True
        value.update(self.metadata_changes)
        return Reply.of({k: v for k, v in value.items() if v is not None})
