"""Make the README's pictures from the running app: `python -m tests.pictures`."""

import io

from PIL import Image
from playwright.sync_api import sync_playwright

from pages.shared.steps import STEPS
from tests.benchmarks.server import ROOT, serving
from tests.conftest import FLAGS, find_chromium

# Each page's first screen, and one beat as a class sees it.
PICTURES = {step.path or "overview": (step.path, (1440, 1000)) for step in STEPS}
PICTURES["lecture"] = ("scores?lecture=on&beat=6", (1280, 720))


def main() -> None:
    with serving(ROOT / "streamlit_app.py") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for name, (path, (width, height)) in PICTURES.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"{server.url}/{path}")
            page.wait_for_selector(".ab-host > *")
            page.wait_for_load_state("networkidle")
            picture = Image.open(io.BytesIO(page.screenshot()))
            small = picture.resize((width * 3 // 4, height * 3 // 4), Image.Resampling.LANCZOS)
            small.convert("RGB").save(ROOT / "assets" / f"{name}.webp", quality=86, method=6)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
