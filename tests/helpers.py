"""Shared by the tests: the app as AppTest runs it, and as a real browser meets it. Every test has
its fixtures."""

import base64
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import settings
from playwright.sync_api import expect, sync_playwright
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from core import Setup, export
from pages.shared.link.pages import find
from tests.benchmarks.server import serving
from tests.slow_line import slow_line
from tests.strategies import FUZZ

# As in the app: sums are rounded in the same order everywhere.
os.environ.setdefault("MKL_CBWR", "AVX2")
torch.set_num_threads(1)

# AppTest looks through all installed packages for components at every run, which takes ten times as
# long as a page: once is enough.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
# It also compiles the entry point and the page anew for each test, a quarter of what a page takes.
app_test.ScriptCache = local_script_runner.ScriptCache = cache(local_script_runner.ScriptCache)

ROOT = Path(__file__).parents[1]
# Tests read no models of a developer's own, of which there may be many.
os.environ.setdefault("ATTENTION_MODELS", str(ROOT / "tests" / "no models"))
# Where a change is judged the draws are the same each time, as in Hypothesis's own profile for
# that; elsewhere they are new ones.
settings.register_profile(
    "explorer",
    deadline=None,
    print_blob=True,
    max_examples=40 * FUZZ,
    derandomize="CI" in os.environ,
)
settings.load_profile("explorer")
# Two cores that also run everything else: a page may be slow without being wrong. Milliseconds.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


def derived(setup: Setup) -> dict:
    """What the exported script of a setup ends with, by name; its checks hold."""
    derivation, names = export.derivation(setup), {}
    with TemporaryDirectory() as folder, chdir(folder):
        safetensors.torch.save_file(dict(derivation.file), export.FILE)
        exec(compile(derivation.script, "attention.py", "exec"), names)
    return names


def app(page: str = "pages/0_overview.py", **parameters: object) -> AppTest:
    """The app at one page, opened by a link with these parameters, as Streamlit's documentation
    opens one."""
    at = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE / 1000)
    for name, value in parameters.items():
        at.query_params[name] = str(value)
    return at.switch_page(page).run()


def change(at: AppTest, **parameters: object) -> AppTest:
    """The reader changes these parameters of the link; None takes one out."""
    for name, value in parameters.items():
        if value is None:
            at.query_params.pop(name, None)
        else:
            at.query_params[name] = str(value)
    return at.run()


def panel(at: AppTest) -> dict:
    """What the panel learned of the run: page, link, and what the link does not say by itself."""
    (given,) = components(at.sidebar, "attention_panel")
    return given


def unfolded(at: AppTest, *folds: str) -> AppTest:
    """The same page with these parts open."""
    return change(at, open=",".join(folds))


def unfold(page) -> None:
    """Open what is folded in the panel, unless an earlier test did."""
    page.evaluate("for (const each of document.querySelectorAll('.ab-more')) each.open = true")


def elements(block) -> Iterator:
    """Every element of a page, in the order of the page."""
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from elements(child)
        else:
            yield child


def folds(at: AppTest) -> dict[str, bool]:
    """The parts and tabs of the page that can be unfolded, by their labels: whether each is
    open."""
    html = "".join(e.proto.body for e in elements(at.main) if e.type == "html")
    return {
        unescape(label): 'aria-expanded="true"' in button
        for button, label in re.findall(r"<button([^>]*data-fold=[^>]*)>([^<]*)</button>", html)
    }


def controls(at: AppTest) -> dict[str, dict]:
    """The controls that the page itself draws, by their names, as each was given."""
    return {given["name"]: given for given in components(at.main, "attention_control")}


def boards(at: AppTest) -> list[dict]:
    """What each board on the page was given to draw."""
    return components(at.main, "attention_board")


def codes(at: AppTest) -> list[str]:
    """What stands in each box of code on the page, without its colours."""
    boxes = [
        e.proto.body for e in elements(at.main) if e.type == "html" and "ab-code" in e.proto.body
    ]
    return [unescape(re.sub("<[^>]+>", "", box.partition("<code>")[2])) for box in boxes]


def components(block, name: str) -> list[dict]:
    """What each component of this name was given."""
    found = [e.proto for e in elements(block) if e.type == "bidi_component"]
    return [json.loads(p.bytes) for p in found if p.component_name == name]


def numbers(matrix: dict) -> np.ndarray:
    """The numbers that a board's matrix carries."""
    kind = np.uint16 if matrix.get("shares") else np.float32
    sent, shape = (
        np.frombuffer(base64.b64decode(matrix["values"]), dtype=kind),
        (
            matrix["n"],
            matrix["m"],
        ),
    )
    if matrix.get("triangle"):
        values = np.zeros(shape, dtype=kind)
        values[np.tril_indices(shape[0])] = sent
    else:
        values = sent.reshape(shape)
    return values / 65535 if matrix.get("shares") else values


