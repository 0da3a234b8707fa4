"""What the tests' Glewlwyd is: its scopes, its user, its issuers and its clients, set through its REST interface.

Tests/Support/glewlwyd starts the server and calls configure(); whatever a test needs of the server is added here.
"""
import os

USER = {
    "username": "alice",
    "password": "correct horse battery staple",
    "name": "Alice Example",
    "email": "alice@example.test",
}
SCOPES = ["openid", "profile", "email", "offline_access", "read", "write"]
RESOURCES = ["https://api.example.test/", "https://files.example.test/"]  # RFC 8707; `write` is for the first alone
DETAILS_TYPE = "account"  # of authorization_details (RFC 9396)

CLIENT_AUTH = {
    None: "none", "client_secret_basic": "basic", "client_secret_post": "post", "client_secret_jwt": "client-secret-jwt",
    "private_key_jwt": "private-key-jwt", "tls_client_auth": "tls",
}

# Glewlwyd compares redirect URIs as strings, the port of a loopback one included (it does not do RFC 8252, 7.3).
REDIRECT_PORTS = list(range(8765, 8785))


def modern_parameters(tls):
    """What an issuer knows of assertions, pushed requests, DPoP, resources, details, registration and certificates."""
    parameters = {
        "request-parameter-allow": True, "request-parameter-ietf-strict": False, "request-maximum-exp": 3600,
        "client-pubkey-parameter": "pubkey", "client-jwks-parameter": "jwks", "client-jwks_uri-parameter": "jwks_uri",
        "oauth-par-allowed": True, "oauth-par-required": False, "oauth-par-duration": 90,
        "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
        "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-iat-gap-duration": 5,
        "oauth-dpop-nonce-mandatory": False, "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound_access_tokens",
        "resource-allowed": True, "resource-scope": {"read": RESOURCES, "write": RESOURCES[:1]},
        "resource-client-property": "resource", "resource-scope-and-client-property": False,
        "oauth-rar-allowed": True, "rar-types-client-property": "authorization_details_types",
        "rar-allow-auth-unsigned": True, "rar-allow-auth-unencrypted": True,
        "rar-types": {DETAILS_TYPE: {
            "scopes": ["read"], "description": "account access", "locations": [], "actions": ["list", "read"],
            "datatypes": [], "enriched": []}},
        "register-client-allowed": True, "register-client-auth-scope": [], "register-client-credentials-scope": ["read"],
        "register-client-management-allowed": True, "register-resource-specify-allowed": True,
    }
    if tls:  # RFC 8705
        parameters.update({
            "client-cert-source": "TLS", "client-cert-use-endpoint-aliases": False, "client-cert-self-signed-allowed": False})
    return parameters


def issuer_parameters(url, keys, **changes):
    """The parameters of one issuer (a plugin instance of Glewlwyd). keys: the path, without its ending, of a key pair."""
    with open(keys + ".key") as private, open(keys + ".pub") as public:
        pair = {"key": private.read(), "cert": public.read()}
    parameters = {
        "iss": url,
        "oauth-as-iss-id": True,  # RFC 9207: it names itself in each redirect
        "jwt-type": "rsa",
        "jwt-key-size": "256",
        "jwks-show": True,
        "access-token-duration": 3600,
        "refresh-token-duration": 1209600,
        "refresh-token-rolling": True,
        "refresh-token-one-use": "client-driven",
        "client-refresh-token-one-use-parameter": "refresh_token_one_use",
        "code-duration": 60,
        "allow-non-oidc": True,
        "auth-type-code-enabled": True,
        "auth-type-code-revoke-replayed": True,
        "auth-type-refresh-enabled": True,
        "auth-type-client-enabled": True,
        "auth-type-password-enabled": True,
        "auth-type-device-enabled": True,
        "auth-type-token-enabled": True,
        "auth-type-implicit-enabled": True,
        "device-authorization-expiration": 120,
        "device-authorization-interval": 1,
        "allowed-scope": SCOPES,
        "subject-type": "public",
        "name-claim": "on-demand",
        "name-claim-scope": ["profile"],
        "email-claim": "on-demand",
        "email-claim-scope": ["email"],
        "pkce-allowed": True,
        "pkce-method-plain-allowed": False,
        "pkce-required-public-client": True,
        "introspection-revocation-allowed": True,
        "introspection-revocation-allow-target-client": True,
        # the login page answers only where the session cookie of this name is kept, one for each issuer
        "session-management-allowed": True,
        "session-cookie-name": "GLEWLWYD2_OIDC_SID",
        "session-cookie-expiration": 2419200,
    }
    return {**parameters, **modern_parameters(url.startswith("https:")), **pair, **changes}


def configure_issuers(call, api, folder):
    """Makes the issuers; gives their URLs by name."""
    rsa, ec = os.path.join(folder, "rsa"), os.path.join(folder, "ec")
    changes = {
        "main": (rsa, {}),
        # tokens that expire while a test waits; each refresh token is good once, and using it again ends its whole family
        "short": (ec, {
            "jwt-type": "ecdsa",
            "access-token-duration": 3,
            "refresh-token-one-use": "always",
            "device-authorization-expiration": 6,
        }),
        # as strict as it can be: pushed requests, PKCE and DPoP with its nonces, each good once; signs with PS256
        "strict": (rsa, {
            "jwt-type": "rsa-pss",
            "refresh-token-one-use": "always",
            "oauth-par-required": True,
            "pkce-required": True,
            "oauth-dpop-nonce-mandatory": True,
            "oauth-dpop-nonce-counter": 1,
        }),
        # a server from before PKCE, which cannot revoke and does not name itself in its redirects
        "plain": (rsa, {
            "pkce-allowed": False,
            "pkce-required-public-client": False,
            "auth-type-device-enabled": False,
            "oauth-par-allowed": False,
            "oauth-dpop-allowed": False,
            "register-client-allowed": False,
            "introspection-revocation-allowed": False,
            "oauth-as-iss-id": False,
        }),
    }
    urls = {}
    for name, (keys, changed) in changes.items():
        urls[name] = f"{api}/{name}"
        call("POST", "/mod/plugin/", {
            "module": "oidc", "name": name, "display_name": name, "enabled": True,
            "parameters": issuer_parameters(urls[name], keys, **changed),
        })
    return urls


