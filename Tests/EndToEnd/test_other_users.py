"""Root in a user's environment: `su` keeps XDG_RUNTIME_DIR."""

import os


def test_doctor_makes_no_folder_in_a_runtime_folder_of_somebody_else(oauthctl, scratch):
    """A lock folder of root's in /run/user/1000 shuts that user out of every refresh until root removes it."""
    folder = scratch / "run"
    folder.mkdir(0o700)
    os.chown(folder, 48231, 48231)
    done = oauthctl("doctor", "--offline", env={"XDG_RUNTIME_DIR": str(folder)})
    (finding,) = [line for line in done.out.splitlines() if "lock-folder" in line]
    assert list(folder.iterdir()) == [], finding
