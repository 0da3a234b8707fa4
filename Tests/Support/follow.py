"""The end of a login, for the browsers of the tests' servers: the client's listener is asked for the redirect."""
import sys
import urllib.error
import urllib.parse
import urllib.request


def follow(url):
    """Fetches the redirect, and gives the listener the fragment as its page's script would. Gives what went wrong."""
    where, _, fragment = url.partition("#")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(where, timeout=20) as reply:
            status = reply.status
        if fragment:
            origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(where))
            request = urllib.request.Request(where.partition("?")[0], data=fragment.encode(), headers={
                "Content-Type": "application/x-www-form-urlencoded", "Origin": origin, "Sec-Fetch-Site": "same-origin"})
            with opener.open(request, timeout=20) as reply:
                status = reply.status
        print(f"browser: the redirect was answered with HTTP {status}", file=sys.stderr)
    except urllib.error.HTTPError as error:
        return f"the redirect was answered with HTTP {error.code}"
    except OSError as error:
        return f"the redirect was not answered: {error}"
