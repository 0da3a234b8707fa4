"""A certificate authority of the test's own, and a server certificate from it."""

import dataclasses
import pathlib
import subprocess


@dataclasses.dataclass
class Certificates:
    authority: str
    certificate: str
    key: str


@dataclasses.dataclass
class ClientCertificate:
    certificate: str
    key: str

    def __iter__(self):  # for ssl.SSLContext.load_cert_chain
        return iter((self.certificate, self.key))


def make_client(folder, name="client", authority=None):
    """A client's certificate: signed by itself, or by the authority of `make` in the folder given."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    made = ClientCertificate(str(folder / f"{name}.pem"), str(folder / f"{name}.key"))

    def openssl(*argv):
        subprocess.run(["openssl", *argv], check=True, capture_output=True)

    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", made.key)
    pathlib.Path(made.key).chmod(0o600)
    if authority is None:
        openssl("req", "-x509", "-new", "-key", made.key, "-days", "2", "-subj", f"/CN={name}", "-out", made.certificate)
        return made
    request = str(folder / f"{name}.csr")
    openssl("req", "-new", "-key", made.key, "-subj", f"/CN={name}", "-out", request)
    openssl("x509", "-req", "-in", request, "-CA", f"{authority}/ca.pem", "-CAkey", f"{authority}/ca.key", "-CAcreateserial",
            "-days", "2", "-out", made.certificate)
    return made


def make(folder, name="IP:127.0.0.1,DNS:localhost", days=2):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def openssl(*argv):
        subprocess.run(["openssl", *argv], cwd=folder, check=True, capture_output=True)

    for who in ("ca", "server"):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{who}.key")
    (folder / "extensions").write_text(f"subjectAltName={name}\nbasicConstraints=CA:FALSE\n")
    openssl("req", "-x509", "-new", "-key", "ca.key", "-days", "2", "-subj", "/CN=oauthctl test CA", "-out", "ca.pem")
    openssl("req", "-new", "-key", "server.key", "-subj", "/CN=oauthctl test server", "-out", "server.csr")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", str(days), "-extfile", "extensions", "-out", "server.pem")
    return Certificates(str(folder / "ca.pem"), str(folder / "server.pem"), str(folder / "server.key"))
