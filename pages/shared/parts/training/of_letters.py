"""The training's page where a stack learned letters that begin again: two heads that find the next one, grown, named, switched off.

What takes a moment is measured beside the run: the page is drawn without it first.
"""

from dataclasses import dataclass
from functools import cached_property
from html import escape

import pyarrow as pa
import torch
from torch import Tensor

from core import film, induction, tasks, training_store
from core.setup import Setup
from core.text import labels
from core.training import Trained
from core.written import count
from pages.shared import board
from pages.shared.board import entries
from pages.shared.frame import lecture, show
from pages.shared.frame.page import Page
from pages.shared.link import write_link
from pages.shared.link.focus import Focus
from pages.shared.parts.training import studies
from pages.shared.said import elements, words
from pages.shared.said.claims import induction as claims
from pages.shared.said.claims import training as of_training
from pages.shared.server import beside, computed

MEASURED = "This is being measured. It takes a few seconds, once for all visitors."
STEPS = (
    ("projection", "its key"),
    ("scores", "the products of its score"),
    ("weights", "softmax"),
    ("context", "what it takes over"),
)


def parts(page: Page, setup: Setup, focus: Focus, result: Trained) -> None:
    """All that is shown, in its order."""
    letters = Letters(setup, focus, result)
    page.part()(letters.head)
    page.part("task")(letters.the_task)
    page.part("loss")(letters.how_it_went)
    page.part("film")(letters.the_film)
    page.part("roles")(letters.what_they_are_called)
    page.part("gradient")(letters.every_head)
    page.part("word")(letters.through_both_layers)
    page.part("adam")(letters.switched_off)
    page.part("why")(letters.why_not_one_layer)
    page.part("ask", "answer", in_lecture=True)(letters.your_turn)
    page.part(in_lecture=False)(letters.every_moment)


