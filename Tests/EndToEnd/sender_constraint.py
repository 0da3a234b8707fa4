"""DPoP (RFC 9449): every proof is checked completely, and tokens are bound to its key."""

import secrets
import time

import jose
from server_parts import Feature, Refusal, unused

ALGORITHMS = ("ES256", "ES384", "ES512", "RS256", "PS256", "EdDSA")


class SenderConstraint(Feature):
    """`server.dpop`. While it is off, a proof is a violation; while it is required, its absence is one."""

    def __init__(self, server, name="authorization server"):
        super().__init__(server)
        self.name = name
        self.required = False
        self.algorithms = ALGORITHMS
        self.nonce = None  # what proofs have to hold; `rotate` makes one; None: no nonce is asked for
        self.rotates = False  # every answer brings a new nonce, in a header
        self.given = {}  # by the key's thumbprint, the last nonce that it was told
        self.says_bearer = False  # answers token_type Bearer, though a proof came
        self.proofs = []  # the claims of each good one

    def metadata(self):
        return {"dpop_signing_alg_values_supported": list(self.algorithms)} if self.enabled else {}

    def rotate(self):
        """A new nonce; from here on the one before is refused, with the new one."""
        self.nonce = "nonce-" + secrets.token_urlsafe(12)
        return self.nonce

    def check_ids(self, request):
        """A proof is good once, also where the request met a fault and was sent again."""
        for proof in request.headers.get_all("DPoP") or []:
            try:
                jti = jose.parse(proof)[1].get("jti")
            except jose.Wrong:
                continue  # which `accept` says
            request.proof_faults = list(unused(jti, self.server.jtis))
            yield from ("DPoP: " + line for line in request.proof_faults)

    def accept(self, request, access_token=None):
        """The thumbprint of the key that a request's proof is made with, or None where there is no proof."""
        proofs = request.headers.get_all("DPoP") or []
        if not proofs:
            if self.required:
                raise Refusal("invalid_dpop_proof", "there is no DPoP proof")
            return None
        if not self.enabled:
            raise Refusal("invalid_dpop_proof", "a DPoP proof was sent, and this server does not have it")
        if len(proofs) > 1:
            raise Refusal("invalid_dpop_proof", f"there are {len(proofs)} DPoP headers")
        try:
            jwk, claims = self.verify(proofs[0])
        except jose.Wrong as wrong:
            raise Refusal("invalid_dpop_proof", f"DPoP: {wrong}") from wrong
        if request.proof_faults:
            raise Refusal("invalid_dpop_proof")  # the check has said what is wrong
        wrong = list(self.faults(claims, request, access_token))
        if wrong:
            raise Refusal("invalid_dpop_proof", "DPoP: " + ", ".join(wrong))
        jkt = jose.thumbprint(jwk)
        self.check_nonce(claims.get("nonce"), jkt, access_token)
        request.proof_key = jkt
        self.proofs.append(claims)
        return jkt

    def verify(self, proof):
        """RFC 9449 section 4.3, numbers 3 to 7."""
        header, _ = jose.parse(proof)
        if header.get("typ") != "dpop+jwt":
            raise jose.Wrong(f"typ is {header.get('typ')!r}")
        jwk = header.get("jwk")
        if not isinstance(jwk, dict) or jwk.get("kty") not in jose.MEMBERS:
            raise jose.Wrong(f"jwk is {jwk!r}")
        private = [name for name in jose.PRIVATE if name in jwk]
        if private:
            raise jose.Wrong(f"jwk has private members: {private}")
        header, claims = jose.verify(proof, [jwk], self.algorithms)
        return jwk, claims

    def faults(self, claims, request, access_token):
        """RFC 9449 section 4.3, numbers 8 to 12, but for the nonce."""
        if claims.get("htm") != request.method:
            yield f"htm is {claims.get('htm')!r}"
        here = self.server.base + request.path
        if claims.get("htu") != here:
            yield f"htu is {claims.get('htu')!r}, not {here!r}"
        iat = claims.get("iat")
        if not isinstance(iat, int) or not time.time() - 60 <= iat <= time.time() + 5:
            yield f"iat is {iat!r}, the time is {time.time():.0f}"
        if access_token is None and "ath" in claims:
            yield "ath has no place here"
        if access_token is not None and claims.get("ath") != jose.hash_of(access_token):
            yield f"ath is {claims.get('ath')!r}"

    def check_nonce(self, nonce, jkt, access_token):
        known = self.given.get(jkt)
        if known is not None and nonce != known:
            self.server.note("DPoP", f"the {self.name}'s last nonce was not used, but {nonce!r}")
        if self.nonce is None and nonce is not None and known is None:
            self.server.note("DPoP", f"the proof has a nonce that the {self.name} never gave")
        if self.nonce is not None and nonce != self.nonce:
            self.given[jkt] = self.nonce
            headers = {"DPoP-Nonce": self.nonce}
            if access_token is not None:
                headers["WWW-Authenticate"] = 'DPoP error="use_dpop_nonce", error_description="a nonce is needed"'
            raise Refusal("use_dpop_nonce", status=400 if access_token is None else 401, headers=headers)

    def with_nonce(self, reply, request):
        """A reply to a request with a good proof, with the next nonce where they rotate."""
        if self.rotates and getattr(request, "proof_key", None):
            self.given[request.proof_key] = reply.headers["DPoP-Nonce"] = self.rotate()
        return reply

    def check_bound(self, grant, request, what):
        """Refuses a code or a refresh token that another key owns."""
        jkt = getattr(request, "jkt", None)
        if grant.jkt and jkt != grant.jkt:
            raise Refusal("invalid_grant", f"{what} is bound to another DPoP key")

    def token_type(self, issued):
        return "DPoP" if issued.jkt and not self.says_bearer else "Bearer"

    def access(self, request, issued_by):
        """Checks a request to a protected resource (section 7.1); gives the token's `Issued`, or refuses with 401."""
        header = request.headers.get("Authorization", "")
        scheme, _, token = header.partition(" ")
        issued = issued_by.issued.get(token)
        if issued is None or not issued.is_alive or token not in issued.grant.access_tokens:
            self.refuse("invalid_token", "Bearer", None if token else "no token")
        if issued.jkt:
            if scheme.lower() != "dpop":
                self.refuse("invalid_token", "DPoP", f"a DPoP token was sent as {scheme}")
            if self.accept(request, token) != issued.jkt:
                self.refuse("invalid_dpop_proof", "DPoP", "the proof is not made with the key that the token is bound to")
        elif scheme.lower() != "bearer" or request.headers.get("DPoP"):
            self.refuse("invalid_token", "Bearer", f"a bearer token was sent as {scheme}, or with a proof")
        return issued

    def refuse(self, error, scheme, fault):
        raise Refusal(error, fault, 401, {"WWW-Authenticate": f'{scheme} error="{error}"'})

