"""The server's metadata: RFC 8414 and OpenID Connect Discovery, which say what is on at the moment."""

import time

from faults import Reply
from server_parts import Feature

WELL_KNOWN = ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server")


class ServerMetadata(Feature):
    """`server.metadata`. `server.metadata_changes` changes members; None takes one out."""

    def __init__(self, server):
        super().__init__(server)
        self.is_signed = False  # signed_metadata (RFC 8414 section 2.1)
        self.signed_changes = {}  # of the claims in it; None takes one out

    def is_for(self, path):
        return path in (self.server.path + WELL_KNOWN[0], WELL_KNOWN[1] + self.server.path)

    def answer(self, request):
        server = self.server
        suffix = server.path + server.discovery_path
        where = server.discovery_path + server.path if "oauth" in server.discovery_path else suffix
        if request.path != where:
            return Reply(404)
        value = self.value()
        if self.is_signed:
            claims = {**value, "iss": server.issuer, "iat": int(time.time()), **self.signed_changes}
            value["signed_metadata"] = server.identity.signed({k: v for k, v in claims.items() if v is not None})
        return Reply.of(value)

    def value(self):
        """All members, without the signed form."""
        server = self.server
        value = {
            "issuer": server.issuer, "authorization_endpoint": server.endpoint("/authorize"),
            "token_endpoint": server.endpoint("/token"), "revocation_endpoint": server.endpoint("/revoke"),
            "code_challenge_methods_supported": ["S256"], "scopes_supported": ["openid", "email", "offline_access"],
        }
        if server.sends_iss:
            value["authorization_response_iss_parameter_supported"] = True
        for feature in server.features:
            if feature is not self:
                value.update(feature.metadata())
        value.update(server.metadata_changes)
        return {k: v for k, v in value.items() if v is not None}