@dataclass(frozen=True)
class Letters:
    """What the parts of the page show: the setup that has learned, what is looked at, and its training."""

    setup: Setup
    focus: Focus
    result: Trained

    @cached_property
    def alone(self) -> Setup:
        """The setup without its sentence, which nothing that is measured over many rows looks at."""
        return training_store.key(self.setup, "stack")[1]

    @cached_property
    def row(self) -> tuple[str, ...]:
        """The row of letters that is shown."""
        return induction.own_row(self.setup)

    @property
    def is_readers(self) -> bool:
        """Whether it is the reader's own sentence."""
        return self.row == self.setup.tokens

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each place of the row."""
        return labels(self.row)

    @cached_property
    def query(self) -> int:
        """The place that asks, from 0: the reader's, if its letter has come before, or else the last such."""
        asked = self.focus.query - 1
        if self.is_readers and induction.place_after(self.row, asked) is not None:
            return asked
        return max(k for k in range(len(self.row)) if induction.place_after(self.row, k) is not None)

    @cached_property
    def key(self) -> int:
        """The place after the last time that its letter came, from 0."""
        return induction.place_after(self.row, self.query) or 0

    @cached_property
    def found(self) -> induction.Measured:
        """What its heads look at, at the end."""
        return computed.measured(self.alone)

    @cached_property
    def course(self) -> dict[int, induction.Measured] | None:
        """The same at each moment; None while it is being measured."""
        return beside.ask(computed.course, self.alone)

    @cached_property
    def without(self) -> dict[tuple[int, int], induction.Measured] | None:
        """The same without each head; None while it is being measured."""
        return beside.ask(computed.without_each, self.alone)

    def head(self) -> None:
        show.header("training", "A row of letters begins again. Two heads, one above the other, learn to find what comes next.")
        if lecture.current_beat() == "question":
            said = claims.puzzle(self.row, self.query).split(".")[0] + "."
            board.words(self.names, said, query=self.query, asked=None, key="board_question", alt=said)
        elif not lecture.on():
            show.plain(claims.puzzle(self.row, self.query))

    def the_task(self) -> None:
        if not lecture.on():
            return
        given = tasks.examples(self.setup)
        with lecture.large():
            elements.markdown(
                f"Rows of {tasks.LENGTH} letters that begin again after {tasks.PERIODS[0]} to {tasks.PERIODS[1]} places. Training may see "
                f"{len(given.learned):,}, the other {len(given.unseen):,} are only asked, where a letter has come before."
            )
            show.plain("  \n".join(" ".join(given.words[k] for k in given.ids[at].tolist()) for at in given.unseen[:4].tolist()))

    def how_it_went(self) -> None:
        with lecture.large():
            elements.markdown(claims.learned(self.found) + self._way_to_two_layers())
        if not lecture.on():
            return
        studies.curve("loss", False, {"loss": list(enumerate(self.result.losses, start=1))}, of_training.loss(self.result.losses))

    def _way_to_two_layers(self) -> str:
        """Where this setup has not learned it, a link to one that does."""
        if self.found.accuracy >= claims.LEARNED:
            return ""
        return f" [Two layers and 600 steps do]({studies.way('repeat')})."

    def the_film(self) -> None:
        """Both heads, on one row, at each moment of training."""
        moments, result = computed.filmed_layers(self.setup), self.result
        if not len(moments):
            self._no_film()
            return
        shown = list(dict.fromkeys(self.found.pair))
        after = [moment.step for moment in result.moments]
        shares = (
            [moment.accuracy["repeat"] for moment in result.moments]
            if self.course is None
            else [m.accuracy for m in self.course.values()]
        )
        curves = {"right": shares}
        says = [claims.moment(moment.step, loss, (self.course or {}).get(moment.step), moment.accuracy["repeat"], self.found.pair)
                for moment, loss in zip(result.moments, studies.losses_then(result), strict=True)]  # fmt: skip
        if self.course is not None:
            curves |= {
                f"{claims.head(at)} {where}": [found.scores[job, *at].item() for found in self.course.values()]
                for job, (at, where) in enumerate(
                    zip(self.found.pair, ("on the place before", "after the last time"), strict=True)
                )
            }
        board.film(
            *(self._looks(moments[-1], at) for at in shown), before=[self._looks(moments[0], at) for at in shown],
            moments=torch.stack([moments[:, *at] for at in shown], dim=1), losses=result.losses, right=curves, steps=after, says=says,
            found=claims.there_since(self.course, self.found.pair, induction.least(self.setup.seed)) if self.course else None,
            key="board_film", chosen=self._chosen(), chooses=self._chooses(shown), main=len(shown) - 1, part=0.78,
            alt=f"{count(len(after), 'moment')} of training, with the loss, what was right, and two heads' weights. At the end: {says[-1]}",
        )  # fmt: skip
        if not lecture.on():
            if self.course is not None:
                elements.markdown(claims.course(self.course, self.found.pair))
            if other := claims.whose_row(self.is_readers):
                elements.markdown(f"{other} [Make it your own]({self._link('training', text=' '.join(self.row))}).")
            show.under_the_figure("training", "film", "fold-exercises")

    def _no_film(self) -> None:
        """So large a stack keeps too little of its moments."""
        elements.markdown(
            "So large a stack keeps not all of its weights at each moment: there is no film of it. This is how it ends:"
        )
        records, shown = computed.in_a_row(self.setup), list(dict.fromkeys(self.found.pair))
        board.matrices(
            *(self._looks([record.value("weights") for record in records], at) for at in shown), key="board_end", across=2,
            chosen=self._chosen(), chooses=self._chooses(shown), main=len(shown) - 1, max_width=46,
            alt=f"Weights of {count(len(shown), 'head')} at the end, on {' '.join(self.row)}.",
        )  # fmt: skip

    def _chosen(self) -> tuple[int, int]:
        return (self.focus.query - 1, self.focus.key - 1) if self.is_readers else (self.query, self.key)

    def _chooses(self, shown: list[tuple[int, int]]) -> dict:
        """A click opens that head on the seven pages too."""
        of_heads = {_name(at): {"seven": "chosen", "layer": at[0] + 1, "head": at[1] + 1} for at in shown}
        return board.choice(of_heads, query="row", key="column")

    def _looks(self, layers, at: tuple[int, int]) -> board.Matrix:
        return board.Matrix(
            _name(at), layers[at[0]][at[1]], self.names, self.names, ("query", "key"), "weights", f"α, {_name(at)}", **entries.SHARES,
            clickable=self.is_readers, symbol="α", made=words.made(film.of_all_layers, "setup", "result", "row"),
        )  # fmt: skip

    def what_they_are_called(self) -> None:
        show.heading("Every head, and what it does")
        with lecture.large():
            elements.markdown("\n".join(f"- {said}" for said in claims.names(self.found, self.setup.seed)))
            elements.caption(
                "Olsson et al. 2022, *In-context Learning and Induction Heads*. A head has a name from "
                f"{induction.MARGIN:g} above what it would have without finding anything."
            )

    def every_head(self) -> None:
        """Both mean weights of every head."""
        least = induction.least(self.setup.seed)
        shown = [self._by_head(of_job, f"mean α on {job}", "weights", induction.measure, "α", entries.SHARES, of_job >= needed)
                 for job, of_job, needed in zip(induction.JOBS, self.found.scores, least, strict=True)]  # fmt: skip
        board.matrices(
            *shown, key="board_jobs", across=2, linked="values", max_width=66, part=0.6,
            alt=" ".join(claims.names(self.found, self.setup.seed)).replace("**", ""),
        )  # fmt: skip

    def _by_head(
        self, values: Tensor, title: str, role: str, made, symbol: str, look: dict, marked: Tensor | None = None
    ) -> board.Matrix:
        """A number for each head: (layer, head)."""
        rows = [f"layer {k}" for k in range(1, values.shape[0] + 1)]
        return board.Matrix(
            title, values.float(), rows, board.numbered(values.shape[1]), ("layer", "head"), role, symbol=symbol, edited=marked,
            marked="has the name", made=words.made(made, "setup", "weights"), **look,
        )  # fmt: skip

    def through_both_layers(self) -> None:
        """One score of the upper head, with the lower one and without."""
        show.heading("One score, through both layers", "full")
        below, above = self.found.pair
        if below[0] >= above[0] or self.setup.projections == "none":
            elements.markdown(
                "One score goes through two layers only where there are two." if below[0] >= above[0] else
                "Without projections there is no W_o: what a head brings cannot be taken out again."
            )  # fmt: skip
            return
        with_it, without = (computed.in_a_row(self.setup, off)[above[0]] for off in (None, below))
        i, j, upto = self.query, self.key, slice(0, self.query + 1)
        scores, weights = ([of.value(name)[above[1], i, j].item() for of in (with_it, without)] for name in ("scores", "weights"))
        looks = computed.in_a_row(self.setup)[below[0]].value("weights")[below[1], j, j - 1].item()
        if not lecture.on():
            show.plain(claims.brought(self.row, j, looks, below, above))
        said = claims.score(self.row, i, j, tuple(scores), tuple(weights), below, above)
        show.plain(said)
        board.matrices(
            *(board.Matrix(name, of.value("scores")[above[1], i : i + 1, upto], [self.names[i]], self.names[upto], ("query", "key"),
                           "scores", f"ω, {_name(above)}, {name}", symbol="ω", made=words.made(induction.through, "setup", "weights", "row"))
              for name, of in (("as it is", with_it), (f"without {_name(below)}", without))),
            key="board_through", stacked=True, linked="column", chosen=(0, j), max_width=66, part=0.5, alt=said,
        )  # fmt: skip
        if self.is_readers:
            links = ", ".join(f'<a href="./{escape(self._link(path, above))}" target="_self">{text}</a>' for path, text in STEPS)
            elements.html(f'<p class="ab-way">Open this score in layer {above[0] + 1}: {links}.</p>')

    def _link(self, path: str, at: tuple[int, int] | None = None, **changes: object) -> str:
        """A page with this setup; with a head, that head's steps, at the two places."""
        places = (
            {"seven": "chosen", "layer": at[0] + 1, "head": at[1] + 1, "query": self.query + 1, "key": self.key + 1} if at else {}
        )
        return f"{path}?{write_link(self.setup.as_link() | places | changes)}"

    def switched_off(self) -> None:
        """Each head switched off in turn."""
        show.heading("Switch it off")
        if self.setup.projections == "none":
            elements.markdown("Without projections there is no W_o, and so no head that could be left out.")
            return
        if self.without is None:
            show.plain(MEASURED)
            return
        with lecture.large():
            elements.markdown(claims.off(self.found, self.without))
        size = self.found.scores.shape[1:]
        right, loss = (
            torch.tensor([getattr(one, name) for one in self.without.values()]).view(size) for name in ("accuracy", "loss")
        )
        board.matrices(
            self._by_head(right, "right, without this head", "output", induction.without_each, "right", entries.SHARES | {"scale": "plain"}),
            self._by_head(loss, "loss in nats, without this head", "output", induction.without_each, "loss", {"scale": "plain"}),
            key="board_off", across=2, linked="values", max_width=66, part=0.6,
            alt=claims.off(self.found, self.without).replace("**", ""),
        )  # fmt: skip
        if not lecture.on():
            ways = ", ".join(f"[head {claims.head(at)}]({self._off(at)})" for at in dict.fromkeys(self.found.pair))
            elements.markdown(f"Switch it off yourself, by edits of W_o that all pages follow: {ways}.")

    def _off(self, at: tuple[int, int]) -> str:
        """The stack's page with a head switched off."""
        to = induction.off(self.setup, *at)
        return f"encoder?{write_link(to.as_link() | {'query': self.query + 1, 'key': self.key + 1, 'layer': self.setup.layers})}"

    def why_not_one_layer(self) -> None:
        """What a key of layer 1 does not hold."""
        show.heading("Why can one layer not find it?")
        moved = computed.keys_moved(self.setup, self.key)
        said = claims.keys(self.row, self.key, moved)
        show.plain(said)
        board.matrices(
            self._by_head(moved, f"how far the key of {self.names[self.key]} moves, as a share of its length", "k", induction.keys_moved,
                          "moved", {"scale": "plain"}),
            key="board_keys", max_width=66, part=0.5, alt=said,
        )  # fmt: skip

    def your_turn(self) -> None:
        """Another row: what comes next, and in the beat after, the answer."""
        asked = induction.rows(self.setup.seed)
        row = tuple(tasks.language.LETTERS[k] for k in asked.ids[1].tolist())
        at = max(k for k in range(len(row)) if induction.place_after(row, k) is not None)
        said = claims.puzzle(row, at)
        said = (
            said
            if lecture.current_beat() == "answer"
            else f"What comes after {words.quoted(row[at])}, and at which place do you look?"
        )
        board.words(labels(row), said, query=at, asked=None, key="board_turn", alt=f"{' '.join(row)}. {said}")

    def every_moment(self) -> None:
        """The numbers of every moment, once they are unfolded."""
        folded = show.folded_tables("training")
        if not folded:
            return
        with folded:
            if self.course is None:
                show.plain(MEASURED)
                return
            columns = {
                "steps made": [str(step) for step in self.course],
                "loss where it can be known": [words.number(found.loss) for found in self.course.values()],
                "right": [words.number(found.accuracy) for found in self.course.values()],
            } | {
                f"{claims.head(at)} on {job}": [words.number(found.scores[k, *at].item()) for found in self.course.values()]
                for k, (at, job) in enumerate(zip(self.found.pair, induction.JOBS, strict=True))
            }
            elements.table(
                pa.table(columns), dict.fromkeys(columns, show.RIGHT), alt="Loss, right letters and both heads at every moment."
            )


def _name(at: tuple[int, int]) -> str:
    return f"layer {at[0] + 1}, head {at[1] + 1}"
