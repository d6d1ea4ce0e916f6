"""What the explorer promises about its cost, measured in one run: one row a promise, with the limit
beside it.

    python -m tests.benchmarks [--quick]

About five minutes; --quick takes under three and is coarser.
"""

import asyncio
import sys

from tests.benchmarks import click, lesson, pages


def row(what: str, figure: str, value: float, must: float) -> None:
    print(
        f"{'met' if value <= must else 'missed':<8}{what:<52}{figure:<72}at most {must:.0f}",
        flush=True,
    )


def pages_rows(measured: pages.Measured) -> None:
    """Of the default setup the page with the fewest reruns a second; the page whose click costs
    most, by default and at the largest setup, in processor time. New numbers of the largest setup
    are printed: mostly its numbers themselves cost."""
    default = [found for (kind, _), found in measured.items() if kind == "default"]
    slowest = min(default, key=lambda found: found.share("seed"))
    figure = (
        f"1/{1 / slowest.share('seed'):.1f} of the bare page's ({slowest.acts['seed'].rate:.0f} of"
        f" {slowest.bare.rate:.0f})"
    )
    row("reruns a second, slowest page, new numbers, one in", figure, 1 / slowest.share("seed"), 5)
    for kind in ("default", "largest"):
        times = {
            path or "overview": found.times("click")
            for (setup, path), found in measured.items()
            if setup == kind
        }
        dearest = max(times, key=times.__getitem__)
        row(
            f"processor time of a click, {kind}, × bare",
            f"{times[dearest]:.1f} ({dearest})",
            times[dearest],
            12,
        )


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    measured = asyncio.run(pages.measure(2 if quick else 8))
    the_class = lesson.measure(20 if quick else 60)
    painted = click.median(click.measure(20))
    pages.report(measured)
    print(f"\n{the_class}\n")
    pages_rows(measured)
    tail = the_class.outcome.percentile(0.95) * 1e3
    what = f"a class of {lesson.VIEWERS}, 95th percentile, ms"
    row(what, f"{tail:.0f} (bare page {the_class.bare:.0f} a second)", tail, the_class.scaled(200))
    row(
        "answers of the class that were wrong or never came",
        str(the_class.outcome.lost),
        len(the_class.outcome.errors),
        0,
    )
    figure = f"{the_class.peak} (after start {the_class.start.whole:.0f})"
    row("memory under the class, peak, MB", figure, the_class.peak.whole, 550)
    row("a click on a cell until it is painted, ms", f"{painted:.0f}", painted, 130)


if __name__ == "__main__":
    main()
