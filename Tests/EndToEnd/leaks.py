"""Looks for live secrets where none may be: in messages, in answers that did not ask for one, in files.

A secret is looked for as it is and in the forms that programs write such things in.
"""

import base64
import functools
import html
import json
import os
import urllib.parse


@functools.lru_cache(maxsize=100_000)
def dresses(secret):
    """The forms of a secret, as bytes: percent-encoded once and twice, JSON, HTML, hexadecimal, base64 and UTF-16."""
    raw = secret.encode()
    if len(raw) < 8:  # its forms would be found everywhere
        return (raw,)
    quoted = urllib.parse.quote(secret, safe="")
    texts = {
        secret, quoted, urllib.parse.quote(quoted, safe=""), urllib.parse.quote_plus(secret), html.escape(secret),
        json.dumps(secret)[1:-1], secret.replace("/", "\\/"), raw.hex(), raw.hex().upper(),
    }
    return tuple({text.encode() for text in texts} | set(encoded(raw)) | {secret.encode("utf-16-le")})


def encoded(raw):
    """The parts of the base64 that are the same whatever stands before and after, at each of the three places."""
    for offset in range(3):
        padded = bytes(offset) + raw
        text = base64.b64encode(padded)
        stable = slice((offset * 8 + 5) // 6, len(padded) * 8 // 6)
        if stable.stop - stable.start >= 8:
            yield text[stable]
            yield text[stable].replace(b"+", b"-").replace(b"/", b"_")


def shows(content, secret):
    """Whether a secret is in bytes or text, in any form."""
    content = content.encode() if isinstance(content, str) else content
    return any(form in content for form in dresses(secret))


def in_transcript(transcript, secrets):
    """Lines that name what leaked where. `token` may print access and id tokens on stdout; nothing else may."""
    for argv, result in transcript:
        for secret in secrets:
            if shows(result.err, secret):
                yield f"{argv} shows {secret[:8]}… on stderr"
            asked_for = argv[:1] == ("token",) and not secret.startswith("rt-")
            if shows(result.out, secret) and not asked_for:
                yield f"{argv} shows {secret[:8]}… on stdout"


def in_files(folder, secrets):
    """The files below a folder that a secret is in."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            if not os.path.isfile(path) or os.path.islink(path):
                continue
            with open(path, "rb") as file:
                content = file.read()
            for secret in secrets:
                if shows(content, secret):
                    yield f"{path} holds {secret[:8]}…"
