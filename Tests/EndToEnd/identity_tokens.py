"""Signs id_tokens as an OpenID Provider does: RS256, with a key made for this run."""

import base64
import functools
import hashlib
import json
import re
import subprocess
import time

DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")  # SHA-256, RFC 8017 section 9.2
KEY_ID = "e2e-1"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@functools.cache
def signing_key():
    """The modulus, public and private exponent of a fresh 2048 bit key."""
    pem = subprocess.run(["openssl", "genrsa", "2048"], capture_output=True, check=True).stdout
    text = subprocess.run(
        ["openssl", "rsa", "-text", "-noout"], input=pem, capture_output=True, check=True
    ).stdout.decode()

    def number(name):
        digits = re.search(name + r":\s*\n((?:\s+[0-9a-f:]+\n)+)", text).group(1)
        return int(re.sub(r"[\s:]", "", digits), 16)

    return number("modulus"), 65537, number("privateExponent")


def jwks():
    modulus, exponent, _ = signing_key()
    return {
        "keys": [
            {
                "kty": "RSA", "use": "sig", "alg": "RS256", "kid": KEY_ID,
                "n": base64url(modulus.to_bytes(256, "big")),
                "e": base64url(exponent.to_bytes(3, "big")),
            }
        ]
    }


def sign(claims):
    """A compact JWS of the claims."""
    modulus, _, private = signing_key()
    header = {"alg": "RS256", "kid": KEY_ID, "typ": "JWT"}
    message = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    digest = DIGEST_INFO + hashlib.sha256(message.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (256 - 3 - len(digest)) + b"\x00" + digest
    signature = pow(int.from_bytes(padded, "big"), private, modulus).to_bytes(256, "big")
    return message + "." + base64url(signature)


def claims(issuer, client_id, nonce, subject="alice", **changes):
    """The claims of a good id_token; a change to None takes a claim out."""
    now = int(time.time())
    good = {
        "iss": issuer, "aud": client_id, "sub": subject, "email": f"{subject}@example.com",
        "iat": now, "exp": now + 3600, "nonce": nonce,
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not None}