def find_chromium() -> str | None:
    """The Chromium that CHROMIUM names, or the system's."""
    return (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )


# What pages ask before they show is asked in the tests of it alone (test_predict). And who comes
# for the first time sees less, which test_story looks at: here everybody has been here.
ASKED_NOTHING = (
    "try { localStorage.setItem('attention-predictions', 'off');"
    " localStorage.setItem('attention-grown', '1'); } catch { /* not a page of ours yet */ }"
)
# Of the features: the first three are pages of Chromium's own, which each window starts behind its
# address bar, at a quarter of what loading the app takes; the others are off by Playwright, whose
# list this one replaces.
FEATURES = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,"
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,PreconnectToSearch"
)
FLAGS = [
    *(
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
    ),
    f"--disable-features={FEATURES}",
]


@pytest.fixture(scope="session")
def chromium():
    """A browser for the session. Without one these tests skip and say so; in CI they must run."""
    path = find_chromium()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium on this machine, and CI must run the browser tests")
        pytest.skip("no Chromium on this machine: set CHROMIUM or install the package chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server():
    """One server for all browser tests that do not need a cold one."""
    with serving(ROOT / "streamlit_app.py") as running:
        yield running


@pytest.fixture(scope="session")
def lines(server):
    """The server's address by the milliseconds to it: near by, and behind a slow line, where an
    answer takes 200 more."""
    with slow_line(server.port, 0.1) as port:
        yield {0: server.url, 100: f"http://127.0.0.1:{port}"}


@pytest.fixture(params=[0, 100], ids=["quick line", "slow line"])
def line(request, lines):
    """Where a browser finds the server."""
    return lines[request.param]


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="session")
def browser_of(chromium):
    """A browser in which nothing is remembered but Streamlit's script, which a new one would load
    and compile anew: on a desk or on a phone. It may be given back."""
    free: dict[bool, list] = {True: [], False: []}

    def get(is_phone: bool = False):
        if not free[is_phone]:
            made = chromium.new_context(
                **(PHONE if is_phone else {"viewport": {"width": 1440, "height": 900}})
            )
            made.set_default_timeout(PATIENCE)
            made.add_init_script(ASKED_NOTHING)
            return made
        return free[is_phone].pop()

    def give_back(used, is_phone: bool) -> None:
        for opened in used.pages:
            opened.close()
        used.clear_cookies()
        used.clear_permissions()
        free[is_phone].append(used)

    get.give_back = give_back
    return get


@pytest.fixture(scope="session")
def browser(browser_of):
    """The browser of who reads alone, kept for the session."""
    return browser_of()


READY = """() => {
  const shown = (selector) => document.querySelector(selector)?.getClientRects().length;
  return shown("h1") && shown(".ab-steps a") && document.querySelector("html[data-acts]")
    && document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning"
    && document.querySelectorAll(".stBidiComponent").length > 1
    // a beat may be sentences alone
    && (document.querySelector(".ab-host") || document.documentElement.dataset.lecture)
    && [...document.querySelectorAll(".ab-host")].every((host) => host.children.length)
    && !document.querySelector("[data-testid=stSkeleton]");
}"""


def ready(page) -> None:
    """The run is finished, its last element is there, every board is drawn, and no part of the page
    waits for its script; and the panel is unfolded, as a reader leaves it who works with it."""
    page.wait_for_function(READY)
    unfold(page)


SHOW = """([key, k, t]) => {
  const { motion } = document.querySelector(`.st-key-${key} .ab-host`);
  motion.stop();
  motion.isPlaying = false;
  motion.show(k, t);
}"""


def show(page, key: str, station: int, t: float) -> None:
    """Hold the board's motion at this moment of a station, from 0."""
    page.evaluate(SHOW, [key, station, t])


def open_page(page, server, path: str) -> None:
    """Load the app at this link."""
    page.goto(f"{server.url}/{path}")
    ready(page)


FOLLOW = """(link) => {
  const made = Object.assign(document.createElement("a"), { href: `/${link}` });
  document.body.append(made);
  made.click();
  made.remove();
}"""
ANSWERED = """() => document.documentElement.dataset.answered === "true"
  && !document.querySelector("[data-stale=true]")"""
# In one look: expectations one after the other would each wait for the next one's turn.
THERE = f"""(title) => {{
  const titles = document.querySelectorAll("h1");
  return titles.length === 1 && titles[0].textContent.includes(title) && ({ANSWERED})() &&
    ({READY})();
}}"""


def follow(page, link: str) -> None:
    """From within the app to this link, as by a click on it in a text: all of that view, without
    loading the app anew."""
    page.evaluate(FOLLOW, link)
    path = link.partition("?")[0]
    title = find(path).title if path or "lecture=on" in link else "Attention explorer"
    page.wait_for_function(THERE, arg=title)


