"""Looks for live secrets where none may be: in messages, in answers that did not ask for one, in files."""

import os


def in_transcript(transcript, secrets):
    """Lines that name what leaked where. `token` may print access and id tokens on stdout; nothing else may."""
    for argv, result in transcript:
        for secret in secrets:
            if secret in result.err:
                yield f"{argv} shows {secret[:8]}… on stderr"
            asked_for = argv[:1] == ("token",) and not secret.startswith("rt-")
            if secret in result.out and not asked_for:
                yield f"{argv} shows {secret[:8]}… on stdout"


def in_files(folder, secrets):
    """What `grep -rF` of the folder would find."""
    needles = [secret.encode() for secret in secrets]
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            if not os.path.isfile(path) or os.path.islink(path):
                continue
            with open(path, "rb") as file:
                content = file.read()
            for needle in needles:
                if needle in content:
                    yield f"{path} holds {needle[:8].decode()}…"
