"""Make the README's pictures from the running app: `python -m tests.pictures`."""

import io

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.benchmarks.server import ROOT, serving
from tests.conftest import FLAGS, find_chromium

PICTURES = {"overview": ("", 1000), "scores": ("scores", 1150)}


def main() -> None:
    with serving(ROOT / "streamlit_app.py") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for name, (path, height) in PICTURES.items():
            page = browser.new_page(viewport={"width": 1440, "height": height})
            page.goto(f"{server.url}/{path}")
            page.wait_for_selector(".ab-svg")
            page.wait_for_load_state("networkidle")
            picture = Image.open(io.BytesIO(page.screenshot()))
            picture.quantize(128).save(ROOT / "assets" / f"{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
