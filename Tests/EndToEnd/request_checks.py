"""What the asserting server demands of every request; each fault found is one line of text."""

import base64
import hashlib
import re
import urllib.parse

REPEATABLE = ("resource", "audience")  # RFC 8707 section 2, RFC 8693 section 2.1
BASE64URL_256 = re.compile(r"[A-Za-z0-9_-]{43,}\Z")  # 256 bits take 43 characters
VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}\Z")  # RFC 7636 section 4.1


def pairs(text):
    """A form or query as a list of pairs; empty values are kept."""
    return urllib.parse.parse_qsl(text, keep_blank_values=True)


def duplicates(items):
    names = [name for name, _ in items if name not in REPEATABLE]
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


def check_authorization(query, client, seen, response_types=("code",)):
    """Demands on an authorization request's parameters, however they came."""
    if query.get("response_type") not in response_types:
        yield f"response_type is {query.get('response_type')!r}"
    if client is None:
        yield f"the client {query.get('client_id')!r} is not known"
    for name in ("client_secret", "code_verifier", "access_token", "refresh_token"):
        if name in query:
            yield f"{name} is in the address"
    with_code = "code" in query.get("response_type", "").split()
    if client is not None and client.pkce and with_code:
        if query.get("code_challenge_method") != "S256":
            yield f"code_challenge_method is {query.get('code_challenge_method')!r}"
        if not re.fullmatch(r"[A-Za-z0-9_-]{43}", query.get("code_challenge", "")):
            yield "code_challenge is not a SHA-256 in base64url"
    if not BASE64URL_256.match(query.get("state", "")):
        yield "state has less than 256 bits"
    if "openid" in query.get("scope", "").split() and len(query.get("nonce", "")) < 22:
        yield "nonce is missing or short"
    if not with_code and "code_challenge" in query:
        yield "code_challenge has no place here"
    redirect = urllib.parse.urlsplit(query.get("redirect_uri", ""))
    if redirect.scheme != "http" or redirect.hostname not in ("127.0.0.1", "localhost", "::1"):
        yield f"redirect_uri is {query.get('redirect_uri')!r}"
    elif client is not None and not is_registered(query["redirect_uri"], client):
        yield f"redirect_uri is {query['redirect_uri']!r}, registered are {client.redirect_uris!r}"
    for name in ("state", "nonce", "code_challenge"):
        value = query.get(name)
        if value and value in seen:
            yield f"{name} was used before"
        seen.add(value)


def is_registered(uri, client):
    """Whether the client may be sent back there; the port of a loopback address does not matter (RFC 8252 section 7.3)."""
    if client.redirect_uris is None:
        return True

    def without_port(text):
        parts = urllib.parse.urlsplit(text)
        return parts.scheme, parts.hostname, parts.path, parts.query

    return without_port(uri) in [without_port(one) for one in client.redirect_uris]


def check_form_post(request, allowed=()):
    """Demands on every POST to the token, revocation and like endpoints; `allowed` are names that usually have no place."""
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
        if name in request.form and name not in allowed:
            yield f"{name} has no place here"


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