def clients(folder, tls):
    """The clients, by the name that tests use: what the server is told of each, and what a test is told.

    `files` are members of the description: a key or a certificate of the client's.
    """
    confidential = ["code", "refresh_token", "device_authorization", "client_credentials", "password"]
    public = ["code", "refresh_token", "device_authorization"]

    def key(name):
        with open(f"{folder}/{name}.pub") as file:
            return {"pubkey": file.read(), "files": {"key_file": f"{folder}/{name}.key"}}

    with_certificate = {"mtls": {
        "client_id": "cli-mtls", "method": "tls_client_auth", "types": confidential,
        "tls_client_auth_san_dns": "client.oauthctl.test",
        "files": {"certificate_file": folder + "/tls/client.pem", "key_file": folder + "/tls/client.key"},
    }}
    return {
        "public": {"client_id": "cli-public", "types": public},
        "public_rotating": {"client_id": "cli-rotating", "types": public, "refresh_token_one_use": "true"},
        "basic": {
            "client_id": "cli-basic", "client_secret": "basic-secret-0123456789",
            "method": "client_secret_basic", "types": confidential,
        },
        # Glewlwyd reads HTTP Basic as it is: it does not form-decode the id and the secret (RFC 6749, 2.3.1)
        "basic_odd": {
            "client_id": "cli odd+id", "client_secret": "s3cr+t /%:&=?é",
            "method": "client_secret_basic", "types": confidential, "basic_raw": True,
        },
        "post": {
            "client_id": "cli-post", "client_secret": "post-secret-0123456789",
            "method": "client_secret_post", "types": confidential,
        },
        # the audience of an assertion has to be the endpoint's own URL, as a string: not the issuer, not a list
        "secret_jwt": {
            "client_id": "cli-secret-jwt", "client_secret": "0123456789abcdef0123456789abcdef0123456789abcdef",
            "method": "client_secret_jwt", "types": confidential,
        },
        "private_key_jwt": {
            "client_id": "cli-pkjwt", "method": "private_key_jwt", "types": confidential, **key("client-rsa")},
        "private_key_jwt_es256": {
            "client_id": "cli-pkjwt-ec", "method": "private_key_jwt", "types": confidential, **key("client-ec")},
        "implicit": {"client_id": "cli-implicit", "types": ["token", "id_token"]},
        **(with_certificate if tls else {}),
    }


def configure(call, api, folder, more_redirects):
    """Configures a Glewlwyd that was just started; gives the part of its description that is decided here.

    call(METHOD, PATH, BODY) is an administrator's request; folder holds the key pairs (.key and .pub) rsa, ec,
    client-rsa and client-ec.
    """
    # the client module keeps only the properties that it was told of
    module = call("GET", "/mod/client/database")
    for name in ("refresh_token_one_use", "dpop_bound_access_tokens"):
        module["parameters"]["data-format"][name] = {"multiple": False, "read": True, "write": True}
    call("PUT", "/mod/client/database", module)
    call("PUT", "/mod/client/database/reset")

    for scope in SCOPES:
        if scope != "openid":  # that one is there from the start
            call("POST", "/scope/", {
                "name": scope, "display_name": scope, "description": scope, "password_required": True,
                "password_max_age": 0, "scheme": {},
            })
    issuers = configure_issuers(call, api, folder)
    call("POST", "/user/", {**USER, "enabled": True, "scope": ["g_profile", *SCOPES]})

    redirects = [f"http://{host}:{port}/callback" for host in ("127.0.0.1", "localhost") for port in REDIRECT_PORTS]
    redirects += more_redirects
    described = {}
    for key, client in clients(folder, api.startswith("https:")).items():
        method = client.get("method")
        call("POST", "/client/", {
            "client_id": client["client_id"], "name": client["client_id"], "enabled": True,
            "confidential": method is not None,
            "token_endpoint_auth_method": [method] if method else [],
            "authorization_type": client["types"],
            "redirect_uri": redirects,
            "scope": ["read", "write"] if method else [],  # what client_credentials gives; a public client has none
            "resource": [], "authorization_details_types": [DETAILS_TYPE],
            **({} if method else {"dpop_bound_access_tokens": "false"}),
            **{name: client[name] for name in (
                "client_secret", "refresh_token_one_use", "pubkey", "tls_client_auth_san_dns") if name in client},
        })
        described[key] = {
            "client_id": client["client_id"],
            "client_auth": CLIENT_AUTH[method], **client.get("files", {}),
            **{name: client[name] for name in ("client_secret", "basic_raw") if name in client},
        }
    return {
        "issuer": issuers["main"], "issuers": issuers, "clients": described, "user": USER, "scopes": SCOPES,
        "redirect_ports": REDIRECT_PORTS, "resources": RESOURCES, "details_type": DETAILS_TYPE,
    }
