"""The page that the browser shows at the end, in a real Chromium: success and failure, light and dark."""

import os
import pathlib

import pytest

import loopback
from chromium import Chromium

# the text and the background of what can be seen, and whether something sticks out of the window
LOOK = """(() => {
  const number = (c) => c.match(/[0-9.]+/g).map(Number);
  const background = (e) => {
    for (; e; e = e.parentElement) {
      const [r, g, b, a = 1] = number(getComputedStyle(e).backgroundColor);
      if (a > 0.5) return [r, g, b];
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const texts = [...document.querySelectorAll('h1, h2, p, code, li')].filter((e) => e.innerText.trim());
  return {
    title: document.title, text: document.body.innerText, base: light(background(document.body)),
    contrast: Math.min(...texts.map((e) => {
      const pair = [light(number(getComputedStyle(e).color).slice(0, 3)), light(background(e))].sort((a, b) => b - a);
      return (pair[0] + 0.05) / (pair[1] + 0.05);
    })),
    wide: document.documentElement.scrollWidth > innerWidth, scripts: document.scripts.length,
    language: document.documentElement.lang,
  };
})()"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    browser = Chromium(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


def show(chromium, acme, oauthctl, scheme, name):
    flow = oauthctl.start("login", "acme", "--no-browser")
    callback = acme.approve(flow.url())
    chromium.prefer(scheme)
    chromium.visit(callback)
    if folder := os.environ.get("E2E_SCREENSHOTS"):
        chromium.screenshot(pathlib.Path(folder) / f"callback-{name}-{scheme}.png")
    return flow, callback


def assert_clean(chromium, callback):
    icon = callback.split("/callback")[0] + "/favicon.ico"
    extra = [url for url in chromium.requested if url not in (callback, icon) and not url.startswith("data:")]
    assert extra == [] and callback in chromium.requested
    assert chromium.complaints == []


def assert_good_looking(look, scheme):
    assert look["contrast"] >= 4.5, "the text is hard to read"
    assert (look["base"] < 0.2) is (scheme == "dark"), "the page does not follow the colour scheme"
    assert not look["wide"] and look["title"] and look["language"] and look["scripts"] == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_success_is_shown_cleanly(chromium, acme, oauthctl, scheme):
    flow, callback = show(chromium, acme, oauthctl, scheme, "success")
    assert flow.wait().code == 0
    assert_clean(chromium, callback)
    look = chromium.evaluate(LOOK)
    assert_good_looking(look, scheme)
    query = loopback.parameters(callback)
    shown = chromium.evaluate("document.documentElement.outerHTML")
    assert query["code"] not in shown and query["state"] not in shown
    assert not [secret for secret in acme.secrets if secret in shown]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_failure_is_shown_cleanly_and_looks_different(chromium, acme, oauthctl, scheme):
    acme.callback = lambda query, reply: {
        "error": "access_denied", "error_description": "<img src=x onerror=alert(1)><b>Alice</b> said no",
        "state": reply["state"]}
    flow, callback = show(chromium, acme, oauthctl, scheme, "failure")
    assert flow.wait().code == 77
    assert_clean(chromium, callback)
    look = chromium.evaluate(LOOK)
    assert_good_looking(look, scheme)
    assert chromium.evaluate("document.querySelectorAll('img[src=x], b').length") == 0
    assert "said no" in look["text"] or "access_denied" in look["text"] or "terminal" in look["text"]


def test_success_and_failure_read_differently(chromium, acme, oauthctl):
    flow, _ = show(chromium, acme, oauthctl, "light", "success-again")
    flow.wait()
    good = chromium.evaluate("document.body.innerText")
    acme.callback = lambda query, reply: {"error": "access_denied", "state": reply["state"]}
    flow, _ = show(chromium, acme, oauthctl, "light", "failure-again")
    flow.wait()
    assert chromium.evaluate("document.body.innerText") != good


def test_a_stray_page_is_clean_too_and_the_login_goes_on(chromium, acme, oauthctl):
    flow = oauthctl.start("login", "acme", "--no-browser")
    callback = acme.approve(flow.url())
    chromium.visit(loopback.changed(callback, state="wrong"))
    assert flow.alive and acme.count("token") == 0
    assert [text for text in chromium.complaints if "status of 4" not in text] == []
    chromium.visit(callback)
    assert flow.wait().code == 0
