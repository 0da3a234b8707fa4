"""A headless Chromium, driven through its DevTools pipe: what it asked for, what it complained about, what it shows."""

import base64
import json
import os
import select
import subprocess
import time


class Chromium:
    def __init__(self, profile):
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()
        self.out, self.inp, self.buffer = ours_out, ours_in, b""
        self.events, self.replies, self.last = [], {}, 0

        def descriptors():
            # 3 and 4 are what --remote-debugging-pipe means; high copies first, so that neither is overwritten
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            high_reading, high_writing = os.dup2(reading, 50), os.dup2(writing, 51)
            os.dup2(high_reading, 3)
            os.dup2(high_writing, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--no-proxy-server", "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "HOME": str(profile), "LANG": "C.UTF-8"},
            start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Security"):
            self.call(domain + ".enable")

    session = None

    def call(self, method, timeout=30, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while self.last not in self.replies:
            self.pump(deadline - time.monotonic())
        reply = self.replies.pop(self.last)
        assert "error" not in reply, f"{method}: {reply['error']}"
        return reply["result"]

    def pump(self, wait):
        assert wait > 0, "chromium does not answer"
        if not select.select([self.inp], [], [], wait)[0]:
            return
        chunk = os.read(self.inp, 1 << 20)
        assert chunk, f"chromium ended with {self.process.poll()}"
        *messages, self.buffer = (self.buffer + chunk).split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self.replies[message["id"]] = message
            else:
                self.events.append(message)

    def settle(self, seconds):
        """Gathers events for a while."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.pump(left)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def visit(self, url, timeout=30):
        """Goes to a page and waits until it has loaded, and a little longer for what it does afterwards."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + timeout
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.pump(deadline - time.monotonic())
        self.settle(0.7)

    def of(self, method):
        return [event["params"] for event in self.events if event["method"] == method]

    @property
    def requested(self):
        return [event["request"]["url"] for event in self.of("Network.requestWillBeSent")]

    @property
    def complaints(self):
        """Console messages, exceptions, violations of the page's own policy, failed loads."""
        found = [entry["entry"]["text"] for entry in self.of("Log.entryAdded")]
        found += [str(call["args"]) for call in self.of("Runtime.consoleAPICalled")]
        found += [str(thrown["exceptionDetails"]) for thrown in self.of("Runtime.exceptionThrown")]
        return found + [failure["errorText"] for failure in self.of("Network.loadingFailed")]

    def evaluate(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        os.close(self.out)
        os.close(self.inp)
