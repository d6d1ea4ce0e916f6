"""One load tool: `python -m tests.benchmarks SCENARIO [number …]`.

Without a scenario it lists them. The numbers are the scenario's own, in their order: rounds,
seconds, people.
"""

import sys

from tests.benchmarks.scenarios import SCENARIOS


def main() -> None:
    name, *numbers = sys.argv[1:] or [""]
    if name in SCENARIOS:
        SCENARIOS[name](*map(int, numbers))
        return
    for name, run in SCENARIOS.items():
        print(f"{name:<11}{' '.join(run.__doc__.split())}")


if __name__ == "__main__":
    main()
