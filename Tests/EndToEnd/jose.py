"""Keys and signatures (RFC 7515, 7517, 7518, 7638) by another implementation than the program's: pyca and PyJWT."""

import base64
import dataclasses
import functools
import hashlib
import json

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding, NoEncryption, PrivateFormat, PublicFormat, load_pem_public_key)

ALGORITHMS = jwt.algorithms.get_default_algorithms()
# what a public key can be used for; an octet string is good for HS256, HS384 and HS512
FITTING = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "P-256": ("ES256",), "P-384": ("ES384",),
    "P-521": ("ES512",), "Ed25519": ("EdDSA",),
}
CURVES = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1}
MEMBERS = {"RSA": ("e", "kty", "n"), "EC": ("crv", "kty", "x", "y"), "OKP": ("crv", "kty", "x")}  # RFC 7638 section 3.2
PRIVATE = ("d", "p", "q", "dp", "dq", "qi", "oth", "k")


class Wrong(Exception):
    """What is wrong with a token or a key."""


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    if "=" in text or any(mark in text for mark in "+/"):
        raise Wrong("it is not base64url without padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclasses.dataclass(frozen=True)
class Key:
    """A private key made for this run; `kind` is RSA, P-256, P-384, P-521 or Ed25519."""

    kind: str
    private: object
    id: str | None = None

    @property
    def algorithm(self):
        """The usual one for this kind of key."""
        return FITTING[self.kind][0]

    @functools.cached_property
    def jwk(self):
        """The public members, with the key id where there is one."""
        return {**public_members(self.private.public_key()), **({"kid": self.id} if self.id else {})}

    @functools.cached_property
    def private_jwk(self):
        if self.kind == "RSA":
            numbers = self.private.private_numbers()
            parts = {
                "d": numbers.d, "p": numbers.p, "q": numbers.q, "dp": numbers.dmp1, "dq": numbers.dmq1, "qi": numbers.iqmp}
            return {**self.jwk, **{name: integer(value) for name, value in parts.items()}}
        if self.kind == "Ed25519":
            raw = self.private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
            return {**self.jwk, "d": base64url(raw)}
        return {**self.jwk, "d": integer(self.private.private_numbers().private_value, (self.private.key_size + 7) // 8)}

    @property
    def thumbprint(self):
        return thumbprint(self.jwk)

    def pem(self, format="PKCS8"):
        """The private key: PKCS8, or TraditionalOpenSSL (PKCS#1 of RSA, SEC1 of an elliptic curve)."""
        return self.private.private_bytes(Encoding.PEM, getattr(PrivateFormat, format), NoEncryption()).decode()

    def public_pem(self):
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@functools.cache
def private_key(kind, number):
    if kind == "RSA":
        return rsa.generate_private_key(65537, 2048)
    return ed25519.Ed25519PrivateKey.generate() if kind == "Ed25519" else ec.generate_private_key(CURVES[kind]())


def key(kind="RSA", number=0, id=None):
    """The key of that kind and number: made once, for RSA takes its time. The id is a name for it, and no more."""
    return Key(kind, private_key(kind, number), id)


def key_for(algorithm, number=0, id=None):
    return key(next(kind for kind, fitting in FITTING.items() if algorithm in fitting), number, id)


def integer(value, size=None):
    return base64url(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


def public_members(public):
    if isinstance(public, rsa.RSAPublicKey):
        numbers = public.public_numbers()
        return {"kty": "RSA", "n": integer(numbers.n), "e": integer(numbers.e)}
    if isinstance(public, ed25519.Ed25519PublicKey):
        return {"kty": "OKP", "crv": "Ed25519", "x": base64url(public.public_bytes(Encoding.Raw, PublicFormat.Raw))}
    name = next(name for name, curve in CURVES.items() if isinstance(public.curve, curve))
    numbers, size = public.public_numbers(), (public.key_size + 7) // 8
    return {"kty": "EC", "crv": name, "x": integer(numbers.x, size), "y": integer(numbers.y, size)}


def jwk_of_pem(text):
    return public_members(load_pem_public_key(text.encode()))


def thumbprint(jwk):
    """RFC 7638, SHA-256 in base64url: what `jkt` is."""
    members = {name: jwk[name] for name in MEMBERS[jwk["kty"]]}
    return base64url(hashlib.sha256(json.dumps(members, sort_keys=True, separators=(",", ":")).encode()).digest())


def hash_of(token):
    """SHA-256 in base64url: `ath` of a DPoP proof."""
    return base64url(hashlib.sha256(token.encode()).digest())


def left_half(value, algorithm):
    """The claim at_hash or c_hash of that value (OpenID Connect Core section 3.1.3.6)."""
    digest = getattr(hashlib, "sha" + (algorithm[2:] if algorithm != "EdDSA" else "512"))(value.encode()).digest()
    return base64url(digest[: len(digest) // 2])


def segment(value):
    return base64url(json.dumps(value).encode())


def sign(claims, key, algorithm=None, **header):
    """A compact JWS. key: a Key, or bytes for HMAC. A header member that is None is left out."""
    algorithm = algorithm or key.algorithm
    known = {"alg": algorithm, "typ": "JWT", "kid": getattr(key, "id", None), **header}
    message = segment({k: v for k, v in known.items() if v is not None}) + "." + segment(claims)
    signing = ALGORITHMS[algorithm]
    raw = signing.sign(message.encode(), key if isinstance(key, bytes) else key.private)
    return message + "." + base64url(raw)


def unsigned(claims):
    """A JWS of `alg` none (RFC 7515 appendix A.5)."""
    return segment({"alg": "none"}) + "." + segment(claims) + "."


def spoilt(token):
    """The same token with one bit of its signature changed."""
    head, _, signature = token.rpartition(".")
    raw = bytearray(from_base64url(signature))
    raw[len(raw) // 2] ^= 1
    return head + "." + base64url(bytes(raw))


def parse(token):
    """The header and the claims of a compact JWS, unverified."""
    parts = token.split(".")
    if len(parts) != 3:
        raise Wrong(f"it has {len(parts)} parts, not three")
    try:
        header, claims = (json.loads(from_base64url(part)) for part in parts[:2])
    except ValueError as error:
        raise Wrong(f"it cannot be read: {error}") from error
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise Wrong("header or claims are no objects")
    return header, claims


def kind_of(jwk):
    return {"RSA": "RSA", "OKP": jwk.get("crv"), "EC": jwk.get("crv")}.get(jwk.get("kty"))


def verify(token, keys, algorithms=None):
    """Header and claims of a compact JWS that one of the keys (JWKs, or bytes for HMAC) signed; else Wrong."""
    header, claims = parse(token)
    message, _, signature = token.rpartition(".")
    algorithm = header.get("alg")
    if algorithms is not None and algorithm not in algorithms:
        raise Wrong(f"alg is {algorithm!r}, not one of {sorted(algorithms)}")
    for one in keys:
        if isinstance(one, bytes):
            fits, public = algorithm in ("HS256", "HS384", "HS512"), one
        else:
            fits = algorithm in FITTING.get(kind_of(one), ())
            if header.get("kid") and one.get("kid") and header["kid"] != one["kid"]:
                continue
            public = fits and jwt.PyJWK(one, algorithm=algorithm).key
        if fits and ALGORITHMS[algorithm].verify(message.encode(), public, from_base64url(signature)):
            return header, claims
    raise Wrong(f"no key of {len(keys)} verifies the {algorithm} signature (kid {header.get('kid')!r})")
