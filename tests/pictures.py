"""Pictures of the running app.

`python -m tests.pictures` makes those that READMEs show; `python -m tests.pictures FOLDER`
photographs every page from top to bottom in four looks, light and dark, on a desktop and on a
phone, for whoever changes a page to look at.
"""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from core import Setup, pretrained, run
from pages.shared.link import write_link
from pages.shared.link.pages import PAGES
from pages.shared.page_components.bring.shelf import examples, link_of
from tests.benchmarks.server import ROOT, serving
from tests.helpers import ASKED_NOTHING, FLAGS, find_chromium

SHOWN = [
    step for step in PAGES if step.path != "model" or pretrained.names()
]  # that one has nothing to show without a model
REAL = "init=real&text=the+nurse+told+the+doctor+that+she+was+tired&query=8&key=10&layer=6&head=10"
PICTURES = {  # by name: the link and the window
    "overview": ("", (1440, 1000)),
    "bring": (f"bring?{write_link(link_of(examples()[0]))}", (1440, 1180)),
    "lecture": ("scores?lecture=on&beat=6", (1280, 720)),
} | ({"model": (f"model?{REAL}", (1440, 1000))} if pretrained.names() else {})
SETUP = Setup(text="the cat drank the milk", d_k=3, heads=2)
IN_A_NOTEBOOK = """<!doctype html>
<style>body { margin: 20px } pre { padding: 12px; background: #f3f5f8 }</style>
<pre>trace = ae.run(ae.Setup(text="the cat drank the milk", d_k=3, heads=2))
trace["weights"]</pre>"""
LOOKS = {
    f"{scheme} {device}": {"color_scheme": scheme, "viewport": size}
    for scheme in ("light", "dark")
    for device, size in (
        ("desktop", {"width": 1440, "height": 900}),
        ("phone", {"width": 390, "height": 844}),
    )
}


def settled(page: Page, url: str) -> None:
    """Open a page and wait until all of it is drawn."""
    page.add_init_script(ASKED_NOTHING)
    page.goto(url)
    page.wait_for_selector(".ab-host > svg")
    page.get_by_text("is being measured").first.wait_for(state="hidden")
    page.wait_for_load_state("networkidle")


def for_readme(browser: Browser, url: str) -> None:
    """Those in `assets`, three quarters of their size on screen."""
    for name, (path, (width, height)) in PICTURES.items():
        page = browser.new_page(viewport={"width": width, "height": height})
        settled(page, f"{url}/{path}")
        save(page, name)
    page = browser.new_page(viewport={"width": 760, "height": 600})
    page.set_content(IN_A_NOTEBOOK + run(SETUP)["weights"]._repr_html_())
    page.wait_for_selector(".ab-host > svg")
    page.mouse.move(350, 150)  # over a weight
    save(page, "notebook")


def save(page: Page, name: str) -> None:
    """Save a window as a picture in `assets` and close it."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    width, height = picture.size
    small = picture.resize((width * 3 // 4, height * 3 // 4), Image.Resampling.LANCZOS)
    small.save(ROOT / "assets" / f"{name}.webp", quality=86, method=6)
    page.close()


def in_four_looks(browser: Browser, url: str, folder: Path) -> None:
    """Every page in full: the window is made as high as the page."""
    folder.mkdir(parents=True, exist_ok=True)
    for look, options in LOOKS.items():
        for step in SHOWN:
            page = browser.new_page(**options)
            settled(page, f"{url}/{step.path}")
            height = page.evaluate(
                "() => document.querySelector('[data-testid=stMain]').scrollHeight"
            )
            page.set_viewport_size({"width": options["viewport"]["width"], "height": height})
            page.wait_for_load_state("networkidle")
            page.screenshot(path=folder / f"{step.path or 'overview'} {look}.png")
            page.close()


def main() -> None:
    with serving(ROOT / "streamlit_app.py") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        if len(sys.argv) > 1:
            in_four_looks(browser, server.url, Path(sys.argv[1]))
        else:
            for_readme(browser, server.url)
        browser.close()


if __name__ == "__main__":
    main()
