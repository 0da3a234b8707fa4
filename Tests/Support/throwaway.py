"""What the tests' throw-away servers have in common: a cache, a private folder for each port, up, down and run."""
import argparse
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.environ.get("OAUTHCTL_TEST_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "oauthctl-tests")


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def locked(path):
    """A lock on that file, held until the file given back is closed."""
    lock = open(path, "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def copy_certificates(folder):
    """The servers' authority and certificates, made once for a month; make-ca says which."""
    kept = os.path.join(CACHE, "tls")
    os.makedirs(CACHE, exist_ok=True)
    with locked(kept + ".lock"):
        subprocess.run([os.path.join(HERE, "make-ca"), kept], check=True, stdout=sys.stderr)
        shutil.copytree(kept, folder)


def state_base():
    base = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"oauthctl-tests-{os.getuid()}")
    os.makedirs(base, mode=0o700, exist_ok=True)
    if os.path.islink(base) or os.stat(base).st_uid != os.getuid():
        fail(f"{base} belongs to somebody else")
    return base


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Throwaway:
    """One kind of server. Subclasses have `name`, and these:

    fetch()                                 downloads what it needs, where that is not done yet
    start(port, scheme, folder, redirects)  starts it (with `launch`) and gives its description
    """

    def state_folder(self, port):
        """Where the server of that port keeps everything. Private, and not somebody else's."""
        return os.path.join(state_base(), f"{self.name}-{port}")

    def launch(self, folder, command, **more):
        """Starts the program, whose command line must have the folder in it: so it is known again."""
        with open(folder + "/output.log", "wb") as output:
            # in a session of its own: a Ctrl-C at the terminal is for who started this, who then calls `down`
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **more)
        with open(folder + "/pid", "w") as file:
            file.write(str(process.pid))
        return process

    def server_pid(self, folder):
        """The process id of that folder's server where it runs, else nothing."""
        try:
            with open(folder + "/pid") as file:
                pid = int(file.read())
            with open(f"/proc/{pid}/cmdline", "rb") as file:  # a recycled id is not ours
                return pid if folder.encode() + b"/" in file.read() else None
        except (OSError, ValueError):
            return None

    def stop(self, folder):
        pid = self.server_pid(folder)
        if pid:
            os.killpg(pid, signal.SIGKILL)  # their own ways down take seconds, for nothing that is needed here
            for _ in range(200):
                if not self.server_pid(folder):
                    break
                try:
                    os.waitpid(pid, os.WNOHANG)  # where it is our child
                except ChildProcessError:
                    pass
                time.sleep(0.01)
        shutil.rmtree(folder, ignore_errors=True)

    def lock(self):
        return locked(f"{state_base()}/{self.name}.lock")

    def down(self, port):
        with self.lock():
            self.stop(self.state_folder(port))

    def up(self, port, tls, redirects):
        """Starts the server, or finds it up already. Gives its description."""
        self.fetch()
        port = port or free_port()
        scheme = "https" if tls else "http"
        folder = self.state_folder(port)
        with self.lock():
            if self.server_pid(folder):
                with open(folder + "/info.json") as file:
                    info = json.load(file)
                if info["issuer"].startswith(scheme + ":") and info["more_redirects"] == redirects:
                    return info
                self.stop(folder)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError as error:
                    fail(f"port {port}: {error.strerror}")
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder, mode=0o700)
            try:
                info = self.start(port, scheme, folder, redirects)
            except BaseException as error:
                log = subprocess.run(["tail", "-n", "20", f"{folder}/{self.name}.log", folder + "/output.log"],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
                self.stop(folder)
                if isinstance(error, (RuntimeError, subprocess.CalledProcessError)):
                    fail(f"{error}\n{log}")
                raise
            with open(folder + "/info.json", "w") as file:
                json.dump(info, file, indent=1, ensure_ascii=False)
        return info

    def run(self, port, tls, redirects, command):
        """Runs the command beside a server of its own. Gives the command's exit status."""
        info = self.up(port, tls, redirects)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))
        child = None
        try:
            environment = {**os.environ, f"{self.name.upper()}_INFO": self.state_folder(info["port"]) + "/info.json"}
            try:
                child = subprocess.Popen(command, env=environment)
            except OSError as error:
                fail(f"{command[0]}: {error.strerror}")
            while True:
                try:
                    status = child.wait()
                    return status if status >= 0 else 128 - status
                except KeyboardInterrupt:
                    continue  # the command got it too, and decides
        finally:
            if child and child.poll() is None:
                child.terminate()
                child.wait()
            self.down(info["port"])

    def main(self, doc):
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("fetch")
        for name in ("up", "down", "run"):
            action = actions.add_parser(name)
            action.add_argument("port", type=int)
            if name != "down":
                action.add_argument("--tls", action="store_true")
                action.add_argument("--redirect-uri", action="append", default=[])
            if name == "run":
                action.add_argument("command", nargs=argparse.REMAINDER)
        options = parser.parse_args()
        if options.action == "fetch":
            self.fetch()
        elif options.action == "down":
            self.down(options.port)
        elif options.action == "run":
            sys.exit(self.run(options.port, options.tls, options.redirect_uri, options.command))
        else:
            json.dump(self.up(options.port, options.tls, options.redirect_uri), sys.stdout, indent=1, ensure_ascii=False)
            print()
