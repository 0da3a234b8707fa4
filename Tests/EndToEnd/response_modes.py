"""How the answer of the authorization endpoint goes back: query, fragment, a posted form (Form Post Response Mode), signed (JARM)."""

import html
import time
import urllib.parse

import jose
from faults import Reply
from server_parts import Feature

PAGE = """<!doctype html><title>back to the application</title><link rel="icon" href="data:,"><body onload="document.forms[0].submit()">
<form method="post" action="{action}">{fields}</form>"""


class ResponseModes(Feature):
    """`server.modes`; a mode that is asked for without being in `supported` is a violation."""

    def __init__(self, server):
        super().__init__(server)
        self.supported = []  # what the metadata lists, and a request may ask for; nothing: no word of it in the metadata
        self.claims = {}  # changes of a signed answer's claims; None takes one out. `server.identity.flaw` spoils the signature
        self.answers_plainly = False  # although a signed answer was asked for
        self.encrypts = False  # gives something of five parts

    def metadata(self):
        if not self.supported:
            return {}
        signs = {"authorization_signing_alg_values_supported": [self.server.identity.algorithm]}
        return {"response_modes_supported": self.supported, **(signs if any("jwt" in one for one in self.supported) else {})}

    def check(self, query):
        mode = query.get("response_mode")
        if mode is not None and mode not in self.supported:
            yield f"response_mode is {mode!r}"

    def answer(self, query, reply, place):
        """The browser's way back; `place` is the mark before the answer where no mode was asked for."""
        mode = query.get("response_mode") or {"?": "query", "#": "fragment"}[place]
        uri = query["redirect_uri"]
        if "jwt" in mode:
            if not self.answers_plainly:
                reply = {"response": self.signed(query, reply)}
            mode = {"jwt": {"?": "query", "#": "fragment"}[place]}.get(mode, mode.removesuffix(".jwt"))
        if mode == "form_post":
            return self.form(uri, reply)
        mark = "#" if mode == "fragment" else "?"
        return Reply(302, b"", {"Location": uri + mark + urllib.parse.urlencode(reply)})

    def form(self, uri, reply):
        fields = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(str(value))}">' for name, value in reply.items())
        page = PAGE.format(action=html.escape(uri), fields=fields)
        return Reply(200, page.encode(), {"Content-Type": "text/html", "Cache-Control": "no-store"})

    def signed(self, query, reply):
        now = int(time.time())
        values = {"iss": self.server.issuer, "aud": query["client_id"], "exp": now + 600, **reply, **self.claims}
        if self.encrypts:
            return ".".join([jose.segment({"alg": "RSA-OAEP", "enc": "A256GCM"}), "a", "b", "c", "d"])
        return self.server.identity.signed({k: v for k, v in values.items() if v is not None})
