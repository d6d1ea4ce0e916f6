"""Nothing is lost on a walk: acts of many kinds, one soon after the other and drawn at random, against a list of what each did.

The rules of test_state.py hold for pairs of acts; a walk meets what nobody thought of as a pair.
"""

import os
from random import Random
from urllib.parse import parse_qsl

import pytest
from helpers import address, middle, place, steps
from playwright.sync_api import expect

from core.setup import CHOICES, RANGES
from pages.shared.link import DEFAULT_PARAMETERS, PRESETS, preset_changes
from pages.shared.steps import find
from tests.test_browser import cell
from tests.test_state import option, sentence, settled, unfold

pytestmark = pytest.mark.browser
ACTS = 12
# With STATE=all in the environment, more walks; each can be walked again by its number.
WALKS = range(80 if os.environ.get("STATE") == "all" else 4)
GAPS = 20, 60, 120, 200, 300  # milliseconds until the next act
PAGES = "scores", "weights", "context", "heads", "masks", "block"
OPTIONS = "mask", "positions", "init", "scale"
SLIDERS = "d_model", "d_k", "d_v"
STARTS = "Biases · N3", "Small · class", "Sentence · N4"  # in which no slider is tied


class Walk:
    """A reader's acts, and what a history must hold that has one entry for each of them."""

    def __init__(self, page, number: int):
        self.page, self.random = page, Random(number)
        self.entries: list[dict] = [{"page": "scores"}]
        self.at = 0
        self.told: list[str] = []
        self.begin = place(page)

    @property
    def now(self) -> dict:
        """What the last act made of the page and the link."""
        return self.entries[self.at]

    def did(self, words: str, **changes: object) -> None:
        """Note an act. One that changes nothing is no step."""
        self.told.append(words)
        parameters = {name: None if value is None else str(value) for name, value in changes.items()}
        entry = {
            name: value for name, value in (self.now | parameters).items() if value not in (None, DEFAULT_PARAMETERS.get(name))
        }
        if entry != self.now:
            self.entries[self.at + 1 :] = [entry]
            self.at += 1

    def fresh(self, name: str, values: tuple):
        """One of these values that the field had at no step: until an answer comes, a control may still show any of those,
        and to choose what it shows is no act."""
        unused = [
            value for value in values if all(entry.get(name, DEFAULT_PARAMETERS[name]) != str(value) for entry in self.entries)
        ]
        return self.random.choice(unused) if unused else None

    def write(self) -> None:
        """Mark the sentence, type another, and confirm it or go on to a page by the mouse."""
        text = f"walk {len(self.told)} of {self.random.randrange(1000)} steps"
        sentence(self.page).click(click_count=3)
        self.page.keyboard.type(text)
        if self.random.random() < 0.5:
            self.page.keyboard.press("Enter")
            self.did(f"typed “{text}”", text=text)
        else:
            self.did(f"typed “{text}” and", text=text)
            self.turn()

    def turn(self) -> None:
        """Choose another page in the bar."""
        path = self.random.choice([path for path in PAGES if path != self.now["page"]])
        self.page.mouse.click(*middle(self.page, f".ab-bar a[href*='/{path}']"), delay=self.random.choice((0, 80)))
        self.did(f"page {path}", page=path)

    def key(self) -> None:
        """Turn the page by an arrow key."""
        self.page.evaluate("document.activeElement.blur()")
        by = self.random.choice((-1, 1))
        at = PAGES.index(self.now["page"]) + by
        if 0 <= at < len(PAGES):
            self.page.keyboard.press("ArrowRight" if by > 0 else "ArrowLeft")
            self.did(f"arrow to {PAGES[at]}", page=PAGES[at])

    def link(self) -> None:
        """Follow one of the links that choose what is looked at, where the page has some."""
        expect(self.page.locator("h1")).to_contain_text(find(self.now["page"]).title)
        at, sets = self.random.randrange(9), "[...document.querySelectorAll('.stMain a[data-sets]')]"
        if name := self.page.evaluate(f"(at) => {sets}[at]?.dataset.sets", at):
            self.page.mouse.click(*middle(self.page, f".stMain a[data-sets='{name}']"), delay=self.random.choice((0, 80)))
            self.did(name, **dict(parse_qsl(name)))

    def load(self) -> None:
        """Load the page anew."""
        self.page.reload()
        self.told.append("reload")
        self.page.wait_for_selector("html[data-acts]", state="attached")
        unfold(self.page, "choices_panel")

    def choose(self) -> None:
        """Choose an option."""
        name = self.random.choice(OPTIONS)
        value = self.fresh(name, tuple(v for v in CHOICES[name] if v != "trained"))
        if value is not None:
            option(self.page, name, value).click(delay=self.random.choice((0, 80)))
            self.did(f"{name} {value}", **{name: value})

    def slide(self) -> None:
        """Bring a slider to one of its ends."""
        name = self.random.choice(SLIDERS)
        value = self.fresh(name, RANGES[name])
        if value is not None:
            self.page.locator(f".st-key-{name} input[type=range]").focus()
            self.page.keyboard.press("Home" if value == RANGES[name][0] else "End")
            self.did(f"{name} {value}", **{name: value})

    def click(self) -> None:
        """Choose a score, where they stand."""
        if self.now["page"] == "scores":
            expect(self.page.locator("h1")).to_have_text("4 · Scores")
            row, column = self.random.randrange(4), self.random.randrange(4)
            self.page.mouse.click(*cell(self.page, "scores", row, column))
            self.did(f"score {row + 1}, {column + 1}", query=row + 1, key=column + 1)

    def start(self) -> None:
        """Start from a preset."""
        name = self.random.choice(STARTS)
        self.page.get_by_role("button", name=name).click(delay=self.random.choice((0, 80)))
        own = {"text": PRESETS[name]["text"]} if "text" in PRESETS[name] else {}
        self.did(f"preset {name}", **(preset_changes(name) | own))

    def go(self, by: int) -> None:
        """Back or Forward, and until the browser is there: it does them when it finds the time, and an act that reaches it
        earlier comes first."""
        if 0 <= self.at + by < len(self.entries):
            self.at += by
            self.told.append("Back" if by < 0 else "Forward")
            self.page.evaluate("(by) => history.go(by)", by)
            self.page.wait_for_function(
                "([key, at]) => navigation.currentEntry.index === navigation.entries().findIndex((e) => e.key === key) + at",
                arg=[self.begin, self.at],
            )

    def back(self) -> None:
        """Undo an act."""
        self.go(-1)

    def forward(self) -> None:
        """Do an act again."""
        self.go(1)

    def holds(self) -> None:
        """The page, the link, each control and the place in the history are what they should be."""
        names = {name for entry in self.entries for name in entry if name != "page"}
        try:
            settled(self.page, **{name: self.now.get(name) for name in names})
            expect(self.page.locator("h1")).to_contain_text(find(self.now["page"]).title)
            assert steps(self.page, self.begin) == self.at
        except Exception as error:
            raise AssertionError(f"{'; '.join(self.told)}: should be {self.now}, is {address(self.page)}") from error


@pytest.mark.parametrize("number", WALKS)
def test_nothing_is_lost_on_a_walk(visit, lines, number):
    """After some acts of a quick hand all of them count, and Back undoes them one by one, to the first."""
    page = visit("scores", lines[100 * (number % 2)])
    unfold(page, "choices_panel")
    walk = Walk(page, number)
    acts = [walk.write, walk.turn, walk.key, walk.link, walk.choose, walk.slide, walk.click, walk.start, walk.load]
    acts += [walk.choose, walk.slide, walk.back, walk.back, walk.forward]
    for _ in range(ACTS):
        walk.random.choice(acts)()
        page.wait_for_timeout(walk.random.choice(GAPS))
    walk.holds()
    while walk.at:
        walk.back()
        walk.holds()
