"""Token introspection (RFC 7662)."""

from faults import Reply
from server_parts import Feature, Refusal


class Introspection(Feature):
    """`server.introspection`."""

    routes = {"/introspect": ("introspection", "introspect"), "/mtls/introspect": ("introspection", "introspect")}

    def __init__(self, server):
        super().__init__(server)
        self.changes = {}  # of a reply about a living token; None takes a member out

    def metadata(self):
        return {"introspection_endpoint": self.url("/introspect")} if self.enabled else {}

    def introspect(self, request):
        if not self.enabled:
            raise Refusal("invalid_request", "this server does not introspect", 404)
        token = request.form.get("token")
        if not token:
            raise Refusal("invalid_request", "there is no token")
        if request.form.get("token_type_hint", "access_token") not in ("access_token", "refresh_token"):
            self.server.note("introspection", f"token_type_hint is {request.form['token_type_hint']!r}")
        grant = next((g for g in self.server.grants if token in (g.refresh_token, *g.access_tokens)), None)
        issued = self.server.issued.get(token)
        if grant is None or grant.revoked or issued is not None and issued.has_expired:
            return Reply.of({"active": False})
        value = {
            "active": True, "scope": issued.scope if issued else grant.scope, "client_id": grant.client and grant.client.id,
            "sub": grant.subject, "username": grant.subject, "iss": self.server.issuer}
        if issued:
            value.update({
                "token_type": self.server.dpop.token_type(issued), "iat": int(issued.issued_at), "cnf": issued.confirmation,
                "exp": issued.expires_at and int(issued.expires_at), "aud": [*issued.resources, *issued.audience] or None})
        value.update(self.changes)
        return Reply.of({k: v for k, v in value.items() if v is not None})
