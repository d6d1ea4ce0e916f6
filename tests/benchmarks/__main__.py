"""What the explorer promises about its cost, measured.

python -m tests.benchmarks SCENARIO [SECONDS]
"""

import argparse

from tests.benchmarks import scenarios

# With the seconds that it goes on for, unless others are said.
SCENARIOS = {
    "cost": 200,
    "lesson": 60,
    "follow": 20,
    "visitors": 240,
    "rush": 0,
    "real": 60,
    "first": 0,
}


def main() -> None:
    """Measure one scenario and print what came of it."""
    told = "\n".join(f"{name:<12}{getattr(scenarios, name).__doc__}" for name in SCENARIOS)
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, epilog=told, formatter_class=plain)
    parser.add_argument("scenario", choices=SCENARIOS, metavar="SCENARIO")
    parser.add_argument("seconds", type=float, nargs="?", metavar="SECONDS")
    asked = parser.parse_args()
    getattr(scenarios, asked.scenario)(asked.seconds or SCENARIOS[asked.scenario])


if __name__ == "__main__":
    main()
