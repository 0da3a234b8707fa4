"""What a token is asked for: scope, resource (RFC 8707), audience, authorization_details (RFC 9396)."""

import json

from server_parts import Feature, Refusal


class Targets(Feature):
    def __init__(self, server):
        super().__init__(server)
        self.narrows = False  # whether a refresh may ask for less: another access token, one refresh token
        self.resources = []  # what `resource` may name; while empty, none may be sent
        self.demands_resource = False  # with the code and at the refresh too, where one was granted (RFC 8707 section 2.2)
        self.audiences = []  # what `audience` may name; while empty, none may be sent
        self.details_types = []  # of authorization_details; while empty, none may be sent
        self.grants_details = lambda details: details  # what becomes of them in the reply; None: there are none

    def metadata(self):
        return {"authorization_details_types_supported": self.details_types} if self.details_types else {}

    def wanted(self, request, grant):
        """What a request asks its token to be good for, within what was granted."""
        wanted = {"scope": grant.scope, "resources": grant.resources, "audience": grant.audience}
        if request is None:
            return wanted
        if scope := request.form.get("scope"):
            more = set(scope.split()) - set(grant.scope.split())
            if more:
                raise Refusal("invalid_scope", error_description=f"not granted: {' '.join(sorted(more))}")
            wanted["scope"] = scope
        resources, audience = self.named(request.pairs)
        if grant.resources and not set(resources) <= set(grant.resources):
            raise Refusal("invalid_target", error_description="not granted")
        if self.demands_resource and grant.resources and not resources:
            raise Refusal("invalid_target", "resource is missing (RFC 8707 section 2.2)")
        wanted.update({k: v for k, v in (("resources", resources), ("audience", audience)) if v})
        return wanted

    def named(self, items):
        """The resource and audience parameters among these pairs, as two tuples; refused where not known here."""
        found = []
        for name, known in (("resource", self.resources), ("audience", self.audiences)):
            values = tuple(value for key, value in items if key == name)
            if values and not known:
                raise Refusal("invalid_target", f"{name} was sent, and this server does not have it")
            if name == "resource" and any("#" in value or ":" not in value for value in values):
                raise Refusal("invalid_target", "resource is no absolute URI, or has a fragment (RFC 8707 section 2)")
            if not set(values) <= set(known):
                raise Refusal("invalid_target", error_description=f"{name} is not known")
            found.append(values)
        return found

    def details(self, text):
        """The authorization_details of a request, as they are granted."""
        if text is None:
            return None
        try:
            value = json.loads(text)
        except ValueError as error:
            raise Refusal("invalid_authorization_details", f"authorization_details is no JSON: {error}") from error
        if not isinstance(value, list) or not all(isinstance(one, dict) and "type" in one for one in value) or not value:
            raise Refusal("invalid_authorization_details", "authorization_details is no list of objects with a type")
        if not {one["type"] for one in value} <= set(self.details_types):
            fault = None if self.details_types else "authorization_details was sent, and this server does not have it"
            raise Refusal("invalid_authorization_details", fault)
        return self.grants_details(value)
