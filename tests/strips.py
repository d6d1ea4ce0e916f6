"""Strips of frames: what a page's motion shows, for whoever cannot run it.

`python -m tests.strips FOLDER scores weights` films the first board of each of these pages that plays, as ten frames in one picture,
into that folder. A page's link may bring a setup: `python -m tests.strips FOLDER "embedding?text=the+cat+saw+the+dog"`.
"""

import io
import sys
from pathlib import Path

from PIL import Image, ImageOps
from playwright.sync_api import Browser, Locator, sync_playwright

from tests.benchmarks.server import ROOT, serving
from tests.helpers import FLAGS, find_chromium
from tests.pictures import settled

FRAMES, ACROSS, GAP, WIDTHS = 10, 5, 12, (400, 340, 280, 250)  # pictures, in a line; pixels
LATE = 0.9  # how far each tenth has come in its picture: what it does is to be seen
LARGEST = 60_000  # bytes of a strip
# At so much of the whole time, 0 to 1, as one who watches would see it.
SHOW = """(host, share) => {
  const { motion } = host;
  const { piece } = motion;
  cancelAnimationFrame(motion.frame);
  motion.until = -1;
  let left = share * Array.from({ length: piece.count }, (_, k) => piece.lasts(k)).reduce((sum, time) => sum + time, 0);
  for (let k = 0; k < piece.count; k++) {
    if (left <= piece.lasts(k) || k === piece.count - 1) return motion.show(k, Math.min(left / piece.lasts(k), 1));
    left -= piece.lasts(k);
  }
}"""
ALONE = ".ab-player-line, .ab-foot, .st-key-board_bar, [data-testid=stHeader] { display: none !important; }"


def frames(board: Locator) -> list[Image.Image]:
    """The board's motion at equal distances, the last one at its end."""
    taken = []
    for k in range(FRAMES):
        board.evaluate(SHOW, (k + LATE) / FRAMES if k < FRAMES - 1 else 1)
        taken.append(Image.open(io.BytesIO(board.screenshot())).convert("RGB"))
    return taken


def strip(pictures: list[Image.Image], width: int) -> Image.Image:
    """The pictures in lines on white, each so wide, in a frame."""
    small = [picture.resize((width, picture.height * width // picture.width), Image.Resampling.LANCZOS) for picture in pictures]
    framed = [ImageOps.expand(ImageOps.expand(picture, 4, "white"), 1, "#c9d1d9") for picture in small]  # where one ends
    wide, high = framed[0].width + GAP, max(picture.height for picture in framed) + GAP
    made = Image.new("RGB", (ACROSS * wide - GAP, -(-len(framed) // ACROSS) * high - GAP), "white")
    for k, picture in enumerate(framed):
        made.paste(picture, (k % ACROSS * wide, k // ACROSS * high))
    return made


def save(pictures: list[Image.Image], file: Path) -> None:
    """As large and as good as it can be within the size."""
    for width in WIDTHS:
        for quality in range(80, 20, -15):
            strip(pictures, width).save(file, quality=quality, method=6)
            if file.stat().st_size < LARGEST:
                return


def film(browser: Browser, url: str, link: str, folder: Path) -> None:
    """One page's strip."""
    page = browser.new_page(viewport={"width": 1100, "height": 1000})
    settled(page, f"{url}/{link}")
    board = page.locator(".ab-host", has=page.locator(".ab-play")).first
    board.locator(".ab-play").click()
    page.add_style_tag(content=ALONE)
    save(frames(board), folder / f"{link.partition('?')[0]}.webp")
    page.close()


def main() -> None:
    with serving(ROOT / "streamlit_app.py") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for link in sys.argv[2:]:
            film(browser, server.url, link, folder)
        browser.close()


if __name__ == "__main__":
    main()
