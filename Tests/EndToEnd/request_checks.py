"""What the asserting server demands of every request; each fault found is one line of text."""

import base64
import hashlib
import re
import urllib.parse

BASE64URL_256 = re.compile(r"[A-Za-z0-9_-]{43,}\Z")  # 256 bits take 43 characters
VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}\Z")  # RFC 7636 section 4.1


def pairs(text):
    """A form or query as a list of pairs; empty values are kept."""
    return urllib.parse.parse_qsl(text, keep_blank_values=True)


def duplicates(items):
    names = [name for name, _ in items]
    return sorted({name for name in names if names.count(name) > 1})


def check_any(request):
    """Demands that hold for every request of the client itself, but not for a browser's."""
    agent = request.headers.get("User-Agent", "")
    if not agent.startswith("oauthctl"):
        yield f"User-Agent is {agent!r}, not oauthctl's"
    if request.headers.get("Cookie") or request.headers.get("Referer"):
        yield "a cookie or a referrer was sent"
    if "application/json" not in request.headers.get("Accept", ""):
        yield f"Accept is {request.headers.get('Accept')!r}: JSON is not asked for"


def check_authorization(request, client, seen):
    query = request.query
    for name in duplicates(pairs(request.raw_query)):
        yield f"the parameter {name} is there twice"
    if request.method != "GET":
        yield f"the method is {request.method}"
    if query.get("response_type") != "code":
        yield f"response_type is {query.get('response_type')!r}"
    if client is None:
        yield f"the client {query.get('client_id')!r} is not known"
    for name in ("client_secret", "code_verifier", "access_token", "refresh_token"):
        if name in query:
            yield f"{name} is in the address"
    if client is not None and client.pkce:
        if query.get("code_challenge_method") != "S256":
            yield f"code_challenge_method is {query.get('code_challenge_method')!r}"
        if not re.fullmatch(r"[A-Za-z0-9_-]{43}", query.get("code_challenge", "")):
            yield "code_challenge is not a SHA-256 in base64url"
    if not BASE64URL_256.match(query.get("state", "")):
        yield "state has less than 256 bits"
    if "openid" in query.get("scope", "").split() and len(query.get("nonce", "")) < 22:
        yield "nonce is missing or short"
    redirect = urllib.parse.urlsplit(query.get("redirect_uri", ""))
    if redirect.scheme != "http" or redirect.hostname not in ("127.0.0.1", "localhost", "::1"):
        yield f"redirect_uri is {query.get('redirect_uri')!r}"
    for name in ("state", "nonce", "code_challenge"):
        value = query.get(name)
        if value and value in seen:
            yield f"{name} was used before"
        seen.add(value)


def check_form_post(request):
    """Demands on every POST to the token and revocation endpoints."""
    if request.method != "POST":
        yield f"the method is {request.method}"
    if request.raw_query:
        yield "there are parameters in the address"
    kind = request.headers.get("Content-Type", "").split(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        yield f"Content-Type is {kind!r}"
    items = pairs(request.body.decode("ascii", "replace"))
    for name in duplicates(items):
        yield f"the parameter {name} is there twice"
    for name, value in items:
        if value == "":
            yield f"the parameter {name} is empty"
    for name in ("scope", "state", "nonce", "code_challenge"):
        if name in request.form:
            yield f"{name} has no place here"


def check_client(request, client):
    """Demands on client authentication (RFC 6749 section 2.3.1): the configured way, and no other."""
    header = request.headers.get("Authorization")
    if client.auth in ("basic", "basic-raw"):
        if "client_secret" in request.form:
            yield "the secret is in the body too"
        if request.form.get("client_id", client.id) != client.id:
            yield "client_id in the body is another"
        if header != client.basic():
            yield "the Authorization header is not this client's"
        return
    if header:
        yield "an Authorization header was sent"
    if request.form.get("client_id") != client.id:
        yield f"client_id is {request.form.get('client_id')!r}"
    if client.auth == "none" and "client_secret" in request.form:
        yield "a public client sent a secret"
    if client.auth == "post" and request.form.get("client_secret") != client.secret:
        yield "client_secret is missing or wrong"


def check_code(form, grant):
    """Demands on the exchange of a code."""
    if grant.used:
        yield "the code was sent a second time"
    if form.get("redirect_uri") != grant.redirect_uri:
        yield f"redirect_uri is {form.get('redirect_uri')!r}, was {grant.redirect_uri!r}"
    if grant.challenge is None:
        return
    verifier = form.get("code_verifier", "")
    if not VERIFIER.match(verifier):
        yield "code_verifier is not one"
    digest = hashlib.sha256(verifier.encode()).digest()
    if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != grant.challenge:
        yield "code_verifier does not belong to code_challenge"
