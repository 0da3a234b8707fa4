"""The endpoints that a browser visits: authorization (code and implicit), and the end of a session."""

import secrets
import time
import urllib.parse

import request_checks as checks
from faults import Reply
from server_parts import Feature, Grant, Refusal


class AuthorizationEndpoint(Feature):
    """`server.authorization`."""

    routes = {"/authorize": ("authorization", "authorize"), "/end": ("end_session", "end_session")}

    def __init__(self, server):
        super().__init__(server)
        self.response_types = ["code"]  # also: token, id_token token, code id_token
        self.answers_in_query = False  # the implicit grant's answer, instead of in the fragment
        self.ended = []  # the parameters of each good request to end a session
        self.has_end_session = False

    def metadata(self):
        found = {"response_types_supported": self.response_types}
        if self.has_end_session:
            found["end_session_endpoint"] = self.url("/end")
        return found

    def check(self, request):
        if request.method != "GET":
            yield f"the method is {request.method}"
        for name in checks.duplicates(checks.pairs(request.raw_query)):
            yield f"the parameter {name} is there twice"
        client = self.server.authentication.client(request.query.get("client_id"))
        try:
            request.effective = self.server.par.effective(request, client)
        except Refusal as refusal:
            request.effective = None
            yield refusal.fault
            return
        yield from self.check_parameters(request.effective, client)

    def check_parameters(self, items, client):
        yield from checks.check_authorization(dict(items), client, self.server.seen, self.response_types)
        yield from self.server.modes.check(dict(items))

    def authorize(self, request):
        if request.effective is None:
            return Reply(400, b"<!doctype html><title>refused</title>", {"Content-Type": "text/html"})
        query = dict(request.effective)
        client = self.server.clients.get(query.get("client_id"))
        if client is None:
            return Reply(403)
        try:
            grant = self.grant(request.effective, client)
        except Refusal as refusal:
            if refusal.fault:
                self.server.note("authorization", refusal.fault)
            return self.redirect(query, {"error": refusal.args[0], "state": query["state"]}, self.place(query))
        if "code" in query.get("response_type", "code").split():
            reply = {"code": self.code(grant), "state": query["state"]}
            if "id_token" in query.get("response_type", "").split():
                reply["id_token"] = self.server.identity.id_token(grant, code=reply["code"])
            return self.redirect(query, reply, self.place(query))
        return self.implicit(query, grant)

    def grant(self, items, client):
        query, server = dict(items), self.server
        resources, audience = server.targets.named(items)
        return Grant(
            client, query.get("scope", ""), query.get("nonce"), query["redirect_uri"], query.get("code_challenge"),
            server.subject, resources=resources, audience=audience,
            details=server.targets.details(query.get("authorization_details")), jkt=query.get("dpop_jkt"),
            auth_time=int(time.time()) if "max_age" in query else None)

    def code(self, grant):
        code = secrets.token_urlsafe(self.server.code_size)
        with self.server.lock:
            self.server.codes[code] = grant
        return code

    def implicit(self, query, grant):
        """RFC 6749 section 4.2.2: an access token, never a refresh token."""
        with self.server.lock:
            self.server.grants.append(grant)
            tokens = self.server.tokens(grant, self.server.expires_in, with_refresh_token=False).json
        if "id_token" not in query["response_type"].split():
            tokens.pop("id_token", None)
        return self.redirect(query, {**tokens, "state": query["state"]}, self.place(query))

    def place(self, query):
        """What stands before the answer where no mode is asked for."""
        return "?" if query.get("response_type", "code") == "code" or self.answers_in_query else "#"

    def redirect(self, query, reply, mark="?"):
        if self.server.sends_iss:
            reply["iss"] = self.server.issuer
        reply = self.server.callback(query, reply)
        if reply is None:
            return Reply(200, b"<!doctype html><title>no</title>", {"Content-Type": "text/html"})
        return self.server.modes.answer(query, reply, mark)

    def end_session(self, request):
        """OpenID Connect RP-Initiated Logout 1.0, section 2."""
        query, note = request.query, lambda line: self.server.note("end_session", line)
        if query.get("id_token_hint") not in self.server.identity.issued and "client_id" not in query:
            note("id_token_hint is none of ours, and there is no client_id")
        uri = query.get("post_logout_redirect_uri")
        if uri and not checks.BASE64URL_256.match(query.get("state", "")):
            note("state has less than 256 bits")
        self.ended.append(query)
        if uri is None:
            return Reply(200, b"<!doctype html><title>bye</title>", {"Content-Type": "text/html"})
        return Reply(302, b"", {"Location": uri + "?" + urllib.parse.urlencode({"state": query.get("state", "")})})
