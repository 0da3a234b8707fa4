"""Keys of a client as files, in each form that people have them in."""

import dataclasses
import json

import jose


@dataclasses.dataclass
class KeyFile:
    """A file that only its owner can read, and the key in it."""

    file: str
    key: jose.Key

    @property
    def jwk(self):
        return self.key.jwk

    @property
    def secrets(self):
        """What of it must not be seen anywhere: the private members, and the inner lines of the PEM file."""
        lines = [line for form in ("PKCS8", *([] if self.key.kind == "Ed25519" else ["TraditionalOpenSSL"]))
                 for line in self.key.pem(form).splitlines()[1:-1] if len(line) > 40]
        return {self.key.private_jwk["d"], *lines}


def text_of(key, form):
    """form: pem (PKCS#8), traditional (PKCS#1 or SEC1), jwk, jwks (a set of one)."""
    if form == "jwk":
        return json.dumps(key.private_jwk)
    if form == "jwks":
        return json.dumps({"keys": [key.private_jwk]})
    return key.pem({"pem": "PKCS8", "traditional": "TraditionalOpenSSL"}[form])


def service_account(server, key, email="robot@project.example", **changes):
    """Google's JSON file of a service account, for the asserting server, which takes its assertions from here on."""
    server.direct.issuers[email] = key
    server.direct.need_no_subject.add(email)
    server.direct.grant_types.add("urn:ietf:params:oauth:grant-type:jwt-bearer")
    value = {
        "type": "service_account", "project_id": "project", "private_key_id": key.id, "private_key": key.pem(),
        "client_email": email, "client_id": "104", "auth_uri": server.endpoint("/authorize"),
        "token_uri": server.endpoint("/token"), "universe_domain": "example.com", **changes}
    return json.dumps({k: v for k, v in value.items() if v is not None}, indent=2)