def fresh(context, forgets: bool = True):
    """A window without what Streamlit remembers of earlier ones (whether the sidebar was folded
    away), and its script errors."""
    window = context.new_page()
    if forgets:
        forget = {"origin": "*", "storageTypes": "local_storage"}
        context.new_cdp_session(window).send("Storage.clearDataForOrigin", forget)
    errors: list[str] = []
    window.on("pageerror", lambda error: errors.append(str(error)))
    return window, errors


@pytest.fixture(scope="session")
def windows():
    """The windows that `window_of` keeps open, each with the script errors in it."""
    return {}


@pytest.fixture
def window_of(request, browser, server, windows):
    """At a link, a window (one for phones, one for all else) that stays open over the tests:
    loading the app takes longer than most of what is looked at in it. Light or dark it is made as
    by its reader's system, while it is open. A script error fails the test, and after a failure the
    next test has a window of its own. Tests that act have windows apart: they name the line to the
    server."""
    used, failed = set(), request.session.testsfailed

    def at(
        link: str,
        width: int = 1440,
        height: int = 900,
        scheme: str = "light",
        line: str | None = None,
    ):
        kind = width <= 640, line
        used.add(kind)
        if kind not in windows:
            windows[kind] = fresh(browser)
            windows[kind][0].set_viewport_size({"width": width, "height": height})
            windows[kind][0].goto(line or server.url)
            ready(windows[kind][0])
        window, _ = windows[kind]
        # behind another one it would draw, and move its mouse, once a second
        window.bring_to_front()
        # an earlier test may have left it on paper, where a page's end has no links
        window.emulate_media(color_scheme=scheme, media="null", reduced_motion="null")
        window.set_viewport_size({"width": width, "height": height})
        window.evaluate(ASKED_NOTHING)  # a fresh window makes the browser forget it
        follow(window, link)
        return window

    yield at
    mine = {kind: windows[kind] for kind in used if kind in windows}
    script_errors = [error for _, errors in mine.values() for error in errors]
    if script_errors or request.session.testsfailed > failed:
        for kind, (window, _) in mine.items():
            window.close()
            del windows[kind]
    assert script_errors == []


def middle(page, selector: str) -> tuple[float, float]:
    """Where a pointer meets the first of these on screen; found in one step, since it may be drawn
    anew at any time."""
    found = page.wait_for_function(
        """(selector) => {
          const part = document.querySelector(selector);
          part?.scrollIntoView({ block: "center" });
          const box = part?.getBoundingClientRect();
          return box?.width && [box.x + box.width / 2, box.y + box.height / 2];
        }""",
        arg=selector,
    )
    return tuple(found.json_value())


@contextmanager
def pressed(page, place: tuple[float, float]) -> Iterator[None]:
    """A hand that takes its time: what is done meanwhile happens between press and release."""
    page.mouse.move(*place)
    page.mouse.down()
    yield
    page.mouse.up()


def address(page) -> str:
    """What the browser's address bar says now; what Playwright knows of it (`page.url`) may be a
    moment old."""
    return page.evaluate("location.href")


def place(page) -> str:
    """Where the reader is in the browser's history."""
    return page.evaluate("navigation.currentEntry.key")


def steps(page, since: str) -> int:
    """How many steps the reader is past that place. The history's length would not tell: past fifty
    it forgets the oldest."""
    count = (
        "(key) => navigation.currentEntry.index - navigation.entries().findIndex((entry) =>"
        " entry.key === key)"
    )
    return page.evaluate(count, since)


@pytest.fixture
def visit(window_of, server):
    """At a link, in a window that earlier tests acted in too: loading the app takes as long as all
    acts of a test. Nothing has the focus."""

    def at(link: str, line: str | None = None):
        window = window_of(link, line=line or server.url)
        window.evaluate("document.activeElement.blur()")
        return window

    return at


@pytest.fixture
def page(browser):
    """A fresh browser window; a script error on any page fails the test."""
    opened, errors = fresh(browser)
    yield opened
    opened.close()
    assert errors == []


@pytest.fixture
def person(chromium, browser_of):
    """Somebody with a browser of their own; a script error on any page fails the test."""
    browsers, failed = {}, []

    def window(context=None, is_phone: bool = False, width: int = 1366, height: int = 768):
        opened, errors = fresh(context or browser_of(is_phone), forgets=context is None)
        browsers.setdefault(opened.context, is_phone)
        failed.append(errors)
        if not is_phone:
            opened.set_viewport_size({"width": width, "height": height})
        return opened

    yield window
    for browser, is_phone in browsers.items():
        if browser in chromium.contexts:  # a test may have closed it, for what it did to it
            browser_of.give_back(browser, is_phone)
    assert not any(failed), failed
