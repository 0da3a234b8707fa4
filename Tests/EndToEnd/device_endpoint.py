"""Device authorization (RFC 8628): scripted answers to polls, and a clock that no poll may run ahead of."""

import dataclasses
import secrets
import time

from faults import Fault, Reply
from server_parts import Client, Feature, Grant, Refusal

ERRORS = {
    "pending": "authorization_pending", "slow_down": "slow_down", "denied": "access_denied", "expired": "expired_token"}
HTML = b"<!doctype html><html><body><h1>Service unavailable</h1></body></html>"


@dataclasses.dataclass
class Device:
    client: Client
    grant: Grant
    user_code: str
    interval: float  # as the client has to know it by now
    ends: float
    decision: str | None = None  # approved, denied
    asked_at: float | None = None  # the last poll, time.monotonic()
    is_over: bool = False


class DeviceEndpoint(Feature):
    """`server.device`.

    `answers` are given to the polls in turn; each is `pending`, `slow_down`, `denied`, `expired`, `ok`, `html` (a page
    with 503), `drop` (the connection closes), a pair of one of the first four with a status or with members for the reply
    (`("slow_down", {"interval": 7})`), or a Fault. After the last one, a poll is answered by what the person has done:
    visited verification_uri_complete, or as a test says by approve() and deny().
    """

    routes = {
        "/device": ("device", "start"), "/mtls/device": ("device", "start"), "/activate": ("activation", "activate")}

    def __init__(self, server):
        super().__init__(server)
        self.answers = []
        self.interval = 1  # seconds; the client has to take 5 where it is not told
        self.slow_down = 5  # seconds that each slow_down adds, for good
        self.expires_in = 300
        self.tells_interval = True
        self.tells_complete = True
        self.uri_name = "verification_uri"  # or verification_url
        self.numbers_as_text = False
        self.reply_changes = {}  # None takes a member out
        self.approves_on_visit = True
        self.slack = 0.02  # seconds that a poll may come early by: the client's clock starts when the reply is there
        self.codes = {}  # by device_code
        self.gaps = []  # seconds between polls

    def metadata(self):
        return {"device_authorization_endpoint": self.url("/device")} if self.enabled else {}

    def start(self, request):
        if not self.enabled:
            raise Refusal("invalid_request", "this server has no device authorization", 404)
        resources, audience = self.server.targets.named(request.pairs)
        grant = Grant(
            request.client, request.form.get("scope", ""), request.form.get("nonce"), None, None, self.server.subject,
            resources=resources, audience=audience)
        device_code = "dc-" + secrets.token_urlsafe(24)
        user_code = "-".join("".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(4)) for _ in range(2))
        interval = self.interval if self.tells_interval else 5
        self.codes[device_code] = Device(request.client, grant, user_code, interval, time.time() + self.expires_in)
        self.server.secrets.add(device_code)
        page = self.url("/activate")
        reply = {
            "device_code": device_code, "user_code": user_code, self.uri_name: page, "expires_in": self.expires_in,
            "verification_uri_complete": f"{page}?user_code={user_code}" if self.tells_complete else None,
            "interval": self.interval if self.tells_interval else None, **self.reply_changes}
        if self.numbers_as_text:
            reply = {k: str(v) if isinstance(v, (int, float)) else v for k, v in reply.items()}
        return Reply.of({k: v for k, v in reply.items() if v is not None}, Cache_Control="no-store")

    def poll(self, request):
        device = self.codes.get(request.form.get("device_code"))
        if device is None or device.client is not request.client:
            raise Refusal("invalid_grant", "the device_code is not known")
        for line in self.pace(device, request.at):
            self.server.note("poll", line)
        answer = self.answers.pop(0) if self.answers else {"approved": "ok", "denied": "denied"}.get(device.decision, "pending")
        if time.time() > device.ends and answer == "pending":
            answer = "expired"
        if isinstance(answer, Fault):
            return answer.change(self.give(device, request) if answer.after_work else None)
        answer, more = answer if isinstance(answer, tuple) else (answer, {})
        if answer == "drop":
            return Reply(drop=True)
        if answer == "html":
            return Reply(503, HTML, {"Content-Type": "text/html"})
        if answer == "ok":
            return self.give(device, request)
        return self.refuse(device, answer, more)

    def refuse(self, device, answer, more):
        status, members = (more, {}) if isinstance(more, int) else (400, more)
        if answer == "slow_down":
            device.interval = max(device.interval + self.slow_down, float(members.get("interval", 0)))
        if answer in ("denied", "expired"):
            device.is_over = True
        return Reply.of({"error": ERRORS[answer], **members}, status)

    def give(self, device, request):
        device.is_over = device.grant.used = True
        self.server.grants.append(device.grant)
        return self.server.tokens(device.grant, self.server.expires_in, self.server.gives_refresh_token, request)

    def pace(self, device, now):
        """What is wrong with the time of a poll."""
        if device.is_over:
            yield "it goes on after the last answer"
        if time.time() > device.ends + 1:
            yield f"{time.time() - device.ends:.1f} s after the code's end"
        if device.asked_at is not None:
            gap = now - device.asked_at
            self.gaps.append(gap)
            if gap < device.interval - self.slack:
                yield f"after {gap:.2f} s, {device.interval} are the least"
        device.asked_at = now

    # The person ----------------------------------------------------------------------------------------------------

    def activate(self, request):
        """The page that verification_uri_complete leads to: a visit is an approval."""
        page = Reply(200, b"<!doctype html><title>done</title>", {"Content-Type": "text/html"})
        if "user_code" in request.query and self.approves_on_visit:
            if request.query["user_code"] not in [one.user_code for one in self.codes.values()]:
                return Reply(404, page.body, page.headers)
            self.approve(request.query["user_code"])
        return page

    def approve(self, user_code=None):
        self.device(user_code).decision = "approved"

    def deny(self, user_code=None):
        self.device(user_code).decision = "denied"

    def device(self, user_code=None):
        """The one with that code, or the newest."""
        return [one for one in self.codes.values() if user_code in (None, one.user_code)][-1]
