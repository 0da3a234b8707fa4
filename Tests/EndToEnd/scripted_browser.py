"""Acts as a browser: fetches the URL it is given, follows to the loopback listener, and leaves a record.

scripted_browser.py [--record FILE] [--linger SECONDS] [--no-follow] URL
"""

import argparse
import html
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("--record", help="where a JSON of argv, environment and the last page goes")
parser.add_argument("--linger", type=float, default=0, help="seconds to stay alive afterwards")
parser.add_argument("--no-follow", action="store_true", help="opens nothing at all")
options = parser.parse_args()

record = {"url": options.url, "environment": dict(os.environ), "pid": os.getpid(), "session": os.getsid(0)}
record["descriptors"] = {}
for name in os.listdir("/proc/self/fd"):
    try:
        record["descriptors"][name] = os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        pass  # the listing's own descriptor
with open(f"/proc/{os.getpid()}/cmdline", "rb") as command_line:
    record["argv"] = command_line.read().decode().split("\0")
if not options.no_follow:
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(options.url, timeout=20) as page:
            record["status"], record["page"] = page.status, page.read().decode()
            record["headers"] = dict(page.headers.items())
            here, _, fragment = page.url.partition("#")
        if form := re.search(r'<form method="post" action="([^"]+)">(.*?)</form>', record["page"]):  # the page submits it
            fields = re.findall(r'name="([^"]*)" value="([^"]*)"', form.group(2))
            body = urllib.parse.urlencode([(html.unescape(name), html.unescape(value)) for name, value in fields])
            request = urllib.request.Request(html.unescape(form.group(1)), body.encode(), {
                "Content-Type": "application/x-www-form-urlencoded", "Origin": "/".join(here.split("/")[:3]),
                "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})
            with opener.open(request, timeout=20) as page:
                record["status"], record["page"] = page.status, page.read().decode()
                record["headers"] = dict(page.headers.items())
        if fragment and "fetch(location.pathname" in record["page"]:  # what the page's script does with it
            origin = "/".join(here.split("/")[:3])
            request = urllib.request.Request(here.partition("?")[0], fragment.encode(), {
                "Content-Type": "application/x-www-form-urlencoded", "Origin": origin, "Sec-Fetch-Site": "same-origin"})
            with opener.open(request, timeout=20) as page:
                record["status"], record["page"] = page.status, page.read().decode()
    except urllib.error.HTTPError as error:
        record["status"], record["page"] = error.code, error.read().decode()
    except OSError as error:
        record["failure"] = str(error)
if options.record:
    with open(options.record + ".new", "w") as file:
        json.dump(record, file)
    os.rename(options.record + ".new", options.record)
time.sleep(options.linger)
sys.exit(0)
