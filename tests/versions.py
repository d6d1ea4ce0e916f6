"""Run the smoke test on every version of Streamlit that pyproject.toml allows.

    python -m tests.versions

Each version is laid over the environment at hand, in a folder that goes again; nothing that is
installed changes.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("1.65.0", "1.66.0", "1.67.0")
FILES = ("tests/test_versions.py", "tests/test_streamlit_internals.py")


def main() -> int:
    failed = []
    for version in VERSIONS:
        with tempfile.TemporaryDirectory() as place:
            # elsewhere Streamlit takes itself for one that is being developed
            folder = str(Path(place) / "site-packages")
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder]
            pip += [f"streamlit=={version}", "toml"]  # 1.65 needs toml
            subprocess.run(pip, check=True)
            paths = os.pathsep.join([folder, str(ROOT)])
            print(f"Streamlit {version}", flush=True)
            tests = [sys.executable, "-m", "pytest", "-q", *FILES]
            ended = subprocess.run(
                tests,
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": paths, "VERSIONS": "all"},
                check=False,
            )
            failed += [version] if ended.returncode else []
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
