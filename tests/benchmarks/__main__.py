"""What the explorer promises about its cost, measured in one run: one row a promise, with must and aim beside it.

    python -m tests.benchmarks [--quick]

About five minutes; --quick takes under three and is coarser.
"""

import asyncio
import sys

from tests.benchmarks import click, floor, lesson, pages


def row(verdict: str, what: str, figure: str, must: str, aim: str) -> None:
    print(f"{verdict:<8}{what:<52}{figure:<66}{must:<13}{aim}", flush=True)


def judged(what: str, figure: str, value: float, must: float, aim: float | None, unit: str) -> None:
    """A row for a figure that is to be small."""
    verdict = "met" if value <= must else "missed"
    aimed = "" if aim is None else f"{aim:.0f} {unit}" + (" reached" if value <= aim else "")
    row(verdict, what, figure, f"{must:.0f} {unit}", aimed)


def throughput(measured: pages.Measured) -> None:
    """The slowest page's reruns a second, when each act changes the numbers."""
    path = min((path for kind, path in measured if kind == "default"), key=lambda path: measured["default", path].share("seed"))
    found = measured["default", path]
    part = 1 / found.share("seed")
    figure = (
        f"1/{part:.1f} ({path or 'overview'}: {found.acts['seed'].rate:.0f} of {found.bare.rate:.0f} a second; "
        f"a click 1/{1 / found.share('click'):.1f})"
    )
    verdict = "met" if part <= 5 else "missed"
    row(
        verdict,
        "reruns at saturation, slowest page, default",
        figure,
        "1/5 of bare",
        "1/3" + (" reached" if part <= 3 else ""),
    )


def processor_time(measured: pages.Measured, kind: str, act: str, must: float, aim: float) -> str:
    """The page whose processor time an act costs most, and its row."""
    path = max((path for setup, path in measured if setup == kind), key=lambda path: measured[kind, path].times(act))
    found = measured[kind, path]
    times, cost = found.times(act), found.acts[act].cost
    figure = f"{times:.1f} × ({path or 'overview'}: {cost:.1f} of {found.bare.cost:.1f} ms)"
    what = "new numbers" if act == "seed" else "a click"
    judged(f"processor time a rerun, {kind}, {what}", figure, times, must, aim, "× bare")
    return path


def numbers_alone(measured: pages.Measured, path: str) -> None:
    """What the largest setup's numbers cost by themselves on this page, if that is known of it: it can never have them for less."""
    if path in floor.SENTENCES:
        (draws, products), bare = floor.measure(path), measured["largest", path].bare.cost
        figure = f"{(draws + products) / bare:.1f} × ({draws:.1f} and {products:.1f} of {bare:.1f} ms)"
        row("", "    draws and products alone", figure, "", "")


def a_class(found: lesson.Lesson) -> None:
    outcome, calm = found.outcome, found.calm
    whole = outcome.percentile(0.95) * 1e3
    # A second that neighbours took from says nothing about the app; where hardly any was left alone, all count.
    is_calm = len(calm.seconds) >= len(outcome.seconds) / 4
    tail = calm.percentile(0.95) * 1e3 if is_calm else whole
    figure = f"{tail:.0f} ms (bare page {found.bare:.0f} a second; all {len(outcome.seconds)} answers: {whole:.0f} ms)"
    counted = f"{len(calm.seconds)} calm answers" if is_calm else "all answers"
    what = f"100 viewers, 95th perc. of {counted}, ×{lesson.USUAL / found.bare:.2f}"
    judged(what, figure, tail, found.scaled(200), found.scaled(60), "ms")
    if outcome.errors or outcome.lost:
        row("missed", "answers of the class", f"{outcome.errors[:3]}", "all, right", "")
    judged("memory after start", f"{found.start:.0f} MB", found.start, 450, None, "MB")
    judged("memory under the class, peak", f"{found.peak:.0f} MB", found.peak, 550, None, "MB")


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    measured = asyncio.run(pages.measure(2 if quick else 8))
    the_class = lesson.measure(20 if quick else 60)
    painted = click.measure(20)
    pages.report(measured)
    print(f"\n{the_class}\n")
    row("", "", "measured", "must", "aim")
    throughput(measured)
    processor_time(measured, "default", "seed", 5, 3)
    processor_time(measured, "largest", "click", 12, 8)
    numbers_alone(measured, processor_time(measured, "largest", "seed", 12, 8))
    a_class(the_class)
    judged("a click on a cell until it is painted", f"{click.median(painted):.0f} ms", click.median(painted), 120, 60, "ms")
    row("", "the whole test suite on two cores", "not measured here: time .venv/bin/pytest", "7:00", "5:00")
    print(
        f"\nThe class's limits are those of a machine whose bare page manages {lesson.USUAL} a second, scaled by the factor shown."
    )


if __name__ == "__main__":
    main()
