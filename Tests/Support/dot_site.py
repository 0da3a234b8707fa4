"""The tests' django-oauth-toolkit as one module: settings, pages, clients, the WSGI application.

Run as a program it prepares the database, the keys and the description. Environment: DOT_FOLDER, DOT_PORT, DOT_SCHEME.
"""
import json
import os
import secrets
import sys

from django.conf import settings

FOLDER = os.environ["DOT_FOLDER"]
PORT = os.environ["DOT_PORT"]
BASE = f"{os.environ['DOT_SCHEME']}://127.0.0.1:{PORT}"
ISSUER = BASE + "/o"
USER = {
    "username": "alice",
    "password": "correct horse battery staple",
    "name": "Alice Example",
    "email": "alice@example.test",
}
SCOPES = ["openid", "profile", "email", "offline_access", "read", "write"]
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
# by the name that tests use; redirect URIs need no port here: any will do (RFC 8252 section 7.3)
CLIENTS = {
    "public": {"client_id": "cli-public", "client_auth": "none", "grant": "authorization_code"},
    "basic": {"client_id": "cli-basic", "client_secret": "basic-secret-0123456789", "client_auth": "basic",
              "grant": "authorization_code"},
    # this server form-decodes the id and the secret of HTTP Basic (RFC 6749 section 2.3.1)
    "basic_odd": {"client_id": "cli odd+id", "client_secret": "s3cr+t /%:&=?é", "client_auth": "basic",
                  "grant": "authorization_code"},
    "post": {"client_id": "cli-post", "client_secret": "post-secret-0123456789", "client_auth": "post",
             "grant": "authorization_code"},
    "device": {"client_id": "cli-device", "client_auth": "none", "grant": DEVICE},
    "service": {"client_id": "svc-worker", "client_secret": "svc-secret-0123456789", "client_auth": "basic",
                "grant": "client_credentials"},
    "password": {"client_id": "cli-password", "client_secret": "ropc-secret-0123456789", "client_auth": "basic",
                 "grant": "password"},
    "implicit": {"client_id": "cli-implicit", "client_auth": "none", "grant": "implicit"},
}
REDIRECTS = ["http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost/callback"]
LOGIN = """<!doctype html><title>Log in</title><form method="post">{% csrf_token %}{{ form.as_p }}
<input type="hidden" name="next" value="{{ next }}"><button type="submit">Log in</button></form>"""


def kept(name, make):
    """A text that is made once for each folder."""
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(make())
    with open(path) as file:
        return file.read()


def rsa_key():
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(65537, 2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


settings.configure(
    DEBUG=False,
    SECRET_KEY=kept("secret", secrets.token_hex),
    ALLOWED_HOSTS=["127.0.0.1", "localhost", "[::1]"],
    ROOT_URLCONF="dot_site",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(FOLDER, "db.sqlite3"),
        # nothing here outlives the test: no waiting for the disk
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA synchronous=OFF;"}}},
    INSTALLED_APPS=[
        "django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "django.contrib.messages",
        "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
        "oauth2_provider.middleware.OAuth2TokenMiddleware"],
    AUTHENTICATION_BACKENDS=["oauth2_provider.backends.OAuth2Backend", "django.contrib.auth.backends.ModelBackend"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {
        "context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth"],
        "loaders": [
            ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN}),
            "django.template.loaders.app_directories.Loader"]}}],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # quick; the passwords are these above
    LOGIN_URL="/login/",
    SESSION_COOKIE_NAME="session" + PORT,
    CSRF_COOKIE_NAME="csrf" + PORT,
    CSRF_TRUSTED_ORIGINS=[BASE],
    LOGGING_CONFIG=None,
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True, "OIDC_ISS_ENDPOINT": ISSUER, "OIDC_RSA_PRIVATE_KEY": kept("rsa.key", rsa_key),
        "OAUTH2_VALIDATOR_CLASS": "dot_site.Validator", "SCOPES": {scope: scope for scope in SCOPES},
        "DEFAULT_SCOPES": ["openid", "read"], "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
        "REFRESH_TOKEN_EXPIRE_SECONDS": 1209600, "ROTATE_REFRESH_TOKEN": True, "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0, "PKCE_REQUIRED": True, "ALLOW_LOCALHOST_LOOPBACK": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True, "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "OAUTH_DEVICE_VERIFICATION_URI": ISSUER + "/device/", "DEVICE_FLOW_INTERVAL": 1,
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{ISSUER}/device/?user_code={code}",
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True, "DCR_ENABLED": True,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
    })

import django  # noqa: E402

django.setup()
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider import urls  # noqa: E402
from oauth2_provider.decorators import protected_resource  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402


class Validator(OAuth2Validator):
    oidc_claim_scope = {**OAuth2Validator.oidc_claim_scope, "preferred_username": "profile"}

    def get_additional_claims(self, request):
        user = request.user
        return {"name": user.get_full_name(), "preferred_username": user.username, "email": user.email}

    def get_additional_claims_discovery(self):
        return ["name", "preferred_username", "email"]


@protected_resource(scopes=["read"])
def api(request):
    owner = request.resource_owner
    return JsonResponse({"user": owner.username if owner else None})


urlpatterns = [
    path("login/", LoginView.as_view(), name="login"),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("", include((urls.metadata_urlpatterns, "oauth2_metadata"))),
    path("api", api),
]
application = get_wsgi_application()


def prepare():
    """The database with its user and clients, and the part of the description that is decided here."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from oauth2_provider.models import Application

    kinds = {
        "authorization_code": Application.GRANT_AUTHORIZATION_CODE, DEVICE: Application.GRANT_DEVICE_CODE,
        "client_credentials": Application.GRANT_CLIENT_CREDENTIALS, "password": Application.GRANT_PASSWORD,
        "implicit": Application.GRANT_IMPLICIT}
    call_command("migrate", verbosity=0)
    first, last = USER["name"].split()
    user = get_user_model().objects.create_user(
        USER["username"], USER["email"], USER["password"], first_name=first, last_name=last)
    for client in CLIENTS.values():
        is_public = client["client_auth"] == "none"
        Application.objects.create(
            client_id=client["client_id"], name=client["client_id"], user=user, client_secret=client.get("client_secret", ""),
            client_type=Application.CLIENT_PUBLIC if is_public else Application.CLIENT_CONFIDENTIAL,
            authorization_grant_type=kinds[client["grant"]],
            redirect_uris=" ".join(REDIRECTS) if client["grant"] in ("authorization_code", "implicit") else "",
            algorithm="" if client["grant"] == "client_credentials" else Application.RS256_ALGORITHM)
    with open(os.path.join(FOLDER, "description.json"), "w") as file:
        json.dump({"clients": CLIENTS, "user": USER, "scopes": SCOPES}, file, ensure_ascii=False)


if __name__ == "__main__":
    sys.modules["dot_site"] = sys.modules["__main__"]
    prepare()
