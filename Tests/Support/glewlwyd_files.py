"""Debian's Glewlwyd, unpacked into the tests' cache, and the files that one running server has of its own."""
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from throwaway import CACHE, copy_certificates, fail, locked

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(CACHE, "glewlwyd")


def runs():
    """Whether the unpacked program is there and finds its libraries."""
    program = PACKAGE + "/usr/bin/glewlwyd"
    return os.path.exists(PACKAGE + "/complete") and subprocess.run(
        [program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def fetch():
    """Unpacks Debian's package into the cache and installs the libraries that it needs, where that is not done yet.

    The package itself is not installed: its scripts would set up a database, a system user and a daemon that listens on
    every address, and they fail on a machine without a database server.
    """
    if runs():
        return
    os.makedirs(CACHE, exist_ok=True)
    with locked(PACKAGE + ".lock"):
        if runs():
            return
        deps = os.path.join(HERE, "deps")
        new = PACKAGE + ".new"
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(new)
        subprocess.run([deps, "download", "glewlwyd", "glewlwyd-common"], cwd=new, check=True, stdout=sys.stderr)
        libraries = set()
        for package in glob.glob(new + "/*.deb"):
            depends = subprocess.run(["dpkg-deb", "-f", package, "Depends"], check=True, capture_output=True, text=True)
            names = [re.sub(r"[\s(|].*", "", part.strip()) for part in depends.stdout.split(",")]
            libraries.update(name for name in names if re.match(r"lib|zlib|fonts-", name))
            subprocess.run(["dpkg-deb", "-x", package, new], check=True)
        subprocess.run([deps, "install", *sorted(libraries)], check=True, stdout=sys.stderr)
        open(new + "/complete", "w").close()
        shutil.rmtree(PACKAGE, ignore_errors=True)
        os.rename(new, PACKAGE)
        if not runs():
            fail("the unpacked program does not run: " + PACKAGE)


def web_pages(folder):
    """Copies the login pages and repairs them, for a real browser.

    Debian's copy links its scripts and fonts to other packages by relative paths, which lead nowhere from here, and has a
    folder where the pages look for config.json.
    """
    source = PACKAGE + "/usr/share/glewlwyd/webapp"
    for root, _, files in os.walk(source):
        part = os.path.relpath(root, source)
        os.makedirs(os.path.join(folder, part), exist_ok=True)
        for name in files:
            path = os.path.join(root, name)
            if os.path.islink(path):
                path = os.path.normpath(os.path.join("/usr/share/glewlwyd/webapp", part, os.readlink(path)))
            if os.path.isfile(path):
                shutil.copyfile(path, os.path.join(folder, part, name))
    shutil.rmtree(folder + "/config.json", ignore_errors=True)
    shutil.copyfile(PACKAGE + "/usr/share/glewlwyd/templates/config.json", folder + "/config.json")


def copy_keys(folder):
    """Key pairs, .key and .pub: the server's own, rsa and ec, and those of clients that sign assertions."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    rsa, ec = ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    kept = os.path.join(CACHE, "keys")
    with locked(kept + ".lock"):  # an RSA key takes its time, on a busy machine seconds
        if not os.path.exists(kept):
            shutil.rmtree(kept + ".new", ignore_errors=True)
            os.mkdir(kept + ".new", 0o700)
            for name, algorithm in (("rsa", rsa), ("ec", ec), ("client-rsa", rsa), ("client-ec", ec)):
                path = f"{kept}.new/{name}"
                openssl("genpkey", "-algorithm", *algorithm, "-out", path + ".key")
                openssl("pkey", "-in", path + ".key", "-pubout", "-out", path + ".pub")
            os.rename(kept + ".new", kept)
    shutil.copytree(kept, folder, dirs_exist_ok=True)


def write_files(port, scheme, folder):
    """Keys, certificates, pages, configuration and an empty database."""
    copy_keys(folder)
    copy_certificates(folder + "/tls")
    web_pages(folder + "/web")
    types = {"html": "text/html", "css": "text/css", "js": "application/javascript", "json": "application/json",
             "png": "image/png", "ico": "image/x-icon", "ttf": "font/ttf", "woff": "font/woff", "woff2": "font/woff2"}
    settings = {
        "port": port, "bind_address": "127.0.0.1", "external_url": f"{scheme}://127.0.0.1:{port}",
        "login_url": "login.html", "api_prefix": "api", "static_files_path": folder + "/web/",
        "log_mode": "file", "log_level": "INFO", "log_file": folder + "/glewlwyd.log",
        "cookie_secure": 0, "session_expiration": 2419200, "session_key": "GLEWLWYD2_SESSION_ID",
        "admin_session_authentication": "cookie", "admin_scope": "g_admin", "profile_scope": "g_profile",
        **{f"{kind}_module_path": f"{PACKAGE}/usr/lib/glewlwyd/{short}" for kind, short in (
            ("user", "user"), ("user_middleware", "user_middleware"), ("client", "client"),
            ("user_auth_scheme", "scheme"), ("plugin", "plugin"))},
        "use_secure_connection": scheme == "https",
        "secure_connection_key_file": folder + "/tls/server.key",
        "secure_connection_pem_file": folder + "/tls/server.pem",
        "secure_connection_ca_file": folder + "/tls/ca.pem",
        "hash_algorithm": "SHA512",
    }
    with open(folder + "/glewlwyd.conf", "w") as file:
        for name, value in settings.items():
            file.write(f"{name} = {json.dumps(value)}\n")
        file.write('database = { type = "sqlite3"; path = %s; };\n' % json.dumps(folder + "/glewlwyd.db"))
        file.write("static_files_mime_types = (%s)\n" % ", ".join(
            '{extension = ".%s"; mime_type = "%s"}' % pair for pair in types.items()))
    database = sqlite3.connect(folder + "/glewlwyd.db")
    database.execute("PRAGMA journal_mode = WAL")  # with fewer waits for the disk: nothing here outlives the test
    with open(PACKAGE + "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3") as file:
        database.executescript("BEGIN;" + file.read() + ";COMMIT;")
    database.close()
